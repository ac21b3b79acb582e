"""The states of a repository on both sides of a change: one is read, the other is had by doing or undoing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spexsearch.govern.model import Change, State
from spexsearch.specs.dialects import candidates
from spexsearch.specs.globs import Glob
from spexsearch.specs.loader import Memory, load_specs
from spexsearch.specs.model import Problem

REGULAR = ("100644", "100755")
"""Git's modes of files that have text."""


class Files(NamedTuple):
    """The files of one state: texts that may be specs, every path with its blob ("": not known), what was not read.

    `texts` holds those too that are specs on the other side only, because of a file that makes them so there.
    `named`: the patterns of files that are specs where no convention finds them.
    """

    texts: Mapping[str, bytes]
    blobs: Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    named: tuple[Glob, ...] = ()


class _Side(NamedTuple):
    """One side of a change. `there`: the change is about a file that is there on this side."""

    path: str
    blob: str | None
    mode: str | None
    there: bool


def undone(files: Files, changes: Sequence[Change], contents: Mapping[str, bytes]) -> Files:
    """The files before the changes that led to `files`."""
    return _stepped(files, [(_new(change), _old(change)) for change in changes], contents)


def done(files: Files, changes: Sequence[Change], contents: Mapping[str, bytes]) -> Files:
    """The files after the changes, whether these are done in `files` already or not."""
    return _stepped(files, [(_old(change), _new(change)) for change in changes], contents)


def agrees(change: Change, contents: Mapping[str, bytes]) -> bool:
    """Whether the lines that a diff shows are those of the blobs it names, as far as these are at hand."""
    if change.hunks and change.old_blob is not None and change.old_blob == change.new_blob:
        return False
    for blob, lines in ((change.old_blob, change.removed), (change.new_blob, change.added)):
        data = contents.get(blob or "")
        if data is not None and lines:
            held = data.decode("utf-8", "surrogateescape").split("\n")
            if any(line.number > len(held) or held[line.number - 1] != line.text for line in lines):
                return False
    return True


def states(before: Files, after: Files, memory: Memory | None = None) -> tuple[State, State]:
    """Both sides with their spec trees; what is the same on both, or in `memory`, is read once."""
    memory = memory or Memory(after.named)
    head = load_specs(after.texts, after.blobs, memory=memory, problems=after.problems)
    same = before is after or (before.texts == after.texts and before.blobs.keys() == after.blobs.keys())
    base = head if same else load_specs(before.texts, before.blobs, memory=memory, problems=before.problems)
    return State(base, before.blobs), State(head, after.blobs)


def _stepped(files: Files, steps: Sequence[tuple[_Side, _Side]], contents: Mapping[str, bytes]) -> Files:
    """The files on the other side of the steps. What they do not name, or whose blob is not at hand, is as it was."""
    texts, blobs = dict(files.texts), dict(files.blobs)
    for left, _ in steps:
        if left.there:
            texts.pop(left.path, None)
            blobs.pop(left.path, None)
    for left, entered in steps:
        if entered.there:
            blobs[entered.path] = entered.blob or ""
            text = contents.get(entered.blob or "", files.texts.get(left.path if left.there else entered.path))
            if text is not None and entered.mode in (None, *REGULAR):
                texts[entered.path] = text
    # What makes Markdown a spec may stand on one side only.
    read = set(candidates(sorted(blobs.keys() | files.blobs.keys()), files.named))
    changed = {side.path for step in steps for side in step}
    problems = tuple(problem for problem in files.problems if problem.path not in changed)
    return Files({path: text for path, text in texts.items() if path in read}, blobs, problems, files.named)


def _old(change: Change) -> _Side:
    return _Side(change.before, change.old_blob, change.old_mode, change.status not in ("A", "C"))


def _new(change: Change) -> _Side:
    return _Side(change.path, change.new_blob, change.new_mode, change.status != "D")
