"""TOML text -> spans of tables, keys, strings and comments; ast-grep has no grammar for it, tomllib gives no lines."""

from __future__ import annotations

import re

from spexsearch.govern.source.definitions import clean
from spexsearch.govern.source.sweep import Role, Span

_LEXEME = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<string>\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*(?:\"\"\"|\Z)|'''(?:[^']|'(?!''))*(?:'''|\Z)"
    r"|\"(?:[^\"\\\n]|\\.)*\"?|'[^'\n]*'?)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<line>\n)",
    re.DOTALL,
)
_PART = r"(?:[\w-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
_PATH = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_TABLE = re.compile(rf"[ \t]*\[\[?[ \t]*({_PATH})[ \t]*\]\]?")
_KEY = re.compile(rf"[ \t]*({_PATH})[ \t]*=")


def spans(text: str) -> list[Span]:
    """Tables with the keys inside them, named by their paths; what is no TOML gives what can be read of it."""
    found: list[Span] = []
    table: Span | None = None
    position = 0
    while position < len(text):
        if (header := _TABLE.match(text, position)) is not None:
            if table is not None:
                table.end = _last(text, position)
            table = Span(text.index("[", position), len(text), Role.UNIT, "key", (_name(header[1]),))
            found.append(table)
            position = _value(text, header.end(), found)
        elif (key := _KEY.match(text, position)) is not None:
            unit = Span(key.start(1), 0, Role.UNIT, "key", (_name(key[1]),))
            found.append(unit)
            unit.end = position = _value(text, key.end(), found)
        else:
            position = _value(text, position, found)
        position += 1
    if table is not None:
        table.end = _last(text, len(text))
    return found


def _last(text: str, end: int) -> int:
    while end and text[end - 1].isspace():
        end -= 1
    return end


def _name(path: str) -> str:
    return ".".join(clean(part) or '""' for part in re.findall(_PART, path))


def _value(text: str, position: int, found: list[Span]) -> int:
    """The end of the line that closes every bracket opened from here on; strings and comments on the way are added."""
    depth = 0
    for lexeme in _LEXEME.finditer(text, position):
        kind = lexeme.lastgroup
        if kind in ("comment", "string"):
            found.append(Span(lexeme.start(), lexeme.end(), Role.COMMENT if kind == "comment" else Role.STRING))
        elif kind == "line" and depth <= 0:
            return lexeme.start()
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
    return len(text)
