"""Runs as players: those whose checkpoints are kept say a move after any game."""

from __future__ import annotations

from functools import partial

from chessgloss.skill.players import MovesPlayer
from chessgloss.tracking.models import continue_games
from chessgloss.tracking.runs import read_model, trained_checkpoints


def tracking_players() -> list[MovesPlayer]:
    """Return the runs on L, the most games, whose checkpoints are kept.

    ``L-rap15-1`` is called ``tracking_l_rap15``. One that sees a window of the game is left out:
    it does not read all moves.
    """
    players = []
    kept = (run for run in trained_checkpoints() if run.startswith("L-"))
    for run in (run for run in kept if "window" not in run):
        model, training = read_model(run)
        name = "tracking_" + run.rpartition("-")[0].lower().replace("-", "_")
        players.append(
            MovesPlayer(name, partial(continue_games, model, training.reading))
        )
    return players
