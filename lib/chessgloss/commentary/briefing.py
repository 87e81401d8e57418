"""Briefings and comments: what a writer is given of a move, in which words, and what it returns.

Which moves are commented on is decided by rule, before any model is asked. What engine, expert
and oracle say of them is kept in a file, so that a prompt is the same on every machine; the
chapter on commentary makes it anew and compares. It holds no human comment.
``data/commentary/brief.py`` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

import chess
import chess.engine
import numpy as np

from chessgloss import assets
from chessgloss.commentary import read_table
from chessgloss.concepts.changes import (
    ConceptChange,
    ask_oracle,
    concept_and_side,
    kind_of,
)
from chessgloss.corpora.lectures import (
    Lecture,
    eligible,
    evaluated_lectures,
    read_lectures,
)
from chessgloss.corpora.samples import phase_of
from chessgloss.engine import Analysis, Line, analyse_many
from chessgloss.facts import Facts, Verdict, gather, weigh
from chessgloss.positions import (
    MoveInContext,
    Position,
    read_move,
    repair_fen,
    text_digest,
)
from chessgloss.store import find_project

#: Words as data: the names of the concepts, and patterns of what a text asks or says.
PHRASES = read_table("phrases.toml")

#: What is searched for each position, and how many lines before the move.
NODES, LINES = 200_000, 5

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
class Briefing:
    """A move and what is known of it.

    Parameters
    ----------
    name
        What the move is called (see :class:`EvaluatedMove`).
    move
        The move.
    before, after
        The engine's analyses of the positions around it.
    concepts
        The 21 concepts by rank, as the expert shows them.
    oracle
        The same as Stockfish 8 says: its own changes, ranked by size.
    noticed
        Concepts fitted on facts (fork, pin, ...) that the move seems to bring about or to
        end, as the expert shows them; changes in margins.
    passed
        The engine's analysis of the position in which the opponent passes after the move: what
        the move threatens. ``None`` where it was not asked, or a check forbids to pass.
    """

    name: str
    move: MoveInContext
    before: Analysis
    after: Analysis
    concepts: tuple[ConceptChange, ...] = ()
    oracle: tuple[ConceptChange, ...] = ()
    noticed: tuple[ConceptChange, ...] = ()
    passed: Analysis | None = None

    @property
    def verdict(self) -> Verdict:
        """The engine's verdict on the move, seen by the side that moves."""
        return weigh(self.move, self.before, self.after)

    def facts(self) -> Facts:
        """Return the facts of the move, those of the engine among them."""
        return gather(self.move, self.verdict)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a move, and who wrote it.

    Parameters
    ----------
    text
        The comment; empty if there is none to be used.
    method
        Name of the method.
    model
        Name of the language model; empty for a method without one.
    state
        ``answered``, or what became of the answer instead (``empty``, ``cut_off``,
        ``refused``, ``unread`` for an answer in which no comment was found).
    borrowed
        Sentences of it that are not the model's but those of notes.
    """

    text: str
    method: str
    model: str = ""
    state: str = "answered"
    borrowed: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        """Number of words, split at white space."""
        return len(self.text.split())

    @property
    def shown(self) -> str:
        """What a chapter shows: the text, the first words of a human one, or why there is none."""
        if self.state != "answered":
            return f"(no comment: {self.state})"
        return first_words(self.text) if self.method == "reference" else self.text


def first_words(text: str, most: int = 15) -> str:
    """Return the first words of a text, which may belong to its author, with an ellipsis."""
    words = text.split()
    return " ".join(words[:most]) + (" …" if len(words) > most else "")


def speaks_of(text: str, change: ConceptChange) -> bool:
    """Return whether a comment uses a word that stands for a concept, of either side.

    A crude sign: it finds ``threats`` in "no threats", too.
    """
    return any(
        word in text.lower() for word in PHRASES["concepts"][change.concept]["words"]
    )


def after_pass(position: Position) -> Position | None:
    """Return a position after a pass; ``None`` where one cannot pass: in check, or at the end."""
    board = chess.Board(position.fen)
    if board.is_check() or board.is_game_over():
        return None
    board.push(chess.Move.null())
    return Position(board.fen()) if board.is_valid() else None


# ---------------------------------------------------------------- on disk


def briefings_file() -> Path:
    """Return where the briefings of the evaluated moves are kept."""
    return find_project() / "data" / "commentary" / "briefings.json"


def lectured_file() -> Path:
    """Return where the briefings of the other commented moves of the evaluated lectures are."""
    return find_project() / "data" / "commentary" / "lectured.json"


def read_briefings(path: Path) -> dict[str, Briefing]:
    """Read the briefings of a file, by name.

    Raises
    ------
    ValueError
        If the file is missing or no such file; the message says what makes it.
    """
    try:
        _, *rows = json.loads(path.read_text(encoding="utf-8"))
        return {row["name"]: _briefing(row) for row in rows}
    except (OSError, ValueError, KeyError, TypeError) as error:
        remedy = "make it with: python data/commentary/brief.py"
        raise ValueError(
            f"{path} is no file of briefings ({error}); {remedy}"
        ) from error


def analysis_row(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis as plain values, ready for JSON."""
    scores = (line.score.relative for line in analysis.lines)
    texts = (
        f"mate {each.mate()}" if each.is_mate() else f"cp {each.score()}"
        for each in scores
    )
    rows = zip(texts, analysis.lines, strict=True)
    lines = [[text, line.depth, " ".join(line.moves)] for text, line in rows]
    return {"engine": analysis.engine, "nodes": analysis.nodes, "lines": lines}


def _briefing(row: Mapping[str, Any]) -> Briefing:
    position = Position(row["fen"], tuple(row["moves"].split()), row["root"])
    move = MoveInContext(position, row["move"])
    concepts, oracle, noticed = (
        tuple(
            ConceptChange(*(*each, rank)) for rank, each in enumerate(row[key], start=1)
        )
        for key in ("concepts", "oracle", "noticed")
    )
    around = (
        read_analysis(position, row["before"]),
        read_analysis(move.after(), row["after"]),
    )
    turned = after_pass(move.after())
    passed = (
        read_analysis(turned, row["passed"]) if turned and "passed" in row else None
    )
    return Briefing(row["name"], move, *around, concepts, oracle, noticed, passed)


def read_analysis(position: Position, row: Mapping[str, Any]) -> Analysis:
    """Return the analysis of a position from what :func:`analysis_row` made of it."""
    units = {"cp": chess.engine.Cp, "mate": chess.engine.Mate}
    lines = []
    for text, depth, moves in row["lines"]:
        unit, number = text.split()
        score = chess.engine.PovScore(units[unit](int(number)), position.turn)
        lines.append(Line(tuple(moves.split()), score, depth))
    return Analysis(position, tuple(lines), row["nodes"], row["engine"])


# ---------------------------------------------------------------- which moves


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


# ---------------------------------------------------------------- what is known of them


def brief(
    moves: Sequence[EvaluatedMove], *, nodes: int = NODES, progress: bool = True
) -> list[Briefing]:
    """Ask engine, expert and concept oracle about moves; return a briefing for each.

    Parameters
    ----------
    moves
        The moves.
    nodes
        Nodes searched before each move (with :data:`LINES` lines) and after it (with one); a
        quarter of them after a pass.
    """
    from chessgloss.concepts.priority import prioritise

    played = [evaluated.move for evaluated in moves]

    def analyse(
        positions: Sequence[Position], nodes: int, lines: int = 1
    ) -> list[Analysis]:
        return analyse_many(positions, nodes=nodes, multipv=lines, progress=progress)

    turned = [after_pass(move.after()) for move in played]
    passes = iter(analyse([each for each in turned if each], nodes // 4))
    return [
        Briefing(evaluated.name, evaluated.move, *row)
        for evaluated, *row in zip(
            moves,
            analyse([move.position for move in played], nodes, LINES),
            analyse([move.after() for move in played], nodes),
            [prioritise(move.position, move.uci).changes for move in played],
            _oracle_changes(played),
            _noticed(played),
            [next(passes) if each else None for each in turned],
            strict=True,
        )
    ]


def _oracle_changes(moves: Sequence[MoveInContext]) -> list[tuple[ConceptChange, ...]]:
    """Return Stockfish 8's own changes of the 21 terms for each move, the largest first.

    Changes are in standard deviations of the term's change over the moves that the model of
    changes was trained on. Positions that the oracle has no table for count as all zero.
    """
    from chessgloss.concepts.priority import ChangeModel, weights_file
    from chessgloss.oracle import TERMS

    before = np.nan_to_num(ask_oracle([move.position.fen for move in moves]))
    after = np.nan_to_num(ask_oracle([move.after().fen for move in moves]))
    changes = (after - before) / ChangeModel.load(weights_file("nnue")).spread
    return [
        tuple(
            ConceptChange(*(*concept_and_side(TERMS[k]), *row[:, k].tolist(), rank))
            for rank, k in enumerate(
                np.argsort(-np.abs(row[2]), kind="stable"), start=1
            )
        )
        for row in np.stack([before, after, changes], axis=1)
    ]


def _noticed(moves: Sequence[MoveInContext]) -> list[tuple[ConceptChange, ...]]:
    """Return for each move the concepts fitted on facts that it seems to bring about or end."""
    from chessgloss.concepts.facts import concept_scores, notice
    from chessgloss.experts import load_expert

    expert = load_expert("nnue")
    before, after = (
        concept_scores(fens, expert).to_numpy()
        for fens in (
            [move.position.fen for move in moves],
            [move.after().fen for move in moves],
        )
    )
    rows = zip(before, after, moves, strict=True)
    return [notice(first, last, not move.mover) for first, last, move in rows]
