"""A scripted oracle, what it says of random positions, and such positions."""

import random

import chess
import numpy as np

from chessgloss.oracle import STOCKFISH_8, TERMS, Oracle, TermTable
from fakes import engine_command


def scripted(*options: str, timeout: float = 30.0) -> Oracle:
    """Return an engine that numbers its positions from 1: Material tells the place."""
    command = engine_command(*options)
    return Oracle(
        "scripted oracle", command, "Stockfish.js 8 ", STOCKFISH_8, timeout=timeout
    )


def term(table: TermTable, name: str) -> np.ndarray:
    """Return the middlegame values of one term."""
    return table.middlegame[:, TERMS.index(name)]


def materials(table: TermTable) -> list[int]:
    """Return the places that the scripted engine gave."""
    return np.rint(term(table, "Material") * 100).astype(int).tolist()


def random_fens(count: int, seed: int = 7) -> list[str]:
    """Return positions of random play, so that every kind of position occurs."""
    rng = random.Random(seed)
    fens = []
    board = chess.Board()
    while len(fens) < count:
        if board.is_game_over() or board.ply() > 150:
            board = chess.Board()
        board.push(rng.choice(list(board.legal_moves)))
        fens.append(board.fen())
    return fens
