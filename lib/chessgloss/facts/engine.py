"""What an engine's verdict says of a move, as facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chess import Board, Move

from chessgloss.facts.records import AROUND, Fact
from chessgloss.facts.verdict import MistakeClass, Verdict
from chessgloss.positions import MoveInContext
from chessgloss.predicates.words import side_name
from chessgloss.scores import ScoreWording, centipawns, score_text

_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")

_CLASS_WORDS: Final[dict[MistakeClass, str]] = {
    "Excellent": "an excellent move",
    "Good": "a good move",
    "Inaccuracy": "an inaccuracy",
    "Mistake": "a mistake",
    "Blunder": "a blunder",
}

_ENGINE_WORDING: Final = ScoreWording(
    number="the engine puts White at {cp:+d} centipawns",
    mate="the engine sees {ahead} mate in {moves} move{s}",
    level=None,
)

#: Plies of the best line that its clause spells out; the fact's value holds them all.
SPELT_PLIES = 6


def engine_facts(move: MoveInContext, verdict: Verdict) -> Iterator[Fact]:
    """Yield what an engine's verdict says of a move.

    Raises
    ------
    ValueError
        If the verdict is seen by the side that does not move.
    """
    if verdict.mover != move.mover:
        raise ValueError(
            f"the verdict is not seen by the side that plays {move.numbered_san}"
        )
    mover = move.mover
    source = verdict.engine
    san = move.san
    ends = (move.uci[:2], move.uci[2:4])
    best = (verdict.best[:2], verdict.best[2:4])
    grade = verdict.mistake_class
    text = _loss_text(san, verdict)
    yield Fact("centipawn_loss", "move", mover, ends, verdict.loss, text, source)
    text = f"{san} is not among the engine's first {verdict.ranked} choices"
    if verdict.rank is not None:
        text = f"{san} is the engine's {_ORDINALS[verdict.rank - 1]} choice"
    elif verdict.ranked == 1:
        text = f"{san} is not the engine's first choice"
    yield Fact("move_rank", "move", mover, ends, verdict.rank, text, source)
    text = f"by its centipawn loss {san} is {_CLASS_WORDS[grade]}"
    yield Fact("mistake", "move", mover, ends, grade, text, source)
    scores = (verdict.before, verdict.after)
    chances = (verdict.win_before, verdict.win_after)
    for when, score, chance in zip(AROUND, scores, chances, strict=True):
        text = score_text(score, _ENGINE_WORDING)
        yield Fact(
            "evaluation", when, mover, (), centipawns(score, mover), text, source
        )
        share = f"a {100 * chance:.0f} %"
        if not 0.005 <= chance <= 0.995:
            share = "less than a 1 %" if chance < 0.5 else "more than a 99 %"
        text = f"{side_name(mover)} has {share} chance to win"
        yield Fact("win_probability", when, mover, (), chance, text, source)
    board = Board(move.position.fen)
    line = [Move.from_uci(uci) for uci in verdict.best_line[:SPELT_PLIES]]
    text = f"the engine's best line is {board.variation_san(line)}"
    yield Fact("best_line", "before", mover, best, verdict.best_line, text, source)
    if (reply := verdict.reply) is not None:
        board.push(move.move)
        text = f"the engine expects the reply {board.san(Move.from_uci(reply))}"
        squares = (reply[:2], reply[2:4])
        yield Fact("expected_reply", "after", not mover, squares, reply, text, source)


def _loss_text(san: str, verdict: Verdict) -> str:
    """Say what the move loses; between a mate and a score, centipawns would mean nothing."""
    if not verdict.loss:
        return f"{san} loses nothing against the engine's best line"
    best = verdict.before.relative.mate() or 0
    played = verdict.played.relative.mate() or 0
    if best > 0 >= played:
        return f"{san} lets a forced mate slip"
    if played < 0 <= best:
        return f"{san} allows a forced mate"
    if best or played:
        return f"{san} changes the length of the forced mate"
    unit = "centipawn" if verdict.loss == 1 else "centipawns"
    return f"{san} loses {verdict.loss} {unit} against the engine's best line"
