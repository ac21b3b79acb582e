"""What a whole word is, in every script, and which inflections count."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.floor.whole_words import query_tokens, stands_in, whole_word

ENDINGS = ("", "s", "es", "d", "ed", "ing")


def stands(token: str, text: str) -> bool:
    return stands_in(whole_word(token.casefold()), text.casefold())


@pytest.mark.parametrize(
    ("query", "tokens"),
    [
        ("retry  Timeout\tRETRY\n", ["retry", "timeout"]),
        ("cache-key cache_key", ["cache-key", "cache_key"]),
        ("STRASSE straße", ["strasse"]),
        (" \u3000 ", []),
        ("", []),
    ],
)
def test_blanks_separate_tokens_and_each_counts_once(query: str, tokens: list[str]) -> None:
    assert query_tokens(query) == tokens


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_token_sees_its_regular_inflections(ending: str) -> None:
    assert stands("test", f"All test{ending} here")
    assert stands("test", f"test{ending}")


@pytest.mark.parametrize(
    ("token", "text"),
    [
        ("orbit", "orbital"),
        ("flake", "flaky"),
        ("retry", "retries"),
        ("test", "tester"),
        ("test", "testings"),
        ("test", "testsing"),
        ("line", "guideline"),
        ("line", "lineage"),
        ("tests", "test"),
        ("merge", "merging"),
        ("run", "running"),
    ],
)
def test_and_nothing_further(token: str, text: str) -> None:
    assert not stands(token, text)


@pytest.mark.parametrize("sign", "-./_:#@'\"()[]{} \t\n\\+=,;!?—·")
def test_what_is_no_letter_and_no_digit_separates(sign: str) -> None:
    assert stands("line", f"project{sign}line")
    assert stands("line", f"line{sign}project")
    assert stands("line", f"project{sign}lines{sign}output")


@pytest.mark.parametrize("text", ["line2", "2line", "v1line", "lines2"])
def test_a_digit_belongs_to_a_word(text: str) -> None:
    assert not stands("line", text)


@pytest.mark.parametrize(("token", "text"), [("80", "8080"), ("v1", "v12"), ("404", "error404"), ("1", "１1")])
def test_a_number_is_a_whole_word_too(token: str, text: str) -> None:
    assert not stands(token, text)
    assert stands(token, f"at {token}, then")


@pytest.mark.parametrize(
    ("token", "text"),
    [
        ("parateur", "réparateur"),
        ("r", "ré"),
        ("na", "naïve"),
        ("stra", "straße"),
        ("приве", "привет"),
        ("λογο", "λογος"),
        ("ა", "აბ"),
    ],
)
def test_a_letter_of_any_script_with_case_goes_on(token: str, text: str) -> None:
    assert not stands(token, text)
    assert stands(text, f"«{text}»")


@pytest.mark.parametrize(
    ("token", "text"),
    [
        ("parateur", "re\u0301parateur"),
        ("re", "re\u0301parateur"),
        ("stanbul", "\u0130stanbul"),
        ("x", "x\u0302\u0301y"),
    ],
)
def test_an_accent_that_is_written_apart_belongs_to_its_letter(token: str, text: str) -> None:
    assert not stands(token, text)


@pytest.mark.parametrize(
    ("token", "text"),
    [
        ("retry", "错误时retry机制会重试"),
        ("retry", "エラーはretryします"),
        ("retry", "אםretryאז"),
        ("retry", "किretryकि"),
        ("重试", "机制会重试吗"),
        ("重试", "retry重试s"),
        ("שלום", "ושלוםב"),
    ],
)
def test_letters_without_case_separate(token: str, text: str) -> None:
    assert stands(token, text)


@pytest.mark.parametrize(("token", "text"), [("strasse", "die Straße"), ("ΟΔΟΣ", "οδος οδός"), ("ﬁle", "a file")])
def test_case_folding_makes_the_same_of_the_same(token: str, text: str) -> None:
    assert stands(token, text)


@pytest.mark.parametrize(
    ("token", "text", "there"),
    [
        ("c++", "use c++17 here", True),
        ("c++", "uc++", False),
        (".py", "a.py", True),
        ("--limit", "raise--limit", True),
        ("a.b", "xa.b a.bs", True),
        ("a.b", "xa.b a.bx", False),
        ("cache-key", "the cache-keys", True),
        (".*", "any", False),
        ("\\d", "5", False),
    ],
)
def test_signs_in_a_token_are_themselves(token: str, text: str, there: bool) -> None:
    assert stands(token, text) is there


@pytest.mark.parametrize(
    ("token", "text"), [("test", "éteste test"), ("a-a", "éa-a-a"), ("test", "testé tests"), ("é", "éa é")]
)
def test_one_place_is_enough_wherever_it_is(token: str, text: str) -> None:
    assert stands(token, text)


ALPHABET = "abеéß重k\u0301-_ .9sdeing"


def words_by_hand(text: str) -> set[str]:
    """The runs of cased letters, digits and their marks, character by character."""
    words, run = set(), ""
    for char in f"{text} ":
        marks_a_letter = bool(run) and char == "\u0301"
        if marks_a_letter or char.isdecimal() or char.lower() != char.upper():
            run += char
        else:
            words.add(run)
            run = ""
    return words


@given(st.text("abs", min_size=1, max_size=3), st.text(ALPHABET, max_size=25))
def test_a_token_of_letters_stands_where_a_word_is_one_of_its_forms(token: str, text: str) -> None:
    folded = text.casefold()
    assert stands(token, text) == any(f"{token}{ending}" in words_by_hand(folded) for ending in ENDINGS)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4), st.text(max_size=20))
def test_what_stands_somewhere_is_there_and_any_token_stands_between_blanks(token: str, text: str) -> None:
    folded = token.casefold()
    if stands(token, text):
        assert folded in text.casefold()
    assert stands(token, f" {token} ")


@pytest.mark.parametrize(
    ("token", "text"),
    [
        ("test", "test" * 250_000),
        ("test", "étest" * 200_000),
        ("\u0301", "x" + "\u0301" * 300_000),
        ("a-", "xa-" * 300_000),
    ],
)
def test_a_text_of_a_million_characters_costs_no_square(token: str, text: str) -> None:
    begun = perf_counter()
    stands(token, text)
    assert perf_counter() - begun < 60  # a square would be hours
