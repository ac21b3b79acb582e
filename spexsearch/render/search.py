"""What `spex search` found, as text and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spexsearch.floor.nodes import NodeHit
from spexsearch.floor.tokens import match_spans, query_terms
from spexsearch.render.escape import inert, json_line, visible

LANGUAGE_HINT = "the corpus is mostly English: a query in another language may need translating"
_BOLD, _PLAIN = "\x1b[1m", "\x1b[22m"
_INDENT = "    "


def hits_text(hits: Sequence[NodeHit], query: str, *, mark: bool = False) -> str:
    """Three lines a hit: rank, title, id, score; path; snippet, left out where empty. `mark` sets matches in bold."""
    terms = query_terms(query) if mark else []
    return "".join(line + "\n" for rank, hit in enumerate(hits, 1) for line in _hit(rank, hit, terms))


def hits_json(hits: Sequence[NodeHit], *, ascii_only: bool = False) -> str:
    """`[{id, title, path, score, snippet}]` on one line, ended by LF; a whole score is written without `.0`."""
    rows = [
        {"id": hit.id, "title": hit.title, "path": hit.path, "score": _number(hit.score), "snippet": hit.snippet}
        for hit in hits
    ]
    return json_line(rows, ascii_only=ascii_only) + "\n"


def nothing_text(query: str, nearest: Sequence[tuple[str, str]]) -> str:
    """What to try next where nothing was found. `nearest` holds (id, title)."""
    lines = [f'no spec matches "{visible(query)}" ({LANGUAGE_HINT})']
    if nearest:
        lines.append("nearest titles:")
        lines.extend(f"  {visible(title)}  [{visible(id_)}]" for id_, title in nearest)
    lines.append("browse all: spex tree")
    return "".join(line + "\n" for line in lines)


def _hit(rank: int, hit: NodeHit, terms: Sequence[str]) -> Iterator[str]:
    yield f"{rank:>2}. {_marked(hit.title, terms)}  [{visible(hit.id)}]  ·  score {_number(hit.score)}"
    yield inert(_INDENT + visible(hit.path))
    if hit.snippet:
        yield inert(_INDENT + _marked(hit.snippet, terms))


def _marked(text: str, terms: Sequence[str]) -> str:
    """The text with the words that answer the terms in bold; each piece is escaped before it is marked."""
    pieces, at = [], 0
    for start, end in match_spans(text, terms) if terms else ():
        pieces += [visible(text[at:start]), _BOLD, visible(text[start:end]), _PLAIN]
        at = end
    return "".join([*pieces, visible(text[at:])])


def _number(score: float) -> int | float:
    return int(score) if score == int(score) else score
