"""Train the models of changes that ``data/priority`` holds, from the games alone.

    python -m chessgloss.change_training nnue
    python -m chessgloss.change_training onehot
    python -m chessgloss.change_training linear

The first two label every move of the training and validation games with Stockfish 8 (kept
in the store, a chunk of games at a time), train, and write the model with its log. A run
that is killed goes on from its last epoch. The third fits the linear scores. Test games are
never labelled. What models reach on fewer games: :mod:`chessgloss.change_curve`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tqdm import tqdm

from chessgloss.change_features import Source, load_source
from chessgloss.change_model import ChangeModel, ChangeNetwork
from chessgloss.change_probes import fit_linear, score_change
from chessgloss.changes import MoveSample, TermChanges, measure_changes, sample_moves
from chessgloss.corpora.games import of_split, read_games
from chessgloss.experts import load_expert
from chessgloss.oracle import TERMS, evaluate_terms, stockfish8
from chessgloss.positions import Game
from chessgloss.prioritise import LAYERS, read
from chessgloss.probing import Labelled
from chessgloss.ranking import ndcg, precision
from chessgloss.store import Store, default_store

#: Games labelled as one artefact: what a kill can cost.
CHUNK = 500

#: What the labels come from, in words that name the version: part of every recipe.
ORACLE = "Stockfish 8, npm 8.0.0"

#: What the root of a size is multiplied by to be a logit of its share in the change.
SHARPNESS = 3.0


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

    def __post_init__(self) -> None:
        if min(self.hidden, self.trunk, self.epochs, self.batch) < 1 or self.rate <= 0:
            raise ValueError(f"sizes and rate must be positive, got {self}")


@dataclass(frozen=True, slots=True)
class LinearSettings:
    """What the linear scores are fitted on.

    Parameters
    ----------
    games, per_game
        Training games, and most moves of each.
    penalty
        Of the ridge regressions (see :func:`chessgloss.change_probes.fit_ridge`).
    seed
        Of the choice of moves and of the lot among ties.
    """

    games: int = 8_000
    per_game: int = 6
    penalty: float = 0.1
    seed: int = 1


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
    told = torch.log_softmax(SHARPNESS * size, dim=1) * share
    return errors.mean() - rank_weight * told.sum(dim=1).mean()


def learn_from(
    network: ChangeNetwork,
    optimizer: torch.optim.Optimizer,
    features: torch.Tensor,
    changes: torch.Tensor,
    rank_weight: float,
) -> float:
    """Take one step on a batch of moves; return its loss (see :func:`loss_of`)."""
    with torch.autocast("cpu", torch.bfloat16):
        signed, size = network(features)
    loss = loss_of(signed.float(), size.float(), changes, rank_weight)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def train(
    source: Source,
    training: TermChanges,
    validation: TermChanges,
    settings: Settings,
    *,
    checkpoint: Path | None = None,
    progress: bool = True,
) -> tuple[ChangeModel, list[dict[str, float]]]:
    """Train a model; return it with one row of validation measures an epoch.

    Parameters
    ----------
    source
        Where the features come from; they are computed anew for each batch.
    training, validation
        Moves of different games.
    checkpoint
        A file that keeps the state after each epoch; a later call goes on from it.
    """
    torch.manual_seed(settings.seed)
    spread = training.spread()
    run = _Run(source, training, spread, settings, checkpoint)
    about = {"source": source.name, "settings": json.dumps(asdict(settings))}
    model = ChangeModel(run.network, spread, about)
    for epoch in range(len(run.log), settings.epochs):
        loss = run.epoch(epoch, progress)
        run.log.append({"epoch": epoch + 1, "loss": loss, **judge(model, source, validation)})
        run.keep()
    return model, run.log


def judge(model: ChangeModel, source: Source, moves: TermChanges) -> dict[str, float]:
    """Return nDCG@5 and precision@5 of a model's ranking of the terms."""
    _, sizes = model.predict(source, moves.moves.before, moves.moves.after)
    truth = moves.changes / model.spread
    found = {"ndcg": ndcg(sizes, truth), "precision": precision(sizes, truth)}
    return {name: round(float(np.nanmean(each)), 4) for name, each in found.items()}


class _Run:
    """The state of a training run: all that a checkpoint keeps."""

    def __init__(
        self, source: Source, training: TermChanges, spread: NDArray[np.float32],
        settings: Settings, checkpoint: Path | None,
    ) -> None:  # fmt: skip
        self.source, self.moves, self.settings = source, training.moves, settings
        self.targets = torch.from_numpy(training.changes / spread)
        self.network = ChangeNetwork(source.width, settings.hidden, settings.trunk)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=settings.rate, weight_decay=settings.decay
        )
        steps = settings.epochs * max(1, len(training) // settings.batch)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            self.optimizer, settings.rate, total_steps=steps + 1, pct_start=0.1
        )
        self.log: list[dict[str, float]] = []
        self.checkpoint = checkpoint
        if checkpoint is not None and checkpoint.is_file():
            self._restore(torch.load(checkpoint, weights_only=True))

    def epoch(self, number: int, progress: bool) -> float:
        """Pass once over the moves in an order of this epoch's own; return the mean loss."""
        random = np.random.default_rng([self.settings.seed, number])
        order = random.permutation(len(self.moves))
        self.network.train()
        steps = list(batches(order, self.settings.batch))
        bar = tqdm(steps, desc=f"epoch {number + 1}", unit="step", disable=not progress)
        losses = [self._step(rows) for rows in bar]
        self.network.eval()
        return round(float(np.mean(losses)), 4)

    def keep(self) -> None:
        """Write the checkpoint, if there is a file for it."""
        if self.checkpoint is None:
            return
        self.checkpoint.parent.mkdir(parents=True, exist_ok=True)
        aside = self.checkpoint.with_suffix(".part")
        torch.save(
            {
                "network": self.network.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "schedule": self.schedule.state_dict(),
                "log": self.log,
            },
            aside,
        )
        aside.rename(self.checkpoint)

    def _step(self, rows: NDArray[np.int64]) -> float:
        before, after = ([fens[row] for row in rows] for fens in self.moves.fens()[:2])
        features = self.source.features(self.source.read(before), self.source.read(after))
        targets, weight = self.targets[rows], self.settings.rank_weight
        loss = learn_from(self.network, self.optimizer, features, targets, weight)
        self.schedule.step()
        return loss

    def _restore(self, state: dict) -> None:
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.log = state["log"]


def label_games(games: Sequence[Game], store: Store, *, progress: bool = True) -> TermChanges:
    """Return every move of the games with its terms, labelled a chunk of games at a time.

    Chunks that the store holds are not labelled again.
    """
    starts = tqdm(range(0, len(games), CHUNK), desc="labels", unit="chunk", disable=not progress)
    return _join([_label_chunk(games[at : at + CHUNK], at, store) for at in starts])


def _label_chunk(games: Sequence[Game], first: int, store: Store) -> TermChanges:
    moves = sample_moves(games, None, seed=0)

    def terms_of(fens: Sequence[str]) -> NDArray[np.float32]:
        text = "\n".join(fens).encode()
        recipe = {"fens": hashlib.blake2b(text, digest_size=12).hexdigest(), "oracle": ORACLE}
        return store.fetch("terms", recipe, lambda: {"values": ask_oracle(fens)})["values"]

    found = measure_changes(moves, terms_of)
    numbered = MoveSample(
        *found.moves.fens(), found.moves.kinds, found.moves.games + first, found.moves.splits
    )
    return TermChanges(numbered, found.before, found.after)


def ask_oracle(fens: Sequence[str]) -> NDArray[np.float32]:
    """Return Stockfish 8's 21 terms of positions, ``(n, 21)``, NaN where its table is blank."""
    return evaluate_terms(fens, stockfish8(), progress=False).middlegame


def _join(parts: Sequence[TermChanges]) -> TermChanges:
    moves = [part.moves for part in parts]
    before, after, replied = (
        tuple(fen for fens in column for fen in fens)
        for column in zip(*(one.fens() for one in moves), strict=True)
    )
    joined = MoveSample(
        before,
        after,
        replied,
        np.concatenate([one.kinds for one in moves]),
        np.concatenate([one.games for one in moves]),
        np.concatenate([one.splits for one in moves]),
    )
    return TermChanges(
        joined,
        np.concatenate([part.before for part in parts]),
        np.concatenate([part.after for part in parts]),
    )


def batches(order: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    """Cut an order of rows into batches; what is left over at its end waits for the next."""
    if len(order) < size:
        yield order
    for at in range(0, len(order) - size + 1, size):
        yield order[at : at + size]


def train_linear(games: Sequence[Game], target: Path, settings: LinearSettings) -> list[Path]:
    """Fit the linear scores on moves of training games and write them, one file each.

    The header of each file holds its ``spread``: for ``svm`` of the scores' differences, for
    the others of the terms' changes in pawns.
    """
    chosen = of_split(games, "train")[: settings.games]
    moves = measure_changes(sample_moves(chosen, settings.per_game, seed=settings.seed), ask_oracle)
    expert = load_expert("nnue")
    before, after = (read(expert, fens) for fens in moves.moves.fens()[:2])
    labelled = Labelled(TERMS, moves.before, moves.moves.games, moves.moves.splits)
    truth, spread = moves.changes / moves.spread(), moves.spread()
    fitted = fit_linear(
        before, after, labelled, truth, penalty=settings.penalty, seed=settings.seed
    )
    spreads = dict.fromkeys(fitted, spread)
    spreads["svm"] = score_change(fitted["svm"], before, after).std(axis=0)
    about = {"expert": "nnue", "layer": LAYERS, "oracle": ORACLE, "moves": str(len(moves))}
    return [
        replace(
            vectors,
            about={**about, **vectors.about, "spread": json.dumps(spreads[name].tolist())},
        ).save(target / f"nnue-{name}.safetensors")
        for name, vectors in fitted.items()
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Train from the command line; return the exit status."""
    given = _parser().parse_args(arguments)
    games = list(read_games(given.games, given.limit))
    if given.what == "linear":
        print(*train_linear(games, given.target, LinearSettings(seed=given.seed)), sep="\n")
        return 0
    settings = Settings(epochs=given.epochs, seed=given.seed)
    print(train_model(given.what, games, given.target, settings, given.validation))
    return 0


def label_parts(
    games: Sequence[Game], settings: Settings, validation_moves: int
) -> tuple[TermChanges, TermChanges]:
    """Label the games; return the training moves, and some validation moves by lot."""
    labelled = label_games([game for game in games if game.split != "test"], default_store())
    training, validation = labelled.part("train"), labelled.part("validation")
    some = np.random.default_rng(settings.seed).permutation(len(validation))[:validation_moves]
    return training, validation.take(some)


def train_model(
    name: str, games: Sequence[Game], target: Path, settings: Settings, validation_moves: int
) -> Path:
    """Label the games, train a model on a source of features, write it and its log."""
    training, validation = label_parts(games, settings, validation_moves)
    state = target / f"{name}.checkpoint"
    model, log = train(load_source(name), training, validation, settings, checkpoint=state)
    path = model.save(target / f"{name}.safetensors")
    about = {"moves": len(training), "games": len(np.unique(training.moves.games)), "log": log}
    path.with_suffix(".json").write_text(json.dumps({**about, **asdict(settings)}, indent=1) + "\n")
    state.unlink()
    return path


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m chessgloss.change_training")
    parser.add_argument("what", choices=["nnue", "onehot", "linear"], help="what to train")
    parser.add_argument("--games", type=Path, default=Path("data/games/selfplay.tsv.zst"))
    parser.add_argument("--limit", type=int, help="read only so many games")
    parser.add_argument("--target", type=Path, default=Path("data/priority"))
    parser.add_argument("--epochs", type=int, default=Settings().epochs)
    parser.add_argument("--validation", type=int, default=20_000, help="moves to judge it on")
    parser.add_argument("--seed", type=int, default=Settings().seed)
    return parser


if __name__ == "__main__":
    sys.exit(main())
