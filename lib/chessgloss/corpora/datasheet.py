"""What a corpus holds, counted: the rows of a data sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import chess
import numpy as np
import pandas as pd

from chessgloss.positions import CommentedMove, Game

Phase = Literal["opening", "middlegame", "endgame"]

#: Bounds on the knights, bishops, rooks and queens of both sides together.
#: Source: lichess.org's ``Divider`` (``scalachess``), its rule by piece count.
_MIDDLEGAME_PIECES, _ENDGAME_PIECES = 10, 6

#: No position counts as an opening after this ply (ours).
_OPENING_PLIES = 24

#: Values in pawns, the usual 1, 3, 3, 5, 9.
_VALUES = {"P": 1, "N": 3, "B": 3, "R": 5, "Q": 9, "p": -1, "n": -3, "b": -3, "r": -5, "q": -9}


def phase_of(fen: str) -> Phase:
    """Return the phase of a position, by its pieces other than kings and pawns and its ply."""
    placement, turn, *_, number = fen.split(" ")
    pieces = sum(symbol in "nbrqNBRQ" for symbol in placement)
    ply = 2 * int(number) - (2 if turn == "w" else 1)
    if pieces <= _ENDGAME_PIECES:
        return "endgame"
    return "opening" if pieces > _MIDDLEGAME_PIECES and ply < _OPENING_PLIES else "middlegame"


def material(fen: str) -> int:
    """Return White's material less Black's, in pawns (1, 3, 3, 5, 9)."""
    return sum(_VALUES.get(symbol, 0) for symbol in fen.split(" ", 1)[0])


def describe_games(games: Sequence[Game]) -> dict[str, float | int]:
    """Count a collection of games: how many, how long, how they ended."""
    plies = np.array([len(game.moves) for game in games])
    results = Counter(game.result for game in games)
    shares = {name: results[name] / len(games) for name in ("1-0", "1/2-1/2", "0-1", "*")}
    return {
        "games": len(games),
        "distinct games": len({game.key for game in games}),
        "plies": int(plies.sum()),
        "median plies": float(np.median(plies)),
        "longest, plies": int(plies.max()),
        "White wins": shares["1-0"],
        "draws": shares["1/2-1/2"],
        "Black wins": shares["0-1"],
        "unfinished": shares["*"],
    }


def describe_positions(fens: Sequence[str]) -> dict[str, float | int]:
    """Count a collection of positions: phases, checks, material."""
    phases = Counter(map(phase_of, fens))
    balance = np.abs([material(fen) for fen in fens])
    return {
        "positions": len(fens),
        "distinct positions": len({fen.rsplit(" ", 2)[0] for fen in fens}),
        **{name: phases[name] / len(fens) for name in ("opening", "middlegame", "endgame")},
        "in check": float(np.mean([chess.Board(fen).is_check() for fen in fens])),
        "material within 3 pawns": float(np.mean(balance <= 3)),
    }


def describe_comments(comments: Sequence[CommentedMove]) -> dict[str, float | int]:
    """Count a collection of commented moves: how many, how long, of which phase."""
    words = np.array([comment.words for comment in comments])
    phases = Counter(phase_of(comment.context.position.fen) for comment in comments)
    return {
        "comments": len(comments),
        "median words": float(np.median(words)),
        "at most 40 words": int((words <= 40).sum()),
        **{f"on {name} moves": phases[name] for name in ("opening", "middlegame", "endgame")},
    }


def describe_levels(games: Sequence[Game]) -> pd.DataFrame:
    """Count games by the pair of their players, strongest last: games, length, draws."""
    rows = [
        (*sorted((_level(game.white), _level(game.black))), len(game.moves), game.result)
        for game in games
    ]
    frame = pd.DataFrame(rows, columns=["level", "against", "plies", "result"])
    grouped = frame.groupby(["level", "against"])
    return pd.DataFrame(
        {
            "games": grouped.size(),
            "mean plies": grouped["plies"].mean(),
            "draws": grouped["result"].agg(lambda results: (results == "1/2-1/2").mean()),
        }
    ).reset_index()


def render_sheet(games: Sequence[Game], digest: str) -> str:
    """Return the counts of a games file as Markdown, for the data sheet beside it.

    Parameters
    ----------
    games
        All games of the file.
    digest
        SHA-256 of the file.
    """
    counts = {**describe_games(games), **_splits(games)}
    rows = [f"| {name} | {_shown(value)} |" for name, value in counts.items()]
    return "\n".join(["| count | value |", "|---|---|", *rows, f"| SHA-256 | `{digest}` |", ""])


def _splits(games: Sequence[Game]) -> dict[str, int]:
    counts = Counter(game.split for game in games)
    return {f"{name} games": counts[name] for name in ("train", "validation", "test")}


def _shown(value: float | int) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def _level(name: str) -> int:
    return int(name.rsplit(" ", 1)[1])
