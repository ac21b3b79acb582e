"""Ranks specs for a query, and shows the words that answer it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spexsearch.floor.index import NodeIndex
from spexsearch.floor.order import utf16_length
from spexsearch.floor.tokens import count_ascii_words, flatten, query_terms
from spexsearch.specs.model import Spec, SpecTree, walk_order

_SNIPPET_LENGTH = 140
_SNIPPET_LEAD = 46
_CLOSE_ENOUGH = 0.5
# Most matches stand early in a spec.
_FIRST_REACH = 1024
_WORD_END = re.compile(b"[^a-z0-9_]")


@dataclass(frozen=True, slots=True)
class NodeHit:
    """One spec that answers a query. `score` is rounded to hundredths; `snippet` is one line, perhaps empty."""

    id: str
    title: str
    path: str
    score: float
    snippet: str


def search_nodes(where: SpecTree | NodeIndex, query: str, limit: int = 10) -> list[NodeHit]:
    """The specs that answer a query, best first, `limit` at most; none for a limit below 1.

    A tree is indexed anew at each call: who asks several questions builds the `NodeIndex` once.
    """
    terms = query_terms(query)
    if limit < 1 or not terms:
        return []
    index = where if isinstance(where, NodeIndex) else NodeIndex.build(where.specs)
    return [
        NodeHit(spec.id, spec.title, spec.path, score, snippet(spec, terms))
        for number, score in index.rank((term, 1.0) for term in terms)[:limit]
        for spec in (index.specs[number],)
    ]


def rank_nodes(index: NodeIndex, terms: Iterable[tuple[str, float]]) -> list[tuple[Spec, float]]:
    """Every spec that answers any of the (term, weight), best first, with its score rounded to hundredths."""
    return [(index.specs[number], score) for number, score in index.rank(terms)]


def snippet(spec: Spec, terms: Sequence[str]) -> str:
    """The place in desc and body where the first of the terms stands, or the desc where none does, on one line.

    140 UTF-16 code units at most, and an ellipsis where it was cut; a character that a cut would halve is left out.
    """
    text = f"{spec.desc}\n{spec.body}"
    at = _first_match(text, terms)
    if at is None:
        return _beginning(flatten(spec.desc or text))
    before, after = _flat_around(text, at)
    start = max(0, utf16_length(before) - _SNIPPET_LEAD)
    units = (before + after).encode("utf-16-le", "surrogatepass")
    end = start + _SNIPPET_LENGTH
    piece = _decoded(units[2 * start : 2 * end]).strip(" ")
    return ("…" if start else "") + piece + ("…" if 2 * end < len(units) else "")


def _first_match(text: str, terms: Sequence[str]) -> int | None:
    """The smallest offset of a term in any case, an ASCII term at the start of a word only."""
    sought = [term.encode() for term in terms]
    # Terms are single words: none begins before the first match and ends behind it, where the text was cut.
    for reach in (_FIRST_REACH, len(text)):
        at = _first_start(_ascii_lower(text[:reach]), sought)
        if at is not None:
            return at
    return None


def _ascii_lower(text: str) -> bytes:
    """Lower-cased as far as terms go, one character for each: they are ASCII or have no case."""
    # Only the dotted capital I and the Kelvin sign, of all beyond ASCII, lower-case to an ASCII letter.
    return text.replace("\u0130", "i").replace("\u212a", "k").encode("utf-8", "surrogatepass").lower()


def _first_start(low: bytes, sought: Sequence[bytes]) -> int | None:
    """The offset in characters of the first term that stands in the text, at the start of a word if it is ASCII."""
    best = len(low)
    for term in sought:
        at = low.find(term, 0, best)
        while at > 0 and term.isascii() and not _WORD_END.match(low, at - 1):
            word_end = _WORD_END.search(low, at)
            at = low.find(term, word_end.end(), best) if word_end else -1
        if at >= 0:
            best = at
    return len(low[:best].decode("utf-8", "surrogatepass")) if best < len(low) else None


def _flat_around(text: str, at: int) -> tuple[str, str]:
    """The flattened text before and from an offset, as far as a snippet can need it."""
    reach = 2 * _SNIPPET_LENGTH
    while True:
        first, last = max(0, at - reach), at + reach
        # The character at the offset keeps the space before it from being trimmed.
        before, after = flatten(text[first : at + 1])[:-1], flatten(text[at:last])
        reaches_back = first == 0 or len(before) > _SNIPPET_LEAD
        if reaches_back and (last >= len(text) or len(after) > _SNIPPET_LENGTH):
            return before, after
        reach *= 2


def _beginning(flat: str) -> str:
    units = flat.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * _SNIPPET_LENGTH:
        return flat
    return _decoded(units[: 2 * _SNIPPET_LENGTH]).strip(" ") + "…"


def _decoded(units: bytes) -> str:
    return units.decode("utf-16-le", "ignore")


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
