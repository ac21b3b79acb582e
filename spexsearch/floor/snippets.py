"""The line that is shown of a spec: where it answers, in the original writing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from spexsearch.floor.order import utf16_length
from spexsearch.floor.tokens import ascii_lowered, flatten, is_telling, words_from
from spexsearch.specs.model import Spec

if TYPE_CHECKING:
    from spexsearch.floor.matching import Candidate, Matcher

_SNIPPET_LENGTH = 140
_SNIPPET_LEAD = 46
# Most matches stand early in a spec.
_FIRST_REACH = 1024
_IN_WORD = re.compile("[a-z0-9]")
_WORD_END = re.compile(b"[^a-z0-9_]")


def snippet(spec: Spec, terms: Sequence[str]) -> str:
    """The place in desc and body where the first of the terms stands, or the desc where none does, on one line.

    140 UTF-16 code units at most, and an ellipsis where it was cut; a character that a cut would halve is left out.
    """
    text = f"{spec.desc}\n{spec.body}"
    at = _first_match(text, terms)
    if at is None:
        return beginning(spec.desc or text)
    return excerpt(text, at)


def excerpt(text: str, at: int) -> str:
    """The text around an offset on one line: as long as a snippet, with an ellipsis where it was cut."""
    before, after = _flat_around(text, at)
    start = max(0, utf16_length(before) - _SNIPPET_LEAD)
    units = (before + after).encode("utf-16-le", "surrogatepass")
    end = start + _SNIPPET_LENGTH
    piece = _decoded(units[2 * start : 2 * end]).strip(" ")
    return ("…" if start else "") + piece + ("…" if 2 * end < len(units) else "")


def _first_match(text: str, terms: Sequence[str]) -> int | None:
    """The smallest offset of a term in any case, an ASCII term at the start of a word only."""
    sought = [term.encode() for term in terms]
    # Terms are single words: none begins before the first match and ends behind it, where the text was cut.
    for reach in (_FIRST_REACH, len(text)):
        at = _first_start(_ascii_lower(text[:reach]), sought)
        if at is not None:
            return at
    return None


def _ascii_lower(text: str) -> bytes:
    """Lower-cased as far as terms go, one character for each: they are ASCII or have no case."""
    # Only the dotted capital I and the Kelvin sign, of all beyond ASCII, lower-case to an ASCII letter.
    return text.replace("\u0130", "i").replace("\u212a", "k").encode("utf-8", "surrogatepass").lower()


def _first_start(low: bytes, sought: Sequence[bytes]) -> int | None:
    """The offset in characters of the first term that stands in the text, at the start of a word if it is ASCII."""
    best = len(low)
    for term in sought:
        at = low.find(term, 0, best)
        while at > 0 and term.isascii() and not _WORD_END.match(low, at - 1):
            word_end = _WORD_END.search(low, at)
            at = low.find(term, word_end.end(), best) if word_end else -1
        if at >= 0:
            best = at
    return len(low[:best].decode("utf-8", "surrogatepass")) if best < len(low) else None


def _flat_around(text: str, at: int) -> tuple[str, str]:
    """The flattened text before and from an offset, as far as a snippet can need it."""
    reach = 2 * _SNIPPET_LENGTH
    while True:
        first, last = max(0, at - reach), at + reach
        # The character at the offset keeps the space before it from being trimmed.
        before, after = flatten(text[first : at + 1])[:-1], flatten(text[at:last])
        reaches_back = first == 0 or len(before) > _SNIPPET_LEAD
        if reaches_back and (last >= len(text) or len(after) > _SNIPPET_LENGTH):
            return before, after
        reach *= 2


def beginning(text: str) -> str:
    """The first words of a text on one line: as long as a snippet, with an ellipsis where it was cut."""
    flat = flatten(text)
    units = flat.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * _SNIPPET_LENGTH:
        return flat
    return _decoded(units[: 2 * _SNIPPET_LENGTH]).strip(" ") + "…"


def _decoded(units: bytes) -> str:
    return units.decode("utf-16-le", "ignore")


def best_line(lines: Iterable[Candidate], matcher: Matcher) -> str | None:
    """The line that holds most of the words, around the first of them; nothing where none does."""
    found = matcher.best_line(lines)
    if found is None:
        return None
    line, at = found
    return excerpt(line, _with_room(line, at))


def _with_room(line: str, at: int) -> int:
    """The offset of a match, or of an earlier word where the line ends so soon behind it that more fits before it."""
    earlier = len(line) - (_SNIPPET_LENGTH - _SNIPPET_LEAD)
    if earlier >= at:
        return at
    return min(line.find(" ", earlier) + 1, at) if earlier > 0 else 0


def stands_as_phrase(text: str, wanted: Sequence[str]) -> bool:
    """Whether lower-case words stand one after the other, each starting a word; stop words are passed over."""
    low = ascii_lowered(text)
    at = low.find(wanted[0])
    while at >= 0:
        if (at == 0 or not _IN_WORD.match(low, at - 1)) and _follow(low, at, wanted):
            return True
        at = low.find(wanted[0], at + 1)
    return False


def _follow(low: str, at: int, wanted: Sequence[str]) -> bool:
    met = 0
    for word in words_from(low, at):
        if word.startswith(wanted[met]):
            met += 1
            if met == len(wanted):
                return True
        elif met == 0 or is_telling(word):
            return False
    return False
