"""What a move means for pawns, lines and the places of pieces."""

from __future__ import annotations

from typing import Final

import chess

from chessgloss.notes.kinds import NOTES, Purposes
from chessgloss.notes.played import CENTRE, Played
from chessgloss.predicates import board as boards
from chessgloss.predicates.outcome import count_in_words
from chessgloss.predicates.tactics import exchange
from chessgloss.predicates.words import named

#: The board at the start of a game.
HOME: Final = chess.Board()

_OFFICERS = (
    chess.KNIGHT,
    chess.BISHOP,
    chess.ROOK,
    chess.QUEEN,
)

#: Pieces whose look at a king's shelter is worth a word.
_AIMING = (
    chess.KNIGHT,
    chess.BISHOP,
    chess.QUEEN,
)

_RANK_WORDS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
)

#: Files and ranks: of a square, their names from 0, and what they are called.
_LINES = (
    (chess.square_file, chess.FILE_NAMES, "-file"),
    (chess.square_rank, _RANK_WORDS, " rank"),
)

#: Files by which a passed pawn stands apart from all other pawns and the kings if it is outside.
_OUTSIDE = 3

#: Moves of a game in which a pawn in the centre is a share of it, and not just space.
_OPENING_MOVES = 12


def pass_turn(board: chess.Board) -> chess.Board:
    """Return a copy of a board on which the side to move has passed."""
    turned = board.copy(stack=False)
    turned.push(chess.Move.null())
    return turned


# ---------------------------------------------------------------- pawns


def passes_pawn(played: Played) -> Purposes:
    """Yield passed pawns that the move creates."""
    now = boards.passed(played.after, played.us)
    before = boards.passed(played.before, played.us)
    for pawn in now - before:
        others = (played.after.pawns | played.after.kings) & ~chess.BB_SQUARES[pawn]
        far = all(
            _files_apart(pawn, each) >= _OUTSIDE for each in chess.SquareSet(others)
        )
        if pawn not in played.lost:
            yield played.purpose("outside" if far else "passed_new", [pawn])


def _files_apart(one: chess.Square, other: chess.Square) -> int:
    return abs(chess.square_file(one) - chess.square_file(other))


def blockades(played: Played) -> Purposes:
    """Yield a passed pawn of the opponent's before which a piece has gone."""
    for pawn in boards.passed(played.after, played.them):
        if played.end == pawn - _step(played) and played.piece != chess.PAWN:
            yield played.purpose("blockades", [pawn])


def advances_passed_pawn(played: Played) -> Purposes:
    """Yield the advance of a pawn that was passed before and takes nothing."""
    if played.safe_piece != chess.PAWN or played.taken is not None:
        return
    passed = played.end in boards.passed(played.after, played.us)
    if passed and played.start in boards.passed(played.before, played.us):
        left = _steps_left(played)
        yield played.purpose(
            "passed_advanced",
            [played.end],
            left,
            steps=count_in_words(left, "step"),
        )


def takes_space(played: Played) -> Purposes:
    """Yield squares in or beyond the centre that a pawn covers anew."""
    covers = _covered_by_pawn(played)
    left = _steps_left(played)
    passed = played.end in boards.passed(played.after, played.us)
    early = played.after.fullmove_number <= _OPENING_MOVES
    if not covers:
        return
    if left == 4 and early and played.end in CENTRE:
        yield played.purpose("centre", covers)
    elif left < 4 and not (passed or played.is_endgame):
        yield played.purpose("space", covers)


def keeps_out(played: Played) -> Purposes:
    """Yield the knight or bishop that could have gone to a square, and now cannot."""
    for square in _contested(played):
        turned = pass_turn(played.before)
        minor = turned.knights | turned.bishops
        for start in turned.attackers(played.them, square) & minor:
            move = chess.Move(start, square)
            legal = turned.is_legal(move) and played.after.is_legal(move)
            if not legal:
                continue
            if exchange(played.after, move) < 0 <= exchange(turned, move):
                yield played.purpose(
                    "keeps_out",
                    [square],
                    target=named(turned, start),
                )


def prepares(played: Played) -> Purposes:
    """Yield pushes of a pawn into the centre that lost it before, and now do not."""
    step = _step(played)
    for square in _contested(played):
        turned = pass_turn(played.after)
        for start in (square - step, square - 2 * step):
            push = chess.Move(start, square)
            legal = square in CENTRE and turned.is_legal(push)
            pawn = played.before.piece_type_at(start) == chess.PAWN
            if not (legal and pawn):
                continue
            if exchange(played.before, push) < 0 <= exchange(turned, push):
                yield played.purpose(
                    "prepares",
                    [square],
                    push=turned.san(push),
                )


def _step(played: Played) -> int:
    """Return how far a pawn's step of the mover's leads, in squares of python-chess."""
    return 8 if played.us else -8


def _steps_left(played: Played) -> int:
    """Return how many steps a pawn is from promotion."""
    return 7 - played.rank


def _covered_by_pawn(played: Played) -> list[chess.Square]:
    """Return the free squares that a pawn covers anew, if it stands safely and took nothing."""
    if played.safe_piece != chess.PAWN or played.taken is not None:
        return []
    return list(played.new_reach & ~played.after.occupied)


def _contested(played: Played) -> list[chess.Square]:
    """Return those squares where there is time for plans: no check, no pawn about to promote."""
    checked = played.after.is_check() or played.before.is_check()
    hurried = checked or _steps_left(played) < 4
    return [] if hurried else _covered_by_pawn(played)


# ---------------------------------------------------------------- lines and pieces


def opens(played: Played) -> Purposes:
    """Yield lines that the move opens for other pieces of its side."""
    if played.castles:
        return
    stood = played.before.occupied_co[played.us] & ~played.before.kings
    stand = played.after.occupied_co[played.us]
    others = stood & stand & ~chess.BB_SQUARES[played.end]
    gained = dict[chess.Square, int]()
    for square in chess.SquareSet(others):
        before = len(played.before.attacks(square))
        gained[square] = len(played.after.attacks(square)) - before
    first = sorted(gained, key=lambda square: (-gained[square], square))[:2]
    least = NOTES["purposes"]["opens"]["usual"]
    freed = [square for square in first if gained[square] >= least]
    if freed:
        yield played.purpose("opens", freed, gained[freed[0]])


def develops(played: Played) -> Purposes:
    """Yield the first move of a knight or bishop."""
    at_home = HOME.piece_at(played.start) == played.before.piece_at(played.start)
    minor = played.safe_piece in (chess.KNIGHT, chess.BISHOP)
    if minor and at_home and not played.is_endgame:
        yield played.purpose("develops", [played.start])


def outpost(played: Played) -> Purposes:
    """Yield a knight on an outpost: held by a pawn, and no enemy pawn can ever attack it."""
    inner = 3 <= played.rank <= 5 and 0 < chess.square_file(played.end) < 7
    if played.safe_piece == chess.KNIGHT and inner and _is_outpost(played):
        yield played.purpose("outpost", [played.end])


def _is_outpost(played: Played) -> bool:
    """Tell whether a pawn holds the piece and no enemy pawn can ever attack it."""
    board = played.after
    own = board.pieces_mask(chess.PAWN, played.us)
    rank, file = divmod(played.end, 8)
    for pawn in board.pieces(chess.PAWN, played.them):
        beside = abs(chess.square_file(pawn) - file) == 1
        steps = chess.square_rank(pawn) - rank
        ahead = steps > 0 if played.us else steps < 0
        if beside and ahead:
            return False
    return bool(board.attackers_mask(played.us, played.end) & own)


def eyes_king(played: Played) -> Purposes:
    """Yield squares beside the enemy king at which the piece looks anew."""
    board = played.after
    king = board.king(played.them)
    quiet = not (played.is_endgame or board.is_check())
    aims = played.safe_piece in _AIMING
    if king is None:
        return
    enemies = board.occupied_co[played.them] & ~board.pawns
    ring = chess.SquareSet(chess.BB_KING_ATTACKS[king] & ~enemies)
    hit = list(ring & played.new_reach)
    least = NOTES["purposes"]["eyes_king"]["usual"]
    if quiet and aims and len(hit) >= least:
        yield played.purpose("eyes_king", hit[:3], len(hit))


def centralises(played: Played) -> Purposes:
    """Yield a piece that has gone to the centre."""
    if played.safe_piece in _OFFICERS and played.end in CENTRE:
        yield played.purpose("central", [played.end])


def seventh_rank(played: Played) -> Purposes:
    """Yield a rook on the seventh rank, among pawns."""
    pawns = played.after.pieces(chess.PAWN, played.them)
    among = pawns & chess.BB_RANKS[chess.square_rank(played.end)]
    rook = played.piece == played.safe_piece == chess.ROOK
    if rook and played.rank == 6 and among:
        yield played.purpose(
            "seventh",
            rank="seventh" if played.us else "second",
        )


def open_file(played: Played) -> Purposes:
    """Yield an open file to which a rook or queen has gone."""
    file = chess.square_file(played.end)
    if _changes_file(played) and file in boards.open_files(played.after):
        yield played.purpose("open_file")


def doubles(played: Played) -> Purposes:
    """Yield two or three heavy pieces on a file without a pawn of their own."""
    if not _changes_file(played):
        return
    board = played.after
    file = chess.square_file(played.end)
    heavy = boards.heavy_pieces(board, played.us, file)
    partners = list(heavy & board.attacks(played.end))
    closed = board.pieces_mask(chess.PAWN, played.us) & chess.BB_FILES[file]
    if partners and not closed:
        kind = "triples" if len(heavy) > 2 else "doubles"
        yield played.purpose(
            kind,
            partner=named(board, partners[0]),
        )


def _changes_file(played: Played) -> bool:
    """Tell whether a rook or queen has gone to another file, safely."""
    heavy = played.safe_piece in (chess.ROOK, chess.QUEEN)
    return heavy and chess.square_file(played.end) != chess.square_file(played.start)


def cuts_off(played: Played) -> Purposes:
    """Yield the file or rank by which a rook keeps the enemy king from all pawns, in an endgame."""
    board = played.after
    king = board.king(played.them)
    rook = played.safe_piece == chess.ROOK and played.is_endgame
    if not rook or king is None or not board.pawns or board.is_check():
        return
    pawns = chess.SquareSet(board.pawns)
    for of, names, word in _LINES:
        line = of(played.end)
        side = of(king) - line
        near = 0 < abs(side) <= 2
        beyond = all((of(pawn) - line) * side < 0 for pawn in pawns)
        if near and beyond and of(played.start) != line:
            yield played.purpose("cuts_off", line=f"{names[line]}{word}")


def opposition(played: Played) -> Purposes:
    """Yield the opposition that a king takes in a pawn ending: face to face, one square between."""
    board = played.after
    kings = board.kings
    others = board.occupied & ~(kings | board.pawns)
    if played.piece != chess.KING or others:
        return
    one, other = chess.SquareSet(kings)
    apart = chess.square_distance(one, other)
    straight = chess.BB_RANK_ATTACKS[one][0] | chess.BB_FILE_ATTACKS[one][0]
    if apart == 2 and straight & chess.BB_SQUARES[other]:
        yield played.purpose("opposition")


def activates_king(played: Played) -> Purposes:
    """Yield a king that goes towards the centre in an endgame."""
    king = played.piece == chess.KING and played.is_endgame
    nearer = _from_centre(played.end) < _from_centre(played.start)
    if king and nearer and not played.before.is_check():
        yield played.purpose("king_active")


def _from_centre(square: chess.Square) -> int:
    return min(chess.square_distance(square, each) for each in CENTRE)
