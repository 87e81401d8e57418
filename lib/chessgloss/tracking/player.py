"""Runs as players: those whose checkpoints are kept say a move after any game."""

from __future__ import annotations

from functools import partial

from chessgloss.skill.players import MovesPlayer
from chessgloss.tracking.models import continue_games
from chessgloss.tracking.runs import NAME, read_model, trained_checkpoints


def tracking_players() -> list[MovesPlayer]:
    """Return the runs trained on the most games of those whose checkpoints are kept.

    ``L-rap15-1`` is called ``tracking_l_rap15``. Runs of one of the sizes S, M and L are meant;
    those on other games, named by a number of games, are not.
    """
    names = {run: NAME.fullmatch(run) for run in trained_checkpoints()}
    sizes = {run: name["size"] for run, name in names.items() if name}
    largest = next((size for size in "LMS" if size in sizes.values()), "")
    players = []
    for run in (run for run, size in sizes.items() if size == largest):
        model, training = read_model(run)
        name = "tracking_" + run.rpartition("-")[0].lower().replace("-", "_")
        players.append(
            MovesPlayer(name, partial(continue_games, model, training.reading))
        )
    return players
