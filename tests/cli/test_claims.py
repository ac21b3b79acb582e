"""Claims over time: what a change does to the links between specs and code."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from spexsearch.cli.spex import main as spex

Run = Callable[..., tuple[int, str, str]]

RENEWAL = ".spec/auth/renewal/spec.md"
CLOCK = ".spec/auth/clock/spec.md"


def found(run: Run, *rules: str) -> list[dict[str, Any]]:
    status, out, err = run("--format", "json")
    assert status in (0, 1), err
    return [f for f in json.loads(out)["findings"] if not rules or f["rule"] in rules]


def brief(findings: list[dict[str, Any]]) -> list[tuple[str, str, str, int]]:
    return [(f["rule"], f["level"], f["path"], f["line"]) for f in findings]


def test_a_claimed_file_that_is_deleted_leaves_a_dangling_claim(governed: Any, run: Run) -> None:
    governed.git("rm", "-q", "src/clock.py")
    assert brief(found(run)) == [
        ("dangling-claim", "error", CLOCK, 5),
        ("dangling-claim", "error", RENEWAL, 7),
    ]


def test_taking_the_claim_away_with_the_file_still_asks_for_the_words(governed: Any, run: Run) -> None:
    governed.git("rm", "-q", "src/clock.py")
    governed.replaced(CLOCK, "code:\n  - src/clock.py\n", "")
    governed.replaced(RENEWAL, "related:\n  - src/clock.py\n", "")
    assert brief(found(run)) == [("untouched-spec", "error", "src/clock.py", 1)]
    governed.replaced(CLOCK, "The clock never goes back.", "There is no clock any more.")
    assert [f for f in found(run) if f["level"] != "note"] == []


def test_a_renamed_file_carries_the_fix(governed: Any, run: Run) -> None:
    governed.git("mv", "src/session.py", "src/login.py")
    (finding,) = found(run)
    assert brief([finding]) == [("dangling-claim", "error", RENEWAL, 5)]
    assert finding["fix"] == {"path": RENEWAL, "line": 5, "old": "src/session.py#renew", "new": "src/login.py#renew"}
    governed.replaced(RENEWAL, "src/session.py#renew", "src/login.py#renew")
    assert found(run) == []


def test_a_renamed_unit_carries_the_fix(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "def renew(", "def extend(")
    (finding,) = found(run)
    assert (finding["rule"], finding["level"], finding["unit"]) == ("dangling-claim", "error", "renew")
    assert finding["fix"]["new"] == "src/session.py#extend"


def test_a_folder_that_moves_as_a_whole_carries_the_fix(governed: Any, run: Run) -> None:
    folder = "---\ntitle: all\ncode:\n  - src/\n---\nAll of it.\n"
    governed.commit("folder", {".spec/all/spec.md": folder})
    governed.git("mv", "src", "lib")
    fixes = {f["fix"]["old"]: f["fix"]["new"] for f in found(run, "dangling-claim")}
    assert fixes == {
        "src/": "lib/",
        "src/clock.py": "lib/clock.py",
        "src/session.py#renew": "lib/session.py#renew",
    }


def test_a_pattern_that_the_change_empties_dangles(governed: Any, run: Run) -> None:
    governed.commit(
        "glob", {".spec/g/spec.md": "---\ntitle: g\ncode:\n  - web/*.ts\n---\nG.\n", "web/a.ts": "let a = 1\n"}
    )
    governed.git("rm", "-q", "web/a.ts")
    assert ("dangling-claim", "error", ".spec/g/spec.md", 4) in brief(found(run))


def test_a_new_claim_on_nothing_is_an_error_unless_the_code_comes_later(governed: Any, run: Run) -> None:
    text = "---\ntitle: later\nstatus: {}\ncode:\n  - src/later.py\n  - src/session.py#nosuch\n---\nLater.\n"
    governed.write({".spec/later/spec.md": text.format("active")})
    assert brief(found(run)) == [
        ("dangling-claim", "error", ".spec/later/spec.md", 5),
        ("dangling-claim", "error", ".spec/later/spec.md", 6),
    ]
    for status in ("draft", "pending"):
        governed.write({".spec/later/spec.md": text.format(status)})
        assert found(run) == []


def test_an_old_dangling_claim_is_a_note(governed: Any, run: Run) -> None:
    governed.commit("old", {".spec/old/spec.md": "---\ntitle: old\ncode:\n  - src/gone.py\n---\nOld.\n"})
    governed.replaced(RENEWAL, "at most", "at least")
    assert brief(found(run)) == [("dangling-claim", "note", ".spec/old/spec.md", 4)]


def test_an_ambiguous_new_symbol_names_its_units(governed: Any, run: Run) -> None:
    code = "class A:\n    def go(self):\n        return 1\n\n\nclass B:\n    def go(self):\n        return 2\n"
    governed.write({"src/ab.py": code, ".spec/ab/spec.md": "---\ntitle: ab\ncode:\n  - src/ab.py#go\n---\nAb.\n"})
    (finding,) = found(run, "broken-spec")
    assert finding["level"] == "error"
    assert "`A.go`" in finding["message"]
    assert "`B.go`" in finding["message"]


def test_a_symbol_where_there_are_no_units_is_a_note(governed: Any, run: Run) -> None:
    governed.write({"a.txt": "x\n", ".spec/t/spec.md": "---\ntitle: t\ncode:\n  - a.txt#x\n---\nT.\n"})
    assert brief(found(run, "broken-spec")) == [("broken-spec", "note", ".spec/t/spec.md", 4)]


def test_a_claim_dropped_from_code_that_stays(governed: Any, run: Run) -> None:
    governed.replaced(CLOCK, "  - src/clock.py\n", "  - src/session.py\n")
    assert brief(found(run)) == [("dropped-claim", "error", CLOCK, 4)]
    governed.replaced(RENEWAL, "  - src/session.py#renew\n", "  - src/session.py#renew\n  - src/clock.py#now\n")
    assert found(run, "dropped-claim") == []


def test_a_spec_deleted_with_its_code_kept(governed: Any, run: Run) -> None:
    governed.git("rm", "-q", CLOCK)
    assert brief(found(run)) == [("dropped-claim", "error", CLOCK, 1)]
    governed.git("rm", "-q", "src/clock.py")
    assert [f["rule"] for f in found(run)] == ["dangling-claim"], "only the other spec's mention is left"


def test_a_claim_that_moves_to_another_spec_is_no_finding(governed: Any, run: Run) -> None:
    governed.replaced(CLOCK, "code:\n  - src/clock.py\n", "")
    governed.write({".spec/time/spec.md": "---\ntitle: time\ncode:\n  - src/clock.py\n---\nTime, in milliseconds.\n"})
    governed.replaced("src/clock.py", "return 0", "return 1000")
    assert found(run) == []


def test_a_renamed_spec_settles_nothing_and_drops_nothing(governed: Any, run: Run) -> None:
    governed.git("mv", ".spec/auth/clock", ".spec/auth/time")
    assert found(run) == []
    governed.replaced("src/clock.py", "return 0", "return 1")
    (finding,) = found(run)
    assert (finding["rule"], finding["spec"]) == ("untouched-spec", "time")


@pytest.mark.parametrize(
    "edit", [("never goes", "never  goes"), ("The clock", "# The clock"), ("title:", "owner: me\ntitle:")]
)
def test_a_hollow_touch_is_named_as_one(governed: Any, run: Run, edit: tuple[str, str]) -> None:
    governed.replaced("src/clock.py", "return 0", "return 1")
    governed.replaced(CLOCK, *edit)
    (finding,) = found(run)
    assert (finding["rule"], finding["level"], finding["path"]) == ("hollow-touch", "error", CLOCK)


def test_reformatting_a_spec_alone_is_nothing(governed: Any, run: Run) -> None:
    governed.replaced(CLOCK, "never goes", "never\ngoes")
    assert found(run) == []


def test_a_fault_is_an_error_when_it_is_new_and_a_note_when_it_is_old(governed: Any, run: Run) -> None:
    broken = "---\ntitle: twice\ntitle: again\ncode: [src/clock.py]\n---\nSee [[nobody]].\n"
    governed.write({".spec/b/spec.md": broken})
    rows = [("broken-spec", "error", ".spec/b/spec.md", 3), ("broken-spec", "error", ".spec/b/spec.md", 6)]
    assert brief(found(run)) == rows
    governed.commit("broken")
    governed.replaced(RENEWAL, "at most", "at least")
    assert [f["level"] for f in found(run)] == ["note", "note"]


def test_a_refused_claim_in_a_changed_spec_is_an_error(governed: Any, run: Run) -> None:
    governed.replaced(CLOCK, "  - src/clock.py\n", "  - src/clock.py\n  - ../other/x.py\n  - /etc/passwd\n")
    assert brief(found(run)) == [("broken-spec", "error", CLOCK, 6), ("broken-spec", "error", CLOCK, 7)]


def test_fix_changes_the_bytes_of_the_claim_and_nothing_else(governed: Any, run: Run) -> None:
    path = governed.path / RENEWAL
    crlf = path.read_bytes().replace(b"\n", b"\r\n") + b"\xff src/session.py#renew\r\n"
    path.write_bytes(crlf)
    path.chmod(0o755)
    governed.git("add", "--all")
    governed.commit("odd bytes")
    governed.git("mv", "src/session.py", "src/login.py")
    assert run()[0] == 1
    status, _, err = run("--fix")
    assert status == 1
    assert "src/session.py#renew -> src/login.py#renew" in err
    assert path.read_bytes() == crlf.replace(b"src/session.py#renew", b"src/login.py#renew", 1)
    assert path.stat().st_mode & 0o777 == 0o755
    governed.git("add", "--all")
    assert run("--fix")[0] == 0


def test_fix_leaves_a_line_alone_that_is_not_what_it_expects(governed: Any, run: Run) -> None:
    governed.git("mv", "src/session.py", "src/login.py")
    changed = (governed.path / RENEWAL).read_text().replace("src/session.py#renew", "src/other.py")
    (governed.path / RENEWAL).write_text(changed)
    assert run("--fix")[0] == 1
    assert (governed.path / RENEWAL).read_text() == changed


def test_lint_names_the_faults_of_the_whole_tree(governed: Any, run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    def lint(*arguments: str) -> tuple[int, str]:
        return spex(["lint", *arguments]), capfd.readouterr().out

    assert lint() == (0, "0 errors, 0 warnings in 2 specs\n")
    governed.write(
        {
            ".spec/f/spec.md": "---\ntitle: f\ncode:\n  - lib/clock.py\n  - src/session.py#nosuch\n  - no/x.py\n---\n",
            ".spec/g/spec.md": "---\ntitle: g\nstatus: draft\ncode:\n  - later.py\n---\nSee [[f]] and [[nobody]].\n",
        }
    )
    status, out = lint("--json")
    rows = [(f["rule"], f["path"], f["line"], f["fix"] and f["fix"]["new"]) for f in json.loads(out)]
    assert status == 1
    assert rows == [
        ("dangling-claim", ".spec/f/spec.md", 4, "src/clock.py"),
        ("dangling-claim", ".spec/f/spec.md", 5, None),
        ("dangling-claim", ".spec/f/spec.md", 6, None),
        ("broken-spec", ".spec/g/spec.md", 7, None),
    ]
    assert lint("--fix")[0] == 1
    assert "  - src/clock.py\n" in (governed.path / ".spec/f/spec.md").read_text()


def test_reports_are_written_beside_what_is_printed(governed: Any, run: Run, tmp_path: Any) -> None:
    governed.git("mv", "src/session.py", "src/login.py")
    written = [tmp_path / "r.json", tmp_path / "r.txt"]
    status, out, _ = run("--report", f"json={written[0]}", "--report", f"text={written[1]}")
    assert status == 1
    assert json.loads(written[0].read_text())["findings"][0]["rule"] == "dangling-claim"
    assert written[1].read_text() == out
    for wrong in ("json", "json=", "pdf=x", f"json={tmp_path}/no/such/folder"):
        status, _, err = run("--report", wrong)
        assert status == 2, wrong
        assert len(err.splitlines()) == 1


@pytest.mark.parametrize("claim", ["src/", "src/session.py", "src/*.py"])
def test_nested_specs_the_nearest_answers(governed: Any, run: Run, claim: str) -> None:
    parent = f"---\ntitle: auth\ncode:\n  - {claim}\n---\nSessions are renewed.\n"
    governed.commit("parent", {".spec/auth/spec.md": parent})
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    assert [f["spec"] for f in found(run)] == ["renewal"]
    governed.replaced(RENEWAL, "at most once", "once a session")
    assert found(run) == []
    governed.replaced("src/session.py", "session.open = False", "session.open = None")
    assert [f["spec"] for f in found(run)] == ["auth"], "the child claims another unit of the file"
    governed.git("reset", "-q", "--hard")
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.replaced("src/session.py", "LIMIT = 3600", "LIMIT = limit(60)\nstart()")
    assert sorted(f["spec"] for f in found(run)) == ["auth", "renewal"], "what stands outside units is nobody else's"


def test_one_of_two_symbols_dropped_is_seen_and_a_unit_that_is_gone_is_none(governed: Any, run: Run) -> None:
    two = "---\ntitle: two\ncode:\n  - src/two.py#f\n  - src/two.py#g\n---\nTwo.\n"
    governed.commit(
        "two", {".spec/two/spec.md": two, "src/two.py": "def f():\n    return 1\n\n\ndef g():\n    return 2\n"}
    )
    governed.replaced(".spec/two/spec.md", "  - src/two.py#f\n", "")
    assert brief(found(run)) == [("dropped-claim", "error", ".spec/two/spec.md", 3)]
    governed.replaced("src/two.py", "def f():\n    return 1\n\n\n", "")
    assert found(run, "dropped-claim") == []


def test_a_rule_that_is_turned_off_takes_no_other_with_it(governed: Any, run: Run) -> None:
    governed.write({"spex.toml": "rules = {hollow-touch = 'off', dangling-claim = 'off'}\n"})
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.replaced(RENEWAL, "at most", "at  most")
    assert brief(found(run)) == [("untouched-spec", "error", "src/session.py", 5)]
    governed.git("rm", "-q", "--cached", "src/clock.py")
    assert ("untouched-spec", "error", "src/clock.py", 1) in brief(found(run))


def test_a_dangling_claim_speaks_for_itself_alone(governed: Any, run: Run) -> None:
    both = "---\ntitle: both\ncode: [src/clock.py, src/session.py#renew]\n---\nBoth.\n"
    governed.commit("both", {".spec/both/spec.md": both})
    governed.git("rm", "-q", "src/clock.py")
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    rules = [f["rule"] for f in found(run) if f["spec"] == "both"]
    assert sorted(rules) == ["dangling-claim", "untouched-spec"]


def test_an_accent_may_be_written_in_two_ways(governed: Any, run: Run) -> None:
    disk, claim = "src/cafe\u0301.py", "src/caf\u00e9.py#f"
    spec = f"---\ntitle: cafe\ncode:\n  - {claim}\n---\nCoffee.\n"
    governed.commit("cafe", {disk: "def f():\n    return 1\n", ".spec/cafe/spec.md": spec})
    governed.write({disk: "def g():\n    return 2\n"})
    assert ("dangling-claim", "error", ".spec/cafe/spec.md", 4) in brief(found(run))
