"""Training of a language model: seeded, resumable to the bit, stopped by dev perplexity.

After section 4 of the paper: Adam with decoupled decay, a rate that rises over the first
tenth and falls linearly, validation after every epoch, an end when it gets worse.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray
from torch.nn import functional
from tqdm import tqdm

from chessgloss.tracking.batches import IGNORED, Epoch, make_epoch, read_and_expected
from chessgloss.tracking.checkpoints import read_tensors, write_tensors
from chessgloss.tracking.evaluate import perplexity
from chessgloss.tracking.masters import MasterWeights
from chessgloss.tracking.models import LanguageModel, make_model
from chessgloss.tracking.settings import Settings, Training, as_values
from chessgloss.tracking.tokens import TokenGames

#: Steps between two writings of the state.
EVERY = 250

_FORM = "chessgloss.tracking state 1"


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What to train on and what to stop by.

    Parameters
    ----------
    games
        All games.
    train, dev
        Indices of the games to train on, and of those whose perplexity ends training.
    """

    games: TokenGames
    train: NDArray
    dev: NDArray

    def __post_init__(self) -> None:
        if not len(self.train) or not len(self.dev):
            raise ValueError("training needs games to train on and games to stop by")


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A trained model and how it came about.

    Parameters
    ----------
    model
        The weights of the best epoch, bfloat16 (float32 if trained so), in evaluation mode.
    log
        A row an epoch: number, mean loss a token, dev perplexity, tokens read so far.
    stopped_early
        Whether the dev perplexity rose before the last epoch.
    """

    model: LanguageModel
    log: list[dict[str, float]]
    stopped_early: bool

    @property
    def best(self) -> dict[str, float]:
        """The epoch with the lowest dev perplexity, whose weights the model has."""
        return min(self.log, key=lambda row: row["dev_perplexity"])


@dataclass(slots=True)
class _Progress:
    """Where a training is: all but the weights, as JSON values."""

    epoch: int = 0
    batch: int = 0
    loss: float = 0.0
    tokens: int = 0
    log: list[dict[str, float]] = field(default_factory=list)
    stopped: bool = False

    def to_json(self) -> str:
        return json.dumps({name: getattr(self, name) for name in self.__slots__})


def train(
    task: Task,
    settings: Settings,
    training: Training,
    state: Path | None = None,
    *,
    every: int = EVERY,
    precision: torch.dtype = torch.bfloat16,
    device: str = "cpu",
    progress: bool = True,
) -> Trained:
    """Train a model, going on from ``state`` if that file holds a stopped training.

    With the same number of threads, a training that was killed and resumed gives the same
    losses and weights, bit for bit, as one that was not.

    Parameters
    ----------
    task
        Games.
    settings, training
        The model and how it is trained.
    state
        File to resume from and to write the state into, every ``every`` steps and after each
        epoch; None to keep none.
    precision
        In which the model computes; its masters are float32 in any case.
    device
        Where it computes: ``cpu`` or ``cuda``. The same seed gives other weights there.
    progress
        Whether to show tokens a second and the time left.

    Raises
    ------
    ValueError
        If ``state`` belongs to another training.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(training.seed)
        trainer = Trainer(task, settings, training, precision, device)
        if state is not None and state.is_file():
            trainer.load(state)
        save = (lambda: trainer.save(state)) if state is not None else (lambda: None)
        with tqdm(total=trainer.tokens, unit="token", unit_scale=True, disable=not progress) as bar:
            bar.update(trainer.now.tokens)
            while not trainer.done:
                trainer.run_epoch(every, save, bar)
                save()
    return trainer.finish()


class Trainer:
    """A model, its masters, and the place in the training.

    Parameters
    ----------
    task, settings, training, precision, device
        As :func:`train` takes them.
    """

    def __init__(
        self,
        task: Task,
        settings: Settings,
        training: Training,
        precision: torch.dtype,
        device: str = "cpu",
    ) -> None:
        self.task, self.settings, self.training = task, settings, training
        self.model = make_model(settings, training.seed).to(device)
        self.device = device
        self.masters = MasterWeights(self.model, training, precision)
        self.best = self.masters.flat.clone()
        self.now = _Progress()
        #: Of the steps since the loss was last added up, on the device: nothing waits for them.
        self.losses: list[torch.Tensor] = []
        first = self.epoch(0)
        self.tokens = training.epochs * int(first.ids.size - len(first.lengths))

    @property
    def done(self) -> bool:
        """Whether no epoch is left to train."""
        return self.now.stopped or self.now.epoch == self.training.epochs

    def epoch(self, number: int) -> Epoch:
        """Return the games of an epoch in their order."""
        context = self.settings.context
        return make_epoch(self.task.games, self.task.train, self.training, number, context)

    def run_epoch(self, every: int, save: Callable[[], None], bar: tqdm) -> None:
        """Make the steps that are left of an epoch, then measure."""
        epoch = self.epoch(self.now.epoch)
        self.model.train()
        for number in range(self.now.batch, len(epoch)):
            bar.update(self.step(epoch, number))
            if self.now.batch % every == 0:
                save()
        self.measure(bar)

    def step(self, epoch: Epoch, number: int) -> int:
        """Learn from one batch; return its tokens."""
        read, expected = read_and_expected(epoch.rows(number).to(self.device))
        logits = self.model(read).flatten(0, 1).float()
        loss = functional.cross_entropy(logits, expected.flatten(), ignore_index=IGNORED)
        loss.backward()
        done = (self.now.epoch + (number + 0.5) / len(epoch)) / self.training.epochs
        self.masters.step(rate_at(done, self.training))
        tokens = int((epoch.lengths[epoch.groups[number]] - 1).sum())
        self.losses.append(loss.detach().double() * tokens)
        self.now.tokens += tokens
        self.now.batch = number + 1
        return tokens

    def measure(self, bar: tqdm) -> None:
        """Add a row to the log; keep the best weights; stop if the last epoch made it worse."""
        self.add_up()
        now, log = self.now, self.now.log
        dev = perplexity(self.model, self.task.games, self.training.reading, self.task.dev)
        seen = now.tokens - (int(log[-1]["tokens"]) if log else 0)
        row = {"epoch": now.epoch + 1, "loss": round(now.loss / seen, 5)}
        row |= {"dev_perplexity": round(dev, 4), "tokens": now.tokens}
        now.stopped = bool(log) and row["dev_perplexity"] > log[-1]["dev_perplexity"]
        now.log, now.epoch, now.batch, now.loss = [*log, row], now.epoch + 1, 0, 0.0
        if not now.stopped:
            self.best = self.masters.flat.clone()
        bar.set_postfix(epoch=now.epoch, dev=row["dev_perplexity"])

    def add_up(self) -> None:
        """Add the losses of the last steps to the epoch's, in their order."""
        for loss in self.losses:
            self.now.loss += float(loss)
        self.losses.clear()

    def save(self, path: Path) -> None:
        """Write all that the rest of the training depends on."""
        self.add_up()
        tensors = {**self.masters.state(), "best": self.best, "chance": torch.get_rng_state()}
        if self.device != "cpu":
            tensors["chance.device"] = torch.cuda.get_rng_state()
        write_tensors(tensors, {**self._about(), "progress": self.now.to_json()}, path)

    def load(self, path: Path) -> None:
        """Go to the place that :meth:`save` wrote."""
        tensors, about = read_tensors(path)
        values: dict[str, Any] = json.loads(about.pop("progress", "{}"))
        if about != self._about():
            raise ValueError(f"{path} is the state of another training; move it away")
        self.now = _Progress(**values)
        self.masters.restore(tensors)
        self.best = tensors["best"].to(self.device, copy=True)
        torch.set_rng_state(tensors["chance"])
        if "chance.device" in tensors:
            torch.cuda.set_rng_state(tensors["chance.device"])

    def finish(self) -> Trained:
        """Return the model with the weights of its best epoch."""
        self.masters.set_weights(self.best)
        stopped = self.now.stopped and self.now.epoch < self.training.epochs
        return Trained(self.model.eval(), self.now.log, stopped)

    def _about(self) -> dict[str, str]:
        records = (self.settings, self.training)
        values = [json.dumps(as_values(one), sort_keys=True) for one in records]
        games = f"{len(self.task.train)} {len(self.task.dev)} {self.tokens}"
        form = _FORM if self.device == "cpu" else f"{_FORM} on {self.device}"
        return {"form": form, "settings": values[0], "training": values[1], "games": games}


def rate_at(done: float, training: Training) -> float:
    """Return the share of the learning rate when a share ``done`` of the training is over.

    Both go from 0 to 1.
    """
    return max(0.0, min(done / training.warmup, (1 - done) / training.cooldown, 1.0))
