"""How a chapter shows comments: beside the board of their move."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from chessgloss.commentary.methods import Comment
from chessgloss.positions import MoveInContext
from chessgloss.report import Html, board, boards, table

#: Most words quoted of a human comment: the texts belong to their authors.
QUOTED = 15


def quote(text: str, most: int = QUOTED) -> str:
    """Return the first words of a text, with an ellipsis if there are more."""
    words = text.split()
    return " ".join(words[:most]) + (" …" if len(words) > most else "")


def beside(move: MoveInContext, comments: Mapping[str, Comment | None], caption: str = "") -> Html:
    """Show a move on its board and the comments of several methods next to it.

    Parameters
    ----------
    move
        The move.
    comments
        Comments by the name of their method; ``None`` for a method without one. Of a human
        comment the first words are shown.
    caption
        Stands above the comments.
    """
    shown = {name: _text(one) for name, one in comments.items() if one is not None}
    told = pd.Series(shown, name="comment", dtype=object).to_frame()
    return boards(board(move, size=280), table(told, caption or move.numbered_san))


def _text(comment: Comment) -> str:
    if comment.state != "answered":
        return f"(no comment: {comment.state})"
    return quote(comment.text) if comment.method == "reference" else comment.text
