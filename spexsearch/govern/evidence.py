"""(change, spec) -> evidence -> score: what says that a spec governs a change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from spexsearch.floor.index import NodeIndex
from spexsearch.floor.nodes import rank_nodes
from spexsearch.govern.model import Change
from spexsearch.govern.queries import Phrasing, Terms, weighted, wordings
from spexsearch.govern.report import Evidence, ScoredSection
from spexsearch.govern.significance import Effect, Significance
from spexsearch.specs.claims import ClaimHit, ClaimIndex
from spexsearch.specs.model import Claim, Relation, Spec

STRENGTH = ("unit", "file", "folder", "glob", "module", "unit-missed", "related", "none")
"""What a claim can be to a change, strongest first."""

CLAIM_HIT, CLAIM_MISSED, RELATED = 0.5, 0.2, 0.1
"""Weights beside a floor score between 0 and 1. Fixed once, not tuned, and measured on four histories."""

FIRST = 3  # nine in ten edited specs that the floor finds at all are among its first three
SHOWN = 10
MAX_WORDING = 100  # the heaviest words of one wording: enough to tell the sections of one spec apart


@dataclass(frozen=True, slots=True)
class Judged:
    """One change with what it does, the wordings it asks in, and the specs that the floor names first for it alone."""

    change: Change
    effect: Effect
    asked: tuple[Phrasing, ...]
    first: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hold:
    """One claim of one spec on one change.

    `how` is a word of `STRENGTH`; `significance` what the change does to what is claimed; `new`: the claim was not in
    force before.
    """

    spec: Spec
    claim: Claim
    how: str
    judged: Judged
    significance: Significance
    new: bool = False


def holds(judged: Judged, before: ClaimIndex, after: ClaimIndex, moved: Mapping[str, str]) -> list[Hold]:
    """Every claim in force on a change, at the base or at the head, once a claim; specs by their paths at the head."""
    change = judged.change
    head = () if change.status == "D" else after.on(change.path)
    base = before.on(change.before)
    known = {_key(hit, moved) for hit in base}
    in_force = () if change.status in ("A", "C") or _handed_over(judged, base, head, moved) else base
    found: dict[tuple[str, str, Relation], Hold] = {}
    for hit in (*head, *in_force):
        key = _key(hit, moved)
        found.setdefault(key, Hold(hit.spec, hit.claim, *_how(hit, judged), new=key not in known))
    return list(found.values())


def _key(hit: ClaimHit, moved: Mapping[str, str]) -> tuple[str, str, Relation]:
    return moved.get(hit.spec.path, hit.spec.path), hit.claim.text, hit.claim.relation


def _handed_over(judged: Judged, base: Sequence[ClaimHit], head: Sequence[ClaimHit], moved: Mapping[str, str]) -> bool:
    """Whether a spec that did not claim what changed now does, and says something: who gave it up is asked no more."""
    before = {moved.get(hit.spec.path, hit.spec.path) for hit in base if hit.claim.relation is Relation.CODE}
    return any(
        hit.spec.path not in before and hit.spec.body and _how(hit, judged)[0] != "unit-missed"
        for hit in head
        if hit.claim.relation is Relation.CODE
    )


def _how(hit: ClaimHit, judged: Judged) -> tuple[str, Judged, Significance]:
    effect, symbol = judged.effect, hit.claim.symbol
    if hit.claim.relation is Relation.RELATED:
        return "related", judged, effect.significance
    if symbol is None:
        return hit.how, judged, effect.significance
    # Without units the file is one unit, and its claim a claim on the file.
    if not effect.outlined:
        return "file", judged, effect.significance
    told = effect.on(symbol)
    return ("unit", judged, told) if told else ("unit-missed", judged, "none")


class Floor:
    """The floor over the specs of one state, asked by phrasings."""

    def __init__(self, specs: Sequence[Spec]) -> None:
        self._index = NodeIndex.build(specs)

    def scores(self, terms: Terms) -> dict[str, float]:
        """Spec path -> score, best first; only specs that share a word."""
        return {spec.path: score for spec, score in rank_nodes(self._index, terms) if score > 0}

    def first(self, asked: Iterable[Phrasing], count: int = FIRST) -> tuple[str, ...]:
        """Paths of the specs that the phrasings call up first."""
        return tuple(self.scores(weighted(asked)))[:count]


def speaking(specs: Sequence[Spec], asked: Iterable[Phrasing]) -> dict[str, tuple[ScoredSection, ...]]:
    """The three sections of each spec, by its path, that speak most of what the phrasings ask.

    The sections compete among those of these specs only: what is rare elsewhere does not tell them apart.
    """
    from spexsearch.floor.section_index import SectionIndex

    found = SectionIndex.build(specs).best({spec.path for spec in specs}, wordings(asked, MAX_WORDING))
    return {
        path: tuple(ScoredSection(section.heading, section.line, score) for section, score in best)
        for path, best in found.items()
    }


def weigh(share: float, held: Sequence[Hold]) -> tuple[Evidence, ...]:
    """Evidence that one spec governs a change set. `share`: its floor score over the best of any spec, 0…1."""
    evidence = []
    if share > 0:
        evidence.append(Evidence("floor", round(share, 4), f"{share:.0%} of the best match for the change's words"))
    for hold in (strongest(h for h in held if h.how != "related"), strongest(h for h in held if h.how == "related")):
        if hold is not None:
            name, weight = _WEIGHTS.get(hold.how, ("claim-hit", CLAIM_HIT))
            detail = f"{hold.spec.path}:{hold.claim.line} {hold.claim.relation}: {hold.claim.text}"
            evidence.append(Evidence(name, weight, detail))
    return tuple(evidence)


_WEIGHTS = {"related": ("related", RELATED), "unit-missed": ("claim-missed", CLAIM_MISSED)}


def strongest(held: Iterable[Hold]) -> Hold | None:
    """The hold that says most; of equals the first by path and line."""
    return min(held, key=lambda h: (STRENGTH.index(h.how), h.judged.change.path, h.claim.line), default=None)
