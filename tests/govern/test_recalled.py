"""Which recorded learnings a change calls up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spexsearch.errors import InputError
from spexsearch.govern.recalled import MAX_NAMES, MAX_STORE, recalled
from spexsearch.govern.report import Recalled, ReportedChange

Call = Callable[..., list[str]]


def a_change(path: str = "src/a.py", *units: str, kind: str = "code", old_path: str | None = None) -> ReportedChange:
    return ReportedChange("M", path, old_path, False, kind, "behaviour", (1,), (), units)


def a_row(key: str, insight: str = "", **fields: Any) -> dict[str, Any]:
    plain = {"ts": "2026-05-01T00:00:00Z", "type": "pitfall", "confidence": 5, "source": "user-stated", "files": []}
    return plain | {"key": key, "insight": insight} | fields


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """The keys of what changes call up among these rows."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780272000")

    def go(changes: ReportedChange | list[ReportedChange], *rows: dict[str, Any], most: int = 3) -> list[str]:
        path = tmp_path / "store"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        given = changes if isinstance(changes, list) else [changes]
        return [learning.key for learning in recalled(given, [path], most)]

    return go


@pytest.mark.parametrize("file", ["src/a.py", "./src/a.py"])
def test_a_learning_that_names_a_changed_file_is_called_up(file: str, call: Call) -> None:
    rows = [a_row("it", files=["other.py", file]), a_row("none", files=["src/a.pyx", "a.py", "src", "src/"])]
    assert call(a_change("src/a.py"), *rows) == ["it"]
    assert call(a_change("src/b.py", old_path="src/a.py"), *rows) == ["it"]
    assert call(a_change("src/a.py", kind="doc"), *rows) == ["it"]
    assert call(a_change("src/c.py"), *rows) == []


def test_an_accent_in_a_path_may_be_written_either_way(call: Call) -> None:
    assert call(a_change("caf\u00e9.py"), a_row("it", files=["cafe\u0301.py"])) == ["it"]


@pytest.mark.parametrize(
    ("unit", "insight"),
    [
        ("renew", "Never renew twice"),
        ("renew", "`renew()` and session.Renew are one"),
        ("renew", "a session that is renewed"),
        ("_renew", "renew is called by the timer"),
        ("Session.renew", "Never renew twice"),
        ("renew_session", "renew_session() holds a lock"),
        ("renew_session", "Sessions are renewed by the timer"),
        ("renewSession", "renewSession holds a lock"),
        ("RenewSession", "a session must renew itself"),
        ("Session.renew_now", "renewed now or never"),
        ("проверка", "эта проверка медленна"),
        ("会话", "更新会话时"),
    ],
)
def test_a_learning_that_speaks_of_a_changed_unit_is_called_up(unit: str, insight: str, call: Call) -> None:
    rows = [a_row("it", insight), a_row("none", "Caches lie about their age")]
    assert call(a_change("src/a.py", unit), *rows) == ["it"]


@pytest.mark.parametrize(
    ("unit", "insight"),
    [
        ("renew", "renewal is not a form of it"),
        ("renew_session", "Sessions end at midnight"),
        ("renewSession2", "Sessions end at midnight, twice"),
        ("Session.renew", "Sessions end at midnight"),
        ("get_x", "get it right"),
        ("get", "get it right"),
        ("__init__", "__init__ and init are everywhere"),
        ("for", "for what it is worth"),
        ("x", "x marks the spot"),
        ("the", "the end"),
    ],
)
def test_and_one_that_does_not_is_not(unit: str, insight: str, call: Call) -> None:
    assert call(a_change("src/b.py", unit), a_row("none", insight)) == []


def test_only_the_insight_speaks_of_units(call: Call) -> None:
    assert call(a_change("src/b.py", "renew"), a_row("renew", "Caches lie", files=["renew.py"], skill="renew")) == []


@pytest.mark.parametrize("kind", ["spec", "generated", "doc"])
def test_units_of_what_is_no_code_ask_for_nothing(kind: str, call: Call) -> None:
    assert call(a_change("src/b.py", "renew", kind=kind), a_row("none", "Never renew twice")) == []


def test_files_then_units_then_confidence_then_age_then_key(call: Call) -> None:
    changes = [a_change("a.py", "renew", "close"), a_change("b.py")]
    rows = [
        a_row("da", "renew", confidence=4),
        a_row("e", "renew"),
        a_row("d", "renew", ts="2026-05-02"),
        a_row("c", "renew and close", confidence=1, source="observed", ts="2020-01-01"),
        a_row("b", files=["a.py", "a.py"]),
        a_row("a", files=["a.py", "b.py"], confidence=1),
        a_row("bb", "renew", files=["a.py"], confidence=1),
    ]
    assert call(changes, *rows, most=9) == ["a", "bb", "b", "c", "d", "e", "da"]
    assert call(changes, *rows[::-1], most=9) == ["a", "bb", "b", "c", "d", "e", "da"]
    assert call(changes, *rows) == ["a", "bb", "b"]


def test_a_unit_counts_once_however_often_it_changed(call: Call) -> None:
    changes = [a_change("a.py", "A.renew", "B.renew"), a_change("b.py", "renew", "close")]
    rows = [a_row("a", "renew", confidence=9), a_row("b", "renew, then close")]
    assert call(changes, *rows) == ["b", "a"]


def test_the_row_that_is_shown_is_the_newest_and_decayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780272000")
    rows = [
        a_row("k", "renew, once"),
        a_row("k", "Never renew", ts="2026-05-02T00:00:00Z", source="observed", type="pitfall"),
        a_row("gone", "renew"),
        a_row("gone", "nothing", ts="2026-05-02"),
    ]
    path = tmp_path / "store"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert recalled([a_change("a.py", "renew")], [path, tmp_path / "missing"], 3) == (
        Recalled("k", "pitfall", "Never renew", 4),
    )


@pytest.mark.parametrize(
    "row",
    [
        {"key": "k", "type": "t", "insight": ["renew"], "files": "a.py"},
        {"key": "k", "type": "t", "insight": None, "files": {"a.py": 1}},
        {"key": "k", "type": "t", "files": [["a.py"], 5, None]},
    ],
)
def test_a_broken_row_calls_for_nothing_and_hides_nothing(row: dict[str, Any], call: Call) -> None:
    assert call(a_change("a.py", "renew"), row, a_row("it", "renew")) == ["it"]


def test_only_so_many_units_ask(call: Call) -> None:
    units = [f"unit{'abcdefghij'[number // 26]}{chr(97 + number % 26)}" for number in range(MAX_NAMES + 1)]
    change = a_change("a.py", *units)
    assert call(change, a_row("last", units[-2]), a_row("beyond", units[-1])) == ["last"]


def test_a_store_that_is_too_large_for_a_hook_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with path.open("wb") as stream:
        stream.truncate(MAX_STORE + 1)
    with pytest.raises(InputError, match="larger than 32 MiB"):
        recalled([a_change("a.py")], [path], 3)
