"""How well moves are played: centipawn loss against the engine's best."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from chessgloss.engine import CAP, MATE, Engine, centipawn_loss, find_stockfish
from chessgloss.positions import Game


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
    tasks = (delayed(search_values)(engine, game, nodes) for game in games)
    values = Parallel(n_jobs=processes, return_as="generator")(tasks)
    bar = tqdm(values, total=len(games), unit="game", desc="grading", disable=not progress)
    frames = [_grades(number, games[number], found) for number, found in enumerate(bar)]
    return pd.concat(frames, ignore_index=True)


def search_values(engine: Path, game: Game, nodes: int) -> NDArray[np.int64]:
    """Search every position of a game once: ``(len(moves) + 1,)``, for White, uncut.

    Values are centipawns, mate in n is 10,000 - n; a finished game counts as 10,000 against
    the side that is mated, else as 0.
    """
    values = []
    with Engine(engine, hash_mb=2) as process:
        for ply in range(len(game.moves) + 1):
            lines = process.search(game.moves[:ply], nodes=nodes, root=game.root)
            mated = not lines and game.position(ply).board().is_checkmate()
            value = lines[0].centipawns if lines else -MATE * mated
            values.append(value if game.position_turn(ply) else -value)
    return np.array(values)


def losses(
    values: ArrayLike, white_first: bool = True, *, cap: float | None = CAP, floor: float = 0
) -> NDArray[np.float64]:
    """Return what each move lost, from White's values of the positions around the moves.

    Parameters
    ----------
    values
        Shape ``(n + 1,)``: centipawns for White before each move and after the last.
    white_first
        Whether White plays the first of the ``n`` moves.
    cap, floor
        As for :func:`chessgloss.engine.centipawn_loss`. No move gains against the best one:
        where the value rises, the second search saw what the first did not. With a floor of 0
        a mean of losses holds what searches differ by as well; without one that cancels out.

    Returns
    -------
    ndarray
        Shape ``(n,)``: the value before less the value after, for the mover.
    """
    white = np.asarray(values)
    signs = np.where(np.arange(white.size - 1) % 2 == 0, 1, -1) * (1 if white_first else -1)
    return centipawn_loss(white[:-1] * signs, white[1:] * signs, cap=cap, floor=floor)


def _grades(number: int, game: Game, values: NDArray[np.int64]) -> pd.DataFrame:
    plies = np.arange(game.opening_plies, len(game.moves))
    white = [game.position_turn(int(ply)) for ply in plies]
    signed = losses(values, game.position_turn(0), floor=-np.inf)[plies]
    return pd.DataFrame(
        {
            "game": number,
            "ply": plies,
            "side": np.where(white, "White", "Black"),
            "loss": np.maximum(0, signed),
            "signed": signed,
        }
    )
