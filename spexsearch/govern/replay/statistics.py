"""How good flags and scores are, counted over (unit, spec) pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from spexsearch.govern.replay.rows import Row

SWEEP = 10
"""A unit that edits more bodies than this goes over the specs; what it changes in the source does not say which."""

WANTED = 0.8
"""The precision at which the recall of the scores is told."""


@dataclass(frozen=True, slots=True)
class Flags:
    """A set of flags: how many, how many of them on specs that were edited, and how many specs were."""

    count: int
    right: int
    edited: int

    @property
    def precision(self) -> float | None:
        """None without a flag."""
        return self.right / self.count if self.count else None

    @property
    def recall(self) -> float | None:
        """None where no spec was edited."""
        return self.right / self.edited if self.edited else None


@dataclass(frozen=True, slots=True)
class Quality:
    """What some rows say.

    `answered`: units that edit a spec. `average_precision` and `recall`, that at the precision `WANTED`, are of the
    scores, None where no spec was edited. `hits`: units whose best spec is one that was edited. `loud`: units with an
    error that edit no spec.
    """

    units: int
    answered: int
    edited: int
    errors: Flags
    warnings: Flags
    both: Flags
    average_precision: float | None
    recall: float | None
    hits: int
    loud: int

    @property
    def quiet(self) -> int:
        """Units that edit no spec."""
        return self.units - self.answered


def is_sweep(row: Row) -> bool:
    """Whether the unit edits so many bodies that it is counted apart."""
    return len(row.gold) > SWEEP


def quality(rows: Sequence[Row]) -> Quality:
    """Count the rows."""
    edited = sum(len(row.gold) for row in rows)
    errors = _flags([(row.errors, row.gold) for row in rows], edited)
    warnings = _flags([(row.warnings, row.gold) for row in rows], edited)
    groups = right_by_score((score, path in row.gold) for row in rows for path, score in row.scores.items())
    return Quality(
        units=len(rows),
        answered=sum(bool(row.gold) for row in rows),
        edited=edited,
        errors=errors,
        warnings=warnings,
        both=Flags(errors.count + warnings.count, errors.right + warnings.right, edited),
        average_precision=_average_precision(groups, edited),
        recall=_recall(groups, edited),
        hits=sum(_first(row) in row.gold for row in rows),
        loud=sum(bool(row.errors) and not row.gold for row in rows),
    )


def _flags(sides: Iterable[tuple[Sequence[str], Sequence[str]]], edited: int) -> Flags:
    sets = [(set(flagged), set(gold)) for flagged, gold in sides]
    return Flags(sum(len(flagged) for flagged, _ in sets), sum(len(f & gold) for f, gold in sets), edited)


def right_by_score(pairs: Iterable[tuple[float, bool]]) -> list[tuple[float, int, int]]:
    """(score, pairs with that score or a higher one, those of them that are right), the highest score first."""
    found: list[tuple[float, int, int]] = []
    count = right = 0
    for score, same in groupby(sorted(pairs, key=lambda pair: -pair[0]), key=lambda pair: pair[0]):
        hits = [hit for _, hit in same]
        count, right = count + len(hits), right + sum(hits)
        found.append((score, count, right))
    return found


def _average_precision(groups: Iterable[tuple[float, int, int]], edited: int) -> float | None:
    """Pairs with one score count as found together, at the precision of the last of them."""
    total, before = 0.0, 0
    for _, count, right in groups:
        total, before = total + right / count * (right - before), right
    return total / edited if edited else None


def _recall(groups: Iterable[tuple[float, int, int]], edited: int) -> float | None:
    most = max((right for _, count, right in groups if right / count >= WANTED), default=0)
    return most / edited if edited else None


def _first(row: Row) -> str | None:
    return max(row.scores, key=lambda path: (row.scores[path], path), default=None)
