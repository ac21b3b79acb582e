"""Text and the spans in it -> tokens, unit by unit. Knows no grammar."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

from spexsearch.govern.source.definitions import UnitKind
from spexsearch.govern.source.grammars import Language

# Tokens that are no text: lone surrogates, which decoded text cannot hold.
LITERAL, OPEN, CLOSE, TYPE_OPEN, TYPE_CLOSE, IMPORT_OPEN, IMPORT_CLOSE, MEMBER = (chr(0xD800 + n) for n in range(8))
# Each name of `a, b, … = …` has the tokens of all.
MAX_NAMES = 50
_INVALID = {0xDC80 + n: 0xF780 + n for n in range(128)}


class Role(IntEnum):
    """What a span of text is."""

    CODE = 0
    UNIT = 1
    COMMENT = 2
    STRING = 3
    TYPE = 4
    IMPORT = 5
    MARK = 6


_BOUNDS = {
    Role.TYPE: (TYPE_OPEN, TYPE_CLOSE),
    Role.IMPORT: (IMPORT_OPEN, IMPORT_CLOSE),
    Role.MARK: (OPEN, CLOSE),
}


class Span:
    """A stretch of text with a role; a unit's names are not yet qualified. `typed`: it is nothing but a type."""

    __slots__ = ("end", "kind", "names", "role", "start", "typed")

    def __init__(
        self,
        start: int,
        end: int,
        role: Role,
        kind: UnitKind = "variable",
        names: tuple[str, ...] = (),
        typed: bool = False,
    ) -> None:
        self.start, self.end, self.role = start, end, role
        self.kind, self.names, self.typed = kind, names, typed


class Piece:
    """One stretch of one unit, while its text is gathered: literals stand in `text` as placeholders."""

    __slots__ = ("end", "kind", "literals", "names", "start", "text")

    def __init__(self, names: tuple[str, ...], kind: UnitKind, start: int, end: int) -> None:
        self.names, self.kind, self.start, self.end = names, kind, start, end
        self.text: list[str] = []
        self.literals: list[str] = []


class Swept(NamedTuple):
    """Unit name -> first piece and all tokens; tokens outside units; comments and where they stand; line breaks."""

    units: dict[str, tuple[Piece, tuple[str, ...]]]
    loose: tuple[str, ...]
    comments: tuple[str, ...]
    comment_ranges: list[tuple[int, int]]
    breaks: list[int]

    def line(self, offset: int) -> int:
        """The 1-based line of an offset."""
        return bisect_right(self.breaks, offset - 1) + 1 if offset else 1


def decode(source: bytes) -> str:
    """UTF-8 text with LF line ends; a byte that is not UTF-8 becomes a private character of its own."""
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError:
        text = source.decode("utf-8", "surrogateescape").translate(_INVALID)
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def without(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """The text with each of the given ranges (in order, not overlapping) reduced to a space and its line breaks."""
    parts: list[str] = []
    cursor = 0
    for start, end in ranges:
        parts += text[cursor:start], " ", "\n" * text.count("\n", start, end)
        cursor = end
    return "".join([*parts, text[cursor:]])


def blank(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """The text with the given ranges (in order, not overlapping) turned into spaces; line breaks stay."""
    parts: list[str] = []
    cursor = 0
    for start, end in ranges:
        parts += text[cursor:start], re.sub(r"[^\n]", " ", text[start:end])
        cursor = end
    return "".join([*parts, text[cursor:]])


def sweep(text: str, spans: Sequence[Span], language: Language) -> Swept:
    """Cut the text at its spans (properly nested) and give every stretch to the innermost unit around it."""
    state = _Sweep(text, language)
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        state.open(span)
    return state.finish()


class _Sweep:
    def __init__(self, text: str, language: Language) -> None:
        self.text = text
        self.language = language
        self.cursor = 0
        whole = Piece((), "namespace", 0, len(text))
        self.pieces: list[Piece] = []
        self.piece = self.whole = whole
        self.stack: list[tuple[Span, Piece]] = [(Span(0, len(text) + 1, Role.CODE), whole)]
        self.comments: list[tuple[int, int]] = []

    def open(self, span: Span) -> None:
        while span.start >= self.stack[-1][0].end:
            self._close()
        role = span.role
        if span.start < self.cursor or (self.stack[-1][0].role is Role.STRING and role is not Role.CODE):
            return
        self._take(span.start)
        if role is Role.COMMENT:
            self.comments.append((span.start, span.end))
            self.piece.text.append(" ")
            self.cursor = span.end
            return
        if role is Role.UNIT:
            self._open_unit(span)
        elif role in _BOUNDS:
            self.piece.text.append(_BOUNDS[role][0])
        self.stack.append((span, self.piece))

    def finish(self) -> Swept:
        while len(self.stack) > 1:
            self._close()
        self._take(len(self.text))
        gathered: dict[str, tuple[Piece, list[tuple[str, ...]]]] = {}
        for piece in self.pieces:
            found = self._tokens(piece)
            for name in piece.names:
                gathered.setdefault(name, (piece, []))[1].append(found)
        return Swept(
            {name: (piece, tuple(chain.from_iterable(found))) for name, (piece, found) in gathered.items()},
            self._tokens(self.whole),
            tuple(self.text[start:end] for start, end in self.comments),
            self.comments,
            [match.start() for match in re.finditer("\n", self.text)],
        )

    def _open_unit(self, span: Span) -> None:
        above = self.piece.names[0] + "." if self.piece.names else ""
        self.piece.text.append(MEMBER)
        names = tuple(above + name for name in span.names[:MAX_NAMES])
        self.piece = Piece(names, span.kind, span.start, span.end)
        self.pieces.append(self.piece)
        if span.typed:
            self.piece.text.append(TYPE_OPEN)

    def _close(self) -> None:
        span, piece = self.stack[-1]
        self._take(span.end)
        self.stack.pop()
        if span.role in _BOUNDS:
            piece.text.append(_BOUNDS[span.role][1])
        if span.role is Role.UNIT:
            if span.typed:
                piece.text.append(TYPE_CLOSE)
            self.piece = self.stack[-1][1]

    def _take(self, end: int) -> None:
        """Give the text up to `end` to whatever is open."""
        start = self.cursor
        if start >= end:
            return
        self.cursor = end
        if self.stack[-1][0].role is Role.STRING:
            self.piece.text.append(LITERAL)
            self.piece.literals.append(_literal(self.text[start:end], self.language.quotes_alike))
        else:
            self.piece.text.append(self.text[start:end])

    def _tokens(self, piece: Piece) -> tuple[str, ...]:
        return _tokens("".join(piece.text), tuple(piece.literals), self.language.optional)


@lru_cache(maxsize=4096)
def _tokens(text: str, literals: tuple[str, ...], optional: str) -> tuple[str, ...]:
    # Kept between calls because most units are the same on both sides of a change.
    values = iter(literals)
    found = _pattern(optional).findall(text.rstrip())
    return tuple([next(values) if token == LITERAL else token for token in found if token])


@cache
def _pattern(optional: str) -> re.Pattern[str]:
    # What a formatter adds and drops matches outside the group, and so gives no token.
    comma = f"(?![\\s{CLOSE}{TYPE_CLOSE}]*[)\\]}}{MEMBER}])" if "," in optional else ""
    semicolon = f"(?![^\\S\\n]*(?:[\\n}}{MEMBER}{OPEN}{CLOSE}]|\\Z))" if ";" in optional else ""
    return re.compile(
        rf"\s*(?:(\d\w*(?:\.\d\w*)*|\w+|\+\+|--|,{comma}|;{semicolon}|[^\w\s,;{MEMBER}])|[,;]|{MEMBER}[\s,;]*)"
    )


_OPENING = re.compile(r"([A-Za-z]*)(\"\"\"|'''|\"|')")


def _literal(text: str, quotes_alike: bool) -> str:
    """A literal's token: it begins with a double quote, whatever the source's quotes are."""
    if not quotes_alike:
        return '"' + text
    opening = _OPENING.match(text)
    if opening is None:
        return '"' + text
    prefix, quote = opening.groups()
    inner = text[opening.end() :].removesuffix(quote)
    return '"' + prefix.lower().replace("u", "") + '"' + inner.replace("\\" + quote[0], quote[0])


_PLAIN = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|v?\d\w*(?:[.+-]\w+)*|\w+|[^\w\s]")


def plain_tokens(text: str) -> tuple[str, ...]:
    """Tokens of a file without a grammar: quoted text on one line, numbers and versions, words, signs."""
    return tuple('"' + token if token[0] in "\"'" and len(token) > 1 else token for token in _PLAIN.findall(text))
