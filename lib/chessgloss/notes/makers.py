"""What makes notes of a move: the functions that are asked, and when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from chessgloss.notes import (
    alternatives,
    consequences,
    intentions,
    material,
    mates,
    plans,
    prevention,
    sacrifices,
    threats,
    traits,
)
from chessgloss.notes.kinds import Note, Notes
from chessgloss.notes.situation import Briefed, Situation

Maker = Callable[[Situation], Notes]

#: What is said of a move that ends the game.
AT_THE_END: Final[tuple[Maker, ...]] = (mates.end, mates.missed_mate)

#: What is said of any other move.
MAKERS: Final[tuple[Maker, ...]] = (
    mates.forced_mate,
    mates.missed_mate,
    mates.named_facts,
    mates.fortress,
    mates.fifty_moves,
    alternatives.forced,
    alternatives.only,
    alternatives.better,
    alternatives.other_capture,
    alternatives.declines,
    alternatives.too_early,
    sacrifices.sacrifice,
    sacrifices.offered,
)

#: What is said beside that where no side can force mate.
UNLESS_MATED: Final[tuple[Maker, ...]] = (
    material.recaptures,
    material.spoils,
    material.loses,
    material.wins,
    material.accepts,
    sacrifices.combination,
    sacrifices.offers,
    consequences.ignores,
    consequences.unguards,
    consequences.unblocks,
    consequences.second_target,
    consequences.leads_to,
    consequences.refutation,
    prevention.prevents,
    traits.bishop_pair,
    traits.isolates,
    plans.travels,
    plans.marches,
    plans.opens_file,
    plans.spoils_later,
    plans.ties,
    plans.intends,
    threats.parries_mate,
    threats.threatens,
    threats.reply,
    threats.plan,
    threats.continuation,
    threats.stands,
    intentions.loses_castling,
    intentions.intended,
)


def notes(briefing: Briefed) -> tuple[Note, ...]:
    """Return every statement worth making of a move, the weightiest first.

    Parameters
    ----------
    briefing
        What is known of the move. With several lines after the move an offer of material can be
        explained that is better declined; with a search after a pass (``passed``) what the
        move threatens.
    """
    situation = Situation(briefing)
    made = [note for make in _makers(situation) for note in make(situation)]
    return tuple(
        sorted(made, key=lambda note: (-note.weight, note.kind, note.sentence))
    )


def _makers(situation: Situation) -> tuple[Maker, ...]:
    """Return what makes notes of a move: little is left to say of one that ends the game."""
    if situation.is_over:
        return AT_THE_END
    return MAKERS if situation.mate is not None else (*MAKERS, *UNLESS_MATED)
