"""Looks at the board: forks, pins, skewers, discovered attacks."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from chessgloss.claims.actors import acting_squares, name
from chessgloss.claims.outcomes import Finding, absent, fails, holds, unknown
from chessgloss.claims.records import Claim, Term
from chessgloss.claims.scene import Moment, Scene
from chessgloss.facts.board import line_pieces
from chessgloss.facts.tactics import VALUES, discovered_attacks

_WORTH = {**VALUES, chess.KING: 100}


def forks(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether one piece attacks all that it is said to fork, and two pieces at least."""
    board = moment.board
    actors = acting_squares(claim.subjects, moment)
    if not actors:
        return absent("there is no such piece")
    if any(term.role == "side" for term in claim.subjects) and claim.objects:
        everything = [one for actor in actors for one in _hit(board, actor)]
        if all(_among(term, board, everything) for term in claim.objects):
            return holds("its pieces attack all of them")
    for actor in actors:
        hit = _hit(board, actor)
        if len(hit) >= 2 and all(_among(term, board, hit) for term in claim.objects):
            targets = " and ".join(name(board, square) for square in hit)
            return holds(f"{name(board, actor)} attacks {targets}")
    return fails("no such piece attacks all of them at once")


def _hit(board: chess.Board, actor: chess.Square) -> list[chess.Square]:
    enemies = board.occupied_co[not board.color_at(actor)]
    return list(chess.scan_forward(board.attacks_mask(actor) & enemies))


def _among(term: Term, board: chess.Board, squares: list[chess.Square]) -> bool:
    if term.role == "square":
        return term.square in squares
    return bool(set(term.found(board)) & set(squares))


def pins(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece is pinned, to what is said if anything is."""
    board = moment.board
    pinned, *behind = claim.objects
    front_squares = acting_squares([pinned], moment)
    if not front_squares:
        return absent(f"there is no {pinned.text}")
    named_actors = [term for term in claim.subjects if term.role != "square"]
    actors = set(acting_squares(named_actors, moment)) if named_actors else None
    if actors is not None and not actors:
        return fails("no such pin")
    doubtful = False
    for pinner, front, back in lines(board):
        if (actors is not None and pinner not in actors) or front not in front_squares:
            continue
        named = bool(behind) and _among(behind[0], board, [back])
        if named or (not behind and _worth(board, back) > _worth(board, front)):
            return holds(f"{name(board, pinner)} pins {name(board, front)} to {name(board, back)}")
        doubtful = doubtful or not behind
    return unknown("something stands behind it") if doubtful else fails("no such pin")


def skewers(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a line piece attacks one piece through another."""
    board = moment.board
    actors = set(acting_squares(claim.subjects, moment))
    if not actors:
        return absent("there is no such piece")
    for actor, front, back in lines(board):
        squares = [front, back]
        if actor in actors and all(_among(term, board, squares) for term in claim.objects):
            return holds(
                f"{name(board, back)} stands behind {name(board, front)}, "
                f"attacked by {name(board, actor)}"
            )
    return fails("no such pieces stand on one line")


def lines(board: chess.Board) -> Iterator[tuple[chess.Square, chess.Square, chess.Square]]:
    """Yield each line piece with two enemy pieces behind each other on its line."""
    for colour in chess.COLORS:
        for back in chess.scan_forward(board.occupied_co[not colour]):
            for start in chess.scan_forward(line_pieces(board, colour, back)):
                between = chess.between(start, back) & board.occupied
                if between.bit_count() == 1 and between & board.occupied_co[not colour]:
                    yield start, between.bit_length() - 1, back


def _worth(board: chess.Board, square: chess.Square) -> int:
    return _WORTH[board.piece_type_at(square) or chess.PAWN]


def discovers(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move of a moment opens an attack for another piece."""
    if moment.last is None:
        return absent("no move led here")
    found = discovered_attacks(*moment.last)
    if not found:
        return fails("the move opens no attack for another piece")
    one = found[0]
    return holds(f"{name(moment.board, one.square)} now attacks {name(moment.board, one.target)}")
