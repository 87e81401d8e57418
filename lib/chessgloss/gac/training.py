"""Training of the baseline: seeded, stopped by lectures it has not seen, measured on them."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from tqdm import tqdm

from chessgloss.gac.examples import Example
from chessgloss.gac.features import NO_SCORE
from chessgloss.gac.model import Gac
from chessgloss.gac.network import GacNetwork, Sizes
from chessgloss.gac.words import END, START, UNKNOWN, Vocabulary

Batch = tuple[list[torch.Tensor], torch.Tensor, torch.Tensor]

#: What the loss leaves out: padding, and the end of a comment that was cut off.
_IGNORED = -100

#: Batches among which comments are sorted by length: padding costs time.
_WINDOW = 8


@dataclass(frozen=True, slots=True)
class Settings:
    """How the network is trained; the defaults are those of the committed weights.

    Parameters
    ----------
    embedding, hidden, dropout
        As in :class:`~chessgloss.gac.network.Sizes`.
    least, spread
        Fewest occurrences of a word in the training part, and fewest sources there, that put
        it into the vocabulary.
    epochs, patience
        Most passes over the comments, and passes without a better perplexity that end it.
    batch, rate, decay
        Comments a step, and AdamW's learning rate and weight decay.
    silence
        Share of the training comments whose scores are withheld, anew in each pass.
    seed
        Of the first weights, the order of the comments and the withheld scores.
    """

    embedding: int = 64
    hidden: int = 128
    dropout: float = 0.4
    least: int = 3
    spread: int = 1
    epochs: int = 30
    patience: int = 4
    batch: int = 64
    rate: float = 3e-3
    decay: float = 1e-2
    silence: float = 0.1
    seed: int = 1

    def __post_init__(self) -> None:
        counts = (self.least, self.spread, self.epochs, self.patience, self.batch)
        if min(counts) < 1 or self.rate <= 0 or not 0 <= self.silence < 1:
            raise ValueError(f"counts and rate must be positive and silence below 1, got {self}")


def train(
    training: Sequence[Example],
    stopping: Sequence[Example],
    settings: Settings,
    *,
    progress: bool = True,
) -> tuple[Gac, list[dict[str, float]]]:
    """Train a model; return the one with the lowest perplexity, and a row for each pass.

    Parameters
    ----------
    training, stopping
        Examples of different sources; both vocabularies come from the first alone.
    """
    torch.manual_seed(settings.seed)
    said = ((one.source, one.words) for one in training)
    words = Vocabulary.of(said, least=settings.least, spread=settings.spread)
    features = _feature_vocabulary(training)
    sizes = Sizes(len(words), len(features), settings.embedding, settings.hidden, settings.dropout)
    model = Gac(GacNetwork(sizes), words, features, {"settings": json.dumps(asdict(settings))})
    optimizer = torch.optim.AdamW(
        model.network.parameters(), lr=settings.rate, weight_decay=settings.decay
    )
    best, kept, log = math.inf, model.network.state_dict(), []
    for epoch in tqdm(range(settings.epochs), desc="training", disable=not progress):
        loss = _epoch(model, training, optimizer, settings, epoch)
        measured = measure(model, stopping)
        log.append({"epoch": epoch + 1, "loss": round(loss, 4), **measured})
        if measured["perplexity"] < best:
            best, kept = measured["perplexity"], copy.deepcopy(model.network.state_dict())
        if epoch - min(range(len(log)), key=lambda k: log[k]["perplexity"]) >= settings.patience:
            break
    model.network.load_state_dict(kept)
    model.network.eval()
    return model, log


def measure(model: Gac, examples: Sequence[Example], *, batch: int = 128) -> dict[str, float]:
    """Return the perplexity a word, and the share of words outside the vocabulary.

    The perplexity counts the words of the vocabulary and the ends of whole comments. Words
    outside it are given to the network, but it need not foresee them: it may not say them.
    """
    model.network.eval()
    loss = count = unknown = total = 0.0
    for chunk in _chunks(np.arange(len(examples)), batch):
        groups, entered, expected = _batch(model, [examples[row] for row in chunk])
        missed = expected == model.words.number(UNKNOWN)
        total += float((expected != _IGNORED).sum())
        unknown += float(missed.sum())
        expected = expected.masked_fill(missed, _IGNORED)
        with torch.inference_mode():
            loss += float(_loss(model.network(groups, entered), expected, "sum"))
        count += float((expected != _IGNORED).sum())
    return {
        "perplexity": round(math.exp(loss / count), 2),
        "unknown": round(unknown / total, 4),
    }


def with_features_of_others(examples: Sequence[Example], *, seed: int) -> list[Example]:
    """Return the examples with their features dealt out anew: the control of their use."""
    order = np.random.default_rng(seed).permutation(len(examples))
    return [
        replace(one, features=examples[other].features)
        for one, other in zip(examples, order, strict=True)
    ]


def frequency_perplexity(
    training: Sequence[Example], examples: Sequence[Example], words: Vocabulary
) -> float:
    """Return the perplexity of guessing every word by its frequency in training alone.

    Counted as in :func:`measure`, with one added to each frequency.
    """
    counts = np.ones(len(words))
    for one in training:
        np.add.at(counts, _spoken(one, words), 1)
    counts[words.number(UNKNOWN)] = 0
    chances = counts / counts.sum()
    spoken = np.concatenate([_spoken(one, words) for one in examples])
    known = spoken[spoken != words.number(UNKNOWN)]
    return round(float(np.exp(-np.log(chances[known]).mean())), 2)


def _spoken(example: Example, words: Vocabulary) -> NDArray[np.int64]:
    ended = [END] if example.whole else []
    return np.array(words.numbers([*example.words, *ended]), np.int64)


def _feature_vocabulary(training: Sequence[Example]) -> Vocabulary:
    texts = [(one.source, group) for one in training for group in one.features]
    return Vocabulary.of([*texts, ("", NO_SCORE)], least=1)


def _epoch(
    model: Gac,
    training: Sequence[Example],
    optimizer: torch.optim.Optimizer,
    settings: Settings,
    number: int,
) -> float:
    random = np.random.default_rng([settings.seed, number])
    order = random.permutation(len(training))
    silent = set(order[random.random(len(order)) < settings.silence].tolist())
    model.network.train()
    losses = []
    for chunk in _alike(order, training, settings.batch, random):
        chosen = [_silenced(training[row], row in silent) for row in chunk]
        groups, entered, expected = _batch(model, chosen)
        loss = _loss(model.network(groups, entered), expected, "mean")
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.network.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return float(np.mean(losses))


def _loss(logits: torch.Tensor, expected: torch.Tensor, reduction: str) -> torch.Tensor:
    return nn.functional.cross_entropy(
        logits.flatten(0, 1), expected.flatten(), ignore_index=_IGNORED, reduction=reduction
    )


def _silenced(example: Example, silent: bool) -> Example:
    move, threat, _ = example.features
    return replace(example, features=(move, threat, NO_SCORE)) if silent else example


def _alike(
    order: NDArray[np.int64],
    training: Sequence[Example],
    size: int,
    random: np.random.Generator,
) -> list[NDArray[np.int64]]:
    """Cut the order into batches of comments of similar length, the batches in any order."""
    lengths = np.array([len(training[row].words) for row in order])
    batches = [
        window[np.argsort(near, kind="stable")][at : at + size]
        for window, near in zip(
            _chunks(order, _WINDOW * size), _chunks(lengths, _WINDOW * size), strict=True
        )
        for at in range(0, len(window), size)
    ]
    return [batches[k] for k in random.permutation(len(batches))]


def _chunks(order: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    for at in range(0, len(order), size):
        yield order[at : at + size]


def _batch(model: Gac, examples: Sequence[Example]) -> Batch:
    """Return the groups' numbers, the words that enter and those that are expected."""
    grouped = [
        _padded([model.features.numbers(one.features[k]) for one in examples], 0) for k in range(3)
    ]
    start, end = model.words.number(START), model.words.number(END)
    numbers = [model.words.numbers(one.words) for one in examples]
    entered = _padded([[start, *row] for row in numbers], 0)
    ends = [end if one.whole else _IGNORED for one in examples]
    expected = [[*row, last] for row, last in zip(numbers, ends, strict=True)]
    return grouped, entered, _padded(expected, _IGNORED)


def _padded(rows: Sequence[Sequence[int]], filler: int) -> torch.Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[filler] * (width - len(row))] for row in rows])
