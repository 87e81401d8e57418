"""Who attacks and defends what, how often, and what can be taken with profit.

``piece`` and ``target`` are squares. An attack through one other piece, or by a piece that may
not leave its line, is arguable (:class:`~chessgloss.predicates.finding.Finding`).
"""

from __future__ import annotations

from collections.abc import Callable, Container

import chess

from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.finding import Finding, legal_moves, san
from chessgloss.predicates.words import listed, noun_at

#: Tells whether a number is one that is meant.
Number = Container[float]


def man(board: chess.Board, square: chess.Square) -> str:
    """Return what stands on a square: ``the white knight on f3``; ``f3`` if it is empty."""
    empty = board.piece_type_at(square) is None
    return chess.square_name(square) if empty else noun_at(board, square)


def men(board: chess.Board, squares: chess.SquareSet) -> str:
    """Return what stands on squares as a list; ``nothing`` for none."""
    return (
        listed([noun_at(board, square) for square in squares]) if squares else "nothing"
    )


def attacks(board: chess.Board, piece: chess.Square, target: chess.Square) -> Finding:
    """Return whether a piece attacks a man or covers a square."""
    return _reaches(board, piece, target, "attack")


def defends(board: chess.Board, piece: chess.Square, target: chess.Square) -> Finding:
    """Return whether a piece protects a man or covers a square."""
    return _reaches(board, piece, target, "defend")


def _reaches(
    board: chess.Board, piece: chess.Square, target: chess.Square, verb: str
) -> Finding:
    colour = bool(board.color_at(piece))
    direct = bool(board.attacks_mask(piece) & chess.BB_SQUARES[target])
    barred = not board.pin_mask(colour, piece) & chess.BB_SQUARES[target]
    names = man(board, piece), man(board, target)
    if direct:
        return Finding(True, f"{names[0]} {verb}s {names[1]}", arguable=barred)
    evidence = f"{names[0]} does not {verb} {names[1]}"
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
    number: Number | None = None,
) -> Finding:
    """Return whether a man is attacked, or a square covered by ``side``."""
    owner = board.color_at(piece)
    attacker = side if side is not None else None if owner is None else not owner
    if by is not None:
        return attacks(board, by, piece)
    return _aimed_at(board, piece, attacker, number, "attacked")


def defended(
    board: chess.Board,
    piece: chess.Square,
    by: chess.Square | None = None,
    side: chess.Color | None = None,
    number: Number | None = None,
) -> Finding:
    """Return whether a man is protected, or a square covered by ``side``."""
    defender = side if side is not None else board.color_at(piece)
    if by is not None:
        return defends(board, by, piece)
    return _aimed_at(board, piece, defender, number, "defended")


def _aimed_at(
    board: chess.Board,
    target: chess.Square,
    side: chess.Color | None,
    number: Number | None,
    word: str,
) -> Finding:
    if side is None:
        return Finding(
            None, f"whose pieces reach {chess.square_name(target)} is not said"
        )
    direct = board.attackers(side, target)
    by = men(board, direct)
    evidence = f"{man(board, target)} is {word} by {by}"
    counts = {len(direct), len(_with_those_behind(board, side, target))}
    counts.add(len(boards.attackers(board, side, target)))
    if number is None:
        return Finding(bool(direct), evidence, arguable=min(counts) == 0 < max(counts))
    fits = {count in number for count in counts}
    return Finding(len(direct) in number, evidence, arguable=len(fits) > 1)


def _with_those_behind(
    board: chess.Board, side: chess.Color, target: chess.Square
) -> set[chess.Square]:
    """Return the attackers of a square and those that attack it through them."""
    copy = board.copy(stack=False)
    found = set[chess.Square]()
    while front := copy.attackers(side, target):
        found |= set(front)
        for square in front:
            copy.remove_piece_at(square)
    return found


def undefended(board: chess.Board, piece: chess.Square) -> Finding:
    """Return whether a man has no defender."""
    return defended(board, piece).denied()


def outnumbered(
    board: chess.Board, piece: chess.Square, side: chess.Color | None = None
) -> Finding:
    """Return whether a man (a square that ``side`` attacks) has more attackers than defenders."""
    owner = board.color_at(piece)
    attacker = bool(side) if side is not None or owner is None else not owner
    counts: list[Callable[[chess.Color], int]] = [
        lambda colour: len(board.attackers(colour, piece)),
        lambda colour: len(_with_those_behind(board, colour, piece)),
        lambda colour: len(boards.attackers(board, colour, piece)),
    ]
    more = {one(attacker) > two(not attacker) for one in counts for two in counts}
    attackers, defenders = counts[0](attacker), counts[0](not attacker)
    evidence = (
        f"{man(board, piece)} has {attackers} attackers and {defenders} defenders"
    )
    return Finding(attackers > defenders, evidence, arguable=len(more) > 1)


# ---------------------------------------------------------------- what can be taken


def hanging(board: chess.Board, piece: chess.Square) -> Finding:
    """Return whether a man can be taken with profit; a loose one is arguable."""
    owner = board.color_at(piece)
    if owner is None:
        return Finding(False, f"nothing stands on {chess.square_name(piece)}")
    name = man(board, piece)
    taken = [
        each for each in tactics.captures(board, not owner) if each.square == piece
    ]
    best = max(taken, key=lambda each: each.gain, default=None)
    free = not board.attackers(owner, piece)
    if best is None:
        return Finding(False, f"no move can take {name}", arguable=free)
    move = san(board, best.move)
    if best.gain > 0:
        return Finding(True, f"{move} takes {name} with profit")
    return Finding(False, f"{move}, which takes {name}, wins nothing", arguable=free)


def safe_moves(board: chess.Board, piece: chess.Square) -> list[chess.Move]:
    """Return the moves of a piece that do not lose it, or what it is worth, by exchange."""
    moves = moves_of(board, piece)
    return [move for move in moves if tactics.exchange(board, move) >= 0]


def moves_of(board: chess.Board, piece: chess.Square) -> list[chess.Move]:
    """Return the legal moves of a piece, after a pass if it is not its side's turn."""
    moves = legal_moves(board, board.color_at(piece))
    return [move for move in moves if move.from_square == piece]


def trapped(board: chess.Board, piece: chess.Square) -> Finding:
    """Return whether a piece has no move that does not lose it; with one it is arguable."""
    if board.color_at(piece) is None:
        return Finding(False, f"nothing stands on {chess.square_name(piece)}")
    name = man(board, piece)
    safe = safe_moves(board, piece)
    if safe:
        evidence = f"{name} can go: {san(board, safe[0])}"
        return Finding(False, evidence, arguable=len(safe) == 1)
    in_danger = board.is_attacked_by(not board.color_at(piece), piece)
    return Finding(True, f"{name} has no safe move", arguable=not in_danger)


def mobility(
    board: chess.Board,
    piece: chess.Square,
    number: Number,
    to: chess.SquareSet | None = None,
    counting: str | None = None,
) -> Finding:
    """Return whether a piece has so many moves, or safe moves, to some squares."""
    name = man(board, piece)
    reach = chess.SquareSet(chess.BB_ALL) if to is None else to
    ends = {move.to_square for move in moves_of(board, piece)} & set(reach)
    safe = {move.to_square for move in safe_moves(board, piece)} & set(reach)
    counted, other = (safe, ends) if counting == "safe" else (ends, safe)
    names = [chess.square_name(each) for each in sorted(counted)]
    squares = listed(names) if names else "no square"
    kind = "safely " if counting == "safe" else ""
    evidence = f"{name} can {kind}go to {squares}"
    doubtful = (len(other) in number) != (len(counted) in number)
    return Finding(len(counted) in number, evidence, arguable=doubtful)
