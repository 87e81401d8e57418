"""What a model is and how it is trained: two frozen records, written into every checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, TypeAlias, cast, get_args

from chessgloss.tracking.tokens import Notation

#: Kinds of language model: GPT-2's transformer, the same with a window, and Table 7's others.
Kind: TypeAlias = Literal["gpt", "window", "lstm", "reformer", "performer"]
KINDS: tuple[Kind, ...] = get_args(Kind)

#: Rules that move the weights: Adam alone, or Muon for the matrices and Adam for the rest.
Optimiser: TypeAlias = Literal["adam", "muon"]
OPTIMISERS: tuple[Optimiser, ...] = get_args(Optimiser)

#: What is read: the games of the corpus, or random legal ones of the same number of moves.
Reading: TypeAlias = Literal["selfplay", "random"]

#: How a game can be written (:func:`chessgloss.tracking.tokens.annotate`).
NOTATIONS: tuple[Notation, ...] = get_args(Notation)


@dataclass(frozen=True, slots=True)
class Settings:
    """The shape of a language model.

    Parameters
    ----------
    kind
        One of :data:`KINDS`.
    layers, width, heads
        Blocks, length of the vector of a token, and heads of attention (an LSTM has none).
    context
        Most tokens of a game, BOS included; the paper's 512.
    window
        Tokens that ``window`` attends to, the token itself included; the paper's 50.
    buckets, rounds
        Of ``reformer``: hash buckets (even, or 1 for none), and independent hashes.
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

    kind: Kind = "gpt"
    layers: int = 8
    width: int = 128
    heads: int = 4
    context: int = 512
    window: int = 50
    buckets: int = 8
    rounds: int = 2
    features: int = 64
    dropout: float = 0.1
    rotary: bool = False
    mixing: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no model of kind {self.kind!r}; there are: {', '.join(KINDS)}")
        counts = [getattr(self, one.name) for one in fields(self) if one.type == "int"]
        if any(not isinstance(count, int) or count < 1 for count in counts):
            raise ValueError(f"the sizes of a model are whole and positive, got {self}")
        if self.width % self.heads:
            raise ValueError(f"width {self.width} does not divide into {self.heads} heads")
        if self.buckets % 2 and self.buckets != 1:
            raise ValueError(f"hash buckets come in pairs (or one for none), got {self.buckets}")
        if self.kind == "lstm" and (self.rotary or self.mixing):
            raise ValueError(f"an LSTM has no attention to turn or mix, got {self}")
        if self.rotary and self.width // self.heads % 2:
            raise ValueError(f"rotary positions turn pairs of channels of a head, got {self}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout is a share from 0 to below 1, got {self.dropout}")


@dataclass(frozen=True, slots=True)
class Training:
    """How a model is trained. The defaults are the paper's (section 4), but for two.

    The paper steps once every 60 games. Our sets are a quarter of its, and our passes fewer:
    with ``tokens`` of about nine games a training on S takes 2,100 steps, the paper's 2,500.
    Twice as many tokens a step were worse after three passes (dev perplexity 133 against 120,
    with dropout). The paper's rate, 5e-4, is for a model 64 times larger than ours; of
    3e-3 and 5e-3, the first gave the lower dev perplexity after three passes (99 against 104).

    Parameters
    ----------
    notation, probability
        How training games are written; the probability, 0 to 1, of a piece type is ``rap``'s.
    epochs
        Most passes over the games; training ends earlier when the dev perplexity rises.
    tokens
        Tokens a step, padding included.
    rate, decay, warmup, cooldown
        Adam's highest learning rate, its decoupled weight decay, the share of training over
        which the rate rises, and the share at the end over which it falls linearly to zero.
    optimiser
        ``adam`` for all weights, or ``muon``: matrices between the embedding and the output
        move along the orthogonalised momentum of their gradient (Jordan and others 2024).
    matrix_rate, momentum, matrix_decay
        Of ``muon``: highest learning rate, momentum and decoupled weight decay of the matrices.
    beta2
        Adam's memory of the gradient's square.
    games
        ``selfplay``, the corpus, or ``random``, random legal games as long as those.
    clip
        The longest gradient.
    seed
        Of the first weights, the order of games, the piece types and the dropout.
    """

    notation: Notation = "uci"
    probability: float = 0.0
    epochs: int = 10
    tokens: int = 1536
    rate: float = 3e-3
    decay: float = 0.01
    warmup: float = 0.1
    cooldown: float = 0.9
    optimiser: Optimiser = "adam"
    matrix_rate: float = 0.02
    momentum: float = 0.95
    matrix_decay: float = 0.01
    beta2: float = 0.999
    games: Reading = "selfplay"
    clip: float = 1.0
    seed: int = 1

    def __post_init__(self) -> None:
        if self.notation not in NOTATIONS:
            raise ValueError(f"no notation {self.notation!r}; there are: {', '.join(NOTATIONS)}")
        if not 0 <= self.probability <= 1 or (self.notation != "rap" and self.probability):
            raise ValueError(f"only rap has a probability, from 0 to 1, got {self}")
        if min(self.epochs, self.tokens) < 1 or self.seed < 0:
            raise ValueError(f"epochs and tokens must be positive, the seed not negative: {self}")
        if self.optimiser not in OPTIMISERS:
            raise ValueError(f"no optimiser {self.optimiser!r}; there are: {', '.join(OPTIMISERS)}")
        if self.games not in get_args(Reading):
            raise ValueError(f"no games {self.games!r}; there are: {', '.join(get_args(Reading))}")
        positive = min(self.rate, self.matrix_rate, self.clip) > 0
        if not positive or min(self.decay, self.matrix_decay) < 0:
            raise ValueError(f"the rate, clip or decay makes no sense: {self}")
        if not (0 < self.warmup < 1 and 0 < self.cooldown <= 1):
            raise ValueError(f"the warm-up or cool-down makes no sense: {self}")
        if not (0 <= self.momentum < 1 and 0 <= self.beta2 < 1):
            raise ValueError(f"momentum and beta2 lie between 0 and 1: {self}")

    @property
    def reading(self) -> Notation:
        """How games are written when the trained model is measured: RAP is for training."""
        return "ap" if self.notation == "ap" else "uci"


def settings_from(values: Mapping[str, Any]) -> Settings:
    """Read a model's settings back from JSON values."""
    return Settings(**cast(Any, values))


def training_from(values: Mapping[str, Any]) -> Training:
    """Read a training's settings back from JSON values."""
    return Training(**cast(Any, values))


def as_values(record: Settings | Training) -> dict[str, Any]:
    """Return a record as JSON values."""
    return asdict(record)
