"""What a change does to its file: how much it means, to which units, in which words. Both sides come as bytes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from posixpath import basename
from typing import Literal, NamedTuple

from spexsearch.govern.kinds import Kind, is_generated, kind_of
from spexsearch.govern.model import Change
from spexsearch.govern.source.languages import line_comments
from spexsearch.govern.source.sweep import IMPORT_CLOSE, IMPORT_OPEN, TYPE_CLOSE, TYPE_OPEN, decode, plain_tokens
from spexsearch.govern.units import MAX_BYTES, Outline, outline, renamed_units

Significance = Literal[
    "behaviour", "literal", "type", "version", "import", "comment", "whitespace", "mode", "rename", "none"
]
ORDER: tuple[Significance, ...] = (
    "behaviour", "literal", "type", "version", "import", "comment", "whitespace", "mode", "rename", "none",
)  # fmt: skip
"""Strongest first: the strongest class that occurs in a change names it."""

LOUD: tuple[Significance, ...] = ("behaviour", "literal")
"""The classes that may leave a spec behind; all others are cosmetic."""

QUIET: tuple[Kind, ...] = ("test", "style", "generated", "doc", "spec")
"""Kinds of file whose change leaves no spec behind, whatever it does."""

UNSEEN = 150.0
"""The size of a change of code that nobody can look into: too large to be read, it is a large one."""

LIGHT = 0.3  # a punctuation mark or a type token against a word; measured, see the evidence notes of the design

Tokens = Sequence[str]
Outliner = Callable[[str, bytes], Outline | None]

_WORD = re.compile(r"[^\W\d]\w*")
_VERSION = re.compile(r"\"?[\"']?(?:[\^~>=<v!]{0,3}\s*)\d+(?:\.\d+)+[\w.+-]*[\"']?")
_VERSION_UNIT = re.compile(r"_*version_*", re.IGNORECASE)
_MANIFEST = re.compile(
    r"package\.json|pyproject\.toml|cargo\.toml|setup\.(?:py|cfg)|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|chart\.ya?ml"
    r"|pubspec\.yaml|mix\.exs|go\.mod|requirements[\w.-]*\.txt|.+\.(?:gemspec|csproj|podspec)|_?version\.\w+",
    re.IGNORECASE,
)
_QUOTES = re.compile(r"\A[A-Za-z]{0,3}[\"'`]+|[\"'`]+\Z")
LINKS = ("120000", "160000")
"""Modes of what is no text of its own: a symbolic link, a submodule."""


class Effect(NamedTuple):
    """What one change does.

    `units` are the changed units' qualified names, each with its own significance; a unit that only has another name is
    none. `loose` is that of what stands outside units. `sides` are the two outlines, `outlined` says that both sides
    could be read into units. Words are identifiers as written, once for each time they stand on a changed line of their
    side outside comments; `words_commented` are those of the comments that only one side has. `literals_removed` are
    the contents of quoted texts that the new side has not, or less often. `behaviour` is the number of changed tokens,
    punctuation and types at 0.3, comments, white space and imports at nothing.
    """

    kind: Kind
    significance: Significance
    units: Mapping[str, Significance] = {}
    words_removed: tuple[str, ...] = ()
    words_added: tuple[str, ...] = ()
    words_commented: tuple[str, ...] = ()
    literals_removed: tuple[str, ...] = ()
    behaviour: float = 0.0
    loose: Significance = "none"
    outlined: bool = False
    sides: tuple[Outline | None, Outline | None] = (None, None)

    def on(self, symbol: str) -> Significance | None:
        """What the change does to the unit that a claim names, and to what is inside it; None where it does nothing."""
        within = [told for unit, told in self.units.items() if self.is_on(symbol, unit)]
        return min(within, key=ORDER.index, default=None)

    def is_on(self, symbol: str, unit: str) -> bool:
        """Whether a unit is the one that a claim names, on either side, or stands inside it."""
        named = (found.name for side in self.sides if side for found in side.find(symbol))
        return any(f"{unit}.".startswith(f"{name}.") for name in named)


class _Side(NamedTuple):
    """One side of a change: tokens by unit name ("" is what stands outside units), comments, and text without them."""

    tokens: dict[str, Tokens]
    comments: Sequence[str]
    code: str
    outline: Outline | None = None


_NOTHING = _Side({}, (), "")


def effect(change: Change, old: bytes | None, new: bytes | None, outline_of: Outliner = outline) -> Effect:
    """Compare the two sides; a side that is missing though the change has it is judged from the hunks.

    Units in another order are "whitespace", like any change that leaves every token where it was. `outline_of` is
    `outline`, or what remembers its answers.
    """
    kind = kind_of(change.path)
    if kind in ("code", "config", "style") and is_generated(old, new):
        kind = "generated"
    before = (
        _NOTHING
        if change.status in ("A", "C") and old is None
        else _side(change, change.before, old, new, change.old_mode, outline_of)
    )
    after = _NOTHING if change.status == "D" else _side(change, change.path, new, old, change.new_mode, outline_of)
    if before is None or after is None:
        return _by_lines(change, kind)
    outlined = all(side is _NOTHING or side.outline is not None for side in (before, after))
    renamed = renamed_units(before.outline, after.outline) if before.outline and after.outline else {}
    before, after = _without_units(before, renamed), _without_units(after, renamed.values())
    removed, added = _changed_lines(change, before, after)
    pairs = _pairs(before, after)
    classes = _classes(change, before, after, pairs)
    found = Effect(
        kind,
        _significance(change, before, after, classes, bool(renamed)),
        units={name: told for name, told in classes.items() if name} if outlined else {},
        words_removed=_words(removed),
        words_added=_words(added),
        words_commented=_words(_on_one_side(before.comments, after.comments)),
        literals_removed=_contents_removed(pairs),
        behaviour=round(sum(_size(a, b) for _, a, b in pairs), 1),
        loose=classes.get("", "none"),
        outlined=outlined,
        sides=(before.outline, after.outline),
    )
    if found.significance == "none" and (old or b"") != (new or b""):
        return found._replace(significance="whitespace")
    return found


def _side(
    change: Change, path: str, source: bytes | None, other: bytes | None, mode: str | None, outline_of: Outliner
) -> _Side | None:
    """None where the side is not known, or is too large to be compared whole."""
    if source is None or len(source) > MAX_BYTES:
        return None
    found = None if mode in LINKS else outline_of(path, source)
    if found is not None:
        tokens: dict[str, Tokens] = {unit.name: unit.tokens for unit in found.units}
        return _Side(tokens | {"": found.loose}, found.comments, found.code, found)
    text = decode(source)
    code, comments = _split_comments(text.split("\n"), line_comments(path))
    return _Side({"": plain_tokens("\n".join(code))}, comments, "\n".join(code))


def _split_comments(lines: Iterable[str], signs: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Lines with the comment lines emptied, and the comment lines; without a grammar a comment begins its line."""
    code, comments = [], []
    for line in lines:
        # A lone CR ends a line for some interpreters, and what follows it is no comment.
        comment = bool(signs) and line.lstrip().startswith(signs) and "\r" not in line.rstrip("\r\n")
        code.append("" if comment else line)
        if comment:
            comments.append(line)
    return code, comments


def _pairs(before: _Side, after: _Side) -> list[tuple[str, Tokens, Tokens]]:
    names = dict.fromkeys([*after.tokens, *before.tokens])
    sides = [(name, before.tokens.get(name, ()), after.tokens.get(name, ())) for name in names]
    return [(name, old, new) for name, old, new in sides if old != new]


def _without_units(side: _Side, names: Collection[str]) -> _Side:
    return side._replace(tokens={k: t for k, t in side.tokens.items() if k not in names}) if names else side


def _classes(
    change: Change, before: _Side, after: _Side, pairs: Iterable[tuple[str, Tokens, Tokens]]
) -> dict[str, Significance]:
    """What the change does to each unit ("": to what stands outside units), in the order of the pairs."""
    if change.status in ("A", "D") or _NOTHING in (before, after):
        return {name: "behaviour" for name, _, _ in pairs}
    return {name: _class_of(change.path, name, old, new) for name, old, new in pairs}


def _significance(
    change: Change, before: _Side, after: _Side, classes: Mapping[str, Significance], renamed: bool
) -> Significance:
    if classes:
        return min(classes.values(), key=ORDER.index)
    if Counter(_words(before.comments)) != Counter(_words(after.comments)):
        return "comment"
    if change.old_mode != change.new_mode and change.old_mode and change.new_mode:
        return "mode"
    return "rename" if renamed or change.status in ("R", "C") else "none"


def _class_of(path: str, unit: str, old: Tokens, new: Tokens) -> Significance:
    """The strongest class of difference between the tokens of one unit."""
    bare_old, bare_new = (
        _without(_without(side, TYPE_OPEN, TYPE_CLOSE), IMPORT_OPEN, IMPORT_CLOSE) for side in (old, new)
    )
    if bare_old == bare_new:
        same_imports = _without(old, TYPE_OPEN, TYPE_CLOSE) == _without(new, TYPE_OPEN, TYPE_CLOSE)
        only_imports = _without(old, IMPORT_OPEN, IMPORT_CLOSE) == _without(new, IMPORT_OPEN, IMPORT_CLOSE)
        return "import" if only_imports and not same_imports else "type"
    if [token for token in bare_old if not _is_literal(token)] != [
        token for token in bare_new if not _is_literal(token)
    ]:
        return "behaviour"
    differing = [pair for pair in zip(*map(_literals, (bare_old, bare_new)), strict=False) if pair[0] != pair[1]]
    versions = differing and all(_VERSION.fullmatch(literal) for pair in differing for literal in pair)
    if versions and (_MANIFEST.fullmatch(basename(path)) or _VERSION_UNIT.fullmatch(unit)):
        return "version"
    return "literal"


def _literals(tokens: Iterable[str]) -> list[str]:
    return [token for token in tokens if _is_literal(token)]


def _contents_removed(pairs: Iterable[tuple[str, Tokens, Tokens]]) -> tuple[str, ...]:
    """What stands between the quotes of the literals that the old side has more often."""
    balance: Counter[str] = Counter()
    for _, old, new in pairs:
        balance.update(token for token in old if token[0] == '"')
        balance.subtract(token for token in new if token[0] == '"')
    return tuple(_QUOTES.sub("", token[1:]) for token, count in balance.items() if count > 0)


def _is_literal(token: str) -> bool:
    return token[0] == '"' or token[0].isdigit() or (token[0] == "v" and token[1:2].isdigit())


def _without(tokens: Tokens, opening: str, closing: str) -> Tokens:
    """The tokens outside the marked stretches, and without the `:` or `->` that introduces one."""
    if opening not in tokens:
        return tokens
    kept: list[str] = []
    depth = 0
    for token in tokens:
        if token == opening:
            depth += 1
            while depth == 1 and kept and opening == TYPE_OPEN and kept[-1] in (":", "-", ">"):
                kept.pop()
        elif token == closing:
            depth -= 1
        elif depth == 0:
            kept.append(token)
    return tuple(kept)


def _size(old: Tokens, new: Tokens) -> float:
    """Changed tokens of one unit, weighed; at least one where only their order differs."""
    told_old, told_new = _types_told(old), _types_told(new)
    counts_old, counts_new = Counter(told_old), Counter(told_new)
    differing = (counts_old - counts_new) + (counts_new - counts_old)
    size = sum(count * (1.0 if _is_heavy(token) else LIGHT) for token, count in differing.items())
    return size if size or told_old == told_new else 1.0


def size_of(tokens: Tokens) -> float:
    """The size of tokens that come or go altogether."""
    return _size((), tokens)


def _is_heavy(token: str) -> bool:
    return token[0].isalnum() or token[0] in '_"'


def _types_told(tokens: Tokens) -> Tokens:
    """The tokens without imports, those of a type behind its mark: there they are others, and none is heavy."""
    tokens = _without(tokens, IMPORT_OPEN, IMPORT_CLOSE)
    if TYPE_OPEN not in tokens:
        return tokens
    told = []
    depth = 0
    for token in tokens:
        if token in (TYPE_OPEN, TYPE_CLOSE):
            depth += 1 if token == TYPE_OPEN else -1
        else:
            told.append(TYPE_OPEN + token if depth > 0 else token)
    return tuple(told)


def _changed_lines(change: Change, before: _Side, after: _Side) -> tuple[list[str], list[str]]:
    """The changed lines of each side, comments cut out; from the lines' counts where the change has no hunks."""
    old, new = before.code.split("\n"), after.code.split("\n")
    if change.hunks:
        return _pick(old, [line.number for line in change.removed]), _pick(new, [line.number for line in change.added])
    counts_old, counts_new = Counter(old), Counter(new)
    return list((counts_old - counts_new).elements()), list((counts_new - counts_old).elements())


def _on_one_side(old: Iterable[str], new: Iterable[str]) -> Iterable[str]:
    before, after = Counter(old), Counter(new)
    return chain((before - after).elements(), (after - before).elements())


def _pick(lines: Sequence[str], numbers: Iterable[int]) -> list[str]:
    return [lines[number - 1] for number in numbers if 0 < number <= len(lines)]


def _words(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(word for text in texts for word in _WORD.findall(text))


def _by_lines(change: Change, kind: Kind) -> Effect:
    """The effect as far as the hunks tell it: no units, and comments only where a whole line is one."""
    signs = line_comments(change.path)
    old, old_comments = _split_comments((line.text for line in change.removed), signs)
    new, new_comments = _split_comments((line.text for line in change.added), signs)
    before = _Side({"": plain_tokens("\n".join(old))}, old_comments, "")
    after = _Side({"": plain_tokens("\n".join(new))}, new_comments, "")
    classes = _classes(change, before, after, _pairs(before, after))
    significance = _significance(change, before, after, classes, renamed=False)
    if significance == "none" and change.hunks:
        significance = "whitespace"
    if not change.hunks and significance == "none" and (change.binary or change.status in ("A", "D", "M", "T")):
        significance = "behaviour"
    size = _size(before.tokens[""], after.tokens[""])
    return Effect(
        kind,
        significance,
        words_removed=_words(old),
        words_added=_words(new),
        words_commented=_words(_on_one_side(old_comments, new_comments)),
        literals_removed=_contents_removed([("", before.tokens[""], after.tokens[""])]),
        behaviour=UNSEEN if change.binary and kind == "code" else round(size, 1),
    )
