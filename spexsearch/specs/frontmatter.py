"""A file's frontmatter and body. Keys are cut line by line; every oddity becomes a problem, never an exception."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spexsearch.specs.model import Problem
from spexsearch.specs.values import BLANKS, is_item, read_value

MAX_FRONTMATTER = 64 * 1024

_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_KEY_LINE = re.compile(r"([ \t]*)([^:\s#][^:]*):(.*)")
_KEY = re.compile(r"\w[\w .$/-]*|\"([^\"\\]+)\"|'([^']+)'")
_LOOKS_LIKE_A_KEY = re.compile(r"[ \t]*(?:- )?[\"']?[\w-]+[\"']?[ \t]*:(?:[ \t\r\n]|$)")
# Below a rule and a blank line stands prose more often than a key, and prose begins with a capital.
_LOOKS_LIKE_A_LATER_KEY = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n){1,100}[\"']?[a-z][\w-]*[\"']?:(?:[ \t\r\n]|$)")
_KEY_OF_A_SPEC = re.compile(r"^[ \t]*[\"']?(?:id|code|title)[\"']?[ \t]*:", re.MULTILINE)
_TOML = re.compile(r"\ufeff?\+\+\+[ \t]*\r?\n\s{0,100}[\w\"'-]+[ \t]*=")
_OTHER_BREAK = re.compile("\\s{0,100}\ufeff?\\s{0,100}---[ \t]*([\r\x0b\x0c\x85\u2028\u2029])(?!\n)")
_COMMENT = ("#", "//", "%", ";")
_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
)
_CONTROL = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f{_NONCHARACTERS}]|\r(?!\n)")


class Frontmatter(NamedTuple):
    """What a file says before its body, and the body.

    `fields` holds text, lists and mappings, by key; `field_lines` where each key stands; `item_lines`, for lists,
    where each item stands. `body` is trimmed, `body_line` the line of its first character. `present`: there was a
    frontmatter between two fences.
    """

    fields: Mapping[str, object]
    field_lines: Mapping[str, int]
    item_lines: Mapping[str, tuple[int, ...]]
    body: str
    body_line: int
    problems: tuple[Problem, ...]
    present: bool


class _Entry:
    def __init__(self, key: str, line: int, first: str) -> None:
        self.key, self.line, self.first = key, line, first
        self.more: list[str] = []


def read_frontmatter(data: bytes, path: str) -> Frontmatter:
    """Reads a file's bytes as UTF-8, ill-formed sequences as U+FFFD. Raises nothing: what is odd is in `problems`."""
    text = data.decode("utf-8", "replace")
    problems: list[Problem] = []
    if "\0" in text:
        utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        mend = "is UTF-16; save it as UTF-8" if utf16 else "holds a NUL character; remove it"
        problems.append(Problem(path, _line_at(text, text.index("\0")), mend))
    opening = _OPENING.match(text)
    closing = text.find("\n---", opening.end() - 1) if opening else -1
    if opening is None or closing < opening.end():
        problems += _why_absent(text, opening, closing, path)
        return _with_body(text, 0, 1, problems)
    block = text[opening.end() : closing]
    if match := _CONTROL.search(text, opening.end(), closing + 1):
        place = f"the character U+{ord(match[0]):04X} in column {match.start() - text.rfind(chr(10), 0, match.start())}"
        problems.append(Problem(path, _line_at(text, match.start()), f"frontmatter holds {place}; remove it"))
    fence_line = _line_at(text, closing + 1)
    if text[closing + 4 : _line_end(text, closing + 4)].strip(BLANKS):
        problems.append(Problem(path, fence_line, "the closing `---` has text after it; put the text on the next line"))
    if len(block.encode()) > MAX_FRONTMATTER:
        message = f"frontmatter is longer than {MAX_FRONTMATTER // 1024} KiB and is not read; shorten it"
        problems.append(Problem(path, 1, message))
        block = ""
    fields, lines, items = _read_block(block, path, problems)
    return _with_body(text, closing + 4, fence_line, problems, fields, lines, items, present=True)


def _read_block(
    block: str, path: str, problems: list[Problem]
) -> tuple[dict[str, object], dict[str, int], dict[str, tuple[int, ...]]]:
    fields: dict[str, object] = {}
    lines: dict[str, int] = {}
    items: dict[str, tuple[int, ...]] = {}
    for entry in _cut(f"{block}\n".replace("\r\n", "\n")[:-1].split("\n"), path, problems):
        key = entry.key
        if key in lines:
            message = f"duplicate key `{key}`, also on line {lines[key]}; the last one counts: join them"
            problems.append(Problem(path, entry.line, message))
            items.pop(key, None)
        read = read_value(entry.first, entry.more)
        fields[key] = read.value
        lines[key] = entry.line
        if read.items:
            items[key] = tuple(entry.line + offset for offset in read.items)
        problems += (Problem(path, entry.line + fault.offset, f"`{key}` {fault.message}") for fault in read.faults)
    return fields, lines, items


def _cut(lines: Sequence[str], path: str, problems: list[Problem]) -> list[_Entry]:
    """The top-level keys with the lines that belong to each; every line below a key stays in its place."""
    entries: list[_Entry] = []
    current: _Entry | None = None
    depth = 0
    astray = False
    for number, line in enumerate(lines, 2):
        indent = len(line) - len(line.lstrip(" \t"))
        bare = line.strip(BLANKS)
        if current and ((indent > depth and not astray) or (bare and is_item(line))):
            current.more.append(line)
            continue
        if current:
            current.more.append("")
        if not bare or bare.startswith("#"):
            continue
        match = None if is_item(line) else _KEY_LINE.match(line)
        if match is None:
            problems.append(_not_a_key(line, number, path, first=not entries))
            astray = True
            continue
        current = _entry(match, number, path, problems)
        astray = False
        if current.key:
            depth = indent if not entries else depth
            entries.append(current)
    return entries


def _entry(match: re.Match[str], number: int, path: str, problems: list[Problem]) -> _Entry:
    """The entry that a key line opens; without a key when the key is no plain word, so that its lines go nowhere."""
    written, value = match[2].strip(BLANKS), match[3]
    plain = _KEY.fullmatch(written)
    if plain is None:
        problems.append(Problem(path, number, f"`{written[:40]}` is no key and is not read; keys must be plain words"))
        return _Entry("", number, value)
    if value and value[0] not in BLANKS:
        problems.append(Problem(path, number, f"`{written}:` has no blank after the colon; write one"))
    return _Entry(plain[1] or plain[2] or written, number, value)


def _not_a_key(line: str, number: int, path: str, first: bool) -> Problem:
    if first:
        return Problem(path, number, "frontmatter must be a mapping; write `key: value` lines")
    return Problem(
        path,
        number,
        f"`{line.strip(BLANKS)[:40]}` is neither a key nor a list item and is not read; indent it or remove it",
    )


def _why_absent(text: str, opening: re.Match[str] | None, closing: int, path: str) -> list[Problem]:
    """Text that looks like a frontmatter which nobody would read is reported: its claims would be lost unseen."""
    if opening:
        keys = (_LOOKS_LIKE_A_KEY, _LOOKS_LIKE_A_LATER_KEY)
        if closing < 0 and any(key.match(text, opening.end()) for key in keys):
            return [Problem(path, 1, "frontmatter is not closed; write `---` on a line of its own after it")]
        return []
    if other := _OTHER_BREAK.match(text):
        name = "a lone CR" if other[1] == "\r" else f"U+{ord(other[1]):04X}"
        return [
            Problem(path, 1, f"lines end in {name}, so that there is no frontmatter; save the file with LF line ends")
        ]
    if _TOML.match(text):
        return [Problem(path, 1, "frontmatter is TOML, which is not read; write YAML between lines of `---`")]
    if (late := _late_fence(text)) is not None:
        message = "frontmatter must start on line 1, with `---` alone on that line; move it to the top"
        return [Problem(path, _line_at(text, late), message)]
    return []


def _late_fence(text: str) -> int | None:
    """Where a fence, or nearly one, stands below nothing but blank lines and comments, and a spec's keys below it."""
    text = text[:MAX_FRONTMATTER]
    place = 0
    while place < len(text):
        end = _line_end(text, place)
        bare = text[place:end].strip(BLANKS)
        if bare.startswith("---"):
            closing = text.find("\n---", end)
            keys = _LOOKS_LIKE_A_KEY.match(text, end + 1) and _KEY_OF_A_SPEC.search(text, end, max(closing, end))
            return place if keys else None
        if bare.startswith("<!--"):
            end = text.find("-->", place)
            if end < 0:
                return None
            # What follows a comment on its line is looked at as a line.
            end += 2
        elif bare and not bare.startswith(_COMMENT):
            return None
        place = end + 1
    return None


def _with_body(
    text: str,
    start: int,
    fence_line: int,
    problems: list[Problem],
    fields: Mapping[str, object] | None = None,
    field_lines: Mapping[str, int] | None = None,
    item_lines: Mapping[str, tuple[int, ...]] | None = None,
    present: bool = False,
) -> Frontmatter:
    left = text[start:].lstrip(BLANKS)
    body = left.rstrip(BLANKS)
    line = _line_at(text, len(text) - len(left)) if body else fence_line
    return Frontmatter(fields or {}, field_lines or {}, item_lines or {}, body, line, tuple(sorted(problems)), present)


def _line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end
