"""Who attacks and defends what, how often, and what can be taken with profit.

``piece`` and ``target`` are squares. An attack through one other piece, or by a piece that may
not leave its line, is arguable (:class:`~chessgloss.predicates.finding.Finding`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import partial

import chess
from chess import Board, Color, Move, Square, SquareSet, square_name

from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.finding import Finding, legal_moves, men, san, told
from chessgloss.predicates.words import listed

_SQUARES = chess.BB_SQUARES

#: Tells whether a number is one that is meant.
Number = Container[float]

#: Any number but none.
SOME: Number = range(1, 65)


def _reaches(verb: str, board: Board, piece: Square, target: Square) -> Finding:
    """Return whether a piece attacks, or defends, a man or a square."""
    there = _SQUARES[target]
    if board.attacks_mask(piece) & there:
        colour = bool(board.color_at(piece))
        barred = not board.pin_mask(colour, piece) & there
        evidence = told(board, f"{{}} {verb}s {{}}", piece, target)
        return Finding(True, evidence, arguable=barred)
    evidence = told(board, f"{{}} does not {verb} {{}}", piece, target)
    return Finding(False, evidence, arguable=_nearly(board, piece, target))


attacks = partial(_reaches, "attack")
defends = partial(_reaches, "defend")


def _nearly(board: Board, piece: Square, target: Square) -> bool:
    """Return whether a piece bears on a square through an enemy, or a man that attacks it too."""
    between = through(board, piece, target)
    if between is None:
        return False
    if board.attacks_mask(between) & _SQUARES[target]:
        return True
    return board.color_at(between) != board.color_at(piece)


def through(board: Board, piece: Square, target: Square) -> Square | None:
    """Return the one man through which a line piece bears on a square."""
    between = SquareSet(chess.between(piece, target) & board.occupied)
    colour = bool(board.color_at(piece))
    bears = boards.line_pieces(board, colour, target) & _SQUARES[piece]
    if not bears or len(between) != 1:
        return None
    return between.pop()


# ---------------------------------------------------------------- how often


def _is_reached(
    verb: str,
    board: Board,
    piece: Square,
    by: Square | None = None,
    side: Color | None = None,
    number: Number = SOME,
) -> Finding:
    """Return whether a man is attacked, or defended, or a square covered by ``side``."""
    if by is not None:
        return _reaches(verb, board, by, piece)
    owner = board.color_at(piece)
    if side is None and owner is not None:
        side = not owner
        if verb == "defend":
            side = owner
    if side is None:
        return Finding(None, told(board, "whose pieces reach {} is not said", piece))
    direct = board.attackers(side, piece)
    evidence = told(board, f"{{}} is {verb}ed by {men(board, direct)}", piece)
    fits = {count in number for count in counts(board, side, piece)}
    holds = len(direct) in number
    return Finding(holds, evidence, arguable=len(fits) > 1)


attacked = partial(_is_reached, "attack")
defended = partial(_is_reached, "defend")


def counts(board: Board, side: Color, target: Square) -> list[int]:
    """Return how many of a side's pieces reach a square, as it may be counted.

    Directly; with those behind them; without those that may not leave their line.
    """
    copy = board.copy(stack=False)
    every = 0
    while front := copy.attackers(side, target):
        every += len(front)
        for square in front:
            copy.remove_piece_at(square)
    direct = board.attackers(side, target)
    free = boards.attackers(board, side, target)
    return [len(direct), every, len(free)]


def undefended(board: Board, piece: Square) -> Finding:
    """Return whether a man has no defender."""
    return defended(board, piece).denied()


def outnumbered(board: Board, piece: Square, side: Color | None = None) -> Finding:
    """Return whether a man (a square that ``side`` attacks) has more attackers than defenders."""
    attacker = not board.color_at(piece) if side is None else side
    attackers = counts(board, attacker, piece)
    defenders = counts(board, not attacker, piece)
    more = {one > two for one in attackers for two in defenders}
    many, few = attackers[0], defenders[0]
    text = f"{{}} has {many} attackers and {few} defenders"
    evidence = told(board, text, piece)
    return Finding(many > few, evidence, arguable=len(more) > 1)


# ---------------------------------------------------------------- what can be taken


def hanging(board: Board, piece: Square) -> Finding:
    """Return whether a man can be taken with profit; a loose one is arguable."""
    owner = bool(board.color_at(piece))
    taken = [
        each for each in tactics.captures(board, not owner) if each.square == piece
    ]
    free = not board.attackers(owner, piece)
    if not taken:
        return Finding(False, told(board, "no move can take {}", piece), arguable=free)
    best = max(taken, key=lambda each: each.gain)
    move = san(board, best.move)
    wins = best.gain > 0
    with_profit = "with profit" if wins else "and wins nothing"
    evidence = told(board, f"{move} takes {{}} {with_profit}", piece)
    return Finding(wins, evidence, arguable=free and not wins)


def moves_of(board: Board, piece: Square) -> list[Move]:
    """Return the legal moves of a piece, after a pass if it is not its side's turn."""
    moves = legal_moves(board, board.color_at(piece))
    return [move for move in moves if move.from_square == piece]


def safe_moves(board: Board, piece: Square) -> list[Move]:
    """Return the moves of a piece that do not lose it, or what it is worth, by exchange."""
    moves = moves_of(board, piece)
    return [move for move in moves if tactics.exchange(board, move) >= 0]


def trapped(board: Board, piece: Square) -> Finding:
    """Return whether a piece has no move that does not lose it; with one it is arguable."""
    safe = safe_moves(board, piece)
    if safe:
        move = san(board, safe[0])
        evidence = told(board, f"{{}} can go: {move}", piece)
        return Finding(False, evidence, arguable=len(safe) == 1)
    evidence = told(board, "{} has no safe move", piece)
    in_danger = board.is_attacked_by(not board.color_at(piece), piece)
    return Finding(True, evidence, arguable=not in_danger)


def mobility(
    board: Board,
    piece: Square,
    number: Number,
    to: Iterable[Square] = chess.SQUARES,
    counting: str = "legal",
) -> Finding:
    """Return whether a piece has so many moves, or safe moves, to some squares."""
    reach = {*to}
    ends = {move.to_square for move in moves_of(board, piece)}
    safe = {move.to_square for move in safe_moves(board, piece)}
    ends &= reach
    safe &= reach
    counted, other = ends, safe
    how = ""
    if counting == "safe":
        counted, other = safe, ends
        how = "safely "
    squares = listed_squares(counted)
    evidence = told(board, f"{{}} can {how}go to {squares}", piece)
    fits = len(counted) in number
    also = len(other) in number
    return Finding(fits, evidence, arguable=fits != also)


def listed_squares(squares: Iterable[Square]) -> str:
    """Return squares as a list in words; ``no square`` for none."""
    ordered = sorted(squares)
    names = [square_name(square) for square in ordered]
    if not names:
        return "no square"
    return listed(names)
