"""Stored learnings read, row by row: one broken line never hides another, and no field is believed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from json import JSONDecoder
from math import inf
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

from spexsearch.errors import InputError

MAX_STORE = 256 << 20
"""Bytes. A larger store is refused."""
MAX_LINE = 1 << 20
"""Bytes. A longer line is no short note, and is left out."""

_BOM = b"\xef\xbb\xbf"
_TOO_LONG = "too long"  # which is no JSON
_BLANKS = b" \t\r\n"

Row = Mapping[str, object]
"""One stored object. Any field may be missing or hold anything."""
Place = tuple[float, ...]
"""Where a row stands among others: the least is the first."""
Placing = Callable[[str, str, Row, bool], Place | None]
"""Of key, type, row, and whether it is another project's: its place; () where it cannot be among the first; None where
it is not wanted."""


Wanted = tuple[Place, str, str, str, bool]
"""A row that is wanted: its place, key, type and line, and whether it is another project's. In this order they sort."""


class LeftOut(NamedTuple):
    """How many lines of a file gave no row, and the number of the first, from 1; 0 where there is none."""

    rows: int
    first: int


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


# The decoder's own methods would cost as much again as this.
_scan = JSONDecoder(parse_constant=_refuse).scan_once  # type: ignore[attr-defined]
_read_date = datetime.fromisoformat


@dataclass(slots=True)
class Project:
    """The newest row of each (key, type) of one project, as far as its files were read.

    `place` is asked of each row while it is read, so that only rows are kept which may be shown. Of `another` project
    only rows count whose `trusted` is exactly true.
    """

    place: Placing
    another: bool = False
    _newest: dict[tuple[str, str], tuple[object, Place | None, str]] = field(default_factory=dict)

    def wanted(self) -> Iterator[Wanted]:
        """The rows that have a place, in no order."""
        for (key, type_), (_, place, line) in self._newest.items():
            if place:
                yield place, key, type_, line, self.another

    def count(self) -> int:
        """How many rows are wanted, those without a place among the first too."""
        return sum(place is not None for _, place, _ in self._newest.values())

    def read(self, path: Path, most: int = MAX_STORE) -> LeftOut:
        """Read a file of the project; of two rows of one age the later is the newer. One that is not there has none.

        Raises InputError where it is no regular file of at most `most` bytes, or cannot be read.
        """
        try:
            with open(path, "rb", opener=_open_at_once) as stream:
                told = os.fstat(stream.fileno())
                if not stat.S_ISREG(told.st_mode):
                    raise InputError(f"{store_name(path)} is no regular file; put one there, or take it away")
                if told.st_size > most:
                    raise InputError(f"{store_name(path)} is larger than {most >> 20} MiB; take old rows out of it")
                return self._read_lines(stream)
        except (FileNotFoundError, NotADirectoryError):
            return LeftOut(0, 0)
        except OSError as error:
            raise InputError(f"{store_name(path)} cannot be read ({error.strerror}); mend it, then try again") from None

    def _read_lines(self, stream: BinaryIO) -> LeftOut:
        count = first = 0
        newest, place_of = self._newest, self.place
        for number, line in enumerate(stream, 1):
            if number == 1:
                line = line.removeprefix(_BOM)
            written = line.strip(_BLANKS).decode("utf-8", "surrogateescape") if len(line) <= MAX_LINE else _TOO_LONG
            try:
                row, end = _scan(written, 0)
                pair = key, type_ = row["key"], row["type"]
                readable = end == len(written) and key and type_ and type(key) is type(type_) is str
            except (ValueError, StopIteration, RecursionError, KeyError, TypeError):
                readable = False
            if not readable:
                if written:
                    count, first = count + 1, first or number
            elif not self.another or row.get("trusted") is True:
                ts, known = row.get("ts"), newest.get(pair)
                if known is None or moment(ts) >= moment(known[0]):
                    place = place_of(key, type_, row, self.another)
                    newest[pair] = ts, place, written if place else ""
        return LeftOut(count, first)


def store_name(path: Path) -> str:
    """A store as people know it: `.spec/learnings.jsonl`, or with the name of a project."""
    return f"{path.parent.name}/{path.name}"


def _open_at_once(path: str, flags: int) -> int:
    """Open without waiting for somebody at the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def row_of(line: str) -> Row:
    """The row of a line that gave one."""
    row: Row = _scan(line, 0)[0]
    return row


def text(value: object) -> str:
    """A value that should be a text; "" where it is none."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> list[str]:
    """The texts of a value that should be a list of them."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def moment(value: object) -> float:
    """A value that should be a date, in seconds since 1970; older than all dates where it is none."""
    try:
        written = _read_date(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return -inf
    return (written if written.tzinfo else written.replace(tzinfo=UTC)).timestamp()
