"""A move and what engine, board and expert know of it, as the makers of notes ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

import chess
from chess.engine import PovScore

from chessgloss.facts import Facts, Verdict, side_name
from chessgloss.facts.verdict import Standing, standing
from chessgloss.notes.kinds import (
    NOTES,
    Note,
    Purpose,
    adjustment,
    capital,
    choose_wording,
)
from chessgloss.notes.played import Played
from chessgloss.positions import MoveInContext
from chessgloss.predicates.outcome import (
    LONGEST_SPELT,
    LONGEST_TOLD,
    NOTHING,
    SOON,
    Outcome,
    play_out,
    replay,
    surplus,
    told_to_the_end,
)
from chessgloss.predicates.tactics import balance
from chessgloss.scores import Analysis, centipawns

if TYPE_CHECKING:
    from chessgloss.facts.change import ConceptChange
    from chessgloss.facts.replies import Refutation

#: Pawns by which an engine's score may contradict a count of material before it is not believed:
#: at least; a pawn won or lost; and as a share of what is on the board.
DOUBT: Final = 2.0
DOUBT_OF_ONE: Final = 0.5
DOUBT_SHARE: Final = 0.5

#: Centipawns up to which an endgame is taken to be a draw.
_DRAWN: Final = 10

#: Plies over which a move is seen as the end of an exchange that began before it.
_EXCHANGE_PLIES = 4

#: Judgements of moves that are worse than good.
BAD: Final = frozenset({"inaccuracy", "mistake", "blunder"})


class Briefed(Protocol):
    """A move and what is known of it: what notes are made from."""

    @property
    def move(self) -> MoveInContext:
        """The move."""

    @property
    def before(self) -> Analysis:
        """The engine's analysis of the position before the move."""

    @property
    def after(self) -> Analysis:
        """The engine's analysis of the position after it."""

    @property
    def passed(self) -> Analysis | None:
        """The engine's analysis after a pass of the opponent's: what the move threatens."""

    @property
    def idle(self) -> Analysis | None:
        """The engine's analysis after a pass in place of the move: what the opponent threatened."""

    @property
    def better_passed(self) -> Analysis | None:
        """The engine's analysis after the best move and a pass: whether having to move loses."""

    @property
    def refutations(self) -> Sequence[Refutation]:
        """What a reader would try after the move or in its place, and fails."""

    @property
    def concepts(self) -> Sequence[ConceptChange]:
        """Concepts by rank, as the expert shows them."""

    @property
    def verdict(self) -> Verdict:
        """The engine's verdict on the move, seen by the side that moves."""

    def facts(self) -> Facts:
        """Return the facts of the move, those of the engine among them."""


class Situation:
    """A move, what is known of it, and what follows at once from that.

    Parameters
    ----------
    briefing
        What is known of the move.

    Attributes
    ----------
    played
        The move between its two boards, ``before`` and ``after``.
    us, them
        The mover and the opponent.
    replies, reply
        The engine's line after the move, and its first move; empty and ``None`` without one.
    line
        The move and the engine's line after it.
    idle
        The engine's line where the mover passes instead; empty where it was not asked.
    bad
        Whether the move is an inaccuracy or worse.
    mate
        Moves to mate after the move, negative if the mover is mated; ``None`` without a mate.
    net, best
        What the engine's lines with the move and with the best one win for the mover.
    restores
        Whether the move makes up for what the last one took.
    swing
        What the mover has won in the last four plies, this one included, in pawns.
    """

    def __init__(self, briefing: Briefed) -> None:
        self.briefing = briefing
        self.verdict = briefing.verdict
        self.uci = briefing.move.uci
        earlier = briefing.move.position.board()
        last = earlier.pop() if earlier.move_stack else None
        taking = last if last and earlier.is_capture(last) else None
        board = chess.Board(briefing.move.position.fen)
        self.played = Played(board, briefing.move.move, taking)
        self.before = self.played.before
        self.after = self.played.after
        self.us = self.played.us
        self.them = self.played.them
        self.replies = self.verdict.reply_line
        self.reply = self.steps[0] if self.steps else None
        self.bad = self.verdict.judgement in BAD
        self.mate = self.verdict.after.relative.mate()
        self.line = (self.uci, *self.replies)
        idle = briefing.idle
        self.idle = idle.best.moves if idle and idle.lines else ()
        within = LONGEST_TOLD if self.bad else SOON
        self.net = self.outcome(self.before, self.line, self.verdict.after, within)
        self.best = self.outcome(
            self.before, self.verdict.best_line, self.verdict.before
        )
        self.restores = balance(earlier) == balance(self.after)
        for _ in range(min(_EXCHANGE_PLIES - 1, len(earlier.move_stack))):
            earlier.pop()
        self.swing = self._seen(balance(self.before) - balance(earlier))

    @property
    def is_over(self) -> bool:
        """Whether the move ends the game: no legal move is left."""
        return not any(self.after.generate_legal_moves())

    @cached_property
    def facts(self) -> Facts:
        """The facts of the move, those of the engine among them."""
        return self.briefing.facts()

    @cached_property
    def steps(self) -> tuple[Played, ...]:
        """The moves of the engine's line after the move, between their boards."""
        steps = list[Played]()
        for uci in self.replies[:LONGEST_SPELT]:
            steps.append((steps[-1] if steps else self.played).then(uci))
        return tuple(steps)

    def _seen(self, pawns: int) -> int:
        """Return a balance of White's as the mover sees it."""
        return pawns if self.us else -pawns

    def outcome(
        self,
        board: chess.Board,
        line: Sequence[str],
        score: PovScore,
        within: int = SOON,
    ) -> Outcome:
        """Return what a line wins for the mover within so many plies.

        That is nothing where the score does not believe it.
        """
        outcome = play_out(board, line, self.us)
        pawns = centipawns(score, self.us) / 100
        left = self._seen(balance(board)) + outcome.gain
        doubt = DOUBT_OF_ONE
        if abs(outcome.gain) > 1:
            doubt = max(DOUBT, abs(left) * DOUBT_SHARE)
        doubtful = pawns < left - doubt if outcome.gain > 0 else pawns > left + doubt
        return NOTHING if doubtful or outcome.plies > within else outcome

    def note(
        self,
        kind: str,
        value: float | None = None,
        about: Iterable[str | chess.Square] = (),
        bonus: float = 0,
        /,
        **words: str,
    ) -> Note:
        """Return a note.

        Parameters
        ----------
        kind
            Its entry in ``notes.toml``.
        value
            Its amount, which adjusts its weight: moves to mate, pawns won.
        about
            Squares and subjects that it is about, beside those of its entry.
        bonus
            What is added to its weight beside that.
        words
            Further words for its wording.
        """
        entry = NOTES["kinds"][kind]
        filled = self.played.words | words
        filled |= {f"{key}_cap": capital(word) for key, word in filled.items()}
        sentence = choose_wording(entry["say"], self.played.key).format(**filled)
        weight = entry["weight"] + adjustment(entry, value) + bonus
        if self.bad:
            weight += entry.get("bad", 0)
        facts = (
            each for each in self.facts.facts if each.kind in entry.get("facts", ())
        )
        squares = (s if isinstance(s, str) else chess.square_name(s) for s in about)
        return Note(
            kind,
            self.them if entry.get("theirs") else self.us,
            capital(sentence),
            weight,
            tuple(facts),
            entry.get("decides", False),
            frozenset((*squares, *entry["about"])),
            value,
            move=filled["san"],
        )

    def stands(self) -> str:
        """Return who stands better after the move, in words: ``Black is slightly better``.

        Of a level endgame it is said that it should be drawn, and who has more all the same.
        """
        more = surplus(self.after, self.us)
        level = abs(self.verdict.centipawns_after) <= _DRAWN
        if not (level and self.played.is_endgame and more.gain):
            return self.leader(self.verdict.standing)
        ahead = side_name(self.us if more.gain > 0 else self.them)
        has = f"has {more.stuff}" if more.won and more.lost else f"is {more.stuff} up"
        return f"the game should be drawn, although {ahead} {has}"

    def told(self, board: chess.Board, line: Sequence[str], score: PovScore) -> str:
        """Return a line in which its first move fails, to its end, and what it comes to.

        ``34. Qh8#``, or ``after 29...Bxd5 30. Re8+ Rxe8 31. Qxd6 White has won a queen``. What
        the side that begins wins is no reason.
        """
        shown = told_to_the_end(board, line)
        if shown.endswith("#"):
            return shown
        if replay(board, line, self.us)[-1].is_stalemate():
            return f"{shown} is stalemate"
        outcome = self.outcome(board, line, score)
        comes_to = self.leader(standing(score, self.us))
        winner = self.us if outcome.gain > 0 else self.them
        if outcome.gain and winner != board.turn:
            verb = "has" if outcome.new else "has won"
            comes_to = f"{side_name(winner)} {verb} {outcome.stuff}"
        return f"after {shown} {comes_to}"

    def mates_in(self, score: PovScore) -> int:
        """Return the moves in which the mover mates; negative if it is mated, 0 without a mate."""
        return score.pov(self.us).mate() or 0

    def leader(self, stands: Standing, verb: str = "is ") -> str:
        """Return a standing of the mover in words."""
        if stands == "equal":
            return f"the game {verb}level"
        other = stands.replace("worse", "better").replace("losing", "winning")
        return f"{side_name(self.us if other == stands else self.them)} {verb}{other}"


def both(purposes: Sequence[Purpose]) -> str:
    """Join the clauses of two purposes; the first stands alone if one holds an *and* already."""
    clauses = [each.clause for each in purposes[:2]]
    full = any(" and " in each or "," in each for each in clauses)
    return clauses[0] if full else " and ".join(clauses)
