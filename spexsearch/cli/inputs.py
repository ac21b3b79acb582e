"""What the command line, a hook or an Action names -> everything that `check` needs. Joins git to the check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from spexsearch.cli import sources
from spexsearch.cli.ground import config_texts
from spexsearch.errors import ConfigError, GitError, InputError, UsageError
from spexsearch.govern.check import Elsewhere, check
from spexsearch.govern.config import FILES, OWN_FILES, Config, read_config
from spexsearch.govern.model import Change, ChangeSet, Commit, NotJudged, Origin, State
from spexsearch.govern.report import ACKNOWLEDGEABLE, Report
from spexsearch.govern.repository import Entry, Repository
from spexsearch.govern.settle import Acknowledgements, acknowledged_ids, by_path, is_told, moved_specs, touched_paths
from spexsearch.govern.significance import LOUD, effect
from spexsearch.govern.states import REGULAR, Files, agrees, done, states, undone
from spexsearch.govern.vanished import Source
from spexsearch.specs.claims import normal
from spexsearch.specs.dialects import candidates
from spexsearch.specs.folder import MAX_SPEC, read_folder
from spexsearch.specs.model import Problem
from spexsearch.specs.plain import read_plainly

# A mention in a comment runs nothing.
_CALLED = re.compile(r"^[^#\n]*\bspex-govern\b[^#\n]*--commit-msg", re.MULTILINE)
_CONFIGURED = re.compile(r"^[ \t-]*id:[ \t]*['\"]?spex-govern-message\b", re.MULTILINE)

MISSING = "no such file here; a diff that was made in another folder has other paths"


class Wanted(NamedTuple):
    """The parts of a command line that say how to judge, whatever is judged."""

    specs: str | None = None
    config: Path | None = None
    message: str | None = None


class Case(NamedTuple):
    """One thing to judge, with the specs in force.

    `root` is the top of the working tree, None where there is none. `notices` are for standard error. Of what is
    staged, `repo` knows the branch; `in_hook`: a commit hook asks, and it has not seen the message. `source` looks up
    what the change takes from the code.
    """

    change_set: ChangeSet
    before: State
    after: State
    config: Config
    root: Path | None = None
    elsewhere: Elsewhere = Elsewhere()
    notices: tuple[str, ...] = ()
    repo: Repository | None = None
    in_hook: bool = False
    source: Source | None = None


def judge(case: Case) -> Report:
    """Check a case. What the branch did before is looked up only when something is left to settle."""
    report = _checked(case)
    if case.repo is None or not report.findings:
        return report
    earlier = _touched_on_branch(case.repo, case.config, moved_specs(case.change_set.changes))
    if earlier:
        report = _checked(case._replace(elsewhere=case.elsewhere._replace(touched=earlier)))
    return _left_to_the_message(report) if case.in_hook and _message_is_judged(case.repo) else report


def _checked(case: Case) -> Report:
    return check(case.change_set, case.before, case.after, case.config, case.elsewhere, source=case.source)


def _left_to_the_message(report: Report) -> Report:
    """The report without what the hook that sees the commit message will say."""
    return report._replace(findings=tuple(f for f in report.findings if f.rule not in ACKNOWLEDGEABLE))


def _message_is_judged(repo: Repository) -> bool:
    hook = repo.hook("commit-msg")
    if _CALLED.search(hook):
        return True
    # pre-commit's own script runs what its configuration says.
    config = read_plainly(repo.root, ".pre-commit-config.yaml", MAX_SPEC) if "pre-commit" in hook else None
    return _CONFIGURED.search((config or b"").decode("utf-8", "replace")) is not None


def staged_or_last(repo: Repository, wanted: Wanted, environ: Mapping[str, str]) -> Case:
    """What is staged. What a runner names instead; with nothing staged, and run by hand under one, the last commit."""
    base, head = (environ.get(f"PRE_COMMIT_{side}_REF") for side in ("FROM", "TO"))
    branch = environ.get("PRE_COMMIT_LOCAL_BRANCH") if environ.get("PRE_COMMIT_REMOTE_NAME") else None
    if branch:
        # Before a push of a whole history pre-commit names no refs, and what is staged is not what is pushed.
        case = _since(repo, base or "", head or branch, wanted)
        return case._replace(
            notices=(f"judging {branch}; of a push of several refs pre-commit hands on one", *case.notices)
        )
    if base and head:
        return _since(repo, base, head, wanted)
    changes = repo.staged_changes()
    # `git commit` names its index to its hooks; a runner that was started by hand has none, and must not pass unseen.
    in_hook = "GIT_INDEX_FILE" in environ
    by_hand = (environ.get("PRE_COMMIT") or environ.get("CI")) and not in_hook
    if changes or not by_hand or repo.head() is None:
        skipped = "spex-govern-message" in environ.get("SKIP", "").split(",")
        deferring = in_hook and wanted.message is None and not skipped
        return _staged(repo, changes, wanted)._replace(in_hook=deferring)
    return commit(repo, "HEAD", wanted)._replace(notices=("nothing is staged; judging the last commit",))


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
            case = _since(repo, old, local, wanted, remote)
            yield case._replace(notices=(f"judging what {ref} brings", *case.notices))


def _since(repo: Repository, base: str, head: str, wanted: Wanted, remote: str = "") -> Case:
    """What `head` has and `base` has not; where the base is not known here, what no remote-tracking branch has."""
    new = repo.resolve(head)
    if base.strip("0") and repo.is_revision(base):
        return between(repo, repo.merge_base(repo.resolve(base), new), new, "range", wanted)
    upstream = repo.upstream_base(new, remote)
    if base.strip("0") and upstream == new:
        raise GitError(f"{base!r} is not here, so nobody knows what changed since{repo.shortfall or '; fetch it'}")
    return between(repo, upstream, new, "range", wanted)


def commit(repo: Repository, revision: str, wanted: Wanted) -> Case:
    """One commit against its first parent."""
    head = repo.resolve(revision)
    return between(repo, repo.parent(head), head, "commit", wanted)


def names_revisions(repo: Repository, text: str) -> bool:
    """Whether a text names a revision, or a range of two."""
    base, dots, head = text.partition("...") if "..." in text else text.partition("..")
    return repo.is_revision(base) and (not dots or repo.is_revision(head or "HEAD"))


def revisions(repo: Repository, text: str, wanted: Wanted) -> Case:
    """`REV`, `A..B` or `A...B`; an absent B is HEAD. Git takes an absent A for HEAD too, and so finds no change."""
    for dots in ("...", ".."):
        base, found, head = text.partition(dots)
        if found and not base:
            raise UsageError(f"{text!r} has no base, perhaps from an empty variable: name the revision to compare with")
        if found:
            old, new = repo.resolve(base), repo.resolve(head or "HEAD")
            return between(repo, repo.merge_base(old, new) if dots == "..." else old, new, "range", wanted)
    return commit(repo, text, wanted)


def diff_text(root: Path, repo: Repository | None, data: bytes, wanted: Wanted) -> Case:
    """A unified diff, with the specs of the working tree; its blobs from the repository, where it has them."""
    from spexsearch.govern.diff import changes_from_text

    changes = changes_from_text(data)
    contents = contents_of(repo, changes, missing_ok=True) if repo else {}
    if wrong := next((change for change in changes if not agrees(change, contents)), None):
        raise InputError(f"the diff of {wrong.path} is not that of the blobs it names; make it again with `git diff`")
    changes = tuple(_with_its_blob(root, change, contents) for change in changes)
    config = _config(wanted, config_texts(root))
    missing: tuple[NotJudged, ...] = ()
    if wanted.specs:
        if repo is None:
            raise UsageError("--specs names a revision, but this is no git repository")
        after = before = files_at(repo, repo.list_tree(repo.resolve(wanted.specs)), config)
    else:
        folder = read_folder(root, config.specs, sorted(both_sides(changes)))
        here = Files(folder.texts, dict.fromkeys(folder.files, ""), tuple(folder.problems), config.specs)
        missing = tuple(NotJudged(c.path, MISSING) for c in changes if _is_missing(c, here))
        after = done(here, changes, contents)
        before = undone(after, changes, contents)
    change_set = ChangeSet("diff", changes, contents=contents, not_judged=missing)
    old, new = states(before, after)
    notices = _told_of(changes, contents, len(missing))
    elsewhere = Elsewhere(message=_message_of(repo, wanted))
    return Case(
        change_set, old, new, config, root, elsewhere, notices, source=sources.on_disk(root, change_set, new, data)
    )


def _with_its_blob(root: Path, change: Change, contents: dict[str, bytes]) -> Change:
    """The change; where it leaves a content alone, for which a diff names no blob, with the blob that is here."""
    if change.hunks or change.binary or change.status not in ("M", "R") or change.old_blob or change.new_blob:
        return change
    read = (read_plainly(root, path, MAX_SPEC) for path in (change.path, change.before))
    data = next((data for data in read if data is not None), None)
    if data is None:
        return change
    import hashlib

    # Named as git does, but any name would do.
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    contents[blob] = data
    return change._replace(old_blob=blob, new_blob=blob)


def _is_missing(change: Change, here: Files) -> bool:
    return change.status in ("M", "R", "T") and not {change.path, change.before} & here.blobs.keys()


def _told_of(changes: Sequence[Change], contents: Mapping[str, bytes], missing: int) -> tuple[str, ...]:
    blind = sum(not change.binary and not is_told(change, contents) for change in changes)
    told = (
        (blind, "judged from their hunks, for their blobs are not in this repository"),
        (missing, "not here: is this the folder that the diff belongs to?"),
    )
    return tuple(f"of {len(changes)} changed files, {count} are {what}" for count, what in told if count)


def _staged(repo: Repository, changes: tuple[Change, ...], wanted: Wanted) -> Case:
    # The index has no one entry for an unmerged path, but the file is there.
    unmerged = {change.path: Entry(REGULAR[0], "") for change in changes if change.status == "U"}
    entries = repo.list_index() | unmerged
    change_set = ChangeSet("staged", changes, base=repo.head())
    return _case(repo, change_set, entries, config_blobs(entries), wanted)._replace(repo=repo)


def between(repo: Repository, base: str | None, head: str, origin: Origin, wanted: Wanted) -> Case:
    """What leads from one commit, or from nothing at all, to another."""
    changes = repo.tree_changes(base, head)
    commits = _with_cosmetic(repo, repo.commits(base, head))
    notices = ("both sides are the same commit; nothing is judged",) if base == head else ()
    if base is None and origin == "range":
        notices = ("no commit is known to be there already; the whole history is judged as new",)
    change_set = ChangeSet(origin, changes, base=base, head=head, commits=commits)
    # A range must not excuse itself: the configuration is the one that was agreed on before it.
    configured = config_blobs(repo.list_tree(base)) if base else {}
    case = _case(repo, change_set, repo.list_tree(head), configured, wanted)
    return case._replace(notices=(*notices, *case.notices))


def _with_cosmetic(repo: Repository, commits: tuple[Commit, ...]) -> tuple[Commit, ...]:
    """The commits with what in them leaves no spec behind; asked only where something is acknowledged at all."""
    if not Acknowledgements(commits).ids:
        return commits
    return tuple(c._replace(cosmetic=_cosmetic(repo, c)) if c.paths and c.parents else c for c in commits)


def _cosmetic(repo: Repository, commit: Commit) -> frozenset[str]:
    changes = repo.tree_changes(commit.parents[0], commit.sha)
    contents = contents_of(repo, changes)
    sides = ((c, contents.get(c.old_blob or ""), contents.get(c.new_blob or "")) for c in changes)
    quiet = [change for change, old, new in sides if effect(change, old, new).significance not in LOUD]
    return frozenset(path for change in quiet for path in (change.path, change.before))


def _case(
    repo: Repository, change_set: ChangeSet, entries: Mapping[str, Entry], configured: Mapping[str, str], wanted: Wanted
) -> Case:
    contents = contents_of(repo, change_set.changes)
    blobs = repo.read_blobs(configured.values(), MAX_SPEC)
    if too_large := [name for name, blob in configured.items() if blob not in blobs]:
        raise ConfigError(f"{too_large[0]} is larger than {MAX_SPEC >> 20} MiB; a configuration is not")
    config = _config(wanted, {name: blobs[blob] for name, blob in configured.items()})
    if wanted.specs:
        after = before = files_at(repo, repo.list_tree(repo.resolve(wanted.specs)), config)
    else:
        after = files_at(repo, entries, config, contents, both_sides(change_set.changes))
        before = undone(after, change_set.changes, contents)
    old, new = states(before, after)
    contents |= claimed_contents(repo, change_set.changes, old, new, contents)
    root = repo.root if repo.has_worktree else None
    elsewhere = Elsewhere(message=_message_of(repo, wanted))
    notices = _idle_patterns(config, new)
    source = sources.in_git(repo, entries, new)
    return Case(change_set._replace(contents=contents), old, new, config, root, elsewhere, notices, source=source)


def _message_of(repo: Repository | None, wanted: Wanted) -> str:
    """The message at hand, without the lines that git is about to cut from it as comments."""
    marks = tuple(repo.comment_marks()) if repo and acknowledged_ids(wanted.message or "") else ()
    return "\n".join(line for line in (wanted.message or "").split("\n") if not line.startswith(marks))


def _idle_patterns(config: Config, state: State) -> tuple[str, ...]:
    """Patterns of `specs` that no file matches: with a typing error in one, specs would vanish in silence."""
    idle = [glob for glob in config.specs if not any(glob.matches(path) for path in state.files)]
    return tuple(f"the pattern {glob.pattern!r} of `specs` matches no file" for glob in idle)


def both_sides(changes: Iterable[Change]) -> frozenset[str]:
    return frozenset(path for change in changes for path in (change.path, change.before))


def files_at(
    repo: Repository,
    entries: Mapping[str, Entry],
    config: Config,
    known: Mapping[str, bytes] | None = None,
    also: frozenset[str] = frozenset(),
) -> Files:
    """The files of one state; `also`: paths of the other side, which may make specs of files that are here."""
    known = dict(known or {})
    paths = candidates(sorted(also.union(entries)), config.specs)
    wanted = {path: entries[path] for path in paths if path in entries and entries[path].blob}
    regular = {path: entry.blob for path, entry in wanted.items() if entry.mode in REGULAR}
    contents = repo.read_blobs((blob for blob in regular.values() if blob not in known), MAX_SPEC) | known
    texts = {path: contents[blob] for path, blob in regular.items() if blob in contents}
    problems = tuple(
        Problem(path, 1, "is no regular file, or larger than 4 MiB, and is not read", unreadable=True)
        for path in wanted
        if path not in texts
    )
    return Files(texts, {path: entry.blob for path, entry in entries.items()}, problems, config.specs)


def claimed_contents(
    repo: Repository, changes: Iterable[Change], before: State, after: State, known: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The files whose units the changed specs claim, or did: a claim may come or go though its file is as it was."""
    changed = both_sides(changes)
    specs = (spec for state in (before, after) for spec in state.tree.specs if spec.path in changed)
    wanted = {normal(claim.path) for spec in specs for claim in spec.claims if claim.symbol is not None}
    blobs = {blob for path, blob in after.files.items() if blob and normal(path) in wanted} if wanted else set()
    return repo.read_blobs(sorted(blobs - known.keys()), MAX_SPEC)


def contents_of(repo: Repository, changes: Iterable[Change], *, missing_ok: bool = False) -> dict[str, bytes]:
    blobs = {
        blob
        for change in changes
        for blob, mode in ((change.old_blob, change.old_mode), (change.new_blob, change.new_mode))
        if blob and (mode is None or mode in REGULAR)
    }
    return repo.read_blobs(sorted(blobs), MAX_SPEC, missing_ok=missing_ok)


def _touched_on_branch(repo: Repository, config: Config, moved: Mapping[str, str]) -> frozenset[str]:
    """Specs, by their paths in the index, that commits of this branch which are not upstream yet have touched."""
    head = repo.head()
    base = repo.upstream_base(head) if head else None
    if base is None or head is None or base == head:
        return frozenset()
    changes = repo.tree_changes(base, head)
    spec_like = set(candidates(sorted(both_sides(changes) | {"SPEC.md"}), config.specs))
    contents = contents_of(repo, [c for c in changes if {c.path, c.before} & spec_like])
    after = files_at(repo, repo.list_tree(head), config, contents, both_sides(changes))
    old, new = states(undone(after, changes, contents), after)
    touched = touched_paths(ChangeSet("range", changes, contents=contents), by_path(old.tree), by_path(new.tree))
    return frozenset(moved.get(path, path) for path in touched)


def config_blobs(entries: Mapping[str, Entry]) -> dict[str, str]:
    if odd := next((name for name in OWN_FILES if name in entries and entries[name].mode not in REGULAR), None):
        raise ConfigError(f"{odd} is no regular file; put the configuration itself there")
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
