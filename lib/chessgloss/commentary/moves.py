"""Which moves are commented on: a rule that is fixed before any model is asked."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from pathlib import Path

from chessgloss import assets
from chessgloss.corpora.lectures import (
    Lecture,
    eligible,
    evaluated_lectures,
    read_lectures,
)
from chessgloss.positions import (
    MoveInContext,
    Position,
    phase_of,
    read_move,
    repair_fen,
    text_digest,
)
from chessgloss.store import data_file

#: Moves of the lectures that are evaluated; fewer if they hold fewer.
EVALUATED = 60

#: The documents' moves that are printed with a FEN: figure, FEN as printed, move.
EXAMPLES = (
    ("ccc/figA1", "8/3nk3/1p4pp/1N1P1p2/1bP2KP1/3P1P2/7P/8 b - - 0 0", "Bd2+"),
    (
        "ccc/figA5",
        "N6r/1p1k1ppp/2np4/b3p3/4P1b1/N1Q5/P4PPP/R3KB1R b KQ - 0 18",
        "Bxc3#",
    ),
    ("ccc/figA6", "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21", "Bxe6+"),
)


@dataclass(frozen=True, slots=True)
class EvaluatedMove:
    """A move that every method comments on.

    Parameters
    ----------
    name
        What the move is called in tables and recordings: ``lec9/12`` is comment 12 (from 0)
        of lecture 9, ``ccc/figA6`` an example printed in a document.
    move
        The move.
    reference
        The human comment; ``None`` for the documents' examples, which have none.
    """

    name: str
    move: MoveInContext
    reference: str | None = None

    @property
    def group(self) -> str:
        """What the move shares its source with: a lecture, or a document."""
        return self.name.split("/", 1)[0]

    @property
    def stratum(self) -> tuple[str, str]:
        """Phase of the game and kind of the move."""
        from chessgloss.concepts.changes import kind_of

        return phase_of(self.move.position.fen), kind_of(
            self.move.position.board(), self.move.move
        )


def documents_examples() -> tuple[EvaluatedMove, ...]:
    """Return the documents' own examples: Figures A1, A5 and A6 of the CCC paper."""
    return tuple(
        EvaluatedMove(name, read_move(repair_fen(fen).position, san))
        for name, fen, san in EXAMPLES
    )


def choose_moves(lectures: Sequence[Lecture], *, seed: int = 1) -> list[EvaluatedMove]:
    """Choose the moves of the evaluated lectures whose comments are compared.

    Candidates are :func:`eligible` comments on a move that occurs for the first time.
    They are sorted into strata by phase and kind of move; within a stratum their order is a
    hash of seed, position and move. The strata then give one move each, in turns, until
    there are :data:`EVALUATED`.

    Parameters
    ----------
    lectures
        All lectures; the rule of :func:`evaluated_lectures` says which may be evaluated.
    seed
        Changes the order within a stratum.

    Returns
    -------
    list of EvaluatedMove
        In the order of their lectures.
    """
    candidates = [each for each, fit in _first_comments(lectures) if fit]

    def lot(each: EvaluatedMove) -> str:
        return text_digest(f"{seed} {each.move.position.fen} {each.move.uci}")

    ordered = sorted(sorted(candidates, key=lot), key=lambda each: each.stratum)
    strata = [[*each] for _, each in groupby(ordered, key=lambda each: each.stratum)]
    drawn = [
        each for turn in zip_longest(*strata) for each in turn if each is not None
    ][:EVALUATED]
    return [each for each in candidates if each in drawn]


def _first_comments(lectures: Sequence[Lecture]) -> list[tuple[EvaluatedMove, bool]]:
    """Return the moves of evaluated lectures at their first comments, and if those are eligible."""
    held_out = evaluated_lectures(lectures)
    found = dict[tuple[str, str], tuple[EvaluatedMove, bool]]()
    for lecture in (each for each in lectures if each.name in held_out):
        for number, comment in enumerate(lecture.comments):
            move = comment.context
            each = EvaluatedMove(f"{lecture.name}/{number}", move, comment.comment)
            found.setdefault((move.position.fen, move.uci), (each, eligible(comment)))
    return list(found.values())


def evaluated_moves(seed: int = 1) -> list[EvaluatedMove]:
    """Return the evaluated moves: those of the lectures, then the documents' examples."""
    lectures = read_lectures(assets.locate("lectures"))
    return [*choose_moves(lectures, seed=seed), *documents_examples()]


def lectured_moves(seed: int = 1) -> list[EvaluatedMove]:
    """Return the other commented moves of the evaluated lectures, each at its first comment.

    They are the second set of moves on which comments are compared: none was looked at when the
    evaluated moves were chosen, and nothing was learned from their lectures.
    """
    lectures = read_lectures(assets.locate("lectures"))
    evaluated = choose_moves(lectures, seed=seed)
    return [each for each, _ in _first_comments(lectures) if each not in evaluated]


def released_moves() -> list[EvaluatedMove]:
    """Return the sixty moves that were released with the CCC paper (``data/released``).

    Their FENs have neither castling rights nor counters: no right is put in, since none of the
    moves castles, and the move's number is the one that is written before it.
    """
    with data_file("released/moves.tsv").open(encoding="utf-8") as file:
        return [_released(row) for row in csv.DictReader(file, delimiter="\t")]


def released_comments(clone: Path) -> dict[str, str]:
    """Return people's comments on the released moves, by name, from a reader's own clone.

    Parameters
    ----------
    clone
        Of the released repository; the comments are in its generation notebook, cell 6.
    """
    notebook = json.loads((clone / "02_ccc_generation.ipynb").read_text("utf-8"))
    cell = ast.parse("".join(notebook["cells"][6]["source"]))
    (texts,) = (
        ast.literal_eval(each.value)
        for each in cell.body
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "ref_list"
    )
    names = (each.name for each in released_moves())
    return {
        name: " ".join(text.split()) for name, text in zip(names, texts, strict=True)
    }


def _released(row: Mapping[str, str]) -> EvaluatedMove:
    board = repair_fen(row["fen"]).position.board()
    board.fullmove_number = int(row["move"].partition(".")[0])
    return EvaluatedMove(row["name"], read_move(Position(board.fen()), row["move"]))
