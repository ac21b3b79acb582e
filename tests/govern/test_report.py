"""The order of findings, and the schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.govern.model import NotJudged
from spexsearch.govern.report import (
    ACKNOWLEDGEABLE,
    LEVELS,
    RULES,
    Evidence,
    Finding,
    Fix,
    Governing,
    Place,
    Recalled,
    Report,
    ReportedChange,
    ScoredSection,
    finding_order,
    finding_row,
    to_json,
)
from spexsearch.specs.model import Problem

FOUND = Finding("b-rule", "warning", "m", "m.py", 5, 6, spec_path="m", score=0.5)

# Each stands before the one that follows it, whatever their lesser keys say.
ORDERED = [
    FOUND._replace(level="error", score=0.1, path="z.py"),
    FOUND._replace(score=0.7, path="z.py"),
    FOUND._replace(path="a.py", line=9),
    FOUND._replace(line=4, rule="z-rule"),
    FOUND._replace(rule="a-rule", spec_path="z"),
    FOUND._replace(spec_path=None),
    FOUND,
    FOUND._replace(spec_path="n"),
    FOUND._replace(rule="c-rule", spec_path="a"),
    FOUND._replace(line=6, rule="a-rule"),
    FOUND._replace(path="n.py", line=1),
    FOUND._replace(score=None, path="a.py"),
    FOUND._replace(level="note", score=0.9, path="a.py"),
]


def test_worst_first_then_score_path_line_rule_spec() -> None:
    turned = ORDERED[::-1]
    assert sorted(turned, key=finding_order) == ORDERED


@given(st.permutations(ORDERED))
def test_the_order_of_findings_is_total(shuffled: list[Finding]) -> None:
    assert sorted(shuffled, key=finding_order) == ORDERED
    assert len({finding_order(finding) for finding in shuffled}) == len(ORDERED)


def test_no_score_is_the_least_score() -> None:
    assert finding_order(FOUND._replace(score=None)) == finding_order(FOUND._replace(score=0.0))


@pytest.mark.parametrize(
    ("touched", "acknowledged", "settled"),
    [(False, False, False), (True, False, True), (False, True, True), (True, True, True)],
)
def test_settled_is_touched_or_acknowledged(touched: bool, acknowledged: bool, settled: bool) -> None:
    assert governing(touched, acknowledged).settled is settled


def governing(touched: bool = False, acknowledged: bool = False) -> Governing:
    evidence = (Evidence("claim", 1.0, "d"),)
    sections = (ScoredSection("Heading", 9, 0.5),)
    return Governing("a", ".spec/a/spec.md", 1.5, "unit", touched, acknowledged, evidence, sections, ("m.py",))


REPORT = Report(
    origin="commit",
    base=None,
    head="h",
    changes=(
        ReportedChange("R", "m.py", "o.py", False, "code", "behaviour", (1, 2), (3,), ("f",)),
        ReportedChange("A", "\udcff.bin", None, True, "other", "behaviour", (), (), ()),
    ),
    governing=(governing(), governing(touched=True), governing(acknowledged=True)),
    findings=(
        Finding(
            "untouched-spec",
            "error",
            "why",
            "m.py",
            2,
            3,
            spec="a",
            spec_path=".spec/a/spec.md",
            unit="f",
            score=1.5,
            section=Place("Heading", 9),
            fix=Fix("p", 4, "old", "new"),
            details=(("do", "it"),),
        ),
        FOUND._replace(level="warning"),
        FOUND._replace(level="note"),
        FOUND._replace(level="note"),
    ),
    problems=(Problem("p", 7, "what", unreadable=True),),
    not_judged=(NotJudged("n", "r"),),
    specs=8,
    learnings=(Recalled("k", "tool", "say", 7.5),),
)


def test_the_counts_of_a_report() -> None:
    assert [REPORT.count(level) for level in LEVELS] == [1, 1, 2]


def test_the_report_as_the_schema_has_it() -> None:
    assert json.loads(json.dumps(to_json(REPORT, "9.9"))) == {
        "schema": "spex-govern/1",
        "tool": {"name": "spexsearch", "version": "9.9"},
        "base": None,
        "head": "h",
        "from": "commit",
        "changes": [
            {
                "status": "R",
                "path": "m.py",
                "old_path": "o.py",
                "binary": False,
                "kind": "code",
                "significance": "behaviour",
                "added_lines": [1, 2],
                "removed_lines": [3],
                "units": ["f"],
            },
            {
                "status": "A",
                "path": "\udcff.bin",
                "old_path": None,
                "binary": True,
                "kind": "other",
                "significance": "behaviour",
                "added_lines": [],
                "removed_lines": [],
                "units": [],
            },
        ],
        "governing": [
            {
                "spec": "a",
                "path": ".spec/a/spec.md",
                "score": 1.5,
                "claim": "unit",
                "touched": touched,
                "acknowledged": acknowledged,
                "evidence": [{"name": "claim", "weight": 1.0, "detail": "d"}],
                "sections": [{"heading": "Heading", "line": 9, "score": 0.5}],
                "changes": ["m.py"],
            }
            for touched, acknowledged in ((False, False), (True, False), (False, True))
        ],
        "findings": [finding_row(finding) for finding in REPORT.findings],
        "learnings": [{"key": "k", "type": "tool", "insight": "say", "confidence": 7.5}],
        "problems": [{"path": "p", "line": 7, "message": "what"}],
        "not_judged": [{"path": "n", "reason": "r"}],
        "summary": {"errors": 1, "warnings": 1, "notes": 2, "changes": 2, "specs": 8, "settled": 2},
    }


def test_a_finding_as_the_schema_has_it() -> None:
    full, bare = finding_row(REPORT.findings[0]), finding_row(FOUND._replace(spec_path=None, score=None))
    assert list(full.items()) == [
        ("rule", "untouched-spec"),
        ("level", "error"),
        ("message", "why"),
        ("spec", "a"),
        ("spec_path", ".spec/a/spec.md"),
        ("path", "m.py"),
        ("line", 2),
        ("end_line", 3),
        ("unit", "f"),
        ("score", 1.5),
        ("section", {"heading": "Heading", "line": 9}),
        ("fix", {"path": "p", "line": 4, "old": "old", "new": "new"}),
    ]
    assert [key for key, value in bare.items() if value is None] == [
        "spec",
        "spec_path",
        "unit",
        "score",
        "section",
        "fix",
    ]


def test_keys_come_in_the_order_of_the_schema() -> None:
    assert list(to_json(REPORT, "9.9")) == [
        *("schema", "tool", "base", "head", "from", "changes", "governing", "findings"),
        *("learnings", "problems", "not_judged", "summary"),
    ]


def test_what_a_spec_ok_line_settles_are_rules_that_say_so() -> None:
    assert set(ACKNOWLEDGEABLE) < set(RULES)
    assert {rule for rule in RULES if "Spec-OK" in RULES[rule] or "acknowledge" in RULES[rule]} == set(ACKNOWLEDGEABLE)


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_says_how_to_settle_it(rule: str) -> None:
    assert "To settle it, " in RULES[rule] or rule == "broken-spec"
    assert max(map(len, RULES[rule].split("\n"))) <= 120


def test_each_level_that_a_rule_gives_is_explained(judge: Callable[..., Report]) -> None:
    spec = "---\ntitle: t\ncode:\n  - {}\n---\nWords.\n"
    report = judge(
        {".spec/a/spec.md": spec.format("a.py"), "a.py": "x = 1\n", "b.py": "x = 1\n"},
        {"a.py": "x = f()\n", "b.py": "x = f()\n", "c.py": "x = f()\n"},
    )
    assert report.findings
    for finding in report.findings:
        assert f"\n{finding.level} " in RULES[finding.rule]


def test_the_orders_of_two_equal_findings_agree() -> None:
    for one, two in permutations(ORDERED, 2):
        assert (finding_order(one) < finding_order(two)) is (ORDERED.index(one) < ORDERED.index(two))
