"""Language models over the tokens of games: GPT-2's transformer, its variants, and an LSTM.

All take token ids ``(games, length)`` and return logits ``(games, length, 77)`` of the next
token; no logit depends on a later token, so padding at the end of a row harms nothing.
They run in the precision of their weights.

Their kinds of attention are those of :mod:`chessgloss.tracking.attention`.

Canonical perplexity (the state-tracking paper's Table 4): a whole move counts as one token. It is
``exp(-sum of ln p / moves)``, the sum over all tokens of all moves: both squares, the new
piece of a promotion, and with AP the type before the move. The end of the game is no move and
is not counted, but what a model gives to it is not given to a move. With UCI, the logits of
the six piece types are masked out, as a model trained with RAP would waste chances on them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass
from torch import nn
from torch.nn import functional

from chessgloss.tracking import games as tokens
from chessgloss.tracking.attention import (
    FeatureAttention,
    HashAttention,
    SoftmaxAttention,
)

#: Whole numbers from one up.
Count: TypeAlias = Annotated[int, Field(ge=1)]

#: Standard deviation of GPT-2's first weights.
FIRST_WEIGHTS = 0.02

#: Tokens a batch where nothing is learned.
TOKENS = 2048


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Settings:
    """The shape of a language model.

    Parameters
    ----------
    kind
        ``gpt``, GPT-2's transformer; ``window``, the same with a window; and the others of the
        paper's Table 7.
    layers, width, heads
        Blocks, length of the vector of a token, and heads of attention (an LSTM has none).
    context
        Most tokens of a game, BOS included; the paper's 512.
    window
        Tokens that ``window`` attends to, the token itself included; the paper's 50.
    buckets, rounds
        Of ``reformer``: hash buckets (an even number), and independent hashes.
    features
        Of ``performer``: random features a head.
    dropout
        Share of each branch's output, and of the embedding, dropped in training.
    mixing
        Whether keys and values are mixed with the previous token's, in a share learned for each
        channel: a move is two tokens, and its end square must know its start square.
    """

    kind: Literal["gpt", "window", "lstm", "reformer", "performer"] = "gpt"
    layers: Count = 8
    width: Count = 128
    heads: Count = 4
    context: Count = 512
    window: Count = 50
    buckets: Count = 8
    rounds: Count = 2
    features: Count = 64
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.1
    mixing: bool = False

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ValueError(
                f"width {self.width} does not divide into {self.heads} heads"
            )
        if self.buckets % 2:
            raise ValueError(f"hash buckets come in pairs, got {self.buckets}")


# ---------------------------------------------------------------- the models


class LanguageModel(nn.Module):
    """Next-token logits of games; the output layer is the embedding's transpose.

    Parameters
    ----------
    settings
        The shape.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.tokens = nn.Embedding(tokens.VOCABULARY_SIZE, settings.width)
        body = Recurrence if settings.kind == "lstm" else Transformer
        self.body = body(settings)
        self.norm = nn.LayerNorm(settings.width)
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return logits ``(games, length, 77)`` for ids ``(games, length)``."""
        return self.logits(self.states(ids))

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """Return logits ``(…, 77)`` of last vectors ``(…, width)``."""
        return functional.linear(states, self.tokens.weight)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.tokens.weight.device

    def states(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the last vectors ``(games, length, width)``, which the output layer reads."""
        length = ids.shape[1]
        context = self.settings.context
        if length > context:
            raise ValueError(
                f"a game of {length} tokens is longer than the context, {context}"
            )
        return self.norm(self.body(self.dropout(self.tokens(ids))))


class Transformer(nn.Module):
    """Blocks of attention and feed-forward layers; positions are learned."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.positions = nn.Parameter(torch.empty(settings.context, settings.width))
        self.blocks = nn.ModuleList(Block(settings) for _ in range(settings.layers))

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """Turn ``(games, length, width)`` into as many vectors that know their past."""
        games, length, width = vectors.shape
        placed = vectors + self.positions[:length]
        flat = placed.reshape(games * length, width)
        for block in self.blocks:
            flat = block(flat, length)
        return flat.view(games, length, width)


class Recurrence(nn.Module):
    """Layers of an LSTM over the vectors of a game's tokens."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        between = settings.dropout if settings.layers > 1 else 0.0
        self.layers = nn.LSTM(
            settings.width,
            settings.width,
            settings.layers,
            batch_first=True,
            dropout=between,
        )

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """Read ``(games, length, width)`` from left to right; return as many states."""
        return self.layers(vectors)[0]


class Block(nn.Module):
    """One layer of GPT-2: normalise and attend, normalise and feed forward, adding each.

    It works on all tokens of a batch as one long matrix: few, large products, and no biases
    but the norms', whose gradients would cost a pass over that matrix each.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        width = settings.width
        self.heads = settings.heads
        self.attention = _attention(settings)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.project = nn.Linear(width, self.attention.inputs * width, bias=False)
        self.join = nn.Linear(width, width, bias=False)
        self.widen = nn.Linear(width, 4 * width, bias=False)
        self.narrow = nn.Linear(4 * width, width, bias=False)
        self.dropout = nn.Dropout(settings.dropout)
        if settings.mixing:
            self.mix = nn.Parameter(torch.empty(self.attention.inputs - 1, width))

    def forward(self, flat: torch.Tensor, length: int) -> torch.Tensor:
        """Return ``(games * length, width)`` from as many vectors."""
        attended = self.attend(self.norms[0](flat), length)
        flat = flat + self.dropout(self.join(attended))
        wide = functional.gelu(self.widen(self.norms[1](flat)))
        return flat + self.dropout(self.narrow(wide))

    def attend(self, flat: torch.Tensor, length: int) -> torch.Tensor:
        """Return the attention's means, heads side by side: ``(games * length, width)``."""
        total, width = flat.shape
        games = total // length
        size = width // self.heads
        sequences = games * self.heads
        parts = self._project(flat, length).view(games, length, -1, self.heads, size)
        by_part = parts.permute(2, 0, 3, 1, 4)
        projected = by_part.reshape(-1, sequences, length, size)
        means = self.attention(projected).view(games, self.heads, length, size)
        return means.transpose(1, 2).reshape(total, width)

    def _project(self, flat: torch.Tensor, length: int) -> torch.Tensor:
        """Return queries, keys and values side by side: ``(games * length, inputs * width)``."""
        if not hasattr(self, "mix"):
            return self.project(flat)
        rows = flat.view(-1, length, flat.shape[1])
        before = functional.pad(rows, (0, 0, 1, 0))[:, :-1]
        step = (before - rows).view_as(flat)
        query, *others = self.project.weight.chunk(self.attention.inputs)
        mixed = [torch.addcmul(flat, step, share) for share in self.mix]
        read = zip([flat, *mixed], [query, *others], strict=True)
        parts = [functional.linear(part, weights) for part, weights in read]
        return torch.cat(parts, dim=1)


def make_model(settings: Settings, seed: int) -> LanguageModel:
    """Return a model with GPT-2's first weights, the same for the same seed.

    The last product of each branch is smaller, as there are many; norms and an LSTM's matrices
    begin as torch has them, biases at zero.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LanguageModel(settings)
        for name, weights in model.named_parameters():
            recurrent = settings.kind == "lstm" and name.startswith("body")
            matrix = weights.dim() > 1 and not recurrent
            if name.endswith("mix"):
                nn.init.constant_(weights, 0.5)
            elif name.endswith("bias"):
                nn.init.zeros_(weights)
            elif matrix:
                last = name.endswith(("join.weight", "narrow.weight"))
                shrunk = math.sqrt(2 * settings.layers) if last else 1.0
                nn.init.normal_(weights, std=FIRST_WEIGHTS / shrunk)
    return model


def _attention(
    settings: Settings,
) -> SoftmaxAttention | HashAttention | FeatureAttention:
    size = settings.width // settings.heads
    if settings.kind == "reformer":
        return HashAttention(settings.context, size, settings.buckets, settings.rounds)
    if settings.kind == "performer":
        return FeatureAttention(size, settings.features)
    window = settings.window if settings.kind == "window" else settings.context
    return SoftmaxAttention(settings.context, window)


# ---------------------------------------------------------------- what a model makes of games


@torch.inference_mode()
def game_losses(
    model: LanguageModel,
    games: tokens.TokenGames,
    notation: tokens.Notation,
    selected: NDArray,
) -> NDArray[np.float64]:
    """Return the sum of ``-ln p`` over the moves of each game ``selected``, in their order; (n,).

    Raises
    ------
    ValueError
        If a game is to be read with piece types at random, or there is no move in any.
    """
    if notation == "rap" or not games.plies[selected].sum():
        raise ValueError(
            "measure on some games, and rap models with uci: rap is for training"
        )
    model.eval()
    ids, starts = tokens.annotate(games, selected, notation)
    order = np.argsort(np.diff(starts), kind="stable")
    losses = np.empty(len(selected))
    for group, rows in tokens.cut_batches(ids, starts, order, TOKENS):
        read, expected = tokens.read_and_expected(rows.to(model.device))
        logits = model(read).float().flatten(0, 1)
        if notation == "uci":
            logits[:, tokens.PIECES : tokens.PROMOTIONS] = -math.inf
        moves = expected.masked_fill(expected == tokens.EOS, tokens.IGNORED)
        surprise = functional.cross_entropy(logits, moves.flatten(), reduction="none")
        of_games = surprise.view(expected.shape).double().sum(dim=1)
        losses[group] = of_games.cpu().numpy()
    return losses


@torch.inference_mode()
def predict_next(model: LanguageModel, read: Sequence[NDArray]) -> NDArray[np.float32]:
    """Return log-probabilities ``(n, 77)`` of the token after each sequence of ids.

    Nothing is masked: an answer that is no square is an error of the model's.
    """
    model.eval()
    lengths = np.array([len(ids) for ids in read])
    answers = np.empty((len(read), tokens.VOCABULARY_SIZE), dtype=np.float32)
    order = np.argsort(lengths, kind="stable")
    size = max(1, TOKENS // int(lengths.max(initial=1)))
    for first in range(0, order.size, size):
        group = order[first : first + size]
        longest = int(lengths[group].max())
        length = min(tokens.read_length(longest), model.settings.context)
        rows = tokens.pad_rows([read[place] for place in group], length)
        states = model.states(rows.to(model.device))
        ends = torch.from_numpy(lengths[group] - 1)
        last = states[torch.arange(len(group)), ends]
        answers[group] = model.logits(last).float().log_softmax(dim=1).cpu().numpy()
    return answers


#: What is said of a game that is too long for the model's context: no move.
TOO_LONG = "(the game is longer than the context)"


def continue_games(
    model: LanguageModel, reading: tokens.Notation, games: Sequence[Sequence[str]]
) -> list[str]:
    """Return the move, in UCI notation, that a model says after each game.

    It has no board and no list of legal moves, so that what it says need not be legal. Of the
    tokens it takes the most probable each time; nothing is drawn.

    Parameters
    ----------
    model
        A trained model.
    reading
        How it reads games: ``ap`` if it was trained so, else ``uci``, without piece types.
    games
        Moves in UCI notation from the usual first position.

    Returns
    -------
    list of str
        Two squares, with the new piece if the model says one: ``e7e8q``. What is no move, such
        as the end of the game, is given in the vocabulary's words; :data:`TOO_LONG` for a game
        that leaves no room for a move.
    """
    read = tokens.read_moves(games, reading)
    typed = reading == "ap"
    longest = 4 if typed else 3
    short = [
        place
        for place, game in enumerate(read)
        if len(game) <= model.settings.context - 4
    ]
    grown = [read[place] for place in short]
    for _ in range(longest):
        answers = predict_next(model, grown)
        if not typed:
            answers[:, tokens.PIECES : tokens.PROMOTIONS] = -math.inf
        best = answers.argmax(axis=1).astype(np.uint8)
        grown = [
            np.append(game, token) for game, token in zip(grown, best, strict=True)
        ]
    moves = dict.fromkeys(range(len(read)), TOO_LONG)
    for place, game in zip(short, grown, strict=True):
        *squares, last = game[-3:]
        promotes = last >= tokens.PROMOTIONS
        words = [*squares, last] if promotes else squares
        moves[place] = "".join(tokens.VOCABULARY[token] for token in words)
    return list(moves.values())
