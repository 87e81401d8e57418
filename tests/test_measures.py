from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chessgloss.measures import Interval, bootstrap_mean, cluster_weights, means_by


def test_the_interval_of_independent_rows_matches_the_normal_theory():
    data = np.random.default_rng(0).normal(3, 2, size=4_000)
    found = bootstrap_mean(data, seed=1)
    half = 1.96 * data.std() / np.sqrt(data.size)
    assert found.value == pytest.approx(data.mean())
    assert found.high - found.value == pytest.approx(half, rel=0.12)
    assert found.value - found.low == pytest.approx(half, rel=0.12)


def test_rows_of_one_game_count_as_one():
    games = np.repeat(np.arange(100), 50)
    data = np.random.default_rng(0).normal(size=100)[games]
    wide, narrow = bootstrap_mean(data, games, seed=1), bootstrap_mean(data, seed=1)
    ratio = (wide.high - wide.low) / (narrow.high - narrow.low)
    assert ratio == pytest.approx(np.sqrt(50), rel=0.15)


def test_about_95_of_100_intervals_hold_the_truth():
    random = np.random.default_rng(5)
    held = 0
    for trial in range(300):
        sizes = random.integers(1, 9, size=60)
        games = np.repeat(np.arange(60), sizes)
        data = random.normal(size=60)[games] + random.normal(size=games.size)
        found = bootstrap_mean(data, games, seed=trial, resamples=300)
        held += found.low <= 0 <= found.high
    assert 0.90 <= held / 300 <= 0.98


def test_the_same_seed_gives_the_same_interval_and_labels_may_be_text():
    data, games = [1.0, 2.0, 4.0], ["a", "b", "b"]
    assert bootstrap_mean(data, games, seed=3) == bootstrap_mean(data, games, seed=3)
    assert cluster_weights(4, seed=0, resamples=9).sum(axis=1).tolist() == [4] * 9


@pytest.mark.parametrize("values", [[], [1.0, float("nan")], [float("inf")]])
def test_what_cannot_be_averaged_is_refused(values):
    with pytest.raises(ValueError, match="finite"):
        bootstrap_mean(values, seed=0)


def test_an_interval_holds_its_value():
    assert f"{Interval(0.5, 0.25, 0.75, 9):.2f}" == "0.50 [0.25, 0.75]"
    with pytest.raises(ValueError, match="outside"):
        Interval(2, 0, 1, 5)


def test_means_of_groups_are_the_means_of_their_rows():
    frame = pd.DataFrame({"level": [5, 5, 9, 9], "game": [0, 1, 2, 2], "loss": [1.0, 3, 4, 8]})
    found = means_by(frame, "level", "loss", cluster="game", seed=0)
    assert found[5] == bootstrap_mean([1, 3], seed=0)
    assert (found[9].value, found[9].low, found[9].high) == (6, 6, 6)
    assert means_by(frame, ["level", "game"], "loss", cluster="game", seed=0)[5, 1].value == 3
