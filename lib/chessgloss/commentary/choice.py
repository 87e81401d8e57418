"""Moved to :mod:`chessgloss.notes.choice`."""

from chessgloss.notes.choice import (
    WEIGHTS,
    expectation,
    features,
    in_expert_order,
    spoken_of,
)
from chessgloss.notes.choice import same_subject as alike

__all__ = [
    "WEIGHTS",
    "alike",
    "expectation",
    "features",
    "in_expert_order",
    "spoken_of",
]
