"""Forks, pins, skewers and discovered attacks, each by a definition that can be checked.

*Worth taking* always means: the capture wins material by static exchange (see
:mod:`chessgloss.facts.exchange`). An undefended piece and one worth more than its attacker
always are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import chess

from chessgloss.facts.attacks import pin_lines
from chessgloss.facts.exchange import VALUES, Capture, Exchanges, captures

_SQUARES = chess.BB_SQUARES

#: Worth in comparisons, where the king is above all.
_KING_RANK = 100
_RANKING = {**VALUES, chess.KING: _KING_RANK}


@dataclass(frozen=True, slots=True)
class Fork:
    """One piece that attacks two or more targets at once.

    Parameters
    ----------
    square, piece
        The forking piece.
    targets
        The king first, then what is worth most, then by squares; at least two.
    safe
        Whether the opponent has no capture that wins the forking piece by exchange.
    """

    square: chess.Square
    piece: chess.PieceType
    targets: tuple[chess.Square, ...]
    safe: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A bishop, rook or queen, an enemy piece before it and another behind that one.

    Parameters
    ----------
    square
        The acting piece.
    front
        In a pin the pinned piece, in a skewer the one that must move.
    behind
        What stands behind it on the same line, nothing between.
    absolute
        Whether the king is concerned: behind in a pin, in front in a skewer.
    """

    square: chess.Square
    front: chess.Square
    behind: chess.Square
    absolute: bool


@dataclass(frozen=True, slots=True)
class Discovered:
    """An attack that a move opens for a piece that did not move.

    Parameters
    ----------
    square
        The piece behind.
    target
        The enemy piece that it now attacks.
    gain
        What its capture wins by exchange, in pawns; ``None`` for the king (a discovered
        check) and where the capture is not lawful.
    """

    square: chess.Square
    target: chess.Square
    gain: int | None


def forks(
    board: chess.Board,
    colour: chess.Color,
    taken: Iterable[Capture] | None = None,
    answers: Iterable[Capture] | None = None,
) -> tuple[Fork, ...]:
    """Return the forks of ``colour``, in the order of the forking pieces' squares.

    A piece forks when it attacks at least two targets, each the king or a piece that is
    worth taking with it. Kings and pawns fork too. Whether the opponent can answer is not
    asked, but ``safe`` tells whether the forking piece can be won.

    Parameters
    ----------
    board
        The position.
    colour
        The forking side.
    taken, answers
        Its captures and the opponent's, where they have been asked for already (see
        :func:`~chessgloss.facts.exchange.captures`).
    """
    targets: dict[chess.Square, list[chess.Square]] = {}
    for one in captures(board, colour) if taken is None else taken:
        if one.gain > 0:
            targets.setdefault(one.from_square, []).append(one.victim_square)
    king = board.king(not colour)
    if king is not None:
        for square in chess.scan_forward(board.attackers_mask(colour, king)):
            targets.setdefault(square, []).append(king)
    forking = {square: hit for square, hit in sorted(targets.items()) if len(hit) > 1}
    if forking and answers is None:
        answers = captures(board, not colour)
    return tuple(_fork(board, square, hit, answers or ()) for square, hit in forking.items())


def pins(board: chess.Board, colour: chess.Color) -> tuple[Line, ...]:
    """Return the pins that ``colour`` exerts, absolute and relative.

    A bishop, rook or queen pins an enemy piece when that stands alone between it and a
    piece worth more, and that piece is the king (an absolute pin) or would be worth taking
    with the pinning piece if the pinned one were gone (a relative pin). A pawn is pinned
    to another piece than the king only if it has a move off the line. In the order of the
    pinning pieces' squares, then of the pinned.
    """
    return line_tactics(board, Exchanges(board, colour))[0]


def skewers(board: chess.Board, colour: chess.Color) -> tuple[Line, ...]:
    """Return the skewers of ``colour``.

    A bishop, rook or queen skewers when it attacks the king, or a piece worth taking with
    it, and behind that on the same line stands a piece (no pawn) worth no more, which would
    be worth taking with the same piece once the one in front has gone. In the order of the
    skewering pieces' squares, then of those in front.
    """
    return line_tactics(board, Exchanges(board, colour))[1]


def line_tactics(
    board: chess.Board, exchanges: Exchanges
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Return the :func:`pins` and the :func:`skewers` of one side, found together."""
    pinned, skewered = [], []
    for start, front, behind in _lines(board, exchanges.colour):
        before, after = _rank(board, front), _rank(board, behind)
        if before < after:
            absolute = after == _KING_RANK
            if absolute or (
                _can_leave(board, front, start) and exchanges.falls(start, front, behind)
            ):
                pinned.append(Line(start, front, behind, absolute))
        elif after > VALUES[chess.PAWN]:
            absolute = before == _KING_RANK
            if (absolute or _wins(exchanges, start, front)) and exchanges.falls(
                start, front, behind
            ):
                skewered.append(Line(start, front, behind, absolute))
    return tuple(pinned), tuple(skewered)


def discovered_attacks(
    board: chess.Board, move: chess.Move, after: chess.Board | None = None
) -> tuple[Discovered, ...]:
    """Return the attacks that a move opens for other pieces of the mover.

    A bishop, rook or queen that has not moved attacks, after the move, an enemy piece that it
    did not attack before, because the moved piece (or a pawn taken en passant) no longer
    stands between. In the order of the attacking pieces' squares.

    Parameters
    ----------
    board
        The position before the move.
    move
        A legal move.
    after
        The position after it, where it is at hand.
    """
    end = after if after is not None else _pushed(board, move)
    colour = board.turn
    left = board.occupied & ~end.occupied
    moved = end.occupied_co[colour] & ~board.occupied_co[colour]
    exchanges = Exchanges(end, colour)
    found = []
    for start in chess.scan_forward(_line_movers(end, colour) & ~moved):
        new = end.attacks_mask(start) & ~board.attacks_mask(start) & end.occupied_co[not colour]
        for target in chess.scan_forward(new):
            if chess.between(start, target) & left:
                found.append(Discovered(start, target, _gain(end, exchanges, start, target)))
    return tuple(found)


def pinned_to_king(board: chess.Board, colour: chess.Color) -> chess.SquareSet:
    """Return the pieces of ``colour`` that are pinned to their own king."""
    return chess.SquareSet(pin_lines(board, colour))


def _fork(
    board: chess.Board,
    square: chess.Square,
    hit: list[chess.Square],
    answers: Iterable[Capture],
) -> Fork:
    piece = board.piece_type_at(square)
    assert piece is not None
    safe = not any(one.victim_square == square and one.gain > 0 for one in answers)
    return Fork(square, piece, tuple(sorted(hit, key=lambda s: (-_rank(board, s), s))), safe)


def _lines(
    board: chess.Board, colour: chess.Color
) -> Iterator[tuple[chess.Square, chess.Square, chess.Square]]:
    """Yield each line piece of ``colour`` with an enemy in sight and the enemy behind it."""
    enemies = board.occupied_co[not colour]
    for start in chess.scan_forward(_line_movers(board, colour)):
        seen = board.attacks_mask(start)
        for front in chess.scan_forward(seen & enemies):
            ray = chess.ray(start, front)
            # Squares on the ray seen when the front piece is away, and not seen before.
            rest = board.occupied ^ _SQUARES[front]
            for behind in chess.scan_forward(ray & enemies & ~seen):
                if chess.between(start, behind) & rest == 0:
                    yield start, front, behind


def _line_movers(board: chess.Board, colour: chess.Color) -> chess.Bitboard:
    return (board.bishops | board.rooks | board.queens) & board.occupied_co[colour]


def _can_leave(board: chess.Board, square: chess.Square, pinner: chess.Square) -> bool:
    """Tell whether a piece, if it is a pawn, has a move off the line through the pinner."""
    if not board.pawns & _SQUARES[square]:
        return True
    colour = bool(board.occupied_co[chess.WHITE] & _SQUARES[square])
    push = square + (8 if colour else -8)
    reach = board.attacks_mask(square) & board.occupied_co[not colour]
    reach |= _SQUARES[push] & ~board.occupied
    return bool(reach & ~chess.ray(pinner, square))


def _wins(exchanges: Exchanges, start: chess.Square, target: chess.Square) -> bool:
    found = exchanges.capture(start, target)
    return found is not None and found.gain > 0


def _gain(
    board: chess.Board, exchanges: Exchanges, start: chess.Square, target: chess.Square
) -> int | None:
    if _is_king(board, target):
        return None
    found = exchanges.capture(start, target)
    return None if found is None else found.gain


def _rank(board: chess.Board, square: chess.Square) -> int:
    return _RANKING[board.piece_type_at(square) or chess.PAWN]


def _is_king(board: chess.Board, square: chess.Square) -> bool:
    return bool(board.kings & _SQUARES[square])


def _pushed(board: chess.Board, move: chess.Move) -> chess.Board:
    end = board.copy(stack=False)
    end.push(move)
    return end
