"""Reads specs into what an index of sections holds of them."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate, repeat

from spexsearch.floor.tokens import compounds, note_compounds
from spexsearch.floor.vocabulary import Collector
from spexsearch.specs.markdown import sections
from spexsearch.specs.model import Spec

NAME_WEIGHT = 3
DESC_WEIGHT = 2
TRAIL_WEIGHT = 2


class IndexedSection:
    """One section of a spec, by its number; its text is `spec.body[start:end]`.

    A spec without a body has one section, empty, where the body would begin. Each equals itself alone.
    """

    __slots__ = ("end", "heading", "level", "line", "number", "spec", "start", "trail")

    def __init__(
        self, number: int, spec: Spec, heading: str, trail: tuple[str, ...], level: int, line: int, start: int, end: int
    ) -> None:
        self.number, self.spec = number, spec
        self.heading, self.trail, self.level = heading, trail, level
        self.line, self.start, self.end = line, start, end

    @property
    def text(self) -> str:
        """The section's lines, heading line and all."""
        return self.spec.body[self.start : self.end]

    @property
    def prose(self) -> str:
        """The text without the line of its heading, which counts as heading."""
        return self.text.partition("\n")[2] if self.level else self.text

    @property
    def place(self) -> tuple[str, int]:
        """Sorts sections of equal score."""
        return self.spec.path, self.line


class Reading:
    """Specs as they are read: everything an index holds of them, numbered on from what is there already."""

    def __init__(self, firsts: array[int], line_owners: list[int], line_starts: array[int]) -> None:
        """`firsts`: those of the specs that are there, ended by the number of the next section.

        `line_owners`, `line_starts`: the sections of the lines that are there, and where in its spec each begins. Each
        section has a line for its headings first, and then those of its prose.
        """
        self.firsts = firsts
        self.line_owners = line_owners
        self.line_starts = line_starts
        self.specs: list[Spec] = []
        self.sections: list[IndexedSection] = []
        self.owners, self.lengths, self.desc_lengths = array("I"), array("I"), array("I")
        self.collector = Collector()
        self.names: defaultdict[str, list[int]] = defaultdict(list)
        self.descs: defaultdict[str, list[int]] = defaultdict(list)
        self.texts: defaultdict[str, list[int]] = defaultdict(list)

    def read(self, specs: Iterable[Spec]) -> None:
        """Take specs in."""
        for spec in specs:
            number = len(self.firsts) - 1
            self.specs.append(spec)
            self.desc_lengths.append(_note(self.descs, spec.desc, number))
            name_length = NAME_WEIGHT * _note(self.names, f"{spec.title} {spec.id}", number)
            section = self.firsts[-1]
            for indexed in _sections(spec, section):
                self.sections.append(indexed)
                self.owners.append(number)
                self.lengths.append(name_length + self._read_lines(indexed))
                section += 1
            self.firsts.append(section)

    def _read_lines(self, section: IndexedSection) -> int:
        """Take the lines of a section in; how many words it holds, by weight."""
        # Only a title can hold a line feed.
        headings = " ".join(section.trail * TRAIL_WEIGHT).replace("\n", " ")
        prose = section.prose
        length = note_compounds(f"{headings}\n{prose}", len(self.line_owners), self.texts)
        *before, _ = (len(line) + 1 for line in prose.split("\n"))
        self.line_starts.append(section.start)
        self.line_starts.extend(accumulate(before, initial=section.end - len(prose)))
        self.line_owners.extend(repeat(section.number, len(before) + 2))
        return length


def _note(found: defaultdict[str, list[int]], text: str, number: int) -> int:
    """Add a document's words as they are written; how many there are."""
    written = compounds(text)
    for word in written:
        found[word].append(number)
    return len(written)


def _sections(spec: Spec, first: int) -> Iterator[IndexedSection]:
    start = 0
    for number, section in enumerate(sections(spec), first):
        end = start + len(section.text)
        yield IndexedSection(number, spec, section.heading, section.trail, section.level, section.line, start, end)
        start = end + 1
    if not spec.body:
        yield IndexedSection(first, spec, spec.title, (spec.title,), 0, spec.body_line, 0, 0)
