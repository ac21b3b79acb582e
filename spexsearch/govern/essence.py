"""What the text of a spec says: its statements, without layout, markup and the order in which they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from unicodedata import normalize

from spexsearch.specs.drawn import CELL, Statement, drawn, drawn_words, visible_only
from spexsearch.specs.model import Spec

# One sign in several drawings.
_TYPOGRAPHY = str.maketrans(
    {**dict.fromkeys("“”„«»″", '"'), **dict.fromkeys("‘’‚′", "'"), **dict.fromkeys("–—‑‐−", "-"), "…": "..."}
)
# The pause after a word; in code a sign is part of a name.
_PAUSE = re.compile(r"(?<=[\w)\]}\"'%\x02])[.,;:!?]+(?=\s|$)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_CODE_BEGINS, _CODE_ENDS = "\x01", "\x02"
# A sentence without a word, a digit or code is a pause, however many signs it has.
_TELLING = re.compile(rf"[^\W_]|{_CODE_BEGINS}")


class Essence(NamedTuple):
    """What a text says: all of it in one, and statement by statement."""

    whole: str
    statements: frozenset[str]

    def is_that_of(self, other: Essence) -> bool:
        """Whether two texts say the same: broken into other lines and blocks, or the same statements elsewhere."""
        return self.whole == other.whole or self.statements == other.statements


def essence(markdown: str) -> Essence:
    """What a Markdown text says. White space, markup, typography and pauses say nothing."""
    said = [part for statement in drawn(markdown) for part in _parts(statement)]
    return Essence("".join(said), frozenset(filter(None, said)))


def _parts(statement: Statement) -> Iterable[str]:
    text = "".join(f"{_CODE_BEGINS}{piece}{_CODE_ENDS}" if code else piece for piece, code in statement.pieces)
    for part in [text] if statement.ordered else _SENTENCE.split(text):
        if _TELLING.search(part):
            yield _bare(_PAUSE.sub("", normalize("NFC", part).translate(_TYPOGRAPHY)))


def _bare(text: str) -> str:
    return "".join(char for char in text if char == CELL or (char.isprintable() and not char.isspace()))


def title_of(spec: Spec) -> str:
    """The title that a spec gives itself: one without is called after its folder, and that says nothing."""
    title = spec.fields.get("title", "")
    return title if isinstance(title, str) else spec.title


def says_the_same(old: Spec, new: Spec) -> bool:
    """Whether title, desc and body of two specs say the same."""
    # A title is a line and no Markdown, but what is not drawn of it says nothing either.
    pairs = ((title_of(old), title_of(new)), (old.desc, new.desc), (old.body, new.body))
    return all(one == other or essence(one).is_that_of(essence(other)) for one, other in pairs)


def said_words(spec: Spec) -> str:
    """All the words that a reader sees of a spec."""
    return "\n".join([visible_only(title_of(spec)), drawn_words(spec.desc), drawn_words(spec.body)])
