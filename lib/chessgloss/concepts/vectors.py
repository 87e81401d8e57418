"""Linear scores of concepts on an expert's activations, as they are kept and used.

:mod:`chessgloss.concepts.fit` makes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from safetensors.numpy import save

from chessgloss.store import read_tensors, write_tensors

Floats = NDArray[np.floating]

#: Layers that the committed vectors read: the choice of the chapter on concept vectors.
LAYERS = "pairwise+clipped"


@dataclass(frozen=True, slots=True, eq=False)
class ConceptVectors:
    """A linear score for each of ``k`` concepts on ``d`` features.

    Parameters
    ----------
    names
        The concepts, as long as the rows of ``weights``.
    weights
        Shape ``(k, d)``, float32: for features as the expert gives them (the
        standardisation is folded in).
    biases
        Shape ``(k,)``, float32.
    about
        Where they come from: expert, layer, oracle, data hash, seed, C, versions.
    """

    names: tuple[str, ...]
    weights: NDArray[np.float32]
    biases: NDArray[np.float32]
    about: Mapping[str, str]

    def scores(self, activations: ArrayLike) -> NDArray[np.float32]:
        """Return the concept scores, shape ``(n, k)``: positive on the positive side.

        The unit is the SVM's margin: 1 lies on the edge of the positive class.
        """
        return np.asarray(activations, np.float32) @ self.weights.T + self.biases

    def score_changes(self, before: ArrayLike, after: ArrayLike) -> NDArray[np.float32]:
        """Return the scores after moves less those before, ``(n, k)``: the paper's way.

        Source: CCC paper, 3.1.2. In units of each concept's own margin, which differ.
        """
        return self.scores(after) - self.scores(before)

    def directions(self) -> NDArray[np.float32]:
        """Return the vectors with length 1, shape ``(k, d)``."""
        return self.weights / np.linalg.norm(self.weights, axis=1, keepdims=True)

    def save(self, path: Path) -> Path:
        """Write a safetensors file whose header says where the vectors come from."""
        header = {**self.about, "names": json.dumps(self.names)}
        return write_tensors(
            save({"weights": self.weights, "biases": self.biases}, header), path
        )

    @classmethod
    def load(cls, path: Path) -> ConceptVectors:
        """Read a file that :meth:`save` wrote.

        Raises
        ------
        ValueError
            If the file holds no concept vectors.
        """
        tensors, about = read_tensors(path, "names")
        names = tuple(json.loads(about.pop("names")))
        return cls(names, tensors["weights"], tensors["biases"], about)
