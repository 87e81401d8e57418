"""Train what the chapters show: ``python -m chessgloss.tracking.retrain``.

    python -m chessgloss.tracking.retrain --list
    python -m chessgloss.tracking.retrain S-uci-1 S-rap25-1
    python -m chessgloss.tracking.retrain --all --hours 8

A run that was stopped, however, goes on where it was; one that is done is left alone (remove
its record to make it again), but for measures that an older version did not keep, which are made
from its checkpoint if that is still in the store. Several commands may work through the list
side by side, each at another run; on one machine, one command with a thread for each core is
faster. The states of unfinished runs lie in a folder of the store, outside the data.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from chessgloss.store import default_store, file_digest
from chessgloss.tracking.checkpoints import (
    read_checkpoint,
    write_checkpoint,
    write_tensors,
)
from chessgloss.tracking.corpus import Corpus, games_file, read_corpus
from chessgloss.tracking.evaluate import game_losses, perplexity, predict, rank, share_on_own_pieces
from chessgloss.tracking.models import LanguageModel, count_parameters
from chessgloss.tracking.perplexities import measures_path
from chessgloss.tracking.probes import (
    BANDS,
    END_TASKS,
    TASKS,
    Instance,
    build_probes,
    read_probes,
    select,
    write_probes,
)
from chessgloss.tracking.random_games import random_games_file
from chessgloss.tracking.runs import (
    HEADLINE,
    Run,
    RunRecord,
    checkpoint_path,
    data_folder,
    find_run,
    plan,
)
from chessgloss.tracking.train import Task, train

#: Of the choice of the questions about the board.
PROBE_SEED = 1

#: Dev games, the first, whose perplexity is measured after each epoch and ends training; the
#: record has that of all.
WATCHED = 1_000


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are read and kept.

    Parameters
    ----------
    games
        The games file.
    probes
        The questions about the board.
    target
        Folder of ``runs``, ``predictions`` and ``checkpoints``.
    work
        Folder of the states and locks of unfinished runs, and of all checkpoints.
    random
        The games of random moves.
    device
        Where models compute.
    precision
        In which they compute while they are trained.
    """

    games: Path
    probes: Path
    target: Path
    work: Path
    random: Path
    device: str = "cpu"
    precision: torch.dtype = torch.bfloat16

    def record(self, run: Run) -> Path:
        """Return the path of a run's record, whose presence says that it is done."""
        return self.target / "runs" / f"{run.name}.json"

    def checkpoint(self, run: Run) -> Path:
        """Return the path of a run's checkpoint, committed or not."""
        return self.work / f"{run.name}.safetensors"

    def lacks_measures(self, run: Run) -> bool:
        """Return whether a run that is done can be measured here, and was not."""
        measured = measures_path(run.name, self.target).is_file()
        return self.checkpoint(run).is_file() and not measured


def main(arguments: Sequence[str] | None = None) -> int:
    """Train from the command line; return the exit status."""
    given = _parser().parse_args(arguments)
    try:
        runs = [find_run(name) for name in given.runs] + (plan() if given.all else [])
        places = _places(given)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if given.list or not runs:
        print(listing(places))
        return 0
    torch.set_num_threads(given.threads)
    try:
        train_runs(runs, places, hours=given.hours)
    except (FileNotFoundError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def train_runs(runs: Sequence[Run], places: Places, hours: float | None = None) -> None:
    """Train, in order, the runs that are not done and that no other command is at.

    Parameters
    ----------
    runs, places
        What to train, and where everything is.
    hours
        After so many, no other run is begun.
    """
    end = time.monotonic() + 3600 * hours if hours is not None else None
    corpus = read_corpus(places.games)
    with _claimed(places.work / "probes.lock", wait=True):
        probes = _probes(corpus, places.probes)
    random = None
    for run in runs:
        if run.training.games == "random" and random is None:
            random = read_corpus(places.random)
        if end is not None and time.monotonic() > end:
            print(f"{hours} hours are over before {run.name}")
            return
        with _claimed(places.work / f"{run.name}.lock") as mine:
            if mine and not places.record(run).is_file():
                print(f"{run.name}", flush=True)
                train_run(run, corpus, probes, places, read=random)
            elif mine and places.lacks_measures(run):
                print(f"{run.name}: measures", flush=True)
                measure_run(run, corpus, probes, places)


def train_run(
    run: Run,
    corpus: Corpus,
    probes: Sequence[Instance],
    places: Places,
    read: Corpus | None = None,
) -> RunRecord:
    """Train a run to its end, measure it, and keep record, predictions and checkpoint.

    ``read`` are the games of a run on random ones, which end it too; it is measured on
    ``corpus`` like the others.
    """
    state = places.work / f"{run.name}.state"
    kept = places.checkpoint(run)
    source = read if read is not None and run.training.games == "random" else corpus
    task = Task(source.games, source.of(run.size), source.of("dev")[:WATCHED])
    trained = train(
        *(task, run.settings, run.training, state),
        precision=places.precision,
        device=places.device,
    )
    write_checkpoint(trained.model, run.training, kept)
    model = read_checkpoint(kept)[0].to(places.device)
    dev = perplexity(model, corpus.games, run.training.reading, corpus.of("dev"))
    test = measure_run(run, corpus, probes, places)
    about = {"run": run.name, "probes": file_digest(places.probes)}
    answers = answer_probes(model, run, probes)
    write_tensors(answers, about, places.target / "predictions" / f"{run.name}.safetensors")
    if run.name in HEADLINE:
        write_checkpoint(model, run.training, checkpoint_path(run.name, places.target))
    record = RunRecord(
        run,
        parameters=count_parameters(model),
        games=len(task.train),
        log=tuple(trained.log),
        stopped_early=trained.stopped_early,
        dev_perplexity=round(dev, 4),
        test_perplexity=round(test, 4),
        versions={"torch": torch.__version__, "games": file_digest(places.games)},
    )
    _write_record(record, places.record(run))
    state.unlink(missing_ok=True)
    return record


def measure_run(run: Run, corpus: Corpus, probes: Sequence[Instance], places: Places) -> float:
    """Measure a run's checkpoint and keep what comes of it; return the test perplexity."""
    model, training = read_checkpoint(places.checkpoint(run))
    model.to(places.device)
    plies = corpus.games.plies[corpus.of("test")]
    nats = game_losses(model, corpus.games, training.reading, corpus.of("test"))
    kept = {
        "test.nats": torch.from_numpy(nats.astype(np.float32)),
        "test.plies": torch.from_numpy(plies.astype(np.uint8)),
    }
    if training.reading == "uci":
        for band in BANDS:
            if prefixes := select(probes, "end_actual", band):
                kept[f"own.{band}"] = torch.from_numpy(share_on_own_pieces(model, prefixes))
    about = {"run": run.name, "games": file_digest(places.games)}
    write_tensors(kept, about, measures_path(run.name, places.target))
    return float(np.exp(nats.sum() / plies.sum()))


def answer_probes(
    model: LanguageModel, run: Run, probes: Sequence[Instance]
) -> dict[str, torch.Tensor]:
    """Return uint8 tokens ``(n, KEPT)`` by ``task.band``, best first: of the tasks a run can do."""
    return {
        f"{task}.{band}": torch.from_numpy(rank(predict(model, chosen, run.training.reading)))
        for task in (TASKS if run.asks_start else END_TASKS)
        for band in BANDS
        if (chosen := select(probes, task, band))
    }


def listing(places: Places) -> str:
    """Return the plan as a table: name, work, and how far each run is."""
    rows = ["run                    million tokens of work   state"]
    for run in plan():
        done, begun = places.record(run).is_file(), (places.work / f"{run.name}.state").is_file()
        state = "done" if done else "begun" if begun else "to do"
        rows.append(f"{run.name:<20} {run.cost / 1e6:>23.1f}   {state}")
    return "\n".join(rows)


def _probes(corpus: Corpus, path: Path) -> list[Instance]:
    """Read the questions; if there are none yet, make them: the same from the same games."""
    if not path.is_file():
        write_probes(build_probes(corpus, seed=PROBE_SEED), path)
    return read_probes(path)


def _write_record(record: RunRecord, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".part")
    aside.write_text(json.dumps(record.to_values(), indent=1) + "\n", encoding="utf-8")
    aside.replace(path)


@contextmanager
def _claimed(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold a run for this process; say whether it is free. A killed process lets go of it."""
    how = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, how)
        except BlockingIOError:
            yield False
        else:
            yield True


def _places(given: argparse.Namespace) -> Places:
    target = given.target or data_folder()
    return Places(
        games=given.games or games_file(),
        probes=given.probes or target / "probes.tsv.zst",
        target=target,
        work=given.work or default_store().root.parent / "tracking",
        random=given.random or random_games_file(),
        device=given.device,
        precision=getattr(torch, given.precision),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m chessgloss.tracking.retrain")
    parser.add_argument("runs", nargs="*", metavar="RUN", help="such as S-uci-1 or M-rap25-1")
    parser.add_argument("--all", action="store_true", help="the whole plan, the shortest first")
    parser.add_argument("--list", action="store_true", help="show the plan and what is done")
    parser.add_argument("--threads", type=int, default=2, help="of torch (default: %(default)s)")
    parser.add_argument("--hours", type=float, help="begin no run after so many hours")
    parser.add_argument("--games", type=Path, help="the games file")
    parser.add_argument("--probes", type=Path, help="the questions about the board")
    parser.add_argument("--random", type=Path, help="the games of random moves")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"), help="to compute on")
    parser.add_argument(
        "--precision", default="bfloat16", choices=("bfloat16", "float32"), help="to train in"
    )
    parser.add_argument("--target", type=Path, help="folder of the results")
    parser.add_argument("--work", type=Path, help="folder of unfinished runs")
    return parser


if __name__ == "__main__":
    sys.exit(main())
