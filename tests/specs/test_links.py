from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.specs.links import links


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("see [[a]] and [[b-c_d.e]]\n\n[[f]]", [("a", 5), ("b-c_d.e", 5), ("f", 7)]),
        ("[[a|the lamp]] [[b#Part]]", [("a", 5), ("b", 5)]),
        ("`[[a]]` [[b]] ``[[c]] ` [[d]]``", [("b", 5)]),
        ("a ` alone [[a]]\n\nand ` alone", [("a", 5)]),
        ("a `span\n[[a]] over` lines [[b]]", [("b", 6)]),
        ("```\n[[a]]\n```\n[[b]]", [("b", 8)]),
        ("~~~ x\n[[a]]\n```\n[[b]]\n~~~\n[[c]]", [("c", 10)]),
        ("- ```md\n  [[a]]\n  ```\n\n> ````\n> [[b]]\n> ```\n> ````\n[[c]]", [("c", 13)]),
        ("```never\n[[a]]", []),
        ("```a`` [[b]]", [("b", 5)]),
        ("[[ -f x ]] [[]] [[...]] [[<id>]] [[a\nb]]", []),
        ("[[中文节点]]", [("中文节点", 5)]),
    ],
)
def test_links_outside_code(body: str, expected: list[tuple[str, int]]) -> None:
    assert list(links(body, 5)) == expected


@given(
    st.lists(st.sampled_from(["[[a]]", "`", "``", "```", "~~~", "\n", "\n\n", "> ", "- ", "[[", "]]", "x"])).map(
        "".join
    )
)
def test_every_link_stands_on_its_line(body: str) -> None:
    lines = body.split("\n")
    for target, line in links(body, 1):
        assert f"[[{target}" in lines[line - 1]
