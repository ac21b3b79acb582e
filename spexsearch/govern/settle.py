"""What settles a spec: a touch beyond white space and markup, or an acknowledgement in a commit message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from spexsearch.govern.model import Change, ChangeSet, Commit
from spexsearch.specs.model import Spec, SpecTree

_ACKNOWLEDGEMENT = re.compile(r"Spec-OK:(.*)", re.IGNORECASE)
# A reason may follow an id, as people write one.
_REASON = re.compile(r"\s\([^()]*\)?|\s[-–—]\s.*")
_SCISSORS = "------------------------ >8 ------------------------"
_LINE_MARKUP = re.compile(
    r"^(?:[ \t]*(?:#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|>))+"  # headings, list items, quotes
    r"|(?<=\s)#+[ \t]*$"  # closing hashes
    r"|^[ \t]*(?:-{3,}|={3,}|`{3,}\w*|~{3,}\w*)[ \t]*$",  # rules, setext underlines, fences
    re.MULTILINE,
)
_INLINE_MARKUP = re.compile(r"[\s*_`|\ufeff\u200b-\u200f\u2060]+")


def acknowledged_ids(message: str) -> tuple[str, ...]:
    """The ids that `Spec-OK:` lines of a commit message name, above any scissors line, first column only, in order."""
    ids: dict[str, None] = {}
    # Only LF ends a line: a lone CR or U+2028 must not bring quoted text to the first column.
    for line in message.split("\n"):
        if _SCISSORS in line:
            break
        match = _ACKNOWLEDGEMENT.match(line)
        parts = _REASON.sub("", match.group(1)).split(",") if match else ()
        ids.update((identity, None) for part in parts if (identity := part.strip()))
    return tuple(ids)


def acknowledged_by(commits: Sequence[Commit], ids: frozenset[str], paths: frozenset[str]) -> bool:
    """Whether every commit (newest first) that changes one of `paths` is acknowledged for a spec known by `ids`.

    A commit with content answers for itself; an empty one for all that came before it.
    """
    charged = False
    for commit in commits:
        named = not ids.isdisjoint(acknowledged_ids(commit.message))
        if named and not commit.paths:
            return True
        if commit.paths & paths:
            if not named:
                return False
            charged = True
    return charged


def essence(text: str) -> str:
    """The text without white space and Markdown markup: two texts of one essence say the same."""
    return _INLINE_MARKUP.sub("", _LINE_MARKUP.sub("", text))


def _says(spec: Spec) -> tuple[str, str, str]:
    # `_` is a letter of a name in a title, and markup nowhere else than in prose.
    return essence(spec.title), essence(spec.desc), essence(spec.body)


def moved_specs(changes: Iterable[Change]) -> dict[str, str]:
    """Path at the base -> path at the head, for renamed files."""
    return {change.old_path: change.path for change in changes if change.status == "R" and change.old_path}


def touched_paths(change_set: ChangeSet, before: Mapping[str, Spec], after: Mapping[str, Spec]) -> frozenset[str]:
    """Paths at the head of the specs whose title, desc or body say something else than at the base; new specs too.

    Where a diff file does not tell both sides, its hunks speak for them.
    """
    touched = set()
    for change in change_set.changes:
        new = after.get(change.path)
        if new is None or change.status == "D":
            continue
        told = change_set.origin != "diff" or {change.old_blob, change.new_blob} <= {None, *change_set.contents}
        if told:
            old = before.get(change.before)
            if old is None or _says(old) != _says(new):
                touched.add(change.path)
        elif _hunks_touch(change, new):
            touched.add(change.path)
    return frozenset(touched)


def _hunks_touch(change: Change, spec: Spec) -> bool:
    def said(lines: Iterable[tuple[int, str]]) -> str:
        return essence("\n".join(t for n, t in lines if n >= spec.body_line or t.startswith(("title:", "desc:"))))

    return said((x.number, x.text) for x in change.removed) != said((x.number, x.text) for x in change.added)


def by_path(tree: SpecTree) -> dict[str, Spec]:
    """The specs of a tree by their paths."""
    return {spec.path: spec for spec in tree.specs}
