"""Openings by name: the last named position that a game has come through.

They are 3,404 named positions: the rows of PyChess 1.0.3's ``eco.db`` (GPL-3.0-or-later,
after niklasf/eco) that are in English and end a line.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import chess
from chess import Board, Move

from chessgloss.positions import Position

#: Moves after which a game is no longer in its opening; all named lines but one end before.
OPENING_MOVES: Final = 15


class Opening(NamedTuple):
    """An opening's code in the Encyclopaedia of Chess Openings, and its English name."""

    eco: str
    name: str


@lru_cache(512)  # the facts of a move are gathered more than once
def opening(position: Position) -> Opening | None:
    """Return the last named opening that the game has come through, this position included.

    By position, so that a line reached in another order has its name too. Without a history
    the position itself must be named; after :data:`OPENING_MOVES` moves there is none.
    """
    if int(position.fen.split()[5]) > OPENING_MOVES:
        return None
    board = Board(position.root if position.moves else position.fen)
    table = openings()
    known = table.get(placement(board))
    for move in position.moves:
        board.push(Move.from_uci(move))
        known = table.get(placement(board), known)
    return known


@cache
def openings() -> Mapping[tuple[int, ...], Opening]:
    """Return the named openings by placement, side to move and castling rights."""
    with (
        Path(__file__)
        .with_name("openings.tsv")
        .open(encoding="utf-8", newline="") as file
    ):
        _, *rows = csv.reader(file, delimiter="\t")
        return {placement(Board(fen)): Opening(eco, name) for eco, name, fen in rows}


def placement(board: Board) -> tuple[int, ...]:
    """Return what names an opening: placement, side to move and castling rights."""
    pieces = (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
    )
    return (*pieces, board.occupied_co[chess.WHITE], board.turn, board.castling_rights)
