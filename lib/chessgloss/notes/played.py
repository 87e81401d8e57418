"""A move between its two boards, and what captures are worth around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import chess

from chessgloss.facts import listed, side_name
from chessgloss.notes.kinds import NOTES, Purpose, adjustment, choose_wording
from chessgloss.predicates import board as boards
from chessgloss.predicates.outcome import count_pieces, spelt
from chessgloss.predicates.tactics import VALUES, exchange, winning
from chessgloss.predicates.words import named

#: Worth of a side's pieces without pawns, in pawns, up to which the game is an endgame.
ENDGAME = 10

CENTRE = (chess.D4, chess.E4, chess.D5, chess.E5)


class Played:
    """A move between its two boards, and what captures are worth around it.

    Parameters
    ----------
    board
        The board before the move.
    move
        The move, legal there.
    previous
        The opponent's last move, if it is known and took something.

    Attributes
    ----------
    start, end
        Where the piece comes from and where it goes.
    piece, arrived
        Its type before and after the move, which may promote it.
    taken
        Where a piece is taken; ``None`` if none is. En passant that is not where the pawn goes.
    en_passant
        Whether a pawn is taken en passant.
    gain
        Pawns that the move wins by exchange.
    loose
        Whether the opponent can win the piece by exchange where it has gone.
    safe_piece
        Its type after the move where that is not so; ``None`` where it is.
    won_before, won
        What the mover could win by exchange before and after the move, by the square of the piece.
    lost_before, lost
        What the opponent could, after a pass before the move.
    words
        Words that wordings may use.
    """

    def __init__(
        self, board: chess.Board, move: chess.Move, previous: chess.Move | None = None
    ) -> None:
        self.before = board
        self.after = boards.after_move(board, move)
        self.move = move
        self.us = board.turn
        self.them = not board.turn
        self.start = move.from_square
        self.end = move.to_square
        self.piece = boards.piece_on(board, self.start)
        self.arrived = boards.piece_on(self.after, self.end)
        self.taken = boards.taken_on(board, move)
        self.en_passant = board.is_en_passant(move)
        self.gain = exchange(board, move)
        self.recaptures = previous is not None and self.taken == previous.to_square
        self.number = spelt(board, [move.uci()])
        self.won_before = winning(board, self.us)
        self.won = winning(self.after, self.us)
        self.lost_before = winning(board, self.them)
        self.lost = winning(self.after, self.them)
        self.loose = self.end in self.lost
        self.safe_piece = None if self.loose else self.arrived
        self.is_endgame = all(
            _army(self.after, side) <= ENDGAME for side in chess.COLORS
        )
        self.words = {
            "us": side_name(self.us),
            "them": side_name(self.them),
            "san": board.san(move),
            "to": chess.square_name(self.end),
            "piece": chess.piece_name(self.piece),
            "file": chess.FILE_NAMES[chess.square_file(self.end)],
            "promoted": chess.piece_name(move.promotion or chess.PAWN),
        }

    @property
    def key(self) -> str:
        """What wordings are chosen by: position and move."""
        return self.before.fen() + self.move.uci()

    @property
    def victim(self) -> chess.PieceType | None:
        """Type of the piece that is taken; ``None`` if none is."""
        return None if self.taken is None else boards.piece_on(self.before, self.taken)

    @property
    def target(self) -> str:
        """What is taken, in words: ``the pawn on f5 en passant``; empty if nothing is."""
        if self.taken is None:
            return ""
        way = " en passant" if self.en_passant else ""
        return named(self.before, self.taken) + way

    @property
    def castles(self) -> bool:
        """Whether the move castles."""
        return self.before.is_castling(self.move)

    @property
    def rank(self) -> int:
        """The rank of the move's end from 0, seen by the mover."""
        return chess.square_rank(self.end if self.us else chess.square_mirror(self.end))

    @property
    def new_reach(self) -> chess.SquareSet:
        """What the piece reaches from its new square and did not from its old one."""
        return self.after.attacks(self.end) & ~self.before.attacks(self.start)

    def then(self, uci: str) -> Played:
        """Return the move that answers this one."""
        taking = self.move if self.taken is not None else None
        return Played(self.after, chess.Move.from_uci(uci), taking)

    def value(self, square: chess.Square) -> int:
        """Return what the piece on a square is worth after the move, in pawns."""
        return VALUES[boards.piece_on(self.after, square)]

    def dearest(self, squares: Iterable[chess.Square]) -> list[chess.Square]:
        """Return squares by what stands on them after the move, the dearest first."""
        return sorted(squares, key=lambda square: (-self.value(square), square))

    def purpose(
        self,
        kind: str,
        squares: Sequence[chess.Square] = (),
        amount: float | None = None,
        /,
        **words: str,
    ) -> Purpose:
        """Return a purpose of the move.

        Parameters
        ----------
        kind
            Its entry in ``notes.toml``.
        squares
            What it is about; the pieces that stand there are its targets.
        amount
            What its weight is adjusted by, in the unit of its entry; ``None`` for no adjustment.
        words
            Further words for its wording.
        """
        entry = NOTES["purposes"][kind]
        names = [chess.square_name(square) for square in squares]
        pieces = [
            named(self.after, s) for s in squares if self.after.piece_type_at(s)
        ] or ["it"]
        filled = {
            **self.words,
            "targets": listed(pieces[:3]),
            "behind": pieces[-1],
            **words,
            "front": pieces[0],
            "squares": listed(names) if names else "",
        }
        clause = choose_wording(entry["say"], self.key).format(**filled)
        about = frozenset((*names, *entry.get("about", ())))
        return Purpose(kind, clause, entry["weight"] + adjustment(entry, amount), about)


def _army(board: chess.Board, side: chess.Color) -> int:
    """Return what the pieces of a side are worth without its pawns."""
    pieces = count_pieces(board, side)
    return sum(VALUES[kind] * pieces[kind] for kind in pieces if kind != chess.PAWN)
