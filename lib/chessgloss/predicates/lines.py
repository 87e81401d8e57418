"""What line pieces do along a file, rank or diagonal: pins, skewers, batteries, open lines.

Pins and skewers are found, strictly, by :func:`chessgloss.predicates.tactics.line_tactics`; what
only stands on one line in their way is arguable.
"""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import (
    Bitboard,
    Board,
    Square,
    SquareSet,
    scan_forward,
    square_distance,
    square_file,
    square_name,
    square_rank,
)

from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.attacks import through
from chessgloss.predicates.finding import Finding, before_last, last_move, men, told

_SQUARES = chess.BB_SQUARES

#: A line piece, the first man before it, and the man behind that one.
Ray = tuple[Square, Square, Square]


def rays(board: Board) -> Iterator[Ray]:
    """Yield the line pieces of both sides with two enemy men behind each other before them."""
    for colour in chess.COLORS:
        yield from tactics.lines(board, colour)


def pinned(
    board: Board,
    piece: Square,
    to: Square | None = None,
    by: Square | None = None,
    manner: str | None = None,
) -> Finding:
    """Return whether a man is pinned, to what is behind it and by whom if that is said."""
    near = False
    for pinner, front, behind in rays(board):
        if front != piece or to not in (None, behind) or by not in (None, pinner):
            continue
        near = manner is None
        king = board.piece_type_at(behind) == chess.KING
        strict = tactics.worth(board, behind) > tactics.worth(board, piece)
        if strict and manner != ("relative" if king else "absolute"):
            evidence = told(board, "{} pins {} to {}", pinner, piece, behind)
            return Finding(True, evidence)
    squares = [piece] if to is None else [piece, to]
    text = "{} is not pinned" if to is None else "{} is not pinned to {}"
    return Finding(False, told(board, text, *squares), arguable=near)


def skewer(
    board: Board,
    piece: Square,
    target: Square,
    behind: Square | None = None,
) -> Finding:
    """Return whether a piece attacks a man and, behind it, another that is worth no more."""
    for ray in rays(board):
        if ray[:2] == (piece, target) and behind in (None, ray[2]):
            evidence = told(board, "{} attacks {} and behind it {}", *ray)
            front, back = (tactics.worth(board, each) for each in ray[1:])
            return Finding(front >= back > 1, evidence, arguable=True)
    return Finding(False, told(board, "{} does not skewer {}", piece, target))


def xray(board: Board, piece: Square, target: Square) -> Finding:
    """Return whether a piece bears on a man or square through one man."""
    between = through(board, piece, target)
    if between is not None:
        text = "{} bears on {} through {}"
        return Finding(True, told(board, text, piece, target, between))
    direct = bool(board.attacks_mask(piece) & _SQUARES[target])
    evidence = told(board, "nothing stands between {} and {}", piece, target)
    return Finding(False, evidence, arguable=direct)


def battery(board: Board, piece: Square, other: Square) -> Finding:
    """Return whether two line pieces of a side back each other on a line."""
    pair = _SQUARES[piece] | _SQUARES[other]
    movers = board.bishops | board.rooks | board.queens
    friends = board.color_at(piece) == board.color_at(other)
    if not friends or pair & ~movers:
        return Finding(False, told(board, "{} and {} form no battery", piece, other))
    mutual = all(board.attacks_mask(one) & pair for one in (piece, other))
    near = through(board, piece, other) is not None
    word = "do not back"
    if mutual:
        word = "back"
    evidence = told(board, f"{{}} and {{}} {word} each other", piece, other)
    return Finding(mutual, evidence, arguable=near)


def aligned(
    board: Board,
    piece: Square,
    other: Square,
    along: str | None = None,
    clear: str | None = None,
) -> Finding:
    """Return whether two men or squares share a line, with nothing between if ``clear``."""
    files = abs(square_file(piece) - square_file(other))
    ranks = abs(square_rank(piece) - square_rank(other))
    lines = {"file": files == 0, "rank": ranks == 0, "diagonal": files == ranks}
    line = along or "line"
    if not (lines[along] if along else any(lines.values())):
        return Finding(
            False, told(board, f"{{}} and {{}} share no {line}", piece, other)
        )
    between = SquareSet(chess.between(piece, other) & board.occupied)
    if clear and between:
        text = f"{men(board, between)} stands between {{}} and {{}}"
        return Finding(False, told(board, text, piece, other))
    return Finding(True, told(board, f"{{}} and {{}} share a {line}", piece, other))


def blocks(
    board: Board,
    piece: Square,
    target: Square,
    toward: Square | None = None,
) -> Finding:
    """Return whether a man stands in the way of another, on its way to a square if that is said."""
    there = _SQUARES[piece]
    kind = board.piece_type_at(target)
    colour = bool(board.color_at(target))
    reached = bool(board.attacks_mask(target) & there)
    if toward is not None:
        stands = bool(chess.between(target, toward) & there)
        arguable = False
    elif kind == chess.PAWN:
        ahead = (piece - target) // (8 if colour else -8)
        same_file = square_file(piece) == square_file(target)
        stands = same_file and ahead == 1
        arguable = same_file and ahead == 2
    elif kind in (chess.BISHOP, chess.ROOK, chess.QUEEN):
        stands = reached
        bears = boards.line_pieces(board, colour, piece)
        arguable = bool(bears & _SQUARES[target])
    else:
        stands = False
        arguable = reached or square_distance(piece, target) <= 1
    word = "stands" if stands else "does not stand"
    evidence = told(board, f"{{}} {word} in the way of {{}}", piece, target)
    return Finding(stands, evidence, arguable=arguable and not stands)


# ---------------------------------------------------------------- what a move opens


def opens(
    board: Board,
    piece: Square | None = None,
    target: Square | None = None,
    file: str | None = None,
) -> Finding:
    """Return whether the last move opened a file, or a line of a piece that did not move."""
    move = last_move(board)
    if move is None:
        return Finding(None, "what was played before is not known")
    column = chess.BB_ALL
    if file is not None:
        column = chess.BB_FILES[chess.FILE_NAMES.index(file)]
        if piece is None or not _SQUARES[piece] & column:
            return _opens_file(board, column, f"the {file}-file")
    if target is not None:
        column = _SQUARES[target]
    for square, new in _opened(before_last(board), board):
        if piece in (None, square) and new & column:
            reached = SquareSet(new & column).pop()
            text = f"{{}} now reaches {square_name(reached)}"
            return Finding(True, told(board, text, square))
    whose = "another piece" if piece is None else "{}"
    text = f"the move opens no line for {whose}"
    return Finding(False, told(board, text, *([] if piece is None else [piece])))


def _opened(start: Board, board: Board) -> Iterator[tuple[Square, Bitboard]]:
    """Yield the pieces of the mover that reach squares they did not reach, and those squares."""
    own = start.occupied_co[start.turn]
    gone = own & ~board.occupied
    for square in scan_forward(own & board.occupied_co[start.turn] & ~board.pawns):
        reach = board.attacks_mask(square)
        new = reach & ~start.attacks_mask(square)
        new |= reach & gone
        if new and square != board.peek().to_square:
            yield square, new


def _opens_file(board: Board, column: Bitboard, name: str) -> Finding:
    left = board.pawns & column
    went = before_last(board).pawns & column & ~board.pawns
    if not went:
        start = board.peek().from_square
        leaves = start in SquareSet(column)
        return Finding(False, f"no pawn leaves {name}", arguable=leaves)
    if not left:
        return Finding(True, f"{name} has no pawns any more")
    whites = left & board.occupied_co[chess.WHITE]
    half = whites in (0, left)
    return Finding(half, f"pawns still stand on {name}", arguable=True)
