from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.floor.matching import Matcher
from spexsearch.floor.snippets import stands_as_phrase
from spexsearch.floor.tokens import compounds, partial_root, root, telling_forms

PIECE = st.sampled_from([*"-_ \n会话İ\u212aé2."]) | st.sampled_from(
    ["rename", "Rename", "renaming", "renami", "session", "Sess", "cry", "cries", "use", "user", "HTTP", "the"]
)
TEXT = st.lists(PIECE, max_size=14).map("".join)


def plainly_held(query: str, text: str) -> set[str]:
    """The rule, as it reads: every word of the text is looked at for every word of the query."""
    forms = {form for compound in compounds(text) for form in telling_forms(compound)}
    roots = {root(form) for form in forms}
    held: set[str] = set()
    for compound in compounds(query):
        found = telling_forms(compound)
        parts = found[:-1] or found
        for sought in found:
            if {root(sought), partial_root(sought)} & roots or any(form.startswith(sought) for form in forms):
                held.update(parts if sought == found[-1] else [sought])
    return held


@given(TEXT, TEXT)
def test_held_words_are_those_of_a_scan(query: str, text: str) -> None:
    assert Matcher(query).held(text) == plainly_held(query, text)


@given(TEXT, TEXT)
def test_what_is_known_to_be_absent_need_not_be_looked_for(query: str, text: str) -> None:
    matcher = Matcher(query)
    forms = {form for compound in compounds(text) for form in telling_forms(compound)}
    rooted = {sought for sought, roots in matcher.roots.items() if roots & set(map(root, forms))}
    begun = [sought for sought in matcher.answers if any(form.startswith(sought) for form in forms)]
    assert matcher.answered_by(rooted) | matcher.held(text, begun) == matcher.held(text)


@given(TEXT, TEXT, st.randoms(use_true_random=False))
def test_the_best_line_holds_most(query: str, text: str, random: Random) -> None:
    matcher = Matcher(query)
    lines = text.split("\n")
    counts = [len(set[str]().union(*(match.words for match in matcher.matches(line)))) for line in lines]
    # However much too high what is said of each line.
    at_most = [
        (count + random.randint(0, 2), place, line)
        for place, (count, line) in enumerate(zip(counts, lines, strict=True))
    ]
    found = matcher.best_line(sorted(at_most, key=lambda candidate: (-candidate[0], candidate[1])))
    if found is None:
        assert max(counts) == 0
        return
    line, at = found
    assert line == lines[counts.index(max(counts))]
    assert matcher.matches(line)[0].start == at


@given(TEXT, TEXT)
def test_spans_are_in_order_apart_and_answer(query: str, text: str) -> None:
    matcher = Matcher(query)
    spans = matcher.spans(text)
    assert all(left[1] < right[0] for left, right in pairwise(spans))
    assert all(matcher.held(text[start:end]) for start, end in spans)


def test_whole_words_are_marked_by_root_and_by_beginning() -> None:
    text = "A Session, sessions, sessionId; no obsession, Sess"
    assert [text[start:end] for start, end in Matcher("session").spans(text)] == ["Session", "sessions", "sessionId"]


def test_neighbours_are_joined_and_offsets_kept() -> None:
    assert Matcher("会话 key").spans("İİ 会话 key") == [(3, 5), (6, 9)]


def test_an_identifier_counts_by_its_parts() -> None:
    matcher = Matcher("renameSession")
    assert matcher.words == ("rename", "session")
    assert matcher.held("rename the session") == {"rename", "session"}
    assert matcher.held("renamesession") == {"rename", "session"}
    assert matcher.held("renamed") == {"rename"}


def test_one_long_word_and_many_matches_take_linear_time() -> None:
    # Quadratic time would be minutes.
    matcher = Matcher("aa lock")
    assert matcher.held("a-" * 300_000) == {"aa"}
    assert matcher.best_line([(1, 0, "lock " * 200_000)]) == ("lock " * 200_000, 0)
    assert stands_as_phrase("lock the " * 200_000, ["lock", "key"]) is False


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("warm tea", ["warm", "tea"], True),
        ("Warmer teapots", ["warm", "tea"], True),
        ("warm, (the) *tea*", ["warm", "tea"], True),
        ("warm\ntea", ["warm", "tea"], True),
        ("lukewarm tea", ["warm", "tea"], False),
        ("warm green tea", ["warm", "tea"], False),
        ("warm warm tea", ["warm", "tea"], True),
        ("tea warm", ["warm", "tea"], False),
        ("warm", ["warm", "tea"], False),
        ("会话改名", ["话", "改"], True),
    ],
)
def test_phrases(text: str, wanted: list[str], expected: bool) -> None:
    assert stands_as_phrase(text, wanted) is expected
