"""A baseline in the manner of GAC: a recurrent network that comments on a move from features.

Jhamtani and others (ACL 2018, section 4) encode three groups of features (the move, the threats
around it, the engine's scores), let the decoder attend to each and weigh the groups anew at each
word. This is the same design, smaller, trained on the commentary at hand: some thousand comments
of lectures where they had three hundred thousand of a forum. It shows what such a network says,
not what theirs would say::

    Gac.load().comment(move, ScoreFeatures.of(before, after))

``python -m chessgloss.commentary.gac`` makes the committed weights again.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import math
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias

import chess
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn
from tqdm import tqdm

from chessgloss import assets
from chessgloss.corpora.lectures import evaluated_lectures, read_lectures
from chessgloss.engine import Analysis, analyse_many, centipawns, score_of
from chessgloss.positions import CommentedMove, MoveInContext, Position
from chessgloss.store import Store, default_store, find_project

#: Words of the groups ``move``, ``threat`` and ``score``.
FeatureWords: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
#: The decoder's state: hidden and cell, ``(n, hidden)`` each.
State: TypeAlias = tuple[torch.Tensor, torch.Tensor]

#: Groups of features: move, threats, scores.
GROUPS = 3
#: What the third group holds when no engine was asked.
NO_SCORE = ("score=unknown",)
#: Bounds, in centipawns, between the classes of a score and of a change of score.
SCORE_BOUNDS = (-600, -300, -150, -60, -20, 20, 60, 150, 300, 600)
CHANGE_BOUNDS = (-300, -100, -50, -20, 20, 50, 100)

PAD, START, END, UNKNOWN = "<pad>", "<start>", "<end>", "<unk>"
#: Words that are no words, the first in every vocabulary.
SPECIAL = (PAD, START, UNKNOWN, END)

#: Names of the weights' and of the vocabularies' file in a model's folder.
WEIGHTS, VOCABULARIES = "gac.safetensors", "vocabulary.json"
#: Beams; most words of a comment, learned or written; length of a run not written twice.
BEAMS, MOST_WORDS, NO_REPEAT = 4, 40, 3
#: A beam's score is its log-probability over its length to this power: against beam search's
#: love of short texts. Chosen on the lectures that stop the training: 8 words a comment
#: there (5 with 0.7), where the lecturers write 16.
LENGTH_POWER = 1.3

#: Nodes a position for the engine's scores.
NODES = 20_000
#: Share of the comments that stop the training: whole sources, as many as it takes.
STOP_SHARE = 0.12
#: What the loss leaves out: padding, and the end of a comment that was cut off.
_IGNORED = -100
#: Batches among which comments are sorted by length: padding costs time.
_WINDOW = 8

_SAN = r"(?:O-O-O|O-O|[KQRBN][a-h]?[1-8]?x?[a-h][1-8]|[a-h](?:x[a-h])?[1-8](?:=[QRBN])?)"
_TOKEN = re.compile(rf"{_SAN}(?![A-Za-z0-9])|[A-Za-z]+(?:['-][A-Za-z]+)*|\d+|[.,!?;:]", re.ASCII)
_NUMBERED = re.compile(r"\b\d+\s?\.+(?=\s?[KQRBNOa-h])")
_IS_SAN = re.compile(_SAN)
_STOPS = frozenset(".!?")
_COLOURS = {"white": "black", "black": "white"}


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
        return cls(centipawns(score_of(before), mover), centipawns(score_of(after), mover))

    def words(self) -> tuple[str, ...]:
        """Return the scores and their change as classes: the words of the third group."""
        return (
            f"before={bisect_right(SCORE_BOUNDS, self.before)}",
            f"after={bisect_right(SCORE_BOUNDS, self.after)}",
            f"change={bisect_right(CHANGE_BOUNDS, self.after - self.before)}",
        )


def feature_words(move: MoveInContext, scores: ScoreFeatures | None = None) -> FeatureWords:
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
    before, after = chess.Board(move.position.fen), chess.Board(move.position.fen)
    after.push(move.move)
    score_words = NO_SCORE if scores is None else scores.words()
    return tuple(_move_words(before, after, move.move)), _threat_words(after), score_words


def _move_words(before: chess.Board, after: chess.Board, move: chess.Move) -> Iterator[str]:
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
    end, other, mover = after.peek().to_square, after.turn, not after.turn
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
        for kind in sorted({after.piece_type_at(square) or 0 for square in squares} - {0})
    ]
    return tuple(words) or ("quiet",)


def _undefended(board: chess.Board, side: chess.Color) -> list[chess.Square]:
    """Return the squares of a side's pieces that are attacked and not defended."""
    return [
        square
        for square in chess.SquareSet(board.occupied_co[side] & ~board.kings)
        if board.is_attacked_by(not side, square) and not board.is_attacked_by(side, square)
    ]


# ---------------------------------------------------------------- words


def cut_words(text: str) -> list[str]:
    """Cut a text into words, moves and marks; move numbers and other signs are left out."""
    plain = _NUMBERED.sub(" ", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    return _TOKEN.findall(re.sub(r"([.!?])\1+", r"\1", plain))


def join_words(words: Iterable[str]) -> str:
    """Join words and marks to a text whose sentences begin with a capital letter."""
    text, begins = "", True
    for word in words:
        mark = word in ".,!?;:"
        capital = begins and not mark and not _IS_SAN.fullmatch(word)
        text += "" if mark or not text else " "
        text += word[:1].upper() + word[1:] if capital else word
        begins = word in _STOPS or (begins and mark)
    return text


def leading_sentences(words: Sequence[str], most: int) -> tuple[list[str], bool]:
    """Return the leading sentences that fit into ``most`` words, and whether they are whole.

    A first sentence that is longer is cut off, and is then not whole.
    """
    if len(words) <= most:
        return list(words), True
    ends = [place + 1 for place, word in enumerate(words[:most]) if word in _STOPS]
    return (list(words[: ends[-1]]), True) if ends else (list(words[:most]), False)


def lower_beginnings(words: Sequence[str]) -> list[str]:
    """Write the first word of each sentence small, unless it is a move."""
    return [
        word.lower() if before in _STOPS and word != "I" and not _IS_SAN.fullmatch(word) else word
        for before, word in zip([".", *words], words, strict=False)
    ]


def placeholders(move: MoveInContext) -> dict[str, str]:
    """Return what stands for a move's SAN and squares, so that they need not be learned."""
    start, end = move.uci[:2], move.uci[2:4]
    return {"<from>": start, "<to>": end, "<move>": move.san}


def hide_move(words: Sequence[str], move: MoveInContext) -> list[str]:
    """Put placeholders for the move's SAN and squares."""
    hidden = {text.rstrip("+#"): name for name, text in placeholders(move).items()}
    return [hidden.get(word, word) for word in words]


def mirror_words(words: Iterable[str]) -> list[str]:
    """Exchange White and Black: the colours' names, and the ranks in moves and squares."""
    return [_mirror_word(word) for word in words]


def _mirror_word(word: str) -> str:
    if _IS_SAN.fullmatch(word):
        return re.sub("[1-8]", lambda rank: str(9 - int(rank[0])), word)
    stem = word.removesuffix("'s")
    other = _COLOURS.get(stem.lower(), stem)
    return (other.capitalize() if word[:1].isupper() and other != stem else other) + word[
        len(stem) :
    ]


def mirror_move(move: MoveInContext) -> MoveInContext:
    """Return the same move with colours exchanged and the board turned upside down."""
    start, end = map(chess.square_mirror, (move.move.from_square, move.move.to_square))
    mirrored = chess.Move(start, end, move.move.promotion)
    return MoveInContext(Position(chess.Board(move.position.fen).mirror().fen()), mirrored.uci())


class Vocabulary:
    """Words with their numbers: special ones first, then by frequency.

    Parameters
    ----------
    words
        All words, without repetition; number ``k`` is ``words[k]``.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(self.words)}
        if len(self._numbers) != len(self.words) or self.words[: len(SPECIAL)] != SPECIAL:
            raise ValueError(f"a vocabulary begins with {SPECIAL} and repeats no word")

    @classmethod
    def of(cls, texts: Iterable[Iterable[str]], *, least: int) -> Vocabulary:
        """Gather the words that occur at least ``least`` times."""
        counts = Counter(word for words in texts for word in words)
        kept = [word for word in counts if counts[word] >= least and word not in SPECIAL]
        return cls((*SPECIAL, *sorted(kept, key=lambda word: (-counts[word], word))))

    def __len__(self) -> int:
        return len(self.words)

    def number(self, word: str) -> int:
        """Return a word's number, that of ``<unk>`` if there is no such word."""
        return self._numbers.get(word, self._numbers[UNKNOWN])

    def numbers(self, words: Iterable[str]) -> list[int]:
        """Return the numbers of words."""
        return [self.number(word) for word in words]


# ---------------------------------------------------------------- network


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
        Units of the decoder, and of both directions of an encoder together; even.
    dropout
        Share of units dropped in training.
    """

    words: int
    features: int
    embedding: int = 64
    hidden: int = 128
    dropout: float = 0.4


class GacNetwork(nn.Module):
    """From three groups of feature words to the words of a comment."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        width, hidden = sizes.embedding, sizes.hidden
        self.features = nn.Embedding(sizes.features, width, padding_idx=0)
        self.words = nn.Embedding(sizes.words, width, padding_idx=0)
        self.encoders = nn.ModuleList(
            nn.LSTM(width, hidden // 2, batch_first=True, bidirectional=True) for _ in range(GROUPS)
        )
        self.begin = nn.Linear(GROUPS * hidden, 2 * hidden)
        self.decoder = nn.LSTMCell(width + hidden, hidden)
        self.query = nn.Linear(hidden, GROUPS * hidden, bias=False)
        self.gate = nn.Linear(hidden, GROUPS)
        self.speak = nn.Linear(2 * hidden, width)
        self.bias = nn.Parameter(torch.zeros(sizes.words))
        self.dropout = nn.Dropout(sizes.dropout)

    def encode(self, groups: Sequence[torch.Tensor]) -> tuple[Memory, State]:
        """Read the feature words, one ``(n, length)`` tensor of numbers a group, 0 as padding."""
        length = max(numbers.shape[1] for numbers in groups)
        padded = [nn.functional.pad(group, (0, length - group.shape[1])) for group in groups]
        keys = []
        for encoder, numbers in zip(self.encoders, padded, strict=True):
            vectors, lengths = self.dropout(self.features(numbers)), (numbers != 0).sum(dim=1)
            packed = nn.utils.rnn.pack_padded_sequence(
                vectors, lengths, batch_first=True, enforce_sorted=False
            )
            read, _ = nn.utils.rnn.pad_packed_sequence(
                encoder(packed)[0], batch_first=True, total_length=length
            )
            keys.append(self.dropout(read))
        memory = Memory(torch.stack(keys, dim=1), torch.stack(padded, dim=1) != 0)
        hidden, cell = torch.tanh(self.begin(memory.means().flatten(1))).chunk(2, dim=1)
        return memory, (hidden, cell)

    def step(self, word: torch.Tensor, memory: Memory, state: State) -> tuple[torch.Tensor, State]:
        """Return the next word's logits, ``(n, words)``, and the new state, after ``word`` (n,)."""
        output, state = self._decode(self.words(word), memory, state)
        return self._logits(output), state

    def forward(self, groups: Sequence[torch.Tensor], words: torch.Tensor) -> torch.Tensor:
        """Return logits ``(n, length, words)`` for the word after each of ``words``."""
        memory, state = self.encode(groups)
        outputs = []
        for word in self.dropout(self.words(words)).unbind(dim=1):
            output, state = self._decode(word, memory, state)
            outputs.append(output)
        return self._logits(torch.stack(outputs, dim=1))

    def _decode(
        self, word: torch.Tensor, memory: Memory, state: State
    ) -> tuple[torch.Tensor, State]:
        """Take in a word's vector; return what leads to the next word, and the new state."""
        queries = self.query(state[0]).unflatten(1, (GROUPS, -1))
        weights = torch.softmax(self.gate(state[0]), dim=1)
        context = (weights.unsqueeze(2) * memory.read(queries)).sum(dim=1)
        hidden, cell = self.decoder(torch.cat([word, context], dim=1), state)
        return torch.cat([hidden, context], dim=1), (hidden, cell)

    def _logits(self, output: torch.Tensor) -> torch.Tensor:
        vectors = self.dropout(torch.tanh(self.speak(self.dropout(output))))
        return vectors @ self.words.weight.T + self.bias


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


# ---------------------------------------------------------------- the trained baseline


@dataclass(frozen=True, slots=True, eq=False)
class Gac:
    """A trained network with its vocabularies.

    Parameters
    ----------
    network
        The network, in evaluation mode.
    words, features
        Vocabularies of comments and of features.
    about
        Where the weights come from: their settings.
    """

    network: GacNetwork
    words: Vocabulary
    features: Vocabulary
    about: Mapping[str, str]

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
            words, features = Vocabulary(lists["comments"]), Vocabulary(lists["features"])
            with safe_open(folder / WEIGHTS, framework="pt") as file:
                about = dict(file.metadata() or {})
                network = GacNetwork(Sizes(**json.loads(about.pop("sizes"))))
                tensors = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
            network.load_state_dict(tensors)
        except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
            remedy = "run: python -m chessgloss.commentary.gac"
            raise ValueError(f"{folder} holds no model ({error!r}); {remedy}") from None
        return cls(network.eval(), words, features, about)

    def save(self, folder: Path) -> None:
        """Write weights in half precision, and the vocabularies, one word a line."""
        folder.mkdir(parents=True, exist_ok=True)
        aside = folder / f"{WEIGHTS}.part"
        state = self.network.state_dict()
        weights = {name: tensor.half().contiguous() for name, tensor in state.items()}
        save_file(weights, aside, {**self.about, "sizes": json.dumps(asdict(self.network.sizes))})
        lists = {"comments": self.words.words, "features": self.features.words}
        text = json.dumps(lists, indent=0, ensure_ascii=False) + "\n"
        (folder / VOCABULARIES).write_text(text, encoding="utf-8")
        aside.rename(folder / WEIGHTS)

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
        return join_words(names.get(word, word) for word in self.say(feature_words(move, scores)))

    @torch.inference_mode()
    def say(self, features: FeatureWords) -> list[str]:
        """Return the words of the likeliest comment that beam search finds.

        Words outside the vocabulary cannot be said, and no :data:`NO_REPEAT` words twice.
        """
        end, start = self.words.number(END), self.words.number(START)
        memory, state = self.network.encode(
            [torch.tensor([self.features.numbers(group)]) for group in features]
        )
        beams: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
        finished = []
        for length in range(MOST_WORDS):
            last = torch.tensor([words[-1] if words else start for _, words in beams])
            logits, state = self.network.step(last, memory.repeat(len(beams)), state)
            logits[:, self.words.numbers([PAD, START, UNKNOWN])] = float("-inf")
            if length == 0:
                logits[:, end] = float("-inf")
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
        _, best = max(finished or beams, key=lambda b: (b[0] / len(b[1]) ** LENGTH_POWER, b[1]))
        return [self.words.words[number] for number in best if number != end]


def _repeats(words: tuple[int, ...], word: int) -> bool:
    """Return whether the word would end a run of words that was said before."""
    run = (*words[len(words) - NO_REPEAT + 1 :], word)
    return any(words[at : at + NO_REPEAT] == run for at in range(len(words) - NO_REPEAT + 1))


# ---------------------------------------------------------------- what is learned


@dataclass(frozen=True, slots=True)
class Example:
    """What is learned of one comment.

    Parameters
    ----------
    features
        The three groups of feature words.
    words
        The comment's words, its move hidden behind placeholders.
    whole
        Whether the words are whole sentences, so that the end is learned too.
    source
        Name of the lecture.
    """

    features: FeatureWords
    words: tuple[str, ...]
    whole: bool
    source: str = ""


def part(
    comments: Sequence[CommentedMove], held_out: frozenset[str]
) -> tuple[list[CommentedMove], list[CommentedMove]]:
    """Part the comments that may be used into those for training and those for stopping.

    Whatever stands in a source of ``held_out`` is left out, and so is a comment elsewhere on
    a move (same position, same move) that is commented on there. The sources that stop the
    training come in the order of a hash of their names, until they hold
    :data:`STOP_SHARE` of the comments.

    Raises
    ------
    ValueError
        If nothing is left to train on.
    """

    def key(comment: CommentedMove) -> tuple[list[str], str]:
        return comment.context.position.fen.split(" ")[:4], comment.context.uci

    held = [key(each) for each in comments if each.source in held_out]
    free = [each for each in comments if each.source not in held_out and key(each) not in held]
    counts = Counter(each.source for each in free)
    stopping: set[str] = set()
    for name in sorted(counts, key=lambda name: (_digest(f"stopping {name}", 8), name)):
        if sum(counts[each] for each in stopping) < STOP_SHARE * len(free):
            stopping.add(name)
    if len(stopping) == len(counts):
        raise ValueError(f"{len(counts)} sources are too few to train on and to stop by")
    return (
        [each for each in free if each.source not in stopping],
        [each for each in free if each.source in stopping],
    )


def scores_of(
    comments: Sequence[CommentedMove], store: Store, *, nodes: int = NODES, progress: bool = True
) -> list[ScoreFeatures]:
    """Ask Stockfish for the scores around each move; what the store holds is not asked again.

    Parameters
    ----------
    nodes
        Nodes a position, from an empty hash table and without the game's history.
    """
    positions = []
    for each in comments:
        before = Position(each.context.position.fen)
        positions += [before, Position(MoveInContext(before, each.context.uci).after().fen)]
    digest = _digest("\n".join(position.fen for position in positions), 12)

    def ask() -> dict:
        analyses = analyse_many(positions, nodes=nodes, progress=progress)
        return {"white": [centipawns(score_of(each), chess.WHITE) for each in analyses]}

    white = store.fetch("gac-scores", {"fens": digest, "nodes": nodes}, ask)["white"]
    signs = [1 if each.context.mover else -1 for each in comments]
    return [
        ScoreFeatures(sign * before, sign * after)
        for sign, before, after in zip(signs, white[::2], white[1::2], strict=True)
    ]


def make_examples(
    comments: Sequence[CommentedMove], scores: Sequence[ScoreFeatures], *, mirrored: bool = False
) -> list[Example]:
    """Return what is learned of each comment; a comment without a word gives nothing.

    Parameters
    ----------
    mirrored
        Whether each is followed by its mirror image: colours exchanged on the board and in
        the words. The engine's scores are the mover's, and stay.
    """
    examples = []
    for comment, score in zip(comments, scores, strict=True):
        words = lower_beginnings(cut_words(comment.comment))
        views = [(comment.context, words)]
        if mirrored:
            views.append((mirror_move(comment.context), mirror_words(words)))
        for move, text in views:
            kept, whole = leading_sentences(hide_move(text, move), MOST_WORDS)
            if any(word.isalpha() or word.startswith("<") for word in kept):
                features = feature_words(move, score)
                examples.append(Example(features, tuple(kept), whole, comment.source))
    return examples


def _digest(text: str, size: int) -> str:
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()


# ---------------------------------------------------------------- training


@dataclass(frozen=True, slots=True)
class Settings:
    """How the network is trained; the defaults are those of the committed weights.

    Parameters
    ----------
    embedding, hidden, dropout
        As in :class:`Sizes`.
    least
        Fewest occurrences of a word in the training part that put it into the vocabulary.
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
    epochs: int = 30
    patience: int = 4
    batch: int = 64
    rate: float = 3e-3
    decay: float = 1e-2
    silence: float = 0.1
    seed: int = 1


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
    words = Vocabulary.of((each.words for each in training), least=settings.least)
    groups = [group for each in training for group in each.features]
    features = Vocabulary.of([*groups, NO_SCORE], least=1)
    sizes = Sizes(len(words), len(features), settings.embedding, settings.hidden, settings.dropout)
    network = GacNetwork(sizes)
    model = Gac(network, words, features, {"settings": json.dumps(asdict(settings))})
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=settings.rate, weight_decay=settings.decay
    )
    best, kept, log = math.inf, network.state_dict(), list[dict[str, float]]()
    for epoch in tqdm(range(settings.epochs), desc="training", disable=not progress):
        random = np.random.default_rng([settings.seed, epoch])
        network.train()
        losses = []
        for batch in _batches(training, settings, random):
            inputs, expected = _tensors(model, batch)
            loss = _loss(network(*inputs), expected, "mean")
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
        measured = measure(model, stopping)
        log.append({"epoch": epoch + 1, "loss": round(float(np.mean(losses)), 4), **measured})
        if measured["perplexity"] < best:
            best, kept = measured["perplexity"], copy.deepcopy(network.state_dict())
        if epoch - min(range(len(log)), key=lambda k: log[k]["perplexity"]) >= settings.patience:
            break
    network.load_state_dict(kept)
    network.eval()
    return model, log


def measure(model: Gac, examples: Sequence[Example], *, batch: int = 128) -> dict[str, float]:
    """Return the perplexity a word, and the share of words outside the vocabulary.

    The perplexity counts the words of the vocabulary and the ends of whole comments. Words
    outside it are given to the network, but it need not foresee them: it may not say them.
    """
    model.network.eval()
    loss = count = unknown = 0.0
    for at in range(0, len(examples), batch):
        inputs, expected = _tensors(model, examples[at : at + batch])
        outside = expected == model.words.number(UNKNOWN)
        unknown += float(outside.sum())
        expected = expected.masked_fill(outside, _IGNORED)
        with torch.inference_mode():
            loss += float(_loss(model.network(*inputs), expected, "sum"))
        count += float((expected != _IGNORED).sum())
    share = unknown / (count + unknown)
    return {"perplexity": round(math.exp(loss / count), 2), "unknown": round(share, 4)}


def with_features_of_others(examples: Sequence[Example], *, seed: int) -> list[Example]:
    """Return the examples with their features dealt out anew: the control of their use."""
    order = np.random.default_rng(seed).permutation(len(examples))
    return [
        replace(each, features=examples[other].features)
        for each, other in zip(examples, order, strict=True)
    ]


def frequency_perplexity(
    training: Sequence[Example], examples: Sequence[Example], words: Vocabulary
) -> float:
    """Return the perplexity of guessing every word by its frequency in training alone.

    Counted as in :func:`measure`, with one added to each frequency.
    """

    def numbers(example: Example) -> list[int]:
        return words.numbers([*example.words, *([END] if example.whole else [])])

    counts = np.ones(len(words))
    for each in training:
        np.add.at(counts, numbers(each), 1)
    unknown = words.number(UNKNOWN)
    counts[unknown] = 0
    chances = counts / counts.sum()
    known = [number for each in examples for number in numbers(each) if number != unknown]
    return round(float(np.exp(-np.log(chances[known]).mean())), 2)


def _batches(
    training: Sequence[Example], settings: Settings, random: np.random.Generator
) -> list[list[Example]]:
    """Cut the comments, some without scores, into batches of similar length in any order."""
    order = random.permutation(len(training))
    silent = set(order[random.random(len(order)) < settings.silence].tolist())
    batches: list[NDArray[np.int64]] = []
    for at in range(0, len(order), _WINDOW * settings.batch):
        window = order[at : at + _WINDOW * settings.batch]
        window = window[np.argsort([len(training[row].words) for row in window], kind="stable")]
        batches += [window[k : k + settings.batch] for k in range(0, len(window), settings.batch)]
    return [
        [
            replace(training[row], features=(*training[row].features[:2], NO_SCORE))
            if row in silent
            else training[row]
            for row in batches[k]
        ]
        for k in random.permutation(len(batches))
    ]


def _tensors(
    model: Gac, examples: Sequence[Example]
) -> tuple[tuple[list[torch.Tensor], torch.Tensor], torch.Tensor]:
    """Return the groups' numbers and the words that enter; and the words that are expected."""
    groups = [
        _padded([model.features.numbers(each.features[k]) for each in examples], 0)
        for k in range(GROUPS)
    ]
    start, end = model.words.number(START), model.words.number(END)
    numbers = [model.words.numbers(each.words) for each in examples]
    entered = _padded([[start, *row] for row in numbers], 0)
    ends = [end if each.whole else _IGNORED for each in examples]
    expected = [[*row, last] for row, last in zip(numbers, ends, strict=True)]
    return (groups, entered), _padded(expected, _IGNORED)


def _padded(rows: Sequence[Sequence[int]], filler: int) -> torch.Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[filler] * (width - len(row))] for row in rows])


def _loss(logits: torch.Tensor, expected: torch.Tensor, reduction: str) -> torch.Tensor:
    return nn.functional.cross_entropy(
        logits.flatten(0, 1), expected.flatten(), ignore_index=_IGNORED, reduction=reduction
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Train on the lectures that are not evaluated, from the command line; return the status."""
    parser = argparse.ArgumentParser(prog="python -m chessgloss.commentary.gac")
    parser.add_argument("--target", type=Path, default=Path("data/gac"))
    parser.add_argument("--seed", type=int, default=Settings().seed)
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)  # the steps are small: threads would wait for each other
    lectures, store = read_lectures(assets.locate("lectures")), default_store()
    settings = Settings(seed=given.seed)
    held_out = evaluated_lectures(lectures)
    parts = part([comment for lecture in lectures for comment in lecture.comments], held_out)
    training = make_examples(parts[0], scores_of(parts[0], store), mirrored=True)
    stopping = make_examples(parts[1], scores_of(parts[1], store))
    model, passes = train(training, stopping, settings)
    model.save(given.target)
    others = with_features_of_others(stopping, seed=settings.seed)
    log = {
        "settings": asdict(settings),
        "nodes": NODES,
        "comments": {"training": len(parts[0]), "stopping": len(stopping)},
        "vocabulary": {"comments": len(model.words), "features": len(model.features)},
        "stopping": {
            "sources": sorted({each.source for each in parts[1]}),
            **measure(model, stopping),
            "perplexity_features_of_others": measure(model, others)["perplexity"],
            "perplexity_by_frequency": frequency_perplexity(training, stopping, model.words),
        },
        "passes": passes,
        "held_out": sorted(held_out),
    }
    text = json.dumps(log, indent=1) + "\n"
    (given.target / "training.json").write_text(text, encoding="utf-8")
    print(json.dumps(log["stopping"], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
