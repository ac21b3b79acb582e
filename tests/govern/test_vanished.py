"""Which names a change takes from the code though specs still say them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.govern.holds import Judged
from spexsearch.govern.model import Change, Hunk, Line
from spexsearch.govern.significance import Effect
from spexsearch.govern.vanished import (
    LONGEST,
    MAX_ASKED,
    Form,
    Vanished,
    is_compound,
    runs,
    stands_in,
    vanished,
)
from spexsearch.specs.model import Spec


def a_spec(body: str, line: int = 1) -> Spec:
    return Spec(id="s", title="", desc="", path="s/spec.md", body=body, body_line=line, dialect="spex")


def lines(texts: Sequence[str], start: int) -> tuple[Line, ...]:
    return tuple(Line(number, text) for number, text in enumerate(texts, start))


def a_change(
    removed: Sequence[str] = (), added: Sequence[str] = (), path: str = "a.py", start: int = 1, **kept: Any
) -> Change:
    hunk = Hunk(start, len(removed), start, len(added), lines(removed, start), lines(added, start))
    return Change(kept.pop("status", "M"), path, hunks=(hunk,), **kept)


def lost(*words: str, change: Change | None = None, kind: Any = "code", **told: Any) -> Judged:
    """A change that takes these words away."""
    change = change or a_change([" ".join(words)])
    return Judged(change, Effect(kind, "behaviour", words_removed=words, **told), ())


class Source:
    """The source of the head: what stands there, and what was asked of it."""

    def __init__(self, *standing: str) -> None:
        self.standing, self.asked = frozenset(standing), list[tuple[frozenset[str], bool]]()

    def __call__(self, names: frozenset[str], whole: bool) -> frozenset[str]:
        self.asked.append((names, whole))
        return names & self.standing


def told(judging: Sequence[Judged] | Judged, *bodies: str, source: Source | None = None) -> list[tuple[str, Form]]:
    judging = [judging] if isinstance(judging, Judged) else judging
    found = vanished(judging, [a_spec(body) for body in bodies], source or Source())
    return [(gone.name, gone.form) for gone in found]


# --- what is taken away


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("old_name", "identifier"),
        ("oldName", "identifier"),
        ("OldName", "identifier"),
        ("OLD_NAME", "identifier"),
        ("_old_name_", "identifier"),
        ("old2Name", "identifier"),
        ("größe_max", "identifier"),
        ("ab_cd", "identifier"),
        ("name", "word"),
        ("Name", "word"),
        ("NAME", "word"),
        ("_name", "word"),
        ("name_", "word"),
        ("name2", "word"),
        ("aBcd", "word"),
        ("abc", None),
        ("a_b", None),
        ("x" * LONGEST, "word"),
        ("x" * (LONGEST + 1), None),
    ],
)
def test_what_is_written_as_only_identifiers_are_is_one(word: str, form: Form | None) -> None:
    assert told(lost(word), f"The `{word}`.") == ([(word, form)] if form else [])
    assert is_compound(word) is (form == "identifier")


@pytest.mark.parametrize(
    ("kind", "asks"),
    [
        *((kind, True) for kind in ("code", "config", "other")),
        *((kind, False) for kind in ("test", "style", "doc", "spec", "generated")),
    ],
)
def test_only_what_a_source_file_had_can_be_gone(kind: Any, asks: bool) -> None:
    judged = lost("old_name", kind=kind, literals_removed=("--old",), change=a_change(status="D"))
    assert bool(told(judged, "`old_name`, `--old`, `a.py`")) is asks


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("--dry-run", True),
        ("retry.limit", True),
        ("a/b.json", True),
        ("x-api-key", True),
        ("a+b(cde", True),
        ("[abc]*", True),
        ("${abc}", True),
        ("abcdef", False),
        ("two words-here", False),
        ("1.2.3", False),
        ("a-b-c", False),
        ("-ab", False),
        ("-abc", True),
        ("x" * LONGEST + "-", False),
    ],
)
def test_a_literal_is_a_name_where_no_sentence_and_no_number_is(text: str, gone: bool) -> None:
    judged = lost(change=a_change([f"f('{text}')"]), literals_removed=(text,))
    assert told(judged, f"Give `{text}` to it.") == ([(text, "literal")] if gone else [])
    assert told(judged, f"Give {text} to it.") == [], "in prose it may mean anything"


@pytest.mark.parametrize(
    ("change", "gone", "now"),
    [
        (Change("D", "src/a.py"), "src/a.py", ""),
        (Change("R", "src/b.py", "src/a.py"), "src/a.py", "src/b.py"),
        (Change("C", "src/b.py", "src/a.py"), None, ""),
        (Change("M", "src/a.py"), None, ""),
        (Change("A", "src/a.py"), None, ""),
        (Change("T", "src/a.py"), None, ""),
    ],
)
def test_a_path_is_gone_with_its_file(change: Change, gone: str | None, now: str) -> None:
    found = vanished([lost(change=change)], [a_spec("See src/a.py and src/b.py.")], Source("src/a.py"))
    expected = [Vanished(gone, "path", gone, 1, now)] if gone else []
    assert list(found) == expected


def test_a_file_whose_name_is_a_mere_word_is_no_path_in_prose() -> None:
    judged = lost(change=Change("D", "run"))
    assert told(judged, "We run it, and build/run too.") == []
    assert told(judged, "It is `run`.") == [("run", "path")]


def test_what_one_side_has_as_often_is_not_taken_away() -> None:
    source = Source()
    assert told(lost("old_name", words_added=("old_name",)), "`old_name`", source=source) == []
    assert source.asked == []
    # Who has it less often is asked for, and it may stand there still.
    assert told(lost("old_name", "old_name", words_added=("old_name",)), "`old_name`", source=Source("old_name")) == []


# --- what is asked


def test_only_what_a_spec_says_is_looked_up_and_each_form_at_once() -> None:
    source = Source("new_name")
    judged = [
        lost("old_name", "new_name", "other_name", "word", "fine", literals_removed=("--old", "--other")),
        lost("old_name", "last_name"),
    ]
    found = told(judged, "`old_name`, new_name, `word` and `--old`; fine.", "`last_name`", source=source)
    assert found == [("last_name", "identifier"), ("old_name", "identifier"), ("--old", "literal"), ("word", "word")]
    assert source.asked == [
        (frozenset({"old_name", "new_name", "last_name"}), True),
        (frozenset({"--old"}), False),
        (frozenset({"word"}), True),
    ]


def test_where_nothing_is_lost_or_said_nobody_is_asked() -> None:
    source = Source()
    assert told(lost("old_name"), "Nothing of it.", source=source) == []
    assert told([], "`old_name`", source=source) == []
    assert told(lost("old_name"), source=source) == []
    assert source.asked == []


def test_without_a_source_only_paths_are_known_to_be_gone() -> None:
    judged = lost("old_name", literals_removed=("--old",), change=a_change(["old_name"], status="D", path="src/a.py"))
    found = vanished([judged], [a_spec("`old_name`, `--old`, src/a.py")], None)
    assert [(gone.name, gone.form) for gone in found] == [("src/a.py", "path")]


def test_so_many_names_are_looked_up_and_no_more() -> None:
    names = [f"old_name_{number:05}" for number in range(MAX_ASKED + 5)]
    source = Source()
    found = told(lost(*names), " ".join(names), source=source)
    assert [name for name, _ in found] == names[:MAX_ASKED]


class Counted(tuple[Hunk, ...]):
    """Hunks that know how often they were gone through."""

    times = 0

    def __iter__(self) -> Iterator[Hunk]:
        type(self).times += 1
        return super().__iter__()


def test_a_change_is_gone_through_as_often_for_many_names_as_for_few() -> None:
    def times(count: int) -> int:
        names = [f"old_name_{number}" for number in range(count)]
        change = a_change(names)._replace(hunks=Counted(a_change(names).hunks))
        before = Counted.times
        assert len(told(lost(*names, change=change), " ".join(names))) == count
        return Counted.times - before

    assert times(100) == times(2)


def test_the_place_is_that_of_the_old_side_of_the_first_change() -> None:
    first = lost("old_name", change=a_change(["x", "x.old_names", "old_name()"], path="b.py", start=7, old_path="a.py"))
    second = lost("old_name", change=a_change(["old_name"], path="c.py"))
    (gone,) = vanished([first, second], [a_spec("old_name")], Source())
    assert (gone.path, gone.line, gone.place) == ("a.py", 9, "a.py:9")
    # A change that is known by its blobs alone has no lines.
    (gone,) = vanished([lost("old_name", change=Change("D", "a.py"))], [a_spec("old_name")], Source())
    assert gone.place == "a.py:1"


# --- where a spec says it


@pytest.mark.parametrize(
    ("name", "text", "stands"),
    [
        ("old_name", "old_name", True),
        ("old_name", "x.old_name()", True),
        ("old_name", "`old_name`, so", True),
        ("old_name", "old_names", False),
        ("old_name", "my_old_name", False),
        ("old_name", "Old_name", False),
        ("old_name", "old_namé", False),
        ("old_name", "very old_names and old_name", True),
        ("src/a.py", "see src/a.py.", True),
        ("src/a.py", "(src/a.py)", True),
        ("src/a.py", "src/a.pyc", False),
        ("src/a.py", "lib/src/a.py", False),
        ("src/a.py", "src/a.py/b", False),
        ("src/a.py", "srcXaXpy", False),
        ("rc.toml", ".rc.toml", False),
        ("--dry", "--dry", True),
        ("--dry", "--dry-run", False),
        ("--dry", "---dry", False),
        ("a+b(cde", "a+b(cde", True),
        ("a+b(cde", "aab(cde", False),
        ("[abc]*", "b", False),
        ("[abc]*", "the [abc]*", True),
        (r"a\dbc", r"a\dbc", True),
        (r"a\dbc", "a1bc", False),
    ],
)
def test_a_name_stands_where_it_is_no_part_of_another(name: str, text: str, stands: bool) -> None:
    assert stands_in(name, text) is stands


@given(st.text("ab_.-/+ é", min_size=1, max_size=4), st.text("ab_.-/+ é`", max_size=12))
def test_a_name_stands_where_a_scan_finds_it(name: str, text: str) -> None:
    plain = all(char.isalnum() or char in "_ " for char in name)
    before, after = ("_", "_") if plain else ("_/.-", "_/-")

    def bounds(at: int, signs: str) -> bool:
        return not 0 <= at < len(text) or not (text[at].isalnum() or text[at] in signs)

    found = (at for at in range(len(text)) if text.startswith(name, at))
    assert stands_in(name, text) is any(bounds(at - 1, before) and bounds(at + len(name), after) for at in found)


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("identifier", "of old_name", True),
        ("path", "of old_name", False),
        ("path", "of `old_name`", True),
        ("literal", "of old_name", False),
        ("word", "of old_name", False),
        ("word", "`a` old_name `b`", False),
        ("word", "`a old_name b`", True),
        ("word", "`a\nold_name b`", False),
        ("word", "`" + "x " * 300 + "old_name`", False),
        ("word", "`old_names`", False),
        ("word", "``old_name``", True),
    ],
)
def test_what_may_mean_anything_counts_only_as_code(form: Form, text: str, said: bool) -> None:
    assert Vanished("old_name", form, "a.py", 1).is_said_by(text) is said


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("`old_name`", True),
        ("`old_name(x)`", True),
        ("`x.old_name`", False),
        ("old_name", False),
        ("`old_names`", False),
    ],
)
def test_it_is_code_right_behind_a_backtick(text: str, code: bool) -> None:
    assert Vanished("old_name", "identifier", "a.py", 1).is_code_in(text) is code


def test_lines_are_those_of_the_file() -> None:
    gone = Vanished("old_name", "identifier", "a.py", 1)
    assert gone.lines_in(a_spec("old_name\n\nold_names\n- `old_name`, old_name\n", 5)) == [5, 8]
    assert gone.lines_in(a_spec("old_names")) == []


def test_runs_are_what_words_are_made_of() -> None:
    assert runs("a_b, größe-c\u202ed\n\0e".encode()) == [b"a_b", b"gr", b"e", b"c", b"d", b"e"]
    assert runs(b"\xff\xfe a") == [b"a"]


# --- what it is called now

RENAMES: list[tuple[list[str], list[str], str]] = [
    (["call(old_name, 1)"], ["call(new_name, 1)"], "new_name"),
    (["old_name"], ["newName"], "newName"),
    (["def old_name():", "    old_name(old_name)"], ["def new_name():", "    new_name(new_name)"], "new_name"),
    (["x = old_name + old_name"], ["x = new_name + other"], ""),
    (["f(old_name)", "g(old_name)"], ["f(new_name)", "g(other_name)"], ""),
    (["f(old_name)", "g(old_name)"], ["f(new_name)"], "new_name"),
    (["f(old_name)"], ["f(new_name)", "g(other_name)"], "new_name"),
    (["f(old_name)"], ["f(new_name) # so"], ""),
    (["f(old_name)"], ["f( new_name)"], ""),
    (["f(old_name)"], ["f(new.name)"], ""),
    (["f(old_name)"], [], ""),
    (["f(old_names)"], ["f(new_names)"], ""),
    (["a+b(.*old_name[0]"], ["a+b(.*new_name[0]"], "new_name"),
    (["a+b(.*old_name[0]"], ["aab(xxnew_name0"], ""),
    # What was there before has not come in its place.
    (["f(old_name)", "other_name"], ["f(other_name)"], ""),
    (["f(old_name)"], ["f(7)"], ""),
    (["f(old_name)"], ["f(None)"], ""),
    (["f(old_name)"], ["f(null)"], ""),
    (["old_name" + " " * 2 * LONGEST], ["new_name" + " " * 2 * LONGEST], ""),
]


@pytest.mark.parametrize(("removed", "added", "now"), RENAMES)
def test_a_name_is_now_what_stands_in_its_place(removed: list[str], added: list[str], now: str) -> None:
    words = [word for text in removed for word in ("old_name", "other_name") if word in text]
    (gone,) = vanished([lost(*words, "old_name", change=a_change(removed, added))], [a_spec("old_name")], Source())
    assert gone.now == now


def test_a_line_of_another_hunk_is_in_nothings_place() -> None:
    hunks = (*a_change(["f(old_name)"]).hunks, *a_change([], ["f(new_name)"], start=9).hunks)
    judged = lost("old_name", change=Change("M", "a.py", hunks=hunks))
    assert [gone.now for gone in vanished([judged], [a_spec("old_name")], Source())] == [""]


def test_only_identifiers_and_paths_are_called_something_now() -> None:
    change = a_change(["f('--old', word)"], ["f('--new', fine)"])
    found = vanished([lost("word", change=change, literals_removed=("--old",))], [a_spec("`--old word`")], Source())
    assert [(gone.name, gone.now) for gone in found] == [("--old", ""), ("word", "")]


@pytest.mark.parametrize(
    ("gone", "line", "new"),
    [
        (Vanished("old_name", "identifier", "a", 1, "new_name"), "`old_name`, my_old_name", "`new_name`, my_old_name"),
        (Vanished("old_name", "identifier", "a", 1, r"\1\g<0>"), "old_name", r"\1\g<0>"),
        (Vanished("a+b/c.py", "path", "a", 1, "d.py"), "a+b/c.py, aab/c.py", "d.py, aab/c.py"),
    ],
)
def test_a_line_is_brought_up_to_date_and_nothing_else_in_it(gone: Vanished, line: str, new: str) -> None:
    assert gone.brought_up_to_date(line) == new


@pytest.mark.parametrize("name", ["a-\udcff\udcfe-bcd", "abc\u202e-d", "abc-\0d", "会话-abc"])
def test_hostile_names_are_names(name: str) -> None:
    judged = lost(literals_removed=(name,), change=a_change([name]))
    assert told(judged, f"`{name}`") == [(name, "literal")]
    assert told(judged, f"`x{name}`") == []
