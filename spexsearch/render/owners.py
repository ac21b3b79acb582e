"""Who governs a path, as text and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spexsearch.govern.owners import Ownership
from spexsearch.render.escape import json_line, visible, visible_line
from spexsearch.specs.claims import ClaimHit, said

SHOWN = 10
"""Claims of one sort that people are shown of a path; some files are referred to by half the tree."""


def owners_text(answers: Sequence[Ownership]) -> str:
    """One block a path: what is odd about it, who claims it and where, who refers to it, or the guesses."""
    return "\n".join("".join(line + "\n" for line in _block(answer)) for answer in answers)


def owners_json(answers: Sequence[Ownership], *, ascii_only: bool = False) -> str:
    """An array on one line, ended by LF, one object a path, in the order asked.

    `{path, symbol, exists, symbol_exists, governed_by, referred_to_by, elsewhere, guesses}`; claims are
    `{id, title, path, line, claim, how}`, guesses `{id, title, path, score}`.
    """
    return json_line([_row(answer) for answer in answers], ascii_only=ascii_only) + "\n"


def _block(answer: Ownership) -> Iterator[str]:
    yield visible_line(_asked(answer))
    if not answer.place.exists:
        yield "  does not exist"
    elif answer.symbol_exists is False:
        yield f"  the file has no unit {visible(answer.place.symbol or '')}"
    for label, hits in (
        ("claimed by", answer.governing),
        ("referred to by", answer.related),
        ("claims another unit:", answer.elsewhere),
    ):
        yield from (f"  {label} {_claim(hit)}" for hit in hits[:SHOWN])
        if len(hits) > SHOWN:
            yield f"  … and {len(hits) - SHOWN} more; --json has them all"
    if not answer.governing:
        yield "  no spec claims it" + ("; a guess from its words:" if answer.guesses else ", and none shares its words")
    yield from (
        f"    {visible_line(f'{hit.title} [{hit.id}] · score {hit.score:g} · {hit.path}')}" for hit in answer.guesses
    )


def _asked(answer: Ownership) -> str:
    place = answer.place
    path = place.path or "."
    return path if place.symbol is None else f"{path}#{place.symbol}"


def _claim(hit: ClaimHit) -> str:
    spec, claim = hit.spec, hit.claim
    return visible(f"{spec.title} [{spec.id}] · {spec.path}:{claim.line} · {said(claim)}")


def _row(answer: Ownership) -> dict[str, object]:
    return {
        "path": answer.place.path,
        "symbol": answer.place.symbol,
        "exists": answer.place.exists,
        "symbol_exists": answer.symbol_exists,
        "governed_by": [_claim_row(hit) for hit in answer.governing],
        "referred_to_by": [_claim_row(hit) for hit in answer.related],
        "elsewhere": [_claim_row(hit) for hit in answer.elsewhere],
        "guesses": [{"id": h.id, "title": h.title, "path": h.path, "score": h.score} for h in answer.guesses],
    }


def _claim_row(hit: ClaimHit) -> dict[str, object]:
    return {
        "id": hit.spec.id,
        "title": hit.spec.title,
        "path": hit.spec.path,
        "line": hit.claim.line,
        "claim": hit.claim.text,
        "how": hit.how,
    }
