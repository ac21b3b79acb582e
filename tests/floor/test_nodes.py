from __future__ import annotations

import math
import re
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spexsearch.floor.index import NodeIndex
from spexsearch.floor.nodes import Ranker, corpus_tokens, nearest_titles, rank_nodes, search_nodes
from spexsearch.floor.order import collation_key
from spexsearch.floor.section_index import SectionIndex
from spexsearch.floor.snippets import snippet
from spexsearch.floor.tokens import query_terms
from spexsearch.specs.model import Spec, SpecTree

# The rules of the ranking, written down once more as they read: every word of every spec is looked at for every term.

SPACE = "[\\t-\\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+"
TOKEN = re.compile("[a-z0-9]+|[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff]")


def plain_stem(term: str) -> str:
    if len(term) >= 4 and term[-1] == "s" and term[-2:] != "ss":
        term = term[:-1]
    return term[:-1] if len(term) >= 5 and term[-1] == "e" else term


def plain_match(word: str, term: str) -> bool:
    return word.startswith(plain_stem(term)) or (len(word) >= 3 and term.startswith(word))


def plain_tier(spec: Spec, term: str, mean_desc: float, mean_body: float) -> tuple[float, bool]:
    """The weight of the first tier that applies, and whether the spec counts for the term's document frequency."""
    name = f"{spec.title} {spec.id}".lower()
    desc, body = TOKEN.findall(spec.desc.lower()), TOKEN.findall(spec.body.lower())
    in_name = [len(plain_stem(term)) / len(word) for word in TOKEN.findall(name) if word.startswith(plain_stem(term))]
    in_desc = any(plain_match(word, term) for word in desc)
    in_body = sum(plain_match(word, term) for word in body)
    counts = bool(in_name) or in_desc or in_body > 0
    if in_name:
        return 8 * max(0.5, *in_name), counts
    if term in name:
        return 5, counts
    if in_desc:
        return 2.2 * plain_saturation(1, len(desc), mean_desc), counts
    return plain_saturation(in_body, len(body), mean_body), counts


def plain_saturation(count: int, length: int, mean: float) -> float:
    return count * (1.2 + 1) / (count + 1.2 * (1 - 0.4 + 0.4 * length / mean)) if count else 0


def plain_rank(specs: Sequence[Spec], query: str) -> list[tuple[str, float]]:
    mean_desc = sum(len(TOKEN.findall(spec.desc.lower())) for spec in specs) / max(1, len(specs)) or 1
    mean_body = sum(len(TOKEN.findall(spec.body.lower())) for spec in specs) / max(1, len(specs)) or 1
    scores = {spec.path: 0.0 for spec in specs}
    for term in query_terms(query):
        tiers = {spec.path: plain_tier(spec, term, mean_desc, mean_body) for spec in specs}
        frequency = sum(counts for _, counts in tiers.values())
        idf = math.log(len(specs) / frequency) if frequency else 0
        for path, (weight, _) in tiers.items():
            scores[path] += min(weight * idf, 8)
    by_path = {spec.path: spec for spec in specs}
    found = [(path, math.floor(100 * score + 0.5) / 100) for path, score in scores.items() if score > 0]
    return sorted(
        found,
        key=lambda hit: (
            -hit[1],
            len(by_path[hit[0]].id.encode("utf-16-le")),
            collation_key(by_path[hit[0]].id),
            hit[0].split("/")[:-1],
        ),
    )


def plain_snippet(spec: Spec, terms: Sequence[str]) -> str:
    flat = re.sub(SPACE, " ", f"{spec.desc}\n{spec.body}").strip(" ")
    low = "".join("i" if char == "\u0130" else char.lower() for char in flat)
    places = [
        found.start()
        for term in terms
        if (found := re.search(("(?<![A-Za-z0-9_])" if term.isascii() else "") + re.escape(term), low))
    ]
    units = [unit for char in flat for unit in units_of(char)]
    if not places:
        units = (
            [unit for char in re.sub(SPACE, " ", spec.desc).strip(" ") for unit in units_of(char)]
            if spec.desc
            else units
        )
        return joined(units[:140]).strip(" ") + "…" if len(units) > 140 else joined(units)
    start = max(0, sum(len(units_of(char)) for char in flat[: min(places)]) - 46)
    piece = joined(units[start : start + 140]).strip(" ")
    return ("…" if start else "") + piece + ("…" if start + 140 < len(units) else "")


def units_of(char: str) -> list[tuple[str, int]]:
    return [(char, 0), (char, 1)] if char > "\uffff" else [(char, -1)]


def joined(units: list[tuple[str, int]]) -> str:
    whole = (half < 0 or (half == 0 and units[at + 1 : at + 2] == [(char, 1)]) for at, (char, half) in enumerate(units))
    return "".join(char for (char, _), keep in zip(units, whole, strict=True) if keep)


RANKERS: tuple[Ranker, ...] = ("sections", "floor")
WORDS = ["merge", "Merges", "merging", "mer", "session", "sessions", "ses", "use", "used", "naïve", "İs", "\u212aelvin"]
WORDS += [
    "node",
    "nodes",
    "x",
    "the",
    "lock",
    "unlock",
    "foo_merge",
    "会",
    "会话",
    "😀",
    "😀😀",
    "42",
    "\x85",
    "\u200b",
]
GAPS = [" ", " ", " ", "\n", "\n\n", " \t ", "\ufeff", "-", ".", "", "    " * 90]
TEXT = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS)), max_size=90).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)
SHORT = st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join)
NAMES = st.sampled_from(["a", "A", "b", "merge", "a-b", "a_b", "é", "e", "会", "😀", "sessions"])
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=3), max_size=8, unique_by=tuple)
QUERY = st.lists(st.sampled_from([*WORDS, "mergers", "absent", "loc"]), max_size=5).map(" ".join)


@st.composite
def trees(draw: st.DrawFn) -> list[Spec]:
    return [
        Spec(
            id=names[-1],
            title=draw(SHORT),
            desc=draw(SHORT),
            path="/".join([".spec", *names, "spec.md"]),
            body=draw(TEXT).strip(),
            body_line=1,
            dialect="spex",
        )
        for names in draw(PATHS)
    ]


@given(trees(), QUERY)
def test_the_index_ranks_as_a_scan_does(specs: list[Spec], query: str) -> None:
    hits = search_nodes(SpecTree(tuple(specs)), query, limit=100, ranker="floor")
    assert [(hit.path, hit.score) for hit in hits] == plain_rank(specs, query)


@given(trees(), QUERY)
def test_snippets_are_those_of_the_flattened_text(specs: list[Spec], query: str) -> None:
    terms = query_terms(query)
    assert [snippet(spec, terms) for spec in specs] == [plain_snippet(spec, terms) for spec in specs]


@given(trees(), QUERY, st.randoms(use_true_random=False))
def test_the_order_of_files_changes_nothing(specs: list[Spec], query: str, random: Random) -> None:
    shuffled = list(specs)
    random.shuffle(shuffled)
    one, other = SpecTree(tuple(specs)), SpecTree(tuple(shuffled))
    for ranker in RANKERS:
        assert search_nodes(one, query, ranker=ranker) == search_nodes(other, query, ranker=ranker)
    assert nearest_titles(one, query) == nearest_titles(other, query)


@given(trees(), QUERY)
def test_a_word_that_no_spec_holds_changes_nothing(specs: list[Spec], query: str) -> None:
    index = NodeIndex.build(specs)
    terms = [(term, 1.0) for term in query_terms(query)]
    assert rank_nodes(index, [*terms, ("qqqqq", 3.0)]) == rank_nodes(index, terms)


@given(trees(), QUERY, st.integers(1, 9))
def test_a_limit_cuts_the_same_list(specs: list[Spec], query: str, limit: int) -> None:
    index = NodeIndex.build(specs)
    assert search_nodes(index, query, limit) == search_nodes(index, query, 100)[:limit]
    assert [(hit.path, hit.score) for hit in search_nodes(index, query, 100)] == [
        (spec.path, score) for spec, score in rank_nodes(index, [(term, 1.0) for term in query_terms(query)])
    ]


@given(st.text(max_size=40), st.text(max_size=400), st.text(max_size=400))
@settings(max_examples=200)
def test_any_text_is_searched_and_every_snippet_can_be_written(query: str, desc: str, body: str) -> None:
    tree = SpecTree((a_spec("a", desc=desc, body=f"{body} {query}"), a_spec("b", body="other")))
    for ranker in RANKERS:
        for hit in search_nodes(tree, query, ranker=ranker):
            hit.snippet.encode()
            assert len(hit.snippet.encode("utf-16-le")) <= 2 * 142


def a_spec(ident: str, title: str = "", desc: str = "", body: str = "") -> Spec:
    return Spec(id=ident, title=title, desc=desc, path=f".spec/{ident}/spec.md", body=body, body_line=1, dialect="spex")


@pytest.mark.parametrize("limit", [0, -1])
def test_no_limit_below_one(limit: int) -> None:
    assert search_nodes(SpecTree((a_spec("lock"), a_spec("other"))), "lock", limit) == []


def test_a_query_of_stop_words_finds_nothing() -> None:
    assert search_nodes(SpecTree((a_spec("the"), a_spec("other"))), "the") == []


def test_a_snippet_shows_the_match_as_it_is_written() -> None:
    spec = a_spec("a", desc="Short.", body="İ" * 200 + " then the LOCK holds")
    assert snippet(spec, ["lock"]) == "…" + "İ" * 36 + " then the LOCK holds"


def test_where_no_word_of_the_prose_matches_the_desc_is_shown_as_written() -> None:
    assert snippet(a_spec("lock", desc="Who  May\nEnter", body="text"), ["lock"]) == "Who May Enter"
    assert snippet(a_spec("lock", body="Only a Body"), ["lock"]) == "Only a Body"
    assert snippet(a_spec("lock"), ["lock"]) == ""


def test_a_long_blank_before_a_match_does_not_hide_what_stands_before_it() -> None:
    spec = a_spec("a", body="first words" + " " * 5000 + "lock" + "\n" * 5000 + "last words")
    assert snippet(spec, ["lock"]) == "first words lock last words"


@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("LOCK", "lock"),
        ("\u212aeep", "keep"),
        ("xİ", "xi"),
        ("会话", "话"),
        ("unlock lock", "lock"),
        ("foo_lock lock", "lock"),
        ("élock", "lock"),
    ],
)
@pytest.mark.parametrize("lead", [100, 2000])
def test_a_match_far_inside_is_shown(written: str, query: str, lead: int) -> None:
    shown = snippet(a_spec("a", desc="Desc", body="- " * lead + written), query_terms(query))
    assert shown.startswith("…- -")
    assert shown.endswith(written)


def test_a_character_that_a_cut_would_halve_is_left_out() -> None:
    assert snippet(a_spec("a", body="x" + "😀" * 40 + " lock " + "😀" * 60), ["lock"]) == (
        "…" + "😀" * 22 + " lock " + "😀" * 44 + "…"
    )
    assert snippet(a_spec("lock", desc="x" + "😀" * 70), ["lock"]) == "x" + "😀" * 69 + "…"


def test_a_term_inside_a_word_is_no_match() -> None:
    assert snippet(a_spec("a", desc="Desc", body="- " * 100 + "unlock foo_lock"), ["lock"]) == "Desc"


NEAR = SpecTree(
    (a_spec("session", "Session renewal"), a_spec("lock", "Lock"), a_spec("look", "Look"), a_spec("会", "会"))
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("sesion renewel", ["session"]),
        ("lok", ["lock", "look"]),
        ("the lok", ["lock", "look"]),
        ("会", []),
        ("", []),
        ("zzzzzz", []),
    ],
)
def test_nearest_titles(query: str, expected: list[str]) -> None:
    assert [ident for ident, _ in nearest_titles(NEAR, query)] == expected


def test_nearest_titles_are_as_many_as_asked_for() -> None:
    assert nearest_titles(NEAR, "lok", count=1) == [("lock", "Lock")]


def test_corpus_tokens_counts_titles_ids_descs_and_bodies() -> None:
    tree = SpecTree((a_spec("a-b", "Two words", "naïve 会", "x_y"), a_spec("c")))
    assert corpus_tokens(tree) == 2 + 2 + 2 + 2 + 1


def test_by_default_a_spec_ranks_by_its_best_section_and_its_name() -> None:
    body = "# one\nthe kettle boils\n# two\n" + "filler " * 200
    specs = [a_spec("long", body=body), a_spec("spread", body="kettle " + "filler " * 100), a_spec("kettle-lid")]
    found = search_nodes(SpecTree(tuple(specs)), "kettles boiling")
    assert [hit.id for hit in found] == ["long", "kettle-lid", "spread"]
    assert found[0].snippet == "the kettle boils"
    assert search_nodes(SectionIndex.build(specs), "kettles boiling", 2) == found[:2]


def test_an_index_ranks_in_its_own_way() -> None:
    tree = SpecTree((a_spec("renaming", body="text"), a_spec("b", body="rename"), a_spec("c")))
    assert search_nodes(NodeIndex.build(tree.specs), "renamed") == search_nodes(tree, "renamed", ranker="floor")
    assert search_nodes(SectionIndex.build(tree.specs), "renamed") == search_nodes(tree, "renamed")


@pytest.mark.parametrize("ranker", RANKERS)
def test_phrasings_and_filters(ranker: Ranker) -> None:
    tree = SpecTree((a_spec("kettle", body="one"), a_spec("spout", body="two kettles"), a_spec("c")))
    joined = search_nodes(tree, ["kettle", "spout"], ranker=ranker)
    assert [hit.id for hit in joined] == ["spout", "kettle"]
    assert joined == search_nodes(tree, ["spout", "kettle", "the"], ranker=ranker)
    kept = search_nodes(tree, "kettle", ranker=ranker, keep={".spec/spout/spec.md"})
    assert [hit.id for hit in kept] == ["spout"]
    assert kept[0] in search_nodes(tree, "kettle", ranker=ranker)


def test_where_no_line_holds_a_word_the_desc_is_shown_by_sections_too() -> None:
    hit = search_nodes(SpecTree((a_spec("lock", desc="Who  May\nEnter", body="# x\ntext"), a_spec("b"))), "lock")[0]
    assert hit.snippet == "Who May Enter"
