"""(change set, spec) -> evidence -> score: how likely the change asks that the spec be edited. One function a kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from math import exp, log

from spexsearch.floor.passages import Passages
from spexsearch.floor.tokens import identifier_parts, words
from spexsearch.govern.holds import Hold, Judged
from spexsearch.govern.model import Change
from spexsearch.govern.queries import CODE, PROSE, weighted
from spexsearch.govern.report import Evidence
from spexsearch.govern.significance import LINKS
from spexsearch.govern.vanished import Vanished
from spexsearch.specs.dialects import BY_NAME
from spexsearch.specs.model import Relation, Spec

WEIGHTS = {
    "start": -4.6,  # few of a tree's specs are edited with a change
    "tree": 0.9,  # × ln(30 / specs)², for a spec that claims what changed: the fewer there are, the likelier each
    "claim": 2.8,  # × how much of the file's words the spec says, 0…1, × how much the file's behaviour changed, 0…1
    "related": 0.55,  # the same for a file that it only refers to
    "unit": 1.3,  # the claimed unit is what changed
    "owner": 1.3,  # / specs that claim the file
    "code-words": 0.2,  # × z-score of its best passage for what the code says, 0…8
    "prose-words": 0.4,  # × the same for changed comments and documents
    "folder-name": 1.0,  # × share of the words of its folder's name that stand in changed paths
    "link": 1.1,  # a changed line names it: [[id]]
    "vanished": 0.75,  # × rarity of an identifier that is gone from the code and stands in its body as code, 0…5.5
    "beside": 2.5,  # a document in its own folder changed
    "taken-over": -1.4,  # a new spec claims the file too
}
"""Log-odds, the same for every repository.

The first draft is that of published measurements on three histories; all were then set on the older halves of two.
"""

ERROR, WARNING = 0.88, 0.22
"""Scores from which a finding has that level.

At the first, nine in ten of the errors were right on both halves of a history; at the second, errors and warnings
together were right six times in ten on its older half and seven on the newer.
"""

CARRIED = 0.2
"""What `claim` must come to, before its weight, where an error rests on a claim of more than one unit."""

FEW, MANY = 10, 30
"""Words of a smaller tree stand out as among `FEW` specs, the rest silent; from `MANY` specs on `tree` is nothing."""

_LARGE = 5.0  # ln of the changed tokens that make a change a large one
_LARGE_RELATED = 3.0
_CUT_Z, _CUT_RARITY = 8.0, 5.5
_NAMES = re.compile(r"[/.]")
_LINK = re.compile(r"\[\[([^\[\]|#]{1,200})")

Scores = Mapping[str, float]
"""Path of a spec at the base -> score of its best passage for one question."""


def share(scores: Mapping[str, float]) -> Mapping[str, float]:
    """Scores over the best of them: above 0 and at most 1."""
    best = max(scores.values(), default=1.0)
    return {path: points / best for path, points in scores.items()}


def heard(passages: Passages, judging: Sequence[Judged]) -> tuple[list[Judged], tuple[Scores, Scores]]:
    """The changes, each with how much the specs say of it; and the scores for all that code says, and people say.

    What generated files and documents say is not what the code does; what says nothing has no phrasings.
    """
    behaving = [phrasing for judged in judging if judged.effect.behaviour > 0 for phrasing in judged.asked]
    told = [phrasing for judged in judging for phrasing in judged.asked]
    known = passages.words
    asked = [weighted(judged.asked, known=known) for judged in judging]
    whole = (weighted(behaving, CODE, known), weighted(told, PROSE, known))
    *each, code, prose = passages.best([*asked, *whole])
    return [j._replace(shares=share(scores)) for j, scores in zip(judging, each, strict=True)], (code, prose)


class Matter:
    """What a change set says, as far as evidence rests on it.

    `scores` are those for what the code says and for what people say; `specs` are those of the base, by path; `held`
    their claims on the changes, by path at the base; `newcomers` the paths of changes that a new spec claims;
    `vanished` what is gone from the source.
    """

    def __init__(
        self,
        judging: Sequence[Judged],
        scores: tuple[Scores, Scores],
        specs: Mapping[str, Spec],
        held: Mapping[str, Sequence[Hold]],
        newcomers: frozenset[str],
        vanished: Sequence[Vanished],
    ) -> None:
        self.judging, self.scores, self.specs = judging, scores, specs
        self.held, self.newcomers, self.vanished = held, newcomers, vanished

    @cached_property
    def speaking(self) -> tuple[Mapping[str, float], Mapping[str, float]]:
        """By path, how far a spec stands out in what the code says, and in what people say: z-scores, 0…8."""
        return self._standing_out(self.scores[0]), self._standing_out(self.scores[1])

    def _standing_out(self, scores: Mapping[str, float]) -> dict[str, float]:
        count = max(len(self.specs), FEW)
        mean = sum(scores.values()) / count
        silent = (count - len(scores)) * mean**2
        deviation = ((silent + sum((score - mean) ** 2 for score in scores.values())) / count) ** 0.5
        return (
            {path: min(_CUT_Z, (x - mean) / deviation) for path, x in scores.items() if x > mean} if deviation else {}
        )

    @cached_property
    def path_words(self) -> frozenset[str]:
        """The words of the paths of what changed, those too that say nothing elsewhere."""
        asking = [j.change for j in self.judging if j.asked and j.effect.kind != "doc"]
        names = {name for change in asking for path in (change.path, change.before) for name in _NAMES.split(path)}
        return frozenset(word for name in names for word in identifier_parts(name))

    @cached_property
    def owners(self) -> Mapping[str, int]:
        """By the path of a change, how many specs claimed it before."""
        owners: dict[str, set[str]] = {}
        for path, held in self.held.items():
            for hold in held:
                if hold.claim.relation is Relation.CODE and not hold.new:
                    owners.setdefault(hold.judged.change.path, set()).add(path)
        return {path: len(specs) for path, specs in owners.items()}

    @cached_property
    def linked(self) -> Mapping[str, str]:
        """Id that a changed line names -> the line's place."""
        found: dict[str, str] = {}
        for j in self.judging:
            if j.asked and j.effect.kind != "doc":
                for line in (*j.change.added, *j.change.removed):
                    if "[[" in line.text:
                        for name in _LINK.findall(line.text):
                            found.setdefault(name.strip(), f"{j.change.path}:{line.number}")
        return found

    @cached_property
    def folders(self) -> Mapping[str, str]:
        """Folder of a document that is no spec and says something else now -> the document."""
        told = {j.change.path for j in self.judging if j.effect.kind == "doc" and _says_else(j.change)}
        return {path.rpartition("/")[0]: path for path in sorted(told, reverse=True)}

    @cached_property
    def rarities(self) -> Mapping[str, float]:
        """How rare each vanished identifier is among the bodies of the specs."""
        count = len(self.specs)
        gone = [gone for gone in self.vanished if gone.form == "identifier"]
        held = {one.name: sum(one.is_said_by(spec.body) for spec in self.specs.values()) for one in gone}
        return {word: min(_CUT_RARITY, log(1 + (count - n + 0.5) / (n + 0.5))) for word, n in held.items() if n}


def _says_else(change: Change) -> bool:
    new, old = ([word for line in side for word in words(line.text)] for side in (change.added, change.removed))
    return bool(new) and sorted(new) != sorted(old) and change.new_mode not in LINKS


def evidence(matter: Matter, path: str) -> tuple[Evidence, ...]:
    """Everything that speaks for or against one spec of the base, heaviest first after what every spec starts with."""
    spec, held = matter.specs[path], matter.held.get(path, ())
    found = [piece for kind in _KINDS for piece in kind(matter, spec, held) if piece.weight]
    start = _piece("start", 1.0, "few of a tree's specs are edited with a change")
    return start, *sorted(found, key=lambda piece: -abs(piece.weight))


def score(pieces: Iterable[Evidence]) -> float:
    """The weights summed as log-odds, as a chance between 0 and 1."""
    return round(1 / (1 + exp(-sum(piece.weight for piece in pieces))), 4)


def carried(judged: Judged, path: str) -> float:
    """How much a change of what a spec claims says of it, 0…1: its share of the words, times the size of the change."""
    return 0.0 if judged.effect.kind in ("test", "style") else _said(judged, path, _LARGE)


def _said(judged: Judged, path: str, large: float) -> float:
    return judged.shares.get(path, 0.0) * min(1.0, log(1 + judged.effect.behaviour) / large)


def _piece(name: str, measure: float, detail: str) -> Evidence:
    return Evidence(name, round(WEIGHTS[name] * measure, 4), detail)


def _tree(matter: Matter, spec: Spec, held: Sequence[Hold]) -> Iterable[Evidence]:
    count = len(matter.specs)
    if any(hold.is_hit for hold in held):
        much = log(max(1.0, MANY / count)) ** 2
        yield _piece(
            "tree", much, f"it claims what changed, and the tree has only {count} spec{'s' if count > 1 else ''}"
        )


def _claim(matter: Matter, spec: Spec, held: Sequence[Hold]) -> Iterable[Evidence]:
    said = [(carried(hold.judged, spec.path), hold) for hold in held if hold.is_hit]
    if said:
        much, hold = max(said, key=lambda pair: pair[0])
        share = hold.judged.shares.get(spec.path, 0.0)
        detail = f"{_cited(hold)}; it says {share:.0%} of what the best spec says of the change, {_size(hold)}"
        yield _piece("claim", much, detail)


def _related(matter: Matter, spec: Spec, held: Sequence[Hold]) -> Iterable[Evidence]:
    said = [(_said(h.judged, spec.path, _LARGE_RELATED), h) for h in held if h.how == "related" and not h.new]
    if said:
        much, hold = max(said, key=lambda pair: pair[0])
        yield _piece("related", much, f"{_cited(hold)}, {_size(hold)}")


def _unit(matter: Matter, spec: Spec, held: Sequence[Hold]) -> Iterable[Evidence]:
    hit = next((hold for hold in held if hold.how == "unit" and not hold.new), None)
    if hit is not None:
        yield _piece("unit", 1.0, f"{_cited(hit)}: that unit changed")


def _owner(matter: Matter, spec: Spec, held: Sequence[Hold]) -> Iterable[Evidence]:
    counts = [(matter.owners[hold.judged.change.path], hold) for hold in held if hold.is_hit]
    if counts:
        count, hold = min(counts, key=lambda pair: pair[0])
        who = "no other spec claims" if count == 1 else f"{count} specs claim"
        yield _piece("owner", 1 / count, f"{who} {hold.judged.change.path}")


def _code_words(matter: Matter, spec: Spec, held: Sequence[Hold]) -> Iterable[Evidence]:
    much = matter.speaking[0].get(spec.path, 0.0)
    yield _piece("code-words", much, f"its best passage stands out by {much:.1f} deviations for the words of the code")


def _prose_words(matter: Matter, spec: Spec, held: Sequence[Hold]) -> Iterable[Evidence]:
    much = matter.speaking[1].get(spec.path, 0.0)
    yield _piece("prose-words", much, f"its best passage stands out by {much:.1f} deviations for changed comments")


def _folder_name(matter: Matter, spec: Spec, held: Sequence[Hold]) -> Iterable[Evidence]:
    folder = spec.path.rpartition("/")[0].rpartition("/")[2]
    named = set(words(folder))
    if named:
        share = len(named & matter.path_words) / len(named)
        yield _piece("folder-name", share, f"{share:.0%} of the words of `{folder}` stand in changed paths")


def _link(matter: Matter, spec: Spec, held: Sequence[Hold]) -> Iterable[Evidence]:
    if spec.id in matter.linked:
        yield _piece("link", 1.0, f"{matter.linked[spec.id]} names [[{spec.id}]]")


def _vanished(matter: Matter, spec: Spec, held: Sequence[Hold]) -> Iterable[Evidence]:
    known = [gone for gone in matter.vanished if gone.name in matter.rarities and gone.is_code_in(spec.body)]
    if known:
        gone = max(known, key=lambda gone: matter.rarities[gone.name])
        detail = f"`{gone.name}` is gone from the code (was {gone.place}), and it still says so"
        yield _piece("vanished", matter.rarities[gone.name], detail)


def _beside(matter: Matter, spec: Spec, held: Sequence[Hold]) -> Iterable[Evidence]:
    folder = spec.path.rpartition("/")[0]
    if BY_NAME[spec.dialect].under and folder and folder in matter.folders:
        yield _piece("beside", 1.0, f"{matter.folders[folder]}, in its own folder, changed")


def _taken_over(matter: Matter, spec: Spec, held: Sequence[Hold]) -> Iterable[Evidence]:
    taken = next((h.judged.change.path for h in held if h.is_hit and h.judged.change.path in matter.newcomers), None)
    if taken is not None:
        yield _piece("taken-over", 1.0, f"a new spec claims {taken} too")


_KINDS: tuple[Callable[[Matter, Spec, Sequence[Hold]], Iterable[Evidence]], ...] = (
    *(_tree, _claim, _related, _unit, _owner, _code_words, _prose_words),
    *(_folder_name, _link, _vanished, _beside, _taken_over),
)


def _cited(hold: Hold) -> str:
    return f"{hold.spec.path}:{hold.claim.line} {hold.claim.relation}: {hold.claim.text}"


def _size(hold: Hold) -> str:
    return f"{hold.judged.effect.behaviour:g} changed tokens"
