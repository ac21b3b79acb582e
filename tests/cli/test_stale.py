"""A name that a change takes from the code and a spec still says: from the hook to what `--fix` writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]

SPEC, CODE, CLOCK = ".spec/auth/renewal/spec.md", "src/session.py", ".spec/auth/clock/spec.md"


def stale(run: Run, *arguments: str) -> list[tuple[str, str, int]]:
    found = json.loads(run(*arguments, "--format", "json")[1])["findings"]
    return [(f["level"], f["path"], f["line"]) for f in found if f["rule"] == "stale-words"]


@pytest.fixture
def limited(governed: Any) -> Any:
    """The governed repository, with a name in its code that two specs say; nothing is left to settle."""
    governed.replaced(CODE, "LIMIT", "RETRY_LIMIT")
    said = "See `RETRY_LIMIT`,\r\nor RETRY_LIMIT / 2 \nand MY_RETRY_LIMIT.\n"
    governed.replaced(SPEC, "an hour.\n", f"an hour.\n\n{said}")
    governed.replaced(CLOCK, "goes back.\n", "goes back: RETRY_LIMIT\n")
    governed.commit("name it")
    return governed


def test_a_name_that_is_gone_is_an_error_at_the_specs_line(limited: Any, run: Run) -> None:
    limited.replaced(CODE, "RETRY_LIMIT = 3600\n\n\n", "")
    limited.replaced(CODE, "> RETRY_LIMIT", "> 3600")
    status, out, _ = run()
    assert status == 1
    message = "`RETRY_LIMIT` is gone from the code (was src/session.py:1), but spec renewal still says it"
    assert f"{SPEC}:13  error stale-words: {message}" in out.splitlines()
    assert stale(run) == [("error", CLOCK, 7), ("error", SPEC, 13)]
    # Whoever has it still, staged or not yet committed, has it.
    limited.put("src/other.py", "RETRY_LIMIT = 1\n")
    assert stale(run) != [], "what is not staged is not there"
    limited.git("add", "--all")
    assert stale(run) == []


def test_in_a_range_its_head_is_looked_up(limited: Any, run: Run) -> None:
    limited.replaced(CODE, "RETRY_LIMIT", "LIMIT")
    limited.commit("rename")
    assert [path for _, path, _ in stale(run, "HEAD")] == [CLOCK, SPEC]
    limited.commit("have it again", {"src/other.py": "RETRY_LIMIT = 1\n"})
    assert stale(run, "HEAD~2..HEAD") == []
    assert stale(run, "HEAD~1") != []


@pytest.mark.parametrize("applied", [True, False])
def test_a_diff_file_is_looked_up_on_disk(limited: Any, run: Run, tmp_path: Path, applied: bool) -> None:
    limited.replaced(CODE, "RETRY_LIMIT", "LIMIT")
    patch = tmp_path / "change.patch"
    patch.write_text(limited.git("diff", "--cached"))
    if not applied:
        limited.git("reset", "-q", "--hard")
    assert [path for _, path, _ in stale(run, str(patch))] == [CLOCK, SPEC]
    limited.put("src/other.py", "RETRY_LIMIT = 1\n")
    assert stale(run, str(patch)) == []


@pytest.mark.parametrize("name", ["change.patch", "c.diff", "notes"])
def test_a_diff_that_lies_in_the_repository_is_no_source(limited: Any, run: Run, name: str) -> None:
    limited.replaced(CODE, "RETRY_LIMIT", "LIMIT")
    patch = limited.git("diff", "--cached")
    limited.git("reset", "-q", "--hard")
    limited.put(name, patch)
    assert [path for _, path, _ in stale(run, f"./{name}")] == [CLOCK, SPEC]
    limited.put("other.patch", "what is judged is not this: RETRY_LIMIT\n")
    assert stale(run, f"./{name}") == []


def test_a_message_settles_it(limited: Any, run: Run, tmp_path: Path) -> None:
    limited.replaced(CODE, "RETRY_LIMIT", "LIMIT")
    message = tmp_path / "message"
    message.write_text("Rename\n\nSpec-OK: renewal, clock\n")
    assert run("--commit-msg", str(message)) == (0, "", "")
    message.write_text("Rename\n\nSpec-OK: renewal\n")
    assert stale(run, "--commit-msg", str(message)) == [("error", CLOCK, 7)]


def test_the_commit_hook_leaves_it_to_the_hook_that_sees_the_message(
    limited: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited.put(".git/hooks/commit-msg", '#!/bin/sh\nexec spex-govern --commit-msg "$1"\n', 0o755)
    limited.replaced(CODE, "RETRY_LIMIT", "LIMIT")
    monkeypatch.setenv("GIT_INDEX_FILE", str(limited.path / ".git" / "index"))
    assert run() == (0, "", "")


def test_a_spec_that_the_branch_touched_is_not_asked_again(limited: Any, run: Run, tmp_path: Path) -> None:
    limited.git("init", "-q", "--bare", str(tmp_path / "up.git"))
    limited.git("remote", "add", "origin", str(tmp_path / "up.git"))
    limited.git("push", "-q", "-u", "origin", "main")
    limited.replaced(SPEC, "at most once", "exactly once")
    limited.commit("spec first")
    limited.replaced(CODE, "RETRY_LIMIT", "LIMIT")
    assert stale(run) == [("error", CLOCK, 7)]


def test_fix_writes_the_new_name_on_every_line_and_nothing_else(limited: Any, run: Run) -> None:
    limited.replaced(CODE, "RETRY_LIMIT", "MOST_SECONDS")
    before = {path: (limited.path / path).read_bytes() for path in (SPEC, CLOCK, CODE)}
    assert run()[0] == 1
    assert {path: (limited.path / path).read_bytes() for path in before} == before, "only --fix writes"
    status, _, err = run("--fix")
    assert status == 1
    assert f"fixed {SPEC}:13" in err
    assert f"fixed {SPEC}:14" in err
    wanted = before[SPEC].replace(b"`RETRY_LIMIT`", b"`MOST_SECONDS`").replace(b"or RETRY_LIMIT", b"or MOST_SECONDS")
    assert (limited.path / SPEC).read_bytes() == wanted
    assert (limited.path / CLOCK).read_bytes() == before[CLOCK].replace(b"RETRY_LIMIT", b"MOST_SECONDS")
    assert (limited.path / CODE).read_bytes() == before[CODE]
    limited.git("add", "--all")
    assert stale(run) == []


def test_two_names_on_one_line_are_written_one_a_run(governed: Any, run: Run) -> None:
    governed.replaced(CODE, "LIMIT", "RETRY_LIMIT")
    governed.replaced(CODE, "def close(", "def close_it(")
    governed.replaced(SPEC, "an hour.\n", "an hour.\n\nBoth `RETRY_LIMIT` and `close_it` (RETRY_LIMIT).\n")
    governed.commit("name both")
    governed.replaced(CODE, "RETRY_LIMIT", "MOST_SECONDS")
    governed.replaced(CODE, "def close_it(", "def end_it(")
    assert len(stale(run)) == 2
    run("--fix")
    # The line is not any more what the second fix was made for.
    assert "Both `MOST_SECONDS` and `close_it` (MOST_SECONDS).\n" in (governed.path / SPEC).read_text()


def test_a_line_that_was_edited_since_is_left_alone(limited: Any, run: Run) -> None:
    limited.replaced(CODE, "RETRY_LIMIT", "MOST_SECONDS")
    text = (limited.path / SPEC).read_bytes().replace(b"See `RETRY_LIMIT`", b"Look at `RETRY_LIMIT`")
    (limited.path / SPEC).write_bytes(text)
    assert run("--fix")[0] == 1
    assert (limited.path / SPEC).read_bytes() == text.replace(b"or RETRY_LIMIT", b"or MOST_SECONDS")


def test_where_no_new_name_can_be_seen_nothing_is_written(limited: Any, run: Run) -> None:
    limited.replaced(CODE, "RETRY_LIMIT = 3600\n\n\n", "")
    limited.replaced(CODE, "> RETRY_LIMIT", "> 3600")
    before = [(limited.path / path).read_bytes() for path in (SPEC, CLOCK)]
    assert run("--fix")[0] == 1
    assert [(limited.path / path).read_bytes() for path in (SPEC, CLOCK)] == before
