"""Whether a word stands in a text as a whole word, in any script. Texts and tokens are case-folded."""

from __future__ import annotations

import re
from unicodedata import combining

_MOST_MARKS = 30  # on one letter, as in Unicode's stream-safe format; without a bound a row of marks costs its square


def query_tokens(query: str) -> list[str]:
    """What blanks separate in a query, case-folded, each once, in order."""
    return list(dict.fromkeys(query.casefold().split()))


def whole_word(token: str) -> re.Pattern[str]:
    """The pattern of a token, or of the token with s, es, d, ed or ing behind it, for `stands_in`."""
    written = re.escape(token)
    # That no word goes on into it is asked behind the token, so that the search is one for a plain text.
    before = f"(?<![a-z0-9]{written})" if _is_of_word(token, 0) else ""
    behind = "(?:s|es|d|ed|ing)?(?![a-z0-9])" if _is_of_word(token, len(token) - 1) else ""
    return re.compile(written + before + behind)


def stands_in(word: re.Pattern[str], text: str) -> bool:
    """Whether a token, given by its `whole_word`, is a whole word of a text.

    Words are of cased letters and decimal digits, with their accents. All else separates: letters of a script without
    case too, so that a token of those is a word wherever it stands.
    """
    found = word.search(text)
    if found is None or text.isascii():
        return found is not None
    while found is not None:
        if not any(_is_of_word(text, at - 1) and _is_of_word(text, at) for at in found.span() if 0 < at < len(text)):
            return True
        found = word.search(text, found.start() + 1)
    return False


def _is_of_word(text: str, at: int) -> bool:
    if text[at].isascii():
        return text[at].isalnum()
    for char in reversed(text[max(0, at - _MOST_MARKS) : at + 1]):
        if not combining(char):
            return char.lower() != char.upper() or char.isdecimal()
    return False
