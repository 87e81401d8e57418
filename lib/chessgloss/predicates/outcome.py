"""What a line of moves comes to: captures, promotions and its ending, each counted apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import chess
from chess import Board, Color, Move, PieceType, Square

from chessgloss.predicates.board import taken_on
from chessgloss.predicates.tactics import balance, captures
from chessgloss.predicates.words import listed

#: A line is replayed so far, and what it wins counts if it is won within so many plies.
LONGEST, SOON = 14, 5

#: Plies of a line that are spelt out, and the most where one sees only then why.
SPELT, LONGEST_SPELT = 3, 5

#: The most plies of a line that is told to where it wins something.
LONGEST_TOLD = 9

Pieces = Counter[PieceType]

_NUMBERS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
)
_PIECES = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
_MINOR_PIECES = (chess.KNIGHT, chess.BISHOP)


class Outcome(NamedTuple):
    """What a line wins for a side once it is quiet.

    Parameters
    ----------
    gain
        Pawns that the side has won; negative if it has lost.
    won, lost
        Pieces that the side has taken and given; equal ones cancel out.
    plies
        Plies after which the balance stands as it does in the end.
    fallen
        Where the one lost piece stood before the line; ``None`` if that is not so simple.
    made, allowed
        Pieces that pawns of the side and of its opponent have become, and that are still there.
    """

    gain: int
    won: Pieces
    lost: Pieces
    plies: int
    fallen: Square | None
    made: Pieces
    allowed: Pieces

    @property
    def new(self) -> str:
        """What the side that gains has made of a pawn: ``a new queen``; empty without one."""
        pieces = self.made if self.gain > 0 else self.allowed
        return _spoken(pieces).replace("a ", "a new ") if pieces else ""

    @property
    def stuff(self) -> str:
        """What is won, or lost, in words: ``a knight``, ``two pawns``, ``the exchange``."""
        taken = self.won
        given = self.lost
        if self.gain < 0:
            taken, given = given, taken
        if self.new:
            return listed([self.new, *([_spoken(taken)] if taken else [])])
        minor = given.total() == 1 and any(given[kind] for kind in _MINOR_PIECES)
        if minor and taken == Counter([chess.ROOK]):
            return "the exchange"
        return " for ".join(_spoken(pieces) for pieces in (taken, given) if pieces)


NOTHING: Final = Outcome(0, Counter(), Counter(), 0, None, Counter(), Counter())


def play_out(
    board: Board,
    line: Sequence[str],
    side: Color,
) -> Outcome:
    """Replay a line of UCI moves until it is quiet and count what it wins for a side.

    Quiet means: nobody is in check, and the line does not go on taking; at its end the side that
    has lost takes back what it can by exchange. Where the balance changes again long after, what
    both counts agree on is what is won: nothing, if one of them says nothing.
    """
    states = replay(board, line[:LONGEST], side)
    gains = [_gain(board, state, side) for state in states]
    end = quiet_ply(states, gains)
    if end is None:
        return NOTHING
    plies = next(n for n in range(end + 1) if set(gains[n : end + 1]) == {gains[end]})
    won, lost = traded(board, states[end], side)
    made, allowed = (promoted(board, states[end], each) for each in (side, not side))
    alone = states[: plies + 1]
    fallen = None if made or allowed else where_it_stood(alone, won + lost)
    return Outcome(gains[end], won, lost, plies, fallen, made, allowed)


def surplus(board: Board, side: Color) -> Outcome:
    """Return what a side has more than its opponent, as if it had won it."""
    ours, theirs = (count_pieces(board, each) for each in (side, not side))
    won, lost = ours - theirs, theirs - ours
    _cancel(won, lost, _MINOR_PIECES)
    gain = balance(board) if side else -balance(board)
    return NOTHING._replace(gain=gain, won=+won, lost=+lost)


def replay(
    board: Board,
    line: Sequence[str],
    side: Color,
) -> list[Board]:
    """Return the boards of a line, then those of captures by which its loser takes back."""
    states = [board.copy(stack=False)]
    moves = map(Move.from_uci, line)
    while len(states) < 2 * LONGEST:
        state = states[-1].copy()
        move = next(moves, None)
        if move is None:
            move = _taking_back(state, _gain(board, state, side), side)
        if move is None or not state.is_legal(move):
            break
        state.push(move)
        states.append(state)
    return states


def _taking_back(
    board: Board,
    gain: int,
    side: Color,
) -> Move | None:
    """Return the best capture of the side that has lost material, if it is to move."""
    loser = side if gain < 0 else not side
    if gain == 0 or board.turn != loser:
        return None
    best = max(captures(board, loser), key=lambda each: each.gain, default=None)
    return best.move if best and best.gain > 0 else None


def _gain(
    board: Board,
    state: Board,
    side: Color,
) -> int:
    """Return the pawns that a side has won between two boards."""
    won = balance(state) - balance(board)
    return won if side else -won


def quiet_ply(
    states: Sequence[Board],
    gains: Sequence[int],
) -> int | None:
    """Return the ply at which a line is quiet and its balance counts; ``None`` if it wins nothing.

    It is the last one soon enough or the last of all, whichever wins less.
    """
    taking = [*(after != before for before, after in pairwise(gains)), False]
    forced = [state.is_check() and any(state.legal_moves) for state in states]
    quiet = [n for n in range(len(states)) if not (taking[n] or forced[n])]
    soon = max((ply for ply in quiet if ply <= SOON + 2), default=0)
    if not quiet or gains[soon] * gains[quiet[-1]] <= 0:
        return None
    return min(soon, quiet[-1], key=lambda ply: abs(gains[ply]))


def traded(
    board: Board,
    end: Board,
    side: Color,
) -> tuple[Pieces, Pieces]:
    """Return the pieces that a side has taken and given; like for like cancels out.

    A pawn that has become a piece counts as neither.
    """
    lost, won = (_fallen(board, end, each) for each in (side, not side))
    for kinds in (_MINOR_PIECES, *((kind,) for kind in _PIECES)):
        _cancel(won, lost, kinds)
    return +won, +lost


def promoted(board: Board, end: Board, side: Color) -> Pieces:
    """Return what pawns of a side have become between two boards, and still are."""
    became = Counter(
        move.promotion
        for ply, move in enumerate(end.move_stack)
        if move.promotion and (board.turn == side) == (ply % 2 == 0)
    )
    return became & (count_pieces(end, side) - count_pieces(board, side))


def _fallen(board: Board, end: Board, side: Color) -> Pieces:
    """Return the pieces of a side that have been taken between two boards."""
    there = count_pieces(board, side)
    new = promoted(board, end, side)
    there[chess.PAWN] -= new.total()
    return there - (count_pieces(end, side) - new)


def _cancel(
    won: Pieces,
    lost: Pieces,
    kinds: Sequence[PieceType],
) -> None:
    """Take pieces of these kinds, which are worth the same, off both sides of a trade."""
    equal = min(sum(pieces[kind] for kind in kinds) for pieces in (won, lost))
    for _ in range(equal):
        for pieces in (won, lost):
            pieces[next(kind for kind in kinds if pieces[kind])] -= 1


def where_it_stood(
    states: Sequence[Board],
    changed: Mapping[PieceType, int],
) -> Square | None:
    """Return where the piece that falls with the last move of a line stood before it.

    Parameters
    ----------
    states
        The boards of the line, up to the last capture.
    changed
        The pieces that are won or lost by it in all: if it is more than the one, ``None``.
    """
    *moves, last = states[-1].move_stack
    square = taken_on(states[-2], last)
    for move in reversed(moves):
        if move.to_square == square:
            square = move.from_square
    if square is None or sum(changed.values()) > 1:
        return None
    return square if states[0].piece_type_at(square) in changed else None


def count_pieces(
    board: Board,
    side: Color,
) -> Pieces:
    """Return how many pieces of each kind a side has, the king apart."""
    return Counter({kind: len(board.pieces(kind, side)) for kind in _PIECES})


def count_in_words(
    number: int,
    noun: str,
) -> str:
    """Return ``one step`` or ``three steps``."""
    return f"{_NUMBERS[number]} {noun}" + ("" if number == 1 else "s")


def _spoken(pieces: Pieces) -> str:
    """Return pieces in words, the largest first: ``a rook and two pawns``."""
    amounts = []
    for kind, number in sorted(pieces.items(), reverse=True):
        name = chess.piece_name(kind)
        amounts.append(f"a {name}" if number == 1 else count_in_words(number, name))
    return listed(amounts)


def spelt(
    board: Board,
    line: Sequence[str],
    plies: int = SPELT,
) -> str:
    """Return the first plies of a line, in SAN with move numbers."""
    return board.variation_san(map(Move.from_uci, line[: min(plies, LONGEST_SPELT)]))


def to_the_end(board: Board, line: Sequence[str]) -> tuple[str, ...]:
    """Return a line of UCI moves up to its end: mate, stalemate, or the ply at which it has won.

    A line in which nothing is won by :data:`LONGEST_TOLD` plies is cut at :data:`LONGEST_SPELT`.
    """
    moves = tuple(line[:LONGEST])
    end = replay(board, moves, board.turn)[-1]
    if not any(end.generate_legal_moves()):
        return tuple(move.uci() for move in end.move_stack)
    won = play_out(board, moves, board.turn)
    return moves[: won.plies if 0 < won.plies <= LONGEST_TOLD else LONGEST_SPELT]


def told_to_the_end(board: Board, line: Sequence[str]) -> str:
    """Return a line of UCI moves up to its end (:func:`to_the_end`), in SAN with move numbers."""
    return board.variation_san(map(Move.from_uci, to_the_end(board, line)))
