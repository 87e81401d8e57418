"""Train the models and vectors that rank what a move changes, from the games alone.

:func:`write_model` labels every move of the training and validation games with Stockfish 8 (kept
in the store, a chunk of games at a time), trains a model of changes, and writes it with its log.
:func:`write_linear` fits the linear scores.

:func:`write_curve` trains models on fewer games, each until validation games say that it has
learned what its moves can teach it, by one rule for both sources of features (:class:`Stopping`),
so that a source is not held to be worse because it learns in more steps; and the same on the very
moves that the chapter on prioritisation fits its linear methods on. Kept are the first five terms
that each model names on each test move (``curve.safetensors``), and what it reached on validation
games after every pass (``curve.json``). :func:`write_tails` fits the published support vector
machines to as many positions as the paper had (``nnue-svm-tails.safetensors``). Test games are
ranked there and never labelled. ``data/priority/train.py`` is the command.
"""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from safetensors.numpy import save
from torch import nn
from tqdm import tqdm

from chessgloss.concepts import changes, fit, priority, scores
from chessgloss.concepts.vectors import LAYERS
from chessgloss.corpora.games import of_split
from chessgloss.experts import joined_activations, load_expert
from chessgloss.positions import Game
from chessgloss.stats import Interval
from chessgloss.store import default_store, write_file, write_tensors

#: Games labelled as one artefact: what a kill can cost.
CHUNK = 500

#: What the root of a size is multiplied by to be a logit of its share in the change.
SHARPNESS = 3.0

#: Validation moves, at random, that the committed models are judged on.
VALIDATION_MOVES = 20_000

#: Training games of the curve's models, and how many are labelled with the validation games
#: between them.
CURVE_GAMES = (60, 250, 1_000)
LABELLED_GAMES = 4_000

#: The chapter on prioritisation at profile ``book``: training games that its linear methods are
#: fitted on, test games, most moves of each.
FITTED_GAMES, TEST_GAMES, PER_GAME = 5_000, 1_500, 6

#: Positions that the CCC paper cut its tails from: 5 % of them are 10,000 a tail (its 3.1.1).
PAPER_POSITIONS = 200_000


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is trained; the defaults are those of the committed models.

    Parameters
    ----------
    hidden, trunk
        Units of the network's layers.
    epochs, batch
        Passes over the training moves, and moves a step.
    rate, decay
        Highest learning rate of the one-cycle schedule, and AdamW's weight decay.
    rank_weight
        Weight of the ranking's loss beside those of the changes and their sizes.
    seed
        Of the first weights and of the order of the moves.
    """

    hidden: int = 512
    trunk: int = 256
    epochs: int = 1
    batch: int = 512
    rate: float = 1e-3
    decay: float = 1e-2
    rank_weight: float = 0.1
    seed: int = 1


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
        Validation moves, at random, that all runs are judged on.
    """

    patience: int = 2
    falls: int = 2
    factor: float = 0.2
    most: int = 100
    validation: int = 10_000


class TwoViews(nn.Module):
    """A linear layer on two views that treats both sides alike.

    With ``s`` the sum and ``d`` the difference of the two views, one side's answer is
    ``P s + Q d`` and the other's ``P s - Q d``: exchanging the views exchanges the answers,
    at half the cost of applying one matrix to both orders.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.common = nn.Linear(width, hidden)
        self.difference = nn.Linear(width, hidden, bias=False)

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Map ``(n, 2, width)`` to ``(n, 2, hidden)``."""
        first, second = views.unbind(dim=1)
        common = self.common(first + second)
        difference = self.difference(first - second)
        return torch.stack([common + difference, common - difference], dim=1)


class ChangeNetwork(nn.Module):
    """Two views in, two numbers a term out: the signed root of its change, the root of its size.

    The second ranks: a term may be sure to change a lot in a direction that is hard to tell.
    Roots keep the rare large changes from drowning the rest.

    Parameters
    ----------
    width
        Features a view.
    hidden, trunk
        Units of the first layer and of the second.
    """

    def __init__(self, width: int, hidden: int = 512, trunk: int = 256) -> None:
        super().__init__()
        self.views = TwoViews(width, hidden)
        self.trunk = nn.Linear(hidden, trunk)
        self.heads = nn.Linear(trunk, 2 * priority.ANSWERS)

    def forward(self, views: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return signed roots of changes and roots of sizes, ``(n, 21)``, as in ``TERMS``."""
        hidden = torch.relu(self.views(views))
        answers = self.heads(torch.relu(self.trunk(hidden)))
        signed, size = answers.unflatten(-1, (2, priority.ANSWERS)).unbind(dim=2)
        return priority.by_term(signed, -1), priority.by_term(size, 1)

    def model(
        self, spread: NDArray[np.float32], about: Mapping[str, str]
    ) -> priority.ChangeModel:
        """Return the model that has these weights, now and while they are trained on."""
        weights = {name: each.numpy() for name, each in self.state_dict().items()}
        return priority.ChangeModel(weights, spread, about)


def loss_of(
    signed: torch.Tensor, size: torch.Tensor, changes: torch.Tensor, rank_weight: float
) -> torch.Tensor:
    """Return the loss of both answers of a :class:`ChangeNetwork`.

    Mean squared errors of the signed root and of the root of the size; and, for the ranking,
    the cross-entropy between the softmax of the sizes and each term's true share in the
    whole change (ListNet: Cao and others, 2007), zero for a move that changes nothing.

    Parameters
    ----------
    signed, size
        The answers, ``(n, 21)``.
    changes
        True changes in standard deviations, ``(n, 21)``.
    rank_weight
        Weight of the cross-entropy.
    """
    true_size = changes.abs()
    roots = true_size.sqrt()
    errors = (signed - roots * changes.sign()).square() + (size - roots).square()
    share = true_size / true_size.sum(dim=1, keepdim=True).clamp(min=1e-9)
    likelihood = torch.log_softmax(SHARPNESS * size, dim=1) * share
    return errors.mean() - rank_weight * likelihood.sum(dim=1).mean()


def train(
    source: priority.Source,
    training: changes.TermChanges,
    validation: changes.TermChanges,
    settings: Settings,
    stopping: Stopping | None = None,
) -> tuple[priority.ChangeModel, list[dict[str, float]]]:
    """Train a model; return it with the rate, the loss and the validation measures of each pass.

    Without a rule for stopping: ``settings.epochs`` passes under a one-cycle schedule, the last
    weights. With one: passes at a constant rate that falls as the rule says, the best weights.

    Parameters
    ----------
    source
        Where the features come from; each position is read once (4 KB of memory for NNUE).
    training, validation
        Moves of different games.
    """
    torch.manual_seed(settings.seed)
    spread = training.spread()
    size = min(settings.batch, len(training))
    network = ChangeNetwork(source.width, settings.hidden, settings.trunk)
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=settings.rate, weight_decay=settings.decay
    )
    schedule = None
    if stopping is None:
        steps = settings.epochs * (len(training) // size) + 1
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, settings.rate, total_steps=steps, pct_start=0.1
        )
    about = {"source": source.name, "settings": json.dumps(asdict(settings))}
    model = network.model(spread, about)
    fens, *sides = changes.distinct_positions(training.moves)
    positions = source.read(fens)
    targets = torch.from_numpy(training.changes / spread)
    log: list[dict[str, float]] = []
    best = -1.0
    kept = network.state_dict()
    waited = 0
    falls = 0
    while len(log) < (stopping.most if stopping else settings.epochs):
        order = np.random.default_rng([settings.seed, len(log)]).permutation(
            len(training)
        )
        rate = optimizer.param_groups[0]["lr"]
        losses = []
        for at in tqdm(range(0, len(order) - size + 1, size), disable=None):
            # What is left over at the end waits for the next pass.
            rows = order[at : at + size]
            features = torch.from_numpy(
                source.features(*(positions[side[rows]] for side in sides))
            )
            with torch.autocast("cpu", torch.bfloat16):
                signed, sizes = network(features)
            weight = settings.rank_weight
            loss = loss_of(signed.float(), sizes.float(), targets[rows], weight)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if schedule is not None:
                schedule.step()
        measures = measure_ranking(model, source, validation)
        log.append({"rate": rate, "loss": round(float(np.mean(losses)), 4), **measures})
        if stopping is None:
            continue
        waited += 1
        if measures["ndcg"] > best:
            best = measures["ndcg"]
            kept = copy.deepcopy(network.state_dict())
            waited = 0
        elif waited == stopping.patience:
            network.load_state_dict(kept)
            optimizer.param_groups[0]["lr"] = rate * stopping.factor
            waited = 0
            falls += 1
            if falls > stopping.falls:
                break
    if stopping is not None:
        network.load_state_dict(kept)
    return model, log


def measure_ranking(
    model: priority.ChangeModel, source: priority.Source, moves: changes.TermChanges
) -> dict[str, float]:
    """Return nDCG@5 and precision@5 of a model's ranking of the terms."""
    _, sizes = model.predict(source, *_around(moves.moves))
    truth = moves.changes / model.spread
    measures = {
        "ndcg": scores.ndcg(sizes, truth),
        "precision": scores.precision(sizes, truth),
    }
    return {
        name: round(float(np.nanmean(values)), 4) for name, values in measures.items()
    }


def _around(moves: pd.DataFrame) -> tuple[list[str], list[str]]:
    return moves["before"].tolist(), moves["after"].tolist()


def label_games(
    games: Sequence[Game], training: int | None = None
) -> changes.TermChanges:
    """Return every move of the games with its terms: of all, or up to so many training games.

    Test games are left out. Games are labelled a chunk at a time; chunks that the store holds
    are not labelled again.
    """
    games = [game for game in games if game.split != "test"]
    parts = []
    ends = [row for row, game in enumerate(games, start=1) if game.split == "train"]
    games = games[: ends[min(training, len(ends)) - 1]] if training else games
    for at in tqdm(range(0, len(games), CHUNK), desc="labels", unit="chunk"):
        moves = changes.sample_moves(games[at : at + CHUNK], None, seed=0)
        part = changes.measure_changes(moves, default_store())
        parts.append(
            replace(part, moves=part.moves.assign(game=part.moves["game"] + at))
        )
    return changes.TermChanges(
        pd.concat([part.moves for part in parts], ignore_index=True),
        np.concatenate([part.before for part in parts]),
        np.concatenate([part.after for part in parts]),
    )


def _some(moves: changes.TermChanges, count: int, seed: int) -> changes.TermChanges:
    return moves.take(np.random.default_rng(seed).permutation(len(moves))[:count])


def write_model(
    name: str,
    games: Sequence[Game],
    target: Path,
    settings: Settings,
    weights: Path | None = None,
) -> Path:
    """Label the games, train a model on a source of features, write it and its log.

    Parameters
    ----------
    name
        Of the source (:data:`.priority.SOURCES`).
    games
        Whose training and validation games are labelled.
    target
        The folder of both files.
    settings
        How the model is trained.
    weights
        The folder of the model, if it is another.
    """
    labelled = label_games(games)
    training = labelled.part("train")
    check = _some(labelled.part("validation"), VALIDATION_MOVES, settings.seed)
    model, log = train(priority.SOURCES[name](), training, check, settings)
    about = {
        "moves": len(training),
        "games": training.moves["game"].nunique(),
        "log": log,
    }
    write_json(target / f"{name}.json", {**about, **asdict(settings)})
    return model.save((weights or target) / f"{name}.safetensors")


def write_answers(
    model: priority.ChangeModel,
    games: Sequence[Game],
    people: Sequence[Game],
    path: Path,
    *,
    seed: int,
) -> Path:
    """Write a model's answers about the test moves of the chapter on prioritisation.

    Its changes, float16 ``(n, 21)`` in standard deviations; the terms that it names first, uint8
    ``(n, 5)``; and by which numbers the moves are known (:func:`.changes.move_keys`).

    Parameters
    ----------
    model
        The model.
    games, people
        Games of self-play, and of people, if there are any: test games are taken of both.
    path
        Of the file.
    seed
        Of the moves that are drawn.
    """
    chosen = [of_split(part, "test")[:TEST_GAMES] for part in (games, people)]
    drawn = pd.concat(
        [changes.sample_moves(part, PER_GAME, seed=seed) for part in chosen if part],
        ignore_index=True,
    )
    keys, once = np.unique(changes.move_keys(drawn), return_index=True)
    source = priority.SOURCES[model.about["source"]]()
    signed, sizes = model.predict(source, *_around(drawn.iloc[once]))
    kept: dict[str, NDArray] = {
        "moves": keys,
        "changes": np.ascontiguousarray(signed, dtype=np.float16),
        "first": np.ascontiguousarray(scores.top_columns(sizes), dtype=np.uint8),
    }
    return _write_answers(kept, path)


def _write_answers(kept: dict[str, NDArray], path: Path) -> Path:
    return write_tensors(save(kept, {"oracle": changes.ORACLE}), path)


def write_linear(games: Sequence[Game], target: Path, *, seed: int) -> list[Path]:
    """Fit the linear scores on moves of 8,000 training games and write them, one file each.

    The header of each file holds its ``spread``: for ``svm`` of the scores' differences, for
    the others of the terms' changes in pawns.
    """
    drawn = changes.sample_moves(of_split(games, "train")[:8_000], PER_GAME, seed=seed)
    moves = changes.measure_changes(drawn, default_store())
    expert = load_expert("nnue")
    before, after = (priority.read(expert, fens) for fens in _around(moves.moves))
    fitted = fit.fit_linear(before, after, moves, penalty=0.1, seed=seed)
    spreads = dict.fromkeys(fitted, moves.spread())
    spreads["svm"] = fitted["svm"].score_changes(before, after).std(axis=0)
    paths = []
    for name, vectors in fitted.items():
        about = _about(moves=len(moves), spread=json.dumps(spreads[name].tolist()))
        paths.append(
            replace(vectors, about=about).save(target / f"nnue-{name}.safetensors")
        )
    return paths


def _about(**more: object) -> dict[str, str]:
    about = {"expert": "nnue", "layer": LAYERS, "oracle": changes.ORACLE, **more}
    return {name: str(value) for name, value in about.items()}


def write_curve(
    games: Sequence[Game], target: Path, settings: Settings, stopping: Stopping
) -> Path:
    """Train every model of the curve, rank the test moves with it, and write both files."""
    seed = settings.seed
    labelled = label_games(games, LABELLED_GAMES)
    training = labelled.part("train")
    validation = _some(labelled.part("validation"), stopping.validation, seed)
    fitted, tested = (
        changes.sample_moves(of_split(games, part)[:most], PER_GAME, seed=seed)
        for part, most in (("train", FITTED_GAMES), ("test", TEST_GAMES))
    )
    parts = {"equal": changes.measure_changes(fitted, default_store())}
    for most in CURVE_GAMES:
        first = training.moves["game"].unique()[:most]
        parts[str(most)] = training.take(training.moves["game"].isin(first).to_numpy())
    points = []
    named = {"moves": changes.move_keys(tested)}
    for (label, part), name in itertools.product(parts.items(), priority.SOURCES):
        source = priority.SOURCES[name]()
        model, log = train(source, part, validation, settings, stopping)
        _, sizes = model.predict(source, *_around(tested))
        named[f"{name}-{label}"] = scores.top_columns(sizes).astype(np.uint8)
        best = max(range(len(log)), key=lambda row: log[row]["ndcg"])
        points.append(
            {
                "name": f"{name}-{label}",
                "source": name,
                "games": part.moves["game"].nunique(),
                "moves": len(part),
                "passes": best + 1,
                "ndcg": log[best]["ndcg"],
                "precision": log[best]["precision"],
                "log": log,
            }
        )
    _write_answers(named, target / "curve.safetensors")
    about = {
        "settings": asdict(settings),
        "stopping": asdict(stopping),
        "points": points,
    }
    return write_json(target / "curve.json", about)


def write_tails(games: Sequence[Game], target: Path, *, seed: int) -> Path:
    """Fit the published vectors to as many positions as the paper had, and write them."""
    moves = label_games(games, LABELLED_GAMES).part("train")
    drawn = np.random.default_rng(seed).permutation(len(moves))[:PAPER_POSITIONS]
    part = moves.take(np.sort(drawn))
    fens = part.moves["before"].tolist()
    labelled = fit.labelled_before(part)
    features = joined_activations(load_expert("nnue"), fens, LAYERS)
    fitted = fit.fit_concepts(features, labelled, cs=(fit.SVM_C,), seed=seed)
    about = _about(positions=len(part), tail=fitted.tails[0].positive.sum())
    return replace(fitted.vectors, about=about).save(
        target / "nnue-svm-tails.safetensors"
    )


def write_json(path: Path, content: dict) -> Path:
    """Write a log or results as JSON, intervals with four decimals."""

    def rounded(interval: Interval) -> dict[str, float]:
        return {name: round(value, 4) for name, value in asdict(interval).items()}

    return write_file(path, json.dumps(content, indent=1, default=rounded) + "\n")
