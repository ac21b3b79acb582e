"""A report as GitLab's code quality JSON."""

from __future__ import annotations

import json

from spexsearch.govern.report import Report
from spexsearch.render.escape import inert_json, visible
from spexsearch.render.fingerprint import fingerprints

_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def render(report: Report) -> str:
    """An array of `{description, check_name, fingerprint, severity, location}`, worst first, and a final LF."""
    rows = [
        {
            "description": visible(finding.message),
            "check_name": finding.rule,
            "fingerprint": mark,
            "severity": _SEVERITIES[finding.level],
            "location": {"path": visible(finding.path), "lines": {"begin": finding.line, "end": finding.end_line}},
        }
        for finding, mark in zip(report.findings, fingerprints(report.findings), strict=True)
    ]
    return inert_json(json.dumps(rows, indent=2)) + "\n"
