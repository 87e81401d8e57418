"""The end of the game, mates, and what is known of a move by name."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from chessgloss.facts import Fact, listed
from chessgloss.facts.endings import theory
from chessgloss.facts.known import perpetual, zugzwang
from chessgloss.notes.kinds import NOTES, Note, Notes, capital
from chessgloss.notes.situation import Situation
from chessgloss.predicates import board as boards
from chessgloss.predicates.outcome import (
    LONGEST_TOLD,
    count_in_words,
    spelt,
)
from chessgloss.predicates.tactics import mates
from chessgloss.predicates.words import named

#: Plies without a capture or a pawn's move from which the fifty-move rule is near, and those at
#: which a draw can be claimed.
_NEAR, _CLAIMED = 84, 100

#: The length of a mate is given up to so many moves: of a longer one a short search finds that it
#: is there, and not yet the shortest.
LONGEST_EXACT = 4


def end(situation: Situation) -> Notes:
    """Yield mate or stalemate on the board."""
    if not situation.is_over:
        return
    after = situation.after
    if not after.is_check():
        yield situation.note("stalemate")
        return
    king = after.king(situation.them) or 0
    checkers = after.checkers()
    by = listed([named(after, square) for square in checkers])
    own = after.occupied_co[situation.them]
    shut_in = not chess.BB_KING_ATTACKS[king] & ~own
    smothered = checkers & after.knights and shut_in
    fate = "is smothered by its own pieces" if smothered else "has no way out"
    yield situation.note("checkmate", 0, by=by, fate=fate)


def forced_mate(situation: Situation) -> Notes:
    """Yield the mate that the engine sees after the move, for one side or the other."""
    could = situation.verdict.before.relative.mate() or 0
    now = situation.mate or 0
    if not now or not situation.replies:
        return
    kind = "forces_mate" if now > 0 else "allows_mate"
    if could < 0:
        kind = "mated_anyway" if now <= could + 1 else "hastens_mate"
    elif now < 0 and situation.verdict.standing_before == "losing":
        kind = "hastens_mate"
    if abs(now) == 1 and f"{kind}_1" in NOTES["kinds"]:
        kind += "_1"
    yield situation.note(
        kind,
        abs(now),
        **mate_words(situation.after, situation.replies, now),
    )


def missed_mate(situation: Situation) -> Notes:
    """Yield the mate that the mover could have forced; where it still can, mate at once alone."""
    could = situation.verdict.before.relative.mate() or 0
    now = situation.mate or 0
    line = situation.verdict.best_line
    if now > 0 and (at_once := mates(situation.before, situation.us)):
        moves = [spelt(situation.before, [move.uci()]) for move in at_once]
        yield situation.note("misses_mate_1", mates=" or ".join(moves[:3]))
        return
    missed = could > 0 and now <= 0 and situation.uci not in line[:1]
    if missed and not situation.after.is_checkmate():
        yield situation.note(
            "misses_mate",
            could,
            **mate_words(situation.before, line, could),
        )


def mate_words(board: chess.Board, line: Sequence[str], moves: int) -> dict[str, str]:
    """Return the words for a mate: a short one with its length and its line to the mate.

    Of a longer one, or one that the line, replayed, does not end in, the beginning is shown.
    """
    end = board.copy(stack=False)
    for uci in line:
        end.push_uci(uci)
    if abs(moves) <= LONGEST_EXACT and end.is_checkmate():
        whole = board.variation_san(end.move_stack)
        return {"mate": f"mate in {abs(moves)}", "shown": f": {whole}"}
    return {"mate": "mate", "shown": f", beginning {spelt(board, line)}"}


# ---------------------------------------------------------------- by name


def named_facts(situation: Situation) -> Notes:
    """Yield openings, endings and draws by name, and what is proven by lines and scores."""
    facts = situation.facts
    old = {(fact.kind, fact.value) for fact in facts.of(when="before")}
    for fact in (*facts.facts, *_proven(situation)):
        weight = NOTES["known"].get(fact.kind)
        new = fact.when != "before" and (fact.kind, fact.value) not in old
        if weight is None or not new:
            continue
        text = fact.text
        if fact.kind == "underpromotion":
            text = f"it has to be a {situation.played.words['promoted']}, for {text}"
        yield Note(
            fact.kind,
            situation.us if fact.side is None else fact.side,
            f"{capital(text)}.",
            weight,
            (fact,),
            weight >= NOTES["decisive"],
            frozenset({fact.kind, *fact.squares}),
        )


def _proven(situation: Situation) -> list[Fact]:
    """Return facts that lines and scores prove: perpetual check and zugzwang."""
    found = [zugzwang_after(situation)]
    if situation.verdict.standing == "equal":
        found.append(perpetual(situation.after, situation.replies, "after"))
    return [fact for fact in found if fact]


def zugzwang_after(situation: Situation) -> Fact | None:
    """Return the opponent's zugzwang after the move."""
    passed = situation.briefing.passed
    if passed is None or not passed.lines:
        return None
    scores = situation.verdict.after, passed.best.score
    return zugzwang(situation.after, *scores, "after")


# ---------------------------------------------------------------- draws that are near


def fortress(situation: Situation) -> Notes:
    """Yield the draw with the wrong bishop to which the engine's line comes."""
    level = situation.verdict.standing == "equal"
    plies = wrong_bishop_in(situation.after, situation.replies)
    if level and plies and not is_wrong_bishop(situation.before):
        moves = map(chess.Move.from_uci, situation.replies[:plies])
        yield situation.note("fortress", line=situation.after.variation_san(moves))


def is_wrong_bishop(board: chess.Board) -> bool:
    """Tell whether a bare king holds a draw, for the bishop does not control the pawn's corner."""
    known = theory(board)
    return known is not None and known.name == "wrong bishop"


def wrong_bishop_in(board: chess.Board, line: Sequence[str]) -> int:
    """Return the plies of a line after which that draw stands on the board; 0 if it never does."""
    for plies, uci in enumerate(line[:LONGEST_TOLD], 1):
        board = boards.after_move(board, chess.Move.from_uci(uci))
        if is_wrong_bishop(board):
            return plies
    return 0


def fifty_moves(situation: Situation) -> Notes:
    """Yield that the fifty-move rule is near, or that the move begins its count anew."""
    waited = situation.before.halfmove_clock
    left = _CLAIMED - situation.after.halfmove_clock
    if situation.is_over or situation.mate is not None:
        return
    if waited >= _NEAR and left == _CLAIMED:
        yield situation.note("fifty_anew", waited=str(waited // 2))
    elif 0 < left <= _CLAIMED - _NEAR:
        moves = count_in_words((left + 1) // 2, "move")
        yield situation.note("fifty_near", moves=moves)
