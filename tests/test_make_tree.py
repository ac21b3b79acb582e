"""The trees that benchmarks are run on: real repositories, the same ones from the same seed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from spexsearch import load_tree


def made(root: Path, folder: Path, seed: int) -> str:
    """Make a tree of thirty specs; its commit."""
    command = [sys.executable, str(root / "benchmarks" / "make_tree.py"), str(folder), "--specs", "30"]
    subprocess.run([*command, "--seed", str(seed)], check=True, capture_output=True)
    done = subprocess.run(["git", "-C", str(folder), "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return done.stdout


def test_a_seed_gives_one_tree(root: Path, tmp_path: Path) -> None:
    first, again, other = (made(root, tmp_path / name, seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    assert first == again != other


def test_its_specs_claim_code_that_is_there(root: Path, tmp_path: Path) -> None:
    made(root, tmp_path / "tree", 1)
    tree = load_tree(tmp_path / "tree")
    assert tree.problems == ()
    assert len(tree.specs) == 30
    assert len(tree.parents) == 29
    claims = [claim for spec in tree.specs for claim in spec.claims]
    assert len({claim.path for claim in claims}) == 30
    assert {claim.kind.value for claim in claims} == {"unit", "path"}
    for claim in claims:
        text = (tmp_path / "tree" / claim.path).read_text(encoding="utf-8")
        assert claim.symbol is None or f"def {claim.symbol}(" in text
