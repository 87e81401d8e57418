"""A fact of a move as a record: its kind, when it holds, whose it is, and where.

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
opening              of move: from, to; before: none     its ECO code and its name
ending               none; nobody                        its name, by the pieces: ``rook ending``
theory               none; the winner, or nobody         ``win`` or ``draw``, and what is known
opposition           the holder's king, the other; the   ``direct`` or ``distant``; only where
                     holder                              it decides
key_square           the king on it, its pawn            none
outside_square       the pawn, the other king, the       none; the king cannot catch the pawn
                     promotion square
stalemating_move     from, to                            UCI move
repetition           from, to                            how often the position has stood
fifty_moves          none; nobody                        plies without a capture or pawn's move
perpetual            the first check's, the king         UCI moves; see :func:`perpetual`
underpromotion       from, to                            why no queen: ``mate``, ``stalemate``,
                                                         ``mated``, ``fork`` or ``check``
zugzwang             the king                            expected points lost by having to move
centipawn_loss       from, to                            centipawns, at least 0
move_rank            from, to                            1 to 5, or none
mistake              from, to                            ``Excellent`` to ``Blunder``
evaluation           none                                centipawns for the mover (mate in n:
                                                         10,000 - n)
win_probability      none                                chance of the mover, 0 to 1
best_line            the best move's from, to            UCI moves
expected_reply       its from, to; the opponent          UCI move
===================  ==================================  ======================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from chess import Color

from chessgloss.positions import MoveInContext

_Board = Literal[
    "capture",
    "en_passant",
    "promotion",
    "castling",
    "check",
    "discovered_check",
    "double_check",
    "mate",
    "stalemate",
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
    "passed_pawn",
    "doubled_pawns",
    "isolated_pawn",
    "open_file",
    "king_shelter",
]
_Known = Literal[
    "opening",
    "ending",
    "theory",
    "opposition",
    "key_square",
    "outside_square",
    "stalemating_move",
    "repetition",
    "fifty_moves",
    "perpetual",
    "underpromotion",
    "zugzwang",
]
_Engine = Literal[
    "centipawn_loss",
    "move_rank",
    "mistake",
    "evaluation",
    "win_probability",
    "best_line",
    "expected_reply",
]

#: The kinds, in the order in which they are listed.
FactKind = Literal[_Board, _Known, _Engine]

#: When a fact holds: of the move itself, in the position before it, or in the one after it.
When = Literal["move", "before", "after"]

#: The positions around a move.
AROUND: Final[tuple[When, When]] = ("before", "after")

#: Kinds that only an engine's analysis can give.
ENGINE_KINDS: Final[frozenset[FactKind]] = frozenset(get_args(_Engine))

#: Kinds of what is known by name. Perpetual check and zugzwang are asked for, not gathered: they
#: take an engine's line or scores.
KNOWN_KINDS: Final[frozenset[FactKind]] = frozenset(get_args(_Known))


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
    text
        The fact as a plain English clause without a full stop: ``the knight on f7 forks the
        rook on h8 and the queen on d8``.
    provenance
        ``board``, or the name and version of the engine that was asked.
    """

    kind: FactKind
    when: When
    side: Color | None
    squares: tuple[str, ...]
    value: int | float | str | tuple[str, ...] | None
    text: str
    provenance: str = "board"


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

    def of(
        self,
        *kinds: FactKind,
        when: When | None = None,
        side: Color | None = None,
    ) -> tuple[Fact, ...]:
        """Return the facts of these kinds (all if none is given), of one time and side if given."""
        of_kind = (fact for fact in self.facts if not kinds or fact.kind in kinds)
        return tuple(
            f for f in of_kind if when in (None, f.when) and side in (None, f.side)
        )
