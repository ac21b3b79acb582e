"""The measured ways to look as if a spec had been edited with its code: staged, in a range and as a diff file alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spexsearch.cli.govern import main

SPEC = ".spec/pay/spec.md"
CODE = "src/tax.py"
TEXT = """\
---
title: payments
updated: 2024-05-01
code:
  - src/tax.py
---
# Payments

The tax is 20 percent.
"""
SOURCE = "RATE = 20\n\n\ndef tax(price):\n    return price * RATE / 100\n"

Edit = Callable[[Any], object]
Found = list[tuple[str, str, str]]


def rewrite(text: str) -> Edit:
    return lambda repo: repo.write({SPEC: text})


def rename(repo: Any, text: str | None = None) -> None:
    repo.git("mv", ".spec/pay", ".spec/payments")
    if text is not None:
        repo.write({".spec/payments/spec.md": text})


def mode(repo: Any) -> None:
    repo.git("update-index", "--chmod=+x", SPEC)


def link(repo: Any) -> None:
    """The same text, read through a link."""
    repo.put("pay.md", TEXT.replace("20", "25"))
    (repo.path / SPEC).unlink()
    (repo.path / SPEC).symlink_to("../../pay.md")
    repo.git("add", "--all")


UNTOUCHED = ("untouched-spec", "error", "pay")
HOLLOW = ("hollow-touch", "error", "pay")
DROPPED = ("dropped-claim", "error", "pay")
MOVED = ("untouched-spec", "error", "payments")

# Case and kind; what is done to the spec while the code changes, and what is said at least.
GAMES: dict[str, tuple[Edit, Found]] = {
    "E116": (rewrite(TEXT.replace("code:\n  - src/tax.py\n", "")), [UNTOUCHED, DROPPED]),
    "E116 other claim": (rewrite(TEXT.replace("src/tax.py", "src/pay.py")), [UNTOUCHED, DROPPED]),
    "E116 hidden": (rewrite(TEXT.replace("code:", "# code:")), [UNTOUCHED, DROPPED]),
    "E116 made a mention": (rewrite(TEXT.replace("code:", "related:")), [UNTOUCHED, DROPPED]),
    "E116 deleted": (lambda repo: repo.git("rm", "-q", SPEC), [DROPPED]),
    "E116 out of sight": (lambda repo: repo.git("mv", SPEC, ".spec/pay/old.md"), [DROPPED]),
    "E116 other case": (lambda repo: repo.git("mv", SPEC, ".spec/pay/Spec.md"), [DROPPED]),
    "E116 link": (link, [DROPPED]),
    "E118": (rewrite(TEXT.replace("percent.", "percent. ")), [HOLLOW]),
    "E118 CRLF": (rewrite(TEXT.replace("\n", "\r\n")), [HOLLOW]),
    "E118 BOM": (rewrite(f"\ufeff{TEXT}"), [HOLLOW]),
    "E118 lines": (rewrite(TEXT.replace("is 20", "is\n20")), [HOLLOW]),
    "E118 date": (rewrite(TEXT.replace("05-01", "06-01")), [HOLLOW]),
    "E118 heading": (rewrite(TEXT.replace("# Payments", "## Payments ##")), [HOLLOW]),
    "E118 unseen": (rewrite(TEXT.replace("20", "2\u200b0")), [HOLLOW]),
    "E119": (rename, [MOVED]),
    "E119 and white space": (lambda repo: rename(repo, f"{TEXT}\n"), [("hollow-touch", "error", "payments")]),
    "E121": (mode, [UNTOUCHED]),
}


@pytest.fixture
def thrice(repo: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Judges what is staged, as it is, as a diff file and as a range: the reports."""
    monkeypatch.chdir(repo.path)
    repo.commit("start", {SPEC: TEXT, CODE: SOURCE, "src/pay.py": "PAID = True\n"})

    def go() -> list[dict[str, Any]]:
        diff = tmp_path / "staged.diff"
        diff.write_text(repo.git("diff", "--cached", "-M"))
        reports = []
        for arguments in ([], [str(diff)], ["HEAD~1..HEAD"]):
            if arguments == ["HEAD~1..HEAD"]:
                repo.commit("change")
            status = main([*arguments, "--format", "json"])
            report = json.loads(capfd.readouterr().out)
            assert status == (report["summary"]["errors"] > 0)
            reports.append(report)
        return reports

    return go


@pytest.mark.parametrize("name", GAMES)
def test_what_looks_like_an_edit_settles_nothing(repo: Any, thrice: Any, name: str) -> None:
    edit, expected = GAMES[name]
    repo.replaced(CODE, "RATE = 20", "RATE = 25")
    edit(repo)
    for report in thrice():
        said = [(f["rule"], f["level"], f["spec"]) for f in report["findings"]]
        assert set(expected) <= set(said), said
        assert report["summary"]["settled"] == 0


@pytest.mark.parametrize("edit", [("20 percent", "25 percent"), ("title: payments", "title: payments and taxes")])
def test_an_edit_that_says_something_settles(repo: Any, thrice: Any, edit: tuple[str, str]) -> None:
    repo.replaced(CODE, "RATE = 20", "RATE = 25")
    repo.replaced(SPEC, *edit)
    for report in thrice():
        assert [f for f in report["findings"] if f["level"] != "note"] == []
        assert report["summary"]["settled"] == 1


def test_e122_comments_and_blank_lines_raise_nothing_and_are_shown(repo: Any, thrice: Any) -> None:
    repo.replaced(CODE, "RATE = 20", "# note\n\nRATE = 20")
    for report in thrice():
        assert report["findings"] == []
        (change,) = report["changes"]
        assert (change["path"], change["significance"], change["added_lines"]) == (CODE, "comment", [1, 2])
        assert [g["spec"] for g in report["governing"]] == ["pay"]


def test_e122_what_stands_behind_a_comment_is_code(repo: Any, thrice: Any) -> None:
    repo.replaced(CODE, "RATE = 20", "# note\r\nRATE = 25  # was 20")
    for report in thrice():
        assert [f["rule"] for f in report["findings"]] == ["untouched-spec"]
