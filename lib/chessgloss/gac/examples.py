"""Training material of the baseline: commented moves, the engine's scores, and the parts.

Three parts, each of whole sources: what is evaluated elsewhere and never read here, what
stops the training, and what is trained on.
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import chess

from chessgloss.engine import analyse_many, centipawns, score_of
from chessgloss.gac.features import FeatureWords, ScoreFeatures, feature_words
from chessgloss.gac.words import (
    cut_words,
    hide_move,
    leading_sentences,
    lower_beginnings,
    mirror_move,
    mirror_words,
)
from chessgloss.positions import CommentedMove, Position
from chessgloss.store import Store

#: Share of the comments that stop the training: whole sources, as many as it takes.
STOP_SHARE = 0.12

#: Most words of a comment that are learned, from its beginning.
MOST_WORDS = 40


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
        Name of the lecture or file.
    """

    features: FeatureWords
    words: tuple[str, ...]
    whole: bool
    source: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """Commented moves for training and for stopping, of different sources."""

    training: tuple[CommentedMove, ...]
    stopping: tuple[CommentedMove, ...]

    def __post_init__(self) -> None:
        if shared := sources(self.training) & sources(self.stopping):
            raise ValueError(f"{min(shared)} lies in two parts; part by source")


def sources(comments: Iterable[CommentedMove]) -> set[str]:
    """Return the names of the lectures or files that comments come from."""
    return {_file(comment) for comment in comments}


def part(comments: Sequence[CommentedMove], held_out: frozenset[str]) -> Parts:
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
    taboo = {_key(one) for one in comments if one.source in held_out}
    free = [one for one in comments if one.source not in held_out and _key(one) not in taboo]
    counts = Counter(map(_file, free))
    stopping: set[str] = set()
    for name in sorted(counts, key=_lot):
        if sum(counts[one] for one in stopping) >= STOP_SHARE * len(free):
            break
        stopping.add(name)
    if len(stopping) == len(counts):
        raise ValueError(f"{len(counts)} sources are too few to train on and to stop by")
    chosen = [_file(one) in stopping for one in free]
    return Parts(
        tuple(one for one, stops in zip(free, chosen, strict=True) if not stops),
        tuple(one for one, stops in zip(free, chosen, strict=True) if stops),
    )


def scores_of(
    comments: Sequence[CommentedMove], store: Store, *, nodes: int, progress: bool = True
) -> list[ScoreFeatures]:
    """Ask Stockfish for the scores around each move; what the store holds is not asked again.

    Parameters
    ----------
    nodes
        Nodes a position, from an empty hash table and without the game's history.
    """
    fens = [fen for one in comments for fen in _around(one)]
    text = "\n".join(fens).encode()
    recipe = {"fens": hashlib.blake2b(text, digest_size=12).hexdigest(), "nodes": nodes}

    def ask() -> dict:
        found = analyse_many(map(Position, fens), nodes=nodes, progress=progress)
        return {"white": [centipawns(score_of(one), chess.WHITE) for one in found]}

    white = store.fetch("gac-scores", recipe, ask)["white"]
    signs = [1 if one.context.mover else -1 for one in comments]
    return [
        ScoreFeatures(sign * white[2 * k], sign * white[2 * k + 1]) for k, sign in enumerate(signs)
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
    found = []
    for comment, score in zip(comments, scores, strict=True):
        words = lower_beginnings(cut_words(comment.comment))
        views = [(comment.context, words)]
        if mirrored:
            views.append((mirror_move(comment.context), mirror_words(words)))
        for move, said in views:
            kept, whole = leading_sentences(hide_move(said, move), MOST_WORDS)
            if any(word.isalpha() or word.startswith("<") for word in kept):
                found.append(
                    Example(feature_words(move, score), tuple(kept), whole, _file(comment))
                )
    if len(found) < len(comments):
        logging.getLogger(__name__).info("%d of %d comments", len(found), len(comments))
    return found


def _file(comment: CommentedMove) -> str:
    """Return the lecture's name, or the file's without the line."""
    return comment.source.split(":")[0]


def _around(comment: CommentedMove) -> tuple[str, str]:
    board = chess.Board(comment.context.position.fen)
    before = board.fen()
    board.push(comment.context.move)
    return before, board.fen()


def _key(comment: CommentedMove) -> tuple[str, str]:
    """Return position (without its counters) and move."""
    return " ".join(comment.context.position.fen.split(" ")[:4]), comment.context.uci


def _lot(name: str) -> tuple[str, str]:
    digest = hashlib.blake2b(f"stopping {name}".encode(), digest_size=8).hexdigest()
    return digest, name
