"""The steps between arms: one correction over all, blocks beside moves, readers that err."""

import numpy as np
import pandas as pd
import pytest

from chessgloss.judges.steps import (
    Ruler,
    compare_all,
    concluded,
    corrected_shares,
    corrected_steps,
    laid_out,
)
from scripts import refuses

MOVES = [f"m{k}" for k in range(150)]
BLOCKS = {name: k % 6 for k, name in enumerate(MOVES)}


def ones(count: int) -> np.ndarray:
    return (np.arange(150) < count).astype(float)


def test_a_step_that_helps_differs_a_small_one_is_alike_and_a_floor_cannot_tell():
    counts = {"bare": 60, "verdict": 20, "same": 60, "few": 3, "none": 4}
    false = pd.DataFrame({arm: ones(n) for arm, n in counts.items()}, MOVES)
    decisive = pd.DataFrame({"bare": ones(150) / 2, "verdict": ones(60)}, index=MOVES)
    contrasts = {
        "verdict": ("verdict", "bare"),
        "same": ("same", "bare"),
        "floor": ("few", "none"),
        "unasked": ("lines", "bare"),
    }
    found = compare_all(
        {"false": false, "decisive": decisive}, contrasts, BLOCKS, seed=1
    )
    verdicts = {(each.outcome, each.name): each.verdict for each in found}
    assert verdicts == {
        ("false", "verdict"): "differs",
        ("false", "same"): "alike",
        ("false", "floor"): "cannot tell",
        ("decisive", "verdict"): "differs",
    }
    step = found[0]
    assert (step.taken, step.left) == pytest.approx((20 / 150, 60 / 150))
    assert step.by_moves.low < step.by_moves.value < step.by_moves.high < 0
    assert step.adjusted == pytest.approx(4 * step.p)


def test_where_no_move_differs_the_interval_is_not_empty():
    frame = pd.DataFrame({"with": ones(4), "without": ones(4)}, index=MOVES)
    (step,) = compare_all({"x": frame}, {"s": ("with", "without")}, BLOCKS, seed=1)
    assert step.by_moves.low < step.by_moves.value == 0 < step.by_moves.high
    assert step.verdict == "cannot tell"


def test_a_share_is_corrected_for_what_readers_miss_and_make_up():
    # q = .4, r = .8, f = .1: (.4 - .1) / (.8 - .1)
    def corrected(count: int, ruler: Ruler):
        accused = pd.DataFrame({"x": ones(count)}, MOVES)
        return corrected_shares(accused, {"x": ruler}, seed=1)["x"]

    sure = corrected(60, Ruler(8_000, 10_000, 1_000, 10_000))
    unsure = corrected(60, Ruler(40, 50, 5, 50))
    assert sure.value == unsure.value == pytest.approx(3 / 7)
    assert unsure.high - unsure.low > 1.2 * (sure.high - sure.low)
    none = corrected(3, Ruler(40, 50, 1, 50))
    assert (none.value, none.low) == (0, 0) and none.high > 0


def test_true_differences_are_found_again_by_readers_who_err():
    rng = np.random.default_rng(3)
    arms = {"bare": (0.5, 0.9, 0.05), "ccc": (0.3, 0.6, 0.1)}
    inside = 0
    for trial in range(40):
        accused, rulers = {}, {}
        for arm, (share, recall, alarm) in arms.items():
            wrong = rng.random(150) < share
            accused[arm] = np.where(
                wrong, rng.random(150) < recall, rng.random(150) < alarm
            )
            rulers[arm] = Ruler.of(rng.random(50) < recall, rng.random(100) < alarm)
        frame = pd.DataFrame(accused, MOVES).astype(float)
        steps = corrected_steps(frame, {"x": ("ccc", "bare")}, rulers, seed=trial)
        step = steps["x"]
        inside += step.low <= -0.2 <= step.high
    assert inside >= 34


@pytest.mark.parametrize("ruler", [Ruler(0, 0, 1, 5), Ruler(5, 50, 10, 50)])
def test_a_ruler_that_tells_nothing_is_refused_and_its_arm_left_out(ruler):
    refuses(ValueError, "no more often than others", ruler.rates)
    frame = pd.DataFrame({"a": ones(9), "b": ones(9)}, MOVES)
    rulers = {"a": ruler, "b": Ruler(40, 50, 1, 50)}
    assert corrected_shares(frame, rulers, seed=1).keys() == {"b"}
    assert not corrected_steps(frame, {"s": ("a", "b")}, rulers, seed=1)


def test_steps_are_told_by_what_they_bear_out():
    frame = pd.DataFrame(
        {
            "bare": ones(60),
            "ccc": ones(20),
            "same": ones(60),
            "none": ones(3),
        },
        MOVES,
    )
    contrasts = {
        "all": ("ccc", "bare"),
        "same": ("same", "bare"),
        "few": ("none", "none"),
    }
    words = {"all": "all of CCC", "same": "the same again", "few": "none at all"}
    steps = compare_all({"false": frame}, contrasts, BLOCKS, seed=1)
    assert concluded(steps, words, {"false": "are false"}) == [
        "Fewer comments are false with: all of CCC.",
        "As many comments are false, within five points, with: the same again.",
        "Whether more or fewer comments are false cannot be told, for a floor or a ceiling, of: "
        "none at all.",
    ]
    assert [each.how_often.split()[0] for each in steps] == ["less", "as", "so"]
    assert laid_out(steps, words).at["all of CCC", "false"].startswith("-27 [-3")
