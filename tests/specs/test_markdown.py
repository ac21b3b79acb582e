from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.specs.loader import load_specs
from spexsearch.specs.markdown import sections
from spexsearch.specs.model import Section, Spec


def cut(text: str | bytes) -> tuple[Section, ...]:
    tree = load_specs({".spec/lamp/spec.md": text if isinstance(text, bytes) else text.encode()})
    return sections(tree.specs[0])


def test_sections_know_their_place() -> None:
    found = cut("---\ntitle: The lamp\n---\n\nBefore.\n\n# Top\n## One\ntext\n### Deep\n\n## Two\n# End")
    assert [(part.heading, part.level, part.line, part.end_line, part.trail) for part in found] == [
        ("The lamp", 0, 5, 6, ("The lamp",)),
        ("Top", 1, 7, 7, ("Top",)),
        ("One", 2, 8, 9, ("Top", "One")),
        ("Deep", 3, 10, 11, ("Top", "One", "Deep")),
        ("Two", 2, 12, 12, ("Top", "Two")),
        ("End", 1, 13, 13, ("End",)),
    ]
    assert found[2].text == "## One\ntext"


def test_no_body_no_sections_and_no_heading_one_section() -> None:
    assert cut("---\ntitle: T\n---\n") == ()
    assert [(part.heading, part.line, part.end_line) for part in cut("---\ntitle: T\n---\na\nb\n")] == [("T", 4, 5)]


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# A `b` *c* [d](e)", ["A `b` *c* [d](e)"]),
        ("one\ntwo\n===\n", ["one two"]),
        ("> # quoted\n\n- # listed\n\n# own", ["own"]),
        ("```\n# code\n```\n\n# own", ["own"]),
        ("# a\r\n\r\ntext\r\n\r\n## b\r\n", ["a", "b"]),
        ("# a\rb # c\n", ["a b # c"]),
        ("é\n\n# 中 文 #\n", ["中 文"]),
        ("#\n", [""]),
    ],
)
def test_headings(text: str, headings: list[str]) -> None:
    assert [part.heading for part in cut(text) if part.level] == headings


def test_a_lone_carriage_return_starts_no_line() -> None:
    found = cut("a\r# not a heading\n\n# one\r\rtext\n\n# two\n")
    assert [(part.heading, part.line) for part in found if part.level] == [("one text", 3), ("two", 5)]


def test_the_hazards(shared: Path) -> None:
    files = sorted((shared / "sections" / "hazards").glob("*.md"))
    assert len(files) >= 15
    for file in files:
        expected = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
        found = [part for part in cut(file.read_bytes()) if part.level]
        assert [{"heading": part.heading, "level": part.level, "line": part.line} for part in found] == expected, (
            file.name
        )


MARKS = [
    "# ",
    "## ",
    "\n",
    "\n\n",
    "> ",
    "- ",
    "1. ",
    "a",
    "`",
    "```",
    "~~~",
    "    ",
    "\t",
    "---",
    "===",
    "<div>",
    "<!--",
]
MARKS += [
    "-->",
    "[a]: b",
    "*",
    "[x](y)",
    "\r\n",
    "\r",
    "\\",
    "é",
    "中",
    "𝒳",
    "\0",
    "<pre>",
    "&amp;",
    "\u2028",
    "\f",
    "\ufeff",
]


@given(st.one_of(st.text(), st.lists(st.sampled_from(MARKS)).map("".join)), st.integers(1, 50))
def test_sections_tile_any_body(body: str, first: int) -> None:
    found = sections(Spec("id", "title", "", "path", body, first, "spex"))
    assert "\n".join(part.text for part in found) == body
    line = first
    for part in found:
        assert part.line == line
        assert part.text.count("\n") == part.end_line - part.line
        line = part.end_line + 1
    assert line == (first if not body else first + body.count("\n") + 1)
    assert [part.level for part in found[1:] if part.level == 0] == []
