"""Sentences in which one word is exchanged: a square, a piece, or a side.

A clause and its twin are a minimal pair: who finds the error has read the board, and not the style.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Literal

import chess
from chess import SquareSet, square_name

ErrorType = Literal["wrong_square", "wrong_piece", "wrong_side"]

_SQUARE = re.compile(r"\b[a-h][1-8]\b")
_EXCHANGED: dict[ErrorType, re.Pattern[str]] = {
    "wrong_square": _SQUARE,
    "wrong_piece": re.compile(r"\b(?:knight|bishop|rook|queen|king|pawn)\b"),
    "wrong_side": re.compile(r"\b(?:white|black|White|Black)\b"),
}
_OTHER_SIDE = {"white": "black", "black": "white", "White": "Black", "Black": "White"}
_PIECES = {"pawn", "knight", "bishop", "rook", "queen"}


def corrupted(clause: str, error: ErrorType, rng: random.Random) -> Iterator[str]:
    """Yield a clause with one thing exchanged, in a drawn order.

    No pawn is put on the first or last rank, and no square is named twice.
    """
    places = list(_EXCHANGED[error].finditer(clause))
    for place in rng.sample(places, len(places)):
        word = place.group()
        if error == "wrong_side":
            others = [_OTHER_SIDE[word]]
        elif error == "wrong_piece":
            others = sorted(_PIECES - {word})
        else:  # those next to it, which a writer takes for it
            near = SquareSet(chess.BB_KING_ATTACKS[chess.parse_square(word)])
            others = sorted(map(square_name, near))
        if len(others) > 1:
            others = rng.sample(others, len(others))
        for other in others:
            text = clause[: place.start()] + other + clause[place.end() :]
            squares = _SQUARE.findall(text)
            pawn = re.search(
                r"\bpawns? on (?:[a-h][1-8](?:, | and ))*[a-h][18]\b", text
            )
            if pawn is None and len(set(squares)) == len(squares):
                yield text
