"""Train the recurrent baseline on the lectures that are not evaluated, and measure it.

    PYTHONPATH=lib python data/gac/train.py
    PYTHONPATH=lib python data/gac/train.py comments

writes weights, vocabularies and ``training.json`` into this folder (see its README); the second
line, ``comments.json``: what the committed network says of the evaluated moves.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import chess
import numpy as np
import torch
from gac_network import (
    END,
    GROUPS,
    MOST_WORDS,
    NO_SCORE,
    SAN,
    SPECIAL,
    START,
    UNKNOWN,
    VOCABULARIES,
    WEIGHTS,
    FeatureWords,
    Gac,
    GacNetwork,
    ScoreFeatures,
    Vocabulary,
    feature_words,
    placeholders,
)
from numpy.typing import NDArray
from safetensors import torch as safetensors
from torch import nn
from tqdm import tqdm

from chessgloss import assets
from chessgloss.commentary.asking import briefings_file, read_briefings
from chessgloss.corpora.lectures import evaluated_lectures, read_lectures
from chessgloss.engine import analyse_many
from chessgloss.positions import CommentedMove, MoveInContext, Position
from chessgloss.scores import centipawns, score_of
from chessgloss.store import Store, default_store, write_tensors

#: Nodes a position for the engine's scores.
NODES = 20_000
#: Share of the comments that stop the training: whole sources, as many as it takes.
STOP_SHARE = 0.12
#: What the loss leaves out: padding, and the end of a comment that was cut off.
_IGNORED = -100
#: Batches among which comments are sorted by length: padding costs time.
_WINDOW = 8

_TOKEN = re.compile(
    rf"{SAN.pattern}(?![A-Za-z0-9])|[A-Za-z]+(?:['-][A-Za-z]+)*|\d+|[.,!?;:]", re.ASCII
)
_NUMBERED = re.compile(r"\b\d+\s?\.+(?=\s?[KQRBNOa-h])")
_STOPS = frozenset(".!?")
_COLOURS = {"white": "black", "black": "white"}


def cut_words(text: str) -> list[str]:
    """Cut a text into words, moves and marks; move numbers and other signs are left out."""
    plain = _NUMBERED.sub(" ", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    return _TOKEN.findall(re.sub(r"([.!?])\1+", r"\1", plain))


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
        word.lower()
        if before in _STOPS and word != "I" and not SAN.fullmatch(word)
        else word
        for before, word in zip([".", *words], words, strict=False)
    ]


def hide_move(words: Sequence[str], move: MoveInContext) -> list[str]:
    """Put placeholders for the move's SAN and squares."""
    hidden = {text.rstrip("+#"): name for name, text in placeholders(move).items()}
    return [hidden.get(word, word) for word in words]


def mirror_words(words: Iterable[str]) -> list[str]:
    """Exchange White and Black: the colours' names, and the ranks in moves and squares."""
    return [_mirror_word(word) for word in words]


def _mirror_word(word: str) -> str:
    if SAN.fullmatch(word):
        return re.sub("[1-8]", lambda rank: str(9 - int(rank[0])), word)
    stem = word.removesuffix("'s")
    other = _COLOURS.get(stem.lower(), stem)
    return (
        other.capitalize() if word[:1].isupper() and other != stem else other
    ) + word[len(stem) :]


def mirror_move(move: MoveInContext) -> MoveInContext:
    """Return the same move with colours exchanged and the board turned upside down."""
    start, end = map(chess.square_mirror, (move.move.from_square, move.move.to_square))
    mirrored = chess.Move(start, end, move.move.promotion)
    return MoveInContext(
        Position(chess.Board(move.position.fen).mirror().fen()), mirrored.uci()
    )


def vocabulary_of(texts: Iterable[Iterable[str]], *, least: int) -> Vocabulary:
    """Gather the words that occur at least ``least`` times."""
    counts = Counter(word for words in texts for word in words)
    kept = [word for word in counts if counts[word] >= least and word not in SPECIAL]
    return Vocabulary((*SPECIAL, *sorted(kept, key=lambda word: (-counts[word], word))))


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
    free = [
        each
        for each in comments
        if each.source not in held_out and key(each) not in held
    ]
    counts = Counter(each.source for each in free)
    stopping: set[str] = set()
    for name in sorted(counts, key=lambda name: (_digest(f"stopping {name}", 8), name)):
        if sum(counts[each] for each in stopping) < STOP_SHARE * len(free):
            stopping.add(name)
    if len(stopping) == len(counts):
        raise ValueError(
            f"{len(counts)} sources are too few to train on and to stop by"
        )
    return (
        [each for each in free if each.source not in stopping],
        [each for each in free if each.source in stopping],
    )


def scores_of(
    comments: Sequence[CommentedMove],
    store: Store,
    *,
    nodes: int = NODES,
    progress: bool = True,
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
        positions += [
            before,
            Position(MoveInContext(before, each.context.uci).after().fen),
        ]
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
    comments: Sequence[CommentedMove],
    scores: Sequence[ScoreFeatures],
    *,
    mirrored: bool = False,
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
        As in :class:`gac_network.GacNetwork`.
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
    words = vocabulary_of((each.words for each in training), least=settings.least)
    groups = [group for each in training for group in each.features]
    features = vocabulary_of([*groups, NO_SCORE], least=1)
    network = GacNetwork(*sizes_of(words, features, settings).values())
    model = Gac(network, words, features)
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=settings.rate, weight_decay=settings.decay
    )
    best = math.inf
    kept = network.state_dict()
    log = list[dict[str, float]]()
    for epoch in tqdm(range(settings.epochs), desc="training", disable=not progress):
        random = np.random.default_rng([settings.seed, epoch])
        network.train()
        losses = []
        for batch in _batches(training, settings, random):
            inputs, expected = _tensors(model, batch)
            loss = _loss(_logits(network, *inputs), expected, "mean")
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
        measured = measure(model, stopping)
        log.append(
            {"epoch": epoch + 1, "loss": round(float(np.mean(losses)), 4), **measured}
        )
        if measured["perplexity"] < best:
            best = measured["perplexity"]
            kept = copy.deepcopy(network.state_dict())
        if (
            epoch - min(range(len(log)), key=lambda k: log[k]["perplexity"])
            >= settings.patience
        ):
            break
    network.load_state_dict(kept)
    network.eval()
    return model, log


def sizes_of(
    words: Vocabulary, features: Vocabulary, settings: Settings
) -> dict[str, float]:
    """Return the parameters of the network, by their names."""
    return {
        "words": len(words),
        "features": len(features),
        "embedding": settings.embedding,
        "hidden": settings.hidden,
        "dropout": settings.dropout,
    }


def save(model: Gac, settings: Settings, folder: Path) -> None:
    """Write weights in half precision, and the vocabularies, one word a line."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        name: each.half().contiguous()
        for name, each in model.network.state_dict().items()
    }
    sizes = sizes_of(model.words, model.features, settings)
    about = {"settings": json.dumps(asdict(settings)), "sizes": json.dumps(sizes)}
    write_tensors(safetensors.save(weights, about), folder / WEIGHTS)
    lists = {"comments": model.words.words, "features": model.features.words}
    text = json.dumps(lists, indent=0, ensure_ascii=False) + "\n"
    (folder / VOCABULARIES).write_text(text, encoding="utf-8")


def measure(
    model: Gac, examples: Sequence[Example], *, batch: int = 128
) -> dict[str, float]:
    """Return the perplexity a word, and the share of words outside the vocabulary.

    The perplexity counts the words of the vocabulary and the ends of whole comments. Words
    outside it are given to the network, but it need not foresee them: it may not say them.
    """
    model.network.eval()
    loss = count = unknown = 0.0
    for at in range(0, len(examples), batch):
        inputs, expected = _tensors(model, examples[at : at + batch])
        outside = expected == model.words.numbers([UNKNOWN])[0]
        unknown += float(outside.sum())
        expected = expected.masked_fill(outside, _IGNORED)
        with torch.inference_mode():
            loss += float(_loss(_logits(model.network, *inputs), expected, "sum"))
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
    unknown = words.numbers([UNKNOWN])[0]
    counts[unknown] = 0
    chances = counts / counts.sum()
    known = [
        number for each in examples for number in numbers(each) if number != unknown
    ]
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
        window = window[
            np.argsort([len(training[row].words) for row in window], kind="stable")
        ]
        batches += [
            window[k : k + settings.batch]
            for k in range(0, len(window), settings.batch)
        ]
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
    start, end = model.words.numbers([START, END])
    numbers = [model.words.numbers(each.words) for each in examples]
    entered = _padded([[start, *row] for row in numbers], 0)
    ends = [end if each.whole else _IGNORED for each in examples]
    expected = [[*row, last] for row, last in zip(numbers, ends, strict=True)]
    return (groups, entered), _padded(expected, _IGNORED)


def _padded(rows: Sequence[Sequence[int]], filler: int) -> torch.Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[filler] * (width - len(row))] for row in rows])


def _logits(
    network: GacNetwork, groups: Sequence[torch.Tensor], words: torch.Tensor
) -> torch.Tensor:
    """Return logits ``(n, length, words)`` for the word after each of ``words``."""
    memory, state = network.encode(groups)
    outputs = []
    for word in network.dropout(network.words(words)).unbind(dim=1):
        output, state = network.decode(word, memory, state)
        outputs.append(output)
    return network.logits(torch.stack(outputs, dim=1))


def _loss(logits: torch.Tensor, expected: torch.Tensor, reduction: str) -> torch.Tensor:
    return nn.functional.cross_entropy(
        logits.flatten(0, 1),
        expected.flatten(),
        ignore_index=_IGNORED,
        reduction=reduction,
    )


def write_comments(folder: Path) -> None:
    """Write what the committed network says of the evaluated moves, one a line."""
    model = Gac.load(folder)
    rows = [{"method": "gac", "made": "by data/gac/train.py comments"}]
    for known in read_briefings(briefings_file()).values():
        text = model.comment(known.move, ScoreFeatures.of(known.before, known.after))
        rows.append({"move": known.name, "text": text})
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (folder / "comments.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train on the lectures that are not evaluated, from the command line; return the status."""
    parser = argparse.ArgumentParser(prog="data/gac/train.py")
    parser.add_argument("--target", type=Path, default=Path(__file__).parent)
    parser.add_argument("--seed", type=int, default=Settings().seed)
    parser.add_argument(
        "what", nargs="?", choices=("comments",), help="only write what it says"
    )
    given = parser.parse_args(arguments)
    if given.what == "comments":
        write_comments(given.target)
        return 0
    torch.set_num_threads(1)  # the steps are small: threads would wait for each other
    lectures = read_lectures(assets.locate("lectures"))
    store = default_store()
    settings = Settings(seed=given.seed)
    held_out = evaluated_lectures(lectures)
    parts = part(
        [comment for lecture in lectures for comment in lecture.comments], held_out
    )
    training = make_examples(parts[0], scores_of(parts[0], store), mirrored=True)
    stopping = make_examples(parts[1], scores_of(parts[1], store))
    model, passes = train(training, stopping, settings)
    save(model, settings, given.target)
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
            "perplexity_by_frequency": frequency_perplexity(
                training, stopping, model.words
            ),
        },
        "passes": passes,
        "held_out": sorted(held_out),
    }
    text = json.dumps(log, indent=1) + "\n"
    (given.target / "training.json").write_text(text, encoding="utf-8")
    print(json.dumps(log["stopping"], indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
