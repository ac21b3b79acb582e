"""What a replay says of one past unit, and the lines in which that is kept."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from spexsearch.govern.report import Report

FLAGS = ("untouched-spec", "hollow-touch", "stale-words")
"""The rules that say a spec was left behind."""

GRADED = ("untouched-spec",)
"""Those of them whose level the thresholds decide."""

KEYS = ("errors", "gold", "parent", "scores", "unit", "warnings")
_BEGINNING = b'{"errors": ['


class Row(NamedTuple):
    """One past unit. All paths are those at the parent.

    `gold`: the specs whose bodies the authors changed. `errors`, `warnings`: those that the checker accuses, each once.
    `scores`: what may govern the unit, and how much.
    """

    unit: str
    parent: str
    gold: tuple[str, ...]
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    scores: Mapping[str, float]


def row_of(
    unit: str,
    parent: str,
    gold: Collection[str],
    report: Report,
    names: Mapping[str, str],
    rules: Collection[str] = FLAGS,
) -> Row:
    """The row of one report. `names`: path at the head -> path at the parent, of the specs that are on both sides."""
    flagged = {level: set[str]() for level in ("error", "warning", "note")}
    for finding in report.findings:
        path = names.get(finding.spec_path or "")
        if finding.rule in rules and path is not None:
            flagged[finding.level].add(path)
    scores = {names[g.path]: g.score for g in report.governing if g.path in names and g.score > 0}
    return Row(
        unit,
        parent,
        tuple(sorted(gold)),
        tuple(sorted(flagged["error"])),
        tuple(sorted(flagged["warning"] - flagged["error"])),
        dict(sorted(scores.items())),
    )


def to_line(row: Row) -> str:
    """A row as JSON on one line, ended by LF: ASCII, keys and paths in order."""
    return json.dumps(row._asdict(), sort_keys=True) + "\n"


def from_line(line: bytes) -> Row | None:
    """The row of a line, None where it is not one."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or tuple(sorted(told)) != KEYS:
        return None
    lists = (told["gold"], told["errors"], told["warnings"])
    if not all(isinstance(name, str) for name in (told["unit"], told["parent"])) or not all(map(_is_paths, lists)):
        return None
    scores = told["scores"]
    if not isinstance(scores, dict) or not all(type(score) in (int, float) for score in scores.values()):
        return None
    gold, errors, warnings = map(tuple, lists)
    return Row(told["unit"], told["parent"], gold, errors, warnings, scores)


def _is_paths(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_torn(rest: bytes) -> bool:
    """Whether what stands behind the last LF of a file may be the beginning of a line that was never finished."""
    return rest.startswith(_BEGINNING) or _BEGINNING.startswith(rest)
