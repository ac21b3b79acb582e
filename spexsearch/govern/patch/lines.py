"""A walk through a diff's lines, which end at LF and nowhere else. Counts decide where a hunk ends, never its lines."""

from __future__ import annotations

import re

from spexsearch.errors import InputError

Span = tuple[int, int]

HUNK = re.compile(rb"@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@(?: |$)")
BINARY = re.compile(rb"Binary files (.+) differ")
_BASE85 = re.compile(rb"[A-Za-z][0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]+")
_BINARY_SIZE = re.compile(rb"(?:literal|delta) \d+")


class Cursor:
    """A place in the text, moved on line by line; lines end at LF and nowhere else. `text` is None at the end."""

    __slots__ = ("data", "end", "line", "start", "text")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.line = 0
        self.end = 0
        self.start = 0
        self.text: bytes | None = b""
        self.advance()

    def advance(self) -> None:
        """Go to the next line."""
        self.jump(self.end)

    def jump(self, start: int) -> None:
        """Go to the line that begins at `start`, at or after the end of this one."""
        self.line += 1 + self.data.count(b"\n", self.end, start)
        self.start = start
        stop = self.data.find(b"\n", start)
        stop = len(self.data) if stop < 0 else stop
        self.text = self.data[start:stop] if start < len(self.data) else None
        self.end = stop + 1

    def following(self, lines: int) -> list[bytes]:
        """The next lines, fewer at the end."""
        found: list[bytes] = []
        at = self.end
        while len(found) < lines and at < len(self.data):
            stop = self.data.find(b"\n", at)
            stop = len(self.data) if stop < 0 else stop
            found.append(self.data[at:stop])
            at = stop + 1
        return found

    def fault(self, message: str, line: int | None = None) -> InputError:
        """An error that names the place."""
        return InputError(f"line {line or self.line} of the diff: {message}")


def content(cursor: Cursor) -> tuple[tuple[Span, ...], bool]:
    """(the span of the hunks, whether the content is binary) that the cursor stands before."""
    text = cursor.text or b""
    if BINARY.fullmatch(text):
        cursor.advance()
        return (), True
    if text == b"GIT binary patch":
        cursor.advance()
        _skip_binary(cursor)
        return (), True
    start = cursor.start
    while cursor.text is not None and (match := HUNK.match(cursor.text)):
        _skip_hunk(cursor, match)
    return (((start, cursor.start),) if cursor.start > start else ()), False


def _skip_binary(cursor: Cursor) -> None:
    """Pass over the forward and, where there is one, the backward block, each of which ends in an empty line."""
    blocks = 0
    while cursor.text is not None and _BINARY_SIZE.fullmatch(cursor.text):
        cursor.advance()
        while cursor.text and _BASE85.fullmatch(cursor.text):
            cursor.advance()
        if cursor.text != b"":
            raise cursor.fault("the diff is cut off in a binary file")
        cursor.advance()
        blocks += 1
    if not blocks:
        raise cursor.fault("the diff is cut off in a binary file")


def _skip_hunk(cursor: Cursor, match: re.Match[bytes]) -> None:
    """Pass over one hunk by its counts. A blank line is an empty context line that lost its space."""
    at, data = cursor.line, cursor.data
    old, new = (1 if count is None else int(count) for count in match.group(2, 4))
    position = cursor.end
    if not old and not new:
        raise cursor.fault("a hunk that counts no line")
    while old > 0 or new > 0:
        mark = data[position : position + 1]
        if mark == b"+":
            new -= 1
        elif mark == b"-":
            old -= 1
        elif mark in (b" ", b"\n") or data.startswith(b"\r\n", position):
            old, new = old - 1, new - 1
        elif mark != b"\\":
            raise cursor.fault("the hunk has fewer lines than it counts: the diff is cut off or was edited", at)
        if old < 0 or new < 0:
            raise cursor.fault("the hunk has other lines than it counts: the diff was edited or is damaged", at)
        stop = data.find(b"\n", position)
        position = len(data) if stop < 0 else stop + 1
    if data.startswith(b"\\ ", position):
        stop = data.find(b"\n", position)
        position = len(data) if stop < 0 else stop + 1
    cursor.jump(position)
