"""One file's part of a diff in text: what its headers say, and where its hunks are."""

from __future__ import annotations

import re
from typing import NamedTuple

from spexsearch.govern.model import Status
from spexsearch.govern.patch import names as patchnames
from spexsearch.govern.patch.lines import HUNK, Cursor, Span, content
from spexsearch.govern.patch.names import NOWHERE

# The empty blob's object name in either hash format: the one content that needs no hunk.
_EMPTY_BLOBS = (
    b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    b"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
_INDEX = re.compile(rb"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?")
_MODE = re.compile(rb"[0-7]{6}")
_EXTENDED = re.compile(
    rb"(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|rename old|rename new"
    rb"|similarity index|dissimilarity index|index) (.+)"
)
_STATUSES: tuple[tuple[bytes, Status], ...] = (
    (b"new file mode", "A"),
    (b"deleted file mode", "D"),
    (b"rename to", "R"),
    (b"rename new", "R"),
    (b"copy to", "C"),
)
_ABSENT: tuple[Status, Status] = ("A", "D")
_NEVER = re.compile(rb"(?:1970-01-01|1969-12-31) ")


class Part(NamedTuple):
    """One file's part of a diff, begun on `line`, in the diff's n-th `commit`. `hunks` are spans of the text."""

    status: Status
    path: str
    line: int
    commit: int
    old_path: str | None = None
    binary: bool = False
    old_mode: str | None = None
    new_mode: str | None = None
    old_blob: str | None = None
    new_blob: str | None = None
    hunks: tuple[Span, ...] = ()


def git_part(cursor: Cursor, commit: int, prefixes: set[patchnames.Names]) -> Part:
    """The part whose `diff --git` line the cursor stands on; `prefixes` gathers those that someone chose."""
    line, header = cursor.line, (cursor.text or b"")[len(b"diff --git ") :]
    if len(header) > patchnames.LONGEST_HEADER:
        raise cursor.fault("a header longer than any two paths")
    cursor.advance()
    extended: dict[bytes, bytes] = {}
    while cursor.text is not None and (match := _EXTENDED.fullmatch(cursor.text)):
        if match[1] in extended:
            raise cursor.fault("one header line twice")
        extended[match[1]] = match[2]
        cursor.advance()
    sides = _sides(cursor)
    spans, binary = content(cursor)
    try:
        path, old_path = _git_names(header, extended, sides, prefixes)
        part = _with_header(Part(_status(extended, sides), path, line, commit, old_path, binary, hunks=spans), extended)
    except ValueError as error:
        raise cursor.fault(f"{error}", line) from error
    if (sides and not spans) or not (spans or binary or _whole_without_hunks(part, extended)):
        raise cursor.fault(
            f"nothing says what changed in {part.path!r}: the diff is cut off, or leaves changes out", line
        )
    return part


def _sides(cursor: Cursor) -> tuple[patchnames.Names, patchnames.Names] | None:
    """((old name, its time), (new name, its time)) of the `---` and `+++` lines that the cursor stands before."""
    old = cursor.text or b""
    if not old.startswith(b"--- "):
        return None
    new = cursor.following(1)
    if not new or not new[0].startswith(b"+++ "):
        raise cursor.fault("the diff is cut off in a file header")
    try:
        found = patchnames.side_name(old[4:]), patchnames.side_name(new[0][4:])
    except ValueError as error:
        raise cursor.fault(f"a file name with {error}") from error
    cursor.advance()
    cursor.advance()
    return found


def _git_names(
    header: bytes,
    extended: dict[bytes, bytes],
    sides: tuple[patchnames.Names, patchnames.Names] | None,
    prefixes: set[patchnames.Names],
) -> tuple[str, str | None]:
    old_side, new_side = (sides[0][0], sides[1][0]) if sides else (None, None)
    for key in (b"rename", b"copy"):
        old = extended.get(key + b" from", extended.get(key + b" old"))
        new = extended.get(key + b" to", extended.get(key + b" new"))
        if (old is None) != (new is None):
            raise ValueError("half of a rename: the diff is cut off")
        if old is not None and new is not None:
            old, new = patchnames.unquote(old), patchnames.unquote(new)
            if sides and not ((old_side or b"").endswith(old) and (new_side or b"").endswith(new)):
                raise ValueError("the file header names other files than the rename")
            return _path(new), _path(old)
    given = [None if name == NOWHERE else name for name in (old_side, new_side)]
    names = patchnames.header_names(header, *given)
    if names is None:
        raise ValueError("the header's two names cannot be told apart, or are not those of the file header")
    return _path(_shared_path(names, prefixes)), None


def _shared_path(names: patchnames.Names, prefixes: set[patchnames.Names]) -> bytes:
    for name in names:
        if reason := patchnames.refusal(name):
            raise ValueError(f"the path {patchnames.as_text(name)!r} {reason}")
    path, chosen = patchnames.without_prefixes(*names)
    if chosen:
        prefixes.add(chosen)
        if len(prefixes) > 1:
            raise ValueError("the names have changing prefixes: make the diff with a/ and b/")
    return path


def _path(name: bytes) -> str:
    if reason := patchnames.refusal(name):
        raise ValueError(f"the path {patchnames.as_text(name)!r} {reason}")
    return patchnames.as_text(name)


def _mode(value: bytes | None) -> str | None:
    if value is not None and not _MODE.fullmatch(value):
        raise ValueError("a file mode that is none")
    return None if value is None else value.decode()


def _status(extended: dict[bytes, bytes], sides: tuple[patchnames.Names, patchnames.Names] | None) -> Status:
    told = {status for key, status in _STATUSES if key in extended}
    if sides:
        absent = {status for (name, _), status in zip(sides, _ABSENT, strict=True) if name == NOWHERE}
        if not told.isdisjoint(_ABSENT) and told != absent:
            raise ValueError("the file header and the lines above it tell different changes")
        told |= absent
    if len(told) > 1:
        raise ValueError("the headers tell several changes of one file")
    return told.pop() if told else "M"


def _with_header(part: Part, extended: dict[bytes, bytes]) -> Part:
    index = _INDEX.fullmatch(extended.get(b"index", b"0000..0000"))
    if index is None:
        raise ValueError("an index line that is none")
    old_blob, new_blob = (name.decode() if name.strip(b"0") else None for name in index.group(1, 2))
    both = _mode(index[3])
    old_mode = _mode(extended.get(b"old mode", extended.get(b"deleted file mode"))) or both
    new_mode = _mode(extended.get(b"new mode", extended.get(b"new file mode"))) or both
    old_mode, new_mode = None if part.status == "A" else old_mode, None if part.status == "D" else new_mode
    return part._replace(old_mode=old_mode, new_mode=new_mode, old_blob=old_blob, new_blob=new_blob)


def _whole_without_hunks(part: Part, extended: dict[bytes, bytes]) -> bool:
    """Whether the header alone tells the whole change: a new mode, another name for the same content, an empty file."""
    if part.status in ("A", "D"):
        blob = (part.new_blob or part.old_blob or "-").encode()
        return any(name.startswith(blob) for name in _EMPTY_BLOBS)
    if b"index" in extended:
        return False
    if part.status in ("R", "C"):
        return extended.get(b"similarity index", b"100%") == b"100%"
    return b"old mode" in extended and b"new mode" in extended


def plain_part(cursor: Cursor, prefixes: set[patchnames.Names]) -> Part:
    """The part whose `---` line the cursor stands on, where no git header comes before it."""
    line = cursor.line
    sides = _sides(cursor)
    assert sides is not None  # the caller saw both lines
    (old, old_time), (new, new_time) = sides
    first = HUNK.match(cursor.text or b"")
    assert first is not None
    spans, _ = content(cursor)
    status: Status = "M"
    # GNU diff -N gives the side that does not exist its name all the same, and the first second of 1970.
    if old == NOWHERE or (first[2] == b"0" and first[1] == b"0" and _NEVER.match(old_time)):
        status, old = "A", new if old == NOWHERE else old
    elif new == NOWHERE or (first[4] == b"0" and first[3] == b"0" and _NEVER.match(new_time)):
        status, new = "D", old if new == NOWHERE else new
    try:
        return Part(status, _path(_bare(old, new, status, prefixes)), line, 0, hunks=spans)
    except ValueError as error:
        raise cursor.fault(f"{error}", line) from error


def _bare(old: bytes, new: bytes, status: Status, prefixes: set[patchnames.Names]) -> bytes:
    """The path of a part without a git header. Where one name is all there is, a/ or b/ is taken for its prefix."""
    if not new:
        raise ValueError("a diff without file names")
    path = _shared_path((old, new), prefixes)
    usual = b"a/" if status == "D" else b"b/"
    return path.removeprefix(usual) if status != "M" and old == new else path


def plain_binary(cursor: Cursor, names: bytes, prefixes: set[patchnames.Names]) -> Part:
    """The part that GNU diff tells in one line, of which `names` is the middle."""
    line = cursor.line
    old, _, new = names.partition(b" and ")
    cursor.advance()
    if b" and " in new:
        raise cursor.fault("two names that cannot be told apart: make the diff with git", line)
    try:
        return Part("M", _path(_shared_path((old, new), prefixes)), line, 0, binary=True)
    except ValueError as error:
        raise cursor.fault(f"{error}", line) from error
