"""Four changes of the recipe, each alone and all together: ``python data/tracking/recipe.py``.

Each is trained on 12,500 games read once, 2.2 million tokens, with one seed, and measured on the
test games and on the questions where the piece moved next may go. With ``--run`` an arm changes
another run of the plan, with all its passes. What it comes to is added to ``recipe.json``; what
stands there is not made again.

- ``pairs``: a table of token pairs. The vector of a token gets one of the token and the one before.
- ``values``: in each block, a vector of the token is added to the values of attention.
- ``untied``: the output layer has weights of its own; they begin as the embedding's.
- ``faster``: Adam moves embeddings at 0.02 in place of 0.003.

The three tables begin at zero, so that all five models begin as the plain one.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from tqdm import tqdm

from chessgloss.store import write_file
from chessgloss.tracking import games as tokens
from chessgloss.tracking import probes
from chessgloss.tracking.models import LanguageModel, Settings, make_model
from chessgloss.tracking.optim import MasterWeights
from chessgloss.tracking.plan import Run, find_run
from chessgloss.tracking.train import WATCHED, Task, Trainer, perplexity

#: Changes by the name of the arm.
ARMS: dict[str, tuple[str, ...]] = {
    "plain": (),
    "together": ("pairs", "values", "untied", "faster"),
    "pairs": ("pairs",),
    "values": ("values",),
    "untied": ("untied",),
    "faster": ("faster",),
}

#: How much faster embeddings move.
FASTER = 0.02 / 0.003


class ChangedModel(LanguageModel):
    """The plain model with some of the changes.

    Parameters
    ----------
    settings, seed
        Of the plain model.
    changes
        Names of the changes.
    """

    def __init__(self, settings: Settings, seed: int, changes: Sequence[str]) -> None:
        super().__init__(settings)
        plain = make_model(settings, seed)
        self.load_state_dict(plain.state_dict())
        width = settings.width
        words = tokens.VOCABULARY_SIZE
        self.pairs = _zeros(words**2, width) if "pairs" in changes else None
        self.output = (
            nn.Linear(width, words, bias=False) if "untied" in changes else None
        )
        if self.output is not None:
            self.output.weight.data.copy_(self.tokens.weight)
        blocks: Any = self.body.blocks
        self.values = nn.ModuleList()
        if "values" in changes:
            self.values.extend(_zeros(words, width) for _ in blocks)
        for block, table in zip(blocks, self.values, strict=False):
            block.attention.register_forward_pre_hook(self._adder(table))

    def embeddings(self) -> list[nn.Parameter]:
        """Return the tables that are looked up by token or pair."""
        tables = [self.tokens, *self.values]
        if self.pairs is not None:
            tables.append(self.pairs)
        return [table.weight for table in tables]

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """Return logits ``(…, 77)`` of last vectors ``(…, width)``."""
        return super().logits(states) if self.output is None else self.output(states)

    def states(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the last vectors ``(games, length, width)``, which the output layer reads."""
        self.read = ids
        vectors = self.tokens(ids)
        if self.pairs is not None:
            before = functional.pad(ids, (1, 0))[:, :-1]
            vectors = vectors + self.pairs(before * tokens.VOCABULARY_SIZE + ids)
        return self.norm(self.body(vectors))

    def _adder(self, table: nn.Embedding) -> Any:
        def add(_: nn.Module, inputs: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
            query, key, value = inputs[0].unbind(0)
            games, length = self.read.shape
            heads = table(self.read).view(games, length, -1, value.shape[2])
            added = value + heads.transpose(1, 2).reshape_as(value)
            return (torch.stack([query, key, added]),)

        return add


class FasterWeights(MasterWeights):
    """Masters of which some tables go :data:`FASTER` times as far at each step."""

    tables: list[nn.Parameter]

    def step(self, share: float) -> None:
        """Move all, then the tables on."""
        before = [table.clone() for table in self.tables]
        super().step(share)
        for table, old in zip(self.tables, before, strict=True):
            table.add_(table - old, alpha=FASTER - 1)
        self.round()


def make_trainer(task: Task, run: Run, changes: Sequence[str]) -> Trainer:
    """Return the trainer of a run with some of the changes."""
    trainer = Trainer(task, run.settings, run.training)
    model = ChangedModel(run.settings, run.training.seed, changes)
    masters = FasterWeights if "faster" in changes else MasterWeights
    trainer.model = model
    trainer.masters = masters(model, run.training)
    if isinstance(trainer.masters, FasterWeights):
        fast = set(map(id, model.embeddings()))
        parts = zip(model.parameters(), trainer.masters.heights, strict=True)
        owners = [id(each) for each, height in parts for _ in each.split(height)]
        pairs = zip(owners, trainer.masters.masters, strict=True)
        trainer.masters.tables = [master for owner, master in pairs if owner in fast]
    trainer.best = trainer.weights()
    return trainer


def train_arm(name: str, run: Run) -> dict[str, Any]:
    """Train one arm as a run of the plan is trained; return its row."""
    corpus = tokens.read_corpus()
    notation = run.training.reading
    task = Task(corpus.games, corpus.of(run.size), corpus.of("dev")[:WATCHED])
    trainer = make_trainer(task, run, ARMS[name])
    while not trainer.finished:
        epoch = trainer.epoch()
        for _ in tqdm(epoch, disable=None):
            trainer.step(epoch)
        trainer.measure()
    seconds = round(trainer.seconds)
    trainer.model.load_state_dict(trainer.best)
    model = trainer.model.float().eval()
    row: dict[str, Any] = {
        "arm": name,
        "run": run.name,
        "size": run.size,
        "tokens": trainer.now.tokens,
        "cpu_seconds": seconds,
        "parameters": sum(part.numel() for part in model.parameters()),
    }
    row["dev_perplexity"] = trainer.now.log[-1]["dev_perplexity"]
    reached = perplexity(model, corpus.games, notation, corpus.of("test"))
    row["test_perplexity"] = round(reached, 4)
    questions = probes.read_probes().query("task == 'end_actual' and band == 'long'")
    answers = probes.predict(model, questions, notation)
    scored = probes.score_answers(questions, answers)
    for score in ("lgm", "exm"):
        row[score] = round(100 * float(scored[score].mean()), 2)
    return row


def _zeros(words: int, width: int) -> nn.Embedding:
    table = nn.Embedding(words, width)
    nn.init.zeros_(table.weight)
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Train from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="data/tracking/recipe.py")
    parser.add_argument("arms", nargs="*", metavar="ARM", default=list(ARMS))
    parser.add_argument("--run", default="S-uci-1x1", help="which run is changed")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args(arguments)
    torch.set_num_threads(given.threads)
    path = tokens.data_folder() / "recipe.json"
    rows = json.loads(path.read_text("utf-8")) if path.is_file() else []
    run = find_run(given.run)
    for name in given.arms:
        if (name, run.name) in [(row["arm"], row["run"]) for row in rows]:
            continue
        rows.append(train_arm(name, run))
        write_file(path, json.dumps(rows, indent=1) + "\n")
        print(json.dumps(rows[-1]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
