"""The hooks, driven as they are in life: the real pre-commit, real git, real commits."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CHANGED = "> LIMIT", ">= LIMIT"
SPEC = ".spec/auth/renewal/spec.md"


@pytest.fixture(scope="session")
def snapshot(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The working copy as a repository of one commit, for pre-commit to install from."""
    if not (root / ".git").exists():
        pytest.skip("needs the project's own git checkout")
    copy = tmp_path_factory.mktemp("hooks") / "spexsearch"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=root, capture_output=True, check=True
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (root / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, copy / name)
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"]
    for arguments in (
        ["init", "-q"],
        ["add", "-A"],
        [*identity, "commit", "-q", "--no-verify", "-m", "snapshot"],
        ["tag", "v0"],
    ):
        subprocess.run(["git", *arguments], cwd=copy, check=True, capture_output=True)
    return copy


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps what it has installed: once for all tests."""
    return tmp_path_factory.mktemp("pre-commit")


def command(repo: Any, *arguments: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    done = subprocess.run(
        arguments,
        cwd=repo.path,
        env=os.environ | (env or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


HOOKS = {"pre-commit": "spex-govern", "commit-msg": "spex-govern-message", "pre-push": "spex-govern-push"}


def install(repo: Any, snapshot: Path, *stages: str) -> None:
    """Put the hooks of these stages into the pre-commit configuration, and install them."""
    config = f"repos:\n  - repo: {snapshot}\n    rev: v0\n    hooks:\n"
    config += "".join(f"      - id: {HOOKS[stage]}\n" for stage in stages)
    repo.commit("hook", {".pre-commit-config.yaml": config})
    types = [word for stage in stages for word in ("--hook-type", stage)]
    status, said = command(repo, sys.executable, "-m", "pre_commit", "install", *types)
    assert status == 0, said


@pytest.fixture
def installed(governed: Any, snapshot: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The governed repository with the hook in its pre-commit configuration, installed."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(store))
    install(governed, snapshot, "pre-commit")
    return governed


def test_an_installed_hook_stops_the_commit_that_leaves_a_spec_behind(installed: Any) -> None:
    installed.replaced("src/session.py", *CHANGED)
    status, said = command(installed, "git", "commit", "-m", "on the hour")
    assert status == 1, said
    assert f"claim  {SPEC}:5" in said
    assert "Spec-OK: renewal" in said
    installed.replaced(SPEC, "at most once", "once")
    status, said = command(installed, "git", "commit", "-m", "on the hour")
    assert status == 0, said
    assert "untouched-spec" not in said


def test_a_warning_is_shown_though_the_commit_passes(installed: Any) -> None:
    installed.write({"src/renewal_timer.py": "def renew_hourly(session):\n    return session.renewal\n"})
    status, said = command(installed, "git", "commit", "-m", "timer")
    assert status == 0, said
    assert "warning ungoverned-code" in said


def test_partial_commits_are_judged_by_what_they_commit(installed: Any) -> None:
    installed.replaced("src/session.py", *CHANGED)
    installed.replaced(SPEC, "at most once", "once")
    status, said = command(installed, "git", "commit", "-m", "code alone", "--", "src/session.py")
    assert status == 1, said
    installed.replaced("src/clock.py", "return 0", "return 1")
    status, said = command(installed, "git", "commit", "-m", "the two", "--", "src/session.py", SPEC)
    assert status == 0, said


def test_a_commit_that_only_deletes_is_judged(installed: Any) -> None:
    installed.git("rm", "-q", "src/session.py")
    status, said = command(installed, "git", "commit", "-m", "gone")
    assert status == 1, said
    assert "dangling-claim" in said


def test_all_files_by_hand_judges_the_last_commit_and_says_so(installed: Any) -> None:
    installed.replaced("src/session.py", *CHANGED)
    installed.commit("past the hook")
    status, said = command(installed, sys.executable, "-m", "pre_commit", "run", "--all-files")
    assert status == 1, said
    assert "last commit" in said
    status, said = command(
        installed, sys.executable, "-m", "pre_commit", "run", "--from-ref", "HEAD~1", "--to-ref", "HEAD"
    )
    assert status == 1, said


def test_a_message_that_acknowledges_works_in_one_go(
    governed: Any, snapshot: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(store))
    install(governed, snapshot, "pre-commit", "commit-msg")
    governed.replaced("src/session.py", *CHANGED)
    status, said = command(governed, "git", "commit", "-m", "on the hour")
    assert status == 1, said
    assert said.count("error untouched-spec") == 1, "the commit hook leaves it to the message hook"
    status, said = command(governed, "git", "commit", "-m", "on the hour", "-m", "Spec-OK: renewal")
    assert status == 0, said
    governed.git("mv", "src/clock.py", "src/time.py")
    status, said = command(governed, "git", "commit", "-m", "move", "-m", "Spec-OK: clock, renewal")
    assert status == 1, said
    assert "dangling-claim" in said


def push(repo: Any, *arguments: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    return command(repo, "git", "push", *arguments, env=env)


def test_what_is_pushed_is_judged(
    governed: Any, snapshot: Path, store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(store))
    governed.git("init", "-q", "--bare", str(tmp_path / "up.git"))
    governed.git("remote", "add", "origin", str(tmp_path / "up.git"))
    install(governed, snapshot, "pre-push")
    status, said = push(governed, "origin", "main")
    assert status == 0, said
    governed.git("switch", "-q", "-c", "topic")
    governed.replaced("src/session.py", *CHANGED)
    governed.commit("on the hour")
    governed.write({"src/clock.py": "def now():\n    return 2\n"})
    status, said = push(governed, "origin", "topic")
    assert status == 1, said
    assert "renewal" in said
    assert "spec clock" not in said, "what is staged is not pushed"
    assert "judging refs/heads/topic" in said
    governed.git("reset", "-q", "--hard")
    governed.commit("still true\n\nSpec-OK: renewal")
    status, said = push(governed, "origin", "topic")
    assert status == 0, said


def test_try_repo_on_the_working_copy(governed: Any, root: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (root / ".git").exists():
        pytest.skip("needs the project's own git checkout")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(store))
    governed.replaced("src/session.py", *CHANGED)
    status, said = command(
        governed, sys.executable, "-m", "pre_commit", "try-repo", str(root), "spex-govern", "--verbose"
    )
    assert status == 1, said
    assert "untouched-spec" in said


@pytest.fixture
def plain(governed: Any, root: Path) -> Any:
    """The governed repository with the plain hooks copied in and switched on."""
    shutil.copytree(root / "hooks", governed.path / "hooks")
    governed.git("add", "hooks")
    governed.commit("hooks")
    governed.git("config", "core.hooksPath", "hooks")
    return governed


def test_the_plain_hook_does_the_same(plain: Any) -> None:
    path = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    plain.replaced("src/session.py", *CHANGED)
    status, said = command(plain, "git", "commit", "-m", "on the hour", env=path)
    assert status == 1, said
    assert "untouched-spec" in said
    assert "Spec-OK: renewal" in said
    plain.replaced(SPEC, "at most once", "once")
    status, said = command(plain, "git", "commit", "-m", "on the hour", env=path)
    assert (status, "untouched-spec" in said) == (0, False), said


def test_the_plain_hook_without_the_program_stops_and_says_what_to_do(plain: Any, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "sh"):
        (tools / name).symlink_to(shutil.which(name) or "")
    plain.replaced("src/session.py", *CHANGED)
    status, said = command(plain, "git", "commit", "-m", "x", env={"PATH": str(tools)})
    assert status != 0
    assert "is not on the PATH" in said


@pytest.fixture
def path() -> dict[str, str]:
    """The environment in which the plain hooks find the program."""
    return {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def test_the_plain_message_hook_reads_acknowledgements(plain: Any, path: dict[str, str]) -> None:
    plain.replaced("src/session.py", *CHANGED)
    for message in ("x\n\n> Spec-OK: renewal", "x\n\n  Spec-OK: renewal", "x\n\nSpec-OK: clock"):
        status, said = command(plain, "git", "commit", "-m", message, env=path)
        assert status == 1, said
    status, said = command(plain, "git", "commit", "-m", "x", "-m", "Spec-OK: renewal", env=path)
    assert status == 0, said


def test_without_the_message_hook_the_commit_hook_judges_all(plain: Any, path: dict[str, str]) -> None:
    (plain.path / "hooks" / "commit-msg").unlink()
    plain.replaced("src/session.py", *CHANGED)
    status, said = command(plain, "git", "commit", "-m", "x", "-m", "Spec-OK: renewal", env=path)
    assert status == 1, said


def test_an_empty_message_file_is_judged_all_the_same(plain: Any, path: dict[str, str], tmp_path: Path) -> None:
    plain.replaced("src/session.py", *CHANGED)
    (tmp_path / "message").write_text("")
    index = {"GIT_INDEX_FILE": str(plain.path / ".git" / "index")}
    assert command(plain, "spex-govern", "--commit-msg", str(tmp_path / "message"), env=path | index)[0] == 1


def test_the_plain_push_hook_judges_each_ref(plain: Any, path: dict[str, str], tmp_path: Path) -> None:
    plain.git("init", "-q", "--bare", str(tmp_path / "up.git"))
    plain.git("remote", "add", "origin", str(tmp_path / "up.git"))
    assert push(plain, "origin", "main", env=path)[0] == 0
    plain.git("switch", "-q", "-c", "good")
    plain.commit("readme", {"README.md": "x\n"})
    plain.git("switch", "-q", "-c", "bad", "main")
    plain.replaced("src/session.py", *CHANGED)
    plain.commit("change")
    status, said = push(plain, "origin", "good", "bad", env=path)
    assert status == 1, said
    assert "refs/heads/good" in said
    assert "refs/heads/bad" in said
    assert push(plain, "origin", "good", env=path)[0] == 0
    assert push(plain, "origin", ":good", env=path)[0] == 0
    assert push(plain, str(tmp_path / "up.git"), "bad", env=path)[0] == 1
