"""Real repositories for the tests of this layer."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


class GitRepo:
    """A git repository on disk, driven through the real git."""

    def __init__(self, root: Path, *init: str) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", *init)

    def git(self, *args: str, check: bool = True, cwd: Path | None = None, env: dict[str, str] | None = None) -> bytes:
        """What git prints; its failure fails the test."""
        done = subprocess.run(
            ["git", *args], cwd=cwd or self.root, env={**os.environ, **(env or {})}, capture_output=True, check=False
        )
        assert not check or done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout

    def write(self, path: str, content: str | bytes, mode: int = 0o644) -> None:
        """A file of the working tree."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        file.chmod(mode)

    def commit(self, message: str = "change") -> str:
        """Everything, committed; the commit's name."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").decode().strip()


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., GitRepo]:
    """A maker of repositories below the test's own folder: name, then options of `git init`."""

    def make(name: str = "repo", *init: str) -> GitRepo:
        return GitRepo(tmp_path / name, *init)

    return make


@pytest.fixture
def git_repo(make_repo: Callable[..., GitRepo]) -> GitRepo:
    """An empty repository."""
    return make_repo()
