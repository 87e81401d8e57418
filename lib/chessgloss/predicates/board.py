"""What a position shows at a glance: attacks, pins to the king, pawns, files, the king's shelter.

A piece *attacks* an enemy piece, and *defends* one of its own, when it would move there by
the way it moves if the rest of the rules did not forbid it; nothing may stand between. A pair
is *barred* when they do forbid it: the piece is pinned to its king and the square is off the
line of the pin, or it is the king itself and the piece it attacks is guarded. Kings are
attacked (that is a check) but not defended.

Files are numbers: 0 is the a-file, 7 the h-file.
"""

from __future__ import annotations

from typing import NamedTuple

import chess
from chess import (
    Bitboard,
    Board,
    Color,
    Move,
    PieceType,
    Square,
    SquareSet,
    scan_forward,
    square_file,
    square_name,
    square_rank,
)

_SQUARES = chess.BB_SQUARES
_FILES = chess.BB_FILES


class Pair(NamedTuple):
    """A piece and another that it attacks or defends.

    Parameters
    ----------
    square, piece
        The acting piece: where it stands and its type.
    target, target_piece
        The piece it acts on.
    barred
        Whether the rules forbid the capture, or the recapture (see the module's text).
    """

    square: Square
    piece: PieceType
    target: Square
    target_piece: PieceType
    barred: bool


def attacks(board: Board, colour: Color) -> tuple[Pair, ...]:
    """Return the pairs of a piece of ``colour`` and an enemy piece that it attacks.

    In the order of the acting piece's squares, then of the target's. The enemy king counts.
    """
    return _pairs(board, colour, board.occupied_co[not colour])


def defences(board: Board, colour: Color) -> tuple[Pair, ...]:
    """Return the pairs of a piece of ``colour`` and another of its own that it defends.

    In the order of the acting piece's squares, then of the target's. The king is left out
    as a target; as a defender it counts even where it could not take back for a second
    attacker.
    """
    return _pairs(board, colour, board.occupied_co[colour] & ~board.kings)


def _pairs(board: Board, colour: Color, targets: Bitboard) -> tuple[Pair, ...]:
    pairs = []
    for start in scan_forward(board.occupied_co[colour]):
        piece = piece_on(board, start)
        line = board.pin_mask(colour, start)
        for target in scan_forward(board.attacks_mask(start) & targets):
            barred = not line & _SQUARES[target]
            if piece == chess.KING and board.occupied_co[not colour] & _SQUARES[target]:
                barred = bool(board.attackers_mask(not colour, target))
            pairs.append(Pair(start, piece, target, piece_on(board, target), barred))
    return tuple(pairs)


def piece_on(board: Board, square: Square) -> PieceType:
    """Return the type of the piece that stands on a square."""
    piece = board.piece_type_at(square)
    assert piece is not None, f"no piece on {square_name(square)} in {board.fen()!r}"
    return piece


def attackers(
    board: Board,
    colour: Color,
    square: Square,
    *,
    barred: bool = False,
) -> SquareSet:
    """Return the squares from which ``colour`` attacks (or defends) a square, empty or not.

    ``barred`` says whether pieces count that are pinned to their king off the line of the pin.
    """
    every = board.attackers(colour, square)
    if barred:
        return every
    target = _SQUARES[square]
    return SquareSet(each for each in every if board.pin_mask(colour, each) & target)


def king_of(board: Board, colour: Color) -> Square:
    """Return where the king of ``colour`` stands, as in every legal position."""
    king = board.king(colour)
    assert king is not None, (
        f"{chess.COLOR_NAMES[colour]} has no king in {board.fen()!r}"
    )
    return king


def line_pieces(board: Board, colour: Color, square: Square) -> Bitboard:
    """Return the pieces of ``colour`` that would attack a square if nothing stood between."""
    along_rank = chess.BB_RANK_ATTACKS[square][0]
    along_file = chess.BB_FILE_ATTACKS[square][0]
    straight = along_rank | along_file
    diagonal = chess.BB_DIAG_ATTACKS[square][0]
    return board.occupied_co[colour] & (
        straight & (board.rooks | board.queens)
        | diagonal & (board.bishops | board.queens)
    )


# ---------------------------------------------------------------- moves


def after_move(board: Board, move: Move) -> Board:
    """Return the board after a move, as a copy without the history before it."""
    copy = board.copy(stack=False)
    copy.push(move)
    return copy


def after_pass(board: Board) -> Board | None:
    """Return the board with the other side to move; ``None`` in check."""
    if board.is_check():
        return None
    copy = board.copy(stack=False)
    copy.turn = not copy.turn
    copy.ep_square = None
    return copy


def taken_on(board: Board, move: Move) -> Square | None:
    """Return where the piece stands that a move takes; ``None`` if it takes none."""
    if board.is_en_passant(move):
        return passed_by(move)
    return move.to_square if board.is_capture(move) else None


def passed_by(move: Move) -> Square:
    """Return the square of the pawn that is taken en passant."""
    return chess.square(square_file(move.to_square), square_rank(move.from_square))


def rook_squares(board: Board, move: Move) -> tuple[Square, Square]:
    """Return where the castling rook comes from and goes to, in standard chess."""
    start, end = (7, 5) if board.is_kingside_castling(move) else (0, 3)
    rank = square_rank(move.from_square)
    return chess.square(start, rank), chess.square(end, rank)


def moved_squares(board: Board, move: Move) -> list[Square]:
    """Return where the moved piece stands after a move; king and rook after castling."""
    rook = [rook_squares(board, move)[1]] if board.is_castling(move) else []
    return [move.to_square, *rook]


# ---------------------------------------------------------------- pawns and files


def passed(board: Board, colour: Color) -> SquareSet:
    """Return the passed pawns of ``colour``.

    A pawn is passed when no enemy pawn stands on its own or a neighbouring file on any rank
    that it has yet to cross. Pieces in its way do not matter, nor does a pawn of its own.
    """
    pawns, enemies = (
        board.pieces_mask(chess.PAWN, side) for side in (colour, not colour)
    )
    found = SquareSet()
    for pawn in scan_forward(pawns):
        ahead = _near_files(pawn) & _ranks_ahead(pawn, colour)
        if not enemies & ahead:
            found.add(pawn)
    return found


def doubled(board: Board, colour: Color) -> SquareSet:
    """Return every pawn of ``colour`` that shares its file with another of ``colour``."""
    pawns = board.pieces(chess.PAWN, colour)
    return SquareSet(s for s in pawns if len(pawns & _FILES[square_file(s)]) > 1)


def isolated(board: Board, colour: Color) -> SquareSet:
    """Return the pawns of ``colour`` that have none of their own on a neighbouring file."""
    pawns = board.pieces_mask(chess.PAWN, colour)
    alone = SquareSet()
    for pawn in scan_forward(pawns):
        own_file = _FILES[square_file(pawn)]
        beside = _near_files(pawn) & ~own_file
        if not pawns & beside:
            alone.add(pawn)
    return alone


def open_files(board: Board) -> tuple[int, ...]:
    """Return the files on which neither side has a pawn."""
    return tuple(file for file, mask in enumerate(_FILES) if not board.pawns & mask)


def half_open_files(board: Board, colour: Color) -> tuple[int, ...]:
    """Return the files on which the opponent has a pawn and ``colour`` has none."""
    own = board.pieces_mask(chess.PAWN, colour)
    enemies = board.pieces_mask(chess.PAWN, not colour)
    return tuple(
        file for file, mask in enumerate(_FILES) if enemies & mask and not own & mask
    )


def heavy_pieces(board: Board, colour: Color, file: int) -> SquareSet:
    """Return the rooks and queens of ``colour`` that stand on a file."""
    heavy = (board.rooks | board.queens) & board.occupied_co[colour]
    return SquareSet(heavy & _FILES[file])


# ---------------------------------------------------------------- kings


def shelter(board: Board, colour: Color) -> tuple[Square, tuple[Square, ...]]:
    """Return the king of ``colour`` and its own pawns that shelter it.

    They stand on its file or one beside it, one or two ranks ahead.
    """
    king = king_of(board, colour)
    pawns = board.pieces_mask(chess.PAWN, colour)
    before = pawns & _ranks_ahead(king, colour) & _near_files(king)
    rank = square_rank(king)
    near = tuple(
        pawn for pawn in scan_forward(before) if abs(square_rank(pawn) - rank) <= 2
    )
    return king, near


def _ranks_ahead(square: Square, colour: Color) -> Bitboard:
    """Return the ranks in front of a square, as ``colour`` advances, whole ranks."""
    rank = square_rank(square)
    if colour == chess.WHITE:
        return sum(chess.BB_RANKS[rank + 1 :])
    return sum(chess.BB_RANKS[:rank])


def _near_files(square: Square) -> Bitboard:
    """Return a square's file and those beside it."""
    file = square_file(square)
    return sum(_FILES[max(file - 1, 0) : file + 2])
