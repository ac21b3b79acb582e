"""Which folder a command stands in, and which one is its root."""

from __future__ import annotations

import os
from pathlib import Path

from spexsearch.errors import UsageError


def current_folder(directory: str | None) -> Path:
    """The folder that `-C` names, or the current one. Raises UsageError where that was deleted."""
    try:
        return Path.cwd() / (directory or "")
    except FileNotFoundError as error:
        raise UsageError("the current folder does not exist any more; go to one that does") from error


def top_level(here: Path) -> Path | None:
    """The nearest folder that git would call a top level; in worktrees and submodules `.git` is a file."""
    for folder in (here, *here.parents):
        git = folder / ".git"
        if os.path.lexists(git / "HEAD") or git.is_file():
            return folder
    return None
