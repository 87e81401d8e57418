from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from chessgloss.tracking import probes, runs
from chessgloss.tracking.checkpoints import CheckpointError, write_tensors
from chessgloss.tracking.perplexities import (
    Losses,
    change_of_perplexity,
    compare_perplexities,
    measures_path,
    perplexity_of,
    read_losses,
    read_own_pieces,
    read_perplexities,
)


def drawn(games: int, nats: float, seed: int = 1) -> Losses:
    """Games of 10 to 150 plies at about so many nats a move."""
    random = np.random.default_rng(seed)
    plies = np.random.default_rng(0).integers(10, 151, games)
    return Losses(plies * random.normal(nats, 0.3, games), plies)


def test_a_perplexity_weighs_moves_not_games() -> None:
    losses = Losses(np.array([10 * math.log(8), 30 * math.log(2)]), np.array([10, 30]))
    assert perplexity_of(losses, seed=1).value == pytest.approx(8**0.25 * 2**0.75)


def test_an_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    inside = [
        one.low <= math.exp(3.0) <= one.high
        for one in (perplexity_of(drawn(300, 3.0, seed), seed=seed) for seed in range(60))
    ]
    assert 0.85 <= np.mean(inside) < 1


def test_games_of_equal_loss_have_no_width() -> None:
    even = Losses(np.array([20.0, 40.0]), np.array([10, 20]))
    one = perplexity_of(even, seed=1)
    assert (one.low, one.high) == (one.value, one.value)
    assert (one.value, one.n) == (pytest.approx(math.exp(2)), 2)


def test_a_change_is_measured_on_the_same_draws() -> None:
    plain = drawn(300, 3.0)
    dearer = Losses(plain.nats + 0.1 * plain.plies, plain.plies)
    change = compare_perplexities(dearer, plain, seed=1)
    assert change.value == pytest.approx(100 * math.expm1(0.1))
    assert change.high - change.low < 1e-6
    apart = perplexity_of(plain, seed=1)
    assert apart.high - apart.low > 0.1


def test_runs_are_compared_by_what_is_kept_of_them(tmp_path: Path) -> None:
    for name, nats in (("S-uci-1", 20.0), ("S-rap5-1", 21.0)):
        tensors = {"test.nats": torch.tensor([nats]), "test.plies": torch.tensor([10])}
        write_tensors(tensors, {"run": name}, measures_path(name, tmp_path))
    found = read_perplexities(["S-uci-1", "S-rap5-1"], seed=1, folder=tmp_path)
    assert list(found) == ["S-uci-1", "S-rap5-1"]
    assert [one.value for one in found.values()] == pytest.approx([math.exp(2.0), math.exp(2.1)])
    change = change_of_perplexity("S-rap5-1", "S-uci-1", seed=1, folder=tmp_path)
    assert change.value == pytest.approx(100 * math.expm1(0.1))
    with pytest.raises(FileNotFoundError, match=r"retrain S-uci-2"):
        change_of_perplexity("S-uci-2", "S-uci-1", seed=1, folder=tmp_path)


def test_other_games_are_not_compared() -> None:
    with pytest.raises(ValueError, match="same games"):
        compare_perplexities(drawn(20, 3.0), drawn(21, 3.0), seed=1)


@pytest.mark.parametrize(
    ("nats", "plies"), [([], []), ([1.0], [1, 2]), ([1.0, 2.0], [3, 0])], ids=str
)
def test_losses_without_moves_are_refused(nats: list[float], plies: list[int]) -> None:
    with pytest.raises(ValueError, match="each with moves"):
        Losses(np.array(nats), np.array(plies, dtype=int))


def test_losses_that_are_missing_or_anothers_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"retrain S-uci-9"):
        read_losses("S-uci-9", folder=tmp_path)
    tensors = {"test.nats": torch.ones(1), "test.plies": torch.ones(1, dtype=torch.uint8)}
    write_tensors(tensors, {"run": "S-ap-1"}, measures_path("S-uci-1", tmp_path))
    with pytest.raises(CheckpointError, match="the run 'S-ap-1', not 'S-uci-1'"):
        read_losses("S-uci-1", folder=tmp_path)
    with pytest.raises(ValueError, match="S-ap-1 says a type"):
        write_tensors(tensors, {"run": "S-ap-1"}, measures_path("S-ap-1", tmp_path))
        read_own_pieces("S-ap-1", "long", folder=tmp_path)


@pytest.mark.parametrize("record", runs.trained_runs(), ids=lambda record: record.run.name)
def test_kept_losses_give_the_perplexity_of_the_record(record: runs.RunRecord) -> None:
    one = perplexity_of(read_losses(record.run.name), seed=1)
    assert one.n == 3_750
    assert one.value == pytest.approx(record.test_perplexity, rel=1e-4)
    assert one.low < one.value < one.high
    if record.run.training.reading == "uci":
        own = np.concatenate([read_own_pieces(record.run.name, band) for band in probes.BANDS])
        assert own.shape == (2_000,)
        assert 0 <= own.min() <= own.max() <= 1 + 1e-5
