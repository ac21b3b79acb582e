"""`dangling-claim` and `dropped-claim`: what the change does to the links themselves."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from spexsearch.govern.report import Finding, Fix, Level
from spexsearch.govern.rules.judgement import Judgement
from spexsearch.govern.settle import by_path
from spexsearch.govern.units import renamed_units
from spexsearch.specs.claims import ClaimRefusedError, normal, parse_claim, said
from spexsearch.specs.globs import Glob
from spexsearch.specs.model import Claim, ClaimKind, Relation, Spec

SHOWN = 3


class Paths:
    """The paths of one state: which files and folders there are, in the form in which claims are compared."""

    def __init__(self, files: Iterable[str]) -> None:
        """`files`: every path of the state."""
        self._files = sorted(normal(path) for path in files)

    def below(self, folder: str) -> Sequence[str]:
        """The files in a folder, at any depth."""
        if not folder:
            return self._files
        # "0" is the character after "/".
        return self._files[bisect_left(self._files, f"{folder}/") : bisect_left(self._files, f"{folder}0")]

    def has(self, path: str) -> bool:
        """Whether there is such a file or folder."""
        at = bisect_left(self._files, path)
        return (at < len(self._files) and self._files[at] == path) or bool(self.below(path)) or not path

    def covered(self, claim: Claim) -> Sequence[str]:
        """The files that a claim is on; of a place's claim, nested places are not left out."""
        path = normal(claim.path)
        if claim.kind is ClaimKind.GLOB:
            glob = Glob(path)
            return [file for file in self.below(glob.folder) if glob.matches(file)]
        if claim.kind is ClaimKind.MODULE:
            return [file for file in self.below(path) if not file.lower().endswith(".md")]
        at = bisect_left(self._files, path)
        return [path] if at < len(self._files) and self._files[at] == path else self.below(path)


class _Links:
    """The links of one judgement."""

    def __init__(self, judgement: Judgement) -> None:
        self.judgement = judgement

    @cached_property
    def before(self) -> Paths:
        return Paths(self.judgement.before.files)

    @cached_property
    def after(self) -> Paths:
        return Paths(self.judgement.after.files)

    @cached_property
    def renamed(self) -> dict[str, str]:
        """Claimed path at the base -> its path at the head."""
        return {normal(old): new for old, new in self.judgement.moved.items()}

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """The files of the head by their last names."""
        names: dict[str, list[str]] = {}
        for path in self.after.below(""):
            names.setdefault(path.rpartition("/")[2], []).append(path)
        return names

    def elsewhere(self, path: str) -> str | None:
        """The one file of that name, where nothing was at the path before either: a move that nobody followed."""
        same = self.by_name.get(path.rpartition("/")[2], [])
        return same[0] if len(same) == 1 and not self.before.has(path) else None

    def moved_to(self, path: str) -> str | None:
        """Where a file, or all of a folder's files together, went in this change."""
        if path in self.renamed:
            return self.renamed[path]
        tails = {old[len(path) :]: new for old, new in self.renamed.items() if old.startswith(f"{path}/")}
        went = {new[: -len(tail)] if new.endswith(tail) else None for tail, new in tails.items()}
        return went.pop() if len(went) == 1 else None


def dangling_claim(judgement: Judgement) -> dict[tuple[str, str, Relation], Finding]:
    """Claims that name a file or symbol that is not there, by the spec's path, the claim's text and its list."""
    links = _Links(judgement)
    found = {}
    for spec in judgement.after.tree.specs:
        if spec.code_may_come_later:
            continue
        old = judgement.specs_before.get(spec.path)
        known = {(claim.path, claim.symbol) for claim in old.claims} if old else set()
        for claim in spec.claims:
            new = (claim.path, claim.symbol) not in known
            finding = _dead_path(links, spec, claim, new) or _dead_symbol(links, spec, claim, new)
            if finding is not None:
                found[spec.path, claim.text, claim.relation] = finding
    return found


def _dead_path(links: _Links, spec: Spec, claim: Claim, new: bool) -> Finding | None:
    if claim.kind is ClaimKind.MODULE:
        return None
    path = normal(claim.path)
    if claim.kind is ClaimKind.GLOB:
        # A pattern is walked only where the change can have emptied it.
        if not new and not any(Glob(path).matches(old) for old in _gone(links)):
            return None
        if links.after.covered(claim):
            return None
        there = bool(links.before.covered(claim))
        return _dangling(spec, claim, f"nothing matches `{claim.path}`", caused=new or there)
    if links.after.has(path):
        return None
    target = links.moved_to(path)
    moved = f" (it is now {target})" if target else ""
    if target is None and (target := links.elsewhere(path)):
        moved = f" (there is {target})"
    caused = new or links.before.has(path)
    return _dangling(
        spec, claim, f"{claim.path} is not there{moved}", caused=caused, target=_with(links, claim, target)
    )


def _gone(links: _Links) -> list[str]:
    return [normal(c.before) for c in links.judgement.change_set.changes if c.status in ("D", "R")]


def _with(links: _Links, claim: Claim, target: str | None) -> str | None:
    """The claim's text at the place where its file went; a unit that was renamed on the way by its new name."""
    if target is None or claim.symbol is None:
        return f"{target}/" if target and claim.text.endswith("/") else target
    return f"{target}#{_renamed_unit(links, claim, target) or claim.symbol}"


def _renamed_unit(links: _Links, claim: Claim, target: str) -> str | None:
    judgement = links.judgement
    old = judgement.outline(judgement.before, claim.path)
    new = judgement.outline(judgement.after, target)
    if old is None or new is None or claim.symbol is None or new.find(claim.symbol):
        return None
    names = old.find(claim.symbol)
    return renamed_units(old, new).get(names[0].name) if len(names) == 1 else None


def _dead_symbol(links: _Links, spec: Spec, claim: Claim, new: bool) -> Finding | None:
    judgement = links.judgement
    if claim.symbol is None or not (new or judgement.is_read(judgement.after, claim.path)):
        return None
    units = judgement.outline(judgement.after, claim.path)
    # What a new claim names was read if it could be: else it is a link, or too large.
    if units is None:
        message = f"{claim.path} has no units that could be read; claim the file without `#{claim.symbol}`"
        return _broken(spec, claim, message, level="note")
    found = units.find(claim.symbol)
    if len(found) > 1:
        names = ", ".join(f"`{unit.name}`" for unit in found[:SHOWN])
        message = f"`#{claim.symbol}` is ambiguous in {claim.path}: it may be {names}"
        return _broken(spec, claim, message, level="error" if new else "note")
    if found:
        return None
    before = judgement.outline(judgement.before, claim.path)
    caused = new or (before is not None and bool(before.find(claim.symbol)))
    name = _renamed_unit(links, claim, claim.path)
    moved = f" (it is now `{name}`)" if name else ""
    target = f"{claim.path}#{name}" if name else None
    return _dangling(spec, claim, f"{claim.path} has no `{claim.symbol}`{moved}", caused=caused, target=target)


def _dangling(spec: Spec, claim: Claim, what: str, *, caused: bool, target: str | None = None) -> Finding:
    fix = Fix(spec.path, claim.line, claim.text, target) if target and _can_be_written(target) else None
    do = "run spex-govern --fix, or correct" if fix else "correct or remove"
    return Finding(
        rule="dangling-claim",
        level="error" if caused else "note",
        message=f"{what}, but spec {spec.id} names it",
        path=spec.path,
        line=claim.line,
        end_line=claim.line,
        spec=spec.id,
        spec_path=spec.path,
        unit=claim.symbol,
        fix=fix,
        details=(
            ("claim", f"{spec.path}:{claim.line}  {said(claim)}"),
            ("do", f"{do} the claim" + (f":  {target}" if target else "; `status: draft` where the code comes later")),
        ),
    )


def _can_be_written(claim: str) -> bool:
    """Whether a name, which may be a stranger's, stands in a list of claims as what it is and nothing more."""
    try:
        plain = parse_claim(claim, Relation.CODE, 1).text == claim
    except ClaimRefusedError:
        return False
    return plain and claim[0] not in "\"'[]{}|>&*!%@`#-" and ": " not in claim


def _broken(spec: Spec, claim: Claim, message: str, *, level: Level) -> Finding:
    return Finding(
        rule="broken-spec",
        level=level,
        message=message,
        path=spec.path,
        line=claim.line,
        end_line=claim.line,
        spec=spec.id,
        spec_path=spec.path,
        unit=claim.symbol,
    )


def dropped_claim(judgement: Judgement) -> Iterator[Finding]:
    """Claims that the change removes from code that is still there and that no spec claims any more."""
    links = _Links(judgement)
    touched = {judgement.moved.get(change.before, change.path) for change in judgement.change_set.changes}
    there = by_path(judgement.after.tree)
    for path, old in sorted(judgement.specs_before.items()):
        new = there.get(path)
        # A file may stop being a spec though it is as it was, when what made it one goes.
        if path not in touched and new is not None:
            continue
        kept = {(claim.path, claim.symbol) for claim in new.claims if claim.relation is Relation.CODE} if new else set()
        for claim in old.claims:
            if claim.relation is Relation.CODE and (claim.path, claim.symbol) not in kept:
                left = [file for file in _still_there(links, claim) if not _claimed(judgement, file, claim)]
                if left:
                    yield _dropped(judgement, path, old, new, claim, left)


def _still_there(links: _Links, claim: Claim) -> list[str]:
    there = (links.renamed.get(file, file) for file in links.before.covered(claim))
    files = [file for file in there if links.after.has(normal(file))]
    return [file for file in files if _units_of(links.judgement, file, claim) != set()]


def _units_of(judgement: Judgement, path: str, claim: Claim) -> set[str] | None:
    """The units of a file at the head that a claim names; None where it names none, or the file was not read."""
    units = judgement.outline(judgement.after, path) if claim.symbol is not None else None
    return {unit.name for unit in units.find(claim.symbol or "")} if units else None


def _claimed(judgement: Judgement, path: str, dropped: Claim) -> bool:
    """Whether a claim at the head is on what the dropped one was on."""
    hits = (hit.claim for hit in judgement.claims_after.on(path) if hit.claim.relation is Relation.CODE)
    return any(_covers(judgement, path, claim, dropped) for claim in hits)


def _covers(judgement: Judgement, path: str, claim: Claim, dropped: Claim) -> bool:
    if claim.symbol is None or dropped.symbol is None or claim.symbol == dropped.symbol:
        return True
    old, new = (_units_of(judgement, path, one) or set() for one in (dropped, claim))
    return any(f"{unit}.".startswith(f"{around}.") for unit in old for around in new)


def _dropped(
    judgement: Judgement, path: str, old: Spec, new: Spec | None, claim: Claim, left: Sequence[str]
) -> Finding:
    more = f" and {len(left) - 1} more files" if len(left) > 1 else ""
    what = f"spec {old.id} no longer claims" if new else f"spec {old.id} is gone, and it claimed"
    line = (new.field_lines.get("code") if new else None) or 1
    return Finding(
        rule="dropped-claim",
        level="error",
        message=f"{what} {left[0]}{more}, and no other spec does",
        path=path,
        line=line,
        end_line=line,
        spec=old.id,
        spec_path=path,
        unit=claim.symbol,
        details=(
            ("claim", f"{old.path}:{claim.line}  {said(claim)}"),
            ("do", "keep the claim, or move it to the spec that governs this code now"),
        ),
    )
