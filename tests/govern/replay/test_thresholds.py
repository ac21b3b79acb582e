"""Thresholds from a history: the lowest that keeps the promise, and none from too few flags."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spexsearch.govern.replay.rows import Row
from spexsearch.govern.replay.thresholds import LEAST, calibrate, thresholds


def history(*flags: tuple[str, float, bool]) -> list[Row]:
    """A unit for each flag: its level, its score, and whether the spec was edited."""
    return [
        Row(
            str(number),
            "p",
            ("s",) if right else (),
            ("s",) if level == "error" else (),
            ("s",) if level == "warning" else (),
            {"s": score},
        )
        for number, (level, score, right) in enumerate(flags)
    ]


def test_the_lowest_threshold_that_is_precise_enough_is_chosen() -> None:
    rows = history(*[("error", 0.9, True)] * 18, *[("error", 0.7, False)] * 2, *[("error", 0.5, False)] * 5)
    error, warning = calibrate(rows, 0.9, 0.65)
    assert error.chosen is not None
    assert (error.chosen.threshold, error.chosen.flags.count, error.chosen.flags.precision) == (0.7, 20, 0.9)
    assert warning.chosen is not None
    assert warning.chosen.threshold == 0.5
    assert thresholds((error, warning)) == {"error": 0.7, "warning": 0.5}


def test_a_better_precision_from_fewer_flags_is_not_believed() -> None:
    rows = history(*[("error", 0.9, True)] * (LEAST - 1), *[("error", 0.5, False)] * 5)
    error, _ = calibrate(rows, 0.9, 0.65)
    assert error.chosen is None
    assert not error.is_known_too_little


def test_too_little_history_is_said() -> None:
    error, warning = calibrate(history(*[("error", 0.9, True)] * (LEAST - 1)), 0.9, 0.65)
    assert error.is_known_too_little
    assert warning.is_known_too_little
    assert thresholds((error, warning)) == {}
    assert all(choice.is_known_too_little for choice in calibrate([], 0.9, 0.65))


def test_what_can_only_be_a_warning_does_not_move_the_errors() -> None:
    rows = history(*[("error", 0.9, True)] * 20, *[("warning", 0.95, False)] * 20)
    error, warning = calibrate(rows, 0.9, 0.9)
    assert error.chosen is not None
    assert error.chosen.threshold == 0.9
    assert warning.chosen is None


def test_a_warning_never_needs_more_than_an_error() -> None:
    rows = history(
        *[("error", 0.9, True)] * 20, *[("error", 0.4, True)] * 20, *[("warning", 0.4, False)] * 30
    )  # fmt: skip
    choices = calibrate(rows, 0.9, 0.9)
    assert choices[1].chosen is not None
    assert choices[1].chosen.threshold == 0.9
    assert thresholds(choices) == {"error": 0.4, "warning": 0.4}


def test_a_sweep_is_left_out() -> None:
    sweep = Row("s", "p", tuple(str(n) for n in range(30)), tuple(str(n) for n in range(30)), (), {"1": 0.9})
    error, _ = calibrate([sweep], 0.9, 0.65)
    assert error.steps == ()


flags = st.tuples(st.sampled_from(("error", "warning")), st.integers(0, 8).map(lambda n: n / 8), st.booleans())


@given(st.lists(flags, max_size=80), st.sampled_from((0.5, 0.65, 0.9)))
def test_the_choice_is_that_of_trying_every_threshold(found: list[tuple[str, float, bool]], wanted: float) -> None:
    error, warning = calibrate(history(*found), wanted, wanted)
    for choice, levels in ((error, ("error",)), (warning, ("error", "warning"))):
        good = []
        for least in {score for _, score, _ in found}:
            hits = [right for level, score, right in found if level in levels and score >= least]
            if len(hits) >= LEAST and sum(hits) / len(hits) >= wanted:
                good.append((-len(hits), least))
        chosen = choice.chosen
        assert (chosen is None) == (not good)
        if chosen is not None:
            # Thresholds between two scores give the same flags.
            assert -chosen.flags.count == min(good)[0]
