"""The only tokeniser, stemmer and stop list of the project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

# Kana, Han. One class of these four ranges would take twice as long to compile, at each start.
_CJK = "[\u3040-\u30ff\u3400-\u4dbf]|[\u4e00-\u9fff\uf900-\ufaff]"
_WORD = re.compile(f"[a-z0-9]+|{_CJK}")
_IDENTIFIER_PART = re.compile("[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\x00-\x7f]")
_STOP_LIST = (
    "the a an and or of to in on is it its as at by for how does do what which that this these those with from into"
    " are be can just them they their so if not no but vs us we you"
)
STOP_WORDS = frozenset(_STOP_LIST.split())
_UNTELLING = STOP_WORDS.union(map(chr, range(128)), [""])
_COMPOUND_END = re.compile(b"[A-Za-z0-9_-]*")
_CJK_CHARACTER = re.compile(_CJK)
_VOWEL = re.compile("[aeiou]|(?<=.)y")
_VOWEL_AND_CONSONANT = re.compile("(?:[aeiou]|(?<=[^aeiou])y)[^aeiou]")
_BEFORE_LY = frozenset("cdeghkmnrt")
_PARTIAL_ING = ("in", "i")
# Splitting bytes is four times as fast as a pattern.
_COMPOUND_BYTES = bytes(
    byte if chr(byte) in "-_" or (chr(byte).isalnum() and byte < 128) else 32 for byte in range(256)
)
_COMPOUND_BYTES_BY_LINE = bytes(byte if byte == ord("\n") else kept for byte, kept in enumerate(_COMPOUND_BYTES))
_COMPOUND_CODES = frozenset(_COMPOUND_BYTES) - {32}
# In UTF-8 every Han or kana character begins with a byte that is not among these.
_NOT_CJK_BYTES = bytes(byte for byte in range(256) if not (0xE3 <= byte <= 0xE9 or byte == 0xEF))
_NOT_TELLING = frozenset(["-", "--", "---", "_"]).union(
    written
    for word in (*STOP_WORDS, *"abcdefghijklmnopqrstuvwxyz0123456789")
    for written in (word, word.capitalize(), word.upper())
)
_ASCII_WORD_BYTES = bytes(ord("a") if chr(byte).isalnum() and byte < 128 else ord(" ") for byte in range(256))
# Where `str.split` and the whitespace of the ranking rules differ.
_ODD_SPACES = "\x1c\x1d\x1e\x1f\x85\ufeff"
_SPACES = re.compile("[\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")

# A word begins another word that is being asked for from this length on: "ses" may stand for "session", "se" may not.
SHORTEST_BEGINNING = 3


def words(text: str) -> list[str]:
    """Every word of a text, in order: runs of a-z and 0-9 of the lower-cased text, each Han or kana character apart."""
    return _WORD.findall(text.lower())


def words_from(low: str, start: int) -> Iterator[str]:
    """The words of a lower-cased text from an offset on, one by one."""
    return (found[0] for found in _WORD.finditer(low, start))


def query_terms(query: str) -> list[str]:
    """The words of a query that are searched for, each once: no stop words, no single ASCII characters."""
    return list(dict.fromkeys(word for word in words(query) if is_telling(word)))


def is_telling(word: str) -> bool:
    """Whether a word says anything about a subject: it is no stop word and no single ASCII character."""
    return word not in _UNTELLING


def stem(term: str) -> str:
    """A term without its plural s (from four letters on, not -ss), then without a final e (from five on).

    The stem is always a beginning of the term.
    """
    if len(term) >= 4 and term.endswith("s") and not term.endswith("ss"):
        term = term[:-1]
    if len(term) >= 5 and term.endswith("e"):
        term = term[:-1]
    return term


def identifier_parts(identifier: str) -> tuple[str, ...]:
    """An identifier's parts (camelCase, snake_case, kebab-case, digits) and their joined form.

    Lower-cased, each once, in order: `renameSession2` gives rename, session, 2, renamesession2.
    """
    parts = [word for part in _IDENTIFIER_PART.findall(identifier) for word in words(part)]
    return tuple(dict.fromkeys([*parts, "".join(parts)])) if parts else ()


def compounds(text: str) -> list[str]:
    """The telling words of a text as they are written; what capitals, `-` and `_` join is one word.

    In order, but Han and kana characters behind the rest.
    """
    data = text.encode("utf-8", "surrogatepass")
    written = data.translate(_COMPOUND_BYTES).decode("ascii").split()
    if data.translate(None, _NOT_CJK_BYTES):
        written += _CJK_CHARACTER.findall(text)
    return [word for word in written if word not in _NOT_TELLING]


def note_compounds(text: str, first: int, found: Mapping[str, list[int]]) -> int:
    """Add to each of the `compounds` of a text the number of its line, counted from `first`; how many there are.

    `found` gives a list for any word.
    """
    data = text.encode("utf-8", "surrogatepass")
    count = 0
    for number, line in enumerate(data.translate(_COMPOUND_BYTES_BY_LINE).decode("ascii").split("\n"), first):
        written = line.split()
        telling = len(written)
        for word in written:
            if word in _NOT_TELLING:
                telling -= 1
            else:
                found[word].append(number)
        count += telling
    if data.translate(None, _NOT_CJK_BYTES):
        for number, line in enumerate(text.split("\n"), first):
            for word in _CJK_CHARACTER.findall(line):
                found[word].append(number)
                count += 1
    return count


def compound_at(data: bytes, at: int) -> tuple[int, int]:
    """Where the written word around an offset starts and ends, in UTF-8: the character there at least."""
    start, end = at, at + 1
    if data[at] < 128:
        end = max(end, _COMPOUND_END.match(data, at).end())  # type: ignore[union-attr]
        while start > 0 and data[start - 1] in _COMPOUND_CODES:
            start -= 1
    else:
        while end < len(data) and 128 <= data[end] < 192:
            end += 1
    return start, end


def ascii_lowered(text: str) -> str:
    """A text with its ASCII letters in lower case, character by character; many times as fast as `str.lower`."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def telling_forms(compound: str) -> tuple[str, ...]:
    """The words by which one of the `compounds` can be found: its parts and their joined form, as `identifier_parts`.

    Those among them that are telling.
    """
    # Most words of prose are one part, most identifiers in it small letters: a pattern would take three times as long.
    if compound.isalpha() and (compound.islower() or compound[1:].islower()):
        form = compound.lower()
        return () if form in _UNTELLING else (form,)
    joined = compound.replace("-", "").replace("_", "")
    if joined.isalpha() and (joined.islower() or joined[1:].islower()):
        joined = joined.lower()
        parts = compound.lower().replace("_", "-").split("-")
    else:
        parts = [part.lower() for part in _IDENTIFIER_PART.findall(compound)]
        joined = "".join(parts)
    return tuple([form for form in dict.fromkeys([*parts, joined]) if form not in _UNTELLING])


def query_words(query: str) -> list[str]:
    """The words of a query for sections, each once: its identifiers' parts and joined forms, in order."""
    return list(dict.fromkeys(form for compound in compounds(query) for form in telling_forms(compound)))


def root(word: str) -> str:
    """What the inflected forms of a lower-case word have in common; only endings that change no meaning are taken off.

    Step 1 of Porter ("An algorithm for suffix stripping", 1980), Snowball's -ly (from four letters before it on), and
    a final e: `renaming`, `renamed` and `rename` have one root, `isolation` and `isolate` do not.
    """
    if len(word) < 3 or word[-1] not in "sdgye":
        return word
    word = _without_past_or_ing(_without_plural(word))
    if word[-1] == "y" and _VOWEL.search(word, 0, len(word) - 1):
        word = word[:-2] if len(word) > 5 and word[-2] == "l" and word[-3] in _BEFORE_LY else word[:-1] + "i"
    return word[:-1] if len(word) > 2 and word[-1] == "e" else word


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past_or_ing(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _VOWEL_AND_CONSONANT.search(word, 0, len(word) - 3) else word
    cut = 2 if word.endswith("ed") else 3 if word.endswith("ing") else 0
    if not cut or not _VOWEL.search(word, 0, len(word) - cut):
        return word
    word = word[:-cut]
    # The e that Porter puts back here would be the final e that goes in the end.
    return word[:-1] if len(word) > 2 and word[-1] == word[-2] and word[-1] not in "aeioulsz" else word


def partial_root(word: str) -> str | None:
    """The root that a word extends if it begins an -ing form: `renami` and `renamin` give that of rename."""
    for ending in _PARTIAL_ING:
        if word.endswith(ending) and len(word) > len(ending) + 2 and _VOWEL.search(word, 0, len(word) - len(ending)):
            return root(f"{word[: -len(ending)]}ing")
    return None


def count_ascii_words(text: str) -> int:
    """How many runs of ASCII letters and digits a text holds."""
    return (b" " + text.encode("utf-8", "surrogatepass").translate(_ASCII_WORD_BYTES)).count(b" a")


def flatten(text: str) -> str:
    """A text on one line: every run of whitespace one space, none at the ends."""
    if any(space in text for space in _ODD_SPACES):
        return _SPACES.sub(" ", text).strip(" ")
    return " ".join(text.split())
