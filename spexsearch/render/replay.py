"""What a replay found, for people. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from spexsearch.govern.replay.rows import Row
from spexsearch.govern.replay.statistics import SWEEP, WANTED, Flags, Quality, is_sweep, quality
from spexsearch.govern.replay.thresholds import LEAST, Choice, Step

_GRID = 0.05
_COLUMNS = (f"up to {SWEEP} edited", f"over {SWEEP}", "all")


def summary_text(rows: Sequence[Row]) -> str:
    """A table: units that edit few specs, units that edit many, and all of them."""
    sweeps = [row for row in rows if is_sweep(row)]
    sides = [quality(side) for side in ([row for row in rows if not is_sweep(row)], sweeps, rows)]
    cells = [[name, *(show(side) for side in sides)] for name, show in _LINES]
    return _table([["", *_COLUMNS], *cells])


def _count(of: Callable[[Quality], int]) -> Callable[[Quality], str]:
    return lambda quality: str(of(quality))


def _number(of: Callable[[Quality], float | None]) -> Callable[[Quality], str]:
    return lambda quality: _ratio(of(quality))


def _flags(of: Callable[[Quality], Flags], name: str) -> tuple[tuple[str, Callable[[Quality], str]], ...]:
    return (
        (name, _count(lambda quality: of(quality).count)),
        ("  precision", _number(lambda quality: of(quality).precision)),
        ("  recall", _number(lambda quality: of(quality).recall)),
    )


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.1%})" if whole else "–"


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


_LINES: tuple[tuple[str, Callable[[Quality], str]], ...] = (
    ("units", _count(lambda quality: quality.units)),
    ("  that edit a spec", _count(lambda quality: quality.answered)),
    ("specs edited", _count(lambda quality: quality.edited)),
    *_flags(lambda quality: quality.errors, "errors"),
    *_flags(lambda quality: quality.both, "errors and warnings"),
    ("average precision of the scores", _number(lambda quality: quality.average_precision)),
    (f"  recall at precision {WANTED}", _number(lambda quality: quality.recall)),
    ("best spec was edited", lambda quality: _share(quality.hits, quality.answered)),
    ("an error where none was edited", lambda quality: _share(quality.loud, quality.quiet)),
)


def calibration_text(choices: Sequence[Choice], thresholds: Mapping[str, float]) -> str:
    """For each level a table of thresholds and what they give, the chosen one marked."""
    return "\n".join(_choice_text(choice, thresholds.get(choice.level)) for choice in choices)


def _choice_text(choice: Choice, threshold: float | None) -> str:
    what = "errors" if choice.level == "error" else "errors and warnings"
    steps = _thinned(choice)
    body = [[_mark(step, choice), *_cells(step)] for step in steps]
    table = _table([["", "threshold", "flags", "precision", "recall"], *body]) if body else ""
    return f"{what}, precision wanted {choice.wanted:.2f}\n{table}{_verdict(choice, threshold)}\n"


def _thinned(choice: Choice) -> list[Step]:
    """The last step at or above each multiple of the grid, and the chosen one."""
    last = {int(step.threshold / _GRID + 1e-9): step for step in choice.steps}
    shown = {step.threshold: step for step in (*last.values(), *((choice.chosen,) if choice.chosen else ()))}
    return [shown[threshold] for threshold in sorted(shown, reverse=True)]


def _mark(step: Step, choice: Choice) -> str:
    return "*" if step == choice.chosen else ""


def _cells(step: Step) -> tuple[str, str, str, str]:
    flags = step.flags
    return f"{step.threshold:.4f}", str(flags.count), _ratio(flags.precision), _ratio(flags.recall)


def _verdict(choice: Choice, threshold: float | None) -> str:
    if choice.is_known_too_little:
        flags = choice.steps[-1].flags.count if choice.steps else 0
        return f"too little history: {flags} flags, and a precision is not known from fewer than {LEAST}"
    if threshold is None:
        return f"no threshold with {LEAST} flags or more has that precision"
    return f"thresholds.{choice.level} = {threshold}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Columns of one width each: the first one's text to the left, the others' to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(f"{_line(row, widths)}\n" for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
    return "  ".join([row[0].ljust(widths[0]), *numbers]).rstrip()
