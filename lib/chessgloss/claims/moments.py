"""The positions that a claim may be of, and what its references and moves mean there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import chess
from chess import (
    Board,
    Color,
    Move,
    PieceType,
    Square,
    scan_forward,
    square_distance,
    square_rank,
)

from chessgloss.claims.language import (
    ANY_KIND,
    Change,
    MoveSpec,
    Reference,
    SquarePattern,
)
from chessgloss.positions import MoveInContext
from chessgloss.predicates import board as boards
from chessgloss.predicates.finding import Anchor, last_move, legal_moves, turned

#: Most positions that a line is followed to.
MOST_BRANCHES = 250


@dataclass(frozen=True, slots=True)
class Moment:
    """A position that a claim may be of.

    Parameters
    ----------
    board
        The position, with the moves that led to it on its stack.
    moved
        Where the piece of the move under discussion stands, king and rook after castling; empty
        if it has been taken.
    anchor
        Which position it is.
    """

    board: Board
    moved: tuple[Square, ...]
    anchor: Anchor

    def after(self, move: Move) -> Moment:
        """Return the moment after one move more; a null move passes."""
        board = self.board.copy()
        board.push(move)
        start, end = move.from_square, move.to_square
        kept = (end if each == start else each for each in self.moved if each != end)
        return Moment(board, tuple(kept) if move else self.moved, "line")

    def on_turn(self, side: Color | None) -> Moment:
        """Return the moment with a side to move, after a pass if need be."""
        return replace(self, board=turned(self.board, side))

    def squares(self, reference: Reference) -> list[Square]:
        """Return the squares that a reference can mean."""
        board = self.board
        if reference.role == "moved":
            return list(self.moved)
        if reference.role == "last":
            last = last_move(board)
            return boards.moved_squares(board, last)[:1] if last else []
        place = (
            chess.BB_ALL if reference.place is None else int(reference.place.squares)
        )
        if reference.role == "square":
            return list(scan_forward(place))
        if reference.shade:
            light = reference.shade == "light"
            place &= chess.BB_LIGHT_SQUARES if light else chess.BB_DARK_SQUARES
        if reference.side is not None:
            place &= board.occupied_co[reference.side]
        there = scan_forward(place & board.occupied)
        if reference.kinds == ANY_KIND:
            return list(there)
        return [each for each in there if board.piece_type_at(each) in reference.kinds]

    def moves(self, spec: MoveSpec, side: Color | None = None) -> list[Move]:
        """Return the moves of a side (of that on turn) that fit a description."""
        board = turned(self.board, side)
        return [move for move in legal_moves(board) if fits(board, move, spec)]


def moment_before(move: MoveInContext) -> Moment:
    """Return the position before a move, with its history as far as it is known."""
    return Moment(move.position.board(), (move.move.from_square,), "before")


def moment_after(before: Moment, move: Move) -> Moment:
    """Return the position after the move under discussion."""
    board = before.board.copy()
    moved = tuple(boards.moved_squares(board, move))
    board.push(move)
    return Moment(board, moved, "after")


def played_on(start: Moment, line: Sequence[MoveSpec]) -> list[Moment]:
    """Return the positions that a line leads to from a moment; empty if it cannot be played.

    A first move that the side on turn has not may be the other side's, after a pass.
    """
    moments = [start]
    for place, spec in enumerate(line):
        if spec.passes:
            moments = [each.after(Move.null()) for each in moments]
            continue
        following = [next_ for each in moments for next_ in _following(each, spec)]
        if not following and place == 0:
            passed = start.after(Move.null())
            following = list(_following(passed, spec))
        moments = following[:MOST_BRANCHES]
    return moments


def _following(moment: Moment, spec: MoveSpec) -> Iterator[Moment]:
    for move in moment.moves(spec):
        yield moment.after(move)


# ---------------------------------------------------------------- moves


def fits(board: Board, move: Move, spec: MoveSpec) -> bool:
    """Return whether a legal move is as described."""
    taken = boards.taken_on(board, move)
    kind = None if taken is None else board.piece_type_at(taken)
    return (
        not spec.passes
        and (spec.kinds is None or board.piece_type_at(move.from_square) in spec.kinds)
        and _goes(board, move, spec)
        and _is_so(kind, spec.captures)
        and _is_so(move.promotion, spec.promotes)
        and (spec.castles is None or _castles(board, move, spec.castles))
        and spec.en_passant in (None, board.is_en_passant(move))
        and (spec.check is None or board.gives_check(move) == spec.check)
        and (
            spec.mate is None
            or boards.after_move(board, move).is_checkmate() == spec.mate
        )
    )


def _goes(board: Board, move: Move, spec: MoveSpec) -> bool:
    start, end = move.from_square, move.to_square
    if isinstance(spec.target, SquarePattern):
        reached = end in spec.target.squares
    else:
        last = last_move(board) if spec.target else None
        # without a history any square may be meant
        reached = last is None or end == last.to_square
    return (
        reached
        and (spec.origin is None or start in spec.origin.squares)
        and spec.steps in (None, square_distance(start, end))
        and (spec.direction is None or spec.direction in directions(board, move))
    )


def _is_so(kind: PieceType | None, said: Change | None) -> bool:
    """Return whether what a move takes, or becomes, is as said."""
    if isinstance(said, frozenset):
        return kind in said
    return said in (None, kind is not None)


def directions(board: Board, move: Move) -> set[str]:
    """Return how a move may be said to go: forward, backward, sideways."""
    ranks = square_rank(move.to_square) - square_rank(move.from_square)
    if ranks == 0:
        # a retreat or a step aside along the rank is both
        return {"sideways", "backward"}
    ahead = (ranks > 0) == board.color_at(move.from_square)
    return {"forward"} if ahead else {"backward"}


def _castles(board: Board, move: Move, wing: str) -> bool:
    if wing == "kingside":
        return board.is_kingside_castling(move)
    if wing == "queenside":
        return board.is_queenside_castling(move)
    return board.is_castling(move)


# ---------------------------------------------------------------- words


def reference_words(reference: Reference) -> str:
    """Return a reference in words: ``black knight on f6``, ``white piece on the d-file``."""
    if reference.role in ("moved", "last"):
        return "piece that moved"
    place = _place_words(reference.place.text) if reference.place else ""
    if reference.role == "square":
        return place
    words = [_KIND_WORDS.get(reference.kinds, "piece")]
    if reference.shade:
        words.insert(0, f"{reference.shade}-squared")
    if reference.side is not None:
        words.insert(0, chess.COLOR_NAMES[reference.side])
    if place:
        words.append(f"on {place}")
    return " ".join(words)


_KIND_WORDS = {
    **{frozenset([kind]): chess.piece_name(kind) for kind in range(1, 7)},
    frozenset((2, 3)): "minor piece",
    frozenset((4, 5)): "rook or queen",
}


def _place_words(place: str) -> str:
    if place.endswith("?"):
        return f"the {place[:-1].strip('[]')}-file"
    if place.startswith("?"):
        return f"rank {place[1:].strip('[]')}"
    return place


def move_words(spec: MoveSpec) -> str:
    """Return what is said of a move, in words: ``Nxd5``, ``knight capture with check``."""
    if not spec.text.startswith("{"):
        return "move" if spec.text == "*" else spec.text
    words = []
    if spec.kinds in _KIND_WORDS:
        words.append(_KIND_WORDS[spec.kinds])
    words.append("castling" if spec.castles else "capture" if spec.captures else "move")
    if isinstance(spec.captures, frozenset) and spec.captures in _KIND_WORDS:
        words.append(f"of a {_KIND_WORDS[spec.captures]}")
    if isinstance(spec.target, SquarePattern):
        words.append(f"to {_place_words(spec.target.text)}")
    signs = {
        "with check": spec.check,
        "with mate": spec.mate,
        "with promotion": spec.promotes,
        "en passant": spec.en_passant,
    }
    return " ".join((*words, *(word for word, value in signs.items() if value)))
