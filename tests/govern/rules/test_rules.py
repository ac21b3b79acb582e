"""The level of a finding, as the configuration has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spexsearch.govern.config import Config
from spexsearch.govern.lint import claimed_files, lint
from spexsearch.govern.model import State
from spexsearch.govern.report import LEVELS, RULES, Finding, Report
from spexsearch.govern.rules import levelled

FOUND = Finding("broken-spec", "error", "m", "p", 1, 1)


@pytest.mark.parametrize("level", LEVELS)
def test_graded_and_strict_leave_a_level_as_it_is(level: Any) -> None:
    finding = FOUND._replace(level=level)
    assert levelled(finding, Config()) is finding
    assert levelled(finding, Config(mode="strict")) is finding


@pytest.mark.parametrize(("level", "advised"), [("error", "warning"), ("warning", "warning"), ("note", "note")])
def test_advice_is_no_error(level: Any, advised: str) -> None:
    finding = levelled(FOUND._replace(level=level), Config(mode="advisory"))
    assert finding == FOUND._replace(level=advised)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["graded", "strict", "advisory"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_level_that_is_fixed_for_a_rule_holds_in_every_mode(mode: Any, level: Any) -> None:
    config = Config(mode=mode, rules={"broken-spec": level})
    for given in LEVELS:
        assert levelled(FOUND._replace(level=given), config) == FOUND._replace(level=level)
    other = FOUND._replace(rule="untouched-spec", level="note")
    assert levelled(other, config) is other


def test_a_rule_that_is_off_says_nothing() -> None:
    config = Config(rules={"broken-spec": "off"})
    assert levelled(FOUND, config) is None
    assert levelled(FOUND._replace(rule="hollow-touch"), config) is not None


SPEC = ".spec/a/spec.md"
EVERY = {
    SPEC: "---\ntitle: a\ncode:\n  - a.py\n  - gone.py\n---\nWords.\n",
    ".spec/b/spec.md": "---\ntitle: b\ncode:\n  - b.py\n---\nWords.\n",
    ".spec/c/spec.md": "---\ntitle: c\ncode:\n  - c.py\n---\nWords.\n",
    ".spec/d/spec.md": "---\ntitle: d\n---\nWhat `old_name` says.\n",
    "a.py": "word = old_name\n",
    "b.py": "x = 1\n",
    "c.py": "x = 1\n",
}
EDIT = {
    "a.py": "word = words(word, word.said)\n",
    "b.py": "x = f()\n",
    "new.py": "x = 1\n",
    ".spec/b/spec.md": "---\ntitle: b\ncode:\n  - b.py\n---\n*Words.*\n",
    ".spec/c/spec.md": "---\ntitle: c\n---\n[[nobody]]\n",
}


def test_every_rule_speaks_and_each_can_be_silenced(judge: Callable[..., Report]) -> None:
    said = [finding.rule for finding in judge(EVERY, EDIT).findings]
    assert sorted(set(said)) == sorted(RULES)
    for rule in said:
        left = [finding.rule for finding in judge(EVERY, EDIT, config=Config(rules={rule: "off"})).findings]
        # A rule that stood for another one leaves the word to it.
        assert rule not in left
        assert set(left) | {rule} >= set(said)


def test_there_are_seven_rules() -> None:
    assert set(RULES) == {
        *("untouched-spec", "stale-words", "hollow-touch", "dangling-claim", "dropped-claim", "broken-spec"),
        "ungoverned-code",
    }


# --- the rules over a tree by itself


def test_faults_and_files_come_in_order(state: Callable[..., State]) -> None:
    spec = "---\ntitle: t\ncode:\n  - {}\n  - {}\n  - {}\n---\nSee [[nobody]].\n"
    made = state(
        {f".spec/{name}/spec.md": spec.format(f"{name}{name}.py#x", f"{name}.py#x", "whole.py") for name in "fbdace"}
    )
    assert claimed_files(made.tree) == sorted(f"{name * times}.py" for name in "abcdef" for times in (1, 2))
    found = lint(made, {}, Config())
    places = [(f.path, f.line) for f in found]
    assert places == [(f".spec/{name}/spec.md", line) for name in "abcdef" for line in (4, 5, 6, 8)]


def test_lint_reads_a_tree_as_if_it_were_new(state: Callable[..., State]) -> None:
    made = state(
        {
            SPEC: "---\ntitle: a\ncode:\n  - gone.py\n  - m.py#f\n  - m.py#nosuch\n---\nSee [[nobody]].\n",
            ".spec/b/spec.md": "---\ntitle: b\nstatus: draft\ncode:\n  - later.py\n---\nWords.\n",
            "m.py": "def f():\n    return 1\n",
        }
    )
    assert claimed_files(made.tree) == ["m.py"]
    contents = {made.files["m.py"]: b"def f():\n    return 1\n"}
    found = lint(made, contents, Config())
    assert [(f.rule, f.level, f.line) for f in found] == [
        ("dangling-claim", "error", 4),
        ("dangling-claim", "error", 6),
        ("broken-spec", "error", 8),
    ]
    # What could not be read has no units: a note says so at each symbol.
    assert [(f.level, f.line) for f in lint(made, {}, Config())] == [
        ("error", 4),
        ("error", 8),
        ("note", 5),
        ("note", 6),
    ]
    quiet = Config(mode="advisory", rules={"dangling-claim": "off"})
    assert [(f.rule, f.level) for f in lint(made, contents, quiet)] == [("broken-spec", "warning")]
