"""The words of a spec tree, as frozen types. Lines are 1-based and counted in the file, frontmatter included."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Problem(NamedTuple):
    """One fault of one file: where it is, and what mends it. `unreadable`: the file gave no spec at all."""

    path: str
    line: int
    message: str
    unreadable: bool = False


class Relation(StrEnum):
    """Which list of the frontmatter a claim stands in."""

    CODE = "code"
    RELATED = "related"


class ClaimKind(StrEnum):
    """What a claim names. Whether a PATH is a file or a folder is only known against a path that it covers."""

    UNIT = "unit"
    PATH = "path"
    GLOB = "glob"
    MODULE = "module"


class Claim(NamedTuple):
    """One entry of `code:` or `related:`.

    `text` is the entry as written, `path` the repository-relative POSIX path or pattern (no trailing slash; "" is the
    root), `symbol` what follows `#`, `line` where the entry stands. A MODULE claim is made by a file's place, and by no
    entry.
    """

    text: str
    path: str
    symbol: str | None
    kind: ClaimKind
    relation: Relation
    line: int


class Section(NamedTuple):
    """The text under one heading, up to the next one; text before the first heading has the spec's title as heading.

    `trail` holds the headings above and the section's own, outermost first; `level` is 0 for the text before any
    heading. `text` holds the lines from `line` to `end_line`, both included, heading line and all.
    """

    heading: str
    trail: tuple[str, ...]
    level: int
    line: int
    end_line: int
    text: str


class Spec(NamedTuple):
    """One node of the spec tree.

    `path` is repository-relative and POSIX, undecodable bytes as surrogate escapes. `body` is trimmed; `body_line` is
    the line on which it begins. `fields` holds every key of the frontmatter as read, unknown ones too; `field_lines`
    where each key stands.
    """

    id: str
    title: str
    desc: str
    path: str
    body: str
    body_line: int
    dialect: str
    claims: tuple[Claim, ...] = ()
    status: str = ""
    fields: Mapping[str, object] = {}
    field_lines: Mapping[str, int] = {}

    @property
    def code_may_come_later(self) -> bool:
        """Whether the spec describes code that need not exist yet."""
        return self.status in ("draft", "pending")


class SpecTree(NamedTuple):
    """Every spec of one state of a repository, in walk order, and what was wrong with the files that hold them.

    `parents` maps a spec's path to the path of the spec above it; roots are absent.
    """

    specs: tuple[Spec, ...] = ()
    problems: tuple[Problem, ...] = ()
    parents: Mapping[str, str] = {}


def walk_order(path: str) -> tuple[list[bytes], bytes]:
    """Sorts paths as a walk meets them: a folder's own files, then its folders, names by their bytes."""
    *folders, name = path.encode("utf-8", "surrogateescape").split(b"/")
    return folders, name
