"""Looks at the board: captures made and possible, recaptures, exchanges, what they win."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from chessgloss.claims.outcomes import Finding, absent, fails, holds, truth, unknown
from chessgloss.claims.records import Claim, Term
from chessgloss.claims.scene import Moment, Scene, passed, play
from chessgloss.facts.tactics import VALUES, exchange

_Event = tuple[chess.Board, chess.Move]

#: First captures tried where a recapture is spoken of and no capture was made.
_MOST_FIRST = 40


def captures(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a capture is made, or can be made, as it is told.

    What the words say outright must be the move that led to the moment, or be possible in
    a line of the text; what can or will be done must be legal. A recapture must follow a
    capture on the same square.
    """
    if any(map(_is_king, claim.objects)):
        return fails("a king is never captured")
    verb = claim.detail[0] if claim.detail else ""
    for board, move in _made(moment):
        if _is_told(claim, board, move):
            return holds(f"{board.san(move)} is a capture")
    again = verb.startswith(("recapt", "retak", "takes back", "take back", "taking back"))
    events = _answers(moment) if again else _possible(moment)
    mover_does = "made" in claim.detail and _sides(claim) == {scene.move.mover}
    if (again and not mover_does) or _may_be_possible(claim, moment, scene):
        for board, move in events:
            if _is_told(claim, board, move):
                return holds(f"{board.san(move)} is legal")
    if moment.last is None:
        return fails("no such capture is legal")
    waits = (
        moment.anchor == "after"
        and moment.board.is_check()
        and _sides(claim) != {moment.board.turn}
    )
    if waits and "made" not in claim.detail:
        return unknown("the check must be answered first")
    if _follows_another(claim, moment, scene):
        return unknown("it may follow the move that is named")
    return fails(f"{moment.last[0].san(moment.last[1])} is no such capture")


def _follows_another(claim: Claim, moment: Moment, scene: Scene) -> bool:
    """Tell whether the captures follow a written move that is none: ``Nd3+, winning b2``."""
    written = [term.move for term in claim.subjects if term.role == "move"]
    if not written or any(one is None or one.takes for one in written):
        return False
    board, played = scene.before.board, scene.move.move
    itself = all(one is not None and one.fits(board, played) for one in written)
    return not (itself and _is_outright(claim, board.ply()))


def _is_outright(claim: Claim, ply: int) -> bool:
    """Tell whether a move itself is said to capture: ``e4 captures``, ``10. b4 captures``."""
    verb = claim.detail[0] if claim.detail else ""
    if "made" in claim.detail:
        return verb.startswith(("captur", "takes", "took"))
    numbered = any(term.numbered == ply for term in claim.subjects)
    return numbered and verb in ("captures", "captured", "takes", "took")


def _is_king(term: Term) -> bool:
    return term.role == "piece" and term.pieces == {chess.KING}


def _may_be_possible(claim: Claim, moment: Moment, scene: Scene) -> bool:
    """Tell whether a capture that is only possible is enough for the words."""
    if "made" not in claim.detail or moment.anchor == "line":
        return True
    if claim.stance.negated:
        return False
    return _sides(claim) == {not scene.move.mover} and moment.anchor != "before"


def _sides(claim: Claim) -> set[chess.Color]:
    return {term.side for term in claim.subjects if term.side is not None}


def _made(moment: Moment) -> Iterator[_Event]:
    if moment.last is not None and moment.last[0].is_capture(moment.last[1]):
        yield moment.last


def _possible(moment: Moment) -> Iterator[_Event]:
    reply = moment.anchor == "reply"
    for board in (moment.board, None if reply else passed(moment.board)):
        if board is not None:
            for move in board.generate_legal_captures():
                yield board, move


def _answers(moment: Moment) -> Iterator[_Event]:
    """Yield captures on the square where the last capture was made, or one could be."""
    made = list(_made(moment))
    if made:
        yield from _on(moment.board, made[0][1].to_square)
        return
    for board, move in list(_possible(moment))[:_MOST_FIRST]:
        yield from _on(play(board, move), move.to_square)


def _on(board: chess.Board, square: chess.Square) -> Iterator[_Event]:
    for move in board.generate_legal_captures(chess.BB_ALL, chess.BB_SQUARES[square]):
        yield board, move


def _is_told(claim: Claim, board: chess.Board, move: chess.Move) -> bool:
    victim = move.to_square
    if board.is_en_passant(move):
        file, rank = chess.square_file(move.to_square), chess.square_rank(move.from_square)
        victim = chess.square(file, rank)
    met = all(_meets(term, board, move, victim) for term in claim.objects)
    return met and (not claim.subjects or any(_takes(one, board, move) for one in claim.subjects))


def _meets(term: Term, board: chess.Board, move: chess.Move, victim: chess.Square) -> bool:
    piece = board.piece_at(victim)
    if term.role == "square":
        return term.square in (move.to_square, victim)
    if term.role == "this":
        known = [one for one in term.options if one.role == "piece"]
        return not known or any(_meets(one, board, move, victim) for one in known)
    return piece is not None and term.matches(victim, piece)


def _takes(term: Term, board: chess.Board, move: chess.Move) -> bool:
    if term.role == "this":
        return True
    if term.role == "side":
        return term.side == board.turn
    if term.role == "move":
        return term.move is not None and term.move.fits(board, move)
    piece = board.piece_at(move.from_square)
    if piece is None:
        return False
    return term.matches(move.from_square, piece) or term.matches(move.to_square, piece)


def en_passant(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn is taken in passing, or can be."""
    if moment.last is not None and moment.last[0].is_en_passant(moment.last[1]):
        return holds(f"{moment.last[0].san(moment.last[1])} is en passant")
    return truth(moment.board.has_legal_en_passant(), "whether en passant is legal")


def exchanges(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether pieces of the kinds named take each other, or can at once.

    Where the words name the pieces that take part, one of them does.
    """
    kinds = [term.pieces for term in claim.objects]
    named = [term for term in claim.subjects if term.role == "piece"]
    only_named = bool(named) and len(named) == len(claim.subjects)
    for board, move in (*_made(moment), *_possible(moment)):
        if only_named and not any(_takes_part(term, board, move) for term in named):
            continue
        pair = (board.piece_type_at(move.from_square), board.piece_type_at(move.to_square))
        alike = len(kinds) == 1 and claim.objects[0].text.endswith("s")
        enough = all if alike else any
        if all(enough(one in kind for one in pair) for kind in kinds):
            return holds(f"{board.san(move)} exchanges")
    return fails("no such exchange can be made at once")


def _takes_part(term: Term, board: chess.Board, move: chess.Move) -> bool:
    taken = board.piece_at(move.to_square)
    return _takes(term, board, move) or (taken is not None and term.matches(move.to_square, taken))


def wins(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look what the move of a moment wins by exchange on its square, against what is told.

    A move that loses material by exchange does not win any; whether a quiet move wins
    something later the board cannot tell.
    """
    if moment.last is None or not _led_by(claim, moment.last, scene):
        return absent("another move is spoken of")
    board, move = moment.last
    gain = exchange(board, move)
    evidence = f"by exchange {board.san(move)} brings {gain:+d} in pawns"
    told = dict(one.split("=", 1) for one in claim.detail if "=" in one)
    if gain >= _value(told.get("unit", "material")):
        return holds(evidence)
    certain = claim.text.lower().startswith("win") and told.get("unit") != "material"
    written = any(term.role == "move" for term in claim.subjects)
    bad = gain < 0 if written else gain <= 0 and certain and moment.anchor == "after"
    return fails(evidence) if bad and board.is_capture(move) else unknown(evidence)


def _led_by(claim: Claim, event: _Event, scene: Scene) -> bool:
    """Tell whether a move is the one said to win: written just before, or the side's."""
    board, move = event
    written = [term for term in claim.subjects if term.role == "move"]
    if written:
        return any(term.move is not None and term.move.fits(board, move) for term in written)
    sides = _sides(claim) or {scene.move.mover}
    return board.turn in sides


def _value(unit: str) -> int:
    names = {chess.piece_name(kind): worth for kind, worth in VALUES.items()}
    return {**names, "exchange": 2, "piece": 3, "material": 1}.get(unit.removesuffix("s"), 1)
