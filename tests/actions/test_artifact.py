"""A report from run to run, and what a stranger may put in its place."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spexsearch import __version__
from spexsearch.actions import artifact
from spexsearch.actions.artifact import as_json, read_report
from spexsearch.errors import InputError
from spexsearch.govern.model import NotJudged
from spexsearch.govern.report import Finding, Governing, Place, Quote, Recalled, Report, ReportedChange, to_json
from spexsearch.render import markdown, text
from spexsearch.render.escape import visible
from spexsearch.specs.model import Problem

REPORT = Report(
    origin="range",
    base="b" * 40,
    head="h" * 40,
    changes=(ReportedChange("D", "gone.py", None, False, "code", "behaviour", (1,), (2,), ("f",)),),
    governing=(Governing("a", ".spec/a/spec.md", 1.5, "unit", False, True, (), (), ("m.py",)),),
    findings=(
        Finding(
            "untouched-spec",
            "error",
            "why",
            "m\udcff.py",
            5,
            6,
            spec="a",
            spec_path=".spec/a/spec.md",
            unit="f",
            score=1.5,
            section=Place("limits", 9),
            details=(("claim", "c"), ("do", "it")),
            quote=Quote("words", 10, 11),
        ),
        Finding("ungoverned-code", "note", "new", "n.py", 1, 1),
    ),
    problems=(Problem("", 1, "Spec-OK names 'x'"),),
    not_judged=(NotJudged("z", "ignored"),),
    specs=3,
    learnings=(Recalled("k", "pitfall", "Say it", 8),),
)


def test_what_comes_back_looks_the_same(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(as_json(REPORT), encoding="utf-8")
    back = read_report(file)
    site = markdown.Site("https://h/o/r", "h" * 40)
    assert markdown.render(back, site, whole=True) == markdown.render(REPORT, site, whole=True)
    written = json.loads(as_json(REPORT))
    shown = written.pop("shown")
    assert written == json.loads(json.dumps(to_json(REPORT, __version__)))
    assert shown[0]["quote"] == {"text": "words", "line": 10, "end_line": 11}


def test_a_report_of_the_command_line_is_one_too(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(to_json(REPORT, "1")), encoding="utf-8")
    back = read_report(file)
    assert [finding.message for finding in back.findings] == ["why", "new"]
    assert back.findings[0].details == ()


PLAIN = json.loads(as_json(REPORT))
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    rows = list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    return [at] * bool(at) + [path for key, inner in rows for path in paths(inner, (*at, key))]


@settings(deadline=None, max_examples=300)
@given(place=st.sampled_from(paths(PLAIN)), value=anything)
def test_any_value_in_any_place_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, place: tuple[Any, ...], value: Any
) -> None:
    data = copy.deepcopy(PLAIN)
    inner = data
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    file = tmp_path_factory.getbasetemp() / "odd.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    try:
        report = read_report(file)
    except InputError:
        return
    said = markdown.render(report, markdown.Site("https://h/o/r", "h" * 40), whole=True)
    assert len(said.encode()) <= markdown.LIMIT
    assert [line for line in text.render(report, verbose=True).split("\n") if visible(line) != line] == []


@pytest.mark.parametrize("key", ["findings", "changes", "governing", "not_judged", "learnings"])
def test_too_many_of_anything_is_refused(tmp_path: Path, key: str) -> None:
    data = copy.deepcopy(PLAIN)
    data[key] = data[key] * (artifact.MOST + 1)
    file = tmp_path / "report.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InputError, match="no list of at most"):
        read_report(file)


def test_no_more_learnings_are_read_than_a_change_calls_up(tmp_path: Path) -> None:
    data = copy.deepcopy(PLAIN)
    data["learnings"] *= 9
    file = tmp_path / "report.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    assert [told.insight for told in read_report(file).learnings] == ["Say it"] * 3
    del data["learnings"]
    file.write_text(json.dumps(data), encoding="utf-8")
    assert read_report(file).learnings == ()


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifact, "LARGEST", 1 << 20)
    file = tmp_path / "report.json"
    file.write_bytes(b" " * (1 << 20) + b"{}")
    with pytest.raises(InputError, match="larger than 1 MiB"):
        read_report(file)


def test_a_rule_cannot_be_a_command(tmp_path: Path) -> None:
    data = copy.deepcopy(PLAIN)
    data["findings"][0]["rule"] = "x` @octocat"
    file = tmp_path / "report.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InputError, match="no name of a rule"):
        read_report(file)
