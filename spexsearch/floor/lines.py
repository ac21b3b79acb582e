"""The lines of ranked sections that may answer a query: an index tells where to look, the text decides."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

from spexsearch.floor.matching import Candidate, Matcher
from spexsearch.floor.section_index import SectionIndex
from spexsearch.floor.section_reading import IndexedSection


class Lines:
    """Where in some sections of an index the words of a query may stand: with one of the roots, or beginning so.

    A root is no proof that one of its words begins so, and a query may write in one piece what a text writes in parts.
    """

    def __init__(self, index: SectionIndex, matcher: Matcher, sections: Iterable[IndexedSection]) -> None:
        """Looks each sought word up once, for all the sections."""
        self._starts = index.line_starts
        owners = index.line_owners
        wanted = frozenset(section.number for section in sections)
        specs = frozenset(map(index.owners.__getitem__, wanted))
        self._rooted: dict[str, set[int]] = {}
        self._begun: dict[str, set[int]] = {}
        by_word: defaultdict[str, set[int]] = defaultdict(set)
        for sought, answered in matcher.answers.items():
            roots = matcher.roots[sought]
            kinds = (self._rooted, roots), (self._begun, index.vocabulary.roots_of(sought) - roots)
            for numbers, found in kinds:
                lines = index.texts.within(found, wanted)
                numbers[sought] = set(map(owners.__getitem__, lines))
                if named := index.names.within(found, specs):
                    numbers[sought].update(number for number in wanted if index.owners[number] in named)
                for word in answered:
                    by_word[word] |= lines
        self._by_section: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for line, count in Counter(chain.from_iterable(by_word.values())).items():
            self._by_section[owners[line]].append((-count, line))
        self._headings = {number: bisect_left(owners, number) for number in wanted}

    def rooted_in(self, section: IndexedSection) -> list[str]:
        """The sought words of which a section, or its names, hold a root."""
        return [sought for sought, numbers in self._rooted.items() if section.number in numbers]

    def begun_in(self, section: IndexedSection) -> list[str]:
        """The other sought words with which a word of a section, or of its names, may begin."""
        return [
            sought
            for sought, numbers in self._begun.items()
            if section.number in numbers and section.number not in self._rooted[sought]
        ]

    def of(self, section: IndexedSection, *, heading: bool) -> Iterator[Candidate]:
        """The lines of a section, with that of its heading or without.

        Those that may hold most first, upper ones first.
        """
        body = section.spec.body
        first = self._headings[section.number]
        if not (heading and section.level):
            first += 1
        for fewest, line in sorted(self._by_section[section.number]):
            if line >= first:
                start = self._starts[line]
                end = body.find("\n", start, section.end)
                yield -fewest, line, body[start : end if end >= 0 else section.end]
