"""The description of a pull request as a message: what its page hides or quotes is not said in it."""

from __future__ import annotations

from typing import Any

LARGEST = 1 << 18
"""Characters; GitHub takes a quarter of that."""


def spoken(description: str) -> str:
    """The text, line for line; a line is blank where it does not begin with plain text of a paragraph at the top.

    So comments, code, quotations and the titles of link definitions say nothing: somebody who reads the page would not
    know.
    """
    text = description[:LARGEST].replace("\r\n", "\n").encode("utf-8", "replace").decode()
    said = _said(text)
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append(line if at in said else "")
        at += len(line.encode()) + 1
    return "\n".join(lines)


def _said(text: str) -> set[int]:
    """The bytes at which plain text begins in paragraphs that stand in nothing else and in no comment."""
    from pyromark import Options, events_with_range

    # What GitHub reads beyond CommonMark: a footnote that nothing refers to is shown nowhere.
    dialect = Options.ENABLE_FOOTNOTES | Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH | Options.ENABLE_MATH
    data = text.encode()
    said: set[int] = set()
    open_blocks: list[str] = []
    silent = 0
    for event, span in events_with_range(text, options=dialect):
        start = span["start"]
        kind, name = _kind(event)
        if kind == "Start":
            open_blocks.append(name)
        elif kind == "End":
            open_blocks.pop()
        elif kind in ("Html", "InlineHtml") and start >= silent:
            silent = max(silent, _comment_end(data, start, span["end"]))
        elif kind == "Text" and open_blocks == ["Paragraph"] and start >= silent:
            said.add(start)
    return said


def _comment_end(data: bytes, start: int, end: int) -> int:
    """Where a comment that begins in this HTML ends: for a browser not at the blank line, as for Markdown."""
    opened = data.find(b"<!--", start, end)
    if opened < 0:
        return 0
    closed = data.find(b"-->", opened)
    return closed if closed >= 0 else len(data)


def _kind(event: Any) -> tuple[str, str]:
    """An event's kind, and for the beginning or end of something what that is."""
    if not isinstance(event, dict):
        return str(event), ""
    ((kind, value),) = event.items()
    return kind, next(iter(value)) if isinstance(value, dict) else str(value)
