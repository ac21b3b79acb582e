"""What the rules look at, and the line at which a change of a unit begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spexsearch.govern.config import Config
from spexsearch.govern.model import Change, Hunk, Line
from spexsearch.govern.rules.judgement import Judgement, first_line
from spexsearch.specs.claims import ClaimIndex

OLD = "def f():\n    a = 1\n    b = 2\n    return a\n\n\ndef g():\n    return 3\n"


@pytest.fixture
def judgement(sides: Callable[..., Any]) -> Callable[..., Judgement]:
    """A judgement of a change made by hand, before anything is weighed."""

    def make(*arguments: Any, **kept: Any) -> Judgement:
        made = sides(*arguments, **kept)
        indexes = ClaimIndex(made.before.tree), ClaimIndex(made.after.tree)
        return Judgement(made.change_set, (), (), {}, made.before, made.after, *indexes, Config())

    return make


@pytest.mark.parametrize(
    ("old", "new", "symbol", "line"),
    [
        ("    b = 2", "    b = 3", "f", 3),
        ("    return a", "    return b", "f", 4),
        ("    return 3", "    return 4", "g", 8),
        # Lines that are only taken away: where they stood.
        ("    b = 2\n", "", "f", 3),
        # What changed elsewhere is not where this unit changed.
        ("    return 3", "    return 4", "f", 1),
        ("    b = 2", "    b = 3", "g", 7),
        ("    b = 2", "    b = 3", "nosuch", 3),
        ("def f", "# one\n# two\ndef f", "f", 3),
        ("def f", "# one\n# two\ndef f", "g", 9),
    ],
)
def test_the_line_of_a_unit(judgement: Callable[..., Judgement], old: str, new: str, symbol: str, line: int) -> None:
    made = judgement({"m.py": OLD}, {"m.py": OLD.replace(old, new)})
    (change,) = made.change_set.changes
    assert made.line_of(change, symbol) == line


def test_without_its_text_a_unit_is_where_the_change_begins(judgement: Callable[..., Judgement]) -> None:
    made = judgement({"m.py": OLD}, {"m.py": OLD.replace("return 3", "return 4")}, contents={})
    assert made.line_of(made.change_set.changes[0], "f") == 8


def hunk(new_start: int, *added: int) -> Hunk:
    return Hunk(1, 1, new_start, len(added), (), tuple(Line(number, "x") for number in added))


@pytest.mark.parametrize(
    ("hunks", "line"),
    [((), 1), ((hunk(4, 5, 6),), 5), ((hunk(4), hunk(9, 9)), 9), ((hunk(4), hunk(9)), 4), ((hunk(0),), 1)],
)
def test_where_a_change_begins(hunks: tuple[Hunk, ...], line: int) -> None:
    assert first_line(Change("M", "m", hunks=hunks)) == line


def test_outlines_are_of_one_state_and_kept(judgement: Callable[..., Judgement]) -> None:
    made = judgement({"m.py": OLD, "n.py": OLD + "x = 1\n"}, {"m.py": "def h():\n    return 1\n"})
    before, after = made.outline(made.before, "m.py"), made.outline(made.after, "m.py")
    assert before is not None
    assert after is not None
    assert [unit.name for unit in before.units] == ["f", "g"]
    assert [unit.name for unit in after.units] == ["h"]
    assert made.outline(made.after, "m.py") is after
    assert made.outline(made.after, "n.py") is None
    assert made.outline(made.after, "nosuch.py") is None
    assert [made.is_read(made.after, path) for path in ("m.py", "n.py", "nosuch.py")] == [True, False, False]


def test_specs_are_known_by_their_paths_at_the_head(judgement: Callable[..., Judgement]) -> None:
    def spec(body: str) -> str:
        return f"---\ntitle: t\n---\n{body}\n"

    a, b, c, d = (f".spec/{name}/spec.md" for name in "abcd")
    made = judgement({a: spec("A."), b: spec("B."), c: spec("C.")}, {a: spec("New."), b: None}, moved={c: d})
    assert {path: found.body for path, found in made.specs.items() if path != c} == {a: "New.", b: "B.", d: "C."}
    assert {path: found.body for path, found in made.specs_before.items()} == {a: "A.", b: "B.", d: "C."}
    assert made.moved == {c: d}
    assert sorted(made.changes) == [a, b, d]
