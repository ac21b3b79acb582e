"""Which words of a query stand in a text, and where. Asks the text alone, so that no other spec changes the answer."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from spexsearch.floor.tokens import compound_at, compounds, partial_root, root, telling_forms


@dataclass(frozen=True, slots=True)
class Match:
    """A word as it is written, from `start` to `end`, and the words of the query that it answers."""

    start: int
    end: int
    words: frozenset[str]


class Matcher:
    """Finds the words of one query. A word answers if it has a sought word's root or starts with the sought word.

    An identifier is sought by its parts; whoever writes it in one piece answers them all. `words` are the words sought.
    """

    def __init__(self, query: str) -> None:
        """Any text."""
        self._answers: dict[str, dict[str, None]] = {}
        for compound in compounds(query):
            if forms := telling_forms(compound):
                parts = forms[:-1] or forms
                for part in parts:
                    self._answers.setdefault(part, {})[part] = None
                self._answers.setdefault(forms[-1], {}).update(dict.fromkeys(parts))
        self.words = tuple(dict.fromkeys(word for answered in self._answers.values() for word in answered))
        self._roots = {word: {root(word), partial_root(word)} for word in self._answers}
        # Every word with a root begins with it, but for a y that became an i.
        self._beginnings = {
            sought: (min((found.removesuffix("i") for found in roots if found), key=len) or sought[0]).encode()
            for sought, roots in self._roots.items()
        }
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

    def held(self, text: str, rooted: Iterable[str] | None = None) -> frozenset[str]:
        """The words that stand in a text. `rooted`: those whose root stands there, if an index has told so already."""
        held = frozenset[str]().union(*(self._answers[sought] for sought in rooted or ()))
        data = _encoded(text)
        low = data.lower()
        missing: list[bytes] = []
        for sought, answered in self._answers.items():
            if held.issuperset(answered):
                continue
            # Where no word has the root, only one that starts with the sought word is left to be found.
            beginning = self._beginnings[sought] if rooted is None else sought.encode()
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

    def best_line(self, text: str, held: Container[str] | None = None) -> tuple[str, int] | None:
        """The line that holds most of the words, the upper one of equals, and the offset of its first match.

        `held`: the words that stand in the text, if that is known.
        """
        data = _encoded(text)
        best: tuple[int, int, bytes, int] | None = None
        for start, most in sorted(self._lines(data, held).items(), key=lambda line: (-line[1], line[0])):
            if best and (most, -start) < best[:2]:
                break
            end = data.find(b"\n", start)
            line = data[start:] if end < 0 else data[start:end]
            if found := self._found(line):
                words = frozenset[str]().union(*(words for _, words in found.values()))
                if best is None or (len(words), -start) > best[:2]:
                    best = len(words), -start, line, min(found)
        return (_decoded(best[2]), len(_decoded(best[2][: best[3]]))) if best else None

    def _lines(self, data: bytes, held: Container[str] | None) -> dict[int, int]:
        """Where the lines start that may hold a word, and how many at most each holds."""
        weights: dict[bytes, int] = {}
        for sought, beginning in self._beginnings.items():
            if count := sum(held is None or word in held for word in self._answers[sought]):
                weights[beginning] = weights.get(beginning, 0) + count
        low = data.lower()
        lines: dict[int, int] = {}
        for beginning, weight in weights.items():
            at = low.find(beginning)
            while at >= 0:
                if _is_inside(data, at):
                    at = low.find(beginning, at + 1)
                    continue
                start = low.rfind(b"\n", 0, at) + 1
                lines[start] = lines.get(start, 0) + weight
                end = low.find(b"\n", at)
                at = low.find(beginning, end) if end >= 0 else -1
        return lines

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
            forms = telling_forms(_decoded(compound))
            roots = set(map(root, forms))
            known = self._known[compound] = frozenset(
                word
                for sought, answered in self._answers.items()
                if not roots.isdisjoint(self._roots[sought]) or any(form.startswith(sought) for form in forms)
                for word in answered
            )
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
