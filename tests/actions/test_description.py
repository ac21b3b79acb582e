"""What of a pull request's description counts: what a reader of its page sees said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.actions.description import LARGEST, spoken
from spexsearch.govern.settle import acknowledged_ids


def ids(description: str) -> tuple[str, ...]:
    return acknowledged_ids(spoken(description))


@pytest.mark.parametrize(
    "text",
    [
        "Spec-OK: a",
        "words\nSpec-OK: a\nwords",
        "words\r\n\r\nSpec-OK: a\r\n",
        "# Title\n\nSpec-OK: a (it holds)",
        "<!-- template -->\n\nSpec-OK: a",
        "<details>\n\nSpec-OK: a\n\n</details>",
        "```\ncode\n```\nSpec-OK: a",
        "- item\n\nSpec-OK: a",
        "é 会话 👩\u200d🔬\n\nSpec-OK: a",
    ],
)
def test_what_is_said_in_sight_counts(text: str) -> None:
    assert ids(text) == ("a",)


@pytest.mark.parametrize(
    "text",
    [
        "<!--\nSpec-OK: a\n-->",
        "<!--\n\nSpec-OK: a\n\n-->",
        "<!-- never ended\nSpec-OK: a",
        "words <!--\nSpec-OK: a\n--> words",
        "<div><!--\n\nSpec-OK: a\n\n--></div>",
        "<details>\n<!--\nSpec-OK: a\n-->\n</details>",
        "```\nSpec-OK: a\n```",
        "~~~text\nSpec-OK: a\n~~~",
        "```\nSpec-OK: a",
        "> Spec-OK: a",
        "> words\nSpec-OK: a",
        "- words\nSpec-OK: a",
        " Spec-OK: a",
        "    Spec-OK: a",
        "[x]: /address '\nSpec-OK: a\n'",
        "[^1]: words\nSpec-OK: a",
        "| a |\n|---|\nSpec-OK: a",
        "$$\nSpec-OK: a\n$$",
        "words\rSpec-OK: a",
        "words\u2028Spec-OK: a",
        "`\nSpec-OK: a\n`",
        "please write Spec-OK: a",
    ],
)
def test_what_is_hidden_or_quoted_does_not(text: str) -> None:
    assert ids(text) == ()


def test_ids_are_read_as_in_a_message() -> None:
    assert ids("Spec-OK: a, b_c-d*e, f (why)\n\nspec-ok: g — holds") == ("a", "b_c-d*e", "f", "g")


@given(st.text(st.characters(exclude_categories=())))
def test_lines_stay_lines(text: str) -> None:
    said = spoken(text)
    flat = text[:LARGEST].replace("\r\n", "\n").encode("utf-8", "replace").decode()
    assert said.count("\n") == flat.count("\n")
    assert all(not line or line == was for line, was in zip(said.split("\n"), flat.split("\n"), strict=True))
