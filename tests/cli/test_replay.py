"""`spex replay` over real histories: what is hidden, what is said, and how it goes on after it was ended."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spexsearch.cli.spex import main
from spexsearch.govern.replay.rows import from_line
from spexsearch.govern.replay.statistics import quality

if TYPE_CHECKING:
    from tests.conftest import Repo

Spex = Callable[..., tuple[int, str, str]]


def spec(title: str, body: str, *claims: str) -> str:
    code = "".join(f"  - {claim}\n" for claim in claims)
    return f"---\ntitle: {title}\ndesc: About {title}.\ncode:\n{code}---\n# {title}\n\n{body}\n"


CLOCK = spec("clock", "The clock ticks once a second.", "src/clock.py#tick")
LAMP = spec("lamp", "A lamp glows until it is put out.", "src/lamp.py#glow")
FILES = {
    ".spec/clock/spec.md": CLOCK,
    ".spec/lamp/spec.md": LAMP,
    "src/clock.py": "def tick(now):\n    return now + 1\n",
    "src/lamp.py": "def glow(lamp):\n    return lamp.on\n",
}
C, L = ".spec/clock/spec.md", ".spec/lamp/spec.md"


class History:
    """A repository whose commits are a minute apart, so that they have an order."""

    def __init__(self, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repo, self._set, self._minute = repo, monkeypatch.setenv, 0

    def tick(self) -> None:
        self._minute += 1
        date = f"2024-05-01T{self._minute // 60:02}:{self._minute % 60:02}:00+0000"
        for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            self._set(name, date)

    def commit(self, message: str, files: dict[str, str] | None = None) -> str:
        self.tick()
        return self.repo.commit(message, files)

    def merge(self, branch: str) -> str:
        self.tick()
        self.repo.git("merge", "-q", "--no-ff", "-m", f"merge {branch}", branch)
        return self.repo.git("rev-parse", "HEAD").strip()


@pytest.fixture
def history(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> History:
    """Two specs and their code, committed, and the working folder entered."""
    made = History(repo, monkeypatch)
    made.commit("start", FILES)
    monkeypatch.chdir(repo.path)
    return made


@pytest.fixture
def spex(capfd: pytest.CaptureFixture[str]) -> Spex:
    """Run a command in this process: status, standard output, standard error."""

    def run(*argv: str) -> tuple[int, str, str]:
        status = main(argv)
        out, err = capfd.readouterr()
        return status, out, err

    return run


def rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def faster(step: int) -> str:
    return f"def tick(now):\n    return now + {step} * scale(now)\n"


def test_an_edit_is_hidden_and_is_the_truth(history: History, spex: Spex) -> None:
    both = {"src/clock.py": faster(2), C: CLOCK.replace("once", "twice")}
    edited = history.commit("code and spec\n\nSpec-OK: clock", both)
    status, out, err = spex("replay", "--json")
    assert (status, err) == (0, "")
    (row,) = rows(out)
    assert list(row) == ["errors", "gold", "parent", "scores", "unit", "warnings"]
    assert row["unit"] == edited
    assert row["parent"] == history.repo.git("rev-parse", "HEAD^").strip()
    assert (row["gold"], row["errors"], row["warnings"]) == ([C], [C], [])
    assert max(row["scores"], key=row["scores"].__getitem__) == C


def test_commits_come_oldest_first_and_merges_of_main_do_not_come(history: History, spex: Spex) -> None:
    history.repo.git("checkout", "-q", "-b", "side")
    side = history.commit("on the side", {"src/clock.py": faster(2)})
    history.repo.git("checkout", "-q", "main")
    own = history.commit("on main", {"src/lamp.py": "def glow(lamp):\n    return lamp.on and lamp.whole\n"})
    history.repo.git("checkout", "-q", "side")
    history.merge("main")
    last = history.commit("again", {"src/clock.py": faster(3), C: CLOCK.replace("once", "twice")})
    history.repo.git("checkout", "-q", "main")
    merge = history.merge("side")
    assert [row["unit"] for row in rows(spex("replay", "--json")[1])] == [side, own, last]
    (brought,) = rows(spex("replay", "--json", "--units", "merges")[1])
    assert (brought["unit"], brought["parent"], brought["gold"]) == (merge, own, [C])
    assert brought["errors"] == [C]
    assert L not in brought["errors"]
    assert [row["unit"] for row in rows(spex("replay", f"{own}..main", "--json")[1])] == [side, last]


def test_a_renamed_spec_is_told_by_its_old_path(history: History, spex: Spex) -> None:
    history.repo.git("mv", ".spec/clock", ".spec/watch")
    history.commit(
        "rename", {"src/clock.py": faster(2), ".spec/watch/spec.md": CLOCK.replace("once a second", "as it likes")}
    )
    (row,) = rows(spex("replay", "--json")[1])
    assert (row["gold"], row["errors"]) == ([C], [C])
    assert set(row["scores"]) <= {C, L}


def test_a_deleted_spec_is_no_candidate_and_a_new_one_is_none_yet(history: History, spex: Spex) -> None:
    history.repo.git("rm", "-q", C)
    history.commit(
        "hand over",
        {
            ".spec/time/spec.md": spec("time", "Time goes on.", "src/clock.py"),
            "src/clock.py": faster(2),
            "src/lamp.py": "def glow(lamp):\n    return lamp.on and lamp.whole\n",
        },
    )
    (row,) = rows(spex("replay", "--json")[1])
    assert (row["gold"], row["errors"]) == ([], [L])
    assert set(row["scores"]) == {L}


def test_what_says_nothing_of_a_checker_is_left_out(history: History, spex: Spex) -> None:
    code = history.commit("code", {"src/clock.py": faster(2)})
    history.commit("spec alone", {C: CLOCK.replace("once", "twice")})
    history.commit("document", {"README.md": "Read me.\n"})
    history.commit("back", {"src/clock.py": FILES["src/clock.py"]})
    again = history.commit("code again", {"src/clock.py": faster(2)})
    assert code != again
    status, out, err = spex("replay")
    assert (status, err) == (0, "")
    assert out.startswith("5 commits, 2 judged; 2 change no source, 1 change the same lines as an earlier one\n\n")


def test_units_before_the_first_spec_are_left_out(repo: Repo, monkeypatch: pytest.MonkeyPatch, spex: Spex) -> None:
    early = History(repo, monkeypatch)
    early.commit("start", {"src/clock.py": FILES["src/clock.py"]})
    early.commit("code", {"src/clock.py": faster(2)})
    monkeypatch.chdir(repo.path)
    status, out, err = spex("replay")
    assert (status, out) == (2, "")
    assert err == "spex: nothing to replay in 1 units: 1 have no specs at their parent\n"
    early.commit("specs", {C: CLOCK, "src/clock.py": faster(3)})
    early.commit("code", {"src/clock.py": faster(4)})
    assert "3 commits, 1 judged; 2 have no specs at their parent" in spex("replay")[1]


def test_the_configuration_is_that_of_the_parent(history: History, spex: Spex) -> None:
    off = '[rules]\nuntouched-spec = "off"\n'
    history.commit("excuse", {"spex.toml": off, "src/clock.py": faster(2)})
    history.commit("excused", {"src/clock.py": faster(3)})
    assert [row["errors"] for row in rows(spex("replay", "--json")[1])] == [[C], []]


def test_a_unit_whose_configuration_is_broken_is_told_and_the_others_are_judged(history: History, spex: Spex) -> None:
    history.commit("break", {"spex.toml": "mode = 1\n"})
    history.repo.git("tag", "begin")
    broken = history.commit("code", {"src/clock.py": faster(2)})
    history.commit("mend", {"spex.toml": "", "src/clock.py": faster(3)})
    judged = history.commit("code", {"src/clock.py": faster(4)})
    status, out, err = spex("replay", "begin..", "--json")
    assert status == 0
    assert [row["unit"] for row in rows(out)] == [judged]
    assert f"spex: {broken} is left out: spex.toml: mode must be" in err
    assert len(err.splitlines()) == 2


def test_the_summary_counts_what_the_rows_say(history: History, spex: Spex) -> None:
    history.commit("both", {"src/clock.py": faster(2), C: CLOCK.replace("once", "twice")})
    history.commit("code", {"src/clock.py": faster(3)})
    _, lines, _ = spex("replay", "--json")
    told = quality([row for line in lines.splitlines() if (row := from_line(line.encode()))])
    assert (told.units, told.edited, told.errors.count, told.errors.right, told.loud) == (2, 1, 2, 1, 1)
    status, out, err = spex("replay")
    assert (status, err) == (0, "")
    cells = {line[:31].strip(): line[31:].split() for line in out.splitlines()[3:]}
    assert cells["units"] == ["2", "0", "2"]
    assert cells["errors"] == ["2", "0", "2"]
    assert re.search(r"^  precision +0\.500 +– +0\.500$", out, re.M)
    assert re.search(r"^an error where none was edited +1 \(100\.0%\) +– +1 \(100\.0%\)$", out, re.M)


def test_a_sample_is_the_same_again_and_grows(history: History, spex: Spex) -> None:
    made = [history.commit(f"{n}", {"src/clock.py": faster(n)}) for n in range(2, 14)]
    every = [row["unit"] for row in rows(spex("replay", "--json")[1])]
    assert every == made
    few = spex("replay", "--json", "--sample", "4")[1]
    assert spex("replay", "--json", "--sample", "4", "--seed", "0")[1] == few
    four = [row["unit"] for row in rows(few)]
    eight = [row["unit"] for row in rows(spex("replay", "--json", "--sample", "8")[1])]
    assert len(four) == 4
    assert set(four) < set(eight)
    assert [unit for unit in made if unit in four] == four
    others = {
        tuple(r["unit"] for r in rows(spex("replay", "--json", "--sample", "4", "--seed", f"{s}")[1]))
        for s in (1, 2, 3)
    }
    assert others != {tuple(four)}
    assert len(rows(spex("replay", "--json", "--sample", "99")[1])) == 12
    history.commit("later", {"src/clock.py": faster(99)})
    later = {row["unit"] for row in rows(spex("replay", "--json", "--sample", "4")[1])}
    assert len(later & set(four)) >= 3


def test_an_ended_run_goes_on(history: History, spex: Spex, tmp_path: Path) -> None:
    for n in range(2, 8):
        history.commit(f"{n}", {"src/clock.py": faster(n)})
    whole = spex("replay", "--json")[1]
    file = tmp_path / "rows.jsonl"
    assert spex("replay", "--output", str(file))[0] == 0
    assert file.read_text() == whole
    lines = whole.splitlines(keepends=True)
    marked = lines[1].replace('"scores": {', '"scores": {".mark": 1.0, ')
    file.write_text(lines[0] + marked + lines[2][:-20])
    status, out, err = spex("replay", "--output", str(file), "--json")
    assert (status, err) == (0, "")
    # What the file had is neither judged nor written again.
    assert out == file.read_text() == "".join([lines[0], marked, *lines[2:]])


def test_a_killed_run_leaves_whole_lines_and_goes_on(history: History, spex: Spex, tmp_path: Path) -> None:
    for n in range(2, 40):
        history.commit(f"{n}", {"src/clock.py": faster(n)})
    file = tmp_path / "rows.jsonl"
    command = [sys.executable, "-m", "spexsearch.cli.spex", "replay", "--json", "--output", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=history.repo.path) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    begun = file.read_text()
    assert begun.count("\n") >= 1
    assert spex("replay", "--output", str(file))[0] == 0
    assert file.read_text().startswith(begun.rpartition("\n")[0])
    assert file.read_text() == spex("replay", "--json")[1]


@pytest.mark.parametrize("content", ["# Notes\n", "{}\n", "no line end", '[1]\n{"errors": ['])
def test_a_file_of_something_else_is_left_alone(history: History, spex: Spex, tmp_path: Path, content: str) -> None:
    history.commit("code", {"src/clock.py": faster(2)})
    file = tmp_path / "notes.md"
    file.write_text(content)
    status, out, err = spex("replay", "--output", str(file))
    assert (status, out) == (2, "")
    assert "no row of a replay" in err
    assert file.read_text() == content


def test_a_later_duplicate_of_a_kept_row_is_one_still(history: History, spex: Spex, tmp_path: Path) -> None:
    history.commit("code", {"src/clock.py": faster(2)})
    history.commit("back", {"src/clock.py": FILES["src/clock.py"]})
    file = tmp_path / "rows.jsonl"
    spex("replay", "--output", str(file))
    history.commit("code again", {"src/clock.py": faster(2)})
    status, out, _ = spex("replay", "--output", str(file))
    assert (status, out.partition("\n")[0]) == (0, "3 commits, 2 judged; 1 change the same lines as an earlier one")
    assert file.read_text().count("\n") == 2


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["nowhere"], "names no commit here"),
        (["HEAD..nowhere"], "names no commit here"),
        (["..HEAD"], "has no base"),
        (["HEAD..HEAD"], "there are no commits in HEAD..HEAD"),
        (["--units", "merges"], "there are no merges in HEAD; --units commits judges commits"),
        (["--units", "branches"], "invalid choice"),
        (["--sample", "0"], "is no number from 1 on"),
        (["--seed", "1"], "say --sample N too"),
        (["--write"], "say both"),
        (["--calibrate", "--json"], "leave out --json"),
        (["--calibrate", "--error-precision", "0"], "is no share"),
        (["--output", "no/such/folder/file"], "No such file"),
    ],
)
def test_what_cannot_be_replayed_ends_with_2(history: History, spex: Spex, argv: list[str], told: str) -> None:
    history.commit("code", {"src/clock.py": faster(2)})
    status, out, err = spex("replay", *argv)
    assert (status, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


def test_without_gitpython_it_says_what_to_install(
    history: History, spex: Spex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "git", None)
    status, out, err = spex("replay")
    assert (status, out) == (2, "")
    assert "pip install GitPython" in err
    assert err.count("\n") == 1


def test_a_shallow_clone_says_what_is_cut_off(history: History, spex: Spex, tmp_path: Path) -> None:
    for n in range(2, 6):
        history.commit(f"{n}", {"src/clock.py": faster(n)})
    url = history.repo.path.as_uri()
    history.repo.git("clone", "-q", "--depth", "1", url, str(tmp_path / "one"))
    status, out, err = spex("replay", "-C", str(tmp_path / "one"))
    assert (status, out) == (2, "")
    assert "git fetch --unshallow" in err
    history.repo.git("clone", "-q", "--depth", "3", url, str(tmp_path / "three"))
    status, out, err = spex("replay", "-C", str(tmp_path / "three"))
    assert status == 0
    assert out.startswith("3 commits, 2 judged; 1 could not be judged")
    assert "is left out" in err
    assert "git fetch --unshallow" in err
    status, out, err = spex("replay", "-C", str(tmp_path / "three"), "--units", "merges")
    assert (status, out) == (2, "")
    assert "git fetch --unshallow" in err


def test_a_unit_that_lacks_an_object_is_left_out(history: History, spex: Spex) -> None:
    lost = history.commit("lost", {"src/lamp.py": "def glow(lamp):\n    return False\n"})
    kept = history.commit("kept", {"src/clock.py": faster(2)})
    blob = history.repo.git("rev-parse", f"{lost}:src/lamp.py").strip()
    (history.repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    status, out, err = spex("replay", "--json")
    assert status == 0
    assert [row["unit"] for row in rows(out)] == [kept]
    assert err.startswith(f"spex: {lost} is left out: ")
    assert spex("replay", "--json", "--sample", "1")[1] == out
    status, out, err = spex("replay", f"{lost}^..{lost}")
    assert (status, out) == (2, "")
    assert "none of 1 units could be judged" in err


def test_a_bare_repository_and_a_linked_tree_give_the_same_rows(history: History, spex: Spex, tmp_path: Path) -> None:
    history.commit("both", {"src/clock.py": faster(2), C: CLOCK.replace("once", "twice")})
    here = spex("replay", "--json")[1]
    history.repo.git("clone", "-q", "--bare", str(history.repo.path), str(tmp_path / "bare"))
    history.repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    assert spex("replay", "--json", "-C", str(tmp_path / "bare"))[1] == here
    assert spex("replay", "--json", "-C", str(tmp_path / "linked"))[1] == here


def test_the_surrounding_environment_changes_nothing(
    history: History, spex: Spex, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    history.commit("both", {"src/clock.py": faster(2), C: CLOCK.replace("once", "twice")})
    here = spex("replay", "--json")[1]
    graft = tmp_path / "grafts"
    graft.write_text(history.repo.git("rev-parse", "HEAD"))
    monkeypatch.setenv("GIT_GRAFT_FILE", str(graft))
    monkeypatch.setenv("GIT_DIFF_OPTS", "-u9")
    history.repo.git("config", "diff.renames", "copies")
    history.repo.git("config", "log.showSignature", "true")
    assert spex("replay", "--json")[1] == here


def test_module_specs_are_replayed_too(repo: Repo, monkeypatch: pytest.MonkeyPatch, spex: Spex) -> None:
    module = "---\nid: clock\ntype: module\ntitle: Clock\n---\nThe clock ticks once a second.\n"
    made = History(repo, monkeypatch)
    made.commit("start", {"clock/SPEC.md": module, "clock/clock.py": FILES["src/clock.py"]})
    made.commit("both", {"clock/SPEC.md": module.replace("once", "twice"), "clock/clock.py": faster(2)})
    monkeypatch.chdir(repo.path)
    (row,) = rows(spex("replay", "--json")[1])
    assert (row["gold"], row["errors"]) == (["clock/SPEC.md"], ["clock/SPEC.md"])


def calibrated(history: History, count: int) -> None:
    for n in range(2, 2 + count):
        body = CLOCK.replace("once", f"{n} times")
        history.commit(f"{n}", {"src/clock.py": faster(n), C: body})


def test_calibrating_prints_a_table_and_writes_only_when_asked(history: History, spex: Spex) -> None:
    calibrated(history, 22)
    config = history.repo.path / "spex.toml"
    status, out, err = spex("replay", "--calibrate")
    assert (status, err) == (0, "")
    assert "errors, precision wanted 0.90" in out
    chosen = re.findall(r"^thresholds\.(error|warning) = (\S+)$", out, re.M)
    assert [level for level, _ in chosen] == ["error", "warning"]
    assert not config.exists()
    status, out, err = spex("replay", "--calibrate", "--write")
    assert (status, err) == (0, "written to spex.toml\n")
    assert config.read_text() == f"thresholds = {{error = {chosen[0][1]}, warning = {chosen[1][1]}}}\n"


def test_calibrating_says_that_there_is_too_little_history(history: History, spex: Spex) -> None:
    calibrated(history, 3)
    status, out, err = spex("replay", "--calibrate")
    assert (status, err) == (0, "")
    assert out.count("too little history: 3 flags") == 2
    status, _, err = spex("replay", "--calibrate", "--write")
    assert status == 2
    assert "none is written" in err
    assert not (history.repo.path / "spex.toml").exists()


def test_calibrating_asks_all_that_may_be_accused(history: History, spex: Spex) -> None:
    history.commit("quiet", {"spex.toml": 'mode = "advisory"\n[thresholds]\nerror = 9\nwarning = 9\n'})
    calibrated(history, 2)
    assert all(row["errors"] == row["warnings"] == [] for row in rows(spex("replay", "--json")[1]))
    assert "too little history: 2 flags" in spex("replay", "--calibrate")[1]


def test_a_bare_repository_has_nothing_to_write_into(history: History, spex: Spex, tmp_path: Path) -> None:
    calibrated(history, 21)
    shutil.move(history.repo.path / ".git", tmp_path / "bare")
    history.repo.git("config", "core.bare", "true", cwd=tmp_path / "bare")
    status, _, err = spex("replay", "--calibrate", "--write", "-C", str(tmp_path / "bare"))
    assert status == 2
    assert "bare repository" in err
