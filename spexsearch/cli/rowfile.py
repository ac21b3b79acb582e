"""The file that a replay appends its rows to, and goes on with after it was ended."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from spexsearch.errors import InputError
from spexsearch.govern.replay.rows import Row, from_line, is_torn, to_line


class RowFile:
    """Rows by their units, in the order of the file. Each row is written at once and whole."""

    def __init__(self, stream: BinaryIO, rows: dict[str, Row]) -> None:
        """`stream`: unbuffered, and at its end."""
        self._stream = stream
        self.rows = rows

    def append(self, row: Row) -> None:
        """Write a row behind the others."""
        line = to_line(row).encode()
        while line:
            line = line[self._stream.write(line) :]
        self.rows[row.unit] = row


@contextmanager
def open_rows(path: Path) -> Iterator[RowFile]:
    """The rows of a file, which need not exist yet. A last line that was never finished is cut off.

    Raises InputError, and leaves the file as it is, where it holds anything else.
    """
    # No truncation before it is known to be a file of rows, and no writing anywhere but behind its end.
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666), "rb+", buffering=0) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise InputError(f"{path} is no regular file, and rows are read back: name one, or use --json")
        whole, _, rest = (data := stream.readall()).rpartition(b"\n")
        rows: dict[str, Row] = {}
        for number, line in enumerate(whole.split(b"\n") if whole else (), 1):
            row = from_line(line)
            if row is None:
                raise InputError(f"line {number} of {path} is no row of a replay: name another file, or mend it")
            rows.setdefault(row.unit, row)
        if not is_torn(rest):
            raise InputError(f"{path} ends in something that is no row of a replay: name another file")
        if rest:
            stream.truncate(len(data) - len(rest))
        yield RowFile(stream, rows)
