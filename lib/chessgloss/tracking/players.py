"""A trained model as a player: it reads the moves of a game and says the next, token by token.

It has no board and no list of legal moves, so that what it says need not be legal. Of the
tokens it takes the most probable each time; nothing is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chessgloss.skill.players import MovesPlayer
from chessgloss.tracking.checkpoints import read_checkpoint
from chessgloss.tracking.evaluate import predict_next
from chessgloss.tracking.models import LanguageModel
from chessgloss.tracking.runs import checkpoint_path, trained_checkpoints
from chessgloss.tracking.tokens import (
    PIECES,
    PROMOTIONS,
    VOCABULARY,
    Notation,
    Tokens,
    annotate,
    tokenise,
)

#: What is said of a game that is too long for the model's context: no move.
TOO_LONG = "(the game is longer than the context)"


def continue_games(
    model: LanguageModel, reading: Notation, games: Sequence[Sequence[str]]
) -> list[str]:
    """Return the move, in UCI notation, that a model says after each game.

    Parameters
    ----------
    model
        A trained model.
    reading
        How it reads games: ``ap`` if it was trained so, else ``uci``, without piece types.
    games
        Moves in UCI notation from the usual first position.

    Returns
    -------
    list of str
        Two squares, with the new piece if the model says one: ``e7e8q``. What is no move, such
        as the end of the game, is given in the vocabulary's words; :data:`TOO_LONG` for a game
        that leaves no room for a move.
    """
    room = model.settings.context - 4
    read = _sequences(games, reading)
    short = [number for number, one in enumerate(read) if len(one) <= room]
    said = dict(zip(short, _say(model, reading, [read[one] for one in short]), strict=True))
    return [said.get(number, TOO_LONG) for number in range(len(read))]


def tracking_player(run: str, folder: Path | None = None) -> MovesPlayer:
    """Return a run whose checkpoint is kept as a player: ``L-rap25-1`` is ``tracking_l_rap25``.

    Raises
    ------
    FileNotFoundError
        If there is no checkpoint of the run; the message says how to train it.
    """
    model, training = read_checkpoint(checkpoint_path(run, folder))
    name = "tracking_" + run.rpartition("-")[0].lower().replace("-", "_")
    return MovesPlayer(name, partial(continue_games, model, training.reading))


def tracking_players(folder: Path | None = None) -> list[MovesPlayer]:
    """Return the runs trained on the most games of those whose checkpoints are kept."""
    kept = trained_checkpoints(folder)
    largest = next((size for size in "LMS" if any(run[0] == size for run in kept)), "")
    return [tracking_player(run, folder) for run in kept if run[0] == largest]


def _sequences(games: Sequence[Sequence[str]], reading: Notation) -> list[Tokens]:
    """Return BOS and the moves of each game."""
    tokens = tokenise(games)
    ids, starts = annotate(tokens, np.arange(len(tokens)), reading)
    return [ids[first : last - 1] for first, last in pairwise(starts)]


def _say(model: LanguageModel, reading: Notation, read: Sequence[Tokens]) -> list[str]:
    """Return what the model says after each sequence: type with AP, two squares, new piece."""
    said: list[list[int]] = [[] for _ in read]
    for _ in range(4 if reading == "ap" else 3):
        grown = [
            np.append(one, np.array(new, np.uint8)) for one, new in zip(read, said, strict=True)
        ]
        for new, token in zip(said, _best(predict_next(model, grown), reading), strict=True):
            new.append(int(token))
    return [_in_words(one[reading == "ap" :]) for one in said]


def _best(log_probabilities: NDArray, reading: Notation) -> NDArray:
    """Return the most probable tokens, piece types left out where none are read."""
    if reading == "uci":
        log_probabilities[:, PIECES:PROMOTIONS] = -math.inf
    return log_probabilities.argmax(axis=1)


def _in_words(tokens: Sequence[int]) -> str:
    """Return two tokens as a move; the third belongs to it only if it is a new piece."""
    promoted = tokens[2] >= PROMOTIONS
    return "".join(VOCABULARY[one] for one in tokens[: 3 if promoted else 2])
