"""The figures of a replay against plain counting, and against the judge of the measured data."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from spexsearch.govern.replay.rows import Row, to_line
from spexsearch.govern.replay.statistics import WANTED, Quality, is_sweep, quality

PATHS = [f".spec/{name}/spec.md" for name in "abcdef"]
paths = st.lists(st.sampled_from(PATHS), unique=True).map(lambda found: tuple(sorted(found)))
scores = st.dictionaries(st.sampled_from(PATHS), st.integers(1, 6).map(lambda n: n / 4))


@st.composite
def rows(draw: st.DrawFn) -> Row:
    errors = draw(paths)
    warnings = tuple(path for path in draw(paths) if path not in errors)
    return Row("u", "p", draw(paths), errors, warnings, draw(scores))


def naive_average_precision(found: list[Row]) -> float | None:
    """For each edited spec that has a score: the share of edited ones among all with that score or more."""
    pairs = [(score, path in row.gold) for row in found for path, score in row.scores.items()]
    edited = sum(len(row.gold) for row in found)
    if not edited:
        return None
    total = 0.0
    for score, right in pairs:
        if right:
            above = [hit for other, hit in pairs if other >= score]
            total += sum(above) / len(above)
    return total / edited


def naive_recall(found: list[Row]) -> float | None:
    pairs = [(score, path in row.gold) for row in found for path, score in row.scores.items()]
    edited = sum(len(row.gold) for row in found)
    best = 0
    for least in {score for score, _ in pairs}:
        above = [hit for score, hit in pairs if score >= least]
        if sum(above) / len(above) >= WANTED:
            best = max(best, sum(above))
    return best / edited if edited else None


def close(a: float | None, b: float | None) -> bool:
    return a is b is None or (a is not None and b is not None and abs(a - b) < 1e-9)


@given(st.lists(rows(), max_size=12))
def test_the_figures_are_those_of_plain_counting(found: list[Row]) -> None:
    told = quality(found)
    pairs = [(row, path) for row in found for path in PATHS]
    right = [(row, path) for row, path in pairs if path in row.gold]
    assert told.units == len(found)
    assert told.edited == len(right)
    assert told.answered == len({id(row) for row, _ in right})
    assert told.quiet == told.units - told.answered
    for flags, levels in ((told.errors, 1), (told.both, 2)):
        flagged = [(row, path) for row, path in pairs if path in (row.errors, (*row.errors, *row.warnings))[levels - 1]]
        assert flags.count == len(flagged)
        hits = sum(path in row.gold for row, path in flagged)
        assert close(flags.precision, hits / len(flagged) if flagged else None)
        assert close(flags.recall, hits / len(right) if right else None)
    assert told.loud == sum(1 for row in found if row.errors and not row.gold)
    assert close(told.average_precision, naive_average_precision(found))
    assert close(told.recall, naive_recall(found))
    assert 0 <= told.hits <= told.answered


def test_no_rows_have_no_ratios() -> None:
    told = quality([])
    assert (told.units, told.average_precision, told.recall, told.errors.precision) == (0, None, None, None)


def test_a_unit_with_more_than_ten_edited_specs_is_a_sweep() -> None:
    ten = Row("u", "p", tuple(str(n) for n in range(10)), (), (), {})
    assert not is_sweep(ten)
    assert is_sweep(Row("u", "p", (*ten.gold, "10"), (), (), {}))


def judged(shared: Path, file: Path) -> str:
    judge = shared / "replay" / "flag_quality.py"
    return subprocess.run([sys.executable, str(judge), str(file)], capture_output=True, text=True, check=True).stdout


def told_by_judge(said: str, told: Quality) -> None:
    ratio = "{:.3f}".format
    errors = re.search(r"^errors +flags (\d+)  precision (\S+)  recall (\S+)  .* quiet on (\d+)/(\d+)", said, re.M)
    assert errors is not None
    assert errors.groups() == (
        str(told.errors.count),
        ratio(told.errors.precision),
        ratio(told.errors.recall),
        str(told.quiet - told.loud),
        str(told.quiet),
    )
    scored = re.search(r"^scores +average precision (\S+)  recall at precision .8: (\S+), .*hit@1 (\d+)/", said, re.M)
    assert scored is not None
    assert scored.groups() == (ratio(told.average_precision), ratio(told.recall), str(told.hits))


def test_the_judge_of_the_measured_data_agrees(shared: Path, tmp_path: Path) -> None:
    found = [
        Row("1", "0", (PATHS[0], PATHS[1]), (PATHS[0],), (PATHS[2],), {PATHS[0]: 1.5, PATHS[2]: 0.7, PATHS[1]: 0.7}),
        Row("2", "1", (), (PATHS[3],), (), {PATHS[3]: 1.5, PATHS[4]: 0.2}),
        Row("3", "2", (PATHS[5],), (PATHS[5],), (PATHS[1],), {PATHS[5]: 1.9, PATHS[1]: 1.9}),
        Row("4", "3", (), (), (), {}),
    ]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(map(to_line, found)))
    told_by_judge(judged(shared, file), quality(found))
