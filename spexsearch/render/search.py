"""What `spex search` found, as text and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spexsearch.floor.matching import Matcher
from spexsearch.floor.nodes import NodeHit
from spexsearch.floor.sections import SectionHit
from spexsearch.render.escape import inert, json_line, visible

LANGUAGE_HINT = "the corpus is mostly English: a query in another language may need translating"
_BOLD, _PLAIN = "\x1b[1m", "\x1b[22m"
_SECTION_KEYS = ("spec", "title", "path", "line", "heading", "trail", "score", "matched", "terms", "snippet")
_INDENT = "    "


def hits_text(hits: Sequence[NodeHit], phrasings: Sequence[str], *, mark: bool = False) -> str:
    """Three lines a hit: rank, title, id, score; path; snippet, left out where empty. `mark` sets matches in bold."""
    matcher = _matcher(phrasings) if mark else None
    return "".join(line + "\n" for rank, hit in enumerate(hits, 1) for line in _hit(rank, hit, matcher))


def hits_json(hits: Sequence[NodeHit], *, ascii_only: bool = False) -> str:
    """`[{id, title, path, score, snippet}]` on one line, ended by LF; a whole score is written without `.0`."""
    rows = [
        {"id": hit.id, "title": hit.title, "path": hit.path, "score": _number(hit.score), "snippet": hit.snippet}
        for hit in hits
    ]
    return json_line(rows, ascii_only=ascii_only) + "\n"


def sections_text(
    hits: Sequence[SectionHit], phrasings: Sequence[str], count: int, *, most: int, mark: bool = False
) -> str:
    """`path:line  Spec › Section — snippet` a hit, `(n/m words)` where words are missing; last, how many there are.

    `count`: how many sections matched. `most`: how many can be asked for.
    """
    matcher = _matcher(phrasings) if mark else None
    lines = [_section(hit, matcher) for hit in hits]
    if len(hits) < count:
        advice = "raise --limit for the rest" if len(hits) < most else "ask more precisely for the rest"
        lines.append(f"{len(hits)} of {count} sections; {advice}")
    return "".join(line + "\n" for line in lines)


def sections_json(hits: Sequence[SectionHit], *, ascii_only: bool = False) -> str:
    """`[{spec, title, path, line, heading, trail, score, matched, terms, snippet}]` on one line, ended by LF."""
    rows = [{name: getattr(hit, name) for name in _SECTION_KEYS} | {"score": _number(hit.score)} for hit in hits]
    return json_line(rows, ascii_only=ascii_only) + "\n"


def nothing_text(query: str, nearest: Sequence[tuple[str, str]], sought: str = "spec") -> str:
    """What to try next where nothing was found. `nearest` holds (id, title)."""
    lines = [f'no {sought} matches "{visible(query)}" ({LANGUAGE_HINT})']
    if nearest:
        lines.append("nearest titles:")
        lines.extend(f"  {visible(title)}  [{visible(id_)}]" for id_, title in nearest)
    lines.append("browse all: spex tree")
    return "".join(line + "\n" for line in lines)


def _matcher(phrasings: Sequence[str]) -> Matcher:
    return Matcher("\n".join(phrasings))


def _section(hit: SectionHit, matcher: Matcher | None) -> str:
    name = f"{_marked(hit.title, matcher)} › {_marked(hit.heading, matcher)}"
    snippet = f" — {_marked(hit.snippet, matcher)}" if hit.snippet else ""
    missing = f" ({hit.matched}/{hit.terms} words)" if hit.matched < hit.terms else ""
    return inert(f"{visible(hit.path)}:{hit.line}  {name}{snippet}{missing}")


def _hit(rank: int, hit: NodeHit, matcher: Matcher | None) -> Iterator[str]:
    yield f"{rank:>2}. {_marked(hit.title, matcher)}  [{visible(hit.id)}]  ·  score {_number(hit.score)}"
    yield inert(_INDENT + visible(hit.path))
    if hit.snippet:
        yield inert(_INDENT + _marked(hit.snippet, matcher))


def _marked(text: str, matcher: Matcher | None) -> str:
    """The text with the words that answer the query in bold; each piece is escaped before it is marked."""
    pieces, at = [], 0
    for start, end in matcher.spans(text) if matcher else ():
        pieces += [visible(text[at:start]), _BOLD, visible(text[start:end]), _PLAIN]
        at = end
    return "".join([*pieces, visible(text[at:])])


def _number(score: float) -> int | float:
    return int(score) if score == int(score) else score
