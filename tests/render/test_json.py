"""A report as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from spexsearch.govern.model import NotJudged
from spexsearch.govern.report import to_json
from spexsearch.render.json import render

Make = Callable[..., Any]


def test_one_indented_object_and_a_final_line_feed(report: Make) -> None:
    said = render(report(), "9.9")
    assert said.startswith('{\n  "schema": "spex-govern/1",\n  "tool": {\n    "name": "spexsearch",\n')
    assert said.endswith("}\n")
    assert not said.endswith("\n\n")


@given(st.text(st.characters(), max_size=8) | st.sampled_from(["\udcff", "\ud83d\ude00", "é\u2028\x1b", "\x7f"]))
def test_every_name_comes_back_and_all_is_ascii(report: Make, path: str) -> None:
    made = report(not_judged=(NotJudged(path, "r"),))
    said = render(made, "9.9")
    assert said.isascii()
    back = json.loads(said)
    assert back["not_judged"] == [
        {"path": path.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"), "reason": "r"}
    ]
    assert list(back) == list(to_json(made, "9.9"))
