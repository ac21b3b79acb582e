"""A learning recorded: checked, and put behind what is there as one whole line."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from spexsearch.errors import InputError, UsageError
from spexsearch.floor.learning_rows import MAX_LINE, store_name
from spexsearch.floor.learnings import TYPES, current_time
from spexsearch.floor.tokens import flatten

SOURCES = ("observed", "user-stated", "inferred", "cross-model")
_PAGE_SECONDS = 0.01  # far more than a system takes from one page of a line to the next
_KEY = re.compile("[A-Za-z0-9_-]+")


def new_row(
    type_: str, key: str, insight: str, confidence: int, source: str, files: Iterable[str] = ()
) -> dict[str, object]:
    """A row that may be stored, written now. Only what a user stated is trusted. Raises UsageError for any other."""
    if type_ not in TYPES:
        raise UsageError(f"{type_!r} is no type of learning; the types are {', '.join(TYPES)}")
    if source not in SOURCES:
        raise UsageError(f"{source!r} is no source of a learning; the sources are {', '.join(SOURCES)}")
    if not _KEY.fullmatch(key):
        raise UsageError(
            f"the key {key!r} is not made of A-Z, a-z, 0-9, - and _ alone; write it like retry-needs-jitter"
        )
    if not 1 <= confidence <= 10:
        raise UsageError(f"the confidence {confidence} is not from 1 to 10")
    if not (said := flatten(insight)):
        raise UsageError("the insight is empty; say in a sentence what was learned")
    written = datetime.fromtimestamp(current_time(), UTC)
    return {
        "ts": written.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "skill": "spex",
        "type": type_,
        "key": key,
        "insight": said,
        "confidence": confidence,
        "source": source,
        "trusted": source == "user-stated",
        "files": list(files),
    }


def append_row(path: Path, row: dict[str, object]) -> None:
    """Put a row at the end of a store, which is made where it is not there.

    Rows that several processes add at once stand there whole, one behind the other, and a line that somebody left
    unfinished is not continued. Raises UsageError for a row that could not be read again, InputError where the file
    cannot be written.
    """
    try:
        line = json.dumps(row, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        raise UsageError("the learning holds bytes that are no UTF-8; write it in UTF-8") from None
    if len(line) > MAX_LINE:
        raise UsageError(f"the learning is longer than {MAX_LINE >> 20} MiB; say it in a sentence")
    try:
        path.parent.mkdir(exist_ok=True)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, 0o666)
        try:
            _append(descriptor, line)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise InputError(
            f"{store_name(path)} cannot be written ({error.strerror or error}); mend it, then try again"
        ) from None


def _append(descriptor: int, line: bytes) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError("it is no regular file")
    _lock(descriptor)
    if _is_unfinished(descriptor):
        line = b"\n" + line
    # In one piece: whoever appends without asking for the lock comes before it or behind it.
    if os.write(descriptor, line) != len(line):
        raise OSError("only a part of the row had room; it is left out when the file is read")


def _is_unfinished(descriptor: int) -> bool:
    """Whether the last line has no end, and nobody is still writing it: without the lock one is seen page by page."""
    before = -1
    while (size := os.fstat(descriptor).st_size) != before and size:
        os.lseek(descriptor, -1, os.SEEK_END)
        if os.read(descriptor, 1) == b"\n":
            return False
        before = size
        time.sleep(_PAGE_SECONDS)
    return size > 0


def _lock(descriptor: int) -> None:
    """Wait until no other process adds a row, where the system has such locks."""
    if sys.platform != "win32":
        import fcntl

        with suppress(OSError):  # some network file systems have none
            fcntl.flock(descriptor, fcntl.LOCK_EX)
