"""Changes + specs + configuration -> Report. No input or output of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
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
    speaking,
    strongest,
    weigh,
)
from spexsearch.govern.kinds import kind_of
from spexsearch.govern.model import Change, ChangeSet, NotJudged, State
from spexsearch.govern.passages import with_passages
from spexsearch.govern.queries import phrasings, weighted
from spexsearch.govern.report import Evidence, Governing, Report, ReportedChange, finding_order
from spexsearch.govern.settle import (
    Acknowledgements,
    acknowledged_ids,
    by_path,
    is_told,
    moved_specs,
    touched_paths,
)
from spexsearch.govern.significance import Effect, effect
from spexsearch.specs.claims import ClaimIndex
from spexsearch.specs.model import Problem, Spec

HUNKS_ONLY = "judged from its hunks, for its blobs are not in this repository"

NO_WORDS = ("spec", "generated", "doc")
"""Kinds of file whose words do not ask: what they say is not what the code does."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What settles specs from outside the change set: paths touched earlier on the branch, the message at hand."""

    touched: frozenset[str] = frozenset()
    message: str = ""


def check(
    change_set: ChangeSet, before: State, after: State, config: Config, elsewhere: Elsewhere | None = None
) -> Report:
    """Hold a change set against the states at its base (`before`) and at its head (`after`)."""
    elsewhere = elsewhere or Elsewhere()
    claims_before, claims_after = ClaimIndex(before.tree), ClaimIndex(after.tree)
    looked = _look(change_set, floor := Floor(after.tree.specs), before, after, config)
    missing = {told.path: told.reason for told in change_set.not_judged if not claims_after.on(told.path)}
    skipped = {j.change: reason for j in looked if (reason := _not_judged(j.change, missing, config))}
    judging = tuple(judged for judged in looked if judged.change not in skipped)
    held = _held(judging, claims_before, claims_after, moved_specs(change_set.changes))
    acknowledgements = Acknowledgements(change_set.commits)
    governing = _governing(change_set, judging, floor, held, before, after, elsewhere, acknowledgements)
    judgement = rules.Judgement(
        change_set, judging, governing, held, before, after, claims_before, claims_after, config
    )
    named = acknowledgements.ids.union(acknowledged_ids(elsewhere.message))
    return Report(
        origin=change_set.origin,
        base=change_set.base,
        head=change_set.head,
        changes=tuple(_reported(judged) for judged in looked),
        governing=tuple(governing),
        findings=with_passages(sorted(rules.run(judgement), key=finding_order), judging, after.tree),
        problems=tuple(sorted({*after.tree.problems, *_unknown(named, before, after), *_blind(change_set)})),
        not_judged=tuple(NotJudged(change.path, reason) for change, reason in skipped.items()),
        specs=len(after.tree.specs),
    )


def _look(change_set: ChangeSet, floor: Floor, before: State, after: State, config: Config) -> list[Judged]:
    """The changes in order, each with what it does and, where its words ask, the specs that the floor names first."""
    spec_paths = {spec.path for state in (before, after) for spec in state.tree.specs}
    looked = []
    for change in sorted(change_set.changes, key=lambda c: (c.path, c.before, c.status)):
        done = _effect(change, change_set.contents, spec_paths, config)
        asked = phrasings(change, done)
        looked.append(Judged(change, done, asked, () if done.kind in NO_WORDS else floor.first(asked)))
    return looked


def _not_judged(change: Change, missing: Mapping[str, str], config: Config) -> str | None:
    """Why a change is not held against the specs, where it is not."""
    if any(glob.matches(change.path) for glob in config.ignore):
        return "ignored by the configuration"
    return "unmerged; resolve it, then stage it" if change.status == "U" else missing.get(change.path)


def _effect(change: Change, contents: Mapping[str, bytes], spec_paths: set[str], config: Config) -> Effect:
    old, new = (contents.get(blob) if blob else None for blob in (change.old_blob, change.new_blob))
    done = effect(change, old, new)
    if change.path in spec_paths or change.before in spec_paths:
        return replace(done, kind="spec")
    kind = config.kind_of(change.path, done.kind)
    # Code does not become quiet by being moved where tests or vendored files live, in the change that moves it.
    if change.status == "R" and config.kind_of(change.before, kind_of(change.before)) == "code":
        kind = "code"
    return replace(done, kind=kind) if kind != done.kind else done


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
    elsewhere: Elsewhere,
    acknowledgements: Acknowledgements,
) -> list[Governing]:
    asking = [phrasing for judged in judging if judged.effect.kind not in NO_WORDS for phrasing in judged.asked]
    scores = floor.scores(weighted(asking))
    best = max(scores.values(), default=1.0)
    specs_before, specs_after = by_path(before.tree), by_path(after.tree)
    touched = touched_paths(change_set, specs_before, specs_after) | elsewhere.touched
    message_ids = frozenset(acknowledged_ids(elsewhere.message))
    wanted = {*held, *list(scores)[:SHOWN]}
    sections = speaking([spec for spec in after.tree.specs if spec.path in wanted], asking)
    governing = []
    for path in wanted:
        own = held.get(path, ())
        spec = specs_after.get(path) or next(hold.spec for hold in own)
        ids = frozenset({spec.id, *(hold.spec.id for hold in own)})
        paths = frozenset(p for hold in own for p in (hold.judged.change.path, hold.judged.change.before))
        acknowledged = not ids.isdisjoint(message_ids) or acknowledgements.cover(ids, paths)
        evidence = weigh(scores.get(path, 0.0) / best, own)
        entry = _entry(path, spec, evidence, own, path in touched, acknowledged)
        governing.append(replace(entry, sections=sections.get(path, ())))
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
        units=tuple(judged.effect.units),
    )


def _unknown(named: frozenset[str], before: State, after: State) -> Iterator[Problem]:
    known = {spec.id for state in (before, after) for spec in state.tree.specs}
    for identity in named - known:
        yield Problem("", 1, f"Spec-OK names {identity!r}, but no spec has that id; `spex tree` lists them")


def _blind(change_set: ChangeSet) -> Iterator[Problem]:
    """The files of a diff of which only the hunks are known."""
    for change in change_set.changes:
        if change_set.origin == "diff" and not change.binary and not is_told(change, change_set.contents):
            yield Problem(change.path, 1, HUNKS_ONLY)
