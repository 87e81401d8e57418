"""The network: three encoders, attention in each, a gate between them, one decoder.

After Jhamtani and others (2018), section 4: recurrent encoders over the words of each group
of features, a decoder that attends to every group and selects among the groups anew at each
word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import nn

from chessgloss.gac.features import GROUPS


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the network.

    Parameters
    ----------
    words, features
        Words of the comments' and of the features' vocabulary.
    embedding
        Length of a word's vector; the comments' vectors are also the output layer's.
    hidden
        Units of the decoder, and of both directions of an encoder together.
    dropout
        Share of units dropped in training.
    """

    words: int
    features: int
    embedding: int = 64
    hidden: int = 128
    dropout: float = 0.4

    def __post_init__(self) -> None:
        if min(self.words, self.features, self.embedding, self.hidden) < 1 or self.hidden % 2:
            raise ValueError(f"sizes must be positive and hidden even, got {self}")


#: The decoder's state: hidden and cell, ``(n, hidden)`` each.
State = tuple[torch.Tensor, torch.Tensor]


class GacNetwork(nn.Module):
    """From three groups of feature words to the words of a comment."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        width, hidden = sizes.embedding, sizes.hidden
        self.features = nn.Embedding(sizes.features, width, padding_idx=0)
        self.words = nn.Embedding(sizes.words, width, padding_idx=0)
        self.encoders = nn.ModuleList(
            nn.LSTM(width, hidden // 2, batch_first=True, bidirectional=True) for _ in GROUPS
        )
        self.begin = nn.Linear(len(GROUPS) * hidden, 2 * hidden)
        self.decoder = nn.LSTMCell(width + hidden, hidden)
        self.query = nn.Linear(hidden, len(GROUPS) * hidden, bias=False)
        self.gate = nn.Linear(hidden, len(GROUPS))
        self.speak = nn.Linear(2 * hidden, width)
        self.bias = nn.Parameter(torch.zeros(sizes.words))
        self.dropout = nn.Dropout(sizes.dropout)

    def encode(self, groups: Sequence[torch.Tensor]) -> tuple[Memory, State]:
        """Read the feature words, one ``(n, length)`` tensor of numbers a group, 0 as padding."""
        length = max(numbers.shape[1] for numbers in groups)
        padded = [nn.functional.pad(one, (0, length - one.shape[1])) for one in groups]
        keys = [
            self._read(encoder, numbers)
            for encoder, numbers in zip(self.encoders, padded, strict=True)
        ]
        memory = Memory(torch.stack(keys, dim=1), torch.stack(padded, dim=1) != 0)
        hidden, cell = torch.tanh(self.begin(memory.means().flatten(1))).chunk(2, dim=1)
        return memory, (hidden, cell)

    def step(self, word: torch.Tensor, memory: Memory, state: State) -> tuple[torch.Tensor, State]:
        """Return the next word's logits, ``(n, words)``, and the new state, after ``word`` (n,)."""
        said, state = self._say(self.words(word), memory, state)
        return self._logits(said), state

    def forward(self, groups: Sequence[torch.Tensor], words: torch.Tensor) -> torch.Tensor:
        """Return logits ``(n, length, words)`` for the word after each of ``words``."""
        memory, state = self.encode(groups)
        said = []
        for word in self.dropout(self.words(words)).unbind(dim=1):
            answer, state = self._say(word, memory, state)
            said.append(answer)
        return self._logits(torch.stack(said, dim=1))

    def _read(self, encoder: nn.Module, numbers: torch.Tensor) -> torch.Tensor:
        """Read one group's words in both directions: ``(n, length, hidden)``."""
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.features(numbers)),
            (numbers != 0).sum(dim=1),
            batch_first=True,
            enforce_sorted=False,
        )
        read, _ = nn.utils.rnn.pad_packed_sequence(
            encoder(packed)[0], batch_first=True, total_length=numbers.shape[1]
        )
        return self.dropout(read)

    def _say(self, word: torch.Tensor, memory: Memory, state: State) -> tuple[torch.Tensor, State]:
        """Take in a word's vector; return what leads to the next word, and the new state."""
        queries = self.query(state[0]).unflatten(1, (len(GROUPS), -1))
        weights = torch.softmax(self.gate(state[0]), dim=1)
        context = (weights.unsqueeze(2) * memory.read(queries)).sum(dim=1)
        hidden, cell = self.decoder(torch.cat([word, context], dim=1), state)
        return torch.cat([hidden, context], dim=1), (hidden, cell)

    def _logits(self, said: torch.Tensor) -> torch.Tensor:
        spoken = self.dropout(torch.tanh(self.speak(self.dropout(said))))
        return spoken @ self.words.weight.T + self.bias


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """What the encoders have read.

    Parameters
    ----------
    keys
        ``(n, groups, length, hidden)``.
    mask
        ``(n, groups, length)``: where there is a word.
    """

    keys: torch.Tensor
    mask: torch.Tensor

    def means(self) -> torch.Tensor:
        """Return the mean over the words of each group, ``(n, groups, hidden)``."""
        sums = (self.keys * self.mask.unsqueeze(3)).sum(dim=2)
        return sums / self.mask.sum(dim=2, keepdim=True)

    def read(self, queries: torch.Tensor) -> torch.Tensor:
        """Return each group's keys weighed by their fit to its query, ``(n, groups, hidden)``."""
        fit = (self.keys @ queries.unsqueeze(3)).squeeze(3) / queries.shape[2] ** 0.5
        weights = torch.softmax(fit.masked_fill(~self.mask, float("-inf")), dim=2)
        return (weights.unsqueeze(2) @ self.keys).squeeze(2)

    def repeat(self, times: int) -> Memory:
        """Return the same memory ``times`` over, for as many beams of one comment."""
        return Memory(self.keys.expand(times, -1, -1, -1), self.mask.expand(times, -1, -1))
