"""A git repository, read through git's own plumbing with every option pinned. No other module asks git anything."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Literal, NamedTuple

from spexsearch.errors import GitError, NotARepositoryError
from spexsearch.govern.diff import changes_from_git, commits_from_git, raw_records, read_hunks, whole_file
from spexsearch.govern.git import run as gitrun
from spexsearch.govern.git.merges import own_of_merge
from spexsearch.govern.model import LARGEST_TEXT, Change, Commit, Hunk, PastUnit

_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
LARGEST_HOOK = 1 << 16
"""Bytes of a hook that are looked at: it is a script."""
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_OBJECT = re.compile(r"[0-9a-f]{4,64}")
_SUBMODULE = "160000"
_SNIFFED = 8000
"""Bytes in which git looks for a NUL to tell binary from text."""
_LISTING = ("-r", "--raw", "-z", "--no-abbrev", "--no-relative", "--ignore-submodules=none", "-O/dev/null")
# Git's own defaults, said aloud so that no configuration and no attribute says otherwise. One line of context, for
# without any git leaves the files' common end out first, and may then pair other lines than every other diff shows.
_PATCH = (
    *("-p", "-U1", "--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic", "--full-index"),
    *("--no-ext-diff", "--no-textconv", "--no-color", "--ws-error-highlight=none", "--submodule=short"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
_RENAMES = ("-M50%", "-l1000")


class Entry(NamedTuple):
    """One file of an index or a tree: git's six octal digits, and the object's name."""

    mode: str
    blob: str


class Repository:
    """One repository for the length of one judgement: HEAD is what it was at `discover`.

    `root` is the top of the working tree, or the git folder where there is none. `git_dir` belongs to this working
    tree alone, `git_common_dir` to all of them. Every method raises GitError where git does not give a whole answer.
    """

    def __init__(
        self,
        root: Path,
        git_dir: Path,
        git_common_dir: Path,
        has_worktree: bool,
        object_format: str,
        head: str | None,
        environ: Mapping[str, str],
    ) -> None:
        self.root, self.has_worktree, self.object_format = root, has_worktree, object_format
        self.git_dir, self.git_common_dir = git_dir, git_common_dir
        self._head, self._environ = head, environ
        self._objects: gitrun.Objects | None = None

    @staticmethod
    def discover(start: Path, environ: Mapping[str, str] | None = None) -> Repository:
        """The repository that holds the folder `start`. NotARepositoryError where there is none.

        What a hook's environment says of places holds for the repository of the current folder, and for no other.
        """
        environ = os.environ if environ is None else environ
        alone = gitrun.clean(environ, places=False)
        here = gitrun.hook_folder(environ) if gitrun.has_places(environ) else None
        if here is None:
            return _probe(start, alone)
        judged = _probe(here, gitrun.clean(environ, places=True))
        if gitrun.is_index_of_another(environ, judged.git_dir):
            return _probe(start, alone)
        if start.resolve() in (here, Path.cwd().resolve()):
            return judged
        try:
            found = _probe(start, alone)
        except NotARepositoryError:
            if judged.has_worktree and start.resolve().is_relative_to(judged.root):
                return judged
            raise
        return judged if found.git_dir == judged.git_dir else found

    @contextmanager
    def kept_open(self) -> Iterator[Repository]:
        """The same repository, with one process for all the objects that are read while it is open."""
        objects = gitrun.Objects(self.root, self._environ)
        try:
            opened = copy(self)
            opened._objects = objects
            yield opened
        finally:
            objects.close()

    def resolve(self, rev: str) -> str:
        """The full name of the commit that `rev` names."""
        commit = self._verified(rev)
        if commit is None:
            raise GitError(f"{rev!r} names no commit here; `git branch -a` and `git tag` list names{self.shortfall}")
        return commit

    def is_revision(self, text: str) -> bool:
        """Whether `text` names a commit."""
        return self._verified(text) is not None

    def head(self) -> str | None:
        """The commit that was checked out; None before the first one."""
        return self._head

    def parent(self, sha: str) -> str | None:
        """The first parent; None for a root commit."""
        if sha in self._cut_off():
            raise GitError(f"the parent of {sha} is not here{self.shortfall}")
        own, *parents = self._get("rev-list", "--parents", "--no-walk", sha).decode().split() or [""]
        if own != sha:
            raise GitError(f"git does not tell the parents of {sha}: look at the repository with `git fsck`")
        return parents[0] if parents else None

    def merge_base(self, a: str, b: str) -> str:
        """The best common ancestor of two commits; the first one where there are several."""
        found = self._output("merge-base", a, b, unless=(1,))
        if found is None:
            advice = self.shortfall or "; their histories are unrelated: compare the two with A..B"
            raise GitError(f"{a} and {b} have no common ancestor{advice}")
        return found.decode().split()[0]

    def merge_heads(self) -> tuple[str, ...]:
        """The commits that a merge in progress brings in."""
        heads = tuple(gitrun.words(self.git_dir / "MERGE_HEAD"))
        if not all(_COMMIT.fullmatch(name) for name in heads):
            raise GitError("MERGE_HEAD names no commits: finish the merge, or run `git merge --abort`")
        return heads

    def list_index(self) -> dict[str, Entry]:
        """Every file of the index, without unmerged ones and those that are only intended to be added."""
        return self._entries("diff-index", "--cached", "--ita-invisible-in-index", self._empty_tree)

    def list_tree(self, sha: str) -> dict[str, Entry]:
        """Every file of a commit or tree."""
        return self._entries("diff-tree", self._empty_tree, sha)

    def staged_changes(self) -> tuple[Change, ...]:
        """The index against HEAD, or against nothing before the first commit.

        While a merge is in progress, only what differs from each parent. Unmerged paths have the status U.
        """
        if not self.has_worktree and not Path(self._environ.get("GIT_INDEX_FILE", self.git_dir / "index")).exists():
            raise GitError("a bare repository has nothing staged: name a revision or a range")
        command = ("diff-index", "--cached", "--ita-invisible-in-index")
        changes = self._changes(*command, self._head or self._empty_tree)
        for parent in self.merge_heads():
            changes = own_of_merge(changes, self._changes(*command, parent))
        return changes

    def stepped(self, entries: Mapping[str, Entry], old: str, new: str) -> dict[str, Entry]:
        """Every file of the commit `new`, from those of the commit `old`."""
        there = dict(entries)
        for record in raw_records(self._get("diff-tree", *_LISTING, "--no-renames", old, new)):
            if record.new_mode and record.new_blob:
                there[record.path] = Entry(record.new_mode, record.new_blob)
            else:
                there.pop(record.path, None)
        return there

    def tree_changes(self, old: str | None, new: str) -> tuple[Change, ...]:
        """What leads from one commit to another; None is the empty tree."""
        return self._changes("diff-tree", old or self._empty_tree, new)

    def commits(self, base: str | None, head: str) -> tuple[Commit, ...]:
        """The commits of `base..head`, newest first, none after one of its parents. No base: the whole history."""
        names = self._get("rev-list", "--topo-order", head, *((f"^{base}",) if base else ()))
        if not self._cut_off().isdisjoint(names.decode().split()):
            raise GitError(f"the history of {head} is cut off before its base{self.shortfall}")
        told = ("--stdin", "-c", "--root", "--always", "--no-renames", "--encoding=UTF-8", "--format=%H%x00%P%x00%B")
        return tuple(commits_from_git(self._get("diff-tree", *_LISTING, *told, feed=names))) if names else ()

    def past_units(self, base: str | None, head: str, *, merges: bool) -> list[PastUnit]:
        """The commits of `base..head` that are no merges, or its first-parent merges, oldest first by date."""
        from spexsearch.govern.git.history import walk

        return walk(self.git_dir, self._environ, base, head, merges=merges)

    def upstream_base(self, commit: str, remote: str = "") -> str | None:
        """The newest commit of a history that a tracked branch (of one remote, or of any) has; None without any."""
        refs = self._get("for-each-ref", "--format=%(refname)", "refs/remotes").decode("utf-8", "surrogateescape")
        if not refs:
            return None
        # A push by address names no remote; what any remote has is not new then.
        own = bool(remote) and f"refs/remotes/{remote}/" in refs
        tracked = f"--remotes={remote}" if own else "--remotes"
        new = self._get("rev-list", "--boundary", "--topo-order", commit, "--not", tracked).decode().split()
        return next((name[1:] for name in new if name.startswith("-")), None if new else commit)

    def read_blobs(self, names: Iterable[str], limit: int, *, missing_ok: bool = False) -> dict[str, bytes]:
        """The contents of blobs by the names given, which may be abbreviated; those over `limit` bytes are left out.

        A name that is no blob here raises GitError, or is left out too where `missing_ok`.
        """
        read = self._blobs(names, lambda size: size if size <= limit else 0, missing_ok=missing_ok)
        return {name: content for name, (size, content) in read.items() if size <= limit}

    def hook(self, name: str) -> str:
        """The script that git runs as this hook, "" where there is none."""
        told = self._output("config", "--show-scope", "-z", "--get-all", "--type=path", "core.hooksPath", unless=(1,))
        # (scope, value) in turn; this very call's own setting is one of the scope `command`.
        words = (told or b"").decode("utf-8", "surrogateescape").split("\0")
        own = ("command", "/dev/null")
        set_by_others = [value for scope, value in zip(words[::2], words[1::2], strict=False) if (scope, value) != own]
        folder = self.root / set_by_others[-1] if set_by_others else self.git_common_dir / "hooks"
        path = folder / name
        if not path.is_file() or not os.access(path, os.X_OK):
            return ""
        return path.read_bytes()[:LARGEST_HOOK].decode("utf-8", "replace")

    def comment_marks(self) -> frozenset[str]:
        """What may begin the lines that git cuts from a message in an editor, beside `auto`, which is no letter."""
        told = self._output("config", "-z", "--get-regexp", r"^core\.comment(char|string)$", unless=(1,)) or b""
        settings = told.decode("utf-8", "surrogateescape").split("\0")
        return frozenset(setting.partition("\n")[2] for setting in settings) - {"", "auto"}

    def origin(self) -> str:
        """The address of the remote `origin`; "" where there is none."""
        found = self._output("remote", "get-url", "origin", unless=(2,)) or b""
        return found.decode("utf-8", "surrogateescape").strip()

    @property
    def _empty_tree(self) -> str:
        return _EMPTY_TREES[self.object_format]

    def _verified(self, rev: str) -> str | None:
        if not rev or rev.startswith("-") or "\0" in rev:
            return None
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
        try:
            return gitrun.output(asked, self.root, self._environ).decode().strip() or None
        except gitrun.Failed as failure:
            # Git says 128 without a word of an entry that a log does not reach, with words where it could not look.
            if failure.status == 1 or (failure.status == 128 and not failure.stderr):
                return None
            self._cut_off()  # where that list is damaged git finds nothing at all, and does not say why
            raise self._explained("rev-parse", failure) from None

    def _cut_off(self) -> frozenset[str]:
        """The commits whose parents a shallow clone leaves out."""
        names = gitrun.words(self.git_common_dir / "shallow")
        if not all(_COMMIT.fullmatch(name) for name in names):
            raise GitError("git's file shallow names no commits: look at the repository with `git fsck`")
        return frozenset(names)

    @property
    def shortfall(self) -> str:
        """What brings the objects that this clone may lack, as the end of a message; nothing where it is whole."""
        return gitrun.remedy(self.git_common_dir)

    def _changes(self, *command: str) -> tuple[Change, ...]:
        raw, end, patch = self._get(command[0], *_LISTING, *_PATCH, *_RENAMES, *command[1:]).partition(b"\0\0")
        changes = changes_from_git(raw + end[:1], patch)
        text = self._text_blobs([change for change in changes if change.binary])
        return tuple(
            change._replace(binary=False, hunks=self._hunks_of_blobs(change))
            if change.binary and text.issuperset(_blobs_of(change))
            else change
            for change in changes
        )

    def _text_blobs(self, changes: Sequence[Change]) -> set[str]:
        """The blobs that git calls binary on an attribute's word, for their content it would call text."""
        names = {blob for change in changes for blob in _blobs_of(change) if _SUBMODULE not in _modes_of(change)}
        heads = self._blobs(names, lambda size: min(size, _SNIFFED), missing_ok=False)
        return {name for name, (size, head) in heads.items() if size <= LARGEST_TEXT and b"\0" not in head}

    def _hunks_of_blobs(self, change: Change) -> tuple[Hunk, ...]:
        if change.status != "T" and change.old_blob and change.new_blob:
            patch = self._get("diff", "--text", *_PATCH, change.old_blob, change.new_blob)
            _, mark, hunks = patch.partition(b"\n@@ ")
            return read_hunks(mark[1:] + hunks, change.path, GitError) if mark else ()
        contents = self.read_blobs(_blobs_of(change), LARGEST_TEXT)
        sides: tuple[tuple[str | None, Literal["+", "-"]], ...] = ((change.old_blob, "-"), (change.new_blob, "+"))
        blocks = [whole_file(contents[blob], mark) for blob, mark in sides if blob]
        return tuple(hunk for block in blocks for hunk in read_hunks(block, change.path, GitError))

    def _entries(self, *command: str) -> dict[str, Entry]:
        raw = self._get(command[0], *_LISTING, "--no-renames", *command[1:])
        return {
            record.path: Entry(record.new_mode, record.new_blob)
            for record in raw_records(raw)
            if record.new_mode and record.new_blob
        }

    def _blobs(
        self, names: Iterable[str], wanted: Callable[[int], int], *, missing_ok: bool
    ) -> dict[str, tuple[int, bytes]]:
        """(size, as many of the first bytes as are `wanted` of that size) of each blob, from one process."""
        names = sorted(set(names))
        if not all(_OBJECT.fullmatch(name) for name in names):
            raise GitError("an object's name is not hexadecimal: give it as git writes it")
        if not names:
            return {}
        try:
            found = self._read_objects(names, wanted)
        except gitrun.Failed as failure:
            raise self._explained("cat-file", failure) from None
        if None in found.values() and not missing_ok:
            name = next(name for name, blob in found.items() if blob is None)
            advice = self.shortfall or "; look at the repository with `git fsck`"
            raise GitError(f"the object {name} is missing, or no file{advice}")
        return {name: blob for name, blob in found.items() if blob is not None}

    def _read_objects(self, names: Sequence[str], wanted: Callable[[int], int]) -> dict[str, tuple[int, bytes] | None]:
        if self._objects is not None:
            return {name: self._objects.ask(name, wanted) for name in names}
        feed = "".join(f"{name}\n" for name in names).encode()
        with gitrun.running(("cat-file", "--batch"), self.root, self._environ, feed) as out:
            return {name: gitrun.next_object(out, wanted) for name in names}

    def _get(self, *args: str, feed: bytes = b"") -> bytes:
        return self._output(*args, feed=feed) or b""

    def _output(self, *args: str, feed: bytes = b"", unless: tuple[int, ...] = ()) -> bytes | None:
        """What git prints; None where it ends in a status that is an answer."""
        try:
            return gitrun.output(args, self.root, self._environ, feed)
        except gitrun.Failed as failure:
            if failure.status in unless:
                return None
            raise self._explained(args[0], failure) from None

    def _explained(self, command: str, failure: gitrun.Failed) -> GitError:
        return gitrun.complaint(command, failure.stderr, self.root, self.shortfall)


def _blobs_of(change: Change) -> list[str]:
    return [blob for blob in (change.old_blob, change.new_blob) if blob]


def _modes_of(change: Change) -> tuple[str | None, str | None]:
    return change.old_mode, change.new_mode


def _probe(folder: Path, environ: Mapping[str, str]) -> Repository:
    """The repository that git finds from a folder with this environment."""
    if not folder.is_dir():
        raise NotARepositoryError(f"there is no folder {str(folder)!r}: name one that is in a repository")
    asked = ("--show-object-format", "--is-inside-work-tree", "--absolute-git-dir", "--git-common-dir", "--show-cdup")
    try:
        lines = gitrun.output(("rev-parse", *asked, "--default", "HEAD"), folder, environ).decode(
            "utf-8", "surrogateescape"
        )
    except gitrun.Failed as failure:
        raise gitrun.complaint("rev-parse", failure.stderr, folder.resolve(), "") from None
    object_format, inside, git_place, common_dir, *rest = lines.removesuffix("\n").split("\n")
    head = rest.pop() if rest and _COMMIT.fullmatch(rest[-1]) else None
    if len(rest) > 1 or object_format not in _EMPTY_TREES:
        raise GitError("git tells of this repository in an unknown way: its folder's name must not have a line break")
    git_dir = Path(git_place).resolve()
    has_worktree = inside == "true" or bool(rest and rest[0])
    root = (folder / rest[0]).resolve() if has_worktree else git_dir
    common = (folder / common_dir).resolve()
    if head is None and (branch := gitrun.unread_branch(git_dir, common)):
        raise GitError(f"HEAD names {branch}, which git cannot read: look at the repository with `git fsck`")
    placed = gitrun.fixed(environ, folder.resolve(), git_dir, root if has_worktree else None)
    return Repository(root, git_dir, common, has_worktree, object_format, head, placed)
