"""Postings by the roots of words, over a vocabulary that only grows."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, compress
from typing import NamedTuple

from spexsearch.floor.tokens import partial_root, root, telling_forms

Occurrences = Mapping[str, list[int]]
"""Words as they are written, with the number of a place for each time that they stand there."""

# Sorts after every character that a form can hold.
_AFTER = "\uffff"


class Postings(NamedTuple):
    """Where words of which root stand: the number of a place, and that of its document, once for each occurrence.

    The postings of the root with number i are `places[starts[i]:starts[i + 1]]`, in no order, and the same slice of
    `documents`; `later` holds both of what was added after they were built. Documents are counted in every query, and
    a list hands over its numbers where an array makes new ones.
    """

    numbers: Mapping[str, int]
    starts: array[int]
    places: array[int]
    documents: list[int]
    later: Mapping[str, tuple[list[int], array[int]]] = {}

    @classmethod
    def build(cls, found: Mapping[str, list[int]], owners: Sequence[int] | None = None) -> Postings:
        """Postings of places that are given by root. `owners`: the document of each place, if it is not one itself."""
        starts = array("I", accumulate(map(len, found.values()), initial=0))
        numbers = {word: number for number, word in enumerate(found)}
        places = list(chain.from_iterable(found.values()))
        return cls(numbers, starts, array("I", places), _documents(places, owners))

    def counts(self, roots: Iterable[str]) -> dict[int, int]:
        """How often words of any of the roots stand in each document that holds one."""
        found = [documents for documents, _, _ in self._of(roots)]
        if not found:
            return {}
        # Setting an item of a Counter takes three times as long as one of a dict.
        return dict(Counter(found[0] if len(found) == 1 else chain.from_iterable(found)))

    def within(self, roots: Iterable[str], wanted: frozenset[int]) -> set[int]:
        """The places of words of any of the roots in the documents that are wanted."""
        found = set[int]()
        for documents, places, start in self._of(roots):
            if not wanted.isdisjoint(documents):
                there = places[start : start + len(documents)]
                found.update(compress(there, map(wanted.__contains__, documents)))
        return found

    def _of(self, roots: Iterable[str]) -> Iterator[tuple[list[int], array[int], int]]:
        """The documents of each root that is there, and in which array, from where on, their places stand."""
        for word in roots:
            number = self.numbers.get(word)
            if number is not None:
                start = self.starts[number]
                yield self.documents[start : self.starts[number + 1]], self.places, start
            if word in self.later:
                yield *self.later[word], 0

    def with_added(self, found: Mapping[str, list[int]], owners: Sequence[int] | None = None) -> Postings:
        """The same postings and those of new places. What is there already is shared, not copied."""
        later = dict(self.later)
        for word, new in found.items():
            documents, places = later.get(word, ([], array("I")))
            later[word] = documents + _documents(new, owners), places + array("I", new)
        return Postings(self.numbers, self.starts, self.places, self.documents, later)


def _documents(places: list[int], owners: Sequence[int] | None) -> list[int]:
    return places if owners is None else [owners[place] for place in places]


class Vocabulary(NamedTuple):
    """Every form of a word that was ever indexed, with its root; `forms` holds them sorted."""

    roots: Mapping[str, str]
    forms: Sequence[str]

    @classmethod
    def build(cls, roots: Mapping[str, str]) -> Vocabulary:
        """A vocabulary of forms that are given with their roots."""
        return cls(roots, sorted(roots))

    def roots_of(self, beginning: str) -> set[str]:
        """The roots of the forms that start so."""
        return set(map(self.roots.__getitem__, self._starting(beginning)))

    def is_shared(self, beginning: str) -> bool:
        """Whether the root of a form that starts so is that of another, too: it alone does not tell them apart."""
        roots = self.roots_of(beginning)
        # Stemming changes ends: forms with one root have their first letters in common.
        near = self._starting(beginning[:2])
        return any(self.roots[form] in roots and not form.startswith(beginning) for form in near)

    def _starting(self, beginning: str) -> Sequence[str]:
        first = bisect_left(self.forms, beginning)
        return self.forms[first : bisect_left(self.forms, beginning + _AFTER, first)]

    def completions(self, word: str) -> set[str]:
        """The roots of the words that a half-typed word starts, and the one that it extends if it is a partial -ing."""
        partial = partial_root(word)
        return self.roots_of(word) | ({partial} if partial else set())

    def with_added(self, roots: Mapping[str, str]) -> Vocabulary:
        """The vocabulary and these forms."""
        new = [form for form in roots if form not in self.roots]
        return Vocabulary({**self.roots, **roots}, sorted([*self.forms, *new]))


class Collector:
    """Gives the places of words as they are written by root, and stems each word once."""

    def __init__(self) -> None:
        """Nothing stemmed yet; `roots` comes to hold the root of each form that was met."""
        self.roots: dict[str, str] = {}

    def by_root(self, found: Occurrences) -> dict[str, list[int]]:
        """The places of the words by the roots of all their forms."""
        places: dict[str, list[int]] = {}
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
                if word in places:
                    places[word] += numbers
                else:
                    places[word] = numbers.copy()
        return places

    def _root(self, form: str) -> str:
        found = self.roots[form] = root(form)
        return found
