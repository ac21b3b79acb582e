from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.floor.tokens import (
    count_ascii_words,
    flatten,
    identifier_parts,
    query_terms,
    stem,
    words,
)

SPACES = "\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
TEXT = st.text(st.one_of(st.characters(), st.sampled_from("aAbB09_-. \n\x85\ufeff\x1cİKſ中のé")), max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Renew the Session", ["renew", "the", "session"]),
        ("renewSession v2", ["renewsession", "v2"]),
        ("a_b-c.d", ["a", "b", "c", "d"]),
        ("naïve", ["na", "ve"]),
        ("会话 renew", ["会", "话", "renew"]),
        ("セッション・", list("セッション・")),
        ("привет 한글 ６４ 😀 𠀀", []),
        ("\u212aelvin", ["kelvin"]),
        ("x\u0130y", ["xi", "y"]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("How does a session end?", ["session", "end"]),
        ("end End END start", ["end", "start"]),
        ("x y z 1", []),
        ("会 a", ["会"]),
        ("the and of", []),
    ],
)
def test_query_terms(query: str, expected: list[str]) -> None:
    assert query_terms(query) == expected


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("sessions", "session"),
        ("merge", "merg"),
        ("cases", "case"),
        ("caches", "cach"),
        ("classes", "class"),
        ("class", "class"),
        ("bus", "bus"),
        ("uses", "use"),
        ("three", "thre"),
        ("status", "statu"),
        ("use", "use"),
    ],
)
def test_stem(term: str, expected: str) -> None:
    assert stem(term) == expected


@given(st.text("abcesz", max_size=12))
def test_a_stem_begins_its_term(term: str) -> None:
    assert term.startswith(stem(term))


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("renameSession", ("rename", "session", "renamesession")),
        ("rename_session", ("rename", "session", "renamesession")),
        ("rename-session", ("rename", "session", "renamesession")),
        ("RENAME_SESSION", ("rename", "session", "renamesession")),
        ("HTTPServer2", ("http", "server", "2", "httpserver2")),
        ("sessionIDs", ("session", "ids", "sessionids")),
        ("isAsync", ("is", "async", "isasync")),
        ("sha256", ("sha", "256", "sha256")),
        ("__init__", ("init",)),
        ("会话id", ("会", "话", "id", "会话id")),
        ("tick_tick", ("tick", "ticktick")),
        ("___", ()),
    ],
)
def test_identifier_parts(identifier: str, expected: tuple[str, ...]) -> None:
    assert identifier_parts(identifier) == expected


@given(st.from_regex(r"\A[A-Za-z0-9_]{1,30}\Z"))
def test_the_joined_parts_hold_every_letter_and_digit(identifier: str) -> None:
    parts = identifier_parts(identifier)
    assert (parts[-1] if parts else "") == identifier.replace("_", "").lower()


@given(TEXT)
def test_flatten_leaves_single_spaces_only(text: str) -> None:
    assert flatten(text) == re.sub(f"[{SPACES}]+", " ", text).strip(" ")


@given(TEXT)
def test_count_ascii_words(text: str) -> None:
    assert count_ascii_words(text) == sum(1 for piece in re.split("[^A-Za-z0-9]", text) if piece)


def test_lone_surrogates_are_counted_around() -> None:
    assert count_ascii_words("a\udc80b") == 2
