"""Fit and test the concept vectors from facts that ``data/concepts`` holds.

    python -m chessgloss.fact_training

Labels positions of self-play games (kept in the store), fits the vectors on training
games, chooses C on validation games, and writes what the vectors and their controls reach
on test games: the bare board, the network with random weights, shuffled labels.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from chessgloss.concepts import Tails
from chessgloss.corpora.games import read_games
from chessgloss.corpora.samples import PositionSample, sample_positions
from chessgloss.experts import joined_activations, load_expert
from chessgloss.fact_concepts import (
    CONCEPTS,
    LAYERS,
    FactLabels,
    choose_rows,
    fit_facts,
    label_facts,
    likeness_of,
    renumber,
)
from chessgloss.heldout import HeldOut, accuracy, held_out
from chessgloss.positions import Game
from chessgloss.probing import Fitted
from chessgloss.stats import Interval, cluster_weights, percentile_interval
from chessgloss.store import Store, default_store

#: Plies before the end at which a game that ends in mate is sampled too. The last of them
#: (1) is a position with mate in one; the others give negatives from the same games.
FINAL_PLIES = (1, 3, 7)

#: Name of the definitions behind the labels: part of the recipe under which they are kept.
DEFINITIONS = "facts 1"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the vectors are fitted on; the defaults are those of the committed ones.

    Parameters
    ----------
    games
        Self-play games read.
    per_game
        Most positions of a game, besides those before a mate.
    most
        Most positives of a concept.
    seed
        Of every lot and of the solver.
    """

    games: int = 10_000
    per_game: int = 4
    most: int = 2_000
    seed: int = 1

    def __post_init__(self) -> None:
        if min(self.games, self.per_game, self.most) < 1:
            raise ValueError(f"sizes must be positive, got {self}")


def sample_facts(games: Sequence[Game], per_game: int, *, seed: int) -> PositionSample:
    """Draw positions of games, and add some before the end of those that end in mate.

    Positions before a mate come after the drawn ones; one that was drawn is not repeated.
    """
    drawn = sample_positions(games, per_game, seed=seed)
    known = set(zip(drawn.games.tolist(), drawn.plies.tolist(), strict=True))
    fens, rows = list(drawn.fens), []
    for number, game in enumerate(games):
        if game.termination == "checkmate":
            found = game.fens()
            wanted = [len(game.moves) - back for back in FINAL_PLIES]
            new = [ply for ply in wanted if ply >= game.opening_plies]
            rows += [(number, ply) for ply in new if (number, ply) not in known]
            fens += [found[ply] for ply in new if (number, ply) not in known]
    ends = np.array(rows, np.int32).reshape(-1, 2)
    numbers, plies = np.append(drawn.games, ends[:, 0]), np.append(drawn.plies, ends[:, 1])
    return PositionSample(tuple(fens), numbers, plies)


def label_sample(sample: PositionSample, games: Sequence[Game], store: Store) -> FactLabels:
    """Return the labels of a sample; what the store holds is not asked again."""
    recipe = {"fens": sample.digest(), "definitions": DEFINITIONS, "concepts": list(CONCEPTS)}
    stored = store.fetch("fact-labels", recipe, lambda: {"values": label_facts(sample.fens)})
    splits = np.array([game.split for game in games])[sample.games]
    return FactLabels(stored["values"], likeness_of(sample.fens), sample.games, splits)


def auc(results: Sequence[HeldOut], *, seed: int, resamples: int = 200) -> Interval:
    """Return the mean area under the curve over concepts, with an interval over games.

    Half is a guess. Each concept counts alike; whole games are drawn, as in
    :func:`chessgloss.heldout.accuracy`.
    """
    games = np.unique(np.concatenate([one.games for one in results]))
    weights = cluster_weights(games.size, seed=seed, resamples=resamples)
    drawn = [_drawn_auc(one, weights[:, np.searchsorted(games, one.games)]) for one in results]
    value = float(np.mean([roc_auc_score(one.positive, one.scores) for one in results]))
    samples, count = np.mean(drawn, axis=0), sum(len(one.games) for one in results)
    return percentile_interval(value, samples, count, clusters=games.size, share=True)


def report(found: Mapping[str, Sequence[HeldOut]], *, seed: int) -> dict[str, Any]:
    """Return accuracy and AUC of each probe and concept on test games, and their means.

    The gain is the accuracy of the first probe less that of each other, on the same rows.
    """
    first, *others = found
    answer: dict[str, Any] = {}
    for name, results in found.items():
        rows = {one.concept: _numbers([one], seed) for one in results}
        answer[name] = {"mean": _numbers(results, seed), **rows}
    for name in others:
        gain = accuracy(found[first], minus=found[name], seed=seed)
        answer[name]["gain"] = _plain(gain)
    return answer


def train(settings: Settings, games: Sequence[Game], store: Store) -> tuple[Fitted, dict]:
    """Fit the vectors and their controls; return the vectors and what all of them reach."""
    seed = settings.seed
    sample = sample_facts(games, settings.per_game, seed=seed)
    labels = label_sample(sample, games, store)
    choices = choose_rows(labels, most=settings.most, seed=seed)
    rows = np.unique(np.concatenate([one.rows for one in choices]))
    chosen, tails = labels.take(rows), renumber(choices, rows)
    fens = [sample.fens[row] for row in rows]
    features = joined_activations(load_expert("nnue"), fens, LAYERS)
    fitted = fit_facts(features, chosen, tails, seed=seed)
    labelled = chosen.labelled()
    shuffled = fit_facts(features, chosen, tails, seed=seed, cs=(1e-3,), shuffle=True)
    found = {
        "NNUE": held_out(fitted, features, labelled),
        "shuffled labels": held_out(shuffled, features, labelled),
    }
    for name, control in _controls(fens, seed).items():
        fit = fit_facts(control, chosen, tails, seed=seed)
        found[name] = held_out(fit, control, labelled)
    about = {"positions": len(rows), "labelled": len(labels.games), **_shares(labels, tails)}
    return fitted, {**about, "c": dict(zip(CONCEPTS, fitted.c, strict=True)),
                    "test": report(found, seed=seed)}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit from the command line; return the exit status."""
    given = _parser().parse_args(arguments)
    settings = Settings(given.limit, seed=given.seed)
    games = list(read_games(given.games, settings.games))
    fitted, told = train(settings, games, default_store())
    about = {"expert": "nnue", "layer": LAYERS, "labels": DEFINITIONS, "seed": str(given.seed)}
    path = replace(fitted.vectors, about=about).save(given.target / "facts-nnue.safetensors")
    text = json.dumps({"games": len(games), **told}, indent=1) + "\n"
    path.with_suffix(".json").write_text(text, encoding="utf-8")
    print(json.dumps({name: one["mean"] for name, one in told["test"].items()}, indent=1))
    return 0


def _controls(fens: Sequence[str], seed: int) -> dict[str, NDArray]:
    random = load_expert("nnue", random_weights=seed)
    return {
        "bare board": joined_activations(load_expert("onehot"), fens, "board"),
        "random weights": joined_activations(random, fens, LAYERS),
    }


def _shares(labels: FactLabels, tails: Sequence[Tails]) -> dict[str, dict[str, float]]:
    """Return how often each concept holds where it is asked, and its number of pairs."""
    asked = [values[values >= 0] for values in labels.values.T]
    return {
        "share": {
            name: round(float(values.mean()), 4)
            for name, values in zip(CONCEPTS, asked, strict=True)
        },
        "pairs": {name: int(one.positive.sum()) for name, one in zip(CONCEPTS, tails, strict=True)},
    }


def _drawn_auc(one: HeldOut, weights: NDArray[np.int64]) -> NDArray[np.float64]:
    areas = np.full(len(weights), np.nan)
    for k, weight in enumerate(weights):
        if weight[one.positive].any() and weight[~one.positive].any():
            areas[k] = roc_auc_score(one.positive, one.scores, sample_weight=weight)
    return np.where(np.isnan(areas), np.nanmean(areas), areas)


def _numbers(results: Sequence[HeldOut], seed: int) -> dict[str, dict[str, float]]:
    return {
        "accuracy": _plain(accuracy(results, seed=seed)),
        "auc": _plain(auc(results, seed=seed)),
    }


def _plain(one: Interval) -> dict[str, float]:
    rounded = {name: round(getattr(one, name), 4) for name in ("value", "low", "high")}
    return {**rounded, "n": one.n}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m chessgloss.fact_training")
    parser.add_argument("--games", type=Path, default=Path("data/games/selfplay.tsv.zst"))
    parser.add_argument("--limit", type=int, default=Settings().games, help="games to read")
    parser.add_argument("--target", type=Path, default=Path("data/concepts"))
    parser.add_argument("--seed", type=int, default=Settings().seed)
    return parser


if __name__ == "__main__":
    sys.exit(main())
