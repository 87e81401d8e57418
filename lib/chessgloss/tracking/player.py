"""Runs as players: a model says a move after any game, or its recorded moves are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from chessgloss.positions import text_digest
from chessgloss.skill.players import MovesPlayer, read_table
from chessgloss.store import write_file
from chessgloss.tracking.models import LanguageModel, continue_games
from chessgloss.tracking.runs import Training, kept_path, read_model

#: The runs that play: those on L, the most games. One that sees a window of the game is left out:
#: it does not read all moves.
PLAYING = ("L-uci-1", "L-rap15-1", "L-ap-1")

#: What a file of said moves holds in each line.
COLUMNS = ("game", "said")


def tracking_players() -> list[MovesPlayer]:
    """Return the runs of :data:`PLAYING` that were trained, in this order.

    ``L-rap15-1`` is called ``tracking_l_rap15``. One whose checkpoint is kept plays now; of the
    others the moves are read that they said (:func:`keep_moves`).
    """
    players = []
    for run in PLAYING:
        name = "tracking_" + run.rpartition("-")[0].lower().replace("-", "_")
        if kept_path("checkpoints", run).is_file():
            model, training = read_model(run)
            says = partial(continue_games, model, training.reading)
            players.append(MovesPlayer(name, says))
        elif kept_path("moves", run).is_file():
            kept = dict(read_table(kept_path("moves", run), COLUMNS))
            players.append(MovesPlayer(name, partial(_read_said, run, kept)))
    return players


def keep_moves(
    run: str,
    model: LanguageModel,
    training: Training,
    games: Sequence[Sequence[str]],
) -> Path:
    """Write the moves that a model says after games, in UCI notation; return the file."""
    said = continue_games(model, training.reading, games)
    rows = sorted(zip(map(_name, games), said, strict=True))
    path = kept_path("moves", run)
    lines = ["\t".join(row) for row in (COLUMNS, *dict.fromkeys(rows))]
    return write_file(path, "\n".join(lines) + "\n")


def _name(moves: Sequence[str]) -> str:
    """Return the name of a game in a file of said moves."""
    return text_digest(" ".join(moves))


def _read_said(
    run: str, kept: Mapping[str, str], games: Sequence[Sequence[str]]
) -> list[str]:
    names = list(map(_name, games))
    if missing := [
        game for game, name in zip(games, names, strict=True) if name not in kept
    ]:
        raise ValueError(
            f"what {run} says after {' '.join(missing[0])} is not kept; train it and ask: "
            f"`python data/tracking/train.py {run}`, `python data/tracking/moves.py {run}`"
        )
    return [kept[name] for name in names]
