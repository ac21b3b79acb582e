"""Which claims hold a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import pytest

from spexsearch.govern.holds import FIRST, STRENGTH, Hold, Judged, holds, strongest
from spexsearch.govern.model import Change
from spexsearch.govern.settle import moved_specs
from spexsearch.govern.significance import Effect, effect
from spexsearch.specs.claims import ClaimIndex
from spexsearch.specs.loader import load_specs

A, B = ".spec/a/spec.md", ".spec/b/spec.md"
CODE = "class Box:\n    def open(self):\n        return 1\n\n    def close(self):\n        return 2\n\n\nTAG = 'x'\n"


def claiming(*claims: str, related: tuple[str, ...] = ()) -> str:
    """A spec that claims and refers to these."""
    code = "".join(f"  - {claim}\n" for claim in claims)
    refers = "".join(f"  - {claim}\n" for claim in related)
    return f"---\ntitle: t\ncode:\n{code}related:\n{refers}---\nWords.\n"


@pytest.fixture
def held(sides: Callable[..., Any]) -> Callable[..., list[tuple[str, str, str, bool]]]:
    """The holds on the one change that is no spec's: (spec's path, claim, how and what happens to it, new)."""

    def look(
        before: Mapping[str, str],
        edit: Mapping[str, str | None],
        moved: Mapping[str, str] | None = None,
        copied: Mapping[str, str] | None = None,
        contents: Mapping[str, bytes] | None = None,
    ) -> list[tuple[str, str, str, bool]]:
        made = sides(before, edit, moved, copied)
        (one,) = (change for change in made.change_set.changes if not change.path.endswith(".md"))
        known = made.change_set.contents if contents is None else contents
        done = effect(one, known.get(one.old_blob), known.get(one.new_blob))
        found = holds(
            Judged(one, done, ()),
            ClaimIndex(made.before.tree),
            ClaimIndex(made.after.tree),
            moved_specs(made.change_set.changes),
        )
        return [(hold.spec.path, hold.claim.text, f"{hold.how} {hold.significance}", hold.new) for hold in found]

    return look


Held = Callable[..., list[tuple[str, str, str, bool]]]


@pytest.mark.parametrize(
    ("claim", "old", "new", "told"),
    [
        ("src/box.py", "return 1", "return 3", "file literal"),
        ("src", "return 1", "return 3", "folder literal"),
        ("src/*.py", "return 1", "return 3", "glob literal"),
        ("src/box.py", "return 1", "return one()", "file behaviour"),
        ("src/box.py", "class Box", "# box\nclass Box", "file comment"),
        ("src/box.py#Box.open", "return 1", "return one()", "unit behaviour"),
        ("src/box.py#Box.open", "return 1", "return 3", "unit literal"),
        ("src/box.py#Box.open", "return 2", "return two()", "unit-missed none"),
        ("src/box.py#Box.open", "class Box", "# box\nclass Box", "unit-missed none"),
        # What happens to a unit within it happens to the unit.
        ("src/box.py#Box", "return 2", "return two()", "unit behaviour"),
        ("src/box.py#nosuch", "return 1", "return 3", "unit-missed none"),
        ("src/box.py#TAG", "'x'", "'y'", "unit literal"),
    ],
)
def test_how_a_claim_is_hit(held: Held, claim: str, old: str, new: str, told: str) -> None:
    text = CODE.replace(old, new)
    assert text != CODE
    assert held({A: claiming(claim), "src/box.py": CODE}, {"src/box.py": text}) == [(A, claim, told, False)]


def test_a_reference_refers_whatever_it_names(held: Held) -> None:
    for claim in ("src/box.py", "src", "src/box.py#Box.open", "src/box.py#Box.close"):
        spec = claiming(related=(claim,))
        found = held({A: spec, "src/box.py": CODE}, {"src/box.py": CODE.replace("return 1", "return one()")})
        assert found == [(A, claim, "related behaviour", False)]


def test_without_units_a_claim_on_one_is_a_claim_on_the_file(held: Held) -> None:
    edit = {"src/box.py": CODE.replace("return 2", "return two()")}
    spec = claiming("src/box.py#Box.open")
    assert held({A: spec, "src/box.py": CODE}, edit, contents={}) == [
        (A, "src/box.py#Box.open", "file behaviour", False)
    ]
    text = {A: claiming("a.txt#x"), "a.txt": "one\n"}
    assert held(text, {"a.txt": "two\n"}) == [(A, "a.txt#x", "file behaviour", False)]


def test_new_claims_are_told_from_old_ones(held: Held) -> None:
    before = {A: claiming("x.py"), "x.py": "x = 1\n", B: claiming("y.py")}
    found = held(before, {"x.py": "x = y\n", A: claiming("x.py", "x.py#x")})
    assert found == [(A, "x.py", "file behaviour", False), (A, "x.py#x", "unit behaviour", True)]


def test_a_claim_that_is_taken_away_still_holds(held: Held) -> None:
    before = {A: claiming("x.py"), B: claiming("x.py"), "x.py": "x = 1\n"}
    for edit in ({A: claiming("z.py")}, {A: None}):
        found = held(before, {"x.py": "x = y\n"} | edit)
        assert found == [(B, "x.py", "file behaviour", False), (A, "x.py", "file behaviour", False)]


def test_a_claim_that_is_handed_over_holds_only_who_has_it_now(held: Held) -> None:
    before = {A: claiming("x.py"), "x.py": "x = 1\n"}
    edit = {"x.py": "x = y\n", A: claiming("z.py"), B: claiming("x.py")}
    assert held(before, edit) == [(B, "x.py", "file behaviour", True)]
    # A mere mention takes nothing over.
    edit[B] = claiming(related=("x.py",))
    assert held(before, edit) == [(B, "x.py", "related behaviour", True), (A, "x.py", "file behaviour", False)]
    # Nor a spec that says nothing, nor a claim on what did not change.
    edit[B] = claiming("x.py").replace("Words.", "")
    assert [path for path, *_ in held(before, edit)] == [B, A]
    edit[B] = claiming("x.py#nosuch")
    assert held(before, edit) == [(B, "x.py#nosuch", "unit-missed none", True), (A, "x.py", "file behaviour", False)]
    # Nor does a spec that only referred to it hand it over.
    before = {A: claiming(related=("x.py",)), "x.py": "x = 1\n"}
    edit = {"x.py": "x = y\n", A: claiming("x.py")}
    assert held(before, edit) == [(A, "x.py", "file behaviour", True)]


def test_a_new_file_is_held_by_the_claims_of_the_head(held: Held) -> None:
    before = {A: claiming("src"), B: claiming("src/new.py"), ".spec/c/spec.md": claiming("src")}
    found = held(before, {"src/new.py": "x = 1\n", ".spec/c/spec.md": claiming("lib")})
    assert found == [(A, "src", "folder behaviour", False), (B, "src/new.py", "file behaviour", False)]


def test_a_deleted_file_is_held_by_the_claims_of_the_base(held: Held) -> None:
    before = {A: claiming("x.py"), "x.py": "x = 1\n"}
    edit = {"x.py": None, A: claiming("z.py"), B: claiming("x.py")}
    assert held(before, edit) == [(A, "x.py", "file behaviour", False)]


def test_a_renamed_file_is_held_by_both_its_names(held: Held) -> None:
    before = {A: claiming("old.py"), B: claiming("new.py"), "old.py": "x = 1\n"}
    found = held(before, {"new.py": "x = y\n"}, {"old.py": "new.py"})
    assert found == [(B, "new.py", "file behaviour", True)]
    before = {A: claiming("old.py", "new.py"), "old.py": "x = 1\n"}
    found = held(before, {"new.py": "x = y\n"}, {"old.py": "new.py"})
    assert found == [(A, "new.py", "file behaviour", True), (A, "old.py", "file behaviour", False)]


def test_a_copy_is_held_by_its_own_name_alone(held: Held) -> None:
    before = {A: claiming("old.py", "new.py"), "old.py": "x = 1\n"}
    found = held(before, {"new.py": "x = y\n"}, copied={"old.py": "new.py"})
    assert found == [(A, "new.py", "file behaviour", True)]


def test_a_renamed_spec_is_one_spec(held: Held) -> None:
    before = {A: claiming("x.py"), "x.py": "x = 1\n"}
    found = held(before, {"x.py": "x = y\n"}, {A: B})
    assert found == [(B, "x.py", "file behaviour", False)]


# --- which hold speaks, and how loudly


(SPEC,) = load_specs({A: claiming("x.py", "y.py", related=("z.py",)).encode()}).specs


def hold(how: str, claim: int = 0, path: str = "x.py") -> Hold:
    judged = Judged(Change("M", path), Effect("code", "behaviour"), ())
    return Hold(SPEC, SPEC.claims[claim], how, judged, "behaviour")


def test_the_strongest_hold_is_told_by_kind_then_path_then_line() -> None:
    for stronger, weaker in pairwise(STRENGTH[:-1]):
        pair = [hold(weaker, 0, "a.py"), hold(stronger, 1, "z.py")]
        assert strongest(pair) == pair[1]
    pair = [hold("file", 0, "z.py"), hold("file", 1, "a.py")]
    assert strongest(pair) == pair[1]
    pair = [hold("file", 1), hold("file", 0)]
    assert strongest(pair) == pair[1]
    assert strongest([]) is None


@pytest.mark.parametrize("how", STRENGTH[:-1])
def test_a_mention_and_another_unit_are_no_hit_and_nor_is_a_new_claim(how: str) -> None:
    assert hold(how).is_hit is (how not in ("related", "unit-missed"))
    assert not hold(how)._replace(new=True).is_hit


@pytest.mark.parametrize(
    ("kind", "significance", "loud"),
    [
        *((kind, "behaviour", True) for kind in ("code", "config", "other")),
        *((kind, "behaviour", False) for kind in ("test", "style", "generated", "doc", "spec")),
        ("code", "literal", True),
        *(("code", s, False) for s in ("type", "version", "import", "comment", "whitespace", "mode", "rename", "none")),
    ],
)
def test_what_can_leave_a_spec_behind(kind: Any, significance: Any, loud: bool) -> None:
    assert Judged(Change("M", "a"), Effect(kind, significance), ()).is_loud is loud


def test_the_first_are_those_that_say_most_then_by_path() -> None:
    shares = {"d": 0.5, "b": 0.5, "c": 1.0, "a": 0.1}
    judged = Judged(Change("M", "x"), Effect("code", "behaviour"), (), shares)
    assert judged.first == ("c", "b", "d")
    assert len(judged.first) == FIRST
    assert judged._replace(shares={}).first == ()
