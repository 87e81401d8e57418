"""How well moves are chosen: players, the answers they give, and what the moves lose."""

from chessgloss.skill.losses import grade_games, losses

__all__ = ["grade_games", "losses"]
