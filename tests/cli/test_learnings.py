"""`spex learnings` as a person, a pipe and an agent run it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spexsearch.cli.spex import main
from spexsearch.floor.learnings import TYPES

STORE = ".spec/learnings.jsonl"
ADD = ["add", "--type", "pitfall", "--key", "k", "--confidence", "8", "--source", "observed", "--insight", "Say it"]

Say = tuple[int, str, str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder outside git, entered."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780272000")
    return folder


@pytest.fixture
def spex(capsys: pytest.CaptureFixture[str]) -> Callable[..., Say]:
    """Run `spex learnings` in this process: status, standard output, standard error."""

    def run(*argv: str, before: tuple[str, ...] = ()) -> Say:
        status = main([*before, "learnings", *argv])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def a_row(key: str, insight: str = "", **fields: Any) -> str:
    plain = {"ts": "2026-05-01T00:00:00Z", "type": "pattern", "confidence": 5, "source": "user-stated", "files": []}
    return json.dumps(plain | {"key": key, "insight": insight} | fields)


def put(folder: Path, *lines: str, store: str = STORE) -> Path:
    path = folder / store
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def keys(out: str) -> list[str]:
    return re.findall(r"^- \[(.*?)\] \(", out, re.MULTILINE)


def test_the_cases_of_the_design(here: Path, spex: Callable[..., Say], shared: Path, monkeypatch: Any) -> None:
    cases = json.loads((shared / "learnings" / "cases.json").read_text(encoding="utf-8"))
    assert len(cases) == 10
    for case in cases:
        (here / ".spec").mkdir(exist_ok=True)
        (here / STORE).write_bytes((shared / "learnings" / case["file"]).read_bytes())
        if "now" in case:
            assert case["now"] == "2026-06-01T00:00:00Z"  # which `here` fixes
        status, out, err = spex("--query", case["query"], "--limit", str(case["limit"]))
        as_json = json.loads(spex("--query", case["query"], "--limit", str(case["limit"]), "--json")[1])
        found = [row["key"] for row in as_json]
        assert status == 0
        assert sorted(found) == sorted(keys(out))
        assert found[0] == case.get("first", found[0])
        assert found == case.get("order", found)
        assert set(case.get("present", [])) <= set(found)
        if "summary" in case:
            assert out.split("\n")[0] == case["summary"]
        if "matched" in case:
            assert len(json.loads(spex("--query", case["query"], "--limit", "999", "--json")[1])) == case["matched"]
        left_out = case.get("left_out_rows", 0)
        assert err == "" or err.startswith(f"spex: {left_out} rows left out of {STORE}, the first in line 16: ")
        assert bool(err) == bool(left_out)


def test_text_has_a_summary_and_groups(here: Path, spex: Callable[..., Say]) -> None:
    put(here, a_row("a", "cache line", type="pitfall", files=["a.py"]), a_row("b", "a cache", confidence=9))
    assert spex("--query", "cache line") == (
        0,
        "LEARNINGS: 2 loaded (1 pitfall, 1 pattern)\n\n"
        "## Pitfalls\n- [a] (confidence: 5/10, user-stated, 2026-05-01)\n  cache line (files: a.py)\n\n"
        "## Patterns\n- [b] (confidence: 9/10, user-stated, 2026-05-01)\n  a cache\n\n",
        "",
    )


def test_json_has_the_same_rows_in_their_order(here: Path, spex: Callable[..., Say]) -> None:
    put(here, a_row("a", "cache", source="observed", ts="2026-03-01"), a_row("b", "a cache line", type="tool"))
    status, out, err = spex("--query", "cache", "line", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out) == [
        {
            "key": "b",
            "type": "tool",
            "insight": "a cache line",
            "confidence": 5,
            "source": "user-stated",
            "ts": "2026-05-01T00:00:00Z",
            "files": [],
            "cross_project": False,
        },
        {
            "key": "a",
            "type": "pattern",
            "insight": "cache",
            "confidence": 2,
            "source": "observed",
            "ts": "2026-03-01",
            "files": [],
            "cross_project": False,
        },
    ]


def test_more_than_are_shown_are_told_of_a_query_alone(here: Path, spex: Callable[..., Say]) -> None:
    put(here, *(a_row(f"k{number}", "cache") for number in range(13)))
    told = "LEARNINGS: 10 of 13 matched (10 patterns); raise --limit for the rest"
    assert spex("--query", "cache")[1].split("\n")[0] == told
    assert spex("--query", "cache", "--limit", "13")[1].split("\n")[0] == "LEARNINGS: 13 loaded (13 patterns)"
    assert spex()[1].split("\n")[0] == "LEARNINGS: 10 loaded (10 patterns)"
    assert spex("--query", " ")[1].split("\n")[0] == "LEARNINGS: 10 loaded (10 patterns)"
    assert spex("--query", "cache", "--type", "tool")[1] == ""


@pytest.mark.parametrize("type_", TYPES)
def test_each_type_can_be_asked_for(type_: str, here: Path, spex: Callable[..., Say]) -> None:
    put(here, *(a_row(other, type=other) for other in (*TYPES, "constructor")))
    assert keys(spex("--type", type_)[1]) == [type_]


@pytest.mark.parametrize("json_", [[], ["--json"]])
def test_finding_nothing_is_told_and_no_failure(json_: list[str], here: Path, spex: Callable[..., Say]) -> None:
    nothing = "[]\n" if json_ else ""
    status, out, err = spex(*json_)
    assert (status, out) == (0, nothing)
    unrecorded = "spex: no learnings are recorded here; `spex learnings add --help` says how to\n"
    assert err == unrecorded
    assert spex("--query", "zebra", *json_)[2] == unrecorded
    assert not (here / ".spec").exists()
    put(here)
    assert spex(*json_) == (0, nothing, unrecorded)
    put(here, a_row("a"))
    status, out, err = spex("--query", "zebra", *json_)
    assert (status, out) == (0, nothing)
    assert err == "spex: no learning answers; leave out words or --type, or list all with `spex learnings`\n"
    assert spex("--type", "tool", *json_) == (0, nothing, err)


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--type", "gotcha"], "invalid choice: 'gotcha' (choose from"),
        (["--type", "constructor"], "invalid choice"),
        (["--limit", "0"], "'0' is no number from 1 on"),
        (["--limit", "-1"], "'-1' is no number from 1 on"),
        (["--limit", "ten"], "is no number from 1 on"),
        (["--limit", "9" * 5000], "is no number from 1 on"),
        (["--qery", "x"], "unrecognized arguments"),
        (["--lim", "3"], "unrecognized arguments"),
        (["retry", "now"], "spex learnings --query retry now"),
        (["--json", "add"], "stands behind --query"),
        (["--query"], "expected at least one argument"),
        (["-C", "nowhere"], "there is no folder nowhere; name one that exists"),
        (["add"], "the following arguments are required: --type, --key, --insight, --confidence, --source"),
        ([*ADD, "--type", "gotcha"], "invalid choice: 'gotcha'"),
        ([*ADD, "--source", "me"], "invalid choice: 'me'"),
        ([*ADD, "--confidence", "11"], "the confidence 11 is not from 1 to 10"),
        ([*ADD, "--confidence", "0"], "is no number from 1 on"),
        ([*ADD, "--confidence", "8.5"], "is no number from 1 on"),
        ([*ADD, "--key", "two words"], "is not made of"),
        ([*ADD, "--insight", " "], "the insight is empty"),
        ([*ADD, "--file", "../x"], "../x is outside the root"),
        ([*ADD, "stray"], "unrecognized arguments: stray"),
    ],
)
def test_what_is_not_meant_is_refused_in_one_line(
    argv: list[str], told: str, here: Path, spex: Callable[..., Say]
) -> None:
    status, out, err = spex(*argv)
    assert (status, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1
    assert not (here / STORE).exists()


def test_a_time_that_is_none_is_refused(here: Path, spex: Callable[..., Say], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    assert spex() == (
        2,
        "",
        "spex: SOURCE_DATE_EPOCH is 'today', not a number of seconds since 1970; mend it or unset it\n",
    )


def test_help_has_examples(here: Path, spex: Callable[..., Say], capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = spex("--help")
    assert status == 0
    assert 'spex learnings --query "retry timeout"' in out
    assert "stray" not in out
    assert spex("add", "--help")[1].count("spex learnings add --type pitfall") == 1
    assert main(["help", "learnings"]) == 0
    assert capsys.readouterr().out == out
    main(["--help"])
    assert "\n  learnings " in capsys.readouterr().out


def test_the_examples_of_the_help_do_what_they_say(here: Path, spex: Callable[..., Say]) -> None:
    examples = spex("--help")[1].replace("\\\n", "").split("examples:\n")[1].split("\n\n")[0].split("\n")
    lines = [re.split(r"\s{3,}", line.strip())[0] for line in examples if line.strip().startswith("spex")]
    add = next(line.strip() for line in examples if " add " in line)
    assert len(lines) == 4
    for line in (add, *lines[:3]):
        command = f"{shlex.quote(sys.executable)} -m spexsearch.cli.{line}"
        done = subprocess.run(command, shell=True, capture_output=True, check=True)
        assert not done.stderr or b"no learning answers" in done.stderr
    assert keys(spex()[1]) == ["retry-needs-jitter"]


# Adding.


def test_what_is_added_is_found(here: Path, spex: Callable[..., Say]) -> None:
    assert spex(*ADD) == (0, f"added pitfall k to {STORE}\n", "")
    assert spex("--query", "say")[1] == (
        "LEARNINGS: 1 loaded (1 pitfall)\n\n## Pitfalls\n- [k] (confidence: 8/10, observed, 2026-06-01)\n  Say it\n\n"
    )
    assert spex(*ADD, "--insight", "Say more") == (0, f"added pitfall k to {STORE}\n", "")
    assert [row["insight"] for row in json.loads(spex("--json")[1])] == ["Say more"]
    assert (here / STORE).read_text(encoding="utf-8").count("\n") == 2


def test_files_are_named_from_the_root(repo: Any, spex: Callable[..., Say], monkeypatch: pytest.MonkeyPatch) -> None:
    repo.put("src/a.py", "")
    monkeypatch.chdir(repo.path / "src")
    assert spex(*ADD, "--file", "a.py", "--file", "src/../src/a.py", "--file", str(repo.path / "new.py"))[0] == 0
    (row,) = json.loads(spex("--json")[1])
    assert row["files"] == ["src/a.py", "src/a.py", "new.py"]
    assert (repo.path / STORE).exists()


def test_another_root(here: Path, tmp_path: Path, spex: Callable[..., Say]) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert spex(*ADD, "-C", "../other")[0] == 0
    assert (other / STORE).exists()
    assert keys(spex(before=("-C", "../other"))[1]) == keys(spex("-C", str(other))[1]) == ["k"]
    assert spex()[1] == ""


def test_a_folder_with_specs_below_a_repository_without_is_the_root(
    repo: Any, spex: Callable[..., Say], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.put("part/.spec/spec.md", "")
    repo.put("bare/file", "")
    monkeypatch.chdir(repo.path / "bare")
    assert spex(*ADD)[0] == 0
    assert (repo.path / STORE).exists()
    (repo.path / STORE).unlink()
    (repo.path / ".spec").rmdir()
    monkeypatch.chdir(repo.path / "part")
    assert spex(*ADD)[0] == 0
    assert (repo.path / "part" / STORE).exists()


@pytest.mark.parametrize("link", [".spec", STORE])
def test_no_link_is_followed_out_of_the_project(
    link: str, here: Path, tmp_path: Path, spex: Callable[..., Say]
) -> None:
    outside = tmp_path / "outside"
    put(outside, a_row("secret"), store="learnings.jsonl")
    (here / link).parent.mkdir(exist_ok=True)
    (here / link).symlink_to(outside if link == ".spec" else outside / "learnings.jsonl")
    before = (outside / "learnings.jsonl").read_bytes()
    for argv in ([], ADD):
        status, out, err = spex(*argv)
        assert (status, out) == (2, "")
        assert err == f"spex: {link} is a link, and links are not followed; put what it names there itself\n"
    assert (outside / "learnings.jsonl").read_bytes() == before


def test_a_store_that_cannot_be_read_is_an_error(here: Path, spex: Callable[..., Say]) -> None:
    (here / STORE).mkdir(parents=True)
    for argv in ([], ADD):
        status, out, err = spex(*argv)
        assert (status, out) == (2, "")
        assert re.fullmatch(r"spex: \.spec/learnings\.jsonl .*; .*\n", err)


def test_whatever_stands_in_a_store_nothing_reaches_the_terminal(here: Path) -> None:
    evil = "\x1b]0;x\x07 \x00 \u202e alpha\r\n::error::x"
    lines = [a_row(evil, evil, type=evil, files=[evil], source=evil), "[" * 200_000, '{"a":' * 100_000, a_row("good")]
    path = put(here, *lines)
    path.write_bytes(path.read_bytes() + b"\xff\x00\n" + b'{"key": "\xff", "type": "tool", "insight": "\x80"}')
    for narrow in ("utf-8", "ascii", "latin-1"):
        done = subprocess.run(
            [sys.executable, "-m", "spexsearch.cli.spex", "learnings"],
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": narrow},
            check=True,
        )
        shown = done.stdout.decode(narrow)
        assert shown.startswith("LEARNINGS: 3 loaded (1 ")
        assert shown.replace("\n", "").isprintable()
        assert not re.search(r"^\s*::", shown, re.MULTILINE)
        assert done.stderr.decode(narrow).startswith(f"spex: 3 rows left out of {STORE}, the first in line 2: ")


# The stores of the gstack tools.


@pytest.fixture
def gstack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the gstack tools, with projects."""
    home = tmp_path / "gstack"
    (home / "projects").mkdir(parents=True)
    monkeypatch.setenv("GSTACK_HOME", str(home))
    return home


def kept(home: Path, slug: str, *lines: str) -> Path:
    return put(home, *lines, store=f"projects/{slug}/learnings.jsonl")


def test_what_the_gstack_tools_keep_of_the_project_is_read_as_it_is(
    here: Path, gstack: Path, spex: Callable[..., Say]
) -> None:
    theirs = kept(gstack, "shop", a_row("theirs"), a_row("both", "old"), a_row("newer", "kept", ts="2026-05-02"))
    before = theirs.read_bytes()
    assert keys(spex()[1]) == ["newer", "both", "theirs"]
    put(here, a_row("ours"), a_row("both", "ours"), a_row("newer", "ours"))
    rows = {row["key"]: row["insight"] for row in json.loads(spex("--json")[1])}
    assert rows == {"newer": "kept", "both": "ours", "ours": "", "theirs": ""}
    assert spex(*ADD)[0] == 0
    assert theirs.read_bytes() == before
    assert (here / STORE).read_text(encoding="utf-8").count("\n") == 4


def test_their_home_is_in_the_home_folder_unless_it_is_named(
    here: Path, spex: Callable[..., Say], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(Path(os.environ["HOME"]) / ".gstack", "shop", a_row("home"))
    assert keys(spex()[1]) == ["home"]
    monkeypatch.setenv("GSTACK_HOME", str(here / "nothing"))
    assert spex()[1] == ""


@pytest.mark.parametrize(
    ("address", "slug"),
    [
        ("https://example.invalid/acme/app.git", "acme-app"),
        ("https://example.invalid/acme/app", "acme-app"),
        ("git@example.invalid:acme/app.git", "acme-app"),
        ("ssh://git@example.invalid:22/group/acme/a_p+p.git", "acme-a_pp"),
        ("..", "shop"),
        (None, "shop"),
    ],
)
def test_a_project_is_called_as_its_origin_is(
    address: str | None, slug: str, make_repo: Any, gstack: Path, spex: Callable[..., Say], monkeypatch: Any
) -> None:
    repo = make_repo("shop")
    if address:
        repo.git("remote", "add", "origin", address)
    kept(gstack, slug, a_row("mine"))
    kept(gstack, "other", a_row("other"))
    repo.put("src/a.py", "")
    monkeypatch.chdir(repo.path / "src")
    assert keys(spex()[1]) == ["mine"]


def test_a_name_that_was_given_before_stays_and_one_that_is_told_comes_first(
    here: Path, gstack: Path, spex: Callable[..., Say], monkeypatch: pytest.MonkeyPatch
) -> None:
    for slug in ("shop", "before", "told"):
        kept(gstack, slug, a_row(slug))
    cache = gstack / "slug-cache" / str(here.resolve()).replace("/", "_")
    put(cache.parent, "../bef/ore", store=cache.name)
    assert keys(spex()[1]) == []
    cache.write_text("bef/ore\n", encoding="utf-8")
    assert keys(spex()[1]) == ["before"]
    cache.unlink()
    os.mkfifo(cache)
    assert keys(spex()[1]) == ["shop"]
    cache.unlink()
    cache.write_text("bef/ore\n", encoding="utf-8")
    monkeypatch.setenv("GSTACK_PROJECT_SLUG", "to/ld")
    assert keys(spex()[1]) == ["told"]
    monkeypatch.setenv("GSTACK_PROJECT_SLUG", "..")
    assert keys(spex()[1]) == ["before"]


def test_of_other_projects_five_are_read_and_only_what_is_trusted(
    here: Path, gstack: Path, spex: Callable[..., Say]
) -> None:
    put(here, a_row("ours"))
    for name in "gfedcba":
        kept(gstack, name, a_row(name, trusted=True, confidence=9), a_row(f"{name}-untold", trusted="true"))
    kept(gstack, "shop", a_row("mine", trusted=True))
    assert keys(spex()[1]) == ["mine", "ours"]
    status, out, err = spex("--cross-project")
    assert status == 0
    assert keys(out) == ["mine", "ours", "a", "b", "c", "d", "e"]
    assert out.count(" [cross-project]\n") == 5
    assert "- [a] (confidence: 9/10, user-stated, 2026-05-01) [cross-project]\n" in out
    assert err == "spex: of 7 other projects 5 are read: a, b, c, d, e\n"
    assert [row["cross_project"] for row in json.loads(spex("--cross-project", "--json")[1])] == [False] * 2 + [
        True
    ] * 5


def test_that_there_is_no_other_project_is_told(here: Path, spex: Callable[..., Say]) -> None:
    put(here, a_row("ours"))
    status, out, err = spex("--cross-project")
    assert (status, keys(out)) == (0, ["ours"])
    assert err.startswith("spex: no other project has learnings in $GSTACK_HOME/projects")


def test_a_broken_store_of_another_project_hides_nothing(here: Path, gstack: Path, spex: Callable[..., Say]) -> None:
    put(here, a_row("ours"))
    kept(gstack, "a", "{", a_row("a", trusted=True))
    (gstack / "projects" / "b" / "learnings.jsonl").mkdir(parents=True)
    status, out, err = spex("--cross-project")
    assert (status, keys(out)) == (0, ["ours", "a"])
    first, second = err.splitlines()
    assert first.startswith("spex: 1 row left out of a/learnings.jsonl, the first in line 1: ")
    assert second.startswith("spex: b/learnings.jsonl ")


def test_processes_that_add_at_once_all_succeed(here: Path, spex: Callable[..., Say]) -> None:
    command = [sys.executable, "-m", "spexsearch.cli.spex", "learnings", *ADD[:4]]
    rest = [word for word in ADD[5:] if word != "k"]
    writers = [subprocess.Popen([*command, f"k{number}", *rest], stdout=subprocess.DEVNULL) for number in range(12)]
    assert [writer.wait(timeout=120) for writer in writers] == [0] * 12
    assert sorted(keys(spex("--limit", "99")[1])) == sorted(f"k{number}" for number in range(12))
