"""What settles a spec, and what only looks like it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spexsearch.govern.model import Change, Commit
from spexsearch.govern.settle import (
    Acknowledgements,
    acknowledged_ids,
    by_path,
    is_told,
    moved_specs,
    touched_paths,
)

SCISSORS = "# ------------------------ >8 ------------------------"
SPEC = ".spec/a/spec.md"
TEXT = "---\ntitle: clock\ndesc: Time.\ncode:\n  - src/a.py\n---\n# clock\n\nIt never goes back.\n"


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        ("", ()),
        ("Spec-OK: a", ("a",)),
        ("subject\n\nSpec-OK: a, b ,c\nSpec-OK: d", ("a", "b", "c", "d")),
        ("spec-ok:a", ("a",)),
        ("SPEC-OK:\ta\t", ("a",)),
        ("Spec-OK: b\nSpec-OK: a, b", ("b", "a")),
        ("Spec-OK: ,, a,", ("a",)),
        ("Spec-OK:", ()),
        ("Spec-OK a", ()),
        (" Spec-OK: a", ()),
        ("> Spec-OK: a", ()),
        ("see Spec-OK: a", ()),
        ("a\rSpec-OK: a", ()),
        ("a\u2028Spec-OK: a", ()),
        ("Spec-OK: a\r\nSpec-OK: b\r\n", ("a", "b")),
        ("Spec-OK: a (still holds, mostly), b", ("a", "b")),
        ("Spec-OK: a (it still", ("a",)),
        ("Spec-OK: a(b)", ("a(b)",)),
        ("Spec-OK: a - only renamed, nothing else", ("a",)),
        ("Spec-OK: a – why", ("a",)),
        ("Spec-OK: a — why", ("a",)),
        ("Spec-OK: a-b, c - d", ("a-b", "c")),
        ("```\nSpec-OK: a\n```\nSpec-OK: b", ("b",)),
        ("```text\r\nSpec-OK: a\r\n```\r\nSpec-OK: b", ("b",)),
        ("   ~~~ a `b`\nSpec-OK: a\n```\nSpec-OK: b\n~~~\nSpec-OK: c", ("c",)),
        ("````\n```\nSpec-OK: a\n```` no end\nSpec-OK: b\n`````  \nSpec-OK: c", ("c",)),
        ("```\nnever closed\n\nSpec-OK: a", ()),
        ("```inline``` code\nSpec-OK: a", ("a",)),
        ("``\nSpec-OK: a\n``", ("a",)),
        ("    ```\nSpec-OK: a", ("a",)),
        (f"Spec-OK: a\n{SCISSORS}\nSpec-OK: b", ("a",)),
        (f"```\nSpec-OK: a\n{SCISSORS}\n```\nSpec-OK: b", ()),
        ("Spec-OK: a\n; ------------------------ >8 ------------------------\nSpec-OK: b", ("a",)),
        # Letters that only look like ours, and what is no end of a line.
        ("\u017fpec-OK: a", ()),
        ("Spec-O\u212a: a", ()),
        ("\uff33pec-OK: a", ()),
        ("\ufeffSpec-OK: a", ()),
        ("\u200bSpec-OK: a", ()),
        ("a\x00Spec-OK: a", ()),
        ("a\x85Spec-OK: a\x0bSpec-OK: a\x0cSpec-OK: a\x1eSpec-OK: a", ()),
        ("Spec-OK: a".encode("utf-16").decode("utf-8", "replace"), ()),
        ("Spec\u2010OK: a", ()),
        ("Spec-OK\uff1a a", ()),
        ("Spec-OK: a\rb", ("a\rb",)),
        ("Spec-OK: a b", ("a b",)),
        ("Spec-OK: a\u200b", ("a\u200b",)),
        # What is quoted or hidden in HTML.
        ("<!--\nSpec-OK: a\n-->\nSpec-OK: b", ("b",)),
        ("x <!-- y\nSpec-OK: a\nz --> w\nSpec-OK: b", ("b",)),
        ("<!-- x\nSpec-OK: a", ()),
        ("   <!-- x\nSpec-OK: a", ()),
        ("no <!-- here\nSpec-OK: a", ("a",)),
        ("no `<!--` here\nSpec-OK: a\n-->", ("a",)),
        ("<!-- x --> y\nSpec-OK: a", ("a",)),
        ("<!-- x --><!-- y\nSpec-OK: a\n-->", ()),
        ("<textarea>\nSpec-OK: a\n</textarea>\nSpec-OK: b", ("b",)),
        ("x <TextArea rows=1>\nSpec-OK: a\n</TEXTAREA >\nSpec-OK: b", ("b",)),
        ("<script>\n```\n</script>\nSpec-OK: a", ("a",)),
        ("```\n<script>\n```\nSpec-OK: a", ("a",)),
        ("<style>\nSpec-OK: a", ()),
        ("<blockquote>\nSpec-OK: a\n</blockquote>", ()),
        ("Take <script> from titles\n\nSpec-OK: a", ("a",)),
        ("<scripted>\nSpec-OK: a", ("a",)),
        ("<details>\nSpec-OK: a\n</details>", ("a",)),
        (f"x <pre>\nSpec-OK: a\n{SCISSORS}\n</pre>", ("a",)),
    ],
)
def test_acknowledged_ids(message: str, ids: tuple[str, ...]) -> None:
    assert acknowledged_ids(message) == ids


def commits(*rows: tuple[str, str, str, str]) -> list[Commit]:
    """Newest first: name, ids that it acknowledges, paths it changes, parents; words are parted by spaces."""
    return [
        Commit(sha, f"do\n\nSpec-OK: {ids}" if ids else "do", frozenset(paths.split()), tuple(parents.split()))
        for sha, ids, paths, parents in rows
    ]


@pytest.mark.parametrize(
    ("rows", "covered"),
    [
        ([("b", "a", "f", "0")], True),
        ([("b", "other", "f", "0")], False),
        ([("b", "", "f", "0")], False),
        ([("b", "a", "", "0")], True),
        # Where no commit is seen to have made the change, only an empty one can mean it.
        ([("b", "a", "g", "0")], False),
        ([("c", "", "", "b"), ("b", "a", "g", "0")], False),
        ([("c", "a", "", "b"), ("b", "", "g", "0")], True),
        ([("c", "a", "g", "b"), ("b", "", "f", "0")], False),
        ([("c", "a", "", "b"), ("b", "", "f", "0")], True),
        ([("c", "", "f", "b"), ("b", "a", "", "0")], False),
        ([("c", "", "f", "b"), ("b", "a", "f", "0")], False),
        ([("c", "a", "f", "b"), ("b", "a", "f", "0")], True),
        ([("d", "a", "", "c"), ("c", "", "g", "b"), ("b", "", "f", "0")], True),
        ([("d", "other", "", "c"), ("c", "a", "g", "b"), ("b", "", "f", "0")], False),
        # An empty commit on one branch says nothing of the other, a merge of both speaks for both.
        ([("m", "", "", "x y"), ("x", "a", "", "0"), ("y", "", "f", "0")], False),
        ([("m", "a", "", "x y"), ("x", "", "f", "0"), ("y", "", "f", "0")], True),
        ([("m", "a", "f", "x y"), ("x", "", "f", "0"), ("y", "", "", "0")], False),
    ],
)
def test_a_commit_answers_for_itself_and_an_empty_one_for_those_below(
    rows: list[tuple[str, str, str, str]], covered: bool
) -> None:
    assert Acknowledgements(commits(*rows)).cover(frozenset({"a"}), frozenset({"f"})) is covered


def test_what_leaves_no_spec_behind_asks_for_no_acknowledgement() -> None:
    named, quiet = commits(("c", "a", "f", "b"), ("b", "", "f g", "0"))
    assert not Acknowledgements([named, quiet]).cover(frozenset({"a"}), frozenset({"f"}))
    quiet = quiet._replace(cosmetic=frozenset({"f"}))
    assert Acknowledgements([named, quiet]).cover(frozenset({"a"}), frozenset({"f"}))
    assert not Acknowledgements([named, quiet]).cover(frozenset({"a"}), frozenset({"f", "g"}))


def test_any_of_the_names_of_a_spec_will_do() -> None:
    acknowledgements = Acknowledgements(commits(("c", "new", "f", "b"), ("b", "old", "f", "0")))
    assert acknowledgements.ids == {"old", "new"}
    assert acknowledgements.cover(frozenset({"old", "new"}), frozenset({"f"}))
    assert not acknowledgements.cover(frozenset({"new"}), frozenset({"f"}))
    assert not Acknowledgements(()).cover(frozenset({"new"}), frozenset())
    assert Acknowledgements(()).ids == frozenset()


@pytest.mark.parametrize(
    ("status", "known", "told"),
    [
        ("M", ("old", "new"), True),
        ("M", ("new",), False),
        ("M", ("old",), False),
        ("R", ("new",), False),
        ("A", ("new",), True),
        ("A", (), False),
        ("C", ("new",), True),
        ("C", ("old",), False),
        ("D", ("old",), True),
        ("D", ("new",), False),
    ],
)
def test_is_told(status: Any, known: tuple[str, ...], told: bool) -> None:
    made = Change(status, "f", old_blob="old", new_blob="new")
    assert is_told(made, dict.fromkeys(known, b"")) is told


def test_only_renames_move_a_spec() -> None:
    changes = [Change("R", "b", "a"), Change("C", "d", "c"), Change("M", "e")]
    assert moved_specs(changes) == {"a": "b"}


TOUCHES = [
    ("never goes back", "may go back", True),
    ("title: clock", "title: watch", True),
    ("# clock", "# The clock", True),
    ("desc: Time.", "desc: The time.", True),
    ("never goes back", "never  *goes*\nback", False),
    ("desc: Time.", "desc:   Time.", False),
    ("# clock", "## clock", False),
    ("src/a.py", "src/b.py", False),
    ("title: clock", "owner: me\ntitle: clock", False),
    ("# clock\n\nIt never goes back.", "It never goes back.\n\n# clock", False),
    ("It never goes back.", "It never goes back<!-- much -->", False),
    ("desc: Time.", "desc: Time <!-- of day -->", False),
    ("It never goes back.", "It never goes back: never.", True),
]


@pytest.mark.parametrize(("old", "new", "touched"), TOUCHES)
@pytest.mark.parametrize(("origin", "told"), [("range", True), ("staged", True), ("diff", True), ("diff", False)])
def test_a_spec_is_touched_where_it_says_something_else(
    sides: Callable[..., Any], old: str, new: str, touched: bool, origin: str, told: bool
) -> None:
    kept: dict[str, Any] = {} if told else {"contents": {}}
    made = sides({SPEC: TEXT}, {SPEC: TEXT.replace(old, new)}, origin=origin, **kept)
    found = touched_paths(made.change_set, by_path(made.before.tree), by_path(made.after.tree))
    assert found == (frozenset({SPEC}) if touched else frozenset())


def test_new_specs_are_touched_and_deleted_ones_are_not(sides: Callable[..., Any]) -> None:
    new = ".spec/b/spec.md"
    made = sides({SPEC: TEXT, "a.py": "x"}, {SPEC: None, new: TEXT + "More.\n", "a.py": "y"})
    before, after = by_path(made.before.tree), by_path(made.after.tree)
    assert touched_paths(made.change_set, before, after) == {new}
    # The specs may be read at a revision that still has what the change deletes.
    assert touched_paths(made.change_set, before, before | after) == {new}


def test_a_renamed_spec_is_compared_with_what_it_was(sides: Callable[..., Any]) -> None:
    new = ".spec/b/spec.md"
    for text, touched in ((TEXT, set()), (TEXT.replace("back", "on"), {new})):
        made = sides({SPEC: TEXT}, {new: text}, moved={SPEC: new})
        assert touched_paths(made.change_set, by_path(made.before.tree), by_path(made.after.tree)) == touched


def test_a_spec_that_is_called_after_its_folder_says_nothing_new_elsewhere(sides: Callable[..., Any]) -> None:
    new = ".spec/b/spec.md"
    text = TEXT.replace("title: clock\n", "")
    titled = "---\ntitle: a\n" + text.removeprefix("---\n")
    for edited, touched in ((text, set()), (titled, {new})):
        made = sides({SPEC: text}, {new: edited}, moved={SPEC: new})
        assert touched_paths(made.change_set, by_path(made.before.tree), by_path(made.after.tree)) == touched


def test_a_title_that_is_a_structure_is_compared_as_it_is_read(sides: Callable[..., Any]) -> None:
    for title, touched in (("[clock,  watch]", set()), ("[watch]", {SPEC})):
        old = TEXT.replace("title: clock", "title: [clock, watch]")
        made = sides({SPEC: old}, {SPEC: old.replace("[clock, watch]", title)})
        assert touched_paths(made.change_set, by_path(made.before.tree), by_path(made.after.tree)) == touched


def test_a_range_is_never_judged_by_its_hunks(sides: Callable[..., Any]) -> None:
    made = sides({SPEC: TEXT}, {SPEC: TEXT.replace("never", "hardly")}, contents={})
    same = by_path(made.after.tree)
    assert touched_paths(made.change_set, same, same) == frozenset()
    diff = made.change_set._replace(origin="diff")
    assert touched_paths(diff, same, same) == {SPEC}


@pytest.mark.parametrize(
    "text", ["<!-- ", "<!--\n", "x <pre>\n", "```\n", "`", "Spec-OK: a (", "Spec-OK:\n", "<pre ", "--> <!--\n"]
)
def test_a_hostile_message_costs_no_more_than_its_length(text: str) -> None:
    assert isinstance(acknowledged_ids(text * (1_000_000 // len(text))), tuple)
