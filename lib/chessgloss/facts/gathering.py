"""All facts of a move, gathered from the board and from an engine's verdict."""

from __future__ import annotations

from typing import get_args

from chess import Board

from chessgloss.facts.engine import engine_facts
from chessgloss.facts.known import known_facts
from chessgloss.facts.played import gains, special_moves, tactics_made
from chessgloss.facts.records import FactKind, Facts, When
from chessgloss.facts.state import checks, states
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext
from chessgloss.predicates import board as boards

_PLACE = {
    name: place for place, name in enumerate((*get_args(When), *get_args(FactKind)))
}


def gather(move: MoveInContext, verdict: Verdict | None = None) -> Facts:
    """Gather what is true of a move.

    Facts of state (attacks, hanging pieces, pins, passed pawns and so on) are listed for the
    position before the move and for the one after it; what the move itself does is listed
    as of the move: captures, checks, castling, the material it brings, the exchange that it
    begins, and the forks, pins, skewers and discovered attacks that it makes. In threats the
    side to move *can* do at once what the other *threatens* to do after a pass. What goes by
    name, openings, endings and draws, is among them (:func:`known_facts`); the history of the
    position counts there, as far as it is known.

    Parameters
    ----------
    move
        The move.
    verdict
        What an engine says of it (see :func:`chessgloss.facts.weigh`); without one there are
        no facts of the kinds in :data:`ENGINE_KINDS`.

    Returns
    -------
    Facts
        Of the move, then before, then after it; within each by kind, White's before Black's.

    Raises
    ------
    ValueError
        If the verdict is seen by the side that does not move.
    """
    board = Board(move.position.fen)
    after = boards.after_move(board, move.move)
    facts = [
        *checks(board, "before"),
        *states(board, "before"),
        *states(after, "after"),
    ]
    facts += [*special_moves(board, move.move), *checks(after, "move", board)]
    facts += [*gains(board, move.move, after), *tactics_made(board, move.move, facts)]
    facts += known_facts(move, board, after)
    facts += engine_facts(move, verdict) if verdict else []
    return Facts(
        move, tuple(sorted(facts, key=lambda f: (_PLACE[f.when], _PLACE[f.kind])))
    )
