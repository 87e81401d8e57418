"""Points about what an engine says: the move's class, a better move, the standing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import chess

from chessgloss.facts.records import Fact, Facts
from chessgloss.facts.verdict import Verdict
from chessgloss.facts.wording import side_name
from chessgloss.realise.records import Point
from chessgloss.realise.scene import Scene
from chessgloss.realise.voices import JUDGEMENTS, STANDINGS

#: From this loss on, in centipawns, a move is told to be bad and a better one is named.
BAD_LOSS: Final = 60

#: Weight of the expected reply to a bad move: it often shows what is wrong with it.
BAD_REPLY: Final = 22.0

#: Least advantage in centipawns for each word, the strongest first; below the last, the
#: game is about even.
STANDING_BOUNDS: Final = (("winning", 400), ("clear", 200), ("better", 80), ("slight", 50))


def judgement(scene: Scene, facts: Facts, verdict: Verdict) -> Point | None:
    """Return what the engine makes of the move; ``None`` when the move ends the game.

    Raises
    ------
    ValueError
        If the verdict is seen by the side that does not move.
    """
    if verdict.mover != scene.us:
        raise ValueError(
            f"the verdict is seen by {side_name(verdict.mover)}, who does not play "
            f"{scene.context.numbered_san}; weigh the same move"
        )
    if not any(scene.after.generate_legal_moves()):
        return None
    slots = {
        "played": _played(scene),
        "best": scene.before.san(chess.Move.from_uci(verdict.best)),
        "standing": standing(verdict),
        "link": "although" if _lead(verdict) > 0 else "and",
        "still": "but" if _lead(verdict) < 0 else "and",
    }
    key = _key(scene, verdict)
    phrasings = tuple(clause.format(**slots) for clause in JUDGEMENTS[key])
    return Point(key, 80, phrasings, _told(facts), frozenset({"verdict"}))


def standing(verdict: Verdict) -> str:
    """Return who stands better after the move, as a clause."""
    leader = side_name(verdict.mover if verdict.centipawns_after > 0 else not verdict.mover)
    return STANDINGS[_standing_key(verdict)].format(leader=leader)


def engine_fillers(scene: Scene, facts: Facts, verdict: Verdict) -> Iterator[Point]:
    """Yield the reply that the engine expects, and the chance to win as a number."""
    for fact in facts.of("expected_reply", when="after"):
        san = scene.after.san(chess.Move.from_uci(str(fact.value)))
        slots = {"reply": san, "them": side_name(not scene.us)}
        yield _filler("reply", BAD_REPLY if is_bad(verdict) else 11, slots, fact)
    for fact in facts.of("win_probability", when="after"):
        if verdict.after.relative.mate() is None:
            slots = {"us": side_name(scene.us), "percent": f"{100 * verdict.win_after:.0f}"}
            yield _filler("chance", 9, slots, fact)


def is_bad(verdict: Verdict | None) -> bool:
    """Tell whether a verdict is of a move that loses enough to be called bad."""
    return verdict is not None and verdict.loss >= BAD_LOSS


def _filler(key: str, weight: float, slots: dict[str, str], fact: Fact) -> Point:
    phrasings = tuple(clause.format(**slots) for clause in JUDGEMENTS[key])
    return Point(key, weight, phrasings, (fact,), frozenset({key}))


def _key(scene: Scene, verdict: Verdict) -> str:
    if verdict.best == scene.move.uci():
        return "first"
    if verdict.loss < BAD_LOSS:
        return verdict.mistake_class
    mate = verdict.before.relative.mate()
    still = verdict.played.relative.mate()
    if mate is not None and mate > 0 and (still is None or still < 0):
        return "missed_mate"
    return verdict.mistake_class


def _standing_key(verdict: Verdict) -> str:
    if verdict.after.relative.mate() is not None:
        return "mate"
    edge = abs(verdict.centipawns_after)
    return next((name for name, least in STANDING_BOUNDS if edge >= least), "level")


def _played(scene: Scene) -> str:
    """Return the move's name in a sentence; ``the e5 push`` for what might be a mere square."""
    plain = scene.piece == chess.PAWN and scene.victim_square is None and not scene.move.promotion
    return f"the {scene.words['to']} push" if plain else scene.words["san"]


def _lead(verdict: Verdict) -> int:
    """Return 1 if the mover stands better after the move, -1 if worse, 0 if it is about even."""
    value = verdict.centipawns_after
    return (value > 0) - (value < 0) if abs(value) >= STANDING_BOUNDS[-1][1] else 0


def _told(facts: Facts) -> tuple[Fact, ...]:
    return facts.of("mistake", "centipawn_loss", "move_rank", "best_line", "evaluation")
