"""How a chapter shows comments: beside the board of their move."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import pandas as pd

from chessgloss.commentary.methods import Comment
from chessgloss.positions import MoveInContext
from chessgloss.report import Html, board, boards

#: Most words quoted of a human comment: the texts belong to their authors.
QUOTED = 15


def quote(text: str, most: int = QUOTED) -> str:
    """Return the first words of a text, with an ellipsis if there are more."""
    words = text.split()
    return " ".join(words[:most]) + (" …" if len(words) > most else "")


def texts(rows: Mapping[str, str], caption: str = "") -> Html:
    """Show texts under each other, each beside its name, with lines that wrap."""
    told = pd.Series(dict(rows), dtype=object).to_frame("")
    with pd.option_context("display.max_colwidth", None):
        body = told.to_html(classes="results texts", border=0, header=False)
    head = f'<p class="table-caption">{escape(caption)}</p>' if caption else ""
    plain = "\n".join(f"{name}: {text}" for name, text in rows.items())
    return Html(f'<div class="results">{head}{body}</div>', plain)


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
    return boards(board(move, size=280), texts(shown, caption or move.numbered_san))


def _text(comment: Comment) -> str:
    if comment.state != "answered":
        return f"(no comment: {comment.state})"
    return quote(comment.text) if comment.method == "reference" else comment.text
