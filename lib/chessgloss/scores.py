"""What an engine says of a position, as records: scores, lines, and their words.

A score carries its point of view (:class:`chess.engine.PovScore`). Numbers are centipawns with
mate in n counted as 10,000 - n (:func:`centipawns`), :func:`win_chance` turns them into a chance
to win, and :func:`score_text` says a score in words. The terms of Stockfish's ``eval`` are read
one table at a time (:func:`read_terms`). Nothing here starts a process or needs more than
python-chess; who asks an engine is :mod:`chessgloss.engine`, or :mod:`chessgloss.oracle`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import chess
import chess.engine

from chessgloss.positions import Position, natural_end

#: Centipawns that stand for mate in 0 (the static-position plan's ``mate_score=10000``).
MATE = 10_000

#: From here on a number of centipawns is a distance to mate: no value of Stockfish 15.1 that is
#: none comes near (``VALUE_MATE_IN_MAX_PLY`` is 8,796 centipawns).
MATES_FROM = 9_000

#: Values are cut here before a loss is taken, so that "mate in 3 instead of mate in 2" or a
#: lost game losing more does not decide a mean. Convention of lichess.org (``lila``, module
#: ``analyse``: centipawns are capped at 1,000).
CAP = 1_000

#: Steepness of Lichess's curve from centipawns to the chance to win, fitted to its games.
#: Source: lila, ``WinPercent`` (https://lichess.org/page/accuracy).
WIN_STEEPNESS = 0.00368208


def centipawns(score: chess.engine.PovScore, pov: chess.Color) -> int:
    """Return a score in centipawns, seen by ``pov``; mate in n moves is :data:`MATE` - n."""
    return score.pov(pov).score(mate_score=MATE)


def read_centipawns(value: float, pov: chess.Color) -> chess.engine.PovScore:
    """Return the score that :func:`centipawns` turns into ``value``, seen by ``pov``.

    From :data:`MATES_FROM` on a value is a distance to mate.
    """
    if abs(value) < MATES_FROM:
        return chess.engine.PovScore(chess.engine.Cp(round(value)), pov)
    moves = MATE - abs(round(value))
    if not moves and value > 0:
        return chess.engine.PovScore(chess.engine.MateGiven, pov)
    return chess.engine.PovScore(chess.engine.Mate(moves if value > 0 else -moves), pov)


def win_probability(score: chess.engine.PovScore, ply: int, pov: chess.Color) -> float:
    """Return the chance, 0 to 1, that ``pov`` wins against an equal at long time control.

    Source: Stockfish 15.1's own win-rate model, fitted to its test games
    (``UCI::win_rate_model`` in its ``src/uci.cpp``), as python-chess carries it. ``ply``, the
    plies played since the start of the game, is its only sign of the phase.
    """
    return score.pov(pov).wdl(model="sf15.1", ply=ply).winning_chance()


def win_chance(value: float) -> float:
    """Return the chance to win, 0 to 1, at a value in centipawns, cut at 1,000 as Lichess does.

    Unlike :func:`win_probability` it is what players make of a value, and the same all game long.
    """
    cut = max(-CAP, min(CAP, value))
    return 1 / (1 + math.exp(-WIN_STEEPNESS * cut))


@dataclass(frozen=True, slots=True)
class ScoreWording:
    """How :func:`score_text` says a score: one format string for each case.

    They may name ``ahead`` (the side that is, ``White`` or ``Black``), ``lead`` (its pawns),
    ``cp`` and ``pawns`` (signed, for the point of view), ``moves`` (to mate), ``s`` (their
    plural) and ``verb`` (``mates`` or ``is mated``, for the point of view).

    Parameters
    ----------
    number
        Any score that is no mate.
    mate, mated
        Mate in some moves; mate on the board.
    level
        A score within :attr:`bound` of 0; :attr:`number` if not given.
    bound
        Centipawns up to which neither side is said to be ahead.
    """

    number: str = "{ahead} is ahead by {lead:.2f}"
    mate: str = "{ahead} mates in {moves}"
    mated: str = "{ahead} has given mate"
    level: str | None = "the position is level ({pawns:+.2f} for White)"
    bound: int = 20


def score_text(
    score: chess.engine.PovScore,
    wording: ScoreWording | None = None,
    pov: chess.Color = chess.WHITE,
) -> str:
    """Say a score in words: ``White is ahead by 1.20``, ``Black mates in 3``.

    Parameters
    ----------
    score
        The score.
    wording
        The words; those of :class:`ScoreWording` if not given.
    pov
        The side that sees the numbers.
    """
    wording = wording or ScoreWording()
    relative = score.pov(pov)
    cp = relative.score(mate_score=MATE)
    mate = relative.mate()
    if mate is not None:
        text = wording.mate if mate else wording.mated
    elif wording.level and abs(cp) <= wording.bound:
        text = wording.level
    else:
        text = wording.number
    return text.format(
        ahead="White" if (cp > 0) == pov else "Black",
        lead=abs(cp) / 100,
        cp=cp,
        pawns=cp / 100,
        moves=abs(mate or 0),
        s="" if mate in (1, -1) else "s",
        verb="mates" if cp > 0 else "is mated",
    )


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an engine's analysis.

    Parameters
    ----------
    moves
        Principal variation as UCI moves, best first.
    score
        Value of the line, with its point of view.
    depth
        Nominal depth reached, in plies.
    exact
        Whether the engine finished this line. If not, the score is only a bound on the line's
        value, and its moves are the one or two that were tried last.
    """

    moves: tuple[str, ...]
    score: chess.engine.PovScore
    depth: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Analysis:
    """What an engine says of a position, best line first.

    Parameters
    ----------
    position
        The position analysed.
    lines
        One line per MultiPV rank; never empty unless the game is over.
    nodes
        Nodes searched in all.
    engine
        Name and version as the engine gives them.
    """

    position: Position
    lines: tuple[Line, ...]
    nodes: int
    engine: str

    @property
    def best(self) -> Line:
        """The first line; :class:`ValueError` where there is none, as when the game is over."""
        if not self.lines:
            over = natural_end(self.position.board())
            why = "the game is over" if over else f"{self.engine} gave none"
            raise ValueError(f"no line to read: {why} in {self.position.fen!r}")
        return self.lines[0]


def read_lines(infos: Iterable[chess.engine.InfoDict]) -> tuple[Line, ...]:
    """Return the last exact line of each rank among all that an engine said in one search.

    A search that ends inside an aspiration window says last of all that a line is worth at least
    or at most something: a bound, after one or two moves. Score and moves are taken from the last
    information that is none. Where two ranks then begin with the same move, since one of them
    was bound while moves changed places, the lines are the last table without a bound.

    Parameters
    ----------
    infos
        Information in the order in which it was sent; that without a score or without moves is
        passed over.

    Returns
    -------
    tuple of Line
        By rank, best first. A rank of which only bounds were sent has the last of them, with
        :attr:`Line.exact` false.
    """
    exact: dict[int, Line] = {}
    bounds: dict[int, Line] = {}
    whole: dict[int, Line] = {}
    for info in infos:
        if "score" not in info or not info.get("pv"):
            continue
        bound = "lowerbound" in info or "upperbound" in info
        moves = tuple(move.uci() for move in info["pv"])
        line = Line(moves, info["score"], info.get("depth", 0), exact=not bound)
        table = bounds if bound else exact
        table[info.get("multipv", 1)] = line
        if len(exact) >= len(whole) and _begin_differently(exact.values()):
            whole = dict(exact)
    if not _begin_differently(exact.values()):
        exact = whole
    lines = {**bounds, **exact}
    return tuple(lines[rank] for rank in sorted(lines))


def _begin_differently(lines: Iterable[Line]) -> bool:
    beginnings = [line.moves[:1] for line in lines]
    return len(set(beginnings)) == len(beginnings)


def score_of(analysis: Analysis) -> chess.engine.PovScore:
    """Return the value of a position, seen by the side to move.

    It is the first line's score; in a finished game, mate or a draw as the rules say.
    """
    if analysis.lines:
        return analysis.best.score
    board = analysis.position.board()
    score = chess.engine.Mate(0) if board.is_checkmate() else chess.engine.Cp(0)
    return chess.engine.PovScore(score, board.turn)


def by_the_rules(analysis: Analysis) -> Analysis:
    """Return an analysis whose every line is worth 0 if the position is drawn by the rules.

    Engines put a small number to a position in which nobody can mate.
    """
    if not analysis.lines or natural_end(analysis.position.board()) is None:
        return analysis
    draw = chess.engine.PovScore(chess.engine.Cp(0), analysis.position.turn)
    lines = tuple(replace(line, score=draw) for line in analysis.lines)
    return replace(analysis, lines=lines)


class ScoredMove(NamedTuple):
    """The first move of a line of :meth:`Engine.search`.

    Parameters
    ----------
    move
        The move.
    centipawns
        Its value for the side that moves, as :func:`centipawns` counts.
    """

    move: chess.Move
    centipawns: int


# Terms of a classical evaluation, as Stockfish prints them


#: The terms, in the order and the spelling of the CCC paper's Table 6.
TERMS: tuple[str, ...] = (
    "Material",
    "Imbalance",
    "Pawns",
    "White Knights",
    "Black Knights",
    "White Bishop",
    "Black Bishop",
    "White Rooks",
    "Black Rooks",
    "White Queens",
    "Black Queens",
    "White Mobility",
    "Black Mobility",
    "White Kingsafety",
    "Black Kingsafety",
    "White Threats",
    "Black Threats",
    "White Space",
    "Black Space",
    "White Passedpawns",
    "Black Passedpawns",
)

_NUMBER = re.compile(r"-?\d+\.\d\d")


@dataclass(frozen=True, slots=True)
class TraceFormat:
    """How one version of Stockfish prints its table.

    Parameters
    ----------
    closing
        Text that occurs once a position, in the last line with a number.
    numbers
        Numbers printed a position, all with two decimals.
    knights
        Place of White's Knights (middlegame), where the rows of six begin: White, Black
        and total, MG and EG each, for knights, bishops, rooks, queens, mobility, king
        safety, threats, passed pawns, space. The total of Pawns comes right before it.
    total
        Place of the evaluation.
    lazy
        Whether this version stops early when material is decisive, and prints no table of a
        position in check.
    """

    closing: bytes
    numbers: int
    knights: int
    total: int
    lazy: bool

    @property
    def middlegame(self) -> list[int]:
        """Places of the middlegame values, in the order of :data:`TERMS`."""
        rows = (0, 1, 2, 3, 4, 5, 6, 8, 7)  # Table 6 has Space before Passed pawns
        sided = [self.knights + 6 * row + 2 * side for row in rows for side in (0, 1)]
        return [0, 2, self.knights - 2, *sided]


#: Stockfish 8: ``src/evaluate.cpp``, ``Eval::trace``, at tag sf_8.
STOCKFISH_8 = TraceFormat(b"Total Evaluation", 63, 6, 62, lazy=False)

#: Stockfish 15.1, classical: ``src/evaluate.cpp``, ``Eval::trace``, at tag sf_15.1. Its
#: total is the line `Classical evaluation`, before the damping by the fifty-move counter.
STOCKFISH_15 = TraceFormat(b"Final evaluation", 70, 10, 68, lazy=True)


def read_terms(table: str, trace: TraceFormat) -> dict[str, float]:
    """Read one table: each term's middlegame value in pawns, as printed for its own side.

    Whole batches are read by :func:`chessgloss.oracle.read_tables`.

    Parameters
    ----------
    table
        What the engine printed for ``eval``.
    trace
        The format of the table.

    Returns
    -------
    dict of str to float
        By the names of :data:`TERMS`, in their order; empty where the table is: an ending judged
        by a rule of its own.

    Raises
    ------
    ValueError
        If the table has not as many numbers as it should: the engine is another version.
    """
    numbers = [float(number) for number in _NUMBER.findall(table)]
    if len(numbers) != trace.numbers:
        raise ValueError(f"{len(numbers)} numbers in a table, not {trace.numbers}")
    places = trace.middlegame
    if not any(numbers[place] or numbers[place + 1] for place in places):
        return {}
    return {term: numbers[at] for term, at in zip(TERMS, places, strict=True)}
