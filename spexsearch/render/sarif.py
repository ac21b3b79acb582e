"""A report as SARIF 2.1.0, within what GitHub's code scanning takes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from spexsearch.govern.report import RULES, Finding, Report
from spexsearch.render.escape import inert_json
from spexsearch.render.fingerprint import fingerprints
from spexsearch.render.markup import fenced, path_in_address, shown_short

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST = 5000
"""Results: GitHub shows no more of them, and refuses a file of more than 10 MB when it is compressed."""
LARGEST = 9 << 20
"""Bytes, uncompressed."""
_LONGEST = 1000
_HERE = "%SRCROOT%"


def render(report: Report, version: str) -> str:
    """One JSON object, ASCII only, and a final LF. Findings that there is no room for are counted in a notification."""
    marks = fingerprints(report.findings)
    rules = list(dict.fromkeys([*RULES, *(finding.rule for finding in report.findings)]))
    results = [
        _result(finding, mark, rules) for finding, mark in zip(report.findings[:MOST], marks[:MOST], strict=True)
    ]
    rows = [json.dumps(result) for result in results]
    while rows and sum(map(len, rows)) + len(rows) > LARGEST:
        del rows[len(rows) * 9 // 10 :]
    run = _run(report, version, rules, len(report.findings) - len(rows))
    return inert_json(json.dumps(_log(run | {"results": [json.loads(row) for row in rows]}))) + "\n"


def _log(run: dict[str, object]) -> dict[str, object]:
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _run(report: Report, version: str, rules: Sequence[str], cut: int) -> dict[str, object]:
    told = [{"level": "warning", "message": {"text": f"{cut} more findings are left out"}}] if cut else []
    unread = [{"level": "warning", "message": {"text": _text(problem.message)}} for problem in report.problems[:100]]
    return {
        "tool": {
            "driver": {
                "name": "spex-govern",
                "version": version,
                "semanticVersion": version,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "automationDetails": {"id": "spex-govern/"},
        "columnKind": "utf16CodeUnits",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": [*told, *unread]}],
    }


def _rule(rule: str) -> dict[str, object]:
    text = RULES.get(rule, rule)
    first = " ".join(text.partition("\n\n")[0].split())
    return {
        "id": rule,
        "name": "".join(word.capitalize() for word in rule.split("-")),
        "shortDescription": {"text": rule.replace("-", " ")},
        "fullDescription": {"text": first},
        "help": {"text": text, "markdown": fenced(text.split("\n"))},
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["specs"], "precision": "high", "problem.severity": "warning"},
    }


def _result(finding: Finding, mark: str, rules: Sequence[str]) -> dict[str, object]:
    lines = [finding.message, *(f"{label}: {text}" for label, text in finding.details)]
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": finding.level,
        "message": {"text": "\n".join(_text(line) for line in lines)},
        "locations": [_location(finding.path, finding.line, finding.end_line)],
        "partialFingerprints": {"primaryLocationLineHash": mark},
    }
    if finding.spec_path is not None:
        line = finding.section.line if finding.section else 1
        told = f"spec {finding.spec or ''}".strip()
        place = _location(finding.spec_path, line, line)
        result["relatedLocations"] = [place | {"id": 1, "message": {"text": _text(told)}}]
    return result


def _location(path: str, line: int, end_line: int) -> dict[str, object]:
    first = max(line, 1)
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": path_in_address(path), "uriBaseId": _HERE},
            "region": {"startLine": first, "endLine": max(end_line, first)},
        }
    }


def _text(text: str) -> str:
    # A bracket may begin a link, and a backslash takes that from it.
    shown = shown_short(text, _LONGEST)
    return shown.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
