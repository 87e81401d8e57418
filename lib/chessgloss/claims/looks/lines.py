"""Looks at lines: what stands in whose way, and whose way has become free."""

from __future__ import annotations

import chess

from chessgloss.claims.lexicon import noun_pieces
from chessgloss.claims.looks.finding import (
    Finding,
    absent,
    fails,
    holds,
    truth,
    unknown,
)
from chessgloss.claims.parser import Claim
from chessgloss.claims.scene import Moment, Scene, acting_squares, name, sides_or_both
from chessgloss.facts import board as boards


def blocks(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece stands on the way of another: a line that goes on, a pawn's step."""
    board = moment.board
    actors = acting_squares(claim.subjects, moment)
    moved = scene.move.move.to_square
    actors = [moved] if moved in actors else actors
    blocked = [square for term in claim.objects for square in term.squares(board)]
    if not actors or not blocked:
        return absent("there is no such piece")
    if len(actors) > 1 or len(blocked) > 1:
        return unknown("which piece is meant is not told")
    right = _is_in_the_way(board, actors[0], blocked[0])
    return truth(right, f"{name(board, actors[0])} and {name(board, blocked[0])}")


def _is_in_the_way(
    board: chess.Board, actor: chess.Square, blocked: chess.Square
) -> bool:
    if board.piece_type_at(blocked) == chess.PAWN:
        step = 8 if board.color_at(blocked) else -8
        return actor == blocked + step
    if board.piece_type_at(blocked) in (chess.KNIGHT, chess.KING):
        return False
    if not board.attacks_mask(blocked) & chess.BB_SQUARES[actor]:
        return False
    line = chess.SquareSet(chess.ray(blocked, actor))
    return any(actor in chess.SquareSet.between(blocked, each) for each in line)


def opens_line(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece sees squares after the move that it did not see before."""
    start = scene.before.board
    end = scene.after.board
    found = []
    for term in claim.objects:
        for square in term.squares(end):
            if start.piece_at(square) != end.piece_at(square):
                return unknown("it is the piece that moved")
            found.append(bool(end.attacks_mask(square) & ~start.attacks_mask(square)))
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
    if len(places) != 2 or any(len(each) > 1 for each in places):
        return unknown("which pieces are meant is not told")
    ((one,), (other,)) = places
    apart = (
        abs(chess.square_file(one) - chess.square_file(other)),
        abs(chess.square_rank(one) - chess.square_rank(other)),
    )
    right = {
        "file": apart[0] == 0,
        "rank": apart[1] == 0,
        "diagonal": apart[0] == apart[1],
    }[claim.detail.noun]
    return truth(right, f"{name(board, one)} and {name(board, other)}")


def sole(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether one piece, and no other, attacks or defends another."""
    board = moment.board
    acting = {square for term in claim.subjects for square in term.squares(board)}
    objects = [square for term in claim.objects for square in _on(term.square, board)]
    objects = objects or [s for term in claim.objects for s in term.squares(board)]
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
    return (
        truth(right, evidence, certain=True)
        if right or others != acting
        else unknown(evidence)
    )


def _on(square: chess.Square | None, board: chess.Board) -> list[chess.Square]:
    return [] if square is None or board.piece_at(square) is None else [square]


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
        pawns &= board.occupied_co[bool(owner.side)]
    file = chess.BB_FILES[chess.FILE_NAMES.index(claim.detail.file)]
    count = (pawns & file).bit_count()
    return truth(count == (claim.detail.count or 0), f"{count} pawns stand there")


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
    start = scene.before.board
    end = scene.after.board
    move = scene.move.move
    targets = [square for term in claim.objects for square in term.squares(end)]
    own = [square for square in targets if end.color_at(square) == scene.move.mover]
    if not own:
        return absent("there is no such piece")
    left = [
        square
        for square in own
        if start.attacks_mask(move.from_square)
        & ~end.attacks_mask(move.to_square)
        & chess.BB_SQUARES[square]
    ]
    return truth(bool(left), f"whether {name(end, own[0])} was defended and is not now")


def unpins(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece that was pinned to its king before the move is so no more."""
    start = scene.before.board
    end = scene.after.board
    for term in claim.objects:
        pinned = [s for s in term.squares(start) if _is_pinned(start, s)]
        if not pinned:
            return fails(f"{term.text} was not pinned to its king")
        if any(_is_pinned(end, square) for square in pinned):
            return fails(f"{term.text} is pinned to its king")
    return holds("it was pinned and is so no more")


def _is_pinned(board: chess.Board, square: chess.Square) -> bool:
    return board.is_pinned(bool(board.color_at(square)), square)


def on_file(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece stands on an open or half-open file, or has no pawns on its file."""
    board = moment.board
    squares = [square for term in claim.objects for square in term.squares(board)]
    moved = scene.move.move.to_square
    squares = [moved] if moved in squares else squares
    if len(squares) != 1:
        return unknown("which piece is meant is not told")
    side = bool(board.color_at(squares[0]))
    file = chess.BB_FILES[chess.square_file(squares[0])]
    own = board.pawns & file & board.occupied_co[side]
    others = board.pawns & file & board.occupied_co[not side]
    half = claim.detail.half.startswith(("half", "semi"))
    right = not own and bool(others) == half
    return truth(right, f"the file of {name(board, squares[0])}")
