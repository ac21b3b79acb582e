"""Where a command stands: the root, the specs there, and the paths that its arguments name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spexsearch.cli.root import current_folder, top_level
from spexsearch.errors import ConfigError, InputError, UsageError
from spexsearch.specs.folder import MAX_SPEC, read_folder
from spexsearch.specs.globs import Glob
from spexsearch.specs.loader import load_tree
from spexsearch.specs.model import SpecTree
from spexsearch.specs.plain import read_plainly

if TYPE_CHECKING:
    from spexsearch.govern.config import Config
    from spexsearch.govern.owners import Place
    from spexsearch.govern.report import Finding

MAX_FILE = 1 << 20
"""Bytes. A larger file is data, or generated: its units are not looked at."""


class Ground(NamedTuple):
    """The root, the folder that arguments are relative to, and the specs. A tree here has at least one."""

    root: Path
    here: Path
    tree: SpecTree


def open_ground(directory: str | None) -> Ground:
    """The specs of `directory`; without one, of git's top level, and where that has none, of the current folder.

    Git is not asked: search works without it, and starting it costs more than a search. Raises UsageError when there is
    no such folder, InputError when it has no spec.
    """
    here = current_folder(directory)
    looked = {"the current folder": here} if directory is None else {directory: here}
    top = top_level(here) if directory is None else None
    if top is not None and top != here:
        looked = {f"{os.path.relpath(top, here)} (git's top level)": top, **looked}
    problems = 0
    for root in looked.values():
        tree = load_tree(root, named_specs(root))
        if tree.specs:
            return Ground(root, here, tree)
        problems += len(tree.problems)
    unread = f" ({problems} problems with what looks like one)" if problems else ""
    raise InputError(
        f"no specs in {' or '.join(looked)}{unread}; a spec is a `spec.md` below `.spec/`, or a `SPEC.md` with id, type"
        " and title; -C DIR names another root"
    )


def config_texts(root: Path) -> dict[str, bytes]:
    """Those of `FILES` that lie in a folder. Raises ConfigError where our own is there and cannot be read."""
    from spexsearch.govern.config import FILES, OWN_FILES

    texts = {name: text for name in FILES if (text := read_plainly(root, name, MAX_SPEC)) is not None}
    if odd := next((name for name in OWN_FILES if name not in texts and os.path.lexists(root / name)), None):
        raise ConfigError(f"{odd} cannot be read, or is no regular file of at most {MAX_SPEC >> 20} MiB; mend it")
    return texts


def here_config(root: Path) -> Config:
    """The configuration as it lies in the working tree."""
    from spexsearch.govern.config import read_config

    return read_config(config_texts(root))


def named_specs(root: Path) -> tuple[Glob, ...]:
    """The patterns of files that the configuration calls specs."""
    # A search need not load what reads a configuration where there is none.
    texts = (read_plainly(root, name, MAX_SPEC) for name in ("pyproject.toml", "spex.toml"))
    return here_config(root).specs if any(text and b"specs" in text for text in texts) else ()


def lint_ground(ground: Ground) -> list[Finding]:
    """The faults of the specs here, against the files as they lie in the working tree."""
    from spexsearch.govern.lint import claimed_files, lint
    from spexsearch.govern.model import State

    def read(names: Iterable[str]) -> dict[str, bytes]:
        return {name: data for name in names if (data := read_plainly(ground.root, name, MAX_SPEC)) is not None}

    files = {path: path for path in read_folder(ground.root, named_specs(ground.root)).files}
    return lint(State(ground.tree, files), read(claimed_files(ground.tree)), here_config(ground.root))


def read_place(text: str, ground: Ground) -> Place:
    """Read PATH[#SYMBOL], from the current folder and, where nothing is there, from the root.

    A `#` that belongs to the name of a file that exists is no symbol. Raises UsageError for what is outside the root.
    """
    from spexsearch.govern.owners import Place

    if "\0" in text:
        raise UsageError("a path holds a NUL byte; write the path without it")
    path, symbol = text, None
    if "#" in text and not any(os.path.lexists(folder / text) for folder in (ground.here, ground.root)):
        path, _, symbol = text.rpartition("#")
        if not path or not symbol:
            raise UsageError(f"`{text}` names no file or no symbol; write PATH or PATH#SYMBOL")
    relative = path_inside(path, ground.root, ground.here)
    there = ground.root / relative
    return Place(
        relative,
        symbol,
        exists=os.path.lexists(there),
        is_folder=there.is_dir() and not there.is_symlink(),
        data=read_plainly(ground.root, relative, MAX_FILE),
    )


def path_inside(path: str, root: Path, here: Path) -> str:
    """A path, from the current folder or else from the root, as one below the root. UsageError for what is outside."""
    absolute = [os.path.normpath(folder / path) for folder in (here, root)]
    inside = [relative for place in absolute if (relative := _relative(place, root)) is not None]
    if not inside:
        raise UsageError(f"{path} is outside the root; name a path of the repository, or its root with -C DIR")
    return next((relative for relative in inside if os.path.lexists(root / relative)), inside[0])


def _relative(place: str, root: Path) -> str | None:
    """The place below the root, POSIX; None when it is outside. The way to the place may lead through links."""
    folder, name = os.path.split(place)
    for path, base in ((Path(place), root), (Path(os.path.realpath(folder), name), Path(os.path.realpath(root)))):
        if path.is_relative_to(base):
            relative = path.relative_to(base).as_posix()
            return "" if relative == "." else relative
    return None
