"""The order of specs whose scores are equal."""

from __future__ import annotations

from spexsearch.specs.model import Spec

_PUNCTUATION = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"


def tie_key(spec: Spec) -> tuple[int, object]:
    """Sorts specs of equal score: by the length of the id, then by its collation."""
    return utf16_length(spec.id), collation_key(spec.id)


def utf16_length(text: str) -> int:
    """The length in UTF-16 code units, in which the reference counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def collation_key(text: str) -> tuple[list[tuple[int, int]], str, str]:
    """The order of CLDR's root collation for what ids are made of: letters, then accents, then case, lower case first.

    Other symbols stand before the digits, other scripts behind Latin, by code point.
    """
    if text.isascii():
        return [_primary(char) for char in text.lower()], "", text.swapcase()
    from unicodedata import combining, normalize

    split = normalize("NFKD", text)
    letters = [char for char in split.casefold() if not combining(char)]
    accents = "".join(char if combining(char) else " " for char in split).rstrip(" ")
    return [_primary(char) for char in letters], accents, split.swapcase()


def _primary(char: str) -> tuple[int, int]:
    place = _PUNCTUATION.find(char)
    if place >= 0:
        return 0, place
    if char.isascii():
        return 2, ord(char)
    from unicodedata import category

    return 1 if category(char)[0] in "PSZ" else 3, ord(char)
