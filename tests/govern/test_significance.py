from __future__ import annotations

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spexsearch.govern.model import Change, Hunk, Line
from spexsearch.govern.significance import ORDER, Effect, effect


def hunks(old: str, new: str) -> tuple[Hunk, ...]:
    """Hunks without context, as the diff reader gives them."""
    before, after = old.split("\n"), new.split("\n")
    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            removed = tuple(Line(a + n + 1, text) for n, text in enumerate(before[a:b]))
            added = tuple(Line(c + n + 1, text) for n, text in enumerate(after[c:d]))
            found.append(Hunk(a + 1, b - a, c + 1, d - c, removed, added))
    return tuple(found)


def change(path: str, old: str | None, new: str | None) -> Change:
    status = "A" if old is None else "D" if new is None else "M"
    return Change(status, path, hunks=hunks(old or "", new or ""))  # type: ignore[arg-type]


def judge(path: str, old: str | None, new: str | None) -> Effect:
    done = effect(
        change(path, old, new), old.encode() if old is not None else None, new.encode() if new is not None else None
    )
    assert done.significance in ORDER
    return done


def by_hunks(path: str, old: str, new: str) -> Effect:
    return effect(change(path, old, new), None, None)


CASES = [
    ("behaviour", "a.py", "def f(a):\n    return a\n", "def f(a):\n    return a + 1\n"),
    ("behaviour", "a.py", "def f(a):\n    return a\n", "def f(b):\n    return b\n"),
    ("behaviour", "a.ts", "const f = () => g()", "const f = () => h()"),
    ("behaviour", "a.ts", "class A { x = 1 }", "class A { x = 1; y = 2 }"),
    ("behaviour", "a.py", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
    ("behaviour", "a.sql", "select a from b", "select c from b"),
    ("behaviour", "a.css", "a { color: red }", "a { margin: red }"),
    ("literal", "a.py", "X = 'old words'\n", "X = 'new words'\n"),
    ("literal", "a.ts", "const wait = 30", "const wait = 60"),
    ("literal", "a.py", "import a\nX = 1\n", "import b\nX = 2\n"),
    ("literal", "config.json", '{"a": "1.2.3"}', '{"a": "1.2.4"}'),
    ("type", "a.ts", "function f(a: string) {}", "function f(a: number): void {}"),
    ("type", "a.ts", "interface A { x: string }", "interface A { x: number; y: string }"),
    ("type", "a.ts", "let a = 1", "let a = 1\nexport type B = { c: string }"),
    ("type", "a.py", "def f(a: int):\n    return a\n", "def f(a: str) -> str:\n    return a\n"),
    ("type", "a.py", "def f(a):\n    return a\n", "def f(a: str):\n    return a\n"),
    ("version", "package.json", '{"version": "1.2.3"}', '{"version": "1.2.4-rc.1"}'),
    ("version", "pyproject.toml", '[project]\nversion = "1.2"\n', '[project]\nversion = "1.3"\n'),
    ("version", "go.mod", "require a.b/c v1.2.3\n", "require a.b/c v1.3.0\n"),
    ("version", "pkg/core.py", '__version__ = "1.2"\n', '__version__ = "1.3"\n'),
    ("import", "a.py", "import a\nx()\n", "import a\nfrom b import c\nx()\n"),
    ("import", "a.ts", "import { a } from 'b'\nx()", "import { a, c } from 'b'\nx()"),
    ("comment", "a.py", "x = 1  # one\n", "x = 1  # two\n"),
    ("comment", "a.py", 'def f():\n    """Old."""\n    return 1\n', 'def f():\n    """New."""\n    return 1\n'),
    ("comment", "a.ts", "f() // one", "/* two */ f()"),
    ("comment", "a.sql", "-- one\nselect 1\n", "-- two\nselect 1\n"),
    ("whitespace", "a.ts", "f(a)", "f(\n  a,\n);"),
    ("whitespace", "a.py", "def a(): ...\ndef b(): ...\n", "def b(): ...\ndef a(): ...\n"),
    ("whitespace", "a.py", "# one two\n# three\nx = 1\n", "# one\n# two three\nx = 1\n"),
    ("whitespace", "a.sql", "select  1", "select 1"),
    ("whitespace", "a.py", "x = 1\n", "x = 1\n\n\n"),
]


@pytest.mark.parametrize(("significance", "path", "old", "new"), CASES)
def test_the_strongest_class_names_the_change(significance: str, path: str, old: str, new: str) -> None:
    assert judge(path, old, new).significance == significance
    assert judge(path, new, old).significance == significance


def test_a_new_or_deleted_file_is_behaviour_if_it_says_anything() -> None:
    assert judge("a.ts", None, "interface A {}").significance == "behaviour"
    assert judge("a.py", "x = 1\n", None).significance == "behaviour"
    assert judge("a.py", None, "# to come\n").significance == "comment"
    assert judge("a.py", None, "").significance == "none"


def test_modes_and_renames_without_content() -> None:
    same = b"x = 1\n"
    moved = Change("R", "b.py", old_path="a.py", old_mode="100644", new_mode="100644")
    assert effect(moved, same, same).significance == "rename"
    assert effect(Change("M", "a.py", old_mode="100644", new_mode="100755"), same, same).significance == "mode"
    assert effect(Change("M", "a.py", old_mode="100644", new_mode="100644"), same, same).significance == "none"
    assert effect(moved, None, None).significance == "rename"
    assert effect(Change("M", "a.py", old_mode="100644", new_mode="100755"), None, None).significance == "mode"


def test_a_rename_with_an_edit_is_judged_by_the_edit() -> None:
    done = effect(Change("R", "b.py", old_path="a.py", hunks=hunks("x = 1", "x = y")), b"x = 1", b"x = y")
    assert (done.significance, dict(done.units)) == ("behaviour", {"x": "behaviour"})

    old = "def keep():\n    return 1\n\ndef renew_session(token):  # asks once\n    return old_clock(token)\n"
    new = "def keep():\n    return 1\n\ndef renew_session(token):  # asks twice\n    return new_clock(token)\n"
    done = judge("a.py", old, new)
    assert done.units == {"renew_session": "behaviour"}
    assert done.outlined
    assert done.words_removed == ("def", "renew_session", "token", "return", "old_clock", "token")
    assert done.words_added == ("def", "renew_session", "token", "return", "new_clock", "token")
    assert done.behaviour == 2.0


def test_words_come_from_the_text_where_the_change_has_no_hunks() -> None:
    done = effect(Change("M", "a.py", binary=True), b"a = 1\nb = 2\n", b"a = 1\nc = 2\n")
    assert (done.words_removed, done.words_added) == (("b",), ("c",))


def test_size_counts_words_whole_and_signs_and_types_lightly() -> None:
    assert judge("a.ts", "const f = () => a", "const f = () => a(b)").behaviour == pytest.approx(1.6)
    assert judge("a.ts", "function f(a: string) {}", "function f(a: number) {}").behaviour == pytest.approx(0.6)
    assert judge("a.ts", "import { a } from 'b'\nf()", "import { c } from 'd'\nf()").behaviour == 0
    assert judge("a.ts", "f() // a", "f() // b").behaviour == 0
    assert judge("a.ts", "const f = () => a(b)", "const f = () => b(a)").behaviour == 1


def test_files_without_a_grammar_are_one_unit() -> None:
    done = judge("a.sql", "-- why\nselect alpha\n", "-- why\nselect beta\n")
    assert (dict(done.units), done.outlined, done.behaviour) == ({}, False, 2.0)
    assert (done.words_removed, done.words_added) == (("select", "alpha"), ("select", "beta"))


def test_a_symbolic_link_is_a_text_not_a_program() -> None:
    link = Change("M", "a.py", old_mode="120000", new_mode="120000")
    done = effect(link, b"../b.py", b"../c.py")
    assert (done.significance, done.outlined) == ("behaviour", False)


@pytest.mark.parametrize(
    ("significance", "path", "old", "new"),
    [
        ("behaviour", "a.py", "x = old()\n", "x = new()\n"),
        ("literal", "a.ts", "const a = 'one'", "const a = 'two'"),
        ("comment", "a.ts", "// one\nf()", "// two\nf()"),
        ("comment", "a.lua", "-- one\nf()", "-- two\nf()"),
        ("whitespace", "a.go", "f( a )", "f(a)"),
        ("version", "package.json", '  "version": "1.2.3"', '  "version": "1.2.4"'),
    ],
)
def test_without_blobs_the_hunks_are_judged(significance: str, path: str, old: str, new: str) -> None:
    done = by_hunks(path, old, new)
    assert (done.significance, dict(done.units), done.outlined) == (significance, {}, False)


def test_without_blobs_words_come_from_the_hunks() -> None:
    done = by_hunks("a.py", "# why one\nx = alpha\n", "# why two\nx = beta\n")
    assert (done.words_removed, done.words_added) == (("x", "alpha"), ("x", "beta"))


def test_what_cannot_be_seen_is_taken_for_behaviour() -> None:
    assert effect(Change("M", "a.py", binary=True), None, None).significance == "behaviour"
    assert effect(Change("D", "a.py"), None, None).significance == "behaviour"


def test_one_known_side_is_not_taken_for_the_whole() -> None:
    edit = change("a.py", "x = 1\ny = 1\n", "x = 2\ny = 1\n")
    assert effect(edit, None, b"x = 2\ny = 1\n").significance == "literal"
    assert not effect(edit, None, b"x = 2\ny = 1\n").outlined


def test_a_large_file_is_judged_from_its_hunks() -> None:
    filler = "y = 1\n" * 200_000
    edit = change("a.py", "x = 1\n", "x = z\n")
    done = effect(edit, ("x = 1\n" + filler).encode(), ("x = z\n" + filler).encode())
    assert (done.significance, done.words_added, done.outlined) == ("behaviour", ("x", "z"), False)


def test_generated_files_are_told_by_both_sides() -> None:
    head = "# @generated\n"
    assert judge("a.py", head + "x = 1\n", head + "x = 2\n").kind == "generated"
    assert judge("a.py", "x = 1\n", head + "x = 2\n").kind == "code"
    assert judge("a.py", None, head + "x = 2\n").kind == "generated"


TEXT = st.lists(
    st.sampled_from(["x", "=", "1", "'a'", "\n", "    ", "# c", "def f():", "import a", "(", ")", "\x00", "é", ": int"])
).map(" ".join)


@settings(max_examples=80, deadline=None)
@given(old=TEXT, new=TEXT)
@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.json", "a.toml", "a.vue", "a.sql", "noname"])
def test_every_pair_of_texts_has_an_effect(path: str, old: str, new: str) -> None:
    done, back = judge(path, old, new), judge(path, new, old)
    assert done.significance == back.significance
    assert done.behaviour == back.behaviour
    assert judge(path, old, old).significance == "none"
    assert (done.significance == "none") == (old == new)
    by_hunks(path, old, new)


# --- what people say, and what is quoted


@pytest.mark.parametrize("seen", ["whole", "hunks"])
@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        ("a.py", "x = 1\n", "# the lid\nx = 1\n", ["the", "lid"]),
        ("a.py", "# the lid\nx = 1\n", "x = 1\n", ["the", "lid"]),
        ("a.py", "# the lid\nx = 1\n", "# a lid\nx = 2\n", ["the", "lid", "a", "lid"]),
        ("a.py", "# the lid\nx = 1\n", "# the lid\nx = lid\n", []),
        ("a.ts", "let a = 1\n", "// the lid\nlet a = 1\n", ["the", "lid"]),
        ("a.sh", "x\n", "# the lid\nx\n", ["the", "lid"]),
        ("a.txt", "x\n", "# the lid\nx\n", []),
    ],
)
def test_changed_comments_are_those_of_one_side(path: str, old: str, new: str, said: list[str], seen: str) -> None:
    done = judge(path, old, new) if seen == "whole" else by_hunks(path, old, new)
    assert sorted(done.words_commented) == sorted(said)


def test_only_who_has_both_texts_sees_what_moved_or_is_quoted_otherwise() -> None:
    assert judge("a.py", "# one\nx = 1\n# two\n", "# two\nx = 2\n# one\n").words_commented == ()
    assert judge("a.py", "f('old-text')\n", 'f("old-text")\n').literals_removed == ()


def test_only_who_has_both_texts_tells_a_docstring_from_code() -> None:
    old, new = 'def f():\n    """Why."""\n    return 1\n', 'def f():\n    """Because."""\n    return 1\n'
    assert judge("a.py", old, new).words_commented == ("Why", "Because")
    assert by_hunks("a.py", old, new).words_commented == ()


@pytest.mark.parametrize("seen", ["whole", "hunks"])
@pytest.mark.parametrize(
    ("path", "old", "new", "gone"),
    [
        ("a.py", "f('old-text')\n", "f()\n", ["old-text"]),
        ("a.py", 'f("old-text")\n', "f('new-text')\n", ["old-text"]),
        ("a.py", "f('old-text', 'old-text')\n", "f('old-text')\n", ["old-text"]),
        ("a.py", "f(b'old', rb'x-y', '')\n", "f()\n", ["", "old", "x-y"]),
        ("a.py", "f('a')\ng('b')\n", "g('b')\nf('a')\n", []),
        ("a.ts", "f('old-text', \"it's\")\n", "f()\n", ["it's", "old-text"]),
        ("a.json", '{"old-key": 1}\n', "{}\n", ["old-key"]),
        ("a.py", "# 'old-text'\nx\n", "x\n", []),
        ("a.py", "x = 17\n", "x = 18\n", []),
    ],
)
def test_quoted_texts_that_are_gone(path: str, old: str, new: str, gone: list[str], seen: str) -> None:
    done = judge(path, old, new) if seen == "whole" else by_hunks(path, old, new)
    assert sorted(done.literals_removed) == gone


def test_a_text_that_moves_between_units_is_not_gone() -> None:
    old = "def f():\n    return 'old-text'\n\n\ndef g():\n    return 1\n"
    new = "def f():\n    return 1\n\n\ndef g():\n    return 'old-text'\n"
    assert judge("a.py", old, new).literals_removed == ()
