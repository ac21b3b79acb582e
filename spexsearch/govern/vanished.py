"""Changes -> names that a change takes from the code, and that specs still say: identifiers, literals, words, paths."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from spexsearch.govern.holds import Judged
from spexsearch.govern.significance import Effect
from spexsearch.govern.source.languages import KEYWORDS
from spexsearch.specs.model import Spec

Source = Callable[[frozenset[str], bool], frozenset[str]]
"""(names, whole) -> those of them that stand anywhere in the source of the head, documents and specs apart.

`whole`: as whole words, else as any part of the text.
"""

Form = Literal["identifier", "path", "literal", "word"]

SHORTEST, LONGEST = 4, 200
"""Characters of a name: a shorter one may mean anything, and nobody quotes a longer one."""
MAX_ASKED = 500
"""Names of each form that are looked up in the source: a change that takes more away deletes whole programs."""
COMPARED = 100
"""Lines of each side on which a new name is looked for."""

_COMPOUND = re.compile(r"\w+[^\W_]_+[^\W_]\w*|\w*[a-z0-9][A-Z]\w*")
_LETTERS = re.compile(r"[^\W\d_]{3}")
_SIGN = re.compile(r"[^\w\s]")
# Splitting bytes is many times as fast as a pattern.
_WORD_BYTES = bytes(byte if byte > 127 or chr(byte).isalnum() or byte == ord("_") else 32 for byte in range(256))
_SPAN = re.compile(r"`([^`\n]{1,400})`")


@dataclass(frozen=True, slots=True)
class Vanished:
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
        if self.form == "identifier" or (self.form == "path" and _SIGN.search(self.name)):
            return stands_in(self.name, text)
        return self.name in text and any(stands_in(self.name, span) for span in _SPAN.findall(text))

    def is_code_in(self, text: str) -> bool:
        """Whether a text says it right behind a backtick."""
        return f"`{self.name}" in text and stands_in(self.name, text)

    def lines_in(self, spec: Spec) -> list[int]:
        """The lines of a spec's file on which its body says the name."""
        if self.name not in spec.body:
            return []
        return [number for number, line in enumerate(spec.body.split("\n"), spec.body_line) if self.is_said_by(line)]

    def brought_up_to_date(self, line: str) -> str:
        """A line with what the name is now in its place."""
        return _whole(self.name).sub(lambda _: self.now, line)


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
    spoken = _spoken(specs) if lost else frozenset()
    lost = {key: judged for key, judged in lost.items() if spoken.issuperset(_runs(key[1]))}
    found = []
    for form in ("identifier", "literal", "path", "word"):
        names = sorted(name for of, name in lost if of == form)
        told = [_found(name, form, lost[form, name]) for name in names]
        said = [gone for gone in told if any(gone.is_said_by(spec.body) for spec in specs)][:MAX_ASKED]
        standing = _standing(said, form, source)
        found += [gone for gone in said if gone.name not in standing]
    return tuple(found)


def _spoken(specs: Iterable[Spec]) -> frozenset[bytes]:
    """Every run of letters, digits and `_` in the bodies."""
    return frozenset().union(*(_runs(spec.body) for spec in specs))


def runs(data: bytes) -> list[bytes]:
    """Every run of letters, digits and `_`, of characters beyond ASCII too, in order."""
    return data.translate(_WORD_BYTES).split()


def _runs(text: str) -> list[bytes]:
    return runs(text.encode("utf-8", "surrogateescape"))


def _standing(said: Sequence[Vanished], form: Form, source: Source | None) -> frozenset[str]:
    names = frozenset(gone.name for gone in said)
    if not names or form == "path":
        return frozenset()
    return names if source is None else source(names, form != "literal")


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


def _found(name: str, form: Form, judged: Judged) -> Vanished:
    change = judged.change
    if form == "path":
        return Vanished(name, form, change.before, 1, change.path if change.status == "R" else "")
    line = next((line.number for line in change.removed if stands_in(name, line.text)), 1)
    return Vanished(name, form, change.before, line, _renamed(name, judged) if form == "identifier" else "")


def _renamed(name: str, judged: Judged) -> str:
    """What an identifier is called now: the one word that stands for it where its lines are the same otherwise."""
    lost = [(line, hunk) for hunk in judged.change.hunks for line in hunk.removed if stands_in(name, line.text)]
    found = set()
    for line, hunk in lost[:COMPARED]:
        if len(line.text) <= LONGEST:
            first, *rest = map(re.escape, re.split(rf"(?<!\w){name}(?!\w)", line.text))
            same = re.compile(rf"{first}(?P<now>[^\W\d]\w*){'(?P=now)'.join(rest)}")
            found |= {match["now"] for added in hunk.added[:COMPARED] if (match := same.fullmatch(added.text))}
    now = found.pop() if len(found) == 1 else ""
    return "" if now in judged.effect.words_removed or now.lower() in KEYWORDS else now
