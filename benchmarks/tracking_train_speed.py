"""Training tokens a second: ours beside a GPT written the usual way, at equal size.

The peer is a small GPT as nanoGPT (https://github.com/karpathy/nanoGPT, model.py and train.py)
builds and trains one: weights in single precision under bfloat16 autocast,
scaled_dot_product_attention, clipped gradients, AdamW over the list of parameters, blocks cut
from one stream of tokens (so it pads nothing). Ours reads whole games, padded, as in training;
only real tokens count. Both take the same number of tokens a step, in turns, so that other
work on the machine disturbs both alike; the ratio of each turn counts, by processor time.
Run: ``python benchmarks/tracking_train_speed.py``.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from chessgloss.corpora.games import read_games
from chessgloss.store import find_project
from chessgloss.tracking.games import VOCABULARY_SIZE, TokenGames, annotate, tokenise
from chessgloss.tracking.models import Settings, make_model
from chessgloss.tracking.runs import TRANSFORMER, Training
from chessgloss.tracking.train import Task, Trainer, count_parameters

#: Length of the peer's blocks: about a game.
BLOCK = 192


class PlainBlock(nn.Module):
    """Attention and feed-forward, as GPTs are commonly written."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        width = settings.width
        self.heads, self.dropout = settings.heads, settings.dropout
        self.first = nn.LayerNorm(width)
        self.second = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.feed = nn.Sequential(
            nn.Linear(width, 4 * width, bias=False),
            nn.GELU(),
            nn.Linear(4 * width, width, bias=False),
            nn.Dropout(settings.dropout),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return ``(n, length, width)``."""
        n, length, width = x.shape
        parts = self.qkv(self.first(x)).split(width, dim=2)
        query, key, value = (
            part.view(n, length, self.heads, width // self.heads).transpose(1, 2)
            for part in parts
        )
        mean = functional.scaled_dot_product_attention(
            query, key, value, is_causal=True
        )
        joined = self.out(mean.transpose(1, 2).contiguous().view(n, length, width))
        x = x + functional.dropout(joined, self.dropout, self.training)
        return x + self.feed(self.second(x))


class PlainGpt(nn.Module):
    """A GPT of the same shape, with the loss inside ``forward``."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY_SIZE, settings.width)
        self.positions = nn.Embedding(settings.context, settings.width)
        self.dropout = nn.Dropout(settings.dropout)
        self.blocks = nn.ModuleList(
            PlainBlock(settings) for _ in range(settings.layers)
        )
        self.norm = nn.LayerNorm(settings.width)
        self.head = nn.Linear(settings.width, VOCABULARY_SIZE, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
        """Return the mean loss."""
        x = self.dropout(self.tokens(ids) + self.positions(torch.arange(ids.shape[1])))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        return functional.cross_entropy(
            logits.view(-1, VOCABULARY_SIZE), expected.view(-1)
        )


def their_steps(
    games: TokenGames, settings: Settings, training: Training
) -> Iterator[int]:
    """Train the peer step by step; yield the tokens of each."""
    torch.manual_seed(0)
    model = PlainGpt(settings)
    random = np.random.default_rng(0)
    adam = torch.optim.AdamW(
        model.parameters(), training.rate, weight_decay=training.decay
    )
    stream = torch.from_numpy(
        annotate(games, np.arange(len(games)), "uci")[0].astype(np.int64)
    )
    count = training.tokens // BLOCK
    while True:
        places = random.integers(len(stream) - BLOCK - 1, size=count)
        read = torch.stack([stream[at : at + BLOCK] for at in places])
        expected = torch.stack([stream[at + 1 : at + 1 + BLOCK] for at in places])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(read, expected)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), training.clip)
        adam.step()
        adam.zero_grad(set_to_none=True)
        yield count * BLOCK


def our_steps(
    games: TokenGames, settings: Settings, training: Training
) -> Iterator[int]:
    """Train ours step by step, epoch after epoch; yield the real tokens of each."""
    torch.manual_seed(0)
    task = Task(games, np.arange(len(games)), np.arange(1))
    trainer = Trainer(task, settings, training, torch.bfloat16)
    epoch = trainer.epoch()
    while True:
        trainer.now.batch %= len(epoch)
        yield trainer.step(epoch)


def rate(steps: Iterator[int], count: int, clock: Callable[[], float]) -> float:
    """Return tokens a second of ``count`` steps."""
    start = clock()
    return sum(next(steps) for _ in range(count)) / (clock() - start)


def compare(games: TokenGames, turns: int, steps: int, warm: int) -> dict[str, object]:
    """Return the ratio of speeds over the turns, with what it was measured on."""
    settings = replace(TRANSFORMER, mixing=False)  # as the peer's
    training = Training()
    ours = our_steps(games, settings, training)
    theirs = their_steps(games, settings, training)
    clock = time.process_time
    (
        rate(ours, warm, clock),
        rate(theirs, 3, clock),
    )  # ours meets many shapes, the peer one
    rates = np.array(
        [[rate(one, steps, clock) for one in (ours, theirs)] for _ in range(turns)]
    )
    ratios = rates[:, 0] / rates[:, 1]
    rng = np.random.default_rng(0)
    medians = np.median(rng.choice(ratios, (2000, turns)), axis=1)
    low, high = np.quantile(medians, [0.025, 0.975])
    return {
        "train.tokens_per_second_ratio": {
            "value": round(float(np.median(ratios)), 2),
            "low": round(float(low), 2),
            "high": round(float(high), 2),
            "n": turns,
            "unit": "times as many tokens a second, median over turns",
            "reference": 1.0,
            "source": "target; peer: a GPT written the usual way (nanoGPT's), equal size",
        },
        **_rates(rates),
        "machine": _machine(settings),
    }


def _rates(rates: np.ndarray) -> dict[str, object]:
    return {
        f"train.tokens_per_second.{name}": {
            "value": round(float(best)),
            "low": None,
            "high": None,
            "n": len(rates),
            "unit": "tokens a second of processor time, best turn",
            "reference": None,
            "source": None,
        }
        for name, best in zip(("ours", "peer"), rates.max(axis=0), strict=True)
    }


def _machine(settings: Settings) -> dict[str, object]:
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "torch_threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "parameters": {
            "ours": count_parameters(make_model(settings, 0)),
            "peer": count_parameters(PlainGpt(settings)),
        },
    }


def main() -> None:
    """Measure, print and keep the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warm", type=int, default=50)
    options = parser.parse_args()
    torch.set_num_threads(1)
    path = find_project() / "data" / "games" / "selfplay.tsv.zst"
    games = [
        game.moves for game in read_games(path, options.games) if len(game.moves) <= 150
    ]
    result = compare(tokenise(games), options.turns, options.steps, options.warm)
    from bench import keep

    keep("tracking_train_speed", result)


if __name__ == "__main__":
    main()
