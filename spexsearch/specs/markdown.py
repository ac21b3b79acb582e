"""A body cut at its headings, as CommonMark sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from spexsearch.specs.model import Section, Spec

# A carriage return alone ends a line for CommonMark, not for git or an editor; a blank of the same width does not.
_LONE_CR = re.compile("\r(?!\n)")


class _Heading(NamedTuple):
    text: str
    level: int
    start: int


def sections(spec: Spec) -> tuple[Section, ...]:
    """The sections of a spec's body, top to bottom; they hold every line of the body once. No body, no sections."""
    if not spec.body:
        return ()
    data = spec.body.encode()
    headings = list(_headings(spec.body))
    cuts = [*(heading.start for heading in headings), len(data) + 1]
    found: list[Section] = []
    trail: list[_Heading] = []
    line = spec.body_line
    if cuts[0] > 0:
        text = _text(data, 0, cuts[0])
        found.append(Section(spec.title, (spec.title,), 0, line, line + text.count("\n"), text))
        line += text.count("\n") + 1
    for heading, end in zip(headings, cuts[1:], strict=True):
        while trail and trail[-1].level >= heading.level:
            trail.pop()
        trail.append(heading)
        text = _text(data, heading.start, end)
        last = line + text.count("\n")
        found.append(Section(heading.text, tuple(step.text for step in trail), heading.level, line, last, text))
        line = last + 1
    return tuple(found)


def _text(data: bytes, start: int, end: int) -> str:
    """The lines between two offsets, without the line feed that ends the last one."""
    return data[start : end - 1].decode()


def _headings(body: str) -> Iterator[_Heading]:
    """The headings that stand in no list and no quotation; `start` is the byte at which their line begins."""
    from pyromark import events_with_range

    if "\r" in body:
        body = _LONE_CR.sub(" ", body)
    data = body.encode()
    end = first = last = 0
    level = 0
    for event, span in events_with_range(body):
        start = span["start"]
        if start >= end:
            # The next block at the top: whatever begins before its end is inside it.
            end = span["end"]
            level = _level(event)
            first, last = end, start
        elif level and _ends_heading(event):
            words = data[first:last].decode().split()
            yield _Heading(" ".join(words), level, data.rfind(b"\n", 0, start) + 1)
            level = 0
        elif level:
            first = min(first, start)
            last = max(last, span["end"])


def _level(event: Any) -> int:
    opened = event.get("Start") if isinstance(event, dict) else None
    return int(opened["Heading"]["level"][1:]) if isinstance(opened, dict) and "Heading" in opened else 0


def _ends_heading(event: Any) -> bool:
    closed = event.get("End") if isinstance(event, dict) else None
    return isinstance(closed, dict) and "Heading" in closed
