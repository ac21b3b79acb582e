"""A report in a file, for another run to post. Whoever opened a pull request may have written it: it is only data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from spexsearch import __version__
from spexsearch.errors import InputError
from spexsearch.govern.config import MAX_LEARNINGS
from spexsearch.govern.holds import STRENGTH
from spexsearch.govern.model import NotJudged
from spexsearch.govern.report import LEVELS, Finding, Governing, Place, Quote, Recalled, Report, ReportedChange, to_json
from spexsearch.specs.model import Problem

LARGEST = 64 << 20
"""Bytes of a report that is read."""
MOST = 20_000
"""Findings, changes or specs of a report that is read."""
_TEXT = 4000
"""Characters of one text of it."""
_LINE = 1 << 31

T = TypeVar("T")


def as_json(report: Report) -> str:
    """The report by the schema `spex-govern/1`; beside it, for each finding, what its schema has no place for."""
    shown = [
        {
            "details": [{"label": label, "text": text} for label, text in finding.details],
            "quote": finding.quote._asdict() if finding.quote else None,
        }
        for finding in report.findings
    ]
    return json.dumps(to_json(report, __version__) | {"shown": shown}, indent=2) + "\n"


def read_report(file: Path) -> Report:
    """What a page shows of a report. InputError for anything that is not one."""
    try:
        with file.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise InputError(f"the report {file} cannot be read ({error.strerror}); was it downloaded?") from None
    if len(data) > LARGEST:
        raise InputError(f"the report is larger than {LARGEST >> 20} MiB; it is none of ours")
    try:
        return _report(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(
            f"the report is none of schema spex-govern/1 ({type(error).__name__}: {str(error)[:100]}); make it anew"
        ) from None


def _report(data: Any) -> Report:
    if data["schema"] != "spex-govern/1":
        raise ValueError("another schema")
    shown = [*_some(data.get("shown", []), dict)]
    findings = [*_some(data["findings"], dict)]
    shown += [{}] * (len(findings) - len(shown))
    return Report(
        origin="range",
        base=None,
        head=None,
        changes=tuple(_change(row) for row in _some(data["changes"], dict)),
        governing=tuple(_governing(row) for row in _some(data["governing"], dict)),
        findings=tuple(_finding(row, more) for row, more in zip(findings, shown, strict=False)),
        problems=tuple(Problem(_text(r["path"]), 1, _text(r["message"])) for r in _some(data["problems"], dict)),
        not_judged=tuple(NotJudged(_text(r["path"]), _text(r["reason"])) for r in _some(data["not_judged"], dict)),
        specs=_number(data["summary"]["specs"]),
        learnings=tuple(_learning(row) for row in [*_some(data.get("learnings", []), dict)][:MAX_LEARNINGS]),
    )


def _finding(row: dict[str, Any], more: dict[str, Any]) -> Finding:
    level = next((level for level in LEVELS if level == row["level"]), None)
    if level is None:
        raise ValueError("an unknown level")
    section, quote = row["section"], more.get("quote")
    return Finding(
        rule=_rule(row["rule"]),
        level=level,
        message=_text(row["message"]),
        path=_text(row["path"]),
        line=_number(row["line"]),
        end_line=_number(row["end_line"]),
        spec=_or_none(_text, row["spec"]),
        spec_path=_or_none(_text, row["spec_path"]),
        unit=_or_none(_text, row["unit"]),
        section=Place(_text(section["heading"]), _number(section["line"])) if section is not None else None,
        details=tuple((_text(d["label"]), _text(d["text"])) for d in _some(more.get("details", []), dict)),
        quote=Quote(_text(quote["text"]), _number(quote["line"]), 1) if quote is not None else None,
    )


def _governing(row: dict[str, Any]) -> Governing:
    if row["claim"] not in STRENGTH:
        raise ValueError("an unknown claim")
    touched, acknowledged = bool(row["touched"]), bool(row["acknowledged"])
    return Governing(_text(row["spec"]), _text(row["path"]), 0.0, row["claim"], touched, acknowledged, (), (), ())


def _learning(row: dict[str, Any]) -> Recalled:
    # A page shows no confidence of it.
    return Recalled(_text(row["key"]), _text(row["type"]), _text(row["insight"]), 0)


def _change(row: dict[str, Any]) -> ReportedChange:
    return ReportedChange(_text(row["status"]), _text(row["path"]), None, False, "other", "none", (), (), ())


def _some(rows: Any, kind: type[T]) -> Iterator[T]:
    if not isinstance(rows, list) or len(rows) > MOST or not all(isinstance(row, kind) for row in rows):
        raise TypeError(f"no list of at most {MOST} entries")
    yield from rows


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value[:_TEXT]


def _rule(value: Any) -> str:
    name = _text(value)
    if not all(char.isascii() and (char.islower() or char == "-") for char in name):
        raise ValueError("no name of a rule")
    return name[:40]


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _LINE:
        raise TypeError("no number of a line")
    return value


def _or_none(read: Callable[[Any], T], value: Any) -> T | None:
    return None if value is None else read(value)
