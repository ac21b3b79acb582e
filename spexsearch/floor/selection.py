"""Keeps the specs whose frontmatter says what is asked for."""

from __future__ import annotations

import re

from spexsearch.specs.model import Spec, SpecTree


def selected(
    tree: SpecTree, type_: str | None = None, tag: str | None = None, parent: str | None = None
) -> frozenset[str] | None:
    """The paths of the specs of a type, with a tag, directly below the spec with an id; None where nothing is asked.

    Types and tags are compared without regard to case. A parent is the one that the tree or the frontmatter names.
    """
    if type_ is None and tag is None and parent is None:
        return None
    ids = {spec.path: spec.id for spec in tree.specs}
    return frozenset(
        spec.path
        for spec in tree.specs
        if (type_ is None or type_.casefold() in _values(spec, "type"))
        and (tag is None or tag.casefold() in _values(spec, "tags") | _values(spec, "tag"))
        and (
            parent is None
            or ids.get(tree.parents.get(spec.path, "")) == parent
            or parent.casefold() in _values(spec, "parent")
        )
    )


def _values(spec: Spec, key: str) -> set[str]:
    """What a key of the frontmatter lists; a plain value is read as a list with commas."""
    value = spec.fields.get(key)
    if isinstance(value, str):
        value = re.split(",", value.strip("[] "))
    listed = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return {str(entry).strip().removeprefix("#").casefold() for entry in listed}
