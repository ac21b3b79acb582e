"""`untouched-spec` and `hollow-touch`: a spec governs the change, and nothing settles it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from spexsearch.govern.evidence import Hold
from spexsearch.govern.report import LEVELS, Finding, Governing, Level, Place
from spexsearch.govern.rules.judgement import Judgement, first_line
from spexsearch.govern.significance import LOUD
from spexsearch.specs.claims import said
from spexsearch.specs.model import Relation, Spec

QUIET_KINDS = ("test", "style", "generated")

Graded = tuple[Level, Hold]


def untouched_spec(judgement: Judgement, dangling: frozenset[tuple[str, str, Relation]]) -> Iterator[Finding]:
    """The specs that govern the change and are not settled.

    `dangling`: claims, by the keys of `dangling_claim`, of which another error speaks already.
    """
    there = {spec.path for spec in judgement.after.tree.specs}
    for governing in judgement.governing:
        # A spec that is gone has nothing to be brought up to date; what it claimed is `dropped-claim`'s business.
        if governing.settled or governing.path not in there:
            continue
        held = [h for h in judgement.held.get(governing.path, ()) if _key(governing, h) not in dangling]
        graded = [(level, hold) for hold in held if (level := _grade(judgement, governing, hold))]
        if graded:
            hollow = _hollow(judgement, governing)
            if hollow is not None:
                yield hollow
            # A rule that is turned down must not take another with it.
            if hollow is None or judgement.config.rules.get("hollow-touch", "error") != "error":
                yield _untouched(judgement, governing, sorted(graded, key=_worst))


def _key(governing: Governing, hold: Hold) -> tuple[str, str, Relation]:
    return governing.path, hold.claim.text, hold.claim.relation


def _grade(judgement: Judgement, governing: Governing, hold: Hold) -> Level | None:
    # Who takes code on in this very change has just said so.
    if hold.how == "related" or hold.new:
        return None
    if judgement.config.mode == "strict":
        return "error"
    if _is_nearer_asked(judgement, governing.path, hold):
        return None
    if hold.how == "unit-missed" or hold.judged.effect.kind in QUIET_KINDS or hold.significance not in LOUD:
        return None
    return _level(judgement, governing, hold)


def _level(judgement: Judgement, governing: Governing, hold: Hold) -> Level:
    """The level of a finding that is made: by the built-in grading, or by the configured scores."""
    thresholds = judgement.config.thresholds
    is_error = hold.how == "unit" or governing.path in hold.judged.first
    if "error" in thresholds:
        is_error = governing.score >= thresholds["error"]
    if is_error:
        return "error"
    return "warning" if governing.score >= thresholds.get("warning", -inf) else "note"


def _is_nearer_asked(judgement: Judgement, path: str, hold: Hold) -> bool:
    """Whether specs below this one claim, by name, all that changed: of nested specs, the nearest answers."""
    if hold.how not in ("file", "folder", "glob", "module"):
        return False
    below = [h for h in _below(judgement, path) if h.judged is hold.judged and h.how in ("unit", "file")]
    if hold.how != "file" and any(h.how == "file" for h in below):
        return True
    effect = hold.judged.effect
    loud = [unit for unit, told in effect.units.items() if told in LOUD]
    symbols = [h.claim.symbol for h in below if h.claim.symbol is not None]
    named = all(any(effect.is_on(symbol, unit) for symbol in symbols) for unit in loud)
    return bool(loud) and named and effect.loose not in LOUD


def _below(judgement: Judgement, path: str) -> Iterator[Hold]:
    """The claims of the specs below one in the tree."""
    parents = judgement.after.tree.parents
    for other, held in judgement.held.items():
        above = other
        while above in parents and above != path:
            above = parents[above]
        if above == path and other != path:
            yield from held


def _worst(graded: Graded) -> tuple[int, bool, float, str, int]:
    level, hold = graded
    return (
        LEVELS.index(level),
        hold.how != "unit",
        -hold.judged.effect.behaviour,
        hold.judged.change.path,
        hold.claim.line,
    )


def _hollow(judgement: Judgement, governing: Governing) -> Finding | None:
    change = judgement.changes.get(governing.path)
    old, new = (specs.get(governing.path) for specs in (judgement.specs_before, judgement.specs))
    if change is None or change.old_blob == change.new_blob or old is None or new is None:
        return None
    if _claims(old) != _claims(new) or old.status != new.status:
        return None
    line = first_line(change)
    return Finding(
        rule="hollow-touch",
        level="error",
        message=f"the edit of spec {new.id} says nothing: only white space, markup or frontmatter changed",
        path=governing.path,
        line=line,
        end_line=line,
        spec=new.id,
        spec_path=governing.path,
        score=governing.score,
        section=_place(governing),
        details=(("for", ", ".join(governing.changes[:5])), _do(new)),
    )


def _claims(spec: Spec) -> list[tuple[str, str]]:
    return [(claim.relation, claim.text) for claim in spec.claims]


def _untouched(judgement: Judgement, governing: Governing, graded: Sequence[Graded]) -> Finding:
    level, hold = graded[0]
    change = hold.judged.change
    symbol = hold.claim.symbol if hold.how == "unit" else None
    what = f"`{symbol}` in {change.path}" if symbol else change.path
    others = len({held.judged.change.path for _, held in graded}) - 1
    more = f" (and {others} more file{'s' if others > 1 else ''} that it claims)" if others else ""
    verb = "changed" if change.status not in ("A", "D") else {"A": "is new", "D": "is gone"}[change.status]
    line = judgement.line_of(change, symbol) if symbol else first_line(change)
    spec = judgement.specs.get(governing.path, hold.spec)
    return Finding(
        rule="untouched-spec",
        level=level,
        message=f"{what} {verb}{more}, but the text of spec {spec.id} did not change",
        path=change.path,
        line=line,
        end_line=line,
        spec=spec.id,
        spec_path=governing.path,
        unit=symbol,
        score=governing.score,
        section=_place(governing),
        details=tuple(_details(judgement, spec, governing, [held for _, held in graded])),
    )


def _details(judgement: Judgement, spec: Spec, governing: Governing, held: Sequence[Hold]) -> Iterator[tuple[str, str]]:
    units = _changed_units(held)
    if units and (len(units) > 1 or held[0].how != "unit"):
        yield "what", ", ".join(units[:5]) + (f" and {len(units) - 5} more" if len(units) > 5 else "")
    yield "claim", f"{held[0].spec.path}:{held[0].claim.line}  {said(held[0].claim)}"
    yield "read", _read(spec, governing)
    commits = [c for c in judgement.change_set.commits if not c.paths.isdisjoint(governing.changes)]
    if len(judgement.change_set.commits) > 1 and commits:
        named = [f"{commit.sha[:10]} {commit.message.strip().partition(chr(10))[0]}" for commit in commits[:3]]
        yield "since", "; ".join(named) + (f"; and {len(commits) - 3} more" if len(commits) > 3 else "")
    yield _do(spec)


def _read(spec: Spec, governing: Governing) -> str:
    """Where the spec speaks of the change, or where it begins."""
    if not governing.sections:
        return f"{governing.path}:{spec.body_line}  {spec.title}"
    section = governing.sections[0]
    heading = spec.title if section.heading == spec.title else f"{spec.title} › {section.heading}"
    return f"{governing.path}:{section.line}  {heading}"


def _place(governing: Governing) -> Place | None:
    return Place(governing.sections[0].heading, governing.sections[0].line) if governing.sections else None


def _changed_units(held: Sequence[Hold]) -> list[str]:
    """The changed units that the claims are on, the first claim's first."""
    units: dict[str, None] = {}
    for hold in held:
        effect, symbol = hold.judged.effect, hold.claim.symbol if hold.how == "unit" else None
        loud = (unit for unit, told in effect.units.items() if told in LOUD)
        units.update((unit, None) for unit in loud if symbol is None or effect.is_on(symbol, unit))
    return list(units)


def _do(spec: Spec) -> tuple[str, str]:
    return (
        "do",
        f"edit the spec in the same change or, if it still holds, write in the commit message: Spec-OK: {spec.id}",
    )
