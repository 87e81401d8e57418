"""What the move itself does on the board, as notes: its purposes, and castling given up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import chess

from chessgloss.notes.kinds import NOTES, Note, Notes, Purpose, choose_wording
from chessgloss.notes.purposes import purposes
from chessgloss.notes.situation import Situation

#: Castling of either side, in UCI.
_CASTLING: Final = ("e1g1", "e1c1", "e8g8", "e8c8")


def loses_castling(situation: Situation) -> Notes:
    """Yield a king's move that gives up castling."""
    played = situation.played
    rights = situation.before.has_castling_rights(situation.us)
    if played.piece == chess.KING and rights and not played.castles:
        yield situation.note("loses_castling")


def intended(situation: Situation) -> Notes:
    """Yield the purposes of the move, all with one subject so that two can be joined."""
    found = purposes(situation.played)
    subject = _subject(situation, found)
    ranks = _concept_ranks(situation)
    for purpose in found:
        if not comes_to_something(purpose, situation.line, situation.idle):
            continue
        entry = NOTES["purposes"][purpose.kind]
        concept = entry.get("concept", "")
        weight = purpose.weight + _concept_bonus(ranks.get(concept))
        if situation.bad and purpose.kind != "takes_en_passant":
            weight += NOTES["against"]
        if purpose.kind == "takes":
            weight += NOTES["restated"]
        facts = situation.facts.of(*entry.get("facts", ("capture", "check")))
        evidence = tuple(
            fact
            for fact in facts
            if fact.when != "before" and purpose.about & set(fact.squares)
        )
        yield Note(
            purpose.kind,
            situation.us,
            f"{subject} {purpose.clause}.",
            weight,
            evidence,
            about=purpose.about,
            concept=concept,
            subject=subject,
            move=situation.played.words["san"],
        )


def comes_to_something(
    purpose: Purpose, line: Sequence[str], idle: Sequence[str]
) -> bool:
    """Tell whether what a move makes room for, or keeps out, is moved in the engine's lines.

    Parameters
    ----------
    purpose
        What the move does.
    line
        The engine's line, the move first.
    idle
        Its line where the side passes instead, the opponent's move first.
    """
    if purpose.kind == "opens":
        return any(uci[:2] in purpose.about for uci in line[2:7:2])
    if purpose.kind == "clears":
        return any(uci in _CASTLING for uci in line[2:7:2])
    if purpose.kind == "keeps_out":
        return any(uci[2:4] in purpose.about for uci in idle[:5:2])
    return True


def is_borne_out(
    purpose: Purpose, line: Sequence[str], idle: Sequence[str] = ()
) -> bool:
    """Tell whether a purpose explains why a move is played: its line takes what is attacked."""
    if purpose.kind in NOTES["must_take"].split():
        return any(uci[2:4] in purpose.about for uci in line[2:8:2])
    return comes_to_something(purpose, line, idle)


def _subject(situation: Situation, found: list[Purpose]) -> str:
    """Return how the sentences on the move's purposes begin."""
    played = situation.played
    words = played.words
    subjects = [f"With {words['san']} {words['us']}", "This"]
    if played.piece != chess.PAWN and not played.castles:
        subjects.append(words["san"])
    unnamed = all(words["piece"] not in purpose.clause for purpose in found)
    if not played.castles and unnamed:
        subjects.append(f"The {words['piece']}")
    return choose_wording(subjects, played.key)


def _concept_ranks(situation: Situation) -> Mapping[str, int]:
    """Return the place, from 0, at which each concept first stands among the changed ones."""
    ranks = dict[str, int]()
    for rank, change in enumerate(situation.briefing.concepts):
        ranks.setdefault(change.concept, rank)
    return ranks


def _concept_bonus(rank: int | None) -> float:
    """Return what a purpose gains whose concept stands at a rank, ``None`` if at none."""
    if rank is None:
        return 0
    return max(0, NOTES["concept_bonus"] - NOTES["concept_step"] * rank)
