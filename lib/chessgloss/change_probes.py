"""Linear ways to rank concepts by change, the published one among them, and constant ones.

All here is arrays: activations before and after each move, shape ``(n, d)``, and the true
changes of the terms in standard deviations, ``(n, k)``. A way to rank is fitted on training
moves and gives each move a score a term, of which the size ranks and the sign, where it has
one, tells the direction.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import Ridge

from chessgloss import changes
from chessgloss.changes import MoveSample
from chessgloss.concepts import ConceptVectors, Standard
from chessgloss.experts import Representation, joined_activations
from chessgloss.probing import Labelled, fit_concepts
from chessgloss.ranking import TOP, top_columns

Floats = NDArray[np.floating]

#: C of the support vector machines: the choice of the chapter on concept vectors.
SVM_C = 1e-3


def activation_changes(
    expert: Representation, moves: MoveSample, layers: str, *, give_back: bool = False
) -> NDArray[np.float32]:
    """Return the activations after each move less those before, float32 ``(n, d)``.

    Parameters
    ----------
    layers
        One layer, or several with ``+`` between them.
    give_back
        Give the move back to the mover first, for an expert that sees the board from the
        side to move: the two positions are then seen by the same side.
    """
    after = [changes.give_back(fen) for fen in moves.after] if give_back else moves.after
    first = joined_activations(expert, moves.before, layers, dtype=np.float32)
    return joined_activations(expert, after, layers, dtype=np.float32) - first


def fit_ridge(
    features: NDArray[np.float32], targets: Floats, names: Sequence[str], *, penalty: float
) -> ConceptVectors:
    """Fit one linear score a term over the whole range, on standardised features.

    Parameters
    ----------
    features
        Shape ``(n, d)``: activations of positions, or their changes.
    targets
        Shape ``(n, k)``: terms, or their changes.
    names
        The ``k`` terms.
    penalty
        Weight of the squared norm, in units of ``n`` (of the mean squared error).
    """
    standard = Standard.of(features)
    ridge = Ridge(alpha=penalty * len(features), solver="cholesky", copy_X=False)
    ridge.fit(standard.apply(features), np.asarray(targets, np.float32))
    weights = (ridge.coef_ / standard.spread).astype(np.float32)
    biases = (ridge.intercept_ - weights @ standard.mean).astype(np.float32)
    return ConceptVectors(tuple(names), weights, biases, {"penalty": str(penalty)})


def score_change(
    vectors: ConceptVectors, before: ArrayLike, after: ArrayLike
) -> NDArray[np.float32]:
    """Return the concept scores after a move less those before, ``(n, k)``: the paper's way.

    Source: CCC paper, 3.1.2. In units of each concept's own margin, which differ.
    """
    return vectors.scores(after) - vectors.scores(before)


def calibration(score_changes: Floats, truth: Floats) -> Floats:
    """Return by what to multiply the size of a score's change to get the size of the term's.

    A straight line through zero for each concept, by least squares: shape ``(k,)``. It puts
    all concepts into one unit, standard deviations of the term's change.
    """
    size = np.abs(score_changes).astype(float)
    return (size * np.abs(truth)).sum(axis=0) / np.maximum((size**2).sum(axis=0), 1e-12)


def constant_by_frequency(truth: Floats, top: int = TOP) -> Floats:
    """Return how often each term is among the ``top`` most changed: ``(k,)``."""
    size = np.abs(truth)
    named = np.zeros(size.shape, bool)
    np.put_along_axis(named, top_columns(size, top), True, axis=1)
    return (named & (size > 0)).mean(axis=0)


def constant_by_size(truth: Floats) -> Floats:
    """Return the mean size of each term's change: ``(k,)``."""
    return np.abs(truth).mean(axis=0)


def constant_by_kind(truth: Floats, kinds: NDArray, asked: NDArray) -> Floats:
    """Return for each move asked about the mean size of the change in moves of its kind.

    Parameters
    ----------
    truth, kinds
        Training moves: true changes ``(n, k)`` and kinds ``(n,)``.
    asked
        Shape ``(m,)``: kinds of the moves to rank for. A kind never seen gets the mean of all.
    """
    means = {kind: constant_by_size(truth[kinds == kind]) for kind in np.unique(kinds)}
    everywhere = constant_by_size(truth)
    return np.array([means.get(kind, everywhere) for kind in asked])


def fit_linear(
    before: NDArray[np.float32],
    after: NDArray[np.float32],
    labelled: Labelled,
    truth: Floats,
    *,
    penalty: float,
    seed: int,
) -> dict[str, ConceptVectors]:
    """Fit all linear scores that ranking needs, on one set of training moves.

    Parameters
    ----------
    before, after
        Shape ``(n, d)``: activations around the moves.
    labelled
        The positions before the moves with their terms in pawns; all of training games.
    truth
        Shape ``(n, k)``: changes of the terms in standard deviations.
    penalty, seed
        Of the ridge regressions, and of the vector machines' lot among ties.

    Returns
    -------
    dict
        ``svm``, the paper's vectors, between the tails of each term; ``states``, a ridge
        regression of the terms in pawns; ``changes``, one of their changes on the change
        of the activations.
    """
    return {
        "svm": fit_concepts(before, labelled, cs=(SVM_C,), seed=seed).vectors,
        "states": fit_ridge(before, labelled.values, labelled.terms, penalty=penalty),
        "changes": fit_ridge(after - before, truth, labelled.terms, penalty=penalty),
    }
