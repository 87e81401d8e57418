"""Make the matching task of people's comments.

Run from the root: ``python data/claims/match.py`` writes ``matching.tsv``: a comment, its move
and three moves of other comments of the same phase, moved piece and half, in random order.
"""

from __future__ import annotations

import csv
import random
import re
from pathlib import Path

from chessgloss import assets
from chessgloss.commentary.moves import choose_moves
from chessgloss.corpora.lectures import (
    Lecture,
    eligible,
    evaluated_lectures,
    read_lectures,
)
from chessgloss.positions import CommentedMove, phase_of

FOLDER = Path(__file__).parent
SEED = 22
#: Fewest words of a comment whose move is to be told.
WORDS = 6
OTHERS = 3


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
    text = (FOLDER / "accusations.json").read_text() + (
        FOLDER / "read_claims.csv"
    ).read_text()
    return {each.name for each in choose_moves(lectures)} | set(
        re.findall(r"lec\d+/\d+", text)
    )


def matching(
    lectures: list[Lecture], held_out: bool
) -> list[tuple[str, list[str], int]]:
    """Return comments of one half, each with the keys of four moves and the right one's index.

    The comments are eligible ones of at least :data:`WORDS` words that no rule was made on; the
    moves differ from each other in position or move. A comment is left out if its phase and
    piece give too few.
    """
    comments = numbered(lectures, held_out)
    left_out = known(lectures)
    groups: dict[tuple[str, int | None], dict[tuple[str, str], str]] = {}
    for key, comment in comments.items():
        move = comment.context
        piece = move.position.board().piece_type_at(move.move.from_square)
        group = groups.setdefault((phase_of(move.position.fen), piece), {})
        group.setdefault((move.position.fen, move.uci), key)
    rows = []
    for group in groups.values():
        for own, key in group.items():
            comment = comments[key]
            others = [other for move, other in group.items() if move != own]
            if key in left_out or not eligible(comment) or comment.words < WORDS:
                continue
            if len(others) >= OTHERS:
                rng = random.Random(f"{SEED} {key}")
                candidates = [key, *rng.sample(others, OTHERS)]
                rng.shuffle(candidates)
                rows.append((key, candidates, candidates.index(key)))
    order = list(comments)
    return sorted(rows, key=lambda row: order.index(row[0]))


def main() -> None:
    """Write the matching task of both halves."""
    lectures = read_lectures(assets.locate("lectures"))
    with (FOLDER / "matching.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["lecture", "number", "candidates", "right", "split"])
        for split in ("dev", "test"):
            for key, candidates, right in matching(lectures, split == "test"):
                writer.writerow([*key.split("/"), " ".join(candidates), right, split])


if __name__ == "__main__":
    main()
