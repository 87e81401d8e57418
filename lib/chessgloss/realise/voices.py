"""Phrase tables for what an engine and an expert network say; see :mod:`.phrases` for the form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: What an engine makes of the move; ``{standing}`` is an entry of ``STANDINGS``.
JUDGEMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "first": (
        "the move is the engine's first choice, {still} {standing}",
        "the engine would have played the same, {still} {standing}",
        "the engine agrees with the move, {still} {standing}",
    ),
    "Excellent": (
        "the engine finds next to nothing better, {still} {standing}",
        "the engine rates the move as excellent, {still} {standing}",
        "by the engine's count the move is excellent, {still} {standing}",
    ),
    "Good": (
        "the engine rates it as a good move, {still} {standing}",
        "by the engine's count it is a good move, {still} {standing}",
        "the engine finds the move good, {still} {standing}",
    ),
    "Inaccuracy": (
        "the engine calls {played} an inaccuracy and prefers {best}",
        "{played} is an inaccuracy, since {best} was better",
        "by the engine's count {played} is an inaccuracy, and {best} was better",
    ),
    "Mistake": (
        "{played} is a mistake, for {best} was better, {link} {standing}",
        "the engine calls {played} a mistake and prefers {best}, {link} {standing}",
        "the engine sees {played} as a mistake and would have played {best}",
        "by the engine's count {played} is a mistake, and {best} was better",
    ),
    "Blunder": (
        "{played} is a blunder, for {best} was much better, {link} {standing}",
        "the engine calls {played} a blunder and prefers {best}, {link} {standing}",
        "the engine sees {played} as a blunder and would have played {best}",
        "by the engine's count {played} is a blunder, and {best} was much better",
    ),
    "missed_mate": (
        "the move lets a forced mate slip that began with {best}, {link} {standing}",
        "the engine saw a forced mate that began with {best}",
    ),
    "reply": (
        "the engine expects {reply} in reply",
        "the expected answer is {reply}",
        "{them} is expected to answer with {reply}",
    ),
    "chance": (
        "the engine puts {us}'s chance to win at {percent} per cent",
        "{us} has a {percent} per cent chance to win by the engine's count",
    ),
}

#: Who stands better after the move, in the engine's eyes.
STANDINGS: Final[Mapping[str, str]] = {
    "mate": "{leader} has a forced mate",
    "winning": "{leader} is winning",
    "clear": "{leader} is clearly better",
    "better": "{leader} is better",
    "slight": "{leader} is slightly better",
    "level": "the game is about even",
}

#: What an expert network's estimates show; each names where the figures come from.
CONCEPT_CLAUSES: Final[Mapping[str, tuple[str, ...]]] = {
    "first": (
        "the expert network sees the change above all in {concepts}",
        "in the expert network's estimate the move counts above all for {concepts}",
        "the network's estimates shift most in {concepts}",
        "what the expert network notices most is the change in {concepts}",
    ),
    "other": (
        "the expert network also registers a change in {concepts}",
        "the expert network notes a change in {concepts}",
        "the network's estimates also shift in {concepts}",
    ),
}

#: How a concept is called in a sentence; ``{side}`` is whose it is.
CONCEPT_NAMES: Final[Mapping[str, str]] = {
    "Material": "the material balance",
    "Imbalance": "the balance between the kinds of pieces",
    "Pawns": "the pawn structure",
    "Knights": "the play of {side}'s knights",
    "Bishop": "the play of {side}'s bishops",
    "Rooks": "the play of {side}'s rooks",
    "Queens": "the play of {side}'s queen",
    "Mobility": "{side}'s mobility",
    "Kingsafety": "{side}'s king safety",
    "Threats": "{side}'s threats",
    "Space": "{side}'s space",
    "Passedpawns": "{side}'s passed pawns",
}
