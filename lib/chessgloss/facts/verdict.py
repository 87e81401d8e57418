"""What an engine says of a move, weighed from its analyses before and after it.

All values are seen by the side that moves. What a reader is told of a move, its class
(:func:`judge`), glyph and the standing of the game (:func:`standing`), comes from one number: the
chance to win on Lichess's curve (:func:`chessgloss.scores.win_chance`). The static-position plan's
classes by centipawns (:func:`mistake_class`) are for its own tables.

Centipawns follow that plan: mate in n moves counts as 10,000 - n, being mated in n as
-10,000 + n. ``win_before`` and ``win_after`` come from Stockfish 15.1's own win-rate model
(:func:`chessgloss.scores.win_probability`), which the rubric's feature context shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import chess
import chess.engine
from chess import Board, Color

from chessgloss.positions import MoveInContext, Position
from chessgloss.predicates.tactics import exchange
from chessgloss.scores import (
    MATES_FROM,
    Analysis,
    Line,
    by_the_rules,
    centipawns,
    read_centipawns,
    score_of,
    win_chance,
    win_probability,
)

Judgement = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
Standing = Literal[
    "winning",
    "clearly better",
    "slightly better",
    "equal",
    "slightly worse",
    "clearly worse",
    "losing",
]
MistakeClass = Literal["Excellent", "Good", "Inaccuracy", "Mistake", "Blunder"]

#: Chance to win that a move of the class gives away at least. Source: lila, ``CpAdvice``: 0.1, 0.2
#: and 0.3 of "winning chances", which go from -1 to 1.
JUDGEMENT_BOUNDS: dict[Judgement, float] = {
    "blunder": 0.15,
    "mistake": 0.1,
    "inaccuracy": 0.05,
}

#: Centipawns that are kept at least where a forced mate is let slip, or were lost already where
#: one is allowed; with fewer it is a blunder. Source: lila, ``MateAdvice``.
MATE_BOUNDS: Final[dict[Judgement, int]] = {"inaccuracy": 1_000, "mistake": 701}

GLYPHS: Final[dict[Judgement, str]] = {
    "inaccuracy": "?!",
    "mistake": "?",
    "blunder": "??",
}

#: Least chance to win of each standing: about 380, 170 and 55 centipawns, and their mirror
#: images. Our choice, after the four degrees of the Informator's signs.
STANDING_BOUNDS: Final[dict[Standing, float]] = {
    "winning": 0.80,
    "clearly better": 0.65,
    "slightly better": 0.55,
    "equal": 0.45,
    "slightly worse": 0.35,
    "clearly worse": 0.20,
    "losing": 0.00,
}

#: Standings of the side that is ahead.
AHEAD: Final = ("winning", "clearly better", "slightly better")

#: The plan's step 2.1: the most centipawns that a move of the class may lose; above, a Blunder.
CLASS_BOUNDS: Final[dict[MistakeClass, int]] = {
    "Excellent": 10,
    "Good": 30,
    "Inaccuracy": 60,
    "Mistake": 100,
}

#: Analyses positions with a number of nodes each, for as many lines (MultiPV).
Analyse: TypeAlias = Callable[[Sequence[Position], int, int], Sequence[Analysis]]

#: The analyses before and after each move, by its place.
Around: TypeAlias = dict[int, tuple[Analysis, Analysis]]

#: Nodes of a position in the first search around a move and in the longest.
LEAST_NODES, MOST_NODES = 100_000, 3_200_000

#: How far from every bound of a class the chance given away must be to be settled early.
MARGIN: Final = 0.02

#: Lines among which a move is ranked: the plan asks for five.
RANKED_LINES = 5


#: What a summary tells, in its order.
_SUMMARY: Final = (
    "engine",
    "nodes",
    "depth",
    "point_of_view",
    "centipawns_before",
    "centipawns_after",
    "mate_before",
    "mate_after",
    "win_before",
    "win_after",
    "loss",
    "judgement",
    "glyph",
    "win_chance_lost",
    "standing_before",
    "standing",
    "rank",
    "ranked",
    "best",
    "second",
    "second_centipawns",
    "best_line",
    "reply",
    "reply_line",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """An engine's verdict on a move, seen by the side that moves.

    Parameters
    ----------
    engine
        Name and version of the engine.
    nodes
        Nodes searched before and after the move, together.
    before, after
        Score of the position before the move (its best line) and after it (its own analysis).
    played
        Score of the played move, as it was compared with the best: its line in the analysis
        before the move if it has one there, else ``after``.
    win_before, win_after
        Chance of the mover to win, 0 to 1, from ``before`` and ``after``.
    loss
        Centipawns that the move loses against the best line; never negative.
    rank
        Place of the move among the best lines, 1 to 5; ``None`` if it is not among them.
    ranked
        Number of lines among which it was looked for.
    best
        The best move, UCI.
    second, second_centipawns
        The second-best move and its value; ``None`` if there is no second line.
    best_line
        The best line from the position before the move, UCI.
    reply
        The answer that the engine expects to the played move, UCI; ``None`` if the game is
        over or no line says.
    reply_line
        The engine's line from the position after the move, UCI; empty if the game is over.
    depth
        Plies searched before or after the move, the fewer of the two; 0 if not known.
    obvious
        Whether the move answers a check, or takes without losing material by exchange.
    """

    engine: str
    nodes: int
    before: chess.engine.PovScore
    after: chess.engine.PovScore
    played: chess.engine.PovScore
    win_before: float
    win_after: float
    loss: int
    rank: int | None
    ranked: int
    best: str
    second: str | None
    second_centipawns: int | None
    best_line: tuple[str, ...]
    reply: str | None
    reply_line: tuple[str, ...]
    depth: int = 0
    obvious: bool = False

    @property
    def mover(self) -> Color:
        """Side that moves, whose point of view this is."""
        return self.before.turn

    @property
    def win_chance_lost(self) -> float:
        """Chance to win, 0 to 1 on Lichess's curve, that the move gives away; never negative."""
        best, played = (
            centipawns(score, self.mover) for score in (self.before, self.played)
        )
        return max(0.0, win_chance(best) - win_chance(played))

    @property
    def judgement(self) -> Judgement:
        """Class of the move by the chance to win that it gives away (:func:`judge`)."""
        return judgement_of(self.before, self.played)

    @property
    def standing(self) -> Standing:
        """How the mover stands after the move."""
        return standing(self.after, self.mover)

    @property
    def standing_before(self) -> Standing:
        """How the mover stood before the move, with the best play."""
        return standing(self.before, self.mover)

    @property
    def glyph(self) -> str:
        """``?!``, ``?`` or ``??`` as :attr:`judgement` says, ``!``, or nothing.

        ``!`` is for the engine's first choice where its second would have been a mistake at
        least, if the move is not :attr:`obvious` and the game not lost even so.
        """
        if self.rank != 1 or self.second_centipawns is None or self.obvious:
            return GLYPHS.get(self.judgement, "")
        second = judgement_of(
            self.before, read_centipawns(self.second_centipawns, self.mover)
        )
        only = second in ("mistake", "blunder") and self.standing_before != "losing"
        return "!" if only else ""

    @property
    def mistake_class(self) -> MistakeClass:
        """Class of the move by its loss: the plan's Excellent to Blunder."""
        return mistake_class(self.loss)

    @property
    def centipawns_before(self) -> int:
        """Value before the move in centipawns."""
        return centipawns(self.before, self.mover)

    @property
    def centipawns_after(self) -> int:
        """Value after the move in centipawns."""
        return centipawns(self.after, self.mover)

    def summary(self) -> dict[str, object]:
        """Return the verdict as plain values, ready for JSON, seen by the side that moves."""
        before, after = (score.relative.mate() for score in (self.before, self.after))
        special: dict[str, object] = {
            "point_of_view": "White" if self.mover else "Black"
        }
        special |= {"mate_before": before, "mate_after": after}
        values = {k: special[k] if k in special else getattr(self, k) for k in _SUMMARY}
        return {
            k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()
        }


def standing(score: chess.engine.PovScore, pov: Color) -> Standing:
    """Return how ``pov`` stands at a score, in words, by :data:`STANDING_BOUNDS`."""
    chance = win_chance(centipawns(score, pov))
    return next(name for name, least in STANDING_BOUNDS.items() if chance >= least)


def judgement_of(
    best: chess.engine.PovScore, played: chess.engine.PovScore
) -> Judgement:
    """Return the class of a move by the chance to win that it gives away, as Lichess has it.

    A move that loses no centipawn is ``best``. A mate let slip or allowed has bounds of its own
    (:data:`MATE_BOUNDS`); one that is only slower or faster does not count. Where the mover is
    winning, or losing, with either move, none is an inaccuracy: this is ours.

    Parameters
    ----------
    best
        Score of the best line, with the mover's point of view.
    played
        Score of the move's own line.
    """
    most, kept = (centipawns(score, best.turn) for score in (best, played))
    if most <= kept:
        return "best"
    judgement: Judgement
    slipped = most >= MATES_FROM > kept
    allowed = kept <= -MATES_FROM < most
    if slipped or allowed:
        spare = kept if slipped else -most
        judgement = next(
            (name for name, low in MATE_BOUNDS.items() if spare >= low), "blunder"
        )
    else:
        lost = win_chance(most) - win_chance(kept)
        judgement = next(
            (name for name, low in JUDGEMENT_BOUNDS.items() if lost >= low), "good"
        )
    decided = (
        standing(best, best.turn)
        == standing(played, best.turn)
        in ("winning", "losing")
    )
    return "good" if judgement == "inaccuracy" and decided else judgement


def mistake_class(loss: float) -> MistakeClass:
    """Return the class of a move that loses ``loss`` centipawns (the plan's step 2.1).

    Excellent up to 10, Good up to 30, Inaccuracy up to 60, Mistake up to 100, above that
    Blunder.

    Raises
    ------
    ValueError
        If the loss is negative or no number.
    """
    if not loss >= 0:
        raise ValueError(f"a loss is at least 0 centipawns, got {loss}")
    return next(
        (name for name, bound in CLASS_BOUNDS.items() if loss <= bound), "Blunder"
    )


def weigh(move: MoveInContext, before: Analysis, after: Analysis) -> Verdict:
    """Weigh a move by what an engine says of the positions before and after it.

    Parameters
    ----------
    move
        The move.
    before
        Analysis of the position before it, with several lines (MultiPV) for a rank.
    after
        Analysis of the position after it, by the same engine; without lines if the game is
        over.

    Raises
    ------
    ValueError
        If an analysis is of another position or has no line though the game goes on, or they
        come from different engines.
    """
    for analysis, position in ((before, move.position), (after, move.after())):
        if analysis.position.fen != position.fen:
            raise ValueError(
                f"an analysis of {analysis.position.fen!r}, not of {position.fen!r}"
            )
        said = [line for line in analysis.lines[:1] if line.moves]
        if not said and any(Board(position.fen).legal_moves):
            raise ValueError(
                f"{analysis.engine} gave a score but no line (pv) for {position.fen!r}"
            )
    if before.engine != after.engine:
        raise ValueError(
            f"one engine must weigh a move, got {before.engine} and {after.engine}"
        )
    mover = move.mover
    board = Board(move.position.fen)
    ply = board.ply()
    captures = board.is_capture(move.move)
    lines = before.lines[:RANKED_LINES]
    rank = next(
        (n for n, line in enumerate(lines, 1) if line.moves[:1] == (move.uci,)), None
    )
    best = _seen_by(before.best.score, mover)
    end = _seen_by(score_of(after), mover)
    played = lines[rank - 1].score if rank else _a_move_earlier(end)
    second = lines[1] if len(lines) > 1 and lines[1].moves else None
    reply_line = after.lines[0].moves if after.lines else ()
    # Where the analysis after the move says no reply, its line before the move may.
    replies = reply_line[:1] or (
        lines[rank - 1].moves[1:2] if rank and after.lines else ()
    )
    return Verdict(
        engine=before.engine,
        nodes=before.nodes + after.nodes,
        before=best,
        after=end,
        played=played,
        win_before=win_probability(best, ply, mover),
        win_after=win_probability(end, ply + 1, mover),
        loss=max(0, centipawns(best, mover) - centipawns(played, mover)),
        rank=rank,
        ranked=len(lines),
        best=before.best.moves[0],
        second=second.moves[0] if second else None,
        second_centipawns=centipawns(second.score, mover) if second else None,
        best_line=before.best.moves,
        reply=replies[0] if replies else None,
        reply_line=reply_line,
        depth=min(
            analysis.best.depth for analysis in (before, after) if analysis.lines
        ),
        obvious=board.is_check() or (captures and exchange(board, move.move) >= 0),
    )


def search(
    moves: Sequence[MoveInContext],
    analyse: Analyse,
    nodes: tuple[int, int] = (LEAST_NODES, MOST_NODES),
) -> list[tuple[Analysis, Analysis]]:
    """Search the positions before and after moves until what is said of each move is stable.

    All nodes first go into one line, and every search has twice the nodes of the last. A move is
    settled when two running agree in its glyph and in how its side stood before it, both find the
    chance given away :data:`MARGIN` from every bound, and the searches before and after it differ
    in its value by less than an inaccuracy. Then one search of several lines, with a quarter of
    the most nodes, ranks the moves below those that are settled.

    Parameters
    ----------
    moves
        Moves, such as those of a game; positions with the same FEN are searched once.
    analyse
        Analyses positions with a number of nodes each, for so many lines, in their order.
    nodes
        Nodes of a position in the first search and in the longest; the same number twice for one
        search of several lines, and no other.

    Returns
    -------
    list of tuple
        For each move its analyses, before and after it (:func:`weigh`).
    """
    limit, most = nodes

    def around(numbers: Sequence[int], nodes: int, lines: int) -> Around:
        pairs = {
            number: (moves[number].position, moves[number].after())
            for number in numbers
        }
        asked = {each.fen: each for pair in pairs.values() for each in pair}
        searched = map(by_the_rules, analyse([*asked.values()], nodes, lines))
        found = dict(zip(asked, searched, strict=True))
        return {
            number: (found[at.fen], found[to.fen]) for number, (at, to) in pairs.items()
        }

    everything = range(len(moves))
    if limit == most:
        return [*around(everything, most, RANKED_LINES).values()]
    settled: Around = {}
    last: dict[int, tuple[str, Standing, bool]] = {}
    while unsettled := [number for number in everything if number not in settled]:
        for number, pair in around(unsettled, limit, 1).items():
            verdict = weigh(moves[number], *pair)
            before, after = (
                win_chance(centipawns(score, verdict.mover))
                for score in (verdict.played, verdict.after)
            )
            apart = abs(before - after) >= JUDGEMENT_BOUNDS["inaccuracy"]
            gap = min(
                abs(verdict.win_chance_lost - bound)
                for bound in JUDGEMENT_BOUNDS.values()
            )
            now = (
                GLYPHS.get(verdict.judgement, ""),
                verdict.standing_before,
                gap >= MARGIN,
            )
            if (last.get(number) == now and now[-1] and not apart) or 2 * limit > most:
                settled[number] = pair
            last[number] = now
        limit *= 2
    several = around(everything, most // 4, RANKED_LINES)
    return [_ranked(moves[each], settled[each], several[each]) for each in everything]


def _ranked(
    move: MoveInContext,
    settled: tuple[Analysis, Analysis],
    several: tuple[Analysis, Analysis],
) -> tuple[Analysis, Analysis]:
    """Return the settled analyses around a move, below their lines those of a search of several."""
    before, after = settled
    known = [before.best]
    if before.best.moves[0] != move.uci:
        score = _a_move_earlier(_seen_by(score_of(after), move.mover))
        reply, depth = (after.best.moves, after.best.depth) if after.lines else ((), 0)
        known.append(Line((move.uci, *reply), score, depth))
    return _joined(before, known, several[0]), _joined(
        after, after.lines[:1], several[1]
    )


def _joined(settled: Analysis, known: Sequence[Line], several: Analysis) -> Analysis:
    """Return an analysis with lines of another below its own, none worth more than the best."""
    lines = sorted(known, key=lambda line: line.score.relative, reverse=True)
    for line in several.lines:
        if line.moves[0] not in {own.moves[0] for own in known}:
            score = min(lines[0].score, line.score, key=lambda score: score.relative)
            lines.append(replace(line, score=score))
    lines.sort(key=lambda line: line.score.relative, reverse=True)
    return replace(settled, lines=tuple(lines), nodes=settled.nodes + several.nodes)


def _seen_by(score: chess.engine.PovScore, colour: Color) -> chess.engine.PovScore:
    return chess.engine.PovScore(score.pov(colour), colour)


def _a_move_earlier(score: chess.engine.PovScore) -> chess.engine.PovScore:
    """Return a score after a move as one before it: a mate that the mover gives is one further."""
    mate = score.relative.mate()
    if mate is None or not score.relative > chess.engine.Cp(0):
        return score
    return chess.engine.PovScore(chess.engine.Mate(mate + 1), score.turn)
