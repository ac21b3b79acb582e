"""A spec tree as text and as JSON. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from spexsearch.render.escape import inert, json_line, visible
from spexsearch.specs.model import Spec, SpecTree

_DRAWN = {"branch": "├── ", "last": "└── ", "past": "│   ", "dash": " — "}
_ASCII = {"branch": "|-- ", "last": "`-- ", "past": "|   ", "dash": " - "}
_DEEPEST = 40  # deeper specs are drawn at this depth: a chain of thousands would be a page of indent a line
DRAWING = "".join(_DRAWN.values())
"""What a stream's encoding must have for lines to be drawn."""


def tree_text(tree: SpecTree, *, draw: bool = True) -> str:
    """One line a spec: `title [id] — desc`, under its parent; in ASCII unless `draw`."""
    signs = _DRAWN if draw else _ASCII
    lines = []
    for spec, place in _placed(tree):
        # `place` says of the spec and of each spec above it, outermost first, whether it is the last of its siblings.
        stem = "".join("    " if last else signs["past"] for last in place[1:-1])
        joint = signs["last" if place[-1] else "branch"] if len(place) > 1 else ""
        desc = signs["dash"] + visible(" ".join(spec.desc.split())) if spec.desc else ""
        lines.append(inert(f"{stem}{joint}{visible(spec.title)} [{visible(spec.id)}]{desc}\n"))
    return "".join(lines)


def tree_json(tree: SpecTree, *, ascii_only: bool = False) -> str:
    """`[{id, title, desc, path, parent}]` on one line, ended by LF, parents first; `parent` is a path or null."""
    rows = [
        {"id": s.id, "title": s.title, "desc": s.desc, "path": s.path, "parent": tree.parents.get(s.path)}
        for s, _ in _placed(tree)
    ]
    return json_line(rows, ascii_only=ascii_only) + "\n"


def _placed(tree: SpecTree) -> Iterator[tuple[Spec, tuple[bool, ...]]]:
    """Every spec once, parents first. Specs whose parents run in a circle, or are not there, stand as roots."""
    paths = {spec.path for spec in tree.specs}
    children: dict[str | None, list[Spec]] = defaultdict(list)
    for spec in tree.specs:
        parent = tree.parents.get(spec.path)
        children[parent if parent in paths else None].append(spec)
    seen: set[str] = set()
    for first in [*children[None], *tree.specs]:
        waiting: list[tuple[Spec, tuple[bool, ...]]] = [(first, (True,))]
        while waiting:
            spec, place = waiting.pop()
            if spec.path in seen:
                continue
            seen.add(spec.path)
            yield spec, place
            below = children[spec.path]
            waiting += [(child, (*place[:_DEEPEST], child is below[-1])) for child in reversed(below)]
