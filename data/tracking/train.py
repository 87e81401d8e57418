"""Train the language models of games whose records and answers ``data/tracking`` holds.

    python data/tracking/train.py --list
    python data/tracking/train.py S-uci-1 S-rap25-1
    python data/tracking/train.py --all

A run that was stopped, however, goes on where it was; one that is done is left alone (remove its
record to make it again). Several commands may work through the list side by side, each at another
run; on one machine, one command with a thread for each core is faster. The states of unfinished
runs lie in a folder beside the store. Where the questions of the chapters are missing, they are
made first.

Training follows section 4 of the state-tracking paper: Adam with decoupled decay, a rate that
rises over the first tenth and falls linearly, validation after every epoch, an end when it gets
worse. It is seeded, and resumable to the bit.

Games of like length stand beside each other: the order of an epoch is cut into padded batches.
The model computes in bfloat16, whose products a recent processor does in tiles. An update is
too small for its 8 bits, so each weight has a float32 master that the optimiser moves and that
is rounded back after each step. All weights of a model lie in one flat array, and so do their
gradients: a step is a handful of passes over memory, and nothing of it waits for a device.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pandas as pd
import torch
from filelock import FileLock, Timeout
from joblib import Parallel, delayed
from numpy.typing import NDArray
from safetensors.torch import save
from torch import nn
from torch.nn import functional
from tqdm import tqdm

from chessgloss.corpora.games import pack
from chessgloss.store import default_store, file_digest, write_tensors
from chessgloss.tracking import games as tokens
from chessgloss.tracking import probes
from chessgloss.tracking.models import LanguageModel, Settings, game_losses, make_model
from chessgloss.tracking.runs import (
    EPOCHS,
    FORM,
    HEADLINE,
    NAME,
    TRANSFORMER,
    Training,
    kept_path,
    read_checkpoint,
    read_run_file,
)

#: The plan, the state-tracking paper's Tables 4 to 7 and Figure 2 on a quarter of its games, for
#: one size of model; the shortest runs first: labels at each size (the probabilities of RAP are
#: Figure 2's), further seeds, and runs of S for more than the usual passes: what is due to few
#: games, and what to haste? The last is plain UCI with dropout, a control: what piece types do, is
#: that more than to keep a model from learning games by heart?
_PLANNED = (
    ("S", "uci-1 window50-1 rap5-1 rap15-1 rap25-1 rap50-1 rap75-1 rap100-1 ap-1"),
    ("S", "lstm-1 lstm_rap25-1 reformer-1 performer-1 uci-2 uci-3 rap25-2 rap25-3"),
    ("M", "uci-1 window50-1 rap5-1 rap25-1 rap50-1 ap-1"),
    ("M", "lstm-1 lstm_rap25-1 reformer-1 performer-1"),
    ("S", "uci-1x15 rap25-1x15 ap-1x15 rap5-1x15 rap25-1x30 uci-1x15d10"),
    ("S", "modern_uci-1 modern_rap25-1"),
    ("L", "uci-1 rap25-1 ap-1"),
    (
        "L",
        "modern_uci-1x1 modern.norotary_uci-1x1 modern.nomuon_uci-1x1 modern.nomixing_uci-1x1",
    ),
    (
        "L",
        "modern_uci-1 modern_uci-2 modern_ap-1 modern_rap25-1 modern_window50-1 random_uci-1",
    ),
)


#: The annealed base, on games of its own sizes (:data:`ANNEALED_GAMES`), the shortest first. The
#: first two rows choose passes and tokens a step.
_ANNEALED = (
    ("S", "uci-1 uci-1x8 uci-1x10"),
    ("L", "uci-1x1 smallbatch_uci-1x1"),
    ("S", "rap25-1 rap15-1 ap-1 uci-2 rap25-2 rap15-2 ap-2 uci-3 rap25-3 rap15-3 ap-3"),
    ("M", "uci-1 lstm-1 lstm_rap25-1 window50-1 reformer-1 performer-1 rap15-1 ap-1"),
    ("L", "uci-1 rap15-1 ap-1"),
    ("36000", "uci-1 random_uci-1 people_uci-1"),
    ("M", "uci-2 ap-2"),
    ("L", "uci-2 ap-2"),
    ("L", "lstm-1 window50-1 reformer-1 performer-1"),
    ("S", "rap5-1 rap50-1 rap75-1 rap100-1"),
    ("S", "lstm-1 window50-1 reformer-1 performer-1"),
)


def _annealed(size: str, label: str) -> str:
    variant, _, rest = label.rpartition("_")
    if variant in ("smallbatch", "random", "people"):
        return f"{size}-annealed.{variant}_{rest}"
    return f"{size}-annealed_{label}"


#: What is done, and what is to replace it.
PLAN = tuple(f"{size}-{label}" for size, labels in _PLANNED for label in labels.split())
PLAN_ANNEALED = tuple(
    _annealed(size, label) for size, labels in _ANNEALED for label in labels.split()
)

# ---------------------------------------------------------------- names and their settings

#: As many parameters as the transformer.
LSTM = Settings(kind="lstm", layers=3, width=232, dropout=0.0)

#: Kinds of model by their names in runs.
SHAPES: dict[str, Settings] = {
    "": TRANSFORMER,
    "window50": replace(TRANSFORMER, kind="window", window=50),
    "reformer": replace(TRANSFORMER, kind="reformer"),
    "performer": replace(TRANSFORMER, kind="performer"),
    "lstm": LSTM,
}

#: Of the modern base: some 26 million tokens at L, 13 at M, 8 at S.
MODERN_EPOCHS = {"S": 12, "M": 6, "L": 3}

#: Training games of the annealed base: a quarter of the paper's 200,000 at L, and half of its
#: 50,000 at M, so that S, M and L each have more games than the paper's recipe needs to count.
ANNEALED_GAMES = {"S": 12_500, "M": 25_000, "L": 50_000}

#: Passes of the annealed base: some 13 million tokens at S, 22 at M, 26 at L.
ANNEALED_EPOCHS = {"S": 6, "M": 5, "L": 3}

#: Most passes of a run whose tokens are set.
MOST_EPOCHS = 20

#: What a run on a number of games reads in all: three passes of 36,000 games of self-play.
ANNEALED_BUDGET = 18_900_000

#: What the paper trains (section 4): for a user with a GPU and days.
PAPER_MODEL = Settings(layers=12, width=768, heads=12)
PAPER_TRAINING = Training(tokens=60 * 192, rate=5e-4)

#: How the modern base is trained: matrices moved by Muon, twice the tokens a step, a rate that
#: is constant before it falls. Its transformer has rotary positions, and keys and values mixed
#: with the previous token's.
MODERN_TRAINING = Training(
    tokens=3072, optimiser="muon", decay=0.0, beta2=0.99, warmup=1 / 30, cooldown=0.6
)

#: The annealed base: every pass is made and the rate comes down to zero, whatever the dev
#: perplexity does, so that runs that are compared have read as much and have cooled as far.
ANNEALED_TRAINING = replace(MODERN_TRAINING, tokens=6144, early_stop=False)

#: Bases by the name that a run gives them: what changes in the model's shape and the training.
#: Those of the form ``modern.…`` leave out one choice, or try another shape.
BASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "modern": ({}, {}),
    "modern.norotary": ({"rotary": False}, {}),
    "modern.nomixing": ({"mixing": False}, {}),
    "modern.nomuon": ({}, {"optimiser": "adam"}),
    "modern.smallbatch": ({}, {"tokens": 1536}),
    "modern.deep": ({"layers": 8}, {}),
    "modern.wide": ({"layers": 6, "width": 256, "heads": 8}, {}),
    "random": ({}, {"games": "random"}),
    "annealed": ({"rotary": False}, {}),
    "annealed.smallbatch": ({"rotary": False}, {"tokens": 3072}),
    "annealed.random": ({"rotary": False}, {"games": "random"}),
    "annealed.people": ({"rotary": False}, {"games": "people"}),
}

_FORMS = f"""a name is SIZE-LABEL-SEED, such as S-uci-1, M-rap25-1, L-ap-1, S-window50-1, \
S-lstm_rap25-1; with passes and dropout S-uci-1x15, S-uci-1x15d10; with a base L-modern_uci-1 \
({", ".join(BASES)}, paper); a number of games goes with the bases paper and annealed: \
15000-paper_uci-1, 36000-annealed_uci-1"""


@dataclass(frozen=True, slots=True)
class Run:
    """One training.

    Parameters
    ----------
    name
        ``SIZE-LABEL-SEED``, with base, passes and dropout that are not the usual ones.
    size
        Training games: ``S``, ``M`` or ``L``, or a number of them with the bases ``paper`` and
        ``annealed``, whose S, M and L are larger than those of the others.
    base
        Name of the base (:data:`BASES`), or ``paper``; empty for GPT-2's form at our size.
    settings, training
        The model and how it is trained; the training holds notation and seed.
    """

    name: str
    size: str
    base: str
    settings: Settings
    training: Training

    @property
    def games(self) -> str:
        """Name of the set of training games (:meth:`chessgloss.tracking.games.Corpus.of`)."""
        if self.base.startswith("annealed"):
            return str(ANNEALED_GAMES.get(self.size, self.size))
        return self.size


def find_run(name: str) -> Run:
    """Return the run of a name; it need not be in the plan.

    Raises
    ------
    ValueError
        If the name is none; the message lists the valid forms.
    """
    parts = NAME.fullmatch(name)
    size, base, kind, notation, percent, seed, passes, dropped = (
        parts.groups(default="") if parts else [""] * 8
    )
    annealed = base.split(".")[0] == "annealed"
    sized = size in EPOCHS or base == "paper" or annealed
    labelled = (kind or notation) and (notation == "rap") == bool(percent)
    if not sized or not labelled or base not in ("", "paper", *BASES):
        raise ValueError(f"{name!r} names no run; {_FORMS}")
    settings = SHAPES[kind]
    training = Training()
    epochs = EPOCHS.get(size, 0)
    if base == "paper":
        settings = PAPER_MODEL
        training = PAPER_TRAINING
        epochs = PAPER_TRAINING.epochs
    elif base:
        shape, changes = BASES[base]
        usual = ANNEALED_TRAINING if annealed else MODERN_TRAINING
        training = replace(usual, **changes)
        epochs = (ANNEALED_EPOCHS if annealed else MODERN_EPOCHS).get(size, 0)
        if kind != "lstm":
            settings = replace(settings, **{"rotary": True, "mixing": True, **shape})
    plain = "" if kind and notation == "uci" else notation + percent
    label = "_".join(filter(None, [kind, plain]))
    ending = f"x{int(passes)}" if passes and int(passes) != epochs else ""
    ending += f"d{int(dropped)}" if dropped and int(dropped) else ""
    written = f"{size}-{base}{'_' if base else ''}{label}-{int(seed)}{ending}"
    if written != name:
        raise ValueError(f"{name!r} is written {written!r}")
    if (
        annealed and not epochs and not passes
    ):  # a number of games: as many tokens for all
        training = replace(training, budget=ANNEALED_BUDGET)
    training = replace(
        training,
        epochs=int(passes or epochs or MOST_EPOCHS),
        seed=int(seed),
        notation=notation or "uci",
        probability=int(percent or 0) / 100,
    )
    if dropped:
        settings = replace(settings, dropout=int(dropped) / 100)
    return Run(name, size, base, settings, training)


# ---------------------------------------------------------------- training

#: Dev games, the first, whose perplexity is measured after each epoch and ends training; the
#: record has that of all.
WATCHED = 1_000

#: What every state of an unfinished training says it is.
STATE_FORM = "chessgloss.tracking state 1"

#: Steps between two writings of the state.
EVERY = 250

#: Tokens by which chance shifts a length before an epoch sorts by it: games of like length
#: meet others in every epoch.
SHIFT = 4.0


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
        Whether the dev perplexity rose before the last epoch and ended training.
    seconds
        CPU time of the process, over all commands that worked at it.
    """

    model: LanguageModel
    log: list[dict[str, float]]
    stopped_early: bool
    seconds: float = 0.0


def make_epoch(
    games: tokens.TokenGames,
    selected: NDArray,
    training: Training,
    number: int,
    context: int,
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
    ids, starts = tokens.annotate(
        games, order, training.notation, training.probability, random
    )
    lengths = np.diff(starts)
    if lengths.max(initial=0) > context:
        raise ValueError(
            f"a game has {lengths.max()} tokens, the context only {context}"
        )
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
        with tqdm(
            total=trainer.tokens, unit="token", unit_scale=True, disable=None
        ) as bar:
            bar.update(trainer.now.tokens)
            while not trainer.finished:
                trainer.run_epoch(every, save, bar)
                save()
    trainer.masters.set_weights(trainer.best)
    stopped = trainer.now.stopped and trainer.now.epoch < training.epochs
    return Trained(trainer.model.eval(), trainer.now.log, stopped, trainer.seconds)


@dataclass(slots=True)
class _Progress:
    """Where a training is: all but the weights, as JSON values."""

    epoch: int = 0
    batch: int = 0
    loss: float = 0.0
    tokens: int = 0
    log: list[dict[str, float]] = field(default_factory=list)
    stopped: bool = False
    seconds: float = 0.0


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
        self.began = time.process_time()
        #: Of the epoch so far, summed over its tokens, on the device: nothing waits for it.
        self.loss = torch.zeros((), dtype=torch.float64, device=self.device)
        passes = self.training.epochs * sum(map(count_tokens, self.epoch(0)))
        #: To be read in all.
        self.tokens = self.training.budget or passes

    @property
    def finished(self) -> bool:
        """Whether nothing is left to read."""
        spent = bool(self.training.budget) and self.now.tokens >= self.training.budget
        return self.now.stopped or spent or self.now.epoch >= self.training.epochs

    @property
    def seconds(self) -> float:
        """CPU time so far, that of earlier commands included."""
        return self.now.seconds + time.process_time() - self.began

    def epoch(self, number: int) -> list[torch.Tensor]:
        """Return the batches of an epoch in their order."""
        context = self.settings.context
        return make_epoch(
            self.task.games, self.task.train, self.training, number, context
        )

    def run_epoch(self, every: int, save: Callable[[], None], bar: tqdm) -> None:
        """Make the steps that are left of an epoch, then measure."""
        epoch = self.epoch(self.now.epoch)
        self.model.train()
        for number in range(self.now.batch, len(epoch)):
            bar.update(self.step(epoch, number))
            if self.finished:
                break
            if self.now.batch % every == 0:
                save()
        self.measure()
        bar.set_postfix(epoch=self.now.epoch, dev=self.now.log[-1]["dev_perplexity"])

    def step(self, epoch: Sequence[torch.Tensor], number: int) -> int:
        """Learn from one batch; return its tokens."""
        read, expected = tokens.read_and_expected(epoch[number].to(self.device))
        logits = self.model(read).flatten(0, 1).float()
        loss = functional.cross_entropy(
            logits, expected.flatten(), ignore_index=tokens.IGNORED
        )
        loss.backward()
        done = (self.now.epoch + (number + 0.5) / len(epoch)) / self.training.epochs
        if self.training.budget:
            done = self.now.tokens / self.training.budget
        self.masters.step(rate_at(done, self.training))
        n_tokens = count_tokens(epoch[number])
        self.loss += loss.detach().double() * n_tokens
        self.now.tokens += n_tokens
        self.now.batch = number + 1
        return n_tokens

    def measure(self) -> None:
        """Add a row to the log; keep the best weights; stop if the last epoch made it worse."""
        now = self.now
        log = self.now.log
        dev = perplexity(
            self.model, self.task.games, self.training.reading, self.task.dev
        )
        read = now.tokens - (int(log[-1]["tokens"]) if log else 0)
        row = {"epoch": now.epoch + 1, "loss": round(float(self.loss) / read, 5)}
        row |= {"dev_perplexity": round(dev, 4), "tokens": now.tokens}
        worse = bool(log) and row["dev_perplexity"] > log[-1]["dev_perplexity"]
        now.stopped = worse and self.training.early_stop
        now.log = [*log, row]
        now.epoch = now.epoch + 1
        now.batch = 0
        self.loss.zero_()
        if not now.stopped:
            self.best = self.masters.flat.clone()

    def save(self, path: Path) -> None:
        """Write all that the rest of the training depends on."""
        self.now.loss = float(self.loss)
        tensors = {
            **self.masters.state(),
            "best": self.best,
            "chance": torch.get_rng_state(),
        }
        if self.device != "cpu":
            tensors["chance.device"] = torch.cuda.get_rng_state()
        now = replace(self.now, seconds=round(self.seconds, 1))
        about = {**self._about(), "progress": json.dumps(asdict(now))}
        write_tensors(save(tensors, about), path)

    def load(self, path: Path) -> None:
        """Go to the place that :meth:`save` wrote."""
        tensors, about = read_run_file(path)
        values: dict[str, Any] = json.loads(about.pop("progress", "{}"))
        if not self._is_of(about):
            raise ValueError(f"{path} is the state of another training; move it away")
        self.now = _Progress(**values)
        self.loss.fill_(self.now.loss)
        self.masters.restore(tensors)
        self.best = tensors["best"].to(self.device, copy=True)
        torch.set_rng_state(tensors["chance"])
        if "chance.device" in tensors:
            torch.cuda.set_rng_state(tensors["chance.device"])

    def _is_of(self, about: Mapping[str, str]) -> bool:
        """Return whether a state is of this training; settings it does not name are the usual."""
        expected = self._about()
        try:
            same_model = Settings(**json.loads(about["settings"])) == self.settings
            same_training = Training(**json.loads(about["training"])) == self.training
        except (KeyError, TypeError, ValueError):
            return False
        return (
            same_model
            and same_training
            and all(about.get(part) == expected[part] for part in ("form", "games"))
        )

    def _about(self) -> dict[str, str]:
        return {
            "form": STATE_FORM
            if self.device == "cpu"
            else f"{STATE_FORM} on {self.device}",
            "settings": json.dumps(asdict(self.settings), sort_keys=True),
            "training": json.dumps(asdict(self.training), sort_keys=True),
            "games": f"{len(self.task.train)} {len(self.task.dev)} {self.tokens}",
        }


def count_parameters(model: nn.Module) -> int:
    """Return how many numbers of a model are learned."""
    return sum(weights.numel() for weights in model.parameters())


def perplexity(
    model: LanguageModel,
    games: tokens.TokenGames,
    notation: tokens.Notation,
    selected: NDArray,
) -> float:
    """Return the canonical perplexity of games: one move counts as one token.

    Parameters
    ----------
    model
        A trained model; it is read in evaluation mode, in the precision of its weights.
    games
        The games.
    notation
        How the model reads them: ``ap`` or ``uci`` (RAP is for training alone).
    selected
        Indices of the games to measure on.
    """
    losses = game_losses(model, games, notation, selected)
    return math.exp(losses.sum() / games.plies[selected].sum())


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
NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
STEPS = 5

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
        self,
        model: nn.Module,
        training: Training,
        precision: torch.dtype = torch.bfloat16,
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
        self.flat = torch.cat(
            [weights.detach().float().flatten() for weights in parameters]
        )
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
        gradient *= (self.training.clip / gradient.norm().clamp(min=1e-12)).clamp(
            max=1.0
        )
        first, *rest = gradient.split(self._sizes)
        if self._muon is not None:
            self._muon.step(first, share)
        for group, part, options in zip(
            self._groups, rest, self._adam.param_groups, strict=True
        ):
            group.grad = part
            options["lr"] = self.training.rate * share
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
                kept = {
                    name: state[f"{name}.{number}"].to(group.device) for name in _STATE
                }
                self._adam.state[group] = {
                    name: part.clone() for name, part in kept.items()
                }

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
                self.spans.setdefault((height, columns), []).append(
                    (at, at + height * columns)
                )
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
            for (first, last), matrix in zip(
                spans, moved.flatten(1).float(), strict=True
            ):
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


# ---------------------------------------------------------------- files


def write_checkpoint(model: LanguageModel, training: Training, path: Path) -> Path:
    """Write a model's weights, rounded to float16, with what it is and how it was trained."""
    weights = {
        name: part.half().contiguous() for name, part in model.state_dict().items()
    }
    about = {
        "form": FORM,
        "settings": json.dumps(asdict(model.settings), sort_keys=True),
        "training": json.dumps(asdict(training), sort_keys=True),
    }
    return write_tensors(save(weights, about), path)


# ---------------------------------------------------------------- questions and random games

#: Of the choice of the project's questions.
SEED = 1


def build_probes(
    corpus: tokens.Corpus, *, seed: int, count: int = 1_000
) -> pd.DataFrame:
    """Make ``count`` questions of each task in each band from the probe games.

    Parameters
    ----------
    corpus
        Its probe games are asked about; its training games bar the prefixes they begin with.
    seed
        Of the order of the games, the length of each prefix and the other pieces.
    count
        Questions of a task in a band: as many games.

    Returns
    -------
    pandas.DataFrame
        Band by band, prefix by prefix, in the order of :data:`chessgloss.tracking.probes.TASKS`.

    Raises
    ------
    ValueError
        If the probe games give fewer.
    """
    random = np.random.default_rng(seed)
    known = set(chain(*tokens.prefix_hashes(corpus.games, corpus.of("L"))))
    unseen: dict[int, list[bool]] = {}
    held = corpus.of("probe")
    for game, beginnings in zip(
        held, tokens.prefix_hashes(corpus.games, held), strict=True
    ):
        unseen[game] = [beginning not in known for beginning in beginnings]
        known.update(beginnings)
    rows: list[dict[str, str]] = []
    for band, (shortest, longest) in probes.BANDS.items():
        wanted = len(rows) + len(probes.TASKS) * count
        for game in random.permutation(held):
            last = min(longest, int(corpus.games.plies[game]) - 1)
            if last < shortest or len(rows) == wanted:
                continue
            length = int(random.integers(shortest, last + 1))
            if unseen[game][length - 1]:
                moves = corpus.games.ucis(game)
                rows += probes.ask(
                    moves[:length], moves[length], band, str(corpus.keys[game]), random
                )
        if len(rows) < wanted:
            raise ValueError(
                f"the probe games give too few prefixes of the {band} band"
            )
    return pd.DataFrame(rows, columns=probes.COLUMNS)


def write_probes(questions: pd.DataFrame, path: Path) -> Path:
    """Write questions as lines under zstd, atomically; the same ones give the same bytes."""
    text = questions.to_csv(sep="\t", index=False, lineterminator="\n")
    return pack(text.splitlines(keepends=True), path)


#: Of the series of random games that runs read.
RANDOM_SEED = 3


def play_random_game(plies: int, seed: int, number: int) -> list[str]:
    """Return a game's moves in UCI: each drawn evenly among the legal ones.

    Parameters
    ----------
    plies
        Most moves; a mate or a stalemate ends the game before.
    seed, number
        Name the series and the game in it; the same two give the same moves.
    """
    generator = np.random.default_rng([seed, number])
    board = chess.Board()
    moves: list[str] = []
    while len(moves) < plies and (legal := list(board.legal_moves)):
        move = legal[int(generator.integers(len(legal)))]
        moves.append(move.uci())
        board.push(move)
    return moves


def read_random_corpus(path: Path, beside: tokens.Corpus) -> tokens.Corpus:
    """Return games of random legal moves, as long as the games of another corpus.

    Do they teach the rules better than games that somebody wants to win? Every game of the
    corpus has a random one beside it, of as many plies (fewer where random moves end the game),
    so that sets of the same names hold as many games and nearly as many tokens. If ``path``
    holds none yet they are played, the same bytes each time, which takes minutes.
    """
    if not path.is_file():
        plies = beside.games.plies
        print(
            f"playing {plies.size:,} random games, and some to spare, for {path}",
            flush=True,
        )
        wanted = [*plies, *plies[:500]]
        jobs = (
            delayed(play_random_game)(int(n), RANDOM_SEED, k)
            for k, n in enumerate(wanted)
        )
        played = Parallel(n_jobs=2, batch_size=256, return_as="generator")(jobs)
        head = "{}\trandom\trandom\t*\tunfinished\t{}\t{}\n"
        pack((head.format(k, len(m), " ".join(m)) for k, m in enumerate(played)), path)
    return tokens.read_corpus(path, beside.sizes)


# ---------------------------------------------------------------- runs


def main(arguments: Sequence[str] | None = None) -> int:
    """Train from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="data/tracking/train.py")
    parser.add_argument(
        "runs", nargs="*", metavar="RUN", help="such as S-uci-1 or M-rap25-1"
    )
    parser.add_argument(
        "--all", action="store_true", help="the whole plan, the shortest first"
    )
    parser.add_argument(
        "--list", action="store_true", help="show the plan and what is done"
    )
    parser.add_argument(
        "--threads", type=int, default=2, help="of torch (default: %(default)s)"
    )
    parser.add_argument(
        "--device", default="cpu", choices=("cpu", "cuda"), help="to compute on"
    )
    parser.add_argument(
        "--precision",
        default="bfloat16",
        choices=("bfloat16", "float32"),
        help="to train in",
    )
    given = parser.parse_args(arguments)
    try:
        planned = (*PLAN, *PLAN_ANNEALED) if given.all else ()
        runs = [find_run(name) for name in (*given.runs, *planned)]
        if given.list or not runs:
            print(listing())
            return 0
        torch.set_num_threads(given.threads)
        train_runs(runs, given.device, getattr(torch, given.precision))
    except (FileNotFoundError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def listing() -> str:
    """Return the plan as a table: name, and how far each run is."""
    rows = []
    for name in (*PLAN, *PLAN_ANNEALED):
        begun = "begun" if (work_folder() / f"{name}.state").is_file() else "to do"
        rows.append(
            f"{name:<30} {'done' if kept_path('runs', name).is_file() else begun}"
        )
    return "\n".join(rows)


def work_folder() -> Path:
    """Return where the states and locks of unfinished runs lie, and all checkpoints."""
    return default_store().root.parent / "tracking"


def train_runs(
    runs: Sequence[Run], device: str = "cpu", precision: torch.dtype = torch.bfloat16
) -> None:
    """Train, in order, the runs that are not done and that no other command is at.

    Parameters
    ----------
    runs
        What to train.
    device
        Where models compute.
    precision
        In which they compute while they are trained.
    """
    corpus = tokens.read_corpus()
    path = probes.probes_file()
    work_folder().mkdir(parents=True, exist_ok=True)
    with FileLock(work_folder() / "probes.lock"):
        if not path.is_file():
            write_probes(build_probes(corpus, seed=SEED), path)
    questions = probes.read_probes()
    for run in runs:
        with suppress(Timeout), FileLock(work_folder() / f"{run.name}.lock", timeout=0):
            if not kept_path("runs", run.name).is_file():
                print(run.name, flush=True)
                train_run(run, corpus, questions, device, precision)


def train_run(
    run: Run,
    corpus: tokens.Corpus,
    questions: pd.DataFrame,
    device: str = "cpu",
    precision: torch.dtype = torch.bfloat16,
) -> None:
    """Train a run to its end, measure it, and keep record, predictions, measures, checkpoint.

    A run on random games is stopped by random games; it is measured on ``corpus`` like all.
    """
    source = corpus
    state = work_folder() / f"{run.name}.state"
    if run.training.games == "people":
        raise ValueError(
            f"{run.name} reads people's games, for which there is no reader yet"
        )
    if run.training.games == "random":
        source = read_random_corpus(work_folder() / "random.tsv.zst", corpus)
    task = Task(source.games, source.of(run.games), source.of("dev")[:WATCHED])
    trained = train(
        task, run.settings, run.training, state, precision=precision, device=device
    )
    kept = work_folder() / f"{run.name}.safetensors"
    write_checkpoint(trained.model, run.training, kept)
    model = read_checkpoint(kept)[0].to(device)
    reading = run.training.reading
    dev = perplexity(model, corpus.games, reading, corpus.of("dev"))
    digest = file_digest(tokens.data_folder() / "games.tsv.zst")
    test = corpus.of("test")
    nats = game_losses(model, corpus.games, reading, test)
    plies = corpus.games.plies[test]
    measures = {
        "test.nats": nats.astype(np.float32),
        "test.plies": plies.astype(np.uint8),
    }
    if reading == "uci":
        for band, rows in questions[questions["task"] == "end_actual"].groupby("band"):
            measures[f"own.{band}"] = probes.share_on_own_pieces(model, rows)
    tensors = {name: torch.from_numpy(values) for name, values in measures.items()}
    about = {"run": run.name, "games": digest}
    write_tensors(save(tensors, about), kept_path("measures", run.name))
    asked = questions
    if run.training.notation == "uci":  # it has seen no piece types
        asked = questions[questions["task"].isin(probes.END_TASKS)]
    answers = {
        f"{task}.{band}": torch.from_numpy(
            probes.rank(probes.predict(model, rows, reading))
        )
        for (task, band), rows in asked.groupby(["task", "band"])
    }
    about = {"run": run.name, "probes": file_digest(probes.probes_file())}
    write_tensors(save(answers, about), kept_path("predictions", run.name))
    if run.name in HEADLINE:
        write_checkpoint(model, run.training, kept_path("checkpoints", run.name))
    record = {
        "run": run.name,
        "size": run.size,
        "settings": asdict(run.settings),
        "training": asdict(run.training),
        "base": run.base,
        "tokens": int(trained.log[-1]["tokens"]),
        "parameters": count_parameters(model),
        "games": len(task.train),
        "log": trained.log,
        "stopped_early": trained.stopped_early,
        "device": device,
        "cpu_seconds": round(trained.seconds),
        "dev_perplexity": round(dev, 4),
        "test_perplexity": round(math.exp(nats.sum() / plies.sum()), 4),
        "versions": {"torch": torch.__version__, "games": digest},
    }
    path = kept_path("runs", run.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".part")
    aside.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    aside.replace(path)
    state.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
