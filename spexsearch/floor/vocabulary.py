"""Postings by the roots of words, over a vocabulary that only grows."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, chain

from spexsearch.floor.tokens import partial_root, root, telling_forms

Occurrences = Mapping[str, list[int]]
"""Words as they are written, with the number of a document for each time that they stand in it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Postings:
    """Which documents hold words of which root: a document's number stands once for each occurrence.

    The postings of the root with number i are `documents[starts[i]:starts[i + 1]]`, ascending; `later` holds what was
    added after they were built.
    """

    numbers: Mapping[str, int]
    starts: array[int]
    documents: array[int]
    later: Mapping[str, array[int]] = field(default_factory=dict)

    @classmethod
    def build(cls, found: Mapping[str, list[int]]) -> Postings:
        """Postings of documents that are given by root."""
        for documents in found.values():
            documents.sort()
        starts = array("I", accumulate(map(len, found.values()), initial=0))
        numbers = {word: number for number, word in enumerate(found)}
        return cls(numbers, starts, array("I", chain.from_iterable(found.values())))

    def counts(self, roots: Iterable[str]) -> Counter[int]:
        """How often words of any of the roots stand in each document that holds one."""
        counted = Counter[int]()
        for word in roots:
            number = self.numbers.get(word)
            if number is not None:
                counted.update(self.documents[self.starts[number] : self.starts[number + 1]])
            if word in self.later:
                counted.update(self.later[word])
        return counted

    def with_added(self, found: Mapping[str, list[int]]) -> Postings:
        """The same postings and those of new documents. What is there already is shared, not copied."""
        later = dict(self.later)
        for word, documents in found.items():
            later[word] = later.get(word, array("I")) + array("I", sorted(documents))
        return Postings(self.numbers, self.starts, self.documents, later)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Vocabulary:
    """Every form of a word that was ever indexed, in one text between line feeds."""

    text: str = "\n"

    @classmethod
    def build(cls, forms: Iterable[str]) -> Vocabulary:
        """A vocabulary of these forms."""
        return cls("".join(["\n", *(f"{form}\n" for form in forms)]))

    def starting_with(self, beginning: str) -> Iterator[str]:
        """The forms that start so."""
        at = self.text.find(f"\n{beginning}")
        while at >= 0:
            end = self.text.index("\n", at + 1)
            yield self.text[at + 1 : end]
            at = self.text.find(f"\n{beginning}", end)

    def completions(self, word: str) -> tuple[str, ...]:
        """The roots of the words that a half-typed word starts, and the one that it extends if it is a partial -ing."""
        partial = partial_root(word)
        return tuple(dict.fromkeys([*map(root, self.starting_with(word)), *([partial] if partial else [])]))

    def with_added(self, forms: Iterable[str]) -> Vocabulary:
        """The vocabulary and these forms, some of them perhaps once more: to look for each would take longer."""
        return Vocabulary(self.text + "".join([f"{form}\n" for form in forms]))


class Collector:
    """Gives the documents of words as they are written by root, and stems each word once."""

    def __init__(self) -> None:
        """Nothing stemmed yet; `roots` comes to hold the root of each form that was met."""
        self.roots: dict[str, str] = {}

    def by_root(self, found: Occurrences) -> dict[str, list[int]]:
        """The documents of the words by the roots of all their forms."""
        documents: dict[str, list[int]] = {}
        known = self.roots
        for compound, numbers in found.items():
            met: set[str] = set()
            for form in telling_forms(compound):
                word = known.get(form)
                if word is None:
                    word = known[form] = root(form)
                # Parts of one identifier may have one root: it stands there once.
                if word in met:
                    continue
                met.add(word)
                if word in documents:
                    documents[word] += numbers
                else:
                    documents[word] = numbers.copy()
        return documents
