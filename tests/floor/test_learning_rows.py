"""Stores as they are found: what is read of a broken line, what is left out, and which row of a key is the newest."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spexsearch.errors import InputError
from spexsearch.floor.learning_rows import MAX_LINE, MAX_STORE, Project
from spexsearch.floor.learnings import Found, LearningHit, Stores, find_learnings

GOOD = {"ts": "2026-05-01T00:00:00Z", "type": "pattern", "key": "good", "insight": "fine", "confidence": 5}
NOW = 1_780_000_000.0

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a store of lines: dicts as JSON, texts and bytes as they are."""

    def go(*lines: dict[str, Any] | str | bytes, end: bytes = b"\n", name: str = "store") -> Path:
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(b"\n".join(as_bytes(line) for line in lines) + end)
        return path

    return go


def as_bytes(line: dict[str, Any] | str | bytes) -> bytes:
    if isinstance(line, dict):
        line = json.dumps(line)
    return line.encode() if isinstance(line, str) else line


def find(path: Path, query: str = "", limit: int = 1000) -> Found:
    return find_learnings(Stores((path,)), query, limit, now=NOW)


def keys(found: Found) -> list[str]:
    return [hit.key for hit in found.hits]


LEFT_OUT = [
    "{not json",
    "[]",
    "null",
    "42",
    '"a text"',
    "true",
    "{}",
    '{"key": "no-type"}',
    '{"type": "pattern"}',
    '{"key": "", "type": "pattern"}',
    '{"key": "a", "type": ""}',
    '{"key": 5, "type": "pattern"}',
    '{"key": "a", "type": ["pattern"]}',
    '{"key": null, "type": null}',
    '{"key": "a", "type": "pattern"} {"key": "b", "type": "pattern"}',
    '{"key": "a", "type": "pattern"},',
    '{"key": "a", "type": "pattern", "confidence": NaN}',
    '{"key": "a", "type": "pattern", "confidence": -Infinity}',
    '{"key": "a", "type": "pattern", "insight": "a\x00b"}',
    '{"key": "a", "type": "pattern", "insight": "a\tb"}',
    '{"key": "a", "type": "pattern", "insight": "a',
    '{"key": "a", "type": "pattern", "insight": "\\x41"}',
    "\x00",
    "\ufeff",
    b"\xff\xfe\x00",
    "[" * 100_000,
    '{"key":' * 50_000,
    '{"key": "a", "type": "pattern", "n": ' + "9" * 5000 + "}",
    '{"key": "a", "type": "pattern", "insight": "' + "x" * MAX_LINE + '"}',
    '{"key": "a", "type": "pattern"}' + " " * MAX_LINE + "x",
]


@pytest.mark.parametrize("line", LEFT_OUT, ids=range(len(LEFT_OUT)))
@pytest.mark.parametrize("place", ["first", "between", "last"])
def test_a_line_that_gives_no_row_is_counted_and_hides_nothing(line: str | bytes, place: str, write: Write) -> None:
    lines: list[Any] = [GOOD, GOOD | {"key": "other"}]
    at = {"first": 0, "between": 1, "last": 2}[place]
    path = write(*lines[:at], line, *lines[at:])
    found = find(path)
    assert keys(found) == ["good", "other"]
    if line != "\ufeff" or place != "first":  # there it is the sign of an encoding
        assert found.left_out == {path: (1, at + 1)}


def test_all_that_is_left_out_is_counted_and_the_first_is_told(write: Write) -> None:
    path = write(GOOD, "", " \t", "{", GOOD | {"key": "b"}, "[]", "x\r")
    assert find(path).left_out == {path: (3, 4)}


@pytest.mark.parametrize("end", [b"\n", b"", b"\r\n", b"\n\n\n", b"  \n"])
def test_a_last_line_is_a_line_however_it_ends(end: bytes, write: Write) -> None:
    found = find(write(GOOD, GOOD | {"key": "last"}, end=end))
    assert keys(found) == ["good", "last"]
    assert found.left_out == {}


def test_windows_line_ends_a_byte_order_mark_and_blanks_around_a_row_are_nothing(write: Write) -> None:
    row = json.dumps(GOOD).encode()
    found = find(write(b"\xef\xbb\xbf" + row + b"\r", b" \t" + row.replace(b"good", b"other") + b" \r"))
    assert keys(found) == ["good", "other"]
    assert found.left_out == {}


def test_a_line_as_long_as_may_be_is_read(write: Write) -> None:
    row = json.dumps(GOOD).encode()
    room = MAX_LINE - len(row) - 1
    assert keys(find(write(row[:-1] + b" " * room + b"}"))) == ["good"]
    assert keys(find(write(row[:-1] + b" " * (room + 1) + b"}"))) == []


@pytest.mark.parametrize(
    "type_", ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty", "a|b", " ", "\n"]
)
def test_a_type_is_any_text(type_: str, write: Write) -> None:
    assert [(hit.key, hit.type) for hit in find(write(GOOD | {"type": type_})).hits] == [("good", type_)]


def test_bytes_that_are_no_utf8_are_kept_as_bytes(write: Write) -> None:
    row = json.dumps(GOOD).encode().replace(b"fine", b"f\xffne")
    (hit,) = find(write(row)).hits
    assert hit.insight == "f\udcffne"


def only(write: Write, **fields: object) -> LearningHit:
    (hit,) = find(write(GOOD | fields)).hits
    return hit


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        (5, 5),
        (0, 0),
        (10, 10),
        (11, 10),
        (10**30, 10),
        (-3, 0),
        (7.5, 7.5),
        (8.0, 8),
        ("9", 9),
        ("7.5", 7.5),
        ("high", 5),
        ("nan", 5),
        ("inf", 10),
        ("", 5),
        (True, 5),
        (None, 5),
        ([9], 5),
        ({}, 5),
    ],
)
def test_a_confidence_is_a_number_from_0_to_10_as_far_as_it_says_one(
    stored: object, read: object, write: Write
) -> None:
    found = only(write, confidence=stored).confidence
    assert (found, type(found)) == (read, type(read))


def test_a_number_beyond_all_numbers_is_the_highest(write: Write) -> None:
    (hit,) = find(write('{"key": "a", "type": "pattern", "confidence": 1e999}')).hits
    assert hit.confidence == 10


def test_a_row_without_confidence_has_that_of_the_gstack_tools(write: Write) -> None:
    (hit,) = find(write({"type": "pattern", "key": "bare"})).hits
    assert hit == LearningHit("bare", "pattern", "", 5, None, None, (), False)


@pytest.mark.parametrize("files", ["a.py", {"a.py": 1}, 5, None, True])
def test_files_that_are_no_list_are_none(files: object, write: Write) -> None:
    assert only(write, files=files).files == ()


def test_what_is_no_text_among_files_is_passed_over(write: Write) -> None:
    assert only(write, files=["a.py", 5, None, ["b.py"], "c.py"]).files == ("a.py", "c.py")


@pytest.mark.parametrize("insight", [5, None, ["fine"], {"a": "fine"}])
def test_an_insight_that_is_no_text_says_nothing(insight: object, write: Write) -> None:
    assert only(write, insight=insight).insight == ""


@pytest.mark.parametrize("source", [5, None, ["observed"], ""])
def test_a_source_that_is_no_text_is_not_known(source: object, write: Write) -> None:
    assert only(write, source=source).source is None


@pytest.mark.parametrize("ts", ["never", "", "2026-13-01", "2026-05-01T25:00:00Z", 5, None, ["2026-05-01"], "\ud800"])
def test_a_date_that_is_none_is_not_known(ts: object, write: Write) -> None:
    assert only(write, ts=ts).ts is None


@pytest.mark.parametrize(
    "ts",
    ["2026-05-01", "2026-05-01T00:00:00.123456789Z", "2026-05-01 10:00", "0001-01-01T00:00:00+23:59", "9999-12-31"],
)
def test_a_date_stays_as_it_is_written(ts: str, write: Write) -> None:
    assert only(write, ts=ts).ts == ts


@pytest.mark.parametrize(
    "name", ["_score", "_effectiveConfidence", "_crossProject", "cross_project", "__proto__", "_key"]
)
@pytest.mark.parametrize("value", [999, True, "x", [], {"confidence": 99}])
def test_no_other_field_reaches_what_is_shown_or_its_order(name: str, value: object, write: Write) -> None:
    rows = [GOOD | {"key": key} for key in "abc"]
    plain = find(write(*rows))
    assert keys(plain) == ["a", "b", "c"]
    assert find(write(rows[0], rows[1], {name: value} | rows[2] | {name: value})).hits == plain.hits


# Which row of a key is the newest.


def said(found: Found) -> list[str]:
    return [hit.insight for hit in found.hits]


OLD, NEW = GOOD | {"insight": "old"}, GOOD | {"insight": "new"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2026-05-01T00:00:00Z", "2026-05-01T00:00:01Z"),
        ("2026-05-01T10:00:00+02:00", "2026-05-01T09:00:00Z"),
        ("2026-05-01", "2026-05-01T00:00:00.001"),
        ("never", "1970-01-01"),
        (None, "0001-01-01"),
    ],
)
def test_the_newest_row_of_a_key_and_type_counts_wherever_it_stands(old: object, new: object, write: Write) -> None:
    rows = (OLD | {"ts": old}, NEW | {"ts": new})
    assert said(find(write(*rows))) == ["new"]
    assert said(find(write(*rows[::-1]))) == ["new"]


@pytest.mark.parametrize("ts", ["2026-05-01T00:00:00Z", "never", None])
def test_of_rows_of_one_age_the_later_counts(ts: object, write: Write) -> None:
    assert said(find(write(OLD | {"ts": ts}, NEW | {"ts": ts}))) == ["new"]


def test_a_row_that_is_superseded_is_not_found_by_what_it_said(write: Write) -> None:
    path = write(OLD, NEW | {"ts": "2026-05-02"}, OLD | {"key": "other"})
    assert keys(find(path, "old")) == ["other"]
    assert find(path, "old").matched == 1
    assert keys(find(path, "new")) == ["good"]


def test_another_type_or_key_is_another_row_even_where_the_two_read_alike(write: Write) -> None:
    rows = [GOOD | {"key": key, "type": type_} for key, type_ in [("a|b", "c"), ("a", "b|c"), ("A", "b|c"), ("a", "c")]]
    assert len(find(write(*rows)).hits) == 4


def test_files_of_one_project_are_one_store_the_later_being_newer(write: Write) -> None:
    paths = (write(OLD, GOOD | {"key": "a"}, name="a"), write(NEW, GOOD | {"key": "b"}, name="b"))
    found = find_learnings(Stores(paths), now=NOW)
    assert [(hit.key, hit.insight) for hit in found.hits] == [("a", "fine"), ("b", "fine"), ("good", "new")]


# What a store may be.


def test_a_store_that_is_not_there_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "missing.jsonl", tmp_path / "no" / "folder.jsonl", tmp_path / "file" / "below.jsonl"):
        assert find(path) == Found((), 0, {}, ())


def test_an_empty_store_has_no_rows(write: Write) -> None:
    assert find(write(end=b"")) == Found((), 0, {}, ())


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(InputError, match=f"{tmp_path.name}/{name} (is no regular file|cannot be read)") as caught:
            find(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_a_store_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with path.open("wb") as stream:
        stream.truncate(MAX_STORE + 1)
    with pytest.raises(InputError, match="is larger than 256 MiB; take old rows out"):
        find(path)
    path.write_bytes(b"{}\n")
    with pytest.raises(InputError, match="is larger than 0 MiB"):
        Project(lambda *_: (0.0,)).read(path, 2)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_store_that_may_not_be_read_is_an_error(write: Write) -> None:
    path = write(GOOD)
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be read"):
        find(path)


def test_a_line_of_a_hundred_megabytes_is_one_row_left_out(write: Write) -> None:
    path = write(GOOD, b'{"key": "a", "type": "b", "insight": "' + b"x" * 100_000_000 + b'"}', GOOD | {"key": "z"})
    found = find(path)
    assert keys(found) == ["good", "z"]
    assert found.left_out == {path: (1, 2)}
