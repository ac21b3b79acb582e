"""Changes -> names that a change takes from the code, and that specs still say: identifiers, literals, words, paths."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from spexsearch.govern.holds import Judged
from spexsearch.govern.model import Hunk, Line
from spexsearch.govern.significance import Effect
from spexsearch.govern.source.languages import KEYWORDS
from spexsearch.specs.model import Spec

Source = Callable[[frozenset[str], bool], frozenset[str]]
"""(names, whole) -> those of them that stand anywhere in the source of the head, documents and specs apart.

`whole`: as whole words, else as any part of the text.
"""

Form = Literal["identifier", "path", "literal", "word"]
FORMS: tuple[Form, ...] = ("identifier", "literal", "path", "word")

SHORTEST, LONGEST = 4, 200
"""Characters of a name: a shorter one may mean anything, and nobody quotes a longer one."""
MAX_ASKED = 500
"""Names of each form that are looked up in the source: a change that takes more away deletes whole programs."""
COMPARED = 20
"""Lines of each side on which a new name is looked for."""

_COMPOUND = re.compile(r"\w+[^\W_]_+[^\W_]\w*|\w*[a-z0-9][A-Z]\w*")
_LETTERS = re.compile(r"[^\W\d_]{3}")
_SIGN = re.compile(r"[^\w\s]")
# Splitting bytes is many times as fast as a pattern.
_WORD_BYTES = bytes(byte if byte < 128 and (chr(byte).isalnum() or byte == ord("_")) else 32 for byte in range(256))
_WORD = re.compile(r"\w+")
_PLAIN_PATH = re.compile(r"[\w./@+-]+")
_SPAN = re.compile(r"`([^`\n]{1,400})`")


class Vanished(NamedTuple):
    """A name that a change takes from the code, with a place of the old side where it stood.

    `now` is what stands in its place where that can be seen, "" elsewhere.
    """

    name: str
    form: Form
    path: str
    line: int
    now: str = ""

    @property
    def place(self) -> str:
        """`path:line` at the base."""
        return f"{self.path}:{self.line}"

    def is_said_by(self, text: str) -> bool:
        """Whether a text says the name: an identifier or a path anywhere, a mere word only as code, in backticks."""
        if _counts_anywhere(self.name, self.form):
            return stands_in(self.name, text)
        return self.name in text and stands_in(self.name, _code_in(text))

    def is_code_in(self, text: str) -> bool:
        """Whether a text says it right behind a backtick."""
        return f"`{self.name}" in text and stands_in(self.name, text)

    def lines_in(self, spec: Spec) -> list[int]:
        """The lines of a spec's file on which its body says the name."""
        if self.name not in spec.body:
            return []
        found: list[int] = []
        body, seen, number = spec.body, 0, spec.body_line
        for match in _whole(self.name).finditer(body):
            number += body.count("\n", seen, match.start())
            seen = match.start()
            begin, end = body.rfind("\n", 0, seen) + 1, body.find("\n", seen)
            if number not in found[-1:] and self.is_said_by(body[begin : end if end >= 0 else len(body)]):
                found.append(number)
        return found

    def brought_up_to_date(self, line: str) -> str:
        """A line with what the name is now in its place."""
        return _whole(self.name).sub(lambda _: self.now, line)


def _counts_anywhere(name: str, form: Form) -> bool:
    return form == "identifier" or (form == "path" and _SIGN.search(name) is not None)


def stands_in(name: str, text: str) -> bool:
    """Whether a name stands in a text, not as part of a longer word or path."""
    return name in text and _whole(name).search(text) is not None


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w/.-]){re.escape(name)}(?![\w/-])" if _SIGN.search(name) else rf"(?<!\w){name}(?!\w)")


def vanished(judging: Iterable[Judged], specs: Sequence[Spec], source: Source | None) -> tuple[Vanished, ...]:
    """The names that are gone, and that a spec's body says, by form and name.

    Only what a changed file that is no test had, and the whole source of the head has not. Where `source` is None
    nobody can know, and only paths are told.
    """
    lost: dict[tuple[Form, str], Judged] = {}
    for judged in judging:
        for key in _lost(judged):
            lost.setdefault(key, judged)
    found: list[Vanished] = []
    said = _Said(specs) if lost else None
    places: dict[int, _Places] = {}
    for form in FORMS:
        names = sorted(name for of, name in lost if said and of == form and said.holds(name, form))[:MAX_ASKED]
        standing = _standing(names, form, source)
        for name in names:
            if name not in standing:
                judged = lost[form, name]
                if id(judged) not in places:
                    places[id(judged)] = _Places(judged)
                found.append(_found(name, form, judged, places[id(judged)]))
    return tuple(found)


class _Said:
    """All that some specs say, for many names to be looked up in."""

    def __init__(self, specs: Iterable[Spec]) -> None:
        self._text = "\n".join(spec.body for spec in specs)
        self._code = _code_in(self._text)
        self._runs, self._code_runs = (frozenset(_runs(text)) for text in (self._text, self._code))

    def holds(self, name: str, form: Form) -> bool:
        """Whether they say a name, as far as can be told without looking at the place."""
        anywhere = _counts_anywhere(name, form)
        return (self._runs if anywhere else self._code_runs).issuperset(_runs(name)) and stands_in(
            name, self._text if anywhere else self._code
        )


class _Places:
    """Where the words of the removed lines of a change stand, each on its first few lines."""

    def __init__(self, judged: Judged) -> None:
        self._lines = judged.change.removed
        self._by_word: dict[str, list[tuple[Line, Hunk]]] = {}
        for hunk in judged.change.hunks:
            for line in hunk.removed:
                for word in dict.fromkeys(_WORD.findall(line.text)):
                    if len(known := self._by_word.setdefault(word, [])) < COMPARED:
                        known.append((line, hunk))

    def of(self, word: str) -> Sequence[tuple[Line, Hunk]]:
        """The lines with a word."""
        return self._by_word.get(word, ())

    def first(self, name: str) -> int:
        """The first line with a name, 1 where there is none."""
        if name in self._by_word:
            return self._by_word[name][0][0].number
        return next((line.number for line in self._lines if name in line.text), 1)


def runs(data: bytes) -> list[bytes]:
    """Every run of ASCII letters, digits and `_`, in order."""
    return data.translate(_WORD_BYTES).split()


def _runs(text: str) -> list[bytes]:
    return runs(text.encode("utf-8", "surrogateescape"))


@lru_cache(maxsize=1024)
def _code_in(text: str) -> str:
    return "\n".join(_SPAN.findall(text))


def _standing(names: Sequence[str], form: Form, source: Source | None) -> frozenset[str]:
    if not names or form == "path":
        return frozenset()
    asked = frozenset(names)
    return asked if source is None else source(asked, form != "literal")


def _lost(judged: Judged) -> Iterator[tuple[Form, str]]:
    change, effect = judged.change, judged.effect
    if effect.kind not in ("code", "config", "other"):
        return
    if change.status in ("D", "R"):
        yield "path", change.before
    for word in _words(effect):
        if SHORTEST <= len(word) <= LONGEST:
            yield ("identifier" if is_compound(word) else "word"), word
    for text in effect.literals_removed:
        if SHORTEST <= len(text) <= LONGEST and " " not in text and _SIGN.search(text) and _LETTERS.search(text):
            yield "literal", text


def _words(effect: Effect) -> Iterable[str]:
    """The words that one side has less often. Of data only its keys: what it holds is about anything."""
    if effect.kind == "config" and effect.outlined:
        before, after = ({u.name.rpartition(".")[2] for u in side.units} if side else set() for side in effect.sides)
        return {name for name in before - after if name.isidentifier()}
    return Counter(effect.words_removed) - Counter(effect.words_added)


def is_compound(word: str) -> bool:
    """Whether a word of five characters or more is written as only identifiers are: in camel or snake case."""
    return len(word) > SHORTEST and _COMPOUND.fullmatch(word) is not None


def _found(name: str, form: Form, judged: Judged, places: _Places) -> Vanished:
    change = judged.change
    if form == "path":
        # What could be anything but a path in a text is not written into one.
        moved = change.status == "R" and _PLAIN_PATH.fullmatch(change.path) is not None
        return Vanished(name, form, change.before, 1, change.path if moved else "")
    now = _renamed(name, judged, places) if form == "identifier" else ""
    return Vanished(name, form, change.before, places.first(name), now)


def _renamed(name: str, judged: Judged, places: _Places) -> str:
    """What an identifier is called now: the one word that stands for it where its lines are the same otherwise."""
    found = set()
    for line, hunk in places.of(name):
        if len(line.text) <= LONGEST:
            first, *rest = map(re.escape, re.split(rf"(?<!\w){name}(?!\w)", line.text))
            same = re.compile(rf"{first}(?P<now>[^\W\d]\w*){'(?P=now)'.join(rest)}")
            found |= {match["now"] for added in hunk.added[:COMPARED] if (match := same.fullmatch(added.text))}
    now = found.pop() if len(found) == 1 else ""
    return "" if now in judged.effect.words_removed or now.lower() in KEYWORDS else now
