"""File names as diffs write them: C-style quotes, side prefixes, and the one line that holds two names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

NOWHERE = b"/dev/null"
"""The name of the side that does not exist."""

LONGEST_HEADER = 16384
"""Bytes of a header line: two of the longest paths that systems allow, quoted. Longer ones are refused unread."""

Names = tuple[bytes, bytes]

# Every space of a header is tried as the cut where prefixes differ in length; more of them would cost quadratic time.
_MOST_SPACES = 64

_QUOTED = re.compile(rb'"((?:[^"\\]|\\(?:[abfnrtv"\\]|[0-3][0-7]{2}))*)"')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_NO_PATH = re.compile(rb"(?:\A|/)(?:\.{0,2}|\.git)(?:/|\Z)|\0")
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_LETTERS = dict(zip(b'abfnrtv"\\', b'\a\b\f\n\r\t\v"\\', strict=True))
# What git's diff.mnemonicPrefix, `--no-index` and the default write, either way round.
_PREFIXES = {(a, b) for pair in (b"ab", b"iw", b"ci", b"cw", b"ow", b"12") for a, b in (pair, pair[::-1])}


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) if len(code) == 3 else _LETTERS[code[0]]])


def unquote(name: bytes) -> bytes:
    """A name as in `rename from`, without its quotes. ValueError for quotes that do not close."""
    if name.startswith(b'"'):
        match = _QUOTED.fullmatch(name)
        if match is None:
            raise ValueError("quotes that do not close")
        return _ESCAPE.sub(_unescaped, match[1])
    if _CONTROL.search(name):
        raise ValueError("a control character outside quotes")
    return name


def side_name(rest: bytes) -> Names:
    """(name, the time that may follow it) of a `---` or `+++` line without its mark. ValueError as `unquote`."""
    quoted = _QUOTED.match(rest)
    if quoted:
        return unquote(quoted[0]), rest[quoted.end() :].strip()
    name, _, after = rest.partition(b"\t")
    return unquote(name), after


def header_names(rest: bytes, old: bytes | None, new: bytes | None) -> Names | None:
    """The two names of a `diff --git` line without its mark, prefixes and all; None where they cannot be told apart.

    `old` and `new` are what the `---` and `+++` lines say, None where they do not name the side. Without either the
    line is halved, for both names end alike. ValueError as `unquote`.
    """
    if rest.startswith(b'"'):
        first = _QUOTED.match(rest)
        pairs = [(unquote(first[0]), unquote(rest[first.end() + 1 :]))] if first else []
    else:
        pairs = list(_splits(unquote(rest), old, new))
    pairs = [(left, right) for left, right in pairs if old in (None, left) and new in (None, right)]
    return pairs[0] if len(pairs) == 1 else None


def _splits(rest: bytes, old: bytes | None, new: bytes | None) -> Iterator[Names]:
    """Where an unquoted header may be cut in two: where a known name says, in the middle, or where prefixes fit."""
    if old is not None or new is not None:
        at = len(old) if old is not None else len(rest) - len(new or b"") - 1
        spaces = [at] if rest[at : at + 1] == b" " else []
    else:
        middle = len(rest) // 2
        if rest[middle : middle + 1] == b" " and _alike(rest[:middle], rest[middle + 1 :]):
            spaces = [middle]
        else:
            spaces = [match.start() for match in itertools.islice(re.finditer(b" ", rest), _MOST_SPACES)]
            spaces = [at for at in spaces if _own_prefixes(rest[:at], rest[at + 1 :])]
    for at in spaces:
        yield rest[:at], rest[at + 1 :]


def _known_prefixes(old: bytes, new: bytes) -> bool:
    return old[1:2] == new[1:2] == b"/" and (old[0], new[0]) in _PREFIXES


def _alike(old: bytes, new: bytes) -> bool:
    return old == new or (_known_prefixes(old, new) and old[2:] == new[2:])


def _own_prefixes(old: bytes, new: bytes) -> Names | None:
    """The prefixes that someone chose: what differs before the last folders and the name that both sides share."""
    left, right = old.split(b"/"), new.split(b"/")
    shared = 0
    while shared < min(len(left), len(right)) - 1 and left[-1 - shared] == right[-1 - shared]:
        shared += 1
    if not shared:
        return None
    return b"/".join(left[:-shared]) + b"/", b"/".join(right[:-shared]) + b"/"


def without_prefixes(old: bytes, new: bytes) -> tuple[bytes, Names | None]:
    """(path, prefixes that someone chose, if any) of two names of one file. ValueError where the path cannot be told.

    Equal names have no prefix. The usual prefixes come off even where the rest differs: `git diff --no-index` of two
    folders names two paths for one file, and the new one is the path.
    """
    if old == new:
        return new, None
    if _known_prefixes(old, new) and (old[2:] == new[2:] or (old[0], new[0]) in ((97, 98), (49, 50))):
        return new[2:], None
    chosen = _own_prefixes(old, new)
    if chosen is None:
        raise ValueError("two names that share no path: make the diff with the prefixes a/ and b/")
    return new[len(chosen[1]) :], chosen


def refusal(path: bytes) -> str | None:
    """Why a path cannot be one of the repository's, or None."""
    if _NO_PATH.search(path) is None:
        return None
    if path.startswith(b"/"):
        return "is absolute"
    if b".." in path.split(b"/"):
        return "leaves the repository"
    return "holds a NUL" if b"\0" in path else "is no path of a repository"


def as_text(path: bytes) -> str:
    """A path as the model holds it: UTF-8, undecodable bytes as surrogate escapes."""
    return path.decode("utf-8", "surrogateescape")
