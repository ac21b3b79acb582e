"""Statuses, streams and arguments, seen from outside the process where it matters."""

from __future__ import annotations

import io
import os
import re
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from spexsearch.cli.common import ArgumentParser, Color, guarded, speaks, use_color
from spexsearch.errors import ExitCode, GitError, UsageError


def failing(error: BaseException) -> int:
    def run(_: list[str]) -> int:
        raise error

    return guarded(run, [], prog="spex")


def script(body: str) -> list[str]:
    """The command line of a program that runs `body` as a guarded command."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return [
        sys.executable,
        "-c",
        "import sys\nfrom spexsearch.cli.common import guarded\nfrom spexsearch.errors import UsageError\n"
        "def run(argv):\n"
        f"{lines}    return 0\nsys.exit(guarded(run, None, prog='spex'))",
    ]


def test_the_status_is_the_commands_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda argv: len(argv), ["a", "b"], prog="spex") == 2
    assert capsys.readouterr() == ("", "")


def test_an_error_of_ours_is_one_escaped_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert failing(GitError("no \x1b[31m such\nthing")) == ExitCode.CANNOT_JUDGE
    assert capsys.readouterr().err == "spex: no \\x1b[31m such\\nthing\n"


def test_an_interrupt_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert failing(KeyboardInterrupt()) == ExitCode.INTERRUPTED
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("error", [ValueError("odd\nthing"), RecursionError("deep"), MemoryError()])
def test_a_fault_is_one_line_and_a_private_file(
    error: Exception, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert failing(error) == ExitCode.FAULT
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert type(error).__name__ in said
    (log,) = tmp_path.iterdir()
    assert said.endswith(f"the traceback is in {log}\n")
    assert "Traceback" in log.read_text(encoding="utf-8")
    if os.name == "posix":
        assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_fault_is_reported_even_where_no_file_can_be_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    assert failing(ValueError("odd")) == ExitCode.FAULT
    assert re.fullmatch(r"spex: internal fault, ValueError: odd; .*TMPDIR.*\n", capsys.readouterr().err)


def test_endless_recursion_is_a_fault_not_a_crash(tmp_path: Path) -> None:
    command = script("def deeper(): return deeper()\ndeeper()")
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "RecursionError" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="a pipe without a reader is an error of its own kind elsewhere")
def test_a_pipe_without_a_reader_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(script("print('x' * 100_000)"), stdout=closed, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (ExitCode.BROKEN_PIPE, b"")


@pytest.mark.parametrize(
    ("encoding", "sent"), [("ascii", b"\\u4f1a \\xe9\n"), ("cp1252", b"\\u4f1a \xe9\n"), ("utf-8", "会 é\n".encode())]
)
def test_output_survives_any_encoding_and_ends_lines_alike(encoding: str, sent: bytes) -> None:
    environ = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    assert subprocess.run(script(r"print('\u4f1a \xe9')"), stdout=subprocess.PIPE, env=environ).stdout == sent


def test_a_closed_output_does_not_hide_the_status() -> None:
    command = script("import sys; sys.stdout = None; sys.stderr = None; raise UsageError('unheard')")
    assert subprocess.run(command).returncode == 2


def parser() -> ArgumentParser:
    made = ArgumentParser("spex try", description="A parser.")
    made.add_argument("words", nargs="*")
    made.add_argument("--json", action="store_true")
    made.add_argument("--limit", type=int)
    return made


@pytest.mark.parametrize("argv", [["--jso"], ["--nope"], ["--limit"], ["--limit", "x"], ["a", "-z", "b"]])
def test_what_the_parser_refuses_is_one_line_that_names_help(argv: list[str]) -> None:
    with pytest.raises(UsageError, match=r"^[^\n]+; see `spex try --help`$"):
        parser().parse_words(argv, "words")


@pytest.mark.parametrize(
    ("argv", "words", "json"),
    [
        (["a", "--json", "b"], ["a", "b"], True),
        (["a", "--", "--json", "-x", "--"], ["a", "--json", "-x", "--"], False),
        (["--json", "--", "-x"], ["-x"], True),
        (["--"], [], False),
    ],
)
def test_words_and_options_mix_until_two_dashes(argv: list[str], words: list[str], json: bool) -> None:
    parsed = parser().parse_words(argv, "words")
    assert (parsed.words, parsed.json) == (words, json)


def test_help_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda argv: bool(parser().parse_args(argv)), ["--help"], prog="spex") == ExitCode.OK
    assert "A parser." in capsys.readouterr().out


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("when", "terminal", "environ", "colored"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"TERM": "dumb"}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", False, {"FORCE_COLOR": "1"}, True),
        ("auto", False, {"FORCE_COLOR": "0"}, False),
        ("auto", False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("always", False, {"NO_COLOR": "1", "TERM": "dumb"}, True),
        ("never", True, {"FORCE_COLOR": "1"}, False),
    ],
)
def test_color(when: Color, terminal: bool, environ: dict[str, str], colored: bool) -> None:
    assert use_color(when, Terminal() if terminal else io.StringIO(), environ) is colored


@pytest.mark.parametrize(("encoding", "can"), [("utf-8", True), ("ascii", False), ("cp1252", False), ("cp437", True)])
def test_what_a_stream_speaks(encoding: str, can: bool) -> None:
    assert speaks(io.TextIOWrapper(io.BytesIO(), encoding=encoding), "├── ") is can
