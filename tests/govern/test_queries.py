"""The wordings in which a change asks."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.govern.model import Change
from spexsearch.govern.queries import CODE, MAX_TERMS, PROSE, Phrasing, phrasings, weighted, wordings
from spexsearch.govern.significance import Effect

RENAMED = Change("R", "src/login/SessionStore.ts", "src/auth/store.ts")
EFFECT = Effect(
    "code",
    "behaviour",
    units={"Store.renewSession": "behaviour", "close": "comment"},
    words_removed=("old_clock", "renewSession"),
    words_added=("renewSession", "renewSession", "newClock", "const", "x", "the", "then"),
    words_commented=("Once", "an", "hour", "renewSession"),
)


def words(name: str) -> dict[str, int]:
    return dict(next(phrasing.words for phrasing in phrasings(RENAMED, EFFECT) if phrasing.name == name))


def test_there_is_one_wording_for_each_thing_that_a_change_says() -> None:
    assert [phrasing.name for phrasing in phrasings(RENAMED, EFFECT)] == ["path", "units", "added", "removed", "prose"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        # Both paths are asked, each once for each segment that they have.
        (
            "path",
            {"src": 2, "login": 1, "auth": 1, "session": 1, "store": 2, "ts": 2, "sessionstore": 1},
        ),
        ("units", {"store": 1, "renew": 1, "session": 1, "storerenewsession": 1, "close": 1}),
        # Keywords, stop words and single characters ask nothing.
        # Of what both sides say, only what one of them says more often is new or gone.
        ("added", {"renew": 1, "session": 1, "renewsession": 1, "clock": 1, "newclock": 1}),
        ("removed", {"old": 1, "clock": 1, "oldclock": 1}),
        ("prose", {"once": 1, "hour": 1, "renew": 1, "session": 1, "renewsession": 1}),
    ],
)
def test_what_each_wording_says(name: str, said: dict[str, int]) -> None:
    assert words(name) == said


def test_a_path_that_did_not_change_asks_once() -> None:
    (path, *_) = phrasings(Change("M", "src/store.py"), Effect("code", "behaviour"))
    assert path.words == (("py", 1), ("src", 1), ("store", 1))


def test_a_document_asks_in_prose_alone() -> None:
    effect = Effect(
        "doc", "behaviour", words_added=("sessions", "close", "hourly"), words_removed=("sessions", "daily")
    )
    (prose,) = phrasings(Change("M", "docs/sessions.md"), effect)
    assert prose == Phrasing("prose", (("close", 1), ("daily", 1), ("hourly", 1)))


def test_what_the_code_says_and_what_people_say_are_asked_apart() -> None:
    asked = phrasings(RENAMED, EFFECT)
    assert dict(weighted(asked, PROSE)).keys() == words("prose").keys()
    assert dict(weighted(asked, CODE)).keys() == {word for name in CODE for word in words(name)}
    assert dict(weighted(asked)).keys() == {word for name in (*CODE, *PROSE) for word in words(name)}
    assert {phrasing.name for phrasing in asked} == {*CODE, *PROSE}


def test_wordings_are_joined_by_name_and_cut() -> None:
    asked = [Phrasing("added", (("a", 1), ("b", 2))), Phrasing("path", (("c", 1),)), Phrasing("added", (("a", 4),))]
    assert wordings(asked, 9) == [(("a", 1 + log(5)), ("b", 1 + log(2))), (("c", 1.0),)]
    assert wordings(asked, 1) == [(("a", 1 + log(5)),), (("c", 1.0),)]
    assert wordings([Phrasing("units", ())], 9) == []


def test_words_are_summed_over_wordings_and_weigh_by_the_log_of_their_count() -> None:
    asked = [Phrasing("path", (("a", 1), ("b", 2))), Phrasing("units", (("a", 3), ("c", 2)))]
    assert weighted(asked) == (("a", 1 + log(4)), ("b", 1 + log(2)), ("c", 1 + log(2)))
    assert weighted([Phrasing("path", (("a", 1),))]) == (("a", 1.0),)
    assert weighted(()) == ()


def test_only_the_heaviest_words_ask() -> None:
    counts = tuple((f"w{number:04}", 2 if number % 3 else 1) for number in range(MAX_TERMS * 2))
    asked = weighted([Phrasing("added", counts)])
    assert len(asked) == MAX_TERMS
    assert {weight for _, weight in asked} == {1 + log(2)}
    assert asked[0][0] == "w0001"
    assert asked[-1][0] == "w0599"


@given(st.lists(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 9)), unique_by=lambda pair: pair[0])))
def test_the_query_does_not_depend_on_the_order_of_what_asks(rows: list[list[tuple[str, int]]]) -> None:
    asked = [Phrasing("added", tuple(row)) for row in rows]
    found = weighted(asked)
    assert found == weighted(reversed(asked))
    assert [weight for _, weight in found] == sorted((weight for _, weight in found), reverse=True)
    assert len({word for word, _ in found}) == len(found)
