"""Whole-process times of a query of recorded learnings, on stores of 1,000 and of 100,000 rows, in one interleaved run.

python benchmarks/learnings.py [--runs N]

The stores are made in a temporary folder: rows of a dozen words, drawn with a fixed seed from fifty. The queries are
one that no row answers, one that half of them answer, one that most answer, and none. In a last store a broken line
stands behind each row. The yardstick is `python -c "import yaml, unidiff"`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

YARDSTICK = [sys.executable, "-c", "import yaml, unidiff"]
SMALL, LARGE = 1_000, 100_000
_WORDS = (
    "branch cache change claim commit deploy diff file folder freeze guard guide hook index invalidation jitter key"
    " line lock merge name note order panel parse path pipeline preflight project queue read refill report retry runner"
    " scan section session spec stage store test ticket timeout token unit value window write writer"
)
WORDS = _WORDS.split()
QUERIES = ("preflightish", "preflight project line", "cache retry session merge line test", "")


def rows(count: int, broken: bool = False) -> Iterator[str]:
    """So many lines of a store; with `broken` a line that is not JSON behind each."""
    random = Random(7)  # noqa: S311
    for number in range(count):
        row = {
            "ts": f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}T00:00:00Z",
            "skill": "bench",
            "type": random.choice(["pattern", "pitfall", "tool"]),
            "key": f"{random.choice(WORDS)}-{random.choice(WORDS)}-{number}",
            "insight": " ".join(random.choices(WORDS, k=12)),
            "confidence": random.randint(1, 10),
            "source": random.choice(["observed", "user-stated"]),
            "trusted": False,
            "files": [f"src/{random.choice(WORDS)}/{random.choice(WORDS)}.py"],
        }
        yield json.dumps(row)
        if broken:
            yield "{not json"


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        stores = {"small": SMALL, "large": LARGE, "broken": LARGE}
        for name, count in stores.items():
            path = Path(folder) / name / ".spec" / "learnings.jsonl"
            path.parent.mkdir(parents=True)
            path.write_text("".join(f"{line}\n" for line in rows(count, name == "broken")), encoding="utf-8")
        _measure(Path(folder), list(stores), runs)


def _measure(folder: Path, stores: list[str], runs: int) -> None:
    spex = str(Path(sys.executable).parent / "spex")
    commands = {("yardstick", ""): YARDSTICK} | {
        (store, query): [spex, "-C", str(folder / store), "learnings", "--json", "--query", query]
        for store in stores
        for query in QUERIES
    }
    times: dict[tuple[str, str], list[float]] = {label: [] for label in commands}
    for _ in range(runs):
        for label, command in commands.items():
            begun = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True)
            times[label].append(time.perf_counter() - begun)
    medians = {label: statistics.median(values) * 1000 for label, values in times.items()}
    print(f"yardstick {medians['yardstick', '']:.0f} ms; medians of {runs} whole processes, in ms\n")
    print(f"| query | {SMALL:,} rows | {LARGE:,} rows | × | as many broken lines between |\n|---|---|---|---|---|")
    for query in QUERIES:
        small, large, broken = (medians[store, query] for store in stores)
        print(f"| `{query or '(none)'}` | {small:.0f} | {large:.0f} | {large / small:.1f} | {broken:.0f} |")


if __name__ == "__main__":
    main()
