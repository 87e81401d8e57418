"""Who attacks and defends what, how often, and what can be taken with profit.

``piece`` and ``target`` are squares. An attack through one other piece, or by a piece that may
not leave its line, is arguable (:class:`~chessgloss.predicates.finding.Finding`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable

import chess

from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.finding import Finding, legal_moves, men, san, told
from chessgloss.predicates.words import listed

#: Tells whether a number is one that is meant.
Number = Container[float]

#: Any number but none.
SOME: Number = range(1, 65)


def attacks(board: chess.Board, piece: chess.Square, target: chess.Square) -> Finding:
    """Return whether a piece attacks a man or covers a square."""
    return _reaches(board, piece, target, "attack")


def defends(board: chess.Board, piece: chess.Square, target: chess.Square) -> Finding:
    """Return whether a piece protects a man or covers a square."""
    return _reaches(board, piece, target, "defend")


def _reaches(
    board: chess.Board, piece: chess.Square, target: chess.Square, verb: str
) -> Finding:
    there = chess.BB_SQUARES[target]
    if board.attacks_mask(piece) & there:
        barred = not board.pin_mask(bool(board.color_at(piece)), piece) & there
        evidence = told(board, f"{{}} {verb}s {{}}", piece, target)
        return Finding(True, evidence, arguable=barred)
    evidence = told(board, f"{{}} does not {verb} {{}}", piece, target)
    return Finding(False, evidence, arguable=_nearly(board, piece, target))


def _nearly(board: chess.Board, piece: chess.Square, target: chess.Square) -> bool:
    """Return whether a piece bears on a square through an enemy, or a man that attacks it too."""
    between = through(board, piece, target)
    if between is None:
        return False
    backs = bool(board.attacks_mask(between) & chess.BB_SQUARES[target])
    return backs or board.color_at(between) != board.color_at(piece)


def through(
    board: chess.Board, piece: chess.Square, target: chess.Square
) -> chess.Square | None:
    """Return the one man through which a line piece bears on a square."""
    between = chess.SquareSet(chess.between(piece, target) & board.occupied)
    colour = bool(board.color_at(piece))
    bears = boards.line_pieces(board, colour, target) & chess.BB_SQUARES[piece]
    return between.pop() if bears and len(between) == 1 else None


# ---------------------------------------------------------------- how often


def attacked(
    board: chess.Board,
    piece: chess.Square,
    by: chess.Square | None = None,
    side: chess.Color | None = None,
    number: Number = SOME,
) -> Finding:
    """Return whether a man is attacked, or a square covered by ``side``."""
    if by is not None:
        return attacks(board, by, piece)
    if side is None and (owner := board.color_at(piece)) is not None:
        side = not owner
    return _aimed_at(board, piece, side, number, "attacked")


def defended(
    board: chess.Board,
    piece: chess.Square,
    by: chess.Square | None = None,
    side: chess.Color | None = None,
    number: Number = SOME,
) -> Finding:
    """Return whether a man is protected, or a square covered by ``side``."""
    if by is not None:
        return defends(board, by, piece)
    if side is None:
        side = board.color_at(piece)
    return _aimed_at(board, piece, side, number, "defended")


def _aimed_at(
    board: chess.Board,
    target: chess.Square,
    side: chess.Color | None,
    number: Number,
    word: str,
) -> Finding:
    if side is None:
        return Finding(None, told(board, "whose pieces reach {} is not said", target))
    direct = board.attackers(side, target)
    evidence = told(board, f"{{}} is {word} by {men(board, direct)}", target)
    fits = {count in number for count in counts(board, side, target)}
    return Finding(len(direct) in number, evidence, arguable=len(fits) > 1)


def counts(board: chess.Board, side: chess.Color, target: chess.Square) -> list[int]:
    """Return how many of a side's pieces reach a square, as it may be counted.

    Directly; with those behind them; without those that may not leave their line.
    """
    copy = board.copy(stack=False)
    every = 0
    while front := copy.attackers(side, target):
        every += len(front)
        for square in front:
            copy.remove_piece_at(square)
    free = boards.attackers(board, side, target)
    return [len(board.attackers(side, target)), every, len(free)]


def undefended(board: chess.Board, piece: chess.Square) -> Finding:
    """Return whether a man has no defender."""
    return defended(board, piece).denied()


def outnumbered(
    board: chess.Board, piece: chess.Square, side: chess.Color | None = None
) -> Finding:
    """Return whether a man (a square that ``side`` attacks) has more attackers than defenders."""
    attacker = not board.color_at(piece) if side is None else side
    attackers = counts(board, attacker, piece)
    defenders = counts(board, not attacker, piece)
    more = {one > two for one in attackers for two in defenders}
    numbers = f"{attackers[0]} attackers and {defenders[0]} defenders"
    evidence = told(board, f"{{}} has {numbers}", piece)
    return Finding(attackers[0] > defenders[0], evidence, arguable=len(more) > 1)


# ---------------------------------------------------------------- what can be taken


def hanging(board: chess.Board, piece: chess.Square) -> Finding:
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
    if best.gain > 0:
        return Finding(True, told(board, f"{move} takes {{}} with profit", piece))
    evidence = told(board, f"{move} takes {{}} and wins nothing", piece)
    return Finding(False, evidence, arguable=free)


def moves_of(board: chess.Board, piece: chess.Square) -> list[chess.Move]:
    """Return the legal moves of a piece, after a pass if it is not its side's turn."""
    moves = legal_moves(board, board.color_at(piece))
    return [move for move in moves if move.from_square == piece]


def safe_moves(board: chess.Board, piece: chess.Square) -> list[chess.Move]:
    """Return the moves of a piece that do not lose it, or what it is worth, by exchange."""
    moves = moves_of(board, piece)
    return [move for move in moves if tactics.exchange(board, move) >= 0]


def trapped(board: chess.Board, piece: chess.Square) -> Finding:
    """Return whether a piece has no move that does not lose it; with one it is arguable."""
    safe = safe_moves(board, piece)
    if safe:
        evidence = told(board, f"{{}} can go: {san(board, safe[0])}", piece)
        return Finding(False, evidence, arguable=len(safe) == 1)
    in_danger = board.is_attacked_by(not board.color_at(piece), piece)
    return Finding(True, told(board, "{} has no safe move", piece), not in_danger)


def mobility(
    board: chess.Board,
    piece: chess.Square,
    number: Number,
    to: Iterable[chess.Square] = chess.SQUARES,
    counting: str = "legal",
) -> Finding:
    """Return whether a piece has so many moves, or safe moves, to some squares."""
    reach = {*to}
    ends = {move.to_square for move in moves_of(board, piece)} & reach
    safe = {move.to_square for move in safe_moves(board, piece)} & reach
    counted, other = (safe, ends) if counting == "safe" else (ends, safe)
    names = [chess.square_name(each) for each in sorted(counted)] or ["no square"]
    how = "safely " if counting == "safe" else ""
    evidence = told(board, f"{{}} can {how}go to {listed(names)}", piece)
    fits = len(counted) in number
    return Finding(fits, evidence, arguable=fits != (len(other) in number))
