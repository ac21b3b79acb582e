"""What Markdown draws, held against what GitHub's own renderer makes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spexsearch.specs.drawn import drawn, drawn_words, visible_only

TEXTS = [
    "# a *b* `c d` [e](f 'g') &lt;h&gt; <i>j</i>\n\nk  \nl\\\nm",
    "a\n\n<!-- b -->\n\nc <!-- d\ne --> f\n\n<!-- g\n\nh -->",
    "- a\n  1. b\n     - c\n  2. d\n- e\n\n> f\n> > g\n",
    "|a|b|\n|-|-|\n|c \\| d|e|f|\n|g|\n",
    "[a]: b 'c'\n\n[a] [d][a] <https://f.invalid>\n",
    "    a <!-- b -->\n\n~~~c\nd\n~~~\n",
    "a[^b]\n\n[^b]: c\n\n[^d]: e\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_it_draws_what_github_draws(text: str, page: Callable[[str], Any]) -> None:
    seen = "".join("".join([*page(text).codes, *page(text).texts]).split())
    # The renderer adds a number and an arrow to a footnote.
    assert sorted("".join(drawn_words(text).split())) == sorted(seen.replace("1", "").replace("↩", ""))


def test_statements_are_paragraphs_items_and_rows() -> None:
    text = "# a\nb\nc\n\n- d\n  - e\n\n|f|g|\n|-|-|\n|h|i|\n\n1. j\n   - k\n2. l\n\n```\nm\nn\n```\n\n0. o\n1. p\n"
    told = [("".join(found.text.replace("\x1f", "|").split()), found.ordered) for found in drawn(text)]
    plain = [(part, False) for part in ("a", "bc", "d", "e", "f|g|", "h|i|")]
    assert told == [*plain, ("jkl", True), ("mn", True), ("op", True)]


@pytest.mark.parametrize(
    "text", ["<script>a", "a<script>\nb", "<style>\n\na\n\n</style>", "<template>a</template>", "<TITLE>a</TITLE>"]
)
def test_what_is_no_text_of_the_page(text: str) -> None:
    assert drawn_words(text).strip() in ("", "a")
    assert ("a" in drawn_words(text)) == text.startswith("a")


def test_what_has_no_width_is_not_seen() -> None:
    hidden = (
        "\x00\x1b\x7f\x9b\u00ad\u034f\u200b\u200d\u202e\u2060\u2066\u2800\u3164\ufe0f\ufeff\ufff9\U000e0041\U000e0100"
    )
    assert visible_only(f"a{hidden}b") == "ab"
    kept = "a b\tc\r\nd\u00a0e\u3000f\u2028é漢字🚀٣"
    assert visible_only(kept) == kept
    assert drawn_words("a&#8203;&#x202e;b") == "ab"


def test_a_hostile_text_costs_no_more_than_its_length() -> None:
    for text in (
        "<!-- " * 40_000,
        "<script>" * 30_000,
        "[" * 60_000,
        "> " * 40_000,
        "<a " * 60_000,
        "<script " * 30_000,
        "a <title " * 30_000,
        "<![CDATA[" * 20_000,
    ):
        assert isinstance(drawn_words(text), str)
