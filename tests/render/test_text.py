"""A report as people read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spexsearch.govern.holds import STRENGTH
from spexsearch.govern.model import NotJudged
from spexsearch.govern.report import LEVELS, Evidence, Finding, Governing, Recalled, Report, ReportedChange
from spexsearch.render.lint import lint_json, lint_text
from spexsearch.render.text import counted, finding_lines, render
from spexsearch.specs.model import Problem

Make = Callable[..., Any]


def governing(claim: str = "unit", touched: bool = False, acknowledged: bool = False) -> Governing:
    evidence = (Evidence("floor", 1.0, "all of it"), Evidence("claim-hit", 0.5, "p:4 code: m.py"))
    return Governing("a", ".spec/a/spec.md", 1.504, claim, touched, acknowledged, evidence, (), ())


CHANGE = ReportedChange("M", "m.py", None, False, "code", "behaviour", (1,), (), ())


def test_nothing_to_say_says_nothing(report: Make) -> None:
    assert render(report()) == render(report(), verbose=True) == ""
    assert render(report(changes=(CHANGE,), governing=(governing(),))) == ""


def test_a_finding_its_details_and_the_counts(report: Make, finding: Make) -> None:
    found = finding(details=(("claim", "p:4  code: m.py"), ("do", "edit it"), ("longer", "label")))
    assert render(report(findings=(found,), changes=(CHANGE,))) == (
        "m.py:2  error untouched-spec: why\n"
        "    claim  p:4  code: m.py\n"
        "    do     edit it\n"
        "    longer  label\n"
        "1 error, 0 warnings · 1 change against 1 spec\n"
    )


@pytest.mark.parametrize(("level", "code"), [("error", "31"), ("warning", "33"), ("note", "36")])
def test_levels_are_coloured_and_nothing_else(finding: Make, level: str, code: str) -> None:
    found = finding(level=level, details=(("do", "it"),))
    first, second = finding_lines(found, color=True)
    assert first == f"m.py:2  \x1b[1;{code}m{level}\x1b[0m untouched-spec: why"
    assert second == "    do     it"
    assert next(finding_lines(found)) == f"m.py:2  {level} untouched-spec: why"


def test_colour_reaches_the_report(report: Make, finding: Make) -> None:
    assert "\x1b[1;31merror" in render(report(findings=(finding(),)), color=True)
    assert "\x1b" not in render(report(findings=(finding(),)))


def test_notes_are_counted_and_shown_when_asked_for(report: Make, finding: Make) -> None:
    made = report(findings=(finding(level="warning"), finding(level="note", message="quiet")), specs=3)
    assert render(made) == (
        "m.py:2  warning untouched-spec: why\n0 errors, 1 warning, 1 note (-v shows them) · 0 changes against 3 specs\n"
    )
    assert render(made, verbose=True) == (
        "m.py:2  warning untouched-spec: why\n"
        "m.py:2  note untouched-spec: quiet\n"
        "0 errors, 1 warning, 1 note · 0 changes against 3 specs\n"
    )
    assert render(report(findings=(finding(level="note"),))) == ""


@pytest.mark.parametrize(
    ("touched", "acknowledged", "state"),
    [
        (False, False, "not settled"),
        (True, False, "touched"),
        (False, True, "acknowledged"),
        (True, True, "touched"),
    ],
)
def test_what_governs_is_shown_with_its_evidence(report: Make, touched: bool, acknowledged: bool, state: str) -> None:
    made = report(governing=(governing("unit", touched, acknowledged),), changes=(CHANGE, CHANGE))
    assert render(made, verbose=True) == (
        f".spec/a/spec.md  claims a unit that changed, {state} (score 1.50)\n"
        "    +1.00  floor: all of it\n"
        "    +0.50  claim-hit: p:4 code: m.py\n"
        "0 errors, 0 warnings · 2 changes against 1 spec\n"
    )


def test_a_spec_without_a_claim_only_speaks_of_it(report: Make) -> None:
    first, *_ = render(report(governing=(governing("none"),)), verbose=True).splitlines()
    assert first == ".spec/a/spec.md  speaks of it, claims nothing of it (score 1.50)"
    assert "+1.00" not in render(report(governing=(governing("none"),)), verbose=True)


def test_every_kind_of_claim_has_words_of_its_own(report: Make) -> None:
    lines = [render(report(governing=(governing(how),)), verbose=True).split("\n")[0] for how in STRENGTH[:-1]]
    assert [line.split("  ")[1].split(", ")[0] for line in lines] == [
        "claims a unit that changed",
        "claims the file",
        "claims the folder",
        "claims it by a pattern",
        "stands in its folder",
        "claims a unit that did not change",
        "refers to it",
    ]


def test_problems_and_what_was_not_judged(report: Make, finding: Make) -> None:
    made = report(
        problems=(
            Problem("", 1, "Spec-OK names 'x'"),
            Problem("p", 7, "what"),
            Problem("q", 1, "lost", unreadable=True),
        ),
        not_judged=(NotJudged("n", "ignored"), NotJudged("o", "ignored")),
    )
    closing = "0 errors, 0 warnings, 1 spec unreadable (-v says why), 2 files not judged (-v says why)"
    assert render(made) == f"Spec-OK names 'x'\n{closing} · 0 changes against 1 spec\n"
    assert render(made, verbose=True) == (
        "p:7  problem: what\nq:1  problem: lost\nn  not judged: ignored\no  not judged: ignored\n"
        f"Spec-OK names 'x'\n{closing} · 0 changes against 1 spec\n"
    )
    # By themselves they are no reason to speak.
    assert render(report(problems=made.problems[1:], not_judged=made.not_judged)) == ""


def test_learnings_stand_under_a_heading_of_their_own(report: Make, finding: Make) -> None:
    learnings = (Recalled("k", "pitfall", "Say it", 8), Recalled("l", "tool", "x" * 2000, 7.5))
    shown = (
        "learnings that this change calls up:\n"
        "    [k] pitfall, confidence 8/10: Say it\n"
        f"    [l] tool, confidence 7.5/10: {'x' * 1000}…\n"
    )
    assert render(report(learnings=learnings)) == f"{shown}0 errors, 0 warnings · 0 changes against 1 spec\n"
    assert render(report(learnings=learnings, findings=(finding(),)), verbose=True) == (
        f"m.py:2  error untouched-spec: why\n{shown}1 error, 0 warnings · 0 changes against 1 spec\n"
    )


ODD = "a\x1b[31m\n\u202eb"
SHOWN = r"a\x1b[31m\n\u202eb"


def test_everything_from_a_repository_is_made_visible(report: Make, finding: Make) -> None:
    found = finding(path=ODD, message=ODD, details=(("do", ODD),))
    odd = Governing(ODD, ODD, 1.0, "unit", False, False, (Evidence("e", 1.0, ODD),), (), ())
    nothing = Governing(ODD, ODD, 1.0, "none", False, False, (), (), ())
    made = report(
        findings=(found,),
        governing=(odd, nothing),
        problems=(Problem("", 1, ODD), Problem(ODD, 1, ODD)),
        not_judged=(NotJudged(ODD, ODD),),
        learnings=(Recalled(ODD, ODD, ODD, 1),),
    )
    said = render(made, verbose=True)
    assert said.count(SHOWN) == 14
    assert ODD not in said
    assert len(said.splitlines()) == 11


@pytest.mark.parametrize("text", ["::error::x", "##[error]x", "  ::add-mask::x", "a ##[add-mask]x"])
def test_no_line_is_a_command_to_a_runner_that_logs_it(report: Make, finding: Make, text: str) -> None:
    made = report(
        findings=(finding(path=text, message=text, details=(("do", text),)),),
        governing=(governing()._replace(path=text), governing("none")._replace(path=text)),
        problems=(Problem("", 1, text), Problem(text, 1, text)),
        not_judged=(NotJudged(text, text),),
        learnings=(Recalled(text, text, text, 1),),
    )
    said = render(made, verbose=True).splitlines()
    assert len(said) == 12
    assert [line for line in said if line.lstrip().startswith("::") or "##[" in line] == []


@pytest.mark.parametrize(("count", "said"), [(0, "0 errors"), (1, "1 error"), (2, "2 errors")])
def test_counted(count: int, said: str) -> None:
    assert counted(count, "error") == said


# --- the faults of a tree


def test_a_clean_tree_gives_the_counts_alone() -> None:
    assert lint_text([], 2) == "0 errors, 0 warnings in 2 specs\n"
    assert lint_text([], 1) == "0 errors, 0 warnings in 1 spec\n"
    assert lint_json([]) == "[]\n"


def test_faults_are_shown_as_findings_are(finding: Make) -> None:
    found: list[Finding] = [finding(level=level, details=(("do", "it"),)) for level in LEVELS]
    lines = [f"m.py:2  {level} untouched-spec: why" for level in LEVELS]
    shown = [line for level in lines[:2] for line in (level, "    do     it")]
    assert lint_text(found, 1) == "\n".join([*shown, "1 error, 1 warning, 1 note (-v shows them) in 1 spec"]) + "\n"
    assert lint_text(found, 1, verbose=True).splitlines() == [
        *shown,
        lines[2],
        "    do     it",
        "1 error, 1 warning, 1 note in 1 spec",
    ]
    assert "\x1b[1;31m" in lint_text(found, 1, color=True)


def test_faults_as_json(finding: Make) -> None:
    said = lint_json([finding(message="é\u202e")])
    assert said.startswith('[{"rule":"untouched-spec","level":"error","message":"é\\u202e",')
    assert said.endswith("]\n")
    assert lint_json([finding(message="é")], ascii_only=True).count("\\u00e9") == 1


# --- of how many specs it speaks


def of(finding: Make, level: str, *specs: str | None) -> tuple[Finding, ...]:
    """A finding for each spec, in order; None is one of no spec."""
    return tuple(
        finding(level=level, path=f"{number}.py", spec_path=spec and f".spec/{spec}/spec.md")
        for number, spec in enumerate(specs)
    )


def told(report: Report, **kept: Any) -> list[str]:
    """The first word of each line that is a finding, and the line that counts the rest."""
    lines = render(report, **kept).splitlines()[:-1]
    return [line.split("  ")[0] for line in lines]


@pytest.mark.parametrize(
    ("level", "specs", "shown"),
    [
        ("error", "abc", 3),
        ("error", "abcd", 3),
        ("error", "abcdefgh", 3),
        ("error", "aaaabbbbcccc", 12),
        ("error", "abcabcabc", 9),
        ("warning", "abcde", 5),
        ("warning", "abcdef", 5),
    ],
)
def test_as_many_specs_are_told_as_people_read(report: Make, finding: Make, level: str, specs: str, shown: int) -> None:
    made = report(findings=of(finding, level, *specs))
    first = [f"{number}.py:2" for number in range(shown)]
    hidden = len(specs) - shown
    more = [f"and {counted(hidden, 'more finding')}, of specs that come after these; -v shows them"] if hidden else []
    assert told(made) == first + more
    assert told(made, verbose=True) == [f"{number}.py:2" for number in range(len(specs))]
    # What is not shown is counted.
    assert render(made).splitlines()[-1].startswith(counted(len(specs), level) if level == "error" else "0 errors, ")


def test_later_findings_of_specs_that_are_told_are_told_too(report: Make, finding: Make) -> None:
    made = report(findings=of(finding, "error", "a", "b", "c", "d", "a", "e", "c"))
    assert told(made)[:-1] == ["0.py:2", "1.py:2", "2.py:2", "4.py:2", "6.py:2"]
    assert told(made)[-1].startswith("and 2 more findings, ")


def test_each_level_has_its_own_limit_and_what_is_of_no_spec_has_none(report: Make, finding: Make) -> None:
    errors, warnings = of(finding, "error", *"abcd"), of(finding, "warning", *"defghabc")
    none = of(finding, "error", *[None] * 9)
    made = report(findings=(*errors, *none, *warnings))
    assert len(told(made)) == 3 + 9 + 5 + 1
    assert told(made)[-1].startswith("and 4 more findings, ")


def test_specs_of_errors_take_no_warning_away(report: Make, finding: Make) -> None:
    made = report(findings=(*of(finding, "error", *"xyz"), *of(finding, "warning", *"abcde")))
    assert len(told(made)) == 3 + 5


def test_notes_are_no_more_findings(report: Make, finding: Make) -> None:
    made = report(findings=(*of(finding, "error", *"abc"), *of(finding, "note", *"abcdefgh")))
    assert told(made) == ["0.py:2", "1.py:2", "2.py:2"]
    assert "8 notes (-v shows them)" in render(made)
