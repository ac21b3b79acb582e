"""One frontmatter value from its lines: plain text as written, structure as PyYAML reads it, the rest line by line.

Most values need no YAML parser to be read as YAML reads them; the patterns here hold exactly such values, and only
the others pay for importing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# The white space that the reference implementation of the spec search trims (ECMAScript's).
BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

MAX_DEPTH = 16

_STRUCTURED = frozenset("\"'[{|>")
_ODD = r"\x00-\x1f\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufeff\ufffe\uffff"
_WORD = rf"(?:[^ :{_ODD}]|:(?=[!-~]))+"
_PLAIN = rf"(?=[^-?:,\[\]{{}}#&*!|>'\"%@` {_ODD}]){_WORD}(?: +(?!#){_WORD})*"
_QUOTED = rf"\"[^\"\\{_ODD}]*\"|'[^'{_ODD}]*'"
_ITEM = re.compile(rf"( *)- +({_QUOTED}|{_PLAIN})(?: +#.*)? *")
_FLOW = re.compile(r"\[ *(?:[\w./][\w./+@-]*(?: *, *[\w./][\w./+@-]*)* *)?\]", re.ASCII)
_ONE_QUOTED = re.compile(_QUOTED)
_MARKED = re.compile(r"[&*][\w-]+(?= |$)|!\S*(?= |$)")
_BREAKS = re.compile("[\r\x85\u2028\u2029]")


class Fault(NamedTuple):
    """What is wrong with a value, and how many lines below its key."""

    message: str
    offset: int = 0


class Value(NamedTuple):
    """A value of text, lists and mappings of them; for a list the line of each item, counted from the key's."""

    value: object
    items: tuple[int, ...] = ()
    faults: tuple[Fault, ...] = ()


class _Refused(Exception):
    """PyYAML, or a bound of ours, does not take the value."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.fault = Fault(message, offset)


def is_item(line: str) -> bool:
    """Whether a line is written as a list item."""
    bare = line.lstrip(" \t")
    return bare.startswith(("- ", "-\t")) or bare.rstrip() == "-"


def read_value(first: str, more: Sequence[str]) -> Value:
    """The value whose first line is `first` (after the colon) and which goes on in the lines `more`."""
    first = first.strip(BLANKS)
    if more and first[:1] not in ("|", ">") and not any(map(_says_something, more)):
        more = ()
    if not more:
        simple = _one_line(first)
    else:
        first = "" if first.startswith("#") else first
        simple = None if first else _simple_list(more)
    if simple is not None:
        return simple
    if first and first[0] not in _STRUCTURED and any(map(is_item, more)):
        return _by_lines(first, more, Fault("has a list under a value; write the value as the list's first item"))
    try:
        return _by_yaml(first, more)
    except _Refused as refused:
        return _by_lines(first, more, refused.fault)


def _says_something(line: str) -> bool:
    bare = line.strip(BLANKS)
    return bool(bare) and not bare.startswith("#")


def _one_line(text: str) -> Value | None:
    if not text or text[0] not in _STRUCTURED:
        if _MARKED.match(text):
            return Value(text, faults=(Fault("begins as a YAML tag, anchor or alias, which are not read; quote it"),))
        return Value(text)
    if _ONE_QUOTED.fullmatch(text):
        return Value(text[1:-1])
    if _FLOW.fullmatch(text):
        items = [item.strip(" ") for item in text[1:-1].split(",")]
        return Value(items, (0,) * len(items)) if items != [""] else Value([])
    return None


def _simple_list(lines: Sequence[str]) -> Value | None:
    items: list[str] = []
    offsets: list[int] = []
    indents: set[str] = set()
    for offset, line in enumerate(lines, 1):
        if match := _ITEM.fullmatch(line):
            item = match[2]
            items.append(item[1:-1] if item[0] in "\"'" else item)
            offsets.append(offset)
            indents.add(match[1])
        elif _says_something(line):
            return None
    return Value(items, tuple(offsets)) if len(indents) == 1 else None


def _by_lines(first: str, more: Sequence[str], fault: Fault) -> Value:
    items: list[str] = []
    offsets: list[int] = []
    faults = [fault]
    text = first
    for offset, line in enumerate(more, 1):
        bare = line.strip(BLANKS)
        if not _says_something(line):
            continue
        if is_item(line):
            if text and not items:
                items, offsets = [text], [0]
            items.append(bare[1:].strip(BLANKS))
            offsets.append(offset)
        elif bare.startswith("-"):
            faults.append(
                Fault("has a dash without a blank after it, which is not read; write `- ` before an item", offset)
            )
        elif items:
            items[-1] = f"{items[-1]} {bare}"
        else:
            text = f"{text} {bare}" if text else bare
    return Value(items, tuple(offsets), tuple(faults)) if items else Value(text, faults=tuple(faults))


def _by_yaml(first: str, more: Sequence[str]) -> Value:
    text = "\n".join([f"k: {first}", *more, ""])
    if _BREAKS.search(text):
        # YAML would break a line here that git and an editor show as one.
        raise _Refused("holds a line break that is no line feed; remove it")
    builder = _Builder()
    for event in _events(text):
        builder.take(event)
    return builder.value()


def _events(text: str) -> Iterator[object]:
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        lines = text.split("\n")
        for offset, line in enumerate(lines):
            if line.lstrip(" ").startswith("\t") and line.strip():
                raise _Refused("is indented with a tab (column 1), which YAML refuses; use spaces", offset) from None
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        offset = min(mark.line, len(lines) - 2) if mark else 0
        raise _Refused("is not valid YAML and is read as plain text; quote the value", offset) from None


class _Builder:
    """Builds a value from parser events on a stack of its own, so that no nesting exhausts the interpreter's."""

    def __init__(self) -> None:
        self._top: list[object] = []
        self._stack: list[list[object] | dict[str, object]] = [self._top]
        self._keys: list[str | None] = [None]
        self._items: list[int] = []

    def take(self, event: object) -> None:
        """Takes the next event."""
        import yaml

        if isinstance(event, yaml.NodeEvent):
            line = event.start_mark.line if event.start_mark else 0
            if event.anchor is not None or getattr(event, "tag", None) is not None:
                raise _Refused("holds a YAML tag, anchor or alias, which are not read; write it out, or quote it", line)
            if isinstance(event, yaml.ScalarEvent):
                self._add(event.value, line)
            else:
                self._open([] if isinstance(event, yaml.SequenceStartEvent) else {}, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._stack.pop()
            self._keys.pop()

    def value(self) -> Value:
        """The value of the only key."""
        document = self._top[0] if len(self._top) == 1 else None
        if not isinstance(document, dict) or document.keys() != {"k"}:
            raise _Refused("is not one YAML value and is read as plain text; quote the value")
        value = document["k"]
        return Value(value, tuple(self._items) if isinstance(value, list) else ())

    def _open(self, container: list[object] | dict[str, object], line: int) -> None:
        if len(self._stack) > MAX_DEPTH:
            raise _Refused(f"is nested deeper than {MAX_DEPTH} levels; flatten it", line)
        self._add(container, line)
        self._stack.append(container)
        self._keys.append(None)

    def _add(self, value: object, line: int) -> None:
        holder = self._stack[-1]
        if isinstance(holder, list):
            holder.append(value)
            if len(self._stack) == 3:
                self._items.append(line)
        elif (key := self._keys[-1]) is not None:
            if key in holder:
                raise _Refused(f"has the key `{key[:40]}` twice; join them", line)
            holder[key] = value
            self._keys[-1] = None
        elif isinstance(value, str):
            self._keys[-1] = value
        else:
            raise _Refused("has a key that is not text; write keys as plain words", line)
