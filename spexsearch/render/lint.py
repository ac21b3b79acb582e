"""The faults of a spec tree, as text and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from spexsearch.govern.report import Finding, finding_row
from spexsearch.render.escape import inert, json_line
from spexsearch.render.text import counted, finding_lines


def lint_text(findings: Sequence[Finding], specs: int, *, verbose: bool = False, color: bool = False) -> str:
    """One line a finding, its details beneath, the counts last. A clean tree gives the counts alone."""
    shown = [finding for finding in findings if verbose or finding.level != "note"]
    lines = [line for finding in shown for line in finding_lines(finding, color=color)]
    notes = sum(finding.level == "note" for finding in findings)
    parts = [counted(sum(f.level == level for f in findings), level) for level in ("error", "warning")]
    parts += [counted(notes, "note") + ("" if verbose else " (-v shows them)")] if notes else []
    return "".join(f"{inert(line)}\n" for line in [*lines, f"{', '.join(parts)} in {counted(specs, 'spec')}"])


def lint_json(findings: Sequence[Finding], *, ascii_only: bool = False) -> str:
    """An array on one line, ended by LF, of findings as the report's schema has them."""
    return json_line([finding_row(finding) for finding in findings], ascii_only=ascii_only) + "\n"
