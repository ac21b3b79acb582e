"""Measures search on a spec tree: how well questions with known answers are answered, and how fast.

    python benchmarks/search.py TREE QUESTIONS

TREE is a folder that holds a spec tree. QUESTIONS is a JSON list, or an object whose `cases` are one. A question has
`query`, `kind`, and its answer: a section by `spec_path` or `spec_id` and `heading_line` or `heading`, or a spec by
`expected` (ids, which may end in `_` and what is given). A question of the kind `paraphrase` shares no word with its
answer; those are counted apart.
"""

from __future__ import annotations

import gc
import json
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any, TypeVar

from spexsearch.floor.index import NodeIndex
from spexsearch.floor.nodes import search_nodes
from spexsearch.floor.section_index import SectionIndex
from spexsearch.floor.sections import find_sections
from spexsearch.floor.tokens import query_terms, query_words
from spexsearch.specs.loader import load_tree
from spexsearch.specs.model import SpecTree

_Question = TypeVar("_Question")

_BUILDS = 9
_TYPED_QUESTIONS = 50
_ALL = 1_000_000


def main() -> int:
    """Print the tables; exit status 0, or 2 where there is nothing to measure."""
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    tree = load_tree(Path(sys.argv[1]))
    read = json.loads(Path(sys.argv[2]).read_text("utf-8"))
    questions = [
        question
        for question in (read["cases"] if isinstance(read, dict) else read)
        if question.get("expected") or "heading" in question
    ]
    if not tree.specs or not questions:
        print("no specs, or no questions with an answer", file=sys.stderr)
        return 2
    _print_quality(tree, questions)
    _print_speed(tree, [question["query"] for question in questions])
    return 0


def _print_quality(tree: SpecTree, questions: Sequence[dict[str, Any]]) -> None:
    sections, floor = SectionIndex.build(tree.specs), NodeIndex.build(tree.specs)
    asked_for_sections = [question for question in questions if "heading" in question]
    asked_for_specs = [question for question in questions if question.get("expected")]
    print("| ranked | kind | questions | first | first 3 | first 10 | MRR |\n|---|---|---|---|---|---|---|")
    _print_ranks("sections", asked_for_sections, partial(_section_rank, sections))
    _print_ranks("specs, by sections", asked_for_specs, partial(_spec_rank, sections))
    _print_ranks("specs, by the floor", asked_for_specs, partial(_spec_rank, floor))


def _print_ranks(name: str, questions: Sequence[dict[str, Any]], rank_of: Callable[[dict[str, Any]], int]) -> None:
    ranks = [(question["kind"], rank_of(question)) for question in questions]
    for kind in sorted({kind for kind, _ in ranks}):
        _print_row(name, kind, [rank for each, rank in ranks if each == kind])
    if ranks:
        _print_row(name, "all but paraphrases", [rank for kind, rank in ranks if kind != "paraphrase"])


def _print_row(name: str, kind: str, ranks: Sequence[int]) -> None:
    within = (sum(0 < rank <= most for rank in ranks) for most in (1, 3, 10))
    mean = sum(1 / rank for rank in ranks if rank) / len(ranks)
    print(f"| {name} | {kind} | {len(ranks)} | {' | '.join(map(str, within))} | {mean:.3f} |")


def _section_rank(index: SectionIndex, question: dict[str, Any]) -> int:
    """The rank of the section that answers, from 1; 0 where it is not found."""
    hits, _ = find_sections(index, question["query"], _ALL)
    for rank, hit in enumerate(hits, 1):
        in_spec = hit.path == question["spec_path"] if "spec_path" in question else hit.spec == question["spec_id"]
        line = question.get("heading_line")
        if in_spec and (hit.line == line if line else hit.heading == question["heading"]):
            return rank
    return 0


def _spec_rank(index: SectionIndex | NodeIndex, question: dict[str, Any]) -> int:
    """The rank of the first spec that answers, from 1; 0 where none is found."""
    for rank, hit in enumerate(search_nodes(index, question["query"], _ALL), 1):
        if any(hit.id == wanted or hit.id.endswith(f"_{wanted}") for wanted in question["expected"]):
            return rank
    return 0


def _print_speed(tree: SpecTree, queries: Sequence[str]) -> None:
    specs = tree.specs
    text = sum(len(f"{spec.title}{spec.id}{spec.desc}{spec.body}".encode()) for spec in specs)
    builds = [_seconds(lambda: SectionIndex.build(specs)) for _ in range(_BUILDS)]
    index = SectionIndex.build(specs)
    middle = len(specs) // 2
    changed = [*specs]
    changed[middle] = specs[middle]._replace(body=f"{specs[middle].body}\n\n## One more\n\nA sentence that is new.")
    refreshes = [_seconds(lambda: index.refreshed(changed)) for _ in range(_BUILDS)]
    print(f"\n{len(specs)} specs, {len(index.sections)} sections, {text / 1e6:.2f} MB")
    print(f"\n| what | median | 90 % |\n|---|---|---|\n| sections indexed | {text / median(builds) / 1e6:.1f} MB/s | |")
    print(f"| refreshed after one changed file | {100 * median(refreshes) / median(builds):.1f} % of a build | |")
    print(f"| memory of the index | {_memory(lambda: SectionIndex.build(specs)) / text:.1f} bytes a byte | |")
    terms = [[(word, 1.0) for word in query_words(query)] for query in queries]
    typed = [query[:end] for query in queries[:_TYPED_QUESTIONS] for end in range(1, len(query) + 1)]
    _print_times("ten specs ranked, first time", lambda asked: index.rank_nodes(asked, limit=10), terms)
    _print_times("ten specs ranked, again", lambda asked: index.rank_nodes(asked, limit=10), terms)
    _print_times("ten specs with snippets", lambda query: search_nodes(index, query, 10), queries)
    fresh = SectionIndex.build(specs)
    _print_times("ten sections ranked, first time", lambda asked: fresh.best_of(fresh.scored(asked), (), 10), terms)
    _print_times("ten sections ranked, with phrases", partial(_ranked_with_phrases, fresh), queries)
    _print_times("ten sections with snippets", lambda query: find_sections(fresh, query, 10), queries)
    _print_times("eight sections while typing", lambda query: find_sections(fresh, query, 8), typed)


def _ranked_with_phrases(index: SectionIndex, query: str) -> None:
    index.rank([(word, 1.0) for word in query_words(query)], phrase=query_terms(query), limit=10)


def _print_times(name: str, work: Callable[[_Question], object], questions: Iterable[_Question]) -> None:
    seconds = [_seconds(partial(work, question)) for question in questions]
    print(f"| {name} | {1000 * median(seconds):.2f} ms | {1000 * quantiles(seconds, n=10)[-1]:.2f} ms |")


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _memory(work: Callable[[], object]) -> int:
    """The bytes that a result holds on to."""
    gc.collect()
    tracemalloc.start()
    kept = work()
    gc.collect()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del kept
    return held


if __name__ == "__main__":
    sys.exit(main())
