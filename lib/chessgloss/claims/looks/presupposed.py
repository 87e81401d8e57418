"""Looks at what a text takes for granted: whose turn it is, what it speaks of. Never false."""

from __future__ import annotations

import chess

from chessgloss.claims.looks.finding import Finding, truth
from chessgloss.claims.parser import Claim
from chessgloss.claims.scene import PLURAL, Moment, Scene, is_king
from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.words import side_name


def on_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is the one that moves, or (``on_turn``) is on turn after the move."""
    answers = claim.relation == "on_turn"
    side = scene.move.mover != answers
    evidence = f"{side_name(side)} {'is on turn' if answers else 'moves'}"
    return truth(claim.subjects[0].side == side, evidence, certain=False)


def theme(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether what the text speaks of comes with the move: a check, a mate, a square.

    A piece comes with it that it takes or that its piece attacks, and a king close to it.
    """
    board = scene.before.board
    move = scene.move.move
    end = scene.after.board
    subject = claim.detail.theme
    square = claim.detail.square
    attacked = end.attacks(move.to_square)
    taken = boards.taken_on(board, move)
    if subject == "check":
        comes = end.is_check() or board.is_check()
    elif subject == "mate":
        comes = end.is_checkmate() or any(
            tactics.mates(end, side) for side in chess.COLORS
        )
    elif subject == "sacrifice":
        comes = tactics.exchange(board, move) < 0
    elif subject == "square":
        comes = square in map(
            chess.square_name, attacked | {move.from_square, move.to_square}
        )
    else:
        comes = any(
            (taken is not None and term.matches(taken, board.piece_at(taken)))
            or any(
                (each in attacked and end.color_at(each) == end.turn)
                or (
                    is_king(term)
                    and 0 < chess.square_distance(each, move.to_square) < 3
                )
                for each in term.squares(end)
            )
            for term in claim.objects
        )
    return truth(comes, f"{board.san(move)}: {square or subject}", certain=False)


def there_is(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether there are such pieces; of plurals two."""
    (term,) = claim.objects
    squares = term.squares(moment.board)
    least = 2 if PLURAL.search(term.text) else 1
    return truth(len(squares) >= least, f"{len(squares)} of them", certain=False)
