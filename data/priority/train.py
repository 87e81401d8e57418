"""Train what ``data/priority`` and ``data/concepts`` hold, from the games alone.

    python data/priority/train.py nnue --epochs 3
    python data/priority/train.py onehot --epochs 3
    python data/priority/train.py linear
    python data/priority/train.py curve
    python data/priority/train.py facts

``nnue`` and ``onehot`` train the models of changes, ``linear`` fits the linear scores, ``curve``
trains models on fewer games (:mod:`chessgloss.concepts.train`), and ``facts`` fits the concepts
from facts (:mod:`chessgloss.concepts.train_facts`). Of ``onehot``, the control, the answers are
kept; its weights lie in a folder beside the store.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from chessgloss.concepts import priority
from chessgloss.concepts.answers import control_weights
from chessgloss.concepts.priority import ChangeModel
from chessgloss.concepts.train import (
    Settings,
    Stopping,
    write_answers,
    write_curve,
    write_linear,
    write_model,
    write_tails,
)
from chessgloss.concepts.train_facts import write_facts
from chessgloss.corpora.games import people_games, read_games

#: Games of people read, where there are any: the chapter's number.
PEOPLE = 10_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Train from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python data/priority/train.py")
    parser.add_argument("what", choices=[*priority.SOURCES, "linear", "curve", "facts"])
    parser.add_argument(
        "--games", type=Path, default=Path("data/games/selfplay.tsv.zst")
    )
    parser.add_argument(
        "--limit", type=int, help="read only so many games; for facts 10,000"
    )
    parser.add_argument(
        "--target", type=Path, help="folder, data/priority or data/concepts"
    )
    parser.add_argument("--epochs", type=int, default=Settings().epochs)
    parser.add_argument("--seed", type=int, default=Settings().seed)
    given = parser.parse_args(arguments)
    what, seed = given.what, given.seed
    target = given.target or Path(
        "data/concepts" if what == "facts" else "data/priority"
    )
    games = list(
        read_games(given.games, given.limit or (10_000 if what == "facts" else None))
    )
    settings = Settings(epochs=given.epochs, seed=seed)
    if what == "facts":
        print(write_facts(games, target, seed=seed))
    elif what == "linear":
        print(*write_linear(games, target, seed=seed), sep="\n")
    elif what == "curve":
        print(write_tails(games, target, seed=seed))
        print(write_curve(games, target, settings, Stopping()))
    elif what == "nnue":
        print(write_model(what, games, target, settings))
    else:
        beside = control_weights().parent
        model = ChangeModel.load(write_model(what, games, target, settings, beside))
        answers = target / f"{what}-answers.safetensors"
        people = people_games(PEOPLE)
        print(write_answers(model, games, people, answers, seed=seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
