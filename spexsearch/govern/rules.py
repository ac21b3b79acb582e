"""The rules: what is settled, what is not, and how loudly to say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from spexsearch.govern.config import Config
from spexsearch.govern.evidence import FIRST, Hold, Judged
from spexsearch.govern.model import Change
from spexsearch.govern.report import LEVELS, Finding, Governing, Level
from spexsearch.specs.model import Claim, ClaimKind, Relation, Spec, SpecTree

QUIET_KINDS = ("test", "style", "generated", "spec")
LOUD = ("behaviour", "literal")


@dataclass(frozen=True, slots=True)
class State:
    """What every rule looks at. `held` and `specs` are by spec path at the head."""

    judging: tuple[Judged, ...]
    governing: Sequence[Governing]
    held: Mapping[str, Sequence[Hold]]
    before: SpecTree
    after: SpecTree
    config: Config
    specs: Mapping[str, Spec]


def run(state: State) -> list[Finding]:
    """Every rule's findings, at the levels that the configuration gives them, in no order."""
    found = (*untouched_spec(state), *ungoverned_code(state))
    return [levelled for finding in found if (levelled := _levelled(finding, state.config)) is not None]


def _levelled(finding: Finding, config: Config) -> Finding | None:
    fixed = config.rules.get(finding.rule)
    if fixed == "off":
        return None
    if fixed is not None:
        return replace(finding, level=fixed)
    return replace(finding, level="warning") if config.mode == "advisory" and finding.level == "error" else finding


def untouched_spec(state: State) -> Iterator[Finding]:
    """A spec governs the change and is not settled."""
    for governing in state.governing:
        if governing.settled:
            continue
        graded = [
            (level, hold) for hold in state.held.get(governing.path, ()) if (level := _grade(state, governing, hold))
        ]
        if graded:
            level, hold = min(graded, key=_worst)
            yield _untouched(state, governing, hold, level, len({h.judged.change.path for _, h in graded}) - 1)


def _worst(graded: tuple[Level, Hold]) -> tuple[int, bool, float, str, int]:
    level, hold = graded
    return (
        LEVELS.index(level),
        hold.how != "unit",
        -hold.judged.effect.behaviour,
        hold.judged.change.path,
        hold.claim.line,
    )


def _grade(state: State, governing: Governing, hold: Hold) -> Level | None:
    if hold.how == "related":
        return None
    if state.config.mode == "strict":
        return "error"
    effect = hold.judged.effect
    if hold.how == "unit-missed" or effect.kind in QUIET_KINDS or effect.significance not in LOUD:
        return None
    return "error" if hold.how == "unit" or governing.path in hold.judged.first else "warning"


def _untouched(state: State, governing: Governing, hold: Hold, level: Level, others: int) -> Finding:
    change = hold.judged.change
    symbol = hold.claim.symbol if hold.how == "unit" else None
    what = f"`{symbol}` in {change.path}" if symbol else change.path
    more = f" (and {others} more file{'s' if others > 1 else ''} that it claims)" if others else ""
    verb = {"D": "is deleted", "A": "is new"}.get(change.status, "changed")
    line = _first_line(change)
    spec = state.specs.get(governing.path, hold.spec)
    units = ", ".join(hold.judged.effect.units[:5])
    details = [
        ("claim", f"{hold.spec.path}:{hold.claim.line}  {hold.claim.relation}: {hold.claim.text or '(its folder)'}"),
        ("read", f"{governing.path}:{spec.body_line}  {spec.title}"),
        (
            "do",
            f"edit the spec in the same change or, if it still holds, write in the commit message: Spec-OK: {spec.id}",
        ),
    ]
    if units and not symbol:
        details.insert(0, ("what", units))
    return Finding(
        rule="untouched-spec",
        level=level,
        message=f"{what} {verb}{more}, its spec {spec.id} is as it was",
        path=change.path,
        line=line,
        end_line=line,
        spec=spec.id,
        spec_path=governing.path,
        unit=symbol,
        score=governing.score,
        details=tuple(details),
    )


def ungoverned_code(state: State) -> Iterator[Finding]:
    """Changed source that no spec claims."""
    if not state.after.specs:
        return
    claimed = {h.judged.change.path for held in state.held.values() for h in held if h.claim.relation is Relation.CODE}
    folders = claimed_folders(state.after)
    for judged in state.judging:
        change, effect = judged.change, judged.effect
        if (
            effect.kind != "code"
            or effect.significance != "behaviour"
            or change.status == "D"
            or change.path in claimed
        ):
            continue
        new = change.status in ("A", "C")
        level: Level = "warning" if new and change.path.rpartition("/")[0] in folders else "note"
        yield _ungoverned(state, judged, level)


def claimed_folders(tree: SpecTree) -> frozenset[str]:
    """Folders of which some file is claimed by name."""
    kinds = (ClaimKind.PATH, ClaimKind.UNIT)
    claims: Iterable[Claim] = (
        c for s in tree.specs for c in s.claims if c.relation is Relation.CODE and c.kind in kinds
    )
    return frozenset(claim.path.rpartition("/")[0] for claim in claims)


def _ungoverned(state: State, judged: Judged, level: Level) -> Finding:
    change = judged.change
    line = _first_line(change)
    probable = [state.specs[path] for path in judged.first[:FIRST]]
    details = [("maybe", f"{spec.path}  {spec.title} [{spec.id}]") for spec in probable]
    details.append(("do", f"add to the `code:` list of the spec that governs it:  - {change.path}"))
    new = "new file" if change.status in ("A", "C") else "changed"
    return Finding(
        rule="ungoverned-code",
        level=level,
        message=f"{new}, and no spec claims it" + (f"; it may belong to {probable[0].id}" if probable else ""),
        path=change.path,
        line=line,
        end_line=line,
        spec=probable[0].id if probable else None,
        spec_path=probable[0].path if probable else None,
        details=tuple(details),
    )


def _first_line(change: Change) -> int:
    if change.added:
        return change.added[0].number
    return max(1, change.hunks[0].new_start) if change.hunks else 1
