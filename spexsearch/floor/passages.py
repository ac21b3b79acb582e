"""Passages of specs, some ninety words each, by BM25: how much each spec says of a question at its best place."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from math import log
from typing import NamedTuple

from spexsearch.floor.tokens import compounds, telling_forms
from spexsearch.specs.model import Spec

Terms = Sequence[tuple[str, float]]
"""A weighted question: lower-case words, each once, and how much each weighs."""

K1, B = 1.5, 0.75
LENGTH = 63
"""Telling words in a passage; with the stop words between them some ninety words."""
NAMES = 0.5
"""How often a word of a spec's title or desc counts in each of its passages, for each time that it stands there."""

# Where a passage may end: before an empty line, a list item or a heading.
_BLOCKS = re.compile(r"\n(?=[ \t]*\n|[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]|#)")


class _Cut(NamedTuple):
    """One spec as its passages: words as they are written, each with its count."""

    names: Mapping[str, int]
    passages: tuple[Mapping[str, int], ...]
    lengths: tuple[float, ...]
    vocabulary: frozenset[str]


class PassageMemory:
    """Specs that were cut already, so that another state of the same tree costs only what differs."""

    def __init__(self) -> None:
        """Nothing is cut yet."""
        self._cut: dict[tuple[str, str, str], _Cut] = {}
        self._known: set[str] = set()
        self._written: defaultdict[str, list[str]] = defaultdict(list)

    def cut(self, spec: Spec) -> _Cut:
        """The passages of a spec."""
        key = (spec.title, spec.desc, spec.body)
        if key not in self._cut:
            found = self._cut[key] = _cut(spec)
            for word in found.vocabulary - self._known:
                for form in telling_forms(word):
                    self._written[form].append(word)
            self._known |= found.vocabulary
        return self._cut[key]

    def written(self, wanted: Iterable[str]) -> dict[str, list[str]]:
        """Word as some spec writes it -> the wanted words by which it is asked for."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for form in wanted:
            for word in self._written.get(form, ()):
                found[word].append(form)
        return found


def _cut(spec: Spec) -> _Cut:
    names = Counter(compounds(f"{spec.title} {spec.desc}"))
    passages = [Counter(words) for words in _passages(spec.body)]
    extra = NAMES * names.total()
    lengths = tuple(passage.total() + extra for passage in passages)
    return _Cut(names, tuple(passages), lengths, frozenset(chain(names, *passages)))


def _passages(body: str) -> Iterator[list[str]]:
    """The telling words of each passage, in order; one empty passage where there is no word."""
    passage: list[str] = []
    for words in map(compounds, _BLOCKS.split(body)):
        if passage and len(passage) + len(words) > LENGTH:
            yield passage
            passage = []
        passage += words
    yield passage


class _Words:
    def __init__(self, memory: PassageMemory, vocabulary: frozenset[str]) -> None:
        self._memory, self._vocabulary = memory, vocabulary

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and not self._vocabulary.isdisjoint(self._memory.written([word]))


class Passages:
    """The passages of the specs of one state."""

    def __init__(self, specs: Iterable[Spec], memory: PassageMemory | None = None) -> None:
        """`memory`: what was cut before, of other states."""
        self._memory = memory or PassageMemory()
        self._specs = [(spec.path, self._memory.cut(spec)) for spec in specs]
        self._owners = [path for path, cut in self._specs for _ in cut.lengths]
        lengths = [length for _, cut in self._specs for length in cut.lengths]
        mean = sum(lengths) / len(lengths) if lengths else 0.0
        self._norms = [K1 * (1 - B + B * length / mean) if mean else K1 for length in lengths]

    @cached_property
    def words(self) -> Container[str]:
        """The words that some spec of this state says."""
        return _Words(self._memory, frozenset().union(*(cut.vocabulary for _, cut in self._specs)))

    def best(self, questions: Sequence[Terms]) -> list[dict[str, float]]:
        """For each question, path -> score of the spec's best passage; only specs that share a word with it.

        Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) with ln(1 + (N − n + ½) /
        (n + ½)) for rarity, over passages; questions do not influence one another.
        """
        weights = self._weights({word for terms in questions for word, _ in terms})
        found = []
        for terms in questions:
            scores: defaultdict[int, float] = defaultdict(float)
            for word, weight in terms:
                for passage, worth in weights.get(word, ()):
                    scores[passage] += weight * worth
            best: dict[str, float] = {}
            for passage, score in scores.items():
                path = self._owners[passage]
                if score > best.get(path, 0.0):
                    best[path] = score
            found.append(best)
        return found

    def _weights(self, wanted: Collection[str]) -> dict[str, list[tuple[int, float]]]:
        """Word -> (passage, what one mention in a question is worth there)."""
        counts = self._counts(wanted)
        worth = {}
        for word, counted in counts.items():
            rarity = log(1 + (len(self._norms) - len(counted) + 0.5) / (len(counted) + 0.5)) * (K1 + 1)
            worth[word] = [
                (number, rarity * count / (count + self._norms[number])) for number, count in counted.items()
            ]
        return worth

    def _counts(self, wanted: Collection[str]) -> dict[str, dict[int, float]]:
        """Word -> passage -> how often it stands there."""
        written = self._memory.written(wanted)
        counts: defaultdict[str, dict[int, float]] = defaultdict(dict)
        first = 0
        for _, cut in self._specs:
            if not written.keys().isdisjoint(cut.vocabulary):
                names = [
                    (form, NAMES * cut.names[word]) for word in cut.names if word in written for form in written[word]
                ]
                for number, passage in enumerate(cut.passages, first):
                    own = [(form, passage[word]) for word in passage.keys() & written.keys() for form in written[word]]
                    for form, count in chain(own, names):
                        counts[form][number] = counts[form].get(number, 0.0) + count
            first += len(cut.passages)
        return counts
