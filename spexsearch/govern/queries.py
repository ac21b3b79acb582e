"""Changes -> phrasings: the wordings in which a change asks which spec governs it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable
from math import log
from typing import Literal, NamedTuple

from spexsearch.floor.passages import Terms
from spexsearch.floor.tokens import STOP_WORDS, identifier_parts
from spexsearch.govern.model import Change
from spexsearch.govern.significance import Effect
from spexsearch.govern.source.languages import KEYWORDS

MAX_TERMS = 400  # a term beyond the heaviest few hundred moves no rank, and a generated diff has hundreds of thousands

Name = Literal["path", "units", "added", "removed", "prose"]
CODE: tuple[Name, ...] = ("path", "units", "added", "removed")
PROSE: tuple[Name, ...] = ("prose",)
"""The wordings that say what a change does, and those in which people say it."""

_EXTENSION_OR_FOLDER = re.compile(r"[/.]")


class Phrasing(NamedTuple):
    """One wording: lower-case words and how often the change says each."""

    name: Name
    words: tuple[tuple[str, int], ...]


def phrasings(change: Change, effect: Effect) -> tuple[Phrasing, ...]:
    """The wordings of one change: its paths, its changed units, identifiers that one side has more often, and prose.

    Prose are changed comments, or the words of a document; a document has no other.
    """
    added, removed = Counter(effect.words_added), Counter(effect.words_removed)
    only_added, only_removed = added - removed, removed - added
    if effect.kind == "doc":
        return (Phrasing("prose", _count(only_added + only_removed)),)
    # An extension is a word of its own, or `sessionStore.ts` would never be asked for as `sessionstore`.
    segments = [word for path in sorted({change.path, change.before}) for word in _EXTENSION_OR_FOLDER.split(path)]
    return (
        Phrasing("path", _count(Counter(segments))),
        Phrasing("units", _count(Counter(list(effect.units)))),
        Phrasing("added", _count(only_added)),
        Phrasing("removed", _count(only_removed)),
        Phrasing("prose", _count(Counter(effect.words_commented))),
    )


def weighted(
    asked: Iterable[Phrasing], names: Collection[Name] = (*CODE, *PROSE), known: Container[str] | None = None
) -> Terms:
    """Phrasings of some names as one question: 1 + ln(count) a word, heaviest first, at most `MAX_TERMS`.

    `known`: the words that can be answered; others must not take the place of one of these.
    """
    counts: Counter[str] = Counter()
    for phrasing in asked:
        if phrasing.name in names:
            for word, count in phrasing.words:
                if known is None or word in known:
                    counts[word] += count
    heaviest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_TERMS]
    return tuple((word, 1.0 + log(count)) for word, count in heaviest)


def wordings(asked: Iterable[Phrasing], most: int) -> list[Terms]:
    """The phrasings of several changes joined by their names, each a question of at most `most` words of its own."""
    by_name: dict[str, list[Phrasing]] = {}
    for phrasing in asked:
        by_name.setdefault(phrasing.name, []).append(phrasing)
    return [terms for _, same in sorted(by_name.items()) if (terms := weighted(same)[:most])]


def _count(names: Counter[str]) -> tuple[tuple[str, int], ...]:
    counts: Counter[str] = Counter()
    for name, times in names.items():
        for part in identifier_parts(name):
            if len(part) > 1 and part not in KEYWORDS and part not in STOP_WORDS:
                counts[part] += times
    return tuple(sorted(counts.items()))
