"""Which files are specs and what their keys are called: a table, one row a convention."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# Folders that hold other people's files or build results; a spec in one is not a spec of this repository.
PRUNED = frozenset({".git", ".hg", ".svn", ".tox", ".venv", "__pycache__", "bower_components", "node_modules", "venv"})


@dataclass(frozen=True, slots=True)
class Dialect:
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
    link_keys: tuple[str, ...] = ()


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
    link_keys=("depends-on", "references", "implements", "tags"),
)
DIALECTS = (SPEX, MODULE)
BY_NAME = {dialect.name: dialect for dialect in DIALECTS}

_OWNED = tuple(f"{dialect.under}/" for dialect in DIALECTS if dialect.under)


def dialect_of(path: str) -> Dialect | None:
    """The convention that a file of this path follows, if its keys say that it is a spec at all."""
    folder, _, name = path.rpartition("/")
    for dialect in DIALECTS:
        if dialect.under:
            if name == dialect.filename and path.startswith(f"{dialect.under}/"):
                return dialect
        elif (name == dialect.filename or (dialect.companions and name.endswith(".md"))) and not path.startswith(
            _OWNED
        ):
            return None if PRUNED.intersection(folder.split("/")) else dialect
    return None


def is_companion(path: str, dialect: Dialect) -> bool:
    """Whether the file is a spec only because others are."""
    return path.rpartition("/")[2] != dialect.filename


def candidates(paths: Iterable[str]) -> list[str]:
    """The paths that have to be read to know a repository's specs, in the order given."""
    found: list[str] = []
    waiting: dict[str, int] = {}
    named: set[str] = set()
    for path in paths:
        if path.endswith(".md") and (dialect := dialect_of(path)):
            found.append(path)
            if is_companion(path, dialect):
                waiting[path] = waiting.get(path, 0) + 1
            else:
                named.add(dialect.name)
    if not waiting or all(dialect.name in named for dialect in DIALECTS if dialect.companions):
        return found
    return [path for path in found if path not in waiting]
