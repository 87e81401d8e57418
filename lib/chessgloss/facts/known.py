"""What chess players know by name: openings, endings, draws, and devices proven on the board.

Everything here is decided, by a table, a rule that holds without exception, or a count of
positions; what is not sure is left out. ``None``, or nothing yielded, means *not known*, never
*false*. Functions that give a :class:`~chessgloss.facts.fact.Fact` are told when it holds.

**Openings** are the 3,404 positions that Lichess's data set ``chess-openings`` (public domain)
names, as PyChess 1.0.3 packs them in its ``eco.db``: the rows in English that end a line.
**Three pieces** are looked up in the Gaviota tablebases (Debian's package ``gaviotatb``; the
asset ``gaviota``); where they cannot be had, what rests on them is not known.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import chess
import chess.engine
import chess.gaviota

from chessgloss import assets
from chessgloss.engine import expected_score
from chessgloss.facts import tactics
from chessgloss.facts.board import after_pass, passed
from chessgloss.facts.fact import Fact, When, listed, names, noun, side_name
from chessgloss.positions import MoveInContext, Position

# ---------------------------------------------------------------- openings

#: Plies after which a game is no longer in its opening; the longest named line has 38.
OPENING_PLIES: Final = 40


class Opening(NamedTuple):
    """An opening's code in the Encyclopaedia of Chess Openings, and its English name."""

    eco: str
    name: str


def opening(position: Position) -> Opening | None:
    """Return the last named opening that the game has come through, this position included.

    By position, so that a line reached in another order has its name too. Without a history
    the position itself must be named; after :data:`OPENING_PLIES` plies there is none.
    """
    board = chess.Board(position.root if position.moves else position.fen)
    if board.ply() + len(position.moves) > OPENING_PLIES:
        return None
    return _opening(board.fen(), position.moves)


@lru_cache(512)  # the facts of a move are gathered more than once
def _opening(root: str, moves: tuple[str, ...]) -> Opening | None:
    board, table = chess.Board(root), openings()
    known = table.get(_placement(board))
    for move in moves:
        board.push(chess.Move.from_uci(move))
        known = table.get(_placement(board), known)
    return known


@cache
def openings() -> Mapping[tuple[int, ...], Opening]:
    """Return the named openings by placement, side to move and castling rights."""
    with Path(__file__).with_name("openings.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {
            _placement(chess.Board(row["position"])): Opening(row["eco"], row["name"])
            for row in rows
        }


def _placement(board: chess.Board) -> tuple[int, ...]:
    pieces = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    return (*pieces, board.occupied_co[chess.WHITE], board.turn, board.castling_rights)


# ---------------------------------------------------------------- endings

_LETTERS: Final = "QRBN"

#: Endings with pawns by the pieces of the side that has more, and of the other.
_WITH_PAWNS: Final = {
    ("", ""): "pawn ending",
    ("Q", "Q"): "queen ending",
    ("R", "R"): "rook ending",
    ("RR", "RR"): "double-rook ending",
    ("N", "N"): "knight ending",
    ("B", "B"): "bishop ending",
    ("B", "N"): "ending of bishop against knight",
}

#: Basic mates: the pieces against a bare king.
_MATES: Final = {
    "Q": "ending of king and queen against king",
    "R": "ending of king and rook against king",
    "BB": "ending of king and two bishops against king",
    "BN": "ending of king, bishop and knight against king",
}


def ending(board: chess.Board) -> str | None:
    """Return the name of an ending by its pieces: ``rook ending``; ``None`` for all others."""
    if (board.occupied & ~board.pawns).bit_count() > 6:
        return None
    white, black = (_pieces(board, side) for side in (chess.WHITE, chess.BLACK))
    if not board.pawns:
        bishops = board.bishops
        one_colour = not (bishops & chess.BB_LIGHT_SQUARES and bishops & chess.BB_DARK_SQUARES)
        if (white and black) or (white + black == "BB" and one_colour):
            return None
        return _MATES.get(white + black)
    if (white, black) == ("B", "B") and _opposite_bishops(board):
        return "ending with opposite-coloured bishops"
    return _WITH_PAWNS.get((white, black)) or _WITH_PAWNS.get((black, white))


def _pieces(board: chess.Board, colour: chess.Color) -> str:
    own, masks = (
        board.occupied_co[colour],
        (board.queens, board.rooks, board.bishops, board.knights),
    )
    counts = ((mask & own).bit_count() for mask in masks)
    return "".join(letter * count for letter, count in zip(_LETTERS, counts, strict=True))


def _opposite_bishops(board: chess.Board) -> bool:
    return (board.bishops & chess.BB_LIGHT_SQUARES).bit_count() == 1


class Theory(NamedTuple):
    """What is known of the outcome of an ending.

    Parameters
    ----------
    winner
        The side that wins with best play; ``None`` for a draw.
    name
        ``KPK``, ``KQK`` or ``KRK`` (by the tablebases), ``Lucena position``, ``Philidor
        position``, ``wrong bishop`` or ``insufficient material``.
    squares
        The pieces that decide, the stronger side's first.
    plies
        Plies to mate, where the tablebase says; else 0.
    """

    winner: chess.Color | None
    name: str
    squares: tuple[chess.Square, ...]
    plies: int = 0


def theory(board: chess.Board) -> Theory | None:
    """Return the known outcome of an ending of at most five pieces; ``None`` if unsure.

    Three pieces exactly; of more, the cases of three rules. *Lucena*: rook and pawn (not a
    rook's pawn) on the seventh against rook, the attacking king before its pawn and to move,
    its rook cutting the other king off, the other rook on the file beyond the pawn.
    *Philidor*: the pawn and its king have not passed the fifth rank, the defending king stands
    before the pawn on its last rank, and its rook, not attacked, on its third. *Wrong bishop*:
    rook's pawns with bishops that do not control the corner, into which a bare king can step.
    """
    if board.occupied.bit_count() > 5:
        return None
    if board.is_insufficient_material():
        return Theory(None, "insufficient material", ())
    if board.occupied.bit_count() == 3:
        return _looked_up(board)
    for side in chess.COLORS:
        view = board if side else board.mirror()
        pieces = (_pieces(view, chess.WHITE), _pieces(view, chess.BLACK))
        if not view.pawns or view.pawns & view.occupied_co[chess.BLACK]:
            continue
        found = None
        if pieces == ("R", "R") and view.pawns.bit_count() == 1:
            found = _rook_theory(view)
        elif set(pieces[0]) == {"B"} and not pieces[1]:
            found = _wrong_bishop(view)
        if found:
            squares = found.squares if side else map(chess.square_mirror, found.squares)
            return Theory(side if found.winner else None, found.name, tuple(squares))
    return None


@cache
def _tablebase() -> chess.gaviota.PythonTablebase | None:
    try:
        folder = assets.locate("gaviota")
    except assets.AssetMissing:
        return None
    tables = chess.gaviota.PythonTablebase()
    tables.add_directory(str(folder))
    return tables


def _looked_up(board: chess.Board) -> Theory | None:
    tables = None if board.castling_rights else _tablebase()
    if tables is None:
        return None
    plies, mated = tables.probe_dtm(board), board.is_checkmate()
    winner = board.turn if plies > 0 else not board.turn if plies or mated else None
    stronger = _pieces(board, chess.WHITE) + _pieces(board, chess.BLACK) or "P"
    squares = tuple(chess.scan_forward(board.occupied & ~board.kings))
    return Theory(winner, f"K{stronger}K", squares, abs(plies))


def _rook_theory(view: chess.Board) -> Theory | None:
    """Return what is known of White's rook and pawn against a rook."""
    (pawn,) = chess.scan_forward(view.pawns)
    rook, other = (view.pieces(chess.ROOK, side).pop() for side in (chess.WHITE, chess.BLACK))
    kings = view.king(chess.WHITE), view.king(chess.BLACK)
    assert kings[0] is not None and kings[1] is not None
    (file, rank), (own_file, own_rank) = _place(pawn), _place(kings[0])
    (king_file, king_rank), (rook_file, _) = _place(kings[1]), _place(rook)
    other_file, other_rank = _place(other)
    squares = (kings[0], pawn, rook, kings[1], other)
    if rank == 6 and 0 < file < 7 and (own_file, own_rank) == (file, 7) and view.turn:
        away = 1 if king_file > file else -1
        cut = 0 < (rook_file - file) * away < (king_file - file) * away
        checked = view.is_check() or view.is_attacked_by(chess.BLACK, rook)
        if cut and other_file == file - away and other_rank < 6 and not checked:
            return Theory(chess.WHITE, "Lucena position", squares)
    safe = not view.is_check() and not view.is_attacked_by(chess.WHITE, other)
    if (king_file, king_rank, other_rank) == (file, 7, 5) and rank <= 4 >= own_rank and safe:
        return Theory(None, "Philidor position", squares)
    return None


def _wrong_bishop(view: chess.Board) -> Theory | None:
    """Return what is known of White's bishops and pawns against a bare king."""
    file = chess.square_file(view.pawns.bit_length() - 1)
    corner = chess.square(file, 7)
    light = bool(chess.BB_LIGHT_SQUARES & chess.BB_SQUARES[corner])
    bishops = chess.BB_LIGHT_SQUARES if light else chess.BB_DARK_SQUARES
    king = view.king(chess.BLACK)
    wrong = not (view.bishops & bishops or view.pawns & ~chess.BB_FILES[file])
    if file in (0, 7) and wrong and king is not None and chess.square_distance(king, corner) <= 1:
        pieces = chess.scan_forward(view.pawns | view.bishops)
        return Theory(None, "wrong bishop", (*pieces, king))
    return None


def _place(square: chess.Square) -> tuple[int, int]:
    return chess.square_file(square), chess.square_rank(square)


def king_and_pawn(board: chess.Board, when: When) -> Iterator[Fact]:
    """Yield what decides king and pawn against king: the opposition, a key square.

    The side that does not move has the opposition if the kings stand on one file or rank with
    an odd number of squares between, and the outcome would change if it had to move. A king
    is on a key square if its pawn wins whoever moves.
    """
    side = bool(board.pawns & board.occupied_co[chess.WHITE])
    king, other, passed_on = board.king(side), board.king(not side), after_pass(board)
    if king is None or other is None or passed_on is None or board.occupied.bit_count() != 3:
        return
    now, then = theory(board), theory(passed_on)
    if not board.pawns or now is None or then is None:
        return
    (file, rank), (other_file, other_rank) = _place(king), _place(other)
    apart = chess.square_distance(king, other)
    if now.winner != then.winner and apart % 2 == 0 and (file == other_file or rank == other_rank):
        holder, mover = not board.turn, board.turn
        kings = (king, other) if holder == side else (other, king)
        sort = "direct" if apart == 2 else "distant"
        text = f"{side_name(holder)} has the opposition, as {side_name(mover)} is to move"
        yield Fact("opposition", when, holder, names(kings), sort, text)
    (pawn,) = chess.scan_forward(board.pawns)
    if now.winner == then.winner == side and king in key_squares(pawn, side):
        text = (
            f"{noun(side, chess.KING, king)} is on a key square of the pawn on {names([pawn])[0]}"
        )
        yield Fact("key_square", when, side, names((king, pawn)), None, text)


def key_squares(pawn: chess.Square, colour: chess.Color) -> chess.SquareSet:
    """Return the squares on which the king of a pawn of ``colour`` wins against a bare king.

    Before the fifth rank the three squares two ranks ahead; on the fifth and sixth those one
    and two ranks ahead; for a rook's pawn the two beside its promotion square that its own
    king bars to the other; none on the seventh.
    """
    file, rank = _place(pawn if colour else chess.square_mirror(pawn))
    ranks = {4: (5, 6), 5: (6, 7), 6: ()}.get(rank, (rank + 2,))
    files = range(file - 1, file + 2)
    if file in (0, 7):
        ranks, files = (6, 7), range(abs(file - 1), abs(file - 1) + 1)
    squares = chess.SquareSet(chess.square(f, r) for r in ranks for f in files)
    return squares if colour else squares.mirror()


def outside_square(board: chess.Board, when: When) -> Iterator[Fact]:
    """Yield each passed pawn, its way free, that the other king is too far off to catch.

    In pawn endings only: the king is outside the *square of the pawn*, whoever is to move.
    """
    if board.occupied & ~(board.kings | board.pawns):
        return
    for side in chess.COLORS:
        king = board.king(not side)
        for pawn in passed(board, side):
            goal = chess.square(chess.square_file(pawn), 7 if side else 0)
            way = chess.between(pawn, goal) | chess.BB_SQUARES[goal]
            steps = min(chess.square_distance(pawn, goal), 5) + (board.turn != side)
            if king is None or board.occupied & way or chess.square_distance(king, goal) <= steps:
                continue
            owned, squares = noun(side, chess.PAWN, pawn), names((pawn, king, goal))
            text = f"{noun(not side, chess.KING, king)} is outside the square of {owned}"
            yield Fact("outside_square", when, side, squares, None, text)


# ---------------------------------------------------------------- draws and devices


def stalemating_moves(board: chess.Board, when: When) -> Iterator[Fact]:
    """Yield the legal moves that would stalemate, where that side has one piece at most."""
    side, other = board.turn, not board.turn
    if (board.occupied_co[other] & ~board.pawns).bit_count() > 2:
        return
    for move in list(board.legal_moves):
        board.push(move)
        stalemate = board.is_stalemate()
        board.pop()
        if stalemate:
            text = f"{board.san(move)} would stalemate {side_name(other)}"
            squares = names((move.from_square, move.to_square))
            yield Fact("stalemating_move", when, side, squares, move.uci(), text)


def repetitions(move: MoveInContext) -> int:
    """Return how often the position after a move has stood on the board, as far as is known."""
    moves = move.position.moves
    # Whatever stood there before has moved away from where the moved piece now stands.
    clock = int(move.position.fen.split()[4])
    if not clock or move.uci[2:4] not in {each[:2] for each in moves[-clock:]}:
        return 1
    board = move.position.board()
    board.push(move.move)
    return next(count for count in range(len(moves) + 1, 0, -1) if board.is_repetition(count))


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
    copy = board.copy(stack=False)
    positions, checks, moves = [copy.epd()], [copy.is_check()], []
    for uci in line:
        moves.append(copy.push_uci(uci))
        checks.append(copy.is_check())
        if copy.epd() in positions:
            start = positions.index(copy.epd())
            for first in (start + 1, start + 2):
                if all(checks[first::2]):
                    side = board.turn == (first % 2 == 1)
                    target, squares = copy.king(not side), names([moves[first - 1].to_square])
                    squares += names([target]) if target is not None else ()
                    text = f"{side_name(side)} has perpetual check: {board.variation_san(moves)}"
                    return Fact("perpetual", when, side, squares, tuple(line[: len(moves)]), text)
        positions.append(copy.epd())
    return None


#: Expected points, 0 to 1, that a pass must keep and every move loses.
ZUGZWANG_POINTS: Final = 0.3


def zugzwang(
    board: chess.Board,
    score: chess.engine.PovScore,
    passed_score: chess.engine.PovScore,
    when: When,
) -> Fact | None:
    """Return the zugzwang of the side to move, by an engine's scores of the board and of a pass.

    Parameters
    ----------
    board
        The position; in check there is no zugzwang.
    score, passed_score
        Scores of the position, and of :func:`~chessgloss.facts.board.after_pass` of it.
    when
        When ``board`` stands: before or after the move.
    """
    side, ply = board.turn, board.ply()
    if board.is_check():
        return None
    loss = expected_score(passed_score, ply + 1, side) - expected_score(score, ply, side)
    if loss < ZUGZWANG_POINTS:
        return None
    king = board.king(side)
    squares = names([king]) if king is not None else ()
    text = f"{side_name(side)} is in zugzwang: every move loses what a pass would keep"
    return Fact("zugzwang", when, side, squares, round(loss, 4), text)


def underpromotion(board: chess.Board, move: chess.Move) -> Fact | None:
    """Return why a pawn does not become a queen, if the board shows it.

    The value says what the piece does and the queen would not: ``mate``, ``fork`` or ``check``;
    or what the queen would bring: ``stalemate``, or ``mated``, mate on the next move.
    """
    if move.promotion in (None, chess.QUEEN):
        return None
    side, square = board.turn, chess.square_name(move.to_square)
    piece, queen = board.copy(stack=False), board.copy(stack=False)
    piece.push(move)
    queen.push(chess.Move(move.from_square, move.to_square, chess.QUEEN))

    def forked(after: chess.Board) -> set[chess.Square]:
        forks = tactics.forks(after, side)
        return {
            t for fork in forks if fork.safe and fork.square == move.to_square for t in fork.targets
        }

    reason, does = None, ""
    if queen.is_checkmate():
        return None
    if piece.is_checkmate():
        reason, does = "mate", "would not mate"
    elif queen.is_stalemate():
        reason, does = "stalemate", "would stalemate"
    elif tactics.mates(queen, not side) and not tactics.mates(piece, not side):
        reason, does = "mated", "would allow mate at once"
    elif targets := forked(piece) - forked(queen):
        nouns = listed(
            [noun(not side, piece.piece_type_at(t) or chess.KING, t) for t in sorted(targets)]
        )
        reason, does = "fork", f"would not fork {nouns}"
    elif piece.is_check() and not queen.is_check():
        reason, does = "check", "would not give check"
    if reason is None:
        return None
    text = f"a queen on {square} {does}"
    return Fact(
        "underpromotion", "move", side, names((move.from_square, move.to_square)), reason, text
    )


# ---------------------------------------------------------------- as facts of a move


def known_facts(move: MoveInContext, board: chess.Board, after: chess.Board) -> Iterator[Fact]:
    """Yield all of these that the board decides, for a move between its two boards."""
    ends = names((move.move.from_square, move.move.to_square))
    before = opening(move.position)
    if before:
        yield Fact("opening", "before", None, (), before, f"the opening is called {before.name}")
    reached = openings().get(_placement(after)) if after.ply() <= OPENING_PLIES else None
    if reached and reached != before:
        text = f"the opening is now called {reached.name}"
        yield Fact("opening", "move", board.turn, ends, reached, text)
    if move.move.promotion and (reason := underpromotion(board, move.move)):
        yield reason
    if (count := repetitions(move)) > 1:
        text = f"the position stands on the board for the {_ORDINALS.get(count, f'{count}th')} time"
        yield Fact("repetition", "move", board.turn, ends, count, text)
    if after.halfmove_clock >= 100:
        text = "either side may claim a draw by the fifty-move rule"
        yield Fact("fifty_moves", "move", None, (), after.halfmove_clock, text)
    yield from _of_position(board, "before")
    yield from _of_position(after, "after")


_ORDINALS: Final = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}

_WHY: Final = {
    "Lucena position": "by the Lucena position",
    "Philidor position": "by the Philidor position",
    "wrong bishop": "as the bishop does not control the corner of the rook's pawn",
    "insufficient material": "for want of material",
}


def _of_position(board: chess.Board, when: When) -> Iterator[Fact]:
    yield from stalemating_moves(board, when)
    if (board.occupied & ~board.pawns).bit_count() > 6:
        return
    if name := ending(board):
        yield Fact("ending", when, None, (), name, f"it is {_article(name)} {name}")
    if known := theory(board):
        result = f"{side_name(known.winner)} wins" if known.winner is not None else "it is a draw"
        why = _WHY.get(known.name, f"with mate in {(known.plies + 1) // 2}" if known.plies else "")
        value = ("draw" if known.winner is None else "win", known.name)
        text = f"{result} {why}".rstrip()
        yield Fact("theory", when, known.winner, names(known.squares), value, text)
    yield from king_and_pawn(board, when)
    yield from outside_square(board, when)


def _article(name: str) -> str:
    return "an" if name[0] in "aeiou" else "a"
