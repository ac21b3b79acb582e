"""What settles a spec: a touch beyond white space and markup, or an acknowledgement in a commit message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from spexsearch.govern.essence import Essence, essence, says_the_same
from spexsearch.govern.model import Change, ChangeSet, Commit
from spexsearch.specs.model import Spec, SpecTree

_ACKNOWLEDGEMENT = re.compile(r"Spec-OK:(.*)", re.IGNORECASE)
# A reason may follow an id, as people write one.
_REASON = re.compile(r"\s\([^()]*\)?|\s[-–—]\s.*")
# Markdown's code: what it opens with, and how its end begins.
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_SCISSORS = "------------------------ >8 ------------------------"


def acknowledged_ids(message: str) -> tuple[str, ...]:
    """The ids that `Spec-OK:` lines of a commit message name, in order.

    They stand in the first column, above any scissors line and outside fenced code, which to its end is a quotation.
    """
    ids: dict[str, None] = {}
    fence = ""
    # Only LF ends a line: a lone CR or U+2028 must not bring quoted text to the first column.
    for line in message.split("\n"):
        if _SCISSORS in line:
            break
        mark = _FENCE.match(line)
        if fence:
            closes = mark and mark[1].startswith(fence) and not line[mark.end() :].strip()
            fence = "" if closes else fence
            continue
        if mark:
            fence = mark[1]
            continue
        match = _ACKNOWLEDGEMENT.match(line)
        parts = _REASON.sub("", match.group(1)).split(",") if match else ()
        ids.update((identity, None) for part in parts if (identity := part.strip()))
    return tuple(ids)


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
