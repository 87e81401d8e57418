"""The trainings behind the chapters: what each is called, what it is, and what came of it.

A run is named ``SIZE-LABEL-SEED``: ``S-uci-1``, ``M-rap25-1``, ``L-ap-1``, ``S-window50-1``,
``S-lstm_rap25-1``. One that makes another number of passes than its size usually does says so,
and so does one with dropout, in per cent: ``S-uci-1x15``, ``S-uci-1x15d10``. The plan is the
state-tracking paper's Tables 4 to 7 and Figure 2, on a quarter of its games, for one size of
model, and some of S for longer.

A base other than GPT-2's small form is named before the label (:data:`BASES`):
``L-modern_uci-1``, ``L-modern.norotary_uci-1``, ``L-random_uci-1``; ``15000-paper_uci-1`` is the
paper's own model on the first 15,000 training games.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from chessgloss.store import find_project
from chessgloss.tracking.checkpoints import read_checkpoint, read_tensors_of
from chessgloss.tracking.models import LanguageModel
from chessgloss.tracking.settings import Settings, Training, settings_from, training_from

#: The shape of every transformer of the plan, and of the LSTM: as many parameters. Few and wide
#: layers, since narrow ones keep a processor waiting for memory; and nothing is dropped, since a
#: training of a few passes does not learn its games by heart (S, three passes: a dev perplexity
#: of 99 without dropout, of 120 with the paper's 0.1).
TRANSFORMER = Settings(layers=4, width=160, heads=4, dropout=0.0)
LSTM = Settings(kind="lstm", layers=3, width=232, dropout=0.0)

#: Most passes over the training games. The paper makes ten at every size; two slow cores do not,
#: and a larger set seen fewer times is still more games seen.
EPOCHS = {"S": 5, "M": 3, "L": 2}

#: Of the modern base: some 43 million tokens at L, 22 at M, 13 at S.
MODERN_EPOCHS = {"S": 20, "M": 10, "L": 5}

#: What the paper trains (section 4): for a user with a GPU and days.
PAPER_MODEL = Settings(layers=12, width=768, heads=12)
PAPER_TRAINING = Training(tokens=60 * 192, rate=5e-4)

#: The base of longer runs: rotary positions, keys and values mixed with the previous token's,
#: matrices moved by Muon, twice the tokens a step, a rate that is constant before it falls.
MODERN = replace(TRANSFORMER, rotary=True, mixing=True)
MODERN_LSTM = LSTM
MODERN_TRAINING = Training(
    tokens=3072, optimiser="muon", decay=0.0, beta2=0.99, warmup=0.02, cooldown=0.6
)

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
}

#: Probability of RAP, in percent, in the tables: the paper's best for 15,000 and 50,000
#: games, which are the sizes nearest to our M and L.
RAP = 25

#: Probabilities of Figure 2, in percent, at S and at M.
FIGURE_2: dict[str, tuple[int, ...]] = {"S": (5, 15, 25, 50, 75, 100), "M": (5, 25, 50)}

#: Runs whose checkpoints are committed and evaluated when the chapters run.
HEADLINE = (
    *("S-uci-1", "S-rap25-1", "M-uci-1", "M-rap25-1"),
    *("L-uci-1", "L-rap25-1", "L-ap-1"),
)

#: Runs of S for more than the usual passes: what is due to few games, and what to haste? The
#: last is plain UCI with dropout, a control: what piece types do, is that more than to keep a
#: model from learning games by heart?
LONGER = (
    *("S-uci-1x15", "S-rap25-1x15", "S-ap-1x15", "S-rap5-1x15"),
    *("S-rap25-1x30", "S-uci-1x15d10"),
)

#: What each kind's step costs beside the transformer's: the order of the plan, no more.
_COST = {"gpt": 1.0, "window": 1.0, "lstm": 1.3, "reformer": 1.3, "performer": 1.3}

#: Training games of each size, for the order of the plan.
_GAMES = {"S": 3_750, "M": 12_500, "L": 50_000}

_NAME = re.compile(
    r"([SML]|\d+)-(?:(paper|random|modern(?:\.[a-z]+)?)_)?"
    r"(?:(window50|lstm|reformer|performer)_?)?(uci|ap|rap(\d+))?-(\d+)"
    r"(?:x(\d+))?(?:d(\d+))?"
)


@dataclass(frozen=True, slots=True)
class Run:
    """One training of the plan.

    Parameters
    ----------
    size
        Training games: ``S``, ``M`` or ``L``.
    settings, training
        The model and how it is trained; the training holds notation and seed.
    base
        Name of the base (:data:`BASES`), or ``paper``; empty for GPT-2's form at our size.
    """

    size: str
    settings: Settings
    training: Training
    base: str = ""

    def __post_init__(self) -> None:
        if self.size not in _GAMES and not self.size.isdigit():
            raise ValueError(
                f"no size {self.size!r}; choose one of {', '.join(_GAMES)}, or a number of games"
            )

    @property
    def name(self) -> str:
        """``SIZE-LABEL-SEED``, with passes and dropout that are not the usual ones."""
        epochs, dropped = self.training.epochs, round(100 * self.settings.dropout)
        passes = f"x{epochs}" if epochs != _usual_epochs(self.size, self.base) else ""
        dropout = f"d{dropped}" if dropped and self.base != "paper" else ""
        return f"{self.size}-{self.label}-{self.training.seed}{passes}{dropout}"

    @property
    def label(self) -> str:
        """Kind and notation, the usual one left out: ``uci``, ``window50``, ``lstm_rap25``."""
        kind, one = self.settings.kind, self.training
        notation = f"rap{round(100 * one.probability)}" if one.notation == "rap" else one.notation
        if kind != "gpt":
            named = f"window{self.settings.window}" if kind == "window" else kind
            notation = named if notation == "uci" else f"{named}_{notation}"
        return f"{self.base}_{notation}" if self.base else notation

    @property
    def usual(self) -> bool:
        """Whether it has the passes of its size in our tables, and no dropout, as all there."""
        usual = self.training.epochs == _usual_epochs(self.size, self.base)
        return usual and not self.settings.dropout and not self.base

    @property
    def asks_start(self) -> bool:
        """Whether the model has seen piece types, so that Start tasks can be asked."""
        return self.training.notation != "uci"

    @property
    def cost(self) -> float:
        """Work in tokens of the plain transformer, roughly: the order of the plan."""
        share = {"uci": 0.0, "ap": 1.0, "rap": self.training.probability}[self.training.notation]
        games = _GAMES.get(self.size) or int(self.size)
        tokens = self.training.epochs * games * 172
        return tokens * (1 + share / 2) * _COST[self.settings.kind]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What came of a run.

    Parameters
    ----------
    run
        What was trained.
    parameters
        Numbers that were learned.
    games
        Training games.
    log
        A row an epoch: ``epoch``, ``loss`` a token, ``dev_perplexity``, ``tokens`` so far.
    stopped_early
        Whether the dev perplexity rose before the last epoch, which ended the training.
    dev_perplexity, test_perplexity
        Canonical perplexity of the float16 checkpoint, computed in float32.
    versions
        Of torch, and the hash of the games.
    """

    run: Run
    parameters: int
    games: int
    log: tuple[Mapping[str, float], ...]
    stopped_early: bool
    dev_perplexity: float
    test_perplexity: float
    versions: Mapping[str, str]

    @property
    def tokens(self) -> int:
        """Tokens read in training, over all epochs."""
        return int(self.log[-1]["tokens"])

    def to_values(self) -> dict[str, Any]:
        """Return the record as JSON values."""
        values = asdict(self)
        run = values.pop("run")
        return {"run": self.run.name, **run, "tokens": self.tokens, **values}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> RunRecord:
        """Read a record back from JSON values."""
        left = dict(values)
        name, _ = left.pop("run"), left.pop("tokens")
        settings = settings_from(left.pop("settings"))
        training = training_from(left.pop("training"))
        run = Run(left.pop("size"), settings, training, left.pop("base", ""))
        if run.name != name:
            raise ValueError(f"the record of {name} describes {run.name}")
        return cls(run=run, **{**left, "log": tuple(left["log"])})


def plan() -> list[Run]:
    """Return all runs of the chapters, the shortest first."""
    labels = {
        "S": ["uci", "ap", *_figure_2("S"), "window50", "lstm", f"lstm_rap{RAP}"],
        "M": ["uci", "ap", *_figure_2("M"), "window50", "lstm", f"lstm_rap{RAP}"],
        "L": ["uci", f"rap{RAP}", "ap"],
    }
    approximate = [f"{size}-{kind}-1" for size in "SM" for kind in ("reformer", "performer")]
    seeds = [f"S-{label}-{seed}" for label in ("uci", f"rap{RAP}") for seed in (2, 3)]
    names = [f"{size}-{label}-1" for size, some in labels.items() for label in some]
    runs = [find_run(name) for name in [*names, *approximate, *seeds, *LONGER]]
    return sorted(runs, key=lambda run: (run.cost, run.name))


def find_run(name: str) -> Run:
    """Return the run of a name; it need not be in the plan.

    Raises
    ------
    ValueError
        If the name is not ``SIZE-LABEL-SEED``.
    """
    found = _NAME.fullmatch(name)
    if not found or not (found[2] or found[3]):
        raise ValueError(
            f"{name!r} names no run; a name is SIZE-LABEL-SEED, such as S-uci-1, M-rap25-1, "
            "L-ap-1, S-window50-1, S-lstm_rap25-1, S-uci-1x15, S-uci-1x15d10"
        )
    size, base, kind, notation, percent, seed, passes, dropped = found.groups()
    base = base or ""
    settings, training = _of_base(base, kind)
    epochs = int(passes) if passes else _usual_epochs(size, base)
    training = replace(training, epochs=epochs, seed=int(seed))
    if percent:
        training = replace(training, notation="rap", probability=int(percent) / 100)
    elif notation == "ap":
        training = replace(training, notation="ap")
    if dropped:
        settings = replace(settings, dropout=int(dropped) / 100)
    run = Run(size, settings, training, base)
    if run.name != name:
        raise ValueError(f"{name!r} is written {run.name!r}")
    return run


def data_folder() -> Path:
    """Return where the project keeps games, records, predictions and checkpoints."""
    return find_project() / "data" / "tracking"


def read_run(name: str, folder: Path | None = None) -> RunRecord:
    """Return what came of a run.

    Raises
    ------
    FileNotFoundError
        If the run was not trained; the message says how to train it.
    ValueError
        If the file holds something else.
    """
    path = (folder or data_folder()) / "runs" / f"{name}.json"
    if not path.is_file():
        raise FileNotFoundError(_untrained(name))
    try:
        return RunRecord.from_values(json.loads(path.read_text(encoding="utf-8")))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not the record of a run: {error}") from None


def trained_runs(folder: Path | None = None) -> list[RunRecord]:
    """Return the records of all runs that were trained, in the order of their names."""
    where = (folder or data_folder()) / "runs"
    return [read_run(path.stem, where.parent) for path in sorted(where.glob("*.json"))]


def read_model(name: str, folder: Path | None = None) -> LanguageModel:
    """Return the model of a run whose checkpoint is kept (see :data:`HEADLINE`)."""
    return read_checkpoint(checkpoint_path(name, folder))[0]


def checkpoint_path(name: str, folder: Path | None = None) -> Path:
    """Return where the checkpoint of a run is kept, if it is."""
    return (folder or data_folder()) / "checkpoints" / f"{name}.safetensors"


def trained_checkpoints(folder: Path | None = None) -> list[str]:
    """Return the names of the runs whose checkpoints are there, in the order of HEADLINE."""
    return [name for name in HEADLINE if checkpoint_path(name, folder).is_file()]


def read_predictions(name: str, folder: Path | None = None) -> dict[str, Any]:
    """Return the answers of a run by ``task.band``: uint8 tokens ``(n, KEPT)``, best first.

    Rows stand in the order of :func:`chessgloss.tracking.probes.select`;
    :func:`chessgloss.tracking.evaluate.scores_of` makes scores of them.
    """
    path = (folder or data_folder()) / "predictions" / f"{name}.safetensors"
    if not path.is_file():
        raise FileNotFoundError(_untrained(name))
    return {key: one.numpy() for key, one in read_tensors_of(name, path).items()}


def _figure_2(size: str) -> list[str]:
    return [f"rap{percent}" for percent in FIGURE_2[size]]


def _settings(kind: str | None) -> Settings:
    match kind:
        case None:
            return TRANSFORMER
        case "window50":
            return replace(TRANSFORMER, kind="window", window=50)
        case "reformer":
            return replace(TRANSFORMER, kind="reformer")
        case "performer":
            return replace(TRANSFORMER, kind="performer")
        case _:
            return LSTM


def _usual_epochs(size: str, base: str) -> int:
    if base == "paper":
        return PAPER_TRAINING.epochs
    return MODERN_EPOCHS[size] if base else EPOCHS[size]


def _of_base(base: str, kind: str | None) -> tuple[Settings, Training]:
    """Return model and training of a base, for a kind of model."""
    if not base:
        return _settings(kind), Training()
    if base == "paper":
        return PAPER_MODEL, PAPER_TRAINING
    shape, changes = BASES[base]
    if kind == "lstm":
        return MODERN_LSTM, replace(MODERN_TRAINING, **changes)
    named = replace(_settings(kind), rotary=True, mixing=True)
    return replace(named, **shape), replace(MODERN_TRAINING, **changes)


def _untrained(name: str) -> str:
    return f"{name} is not trained here; run: python -m chessgloss.tracking.retrain {name}"
