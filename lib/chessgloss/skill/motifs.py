"""What kind of position a move is asked in: quiet, or tactical and by which motif.

The board alone decides, by the definitions of :mod:`chessgloss.facts`, before any player or
engine is asked.
"""

from __future__ import annotations

from typing import Final, Literal

import chess

from chessgloss.fact_concepts import PREDICATES
from chessgloss.facts.tactics import Exchanges, forks, hanging, line_tactics, mates

Kind = Literal["quiet", "tactical"]

#: The motifs, for the side to move.
MOTIFS: Final = ("mate", "check", "capture", "hanging", "fork", "pin", "skewer")


def motifs(board: chess.Board) -> frozenset[str]:
    """Return the motifs of a position.

    ``mate``: the side to move can mate at once; ``check``: it is in check; ``capture``: it can
    win material by exchange; ``hanging``: the opponent could, after a pass; ``fork``: a piece
    of either side forks and cannot be won; ``pin``, ``skewer``: a piece of either side is.
    """
    own, other = Exchanges(board, board.turn), Exchanges(board, not board.turn)
    taken, lost = tuple(own.captures()), tuple(other.captures())
    lines = [line_tactics(board, side) for side in (own, other)]
    forking = forks(board, board.turn, taken, lost) + forks(board, not board.turn, lost, taken)
    found = {
        "mate": bool(mates(board, board.turn)),
        "check": board.is_check(),
        "capture": any(one.gain > 0 for one in taken),
        "hanging": bool(hanging(board, board.turn, lost)),
        "fork": any(fork.safe for fork in forking),
        "pin": any(pins for pins, _ in lines),
        "skewer": any(skewers for _, skewers in lines),
    }
    return frozenset(name for name, holds in found.items() if holds)


def kind_of(found: frozenset[str]) -> Kind:
    """Return ``tactical`` if material or a king is at stake at once, else ``quiet``.

    A pin or skewer alone leaves a position quiet: they stand on most boards.
    """
    return "tactical" if found & {"mate", "check", "capture", "hanging", "fork"} else "quiet"


def concepts(board: chess.Board) -> frozenset[str]:
    """Return which concepts of :mod:`chessgloss.fact_concepts` hold for the side to move."""
    return frozenset(name for name, asks in PREDICATES.items() if asks(board, board.turn))
