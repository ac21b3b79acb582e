from __future__ import annotations

import gc
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.floor.index import NodeIndex, Postings
from spexsearch.floor.tokens import SHORTEST_BEGINNING, stem
from spexsearch.specs.model import Spec

WORDS = st.text("abes", min_size=1, max_size=6)


def a_spec(path: str, title: str = "", desc: str = "", body: str = "") -> Spec:
    return Spec(id=path.split("/")[-2], title=title, desc=desc, path=path, body=body, body_line=1, dialect="spex")


def word_matches(word: str, term: str) -> bool:
    """The rule, as it reads."""
    return word.startswith(stem(term)) or (len(word) >= SHORTEST_BEGINNING and term.startswith(word))


@given(st.lists(st.lists(WORDS, max_size=12), max_size=6), WORDS)
def test_occurrences_are_those_of_a_scan(documents: list[list[str]], term: str) -> None:
    postings = Postings.build(Counter(document) for document in documents)
    scanned = {
        number: count
        for number, document in enumerate(documents)
        if (count := sum(word_matches(word, term) for word in document))
    }
    assert postings.occurrences(term) == scanned


@given(st.lists(st.lists(WORDS, max_size=12), max_size=6))
def test_lengths_and_mean(documents: list[list[str]]) -> None:
    postings = Postings.build(Counter(document) for document in documents)
    assert list(postings.lengths) == [len(document) for document in documents]
    total = sum(map(len, documents))
    assert postings.mean_length == (total / len(documents) if total else 1)


def test_a_document_without_words_takes_part_in_the_mean() -> None:
    assert Postings.build([{}, {"a": 3}]).mean_length == 1.5


def test_an_empty_tree_answers_nothing() -> None:
    assert NodeIndex.build([]).rank([("session", 1.0)]) == []


def test_a_word_of_every_spec_weighs_nothing() -> None:
    index = NodeIndex.build([a_spec("a/s.md", body="common"), a_spec("b/s.md", body="common rare")])
    assert index.rank([("common", 1.0)]) == []
    assert [number for number, _ in index.rank([("common", 1.0), ("rare", 1.0)])] == [1]


def test_a_weight_multiplies_what_a_term_gives_at_most() -> None:
    specs = [a_spec(f"n{number}/s.md", body="filler") for number in range(9)]
    index = NodeIndex.build([*specs, a_spec("cap/s.md", title="needle")])
    assert index.rank([("needle", 1.0)]) == [(9, 8.0)]
    assert index.rank([("needle", 0.25)]) == [(9, 2.0)]


def test_exact_halves_are_rounded_up() -> None:
    index = NodeIndex.build([a_spec("needle/s.md"), *(a_spec(f"n{number}/s.md") for number in range(9))])
    assert [score for _, score in index.rank([("needle", 1 / 64)])] == [0.13]
    assert [score for _, score in index.rank([("needle", 1 / 8192)])] == [0.0]


def test_a_term_inside_a_word_of_the_name_weighs_five() -> None:
    specs = [a_spec("unlock/s.md"), a_spec("a/s.md", body="lock"), a_spec("b/s.md", body="lock"), a_spec("c/s.md")]
    assert NodeIndex.build(specs).rank([("lock", 1.0)])[0] == (3, 3.47)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_left_as_it_was(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    try:
        NodeIndex.build([a_spec("a/s.md")])
        assert gc.isenabled() is enabled
    finally:
        gc.enable()


def test_a_failing_build_leaves_the_collector_on() -> None:
    with pytest.raises(AttributeError):
        NodeIndex.build([None])  # type: ignore[list-item]
    assert gc.isenabled()
