"""Which words of a section are quoted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.cli import inputs
from spexsearch.govern.quotes import LONGEST, quote, with_quotes
from spexsearch.govern.report import Quote
from spexsearch.govern.repository import Repository
from spexsearch.specs.model import Section

TEXT = """\
## limits

Sessions are cheap. Nobody counts them,
and nobody should.

- A **session** is renewed at most
  once an hour.
- A closed session stays closed."""


def section(text: str, level: int = 2) -> Section:
    return Section("limits", ("limits",), level, 20, 20 + text.count("\n"), text)


@pytest.mark.parametrize(
    ("query", "text", "lines"),
    [
        ("renew session", "A session is renewed at most once an hour.", (25, 26)),
        ("closed", "A closed session stays closed.", (27, 27)),
        ("counts", "Sessions are cheap. Nobody counts them, and nobody should.", (22, 23)),
        ("limits", "Sessions are cheap. Nobody counts them, and nobody should.", (22, 23)),
        ("", "Sessions are cheap. Nobody counts them, and nobody should.", (22, 23)),
    ],
)
def test_the_paragraph_or_item_that_speaks_most_of_the_change(query: str, text: str, lines: tuple[int, int]) -> None:
    found = quote(section(TEXT), query)
    assert found is not None
    assert (found.text, found.line, found.end_line) == (text, *lines)


def test_a_long_paragraph_is_cut_around_the_best_line() -> None:
    words = [f"word{n} " * 9 for n in range(40)]
    found = quote(section("\n".join(words), 0), "word20")
    assert found is not None
    assert found.text.startswith("… ")
    assert found.text.endswith(" …")
    assert "word20" in found.text
    assert 20 + 20 in range(found.line, found.end_line + 1)
    one = quote(section("x " * 5000, 0), "x")
    assert one is not None
    assert len(one.text) == LONGEST + 1
    assert one.text.endswith(" …")


@pytest.mark.parametrize(
    ("line", "text"), [(26, "A session is renewed at most once an hour."), (23, "Sessions are cheap.")]
)
def test_a_line_that_is_known_is_quoted_with_what_it_belongs_to(line: int, text: str) -> None:
    found = quote(section(TEXT), "closed", line)
    assert found is not None
    assert found.text.startswith(text)


def test_a_section_that_says_nothing_has_none() -> None:
    assert quote(section("## limits"), "limits") is None
    assert quote(section("## limits\n\n  \n"), "limits") is None


@given(st.text(st.sampled_from("ab -#\n`>|é\r"), max_size=60), st.text(max_size=6), st.integers(0, 1))
def test_it_lies_inside_its_section_and_is_one_short_line(text: str, query: str, level: int) -> None:
    found = quote(whole := section(text, level), query)
    if found is not None:
        assert whole.line + level <= found.line <= found.end_line <= whole.end_line
        assert "\n" not in found.text
        assert len(found.text) <= LONGEST + 4


def test_findings_carry_the_words_that_their_change_speaks_of(governed: Any) -> None:
    governed.replaced(".spec/auth/renewal/spec.md", "A session", "Closing is final.\n\nA session")
    governed.commit("more words")
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    case = inputs.staged_or_last(Repository.discover(governed.path), inputs.Wanted(), {})
    (found,) = inputs.judge(case).findings
    assert found.quote == Quote("A session is renewed at most once an hour.", 13, 13)
    assert found.section is not None
    quiet = found._replace(level="note", quote=None)
    assert with_quotes([quiet, found._replace(section=None, quote=None)], (), case.after.tree) == (
        quiet,
        found._replace(section=None, quote=None),
    )
