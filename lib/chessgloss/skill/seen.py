"""Which concepts an expert network shows in a position, by the vectors fitted on facts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import chess
import numpy as np
from numpy.typing import NDArray

from chessgloss.concepts.changes import concept_and_side
from chessgloss.concepts.facts import CONCEPTS
from chessgloss.concepts.fit import LAYERS, ConceptVectors
from chessgloss.experts import joined_activations
from chessgloss.store import find_project

if TYPE_CHECKING:
    from chessgloss.experts import Expert

#: The concept of the CCC paper's Table 7.
MATE: Final = "mate in one"

#: How a concept that is seen is told to a language model, after the side.
WORDS: Final = {
    "fork": "has a fork",
    "pin": "pins a piece",
    "doubled pawns": "has doubled pawns",
    "open file": "has a rook or queen on an open file",
    MATE: "can mate in one move",
}


def vectors_file() -> Path:
    """Return where the vectors of :mod:`chessgloss.concepts.facts` are kept."""
    return find_project() / "data" / "concepts" / "facts-nnue.safetensors"


def see(fens: Sequence[str], expert: Expert, path: Path | None = None) -> NDArray[np.float32]:
    """Return the scores of the ten concepts, ``(n, 10)``; one above zero is seen.

    Parameters
    ----------
    fens
        The positions.
    expert
        The network ``nnue`` in White's view, as the vectors were fitted.
    path
        File of the vectors; :func:`vectors_file` if not given.
    """
    vectors = ConceptVectors.load(path or vectors_file())
    return vectors.scores(joined_activations(expert, fens, LAYERS))


def mate_seen(fens: Sequence[str], scores: NDArray[np.float32]) -> list[bool]:
    """Return in which positions the side to move is seen to have a mate in one.

    Parameters
    ----------
    fens, scores
        The positions, and their scores by :func:`see`.
    """
    columns = [CONCEPTS.index(f"{_mover(fen)} {MATE}") for fen in fens]
    return [bool(row[column] > 0) for row, column in zip(scores, columns, strict=True)]


def told_concepts(fen: str, scores: NDArray[np.float32]) -> tuple[str, ...]:
    """Return the concepts seen in one position in words, the clearest first.

    Mate in one is told of the side to move alone, for which it was fitted.
    """
    order = np.argsort(-scores, kind="stable")
    names = [concept_and_side(CONCEPTS[k]) for k in order if scores[k] > 0]
    return tuple(
        f"{side} {WORDS[concept]}"
        for concept, side in names
        if concept != MATE or side == _mover(fen)
    )


def _mover(fen: str) -> str:
    return "White" if chess.Board(fen).turn else "Black"
