"""Pawns and files: held of a pawn or a file, found by :mod:`chessgloss.predicates.board`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import chess
from chess import Board, Color, Square, SquareSet, square_file, square_rank

from chessgloss.predicates import board as boards
from chessgloss.predicates.attacks import Number
from chessgloss.predicates.finding import Finding, men, told

#: Finds the pawns of a side that are so.
Find = Callable[[Board, Color], SquareSet]


def _is_found(find: Find, word: str, board: Board, piece: Square) -> Finding:
    """Return whether a pawn is among those that are found."""
    if board.piece_type_at(piece) != chess.PAWN:
        return Finding(False, told(board, "{} is no pawn", piece))
    colour = bool(board.color_at(piece))
    so = piece in find(board, colour)
    text = "{} is " if so else "{} is not "
    return Finding(so, told(board, text + word, piece))


def neighbours(board: Board, colour: Color, pawn: Square) -> SquareSet:
    """Return the pawns of a side on the files beside a square's own."""
    file = square_file(pawn)
    beside = (chess.BB_FILES[each] for each in (file - 1, file + 1) if 0 <= each < 8)
    return board.pieces(chess.PAWN, colour) & sum(beside)


def connected_pawns(board: Board, colour: Color) -> SquareSet:
    """Return the pawns with one of their own on a neighbouring file, a rank away at most."""
    return SquareSet(
        pawn
        for pawn in board.pieces(chess.PAWN, colour)
        if neighbours(board, colour, pawn) & chess.BB_KING_ATTACKS[pawn]
    )


def backward_pawns(board: Board, colour: Color) -> SquareSet:
    """Return the pawns with none of their own beside or behind them on neighbouring files."""
    forward = 1 if colour else -1
    return SquareSet(
        pawn
        for pawn in board.pieces(chess.PAWN, colour)
        if all(
            (square_rank(each) - square_rank(pawn)) * forward > 0
            for each in neighbours(board, colour, pawn)
        )
    )


passed = partial(_is_found, boards.passed, "passed")
isolated = partial(_is_found, boards.isolated, "isolated")
doubled = partial(_is_found, boards.doubled, "doubled")
connected = partial(_is_found, connected_pawns, "connected with another")


def backward(board: Board, piece: Square) -> Finding:
    """Return whether no pawn can support a pawn, whose advance an enemy pawn should punish.

    Whether the square before it must be covered by one is arguable.
    """
    found = _is_found(backward_pawns, "backward", board, piece)
    if not found.holds:
        return found
    colour = bool(board.color_at(piece))
    stop = piece + 8 if colour else piece - 8
    attackers = board.attackers_mask(not colour, stop)
    covered = attackers & board.pawns
    return found._replace(arguable=not covered)


def steps_to_promotion(board: Board, piece: Square, number: Number) -> Finding:
    """Return whether a pawn has so many ranks to go; its double step is arguable."""
    if board.piece_type_at(piece) != chess.PAWN:
        return Finding(False, told(board, "{} is no pawn", piece))
    steps = square_rank(piece)
    if board.color_at(piece):
        steps = 7 - steps
    evidence = told(board, f"{{}} has {steps} ranks to go", piece)
    doubles = steps == 6 and 5 in number
    return Finding(steps in number, evidence, arguable=doubles)


def open_file(
    board: Board,
    file: str,
    manner: str | None = None,
    side: Color | None = None,
    number: Number | None = None,
) -> Finding:
    """Return whether a file is open, half-open (for a side), or has so many pawns.

    A half-open file is arguably open, unless ``manner`` says that it is.
    """
    column = chess.BB_FILES[chess.FILE_NAMES.index(file)]
    there = SquareSet(board.pawns & column)
    evidence = f"on the {file}-file: {men(board, there)}"
    whites = there & board.occupied_co[chess.WHITE]
    blacks = there & board.occupied_co[chess.BLACK]
    counted = {None: there, chess.WHITE: whites, chess.BLACK: blacks}[side]
    if number is not None:
        return Finding(len(counted) in number, evidence)
    both = bool(whites and blacks)
    if side is not None:
        return Finding(not counted, evidence, arguable=not there)
    if manner == "half_open":
        return Finding(not both, evidence, arguable=not there)
    return Finding(not there, evidence, arguable=manner is None and not both)
