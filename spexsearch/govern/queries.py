"""Changes -> phrasings: the wordings in which a change asks which spec governs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import log
from typing import Literal

from spexsearch.floor.tokens import STOP_WORDS, identifier_parts
from spexsearch.govern.model import Change
from spexsearch.govern.significance import Effect
from spexsearch.govern.source.languages import KEYWORDS

MAX_TERMS = 400  # a term beyond the heaviest few hundred moves no rank, and a generated diff has hundreds of thousands

Terms = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Phrasing:
    """One wording: lower-case words and how often the change says each."""

    name: Literal["path", "units", "added", "removed"]
    words: tuple[tuple[str, int], ...]


def phrasings(change: Change, effect: Effect) -> tuple[Phrasing, ...]:
    """The wordings of one change: its paths, its changed units, and the identifiers on its changed lines."""
    paths = {change.path, change.before}
    # An extension is a word of its own, or `sessionStore.ts` would never be asked for as `sessionstore`.
    segments = [word for path in sorted(paths) for segment in path.split("/") for word in segment.split(".")]
    return (
        Phrasing("path", _count(segments)),
        Phrasing("units", _count(tuple(effect.units))),
        Phrasing("added", _count(effect.words_added)),
        Phrasing("removed", _count(effect.words_removed)),
    )


def weighted(asked: Iterable[Phrasing]) -> Terms:
    """Several phrasings as one weighted query: 1 + ln(count) a word, heaviest first, at most `MAX_TERMS`."""
    counts: Counter[str] = Counter()
    for phrasing in asked:
        for word, count in phrasing.words:
            counts[word] += count
    heaviest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_TERMS]
    return tuple((word, 1.0 + log(count)) for word, count in heaviest)


def wordings(asked: Iterable[Phrasing], most: int) -> list[Terms]:
    """The phrasings of several changes joined by their names, each a query of at most `most` words of its own."""
    by_name: dict[str, list[Phrasing]] = {}
    for phrasing in asked:
        by_name.setdefault(phrasing.name, []).append(phrasing)
    return [terms for _, same in sorted(by_name.items()) if (terms := weighted(same)[:most])]


def _count(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    counts: Counter[str] = Counter()
    for name, times in Counter(names).items():
        for part in identifier_parts(name):
            if len(part) > 1 and part not in KEYWORDS and part not in STOP_WORDS:
                counts[part] += times
    return tuple(sorted(counts.items()))
