"""Bytes of a diff -> changes. The only importer of unidiff, which gets one file's hunks at a time and is checked."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, cast, get_args

from spexsearch.errors import GitError, InputError, SpexError
from spexsearch.govern.model import MAX_DIFF, Change, Commit, Hunk, Line, Status
from spexsearch.govern.patch import names as patchnames

_PIECE = re.compile(rb"^(?:diff --git |\* Unmerged path )", re.MULTILINE)
_BLOBS = re.compile(rb"^index ([0-9a-f]+)\.\.([0-9a-f]+)", re.MULTILINE)
_FIRST_HUNK = re.compile(rb"^@@ ", re.MULTILINE)
_BINARY = re.compile(rb"^(?:Binary files .* differ|GIT binary patch)$", re.MULTILINE)
_STATUSES = frozenset(get_args(Status))
_COMMIT = re.compile(rb"[0-9a-f]{40}|[0-9a-f]{64}")
_DISAGREE = "git's list of changed files and its patch disagree; report this with the output of `git version`"


class RawRecord(NamedTuple):
    """One record of `--raw -z`. Mode and blob are None on a side that does not exist."""

    status: Status
    path: str
    old_path: str | None
    old_mode: str | None
    new_mode: str | None
    old_blob: str | None
    new_blob: str | None


def raw_records(raw: bytes) -> Iterator[RawRecord]:
    """The records of git's `--raw -z` output with full object names. GitError for anything else."""
    *names, rest = raw.split(b"\0")
    if rest:
        raise GitError("git stopped in the middle of its list of changed files: look at the repository with `git fsck`")
    tokens = iter(names)
    for meta in tokens:
        fields = meta.split(b" ")
        status = fields[4][:1].decode("latin-1") if len(fields) == 5 and meta.startswith(b":") else ""
        if status not in _STATUSES:
            raise GitError("git's list of changed files cannot be read; report this with the output of `git version`")
        path = _checked(next(tokens, b""))
        old_path, path = (path, _checked(next(tokens, b""))) if status in "RC" else (None, path)
        old_mode, new_mode, old_blob, new_blob = (
            field.decode() if field.strip(b"0") else None for field in (fields[0][1:], *fields[1:4])
        )
        yield RawRecord(cast("Status", status), path, old_path, old_mode, new_mode, old_blob, new_blob)


def _checked(path: bytes) -> str:
    if reason := patchnames.refusal(path):
        raise GitError(
            f"the repository holds the path {patchnames.as_text(path)!r}, which {reason}: "
            "do not check it out; see `git fsck`"
        )
    return patchnames.as_text(path)


def changes_from_git(raw: bytes, patch: bytes) -> tuple[Change, ...]:
    """The changes of one git run with `--raw -z -p --full-index`, in git's order.

    Status, paths, modes and blobs come from the raw records, hunks from the patch. GitError where the two do not
    agree piece by piece.
    """
    pieces = _pieces(patch)
    changes = tuple(_change(record, pieces) for record in raw_records(raw))
    if next(pieces, None) is not None:
        raise GitError(_DISAGREE)
    return changes


def commits_from_git(out: bytes) -> Iterator[Commit]:
    """The commits of `diff-tree --stdin -c --no-renames --raw -z --format=%H%x00%P%x00%B`; GitError for all else."""
    tokens = iter(out.split(b"\0"))
    found: list[tuple[str, tuple[str, ...], str, set[str]]] = []
    for token in tokens:
        text = token.removeprefix(b"\n")
        if text.startswith(b":") and found:
            found[-1][3].add(_checked(next(tokens, b"")))
        elif _COMMIT.fullmatch(text):
            parents = tuple(next(tokens, b"").decode().split())
            found.append((text.decode(), parents, next(tokens, b"").decode("utf-8", "surrogateescape"), set()))
        elif text:
            raise GitError("git's list of commits cannot be read; report this with the output of `git version`")
    return (Commit(sha, message, frozenset(paths), parents) for sha, parents, message, paths in found)


def _pieces(patch: bytes) -> Iterator[bytes]:
    starts = [match.start() for match in _PIECE.finditer(patch)]
    if patch and starts[:1] != [0]:
        raise GitError(_DISAGREE)
    for start, end in itertools.pairwise([*starts, len(patch)]):
        yield patch[start:end]


def _change(record: RawRecord, pieces: Iterator[bytes]) -> Change:
    binary = False
    hunks: list[Hunk] = []
    # Git tells a change of file type as a deletion and an addition.
    for blobs in _sides_of_pieces(record):
        piece = next(pieces, b"")
        first = _FIRST_HUNK.search(piece)
        header = piece[: first.start()] if first else piece
        index = _BLOBS.search(header)
        if record.status == "U" and not piece.startswith(b"* Unmerged path "):
            raise GitError(_DISAGREE)
        if record.status != "U" and not piece.startswith(b"diff --git "):
            raise GitError(_DISAGREE)
        if index and tuple(name.decode() if name.strip(b"0") else None for name in index.groups()) != blobs:
            raise GitError(_DISAGREE)
        binary = binary or _BINARY.search(header) is not None
        if first:
            hunks += read_hunks(piece[first.start() :], record.path, GitError)
    return Change(
        record.status,
        record.path,
        record.old_path,
        binary,
        record.old_mode,
        record.new_mode,
        record.old_blob,
        record.new_blob,
        tuple(hunks),
    )


def _sides_of_pieces(record: RawRecord) -> tuple[tuple[str | None, str | None], ...]:
    if record.status == "T":
        return (record.old_blob, None), (None, record.new_blob)
    return ((record.old_blob, record.new_blob),)


def changes_from_text(data: bytes) -> tuple[Change, ...]:
    """The changes that a unified diff tells, in its order; at least one.

    Read are git's diffs with whatever prefixes, in mails, logs and behind a stat, and GNU diff's. InputError, which
    names the line, for what is empty or no diff, is cut off, coloured or damaged, does not tell a whole change, names
    a path outside the repository, or tells two changes of one file.
    """
    from spexsearch.govern.patch import text as patchtext

    if len(data) > MAX_DIFF:
        raise InputError(f"the diff is larger than {MAX_DIFF >> 20} MiB: give it in parts, or name a range instead")
    data = patchtext.readable(data)
    return tuple(
        Change(
            part.status,
            part.path,
            part.old_path,
            part.binary,
            part.old_mode,
            part.new_mode,
            part.old_blob,
            part.new_blob,
            tuple(hunk for start, end in part.hunks for hunk in read_hunks(data[start:end], part.path, InputError)),
        )
        for part in patchtext.cut(data)
    )


def read_hunks(block: bytes, path: str, error: type[SpexError]) -> tuple[Hunk, ...]:
    """The hunks of one file, from its first `@@` on. `error` where the lines are not those that the headers count.

    unidiff reads text, and cuts it into lines where Python does: it is given lines that end at LF, each byte as one
    character, and no marker of a missing final LF, which it knows in English only.
    """
    if not block:
        return ()
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    lines = block.removesuffix(b"\n").split(b"\n")
    texts = [line.decode("latin-1") + "\n" for line in lines if not line.startswith(b"\\")]
    try:
        files = PatchSet(["--- a\n", "+++ b\n", *texts])
    except UnidiffParseError as fault:
        raise error(f"the hunks of {path!r} cannot be read: {str(fault).splitlines()[0]}") from fault
    # unidiff passes over what follows a complete hunk.
    if len(files) != 1 or sum(1 + len(hunk) for hunk in files[0]) != len(texts):
        raise error(f"the hunks of {path!r} have other lines than they count")
    hunks = tuple(
        Hunk(
            hunk.source_start,
            hunk.source_length,
            hunk.target_start,
            hunk.target_length,
            tuple(Line(cast("int", line.source_line_no), _text(line.value)) for line in hunk if line.is_removed),
            tuple(Line(cast("int", line.target_line_no), _text(line.value)) for line in hunk if line.is_added),
        )
        for hunk in files[0]
    )
    for before, after in itertools.pairwise(hunks):
        if not (
            after.old_start > before.old_start + max(before.old_count - 1, 0)
            and after.new_start > before.new_start + max(before.new_count - 1, 0)
        ):
            raise error(f"the hunks of {path!r} overlap or are out of order")
    return hunks


def whole_file(content: bytes, mark: Literal["+", "-"]) -> bytes:
    """The block of hunks of a file that is added or removed whole; empty for an empty file."""
    if not content:
        return b""
    lines = content.removesuffix(b"\n").split(b"\n")
    ranges = f"-0,0 +1,{len(lines)}" if mark == "+" else f"-1,{len(lines)} +0,0"
    return f"@@ {ranges} @@\n".encode() + b"".join(mark.encode() + line + b"\n" for line in lines)


def _text(value: str) -> str:
    return value.removesuffix("\n").encode("latin-1").decode("utf-8", "surrogateescape")
