"""Games as a model reads them: tokens, which game serves what, batches.

*Tokens* (the state-tracking paper's section 2 and Tables 1 and 2): a vocabulary of 77. A move is
the square it leaves and the square it reaches; a promotion adds the new piece; castling is the
king's move of two squares. There is no token between moves. Two notations put the type of the
piece that moves before its move: with some probability (RAP, only in training) or always (AP).

*Sets* (its section 4): games without duplicates, of 10 to 150 moves, one set of 200,000 for
training (L) with two subsets of 15,000 (S) and 50,000 (M), 15,000 games each for dev and test,
and 50,000 for the probes of the board. A *move* counts here as a move of one side (a ply): 150
of them are what fits its window of 512 tokens with a type before each. Ours are a quarter of
these sizes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Literal, TypeAlias

import chess
import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from chessgloss.corpora.games import read_games
from chessgloss.positions import Game
from chessgloss.store import default_store, file_digest, find_project

Notation = Literal["uci", "rap", "ap"]
Tokens: TypeAlias = NDArray[np.uint8]
Places: TypeAlias = NDArray[np.int64]

# ---------------------------------------------------------------- tokens

PAD = 0
BOS = 1
EOS = 2
#: Id of square a1; the 64 squares follow in python-chess's order (a1, b1, …, h8).
SQUARES = 3
#: Id of the pawn; P N B R Q K follow in the order of python-chess's piece types.
PIECES = 67
#: Id of the queen that a pawn becomes; q r b n.
PROMOTIONS = 73

#: Text of every id (the paper's Table 1), and the id of every text.
VOCABULARY: tuple[str, ...] = (
    *("PAD", "BOS", "EOS"),
    *chess.SQUARE_NAMES,
    *"PNBRQK",
    *"qrbn",
)
VOCABULARY_SIZE = len(VOCABULARY)
IDS = {word: number for number, word in enumerate(VOCABULARY)}

_UCI = re.compile(r"([a-h][1-8])([a-h][1-8])([qrbn]?)")


#: Origin of a piece that has not moved; and type and origin of each piece at the beginning.
UNMOVED = 64
_FIRST_POSITION = {
    square: (PIECES + piece.piece_type - chess.PAWN, UNMOVED)
    for square, piece in chess.Board().piece_map().items()
}


@dataclass(frozen=True, slots=True)
class TokenGames:
    """Many games as flat arrays, with the type of each piece that moves.

    Parameters
    ----------
    moves
        Ids of all moves of all games, ``(n, 3)`` uint8: squares left and reached, and the new
        piece of a promotion, else 0.
    pieces
        Id of the type of the piece that each move moves, ``(n,)`` uint8.
    origins
        Square, 0 to 63, from which that piece had come to the square it leaves; 64
        (:data:`UNMOVED`) if it had not moved; ``(n,)`` uint8.
    starts
        Where each game begins in ``moves``, and the end: ``(games + 1,)`` int64.
    """

    moves: Tokens
    pieces: Tokens
    origins: Tokens
    starts: Places

    def __len__(self) -> int:
        return self.starts.size - 1

    @property
    def plies(self) -> Places:
        """Moves of each game, ``(games,)``."""
        return np.diff(self.starts)

    def ucis(self, game: int) -> list[str]:
        """Return the moves of one game in UCI notation."""
        first = self.starts[game]
        last = self.starts[game + 1]
        moves = self.moves[first:last]
        return ["".join(VOCABULARY[token] for token in move if token) for move in moves]


def tokenise(games: Iterable[Sequence[str]]) -> TokenGames:
    """Return games, each a sequence of UCI moves from the usual first position, as tokens.

    The moves are taken on trust, but a move from an empty square is an error.

    Raises
    ------
    ValueError
        At a move that is not in UCI notation, or that leaves an empty square.
    """
    listed = list(games)
    counts = [len(game) for game in listed]
    starts = _running_total(counts)
    written = np.array([uci for game in listed for uci in game], dtype=object)
    numbers, distinct = pd.factorize(written)
    parts = [_UCI.fullmatch(uci) for uci in distinct]
    if None in parts:
        uci = distinct[parts.index(None)]
        raise ValueError(f"{uci!r} is not a move in UCI, such as e7e8q")
    words = [part.groups() for part in parts if part]
    ids = [[IDS.get(word, 0) for word in move] for move in words]
    distinct_moves = np.array(ids, dtype=np.uint8).reshape(-1, 3)
    moves = distinct_moves[numbers]
    moved: list[tuple[int, int]] = []
    for game, (first, last) in enumerate(pairwise(starts)):
        try:
            moved += follow(moves[first:last])[0]
        except KeyError as empty:
            name = chess.SQUARE_NAMES[empty.args[0]]
            raise ValueError(
                f"game {game}: a move leaves {name}, where no piece is"
            ) from None
    pieces, origins = np.array(moved, dtype=np.uint8).reshape(-1, 2).T
    return TokenGames(moves, pieces, origins, starts)


def follow(moves: Tokens) -> tuple[list[tuple[int, int]], dict[int, tuple[int, int]]]:
    """Follow the pieces through the moves of a game, ``(n, 3)``.

    Returns
    -------
    moved, standing
        Id of the type of the piece that each move moves, and the square from which it had come
        (see :class:`TokenGames`); the same of the pieces that stand at the end, by square.

    Raises
    ------
    KeyError
        With the square, 0 to 63, at the first move that leaves an empty one.
    """
    pawn = PIECES
    rook = PIECES + 3
    king = PIECES + 5
    standing = dict(_FIRST_POSITION)
    moved = []
    squares = moves.astype(int) - [SQUARES, SQUARES, 0]
    for left, reached, promoted in squares.tolist():
        piece, origin = standing.pop(left)
        moved.append((piece, origin))
        across = (reached - left) % 8 != 0
        if piece == pawn and across and reached not in standing:
            taken_in_passing = left // 8 * 8 + reached % 8
            standing.pop(taken_in_passing)
        if piece == king and abs(reached - left) == 2:
            file = 7 if reached > left else 0
            corner = left // 8 * 8 + file
            standing[(left + reached) // 2] = rook, corner
            del standing[corner]
        # q r b n run down from the queen, where P N B R Q K run up to it.
        queen = PIECES + chess.QUEEN - chess.PAWN
        queened = queen + PROMOTIONS - promoted
        becomes = queened if promoted else piece
        standing[reached] = becomes, left
    return moved, standing


def annotate(
    games: TokenGames,
    selected: NDArray | Sequence[int],
    notation: Notation,
    probability: float = 0.0,
    generator: np.random.Generator | None = None,
) -> tuple[Tokens, Places]:
    """Write the sequences of some games in a notation: BOS, the moves, EOS.

    Parameters
    ----------
    games
        All games.
    selected
        Which of them, ``(k,)`` indices, in the order wanted.
    notation
        ``uci``; ``rap``, a type before each move with ``probability``; ``ap``, before all.
    probability
        Share, 0 to 1, of the moves that get a type; used by ``rap`` alone. The draws are
        independent and new with each call.
    generator
        Source of the draws of ``rap``.

    Returns
    -------
    ids, starts
        All sequences flat, ``(n,)`` uint8, and where each begins, with the end, ``(k + 1,)``.
    """
    chosen = np.asarray(selected, dtype=np.int64)
    counts = games.plies[chosen]
    bounds = _running_total(counts)
    shifts = games.starts[chosen] - bounds[:-1]
    at = np.arange(bounds[-1]) + np.repeat(shifts, counts)
    rows = np.column_stack([games.pieces[at], games.moves[at]])
    written = rows > 0
    written[:, 0] = notation == "ap"
    if generator is not None and notation == "rap":
        written[:, 0] = generator.random(at.size, dtype=np.float32) < probability
    ends = _running_total(written.sum(axis=1))[bounds]
    borders = np.tile(np.array([BOS, EOS]), chosen.size)
    places = np.repeat(ends, 2)[1:-1]
    ids = np.insert(rows[written], places, borders)
    return ids, ends + 2 * np.arange(ends.size)


def read_moves(games: Iterable[Sequence[str]], reading: Notation) -> list[Tokens]:
    """Return the tokens of unfinished games: BOS and the moves (in UCI) so far."""
    played = tokenise(games)
    ids, starts = annotate(played, np.arange(len(played)), reading)
    return [ids[first : last - 1] for first, last in pairwise(starts)]


def _running_total(counts: Sequence[int] | NDArray) -> Places:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


# ---------------------------------------------------------------- which game serves what

#: Shortest and longest game, in plies (the paper's section 4).
PLIES = (10, 150)
#: Sets that no training reads.
HELD_OUT = ("dev", "test", "probe")
#: Recipe of the kept arrays; raise it when they change.
VERSION = 3

#: Games in each set, for the committed runs: a quarter of the paper's 200,000 at L, half of its
#: 50,000 at M, so that S, M and L each have more games than a model needs to count; and XS, too
#: few. Each lies in the next larger; dev and test games are those on which perplexity is measured,
#: probe games those from which the questions are made.
BOOK_SIZES = {
    "XS": 3_750,
    "S": 12_500,
    "M": 25_000,
    "L": 50_000,
    "dev": 3_750,
    "test": 3_750,
    "probe": 12_500,
}


@dataclass(frozen=True, slots=True)
class Corpus:
    """All games as tokens, divided into sets.

    Parameters
    ----------
    games
        The games, in the order of their sets: dev, test, probe, training.
    keys
        Name of each game (:attr:`chessgloss.positions.Game.key`), ``(games,)``.
    sizes
        Games in each set, as :data:`BOOK_SIZES`.
    """

    games: TokenGames
    keys: NDArray[np.str_]
    sizes: Mapping[str, int]

    def of(self, name: str) -> Places:
        """Return the indices in ``games`` of a set: XS, S, M, L, dev, test or probe.

        A number, such as ``15000``, is a training set of so many games, as S, M and L are.

        Raises
        ------
        ValueError
            If there is no such set.
        """
        dev, test, probe = (self.sizes[held] for held in HELD_OUT)
        starts = {"dev": 0, "test": dev, "probe": dev + test}
        count = int(name) if name.isdigit() else self.sizes.get(name, 0)
        too_many = name not in HELD_OUT and count > self.sizes["L"]
        if not count or too_many:
            raise ValueError(f"no set {name!r}; choose one of {', '.join(self.sizes)}")
        first = starts.get(name, dev + test + probe)
        return first + np.arange(count)


def split_games(games: Iterable[Game], sizes: Mapping[str, int]) -> Corpus:
    """Put games, in their order, into dev, test, probe and training sets.

    Games outside :data:`PLIES`, from another first position, or that came before are passed
    over; reading stops when the sets are full. The training sets come last, so that a longer
    file changes none of the other sets.

    Raises
    ------
    ValueError
        If there are too few games; the message says how many more are needed.
    """
    shortest, longest = PLIES
    held_out = sum(sizes[held] for held in HELD_OUT)
    needed = sizes["L"] + held_out
    kept: dict[str, tuple[str, ...]] = {}
    for game in games:
        usual = game.root == chess.STARTING_FEN
        if usual and shortest <= len(game.moves) <= longest:
            kept.setdefault(game.key, game.moves)
        if len(kept) == needed:
            names = np.array(list(kept))
            return Corpus(tokenise(kept.values()), names, sizes)
    missing = needed - len(kept)
    raise ValueError(
        f"the sets need {needed:,} different games of {shortest} to {longest} plies; make at "
        f"least {missing:,} more, or ask for smaller sets"
    )


def read_corpus(
    path: Path | None = None, sizes: Mapping[str, int] = BOOK_SIZES
) -> Corpus:
    """Return the corpus made of a games file, kept in the store between calls.

    Parameters
    ----------
    path
        A file of :mod:`chessgloss.corpora.games`; by default the project's.
    sizes
        Games in each set.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message says how to make it.
    ValueError
        If it holds too few games.
    """
    where = path or data_folder() / "games.tsv.zst"
    if not where.is_file():
        raise FileNotFoundError(
            f"{where} is missing; data/tracking/README.md says how to make it"
        )

    def build() -> Mapping[str, NDArray]:
        corpus = split_games(read_games(where), sizes)
        arrays = {name: getattr(corpus.games, name) for name in TokenGames.__slots__}
        return {**arrays, "keys": corpus.keys}

    recipe = {"games": file_digest(where), "version": VERSION, **sizes}
    kept = default_store().fetch("tracking-corpus", recipe, build)
    arrays = {name: np.array(kept[name]) for name in TokenGames.__slots__}
    return Corpus(TokenGames(**arrays), np.array(kept["keys"]), sizes)


def data_folder() -> Path:
    """Return the project's folder of games, questions, records, predictions and checkpoints."""
    return find_project() / "data" / "tracking"


def prefix_hashes(
    games: TokenGames, selected: Places, plies: int = PLIES[1]
) -> list[list[int]]:
    """Return a hash of every beginning of some games, up to ``plies`` moves long, by game.

    Two beginnings of the same moves have the same hash in whatever game; others differ but
    for one pair in about 10^19.
    """
    hashes = []
    for game in selected:
        first = games.starts[game]
        last = min(games.starts[game + 1], first + plies)
        moves = games.moves[first:last]
        played = map(tuple, moves.tolist())
        beginnings = accumulate(played, lambda *both: hash(both), initial=0)
        hashes.append(list(beginnings)[1:])
    return hashes


# ---------------------------------------------------------------- batches

#: A batch is read at a multiple of this length: few shapes, for which torch keeps its kernels
#: (making them anew for each batch costs more than using them).
STEP = 8

#: Games that are looked at to find the longest of a batch: more than a shift of the lengths
#: (:data:`chessgloss.tracking.train.SHIFT`) can put past it.
LOOK = 64

#: What the loss leaves out.
IGNORED = -100


def cut_batches(
    ids: Tokens, starts: Places, order: Places, tokens: int
) -> Iterator[tuple[Places, torch.Tensor]]:
    """Cut sequences in an order of rising lengths, from the long end, into padded batches.

    A length always goes with the same number of games, but for the last batch.

    Parameters
    ----------
    ids, starts
        The sequences, flat, as :func:`annotate` gives them.
    order
        Indices into ``starts``.
    tokens
        About so many in a batch.

    Yields
    ------
    tuple
        Indices of the sequences, and their rows ``(games, length)``; the length is one more
        than a multiple of :data:`STEP`, since the last token is not read.
    """
    lengths = np.diff(starts)
    last = order.size
    while last > 0:
        near = order[max(0, last - LOOK) : last]
        longest = int(lengths[near].max())
        count = max(1, tokens // read_length(longest - 1))
        first = max(0, last - count)
        group = order[first:last]
        length = read_length(int(lengths[group].max()) - 1) + 1
        sequences = [ids[starts[game] : starts[game + 1]] for game in group]
        yield group, pad_rows(sequences, length)
        last = first


def pad_rows(sequences: Sequence[Tokens], length: int) -> torch.Tensor:
    """Return sequences as the rows ``(n, length)`` of an int64 tensor, padded at the end."""
    rows = np.full((len(sequences), length), PAD, dtype=np.int64)
    for row, sequence in zip(rows, sequences, strict=True):
        row[: len(sequence)] = sequence
    return torch.from_numpy(rows)


def read_and_expected(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the tokens that a model reads, and the token expected after each.

    Both are ``(games, length - 1)``; padding is expected of nobody (:data:`IGNORED`).
    """
    read = rows[:, :-1]
    following = rows[:, 1:]
    expected = following.masked_fill(following == PAD, IGNORED)
    return read, expected


def read_length(longest: int) -> int:
    """Return the number of tokens to read, a multiple of STEP, for the longest game's."""
    return -(-longest // STEP) * STEP
