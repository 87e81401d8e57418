"""Fit the concepts from facts, and say what they and their controls reach on test games.

Every position is labelled by programs (:mod:`chessgloss.concepts.facts`), each positive one is
paired with a negative one like it, and vectors are fitted to the network's activations. The
controls are the bare board, the network with random weights, and shuffled labels. The command
is ``data/priority/train.py facts``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from chessgloss.concepts import facts, fit, scores
from chessgloss.concepts.train import write_json
from chessgloss.concepts.vectors import LAYERS
from chessgloss.corpora.samples import PositionSample, sample_positions
from chessgloss.experts import joined_activations, load_expert
from chessgloss.positions import Game
from chessgloss.stats import Interval, bootstrap

#: Label of a position in which a concept cannot be asked.
NOT_ASKED = -1

#: Positions labelled by one job.
_LABEL_CHUNK = 2_000

#: Plies before the end at which a game that ends in mate is sampled for facts too. The last of
#: them (1) is a position with mate in one; the others give negatives from the same games.
FINAL_PLIES = (1, 3, 7)

#: Values of C for concepts from facts.
FACT_CS = (1e-4, 3e-4, 1e-3)


def sample_facts(games: Sequence[Game], per_game: int, *, seed: int) -> PositionSample:
    """Draw positions of games, and add some before the end of those that end in mate.

    Positions before a mate come after the drawn ones; one that was drawn is not repeated.
    """
    drawn = sample_positions(games, per_game, seed=seed)
    known = set(zip(drawn.games.tolist(), drawn.plies.tolist(), strict=True))
    fens = list(drawn.fens)
    rows = []
    for number, game in enumerate(games):
        if game.termination == "checkmate":
            of_game = game.fens()
            for ply in (len(game.moves) - back for back in FINAL_PLIES):
                if ply >= game.opening_plies and (number, ply) not in known:
                    rows.append((number, ply))
                    fens.append(of_game[ply])
    ends = np.array(rows, np.int32).reshape(-1, 2)
    numbers = np.append(drawn.games, ends[:, 0])
    plies = np.append(drawn.plies, ends[:, 1])
    return PositionSample(tuple(fens), numbers, plies)


def label_facts(fens: Sequence[str], *, jobs: int = 2) -> NDArray[np.int8]:
    """Ask every concept of every position: int8 ``(n, 10)``, columns as :data:`.facts.CONCEPTS`.

    1 if the concept holds, 0 if not, :data:`NOT_ASKED` for mate in one on the opponent's turn.
    """
    chunks = (fens[at : at + _LABEL_CHUNK] for at in range(0, len(fens), _LABEL_CHUNK))
    return np.concatenate(
        Parallel(n_jobs=jobs)(delayed(_label)(chunk) for chunk in chunks)
    )


def _label(fens: Sequence[str]) -> NDArray[np.int8]:
    boards = map(chess.Board, fens)
    answers = (
        [
            asks(board, colour)
            for asks in facts.PREDICATES.values()
            for colour in (True, False)
        ]
        for board in boards
    )
    return np.array(
        [[NOT_ASKED if holds is None else holds for holds in row] for row in answers],
        np.int8,
    )


def likeness_of(fens: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for side to move and number of men together, ``(n,)``."""
    men = (sum(map(str.isalpha, fen.split(" ", 1)[0])) for fen in fens)
    return np.array(
        [2 * n + (" w " in fen) for n, fen in zip(men, fens, strict=True)], np.int64
    )


def choose_rows(
    labelled: fit.Labelled, likeness: NDArray[np.int64], *, most: int, seed: int
) -> list[fit.Tails]:
    """Choose for each concept the positions that it is fitted and tested on.

    Each positive meets a random negative of the same part and likeness, taken once; a
    positive that finds none is left out.

    Parameters
    ----------
    labelled
        The positions with their labels, as :func:`label_facts` gives them.
    likeness
        Shape ``(n,)``, from :func:`likeness_of`.
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
    lot = np.random.default_rng(seed).permutation(len(labelled))
    keys = ["part", "likeness", "turn"]
    drawn = pd.DataFrame(
        {"row": lot, "part": labelled.splits[lot], "likeness": likeness[lot]}
    )
    chosen = []
    for name, values in zip(labelled.terms, labelled.values.T, strict=True):
        positive = drawn[values[lot] == 1]
        negative = drawn[values[lot] == 0][::-1]
        positive, negative = (
            rows.assign(turn=rows.groupby(keys[:2]).cumcount())
            for rows in (positive, negative)
        )
        pairs = positive.merge(negative, on=keys).head(most)
        if missing := {"train", "validation", "test"} - set(pairs["part"]):
            raise ValueError(
                f"no pair of positions for {name!r} in {min(missing)}; take more"
            )
        rows = np.sort(pairs[["row_x", "row_y"]].to_numpy().ravel())
        chosen.append(fit.Tails(rows, values[rows] == 1))
    return chosen


def fit_facts(
    games: Sequence[Game], *, seed: int, per_game: int = 4, most: int = 2_000
) -> tuple[fit.Fitted, dict]:
    """Fit the vectors from facts and their controls; return them and the scores of all.

    Parameters
    ----------
    games
        Self-play games.
    per_game
        Most positions of a game, besides those before a mate.
    most
        Most positives of a concept.
    """
    sample = sample_facts(games, per_game, seed=seed)
    names = facts.CONCEPTS
    values = label_facts(sample.fens)
    splits = np.array([game.split for game in games])[sample.games]
    labelled = fit.Labelled(names, values.astype(np.float32), sample.games, splits)
    likeness = likeness_of(sample.fens)
    tails = choose_rows(labelled, likeness, most=most, seed=seed)
    rows = np.unique(np.concatenate([its.rows for its in tails]))
    tails = [replace(its, rows=np.searchsorted(rows, its.rows)) for its in tails]
    chosen = labelled.take(rows)
    fens = [sample.fens[row] for row in rows]
    shuffled = load_expert("nnue", random_weights=seed)
    features = {
        "NNUE": joined_activations(load_expert("nnue"), fens, LAYERS),
        "bare board": joined_activations(load_expert("onehot"), fens, "board"),
        "random weights": joined_activations(shuffled, fens, LAYERS),
    }
    fit_on = partial(fit.fit_concepts, labelled=chosen, tails=tails, seed=seed)
    fits = {name: fit_on(seen, cs=FACT_CS) for name, seen in features.items()}
    chance = fit_on(features["NNUE"], cs=(1e-3,), shuffle=True)
    results = {
        name: scores.held_out(fits[name], features[name], chosen) for name in fits
    }
    results["shuffled labels"] = scores.held_out(chance, features["NNUE"], chosen)
    shares = np.nanmean(np.where(values == NOT_ASKED, np.nan, values), axis=0).round(4)
    return fits["NNUE"], {
        "positions": len(rows),
        "labelled": len(labelled),
        "share": dict(zip(names, shares.tolist(), strict=True)),
        "pairs": {
            name: int(its.positive.sum())
            for name, its in zip(names, tails, strict=True)
        },
        "c": dict(zip(names, fits["NNUE"].c, strict=True)),
        "test": summarise(results, seed=seed),
    }


def mean_auc(results: pd.DataFrame, *, seed: int, resamples: int = 200) -> Interval:
    """Return the mean area under the ROC curve over concepts, with an interval over games.

    Half is a guess. Each concept counts alike; whole games are drawn, as in :func:`accuracy`. A
    concept of which a resample holds one kind alone is left out of it.
    """
    codes = results["concept"].factorize()[0]

    def area(rows: NDArray[np.float64]) -> float:
        concepts = (rows[rows[:, 0] == code] for code in np.unique(rows[:, 0]))
        areas = [
            roc_auc_score(*each[:, 1:].T) for each in concepts if np.ptp(each[:, 1])
        ]
        return float(np.mean(areas)) if areas else np.nan

    values = np.column_stack([codes, results["positive"], results["score"]])
    return bootstrap(values, area, results["game"], seed=seed, resamples=resamples)


def summarise(results: Mapping[str, pd.DataFrame], *, seed: int) -> dict[str, Any]:
    """Return accuracy and AUC of each probe and concept on test games, and their means.

    The gain is the accuracy of the first probe less that of each other, on the same rows.
    """
    first, *others = results
    answer: dict[str, Any] = {}
    for name, table in results.items():
        tables = {"mean": table, **dict(iter(table.groupby("concept", sort=False)))}
        answer[name] = {
            concept: {
                "accuracy": scores.accuracy(rows, seed=seed),
                "auc": mean_auc(rows, seed=seed),
            }
            for concept, rows in tables.items()
        }
    for name in others:
        answer[name]["gain"] = scores.accuracy(
            results[first], minus=results[name], seed=seed
        )
    return answer


def write_facts(games: Sequence[Game], target: Path, *, seed: int) -> Path:
    """Fit the vectors from facts; write them and the scores of them and their controls."""
    fitted, report = fit_facts(games, seed=seed)
    write_json(target / "facts-nnue.json", {"games": len(games), **report})
    about = {
        "expert": "nnue",
        "layer": LAYERS,
        "labels": "facts 1",
        "seed": str(seed),
    }
    return replace(fitted.vectors, about=about).save(target / "facts-nnue.safetensors")
