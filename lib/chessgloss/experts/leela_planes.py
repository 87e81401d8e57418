"""Leela's input: 112 planes of 8 x 8 for a position and the seven before it.

Planes 13i to 13i + 12, for i = 0 (now) to 7: own pawn, knight, bishop, rook, queen, king,
the opponent's six, and ones where the position occurred before. Planes 104 to 111: castling
rights (own queen's and king's side, the opponent's), ones if Black is to move, the halfmove
clock, zeros, ones. The board is always seen by the side to move: for Black the ranks are
mirrored, in all eight positions alike.

Where fewer than seven earlier positions are known, the oldest known one is repeated, unless
it is the start of a game, before which there are zeros. This is lc0's own default ("fen
only"); a pawn that the oldest position shows to have just made a double step is put back.
Source: LeelaChessZero/lc0, ``src/neural/encoder.cc``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import chess
import numpy as np

from chessgloss.positions import Position, PositionError

PLANES = 112
HISTORY = 8
_PER_POSITION = 13
_AUXILIARY = HISTORY * _PER_POSITION
_START_KEY = chess.STARTING_BOARD_FEN

#: White's six bitboards, Black's six, and 1 if the position occurred before.
Frame: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _State:
    """What the planes need of a position: eight frames, newest first, and the rest."""

    frames: list[Frame]
    white_to_move: bool
    castling: tuple[bool, ...]
    halfmove_clock: int


class Encoder:
    """Turns positions into planes; a game's positions in order cost one replay in all."""

    def __init__(self) -> None:
        self._line = _Line(chess.STARTING_FEN)

    def encode(self, positions: Sequence[str | Position]) -> np.ndarray:
        """Return planes, float32 (n, 112, 8, 8); row 0 is the mover's first rank, column 0 file a.

        Positions with moves bring their history; FENs have none (see the module's text).

        Raises
        ------
        PositionError
            If a FEN cannot be read.
        """
        return _planes([self._state(position) for position in positions])

    def _state(self, position: str | Position) -> _State:
        if isinstance(position, str) or not position.moves:
            board = _read(position if isinstance(position, str) else position.fen)
            return _state(board, [_frame(board, repeated=False)], _filler(board))
        if not self._line.leads_to(position):
            self._line = _Line(position.root)
        self._line.play(position.moves)
        return self._line.state()


class _Line:
    """A root, the moves played from it, and the frames they made."""

    def __init__(self, root: str) -> None:
        self.board = _read(root)
        self.root = root
        self.moves: tuple[str, ...] = ()
        self.seen = Counter([_key(self.board)])
        self.frames = [_frame(self.board, repeated=False)]
        self.filler = _filler(self.board)

    def leads_to(self, position: Position) -> bool:
        """Tell whether the position continues this line from the same root."""
        known = len(self.moves)
        return position.root == self.root and position.moves[:known] == self.moves

    def play(self, moves: tuple[str, ...]) -> None:
        """Play what ``moves`` has beyond the line; the record has checked that it is legal."""
        for uci in moves[len(self.moves) :]:
            self.board.push(chess.Move.from_uci(uci))
            if self.board.halfmove_clock == 0:
                self.seen.clear()
            key = _key(self.board)
            self.frames.append(_frame(self.board, repeated=self.seen[key] > 0))
            self.seen[key] += 1
        self.moves = moves

    def state(self) -> _State:
        return _state(self.board, self.frames[-HISTORY:][::-1], self.filler)


def _read(fen: str) -> chess.Board:
    try:
        return chess.Board(fen)
    except ValueError as error:
        raise PositionError(f"FEN {fen!r} cannot be read: {error}") from None


def _state(board: chess.Board, frames: list[Frame], filler: Frame) -> _State:
    us = board.turn
    rights = board.clean_castling_rights()
    sides = [
        bool(rights & chess.BB_RANKS[0 if colour == chess.WHITE else 7] & file)
        for colour in (us, not us)
        for file in (chess.BB_FILE_A, chess.BB_FILE_H)
    ]
    filled = frames + [filler] * (HISTORY - len(frames))
    return _State(filled, us == chess.WHITE, (*sides,), board.halfmove_clock)


def _frame(board: chess.Board, *, repeated: bool) -> Frame:
    kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
    return (*(kind & white for kind in kinds), *(kind & black for kind in kinds), int(repeated))


def _filler(board: chess.Board) -> Frame:
    """Return what stands before the oldest position known."""
    if board.board_fen() == _START_KEY and board.turn == chess.WHITE:
        return (0,) * _PER_POSITION
    before = board
    if board.ep_square is not None:
        before = board.copy(stack=False)
        step = 8 if board.turn == chess.WHITE else -8
        before.remove_piece_at(board.ep_square - step)
        before.set_piece_at(board.ep_square + step, chess.Piece(chess.PAWN, not board.turn))
    return _frame(before, repeated=False)


def _key(board: chess.Board) -> tuple[int | str | bool | None, ...]:
    """Return what makes two positions the same for the repetition plane."""
    passant = board.ep_square if board.has_pseudo_legal_en_passant() else None
    return (*_frame(board, repeated=False), board.turn, board.castling_rights, passant)


def _planes(states: list[_State]) -> np.ndarray:
    n = len(states)
    frames = np.array([state.frames for state in states], dtype=np.uint64)
    frames = frames.reshape(n, HISTORY, _PER_POSITION)
    black = np.array([not state.white_to_move for state in states], dtype=bool)
    bitboards = frames[:, :, :12]
    mirrored = np.roll(bitboards[black], 6, axis=2).byteswap()
    bitboards[black] = mirrored
    planes = np.zeros((n, PLANES, 64), dtype=np.float32)
    history = planes[:, :_AUXILIARY].reshape(n, HISTORY, _PER_POSITION, 64)
    history[:, :, :12] = _unpack(bitboards)
    history[:, :, 12] = frames[:, :, 12, None]
    planes[:, _AUXILIARY:] = np.stack(list(_auxiliary(states)), axis=1)[:, :, None]
    return planes.reshape(n, PLANES, 8, 8)


def _unpack(bitboards: np.ndarray) -> np.ndarray:
    """Return the 64 bits of each number, a1 first."""
    octets = np.ascontiguousarray(bitboards, dtype="<u8").view(np.uint8)
    bits = np.unpackbits(octets, axis=-1, bitorder="little")
    return bits.reshape(*bitboards.shape, 64)


def _auxiliary(states: list[_State]) -> Iterator[np.ndarray]:
    """Yield the constants of planes 104 to 111, float32 (n,) each."""
    n = len(states)
    for side in range(4):
        yield np.array([state.castling[side] for state in states], dtype=np.float32)
    yield np.array([not state.white_to_move for state in states], dtype=np.float32)
    yield np.array([state.halfmove_clock for state in states], dtype=np.float32)
    yield np.zeros(n, dtype=np.float32)
    yield np.ones(n, dtype=np.float32)
