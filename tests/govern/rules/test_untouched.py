"""`untouched-spec` and `hollow-touch`: how loudly, at which line, in which words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spexsearch.govern.config import Config
from spexsearch.govern.evidence import ERROR, WARNING
from spexsearch.govern.model import Commit
from spexsearch.govern.report import Finding, Report
from spexsearch.specs.globs import Glob

Judge = Callable[..., Report]

SPEC, PARENT = ".spec/all/lid/spec.md", ".spec/all/spec.md"
SPRINGS = (
    "".join(f"hinge.{how}(spring, by=spring.{how})\n        " for how in ("open", "bend", "force")) + "return hinge"
)
CODE = "class Box:\n    def open(self):\n        return 1\n\n    def close(self):\n        return 2\n\n\nTAG: int = 3\n"
STRICT, GRADED = Config(mode="strict"), Config()
# In a tree with others the number of specs alone says little, and whoever speaks of zebras takes words away.
CROWD = {f".spec/z{n}/spec.md": f"---\ntitle: zebra{n}\n---\nzebra zebra\n" for n in range(3)}


def spec(*claims: str, related: tuple[str, ...] = (), body: str = "Quiet.", extra: str = "") -> str:
    code = "".join(f"  - {claim}\n" for claim in claims)
    refers = "".join(f"  - {claim}\n" for claim in related)
    return f"---\ntitle: lid\n{extra}code:\n{code}related:\n{refers}---\n{body}\n"


def told(report: Report, *rules: str) -> list[tuple[str, str, str | None]]:
    rules = rules or ("untouched-spec", "hollow-touch")
    return [(f.rule, f.level, f.spec) for f in report.findings if f.rule in rules]


def only(report: Report, rule: str = "untouched-spec") -> Finding:
    (found,) = (finding for finding in report.findings if finding.rule == rule)
    return found


def details(finding: Finding) -> dict[str, str]:
    assert len(dict(finding.details)) == len(finding.details)
    return dict(finding.details)


UNIT = "src/box.py#Box.open"


@pytest.mark.parametrize(
    ("claim", "old", "new", "graded", "strict"),
    [
        (UNIT, "return 1", "return one()", "error", "error"),
        (UNIT, "return 1", "return 4", "error", "error"),
        (UNIT, "return 1", "return zebra()", "error", "error"),
        (UNIT, "return 2", "return two()", None, "error"),
        (UNIT, "return 1", "# why\n        return 1", None, "error"),
        ("src/box.py", "return 1", "return zebra()", "warning", "error"),
        ("src/box.py", "return 1", "# why\n        return 1", None, "error"),
        ("src/box.py", "class Box", "import zebra\n\nclass Box", None, "error"),
        ("src/box.py", "TAG: int", "TAG: str", None, "error"),
        ("src/box.py", "return 1", "return  1", None, "error"),
        ("src", "return 1", "return zebra()", "warning", "error"),
        ("src/*.py", "return 1", "return zebra()", "warning", "error"),
    ],
)
def test_the_claim_and_what_happens_to_it_give_the_level(
    judge: Judge, claim: str, old: str, new: str, graded: str | None, strict: str
) -> None:
    # Of a unit it speaks; of a file it only claims the words are not its own.
    body = "A box opens." if graded == "error" else "Quiet."
    files = CROWD | {SPEC: spec(claim, body=body), "src/box.py": CODE}
    assert old in CODE
    for config, level in ((GRADED, graded), (STRICT, strict)):
        report = judge(files, {"src/box.py": CODE.replace(old, new)}, config=config)
        assert told(report) == ([("untouched-spec", level, "lid")] if level else [])


@pytest.mark.parametrize("claim", ["src/box.py", "src", "src/**"])
def test_words_that_call_up_the_spec_make_it_an_error(judge: Judge, claim: str) -> None:
    edit = {"src/box.py": CODE.replace("return 1", SPRINGS)}
    files = CROWD | {SPEC: spec(claim, body="A spring opens the hinge."), "src/box.py": CODE}
    assert told(judge(files, edit)) == [("untouched-spec", "error", "lid")]
    files[SPEC] = spec(claim).replace("title: lid", "title: quiet")
    assert told(judge(files, edit)) == [("untouched-spec", "warning", "lid")]


@pytest.mark.parametrize("claim", ["src/box.py", "src", "src/**"])
def test_words_alone_make_no_error_of_a_small_change(judge: Judge, claim: str) -> None:
    # However high the score, what a claim on more than a unit rests on must be worth an error by itself.
    files = {SPEC: spec(claim, body="A box opens."), "src/box.py": CODE}
    small, large = CODE.replace("return 2", "return ~2"), CODE.replace("return 2", "return box.open(lid, lid.open)")
    for text, level in ((small, "warning"), (large, "error")):
        found = only(judge(files, {"src/box.py": text}))
        assert (found.level, (found.score or 0) > ERROR) == (level, True)
    files[SPEC] = spec("src/box.py#Box.close", body="A box opens.")
    assert only(judge(files, {"src/box.py": small})).level == "error"


def test_the_words_of_each_change_are_asked_apart(judge: Judge) -> None:
    files = CROWD | {SPEC: spec("src/box.py", body="A lantern."), "src/box.py": "x = 1\n", "b.py": "y = 1\n"}
    edit = {"src/box.py": "x = zebra()\n", "b.py": "y = lantern(lid)\n"}
    assert told(judge(files, edit)) == [("untouched-spec", "warning", "lid")]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("tests/test_box.py", "x = 1\n", "x = f()\n"),
        ("box.css", "a { color: red }", "a { margin: red }"),
        ("vendor/box.py", "x = 1\n", "x = f()\n"),
    ],
)
def test_tests_styles_and_generated_files_raise_nothing_unless_strict(
    judge: Judge, path: str, old: str, new: str
) -> None:
    files = CROWD | {SPEC: spec(path), path: old}
    assert told(judge(files, {path: new})) == []
    assert told(judge(files, {path: new}, config=STRICT)) == [("untouched-spec", "error", "lid")]
    assert told(judge(files, {path: new}, config=Config(tests=(Glob("none"),), ignore=(Glob(path),)))) == []


@pytest.mark.parametrize("config", [GRADED, STRICT])
def test_mentions_and_new_claims_raise_nothing(judge: Judge, config: Config) -> None:
    edit = {"src/box.py": CODE.replace("return 1", "return one()")}
    files = CROWD | {SPEC: spec(related=("src/box.py",)), "src/box.py": CODE}
    assert told(judge(files, edit, config=config)) == []
    files[SPEC] = spec("src/other.py", extra="status: draft\n")
    assert told(judge(files, edit | {SPEC: spec("src/other.py", UNIT, extra="status: draft\n")}, config=config)) == []


@pytest.mark.parametrize("config", [GRADED, STRICT])
def test_what_is_settled_raises_nothing(judge: Judge, config: Config) -> None:
    files = {SPEC: spec("src/box.py"), "src/box.py": CODE}
    edit = {"src/box.py": CODE.replace("return 1", "return one()")}
    assert told(judge(files, edit, config=config, message="Spec-OK: lid")) == []
    assert told(judge(files, edit, config=config, touched=[SPEC])) == []
    edited = judge(files, edit | {SPEC: spec("src/box.py", body="Loud.")}, config=config)
    assert told(edited, "untouched-spec") == []
    assert told(judge(files, edit, config=config)) != []


def test_advice_is_never_an_error(judge: Judge) -> None:
    files = {SPEC: spec(UNIT), "src/box.py": CODE}
    edit = {"src/box.py": CODE.replace("return 1", "return one()")}
    assert told(judge(files, edit, config=Config(mode="advisory"))) == [("untouched-spec", "warning", "lid")]


@pytest.mark.parametrize(
    ("error", "warning", "level"),
    [
        (0.0, None, "error"),
        (0.001, None, "warning"),
        (0.001, 0.0, "warning"),
        (0.0, 0.0, "error"),
        (0.002, 0.001, None),
        (None, 0.001, "error"),
        (None, None, "error"),
    ],
)
def test_thresholds_grade_by_the_score(
    judge: Judge, error: float | None, warning: float | None, level: str | None
) -> None:
    files = {SPEC: spec(UNIT), "src/box.py": CODE}
    edit = {"src/box.py": CODE.replace("return 1", "return one()")}
    score = only(judge(files, edit)).score or 0.0
    thresholds = {name: score + above for name, above in (("error", error), ("warning", warning)) if above is not None}
    report = judge(files, edit, config=Config(thresholds=thresholds))
    assert told(report) == ([("untouched-spec", level, "lid")] if level else [])


def test_no_threshold_makes_an_error_of_another_unit_or_a_mention(judge: Judge) -> None:
    edit = {"src/box.py": CODE.replace("return 2", "return open(box)")}
    loud = Config(thresholds={"error": 0.0, "warning": 0.0})
    for text in (spec(UNIT, body="A box opens."), spec(related=("src/box.py",), body="A box opens.")):
        files = CROWD | {SPEC: text, "src/box.py": CODE}
        assert told(judge(files, edit, config=loud)) == [("untouched-spec", "warning", "lid")]
        assert told(judge(files, edit)) == []


# --- nested specs


@pytest.mark.parametrize(
    ("parent", "child", "asked"),
    [
        ("src", "src/box.py", ["lid"]),
        ("src/*.py", "src/box.py", ["lid"]),
        ("src", UNIT, ["lid"]),
        ("src/box.py", UNIT, ["lid"]),
        ("src", "src", ["all", "lid"]),
        ("src", "src/*.py", ["all", "lid"]),
        ("src", "src/box.py#Box.close", ["all"]),
        ("src", "src/other.py", ["all"]),
    ],
)
def test_of_nested_specs_the_nearest_that_names_it_answers(
    judge: Judge, parent: str, child: str, asked: list[str]
) -> None:
    texts = {
        path: spec(claim, body="A box opens." if name in asked else "Quiet.")
        for path, claim, name in ((PARENT, parent, "all"), (SPEC, child, "lid"))
    }
    files = CROWD | texts | {"src/box.py": CODE, "src/other.py": "x = 1\n"}
    edit = {"src/box.py": CODE.replace("return 1", "return one()")}
    assert sorted(name or "" for _, _, name in told(judge(files, edit))) == asked
    strict = told(judge(files, edit, config=STRICT))
    assert sorted(name or "" for _, _, name in strict) == (["all"] if "other" in child else ["all", "lid"])


def test_the_nearest_answers_over_any_distance_but_only_for_what_it_names(judge: Judge) -> None:
    far = ".spec/all/mid/lid/spec.md"
    files = {PARENT: spec("src"), ".spec/all/mid/spec.md": spec(), far: spec("src/box.py"), "src/box.py": CODE}
    edit = {"src/box.py": CODE.replace("return 1", "return one()")}
    assert [name for _, _, name in told(judge(files, edit))] == ["lid"]
    files["src/b.py"] = "x = 1\n"
    both = judge(files, edit | {"src/b.py": "x = f()\n"})
    assert [(f.spec, f.path) for f in both.findings] == [("all", "src/b.py"), ("lid", "src/box.py")]


def test_who_stands_beside_is_not_nearer(judge: Judge) -> None:
    files = {".spec/a/spec.md": spec("src"), ".spec/b/spec.md": spec("src/box.py"), "src/box.py": CODE}
    edit = {"src/box.py": CODE.replace("return 1", "return one()")}
    assert sorted(name or "" for _, _, name in told(judge(files, edit))) == ["a", "b"]


def test_a_place_is_asked_unless_a_spec_below_names_the_file(judge: Judge) -> None:
    module = "---\nid: {}\ntitle: m\ntype: module\n{}---\nWords.\n"
    files = {
        "SPEC.md": module.format("root", ""),
        "docs/inner.md": module.format("inner", "parent: root\ncode:\n  - src/box.py\n"),
        "src/box.py": CODE,
        "src/b.py": "x = 1\n",
    }
    edit = {"src/box.py": CODE.replace("return 1", "return one()")}
    assert [name for _, _, name in told(judge(files, edit))] == ["inner"]
    assert [name for _, _, name in told(judge(files, {"src/b.py": "x = f()\n"}))] == ["root"]


# --- which claim speaks, where and how


def test_the_worst_claim_speaks_for_all(judge: Judge) -> None:
    files = CROWD | {
        SPEC: spec("a.py", "b.py", "src/box.py#Box.open", "crate.py#Crate", body="A crate of wine."),
        "a.py": "a = 1\n",
        "b.py": "b = 1\n",
        "crate.py": "def Crate():\n    return 1\n",
        "src/box.py": CODE,
    }
    a, b = {"a.py": "a = zebra\n"}, {"b.py": "b = zebra(zebra, zebra)\n"}
    c = {"crate.py": "def Crate():\n    return wine(crate.wine)\n"}
    box = {"src/box.py": CODE.replace("return 1", "return wine(wine, wine, wine, wine, wine)")}
    # A unit before a file, the larger change before the smaller, then by path.
    for edit, path, unit, level in (
        (a | b, "b.py", None, "warning"),
        (a | b | c, "crate.py", "Crate", "error"),
        (a | b | c | box, "src/box.py", "Box.open", "error"),
        (a | {"b.py": "b = zebra\n"}, "a.py", None, "warning"),
    ):
        found = only(judge(files, edit))
        assert (found.path, found.unit, found.level) == (path, unit, level)


def test_an_error_speaks_before_a_warning(judge: Judge) -> None:
    body = "A lantern has a hook, a wick and oil."
    files = CROWD | {SPEC: spec("a.py", "b.py", body=body), "a.py": "a = 1\n", "b.py": "b = 1\n"}
    lantern, zebra = f"b = lantern({'hook, wick, oil, ' * 6})\n", f"a = zebra({'zebra, ' * 40})\n"
    found = only(judge(files, {"a.py": zebra, "b.py": lantern}))
    assert (found.path, found.level) == ("b.py", "error")
    assert "and 1 more file" in found.message


def test_of_two_claims_on_one_unit_the_first_is_told(judge: Judge) -> None:
    files = {SPEC: spec("src/box.py#Box", UNIT), "src/box.py": CODE}
    found = only(judge(files, {"src/box.py": CODE.replace("return 1", "return one()")}))
    assert found.unit == "Box"
    assert details(found)["claim"] == f"{SPEC}:4  code: src/box.py#Box"


@pytest.mark.parametrize(
    ("others", "said"),
    [
        (0, "a0.py changed, but"),
        (1, "a0.py changed (and 1 more file that it claims), but"),
        (2, "a0.py changed (and 2 more files that it claims), but"),
    ],
)
def test_the_message_counts_files(judge: Judge, others: int, said: str) -> None:
    files = {f"a{n}.py": "x = 1\n" for n in range(others + 1)}
    report = judge({SPEC: spec(*files), **files}, dict.fromkeys(files, "x = f()\n"))
    assert only(report).message == f"{said} the text of spec lid did not change"


def test_the_message_says_what_happened(judge: Judge) -> None:
    files = {SPEC: spec(UNIT, "src/new"), "src/box.py": CODE, "src/new/a.py": "x = 1\n"}
    report = judge(files, {"src/box.py": CODE.replace("return 1", "return one()")})
    changed = only(report)
    assert changed.message.startswith("`Box.open` in src/box.py changed, but ")
    assert (changed.line, changed.end_line, changed.spec_path) == (3, 3, SPEC)
    assert [changed.score] == [governing.score for governing in report.governing]
    new = only(judge(files, {"src/new/b.py": "x = f()\n"}))
    assert new.message.startswith("src/new/b.py is new, but ")
    gone = only(judge(files | {"src/new/b.py": "x = 1\n"}, {"src/new/a.py": None}))
    assert gone.message.startswith("src/new/a.py is gone, but ")
    assert (gone.unit, gone.line) == (None, 1)


def test_the_line_is_where_the_claimed_unit_changed(judge: Judge) -> None:
    text = "# head\n" + CODE.replace("return 1", "pass\n        return one()")
    found = only(judge({SPEC: spec(UNIT), "src/box.py": CODE}, {"src/box.py": text}))
    assert (found.line, found.end_line) == (4, 4)


def test_details_say_what_to_read_and_what_to_do(judge: Judge) -> None:
    files = {SPEC: spec(UNIT), "src/box.py": CODE}
    found = only(judge(files, {"src/box.py": CODE.replace("return 1", "return one()")}))
    assert details(found) == {
        "claim": f"{SPEC}:4  code: {UNIT}",
        "read": f"{SPEC}:7  lid",
        "do": "edit the spec in the same change or, if it still holds, write in the commit message: Spec-OK: lid",
    }


@pytest.mark.parametrize(
    ("claims", "edits", "what"),
    [
        (("src/box.py",), ("return 1",), "Box.open"),
        (("src/box.py",), ("return 1", "return 2"), "Box.open, Box.close"),
        (("src/box.py#Box",), ("return 1", "return 2"), "Box.open, Box.close"),
        ((UNIT,), ("return 1", "return 2"), None),
        ((UNIT, "src/box.py#Box.close"), ("return 2", "return 1"), "Box.open, Box.close"),
    ],
)
def test_what_changed_is_named_where_the_claim_does_not_say_it(
    judge: Judge, claims: tuple[str, ...], edits: tuple[str, ...], what: str | None
) -> None:
    text = CODE
    for old in edits:
        text = text.replace(old, "return f()")
    found = only(judge({SPEC: spec(*claims), "src/box.py": CODE}, {"src/box.py": text}))
    assert details(found).get("what") == what


def test_of_many_units_five_are_named(judge: Judge) -> None:
    def source(value: str) -> str:
        return "".join(f"def f{n}():\n    return {value}\n\n\n" for n in range(7)) + f"# {value}\n"

    found = only(judge({SPEC: spec("m.py"), "m.py": source("1")}, {"m.py": source("g()")}))
    assert details(found)["what"] == "f0, f1, f2, f3, f4 and 2 more"
    five = source("g()").replace("return g()", "return 1", 2)
    assert (
        details(only(judge({SPEC: spec("m.py"), "m.py": source("1")}, {"m.py": five})))["what"] == "f2, f3, f4, f5, f6"
    )
    quiet = source("1").replace("def f0()", "def f0() -> int").replace("return 1", "return g()").replace("# 1", "# 2")
    typed = quiet.replace("    return g()", "    return 1", 1)
    found = only(judge({SPEC: spec("m.py"), "m.py": source("1")}, {"m.py": typed}))
    assert details(found)["what"].startswith("f1, ")


def commits(*rows: tuple[str, str]) -> tuple[Commit, ...]:
    return tuple(
        Commit(str(n) * 40, f"\n{subject}\n\nbody", frozenset({path})) for n, (subject, path) in enumerate(rows)
    )


@pytest.mark.parametrize(
    ("rows", "since"),
    [
        ((("one", "a.py"),), None),
        ((("one", "a.py"), ("two", "b.py")), "0000000000 one"),
        ((("one", "b.py"), ("two", "b.py")), None),
        ((("one", "a.py"), ("x", "b.py"), ("two", "a.py")), "0000000000 one; 2222222222 two"),
        ((("one", "a.py"),) * 3, "0000000000 one; 1111111111 one; 2222222222 one"),
        ((("one", "a.py"),) * 5, "0000000000 one; 1111111111 one; 2222222222 one; and 2 more"),
    ],
)
def test_a_range_names_the_commits_that_it_rests_on(
    judge: Judge, rows: tuple[tuple[str, str], ...], since: str | None
) -> None:
    report = judge({SPEC: spec("a.py"), "a.py": "x = 1\n"}, {"a.py": "x = f()\n"}, commits=commits(*rows))
    assert details(only(report)).get("since") == since


# --- what is no touch, and what is nobody's business any more


def test_a_spec_that_is_gone_is_not_asked(judge: Judge) -> None:
    files = {SPEC: spec("src/box.py"), PARENT: spec("src"), "src/box.py": CODE}
    report = judge(files, {"src/box.py": CODE.replace("return 1", "return f()"), SPEC: None}, config=STRICT)
    assert [name for _, _, name in told(report)] == ["all"]


def test_a_claim_that_dangles_is_told_once(judge: Judge) -> None:
    files = {SPEC: spec("a.py", "b.py"), "a.py": "x = 1\n", "b.py": "y = 1\n"}
    report = judge(files, {"a.py": None})
    assert [(finding.rule, finding.line) for finding in report.findings] == [("dangling-claim", 4)]
    report = judge(files, {"a.py": None, "b.py": "y = f()\n"})
    assert [(finding.rule, finding.path) for finding in report.findings] == [
        ("dangling-claim", SPEC),
        ("untouched-spec", "b.py"),
    ]


def test_a_claim_that_dangled_before_still_asks(judge: Judge) -> None:
    files = {SPEC: spec("src/box.py#Box.open"), "src/box.py": "# nothing yet\n"}
    report = judge(files, {"src/box.py": "x = f()\n"}, config=STRICT)
    assert [(finding.rule, finding.level) for finding in report.findings] == [
        ("untouched-spec", "error"),
        ("dangling-claim", "note"),
    ]


EDITS = [
    ("Quiet.", "*Quiet.*", "hollow-touch"),
    ("Quiet.", "\n\nQuiet.", "hollow-touch"),
    ("title: lid\n", "owner: me\ntitle: lid\n", "hollow-touch"),
    ("title: lid\n", "title:  lid\n", "hollow-touch"),
    ("title: lid\n", "title: lid\nstatus: active\n", "untouched-spec"),
    ("  - src/box.py\n", "  - src/box.py\n  - b.py\n", "untouched-spec"),
    ("  - b.py\n", "", "untouched-spec"),
    ("  - src/box.py\n", "  - ./src/box.py\n", "untouched-spec"),
    ("  - src/box.py\n", "  -  src/box.py\n", "hollow-touch"),
]


@pytest.mark.parametrize(("old", "new", "rule"), EDITS)
@pytest.mark.parametrize("mode", ["graded", "strict"])
def test_an_edit_that_says_nothing_is_hollow(judge: Judge, old: str, new: str, rule: str, mode: Any) -> None:
    text = spec("src/box.py", related=("b.py",) if new == "" else ())
    assert old in text
    files = CROWD | {SPEC: text, "src/box.py": CODE, "b.py": "x = 1\n"}
    edit = {"src/box.py": CODE.replace("return 1", "return zebra()"), SPEC: text.replace(old, new, 1)}
    report = judge(files, edit, config=Config(mode=mode))
    assert [name for name, _, _ in told(report)] == [rule]
    if rule == "hollow-touch":
        found = only(report, rule)
        assert (found.level, found.path, found.spec, found.spec_path) == ("error", SPEC, "lid", SPEC)
        assert found.score == next(governing.score for governing in report.governing if governing.path == SPEC)
        assert details(found)["for"] == "src/box.py"
        assert "Spec-OK: lid" in details(found)["do"]


def test_a_hollow_touch_is_shown_where_the_spec_was_edited(judge: Judge) -> None:
    files = {SPEC: spec("src/box.py", body="One.\n\nTwo."), "src/box.py": CODE}
    edit = {"src/box.py": CODE.replace("return 1", "return f()"), SPEC: spec("src/box.py", body="One.\n\n*Two.*")}
    found = only(judge(files, edit), "hollow-touch")
    assert (found.line, found.end_line) == (9, 9)


def test_reformatting_alone_or_beside_what_nobody_claims_is_nothing(judge: Judge) -> None:
    text = spec("src/box.py")
    files = {SPEC: text, "src/box.py": CODE, "b.py": "x = 1\n"}
    hollow = {SPEC: text.replace("Quiet.", "*Quiet.*")}
    assert told(judge(files, hollow)) == []
    assert told(judge(files, hollow | {"b.py": "x = f()\n"})) == []
    assert told(judge(files, hollow | {"src/box.py": CODE.replace("return 1", "return  1")})) == []


def test_a_renamed_spec_without_an_edit_is_not_hollow(judge: Judge) -> None:
    new = ".spec/all/case/spec.md"
    files = {SPEC: spec("src/box.py"), "src/box.py": CODE}
    edit: dict[str, str] = {"src/box.py": CODE.replace("return 1", "return f()")}
    assert told(judge(files, edit, moved={SPEC: new})) == [("untouched-spec", "warning", "case")]
    edit[new] = files[SPEC].replace("Quiet.", "*Quiet.*")
    assert told(judge(files, edit, moved={SPEC: new})) == [("hollow-touch", "error", "case")]


def test_five_files_at_most_are_named_for_a_hollow_touch(judge: Judge) -> None:
    files = {f"a{n}.py": "x = 1\n" for n in range(7)}
    edit = dict.fromkeys(files, "x = f()\n") | {SPEC: spec(*files, body="*Quiet.*")}
    found = only(judge({SPEC: spec(*files), **files}, edit), "hollow-touch")
    assert details(found)["for"] == "a0.py, a1.py, a2.py, a3.py, a4.py"


# --- a document in the spec's own folder


@pytest.mark.parametrize(("kept", "level"), [(".spec/all/lid/eval.md", "error"), (".spec/all/eval.md", "warning")])
def test_a_document_beside_the_spec_carries_an_error_where_no_word_is_shared(
    judge: Judge, kept: str, level: str
) -> None:
    files = CROWD | {PARENT: spec(), SPEC: spec("src/box.py"), "src/box.py": CODE, kept: "One.\n"}
    report = judge(files, LOUD | {kept: "Two.\n"})
    assert [row for row in told(report) if row[2] == "lid"] == [("untouched-spec", level, "lid")]


# --- code that a new spec takes over


LOUD = {"src/box.py": CODE.replace("return 1", SPRINGS)}
HINGE = "A spring opens the hinge."


@pytest.mark.parametrize("claim", ["src/box.py", "src", UNIT])
@pytest.mark.parametrize(
    ("path", "text", "level"),
    [
        (None, "", "error"),
        (".spec/else/spec.md", spec("src/other.py", body="New."), "error"),
        (".spec/else/spec.md", spec("src/box.py", body="New."), "warning"),
        (".spec/else/spec.md", spec(related=("src/box.py",), body="New."), "error"),
        (".spec/else/spec.md", spec("src/box.py", body=""), "error"),
        (".spec/all/lid/hinge/spec.md", spec("src/other.py", body="New."), "warning"),
        (".spec/all/lid/hinge/spec.md", spec("src/other.py", body=" "), "error"),
        (".spec/all/lid/far/hinge/spec.md", spec("src/other.py", body="New."), "warning"),
        (".spec/all/beside/spec.md", spec("src/other.py", body="New."), "error"),
    ],
)
def test_an_error_is_none_where_a_new_spec_may_have_said_it(
    judge: Judge, claim: str, path: str | None, text: str, level: str
) -> None:
    files = CROWD | {PARENT: spec(), SPEC: spec(claim, body=HINGE), "src/box.py": CODE, "src/other.py": "x = 1\n"}
    report = judge(files, LOUD | ({path: text} if path else {}))
    assert [row for row in told(report) if row[2] == "lid"] == [("untouched-spec", level, "lid")]


# --- a touch that shares no word with the change


def asides(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == "hollow-touch" and finding.level == "note"]


@pytest.mark.parametrize(
    ("body", "noted"),
    [
        (f"{HINGE} Cheese is yellow.", True),
        (f"{HINGE}\n\nCheese.", True),
        ("A spring opens the hinge", False),
        (f"{HINGE} With force.", False),
        (f"{HINGE} See `hingeForce`.", False),
        (f"{HINGE} See box.", False),
        ("Cheese.", False),
    ],
)
def test_an_edit_that_shares_no_word_with_the_change_is_noted(judge: Judge, body: str, noted: bool) -> None:
    files = CROWD | {SPEC: spec("src/box.py", body=HINGE), "src/box.py": CODE}
    found = asides(judge(files, LOUD | {SPEC: spec("src/box.py", body=body)}))
    assert bool(found) is noted


def test_the_note_says_which_change_and_settles_all_the_same(judge: Judge) -> None:
    files = CROWD | {SPEC: spec(UNIT, body=f"One.\n\n{HINGE}"), "src/box.py": CODE}
    report = judge(files, LOUD | {SPEC: spec(UNIT, body=f"One.\n\n{HINGE} Cheese.")})
    assert told(report) == [("hollow-touch", "note", "lid")]
    (found,) = asides(report)
    assert found.message == "the edit of spec lid shares no word with the change of src/box.py"
    assert (found.path, found.line, found.end_line, found.spec_path) == (SPEC, 9, 9, SPEC)
    assert found.score == next(governing.score for governing in report.governing if governing.path == SPEC)
    assert details(found)["for"] == "src/box.py"
    title = spec(UNIT, body=f"One.\n\n{HINGE}")
    assert len(asides(judge(files, LOUD | {SPEC: title.replace("title: lid", "title: cheese")}))) == 1
    assert asides(judge(files, LOUD | {SPEC: title.replace("title: lid", "title: spring")})) == []


def test_only_an_edit_of_this_change_that_answers_for_a_claim_is_noted(judge: Judge) -> None:
    files = CROWD | {SPEC: spec("src/box.py", body=HINGE), "src/box.py": CODE}
    new = f"{HINGE} Cheese."
    assert asides(judge(files, LOUD, touched=[SPEC])) == []
    assert asides(judge(files, {SPEC: spec("src/box.py", body=new)})) == []
    assert asides(judge(files, {"src/box.py": CODE + "# why\n", SPEC: spec("src/box.py", body=new)})) == []
    silent = {f".spec/m{n}/spec.md": "Quiet.\n" for n in range(70)}
    for claims in (spec(related=("src/box.py",), body=HINGE), spec("src/box.py#Box.close", body=HINGE)):
        edited = {SPEC: claims.replace(HINGE, new), "src/box.py": LOUD["src/box.py"] + "# the spring opens the hinge\n"}
        report = judge(silent | {SPEC: claims, "src/box.py": CODE}, edited)
        assert (report.governing[0].path, report.governing[0].score > WARNING) == (SPEC, True)
        assert asides(report) == []
    # A new claim answers for itself.
    assert asides(judge(files | {SPEC: spec(body=HINGE)}, LOUD | {SPEC: spec("src/box.py", body=new)})) == []
    # Of a spec that would not even be warned of nothing is said.
    many = {f".spec/m{n}/spec.md": "Quiet.\n" for n in range(250)}
    quiet = {SPEC: spec("src", body="Silent."), "src/box.py": CODE}
    small = {"src/box.py": CODE.replace("return 1", "return one()"), SPEC: spec("src", body="Silent. Cheese.")}
    assert [len(asides(judge(quiet | more, small))) for more in (CROWD, many)] == [1, 0]
