"""Language models over the tokens of games: GPT-2's transformer, its variants, and an LSTM.

All take token ids ``(games, length)`` and return logits ``(games, length, 77)`` of the next
token; no logit depends on a later token, so padding at the end of a row harms nothing.
They run in the precision of their weights.

There are four kinds of causal self-attention: full, windowed, hashed, and by random features.
Each takes the projected input and returns, for every token, a mean of the values of tokens
that are not later. The approximate ones compute exactly the attention that their papers
define, as one masked product over the whole game: at 200 tokens that is faster than the
schedules that make them linear in the length, and gives the same numbers.

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
    rotary
        Whether positions turn queries and keys (Su and others 2021) in place of being learned
        vectors that are added to the first ones.
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
    rotary: bool = False
    mixing: bool = False

    def __post_init__(self) -> None:
        if self.width % self.heads or (self.rotary and self.width // self.heads % 2):
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
        self.body = (Recurrence if settings.kind == "lstm" else Transformer)(settings)
        self.norm = nn.LayerNorm(settings.width)
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return logits ``(games, length, 77)`` for ids ``(games, length)``."""
        return functional.linear(self.states(ids), self.tokens.weight)

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
    """Blocks of attention and feed-forward layers; positions are learned, or turn the queries."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.rotary = settings.rotary
        if not self.rotary:
            self.positions = nn.Parameter(torch.empty(settings.context, settings.width))
        self.blocks = nn.ModuleList(Block(settings) for _ in range(settings.layers))

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """Turn ``(games, length, width)`` into as many vectors that know their past."""
        games, length, width = vectors.shape
        placed = vectors if self.rotary else vectors + self.positions[:length]
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
        self.turn = (
            Rotation(settings.context, width // settings.heads)
            if settings.rotary
            else None
        )
        if settings.mixing:
            self.mix = nn.Parameter(torch.empty(self.attention.inputs - 1, width))

    def forward(self, flat: torch.Tensor, length: int) -> torch.Tensor:
        """Return ``(games * length, width)`` from as many vectors."""
        flat = flat + self.dropout(self.join(self.attend(self.norms[0](flat), length)))
        wide = functional.gelu(self.widen(self.norms[1](flat)))
        return flat + self.dropout(self.narrow(wide))

    def attend(self, flat: torch.Tensor, length: int) -> torch.Tensor:
        """Return the attention's means, heads side by side: ``(games * length, width)``."""
        total, width = flat.shape
        games = total // length
        size = width // self.heads
        parts = self._project(flat, length).view(games, length, -1, self.heads, size)
        projected = parts.permute(2, 0, 3, 1, 4).reshape(
            -1, games * self.heads, length, size
        )
        if self.turn is not None:
            projected = torch.cat([self.turn(projected[:-1]), projected[-1:]])
        means = self.attention(projected).view(games, self.heads, length, size)
        return means.transpose(1, 2).reshape(total, width)

    def _project(self, flat: torch.Tensor, length: int) -> torch.Tensor:
        """Return queries, keys and values side by side: ``(games * length, inputs * width)``."""
        if not hasattr(self, "mix"):
            return self.project(flat)
        rows = flat.view(-1, length, flat.shape[1])
        step = (functional.pad(rows, (0, 0, 1, 0))[:, :-1] - rows).view_as(flat)
        query, *others = self.project.weight.chunk(self.attention.inputs)
        mixed = [torch.addcmul(flat, step, share) for share in self.mix]
        read = zip([flat, *mixed], [query, *others], strict=True)
        return torch.cat(
            [functional.linear(part, weights) for part, weights in read], dim=1
        )


class Rotation(nn.Module):
    """Rotary positions (Su and others 2021): pairs of channels turned by the token's place.

    The slowest pair turns once in some 6,000 tokens: a game has 300, not the thousands of a text.

    Parameters
    ----------
    context
        Most tokens of a sequence.
    size
        Length of a head's vectors, even.
    """

    BASE = 1_000.0

    def __init__(self, context: int, size: int) -> None:
        super().__init__()
        speeds = self.BASE ** -(torch.arange(0, size, 2) / size)
        angles = torch.outer(torch.arange(context).float(), speeds)
        self.cosines = nn.Buffer(angles.cos(), persistent=False)
        self.sines = nn.Buffer(angles.sin(), persistent=False)

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return ``(…, length, size)``, turned."""
        length = vectors.shape[-2]
        cosines, sines = self.cosines[:length], self.sines[:length]
        even = vectors[..., ::2]
        odd = vectors[..., 1::2]
        turned = (even * cosines - odd * sines, even * sines + odd * cosines)
        return torch.stack(turned, dim=-1).flatten(-2)


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
            if name.endswith("mix"):
                nn.init.constant_(weights, 0.5)
            elif name.endswith("bias"):
                nn.init.zeros_(weights)
            elif weights.dim() > 1 and not recurrent:
                last = name.endswith(("join.weight", "narrow.weight"))
                shrunk = math.sqrt(2 * settings.layers) if last else 1.0
                nn.init.normal_(weights, std=FIRST_WEIGHTS / shrunk)
    return model


# ---------------------------------------------------------------- attention

#: What is added to a score to forbid it; half precision holds it, and its exponential is 0.
FORBIDDEN = -1e4

#: Reformer lets a token attend to itself only when nothing else is allowed.
_LAST_RESORT = -1e2


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


class SoftmaxAttention(nn.Module):
    """Attention of GPT-2 over all earlier tokens, or over a window of the latest.

    Parameters
    ----------
    context
        Most tokens of a sequence.
    window
        Tokens attended to, the token itself included; as many as ``context`` for all.
    """

    #: Projections of the input that it takes: queries, keys, values.
    inputs = 3

    def __init__(self, context: int, window: int) -> None:
        super().__init__()
        self.full = window >= context
        self.mask = nn.Buffer(banded(context, window), persistent=False)

    def forward(self, projected: torch.Tensor) -> torch.Tensor:
        """Return ``(3, n, length, size)`` queries, keys, values as means ``(n, length, size)``."""
        query, key, value = projected.unbind(0)
        length = query.shape[1]
        if query.is_cuda:
            mask = None if self.full else self.mask[:length, :length]
            return functional.scaled_dot_product_attention(
                query, key, value, attn_mask=mask, is_causal=self.full
            )
        return _mean(query, key, value, self.mask[:length, :length])


class HashAttention(nn.Module):
    """Reformer's attention (Kitaev and others 2020, section 2): among tokens of one bucket.

    Keys are the queries, normalised. A token may attend to those that share its bucket in
    any of the rounds (its equation 4), and to itself as a last resort.

    Parameters
    ----------
    context
        Most tokens of a sequence.
    size
        Length of a head's vectors.
    buckets, rounds
        Buckets of a hash, and hashes.
    """

    #: Projections of the input that it takes: queries, which are keys too, and values.
    inputs = 2

    def __init__(self, context: int, size: int, buckets: int, rounds: int) -> None:
        super().__init__()
        earlier = banded(context, context) + torch.eye(context) * _LAST_RESORT
        self.mask = nn.Buffer(earlier, persistent=False)
        self.rotations = nn.Buffer(torch.randn(rounds, size, buckets // 2))

    def forward(self, projected: torch.Tensor) -> torch.Tensor:
        """Return ``(2, n, length, size)`` queries and values as means ``(n, length, size)``."""
        query, value = projected.unbind(0)
        length = query.shape[1]
        mask = torch.where(self.shared(query), self.mask[:length, :length], FORBIDDEN)
        key = functional.normalize(query, dim=2) * math.sqrt(query.shape[2])
        return _mean(query, key, value, mask)

    @torch.no_grad()
    def shared(self, query: torch.Tensor) -> torch.Tensor:
        """Return which pairs share a bucket in some round: ``(n, length, length)``."""
        together = torch.zeros((), dtype=torch.bool, device=query.device)
        for rotation in self.rotations:
            turned = query @ rotation
            bucket = torch.cat([turned, -turned], dim=2).argmax(dim=2).to(torch.uint8)
            together = together | (bucket.unsqueeze(2) == bucket.unsqueeze(1))
        return together


class FeatureAttention(nn.Module):
    """Performer's attention (Choromanski and others 2021, section 2): positive random features.

    The exponential of a product of query and key is, in the mean, the product of their
    random features. Those are drawn orthogonal, once.

    Parameters
    ----------
    size
        Length of a head's vectors.
    features
        Random features.
    """

    #: Projections of the input that it takes: queries, keys, values.
    inputs = 3

    #: Added to every feature, so that no token is left without weights.
    LEAST = 1e-4

    def __init__(self, size: int, features: int) -> None:
        super().__init__()
        self.directions = nn.Buffer(orthogonal_directions(features, size))

    def forward(self, projected: torch.Tensor) -> torch.Tensor:
        """Return ``(3, n, length, size)`` queries, keys, values as means ``(n, length, size)``."""
        query, key, value = projected.unbind(0)
        weights = (self.lift(query) @ self.lift(key).mT).tril()
        return (weights @ value) / weights.sum(dim=2, keepdim=True)

    def lift(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return the features ``(n, length, features)`` of vectors ``(n, length, size)``.

        The usual factor for their number is left out: it cancels in a mean.
        """
        size = vectors.shape[2]
        half_norm = vectors.square().sum(dim=2, keepdim=True) / (2 * math.sqrt(size))
        directions = self.directions.T.expand(len(vectors), -1, -1)
        exponents = torch.baddbmm(
            half_norm, vectors, directions, beta=-1, alpha=size**-0.25
        )
        return exponents.exp() + self.LEAST


def banded(context: int, window: int) -> torch.Tensor:
    """Return what to add to scores ``(context, context)``: 0 where a row may see, else a lot."""
    allowed = torch.ones(context, context).tril().triu(1 - window)
    return (1 - allowed) * FORBIDDEN


def orthogonal_directions(count: int, size: int) -> torch.Tensor:
    """Return random directions ``(count, size)``: orthogonal in blocks, as long as normal ones."""
    blocks = [
        torch.linalg.qr(torch.randn(size, size))[0].T for _ in range(-(-count // size))
    ]
    lengths = torch.randn(count, size).norm(dim=1, keepdim=True)
    return torch.cat(blocks)[:count] * lengths


def _mean(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    """Return the values' means, weighed by the softmax of scaled products plus ``mask``."""
    scores = torch.baddbmm(mask, query, key.mT, alpha=query.shape[2] ** -0.5)
    return scores.softmax(dim=2) @ value


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
        moves = expected.masked_fill(expected == tokens.EOS, tokens.IGNORED).flatten()
        surprise = functional.cross_entropy(logits, moves, reduction="none")
        losses[group] = surprise.view(expected.shape).double().sum(dim=1).cpu().numpy()
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
        length = min(
            tokens.read_length(int(lengths[group].max())), model.settings.context
        )
        rows = tokens.pad_rows([read[place] for place in group], length).to(
            model.device
        )
        last = model.states(rows)[
            torch.arange(len(group)), torch.from_numpy(lengths[group] - 1)
        ]
        logits = functional.linear(last, model.tokens.weight)
        answers[group] = logits.float().log_softmax(dim=1).cpu().numpy()
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
        words = [*squares, last] if last >= tokens.PROMOTIONS else squares
        moves[place] = "".join(tokens.VOCABULARY[token] for token in words)
    return list(moves.values())
