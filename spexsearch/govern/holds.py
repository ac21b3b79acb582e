"""(change, claims) -> holds: which claims of which specs are on a change, and what it does to what they claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from spexsearch.govern.model import Change
from spexsearch.govern.significance import LOUD, QUIET, Effect, Significance
from spexsearch.specs.claims import ClaimHit, ClaimIndex
from spexsearch.specs.model import Claim, Relation, Spec

if TYPE_CHECKING:
    from spexsearch.govern.queries import Phrasing

STRENGTH = ("unit", "file", "folder", "glob", "module", "unit-missed", "related", "none")
"""What a claim can be to a change, strongest first."""

FIRST = 3  # nine in ten edited specs that the words find at all are among the first three


class Judged(NamedTuple):
    """One change with what it does, the wordings it asks in, and how much each spec says of it.

    `shares`: path of a spec at the base -> its best passage's score over that of any spec, above 0 and at most 1.
    """

    change: Change
    effect: Effect
    asked: tuple[Phrasing, ...]
    shares: Mapping[str, float] = {}

    @property
    def first(self) -> tuple[str, ...]:
        """Paths at the base of the three specs that say most of it."""
        return tuple(sorted(self.shares, key=lambda path: (-self.shares[path], path))[:FIRST])

    @property
    def is_loud(self) -> bool:
        """Whether it can leave a spec behind: code or configuration that does something else now."""
        return self.effect.kind not in QUIET and self.effect.significance in LOUD


class Hold(NamedTuple):
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

    @property
    def is_hit(self) -> bool:
        """Whether the spec claimed what changed before: not a mere mention, nor another unit of the file."""
        return self.how not in ("related", "unit-missed") and not self.new


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


def strongest(held: Iterable[Hold]) -> Hold | None:
    """The hold that says most; of equals the first by path and line."""
    return min(held, key=lambda h: (STRENGTH.index(h.how), h.judged.change.path, h.claim.line), default=None)
