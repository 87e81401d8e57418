"""How well moves are chosen: players, the answers they give, and what the moves lose."""

from chessgloss.assets import needs

needs("pandas", "joblib")
