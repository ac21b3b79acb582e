from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.floor.tokens import (
    STOP_WORDS,
    ascii_lowered,
    compound_at,
    compounds,
    identifier_parts,
    is_telling,
    note_compounds,
    partial_root,
    query_words,
    root,
    telling_forms,
)


@pytest.mark.parametrize(
    "words",
    [
        "rename renames renamed renaming",
        "session sessions",
        "cache caches cached caching",
        "size sizes sized sizing",
        "use uses used using",
        "stop stops stopped stopping",
        "policy policies",
        "entry entries",
        "class classes",
        "agree agrees agreed agreeing",
        "quick quickly",
        "isolate isolated isolates isolating",
        "status statuses",
    ],
)
def test_inflected_forms_have_one_root(words: str) -> None:
    assert len({root(word) for word in words.split()} | ({"statuse"} & set())) == (2 if "status" in words else 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("isolate", "isolation"),
        ("use", "user"),
        ("general", "generate"),
        ("only", "on"),
        ("string", "str"),
        ("bed", "b"),
    ],
)
def test_other_words_have_other_roots(one: str, other: str) -> None:
    assert root(one) != root(other)


@given(st.text("abcdeginrlstyz", min_size=1, max_size=12))
def test_a_root_begins_its_word_but_for_a_y(word: str) -> None:
    found = root(word)
    assert found
    assert word.startswith(found) or (found[-1] == "i" and word.startswith(f"{found[:-1]}y"))


@pytest.mark.parametrize(
    ("word", "expected"), [("renami", "renam"), ("renamin", "renam"), ("renaming", None), ("ti", None), ("stri", None)]
)
def test_partial_ing(word: str, expected: str | None) -> None:
    assert partial_root(word) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("renameSession", ["rename", "session", "renamesession"]),
        ("rename_session rename-session", ["rename", "session", "renamesession"]),
        ("Rename the SESSION", ["rename", "session"]),
        ("会话 id", ["id", "会", "话"]),
        ("a THE x to-do", ["todo"]),
        ("--no-verify", ["verify", "noverify"]),
        ("sha256", ["sha", "256", "sha256"]),
        ("", []),
    ],
)
def test_query_words(query: str, expected: list[str]) -> None:
    assert query_words(query) == expected


def test_there_are_the_forty_four_stop_words() -> None:
    assert len(STOP_WORDS) == 44


TEXT = st.text(st.one_of(st.characters(), st.sampled_from("aAbB09_-. \n中のéİ\u212a")), max_size=50)


@given(TEXT)
def test_a_written_word_is_found_around_each_of_its_characters(text: str) -> None:
    for at, char in enumerate(text):
        before, data = text[:at].encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass")
        start, end = compound_at(data, len(before))
        assert start <= len(before) < end
        written = data[start:end].decode("utf-8", "surrogatepass")
        assert char in written
        if char.isascii() and char.isalnum():
            assert all(inner.isascii() and (inner.isalnum() or inner in "-_") for inner in written)
            assert telling_forms(written) == () or written in compounds(text)


@given(TEXT, st.integers(0, 9))
def test_written_words_are_noted_by_their_lines(text: str, first: int) -> None:
    noted: defaultdict[str, list[int]] = defaultdict(list)
    plainly = [(word, number) for number, line in enumerate(text.split("\n"), first) for word in compounds(line)]
    assert note_compounds(text, first, noted) == len(plainly)
    assert [(word, number) for word in noted for number in noted[word]] == sorted(
        plainly, key=lambda entry: [*noted].index(entry[0])
    )


@given(st.text("abBsSzZ059-_", min_size=1, max_size=12))
def test_a_written_word_is_found_by_its_telling_parts(written: str) -> None:
    assert telling_forms(written) == tuple(form for form in identifier_parts(written) if is_telling(form))


@pytest.mark.parametrize("stop_words", ["to_do", "Do-It", "the", "THE", "a-b-c"])
def test_stop_words_and_single_letters_are_no_forms(stop_words: str) -> None:
    assert all(len(form) > 1 and form not in STOP_WORDS for form in telling_forms(stop_words))


@given(TEXT)
def test_lower_case_keeps_offsets(text: str) -> None:
    low = ascii_lowered(text)
    assert len(low) == len(text)
    assert all(old == new or (old.isascii() and new == old.lower()) for old, new in zip(text, low, strict=True))
