"""How long the whole of Table 6 takes, beside the procedure of the released script.

Ours, as in the chapter: 21 labels and the activations of every position, C chosen for each
concept on a smaller set, 21 fits, accuracies with intervals over games.

The released procedure (``01_probing_svm.py`` of the CCC paper's repository), on a subset and
extrapolated: for each of the 21 concepts the engine is asked for every position again, one
question at a time, each in a new game (releases of the script's ``stockfish`` package before
4.0 send ``ucinewgame`` with every FEN, and the engine empties its hash table); the activations of
the tenth of the positions that lies in the tails go through the network one position at a
time; ``LinearSVC()`` with its defaults is fitted on the features as they are, with the noise
that the script adds. Engine, network, layer and positions are the same on both sides, so
that the ratio is that of the procedures. The script treats two layers, here one counts; and
its fits are timed on our training rows, which are fewer than its own. The key
``speedup.released_without_new_game`` is the ratio if it spared the engine the new games.

The fits alone: ``LinearSVC()`` (without the noise, which is not centred and costs accuracy)
and our solver on the same rows, one fit at a time, with the accuracy of both on the same
held-out games.

Rounds are interleaved (ours, theirs, ours, theirs, ...). The default solver's fits take
minutes, so each round times a few concepts drawn by the seed, none twice. Low and high are
the least and the greatest round.

    python benchmarks/table6_speed.py

Writes results/table6_speed.json, and results/scale.csv: what bulk work costs at these rates.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
import zstandard
from bench import keep
from numpy.typing import NDArray
from sklearn.svm import LinearSVC
from tqdm import tqdm

from chessgloss.concepts.bulk import label, stream_fens
from chessgloss.concepts.fit import Fitted, Labelled, fit_concepts
from chessgloss.concepts.scores import held_out, table_of
from chessgloss.corpora.games import read_games
from chessgloss.corpora.samples import PositionSample, sample_positions
from chessgloss.experts import Expert, joined_activations, load_expert
from chessgloss.oracle import TERMS, Status, evaluate_terms, stockfish8
from chessgloss.store import Store, find_project

T = TypeVar("T")

COSTS = Path(__file__).parent / "results/scale.csv"

#: Candidates for C, as in the chapter; the fits alone use the last one.
CS = (3e-4, 1e-3)

#: NNUE's 1.0 (its clipped values run from 0 to 127): the scale on which features are O(1).
ONE = 127

#: What the released script adds to the training features: (normal - 0.5) times this.
NOISE = 0.1

#: T78: 40 blocks of two convolutions, 512 filters each.
T78_FILTERS, T78_CONVOLUTIONS = 512, 80


@dataclass(frozen=True)
class Round:
    """Seconds of one round, by stage; those of the released procedure extrapolated.

    ``spared``: of these, the engine's new games; ``fits``: ours and the default's alone;
    ``correct``: test rows, and how many of them ours and the default's get right.
    """

    ours: dict[str, float]
    released: dict[str, float]
    spared: float
    fits: tuple[float, float]
    correct: NDArray[np.int64]

    @property
    def whole(self) -> float:
        """How many times as long the released procedure takes."""
        return sum(self.released.values()) / sum(self.ours.values())

    @property
    def whole_spared(self) -> float:
        """The same without the engine's new games."""
        return (sum(self.released.values()) - self.spared) / sum(self.ours.values())

    @property
    def solver(self) -> float:
        """How many times as long the default solver takes for the same fits."""
        return self.fits[1] / self.fits[0]


def main() -> None:
    """Measure, print and keep the result."""
    options = parse_options()
    load = os.getloadavg()
    sample, parts = draw_positions(options.positions, options.seed)
    expert = load_expert("nnue")
    drawn = np.random.default_rng(options.seed).permutation(len(TERMS))
    dealt = [
        drawn[k * options.fits :][: options.fits].tolist()
        for k in range(options.rounds)
    ]
    rounds = [
        one_round(expert, sample, parts, one, options) for one in tqdm(dealt, "rounds")
    ]
    stream = stream_rate(sample.fens[: options.stream])
    results = summarise(rounds, len(sample), options.rounds * options.fits, stream) | {
        "machine": machine(options, load)
    }
    write_costs(results)
    keep("table6_speed", results)


def parse_options() -> argparse.Namespace:
    """Read the command line; the sizes are those of the chapter."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=200_000)
    parser.add_argument(
        "--control", type=int, default=40_000, help="positions to choose C on"
    )
    parser.add_argument("--layer", default="pairwise+clipped")
    parser.add_argument("--solver", default="svm", help="ours: svm, logistic or ridge")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--fits", type=int, default=3, help="concepts fitted singly in a round"
    )
    parser.add_argument(
        "--asked", type=int, default=4_000, help="positions asked singly"
    )
    parser.add_argument(
        "--stream", type=int, default=131_072, help="lines of the streamed file"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--note", default="", help="what else the machine was doing")
    return parser.parse_args()


def draw_positions(count: int, seed: int) -> tuple[PositionSample, NDArray[np.str_]]:
    """Return positions, at most 25 a game, and the part of the split that each is in."""
    games = list(
        read_games(find_project() / "data/games/selfplay.tsv.zst", limit=count // 20)
    )
    sample = sample_positions(games, 25, seed=seed)
    if len(sample) < count:
        raise SystemExit(f"the games hold {len(sample)} positions, {count} are wanted")
    cut = PositionSample(
        sample.fens[:count], sample.games[:count], sample.plies[:count]
    )
    return cut, np.array([game.split for game in games])[cut.games]


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what ``work`` returns, and its seconds by the clock on the wall."""
    begin = time.perf_counter()
    done = work()
    return done, time.perf_counter() - begin


def one_round(
    expert: Expert,
    sample: PositionSample,
    parts: NDArray[np.str_],
    concepts: list[int],
    options: argparse.Namespace,
) -> Round:
    """Measure ours in full, then the released procedure on its subset."""
    ours, features, labelled = our_table6(expert, sample, parts, options)
    few = replace(
        labelled,
        terms=[TERMS[k] for k in concepts],
        values=labelled.values[:, concepts],
    )
    how = {"cs": CS[-1:], "seed": options.seed, "jobs": 1, "solver": options.solver}
    fitted, mine = timed(lambda: fit_concepts(features, few, **how))
    right = held_out(fitted, features, few)["correct"]
    plain_fits, default_right = default_fits(features, few, fitted)
    noisy_fits, _ = default_fits(
        features, few, fitted, np.random.default_rng(options.seed)
    )
    correct = [len(right), right.sum(), default_right]
    asked = sample.fens[: options.asked]
    plain, anew = (
        len(TERMS) * ask_singly(asked, new_game=one) for one in (False, True)
    )
    per_position = {
        "labels": anew,
        "activations": len(TERMS) * 0.1 * activate_singly(expert, asked, options.layer),
    }
    released = {name: len(sample) * seconds for name, seconds in per_position.items()}
    released["fits"] = noisy_fits / len(concepts) * len(TERMS)
    spared = len(sample) * (anew - plain)
    return Round(ours, released, spared, (mine, plain_fits), np.array(correct))


def our_table6(
    expert: Expert,
    sample: PositionSample,
    parts: NDArray[np.str_],
    options: argparse.Namespace,
) -> tuple[dict[str, float], NDArray, Labelled]:
    """Make Table 6 as the chapter does; return the seconds of each stage and what it made."""
    seconds = {}
    table, seconds["labels"] = timed(lambda: evaluate_terms(sample.fens, stockfish8()))
    usual = np.flatnonzero(table.status == Status.OK)
    fens = [sample.fens[row] for row in usual]
    labelled = Labelled(
        TERMS, table.middlegame[usual], sample.games[usual], parts[usual]
    )
    features, seconds["activations"] = timed(
        lambda: joined_activations(expert, fens, options.layer)
    )
    fitted, seconds["fits"] = timed(lambda: choose_and_fit(features, labelled, options))

    def score() -> object:
        tested = held_out(fitted, features, labelled)
        return table_of(tested, seed=options.seed)

    _, seconds["scores"] = timed(score)
    return seconds, features, labelled


def choose_and_fit(
    features: NDArray, labelled: Labelled, options: argparse.Namespace
) -> Fitted:
    """Choose C for each concept on the chapter's smaller set, and fit on all positions."""
    some = np.random.default_rng(options.seed).permutation(len(labelled))[
        : options.control
    ]
    few = labelled.take(np.sort(some))
    one = {"seed": options.seed, "solver": options.solver}
    picked = fit_concepts(features[np.sort(some)], few, cs=CS, **one)
    return fit_concepts(features, labelled, cs=[(c,) for c in picked.c], **one)


def default_fits(
    features: NDArray,
    labelled: Labelled,
    fitted: Fitted,
    noise: np.random.Generator | None = None,
) -> tuple[float, int]:
    """Fit ``LinearSVC()`` on the same rows; return its seconds and its right answers."""
    seconds = 0.0
    right = 0
    for tails in tqdm(fitted.tails, desc="LinearSVC()", leave=False):
        split = labelled.splits[tails.rows]
        train = split == "train"
        test = split == "test"
        rows = features[tails.rows[train]].astype(np.float64) / ONE
        if noise is not None:
            rows += (noise.normal(size=rows.shape) - 0.5) * NOISE
        begin = time.perf_counter()
        svm = LinearSVC().fit(rows, tails.positive[train])
        said = svm.predict(features[tails.rows[test]].astype(np.float64) / ONE)
        seconds += time.perf_counter() - begin
        right += int((said == tails.positive[test]).sum())
    return seconds, right


def ask_singly(fens: Sequence[str], *, new_game: bool) -> float:
    """Return the seconds of one question to the engine when each waits for the last answer."""
    engine = subprocess.Popen(
        stockfish8().command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with engine:
        for fen in fens[:200]:  # warm: node compiles what it runs often
            ask(engine, fen, new_game=new_game)
        _, seconds = timed(
            lambda: [ask(engine, fen, new_game=new_game) for fen in fens]
        )
        engine.kill()
    return seconds / len(fens)


def ask(engine: subprocess.Popen[str], fen: str, *, new_game: bool) -> dict[str, str]:
    """Ask for one table and read it as the released script does: as text, term by term."""
    if new_game:
        send(engine, "ucinewgame\nisready\n")
        while engine.stdout.readline().strip() != "readyok":
            pass
    send(engine, f"position fen {fen}\neval\n")
    terms = {}
    for line in engine.stdout:
        if line.startswith("Total Evaluation"):
            break
        cells = line.split("|")
        if len(cells) == 4:
            terms[cells[0].strip()] = cells[3].split()[0]
    return terms


def send(engine: subprocess.Popen[str], lines: str) -> None:
    """Write lines to the engine at once."""
    engine.stdin.write(lines)
    engine.stdin.flush()


def activate_singly(expert: Expert, fens: Sequence[str], layers: str) -> float:
    """Return the seconds of one position through the network by itself."""
    names = layers.split("+")
    if (
        len(names) > 1
    ):  # one pass gives both: the widest layer's is counted, and no other
        names = [max(names, key=expert.width)]
    _, seconds = timed(lambda: [expert.activations([fen], names[0]) for fen in fens])
    return seconds / len(fens)


def stream_rate(fens: Sequence[str]) -> tuple[float, float, int]:
    """Label a file; return lines a second, bytes kept for each, and the number of lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "evaluations.jsonl.zst"
        rows = (
            json.dumps({"fen": " ".join(fen.split()[:4]), "evals": []}) for fen in fens
        )
        path.write_bytes(
            zstandard.compress("".join(f"{row}\n" for row in rows).encode())
        )
        stream = label(stream_fens(path), stockfish8(), Store(Path(folder) / "store"))
        _, seconds = timed(lambda: [len(one.table) for one in stream])
        kept = sum(file.stat().st_size for file in Path(folder, "store").rglob("*.*"))
    return len(fens) / seconds, kept / len(fens), len(fens)


def tower_rate(batch: int = 32) -> float:
    """Return T78's positions a second here, from the time of one of its convolutions."""
    boards = torch.randn(batch, T78_FILTERS, 8, 8).contiguous(
        memory_format=torch.channels_last
    )
    layer = torch.nn.Conv2d(T78_FILTERS, T78_FILTERS, 3, padding=1)
    layer = layer.to(memory_format=torch.channels_last)
    with torch.inference_mode():
        layer(boards)
        seconds = [timed(lambda: layer(boards))[1] for _ in range(9)]
    return batch / (T78_CONVOLUTIONS * statistics.median(seconds))


def summarise(
    rounds: Sequence[Round], n: int, fits: int, stream: tuple[float, float, int]
) -> dict[str, dict]:
    """Return the results under their keys."""
    target = {"reference": 100.0, "source": "target"}
    correct = sum(one.correct for one in rounds)
    times = "times as long, median of the rounds"
    results = {
        "speedup.released_procedure": entry(
            [one.whole for one in rounds], n, times, **target
        ),
        "speedup.released_without_new_game": entry(
            [r.whole_spared for r in rounds], n, times
        ),
        "speedup.fits": entry([one.solver for one in rounds], fits, times),
        "accuracy.fits.ours": entry(
            [correct[1] / correct[0]], int(correct[0]), "accuracy"
        ),
        "accuracy.fits.default": entry(
            [correct[2] / correct[0]], int(correct[0]), "accuracy"
        ),
    }
    for side in ("ours", "released"):
        stages = [getattr(one, side) for one in rounds]
        totals = [sum(one.values()) for one in stages]
        results[f"seconds.{side}.whole"] = entry(totals, n, "seconds")
        for name in stages[0]:
            spent = [one[name] for one in stages]
            results[f"seconds.{side}.{name}"] = entry(spent, n, "seconds")
    for name in ("labels", "activations"):
        rates = [n / one.ours[name] for one in rounds]
        results[f"rate.{name}"] = entry(rates, n, "positions a second")
    per_second, size, lines = stream
    results["rate.stream"] = entry([per_second], lines, "lines a second, two engines")
    results["bytes.stream"] = entry([size], lines, "bytes kept a position")
    results["rate.t78_tower"] = entry([tower_rate()], 32, "positions a second")
    return results


def entry(values: Sequence[float], n: int, unit: str, **more: float | str) -> dict:
    """Return a result: the median of the rounds, and the least and the greatest of several."""
    several = len(values) > 1
    shown = [float(f"{value:.4g}") for value in values]
    return {
        "value": statistics.median(shown),
        "low": min(shown) if several else None,
        "high": max(shown) if several else None,
        "n": n,
        "unit": unit,
        "reference": more.get("reference"),
        "source": more.get("source", ""),
    }


def write_costs(results: dict[str, dict]) -> None:
    """Write what 100 million positions cost at the measured rates, for the book's page."""
    value = {key: row["value"] for key, row in results.items() if "value" in row}
    both = os.cpu_count() or 1
    stages = (  # name, positions a second, cores used, bytes kept a position
        (
            "Labels, from a file of evaluations",
            value["rate.stream"],
            2,
            value["bytes.stream"],
        ),
        ("NNUE, products and clipped sums", value["rate.activations"], 1, 2 * 3_072),
        ("T78, last block", value["rate.t78_tower"], both, 2 * 64 * T78_FILTERS),
    )
    with COSTS.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(
            ["Stage", "Positions a second and core", "Core-hours", "Kept, GB"]
        )
        for name, rate, cores, size in stages:
            hours = 1e8 * cores / rate / 3600
            rows.writerow(
                [name, f"{rate / cores:,.4g}", f"{hours:,.0f}", f"{size / 10:,.0f}"]
            )


def machine(
    options: argparse.Namespace, load: tuple[float, float, float]
) -> dict[str, object]:
    """Return what the numbers depend on: processor, versions, load, sizes, date."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = (
        line.partition(":")[2].strip()
        for line in lines
        if line.startswith("model name")
    )
    packages = ("numpy", "scikit-learn", "torch", "joblib", "chess")
    return {
        "cpu": next(models, platform.processor()),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
        "peer": "the released procedure on the same engine (Stockfish 8, npm 8.0.0) and NNUE",
        "layer": options.layer,
        "solver": options.solver,
        "rounds": options.rounds,
        "seed": options.seed,
        "load_before": [round(one, 1) for one in load],
        "note": options.note,
        "date": datetime.now(UTC).date().isoformat(),
    }


if __name__ == "__main__":
    main()
