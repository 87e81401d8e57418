from __future__ import annotations

import numpy as np
import pytest

from chessgloss.engine import CAP
from chessgloss.positions import Game
from chessgloss.skill import grade_games, losses

FOOLS_MATE = Game(("f2f3", "e7e5", "g2g4", "d8h4"), "0-1")
BLACK_FIRST = Game(("e7e5", "e2e4"), "*", root="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1")  # fmt: skip  # noqa: E501


def test_each_loss_belongs_to_the_side_that_moved():
    assert losses(np.array([20.0, -60, -30, -CAP, -CAP])).tolist() == [80, 30, CAP - 30, 0]
    assert losses(np.array([20.0, 60, 30]), white_first=False).tolist() == [40, 30]


def test_a_value_that_rises_for_the_mover_is_no_loss():
    assert losses(np.array([0.0, 50, 10])).tolist() == [0, 0]
    assert losses(np.array([0.0, 50, 10]), floor=-np.inf).tolist() == [-50, -40]


def test_the_side_to_move_follows_the_root():
    assert [BLACK_FIRST.position_turn(ply) for ply in (0, 1, 2)] == [False, True, False]
    assert FOOLS_MATE.position_turn(0) is True


@pytest.mark.engine
@pytest.mark.usefixtures("stockfish")
def test_the_blunder_of_the_fools_mate_is_found_whatever_the_processes():
    one = grade_games([FOOLS_MATE, BLACK_FIRST], nodes=2_000, processes=1, progress=False)
    two = grade_games([FOOLS_MATE, BLACK_FIRST], nodes=2_000, processes=2, progress=False)
    assert one.equals(two)
    assert one["side"].tolist() == ["White", "Black", "White", "Black", "Black", "White"]
    mate = one[one["game"] == 0]
    assert mate["loss"].idxmax() == 2
    assert mate["loss"].max() > 700
    assert mate["loss"].iloc[3] == 0
