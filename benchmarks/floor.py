"""Measures the floor on a spec tree: how fast it is indexed, and how fast queries are answered.

    python benchmarks/floor.py TREE

TREE is a folder that holds a spec tree. The queries are words of the tree, drawn with a fixed seed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter
from typing import TypeVar

from spexsearch.floor.index import NodeIndex
from spexsearch.floor.nodes import search_nodes
from spexsearch.floor.tokens import query_terms
from spexsearch.specs.loader import load_tree
from spexsearch.specs.model import Spec

_Question = TypeVar("_Question")

_QUERIES = 300
_LONGEST_QUERY = 6
_TERMS_OF_A_CHANGE = 300
_BUILDS = 7


def main() -> int:
    """Print one table; exit status 0, or 2 where the folder holds no specs."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    specs = load_tree(Path(sys.argv[1])).specs
    if not specs:
        print("no specs in this folder", file=sys.stderr)
        return 2
    megabytes = sum(len(f"{spec.title}{spec.id}{spec.desc}{spec.body}".encode()) for spec in specs) / 1e6
    builds = [_seconds(lambda: NodeIndex.build(specs)) for _ in range(_BUILDS)]
    index = NodeIndex.build(specs)
    queries = _queries(specs)
    changes = [_terms(specs, Random(seed)) for seed in range(30)]  # noqa: S311
    print(f"{len(specs)} specs, {megabytes:.2f} MB\n")
    print("| what | median | 90 % |\n|---|---|---|")
    print(f"| index | {megabytes / median(builds):.1f} MB/s | {1000 * median(builds):.0f} ms in all |")
    _print_times("query, first time", lambda query: search_nodes(index, query), queries)
    _print_times("query, again", lambda query: search_nodes(index, query), queries)
    _print_times("query, again, no snippets", lambda query: index.rank((t, 1.0) for t in query_terms(query)), queries)
    _print_times(f"{_TERMS_OF_A_CHANGE} weighted terms", index.rank, changes)
    return 0


def _print_times(name: str, work: Callable[[_Question], object], questions: Sequence[_Question]) -> None:
    seconds = [_seconds(partial(work, question)) for question in questions]
    print(f"| {name} | {1000 * median(seconds):.2f} ms | {1000 * quantiles(seconds, n=10)[-1]:.2f} ms |")


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _queries(specs: tuple[Spec, ...]) -> list[str]:
    """Runs of one to six words, as they stand in the specs."""
    random = Random(0)  # noqa: S311
    queries: list[str] = []
    while len(queries) < _QUERIES:
        written = f"{(spec := random.choice(specs)).title} {spec.desc} {spec.body}".split()
        length = random.randint(1, _LONGEST_QUERY)
        start = random.randrange(max(1, len(written) - length))
        query = " ".join(written[start : start + length])
        if query_terms(query):
            queries.append(query)
    return queries


def _terms(specs: tuple[Spec, ...], random: Random) -> list[tuple[str, float]]:
    """As many different words as a large change has, weighted."""
    found = sorted({term for spec in specs for term in query_terms(spec.body)})
    chosen = random.sample(found, min(_TERMS_OF_A_CHANGE, len(found)))
    return [(term, random.uniform(0.5, 4)) for term in chosen]


if __name__ == "__main__":
    sys.exit(main())
