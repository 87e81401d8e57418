"""All questions whose answers the chapters on commentary show, in the order to record them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import chess

from chessgloss.commentary.briefings import Briefing
from chessgloss.commentary.methods import METHODS, request_comment
from chessgloss.llm import Request

#: Methods whose prompts begin alike for one move: asked move by move, the server reads the
#: common part once.
GUIDED = tuple(name for name, method in METHODS.items() if method.concepts is not None)
PLAIN = tuple(name for name in METHODS if name not in GUIDED)

#: Numbers of concepts tried beside the five, and on how many of the moves.
OTHER_COUNTS, VARIED_MOVES = (3, 8), 20


def commentary_requests(briefings: Sequence[Briefing]) -> list[Request]:
    """Return every question of the chapter on commentary, the headline methods first."""
    plain = [request_comment(one, name) for name in PLAIN for one in briefings]
    guided = [request_comment(one, name) for one in briefings for name in GUIDED]
    return [*plain, *guided, *count_requests(briefings), *notation_requests(briefings)]


def notation_requests(briefings: Iterable[Briefing], method: str = "ccc") -> list[Request]:
    """Return the questions with PGN in place of FEN, where the game is known from its start."""
    return [
        request_comment(one, method, notation="pgn") for one in briefings if known_from_start(one)
    ]


def count_requests(briefings: Sequence[Briefing], method: str = "ccc") -> list[Request]:
    """Return the questions with other numbers of concepts, for some of the moves.

    Every n-th move is taken, so that all lectures take part.
    """
    step = max(1, len(briefings) // VARIED_MOVES)
    return [
        request_comment(one, method, count=count)
        for one in briefings[::step][:VARIED_MOVES]
        for count in OTHER_COUNTS
    ]


def known_from_start(briefing: Briefing) -> bool:
    """Return whether the game that led to the move is known from the initial position."""
    position = briefing.move.position
    return position.root == chess.STARTING_FEN and bool(position.moves)
