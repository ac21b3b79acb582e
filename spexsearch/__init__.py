"""Holds a change against the specs that govern its code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spexsearch.floor.learnings import LearningHit, Stores, search_learnings
    from spexsearch.floor.nodes import NodeHit, search_nodes
    from spexsearch.floor.sections import SectionHit, search_sections
    from spexsearch.specs.loader import load_specs, load_tree
    from spexsearch.specs.model import Claim, Problem, Section, Spec, SpecTree

__version__ = "0.1.0"

__all__ = [
    "Claim",
    "LearningHit",
    "NodeHit",
    "Problem",
    "Section",
    "SectionHit",
    "Spec",
    "SpecTree",
    "Stores",
    "__version__",
    "load_specs",
    "load_tree",
    "search_learnings",
    "search_nodes",
    "search_sections",
]

# A name is fetched on first use: `import spexsearch` must not cost a commit hook a YAML parser.
_HOMES = {
    "spexsearch.floor.learnings": ("LearningHit", "Stores", "search_learnings"),
    "spexsearch.floor.nodes": ("NodeHit", "search_nodes"),
    "spexsearch.floor.sections": ("SectionHit", "search_sections"),
    "spexsearch.specs.loader": ("load_specs", "load_tree"),
    "spexsearch.specs.model": ("Claim", "Problem", "Section", "Spec", "SpecTree"),
}


def __getattr__(name: str) -> object:
    """Fetch a public name from the module that defines it."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
