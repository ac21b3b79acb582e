"""Claims: entries of `code:` and `related:` read and refused, and which claims are on a path."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal, NamedTuple

from spexsearch.specs.frontmatter import Frontmatter
from spexsearch.specs.globs import Glob, is_pattern
from spexsearch.specs.model import Claim, ClaimKind, Problem, Relation, Spec, SpecTree
from spexsearch.specs.values import BLANKS

How = Literal["unit", "file", "folder", "glob", "module"]

MAX_CLAIM = 1024

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_OUTSIDE = re.compile(r"[A-Za-z]:|[A-Za-z][\w+.-]*://")
_BLANK = re.compile(r"\s")


class ClaimHit(NamedTuple):
    """A claim that is on a path, and how: it names it (`unit`: with a symbol), a folder or pattern, or stands there."""

    spec: Spec
    claim: Claim
    how: How


class ClaimRefusedError(ValueError):
    """An entry that cannot be a claim. The message says what to write instead."""


def parse_claim(entry: str, relation: Relation, line: int) -> Claim:
    """Reads one entry. Raises ClaimRefusedError for what cannot be a path of the repository."""
    text = entry.strip(BLANKS)
    path, symbol = _split_symbol(text)
    refusal = _refusal(text, path, symbol)
    if refusal:
        raise ClaimRefusedError(refusal)
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ClaimRefusedError("leads upwards; write the path from the repository's root")
    if any(part.lower() == ".git" for part in parts):
        raise ClaimRefusedError("is inside `.git`; claim a file of the repository")
    path = "/".join(parts)
    kind = ClaimKind.GLOB if is_pattern(path) else ClaimKind.PATH
    return Claim(text, path, symbol, kind if symbol is None else ClaimKind.UNIT, relation, line)


def _split_symbol(text: str) -> tuple[str, str | None]:
    path, mark, symbol = text.rpartition("#")
    # Folders may be called `C#`; a symbol never holds a slash.
    return (path, symbol) if mark and "/" not in symbol else (text, None)


def _refusal(text: str, path: str, symbol: str | None) -> str | None:
    """Why the entry cannot be a claim, by its characters alone."""
    reasons = (
        (not text, "is empty; write a path, or remove the entry"),
        (len(text) > MAX_CLAIM, f"is longer than {MAX_CLAIM} characters; write one path"),
        (_CONTROL.search(text), "holds a control character; write the path without it"),
        ("\\" in text, "holds a backslash; write `/` between folders"),
        (text.startswith("/") or _OUTSIDE.match(text), "is not relative; write the path from the repository's root"),
        (text.startswith("~"), "begins with `~`; write the path from the repository's root"),
        (symbol is not None and not path.strip(BLANKS), "names no file; write `path#symbol`"),
        (symbol == "", "has nothing after `#`; write `path#symbol`, or the path alone"),
        (
            symbol is not None and (_BLANK.search(symbol) or path != path.strip(BLANKS)),
            "has blanks around or after `#`; write `path#symbol`, and a comment on its own line",
        ),
        (symbol is not None and is_pattern(path), "joins a pattern and a symbol; name one file"),
    )
    return next((reason for holds, reason in reasons if holds), None)


def parse_claims(
    front: Frontmatter, path: str, code_keys: Iterable[str], related_keys: Iterable[str]
) -> tuple[tuple[Claim, ...], tuple[Problem, ...]]:
    """The claims of one file in the order of its keys, an entry that a list repeats once; and what is wrong."""
    claims: list[Claim] = []
    problems: list[Problem] = []
    seen: dict[tuple[str, str | None], Claim] = {}
    keys = [(key, Relation.CODE) for key in code_keys] + [(key, Relation.RELATED) for key in related_keys]
    for key, relation in keys:
        for entry, line in entries(front, key):
            if not isinstance(entry, str):
                message = f"an entry of `{key}` is a structure, not a path; quote it, or write one path a line"
                problems.append(Problem(path, line, message))
                continue
            try:
                claim = parse_claim(entry, relation, line)
            except ClaimRefusedError as refused:
                problems.append(Problem(path, line, f"the claim `{_shown(entry)}` {refused}"))
                continue
            name = (normal(claim.path), claim.symbol)
            if (earlier := seen.get(name)) is not None:
                message = f"the claim `{_shown(entry)}` stands on line {earlier.line} already; remove one"
                problems.append(Problem(path, line, message))
                if earlier.relation == relation:
                    continue
            seen.setdefault(name, claim)
            claims.append(claim)
    return tuple(claims), tuple(problems)


def entries(front: Frontmatter, key: str) -> list[tuple[object, int]]:
    """The entries of a key with their lines; a scalar is one entry, nothing is none."""
    value = front.fields.get(key, "")
    if isinstance(value, list):
        return list(zip(value, front.item_lines.get(key, ()), strict=False))
    return [] if value == "" else [(value, front.field_lines[key])]


def _shown(entry: str) -> str:
    return _CONTROL.sub("\ufffd", entry if len(entry) <= 80 else f"{entry[:79]}…")


def normal(path: str) -> str:
    """The form in which paths are compared: systems differ in how they write an accented letter."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


class ClaimIndex:
    """Every claim of a tree, by path."""

    def __init__(self, tree: SpecTree) -> None:
        self._by_path: dict[str, list[tuple[Spec, Claim]]] = {}
        self._globs: dict[str, list[tuple[Glob, Spec, Claim]]] = {}
        self._places: dict[str, list[tuple[Spec, Claim]]] = {}
        self._specs = {normal(spec.path) for spec in tree.specs}
        for spec in tree.specs:
            for claim in spec.claims:
                path = normal(claim.path)
                if claim.kind == ClaimKind.GLOB:
                    glob = Glob(path)
                    self._globs.setdefault(glob.folder, []).append((glob, spec, claim))
                elif claim.kind == ClaimKind.MODULE:
                    self._places.setdefault(path, []).append((spec, claim))
                else:
                    self._by_path.setdefault(path, []).append((spec, claim))

    def on(self, path: str) -> tuple[ClaimHit, ...]:
        """The claims on a repository path, by spec path and line.

        A spec is claimed only by its own name: a claim on a folder is about the code in it. Markdown is governed by no
        place, and of nested places only the nearest governs.
        """
        path = normal(path)
        hits = [
            ClaimHit(spec, claim, "unit" if claim.kind == ClaimKind.UNIT else "file")
            for spec, claim in self._by_path.get(path, ())
        ]
        if path not in self._specs:
            hits += self._around(path, folders_above(path))
        return tuple(sorted(hits, key=lambda hit: (hit.spec.path, hit.claim.line, hit.claim.text, hit.how)))

    def _around(self, path: str, folders: list[str]) -> list[ClaimHit]:
        hits: list[ClaimHit] = []
        for folder in folders:
            hits += (
                ClaimHit(spec, claim, "folder")
                for spec, claim in self._by_path.get(folder, ())
                if claim.kind == ClaimKind.PATH
            )
            hits += (
                ClaimHit(spec, claim, "glob") for glob, spec, claim in self._globs.get(folder, ()) if glob.matches(path)
            )
        if not path.lower().endswith(".md"):
            nearest = next((self._places[folder] for folder in folders if folder in self._places), [])
            hits += (ClaimHit(spec, claim, "module") for spec, claim in nearest)
        return hits


def folders_above(path: str) -> list[str]:
    """The folders that a path is in, innermost first; the last is "", the root."""
    found: list[str] = []
    while path:
        path = path.rpartition("/")[0]
        found.append(path)
    return found


def said(claim: Claim) -> str:
    """A claim as people read it."""
    if claim.kind is ClaimKind.MODULE:
        return f"governs {claim.path or '.'}/, the folder it stands in"
    return f"{claim.relation}: {claim.text}"
