"""Changes + specs + configuration -> Report. No input or output of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from spexsearch.govern import rules
from spexsearch.govern.config import Config
from spexsearch.govern.evidence import (
    SHOWN,
    STRENGTH,
    Floor,
    Hold,
    Judged,
    holds,
    strongest,
    weigh,
)
from spexsearch.govern.model import Change, ChangeSet, NotJudged, State
from spexsearch.govern.queries import phrasings, weighted
from spexsearch.govern.report import Evidence, Governing, Report, ReportedChange, finding_order
from spexsearch.govern.settle import acknowledged_by, acknowledged_ids, by_path, moved_specs, touched_paths
from spexsearch.govern.significance import Effect, effect
from spexsearch.specs.claims import ClaimIndex
from spexsearch.specs.model import Problem, Spec, SpecTree

NO_WORDS = ("spec", "generated", "doc")
"""Kinds of file whose words do not ask: what they say is not what the code does."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What settles from outside the change set: spec paths touched earlier on the branch, the message being written."""

    touched: frozenset[str] = frozenset()
    message: str = ""


def check(change_set: ChangeSet, before: State, after: State, config: Config, settled: Settled | None = None) -> Report:
    """Hold a change set against the states at its base (`before`) and at its head (`after`)."""
    settled = settled or Settled()
    judging, skipped = _judge(change_set, before, after, config)
    floor = Floor(after.tree.specs)
    judging = [_asked(floor, judged) for judged in judging]
    claims_before, claims_after = ClaimIndex(before.tree), ClaimIndex(after.tree)
    held = _held(judging, claims_before, claims_after, moved_specs(change_set.changes))
    governing = _governing(change_set, judging, floor, held, before, after, settled)
    judgement = rules.Judgement(
        change_set, tuple(judging), governing, held, before, after, claims_before, claims_after, config
    )
    return Report(
        origin=change_set.origin,
        base=change_set.base,
        head=change_set.head,
        changes=tuple(_reported(judged) for judged in judging),
        governing=tuple(governing),
        findings=tuple(sorted(rules.run(judgement), key=finding_order)),
        problems=_problems(change_set, before.tree, after.tree, settled),
        not_judged=tuple(sorted({*change_set.not_judged, *skipped}, key=lambda n: (n.path, n.reason))),
        specs=len(after.tree.specs),
    )


def _judge(change_set: ChangeSet, before: State, after: State, config: Config) -> tuple[list[Judged], list[NotJudged]]:
    spec_paths = {spec.path for state in (before, after) for spec in state.tree.specs}
    judging, skipped = [], []
    for change in sorted(change_set.changes, key=lambda c: (c.path, c.before, c.status)):
        if any(glob.matches(change.path) for glob in config.ignore):
            skipped.append(NotJudged(change.path, "ignored by the configuration"))
            continue
        done = _effect(change, change_set.contents, spec_paths, config)
        judging.append(Judged(change, done, phrasings(change, done)))
    return judging, skipped


def _effect(change: Change, contents: Mapping[str, bytes], spec_paths: set[str], config: Config) -> Effect:
    old, new = (contents.get(blob) if blob else None for blob in (change.old_blob, change.new_blob))
    done = effect(change, old, new)
    if change.path in spec_paths or change.before in spec_paths:
        return replace(done, kind="spec")
    kind = done.kind
    if any(glob.matches(change.path) for glob in config.tests):
        kind = "test"
    elif config.source and kind in ("code", "other", "config"):
        kind = "code" if any(glob.matches(change.path) for glob in config.source) else "other"
    return replace(done, kind=kind) if kind != done.kind else done


def _asked(floor: Floor, judged: Judged) -> Judged:
    return judged if judged.effect.kind in NO_WORDS else replace(judged, first=floor.first(judged.asked))


def _held(
    judging: Sequence[Judged], before: ClaimIndex, after: ClaimIndex, moved: Mapping[str, str]
) -> dict[str, list[Hold]]:
    """Every claim on the changes, by the path of its spec at the head."""
    held: dict[str, list[Hold]] = defaultdict(list)
    for judged in judging:
        if judged.effect.kind != "spec":
            for hold in holds(judged, before, after, moved):
                held[moved.get(hold.spec.path, hold.spec.path)].append(hold)
    return held


def _governing(
    change_set: ChangeSet,
    judging: Sequence[Judged],
    floor: Floor,
    held: Mapping[str, Sequence[Hold]],
    before: State,
    after: State,
    settled: Settled,
) -> list[Governing]:
    asking = [phrasing for judged in judging if judged.effect.kind not in NO_WORDS for phrasing in judged.asked]
    scores = floor.scores(weighted(asking))
    best = max(scores.values(), default=1.0)
    specs_before, specs_after = by_path(before.tree), by_path(after.tree)
    touched = touched_paths(change_set, specs_before, specs_after) | settled.touched
    message_ids = frozenset(acknowledged_ids(settled.message))
    governing = []
    for path in {*held, *list(scores)[:SHOWN]}:
        own = held.get(path, ())
        spec = specs_after.get(path) or next(hold.spec for hold in own)
        ids = frozenset({spec.id, *(hold.spec.id for hold in own)})
        paths = frozenset(p for hold in own for p in (hold.judged.change.path, hold.judged.change.before))
        acknowledged = not ids.isdisjoint(message_ids) or acknowledged_by(change_set.commits, ids, paths)
        evidence = weigh(scores.get(path, 0.0) / best, own)
        governing.append(_entry(path, spec, evidence, own, path in touched, acknowledged))
    return sorted(governing, key=lambda g: (-g.score, g.path))


def _entry(
    path: str, spec: Spec, evidence: tuple[Evidence, ...], held: Sequence[Hold], touched: bool, acknowledged: bool
) -> Governing:
    best = strongest(held)
    return Governing(
        spec=spec.id,
        path=path,
        score=round(sum(piece.weight for piece in evidence), 4),
        claim=best.how if best else STRENGTH[-1],
        touched=touched,
        acknowledged=acknowledged,
        evidence=evidence,
        sections=(),
        changes=tuple(sorted({hold.judged.change.path for hold in held})),
    )


def _reported(judged: Judged) -> ReportedChange:
    change = judged.change
    return ReportedChange(
        status=change.status,
        path=change.path,
        old_path=change.old_path,
        binary=change.binary,
        kind=judged.effect.kind,
        significance=judged.effect.significance,
        added_lines=tuple(line.number for line in change.added),
        removed_lines=tuple(line.number for line in change.removed),
        units=judged.effect.units,
    )


def _problems(change_set: ChangeSet, before: SpecTree, after: SpecTree, settled: Settled) -> tuple[Problem, ...]:
    known = {spec.id for tree in (before, after) for spec in tree.specs}
    messages = (settled.message, *(commit.message for commit in change_set.commits))
    unknown = {named for message in messages for named in acknowledged_ids(message)} - known
    acknowledgements = (
        Problem("", 1, f"Spec-OK names {named!r}, but no spec has that id; `spex tree` lists them") for named in unknown
    )
    return tuple(sorted({*after.problems, *acknowledgements}))
