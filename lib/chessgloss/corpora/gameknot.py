"""GameKnot's comments in the aligned files of Jhamtani et al. (ACL 2018).

The texts may not be passed on; who has crawled them with the authors' programs
(repository harsh19/ChessCommentaryGeneration, ``Data/crawler``) holds pairs of files such as
``train.che-eng.single.che`` and ``.en``, whose lines belong together. A line of the first is

    BOARD <EOC> PREVIOUS BOARD <EOP> MOVES <EOMH> ...

A board is 64 words, ``eps`` or ``white_knight``, by squares a1, a2, ... a8, b1, ... h8
(``boardUpdater.py``); MOVES begins with the mover's colour. The words after that have
changed between versions of the programs and hold known errors (a file ``i``), so the move
is found as the legal one that leads from the one board to the other. Neither castling
rights nor en passant squares are stored: castling is allowed where kings and rooks stand at
home, and an en passant capture if only it explains the boards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import chess

from chessgloss.corpora import streams
from chessgloss.corpora.streams import DamagedLine
from chessgloss.positions import CommentedMove, MoveInContext, Position, repair_fen

_LINE = re.compile(r"(.*?) <EOC> (.*?) <EOP> _?(white|black).*", re.DOTALL)
_SQUARES = [chess.square(file, rank) for file in range(8) for rank in range(8)]
_PIECES = {
    f"{colour}_{chess.piece_name(kind)}": chess.Piece(kind, colour == "white")
    for colour in ("black", "white")
    for kind in chess.PIECE_TYPES
}


def read_gameknot(che: Path) -> Iterator[CommentedMove | DamagedLine]:
    """Stream the comments on single moves of a ``.che`` file and the ``.en`` file beside it.

    The source of a comment is ``<file>:<line>``, its ply 0: the files do not number moves.
    Lines whose boards are not one legal move apart (as in the ``multi`` files), empty
    comments and damaged boards are handed out as :class:`DamagedLine`.

    Raises
    ------
    FileNotFoundError
        If one of the two files is missing.
    ValueError
        After the last pair, if one file has more lines than the other.
    """
    pairs = zip_longest(streams.lines(che), streams.lines(che.with_suffix(".en")))
    for number, (situation, comment) in enumerate(pairs, start=1):
        if situation is None or comment is None:
            shorter = che if situation is None else che.with_suffix(".en")
            raise ValueError(f"{shorter} ends before line {number}; the two files must be aligned")
        try:
            context = read_situation(situation.decode("utf-8"))
            text = " ".join(comment.decode("utf-8").split())
            yield CommentedMove(context, text, f"{che.stem}:{number}", 0)
        except ValueError as error:
            yield DamagedLine(number, str(error))


def read_situation(line: str) -> MoveInContext:
    """Return the move that a line of a ``.che`` file describes.

    Raises
    ------
    ValueError
        If the line is not in the form, or its boards are not one legal move apart.
    """
    parts = _LINE.fullmatch(line.strip())
    if parts is None:
        raise ValueError("not of the form BOARD <EOC> PREVIOUS BOARD <EOP> MOVES")
    target, before = (_placement(part.split()) for part in parts.groups()[:2])
    for position in _candidates(before, "w" if parts[3] == "white" else "b"):
        board = position.board()
        for move in board.legal_moves:
            board.push(move)
            reached = board.board_fen()
            board.pop()
            if reached == target:
                return MoveInContext(position, move.uci())
    raise ValueError("the two boards are not one legal move apart")


def _placement(words: list[str]) -> str:
    if len(words) != 64:
        raise ValueError(f"a board has {len(words)} words instead of 64")
    unknown = set(words) - _PIECES.keys() - {"eps"}
    if unknown:
        raise ValueError(f"unknown piece {min(unknown)!r}")
    board = chess.BaseBoard.empty()
    board.set_piece_map(
        {
            square: _PIECES[word]
            for square, word in zip(_SQUARES, words, strict=True)
            if word != "eps"
        }
    )
    return board.board_fen()


def _candidates(placement: str, turn: str) -> Iterator[Position]:
    """Yield the position, first without, then with each possible en passant square."""
    position = repair_fen(f"{placement} {turn} KQkq - 0 1").position
    yield position
    for file in chess.FILE_NAMES:
        board = position.board()
        board.ep_square = chess.parse_square(f"{file}{6 if turn == 'w' else 3}")
        if board.is_valid() and board.has_legal_en_passant():
            yield Position(board.fen())
