"""Text from a repository made safe to show: it comes from strangers, and a terminal obeys what it is sent."""

from __future__ import annotations

import re
import unicodedata

from spexsearch.specs.drawn import BLANK

_OTHER = re.compile("[^ -~]")
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_LONGEST = 1000
_JOINERS = "\u200c\u200d"
_VARIATIONS = "\ufe0e\ufe0f"


def visible(text: str) -> str:
    r"""`text` with everything that is not drawn as itself written as an escape.

    Escaped: control characters, newline and tab included (`\n`, `\x1b`, `\u0085`), bidirectional and other format
    characters, line and paragraph separators, letters drawn as a blank, private and unassigned characters. A space of
    any script stays (U+00A0, U+3000): ordinary text holds them. An
    undecodable byte, kept as a surrogate, is its byte (`\x80`); any other surrogate is `\ud800`. A joiner stands
    between two drawn characters outside ASCII (Persian, Indic scripts, emoji), a variation selector after a symbol, a
    digit, `#` or `*`: nowhere else. A backslash is itself, so what is safe comes back unchanged.
    """
    return _OTHER.sub(lambda found: _escape(found[0]) if _hides(text, found.start()) else found[0], text)


def shortened(text: str) -> str:
    """`visible`, and cut where it is longer than anyone reads."""
    return visible(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


def visible_line(text: str) -> str:
    """`visible` for what begins a line."""
    return inert(visible(text))


def inert(shown: str) -> str:
    r"""A line that may be logged: what would be a command to the runner that logs it has an escape in its place.

    A runner obeys `::` where a line begins, and `##[` anywhere.
    """
    shown = inert_within(shown)
    lead = shown.lstrip(" ")
    if lead.startswith("::"):
        shown = f"{shown[: len(shown) - len(lead)]}\\x{ord(lead[0]):02x}{lead[1:]}"
    return shown


def inert_within(shown: str) -> str:
    """Text that may be logged inside a line of ours, where `##[` alone would be a command."""
    return shown.replace("##[", r"\x23#[")


def inert_json(text: str) -> str:
    r"""JSON that may be logged: `##[`, which a runner obeys anywhere, is `#\u0023[`, the same value read back."""
    return text.replace("##[", r"#\u0023[")


def _escape(char: str) -> str:
    r"""One character as an escape: `\n`, `\x1b`, `\u202e`, `\U000e0041`."""
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if code < 0x80:
        return f"\\x{code:02x}"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def json_line(value: object, *, ascii_only: bool = False) -> str:
    r"""`value` as compact JSON on one line, without a final newline; text as it is, save what `visible` would escape.

    Those characters, and with `ascii_only` all others outside ASCII, are written `\uXXXX`: the same value, read back.
    """
    import json

    text = inert_json(json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":")))
    return _OTHER.sub(lambda found: _json_escape(found[0]) if _hides(text, found.start()) else found[0], text)


def _json_escape(char: str) -> str:
    """One character as JSON writes it; DEL too, which the json module lets through."""
    import json

    return r"\u007f" if char == "\x7f" else json.dumps(char)[1:-1]


def _hides(text: str, index: int) -> bool:
    """Whether the character at `index` is drawn as something else, as nothing, or moves what is drawn around it."""
    char = text[index]
    if char.isascii():
        return not char.isprintable()
    if char in _JOINERS:
        return not (_joins(text, index - 1) and _joins(text, index + 1))
    if char in _VARIATIONS:
        return index == 0 or not _takes_variation(text[index - 1])
    if char in BLANK or 0xE0000 <= ord(char) < 0xE1000:
        return True
    return not char.isprintable() and unicodedata.category(char) != "Zs"


def _joins(text: str, index: int) -> bool:
    """Whether a joiner beside this place has a drawn character outside ASCII to join."""
    if not 0 <= index < len(text) or text[index].isascii() or text[index] in _JOINERS:
        return False
    return text[index].isprintable() and not _hides(text, index)


def _takes_variation(char: str) -> bool:
    """Whether a variation selector after this character chooses how it is drawn."""
    return char in "0123456789#*" or unicodedata.category(char) in ("So", "Sm", "Po", "Sk")
