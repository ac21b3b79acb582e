"""Real repositories of every format, read under hostile configurations and in the environments that hooks get."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from git import Repo as Witness
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spexsearch.errors import GitError, NotARepositoryError
from spexsearch.govern.diff import changes_from_text
from spexsearch.govern.model import Change
from spexsearch.govern.repository import Repository

if TYPE_CHECKING:
    from tests.conftest import Repo

    MakeRepo = Callable[..., Repo]

TEN = "".join(f"line {number}\n" for number in range(10))


def _told(changes: tuple[Change, ...]) -> list[tuple[str, str, str | None]]:
    return [(change.status, change.path, change.old_path) for change in changes]


def _added(changes: tuple[Change, ...]) -> list[tuple[str, int, str]]:
    return [(change.path, line.number, line.text) for change in changes for line in change.added]


def _open(git_repo: Repo) -> Repository:
    return Repository.discover(git_repo.path)


@pytest.fixture(scope="session")
def built(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repositories of the measured cases, each as it stood when its diff was taken."""
    folder = tmp_path_factory.mktemp("built")
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    script = [sys.executable, str(shared / "edge" / "build_diffs.py"), str(folder)]
    subprocess.run(script, env=environ, check=True, capture_output=True)
    return folder


def _changes_of_case(folder: Path, case: dict[str, Any]) -> tuple[Change, ...]:
    repository = Repository.discover(folder / "r" / case["cwd"], case["env"])
    steps = {"show": "HEAD^1", "format-patch": "HEAD^1", "log": "HEAD~2"}
    if case["cmd"]:
        old = repository.resolve(steps[case["cmd"][0]])
        return repository.tree_changes(old, repository.resolve("HEAD"))
    return repository.staged_changes()


def test_every_built_case_gives_its_truth(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = 0
    for file in sorted(built.glob("*/case.json")):
        case = json.loads(file.read_text("utf-8"))
        # Two folders that are compared without a repository are no state of one.
        if case["file_only"] or (case["cmd"] or [""])[0] == "diff":
            continue
        monkeypatch.chdir(file.parent / "r" / case["cwd"])
        changes = _changes_of_case(file.parent, case)
        told = [
            {
                "status": change.status,
                "path": change.path,
                "old": change.before,
                "modes": [change.old_mode or "000000", change.new_mode or "000000"],
                "added": [[line.number, line.text] for line in change.added],
                "removed": len(change.removed),
                "binary": change.binary,
            }
            for change in changes
        ]
        assert told == case["truth"], case["title"]
        judged += 1
    assert judged == 69


HOSTILE = {
    "diff": {
        "noprefix": "true",
        "mnemonicPrefix": "true",
        "renames": "false",
        "renameLimit": "1",
        "algorithm": "patience",
        "context": "9",
        "interHunkContext": "50",
        "relative": "true",
        "external": "false",
        "orderFile": "/nonexistent",
        "submodule": "log",
        "ignoreSubmodules": "all",
        "wsErrorHighlight": "all",
        "suppressBlankEmpty": "true",
        "indentHeuristic": "false",
        "colorMoved": "zebra",
    },
    "color": {"ui": "always", "diff": "always"},
    "core": {"quotePath": "true", "fsmonitor": "touch ran; false", "pager": "false", "abbrev": "4"},
    "log": {"showSignature": "true", "showRoot": "false", "diffMerges": "off"},
}
HOSTILE_ENVIRON = {
    "GIT_EXTERNAL_DIFF": "false",
    "GIT_DIFF_OPTS": "-u9",
    "GIT_PAGER_IN_USE": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TRACE": "1",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "diff.renames",
    "GIT_CONFIG_VALUE_0": "copies",
    "LANG": "de_DE.UTF-8",
    "LANGUAGE": "de",
}


def test_no_configuration_and_no_variable_changes_an_answer(
    git_repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    git_repo.put("src/old name.py", TEN)
    git_repo.put("src/café.py", "def f():\n    a\n\ndef g():\n    a\n")
    git_repo.commit_all()
    (git_repo.path / "src/old name.py").rename(git_repo.path / "src/new.py")
    git_repo.put("src/new.py", TEN.replace("line 4", "line four"))
    git_repo.put("src/café.py", "def g():\n    a\n\ndef h():\n    a\n\ndef f():\n    a\n")
    git_repo.put("top.txt", "x")
    git_repo.git("add", "-A")
    plain = _open(git_repo).staged_changes()
    assert _told(plain) == [("M", "src/café.py", None), ("R", "src/new.py", "src/old name.py"), ("A", "top.txt", None)]
    for section, values in HOSTILE.items():
        for key, value in values.items():
            git_repo.git("config", f"{section}.{key}", value)
    for name, value in HOSTILE_ENVIRON.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(git_repo.path / "src")
    repository = Repository.discover(Path())
    assert repository.staged_changes() == plain
    assert repository.list_index().keys() == {"src/café.py", "src/new.py", "top.txt"}
    assert not list(git_repo.path.rglob("ran"))


@pytest.mark.parametrize("where", [".gitattributes", ".git/info/attributes", "global"])
def test_attributes_hide_nothing(git_repo: Repo, where: str, tmp_path: Path) -> None:
    git_repo.put("m.py", TEN)
    git_repo.put("gone.py", "a\nb\n")
    git_repo.put("kind.py", "a\n")
    git_repo.put("up.md", "body\n")
    git_repo.put("real.bin", b"\0\1")
    text = "*.py -diff\n*.bin -diff\nup.md diff=up\n*.txt binary\n"
    if where == "global":
        (tmp_path / "attributes").write_text(text)
        git_repo.git("config", "core.attributesFile", str(tmp_path / "attributes"))
    else:
        git_repo.put(where, text)
    git_repo.git("config", "diff.up.textconv", "tr a-z A-Z <")
    git_repo.git("config", "diff.up.command", "false")
    git_repo.commit_all()
    git_repo.put("m.py", TEN + "more\n")
    (git_repo.path / "gone.py").unlink()
    (git_repo.path / "kind.py").unlink()
    (git_repo.path / "kind.py").symlink_to("m.py")
    git_repo.put("up.md", "other body\n")
    git_repo.put("real.bin", b"\0\2")
    git_repo.put("new.txt", "one\ntwo")
    git_repo.put("empty.txt", "")
    git_repo.git("add", "-A")
    changes = {change.path: change for change in _open(git_repo).staged_changes()}
    assert _added(tuple(changes.values())) == [
        ("kind.py", 1, "m.py"),
        ("m.py", 11, "more"),
        ("new.txt", 1, "one"),
        ("new.txt", 2, "two"),
        ("up.md", 1, "other body"),
    ]
    assert [line.text for line in changes["gone.py"].removed + changes["kind.py"].removed] == ["a", "b", "a"]
    assert [path for path, change in changes.items() if change.binary] == ["real.bin"]


def test_before_the_first_commit_everything_is_new(git_repo: Repo) -> None:
    git_repo.put("a.py", "x\n")
    git_repo.git("add", "-A")
    repository = _open(git_repo)
    assert repository.head() is None
    assert _told(repository.staged_changes()) == [("A", "a.py", None)]
    assert not repository.is_revision("HEAD")


def test_the_index_is_read_and_not_the_working_tree(git_repo: Repo) -> None:
    git_repo.put("a.py", "one\n")
    git_repo.put("b.py", "one\n")
    git_repo.commit_all()
    git_repo.put("a.py", "staged\n")
    git_repo.git("add", "-A")
    git_repo.put("a.py", "not staged\n")
    git_repo.put("b.py", "not staged\n")
    (git_repo.path / "c.py").write_text("untracked")
    repository = _open(git_repo)
    assert _added(repository.staged_changes()) == [("a.py", 1, "staged")]
    blob = repository.list_index()["a.py"].blob
    assert repository.read_blobs([blob], 100) == {blob: b"staged\n"}
    (git_repo.path / "a.py").unlink()
    assert _added(repository.staged_changes()) == [("a.py", 1, "staged")]


def test_a_file_only_intended_to_be_added_is_not_staged(git_repo: Repo) -> None:
    git_repo.put("a.py", "x\n")
    git_repo.put("empty.py", "")
    git_repo.commit_all()
    git_repo.put("later.py", "x\n")
    git_repo.git("add", "-N", "later.py")
    assert _open(git_repo).staged_changes() == ()
    assert list(_open(git_repo).list_index()) == ["a.py", "empty.py"]


FORMATS = {
    "plain": (),
    "split index": ("update-index", "--split-index"),
    "index v4": ("update-index", "--index-version", "4"),
    "skip-worktree": ("update-index", "--skip-worktree", "docs/a.md"),
    "sparse index": ("sparse-checkout", "set", "--cone", "--sparse-index", "src"),
    "untracked cache": ("update-index", "--untracked-cache"),
}


@pytest.mark.parametrize("hashing", ["sha1", "sha256"])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_answers(make_repo: MakeRepo, hashing: str, name: str) -> None:
    git_repo = make_repo("repo", f"--object-format={hashing}")
    git_repo.put("docs/a.md", "1\n")
    git_repo.put("src/m.py", "1\n")
    first = git_repo.commit_all("first")
    if FORMATS[name]:
        git_repo.git(*FORMATS[name])
    git_repo.put("src/m.py", "2\n")
    git_repo.git("add", "src/m.py")
    repository = _open(git_repo)
    assert _told(repository.staged_changes()) == [("M", "src/m.py", None)]
    assert list(repository.list_index()) == ["docs/a.md", "src/m.py"]
    assert repository.list_tree(first).keys() == repository.list_index().keys()
    second = git_repo.commit_all("second")
    assert _added(repository.tree_changes(first, second)) == [("src/m.py", 1, "2")]
    assert _told(repository.tree_changes(None, first)) == [("A", "docs/a.md", None), ("A", "src/m.py", None)]
    assert (repository.parent(second), repository.parent(first)) == (first, None)
    assert [commit.paths for commit in repository.commits(first, second)] == [frozenset({"src/m.py"})]


def test_every_odd_name_and_kind_of_entry(git_repo: Repo) -> None:
    names = ['quote"back\\slash', "new\nline", "tab\there", " space ", "x b/a b", "a/a", "\udce9.md", "café 🚀.md"]
    for name in names:
        git_repo.put(name, "1\n")
    (git_repo.path / "link").symlink_to("/etc/passwd")
    git_repo.commit_all()
    for name in names:
        git_repo.put(name, "2\n", 0o755)
    git_repo.git("add", "-A")
    repository = _open(git_repo)
    assert sorted(change.path for change in repository.staged_changes()) == sorted(names)
    assert {change.new_mode for change in repository.staged_changes()} == {"100755"}
    index = repository.list_index()
    assert index.keys() == {*names, "link"}
    assert index["link"].mode == "120000"
    assert repository.read_blobs([index["link"].blob], 100) == {index["link"].blob: b"/etc/passwd"}


def test_submodules_are_one_line_and_no_blob(make_repo: MakeRepo) -> None:
    inner, outer = make_repo("inner"), make_repo("outer")
    inner.put("f", "1\n")
    first = inner.commit_all()
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "sub")
    outer.git("config", "-f", ".gitmodules", "submodule.sub.ignore", "all")
    outer.commit_all()
    inner_copy = outer.path / "sub"
    (inner_copy / "f").write_text("2\n")
    outer.git("commit", "-qam", "2", cwd=inner_copy)
    outer.git("add", "sub")
    (change,) = _open(outer).staged_changes()
    assert (change.path, change.old_mode, change.new_mode) == ("sub", "160000", "160000")
    assert [line.text for line in change.removed] == [f"Subproject commit {first}"]
    assert change.new_blob
    with pytest.raises(GitError, match="missing, or no file"):
        _open(outer).read_blobs([change.new_blob], 100)
    assert Repository.discover(inner_copy).root == inner_copy.resolve()
    shutil.rmtree(inner_copy)
    outer.git("rm", "-q", "--cached", "sub")
    outer.put("sub", "now a file\n")
    outer.put(".gitattributes", "sub -diff\n")
    outer.git("add", "-A")
    changes = {change.path: change for change in _open(outer).staged_changes()}
    assert changes["sub"].status == "T"


def _conflicting(git_repo: Repo) -> None:
    git_repo.put("both.md", "top\nmiddle\nbottom\n")
    git_repo.put("clean.py", TEN)
    git_repo.commit_all()
    git_repo.git("checkout", "-q", "-b", "other")
    git_repo.put("both.md", "top\ntheirs\nbottom\n")
    git_repo.put("clean.py", TEN.replace("line 9", "line nine"))
    git_repo.put("theirs.py", "x\n")
    git_repo.commit_all("other")
    git_repo.git("checkout", "-q", "main")
    git_repo.put("both.md", "top\nours\nbottom\n")
    git_repo.put("clean.py", TEN.replace("line 0", "line zero"))
    git_repo.commit_all("main")
    git_repo.git("merge", "-q", "other", check=False)


def test_a_conflict_is_told_as_unmerged(git_repo: Repo) -> None:
    _conflicting(git_repo)
    repository = _open(git_repo)
    assert repository.merge_heads()
    assert _told(repository.staged_changes()) == [("U", "both.md", None)]
    assert "both.md" not in repository.list_index()


def test_a_merge_in_progress_is_judged_against_all_its_parents(git_repo: Repo) -> None:
    _conflicting(git_repo)
    git_repo.put("both.md", "top\nboth\nbottom\n")
    git_repo.put("clean.py", (git_repo.path / "clean.py").read_text().replace("line 5", "line five"))
    git_repo.put("theirs.py", "x\n")
    git_repo.put("slipped in.py", "y\n")
    git_repo.git("add", "-A")
    repository = _open(git_repo)
    assert _added(repository.staged_changes()) == [
        ("both.md", 2, "both"),
        ("clean.py", 6, "line five"),
        ("slipped in.py", 1, "y"),
    ]
    whole = git_repo.git("diff", "--cached", "--name-only").split("\n")
    assert "theirs.py" in whole
    git_repo.git("commit", "-q", "-m", "merged")
    again = _open(git_repo)
    assert not again.merge_heads()
    merge, *_ = again.commits(again.resolve("HEAD^1"), again.resolve("HEAD"))
    assert merge.paths == {"both.md", "clean.py", "slipped in.py"}


def test_taking_one_side_whole_is_no_change_of_the_merge(git_repo: Repo) -> None:
    _conflicting(git_repo)
    git_repo.git("checkout", "-q", "--theirs", "both.md")
    git_repo.git("add", "-A")
    assert _open(git_repo).staged_changes() == ()


def test_a_file_renamed_on_one_side_and_edited_on_the_other_is_no_change_of_the_merge(git_repo: Repo) -> None:
    git_repo.put("old.py", TEN)
    git_repo.put("both.md", "base\n")
    git_repo.commit_all()
    git_repo.git("checkout", "-q", "-b", "other")
    git_repo.put("old.py", TEN.replace("line 9", "line nine"))
    git_repo.put("both.md", "theirs\n")
    git_repo.commit_all()
    git_repo.git("checkout", "-q", "main")
    git_repo.git("mv", "old.py", "new.py")
    git_repo.put("both.md", "ours\n")
    git_repo.commit_all()
    git_repo.git("merge", "-q", "other", check=False)
    git_repo.put("both.md", "both\n")
    git_repo.git("add", "-A")
    assert _told(_open(git_repo).staged_changes()) == [("M", "both.md", None)]


def test_commits_tell_messages_and_paths(git_repo: Repo) -> None:
    git_repo.put("a.py", "1\n")
    base = git_repo.commit_all("base")
    git_repo.git("mv", "a.py", "b.py")
    git_repo.commit_all("moved\n\nSpec-OK: x\n:100644 not a record")
    git_repo.commit_all("empty")
    git_repo.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    git_repo.git("config", "i18n.commitEncoding", "latin-1")
    (git_repo.path / "message").write_bytes("café".encode("latin-1"))
    git_repo.git("commit", "-q", "--allow-empty", "-F", "message")
    repository = _open(git_repo)
    commits = repository.commits(base, repository.resolve("HEAD"))
    assert [commit.message.strip() for commit in commits[:3]] == ["café", "", "empty"]
    assert commits[-1].message == "moved\n\nSpec-OK: x\n:100644 not a record\n"
    assert [commit.paths for commit in commits] == [frozenset()] * 3 + [frozenset({"a.py", "b.py"})]
    assert repository.commits(base, base) == ()
    assert len(repository.commits(None, base)) == 1
    witness = [commit.hexsha for commit in Witness(git_repo.path).iter_commits(f"{base}..HEAD", topo_order=True)]
    assert [commit.sha for commit in commits] == witness


def test_a_merge_within_a_range_is_not_charged_with_what_it_brings(git_repo: Repo) -> None:
    git_repo.put("a.py", "1\n")
    base = git_repo.commit_all("base")
    git_repo.git("checkout", "-q", "-b", "other")
    git_repo.put("b.py", "1\n")
    git_repo.commit_all("other")
    git_repo.git("checkout", "-q", "main")
    git_repo.put("a.py", "2\n")
    git_repo.commit_all("main")
    git_repo.git("merge", "-q", "--no-edit", "other")
    repository = _open(git_repo)
    paths = {commit.message.split()[0]: commit.paths for commit in repository.commits(base, repository.resolve("HEAD"))}
    assert paths == {"Merge": frozenset(), "main": {"a.py"}, "other": {"b.py"}}


def test_three_dots_do_not_report_what_others_did(git_repo: Repo) -> None:
    git_repo.put("a.py", "1\n")
    fork = git_repo.commit_all()
    git_repo.git("checkout", "-q", "-b", "feature")
    git_repo.put("feature.py", "1\n")
    git_repo.commit_all()
    git_repo.git("checkout", "-q", "main")
    git_repo.put("later.py", "1\n")
    git_repo.commit_all()
    repository = _open(git_repo)
    main, feature = repository.resolve("main"), repository.resolve("feature")
    assert repository.merge_base(main, feature) == fork
    assert _told(repository.tree_changes(fork, feature)) == [("A", "feature.py", None)]


def test_replaced_objects_and_grafts_are_not_believed(git_repo: Repo) -> None:
    git_repo.put("a.py", "1\n")
    first = git_repo.commit_all()
    git_repo.put("a.py", "2\n")
    second = git_repo.commit_all()
    (git_repo.path / "lie").write_text("lie\n")
    lie = git_repo.git("hash-object", "-w", "lie").strip()
    git_repo.git("replace", git_repo.git("rev-parse", "HEAD:a.py").strip(), lie)
    (git_repo.path / ".git" / "info" / "grafts").write_text(f"{second}\n")
    repository = _open(git_repo)
    assert _added(repository.tree_changes(first, second)) == [("a.py", 1, "2")]
    assert repository.parent(second) == first


@pytest.mark.parametrize(
    "text", ["", "-", "--output=written", "nope", "0" * 40, "HEAD\0", "HEAD..HEAD", "HEAD:a.py", "a.py", "HEAD^9"]
)
def test_what_names_no_commit_is_refused_and_runs_nothing(git_repo: Repo, text: str) -> None:
    git_repo.put("a.py", "1\n")
    git_repo.commit_all()
    repository = _open(git_repo)
    assert not repository.is_revision(text)
    with pytest.raises(GitError, match="names no commit") as caught:
        repository.resolve(text)
    assert "\n" not in str(caught.value)
    assert not (git_repo.path / "written").exists()


def test_a_branch_may_have_the_name_of_a_file(git_repo: Repo) -> None:
    git_repo.put("docs", "1\n")
    head = git_repo.commit_all()
    git_repo.git("branch", "docs")
    assert _open(git_repo).resolve("docs") == head


def test_unrelated_histories_have_no_common_ancestor(git_repo: Repo) -> None:
    git_repo.put("a", "1\n")
    main = git_repo.commit_all()
    git_repo.git("checkout", "-q", "--orphan", "other")
    other = git_repo.commit_all("another root")
    with pytest.raises(GitError, match="unrelated"):
        _open(git_repo).merge_base(main, other)


def test_a_shallow_clone_says_how_to_deepen_it(make_repo: MakeRepo, tmp_path: Path) -> None:
    source = make_repo("source")
    source.commit_all("base")
    source.git("checkout", "-q", "-b", "feature")
    for number in range(3):
        source.put("a.py", f"{number}\n")
        source.commit_all()
    behind = source.git("rev-parse", "HEAD~2").strip()
    source.git("checkout", "-q", "main")
    source.put("b.py", "1\n")
    source.commit_all()
    clone = tmp_path / "clone"
    source.git("clone", "-q", "--depth=2", "--no-single-branch", source.path.as_uri(), str(clone))
    repository = Repository.discover(clone)
    feature = repository.resolve("origin/feature")
    cut = repository.parent(feature)
    assert cut is not None
    with pytest.raises(GitError, match="fetch-depth: 0"):
        repository.merge_base(repository.resolve("origin/main"), feature)
    with pytest.raises(GitError, match="fetch-depth: 0"):
        repository.parent(cut)
    with pytest.raises(GitError, match="fetch-depth: 0"):
        repository.commits(repository.resolve("origin/main"), feature)
    with pytest.raises(GitError, match="fetch-depth: 0"):
        repository.resolve(behind)


def test_a_partial_clone_fetches_nothing(make_repo: MakeRepo, tmp_path: Path) -> None:
    source = make_repo("source")
    source.git("config", "uploadpack.allowFilter", "true")
    source.put("a.py", "1\n")
    old = source.commit_all()
    source.put("a.py", "2\n")
    new = source.commit_all()
    clone = tmp_path / "clone"
    source.git("clone", "-q", "--filter=blob:none", source.path.as_uri(), str(clone))
    repository = Repository.discover(clone)
    with pytest.raises(GitError, match="git fetch --refetch"):
        repository.tree_changes(old, new)
    missing = repository.list_tree(old)["a.py"].blob
    with pytest.raises(GitError, match="git fetch --refetch"):
        repository.read_blobs([missing], 100)


def test_blobs_come_by_name_within_a_limit(git_repo: Repo) -> None:
    contents = {"small": b"x\n", "empty": b"", "large": b"y" * 3_000_000, "binary": bytes(range(256))}
    for name, content in contents.items():
        git_repo.put(name, content)
    git_repo.commit_all()
    repository = _open(git_repo)
    names = {path: entry.blob for path, entry in repository.list_index().items()}
    read = repository.read_blobs(names.values(), 1000)
    assert read == {names[name]: contents[name] for name in ("small", "empty", "binary")}
    assert repository.read_blobs([names["large"]], 3_000_000)[names["large"]] == contents["large"]
    short = names["small"][:9]
    assert repository.read_blobs([short, "f" * 40], 9, missing_ok=True) == {short: b"x\n"}
    assert repository.read_blobs([], 9) == {}
    for name in ("f" * 40, repository.head() or "", "HEAD", "a\nb"):
        with pytest.raises(GitError):
            repository.read_blobs([name], 9)


def test_thousands_of_blobs_do_not_block(git_repo: Repo) -> None:
    for number in range(3000):
        git_repo.put(f"f{number}", f"{number}\n" * 50)
    git_repo.git("add", "-A")
    repository = _open(git_repo)
    blobs = [entry.blob for entry in repository.list_index().values()]
    assert len(repository.read_blobs(blobs, 1000)) == 3000


def test_a_bare_repository_and_its_worktrees(make_repo: MakeRepo, tmp_path: Path) -> None:
    source = make_repo("source")
    source.put("a.py", "1\n")
    old = source.commit_all()
    source.put("a.py", "2\n")
    new = source.commit_all()
    bare = tmp_path / "bare.git"
    source.git("clone", "-q", "--bare", str(source.path), str(bare))
    repository = Repository.discover(bare)
    assert (repository.root, repository.has_worktree) == (bare, False)
    assert _added(repository.tree_changes(old, new)) == [("a.py", 1, "2")]
    source.git("worktree", "add", "-q", str(tmp_path / "linked"), cwd=bare)
    linked = Repository.discover(tmp_path / "linked")
    assert (linked.root, linked.git_common_dir) == ((tmp_path / "linked").resolve(), bare)
    assert linked.git_dir != bare
    assert linked.staged_changes() == ()


def test_a_folder_without_a_repository_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(NotARepositoryError, match="no git repository here"):
        Repository.discover(tmp_path)
    with pytest.raises(NotARepositoryError, match="no folder"):
        Repository.discover(tmp_path / "nope")
    (tmp_path / ".git").write_text("gitdir: /nonexistent")
    with pytest.raises(NotARepositoryError):
        Repository.discover(tmp_path)


def test_git_that_is_not_there_is_an_error(git_repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(GitError, match="on the PATH"):
        Repository.discover(git_repo.path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root to give a folder away")
def test_a_strangers_repository_names_the_command_that_trusts_it(git_repo: Repo) -> None:
    git_repo.put("a", "1\n")
    for place in (git_repo.path, *git_repo.path.rglob("*")):
        os.chown(place, 1234, 1234)
    with pytest.raises(GitError, match=r"git config --global --add safe\.directory '.*repo'"):
        Repository.discover(git_repo.path)


def test_a_damaged_index_is_an_error_and_not_an_empty_one(git_repo: Repo) -> None:
    git_repo.put("a", "1\n")
    git_repo.git("add", "-A")
    repository = _open(git_repo)
    (git_repo.path / ".git" / "index").write_bytes(b"DIRCjunk")
    for ask in (repository.staged_changes, repository.list_index):
        with pytest.raises(GitError) as caught:
            ask()
        assert "\n" not in str(caught.value)


def _upstream(repo: Repo) -> str | None:
    repository = _open(repo)
    return repository.upstream_base(repository.head() or "")


def test_upstream_ends_where_the_branch_left_it(make_repo: MakeRepo, tmp_path: Path) -> None:
    source = make_repo("source")
    source.put("a.py", "1\n")
    source.commit_all()
    assert _upstream(source) is None
    clone = make_repo("clone")
    clone.git("remote", "add", "origin", str(source.path))
    assert _upstream(clone) is None
    clone.git("pull", "-q", "origin", "main")
    fork = clone.git("rev-parse", "HEAD").strip()
    assert _upstream(clone) == fork
    clone.commit_all("mine")
    clone.commit_all("mine too")
    assert _upstream(clone) == fork
    source.put("b.py", "1\n")
    theirs = source.commit_all("theirs")
    clone.git("fetch", "-q")
    clone.git("merge", "-q", "--no-edit", "origin/main")
    assert _upstream(clone) == theirs
    clone.git("checkout", "-q", "--orphan", "unrelated")
    clone.commit_all("other")
    assert _upstream(clone) is None


PROBE = """
import json, os, sys
from pathlib import Path
from spexsearch.govern.repository import Repository
os.chdir(os.environ.get("PROBE_FOLDER", "."))
told = []
for start in (".", *sys.argv[1:]):
    repository = Repository.discover(Path(start))
    changes = repository.staged_changes()
    told.append([repository.root.name, [[c.status, c.path, [line.text for line in c.added]] for c in changes]])
Path(os.environ["PROBE_OUT"]).write_text(json.dumps(told))
"""


@pytest.fixture
def in_hook(git_repo: Repo, root: Path, tmp_path: Path) -> Callable[..., list[Any]]:
    """Runs `git commit …` in a repository whose pre-commit hook tells what it finds staged."""
    (tmp_path / "probe.py").write_text(PROBE)

    def run(*commit: str, cwd: Path | None = None, start: str = "", folder: str = ".") -> list[Any]:
        hook = git_repo.path / ".git" / "hooks" / "pre-commit"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{tmp_path / "probe.py"}" {start}\n')
        hook.chmod(0o755)
        out = tmp_path / "out.json"
        environ = {"PYTHONPATH": str(root), "PROBE_OUT": str(out), "PROBE_FOLDER": folder}
        git_repo.git("commit", "-q", "-m", "x", *commit, cwd=cwd, env=environ)
        told: list[Any] = json.loads(out.read_text())
        return told

    for name in ("a.txt", "b.txt", "docs/c.txt"):
        git_repo.put(name, "one\n")
    git_repo.commit_all()
    for name in ("a.txt", "b.txt"):
        git_repo.put(name, "two\n")
    return run


def test_commit_all_is_judged_by_its_own_index(in_hook: Callable[..., list[Any]]) -> None:
    assert in_hook("-a") == [["repo", [["M", "a.txt", ["two"]], ["M", "b.txt", ["two"]]]]]


def test_a_partial_commit_is_judged_by_its_own_index(git_repo: Repo, in_hook: Callable[..., list[Any]]) -> None:
    git_repo.git("add", "b.txt")
    assert in_hook("a.txt") == [["repo", [["M", "a.txt", ["two"]]]]]


@pytest.mark.parametrize("folder", [".", "docs"])
def test_a_commit_from_a_folder_and_a_hook_that_changes_folder(
    git_repo: Repo, in_hook: Callable[..., list[Any]], folder: str
) -> None:
    git_repo.git("add", "a.txt")
    assert in_hook(cwd=git_repo.path / "docs", folder=folder) == [["repo", [["M", "a.txt", ["two"]]]]]


def test_an_amended_commit_is_judged_against_the_one_it_replaces(
    git_repo: Repo, in_hook: Callable[..., list[Any]]
) -> None:
    git_repo.git("add", "a.txt")
    assert in_hook("--amend") == [["repo", [["M", "a.txt", ["two"]]]]]


def test_a_hook_in_a_linked_worktree(git_repo: Repo, in_hook: Callable[..., list[Any]], tmp_path: Path) -> None:
    git_repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "linked" / "b.txt").write_text("linked\n")
    assert in_hook("-a", cwd=tmp_path / "linked") == [["linked", [["M", "b.txt", ["linked"]]]]]


def test_a_hooks_index_holds_for_no_other_repository(
    git_repo: Repo, make_repo: MakeRepo, in_hook: Callable[..., list[Any]]
) -> None:
    other = make_repo("other")
    other.put("other.txt", "staged\n")
    other.git("add", "-A")
    told = in_hook("a.txt", start=f'"{other.path}" docs "{git_repo.path}"')
    mine = ["repo", [["M", "a.txt", ["two"]]]]
    assert told == [mine, ["other", [["A", "other.txt", ["staged"]]]], mine, mine]


@pytest.mark.parametrize("folder", [".", "docs"])
def test_relative_places_hold_from_the_top(git_repo: Repo, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    git_repo.put("docs/a.md", "1\n")
    git_repo.commit_all()
    git_repo.put("docs/a.md", "2\n")
    git_repo.git("add", "-A")
    monkeypatch.chdir(git_repo.path / folder)
    index, git_dir = {"GIT_INDEX_FILE": ".git/index"}, {"GIT_DIR": ".git"}
    for places in (index, git_dir, index | git_dir):
        repository = Repository.discover(Path(), {**os.environ, **places})
        assert repository.root == git_repo.path.resolve()
        assert _told(repository.staged_changes()) == [("M", "docs/a.md", None)]


def test_a_git_folder_apart_from_its_working_tree(
    make_repo: MakeRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_repo("home")
    home.put("dot/file", "1\n")
    home.git("add", "-A")
    (home.path / ".git").rename(tmp_path / "dotfiles")
    monkeypatch.chdir(home.path)
    environ = {**os.environ, "GIT_DIR": str(tmp_path / "dotfiles"), "GIT_WORK_TREE": str(home.path)}
    for start in (Path(), home.path / "dot"):
        repository = Repository.discover(start, environ)
        assert (repository.root, repository.git_dir) == (home.path.resolve(), tmp_path / "dotfiles")
        assert _told(repository.staged_changes()) == [("A", "dot/file", None)]


FILES = st.dictionaries(
    st.sampled_from(["a.py", "b.py", "dir/c.py", "dir/d.md", "x y"]),
    st.lists(st.sampled_from([b"one\n", b"two\n", b"\r\n", b"\xff\n", b"-- x\n", b"no end"]), max_size=8).map(b"".join),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=FILES, new=FILES)
def test_changes_between_trees_are_those_that_git_counts(
    tmp_path_factory: pytest.TempPathFactory, old: dict[str, bytes], new: dict[str, bytes]
) -> None:
    folder = tmp_path_factory.mktemp("trees")

    def git(*args: str) -> bytes:
        return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True).stdout

    git("init", "-q")
    names = []
    for files in (old, new):
        git("rm", "-rqf", "--ignore-unmatch", ".")
        for path, content in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(content)
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", "x")
        names.append(git("rev-parse", "HEAD").decode().strip())
    changes = Repository.discover(folder).tree_changes(*names)
    counted = git("diff", "--numstat", "-z", "-M", *names).replace(b"\t\0", b"\t").split(b"\0")
    lines = [entry.split(b"\t")[:2] for entry in counted if b"\t" in entry]
    assert [[len(change.added), len(change.removed)] for change in changes] == [[int(a), int(b)] for a, b in lines]
    status = git("diff", "--name-status", "-M", *names).decode().splitlines()
    assert [change.status for change in changes] == [line[0] for line in status]
    # What people see in `git diff`, with its context lines, is what is judged.
    shown = git("diff", "-M", "--full-index", *names)
    told = changes_from_text(shown) if shown else ()
    assert [(c.path, c.added, c.removed) for c in told] == [(c.path, c.added, c.removed) for c in changes]
    for change in changes:
        before, after = old.get(change.before, b""), new.get(change.path, b"")
        assert all(before.split(b"\n")[line.number - 1] == _bytes(line.text) for line in change.removed)
        assert all(after.split(b"\n")[line.number - 1] == _bytes(line.text) for line in change.added)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
