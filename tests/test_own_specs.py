"""The project's own specs: they read without a fault, claim every module once, and name only what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from spexsearch.govern.units import outline
from spexsearch.specs.claims import ClaimIndex
from spexsearch.specs.folder import read_folder
from spexsearch.specs.globs import Glob
from spexsearch.specs.loader import load_tree
from spexsearch.specs.model import Claim, ClaimKind, Relation, SpecTree

PACKAGE = "spexsearch"


@pytest.fixture(scope="module")
def tree(root: Path) -> SpecTree:
    """The specs as they lie in the checkout."""
    found = load_tree(root)
    assert found.specs, "the checkout has no specs"
    return found


def claims(tree: SpecTree, *kinds: ClaimKind) -> list[tuple[str, Claim]]:
    """Every claim of these kinds, with the place where it stands."""
    return [(f"{spec.path}:{claim.line}", claim) for spec in tree.specs for claim in spec.claims if claim.kind in kinds]


def test_nothing_is_wrong_with_them(tree: SpecTree) -> None:
    assert tree.problems == ()


def test_they_are_one_tree(tree: SpecTree) -> None:
    assert [spec.id for spec in tree.specs if spec.path not in tree.parents] == [PACKAGE]


def test_each_says_something(tree: SpecTree) -> None:
    short = [spec.path for spec in tree.specs if not spec.desc or spec.body.count("\n") < 8]
    assert short == []
    assert [spec.path for spec in tree.specs if "title" not in spec.fields] == []


def test_each_module_is_claimed_by_one_spec(root: Path, tree: SpecTree) -> None:
    modules = sorted(path.relative_to(root).as_posix() for path in (root / PACKAGE).rglob("*.py"))
    assert f"{PACKAGE}/__init__.py" in modules
    index = ClaimIndex(tree)
    wrong = {}
    for module in modules:
        hits = [hit for hit in index.on(module) if hit.claim.relation is Relation.CODE]
        whole = {hit.spec.id for hit in hits if hit.how != "unit"}
        # A claim on one unit may sharpen the claim on its file, but not put a second spec beside it.
        if len(whole) != 1 or {hit.spec.id for hit in hits} != whole:
            wrong[module] = sorted({hit.spec.id for hit in hits})
    assert wrong == {}


def test_each_claim_names_what_is_there(root: Path, tree: SpecTree) -> None:
    named = claims(tree, ClaimKind.PATH, ClaimKind.UNIT)
    assert named
    dead = [f"{place} {claim.text}" for place, claim in named if not (root / claim.path).exists()]
    patterns = claims(tree, ClaimKind.GLOB)
    files = read_folder(root).files if patterns else []
    dead += [f"{place} {claim.text}" for place, claim in patterns if not any(map(Glob(claim.path).matches, files))]
    assert dead == []


def test_each_symbol_is_one_unit(root: Path, tree: SpecTree) -> None:
    named = claims(tree, ClaimKind.UNIT)
    assert named
    wrong = {}
    for place, claim in named:
        found = outline(claim.path, (root / claim.path).read_bytes())
        units = found.find(claim.symbol or "") if found else ()
        if len(units) != 1:
            wrong[f"{place} {claim.text}"] = [unit.name for unit in units]
    assert wrong == {}
