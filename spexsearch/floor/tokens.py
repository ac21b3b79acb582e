"""The only tokeniser, stemmer and stop list of the project."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Kana, Han. One class of these four ranges would take twice as long to compile, at each start.
_CJK = "[\u3040-\u30ff\u3400-\u4dbf]|[\u4e00-\u9fff\uf900-\ufaff]"
_WORD = re.compile(f"[a-z0-9]+|{_CJK}")
_IDENTIFIER_PART = re.compile("[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\x00-\x7f]")
_STOP_LIST = (
    "the a an and or of to in on is it its as at by for how does do what which that this these those with from into"
    " are be can just them they their so if not no but vs us we you"
)
STOP_WORDS = frozenset(_STOP_LIST.split())
_ASCII_WORD_BYTES = bytes(ord("a") if chr(byte).isalnum() and byte < 128 else ord(" ") for byte in range(256))
# Where `str.split` and the whitespace of the ranking rules differ.
_ODD_SPACES = "\x1c\x1d\x1e\x1f\x85\ufeff"
_SPACES = re.compile("[\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")

# A word begins another word that is being asked for from this length on: "ses" may stand for "session", "se" may not.
SHORTEST_BEGINNING = 3


def words(text: str) -> list[str]:
    """Every word of a text, in order: runs of a-z and 0-9 of the lower-cased text, each Han or kana character apart."""
    return _WORD.findall(text.lower())


def query_terms(query: str) -> list[str]:
    """The words of a query that are searched for, each once: no stop words, no single ASCII characters."""
    return list(dict.fromkeys(word for word in words(query) if not word.isascii() or _is_telling(word)))


def _is_telling(word: str) -> bool:
    return len(word) > 1 and word not in STOP_WORDS


def stem(term: str) -> str:
    """A term without its plural s (from four letters on, not -ss), then without a final e (from five on).

    The stem is always a beginning of the term.
    """
    if len(term) >= 4 and term.endswith("s") and not term.endswith("ss"):
        term = term[:-1]
    if len(term) >= 5 and term.endswith("e"):
        term = term[:-1]
    return term


def word_matches(word: str, term: str) -> bool:
    """Whether a word of a text answers a term: it starts with the term's stem, or is itself a beginning of the term."""
    return word.startswith(stem(term)) or (len(word) >= SHORTEST_BEGINNING and term.startswith(word))


def match_spans(text: str, terms: Sequence[str]) -> list[tuple[int, int]]:
    """Where a text's words answer any of the terms: (start, end) of whole words, in order, neighbours joined."""
    spans: list[tuple[int, int]] = []
    # The dotted capital I alone lower-cases to two characters, which would shift every offset behind it.
    for found in _WORD.finditer(text.replace("\u0130", "i").lower()):
        if not any(word_matches(found[0], term) for term in terms):
            continue
        if spans and spans[-1][1] == found.start():
            spans[-1] = (spans[-1][0], found.end())
        else:
            spans.append(found.span())
    return spans


def identifier_parts(identifier: str) -> tuple[str, ...]:
    """An identifier's parts (camelCase, snake_case, kebab-case, digits) and their joined form.

    Lower-cased, each once, in order: `renameSession2` gives rename, session, 2, renamesession2.
    """
    parts = [word for part in _IDENTIFIER_PART.findall(identifier) for word in words(part)]
    return tuple(dict.fromkeys([*parts, "".join(parts)])) if parts else ()


def count_ascii_words(text: str) -> int:
    """How many runs of ASCII letters and digits a text holds."""
    return (b" " + text.encode("utf-8", "surrogatepass").translate(_ASCII_WORD_BYTES)).count(b" a")


def flatten(text: str) -> str:
    """A text on one line: every run of whitespace one space, none at the ends."""
    if any(space in text for space in _ODD_SPACES):
        return _SPACES.sub(" ", text).strip(" ")
    return " ".join(text.split())
