"""A past unit without the edits of specs that were there before: what the checker is shown, and what it should say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple

from spexsearch.govern.kinds import kind_of
from spexsearch.govern.model import Change
from spexsearch.govern.repository import Entry
from spexsearch.govern.source.languages import language_of
from spexsearch.govern.states import REGULAR
from spexsearch.specs.frontmatter import read_frontmatter

SOURCE = ("code", "test", "style", "config")
"""Kinds of file whose changes a spec may have to answer."""


class Hidden(NamedTuple):
    """`changes` and `entries` (the files at the head) as if no spec had been edited.

    `edits`: the changes that were taken out, of specs that are still there. `moved`: path at the head -> path at the
    parent, for the renamed ones among them.
    """

    changes: tuple[Change, ...]
    entries: Mapping[str, Entry]
    edits: tuple[Change, ...]
    moved: Mapping[str, str]


def hide(changes: Iterable[Change], entries: Mapping[str, Entry], specs: Collection[str]) -> Hidden:
    """`entries`: the files at the parent; `specs`: the paths of those among them that are specs.

    A renamed spec keeps its text under the new name, a deleted one is gone, and a new one is as it is.
    """
    there = dict(entries)
    shown, edits = [], []
    changes = tuple(changes)
    for change in changes:
        if change.status in ("D", "R"):
            there.pop(change.before, None)
    for change in changes:
        if change.before not in specs or change.status in ("A", "C"):
            shown.append(change)
            if change.status != "D":
                there[change.path] = Entry(change.new_mode or REGULAR[0], change.new_blob or "")
        elif change.status == "R":
            # Without its rename a spec would be one that is gone and one that is new.
            shown.append(change._replace(hunks=(), new_blob=change.old_blob, new_mode=change.old_mode, binary=False))
            there[change.path] = entries[change.before]
        if change.before in specs and change.status in ("M", "R"):
            edits.append(change)
    moved = {change.path: change.before for change in edits if change.status == "R"}
    return Hidden(tuple(shown), there, tuple(edits), moved)


def edited(hidden: Hidden, there: Collection[str], contents: Mapping[str, bytes]) -> list[str]:
    """Paths, as at the parent, of the specs whose body the unit changed beyond white space.

    `there`: the paths of the specs at the head; `contents`: the blobs of the edits.
    """

    def says(blob: str | None, path: str) -> list[str]:
        return read_frontmatter(contents.get(blob or "", b""), path).body.split()

    return sorted(
        change.before
        for change in hidden.edits
        if change.path in there
        and change.old_blob != change.new_blob
        and says(change.old_blob, change.before) != says(change.new_blob, change.path)
    )


def changes_source(changes: Iterable[Change], specs: Collection[str], contents: Mapping[str, bytes]) -> bool:
    """Whether a change is there that a spec may have to answer, by the kinds of files alone.

    What a configuration calls source decides findings, but not which units are counted: histories must compare.
    """
    return any(change.before not in specs and _is_source(change, contents) for change in changes)


def _is_source(change: Change, contents: Mapping[str, bytes]) -> bool:
    kind = kind_of(change.path)
    text = contents.get(change.new_blob or change.old_blob or "", b"")
    return kind in SOURCE or (kind == "other" and language_of(change.path, text) is not None)


def signature(changes: Iterable[Change]) -> str:
    """The same for two units that change the same lines of the same files, wherever they stand; "" without any line."""
    lines = sorted(
        (change.path, mark, line.text)
        for change in changes
        for mark, side in (("-", change.removed), ("+", change.added))
        for line in side
    )
    return sha256(repr(lines).encode("utf-8", "surrogatepass")).hexdigest() if lines else ""
