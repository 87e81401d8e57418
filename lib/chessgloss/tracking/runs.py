"""The trainings behind the chapters: names, what came of each, and the command that trains them.

    python -m chessgloss.tracking.runs --list
    python -m chessgloss.tracking.runs S-uci-1 S-rap25-1
    python -m chessgloss.tracking.runs --all

A run is named ``SIZE-LABEL-SEED``: ``S-uci-1``, ``M-rap25-1``, ``L-ap-1``, ``S-window50-1``,
``S-lstm_rap25-1``. One that makes another number of passes than its size usually does says so,
and so does one with dropout, in per cent: ``S-uci-1x15``, ``S-uci-1x15d10``. The plan is the
state-tracking paper's Tables 4 to 7 and Figure 2, on a quarter of its games, for one size of
model, and some of S for longer.

A base other than GPT-2's small form is named before the label (:data:`BASES`):
``L-modern_uci-1``, ``L-modern.norotary_uci-1``, ``L-random_uci-1``; ``15000-paper_uci-1`` is the
paper's own model on the first 15,000 training games.

A run that was stopped, however, goes on where it was; one that is done is left alone (remove its
record to make it again). Several commands may work through the list side by side, each at another
run; on one machine, one command with a thread for each core is faster. What a run leaves behind
lies in ``data/tracking``, the states of unfinished runs in a folder beside the store. A run whose
checkpoint is kept can also play.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from chessgloss.skill.players import MovesPlayer
from chessgloss.store import default_store, file_digest
from chessgloss.tracking import games as tokens
from chessgloss.tracking import models, probes
from chessgloss.tracking.models import Settings
from chessgloss.tracking.train import (
    Task,
    Training,
    read_checkpoint,
    read_tensors,
    train,
    write_checkpoint,
    write_tensors,
)

#: The shape of every transformer of the plan, and of the LSTM: as many parameters. Few and wide
#: layers, since narrow ones keep a processor waiting for memory; and nothing is dropped, since a
#: training of a few passes does not learn its games by heart (S, three passes: a dev perplexity
#: of 99 without dropout, of 120 with the paper's 0.1).
TRANSFORMER = Settings(layers=4, width=160, heads=4, dropout=0.0)
LSTM = Settings(kind="lstm", layers=3, width=232, dropout=0.0)

#: Kinds of model by their names in runs.
SHAPES: dict[str, Settings] = {
    "": TRANSFORMER,
    "window50": replace(TRANSFORMER, kind="window", window=50),
    "reformer": replace(TRANSFORMER, kind="reformer"),
    "performer": replace(TRANSFORMER, kind="performer"),
    "lstm": LSTM,
}

#: Most passes over the training games. The paper makes ten at every size; two slow cores do not,
#: and a larger set seen fewer times is still more games seen.
EPOCHS = {"S": 5, "M": 3, "L": 2}

#: Of the modern base: some 26 million tokens at L, 13 at M, 8 at S.
MODERN_EPOCHS = {"S": 12, "M": 6, "L": 3}

#: What the paper trains (section 4): for a user with a GPU and days.
PAPER_MODEL = Settings(layers=12, width=768, heads=12)
PAPER_TRAINING = Training(tokens=60 * 192, rate=5e-4)

#: How the modern base is trained: matrices moved by Muon, twice the tokens a step, a rate that
#: is constant before it falls. Its transformer has rotary positions, and keys and values mixed
#: with the previous token's.
MODERN_TRAINING = Training(
    tokens=3072, optimiser="muon", decay=0.0, beta2=0.99, warmup=1 / 30, cooldown=0.6
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

#: Runs whose checkpoints are committed and evaluated when the chapters run.
HEADLINE = ("S-uci-1", "S-rap25-1", "M-uci-1", "M-rap25-1", "L-uci-1", "L-rap25-1", "L-ap-1")

#: The plan, the shortest runs first: labels at each size (the probabilities of RAP are Figure 2's),
#: further seeds, and runs of S for more than the usual passes: what is due to few games, and what
#: to haste? The last is plain UCI with dropout, a control: what piece types do, is that more than
#: to keep a model from learning games by heart?
_PLANNED = (
    ("S", "uci-1 window50-1 rap5-1 rap15-1 rap25-1 rap50-1 rap75-1 rap100-1 ap-1"),
    ("S", "lstm-1 lstm_rap25-1 reformer-1 performer-1 uci-2 uci-3 rap25-2 rap25-3"),
    ("M", "uci-1 window50-1 rap5-1 rap25-1 rap50-1 ap-1"),
    ("M", "lstm-1 lstm_rap25-1 reformer-1 performer-1"),
    ("S", "uci-1x15 rap25-1x15 ap-1x15 rap5-1x15 rap25-1x30 uci-1x15d10"),
    ("L", "uci-1 rap25-1 ap-1"),
)
PLAN = tuple(f"{size}-{label}" for size, labels in _PLANNED for label in labels.split())

#: Dev games, the first, whose perplexity is measured after each epoch and ends training; the
#: record has that of all.
WATCHED = 1_000

_NAME = re.compile(
    r"([SML]|\d+)-(?:(paper|random|modern(?:\.[a-z]+)?)_)?"
    r"(?:(window50|lstm|reformer|performer)_?)?(uci|ap|rap(\d+))?-(\d+)"
    r"(?:x(\d+))?(?:d(\d+))?"
)

_FORMS = f"""a name is SIZE-LABEL-SEED, such as S-uci-1, M-rap25-1, L-ap-1, S-window50-1, \
S-lstm_rap25-1; with passes and dropout S-uci-1x15, S-uci-1x15d10; with a base L-modern_uci-1 \
({", ".join(BASES)}, paper); a number of games goes with the base paper: 15000-paper_uci-1"""


@dataclass(frozen=True, slots=True)
class Run:
    """One training.

    Parameters
    ----------
    name
        ``SIZE-LABEL-SEED``, with base, passes and dropout that are not the usual ones.
    size
        Training games: ``S``, ``M`` or ``L``, or with the base ``paper`` a number of them.
    base
        Name of the base (:data:`BASES`), or ``paper``; empty for GPT-2's form at our size.
    model
        Kind and notation as the keys of results have them: ``uci``, ``uci_rap``, ``uci_ap``,
        ``window50``, ``lstm_rap``.
    usual
        Whether it has the passes of its size in our tables, and no dropout, as all there.
    settings, training
        The model and how it is trained; the training holds notation and seed.
    """

    name: str
    size: str
    base: str
    model: str
    usual: bool
    settings: Settings
    training: Training


def find_run(name: str) -> Run:
    """Return the run of a name; it need not be in the plan.

    Raises
    ------
    ValueError
        If the name is none; the message lists the valid forms.
    """
    parts = _NAME.fullmatch(name)
    size, base, kind, notation, percent, seed, passes, dropped = (
        parts.groups(default="") if parts else [""] * 8
    )
    sized = size in EPOCHS or base == "paper"
    if not sized or not (kind or notation) or base not in ("", "paper", *BASES):
        raise ValueError(f"{name!r} names no run; {_FORMS}")
    settings, training, epochs = SHAPES[kind], Training(), EPOCHS.get(size, 0)
    if base == "paper":
        settings, training, epochs = PAPER_MODEL, PAPER_TRAINING, PAPER_TRAINING.epochs
    elif base:
        shape, changes = BASES[base]
        training, epochs = replace(MODERN_TRAINING, **changes), MODERN_EPOCHS[size]
        if kind != "lstm":
            settings = replace(settings, **{"rotary": True, "mixing": True, **shape})
    label = "_".join(filter(None, [kind, notation if notation != "uci" or not kind else ""]))
    ending = f"x{int(passes)}" if passes and int(passes) != epochs else ""
    ending += f"d{int(dropped)}" if dropped and int(dropped) else ""
    written = f"{size}-{base}{'_' if base else ''}{label}-{int(seed)}{ending}"
    if written != name:
        raise ValueError(f"{name!r} is written {written!r}")
    training = replace(training, epochs=int(passes or epochs), seed=int(seed))
    if percent:
        training = replace(training, notation="rap", probability=int(percent) / 100)
    elif notation == "ap":
        training = replace(training, notation="ap")
    if dropped:
        settings = replace(settings, dropout=int(dropped) / 100)
    model = re.sub(r"rap\d+$", "rap", label)
    model = f"uci_{model}" if model in ("rap", "ap") else model
    return Run(name, size, base, model, not (base or ending), settings, training)


# ---------------------------------------------------------------- what came of the runs


def read_runs() -> pd.DataFrame:
    """Return what came of all runs that were trained, one a row, by name.

    Returns
    -------
    pandas.DataFrame
        ``size``, ``base``, ``model``, ``usual`` (see :class:`Run`); ``probability`` of a piece
        type, 0 to 1; ``dropout``; ``seed``; ``parameters``; training ``games``; ``epochs`` and
        ``tokens`` read until training ended; ``stopped_early``; ``dev`` and ``test``, canonical
        perplexity of the float16 checkpoint; ``log``, a list of the epochs.

    Raises
    ------
    ValueError
        If a file is not the record of the run that it is named after.
    """
    rows = {}
    for path in sorted((tokens.data_folder() / "runs").glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record.get("run") != path.stem:
            raise ValueError(f"{path} is the record of {record.get('run')!r}")
        run, training = find_run(path.stem), record["training"]
        rows[path.stem] = {
            **{name: getattr(run, name) for name in ("size", "base", "model", "usual")},
            **{name: training[name] for name in ("probability", "seed")},
            "dropout": record["settings"]["dropout"],
            **{name: record[name] for name in ("parameters", "games", "tokens", "log")},
            "epochs": len(record["log"]),
            "stopped_early": record["stopped_early"],
            "dev": record["dev_perplexity"],
            "test": record["test_perplexity"],
        }
    return pd.DataFrame.from_dict(rows, orient="index").infer_objects()


def read_kept(kind: str, name: str) -> dict[str, NDArray]:
    """Return what a run left behind, by name.

    Parameters
    ----------
    kind
        ``predictions``: the answers by ``task.band``, uint8 tokens ``(n, KEPT)``, best first, in
        the questions' order. ``measures``: of each test game the sum of ``-ln p`` over its moves,
        ``test.nats``, and its moves, ``test.plies``; and, of models that read no types, the
        probability on own pieces (:func:`chessgloss.tracking.probes.share_on_own_pieces`) after
        each prefix of the ``end_actual`` questions, ``own.short`` and ``own.long``.
    name
        The run.

    Raises
    ------
    FileNotFoundError
        If the run was not trained; the message says how to train it.
    CheckpointError
        If the file is damaged, or another run's.
    """
    tensors, _ = read_tensors(kept_path(kind, name), name)
    return {key: part.numpy() for key, part in tensors.items()}


def kept_path(kind: str, name: str) -> Path:
    """Return the path of a run's ``predictions``, ``measures`` or ``checkpoints``, if kept.

    That of ``runs``, its record, says that it is done.
    """
    ending = "json" if kind == "runs" else "safetensors"
    return tokens.data_folder() / kind / f"{name}.{ending}"


def read_model(name: str) -> tuple[models.LanguageModel, Training]:
    """Return the model of a run whose checkpoint is kept (see :data:`HEADLINE`)."""
    return read_checkpoint(kept_path("checkpoints", name))


def trained_checkpoints() -> list[str]:
    """Return the names of the runs whose checkpoints are there, in the order of HEADLINE."""
    return [name for name in HEADLINE if kept_path("checkpoints", name).is_file()]


# ---------------------------------------------------------------- runs as players

#: What is said of a game that is too long for the model's context: no move.
TOO_LONG = "(the game is longer than the context)"


def tracking_players() -> list[MovesPlayer]:
    """Return the runs trained on the most games of those whose checkpoints are kept.

    ``L-rap25-1`` is called ``tracking_l_rap25``.
    """
    kept, players = trained_checkpoints(), []
    largest = min((run[0] for run in kept), key="LMS".index, default="")
    for run in (run for run in kept if run[0] == largest):
        model, training = read_model(run)
        name = "tracking_" + run.rpartition("-")[0].lower().replace("-", "_")
        players.append(MovesPlayer(name, partial(continue_games, model, training.reading)))
    return players


def continue_games(
    model: models.LanguageModel, reading: tokens.Notation, games: Sequence[Sequence[str]]
) -> list[str]:
    """Return the move, in UCI notation, that a model says after each game.

    It has no board and no list of legal moves, so that what it says need not be legal. Of the
    tokens it takes the most probable each time; nothing is drawn.

    Parameters
    ----------
    model
        A trained model.
    reading
        How it reads games: ``ap`` if it was trained so, else ``uci``, without piece types.
    games
        Moves in UCI notation from the usual first position.

    Returns
    -------
    list of str
        Two squares, with the new piece if the model says one: ``e7e8q``. What is no move, such
        as the end of the game, is given in the vocabulary's words; :data:`TOO_LONG` for a game
        that leaves no room for a move.
    """
    played, typed = tokens.tokenise(games), reading == "ap"
    ids, starts = tokens.annotate(played, np.arange(len(played)), reading)
    read = [ids[first : last - 1] for first, last in pairwise(starts)]
    short = [place for place, game in enumerate(read) if len(game) <= model.settings.context - 4]
    grown = [read[place] for place in short]
    for _ in range(3 + typed):
        answers = models.predict_next(model, grown)
        if not typed:
            answers[:, tokens.PIECES : tokens.PROMOTIONS] = -math.inf
        best = answers.argmax(axis=1).astype(np.uint8)
        grown = [np.append(game, token) for game, token in zip(grown, best, strict=True)]
    moves = dict.fromkeys(range(len(read)), TOO_LONG)
    for place, game in zip(short, grown, strict=True):
        *squares, last = game[len(read[place]) + typed :]
        words = [*squares, last] if last >= tokens.PROMOTIONS else squares
        moves[place] = "".join(tokens.VOCABULARY[token] for token in words)
    return list(moves.values())


# ---------------------------------------------------------------- training a run


def main(arguments: Sequence[str] | None = None) -> int:
    """Train from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m chessgloss.tracking.runs")
    parser.add_argument("runs", nargs="*", metavar="RUN", help="such as S-uci-1 or M-rap25-1")
    parser.add_argument("--all", action="store_true", help="the whole plan, the shortest first")
    parser.add_argument("--list", action="store_true", help="show the plan and what is done")
    parser.add_argument("--threads", type=int, default=2, help="of torch (default: %(default)s)")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"), help="to compute on")
    parser.add_argument(
        "--precision", default="bfloat16", choices=("bfloat16", "float32"), help="to train in"
    )
    given = parser.parse_args(arguments)
    try:
        runs = [find_run(name) for name in (*given.runs, *(PLAN if given.all else ()))]
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
    for name in PLAN:
        begun = "begun" if (work_folder() / f"{name}.state").is_file() else "to do"
        rows.append(f"{name:<16} {'done' if kept_path('runs', name).is_file() else begun}")
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
    corpus, path = tokens.read_corpus(), probes.probes_file()
    work_folder().mkdir(parents=True, exist_ok=True)
    with FileLock(work_folder() / "probes.lock"):
        if not path.is_file():
            probes.write_probes(probes.build_probes(corpus, seed=probes.SEED), path)
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
    source, state = corpus, work_folder() / f"{run.name}.state"
    if run.training.games == "random":
        source = tokens.read_random_corpus(work_folder() / "random.tsv.zst", corpus)
    task = Task(source.games, source.of(run.size), source.of("dev")[:WATCHED])
    trained = train(task, run.settings, run.training, state, precision=precision, device=device)
    kept = work_folder() / f"{run.name}.safetensors"
    write_checkpoint(trained.model, run.training, kept)
    model, reading = read_checkpoint(kept)[0].to(device), run.training.reading
    dev = models.perplexity(model, corpus.games, reading, corpus.of("dev"))
    digest, test = file_digest(tokens.data_folder() / "games.tsv.zst"), corpus.of("test")
    nats, plies = models.game_losses(model, corpus.games, reading, test), corpus.games.plies[test]
    measures = {"test.nats": nats.astype(np.float32), "test.plies": plies.astype(np.uint8)}
    if reading == "uci":
        for band, rows in questions[questions["task"] == "end_actual"].groupby("band"):
            measures[f"own.{band}"] = probes.share_on_own_pieces(model, rows)
    tensors = {name: torch.from_numpy(values) for name, values in measures.items()}
    write_tensors(tensors, {"run": run.name, "games": digest}, kept_path("measures", run.name))
    asked = questions
    if run.training.notation == "uci":  # it has seen no piece types
        asked = questions[questions["task"].isin(probes.END_TASKS)]
    answers = {
        f"{task}.{band}": torch.from_numpy(probes.rank(probes.predict(model, rows, reading)))
        for (task, band), rows in asked.groupby(["task", "band"])
    }
    about = {"run": run.name, "probes": file_digest(probes.probes_file())}
    write_tensors(answers, about, kept_path("predictions", run.name))
    if run.name in HEADLINE:
        write_checkpoint(model, run.training, kept_path("checkpoints", run.name))
    record = {
        "run": run.name,
        "size": run.size,
        "settings": asdict(run.settings),
        "training": asdict(run.training),
        "base": run.base,
        "tokens": int(trained.log[-1]["tokens"]),
        "parameters": models.count_parameters(model),
        "games": len(task.train),
        "log": trained.log,
        "stopped_early": trained.stopped_early,
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
