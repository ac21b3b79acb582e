"""Recorded learnings as text and as JSON. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from spexsearch.floor.learnings import LearningHit
from spexsearch.render.escape import inert, json_line, shortened, visible


def learnings_text(hits: Sequence[LearningHit], matched: int | None = None) -> str:
    """How many there are, then a group a type, in the order of their first rows; nothing where there are none.

    `matched`: how many answer the query; None where nothing was asked for.
    """
    if not hits:
        return ""
    groups: dict[str, list[LearningHit]] = defaultdict(list)
    for hit in hits:
        groups[hit.type].append(hit)
    lines = [_summary(groups, len(hits), matched), ""]
    for type_, members in groups.items():
        lines += [f"## {visible(type_[:1].upper() + type_[1:])}s"]
        lines += [line for hit in members for line in _learning(hit)]
        lines += [""]
    return "".join(line + "\n" for line in lines)


def learnings_json(hits: Sequence[LearningHit], *, ascii_only: bool = False) -> str:
    """`[{key, type, insight, confidence, source, ts, files, cross_project}]` on one line, ended by LF."""
    return json_line([hit._asdict() for hit in hits], ascii_only=ascii_only) + "\n"


def _summary(groups: dict[str, list[LearningHit]], shown: int, matched: int | None) -> str:
    counts = ", ".join(
        f"{len(members)} {visible(type_)}{'s' if len(members) > 1 else ''}" for type_, members in groups.items()
    )
    if matched is None or matched <= shown:
        return f"LEARNINGS: {shown} loaded ({counts})"
    return f"LEARNINGS: {shown} of {matched} matched ({counts}); raise --limit for the rest"


def _learning(hit: LearningHit) -> Iterator[str]:
    date = hit.ts.split("T")[0] if hit.ts else "undated"
    told = f"confidence: {hit.confidence:g}/10, {visible(hit.source or 'no source')}, {visible(date)}"
    yield f"- [{visible(hit.key)}] ({told}){' [cross-project]' if hit.cross_project else ''}"
    files = f" (files: {shortened(', '.join(hit.files))})" if hit.files else ""
    yield inert(f"  {shortened(hit.insight)}{files}")
