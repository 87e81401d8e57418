"""Pawns and files: held of a pawn or a file, found by :mod:`chessgloss.predicates.board`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import chess

from chessgloss.predicates import board as boards
from chessgloss.predicates.attacks import Number, man, men
from chessgloss.predicates.finding import Finding

#: Finds the pawns of a side that are so.
Find = Callable[[chess.Board, chess.Color], chess.SquareSet]


def _is_found(
    find: Find, word: str, board: chess.Board, piece: chess.Square
) -> Finding:
    """Return whether a pawn is among those that are found."""
    if board.piece_type_at(piece) != chess.PAWN:
        return Finding(False, f"{man(board, piece)} is no pawn")
    so = piece in find(board, bool(board.color_at(piece)))
    return Finding(so, f"{man(board, piece)} is {'' if so else 'not '}{word}")


def connected_pawns(board: chess.Board, colour: chess.Color) -> chess.SquareSet:
    """Return the pawns with one of their own on a neighbouring file, a rank away at most."""
    pawns = board.pieces(chess.PAWN, colour)
    return chess.SquareSet(
        pawn
        for pawn in pawns
        if pawns
        & chess.BB_KING_ATTACKS[pawn]
        & ~chess.BB_FILES[chess.square_file(pawn)]
    )


passed = partial(_is_found, boards.passed, "passed")
isolated = partial(_is_found, boards.isolated, "isolated")
doubled = partial(_is_found, boards.doubled, "doubled")
connected = partial(_is_found, connected_pawns, "connected with another")


def backward(board: chess.Board, piece: chess.Square) -> Finding:
    """Return whether no pawn can support a pawn's advance, which an enemy pawn would punish.

    None of its own pawns stands beside it or behind it on the neighbouring files; whether the
    square before it must be covered by a pawn is arguable.
    """
    if board.piece_type_at(piece) != chess.PAWN:
        return Finding(False, f"{man(board, piece)} is no pawn")
    colour = bool(board.color_at(piece))
    rank = chess.square_rank(piece)
    behind = chess.SquareSet(
        pawn
        for pawn in board.pieces(chess.PAWN, colour)
        if (
            abs(chess.square_file(pawn) - chess.square_file(piece)) == 1
            and (chess.square_rank(pawn) <= rank) == colour
        )
        or (
            chess.square_rank(pawn) == rank
            and abs(chess.square_file(pawn) - chess.square_file(piece)) == 1
        )
    )
    if behind:
        return Finding(False, f"{men(board, behind)} can support {man(board, piece)}")
    stop = piece + (8 if colour else -8)
    covered = board.attackers_mask(not colour, stop) & board.pawns
    return Finding(
        True, f"no pawn can support {man(board, piece)}", arguable=not covered
    )


def steps_to_promotion(
    board: chess.Board, piece: chess.Square, number: Number
) -> Finding:
    """Return whether a pawn has so many ranks to go; its double step is arguable."""
    if board.piece_type_at(piece) != chess.PAWN:
        return Finding(False, f"{man(board, piece)} is no pawn")
    rank = chess.square_rank(piece)
    steps = 7 - rank if board.color_at(piece) else rank
    evidence = f"{man(board, piece)} has {steps} ranks to go"
    return Finding(steps in number, evidence, arguable=steps == 6 and 5 in number)


def open_file(
    board: chess.Board,
    file: str,
    manner: str | None = None,
    side: chess.Color | None = None,
    number: Number | None = None,
) -> Finding:
    """Return whether a file is open, half-open (for a side), or has so many pawns.

    A half-open file is arguably open, unless ``manner`` says that it is.
    """
    mask = chess.BB_FILES[chess.FILE_NAMES.index(file)]
    there = chess.SquareSet(board.pawns & mask)
    verb = "stand" if len(there) > 1 else "stands"
    evidence = f"{men(board, there)} {verb} on the {file}-file"
    if number is not None:
        own = there & board.occupied_co[side] if side is not None else there
        return Finding(len(own) in number, evidence)
    free = [colour for colour in chess.COLORS if not there & board.occupied_co[colour]]
    if manner == "half_open" or side is not None:
        wanted = bool(free) if side is None else side in free
        return Finding(wanted, evidence, arguable=not there)
    half = len(free) == 1 and manner is None
    return Finding(not there, evidence, arguable=half)
