"""Where learnings are kept: the project's own store, and those of the gstack tools in a home of their own."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from spexsearch.errors import GitError, InputError

STORE = ".spec/learnings.jsonl"
MOST_OTHERS = 5
"""Stores of other projects that are read."""

_KEPT = "learnings.jsonl"
_LONGEST_SLUG = 1024
_NOT_OF_A_SLUG = re.compile("[^A-Za-z0-9._-]")


class Places(NamedTuple):
    """The stores of this project, there or not, those of others that are to be read, and how many others there are."""

    own: tuple[Path, ...]
    others: tuple[Path, ...] = ()
    known: int = 0


def own_store(root: Path) -> Path:
    """The store of a project, there or not. Raises InputError where a link stands in its place."""
    store = root / STORE
    for path in (store.parent, store):
        if path.is_symlink():
            name = path.relative_to(root).as_posix()
            raise InputError(f"{name} is a link, and links are not followed; put what it names there itself")
    return store


def find_stores(root: Path, environ: Mapping[str, str], *, cross_project: bool = False) -> Places:
    """The stores of a project, and with `cross_project` of other ones, the first `MOST_OTHERS` by name.

    What the gstack tools keep counts as older than what stands in the project. Raises InputError as `own_store`.
    """
    own = own_store(root)
    home = Path(environ.get("GSTACK_HOME") or os.path.expanduser("~/.gstack"))  # noqa: PTH111 - a home may be missing
    if not (home / "projects").is_dir():
        return Places((own,))
    slug = _slug(root.resolve(), home, environ)
    kept = (home / "projects" / slug / _KEPT,) if slug else ()
    others = sorted(store for store in home.glob(f"projects/*/{_KEPT}") if store not in kept) if cross_project else []
    return Places((*kept, own), tuple(others[:MOST_OTHERS]), len(others))


def _slug(root: Path, home: Path, environ: Mapping[str, str]) -> str:
    """What the gstack tools call a project: as they are told, as they have called it before, its origin, its folder."""
    cached = home / "slug-cache" / str(root).replace("/", "_")
    names: tuple[Callable[[], str], ...] = (
        lambda: environ.get("GSTACK_PROJECT_SLUG", ""),
        partial(_line, cached),
        partial(_origin, root),
        lambda: root.name,
    )
    slugs = (_NOT_OF_A_SLUG.sub("", name()) for name in names)
    return next((slug for slug in slugs if slug.strip(".")), "")


def _line(path: Path) -> str:
    """The first line of a file; "" where there is none to be read."""
    if not path.is_file():
        return ""
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            return stream.readline(_LONGEST_SLUG)
    except OSError:
        return ""


def _origin(root: Path) -> str:
    """`owner-name` of the remote `origin`; "" where there is none."""
    from spexsearch.govern.repository import Repository

    try:
        address = Repository.discover(root).origin()
    except GitError:
        return ""
    return re.sub(r".*[:/]([^/]+)/([^/]+)\Z", r"\1-\2", address.removesuffix(".git"), flags=re.DOTALL)
