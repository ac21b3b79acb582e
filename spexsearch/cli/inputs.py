"""What the command line, a hook or an Action names -> everything that `check` needs. Joins git to the check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from spexsearch.errors import ConfigError, InputError, UsageError
from spexsearch.govern.check import Settled, check
from spexsearch.govern.config import FILES, Config, read_config
from spexsearch.govern.model import Change, ChangeSet, Origin, State
from spexsearch.govern.report import ACKNOWLEDGEABLE, Report
from spexsearch.govern.repository import Entry, Repository
from spexsearch.govern.settle import by_path, touched_paths
from spexsearch.specs.dialects import candidates
from spexsearch.specs.folder import MAX_SPEC, read_folder
from spexsearch.specs.loader import Memory, load_specs
from spexsearch.specs.model import Problem

REGULAR = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The parts of a command line that say how to judge, whatever is judged."""

    specs: str | None = None
    config: Path | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one state of a repository: texts that may be specs, every path with its blob, what was not read."""

    texts: Mapping[str, bytes]
    blobs: Mapping[str, str]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to judge, with the specs in force.

    `root` is the top of the working tree, None where there is none. `notices` are for standard error. Of what is
    staged, `repo` knows the branch; `in_hook`: a commit hook asks, and it has not seen the message.
    """

    change_set: ChangeSet
    before: State
    after: State
    config: Config
    root: Path | None = None
    settled: Settled = field(default_factory=Settled)
    notices: tuple[str, ...] = ()
    repo: Repository | None = None
    in_hook: bool = False


def judge(case: Case) -> Report:
    """Check a case. What the branch did before is looked up only when something is left to settle."""
    report = check(case.change_set, case.before, case.after, case.config, case.settled)
    if case.repo is None or not report.findings:
        return report
    earlier = _touched_on_branch(case.repo)
    if earlier:
        settled = replace(case.settled, touched=earlier)
        report = check(case.change_set, case.before, case.after, case.config, settled)
    return _left_to_the_message(report) if case.in_hook and _message_is_judged(case.repo) else report


def _left_to_the_message(report: Report) -> Report:
    """The report without what the hook that sees the commit message will say."""
    return replace(report, findings=tuple(f for f in report.findings if f.rule not in ACKNOWLEDGEABLE))


def _message_is_judged(repo: Repository) -> bool:
    hook = repo.hook("commit-msg")
    if "spex-govern" in hook:
        return True
    # pre-commit's own script runs what its configuration says.
    config = repo.read_worktree(".pre-commit-config.yaml", MAX_SPEC) if "pre-commit" in hook else None
    return b"spex-govern-message" in (config or b"")


def staged_or_last(repo: Repository, wanted: Wanted, environ: Mapping[str, str]) -> Case:
    """What is staged. What a runner names instead; with nothing staged, and run by hand under one, the last commit."""
    base, head = (environ.get(f"PRE_COMMIT_{side}_REF") for side in ("FROM", "TO"))
    if base and head:
        return _since(repo, base, head, wanted)
    # Before a push of a whole history pre-commit names no refs, and what is staged is not what is pushed.
    if environ.get("PRE_COMMIT_REMOTE_NAME") and (pushed := environ.get("PRE_COMMIT_LOCAL_BRANCH")):
        return _since(repo, "", pushed, wanted)
    changes = repo.staged_changes()
    # `git commit` names its index to its hooks; a runner that was started by hand has none, and must not pass unseen.
    in_hook = "GIT_INDEX_FILE" in environ
    by_hand = (environ.get("PRE_COMMIT") or environ.get("CI")) and not in_hook
    if changes or not by_hand or repo.head() is None:
        return replace(_staged(repo, changes, wanted), in_hook=in_hook and wanted.message is None)
    return replace(commit(repo, "HEAD", wanted), notices=("nothing is staged; judging the last commit",))


def pushed(repo: Repository, told: str, remote: str, wanted: Wanted) -> Iterator[Case]:
    """What a push brings, ref by ref. `told`: what git tells a pre-push hook on standard input."""
    for line in filter(None, told.split("\n")):
        words = line.split(" ")
        if len(words) != 4:
            raise InputError(
                "standard input is not what git tells a pre-push hook: local ref, commit, remote ref, commit"
            )
        ref, local, _, old = words
        if local.strip("0"):
            yield replace(_since(repo, old, local, wanted, remote), notices=(f"judging what {ref} brings",))


def _since(repo: Repository, base: str, head: str, wanted: Wanted, remote: str = "") -> Case:
    """What `head` has and `base` has not; where the base is not known here, what no remote-tracking branch has."""
    new = repo.resolve(head)
    if base.strip("0") and repo.is_revision(base):
        return _between(repo, repo.merge_base(repo.resolve(base), new), new, "range", wanted)
    return _between(repo, repo.upstream_base(new, remote), new, "range", wanted)


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
        after = before = _files_at(repo, repo.list_tree(repo.resolve(wanted.specs)))
    else:
        folder = read_folder(root)
        here = Files(folder.texts, dict.fromkeys(folder.files, ""), tuple(folder.problems))
        # Whether the diff is applied here already or not, both sides are what it says of them.
        after = _stepped(here, changes, contents, back=False)
        before = _stepped(after, changes, contents, back=True)
    blind = sum(not {c.old_blob, c.new_blob} <= {None, *contents} for c in changes if not c.binary)
    told = f"{blind} of {len(changes)} files are judged from their hunks: their blobs are not in this repository"
    texts = {name: path.read_bytes() for name in FILES if (path := root / name).is_file() and not path.is_symlink()}
    case = Case(
        ChangeSet("diff", changes, contents=contents),
        *_states(after, before),
        _config(wanted, texts),
        root,
        Settled(message=wanted.message or ""),
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
        after = before = _files_at(repo, repo.list_tree(repo.resolve(wanted.specs)))
    else:
        after = _files_at(repo, entries, contents)
        before = _stepped(after, change_set.changes, contents, back=True)
    old, new = _states(after, before)
    contents |= _claimed(repo, change_set.changes, new, contents)
    root = repo.root if repo.has_worktree else None
    return Case(replace(change_set, contents=contents), old, new, config, root, Settled(message=wanted.message or ""))


def _states(after: Files, before: Files) -> tuple[State, State]:
    """(base, head)."""
    memory = Memory()
    head = load_specs(after.texts, after.blobs, memory=memory, problems=after.problems)
    same = before is after or (before.texts == after.texts and before.blobs.keys() == after.blobs.keys())
    base = head if same else load_specs(before.texts, before.blobs, memory=memory, problems=before.problems)
    return State(base, before.blobs), State(head, after.blobs)


def _files_at(repo: Repository, entries: Mapping[str, Entry], known: Mapping[str, bytes] | None = None) -> Files:
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
    return Files(texts, {path: entry.blob for path, entry in entries.items()}, problems)


def _stepped(files: Files, changes: Sequence[Change], contents: Mapping[str, bytes], *, back: bool) -> Files:
    """The files on the other side of the changes. What they do not name, or whose blob is not here, is as it was."""
    steps = [_sides(change)[::-1] if back else _sides(change) for change in changes]
    texts, blobs = dict(files.texts), dict(files.blobs)
    for left, _ in steps:
        if left.there:
            texts.pop(left.path, None)
            blobs.pop(left.path, None)
    for left, entered in steps:
        if entered.there:
            blobs[entered.path] = entered.blob or ""
            text = contents.get(entered.blob or "", files.texts.get(left.path if left.there else entered.path))
            if text is not None and entered.mode in (None, *REGULAR):
                texts[entered.path] = text
    read = set(candidates(sorted(blobs)))
    changed = {side.path for step in steps for side in step}
    problems = tuple(problem for problem in files.problems if problem.path not in changed)
    return Files({path: text for path, text in texts.items() if path in read}, blobs, problems)


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a change. `there`: the change is about a file that is there on this side."""

    path: str
    blob: str | None
    mode: str | None
    there: bool


def _sides(change: Change) -> tuple[_Side, _Side]:
    return (
        _Side(change.before, change.old_blob, change.old_mode, change.status not in ("A", "C")),
        _Side(change.path, change.new_blob, change.new_mode, change.status != "D"),
    )


def _claimed(repo: Repository, changes: Iterable[Change], after: State, known: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files whose units the changed specs claim: a claim may be new though its file is as it was."""
    changed = {change.path for change in changes}
    claims = (c for spec in after.tree.specs if spec.path in changed for c in spec.claims if c.symbol is not None)
    blobs = {after.files[claim.path] for claim in claims if claim.path in after.files}
    return repo.read_blobs(sorted(blobs - known.keys()), MAX_SPEC)


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
    head = repo.head()
    base = repo.upstream_base(head) if head else None
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
