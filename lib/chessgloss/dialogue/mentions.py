"""What a question or an answer speaks of: moves, pieces and squares, found in its words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal

import chess

from chessgloss.claims.notation import Notation
from chessgloss.claims.phrases import Element, chunk
from chessgloss.claims.records import Term
from chessgloss.claims.tokens import tokenise

_NUMBER = re.compile(r"(\d+)\s*(\.{1,3}|…)\s*$")
_CASTLE = re.compile(
    r"\bcastl(?:e|es|ed|ing)\b(?:\s+(?:on the\s+)?(?P<wing>king-?side|queen-?side|short|long))?",
    re.IGNORECASE,
)
_GOES = re.compile(r"\s*(?:goes |moves )?(?:to|on to)\s+", re.IGNORECASE)
_TAKES = re.compile(
    r"\s*(?:takes?|taking|captur(?:es?|ing)|x)\s+(?:on\s+|back\s+on\s+)?", re.IGNORECASE
)
#: Words before a bare square that make it a pawn's move: ``what about e5?``
_PUSHED = re.compile(
    r"\b(?:about|not|with|if|then|plays?|played|push|instead of|after|move)\s+(?:just\s+)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """Something on the board that a text speaks of.

    Parameters
    ----------
    kind
        ``move``, ``piece`` or ``square``.
    text
        The words.
    start
        Where they begin.
    term
        What they refer to; ``None`` for a move.
    notation
        The move as written; ``None`` for the others.
    number
        Move number and side where the text gives them: ``26...`` is ``(26, chess.BLACK)``.
    """

    kind: Literal["move", "piece", "square"]
    text: str
    start: int
    term: Term | None = None
    notation: Notation | None = None
    number: tuple[int, chess.Color] | None = None


def find_mentions(text: str) -> tuple[Mention, ...]:
    """Return what a text speaks of, in its order, each thing once.

    Moves are read in SAN, UCI and words (``queen takes h4``, ``castle kingside``), pieces with
    or without their square (``black's h4 knight``, ``the queen``).
    """
    elements = [one for one in chunk(text, tokenise(text)) if one.tag in "NSM"]
    found = [*_walk(text, elements), *_castlings(text)]
    return _once(sorted(found, key=lambda mention: mention.start))


def _walk(text: str, elements: Sequence[Element]) -> Iterator[Mention]:
    skip = False
    for element, following in zip_longest(elements, elements[1:]):
        if skip:
            skip = False
        elif following is not None and (spoken := _spoken(text, element, following)):
            skip = True
            yield spoken
        else:
            yield from _single(text, element)


def _single(text: str, element: Element) -> Iterator[Mention]:
    for term in element.terms:
        start = term.span[0]
        pushed = element.tag == "S" and _PUSHED.search(text[:start])
        if term.move is not None:
            yield Mention("move", term.text, start, notation=term.move, number=_number(text, start))
        elif pushed and term.square is not None:
            notation = Notation(chess.PAWN, term.square)
            yield Mention("move", term.text, start, notation=notation)
        elif term.role in ("piece", "square"):
            yield Mention("piece" if term.role == "piece" else "square", term.text, start, term)


def _spoken(text: str, element: Element, following: Element) -> Mention | None:
    """Read ``knight to f3`` and ``queen takes the knight on h4``."""
    if element.tag != "N" or following.tag not in "SN" or len(element.terms[0].pieces) != 1:
        return None
    target = following.terms[0].square
    between = text[element.span[1] : following.span[0]]
    takes = bool(_TAKES.fullmatch(between))
    if target is None or not (takes or (following.tag == "S" and _GOES.fullmatch(between))):
        return None
    (piece,) = element.terms[0].pieces
    words = text[element.span[0] : following.span[1]]
    return Mention("move", words, element.span[0], notation=Notation(piece, target, takes=takes))


def _castlings(text: str) -> Iterator[Mention]:
    for found in _CASTLE.finditer(text):
        wing = (found["wing"] or "").lower()
        side = "either" if not wing else "Q" if wing.startswith(("queen", "long")) else "K"
        yield Mention("move", found.group(), found.start(), notation=Notation(castles=side))


def _number(text: str, start: int) -> tuple[int, chess.Color] | None:
    found = _NUMBER.search(text[:start])
    return (int(found[1]), found[2] == ".") if found else None


def _once(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    kept: dict[object, Mention] = {}
    for mention in mentions:
        term = mention.term and replace(mention.term, text="", span=(0, 0))
        kept.setdefault((mention.notation, mention.number, term), mention)
    return tuple(kept.values())
