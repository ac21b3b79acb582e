"""A change under judgement, as frozen types.

Paths are repository-relative and POSIX. Paths and lines hold undecodable bytes as surrogate escapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from spexsearch.specs.model import SpecTree

MAX_DIFF = 256 << 20
"""Bytes. A larger diff is refused: a changed line costs some ten times its text in memory."""

LARGEST_TEXT = 16 << 20
"""Bytes from which a file is binary to git here: its lines would fill the memory, and no one writes such a file."""

Status = Literal["A", "M", "D", "R", "C", "T", "U"]
Origin = Literal["staged", "range", "commit", "diff"]


class Line(NamedTuple):
    """One changed line: its number on its own side, and its text without the final LF."""

    number: int
    text: str


class Hunk(NamedTuple):
    """One hunk without its context lines. Starts and counts are those of the hunk's header."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    removed: tuple[Line, ...]
    added: tuple[Line, ...]


class Change(NamedTuple):
    """One file's part of a diff.

    `old_path` is set for renames and copies only. Modes are git's six octal digits, None for the side that does not
    exist (or, in a diff file, is not told). Blobs are object names, perhaps abbreviated in a diff file; None where
    there is none or it is not told.
    """

    status: Status
    path: str
    old_path: str | None = None
    binary: bool = False
    old_mode: str | None = None
    new_mode: str | None = None
    old_blob: str | None = None
    new_blob: str | None = None
    hunks: tuple[Hunk, ...] = ()

    @property
    def before(self) -> str:
        """The path at the base."""
        return self.old_path or self.path

    @property
    def added(self) -> tuple[Line, ...]:
        """Every added line, in order."""
        return tuple(line for hunk in self.hunks for line in hunk.added)

    @property
    def removed(self) -> tuple[Line, ...]:
        """Every removed line, in order."""
        return tuple(line for hunk in self.hunks for line in hunk.removed)


class Commit(NamedTuple):
    """One commit of a range.

    `paths`: what it changes against all its parents, both names of a rename; none for an empty commit. `cosmetic`:
    those of them whose change leaves no spec behind, as far as that was asked.
    """

    sha: str
    message: str
    paths: frozenset[str]
    parents: tuple[str, ...] = ()
    cosmetic: frozenset[str] = frozenset()


class PastUnit(NamedTuple):
    """What a replay judges at once: a commit, or what a merge brought in, against the first parent.

    `date`: when it was committed, in seconds.
    """

    sha: str
    parent: str
    date: int


class NotJudged(NamedTuple):
    """A changed path that was not looked at, and why."""

    path: str
    reason: str


class ChangeSet(NamedTuple):
    """Everything under judgement at once.

    `contents` holds the blobs that could be read, by object name as the changes give it; `commits` the range's commits,
    newest first.
    """

    origin: Origin
    changes: tuple[Change, ...]
    base: str | None = None
    head: str | None = None
    contents: Mapping[str, bytes] = {}
    commits: tuple[Commit, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()


class State(NamedTuple):
    """One state of a repository: its specs, and every path with the name of its blob ("" where it is not known)."""

    tree: SpecTree
    files: Mapping[str, str] = {}
