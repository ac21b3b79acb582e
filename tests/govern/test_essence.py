"""What a spec says, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spexsearch.govern.essence import essence, said_words, says_the_same
from spexsearch.specs.loader import load_specs
from spexsearch.specs.model import Spec

SAME = [
    ("a  b\n c", "a b c"),
    ("a\u200bb\ufeff", "ab"),
    ("a\ufe0fb\u2800\u3164&#8203;&zwnj;", "ab"),
    ("# a", "### a ##"),
    ("- a\n* b\n+ c", "1. a\n2) b\n> c"),
    ("a\n===", "# a"),
    ("a\n\n---\nb", "a\n\nb"),
    ("```py\nx\n```", "~~~\nx\n~~~"),
    ("*a* **b** _c_ `d` <b>e</b>", "a b c d e"),
    ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|:--|--:|\n| 1 | 2 | 3 |"),
    ("a\x00\u202e\U000e0041b", "ab"),
    ("a<!-- why\nnot -->b <!---->", "a b"),
    ("a\n\n<!-- why\n\nnot", "a"),
    ("a&nbsp;b<br>c<br/>d<br />\\\ne", "a b c d e"),
    ("a &amp; b &#x41;", "a & b A"),
    ("[a](b.md) ![c](d.png 'e') <f>", "[a](other.md) ![c](x.png)"),
    ("a\n\n[b]: c 'd'\n[//]: # (e)", "a"),
    ("a\n\n[^b]: never called", "a"),
    ("a\n\n<script>\nb\n\nc\n</script>", "a"),
    ("a <style>b</style>c", "a c"),
    ("caf\u00e9", "cafe\u0301"),
    ("“a” – b’s…", '"a" - b\'s...'),
    # Pauses, and the order in which statements stand.
    ("A goes. B stays, too!", "A goes\n\nB stays too"),
    ("# a\n\nb\n\n# c\n\nd", "# c\n\nd\n\n# a\n\nb"),
    ("# a\n\nb.", "b.\n\n# a"),
    ("- a\n- b", "- b\n- a"),
    ("One is. Two are.", "Two are. One is."),
    ("a\n\nb", "a\n\nb\n\na"),
]
OTHER = [
    ("a", "b"),
    ("A", "a"),
    ("Call `a?`", "Call `a`"),
    ("snake_case", "snakecase"),
    ("2*3", "23"),
    ("a|b", "ab"),
    ("#a", "a"),
    ("-a", "a"),
    ("1.5", "15"),
    ("10. a", "11) b"),
    ("x -- y", "x y"),
    ("the 3 a", "the a"),
    ("a <!-- b", "a"),
    ("a <!-- b --> c", "a"),
    ("a `<!-- b -->`", "a"),
    ("a\\b", "ab"),
    ("~~a~~", "a"),
    ("- [ ] a", "- [x] a"),
    ("a [^b]\n\n[^b]: called for", "a [^b]\n\n[^b]: called off"),
    ("a before b", "b before a"),
    ("1. a\n2. b", "1. b\n2. a"),
    ("```\na\nb\n```", "```\nb\na\n```"),
    ("|a|b|\n|-|-|\n|1|23|", "|a|b|\n|-|-|\n|12|3|"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_says_the_same(one: str, other: str) -> None:
    assert essence(one).is_that_of(essence(other))
    assert essence(other).is_that_of(essence(one))


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_says_something_else(one: str, other: str) -> None:
    assert not essence(one).is_that_of(essence(other))
    assert not essence(other).is_that_of(essence(one))


@given(st.lists(st.from_regex(r"[a-z]{1,5}", fullmatch=True), min_size=1), st.data())
@settings(derandomize=True)
def test_no_layout_says_anything(words: list[str], data: st.DataObject) -> None:
    gaps = data.draw(st.lists(st.sampled_from([" ", "\n", "\n\n", "\n- ", "\n> ", "\n## "]), min_size=len(words)))
    laid = "".join(gap + word for gap, word in zip(gaps, words, strict=False))
    assert essence(laid).whole == "".join(words)


@given(st.lists(st.from_regex(r"[a-z]{1,5}( [a-z]{1,5})?", fullmatch=True), min_size=1), st.randoms())
@settings(derandomize=True)
def test_no_order_of_paragraphs_says_anything(paragraphs: list[str], luck: object) -> None:
    moved = list(paragraphs)
    luck.shuffle(moved)  # type: ignore[attr-defined]
    assert essence("\n\n".join(paragraphs)).is_that_of(essence("\n\n# ".join(moved)))


def spec(text: str) -> Spec:
    (found,) = load_specs({".spec/a/spec.md": text.encode()}).specs
    return found


TEXT = "---\ntitle: clock\ndesc: Time & tide.\n---\nIt **never** goes [back](https://example.invalid). <!-- aside -->\n"


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("aside", "beside", True),
        ("title: clock", "title: '*clock*'", True),
        ("Time &", "Time <!-- x --> &amp;", True),
        ("clock", "watch", False),
        ("tide", "space", False),
        ("never", "hardly", False),
    ],
)
def test_title_desc_and_body_count(old: str, new: str, same: bool) -> None:
    assert says_the_same(spec(TEXT), spec(TEXT.replace(old, new))) is same


def test_the_words_of_a_spec_are_those_that_a_reader_sees() -> None:
    assert said_words(spec(TEXT)).split() == ["clock", "Time", "&", "tide.", "It", "never", "goes", "back."]
    assert said_words(spec(TEXT.replace("title: clock\n", ""))).split()[0] == "Time"
