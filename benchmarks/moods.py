"""Whether another model's recordings run every chapter: a scripted model in four moods.

Each mood (``tests/scripted_model.py``) is asked what the chapters ask at their smallest sizes, and
every chapter that replays a model is executed on its answers. Minutes a mood.

    python benchmarks/moods.py              # all four; keeps how many were executed
    python benchmarks/moods.py markdown     # some; keeps nothing
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench import ROOT, keep, machine

sys.path += [str(ROOT / "tests"), str(ROOT / "book")]

import scripted_model as scripted


def failures_of(mood: str) -> list[str]:
    """Record and execute the chapters with a mood; return what failed."""
    failures = []
    with tempfile.TemporaryDirectory() as name:
        project = scripted.project_copy(Path(name) / "project")
        scripted.record_chapters(project, mood)
        for chapter, failure in scripted.execute_chapters(
            project, Path(name) / "run", mood
        ):
            print(f"{mood} {chapter}: {failure or 'executed'}", flush=True)
            failures += [failure] if failure else []
    return failures


def main() -> int:
    """Execute the chapters with each mood; keep how many moods ran through."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "moods", nargs="*", metavar="MOOD", help="|".join(scripted.MOODS)
    )
    moods = parser.parse_args().moods or list(scripted.MOODS)
    if unknown := set(moods) - set(scripted.MOODS):
        parser.error(
            f"no mood {', '.join(unknown)}; there are {', '.join(scripted.MOODS)}"
        )
    failed = {mood: failures_of(mood) for mood in moods}
    whole = [mood for mood, failures in failed.items() if not failures]
    if set(moods) == set(scripted.MOODS):
        executed = {
            "value": len(whole),
            "low": len(whole),
            "high": len(whole),
            "n": len(moods) * len(scripted.REPLAYING),
            "unit": f"moods of {len(moods)}; n: executed chapters",
        }
        keep("moods", {"users.moods_executed": executed, "machine": machine()})
    return int(len(whole) < len(moods))


if __name__ == "__main__":
    sys.exit(main())
