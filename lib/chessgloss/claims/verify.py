"""Each claim of a text held against the board and, where one is given, an engine's verdict."""

from __future__ import annotations

from collections.abc import Iterable

from chessgloss.claims import (
    look_captures,
    look_checks,
    look_counts,
    look_evaluation,
    look_moves,
    look_pieces,
    look_tactics,
    look_threats,
)
from chessgloss.claims.extract import extract
from chessgloss.claims.outcomes import Look, decide
from chessgloss.claims.records import Cause, Checked, Claim, Term, Truth
from chessgloss.claims.scene import Scene, set_scene
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext

#: How each relation is looked at.
LOOKS: dict[str, Look] = {
    "stands": look_pieces.stands,
    "attacks": look_pieces.attacks,
    "defends": look_pieces.defends,
    "controls": look_pieces.controls,
    "loose": look_pieces.loose,
    "captures": look_captures.captures,
    "can_win": look_threats.can_win,
    "can_mate": look_threats.can_mate,
    "can_promote": look_threats.can_promote,
    "shelters": look_threats.shelters,
    "exchange_result": look_threats.exchange_result,
    "brings": look_threats.brings,
    "en_passant": look_captures.en_passant,
    "exchanges": look_captures.exchanges,
    "wins": look_captures.wins,
    "may_castle": look_moves.may_castle,
    "has_right": look_moves.may_castle,
    "loses_right": look_moves.loses_right,
    "castled": look_moves.castled,
    "promotes": look_moves.promotes,
    "move_checks": look_moves.move_checks,
    "move_mates": look_moves.move_mates,
    "forks": look_tactics.forks,
    "pins": look_tactics.pins,
    "skewers": look_tactics.skewers,
    "discovers": look_tactics.discovers,
    "gives_check": look_checks.gives_check,
    "in_check": look_checks.in_check,
    "was_in_check": look_checks.was_in_check,
    "discovered_check": look_checks.discovered_check,
    "double_check": look_checks.double_check,
    "is_mate": look_checks.is_mate,
    "is_stalemate": look_checks.is_stalemate,
    "threatens_mate": look_checks.threatens_mate,
    "mate_in": look_checks.mate_in,
    "ahead": look_counts.ahead,
    "behind": look_counts.behind,
    "level": look_counts.level,
    "pair": look_counts.pair,
    "counts": look_counts.counts,
    "counts_both": look_counts.counts_both,
    "no_more": look_counts.no_more,
    "pawn_state": look_counts.pawn_state,
    "open_file": look_counts.open_file,
    "opens_file": look_counts.open_file,
    "better": look_evaluation.better,
    "equal": look_evaluation.equal,
    "bad_move": look_evaluation.bad_move,
    "good_move": look_evaluation.good_move,
    "best_move": look_evaluation.best_move,
    "only_move": look_evaluation.only_move,
    "better_move": look_evaluation.better_move,
    "legal_count": look_evaluation.legal_count,
}

#: Relations that name a move, looked at in all moments at once.
_MOVES = frozenset({"legal", "played", "impossible"})


def verify(
    text: str,
    move: MoveInContext,
    verdict: Verdict | None = None,
    reply: str | None = None,
) -> tuple[Checked, ...]:
    """Return every claim of a text on a move with its verdict, in the order of their spans.

    Parameters
    ----------
    text
        The comment, in English.
    move
        The move it is about.
    verdict
        What an engine says of the move; without it, evaluations are not checkable.
    reply
        The expected reply in UCI notation; the verdict's own if none is given.

    Raises
    ------
    ValueError
        If the reply is not legal after the move.
    """
    claims = extract(text)
    answer = reply or (verdict.reply if verdict else None)
    scene = set_scene(move, _moves(claims), verdict, answer)
    return tuple(_check(claim, scene) for claim in claims)


def _moves(claims: Iterable[Claim]) -> list[Term]:
    return [term for claim in claims if claim.relation in _MOVES for term in claim.objects]


def _check(claim: Claim, scene: Scene) -> Checked:
    if claim.relation == "impossible":
        return look_moves.impossible(claim, scene)
    if claim.relation in _MOVES:
        return look_moves.check_move(claim, scene)
    return decide(claim, scene.allowed(claim), LOOKS[claim.relation], scene)


def summarise(checked: Iterable[Checked]) -> dict[str, int]:
    """Return how many claims are true, false and not checkable, and how many by cause.

    Keys: the three verdicts, then each cause of error (CCC paper, Table 2) that occurs.
    """
    verdicts: tuple[Truth, ...] = ("true", "false", "not checkable")
    every = tuple(checked)
    counts: dict[str, int] = {
        verdict: sum(one.verdict == verdict for one in every) for verdict in verdicts
    }
    for cause in sorted(causes(every)):
        counts[cause] = sum(one.cause == cause for one in every)
    return counts


def causes(checked: Iterable[Checked]) -> frozenset[Cause]:
    """Return the causes of error (CCC paper, Table 2) that the false claims fall under."""
    return frozenset(one.cause for one in checked if one.cause is not None)
