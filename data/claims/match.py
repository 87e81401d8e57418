"""Draw the human comments to be labelled, and make the matching task of all of them.

Run from the root: ``python data/claims/match.py`` writes ``matching.tsv``.
"""

from __future__ import annotations

import csv
import json
import random
import re
from pathlib import Path

import chess

from chessgloss import assets
from chessgloss.commentary.briefing import choose_moves
from chessgloss.corpora.lectures import Lecture, eligible, evaluated_lectures, read_lectures
from chessgloss.positions import CommentedMove

FOLDER = Path(__file__).parent
SEED = 22
#: Words of a comment in each stratum, and how many comments are drawn of it in each half.
STRATA = ((3, 7, 20), (8, 14, 26), (15, 22, 28), (23, 40, 22))


def numbered(lectures: list[Lecture], held_out: bool) -> dict[str, CommentedMove]:
    """Return the comments of one half, each by ``lecture/number``."""
    kept = evaluated_lectures(lectures)
    return {
        f"{lecture.name}/{number}": comment
        for lecture in lectures
        if (lecture.name in kept) == held_out
        for number, comment in enumerate(lecture.comments)
    }


def known(lectures: list[Lecture]) -> set[str]:
    """Return the comments that rules were made on: evaluated, or quoted in a reading."""
    text = (FOLDER / "accusations.json").read_text() + (FOLDER / "read_claims.csv").read_text()
    return {each.name for each in choose_moves(lectures)} | set(re.findall(r"lec\d+/\d+", text))


def draw(lectures: list[Lecture], held_out: bool) -> list[str]:
    """Return the comments to be labelled of one half, stratified by their length."""
    left_out = known(lectures)
    once: dict[tuple[str, str], str] = {}
    comments = numbered(lectures, held_out)
    for key, comment in comments.items():
        if key not in left_out and eligible(comment):
            once.setdefault((comment.context.position.fen, comment.context.uci), key)
    rng, drawn = random.Random(f"{SEED} {held_out}"), set()
    for least, most, count in STRATA:
        of_length = [key for key in once.values() if least <= comments[key].words <= most]
        drawn |= set(rng.sample(of_length, min(count, len(of_length))))
    return [key for key in comments if key in drawn]
