"""Runs as players: those whose checkpoints are kept say a move after any game."""

from __future__ import annotations

from functools import partial

from chessgloss.skill.players import MovesPlayer
from chessgloss.tracking.models import continue_games
from chessgloss.tracking.runs import read_model, trained_checkpoints


def tracking_players() -> list[MovesPlayer]:
    """Return the runs trained on the most games of those whose checkpoints are kept.

    ``L-rap25-1`` is called ``tracking_l_rap25``. Those that read random games are left out: they
    have not seen anybody play.
    """
    kept = [run for run in trained_checkpoints() if "random" not in run]
    players = []
    largest = min((run[0] for run in kept), key="LMS".index, default="")
    for run in (run for run in kept if run[0] == largest):
        model, training = read_model(run)
        name = "tracking_" + run.rpartition("-")[0].lower().replace("-", "_")
        players.append(
            MovesPlayer(name, partial(continue_games, model, training.reading))
        )
    return players
