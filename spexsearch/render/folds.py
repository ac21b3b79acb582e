"""What stands behind a fold of the Markdown: suggestions, settled specs, notes, what was not looked at."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from spexsearch.govern.report import Finding, Governing, Report
from spexsearch.render.escape import shortened
from spexsearch.render.markup import code, fenced, link, prose
from spexsearch.render.text import counted

MOST = 5
Address = Callable[[str, int], str | None]
# What stands in a list of claims as what it is; a `#` would begin a symbol.
_CLAIMABLE = re.compile(r"[\w.@/+(][\w./+@()\[\]=~ -]*(?<! )")
_TOGETHER = 40
"""Lines of one block to copy: a block is kept or cut whole."""


def fitted(pieces: Iterable[str], room: int) -> list[str]:
    """The first pieces that fit into so many bytes, a line feed after each."""
    kept = []
    for piece in pieces:
        room -= len(piece.encode()) + 1
        if room < 0:
            break
        kept.append(piece)
    return kept


def governing(report: Report) -> list[Governing]:
    """The specs that have a claim on the change."""
    return [entry for entry in report.governing if entry.claim not in ("none", "related")]


def fold(report: Report, address: Address, room: int) -> str:
    """One fold with its lists, or nothing. What there is no room for is counted under its list."""
    lists = [(title, pieces) for title, pieces in _lists(report, address) if pieces]
    if not lists:
        return ""
    titles = ", ".join(title for title, _ in lists)
    lines = ["<details>", f"<summary>{titles}</summary>", ""]
    room -= sum(len(title.encode()) + 80 for title, _ in lists) * 2 + 100
    for title, pieces in lists:
        kept = fitted(pieces, max(room, 0))
        room -= sum(len(piece.encode()) + 1 for piece in kept)
        lines += [f"**{title}**", "", *kept]
        lines += [] if len(kept) == len(pieces) else [f"- … and {len(pieces) - len(kept)} more"]
        lines.append("")
    return "".join(f"{line}\n" for line in [*lines, "</details>"])


def _lists(report: Report, address: Address) -> Iterator[tuple[str, list[str]]]:
    ungoverned = [finding for finding in report.findings if finding.rule == "ungoverned-code"]
    yield counted(len(ungoverned), "suggestion") + " for code that no spec claims", list(_suggestions(ungoverned))
    settled = [entry for entry in governing(report) if entry.settled]
    yield counted(len(settled), "spec") + " settled", [_settled(entry, address) for entry in settled]
    notes = [f for f in report.findings if f.level == "note" and f.rule != "ungoverned-code"]
    yield counted(len(notes), "note"), [_note(finding, address) for finding in notes]
    learned = report.learnings
    yield (
        counted(len(learned), "learning") + " that this change calls up",
        [f"- {code(told.key)} {prose(shortened(told.insight))}" for told in learned],
    )
    skipped = report.not_judged
    yield (
        counted(len(skipped), "file") + " not judged",
        [f"- {code(told.path)}: {prose(told.reason)}" for told in skipped],
    )


def _settled(entry: Governing, address: Address) -> str:
    how = "edited" if entry.touched else "acknowledged by `Spec-OK`"
    return f"- {link(code(entry.spec), address(entry.path, 1))} {how}"


def _note(finding: Finding, address: Address) -> str:
    names = [name for name in (finding.path, finding.spec_path, finding.spec, finding.unit) if name]
    where = link(code(f"{finding.path}:{finding.line}"), address(finding.path, finding.line))
    return f"- {where} {prose(finding.message, names)}"


def _suggestions(findings: Iterable[Finding]) -> Iterator[str]:
    """Ready lines for the specs that probably govern the code, spec by spec."""
    by_spec: defaultdict[str, list[str]] = defaultdict(list)
    for finding in findings:
        by_spec[finding.spec_path or ""].append(finding.path)
    for spec, paths in by_spec.items():
        whose = f"{code(spec)}, perhaps" if spec else "the spec that governs it"
        ready = [path for path in paths if _CLAIMABLE.fullmatch(path)]
        for first in range(0, len(ready), _TOGETHER):
            block = fenced([f"  - {path}" for path in ready[first : first + _TOGETHER]], "yaml")
            yield f"Add to the `code:` list of {whose}:\n\n{block}\n"
        yield from (f"- no claim can write {code(path)}; claim its folder" for path in paths if path not in set(ready))
