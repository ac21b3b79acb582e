"""Source text -> units and significant tokens, by the grammars of ast-grep: the only module that imports it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from spexsearch.govern.source.definitions import CLASS_LIKE, Scope, UnitKind, dotted
from spexsearch.govern.source.grammars import TOML, TSX, TYPESCRIPT, Language
from spexsearch.govern.source.languages import language_of
from spexsearch.govern.source.sweep import Role, Span, Swept, blank, decode, plain_tokens, sweep, without

if TYPE_CHECKING:
    from ast_grep_py import Config, SgNode

MAX_BYTES = 1 << 19
# The parser's binding counts columns from the line's start for every node, so minified lines cost their square.
MAX_LINE_COST = 100_000_000
_LONG_LINE = 4096
_LONE_CR = re.compile(r"\r(?!\n)")
_NODE_SIGNS = re.compile(r"['\"`(\[{,;<:]|/\*")


class Unit(NamedTuple):
    """A named definition. Lines are 1-based, both included. A name declared in several pieces (overloads, getter and
    setter, a type and its methods) is one unit: the lines are those of the first piece, the tokens those of all.

    `tokens` leave out comments, white space, optional punctuation and the units inside this one.
    """

    name: str
    kind: UnitKind
    start: int
    end: int
    tokens: tuple[str, ...]


class Outline(NamedTuple):
    """What a source file holds: units in source order, tokens outside any unit, comments as written.

    `code` is the text without its comments, line for line.
    """

    language: str
    units: tuple[Unit, ...]
    loose: tuple[str, ...]
    comments: tuple[str, ...]
    code: str

    def find(self, symbol: str) -> tuple[Unit, ...]:
        """The unit of that qualified name, else every unit whose trailing dotted path it is; several are ambiguous."""
        name = dotted(symbol.replace("#", "."))
        exact = tuple(unit for unit in self.units if unit.name in (symbol, name))
        return exact or tuple(unit for unit in self.units if name and unit.name.endswith("." + name))


def outline(path: str, source: bytes) -> Outline | None:
    """The outline of one file, None where there is no grammar for it or it is too large to be parsed in a hook.

    Text that does not parse gives what the grammar could recover.
    """
    language = language_of(path, source)
    if language is None or len(source) > MAX_BYTES:
        return None
    text = decode(source)
    # Interpreters and grammars disagree on whether a lone CR ends a line, so nobody knows what such a file says.
    if _LONE_CR.search(text):
        return None
    if language.name in ("vue", "svelte"):
        return _component(text, language)
    if language is TOML:
        from spexsearch.govern.source.toml_keys import spans

        return _outline(language, text, sweep(text, spans(text), language))
    found = _spans(text, language)
    return None if found is None else _outline(language, text, sweep(text, found, language))


def renamed_units(old: Outline, new: Outline) -> Mapping[str, str]:
    """Old name -> new name of units that have the same tokens but for their own name, where that is unambiguous."""
    gone = _by_shape(old, {unit.name for unit in new.units})
    come = _by_shape(new, {unit.name for unit in old.units})
    return {names[0]: come[shape][0] for shape, names in gone.items() if len(names) == len(come.get(shape, ())) == 1}


def _by_shape(side: Outline, known: set[str]) -> dict[tuple[str, ...], list[str]]:
    shapes: dict[tuple[str, ...], list[str]] = {}
    for unit in side.units:
        if unit.name not in known:
            own = unit.name.rpartition(".")[2]
            shapes.setdefault(tuple("" if token == own else token for token in unit.tokens), []).append(unit.name)
    return shapes


def _outline(language: Language, text: str, swept: Swept) -> Outline:
    units = tuple(
        Unit(name, piece.kind, swept.line(piece.start), swept.line(max(piece.start, piece.end - 1)), tokens)
        for name, (piece, tokens) in swept.units.items()
    )
    return Outline(language.name, units, swept.loose, swept.comments, without(text, swept.comment_ranges))


def _component(text: str, language: Language) -> Outline | None:
    """A Vue or Svelte file: units from its script blocks, everything else as tokens outside them."""
    scripts = list(_between(text, "<script", "</script"))
    tags = [text[start : max(start, text.find(">", start, end))] for start, end in scripts]
    bodies = [(start + len(tag) + 1, end) for (start, end), tag in zip(scripts, tags, strict=True)]
    markup_comments = [(start, end + 3) for start, end in _between(blank(text, scripts), "<!--", "-->")]
    outside = _gaps(bodies, len(text))
    grammar = TSX if any("tsx" in tag or "jsx" in tag for tag in tags) else TYPESCRIPT
    spans = _spans(blank(text, outside), grammar)
    if spans is None:
        return None
    swept = sweep(blank(text, outside), spans, grammar)
    markup = blank(text, sorted([*bodies, *markup_comments]))
    code = without(text, sorted([*swept.comment_ranges, *markup_comments]))
    found = _outline(language, text, swept)
    comments = (*found.comments, *(text[start:end] for start, end in markup_comments))
    return Outline(language.name, found.units, (*found.loose, *plain_tokens(markup)), comments, code)


def _between(text: str, opening: str, closing: str) -> Iterator[tuple[int, int]]:
    """Where each stretch from `opening` to before `closing` lies; an unclosed one goes to the end."""
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start)
        yield start, (end if end >= 0 else len(text))
        start = text.find(opening, end) if end >= 0 else -1


def _gaps(ranges: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    bounds = [0, *(bound for pair in ranges for bound in pair), length]
    return [(start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=True) if start < end]


@cache
def _rule(language: Language) -> tuple[Config, Mapping[str, int]]:
    kinds: dict[str, int] = {}
    for kind_set, flag in (
        (language.comments, _COMMENT),
        (language.strings, _STRING),
        (language.interpolations, _CODE),
        (language.types, _TYPE),
        (language.imports, _IMPORT),
        (language.marks, _MARK),
        (language.wrappers, _WRAPPER),
        (language.prefixes, _PREFIX),
        (language.bodies, _BODY),
        (language.scopes, _SCOPE),
        (frozenset(language.units), _UNIT),
    ):
        for kind in sorted(kind_set):
            kinds[kind] = kinds.get(kind, 0) | flag
    return {"rule": {"any": [{"kind": kind} for kind in kinds]}}, kinds


_COMMENT, _STRING, _CODE, _TYPE, _IMPORT, _MARK, _WRAPPER, _PREFIX, _BODY, _SCOPE, _UNIT = (1 << n for n in range(11))
_STRUCTURE = _WRAPPER | _BODY | _SCOPE | _UNIT
_ROLES = (
    (_COMMENT, Role.COMMENT),
    (_STRING, Role.STRING),
    (_CODE, Role.CODE),
    (_IMPORT, Role.IMPORT),
    (_MARK, Role.MARK),
)
_SIMPLE = dict(_ROLES) | {_TYPE: Role.TYPE}


def _spans(text: str, language: Language) -> list[Span] | None:
    """Everything in the text that the sweep must know, None where the text would kill or stall the parser."""
    if language.limit and len(re.findall(language.limit[0], text)) > language.limit[1]:
        return None
    long_lines = [line for line in text.split("\n") if len(line) > _LONG_LINE] if len(text) > _LONG_LINE else []
    if sum(len(line) * len(_NODE_SIGNS.findall(line)) for line in long_lines) > MAX_LINE_COST:
        return None
    from ast_grep_py import SgRoot

    rule, flags = _rule(language)
    reader = _Reader(text, language)
    for node in SgRoot(text, language.grammar).root().find_all(rule):
        kind = node.kind()
        at = node.range()
        reader.read(node, kind, flags[kind], at.start.index, at.end.index)
    return reader.finish()


class _Frame(NamedTuple):
    """One open node that says where definitions stand. `inside` are the units directly in a wrapper."""

    start: int
    end: int
    scope: Scope
    inside: list[Span] | None


class _Reader:
    """Turns nodes, outermost first, into spans; it knows the way up without asking the parser."""

    def __init__(self, text: str, language: Language) -> None:
        self.text = text
        self.language = language
        self.spans: list[Span] = []
        self.stack = [_Frame(0, len(text) + 1, Scope(), None)]
        self.prefix: tuple[int, int] | None = None

    def read(self, node: SgNode, kind: str, flags: int, start: int, end: int) -> None:
        while self.stack[-1].end <= start and len(self.stack) > 1:
            self._close()
        if flags in _SIMPLE and not self.language.docstrings:
            self.spans.append(Span(start, end, _SIMPLE[flags]))
            return
        if flags & _STRUCTURE:
            self._structure(node, kind, flags, start, end)
        elif flags & _PREFIX:
            if self.prefix is None or not self._only_space(self.prefix[1], start):
                self.prefix = (start, end)
            else:
                self.prefix = (self.prefix[0], end)
        elif flags & _TYPE:
            self.spans.append(Span(start, end, Role.TYPE))
        for flag, role in _ROLES:
            if flags & flag:
                docstring = role is Role.STRING and self.language.docstrings and self._is_whole(start, end)
                self.spans.append(Span(start, end, Role.COMMENT if docstring else role))

    def finish(self) -> list[Span]:
        while len(self.stack) > 1:
            self._close()
        return self.spans

    def _structure(self, node: SgNode, kind: str, flags: int, start: int, end: int) -> None:
        outer = self.stack[-1]
        found = self.language.units[kind](node, outer.scope) if flags & _UNIT else None
        # The parser makes up empty names for what broken source lacks.
        found = found if found and all(found[1]) else None
        first = self._take_prefix(start) if flags & (_WRAPPER | _UNIT) else start
        local, owner = outer.scope.local or bool(flags & _BODY), outer.scope.owner
        if found:
            what, names = found
            if what == "function" and owner in CLASS_LIKE and not outer.scope.local:
                what = "method"
            span = Span(first, end, Role.UNIT, what, names, bool(flags & _TYPE))
            self.spans.append(span)
            if outer.inside is not None:
                outer.inside.append(span)
            owner = what
            local = what in ("function", "method") or (local and what not in CLASS_LIKE)
        elif flags & _TYPE:
            self.spans.append(Span(start, end, Role.TYPE))
        scope = Scope(local, kind, self.text[start : start + 12], owner)
        self.stack.append(_Frame(first, end, scope, [] if flags & _WRAPPER and not found else None))

    def _is_whole(self, start: int, end: int) -> bool:
        """Whether a node is all that the innermost open one holds: Python ignores a string that is a statement."""
        return self.stack[-1].start == start and self.stack[-1].end == end

    def _take_prefix(self, start: int) -> int:
        if self.prefix is None or start < self.prefix[1]:
            return start
        (first, last), self.prefix = self.prefix, None
        return first if self._only_space(last, start) else start

    def _only_space(self, start: int, end: int) -> bool:
        return not self.text[start:end].strip()

    def _close(self) -> None:
        frame = self.stack.pop()
        if frame.inside is None:
            return
        if len(frame.inside) == 1:
            frame.inside[0].start, frame.inside[0].end = frame.start, frame.end
        outer = self.stack[-1]
        if outer.inside is not None:
            outer.inside.extend(frame.inside)
