"""Concept vectors whose labels are facts: fork, pin, doubled pawns, open file, mate in one.

The CCC paper (section 7) names such concepts and leaves them out for want of labels. Here
the labels are the predicates of :mod:`chessgloss.facts`, on self-play positions. Each
positive position is compared with a negative one of the same part of the games, with the
same side to move and the same number of men, so that a probe gains nothing from knowing the
phase of the game; a guess is right in half of the cases.
``python -m chessgloss.fact_training`` fits the vectors that ``data/concepts`` holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import chess
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from chessgloss.concepts import SOLVERS, ConceptVectors, Standard, Tails
from chessgloss.facts.board import doubled, heavy_pieces, open_files
from chessgloss.facts.tactics import forks, mates, pins
from chessgloss.positions import MoveInContext
from chessgloss.priorities import ConceptChange, concept_and_side
from chessgloss.probing import Fitted, Labelled

#: Layers that are read: those of the 21 terms' vectors.
LAYERS = "pairwise+clipped"

#: Label of a position in which a concept cannot be asked.
NOT_ASKED = -1

#: Positions labelled by one job.
_CHUNK = 2_000

#: A concept is noticed if its score changes sign and moves by at least so many margins.
NOTICED = 1.0

#: Values of C to choose from, on validation games.
CS = (1e-4, 3e-4, 1e-3)


def has_fork(board: chess.Board, colour: chess.Color) -> bool:
    """Whether a piece of ``colour`` forks and cannot itself be won by exchange."""
    return any(fork.safe for fork in forks(board, colour))


def has_pin(board: chess.Board, colour: chess.Color) -> bool:
    """Whether a piece of ``colour`` pins an enemy piece, to its king or to a dearer piece."""
    return bool(pins(board, colour))


def has_doubled_pawns(board: chess.Board, colour: chess.Color) -> bool:
    """Whether two pawns of ``colour`` share a file."""
    return bool(doubled(board, colour))


def has_open_file(board: chess.Board, colour: chess.Color) -> bool:
    """Whether a rook or queen of ``colour`` stands on a file without pawns."""
    return any(heavy_pieces(board, colour, file) for file in open_files(board))


def has_mate_in_one(board: chess.Board, colour: chess.Color) -> bool | None:
    """Whether ``colour`` can mate with its next move; ``None`` if it is not its turn."""
    return bool(mates(board, colour)) if board.turn == colour else None


#: What each concept asks of a board and a side.
PREDICATES: Mapping[str, Callable[[chess.Board, chess.Color], bool | None]] = {
    "fork": has_fork,
    "pin": has_pin,
    "doubled pawns": has_doubled_pawns,
    "open file": has_open_file,
    "mate in one": has_mate_in_one,
}

#: The concepts, White's before Black's: ``White fork``, ``Black fork``, ...
CONCEPTS = tuple(f"{side} {name}" for name in PREDICATES for side in ("White", "Black"))


@dataclass(frozen=True, slots=True, eq=False)
class FactLabels:
    """Positions with their concepts, their games and the parts the games belong to.

    Parameters
    ----------
    values
        Shape ``(n, 10)``, int8, columns as :data:`CONCEPTS`: 1 if the concept holds, 0 if
        not, :data:`NOT_ASKED` for mate in one on the opponent's turn.
    likeness
        Shape ``(n,)``: equal for positions with the same side to move and number of men.
    games, splits
        As in :class:`chessgloss.probing.Labelled`.
    """

    values: NDArray[np.int8]
    likeness: NDArray[np.int64]
    games: NDArray[np.int32]
    splits: NDArray[np.str_]

    def __post_init__(self) -> None:
        rows = len(self.games)
        shapes = (self.values.shape, self.likeness.shape, self.splits.shape)
        if shapes != ((rows, len(CONCEPTS)), (rows,), (rows,)):
            raise ValueError(f"need one row a position and {len(CONCEPTS)} columns, got {shapes}")

    def labelled(self) -> Labelled:
        """Return the labels as the probes' records have them; a split by row raises."""
        return Labelled(CONCEPTS, self.values.astype(np.float32), self.games, self.splits)

    def take(self, rows: NDArray[np.int64]) -> FactLabels:
        """Return some rows."""
        return replace(
            self,
            values=self.values[rows],
            likeness=self.likeness[rows],
            games=self.games[rows],
            splits=self.splits[rows],
        )


def label_facts(fens: Sequence[str], *, jobs: int = 2) -> NDArray[np.int8]:
    """Ask every concept of every position: int8 ``(n, 10)``, columns as :data:`CONCEPTS`."""
    chunks = (fens[at : at + _CHUNK] for at in range(0, len(fens), _CHUNK))
    found = Parallel(n_jobs=jobs)(delayed(_label)(chunk) for chunk in chunks)
    return np.concatenate([np.empty((0, len(CONCEPTS)), np.int8), *found])


def notice(
    before: NDArray[np.float32], after: NDArray[np.float32], turn: chess.Color
) -> tuple[ConceptChange, ...]:
    """Return the concepts that a move seems to bring about or to end, the clearest first.

    A score above zero says that the concept is seen. A concept is noticed if its score
    changes sign and by at least :data:`NOTICED`. Mate in one is asked of the side to move
    after the move alone, and is noticed if it is seen.

    Parameters
    ----------
    before, after
        Scores of the position before and after the move, ``(10,)``, in margins.
    turn
        The side to move after the move.

    Returns
    -------
    tuple of ConceptChange
        ``change`` is in margins: these vectors' changes have no spread of their own.
    """
    found = []
    for name, first, last in zip(CONCEPTS, before.tolist(), after.tolist(), strict=True):
        concept, side = concept_and_side(name)
        if concept == "mate in one":
            first = min(first, 0.0)
            clear = (side == "White") == turn and last >= NOTICED
        else:
            clear = (first > 0) != (last > 0) and abs(last - first) >= NOTICED
        if clear:
            found.append(ConceptChange(concept, side, first, last, last - first, 1))
    found.sort(key=lambda one: -abs(one.change))
    return tuple(replace(one, rank=rank) for rank, one in enumerate(found, start=1))


def really(move: MoveInContext, one: ConceptChange) -> bool:
    """Return whether the board says of a noticed concept what the expert says.

    That is: it holds after the move and did not hold before it, or the other way round. Mate
    in one is asked after the move alone.
    """
    holds, colour = PREDICATES[one.concept], one.side == "White"
    before, after = (bool(holds(each.board(), colour)) for each in (move.position, move.after()))
    return after == (one.change > 0) and (one.concept == "mate in one" or before != after)


def likeness_of(fens: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for side to move and number of men together, ``(n,)``."""
    men = (sum(map(str.isalpha, fen.split(" ", 1)[0])) for fen in fens)
    return np.array([2 * n + (" w " in fen) for n, fen in zip(men, fens, strict=True)], np.int64)


def choose_rows(labels: FactLabels, *, most: int, seed: int) -> list[Tails]:
    """Choose for each concept the positions that it is fitted and tested on.

    Each positive meets a negative by lot of the same part and likeness, taken once; a
    positive that finds none is left out.

    Parameters
    ----------
    most
        Most positives of a concept, over all parts.
    seed
        Seed of the lots.

    Returns
    -------
    list of Tails
        One a concept, as many positive as negative rows in each part.

    Raises
    ------
    ValueError
        If a concept has no pair in one of the three parts.
    """
    parts, inverse = np.unique(labels.splits, return_inverse=True)
    strata = labels.likeness * len(parts) + inverse
    found = []
    for name, values in zip(CONCEPTS, labels.values.T, strict=True):
        pairs = _pairs(values, strata, most, seed)
        missing = {"train", "validation", "test"} - set(labels.splits[pairs[:, 0]].tolist())
        if missing:
            raise ValueError(f"no pair of positions for {name!r} in {min(missing)}; take more")
        rows = pairs.ravel()
        order = np.argsort(rows)
        found.append(Tails(rows[order], values[rows[order]] == 1, (1, 1), (0, 0)))
    return found


def renumber(tails: Sequence[Tails], rows: NDArray[np.int64]) -> list[Tails]:
    """Return the choices with row numbers that count within ``rows`` (ascending)."""
    return [replace(one, rows=np.searchsorted(rows, one.rows)) for one in tails]


def fit_facts(
    features: NDArray,
    labels: FactLabels,
    choices: Sequence[Tails],
    *,
    seed: int,
    cs: Sequence[float] = CS,
    jobs: int = 2,
    shuffle: bool = False,
    solver: str = "svm",
) -> Fitted:
    """Fit a vector for each concept on training games, with C chosen on validation games.

    Parameters
    ----------
    features
        Shape ``(n, d)``: activations of the labelled positions.
    choices
        From :func:`choose_rows`.
    cs, seed, jobs, solver, shuffle
        As for :func:`chessgloss.probing.fit_concepts`.
    """
    train = np.flatnonzero(labels.splits == "train")
    some = train[:: max(1, len(train) // 20_000)]
    standard = Standard.of(np.asarray(features[some], np.float32))
    fits = Parallel(n_jobs=jobs)(
        delayed(_fit)(
            *_part(features, labels, one, "train", standard, seed if shuffle else None),
            *_part(features, labels, one, "validation", standard, None),
            cs=cs,
            seed=seed,
            solver=solver,
        )
        for one in choices
    )
    folded = [standard.fold(weights, bias) for weights, bias, _ in fits]
    weights, biases = (np.array(each, np.float32) for each in zip(*folded, strict=True))
    vectors = ConceptVectors(CONCEPTS, weights, biases, {})
    return Fitted(vectors, tuple(choices), tuple(c for _, _, c in fits))


def _label(fens: Sequence[str]) -> NDArray[np.int8]:
    rows = []
    for fen in fens:
        board = chess.Board(fen)
        answers = [
            ask(board, colour)
            for ask in PREDICATES.values()
            for colour in (chess.WHITE, chess.BLACK)
        ]
        rows.append([NOT_ASKED if answer is None else int(answer) for answer in answers])
    return np.array(rows, np.int8)


def _pairs(
    values: NDArray[np.int8], strata: NDArray[np.int64], most: int, seed: int
) -> NDArray[np.int64]:
    """Return ``(pairs, 2)`` rows, positive and negative, of equal strata."""
    lot = np.random.default_rng(seed).permutation(len(values))
    positive, negative = (lot[values[lot] == label] for label in (1, 0))
    free: dict[int, list[int]] = {}
    for row in negative.tolist():
        free.setdefault(int(strata[row]), []).append(row)
    pairs: list[tuple[int, int]] = []
    for row in positive.tolist():
        if len(pairs) < most and (same := free.get(int(strata[row]))):
            pairs.append((row, same.pop()))
    return np.array(pairs, np.int64).reshape(-1, 2)


def _part(
    features: NDArray,
    labels: FactLabels,
    choice: Tails,
    part: str,
    standard: Standard,
    shuffled: int | None,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return standardised rows of one part and their labels, shuffled if a seed is given."""
    here = labels.splits[choice.rows] == part
    rows = standard.apply(np.asarray(features[choice.rows[here]], np.float32))
    positive = choice.positive[here]
    if shuffled is not None:
        positive = np.random.default_rng(shuffled).permutation(positive)
    return rows, positive


def _fit(
    rows: NDArray[np.float32],
    positive: NDArray[np.bool_],
    unseen: NDArray[np.float32],
    truth: NDArray[np.bool_],
    *,
    cs: Sequence[float],
    seed: int,
    solver: str,
) -> tuple[NDArray, float, float]:
    fits = {c: SOLVERS[solver](rows, positive, c=c, seed=seed) for c in cs}

    def share_right(c: float) -> float:
        weights, bias = fits[c]
        return float(((unseen @ weights + bias > 0) == truth).mean())

    best = max(cs, key=share_right)
    return (*fits[best], best)
