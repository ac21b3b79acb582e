from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from spexsearch.floor.fusion import phrasings, reciprocal_rank

RANKINGS = st.lists(st.lists(st.integers(0, 9), unique=True))


def test_ranks_are_summed_as_reciprocals() -> None:
    assert reciprocal_rank([["a", "b"], ["b"]]) == {"a": 0.016393, "b": round(1 / 62 + 1 / 61, 6)}
    assert reciprocal_rank([]) == {}


@given(RANKINGS, st.randoms(use_true_random=False))
def test_the_order_of_rankings_changes_nothing(rankings: list[list[int]], random: Random) -> None:
    shuffled = list(rankings)
    random.shuffle(shuffled)
    assert reciprocal_rank(rankings) == reciprocal_rank(shuffled)


@given(RANKINGS)
def test_everything_ranked_is_there_and_a_better_rank_everywhere_is_worth_more(rankings: list[list[int]]) -> None:
    joined = reciprocal_rank(rankings)
    assert set(joined) == {thing for ranking in rankings for thing in ranking}
    for better in joined:
        for worse in joined:
            if rankings and all(
                better in ranking and worse in ranking and ranking.index(better) < ranking.index(worse)
                for ranking in rankings
            ):
                assert joined[better] > joined[worse]


def test_one_wording_is_one_phrasing() -> None:
    assert list(phrasings("one two")) == ["one two"]
    assert list(phrasings(["one", "two"])) == ["one", "two"]
