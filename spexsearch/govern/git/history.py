"""Which commits a history has: the only importer of GitPython, which walks histories well and reads diffs badly."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from spexsearch.errors import GitError, UsageError
from spexsearch.govern.model import PastUnit


def walk(git_dir: Path, environ: Mapping[str, str], base: str | None, head: str, *, merges: bool) -> list[PastUnit]:
    """The commits of `base..head` that are no merges, or its first-parent merges; root commits are left out.

    `base` and `head` are full names; without a base it is the whole history. Oldest first by the date of the commit,
    then by its name. Raises UsageError where GitPython is not installed, GitError where the history cannot be read.
    """
    try:
        from git import Repo
        from git.exc import GitError as Refused
    except ImportError as error:
        raise UsageError(f"replay walks histories with GitPython ({error}); run `pip install GitPython`") from error
    # Both are flags of `git rev-list`; an absent one is False.
    flags = {"first_parent": merges, "merges": merges, "no_merges": not merges}
    try:
        with Repo(git_dir, search_parent_directories=False) as repo:
            repo.git.update_environment(**environ)
            commits = repo.iter_commits(f"{base}..{head}" if base else head, (), **flags)
            found = [PastUnit(c.hexsha, c.parents[0].hexsha, c.committed_date) for c in commits if c.parents]
    except (Refused, ValueError, OSError) as error:
        told = str(error).strip().splitlines()
        raise GitError(
            f"the history of {head} cannot be read ({told[0] if told else 'no reason'}); try `git fsck`"
        ) from error
    return sorted(found, key=lambda unit: (unit.date, unit.sha))
