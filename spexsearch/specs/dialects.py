"""Which files are specs and what their keys are called: a table, one row a convention."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from spexsearch.specs.globs import Glob

# Folders that hold other people's files or build results; a spec in one is not a spec of this repository.
PRUNED = frozenset({".git", ".hg", ".svn", ".tox", ".venv", "__pycache__", "bower_components", "node_modules", "venv"})


class Dialect(NamedTuple):
    """One convention.

    `under`: the folder, at the root, that its files stand in ("" is the whole repository, less `PRUNED`).
    `filename`: the name of its files. `companions`: once one such file is a spec, other Markdown with the `required`
    keys is one too. `id_key` and `parent_key`: None where the folder tree says it. The entries of `code_keys` and
    `related_keys` are claims, those of `covers_keys` where they are paths of the repository. `governs_folder`: a file
    called `filename` governs the folder it stands in.
    """

    name: str
    filename: str
    under: str = ""
    companions: bool = False
    required: tuple[str, ...] = ()
    id_key: str | None = None
    parent_key: str | None = None
    code_keys: tuple[str, ...] = ("code",)
    related_keys: tuple[str, ...] = ()
    covers_keys: tuple[str, ...] = ()
    governs_folder: bool = False


SPEX = Dialect("spex", "spec.md", under=".spec", related_keys=("related",))
MODULE = Dialect(
    "module",
    "SPEC.md",
    companions=True,
    required=("id", "type", "title"),
    id_key="id",
    parent_key="parent",
    covers_keys=("covers",),
    governs_folder=True,
)
# The files that a configuration names: whatever convention they follow, `id:` or the file's name tells them apart.
NAMED = Dialect("named", "", id_key="id", parent_key="parent", related_keys=("related",))
DIALECTS = (SPEX, MODULE)
BY_NAME = {dialect.name: dialect for dialect in (*DIALECTS, NAMED)}

_OWNED = tuple(f"{dialect.under}/" for dialect in DIALECTS if dialect.under)


def dialect_of(path: str, named: Iterable[Glob] = ()) -> Dialect | None:
    """The convention that a file of this path follows, if its keys say that it is a spec at all.

    `named`: the patterns of files that are specs where no convention finds them.
    """
    folder, _, name = path.rpartition("/")
    found = next((dialect for dialect in DIALECTS if _is_of(dialect, path, name)), None)
    if found is not None and not found.under and PRUNED.intersection(folder.split("/")):
        found = None
    if (found is None or is_companion(path, found)) and any(glob.matches(path) for glob in named):
        return NAMED
    return found


def _is_of(dialect: Dialect, path: str, name: str) -> bool:
    if dialect.under:
        return name == dialect.filename and path.startswith(f"{dialect.under}/")
    return (name == dialect.filename or (dialect.companions and name.endswith(".md"))) and not path.startswith(_OWNED)


def is_among_specs(path: str) -> bool:
    """Whether a file stands in a folder that a convention keeps for specs: it is about them, whatever it is."""
    return path.startswith(_OWNED)


def is_companion(path: str, dialect: Dialect) -> bool:
    """Whether the file is a spec only because others are."""
    return dialect.companions and path.rpartition("/")[2] != dialect.filename


def candidates(paths: Iterable[str], named: Iterable[Glob] = ()) -> list[str]:
    """The paths that have to be read to know a repository's specs, in the order given."""
    found: list[str] = []
    waiting: set[str] = set()
    led: set[str] = set()
    for path in paths:
        if (path.endswith(".md") or named) and (dialect := dialect_of(path, named)):
            found.append(path)
            if is_companion(path, dialect):
                waiting.add(path)
            else:
                led.add(dialect.name)
    if all(dialect.name in led for dialect in DIALECTS if dialect.companions):
        return found
    return [path for path in found if path not in waiting]
