"""Material: who is ahead, by how much, who has more of something."""

from __future__ import annotations

from typing import Final

import chess

from chessgloss.predicates import tactics
from chessgloss.predicates.attacks import Number
from chessgloss.predicates.finding import Finding
from chessgloss.predicates.words import side_name

#: Least and most pawns by which a side is ahead by a named amount, and the piece of which it has
#: more. Between the bounds it is so; beyond them, and with the piece, it is arguable.
AMOUNTS: Final[dict[str, tuple[float, float]]] = {
    "pawn": (1, 1),
    "exchange": (1, 2),
    "knight": (2, 4),
    "bishop": (2, 4),
    "piece": (2, 4),
    "rook": (4, 6),
    "queen": (7, 10),
    "material": (1, 100),
}
_KINDS = {chess.piece_name(kind): kind for kind in range(1, 7)}


def lead(board: chess.Board, side: chess.Color) -> int:
    """Return by how many pawns a side is ahead; negative if it is behind."""
    balance = tactics.balance(board)
    return balance if side else -balance


def more_of(board: chess.Board, side: chess.Color, *kinds: chess.PieceType) -> int:
    """Return how many more pieces of these kinds a side has than the other."""
    own, other = (
        sum(board.pieces_mask(kind, colour).bit_count() for kind in kinds)
        for colour in (side, not side)
    )
    return own - other


def material(
    board: chess.Board,
    side: chess.Color | None = None,
    amount: str | None = None,
    number: Number | None = None,
) -> Finding:
    """Return whether a side is ahead by an amount, or so many pawns; 0 pawns is level."""
    ahead = lead(board, bool(side) if side is not None else chess.WHITE)
    evidence = _said(board)
    if number is not None and 0 in number and amount is None:
        unlike = any(more_of(board, chess.WHITE, kind) for kind in range(2, 6))
        return Finding(ahead == 0, evidence, arguable=abs(ahead) == 1 and unlike)
    if side is None:
        return Finding(None, f"which side is meant is not said; {evidence}")
    if number is not None:
        return _by_number(board, side, amount, number, evidence)
    if amount in (None, "material"):
        few = ahead == 0 and bool(more_of(board, side, *range(1, 6)))
        return Finding(ahead > 0, evidence, arguable=few)
    return Finding(*_by_amount(board, side, amount or "", evidence))


def _by_number(
    board: chess.Board,
    side: chess.Color,
    amount: str | None,
    number: Number,
    evidence: str,
) -> Finding:
    ahead = lead(board, side)
    if amount is None or amount == "material":
        return Finding(ahead in number, evidence)
    groups: dict[str, tuple[int, ...]] = {"piece": (2, 3, 4, 5), "exchange": (4,)}
    kinds = groups.get(amount) or (_KINDS[amount],)
    by_men = more_of(board, side, *kinds) in number
    by_worth = ahead / tactics.VALUES[min(kinds)] in number
    return Finding(by_men and ahead > 0, evidence, arguable=by_worth or by_men)


def _by_amount(
    board: chess.Board, side: chess.Color, amount: str, evidence: str
) -> tuple[bool, str, bool]:
    ahead = lead(board, side)
    pieces = more_of(board, side, 2, 3, 4, 5)
    least, most = AMOUNTS[amount]
    within = least <= ahead <= most
    if amount == "pawn":
        extra = more_of(board, side, chess.PAWN)
        return (
            within or (extra == 1 and not pieces),
            evidence,
            0 < ahead <= 2 or extra > 0,
        )
    if amount == "exchange":
        rooks = more_of(board, side, chess.ROOK)
        minors = -more_of(board, side, chess.KNIGHT, chess.BISHOP)
        return rooks == minors == 1, evidence, 0 < ahead <= 4 and rooks > 0
    if amount == "piece":
        return pieces >= 1 and ahead >= 1, evidence, pieces >= 1 or ahead >= 2
    has_more = more_of(board, side, _KINDS[amount]) > 0
    return within and has_more, evidence, ahead > 0 or has_more


def _said(board: chess.Board) -> str:
    """Say who is ahead: ``White is 3 pawns ahead``, and by what men."""
    balance = tactics.balance(board)
    if not balance:
        return "material is level"
    ahead = balance > 0
    unit = "point" if abs(balance) == 1 else "points"
    differences = []
    for kind in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN):
        more = more_of(board, ahead, kind)
        if more:
            name = chess.piece_name(kind) + ("s" if abs(more) > 1 else "")
            differences.append(f"{abs(more)} {name} {'more' if more > 0 else 'fewer'}")
    return (
        f"{side_name(ahead)} is {abs(balance)} {unit} ahead: {', '.join(differences)}"
    )
