from __future__ import annotations

import numpy as np
import pytest

from chessgloss.skill.elo import (
    FLOOR,
    EloModel,
    estimate_player,
    fit_elo,
    held_out,
    tell_estimate,
)
from chessgloss.skill.elo_players import ELOS, HELD_OUT
from chessgloss.stats import Interval


def losses_of(elo: float, n: int = 200, seed: int = 0) -> np.ndarray:
    """Losses whose mean falls to a half every 300 Elo, from 100 at 1350."""
    return np.random.default_rng(seed).exponential(100 * 2 ** ((1350 - elo) / 300), n)


@pytest.fixture
def twelve_strengths() -> dict[int, np.ndarray]:
    return {elo: losses_of(elo, seed=elo) for elo in ELOS}


def test_a_third_is_held_out_inside_the_range():
    assert len(ELOS) == 12
    assert len(HELD_OUT) == 4
    assert ELOS[0] not in HELD_OUT
    assert set(HELD_OUT) < set(ELOS)


def test_the_line_goes_through_points_on_a_line():
    means = {elo: float(np.exp((3000 - elo) / 400)) - FLOOR for elo in (1400, 1800, 2200)}
    model = fit_elo(means)
    assert model.slope == pytest.approx(-400)
    assert model.estimate(means[1800]) == pytest.approx(1800)
    assert model.extrapolates(means[1400] + 1)
    assert not model.extrapolates(means[1800])


def test_outside_the_fitted_losses_only_a_bound_is_told():
    model = fit_elo({1400: 80.0, 1800: 40.0, 2200: 20.0})
    interval = Interval(900, 700, 1100, 50)
    assert tell_estimate(model, 300, interval).startswith("below 1")
    assert tell_estimate(model, 5, interval).startswith("above 2")
    assert tell_estimate(model, 40, interval) == "900 [700, 1100]"


def test_held_out_strengths_are_estimated_and_do_not_enter_the_fit(twelve_strengths):
    model, frame = held_out(twelve_strengths, HELD_OUT)
    assert frame["held_out"].sum() == 4
    assert frame.loc[list(HELD_OUT), "error"].abs().mean() < 120
    spoilt = {**twelve_strengths, HELD_OUT[0]: twelve_strengths[HELD_OUT[0]] * 50}
    assert held_out(spoilt, HELD_OUT)[0] == model
    assert held_out(spoilt, ())[0] != model


def test_a_player_is_estimated_with_an_interval_over_games(twelve_strengths):
    games = np.arange(200) // 2
    found = estimate_player(twelve_strengths, losses_of(2000, seed=7), games, seed=1, resamples=200)
    assert found.low < 2000 < found.high
    assert found.high - found.low < 400
    means = {elo: float(np.mean(each)) for elo, each in twelve_strengths.items()}
    fitted = fit_elo(means).estimate(float(losses_of(2000, seed=7).mean()))
    assert found.value == pytest.approx(fitted)
    better = estimate_player(twelve_strengths, losses_of(2600, seed=7), games, seed=1, resamples=50)
    assert better.value > found.value


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="three strengths"):
        fit_elo({1350: 10, 1490: 8})
    with pytest.raises(ValueError, match="from 0 up"):
        fit_elo({1350: 10, 1490: 8, 1620: -1})
    with pytest.raises(ValueError, match="finite"):
        EloModel(float("nan"), 1, 0, 1)
