"""Files' bytes in, a spec tree out: the working tree, the index and any commit are read the same way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from spexsearch.specs.claims import ClaimRefusedError, entries, folders_above, normal, parse_claim, parse_claims
from spexsearch.specs.dialects import BY_NAME, MODULE, NAMED, Dialect, dialect_of, is_companion
from spexsearch.specs.frontmatter import Frontmatter, read_frontmatter
from spexsearch.specs.globs import Glob
from spexsearch.specs.links import links
from spexsearch.specs.model import Claim, ClaimKind, Problem, Relation, Spec, SpecTree, walk_order
from spexsearch.specs.values import BLANKS

__all__ = ["Memory", "load_specs", "load_tree"]

_NOTHING = Frontmatter({}, {}, {}, "", 1, (), present=False)
_ILLEGAL_IN_ID = frozenset(",[]|#`")


class _Repository:
    """Which paths there are, to tell an entry of `covers:` that is a path from one that is a word."""

    def __init__(self, files: Collection[str]) -> None:
        self._files = files

    def holds(self, path: str) -> bool:
        """Whether there is such a file or folder."""
        return normal(path) in self._paths

    @cached_property
    def _paths(self) -> frozenset[str]:
        paths = {normal(path) for path in self._files}
        return frozenset(paths.union(*map(folders_above, paths)))


class _Parsed(NamedTuple):
    """What one file says by itself, whatever else is in the tree."""

    dialect: Dialect
    front: Frontmatter
    claims: tuple[Claim, ...]
    covers: tuple[Claim, ...]
    links: tuple[tuple[str, int], ...]
    problems: tuple[Problem, ...]
    is_spec: bool = True


class Memory:
    """Files that were parsed already, so that another state of the same repository costs only what differs."""

    def __init__(self, named: Sequence[Glob] = ()) -> None:
        """`named`: the patterns of files that are specs where no convention finds them."""
        self.named = named
        self._parsed: dict[tuple[str, bytes], _Parsed] = {}

    def parse(self, path: str, data: bytes) -> _Parsed:
        """What the file says."""
        key = (path, data)
        if key not in self._parsed:
            self._parsed[key] = _parse(path, data, self.named)
        return self._parsed[key]


def load_tree(root: Path, named: Sequence[Glob] = ()) -> SpecTree:
    """The spec tree of a folder as it is on disk, untracked and ignored files too.

    `named`: the patterns of files that are specs where no convention finds them.

    Raises UsageError when there is no such folder; a file that cannot be read is a problem.
    """
    from spexsearch.specs.folder import read_folder

    found = read_folder(root, named)
    return load_specs(found.texts, found.files, memory=Memory(named), problems=found.problems)


def load_specs(
    texts: Mapping[str, bytes],
    files: Collection[str] | None = None,
    *,
    memory: Memory | None = None,
    problems: Iterable[Problem] = (),
) -> SpecTree:
    """The spec tree of one state of a repository.

    `texts` holds the files that `candidates` names, by repository-relative path; others are passed over. `files`, every
    path of that state, decides which entries of `covers:` are paths. `problems` are those of files that had no text.
    """
    memory = memory or Memory()
    read = {path: memory.parse(path, texts[path]) for path in texts if dialect_of(path, memory.named)}
    parsed = _specs_among(read)
    ids = _ids(parsed)
    repository = _Repository(files or ())
    specs = tuple(_spec(path, ids[path], entry, repository) for path, entry in parsed.items())
    found = [*problems]
    for path, entry in read.items():
        if path in parsed or not entry.is_spec:
            found += entry.problems
    found += _id_problems(specs)
    found += _link_problems(parsed, specs)
    parents, parent_problems = _parents(specs)
    return SpecTree(specs, tuple(sorted([*found, *parent_problems])), parents)


def _specs_among(read: Mapping[str, _Parsed]) -> dict[str, _Parsed]:
    """The files that are specs, in walk order: a folder's own files before its folders, names by their bytes."""
    found = {path: entry for path, entry in read.items() if entry.is_spec}
    led = {entry.dialect.name for path, entry in found.items() if not is_companion(path, entry.dialect)}
    return {path: found[path] for path in sorted(found, key=walk_order) if found[path].dialect.name in led}


def _parse(path: str, data: bytes, named: Sequence[Glob]) -> _Parsed:
    dialect = dialect_of(path, named)
    if dialect is None:
        raise ValueError(f"no dialect has files like {path}")
    companion = is_companion(path, dialect)
    if companion and not data.startswith((b"---", b"\xef\xbb\xbf---")):
        return _no_spec(dialect)
    front = read_frontmatter(data, path)
    if not front.fields.keys() >= set(dialect.required):
        # Another convention's file is none of our business; one whose keys could not be read may be.
        lost = () if companion or front.fields else front.problems
        return _no_spec(dialect, tuple(problem._replace(unreadable=True) for problem in lost))
    claims, problems = parse_claims(front, path, dialect.code_keys, dialect.related_keys)
    if dialect.governs_folder and not companion:
        claims = (Claim(path, path.rpartition("/")[0], None, ClaimKind.MODULE, Relation.CODE, 1), *claims)
    found = (*front.problems, *problems, *_text_problems(front, path, dialect))
    return _Parsed(dialect, front, claims, _covers(front, dialect), links(front.body, front.body_line), found)


def _no_spec(dialect: Dialect, problems: tuple[Problem, ...] = ()) -> _Parsed:
    return _Parsed(dialect, _NOTHING, (), (), (), problems, is_spec=False)


def _covers(front: Frontmatter, dialect: Dialect) -> tuple[Claim, ...]:
    """The entries of `covers:` that could be paths; a word that cannot be one is no fault."""
    found: list[Claim] = []
    for key in dialect.covers_keys:
        for entry, line in entries(front, key):
            if isinstance(entry, str):
                with suppress(ClaimRefusedError):
                    found.append(parse_claim(entry, Relation.CODE, line))
    return tuple(found)


def _text_problems(front: Frontmatter, path: str, dialect: Dialect) -> list[Problem]:
    keys = ("title", "desc", "status", dialect.id_key, dialect.parent_key)
    return [
        Problem(path, front.field_lines[key], f"`{key}` is a mapping and is not read; write text")
        for key in keys
        if key and isinstance(front.fields.get(key), dict)
    ]


def _spec(path: str, identity: str, parsed: _Parsed, repository: _Repository) -> Spec:
    front = parsed.front
    return Spec(
        id=identity,
        title=_text(front.fields, "title", identity),
        desc=_text(front.fields, "desc"),
        path=path,
        body=front.body,
        body_line=front.body_line,
        dialect=parsed.dialect.name,
        claims=(*parsed.claims, *(claim for claim in parsed.covers if repository.holds(claim.path))),
        status=_text(front.fields, "status").lower(),
        fields=front.fields,
        field_lines=front.field_lines,
    )


def _text(fields: Mapping[str, object], key: str | None, absent: str = "") -> str:
    value = fields.get(key or "", absent)
    if isinstance(value, list):
        value = ", ".join(item for item in value if isinstance(item, str))
    return value.strip(BLANKS) if isinstance(value, str) else absent


def _ids(parsed: Mapping[str, _Parsed]) -> dict[str, str]:
    ids: dict[str, str] = {}
    folders: dict[str, list[str]] = {}
    for path, entry in parsed.items():
        if entry.dialect.id_key:
            stem = path.rpartition("/")[2].removesuffix(".md") if entry.dialect is NAMED else ""
            ids[path] = _text(entry.front.fields, entry.dialect.id_key, stem)
        else:
            inner = path.removeprefix(f"{entry.dialect.under}/").rpartition("/")[0]
            folders[path] = [part for part in inner.replace("\\", "/").split("/") if part]
    return ids | _folder_ids(folders)


def _folder_ids(folders: Mapping[str, list[str]]) -> dict[str, str]:
    """Each spec's shortest trailing path, joined with `_`, that no other spec has at the same length."""
    ids: dict[str, str] = {}
    waiting = dict(folders)
    length = 1
    while waiting:
        suffixes = {path: normal("_".join(parts[-length:])) for path, parts in folders.items() if len(parts) >= length}
        taken = Counter(suffixes.values())
        for path, parts in list(waiting.items()):
            if len(parts) <= length or taken[suffixes[path]] == 1:
                ids[path] = suffixes.get(path, "")
                del waiting[path]
        length += 1
    return ids


def _id_problems(specs: Iterable[Spec]) -> list[Problem]:
    found: list[Problem] = []
    first: dict[str, Spec] = {}
    for spec in specs:
        line = spec.field_lines.get(BY_NAME[spec.dialect].id_key or "", 1)
        if spec.id in first:
            message = f"the id `{spec.id}` is also that of {first[spec.id].path}; rename one of the two"
            found.append(Problem(spec.path, line, message))
        first.setdefault(spec.id, spec)
        if _ILLEGAL_IN_ID.intersection(spec.id) or not spec.id.isprintable() or spec.id != spec.id.strip(BLANKS):
            message = "the id cannot be named in a link or a commit message; use letters, digits, `-`, `_` and `.`"
            found.append(Problem(spec.path, line, message))
        if not spec.id and spec.dialect == MODULE.name:
            found.append(Problem(spec.path, line, "the id is empty; write one"))
    return found


def _link_problems(parsed: Mapping[str, _Parsed], specs: Iterable[Spec]) -> list[Problem]:
    known = {spec.id for spec in specs}
    # A link written before its target's name collided with another still says whom it means.
    known.update(normal(path.split("/")[-2]) for path, entry in parsed.items() if not entry.dialect.id_key)
    return [
        Problem(path, line, f"`[[{target}]]` names no spec; correct the id, or put it in backticks")
        for path, entry in parsed.items()
        for target, line in entry.links
        if normal(target) not in known
    ]


def _parents(specs: Iterable[Spec]) -> tuple[dict[str, str], list[Problem]]:
    """Each spec's parent, by path. A parent that is unknown, or that closes a circle, is a problem and no parent."""
    parents: dict[str, str] = {}
    problems: list[Problem] = []
    specs = tuple(specs)
    at = {spec.path: spec for spec in specs}
    by_id: dict[str, str] = {}
    for spec in specs:
        by_id.setdefault(spec.id, spec.path)
    for spec in specs:
        dialect = BY_NAME[spec.dialect]
        if dialect.parent_key is None:
            above = (f"{folder}/{dialect.filename}" for folder in folders_above(spec.path)[1:])
            parent = next((path for path in above if path in at), None)
        else:
            wanted = _text(spec.fields, dialect.parent_key)
            parent = by_id.get(wanted) if wanted else None
            if wanted and (parent is None or _leads_to(parent, spec.path, parents)):
                fault = "names no spec" if parent is None else "closes a circle"
                message = f"`{dialect.parent_key}: {wanted}` {fault}; correct it"
                problems.append(Problem(spec.path, spec.field_lines[dialect.parent_key], message))
                parent = None
        if parent is not None:
            parents[spec.path] = parent
    return parents, problems


def _leads_to(path: str, goal: str, parents: Mapping[str, str]) -> bool:
    while path != goal and path in parents:
        path = parents[path]
    return path == goal
