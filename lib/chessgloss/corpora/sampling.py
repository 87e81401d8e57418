"""Positions drawn from games: few from each, so that no game speaks for many."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import chess
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from chessgloss.positions import Game

#: Games replayed by one job.
_CHUNK = 500


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

    def __post_init__(self) -> None:
        if not len(self.fens) == len(self.games) == len(self.plies):
            raise ValueError("a sample needs one game and one ply for each FEN")

    def __len__(self) -> int:
        return len(self.fens)

    def digest(self) -> str:
        """Return a hash of the FENs in their order: the sample's name in a recipe."""
        return hashlib.blake2b("\n".join(self.fens).encode(), digest_size=12).hexdigest()


def sample_positions(
    games: Sequence[Game], per_game: int, *, seed: int, jobs: int = 2
) -> PositionSample:
    """Draw up to ``per_game`` positions of each game, none from its random opening.

    The plies of a game depend on ``seed`` and the game alone, so that a longer list of
    games only adds rows. Final positions (nothing to move for) are never drawn.
    """
    chunks = [range(at, min(at + _CHUNK, len(games))) for at in range(0, len(games), _CHUNK)]
    tasks = (delayed(_draw)([games[k] for k in chunk], per_game, seed) for chunk in chunks)
    drawn = Parallel(n_jobs=jobs)(tasks)
    rows = [
        (fen, index, ply)
        for chunk, found in zip(chunks, drawn, strict=True)
        for index, game_rows in zip(chunk, found, strict=True)
        for ply, fen in game_rows
    ]
    fens, indices, plies = zip(*rows, strict=True) if rows else ((), (), ())
    return PositionSample(tuple(fens), np.array(indices, np.int32), np.array(plies, np.int32))


def _draw(games: Sequence[Game], per_game: int, seed: int) -> list[list[tuple[int, str]]]:
    return [_draw_game(game, per_game, seed) for game in games]


def _draw_game(game: Game, per_game: int, seed: int) -> list[tuple[int, str]]:
    random = np.random.default_rng([seed, int(game.key, 16)])
    plies = np.arange(game.opening_plies, len(game.moves))
    wanted = set(random.permutation(plies)[:per_game].tolist())
    board, found = chess.Board(game.root), []
    for ply in range(max(wanted, default=-1) + 1):
        if ply in wanted:
            found.append((ply, board.fen()))
        board.push(chess.Move.from_uci(game.moves[ply]))
    return found
