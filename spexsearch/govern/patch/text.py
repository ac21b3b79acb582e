"""A diff that someone hands over as text, cut into the parts of its files. What is no whole diff is refused."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from spexsearch.errors import InputError
from spexsearch.govern.patch.lines import BINARY, HUNK, Cursor
from spexsearch.govern.patch.names import Names
from spexsearch.govern.patch.part import Part, git_part, plain_binary, plain_part

_COMMIT = re.compile(rb"(?:commit|From) [0-9a-f]{40}")
_NEXT_MAIL = re.compile(rb"^From [0-9a-f]{40}", re.MULTILINE)
_MESSAGE_END = re.compile(rb"^---\n(?: .*\n)* (\d+) files? changed.*\n", re.MULTILINE)
_SUBMODULE = re.compile(rb"Submodule .+ [0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}(?: \(.*\))?:?")
_CANNOT_JUDGE = (
    (re.compile(rb"diff --(?:cc|combined) "), "a merge's combined diff: give the diff against its first parent"),
    (re.compile(rb"\* Unmerged path "), "an unmerged path: resolve the conflict first"),
    (_SUBMODULE, "a submodule told by its log: make the diff with --submodule=short"),
    (re.compile(rb"Only in .+: "), "a file without its content: make the diff with -N, or with git"),
    (re.compile(rb"Files .+ differ$"), "files without their content: make the diff with -u"),
    (HUNK, "a hunk without its file"),
)


def readable(data: bytes) -> bytes:
    """The diff as UTF-8 with LF: without a byte order mark, out of UTF-16, and with converted line ends put back."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            try:
                data = data[len(mark) :].decode(encoding).encode()
            except ValueError as error:
                raise InputError("the diff begins as UTF-16 and is not: write it as UTF-8") from error
    data = data.removeprefix(codecs.BOM_UTF8)
    # Git never ends a header line in CR, so CR before every LF means that the whole text was converted.
    if b"\r\n" in data[: data.find(b"\n") + 1] and data.count(b"\r\n") == data.count(b"\n"):
        data = data.replace(b"\r\n", b"\n")
    return data


def cut(data: bytes) -> list[Part]:
    """The parts of a readable diff, in order, at least one. InputError for all that is not one whole diff."""
    if not data.strip():
        raise InputError("the diff is empty: either the command that made it failed, or nothing changed")
    with_headers = data.startswith(b"diff --git ") or b"\ndiff --git " in data
    parts = list(_joined(_git_parts(Cursor(data)) if with_headers else _plain_parts(Cursor(data))))
    if not parts:
        raise InputError(f"the input is no unified diff: {_what_it_is(data)}")
    _refuse_repeats(parts)
    return parts


def _what_it_is(data: bytes) -> str:
    if re.search(rb"\x1b\[[0-9;]*m", data):
        return "it is coloured; make it with --no-color"
    if re.search(rb"^[ \t>|]+(?:diff --git |--- )", data, re.MULTILINE):
        return "it is indented; give it as git wrote it"
    if data.lstrip()[:1] in (b"{", b"[", b"<"):
        return "it looks like a server's answer; see what that says"
    return "no file header found; make it with `git diff`"


def _refuse_repeats(parts: list[Part]) -> None:
    """One file twice would be judged twice, each time against a side that is not there."""
    seen: dict[str, int] = {}
    new_sides: set[str] = set()
    for part in parts:
        names = {part.path, part.old_path or part.path}
        if part.path in new_sides or any(seen.get(name, part.commit) != part.commit for name in names):
            raise InputError(
                f"line {part.line} of the diff: a second change of {part.path!r}; give one diff, such as `git diff A B`"
            )
        new_sides.add(part.path)
        seen |= dict.fromkeys(names, part.commit)


def _joined(parts: Iterator[Part]) -> Iterator[Part]:
    """The parts, where git tells a change of file type as a deletion and an addition, as one."""
    held: Part | None = None
    for part in parts:
        if (
            held
            and held.path == part.path
            and (held.status, part.status) == ("D", "A")
            and held.old_mode != part.new_mode
        ):
            yield held._replace(
                status="T",
                binary=held.binary or part.binary,
                new_mode=part.new_mode,
                new_blob=part.new_blob,
                hunks=held.hunks + part.hunks,
            )
            held = None
            continue
        if held:
            yield held
        held = part
    if held:
        yield held


def _git_parts(cursor: Cursor) -> Iterator[Part]:
    started = message = False
    commit, expected, paths = 0, 0, set[str]()
    prefixes: set[Names] = set()
    while cursor.text is not None:
        if cursor.text.startswith(b"diff --git "):
            part = git_part(cursor, commit, prefixes)
            paths.add(part.path)
            started, message = True, False
            yield part
        elif _COMMIT.match(cursor.text):
            _hold_to(cursor, expected, paths)
            commit, message, started = commit + 1, True, False
            expected, paths = _skip_message(cursor), set()
        else:
            if not message:
                _check_between(cursor, started)
            cursor.advance()
    _hold_to(cursor, expected, paths)


def _skip_message(cursor: Cursor) -> int:
    """Pass over a mail's message, which may quote a diff; how many files its patch has, 0 where it is not told."""
    if not (cursor.text or b"").startswith(b"From "):
        cursor.advance()
        return 0
    following = _NEXT_MAIL.search(cursor.data, cursor.end)
    stop = following.start() if following else len(cursor.data)
    end = _MESSAGE_END.search(cursor.data, cursor.end, stop)
    if end is None:
        cursor.advance()
        return 0
    cursor.jump(end.end())
    return int(end[1][:10])


def _hold_to(cursor: Cursor, expected: int, paths: set[str]) -> None:
    if expected and expected != len(paths):
        raise cursor.fault(f"the mail tells of {expected} files and has {len(paths)}: it is cut off, or quotes a diff")


def _check_between(cursor: Cursor, started: bool) -> None:
    """Refuse, between parts, what belongs to a part: a line that no hunk counts would else be lost unseen."""
    text = cursor.text or b""
    for pattern, message in _CANNOT_JUDGE:
        if pattern.match(text):
            raise cursor.fault(message)
    if started and text[:1] in (b"+", b"-", b" ", b"\\") and text != b"-- ":
        raise cursor.fault("a line that no hunk counts: the diff was edited or is damaged")


def _plain_parts(cursor: Cursor) -> Iterator[Part]:
    started = False
    prefixes: set[Names] = set()
    while cursor.text is not None:
        following = cursor.following(2) if cursor.text.startswith(b"--- ") else []
        if len(following) == 2 and following[0].startswith(b"+++ ") and HUNK.match(following[1]):
            started = True
            yield plain_part(cursor, prefixes)
        elif match := BINARY.fullmatch(cursor.text):
            started = True
            yield plain_binary(cursor, match[1], prefixes)
        else:
            _check_between(cursor, started)
            cursor.advance()
