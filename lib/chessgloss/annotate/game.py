"""Annotate a game: analyse every position, weigh every move, comment on those that matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import chess
import chess.pgn

from chessgloss.annotate.moments import MomentRules, choose_moments, judge
from chessgloss.annotate.records import AnnotatedGame, Commentator, Note, Words
from chessgloss.commentary.briefings import Briefing
from chessgloss.engine import Analysis
from chessgloss.facts import Verdict, weigh
from chessgloss.positions import MoveInContext, Position
from chessgloss.priorities import ConceptChange

#: Analyses many positions at once, in their order.
AnalyseMany: TypeAlias = Callable[[Sequence[Position]], Sequence[Analysis]]
#: Ranks the concepts that a move changes, most changed first.
Concepts: TypeAlias = Callable[[MoveInContext], Sequence[ConceptChange]]

#: Plies of a better line that are shown.
LINE_PLIES = 8


@dataclass(frozen=True, slots=True)
class Annotator:
    """All that is needed to annotate a game; every part can be replaced.

    Parameters
    ----------
    analyse
        The engine: several lines each, of an empty hash table, so that nothing depends on
        the order.
    comment
        Writes a comment on a move from what is known of it.
    concepts
        Ranks the concepts that a move changes; ``None`` to do without.
    rules
        When a move is commented on.
    """

    analyse: AnalyseMany
    comment: Commentator
    concepts: Concepts | None = None
    rules: MomentRules = field(default_factory=MomentRules)

    def annotate(self, game: chess.pgn.Game) -> AnnotatedGame:
        """Return the game with a note on each move of its main line.

        Raises
        ------
        EngineFailed
            If the engine fails on a position.
        """
        moves = list(moves_of(game))
        analyses = self.analyse([*(move.position for move in moves), moves[-1].after()])
        verdicts = [
            weigh(move, before, after)
            for move, before, after in zip(moves, analyses, analyses[1:], strict=False)
        ]
        concepts = [tuple(self.concepts(move)) if self.concepts else () for move in moves]
        chosen = choose_moments(moves, verdicts, concepts, self.rules)
        words = {
            ply: self.comment(
                Briefing(
                    moves[ply].numbered_san,
                    moves[ply],
                    analyses[ply],
                    analyses[ply + 1],
                    concepts[ply],
                )
            )
            for ply in chosen
        }
        notes = tuple(
            _note(ply, move, verdict, after, words.get(ply))
            for ply, (move, verdict, after) in enumerate(
                zip(moves, verdicts, analyses[1:], strict=True)
            )
        )
        return AnnotatedGame(game, notes, _used(list(words.values()), analyses))


def moves_of(game: chess.pgn.Game) -> Iterator[MoveInContext]:
    """Yield the moves of the main line, each with as much history as can matter.

    The history of a position begins at the last capture or pawn move before it: no earlier
    position can come back.
    """
    board = game.board()
    root, history = board.fen(), list[str]()
    for move in game.mainline_moves():
        yield MoveInContext(Position(board.fen(), tuple(history), root), move.uci())
        final = board.is_irreversible(move)
        board.push(move)
        root, history = (board.fen(), []) if final else (root, [*history, move.uci()])


def _note(
    ply: int, move: MoveInContext, verdict: Verdict, after: Analysis, words: Words | None
) -> Note:
    shown = words is not None and verdict.mistake_class not in ("Excellent", "Good")
    return Note(
        ply,
        after.best.score if after.lines else None,
        judge(move, verdict),
        words.text if words else "",
        verdict.best_line[:LINE_PLIES] if shown else (),
        verdict.before if shown else None,
    )


def _used(words: Sequence[Words], analyses: Sequence[Analysis]) -> str:
    """Say in one line which methods and models wrote, and which engine judged."""
    writers = sorted({f"{one.method}, {one.model or 'no model'}" for one in words})
    nodes = max(analysis.nodes for analysis in analyses)
    said = "; ".join(writers) or "no move that asks for a comment"
    return f"{said}; {analyses[0].engine}, about {nodes:,} nodes a position"
