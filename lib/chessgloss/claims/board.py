"""Moved to :mod:`chessgloss.claims.scene` and :mod:`chessgloss.claims.looks`."""

from chessgloss.claims.looks.finding import Finding, Truth
from chessgloss.claims.scene import Anchor, Moment, Scene, set_scene

__all__ = ["Anchor", "Finding", "Moment", "Scene", "Truth", "set_scene"]
