"""Past units as git lists them, files stepped from commit to commit, and one process for many objects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spexsearch.errors import GitError
from spexsearch.govern.repository import Repository

if TYPE_CHECKING:
    from tests.conftest import Repo

    MakeRepo = Callable[..., Repo]


def dated(monkeypatch: pytest.MonkeyPatch, minute: int) -> None:
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, f"2024-05-01T12:{minute:02}:00+0000")


@pytest.fixture
def branched(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A root, a branch that takes main in before it is merged, and a commit that is older than its parent."""
    dated(monkeypatch, 10)
    repo.commit("root", {"a": "1\n"})
    repo.git("checkout", "-q", "-b", "side")
    dated(monkeypatch, 20)
    repo.commit("side", {"b/c": "1\n"})
    repo.git("checkout", "-q", "main")
    dated(monkeypatch, 30)
    repo.commit("main", {"a": "2\n"})
    repo.git("checkout", "-q", "side")
    dated(monkeypatch, 40)
    repo.git("merge", "-q", "--no-ff", "-m", "main into side", "main")
    dated(monkeypatch, 5)
    repo.commit("early", {"d": "1\n"})
    repo.git("checkout", "-q", "main")
    dated(monkeypatch, 50)
    repo.git("merge", "-q", "--no-ff", "-m", "side into main", "side")
    return repo


def subjects(repo: Repo, shas: list[str]) -> list[str]:
    return [repo.git("log", "-1", "--format=%s", sha).strip() for sha in shas]


def test_units_are_commits_or_merges_of_the_main_line_by_date(branched: Repo) -> None:
    found = Repository.discover(branched.path)
    head = found.resolve("HEAD")
    commits = found.past_units(None, head, merges=False)
    assert subjects(branched, [unit.sha for unit in commits]) == ["early", "side", "main"]
    (merge,) = found.past_units(None, head, merges=True)
    assert subjects(branched, [merge.sha, merge.parent]) == ["side into main", "main"]
    assert found.past_units(head, head, merges=False) == []
    since = found.past_units(found.resolve("HEAD^1"), head, merges=False)
    assert subjects(branched, [unit.sha for unit in since]) == ["early", "side"]


def test_commits_of_one_second_are_ordered_by_name(repo: Repo) -> None:
    repo.commit("root", {"a": "1\n"})
    made = sorted(repo.commit(f"{n}", {"a": f"{n}\n"}) for n in range(2, 9))
    found = Repository.discover(repo.path)
    assert [unit.sha for unit in found.past_units(None, found.resolve("HEAD"), merges=False)] == made


def test_stepping_gives_the_files_of_any_commit(branched: Repo) -> None:
    branched.git("mv", "b/c", "e")
    branched.git("rm", "-q", "a")
    (branched.path / "link").symlink_to("e")
    branched.put("d", "1\n", 0o755)
    branched.commit_all()
    found = Repository.discover(branched.path)
    commits = branched.git("rev-list", "HEAD").split()
    listed = {sha: found.list_tree(sha) for sha in commits}
    for old in commits:
        for new in commits:
            assert found.stepped(listed[old], old, new) == listed[new]


def test_an_open_repository_reads_the_same_objects(branched: Repo) -> None:
    found = Repository.discover(branched.path)
    blobs = [entry.blob for entry in found.list_tree("HEAD").values()]
    large = branched.path / "large"
    large.write_bytes(b"x" * 5000)
    blobs.append(branched.git("hash-object", "-w", "large").strip())
    with found.kept_open() as opened:
        for _ in range(3):
            assert opened.read_blobs(blobs, 100) == found.read_blobs(blobs, 100)
        with pytest.raises(GitError, match="is missing"):
            opened.read_blobs(["1" * 40], 100)
        assert opened.read_blobs(["1" * 40, blobs[0]], 100, missing_ok=True).keys() == {blobs[0]}
        assert opened.read_blobs(blobs, 100) == found.read_blobs(blobs, 100)


def test_git_that_ends_is_told_and_started_again(branched: Repo, make_repo: MakeRepo, tmp_path: Path) -> None:
    blob = branched.git("rev-parse", "HEAD:a").strip()
    broken = branched.path / ".git" / "objects" / blob[:2] / blob[2:]
    found = Repository.discover(branched.path)
    other = branched.git("rev-parse", "HEAD:d").strip()
    with found.kept_open() as opened:
        assert opened.read_blobs([other], 100)
        broken.chmod(0o644)
        broken.write_bytes(b"no object")
        with pytest.raises(GitError):
            opened.read_blobs([blob], 100)
        assert opened.read_blobs([other], 100)


def test_what_a_partial_clone_lacks_is_told_and_nothing_is_fetched(branched: Repo, tmp_path: Path) -> None:
    branched.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    branched.git("clone", "-q", "--bare", "--filter=blob:none", branched.path.as_uri(), str(clone))
    blob = branched.git("rev-parse", "HEAD:a").strip()
    found = Repository.discover(clone)
    with found.kept_open() as opened:
        for _ in range(2):
            with pytest.raises(GitError, match="this clone is partial"):
                opened.read_blobs([blob], 100)
    assert len(found.past_units(None, found.resolve("HEAD"), merges=False)) == 3
