"""What the benchmarks share: turns, ratios with intervals, and of which code a figure is.

``make bench`` runs the benchmarks that take minutes and whose figures are of older code: a file
of the library that a benchmark imports has changed since it was run. Each compares
in turns (ours, theirs, ours, theirs, ...) with a named peer or with the library of the last
version, so that whatever else the machine does disturbs both alike.

    python benchmarks/bench.py          # run what is of older code
    python benchmarks/bench.py --list   # only say how old each figure is
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any

from chessgloss.book.used_code import code_sha256, used_code

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "benchmarks"
RESULTS = BENCHMARKS / "results"
#: The library that ours is compared with while no version is tagged: of 22 November 2026.
BASELINE = "a2f9af0a3aaf3f4940069f94505ad09e24afd805"

#: What `make bench` runs, with options that keep it to minutes.
SHORT: Mapping[str, tuple[str, ...]] = {
    "start_speed": (),
    "claims_speed": (),
    "live_page": (),
    "oracle_speed": (),
    "nnue_agreement": ("--positions", "500", "--timed", "10000"),
    "tracking_train_speed": ("--turns", "5", "--steps", "4", "--warm", "12"),
}

#: What takes long, or needs a file or a package of its own: run by hand.
LONG = ("leela_speed", "moods", "table6_speed", "users")

#: Modules that a benchmark is of and its script does not import: it starts a program with them.
LOADED: Mapping[str, tuple[str, ...]] = {
    "start_speed": ("__init__.py", "__main__.py", "cli.py"),
    "moods": (
        "llm/replies.py",
        "commentary/methods.py",
        "judges/gcc.py",
        "judges/pairwise.py",
    ),
    "users": ("commentary/game_job.py", "corpora/pgn.py", "engine.py", "notation.py"),
}

_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Age:
    """How old the figures of a benchmark are.

    Parameters
    ----------
    benchmark
        The stem of its script and of its results.
    date
        Day on which it was run, ISO; empty if its results do not say.
    current
        Whether the library code that it reaches is what it was then.
    """

    benchmark: str
    date: str
    current: bool

    def __str__(self) -> str:
        day = f"measured on {self.date}" if self.date else "measured on a day not noted"
        if self.current:
            return f"{day}, of this code"
        short = self.benchmark in SHORT
        remedy = "make bench" if short else f"python benchmarks/{self.benchmark}.py"
        return f"{day}, of older code; run {remedy}"


def age_of(benchmark: str, results: Path = RESULTS) -> Age:
    """Return how old a benchmark's figures are; results without a fingerprint are old.

    Raises
    ------
    FileNotFoundError
        If there are no results.
    """
    kept = json.loads((results / f"{benchmark}.json").read_text("utf-8"))
    date = kept.get("machine", {}).get("date", "")
    return Age(benchmark, date, kept.get("code") == fingerprint(benchmark))


def fingerprint(benchmark: str) -> str:
    """Return a hash of the library's files that a benchmark's scripts use."""
    library = ROOT / "lib"
    used = {library / "chessgloss" / name for name in LOADED.get(benchmark, ())}
    for script in BENCHMARKS.glob(f"{benchmark}*.py"):
        used.update(used_code(script.read_text("utf-8"), library))
    return code_sha256(used, library)


def keep(benchmark: str, results: Mapping[str, Any]) -> None:
    """Write a benchmark's results, with the fingerprint of the code, and print them."""
    machine = {"date": datetime.now(UTC).date().isoformat()}
    machine |= results.get("machine", {})
    kept = {**results, "machine": machine, "code": fingerprint(benchmark)}
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(kept, indent=2, sort_keys=True) + "\n"
    (RESULTS / f"{benchmark}.json").write_text(text, "utf-8")
    print(text)


def last_version() -> str:
    """Return the last tagged version, or :data:`BASELINE` where there is none."""
    command = ["git", "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return said.stdout.strip() or BASELINE


@contextlib.contextmanager
def last_library(version: str = "") -> Iterator[Path]:
    """Unpack the library of a version, the last if none is named, into a folder that then goes."""
    version = version or last_version()
    command = ["git", "archive", "--format=tar", version, "lib"]
    packed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder) / "lib"


def ask(script: str, library: Path, *words: str, given: Any = None) -> Any:
    """Run a script of this folder with a library; return the JSON that it prints.

    Parameters
    ----------
    script
        Name of the file.
    library
        Folder that holds the package ``chessgloss``.
    words
        Words of its command line.
    given
        What it reads as JSON from its standard input.
    """
    settings = {"PYTHONPATH": str(library), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / script), *words],
        cwd=ROOT,
        env=os.environ | settings,
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def in_turns(
    works: Mapping[str, Callable[[], float]], rounds: int
) -> dict[str, list[float]]:
    """Call each work once a round, one after the other; return their numbers by round."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            found[name].append(work())
    return found


def ratio(above: Sequence[float], below: Sequence[float], **about: Any) -> dict:
    """Return a result: one number of each round over another, as :func:`entry` does."""
    ratios = [one / other for one, other in zip(above, below, strict=True)]
    return entry(ratios, **{"unit": "ratio", "n": len(ratios)} | about)


def entry(
    values: Sequence[float],
    *,
    n: int,
    unit: str,
    reference: float | None = None,
    source: str = "",
) -> dict:
    """Return a result: the median of the rounds with its 95 % interval (bootstrap)."""
    low, high = _interval(values)
    return {
        "value": _short(statistics.median(values)),
        "low": _short(low),
        "high": _short(high),
        "n": n,
        "rounds": len(values),
        "unit": unit,
        "reference": reference,
        "source": source,
    }


def machine(note: str = "", packages: Sequence[str] = ("chess", "numpy")) -> dict:
    """Return what the numbers depend on: processor, versions, load, date."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    named = (line.partition(":")[2] for line in lines if line.startswith("model name"))
    return {
        "cpu": next(named, platform.processor()).strip(),
        "cores": os.cpu_count(),
        "load": [round(load, 1) for load in os.getloadavg()],
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
        "last_version": last_version(),
        "note": note,
        "date": datetime.now(UTC).date().isoformat(),
    }


def main() -> None:
    """Run what takes minutes and is of older code; say how old the rest is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="run nothing")
    options = parser.parse_args()
    for benchmark, words in SHORT.items():
        if not (options.list or _is_current(benchmark)):
            script = str(BENCHMARKS / f"{benchmark}.py")
            subprocess.run([sys.executable, script, *words], cwd=ROOT, check=True)
    for benchmark in (*SHORT, *LONG):
        age = "never measured; run make bench"
        with contextlib.suppress(FileNotFoundError):
            age = str(age_of(benchmark))
        print(f"{benchmark}: {age}")


def _is_current(benchmark: str) -> bool:
    try:
        return age_of(benchmark).current
    except FileNotFoundError:
        return False


def _interval(values: Sequence[float]) -> tuple[float, float]:
    drawn = random.Random(0)
    medians = [
        statistics.median(drawn.choices(values, k=len(values)))
        for _ in range(_RESAMPLES)
    ]
    cuts = statistics.quantiles(medians, n=40, method="inclusive")
    return cuts[0], cuts[-1]


def _short(value: float) -> float:
    return float(f"{value:.4g}")


if __name__ == "__main__":
    main()
