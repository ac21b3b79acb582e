"""Questions with known answers, put to the ranking."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spexsearch.floor.sections import search_sections
from spexsearch.specs.loader import load_tree

Ranks = Callable[[Path, Path], list[tuple[dict[str, Any], int]]]


def rank_of(question: dict[str, Any], hits: list[Any]) -> int:
    """The rank of the section that a question was written for, from 1; 0 where it is not among the hits."""
    for rank, hit in enumerate(hits, 1):
        in_spec = hit.path == question["spec_path"] if "spec_path" in question else hit.spec == question["spec_id"]
        line = question.get("heading_line")
        if in_spec and (hit.line == line if line else hit.heading == question["heading"]):
            return rank
    return 0


@pytest.fixture(scope="session")
def section_ranks() -> Ranks:
    """Each question of a file with the rank that a tree gives to its section, among the first ten."""

    def ranks(root: Path, questions: Path) -> list[tuple[dict[str, Any], int]]:
        from spexsearch.floor.section_index import SectionIndex

        tree = load_tree(root)
        index = SectionIndex.build(tree.specs)
        return [
            (question, rank_of(question, search_sections(tree, question["query"], 10, index=index)))
            for question in json.loads(questions.read_text("utf-8"))
        ]

    return ranks
