"""Find out what is known of moves: ask the engine, the expert and the concept oracle.

    python -m chessgloss.brief_moves

writes ``data/commentary/briefings.json`` for the evaluated moves.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chessgloss import assets
from chessgloss.commentary.briefing import (
    Briefing,
    EvaluatedMove,
    choose_moves,
    documents_examples,
    write_briefings,
)
from chessgloss.concepts.changes import ConceptChange, concept_and_side
from chessgloss.concepts.facts import notice
from chessgloss.concepts.fit import LAYERS as FACT_LAYERS
from chessgloss.concepts.fit import ConceptVectors
from chessgloss.concepts.priority import ChangeModel, prioritise, weights_file
from chessgloss.corpora.lectures import read_lectures
from chessgloss.engine import analyse_many
from chessgloss.experts import joined_activations, load_expert
from chessgloss.oracle import TERMS, evaluate_terms, stockfish8
from chessgloss.positions import MoveInContext
from chessgloss.store import find_project

#: What is searched for each position, and how many lines before the move.
NODES, LINES = 200_000, 5


def brief(
    moves: Sequence[EvaluatedMove], *, nodes: int = NODES, progress: bool = True
) -> list[Briefing]:
    """Return a briefing for each move.

    Parameters
    ----------
    moves
        The moves.
    nodes
        Nodes searched before each move (with :data:`LINES` lines) and after it (with one).
    """
    played = [one.move for one in moves]
    before = analyse_many(
        [move.position for move in played], nodes=nodes, multipv=LINES, progress=progress
    )
    after = analyse_many([move.after() for move in played], nodes=nodes, progress=progress)
    told = [prioritise(move.position, move.uci).changes for move in played]
    oracle, noticed = oracle_changes(played), noticed_concepts(played)
    rows = zip(moves, before, after, told, oracle, noticed, strict=True)
    return [Briefing(one.name, one.move, *rest) for one, *rest in rows]


def oracle_changes(moves: Sequence[MoveInContext]) -> list[tuple[ConceptChange, ...]]:
    """Return Stockfish 8's own changes of the 21 terms for each move, the largest first.

    Changes are in standard deviations of the term's change over the moves that the model of
    changes was trained on. Positions that the oracle has no table for count as all zero.
    """
    spread = ChangeModel.load(weights_file("nnue")).spread
    before = _terms([move.position.fen for move in moves])
    after = _terms([move.after().fen for move in moves])
    return [_ranked(*rows, spread) for rows in zip(before, after, strict=True)]


def noticed_concepts(moves: Sequence[MoveInContext]) -> list[tuple[ConceptChange, ...]]:
    """Return for each move the concepts fitted on facts that it seems to bring about or end."""
    expert = load_expert("nnue")
    vectors = ConceptVectors.load(find_project() / "data" / "concepts" / "facts-nnue.safetensors")
    before, after = (
        vectors.scores(joined_activations(expert, fens, FACT_LAYERS))
        for fens in ([one.position.fen for one in moves], [one.after().fen for one in moves])
    )
    rows = zip(before, after, moves, strict=True)
    return [notice(first, last, not one.mover) for first, last, one in rows]


def _terms(fens: Sequence[str]) -> NDArray[np.float32]:
    return np.nan_to_num(evaluate_terms(list(fens), stockfish8(), progress=False).middlegame)


def _ranked(
    before: NDArray[np.float32], after: NDArray[np.float32], spread: NDArray[np.float32]
) -> tuple[ConceptChange, ...]:
    change = (after - before) / spread
    order = np.argsort(-np.abs(change), kind="stable")
    return tuple(
        ConceptChange(
            *concept_and_side(TERMS[k]), float(before[k]), float(after[k]), float(change[k]), rank
        )
        for rank, k in enumerate(order, start=1)
    )


def briefings_file() -> Path:
    """Return where the briefings of the evaluated moves are kept."""
    return find_project() / "data" / "commentary" / "briefings.json"


def evaluated_moves(seed: int = 1) -> list[EvaluatedMove]:
    """Return the evaluated moves: those of the lectures, then the documents' examples."""
    lectures = read_lectures(assets.locate("lectures"))
    return [*choose_moves(lectures, seed=seed), *documents_examples()]


def main(arguments: Sequence[str] | None = None) -> int:
    """Brief the evaluated moves from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m chessgloss.brief_moves")
    parser.add_argument("--target", type=Path, default=None, help="file to write")
    parser.add_argument("--nodes", type=int, default=NODES)
    given = parser.parse_args(arguments)
    found = brief(evaluated_moves(), nodes=given.nodes)
    target = given.target or briefings_file()
    about = {
        "engine": f"{found[0].before.engine}, {given.nodes:,} nodes, {LINES} lines before the move",
        "concepts": "NNUE nn-ad9b42354671, trained model of changes",
        "oracle": "Stockfish 8, npm 8.0.0",
    }
    write_briefings(target, found, about)
    print(f"{len(found)} briefings in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
