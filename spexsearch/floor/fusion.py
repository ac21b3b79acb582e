"""Joins several rankings of one question."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from math import fsum
from typing import TypeVar

_DAMPING = 60

Ranked = TypeVar("Ranked", bound=Hashable)


def phrasings(query: str | Sequence[str]) -> Sequence[str]:
    """The wordings of one question, however many were given."""
    return [query] if isinstance(query, str) else query


def reciprocal_rank(rankings: Iterable[Iterable[Ranked]]) -> dict[Ranked, float]:
    """Whatever any ranking holds, with the sum of 1 / (60 + its rank, from 1) over the rankings that hold it.

    Cormack, Clarke and Büttcher, "Reciprocal rank fusion", 2009. Rounded to a millionth; the same for any order of the
    rankings. A ranking names each thing once.
    """
    shares: dict[Ranked, list[float]] = {}
    for ranking in rankings:
        for rank, thing in enumerate(ranking, 1):
            shares.setdefault(thing, []).append(1 / (_DAMPING + rank))
    return {thing: round(fsum(given), 6) for thing, given in shares.items()}
