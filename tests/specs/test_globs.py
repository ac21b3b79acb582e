from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.specs.globs import Glob, matches


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("src/*.py", ["src/a.py", "src/.py"], ["src/a/b.py", "a.py", "lib/src/a.py", "src/a.pyc", "Src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/a/b/c.py"], ["src.py", "lib/src/a.py"]),
        ("**/a.py", ["a.py", "x/y/a.py"], ["xa.py"]),
        ("src/**", ["src/a", "src/a/b"], ["src", "srcs/a"]),
        ("**", ["a", "a/b"], []),
        ("a?c", ["abc", "aéc"], ["ac", "a/c", "abbc"]),
        ("v[0-9]/*", ["v1/x"], ["vx/x", "v12/x"]),
        ("[!a]*", ["b", "bc"], ["a", "ab", "b/c"]),
        ("[]x]?", ["]a", "xa"], ["aa"]),
        ("[a-]*", ["-x", "ax"], ["bx"]),
        ("[a*", ["[a", "[abc"], ["a"]),
        ("app/[id]/*.ts", ["app/[id]/x.ts"], ["app/id/x.ts"]),
        ("a**b", ["ab", "axxb"], ["a/b"]),
    ],
)
def test_patterns(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not matches(pattern, path)] == []
    assert [path for path in no if matches(pattern, path)] == []


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("**/" * 60 + "*.zz", "/".join("abcdefgh" * 60)),
        ("*a" * 500 + "b", "a" * 5000),
        ("/".join(["**", "*a*a*b"] * 100), "/".join(["aaaaaaa"] * 500)),
        ("*" * 500 + "b", "a" * 5000),
        ("[" * 1000, "a" * 5000),
    ],
)
def test_hostile_patterns_end(pattern: str, path: str) -> None:
    assert not matches(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "folder"), [("src/a/*.py", "src/a"), ("*.py", ""), ("a/b[c]/d", "a"), ("a/**/b", "a"), ("a/**", "a")]
)
def test_the_folder_that_all_matches_are_below(pattern: str, folder: str) -> None:
    assert Glob(pattern).folder == folder


def by_regular_expression(pattern: str, path: str) -> bool:
    """The same rules in another notation, for small inputs only: it backtracks."""
    parts = pattern.split("/")
    while parts[-2:] == ["**", "**"]:
        parts.pop()
    text = ""
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        if part == "**":
            text += "(?:[^/]*/)*[^/]*" if last else "(?:[^/]*/)*"
        else:
            text += re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]") + ("" if last else "/")
    return re.fullmatch(text, path) is not None


@given(
    st.lists(st.sampled_from(["**", "*", "a", "b", "a*", "*b", "?", "a?", "*a*"]), min_size=1, max_size=5).map(
        "/".join
    ),
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=5).map("/".join),
)
def test_matching_agrees_with_a_regular_expression(pattern: str, path: str) -> None:
    assert matches(pattern, path) == by_regular_expression(pattern, path)
