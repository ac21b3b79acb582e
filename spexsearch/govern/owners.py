"""Who governs a path: the claims on it, and where there is none, the specs nearest to its words."""

from __future__ import annotations

from functools import cached_property
from itertools import product
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from spexsearch.floor.nodes import NodeHit, search_nodes
from spexsearch.floor.section_index import SectionIndex
from spexsearch.floor.tokens import identifier_parts
from spexsearch.specs.claims import ClaimHit, ClaimIndex
from spexsearch.specs.model import Relation, SpecTree

if TYPE_CHECKING:
    from spexsearch.govern.units import Outline

_GUESSES = 3
# A generated file defines thousands of units, and the first hundred say what it is about.
_MAX_UNITS = 100


class Place(NamedTuple):
    """A path that is asked about, perhaps one unit of it: repository-relative, POSIX, "" for the root.

    `data` is None for all that is no regular file, or too large to look at.
    """

    path: str
    symbol: str | None = None
    exists: bool = False
    is_folder: bool = False
    data: bytes | None = None


class Ownership(NamedTuple):
    """Who governs a place. `guesses` are made where no claim governs it; `elsewhere` holds claims on other units of it.

    `symbol_exists` is None where no symbol was asked for, or the file has no units to look among.
    """

    place: Place
    symbol_exists: bool | None
    governing: tuple[ClaimHit, ...]
    related: tuple[ClaimHit, ...]
    elsewhere: tuple[ClaimHit, ...]
    guesses: tuple[NodeHit, ...]


class Owners:
    """Answers for the paths of one spec tree."""

    def __init__(self, tree: SpecTree) -> None:
        self._tree = tree
        self._claims = ClaimIndex(tree)

    @cached_property
    def _index(self) -> SectionIndex:
        return SectionIndex.build(self._tree.specs)

    def of(self, place: Place) -> Ownership:
        """Who governs a place."""
        units = _Units(place)
        # A claim on a folder is about what is in it: the folder is asked about as if it were something in itself.
        hits = self._claims.on(f"{place.path}/" if place.is_folder else place.path)
        here = [hit for hit in hits if units.meet(place.symbol, hit.claim.symbol)]
        governing = tuple(hit for hit in here if hit.claim.relation == Relation.CODE)
        return Ownership(
            place=place,
            symbol_exists=None if place.symbol is None or units.outline is None else bool(units.named(place.symbol)),
            governing=governing,
            related=tuple(hit for hit in here if hit.claim.relation == Relation.RELATED),
            elsewhere=tuple(hit for hit in hits if hit not in here),
            guesses=() if governing else tuple(self._guess(units)),
        )

    def _guess(self, units: _Units) -> list[NodeHit]:
        path = PurePosixPath(units.place.path)
        names = [*path.parent.parts, path.stem, *units.names]
        return search_nodes(self._index, " ".join(part for name in names for part in identifier_parts(name)), _GUESSES)


class _Units:
    """The units of a place, parsed when they are first needed."""

    def __init__(self, place: Place) -> None:
        self.place = place

    @cached_property
    def outline(self) -> Outline | None:
        if self.place.data is None:
            return None
        from spexsearch.govern.units import outline

        return outline(self.place.path, self.place.data)

    @property
    def names(self) -> list[str]:
        return [unit.name for unit in self.outline.units[:_MAX_UNITS]] if self.outline else []

    def named(self, symbol: str) -> set[str]:
        """The qualified names of the units that a symbol means."""
        return {unit.name for unit in self.outline.find(symbol)} if self.outline else set()

    def meet(self, asked: str | None, claimed: str | None) -> bool:
        """Whether a claim is on what is asked: the whole file, the same unit, one around it, or one in it."""
        if asked is None or claimed is None or asked == claimed:
            return True
        # A symbol that names nothing here, or cannot be looked up, is compared as written.
        pairs = product(self.named(asked) or {asked}, self.named(claimed) or {claimed})
        return any(f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.") for one, other in pairs)
