"""Recorded answers of models about moves, where their weights are not committed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chessgloss.concepts.changes import move_keys
from chessgloss.concepts.priority import BoardSource, ChangeModel, weights_file
from chessgloss.scores import TERMS
from chessgloss.store import default_store, read_tensors


def read_answers(name: str, moves: pd.DataFrame) -> dict[str, NDArray[np.float32]]:
    """Return the recorded answers of models about moves, by model or kind of answer.

    Parameters
    ----------
    name
        Of the file in ``data/priority``: ``curve``, ``onehot-answers``.
    moves
        As :func:`.changes.sample_moves` draws them.

    Returns
    -------
    dict
        float32 ``(n, 21)`` each, NaN in the row of a move that was not asked about. Where only the
        first terms are kept, these have falling scores and all others zero.
    """
    kept, _ = read_tensors(weights_file(name))
    answered = kept.pop("moves").tolist()
    place = {key: row for row, key in enumerate(answered)}
    wanted = move_keys(moves).tolist()
    rows = np.array([place.get(key, -1) for key in wanted], int)
    found = {}
    for part, values in kept.items():
        scores = np.full((len(moves), len(TERMS)), np.nan, np.float32)
        asked = values[rows[rows >= 0]]
        if values.shape[1] < len(TERMS):
            asked = _falling(asked.astype(int))
        scores[rows >= 0] = asked
        found[part] = scores
    return found


def _falling(first: NDArray[np.int_]) -> NDArray[np.float64]:
    """Return scores ``(n, 21)`` that fall along the first terms ``(n, k)``; 0 for the others."""
    count, kept = first.shape
    scores = np.zeros((count, len(TERMS)))
    falling = np.arange(kept, 0.0, -1.0)
    np.put_along_axis(scores, first, falling[None], axis=1)
    return scores


def ask_control(
    moves: pd.DataFrame,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return changes and ranking by the control, the same model on the bare board.

    Its weights are not committed: what it answered once is read. A move that it was not asked about
    has NaN, unless ``data/priority/train.py onehot`` left the weights on this machine.

    Parameters
    ----------
    moves
        As :func:`.changes.sample_moves` draws them.
    """
    kept = read_answers("onehot-answers", moves)
    signed = kept["changes"]
    ranks = kept["first"]
    new = np.isnan(ranks).any(axis=1)
    if new.any() and control_weights().is_file():
        model = ChangeModel.load(control_weights())
        before = moves["before"][new].tolist()
        after = moves["after"][new].tolist()
        signed[new], ranks[new] = model.predict(BoardSource(), before, after)
    return signed, ranks


def control_weights() -> Path:
    """Return the file of the control's weights once they are trained: beside the store."""
    beside = default_store().root.parent
    return beside / "priority" / "onehot.safetensors"
