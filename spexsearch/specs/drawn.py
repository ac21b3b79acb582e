"""Markdown as a reader sees it: the statements that are drawn, without what only its source has."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, NamedTuple

# Letters, marks and symbols by category that no font draws: fillers, selectors, the blank Braille cell.
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
CELL = "\x1f"
"""Between the cells of one row of a table: which words share a cell says something."""

# What is in them is not drawn, or is no text of the page.
_UNDRAWN_TAG = re.compile(r"<(script|style|template|title)\b[^<>]*>", re.IGNORECASE)
_NOT_TEXT = re.compile(
    r"<!--(?:>|->|.*?(?:-->|\Z))|<\?.*?(?:\?>|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)"
    r"|<(script|style|template|title)\b[^<>]*>.*?(?:</\1\s*>|\Z)|</?[A-Za-z][^<>]*>|<![A-Za-z][^<>]*>",
    re.IGNORECASE | re.DOTALL,
)
_ODD = re.compile("[^ -~\n\t\r]")
# A block that is none of these goes on where it stands in another: a link or what is bold are part of their sentence.
_BLOCKS = frozenset(
    [
        *("Paragraph", "Heading", "BlockQuote", "CodeBlock", "HtmlBlock", "List", "Item"),
        *("FootnoteDefinition", "Table", "TableHead", "TableRow"),
    ]
)


class Statement(NamedTuple):
    """One paragraph, heading, item or row, in pieces of (text, whether it is code).

    `ordered`: it is code, or a list whose numbers say which comes first, and its parts have an order.
    """

    pieces: tuple[tuple[str, bool], ...]
    ordered: bool = False

    @property
    def text(self) -> str:
        """The pieces as one text."""
        return "".join(piece for piece, _ in self.pieces)


def visible_only(text: str) -> str:
    """The text without the characters that are not drawn: control, format and bidirectional ones, fillers, selectors.

    White space stays.
    """
    return _ODD.sub(lambda found: found[0] if _is_drawn(found[0]) else "", text)


def drawn(markdown: str) -> tuple[Statement, ...]:
    """The statements of a text from top to bottom, as CommonMark with GitHub's tables and footnotes draws them.

    Not drawn are comments, tags, link targets and their definitions, footnotes that nothing refers to, cells beyond the
    columns of a table, and characters of no width.
    """
    from pyromark import Options, events

    reading = _Reading()
    for event in events(visible_only(markdown), options=Options.ENABLE_TABLES | Options.ENABLE_FOOTNOTES):
        reading.take(event)
    reading.end()
    return tuple(statement for note, statement in reading.found if note is None or note in reading.called)


def drawn_words(markdown: str) -> str:
    """What is drawn, as one text: a line a statement."""
    return "\n".join(statement.text.replace(CELL, " ") for statement in drawn(markdown))


class _Reading:
    """What was met so far: `found` are statements, each with the footnote it stands in; `called` the notes in use."""

    def __init__(self) -> None:
        self.found: list[tuple[str | None, Statement]] = []
        self.called: set[str] = set()
        self.pieces: list[tuple[str, bool]] = []
        self.note: str | None = None
        self.numbered = 0
        self.code = False
        self.markup: list[str] | None = None
        self.hidden = ""

    def take(self, event: Any) -> None:
        if isinstance(event, str):
            # A break or a rule.
            self._say(" ")
            return
        ((kind, value),) = event.items()
        if kind in ("Start", "End"):
            self._border(kind == "Start", *(next(iter(value.items())) if isinstance(value, dict) else (value, None)))
        elif kind == "FootnoteReference":
            self.called.add(value)
        elif kind == "InlineHtml":
            self._tag(value)
        elif self.markup is not None:
            self.markup.append(value)
        else:
            self._say(value, code=self.code or kind == "Code")

    def end(self) -> None:
        """Close the last statement."""
        self._close()

    def _border(self, start: bool, kind: str, value: Any) -> None:
        if kind == "TableCell":
            self.pieces += [] if start else [(CELL, False)]
        if kind not in _BLOCKS:
            return
        self._close(ordered=kind == "CodeBlock" and not start)
        if kind == "List" and value is not None and value is not False:
            self.numbered += 1 if start else -1
            self._close(ordered=not start)
        elif kind == "FootnoteDefinition":
            self.note = value if start else None
        elif kind == "CodeBlock":
            self.code = start
        elif kind == "HtmlBlock":
            self._html(start)
        self.hidden = ""

    def _html(self, start: bool) -> None:
        if not start and self.markup is not None:
            from html import unescape

            markup, self.markup = "".join(self.markup), None
            self._say(unescape(_NOT_TEXT.sub("", markup)))
            self._close()
        elif start:
            self.markup = []

    def _tag(self, tag: str) -> None:
        """A tag inside a paragraph opens or closes what is not drawn; else it is markup."""
        opened = _UNDRAWN_TAG.match(tag)
        if self.hidden:
            self.hidden = "" if tag.lower().startswith(f"</{self.hidden}") else self.hidden
        elif opened:
            self.hidden = opened[1].lower()
        elif tag.lower().startswith("<br"):
            self._say(" ")

    def _say(self, text: str, *, code: bool = False) -> None:
        if text and not self.hidden:
            self.pieces.append((visible_only(text), code))

    def _close(self, *, ordered: bool = False) -> None:
        # A numbered list is one statement to its end.
        if self.numbered:
            self.pieces.append((" ", False))
        elif self.pieces:
            self.found.append((self.note, Statement(tuple(self.pieces), ordered)))
            self.pieces = []


def _is_drawn(char: str) -> bool:
    if char in BLANK or char in _SELECTORS or "\U000e0000" <= char < "\U000e1000" or char == "\ufffd":
        return False
    return char.isprintable() or unicodedata.category(char) in ("Zs", "Zl", "Zp") or char in "\v\f\x85"
