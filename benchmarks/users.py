"""What a person who comments on games gets: the size of an install, the time of four games.

The library is installed by pip into a new environment, without an extra, and its packages are
counted and weighed. Four games are annotated in turns by this library and by an older one, each
with as many engines as the machine has cores; the value is the median of the rounds' ratios of wall
time with its 95 % interval (bootstrap). Cases from outside (``tests/test_users_cases.py``) are
counted where a folder of them is at hand.

    python benchmarks/users.py --older 99cb5843
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from io import BytesIO
from pathlib import Path
from venv import create

from bench import RESULTS, ROOT, in_turns, keep, last_version, machine, ratio

#: Nodes of each position, and games.
NODES, GAMES = 20_000, 4
#: What a new environment has before anything is installed.
OF_VENV = ("pip", "setuptools", "pkg_resources", "_distutils_hack")


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--older", default=last_version(), help="a commit to compare with"
    )
    parser.add_argument("--note", default="", help="what else the machine was doing")
    options = parser.parse_args()
    kept = RESULTS / "users.json"
    others = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        results = installed(Path(folder)) | right_cases()
        works = {
            name: lambda library=library: annotate(library, Path(folder))
            for name, library in {
                "ours": ROOT / "lib",
                "older": library_of(options.older, Path(folder)),
            }.items()
        }
        seconds = in_turns(works, options.rounds)
    about = f"older: {options.older}; {GAMES} games, {NODES:,} nodes a position"
    results["users.annotate_over_older"] = ratio(
        seconds["ours"], seconds["older"], unit="seconds over seconds", source=about
    )
    machine_now = machine(options.note)
    keep("users", {**others, **results, "machine": machine_now})


def installed(folder: Path) -> dict[str, dict]:
    """Install the library without an extra; return its packages, megabytes and import time."""
    source = folder / "source"
    home = folder / "venv"
    for name in ("lib", "data/priority"):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, source)
    create(home, with_pip=True)
    python = str(home / "bin/python")
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", str(source)], check=True)
    listed = subprocess.check_output([*pip, "list", "--format=json"], text=True)
    names = {each["name"] for each in json.loads(listed)} - {"pip", "setuptools"}
    (site,) = home.glob("lib/python*/site-packages")
    ours = (path for path in site.iterdir() if not path.name.startswith(OF_VENV))
    folders = [*ours, home / "share"]
    size = sum(
        path.stat().st_size
        for each in folders
        for path in (each.rglob("*") if each.is_dir() else [each])
        if path.is_file()
    )
    took = [imported(python, folder) for _ in range(5)]
    return {
        "users.base_packages": _count(len(names), "packages, chessgloss included"),
        "users.base_mb": _count(round(size / 1e6), "megabytes"),
        "users.import_seconds": _count(
            round(sorted(took)[2], 3), "seconds, median of 5"
        ),
    }


def imported(python: str, folder: Path) -> float:
    """Return the seconds that a fresh Python takes to import the library."""
    code = "import time; begun = time.perf_counter(); import chessgloss; "
    code += "print(time.perf_counter() - begun)"
    return float(subprocess.check_output([python, "-c", code], text=True, cwd=folder))


def right_cases() -> dict[str, dict]:
    """Return how many cases from outside are right; nothing where there is no folder of them."""
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "tests/test_users_cases.py"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    right, wrong = (
        int(found[1]) if (found := re.search(rf"(\d+) {word}", said)) else 0
        for word in ("passed", "failed")
    )
    if not right + wrong:
        return {}
    return {"users.cases_right": {**_count(right, "cases"), "n": right + wrong}}


def _count(value: float, unit: str) -> dict:
    return {"value": value, "n": 1, "unit": unit, "reference": None, "source": ""}


def library_of(commit: str, folder: Path) -> Path:
    """Unpack the library of a commit."""
    command = ["git", "archive", "--format=tar", commit, "lib"]
    packed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder / "older", filter="data")
    return folder / "older/lib"


def annotate(library: Path, folder: Path) -> float:
    """Return the seconds that a library takes to annotate the games."""
    text = (ROOT / "data/famous/games.pgn").read_text("utf-8")
    games = folder / "games.pgn"
    games.write_text("".join(re.split(r"(?m)(?=^\[Event )", text)[1 : GAMES + 1]))
    command = [sys.executable, "-m", "chessgloss", "annotate", str(games)]
    command += ["-o", str(folder / "annotated.pgn"), "--nodes", str(NODES)]
    command += ["--processes", str(os.cpu_count())]
    begun = time.perf_counter()
    subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(library)},
        capture_output=True,
        check=True,
    )
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
