"""Whole-process times of the commands in a real repository, beside a yardstick, in one interleaved run.

python benchmarks/hook.py CLONE [FILE] [--runs N]

CLONE is a repository with specs (a bare one will do), FILE one of its source files. A worktree of it is made in a
temporary folder, one line of FILE changed and staged. The yardstick is `python -c "import yaml, unidiff"`.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

YARDSTICK = [sys.executable, "-c", "import yaml, unidiff"]


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--query", default="how does a session survive a restart")
    parser.add_argument("--runs", type=int, default=15)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "work"
        _git(arguments.clone.resolve(), "worktree", "add", "-q", "--detach", str(work))
        try:
            _measure(work, arguments)
        finally:
            _git(arguments.clone.resolve(), "worktree", "remove", "--force", str(work))


def _measure(work: Path, arguments: argparse.Namespace) -> None:
    name = arguments.file or _claimed_file(work)
    source = work / name
    source.write_bytes(source.read_bytes().replace(b"return ", b"return (0, 1) && ", 1))
    _git(work, "add", "--", name)
    programs = Path(sys.executable).parent
    commands = {
        'python -c "import yaml, unidiff"': YARDSTICK,
        f"spex-govern, {name} staged": [str(programs / "spex-govern")],
        "spex search": [str(programs / "spex"), "search", *arguments.query.split()],
    }
    times: dict[str, list[float]] = {label: [] for label in commands}
    for _ in range(arguments.runs):
        for label, command in commands.items():
            begun = time.perf_counter()
            done = subprocess.run(command, cwd=work, capture_output=True, check=False)
            times[label].append(time.perf_counter() - begun)
            if done.returncode not in (0, 1):
                raise SystemExit(f"{label}: exit {done.returncode}: {done.stderr.decode()}")
    medians = {label: statistics.median(values) for label, values in times.items()}
    yardstick = next(iter(medians.values()))
    print(f"| whole process, median of {arguments.runs} | ms | × yardstick |\n|---|---|---|")
    for label, median in medians.items():
        print(f"| `{label}` | {median * 1000:.0f} | {median / yardstick:.1f} |")


def _claimed_file(work: Path) -> str:
    from spexsearch import load_tree

    claims = (c.path for s in load_tree(work).specs for c in s.claims if c.relation == "code")
    sizes = sorted((path.stat().st_size, name) for name in set(claims) if (path := work / name).is_file())
    return sizes[len(sizes) // 2][1]


def _git(where: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=where, check=True, capture_output=True)


if __name__ == "__main__":
    main()
