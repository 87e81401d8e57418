"""How well moves are chosen: players, the answers they give, and what the moves lose."""

from chessgloss.skill.losses import CAP, evaluate_game, grade_games, losses

__all__ = ["CAP", "evaluate_game", "grade_games", "losses"]
