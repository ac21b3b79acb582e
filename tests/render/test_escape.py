"""What reaches a terminal or a log."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.render.escape import json_line, visible

anything = st.text(alphabet=st.characters(exclude_categories=()))
# Hypothesis seldom draws these by itself, and the rules are about their neighbourhood.
tricky = st.text(
    alphabet=st.sampled_from("a1#\\ é👩🔬❤क\u200c\u200d\ufe0f\ufe0e\u202e\x1b\x7f\n\udc80\ud83d\u3164"), max_size=12
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("one\ntwo\r\n\tthree", r"one\ntwo\r\n\tthree"),
        ("\x7f\x9b1m\x85", r"\x7f\u009b1m\u0085"),
        ("safe\u202egpj.exe", r"safe\u202egpj.exe"),
        ("\u2066x\u2069\u061c", r"\u2066x\u2069\u061c"),
        ("ze\u200bro\ufeff\u00ad\u2060", r"ze\u200bro\ufeff\u00ad\u2060"),
        ("line\u2028par\u2029", r"line\u2028par\u2029"),
        (b"caf\xe9.py".decode("utf-8", "surrogateescape"), r"caf\xe9.py"),
        ("\ud800 \udfff", r"\ud800 \udfff"),
        ("\U000e0041\U000e007f", r"\U000e0041\U000e007f"),
        ("filler\u3164", r"filler\u3164"),
        ("\ue000", r"\ue000"),
    ],
)
def test_what_hides_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "plain, with \\x1b written out",
        "naïve Ünïcödé",
        "会话续期。セッション　更新",
        "جلسه نمی\u200cشود",
        "क्\u200dष",
        "שלום",
        "👩\u200d🔬 ❤\ufe0f 🏳\ufe0f\u200d🌈 1\ufe0f\u20e3",
        "a\u00a0b",
        "e\u0301",
    ],
)
def test_ordinary_text_in_any_script_is_itself(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("text", ["a\u200db", "\u200d", "é\u200d", "é\u200d\u200dé", "a\ufe0f", "❤\ufe0f\ufe0f"])
def test_a_joiner_or_selector_with_nothing_to_do_is_shown(text: str) -> None:
    assert visible(text) != text
    assert "\\u" in visible(text)


@given(anything | tricky)
def test_output_can_be_sent_anywhere_and_stays(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")]
    assert not [c for c in shown if unicodedata.category(c) == "Cf" and c not in "\u200c\u200d"]
    assert visible(shown) == shown


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_printable_ascii_is_never_changed(text: str) -> None:
    assert visible(text) == text


@given(anything | tricky, st.booleans())
def test_json_is_one_safe_line_with_the_same_value(text: str, ascii_only: bool) -> None:
    line = json_line([{"title": text}], ascii_only=ascii_only)
    line.encode("ascii" if ascii_only else "utf-8")
    assert visible(line) == line
    assert json.loads(line) == json.loads(json.dumps([{"title": text}]))


@pytest.mark.parametrize("text", ["##[error]x", "###[x]", "\\##[x]", "####[["])
def test_json_that_is_logged_is_no_command(text: str) -> None:
    assert "##[" not in json_line({text: text})
    assert json.loads(json_line({text: text})) == {text: text}


def test_json_keeps_ordinary_text_raw_and_compact() -> None:
    assert json_line([{"a": "会话 é", "b": [1, 2.5]}]) == '[{"a":"会话 é","b":[1,2.5]}]'
    assert json_line("\x7f\u202e\udc80\U000e0041") == r'"\u007f\u202e\udc80\udb40\udc41"'
