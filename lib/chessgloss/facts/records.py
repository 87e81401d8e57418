"""Facts as frozen records: what holds, of whom, on which squares, and who says so.

What the kinds hold, ``side`` being the mover's or the piece's owner's unless said:

===================  ==================================  ======================================
kind                 squares                             value
===================  ==================================  ======================================
capture, en_passant  from, to (and the taken pawn's)     the taken piece's letter
promotion            from, to                            the new piece's letter
castling             king from, to, rook from, to        ``kingside`` or ``queenside``
check, mate          the checking pieces, the king       none; a check that stands before the
                                                         move is a fact of ``before``
discovered_check     the checking pieces that did not
                     move, the king                      none
double_check         the checking pieces, the king       none
stalemate            the king; its side                  none
material             of the move: from, to               pawns that the move brings
material             before, after: none; the side       pawns by which it is ahead, 0 if level
                     ahead, or nobody
exchange             to, from, who can take back         pawns the mover wins by exchange
attack, defence      the acting piece, the other         ``barred`` if the rules forbid taking
hanging              the piece                           pawns that its loss costs
fork                 the piece, what it forks            ``safe``, or ``loose`` if it hangs
pin, skewer          the piece, in front, behind         ``absolute`` (a king) or ``relative``
discovered_attack    the piece, what it attacks          pawns that its capture wins
threat               from, to, what is won               the move in UCI
passed_pawn          the pawn                            ranks that it has still to go
doubled_pawns        the pawns of one file               their number
isolated_pawn        the pawn                            none
open_file            rooks and queens on it (half-open:  the file's letter; half-open if it has
                     the side's own)                     a side, the one without a pawn
king_shelter         the king, its pawns                 their number
evaluation           none                                centipawns for the mover (mate in n:
                                                         10,000 - n)
win_probability      none                                chance of the mover, 0 to 1
centipawn_loss       from, to                            centipawns, at least 0
move_rank            from, to                            1 to 5, or none
mistake              from, to                            ``Excellent`` to ``Blunder``
best_line            the best move's from, to            UCI moves
expected_reply       its from, to; the opponent          UCI move
===================  ==================================  ======================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import chess

from chessgloss.positions import MoveInContext

FactKind = Literal[
    # the move itself
    "capture",
    "en_passant",
    "promotion",
    "castling",
    "check",
    "discovered_check",
    "double_check",
    "mate",
    "stalemate",
    # pieces against pieces
    "material",
    "exchange",
    "attack",
    "defence",
    "hanging",
    "fork",
    "pin",
    "skewer",
    "discovered_attack",
    "threat",
    # pawns, files and kings
    "passed_pawn",
    "doubled_pawns",
    "isolated_pawn",
    "open_file",
    "king_shelter",
    # what an engine says
    "evaluation",
    "win_probability",
    "centipawn_loss",
    "move_rank",
    "best_line",
    "expected_reply",
    "mistake",
]

#: When a fact holds: in the position before the move, of the move itself, or in the position
#: after it.
When = Literal["before", "move", "after"]

#: Kinds that only an engine's analysis can give.
ENGINE_KINDS: frozenset[FactKind] = frozenset(
    {
        "evaluation",
        "win_probability",
        "centipawn_loss",
        "move_rank",
        "best_line",
        "expected_reply",
        "mistake",
    }
)


_KINDS = frozenset(get_args(FactKind))
_TIMES = frozenset(get_args(When))
_SQUARES = frozenset(chess.SQUARE_NAMES)


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is true of a move.

    Parameters
    ----------
    kind
        What it is.
    when
        Before the move, of the move, or after it.
    side
        Whose piece, pawn, king or advantage it is; ``None`` for what belongs to nobody (an
        open file).
    squares
        Squares concerned, the acting piece first, then those acted on: ``("f7", "d8", "h8")``
        for a knight on f7 that forks d8 and h8.
    value
        The amount (pawns of material, centipawns, a probability), a move or a line in UCI, or
        a piece's letter; ``None`` where the squares say all.
    provenance
        ``board``, or the name and version of the engine that was asked.
    text
        The fact as a plain English clause without a full stop: ``the knight on f7 forks the
        rook on h8 and the queen on d8``.
    """

    kind: FactKind
    when: When
    side: chess.Color | None
    squares: tuple[str, ...]
    value: int | float | str | tuple[str, ...] | None
    provenance: str
    text: str

    def __post_init__(self) -> None:
        if self.kind not in _KINDS or self.when not in _TIMES:
            raise ValueError(f"no such kind or time of a fact: {self.kind!r}, {self.when!r}")
        if not _SQUARES.issuperset(self.squares):
            raise ValueError(f"squares must be named a1 to h8, got {self.squares}")
        if (self.provenance == "board") == (self.kind in ENGINE_KINDS):
            raise ValueError(f"{self.kind!r} cannot come from {self.provenance!r}")
        if not self.text or self.text.endswith("."):
            raise ValueError(f"text is a clause without a full stop, got {self.text!r}")


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts of a move, in a fixed order.

    Parameters
    ----------
    move
        The move.
    facts
        Facts of the move, then of the position before it, then after it.
    """

    move: MoveInContext
    facts: tuple[Fact, ...]

    def of(self, *kinds: FactKind, when: When | None = None) -> tuple[Fact, ...]:
        """Return the facts of these kinds (all if none is given), optionally of one time."""
        return tuple(
            fact
            for fact in self.facts
            if (not kinds or fact.kind in kinds) and when in (None, fact.when)
        )
