"""Who attacks and who defends what: pairs of pieces, and which of them only look so.

A piece *attacks* an enemy piece, and *defends* one of its own, when it would move there by
the way it moves if the rest of the rules did not forbid it; nothing may stand between. A pair
is *barred* when they do forbid it: the piece is pinned to its king and the square is off the
line of the pin, or it is the king itself and the piece it attacks is guarded. Kings are
attacked (that is a check) but not defended.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import chess

_SQUARES = chess.BB_SQUARES


@dataclass(frozen=True, slots=True)
class Pair:
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

    square: chess.Square
    piece: chess.PieceType
    target: chess.Square
    target_piece: chess.PieceType
    barred: bool


def attacks(board: chess.Board, colour: chess.Color) -> tuple[Pair, ...]:
    """Return the pairs of a piece of ``colour`` and an enemy piece that it attacks.

    In the order of the acting piece's squares, then of the target's. The enemy king counts.
    """
    return pairs(board, colour)[0]


def defences(board: chess.Board, colour: chess.Color) -> tuple[Pair, ...]:
    """Return the pairs of a piece of ``colour`` and another of its own that it defends.

    In the order of the acting piece's squares, then of the target's. The king is left out
    as a target; as a defender it counts even where it could not take back for a second
    attacker.
    """
    return pairs(board, colour)[1]


def attackers(
    board: chess.Board, colour: chess.Color, square: chess.Square, *, barred: bool = False
) -> chess.SquareSet:
    """Return the squares from which ``colour`` attacks (or defends) a square.

    Parameters
    ----------
    board
        The position.
    colour
        The acting side.
    square
        Any square, empty or not.
    barred
        Whether pieces count that are pinned to their king off the line of the pin.
    """
    found = chess.SquareSet(board.attackers_mask(colour, square))
    if barred:
        return found
    lines = pin_lines(board, colour)
    return chess.SquareSet(
        start for start in found if lines.get(start, chess.BB_ALL) & _SQUARES[square]
    )


def undefended(board: chess.Board, colour: chess.Color) -> chess.SquareSet:
    """Return the pieces of ``colour``, the king apart, that no piece of its own defends.

    A defender pinned to its king off the line of the pin does not count.
    """
    defended = {pair.target for pair in defences(board, colour) if not pair.barred}
    pieces = chess.SquareSet(board.occupied_co[colour] & ~board.kings)
    return chess.SquareSet(square for square in pieces if square not in defended)


def pin_lines(board: chess.Board, colour: chess.Color) -> dict[chess.Square, chess.Bitboard]:
    """Return, for each piece of ``colour`` pinned to its king, the squares of the pin's line."""
    king = board.king(colour)
    if king is None:
        return {}
    lines = {}
    for pinner in chess.scan_forward(line_pieces(board, not colour, king)):
        between = chess.between(pinner, king) & board.occupied
        if between.bit_count() == 1 and between & board.occupied_co[colour]:
            lines[between.bit_length() - 1] = chess.ray(pinner, king)
    return lines


def line_pieces(board: chess.Board, colour: chess.Color, square: chess.Square) -> chess.Bitboard:
    """Return the pieces of ``colour`` that would attack a square if nothing stood between."""
    straight = chess.BB_RANK_ATTACKS[square][0] | chess.BB_FILE_ATTACKS[square][0]
    diagonal = chess.BB_DIAG_ATTACKS[square][0]
    return board.occupied_co[colour] & (
        straight & (board.rooks | board.queens) | diagonal & (board.bishops | board.queens)
    )


def pairs(board: chess.Board, colour: chess.Color) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Return the :func:`attacks` and the :func:`defences` of ``colour``, found together."""
    lines = pin_lines(board, colour)
    kinds = _kinds(board)
    enemies = board.occupied_co[not colour]
    friends = board.occupied_co[colour] & ~board.kings
    hostile: list[Pair] = []
    friendly: list[Pair] = []
    for start in chess.scan_forward(board.occupied_co[colour]):
        seen = board.attacks_mask(start)
        piece = kinds[start]
        line = lines.get(start, chess.BB_ALL)
        for target in chess.scan_forward(seen & enemies):
            barred = not line & _SQUARES[target]
            if piece == chess.KING:
                barred = bool(board.attackers_mask(not colour, target))
            hostile.append(_pair(start, piece, target, kinds[target], barred))
        for target in chess.scan_forward(seen & friends):
            barred = not line & _SQUARES[target]
            friendly.append(_pair(start, piece, target, kinds[target], barred))
    return tuple(hostile), tuple(friendly)


def _kinds(board: chess.Board) -> dict[chess.Square, chess.PieceType]:
    """Return the type of the piece on each occupied square."""
    masks = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    return {
        square: kind for kind, mask in enumerate(masks, 1) for square in chess.scan_forward(mask)
    }


# The same pairs recur from position to position.
_pair = lru_cache(1 << 16)(Pair)
