"""Looks at forks, pins and discovered attacks."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import chess

from chessgloss.claims.looks.finding import (
    NO_MOVE,
    Finding,
    absent,
    fails,
    holds,
    unknown,
)
from chessgloss.claims.parser import THIS, Claim, Term
from chessgloss.claims.scene import Moment, Scene, acting_squares, name
from chessgloss.predicates import tactics


def forks(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether one piece attacks all that it is said to fork, and two pieces at least."""
    board, named = moment.board, claim.objects
    actors = acting_squares(claim.subjects or [THIS], moment)
    if not actors:
        return absent("there is no such piece")
    targets = [
        [*(board.attacks(actor) & board.occupied_co[not board.color_at(actor)])]
        for actor in actors
    ]
    together = [*chain.from_iterable(targets)]
    of_side = named and any(term.role == "side" for term in claim.subjects)
    if of_side and all(_is_among(term, board, together) for term in named):
        return holds("its pieces attack all of them")
    for actor, attacked in zip(actors, targets, strict=True):
        if len(attacked) >= 2 and all(
            _is_among(term, board, attacked) for term in named
        ):
            names = " and ".join(name(board, square) for square in attacked)
            return holds(f"{name(board, actor)} attacks {names}")
    return fails("no such piece attacks all of them at once")


def _is_among(term: Term, board: chess.Board, squares: Iterable[chess.Square]) -> bool:
    meant = [term.square] if term.role == "square" else term.squares(board)
    return not {*squares}.isdisjoint(meant)


def pins(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece is pinned, to what is said if anything is.

    Of a skewer either of the two pieces on the line may be named first.
    """
    board = moment.board
    (pinned, *behind) = claim.objects
    skewer = claim.relation == "skewers"
    fronts = acting_squares([pinned], moment)
    if not fronts:
        return absent(f"there is no {pinned.text}")
    named = [term for term in claim.subjects if term.role != "square"]
    actors = acting_squares(named, moment)
    doubtful = False
    lines = chain.from_iterable(tactics.lines(board, colour) for colour in chess.COLORS)
    for pinner, front, back in lines:
        ends = (front, back) if skewer else (front,)
        if (named and pinner not in actors) or {*ends}.isdisjoint(fronts):
            continue
        rises = skewer or tactics.worth(board, back) > tactics.worth(board, front)
        if _is_among(behind[0], board, (*ends[:-1], back)) if behind else rises:
            return holds(
                f"{name(board, pinner)} pins {name(board, front)} to {name(board, back)}"
            )
        doubtful = doubtful or not behind
    return unknown("something stands behind it") if doubtful else fails("no such pin")


def discovers(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move of a moment opens an attack for another piece."""
    if moment.last is None:
        return NO_MOVE
    for square, target, _ in tactics.discovered_attacks(*moment.last):
        return holds(
            f"{name(moment.board, square)} now attacks {name(moment.board, target)}"
        )
    return fails("the move opens no attack for another piece")
