"""A stranger's text inside GitHub's Markdown: nothing of it becomes a mention, a link, an image or markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from spexsearch.render.escape import inert_within, visible

LONGEST = 200
"""Characters of one name or text that are shown; a longer one loses its middle."""
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_RUNS = re.compile("`+")
# Of words of letters GitHub makes nothing: mentions need @, references # or a digit, links a dot or a colon inside,
# markup and HTML signs of their own. A short number names no commit, and a long word of the letters a to f might.
_PLAIN = re.compile(
    r"""[("']?(?:(?![a-fA-F]{7,}(?!\w))[^\W\d_]+(?:[-'][^\W\d_]+)*|\d{1,6})[)"']?[,;:!?)]*"""
    r"""|[^\W\d_]{2,}\.|[.,;:()–—·…›]"""
)
_PIECE = re.compile(r"`[^`]+`|\S+")
_AROUND = re.compile(r"(\(*)(.*?)([,;:.)]*)", re.DOTALL)
_TYPED = r"Spec-OK:\s*\S.*$|spex-govern --[a-z-]+|(?<=:  )- \S.*$"  # what people are told to type


def shortened(text: str, most: int = LONGEST) -> str:
    """The text with its middle left out where it is longer; of a path the last names stay, if they fit."""
    if len(text) <= most:
        return text
    tail = text[len(text) - most + 1 :]
    if "/" in tail:
        return f"…{tail[tail.index('/') :]}"
    head = most // 3
    return f"{text[:head]}…{text[len(text) - (most - head - 1) :]}"


def shown_short(text: str, most: int = LONGEST) -> str:
    """The text made visible, and shortened; a very long one costs no more than what is shown of it."""
    return shortened(visible(shortened(text, most)), most)


def code(text: str, most: int = LONGEST) -> str:
    """The text as a code span on one line, everything in it as it is shown by `visible`, and no command in a log."""
    shown = inert_within(shown_short(text, most))
    if not shown.strip():
        return "(empty)"
    fence = "`" * (1 + max((len(run) for run in _RUNS.findall(shown)), default=0))
    room = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{room}{shown}{room}{fence}"


def prose(text: str, names: Iterable[str] = (), most: int = 3 * LONGEST, longest: int = LONGEST) -> str:
    """A sentence that quotes a stranger. Plain words stay words; `names`, and whatever is no plain word, become code.

    `most`: characters of the whole. `longest`: of one name in it.
    """
    shown = shown_short(text, most)
    known = sorted(
        {visible(name) for name in names if name.strip() and len(name) <= most}, key=lambda name: (-len(name), name)
    )
    pattern = "|".join([_TYPED, *(rf"(?<![\w/]){re.escape(name)}(?![\w/])" for name in known)])
    pieces: list[str] = []
    at = 0
    for found in re.finditer(pattern, shown):
        name = found[0]
        span = code(name) if name not in known else code(name, longest)
        pieces += [*_words(shown[at : found.start()].removesuffix("`"), longest), span]
        at = found.end() + shown.startswith("`", found.end())
    return _joined([*pieces, *_words(shown[at:], longest)])


def _words(text: str, longest: int) -> list[str]:
    """The text in pieces: plain words as they are, odd ones as code spans, neighbours in one."""
    pieces: list[str] = []
    at = 0
    odd: list[int] = []
    for found in _PIECE.finditer(text):
        if not _PLAIN.fullmatch(found[0]):
            odd = [odd[0] if odd else found.start(), found.end()]
        elif odd:
            pieces += [text[at : odd[0]], *_odd(text[slice(*odd)], longest)]
            at, odd = odd[1], []
    if odd:
        pieces += [text[at : odd[0]], *_odd(text[slice(*odd)], longest)]
        at = odd[1]
    return [*pieces, text[at:]]


def _odd(text: str, longest: int) -> tuple[str, str, str]:
    """A code span, the brackets and stops around it outside, and without backticks of its own around all of it."""
    found = _AROUND.fullmatch(text)
    before, core, after = found.groups() if found and found[2] else ("", text, "")
    inner = core[1:-1]
    bare = core[0] == core[-1] == "`" and inner.strip() and "`" not in inner
    shown = inner if bare else core
    return before, code(shown, LONGEST if " " in shown else longest), after


def _joined(pieces: Sequence[str]) -> str:
    """The pieces in a row; code spans that meet are kept apart, for their fences would grow together."""
    text = ""
    for piece in pieces:
        text += " " + piece if text.endswith("`") and piece.startswith("`") else piece
    return text


def cell(markdown: str) -> str:
    """Markdown as a cell of a table, where a pipe would end it: the backslash before a pipe vanishes there."""
    return markdown.replace("\\|", "\\x5c|").replace("|", "\\|")


def link(label: str, address: str | None) -> str:
    """A link of ours, or the label alone without an address. `label` is Markdown already."""
    return f"[{label}]({address})" if address else label


def path_in_address(path: str) -> str:
    """A path of the repository as part of an address: its very bytes, percent-encoded."""
    return quote(_NO_BYTE.sub("\ufffd", path).encode("utf-8", "surrogateescape"), safe="/")


def fenced(lines: Iterable[str], language: str = "") -> str:
    """Lines as a fenced block, for people to copy."""
    shown = [inert_within(visible(line)) for line in lines]
    fence = "`" * max(3, 1 + max((len(run) for line in shown for run in _RUNS.findall(line)), default=0))
    return "\n".join([fence + language, *shown, fence])
