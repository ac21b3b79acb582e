"""Which words of a section to read first: those that speak most of the change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from spexsearch.govern.holds import Judged
from spexsearch.govern.queries import weighted
from spexsearch.govern.report import Finding, Quote
from spexsearch.specs.model import Section, SpecTree

LONGEST = 280
"""Characters of a quote, a few sentences: more would be read by nobody who can follow the line."""
MOST_WORDS = 60
_BULLET = re.compile(r"(?:[-*+]|\d+[.)]) ")
_ITEM = ("- ", "* ", "+ ", "|", "#", ">", "```", "~~~")


def with_quotes(findings: Iterable[Finding], judging: Sequence[Judged], tree: SpecTree) -> tuple[Finding, ...]:
    """The findings in their order; those that point at a section and are no notes with a quote."""
    specs = {spec.path: spec for spec in tree.specs}
    asked = {judged.change.path: judged.asked for judged in judging}

    @cache
    def sections_of(path: str) -> dict[int, Section]:
        from spexsearch.specs.markdown import sections

        return {section.line: section for section in sections(specs[path])} if path in specs else {}

    def of(finding: Finding) -> Quote | None:
        if finding.section is None or finding.spec_path is None or finding.level == "note":
            return None
        section = sections_of(finding.spec_path).get(finding.section.line)
        if section is None:
            return None
        # A finding that stands in the spec itself stands at the words it is about.
        if finding.path == finding.spec_path and section.line < finding.line <= section.end_line:
            return quote(section, "", finding.line)
        words = [word for word, _ in weighted(asked.get(finding.path, ()))[:MOST_WORDS]]
        return quote(section, " ".join((finding.unit or "", *words)))

    return tuple(finding._replace(quote=found) if (found := of(finding)) else finding for finding in findings)


def quote(section: Section, query: str, at: int | None = None) -> Quote | None:
    """The paragraph or list item of a section whose line holds most of the query; its first one where none does.

    `at`: a line of the file, where it is known which one is meant.
    """
    from spexsearch.floor.matching import Matcher

    lines = section.text.split("\n")
    first = 1 if section.level else 0  # the heading is shown by itself
    blocks = _blocks(lines, first)
    if not blocks:
        return None
    matcher = Matcher(query)
    candidates = ((len(matcher.words), number, line) for number, line in enumerate(lines[first:]))
    found = matcher.best_line(candidates) if at is None else None
    best = lines.index(found[0], first) if found else blocks[0][0] if at is None else at - section.line
    start, end = next((block for block in blocks if block[0] <= best < block[1]), blocks[0])
    text, start, end = _cut(lines, start, end, max(best, start))
    return Quote(text, section.line + start, section.line + end - 1)


def _blocks(lines: Sequence[str], first: int) -> list[tuple[int, int]]:
    """Paragraphs and list items, as (first line, line after the last)."""
    blocks: list[tuple[int, int]] = []
    begun: int | None = None
    for number in range(first, len(lines) + 1):
        text = lines[number].strip() if number < len(lines) else ""
        if begun is not None and (not text or text.startswith(_ITEM)):
            blocks.append((begun, number))
            begun = None
        if text and begun is None:
            begun = number
    return blocks


def _cut(lines: Sequence[str], start: int, end: int, best: int) -> tuple[str, int, int]:
    """As many whole lines around the best one as fit, on one line; a longer line is cut itself."""
    low, high = best, best + 1
    size = len(lines[best].strip())
    while low > start or high < end:
        for at in (high, low - 1):
            if not start <= at < end or size + len(lines[at].strip()) + 1 > LONGEST:
                continue
            size += len(lines[at].strip()) + 1
            low, high = min(low, at), max(high, at + 1)
            break
        else:
            break
    # What marks an item and what is bold says nothing where all is shown as it is written.
    text = " ".join(" ".join(lines[low:high]).split()).replace("**", "")
    text = text[mark.end() :] if (mark := _BULLET.match(text)) else text
    before, after = ("… " if low > start else ""), (" …" if high < end or len(text) > LONGEST else "")
    return f"{before}{text[:LONGEST].rstrip()}{after}", low, high
