"""Train the language models of games, and keep what each training came to.

Training follows section 4 of the state-tracking paper where a run asks for it: Adam with decoupled
decay, a rate that rises over the first tenth and falls linearly, an end when validation gets worse.
The recipe of the plan (:mod:`chessgloss.tracking.plan`) has Muon and makes every pass. Validation
comes after every epoch. Training is seeded, and resumable to the bit. A run that was stopped
goes on where it was; one that is done is left alone (remove its record to make it again).
Several commands may work through the list side by side, each at another run. The states of
unfinished runs lie in a folder beside the store.

Games of like length stand beside each other: the order of an epoch is cut into padded batches.
The model computes in bfloat16, whose products a recent processor does in tiles; its float32
masters move (:mod:`chessgloss.tracking.optim`). ``data/tracking/train.py`` is the command.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from filelock import FileLock, Timeout
from numpy.typing import NDArray
from safetensors.torch import save
from torch import nn
from torch.nn import functional
from tqdm import tqdm

from chessgloss.assets import AssetMissing
from chessgloss.store import default_store, file_digest, write_file, write_tensors
from chessgloss.tracking import games as tokens
from chessgloss.tracking import probes
from chessgloss.tracking.measures import Benchmark, keep_crossed, keep_measures
from chessgloss.tracking.models import LanguageModel, Settings, game_losses, make_model
from chessgloss.tracking.optim import MasterWeights
from chessgloss.tracking.plan import PLAN, Run
from chessgloss.tracking.runs import (
    HEADLINE,
    Training,
    kept_path,
    read_checkpoint,
    read_run_file,
    write_checkpoint,
)
from chessgloss.tracking.sources import read_file_corpus, read_source

# ---------------------------------------------------------------- training

#: Dev games, the first, whose perplexity is measured after each epoch and ends training; the
#: record has that of all.
WATCHED = 1_000

#: Steps between two writings of the state.
EVERY = 250

#: Tokens by which chance shifts a length before an epoch sorts by it: games of like length
#: meet others in every epoch.
SHIFT = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """The games to train on and those that end the training.

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
    """A trained model and the log of its training.

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
        bar = tqdm(total=trainer.tokens, unit="token", unit_scale=True, disable=None)
        bar.update(trainer.now.tokens)
        while not trainer.finished:
            epoch = trainer.epoch()
            while trainer.now.batch < len(epoch) and not trainer.finished:
                bar.update(trainer.step(epoch))
                if state is not None and trainer.now.batch % every == 0:
                    trainer.save(state)
            trainer.measure()
            bar.set_postfix(trainer.now.log[-1])
            if state is not None:
                trainer.save(state)
        bar.close()
    now = trainer.now
    trainer.model.load_state_dict(trainer.best)
    stopped = now.stopped and now.epoch < training.epochs
    return Trained(trainer.model.eval(), now.log, stopped, trainer.seconds)


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
        self.best = self.weights()
        self.now = _Progress()
        self.began = time.process_time()
        passes = self.training.epochs * sum(map(count_tokens, self.epoch()))
        #: To be read in all.
        self.tokens = self.training.budget or passes

    @property
    def finished(self) -> bool:
        """Whether nothing is left to read."""
        now = self.now
        spent = now.tokens >= self.training.budget > 0
        return now.stopped or spent or now.epoch >= self.training.epochs

    @property
    def seconds(self) -> float:
        """CPU time so far, that of earlier commands included."""
        return self.now.seconds + time.process_time() - self.began

    def weights(self) -> dict[str, torch.Tensor]:
        """Return a copy of the model's weights."""
        return {name: part.clone() for name, part in self.model.state_dict().items()}

    def epoch(self) -> list[torch.Tensor]:
        """Return the batches of this epoch in their order."""
        number = self.now.epoch
        context = self.settings.context
        return make_epoch(
            self.task.games, self.task.train, self.training, number, context
        )

    def step(self, epoch: Sequence[torch.Tensor]) -> int:
        """Learn from the next batch; return its tokens."""
        now = self.now
        batch = epoch[now.batch]
        self.model.train()
        read, expected = tokens.read_and_expected(batch.to(self.device))
        logits = self.model(read).flatten(0, 1).float()
        loss = functional.cross_entropy(
            logits, expected.flatten(), ignore_index=tokens.IGNORED
        )
        loss.backward()
        done = (now.epoch + (now.batch + 0.5) / len(epoch)) / self.training.epochs
        if self.training.budget:
            done = now.tokens / self.training.budget
        self.masters.step(rate_at(done, self.training))
        n_tokens = count_tokens(batch)
        now.loss += loss.item() * n_tokens
        now.tokens += n_tokens
        now.batch += 1
        return n_tokens

    def measure(self) -> None:
        """Add a row to the log; keep the best weights; stop if the last epoch made it worse."""
        now = self.now
        dev = perplexity(
            self.model, self.task.games, self.training.reading, self.task.dev
        )
        before = now.log[-1] if now.log else {"tokens": 0, "dev_perplexity": math.inf}
        row = {
            "epoch": now.epoch + 1,
            "loss": round(now.loss / (now.tokens - before["tokens"]), 5),
            "dev_perplexity": round(dev, 4),
            "tokens": now.tokens,
        }
        worse = row["dev_perplexity"] > before["dev_perplexity"]
        now.stopped = worse and self.training.early_stop
        now.log = [*now.log, row]
        now.epoch += 1
        now.batch = 0
        now.loss = 0.0
        if not now.stopped:
            self.best = self.weights()

    def save(self, path: Path) -> None:
        """Write all that the rest of the training depends on."""
        tensors = self.masters.state()
        tensors |= {f"best.{name}": part for name, part in self.best.items()}
        tensors["chance"] = torch.get_rng_state()
        if self.device != "cpu":
            tensors["chance.device"] = torch.cuda.get_rng_state()
        now = replace(self.now, seconds=round(self.seconds, 1))
        about = {"training": self.name, "progress": json.dumps(asdict(now))}
        write_tensors(save(tensors, about), path)

    def load(self, path: Path) -> None:
        """Go to the place that :meth:`save` wrote."""
        tensors, about = read_run_file(path)
        if about.get("training") != self.name:
            raise ValueError(f"{path} is the state of another training; move it away")
        progress: dict[str, Any] = json.loads(about["progress"])
        self.now = _Progress(**progress)
        self.masters.restore(tensors)
        self.best = {name: tensors[f"best.{name}"] for name in self.best}
        torch.set_rng_state(tensors["chance"])
        if "chance.device" in tensors:
            torch.cuda.set_rng_state(tensors["chance.device"])

    @property
    def name(self) -> str:
        """What a state is of: device, model, training and games."""
        games = [len(self.task.train), len(self.task.dev), self.tokens]
        parts = (self.device, asdict(self.settings), asdict(self.training), games)
        return json.dumps(parts)


def device_name(device: str) -> str:
    """Return the device's name in records: ``cpu``, or the name of the GPU."""
    return device if device == "cpu" else torch.cuda.get_device_name(device)


def count_parameters(model: nn.Module) -> int:
    """Return the number of a model's learned parameters."""
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
    """Return the number of tokens of a batch to be said: all but the first of each game."""
    return int((rows != tokens.PAD).sum()) - len(rows)


def rate_at(done: float, training: Training) -> float:
    """Return the share of the learning rate when a share ``done`` of the training is over.

    Both go from 0 to 1.
    """
    return max(0.0, min(done / training.warmup, (1 - done) / training.cooldown, 1.0))


# ---------------------------------------------------------------- runs


def listing() -> str:
    """Return the plan as a table: name and progress of each run, and the cost of those done."""
    return "\n".join(f"{name:<30} {_state_of(name)}" for name in PLAN)


def _state_of(name: str) -> str:
    record = kept_path("runs", name)
    if not record.is_file():
        return "begun" if (work_folder() / f"{name}.state").is_file() else "to do"
    about = json.loads(record.read_text(encoding="utf-8"))
    seconds = about.get("cpu_seconds")
    took = f"{seconds:,} CPU seconds" if seconds else "time not recorded"
    millions = about["tokens"] / 1e6
    return f"done: {millions:.1f} million tokens on {about['device']}, {took}"


def work_folder() -> Path:
    """Return the folder of the states and locks of unfinished runs, and of all checkpoints."""
    return default_store().root.parent / "tracking"


def train_runs(
    runs: Sequence[Run],
    device: str = "cpu",
    precision: torch.dtype = torch.bfloat16,
    games: Path | None = None,
) -> None:
    """Train, in order, the runs that are not done and that no other command is at.

    Runs whose games are not there are passed over; the rest is trained first.

    Parameters
    ----------
    runs
        What to train.
    device
        Where models compute.
    precision
        In which they compute while they are trained.
    games
        A file of games to train and measure on in place of the project's; what comes of it is
        kept apart (:func:`file_folder`).

    Raises
    ------
    chessgloss.assets.AssetMissing
        At the end, if the games of a run are not there.
    ValueError
        If a run that names other games is to read ``games``; or if these are too few.
    """
    missing: AssetMissing | None = None
    for run in runs:
        if games is None:
            benchmark = read_project()
        else:
            benchmark = read_file(games, run)
            run = replace(run, training=replace(run.training, games="file"))
        lock = FileLock(benchmark.work / f"{run.name}.lock", timeout=0)
        try:
            with suppress(Timeout), lock:
                if not kept_path("runs", run.name, benchmark.folder).is_file():
                    print(run.name, flush=True)
                    train_run(run, benchmark, device, precision)
        except AssetMissing as error:
            print(f"{run.name}: {error}", flush=True)
            missing = error
    if missing is not None:
        raise missing


def read_project() -> Benchmark:
    """Return the project's games and questions; the questions are made if they are missing."""
    corpus = tokens.read_corpus()
    folder = tokens.data_folder()
    games = folder / "games.tsv.zst"
    return _benchmark(corpus, games, probes.probes_file(), folder, work_folder())


def read_file(games: Path, run: Run) -> Benchmark:
    """Return the games of a file, enough for a run, and questions made from them.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it holds too few games, or the run names other games than self-play.
    """
    if run.training.games != "selfplay":
        raise ValueError(f"{run.name} reads {run.training.games} games, not a file's")
    number = int(run.size) if run.size.isdigit() else tokens.BOOK_SIZES[run.size]
    corpus = read_file_corpus(games, number)
    folder = file_folder(games)
    asked = folder / f"probes-{number}.tsv.zst"
    return _benchmark(corpus, games, asked, folder, folder)


def file_folder(games: Path) -> Path:
    """Return the folder of all results of runs on a file of games, beside the store."""
    name = f"{games.name.split('.')[0]}-{file_digest(games)[:12]}"
    return work_folder() / "files" / name


def _benchmark(
    corpus: tokens.Corpus, games: Path, asked: Path, folder: Path, work: Path
) -> Benchmark:
    work.mkdir(parents=True, exist_ok=True)
    with FileLock(work / "probes.lock"):
        if not asked.is_file():
            probes.write_probes(probes.build_probes(corpus, seed=probes.SEED), asked)
    return Benchmark(corpus, probes.read_probes(asked), games, asked, folder, work)


def train_run(
    run: Run,
    benchmark: Benchmark,
    device: str = "cpu",
    precision: torch.dtype = torch.bfloat16,
) -> None:
    """Train a run to its end, measure it, and keep record, predictions, measures, checkpoint.

    A run on other games is stopped by games of its own; it is measured on the benchmark like all,
    and one on a number of games on the other sources too.

    Raises
    ------
    chessgloss.assets.AssetMissing
        If its games are not there.
    """
    corpus = benchmark.corpus
    source = read_source(run.training.games, corpus, benchmark.work)
    state = benchmark.work / f"{run.name}.state"
    task = Task(source.games, source.of(run.size), source.of("dev")[:WATCHED])
    trained = train(
        task, run.settings, run.training, state, precision=precision, device=device
    )
    checkpoint = benchmark.work / f"{run.name}.safetensors"
    write_checkpoint(trained.model, run.training, checkpoint)
    model = read_checkpoint(checkpoint)[0].to(device)
    keep_measures(run, model, benchmark)
    keep_crossed(run, model, benchmark)
    if run.name in HEADLINE:
        kept = kept_path("checkpoints", run.name, benchmark.folder)
        write_checkpoint(model, run.training, kept)
    reached = {
        f"{name}_perplexity": round(
            perplexity(model, corpus.games, run.training.reading, corpus.of(name)), 4
        )
        for name in ("dev", "test")
    }
    games = file_digest(benchmark.games_file)
    record = {
        "run": run.name,
        "size": run.size,
        "settings": asdict(run.settings),
        "training": asdict(run.training),
        "variant": run.variant,
        "tokens": int(trained.log[-1]["tokens"]),
        "parameters": count_parameters(model),
        "games": len(task.train),
        "log": trained.log,
        "stopped_early": trained.stopped_early,
        "device": device_name(device),
        "cpu_seconds": round(trained.seconds),
        **reached,
        "versions": {"torch": torch.__version__, "games": games},
    }
    path = kept_path("runs", run.name, benchmark.folder)
    write_file(path, json.dumps(record, indent=1) + "\n")
    state.unlink(missing_ok=True)
