"""What players know by name of a move: its opening and ending, draws and devices.

Each is decided by a table, a rule that holds without exception, or a count of positions; what is
not sure is left out. ``None``, or nothing yielded, means *not known*, never *false*. Functions
that give a :class:`~chessgloss.facts.records.Fact` are told when it holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import chess
from chess import Board, Move, square_name
from chess.engine import PovScore

from chessgloss.facts.endings import (
    ending,
    king_and_pawn,
    known_words,
    outside_square,
    theory,
)
from chessgloss.facts.openings import OPENING_MOVES, opening, openings, placement
from chessgloss.facts.records import Fact, When
from chessgloss.positions import MoveInContext
from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.words import ends_of, names, side_name
from chessgloss.scores import centipawns, win_chance


def known_facts(move: MoveInContext, board: Board, after: Board) -> Iterator[Fact]:
    """Yield all of these that the board decides, for a move between its two boards."""
    side = board.turn
    ends = ends_of(move.move)
    before = opening(move.position)
    if before:
        yield Fact(
            "opening",
            "before",
            None,
            (),
            before,
            f"the opening is called {before.name}",
        )
    reached = (
        openings().get(placement(after))
        if after.fullmove_number <= OPENING_MOVES
        else None
    )
    if reached and reached != before:
        text = f"the opening is now called {reached.name}"
        yield Fact("opening", "move", side, ends, reached, text)
    if move.move.promotion and (reason := underpromotion(board, move.move)):
        yield reason
    if (count := repetitions(move)) > 1:
        text = f"the same position has now stood on the board {count} times"
        yield Fact("repetition", "move", side, ends, count, text)
    if (clock := after.halfmove_clock) >= 100:
        text = "a draw by the fifty-move rule can be claimed"
        yield Fact("fifty_moves", "move", None, (), clock, text)
    yield from _known_of(board, "before")
    yield from _known_of(after, "after")


def _known_of(board: Board, when: When) -> Iterator[Fact]:
    yield from stalemating_moves(board, when)
    if (board.occupied & ~board.pawns).bit_count() > 6:
        return
    if name := ending(board):
        text = f"it is {'an' if name.startswith('e') else 'a'} {name}"
        yield Fact("ending", when, None, (), name, text)
    if known := theory(board):
        winner = known.winner
        why = known_words()["theory"].get(known.name, "with best play")
        text = (
            f"it is a draw {why}"
            if winner is None
            else f"{side_name(winner)} wins {why}"
        )
        if known.plies:
            text += f", by mate in {(known.plies + 1) // 2}"
        value = ("draw" if winner is None else "win", known.name)
        yield Fact("theory", when, winner, (), value, text)
    yield from king_and_pawn(board, when)
    yield from outside_square(board, when)


def stalemating_moves(board: Board, when: When) -> Iterator[Fact]:
    """Yield the legal moves that stalemate a side which has only its king and pawns."""
    other = board.occupied_co[not board.turn] & ~board.kings
    free = (other >> 8 if board.turn else other << 8) & ~board.occupied
    # One move can take one pawn and stop another, not three.
    if other & ~board.pawns or free.bit_count() > 2:
        return
    for move in board.legal_moves:
        if boards.after_move(board, move).is_stalemate():
            text = f"{board.san(move)} would stalemate {side_name(not board.turn)}"
            yield Fact(
                "stalemating_move", when, board.turn, ends_of(move), move.uci(), text
            )


def repetitions(move: MoveInContext) -> int:
    """Return how often the position after a move has stood on the board, as far as is known."""
    moves = move.position.moves
    clock = int(move.position.fen.split()[4])
    # If it stood there before, something has left the squares where the last moves have ended.
    left = {each[:2] for each in moves[-clock:]}
    if clock < 3 or not {each[2:4] for each in (*moves[-1:], move.uci)} <= left:
        return 1
    board = move.position.board()
    board.push(move.move)
    return next(
        count for count in range(1, clock + 2) if not board.is_repetition(count + 1)
    )


def perpetual(board: Board, line: Sequence[str], when: When) -> Fact | None:
    """Return the perpetual check in a line: a position comes again, with check at each move.

    It proves that one side can go on for ever against these replies; that no other reply
    escapes, the line's score must say: hand over an engine's line that it calls level.

    Parameters
    ----------
    board
        The position in which the line begins.
    line
        Moves in UCI.
    when
        When ``board`` stands: before or after the move.

    Raises
    ------
    ValueError
        If a move is illegal.
    """
    copy = board.copy(stack=False)
    positions = [board.epd()]
    checks = [False]
    for uci in line:
        copy.push_uci(uci)
        moves = copy.move_stack
        checks.append(copy.is_check())
        positions.append(copy.epd())
        start = positions.index(positions[-1])
        for first in (start + 1, start + 2) if start < len(moves) else ():
            if all(checks[first::2]):
                side = board.turn == bool(first % 2)
                squares = names(
                    (moves[first - 1].to_square, boards.king_of(copy, not side))
                )
                text = f"{side_name(side)} has perpetual check: {board.variation_san(moves)}"
                return Fact(
                    "perpetual", when, side, squares, tuple(line[: len(moves)]), text
                )
    return None


#: Chance to win, 0 to 1, that every move must lose and a pass would keep.
ZUGZWANG_POINTS: Final = 0.3


def zugzwang(
    board: Board, score: PovScore, passing: PovScore, when: When
) -> Fact | None:
    """Return the zugzwang of the side to move, by an engine's scores with and without a pass.

    Parameters
    ----------
    board
        The position; in check there is no zugzwang.
    score, passing
        Scores of the position, and of :func:`~chessgloss.predicates.board.after_pass` of it.
    when
        When ``board`` stands: before or after the move.
    """
    side = board.turn
    loss = win_chance(centipawns(passing, side)) - win_chance(centipawns(score, side))
    if board.is_check() or loss < ZUGZWANG_POINTS:
        return None
    text = f"{side_name(side)} is in zugzwang: every move loses what a pass would keep"
    return Fact(
        "zugzwang",
        when,
        side,
        names([boards.king_of(board, side)]),
        round(loss, 4),
        text,
    )


def underpromotion(board: Board, move: Move) -> Fact | None:
    """Return why a pawn does not become a queen, if the board shows it.

    The value says what the piece does and the queen would not: ``mate``, ``fork`` or ``check``;
    or what the queen would bring: ``stalemate``, or ``mated``, mate on the next move.
    """
    if move.promotion in (None, chess.QUEEN):
        return None
    side = board.turn
    end = move.to_square
    piece = boards.after_move(board, move)
    queen = boards.after_move(board, replace(move, promotion=chess.QUEEN))
    forks = [fork.safe for fork in tactics.forks(piece, side) if fork.square == end]
    queen_forks = any(fork.square == end for fork in tactics.forks(queen, side))
    mated = tactics.mates(queen, not side) and not tactics.mates(piece, not side)
    stalemate = queen.is_stalemate() and not piece.is_stalemate()
    reasons = {
        "mate": (piece.is_checkmate(), "would not mate"),
        "stalemate": (stalemate, "would stalemate"),
        "mated": (mated, "would allow mate on the next move"),
        "fork": (any(forks) and not queen_forks, "would not fork"),
        "check": (piece.is_check() and not queen.is_check(), "would not give check"),
    }
    for reason, (holds, clause) in reasons.items():
        if holds and not queen.is_checkmate():
            text = f"a queen on {square_name(end)} {clause}"
            return Fact("underpromotion", "move", side, ends_of(move), reason, text)
    return None
