"""Concepts whose labels are facts: fork, pin, doubled pawns, open file, mate in one.

The CCC paper (section 7) names such concepts and leaves them out for want of labels. Here
the labels are the predicates of :mod:`chessgloss.facts`, on self-play positions. Each
positive position is compared with a negative one of the same part of the games, with the
same side to move and the same number of men, so that a probe gains nothing from knowing the
phase of the game; a guess is right in half of the cases. ``data/priority/train.py facts`` labels
positions, chooses pairs and fits the vectors that ``data/concepts`` holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import chess
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chessgloss.concepts.vectors import LAYERS, ConceptVectors
from chessgloss.experts import Expert, joined_activations
from chessgloss.facts.change import Changes, ConceptChange, concept_and_side
from chessgloss.predicates.board import doubled, heavy_pieces, open_files
from chessgloss.predicates.tactics import forks, mates, pins
from chessgloss.store import find_project

#: A concept is noticed if its score changes sign and moves by at least so many margins.
NOTICED = 1.0


#: What each concept asks of a board and a side: whether a piece of the side forks and cannot
#: itself be won by exchange; pins an enemy piece, to its king or to a dearer one; whether two of
#: its pawns share a file; whether its rook or queen stands on a file without pawns; whether it
#: can mate with its next move, ``None`` if it is not its turn.
PREDICATES: Mapping[str, Callable[[chess.Board, chess.Color], bool | None]] = {
    "fork": lambda board, side: any(fork.safe for fork in forks(board, side)),
    "pin": lambda board, side: bool(pins(board, side)),
    "doubled pawns": lambda board, side: bool(doubled(board, side)),
    "open file": lambda board, side: any(
        heavy_pieces(board, side, file) for file in open_files(board)
    ),
    "mate in one": lambda board, side: (
        bool(mates(board, side)) if board.turn == side else None
    ),
}

#: The concepts, White's before Black's: ``White fork``, ``Black fork``, ...
CONCEPTS = tuple(f"{side} {name}" for name in PREDICATES for side in ("White", "Black"))


def concept_scores(fens: Sequence[str], expert: Expert) -> pd.DataFrame:
    """Return the scores of ten concepts by the vectors fitted on facts; one above 0 is detected.

    Parameters
    ----------
    fens
        The positions, ``(n,)``.
    expert
        The network ``nnue`` in White's view, as the vectors were fitted.

    Returns
    -------
    pandas.DataFrame
        Shape ``(n, 10)``, columns as :data:`CONCEPTS`.

    Raises
    ------
    ValueError
        If the vectors on file are of other concepts.
    """
    path = find_project() / "data" / "concepts" / "facts-nnue.safetensors"
    vectors = ConceptVectors.load(path)
    if vectors.names != CONCEPTS:
        missing = ", ".join(sorted({*CONCEPTS} ^ {*vectors.names}))
        raise ValueError(
            f"{path} and chessgloss.concepts.facts do not have the same concepts "
            f"({missing}): run python data/priority/train.py facts"
        )
    scores = vectors.scores(joined_activations(expert, fens, LAYERS))
    return pd.DataFrame(scores, columns=list(CONCEPTS))


def notice(
    before: NDArray[np.float32], after: NDArray[np.float32], turn: chess.Color
) -> Changes:
    """Return the concepts that a move seems to bring about or to end, the clearest first.

    A score above zero says that the concept is there. A concept is noticed if its score
    changes sign and by at least :data:`NOTICED`. Mate in one is asked of the side to move
    after the move alone, and is noticed if its score is at least that.

    Parameters
    ----------
    before, after
        Scores of the position before and after the move, ``(10,)``, in margins.
    turn
        The side to move after the move.

    Returns
    -------
    tuple of ConceptChange
        ``change`` is in margins: these vectors' changes have no spread of their own.
    """
    noticed = []
    for name, first, last in zip(
        CONCEPTS, before.tolist(), after.tolist(), strict=True
    ):
        concept, side = concept_and_side(name)
        if concept == "mate in one":
            first = min(first, 0.0)
            clear = (side == "White") == turn and last >= NOTICED
        else:
            clear = (first > 0) != (last > 0) and abs(last - first) >= NOTICED
        if clear:
            noticed.append(ConceptChange(concept, side, first, last, last - first, 1))
    noticed.sort(key=lambda change: -abs(change.change))
    return tuple(
        replace(change, rank=rank) for rank, change in enumerate(noticed, start=1)
    )
