"""Games of like length beside each other: the order of an epoch, cut into padded batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from chessgloss.tracking.settings import Training
from chessgloss.tracking.tokens import PAD, Notation, Places, TokenGames, Tokens, annotate

#: A batch is read at a multiple of this length: few shapes, for which torch keeps its kernels
#: (making them anew for each batch costs more than using them).
STEP = 8

#: Tokens by which chance shifts a length before an epoch sorts by it: games of like length
#: meet others in every epoch.
SHIFT = 4.0

#: Games that are looked at to find the longest of a batch: more than a shift can put past it.
LOOK = 64

#: What the loss leaves out.
IGNORED = -100


@dataclass(frozen=True, slots=True, eq=False)
class Epoch:
    """One pass over some games, written anew, in its order.

    Parameters
    ----------
    ids, starts
        The sequences, flat, as :func:`~chessgloss.tracking.tokens.annotate` gives them.
    groups
        Sequences of each batch: indices into ``starts``.
    """

    ids: Tokens
    starts: Places
    groups: Sequence[Places]

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def lengths(self) -> Places:
        """Tokens of each sequence, ``(games,)``."""
        return np.diff(self.starts)

    @property
    def padding(self) -> float:
        """Share of the tokens read in all batches that are none."""
        longest = [int(self.lengths[group].max()) - 1 for group in self.groups]
        places = sum(
            read_length(one) * group.size for one, group in zip(longest, self.groups, strict=True)
        )
        return 1 - (self.ids.size - self.lengths.size) / places

    def rows(self, number: int) -> torch.Tensor:
        """Return batch ``number`` as ids ``(games, length)`` int64, padded at the end.

        The length is one more than a multiple of :data:`STEP`: the last token is not read.
        """
        group = self.groups[number]
        length = read_length(int(self.lengths[group].max()) - 1) + 1
        return pad_rows(
            [self.ids[self.starts[one] : self.starts[one + 1]] for one in group], length
        )


def make_epoch(
    games: TokenGames, selected: NDArray, training: Training, number: int, context: int
) -> Epoch:
    """Return the epoch ``number`` of a training: its order and piece types follow from the seed.

    Parameters
    ----------
    games, selected
        All games, and indices of those to train on.
    training
        Notation, tokens a batch, seed.
    number
        Of the epoch, from 0.
    context
        Most tokens of a sequence.

    Raises
    ------
    ValueError
        If a game is longer than ``context``.
    """
    random = np.random.default_rng([training.seed, number])
    order = random.permutation(selected)
    ids, starts = annotate(games, order, training.notation, training.probability, random)
    lengths = np.diff(starts)
    if lengths.max(initial=0) > context:
        raise ValueError(f"a game has {lengths.max()} tokens, the context only {context}")
    shifted = lengths + random.uniform(-SHIFT, SHIFT, lengths.size)
    groups = list(_filled(np.argsort(shifted), lengths, training.tokens))
    return Epoch(ids, starts, [groups[one] for one in random.permutation(len(groups))])


def in_order(games: TokenGames, selected: NDArray, notation: Notation, tokens: int) -> Epoch:
    """Return games to measure on, sorted by length: batches without chance."""
    ids, starts = annotate(games, selected, notation)
    lengths = np.diff(starts)
    return Epoch(ids, starts, list(_filled(np.argsort(lengths, kind="stable"), lengths, tokens)))


def pad_rows(sequences: Sequence[Tokens], length: int) -> torch.Tensor:
    """Return sequences as the rows ``(n, length)`` of an int64 tensor, padded at the end."""
    rows = np.full((len(sequences), length), PAD, dtype=np.int64)
    for row, sequence in zip(rows, sequences, strict=True):
        row[: len(sequence)] = sequence
    return torch.from_numpy(rows)


def read_and_expected(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what a model reads, and what it is to say after each token.

    Both are ``(games, length - 1)``; padding is expected of nobody (:data:`IGNORED`).
    """
    expected = rows[:, 1:]
    return rows[:, :-1], expected.masked_fill(expected == PAD, IGNORED)


def read_length(longest: int) -> int:
    """Return how many tokens to read where the longest game has ``longest``."""
    return -(-longest // STEP) * STEP


def _filled(order: Places, lengths: Places, tokens: int) -> Iterator[Places]:
    """Cut an order of rising lengths, from the long end, into batches of about ``tokens``.

    A length always goes with the same number of games, but for the last batch.
    """
    last = order.size
    while last > 0:
        longest = int(lengths[order[max(0, last - LOOK) : last]].max())
        first = max(0, last - max(1, tokens // read_length(longest - 1)))
        yield order[first:last]
        last = first
