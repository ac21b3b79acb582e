"""A report as GitLab reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from spexsearch.render.fingerprint import fingerprints
from spexsearch.render.gitlab import render

Make = Callable[..., Any]


def test_each_finding_is_a_row(report: Make, finding: Make) -> None:
    found = [finding(level=level, message=f"é\x1b{level}") for level in ("error", "warning", "note")]
    rows = json.loads(render(report(findings=tuple(found))))
    assert [row["severity"] for row in rows] == ["major", "minor", "info"]
    assert rows[0] == {
        "description": "é\\x1berror",
        "check_name": "untouched-spec",
        "fingerprint": fingerprints(found)[0],
        "severity": "major",
        "location": {"path": "m.py", "lines": {"begin": 2, "end": 3}},
    }
    assert len({row["fingerprint"] for row in rows}) == 3
    assert json.loads(render(report())) == []


def test_odd_bytes_do_not_break_it(report: Make, finding: Make) -> None:
    text = render(report(findings=(finding()._replace(path="a\udcff\ud800"),)))
    assert text.isascii()
    assert json.loads(text)[0]["location"]["path"] == "a\\xff\\ud800"
