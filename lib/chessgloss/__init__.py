"""A chess engine and a language model explain a move together.

The package is a set of small modules, imported by name
(``from chessgloss import positions``); nothing is re-exported here and importing
it starts nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"
