"""Moves of games, and what each did to the oracle's 21 terms.

The change of a term is its value after the move less its value before it, both as the
oracle prints them. Stockfish 8's table is blank in endings that it judges by special rules;
such moves are marked as unknown. After a check the side to move *is* in check; Stockfish 8
prints its table all the same, so these moves stay in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import chess
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from chessgloss.oracle import TERMS
from chessgloss.positions import Game

#: What a move is first of all; the first that fits, in this order.
MoveKind = Literal["capture", "check", "castling", "pawn", "quiet"]
KINDS: tuple[str, ...] = get_args(MoveKind)

#: Games replayed by one job.
_CHUNK = 250


@dataclass(frozen=True, slots=True, eq=False)
class MoveSample:
    """Moves of games, row by row.

    Parameters
    ----------
    before, after
        FENs of the positions around the move, length ``n``.
    replied
        FENs after the game's next move too; the same as ``after`` where the game ended.
    kinds
        Shape ``(n,)``: :data:`MoveKind` of the move.
    games
        Shape ``(n,)``: index of the game in the sequence that was sampled.
    splits
        Shape ``(n,)``: the part of the one split that the game belongs to.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    replied: tuple[str, ...]
    kinds: NDArray[np.str_]
    games: NDArray[np.int32]
    splits: NDArray[np.str_]

    def __post_init__(self) -> None:
        lengths = {len(getattr(self, name)) for name in self.__slots__}
        if len(lengths) != 1:
            raise ValueError(f"every column needs one entry a move, got lengths {sorted(lengths)}")

    def __len__(self) -> int:
        return len(self.before)

    def white_to_move(self) -> NDArray[np.bool_]:
        """Return who plays each move: bool ``(n,)``."""
        return np.array([fen.split(" ", 2)[1] == "w" for fen in self.before], bool)

    def digest(self) -> str:
        """Return a hash of the positions in their order: the sample's name in a recipe."""
        text = "\n".join([*self.before, *self.after])
        return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()

    def take(self, rows: NDArray) -> MoveSample:
        """Return some moves, by row number or by a mask."""
        numbers = np.arange(len(self))[rows]
        before, after, replied = (tuple(one[row] for row in numbers) for one in self.fens())
        return MoveSample(
            before, after, replied, self.kinds[rows], self.games[rows], self.splits[rows]
        )

    def fens(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Return the three columns of FENs: before, after, replied."""
        return self.before, self.after, self.replied


@dataclass(frozen=True, slots=True, eq=False)
class TermChanges:
    """Moves with the oracle's terms before and after each.

    Parameters
    ----------
    moves
        The ``n`` moves.
    before, after
        float32 ``(n, 21)``: the terms in pawns, White's and Black's as printed, finite.
    """

    moves: MoveSample
    before: NDArray[np.float32]
    after: NDArray[np.float32]

    def __post_init__(self) -> None:
        shape = (len(self.moves), len(TERMS))
        if self.before.shape != shape or self.after.shape != shape:
            raise ValueError(f"terms must be {shape}, got {self.before.shape}, {self.after.shape}")
        if not (np.isfinite(self.before).all() and np.isfinite(self.after).all()):
            raise ValueError("terms must be finite: leave out moves whose table is blank")

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
        if (spread == 0).any():
            still = [name for name, one in zip(TERMS, spread, strict=True) if one == 0]
            raise ValueError(f"{', '.join(still)} never changes in {len(self)} moves; take more")
        return spread

    def take(self, rows: NDArray) -> TermChanges:
        """Return some moves, by row number or by a mask."""
        return TermChanges(self.moves.take(rows), self.before[rows], self.after[rows])

    def part(self, split: str) -> TermChanges:
        """Return the moves of one part of the games."""
        return self.take(self.moves.splits == split)


def kind_of(board: chess.Board, move: chess.Move) -> MoveKind:
    """Return what a legal move is first of all: a capture before a check, and so on."""
    if board.is_capture(move):
        return "capture"
    if board.gives_check(move):
        return "check"
    if board.is_castling(move):
        return "castling"
    return "pawn" if board.piece_type_at(move.from_square) == chess.PAWN else "quiet"


def give_back(fen: str) -> str:
    """Return the FEN with the other side to move and no en passant square.

    For experts that see the board from the side to move: the position after a move as the
    mover sees it. It need not be legal (the opponent may stand in check).
    """
    placement, turn, castling, _, *counters = fen.split(" ")
    return " ".join([placement, "b" if turn == "w" else "w", castling, "-", *counters])


def sample_moves(
    games: Sequence[Game], per_game: int | None, *, seed: int, jobs: int = 2
) -> MoveSample:
    """Draw up to ``per_game`` moves of each game, none from its random opening.

    Parameters
    ----------
    games
        What to draw from; the moves of a game depend on the game and ``seed`` alone.
    per_game
        How many of each; ``None`` takes all.
    """
    chunks = [range(at, min(at + _CHUNK, len(games))) for at in range(0, len(games), _CHUNK)]
    tasks = (delayed(_draw)([(k, games[k]) for k in chunk], per_game, seed) for chunk in chunks)
    rows = [row for found in Parallel(n_jobs=jobs)(tasks) for row in found]
    before, after, replied, kinds, numbers, splits = zip(*rows, strict=True) if rows else [()] * 6
    return MoveSample(
        before, after, replied,
        np.array(kinds, "U8"), np.array(numbers, np.int32), np.array(splits, "U10"),
    )  # fmt: skip


def measure_changes(
    moves: MoveSample, terms_of: Callable[[Sequence[str]], NDArray[np.float32]]
) -> TermChanges:
    """Ask the oracle for the terms around each move; leave out moves with a blank table.

    Parameters
    ----------
    moves
        The moves.
    terms_of
        Returns the terms of FENs, ``(m, 21)``, NaN where there are none. Each position is
        asked for once, though it ends one move and begins the next.
    """
    place = {fen: row for row, fen in enumerate(dict.fromkeys((*moves.before, *moves.after)))}
    values = terms_of(list(place))
    before, after = (values[[place[fen] for fen in fens]] for fens in (moves.before, moves.after))
    known = np.isfinite(before).all(axis=1) & np.isfinite(after).all(axis=1)
    rows = np.flatnonzero(known)
    return TermChanges(moves.take(rows), before[rows], after[rows])


Row = tuple[str, str, str, str, int, str]


def _draw(games: list[tuple[int, Game]], per_game: int | None, seed: int) -> list[Row]:
    return [row for number, game in games for row in _draw_game(number, game, per_game, seed)]


def _draw_game(number: int, game: Game, per_game: int | None, seed: int) -> Iterator[Row]:
    random = np.random.default_rng([seed, int(game.key, 16)])
    plies = random.permutation(np.arange(game.opening_plies, len(game.moves)))[:per_game]
    fens, kinds = _replay(game, set(plies.tolist()))
    split = game.split
    for ply, kind in kinds.items():
        after = fens[ply + 1]
        yield fens[ply], after, fens.get(ply + 2, after), kind, number, split


def _replay(game: Game, wanted: set[int]) -> tuple[dict[int, str], dict[int, MoveKind]]:
    """Return FENs at the wanted plies and the two after each, and the kinds of the moves."""
    around = {ply + step for ply in wanted for step in (0, 1, 2)}
    board, fens, kinds = chess.Board(game.root), dict[int, str](), dict[int, MoveKind]()
    for ply in range(min(max(around, default=-1), len(game.moves)) + 1):
        if ply in around:
            fens[ply] = board.fen()
        if ply < len(game.moves):
            move = chess.Move.from_uci(game.moves[ply])
            if ply in wanted:
                kinds[ply] = kind_of(board, move)
            board.push(move)
    return fens, kinds
