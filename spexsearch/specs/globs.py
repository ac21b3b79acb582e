"""Patterns over repository paths.

Our own, because pathspec costs 40 ms to import and takes everything below a folder that matches; here a pattern names
files: `*`, `?` and `[..]` stay within one path segment and `**` as a whole segment crosses them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

_ANY = "**"


class Glob:
    """A compiled pattern, anchored at the root. Matching costs at most the pattern's length times the path's.

    A segment also matches itself as written, so that `app/[id]/*.ts` names the folder `[id]`.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        segments: list[str] = []
        for segment in pattern.split("/"):
            if segment != _ANY or segments[-1:] != [_ANY]:
                segments.append(segment)
        if segments[-1] == _ANY:
            segments.append("*")
        self._segments = tuple(segments)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Glob) and self.pattern == other.pattern

    def __hash__(self) -> int:
        return hash(self.pattern)

    def matches(self, path: str) -> bool:
        """Whether the pattern names this path."""
        return _runs(self._segments, path.split("/"), _ANY, _segment_matches)

    @property
    def folder(self) -> str:
        """The folder that every matching path is below, as far as the pattern says it; "" is the root."""
        plain: list[str] = []
        for segment in self._segments[:-1]:
            if is_pattern(segment) or "[" in segment:
                break
            plain.append(segment)
        return "/".join(plain)


def matches(pattern: str, path: str) -> bool:
    """Whether `pattern` names `path`."""
    return Glob(pattern).matches(path)


def is_pattern(path: str) -> bool:
    """Whether a path is meant as a pattern. Brackets alone are not: frameworks name their files `[id].ts`."""
    return "*" in path or "?" in path


def _segment_matches(pattern: str, text: str) -> bool:
    if pattern == text or pattern == "*":
        return True
    if not is_pattern(pattern) and "[" not in pattern:
        return False
    return _runs(_elements(pattern), text, "*", _element_matches)


def _elements(segment: str) -> list[str]:
    """The segment's single characters, `*`, `?` and whole `[..]` classes; an unclosed bracket is a plain character."""
    elements: list[str] = []
    place = 0
    closers = segment.rfind("]")
    while place < len(segment):
        end = place + 1
        if segment[place] == "[" and place < closers:
            # A bracket that stands first in its class is one of its characters.
            first = place + 2 if segment[place + 1] in "!^" else place + 1
            close = segment.find("]", first + 1)
            end = close + 1 if close > 0 else end
        element = segment[place:end]
        if element != "*" or elements[-1:] != ["*"]:
            elements.append(element)
        place = end
    return elements


def _element_matches(element: str, character: str) -> bool:
    if element == "?" or element == character:
        return True
    if len(element) < 3:
        return False
    negated = element[1] in "!^"
    return _in_class(element[2 if negated else 1 : -1], character) != negated


def _in_class(members: str, character: str) -> bool:
    place = 0
    while place < len(members):
        if members[place + 1 : place + 2] == "-" and place + 2 < len(members):
            if members[place] <= character <= members[place + 2]:
                return True
            place += 3
        elif members[place] == character:
            return True
        else:
            place += 1
    return False


def _runs(pattern: Sequence[str], text: Sequence[str], wild: str, one: Callable[[str, str], bool]) -> bool:
    """Whether `pattern` matches all of `text`, where `wild` stands for any run and `one` judges the other elements.

    Only the last `wild` is ever tried again: an earlier one that took more could not match what this one cannot.
    """
    here = at = 0
    star = retry = -1
    while at < len(text):
        if here < len(pattern) and pattern[here] == wild:
            star, retry = here, at
            here += 1
        elif here < len(pattern) and one(pattern[here], text[at]):
            here += 1
            at += 1
        elif star >= 0:
            retry += 1
            here, at = star + 1, retry
        else:
            return False
    return all(element == wild for element in pattern[here:])
