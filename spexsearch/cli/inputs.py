"""What the command line, a hook or an Action names -> everything that `check` needs. Joins git to the check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from spexsearch.errors import ConfigError, UsageError
from spexsearch.govern.check import Settled, check
from spexsearch.govern.config import FILES, Config, read_config
from spexsearch.govern.model import Change, ChangeSet, Origin
from spexsearch.govern.report import Report
from spexsearch.govern.repository import Entry, Repository
from spexsearch.govern.settle import by_path, touched_paths
from spexsearch.specs.dialects import candidates
from spexsearch.specs.folder import MAX_SPEC, read_folder
from spexsearch.specs.loader import Memory, load_specs
from spexsearch.specs.model import Problem, SpecTree

REGULAR = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The parts of a command line that say how to judge, whatever is judged."""

    specs: str | None = None
    config: Path | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """The files of one state of a repository: the texts that may be specs, every path, and what could not be read."""

    texts: Mapping[str, bytes]
    files: frozenset[str]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to judge, with the specs in force.

    `notices` are for standard error; `repo` knows the branch of what is staged.
    """

    change_set: ChangeSet
    before: SpecTree
    after: SpecTree
    config: Config
    settled: Settled = field(default_factory=Settled)
    notices: tuple[str, ...] = ()
    repo: Repository | None = None


def judge(case: Case) -> Report:
    """Check a case. What the branch did before is looked up only when something is left to settle."""
    report = check(case.change_set, case.before, case.after, case.config, case.settled)
    if case.repo is None or case.change_set.origin != "staged" or not report.findings:
        return report
    earlier = _touched_on_branch(case.repo)
    if not earlier:
        return report
    return check(case.change_set, case.before, case.after, case.config, replace(case.settled, touched=earlier))


def staged_or_last(repo: Repository, wanted: Wanted, environ: Mapping[str, str]) -> Case:
    """What is staged. With nothing staged, what a runner names or, run by hand under one, the last commit."""
    base, head = (environ.get(f"PRE_COMMIT_{side}_REF") for side in ("FROM", "TO"))
    if base and head:
        return revisions(repo, f"{base}...{head}", wanted)
    changes = repo.staged_changes()
    # `git commit` names its index to its hooks; a runner that was started by hand has none, and must not pass unseen.
    by_hand = (environ.get("PRE_COMMIT") or environ.get("CI")) and not environ.get("GIT_INDEX_FILE")
    if changes or not by_hand or repo.head() is None:
        return _staged(repo, changes, wanted)
    return replace(commit(repo, "HEAD", wanted), notices=("nothing is staged; judging the last commit",))


def commit(repo: Repository, revision: str, wanted: Wanted) -> Case:
    """One commit against its first parent."""
    head = repo.resolve(revision)
    return _between(repo, repo.parent(head), head, "commit", wanted)


def revisions(repo: Repository, text: str, wanted: Wanted) -> Case:
    """`REV`, `A..B` or `A...B`; an absent side is HEAD, as in git."""
    for dots in ("...", ".."):
        base, found, head = text.partition(dots)
        if found:
            old, new = repo.resolve(base or "HEAD"), repo.resolve(head or "HEAD")
            return _between(repo, repo.merge_base(old, new) if dots == "..." else old, new, "range", wanted)
    return commit(repo, text, wanted)


def diff_text(root: Path, repo: Repository | None, data: bytes, wanted: Wanted) -> Case:
    """A unified diff, with the specs of the working tree; its blobs from the repository, where it has them."""
    from spexsearch.govern.diff import changes_from_text

    changes = changes_from_text(data)
    contents = _contents(repo, changes, missing_ok=True) if repo else {}
    if wanted.specs:
        if repo is None:
            raise UsageError("--specs names a revision, but this is no git repository")
        after = _state_at(repo, repo.list_tree(repo.resolve(wanted.specs)))
    else:
        folder = read_folder(root)
        after = State(folder.texts, frozenset(folder.files), tuple(folder.problems))
    blind = sum(not {c.old_blob, c.new_blob} <= {None, *contents} for c in changes if not c.binary)
    told = f"{blind} of {len(changes)} files are judged from their hunks: their blobs are not in this repository"
    texts = {name: path.read_bytes() for name in FILES if (path := root / name).is_file() and not path.is_symlink()}
    case = Case(
        ChangeSet("diff", changes, contents=contents),
        *_trees(after, after if wanted.specs else _rewound(after, changes, contents)),
        _config(wanted, texts),
        Settled(message=wanted.message),
    )
    return replace(case, notices=(told,)) if blind else case


def _staged(repo: Repository, changes: tuple[Change, ...], wanted: Wanted) -> Case:
    entries = repo.list_index()
    change_set = ChangeSet("staged", changes, base=repo.head())
    return replace(_case(repo, change_set, entries, _config_blobs(entries), wanted), repo=repo)


def _between(repo: Repository, base: str | None, head: str, origin: Origin, wanted: Wanted) -> Case:
    changes = repo.tree_changes(base, head)
    commits = repo.commits(base, head)
    change_set = ChangeSet(origin, changes, base=base, head=head, commits=commits)
    # A range must not excuse itself: the configuration is the one that was agreed on before it.
    configured = _config_blobs(repo.list_tree(base)) if base else {}
    return _case(repo, change_set, repo.list_tree(head), configured, wanted)


def _case(
    repo: Repository, change_set: ChangeSet, entries: Mapping[str, Entry], configured: Mapping[str, str], wanted: Wanted
) -> Case:
    contents = _contents(repo, change_set.changes)
    blobs = repo.read_blobs(configured.values(), MAX_SPEC)
    config = _config(wanted, {name: blobs[blob] for name, blob in configured.items()})
    if wanted.specs:
        after = before = _state_at(repo, repo.list_tree(repo.resolve(wanted.specs)))
    else:
        after = _state_at(repo, entries, contents)
        before = _rewound(after, change_set.changes, contents)
    return Case(replace(change_set, contents=contents), *_trees(after, before), config, Settled(message=wanted.message))


def _trees(after: State, before: State) -> tuple[SpecTree, SpecTree]:
    """(base, head)."""
    memory = Memory()
    head = load_specs(after.texts, after.files, memory=memory, problems=after.problems)
    same = before is after or (before.texts == after.texts and before.files == after.files)
    return (head if same else load_specs(before.texts, before.files, memory=memory)), head


def _state_at(repo: Repository, entries: Mapping[str, Entry], known: Mapping[str, bytes] | None = None) -> State:
    known = dict(known or {})
    wanted = {path: entries[path] for path in candidates(entries)}
    regular = {path: entry.blob for path, entry in wanted.items() if entry.mode in REGULAR}
    contents = repo.read_blobs((blob for blob in regular.values() if blob not in known), MAX_SPEC) | known
    texts = {path: contents[blob] for path, blob in regular.items() if blob in contents}
    problems = tuple(
        Problem(path, 1, "is no regular file, or larger than 4 MiB, and is not read", unreadable=True)
        for path in wanted
        if path not in texts
    )
    return State(texts, frozenset(entries), problems)


def _rewound(after: State, changes: Iterable[Change], contents: Mapping[str, bytes]) -> State:
    """The state before the changes: what they do not name is the same."""
    texts, files = dict(after.texts), set(after.files)
    for change in changes:
        if change.status in ("A", "C", "R"):
            texts.pop(change.path, None)
            files.discard(change.path)
    for change in changes:
        if change.status not in ("A", "C"):
            files.add(change.before)
            text = contents.get(change.old_blob or "")
            if text is not None and change.old_mode in REGULAR:
                texts[change.before] = text
    read = set(candidates(sorted(files)))
    return State({path: text for path, text in texts.items() if path in read}, frozenset(files))


def _contents(repo: Repository, changes: Iterable[Change], *, missing_ok: bool = False) -> dict[str, bytes]:
    blobs = {
        blob
        for change in changes
        for blob, mode in ((change.old_blob, change.old_mode), (change.new_blob, change.new_mode))
        if blob and (mode is None or mode in REGULAR)
    }
    return repo.read_blobs(sorted(blobs), MAX_SPEC, missing_ok=missing_ok)


def _touched_on_branch(repo: Repository) -> frozenset[str]:
    """Specs that commits of this branch which are not upstream yet have touched."""
    base, head = repo.unpushed_base(), repo.head()
    if base is None or head is None or base == head:
        return frozenset()
    changes = tuple(c for c in repo.tree_changes(base, head) if candidates([c.path]))
    contents = _contents(repo, changes)
    after = {c.path: contents[c.new_blob] for c in changes if c.new_blob in contents}
    before = {c.before: contents[c.old_blob] for c in changes if c.old_blob in contents}
    old, new = (by_path(load_specs(texts)) for texts in (before, after))
    return touched_paths(ChangeSet("range", changes, contents=contents), old, new)


def _config_blobs(entries: Mapping[str, Entry]) -> dict[str, str]:
    return {name: entries[name].blob for name in FILES if name in entries and entries[name].mode in REGULAR}


def _config(wanted: Wanted, texts: Mapping[str, bytes]) -> Config:
    if wanted.config is None:
        return read_config(texts)
    try:
        data = wanted.config.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"--config {wanted.config} cannot be read ({error.strerror}); name a file that exists"
        ) from None
    return read_config({"pyproject.toml" if wanted.config.name == "pyproject.toml" else "spex.toml": data})
