"""Kinds of notes as data: what each weighs and how it is said (``notes.toml``)."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, NamedTuple

import chess

from chessgloss.facts import Fact


def read_table(name: str) -> dict[str, Any]:
    """Return what a TOML file of this package holds."""
    return tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))


#: The kinds of notes: weights, and ways of saying each. The head of the file explains its keys.
NOTES: Final = read_table("notes.toml")


@dataclass(frozen=True, slots=True)
class Note:
    """One true statement about a move.

    Parameters
    ----------
    kind
        Entry of ``notes.toml`` that words it.
    side
        Side that it is good for.
    sentence
        The statement in words, complete in itself.
    weight
        How much it matters to a reader, from 0 (padding) to 100 (mate).
    facts
        The facts that bear it out; empty for what the move alone shows.
    decides
        Whether it tells what decides about the move: a mate, a piece, the only move.
    about
        Squares and subjects that it speaks of.
    value
        Its amount: moves to mate, pawns won; ``None`` without one.
    concept
        The concept of the expert that it puts into chess words; empty without one.
    subject
        Words with which the sentence begins and in whose place another note's may be joined.
    move
        The move in SAN, which may stand for *this* or *it* at the beginning of the sentence.
    """

    kind: str
    side: chess.Color
    sentence: str
    weight: float
    facts: tuple[Fact, ...] = ()
    decides: bool = False
    about: frozenset[str] = frozenset()
    value: float | None = None
    concept: str = ""
    subject: str = ""
    move: str = ""


class Purpose(NamedTuple):
    """One thing that a move does on the board.

    Parameters
    ----------
    kind
        Entry of the purposes in ``notes.toml``.
    clause
        What it does, a verb in the third person first: ``attacks the queen on d5``.
    weight
        How much it matters, as a note's.
    about
        Squares and subjects concerned.
    """

    kind: str
    clause: str
    weight: float
    about: frozenset[str]


#: What a maker of notes yields, and what a finder of purposes does.
Notes = Iterator[Note]
Purposes = Iterator[Purpose]


def adjustment(entry: dict[str, Any], amount: float | None) -> float:
    """Return what the amount of a note of this kind adds to its weight."""
    if amount is None:
        return 0
    above = min(amount, entry.get("most", amount)) - entry.get("usual", 0)
    added = entry.get("each", 0) * above / entry.get("per", 1)
    if amount == 1:
        added += entry.get("single", 0)
    if amount == 0:
        added += entry.get("nothing", 0)
    return added


def choose_wording(options: Sequence[str], key: str) -> str:
    """Return one of the options by a hash of the key."""

    def lot(option: str) -> bytes:
        return hashlib.sha256(f"{key}|{option}".encode()).digest()

    return min(options, key=lot)


def capital(text: str) -> str:
    """Return a text with its first letter in upper case."""
    return text[:1].upper() + text[1:]
