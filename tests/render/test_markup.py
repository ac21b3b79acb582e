"""What becomes of a stranger's text on a page of GitHub's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spexsearch.render.escape import inert_within, visible
from spexsearch.render.markup import cell, code, fenced, link, path_in_address, prose, shown_short

Render = Callable[[str], Any]

HOSTILE = [
    "@octocat",
    "a@example.com",
    "https://evil.example/x?y=1#z",
    "www.evil.example",
    "#1",
    "GH-1",
    "octo/repo#1",
    "[text](https://evil.example)",
    "![x](https://evil.example/i.png)",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<!-- spex-govern run=9 -->",
    "-->",
    "</details>",
    "`",
    "``a`b```c````",
    "a|b",
    "a\\|b",
    "\\",
    "\\`",
    "$`x`$",
    "$x$",
    ":tada:",
    "**bold** _it_ ~~no~~",
    "\n\n# heading",
    "\r\n| a | b |",
    "- [ ] task",
    "[^1]: note",
    "> [!WARNING]",
    "::error::x",
    "##[error]x",
    "%0A::error::x",
    "\u202eabc\u2066",
    "\x1b[31m",
    "&lt;b&gt; &#64;octocat",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "deadbeef",
    "ordinary words, no more.",
    "\udcff\ud800",
    "",
    " ",
    "x" * 5000,
]
nasty = st.lists(
    st.sampled_from(HOSTILE[:-1]) | st.text(st.sampled_from("`|\\ <>&@#:/.()[]!*_~$-=+\n\tab1é\u202e"), max_size=8),
    max_size=6,
).map("".join)

# What GitHub makes of plain text after Markdown is done with it.
ACTIVE = re.compile(r"@|#\d|\bGH-\d|https?:|www\.\w|[<>|`]|:\w+:|\$|\b[0-9a-f]{7,40}\b")
SAFE = {"p", "code", "br"}


def check(page: Render, markdown: str, text: str) -> None:
    shown = page(markdown)
    assert shown.tags <= SAFE, (markdown, shown.tags)
    assert "##[" not in markdown
    assert shown.links == []
    assert [piece for piece in shown.texts if ACTIVE.search(piece)] == [], markdown
    assert visible(markdown.replace("\n", "")) == markdown.replace("\n", ""), text


@given(nasty)
@example("a|b\\|c`d")
def test_a_name_is_a_code_span_that_says_what_it_is(page: Render, text: str) -> None:
    check(page, f"x {code(text)} y", text)
    shown = page(f"x {code(text)} y")
    expected = inert_within(shown_short(text))
    if expected.strip():
        assert shown.codes == [expected]
    else:
        assert shown.texts[0] == "x (empty) y"


@given(nasty, nasty)
def test_in_a_table_too(page: Render, text: str, other: str) -> None:
    table = f"| a | b |\n|---|---|\n| {cell(code(text))} | {cell(prose(other, [text]))} |\n"
    shown = page(table)
    assert shown.rows == 2
    assert shown.tags <= {"table", "thead", "tbody", "tr", "th", "td", "code"}
    expected = inert_within(shown_short(text))
    if expected.strip():
        assert shown.codes[0] == expected.replace("\\|", "\\x5c|")


@given(nasty, st.lists(nasty, max_size=3))
@pytest.mark.parametrize("around", ["{}", "x {} y", "- {}"])
def test_prose_is_plain_words_and_code(page: Render, around: str, text: str, names: list[str]) -> None:
    said = prose(text, names)
    shown = page(around.format("x " + said))
    assert shown.tags <= SAFE | {"ul", "li"}, said
    assert shown.links == []
    assert [piece for piece in shown.texts if ACTIVE.search(piece)] == [], said


@pytest.mark.parametrize("text", HOSTILE)
def test_each_kind_of_hostile_text_alone(page: Render, text: str) -> None:
    check(page, code(text), text)
    check(page, prose(text), text)
    check(page, prose(f"spec {text} is gone", [text]), text)
    block = page(fenced([f"  - {text}"], "yaml"))
    assert block.tags == {"pre", "code"}
    assert block.codes == [f"  - {inert_within(visible(text))}\n"]


def test_our_own_sentences_stay_readable() -> None:
    message = (
        "`renew` in src/session.py changed (and 3 more files that it claims), but the text of spec renewal did not"
    )
    assert prose(message, ["src/session.py", "renewal", "renew"]) == (
        "`renew` in `src/session.py` changed (and 3 more files that it claims), but the text of spec `renewal` did not"
    )
    assert prose("a.py is not there (it is now b.py), but spec x names it", ["x"]) == (
        "`a.py` is not there (it is now `b.py`), but spec `x` names it"
    )
    assert prose("run spex-govern --fix, or write: Spec-OK: renewal", ["renewal"]) == (
        "run `spex-govern --fix`, or write: `Spec-OK: renewal`"
    )


def test_a_line_to_copy_is_one_piece() -> None:
    do = "add to the `code:` list of the spec that governs it:  - src/a b.py"
    assert prose(do, ["src/a b.py"]) == "add to the `code:` list of the spec that governs it:  `- src/a b.py`"


def test_a_name_is_not_found_inside_another() -> None:
    assert prose("spec a of a/b and cat", ["a"]) == "spec `a` of `a/b` and cat"


def test_long_names_keep_their_end_and_say_that_they_were_cut() -> None:
    path = "src/" + "deep/" * 100 + "end.py"
    assert code(path, 40) == "`…/deep/deep/deep/deep/deep/deep/end.py`"
    assert code("a" * 99, 20) == "`aaaaaa…aaaaaaaaaaaaa`"
    assert code("a/" + "b" * 99, 20) == "`a/bbbb…bbbbbbbbbbbbb`"
    assert len(prose(f"{path} changed", [path], 400, 40)) < 60


def test_addresses_hold_bytes() -> None:
    assert path_in_address("a b/é#?%\udcff.py") == "a%20b/%C3%A9%23%3F%25%FF.py"
    assert path_in_address("\ud800\n)") == "%EF%BF%BD%0A%29"
    assert link("`x`", "https://h/a%29") == "[`x`](https://h/a%29)"
    assert link("`x`", None) == "`x`"
