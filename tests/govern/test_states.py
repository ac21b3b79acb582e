"""Both sides of a change, from one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spexsearch.govern.model import Change, Hunk, Line
from spexsearch.govern.states import Files, agrees, done, states, undone
from spexsearch.specs.dialects import candidates
from spexsearch.specs.globs import Glob
from spexsearch.specs.model import Problem

SPEC = ".spec/a/spec.md"
REGULAR, LINK, EXECUTABLE = "100644", "120000", "100755"


def files(texts: Mapping[str, str], problems: tuple[Problem, ...] = ()) -> Files:
    """A state in which every blob is named by its text."""
    specs = candidates(sorted(texts))
    return Files({path: texts[path].encode() for path in specs}, dict(texts), problems)


def made(status: Any, path: str, old: str | None, new: str | None, old_path: str | None = None) -> Change:
    old_mode, new_mode = (None if side is None else REGULAR for side in (old, new))
    return Change(status, path, old_path, False, old_mode, new_mode, old, new)


def contents(*texts: str) -> dict[str, bytes]:
    return {text: text.encode() for text in texts}


STEPS = [
    (made("M", SPEC, "one", "two"), {SPEC: "one"}, {SPEC: "two"}),
    (made("A", SPEC, None, "two"), {}, {SPEC: "two"}),
    (made("D", SPEC, "one", None), {SPEC: "one"}, {}),
    (made("R", ".spec/b/spec.md", "one", "two", SPEC), {SPEC: "one"}, {".spec/b/spec.md": "two"}),
    (made("C", ".spec/b/spec.md", "one", "two", SPEC), {SPEC: "one"}, {SPEC: "one", ".spec/b/spec.md": "two"}),
    (made("M", "a.py", "one", "two"), {"a.py": "one"}, {"a.py": "two"}),
    (made("R", SPEC, "one", "one", "a.md"), {"a.md": "one"}, {SPEC: "one"}),
]


@pytest.mark.parametrize(("change", "old", "new"), STEPS)
def test_one_change_done_and_undone(change: Change, old: dict[str, str], new: dict[str, str]) -> None:
    other = {"b.py": "x"}
    before, after = files(old | other), files(new | other)
    known = contents("one", "two")
    assert done(before, [change], known) == after
    assert undone(after, [change], known) == before
    # A diff may be done already: doing it again changes nothing.
    assert done(after, [change], known) == after


def lines(change: Change, removed: tuple[tuple[int, str], ...], added: tuple[tuple[int, str], ...]) -> Change:
    told = Hunk(1, 1, 1, 1, tuple(Line(*line) for line in removed), tuple(Line(*line) for line in added))
    return change._replace(hunks=(told,))


@pytest.mark.parametrize(
    ("change", "agreed"),
    [
        (lines(made("M", "a", "x\none", "x\ntwo"), ((2, "one"),), ((2, "two"),)), True),
        (lines(made("M", "a", "x\none", "x\ntwo"), ((2, "two"),), ((2, "two"),)), False),
        (lines(made("M", "a", "x\none", "x\ntwo"), ((2, "one"),), ((2, "one"),)), False),
        (lines(made("M", "a", "x\none", "x\ntwo"), ((2, "one"),), ((1, "two"),)), False),
        (lines(made("M", "a", "x\none", "x\ntwo"), ((3, "one"),), ()), False),
        (lines(made("M", "a", "x\none", "unknown"), ((2, "one"),), ((2, "anything"),)), True),
        (lines(made("M", "a", "unknown", "x\ntwo"), ((2, "anything"),), ((2, "two"),)), True),
        (lines(made("A", "a", None, "x\ntwo"), (), ((1, "x"), (2, "two"))), True),
        (lines(made("A", "a", None, "x\ntwo"), (), ((1, "x"), (2, "one"))), False),
        (lines(made("M", "a", "unknown", "unknown"), (), ((1, "x"),)), False),
        (lines(Change("M", "a"), ((1, "x"),), ((1, "y"),)), True),
        (made("R", "a", "x\none", "x\none", "b"), True),
    ],
)
def test_a_diff_shows_the_lines_of_the_blobs_it_names(change: Change, agreed: bool) -> None:
    assert agrees(change, contents("x\none", "x\ntwo")) is agreed


def test_bytes_that_are_no_text_are_compared_as_they_are() -> None:
    change = lines(made("M", "a", "one", "two"), ((1, "\udcff"),), ((1, "\udcfe"),))
    assert agrees(change, {"one": b"\xff", "two": b"\xfe"})
    assert not agrees(change, {"one": b"\xff", "two": b"\xff"})


PATHS = [SPEC, ".spec/b/spec.md", ".spec/b/c/spec.md", "a.py", "b.py", "SPEC.md", "notes.md"]
TEXTS = st.sampled_from(["one", "two", "three"])
STATES = st.dictionaries(st.sampled_from(PATHS), TEXTS)


@given(STATES, STATES, st.data())
def test_done_and_undone_are_inverse(old: dict[str, str], new: dict[str, str], data: st.DataObject) -> None:
    # The texts of other Markdown are at hand only where a SPEC.md leads on the side that was read.
    assume("notes.md" not in {**old, **new} or ("SPEC.md" in old) == ("SPEC.md" in new))
    changes = [
        made("A" if path not in old else "D" if path not in new else "M", path, old.get(path), new.get(path))
        for path in sorted({*old, *new})
        if old.get(path) != new.get(path)
    ]
    gone = [change for change in changes if change.status == "D"]
    come = [change for change in changes if change.status == "A"]
    pairs = list(zip(gone, come, strict=False))[: data.draw(st.integers(0, 3))]
    for left, entered in pairs:
        changes.remove(left)
        changes.remove(entered)
        changes.append(made("R", entered.path, left.old_blob, entered.new_blob, left.path))
    changes = data.draw(st.permutations(changes))
    known = contents("one", "two", "three")
    before, after = files(old), files(new)
    assert done(before, changes, known) == after
    assert undone(after, changes, known) == before


def test_two_files_may_swap_their_names() -> None:
    other = ".spec/b/spec.md"
    changes = [made("R", other, "one", "one", SPEC), made("R", SPEC, "two", "two", other)]
    before, after = files({SPEC: "one", other: "two"}), files({SPEC: "two", other: "one"})
    for known in (contents("one", "two"), {}):
        assert done(before, changes, known) == after
        assert undone(after, changes, known) == before


def test_a_text_that_is_not_at_hand_is_as_it_was() -> None:
    before = files({SPEC: "one"})
    edit = made("M", SPEC, "one", "two")
    assert done(before, [edit], {}) == Files({SPEC: b"one"}, {SPEC: "two"})
    moved = made("R", ".spec/b/spec.md", "one", "two", SPEC)
    assert done(before, [moved], {}) == Files({".spec/b/spec.md": b"one"}, {".spec/b/spec.md": "two"})
    assert done(files({}), [made("A", SPEC, None, "two")], {}) == Files({}, {SPEC: "two"})
    untold = Change("M", SPEC)
    assert done(before, [untold], {}) == Files({SPEC: b"one"}, {SPEC: ""})


@pytest.mark.parametrize(
    ("mode", "read"), [(REGULAR, True), (EXECUTABLE, True), (None, True), (LINK, False), ("160000", False)]
)
def test_only_regular_files_have_text(mode: str | None, read: bool) -> None:
    change = Change("T", SPEC, old_mode=REGULAR, new_mode=mode, old_blob="one", new_blob="two")
    assert done(files({SPEC: "one"}), [change], contents("one", "two")).texts == ({SPEC: b"two"} if read else {})


def test_only_what_may_be_a_spec_is_kept() -> None:
    change = made("A", "a.py", None, "two")
    assert done(files({}), [change], contents("two")) == Files({}, {"a.py": "two"})
    # Other Markdown counts where a SPEC.md leads.
    both = [made("A", "SPEC.md", None, "one"), made("A", "notes.md", None, "two")]
    assert set(done(files({}), both[1:], contents("two")).texts) == set()
    assert set(done(files({}), both, contents("one", "two")).texts) == {"SPEC.md", "notes.md"}
    named = (Glob("docs/*.txt"),)
    text = made("A", "docs/a.txt", None, "two")
    stepped = done(Files({}, {}, (), named), [text], contents("two"))
    assert stepped == Files({"docs/a.txt": b"two"}, {"docs/a.txt": "two"}, (), named)


def test_problems_stay_with_the_files_that_did_not_change() -> None:
    problems = tuple(Problem(path, 1, "what") for path in (SPEC, ".spec/b/spec.md", "notes.md"))
    moved = made("R", ".spec/c/spec.md", "one", "one", ".spec/b/spec.md")
    stepped = done(files({SPEC: "one", ".spec/b/spec.md": "one"}, problems), [moved], {})
    assert [problem.path for problem in stepped.problems] == [SPEC, "notes.md"]
    stepped = undone(files({SPEC: "one"}, problems), [made("M", SPEC, "two", "one")], {})
    assert [problem.path for problem in stepped.problems] == [".spec/b/spec.md", "notes.md"]


def spec(title: str, covers: str = "") -> str:
    return f"---\nid: {title}\ntitle: {title}\ntype: t\n{covers}---\nWords.\n"


def test_both_states_are_read(sides: Callable[..., Any]) -> None:
    problem = Problem("x", 1, "what")
    before = files({"SPEC.md": spec("a"), "a.py": "x"}, (problem,))
    after = files({"SPEC.md": spec("b"), "a.py": "y"})
    old, new = states(before, after)
    assert ([s.id for s in old.tree.specs], [s.id for s in new.tree.specs]) == (["a"], ["b"])
    assert (old.files, new.files) == (before.blobs, after.blobs)
    assert (old.tree.problems, new.tree.problems) == ((problem,), ())


def test_a_tree_that_is_the_same_is_read_once() -> None:
    one = files({"SPEC.md": spec("a", "covers: [lib]\n"), "lib/a.py": "x"})
    same = files({"SPEC.md": spec("a", "covers: [lib]\n"), "lib/a.py": "y"})
    old, new = states(one, same)
    assert old.tree is new.tree
    assert old.files["lib/a.py"] != new.files["lib/a.py"]
    # Which paths there are decides which entries of `covers:` are paths.
    other = files({"SPEC.md": spec("a", "covers: [lib]\n"), "src/a.py": "x"})
    old, new = states(other, same)
    assert [len(state.tree.specs[0].claims) for state in (old, new)] == [1, 2]
    old, new = states(files({"SPEC.md": spec("b"), "lib/a.py": "x"}), same)
    assert old.tree.specs[0].id == "b"


def test_named_specs_are_read() -> None:
    named = (Glob("docs/*.md"),)
    text = "---\ntitle: t\n---\nWords.\n"
    one = Files({"docs/a.md": text.encode()}, {"docs/a.md": "1"}, (), named)
    old, new = states(Files({}, {}, (), named), one)
    assert (old.tree.specs, [s.id for s in new.tree.specs]) == ((), ["a"])
