"""Messages that only look as if they acknowledged: through the command, as the hook and a range read them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]

CODE = "src/session.py"
OK = "Let it renew\n\nSpec-OK: renewal\n"
FORGED = {
    "quoted": "x\n\n> Spec-OK: renewal\n",
    "indented": "x\n\n    Spec-OK: renewal\n\tSpec-OK: renewal\n Spec-OK: renewal\n",
    "a list": "x\n\n- Spec-OK: renewal\n* Spec-OK: renewal\n",
    "fenced": "x\n\n```\nSpec-OK: renewal\n```\n",
    "scissors": f"x\n\n# {'-' * 24} >8 {'-' * 24}\nSpec-OK: renewal\n",
    "hidden": "x\n\n<!--\nSpec-OK: renewal\n-->\n",
    "shown": "x\n\n<textarea>\nSpec-OK: renewal\n</textarea>\n",
    "one line": "x\rSpec-OK: renewal\u2028Spec-OK: renewal\x85Spec-OK: renewal\x0cSpec-OK: renewal\n",
    "mark": "\ufeffSpec-OK: renewal\n",
    "letters": "x\n\n\u017fpec-OK: renewal\nSpec-O\u212a: renewal\n",
    "more": "x\n\nSpec-OK: renewals\nSpec-OK: renew\nSpec-OK: auth_renewal\nSpec-OK: renewal\u200b\nSpec-OK: RENEWAL\n",
    "wide": "Spec-OK: renewal\n".encode("utf-16-le"),
    "wide and marked": "x\nSpec-OK: renewal\n".encode("utf-16"),
}


@pytest.fixture
def judged(governed: Any, run: Run, tmp_path: Path) -> Callable[[str | bytes], list[tuple[int, str]]]:
    """Judges a change of code with a message: as the hook that sees it, and as a commit; (status, report) of each."""
    governed.replaced(CODE, "now - session.renewed", "now - session.renewed - session.paused")
    file = tmp_path / "message"

    def go(message: str | bytes) -> list[tuple[int, str]]:
        data = message.encode() if isinstance(message, str) else message
        file.write_bytes(data)
        hook = run("--commit-msg", str(file))[:2]
        tree = governed.git("write-tree").strip()
        # As git would store it if nothing cleaned it; it takes no NUL.
        made = subprocess.run(
            ["git", "commit-tree", tree, "-p", "HEAD", "-F", "-"],
            cwd=governed.path,
            input=data.replace(b"\0", b"\1"),
            capture_output=True,
            check=True,
        )
        return [hook, run(made.stdout.decode().strip())[:2]]

    return go


def test_an_own_line_acknowledges(judged: Any) -> None:
    assert [status for status, _ in judged(OK)] == [0, 0]


@pytest.mark.parametrize("message", FORGED.values(), ids=FORGED)
def test_what_is_no_own_line_acknowledges_nothing(judged: Any, message: str | bytes) -> None:
    for status, out in judged(message):
        assert status == 1
        assert "error untouched-spec" in out


@pytest.mark.parametrize(
    ("key", "value", "message", "status"),
    [
        ("core.commentChar", "S", OK, 1),
        ("core.commentChar", "S", OK.replace("Spec-OK", "spec-ok"), 0),
        ("core.commentChar", "s", OK, 0),
        ("core.commentChar", "auto", OK, 0),
        ("core.commentChar", ";", OK.replace("Spec", "; Spec"), 1),
        ("core.commentString", "Spec-", OK, 1),
        ("core.commentString", "//", OK, 0),
        ("core.commentString", "//", f"// ```\n{OK}// ```\n", 0),
    ],
)
def test_a_line_that_git_takes_for_a_comment_is_none(
    governed: Any, run: Run, tmp_path: Path, key: str, value: str, message: str, status: int
) -> None:
    governed.replaced(CODE, "now - session.renewed", "now - session.renewed - session.paused")
    governed.git("config", key, value)
    file = tmp_path / "message"
    file.write_text(message)
    assert run("--commit-msg", str(file))[0] == status


def test_the_comments_of_a_hook_are_gits_own(governed: Any, tmp_path: Path) -> None:
    hook = governed.path / ".git/hooks/commit-msg"
    hook.parent.mkdir(exist_ok=True)
    program = Path(sys.executable).with_name("spex-govern")
    hook.write_text(f'#!/bin/sh\nexec "{program}" --commit-msg "$1"\n')
    hook.chmod(0o755)
    governed.replaced(CODE, "now - session.renewed", "now - session.renewed - session.paused")
    done = subprocess.run(
        ["git", "-c", "core.commentChar=S", "commit", "-e", "-m", "x", "-m", "Spec-OK: renewal"],
        cwd=governed.path,
        env=os.environ | {"GIT_EDITOR": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "untouched-spec" in done.stdout + done.stderr
