"""Files of a working tree, read without following anything."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def read_plainly(root: Path, path: str, limit: int) -> bytes | None:
    """The content of a root-relative POSIX path; None where there is no regular file of at most `limit` bytes.

    No symlink is followed, neither the file nor a folder above it, so that nothing outside the root is read.
    """
    parts = path.encode("utf-8", "surrogateescape").split(b"/")
    if any(part.lower() in (b"", b".", b"..", b".git") or b"\0" in part for part in parts):
        return None
    place = os.fsencode(root)
    try:
        for part in parts:
            place = os.path.join(place, part)  # noqa: PTH118 - a Path cannot hold every name
            kind = os.lstat(place).st_mode
            if stat.S_ISLNK(kind):
                return None
        if not stat.S_ISREG(kind):
            return None
        with open(place, "rb", opener=_open_plainly) as file:
            content = file.read(limit + 1)
    except OSError:
        return None
    return content if len(content) <= limit else None


def _open_plainly(path: str, flags: int) -> int:
    """Open what was just looked at, even if it was swapped for a symlink or a pipe meanwhile."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
