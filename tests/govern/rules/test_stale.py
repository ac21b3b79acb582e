"""`stale-words`: how loudly, at which line, in which words, and what mends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spexsearch.govern.config import Config
from spexsearch.govern.model import Commit
from spexsearch.govern.report import Finding, Fix, Place, Report

Judge = Callable[..., Report]

SPEC, OTHER = ".spec/lid/spec.md", ".spec/other/spec.md"
CODE = "def open_box(x):\n    return old_name(x, '--dry-run', word)\n"
GONE = {"a.py": "def open_box(x):\n    pass\n"}
RENAMED = {"a.py": CODE.replace("old_name", "new_name")}


def spec(body: str, extra: str = "") -> str:
    return f"---\ntitle: lid\n{extra}---\n{body}\n"


def files(body: str, extra: str = "") -> dict[str, str]:
    return {SPEC: spec(body, extra), "a.py": CODE}


def stale(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == "stale-words"]


def only(report: Report) -> Finding:
    (found,) = stale(report)
    return found


# --- levels


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ("It calls `old_name`.", "error"),
        ("It calls old_name.", "error"),
        ("Never call old_name.", "error"),
        ("See old_name() and x.old_name.", "error"),
        ("Give `--dry-run`.", "warning"),
        ("Give --dry-run.", None),
        ("The `word` counts.", "note"),
        ("The word counts.", None),
        ("It calls `old_names`.", None),
        ("Nothing of it.", None),
    ],
)
def test_the_form_of_a_name_gives_the_level(judge: Judge, body: str, level: str | None) -> None:
    assert [finding.level for finding in stale(judge(files(body), GONE))] == ([level] if level else [])


@pytest.mark.parametrize(("status", "level"), [("gone", "warning"), ("moved", "warning"), ("changed", None)])
def test_the_path_of_a_file_that_is_gone_is_a_warning(judge: Judge, status: str, level: str | None) -> None:
    before = {SPEC: spec("All of it is in src/a.py."), "src/a.py": "x = 1\n"}
    report = {
        "gone": lambda: judge(before, {"src/a.py": None}),
        "moved": lambda: judge(before, {}, moved={"src/a.py": "src/b.py"}),
        "changed": lambda: judge(before, {"src/a.py": "x = 2\n"}),
    }[status]()
    assert [(found.level, found.line) for found in stale(report)] == ([(level, 4)] if level else [])


def test_the_configuration_has_the_last_word(judge: Judge) -> None:
    for config, level in (
        (Config(mode="advisory"), "warning"),
        (Config(mode="strict"), "error"),
        (Config(rules={"stale-words": "note"}), "note"),
        (Config(rules={"stale-words": "off"}), None),
        (Config(rules={"untouched-spec": "off", "hollow-touch": "off"}), "error"),
    ):
        found = stale(judge(files("`old_name`"), GONE, config=config))
        assert [finding.level for finding in found] == ([level] if level else [])


# --- what stands, and what does not count as standing


@pytest.mark.parametrize(
    ("path", "stands"),
    [
        ("b.py", True),
        ("tests/test_b.py", True),
        ("conf.toml", True),
        ("b.css", True),
        ("data.bin", True),
        ("docs/b.md", False),
        ("README.md", False),
        (".spec/b/spec.md", False),
    ],
)
def test_a_name_is_gone_where_only_documents_and_specs_have_it(judge: Judge, path: str, stands: bool) -> None:
    before = files("`old_name`") | {path: "old_name\n"}
    found = [finding for finding in stale(judge(before, GONE)) if finding.path == SPEC]
    assert bool(found) is not stands


def test_a_name_that_only_moves_is_not_gone(judge: Judge) -> None:
    assert stale(judge(files("`old_name`"), GONE | {"b.py": "old_name()\n"})) == []
    within = "x = 1\n" + CODE.replace("def open_box(x):", "def close_box(x):")
    assert stale(judge(files("`old_name`"), {"a.py": within})) == []
    assert stale(judge(files("`old_name`"), {"b.py": CODE}, moved={"a.py": "b.py"})) == []
    # Part of a longer name is another name.
    assert stale(judge(files("`old_name`"), GONE | {"b.py": "very_old_name()\n"})) != []


@pytest.mark.parametrize("path", ["tests/test_a.py", "a.css", "vendor/a.py", "docs/a.md"])
def test_what_tests_and_their_like_lose_is_not_gone_from_the_code(judge: Judge, path: str) -> None:
    before = {SPEC: spec("`old_name` in " + path), path: "old_name\n"}
    assert stale(judge(before, {path: "x\n"})) == []
    assert stale(judge(before, {path: None})) == []


def test_what_a_comment_loses_is_not_gone_from_the_code(judge: Judge) -> None:
    before = {SPEC: spec("`old_name`"), "a.py": "# old_name\nx = 1\n"}
    assert stale(judge(before, {"a.py": "x = 1\n"})) == []


def test_a_mention_in_a_comment_that_stays_is_not_contradicted(judge: Judge) -> None:
    assert stale(judge(files("`old_name`"), {"a.py": "# old_name was here\n"})) == []


# --- who is asked


def test_a_spec_need_not_claim_the_file(judge: Judge) -> None:
    report = judge(files("`old_name`") | {OTHER: spec("old_name too.")}, GONE)
    assert sorted((found.spec, found.path) for found in stale(report)) == [("lid", SPEC), ("other", OTHER)]
    assert {entry.path: entry.claim for entry in report.governing} == {SPEC: "none", OTHER: "none"}


def test_every_name_is_told_once_at_its_first_line(judge: Judge) -> None:
    report = judge(files("One.\n\n`old_name`: old_name.\nold_name\n\n`--dry-run` old_name"), GONE)
    assert [(found.level, found.line) for found in stale(report)] == [("error", 6), ("warning", 9)]


@pytest.mark.parametrize(("status", "asked"), [("draft", False), ("pending", False), ("active", True), ("", True)])
def test_a_spec_whose_code_may_come_later_is_not_asked(judge: Judge, status: str, asked: bool) -> None:
    assert bool(stale(judge(files("`old_name`", f"status: {status}\n"), GONE))) is asked


def test_what_is_settled_is_silent(judge: Judge) -> None:
    before = files("`old_name`")
    edited = GONE | {SPEC: spec("`old_name`, once.")}
    assert stale(judge(before, edited)) == [], "who edits the spec has looked at it"
    assert stale(judge(before, GONE | {SPEC: spec("Nothing of it.")})) == []
    assert stale(judge(before, GONE, message="x\n\nSpec-OK: lid")) == []
    assert stale(judge(before, GONE, touched=[SPEC])) == []
    assert stale(judge(before, GONE, message="x\n\nSpec-OK: other", touched=[OTHER])) != []
    # An edit that says nothing is none.
    assert stale(judge(before, GONE | {SPEC: spec("*`old_name`*")})) != []
    assert stale(judge(before, GONE | {SPEC: spec("`old_name`", "owner: me\n")})) != []


def commit(message: str, *paths: str, sha: str = "c" * 40) -> Commit:
    return Commit(sha, message, frozenset(paths), ("0" * 40,))


@pytest.mark.parametrize(
    ("commits", "asked"),
    [
        ((commit("Spec-OK: lid", "a.py"),), False),
        ((commit("Spec-OK: other", "a.py"),), True),
        ((commit("Spec-OK: lid", "b.py"), commit("x", "a.py", sha="d" * 40)), True),
        ((commit("Spec-OK: lid"), commit("x", "a.py", sha="0" * 40)), False),
    ],
)
def test_who_takes_the_name_away_is_who_may_say_that_it_still_holds(
    judge: Judge, commits: tuple[Commit, ...], asked: bool
) -> None:
    assert bool(stale(judge(files("`old_name`"), GONE, commits=commits))) is asked


def test_a_spec_that_says_least_of_the_change_may_be_settled_too(judge: Judge) -> None:
    loud = {f".spec/l{n}/spec.md": f"---\ntitle: l{n}\n---\nThe oldName is a word of a dry run.\n" for n in range(12)}
    before = loud | files("old_name " + "and much else besides " * 40)
    report = judge(before, GONE)
    assert [found.path for found in stale(report)] == [SPEC]
    assert [entry.path for entry in report.governing].index(SPEC) >= 10
    assert stale(judge(before, GONE, message="Spec-OK: lid")) == []
    assert stale(judge(before, GONE, touched=[SPEC])) == []


def test_specs_that_are_new_or_gone_are_not_asked(judge: Judge) -> None:
    before = {"a.py": CODE, OTHER: spec("`old_name`")}
    report = judge(before, GONE | {SPEC: spec("`old_name`, as it was."), OTHER: None})
    assert stale(report) == []


def test_a_spec_that_moves_is_asked_where_it_stands_now(judge: Judge) -> None:
    new = ".spec/all/lid/spec.md"
    found = only(judge(files("`old_name`"), GONE, moved={SPEC: new}))
    assert (found.path, found.spec_path, found.line) == (new, new, 4)


def test_a_name_that_a_spec_says_only_now_is_its_own_affair(judge: Judge) -> None:
    before = {"a.py": CODE, SPEC: spec("Quiet."), OTHER: spec("Quiet.")}
    assert stale(judge(before, GONE | {SPEC: spec("`old_name` is gone.")})) == []


# --- what is said


def test_a_finding_stands_at_the_specs_own_line(judge: Judge) -> None:
    found = only(judge(files("# Lid\n\n## Opening\n\nIt calls `old_name`\nand more."), GONE))
    assert found._replace(quote=None) == Finding(
        rule="stale-words",
        level="error",
        message="`old_name` is gone from the code (was a.py:2), but spec lid still says it",
        path=SPEC,
        line=8,
        end_line=8,
        spec="lid",
        spec_path=SPEC,
        section=Place("Opening", 6),
        details=(
            ("says", "It calls `old_name`"),
            (
                "do",
                "say what is true now; if the sentence still holds, write in the commit message: Spec-OK: lid",
            ),
        ),
    )


def test_other_lines_are_named_five_at_most(judge: Judge) -> None:
    for count, said in (
        (1, None),
        (2, "line 5"),
        (3, "lines 5, 6"),
        (6, "lines 5, 6, 7, 8, 9"),
        (7, "lines 5, 6, 7, 8, 9 and 1 more"),
        (9, "lines 5, 6, 7, 8, 9 and 3 more"),
    ):
        found = only(judge(files("old_name\n" * count), GONE))
        assert dict(found.details).get("also") == said


def test_a_long_line_is_cut(judge: Judge) -> None:
    for length, cut in ((160, False), (161, True)):
        text = "old_name ".ljust(length, "x")
        says = dict(only(judge(files(text), GONE)).details)["says"]
        assert (says, len(says)) == (f"{text[:159]}…" if cut else text, 160)


def test_the_place_is_where_the_name_was(judge: Judge) -> None:
    before = {SPEC: spec("`old_name`"), "src/a.py": "x = 1\n\n\nold_name()\n", "src/z.py": "old_name()\n"}
    found = only(judge(before, {"src/b.py": "x = 1\n", "src/z.py": None}, moved={"src/a.py": "src/b.py"}))
    assert "(was src/a.py:4)" in found.message


# --- what mends it


def test_a_rename_that_can_be_seen_carries_its_fix(judge: Judge) -> None:
    found = only(judge(files("One `old_name`, my_old_name."), RENAMED))
    assert found.message == "`old_name` is `new_name` now (was a.py:2), but spec lid still says it"
    assert found.fix == Fix(SPEC, 4, "One `old_name`, my_old_name.", "One `new_name`, my_old_name.")
    assert found.also == ()
    assert "or let `spex-govern --fix` write the new name" in dict(found.details)["do"]


def test_every_line_is_mended(judge: Judge) -> None:
    found = only(judge(files("old_name(old_name)\nQuiet.\n- `old_name`\n\n  old_name"), RENAMED))
    assert found.fix == Fix(SPEC, 4, "old_name(old_name)", "new_name(new_name)")
    assert found.also == (
        Fix(SPEC, 6, "- `old_name`", "- `new_name`"),
        Fix(SPEC, 8, "  old_name", "  new_name"),
    )


def test_a_file_that_moves_carries_its_fix(judge: Judge) -> None:
    before = {SPEC: spec("See `src/a.py`, src/a.py/x and lib/src/a.py."), "src/a.py": CODE}
    found = only(judge(before, {}, moved={"src/a.py": "src/b+c.py"}))
    assert found.message == "`src/a.py` is `src/b+c.py` now (was src/a.py:1), but spec lid still says it"
    assert found.fix is not None
    assert found.fix.new == "See `src/b+c.py`, src/a.py/x and lib/src/a.py."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("f(old_name)\ng(old_name)\n", "f(new_name)\ng(other_name)\n"),
        ("f(old_name)\n", "f(new_name)\nf(other_name)\n"),
        ("f(old_name)\n", "f(new_name, 1)\n"),
        ("f(old_name)\n", ""),
    ],
)
def test_where_several_names_came_in_its_place_none_is_written(judge: Judge, old: str, new: str) -> None:
    found = only(judge({SPEC: spec("`old_name`"), "a.py": old}, {"a.py": new}))
    assert "is gone from the code" in found.message
    assert (found.fix, found.also) == (None, ())
    assert "--fix" not in dict(found.details)["do"]


def test_two_names_that_change_places_are_not_gone(judge: Judge) -> None:
    before = {SPEC: spec("`old_name`, `other_name`"), "a.py": "f(old_name)\ng(other_name)\n"}
    assert stale(judge(before, {"a.py": "f(other_name)\ng(old_name)\n"})) == []


@pytest.mark.parametrize("name", ["abc.*b", "[abc]+", "(?P<abc>", "a|bcd", "^abc$", "\\dabc", "{abc}"])
def test_a_name_with_signs_of_patterns_means_itself(judge: Judge, name: str) -> None:
    def warned(body: str) -> list[str]:
        report = judge({SPEC: spec(body), "a.js": f"f('{name}')\n"}, {"a.js": "f()\n"})
        return [found.message.split(" is ")[0] for found in stale(report) if found.level == "warning"]

    assert warned(f"Give `{name}`.") == [f"`{name}`"]
    assert warned("Give `abc`, `b`, `abcXXb`, `1abc`, `bcd` and `a`.") == []


def test_a_finding_of_many_is_in_the_order_of_all(judge: Judge) -> None:
    before = files("`old_name` `open_box` `--dry-run` `word`") | {OTHER: spec("`word` old_name")}
    report = judge(before, {"a.py": "x = 1\n"})
    told: list[Any] = [(found.level, found.path, found.message.split("`")[1]) for found in stale(report)]
    assert told == [
        ("error", SPEC, "old_name"),
        ("error", SPEC, "open_box"),
        ("error", OTHER, "old_name"),
        ("warning", SPEC, "--dry-run"),
        ("note", SPEC, "word"),
        ("note", OTHER, "word"),
    ]


# --- data


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.toml", "retry_limit = 3\n", "retry_max = 3\n"),
        ("a.json", '{"retry_limit": 3}\n', '{"retry_max": 3}\n'),
        ("a.yaml", "retry_limit: 3\n", "retry_max: 3\n"),
        ("a.ini", "retry_limit = 3\n", "retry_max = 3\n"),
        (".env", "retry_limit=3\n", "retry_max=3\n"),
        ("a.py", "retry_limit = 3\n", "retry_max = 3\n"),
    ],
)
def test_a_key_is_a_name_and_its_rename_can_be_seen(judge: Judge, path: str, old: str, new: str) -> None:
    before = {SPEC: spec("At most `retry_limit` times."), path: f"{old}"}
    gone = only(judge(before, {path: "{}\n" if path.endswith("json") else ""}))
    assert (gone.level, gone.fix) == ("error", None)
    found = only(judge(before, {path: new}))
    assert (found.level, found.fix and found.fix.new) == ("error", "At most `retry_max` times.")


def test_what_data_holds_is_no_name(judge: Judge) -> None:
    before = {SPEC: spec("Of `open_box`, openBox."), "a.json": '{"key": "open_box openBox"}\n'}
    assert stale(judge(before, {"a.json": '{"key": "nothing"}\n'})) == []
