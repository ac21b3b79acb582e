"""Past units read from git and judged, one after the other: what one leaves in memory makes the next cheap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, NamedTuple

from spexsearch.cli.inputs import both_sides, claimed_contents, config_blobs, contents_of, files_at
from spexsearch.cli.sources import in_git
from spexsearch.errors import SpexError, UsageError
from spexsearch.govern.check import check
from spexsearch.govern.config import Config, read_config
from spexsearch.govern.memory import Memory
from spexsearch.govern.model import Change, ChangeSet, PastUnit, State
from spexsearch.govern.replay.hidden import changes_source, edited, hide, signature
from spexsearch.govern.replay.rows import FLAGS, GRADED, Row, row_of
from spexsearch.govern.replay.thresholds import OPEN
from spexsearch.govern.repository import Entry, Repository
from spexsearch.specs.folder import MAX_SPEC
from spexsearch.specs.globs import Glob
from spexsearch.specs.loader import Memory as Parsed
from spexsearch.specs.loader import load_specs

Reason = Literal["no source", "no specs", "duplicate"]
REASONS: dict[Reason, str] = {
    "no source": "change no source",
    "no specs": "have no specs at their parent",
    "duplicate": "change the same lines as an earlier one",
}


class Skipped(NamedTuple):
    """A unit that says nothing about a checker."""

    unit: str
    reason: Reason


class Failed(NamedTuple):
    """A unit that could not be judged, and why."""

    unit: str
    reason: str


@dataclass(slots=True)
class _Ready:
    """A unit that is to be judged, with its parent's state."""

    unit: PastUnit
    changes: tuple[Change, ...]
    entries: Mapping[str, Entry]
    contents: Mapping[str, bytes]
    config: Config
    before: State


def read_range(repo: Repository, text: str) -> tuple[str | None, str]:
    """(base, head) of `A..B`, or of the whole history of `REV`: (None, head)."""
    for dots in ("...", ".."):
        base, found, head = text.partition(dots)
        if found and not base:
            raise UsageError(f"{text!r} has no base, perhaps from an empty variable: name the revision to begin after")
        if found:
            old, new = repo.resolve(base), repo.resolve(head or "HEAD")
            return (repo.merge_base(old, new) if dots == "..." else old), new
    return None, repo.resolve(text)


def in_order_of_sample(units: Iterable[PastUnit], seed: int) -> list[PastUnit]:
    """The units in an order that only their names and the seed decide: a longer sample holds a shorter one."""
    return sorted(units, key=lambda unit: sha256(f"{seed}:{unit.sha}".encode()).digest())


@dataclass(slots=True)
class Replay:
    """Judges the units of one repository. `repo` should be kept open.

    `calibrating`: every spec that may be accused at all is, whatever its score and the configuration's mode.
    """

    repo: Repository
    calibrating: bool = False
    _memory: Memory = field(default_factory=Memory)
    _parsed: dict[tuple[Glob, ...], Parsed] = field(default_factory=dict)
    _configs: dict[tuple[tuple[str, str], ...], Config] = field(default_factory=dict)
    _texts: dict[str, bytes] = field(default_factory=dict)
    _last: tuple[str, dict[str, Entry]] | None = None
    _seen: set[str] = field(default_factory=set)

    def look(self, unit: PastUnit) -> Skipped | Failed | None:
        """Why a unit is not to be judged, None where it is. Of two that change the same lines, the later one is not."""
        try:
            found = self._prepared(unit)
        except SpexError as error:
            return Failed(unit.sha, str(error))
        return found if isinstance(found, Skipped) else None

    def judge(self, unit: PastUnit) -> Row | Skipped | Failed:
        """One unit. What git, a configuration or a diff cannot give is a failure of this unit alone."""
        try:
            found = self._prepared(unit)
            return found if isinstance(found, Skipped) else self._judged(found)
        except SpexError as error:
            return Failed(unit.sha, str(error))

    def forget(self) -> None:
        """No unit was seen before: the next ones are no duplicates of those that were looked at."""
        self._seen.clear()

    def _prepared(self, unit: PastUnit) -> _Ready | Skipped:
        changes = self.repo.tree_changes(unit.parent, unit.sha)
        entries = self._entries_at(unit.parent)
        config = self._config_at(entries)
        before = self._state_of(entries, config, changes)
        if not before.tree.specs:
            return Skipped(unit.sha, "no specs")
        contents = contents_of(self.repo, changes)
        if not changes_source(changes, {spec.path for spec in before.tree.specs}, contents):
            return Skipped(unit.sha, "no source")
        told = signature(changes)
        if told in self._seen:
            return Skipped(unit.sha, "duplicate")
        self._seen.update({told} - {""})
        return _Ready(unit, changes, entries, contents, config, before)

    def _judged(self, ready: _Ready) -> Row:
        unit, config, before = ready.unit, ready.config, ready.before
        hidden = hide(ready.changes, ready.entries, {spec.path for spec in before.tree.specs})
        after = self._state_of(hidden.entries, config, hidden.changes)
        there = {spec.path for spec in after.tree.specs}
        blobs = {blob for change in hidden.changes for blob in (change.old_blob, change.new_blob) if blob}
        contents = {blob: ready.contents[blob] for blob in blobs & ready.contents.keys()}
        contents |= claimed_contents(self.repo, hidden.changes, before, after, contents)
        change_set = ChangeSet("range", hidden.changes, base=unit.parent, head=unit.sha, contents=contents)
        if self.calibrating:
            config = config._replace(mode="graded", rules={}, thresholds=OPEN)
        source = in_git(self.repo, hidden.entries, after, self._memory.runs)
        every = len(before.tree.specs)
        report = check(
            change_set, before, after, config, source=source, shown=every, sections=False, memory=self._memory
        )
        gold = edited(hidden, there, ready.contents)
        known = {spec.path for spec in before.tree.specs}
        names = {path: old for path in there if (old := hidden.moved.get(path, path)) in known}
        rules = GRADED if self.calibrating else FLAGS
        return row_of(unit.sha, unit.parent, gold, report, names, rules)

    def _entries_at(self, sha: str) -> dict[str, Entry]:
        if self._last is None:
            entries = self.repo.list_tree(sha)
        else:
            entries = self.repo.stepped(self._last[1], self._last[0], sha)
        self._last = sha, entries
        return entries

    def _config_at(self, entries: Mapping[str, Entry]) -> Config:
        named = config_blobs(entries)
        key = tuple(sorted(named.items()))
        if key not in self._configs:
            blobs = self.repo.read_blobs(named.values(), MAX_SPEC)
            self._configs[key] = read_config({name: blobs[blob] for name, blob in named.items() if blob in blobs})
        return self._configs[key]

    def _state_of(self, entries: Mapping[str, Entry], config: Config, changes: Iterable[Change]) -> State:
        files = files_at(self.repo, entries, config, self._texts, both_sides(changes))
        self._texts = {entries[path].blob: text for path, text in files.texts.items()}
        parsed = self._parsed.setdefault(config.specs, Parsed(config.specs))
        return State(load_specs(files.texts, files.blobs, memory=parsed, problems=files.problems), files.blobs)
