"""A report as workflow commands, read back as the runner reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.govern.report import Finding
from spexsearch.render.escape import visible
from spexsearch.render.github import command, left_out, render, worst

Make = Callable[..., Any]

COMMAND = re.compile(r"::(?P<name>\w+) (?P<properties>[^:]*)::(?P<data>.*)")


def read_back(line: str) -> tuple[str, dict[str, str], str]:
    """What GitHub's runner makes of one line of output."""
    match = COMMAND.fullmatch(line)
    assert match is not None, line
    pairs = (pair.split("=", 1) for pair in match["properties"].split(","))
    properties = {name: unescape(value, ":,") for name, value in pairs}
    return match["name"], properties, unescape(match["data"], "")


def unescape(text: str, more: str) -> str:
    for char in ("\r", "\n", *more, "%"):
        text = text.replace(f"%{ord(char):02X}", char)
    return text


@pytest.mark.parametrize(("level", "name"), [("error", "error"), ("warning", "warning"), ("note", "notice")])
def test_a_finding_is_one_command(report: Make, finding: Make, level: str, name: str) -> None:
    found = finding(level=level, details=(("claim", "p:4  code: m.py"), ("do", "edit, or 100 %")))
    assert render(report(findings=(found,))) == (
        f"::{name} file=m.py,line=2,endLine=3,title=untouched-spec::"
        "why%0Aclaim: p:4  code: m.py%0Ado: edit, or 100 %25\n"
    )


def test_findings_keep_their_order_and_nothing_is_nothing(report: Make, finding: Make) -> None:
    assert render(report()) == ""
    found = tuple(finding(message=str(number)) for number in range(3))
    assert [line[-1] for line in render(report(findings=found)).splitlines()] == ["0", "1", "2"]


HOSTILE = [
    "a\n::error::x",
    "a\r::set-output name=a::b",
    "%0A::error::x",
    "a,line=9",
    "a::b",
    "a:b,c%3A%2C%25",
    "\u2028::error::x",
    "\x85\x1b[31m",
    "%250A",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_from_a_repository_is_a_command(report: Make, finding: Make, text: str) -> None:
    found = finding(path=text, message=text, details=(("do", text),))
    said = render(report(findings=(found,)))
    assert said.splitlines() == [said[:-1]]
    name, properties, data = read_back(said[:-1])
    assert name == "error"
    assert properties == {"file": visible(text), "line": "2", "endLine": "3", "title": "untouched-spec"}
    assert data == f"{visible(text)}\ndo: {visible(text)}"


@given(st.text(), st.text())
def test_every_path_and_message_comes_back_as_it_is_shown(report: Make, path: str, message: str) -> None:
    found = Finding("untouched-spec", "error", message, path, 1, 1)
    (line,) = render(report(findings=(found,))).split("\n")[:-1]
    _, properties, data = read_back(line)
    assert (properties["file"], data) == (visible(path), visible(message))


def test_annotations_are_the_worst_that_github_shows(report: Make, finding: Make) -> None:
    levels = ["error"] * 12 + ["warning"] * 11 + ["note"]
    made = report(findings=tuple(finding(level=level, message=str(n)) for n, level in enumerate(levels)))
    said = worst(made).splitlines()
    assert [line.partition(" ")[0] for line in said] == ["::error"] * 10 + ["::warning"] * 10
    assert [line.rpartition("::")[2] for line in said] == [str(n) for n in [*range(10), *range(12, 22)]]
    assert left_out(made) == 3
    assert (worst(report()), left_out(report())) == ("", 0)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_command_without_a_place_is_one_line(text: str) -> None:
    said = command("error", text)
    assert said.startswith("::error::")
    assert said.splitlines() == [said[:-1]]
    assert unescape(said[len("::error::") : -1], "") == visible(text)
