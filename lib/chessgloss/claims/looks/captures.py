"""Looks at captures and exchanges, and at the material that they win."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import chess

from chessgloss.claims.looks.finding import (
    ANOTHER_MOVE,
    NO_MOVE,
    Finding,
    absent,
    fails,
    holds,
    truth,
    unknown,
)
from chessgloss.claims.parser import Claim, Term
from chessgloss.claims.scene import (
    PLURAL,
    Event,
    Moment,
    Scene,
    both_turns,
    is_king,
    named_sides,
    sides_or_both,
    written_moves,
)
from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics

#: What a rook is worth more than a knight or a bishop, in pawns.
EXCHANGE: Final = 2

#: First captures tried where a recapture is spoken of and no capture was made.
MOST_CAPTURES: Final = 40


def captures(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a capture is made, or can be made, as it is told.

    What the words say outright must be the move that led to the moment, or be possible in
    a line of the text; what can or will be done must be legal. A recapture must follow a
    capture on the same square.
    """
    if claim.together:
        return _each_captures(claim, moment, scene)
    pieces = [term for term in claim.objects if term.role == "piece"]
    if any(is_king(term) for term in pieces):
        return fails("a king is never captured")
    to_come = claim.tense == "later" and claim.stance.able and moment.anchor == "after"
    made = _made(moment)
    if to_come:
        made = []
    for before, move in made:
        if _is_meant(claim, before, move) and claim.detail.count is None:
            return holds(f"{before.san(move)} is a capture")
    if _may_be_only_possible(claim, moment, scene):
        again = _is_recapture(claim)
        for at, move in _answers(moment) if again else _possible(moment):
            if not _is_meant(claim, at, move):
                continue
            if claim.detail.count is not None and _others_can(claim, at, move):
                return fails("other pieces can take it too")
            return _is_possible(claim, moment, scene, at, move)
    return _no_capture(claim, moment, scene)


def _each_captures(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether each of the pieces named can take: ``with the queen or the knight``."""
    for subject in claim.subjects:
        alone = replace(claim, subjects=(subject,), together=False)
        finding = captures(alone, moment, scene)
        if finding.outcome != "holds":
            return finding
    return finding


def _others_can(claim: Claim, board: chess.Board, move: chess.Move) -> bool:
    """Tell whether pieces can take on the square of a capture which the words exclude."""
    every = board.generate_legal_captures(
        chess.BB_ALL, chess.BB_SQUARES[move.to_square]
    )
    return not all(_is_meant(claim, board, other) for other in every)


def _is_possible(
    claim: Claim, moment: Moment, scene: Scene, at: chess.Board, move: chess.Move
) -> Finding:
    """Return that a capture is legal; open where it is not the moment whose turn it is.

    What a side can do is said of the moment when it is on turn, and what it threatens of the
    next. Before the move that is the mover alone: that its opponent could take then says
    nothing.
    """
    evidence = f"{at.san(move)} is legal"
    of_mover = at.turn == scene.move.mover
    is_past = claim.tense in ("before", "past")
    to_come = claim.tense == "later" and claim.stance.able
    if moment.anchor == "before" and (to_come or not (of_mover or is_past)):
        return absent(f"{evidence}, but only before the move")
    can = claim.stance.able and claim.tense == "any"
    if moment.anchor == "after" and of_mover and can and claim.subjects:
        return unknown(f"{evidence}, but it is not that side's turn")
    return holds(evidence)


def _is_recapture(claim: Claim) -> bool:
    return claim.detail.verb.startswith(
        ("recapt", "retak", "takes back", "take back", "taking back")
    )


def _may_be_only_possible(claim: Claim, moment: Moment, scene: Scene) -> bool:
    """Tell whether the words are true of a capture that is legal, though it is not made.

    Said outright, that will do in a line, of the opponent, and of a recapture.
    """
    if not claim.detail.made or moment.anchor == "line":
        return True
    sides = named_sides(claim)
    opponent = sides == {not scene.move.mover} and moment.anchor != "before"
    if opponent and not claim.stance.negated:
        return True
    return _is_recapture(claim) and sides != {scene.move.mover}


def _no_capture(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Return that there is no such capture; open where it may come a move later."""
    if moment.last is None:
        return fails("no such capture is legal")
    if claim.tense == "later" and any(term.role == "this" for term in claim.objects):
        return unknown("what will be taken is not told")
    if _is_meant_later(claim, moment):
        return unknown("the check must be answered first")
    if moment.anchor != "line" and _follows_another(claim, scene):
        return unknown("it may follow the move that is named")
    board, move = moment.last
    return fails(f"{board.san(move)} is no such capture")


def _is_meant_later(claim: Claim, moment: Moment) -> bool:
    """Tell whether a check hides the capture: it is legal when the check is answered."""
    board = moment.board
    sides = named_sides(claim)
    if not board.is_check() or sides == {board.turn} or (claim.detail.made and sides):
        return False
    ends = (boards.after_move(board, answer) for answer in board.legal_moves)
    return any(
        _is_meant(claim, end, move)
        for end in ends
        for move in end.generate_legal_captures()
    )


def _follows_another(claim: Claim, scene: Scene) -> bool:
    """Tell whether the captures follow a written move that is none: ``Nd3+, winning b2``."""
    written = written_moves(claim.subjects)
    if not written or any(move.takes for move in written):
        return False
    board = scene.before.board
    verb = claim.detail.verb
    if not all(move.fits(board, scene.move.move) for move in written):
        return True
    # a move itself is said to capture: ``e4 captures``, ``10. b4 captures``
    if claim.detail.made:
        return not verb.startswith(("captur", "takes", "took"))
    numbered = any(term.numbered == board.ply() for term in claim.subjects)
    return not (numbered and verb in ("captures", "captured", "takes", "took"))


def _made(moment: Moment) -> list[Event]:
    if moment.last is None:
        return []
    board, move = moment.last
    return [moment.last] if board.is_capture(move) else []


def _possible(moment: Moment) -> Iterator[Event]:
    for board in (
        [moment.board] if moment.anchor == "reply" else both_turns(moment.board)
    ):
        yield from ((board, move) for move in board.generate_legal_captures())


def _answers(moment: Moment) -> Iterator[Event]:
    """Yield captures on the square where the last capture was made, or one could be."""
    board = moment.board
    squares = [(board, move.to_square) for _, move in _made(moment)]
    first = list(_possible(moment))[:MOST_CAPTURES] if not squares else []
    for board, square in squares or (
        (boards.after_move(board, move), move.to_square) for board, move in first
    ):
        for move in board.generate_legal_captures(
            chess.BB_ALL, chess.BB_SQUARES[square]
        ):
            yield board, move


def _is_meant(claim: Claim, board: chess.Board, move: chess.Move) -> bool:
    victim = boards.taken_on(board, move)
    if victim is None:
        return False
    if not all(_is_taken(term, board, move, victim) for term in claim.objects):
        return False
    if not claim.subjects:
        return True
    return any(_takes(term, board, move) for term in claim.subjects)


def _is_taken(
    term: Term, board: chess.Board, move: chess.Move, victim: chess.Square
) -> bool:
    if term.role == "square":
        return term.square in (move.to_square, victim)
    if term.role == "this":
        pieces = [option for option in term.options if option.role == "piece"]
        return not pieces or any(
            _is_taken(each, board, move, victim) for each in pieces
        )
    return term.matches(victim, board.piece_at(victim))


def _takes(term: Term, board: chess.Board, move: chess.Move) -> bool:
    if term.role == "side":
        return term.side == board.turn
    if term.role in ("this", "move"):
        return term.role == "this" or term.fits(board, move)
    start, end = move.from_square, move.to_square
    return term.matches(start, board.piece_at(start)) or term.matches(
        end, board.piece_at(start)
    )


def ways(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look how many pieces can take on a square (where the move went, if none), and which."""
    board = moment.board
    if moment.last is None:
        return NO_MOVE
    if claim.subjects and claim.subjects[0].side != board.turn:
        return absent("the other side is on turn")
    (_, move) = moment.last
    square = move.to_square
    if claim.detail.square:
        square = chess.parse_square(claim.detail.square)
    able = set[chess.Square]()
    kinds = set[chess.PieceType | None]()
    for capture in board.generate_legal_captures(
        chess.BB_ALL,
        chess.BB_SQUARES[square],
    ):
        able.add(capture.from_square)
        kinds.add(board.piece_type_at(capture.from_square))
    evidence = f"{len(able)} pieces can take on {chess.square_name(square)}"
    if len(able) != claim.detail.count:
        return fails(evidence)
    named = re.findall("king|queen|rook|bishop|knight|pawn", claim.detail.items)
    said = {chess.PIECE_NAMES.index(noun) for noun in named}
    return truth(said <= kinds, evidence)


def en_passant(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn is taken in passing, or can be where the words say no more."""
    sides = named_sides(claim) or {*chess.COLORS}
    if moment.last is not None:
        board, move = moment.last
        if board.is_en_passant(move) and board.turn in sides:
            right = _is_so_taken(claim, move)
            return truth(right, f"{board.san(move)} is en passant")
    if claim.detail.made and moment.anchor == "before":
        return fails("the move played takes nothing in passing")
    board = moment.board
    legal = False
    if board.turn in sides:
        every = board.generate_legal_ep()
        legal = any(_is_so_taken(claim, move) for move in every)
    return truth(legal, "whether en passant is legal")


def _is_so_taken(claim: Claim, move: chess.Move) -> bool:
    """Tell whether a capture in passing is on the square, and from the file, that is told."""
    start = chess.square_name(move.from_square)
    end = chess.square_name(move.to_square)
    if claim.detail.square not in ("", end):
        return False
    return start.startswith(claim.detail.file)


def exchanges(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether pieces of the kinds named take each other, or can at once.

    Where the words name the pieces that take part, one of them does. Pieces that are told to have
    been exchanged are gone.
    """
    done = claim.detail.verb.endswith("ed") and not claim.subjects
    left = [square for term in claim.objects for square in term.squares(moment.board)]
    if done and not left:
        return holds("there are none left")
    if done and claim.stance.negated:
        return unknown("it may have been earlier")
    told = claim.detail.verb.endswith("ed") and claim.stance.past
    if claim.detail.result == "for":
        told = told or claim.detail.made
    events = _made(moment)
    if not (told and claim.subjects):
        events += _possible(moment)
    for board, move in events:
        if _is_exchange_of(claim, board, move) and _takes_part(claim, board, move):
            return holds(f"{board.san(move)} exchanges")
    return fails("no such exchange can be made at once")


def _is_exchange_of(claim: Claim, board: chess.Board, move: chess.Move) -> bool:
    """Tell whether a move takes like for like (``trades knights``), or one of those named."""
    terms = claim.objects
    start = board.piece_type_at(move.from_square)
    end = board.piece_type_at(move.to_square)
    (first, *others) = terms
    if not others and PLURAL.search(first.text):
        placed = first.square in (None, move.to_square)
        return placed and start in first.pieces and end in first.pieces
    if claim.detail.result == "for":
        return _is_given_for(claim, board, move)
    moved = {start, end}
    return all(not moved.isdisjoint(term.pieces) for term in terms)


def _is_given_for(claim: Claim, board: chess.Board, move: chess.Move) -> bool:
    """Tell whether a capture gives one piece for another: ``the bishop for a knight``."""
    (given, *_, got) = claim.objects
    if got.square not in (None, move.to_square):
        return False
    own = board.piece_type_at(move.from_square)
    other = board.piece_type_at(move.to_square)
    if {term.side for term in claim.subjects} == {not board.turn}:
        own, other = other, own
    return own in given.pieces and other in got.pieces


def _takes_part(claim: Claim, board: chess.Board, move: chess.Move) -> bool:
    """Tell whether one of the pieces named takes or is taken, if only pieces are named."""
    named = [term for term in claim.subjects if term.role == "piece"]
    if not named or len(named) < len(claim.subjects):
        return True
    there = board.piece_at(move.to_square)
    return any(
        _takes(term, board, move) or term.matches(move.to_square, there)
        for term in named
    )


def offers_trade(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the other side can take like for like when the move has been made."""
    noun = claim.detail.noun or claim.detail.unit.removesuffix("s")
    kinds = {*chess.PIECE_TYPES[1:-1]}
    if noun:
        kinds = {chess.PIECE_NAMES.index(noun)}
    board = moment.board
    for move in board.generate_legal_captures():
        taking = board.piece_type_at(move.from_square)
        taken = board.piece_type_at(move.to_square)
        if taking == taken and taking in kinds:
            return holds(f"{board.san(move)} is legal")
    return fails("no such exchange can be made at once")


def wins(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look what the move of a moment wins by exchange on its square, against what is told.

    A move that loses material by exchange does not win any; whether a quiet move wins
    something later the board cannot tell.
    """
    if moment.last is None:
        return ANOTHER_MOVE
    board, move = moment.last
    written = written_moves(claim.subjects)
    sides = named_sides(claim) or {scene.move.mover}
    meant = (
        any(each.fits(board, move) for each in written)
        if written
        else board.turn in sides
    )
    if not meant:
        return ANOTHER_MOVE
    gain = tactics.exchange(board, move)
    unit = claim.detail.unit or "material"
    evidence = f"by exchange {board.san(move)} brings {gain:+d} in pawns"
    taken = _taken(board, move)
    if unit == "exchange" and taken == chess.ROOK:
        return truth(gain == EXCHANGE, evidence)
    if moment.board.is_checkmate() and unit == "exchange":
        return fails(f"{board.san(move)} mates")
    outright = claim.text.lower().startswith("win") and unit != "material"
    bad = gain < 0 if written else gain <= 0 and outright and moment.anchor == "after"
    answers = moment.board.generate_legal_captures(
        chess.BB_ALL, chess.BB_SQUARES[move.to_square]
    )
    if any(
        tactics.mates(boards.after_move(moment.board, answer), board.turn)
        for answer in answers
    ):
        return unknown(f"{evidence}, but taking back allows mate")
    values = {chess.piece_name(kind): worth for kind, worth in tactics.VALUES.items()}
    worth = {**values, "exchange": EXCHANGE, "piece": 3}.get(unit, 1)
    if gain >= worth and not _is_won(unit, taken):
        return unknown(evidence)
    return truth(gain >= worth, evidence, certain=bad and board.is_capture(move))


def _taken(board: chess.Board, move: chess.Move) -> chess.PieceType | None:
    victim = boards.taken_on(board, move)
    return None if victim is None else board.piece_type_at(victim)


def _is_won(unit: str, taken: chess.PieceType | None) -> bool:
    """Tell whether what is taken is what the words say is won; of ``material`` anything is."""
    if taken is None:
        return unit == "material"
    if unit == "piece":
        return taken != chess.PAWN
    return unit == "material" or unit == chess.piece_name(taken)


def can_win(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has, or would have on its turn, a capture that wins the piece.

    A capture that is legal but wins nothing by exchange is left open: more than an exchange
    may lie behind the words.
    """
    board = moment.board
    agents = [term for term in claim.subjects if term.role == "piece"]
    legal = [
        capture
        for side in sides_or_both(claim)
        for capture in tactics.captures(board, side)
        for start, end in [(capture.from_square, capture.square)]
        if all(term.matches(start, board.piece_at(start)) for term in agents)
        and all(term.matches(end, board.piece_at(end)) for term in claim.objects)
    ]
    if not legal:
        return fails("no such capture is legal")
    best = max(legal, key=lambda capture: capture.gain)
    evidence = f"{best.move.uci()[:4]} wins {best.gain:+d} in pawns"
    return truth(best.gain > 0, evidence, certain=False)


def exchange_result(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look what the exchanges on a square come to when the move has started them."""
    if moment.last is None:
        return NO_MOVE
    board, move = moment.last
    detail = claim.detail
    gain = tactics.exchange(board, move)
    wanted = 0 if detail.even else detail.count or 0
    loses = detail.result == "loses"
    opponent = bool(claim.subjects) and claim.subjects[0].side != board.turn
    wanted *= -1 if loses != opponent else 1
    return truth(
        gain == wanted, f"by exchange {board.san(move)} brings {gain:+d} in pawns"
    )


def brings(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look by how much the move of a moment changes a side's material at once."""
    if moment.last is None:
        return NO_MOVE
    before = tactics.balance(moment.last[0])
    change = tactics.balance(moment.board) - before
    if not claim.subjects[0].side:
        change = -change
    evidence = f"material changes by {change:+d} for that side"
    return truth(change == claim.detail.count, evidence)
