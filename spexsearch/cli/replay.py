"""`spex replay`: past commits held against the specs as their authors found them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from spexsearch.cli.common import complain, count, tell
from spexsearch.cli.past import REASONS, Failed, Replay, Skipped, in_order_of_sample, read_range
from spexsearch.cli.rowfile import RowFile, open_rows
from spexsearch.errors import ExitCode, InputError, UsageError
from spexsearch.govern.model import PastUnit
from spexsearch.govern.replay.rows import Row, to_line
from spexsearch.govern.replay.thresholds import calibrate, thresholds
from spexsearch.govern.repository import Repository

PROG = "spex"
NAMED = 10  # failures that are named; the rest are counted

T = TypeVar("T")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("range", nargs="?", metavar="RANGE", help="A..B, or REV with its history (default: HEAD)")
    parser.add_argument(
        "--units", choices=("commits", "merges"), default="commits", help="what is judged at once (default: commits)"
    )
    parser.add_argument("--sample", type=count, metavar="N", help="N units by chance instead of all")
    parser.add_argument("--seed", type=int, metavar="S", help="another sample (default: 0)")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each unit and nothing else")
    parser.add_argument("--output", type=Path, metavar="FILE", help="append the lines to FILE, and go on from there")
    parser.add_argument("--calibrate", action="store_true", help="choose the thresholds that this history asks for")
    parser.add_argument("--write", action="store_true", help="with --calibrate: write them into the configuration")
    for level, wanted in (("error", 0.9), ("warning", 0.65)):
        parser.add_argument(
            f"--{level}-precision", type=_precision, metavar="P", default=wanted, help=f"wanted (default: {wanted})"
        )


def _precision(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is no share above 0 and up to 1")
    return value


@dataclass(slots=True)
class _Told:
    """What has become of the units that were walked."""

    walked: int
    rows: list[Row] = field(default_factory=list)
    skipped: dict[str, Skipped] = field(default_factory=dict)
    failed: dict[str, Failed] = field(default_factory=dict)

    def put(self, result: Row | Skipped | Failed) -> None:
        if isinstance(result, Row):
            self.rows.append(result)
        elif isinstance(result, Skipped):
            self.skipped[result.unit] = result
        else:
            self.failed[result.unit] = result


def replay(asked: argparse.Namespace, directory: str | None) -> int:
    """Run the command; the exit status."""
    _refuse(asked)
    repo = Repository.discover(Path(directory or "."))
    base, head = read_range(repo, asked.range or "HEAD")
    units = repo.past_units(base, head, merges=asked.units == "merges")
    if not units:
        other = "" if asked.units == "commits" else "; --units commits judges commits"
        raise InputError(f"there are no {asked.units} in {asked.range or 'HEAD'}{other}{repo.shortfall}")
    told = _Told(len(units))
    with ExitStack() as stack:
        file = stack.enter_context(open_rows(asked.output)) if asked.output else None
        judging = Replay(stack.enter_context(repo.kept_open()), calibrating=asked.calibrate)
        if asked.sample:
            units = _sampled(judging, units, asked, told)
        for result in _judged(judging, units, file, bar=_bar_fits(asked)):
            told.put(result)
            if asked.json and isinstance(result, Row):
                sys.stdout.write(to_line(result))
    _tell_failures(told)
    if not told.rows:
        raise InputError(_nothing(told))
    return _calibrated(told, asked, repo) if asked.calibrate else _summed_up(told, asked)


def _refuse(asked: argparse.Namespace) -> None:
    if asked.write and not asked.calibrate:
        raise UsageError("--write writes what --calibrate chooses; say both")
    if asked.seed is not None and not asked.sample:
        raise UsageError("--seed is for a sample; say --sample N too")
    if asked.calibrate and (asked.json or asked.output):
        raise UsageError(
            "--calibrate judges with thresholds of its own and keeps no rows; leave out --json and --output"
        )


def _bar_fits(asked: argparse.Namespace) -> bool:
    """Whether a bar can be seen, and is not written in between the lines of JSON."""
    on_terminal = sys.stderr is not None and sys.stderr.isatty()
    return on_terminal and not (asked.json and sys.stdout.isatty())


def _with_bar(items: Sequence[T], what: str, *, bar: bool) -> Iterable[T]:
    if not bar:
        return items
    from tqdm import tqdm

    return tqdm(items, desc=what, unit="", file=sys.stderr, leave=False)


def _sampled(judging: Replay, units: list[PastUnit], asked: argparse.Namespace, told: _Told) -> list[PastUnit]:
    """The first units in the order of the sample that can be judged, oldest first."""
    found: list[PastUnit] = []
    order = in_order_of_sample(units, asked.seed or 0)
    for unit in _with_bar(order, "choosing", bar=_bar_fits(asked)):
        result = judging.look(unit)
        if result is None:
            found.append(unit)
        else:
            told.put(result)
        if len(found) == asked.sample:
            break
    judging.forget()
    return sorted(found, key=lambda unit: (unit.date, unit.sha))


def _judged(
    judging: Replay, units: list[PastUnit], file: RowFile | None, *, bar: bool
) -> Iterator[Row | Skipped | Failed]:
    """What becomes of each unit; those that the file has are not judged again."""
    for unit in _with_bar(units, "judging", bar=bar):
        if file is not None and unit.sha in file.rows:
            judging.look(unit)  # a later duplicate of it is one still
            yield file.rows[unit.sha]
            continue
        result = judging.judge(unit)
        if file is not None and isinstance(result, Row):
            file.append(result)
        yield result


def _tell_failures(told: _Told) -> None:
    failed = list(told.failed.values())
    for failure in failed[:NAMED]:
        complain(PROG, f"{failure.unit} is left out: {failure.reason}")
    if len(failed) > NAMED:
        complain(PROG, f"{len(failed) - NAMED} more are left out for reasons of this kind")


def _nothing(told: _Told) -> str:
    if told.failed:
        return f"none of {told.walked} units could be judged: {next(iter(told.failed.values())).reason}"
    return f"nothing to replay in {told.walked} units: {_reasons(told)}"


def _reasons(told: _Told) -> str:
    counts = Counter(skipped.reason for skipped in told.skipped.values())
    parts = [f"{counts[reason]} {text}" for reason, text in REASONS.items() if counts[reason]]
    return ", ".join([*parts, *([f"{len(told.failed)} could not be judged"] if told.failed else [])])


def _walked(told: _Told, asked: argparse.Namespace) -> str:
    chosen = f" (a sample of {asked.sample}, seed {asked.seed or 0})" if asked.sample else ""
    reasons = _reasons(told)
    return f"{told.walked} {asked.units}, {len(told.rows)} judged{chosen}{'; ' if reasons else ''}{reasons}\n\n"


def _summed_up(told: _Told, asked: argparse.Namespace) -> int:
    from spexsearch.render.replay import summary_text

    if not asked.json:
        sys.stdout.write(_walked(told, asked) + summary_text(told.rows))
    return ExitCode.OK


def _calibrated(told: _Told, asked: argparse.Namespace, repo: Repository) -> int:
    from spexsearch.render.replay import calibration_text

    choices = calibrate(told.rows, asked.error_precision, asked.warning_precision)
    chosen = thresholds(choices)
    sys.stdout.write(_walked(told, asked) + calibration_text(choices, chosen))
    if asked.write:
        _write(repo, chosen)
    return ExitCode.OK


def _write(repo: Repository, chosen: Mapping[str, float]) -> None:
    if not chosen:
        raise InputError("no threshold was chosen, so none is written")
    if not repo.has_worktree:
        raise InputError("a bare repository has no configuration to write into; run this in a working tree")
    from spexsearch.cli.settings import write_thresholds

    tell(f"written to {write_thresholds(repo.root, chosen)}")
