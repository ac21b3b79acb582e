"""What a command line, a hook or a diff names, as a case to judge."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from spexsearch.cli import inputs
from spexsearch.cli.inputs import MISSING, Case, Wanted, judge
from spexsearch.errors import ConfigError, InputError, UsageError
from spexsearch.govern.model import NotJudged
from spexsearch.govern.repository import Repository

SPEC, CLOCK, CODE = ".spec/auth/renewal/spec.md", ".spec/auth/clock/spec.md", "src/session.py"
CHANGED = "> LIMIT", ">= LIMIT"


def opened(governed: Any) -> Repository:
    return Repository.discover(governed.path)


def staged(governed: Any, wanted: Wanted | None = None, environ: Mapping[str, str] | None = None) -> Case:
    return inputs.staged_or_last(opened(governed), wanted or Wanted(), {**os.environ, **(environ or {})})


def changed(case: Case) -> list[tuple[str, str]]:
    return [(change.status, change.path) for change in case.change_set.changes]


def rules(case: Case) -> list[tuple[str, str | None]]:
    return [(finding.rule, finding.spec) for finding in judge(case).findings if finding.level == "error"]


def bodies(case: Case) -> tuple[dict[str, str], dict[str, str]]:
    """What the specs say before and after, by their ids."""
    before, after = ({s.id: s.body for s in state.tree.specs} for state in (case.before, case.after))
    return before, after


# --- what is staged


def test_what_is_staged_is_held_against_the_index(governed: Any) -> None:
    governed.replaced(CODE, *CHANGED)
    governed.put(SPEC, "---\ntitle: t\n---\nNot staged.\n")
    case = staged(governed)
    assert (case.change_set.origin, case.change_set.head) == ("staged", None)
    assert case.change_set.base == governed.git("rev-parse", "HEAD").strip()
    assert changed(case) == [("M", CODE)]
    assert "at most once" in bodies(case)[1]["renewal"]
    assert (case.notices, case.in_hook, case.root) == ((), False, governed.path.resolve())
    assert rules(case) == [("untouched-spec", "renewal")]
    governed.git("add", "-A")
    assert bodies(staged(governed)) == (bodies(case)[0], bodies(case)[1] | {"renewal": "Not staged."})


def test_by_hand_under_a_runner_the_last_commit_is_judged_where_nothing_is_staged(governed: Any) -> None:
    governed.replaced(CODE, *CHANGED)
    head = governed.commit("change")
    assert changed(staged(governed)) == []
    for runner in ("CI", "PRE_COMMIT"):
        case = staged(governed, environ={runner: "1"})
        assert (case.change_set.origin, case.change_set.head, changed(case)) == ("commit", head, [("M", CODE)])
        assert case.notices == ("nothing is staged; judging the last commit",)
        # Git names its index to its own hooks: nothing staged is an empty commit there.
        case = staged(governed, environ={runner: "1", "GIT_INDEX_FILE": ".git/index"})
        assert (changed(case), case.in_hook) == ([], True)
    governed.replaced("src/clock.py", "return 0", "return 1")
    assert changed(staged(governed, environ={"CI": "1"})) == [("M", "src/clock.py")]


def test_before_the_first_commit_there_is_no_last_one(repo: Any) -> None:
    case = staged(repo, environ={"CI": "1"})
    assert (changed(case), case.change_set.origin, case.change_set.base) == ([], "staged", None)
    repo.write({CODE: "x = 1\n", SPEC: "---\ntitle: t\ncode:\n  - src/session.py\n---\nWords.\n"})
    case = staged(repo)
    assert changed(case) == [("A", SPEC), ("A", CODE)]
    assert (case.before.tree.specs, [spec.id for spec in case.after.tree.specs]) == ((), ["renewal"])


def test_the_refs_of_a_runner_go_before_everything(governed: Any) -> None:
    base = governed.git("rev-parse", "HEAD").strip()
    governed.replaced(CODE, *CHANGED)
    head = governed.commit("change")
    governed.replaced("src/clock.py", "return 0", "return 1")
    both = {"PRE_COMMIT_FROM_REF": base, "PRE_COMMIT_TO_REF": "HEAD"}
    case = staged(governed, environ=both)
    assert (case.change_set.origin, case.change_set.base, case.change_set.head) == ("range", base, head)
    assert changed(case) == [("M", CODE)]
    for one in both:
        assert changed(staged(governed, environ={one: both[one]})) == [("M", "src/clock.py")]
    history = staged(governed, environ={"PRE_COMMIT_REMOTE_NAME": "origin", "PRE_COMMIT_LOCAL_BRANCH": "main"})
    assert (history.change_set.base, history.change_set.head) == (None, head)
    assert len(changed(history)) == 4
    assert changed(staged(governed, environ={"PRE_COMMIT_LOCAL_BRANCH": "main"})) == [("M", "src/clock.py")]


@pytest.mark.parametrize("both", [True, False])
def test_unmerged_files_are_there_and_are_not_judged(governed: Any, both: bool) -> None:
    governed.git("switch", "-q", "-c", "topic")
    governed.replaced(CODE, "> LIMIT", ">= LIMIT")
    governed.commit("topic")
    governed.git("switch", "-q", "main")
    if both:
        governed.replaced(CODE, "> LIMIT", "< LIMIT")
    else:
        governed.git("rm", "-q", CODE)
    governed.commit("main")
    governed.git("merge", "-q", "topic", check=False)
    case = staged(governed)
    assert ("U", CODE) in changed(case)
    assert CODE in case.after.files
    assert "dangling-claim" not in [finding.rule for finding in judge(case).findings]
    assert [entry.path for entry in judge(case).not_judged] == [CODE]


# --- what the branch has done, and what the message says


def test_a_spec_that_the_branch_touched_is_not_asked_again(governed: Any, tmp_path: Path) -> None:
    governed.git("init", "-q", "--bare", str(tmp_path / "up.git"))
    governed.git("remote", "add", "origin", str(tmp_path / "up.git"))
    governed.git("push", "-q", "-u", "origin", "main")
    governed.replaced(SPEC, "at most once", "exactly once")
    governed.commit("spec first")
    governed.replaced(CODE, *CHANGED)
    report = judge(staged(governed))
    assert report.findings == ()
    assert [entry.touched for entry in report.governing if entry.spec == "renewal"] == [True]
    # The spec may be moved on the way: it is the one that was touched.
    governed.git("mv", ".spec/auth/renewal", ".spec/auth/renewing")
    assert rules(staged(governed)) == []
    governed.git("push", "-q", "origin", "main")
    assert rules(staged(governed)) == [("untouched-spec", "renewing")]


def test_a_hollow_touch_on_the_branch_settles_nothing(governed: Any, tmp_path: Path) -> None:
    governed.git("init", "-q", "--bare", str(tmp_path / "up.git"))
    governed.git("remote", "add", "origin", str(tmp_path / "up.git"))
    governed.git("push", "-q", "-u", "origin", "main")
    governed.replaced(SPEC, "at most", "at  most")
    governed.commit("nothing said")
    governed.replaced(CODE, *CHANGED)
    assert rules(staged(governed)) == [("untouched-spec", "renewal")]


def test_the_message_at_hand_is_asked(governed: Any) -> None:
    governed.replaced(CODE, *CHANGED)
    assert rules(staged(governed, Wanted(message="x\n\nSpec-OK: renewal"))) == []
    assert rules(staged(governed, Wanted(message="x"))) == [("untouched-spec", "renewal")]


HOOKS: list[tuple[str, str, bool]] = [
    ('#!/bin/sh\nexec spex-govern --commit-msg "$1"\n', "", True),
    ("#!/bin/sh\n# spex-govern --commit-msg\n", "", False),
    ("#!/bin/sh\nexit 0\n", "", False),
    ("#!/bin/sh\nexec pre-commit hook-impl\n", "  - id: spex-govern-message\n", True),
    ("#!/bin/sh\nexec pre-commit hook-impl\n", "  - id: spex-govern\n", False),
    ("#!/bin/sh\nexec pre-commit hook-impl\n", "", False),
    ("#!/bin/sh\nexec other\n", "  - id: spex-govern-message\n", False),
]


@pytest.mark.parametrize(("hook", "config", "left"), HOOKS)
def test_the_commit_hook_leaves_to_the_message_what_the_message_can_settle(
    governed: Any, hook: str, config: str, left: bool
) -> None:
    governed.put(".git/hooks/commit-msg", hook, 0o755)
    if config:
        governed.put(".pre-commit-config.yaml", config)
    governed.replaced(CODE, *CHANGED)
    governed.git("rm", "-q", "src/clock.py")
    every = [("dangling-claim", "clock"), ("dangling-claim", "renewal"), ("untouched-spec", "renewal")]
    index = {"GIT_INDEX_FILE": str(governed.path / ".git" / "index")}
    assert sorted(rules(staged(governed, environ=index)), key=str) == (every[:2] if left else every)
    # Run by hand, or with the message at hand, nothing is left to anyone.
    assert sorted(rules(staged(governed)), key=str) == every
    assert sorted(rules(staged(governed, Wanted(message="x"), index)), key=str) == every


# --- revisions


def history(governed: Any) -> tuple[str, str, str, str]:
    """Start, topic's one commit, main's later commit, and the merge of both."""
    start = governed.git("rev-parse", "HEAD").strip()
    governed.git("switch", "-q", "-c", "topic")
    governed.replaced(CODE, *CHANGED)
    topic = governed.commit("topic")
    governed.git("switch", "-q", "main")
    governed.replaced("src/clock.py", "return 0", "return 1")
    main = governed.commit("main")
    governed.git("merge", "-q", "--no-ff", "--no-edit", "topic")
    return start, topic, main, governed.git("rev-parse", "HEAD").strip()


def test_revisions_and_ranges(governed: Any) -> None:
    start, topic, main, merge = history(governed)
    session, clock = ("M", CODE), ("M", "src/clock.py")
    rows: list[tuple[str, str | None, str, list[tuple[str, str]], list[str]]] = [
        ("HEAD", main, merge, [session], [merge, topic]),
        ("topic", start, topic, [session], [topic]),
        (f"{main}...topic", start, topic, [session], [topic]),
        (f"{main}..topic", main, topic, [clock, session], [topic]),
        (f"{start}..", start, merge, [clock, session], [merge, main, topic]),
        (f"{start}...main~1", start, main, [clock], [main]),
    ]
    for text, base, head, changes, commits in rows:
        case = inputs.revisions(opened(governed), text, Wanted())
        assert (case.change_set.base, case.change_set.head) == (base, head), text
        assert changed(case) == changes, text
        assert sorted(commit.sha for commit in case.change_set.commits) == sorted(commits), text
        assert case.change_set.origin == ("range" if ".." in text else "commit"), text
        assert (case.notices, case.repo, case.in_hook) == ((), None, False), text
    root = inputs.revisions(opened(governed), start, Wanted())
    assert (root.change_set.base, len(changed(root)), root.notices) == (None, 4, ())


def test_a_range_of_nothing_says_so(governed: Any) -> None:
    case = inputs.revisions(opened(governed), "HEAD..HEAD", Wanted())
    assert (changed(case), case.notices) == ([], ("both sides are the same commit; nothing is judged",))


@pytest.mark.parametrize("text", ["...HEAD", "..HEAD", "..", "..."])
def test_a_range_without_a_base_is_refused(governed: Any, text: str) -> None:
    with pytest.raises(UsageError, match="has no base"):
        inputs.revisions(opened(governed), text, Wanted())


@pytest.mark.parametrize("text", ["HEAD", "main", "main..HEAD", "main...main", "main..."])
def test_what_names_revisions(governed: Any, text: str) -> None:
    assert inputs.names_revisions(opened(governed), text)


@pytest.mark.parametrize("text", ["nosuch", "main..nosuch", "nosuch...main", "a.patch", "main.", "./main", "..main"])
def test_what_names_none(governed: Any, text: str) -> None:
    assert not inputs.names_revisions(opened(governed), text)


def test_in_a_range_the_configuration_and_the_specs_are_those_of_their_sides(governed: Any) -> None:
    governed.replaced(CODE, *CHANGED)
    governed.replaced(SPEC, "at most once", "exactly once")
    governed.commit("both", {"spex.toml": "mode = 'advisory'\n"})
    case = inputs.commit(opened(governed), "HEAD", Wanted())
    assert case.config.mode == "graded"
    before, after = bodies(case)
    assert ("at most once" in before["renewal"], "exactly once" in after["renewal"]) == (True, True)
    governed.commit("later")
    assert inputs.commit(opened(governed), "HEAD", Wanted()).config.mode == "advisory"
    governed.put("spex.toml", "mode = 'strict'\n")
    assert staged(governed).config.mode == "advisory"
    other = inputs.commit(opened(governed), "HEAD", Wanted(config=governed.path / "spex.toml"))
    assert other.config.mode == "strict"


def test_another_configuration_may_be_named(governed: Any, tmp_path: Path) -> None:
    table = tmp_path / "pyproject.toml"
    table.write_text("[tool.spex]\nmode = 'strict'\n")
    assert staged(governed, Wanted(config=table)).config.mode == "strict"
    plain = tmp_path / "any.name"
    plain.write_text("mode = 'strict'\n")
    assert staged(governed, Wanted(config=plain)).config.mode == "strict"
    with pytest.raises(ConfigError, match="cannot be read"):
        staged(governed, Wanted(config=tmp_path / "nosuch"))


def test_a_link_is_no_configuration(governed: Any) -> None:
    (governed.path / "spex.toml").symlink_to("other.toml")
    governed.write({"other.toml": "mode = 'strict'\n"})
    governed.git("add", "-A")
    with pytest.raises(ConfigError, match=r"spex\.toml is no regular file"):
        staged(governed)


def test_specs_may_be_read_elsewhere(governed: Any, tmp_path: Path) -> None:
    start = governed.git("rev-parse", "HEAD").strip()
    governed.replaced(SPEC, "at most once", "exactly once")
    governed.commit("spec")
    governed.replaced(CODE, *CHANGED)
    case = staged(governed, Wanted(specs=start))
    assert case.before.tree is case.after.tree
    assert "at most once" in bodies(case)[1]["renewal"]
    diff = governed.git("diff", "--cached").encode()
    case = inputs.diff_text(governed.path, opened(governed), diff, Wanted(specs=start))
    assert "at most once" in bodies(case)[1]["renewal"]
    with pytest.raises(UsageError, match="no git repository"):
        inputs.diff_text(tmp_path, None, diff, Wanted(specs=start))


def test_what_leaves_no_spec_behind_asks_for_no_acknowledgement(governed: Any) -> None:
    start = governed.git("rev-parse", "HEAD").strip()
    # Only who has both texts sees that the line is a docstring.
    governed.replaced(CODE, "def renew(session, now):\n", 'def renew(session, now):\n    """Why."""\n')
    governed.commit("docstring")
    governed.replaced(CODE, *CHANGED)
    governed.commit("change\n\nSpec-OK: renewal")
    case = inputs.revisions(opened(governed), f"{start}..", Wanted())
    assert [sorted(commit.cosmetic) for commit in case.change_set.commits] == [[], [CODE]]
    assert rules(case) == []
    # Where nothing is acknowledged, nobody asks.
    case = inputs.commit(opened(governed), "HEAD~1", Wanted())
    assert [commit.cosmetic for commit in case.change_set.commits] == [frozenset()]
    governed.replaced(CODE, "session.open = False", "session.open = None")
    governed.commit("another unit")
    assert rules(inputs.revisions(opened(governed), f"{start}..", Wanted())) == [("untouched-spec", "renewal")]


def test_a_new_claim_on_code_that_did_not_change_is_looked_up(governed: Any) -> None:
    governed.replaced(SPEC, "src/session.py#renew", "src/session.py#nosuch")
    assert rules(staged(governed)) == [("dropped-claim", "renewal"), ("dangling-claim", "renewal")]
    assert governed.path.joinpath(CODE).read_bytes() in staged(governed).change_set.contents.values()


# --- pushes


ZERO = "0" * 40


def pushed(governed: Any, told: str, remote: str = "origin") -> list[Case]:
    return list(inputs.pushed(opened(governed), told, remote, Wanted()))


def test_a_push_is_judged_ref_by_ref(governed: Any) -> None:
    start, topic, main, merge = history(governed)
    told = (
        f"refs/heads/topic {topic} refs/heads/topic {start}\n"
        f"refs/heads/gone {ZERO} refs/heads/gone {start}\n"
        f"refs/heads/main {merge} refs/heads/main {main}\n"
    )
    cases = pushed(governed, told)
    assert [(case.change_set.base, case.change_set.head) for case in cases] == [(start, topic), (main, merge)]
    assert [case.notices for case in cases] == [
        (f"judging what refs/heads/{name} brings",) for name in ("topic", "main")
    ]
    assert [case.change_set.origin for case in cases] == ["range", "range"]
    assert pushed(governed, "") == pushed(governed, "\n") == []


def test_a_new_branch_brings_what_the_remote_has_not(governed: Any, tmp_path: Path) -> None:
    start, topic, *_ = history(governed)
    new = f"refs/heads/topic {topic} refs/heads/topic {ZERO}"
    (case,) = pushed(governed, new)
    assert case.change_set.base is None
    assert case.notices[-1] == "no commit is known to be there already; the whole history is judged as new"
    governed.git("init", "-q", "--bare", str(tmp_path / "up.git"))
    governed.git("remote", "add", "origin", str(tmp_path / "up.git"))
    governed.git("push", "-q", "--no-verify", "origin", f"{start}:refs/heads/main")
    (case,) = pushed(governed, new)
    assert (case.change_set.base, len(case.notices)) == (start, 1)
    # What is there may be unknown here: a branch that someone else pushed to.
    (case,) = pushed(governed, new.replace(ZERO, "1" * 40))
    assert case.change_set.base == start


def test_a_whole_history_may_be_acknowledged(governed: Any) -> None:
    governed.replaced(CODE, *CHANGED)
    head = governed.commit("change\n\nSpec-OK: renewal")
    (case,) = pushed(governed, f"refs/heads/main {head} refs/heads/main {ZERO}")
    assert [len(commit.parents) for commit in case.change_set.commits] == [1, 0]
    assert judge(case).findings == ()


@pytest.mark.parametrize("told", ["junk", "a b c", "a b c d e", "refs/heads/x  y"])
def test_what_git_does_not_tell_a_hook_is_refused(governed: Any, told: str) -> None:
    with pytest.raises(InputError, match="pre-push"):
        pushed(governed, told)


# --- diffs


@pytest.fixture
def diff(governed: Any) -> Callable[..., Case]:
    """The case of a diff's text in the governed repository, or in its folder without git."""

    def make(text: str, *, git: bool = True, message: str | None = None) -> Case:
        repo = opened(governed) if git else None
        return inputs.diff_text(governed.path, repo, text.encode(), Wanted(message=message))

    return make


def test_a_diff_is_judged_whether_it_is_done_here_or_not(governed: Any, diff: Callable[..., Case]) -> None:
    governed.replaced(CODE, *CHANGED)
    governed.replaced(SPEC, "at most once", "exactly once")
    text = governed.git("diff", "--cached")
    for state in ("done", "not done"):
        if state == "not done":
            governed.git("reset", "-q", "--hard")
        case = diff(text)
        assert (case.change_set.origin, case.change_set.base, case.change_set.head) == ("diff", None, None)
        before, after = bodies(case)
        assert ("at most once" in before["renewal"], "exactly once" in after["renewal"]) == (True, True), state
        assert (case.notices, case.root, case.change_set.not_judged) == ((), governed.path, ()), state
        assert rules(case) == [], state


def test_without_git_a_diff_is_known_by_its_hunks(governed: Any, diff: Callable[..., Case]) -> None:
    governed.replaced(CODE, "> LIMIT", "> LIMIT + session.grace")
    text = governed.git("diff", "--cached")
    case = diff(text, git=False)
    assert case.change_set.contents == {}
    assert case.notices == (
        "of 1 changed files, 1 are judged from their hunks, for their blobs are not in this repository",
    )
    assert rules(case) == [("untouched-spec", "renewal")]
    assert rules(diff(text, git=False, message="Spec-OK: renewal")) == []


def test_files_of_a_diff_that_are_not_here_are_named(diff: Callable[..., Case]) -> None:
    text = (
        "--- a/nosuch.py\n+++ b/nosuch.py\n@@ -1 +1 @@\n-x\n+y\n"
        "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x\n"
        "--- a/src/clock.py\n+++ b/src/clock.py\n@@ -2 +2 @@\n-    return 0\n+    return 1\n"
        "--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )
    case = diff(text)
    assert case.change_set.not_judged == (NotJudged("nosuch.py", MISSING),)
    assert case.notices[1] == "of 4 changed files, 1 are not here: is this the folder that the diff belongs to?"
    assert case.notices[0].startswith("of 4 changed files, 4 are judged from their hunks")


@pytest.mark.parametrize("applied", [True, False])
@pytest.mark.parametrize("git", [True, False])
def test_what_only_gets_another_name_or_mode_is_known_in_full(
    governed: Any, diff: Callable[..., Case], applied: bool, git: bool
) -> None:
    governed.git("mv", SPEC, f"{SPEC}.old")
    governed.git("update-index", "--chmod=+x", "src/clock.py")
    text = governed.git("diff", "--cached", "-M")
    assert "index" not in text.replace("similarity index", "")
    if not applied:
        governed.git("reset", "-q", "--hard")
    case = diff(text, git=git)
    assert case.notices == ()
    assert [sorted(state) for state in bodies(case)] == [["clock", "renewal"], ["clock"]]
    assert rules(case) == [("dropped-claim", "renewal")]


def test_a_diff_reads_the_configuration_and_the_specs_of_the_folder(governed: Any, diff: Callable[..., Case]) -> None:
    governed.replaced(CODE, *CHANGED)
    text = governed.git("diff", "--cached")
    governed.put("spex.toml", "mode = 'advisory'\nspecs = ['docs/*.md']\n")
    governed.put("docs/new.md", "---\ntitle: n\n---\nUntracked.\n")
    case = diff(text)
    assert case.config.mode == "advisory"
    assert "new" in bodies(case)[1]
    assert case.before.files.keys() == case.after.files.keys() >= {"docs/new.md", CODE}


def test_a_diff_that_is_not_that_of_its_blobs_is_refused(governed: Any, diff: Callable[..., Case]) -> None:
    governed.replaced(CODE, *CHANGED)
    text = governed.git("diff", "--cached")
    with pytest.raises(InputError, match="not that of the blobs"):
        diff(text.replace(">= LIMIT", "!= LIMIT"))


def test_without_findings_the_branch_is_not_asked(governed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    governed.replaced(CODE, "session.open = False", "session.open = None")
    case = staged(governed)
    monkeypatch.setenv("PATH", "")
    assert judge(case).findings == ()


def test_the_file_that_makes_others_specs_may_go(repo: Any) -> None:
    module = "---\nid: {}\ntype: module\ntitle: {}\n{}---\nSays what it is.\n"
    claims = "code:\n  - src/b.py\n"
    repo.commit(
        "start",
        {
            "SPEC.md": module.format("root", "root", ""),
            "docs/b.md": module.format("b", "b", claims),
            "src/b.py": "x = 1\n",
        },
    )
    repo.git("rm", "-q", "SPEC.md")
    repo.write({"src/b.py": "x = f(2)\n"})
    report = inputs.judge(inputs.staged_or_last(Repository.discover(repo.path), inputs.Wanted(), {}))
    assert "b" in {governing.spec for governing in report.governing if governing.claim == "file"}
    assert [f.spec for f in report.findings if f.rule == "dropped-claim" and "src/b.py" in f.message] == ["root", "b"]
