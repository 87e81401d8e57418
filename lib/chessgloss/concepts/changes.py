"""Moves of games, the change of the oracle's 21 terms by each, and a move's concepts by rank.

The change of a term is its value after the move less its value before it, both as the
oracle prints them. Stockfish 8's table is blank in endings that it judges by special rules;
such moves are left out. After a check the side to move *is* in check; Stockfish 8
prints its table all the same, so these moves stay in.

Moves are a frame, one row a move: ``before``, ``after`` (FENs around it), ``replied`` (FEN after
the game's next move too; the same as ``after`` where the game ended), ``kind`` (a
:data:`MoveKind`), ``game`` (its place in the sequence that was sampled) and ``split``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import chess
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from chessgloss.corpora.samples import draw_plies
from chessgloss.oracle import TERMS, evaluate_terms, stockfish8
from chessgloss.positions import Game, text_digest
from chessgloss.store import Store

#: What a move is first of all; the first that fits, in this order.
MoveKind = Literal["capture", "check", "castling", "pawn", "quiet"]
KINDS: tuple[str, ...] = get_args(MoveKind)

#: What the labels come from, in words that name the version: part of every recipe.
ORACLE = "Stockfish 8, npm 8.0.0"


@dataclass(frozen=True, slots=True, eq=False)
class TermChanges:
    """Moves with the oracle's terms before and after each.

    Parameters
    ----------
    moves
        The ``n`` moves, a frame.
    before, after
        float32 ``(n, 21)``: the terms in pawns, White's and Black's as printed, finite.
    """

    moves: pd.DataFrame
    before: NDArray[np.float32]
    after: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.moves)

    @property
    def changes(self) -> NDArray[np.float32]:
        """Terms after less terms before, in pawns: float32 ``(n, 21)``."""
        return self.after - self.before

    def spread(self) -> NDArray[np.float32]:
        """Return the standard deviation of each term's change over these moves, ``(21,)``.

        Raises
        ------
        ValueError
            If a term never changes here: it has no unit then; take more moves.
        """
        spread = self.changes.std(axis=0)
        if still := [TERMS[k] for k in np.flatnonzero(spread == 0)]:
            raise ValueError(
                f"{', '.join(still)} never changes in {len(self)} moves; take more"
            )
        return spread

    def take(self, rows: NDArray) -> TermChanges:
        """Return some moves, by row number or by a mask."""
        numbers = np.arange(len(self))[rows]
        moves = self.moves.iloc[numbers].reset_index(drop=True)
        return TermChanges(moves, self.before[numbers], self.after[numbers])

    def part(self, split: str) -> TermChanges:
        """Return the moves of one part of the games."""
        return self.take((self.moves["split"] == split).to_numpy())


def kind_of(board: chess.Board, move: chess.Move) -> MoveKind:
    """Return the kind of a legal move, the first that fits: a capture before a check, and so on."""
    if board.is_capture(move):
        return "capture"
    if board.gives_check(move):
        return "check"
    if board.is_castling(move):
        return "castling"
    return "pawn" if board.piece_type_at(move.from_square) == chess.PAWN else "quiet"


def sample_moves(
    games: Sequence[Game], per_game: int | None, *, seed: int, jobs: int = 2
) -> pd.DataFrame:
    """Draw up to ``per_game`` moves of each game, none from its random opening.

    Parameters
    ----------
    games
        What to draw from; the moves of a game depend on the game and ``seed`` alone.
    per_game
        How many of each; ``None`` takes all.

    Returns
    -------
    DataFrame
        ``before``, ``after``, ``replied``, ``kind``, ``game``, ``split``.
    """
    tasks = (
        delayed(_draw)(number, game, per_game, seed)
        for number, game in enumerate(games)
    )
    drawn = Parallel(n_jobs=jobs)(tasks)
    columns = ["before", "after", "replied", "kind", "game", "split"]
    return pd.DataFrame([row for rows in drawn for row in rows], columns=columns)


def move_keys(moves: pd.DataFrame) -> NDArray[np.uint64]:
    """Return a number for each move that depends on the positions around it alone."""
    texts = (moves["before"] + "|" + moves["after"]).tolist()
    digests = (hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def measure_changes(moves: pd.DataFrame, store: Store) -> TermChanges:
    """Ask Stockfish 8 for the terms around each move; leave out moves with a blank table.

    Each position is asked for once, though it ends one move and begins the next; what the
    store holds is not asked for again.
    """
    fens, before, after = distinct_positions(moves)
    recipe = {"fens": text_digest("\n".join(fens), 12), "oracle": ORACLE}
    values = store.fetch("change_terms", recipe, lambda: {"values": ask_oracle(fens)})[
        "values"
    ]
    known = np.isfinite(values).all(axis=1)
    measured = TermChanges(moves, values[before], values[after])
    return measured.take(known[before] & known[after])


def distinct_positions(
    moves: pd.DataFrame,
) -> tuple[list[str], NDArray[np.intp], NDArray[np.intp]]:
    """Return the FENs around moves, each once, and the places of each move's two among them."""
    rows, fens = pd.factorize(pd.concat([moves["before"], moves["after"]]))
    before, after = np.split(rows, 2)
    return fens.tolist(), before, after


def ask_oracle(fens: Sequence[str]) -> NDArray[np.float32]:
    """Return Stockfish 8's 21 terms of positions, ``(n, 21)``, NaN where its table is blank."""
    return evaluate_terms(fens, stockfish8(), progress=False).middlegame


def _draw(number: int, game: Game, per_game: int | None, seed: int) -> list[tuple]:
    drawn = draw_plies(game, per_game, seed)
    rows = []
    fens = game.fens_at({ply + step for ply in drawn for step in (0, 1, 2)})
    for ply in sorted(drawn):
        move = chess.Move.from_uci(game.moves[ply])
        kind = kind_of(chess.Board(fens[ply]), move)
        after = fens[ply + 1]
        replied = fens.get(ply + 2, fens[ply + 1])
        rows.append((fens[ply], after, replied, kind, number, game.split))
    return rows
