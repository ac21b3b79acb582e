"""The measured attacks on tools of this kind, through the command: forged edits, ways out, names that act."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spexsearch.cli.outputs import FORMATS
from spexsearch.cli.spex import main as spex

Run = Callable[..., tuple[int, str, str]]

SPEC = ".spec/auth/renewal/spec.md"
CODE = "src/session.py"
NO_LINE_ENDS = ["\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]


def found(report: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(f["rule"], f["level"], f["spec"]) for f in report["findings"] if f["level"] != "note"]


@pytest.mark.parametrize("end", NO_LINE_ENDS, ids=ascii)
def test_e026_e028_no_other_character_ends_a_line(governed: Any, run: Run, tmp_path: Path, end: str) -> None:
    forged = [
        *(f"diff --git a/{SPEC} b/{SPEC}", f"--- a/{SPEC}", f"+++ b/{SPEC}"),
        *("@@ -13 +13 @@", "-A session is renewed at most once an hour.", "+A session is renewed twice."),
    ]
    governed.replaced(CODE, "> LIMIT\n", f">= LIMIT  #{end}+B{end}{end.join(forged)}\n    # real\n")
    diff = tmp_path / "staged.diff"
    diff.write_bytes(governed.git("diff", "--cached").encode())
    for arguments in ([], [str(diff)], ["HEAD"]):
        if arguments == ["HEAD"]:
            governed.commit(f"change{end}Spec-OK: renewal")
        status, out, err = run(*arguments, "--format", "json")
        report = json.loads(out)
        assert (status, err, found(report)) == (1, "", [("untouched-spec", "error", "renewal")])
        assert [(c["path"], c["added_lines"]) for c in report["changes"]] == [(CODE, [5, 6])]
        assert not any(told["touched"] or told["acknowledged"] for told in report["governing"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes and links")
def test_e212_no_claim_leads_out_and_nothing_outside_is_opened(
    governed: Any, run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    os.mkfifo(outside / "pipe.py")
    (governed.path / "out").symlink_to(outside)
    (governed.path / "pipe.py").symlink_to(outside / "pipe.py")
    refused = [
        *("../outside/pipe.py", "src/../../outside/pipe.py#x", f"{outside}/pipe.py", "C:/x", "C:x", "~/x", "~root/x"),
        *(r"..\outside\pipe.py", r"\\host\share", "//host/share", "file:///etc/passwd", ".git/config", "src/.GIT/x"),
        '"a\\0b"',
    ]
    dead = ["out/pipe.py", "out/pipe.py#x", "pipe.py#x"]
    lines = "".join(f"  - {entry}\n" for entry in [*refused, *dead])
    governed.put(".spec/odd/spec.md", f"---\ntitle: odd\ncode:\n{lines}---\nOdd.\n")
    governed.git("add", "--all")
    # Whatever opened the pipe would wait for ever.
    status, out, _ = run("--format", "json")
    faults = {f["line"]: f["rule"] for f in json.loads(out)["findings"] if f["path"] == ".spec/odd/spec.md"}
    assert status == 1
    assert [line for line, rule in sorted(faults.items()) if rule == "broken-spec"][: len(refused)] == [
        *range(4, 4 + len(refused))
    ]
    assert spex(["lint", "-v"]) == 1
    assert "out/pipe.py is not there" in capfd.readouterr().out


@pytest.mark.parametrize(
    "glob", ["**/" * 250 + "*.py", "**/*" * 200 + "b", "a*" * 400 + "b", "*" * 900, "?" * 900 + "*", "[" * 900 + "*"]
)
def test_e214_patterns_are_matched_in_bounded_time(governed: Any, run: Run, glob: str) -> None:
    deep = "/".join(["a" * 40] * 60) + f"/{'a' * 200}.py"
    governed.put(".spec/odd/spec.md", f"---\ncode:\n  - '{glob}'\n---\nOdd.\n")
    paths = [f"{number}/{deep}" for number in range(3)]
    # So deep a path is for the index alone.
    blob = governed.git("hash-object", "-w", CODE).strip()
    for path in paths:
        governed.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    governed.git("add", ".spec")
    status, out, _ = run("--format", "json")
    assert status in (0, 1)
    assert {change["path"] for change in json.loads(out)["changes"]} == {*paths, ".spec/odd/spec.md"}


COMMANDS = {"error", "warning", "notice", "debug", "group", "add-mask", "stop-commands", "set-output", "add-matcher"}


def obeyed(text: str) -> list[str]:
    """The command of each line that a runner finds in a log: it trims, and knows the older form anywhere in a line."""
    names = []
    for line in text.replace("\r", "\n").split("\n"):
        _, begun, new = line.lstrip().partition("::")
        older = line.partition("##[")[2].partition("]")[0].split(" ")[0]
        name = new.partition("::")[0].split(" ")[0] if begun and line.lstrip().startswith("::") else older
        names.append(name if name in COMMANDS else older)
    return [name for name in names if name in COMMANDS]


@pytest.mark.skipif(os.name == "nt", reason="needs names that other systems refuse")
@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize(
    "text",
    [
        *("a\n::stop-commands::x\n", "::add-mask::e", "x ##[error]boom", "%0A::warning::w", "a,line=1::notice::n"),
        *("\x1b[2K\x1b[1A\x1b]0;pwn\x07\x9b31m", "\u202egnp\u2066", "\x85::error::x", "|`a`|<!-- x --></details>"),
    ],
    ids=ascii,
)
def test_e217_e218_e221_e226_no_name_acts(governed: Any, run: Run, written: str, text: str) -> None:
    name = text.replace("/", ":")
    title = text.replace("\n", " ").replace("'", "''")
    claim = '"' + "".join(c if c.isalnum() else f"\\U{ord(c):08x}" for c in f"src/{name}.py") + '"'
    spec = f"---\ntitle: '{title}'\ncode:\n  - {claim}\n  - src\n---\n# {title}\n\n{title}\n"
    governed.commit("odd", {f"src/{name}.py": "def act():\n    return 1\n", f".spec/o/{name}/spec.md": spec})
    governed.write(
        {f"src/{name}.py": "def act():\n    return compute(2)\n", f"src/{name}2.py": "def go():\n    run()\n"}
    )
    _, out, err = run("-v", "--format", written)
    assert out
    acting = obeyed(out)
    assert set(acting) <= ({"error", "warning", "notice"} if written == "github" else set())
    assert len(acting) == (len(out.splitlines()) if written == "github" else 0)
    assert [c for c in out + err if not c.isprintable() and c != "\n"] == []


def test_e224_what_is_gone_has_a_place_that_code_scanning_takes(governed: Any, run: Run) -> None:
    odd = os.fsdecode(b"src/caf\xe9 #1%?.py")
    governed.write({odd: "x = 1\n"})
    governed.git("rm", "-q", CODE)
    status, out, _ = run("--format", "sarif")
    (log,) = json.loads(out)["runs"]
    places = [place["physicalLocation"] for result in log["results"] for place in result["locations"]]
    assert status == 1
    assert places
    assert all(place["region"]["startLine"] >= 1 for place in places)
    assert "src/caf%E9%20%231%25%3F.py" in {place["artifactLocation"]["uri"] for place in places}
    assert all(result["partialFingerprints"] for result in log["results"])


@pytest.mark.parametrize(
    "line", ["Binary files " + "a and " * 200_000, "diff --git " + "a/x b/" * 200_000, "@@ -1" + ",1" * 500_000]
)
def test_e232_a_long_line_costs_no_more_than_its_length(run: Run, tmp_path: Path, line: str) -> None:
    diff = tmp_path / "long.diff"
    diff.write_text(f"{line}\n")
    status, out, err = run(str(diff))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert len(err) < 1000
