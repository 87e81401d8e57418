"""Training of a language model: seeded, resumable to the bit, stopped by dev perplexity.

After section 4 of the paper: Adam with decoupled decay, a rate that rises over the first
tenth and falls linearly, validation after every epoch, an end when it gets worse.

Games of like length stand beside each other: the order of an epoch is cut into padded batches.
The model computes in bfloat16, whose products a recent processor does in tiles. An update is
too small for its 8 bits, so each weight has a float32 master that the optimiser moves and that
is rounded back after each step. All weights of a model lie in one flat array, and so do their
gradients: a step is a handful of passes over memory, and nothing of it waits for a device.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional
from tqdm import tqdm

from chessgloss.tracking.batches import IGNORED, Epoch, make_epoch, read_and_expected
from chessgloss.tracking.checkpoints import read_tensors, write_tensors
from chessgloss.tracking.evaluate import perplexity
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


#: Adam's constants, the defaults of Kingma and Ba 2014; the second beta is a setting.
BETA1, EPSILON = 0.9, 1e-8

#: Coefficients of the polynomial that draws singular values towards one, and how often it is
#: applied (Jordan and others 2024, "Muon: an optimizer for hidden layers in neural networks").
NEWTON_SCHULZ, STEPS = (3.4445, -4.7750, 2.0315), 5

#: In the names of matrices that are several square ones, stacked.
STACKED = ("project", "weight_ih", "weight_hh")

_STATE = ("exp_avg", "exp_avg_sq", "step")


class MasterWeights:
    """The float32 weights of a model, and the optimiser that moves them.

    Parameters
    ----------
    model
        Its parameters become views, in ``precision``, of one array that follows the masters.
        It stays on the device where it is.
    training
        The optimiser, its decay and the longest gradient.
    precision
        That in which the model computes.
    """

    def __init__(
        self, model: nn.Module, training: Training, precision: torch.dtype = torch.bfloat16
    ) -> None:
        self.training = training
        matrices, decayed, others = _sorted_by_rule(model, training)
        self._parameters = [*matrices.values(), *decayed, *others]
        self.flat = torch.cat([one.detach().float().flatten() for one in self._parameters])
        for name, buffer in model.named_buffers():
            _replace_buffer(model, name, buffer.to(precision))
        self._rounded = self.flat.to(precision)
        self._gradient = torch.zeros_like(self._rounded)
        self._bind()
        first = sum(one.numel() for one in matrices.values())
        self._muon = None
        if matrices:
            self._muon = _Muon(self.flat[:first], matrices, training, precision)
        parts = self.flat[first:].split(_sizes(decayed, others))
        self.groups = [nn.Parameter(part, requires_grad=False) for part in parts]
        decays = (training.decay, 0.0) if decayed else (0.0,)
        self._adam = torch.optim.AdamW(
            [
                {"params": [group], "weight_decay": decay}
                for group, decay in zip(self.groups, decays, strict=True)
            ],
            lr=training.rate,
            betas=(BETA1, training.beta2),
            eps=EPSILON,
            fused=True,
        )

    def step(self, share: float) -> None:
        """Move the weights along the gradient that ``backward`` left, and forget it.

        Parameters
        ----------
        share
            Of the highest learning rates, 0 to 1.
        """
        gradient = self._gradient.float()
        gradient *= (self.training.clip / gradient.norm().clamp(min=1e-12)).clamp(max=1.0)
        first = gradient.numel() - sum(group.numel() for group in self.groups)
        if self._muon is not None:
            self._muon.step(gradient[:first], share)
        parts = gradient[first:].split([group.numel() for group in self.groups])
        for group, part, options in zip(self.groups, parts, self._adam.param_groups, strict=True):
            group.grad, options["lr"] = part, self.training.rate * share
        self._adam.step()
        self._rounded.copy_(self.flat)
        self._gradient.zero_()

    def state(self) -> dict[str, torch.Tensor]:
        """Return all that a later step depends on, by name: copies."""
        moments = {
            f"{name}.{number}": self._adam.state[group][name].clone()
            for number, group in enumerate(self.groups)
            for name in _STATE
            if group in self._adam.state
        }
        if self._muon is not None:
            moments["momentum"] = self._muon.momentum.clone()
        return {"weights": self.flat.clone(), **moments}

    def restore(self, state: Mapping[str, torch.Tensor]) -> None:
        """Go back to what :meth:`state` returned."""
        self.set_weights(state["weights"])
        if self._muon is not None:
            self._muon.momentum.copy_(state["momentum"])
        for number, group in enumerate(self.groups):
            if f"step.{number}" in state:
                kept = {name: state[f"{name}.{number}"].to(group.device) for name in _STATE}
                self._adam.state[group] = {name: one.clone() for name, one in kept.items()}

    def set_weights(self, weights: torch.Tensor) -> None:
        """Give masters and model the weights ``(n,)`` float32."""
        self.flat.copy_(weights)
        self._rounded.copy_(self.flat)

    def _bind(self) -> None:
        sizes = [one.numel() for one in self._parameters]
        ends = torch.tensor([0, *sizes]).cumsum(0).tolist()
        for one, (first, last) in zip(self._parameters, pairwise(ends), strict=True):
            one.data = self._rounded[first:last].view(one.shape)
            one.grad = self._gradient[first:last].view(one.shape)


class _Muon:
    """Matrices that move along their orthogonalised momentum; those of one shape together.

    Parameters
    ----------
    masters
        The float32 weights of the matrices, flat, one after the other.
    matrices
        Their names and shapes; those stacked of several (queries, keys and values; an LSTM's
        gates) are moved each for itself.
    training
        Rate, momentum and decay.
    precision
        In which directions are made orthogonal: half is enough, as Muon's authors found.
    """

    def __init__(
        self,
        masters: torch.Tensor,
        matrices: Mapping[str, nn.Parameter],
        training: Training,
        precision: torch.dtype,
    ) -> None:
        self.masters, self.training, self.precision = masters, training, precision
        self.momentum = torch.zeros_like(masters)
        self.spans: dict[tuple[int, int], list[tuple[int, int]]] = {}
        at = 0
        for name, matrix in matrices.items():
            rows, columns = matrix.shape
            height = columns if any(part in name for part in STACKED) else rows
            for _ in range(rows // height):
                self.spans.setdefault((height, columns), []).append((at, at + height * columns))
                at += height * columns

    def step(self, gradient: torch.Tensor, share: float) -> None:
        """Move the masters; ``gradient`` is flat as they are."""
        rate = self.training.matrix_rate * share
        self.momentum.mul_(self.training.momentum).add_(gradient)
        ahead = gradient.add(self.momentum, alpha=self.training.momentum)
        self.masters.mul_(1 - rate * self.training.matrix_decay)
        for (rows, columns), spans in self.spans.items():
            stack = torch.stack([ahead[first:last] for first, last in spans])
            stack = stack.view(-1, rows, columns).to(self.precision)
            moved = orthogonalise(stack).flatten(1).float()
            size = max(1.0, rows / columns) ** 0.5
            for (first, last), one in zip(spans, moved, strict=True):
                self.masters[first:last].add_(one, alpha=-rate * size)


def orthogonalise(matrices: torch.Tensor) -> torch.Tensor:
    """Return matrices ``(n, rows, columns)`` with singular values near one, else the same.

    Five steps of a Newton-Schulz iteration: values from about 0.7 to 1.2 come out.
    """
    first, second, third = NEWTON_SCHULZ
    tall = matrices.shape[1] > matrices.shape[2]
    turned = matrices.mT if tall else matrices
    turned = turned / turned.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    for _ in range(STEPS):
        square = turned @ turned.mT
        turned = first * turned + (second * square + third * square @ square) @ turned
    return turned.mT if tall else turned


def _sorted_by_rule(
    model: nn.Module, training: Training
) -> tuple[dict[str, nn.Parameter], list[nn.Parameter], list[nn.Parameter]]:
    """Return the matrices that Muon moves, other weights with decay, and those without."""
    matrices: dict[str, nn.Parameter] = {}
    decayed: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for name, weights in model.named_parameters():
        hidden = name.startswith("body") and "weight" in name and weights.dim() == 2
        if training.optimiser == "muon" and hidden:
            matrices[name] = weights
        else:
            (decayed if weights.dim() > 1 else others).append(weights)
    return matrices, decayed, others


def _sizes(*groups: list[nn.Parameter]) -> list[int]:
    return [sum(one.numel() for one in group) for group in groups if group]


def _replace_buffer(model: nn.Module, name: str, value: torch.Tensor) -> None:
    owner, _, last = name.rpartition(".")
    setattr(model.get_submodule(owner), last, value)
