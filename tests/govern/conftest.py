"""Changes and states that are made by hand, from texts."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from spexsearch.govern.check import Elsewhere, check
from spexsearch.govern.config import Config
from spexsearch.govern.kinds import kind_of
from spexsearch.govern.model import Change, ChangeSet, Hunk, Line, State, Status
from spexsearch.govern.report import Report
from spexsearch.govern.vanished import Source
from spexsearch.specs.dialects import candidates
from spexsearch.specs.loader import load_specs


@pytest.fixture
def git_repo(repo: Any) -> Any:
    """An empty repository."""
    return repo


Texts = Mapping[str, str]


@dataclass(frozen=True)
class Sides:
    """Everything that `check` takes of a change but the configuration."""

    change_set: ChangeSet
    before: State
    after: State
    source: Source


def blob_name(text: str) -> str:
    """A name for a text, as git names blobs by what they hold."""
    return hashlib.sha1(text.encode("utf-8", "surrogateescape")).hexdigest()


def hunks(old: str, new: str) -> tuple[Hunk, ...]:
    """Hunks without context, as the diff reader gives them."""
    before, after = old.split("\n"), new.split("\n")
    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            removed = tuple(Line(a + n + 1, text) for n, text in enumerate(before[a:b]))
            added = tuple(Line(c + n + 1, text) for n, text in enumerate(after[c:d]))
            found.append(Hunk(a + 1, b - a, c + 1, d - c, removed, added))
    return tuple(found)


def make_change(path: str, old: str | None, new: str | None, source: tuple[Status, str] | None = None) -> Change:
    """The change from one text to the other; None is no file. `source`: R or C, and the path that it came from."""
    status, old_path = source or ("A" if old is None else "D" if new is None else "M", None)
    return Change(
        status,
        path,
        old_path,
        old_mode=None if old is None else "100644",
        new_mode=None if new is None else "100644",
        old_blob=None if old is None else blob_name(old),
        new_blob=None if new is None else blob_name(new),
        hunks=hunks(old or "", new or ""),
    )


def make_state(texts: Texts) -> State:
    """A state of a repository that holds these files."""
    data = {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()}
    specs = {path: data[path] for path in candidates(sorted(data))}
    return State(load_specs(specs, data), {path: blob_name(text) for path, text in texts.items()})


def make_source(texts: Texts) -> Source:
    """Looks names up in the texts that are neither specs nor documents."""
    code = [text for path, text in texts.items() if kind_of(path) not in ("doc", "spec")]

    def standing(names: frozenset[str], whole: bool) -> frozenset[str]:
        return frozenset(
            name
            for name in names
            if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) if whole else name in text for text in code)
        )

    return standing


def make_sides(
    before: Texts,
    edit: Mapping[str, str | None],
    moved: Texts | None = None,
    copied: Texts | None = None,
    read: Iterable[str] = (),
    **kept: Any,
) -> Sides:
    """The files before, and what the change makes of some of them (None: deletes).

    `moved` and `copied` map old paths to new ones; `read`: files whose contents are at hand though they did not change;
    `kept` goes to the change set.
    """
    moved, copied = moved or {}, copied or {}
    came: dict[str, tuple[Status, str]] = {new: ("R", old) for old, new in moved.items()}
    came |= {new: ("C", old) for old, new in copied.items()}
    after = {path: text for path, text in before.items() if path not in moved}
    after |= {new: before[old] for new, (_, old) in came.items()}
    after |= {path: text for path, text in edit.items() if text is not None}
    for path in (path for path, text in edit.items() if text is None):
        del after[path]
    changes = [
        make_change(path, before.get(came[path][1] if path in came else path), after.get(path), came.get(path))
        for path in sorted({*before, *after} - set(moved))
        if path in came or before.get(path) != after.get(path)
    ]
    texts = [text for change in changes for text in (before.get(change.before), after.get(change.path))]
    contents = {
        blob_name(text): text.encode() for text in (*texts, *(after[path] for path in read)) if text is not None
    }
    told: dict[str, Any] = {"origin": "range", "contents": contents} | kept
    return Sides(ChangeSet(changes=tuple(changes), **told), make_state(before), make_state(after), make_source(after))


@pytest.fixture(scope="session")
def state() -> Callable[[Texts], State]:
    """Makes a state by hand, from every file's text."""
    return make_state


@pytest.fixture(scope="session")
def sides() -> Callable[..., Sides]:
    """Makes both sides of a change by hand, as `make_sides` says."""
    return make_sides


@pytest.fixture(scope="session")
def judge() -> Callable[..., Report]:
    """Checks a change that is made by hand, as `make_sides` says."""

    def check_sides(
        before: Texts,
        edit: Mapping[str, str | None],
        *,
        config: Config | None = None,
        message: str = "",
        touched: Iterable[str] = (),
        **kept: Any,
    ) -> Report:
        made = make_sides(before, edit, **kept)
        elsewhere = Elsewhere(frozenset(touched), message)
        return check(made.change_set, made.before, made.after, config or Config(), elsewhere, source=made.source)

    return check_sides
