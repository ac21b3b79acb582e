"""A report as GitHub workflow commands, which become annotations on the changed lines."""

from __future__ import annotations

from spexsearch.govern.report import Finding, Report
from spexsearch.render.escape import visible

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report) -> str:
    """One command a finding, worst first. What comes from the repository is escaped: none of it is a command."""
    return "".join(_command(finding) for finding in report.findings)


def _command(finding: Finding) -> str:
    properties = {
        "file": finding.path,
        "line": str(finding.line),
        "endLine": str(finding.end_line),
        "title": finding.rule,
    }
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    lines = [finding.message, *(f"{label}: {text}" for label, text in finding.details)]
    return f"::{_COMMANDS[finding.level]} {written}::{'%0A'.join(_data(line) for line in lines)}\n"


def _data(text: str) -> str:
    return visible(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
