"""What chess players know by name: openings, endings, draws, and devices proven on the board.

Everything here is decided, by a table, a rule that holds without exception, or a count of
positions; what is not sure is left out. ``None``, or nothing yielded, means *not known*, never
*false*. Functions that give a :class:`~chessgloss.facts.fact.Fact` are told when it holds.

**Openings** are 3,404 named positions: the rows of PyChess 1.0.3's ``eco.db`` (GPL-3.0-or-later,
after niklasf/eco) that are in English and end a line.
**Three pieces** are looked up in the Gaviota tablebases (Debian's package ``gaviotatb``; the
asset ``gaviota``); where they cannot be had, what rests on them is not known.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import chess
import chess.gaviota
from chess.engine import PovScore

from chessgloss import assets
from chessgloss.engine import centipawns, win_chance
from chessgloss.facts import tactics
from chessgloss.facts.board import after_move, after_pass, king_of, passed
from chessgloss.facts.fact import Fact, When, names, noun, side_name
from chessgloss.positions import MoveInContext, Position

# ---------------------------------------------------------------- openings

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
    board, table = chess.Board(position.root if position.moves else position.fen), openings()
    known = table.get(_placement(board))
    for move in position.moves:
        board.push(chess.Move.from_uci(move))
        known = table.get(_placement(board), known)
    return known


@cache
def openings() -> Mapping[tuple[int, ...], Opening]:
    """Return the named openings by placement, side to move and castling rights."""
    with Path(__file__).with_name("openings.tsv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file, delimiter="\t")
        return {_placement(chess.Board(fen)): Opening(eco, name) for eco, name, fen in rows}


def _placement(board: chess.Board) -> tuple[int, ...]:
    pieces = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    return (*pieces, board.occupied_co[chess.WHITE], board.turn, board.castling_rights)


# ---------------------------------------------------------------- endings


def ending(board: chess.Board) -> str | None:
    """Return the name of an ending by its pieces: ``rook ending``; ``None`` for all others."""
    bishops = board.bishops
    key = "-".join(sorted(_pieces(board, side) for side in chess.COLORS))
    key += " pawns" if board.pawns else ""
    if bishops.bit_count() == 2 and (bishops & chess.BB_LIGHT_SQUARES).bit_count() == 1:
        key += " both"
    return _words()["endings"].get(key)


def _pieces(board: chess.Board, colour: chess.Color) -> str:
    masks = (board.queens, board.rooks, board.bishops, board.knights)
    counts = ((mask & board.occupied_co[colour]).bit_count() for mask in masks)
    return "".join(letter * count for letter, count in zip("QRBN", counts, strict=True))


@cache
def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


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

    winner: chess.Color | None
    name: str
    plies: int = 0


def theory(board: chess.Board) -> Theory | None:
    """Return the known outcome of an ending of at most five pieces; ``None`` if unsure.

    Three pieces exactly; of more, the cases of three rules. *Lucena*: rook and pawn (not a
    rook's pawn) on the seventh against rook, the attacking king before its pawn, its rook
    cutting the other king off, the other rook on the file beyond the pawn. *Philidor*: the
    pawn and its king have not passed the fifth rank, the defending king stands before the pawn
    on its last rank, its rook on its third. In both the attacker is to move, not in check, and
    no rook is attacked. *Wrong bishop*: pawns of one rook's file with bishops that do not
    control its corner, on or beside which the bare king stands.
    """
    if board.occupied.bit_count() > 5:
        return None
    if board.is_insufficient_material():
        return Theory(None, "insufficient material")
    if board.occupied.bit_count() == 3:
        return _looked_up(board)
    for side in chess.COLORS:
        view = board if side else board.mirror()
        pieces = (_pieces(view, chess.WHITE), _pieces(view, chess.BLACK))
        if not view.pawns or view.pawns & view.occupied_co[chess.BLACK]:
            continue
        if pieces == ("R", "R") and (known := _rook_theory(view)):
            return known._replace(winner=known.winner and side)
        if pieces in (("B", ""), ("BB", "")) and _is_wrong_bishop(view):
            return Theory(None, "wrong bishop")
    return None


@cache
def _tablebase() -> chess.gaviota.PythonTablebase | None:
    tables = chess.gaviota.PythonTablebase()
    try:
        tables.add_directory(str(assets.locate("gaviota")))
    except assets.AssetMissing:
        return None
    return tables


def _looked_up(board: chess.Board) -> Theory | None:
    tables = None if board.castling_rights else _tablebase()
    if tables is None or board.is_game_over():
        return None
    plies = tables.probe_dtm(board)
    winner = (board.turn if plies > 0 else not board.turn) if plies else None
    pieces = _pieces(board, chess.WHITE) + _pieces(board, chess.BLACK)
    return Theory(winner, f"K{pieces or 'P'}K", abs(plies))


def _rook_theory(view: chess.Board) -> Theory | None:
    """Return what is known of White, to move, with rook and pawn against a rook."""
    own, other = (_only(view.rooks & view.occupied_co[side]) for side in (True, False))
    (rank, file), (other_rank, other_file) = divmod(_only(view.pawns), 8), divmod(other, 8)
    king, other_king = king_of(view, chess.WHITE), king_of(view, chess.BLACK)
    away = 1 if other_king % 8 > file else -1
    cut = 0 < (own % 8 - file) * away < (other_king % 8 - file) * away
    if not view.turn or view.is_check() or view.is_attacked_by(chess.BLACK, own):
        return None
    if (rank, king, other_file) == (6, 56 + file, file - away) and cut and other_rank < 6:
        return Theory(chess.WHITE, "Lucena position")
    held = (other_king, other_rank) == (56 + file, 5) and not view.is_attacked_by(True, other)
    return Theory(None, "Philidor position") if held and rank <= 4 >= king // 8 else None


def _is_wrong_bishop(view: chess.Board) -> bool:
    """Whether Black's bare king holds against White's bishops and rook's pawns."""
    file = _only(view.pawns) % 8
    colour = chess.BB_DARK_SQUARES if file else chess.BB_LIGHT_SQUARES  # of h8, of a8
    return (
        file in (0, 7)
        and not view.pawns & ~chess.BB_FILES[file]
        and not view.bishops & colour
        and chess.square_distance(king_of(view, chess.BLACK), 56 + file) <= 1
    )


def _only(mask: chess.Bitboard) -> chess.Square:
    return mask.bit_length() - 1


def king_and_pawn(board: chess.Board, when: When) -> Iterator[Fact]:
    """Yield what decides king and pawn against king: the opposition, a key square.

    The side that does not move has the opposition if the kings stand on one file or rank with
    an odd number of squares between, and the outcome would change if it had to move. A king
    is on a key square if it stands on one of :func:`key_squares` and wins whoever moves.
    """
    turned = after_pass(board)
    if board.occupied.bit_count() != 3 or not board.pawns or turned is None:
        return
    now, then, holder = theory(board), theory(turned), not board.turn
    if now is None or then is None:
        return
    side, pawn = bool(board.pawns & board.occupied_co[chess.WHITE]), _only(board.pawns)
    kings = (king_of(board, holder), king_of(board, not holder))
    apart = sorted(abs(a - b) for a, b in zip(*(divmod(king, 8) for king in kings), strict=True))
    if now.winner != then.winner and apart in ([0, 2], [0, 4], [0, 6]):
        sort = "direct" if apart[1] == 2 else "distant"
        text = f"{side_name(holder)} has the opposition, as {side_name(not holder)} is to move"
        yield Fact("opposition", when, holder, names(kings), sort, text)
    king = king_of(board, side)
    if now.winner == then.winner == side and king in key_squares(pawn, side):
        text = f"{noun(side, chess.KING, king)} is on a key square of its pawn"
        yield Fact("key_square", when, side, names((king, pawn)), None, text)


def key_squares(pawn: chess.Square, colour: chess.Color) -> chess.SquareSet:
    """Return the squares from which the king of a pawn of ``colour`` leads it home.

    Before the fifth rank the three squares two ranks ahead; on the fifth and sixth those one
    and two ranks ahead; for a rook's pawn the two on the neighbouring file beside its last
    squares; none on the seventh.
    """
    rank, file = divmod(pawn if colour else chess.square_mirror(pawn), 8)
    files, ranks = {file - 1, file, file + 1}, {4: {5, 6}, 5: {6, 7}, 6: set()}
    ahead = ranks.get(rank, {rank + 2})
    if file in (0, 7):
        files, ahead = {abs(file - 1)}, {6, 7}
    squares = chess.SquareSet(chess.square(f, r) for r in ahead for f in files)
    return squares if colour else squares.mirror()


def outside_square(board: chess.Board, when: When) -> Iterator[Fact]:
    """Yield each passed pawn, its way free, whose square the other king cannot step into.

    In pawn endings only; whose turn it is counts.
    """
    if board.occupied & ~(board.kings | board.pawns):
        return
    for side in chess.COLORS:
        king = king_of(board, not side)
        for pawn in passed(board, side):
            goal = chess.square(chess.square_file(pawn), 7 if side else 0)
            way = chess.between(pawn, goal) | chess.BB_SQUARES[goal]
            steps = min(chess.square_distance(pawn, goal), 5) + (board.turn != side)
            if not board.occupied & way and chess.square_distance(king, goal) > steps:
                outside = noun(not side, chess.KING, king)
                text = f"{outside} is outside the square of {noun(side, chess.PAWN, pawn)}"
                yield Fact("outside_square", when, side, names((pawn, king, goal)), None, text)


# ---------------------------------------------------------------- draws and devices


def stalemating_moves(board: chess.Board, when: When) -> Iterator[Fact]:
    """Yield the legal moves that stalemate a side which has only its king and pawns."""
    other = board.occupied_co[not board.turn] & ~board.kings
    free = (other >> 8 if board.turn else other << 8) & ~board.occupied
    # One move can take one pawn and stop another, not three.
    if other & ~board.pawns or free.bit_count() > 2:
        return
    for move in board.legal_moves:
        if after_move(board, move).is_stalemate():
            text = f"{board.san(move)} would stalemate {side_name(not board.turn)}"
            yield Fact("stalemating_move", when, board.turn, _ends(move), move.uci(), text)


def _ends(move: chess.Move) -> tuple[str, ...]:
    return names((move.from_square, move.to_square))


def repetitions(move: MoveInContext) -> int:
    """Return how often the position after a move has stood on the board, as far as is known."""
    moves, clock = move.position.moves, int(move.position.fen.split()[4])
    # If it stood there before, something has left the squares where the last moves have ended.
    left = {each[:2] for each in moves[-clock:]}
    if clock < 3 or not {each[2:4] for each in (*moves[-1:], move.uci)} <= left:
        return 1
    board = move.position.board()
    board.push(move.move)
    return next(count for count in range(1, clock + 2) if not board.is_repetition(count + 1))


def perpetual(board: chess.Board, line: Sequence[str], when: When) -> Fact | None:
    """Return the perpetual check in a line: a position comes again, with check at each move.

    It proves that one side can go on for ever against these replies; that no other reply
    escapes, the line's score must say: hand over an engine's line that it calls level.

    Parameters
    ----------
    board
        The position in which the line begins.
    line
        Moves in UCI.
    when
        When ``board`` stands: before or after the move.

    Raises
    ------
    ValueError
        If a move is illegal.
    """
    copy, positions, checks = board.copy(stack=False), [board.epd()], [False]
    for uci in line:
        copy.push_uci(uci)
        moves = copy.move_stack
        checks.append(copy.is_check())
        positions.append(copy.epd())
        start = positions.index(positions[-1])
        for first in (start + 1, start + 2) if start < len(moves) else ():
            if all(checks[first::2]):
                side = board.turn == bool(first % 2)
                squares = names((moves[first - 1].to_square, king_of(copy, not side)))
                text = f"{side_name(side)} has perpetual check: {board.variation_san(moves)}"
                return Fact("perpetual", when, side, squares, tuple(line[: len(moves)]), text)
    return None


#: Chance to win, 0 to 1, that every move must lose and a pass would keep.
ZUGZWANG_POINTS: Final = 0.3


def zugzwang(board: chess.Board, score: PovScore, passing: PovScore, when: When) -> Fact | None:
    """Return the zugzwang of the side to move, by an engine's scores with and without a pass.

    Parameters
    ----------
    board
        The position; in check there is no zugzwang.
    score, passing
        Scores of the position, and of :func:`~chessgloss.facts.board.after_pass` of it.
    when
        When ``board`` stands: before or after the move.
    """
    side = board.turn
    chances = win_chance([centipawns(passing, side), centipawns(score, side)])
    loss = float(chances[0] - chances[1])
    if board.is_check() or loss < ZUGZWANG_POINTS:
        return None
    text = f"{side_name(side)} is in zugzwang: every move loses what a pass would keep"
    return Fact("zugzwang", when, side, names([king_of(board, side)]), round(loss, 4), text)


def underpromotion(board: chess.Board, move: chess.Move) -> Fact | None:
    """Return why a pawn does not become a queen, if the board shows it.

    The value says what the piece does and the queen would not: ``mate``, ``fork`` or ``check``;
    or what the queen would bring: ``stalemate``, or ``mated``, mate on the next move.
    """
    if move.promotion in (None, chess.QUEEN):
        return None
    side, end, piece = board.turn, move.to_square, after_move(board, move)
    queen = after_move(board, replace(move, promotion=chess.QUEEN))
    forks = [fork.safe for fork in tactics.forks(piece, side) if fork.square == end]
    queen_forks = any(fork.square == end for fork in tactics.forks(queen, side))
    mated = tactics.mates(queen, not side) and not tactics.mates(piece, not side)
    stalemate = queen.is_stalemate() and not piece.is_stalemate()
    reasons = {
        "mate": (piece.is_checkmate(), "would not mate"),
        "stalemate": (stalemate, "would stalemate"),
        "mated": (mated, "would allow mate on the next move"),
        "fork": (any(forks) and not queen_forks, "would not fork"),
        "check": (piece.is_check() and not queen.is_check(), "would not give check"),
    }
    for reason, (holds, clause) in reasons.items():
        if holds and not queen.is_checkmate():
            text = f"a queen on {chess.square_name(end)} {clause}"
            return Fact("underpromotion", "move", side, _ends(move), reason, text)
    return None


# ---------------------------------------------------------------- as facts of a move


def known_facts(move: MoveInContext, board: chess.Board, after: chess.Board) -> Iterator[Fact]:
    """Yield all of these that the board decides, for a move between its two boards."""
    side, ends, before = board.turn, _ends(move.move), opening(move.position)
    if before:
        yield Fact("opening", "before", None, (), before, f"the opening is called {before.name}")
    reached = openings().get(_placement(after)) if after.fullmove_number <= OPENING_MOVES else None
    if reached and reached != before:
        text = f"the opening is now called {reached.name}"
        yield Fact("opening", "move", side, ends, reached, text)
    if move.move.promotion and (reason := underpromotion(board, move.move)):
        yield reason
    if (count := repetitions(move)) > 1:
        text = f"the same position has now stood on the board {count} times"
        yield Fact("repetition", "move", side, ends, count, text)
    if (clock := after.halfmove_clock) >= 100:
        text = "a draw by the fifty-move rule can be claimed"
        yield Fact("fifty_moves", "move", None, (), clock, text)
    yield from _of_position(board, "before")
    yield from _of_position(after, "after")


def _of_position(board: chess.Board, when: When) -> Iterator[Fact]:
    yield from stalemating_moves(board, when)
    if (board.occupied & ~board.pawns).bit_count() > 6:
        return
    if name := ending(board):
        text = f"it is {'an' if name.startswith('e') else 'a'} {name}"
        yield Fact("ending", when, None, (), name, text)
    if known := theory(board):
        winner, why = known.winner, _words()["theory"].get(known.name, "with best play")
        text = f"it is a draw {why}" if winner is None else f"{side_name(winner)} wins {why}"
        if known.plies:
            text += f", by mate in {(known.plies + 1) // 2}"
        value = ("draw" if winner is None else "win", known.name)
        yield Fact("theory", when, winner, (), value, text)
    yield from king_and_pawn(board, when)
    yield from outside_square(board, when)
