"""How git is run: with which options and environment, and what its answers and complaints mean."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import IO, NoReturn

from spexsearch.errors import GitError, NotARepositoryError
from spexsearch.govern.model import LARGEST_TEXT, MAX_DIFF

_CONFIG = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", f"core.bigFileThreshold={LARGEST_TEXT}"),
)

# Where the repository under judgement and its index are. A hook gets them from git, and they are right for no other.
_PLACES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR")
_OBJECTS = ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH")
# Which configuration holds, and how far git looks for a repository. All else named GIT_ could change an answer.
_KEPT = (
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
)
_KEPT_NUMBERED = ("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
_PINNED = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}


_OBJECT_HEADER = re.compile(rb"[0-9a-f]{40,64} (?:blob|tree|commit|tag) [0-9]{1,18}\n")
_TORN = "git stopped in the middle of an object: look at the repository with `git fsck`"


def has_places(environ: Mapping[str, str]) -> bool:
    """Whether the environment says where a repository, its index or its objects are."""
    return any(name in environ for name in (*_PLACES, *_OBJECTS))


def clean(environ: Mapping[str, str], *, places: bool) -> dict[str, str]:
    """The environment for git: what could change an answer is left out or pinned, `places` are kept on demand."""
    kept = (*_KEPT, *_PLACES, *_OBJECTS) if places else _KEPT
    return {
        name: value
        for name, value in environ.items()
        if not name.startswith("GIT_") or name in kept or name.startswith(_KEPT_NUMBERED)
    } | _PINNED


def hook_folder(environ: Mapping[str, str]) -> Path | None:
    """The folder from which the places that git gave a hook hold: this one, or the one that the hook changed from.

    None where the hook has left its linked working tree.
    """
    here = Path.cwd().resolve()
    place = environ.get("GIT_DIR", "")
    link = here / place / "gitdir"
    # Git takes the current folder for the top where it is told GIT_DIR alone, and a linked tree's hooks are.
    if place and "GIT_WORK_TREE" not in environ and link.is_file():
        top = (link.parent / os.fsdecode(link.read_bytes()).rstrip("\n")).resolve().parent
        return top if here.is_relative_to(top) else None
    return next((folder for folder in (here, *here.parents) if (folder / place).exists()), here)


def is_index_of_another(environ: Mapping[str, str], git_dir: Path) -> bool:
    """Whether a hook's index lies in the git folder of another repository than the one found: the hook has left it."""
    index = environ.get("GIT_INDEX_FILE", "")
    folder = Path(index).resolve().parent
    return Path(index).is_absolute() and folder != git_dir and (folder / "HEAD").is_file()


def unread_branch(git_dir: Path, common_dir: Path) -> str:
    """The branch that HEAD names though git finds no commit there, where it has a file; "" before the first commit."""
    words = (git_dir / "HEAD").read_text(encoding="utf-8", errors="surrogateescape").split()
    branch = words[1] if len(words) == 2 and words[0] == "ref:" else ""
    return branch if branch and (common_dir / branch).exists() else ""


def fixed(environ: Mapping[str, str], folder: Path, git_dir: Path, root: Path | None) -> dict[str, str]:
    """The environment for one known repository, whatever folder git is run from later.

    Git reads a relative index file from the top of the working tree, and other relative places from where it is run,
    which was `folder`.
    """
    placed = {name: value for name, value in environ.items() if name not in _PLACES}
    for name in ("GIT_OBJECT_DIRECTORY", "GIT_QUARANTINE_PATH"):
        if name in placed:
            placed[name] = str(folder / placed[name])
    if "GIT_COMMON_DIR" in environ:
        placed["GIT_COMMON_DIR"] = str(folder / environ["GIT_COMMON_DIR"])
    if "GIT_INDEX_FILE" in environ:
        placed["GIT_INDEX_FILE"] = str((root or folder) / environ["GIT_INDEX_FILE"])
    placed["GIT_DIR"] = str(git_dir)
    if root is not None:
        placed["GIT_WORK_TREE"] = str(root)
    return placed


def complaint(command: str, stderr: bytes, folder: Path, remedy: str) -> GitError:
    """What git's standard error means, in one line that says what to do."""
    lines = stderr.decode("utf-8", "backslashreplace").splitlines()
    first = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "no message")
    text = "".join(char if char.isprintable() else "?" for char in first.partition(": ")[2] or first)
    if "dubious ownership" in text:
        trust = f"git config --global --add safe.directory '{folder}'"
        return GitError(f"git does not read this repository, for it belongs to another user; if you trust it: {trust}")
    if "not a git repository" in text:
        return NotARepositoryError("there is no git repository here: run this inside one")
    return GitError(f"git {command} failed: {text}{remedy or '; look at the repository with `git fsck`'}")


def remedy(git_common_dir: Path) -> str:
    """What brings the objects that a clone may lack, to be added to a message; nothing where the clone is whole."""
    if (git_common_dir / "shallow").exists():
        return "; this clone is shallow: run `git fetch --unshallow`, or check out with `fetch-depth: 0`"
    if any((git_common_dir / "objects" / "pack").glob("*.promisor")):
        return "; this clone is partial, and nothing is fetched here: run `git fetch --refetch --no-filter` first"
    return ""


class Failed(GitError):
    """Git ended with a status that is not 0."""

    def __init__(self, status: int, stderr: bytes) -> None:
        super().__init__(f"git ended with status {status}")
        self.status = status
        self.stderr = stderr


def output(args: Sequence[str], folder: Path, environ: Mapping[str, str], feed: bytes = b"") -> bytes:
    with running(args, folder, environ, feed) as out:
        data = out.read(MAX_DIFF + 1)
        if len(data) > MAX_DIFF:
            raise GitError(f"the change is larger than {MAX_DIFF >> 20} MiB: judge it in parts")
        return data


@contextmanager
def running(args: Sequence[str], folder: Path, environ: Mapping[str, str], feed: bytes) -> Iterator[IO[bytes]]:
    """Git's standard output while it runs, to be read to its end. `Failed` where git ends with a status but 0."""
    complaints: list[bytes] = []
    try:
        process = subprocess.Popen(
            ["git", *_CONFIG, *args],
            cwd=folder,
            env=dict(environ),
            stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise GitError(
            f"git cannot be started ({error.strerror}): install it, and see that it is on the PATH"
        ) from None
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        helpers = [Thread(target=_drain, args=(process.stderr, complaints))]
        if process.stdin is not None:
            helpers.append(Thread(target=_feed, args=(process.stdin, feed)))
        for helper in helpers:
            helper.start()
        try:
            yield process.stdout
        except BaseException:
            process.kill()
            raise
        finally:
            status = process.wait()
            for helper in helpers:
                helper.join()
    if status:
        raise Failed(status, b"".join(complaints))


def _drain(pipe: IO[bytes], into: list[bytes]) -> None:
    into.append(pipe.read())


def _feed(pipe: IO[bytes], data: bytes) -> None:
    """Write all of it. Git that ended before it read all says why by its status."""
    try:
        with pipe:
            pipe.write(data)
    except OSError:
        return


def next_object(out: IO[bytes], wanted: Callable[[int], int]) -> tuple[int, bytes] | None:
    """(size, as many of the first bytes as are `wanted` of that size) of the next object of `cat-file --batch`.

    None for one that is missing, ambiguous or no blob.
    """
    return _object(out.readline(), out, wanted)


def _object(header: bytes, out: IO[bytes], wanted: Callable[[int], int]) -> tuple[int, bytes] | None:
    fields = header.split()
    # None at all: git has ended, and its status says why.
    if len(fields) in (0, 2):
        return None
    if not _OBJECT_HEADER.fullmatch(header):
        raise GitError(_TORN)
    size = int(fields[2])
    content = out.read(wanted(size))
    left = size - len(content)
    while left > 0 and (skipped := len(out.read(min(left, 1 << 20)))):
        left -= skipped
    # Of a damaged object git may print less than it said, and what follows is the next one's.
    if left > 0 or out.read(1) != b"\n":
        raise GitError(_TORN)
    return (size, content) if fields[1] == b"blob" else None


class Objects:
    """`git cat-file --batch`, started when first asked and kept running: one process for many questions.

    Git that ends instead of answering raises `Failed`; the next question starts it again.
    """

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        """Nothing is started yet."""
        self._folder = folder
        self._environ = dict(environ)
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: list[bytes] = []
        self._drain: Thread | None = None

    def ask(self, name: str, wanted: Callable[[int], int]) -> tuple[int, bytes] | None:
        """What `next_object` gives for the object of that name."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(f"{name}\n".encode())
            process.stdin.flush()
            header = process.stdout.readline()
        except OSError:
            header = b""
        # Git ends where it may not fetch what a partial clone lacks.
        return _object(header, process.stdout, wanted) if header else self._fail()

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None and self._drain is not None:
            self._process.kill()
            self._drain.join()
            # Leaving it closes its pipes; what could not be sent any more is not missed.
            with suppress(OSError), self._process:
                pass
        self._process = self._drain = None

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            ["git", *_CONFIG, "cat-file", "--batch"],
            cwd=self._folder,
            env=self._environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        self._complaints = []
        self._drain = Thread(target=_drain, args=(process.stderr, self._complaints))
        self._drain.start()
        self._process = process
        return process

    def _fail(self) -> NoReturn:
        assert self._process is not None
        status = self._process.wait()
        self.close()
        raise Failed(status, b"".join(self._complaints))


def words(file: Path) -> list[str]:
    """The words of one of git's own small files; none where it is not there."""
    try:
        return file.read_text("ascii").split()
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise GitError(f"git's file {file.name} cannot be read: look at the repository with `git fsck`") from error
