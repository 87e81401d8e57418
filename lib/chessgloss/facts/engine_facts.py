"""Facts that an engine's verdict gives: chances, loss, rank, best line, expected reply, class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import chess
import chess.engine

from chessgloss.engine import ScoreWording, centipawns, score_text
from chessgloss.facts.records import Fact, When
from chessgloss.facts.verdict import MistakeClass, Verdict
from chessgloss.facts.wording import side_name
from chessgloss.positions import MoveInContext

_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")

_CLASS_WORDS: Final[dict[MistakeClass, str]] = {
    "Excellent": "an excellent move",
    "Good": "a good move",
    "Inaccuracy": "an inaccuracy",
    "Mistake": "a mistake",
    "Blunder": "a blunder",
}

_WORDING: Final = ScoreWording(
    number="the engine puts White at {cp:+d} centipawns",
    mate="the engine sees {ahead} mate in {moves} move{s}",
    level=None,
)

#: Plies of the best line that its clause spells out; the fact's value holds them all.
SPELT_PLIES = 6


def engine_facts(move: MoveInContext, verdict: Verdict) -> Iterator[Fact]:
    """Yield the facts of a verdict: of the move, then before it, then after it.

    Raises
    ------
    ValueError
        If the verdict is seen by the side that does not move.
    """
    if verdict.mover != move.mover:
        raise ValueError(f"the verdict is not seen by the side that plays {move.numbered_san}")
    mover, source = move.mover, verdict.engine
    ends = (move.uci[:2], move.uci[2:4])
    grade = verdict.mistake_class
    yield Fact(
        "centipawn_loss", "move", mover, ends, verdict.loss, source, _loss_text(move, verdict)
    )
    yield Fact("move_rank", "move", mover, ends, verdict.rank, source, _rank_text(move, verdict))
    text = f"by its centipawn loss {move.san} is {_CLASS_WORDS[grade]}"
    yield Fact("mistake", "move", mover, ends, grade, source, text)
    yield _evaluation(mover, "before", verdict.before, source)
    yield _chance(mover, "before", verdict.win_before, source)
    yield _best_line(move, verdict)
    yield _evaluation(mover, "after", verdict.after, source)
    yield _chance(mover, "after", verdict.win_after, source)
    if verdict.reply is not None:
        yield _expected_reply(move, verdict.reply, source)


def _evaluation(mover: chess.Color, when: When, score: chess.engine.PovScore, source: str) -> Fact:
    """Return the fact of a score: centipawns for the mover, mates as 10,000 less their moves."""
    value, text = centipawns(score, mover), score_text(score, _WORDING)
    return Fact("evaluation", when, mover, (), value, source, text)


def _chance(mover: chess.Color, when: When, chance: float, source: str) -> Fact:
    share = f"a {100 * chance:.0f} %"
    if chance < 0.005:
        share = "less than a 1 %"
    elif chance > 0.995:
        share = "more than a 99 %"
    text = f"{side_name(mover)} has {share} chance to win"
    return Fact("win_probability", when, mover, (), chance, source, text)


def _loss_text(move: MoveInContext, verdict: Verdict) -> str:
    """Say what the move loses; between a mate and a score, centipawns would mean nothing."""
    if not verdict.loss:
        return f"{move.san} loses nothing against the engine's best line"
    mates = verdict.before.relative.mate(), verdict.played.relative.mate()
    if mates[0] is not None and mates[0] > 0 and not (mates[1] is not None and mates[1] > 0):
        return f"{move.san} lets a forced mate slip"
    if mates[1] is not None and mates[1] < 0 and not (mates[0] is not None and mates[0] < 0):
        return f"{move.san} allows a forced mate"
    if mates != (None, None):
        return f"{move.san} changes the length of the forced mate"
    unit = "centipawn" if verdict.loss == 1 else "centipawns"
    return f"{move.san} loses {verdict.loss} {unit} against the engine's best line"


def _rank_text(move: MoveInContext, verdict: Verdict) -> str:
    if verdict.rank is not None:
        return f"{move.san} is the engine's {_ORDINALS[verdict.rank - 1]} choice"
    if verdict.ranked == 1:
        return f"{move.san} is not the engine's first choice"
    return f"{move.san} is not among the engine's first {verdict.ranked} choices"


def _best_line(move: MoveInContext, verdict: Verdict) -> Fact:
    board = chess.Board(move.position.fen)
    moves = [chess.Move.from_uci(uci) for uci in verdict.best_line[:SPELT_PLIES]]
    text = f"the engine's best line is {board.variation_san(moves)}"
    squares = (verdict.best[:2], verdict.best[2:4])
    return Fact("best_line", "before", move.mover, squares, verdict.best_line, verdict.engine, text)


def _expected_reply(move: MoveInContext, reply: str, source: str) -> Fact:
    board = chess.Board(move.position.fen)
    board.push(move.move)
    san = board.san(board.parse_uci(reply))
    text = f"the engine expects the reply {san}"
    squares = (reply[:2], reply[2:4])
    return Fact("expected_reply", "after", board.turn, squares, reply, source, text)
