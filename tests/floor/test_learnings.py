"""Which learnings answer, and in which order: each rule for itself, then what holds whatever the store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spexsearch
from spexsearch.errors import InputError, UsageError
from spexsearch.floor.learnings import TYPES, LearningHit, Stores, current_time, find_learnings, search_learnings

DAY = 86_400
NOW = datetime(2026, 6, 1, tzinfo=UTC).timestamp()
Row = dict[str, Any]
Ask = Callable[..., list[LearningHit]]


def a_row(key: str, insight: str = "", **fields: Any) -> Row:
    plain = {"ts": "2026-05-01T00:00:00Z", "type": "pattern", "confidence": 5, "source": "user-stated", "files": []}
    return plain | {"key": key, "insight": insight} | fields


def store(path: Path, rows: Iterable[Row | str]) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="surrogatepass", newline="")
    return path


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """The rows that a query finds among these."""

    def go(query: str, *rows: Row, limit: int = 100, type_: str | None = None) -> list[LearningHit]:
        return search_learnings(store(tmp_path / "store", rows), query, limit, type_=type_, now=NOW)

    return go


def keys(hits: Iterable[LearningHit]) -> list[str]:
    return [hit.key for hit in hits]


# Recall.


@pytest.mark.parametrize(
    "row",
    [
        a_row("pipeline-key"),
        a_row("k", "Something about the pipeline"),
        a_row("k", files=["a.py", "src/pipeline.py"]),
        a_row("k", "PIPELINE"),
        a_row("PIPELINE"),
        a_row("k", files=["SRC/PIPELINE.PY"]),
        a_row("k", "multipipelines"),
    ],
)
def test_a_part_of_key_insight_or_path_is_enough_to_appear(row: Row, ask: Ask) -> None:
    assert keys(ask("pipeLINE", row)) == [row["key"]]
    assert keys(ask("zebra pipeline", row)) == [row["key"]]
    assert ask("zebra", row) == []


@pytest.mark.parametrize("field", ["type", "source", "ts", "skill", "other"])
def test_no_other_field_makes_a_row_appear(field: str, ask: Ask) -> None:
    assert ask("zebra", a_row("k") | {field: "zebra"}) == []


def test_no_token_is_found_across_two_fields(ask: Ask) -> None:
    assert ask("ab", a_row("xa", "bx", files=["bx", "xa", "bx"])) == []


@pytest.mark.parametrize("query", ["", "  \n "])
def test_without_words_every_row_appears(query: str, ask: Ask) -> None:
    assert keys(ask(query, a_row("b"), a_row("a"))) == ["a", "b"]


def test_rows_of_one_type(ask: Ask) -> None:
    rows = [a_row("a", "cache", type="pitfall"), a_row("a", "cache"), a_row("b", "cache", type="constructor")]
    assert [(hit.key, hit.type) for hit in ask("cache", *rows, type_="pitfall")] == [("a", "pitfall")]
    assert ask("cache", *rows, type_="tool") == []


def test_at_most_so_many(tmp_path: Path) -> None:
    path = store(tmp_path / "store", [a_row(f"k{number:02}") for number in range(30)])
    assert keys(search_learnings(path)) == [f"k{number:02}" for number in range(10)]
    found = find_learnings(Stores((path,)), "k", 3)
    assert (keys(found.hits), found.matched) == (["k00", "k01", "k02"], 30)
    assert find_learnings(Stores((path,)), limit=1000).matched == 30
    with pytest.raises(UsageError, match="the limit 0 is no number from 1 on"):
        search_learnings(path, limit=0)


@pytest.mark.parametrize("newer", ["no longer of it", "acaches"])
def test_who_was_passed_over_is_looked_at_again_when_the_better_rows_turn_out_old(newer: str, ask: Ask) -> None:
    better = [a_row(f"k{number}", "cache") for number in range(3)]
    passed = [a_row("low", "acache", confidence=1), a_row("sure", "acache", confidence=9), a_row("mid", "acache")]
    rows = [*better, *passed, *(row | {"insight": newer, "ts": "2026-05-02", "confidence": 2} for row in better)]
    every = keys(ask("cache", *rows))
    assert every[:2] == ["sure", "mid"]
    for limit in (1, 2, 3):
        assert keys(ask("cache", *rows, limit=limit)) == every[:limit]
    again = [*rows, a_row("k0", "cache", ts="2026-05-03")]
    assert keys(ask("cache", *again, limit=1)) == ["k0"]
    assert keys(ask("cache", *again, limit=2)) == ["k0", "sure"]


def test_who_was_passed_over_may_be_better_than_who_says_as_much(ask: Ask) -> None:
    rows = [
        a_row("early", "cache", confidence=1),
        *(a_row(key, "cache queue") for key in "ab"),
        a_row("passed", "cache", confidence=9),
        *(a_row(key, "nothing", ts="2026-05-02") for key in "ab"),
    ]
    assert keys(ask("cache queue", *rows, limit=1)) == ["passed"]


# The order. In each pair the first comes first, though all that is asked later speaks for the second.

LATER: Row = {"confidence": 10, "ts": "2026-05-20T00:00:00Z"}
PAIRS = {
    "words of the insight before names": (
        "cache invalidation",
        a_row("zz", "Cache invalidation follows the write", confidence=1),
        a_row("cache-invalidation", "See the ticket", files=["src/cache/invalidation.py"], **LATER),
    ),
    "more words of the insight": (
        "preflight project line",
        a_row("zz", "The project line of the preflight", confidence=1),
        a_row("preflight-project-line", "The preflight line", **LATER),
    ),
    "a whole word before a part of one": (
        "line",
        a_row("zz", "a line", confidence=1),
        a_row("line", "guideline pipeline deadline", **LATER),
    ),
    "a repetition adds nothing": (
        "cache queue",
        a_row("zz", "cache queue", confidence=1),
        a_row("aa", "cache cache cache caches cached", **LATER),
    ),
    "names break a tie": (
        "cache queue",
        a_row("cache-queue", "a cache", confidence=1),
        a_row("aa", "a cache", files=["src/cache.py"], **LATER),
    ),
    "a path is a name": (
        "cache",
        a_row("zz", "other", files=["src/cache.py"], confidence=1),
        a_row("acache", "other", **LATER),
    ),
    "an underscore separates in a key": (
        "preflight project line",
        a_row("preflight_project_line", "Only the key names it", confidence=1),
        a_row("decoy-guideline", "Something about the guideline", **LATER),
    ),
    "a token in key and paths counts once": (
        "cache queue",
        a_row("cache_queue", confidence=1),
        a_row("cache-cache", files=["cache/cache.py", "caches.py"], **LATER),
    ),
    "confidence": ("cache", a_row("zz", "cache", confidence=6), a_row("aa", "cache", **LATER | {"confidence": 5})),
    "the newest": (
        "cache",
        a_row("zz", "cache", ts="2026-05-01T00:00:01Z"),
        a_row("aa", "cache", ts="2026-05-01T01:00:00+01:00"),
    ),
    "a date before none": ("cache", a_row("zz", "cache", ts="0001-01-01"), a_row("aa", "cache", ts="never")),
    "the key": ("cache", a_row("aa", "cache", type="tool"), a_row("ab", "cache", type="pattern")),
    "the type": ("cache", a_row("aa", "cache", type="pattern"), a_row("aa", "cache", type="tool")),
}


@pytest.mark.parametrize("rule", PAIRS)
def test_the_order(rule: str, ask: Ask) -> None:
    query, first, second = PAIRS[rule]
    wanted = [(row["key"], row["type"]) for row in (first, second)]
    for rows in ((first, second), (second, first)):
        assert [(hit.key, hit.type) for hit in ask(query, *rows)] == wanted


def test_a_repetition_in_the_query_adds_nothing(ask: Ask) -> None:
    rows = [a_row("aa", "cache"), a_row("zz", "queue", confidence=6)]
    assert keys(ask("cache Cache CACHE queue", *rows)) == ["zz", "aa"]


def test_a_token_sees_inflections_in_insights_and_in_names(ask: Ask) -> None:
    rows = [a_row("aa", "testament", **LATER), a_row("zz", "Tests interleave")]
    assert keys(ask("test", *rows)) == ["zz", "aa"]
    rows = [a_row("testament", **LATER), a_row("zz-tested")]
    assert keys(ask("test", *rows)) == ["zz-tested", "testament"]


def test_without_words_confidence_then_age_then_key(ask: Ask) -> None:
    rows = [a_row("c"), a_row("b"), a_row("new", ts="2026-05-02"), a_row("sure", confidence=6)]
    assert keys(ask("", *rows)) == ["sure", "new", "b", "c"]


# Confidence.


@pytest.mark.parametrize(
    ("source", "days", "left"),
    [
        ("observed", 0, 8),
        ("observed", 29.99, 8),
        ("observed", 30, 7),
        ("observed", 59.99, 7),
        ("inferred", 90, 5),
        ("inferred", 240, 0),
        ("observed", 10_000, 0),
        ("observed", -1, 8),
        ("observed", -400, 8),
        ("user-stated", 10_000, 8),
        ("cross-model", 10_000, 8),
        ("OBSERVED", 10_000, 8),
        (None, 10_000, 8),
    ],
)
def test_observed_and_inferred_lose_one_in_thirty_days(source: str | None, days: float, left: int, ask: Ask) -> None:
    ts = datetime.fromtimestamp(NOW - days * DAY, UTC).isoformat()
    (hit,) = ask("", a_row("k", ts=ts, source=source, confidence=8))
    assert hit.confidence == left


def test_what_was_observed_at_no_known_time_does_not_decay(ask: Ask) -> None:
    (hit,) = ask("", a_row("k", ts="never", source="observed", confidence=8))
    assert hit.confidence == 8


def test_decay_is_taken_from_no_more_than_the_highest_confidence(ask: Ask) -> None:
    ts = datetime.fromtimestamp(NOW - 60 * DAY, UTC).isoformat()
    assert [hit.confidence for hit in ask("", a_row("k", ts=ts, source="observed", confidence=99))] == [8]
    assert [hit.confidence for hit in ask("", a_row("k", ts=ts, source="observed", confidence=7.5))] == [5.5]


def test_decayed_confidence_decides_before_age(ask: Ask) -> None:
    rows = [a_row("old", "x", confidence=9, source="observed", ts="2020-01-01"), a_row("new", "x", confidence=1)]
    assert keys(ask("x", *rows)) == ["new", "old"]


def test_now_is_the_clock_unless_the_environment_fixes_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert abs(current_time() - datetime.now(UTC).timestamp()) < 1000
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780272000")
    assert current_time() == 1_780_272_000
    path = store(tmp_path / "store", [a_row("k", ts="2026-05-01T00:00:00Z", source="observed", confidence=8)])
    assert search_learnings(path)[0].confidence == 7
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    assert current_time() > 1_780_272_000


@pytest.mark.parametrize("wrong", ["soon", "-1", "1.5", "1e9", "9" * 12, "１"])
def test_a_time_that_is_none_is_refused(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
    with pytest.raises(UsageError, match="mend it or unset it"):
        current_time()


# Other projects.


def stores(tmp_path: Path, own: Iterable[Row], *others: Iterable[Row]) -> Stores:
    paths = [store(tmp_path / f"store{number}", rows) for number, rows in enumerate([own, *others])]
    return Stores((paths[0],), tuple(paths[1:]))


@pytest.mark.parametrize("trusted", [None, False, "true", 1, "", [True], {"trusted": True}])
def test_of_another_project_only_what_is_exactly_trusted_appears(trusted: object, tmp_path: Path) -> None:
    rows = [a_row("a", trusted=trusted), a_row("b", trusted=True)]
    found = search_learnings(stores(tmp_path, rows, rows), now=NOW)
    assert [(hit.key, hit.cross_project) for hit in found] == [("a", False), ("b", False), ("b", True)]


def test_rows_of_this_project_come_first_where_they_answer_as_well(tmp_path: Path) -> None:
    other = [
        a_row("aa", "cache", trusted=True, **LATER),
        a_row("cache", "cache", trusted=True, confidence=1),
        a_row("ab", "cache queue", trusted=True, confidence=1),
    ]
    found = search_learnings(stores(tmp_path, [a_row("zz", "cache", confidence=1)], other), "cache queue", now=NOW)
    assert keys(found) == ["ab", "cache", "zz", "aa"]


def test_no_row_of_another_project_takes_the_place_of_one_of_this(tmp_path: Path) -> None:
    other = [a_row("k", "theirs", trusted=True, ts="2026-05-30"), a_row("k", "hidden", ts="2026-05-31")]
    found = search_learnings(stores(tmp_path, [a_row("k", "ours")], other, other[:1]), now=NOW)
    assert [(hit.insight, hit.cross_project) for hit in found] == [("ours", False), ("theirs", True), ("theirs", True)]


def test_a_store_of_another_project_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    own = store(tmp_path / "store", [a_row("k")])
    found = find_learnings(Stores((own,), (tmp_path / "folder", tmp_path / "missing")), now=NOW)
    assert keys(found.hits) == ["k"]
    (told,) = found.unread
    assert "/folder" in told
    with pytest.raises(InputError):
        find_learnings(Stores((tmp_path / "folder",)))


def test_lines_of_another_project_that_give_no_row_are_told(tmp_path: Path) -> None:
    own, other = store(tmp_path / "a", ["{"]), store(tmp_path / "b", ["[]", json.dumps(a_row("k"))])
    assert find_learnings(Stores((own,), (other,))).left_out == {own: (1, 1), other: (1, 1)}


def test_the_public_name_answers(tmp_path: Path) -> None:
    path = store(tmp_path / "store", [a_row("k", "cache", files=["a.py"], source="observed")])
    (hit,) = spexsearch.search_learnings(path, "cache", now=0)
    assert hit == spexsearch.LearningHit(
        "k", "pattern", "cache", 5, "observed", "2026-05-01T00:00:00Z", ("a.py",), False
    )


# Whatever the store.

WORDS = ["cache", "caches", "line", "guideline", "queue", "重试", "é", "réparateur", "Line", "c++", "k_1"]
TEXT = st.lists(st.sampled_from([*WORDS, "\n", "\\", '"']), max_size=5).map(" ".join)
ANYTHING = st.one_of(st.none(), st.booleans(), st.integers(-3, 20), st.floats(), st.text(max_size=3), st.just([]))
DATES = st.sampled_from(["2026-05-01", "2026-05-02", "2026-05-02T00:00:00+01:00", "2026-05-03T12:00:00Z"])


def one_or_anything(usual: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 7).flatmap(lambda number: usual if number else ANYTHING)


ROWS = st.fixed_dictionaries(
    {
        "key": st.sampled_from(["a", "b", "cache-line", "k_1"]),
        "type": st.sampled_from([*TYPES[:2], "constructor", "__proto__"]),
    },
    optional={
        "insight": one_or_anything(TEXT),
        "ts": one_or_anything(DATES),
        "confidence": one_or_anything(st.integers(1, 10)),
        "source": one_or_anything(st.sampled_from(["observed", "user-stated"])),
        "trusted": one_or_anything(st.booleans()),
        "files": one_or_anything(st.lists(st.sampled_from(["src/line.py", "cache/a.py"]), max_size=2)),
        "_score": ANYTHING,
    },
)
BROKEN = st.one_of(
    st.sampled_from(
        ["{", "[]", "null", "42", '"cache"', '{"key": "a"}', '{"type": "pattern", "key": 5}', "", "\ud800"]
    ),
    st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=20),
)
LINES = st.lists(
    st.one_of(ROWS.map(json.dumps), ROWS.map(lambda row: json.dumps(row, ensure_ascii=False)), BROKEN), max_size=12
)
QUERIES = st.lists(st.sampled_from([*WORDS, "in", "e", "\\", "zebra"]), max_size=4).map(" ".join)
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

Pair = tuple[str, str]


def newest_rows(lines: Sequence[str]) -> dict[Pair, Row]:
    """The newest row of each key and type, told without a word of the code under test."""
    found: dict[Pair, tuple[float, Row]] = {}
    for line in lines:
        try:
            row = json.loads(line, parse_constant=lambda constant: 1 / 0)
        except (ValueError, ZeroDivisionError):
            continue
        if not isinstance(row, dict) or not all(isinstance(row.get(n), str) and row[n] for n in ("key", "type")):
            continue
        try:
            moment = datetime.fromisoformat(row.get("ts", ""))
            age = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (TypeError, ValueError):
            age = float("-inf")
        pair = (row["key"], row["type"])
        if pair not in found or age >= found[pair][0]:
            found[pair] = (age, row)
    return {pair: row for pair, (_, row) in found.items()}


def fields(row: Row) -> list[str]:
    insight, files = row.get("insight"), row.get("files")
    paths = [path for path in files if isinstance(path, str)] if isinstance(files, list) else []
    return [row["key"], insight if isinstance(insight, str) else "", *paths]


def found_in(tmp_path: Path, lines: Sequence[str], query: str, limit: int = 1000) -> list[LearningHit]:
    return search_learnings(store(tmp_path / "store", lines), query, limit, now=NOW)


def pairs(hits: Iterable[LearningHit]) -> list[Pair]:
    return [(hit.key, hit.type) for hit in hits]


@quick
@given(LINES, QUERIES)
def test_a_what_appears_is_plain_substring_recall_over_the_newest_rows(
    tmp_path: Path, lines: list[str], query: str
) -> None:
    tokens = query.casefold().split()
    wanted = {
        pair
        for pair, row in newest_rows(lines).items()
        if not tokens or any(token in field.casefold() for token in tokens for field in fields(row))
    }
    found = find_learnings(Stores((store(tmp_path / "store", lines),)), query, 1000, now=NOW)
    assert set(pairs(found.hits)) == wanted
    assert found.matched == len(found.hits) == len(wanted)
    first = find_learnings(Stores((tmp_path / "store",)), query, 2, now=NOW)
    assert (first.hits, first.matched) == (found.hits[:2], len(wanted))


@quick
@given(LINES, st.lists(st.sampled_from(["cache", "line", "queue", "réparateur"]), min_size=1, max_size=4, unique=True))
def test_b_who_says_every_word_is_never_behind_who_says_fewer(
    tmp_path: Path, lines: list[str], tokens: list[str]
) -> None:
    counts = []
    for hit in found_in(tmp_path, lines, " ".join(tokens)):
        words = hit.insight.casefold().replace("\n", " ").replace("\\", " ").replace('"', " ").split()
        counts.append(sum(any(f"{token}{end}" in words for end in ("", "s")) for token in tokens))
    assert all(earlier >= later for earlier, later in pairwise(counts))


@quick
@given(
    st.lists(st.sampled_from(["alpha", "beta", "gamma"]), min_size=1, unique=True),
    st.lists(st.tuples(ROWS, st.integers(0, 2)), min_size=1, max_size=25),
    st.integers(1, 5),
)
def test_c_rows_that_answer_less_never_push_it_off_the_page(
    tmp_path: Path, tokens: list[str], others: list[tuple[Row, int]], limit: int
) -> None:
    rows = [a_row("target", " ".join(tokens), confidence=1, ts="2000-01-01", source="observed")]
    for number, (row, missing) in enumerate(others):
        lost = tokens[missing % len(tokens)]
        said = " ".join([*(token for token in tokens if token != lost), f"{lost}ish"] * 3)
        rows.append(row | LATER | {"key": f"{'-'.join(tokens)}-{number}", "insight": said})
    assert found_in(tmp_path, [json.dumps(row) for row in rows], " ".join(tokens), limit)[0].key == "target"


@quick
@given(LINES, st.one_of(BROKEN, ROWS.map(json.dumps)), st.integers(0, 12), QUERIES)
def test_d_no_line_changes_whether_a_row_of_another_key_and_type_appears(
    tmp_path: Path, lines: list[str], line: str, at: int, query: str
) -> None:
    own = set(newest_rows([line]))
    before = [hit for hit in found_in(tmp_path, lines, query) if (hit.key, hit.type) not in own]
    after = [
        hit for hit in found_in(tmp_path, [*lines[:at], line, *lines[at:]], query) if (hit.key, hit.type) not in own
    ]
    assert after == before


@quick
@given(LINES, QUERIES, st.randoms(use_true_random=False))
def test_the_order_depends_on_nothing_but_the_rows(tmp_path: Path, lines: list[str], query: str, random: Any) -> None:
    # Of two rows of one age and key the later counts, so only one of each is turned about.
    rows = [json.dumps(row) for row in newest_rows(lines).values()]
    hits = found_in(tmp_path, rows, query)
    random.shuffle(rows)
    assert found_in(tmp_path, rows, query) == hits


@quick
@given(LINES, QUERIES)
def test_rows_of_others_are_all_and_only_the_trusted(tmp_path: Path, lines: list[str], query: str) -> None:
    # One that is trusted and says the query is always among them.
    sure = {"key": "sure", "type": "pitfall", "insight": query, "confidence": 9, "trusted": True, **LATER}
    lines = [*lines, json.dumps(sure)]
    trusted = [line for line in lines if any(row.get("trusted") is True for row in newest_rows([line]).values())]
    both = Stores((store(tmp_path / "own", lines),), (store(tmp_path / "other", lines),))
    found = search_learnings(both, query, 1000, now=NOW)
    assert [hit for hit in found if not hit.cross_project] == found_in(tmp_path, lines, query)
    assert pairs(hit for hit in found if hit.cross_project) == pairs(found_in(tmp_path, trusted, query))
