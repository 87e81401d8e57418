"""Gather the facts of a move, from the board and from an engine's verdict."""

from __future__ import annotations

import chess

from chessgloss.facts.deeds import check_fact, deed_facts
from chessgloss.facts.engine_facts import engine_facts
from chessgloss.facts.records import Fact, Facts, When
from chessgloss.facts.states import state_facts, survey
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext


def gather(move: MoveInContext, verdict: Verdict | None = None) -> Facts:
    """Gather what is true of a move.

    Facts of state (attacks, hanging pieces, pins, passed pawns and so on) are listed for the
    position before the move and for the one after it; what the move itself does is listed
    as of the move: captures, checks, castling, the material it brings, the exchange that it
    begins, and the forks, pins, skewers and discovered attacks that it makes. In threats the
    side to move *can* do at once what the other *threatens* to do after a pass.

    Parameters
    ----------
    move
        The move.
    verdict
        What an engine says of it (see :func:`chessgloss.facts.verdict.weigh`); without one
        there are no facts of the kinds in :data:`chessgloss.facts.records.ENGINE_KINDS`.

    Returns
    -------
    Facts
        Of the move, then before, then after it; within each the board's, then the engine's.
    """
    board = chess.Board(move.position.fen)
    after = board.copy(stack=False)
    after.push(move.move)
    told = tuple(engine_facts(move, verdict)) if verdict else ()
    start, end = survey(board), survey(after)
    facts = [*deed_facts(board, move.move, end), *_at("move", told)]
    facts += [*_standing_check(board), *state_facts(start, "before"), *_at("before", told)]
    facts += [*state_facts(end, "after"), *_at("after", told)]
    return Facts(move, tuple(facts))


def _at(when: When, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if fact.when == when)


def _standing_check(board: chess.Board) -> tuple[Fact, ...]:
    king = board.king(board.turn)
    checkers = tuple(board.checkers())
    if king is None or not checkers:
        return ()
    return (check_fact(board, not board.turn, checkers, king, standing=True),)
