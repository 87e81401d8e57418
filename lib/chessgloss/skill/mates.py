"""Mate in one: positions of held-out games in which a move mates at once, asked and answered.

``data/mates/choose.py`` chooses ``data/mates/problems.tsv`` from the self-play games. A language
model is asked in the CCC paper's three ways (its Figure A5, in our words): ``bare`` gives the
position, ``expert`` also an engine's best move, ``hint`` that there is a mate in one.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import chess
import pandas as pd

from chessgloss.commentary.prompts import load_prompt
from chessgloss.corpora.games import stream_lines
from chessgloss.llm.recordings import Request
from chessgloss.positions import MoveInContext, Position, repair_fen
from chessgloss.predicates.board import after_move
from chessgloss.skill.players import MOVE, Asked, MoveAnswer, read_table
from chessgloss.store import data_file

#: Problems whose answers the book replays: the first ones of the committed file.
RECORDED = 200

#: Phases by the number of men on the board, from the fullest.
PHASES: Final = (("full board", 20), ("middle", 12), ("few men", 0))

COLUMNS: Final = ("game", "ply", "fen", "mates")

#: The prompts that are recorded, and the column of the paper's Table 7 that each stands for.
TABLE7: Final = {
    "bare": "LLM",
    "expert": "LLM + expert",
    "hint": "LLM + concept (mate-in-one)",
}

#: The models of the paper's Table 7, and the names under which an endpoint is asked for them.
#: ChessGPT is served on one's own machine, by llama.cpp or vLLM, under that name.
PAPERS_MODELS: Final = {
    name: name.lower()
    for name in ("GPT-4o", "GPT-4o-mini", "GPT-3.5-turbo", "ChessGPT")
}

#: Every outcome of an answer from the best to none at all; only the first counts.
OUTCOMES: Final = (
    "mate",
    "check",
    "no check",
    "illegal",
    "unreadable",
    "refused",
    "error",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """A position with at least one mate in one.

    Parameters
    ----------
    game
        Key of the game it comes from, or the id of a puzzle.
    ply
        Plies played before it.
    fen
        The position.
    mates
        All mating moves in UCI, sorted.

    Raises
    ------
    ValueError
        If there is none, they are not all that mate, or the position is not legal.
    """

    game: str
    ply: int
    fen: str
    mates: tuple[str, ...]

    def __post_init__(self) -> None:
        mating = mating_moves(Position(self.fen).board())
        if self.mates != mating or not mating:
            raise ValueError(
                f"{self.fen!r} is no mate in one with {self.mates}, but with {mating}"
            )

    @property
    def name(self) -> str:
        """Game and ply: the name under which it is asked."""
        return f"{self.game}/{self.ply}"

    @property
    def board(self) -> chess.Board:
        """The position as a new board, without its history."""
        return chess.Board(self.fen)

    @property
    def side(self) -> str:
        """Side that mates: ``White`` or ``Black``."""
        return "White" if self.board.turn else "Black"

    @property
    def phase(self) -> str:
        """Phase of the game, by the men on the board (see :data:`PHASES`)."""
        men = chess.popcount(self.board.occupied)
        return next(name for name, least in PHASES if men >= least)

    @property
    def piece(self) -> str:
        """Piece that moves to mate, ``several`` if different ones can."""
        board = self.board
        kinds = {
            board.piece_type_at(chess.Move.from_uci(uci).from_square)
            for uci in self.mates
        }
        return chess.piece_name(kinds.pop() or 0) if len(kinds) == 1 else "several"

    @property
    def legal_moves(self) -> int:
        """Number of legal moves."""
        return self.board.legal_moves.count()

    @property
    def first(self) -> MoveInContext:
        """First of the mating moves; to an engine all of them are worth the same."""
        return MoveInContext(Position(self.fen), self.mates[0])

    @property
    def asked(self) -> Asked:
        """The position as players are asked it, without its history."""
        return Asked(self.name, Position(self.fen))


def mating_moves(board: chess.Board) -> tuple[str, ...]:
    """Return all mating moves in UCI, sorted: every promotion that mates is one of its own."""
    moves = board.legal_moves
    return tuple(
        sorted(each.uci() for each in moves if after_move(board, each).is_checkmate())
    )


# ---------------------------------------------------------------- problems


def read_problems(path: Path | None = None, count: int | None = None) -> list[Problem]:
    """Read problems, all or the first ``count``.

    Raises
    ------
    ValueError
        If a line is not a problem, or there are fewer than ``count``.
    """
    path = path or data_file("mates/problems.tsv")
    rows = read_table(path, COLUMNS)
    if count is not None and not 0 < count <= len(rows):
        raise ValueError(f"{path.name} holds {len(rows)} problems; cannot read {count}")
    problems = []
    for number, (game, ply, fen, mates) in enumerate(rows[:count], start=2):
        try:
            problems.append(Problem(game, int(ply), fen, tuple(mates.split(" "))))
        except ValueError as error:
            raise ValueError(
                f"{path.name}, line {number} is not a problem: {error}"
            ) from None
    return problems


def lichess_problems(path: Path, count: int) -> list[Problem]:
    """Return the first ``count`` puzzles ``mateIn1`` of Lichess's file, damaged lines left out.

    The file is the asset ``lichess_puzzles``, ``lichess_db_puzzle.csv.zst``
    (https://database.lichess.org, CC0). A puzzle is solved after its first move.
    """
    problems: list[Problem] = []
    for row in csv.DictReader(line.decode("utf-8") for line in stream_lines(path)):
        if len(problems) == count:
            break
        if "mateIn1" in (row["Themes"] or "").split():
            with contextlib.suppress(ValueError):
                before = repair_fen(row["FEN"]).position
                move = row["Moves"].split(" ")[0]
                board = MoveInContext(before, move).after().board()
                solved = board.ply(), board.fen(), mating_moves(board)
                problems.append(Problem(row["PuzzleId"], *solved))
    return problems


# ---------------------------------------------------------------- questions and outcomes


def mate_questions(problems: Sequence[Problem]) -> pd.DataFrame:
    """Return the questions on problems, prompt by prompt, as a server reads them fastest.

    As the engine's best move the first of the mates is given.

    Returns
    -------
    pandas.DataFrame
        ``problem`` (a :class:`Problem`), ``prompt`` (``bare``, ``expert``, ``hint``) and
        ``request``.
    """
    rows = []
    for kind in TABLE7:
        prompt = load_prompt(f"mate_{kind}")
        for problem in problems:
            best = {"best": problem.first.san} if kind == "expert" else {}
            messages = prompt.fill(fen=problem.fen, **best)
            about = {"of": problem.name, "fen": problem.fen}
            rows.append(
                (
                    problem,
                    kind,
                    Request(messages, MOVE, prompt=prompt.label, about=about),
                )
            )
    return pd.DataFrame(rows, columns=["problem", "prompt", "request"])


def outcome_of(problem: Problem, answer: MoveAnswer) -> str:
    """Return what an answer does (:data:`OUTCOMES`): any mating move counts, whichever it is.

    A legal move that does not mate is told apart by whether it gives check.
    """
    if answer.move is None:
        return answer.state
    if answer.uci in problem.mates:
        return "mate"
    return "check" if problem.board.gives_check(answer.move) else "no check"


def outcomes(
    problems: Sequence[Problem], answers: Sequence[MoveAnswer], player: str, prompt: str
) -> pd.DataFrame:
    """Return one row a problem.

    Returns
    -------
    pandas.DataFrame
        ``player``, ``prompt``, ``problem`` (name), ``text`` (the answer's), ``outcome``,
        ``mates`` (1 or 0), ``legal moves`` (grouped), ``piece``.
    """
    ends = list(map(outcome_of, problems, answers))
    names = ["up to 20", "21 to 30", "31 to 40", "over 40"]
    legal = pd.Series([problem.legal_moves for problem in problems])
    return pd.DataFrame(
        {
            "problem": [problem.name for problem in problems],
            "text": [answer.text for answer in answers],
            "outcome": ends,
            "legal moves": pd.cut(legal, [0, 20, 30, 40, 300], labels=names),
            "piece": [problem.piece for problem in problems],
            "mates": [float(end == "mate") for end in ends],
            "player": player,
            "prompt": prompt,
        }
    )
