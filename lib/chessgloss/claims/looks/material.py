"""Looks at material: who is ahead, and how many pieces there are."""

from __future__ import annotations

import chess

from chessgloss.claims.lexicon import noun_pieces
from chessgloss.claims.looks.finding import Finding, truth, unknown
from chessgloss.claims.parser import Claim
from chessgloss.claims.scene import Moment, Scene
from chessgloss.facts import tactics
from chessgloss.facts.fact import side_name


def ahead(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is ahead (or behind) in material, by what is said if anything is.

    Where no side is named, either may be.
    """
    behind = claim.relation == "behind"
    sides = [bool(term.side) != behind for term in claim.subjects] or list(chess.COLORS)
    findings = [_is_ahead(claim, moment.board, side) for side in sides]
    return next(
        (finding for finding in findings if finding.outcome == "holds"), findings[0]
    )


def _is_ahead(claim: Claim, board: chess.Board, side: chess.Color) -> Finding:
    pawns_up = tactics.balance(board) * (1 if side else -1)
    more = [
        len(board.pieces(kind, side)) - len(board.pieces(kind, not side))
        for kind in chess.PIECE_TYPES
    ]
    knights, bishops, rooks, _ = figures = more[1:5]
    count = 1 if claim.detail.count is None else claim.detail.count
    unit = claim.detail.unit
    word = "".join(unit.split()[-1:]).removesuffix("s")
    pieces_up = (sum(figures) == count and pawns_up > 0) or pawns_up == 3 * count
    is_ahead = {
        "": pawns_up > 0,
        "point": pawns_up == count,
        "piece": pieces_up,
        "minor": pieces_up,
        "exchange": rooks == count and knights + bishops == -count,
    }.get(word)
    if is_ahead is None:
        (kind,) = noun_pieces(word)
        least = count if kind == chess.PAWN else 1
        exact = pawns_up == tactics.VALUES[kind] * count
        is_ahead = exact or (more[kind - 1] == count and pawns_up >= least)
    return truth(is_ahead, f"{side_name(side)} is {pawns_up:+d} in pawns")


def level(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether material is equal."""
    pawns_up = tactics.balance(moment.board)
    return truth(pawns_up == 0, f"White is {pawns_up:+d} in pawns")


def pair(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has bishops on both colours of squares."""
    bishops = moment.board.pieces(chess.BISHOP, bool(claim.subjects[0].side))
    both = bool(bishops & chess.BB_LIGHT_SQUARES) and bool(
        bishops & chess.BB_DARK_SQUARES
    )
    return truth(both, f"it has {len(bishops)} bishops")


def counts(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has as many pieces of a kind as is said."""
    side = bool(claim.subjects[0].side)
    noun = claim.detail.noun.split()[-1]
    if noun.startswith("piece"):
        return unknown("what counts as a piece is not said")
    have = _count(moment.board, noun, side)
    wanted = claim.detail.count or 0
    evidence = f"it has {have} {noun}"
    if claim.detail.more:
        return truth(have - _count(moment.board, noun, not side) == wanted, evidence)
    if have > wanted and not claim.detail.whole:
        return unknown(f"{evidence}, more than the text speaks of")
    return truth(have == wanted, evidence)


def _count(board: chess.Board, noun: str, side: chess.Color) -> int:
    return sum(len(board.pieces(kind, side)) for kind in noun_pieces(noun))


def counts_both(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether both sides have as many pieces of a kind as is said; none if no number is."""
    have = [_count(moment.board, claim.detail.noun, side) for side in chess.COLORS]
    wanted = claim.detail.count or 0
    return truth(have == [wanted, wanted], f"they have {have[0]} and {have[1]}")
