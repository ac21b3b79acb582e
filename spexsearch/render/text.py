"""A report for people: a line a finding, what it rests on beneath, the counts last; nothing where nothing is to say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spexsearch.govern.report import Finding, Governing, Report
from spexsearch.render.escape import inert, shortened, visible, visible_line

_COLORS = {"error": "31", "warning": "33", "note": "36"}
_WIDTH = 5
SPECS = {"error": 3, "warning": 5}
"""Of how many specs one report speaks at each level: nobody reads on."""


def render(report: Report, *, verbose: bool = False, color: bool = False) -> str:
    """The report as lines, each ended by LF; `verbose` adds notes, evidence, problems and what was not judged."""
    lines: list[str] = []
    shown = report.findings if verbose else tuple(_most_telling(report.findings))
    for finding in shown:
        lines.extend(finding_lines(finding, color=color))
    hidden = sum(finding.level != "note" for finding in report.findings) - sum(f.level != "note" for f in shown)
    if hidden:
        lines.append(f"and {counted(hidden, 'more finding')}, of specs that come after these; -v shows them")
    if verbose:
        for governing in report.governing:
            lines.extend(_governing(governing))
        lines.extend(visible_line(f"{p.path}:{p.line}  problem: {p.message}") for p in report.problems if p.path)
        lines.extend(visible_line(f"{n.path}  not judged: {n.reason}") for n in report.not_judged)
    # An acknowledgement that reaches no spec has not done what its author thinks.
    lines.extend(visible_line(problem.message) for problem in report.problems if not problem.path)
    lines.extend(_recalled(report))
    if lines:
        lines.append(_closing(report, verbose))
    return "".join(inert(line) + "\n" for line in lines)


def _most_telling(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, worst first, of as many specs as people read of; those of no spec too, but no notes."""
    met: dict[str, set[str]] = {level: set() for level in SPECS}
    for finding in findings:
        if finding.level in SPECS:
            specs = met[finding.level]
            if finding.spec_path is None or finding.spec_path in specs or len(specs) < SPECS[finding.level]:
                specs.update(filter(None, [finding.spec_path]))
                yield finding


def finding_lines(finding: Finding, *, color: bool = False) -> Iterator[str]:
    """One finding: where, how bad, what; and its details, indented."""
    level = f"\x1b[1;{_COLORS[finding.level]}m{finding.level}\x1b[0m" if color else finding.level
    yield f"{visible_line(finding.path)}:{finding.line}  {level} {finding.rule}: {visible(finding.message)}"
    for label, text in finding.details:
        yield f"    {label:<{_WIDTH}}  {visible(text)}"


def _governing(governing: Governing) -> Iterator[str]:
    if governing.claim == "none":
        yield visible_line(f"{governing.path}  speaks of it, claims nothing of it (score {governing.score:.2f})")
        return
    state = "touched" if governing.touched else "acknowledged" if governing.acknowledged else "not settled"
    if governing.claim == "related":
        state = "governed elsewhere"
    claim, score = _CLAIMS[governing.claim], f"{governing.score:.2f}"
    yield visible_line(f"{governing.path}  {claim}, {state} (score {score})")
    for piece in governing.evidence:
        yield visible(f"    {piece.weight:+.2f}  {piece.name}: {piece.detail}")


def _recalled(report: Report) -> Iterator[str]:
    if report.learnings:
        yield "learnings that this change calls up:"
    for learning in report.learnings:
        told = f"    [{visible(learning.key)}] {visible(learning.type)}, confidence {learning.confidence:g}/10: "
        yield told + shortened(learning.insight)


_CLAIMS = {
    "unit": "claims a unit that changed",
    "file": "claims the file",
    "folder": "claims the folder",
    "glob": "claims it by a pattern",
    "module": "stands in its folder",
    "unit-missed": "claims a unit that did not change",
    "related": "refers to it",
}


def _closing(report: Report, verbose: bool) -> str:
    parts = [counted(report.count("error"), "error"), counted(report.count("warning"), "warning")]
    notes = report.count("note")
    if notes:
        parts.append(counted(notes, "note") + ("" if verbose else " (-v shows them)"))
    unreadable = sum(problem.unreadable for problem in report.problems)
    if unreadable:
        parts.append(f"{counted(unreadable, 'spec')} unreadable (-v says why)")
    if report.not_judged:
        parts.append(f"{counted(len(report.not_judged), 'file')} not judged (-v says why)")
    return f"{', '.join(parts)} · {counted(len(report.changes), 'change')} against {counted(report.specs, 'spec')}"


def counted(count: int, word: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{count} {word}{'' if count == 1 else 's'}"
