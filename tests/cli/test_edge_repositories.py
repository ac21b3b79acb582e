"""Whatever state and kind of repository, whatever hook: what is judged is what is committed, or nothing is (exit 2)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spexsearch.cli.govern import main

Run = Callable[..., tuple[int, str, str]]

SPEC = ".spec/auth/renewal/spec.md"
CODE = "src/session.py"
CHANGED = "> LIMIT", ">= LIMIT"
REWORDED = "at most once", "once"


def edit(repo: Any, path: str, old: str, new: str, folder: Path | None = None) -> None:
    """Change a file of the working tree, staging nothing."""
    file = (folder or repo.path) / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def brief(report: str) -> list[tuple[str, str]]:
    return [(change["status"], change["path"]) for change in json.loads(report)["changes"]]


def changes(run: Run, *arguments: str) -> list[tuple[str, str]]:
    status, out, err = run(*arguments, "--format", "json")
    assert status in (0, 1), err
    return brief(out)


def refused(run: Run, *arguments: str) -> str:
    """What is said where the command must not judge: one line, nothing on standard output, exit 2."""
    status, out, err = run(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1), (status, out, err)
    return err


class Hooked:
    """A repository whose commit hooks are the project's own, and what they saw."""

    def __init__(self, repo: Any, folder: Path) -> None:
        self.repo = repo
        self.path: Path = repo.path
        self.seen_file = folder / "seen.json"
        hook = f'#!/bin/sh\nexec spex-govern --report "json={self.seen_file}"\n'
        self.install("pre-commit", hook)

    def install(self, name: str, script: str) -> None:
        hook = self.path / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(script)
        hook.chmod(0o755)

    def git(self, *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> tuple[int, str]:
        """Run git with the commands on the PATH: (exit status, all it printed)."""
        self.seen_file.unlink(missing_ok=True)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["git", *arguments],
            cwd=cwd or self.path,
            env={**os.environ, "PATH": path, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.returncode, done.stdout.decode("utf-8", "replace")

    @property
    def seen(self) -> list[tuple[str, str]]:
        """(status, path) of each change that the last commit's hook judged."""
        return brief(self.seen_file.read_text())


@pytest.fixture
def hooked(governed: Any, tmp_path: Path) -> Hooked:
    return Hooked(governed, tmp_path)


# --- what a hook is given


def test_commit_all_is_judged_as_it_will_be(hooked: Hooked) -> None:
    edit(hooked.repo, CODE, *CHANGED)
    status, said = hooked.git("commit", "-a", "-m", "x")
    assert (status, hooked.seen) == (1, [("M", CODE)]), said
    edit(hooked.repo, SPEC, *REWORDED)
    status, said = hooked.git("commit", "-a", "-m", "x")
    assert (status, hooked.seen) == (0, [("M", SPEC), ("M", CODE)]), said


def test_committing_one_path_leaves_out_what_else_is_staged(hooked: Hooked) -> None:
    edit(hooked.repo, CODE, *CHANGED)
    edit(hooked.repo, SPEC, *REWORDED)
    hooked.repo.git("add", "-A")
    status, said = hooked.git("commit", "-m", "x", "--", CODE)
    assert (status, hooked.seen) == (1, [("M", CODE)]), said
    status, said = hooked.git("commit", "-m", "x", "--include", CODE)
    assert (status, hooked.seen) == (0, [("M", SPEC), ("M", CODE)]), said


def test_committing_one_hunk_leaves_out_the_others(hooked: Hooked) -> None:
    edit(hooked.repo, CODE, "session.open = False", "session.open = None")
    close = hooked.repo.git("diff")
    edit(hooked.repo, CODE, *CHANGED)
    whole = hooked.repo.git("diff")
    assert close.count("\n@@") == 1
    (hooked.path / ".git" / "patch").write_text(close)
    hooked.repo.git("apply", "--cached", ".git/patch")
    status, said = hooked.git("commit", "-m", "close")
    assert (status, hooked.seen) == (0, [("M", CODE)]), said
    assert hooked.repo.git("diff") not in ("", whole)
    status, said = hooked.git("commit", "-a", "-m", "renew")
    assert status == 1, said


def test_a_commit_from_a_subdirectory(hooked: Hooked) -> None:
    hooked.install("commit-msg", '#!/bin/sh\nexec spex-govern --commit-msg "$1"\n')
    edit(hooked.repo, CODE, *CHANGED)
    status, said = hooked.git("commit", "-m", "x", "--", "session.py", cwd=hooked.path / "src")
    assert (status, hooked.seen) == (1, [("M", CODE)]), said
    assert f"{CODE}:5  error untouched-spec" in said, "paths are the repository's"
    status, said = hooked.git("commit", "-am", "x\n\nSpec-OK: renewal", cwd=hooked.path / "src")
    assert status == 0, said


def test_a_hook_that_changes_folder_is_in_the_same_repository(hooked: Hooked) -> None:
    hooked.install("pre-commit", f'#!/bin/sh\ncd src && exec spex-govern --report "json={hooked.seen_file}"\n')
    edit(hooked.repo, CODE, *CHANGED)
    for arguments in (["-a"], ["--", CODE]):
        status, said = hooked.git("commit", "-m", "x", *arguments)
        assert (status, hooked.seen) == (1, [("M", CODE)]), said


def test_a_commit_in_a_linked_worktree(hooked: Hooked, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    hooked.repo.git("worktree", "add", "-q", str(linked))
    edit(hooked.repo, "src/clock.py", "return 0", "return 1")
    hooked.repo.git("add", "-A")
    edit(hooked.repo, CODE, *CHANGED, folder=linked)
    status, said = hooked.git("commit", "-a", "-m", "x", cwd=linked)
    assert (status, hooked.seen) == (1, [("M", CODE)]), said


def test_a_hook_of_a_linked_worktree_that_changes_folder(hooked: Hooked, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    hooked.repo.git("worktree", "add", "-q", str(linked))
    hooked.install("pre-commit", f'#!/bin/sh\ncd src && exec spex-govern --fix --report "json={hooked.seen_file}"\n')
    hooked.git("mv", "src/clock.py", "src/time.py", cwd=linked)
    status, said = hooked.git("commit", "-m", "x", cwd=linked)
    assert (status, hooked.seen) == (1, [("R", "src/time.py")]), said
    assert "src/time.py" in (linked / ".spec/auth/clock/spec.md").read_text(), "the fix is written from the top"
    hooked.git("add", "-A", cwd=linked)
    status, said = hooked.git("commit", "-m", "x", cwd=linked)
    assert status == 0, said


@pytest.fixture
def other(hooked: Hooked, tmp_path: Path) -> Path:
    """A second repository, with a change staged."""
    other = tmp_path / "other"
    shutil.copytree(hooked.path, other)
    (other / ".git" / "hooks" / "pre-commit").unlink()
    edit(hooked.repo, "src/clock.py", "return 0", "return 7", folder=other)
    subprocess.run(["git", "add", "-A"], cwd=other, check=True)
    return other


@pytest.mark.parametrize("linked", [False, True])
def test_a_hooks_index_is_not_that_of_another_repository(
    hooked: Hooked, other: Path, tmp_path: Path, linked: bool
) -> None:
    hooked.install(
        "pre-commit", f'#!/bin/sh\ncd "{other}" && spex-govern -q --report "json={hooked.seen_file}"\nexit 0\n'
    )
    here = hooked.path
    if linked:
        here = tmp_path / "linked"
        hooked.repo.git("worktree", "add", "-q", str(here))
    for arguments in (["-a"], ["--", CODE]):
        edit(hooked.repo, CODE, "3600", "36000", folder=here)
        status, said = hooked.git("commit", "-m", "x", *arguments, cwd=here)
        assert (status, hooked.seen) == (0, [("M", "src/clock.py")]), said


@pytest.mark.parametrize("folder", [".", "src"])
@pytest.mark.parametrize(
    "places",
    [{"GIT_INDEX_FILE": ".git/index"}, {"GIT_DIR": ".git"}, {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index"}],
    ids=["index", "folder", "both"],
)
def test_relative_places_hold_wherever_the_command_stands(
    governed: Any, run: Run, monkeypatch: pytest.MonkeyPatch, folder: str, places: dict[str, str]
) -> None:
    edit(governed, CODE, *CHANGED)
    governed.git("add", "-A")
    monkeypatch.chdir(governed.path / folder)
    for name, value in places.items():
        monkeypatch.setenv(name, value)
    assert changes(run) == [("M", CODE)]
    assert run()[0] == 1


def test_an_index_of_ones_own_is_used(governed: Any, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    edit(governed, CODE, *CHANGED)
    mine = {"GIT_INDEX_FILE": str(tmp_path / "mine")}
    governed.git("read-tree", "HEAD", env=mine)
    governed.git("add", "-A", env=mine)
    assert changes(run) == []
    monkeypatch.setenv("GIT_INDEX_FILE", mine["GIT_INDEX_FILE"])
    assert changes(run) == [("M", CODE)]


def test_the_first_commit_of_all(repo: Any, tmp_path: Path) -> None:
    hooked = Hooked(repo, tmp_path)
    repo.write(
        {".spec/a/spec.md": "---\ntitle: a\ncode:\n  - a.py\n  - gone.py\n---\nA.\n", "a.py": "def a():\n    pass\n"}
    )
    status, said = hooked.git("commit", "-m", "first")
    assert (status, hooked.seen) == (1, [("A", ".spec/a/spec.md"), ("A", "a.py")]), said
    assert "dangling-claim" in said
    repo.write({".spec/a/spec.md": "---\ntitle: a\ncode:\n  - a.py\n---\nA.\n"})
    status, said = hooked.git("commit", "-m", "first")
    assert status == 0, said
    assert hooked.git("commit", "--allow-empty", "-m", "nothing")[0] == 0
    assert hooked.seen == []


def test_an_amended_commit_is_judged_with_what_it_keeps(hooked: Hooked, tmp_path: Path) -> None:
    hooked.repo.git("init", "-q", "--bare", str(tmp_path / "up.git"))
    hooked.repo.git("remote", "add", "origin", str(tmp_path / "up.git"))
    assert hooked.git("push", "-q", "origin", "main")[0] == 0
    edit(hooked.repo, SPEC, *REWORDED)
    assert hooked.git("commit", "-am", "spec first")[0] == 0
    edit(hooked.repo, CODE, *CHANGED)
    status, said = hooked.git("commit", "-a", "--amend", "--no-edit")
    assert (status, hooked.seen) == (0, [("M", CODE)]), said
    edit(hooked.repo, "src/clock.py", "return 0", "return 1")
    status, said = hooked.git("commit", "-a", "--amend", "--no-edit")
    assert status == 1, said
    assert "spec clock" in said


def test_specs_are_read_as_they_are_staged(hooked: Hooked) -> None:
    edit(hooked.repo, CODE, *CHANGED)
    hooked.repo.git("add", "-A")
    edit(hooked.repo, SPEC, *REWORDED)
    status, said = hooked.git("commit", "-m", "the edit of the spec is not staged")
    assert status == 1, said
    hooked.repo.git("add", "-A")
    (hooked.path / SPEC).unlink()
    status, said = hooked.git("commit", "-m", "the spec is only gone from the folder")
    assert status == 0, said


@pytest.mark.parametrize("comment", ["#", ";"])
def test_what_git_cuts_from_a_message_acknowledges_nothing(hooked: Hooked, tmp_path: Path, comment: str) -> None:
    hooked.install("commit-msg", '#!/bin/sh\nexec spex-govern --commit-msg "$1"\n')
    editor = tmp_path / "editor.py"

    def commit(*first: str, last: str = "") -> tuple[int, str]:
        lines = "\n".join(first)
        editor.write_text(
            f"import sys\nfrom pathlib import Path\npath = Path(sys.argv[1])\n"
            f"path.write_text({lines!r} + path.read_text() + {last!r})\n"
        )
        command = f'"{sys.executable}" "{editor}"'
        return hooked.git("-c", f"core.commentChar={comment}", "commit", "-a", "-v", env={"GIT_EDITOR": command})

    edit(hooked.repo, CODE, "    return now", "    # Spec-OK: renewal\n    return now")
    edit(hooked.repo, CODE, *CHANGED)
    for first, last in (
        (["subject"], ""),
        (["subject", f"{comment} Spec-OK: renewal"], ""),
        (["subject"], "\nSpec-OK: renewal\n"),
    ):
        status, said = commit(*first, last=last)
        assert status == 1, (first, last, said)
        assert "error untouched-spec" in said
    status, said = commit("subject", "", "Spec-OK: renewal", "")
    assert status == 0, said


# --- merges and what hooks never see


def conflict(repo: Any) -> None:
    """Two branches that change one file, the other one code and spec too; the merge stops."""
    repo.git("switch", "-q", "-c", "theirs")
    edit(repo, "src/clock.py", "return 0", "return 1")
    edit(repo, ".spec/auth/clock/spec.md", "never goes back", "may go back")
    edit(repo, CODE, "LIMIT = 3600", "LIMIT = 7200")
    repo.git("add", "-A")
    repo.commit("theirs")
    repo.git("switch", "-q", "main")
    edit(repo, CODE, "LIMIT = 3600", "LIMIT = 60")
    repo.git("add", "-A")
    repo.commit("ours")
    repo.git("merge", "-q", "theirs", check=False)


def test_a_conflict_is_not_judged(governed: Any, run: Run) -> None:
    conflict(governed)
    status, _, err = run("-q")
    assert status == 2
    assert CODE in err
    assert err.count("\n") == 1
    assert ("U", CODE) in brief(run("--format", "json")[1])


def test_a_merge_is_charged_with_its_own_lines_only(hooked: Hooked) -> None:
    conflict(hooked.repo)
    text = (hooked.path / CODE).read_text()
    start, end = text.index("<<<<<<<"), text.index("\n", text.index(">>>>>>>"))
    (hooked.path / CODE).write_text(text[:start] + "LIMIT = 90" + text[end:])
    hooked.repo.git("add", "-A")
    staged = hooked.repo.git("diff", "--cached", "--name-only").split()
    assert "src/clock.py" in staged
    status, said = hooked.git("commit", "-m", "merge")
    assert (status, hooked.seen) == (0, [("M", CODE)]), said


def test_an_evil_merge_is_found(hooked: Hooked) -> None:
    conflict(hooked.repo)
    hooked.repo.git("checkout", "-q", "--ours", CODE)
    edit(hooked.repo, CODE, *CHANGED)
    hooked.repo.git("add", "-A")
    status, said = hooked.git("commit", "-m", "merge")
    assert (status, hooked.seen) == (1, [("M", CODE)]), said


def test_what_came_in_past_the_hooks_is_found_in_the_range(governed: Any, run: Run) -> None:
    governed.git("tag", "start")
    governed.git("switch", "-q", "-c", "topic")
    edit(governed, CODE, *CHANGED)
    governed.git("add", "-A")
    governed.commit("past the hook")
    governed.git("switch", "-q", "main")
    governed.commit("other", {"README.md": "x\n"})
    governed.git("merge", "-q", "--no-edit", "topic")
    assert changes(run, "HEAD") == [("M", CODE)], "a merge is judged against its first parent"
    assert run("HEAD")[0] == 1
    assert changes(run, "start..HEAD") == [("A", "README.md"), ("M", CODE)]
    assert run("--base", "start")[0] == 1


# --- pre-commit, and hooks that are set for everyone


def test_hooks_for_all_repositories(hooked: Hooked, root: Path, tmp_path: Path) -> None:
    everywhere = tmp_path / "everywhere"
    shutil.copytree(root / "hooks", everywhere)
    hooked.repo.git("config", "--global", "core.hooksPath", str(everywhere))
    edit(hooked.repo, CODE, *CHANGED)
    status, said = hooked.git("commit", "-am", "x")
    assert status == 1, said
    assert said.count("error untouched-spec") == 1, "the commit hook leaves it to the message hook"
    status, said = hooked.git("commit", "-am", "x\n\nSpec-OK: renewal")
    assert status == 0, said


@pytest.fixture
def tracked(governed: Any, tmp_path: Path) -> Any:
    """The governed repository with its state pushed, then one commit that leaves a spec behind."""
    governed.git("init", "-q", "--bare", str(tmp_path / "up.git"))
    governed.git("remote", "add", "origin", str(tmp_path / "up.git"))
    governed.git("push", "-q", "origin", "main")
    edit(governed, CODE, *CHANGED)
    governed.git("add", "-A")
    governed.commit("left behind")
    governed.commit("other", {"README.md": "x\n"})
    return governed


@pytest.mark.parametrize("base", ["0" * 40, "1" * 40, "origin/main", "HEAD~2"])
def test_a_push_of_what_the_remote_may_not_know(
    tracked: Any, run: Run, monkeypatch: pytest.MonkeyPatch, base: str
) -> None:
    monkeypatch.setenv("PRE_COMMIT", "1")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", base)
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")
    assert changes(run) == [("A", "README.md"), ("M", CODE)]
    assert run()[0] == 1


def test_a_push_of_a_whole_history_names_no_refs(tracked: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    tracked.write({"src/clock.py": "def now():\n    return 3\n"})
    monkeypatch.setenv("PRE_COMMIT", "1")
    monkeypatch.setenv("PRE_COMMIT_REMOTE_NAME", "origin")
    monkeypatch.setenv("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/main")
    assert changes(run) == [("A", "README.md"), ("M", CODE)]


# --- ranges, and what continuous integration passes


def test_three_dots_leave_out_what_others_did(governed: Any, run: Run) -> None:
    governed.git("switch", "-q", "-c", "topic")
    governed.commit("mine", {"mine.py": "x = 1\n"})
    governed.git("switch", "-q", "main")
    governed.commit("later", {"later.py": "y = 1\n"})
    assert changes(run, "main...topic") == [("A", "mine.py")]
    assert changes(run, "main..topic") == [("D", "later.py"), ("A", "mine.py")]
    stale = governed.git("rev-parse", "HEAD~1").strip()
    governed.git("switch", "-q", "--detach", "main")
    governed.git("merge", "-q", "--no-edit", "topic")
    governed.git("update-ref", "refs/pull/1/merge", "HEAD")
    assert changes(run, "refs/pull/1/merge") == [("A", "mine.py")], "however old the base is that an event names"
    assert changes(run, f"{stale}...refs/pull/1/merge") == [("A", "later.py"), ("A", "mine.py")]


def test_unrelated_histories_are_compared_only_when_asked(governed: Any, run: Run) -> None:
    governed.git("switch", "-q", "--orphan", "alone")
    governed.commit("alone", {"b": "2\n"})
    assert "unrelated" in refused(run, "main...alone")
    assert ("A", "b") in changes(run, "main..alone")


@pytest.mark.parametrize("base", ["0" * 40, "f" * 40, "origin/main", "origin/", "nope", "HEAD~9"])
def test_a_base_that_is_not_here_is_never_no_change(governed: Any, run: Run, base: str) -> None:
    for arguments in ([f"{base}..HEAD"], [f"{base}...HEAD"], ["--base", base]):
        assert "names no commit" in refused(run, *arguments)


@pytest.mark.parametrize("arguments", [["...HEAD"], ["..HEAD"], ["..."], [".."], ["--base", ""], ["--base="], [""]])
def test_an_empty_variable_is_no_base(governed: Any, run: Run, arguments: list[str]) -> None:
    governed.commit("change", {"x.py": "x = 1\n"})
    refused(run, *arguments)


def test_a_range_up_to_here_may_leave_out_its_head(governed: Any, run: Run) -> None:
    governed.commit("change", {"x.py": "x = 1\n"})
    assert changes(run, "HEAD~1..") == changes(run, "HEAD~1...") == [("A", "x.py")]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--output=written"],
        ["--", "--output=written"],
        ["HEAD..--output=written"],
        ["--output=written..HEAD"],
        ["--base=--output=written"],
        ["--specs=--output=written", "HEAD"],
    ],
)
def test_a_revision_that_begins_with_a_dash_runs_nothing(governed: Any, run: Run, arguments: list[str]) -> None:
    governed.commit("change", {"x.py": "x = 1\n"})
    refused(run, *arguments)
    assert not list(governed.path.rglob("written*"))


@pytest.mark.parametrize("name", ["PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF", "PRE_COMMIT_LOCAL_BRANCH"])
def test_neither_does_one_from_the_environment(
    governed: Any, run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    governed.commit("change", {"x.py": "x = 1\n"})
    local = name.endswith("BRANCH")
    named = {"PRE_COMMIT_REMOTE_NAME": "origin"} if local else {f"PRE_COMMIT_{s}_REF": "HEAD" for s in ("FROM", "TO")}
    for variable, value in (named | {name: "--output=written"}).items():
        monkeypatch.setenv(variable, value)
    status, _, _ = run()
    assert status == (0 if name.endswith("FROM_REF") else 2)
    assert not list(governed.path.rglob("written*"))


def test_a_branch_may_be_called_as_a_file_is(governed: Any, run: Run) -> None:
    governed.commit("change", {"src/x.py": "x = 1\n"})
    governed.git("branch", "src")
    governed.git("branch", "README.md")
    governed.write({"README.md": "no diff\n"})
    assert changes(run, "src") == changes(run, "README.md") == [("A", "src/x.py")]
    assert changes(run, "HEAD~1..src") == [("A", "src/x.py")]


# --- kinds of repository

FORMATS = {
    "plain": (),
    "split index": ("update-index", "--split-index"),
    "index v4": ("update-index", "--index-version", "4"),
    "skip-worktree": ("update-index", "--skip-worktree", SPEC),
    "untracked cache": ("update-index", "--untracked-cache"),
    "sparse checkout": ("sparse-checkout", "set", "--cone", "src"),
    "sparse index": ("sparse-checkout", "set", "--cone", "--sparse-index", "src"),
}


@pytest.mark.parametrize("hashing", ["sha1", "sha256"])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_one_verdict(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, hashing: str, name: str
) -> None:
    monkeypatch.setenv("GIT_DEFAULT_HASH", hashing)
    governed, run = request.getfixturevalue("governed"), request.getfixturevalue("run")
    assert len(governed.git("rev-parse", "HEAD").strip()) == {"sha1": 40, "sha256": 64}[hashing]
    if FORMATS[name]:
        governed.git(*FORMATS[name])
    assert (governed.path / SPEC).exists() != name.startswith("sparse")
    edit(governed, CODE, *CHANGED)
    governed.git("add", CODE)
    status, out, err = run()
    assert (status, err) == (1, "")
    assert out.startswith(f"{CODE}:5  error untouched-spec: `renew`")
    assert changes(run) == [("M", CODE)]
    governed.commit("change")
    assert (run("HEAD")[0], changes(run, "HEAD")) == (1, [("M", CODE)])


def test_what_git_hides_or_only_intends_is_not_staged(governed: Any, run: Run) -> None:
    (governed.path / "later.py").write_text("x = 1\n")
    governed.git("add", "-N", "later.py")
    governed.git("update-index", "--assume-unchanged", CODE)
    edit(governed, CODE, *CHANGED)
    governed.git("add", "-A", "src")
    assert run() == (0, "", "")
    governed.git("add", "later.py")
    assert changes(run) == [("A", "later.py")]


def test_a_submodule_is_an_entry_outside_and_a_repository_inside(
    governed: Any, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    outer = tmp_path / "outer"
    subprocess.run(["git", "init", "-q", str(outer)], check=True)
    added = ["git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(governed.path), "vendor/sub"]
    subprocess.run(added, cwd=outer, check=True)
    monkeypatch.chdir(outer)
    assert changes(run) == [("A", ".gitmodules"), ("A", "vendor/sub")]
    subprocess.run(["git", "commit", "-qm", "sub"], cwd=outer, check=True)
    inner = outer / "vendor" / "sub"
    edit(governed, CODE, *CHANGED, folder=inner)
    subprocess.run(["git", "add", "-A"], cwd=inner, check=True)
    assert changes(run) == [], "what is staged in there is not staged out here"
    monkeypatch.chdir(inner / "src")
    status, out, _ = run()
    assert status == 1
    assert out.startswith(f"{CODE}:5  error untouched-spec")
    subprocess.run(["git", "commit", "-qm", "moved on"], cwd=inner, check=True)
    subprocess.run(["git", "config", "diff.ignoreSubmodules", "all"], cwd=outer, check=True)
    subprocess.run(["git", "add", "vendor/sub"], cwd=outer, check=True)
    monkeypatch.chdir(outer)
    assert changes(run) == [("M", "vendor/sub")]


def test_a_bare_repository_has_revisions_and_nothing_staged(
    tracked: Any, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tracked.git("push", "-q", "origin", "main")
    bare = tmp_path / "up.git"
    monkeypatch.chdir(bare)
    assert changes(run, "main~1") == [("M", CODE)]
    assert run("main~1")[0] == 1
    assert "bare" in refused(run)
    tracked.git("worktree", "add", "-q", str(tmp_path / "linked"), "main", env={"GIT_DIR": str(bare)})
    monkeypatch.chdir(tmp_path / "linked")
    assert changes(run) == []
    edit(tracked, "src/clock.py", "return 0", "return 1", folder=tmp_path / "linked")
    subprocess.run(["git", "add", "-A"], cwd=tmp_path / "linked", check=True)
    assert changes(run) == [("M", "src/clock.py")]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root to give a folder away")
def test_a_strangers_repository_is_not_read(governed: Any, run: Run) -> None:
    edit(governed, CODE, *CHANGED)
    governed.git("add", "-A")
    for place in (governed.path, *governed.path.rglob("*")):
        os.chown(place, 1234, 1234, follow_symlinks=False)
    for arguments in ([], ["HEAD"], ["--base", "HEAD"]):
        assert f"git config --global --add safe.directory '{governed.path}'" in refused(run, *arguments)
    governed.git("config", "--global", "--add", "safe.directory", str(governed.path))
    assert run()[0] == 1


def test_a_shallow_clone_judges_what_it_has(
    tracked: Any, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tracked.git("push", "-q", "origin", "main:topic")
    clone = tmp_path / "clone"
    tracked.git("clone", "-q", "--depth=1", "--no-single-branch", (tmp_path / "up.git").as_uri(), str(clone))
    monkeypatch.chdir(clone)
    for arguments in (["origin/main...origin/topic"], ["origin/main..origin/topic"], ["origin/topic"], ["HEAD~1"]):
        assert "fetch-depth: 0" in refused(run, *arguments)
    edit(tracked, "src/clock.py", "return 0", "return 1", folder=clone)
    subprocess.run(["git", "add", "-A"], cwd=clone, check=True)
    assert changes(run) == [("M", "src/clock.py")]
    assert run()[0] == 1


def test_a_partial_clone_says_what_to_fetch(
    tracked: Any, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tracked.git("push", "-q", "origin", "main")
    up = tmp_path / "up.git"
    tracked.git("config", "uploadpack.allowFilter", "true", env={"GIT_DIR": str(up)})
    clone = tmp_path / "clone"
    tracked.git("clone", "-q", "--filter=blob:none", up.as_uri(), str(clone))
    monkeypatch.chdir(clone)
    assert "git fetch --refetch" in refused(run, "HEAD~1")
    edit(tracked, "src/clock.py", "return 0", "return 1", folder=clone)
    subprocess.run(["git", "add", "-A"], cwd=clone, check=True)
    assert changes(run) == [("M", "src/clock.py")]


def test_replaced_objects_are_not_believed(governed: Any, run: Run) -> None:
    edit(governed, CODE, *CHANGED)
    governed.git("add", "-A")
    governed.commit("change")
    old, new = (governed.git("rev-parse", f"HEAD{back}:{CODE}").strip() for back in ("~1", ""))
    governed.git("replace", new, old)
    assert governed.git("diff", "HEAD~1", "HEAD", "--", CODE).count("\n+") <= 1, "git itself is fooled"
    status, out, _ = run("HEAD", "--format", "json")
    assert status == 1
    assert json.loads(out)["changes"][0]["added_lines"] == [5]


def test_a_spec_in_another_encoding_is_read_as_git_keeps_it(governed: Any, run: Run) -> None:
    text = (governed.path / SPEC).read_text()
    governed.write({".gitattributes": ".spec/** working-tree-encoding=UTF-16LE eol=lf\n"})
    (governed.path / SPEC).write_bytes(text.encode("utf-16-le"))
    (governed.path / ".spec/auth/clock/spec.md").write_bytes("---\ntitle: clock\n---\nTime.\n".encode("utf-16-le"))
    governed.git("add", "-A")
    governed.commit("encoded")
    edit(governed, CODE, *CHANGED)
    governed.git("add", "-A")
    assert run()[0] == 1
    (governed.path / SPEC).write_bytes(text.replace(*REWORDED).encode("utf-16-le"))
    governed.git("add", "-A")
    assert run() == (0, "", "")


# --- configuration and environment

ODD = {
    "a key without a value": "[diff]\n\tnoprefix\n\tmnemonicPrefix\n[core]\n\tquotePath\n",
    "a byte order mark": "\ufeff[diff]\n\trenames = false\n",
    "words where numbers belong": "[diff]\n\trenames = copies\n\talgorithm = patience\n[color]\n\tui = always\n",
    "drivers and formats": "[diff]\n\texternal = false\n\tsubmodule = log\n\trelative = true\n\torderFile = /nope\n",
    "no hooks, no index": "[core]\n\thooksPath = /nope\n\tfsmonitor = false\n[index]\n\tversion = 4\n",
}
ENVIRONS: dict[str, dict[str, str]] = {
    "a pager": {"GIT_PAGER_IN_USE": "1", "TERM": "xterm"},
    "literal pathspecs": {"GIT_LITERAL_PATHSPECS": "1"},
    "glob pathspecs": {"GIT_GLOB_PATHSPECS": "1", "GIT_ICASE_PATHSPECS": "1"},
    "options": {"GIT_DIFF_OPTS": "-u0", "GIT_EXTERNAL_DIFF": "false"},
    "another namespace": {"GIT_NAMESPACE": "x", "GIT_PREFIX": "src/"},
    "traces": {"GIT_TRACE": "1", "GIT_TRACE2": "1"},
    "another language": {"LANGUAGE": "de", "LANG": "de_DE.UTF-8"},
}


@pytest.fixture
def renamed(governed: Any) -> Any:
    """The governed repository with an edited file under another name, staged."""
    governed.git("mv", "src/session.py", "src/log in.py")
    edit(governed, "src/log in.py", *CHANGED)
    governed.git("add", "-A")
    return governed


@pytest.mark.parametrize("name", ODD)
def test_odd_configuration_changes_nothing(renamed: Any, run: Run, name: str) -> None:
    plain = run("--format", "json")
    assert brief(plain[1]) == [("R", "src/log in.py")]
    with (Path(os.environ["HOME"]) / ".gitconfig").open("r+", encoding="utf-8") as config:
        kept = config.read()
        config.seek(0)
        config.write(ODD[name] + kept)
    assert run("--format", "json") == plain


@pytest.mark.parametrize("name", ENVIRONS)
def test_odd_variables_change_nothing(renamed: Any, run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    plain = run("--format", "json")
    for variable, value in ENVIRONS[name].items():
        monkeypatch.setenv(variable, value)
    assert run("--format", "json") == plain


def test_a_broken_configuration_is_not_judged(renamed: Any, run: Run) -> None:
    with (renamed.path / ".git" / "config").open("a") as config:
        config.write("[diff\n")
    refused(run)


def test_without_git_nothing_is_judged(renamed: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert "install" in refused(run)


def test_a_damaged_index_is_not_an_empty_one(renamed: Any, run: Run) -> None:
    index = renamed.path / ".git" / "index"
    index.write_bytes(index.read_bytes()[:200])
    refused(run)


def test_main_reads_its_own_process(renamed: Any, run: Run) -> None:
    assert main(["--format", "json"]) == run("--format", "json")[0] == 1
