"""The files of a folder on disk that may be specs. Opens nothing that is not a regular file inside the folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from spexsearch.errors import UsageError
from spexsearch.specs.dialects import DIALECTS, PRUNED, candidates
from spexsearch.specs.globs import Glob
from spexsearch.specs.model import Problem

MAX_SPEC = 4 * 1024 * 1024


class Folder:
    """`files`: every file below the root, less pruned folders; `texts`: the bytes of those that may be specs."""

    def __init__(self) -> None:
        """Nothing is found yet."""
        self.files: list[str] = []
        self.texts: dict[str, bytes] = {}
        self.problems: list[Problem] = []


def read_folder(root: Path, named: Sequence[Glob] = (), also: Iterable[str] = ()) -> Folder:
    """Reads a folder; what cannot be read is a problem. `named` as in `dialect_of`.

    `also`: paths that are not here, but that decide in another state what is a spec.

    Raises UsageError when there is no such folder.
    """
    if not root.is_dir():
        raise UsageError(f"no such folder: {root}; name one that exists")
    found = Folder()
    irregular: dict[str, str] = {}
    for entry, path, whole in _walk(root, found.problems):
        if entry.is_file(follow_symlinks=False):
            found.files.append(path)
        elif (fault := _fault(entry, whole)) is not None:
            irregular[path] = fault
            found.files.append(path)
    here = set(found.files)
    for path in candidates(sorted(here.union(also)), named):
        if path not in here:
            continue
        if path in irregular:
            found.problems.append(Problem(path, 1, irregular[path], unreadable=True))
        else:
            _read(root, path, found)
    return found


def _fault(entry: os.DirEntry[str], whole: bool) -> str | None:
    """Why an entry that is no regular file cannot be a spec; None for a folder, which is walked."""
    if entry.is_symlink():
        return "is a symbolic link, which is not followed; put the file itself here"
    if not entry.is_dir(follow_symlinks=False):
        return "is no regular file and is not opened; remove it"
    return "is a folder; name it otherwise" if whole and entry.name in _FILENAMES else None


_FILENAMES = frozenset(dialect.filename for dialect in DIALECTS)


def _walk(root: Path, problems: list[Problem]) -> Iterator[tuple[os.DirEntry[str], str, bool]]:
    """Every entry below the root with its path, and whether nothing is pruned there."""
    owned = frozenset(dialect.under for dialect in DIALECTS if dialect.under)
    waiting = [("", False)]
    while waiting:
        folder, whole = waiting.pop()
        try:
            with os.scandir(os.path.join(root, folder)) as listing:  # noqa: PTH118 (pathlib takes twice as long)
                entries = list(listing)
        except OSError as error:
            problems.append(
                Problem(
                    folder or ".", 1, f"cannot be listed ({_reason(error)}); mend it or its rights", unreadable=True
                )
            )
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            yield entry, path, whole or path in owned
            if entry.is_dir(follow_symlinks=False):
                if whole or path in owned or entry.name not in PRUNED:
                    waiting.append((path, whole or path in owned))
            elif path in owned:
                waiting += _linked(root, path, entry, problems)


def _linked(root: Path, path: str, entry: os.DirEntry[str], problems: list[Problem]) -> list[tuple[str, bool]]:
    """A spec folder that is a link is followed as long as it stays inside the root."""
    if entry.is_symlink() and entry.is_dir():
        if Path(entry.path).resolve().is_relative_to(root.resolve()):
            return [(path, True)]
        problems.append(
            Problem(path, 1, "leads out of this folder and is not followed; put the specs here", unreadable=True)
        )
    else:
        problems.append(Problem(path, 1, "is no folder; put the specs in a folder of this name", unreadable=True))
    return []


def _read(root: Path, path: str, found: Folder) -> None:
    # Without blocking, and not through a link, in case the file was replaced since it was listed.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(root / path, flags), "rb") as stream:
            regular = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
            data = stream.read(MAX_SPEC + 1) if regular else b""
    except OSError as error:
        message = f"cannot be read ({_reason(error)}); mend it or its rights"
        found.problems.append(Problem(path, 1, message, unreadable=True))
        return
    if len(data) > MAX_SPEC:
        message = f"is larger than {MAX_SPEC // 1024 // 1024} MiB and is not read; split it"
        found.problems.append(Problem(path, 1, message, unreadable=True))
    elif regular:
        found.texts[path] = data


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else type(error).__name__
