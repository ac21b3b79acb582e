"""Learnings recorded: what is refused, and that every row stands there whole, whoever else is writing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spexsearch.errors import InputError, UsageError
from spexsearch.floor.learning_append import SOURCES, append_row, new_row
from spexsearch.floor.learnings import TYPES, search_learnings

GOOD: dict[str, Any] = {
    "type_": "pitfall",
    "key": "retry-needs-jitter",
    "insight": "Retries without jitter arrive together",
    "confidence": 8,
    "source": "observed",
}


@pytest.fixture
def a_store(tmp_path: Path) -> Path:
    return tmp_path / ".spec" / "learnings.jsonl"


def test_a_row_is_what_the_format_says(monkeypatch: pytest.MonkeyPatch, a_store: Path) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780272000")
    append_row(a_store, new_row(**GOOD, files=["src/client.py"]))
    assert a_store.read_text(encoding="utf-8") == (
        '{"ts": "2026-06-01T00:00:00.000Z", "skill": "spex", "type": "pitfall", "key": "retry-needs-jitter",'
        ' "insight": "Retries without jitter arrive together", "confidence": 8, "source": "observed", "trusted": false,'
        ' "files": ["src/client.py"]}\n'
    )
    (hit,) = search_learnings(a_store)
    assert (hit.key, hit.confidence, hit.ts) == ("retry-needs-jitter", 8, "2026-06-01T00:00:00.000Z")


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("source", SOURCES)
def test_only_what_a_user_stated_is_trusted(type_: str, source: str) -> None:
    row = new_row(**GOOD | {"type_": type_, "source": source})
    assert (row["type"], row["source"]) == (type_, source)
    assert row["trusted"] is (source == "user-stated")


@pytest.mark.parametrize(
    ("field", "wrong", "told"),
    [
        ("type_", "gotcha", "'gotcha' is no type of learning; the types are pattern, pitfall, preference"),
        ("type_", "constructor", "is no type of learning"),
        ("type_", "Pitfall", "is no type of learning"),
        ("source", "user", "'user' is no source of a learning; the sources are observed, user-stated"),
        ("key", "", "is not made of"),
        ("key", "two words", "write it like retry-needs-jitter"),
        ("key", "a\n", "is not made of"),
        ("key", "schlüssel", "is not made of"),
        ("key", "a.b", "is not made of"),
        ("confidence", 0, "the confidence 0 is not from 1 to 10"),
        ("confidence", 11, "is not from 1 to 10"),
        ("insight", "", "the insight is empty"),
        ("insight", " \n\t", "the insight is empty"),
    ],
)
def test_what_may_not_be_stored_is_refused(field: str, wrong: object, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        new_row(**GOOD | {field: wrong})
    assert told in str(caught.value)


@pytest.mark.parametrize("key", ["a", "A-Z_09", "-", "_private", "x" * 200])
def test_keys_that_may_be(key: str) -> None:
    assert new_row(**GOOD | {"key": key})["key"] == key


@pytest.mark.parametrize("confidence", [1, 10])
def test_confidences_that_may_be(confidence: int) -> None:
    assert new_row(**GOOD | {"confidence": confidence})["confidence"] == confidence


def test_an_insight_becomes_one_line(a_store: Path) -> None:
    append_row(a_store, new_row(**GOOD | {"insight": "  two\r\nlines\tand  more\u2028 "}))
    assert [hit.insight for hit in search_learnings(a_store)] == ["two lines and more"]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"insight": "\udcff"}, "bytes that are no UTF-8"),
        ({"insight": "x" * (1 << 20)}, "longer than 1 MiB"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(row: dict[str, object], told: str, a_store: Path) -> None:
    with pytest.raises(UsageError, match=told):
        append_row(a_store, row)
    assert not a_store.exists()


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).filter(str.strip)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(insight=ANY_TEXT, left=st.binary(max_size=40), files=st.lists(ANY_TEXT, max_size=2))
def test_whatever_stands_there_a_row_that_is_added_is_read_again(
    a_store: Path, insight: str, left: bytes, files: list[str]
) -> None:
    a_store.parent.mkdir(exist_ok=True)
    a_store.write_bytes(left)
    row = new_row(**GOOD | {"insight": insight}, files=files)
    append_row(a_store, row)
    append_row(a_store, row | {"key": "second"})
    assert a_store.read_bytes().startswith(left)
    by_key = {hit.key: hit for hit in search_learnings(a_store, limit=100)}
    assert by_key[GOOD["key"]].insight == by_key["second"].insight == row["insight"]
    assert by_key["second"].files == tuple(files)


def test_a_line_that_was_left_unfinished_is_not_continued(a_store: Path) -> None:
    a_store.parent.mkdir()
    a_store.write_text('{"key": "torn", "type": "patt')
    append_row(a_store, new_row(**GOOD))
    lines = a_store.read_text(encoding="utf-8").split("\n")
    assert lines[0] == '{"key": "torn", "type": "patt'
    assert json.loads(lines[1])["key"] == GOOD["key"]
    assert lines[2:] == [""]


def test_what_stands_there_is_neither_changed_nor_given_other_rights(a_store: Path) -> None:
    append_row(a_store, new_row(**GOOD))
    a_store.chmod(0o640)
    before = a_store.read_bytes()
    append_row(a_store, new_row(**GOOD))
    assert a_store.read_bytes().startswith(before)
    assert a_store.stat().st_mode & 0o777 == 0o640


def test_what_is_no_regular_file_is_not_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "target").touch()
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "dangling").symlink_to("nothing")
    for name in ("pipe", "folder", "link", "dangling", "target/below"):
        with pytest.raises(InputError, match="cannot be written") as caught:
            append_row(tmp_path / name, new_row(**GOOD))
        assert "\n" not in str(caught.value)
    assert (tmp_path / "target").read_bytes() == b""
    assert not (tmp_path / "nothing").exists()


WRITER = """\
import sys
from pathlib import Path
from spexsearch.floor.learning_append import append_row, new_row
store, writer, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
sys.stdin.readline()
for number in range(count):
    append_row(store, new_row("tool", f"{writer}-{number}", "x" * (number * 997 % 20_000) + "!", 5, "observed"))
"""
# What the gstack tools do: a line, in append mode, without asking for the lock.
OTHER = """\
import sys
store, writer, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.stdin.readline()
for number in range(count):
    with open(store, "ab", buffering=0) as stream:
        stream.write(b'{"type": "tool", "key": "%s-%d", "insight": "%s!"}\\n' % (writer.encode(), number, b"y" * 5000))
"""


def test_processes_that_add_at_once_lose_and_tear_nothing(a_store: Path) -> None:
    count = 40
    writers = [
        subprocess.Popen([sys.executable, "-c", program, str(a_store), f"w{number}", str(count)], stdin=subprocess.PIPE)
        for number, program in enumerate([WRITER] * 6 + [OTHER] * 2)
    ]
    a_store.parent.mkdir()
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.close()  # the sign to begin, for all at once
    assert [writer.wait(timeout=120) for writer in writers] == [0] * len(writers)
    rows = [json.loads(line) for line in a_store.read_bytes().splitlines()]
    wanted = [f"w{writer}-{number}" for writer in range(len(writers)) for number in range(count)]
    assert sorted(row["key"] for row in rows) == sorted(wanted)
    assert all(row["insight"].endswith("!") for row in rows)


def test_a_line_that_comes_in_between_is_not_written_over(a_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append_row(a_store, new_row(**GOOD))
    read = os.read

    def read_while_another_appends(descriptor: int, length: int) -> bytes:
        with a_store.open("ab") as stream:
            stream.write(b'{"type": "tool", "key": "between"}\n')
        return read(descriptor, length)

    monkeypatch.setattr(os, "read", read_while_another_appends)
    append_row(a_store, new_row(**GOOD | {"key": "after"}))
    monkeypatch.undo()
    assert {hit.key for hit in search_learnings(a_store)} == {GOOD["key"], "between", "after"}


def test_a_line_that_is_still_being_written_is_not_parted(a_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_store.parent.mkdir()
    pages = [b'{"type": "tool", "key": ', b'"between"', b"}\n"]
    a_store.write_bytes(pages.pop(0))

    def write_on(_: float) -> None:
        with a_store.open("ab") as stream:
            stream.write(pages.pop(0))

    monkeypatch.setattr(time, "sleep", write_on)
    append_row(a_store, new_row(**GOOD))
    assert [json.loads(line)["key"] for line in a_store.read_bytes().splitlines()] == ["between", GOOD["key"]]


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks there")
def test_a_row_waits_for_one_that_is_being_added(a_store: Path) -> None:
    import fcntl

    append_row(a_store, new_row(**GOOD))
    with a_store.open("ab", buffering=0) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(a_store), "w", "1"], stdin=subprocess.PIPE)
        assert writer.stdin is not None
        writer.stdin.close()
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(timeout=2)
        held.write(b'{"type": "tool", "key": "half')
        held.write(b'", "insight": "whole"}\n')
    assert writer.wait(timeout=60) == 0
    assert {hit.key for hit in search_learnings(a_store)} == {GOOD["key"], "half", "w-0"}


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files there")
def test_a_row_that_found_no_room_is_an_error(a_store: Path) -> None:
    import resource

    append_row(a_store, new_row(**GOOD))
    size = a_store.stat().st_size
    program = (
        "import resource, signal, sys\nfrom pathlib import Path\n"
        "from spexsearch.floor.learning_append import append_row, new_row\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size + 20}, {resource.RLIM_INFINITY}))\n"
        "try:\n    append_row(Path(sys.argv[1]), new_row('tool', 'k', 'x', 5, 'observed'))\n"
        "except Exception as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(a_store)], capture_output=True, text=True, check=True)
    assert "cannot be written (only a part of the row had room" in done.stdout
    append_row(a_store, new_row(**GOOD | {"key": "after"}))
    assert {hit.key for hit in search_learnings(a_store)} == {GOOD["key"], "after"}
