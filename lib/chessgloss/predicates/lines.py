"""What line pieces do along a file, rank or diagonal: pins, skewers, batteries, open lines.

Pins and skewers are found, strictly, by :func:`chessgloss.predicates.tactics.line_tactics`; what
only stands on one line in their way is arguable.
"""

from __future__ import annotations

from collections.abc import Iterator

import chess

from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.attacks import man, men, through
from chessgloss.predicates.finding import Finding, before_last, either, last_move

#: A line piece, the first man before it, and the man behind that one.
Ray = tuple[chess.Square, chess.Square, chess.Square]


def rays(board: chess.Board) -> Iterator[Ray]:
    """Yield the line pieces of both sides with two enemy men behind each other before them."""
    for colour in chess.COLORS:
        yield from tactics.lines(board, colour)


def pinned(
    board: chess.Board,
    piece: chess.Square,
    to: chess.Square | None = None,
    by: chess.Square | None = None,
    manner: str | None = None,
) -> Finding:
    """Return whether a man is pinned, to what is behind it and by whom if that is said."""
    name = man(board, piece)
    found = [
        (pinner, behind)
        for pinner, front, behind in rays(board)
        if front == piece and to in (None, behind) and by in (None, pinner)
    ]
    for pinner, behind in found:
        king = board.piece_type_at(behind) == chess.KING
        strict = tactics.worth(board, behind) > tactics.worth(board, piece)
        if strict and manner != ("relative" if king else "absolute"):
            evidence = f"{man(board, pinner)} pins {name} to {man(board, behind)}"
            return Finding(True, evidence)
    wanted = f" to {man(board, to)}" if to is not None else ""
    near = bool(found) and manner is None
    return Finding(False, f"{name} is not pinned{wanted}", arguable=near)


def skewer(
    board: chess.Board,
    piece: chess.Square,
    target: chess.Square,
    behind: chess.Square | None = None,
) -> Finding:
    """Return whether a piece attacks a man and, behind it, another that is worth no more."""
    for start, front, back in rays(board):
        if (start, front) == (piece, target) and behind in (None, back):
            names = [man(board, each) for each in (piece, front, back)]
            evidence = f"{names[0]} attacks {names[1]} and behind it {names[2]}"
            worth = tactics.worth(board, front), tactics.worth(board, back)
            return Finding(worth[0] >= worth[1] > 1, evidence, arguable=True)
    evidence = f"{man(board, piece)} does not skewer {man(board, target)}"
    return Finding(False, evidence)


def xray(board: chess.Board, piece: chess.Square, target: chess.Square) -> Finding:
    """Return whether a piece bears on a man or square through one man."""
    between = through(board, piece, target)
    direct = bool(board.attacks_mask(piece) & chess.BB_SQUARES[target])
    names = man(board, piece), man(board, target)
    if between is not None:
        return Finding(
            True, f"{names[0]} bears on {names[1]} through {man(board, between)}"
        )
    if direct:
        return Finding(False, f"{names[0]} attacks {names[1]} directly", arguable=True)
    return Finding(False, f"{names[0]} does not bear on {names[1]}")


def battery(board: chess.Board, piece: chess.Square, other: chess.Square) -> Finding:
    """Return whether two line pieces of a side back each other on a line."""
    names = f"{man(board, piece)} and {man(board, other)}"
    pair = chess.BB_SQUARES[piece] | chess.BB_SQUARES[other]
    movers = board.bishops | board.rooks | board.queens
    if board.color_at(piece) != board.color_at(other) or pair & ~movers:
        return Finding(False, f"{names} form no battery")
    seen = board.attacks_mask(piece) & chess.BB_SQUARES[other]
    mutual = bool(seen and board.attacks_mask(other) & chess.BB_SQUARES[piece])
    near = through(board, piece, other) is not None
    return either(
        mutual, f"{names} back each other", f"{names} form no battery", arguable=near
    )


def aligned(
    board: chess.Board,
    piece: chess.Square,
    other: chess.Square,
    along: str | None = None,
    clear: str | None = None,
) -> Finding:
    """Return whether two men or squares share a line, with nothing between if ``clear``."""
    files = abs(chess.square_file(piece) - chess.square_file(other))
    ranks = abs(chess.square_rank(piece) - chess.square_rank(other))
    lines = {"file": files == 0, "rank": ranks == 0, "diagonal": files == ranks}
    names = f"{man(board, piece)} and {man(board, other)}"
    shared = lines[along] if along else any(lines.values())
    if not shared:
        return Finding(False, f"{names} share no {along or 'line'}")
    between = chess.SquareSet(chess.between(piece, other) & board.occupied)
    if clear and between:
        return Finding(False, f"{men(board, between)} stands between {names}")
    return Finding(True, f"{names} share a {along or 'line'}")


def blocks(
    board: chess.Board,
    piece: chess.Square,
    target: chess.Square,
    toward: chess.Square | None = None,
) -> Finding:
    """Return whether a man stands in the way of another, on its way to a square if that is said."""
    there = chess.BB_SQUARES[piece]
    names = man(board, piece), man(board, target)
    arguable = False
    if toward is not None:
        stands = bool(chess.between(target, toward) & there)
    elif board.piece_type_at(target) == chess.PAWN:
        step = 8 if board.color_at(target) else -8
        stands = piece == target + step
        arguable = piece == target + 2 * step
    elif board.piece_type_at(target) in (chess.BISHOP, chess.ROOK, chess.QUEEN):
        stands = bool(board.attacks_mask(target) & there)
        arguable = (
            chess.BB_SQUARES[target]
            & boards.line_pieces(board, bool(board.color_at(target)), piece)
            > 0
        )
    else:
        stands = False
        near = chess.square_distance(piece, target) <= 1
        arguable = near or bool(board.attacks_mask(target) & there)
    yes = f"{names[0]} stands in the way of {names[1]}"
    no = f"{names[0]} does not stand in the way of {names[1]}"
    return either(stands, yes, no, arguable=arguable)


# ---------------------------------------------------------------- what a move opens


def opens(
    board: chess.Board,
    piece: chess.Square | None = None,
    target: chess.Square | None = None,
    file: str | None = None,
) -> Finding:
    """Return whether the last move opened a file, or a line of a piece that did not move."""
    move = last_move(board)
    if move is None:
        return Finding(None, "what was played before is not known")
    start = before_last(board)
    column = (
        chess.BB_ALL if file is None else chess.BB_FILES[chess.FILE_NAMES.index(file)]
    )
    if file is not None and (piece is None or not chess.BB_SQUARES[piece] & column):
        return _opens_file(start, board, file)
    side = start.turn
    opened = [
        (square, chess.SquareSet(new))
        for square, new in _opened(start, board, side)
        if piece in (None, square)
        and square != move.to_square
        and (new & column if target is None else new & chess.BB_SQUARES[target])
    ]
    if opened:
        square, new = opened[0]
        reached = chess.square_name(target if target is not None else new.pop())
        return Finding(True, f"{man(board, square)} now reaches {reached}")
    if piece is None:
        return Finding(False, "the move opens no line for another piece")
    return Finding(False, f"the move opens no line for {man(board, piece)}")


def _opened(
    start: chess.Board, board: chess.Board, side: chess.Color
) -> Iterator[tuple[chess.Square, chess.Bitboard]]:
    """Yield the pieces of the mover that reach squares they did not reach, and those squares."""
    gone = start.occupied & ~board.occupied
    for square in chess.scan_forward(board.occupied_co[side] & start.occupied_co[side]):
        new = board.attacks_mask(square) & ~start.attacks_mask(square)
        new |= board.attacks_mask(square) & gone & start.occupied_co[side]
        if new and board.piece_type_at(square) != chess.PAWN:
            yield square, new


def _opens_file(start: chess.Board, board: chess.Board, file: str) -> Finding:
    mask = chess.BB_FILES[chess.FILE_NAMES.index(file)]
    name = f"the {file}-file"
    left = board.pawns & mask
    went = start.pawns & mask & ~board.pawns
    if not went:
        leaves = bool(chess.BB_SQUARES[board.peek().from_square] & mask)
        return Finding(False, f"no pawn leaves {name}", arguable=leaves)
    if not left:
        return Finding(True, f"{name} has no pawns any more")
    half = (
        not left & board.occupied_co[start.turn]
        or not left & board.occupied_co[board.turn]
    )
    return Finding(half, f"pawns still stand on {name}", arguable=True)
