"""Planted errors: comments with one word broken, so that what was said is false on the board.

Readers of comments are given such copies among the others and know nothing of them; how many they
find is their recall. A word counts as broken where the program can tell without a model: a man that
stood on its square stands nowhere so, or a claim that the rules read and that held fails.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

import chess

from chessgloss.claims import verify
from chessgloss.claims.minimal_pairs import ErrorType, corrupted
from chessgloss.claims.read_model import sentence_spans
from chessgloss.commentary.briefing import Briefing

_MAN = re.compile(r"\b(pawn|knight|bishop|rook|queen|king) on ([a-h][1-8])\b")


@dataclass(frozen=True, slots=True)
class Plant:
    """A comment with one word broken.

    Parameters
    ----------
    text
        The comment with the error.
    error
        What was exchanged.
    sentence
        Which of its sentences is broken, from 0.
    """

    text: str
    error: ErrorType
    sentence: int


def plant(text: str, briefing: Briefing, rng: random.Random) -> Plant | None:
    """Return a comment with one word broken, drawn; ``None`` if no word can be broken surely."""
    spans = sentence_spans(text)
    places = [
        (place, error) for place in range(len(spans)) for error in get_args(ErrorType)
    ]
    for place, error in rng.sample(places, len(places)):
        start, stop = spans[place]
        sentence = text[start:stop]
        for broken in corrupted(sentence, error, rng):
            if _is_made_false(sentence, broken, briefing):
                return Plant(text[:start] + broken + text[stop:], error, place)
    return None


def draw_plants(
    comments: Mapping[str, str],
    briefings: Mapping[str, Briefing],
    count: int,
    seed: str,
) -> Iterator[tuple[str, Plant]]:
    """Yield at most so many comments with a broken word, drawn, each with the name of its move."""
    rng = random.Random(seed)
    for name in rng.sample(sorted(comments), len(comments)):
        if count and (made := plant(comments[name], briefings[name], rng)):
            count -= 1
            yield name, made


def _is_made_false(sentence: str, broken: str, briefing: Briefing) -> bool:
    """Return whether a sentence without a false claim has one when it is broken."""
    wrong_before, wrong_after = (
        _misplaced(text, briefing) for text in (sentence, broken)
    )
    if wrong_after and not wrong_before:
        return True
    verdicts = [
        {each.verdict for each in verify(text, briefing.move, briefing.verdict)}
        for text in (sentence, broken)
    ]
    return "false" not in verdicts[0] and "false" in verdicts[1]


def _misplaced(text: str, briefing: Briefing) -> list[str]:
    """Return the men that are said to stand where none of their kind is around the move."""
    move = briefing.move
    boards = [chess.Board(each.fen) for each in (move.position, move.after())]
    return [
        said.group()
        for said in _MAN.finditer(text)
        if chess.PIECE_NAMES.index(said[1])
        not in {board.piece_type_at(chess.parse_square(said[2])) for board in boards}
    ]
