"""What can be had without any model of the history: the ground under every model's number.

Two kinds. An *even draw* among the legal moves knows the rules and the board, and nothing of
play: its perplexity is the exponential of the mean logarithm of the number of legal moves. The
others answer the questions of :mod:`chessgloss.tracking.probes` from counts over training
games, and know at most one fact of the game at hand:

- ``start``: where moves from this square went most often;
- ``came_from``: the same, of pieces that had come to it from the same square (or not moved yet);
- ``type``: the same as ``start``, of pieces of the type asked about;
- ``start_type``: from where pieces of this type and side moved most often (Start tasks);
- ``last``: where a piece of this type and side went last (Start tasks).

A model that is told the types of all moves (AP) is measured by ``type`` and ``last``, all others
by ``came_from`` and ``start_type``. A model below its baseline has shown nothing that these do
not have, and a difference between two such models is not a finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess
import numpy as np
from numpy.typing import NDArray

from chessgloss.stats import Interval, Paired
from chessgloss.tracking.perplexities import (
    Losses,
    change_of_perplexity,
    compare_perplexities,
    first_games,
    read_losses,
    read_perplexities,
)
from chessgloss.tracking.probes import END_TASKS, Instance, select
from chessgloss.tracking.tokens import (
    PIECES,
    SQUARES,
    VOCABULARY_SIZE,
    Places,
    TokenGames,
    tokenise,
)

#: Rows of the tables.
EVEN_DRAW = "Even draw among legal moves"
END_BASELINES = {
    "start": "Counts: start square",
    "came_from": "Counts: start, came from",
    "type": "Counts: start, type",
}
START_BASELINES = {"start_type": "Counts: type", "last": "Where the type went last"}

#: Ply from which moves are counted, by band: what is moved in an opening says little later on.
COUNTED_FROM = {"short": 0, "long": 40}

#: What stands behind a number that does not beat its baseline.
MARK = "†"
MARKED = f"{MARK} does not beat its baseline: no finding"

#: Origin of a piece that has not moved.
_UNMOVED = 64
_TYPES = 6
_KING = PIECES + chess.KING - chess.PAWN


@dataclass(frozen=True, slots=True)
class Judged:
    """A number beside its baseline; as text it carries :data:`MARK` unless it is better.

    Parameters
    ----------
    value
        The number, or the difference of two.
    above
        Whether it beats its baseline; of a difference, whether both numbers do.
    """

    value: Interval | Paired
    above: bool

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec}}" + ("" if self.above else f" {MARK}")

    def __str__(self) -> str:
        return format(self, ".1f")


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Moves of games, one a row, all arrays ``(n,)`` int64.

    Parameters
    ----------
    left, reached
        Squares, 0 to 63.
    came_from
        Square from which the piece had come to ``left``, 64 if it had not moved.
    types
        Type of the piece, 0 (pawn) to 5 (king).
    plies
        Plies played before.
    """

    left: Places
    reached: Places
    came_from: Places
    types: Places
    plies: Places


def list_moves(games: TokenGames, selected: Places) -> Moves:
    """Return the moves of some games, with where each piece had come from."""
    rows = [_follow(games, int(game))[0] for game in selected]
    return Moves(*np.concatenate(rows or [np.zeros((5, 0), dtype=np.int64)], axis=1))


def even_draw(games: TokenGames, selected: Places) -> Losses:
    """Return what each game costs who draws evenly among the legal moves: sums of ``ln`` of them.

    The pieces that a pawn may become count as moves of their own, as they do for a model.
    """
    nats = np.zeros(len(selected))
    for row, game in enumerate(selected):
        board = chess.Board()
        for uci in games.ucis(int(game)):
            nats[row] += math.log(board.legal_moves.count())
            board.push(chess.Move.from_uci(uci))
    return Losses(nats, games.plies[selected].astype(np.int64))


def beats_even_draw(name: str, even: Losses, *, seed: int, folder: Path | None = None) -> bool:
    """Say whether a run foresees moves better than who draws evenly among the legal ones.

    Parameters
    ----------
    name
        The run.
    even
        What the first test games cost who draws (:func:`even_draw`).
    seed
        Of the draws of games. The run is better if the 95 % interval of the change of perplexity
        lies below 0.

    Raises
    ------
    FileNotFoundError, CheckpointError, ValueError
        As :func:`chessgloss.tracking.perplexities.read_losses`, and if these are other games.
    """
    losses = first_games(read_losses(name, folder), even.plies.size)
    return compare_perplexities(losses, even, seed=seed).high < 0


def judge_perplexities(
    names: Iterable[str], even: Losses, *, seed: int, folder: Path | None = None
) -> dict[str, Judged]:
    """Return the test perplexities of some runs by name, each beside an even draw's.

    Parameters
    ----------
    names
        The runs.
    even
        What the first test games cost who draws evenly (:func:`even_draw`).
    seed
        Of the draws of games.
    folder
        The folder of the runs' records; by default the project's.
    """
    return {
        name: Judged(value, beats_even_draw(name, even, seed=seed, folder=folder))
        for name, value in read_perplexities(names, seed=seed, folder=folder).items()
    }


def mark_plain(value: float, even: Interval) -> str:
    """Return a perplexity without interval as text, marked unless it is below the even draw's."""
    return f"{value:.1f}" + ("" if value < even.low else f" {MARK}")


def judge_change(
    first: str, second: str, known: Mapping[str, Judged], *, seed: int, folder: Path | None = None
) -> Judged:
    """Return by how many per cent one run changes another's perplexity on the test games.

    Parameters
    ----------
    first, second
        Names of the runs.
    known
        Their perplexities (:func:`judge_perplexities`): the change is above its baseline if
        both are.
    seed
        Of the draws of games.
    folder
        The folder of the runs' records; by default the project's.
    """
    change = change_of_perplexity(first, second, seed=seed, folder=folder)
    return Judged(change, known[first].above and known[second].above)


def only_if_above(said: Mapping[str, Sequence[Judged | None]], otherwise: str) -> str:
    """Return the sentences that the numbers allow, joined; ``otherwise`` if there is none.

    Parameters
    ----------
    said
        A sentence, and the numbers that it concludes from: all must be there and beat their
        baselines.
    otherwise
        What is said when no sentence is left.
    """
    kept = [
        sentence
        for sentence, numbers in said.items()
        if all(one is not None and one.above for one in numbers)
    ]
    return " ".join(kept) or otherwise


def answer_by_counts(moves: Moves, instances: Sequence[Instance], given: str) -> NDArray:
    """Return a baseline's scores of all tokens for questions of one task and band, ``(n, 77)``.

    Parameters
    ----------
    moves
        The training games' (:func:`list_moves`).
    instances
        The questions.
    given
        A name of :data:`END_BASELINES` or :data:`START_BASELINES`. What was counted equally
        often, or never, is ordered by the simpler baseline, ``start`` or ``start_type``.

    Raises
    ------
    ValueError
        If the questions are not of one task and band, or the task has no such baseline.
    """
    kinds = {(one.task, one.band) for one in instances}
    if len(kinds) != 1:
        raise ValueError("count for the questions of one task and band at a time")
    ((task, band),) = kinds
    if given not in baselines_of(task):
        raise ValueError(f"no baseline {given!r} of {task}: {', '.join(baselines_of(task))}")
    counted = moves.plies >= COUNTED_FROM[band]
    answer = _answer_end if task in END_TASKS else _answer_start
    scores = np.full((len(instances), VOCABULARY_SIZE), -1.0)
    scores[:, SQUARES:PIECES] = answer(moves, counted, instances, given)
    return scores


def share_on_own_pieces(moves: Moves, instances: Sequence[Instance]) -> NDArray[np.float64]:
    """Return what the counts of left squares, by side and band, give to own pieces; ``(n,)``.

    The baseline of :func:`chessgloss.tracking.evaluate.share_on_own_pieces`: which squares the
    side to move leaves at all, whatever was played.
    """
    counted = moves.plies >= COUNTED_FROM[instances[0].band]
    side = moves.plies % 2
    counts = _count(side[counted], moves.left[counted], 2)
    chances = counts / counts.sum(axis=1, keepdims=True)
    shares = np.empty(len(instances))
    for row, one in enumerate(instances):
        board = one.board()
        own = list(chess.SquareSet(board.occupied_co[board.turn]))
        shares[row] = chances[len(one.prefix) % 2, own].sum()
    return shares


def baselines_of(task: str) -> dict[str, str]:
    """Return the baselines of a task: names in keys to names of rows."""
    return END_BASELINES if task in END_TASKS else START_BASELINES


def baseline_of(task: str, model: str) -> str:
    """Return the baseline that a model (its name in keys) has to beat: what it is told decides."""
    told_types = model == "uci_ap"
    if task in END_TASKS:
        return "type" if told_types else "came_from"
    return "last" if told_types else "start_type"


@dataclass(frozen=True, slots=True, eq=False)
class Baselines:
    """The answers of all baselines to a chapter's questions, made when they are asked for.

    Parameters
    ----------
    moves
        Of the training games that are counted.
    instances
        The questions.
    """

    moves: Moves
    instances: Sequence[Instance]
    _kept: dict[tuple[str, str, str], NDArray] = field(default_factory=dict)

    def answers(self, given: str, task: str, band: str) -> NDArray:
        """Return a baseline's scores ``(n, 77)``, in the order of the task's questions."""
        key = (given, task, band)
        if key not in self._kept:
            asked = select(self.instances, task, band)
            self._kept[key] = answer_by_counts(self.moves, asked, given)
        return self._kept[key]

    def against(self, model: str, task: str, band: str) -> NDArray:
        """Return the answers of the baseline that a model has to beat."""
        return self.answers(baseline_of(task, model), task, band)


def enumerate_names(names: Iterable[str], none: str = "none") -> str:
    """Return names as a sentence lists them: ``a, b and c``."""
    listed = list(names)
    if len(listed) < 2:
        return listed[0] if listed else none
    return f"{', '.join(listed[:-1])} and {listed[-1]}"


def _answer_end(
    moves: Moves, counted: NDArray[np.bool_], instances: Sequence[Instance], given: str
) -> NDArray[np.float64]:
    left = np.array([one.prompt - SQUARES for one in instances])
    plain = _count(moves.left[counted], moves.reached[counted], 64)[left]
    if given == "start":
        return plain
    if given == "type":
        known, choices = moves.types, _TYPES
        asked = np.array([one.piece - PIECES for one in instances])
    else:
        known, choices = moves.came_from, _UNMOVED + 1
        games = tokenise(one.prefix for one in instances)
        asked = np.array([_follow(games, row)[1][left[row]] for row in range(len(instances))])
    keys = moves.left * choices + known
    counts = _count(keys[counted], moves.reached[counted], 64 * choices)
    return _break_ties(counts[left * choices + asked], plain)


def _answer_start(
    moves: Moves, counted: NDArray[np.bool_], instances: Sequence[Instance], given: str
) -> NDArray[np.float64]:
    keys = moves.types * 2 + moves.plies % 2
    asked = [2 * (one.piece - PIECES) + len(one.prefix) % 2 for one in instances]
    plain = _count(keys[counted], moves.left[counted], 2 * _TYPES)[asked]
    if given == "start_type":
        return plain
    games = tokenise(one.prefix for one in instances)
    latest = np.zeros_like(plain)
    for row, one in enumerate(instances):
        _, reached, _, types, plies = _follow(games, row)[0]
        own = (types == one.piece - PIECES) & (plies % 2 == len(one.prefix) % 2)
        np.maximum.at(latest[row], reached[own], plies[own] + 1)
    return _break_ties(latest, plain)


def _count(keys: Places, squares: Places, size: int) -> NDArray[np.float64]:
    """Count squares by key: ``(size, 64)``."""
    counts = np.bincount(keys * 64 + squares, minlength=size * 64)
    return counts.reshape(size, 64).astype(float)


def _break_ties(scores: NDArray, plain: NDArray) -> NDArray[np.float64]:
    """Order equals among whole scores by their part of the plain counts."""
    return scores + plain / (plain.sum(axis=1, keepdims=True) + 1)


def _follow(games: TokenGames, game: int) -> tuple[Places, list[int]]:
    """Return the moves of a game, ``(5, n)`` as in :class:`Moves`, and the last origins by square.

    A rook that castles has come from its corner.
    """
    first, last = games.game_moves[game : game + 2]
    at = games.move_starts[first:last]
    left, reached = (games.tokens[at + k].astype(np.int64) - SQUARES for k in (0, 1))
    pieces = games.pieces[first:last].astype(np.int64)
    origins, came_from = [_UNMOVED] * 64, []
    for start, end, piece in zip(left.tolist(), reached.tolist(), pieces.tolist(), strict=True):
        came_from.append(origins[start])
        origins[end], origins[start] = start, _UNMOVED
        if piece == _KING and abs(end - start) == 2:
            corner = start // 8 * 8 + (7 if end > start else 0)
            origins[(start + end) // 2], origins[corner] = corner, _UNMOVED
    plies = np.arange(len(came_from))
    known = np.array(came_from, dtype=np.int64)
    return np.stack([left, reached, known, pieces - PIECES, plies]), origins
