"""How well moves are played: centipawn loss against the engine's best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chessgloss.positions import Analysis

#: Evaluations are cut here before a loss is taken, so that "mate in 3 instead of mate in
#: 2" or a lost game losing more does not decide a mean. Convention of lichess.org
#: (``lila``, module ``analyse``: centipawns are capped at 1,000).
CAP = 1_000


def centipawn_losses(analyses: Sequence[Analysis]) -> NDArray[np.float64]:
    """Return what each move of a game lost, in centipawns of the side that played it.

    Parameters
    ----------
    analyses
        The game's positions in order, the last one included, all searched with the same
        limit: ``n + 1`` of them for ``n`` moves. A position in which the game is over has
        no line: mate counts as the cap against the side to move, any other end as 0.

    Returns
    -------
    ndarray
        Shape ``(n,)``, never negative: the value before the move less the value after it,
        both capped at ±:data:`CAP`, for the mover.
    """
    values = np.array([_white_value(analysis) for analysis in analyses])
    signs = np.array([1 if analysis.position.turn else -1 for analysis in analyses[:-1]])
    return np.maximum(0, (values[:-1] - values[1:]) * signs)


def _white_value(analysis: Analysis) -> float:
    if analysis.lines:
        score = analysis.best.score.white().score(mate_score=10 * CAP)
        return float(np.clip(score, -CAP, CAP))
    board = analysis.position.board()
    if not board.is_checkmate():
        return 0.0
    return -CAP if board.turn else CAP
