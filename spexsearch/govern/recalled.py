"""Recorded learnings that a change calls up: they name one of its files, or speak of one of its units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from re import Pattern
from typing import NamedTuple

from spexsearch.floor.learning_rows import Place, Row, moment, text, texts
from spexsearch.floor.learnings import Stores, confidence_left, current_time, first_learnings
from spexsearch.floor.tokens import identifier_parts, is_telling
from spexsearch.floor.whole_words import stands_in, whole_word
from spexsearch.govern.report import Recalled, ReportedChange
from spexsearch.govern.source.languages import KEYWORDS
from spexsearch.specs.claims import normal

MAX_STORE = 32 << 20
"""Bytes. A larger store is not read at a commit."""
NO_CODE = ("spec", "generated", "doc")
"""Kinds of file whose units call nothing up."""
MAX_NAMES = 100
"""Changed units that are asked for. Whoever changes more is not met by one pitfall."""


def recalled(changes: Sequence[ReportedChange], stores: Iterable[Path], most: int) -> tuple[Recalled, ...]:
    """At most so many learnings of a project's stores: those that name most of the files first, then most of the units.

    Raises InputError where a store cannot be read, or is larger than `MAX_STORE`.
    """
    now = current_time()
    paths = {normal(path) for change in changes for path in (change.path, change.old_path) if path}
    units = (unit for change in changes if change.kind not in NO_CODE for unit in change.units)
    names = _names(units)

    def place(key: str, type_: str, row: Row, another: bool) -> Place | None:
        files = len(paths.intersection(normal(path.removeprefix("./")) for path in texts(row.get("files"))))
        insight = text(row.get("insight")).casefold()
        said = sum(name.probe in insight and name.is_called_in(insight) for name in names)
        when = moment(row.get("ts"))
        return (-files, -said, -confidence_left(row, when, now), -when) if files or said else None

    found = first_learnings(Stores(tuple(stores)), place, most, now, MAX_STORE)
    return tuple(Recalled(hit.key, hit.type, hit.insight, hit.confidence) for hit in found.hits)


class _Name(NamedTuple):
    """The name of a unit without what it stands in: as it is written, and its parts where it has several.

    `probe` is in every insight that calls it.
    """

    probe: str
    whole: Pattern[str]
    parts: tuple[Pattern[str], ...]

    def is_called_in(self, insight: str) -> bool:
        """Whether a case-folded insight holds the name, or all its parts, as whole words."""
        if stands_in(self.whole, insight):
            return True
        return bool(self.parts) and all(stands_in(part, insight) for part in self.parts)


def _names(units: Iterable[str]) -> list[_Name]:
    """The names of units, each once; one of a single word only where that says something."""
    names = []
    for written in list(dict.fromkeys(unit.rpartition(".")[2].strip("_") for unit in units))[:MAX_NAMES]:
        word = written.casefold()
        parts = [part for part in identifier_parts(written)[:-1] if len(part) > 1]
        if len(parts) > 1:
            names.append(_Name(max(parts, key=len), whole_word(word), tuple(whole_word(part) for part in parts)))
        elif is_telling(word) and word not in KEYWORDS:
            names.append(_Name(word, whole_word(word), ()))
    return names
