"""Where names are looked up that a change takes from the code: the index, a commit, the disk, with git and without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from spexsearch.cli import inputs, sources
from spexsearch.cli.inputs import Case, Wanted
from spexsearch.govern.model import State
from spexsearch.govern.repository import Repository
from spexsearch.govern.vanished import Source

PLACES = ("index", "commit", "commits in turn", "disk", "disk without git")
NEW_FILE = b"--- /dev/null\n+++ b/zzz.txt\n@@ -0,0 +1 @@\n+x\n"

Ask = Callable[..., set[str]]


def source_of(case: Case) -> Source:
    assert case.source is not None
    return case.source


def opened(repo: Any, place: str) -> Source:
    """The source as the commands have it, once everything is staged."""
    found = Repository.discover(repo.path)
    if place == "index":
        return source_of(inputs.staged_or_last(found, Wanted(), {}))
    if place.startswith("disk"):
        return source_of(inputs.diff_text(repo.path, found if place == "disk" else None, NEW_FILE, Wanted()))
    repo.commit("all")
    case = inputs.commit(found, "HEAD", Wanted())
    if place == "commit":
        return source_of(case)
    # Whoever looks at many states keeps what was read, and asks twice here.
    known: sources.Runs = {}
    entries = found.list_tree(found.resolve("HEAD"))
    sources.in_git(found, entries, State(case.after.tree), known)(frozenset({"nosuch"}), False)
    return sources.in_git(found, entries, case.after, known)


@pytest.fixture(params=PLACES)
def ask(request: pytest.FixtureRequest, repo: Any) -> Ask:
    """Which of some names stand in the files of a repository, at each place in turn."""

    def look(files: Mapping[str, str | bytes], names: Iterable[str], *, whole: bool = True) -> set[str]:
        for path, content in files.items():
            repo.put(path, content)
        repo.git("add", "--all")
        return set(opened(repo, request.param)(frozenset(names), whole))

    return look


@pytest.mark.parametrize(
    ("text", "whole", "part"),
    [
        ("x.old_name()", True, True),
        ("old_name", True, True),
        ("\told_name\r\n", True, True),
        ("old_names", False, True),
        ("my_old_name", False, True),
        ("old_nameé", True, True),
        ("old-name", False, False),
        ("Old_name", False, False),
        ("", False, False),
        (b"\0\xff\xfeold_name\0", True, True),
        (b"\0old_name\0", True, True),
    ],
)
def test_a_name_stands_as_a_word_or_as_any_part(ask: Ask, text: str | bytes, whole: bool, part: bool) -> None:
    assert ask({"a.py": text}, {"old_name"}) == ({"old_name"} if whole else set())
    assert ask({}, {"old_name"}, whole=False) == ({"old_name"} if part else set())


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("a.py", True),
        ("tests/test_a.py", True),
        ("conf/a.toml", True),
        ("a.css", True),
        ("vendor/a.js", True),
        ("a.lock", True),
        ("data", True),
        ("data.bin", True),
        (".github/workflows/ci.yml", True),
        ("README.md", False),
        ("docs/a.rst", False),
        (".spec/lid/spec.md", False),
        (".spec/lid/notes.py", False),
        ("a.png", False),
        ("a.PNG", False),
        ("fonts/a.woff2", False),
        ("a.tar.gz", False),
        ("a.mp4", False),
        ("mp4", True),
        ("a.png.py", True),
    ],
)
def test_what_counts_as_source(ask: Ask, path: str, counts: bool) -> None:
    assert ask({path: "old_name\n"}, {"old_name"}) == ({"old_name"} if counts else set())


def test_a_spec_that_only_the_configuration_names_is_no_source(ask: Ask, repo: Any) -> None:
    repo.commit("agreed", {"spex.toml": "specs = ['*.page']\n"})
    files = {"plan.page": "---\ntitle: p\n---\nold_name\n", "other.pages": "new_name\n"}
    assert ask(files, {"old_name", "new_name"}) == {"new_name"}


def test_attributes_hide_nothing(ask: Ask) -> None:
    files = {".gitattributes": "*.py binary -diff -text\n*.js linguist-generated export-ignore\n"}
    names = {"old_name", "new_name"}
    assert ask(files | {"a.py": "old_name\n", "b.js": "new_name\n"}, names) == names


@pytest.mark.parametrize(
    "path",
    ["two\nlines.py", "docs.md\n.py", "\udcff\udcfe.py", "-e.py", "--cached", ":(exclude)a.py", "a b.py", "é\u202e.py"],
)
def test_odd_paths_are_looked_into(ask: Ask, path: str) -> None:
    assert ask({path: "old_name\n"}, {"old_name", "nosuch"}) == {"old_name"}


@pytest.mark.parametrize("path", ["a.py\nREADME.md", "\udcff.md"])
def test_odd_paths_of_documents_are_not(ask: Ask, path: str) -> None:
    assert ask({path: "old_name\n"}, {"old_name"}) == set()


NAMES = [
    "-e",
    "--help",
    "--",
    "*",
    "[a]",
    "a.c",
    "\\d",
    "(?P<x>",
    "a'b\"c",
    "$HOME",
    "%s",
    "会话",
    "\udcff\udcfe",
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_hostile_names_mean_themselves(ask: Ask, name: str) -> None:
    others = {other for other in NAMES if other not in name}
    assert ask({"a.py": f"x {name} y\n"}, {name, *others}, whole=False) == {name}
    assert ask({"a.py": "abc 1 x axc\n"}, {name}, whole=False) == set()


def test_names_within_one_another_are_each_found(ask: Ask) -> None:
    assert ask({"a.py": "src/a.tsx\n"}, {"src/a", "src/a.ts", "a.tsx", "src/b"}, whole=False) == {
        *("src/a", "src/a.ts", "a.tsx")
    }


@pytest.mark.parametrize("whole", [True, False])
def test_many_names_and_files_are_as_one(ask: Ask, whole: bool) -> None:
    count = sources.AT_ONCE + sources.MANY
    sign = "" if whole else "-"
    files = {f"f{number:03}.py": f"name_{number:03}{sign}\n" for number in range(count)}
    asked = {f"name_{number:03}{sign}" for number in range(0, count, 2)} | {f"none_{number}" for number in range(50)}
    assert ask(files, asked, whole=whole) == {name for name in asked if name.startswith("name")}
    last = f"name_{count - 1:03}{sign}"
    assert ask({}, {last}, whole=whole) == {last}
    assert ask({}, (), whole=whole) == set()


def test_links_are_not_followed(ask: Ask, repo: Any, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("old_name\n")
    (repo.path / "link.py").symlink_to(tmp_path / "outside.py")
    (repo.path / "old_name.py").symlink_to("old_name")
    (repo.path / "folder").symlink_to(tmp_path)
    assert ask({"a.py": "x = 1\n"}, {"old_name"}) == set()


def test_each_place_has_its_own_state(repo: Any) -> None:
    repo.commit("first", {"a.py": "committed\n"})
    repo.write({"a.py": "staged\n"})
    repo.put("a.py", "on_disk\n")
    repo.put("untracked.py", "untracked\n")
    names = frozenset({"committed", "staged", "on_disk", "untracked"})
    found = Repository.discover(repo.path)
    assert source_of(inputs.commit(found, "HEAD", Wanted()))(names, True) == {"committed"}
    assert source_of(inputs.staged_or_last(found, Wanted(), {}))(names, True) == {"staged"}
    for git in (found, None):
        case = inputs.diff_text(repo.path, git, NEW_FILE, Wanted())
        assert source_of(case)(names, True) == {"on_disk", "untracked"}


def test_of_a_range_the_head_is_asked(repo: Any) -> None:
    base = repo.commit("first", {"a.py": "first_name\n"})
    head = repo.commit("second", {"a.py": "second_name\n"})
    repo.commit("third", {"a.py": "third_name\n"})
    case = inputs.revisions(Repository.discover(repo.path), f"{base}..{head}", Wanted())
    assert source_of(case)(frozenset({"first_name", "second_name", "third_name"}), True) == {"second_name"}


def test_from_a_folder_below_the_whole_is_asked(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("first", {"src/deep/a.py": "x\n", "lib/b.py": "old_name\n"})
    monkeypatch.chdir(repo.path / "src" / "deep")
    case = inputs.staged_or_last(Repository.discover(Path.cwd()), Wanted(), {})
    assert source_of(case)(frozenset({"old_name"}), True) == {"old_name"}


@pytest.mark.parametrize("new", ["new_name\n", ""])
def test_what_a_diff_makes_of_a_file_counts_whether_it_is_done_or_not(repo: Any, new: str) -> None:
    repo.commit("first", {"a.py": "old_name\n", "b.py": "x\n"})
    repo.write({"a.py": new})
    diff = repo.git("diff", "--cached").encode()
    names = frozenset({"old_name", "new_name"})
    for step in ("done", "not done"):
        if step == "not done":
            repo.git("restore", "a.py", "--source=HEAD")
        found = source_of(inputs.diff_text(repo.path, Repository.discover(repo.path), diff, Wanted()))(names, True)
        assert found == ({"new_name"} if new else set()), step


def test_without_the_blobs_of_a_diff_the_disk_is_believed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old_name\n")
    diff = b"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old_name\n+new_name\n"
    case = inputs.diff_text(tmp_path, None, diff, Wanted())
    assert source_of(case)(frozenset({"old_name", "new_name"}), True) == {"old_name"}


def test_a_file_that_is_gone_from_the_disk_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old_name\n")
    case = inputs.diff_text(tmp_path, None, NEW_FILE, Wanted())
    (tmp_path / "a.py").unlink()
    assert source_of(case)(frozenset({"old_name"}), True) == frozenset()


def test_unmerged_files_are_no_fault(governed: Any) -> None:
    governed.git("switch", "-q", "-c", "topic")
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.commit("topic")
    governed.git("switch", "-q", "main")
    governed.replaced("src/session.py", "> LIMIT", "< LIMIT")
    governed.commit("main")
    governed.git("merge", "-q", "topic", check=False)
    case = inputs.staged_or_last(Repository.discover(governed.path), Wanted(), {})
    assert source_of(case)(frozenset({"now", "nosuch"}), True) == {"now"}


def test_what_was_read_once_is_not_read_again(repo: Any) -> None:
    repo.commit("first", {"a.py": "old_name\n"})
    found = Repository.discover(repo.path)
    entries = found.list_index()
    known: sources.Runs = {entries["a.py"].blob: frozenset({b"believed"})}
    asked = sources.in_git(found, entries, State(inputs.commit(found, "HEAD", Wanted()).after.tree), known)
    assert asked(frozenset({"old_name", "believed"}), True) == {"believed"}
