from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from spexsearch.floor.order import collation_key, tie_key, utf16_length
from spexsearch.specs.model import Spec, walk_order

IN_ORDER = [
    "x y",
    "x_y",
    "x-y",
    "x.y",
    "x~y",
    "x$y",
    "x€y",
    "x0y",
    "xay",
    "xAy",
    "xáy",
    "xÁy",
    "xby",
    "xzy",
    "xжy",
    "x中y",
]


def a_spec(path: str, ident: str = "") -> Spec:
    return Spec(id=ident, title="", desc="", path=path, body="", body_line=1, dialect="spex")


def test_collation_of_ids_that_differ_in_one_place() -> None:
    for left, right in pairwise(IN_ORDER):
        assert collation_key(left) < collation_key(right), (left, right)


def test_letters_weigh_before_case() -> None:
    assert sorted(["Ab", "aA", "AB", "aa", "ab", "AA"], key=collation_key) == ["aa", "aA", "AA", "ab", "Ab", "AB"]


def test_letters_weigh_before_accents() -> None:
    assert sorted(["éb", "ea", "eb", "éa"], key=collation_key) == ["ea", "éa", "eb", "éb"]


@given(st.lists(st.text(max_size=6), max_size=8))
def test_any_ids_can_be_ordered(ids: list[str]) -> None:
    assert sorted(map(collation_key, ids)) == sorted(map(collation_key, reversed(ids)))


def test_short_ids_stand_first_whatever_their_letters() -> None:
    assert tie_key(a_spec("p", "zz")) < tie_key(a_spec("p", "aaa"))
    assert utf16_length("a😀\udc80") == 4


def test_a_walk_meets_a_folder_before_what_is_below_it() -> None:
    walked = [
        ".spec/spec.md",
        ".spec/a/spec.md",
        ".spec/a/Z/spec.md",
        ".spec/a/b/spec.md",
        ".spec/a-b/spec.md",
        ".spec/a_b/spec.md",
        ".spec/\udcff/spec.md",
    ]
    assert [spec.path for spec in sorted(map(a_spec, sorted(walked)), key=lambda spec: walk_order(spec.path))] == walked
