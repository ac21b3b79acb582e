"""`broken-spec`: what is wrong with the spec files, and whose doing it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spexsearch.govern.report import Report
from spexsearch.govern.rules.broken import problem_finding
from spexsearch.specs.model import Problem

Judge = Callable[..., Report]

SPEC, NEW = ".spec/a/spec.md", ".spec/b/spec.md"


def spec(body: str, extra: str = "") -> str:
    return f"---\ntitle: t\n{extra}---\n{body}\n"


def levels(report: Report) -> list[tuple[str, str, int]]:
    return [(f.level, f.path, f.line) for f in report.findings if f.rule == "broken-spec"]


def test_what_the_change_breaks_is_an_error_and_what_was_broken_a_note(judge: Judge) -> None:
    old, new = spec("See [[nobody]]."), spec("See [[nobody]] and [[noone]].")
    assert levels(judge({SPEC: spec("Words.")}, {SPEC: old})) == [("error", SPEC, 4)]
    assert levels(judge({SPEC: old}, {"a.py": "x = 1\n"})) == [("note", SPEC, 4)]
    assert levels(judge({SPEC: old}, {SPEC: new})) == [("error", SPEC, 4), ("note", SPEC, 4)]
    assert levels(judge({SPEC: old}, {SPEC: spec("Words.")})) == []
    assert levels(judge({SPEC: spec("Words.")}, {NEW: old})) == [("error", NEW, 4)]


def test_a_fault_is_known_by_what_it_says_and_not_by_its_line(judge: Judge) -> None:
    assert levels(judge({SPEC: spec("See [[nobody]].")}, {SPEC: spec("Words.\n\nSee [[nobody]].")})) == [
        ("note", SPEC, 6)
    ]


def test_a_fault_that_is_repeated_is_new_once(judge: Judge) -> None:
    twice = spec("See [[nobody]].\n\nSee [[nobody]].")
    assert sorted(levels(judge({SPEC: spec("See [[nobody]].")}, {SPEC: twice}))) == [
        ("error", SPEC, 6),
        ("note", SPEC, 4),
    ]
    assert levels(judge({SPEC: twice}, {SPEC: twice + "More.\n"})) == [("note", SPEC, 4), ("note", SPEC, 6)]


def test_a_renamed_spec_brings_its_faults_along(judge: Judge) -> None:
    files = {SPEC: spec("See [[nobody]].")}
    assert levels(judge(files, {}, moved={SPEC: NEW})) == [("note", NEW, 4)]
    assert levels(judge(files | {NEW: spec("Words.")}, {NEW: spec("See [[nobody]].")})) == [
        ("error", NEW, 4),
        ("note", SPEC, 4),
    ]


def test_the_same_fault_in_another_file_is_another(judge: Judge) -> None:
    report = judge({SPEC: spec("See [[nobody]].")}, {NEW: spec("See [[nobody]].")})
    assert levels(report) == [("error", NEW, 4), ("note", SPEC, 4)]


def test_a_file_that_gives_no_spec_is_always_an_error(judge: Judge) -> None:
    files = {"SPEC.md": "---\nid: a\ntitle: b\n", SPEC: spec("See [[nobody]].")}
    report = judge(files, {"a.py": "x = 1\n"})
    assert [(problem.path, problem.unreadable) for problem in report.problems] == [(SPEC, False), ("SPEC.md", True)]
    assert levels(report) == [("error", "SPEC.md", 1), ("note", SPEC, 4)]


@pytest.mark.parametrize(
    ("unreadable", "caused", "level"),
    [(False, False, "note"), (False, True, "error"), (True, False, "error"), (True, True, "error")],
)
def test_a_problem_as_a_finding(unreadable: bool, caused: bool, level: str) -> None:
    finding = problem_finding(Problem("p", 7, "what", unreadable), caused=caused)
    assert (finding.rule, finding.level, finding.message) == ("broken-spec", level, "what")
    assert (finding.path, finding.spec_path, finding.line, finding.end_line) == ("p", "p", 7, 7)
