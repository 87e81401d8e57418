"""What a ranking is worth by the number of moves it was trained on: the learning curve.

    python -m chessgloss.change_curve

Every model of the curve is trained until validation games say that it has learned what its
moves can teach it, by one rule for both sources of features (:class:`Stopping`), so that a
source is not held to be worse because it learns in more steps. Committed are, for each model,
the first five terms that it names on each test move (``curve.safetensors``), and what it
reached on validation games after every pass (``curve.json``). From the five follow nDCG@5 and
precision@5. Test games are ranked here and never labelled.

The same command trains both models on the very moves that the chapter on prioritisation fits
its linear methods on, for a comparison at equal data, and fits the published support vector
machines to as many positions as the paper had (``nnue-svm-tails.safetensors``).
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import get_args

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from chessgloss.change_features import Source, SourceName, load_source
from chessgloss.change_model import ChangeModel, ChangeNetwork
from chessgloss.change_probes import SVM_C
from chessgloss.change_training import (
    ORACLE,
    Settings,
    ask_oracle,
    batches,
    judge,
    label_games,
    learn_from,
)
from chessgloss.changes import MoveSample, TermChanges, measure_changes, sample_moves
from chessgloss.concepts import ConceptVectors
from chessgloss.corpora.games import of_split, read_games
from chessgloss.experts import joined_activations, load_expert
from chessgloss.oracle import TERMS
from chessgloss.positions import Game
from chessgloss.prioritise import LAYERS
from chessgloss.probing import Labelled, fit_concepts
from chessgloss.profiles.prioritisation import Prioritisation, load_sizes
from chessgloss.ranking import TOP, top_columns
from chessgloss.store import Store, default_store

#: Training games of the curve's models.
GAMES = (60, 250, 1_000)

#: Training games that are labelled, and the validation games between them.
LABELLED_GAMES = 4_000

#: Positions that the CCC paper cut its tails from: 5 % of them are 10,000 a tail (its 3.1.1).
PAPER_POSITIONS = 200_000

#: Name of the arm that was trained on the chapter's own moves.
EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class Stopping:
    """When a run ends: one rule and one budget for every source and number of moves.

    Parameters
    ----------
    patience
        Passes without a better nDCG@5 on validation moves after which the learning rate
        falls, and the run goes on from the best weights so far.
    falls
        How often it falls; then the run ends, and the best weights are the model.
    factor
        What the rate is multiplied by when it falls.
    most
        Passes after which a run ends in any case.
    validation
        Validation moves, by lot, that all runs are judged on.
    """

    patience: int = 2
    falls: int = 2
    factor: float = 0.2
    most: int = 100
    validation: int = 10_000

    def __post_init__(self) -> None:
        if min(self.patience, self.most, self.validation) < 1 or not 0 < self.factor < 1:
            raise ValueError(f"counts must be positive and the factor below 1, got {self}")


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The committed curve: what each model names first on each test move.

    Parameters
    ----------
    about
        ``settings`` and ``stopping`` that all models share.
    points
        One record a model: ``name``, ``source``, ``games``, ``moves``, ``passes`` (until the
        best weights), ``ndcg`` and ``precision`` on validation moves, and ``log``.
    named
        Name of the model to uint8 ``(n, 5)``: columns of ``TERMS``, the first named first.
    moves
        uint64 ``(n,)``: :func:`key_of` each test move.
    """

    about: dict
    points: tuple[dict, ...]
    named: dict[str, NDArray[np.uint8]]
    moves: NDArray[np.uint64]

    def find(self, moves: MoveSample) -> NDArray[np.int64]:
        """Return where each move stands in this file, ``(m,)``; -1 for one that does not."""
        place = {key: row for row, key in enumerate(self.moves.tolist())}
        return np.array([place.get(key, -1) for key in keys_of(moves).tolist()], np.int64)

    def scores(self, name: str, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return scores that rank as the model does as far as it was kept, ``(m, 21)``.

        Parameters
        ----------
        name
            Of the model.
        rows
            Rows of this file, as :meth:`find` gives them; none of them -1.
        """
        if (rows < 0).any():
            raise ValueError(f"{(rows < 0).sum()} of {len(rows)} moves were never ranked")
        scores = np.zeros((len(rows), len(TERMS)))
        ranks = np.arange(TOP, 0, -1, dtype=float)[None, :].repeat(len(rows), axis=0)
        np.put_along_axis(scores, self.named[name][rows].astype(np.int64), ranks, axis=1)
        return scores

    @classmethod
    def load(cls, folder: Path) -> Curve:
        """Read ``curve.json`` and ``curve.safetensors`` of a folder."""
        about = json.loads((folder / "curve.json").read_text("utf-8"))
        named = load_file(folder / "curve.safetensors")
        moves = named.pop("moves")
        return cls(about, tuple(about.pop("points")), named, moves)


def keys_of(moves: MoveSample) -> NDArray[np.uint64]:
    """Return a number for each move that depends on the positions around it alone."""
    pairs = zip(moves.before, moves.after, strict=True)
    digests = (hashlib.blake2b("|".join(pair).encode(), digest_size=8).digest() for pair in pairs)
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def train_to_optimum(
    source: Source,
    training: TermChanges,
    validation: TermChanges,
    settings: Settings,
    stopping: Stopping,
) -> tuple[ChangeModel, list[dict[str, float]]]:
    """Train until validation moves say stop; return the best model and a row for each pass.

    Parameters
    ----------
    source
        Where the features come from; positions are read once.
    training, validation
        Moves of different games.
    settings
        Sizes, batch, first rate, decay and seed; its number of epochs is not used.
    stopping
        When to stop.
    """
    torch.manual_seed(settings.seed)
    spread = training.spread()
    network = ChangeNetwork(source.width, settings.hidden, settings.trunk)
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=settings.rate, weight_decay=settings.decay
    )
    model = ChangeModel(network, spread, {"source": source.name})
    moves = _ReadMoves(source, training, spread)
    log: list[dict[str, float]] = []
    best, kept, waited, falls = -1.0, network.state_dict(), 0, 0
    while len(log) < stopping.most and falls <= stopping.falls:
        random = np.random.default_rng([settings.seed, len(log)])
        losses = [
            learn_from(network, optimizer, *moves.batch(rows), settings.rank_weight)
            for rows in batches(random.permutation(len(training)), settings.batch)
        ]
        found = judge(model, source, validation)
        rate = optimizer.param_groups[0]["lr"]
        log.append({"rate": rate, "loss": round(float(np.mean(losses)), 4), **found})
        if found["ndcg"] > best:
            best, kept, waited = found["ndcg"], copy.deepcopy(network.state_dict()), 0
            continue
        waited += 1
        if waited == stopping.patience:
            waited, falls = 0, falls + 1
            network.load_state_dict(kept)
            optimizer.param_groups[0]["lr"] = rate * stopping.factor
    network.load_state_dict(kept)
    return model, log


class _ReadMoves:
    """Training moves whose positions were read once, each distinct one kept once."""

    def __init__(self, source: Source, moves: TermChanges, spread: NDArray[np.float32]) -> None:
        before, after, _ = moves.moves.fens()
        place = {fen: row for row, fen in enumerate(dict.fromkeys((*before, *after)))}
        self.source, self.positions = source, source.read(list(place))
        self.before, self.after = (
            np.array([place[fen] for fen in fens], np.int64) for fens in (before, after)
        )
        self.targets = torch.from_numpy(moves.changes / spread)

    def batch(self, rows: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return features and true changes of some moves."""
        around = (self.positions[one[rows]] for one in (self.before, self.after))
        return self.source.features(*around), self.targets[rows]


def write_curve(
    games: Sequence[Game],
    target: Path,
    settings: Settings,
    stopping: Stopping,
    sizes: Prioritisation,
    *,
    store: Store,
    counts: Sequence[int] = GAMES,
    sources: Sequence[str] = get_args(SourceName),
) -> Path:
    """Train every model of the curve, rank the test moves with it, and write both files.

    A model that the store holds is not trained again: a run that is killed goes on.
    """
    labelled = label_games(_first_games(games, LABELLED_GAMES), store)
    training, validation = labelled.part("train"), labelled.part("validation")
    some = np.random.default_rng(settings.seed).permutation(len(validation))
    validation = validation.take(some[: stopping.validation])
    parts = {EQUAL: chapter_moves(games, sizes, settings.seed)}
    parts |= {str(most): _of_first(training, most) for most in counts}
    held_out = of_split(games, "test")[: sizes.held_out_games]
    test = sample_moves(held_out, sizes.per_game, seed=settings.seed)
    points, named = [], {"moves": keys_of(test)}
    for label, part in parts.items():
        for name in sources:
            recipe = {
                "source": name, "training": part.moves.digest(), "test": test.digest(),
                "validation": validation.moves.digest(),
                "settings": asdict(settings), "stopping": asdict(stopping), "oracle": ORACLE,
            }  # fmt: skip
            train = partial(_train_point, name, part, validation, test, settings, stopping)
            kept = store.fetch("curve_point", recipe, train)
            log = kept["log"]
            best = max(range(len(log)), key=lambda row: log[row]["ndcg"])
            points.append({
                "name": f"{name}-{label}", "source": name,
                "games": len(np.unique(part.moves.games)), "moves": len(part),
                "passes": best + 1, "ndcg": log[best]["ndcg"],
                "precision": log[best]["precision"], "log": log,
            })  # fmt: skip
            named[points[-1]["name"]] = np.array(kept["named"])
    about = {"settings": asdict(settings), "stopping": asdict(stopping), "points": points}
    path = target / "curve.json"
    path.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    save_file(named, target / "curve.safetensors", {"oracle": ORACLE})
    return path


def chapter_moves(games: Sequence[Game], sizes: Prioritisation, seed: int) -> TermChanges:
    """Return the training moves of the chapter on prioritisation, labelled."""
    chosen = of_split(games, "train")[: sizes.fitted_games]
    return measure_changes(sample_moves(chosen, sizes.per_game, seed=seed), ask_oracle)


def write_tails(games: Sequence[Game], target: Path, seed: int, store: Store) -> Path:
    """Fit the published vectors to as many positions as the paper had, and write them."""
    moves = label_games(_first_games(games, LABELLED_GAMES), store).part("train")
    drawn = np.sort(np.random.default_rng(seed).permutation(len(moves))[:PAPER_POSITIONS])
    part = moves.take(drawn)
    features = joined_activations(load_expert("nnue"), part.moves.before, LAYERS)
    labelled = Labelled(TERMS, part.before, part.moves.games, part.moves.splits)
    fitted = fit_concepts(features, labelled, cs=(SVM_C,), seed=seed)
    tail = int(fitted.tails[0].positive.sum())
    about = {"expert": "nnue", "layer": LAYERS, "oracle": ORACLE, "positions": str(len(part)),
             "tail": str(tail)}  # fmt: skip
    vectors = fitted.vectors
    kept = ConceptVectors(vectors.names, vectors.weights, vectors.biases, about)
    return kept.save(target / "nnue-svm-tails.safetensors")


def _train_point(
    name: str,
    training: TermChanges,
    validation: TermChanges,
    test: MoveSample,
    settings: Settings,
    stopping: Stopping,
) -> dict:
    source = load_source(name)
    model, log = train_to_optimum(source, training, validation, settings, stopping)
    _, sizes = model.predict(source, test.before, test.after)
    return {"log": log, "named": top_columns(sizes).astype(np.uint8)}


def _first_games(games: Sequence[Game], training: int) -> list[Game]:
    """Return the games, test games left out, up to the last of so many training games."""
    known = [game for game in games if game.split != "test"]
    ends = [row for row, game in enumerate(known, start=1) if game.split == "train"]
    return known[: ends[min(training, len(ends)) - 1]]


def _of_first(moves: TermChanges, games: int) -> TermChanges:
    first = np.unique(moves.moves.games)[:games]
    return moves.take(np.flatnonzero(np.isin(moves.moves.games, first)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the committed files from the games; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m chessgloss.change_curve")
    parser.add_argument("--games", type=Path, default=Path("data/games/selfplay.tsv.zst"))
    parser.add_argument("--target", type=Path, default=Path("data/priority"))
    parser.add_argument("--seed", type=int, default=Settings().seed)
    given = parser.parse_args(arguments)
    games, store = list(read_games(given.games)), default_store()
    print(write_tails(games, given.target, given.seed, store))
    settings = Settings(seed=given.seed)
    print(write_curve(games, given.target, settings, Stopping(), load_sizes("book"), store=store))
    return 0


if __name__ == "__main__":
    sys.exit(main())
