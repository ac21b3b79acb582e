"""Learnings as people and programs read them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spexsearch.floor.learnings import LearningHit
from spexsearch.render.learnings import learnings_json, learnings_text

HIT = LearningHit("k", "pattern", "Say it", 8, "user-stated", "2026-05-01T10:00:00Z", (), False)


def test_nothing_is_nothing() -> None:
    assert learnings_text(()) == learnings_text((), 0) == ""
    assert learnings_json(()) == "[]\n"


def test_groups_stand_in_the_order_of_their_first_rows() -> None:
    hits = [
        HIT._replace(key="first", type="pitfall", files=("a.py", "b.py")),
        HIT._replace(key="second", confidence=7.5, source="observed"),
        HIT._replace(key="third", type="pitfall", cross_project=True, source=None, ts=None),
    ]
    assert learnings_text(hits) == (
        "LEARNINGS: 3 loaded (2 pitfalls, 1 pattern)\n"
        "\n"
        "## Pitfalls\n"
        "- [first] (confidence: 8/10, user-stated, 2026-05-01)\n"
        "  Say it (files: a.py, b.py)\n"
        "- [third] (confidence: 8/10, no source, undated) [cross-project]\n"
        "  Say it\n"
        "\n"
        "## Patterns\n"
        "- [second] (confidence: 7.5/10, observed, 2026-05-01)\n"
        "  Say it\n"
        "\n"
    )


@pytest.mark.parametrize(
    ("shown", "matched", "summary"),
    [
        (2, None, "LEARNINGS: 2 loaded (2 patterns)"),
        (2, 2, "LEARNINGS: 2 loaded (2 patterns)"),
        (1, 1, "LEARNINGS: 1 loaded (1 pattern)"),
        (2, 3, "LEARNINGS: 2 of 3 matched (2 patterns); raise --limit for the rest"),
        (1, 13, "LEARNINGS: 1 of 13 matched (1 pattern); raise --limit for the rest"),
    ],
)
def test_the_summary_says_how_many_there_are(shown: int, matched: int | None, summary: str) -> None:
    assert learnings_text([HIT] * shown, matched).split("\n")[0] == summary


def test_only_the_first_letter_of_a_type_is_made_large() -> None:
    assert "\n## HasOwnPropertys\n" in learnings_text([HIT._replace(type="hasOwnProperty")])
    assert "\n## __proto__s\n" in learnings_text([HIT._replace(type="__proto__")])


EVIL = "\x1b[31m\n::error::x\r\u202e\u200b\x00\udcff"


@pytest.mark.parametrize("field", ["key", "type", "insight", "source", "ts", "files"])
def test_a_strangers_text_does_nothing(field: str) -> None:
    given: dict[str, Any] = {field: (EVIL, EVIL) if field == "files" else EVIL}
    evil = HIT._replace(**given)
    text = learnings_text([evil], 2)
    assert text.count("\n") == 6
    assert text.replace("\n", "").isprintable()
    assert "\\x1b[31m\\n" in text
    (row,) = json.loads(learnings_json([evil]))
    assert row[field] == ([EVIL, EVIL] if field == "files" else EVIL)
    assert learnings_json([evil]).strip("\n").isprintable()


def test_no_line_is_a_command_to_a_runner() -> None:
    assert "\n  \\x3a:error::x\n" in learnings_text([HIT._replace(insight="::error::x")])


def test_what_nobody_reads_is_cut_for_people_alone() -> None:
    long = HIT._replace(insight="x" * 5000, files=("y" * 5000,))
    text = learnings_text([long])
    assert f"  {'x' * 1000}… (files: {'y' * 1000}…)\n" in text
    assert json.loads(learnings_json([long]))[0]["insight"] == "x" * 5000


def test_json_has_these_keys_in_this_order() -> None:
    shown = HIT._replace(insight="é", files=("a.py",), source=None, ts=None, cross_project=True)
    assert learnings_json([shown]) == (
        '[{"key":"k","type":"pattern","insight":"é","confidence":8,"source":null,"ts":null,"files":["a.py"],'
        '"cross_project":true}]\n'
    )
    assert '"insight":"\\u00e9"' in learnings_json([shown], ascii_only=True)
