"""Which moves of a game are worth a comment, and which glyph each move earns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import chess
import chess.pgn

from chessgloss.engine import expected_score
from chessgloss.facts import Verdict
from chessgloss.facts.exchange import exchange
from chessgloss.positions import MoveInContext
from chessgloss.priorities import ConceptChange

#: Expected points, 0 to 1, that a move must give away to earn ``??``, ``?`` and ``?!``. Our
#: choice: by Stockfish 15.1's model, level play that becomes a disadvantage of about 1.1, 0.8
#: and 0.6 pawns early in a game.
GIVEN_AWAY: tuple[tuple[float, int], ...] = (
    (0.35, chess.pgn.NAG_BLUNDER),
    (0.20, chess.pgn.NAG_MISTAKE),
    (0.08, chess.pgn.NAG_DUBIOUS_MOVE),
)

#: Centipawns by which the second-best move falls behind the only good one.
ONLY_MOVE = 150

#: Pawns that an offer of material gives by exchange, at least.
OFFER = 2


@dataclass(frozen=True, slots=True)
class MomentRules:
    """When a move is a moment that matters.

    Parameters
    ----------
    given_away
        Expected points, 0 to 1, that the move gives away.
    concept
        Largest change of a concept, in standard deviations over all moves; about one move in
        thirty of the self-play games changes one by six.
    share
        Largest share of the plies that is chosen, rounded up.
    fewest
        As many may always be chosen.
    """

    given_away: float = 0.08
    concept: float = 6.0
    share: float = 0.2
    fewest: int = 3

    def __post_init__(self) -> None:
        if self.given_away <= 0 or self.concept <= 0:
            raise ValueError(f"both thresholds must be positive, got {self}")
        if not 0 <= self.share <= 1 or self.fewest < 0:
            raise ValueError(f"share is 0 to 1 and fewest not negative, got {self}")

    def most(self, plies: int) -> int:
        """Return how many moments a game of so many plies may have."""
        return min(plies, max(self.fewest, ceil(self.share * plies)))


def given_away(move: MoveInContext, verdict: Verdict) -> float:
    """Return the expected points, 0 to 1, that a move gives away; 0 for the best move."""
    ply = chess.Board(move.position.fen).ply()
    kept = expected_score(verdict.played, ply, move.mover)
    return max(0.0, verdict.expected_before - kept) if verdict.loss else 0.0


def choose_moments(
    moves: Sequence[MoveInContext],
    verdicts: Sequence[Verdict],
    priorities: Sequence[Sequence[ConceptChange]],
    rules: MomentRules | None = None,
) -> list[int]:
    """Return the plies that deserve a comment, in order.

    A ply qualifies by one of three: the move gives away expected points; it is the only good
    move of an open game, and hard to find; or it changes a concept strongly without being
    forced. The move that mates always qualifies. If more qualify than the rules allow, the
    weightiest stay: points given away count in units of their threshold, the other two less
    than one unit (concepts half as much once the game is decided), so that mistakes come
    first; ties go to the earlier ply.

    Parameters
    ----------
    moves
        The moves of the main line.
    verdicts
        The engine's verdict on each.
    priorities
        The concepts that each changes, most changed first; empty where none are known.
    rules
        The thresholds; the default ones if not given.

    Raises
    ------
    ValueError
        If the three are not of one length.
    """
    if not len(moves) == len(verdicts) == len(priorities):
        raise ValueError(
            "one verdict and one ranking of concepts for each move, "
            f"got {len(moves)}, {len(verdicts)} and {len(priorities)}"
        )
    rules = rules or MomentRules()
    weights = [
        _weight(move, verdict, concepts, rules)
        for move, verdict, concepts in zip(moves, verdicts, priorities, strict=True)
    ]
    qualified = [ply for ply, weight in enumerate(weights) if weight > 0]
    ranked = sorted(qualified, key=lambda ply: (-weights[ply], ply))
    return sorted(ranked[: rules.most(len(moves))])


def judge(move: MoveInContext, verdict: Verdict) -> int | None:
    """Return the glyph, 1 to 6, that a move earns, or ``None``.

    ``??``, ``?`` and ``?!`` by the points given away (:data:`GIVEN_AWAY`). Praise only for the
    engine's first choice in an open game: ``!`` for the only good move, ``!!`` if that offers
    material by exchange, ``!?`` for an offer that is not the only good move. Answers to a
    check and captures that lose nothing earn none: they find themselves.
    """
    lost = given_away(move, verdict)
    for bound, glyph in GIVEN_AWAY:
        if lost >= bound:
            return glyph
    if verdict.rank != 1 or not _open(verdict.expected_before) or _finds_itself(move):
        return None
    offer = exchange(move.position.board(), move.move) <= -OFFER
    if _is_only_move(verdict):
        return chess.pgn.NAG_BRILLIANT_MOVE if offer else chess.pgn.NAG_GOOD_MOVE
    return chess.pgn.NAG_SPECULATIVE_MOVE if offer else None


def _weight(
    move: MoveInContext,
    verdict: Verdict,
    concepts: Sequence[ConceptChange],
    rules: MomentRules,
) -> float:
    """Return how much a move deserves a comment, 0 if not at all."""
    if "#" in move.san:
        return float("inf")
    lost = given_away(move, verdict) / rules.given_away
    if lost >= 1:
        return lost
    if verdict.ranked == 1:
        return 0.0
    undecided = _open(verdict.expected_after)
    if undecided and verdict.rank == 1 and _is_only_move(verdict) and not _finds_itself(move):
        return 0.9
    largest = max((abs(one.change) for one in concepts), default=0.0)
    if largest < rules.concept:
        return 0.0
    return (0.8 if undecided else 0.4) * (1 - rules.concept / (2 * largest))


def _is_only_move(verdict: Verdict) -> bool:
    return verdict.lead_of_best is not None and verdict.lead_of_best >= ONLY_MOVE


def _finds_itself(move: MoveInContext) -> bool:
    """Tell whether a move answers a check, or takes without losing material by exchange."""
    board = chess.Board(move.position.fen)
    safe_capture = board.is_capture(move.move) and exchange(board, move.move) >= 0
    return board.is_check() or safe_capture


def _open(expected: float) -> bool:
    """Tell whether a game is still to be decided."""
    return 0.03 < expected < 0.97
