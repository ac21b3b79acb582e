"""`untouched-spec` and `hollow-touch`: a spec governs the change, and nothing settles it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from spexsearch.floor.tokens import compounds, telling_forms
from spexsearch.govern.evidence import CARRIED, ERROR, WARNING, carried
from spexsearch.govern.holds import Hold
from spexsearch.govern.report import LEVELS, Finding, Governing, Level, Place
from spexsearch.govern.rules.judgement import Judgement, first_line
from spexsearch.govern.significance import LOUD
from spexsearch.specs.claims import said
from spexsearch.specs.model import Relation, Spec

Graded = tuple[Level, Hold]


def untouched_spec(judgement: Judgement, dangling: frozenset[tuple[str, str, Relation]]) -> Iterator[Finding]:
    """The specs that govern the change and are not settled.

    `dangling`: claims, by the keys of `dangling_claim`, of which another error speaks already.
    """
    there = {spec.path for spec in judgement.after.tree.specs}
    for governing in judgement.governing:
        # A spec that is gone has nothing to be brought up to date; what it claimed is `dropped-claim`'s business.
        if governing.path not in there:
            continue
        held = [h for h in judgement.held.get(governing.path, ()) if _asks(judgement, governing, h, dangling)]
        hollow = _hollow(judgement, governing) if any(hold.is_hit for hold in held) else None
        if hollow is not None and not governing.settled:
            yield hollow
        elif governing.touched and (aside := _aside(judgement, governing, held)):
            yield aside
        # A rule that is turned down must not take another with it.
        if governing.settled or (hollow and judgement.config.rules.get("hollow-touch", "error") == "error"):
            continue
        graded = [(level, hold) for hold in held if (level := _grade(judgement, governing, hold))]
        if graded:
            yield _untouched(judgement, governing, sorted(graded, key=_worst))


def _asks(
    judgement: Judgement, governing: Governing, hold: Hold, dangling: frozenset[tuple[str, str, Relation]]
) -> bool:
    """Whether a change asks anything of whoever holds it. Who takes code on in this very change has just said so."""
    if hold.new or (governing.path, hold.claim.text, hold.claim.relation) in dangling:
        return False
    strict = judgement.config.mode == "strict" and hold.claim.relation is Relation.CODE
    return strict or (hold.judged.is_loud and (hold.how in ("related", "unit-missed") or hold.significance in LOUD))


def _grade(judgement: Judgement, governing: Governing, hold: Hold) -> Level | None:
    """The level by the evidence, None for silence: an error needs a claim that carries it, a warning a mention."""
    if judgement.config.mode == "strict":
        return "error" if hold.claim.relation is Relation.CODE else None
    if _is_nearer_asked(judgement, governing.path, hold):
        return None
    thresholds = judgement.config.thresholds
    if hold.is_hit and governing.score >= thresholds.get("error", ERROR) and _carries(judgement, governing, hold):
        return "error"
    return "warning" if governing.score >= thresholds.get("warning", WARNING) else None


def _carries(judgement: Judgement, governing: Governing, hold: Hold) -> bool:
    """Whether one claim can answer for an error: it weighs enough, and no new spec takes the code over."""
    before = judgement.unmoved.get(governing.path, governing.path)
    return (
        (hold.how == "unit" or carried(hold.judged, before) >= CARRIED or _has_document(governing))
        and hold.judged.change.path not in judgement.newcomers
        and governing.path not in judgement.above_new
    )


def _has_document(governing: Governing) -> bool:
    """Whether a document in the spec's own folder changed: it tells of the change where no word is shared."""
    return any(piece.name == "beside" for piece in governing.evidence)


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
            # A claim that this change adds asks nothing yet, so it answers for nobody either.
            yield from (hold for hold in held if not hold.new)


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
    message = f"the edit of spec {new.id} says nothing: only white space, markup, order or frontmatter changed"
    return _of_the_edit(governing, new, first_line(change), "error", message)


def _of_the_edit(governing: Governing, new: Spec, line: int, level: Level, message: str) -> Finding:
    return Finding(
        rule="hollow-touch",
        level=level,
        message=message,
        path=governing.path,
        line=line,
        end_line=line,
        spec=new.id,
        spec_path=governing.path,
        score=governing.score,
        section=_place(governing),
        details=(("for", ", ".join(governing.changes[:5])), _do(new)),
    )


def _aside(judgement: Judgement, governing: Governing, held: Sequence[Hold]) -> Finding | None:
    """A note on a touch that shares no word with the change it should answer."""
    change = judgement.changes.get(governing.path)
    old, new = (specs.get(governing.path) for specs in (judgement.specs_before, judgement.specs))
    hits = [hold.judged for hold in held if hold.is_hit]
    if change is None or old is None or new is None or not hits or governing.score < WARNING:
        return None
    told = Counter(compounds(f"{new.title} {new.desc} {new.body}"))
    before = Counter(compounds(f"{old.title} {old.desc} {old.body}"))
    edited = {form for word in (told - before) + (before - told) for form in telling_forms(word)}
    asked = {word for judged in hits for phrasing in judged.asked for word, _ in phrasing.words}
    if not edited or not asked.isdisjoint(edited):
        return None
    message = f"the edit of spec {new.id} shares no word with the change of {hits[0].change.path}"
    return _of_the_edit(governing, new, first_line(change), "note", message)


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
