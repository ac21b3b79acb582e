"""Where a job reads its results, read back as GitHub's runner reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.actions.log import LARGEST_SUMMARY, add_to_summary, obeyed, room_in, say, set_outputs
from spexsearch.errors import UsageError
from spexsearch.render.github import command

Read = Callable[[str], Any]


@given(st.text(st.characters(exclude_characters="\r", codec="utf-8")))
def test_a_value_stays_in_its_output(tmp_path_factory: pytest.TempPathFactory, read_back: Read, value: str) -> None:
    file = tmp_path_factory.getbasetemp() / "outputs"
    file.write_bytes(b"")
    set_outputs(file, {"one": value, "two": "2"})
    assert read_back(file.read_bytes().decode()) == {"one": value, "two": "2"}


def test_what_ends_an_output_is_never_the_same(tmp_path: Path) -> None:
    file = tmp_path / "outputs"
    set_outputs(file, {"a": "1", "b": "2"})
    set_outputs(file, {"c": "end-\na<<b"})
    marks = [line.partition("<<")[2] for line in file.read_text().splitlines() if line[1:3] == "<<"]
    assert len(set(marks) - {"b"}) == 3
    assert all(len(mark) == 36 for mark in marks if mark != "b")


def test_printed_text_is_never_obeyed(capsys: pytest.CaptureFixture[str], commands_in: Read) -> None:
    say("::error::x\n::stop-commands::y\n##[error]z\n\n")
    say("")
    obeyed(command("notice", "50 %\n::error::x"))
    out = capsys.readouterr().out
    assert commands_in(out) == [("notice", {}, "50 %\\n::error::x")]
    assert out.count("::stop-commands::") == 2
    token = out.partition("::stop-commands::")[2].partition("\n")[0]
    say("again")
    assert token not in capsys.readouterr().out


def test_a_summary_has_only_so_much_room(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    assert room_in(None) == room_in(file) == LARGEST_SUMMARY < 1 << 20
    add_to_summary(file, "é")
    add_to_summary(None, "x")
    assert file.read_bytes() == "é\n".encode()
    assert room_in(file) == LARGEST_SUMMARY - 3


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        add_to_summary(tmp_path / "none" / "summary", "x")
