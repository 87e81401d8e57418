"""Kings: checks and mates, the squares they can go to, castling."""

from __future__ import annotations

import chess

from chessgloss.predicates import board as boards
from chessgloss.predicates.attacks import Number, man, men
from chessgloss.predicates.finding import Finding, last_move, legal_moves
from chessgloss.predicates.words import listed, side_name

_CENTRE = (chess.FILE_NAMES.index("d"), chess.FILE_NAMES.index("e"))


def check(
    board: chess.Board,
    side: chess.Color | None = None,
    by: chess.Square | None = None,
    manner: str | None = None,
) -> Finding:
    """Return whether the king of a side (of either) stands in check."""
    sides = chess.COLORS if side is None else [side]
    for colour in sides:
        checkers = board.attackers(not colour, boards.king_of(board, colour))
        if not checkers:
            continue
        evidence = f"{men(board, checkers)} gives check to {side_name(colour)}"
        given = by is None or by in checkers
        if given and _is_given_so(board, checkers, manner):
            return Finding(True, evidence)
        return Finding(False, evidence)
    whose = "no king" if side is None else f"{side_name(side)}'s king"
    return Finding(False, f"{whose} is {'not ' if side is not None else ''}in check")


def _is_given_so(
    board: chess.Board, checkers: chess.SquareSet, manner: str | None
) -> bool:
    if manner == "double":
        return len(checkers) > 1
    last = last_move(board)
    return manner is None or last is None or bool(checkers - {last.to_square})


def checkmate(
    board: chess.Board,
    side: chess.Color | None = None,
    by: chess.Square | None = None,
    manner: str | None = None,
) -> Finding:
    """Return whether a side is checkmated; on its back rank, or smothered, if that is said."""
    mated = board.is_checkmate() and side in (None, board.turn)
    if not mated:
        return Finding(False, f"{side_name(board.turn)} is not checkmated")
    king = boards.king_of(board, board.turn)
    checkers = board.checkers()
    evidence = f"{men(board, checkers)} mates {man(board, king)}"
    if by is not None and by not in checkers:
        return Finding(False, evidence)
    home = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
    heavy = board.checkers_mask() & (board.rooks | board.queens) & home
    beside = chess.BB_KING_ATTACKS[king] & ~board.occupied_co[board.turn]
    knight = board.checkers_mask() & board.knights
    so = {
        "back_rank": bool(heavy and home & chess.BB_SQUARES[king]),
        "smothered": bool(knight) and not beside,
    }
    return Finding(manner is None or so[manner], evidence, arguable=manner is not None)


def stalemate(board: chess.Board, side: chess.Color | None = None) -> Finding:
    """Return whether a side, or the side to move, is stalemated."""
    moves = legal_moves(board)
    if board.is_stalemate() and side in (None, board.turn):
        return Finding(True, f"{side_name(board.turn)} has no legal move")
    if board.is_check():
        return Finding(False, f"{side_name(board.turn)} is in check")
    first = board.san(moves[0]) if moves else "nothing"
    return Finding(False, f"{side_name(board.turn)} can play {first}")


def flight(
    board: chess.Board,
    side: chess.Color,
    square: chess.Square | None = None,
    number: Number | None = None,
) -> Finding:
    """Return whether the king of a side can go to a square, to so many, or to any."""
    king = boards.king_of(board, side)
    moves = legal_moves(board, side)
    ends = {
        move.to_square
        for move in moves
        if move.from_square == king and not board.is_castling(move)
    }
    names = [chess.square_name(each) for each in sorted(ends)]
    evidence = f"{man(board, king)} can go to {listed(names) if names else 'no square'}"
    if square is not None:
        return Finding(square in ends, evidence)
    return Finding(len(ends) in number if number is not None else bool(ends), evidence)


# ---------------------------------------------------------------- castling


def castling_right(
    board: chess.Board, side: chess.Color, wing: str | None = None
) -> Finding:
    """Return whether a side has not lost the right to castle (on a wing, if one is said)."""
    rights = {
        "kingside": board.has_kingside_castling_rights(side),
        "queenside": board.has_queenside_castling_rights(side),
    }
    has = rights[wing] if wing else any(rights.values())
    where = f" {wing}" if wing else ""
    word = "has" if has else "has lost"
    return Finding(has, f"{side_name(side)} {word} the right to castle{where}")


def castled(board: chess.Board, side: chess.Color, wing: str | None = None) -> Finding:
    """Return whether a side has castled, as far as its king's place and rights can tell."""
    king = boards.king_of(board, side)
    evidence = f"{man(board, king)} stands there"
    home = chess.E1 if side else chess.E8
    if any(move == chess.Move(home, king) for move in _castling_moves(board)):
        return Finding(wing in (None, _wing_of(king)), evidence)
    near_home = chess.square_rank(king) in ((0, 1) if side else (7, 6))
    central = chess.square_file(king) in _CENTRE
    if board.has_castling_rights(side) or (central and near_home):
        return Finding(False, f"{evidence}, where no castling leads")
    if near_home and wing not in (None, _wing_of(king)):
        return Finding(False, evidence)
    return Finding(near_home, evidence, arguable=not _is_castled_place(board, king))


def _is_castled_place(board: chess.Board, king: chess.Square) -> bool:
    """Return whether a king stands as castling leaves it, with no rook in the corner beyond."""
    side = bool(board.color_at(king))
    home = chess.BB_RANK_1 if side else chess.BB_RANK_8
    beyond = chess.BB_FILE_H if _wing_of(king) == "kingside" else chess.BB_FILE_A
    corner = home & beyond & board.rooks & board.occupied_co[side]
    return bool(chess.BB_SQUARES[king] & home & ~beyond) and not corner


def _castling_moves(board: chess.Board) -> list[chess.Move]:
    """Return the moves known to have been played that go two squares from a king's square."""
    starts = (chess.E1, chess.E8)
    return [
        move
        for move in board.move_stack
        if move.from_square in starts and abs(move.from_square - move.to_square) == 2
    ]


def _wing_of(square: chess.Square) -> str:
    return "kingside" if chess.square_file(square) > _CENTRE[1] - 1 else "queenside"
