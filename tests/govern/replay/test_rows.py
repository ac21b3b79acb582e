"""Rows as lines: what is written is read again, and nothing else passes for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.govern.replay.rows import Row, from_line, is_torn, to_line

names = st.text(st.characters(codec="utf-8"), max_size=8) | st.just(".spec/\udc80/spec.md")
paths = st.lists(names, unique=True, max_size=4).map(lambda found: tuple(sorted(found)))
rows = st.builds(Row, names, names, paths, paths, paths, st.dictionaries(names, st.floats(0, 2, width=32)))


@given(rows)
def test_a_line_gives_its_row_again(row: Row) -> None:
    line = to_line(row)
    assert line.isascii()
    assert line.count("\n") == 1
    assert from_line(line.encode()) == row
    assert to_line(from_line(line.encode()) or row) == line


@given(rows, st.data())
def test_the_beginning_of_a_line_is_torn_and_no_row(row: Row, data: st.DataObject) -> None:
    line = to_line(row).encode()
    cut = line[: data.draw(st.integers(0, len(line) - 2))]
    assert is_torn(cut)
    assert from_line(cut) is None


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"{}",
        b'{"errors": [], "gold": [], "parent": "p", "scores": {}, "unit": "u"}',
        b'{"errors": [1], "gold": [], "parent": "p", "scores": {}, "unit": "u", "warnings": []}',
        b'{"errors": [], "gold": [], "parent": "p", "scores": {"a": "b"}, "unit": "u", "warnings": []}',
        b'{"errors": [], "gold": [], "parent": "p", "scores": {"a": true}, "unit": "u", "warnings": []}',
        b'{"errors": [], "gold": [], "parent": 1, "scores": {}, "unit": "u", "warnings": []}',
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_what_is_no_row_is_none(line: bytes) -> None:
    assert from_line(line) is None


def test_other_text_is_not_torn() -> None:
    assert not is_torn(b"# Notes")
    assert not is_torn(b'{"parent')
    assert is_torn(b'{"error')
    assert is_torn(b"")
