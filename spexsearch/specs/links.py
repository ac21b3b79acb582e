"""`[[id]]` links in a body, outside code."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FENCE = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(?P<mark>`{3,}|~{3,})(?P<info>.*)", re.S)
_TOKEN = re.compile(r"(?P<ticks>`+)|\[\[(?P<link>[^\s\[\]<>`](?:[^\[\]<>`]*[^\s\[\]<>`])?)\]\]")


def links(body: str, body_line: int) -> tuple[tuple[str, int], ...]:
    """Each link's target (without `|label` or `#section`) and line. Code fences and code spans hold none.

    A fence is followed through lists and quotations by its marks alone: CommonMark's full rules would cost a parse of
    every body for a note that few need.
    """
    if "[[" not in body:
        return ()
    found: list[tuple[str, int]] = []
    paragraph: list[tuple[str, int]] = []
    fence = ""
    for number, line in enumerate(body.split("\n"), body_line):
        mark, info = _fence(line)
        if fence:
            if mark.startswith(fence) and not info:
                fence = ""
        elif mark or not line.strip():
            found += _outside_code(paragraph)
            paragraph = []
            fence = mark
        elif "`" in line or "[[" in line:
            paragraph.append((line, number))
    found += _outside_code(paragraph)
    return tuple(found)


def _fence(line: str) -> tuple[str, str]:
    """The fence that a line opens or closes, and what follows it; empty for other lines."""
    if "```" not in line and "~~~" not in line:
        return "", ""
    match = _FENCE.match(line)
    if match is None or (match["mark"][0] == "`" and "`" in match["info"]):
        return "", ""
    return match["mark"], match["info"].strip()


def _outside_code(lines: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """The links of one paragraph: a run of backticks opens code when a run of the same length follows."""
    if not any("[[" in line for line, _ in lines):
        return []
    tokens = [(match, number) for line, number in lines for match in _TOKEN.finditer(line)]
    last = {match["ticks"]: place for place, (match, _) in enumerate(tokens)}
    found: list[tuple[str, int]] = []
    opened = ""
    for place, (match, number) in enumerate(tokens):
        ticks = match["ticks"]
        if ticks:
            if opened == ticks:
                opened = ""
            elif not opened and last[ticks] > place:
                opened = ticks
        elif not opened:
            target = re.split(r"[|#]", match["link"], maxsplit=1)[0].strip()
            if any(map(str.isalnum, target)):
                found.append((target, number))
    return found
