"""Train the baseline that ``data/gac`` holds.

python -m chessgloss.gac train
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from chessgloss import assets
from chessgloss.corpora.lectures import evaluated_lectures, read_lectures
from chessgloss.gac.examples import Parts, make_examples, part, scores_of, sources
from chessgloss.gac.training import (
    Settings,
    frequency_perplexity,
    measure,
    train,
    with_features_of_others,
)
from chessgloss.store import Store, default_store

#: Nodes a position for the engine's scores.
NODES = 20_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Train from the command line; return the exit status."""
    given = _parser().parse_args(arguments)
    torch.set_num_threads(1)  # the steps are small: threads would wait for each other
    lectures = read_lectures(assets.locate("lectures"))
    held_out = evaluated_lectures(lectures)
    comments = [comment for one in lectures for comment in one.comments]
    parts = part(comments, held_out)
    settings = Settings(seed=given.seed, epochs=given.epochs)
    log = train_model(parts, settings, given.target, default_store())
    log["held_out"] = sorted(held_out)
    text = json.dumps(log, indent=1) + "\n"
    (given.target / "training.json").write_text(text, encoding="utf-8")
    print(json.dumps(log["stopping"], indent=1))
    return 0


def train_model(parts: Parts, settings: Settings, target: Path, store: Store) -> dict:
    """Train, write the model into ``target``, and return what is to be known of it."""
    scores = [scores_of(one, store, nodes=NODES) for one in (parts.training, parts.stopping)]
    training = make_examples(parts.training, scores[0], mirrored=True)
    stopping = make_examples(parts.stopping, scores[1])
    model, passes = train(training, stopping, settings)
    model.save(target)
    others = with_features_of_others(stopping, seed=settings.seed)
    return {
        "settings": asdict(settings),
        "nodes": NODES,
        "comments": {"training": len(parts.training), "stopping": len(stopping)},
        "vocabulary": {"comments": len(model.words), "features": len(model.features)},
        "stopping": {
            "sources": sorted(sources(parts.stopping)),
            **measure(model, stopping),
            "perplexity_features_of_others": measure(model, others)["perplexity"],
            "perplexity_by_frequency": frequency_perplexity(training, stopping, model.words),
        },
        "passes": passes,
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m chessgloss.gac")
    parser.add_argument("what", choices=["train"])
    parser.add_argument("--target", type=Path, default=Path("data/gac"))
    parser.add_argument("--epochs", type=int, default=Settings().epochs)
    parser.add_argument("--seed", type=int, default=Settings().seed)
    return parser


if __name__ == "__main__":
    sys.exit(main())
