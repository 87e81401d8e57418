"""A baseline in the manner of GAC: a recurrent network that comments on a move from features.

Jhamtani and others (ACL 2018, section 4) encode three groups of features (the move, the threats
around it, the engine's scores), let the decoder attend to each and weigh the groups anew at each
word. This is the same design, smaller, trained on the commentary at hand: some thousand comments
of lectures where they had three hundred thousand of a forum. It shows what such a network says,
not what theirs would say::

    Gac.load().comment(move, ScoreFeatures.of(before, after))

``data/gac/train.py`` makes the committed weights again.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import chess
import torch
from safetensors import SafetensorError, safe_open
from torch import nn

from chessgloss.positions import MoveInContext
from chessgloss.scores import Analysis, centipawns, score_of
from chessgloss.store import find_project

#: Words of the groups ``move``, ``threat`` and ``score``.
FeatureWords: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
#: What the encoders have read, ``(n, groups, length, hidden)``, and where there is a word.
Memory: TypeAlias = tuple[torch.Tensor, torch.Tensor]
#: The decoder's state: hidden and cell, ``(n, hidden)`` each.
State: TypeAlias = tuple[torch.Tensor, torch.Tensor]

#: Groups of features: move, threats, scores.
GROUPS = 3
#: What the third group holds when no engine was asked.
NO_SCORE = ("score=unknown",)
#: Bounds, in centipawns, between the classes of a score and of a change of score.
SCORE_BOUNDS = (-600, -300, -150, -60, -20, 20, 60, 150, 300, 600)
CHANGE_BOUNDS = (-300, -100, -50, -20, 20, 50, 100)

#: Words that are no words, the first in every vocabulary.
SPECIAL = PAD, START, UNKNOWN, END = "<pad>", "<start>", "<unk>", "<end>"

#: Names of the weights' and of the vocabularies' file in a model's folder.
WEIGHTS, VOCABULARIES = "gac.safetensors", "vocabulary.json"
#: Beams; most words of a comment, learned or written; length of a run not written twice.
BEAMS, MOST_WORDS, NO_REPEAT = 4, 40, 3
#: A beam's score is its log-probability over its length to this power: against beam search's
#: love of short texts. Chosen on the lectures that stop the training: 8 words a comment
#: there (5 with 0.7), where the lecturers write 16.
LENGTH_POWER = 1.3

#: A move as it is written.
SAN = re.compile(
    r"(?:O-O-O|O-O|[KQRBN][a-h]?[1-8]?x?[a-h][1-8]|[a-h](?:x[a-h])?[1-8](?:=[QRBN])?)"
)


# ---------------------------------------------------------------- features


@dataclass(frozen=True, slots=True)
class ScoreFeatures:
    """An engine's scores around a move.

    Parameters
    ----------
    before, after
        Centipawns before and after the move, both seen by the side that moves; mate in n
        moves counts as 10,000 less n.
    """

    before: int
    after: int

    @classmethod
    def of(cls, before: Analysis, after: Analysis) -> ScoreFeatures:
        """Read the scores of the analyses before and after a move.

        Raises
        ------
        ValueError
            If both are of the same side's turn, so that no single move lies between them.
        """
        mover = before.position.turn
        if after.position.turn == mover:
            raise ValueError("the two analyses must lie one move apart")
        return cls(
            centipawns(score_of(before), mover), centipawns(score_of(after), mover)
        )

    def words(self) -> tuple[str, ...]:
        """Return the scores and their change as classes: the words of the third group."""
        return (
            f"before={bisect_right(SCORE_BOUNDS, self.before)}",
            f"after={bisect_right(SCORE_BOUNDS, self.after)}",
            f"change={bisect_right(CHANGE_BOUNDS, self.after - self.before)}",
        )


def feature_words(
    move: MoveInContext, scores: ScoreFeatures | None = None
) -> FeatureWords:
    """Return the three groups of words that describe a move, as GAC's features do.

    ``move`` holds what is played, ``threat`` who attacks and defends whom afterwards (plain
    attacks on the board: pins are not considered), ``score`` what the engine thinks. Words such
    as ``to=f3`` are embedded like words of a language; their order within a group is fixed.

    Parameters
    ----------
    move
        The move.
    scores
        The engine's scores around it; without them the third group holds that alone.
    """
    before = chess.Board(move.position.fen)
    after = chess.Board(move.position.fen)
    after.push(move.move)
    score_words = NO_SCORE if scores is None else scores.words()
    return (
        tuple(_move_words(before, after, move.move)),
        _threat_words(after),
        score_words,
    )


def _move_words(
    before: chess.Board, after: chess.Board, move: chess.Move
) -> Iterator[str]:
    pieces = chess.popcount(before.occupied & ~before.pawns & ~before.kings)
    phase = "opening" if before.fullmove_number <= 12 else "middlegame"
    yield f"mover={chess.COLOR_NAMES[before.turn]}"
    yield f"piece={chess.piece_name(before.piece_type_at(move.from_square) or 0)}"
    yield f"from={chess.square_name(move.from_square)}"
    yield f"to={chess.square_name(move.to_square)}"
    yield f"file={chess.FILE_NAMES[chess.square_file(move.to_square)]}"
    yield f"phase={'ending' if pieces < 7 else phase}"
    if before.is_en_passant(move):
        yield "takes=passing"
    elif before.is_capture(move):
        yield f"takes={chess.piece_name(before.piece_type_at(move.to_square) or 0)}"
    if move.promotion:
        yield f"promotes={chess.piece_name(move.promotion)}"
    if before.is_castling(move):
        yield f"castles={'short' if before.is_kingside_castling(move) else 'long'}"
    if after.is_check():
        yield "mate" if after.is_checkmate() else "check"


def _threat_words(after: chess.Board) -> tuple[str, ...]:
    """Describe who attacks whom, kinds of piece from pawn to king, each once a relation."""
    end = after.peek().to_square
    other = after.turn
    mover = not after.turn
    relations: dict[str, Iterable[chess.Square]] = {
        "attacked_by": after.attackers(other, end),
        "defended_by": after.attackers(mover, end),
        "attacks": after.attacks(end) & after.occupied_co[other],
        "defends": after.attacks(end) & after.occupied_co[mover],
        "theirs_loose": _undefended(after, other),
        "ours_loose": _undefended(after, mover),
    }
    words = [
        f"{relation}={chess.piece_name(kind)}"
        for relation, squares in relations.items()
        for kind in sorted(
            {after.piece_type_at(square) or 0 for square in squares} - {0}
        )
    ]
    return tuple(words) or ("quiet",)


def _undefended(board: chess.Board, side: chess.Color) -> list[chess.Square]:
    """Return the squares of a side's pieces that are attacked and not defended."""
    return [
        square
        for square in chess.SquareSet(board.occupied_co[side] & ~board.kings)
        if board.is_attacked_by(not side, square)
        and not board.is_attacked_by(side, square)
    ]


# ---------------------------------------------------------------- words


def join_words(words: Iterable[str]) -> str:
    """Join words and marks to a text whose sentences begin with a capital letter."""
    text = ""
    begins = True
    for word in words:
        mark = word in ".,!?;:"
        capital = begins and not mark and not SAN.fullmatch(word)
        text += "" if mark or not text else " "
        text += word[:1].upper() + word[1:] if capital else word
        begins = word in (".", "!", "?") or (begins and mark)
    return text


def placeholders(move: MoveInContext) -> dict[str, str]:
    """Return what stands for a move's SAN and squares, so that they need not be learned."""
    return {"<from>": move.uci[:2], "<to>": move.uci[2:4], "<move>": move.san}


class Vocabulary:
    """Words with their numbers: special ones first, then by frequency.

    Parameters
    ----------
    words
        All words, without repetition; number ``k`` is ``words[k]``.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def numbers(self, words: Iterable[str]) -> list[int]:
        """Return the numbers of words; that of ``<unk>`` for a word that is not there."""
        return [self._numbers.get(word, self._numbers[UNKNOWN]) for word in words]


# ---------------------------------------------------------------- network


class GacNetwork(nn.Module):
    """From three groups of feature words to the words of a comment.

    Parameters
    ----------
    words, features
        Words of the comments' and of the features' vocabulary.
    embedding
        Length of a word's vector; the comments' vectors are also the output layer's.
    hidden
        Units of the decoder, and of both directions of an encoder together; even.
    dropout
        Share of units dropped in training.
    """

    def __init__(
        self,
        words: int,
        features: int,
        embedding: int = 64,
        hidden: int = 128,
        dropout: float = 0.4,
    ) -> None:
        super().__init__()
        self.features = nn.Embedding(features, embedding, padding_idx=0)
        self.words = nn.Embedding(words, embedding, padding_idx=0)
        self.encoders = nn.ModuleList(
            nn.LSTM(embedding, hidden // 2, batch_first=True, bidirectional=True)
            for _ in range(GROUPS)
        )
        self.begin = nn.Linear(GROUPS * hidden, 2 * hidden)
        self.decoder = nn.LSTMCell(embedding + hidden, hidden)
        self.query = nn.Linear(hidden, GROUPS * hidden, bias=False)
        self.gate = nn.Linear(hidden, GROUPS)
        self.speak = nn.Linear(2 * hidden, embedding)
        self.bias = nn.Parameter(torch.zeros(words))
        self.dropout = nn.Dropout(dropout)

    def encode(self, groups: Sequence[torch.Tensor]) -> tuple[Memory, State]:
        """Read the feature words, one ``(n, length)`` tensor of numbers a group, 0 as padding."""
        length = max(numbers.shape[1] for numbers in groups)
        padded = [
            nn.functional.pad(group, (0, length - group.shape[1])) for group in groups
        ]
        read = []
        for encoder, numbers in zip(self.encoders, padded, strict=True):
            packed = nn.utils.rnn.pack_padded_sequence(
                self.dropout(self.features(numbers)),
                (numbers != 0).sum(dim=1),
                batch_first=True,
                enforce_sorted=False,
            )
            states, _ = nn.utils.rnn.pad_packed_sequence(
                encoder(packed)[0], batch_first=True, total_length=length
            )
            read.append(self.dropout(states))
        keys = torch.stack(read, dim=1)
        mask = torch.stack(padded, dim=1) != 0
        means = (keys * mask.unsqueeze(3)).sum(dim=2) / mask.sum(dim=2, keepdim=True)
        hidden, cell = torch.tanh(self.begin(means.flatten(1))).chunk(2, dim=1)
        return (keys, mask), (hidden, cell)

    def decode(
        self, word: torch.Tensor, memory: Memory, state: State
    ) -> tuple[torch.Tensor, State]:
        """Take in a word's vector; return what leads to the next word, and the new state."""
        keys, mask = memory
        queries = self.query(state[0]).unflatten(1, (GROUPS, -1))
        fit = (keys @ queries.unsqueeze(3)).squeeze(3) / queries.shape[2] ** 0.5
        attention = torch.softmax(fit.masked_fill(~mask, float("-inf")), dim=2)
        read = (attention.unsqueeze(2) @ keys).squeeze(2)
        weights = torch.softmax(self.gate(state[0]), dim=1)
        context = (weights.unsqueeze(2) * read).sum(dim=1)
        hidden, cell = self.decoder(torch.cat([word, context], dim=1), state)
        return torch.cat([hidden, context], dim=1), (hidden, cell)

    def logits(self, output: torch.Tensor) -> torch.Tensor:
        """Return the logits of all words after what :meth:`decode` returned."""
        vectors = self.dropout(torch.tanh(self.speak(self.dropout(output))))
        return vectors @ self.words.weight.T + self.bias


@dataclass(frozen=True, slots=True, eq=False)
class Gac:
    """A trained network with its vocabularies.

    Parameters
    ----------
    network
        The network, in evaluation mode.
    words, features
        Vocabularies of comments and of features.
    """

    network: GacNetwork
    words: Vocabulary
    features: Vocabulary

    @classmethod
    def load(cls, folder: Path | None = None) -> Gac:
        """Read a model, by default the committed one.

        Raises
        ------
        ValueError
            If the folder holds no such model; the message says what makes one.
        """
        folder = folder or find_project() / "data" / "gac"
        try:
            lists = json.loads((folder / VOCABULARIES).read_text(encoding="utf-8"))
            with safe_open(folder / WEIGHTS, framework="pt") as file:
                network = GacNetwork(**json.loads(file.metadata()["sizes"]))
                tensors = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
            network.load_state_dict(tensors)
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            RuntimeError,
            SafetensorError,
        ) as error:
            remedy = "make it with data/gac/train.py"
            raise ValueError(f"{folder} holds no model ({error!r}); {remedy}") from None
        return cls(
            network.eval(), Vocabulary(lists["comments"]), Vocabulary(lists["features"])
        )

    def comment(self, move: MoveInContext, scores: ScoreFeatures | None = None) -> str:
        """Comment on a move; the same input always gives the same words.

        Parameters
        ----------
        move
            The move.
        scores
            The engine's scores around it. The network was trained with and without them.
        """
        names = placeholders(move)
        return join_words(
            names.get(word, word) for word in self.say(feature_words(move, scores))
        )

    @torch.inference_mode()
    def say(self, features: FeatureWords) -> list[str]:
        """Return the words of the likeliest comment that beam search finds.

        Words outside the vocabulary cannot be said, and no :data:`NO_REPEAT` words twice.
        """
        start, end = self.words.numbers([START, END])
        never = self.words.numbers([PAD, START, UNKNOWN])
        memory, state = self.network.encode(
            [torch.tensor([self.features.numbers(group)]) for group in features]
        )
        beams: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
        finished = []
        for length in range(MOST_WORDS):
            last = torch.tensor([words[-1] if words else start for _, words in beams])
            output, state = self.network.decode(self.network.words(last), memory, state)
            logits = self.network.logits(output)
            logits[:, never if length else [*never, end]] = float("-inf")
            chances, following = torch.log_softmax(logits, dim=1).topk(
                min(2 * BEAMS, logits.shape[1])
            )
            longer = [
                (chance + float(value), (*words, int(word)), origin)
                for origin, (chance, words) in enumerate(beams)
                for value, word in zip(chances[origin], following[origin], strict=True)
                if value > float("-inf") and not _repeats(words, int(word))
            ]
            longer.sort(key=lambda beam: (-beam[0], beam[1]))
            finished += [beam[:2] for beam in longer[:BEAMS] if beam[1][-1] == end]
            going = [beam for beam in longer[:BEAMS] if beam[1][-1] != end]
            beams = [beam[:2] for beam in going] or beams
            if not going or len(finished) >= BEAMS:
                break
            origins = [origin for *_, origin in going]
            state = state[0][origins], state[1][origins]
        _, best = max(
            finished or beams, key=lambda b: (b[0] / len(b[1]) ** LENGTH_POWER, b[1])
        )
        return [self.words.words[number] for number in best if number != end]


def _repeats(words: tuple[int, ...], word: int) -> bool:
    """Return whether the word would end a run of words that was said before."""
    run = (*words[len(words) - NO_REPEAT + 1 :], word)
    return any(
        words[at : at + NO_REPEAT] == run for at in range(len(words) - NO_REPEAT + 1)
    )
