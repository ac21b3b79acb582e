"""The measured diffs that break tools of this kind, through the command: as files, and as git's own answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spexsearch.cli.govern import main

SHOWN = 12
"""The truth of a diff file holds that many added lines of each file."""
REVISIONS = {"show": "HEAD", "format-patch": "HEAD", "log": "HEAD~2..HEAD"}
"""What the command is asked where a diff was not taken of the index."""


@pytest.fixture(scope="session")
def cases(shared: Path) -> list[dict[str, Any]]:
    """Every case that is a diff and not kept back."""
    told: list[dict[str, Any]] = json.loads((shared / "edge" / "cases.json").read_text("utf-8"))
    return [case for case in told if case["kind"] == "diff" and not case["held"]]


@pytest.fixture(scope="session")
def built(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repositories of the cases, each as it stood when its diff was taken."""
    folder = tmp_path_factory.mktemp("built")
    script = [sys.executable, str(shared / "edge" / "build_diffs.py"), str(folder)]
    subprocess.run(script, env={"PATH": os.environ["PATH"], "HOME": str(folder)}, check=True, capture_output=True)
    return folder


def expected(truth: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted(
        (
            one["path"],
            one["status"],
            one["old"] if one["status"] in "RC" else None,
            one["binary"],
            [number for number, _ in one["added"]],
            one["removed"],
        )
        for one in truth
    )


def reported(out: str, shown: int | None = None) -> list[tuple[Any, ...]]:
    return sorted(
        (
            one["path"],
            one["status"],
            one["old_path"],
            one["binary"],
            one["added_lines"][:shown],
            len(one["removed_lines"]),
        )
        for one in json.loads(out)["changes"]
    )


def of_files(cases: list[dict[str, Any]], *outcomes: str) -> Iterator[dict[str, Any]]:
    return (case for case in cases if case["as_file"] in outcomes)


@pytest.fixture
def judge_file(repo: Any, shared: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Any:
    """Runs the command on a case's diff file in an empty repository: (exit status, standard output, standard error)."""
    monkeypatch.chdir(repo.path)

    def go(case: dict[str, Any]) -> tuple[int, str, str]:
        status = main([str(shared / "edge" / case["diff_file"]), "--format", "json"])
        return status, *capfd.readouterr()

    return go


def test_a_diff_file_gives_its_truth(cases: list[dict[str, Any]], judge_file: Any) -> None:
    told = 0
    for case in of_files(cases, "truth"):
        status, out, err = judge_file(case)
        assert status == 0, (case["id"], err)
        assert reported(out, SHOWN) == expected(case["truth"]), case["title"]
        told += 1
    assert told == 57


def test_what_tells_no_whole_change_is_refused(cases: list[dict[str, Any]], judge_file: Any) -> None:
    refused = 0
    for case in of_files(cases, "refuse"):
        status, out, err = judge_file(case)
        assert (status, out) == (2, ""), case["title"]
        assert err.startswith("spex-govern: "), case["title"]
        assert err.count("\n") == 1, case["title"]
        refused += 1
    assert refused == 10


def test_what_may_be_read_or_refused_is_one_of_the_two(cases: list[dict[str, Any]], judge_file: Any) -> None:
    judged = 0
    for case in of_files(cases, "either", "needs-git"):
        status, out, err = judge_file(case)
        if status == 2:
            assert (out, err.count("\n")) == ("", 1), case["title"]
        elif case["as_file"] == "either":
            assert reported(out, SHOWN) == expected(case["truth"]), case["title"]
        else:
            assert status == 0, case["title"]
        judged += 1
    assert judged == 15


def test_no_configuration_and_no_environment_changes_what_git_is_asked(built: Path) -> None:
    judged = 0
    for file in sorted(built.glob("*/case.json")):
        case = json.loads(file.read_text("utf-8"))
        asked = (case["cmd"] or [""])[0]
        # Two folders that are compared without a repository are no state of one.
        if case["file_only"] or asked == "diff":
            continue
        revisions = [REVISIONS[asked]] if asked else []
        done = subprocess.run(
            [Path(sys.executable).with_name("spex-govern"), *revisions, "--format", "json"],
            cwd=file.parent / "r" / case["cwd"],
            env=case["env"],
            capture_output=True,
            check=False,
        )
        unmerged = any(one["status"] == "U" for one in case["truth"])
        assert done.returncode == (2 if unmerged else 0), (case["title"], done.stderr)
        assert reported(done.stdout.decode("utf-8")) == expected(case["truth"]), case["title"]
        judged += 1
    assert judged == 69
