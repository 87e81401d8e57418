"""Endings by name and by outcome: three rules, the tablebase of three pieces, king and pawn.

``None``, or nothing yielded, means *not known*, never *false*. Three pieces are looked up in the
Gaviota tablebases (Debian's package ``gaviotatb``; the asset ``gaviota``); where they cannot be
had, what rests on them is not known.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import chess
from chess import (
    Bitboard,
    Board,
    Color,
    Square,
    SquareSet,
    square_distance,
    square_file,
    square_rank,
)

from chessgloss.facts.records import Fact, When
from chessgloss.predicates import board as boards
from chessgloss.predicates.words import names, noun, side_name

if TYPE_CHECKING:
    import chess.gaviota

#: Ranks as python-chess numbers them, from 0.
FIFTH: Final = 4
SIXTH: Final = 5
SEVENTH: Final = 6
LAST: Final = 7


def ending(board: Board) -> str | None:
    """Return the name of an ending by its pieces: ``rook ending``; ``None`` for all others."""
    bishops = board.bishops
    key = "-".join(sorted(_pieces(board, side) for side in chess.COLORS))
    key += " pawns" if board.pawns else ""
    if bishops.bit_count() == 2 and (bishops & chess.BB_LIGHT_SQUARES).bit_count() == 1:
        key += " both"
    return known_words()["endings"].get(key)


def _pieces(board: Board, colour: Color) -> str:
    masks = (board.queens, board.rooks, board.bishops, board.knights)
    counts = ((mask & board.occupied_co[colour]).bit_count() for mask in masks)
    named = zip("QRBN", counts, strict=True)
    return "".join(letter * count for letter, count in named)


@cache
def known_words() -> dict[str, dict[str, str]]:
    """Return the names of endings, and why an outcome is known (``known.toml``)."""
    return tomllib.loads(
        Path(__file__).with_name("known.toml").read_text(encoding="utf-8")
    )


class Theory(NamedTuple):
    """What is known of the outcome of an ending.

    Parameters
    ----------
    winner
        The side that wins with best play; ``None`` for a draw.
    name
        ``KPK``, ``KQK`` or ``KRK`` (by the tablebases), ``Lucena position``, ``Philidor
        position``, ``wrong bishop`` or ``insufficient material``.
    plies
        Plies to mate, where the tablebase says; else 0.
    """

    winner: Color | None
    name: str
    plies: int = 0


def theory(board: Board) -> Theory | None:
    """Return the known outcome of an ending; ``None`` if unsure.

    Three pieces exactly; of more, the cases of three rules. *Lucena*: rook and pawn (not a
    rook's pawn) on the seventh against rook, the attacking king before its pawn, its rook
    cutting the other king off, the other rook on the file beyond the pawn. *Philidor*: the
    pawn and its king have not passed the fifth rank, the defending king stands before the pawn
    on its last rank, its rook on its third. In both the attacker is to move, not in check, and
    no rook is attacked. *Wrong bishop*: pawns of one rook's file with bishops that do not
    control its corner, on or beside which the bare king stands.
    """
    if not board.occupied & ~(board.kings | board.pawns | board.bishops):
        views = (_seen_by(board, side) for side in chess.COLORS)
        if any(map(_is_wrong_bishop, views)):
            return Theory(None, "wrong bishop")
    if board.occupied.bit_count() > 5:
        return None
    if board.is_insufficient_material():
        return Theory(None, "insufficient material")
    if board.occupied.bit_count() == 3:
        return _looked_up(board)
    for side in chess.COLORS:
        view = _seen_by(board, side)
        pieces = (_pieces(view, chess.WHITE), _pieces(view, chess.BLACK))
        if not view.pawns or view.pawns & view.occupied_co[chess.BLACK]:
            continue
        if pieces == ("R", "R") and (known := _rook_theory(view)):
            return known._replace(winner=known.winner and side)
    return None


def _seen_by(board: Board, side: chess.Color) -> Board:
    """Return a board on which a side plays White."""
    return board if side else board.mirror()


@cache
def _tablebase() -> chess.gaviota.PythonTablebase | None:
    import chess.gaviota

    from chessgloss import assets

    tables = chess.gaviota.PythonTablebase()
    try:
        tables.add_directory(str(assets.locate("gaviota")))
    except assets.AssetMissing:
        return None
    return tables


def _looked_up(board: Board) -> Theory | None:
    tables = None if board.castling_rights else _tablebase()
    if tables is None or board.is_game_over():
        return None
    plies = tables.probe_dtm(board)
    winner = None
    if plies:
        winner = board.turn if plies > 0 else not board.turn
    pieces = _pieces(board, chess.WHITE) + _pieces(board, chess.BLACK)
    return Theory(winner, f"K{pieces or 'P'}K", abs(plies))


def _rook_theory(view: Board) -> Theory | None:
    """Return what is known of White, to move, with rook and pawn against a rook."""
    own = _only(view.rooks & view.occupied_co[chess.WHITE])
    if not view.turn or view.is_check() or view.is_attacked_by(chess.BLACK, own):
        return None
    if _is_lucena(view):
        return Theory(chess.WHITE, "Lucena position")
    return Theory(None, "Philidor position") if _is_philidor(view) else None


def _is_lucena(view: Board) -> bool:
    """Whether White's king stands before its pawn on the seventh, Black's king is cut off."""
    pawn = _only(view.pawns)
    file = square_file(pawn)
    own = _only(view.rooks & view.occupied_co[chess.WHITE])
    other = _only(view.rooks & view.occupied_co[chess.BLACK])
    other_king_file = square_file(boards.king_of(view, chess.BLACK))
    away = 1 if other_king_file > file else -1
    return (
        square_rank(pawn) == SEVENTH
        and boards.king_of(view, chess.WHITE) == chess.square(file, LAST)
        and 0 < (square_file(own) - file) * away < (other_king_file - file) * away
        and square_file(other) == file - away
        and square_rank(other) < SEVENTH
    )


def _is_philidor(view: Board) -> bool:
    """Whether Black's king stands before the pawn on its last rank, its rook on its third."""
    pawn = _only(view.pawns)
    goal = chess.square(square_file(pawn), LAST)
    other = _only(view.rooks & view.occupied_co[chess.BLACK])
    return (
        boards.king_of(view, chess.BLACK) == goal
        and square_rank(other) == SIXTH
        and not view.is_attacked_by(chess.WHITE, other)
        and square_rank(pawn) <= FIFTH
        and square_rank(boards.king_of(view, chess.WHITE)) <= FIFTH
    )


def _is_wrong_bishop(view: Board) -> bool:
    """Whether Black's bare king holds against White's bishops and rook's pawns.

    There are only kings, bishops and pawns on the board.
    """
    bare = not view.occupied_co[chess.BLACK] & ~view.kings
    if not (bare and view.pawns and view.bishops):
        return False
    file = _only(view.pawns) % 8
    colour = chess.BB_DARK_SQUARES if file else chess.BB_LIGHT_SQUARES  # of h8, of a8
    return (
        file in (0, 7)
        and not view.pawns & ~chess.BB_FILES[file]
        and not view.bishops & colour
        and square_distance(boards.king_of(view, chess.BLACK), 56 + file) <= 1
    )


def _only(mask: Bitboard) -> Square:
    return mask.bit_length() - 1


def king_and_pawn(board: Board, when: When) -> Iterator[Fact]:
    """Yield what decides king and pawn against king: the opposition, a key square.

    The side that does not move has the opposition if the kings stand on one file or rank with
    an odd number of squares between, and the outcome would change if it had to move. A king
    is on a key square if it stands on one of :func:`key_squares` and wins whoever moves.
    """
    turned = boards.after_pass(board)
    if board.occupied.bit_count() != 3 or not board.pawns or turned is None:
        return
    now = theory(board)
    then = theory(turned)
    holder = not board.turn
    if now is None or then is None:
        return
    side = bool(board.pawns & board.occupied_co[chess.WHITE])
    pawn = _only(board.pawns)
    kings = (boards.king_of(board, holder), boards.king_of(board, not holder))
    apart = sorted(
        abs(a - b) for a, b in zip(*(divmod(king, 8) for king in kings), strict=True)
    )
    if now.winner != then.winner and apart in ([0, 2], [0, 4], [0, 6]):
        sort = "direct" if apart[1] == 2 else "distant"
        text = f"{side_name(holder)} has the opposition, as {side_name(not holder)} is to move"
        yield Fact("opposition", when, holder, names(kings), sort, text)
    king = boards.king_of(board, side)
    if now.winner == then.winner == side and king in key_squares(pawn, side):
        text = f"{noun(side, chess.KING, king)} is on a key square of its pawn"
        yield Fact("key_square", when, side, names((king, pawn)), None, text)


def key_squares(pawn: Square, colour: Color) -> SquareSet:
    """Return the squares from which the king of a pawn of ``colour`` leads it home.

    Before the fifth rank the three squares two ranks ahead; on the fifth and sixth those one
    and two ranks ahead; for a rook's pawn the two on the neighbouring file beside its last
    squares; none on the seventh.
    """
    rank, file = divmod(pawn if colour else chess.square_mirror(pawn), 8)
    files = {file - 1, file, file + 1}
    ranks = {4: {5, 6}, 5: {6, 7}, 6: set()}
    ahead = ranks.get(rank, {rank + 2})
    if file in (0, 7):
        files = {abs(file - 1)}
        ahead = {6, 7}
    squares = SquareSet(chess.square(f, r) for r in ahead for f in files)
    return squares if colour else squares.mirror()


def outside_square(board: Board, when: When) -> Iterator[Fact]:
    """Yield each passed pawn, its way free, whose square the other king cannot step into.

    In pawn endings only; whose turn it is counts.
    """
    if board.occupied & ~(board.kings | board.pawns):
        return
    for side in chess.COLORS:
        king = boards.king_of(board, not side)
        for pawn in boards.passed(board, side):
            goal = chess.square(square_file(pawn), 7 if side else 0)
            way = chess.between(pawn, goal) | chess.BB_SQUARES[goal]
            steps = min(square_distance(pawn, goal), 5) + (board.turn != side)
            if not board.occupied & way and square_distance(king, goal) > steps:
                outside = noun(not side, chess.KING, king)
                text = (
                    f"{outside} is outside the square of {noun(side, chess.PAWN, pawn)}"
                )
                yield Fact(
                    "outside_square", when, side, names((pawn, king, goal)), None, text
                )
