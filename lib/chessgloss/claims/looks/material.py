"""Looks at material: who is ahead, and how many pieces there are."""

from __future__ import annotations

import chess

from chessgloss.claims.lexicon import noun_pieces
from chessgloss.claims.looks.finding import Finding, truth, unknown
from chessgloss.claims.parser import Claim
from chessgloss.claims.scene import Moment, Scene
from chessgloss.facts import tactics
from chessgloss.facts.words import side_name


def ahead(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is ahead (or behind) in material, by what is said if anything is.

    Where no side is named, either may be.
    """
    sides = [bool(term.side) for term in claim.subjects]
    if claim.relation == "behind":
        sides = [not side for side in sides]
    findings = [_is_ahead(claim, moment.board, side) for side in sides or chess.COLORS]
    for finding in findings:
        if finding.outcome == "holds":
            return finding
    return findings[0]


def _is_ahead(claim: Claim, board: chess.Board, side: chess.Color) -> Finding:
    pawns_up = tactics.balance(board)
    if side == chess.BLACK:
        pawns_up = -pawns_up
    count = 1 if claim.detail.count is None else claim.detail.count
    word = "".join(claim.detail.unit.split()[-1:]).removesuffix("s")
    is_ahead = _is_ahead_by(word, count, pawns_up, _surplus(board, side))
    return truth(is_ahead, f"{side_name(side)} is {pawns_up:+d} in pawns")


def _surplus(board: chess.Board, side: chess.Color) -> dict[chess.PieceType, int]:
    """Return how many pieces of each type a side has more than the other."""
    surplus = {}
    for kind in chess.PIECE_TYPES:
        own = len(board.pieces(kind, side))
        other = len(board.pieces(kind, not side))
        surplus[kind] = own - other
    return surplus


def _is_ahead_by(
    unit: str, count: int, pawns_up: int, surplus: dict[chess.PieceType, int]
) -> bool:
    """Tell whether a side is ahead by so many units, by worth or by the pieces themselves.

    A piece is three pawns, or one more of the knights, bishops, rooks and queens; the exchange
    is a rook for a knight or a bishop.
    """
    minors = surplus[chess.KNIGHT] + surplus[chess.BISHOP]
    rooks = surplus[chess.ROOK]
    if unit == "":
        return pawns_up > 0
    if unit == "point":
        return pawns_up == count
    if unit in ("piece", "minor"):
        more = minors + rooks + surplus[chess.QUEEN] == count
        return (more and pawns_up > 0) or pawns_up == 3 * count
    if unit == "exchange":
        return rooks == count and minors == -count
    (kind,) = noun_pieces(unit)
    if pawns_up == tactics.VALUES[kind] * count:
        return True
    least = count if kind == chess.PAWN else 1
    return surplus[kind] == count and pawns_up >= least


def level(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether material is equal."""
    pawns_up = tactics.balance(moment.board)
    return truth(pawns_up == 0, f"White is {pawns_up:+d} in pawns")


def pair(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has bishops on both colours of squares."""
    side = bool(claim.subjects[0].side)
    bishops = moment.board.pieces(chess.BISHOP, side)
    light = bool(bishops & chess.BB_LIGHT_SQUARES)
    dark = bool(bishops & chess.BB_DARK_SQUARES)
    return truth(light and dark, f"it has {len(bishops)} bishops")


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
        other = _count(moment.board, noun, not side)
        return truth(have - other == wanted, evidence)
    if have > wanted and not claim.detail.whole:
        return unknown(f"{evidence}, more than the text speaks of")
    return truth(have == wanted, evidence)


def _count(board: chess.Board, noun: str, side: chess.Color) -> int:
    return sum(len(board.pieces(kind, side)) for kind in noun_pieces(noun))


def counts_both(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether both sides have as many pieces of a kind as is said; none if no number is."""
    noun = claim.detail.noun
    white = _count(moment.board, noun, chess.WHITE)
    black = _count(moment.board, noun, chess.BLACK)
    wanted = claim.detail.count or 0
    evidence = f"they have {white} and {black}"
    return truth(white == black == wanted, evidence)
