"""Changes + specs + configuration -> Report. No input or output of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from spexsearch.govern import rules
from spexsearch.govern.config import Config
from spexsearch.govern.holds import STRENGTH, Hold, Judged, holds, strongest
from spexsearch.govern.kinds import kind_of
from spexsearch.govern.memory import Memory
from spexsearch.govern.model import Change, ChangeSet, NotJudged, State
from spexsearch.govern.moves import without_moves
from spexsearch.govern.report import Governing, Report, ReportedChange, ScoredSection, finding_order
from spexsearch.govern.settle import (
    Acknowledgements,
    acknowledged_ids,
    by_path,
    is_told,
    moved_specs,
    touched_paths,
)
from spexsearch.govern.significance import Effect, effect
from spexsearch.govern.vanished import Source, Vanished, vanished
from spexsearch.specs.claims import ClaimIndex
from spexsearch.specs.dialects import is_among_specs
from spexsearch.specs.model import Problem, Spec

if TYPE_CHECKING:
    from spexsearch.govern.evidence import Matter

# What brings the ranking along is imported where a change asks for it: mostly a hook has one, but not always.

HUNKS_ONLY = "judged from its hunks, for its blobs are not in this repository"

SHOWN = 10
"""Specs that are told of beside those that have a claim."""

MAX_WORDING = 100  # the heaviest words of one wording: enough to tell the sections of one spec apart


class Elsewhere(NamedTuple):
    """What settles specs from outside the change set: paths touched earlier on the branch, the message at hand."""

    touched: frozenset[str] = frozenset()
    message: str = ""


def check(
    change_set: ChangeSet,
    before: State,
    after: State,
    config: Config,
    elsewhere: Elsewhere | None = None,
    *,
    source: Source | None = None,
    shown: int = SHOWN,
    sections: bool = True,
    memory: Memory | None = None,
) -> Report:
    """Hold a change set against the states at its base (`before`) and at its head (`after`).

    `source` looks identifiers up in the source of the head; without it none is taken for gone. `shown`: how many specs
    without a claim the report tells of. `sections`: whether it tells where they speak of the change. `memory`: what
    earlier checks of the same repository have left.
    """
    elsewhere, memory = elsewhere or Elsewhere(), memory or Memory()
    claims = ClaimIndex(before.tree), ClaimIndex(after.tree)
    weighed = _Weighed()
    if change_set.changes:
        weighed = _weighed(change_set, before, after, config, elsewhere, claims, source, shown, memory)
    if sections and weighed.governing:
        weighed = weighed._replace(governing=_with_sections(weighed.governing, after, weighed.judging))
    judgement = rules.Judgement(
        *(change_set, weighed.judging, weighed.governing, weighed.held, before, after, *claims, config),
        newcomers=weighed.newcomers,
        vanished=weighed.vanished,
        memory=memory,
    )
    findings = tuple(sorted(rules.run(judgement), key=finding_order))
    if sections and weighed.judging:
        from spexsearch.govern.quotes import with_quotes

        findings = with_quotes(findings, weighed.judging, after.tree)
    named = Acknowledgements(change_set.commits).ids.union(acknowledged_ids(elsewhere.message))
    return Report(
        origin=change_set.origin,
        base=change_set.base,
        head=change_set.head,
        changes=tuple(_reported(judged) for judged in weighed.looked),
        governing=tuple(weighed.governing),
        findings=findings,
        problems=tuple(sorted({*after.tree.problems, *_unknown(named, before, after), *_blind(change_set)})),
        not_judged=tuple(NotJudged(change.path, reason) for change, reason in weighed.skipped.items()),
        specs=len(after.tree.specs),
    )


class _Weighed(NamedTuple):
    """The changes as they were looked at, those that are judged, why the others are not, and what governs them."""

    looked: Sequence[Judged] = ()
    judging: tuple[Judged, ...] = ()
    skipped: Mapping[Change, str] = {}
    governing: Sequence[Governing] = ()
    held: Mapping[str, Sequence[Hold]] = {}
    newcomers: frozenset[str] = frozenset()
    vanished: tuple[Vanished, ...] = ()


def _weighed(
    change_set: ChangeSet,
    before: State,
    after: State,
    config: Config,
    elsewhere: Elsewhere,
    claims: tuple[ClaimIndex, ClaimIndex],
    source: Source | None,
    shown: int,
    memory: Memory,
) -> _Weighed:
    from spexsearch.floor.passages import Passages
    from spexsearch.govern.evidence import Matter, heard

    moved = moved_specs(change_set.changes)
    looked = _look(change_set, before, after, config, memory)
    missing = {told.path: told.reason for told in change_set.not_judged if not claims[1].on(told.path)}
    skipped = {j.change: reason for j in looked if (reason := _not_judged(j.change, missing, config))}
    passages = Passages(before.tree.specs, memory.passages)
    judging, scores = heard(passages, [judged for judged in looked if judged.change not in skipped])
    held = _held(judging, *claims, moved)
    gone = vanished(judging, before.tree.specs, source)
    matter = Matter(
        judging,
        scores,
        by_path(before.tree),
        {spec.path: held.get(moved.get(spec.path, spec.path), ()) for spec in before.tree.specs},
        _newcomers(held, before, moved),
        gone,
    )
    governing = _governing(change_set, matter, held, before, after, elsewhere, shown)
    return _Weighed(looked, tuple(judging), skipped, governing, held, matter.newcomers, gone)


def _look(change_set: ChangeSet, before: State, after: State, config: Config, memory: Memory) -> list[Judged]:
    """The changes in order, each with what it does and how it asks."""
    from spexsearch.govern.queries import phrasings

    spec_paths = {spec.path for state in (before, after) for spec in state.tree.specs}
    changes = sorted(change_set.changes, key=lambda c: (c.path, c.before, c.status))
    effects = [_effect(change, change_set.contents, spec_paths, config, memory) for change in changes]
    looked = []
    for change, done in zip(changes, without_moves(effects), strict=True):
        # What stands among specs speaks their words: that it stands beside one says all.
        mute = done.kind in ("spec", "generated") or is_among_specs(change.path) or is_among_specs(change.before)
        looked.append(Judged(change, done, () if mute else phrasings(change, done)))
    return looked


def _newcomers(held: Mapping[str, Sequence[Hold]], before: State, moved: Mapping[str, str]) -> frozenset[str]:
    """The paths of changes that a new spec takes on: it claims what changed, and says something."""
    known = {moved.get(spec.path, spec.path) for spec in before.tree.specs}
    new = (hold for path, own in held.items() if path not in known for hold in own if hold.spec.body.strip())
    return frozenset(hold.judged.change.path for hold in new if hold.how not in ("related", "unit-missed"))


def _not_judged(change: Change, missing: Mapping[str, str], config: Config) -> str | None:
    """Why a change is not held against the specs, where it is not."""
    if any(glob.matches(change.path) for glob in config.ignore):
        return "ignored by the configuration"
    return "unmerged; resolve it, then stage it" if change.status == "U" else missing.get(change.path)


def _effect(
    change: Change, contents: Mapping[str, bytes], spec_paths: set[str], config: Config, memory: Memory
) -> Effect:
    old, new = (contents.get(blob) if blob else None for blob in (change.old_blob, change.new_blob))
    done = effect(change, old, new, memory.outline)
    if change.path in spec_paths or change.before in spec_paths:
        return done._replace(kind="spec")
    kind = config.kind_of(change.path, done.kind)
    # Code does not become quiet by being moved where tests or vendored files live, in the change that moves it.
    if change.status == "R" and config.kind_of(change.before, kind_of(change.before)) == "code":
        kind = "code"
    return done._replace(kind=kind) if kind != done.kind else done


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
    matter: Matter,
    held: Mapping[str, Sequence[Hold]],
    before: State,
    after: State,
    elsewhere: Elsewhere,
    shown: int,
) -> list[Governing]:
    from spexsearch.govern.evidence import evidence, score

    specs_before, specs_after = by_path(before.tree), by_path(after.tree)
    moved = moved_specs(change_set.changes)
    weighed = {moved.get(path, path): evidence(matter, path) for path in specs_before}
    scores = {path: score(pieces) for path, pieces in weighed.items()}
    # What every spec starts with speaks for none.
    spoken_for = (path for path in specs_after if path not in held and len(weighed.get(path, ())) > 1)
    free = sorted(spoken_for, key=lambda path: (-scores[path], path))
    stale = {spec.path: paths for spec in after.tree.specs if (paths := _lost_by(spec, matter))}
    wanted = {*held, *free[:shown], *stale}
    touched = touched_paths(change_set, specs_before, specs_after) | elsewhere.touched
    message_ids = frozenset(acknowledged_ids(elsewhere.message))
    acknowledgements = Acknowledgements(change_set.commits)
    governing = []
    for path in wanted:
        own = held.get(path, ())
        spec = specs_after.get(path) or next(hold.spec for hold in own)
        ids = frozenset({spec.id, *(hold.spec.id for hold in own)})
        paths = frozenset(p for hold in own for p in (hold.judged.change.path, hold.judged.change.before))
        paths |= stale.get(path, frozenset())
        best = strongest(own)
        governing.append(
            Governing(
                spec=spec.id,
                path=path,
                score=scores.get(path, 0.0),
                claim=best.how if best else STRENGTH[-1],
                touched=path in touched,
                acknowledged=not ids.isdisjoint(message_ids) or acknowledgements.cover(ids, paths),
                evidence=weighed.get(path, ()),
                sections=(),
                changes=tuple(sorted({hold.judged.change.path for hold in own})),
            )
        )
    return sorted(governing, key=lambda g: (-g.score, g.path))


def _lost_by(spec: Spec, matter: Matter) -> frozenset[str]:
    """The changed files that took away a name which a spec still says."""
    return frozenset(gone.path for gone in matter.vanished if gone.is_said_by(spec.body))


def _with_sections(governing: Sequence[Governing], after: State, judging: Sequence[Judged]) -> list[Governing]:
    """The same with the three sections of each spec that speak most of the changes.

    The sections compete among those of these specs only: what is rare elsewhere does not tell them apart.
    """
    from spexsearch.floor.section_index import SectionIndex
    from spexsearch.govern.queries import wordings

    paths = {spec.path for spec in governing}
    asking = wordings([phrasing for judged in judging for phrasing in judged.asked], MAX_WORDING)
    best = SectionIndex.build([spec for spec in after.tree.specs if spec.path in paths]).best(paths, asking)
    return [
        told._replace(sections=tuple(ScoredSection(s.heading, s.line, points) for s, points in best.get(told.path, ())))
        for told in governing
    ]


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
