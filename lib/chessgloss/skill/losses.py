"""How well moves are played: centipawn loss against the engine's best."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from tqdm import tqdm

from chessgloss.positions import Game
from chessgloss.searcher import Searcher
from chessgloss.stockfish import find_stockfish

#: Evaluations are cut here before a loss is taken, so that "mate in 3 instead of mate in
#: 2" or a lost game losing more does not decide a mean. Convention of lichess.org
#: (``lila``, module ``analyse``: centipawns are capped at 1,000).
CAP = 1_000


def grade_games(
    games: Sequence[Game], *, nodes: int, processes: int = 2, progress: bool = True
) -> pd.DataFrame:
    """Return what every move of some games lost, one row a move.

    Parameters
    ----------
    games
        Whole games; their histories count, so that repetitions are seen.
    nodes
        Nodes of the one search that each position gets; before and after a move are
        searched alike.
    processes
        Engine processes. The answer does not depend on their number.

    Returns
    -------
    DataFrame
        ``game`` (index into ``games``), ``ply``, ``side`` (White or Black) and ``loss``
        (centipawns, for the mover, never negative) and ``signed`` (the same where the second
        search may also raise a value: negative then). Random opening plies are left out.
    """
    engine = find_stockfish()
    tasks = (delayed(evaluate_game)(engine, game, nodes) for game in games)
    values = Parallel(n_jobs=processes, return_as="generator")(tasks)
    bar = tqdm(values, total=len(games), unit="game", desc="grading", disable=not progress)
    frames = [_grades(number, games[number], found) for number, found in enumerate(bar)]
    return pd.concat(frames, ignore_index=True)


def evaluate_game(engine: Path, game: Game, nodes: int) -> NDArray[np.float64]:
    """Search every position of a game once; ``len(moves) + 1`` values for White, capped.

    A position in which the game is over counts as the cap against the side that is mated,
    else as 0.
    """
    with Searcher(engine) as searcher:
        values = []
        for ply in range(len(game.moves) + 1):
            found = searcher.search(game.moves[:ply], nodes=nodes, root=game.root)
            sign = 1 if game.position_turn(ply) else -1
            values.append(sign * found[0].centipawns if found else _final_value(game))
    return np.clip(np.array(values, float), -CAP, CAP)


def signed_losses(values: NDArray[np.float64], white_first: bool = True) -> NDArray[np.float64]:
    """Return what each move lost, from White's values of the positions around the moves.

    Parameters
    ----------
    values
        Shape ``(n + 1,)``: centipawns for White before each move and after the last.
    white_first
        Whether White plays the first of the ``n`` moves.

    Returns
    -------
    ndarray
        Shape ``(n,)``: the value before less the value after, for the mover. No move gains
        against the best one: where the value rises, the second search saw what the first did
        not. :func:`losses` counts 0 for such a move, and a mean of losses then holds what
        searches differ by as well; here that cancels out.
    """
    signs = np.where(np.arange(values.size - 1) % 2 == 0, 1, -1) * (1 if white_first else -1)
    return (values[:-1] - values[1:]) * signs


def losses(values: NDArray[np.float64], white_first: bool = True) -> NDArray[np.float64]:
    """Return :func:`signed_losses` with 0 for a move after which the value is higher."""
    return np.maximum(0, signed_losses(values, white_first))


def _final_value(game: Game) -> float:
    board = game.position(len(game.moves)).board()
    if not board.is_checkmate():
        return 0.0
    return -CAP if board.turn else CAP


def _grades(number: int, game: Game, values: NDArray[np.float64]) -> pd.DataFrame:
    plies = np.arange(game.opening_plies, len(game.moves))
    white = [game.position_turn(int(ply)) for ply in plies]
    signed = signed_losses(values, game.position_turn(0))[plies]
    return pd.DataFrame(
        {
            "game": number,
            "ply": plies,
            "side": np.where(white, "White", "Black"),
            "loss": np.maximum(0, signed),
            "signed": signed,
        }
    )
