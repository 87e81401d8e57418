"""How many comments a second the claim checker reads and checks on the board alone.

The comments are the labelled texts of the development set of claims, in their order, checked by one
process; start-up and reading of the positions are not counted. The value is the median of the
rounds, low and high are the least and the greatest.

    python benchmarks/claims_speed.py
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tqdm import tqdm

from chessgloss.claims.gold import GoldText, check_text, read_gold

ROOT = Path(__file__).resolve().parents[1]
TEXTS = ROOT / "data" / "claims" / "dev.jsonl"
RESULTS = Path(__file__).parent / "results" / "claims_speed.json"

#: What was asked for: comments a second, board-only claims.
TARGET = 500


def main() -> None:
    """Measure and write the results."""
    options = parse_options()
    texts = list(read_gold(TEXTS))
    check_all(texts)
    speeds = [
        len(texts) / check_all(texts) for _ in tqdm(range(options.rounds), unit="round")
    ]
    words = sum(len(one.text.split()) for one in texts)
    results = {
        "claims.comments_per_second": entry(speeds, len(texts), "comments/s", TARGET),
        "claims.words_per_second": entry(
            [speed * words / len(texts) for speed in speeds], words, "words/s", None
        ),
        "machine": machine(options.note),
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2, sort_keys=True) + "\n")
    print(RESULTS.read_text())


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--note", default="", help="what else the machine was doing")
    return parser.parse_args()


def check_all(texts: list[GoldText]) -> float:
    """Return the seconds in which all texts are checked."""
    begin = time.perf_counter()
    for text in texts:
        check_text(text)
    return time.perf_counter() - begin


def entry(
    values: list[float], count: int, unit: str, target: int | None
) -> dict[str, object]:
    """Return a result with the median, the least and the greatest of the rounds."""
    return {
        "value": round(statistics.median(values)),
        "low": round(min(values)),
        "high": round(max(values)),
        "n": count,
        "rounds": len(values),
        "unit": unit,
        "reference": target,
        "source": "" if target is None else "target: board-only claims on one core",
    }


def machine(note: str) -> dict[str, object]:
    """Return what the numbers depend on: processor, versions, load, date."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [
        line.partition(":")[2].strip()
        for line in lines
        if line.startswith("model name")
    ]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": len(models) or None,
        "python": platform.python_version(),
        "chess": version("chess"),
        "note": note,
        "date": datetime.now(UTC).date().isoformat(),
    }


if __name__ == "__main__":
    main()
