"""Recorded learnings ranked: what may appear is one question, in which order another, and they are answered apart."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from heapq import nsmallest
from itertools import chain
from math import inf
from pathlib import Path
from time import time
from typing import NamedTuple

from spexsearch.errors import InputError, UsageError
from spexsearch.floor.collector import collector_off
from spexsearch.floor.learning_rows import (
    MAX_STORE,
    LeftOut,
    Place,
    Placing,
    Project,
    Row,
    Wanted,
    moment,
    row_of,
    text,
    texts,
)
from spexsearch.floor.whole_words import query_tokens, stands_in, whole_word

TYPES = ("pattern", "pitfall", "preference", "architecture", "tool", "operational", "investigation")
SHOWN = 10
"""Learnings that are given unless asked otherwise."""

_MOST, _UNSAID = 10, 5  # the highest confidence, and the one that the gstack tools give to a row without any
_MONTH = 30 * 86_400
_FADING = ("observed", "inferred")


class Stores(NamedTuple):
    """The files that hold learnings: those of this project, which count as one, and those of other projects."""

    own: tuple[Path, ...]
    others: tuple[Path, ...] = ()


class LearningHit(NamedTuple):
    """One learning. `confidence` is what is left of it; `source` and `ts`, its date, are None where it has none."""

    key: str
    type: str
    insight: str
    confidence: int | float
    source: str | None
    ts: str | None
    files: tuple[str, ...]
    cross_project: bool


class Found(NamedTuple):
    """The first learnings, and how many there are in all.

    `left_out`: the files with lines that give no row. `unread`: why stores of other projects could not be read.
    """

    hits: tuple[LearningHit, ...]
    matched: int
    left_out: Mapping[Path, LeftOut]
    unread: tuple[str, ...]


def search_learnings(
    stores: Path | Stores, query: str = "", limit: int = SHOWN, *, type_: str | None = None, now: float | None = None
) -> list[LearningHit]:
    """The first `limit` learnings for a query, best first; for one without words the first of all.

    `stores`: a store's file, or several as `Stores`; one that is not there has no rows. `type_`: one of `TYPES`. `now`:
    seconds since 1970, by which confidence decays; without it, `current_time`. Raises InputError where a store of this
    project cannot be read, UsageError for a limit below 1.
    """
    several = Stores((stores,)) if isinstance(stores, Path) else stores
    return list(find_learnings(several, query, limit, type_, now).hits)


def find_learnings(
    stores: Stores, query: str = "", limit: int = SHOWN, type_: str | None = None, now: float | None = None
) -> Found:
    """As `search_learnings`, and what else there is to say."""
    if limit < 1:
        raise UsageError(f"the limit {limit} is no number from 1 on")
    clock = current_time() if now is None else now
    words = [(token, whole_word(token)) for token in query_tokens(query)]
    search = _Search(words, type_, clock, limit)
    found = first_learnings(stores, search.place, limit, clock)
    if search.is_settled_by(found.hits):
        return found
    return first_learnings(stores, _Search(words, type_, clock, inf).place, limit, clock)


class _Search:
    """One query on its way through the rows of the stores.

    A row that says less than `enough` others is passed over: no more is asked of it. That is not the last word, for
    newer rows may take the place of those others.
    """

    def __init__(
        self, words: Sequence[tuple[str, re.Pattern[str]]], type_: str | None, now: float, enough: float
    ) -> None:
        self.words, self.type, self.now, self.enough = words, type_, now, enough
        self.least, self.saying = 0, [0] * (len(words) + 1)
        self.passed_over = -1

    def place(self, key: str, type_: str, row: Row, another: bool) -> Place | None:
        """A `Placing`: what a row says, what it is about, whose it is, how sure it is, how new."""
        if self.type is not None and self.type != type_:
            return None
        words, least = self.words, self.least
        insight = text(row.get("insight")).casefold()
        recalled, said, about = not words, 0, 0
        for token, word in words:
            if token in insight:
                recalled, said = True, said + stands_in(word, insight)
        if words and (said >= least or not recalled):
            files = row.get("files")
            # No token holds the line feeds that keep the names apart.
            names = "\n".join([key, *texts(files)] if files else [key]).casefold()
            for token, word in words:
                if token in names:
                    recalled, about = True, about + stands_in(word, names)
        if not recalled:
            return None
        if said < least:
            self.passed_over = max(self.passed_over, said)
            return ()
        if least < len(words):
            self._count(said)
        when = moment(row.get("ts"))
        return -said, -about, another, -confidence_left(row, when, self.now), -when

    def _count(self, said: int) -> None:
        self.saying[said] += 1
        if said > self.least and sum(self.saying[self.least + 1 :]) >= self.enough:
            self.least += 1

    def is_settled_by(self, hits: Sequence[LearningHit]) -> bool:
        """Whether each of the first says more than any row that was passed over."""
        if self.passed_over < 0:
            return True
        if len(hits) < self.enough:
            return False
        last = hits[-1].insight.casefold()
        return sum(stands_in(word, last) for _, word in self.words) > self.passed_over


@collector_off()
def first_learnings(stores: Stores, place: Placing, limit: int, now: float, most: int = MAX_STORE) -> Found:
    """The rows that `place` wants, in its order and then by key and type; `now` is when their confidence is told.

    A row of another project stands beside that of this one with its key and type, whatever their age; only trusted ones
    do. Raises InputError where a store of this project is larger than `most` bytes or cannot be read.
    """
    left_out: dict[Path, LeftOut] = {}
    unread: list[str] = []
    projects = [Project(place)]
    for path in stores.own:
        left_out[path] = projects[0].read(path, most)
    for path in stores.others:
        projects.append(Project(place, another=True))
        try:
            left_out[path] = projects[-1].read(path, most)
        except InputError as error:
            unread.append(str(error))
    first = nsmallest(limit, chain.from_iterable(project.wanted() for project in projects))
    return Found(
        tuple([_hit(row, now) for row in first]),
        sum(project.count() for project in projects),
        {path: told for path, told in left_out.items() if told.rows},
        tuple(unread),
    )


def confidence_left(row: Row, when: float, now: float) -> int | float:
    """From 0 to 10: observed and inferred rows lose 1 for each 30 days. A number that is written as a text is one."""
    held = row.get("confidence")
    if type(held) is not int or not 0 <= held <= _MOST:
        held = _stated(held)
    if row.get("source") in _FADING and -inf < when < now:
        held = max(0, held - int((now - when) // _MONTH))
    return held


def _stated(value: object) -> int | float:
    """The confidence that a value says, which is no whole number from 0 to 10, as far as it says one."""
    if isinstance(value, str):
        with suppress(ValueError):
            value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return _UNSAID
    bounded = min(max(value, 0), _MOST)
    return int(bounded) if bounded == int(bounded) else bounded


def _hit(row: Wanted, now: float) -> LearningHit:
    _, key, type_, line, another = row
    stored = row_of(line)
    when = moment(stored.get("ts"))
    return LearningHit(
        key,
        type_,
        text(stored.get("insight")),
        confidence_left(stored, when, now),
        text(stored.get("source")) or None,
        text(stored.get("ts")) if when > -inf else None,
        tuple(texts(stored.get("files"))),
        another,
    )


def current_time() -> float:
    """Now, in seconds since 1970, or `SOURCE_DATE_EPOCH` where it is set. UsageError where that is no such number."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    if not fixed:
        return time()
    if not re.fullmatch("[0-9]{1,11}", fixed):
        raise UsageError(f"SOURCE_DATE_EPOCH is {fixed!r}, not a number of seconds since 1970; mend it or unset it")
    return int(fixed)
