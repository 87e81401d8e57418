"""Kings: checks and mates, the squares they can go to, castling."""

from __future__ import annotations

import chess
from chess import (
    Board,
    Color,
    Move,
    Square,
    SquareSet,
    square_distance,
    square_file,
    square_rank,
)

from chessgloss.predicates import board as boards
from chessgloss.predicates.attacks import SOME, Number, listed_squares, moves_of
from chessgloss.predicates.finding import (
    Finding,
    last_move,
    legal_moves,
    men,
    sans,
    told,
)
from chessgloss.predicates.words import side_name

_SQUARES = chess.BB_SQUARES


def check(
    board: Board,
    side: Color | None = None,
    by: Square | None = None,
    manner: str | None = None,
) -> Finding:
    """Return whether the king of a side (of either) stands in check."""
    for colour in chess.COLORS if side is None else [side]:
        checkers = board.attackers(not colour, boards.king_of(board, colour))
        if checkers:
            evidence = f"{men(board, checkers)} gives check to {side_name(colour)}"
            given = by is None or by in checkers
            return Finding(given and _is_given_so(board, checkers, manner), evidence)
    whose = "neither king" if side is None else f"{side_name(side)}'s king"
    return Finding(False, f"nothing gives check to {whose}")


def _is_given_so(board: Board, checkers: SquareSet, manner: str | None) -> bool:
    if manner == "double":
        return len(checkers) > 1
    last = last_move(board)
    return manner is None or last is None or bool(checkers - {last.to_square})


def checkmate(
    board: Board,
    side: Color | None = None,
    by: Square | None = None,
    manner: str | None = None,
) -> Finding:
    """Return whether a side is checkmated; on its back rank, or smothered, if that is said."""
    if not board.is_checkmate() or side not in (None, board.turn):
        return Finding(False, f"{side_name(board.turn)} is not checkmated")
    king = boards.king_of(board, board.turn)
    checkers = board.checkers()
    evidence = told(board, f"{men(board, checkers)} mates {{}}", king)
    if by is not None and by not in checkers:
        return Finding(False, evidence)
    if manner is None:
        return Finding(True, evidence)
    home = chess.BB_BACKRANKS & chess.BB_RANKS[square_rank(king)]
    beside = chess.BB_KING_ATTACKS[king] & ~board.occupied_co[board.turn]
    so = {
        "back_rank": bool(checkers & (board.rooks | board.queens) & home),
        "smothered": bool(checkers & board.knights) and not beside,
    }
    return Finding(so[manner], evidence, arguable=True)


def stalemate(board: Board, side: Color | None = None) -> Finding:
    """Return whether a side, or the side to move, is stalemated."""
    name = side_name(board.turn)
    if board.is_stalemate() and side in (None, board.turn):
        return Finding(True, f"{name} has no legal move")
    if board.is_check():
        return Finding(False, f"{name} is in check")
    return Finding(False, f"{name} can play {sans(board, legal_moves(board))}")


def flight(
    board: Board,
    side: Color,
    square: Square | None = None,
    number: Number = SOME,
) -> Finding:
    """Return whether the king of a side can go to a square, to so many, or to any."""
    king = boards.king_of(board, side)
    steps = [move for move in moves_of(board, king) if not board.is_castling(move)]
    ends = {move.to_square for move in steps}
    evidence = told(board, f"{{}} can go to {listed_squares(ends)}", king)
    if square is not None:
        return Finding(square in ends, evidence)
    return Finding(len(ends) in number, evidence)


# ---------------------------------------------------------------- castling


def castling_right(board: Board, side: Color, wing: str | None = None) -> Finding:
    """Return whether a side has not lost the right to castle (on a wing, if one is said)."""
    rights = {
        "kingside": board.has_kingside_castling_rights(side),
        "queenside": board.has_queenside_castling_rights(side),
    }
    has = rights[wing] if wing else any(rights.values())
    word = "may still castle" if has else "may no longer castle"
    return Finding(has, f"{side_name(side)} {word} {wing or ''}".rstrip())


def castled(board: Board, side: Color, wing: str | None = None) -> Finding:
    """Return whether a side has castled, as far as its king's place and rights can tell."""
    king = boards.king_of(board, side)
    evidence = told(board, "{} stands there", king)
    there = (
        "kingside" if square_file(king) > chess.FILE_NAMES.index("d") else "queenside"
    )
    right_wing = wing in (None, there)
    home = chess.E1 if side else chess.E8
    if Move(home, king) in board.move_stack and abs(king - home) == 2:
        return Finding(right_wing, evidence)
    near = square_distance(king, chess.square(square_file(king), home // 8)) < 2
    central = _SQUARES[king] & (chess.BB_FILE_D | chess.BB_FILE_E)
    if board.has_castling_rights(side) or (near and (central or not right_wing)):
        return Finding(False, evidence)
    beyond = chess.BB_FILE_H if there == "kingside" else chess.BB_FILE_A
    corner = beyond & chess.BB_BACKRANKS & chess.BB_RANKS[home // 8]
    rook = corner & board.rooks & board.occupied_co[side]
    usual = king // 8 == home // 8 and not _SQUARES[king] & beyond and not rook
    return Finding(near, evidence, arguable=not usual)
