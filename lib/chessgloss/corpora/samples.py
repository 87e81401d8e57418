"""Positions drawn from games, few from each, and the counts of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from chessgloss.positions import Game, text_digest

#: Values in pawns, the usual 1, 3, 3, 5, 9.
_VALUES = {
    "P": 1,
    "N": 3,
    "B": 3,
    "R": 5,
    "Q": 9,
    "p": -1,
    "n": -3,
    "b": -3,
    "r": -5,
    "q": -9,
}


@dataclass(frozen=True, slots=True)
class PositionSample:
    """Positions and the games they come from, row by row.

    Parameters
    ----------
    fens
        FEN of each position, length ``n``.
    games
        Shape ``(n,)``: index of the game in the sequence that was sampled.
    plies
        Shape ``(n,)``: plies played before the position.
    """

    fens: tuple[str, ...]
    games: NDArray[np.int32]
    plies: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.fens)

    def digest(self) -> str:
        """Return a hash of the FENs in their order: the sample's name in a recipe."""
        return text_digest("\n".join(self.fens), 12)


def sample_positions(
    games: Sequence[Game], per_game: int, *, seed: int, jobs: int = 2
) -> PositionSample:
    """Draw up to ``per_game`` positions of each game, none from its random opening.

    The plies of a game depend on ``seed`` and the game alone, so that a longer list of
    games only adds rows. Final positions (nothing to move for) are never drawn.
    """
    drawn = Parallel(n_jobs=jobs)(
        delayed(_draw)(game, per_game, seed) for game in games
    )
    return PositionSample(
        tuple(fen for rows in drawn for _, fen in rows),
        np.repeat(np.arange(len(games), dtype=np.int32), [len(rows) for rows in drawn]),
        np.array([ply for rows in drawn for ply, _ in rows], np.int32),
    )


def _draw(game: Game, per_game: int, seed: int) -> list[tuple[int, str]]:
    """Draw (ply, FEN) from a game."""
    return list(game.fens_at(draw_plies(game, per_game, seed)).items())


def draw_plies(game: Game, most: int | None, seed: int) -> set[int]:
    """Draw up to ``most`` plies of a game (``None`` takes all), none from its random opening."""
    random = np.random.default_rng([seed, int(game.key, 16)])
    plies = np.arange(game.opening_plies, len(game.moves))
    return set(random.permutation(plies)[:most].tolist())


# ---------------------------------------------------------------- what a position is like


def material(fen: str) -> int:
    """Return White's material less Black's, in pawns (1, 3, 3, 5, 9)."""
    return sum(_VALUES.get(symbol, 0) for symbol in fen.split(" ", 1)[0])
