"""What trained models are measured by: losses of games, and answers to questions, as kept.

Every run is measured on one benchmark, by default the project's self-play. Runs on a number of
games, which compare where games come from, are measured on the other sources as well, each with
its own held-out games and its own questions: "trained on each, tested on each".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from safetensors.torch import save

from chessgloss.assets import AssetMissing
from chessgloss.positions import text_digest
from chessgloss.store import file_digest, write_tensors
from chessgloss.tracking import games as tokens
from chessgloss.tracking import probes, sources
from chessgloss.tracking.models import LanguageModel, game_losses
from chessgloss.tracking.plan import Run
from chessgloss.tracking.runs import GamesName, Training, kept_path

Arrays: TypeAlias = dict[str, NDArray]

#: Sources that runs on a number of games are measured on besides the project's self-play.
OTHERS: tuple[GamesName, ...] = ("random", "people")


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """The games and questions that runs are measured on, and the folders of their results.

    Parameters
    ----------
    corpus
        Its dev and test games are read.
    questions
        Made from its probe games.
    games_file, probes_file
        The files of both.
    folder
        Where records, measures, predictions and checkpoints are kept.
    work
        Where the states of unfinished runs lie, and all checkpoints.
    """

    corpus: tokens.Corpus
    questions: pd.DataFrame
    games_file: Path
    probes_file: Path
    folder: Path
    work: Path


def measure_games(
    model: LanguageModel, training: Training, corpus: tokens.Corpus
) -> Arrays:
    """Return of each test game the sum of ``-ln p``, ``test.nats``, and its ``test.plies``."""
    test = corpus.of("test")
    nats = game_losses(model, corpus.games, training.reading, test)
    return {
        "test.nats": nats,
        "test.plies": corpus.games.plies[test].astype(np.uint8),
    }


def asked_groups(
    questions: pd.DataFrame, training: Training
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield ``task.band`` and its questions, those that a model of a notation can answer.

    One that was trained on plain UCI has seen no piece types: Start tasks are left out.
    """
    asked = questions
    if training.notation == "uci":
        asked = questions[questions["task"].isin(probes.END_TASKS)]
    for (task, band), rows in asked.groupby(["task", "band"]):
        yield f"{task}.{band}", rows


def keep_measures(run: Run, model: LanguageModel, benchmark: Benchmark) -> None:
    """Write a run's measures and predictions."""
    training = run.training
    measures = measure_games(model, training, benchmark.corpus)
    about = {"run": run.name, "games": file_digest(benchmark.games_file)}
    _write(measures, about, kept_path("measures", run.name, benchmark.folder))
    answers = {
        name: probes.rank(
            probes.predict(model, rows, training.reading), probes.count_right(rows)
        )
        for name, rows in asked_groups(benchmark.questions, training)
    }
    about = {"run": run.name, "probes": file_digest(benchmark.probes_file)}
    _write(answers, about, kept_path("predictions", run.name, benchmark.folder))


def _write(arrays: Arrays, about: Mapping[str, str], path: Path) -> None:
    """Write arrays, those in double precision in single."""
    tensors = {}
    for name, values in arrays.items():
        single = values.astype(np.float32) if values.dtype == np.float64 else values
        tensors[name] = torch.from_numpy(single)
    write_tensors(save(tensors, dict(about)), path)


# ---------------------------------------------------------------- tested on each source


def measure_source(
    model: LanguageModel, training: Training, corpus: tokens.Corpus
) -> Arrays:
    """Return losses and scores of a model on the held-out games of any corpus.

    Returns
    -------
    dict
        ``test.nats`` and ``test.plies`` as :func:`measure_games`; of each task and band the
        scores of every question, ``end_actual.short.lgm`` (``rprec``, ``exm``), 0 to 1, float32
        ``(n,)``, and ``end_actual.short.game``, the index of its game, int32 ``(n,)``.
    """
    arrays = measure_games(model, training, corpus)
    index = {key: row for row, key in enumerate(corpus.keys.tolist())}
    questions = probes.build_probes(corpus, seed=probes.SEED)
    for name, rows in asked_groups(questions, training):
        answers = probes.predict(model, rows, training.reading)
        scored = probes.score_answers(rows, answers)
        for score in probes.SCORES:
            arrays[f"{name}.{score}"] = scored[score].to_numpy(np.float32)
        arrays[f"{name}.game"] = scored["game"].map(index).to_numpy(np.int32)
    return arrays


def keep_crossed(run: Run, model: LanguageModel, benchmark: Benchmark) -> None:
    """Write the measures on the other sources (:data:`OTHERS`) of a run on a number of games.

    A source that is not there is left out.
    """
    named = run.training.games in ("selfplay", *OTHERS)
    if not (named and run.size.isdigit()) or run.variant == "paper":
        return
    arrays: Arrays = {}
    about = {"run": run.name}
    for name in OTHERS:
        try:
            corpus = sources.read_source(name, benchmark.corpus, benchmark.work)
        except AssetMissing as missing:
            print(f"{run.name} is not measured on {name} games: {missing}", flush=True)
            continue
        measured = measure_source(model, run.training, corpus)
        arrays |= {f"{name}.{part}": values for part, values in measured.items()}
        about[f"games.{name}"] = text_digest(" ".join(corpus.keys.tolist()))
    _write(arrays, about, kept_path("crossed", run.name, benchmark.folder))
