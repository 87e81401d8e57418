"""What a judge is told beside the comment: an engine's evaluation, a program's findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import chess
import chess.engine

from chessgloss.claims import Checked
from chessgloss.commentary.briefing import Briefing
from chessgloss.engine import ScoreWording, score_text

#: Most findings told, the false claims first: a long list would bury them.
MOST_FINDINGS = 5

_WORDING = ScoreWording(number="{cp:+d} cp", mate="{verb} in {moves}", mated="mate", level=None)


def expert_hint(briefing: Briefing) -> str:
    """Return the expert hint of GCC-Eval (CCC paper, Appendix A).

    The played move with its score and the expected reply, then the best and the second-best
    move with theirs. Scores are in centipawns, seen by the side that moves.
    """
    verdict, move = briefing.verdict, briefing.move.move
    board = chess.Board(briefing.move.position.fen)
    side = "White" if verdict.mover else "Black"
    said = [f"seen by {side}, played {board.san(move)} {_score(verdict.played)}"]
    if verdict.reply is not None:
        _, reply = board.variation_san([move, chess.Move.from_uci(verdict.reply)]).rsplit(" ", 1)
        said.append(f"expected reply {reply}")
    for name, line in zip(("best", "second best"), briefing.before.lines, strict=False):
        if line.moves:
            same = " (the move played)" if line.moves[0] == briefing.move.uci else ""
            said.append(
                f"{name} {board.san(board.parse_uci(line.moves[0]))} {_score(line.score)}{same}"
            )
    return ", ".join(said)


def verifier_findings(checked: Iterable[Checked]) -> str:
    """Return what a program found of a comment's claims, in a few lines, the false ones first.

    Claims that neither board nor engine settles are left out.
    """
    decided = [one for one in checked if one.verdict != "not checkable"]
    false = [one for one in decided if one.verdict == "false"]
    if not decided:
        return "The comment makes no claim that can be checked."
    told = [*false, *(one for one in decided if one.verdict == "true")][:MOST_FINDINGS]
    return "\n".join([_count(len(false), len(decided)), *map(_finding, told)])


def share_of_false(checked: Sequence[Checked]) -> float | None:
    """Return the share of false claims among those decided; ``None`` if none is."""
    decided = [one.verdict == "false" for one in checked if one.verdict != "not checkable"]
    return sum(decided) / len(decided) if decided else None


def _count(false: int, decided: int) -> str:
    claims = "1 claim" if decided == 1 else f"{decided} claims"
    return f"Of {claims} checked, {false or 'none'} {'are' if false > 1 else 'is'} false."


def _finding(one: Checked) -> str:
    reason = f" ({one.evidence.removeprefix('after the move: ')})" if one.cause else ""
    return f'- {one.verdict}: "{one.claim.text}"{reason}'


def _score(score: chess.engine.PovScore) -> str:
    """Return a score seen by its own side: ``+52 cp``, ``mates in 3``, ``is mated in 2``."""
    return score_text(score, _WORDING, score.turn)
