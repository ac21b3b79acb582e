"""What every rule looks at: the changes with what they do, and the specs and files before and after them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from spexsearch.govern.config import Config
from spexsearch.govern.holds import Hold, Judged
from spexsearch.govern.memory import Memory
from spexsearch.govern.model import Change, ChangeSet, State
from spexsearch.govern.report import Governing
from spexsearch.govern.settle import by_path, moved_specs
from spexsearch.govern.units import Outline
from spexsearch.govern.vanished import Vanished
from spexsearch.specs.claims import ClaimIndex, normal
from spexsearch.specs.model import Spec


class Judgement:
    """Everything that a rule may rest on. `held` is by spec path at the head; the rest as `evidence.Matter` has it."""

    def __init__(
        self,
        change_set: ChangeSet,
        judging: tuple[Judged, ...],
        governing: Sequence[Governing],
        held: Mapping[str, Sequence[Hold]],
        before: State,
        after: State,
        claims_before: ClaimIndex,
        claims_after: ClaimIndex,
        config: Config,
        newcomers: frozenset[str] = frozenset(),
        vanished: Sequence[Vanished] = (),
        memory: Memory | None = None,
    ) -> None:
        self.change_set, self.judging, self.governing, self.held = change_set, judging, governing, held
        self.before, self.after, self.claims_before, self.claims_after = before, after, claims_before, claims_after
        self.config, self.newcomers, self.vanished, self.memory = config, newcomers, vanished, memory or Memory()

    @cached_property
    def specs(self) -> dict[str, Spec]:
        """The specs by path: as they are at the head, or, where they are gone, as they were."""
        return by_path(self.before.tree) | by_path(self.after.tree)

    @cached_property
    def specs_before(self) -> dict[str, Spec]:
        """The specs of the base by their paths at the head."""
        return {self.moved.get(spec.path, spec.path): spec for spec in self.before.tree.specs}

    @cached_property
    def above_new(self) -> frozenset[str]:
        """The specs, by their paths at the head, below which a new one stands that says something."""
        parents = self.after.tree.parents
        found: set[str] = set()
        new = {spec.path for spec in self.after.tree.specs if spec.body.strip()} - self.specs_before.keys()
        for path in new:
            while (path := parents.get(path, "")) and path not in found:
                found.add(path)
        return frozenset(found)

    @cached_property
    def unmoved(self) -> dict[str, str]:
        """Path at the head -> path at the base, for renamed files."""
        return {new: old for old, new in self.moved.items()}

    @cached_property
    def moved(self) -> dict[str, str]:
        """Path at the base -> path at the head, for renamed files."""
        return moved_specs(self.change_set.changes)

    @cached_property
    def changes(self) -> dict[str, Change]:
        """The changes by their paths at the head; deleted files by the paths they had."""
        return {change.path: change for change in self.change_set.changes}

    def outline(self, state: State, path: str) -> Outline | None:
        """The units of a file in one state; None where it is not there, was not read, or has no units."""
        data = self.change_set.contents.get(self._blob(state, path))
        return None if data is None else self.memory.outline(path, data)

    def is_read(self, state: State, path: str) -> bool:
        """Whether the contents of a file are at hand."""
        return self._blob(state, path) in self.change_set.contents

    def _blob(self, state: State, path: str) -> str:
        if path in state.files or path.isascii():
            return state.files.get(path, "")
        # A claim may write an accented letter otherwise than the file system does.
        return next((blob for own, blob in state.files.items() if normal(own) == normal(path)), "")

    def line_of(self, change: Change, symbol: str) -> int:
        """The line of the new side where a change of that unit begins, or where the unit itself does."""
        units = self.outline(self.after, change.path)
        for unit in units.find(symbol) if units else ():
            added = (line.number for line in change.added if unit.start <= line.number <= unit.end)
            near = (hunk.new_start for hunk in change.hunks if unit.start <= hunk.new_start <= unit.end)
            return next(added, next(near, unit.start))
        return first_line(change)


def first_line(change: Change) -> int:
    """The line of the new side where a change begins."""
    if change.added:
        return change.added[0].number
    return max(1, change.hunks[0].new_start) if change.hunks else 1
