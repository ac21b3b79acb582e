"""Ranks the sections of specs for a query, and shows the line that answers it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from spexsearch.floor.fusion import phrasings
from spexsearch.floor.lines import Lines
from spexsearch.floor.matching import Matcher
from spexsearch.floor.section_index import Scored, SectionIndex, fused
from spexsearch.floor.section_reading import IndexedSection
from spexsearch.floor.selection import selected
from spexsearch.floor.snippets import beginning, best_line
from spexsearch.floor.tokens import query_terms, query_words
from spexsearch.specs.model import SpecTree

MAX_SECTIONS = 25
"""How many sections are shown at once: who needs more asks more precisely."""


class SectionHit(NamedTuple):
    """One section that answers a query.

    `spec` is the spec's id, `trail` its title and the headings down to the section's own. `matched` of the query's
    `terms` words stand in the section or in its names; of several phrasings, those of the one that it answers best.
    `score` is comparable within one answer only.
    """

    spec: str
    title: str
    path: str
    line: int
    heading: str
    trail: tuple[str, ...]
    score: float
    matched: int
    terms: int
    snippet: str


def search_sections(
    tree: SpecTree,
    query: str | Sequence[str],
    limit: int = 8,
    type: str | None = None,
    tag: str | None = None,
    parent: str | None = None,
    *,
    index: SectionIndex | None = None,
) -> list[SectionHit]:
    """The sections that answer a query, best first, `limit` at most; several phrasings of it are joined by their ranks.

    `type`, `tag` and `parent` keep the specs whose frontmatter says so. A tree is indexed anew at each call: who asks
    several questions gives the `index` of its specs.
    """
    keep = selected(tree, type, tag, parent)
    return find_sections(index or SectionIndex.build(tree.specs), query, limit, keep)[0]


def find_sections(
    index: SectionIndex, query: str | Sequence[str], limit: int, keep: Collection[str] | None = None
) -> tuple[list[SectionHit], int]:
    """The best sections of the specs with the paths to `keep`, and how many sections answer at all."""
    asked = [text for text in phrasings(query) if query_words(text)]
    limit = max(limit, 0)
    scored = [_scored(index, text, keep) for text in asked]
    if len(asked) == 1:
        best, count = index.best_of(scored[0], query_terms(asked[0]), limit), len(scored[0].scores)
    else:
        rankings = [index.best_of(each, query_terms(text)) for each, text in zip(scored, asked, strict=True)]
        joined = fused([section for section, _ in ranking] for ranking in rankings)
        best, count = joined[:limit], len(joined)
    shown = [section for section, _ in best]
    asked_with = [_Asked(matcher := Matcher(text), Lines(index, matcher, shown)) for text in asked]
    return [_hit(section, score, asked_with) for section, score in best], count


def _scored(index: SectionIndex, text: str, keep: Collection[str] | None) -> Scored:
    """The sections that answer one phrasing, without those that hold only relatives of a half-typed word."""
    scored = index.scored([(word, 1.0) for word in query_words(text)], keep)
    if not scored.doubtful:
        return scored
    sections = {number: index.sections[number] for number in scored.scores}
    asked = _Asked(matcher := Matcher(text), Lines(index, matcher, sections.values()))
    scores = {number: score for number, score in scored.scores.items() if asked.held(sections[number])}
    return Scored(scores, scored.whole & scores.keys())


class _Asked(NamedTuple):
    """One phrasing."""

    matcher: Matcher
    lines: Lines

    def held(self, section: IndexedSection) -> frozenset[str]:
        """The words that stand in a section or in its names, whatever the other specs hold."""
        held = self.matcher.answered_by(self.lines.rooted_in(section))
        # Where no word has the root, one that starts with the sought word may stand.
        begun = self.lines.begun_in(section)
        if not begun:
            return held
        spec = section.spec
        return held | self.matcher.held("\n".join((spec.title, spec.id, *section.trail, section.text)), begun)


def _hit(section: IndexedSection, score: float, phrasings: Sequence[_Asked]) -> SectionHit:
    spec = section.spec
    held, (matcher, lines) = max(
        ((asked.held(section), asked) for asked in phrasings),
        key=lambda entry: len(entry[0]) / len(entry[1].matcher.words),
    )
    trail = section.trail if section.trail[0] == spec.title else (spec.title, *section.trail)
    return SectionHit(
        spec=spec.id,
        title=spec.title,
        path=spec.path,
        line=section.line,
        heading=section.heading,
        trail=trail,
        score=score,
        matched=len(held),
        terms=len(matcher.words),
        snippet=best_line(lines.of(section, heading=False), matcher)
        or beginning(section.prose.strip().partition("\n")[0]),
    )
