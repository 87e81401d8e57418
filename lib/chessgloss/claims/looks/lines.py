"""Looks at lines: what stands in whose way, and whose way has become free."""

from __future__ import annotations

from collections.abc import Iterable

import chess

from chessgloss.claims.lexicon import noun_pieces
from chessgloss.claims.looks.finding import (
    NO_MOVE,
    Finding,
    absent,
    fails,
    holds,
    truth,
    unknown,
)
from chessgloss.claims.parser import Claim, Term
from chessgloss.claims.scene import Moment, Scene, acting_squares, name, sides_or_both
from chessgloss.predicates import board as boards


def blocks(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece stands on the way of another: a line that goes on, a pawn's step."""
    board = moment.board
    actors = acting_squares(claim.subjects, moment)
    moved = scene.move.move.to_square
    actors = [moved] if moved in actors else actors
    blocked = _squares(claim.objects, board)
    if not actors or not blocked:
        return absent("there is no such piece")
    if len(actors) > 1 or len(blocked) > 1:
        return unknown("which piece is meant is not told")
    right = _is_in_the_way(board, actors[0], blocked[0])
    return truth(right, f"{name(board, actors[0])} and {name(board, blocked[0])}")


def _is_in_the_way(
    board: chess.Board, actor: chess.Square, blocked: chess.Square
) -> bool:
    kind = board.piece_type_at(blocked)
    if kind == chess.PAWN:
        step = 8 if board.color_at(blocked) else -8
        return actor == blocked + step
    if kind in (chess.KNIGHT, chess.KING):
        return False
    if actor not in board.attacks(blocked):
        return False
    line = chess.ray(blocked, actor)
    for square in chess.scan_forward(line):
        if actor in chess.SquareSet.between(blocked, square):
            return True
    return False


def opens_line(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece sees squares after the last move that it did not see before it."""
    if moment.last is None:
        return NO_MOVE
    start, _ = moment.last
    end = moment.board
    found = []
    for term in claim.objects:
        for square in term.squares(end):
            if start.piece_at(square) != end.piece_at(square):
                return unknown("it is the piece that moved")
            seen = start.attacks_mask(square)
            sees = end.attacks_mask(square)
            found.append(bool(sees & ~seen))
    if not found:
        return absent("there is no such piece")
    if any(found) != all(found):
        return unknown("which piece is meant is not told")
    return truth(all(found), "whether it sees more squares than before")


def same_line(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether two pieces stand on one file, rank or diagonal."""
    board = moment.board
    places = [term.squares(board) for term in claim.objects]
    if not all(places):
        return absent("there is no such piece")
    counts = [len(each) for each in places]
    if counts != [1, 1]:
        return unknown("which pieces are meant is not told")
    ((one,), (other,)) = places
    files = abs(chess.square_file(one) - chess.square_file(other))
    ranks = abs(chess.square_rank(one) - chess.square_rank(other))
    lines = {
        "file": files == 0,
        "rank": ranks == 0,
        "diagonal": files == ranks,
    }
    right = lines[claim.detail.noun]
    return truth(right, f"{name(board, one)} and {name(board, other)}")


def sole(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether one piece, and no other, attacks or defends another."""
    board = moment.board
    acting = {*_squares(claim.subjects, board)}
    objects = _squares(claim.objects, board)
    if not acting or not objects:
        return absent("there is no such piece")
    if len(objects) > 1 or board.color_at(objects[0]) is None:
        return unknown("which piece is meant is not told")
    (square,) = objects
    owner = bool(board.color_at(square))
    side = owner if claim.detail.verb == "defends" else not owner
    found = {*board.attackers(side, square)}
    others = {*boards.attackers(board, side, square)} | found
    alone = len(found) == len(claim.subjects)
    right = bool(found) and found <= acting and alone
    evidence = f"{len(found)} pieces look at {name(board, square)}"
    if others == acting and not right:
        return unknown(evidence)
    return truth(right, evidence)


def _squares(terms: Iterable[Term], board: chess.Board) -> list[chess.Square]:
    """Return the squares of the pieces that some terms can mean."""
    return [square for term in terms for square in term.squares(board)]


def king_place(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a king stands in the centre: on the d- or the e-file, not beside them."""
    board = moment.board
    (owner,) = claim.subjects
    king = boards.king_of(board, bool(owner.side))
    file = chess.square_file(king)
    evidence = f"the king is on {chess.square_name(king)}"
    return truth(file in (3, 4), evidence, certain=file not in (2, 5))


def pawns_on_file(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look how many pawns stand on a file, of a side if one is named."""
    board = moment.board
    pawns = board.pawns
    for owner in claim.subjects:
        side = bool(owner.side)
        pawns &= board.occupied_co[side]
    file = chess.FILE_NAMES.index(claim.detail.file)
    there = pawns & chess.BB_FILES[file]
    count = there.bit_count()
    wanted = claim.detail.count or 0
    return truth(count == wanted, f"{count} pawns stand there")


def placed(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece of such a kind, and of the side that is named, stands on a square."""
    board = moment.board
    square = chess.parse_square(claim.detail.square)
    piece = board.piece_at(square)
    evidence = f"there is {name(board, square)}"
    if piece is None or piece.piece_type not in noun_pieces(claim.detail.noun):
        return fails(evidence)
    return truth(piece.color in sides_or_both(claim), evidence)


def lets_go(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether what has moved defended a piece before and does so no more."""
    if moment.last is None:
        return NO_MOVE
    start, move = moment.last
    end = moment.board
    targets = _squares(claim.objects, end)
    own = [square for square in targets if end.color_at(square) == start.turn]
    if not own:
        return absent("there is no such piece")
    start_sees = start.attacks_mask(move.from_square)
    lost = start_sees & ~end.attacks_mask(move.to_square)
    left = [square for square in own if lost & chess.BB_SQUARES[square]]
    return truth(bool(left), f"whether {name(end, own[0])} was defended and is not now")


def unpins(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece that was pinned to its king before the last move is so no more."""
    if moment.last is None:
        return NO_MOVE
    start, _ = moment.last
    end = moment.board
    for term in claim.objects:
        squares = term.squares(start)
        pinned = [square for square in squares if _is_pinned(start, square)]
        if not pinned:
            return fails(f"{term.text} was not pinned to its king")
        for square in pinned:
            if _is_pinned(end, square):
                return fails(f"{term.text} is pinned to its king")
    return holds("it was pinned and is so no more")


def _is_pinned(board: chess.Board, square: chess.Square) -> bool:
    side = bool(board.color_at(square))
    return board.is_pinned(side, square)


def on_file(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece stands on an open or half-open file, or has no pawns on its file."""
    board = moment.board
    squares = _squares(claim.objects, board)
    moved = scene.move.move.to_square
    squares = [moved] if moved in squares else squares
    if len(squares) != 1:
        return unknown("which piece is meant is not told")
    side = bool(board.color_at(squares[0]))
    file = chess.square_file(squares[0])
    pawns = board.pawns & chess.BB_FILES[file]
    own = pawns & board.occupied_co[side]
    half = claim.detail.half.startswith(("half", "semi"))
    right = not own and bool(pawns) == half
    return truth(right, f"the file of {name(board, squares[0])}")
