"""What a person types, and what `spex-govern` says to it."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spexsearch.cli.govern import main

Run = Callable[..., tuple[int, str, str]]

SPEC = ".spec/auth/renewal/spec.md"
CHANGED = "def renew(session, now):\n    return now - session.renewed >= LIMIT\n"


def findings(run: Run, *arguments: str) -> list[dict[str, Any]]:
    _, out, _ = run(*arguments, "--format", "json")
    found: list[dict[str, Any]] = json.loads(out)["findings"]
    return found


def test_nothing_staged_is_nothing_to_say(run: Run) -> None:
    assert run() == (0, "", "")
    assert run("-v") == (0, "", "")


def test_claimed_unit_changed_and_spec_untouched_is_an_error(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    status, out, err = run()
    assert (status, err) == (1, "")
    first, *rest = out.splitlines()
    message = "`renew` in src/session.py changed, but the text of spec renewal did not change"
    assert first == f"src/session.py:5  error untouched-spec: {message}"
    assert f"    claim  {SPEC}:5  code: src/session.py#renew" in rest
    assert f"    read   {SPEC}:9  session renewal" in rest
    assert any("Spec-OK: renewal" in line for line in rest)
    assert rest[-1] == "1 error, 0 warnings · 1 change against 2 specs"


def test_code_and_spec_together_are_silent(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.replaced(SPEC, "at most once", "once")
    assert run() == (0, "", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("at most once", "at  most\nonce"),
        ("# session renewal", "## session renewal"),
        ("  - src/clock.py", "  - src/clock.py\nnote: x"),
        ("at most", "*at most*"),
    ],
    ids=["white space", "heading level", "frontmatter", "emphasis"],
)
def test_an_edit_that_says_nothing_settles_nothing(governed: Any, run: Run, old: str, new: str) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.replaced(SPEC, old, new)
    assert run()[0] == 1


def test_another_unit_of_the_claimed_file_is_silent(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "session.open = False", "session.open = None")
    assert run() == (0, "", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def renew", "# why\n\n\ndef renew"),
        ("    return now", "    return  now"),
        ("LIMIT = 3600\n", "import os\n\nLIMIT = 3600\n"),
    ],
    ids=["comment", "white space", "import"],
)
def test_cosmetic_changes_are_silent(governed: Any, run: Run, old: str, new: str) -> None:
    governed.replaced("src/session.py", old, new)
    assert run() == (0, "", "")


def test_file_claim_is_an_error_where_the_words_agree_and_a_warning_where_they_do_not(governed: Any, run: Run) -> None:
    others = {
        f".spec/o{n}/spec.md": f"---\ntitle: zebra {n}\n---\nThe zebra herd gallops over zebra_plain {n}.\n"
        for n in range(2)
    }
    governed.commit("others", others)
    governed.replaced("src/clock.py", "return 0", "return clock() + 1")
    assert [(f["rule"], f["level"], f["spec"]) for f in findings(run)] == [("untouched-spec", "error", "clock")]
    governed.git("reset", "-q", "--hard")
    renamed = {SPEC.replace("renewal", "herd"): "---\ntitle: pack\ncode:\n  - src/x/q.py\n---\nWolves.\n"}
    governed.commit("pack", renamed | {"src/x/q.py": "def f(a):\n    return a\n"})
    governed.replaced("src/x/q.py", "return a", "return zebra(zebra_plain, herd_gallops(a))")
    assert [(f["rule"], f["level"]) for f in findings(run)] == [("untouched-spec", "warning")]
    assert run()[0] == 0
    assert run("--fail-on", "warning")[0] == 1


def test_tests_styles_and_generated_files_raise_nothing(governed: Any, run: Run) -> None:
    claims = "---\ntitle: q\ncode:\n  - tests/test_q.py\n  - q.css\n  - package-lock.json\n---\nQ.\n"
    old = {
        "tests/test_q.py": "def test_q():\n    assert f() == 1\n",
        "q.css": "a { color: red }\n",
        "package-lock.json": "{}\n",
    }
    governed.commit("q", old | {".spec/q/spec.md": claims})
    governed.write(
        {name: text.replace("1", "2").replace("red", "blue").replace("{}", '{"a": 1}') for name, text in old.items()}
    )
    assert run("-v")[0] == 0
    assert findings(run) == []


def test_ungoverned_code_names_the_probable_spec_with_a_ready_line(governed: Any, run: Run) -> None:
    governed.write({"src/renewal_timer.py": "def renew_session_hourly(session):\n    return session.renewal\n"})
    (found,) = findings(run)
    assert (found["rule"], found["level"], found["spec"]) == ("ungoverned-code", "warning", "renewal")
    assert "- src/renewal_timer.py" in run("-v")[1]
    governed.git("rm", "-q", "--cached", "src/renewal_timer.py")
    governed.write({"tools/renewal_timer.py": "def renew_session_hourly(session):\n    return session.renewal\n"})
    assert [f["level"] for f in findings(run)] == ["note"]
    assert "ungoverned" not in run()[1]


def test_a_commit_message_that_acknowledges_settles(governed: Any, run: Run, tmp_path: Path) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    message = tmp_path / "message"
    message.write_text("Renew on the hour\n\nSpec-OK: clock, renewal\n")
    assert run("--commit-msg", str(message))[0] == 0
    for quoted in (
        "> Spec-OK: renewal",
        "  Spec-OK: renewal",
        "see Spec-OK: renewal",
        "a\rSpec-OK: renewal",
        "a\u2028Spec-OK: renewal",
    ):
        message.write_text(f"Renew\n\n{quoted}\n", newline="")
        assert run("--commit-msg", str(message))[0] == 1, quoted
    message.write_text("Renew\n\n# ------------------------ >8 ------------------------\nSpec-OK: renewal\n")
    assert run("--commit-msg", str(message))[0] == 1


def test_ranges_count_edits_and_acknowledgements_anywhere_in_them(governed: Any, run: Run) -> None:
    start = governed.git("rev-parse", "HEAD").strip()
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    changed = governed.commit("change")
    assert run("HEAD")[0] == 1
    assert run(f"{start}..HEAD")[0] == 1
    governed.replaced("src/session.py", "False", "None")
    governed.commit("other\n\nSpec-OK: renewal")
    assert run(f"{start}..HEAD")[0] == 1, "an acknowledgement with content answers for its own commit"
    governed.commit("still true\n\nSpec-OK: renewal")
    assert run(f"{start}..HEAD")[0] == 0, "on an empty commit it covers those before it"
    assert run(f"{start}..HEAD~1")[0] == 1
    assert run("--base", start)[0] == 0
    governed.replaced("src/session.py", ">= LIMIT", "== LIMIT")
    governed.commit("later")
    assert run(f"{start}..HEAD")[0] == 1, "what comes after the acknowledgement is not covered"
    governed.replaced(SPEC, "at most once", "exactly")
    governed.commit("spec")
    assert run(f"{start}..HEAD")[0] == 0
    assert run(changed)[0] == 1


def test_a_staged_change_is_not_charged_for_a_spec_the_branch_has_touched(
    governed: Any, run: Run, tmp_path: Path
) -> None:
    governed.git("init", "-q", "--bare", str(tmp_path / "up.git"))
    governed.git("remote", "add", "origin", str(tmp_path / "up.git"))
    governed.git("push", "-q", "-u", "origin", "main")
    governed.replaced(SPEC, "at most once", "exactly once")
    governed.commit("spec first")
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    assert run() == (0, "", "")
    governed.git("push", "-q", "origin", "main")
    assert run()[0] == 1


def test_a_diff_file_and_standard_input(
    governed: Any, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    diff = governed.git("diff", "--cached")
    patch = tmp_path / "change.patch"
    patch.write_text(diff)
    status, out, err = run(str(patch))
    assert (status, err) == (1, "")
    assert out.startswith("src/session.py:5  error untouched-spec: `renew` in src/session.py changed")
    # What is staged is not asked: a diff is judged against the folder that it is for.
    governed.git("reset", "-q", "--hard")
    assert run(str(patch)) == (status, out, err)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(diff.encode())))
    assert run("-") == (status, out, err)


def test_a_diff_of_blobs_that_are_not_here_is_judged_from_its_hunks(governed: Any, run: Run, tmp_path: Path) -> None:
    governed.replaced("src/session.py", "> LIMIT", "> LIMIT + session.grace")
    diff, unknown = re.subn(r"index \w+\.\.\w+", "index 1234567..89abcde", governed.git("diff", "--cached"))
    assert unknown == 1
    governed.git("reset", "-q", "--hard")
    patch = tmp_path / "change.patch"
    patch.write_text(diff)
    status, out, err = run(str(patch), "--format", "json")
    report = json.loads(out)
    assert status == 1
    assert "of 1 changed files, 1 are judged from their hunks" in err
    assert [(problem["path"], problem["line"]) for problem in report["problems"]] == [("src/session.py", 1)]
    # Without both texts nobody knows the units: the claim on one counts as a claim on its file.
    assert (report["changes"][0]["significance"], report["changes"][0]["units"]) == ("behaviour", [])
    assert [(f["rule"], f["level"], f["line"], f["unit"]) for f in report["findings"]] == [
        ("untouched-spec", "error", 5, None)
    ]
    patch.write_text(
        re.sub(r"^([-+]) .*$", r"\1    # a comment", diff, flags=re.MULTILINE).replace("+    #", "+    # not")
    )
    assert run(str(patch))[:2] == (0, "")


def test_what_is_no_diff_is_refused(governed: Any, run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.write_text('{"message": "Not Found"}\n')
    status, out, err = run(str(page))
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["nosuch"],
        ["nosuch...HEAD"],
        ["--base", "nosuch"],
        ["--bogus"],
        ["--fail-on", "x"],
        ["--explain", "x"],
        ["a", "--base", "b"],
        ["--specs", "nosuch"],
        ["--config", "nosuch.toml"],
        ["--commit-msg", "nosuch"],
    ],
)
def test_what_cannot_be_judged_is_exit_2_and_one_line(run: Run, arguments: list[str]) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_outside_a_repository_is_exit_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mod = 1", "mode"),
        ("mode = 'loud'", "graded"),
        ("rules = {untouched = 'off'}", "untouched-spec"),
        ("tests = 'x'", "list"),
        ("a = [", "spex.toml"),
    ],
)
def test_a_configuration_with_a_fault_is_refused(governed: Any, run: Run, text: str, said: str) -> None:
    governed.write({"spex.toml": text + "\n"})
    status, out, err = run()
    assert (status, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


def test_configuration_sets_levels_and_what_is_looked_at(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    for text, level in [
        ("mode = 'advisory'", "warning"),
        ("rules = {untouched-spec = 'note'}", "note"),
        ("rules = {untouched-spec = 'off'}", None),
        ("ignore = ['src/**']", None),
        ("tests = ['src/*.py']", None),
    ]:
        governed.write({"pyproject.toml": f"[tool.spex]\n{text}\n"})
        assert [f["level"] for f in findings(run) if f["rule"] == "untouched-spec"] == ([level] if level else []), text
    governed.write({"pyproject.toml": "[tool.other]\nx = 1\n"})
    assert run()[0] == 1


def test_in_a_range_the_configuration_is_the_one_at_its_base(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.commit("excuse itself", {"spex.toml": "mode = 'advisory'\n"})
    assert run("HEAD")[0] == 1


def test_strict_makes_every_unsettled_claim_an_error(governed: Any, run: Run) -> None:
    governed.commit("strict", {"spex.toml": "mode = 'strict'\n"})
    governed.replaced("src/session.py", "False", "None")
    assert run()[0] == 1


def test_a_claim_dropped_in_the_same_change_still_counts(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.replaced(SPEC, "  - src/session.py#renew\n", "  - src/other.py\n")
    assert run()[0] == 1


def test_json_is_the_schema_and_the_same_bytes_every_time(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    one, two = run("--format", "json"), run("--format", "json")
    assert one == two
    report = json.loads(one[1])
    assert list(report) == [
        "schema",
        "tool",
        "base",
        "head",
        "from",
        "changes",
        "governing",
        "findings",
        "learnings",
        "problems",
        "not_judged",
        "summary",
    ]
    assert report["schema"] == "spex-govern/1"
    assert report["from"] == "staged"
    assert report["changes"] == [
        {
            "status": "M",
            "path": "src/session.py",
            "old_path": None,
            "binary": False,
            "kind": "code",
            "significance": "behaviour",
            "added_lines": [5],
            "removed_lines": [5],
            "units": ["renew"],
        }
    ]
    first = report["governing"][0]
    assert (first["spec"], first["claim"], first["touched"], first["acknowledged"]) == ("renewal", "unit", False, False)
    assert list(first) == [
        "spec",
        "path",
        "score",
        "claim",
        "touched",
        "acknowledged",
        "evidence",
        "sections",
        "changes",
    ]
    (found,) = report["findings"]
    assert list(found) == [
        "rule",
        "level",
        "message",
        "spec",
        "spec_path",
        "path",
        "line",
        "end_line",
        "unit",
        "score",
        "section",
        "fix",
    ]
    assert report["summary"] == {"errors": 1, "warnings": 0, "notes": 0, "changes": 1, "specs": 2, "settled": 0}


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("markdown", "| ❌ | `src/session.py:5` · spec `renewal` › `session renewal`<br>"),
        ("sarif", '"version": "2.1.0"'),
        ("gitlab", '"check_name": "untouched-spec"'),
    ],
)
def test_other_formats_are_printed_and_written(
    governed: Any, run: Run, tmp_path: Path, written: str, told: str
) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    file = tmp_path / "report"
    status, out, err = run("--format", written, "--report", f"{written}={file}")
    assert (status, err) == (1, "")
    assert told in out
    assert file.read_text(encoding="utf-8") == out
    assert run("--format", written)[1] == out


def test_markdown_quotes_the_passage_that_speaks_of_the_change(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    assert f"`{SPEC}:11`\n\n> `A session is renewed at most once an hour.`\n" in run("--format", "markdown")[1]
    governed.replaced(SPEC, "at most once", "once")
    assert run("--format", "markdown")[1] == "✅ **All settled** · 2 changes against 2 specs, 1 spec settled\n"
    assert "<details>" in run("--format", "markdown", "-v")[1]


def test_github_commands_cannot_be_forged_by_a_path(governed: Any, run: Run) -> None:
    name = "src/a,b%0A::error::x\n::set-output name=a::b.py"
    governed.commit(
        "odd", {name: "def f():\n    return 1\n", ".spec/odd/spec.md": "---\ntitle: odd\ncode:\n  - src\n---\nOdd.\n"}
    )
    governed.write({name: "def f():\n    return 2\n"})
    _, out, _ = run("--format", "github")
    (command,) = out.split("\n")[:-1]
    shown = "src/a%2Cb%250A%3A%3Aerror%3A%3Ax\\n%3A%3Aset-output name=a%3A%3Ab.py"
    begin, properties, message = command.split("::", 2)
    assert begin == ""
    assert properties.split(",") == [f"warning file={shown}", "line=2", "endLine=2", "title=untouched-spec"]
    # A message may hold colons, but no line end beyond those that part its details.
    first, *details = message.split("%0A")
    assert first.startswith("src/a,b%250A::error::x\\n::set-output name=a::b.py changed")
    assert [detail.partition(": ")[0] for detail in details] == ["what", "claim", "read", "do"]


def test_text_shows_escape_sequences_and_sends_none(governed: Any, run: Run) -> None:
    governed.commit(
        "odd",
        {
            "src/\x1b[31m\u202e.py": "def f():\n    return 1\n",
            ".spec/odd/spec.md": "---\ntitle: o\x1b]0;x\x07\ncode:\n  - src\n---\nOdd.\n",
        },
    )
    governed.write({"src/\x1b[31m\u202e.py": "def f():\n    return 2\n"})
    out = run("-v")[1]
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "\\x1b" in out


def test_one_broken_spec_does_not_hide_the_others(governed: Any, run: Run) -> None:
    governed.commit(
        "broken",
        {".spec/broken/spec.md": "---\ncode: [a\ntitle: x\n---\nB.\n", ".spec/nul/spec.md": "---\ntitle: \0\n---\n"},
    )
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    assert run()[0] == 1
    problems = json.loads(run("--format", "json")[1])["problems"]
    assert {p["path"] for p in problems} >= {".spec/broken/spec.md"}


def test_pre_commit_refs_and_runs_by_hand(governed: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    start = governed.git("rev-parse", "HEAD").strip()
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.commit("change")
    monkeypatch.setenv("PRE_COMMIT", "1")
    status, _, err = run()
    assert status == 1
    assert "last commit" in err
    monkeypatch.setenv("GIT_INDEX_FILE", str(governed.path / ".git" / "index"))
    assert run() == (0, "", "")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", start)
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")
    assert run()[0] == 1


def test_explain_says_how_to_settle(run: Run) -> None:
    status, out, _ = run("--explain", "untouched-spec")
    assert status == 0
    assert "Spec-OK:" in out


def test_a_repository_without_specs_is_told_so(
    repo: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repo.path)
    repo.write({"a.py": "x = 1\n"})
    assert main([]) == 0
    assert "no specs" in capfd.readouterr().err


def test_the_configuration_names_specs_that_no_convention_finds(governed: Any, run: Run) -> None:
    spec = "---\ntitle: closing\ncode:\n  - src/session.py#close\n---\nA closed session stays closed.\n"
    governed.commit("docs", {"docs/specs/closing.md": spec, "spex.toml": "specs = ['docs/specs/*.md']\n"})
    governed.replaced("src/session.py", "session.open = False", "session.open = None")
    (found,) = findings(run)
    assert (found["spec"], found["spec_path"]) == ("closing", "docs/specs/closing.md")
    governed.commit("forget")
    assert [f["spec"] for f in findings(run, "HEAD")] == ["closing"]
    governed.replaced("docs/specs/closing.md", "stays closed", "may be opened again")
    governed.commit("spec")
    assert [f for f in findings(run, "HEAD~2..HEAD") if f["level"] != "note"] == []
    governed.write({"spex.toml": "specs = ['doc/*.md']\n"})
    assert "'doc/*.md'" in run()[2]


def test_thresholds_grade_by_score(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    for table, level in [
        ("error = 9, warning = 9", None),
        ("error = 9", "warning"),
        ("warning = 0", "error"),
        ("error = 9, warning = 0", "warning"),
        ("error = 0.1", "error"),
    ]:
        governed.write({"spex.toml": f"thresholds = {{{table}}}\n"})
        assert [f["level"] for f in findings(run)] == ([level] if level else []), table


def test_spexcode_says_what_is_source_and_test_where_we_do_not(governed: Any, run: Run) -> None:
    lint = {"governedRoots": ["lib"], "sourceExtensions": ["py"], "testGlobs": ["session.py"]}
    governed.commit("lint", {"spexcode.json": json.dumps({"lint": lint})})
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.write({"lib/a.py": "def a():\n    return 1\n", "src/b.py": "def b():\n    return 1\n"})
    report = json.loads(run("--format", "json")[1])
    assert {c["path"]: c["kind"] for c in report["changes"]} == {
        "lib/a.py": "code",
        "src/b.py": "other",
        "src/session.py": "test",
    }
    assert [f["path"] for f in report["findings"]] == ["lib/a.py"]
    governed.write({"spexcode.json": "{"})
    status, _, err = run()
    assert (status, len(err.splitlines())) == (2, 1)


@pytest.mark.parametrize("arguments", [["--base", ""], ["...HEAD"], [".."]])
def test_an_empty_base_is_a_variable_that_was_not_set(governed: Any, run: Run, arguments: list[str]) -> None:
    status, out, err = run(*arguments)
    assert (status, out, len(err.splitlines())) == (2, "", 1)


def test_a_range_of_nothing_is_said_to_be_one(governed: Any, run: Run) -> None:
    status, out, err = run("HEAD..HEAD")
    assert (status, out) == (0, "")
    assert "same commit" in err


def test_a_file_that_is_called_like_a_revision_does_not_take_its_place(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.commit("change")
    empty = "diff --git a/x.txt b/x.txt\nnew file mode 100644\nindex 0000000..e69de29\n"
    for name in ("HEAD", "main", "HEAD~1..HEAD"):
        (governed.path / name).write_text(empty)
        assert run(name)[0] == 1, name
    assert run("./main")[0] == 0


def test_a_claim_whose_units_cannot_be_read_counts_as_one_on_the_file(governed: Any, run: Run) -> None:
    padded = (governed.path / "src/session.py").read_text() + "# x\n" * 140_000
    governed.commit("pad", {"src/session.py": padded})
    governed.replaced("src/session.py", "> LIMIT", "> LIMIT + session.grace")
    assert [f["rule"] for f in findings(run) if f["level"] == "error"] == ["untouched-spec"]


def test_handing_a_claim_to_a_spec_that_says_nothing_excuses_nobody(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.replaced(SPEC, "  - src/session.py#renew\n", "  - src/other.py\n")
    governed.write({".spec/zz/spec.md": "---\ncode:\n  - src/session.py\n---\n", "src/other.py": "x = 1\n"})
    assert [f["spec"] for f in findings(run) if f["rule"] == "untouched-spec"] == ["renewal"]
    governed.write({".spec/zz/spec.md": "---\ncode:\n  - src/session.py#close\n---\nWhat closing means.\n"})
    assert [f["spec"] for f in findings(run) if f["rule"] == "untouched-spec"] == ["renewal"]
    governed.write({".spec/zz/spec.md": "---\ncode:\n  - src/session.py\n---\nWhat sessions mean.\n"})
    assert [f["spec"] for f in findings(run) if f["rule"] == "untouched-spec"] == []


def test_a_diff_that_contradicts_the_blobs_it_names_is_refused(governed: Any, run: Run, tmp_path: Path) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    diff = governed.git("diff", "--cached")
    old = governed.git("rev-parse", "--short", "HEAD:src/session.py").strip()
    patch = tmp_path / "p.diff"
    forged = [
        re.sub(r"index \w+\.\.\w+", f"index {old}..{old}", diff),
        diff.replace(">= LIMIT", "!= LIMIT"),
    ]
    for text in forged:
        patch.write_text(text)
        status, out, err = run(str(patch))
        assert (status, out, len(err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize(
    "edit",
    ["\u00ad", "\u2061", "\U000e0041", "\x01", "<!-- seen -->", "&nbsp;", "<br>", "\\", "\u200b"],
    ids=lambda edit: ascii(edit),
)
def test_what_nobody_sees_is_no_touch(governed: Any, run: Run, edit: str) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.replaced(SPEC, "an hour.\n", f"an hour.\n{edit}\n")
    assert [f["rule"] for f in findings(run)] == ["hollow-touch"]


def test_code_that_is_moved_among_tests_is_judged_as_code(governed: Any, run: Run) -> None:
    governed.git("mv", "src/session.py", "src/test_session.py")
    governed.replaced("src/test_session.py", "> LIMIT", ">= LIMIT")
    governed.replaced(SPEC, "src/session.py#renew", "src/test_session.py#renew")
    assert [f["rule"] for f in findings(run)] == ["untouched-spec"]


def test_an_acknowledgement_that_charges_nobody_settles_nothing(governed: Any, run: Run) -> None:
    governed.git("switch", "-q", "-c", "a")
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.commit("edit")
    governed.git("switch", "-q", "-c", "b", "main")
    governed.commit("unrelated\n\nSpec-OK: renewal", {"u": "u\n"})
    assert run("a..b")[0] == 1


def test_no_line_of_text_is_a_command_to_a_runner(governed: Any, run: Run) -> None:
    name = "::error title=pwn::b.py"
    governed.write({".spec/odd/spec.md": f"---\ntitle: odd\ncode:\n  - '{name}'\n---\nOdd.\n"})
    for number in (1, 2):
        (governed.path / name).write_text(f"def f():\n    return {number}\n")
        governed.git("add", "--all")
        if number == 1:
            governed.commit("odd")
    out = run("-v")[1]
    assert "error title=pwn" in out
    assert not [line for line in out.splitlines() if line.lstrip().startswith(("::", "##["))]


def test_output_that_cannot_be_written_is_exit_2(governed: Any) -> None:
    program = str(Path(sys.executable).parent / "spex-govern")
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    # Buffered, the failure shows when all has been said; unbuffered, at the first word.
    for redirected, more in itertools.product((">&-", "> /dev/full"), ({}, {"PYTHONUNBUFFERED": "1"})):
        if redirected == "> /dev/full" and not Path("/dev/full").exists():
            continue
        script = ["sh", "-c", f"{program} HEAD -v {redirected}"]
        done = subprocess.run(script, cwd=governed.path, env=plain | more, capture_output=True)
        assert done.returncode == 2, (redirected, more)
        assert len(done.stderr.splitlines()) == 1


def test_a_mention_of_the_message_hook_is_no_hook(governed: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = governed.path / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    monkeypatch.setenv("GIT_INDEX_FILE", str(governed.path / ".git" / "index"))
    for script, status in [
        ("# spex-govern --commit-msg: off", 1),
        ("pre-commit hook-impl", 1),
        ('exec spex-govern --commit-msg "$1"', 0),
    ]:
        hook.write_text(f"#!/bin/sh\n{script}\n")
        hook.chmod(0o755)
        assert run()[0] == status, script


@pytest.mark.parametrize("content", ["garbage\n", "", "0" * 40 + "\n"])
def test_a_broken_branch_is_no_first_commit(governed: Any, run: Run, content: str) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    (governed.path / ".git" / "refs" / "heads" / "main").write_text(content)
    status, out, err = run()
    assert (status, out, len(err.splitlines())) == (2, "", 1)


def test_a_finding_points_at_the_section_that_speaks_of_the_change(governed: Any, run: Run) -> None:
    text = (governed.path / SPEC).read_text().replace("session.py#renew", "session.py") + (
        "\n## Closing\n\nA closed session is never opened again.\n\n## Storage\n\nNothing of it is kept.\n"
    )
    governed.commit("more", {SPEC: text})
    governed.replaced("src/session.py", "session.open = False", "session.open = None")
    (found,) = findings(run)
    line = text.split("\n").index("## Closing") + 1
    assert found["section"] == {"heading": "Closing", "line": line}
    assert f"    read   {SPEC}:{line}  session renewal › Closing" in run()[1].splitlines()
    first = json.loads(run("--format", "json")[1])["governing"][0]["sections"]
    assert first[0]["heading"] == "Closing"
    assert len(first) <= 3


def pushing(repo: Any, told: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    program = str(Path(sys.executable).parent / "spex-govern")
    return subprocess.run([program, "--push", "origin", *arguments], cwd=repo.path, input=told, capture_output=True)


def test_what_git_tells_of_a_push_is_judged_whole_or_not_at_all(governed: Any, tmp_path: Path) -> None:
    start = governed.git("rev-parse", "HEAD").strip()
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    head = governed.commit("change")
    ref = f"refs/heads/main {head} refs/heads/main {start}\n".encode()
    assert pushing(governed, ref).returncode == 1
    padding = b"(delete) " + b"0" * 40 + b" refs/heads/x " + b"1" * 40 + b"\n"
    assert pushing(governed, padding * 12_000 + ref).returncode == 2
    two = ref + ref.replace(b"heads/main", b"heads/other")
    assert pushing(governed, two).returncode == 1
    assert pushing(governed, two, "--report", f"json={tmp_path / 'r.json'}").returncode == 2
    nothing = pushing(governed, b"")
    assert (nothing.returncode, b"nothing to push" in nothing.stderr) == (0, True)


def test_a_hook_that_is_skipped_or_elsewhere_judges_no_message(
    governed: Any, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hook = governed.path / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\nexec spex-govern --commit-msg "$1"\n')
    hook.chmod(0o755)
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    monkeypatch.setenv("GIT_INDEX_FILE", str(governed.path / ".git" / "index"))
    assert run()[0] == 0
    monkeypatch.setenv("SKIP", "spex-govern-message")
    assert run()[0] == 1
    monkeypatch.delenv("SKIP")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.hookspath'='{tmp_path}'")
    assert run()[0] == 1


# Recorded learnings.

STORE = ".spec/learnings.jsonl"
LEARNED: list[dict[str, Any]] = [
    {"type": "pitfall", "key": "clock", "insight": "Never renew by the client's clock", "confidence": 8},
    {"type": "tool", "key": "here", "insight": "Look\x1b[1m\nhere", "confidence": 3, "files": ["src/session.py"]},
    {"type": "pattern", "key": "other", "insight": "Caches lie", "confidence": 9},
]


def learned(repo: Any, *lines: str) -> None:
    repo.put(STORE, "".join(f"{line}\n" for line in [*lines, *map(json.dumps, LEARNED)]))


def test_learnings_that_the_change_calls_up_stand_under_their_own_heading(governed: Any, run: Run) -> None:
    learned(governed)
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    status, out, err = run()
    assert (status, err) == (1, "")
    assert out.split("\n")[-5:] == [
        "learnings that this change calls up:",
        "    [here] tool, confidence 3/10: Look\\x1b[1m\\nhere",
        "    [clock] pitfall, confidence 8/10: Never renew by the client's clock",
        "1 error, 0 warnings · 1 change against 2 specs",
        "",
    ]
    assert json.loads(run("--format", "json")[1])["learnings"] == [
        {"key": "here", "type": "tool", "insight": "Look\x1b[1m\nhere", "confidence": 3},
        {"key": "clock", "type": "pitfall", "insight": "Never renew by the client's clock", "confidence": 8},
    ]
    assert run("-q") == (1, "", "")
    assert "clock" not in run("--format", "github")[1]


def test_at_most_three_and_as_many_as_are_configured(governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.replaced(SPEC, "at most once", "once")
    assert run() == (0, "", "")
    rows = [{"type": "tool", "key": f"k{number}", "insight": "renew"} for number in range(5)]
    governed.put(STORE, "".join(json.dumps(row) + "\n" for row in rows))
    for most in (3, 2, 0):
        governed.write({"spex.toml": f"learnings = {most}\n"})
        found = json.loads(run("--format", "json")[1])["learnings"]
        assert [row["key"] for row in found] == ["k0", "k1", "k2"][:most]
        assert run()[1].count("    [k") == most
    (governed.path / STORE).unlink()
    (governed.path / STORE).mkdir()
    assert run() == (0, "", "")  # who wants none does not hear of a store that cannot be read


@pytest.mark.parametrize(
    "line",
    ["{not json", "[" * 100_000, "\x00", '{"key": "renew", "type": "tool", "insight": 5, "files": 5}', "x" * (2 << 20)],
)
def test_no_line_of_a_store_changes_the_verdict(line: str, governed: Any, run: Run) -> None:
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    plain = json.loads(run("--format", "json")[1])
    learned(governed, line)
    status, out, err = run("--format", "json")
    assert (status, err) == (1, "")
    report = json.loads(out)
    assert [row["key"] for row in report["learnings"]] == ["here", "clock"]
    assert report | {"learnings": []} == plain


@pytest.mark.parametrize("wrong", ["folder", "link", "large", "clock", "gstack", "home"])
@pytest.mark.parametrize(("new", "status"), [(">= LIMIT", 1), ("> LIMIT  # seconds", 0)])
def test_a_store_that_cannot_be_read_is_told_and_the_status_stays(
    wrong: str, new: str, status: int, governed: Any, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    governed.replaced("src/session.py", "> LIMIT", new)
    plain = run()
    store = governed.path / STORE
    if wrong == "folder":
        store.mkdir()
    elif wrong == "link":
        store.symlink_to("/etc/passwd")
    elif wrong == "home":
        monkeypatch.setenv("GSTACK_HOME", "x" * 5000)  # no system has such a path
    elif wrong == "gstack":
        monkeypatch.setenv("GSTACK_HOME", str(tmp_path))
        (tmp_path / "projects" / "repo" / "learnings.jsonl").mkdir(parents=True)
    else:
        learned(governed)
    if wrong == "large":
        with store.open("r+b") as stream:
            stream.truncate(33 << 20)
    if wrong == "clock":
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    found = run()
    assert found[:2] == plain[:2]
    assert found[0] == status
    assert found[2].startswith("spex-govern: no learnings are recalled: ")
    assert found[2].count("\n") == 1


def test_a_commit_hears_of_a_learning_once(governed: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    learned(governed)
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    message = governed.path / "message"
    message.write_text("Renew on the hour\n\nSpec-OK: renewal\n", encoding="utf-8")
    assert "[clock]" in run("--commit-msg", str(message))[1]
    monkeypatch.setenv("GIT_INDEX_FILE", str(governed.path / ".git" / "index"))
    assert "[clock]" in run()[1]
    assert run("--commit-msg", str(message)) == (0, "", "")


def test_a_range_and_a_diff_call_up_learnings_too(governed: Any, run: Run, tmp_path: Path) -> None:
    learned(governed)
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.commit("change")
    patch = tmp_path / "change.patch"
    patch.write_text(governed.git("diff", "HEAD~1..HEAD"), encoding="utf-8")
    for argument in ("HEAD", "HEAD~1..HEAD", str(patch)):
        found = json.loads(run(argument, "--format", "json")[1])["learnings"]
        assert [row["key"] for row in found] == ["here", "clock"]


def test_what_other_projects_learned_is_not_called_up(
    governed: Any, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GSTACK_HOME", str(tmp_path))
    for project, key in (("repo", "ours"), ("another", "theirs")):
        kept = tmp_path / "projects" / project / "learnings.jsonl"
        kept.parent.mkdir(parents=True)
        kept.write_text(json.dumps(LEARNED[0] | {"key": key, "trusted": True}) + "\n", encoding="utf-8")
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    assert [row["key"] for row in json.loads(run("--format", "json")[1])["learnings"]] == ["ours"]


def test_recording_a_learning_is_no_change_to_be_governed(governed: Any, run: Run) -> None:
    learned(governed)
    governed.git("add", STORE)
    assert run() == (0, "", "")
