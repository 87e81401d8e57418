"""The trainings behind the chapters: their names, settings and results.

A run is named ``SIZE-LABEL-SEED``: ``S-uci-1``, ``M-rap25-1``, ``L-ap-1``, ``S-window50-1``,
``S-lstm_rap15-1``. One that makes another number of passes than its size usually does says so:
``S-uci-1x15``. A variant of the recipe is named before the label, ``S-largebatch_uci-1``, as are
other games to train on, ``36000-people_uci-1``; ``15000-paper_uci-1`` is the paper's own model on
the first 15,000 games.

The settings behind each name are in :mod:`chessgloss.tracking.plan`. What a run leaves behind lies
in ``data/tracking``, beside the command that trains (``data/tracking/train.py``): record,
predictions, measures, and of some the checkpoint, safetensors in half precision with the model's
settings inside. Those can also play.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import pandas as pd
import torch
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass
from safetensors.torch import save

from chessgloss.store import read_tensors, write_tensors
from chessgloss.tracking import games as tokens
from chessgloss.tracking.games import Notation
from chessgloss.tracking.models import (
    Count,
    LanguageModel,
    Settings,
    make_model,
)

Positive: TypeAlias = Annotated[float, Field(gt=0)]
NotNegative: TypeAlias = Annotated[float, Field(ge=0)]
#: From 0 to 1, the end left out.
Share: TypeAlias = Annotated[float, Field(ge=0, lt=1)]

#: Where training games come from (:mod:`chessgloss.tracking.sources`).
GamesName = Literal["selfplay", "random", "people", "file"]

#: What every checkpoint says it is.
FORM = "chessgloss.tracking 1"


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Training:
    """How a model is trained. The defaults are the paper's (section 4), but for two.

    The paper steps once every 60 games, 2,500 times in ten passes over 15,000. Our sets are
    smaller, and so are our steps: with ``tokens`` of about nine games, some 8,500 in six passes
    over S. The defaults were chosen at XS (3,750 games), on dev perplexity after three passes:
    twice as many tokens a step were worse (133 against 120, with dropout), and so was a rate of
    5e-3 (104 against 99). The paper's rate, 5e-4, is for a model 64 times larger than ours. The
    plan has a recipe of its own (:data:`chessgloss.tracking.plan.RECIPE`).

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
        ``selfplay``, the corpus; ``random``, random legal games as long as those; ``people``,
        games that people played; or ``file``, games of a file that the user named.
    early_stop
        Whether training ends, with the weights before, when the dev perplexity rises; if not, all
        passes are made and the last weights are kept.
    budget
        Tokens after which training ends, within a pass or not; 0 to make all passes.
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
    games: GamesName = "selfplay"
    early_stop: bool = True
    budget: Annotated[int, Field(ge=0)] = 0
    clip: Positive = 1.0
    seed: Annotated[int, Field(ge=0)] = 1

    def __post_init__(self) -> None:
        if self.notation != "rap" and self.probability:
            raise ValueError(f"only rap has a probability, got {self}")

    @property
    def reading(self) -> Notation:
        """How games are written when the trained model is measured: RAP is for training."""
        return "ap" if self.notation == "ap" else "uci"


#: The shape of every transformer of the plan but the paper's. Few and wide layers, as narrow ones
#: keep a processor waiting for memory; and nothing is dropped, as a training of a few passes does
#: not learn its games by heart (XS, three passes: a dev perplexity of 99 without dropout, of 120
#: with the paper's 0.1).
TRANSFORMER = Settings(layers=4, width=160, heads=4, dropout=0.0, mixing=True)

#: Probability of RAP, in percent, in the tables: the paper's at L. At S and M it takes 25, and its
#: rows there stand beside ours of 15.
RAP = 15

#: Runs whose checkpoints are committed: the chapters look inside, or ask them anew.
HEADLINE = (
    "S-uci-1",
    "L-uci-1",
    "36000-random_uci-1",
    "36000-people_uci-1",
)

#: The parts of a run's name; variant, kind, notation and passes are optional.
NAME = re.compile(
    r"(?P<size>XS|[SML]|\d+)-"
    r"(?:(?P<variant>paper|largebatch|half|random|people)_)?"
    r"(?:(?P<kind>window50|lstm|reformer|performer)_?)?"
    r"(?P<notation>uci|ap|rap)?(?P<percent>\d+)?"
    r"-(?P<seed>\d+)(?:x(?P<passes>\d+))?"
)


# ---------------------------------------------------------------- what came of the runs


def read_runs() -> pd.DataFrame:
    """Return the results of all runs that were trained, one a row, by name.

    Returns
    -------
    pandas.DataFrame
        ``size``, ``XS``, ``S``, ``M``, ``L`` or a number of games; ``variant``, empty for the
        recipe as it is; ``model``, kind and notation as the keys of results have them: ``uci``,
        ``uci_rap``, ``uci_ap``, ``window50``, ``lstm_rap``; ``usual``, whether variant and passes
        are those of our tables; ``probability`` of a piece type, 0 to 1; ``seed``;
        ``parameters``; training ``games``; ``epochs`` and ``tokens`` read until training ended;
        ``stopped_early``; ``dev`` and ``test``, canonical perplexity of the float16 checkpoint;
        ``log``, a list of the epochs.

    Raises
    ------
    ValueError
        If a file is not the record of the run that it is named after.
    """
    rows = {}
    for path in sorted((tokens.data_folder() / "runs").glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        name = NAME.fullmatch(path.stem)
        if name is None or record.get("run") != path.stem:
            raise ValueError(f"{path} is the record of {record.get('run')!r}")
        kind = name["kind"]
        notation = name["notation"]
        variant = name["variant"] or ""
        typed = notation not in (None, "uci")
        rows[path.stem] = {
            "size": name["size"],
            "variant": variant,
            "model": f"{kind or 'uci'}{f'_{notation}' if typed else ''}",
            "usual": not (variant or name["passes"]),
            **{part: record["training"][part] for part in ("probability", "seed")},
            **{name: record[name] for name in ("parameters", "games", "tokens", "log")},
            "epochs": len(record["log"]),
            "stopped_early": record["stopped_early"],
            "dev": record["dev_perplexity"],
            "test": record["test_perplexity"],
        }
    return pd.DataFrame.from_dict(rows, orient="index").infer_objects()


def read_kept(kind: str, name: str, folder: Path | None = None) -> dict[str, NDArray]:
    """Return the arrays that a run left behind, by name.

    Parameters
    ----------
    kind
        ``predictions``: the answers by ``task.band``, uint8 tokens in the questions' order, of each
        as many as there are right answers, best first (:func:`.probes.rank`).
        ``measures``: of each test game the sum of ``-ln p`` over its moves,
        ``test.nats``, and its moves, ``test.plies``.
        ``crossed``: what a run on a number of games came to on other games (``random``,
        ``people``), each with its own questions: ``people.test.nats``, ``people.test.plies``; of
        each question ``people.end_actual.short.lgm`` (and ``rprec``, ``exm``), 0 to 1, and
        ``people.end_actual.short.game``, the index of its game.
    name
        The run.
    folder
        Where the files are kept; by default the project's.

    Raises
    ------
    FileNotFoundError
        If the run was not trained; the message says how to train it.
    ValueError
        If the file is damaged, or another run's.
    """
    tensors, _ = read_run_file(kept_path(kind, name, folder), name)
    return {key: part.numpy() for key, part in tensors.items()}


def kept_path(kind: str, name: str, folder: Path | None = None) -> Path:
    """Return the path of a run's ``predictions``, ``measures``, ``crossed`` or ``checkpoints``.

    That of ``runs``, its record, says that it is done; ``moves`` are those that it said
    (:mod:`.player`). ``folder`` is by default the project's.
    """
    ending = {"runs": "json", "moves": "tsv"}.get(kind, "safetensors")
    return (folder or tokens.data_folder()) / kind / f"{name}.{ending}"


def read_model(name: str) -> tuple[LanguageModel, Training]:
    """Return the model of a run whose checkpoint is kept (see :data:`HEADLINE`)."""
    return read_checkpoint(kept_path("checkpoints", name))


def trained_checkpoints() -> list[str]:
    """Return the names of the runs whose checkpoints are there, in the order of HEADLINE."""
    return [name for name in HEADLINE if kept_path("checkpoints", name).is_file()]


# ---------------------------------------------------------------- files of tensors


def read_checkpoint(path: Path) -> tuple[LanguageModel, Training]:
    """Return a model in float32, in evaluation mode, and its training.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message says how to make it.
    ValueError
        If the file is not a checkpoint of ours, or does not fit its own settings.
    """
    tensors, about = read_run_file(path)
    if about.get("form") != FORM:
        raise ValueError(f"{path} says it is {about.get('form')!r}, not {FORM!r}")
    try:
        settings = json.loads(about["settings"])
        settings.pop("rotary", None)  # of an arm that is gone; no checkpoint had it
        model = make_model(Settings(**settings), seed=0)
        training = Training(**json.loads(about["training"]))
        model.load_state_dict({name: part.float() for name, part in tensors.items()})
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{path} does not hold the model it names: {error}") from None
    return model.eval(), training


def write_checkpoint(model: LanguageModel, training: Training, path: Path) -> Path:
    """Write a model's weights, rounded to float16, with its settings and its training."""
    weights = {
        name: part.half().contiguous() for name, part in model.state_dict().items()
    }
    about = {
        "form": FORM,
        "settings": json.dumps(asdict(model.settings), sort_keys=True),
        "training": json.dumps(asdict(training), sort_keys=True),
    }
    return write_tensors(save(weights, about), path)


def read_run_file(
    path: Path, run: str | None = None
) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return the tensors and texts of a file; of one that was kept of ``run``, if it is given.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message says how to make it.
    ValueError
        If the file is cut off, of another form, or another run's.
    """
    if not path.is_file():
        remedy = f"python data/tracking/train.py {path.stem}"
        raise FileNotFoundError(f"{path} is missing; run: {remedy}")
    tensors, about = read_tensors(path, framework="pt")
    if run is not None and about.get("run") != run:
        raise ValueError(f"{path} is of the run {about.get('run')!r}, not {run!r}")
    return tensors, about
