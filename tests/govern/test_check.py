"""The verdict as a whole: what is looked at, what governs it, what settles it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.govern.check import HUNKS_ONLY, check
from spexsearch.govern.config import Config
from spexsearch.govern.evidence import WEIGHTS, score
from spexsearch.govern.memory import Memory
from spexsearch.govern.model import Change, ChangeSet, Commit, NotJudged, State
from spexsearch.govern.report import Report
from spexsearch.specs.globs import Glob
from spexsearch.specs.model import SpecTree

Judge = Callable[..., Report]

SESSION, CLOCK, OTHER = ".spec/session/spec.md", ".spec/clock/spec.md", ".spec/other/spec.md"
SPECS = {
    SESSION: "---\ntitle: session\ncode:\n  - src/session.py#renew\n---\nA session is renewed.\n",
    CLOCK: "---\ntitle: clock\ncode:\n  - src/clock.py\nrelated:\n  - src/session.py\n---\nThe clock ticks.\n",
    OTHER: "---\ntitle: other\n---\nNothing of it.\n",
}
FILES = SPECS | {
    "src/session.py": "def renew(now):\n    return now\n\n\ndef close():\n    return 1\n",
    "src/clock.py": "def tick():\n    return 0\n",
}
RENEWED = FILES["src/session.py"].replace("return now", "return now + 1")
TICKED = FILES["src/clock.py"].replace("return 0", "return ticking()")


def brief(report: Report) -> list[tuple[str, str, str | None]]:
    return [(finding.rule, finding.level, finding.spec) for finding in report.findings]


def entry(report: Report, spec: str) -> Any:
    (found,) = (governing for governing in report.governing if governing.spec == spec)
    return found


def test_a_report_holds_everything_that_was_looked_at(judge: Judge) -> None:
    report = judge(FILES, {"src/session.py": RENEWED}, origin="commit", base="b" * 40, head="h" * 40)
    assert (report.origin, report.base, report.head, report.specs) == ("commit", "b" * 40, "h" * 40, 3)
    (change,) = report.changes
    assert (change.status, change.path, change.old_path, change.binary) == ("M", "src/session.py", None, False)
    assert (change.kind, change.significance, change.units) == ("code", "behaviour", ("renew",))
    assert (change.added_lines, change.removed_lines) == ((2,), (2,))
    assert brief(report) == [("untouched-spec", "error", "session")]
    assert (report.problems, report.not_judged) == ((), ())


def test_lines_are_numbered_on_their_own_sides(judge: Judge) -> None:
    text = "# one\n# two\n" + FILES["src/clock.py"].replace("    return 0\n", "")
    (change,) = judge(FILES, {"src/clock.py": text}).changes
    assert (change.added_lines, change.removed_lines) == ((1, 2), (2,))


def test_changes_are_told_in_the_order_of_their_paths(judge: Judge, sides: Any) -> None:
    made = sides(FILES, {"src/session.py": RENEWED, "src/clock.py": TICKED, "a.py": "x = 1\n", "b": "x\n"})
    turned = made.change_set._replace(changes=made.change_set.changes[::-1])
    one, two = (check(changes, made.before, made.after, Config()) for changes in (made.change_set, turned))
    assert one == two
    assert [change.path for change in one.changes] == ["a.py", "b", "src/clock.py", "src/session.py"]


def test_copies_of_one_path_are_told_in_the_order_of_their_sources() -> None:
    nothing = State(SpecTree())
    changes = (Change("R", "a", "c"), Change("C", "a", "b"), Change("D", "a"), Change("A", "a"))
    report = check(ChangeSet("diff", changes), nothing, nothing, Config())
    assert [(change.status, change.old_path) for change in report.changes] == [
        ("A", None),
        ("D", None),
        ("C", "b"),
        ("R", "c"),
    ]


# --- what is not looked at


def test_ignored_files_are_named_and_hold_nothing(judge: Judge) -> None:
    report = judge(FILES, {"src/session.py": RENEWED}, config=Config(ignore=(Glob("src/**"),)))
    assert report.not_judged == (NotJudged("src/session.py", "ignored by the configuration"),)
    assert brief(report) == []
    assert report.governing == ()
    assert [change.path for change in report.changes] == ["src/session.py"]


def test_unmerged_files_are_named_and_hold_nothing(sides: Any) -> None:
    made = sides(FILES, {"src/session.py": RENEWED})
    (change,) = made.change_set.changes
    unmerged = made.change_set._replace(changes=(change._replace(status="U"),))
    report = check(unmerged, made.before, made.after, Config())
    assert report.not_judged == (NotJudged("src/session.py", "unmerged; resolve it, then stage it"),)
    assert brief(report) == []


def test_what_is_missing_is_judged_where_a_claim_is_on_it(judge: Judge) -> None:
    missing = (NotJudged("src/session.py", "not here"), NotJudged("b.py", "not here"))
    report = judge(FILES | {"b.py": "x = 1\n"}, {"src/session.py": RENEWED, "b.py": "x = y\n"}, not_judged=missing)
    assert report.not_judged == (NotJudged("b.py", "not here"),)
    assert brief(report) == [("untouched-spec", "error", "session")]


# --- kinds


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        (Config(), "code"),
        (Config(tests=(Glob("src/*.py"),)), "test"),
        (Config(source=(Glob("lib/**"),)), "other"),
        (Config(source=(Glob("src/**"),)), "code"),
        (Config(source=(Glob("src/**"),), tests=(Glob("src/**"),)), "test"),
    ],
)
def test_the_configuration_says_what_kind_a_file_is(judge: Judge, config: Config, kind: str) -> None:
    (change,) = judge(FILES, {"src/session.py": RENEWED}, config=config).changes
    assert change.kind == kind


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("src/a.py", "tests/a.py", "code"),
        ("src/a.py", "vendor/a.py", "code"),
        ("src/a.py", "b/a.py", "code"),
        ("tests/a.py", "src/a.py", "code"),
        ("tests/a.py", "vendor/a.py", "generated"),
        ("a.css", "vendor/a.css", "generated"),
    ],
)
def test_code_does_not_become_quiet_by_being_moved(judge: Judge, old: str, new: str, kind: str) -> None:
    (change,) = judge({old: "x = 1\n"}, {new: "x = f()\n"}, moved={old: new}).changes
    assert (change.status, change.kind) == ("R", kind)


def test_where_the_configuration_says_so_a_moved_file_was_no_code(judge: Judge) -> None:
    config = Config(tests=(Glob("src/**"), Glob("tests/**")))
    (change,) = judge({"src/a.py": "x"}, {"tests/a.py": "y"}, moved={"src/a.py": "tests/a.py"}, config=config).changes
    assert change.kind == "test"


def test_a_spec_is_a_spec_on_both_sides_and_whatever_the_configuration_says(judge: Judge) -> None:
    everything = Config(source=(Glob("**"),), tests=(Glob("**"),))
    moved = ".spec/new/spec.md"
    for edit in ({OTHER: None}, {OTHER: "---\ntitle: o\n---\nNew.\n"}, {moved: "---\ntitle: n\n---\nNew.\n"}):
        (change,) = judge(FILES, edit, config=everything).changes
        assert change.kind == "spec"
    (change,) = judge({"SPEC.md": "---\nid: a\ntitle: a\ntype: t\n---\nA.\n"}, {"SPEC.md": "Plain.\n"}).changes
    assert change.kind == "spec"
    docs = "---\nid: b\ntitle: b\ntype: t\n---\nB.\n"
    led = {"SPEC.md": docs.replace("b", "a"), "docs/b.md": docs}
    (change,) = judge(led, {"docs/b.md": None}).changes
    assert change.kind == "spec"
    (change,) = judge(led, {"docs/c.md": docs.replace("b", "c")}, moved={"docs/b.md": "docs/c.md"}).changes
    assert (change.kind, change.status) == ("spec", "R")


def test_an_edit_of_a_spec_is_no_change_that_a_claim_is_on(judge: Judge) -> None:
    claiming = SPECS | {OTHER: "---\ntitle: other\ncode:\n  - .spec/clock/spec.md\n---\nNothing of it.\n"}
    report = judge(claiming, {CLOCK: claiming[CLOCK].replace("ticks", "stops")}, config=Config(mode="strict"))
    assert [f for f in report.findings if f.rule == "untouched-spec"] == []


@pytest.mark.parametrize(
    ("path", "called"),
    [
        ("a.py", ["clock", "session"]),
        ("a.md", ["clock", "session"]),
        ("package-lock.json", []),
        (".spec/clock/notes.py", []),
        (".spec/clock/notes.md", ["clock"]),
    ],
)
def test_who_shares_a_word_is_called_up_but_not_by_what_is_generated_or_about_specs(
    judge: Judge, path: str, called: list[str]
) -> None:
    report = judge(FILES, {path: "session clock ticks\n"})
    assert sorted(governing.spec for governing in report.governing) == called


def test_a_document_asks_but_is_nothing_to_answer(judge: Judge) -> None:
    claimed = FILES | {OTHER: "---\ntitle: other\ncode:\n  - a.md\n---\nSessions tick.\n", "a.md": "A.\n"}
    report = judge(claimed, {"a.md": "Sessions tick by the clock of the session.\n"})
    assert entry(report, "other").claim == "file"
    assert brief(report) == []


def test_what_a_spec_says_calls_up_no_spec(judge: Judge) -> None:
    assert judge(FILES, {OTHER: FILES[OTHER] + "A session clock ticks.\n"}).governing == ()


# --- what governs


def test_scores_join_the_words_and_the_claims(judge: Judge) -> None:
    report = judge(FILES, {"src/session.py": RENEWED})
    session, clock = entry(report, "session"), entry(report, "clock")
    assert [governing.spec for governing in report.governing] == ["session", "clock"]
    assert [piece.name for piece in session.evidence[:1]] == ["start"]
    assert {piece.name for piece in session.evidence} == {
        *("start", "tree", "unit", "owner", "claim", "code-words", "folder-name")
    }
    assert {piece.name for piece in session.evidence} <= set(WEIGHTS)
    for governing in (session, clock):
        assert governing.score == score(governing.evidence)
    assert (session.claim, clock.claim) == ("unit", "related")
    assert session.changes == clock.changes == ("src/session.py",)
    assert (session.path, [section.heading for section in session.sections]) == (SESSION, ["session"])
    missed = entry(judge(FILES, {"src/session.py": FILES["src/session.py"].replace("1", "one()")}), "session")
    assert missed.claim == "unit-missed"
    assert {piece.name for piece in missed.evidence} == {"start", "code-words", "folder-name"}


def test_a_spec_without_a_claim_is_named_for_its_words_alone(judge: Judge) -> None:
    found = entry(judge(FILES, {"lib/ticks.py": "ticks = 1\n"}), "clock")
    assert (found.claim, found.changes) == ("none", ())
    assert {piece.name for piece in found.evidence} == {"start", "code-words"}


def test_a_spec_of_which_nothing_speaks_is_not_named(judge: Judge) -> None:
    assert [governing.spec for governing in judge(FILES, {"lib/ticks.py": "ticks = 1\n"}).governing] == ["clock"]
    assert judge(FILES, {"lib/x.py": "y = 1\n"}).governing == ()


def test_the_words_of_all_changes_ask_together(judge: Judge) -> None:
    specs = {f".spec/{w}/spec.md": f"---\ntitle: {w}\n---\n{w}\n" for w in ("zebra", "lion", "wolf", "bear")}
    report = judge(specs, {"a.py": "zebra = 1\n", "b.py": "lion = 1\nlion.lion(lion)\n", "c.md": "wolf\n"})
    assert {governing.spec for governing in report.governing} == {"lion", "zebra", "wolf"}
    assert entry(report, "lion").score > entry(report, "zebra").score


def test_the_first_ten_for_the_words_are_named_and_everyone_with_a_claim(judge: Judge) -> None:
    specs = {f".spec/s{n:02}/spec.md": f"---\ntitle: s{n:02}\n---\nzebra{' x' * n}\n" for n in range(12)}
    specs |= {".spec/z/spec.md": "---\ntitle: z\ncode:\n  - a.py\n---\nQuiet.\n"}
    report = judge(specs, {"a.py": "zebra = 1\n"})
    assert {governing.spec for governing in report.governing} == {*(f"s{n:02}" for n in range(10)), "z"}


@pytest.mark.parametrize("shown", [0, 1, 11, 99])
def test_as_many_are_named_as_one_asks_for(sides: Any, shown: int) -> None:
    specs = {f".spec/s{n:02}/spec.md": f"---\ntitle: s{n:02}\n---\nzebra{' x' * n}\n" for n in range(12)}
    made = sides(specs, {"a.py": "zebra = 1\n"})
    report = check(made.change_set, made.before, made.after, Config(), shown=shown)
    assert len(report.governing) == min(shown, 12)


def test_what_earlier_checks_leave_changes_no_answer(sides: Any) -> None:
    memory = Memory()
    edits: list[dict[str, str | None]] = [
        {"src/session.py": RENEWED},
        {"src/clock.py": TICKED, CLOCK: None},
        {"src/clock.py": TICKED, OTHER: "---\ntitle: other\n---\nTicking sessions.\n"},
    ]
    for edit in (*edits, *edits):
        made = sides(FILES, edit)
        plain = check(made.change_set, made.before, made.after, Config(), source=made.source)
        again = check(made.change_set, made.before, made.after, Config(), source=made.source, memory=memory)
        assert again == plain


def test_equal_scores_are_told_in_the_order_of_their_paths(judge: Judge) -> None:
    claim = "---\ntitle: t\ncode:\n  - a.py\n---\n"
    report = judge({f".spec/{name}/spec.md": claim for name in "dbca"}, {"a.py": "x = 1\n"})
    assert [governing.spec for governing in report.governing] == list("abcd")


def test_a_spec_that_is_gone_is_named_as_it_was(judge: Judge) -> None:
    report = judge(FILES, {"src/clock.py": TICKED, CLOCK: None})
    gone = entry(report, "clock")
    assert (gone.path, gone.claim, gone.touched) == (CLOCK, "file", False)
    assert brief(report) == [("dropped-claim", "error", "clock")]
    assert report.specs == 2


def test_a_renamed_spec_is_named_by_its_new_path(judge: Judge) -> None:
    new = ".spec/time/spec.md"
    report = judge(FILES, {"src/clock.py": TICKED}, moved={CLOCK: new})
    found = entry(report, "time")
    assert (found.path, found.claim, found.changes) == (new, "file", ("src/clock.py",))
    assert brief(report) == [("untouched-spec", "error", "time")]
    # Its claim is on the file at the base, though the file is claimed no more.
    text = FILES[CLOCK].replace("code:\n  - src/clock.py\n", "")
    report = judge(FILES, {"src/clock.py": TICKED, new: text}, moved={CLOCK: new})
    assert entry(report, "time").claim == "file"


# --- what settles


def settled(report: Report) -> tuple[bool, bool]:
    found = entry(report, "session")
    return found.touched, found.acknowledged


def test_an_edit_settles(judge: Judge) -> None:
    edited = FILES[SESSION].replace("is renewed", "may renew itself")
    report = judge(FILES, {"src/session.py": RENEWED, SESSION: edited})
    assert settled(report) == (True, False)
    assert brief(report) == []
    assert settled(judge(FILES, {"src/session.py": RENEWED})) == (False, False)


def test_an_edit_elsewhere_on_the_branch_settles(judge: Judge) -> None:
    report = judge(FILES, {"src/session.py": RENEWED}, touched=[SESSION])
    assert settled(report) == (True, False)
    assert brief(report) == []
    assert settled(judge(FILES, {"src/session.py": RENEWED}, touched=[CLOCK])) == (False, False)


def test_the_message_at_hand_settles(judge: Judge) -> None:
    report = judge(FILES, {"src/session.py": RENEWED}, message="do\n\nSpec-OK: session")
    assert settled(report) == (False, True)
    assert brief(report) == []
    assert settled(judge(FILES, {"src/session.py": RENEWED}, message="Spec-OK: clock")) == (False, False)


def commit(message: str, *paths: str, sha: str = "c" * 40) -> Commit:
    return Commit(sha, message, frozenset(paths), ("0" * 40,))


@pytest.mark.parametrize(
    ("commits", "acknowledged"),
    [
        ((commit("Spec-OK: session", "src/session.py"),), True),
        ((commit("Spec-OK: clock", "src/session.py"),), False),
        ((commit("Spec-OK: session", "b"), commit("x", "src/session.py", sha="d" * 40)), False),
        ((commit("Spec-OK: session", "src/session.py"), commit("x", "src/clock.py", sha="d" * 40)), True),
    ],
)
def test_commits_of_the_range_settle(judge: Judge, commits: tuple[Commit, ...], acknowledged: bool) -> None:
    report = judge(FILES, {"src/session.py": RENEWED}, commits=commits)
    assert settled(report) == (False, acknowledged)


def test_commits_are_charged_for_both_names_of_a_file_and_may_name_a_spec_as_it_was_called(judge: Judge) -> None:
    new = ".spec/time/spec.md"
    edit = {"src/time.py": TICKED, new: FILES[CLOCK].replace("- src/clock.py", "- src/time.py")}
    moved = {CLOCK: new, "src/clock.py": "src/time.py"}
    second = commit("x\n\nSpec-OK: time", "src/time.py", "src/clock.py")
    for first, acknowledged in (("x", False), ("x\n\nSpec-OK: clock", True)):
        commits = (second, commit(first, "src/clock.py", sha="d" * 40))
        assert entry(judge(FILES, edit, moved=moved, commits=commits), "time").acknowledged is acknowledged


def test_an_acknowledgement_that_reaches_no_spec_is_a_problem(judge: Judge) -> None:
    commits = (commit("Spec-OK: nosuch, session", "b"),)
    report = judge(FILES, {OTHER: None}, message="Spec-OK: other, typo", commits=commits)
    assert [(problem.path, problem.line) for problem in report.problems] == [("", 1), ("", 1)]
    assert ["'nosuch'" in report.problems[0].message, "'typo'" in report.problems[1].message] == [True, True]


# --- problems


def test_files_of_a_diff_that_are_known_by_their_hunks_are_named(judge: Judge) -> None:
    renewed = FILES["src/session.py"].replace("return now", "return renewed(session, now) or renewal(session)")
    report = judge(FILES, {"src/session.py": renewed}, origin="diff", contents={})
    assert [(problem.path, problem.message) for problem in report.problems] == [("src/session.py", HUNKS_ONLY)]
    assert brief(report) == [("untouched-spec", "error", "session")]
    assert judge(FILES, {"src/session.py": RENEWED}, origin="diff").problems == ()
    assert judge(FILES, {"src/session.py": RENEWED}, origin="staged", contents={}).problems == ()


def test_of_a_binary_file_no_hunks_are_missed() -> None:
    nothing = State(SpecTree())
    change = Change("M", "a.png", binary=True, old_blob="1", new_blob="2")
    assert check(ChangeSet("diff", (change,)), nothing, nothing, Config()).problems == ()
    shown = check(ChangeSet("diff", (change._replace(binary=False),)), nothing, nothing, Config())
    assert [problem.path for problem in shown.problems] == ["a.png"]


def test_the_faults_of_the_specs_at_the_head_are_told_once(judge: Judge) -> None:
    broken = {OTHER: "---\ntitle: other\n---\nSee [[nobody]] and [[nobody]].\n"}
    report = judge(FILES, broken)
    assert [(problem.path, problem.line) for problem in report.problems] == [(OTHER, 4)]
    assert judge(FILES | broken, {OTHER: FILES[OTHER]}).problems == ()


def test_findings_come_worst_first(judge: Judge) -> None:
    edit = {"src/session.py": RENEWED, "lib/x.py": "x = f()\n", "src/a.py": "x = f()\n"}
    report = judge(FILES, edit)
    assert [(finding.level, finding.path) for finding in report.findings] == [
        ("error", "src/session.py"),
        ("warning", "src/a.py"),
        ("note", "lib/x.py"),
    ]


@given(
    edits=st.dictionaries(
        st.sampled_from([*FILES, "lib/new.py", ".spec/new/spec.md", "README.md"]),
        st.one_of(st.none(), st.sampled_from([*FILES.values(), RENEWED, TICKED, "", "---\ntitle: [\n---\n"])),
        max_size=5,
    ),
    mode=st.sampled_from(["graded", "strict", "advisory"]),
)
def test_every_change_gets_the_same_ordered_verdict_twice(
    judge: Judge, edits: Mapping[str, str | None], mode: Any
) -> None:
    edits = {path: text for path, text in edits.items() if text is not None or path in FILES}
    one, two = (judge(FILES, edits, config=Config(mode=mode)) for _ in range(2))
    assert one == two
    assert list(one.governing) == sorted(one.governing, key=lambda g: (-g.score, g.path))
    ranks = [("error", "warning", "note").index(finding.level) for finding in one.findings]
    assert ranks == sorted(ranks)
    assert all(1 <= finding.line <= finding.end_line for finding in one.findings)
    assert not (mode == "advisory" and 0 in ranks)
