"""Material: who is ahead, by how much, who has more of something."""

from __future__ import annotations

from typing import Final

import chess
from chess import Board, Color, PieceType

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
#: The kinds of which a side ahead by a named amount has more.
_KINDS: Final[dict[str, tuple[PieceType, ...]]] = {
    **{chess.piece_name(kind): (kind,) for kind in range(1, 6)},
    **{"exchange": (chess.ROOK,), "piece": (2, 3, 4, 5)},
}


def lead(board: Board, side: Color) -> int:
    """Return by how many pawns a side is ahead; negative if it is behind."""
    balance = tactics.balance(board)
    if side:
        return balance
    return -balance


def more_of(board: Board, side: Color, *kinds: PieceType) -> int:
    """Return how many more pieces of these kinds a side has than the other."""
    own, other = (
        sum(board.pieces_mask(kind, colour).bit_count() for kind in kinds)
        for colour in (side, not side)
    )
    return own - other


def material(
    board: Board,
    side: Color | None = None,
    amount: str | None = None,
    number: Number | None = None,
) -> Finding:
    """Return whether a side is ahead by an amount, or so many pawns; 0 pawns is level."""
    evidence = _said(board)
    ahead = lead(board, side is not False)
    whole = amount in (None, "material")
    if whole and number is not None and 0 in number:
        unlike = any(more_of(board, chess.WHITE, kind) for kind in range(2, 6))
        return Finding(ahead == 0, evidence, abs(ahead) == 1 and unlike)
    if side is None:
        return Finding(None, f"which side is meant is not said; {evidence}")
    if not whole:
        return _by_amount(board, side, str(amount), number, evidence)
    if number is not None:
        return Finding(ahead in number, evidence)
    extra = more_of(board, side, *range(1, 6))
    return Finding(ahead > 0, evidence, arguable=ahead == 0 and extra != 0)


def _by_amount(
    board: Board, side: Color, amount: str, number: Number | None, evidence: str
) -> Finding:
    ahead = lead(board, side)
    kinds = _KINDS[amount]
    extra = more_of(board, side, *kinds)
    if number is not None:
        worth = ahead / tactics.VALUES[kinds[0]] in number
        holds = extra in number and ahead > 0
        return Finding(holds, evidence, arguable=worth or extra in number)
    least, most = AMOUNTS[amount]
    near = least - 1 < ahead <= most + 1
    pieces = more_of(board, side, *range(2, 6))
    if amount == "exchange":
        near &= extra > 0
        return Finding(extra == 1 and not pieces, evidence, arguable=near)
    holds = extra > 0 and least <= ahead <= most
    if amount == "pawn":
        holds = ahead == 1 or (extra == 1 and not pieces)
    elif amount == "piece":
        holds = extra > 0 and ahead > 0
    return Finding(holds, evidence, arguable=near or extra > 0)


def _said(board: Board) -> str:
    """Say who is ahead, and by what men: ``White is ahead by 3: 1 knight more``."""
    balance = tactics.balance(board)
    if not balance:
        return "material is level"
    ahead = balance > 0
    extras = {kind: more_of(board, ahead, kind) for kind in range(5, 0, -1)}
    parts = (
        f"{abs(extra)} {chess.piece_name(kind)} {'more' if extra > 0 else 'less'}"
        for kind, extra in extras.items()
        if extra
    )
    return f"{side_name(ahead)} is ahead by {abs(balance)}: {', '.join(parts)}"
