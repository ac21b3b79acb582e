"""Postings by the roots of words, over a vocabulary that only grows."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain

from spexsearch.floor.tokens import partial_root, root, telling_forms

Occurrences = Mapping[str, list[int]]
"""Words as they are written, with the number of a document for each time that they stand in it."""

# Sorts after every character that a form can hold.
_AFTER = "\uffff"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Postings:
    """Which documents hold words of which root: a document's number stands once for each occurrence.

    The postings of the root with number i are `documents[starts[i]:starts[i + 1]]`, in no order; `later` holds what was
    added after they were built. They are counted in every query, and a list hands over its numbers where an array makes
    new ones.
    """

    numbers: Mapping[str, int]
    starts: array[int]
    documents: list[int]
    later: Mapping[str, list[int]] = field(default_factory=dict)

    @classmethod
    def build(cls, found: Mapping[str, list[int]]) -> Postings:
        """Postings of documents that are given by root."""
        starts = array("I", accumulate(map(len, found.values()), initial=0))
        numbers = {word: number for number, word in enumerate(found)}
        return cls(numbers, starts, list(chain.from_iterable(found.values())))

    def counts(self, roots: Iterable[str]) -> dict[int, int]:
        """How often words of any of the roots stand in each document that holds one."""
        found = list(self._of(roots))
        if not found:
            return {}
        return Counter(found[0] if len(found) == 1 else chain.from_iterable(found))

    def _of(self, roots: Iterable[str]) -> Iterator[list[int]]:
        for word in roots:
            number = self.numbers.get(word)
            if number is not None:
                yield self.documents[self.starts[number] : self.starts[number + 1]]
            if word in self.later:
                yield self.later[word]

    def with_added(self, found: Mapping[str, list[int]]) -> Postings:
        """The same postings and those of new documents. What is there already is shared, not copied."""
        later = {**self.later, **{word: self.later.get(word, []) + documents for word, documents in found.items()}}
        return Postings(self.numbers, self.starts, self.documents, later)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Vocabulary:
    """Every form of a word that was ever indexed, with its root; `forms` holds them sorted."""

    roots: Mapping[str, str]
    forms: Sequence[str]

    @classmethod
    def build(cls, roots: Mapping[str, str]) -> Vocabulary:
        """A vocabulary of forms that are given with their roots."""
        return cls(roots, sorted(roots))

    def roots_of(self, beginning: str) -> set[str]:
        """The roots of the forms that start so."""
        first = bisect_left(self.forms, beginning)
        last = bisect_left(self.forms, beginning + _AFTER, first)
        return set(map(self.roots.__getitem__, self.forms[first:last]))

    def completions(self, word: str) -> set[str]:
        """The roots of the words that a half-typed word starts, and the one that it extends if it is a partial -ing."""
        partial = partial_root(word)
        return self.roots_of(word) | ({partial} if partial else set())

    def with_added(self, roots: Mapping[str, str]) -> Vocabulary:
        """The vocabulary and these forms."""
        new = [form for form in roots if form not in self.roots]
        return Vocabulary({**self.roots, **roots}, sorted([*self.forms, *new]))


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
            forms = telling_forms(compound)
            roots: Iterable[str]
            if len(forms) == 1:
                roots = (known.get(forms[0]) or self._root(forms[0]),)
            else:
                # Parts of one identifier may have one root: it stands there once.
                roots = dict.fromkeys([known.get(form) or self._root(form) for form in forms])
            for word in roots:
                if word in documents:
                    documents[word] += numbers
                else:
                    documents[word] = numbers.copy()
        return documents

    def _root(self, form: str) -> str:
        found = self.roots[form] = root(form)
        return found
