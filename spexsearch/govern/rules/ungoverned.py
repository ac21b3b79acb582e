"""`ungoverned-code`: changed source that no spec claims."""

from __future__ import annotations

from collections.abc import Iterator

from spexsearch.govern.holds import Judged
from spexsearch.govern.model import State
from spexsearch.govern.report import Finding, Level
from spexsearch.govern.rules.judgement import Judgement, first_line
from spexsearch.govern.significance import Significance
from spexsearch.specs.model import Relation

CHANGED: tuple[Significance, ...] = ("behaviour",)
NEW: tuple[Significance, ...] = ("behaviour", "import", "rename")
"""What code does that nobody governs yet; a new file may hold only what came from others."""


def ungoverned_code(judgement: Judgement) -> Iterator[Finding]:
    """Changed source that no spec claims."""
    if not judgement.after.tree.specs:
        return
    claimed = {
        h.judged.change.path for held in judgement.held.values() for h in held if h.claim.relation is Relation.CODE
    }
    folders = claimed_folders(judgement.after)
    for judged in judgement.judging:
        change, effect = judged.change, judged.effect
        if (
            effect.kind != "code"
            or effect.significance not in (NEW if change.status in ("A", "C") else CHANGED)
            or change.status == "D"
            or change.path in claimed
        ):
            continue
        new = change.status in ("A", "C")
        level: Level = "warning" if new and change.path.rpartition("/")[0] in folders else "note"
        yield _ungoverned(judgement, judged, level)


def claimed_folders(state: State) -> frozenset[str]:
    """Folders of which some file is claimed by name."""
    claims = (claim for spec in state.tree.specs for claim in spec.claims if claim.relation is Relation.CODE)
    return frozenset(claim.path.rpartition("/")[0] for claim in claims if claim.path in state.files)


def _ungoverned(judgement: Judgement, judged: Judged, level: Level) -> Finding:
    change = judged.change
    line = first_line(change)
    paths = (judgement.moved.get(path, path) for path in judged.first)
    probable = [judgement.specs[path] for path in paths if path in judgement.specs]
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
