"""`dangling-claim` and `dropped-claim`: what a change does to the links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.govern.report import Finding, Fix, Report
from spexsearch.govern.rules.claims import Paths
from spexsearch.specs.claims import parse_claim
from spexsearch.specs.model import Claim, ClaimKind, Relation

Judge = Callable[..., Report]

SPEC, OTHER = ".spec/a/spec.md", ".spec/b/spec.md"
CODE = "class Box:\n    def open(self):\n        return shut + 1\n\n\ndef close():\n    return 2\n"


def spec(*claims: str, related: tuple[str, ...] = (), extra: str = "", body: str = "Words.") -> str:
    """Claims begin on line 4, one more for each line of `extra`."""
    code = "".join(f"  - {claim}\n" for claim in claims)
    refers = "".join(f"  - {claim}\n" for claim in related)
    return f"---\ntitle: t\n{extra}code:\n{code}related:\n{refers}---\n{body}\n"


def rows(report: Report, *rules: str) -> list[tuple[str, str, str, int]]:
    rules = rules or ("dangling-claim", "dropped-claim", "broken-spec")
    return [(f.rule, f.level, f.path, f.line) for f in report.findings if f.rule in rules]


def only(report: Report, rule: str) -> Finding:
    (found,) = (finding for finding in report.findings if finding.rule == rule)
    return found


DANGLING = "dangling-claim"

# --- paths that are not there


def test_who_claims_what_the_change_deletes_is_told(judge: Judge) -> None:
    files = {SPEC: spec("a.py", related=("a.py#x", "b")), "a.py": "x = 1\n", "b/c.py": "y = 1\n"}
    report = judge(files, {"a.py": None, "b/c.py": None})
    assert rows(report) == [(DANGLING, "error", SPEC, line) for line in (4, 6, 7)]
    first, second, third = report.findings
    assert first.message == "a.py is not there, but spec a names it"
    assert (first.spec, first.spec_path, first.unit, first.end_line, first.fix) == ("a", SPEC, None, 4, None)
    assert dict(first.details) == {
        "claim": f"{SPEC}:4  code: a.py",
        "do": "correct or remove the claim; `status: draft` where the code comes later",
    }
    assert (second.unit, second.message) == ("x", "a.py is not there, but spec a names it")
    assert dict(third.details)["claim"] == f"{SPEC}:7  related: b"


@pytest.mark.parametrize("claim", ["gone.py", "gone", "gone/*.py", "gone.py#x"])
def test_an_old_claim_on_nothing_is_a_note_and_a_new_one_an_error(judge: Judge, claim: str) -> None:
    files = {SPEC: spec(claim), OTHER: spec(), "b.py": "x = 1\n"}
    old = rows(judge(files, {"b.py": "x = f()\n"}))
    # Patterns are walked only where the change can have emptied them.
    assert old == ([] if "*" in claim else [(DANGLING, "note", SPEC, 4)])
    assert rows(judge(files, {OTHER: spec(claim)}))[0] == (DANGLING, "error", OTHER, 4)
    # Another wording, and another list, of the same claim is no new one.
    assert rows(judge(files, {SPEC: spec(f"./{claim}")})) == old
    moved = judge(files, {SPEC: spec(related=(claim,))})
    assert rows(moved, DANGLING) == ([] if "*" in claim else [(DANGLING, "note", SPEC, 5)])


def test_a_new_spec_has_new_claims_and_a_renamed_one_has_not(judge: Judge) -> None:
    new = ".spec/new/spec.md"
    assert rows(judge({}, {SPEC: spec("gone.py")})) == [(DANGLING, "error", SPEC, 4)]
    assert rows(judge({SPEC: spec("gone.py")}, {}, moved={SPEC: new})) == [(DANGLING, "note", new, 4)]


@pytest.mark.parametrize(
    ("status", "silent"), [("draft", True), ("pending", True), ("Draft", True), ("active", False), ("done", False)]
)
def test_code_that_comes_later_is_not_missed(judge: Judge, status: str, silent: bool) -> None:
    report = judge({"b.py": "x"}, {SPEC: spec("gone.py", "b.py#y", extra=f"status: {status}\n")}, read=["b.py"])
    assert bool(rows(report, DANGLING)) is not silent


def test_a_folder_that_keeps_a_file_is_there(judge: Judge) -> None:
    files = {SPEC: spec("lib"), "lib/a.py": "x = 1\n", "lib/deep/b.py": "x = 1\n", "lib-x/c.py": "x\n", "lib0": "x\n"}
    assert rows(judge(files, {"lib/a.py": None})) == []
    assert rows(judge(files, {"lib/a.py": None, "lib/deep/b.py": None})) == [(DANGLING, "error", SPEC, 4)]


def test_the_root_is_always_there(judge: Judge) -> None:
    assert rows(judge({SPEC: spec("./"), "a.py": "x"}, {"a.py": None})) == []


@pytest.mark.parametrize("pattern", ["web/*.ts", "web/**/*.ts", "**/*.ts"])
def test_a_pattern_that_the_change_empties(judge: Judge, pattern: str) -> None:
    files = {SPEC: spec(f'"{pattern}"'), "web/a.ts": "let a = 1\n", "web/b.ts": "let b = 1\n", "web/c.py": "x = 1\n"}
    assert rows(judge(files, {"web/a.ts": None})) == []
    report = judge(files, {"web/a.ts": None, "web/b.ts": None})
    assert rows(report) == [(DANGLING, "error", SPEC, 4)]
    assert only(report, DANGLING).message == f"nothing matches `{pattern}`, but spec a names it"
    away = judge(files, {}, moved={"web/a.ts": "lib/a.js", "web/b.ts": "lib/b.js"})
    assert rows(away, DANGLING) == [(DANGLING, "error", SPEC, 4)]


def test_a_new_pattern_that_matches_nothing(judge: Judge) -> None:
    files = {SPEC: spec(), "a.py": "x"}
    assert rows(judge(files, {SPEC: spec('"*.ts"')})) == [(DANGLING, "error", SPEC, 4)]
    assert rows(judge(files, {SPEC: spec('"*.py"')})) == []


def test_a_place_never_dangles(judge: Judge) -> None:
    place = "---\nid: m\ntitle: m\ntype: module\n---\nWords.\n"
    assert rows(judge({"lib/SPEC.md": place, "lib/a.py": "x"}, {"lib/a.py": None})) == []


# --- where it went


def test_a_renamed_file_carries_the_fix(judge: Judge) -> None:
    files = {SPEC: spec("./old.py", related=("old.py#close",)), "old.py": CODE}
    report = judge(files, {}, moved={"old.py": "lib/new.py"})
    file, unit = report.findings
    assert file.message == "old.py is not there (it is now lib/new.py), but spec a names it"
    assert file.fix == Fix(SPEC, 4, "./old.py", "lib/new.py")
    assert dict(file.details)["do"] == "run spex-govern --fix, or correct the claim:  lib/new.py"
    assert unit.fix == Fix(SPEC, 6, "old.py#close", "lib/new.py#close")


def test_a_unit_that_was_renamed_on_the_way_has_its_new_name_in_the_fix(judge: Judge) -> None:
    files = {SPEC: spec("old.py#close", "old.py#Box.open"), "old.py": CODE}
    report = judge(files, {"new.py": CODE.replace("close", "shut_it")}, moved={"old.py": "new.py"})
    assert [finding.fix and finding.fix.new for finding in report.findings] == ["new.py#shut_it", "new.py#Box.open"]


@pytest.mark.parametrize(
    ("name", "fixed"),
    [
        ("lib/new.py", True),
        ("lib/a b.py", True),
        ("lib/a:b.py", True),
        ("lib/a: b.py", False),
        ("lib/*.py", True),
        ("*.py", False),
        ("- a.py", False),
        ("[id].py", False),
        ("'a'.py", False),
        ("a\\b.py", False),
        ("a\nb.py", False),
        ("a#b", True),
        (" a.py", False),
    ],
)
def test_only_a_name_that_means_itself_is_written(judge: Judge, name: str, fixed: bool) -> None:
    found = only(judge({SPEC: spec("old.py"), "old.py": "x = 1\n"}, {}, moved={"old.py": name}), DANGLING)
    assert found.fix == (Fix(SPEC, 4, "old.py", name) if fixed else None)
    assert dict(found.details)["do"].startswith("run spex-govern --fix" if fixed else "correct or remove the claim")


FOLDERS: list[tuple[dict[str, str], str | None]] = [
    ({"lib/a.py": "src/a.py", "lib/x/b.py": "src/x/b.py"}, "src"),
    ({"lib/a.py": "src/lib/a.py", "lib/x/b.py": "src/lib/x/b.py"}, "src/lib"),
    ({"lib/a.py": "src/a.py", "lib/x/b.py": "other/x/b.py"}, None),
    ({"lib/a.py": "src/a.py", "lib/x/b.py": "src/c.py"}, None),
]


@pytest.mark.parametrize(("moved", "target"), FOLDERS)
def test_a_folder_that_moved_whole_carries_the_fix(judge: Judge, moved: dict[str, str], target: str | None) -> None:
    files = {SPEC: spec("lib/"), "lib/a.py": "x = 1\n", "lib/x/b.py": "y = 1\n"}
    found = only(judge(files, {}, moved=moved), DANGLING)
    assert found.fix == (Fix(SPEC, 4, "lib/", f"{target}/") if target else None)


def test_a_move_that_nobody_followed_is_guessed_by_the_one_file_of_that_name(judge: Judge) -> None:
    files = {SPEC: spec("old/a.py", "old/b.py"), "x/a.py": "x", "y/a.py": "x", "z/b.py": "x", "c.py": "x = 1\n"}
    first, second = judge(files, {"c.py": "x = f()\n"}).findings[:2]
    assert first.fix is None
    assert second.message == "old/b.py is not there (there is z/b.py), but spec a names it"
    assert (second.fix, second.level) == (Fix(SPEC, 5, "old/b.py", "z/b.py"), "note")
    # What the change deletes itself went nowhere.
    files = {SPEC: spec("old/b.py"), "old/b.py": "x = 1\n", "z/b.py": "x"}
    assert only(judge(files, {"old/b.py": None}), DANGLING).fix is None


# --- symbols


def test_a_symbol_that_the_change_takes_away(judge: Judge) -> None:
    files = {SPEC: spec("m.py#close", "m.py#Box"), "m.py": CODE}
    report = judge(files, {"m.py": CODE.partition("\n\n\n")[0] + "\n"})
    assert rows(report) == [(DANGLING, "error", SPEC, 4)]
    found = report.findings[0]
    assert (found.message, found.unit, found.fix) == ("m.py has no `close`, but spec a names it", "close", None)


def test_a_renamed_symbol_carries_the_fix(judge: Judge) -> None:
    files = {SPEC: spec("m.py#close", "./m.py#Box.open"), "m.py": CODE}
    report = judge(files, {"m.py": CODE.replace("close", "slam").replace("open", "unlock")})
    assert [finding.fix for finding in report.findings] == [
        Fix(SPEC, 4, "m.py#close", "m.py#slam"),
        Fix(SPEC, 5, "./m.py#Box.open", "m.py#Box.unlock"),
    ]
    assert report.findings[0].message == "m.py has no `close` (it is now `slam`), but spec a names it"


def test_a_symbol_that_was_not_there_before_is_a_note(judge: Judge) -> None:
    files = {SPEC: spec("m.py#nosuch"), OTHER: spec(), "m.py": CODE}
    assert rows(judge(files, {"m.py": CODE.replace("2", "3")})) == [(DANGLING, "note", SPEC, 4)]
    assert rows(judge(files, {SPEC: spec("m.py#no_other")}, read=["m.py"])) == [(DANGLING, "error", SPEC, 4)]
    # A file that is new brings no symbol that was there before.
    files = {SPEC: spec("m.py#nosuch")}
    assert rows(judge(files, {"m.py": CODE})) == [(DANGLING, "note", SPEC, 4)]


def test_symbols_of_files_that_were_not_read_are_not_judged(judge: Judge) -> None:
    files = {SPEC: spec("m.py#nosuch"), "m.py": CODE, "b.py": "x = 1\n"}
    assert rows(judge(files, {"b.py": "x = f()\n"})) == []
    assert rows(judge(files, {"b.py": "x = f()\n"}, read=["m.py"])) == [(DANGLING, "note", SPEC, 4)]


@pytest.mark.parametrize("new", [True, False])
def test_an_ambiguous_symbol_names_three_of_its_units(judge: Judge, new: bool) -> None:
    code = "".join(f"class C{n}:\n    def go(self):\n        return {n}\n\n\n" for n in range(4))
    files = {SPEC: spec() if new else spec("m.py#go"), "m.py": code}
    report = judge(files, {SPEC: spec("m.py#go", body="New."), "m.py": code + "x = 1\n"})
    found = only(report, "broken-spec")
    assert found.message == "`#go` is ambiguous in m.py: it may be `C0.go`, `C1.go`, `C2.go`"
    assert (found.level, found.path, found.line, found.end_line) == ("error" if new else "note", SPEC, 4, 4)
    assert (found.spec, found.spec_path, found.unit) == ("a", SPEC, "go")


def test_two_units_are_one_too_many_and_a_whole_name_is_none(judge: Judge) -> None:
    method = "class {0}:\n    def go(self):\n        return '{0}'\n\n\n"
    code = method.format("A") + "def go():\n    return 2\n\n\n" + method.format("B")
    two = code.replace("def go():\n    return 2\n", "x = 2\n")
    assert rows(judge({"m.py": two}, {SPEC: spec("m.py#go"), "m.py": two + "y = 1\n"})) == [
        ("broken-spec", "error", SPEC, 4)
    ]
    assert rows(judge({"m.py": code}, {SPEC: spec("m.py#go", "m.py#B.go"), "m.py": code + "y = 1\n"})) == []


def test_a_symbol_where_there_are_no_units_is_a_note_even_if_it_is_new(judge: Judge) -> None:
    report = judge({"a.txt": "x\n"}, {SPEC: spec("a.txt#x"), "a.txt": "y\n"})
    found = only(report, "broken-spec")
    assert found.message == "a.txt has no units that could be read; claim the file without `#x`"
    assert (found.level, found.unit) == ("note", "x")


# --- claims that are taken away


DROPPED = "dropped-claim"


def test_a_claim_that_is_taken_from_code_that_stays(judge: Judge) -> None:
    files = {SPEC: spec("a.py", "b.py#x", extra="owner: me\n"), "a.py": "x = 1\n", "b.py": "x = 1\n"}
    report = judge(files, {SPEC: spec(extra="owner: me\n")})
    assert rows(report) == [(DROPPED, "error", SPEC, 4), (DROPPED, "error", SPEC, 4)]
    file, unit = report.findings
    assert file.message == "spec a no longer claims a.py, and no other spec does"
    assert dict(file.details) == {
        "claim": f"{SPEC}:5  code: a.py",
        "do": "keep the claim, or move it to the spec that governs this code now",
    }
    assert (file.spec, file.spec_path, file.end_line, file.unit) == ("a", SPEC, 4, None)
    assert (unit.message, unit.unit) == ("spec a no longer claims b.py, and no other spec does", "x")


def test_without_a_list_of_claims_the_first_line_is_told(judge: Judge) -> None:
    files = {SPEC: spec("a.py"), "a.py": "x = 1\n"}
    assert rows(judge(files, {SPEC: "---\ntitle: t\n---\nWords.\n"})) == [(DROPPED, "error", SPEC, 1)]
    gone = judge(files, {SPEC: None})
    assert rows(gone) == [(DROPPED, "error", SPEC, 1)]
    assert gone.findings[0].message == "spec a is gone, and it claimed a.py, and no other spec does"


@pytest.mark.parametrize(
    ("edit", "dropped"),
    [
        ({SPEC: spec("./a.py")}, False),
        ({SPEC: spec("a.py#x")}, False),
        ({SPEC: spec('"*.py"')}, False),
        ({SPEC: spec(related=("a.py",))}, True),
        ({SPEC: spec(), OTHER: spec("a.py")}, False),
        ({SPEC: None, OTHER: spec("a.py#x")}, False),
        ({SPEC: None, OTHER: spec(related=("a.py",))}, True),
        ({SPEC: spec(), "a.py": None}, False),
        ({SPEC: None, "a.py": None}, False),
        ({SPEC: spec(), "a.py": "x = f()\n"}, True),
    ],
)
def test_code_that_goes_or_that_another_claims_is_not_dropped(
    judge: Judge, edit: Mapping[str, str | None], dropped: bool
) -> None:
    report = judge({SPEC: spec("a.py"), "a.py": "x = 1\n"}, edit)
    assert rows(report, DROPPED) == ([(DROPPED, "error", SPEC, 3 if edit[SPEC] else 1)] if dropped else [])


def test_a_mention_may_be_dropped(judge: Judge) -> None:
    assert rows(judge({SPEC: spec(related=("a.py",)), "a.py": "x"}, {SPEC: spec()})) == []


@pytest.mark.parametrize(
    ("claim", "files", "more"),
    [
        ("lib", ["lib/a.py"], ""),
        ("lib", ["lib/a.py", "lib/b.py"], " and 1 more files"),
        ("lib/*.py", ["lib/a.py", "lib/b.py", "lib/c.py", "lib/d/e.py"], " and 2 more files"),
    ],
)
def test_of_many_files_the_first_is_named(judge: Judge, claim: str, files: list[str], more: str) -> None:
    texts = dict.fromkeys(files, "x = 1\n")
    found = only(judge({SPEC: spec(claim)} | texts, {SPEC: spec()}), DROPPED)
    assert found.message == f"spec a no longer claims lib/a.py{more}, and no other spec does"
    part = judge({SPEC: spec(claim), OTHER: spec("lib/a.py")} | texts, {SPEC: spec()})
    assert bool(rows(part, DROPPED)) is (len(files) > 1)


def test_files_that_are_renamed_are_still_there(judge: Judge) -> None:
    files = {SPEC: spec("a.py"), "a.py": "x = 1\n"}
    report = judge(files, {SPEC: spec()}, moved={"a.py": "b.py"})
    assert only(report, DROPPED).message == "spec a no longer claims b.py, and no other spec does"
    assert rows(judge(files, {SPEC: spec("b.py")}, moved={"a.py": "b.py"})) == []


def test_a_renamed_spec_that_drops_its_claim(judge: Judge) -> None:
    new = ".spec/new/spec.md"
    files = {SPEC: spec("a.py"), "a.py": "x = 1\n"}
    assert rows(judge(files, {}, moved={SPEC: new})) == []
    report = judge(files, {new: spec()}, moved={SPEC: new})
    assert rows(report) == [(DROPPED, "error", new, 3)]
    assert report.findings[0].spec == "a"


def test_a_place_that_goes_drops_its_files(judge: Judge) -> None:
    place = "---\nid: m\ntitle: m\ntype: module\n---\nWords.\n"
    files = {"lib/SPEC.md": place, "lib/notes.md": "x", "lib/a.py": "x = 1\n"}
    report = judge(files, {"lib/SPEC.md": None})
    assert only(report, DROPPED).message == "spec m is gone, and it claimed lib/a.py, and no other spec does"
    assert dict(only(report, DROPPED).details)["claim"] == "lib/SPEC.md:1  governs lib/, the folder it stands in"


def test_an_untouched_spec_drops_nothing(sides: Any, judge: Judge) -> None:
    # Specs read at a revision that the change knows nothing of: only what the change does is its doing.
    from spexsearch.govern.check import check
    from spexsearch.govern.config import Config

    made = sides({SPEC: spec("a.py"), "a.py": "x = 1\n"}, {SPEC: spec()})
    assert rows(check(made.change_set, made.before, made.after, Config())) != []
    assert rows(check(made.change_set._replace(changes=()), made.before, made.after, Config())) == []


# --- the paths of a state


FILES = ["a.py", "lib/a.py", "lib/x/b.md", "lib-z/c.py", "lib0", "café/d.py"]


@pytest.mark.parametrize(
    ("folder", "files"),
    [
        ("lib", ["lib/a.py", "lib/x/b.md"]),
        ("lib/x", ["lib/x/b.md"]),
        ("li", []),
        ("a.py", []),
        ("café", ["café/d.py"]),
        ("", sorted(FILES)),
    ],
)
def test_what_is_below_a_folder(folder: str, files: list[str]) -> None:
    assert list(Paths(FILES).below(folder)) == files


@pytest.mark.parametrize(
    ("path", "there"),
    [("a.py", True), ("lib", True), ("lib/x", True), ("", True), ("li", False), ("lib/b", False), ("zz", False)],
)
def test_what_is_there(path: str, there: bool) -> None:
    assert Paths(FILES).has(path) is there


def test_in_an_empty_state_only_the_root_is_there() -> None:
    assert Paths(()).has("")
    assert not Paths(()).has("a")


def test_accents_are_compared_by_what_they_look_like() -> None:
    assert Paths(["cafe\u0301/d.py"]).has("caf\u00e9")


@pytest.mark.parametrize(
    ("claim", "files"),
    [
        ("a.py", ["a.py"]),
        ("lib", ["lib/a.py", "lib/x/b.md"]),
        ("lib/*", ["lib/a.py"]),
        ("**/*.py", ["a.py", "café/d.py", "lib-z/c.py", "lib/a.py"]),
        ("lib/a.py#x", ["lib/a.py"]),
        ("nosuch", []),
    ],
)
def test_what_a_claim_is_on(claim: str, files: list[str]) -> None:
    assert list(Paths(FILES).covered(parse_claim(claim, Relation.CODE, 1))) == files


def test_a_place_is_on_its_folder_but_on_no_markdown() -> None:
    place = Claim("lib/SPEC.md", "lib", None, ClaimKind.MODULE, Relation.CODE, 1)
    assert list(Paths(FILES).covered(place)) == ["lib/a.py"]


@given(st.lists(st.text("ab/0-", min_size=1, max_size=5)), st.text("ab/0-", max_size=4))
def test_paths_are_found_as_a_walk_would_find_them(files: list[str], path: str) -> None:
    paths = Paths(files)
    below = sorted(file for file in files if file.startswith(f"{path}/") or not path)
    assert list(paths.below(path)) == below
    assert paths.has(path) == (path in files or bool(below) or not path)
