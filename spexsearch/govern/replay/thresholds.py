"""Which score an error and a warning should need, by what the authors of one history did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spexsearch.govern.replay.rows import Row
from spexsearch.govern.replay.statistics import Flags, is_sweep, right_by_score

LEAST = 20
"""Flags from which a precision is believed: of twenty that are right nine times in ten, by chance sixteen may be."""

OPEN = {"error": 0.0, "warning": 0.0}
"""Thresholds that let everything through that may be an error or a warning at all."""


class Step(NamedTuple):
    """The flags with a score of at least `threshold`."""

    threshold: float
    flags: Flags


class Choice(NamedTuple):
    """One level: its steps from the highest score down, the precision that is wanted, and the step that gives it.

    `chosen` is the lowest step with that precision and `LEAST` flags, None where there is none.
    """

    level: str
    wanted: float
    steps: tuple[Step, ...]
    chosen: Step | None

    @property
    def is_known_too_little(self) -> bool:
        """Whether there are too few flags to tell."""
        return not self.steps or self.steps[-1].flags.count < LEAST


def calibrate(rows: Sequence[Row], errors: float, warnings: float) -> tuple[Choice, Choice]:
    """The thresholds for a wanted precision of errors, and of errors and warnings together.

    `rows` were judged with the thresholds `OPEN`. Units that sweep over the specs are left out.
    """
    rows = [row for row in rows if not is_sweep(row)]
    error = _choice("error", errors, rows, [row.errors for row in rows])
    warning = _choice("warning", warnings, rows, [(*row.errors, *row.warnings) for row in rows])
    return error, warning


def _choice(level: str, wanted: float, rows: Sequence[Row], flagged: Sequence[Sequence[str]]) -> Choice:
    edited = sum(len(row.gold) for row in rows)
    units = zip(rows, flagged, strict=True)
    pairs = [(row.scores.get(path, 0.0), path in row.gold) for row, paths in units for path in paths]
    steps = tuple(Step(score, Flags(count, right, edited)) for score, count, right in right_by_score(pairs))
    good = (s for s in reversed(steps) if s.flags.count >= LEAST and s.flags.right >= wanted * s.flags.count)
    return Choice(level, wanted, steps, next(good, None))


def thresholds(choices: Sequence[Choice]) -> dict[str, float]:
    """The thresholds that were chosen. A warning never needs more than an error."""
    found = {choice.level: choice.chosen.threshold for choice in choices if choice.chosen}
    if "error" in found and "warning" in found:
        found["warning"] = min(found.values())
    return found
