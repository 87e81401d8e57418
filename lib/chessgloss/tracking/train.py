"""Training of a language model: seeded, resumable to the bit, stopped by dev perplexity.

After section 4 of the state-tracking paper: Adam with decoupled decay, a rate that rises over the
first tenth and falls linearly, validation after every epoch, an end when it gets worse.

Games of like length stand beside each other: the order of an epoch is cut into padded batches.
The model computes in bfloat16, whose products a recent processor does in tiles. An update is
too small for its 8 bits, so each weight has a float32 master that the optimiser moves and that
is rounded back after each step. All weights of a model lie in one flat array, and so do their
gradients: a step is a handful of passes over memory, and nothing of it waits for a device.

A trained model is kept as safetensors in half precision, with its settings inside.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as pydantic_dataclass
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional
from tqdm import tqdm

from chessgloss.tracking import games as tokens
from chessgloss.tracking.games import Notation
from chessgloss.tracking.models import Count, LanguageModel, Settings, make_model, perplexity

Positive: TypeAlias = Annotated[float, Field(gt=0)]
NotNegative: TypeAlias = Annotated[float, Field(ge=0)]
#: From 0 to 1, the end left out.
Share: TypeAlias = Annotated[float, Field(ge=0, lt=1)]

#: Steps between two writings of the state.
EVERY = 250

#: Tokens by which chance shifts a length before an epoch sorts by it: games of like length
#: meet others in every epoch.
SHIFT = 4.0

#: What every checkpoint, and every state of an unfinished training, says it is.
FORM, STATE_FORM = "chessgloss.tracking 1", "chessgloss.tracking state 1"


@pydantic_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Training:
    """How a model is trained. The defaults are the paper's (section 4), but for two.

    The paper steps once every 60 games. Our sets are a quarter of its, and our passes fewer:
    with ``tokens`` of about nine games a training on S takes 2,100 steps, the paper's 2,500.
    Twice as many tokens a step were worse after three passes (dev perplexity 133 against 120,
    with dropout). The paper's rate, 5e-4, is for a model 64 times larger than ours; of
    3e-3 and 5e-3, the first gave the lower dev perplexity after three passes (99 against 104).

    Parameters
    ----------
    notation, probability
        How training games are written; the probability, 0 to 1, of a piece type is ``rap``'s.
    epochs
        Most passes over the games; training ends earlier when the dev perplexity rises.
    tokens
        Tokens a step, padding included.
    rate, decay, warmup, cooldown
        Adam's highest learning rate, its decoupled weight decay, the share of training over
        which the rate rises, and the share at the end over which it falls linearly to zero.
    optimiser
        ``adam`` for all weights, or ``muon``: matrices between the embedding and the output
        move along the orthogonalised momentum of their gradient (Jordan and others 2024).
    matrix_rate, momentum, matrix_decay
        Of ``muon``: highest learning rate, momentum and decoupled weight decay of the matrices.
    beta2
        Adam's memory of the gradient's square.
    games
        ``selfplay``, the corpus, or ``random``, random legal games as long as those.
    clip
        The longest gradient.
    seed
        Of the first weights, the order of games, the piece types and the dropout.
    """

    notation: Notation = "uci"
    probability: Annotated[float, Field(ge=0, le=1)] = 0.0
    epochs: Count = 10
    tokens: Count = 1536
    rate: Positive = 3e-3
    decay: NotNegative = 0.01
    warmup: Annotated[float, Field(gt=0, lt=1)] = 0.1
    cooldown: Annotated[float, Field(gt=0, le=1)] = 0.9
    optimiser: Literal["adam", "muon"] = "adam"
    matrix_rate: Positive = 0.02
    momentum: Share = 0.95
    matrix_decay: NotNegative = 0.01
    beta2: Share = 0.999
    games: Literal["selfplay", "random"] = "selfplay"
    clip: Positive = 1.0
    seed: Annotated[int, Field(ge=0)] = 1

    def __post_init__(self) -> None:
        if self.notation != "rap" and self.probability:
            raise ValueError(f"only rap has a probability, got {self}")

    @property
    def reading(self) -> Notation:
        """How games are written when the trained model is measured: RAP is for training."""
        return "ap" if self.notation == "ap" else "uci"


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

    games: tokens.TokenGames
    train: NDArray
    dev: NDArray


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


def make_epoch(
    games: tokens.TokenGames, selected: NDArray, training: Training, number: int, context: int
) -> list[torch.Tensor]:
    """Return the batches of the epoch ``number``: order and piece types follow from the seed.

    A batch is of shape ``(games, length)``, padded at the end.

    Parameters
    ----------
    games, selected
        All games, and indices of those to train on.
    training
        Notation, tokens a batch, seed.
    number
        Of the epoch, from 0.
    context
        Most tokens of a sequence.

    Raises
    ------
    ValueError
        If a game is longer than ``context``.
    """
    random = np.random.default_rng([training.seed, number])
    order = random.permutation(selected)
    ids, starts = tokens.annotate(games, order, training.notation, training.probability, random)
    lengths = np.diff(starts)
    if lengths.max(initial=0) > context:
        raise ValueError(f"a game has {lengths.max()} tokens, the context only {context}")
    shifted = lengths + random.uniform(-SHIFT, SHIFT, lengths.size)
    cut = tokens.cut_batches(ids, starts, np.argsort(shifted), training.tokens)
    batches = [rows for _, rows in cut]
    return [batches[place] for place in random.permutation(len(batches))]


def train(
    task: Task,
    settings: Settings,
    training: Training,
    state: Path | None = None,
    *,
    every: int = EVERY,
    precision: torch.dtype = torch.bfloat16,
    device: str = "cpu",
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
        with tqdm(total=trainer.tokens, unit="token", unit_scale=True, disable=None) as bar:
            bar.update(trainer.now.tokens)
            while not trainer.now.stopped and trainer.now.epoch < training.epochs:
                trainer.run_epoch(every, save, bar)
                save()
    trainer.masters.set_weights(trainer.best)
    stopped = trainer.now.stopped and trainer.now.epoch < training.epochs
    return Trained(trainer.model.eval(), trainer.now.log, stopped)


@dataclass(slots=True)
class _Progress:
    """Where a training is: all but the weights, as JSON values."""

    epoch: int = 0
    batch: int = 0
    loss: float = 0.0
    tokens: int = 0
    log: list[dict[str, float]] = field(default_factory=list)
    stopped: bool = False


@dataclass(eq=False)
class Trainer:
    """A model, its masters, and the place in the training.

    Parameters
    ----------
    task, settings, training, precision, device
        As :func:`train` takes them.
    """

    task: Task
    settings: Settings
    training: Training
    precision: torch.dtype = torch.bfloat16
    device: str = "cpu"

    def __post_init__(self) -> None:
        self.model = make_model(self.settings, self.training.seed).to(self.device)
        self.masters = MasterWeights(self.model, self.training, self.precision)
        self.best = self.masters.flat.clone()
        self.now = _Progress()
        #: Of the epoch so far, summed over its tokens, on the device: nothing waits for it.
        self.loss = torch.zeros((), dtype=torch.float64, device=self.device)
        self.tokens = self.training.epochs * sum(map(count_tokens, self.epoch(0)))

    def epoch(self, number: int) -> list[torch.Tensor]:
        """Return the batches of an epoch in their order."""
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
        self.measure()
        bar.set_postfix(epoch=self.now.epoch, dev=self.now.log[-1]["dev_perplexity"])

    def step(self, epoch: Sequence[torch.Tensor], number: int) -> int:
        """Learn from one batch; return its tokens."""
        read, expected = tokens.read_and_expected(epoch[number].to(self.device))
        logits = self.model(read).flatten(0, 1).float()
        loss = functional.cross_entropy(logits, expected.flatten(), ignore_index=tokens.IGNORED)
        loss.backward()
        done = (self.now.epoch + (number + 0.5) / len(epoch)) / self.training.epochs
        self.masters.step(rate_at(done, self.training))
        n_tokens = count_tokens(epoch[number])
        self.loss += loss.detach().double() * n_tokens
        self.now.tokens += n_tokens
        self.now.batch = number + 1
        return n_tokens

    def measure(self) -> None:
        """Add a row to the log; keep the best weights; stop if the last epoch made it worse."""
        now, log = self.now, self.now.log
        dev = perplexity(self.model, self.task.games, self.training.reading, self.task.dev)
        read = now.tokens - (int(log[-1]["tokens"]) if log else 0)
        row = {"epoch": now.epoch + 1, "loss": round(float(self.loss) / read, 5)}
        row |= {"dev_perplexity": round(dev, 4), "tokens": now.tokens}
        now.stopped = bool(log) and row["dev_perplexity"] > log[-1]["dev_perplexity"]
        now.log, now.epoch, now.batch = [*log, row], now.epoch + 1, 0
        self.loss.zero_()
        if not now.stopped:
            self.best = self.masters.flat.clone()

    def save(self, path: Path) -> None:
        """Write all that the rest of the training depends on."""
        self.now.loss = float(self.loss)
        tensors = {**self.masters.state(), "best": self.best, "chance": torch.get_rng_state()}
        if self.device != "cpu":
            tensors["chance.device"] = torch.cuda.get_rng_state()
        about = {**self._about(), "progress": json.dumps(asdict(self.now))}
        write_tensors(tensors, about, path)

    def load(self, path: Path) -> None:
        """Go to the place that :meth:`save` wrote."""
        tensors, about = read_tensors(path)
        values: dict[str, Any] = json.loads(about.pop("progress", "{}"))
        if about != self._about():
            raise ValueError(f"{path} is the state of another training; move it away")
        self.now = _Progress(**values)
        self.loss.fill_(self.now.loss)
        self.masters.restore(tensors)
        self.best = tensors["best"].to(self.device, copy=True)
        torch.set_rng_state(tensors["chance"])
        if "chance.device" in tensors:
            torch.cuda.set_rng_state(tensors["chance.device"])

    def _about(self) -> dict[str, str]:
        return {
            "form": STATE_FORM if self.device == "cpu" else f"{STATE_FORM} on {self.device}",
            "settings": json.dumps(asdict(self.settings), sort_keys=True),
            "training": json.dumps(asdict(self.training), sort_keys=True),
            "games": f"{len(self.task.train)} {len(self.task.dev)} {self.tokens}",
        }


def count_tokens(rows: torch.Tensor) -> int:
    """Return how many tokens of a batch are to be said: all but the first of each game."""
    return int((rows != tokens.PAD).sum()) - len(rows)


def rate_at(done: float, training: Training) -> float:
    """Return the share of the learning rate when a share ``done`` of the training is over.

    Both go from 0 to 1.
    """
    return max(0.0, min(done / training.warmup, (1 - done) / training.cooldown, 1.0))


# ---------------------------------------------------------------- optimisers

#: Adam's constants, the defaults of Kingma and Ba 2014; the second beta is a setting.
BETA1, EPSILON = 0.9, 1e-8

#: Coefficients of the polynomial that draws singular values towards one, and how often it is
#: applied (Jordan and others 2024, "Muon: an optimizer for hidden layers in neural networks").
NEWTON_SCHULZ, STEPS = (3.4445, -4.7750, 2.0315), 5

#: In the names of matrices that are several square ones, stacked.
STACKED = ("project", "weight_ih", "weight_hh")

_STATE = ("exp_avg", "exp_avg_sq", "step")


class MasterWeights:
    """The float32 weights of a model, and the optimisers that move them.

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
        matrices: dict[str, nn.Parameter] = {}
        decayed: list[nn.Parameter] = []
        others: list[nn.Parameter] = []
        for name, weights in model.named_parameters():
            hidden = name.startswith("body") and "weight" in name and weights.dim() == 2
            if training.optimiser == "muon" and hidden:
                matrices[name] = weights
            else:
                (decayed if weights.dim() > 1 else others).append(weights)
        parameters = [*matrices.values(), *decayed, *others]
        self.flat = torch.cat([weights.detach().float().flatten() for weights in parameters])
        for name, buffer in model.named_buffers():
            owner, _, last = name.rpartition(".")
            setattr(model.get_submodule(owner), last, buffer.to(precision))
        self._rounded = self.flat.to(precision)
        self._gradient = torch.zeros_like(self._rounded)
        ends = np.cumsum([0, *(weights.numel() for weights in parameters)]).tolist()
        for weights, (first, last) in zip(parameters, pairwise(ends), strict=True):
            weights.data = self._rounded[first:last].view(weights.shape)
            weights.grad = self._gradient[first:last].view(weights.shape)
        # Matrices come first and are Muon's, then what decays, then what does not.
        groups = [list(matrices.values()), decayed, others]
        self._sizes = [sum(weights.numel() for weights in group) for group in groups]
        first, *rest = self.flat.split(self._sizes)
        self._muon = _Muon(first, matrices, training, precision) if matrices else None
        self._groups = [nn.Parameter(part, requires_grad=False) for part in rest]
        rules = [
            {"params": [group], "weight_decay": decay}
            for group, decay in zip(self._groups, (training.decay, 0.0), strict=True)
        ]
        betas = (BETA1, training.beta2)
        self._adam = torch.optim.AdamW(rules, training.rate, betas, EPSILON, fused=True)

    def step(self, share: float) -> None:
        """Move the weights along the gradient that ``backward`` left, and forget it.

        Parameters
        ----------
        share
            Of the highest learning rates, 0 to 1.
        """
        gradient = self._gradient.float()
        gradient *= (self.training.clip / gradient.norm().clamp(min=1e-12)).clamp(max=1.0)
        first, *rest = gradient.split(self._sizes)
        if self._muon is not None:
            self._muon.step(first, share)
        for group, part, options in zip(self._groups, rest, self._adam.param_groups, strict=True):
            group.grad, options["lr"] = part, self.training.rate * share
        self._adam.step()
        self._rounded.copy_(self.flat)
        self._gradient.zero_()

    def state(self) -> dict[str, torch.Tensor]:
        """Return all that a later step depends on, by name: copies."""
        state = {
            f"{name}.{number}": self._adam.state[group][name].clone()
            for number, group in enumerate(self._groups)
            for name in _STATE
            if group in self._adam.state
        }
        if self._muon is not None:
            state["momentum"] = self._muon.momentum.clone()
        return {"weights": self.flat.clone(), **state}

    def restore(self, state: Mapping[str, torch.Tensor]) -> None:
        """Go back to what :meth:`state` returned."""
        self.set_weights(state["weights"])
        if self._muon is not None:
            self._muon.momentum.copy_(state["momentum"])
        for number, group in enumerate(self._groups):
            if f"step.{number}" in state:
                kept = {name: state[f"{name}.{number}"].to(group.device) for name in _STATE}
                self._adam.state[group] = {name: part.clone() for name, part in kept.items()}

    def set_weights(self, weights: torch.Tensor) -> None:
        """Give masters and model the weights ``(n,)`` float32."""
        self.flat.copy_(weights)
        self._rounded.copy_(self.flat)


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
        In which they are orthogonalised.
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
            moved = orthogonalise(stack.view(-1, rows, columns).to(self.precision))
            size = max(1.0, rows / columns) ** 0.5
            for (first, last), matrix in zip(spans, moved.flatten(1).float(), strict=True):
                self.masters[first:last].add_(matrix, alpha=-rate * size)


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


# ---------------------------------------------------------------- files of tensors


class CheckpointError(ValueError):
    """A file that is not a checkpoint of ours, or is damaged."""


def write_checkpoint(model: LanguageModel, training: Training, path: Path) -> Path:
    """Write a model's weights, rounded to float16, with what it is and how it was trained."""
    weights = {name: part.half().contiguous() for name, part in model.state_dict().items()}
    about = {
        "form": FORM,
        "settings": json.dumps(asdict(model.settings), sort_keys=True),
        "training": json.dumps(asdict(training), sort_keys=True),
    }
    return write_tensors(weights, about, path)


def read_checkpoint(path: Path) -> tuple[LanguageModel, Training]:
    """Return a model in float32, in evaluation mode, and how it was trained.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message says how to make it.
    CheckpointError
        If the file is not a checkpoint of ours, or does not fit its own settings.
    """
    tensors, about = read_tensors(path)
    if about.get("form") != FORM:
        raise CheckpointError(f"{path} says it is {about.get('form')!r}, not {FORM!r}")
    try:
        model = make_model(Settings(**json.loads(about["settings"])), seed=0)
        training = Training(**json.loads(about["training"]))
        model.load_state_dict({name: part.float() for name, part in tensors.items()})
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"{path} does not hold the model it names: {error}") from None
    return model.eval(), training


def write_tensors(
    tensors: Mapping[str, torch.Tensor], about: Mapping[str, str], path: Path
) -> Path:
    """Write named tensors and texts to a file, atomically: a kill leaves the old file or ours."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(f".part{os.getpid()}")
    save_file(dict(tensors), aside, dict(about))
    return aside.replace(path)


def read_tensors(
    path: Path, run: str | None = None
) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return the tensors and texts of a file; of one that was kept of ``run``, if it is given.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message says how to make it.
    CheckpointError
        If the file is cut off, of another form, or another run's.
    """
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is missing; run: python -m chessgloss.tracking.runs {path.stem}"
        )
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            about = dict(file.metadata() or {})
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{path} is damaged or no safetensors file: {error}") from None
    if run is not None and about.get("run") != run:
        raise CheckpointError(f"{path} is of the run {about.get('run')!r}, not {run!r}")
    return tensors, about
