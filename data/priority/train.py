"""Train what ``data/priority`` and ``data/concepts`` hold, from the games alone.

    python data/priority/train.py nnue --epochs 3
    python data/priority/train.py onehot --epochs 3
    python data/priority/train.py linear
    python data/priority/train.py curve
    python data/priority/train.py facts

``nnue`` and ``onehot`` label every move of the training and validation games with Stockfish 8
(kept in the store, a chunk of games at a time), train a model of changes, and write it with its
log. ``linear`` fits the linear scores.

``curve`` trains models on fewer games, each until validation games say that it has learned what
its moves can teach it, by one rule for both sources of features (:class:`Stopping`), so that a
source is not held to be worse because it learns in more steps; and the same on the very moves
that the chapter on prioritisation fits its linear methods on. Kept are the first five terms that
each model names on each test move (``curve.safetensors``), and what it reached on validation
games after every pass (``curve.json``). It also fits the published support vector machines to
as many positions as the paper had (``nnue-svm-tails.safetensors``). Test games are ranked there
and never labelled.

``facts`` fits the vectors of :mod:`.facts` and writes what they and their controls reach on test
games: the bare board, the network with random weights, shuffled labels.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pandas as pd
import torch
from joblib import Parallel, delayed
from numpy.typing import NDArray
from safetensors.numpy import save_file
from sklearn.metrics import roc_auc_score
from tqdm import tqdm

from chessgloss.concepts import changes, facts, fit, priority, scores
from chessgloss.corpora.games import of_split, read_games
from chessgloss.corpora.samples import PositionSample, sample_positions
from chessgloss.experts import joined_activations, load_expert
from chessgloss.positions import Game
from chessgloss.stats import Interval, bootstrap
from chessgloss.store import default_store

#: Label of a position in which a concept cannot be asked.
NOT_ASKED = -1


#: Positions labelled by one job.
_LABEL_CHUNK = 2_000

#: Games labelled as one artefact: what a kill can cost.
CHUNK = 500

#: What the root of a size is multiplied by to be a logit of its share in the change.
SHARPNESS = 3.0

#: Validation moves, by lot, that the committed models are judged on.
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

#: Plies before the end at which a game that ends in mate is sampled for facts too. The last of
#: them (1) is a position with mate in one; the others give negatives from the same games.
FINAL_PLIES = (1, 3, 7)

#: Values of C for concepts from facts.
FACT_CS = (1e-4, 3e-4, 1e-3)


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
        Validation moves, by lot, that all runs are judged on.
    """

    patience: int = 2
    falls: int = 2
    factor: float = 0.2
    most: int = 100
    validation: int = 10_000


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
    network = priority.ChangeNetwork(source.width, settings.hidden, settings.trunk)
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
    model = priority.ChangeModel(network, spread, about)
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
            rows = order[
                at : at + size
            ]  # what is left over at the end waits for the next pass
            features = source.features(*(positions[side[rows]] for side in sides))
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
        measures = judge(model, source, validation)
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
            falls = falls + 1
            if falls > stopping.falls:
                break
    if stopping is not None:
        network.load_state_dict(kept)
    return model, log


def judge(
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
    name: str, games: Sequence[Game], target: Path, settings: Settings
) -> Path:
    """Label the games, train a model on a source of features, write it and its log."""
    labelled = label_games(games)
    training = labelled.part("train")
    check = _some(labelled.part("validation"), VALIDATION_MOVES, settings.seed)
    model, log = train(priority.SOURCES[name](), training, check, settings)
    about = {
        "moves": len(training),
        "games": training.moves["game"].nunique(),
        "log": log,
    }
    _write_json(target / f"{name}.json", {**about, **asdict(settings)})
    return model.save(target / f"{name}.safetensors")


def write_linear(games: Sequence[Game], target: Path, *, seed: int) -> list[Path]:
    """Fit the linear scores on moves of 8,000 training games and write them, one file each.

    The header of each file holds its ``spread``: for ``svm`` of the scores' differences, for
    the others of the terms' changes in pawns.
    """
    drawn = changes.sample_moves(of_split(games, "train")[:8_000], PER_GAME, seed=seed)
    moves = changes.measure_changes(drawn, default_store())
    expert = load_expert("nnue")
    before, after = (priority.read(expert, fens) for fens in _around(moves.moves))
    fitted = priority.fit_linear(before, after, moves, penalty=0.1, seed=seed)
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
    about = {"expert": "nnue", "layer": fit.LAYERS, "oracle": changes.ORACLE, **more}
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
    save_file(named, target / "curve.safetensors", {"oracle": changes.ORACLE})
    about = {
        "settings": asdict(settings),
        "stopping": asdict(stopping),
        "points": points,
    }
    return _write_json(target / "curve.json", about)


def write_tails(games: Sequence[Game], target: Path, *, seed: int) -> Path:
    """Fit the published vectors to as many positions as the paper had, and write them."""
    moves = label_games(games, LABELLED_GAMES).part("train")
    drawn = np.random.default_rng(seed).permutation(len(moves))[:PAPER_POSITIONS]
    part = moves.take(np.sort(drawn))
    fens = part.moves["before"].tolist()
    labelled = priority.labelled_before(part)
    features = joined_activations(load_expert("nnue"), fens, fit.LAYERS)
    fitted = fit.fit_concepts(features, labelled, cs=(priority.SVM_C,), seed=seed)
    about = _about(positions=len(part), tail=fitted.tails[0].positive.sum())
    return replace(fitted.vectors, about=about).save(
        target / "nnue-svm-tails.safetensors"
    )


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

    Each positive meets a negative by lot of the same part and likeness, taken once; a
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
    """Fit the vectors from facts and their controls; return them and what all of them reach.

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
        "NNUE": joined_activations(load_expert("nnue"), fens, fit.LAYERS),
        "bare board": joined_activations(load_expert("onehot"), fens, "board"),
        "random weights": joined_activations(shuffled, fens, fit.LAYERS),
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
    """Fit the vectors from facts; write them and what they and their controls reach."""
    fitted, report = fit_facts(games, seed=seed)
    _write_json(target / "facts-nnue.json", {"games": len(games), **report})
    about = {
        "expert": "nnue",
        "layer": fit.LAYERS,
        "labels": "facts 1",
        "seed": str(seed),
    }
    return replace(fitted.vectors, about=about).save(target / "facts-nnue.safetensors")


def _write_json(path: Path, content: dict) -> Path:
    def rounded(interval: Interval) -> dict[str, float]:
        return {name: round(value, 4) for name, value in asdict(interval).items()}

    path.write_text(
        json.dumps(content, indent=1, default=rounded) + "\n", encoding="utf-8"
    )
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Train from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python data/priority/train.py")
    parser.add_argument("what", choices=[*priority.SOURCES, "linear", "curve", "facts"])
    parser.add_argument(
        "--games", type=Path, default=Path("data/games/selfplay.tsv.zst")
    )
    parser.add_argument(
        "--limit", type=int, help="read only so many games; for facts 10,000"
    )
    parser.add_argument(
        "--target", type=Path, help="folder, data/priority or data/concepts"
    )
    parser.add_argument("--epochs", type=int, default=Settings().epochs)
    parser.add_argument("--seed", type=int, default=Settings().seed)
    given = parser.parse_args(arguments)
    what, seed = given.what, given.seed
    target = given.target or Path(
        "data/concepts" if what == "facts" else "data/priority"
    )
    games = list(
        read_games(given.games, given.limit or (10_000 if what == "facts" else None))
    )
    settings = Settings(epochs=given.epochs, seed=seed)
    if what == "facts":
        print(write_facts(games, target, seed=seed))
    elif what == "linear":
        print(*write_linear(games, target, seed=seed), sep="\n")
    elif what == "curve":
        print(write_tails(games, target, seed=seed))
        print(write_curve(games, target, settings, Stopping()))
    else:
        print(write_model(what, games, target, settings))
    return 0


if __name__ == "__main__":
    sys.exit(main())
