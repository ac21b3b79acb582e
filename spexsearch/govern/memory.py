"""What one judgement has worked out and the next may need again."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from spexsearch.govern.units import outline

if TYPE_CHECKING:
    from spexsearch.floor.passages import PassageMemory

OUTLINES = 1024
"""Outlines that are kept: what a few dozen neighbouring changes look at. One takes some ten times its text."""


class Memory:
    """Handed to check after check of one repository. It changes no answer: what it keeps is pure, and keyed by content.

    A single check has no use for one. `runs`: blob -> its runs of word characters.
    """

    def __init__(self) -> None:
        """Nothing is known yet."""
        self.runs: dict[str, frozenset[bytes]] = {}
        self.outline = lru_cache(maxsize=OUTLINES)(outline)

    @cached_property
    def passages(self) -> PassageMemory:
        """Specs that were cut into passages."""
        from spexsearch.floor.passages import PassageMemory

        return PassageMemory()
