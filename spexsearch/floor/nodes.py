"""Ranks specs for a query, and shows the words that answer it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple

from spexsearch.floor.fusion import phrasings, reciprocal_rank
from spexsearch.floor.index import NodeIndex
from spexsearch.floor.snippets import beginning, best_line, snippet
from spexsearch.floor.tokens import count_ascii_words, flatten, query_terms, query_words, words
from spexsearch.specs.model import Spec, SpecTree, walk_order

if TYPE_CHECKING:
    from spexsearch.floor.section_index import SectionIndex
    from spexsearch.floor.section_reading import IndexedSection

_CLOSE_ENOUGH = 0.5

Ranker = Literal["sections", "floor"]


class NodeHit(NamedTuple):
    """One spec that answers a query.

    `score` is rounded to hundredths, of several phrasings to millionths; `snippet` is one line, perhaps empty.
    """

    id: str
    title: str
    path: str
    score: float
    snippet: str


def search_nodes(
    where: SpecTree | NodeIndex | SectionIndex,
    query: str | Sequence[str],
    limit: int = 10,
    ranker: Ranker = "sections",
    *,
    keep: Collection[str] | None = None,
) -> list[NodeHit]:
    """The specs that answer a query, best first, `limit` at most; none for a limit below 1.

    `ranker`: how a tree is ranked, by each spec's best section and its names, or as the reference does; an index ranks
    in its own way. Several phrasings are joined by reciprocal rank, which is then the score. `keep`: the paths of the
    specs that are wanted. A tree is indexed anew at each call: who asks several questions builds an index once.
    """
    asked = [text for text in phrasings(query) if words(text)]
    if limit < 1 or not asked:
        return []
    if isinstance(where, SpecTree):
        where = _indexed(where, ranker)
    # One ranking needs no more than is shown of it; joined, the tails of several count.
    enough = limit if len(asked) == 1 else None
    answers = [
        _by_floor(where, text, keep) if isinstance(where, NodeIndex) else _by_sections(where, text, keep, enough)
        for text in asked
    ]
    best = _joined([ranked for ranked, _ in answers])[:limit]
    shown = {
        place: iter(show([spec for spec, _, ranking in best if ranking == place]))
        for place, (_, show) in enumerate(answers)
    }
    return [NodeHit(spec.id, spec.title, spec.path, score, next(shown[place])) for spec, score, place in best]


def _indexed(tree: SpecTree, ranker: Ranker) -> NodeIndex | SectionIndex:
    if ranker == "floor":
        return NodeIndex.build(tree.specs)
    # A commit hook ranks specs, and need not load what ranks sections.
    from spexsearch.floor.section_index import SectionIndex

    return SectionIndex.build(tree.specs)


_Ranked = list[tuple[Spec, float]]
_Show = Callable[[Sequence[Spec]], Iterable[str]]


def _by_floor(index: NodeIndex, query: str, keep: Collection[str] | None) -> tuple[_Ranked, _Show]:
    terms = query_terms(query)
    ranked = rank_nodes(index, [(term, 1.0) for term in terms])
    kept = [hit for hit in ranked if keep is None or hit[0].path in keep]
    return kept, lambda specs: [snippet(spec, terms) for spec in specs]


def _by_sections(
    index: SectionIndex, query: str, keep: Collection[str] | None, limit: int | None
) -> tuple[_Ranked, _Show]:
    asked = query_words(query)
    found = index.rank_nodes([(word, 1.0) for word in asked], limit=limit, keep=keep)
    best = {spec.path: section for spec, _, section in found}
    return (
        [(spec, score) for spec, score, _ in found],
        lambda specs: _best_lines(index, query, [best[spec.path] for spec in specs]),
    )


def _best_lines(index: SectionIndex, query: str, sections: Sequence[IndexedSection]) -> Iterator[str]:
    """For each section the line that answers best, or the desc of its spec if that does."""
    from spexsearch.floor.lines import Lines
    from spexsearch.floor.matching import Matcher

    matcher = Matcher(query)
    lines = Lines(index, matcher, sections)
    for section in sections:
        spec = section.spec
        desc = (len(matcher.words), -1, flatten(spec.desc))
        candidates = chain([desc], lines.of(section, heading=True))
        yield best_line(candidates, matcher) or beginning(spec.desc or spec.body)


def _joined(rankings: Sequence[_Ranked]) -> list[tuple[Spec, float, int]]:
    """One ranking as it is, several by reciprocal rank; with each spec the place of the first ranking that holds it."""
    if len(rankings) == 1:
        return [(spec, score, 0) for spec, score in rankings[0]]
    specs: dict[str, tuple[Spec, int]] = {}
    for place, ranked in enumerate(rankings):
        for spec, _ in ranked:
            specs.setdefault(spec.path, (spec, place))
    scores = reciprocal_rank([spec.path for spec, _ in ranked] for ranked in rankings)
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [(specs[path][0], score, specs[path][1]) for path, score in best]


def rank_nodes(index: NodeIndex, terms: Iterable[tuple[str, float]]) -> list[tuple[Spec, float]]:
    """Every spec that answers any of the (term, weight), best first, with its score rounded to hundredths."""
    return [(index.specs[number], score) for number, score in index.rank(terms)]


def nearest_titles(tree: SpecTree, query: str, count: int = 3) -> list[tuple[str, str]]:
    """The (id, title) of the specs whose titles and ids come closest to the query, best first.

    Each word of the query gives its best likeness to a word of the name, 1 - distance / length of the longer, if that
    is a half or more (Levenshtein's distance); the sums are compared, equal ones in the order of the tree.
    """
    from rapidfuzz.distance import Levenshtein

    asked = _plain_words(query)
    sums: list[tuple[float, Spec]] = []
    for spec in sorted(tree.specs, key=lambda spec: walk_order(spec.path)):
        names = set(_plain_words(f"{spec.title} {spec.id}"))
        likeness = (
            max((Levenshtein.normalized_similarity(word, name) for name in names), default=0.0) for word in asked
        )
        total = sum(best for best in likeness if best >= _CLOSE_ENOUGH)
        if total > 0:
            sums.append((total, spec))
    sums.sort(key=lambda item: item[0], reverse=True)
    return [(spec.id, spec.title) for _, spec in sums[:count]]


def _plain_words(text: str) -> list[str]:
    return [word for word in re.findall("[a-z0-9]+", text.lower()) if len(word) > 1]


def corpus_tokens(tree: SpecTree) -> int:
    """How many runs of ASCII letters and digits the titles, ids, descs and bodies hold."""
    return sum(count_ascii_words(f"{spec.title} {spec.id} {spec.desc} {spec.body}") for spec in tree.specs)
