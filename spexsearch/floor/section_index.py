"""Ranks the sections of specs, and specs by their best section.

BM25F over weighted fields (Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields", 2004):
a word of a field counts as often as the field weighs. k1 = 1.2, b = 0.75, without the constant factor k1 + 1, which
moves no section past another.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import nlargest
from typing import NamedTuple

from spexsearch.floor.collector import collector_off
from spexsearch.floor.fusion import reciprocal_rank
from spexsearch.floor.section_reading import DESC_WEIGHT, NAME_WEIGHT, IndexedSection, Reading
from spexsearch.floor.snippets import stands_as_phrase
from spexsearch.floor.tokens import root
from spexsearch.floor.vocabulary import Postings, Vocabulary
from spexsearch.specs.model import Spec

_K1 = 1.2
_B = 0.75
_PHRASE_FACTOR = 2
_SECTION_DIGITS = 4
_NODE_DIGITS = 2

Terms = Sequence[tuple[str, float]]
"""Lower-case words with their weights."""


class _Parts(NamedTuple):
    """What an index is made of, as `SectionIndex` tells it."""

    specs: tuple[Spec, ...]
    sections: tuple[IndexedSection, ...]
    owners: array[int]
    firsts: array[int]
    line_owners: list[int]
    line_starts: array[int]
    gone: frozenset[int]
    vocabulary: Vocabulary
    names: Postings
    descs: Postings
    texts: Postings
    lengths: array[int]
    desc_lengths: array[int]


class SectionIndex(_Parts):
    """The sections of specs, ready to be ranked.

    Specs and sections are known by numbers, which only grow: section i belongs to the spec `owners[i]`, whose sections
    are `range(firsts[spec], firsts[spec + 1])`. A spec that a refresh took away keeps its number (`gone`) and is never
    ranked. Lines are numbered as well: line i belongs to the section `line_owners[i]` and begins at `line_starts[i]` of
    the body. The first line of a section stands for its headings, the others are those of its prose; `texts` says where
    words stand by line. `lengths` counts the words of each section and of its spec's name, by weight; `desc_lengths`
    those of each spec's desc. `live` sections are ranked; the saturations say how slowly each one's score grows.
    """

    @classmethod
    @collector_off()
    def build(cls, specs: Iterable[Spec]) -> SectionIndex:
        """An index of specs. What it answers does not depend on their order."""
        reading = Reading(array("I", [0]), [], array("I"))
        reading.read(specs)
        by_root = reading.collector.by_root
        return cls(
            specs=tuple(reading.specs),
            sections=tuple(reading.sections),
            owners=reading.owners,
            firsts=reading.firsts,
            line_owners=reading.line_owners,
            line_starts=reading.line_starts,
            gone=frozenset(),
            names=Postings.build(by_root(reading.names)),
            descs=Postings.build(by_root(reading.descs)),
            texts=Postings.build(by_root(reading.texts), reading.line_owners),
            vocabulary=Vocabulary.build(reading.collector.roots),
            lengths=reading.lengths,
            desc_lengths=reading.desc_lengths,
        )

    def refreshed(self, specs: Iterable[Spec]) -> SectionIndex:
        """An index of these specs, which answers as one built anew; only specs that differ are read."""
        wanted = list(specs)
        new = {spec.path: spec for spec in wanted}
        gone = set(self.gone)
        for number, spec in enumerate(self.specs):
            if number in gone:
                continue
            if new.get(spec.path) == spec:
                del new[spec.path]
            else:
                gone.add(number)
        # What is gone still takes room and time. Of two specs at one path the table of new ones has lost one.
        if 2 * len(gone) > len(self.specs) or len({spec.path for spec in wanted}) < len(wanted):
            return self.build(wanted)
        return self._with(frozenset(gone), new.values())

    @collector_off()
    def _with(self, gone: frozenset[int], new: Iterable[Spec]) -> SectionIndex:
        reading = Reading(array("I", self.firsts), [*self.line_owners], array("I", self.line_starts))
        reading.read(new)
        by_root = reading.collector.by_root
        return SectionIndex(
            specs=(*self.specs, *reading.specs),
            sections=(*self.sections, *reading.sections),
            owners=self.owners + reading.owners,
            firsts=reading.firsts,
            line_owners=reading.line_owners,
            line_starts=reading.line_starts,
            gone=gone,
            names=self.names.with_added(by_root(reading.names)),
            descs=self.descs.with_added(by_root(reading.descs)),
            texts=self.texts.with_added(by_root(reading.texts), reading.line_owners),
            vocabulary=self.vocabulary.with_added(reading.collector.roots),
            lengths=self.lengths + reading.lengths,
            desc_lengths=self.desc_lengths + reading.desc_lengths,
        )

    # What every query needs is worked out once.

    @cached_property
    def _living(self) -> list[int]:
        return [number for number, spec in enumerate(self.owners) if spec not in self.gone]

    @cached_property
    def live(self) -> int:
        """How many sections are ranked."""
        return len(self._living)

    @cached_property
    def saturations(self) -> list[float]:
        """How slowly the score of each section grows."""
        return _saturations(self.lengths, self._living)

    @cached_property
    def node_saturations(self) -> list[float]:
        """The same for its share in the score of its spec, whose desc counts as its text."""
        with_desc = [
            length + DESC_WEIGHT * self.desc_lengths[spec]
            for length, spec in zip(self.lengths, self.owners, strict=True)
        ]
        return _saturations(with_desc, self._living)

    def rank(
        self,
        terms: Terms,
        *,
        phrase: Sequence[str] = (),
        limit: int | None = None,
        keep: Collection[str] | None = None,
    ) -> list[tuple[IndexedSection, float]]:
        """The sections that hold any of the words, best first, with their scores rounded to ten-thousandths.

        `phrase`: words that double the score where they stand one after the other. `limit`: how many are wanted.
        `keep`: the paths of the specs whose sections are wanted.
        """
        return self.best_of(self.scored(terms, keep), phrase, limit)

    def scored(self, terms: Terms, keep: Collection[str] | None = None) -> Scored:
        """Every section that holds any of the words, without regard to phrases."""
        gained, held = [0.0] * len(self.sections), [0.0] * len(self.sections)
        total = 0.0
        met = set[int]()
        saturations = self.saturations
        doubtful = False
        for weight, counted, _, half in self._answers(terms, with_descs=False):
            doubtful = doubtful or (half != "" and self.vocabulary.is_shared(half))
            rarity = weight * _idf(self.live, len(counted))
            total += rarity
            met.update(counted)
            for number, count in counted.items():
                gained[number] += rarity * count / (count + saturations[number])
                held[number] += rarity
        scores = {number: gained[number] * (held[number] / total) ** 2 for number in met}
        if keep is not None:
            scores = {number: score for number, score in scores.items() if self.sections[number].spec.path in keep}
        # The same weights were added in the same order: whoever holds all words has the very same sum.
        return Scored(scores, {number for number in scores if held[number] == total}, doubtful)

    def best_of(
        self, scored: Scored, phrase: Sequence[str] = (), limit: int | None = None
    ) -> list[tuple[IndexedSection, float]]:
        """The best of what was scored, as `rank` gives them."""
        scores = scored.scores
        if limit is not None and 0 < limit < len(scores):
            # A phrase lifts no section over this bound that stands too far below it.
            bound = nlargest(limit, scores.values())[-1] / _PHRASE_FACTOR
            scores = {number: score for number, score in scores.items() if score >= bound}
        found = []
        for number, score in scores.items():
            section = self.sections[number]
            if len(phrase) > 1 and number in scored.whole and stands_as_phrase(section.text, phrase):
                score *= _PHRASE_FACTOR
            found.append((section, round(score, _SECTION_DIGITS)))
        found.sort(key=lambda hit: (-hit[1], hit[0].place))
        return found[:limit]

    def best(
        self, paths: Collection[str], phrasings: Iterable[Terms], count: int = 3
    ) -> dict[str, list[tuple[IndexedSection, float]]]:
        """For each of these specs, by path, its sections that speak of what all the phrasings ask, best first.

        The phrasings are ranked apart, over all sections, and joined by reciprocal rank, which is the score. A spec of
        which no section holds a word is absent.
        """
        rankings = [[section for section, _ in self.rank(terms)] for terms in phrasings]
        found: dict[str, list[tuple[IndexedSection, float]]] = {}
        for section, score in fused(rankings):
            if section.spec.path in paths and len(chosen := found.setdefault(section.spec.path, [])) < count:
                chosen.append((section, score))
        return found

    def rank_nodes(
        self, terms: Terms, *, limit: int | None = None, keep: Collection[str] | None = None
    ) -> list[tuple[Spec, float, IndexedSection]]:
        """The specs that hold any of the words, best first, with their scores in hundredths and their best sections.

        A spec has the score of its best section, to which its desc counts, and for each word of its name how rare the
        word is among specs. `limit` and `keep` are those of `rank`.
        """
        scores, named, met = self._node_scores(terms)
        if keep is not None:
            met = {number for number in met if self.sections[number].spec.path in keep}
        best: dict[int, int] = {}
        least = -math.inf
        # From the best section down, of equal ones the upper first; the name can only lift a spec.
        for number in sorted(sorted(met), key=scores.__getitem__, reverse=True):
            if scores[number] < least:
                break
            if self.owners[number] not in best:
                best[self.owners[number]] = number
                if len(best) == limit:
                    least = round(scores[number], _NODE_DIGITS) - 10**-_NODE_DIGITS
        for spec in named.keys() - best.keys():
            number = max(range(self.firsts[spec], self.firsts[spec + 1]), key=scores.__getitem__)
            if number in met:
                best[spec] = number
        found = [
            (self.specs[spec], round(scores[number] + named.get(spec, 0.0), _NODE_DIGITS), self.sections[number])
            for spec, number in sorted(best.items())
        ]
        found.sort(key=lambda hit: (-hit[1], hit[0].path))
        return found[:limit]

    def _node_scores(self, terms: Terms) -> tuple[list[float], dict[int, float], set[int]]:
        """What each section scores, its spec's desc counted; what specs gain by name; which sections hold a word."""
        scores = [0.0] * len(self.sections)
        named: dict[int, float] = {}
        met = set[int]()
        saturations, owners = self.node_saturations, self.owners
        specs = len(self.specs) - len(self.gone)
        for weight, counted, names, _ in self._answers(terms, with_descs=True):
            rarity = weight * _idf(self.live, len(counted))
            met.update(counted)
            for number, count in counted.items():
                scores[number] += rarity * count / (count + saturations[number])
            if names:
                rarity = weight * _idf(specs, len(set(map(owners.__getitem__, counted))))
                for spec in names:
                    named[spec] = named.get(spec, 0.0) + rarity
        return scores, named, met

    def _answers(
        self, terms: Terms, *, with_descs: bool
    ) -> Iterator[tuple[float, dict[int, int], Mapping[int, int], str]]:
        """Each term's weight, how often it stands in each section and each spec's name, and itself if half-typed.

        A word that the corpus does not know is taken for a half-typed one; what starts no word either is passed over,
        as it tells no section from another.
        """
        for word, weight in terms:
            half = ""
            counted, names = self._counts((root(word),), with_descs)
            if not counted:
                half = word
                counted, names = self._counts(self.vocabulary.completions(word), with_descs)
            if counted:
                yield weight, counted, names, half

    def _counts(self, roots: Collection[str], with_descs: bool) -> tuple[dict[int, int], Mapping[int, int]]:
        counted, names = self.texts.counts(roots), self.names.counts(roots)
        self._spread(names, NAME_WEIGHT, counted)
        if with_descs:
            self._spread(self.descs.counts(roots), DESC_WEIGHT, counted)
        if self.gone:
            counted = {number: count for number, count in counted.items() if self.owners[number] not in self.gone}
        return counted, names

    def _spread(self, of_specs: Mapping[int, int], weight: int, counted: dict[int, int]) -> None:
        """What stands in a field of a spec stands in each of its sections."""
        firsts, known = self.firsts, counted.get
        for spec, times in of_specs.items():
            more = weight * times
            for number in range(firsts[spec], firsts[spec + 1]):
                counted[number] = known(number, 0) + more


class Scored(NamedTuple):
    """Sections by number with their scores, and those among them that hold every word.

    `doubtful`: a half-typed word was completed to a root that other words have too, so a section may hold only those.
    """

    scores: dict[int, float]
    whole: set[int]
    doubtful: bool = False


def fused(rankings: Iterable[Iterable[IndexedSection]]) -> list[tuple[IndexedSection, float]]:
    """Several rankings of sections as one, best first."""
    return sorted(reciprocal_rank(rankings).items(), key=lambda hit: (-hit[1], hit[0].place))


def _saturations(lengths: Sequence[int], living: Sequence[int]) -> list[float]:
    """How slowly the score of each section grows with the matches in it, its length considered."""
    mean = sum(lengths[number] for number in living) / len(living) if living else 1.0
    slope = _K1 * _B / (mean or 1.0)
    return [_K1 * (1 - _B) + slope * length for length in lengths]


def _idf(documents: int, frequency: int) -> float:
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))
