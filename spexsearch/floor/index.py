"""An inverted index over the specs of a tree: a query touches only the postings of its own words.

The ranking is the floor's: names above descriptions above bodies, BM25 saturation, k1 = 1.2, b = 0.4 (Robertson and
Zaragoza, "The Probabilistic Relevance Framework", 2009), natural idf without smoothing.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from spexsearch.floor.collector import collector_off
from spexsearch.floor.order import tie_key
from spexsearch.floor.tokens import SHORTEST_BEGINNING, stem, words
from spexsearch.specs.model import Spec, walk_order

_K1 = 1.2
_B = 0.4
_GAIN = _K1 + 1
_NAME_WEIGHT = 8
_NAME_LEAST_SHARE = 0.5
_NAME_PART_WEIGHT = 5
_DESC_WEIGHT = 2.2
_TERM_CAP = 8
# Sorts after every character that a word can hold.
_AFTER = "\uffff"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Postings:
    """Which documents hold which words, and how often, for one field.

    `words` is sorted; the postings of word i are `documents[starts[i]:starts[i + 1]]` and the same slice of `counts`,
    so that the words with one beginning are one slice. `word_lengths` are the lengths that occur, ascending; `lengths`
    the number of words of each document.
    """

    words: Sequence[str]
    starts: array[int]
    documents: array[int]
    counts: array[int]
    word_lengths: Sequence[int]
    lengths: Sequence[int]

    @classmethod
    def build(cls, documents: Iterable[Mapping[str, int]]) -> Postings:
        """Postings of documents that are given, in order, by the counts of their words."""
        found: dict[str, list[int]] = {}
        lengths: list[int] = []
        for number, counts in enumerate(documents):
            lengths.append(sum(counts.values()))
            for word, count in counts.items():
                posting = found.get(word)
                if posting is None:
                    found[word] = [number, count]
                else:
                    posting += (number, count)
        vocabulary = sorted(found)
        starts, numbers, totals = array("I", [0]), array("I"), array("I")
        for word in vocabulary:
            posting = found[word]
            numbers.extend(posting[0::2])
            totals.extend(posting[1::2])
            starts.append(len(numbers))
        return cls(vocabulary, starts, numbers, totals, sorted({len(word) for word in vocabulary}), lengths)

    @property
    def mean_length(self) -> float:
        """The mean number of words of a document; 1 where no document has any, so that it can divide."""
        return sum(self.lengths) / len(self.lengths) if any(self.lengths) else 1.0

    def starting_with(self, beginning: str) -> range:
        """The numbers of the words that start so."""
        first = bisect_left(self.words, beginning)
        return range(first, bisect_left(self.words, beginning + _AFTER, first))

    def beginnings_of(self, term: str, shorter_than: int) -> Iterator[int]:
        """The numbers of the words that the term starts with, and that are shorter than given.

        Only lengths that occur are tried: their number grows with the square root of the text, whatever the term.
        """
        for length in self.word_lengths:
            if length >= shorter_than:
                return
            if length >= SHORTEST_BEGINNING:
                number = bisect_left(self.words, term[:length])
                if number < len(self.words) and self.words[number] == term[:length]:
                    yield number

    def occurrences(self, term: str) -> dict[int, int]:
        """How often each document holds words that answer the term; documents without one are absent."""
        beginning = stem(term)
        longer = self.starting_with(beginning)
        found = dict[int, int]()
        self._add(longer.start, longer.stop, found)
        for number in self.beginnings_of(term, len(beginning)):
            self._add(number, number + 1, found)
        return found

    def _add(self, first: int, last: int, found: dict[int, int]) -> None:
        where = slice(self.starts[first], self.starts[last])
        postings = zip(self.documents[where], self.counts[where], strict=True)
        if last - first == 1 and not found:
            found.update(postings)
            return
        known = found.get
        for document, count in postings:
            found[document] = known(document, 0) + count


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NodeIndex:
    """The specs of a tree, ready to be ranked. A spec's number is its place in `specs`, the order of equal scores.

    `names` holds the lower-cased titles and ids, joined, `name_starts` where each begins; `desc_scores` what a match in
    each desc weighs, `saturations` how slowly each body's matches do, its length considered.
    """

    specs: tuple[Spec, ...]
    names: str
    name_starts: Sequence[int]
    name: Postings
    desc: Postings
    body: Postings
    desc_scores: Sequence[float]
    saturations: Sequence[float]

    @classmethod
    def build(cls, specs: Iterable[Spec]) -> NodeIndex:
        """An index of specs, the same whatever order they are given in."""
        with collector_off():
            ranked = tuple(sorted(sorted(specs, key=lambda spec: walk_order(spec.path)), key=tie_key))
            names = [f"{spec.title} {spec.id}".lower() for spec in ranked]
            name = Postings.build(Counter(words(text)) for text in names)
            desc = Postings.build(Counter(words(spec.desc)) for spec in ranked)
            body = Postings.build(Counter(words(spec.body)) for spec in ranked)
        return cls(
            specs=ranked,
            names="\n".join(names),
            name_starts=_starts(names),
            name=name,
            desc=desc,
            body=body,
            desc_scores=[_DESC_WEIGHT * (_GAIN / (1 + saturation)) for saturation in _saturations(desc)],
            saturations=_saturations(body),
        )

    def rank(self, terms: Iterable[tuple[str, float]]) -> list[tuple[int, float]]:
        """The specs that answer any of the (term, weight), best first, as (number, score rounded to hundredths).

        Terms are words as `tokens.words` gives them. A term gives a spec at most eight times its weight; what the terms
        give is summed in their order.
        """
        scores: dict[int, float] = {}
        known = scores.get
        for term, weight in terms:
            idf, tiers = self._tiers(term)
            for number, tier in tiers.items():
                given = tier * idf
                scores[number] = known(number, 0.0) + weight * (given if given < _TERM_CAP else _TERM_CAP)
        # Not floor(x + 0.5), which would lift what lies just below a half.
        found = [
            (number, (scaled // 1 + (scaled % 1 >= 0.5)) / 100)
            for number in sorted(scores)
            if (scaled := 100 * scores[number]) > 0
        ]
        found.sort(key=itemgetter(1), reverse=True)
        return found

    def _tiers(self, term: str) -> tuple[float, Mapping[int, float]]:
        """The term's idf, and for each spec that answers it the weight of the first tier that applies."""
        in_names = self._name_scores(term)
        saturations, desc_scores = self.saturations, self.desc_scores
        tiers = {
            number: count * _GAIN / (count + saturations[number])
            for number, count in self.body.occurrences(term).items()
        }
        tiers.update((number, desc_scores[number]) for number in self.desc.occurrences(term))
        tiers.update(in_names)
        # The term inside a word of the name lifts a spec, but does not make the term less rare.
        frequency = len(tiers)
        if frequency in (0, len(self.specs)):
            return 0.0, {}
        tiers.update((number, _NAME_PART_WEIGHT) for number in self._names_holding(term) if number not in in_names)
        return math.log(len(self.specs) / frequency), tiers

    def _name_scores(self, term: str) -> dict[int, float]:
        """The specs with a word of the name that starts with the term's stem; the more of the word it is, the more."""
        beginning = stem(term)
        postings = self.name
        shares: dict[int, float] = {}
        for word in postings.starting_with(beginning):
            share = max(_NAME_LEAST_SHARE, len(beginning) / len(postings.words[word]))
            for number in postings.documents[postings.starts[word] : postings.starts[word + 1]]:
                shares[number] = max(share, shares.get(number, 0.0))
        return {number: _NAME_WEIGHT * share for number, share in shares.items()}

    def _names_holding(self, term: str) -> Iterator[int]:
        """The specs whose name holds the term anywhere. No term holds the line feed between two names."""
        at = self.names.find(term)
        while at >= 0:
            following = bisect_left(self.name_starts, at + 1)
            yield following - 1
            if following == len(self.name_starts):
                return
            at = self.names.find(term, self.name_starts[following])


def _starts(texts: Iterable[str]) -> list[int]:
    starts, at = [], 0
    for text in texts:
        starts.append(at)
        at += len(text) + 1
    return starts


def _saturations(field: Postings) -> list[float]:
    mean = field.mean_length
    return [_K1 * (1 - _B + _B * length / mean) for length in field.lengths]
