"""Where a check looks names up that a change takes from the code: the index, a commit, or the files on disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from spexsearch.govern.kinds import kind_of
from spexsearch.govern.model import LARGEST_TEXT, ChangeSet, State
from spexsearch.govern.repository import Entry, Repository
from spexsearch.govern.states import REGULAR
from spexsearch.govern.vanished import Source, runs
from spexsearch.specs.dialects import is_among_specs
from spexsearch.specs.plain import read_plainly

AT_ONCE = 256
"""Files that are in memory together."""
MANY = 32
"""Names from which it is faster to take a file apart than to look for each."""

# What holds no source, and may be large.
_MEDIA = re.compile(
    r"\.(?:png|jpe?g|gif|webp|avif|ico|icns|bmp|tiff?|psd|pdf|mp[34]|m4[av]|mov|webm|ogg|wav|flac|[ot]tf|woff2?|eot"
    r"|zip|t?gz|bz2|xz|7z|rar|jar|whl|wasm|so|dylib|dll|exe|node)$",
    re.IGNORECASE,
)

Runs = dict[str, frozenset[bytes]]
"""Blob -> its runs of word characters, kept from one look to the next."""


def in_git(repo: Repository, entries: Mapping[str, Entry], after: State, known: Runs | None = None) -> Source:
    """The files of a commit or of the index, by their entries. `known`: for who looks at many states in turn."""
    counts = _is_source(after)
    blobs = sorted({entry.blob for path, entry in entries.items() if entry.mode in REGULAR and counts(path)} - {""})

    def standing(names: frozenset[str], whole: bool) -> frozenset[str]:
        if known is not None and whole:
            return _by_runs(repo, blobs, known, names)
        return _first_met(_contents(repo, blobs), names, whole)

    return standing


def on_disk(root: Path, change_set: ChangeSet, after: State, judged: bytes = b"") -> Source:
    """The files of a folder; of a changed one the new side, where the change set has it.

    `judged`: the diff itself. Where it lies among the files, the names that it takes away stand in it and are gone all
    the same.
    """
    paths = sorted(filter(_is_source(after), after.files))
    told = {
        change.path: change_set.contents[change.new_blob]
        for change in change_set.changes
        if change.new_blob is not None and change.new_blob in change_set.contents
    }

    def standing(names: frozenset[str], whole: bool) -> frozenset[str]:
        files = (told[path] if path in told else read_plainly(root, path, LARGEST_TEXT) or b"" for path in paths)
        return _first_met((data for data in files if data != judged), names, whole)

    return standing


def _is_source(after: State) -> Callable[[str], bool]:
    specs = {spec.path for spec in after.tree.specs}

    def counts(path: str) -> bool:
        return path not in specs and not is_among_specs(path) and kind_of(path) != "doc" and not _MEDIA.search(path)

    return counts


def _contents(repo: Repository, blobs: Iterable[str]) -> Iterator[bytes]:
    with repo.kept_open() as opened:
        for blob in blobs:
            yield from opened.read_blobs([blob], LARGEST_TEXT).values()


def _first_met(files: Iterable[bytes], names: frozenset[str], whole: bool) -> frozenset[str]:
    left = {name: name.encode("utf-8", "surrogateescape") for name in names}
    for data in files:
        if not left:
            break
        words = frozenset(runs(data)) if whole and len(left) > MANY else None
        met = [
            name
            for name, text in left.items()
            if (_stands(text, data, whole) if words is None or not text.isascii() else text in words)
        ]
        for name in met:
            del left[name]
    return names - left.keys()


def _stands(text: bytes, data: bytes, whole: bool) -> bool:
    # Beyond ASCII nobody tells letters from signs in bytes: such a name stands wherever it is met.
    return text in data and (not whole or not text.isascii() or text in frozenset(runs(data)))


def _by_runs(repo: Repository, blobs: list[str], known: Runs, names: frozenset[str]) -> frozenset[str]:
    for blob in known.keys() - set(blobs):
        del known[blob]
    new = [blob for blob in blobs if blob not in known]
    for start in range(0, len(new), AT_ONCE):
        for blob, data in repo.read_blobs(new[start : start + AT_ONCE], LARGEST_TEXT).items():
            known[blob] = frozenset(runs(data))
    texts = {name: name.encode("utf-8", "surrogateescape") for name in names}
    met = {name for name, text in texts.items() if text.isascii() and any(text in words for words in known.values())}
    rest = names - {name for name in names if name.isascii()}
    return frozenset(met) | (_first_met(_contents(repo, blobs), frozenset(rest), True) if rest else frozenset())
