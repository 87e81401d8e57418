"""What a labelling procedure does to Table 6: the released script's, step by step, and ours.

The script that the CCC paper's authors released (``01_probing_svm.py`` of their
repository) keeps Stockfish's terms as text and sorts them as text: every negative number
comes before every positive one, the smallest in size first, and ``10.00`` before ``2.00``.
From the sorted list it takes 5 % at each end, and from each end the first nine tenths for
training and the last tenth for the test. Here each of the two steps can be taken alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from chessgloss.concepts import TAIL_SHARE, Standard, cut_tails, fit_svm
from chessgloss.probing import Labelled

Procedure = Literal["released", "numeric", "ours"]

#: Share of each tail that the released script keeps for the test.
_TEST_SHARE = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Rows for training and for the test, with their labels (the higher end is positive)."""

    train: NDArray[np.int64]
    train_positive: NDArray[np.bool_]
    test: NDArray[np.int64]
    test_positive: NDArray[np.bool_]


def released_cut(values: NDArray[np.float32], *, as_text: bool, order: NDArray[np.int64]) -> Cut:
    """Cut a term as the released script does, its values read as text or as numbers.

    Parameters
    ----------
    values
        Shape ``(n,)``: the term in pawns, two decimals as Stockfish prints it.
    as_text
        Whether to sort the printed text, as the script does.
    order
        Order in which the positions were read: equal values stay in it.
    """
    keys = np.char.mod("%.2f", values[order]) if as_text else values[order]
    ranked = order[np.argsort(keys, kind="stable")]
    size = int(values.size * TAIL_SHARE)
    kept = int(size * (1 - _TEST_SHARE))
    low, high = ranked[:size], ranked[-size:]
    return Cut(
        np.concatenate([low[:kept], high[:kept]]),
        np.repeat([False, True], kept),
        np.concatenate([low[kept:], high[kept:]]),
        np.repeat([False, True], size - kept),
    )


def our_cut(values: NDArray[np.float32], splits: NDArray, *, seed: int) -> Cut:
    """Cut a term by its numbers, ties by lot, and test on games that training never saw."""
    tails = cut_tails(values, seed=seed)
    test = splits[tails.rows] == "test"
    train = splits[tails.rows] == "train"
    return Cut(tails.rows[train], tails.positive[train], tails.rows[test], tails.positive[test])


def audit(
    features: NDArray, labelled: Labelled, *, c: float, seeds: Sequence[int], jobs: int = 2
) -> dict[Procedure, NDArray[np.float64]]:
    """Fit every concept under each procedure: test accuracies, shape ``(seeds, k)`` each.

    The positions, the features and the solver are the same; a seed sets the order in
    which the positions are read, or the lot among ties.
    """
    names: tuple[Procedure, ...] = ("released", "numeric", "ours")
    tasks = [
        delayed(_accuracy)(features, _cutter(name, labelled, k, seed), c, seed)
        for name in names
        for seed in seeds
        for k in range(len(labelled.terms))
    ]
    found = np.array(Parallel(n_jobs=jobs)(tasks))
    shaped = found.reshape(len(names), len(seeds), len(labelled.terms))
    return dict(zip(names, shaped, strict=True))


def _cutter(name: Procedure, labelled: Labelled, k: int, seed: int) -> Callable[[], Cut]:
    values = labelled.values[:, k]
    if name == "ours":
        return lambda: our_cut(values, labelled.splits, seed=seed)
    order = np.random.default_rng(seed).permutation(values.size)
    return lambda: released_cut(values, as_text=name == "released", order=order)


def _accuracy(features: NDArray, cutter: Callable[[], Cut], c: float, seed: int) -> float:
    cut = cutter()
    rows = np.asarray(features[cut.train], np.float32)
    standard = Standard.of(rows)
    weights, bias = fit_svm(standard.apply(rows), cut.train_positive, c=c, seed=seed)
    unseen = standard.apply(np.asarray(features[cut.test], np.float32))
    return float((((unseen @ weights + bias) > 0) == cut.test_positive).mean())
