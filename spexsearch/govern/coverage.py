"""How much of the source the specs reach: claimed, only referred to, or known to nobody."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from spexsearch.specs.claims import ClaimIndex, normal
from spexsearch.specs.model import Relation, SpecTree

Reach = Literal["governed", "referred", "nobody"]
REACHES: tuple[Reach, ...] = ("governed", "referred", "nobody")

# What may stand around a path in prose, a list, a link or code; a path that holds one of these is not found.
_WORD = re.compile(r"[^\s`\"'()<>\[\]{}|,;:*#]+")


class Covered(NamedTuple):
    """One source file and who reaches it. `in_part`: it is governed, but only single units of it are claimed."""

    path: str
    reach: Reach
    in_part: bool = False


class Tally(NamedTuple):
    """Files by who reaches them."""

    governed: int = 0
    referred: int = 0
    nobody: int = 0
    in_part: int = 0

    @property
    def total(self) -> int:
        """Every file, once."""
        return self.governed + self.referred + self.nobody

    @property
    def tenths(self) -> int:
        """Tenths of a percent that are governed, rounded down: only all of it is 100 %."""
        return 1000 * self.governed // self.total if self.total else 0


def coverage(tree: SpecTree, sources: Iterable[str]) -> tuple[Covered, ...]:
    """Who reaches each file, by path."""
    claims = ClaimIndex(tree)
    named = {normal(word.rstrip(".").removeprefix("./")) for spec in tree.specs for word in _WORD.findall(spec.body)}
    return tuple(_covered(claims, named, path) for path in sorted(sources))


def _covered(claims: ClaimIndex, named: set[str], path: str) -> Covered:
    hits = claims.on(path)
    governing = [hit for hit in hits if hit.claim.relation == Relation.CODE]
    if governing:
        return Covered(path, "governed", in_part=all(hit.how == "unit" for hit in governing))
    return Covered(path, "referred" if hits or normal(path) in named else "nobody")


def tally(files: Iterable[Covered]) -> Tally:
    """How many there are of each."""
    found = list(files)
    governed, referred, nobody = (sum(file.reach == reach for file in found) for reach in REACHES)
    return Tally(governed, referred, nobody, in_part=sum(file.in_part for file in found))


def by_folder(files: Iterable[Covered], depth: int) -> dict[str, Tally]:
    """The tallies of the folders that are `depth` deep, or less where files stand higher; "" is the root."""
    folders: dict[str, list[Covered]] = {}
    for file in files:
        folders.setdefault("/".join(file.path.split("/")[:-1][:depth]), []).append(file)
    return {folder: tally(folders[folder]) for folder in sorted(folders)}
