"""What the commands cost in a real repository, beside a yardstick: whole processes, in turn, in processor time.

python benchmarks/hook.py CLONE [FILE] [--runs N]

CLONE is a repository with specs (a bare one will do), FILE one of its source files. It is cloned into a temporary
folder, and one line of FILE is changed and staged. The yardstick is `python -c "import yaml, unidiff"`.

Processor time, user and system, is that of the process and of all that it starts: a machine with other work to do
lengthens a wait, and this much less. The first round is not counted; it leaves the bytecode that a user has, too.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
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
        _git(Path(folder), "clone", "-q", "--shared", "--no-checkout", str(arguments.clone.resolve()), str(work))
        _git(work, "read-tree", "HEAD")
        _measure(work, arguments)


def _check_out(work: Path, wanted: Callable[[str], bool]) -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=work, check=True, capture_output=True).stdout.split(b"\0")
    names = b"".join(name + b"\0" for name in listed if wanted(name.decode("utf-8", "surrogateescape")))
    subprocess.run(["git", "checkout-index", "-z", "--stdin"], cwd=work, input=names, check=True)


def _measure(work: Path, arguments: argparse.Namespace) -> None:
    # A snapshot may lack large media files, so only what is needed is checked out.
    _check_out(work, lambda name: name.endswith((".md", ".toml", ".json")))
    name = arguments.file or _claimed_file(work)
    _check_out(work, lambda other: other == name)
    source = work / name
    source.write_bytes(source.read_bytes().replace(b"return ", b"return (0, 1) && ", 1))
    _git(work, "add", "--", name)
    programs = Path(sys.executable).parent
    commands = {
        'python -c "import yaml, unidiff"': YARDSTICK,
        f"spex-govern, {name} staged": [str(programs / "spex-govern")],
        "spex search": [str(programs / "spex"), "search", *arguments.query.split()],
    }
    spent: dict[str, list[float]] = {label: [] for label in commands}
    memory = dict.fromkeys(commands, 0.0)
    for counts in (False, *[True] * arguments.runs):
        for label, command in commands.items():
            seconds, megabytes = _run(label, command, work)
            if counts:
                spent[label].append(seconds)
                memory[label] = max(memory[label], megabytes)
    medians = {label: statistics.median(values) for label, values in spent.items()}
    yardstick = next(iter(medians.values()))
    print(f"| whole process, median of {arguments.runs} | ms | × yardstick | MB |\n|---|---|---|---|")
    for label, median in medians.items():
        print(f"| `{label}` | {median * 1000:.0f} | {median / yardstick:.1f} | {memory[label]:.0f} |")


def _run(label: str, command: list[str], work: Path) -> tuple[float, float]:
    """(Seconds of processor time with those of its children, MB of memory at most) of one process."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(command, cwd=work, env=environ, stdout=subprocess.DEVNULL, stderr=told)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            told.seek(0)
            raise SystemExit(f"{label}: exit {process.returncode}: {told.read().decode()}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _claimed_file(work: Path) -> str:
    from spexsearch import load_tree

    claims = {c.path for s in load_tree(work).specs for c in s.claims if c.relation == "code"}
    listed = subprocess.run(["git", "ls-files"], cwd=work, check=True, capture_output=True, text=True).stdout.split(
        "\n"
    )
    named = sorted(claims.intersection(name for name in listed if name.endswith((".py", ".ts", ".js", ".go", ".rs"))))
    return named[len(named) // 2]


def _git(where: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=where, check=True, capture_output=True)


if __name__ == "__main__":
    main()
