from __future__ import annotations

import chess
import chess.engine

from chessgloss.positions import Analysis, Game, Line
from chessgloss.skill import CAP, centipawn_losses

FOOLS_MATE = Game(("f2f3", "e7e5", "g2g4", "d8h4"), "0-1")


def analyses(game: Game, white_values: list[chess.engine.Score | None]) -> list[Analysis]:
    found = []
    for ply, value in enumerate(white_values):
        position = game.position(ply)
        score = None if value is None else value if position.turn else -value
        lines = () if score is None else (Line((), chess.engine.PovScore(score, position.turn), 1),)
        found.append(Analysis(position, lines, 1, "scripted"))
    return found


def test_each_loss_belongs_to_the_side_that_moved():
    values = [chess.engine.Cp(20), chess.engine.Cp(-60), chess.engine.Cp(-30),
              chess.engine.Mate(-1), None]  # fmt: skip
    losses = centipawn_losses(analyses(FOOLS_MATE, values))
    assert losses.tolist() == [80, 30, CAP - 30, 0]


def test_a_value_that_rises_for_the_mover_is_no_loss():
    values = [chess.engine.Cp(0), chess.engine.Cp(50), chess.engine.Cp(10)]
    assert centipawn_losses(analyses(FOOLS_MATE, values)).tolist() == [0, 0]
