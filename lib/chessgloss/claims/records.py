"""Claims as frozen records: what a text says, of whom, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import chess

from chessgloss.claims.notation import Notation

Kind = Literal[
    "move",
    "piece",
    "attack",
    "check",
    "capture",
    "mate",
    "tactic",
    "material",
    "structure",
    "evaluation",
]
Truth = Literal["true", "false", "not checkable"]

#: Where a claim was held against the board: before the move, after it, after the expected
#: reply, in a line that the text itself starts, or nowhere.
Anchor = Literal["before", "after", "reply", "line", "none"]

#: What part a term plays: pieces, a bare square, a written move, a side, or a pronoun that
#: stands for the move or for the piece last spoken of.
Role = Literal["piece", "square", "move", "side", "this"]

#: The moment that the words allow: before the move or after it, only one of them, or also
#: after the expected reply.
Tense = Literal["any", "before", "after", "later"]

#: The four causes of an incorrect comment (CCC paper, Table 2).
Cause = Literal[
    "illegal move or missing piece",
    "tactical or immediate advantage",
    "positional or long-term advantage",
    "evaluation of the move or position",
]

#: The cause that a false claim of each kind counts under.
CAUSES: dict[Kind, Cause] = {
    "move": "illegal move or missing piece",
    "piece": "illegal move or missing piece",
    "attack": "tactical or immediate advantage",
    "check": "tactical or immediate advantage",
    "capture": "tactical or immediate advantage",
    "mate": "tactical or immediate advantage",
    "tactic": "tactical or immediate advantage",
    "material": "tactical or immediate advantage",
    "structure": "positional or long-term advantage",
    "evaluation": "evaluation of the move or position",
}

ALL_PIECES: frozenset[chess.PieceType] = frozenset(chess.PIECE_TYPES)


@dataclass(frozen=True, slots=True)
class Stance:
    """How a claim is put: denied, only supposed, or asked.

    Parameters
    ----------
    negated
        The text denies it (``does not attack``).
    supposed
        The text does not say that it is so: ``if``, ``would have``, plans.
    able
        It is said to be possible: ``can``, ``could``, ``may``.
    asked
        It stands in a question.
    """

    negated: bool = False
    supposed: bool = False
    able: bool = False
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """What a phrase refers to.

    Parameters
    ----------
    role
        The part it plays.
    text, span
        The phrase, and where it stands in the text (start, end).
    side
        Whose, if the words say so.
    pieces
        Types of piece that the words allow; all of them for a word such as ``piece``.
    square
        The square named, if any (0 is a1).
    file
        The file named (0 is the a-file), if no square is.
    shade
        ``True`` for light-squared, ``False`` for dark-squared.
    move
        The written move, for a move (or a piece named as ``the Bc4``).
    definite
        The phrase speaks of a piece that is there (``the``, ``his``), not of any (``a``); for
        a move, that it can only be read as one.
    options
        For a pronoun: the terms it may stand for, nearest first.
    numbered
        For a move: the ply that its number names, counted as python-chess does (0 is
        White's first move).
    """

    role: Role
    text: str
    span: tuple[int, int]
    side: chess.Color | None = None
    pieces: frozenset[chess.PieceType] = ALL_PIECES
    square: chess.Square | None = None
    file: int | None = None
    shade: bool | None = None
    move: Notation | None = None
    definite: bool = True
    options: tuple[Term, ...] = ()
    numbered: int | None = None

    def matches(self, square: chess.Square, piece: chess.Piece) -> bool:
        """Tell whether a piece on a square is one that the phrase can mean."""
        return (
            piece.piece_type in self.pieces
            and self.side in (None, piece.color)
            and self.square in (None, square)
            and self.file in (None, chess.square_file(square))
            and self.shade in (None, bool(chess.BB_LIGHT_SQUARES & chess.BB_SQUARES[square]))
        )

    def found(self, board: chess.Board) -> list[chess.Square]:
        """Return the squares of a board's pieces that the phrase can mean."""
        if self.role == "this":
            return [square for term in self.options for square in term.found(board)]
        if self.role not in ("piece", "square"):
            return []
        if self.square is not None:
            piece = board.piece_at(self.square)
            return [self.square] if piece and self.matches(self.square, piece) else []
        return [
            square for square, piece in board.piece_map().items() if self.matches(square, piece)
        ]


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable thing that a text says.

    Parameters
    ----------
    kind
        Its kind, one of ten.
    text, span
        The words, and where they stand in the text (start, end).
    relation
        What exactly is said within the kind: ``attacks``, ``defends``, ``hanging`` ...
    subjects
        Terms any of which may be the one that acts; empty if the words name none.
    objects
        Terms all of which are acted on.
    stance
        Denied, supposed, asked.
    tense
        The moment that the words allow.
    detail
        A further word or number that the relation needs (a side, a count, a bound).
    together
        Every one of the subjects acts (``the queen and the rook attack``), not any of them.
    """

    kind: Kind
    text: str
    span: tuple[int, int]
    relation: str
    subjects: tuple[Term, ...] = ()
    objects: tuple[Term, ...] = ()
    stance: Stance = field(default=Stance())
    tense: Tense = "any"
    detail: tuple[str, ...] = ()
    together: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"no such kind of claim: {self.kind!r}")
        if not 0 <= self.span[0] < self.span[1]:
            raise ValueError(f"a claim needs words: its span is {self.span}")


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim and what came of it.

    Parameters
    ----------
    claim
        The claim.
    verdict
        ``true``, ``false``, or ``not checkable``.
    evidence
        The board fact or the engine's line that decides it, in words.
    anchor
        The moment it was held against.
    """

    claim: Claim
    verdict: Truth
    evidence: str
    anchor: Anchor

    @property
    def cause(self) -> Cause | None:
        """The cause of error (CCC paper, Table 2) that a false claim counts under."""
        return CAUSES[self.claim.kind] if self.verdict == "false" else None
