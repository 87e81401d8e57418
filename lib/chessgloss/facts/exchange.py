"""What captures are worth: material, static exchange evaluation, hanging pieces.

Values are in pawns: pawn 1, knight 3, bishop 3, rook 5, queen 9; a king is never taken.

**Exchange.** A move to a square, then captures on that square alone, by turns. Each side takes
with the least valuable piece that may lawfully take (of several of one kind, the best for it)
and stops when going on would lose material. Lawful means: its own king is not left attacked.
So a pinned piece takes only along the line of its pin, a piece behind another joins in when
the way is free, and a king takes only what is not guarded. A pawn that takes on the last
rank becomes a queen. A check that stands when the *other* side has the first capture is taken
as answered: what hangs is a question about material, not about whose turn it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import chess

#: Value of each piece in pawns.
VALUES: Final[Mapping[chess.PieceType, int]] = {
    chess.PAWN: 1,
    chess.KNIGHT: 3,
    chess.BISHOP: 3,
    chess.ROOK: 5,
    chess.QUEEN: 9,
    chess.KING: 0,
}

_SQUARES = chess.BB_SQUARES
_BACK_RANKS = chess.BB_BACKRANKS
_STRAIGHT = [chess.BB_RANK_ATTACKS[s][0] | chess.BB_FILE_ATTACKS[s][0] for s in chess.SQUARES]
_DIAGONAL = [chess.BB_DIAG_ATTACKS[s][0] for s in chess.SQUARES]


@dataclass(frozen=True, slots=True)
class Capture:
    """A capture and what it brings.

    Parameters
    ----------
    from_square, to_square
        Where the capturing piece stands and goes.
    attacker, victim
        Types of the capturing and of the captured piece.
    victim_square
        Where the captured piece stands: ``to_square`` but for en passant.
    gain
        Material the capturing side has won, in pawns, when the exchange is over; negative
        if it loses.
    """

    from_square: chess.Square
    to_square: chess.Square
    attacker: chess.PieceType
    victim: chess.PieceType
    victim_square: chess.Square
    gain: int

    @property
    def move(self) -> chess.Move:
        """The capture as a move; a pawn on the last rank becomes a queen."""
        last = self.attacker == chess.PAWN and _SQUARES[self.to_square] & _BACK_RANKS
        return chess.Move(self.from_square, self.to_square, chess.QUEEN if last else None)


@dataclass(frozen=True, slots=True)
class Hanging:
    """A piece that the opponent can win.

    Parameters
    ----------
    square, piece
        Where it stands and its type.
    gain
        What the opponent's best capture of it wins, in pawns; at least 1.
    """

    square: chess.Square
    piece: chess.PieceType
    gain: int


def material(board: chess.Board, colour: chess.Color) -> int:
    """Return the material of ``colour`` in pawns."""
    own = board.occupied_co[colour]
    return (
        (board.pawns & own).bit_count()
        + 3 * ((board.knights | board.bishops) & own).bit_count()
        + 5 * (board.rooks & own).bit_count()
        + 9 * (board.queens & own).bit_count()
    )


def balance(board: chess.Board) -> int:
    """Return White's material less Black's, in pawns."""
    return material(board, chess.WHITE) - material(board, chess.BLACK)


def exchange(board: chess.Board, move: chess.Move) -> int:
    """Return what a move wins by the exchange that follows on its square, in pawns.

    The point of view is that of the piece's owner, whose turn it need not be. A quiet move
    is worth 0, or less if the moved piece can be won; a promotion counts the new piece less
    the pawn.

    Raises
    ------
    ValueError
        If there is no piece to move.
    """
    colour = board.color_at(move.from_square)
    if colour is None:
        raise ValueError(f"no piece on {chess.square_name(move.from_square)} in {board.fen()!r}")
    return Exchanges(board, colour).worth(move)


def captures(board: chess.Board, colour: chess.Color) -> tuple[Capture, ...]:
    """Return every capture that ``colour`` has, or would have if it were its turn.

    They are the legal ones on its own turn; on the opponent's, those after a pass. En
    passant counts on its own turn only. A pawn promotes to a queen. In the order of the
    squares.
    """
    return tuple(Exchanges(board, colour).captures())


def hanging(
    board: chess.Board, colour: chess.Color, taken: Iterable[Capture] | None = None
) -> tuple[Hanging, ...]:
    """Return the pieces of ``colour`` that hang, in the order of their squares.

    A piece hangs when the opponent has, or would have on its turn, a capture of it that wins
    material by exchange. A defended piece hangs if something cheaper attacks it, or if it is
    attacked oftener than defended; an undefended one if anything may take it.

    Parameters
    ----------
    board
        The position.
    colour
        Whose pieces.
    taken
        The opponent's captures, where :func:`captures` has been asked already.
    """
    best: dict[chess.Square, Hanging] = {}
    for one in captures(board, not colour) if taken is None else taken:
        known = best.get(one.victim_square)
        if one.gain > 0 and (known is None or one.gain > known.gain):
            best[one.victim_square] = Hanging(one.victim_square, one.victim, one.gain)
    return tuple(best[square] for square in sorted(best))


class Exchanges:
    """Exchanges on one board that ``colour`` begins; see :func:`exchange`.

    Parameters
    ----------
    board
        The position; it must not change meanwhile.
    colour
        Side that takes first, kept as an attribute.
    """

    __slots__ = ("_answered", "_board", "_kings", "_lines", "_strict", "colour")

    def __init__(self, board: chess.Board, colour: chess.Color) -> None:
        self._board = board
        self.colour = colour
        kings = (board.king(chess.BLACK), board.king(chess.WHITE))
        self._kings = kings
        other = kings[not colour]
        own = kings[colour]
        # Checks that stand: those on the first side bind it, those on the other are answered.
        self._answered = 0 if other is None else board.attackers_mask(colour, other)
        self._strict = own is not None and bool(board.attackers_mask(not colour, own))
        self._lines = (_aligned(board, chess.BLACK, kings), _aligned(board, chess.WHITE, kings))

    def captures(self) -> Iterator[Capture]:
        """Yield the captures that the first side has, in the order of the squares."""
        board, colour = self._board, self.colour
        enemies = board.occupied_co[not colour] & ~board.kings
        for start in chess.scan_forward(board.occupied_co[colour]):
            for target in chess.scan_forward(board.attacks_mask(start) & enemies):
                if (found := self.capture(start, target)) is not None:
                    yield found
        if board.turn == colour and board.ep_square is not None:
            yield from self._en_passant()

    def capture(self, start: chess.Square, target: chess.Square) -> Capture | None:
        """Return the capture from a square on an attacked piece; ``None`` if not lawful."""
        board = self._board
        piece = board.piece_type_at(start)
        victim = board.piece_type_at(target)
        if piece is None or victim is None:
            return None
        rest = board.occupied ^ _SQUARES[start]
        if not self._lawful(self.colour, piece, target, rest):
            return None
        return Capture(start, target, piece, victim, target, self.gain(piece, victim, target, rest))

    def gain(
        self,
        piece: chess.PieceType,
        victim: chess.PieceType,
        target: chess.Square,
        rest: chess.Bitboard,
    ) -> int:
        """Return what the first side wins when ``piece`` takes ``victim`` on ``target``.

        ``rest`` are the occupied squares after the capture, ``target`` among them.
        """
        value, bonus = _arrival(piece, target)
        return VALUES[victim] + bonus - self._reply(not self.colour, target, rest, value)

    def worth(self, move: chess.Move) -> int:
        """Return what a move of the first side wins by exchange; see :func:`exchange`."""
        board = self._board
        piece = board.piece_type_at(move.from_square)
        if piece is None or board.is_castling(move):
            return 0
        rest = board.occupied & ~_SQUARES[move.from_square] | _SQUARES[move.to_square]
        victim = board.piece_type_at(move.to_square)
        if piece == chess.PAWN and victim is None and _changes_file(move):
            rest &= ~_SQUARES[_behind(move)]
            victim = chess.PAWN
        value = VALUES[move.promotion or piece]
        start = VALUES[victim] if victim else 0
        bonus = value - 1 if move.promotion else 0
        return start + bonus - self._reply(not self.colour, move.to_square, rest, value)

    def falls(self, start: chess.Square, front: chess.Square, behind: chess.Square) -> bool:
        """Tell whether taking ``behind`` wins material once ``front`` is off the board."""
        board = self._board
        piece, victim = board.piece_type_at(start), board.piece_type_at(behind)
        if piece is None or victim is None:
            return False
        rest = board.occupied & ~_SQUARES[start] & ~_SQUARES[front]
        return self.gain(piece, victim, behind, rest) > 0

    def allows(self, move: chess.Move) -> bool:
        """Tell whether a quiet move of the first side leaves its king safe."""
        piece = self._board.piece_type_at(move.from_square)
        rest = self._board.occupied & ~_SQUARES[move.from_square] | _SQUARES[move.to_square]
        return piece is not None and self._lawful(self.colour, piece, move.to_square, rest)

    def _en_passant(self) -> Iterator[Capture]:
        for move in self._board.generate_legal_ep():
            yield Capture(
                move.from_square,
                move.to_square,
                chess.PAWN,
                chess.PAWN,
                _behind(move),
                self.worth(move),
            )

    def _reply(
        self, side: chess.Color, target: chess.Square, rest: chess.Bitboard, standing: int
    ) -> int:
        """Return what ``side`` wins on ``target``, where a piece worth ``standing`` is."""
        board = self._board
        takers = board.attackers_mask(side, target, rest) & rest & ~_SQUARES[target]
        if not takers:
            return 0
        for piece, kind in enumerate(_kinds(board), start=1):
            best: int | None = None
            for start in chess.scan_forward(takers & kind):
                after = rest ^ _SQUARES[start]
                if self._lawful(side, piece, target, after):
                    value, bonus = _arrival(piece, target)
                    gain = standing + bonus - self._reply(not side, target, after, value)
                    best = gain if best is None else max(best, gain)
            if best is not None:
                return max(best, 0)
        return 0

    def _lawful(
        self, side: chess.Color, piece: chess.PieceType, target: chess.Square, rest: chess.Bitboard
    ) -> bool:
        """Tell whether the king of ``side`` is safe once ``piece`` has taken on ``target``."""
        king = target if piece == chess.KING else self._kings[side]
        first = side == self.colour
        if king is None or not (king == target or self._lines[side] or (first and self._strict)):
            return True
        attackers = self._board.attackers_mask(not side, king, rest) & rest & ~_SQUARES[target]
        return not (attackers if first or king == target else attackers & ~self._answered)


def _aligned(
    board: chess.Board, colour: chess.Color, kings: tuple[chess.Square | None, chess.Square | None]
) -> chess.Bitboard:
    """Return the enemy's line pieces that share a line with the king of ``colour``."""
    king = kings[colour]
    if king is None:
        return 0
    straight = _STRAIGHT[king] & (board.rooks | board.queens)
    diagonal = _DIAGONAL[king] & (board.bishops | board.queens)
    return (straight | diagonal) & board.occupied_co[not colour]


def _kinds(board: chess.Board) -> tuple[chess.Bitboard, ...]:
    return (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)


def _arrival(piece: chess.PieceType, target: chess.Square) -> tuple[int, int]:
    """Return the value of a piece that arrives on a square and what promotion added."""
    if piece == chess.PAWN and _SQUARES[target] & _BACK_RANKS:
        return VALUES[chess.QUEEN], VALUES[chess.QUEEN] - VALUES[chess.PAWN]
    return VALUES[piece], 0


def _changes_file(move: chess.Move) -> bool:
    return chess.square_file(move.from_square) != chess.square_file(move.to_square)


def _behind(move: chess.Move) -> chess.Square:
    """Return the square of the pawn that is taken en passant."""
    return chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
