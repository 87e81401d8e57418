"""The king's shelter: pawns of its own in front of it."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from chessgloss.facts.pawns import ranks_ahead


@dataclass(frozen=True, slots=True)
class Shelter:
    """A king and what stands before it.

    Parameters
    ----------
    king
        Where the king stands.
    pawns
        Its own pawns on its file and the two beside it (one at the edge), one or two ranks
        ahead: those that shelter it.
    bare_files
        Files among these on which it has no pawn of its own anywhere ahead.
    """

    king: chess.Square
    pawns: tuple[chess.Square, ...]
    bare_files: tuple[int, ...]


def shelter(board: chess.Board, colour: chess.Color) -> Shelter:
    """Return the shelter of the king of ``colour``.

    Raises
    ------
    ValueError
        If there is no such king.
    """
    king = board.king(colour)
    if king is None:
        raise ValueError(f"{chess.COLOR_NAMES[colour]} has no king in {board.fen()!r}")
    ahead = ranks_ahead(king, colour) & board.pawns & board.occupied_co[colour]
    file, rank = chess.square_file(king), chess.square_rank(king)
    step = 1 if colour == chess.WHITE else -1
    near = sum(chess.BB_RANKS[r] for r in (rank + step, rank + 2 * step) if 0 <= r < 8)
    files = range(max(file - 1, 0), min(file + 2, 8))
    beside = sum(chess.BB_FILES[one] for one in files)
    bare = tuple(one for one in files if not ahead & chess.BB_FILES[one])
    return Shelter(king, tuple(chess.scan_forward(ahead & near & beside)), bare)
