"""Moves as people write them: SAN, long algebraic, UCI, castling, in strict or sloppy form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import chess

_LETTERS = {"N": 2, "B": 3, "R": 4, "Q": 5, "K": 6}

#: A written move that can be nothing else (a bare square such as ``e4`` is read elsewhere).
#: Lower-case piece letters are taken for n, r, q and k; ``b`` is the pawn's file.
MOVE_PATTERN = (
    r"(?:[O0o]-[O0o](?:-[O0o])?[+#]?(?![\w-])"
    r"|[KQRBN][a-h]?[1-8]?[x:×-]?[KQRBN]?[a-h][1-8](?:=?[QRBN])?[+#]{0,2}(?!\w)"
    r"|[kqrn][a-h]?[1-8]?[x:×]?[a-h][1-8][+#]{0,2}(?!\w)"
    r"|[KQRBN][a-h][1-8][x:×–-][a-h][1-8][+#]{0,2}(?!\w)"
    r"|[a-h][1-8][x:×–-]?[a-h][1-8](?:=?[QRBNqrbn])?[+#]{0,2}(?!\w)"
    r"|[a-h][1-8]?[x×:][a-h][1-8](?:=?[QRBN])?[+#]{0,2}(?!\w)"
    r"|[a-h][18]=?[QRBN][+#]{0,2}(?!\w)"
    r"|[a-h][18]=[qrbn][+#]{0,2}(?!\w)"
    r"|[a-h][1-8][+#]{1,2}(?!\w))"
)

_CASTLING = re.compile(r"[O0o]-[O0o](-[O0o])?([+#]?)")
_PARTS = re.compile(
    r"(?P<piece>[KQRBNkqrn])?(?P<file>[a-h])?(?P<rank>[1-8])?(?P<takes>[x:×])?[–-]?[KQRBN]?"
    r"(?P<to>[a-h][1-8])=?(?P<promotion>[QRBNqrbn])?(?P<mark>[+#]*)"
)


@dataclass(frozen=True, slots=True)
class Notation:
    """A written move, its parts as far as they are given.

    Parameters
    ----------
    piece
        Type of the piece that moves; ``None`` if the notation does not say (``g1f3``).
    to
        Square it goes to; ``None`` for castling or where only the piece is told.
    file, rank
        File and rank it comes from, if given.
    takes
        A capture is written.
    promotion
        Piece that a pawn becomes.
    castles
        ``K`` or ``Q`` for castling to that wing, ``either`` where the wing is not told.
    check, mate
        ``+`` or ``#`` is written.
    """

    piece: chess.PieceType | None = None
    to: chess.Square | None = None
    file: int | None = None
    rank: int | None = None
    takes: bool = False
    promotion: chess.PieceType | None = None
    castles: str | None = None
    check: bool = False
    mate: bool = False

    def fits(self, board: chess.Board, move: chess.Move) -> bool:
        """Tell whether a legal move of a board is one that the writing can mean.

        A written capture must be a capture; one left unwritten may be. Check signs are a
        claim of their own and not looked at.
        """
        if self.castles:
            return self._fits_castling(board, move)
        piece = board.piece_type_at(move.from_square)
        return (
            self.to in (None, move.to_square)
            and self.piece in (None, piece)
            and self.file in (None, chess.square_file(move.from_square))
            and self.rank in (None, chess.square_rank(move.from_square))
            and (self.promotion in (None, move.promotion))
            and (not self.takes or board.is_capture(move))
        )

    def _fits_castling(self, board: chess.Board, move: chess.Move) -> bool:
        if not board.is_castling(move):
            return False
        wing = "K" if chess.square_file(move.to_square) == 6 else "Q"
        return self.castles in ("either", wing)

    def moves(self, board: chess.Board) -> Iterator[chess.Move]:
        """Yield the legal moves of a board that the writing can mean."""
        to_mask = chess.BB_ALL if self.to is None else chess.BB_SQUARES[self.to]
        for move in board.generate_legal_moves(chess.BB_ALL, to_mask):
            if self.fits(board, move):
                yield move


def read_notation(text: str) -> Notation:
    """Read one written move that matches :data:`MOVE_PATTERN`, or a bare square.

    Raises
    ------
    ValueError
        If the text is no written move.
    """
    castling = _CASTLING.fullmatch(text)
    if castling:
        wing = "Q" if castling[1] else "K"
        return Notation(castles=wing, check="+" in castling[2], mate="#" in castling[2])
    parts = _PARTS.fullmatch(text)
    if parts is None:
        raise ValueError(f"{text!r} is not a written move")
    return _from_parts(parts)


def _from_parts(parts: re.Match[str]) -> Notation:
    long = parts["file"] and parts["rank"] and not parts["piece"]
    letter = (parts["piece"] or "").upper()
    return Notation(
        piece=_LETTERS.get(letter) or (None if long else chess.PAWN),
        to=chess.parse_square(parts["to"]),
        file=ord(parts["file"]) - ord("a") if parts["file"] else None,
        rank=int(parts["rank"]) - 1 if parts["rank"] else None,
        takes=bool(parts["takes"]),
        promotion=_LETTERS.get((parts["promotion"] or "").upper()),
        check="+" in parts["mark"],
        mate="#" in parts["mark"],
    )
