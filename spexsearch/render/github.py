"""A report as GitHub workflow commands, which become annotations on the changed lines."""

from __future__ import annotations

from spexsearch.govern.report import Finding, Report
from spexsearch.render.escape import visible

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report) -> str:
    """One command a finding, worst first. What comes from the repository is escaped: none of it is a command."""
    return "".join(_command(finding) for finding in report.findings)


SHOWN = 10
"""Annotations of one level that GitHub shows of one step."""


def worst(report: Report) -> str:
    """The commands of the findings that GitHub has room for: the worst errors and warnings, no notes."""
    loud = (_of_level(report, level)[:SHOWN] for level in ("error", "warning"))
    return "".join(_command(finding) for findings in loud for finding in findings)


def left_out(report: Report) -> int:
    """How many errors and warnings have no annotation."""
    return sum(max(0, len(_of_level(report, level)) - SHOWN) for level in ("error", "warning"))


def _of_level(report: Report, level: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.level == level]


def command(name: str, text: str) -> str:
    """One workflow command without a place, as `error` or `notice`."""
    return f"::{name}::{_data(text)}\n"


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
