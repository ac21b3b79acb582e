"""What settles a spec: a touch beyond white space and markup, or an acknowledgement in a commit message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from spexsearch.govern.essence import Essence, essence, says_the_same
from spexsearch.govern.model import Change, ChangeSet, Commit
from spexsearch.specs.model import Spec, SpecTree

# Other alphabets have letters that only look like these, or fold to them.
_ACKNOWLEDGEMENT = re.compile(r"Spec-OK:(.*)", re.IGNORECASE | re.ASCII)
# A reason may follow an id, as people write one.
_REASON = re.compile(r"\s\([^()]*\)?|\s[-–—]\s.*")
# Markdown's code: what it opens with, and how its end begins.
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_SCISSORS = "------------------------ >8 ------------------------"
# HTML's ways to quote and to hide, and what ends each.
_APART = re.compile(
    r"<(?:(!--)|(textarea|script|style|template|title|pre|code|blockquote|xmp)\b[^<>]*>)", re.IGNORECASE
)
_APART_ENDS = re.compile(r"-->|</(?:textarea|script|style|template|title|pre|code|blockquote|xmp)")
_CODE_SPAN = re.compile(r"(`+)[^`]+\1")


def acknowledged_ids(message: str) -> tuple[str, ...]:
    """The ids that `Spec-OK:` lines of a commit message name, in order; only the author's own lines count."""
    ids: dict[str, None] = {}
    for line in _own_lines(message):
        match = _ACKNOWLEDGEMENT.match(line)
        parts = _REASON.sub("", match.group(1)).split(",") if match else ()
        ids.update((identity, None) for part in parts if (identity := part.strip()))
    return tuple(ids)


def _own_lines(message: str) -> Iterator[str]:
    """The lines above any scissors line and outside fenced code, quoting HTML and comments.

    Who pastes text indents it, fences it, or quotes it with a mark in the first column: no such line says Spec-OK.
    """
    # Only LF ends a line: a lone CR or U+2028 must not bring quoted text to the first column.
    lines = list(takewhile(lambda line: _SCISSORS not in line, message.split("\n")))
    last = {end: number for number, line in enumerate(lines) for end in _APART_ENDS.findall(line.lower())}
    fence = ends = ""
    for number, line in enumerate(lines):
        closable = frozenset(end for end, at in last.items() if at > number)
        mark = _FENCE.match(line) if not ends else None
        if ends:
            ends = _left_open(line, closable, ends)
        elif fence:
            closes = mark and mark[1].startswith(fence) and not line[mark.end() :].strip()
            fence = "" if closes else fence
        elif mark:
            fence = mark[1]
        else:
            yield line
            ends = _left_open(_CODE_SPAN.sub("", line), closable)


def _left_open(line: str, closable: frozenset[str], ends: str = "") -> str:
    """What ends the HTML that is open where a line ends, "" for none; `ends`: what was open where it began.

    Where a line begins with it, it is open to the end of the message; else it needs an end in a line that follows.
    """
    at, low = 0, line.lower()
    while True:
        if not ends:
            opened = _APART.search(line, at)
            if opened is None:
                return ""
            at, ends = opened.end(), "-->" if opened[1] else f"</{opened[2].lower()}"
            begins = opened.start() <= 3 and not line[: opened.start()].strip(" ")
        else:
            begins = True
        found = low.find(ends, at)
        if found < 0 and (begins or ends in closable):
            return ends
        at, ends = (found + len(ends) if found >= 0 else at), ""


class Acknowledgements:
    """The `Spec-OK` lines of a range: a commit with content answers for itself, an empty one for all below it."""

    def __init__(self, commits: Sequence[Commit]) -> None:
        """`commits`: those of the range, none after one of its parents."""
        self._commits = commits
        self._ids = {commit.sha: frozenset(acknowledged_ids(commit.message)) for commit in commits}

    @property
    def ids(self) -> frozenset[str]:
        """Every id that is named."""
        return frozenset().union(*self._ids.values())

    def cover(self, ids: frozenset[str], paths: frozenset[str]) -> bool:
        """Whether every commit that changes one of `paths` is acknowledged for a spec known by one of `ids`."""
        if ids.isdisjoint(self.ids):
            return False
        charged = {c.sha for c in self._commits if (c.paths - c.cosmetic) & paths}
        # Where no commit is seen to have made the change, only an empty commit can mean it.
        if not charged:
            return any(not c.paths and not ids.isdisjoint(self._ids[c.sha]) for c in self._commits)
        return charged <= self._covered(ids)

    def _covered(self, ids: frozenset[str]) -> set[str]:
        covered: set[str] = set()
        beneath: set[str] = set()
        for commit in self._commits:
            named = not ids.isdisjoint(self._ids[commit.sha])
            if named or commit.sha in beneath:
                covered.add(commit.sha)
            if commit.sha in beneath or (named and not commit.paths):
                beneath.update(commit.parents)
        return covered


def is_told(change: Change, contents: Mapping[str, bytes]) -> bool:
    """Whether the contents of both sides of a change, as far as it has them, are at hand."""
    old = change.status in ("A", "C") or change.old_blob in contents
    return old and (change.status == "D" or change.new_blob in contents)


def moved_specs(changes: Iterable[Change]) -> dict[str, str]:
    """Path at the base -> path at the head, for renamed files."""
    return {change.old_path: change.path for change in changes if change.status == "R" and change.old_path}


def touched_paths(change_set: ChangeSet, before: Mapping[str, Spec], after: Mapping[str, Spec]) -> frozenset[str]:
    """Paths at the head of the specs whose title, desc or body say something else than at the base; new specs too.

    Where a diff file does not tell both sides, its hunks speak for them.
    """
    touched = set()
    for change in change_set.changes:
        new = after.get(change.path)
        if new is None or change.status == "D":
            continue
        if change_set.origin != "diff" or is_told(change, change_set.contents):
            old = before.get(change.before)
            if old is None or not says_the_same(old, new):
                touched.add(change.path)
        elif _hunks_touch(change, new):
            touched.add(change.path)
    return frozenset(touched)


def _hunks_touch(change: Change, spec: Spec) -> bool:
    def said(lines: Iterable[tuple[int, str]]) -> Essence:
        return essence("\n".join(t for n, t in lines if n >= spec.body_line or t.startswith(("title:", "desc:"))))

    removed = said((line.number, line.text) for line in change.removed)
    return not removed.is_that_of(said((line.number, line.text) for line in change.added))


def by_path(tree: SpecTree) -> dict[str, Spec]:
    """The specs of a tree by their paths."""
    return {spec.path: spec for spec in tree.specs}
