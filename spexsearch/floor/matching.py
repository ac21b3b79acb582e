"""Which words of a query stand in a text, and where. Asks the text alone, so that no other spec changes the answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spexsearch.floor.tokens import compound_at, compounds, partial_root, root, telling_forms

Candidate = tuple[int, int, str]
"""A line that may answer: how many words it holds at most, its place among the others, its text."""


class Match(NamedTuple):
    """A word as it is written, from `start` to `end`, and the words of the query that it answers."""

    start: int
    end: int
    words: frozenset[str]


class Matcher:
    """Finds the words of one query. A word answers if it has a sought word's root or starts with the sought word.

    An identifier is sought by its parts; whoever writes it in one piece answers them all. `words` are those of the
    query, `answers` tells of everything that is sought which of them it answers, `roots` what roots answer it.
    """

    def __init__(self, query: str) -> None:
        """Any text."""
        self.answers: dict[str, dict[str, None]] = {}
        for compound in compounds(query):
            if forms := telling_forms(compound):
                parts = forms[:-1] or forms
                for part in parts:
                    self.answers.setdefault(part, {})[part] = None
                self.answers.setdefault(forms[-1], {}).update(dict.fromkeys(parts))
        self.words = tuple(dict.fromkeys(word for answered in self.answers.values() for word in answered))
        self.roots = {word: {root(word), partial_root(word) or root(word)} for word in self.answers}
        # Every word with a root begins with it, but for a y that became an i.
        self._beginnings = {
            sought: (min((found.removesuffix("i") for found in roots), key=len) or sought[0]).encode()
            for sought, roots in self.roots.items()
        }
        self._sought = tuple(self.answers)
        self._by_root: defaultdict[str, set[str]] = defaultdict(set)
        for sought, roots in self.roots.items():
            for found in roots:
                self._by_root[found].update(self.answers[sought])
        self._known: dict[bytes, frozenset[str]] = {}

    def matches(self, text: str) -> list[Match]:
        """Every written word that answers, in order."""
        data = _encoded(text)
        found = sorted(self._found(data).items())
        matches: list[Match] = []
        seen = at = 0
        for start, (end, words) in found:
            at += len(_decoded(data[seen:start]))
            length = len(_decoded(data[start:end]))
            matches.append(Match(at, at + length, words))
            seen, at = end, at + length
        return matches

    def _found(self, data: bytes) -> dict[int, tuple[int, frozenset[str]]]:
        """The starts of the written words that answer, with their ends and what they answer."""
        low = data.lower()
        found: dict[int, tuple[int, frozenset[str]]] = {}
        for beginning in set(self._beginnings.values()):
            for start, end in _compounds_with(data, low, beginning):
                if start not in found and (words := self._answered(data[start:end])):
                    found[start] = end, words
        return found

    def answered_by(self, sought: Iterable[str]) -> frozenset[str]:
        """The words that are answered where these sought words stand."""
        return frozenset[str]().union(*map(self.answers.__getitem__, sought))

    def held(self, text: str, begun: Iterable[str] | None = None) -> frozenset[str]:
        """The words that stand in a text. `begun`: what alone is sought, and at the beginning of words only."""
        held = frozenset[str]()
        data = _encoded(text)
        low = data.lower()
        missing: list[bytes] = []
        for sought in self.answers if begun is None else begun:
            answered = self.answers[sought]
            beginning = self._beginnings[sought] if begun is None else sought.encode()
            if held.issuperset(answered):
                continue
            for start, end in _compounds_with(data, low, beginning):
                held |= self._answered(data[start:end])
                if held.issuperset(answered):
                    break
            else:
                missing.append(beginning)
        return held | self._held_apart(text, low, missing) if missing else held

    def _held_apart(self, text: str, low: bytes, missing: Sequence[bytes]) -> frozenset[str]:
        """The words that a query writes in one piece and the text in parts, so that they begin nowhere in the text."""
        joined = low.translate(None, b"-_")
        missing = [found for found in missing if found in joined and joined.count(found) > low.count(found)]
        if not missing:
            return frozenset()
        apart = {compound.encode() for compound in compounds(text) if "-" in compound or "_" in compound}
        found = [
            self._answered(compound)
            for compound in apart
            if any(beginning in compound.lower().translate(None, b"-_") for beginning in missing)
        ]
        return frozenset[str]().union(*found)

    def best_line(self, lines: Iterable[Candidate]) -> tuple[str, int] | None:
        """The line that holds most of the words, the upper one of equals, and the offset of its first match.

        `lines`: those that may hold most first, upper ones first.
        """
        best: tuple[tuple[int, int], str, bytes, int] | None = None
        for most, place, line in lines:
            if best and best[0] < (-most, place):
                break
            data = _encoded(line)
            if found := self._found(data):
                held = frozenset[str]().union(*(words for _, words in found.values()))
                if best is None or (-len(held), place) < best[0]:
                    best = (-len(held), place), line, data, min(found)
        return (best[1], len(_decoded(best[2][: best[3]]))) if best else None

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the written words that answer stand: (start, end), in order, neighbours joined."""
        spans: list[tuple[int, int]] = []
        for match in self.matches(text):
            if spans and spans[-1][1] == match.start:
                spans[-1] = (spans[-1][0], match.end)
            else:
                spans.append((match.start, match.end))
        return spans

    def _answered(self, compound: bytes) -> frozenset[str]:
        known = self._known.get(compound)
        if known is None:
            words = set[str]()
            for form in telling_forms(_decoded(compound)):
                words.update(self._by_root.get(root(form), ()))
                if form.startswith(self._sought):
                    words.update(*(answered for sought, answered in self.answers.items() if form.startswith(sought)))
            known = self._known[compound] = frozenset(words)
        return known


def _compounds_with(data: bytes, low: bytes, beginning: bytes) -> Iterator[tuple[int, int]]:
    """Where the written words stand of which a part has this beginning."""
    at = low.find(beginning)
    while at >= 0:
        if _is_inside(data, at):
            end = at + 1
        else:
            start, end = compound_at(data, at)
            yield start, end
        at = low.find(beginning, end)


def _is_inside(data: bytes, at: int) -> bool:
    """Whether no part of a word begins here: within small letters none does."""
    return at > 0 and 97 <= data[at] <= 122 and 97 <= data[at - 1] <= 122


# Bytes are searched several times as fast as text that is not all Latin.
def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
