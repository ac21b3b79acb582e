"""A unit without its spec edits: what is left of the change, of the files, and what the authors did."""

from __future__ import annotations

from spexsearch.govern.model import Change, Hunk, Line
from spexsearch.govern.replay.hidden import changes_source, edited, hide, signature
from spexsearch.govern.repository import Entry

SPEC, OTHER = ".spec/a/spec.md", ".spec/b/spec.md"
HUNK = Hunk(1, 1, 1, 1, (Line(1, "old"),), (Line(1, "new"),))


def entry(blob: str) -> Entry:
    return Entry("100644", blob)


def modified(path: str, old: str, new: str) -> Change:
    return Change("M", path, None, False, "100644", "100644", old, new, (HUNK,))


def renamed(old: str, new: str, old_blob: str, new_blob: str) -> Change:
    return Change("R", new, old, False, "100644", "100644", old_blob, new_blob, (HUNK,))


FILES = {SPEC: entry("a1"), OTHER: entry("b1"), "src/a.py": entry("c1")}


def test_an_edit_of_a_spec_is_taken_out_and_the_rest_is_not() -> None:
    code = modified("src/a.py", "c1", "c2")
    hidden = hide([modified(SPEC, "a1", "a2"), code], FILES, {SPEC, OTHER})
    assert hidden.changes == (code,)
    assert hidden.entries == {SPEC: entry("a1"), OTHER: entry("b1"), "src/a.py": entry("c2")}
    assert hidden.moved == {}


def test_a_renamed_spec_keeps_its_text_under_the_new_name() -> None:
    new = ".spec/c/spec.md"
    hidden = hide([renamed(SPEC, new, "a1", "a2")], FILES, {SPEC, OTHER})
    assert hidden.entries == {new: entry("a1"), OTHER: entry("b1"), "src/a.py": entry("c1")}
    assert hidden.moved == {new: SPEC}
    (shown,) = hidden.changes
    assert (shown.status, shown.old_path, shown.path, shown.old_blob, shown.new_blob) == ("R", SPEC, new, "a1", "a1")
    assert shown.hunks == ()


def test_specs_that_change_places_keep_their_texts() -> None:
    swap = [renamed(SPEC, OTHER, "a1", "a2"), renamed(OTHER, SPEC, "b1", "b2")]
    hidden = hide(swap, FILES, {SPEC, OTHER})
    assert (hidden.entries[SPEC], hidden.entries[OTHER]) == (entry("b1"), entry("a1"))


def test_a_deleted_spec_is_gone_and_a_new_one_is_there() -> None:
    gone = Change("D", SPEC, None, False, "100644", None, "a1", None, (HUNK,))
    come = Change("A", ".spec/new/spec.md", None, False, None, "100644", None, "n1", (HUNK,))
    hidden = hide([gone, come], FILES, {SPEC, OTHER})
    assert hidden.entries == {OTHER: entry("b1"), "src/a.py": entry("c1"), ".spec/new/spec.md": entry("n1")}
    assert hidden.changes == (come,)
    assert hidden.edits == ()


def test_moved_source_is_moved() -> None:
    moved = renamed("src/a.py", "lib/a.py", "c1", "c1")
    hidden = hide([moved], FILES, {SPEC, OTHER})
    assert hidden.changes == (moved,)
    assert hidden.entries == {SPEC: entry("a1"), OTHER: entry("b1"), "lib/a.py": entry("c1")}


def spec(body: str, title: str = "a") -> bytes:
    return f"---\ntitle: {title}\n---\n{body}".encode()


def test_only_a_body_that_says_something_else_counts() -> None:
    contents = {
        "a1": spec("One two.\n"),
        "space": spec("One\n\n two. \n"),
        "title": spec("One two.\n", "b"),
        "body": spec("One three.\n"),
    }
    for blob, told in (("space", []), ("title", []), ("body", [SPEC])):
        hidden = hide([modified(SPEC, "a1", blob)], FILES, {SPEC})
        assert edited(hidden, {SPEC}, contents) == told
        moved = hide([renamed(SPEC, OTHER, "a1", blob)], FILES, {SPEC})
        assert edited(moved, {OTHER}, contents) == told


def test_a_spec_that_is_none_any_more_was_not_edited() -> None:
    hidden = hide([renamed(SPEC, "docs/a.md", "a1", "a2")], FILES, {SPEC})
    assert edited(hidden, set(), {"a1": spec("One"), "a2": spec("Two")}) == []


def test_documents_and_specs_are_no_source() -> None:
    quiet = [modified(SPEC, "a1", "a2"), modified("README.md", "r1", "r2"), modified("package-lock.json", "p1", "p2")]
    assert not changes_source(quiet, {SPEC}, {})
    for path in ("src/a.py", "tests/test_a.py", "a.css", "package.json"):
        assert changes_source([*quiet, modified(path, "x", "y")], {SPEC}, {})


def test_a_script_without_an_extension_is_source() -> None:
    change = modified("hooks/pre-commit", "x", "y")
    assert changes_source([change], set(), {"y": b"#!/bin/sh\nexit 0\n"})
    assert not changes_source([change], set(), {"y": b"exit 0\n"})


def test_the_same_lines_give_the_same_signature_wherever_they_stand() -> None:
    there = Hunk(9, 1, 8, 1, (Line(9, "old"),), (Line(8, "new"),))
    elsewhere = Change("M", "src/a.py", None, False, "100644", "100644", "x1", "x2", (there,))
    assert signature([modified("src/a.py", "c1", "c2")]) == signature([elsewhere]) != ""
    assert signature([modified("src/b.py", "c1", "c2")]) != signature([elsewhere])
    assert signature([renamed("a", "b", "c", "c")]) != ""
    assert signature([Change("R", "b", "a", False, "100644", "100644", "c", "c")]) == ""
