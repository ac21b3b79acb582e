"""What a hook imports: it starts cold at every commit, so it fetches only what the change at hand asks for."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Repo

SPEC = "---\ntitle: clock\ndesc: How time passes.\ncode:\n  - clock.py#tick\n---\n# clock\n\nIt ticks once a second.\n"
CODE = "def tick(now):\n    return now + 1\n"

RUN = """
import sys
from spexsearch.cli.govern import main
status = main([])
print(status, *sorted(sys.modules), file=sys.stderr)
"""

# Neither the one hook nor the other: a walk through history, files that are written, and records that cost a start.
NEVER = {"git", "tqdm", "tomlkit", "yaml", "rapidfuzz", "dataclasses", "inspect", "tempfile", "json", "hashlib", "html"}
# What the change is read, parsed and ranked with.
FOR_A_CHANGE = {"unidiff", "ast_grep_py", "pyromark", "spexsearch.floor.passages", "spexsearch.govern.evidence"}


def imported(repo: Repo) -> tuple[str, set[str]]:
    """The exit status of the hook, and every module that it has imported in the end."""
    done = subprocess.run([sys.executable, "-c", RUN], cwd=repo.path, capture_output=True, text=True, check=True)
    status, *modules = done.stderr.split("\n")[-2].split()
    return status, set(modules)


@pytest.fixture
def specs(repo: Repo) -> Repo:
    """A committed spec and its code."""
    repo.commit("start", {".spec/clock/spec.md": SPEC, "clock.py": CODE})
    return repo


def test_with_nothing_staged_nothing_is_ranked_or_parsed(specs: Repo) -> None:
    status, modules = imported(specs)
    assert status == "0"
    assert not modules & (NEVER | FOR_A_CHANGE)
    assert not {name for name in modules if name.startswith("spexsearch.floor")}


def test_a_staged_change_brings_what_it_is_judged_with_and_no_more(specs: Repo) -> None:
    specs.write({"clock.py": CODE.replace("1", "2 * now")})
    specs.git("add", "-A")
    status, modules = imported(specs)
    assert status == "1"
    assert modules >= FOR_A_CHANGE
    assert not modules & NEVER
