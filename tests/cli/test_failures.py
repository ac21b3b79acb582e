"""Each row of docs/failures.md: the failure is made in a real repository, and ends in exit 2 and in that one line."""

from __future__ import annotations

import os
import re
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

Run = Callable[..., tuple[int, str, str]]

CODE = "src/session.py"
_ROW = re.compile(r"^\| `(?P<id>[a-z-]+)` \| [^|]+ \| `(?:` )?(?P<line>.+?)(?: `)?` \|$", re.MULTILINE)
_ANY = re.compile(r"<[A-Z]+>")


class Place(NamedTuple):
    """What a failure is made of: a governed repository, a folder beside it, and the test's own patches."""

    repo: Any
    folder: Path
    patch: pytest.MonkeyPatch

    def changed(self) -> None:
        """One more commit, which changes code."""
        self.repo.replaced(CODE, "> LIMIT", ">= LIMIT")
        self.repo.commit("change")

    def object_file(self, name: str) -> Path:
        """The loose object that a revision names."""
        sha = self.repo.git("rev-parse", name).strip()
        file: Path = self.repo.path / ".git" / "objects" / sha[:2] / sha[2:]
        file.chmod(0o644)
        return file

    def cloned(self, *options: str) -> None:
        """A clone of the repository, and the current folder is in it."""
        self.changed()
        self.repo.git("config", "uploadpack.allowFilter", "true")
        clone = self.folder / "clone"
        self.repo.git("clone", "-q", *options, self.repo.path.as_uri(), str(clone))
        self.patch.chdir(clone)

    def git_that(self, command: str, script: str) -> None:
        """On the PATH a git that does this instead of one of its commands."""
        real = shutil.which("git")
        tools = self.folder / "tools"
        tools.mkdir()
        fake = tools / "git"
        fake.write_text(f'#!/bin/sh\nfor word; do [ "$word" = {command} ] && {{ {script}; }}; done\nexec {real} "$@"\n')
        fake.chmod(0o755)
        self.patch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")

    def configured(self, text: str | bytes, name: str = "spex.toml") -> None:
        """A configuration, staged."""
        self.repo.put(name, text)
        self.repo.git("add", name)


Scene = Callable[[Place], "list[str] | None"]
SCENES: dict[str, Scene] = {}


def scene(name: str) -> Callable[[Scene], Scene]:
    """Names the failure that a function makes; it returns the arguments of the command, none for what is staged."""

    def keep(make: Scene) -> Scene:
        assert name not in SCENES
        SCENES[name] = make
        return make

    return keep


@scene("git-absent")
def _(place: Place) -> None:
    place.patch.setenv("PATH", "/nonexistent")


@scene("git-killed")
def _(place: Place) -> None:
    place.git_that("diff-index", "kill -9 $$")


@scene("git-silent-failure")
def _(place: Place) -> None:
    place.git_that("diff-index", "exit 5")


@scene("revision-unread")
def _(place: Place) -> list[str]:
    place.changed()
    place.repo.put("HEAD", "")  # what cannot be looked up must not be taken for the file of that name
    place.git_that("rev-parse", 'case "$*" in *--verify*HEAD*) echo "fatal: bad object" >&2; exit 128;; esac')
    return ["HEAD"]


@scene("base-not-here")
def _(place: Place) -> None:
    place.changed()
    place.repo.git("update-ref", "refs/remotes/origin/main", "HEAD")  # nothing is new, so nothing would be judged
    place.patch.setenv("PRE_COMMIT_FROM_REF", "1" * 40)
    place.patch.setenv("PRE_COMMIT_TO_REF", "HEAD")


@scene("parents-untold")
def _(place: Place) -> list[str]:
    place.changed()
    place.git_that("rev-list", "exit 0")
    return ["HEAD"]


@scene("git-torn-list")
def _(place: Place) -> None:
    place.git_that("diff-index", f"printf ':000000 100644 {'0' * 40} {'1' * 40} A\\0src/sess'; exit 0")


@scene("git-unknown-answer")
def _(place: Place) -> None:
    place.git_that("diff-index", "printf 'warning: none\\0'; exit 0")


@scene("git-torn-object")
def _(place: Place) -> list[str]:
    place.changed()
    place.git_that("cat-file", f"read name; echo {'1' * 40} blob 99; exit 0")
    return ["HEAD"]


@scene("no-repository")
def _(place: Place) -> None:
    place.patch.chdir(place.folder)
    place.patch.setenv("GIT_CEILING_DIRECTORIES", str(place.folder.parent))


@scene("git-config-broken")
def _(place: Place) -> None:
    (place.repo.path / ".git" / "config").write_text("[diff\n")


@scene("index-damaged")
def _(place: Place) -> None:
    index = place.repo.path / ".git" / "index"
    index.write_bytes(b"nothing" + index.read_bytes()[7:])


@scene("head-damaged")
def _(place: Place) -> None:
    (place.repo.path / ".git" / "refs" / "heads" / "main").write_text("nothing\n")


@scene("merge-head-damaged")
def _(place: Place) -> None:
    (place.repo.path / ".git" / "MERGE_HEAD").write_text("nothing\n")


@scene("shallow-damaged")
def _(place: Place) -> list[str]:
    (place.repo.path / ".git" / "shallow").write_bytes(b"\xff\n")
    return ["HEAD"]


@scene("shallow-no-commits")
def _(place: Place) -> list[str]:
    (place.repo.path / ".git" / "shallow").write_text("nothing\n")
    return ["HEAD"]


@scene("path-hostile")
def _(place: Place) -> list[str]:
    blob = place.repo.git("rev-parse", f"HEAD:{CODE}").strip()
    entry = place.folder / "tree"
    entry.write_bytes(b"100644 ..\0" + bytes.fromhex(blob))
    tree = place.repo.git("hash-object", "-w", "-t", "tree", "--literally", str(entry)).strip()
    return [place.repo.git("commit-tree", tree, "-p", "HEAD", "-m", "odd").strip()]


@scene("bare-staged")
def _(place: Place) -> None:
    place.repo.git("clone", "-q", "--bare", ".", str(place.folder / "bare"))
    place.patch.chdir(place.folder / "bare")


@scene("unmerged")
def _(place: Place) -> list[str]:
    place.repo.git("switch", "-q", "-c", "other")
    place.changed()
    place.repo.git("switch", "-q", "main")
    place.repo.replaced(CODE, "> LIMIT", "< LIMIT")
    place.repo.commit("another")
    place.repo.git("merge", "-q", "other", check=False)
    return ["--quiet"]


@scene("revision-unknown")
def _(place: Place) -> list[str]:
    return ["nope..HEAD"]


@scene("base-empty")
def _(place: Place) -> list[str]:
    return ["..HEAD"]


@scene("base-option-empty")
def _(place: Place) -> list[str]:
    return ["--base", ""]


@scene("histories-unrelated")
def _(place: Place) -> list[str]:
    place.repo.git("switch", "-q", "--orphan", "alone")
    place.repo.commit("alone", {"b": "2\n"})
    return ["main...alone"]


@scene("shallow-parent")
def _(place: Place) -> list[str]:
    place.cloned("--depth=1")
    return ["HEAD"]


@scene("shallow-revision")
def _(place: Place) -> list[str]:
    place.cloned("--depth=1")
    return ["HEAD~1"]


@scene("partial-clone")
def _(place: Place) -> list[str]:
    place.cloned("--filter=blob:none")
    return ["HEAD"]


@scene("blob-missing")
def _(place: Place) -> list[str]:
    place.changed()
    place.object_file(f"HEAD:{CODE}").unlink()
    return ["HEAD"]


@scene("blob-corrupt")
def _(place: Place) -> list[str]:
    place.changed()
    place.object_file(f"HEAD:{CODE}").write_bytes(b"nothing")
    return ["HEAD"]


@scene("spec-blob-missing")
def _(place: Place) -> list[str]:
    place.changed()
    place.object_file("HEAD:.spec/auth/clock/spec.md").unlink()
    return ["HEAD"]


@scene("spec-blob-corrupt")
def _(place: Place) -> list[str]:
    place.changed()
    place.object_file("HEAD:.spec/auth/clock/spec.md").write_bytes(zlib.compress(b"blob 99\0short"))
    return ["HEAD"]


@scene("tree-missing")
def _(place: Place) -> list[str]:
    place.changed()
    place.object_file("HEAD:src").unlink()
    return ["HEAD"]


@scene("tree-corrupt")
def _(place: Place) -> list[str]:
    place.changed()
    place.object_file("HEAD^{tree}").write_bytes(b"nothing")
    return ["HEAD"]


@scene("commit-missing")
def _(place: Place) -> list[str]:
    place.changed()
    place.object_file("HEAD~1").unlink()
    return ["HEAD"]


@scene("config-not-toml")
def _(place: Place) -> None:
    place.configured("mode = \n")


@scene("config-not-utf")
def _(place: Place) -> None:
    place.configured(b'mode = "\xff"\n')


@scene("config-twice")
def _(place: Place) -> None:
    place.configured('mode = "strict"\n')
    place.configured('[tool.spex]\nmode = "strict"\n', "pyproject.toml")


@scene("config-no-table")
def _(place: Place) -> None:
    place.configured("[tool]\nspex = 1\n", "pyproject.toml")


@scene("config-unknown-key")
def _(place: Place) -> None:
    place.configured("ignores = []\n")


@scene("config-mode")
def _(place: Place) -> None:
    place.configured('mode = "lax"\n')


@scene("config-globs")
def _(place: Place) -> None:
    place.configured('ignore = "src"\n')


@scene("config-rules-no-table")
def _(place: Place) -> None:
    place.configured("rules = 1\n")


@scene("config-unknown-rule")
def _(place: Place) -> None:
    place.configured('[rules]\nstale-word = "off"\n')


@scene("config-rule-level")
def _(place: Place) -> None:
    place.configured('[rules]\nstale-words = "of"\n')


@scene("config-thresholds-no-table")
def _(place: Place) -> None:
    place.configured("thresholds = 1\n")


@scene("config-unknown-threshold")
def _(place: Place) -> None:
    place.configured("[thresholds]\nnote = 1\n")


@scene("config-threshold-number")
def _(place: Place) -> None:
    place.configured("[thresholds]\nerror = nan\n")


@scene("config-learnings")
def _(place: Place) -> None:
    place.configured("learnings = -1\n")


@scene("config-neighbour")
def _(place: Place) -> None:
    place.configured("{", "spexcode.json")


@scene("config-link")
def _(place: Place) -> None:
    (place.repo.path / "spex.toml").symlink_to("elsewhere.toml")
    place.repo.git("add", "spex.toml")


@scene("config-pyproject-link")
def _(place: Place) -> None:
    (place.repo.path / "pyproject.toml").symlink_to("elsewhere.toml")
    place.repo.git("add", "pyproject.toml")


@scene("config-too-large")
def _(place: Place) -> None:
    place.configured("#" * (4 << 20) + "\n")


@scene("config-option")
def _(place: Place) -> list[str]:
    return ["--config", "nope.toml"]


@scene("message-option")
def _(place: Place) -> list[str]:
    return ["--commit-msg", "nope"]


@scene("diff-empty")
def _(place: Place) -> list[str]:
    (place.folder / "a.patch").write_bytes(b"")
    return [str(place.folder / "a.patch")]


@scene("specs-unknown")
def _(place: Place) -> list[str]:
    return ["--specs", "nope", "HEAD"]


def rows(root: Path) -> dict[str, str]:
    """Each row's line, by its id."""
    text = (root / "docs" / "failures.md").read_text(encoding="utf-8")
    found = _ROW.findall(text)
    assert len(found) == sum(line.startswith("| `") for line in text.splitlines()), "a row that cannot be read"
    assert len(dict(found)) == len(found), "an id that two rows have"
    return {name: line.replace(r"\|", "|") for name, line in found}


def test_each_row_has_a_test_and_each_test_a_row(root: Path) -> None:
    assert sorted(rows(root)) == sorted(SCENES)


@pytest.mark.parametrize("name", SCENES)
def test_it_ends_in_exit_2_and_one_line(
    governed: Any, run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = tmp_path / "beside"
    folder.mkdir()
    arguments = SCENES[name](Place(governed, folder, monkeypatch)) or []
    status, out, err = run(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1), (status, out, err)
    if name in rows(root):
        told = ".+".join(re.escape(part) for part in _ANY.split(rows(root)[name]))
        assert re.fullmatch(f"spex-govern: {told}\n", err), err
