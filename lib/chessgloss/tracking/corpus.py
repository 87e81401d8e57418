"""Which game serves what: training sets within each other, dev, test and probe games apart.

The state-tracking paper's section 4: games without duplicates, of 10 to 150 moves, one set
of 200,000 for training (L) with two subsets of 15,000 (S) and 50,000 (M), 15,000 games each
for dev and test, and 50,000 for the probes of the board. A *move* counts here as a move of one
side (a ply): 150 of them are what fits its window of 512 tokens with a type before each.
Ours are a quarter of these sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import chess
import numpy as np
from numpy.typing import NDArray

from chessgloss.corpora.games import read_games
from chessgloss.positions import Game
from chessgloss.store import Store, default_store, file_digest, find_project
from chessgloss.tracking.tokens import Places, TokenGames, tokenise

#: Shortest and longest game, in plies (the paper's section 4).
PLIES = (10, 150)
#: Recipe of the kept arrays; raise it when they change.
VERSION = 1

TRAINING_SETS = ("S", "M", "L")


class CorpusError(ValueError):
    """Too few games, or sets that do not lie within or apart from each other."""


@dataclass(frozen=True, slots=True)
class CorpusSizes:
    """Games in each set.

    Parameters
    ----------
    small, medium, large
        Training games; each set holds the smaller ones.
    dev, test
        Games on which perplexity is measured.
    probe
        Games from which the questions about the board are made.
    """

    small: int = 3_750
    medium: int = 12_500
    large: int = 50_000
    dev: int = 3_750
    test: int = 3_750
    probe: int = 12_500

    def __post_init__(self) -> None:
        if min(astuple(self)) < 1:
            raise CorpusError(f"every set needs a game, got {self}")
        if not self.small <= self.medium <= self.large:
            raise CorpusError(f"S lies in M and M in L, got {self}")

    @property
    def games(self) -> int:
        """Games needed in all."""
        return self.dev + self.test + self.probe + self.large


#: The sizes of the committed runs, and the paper's own.
BOOK = CorpusSizes()
PAPER = CorpusSizes(15_000, 50_000, 200_000, 15_000, 15_000, 50_000)


@dataclass(frozen=True, slots=True)
class Corpus:
    """All games as tokens, and which of them belong to which set.

    Parameters
    ----------
    games
        The games, in the order of their sets.
    keys
        Name of each game (:attr:`chessgloss.positions.Game.key`), ``(games,)``.
    sizes
        Games in each set.

    Raises
    ------
    CorpusError
        If a game occurs twice, or the games do not fill the sets.
    """

    games: TokenGames
    keys: NDArray[np.str_]
    sizes: CorpusSizes

    def __post_init__(self) -> None:
        if not self.sizes.games == len(self.games) == self.keys.size:
            raise CorpusError(f"need {self.sizes.games:,} games, got {len(self.games):,}")
        if np.unique(self.keys).size != self.keys.size:
            raise CorpusError("a game occurs twice; make the corpus with split_games")

    def of(self, name: str) -> Places:
        """Return the indices in ``games`` of a set: S, M, L, dev, test or probe.

        A number, such as ``15000``, is a training set of so many games, as S, M and L are.

        Raises
        ------
        CorpusError
            If there is no such set.
        """
        spans = self._spans()
        if name.isdigit() and 0 < int(name) <= self.sizes.large:
            return spans["L"][0] + np.arange(int(name))
        if name not in spans:
            raise CorpusError(f"no set {name!r}; choose one of {', '.join(spans)}")
        return np.arange(*spans[name])

    def _spans(self) -> dict[str, tuple[int, int]]:
        one = self.sizes
        training = one.dev + one.test + one.probe
        return {
            "dev": (0, one.dev),
            "test": (one.dev, one.dev + one.test),
            "probe": (one.dev + one.test, training),
            "S": (training, training + one.small),
            "M": (training, training + one.medium),
            "L": (training, training + one.large),
        }


def split_games(games: Iterable[Game], sizes: CorpusSizes = BOOK) -> Corpus:
    """Put games, in their order, into dev, test, probe and training sets.

    Games outside :data:`PLIES`, from another first position, or that came before are passed
    over; reading stops when the sets are full. The training sets come last, so that a longer
    file changes none of the other sets.

    Raises
    ------
    CorpusError
        If there are too few games; the message says how many more are needed.
    """
    kept: dict[str, tuple[str, ...]] = {}
    for game in games:
        if PLIES[0] <= len(game.moves) <= PLIES[1] and game.root == chess.STARTING_FEN:
            kept.setdefault(game.key, game.moves)
        if len(kept) == sizes.games:
            break
    else:
        raise CorpusError(_too_few(len(kept), sizes))
    return Corpus(tokenise(kept.values()), np.array(list(kept)), sizes)


def read_corpus(
    path: Path | None = None, sizes: CorpusSizes = BOOK, store: Store | None = None
) -> Corpus:
    """Return the corpus made of a games file, kept in the store between calls.

    Parameters
    ----------
    path
        A file of :mod:`chessgloss.corpora.games`; by default :func:`games_file`.
    sizes
        Games in each set.
    store
        Where the arrays are kept; by default the project's.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message says how to make it.
    CorpusError
        If it holds too few games.
    """
    where = path or games_file()
    if not where.is_file():
        raise FileNotFoundError(f"{where} is missing; data/tracking/README.md says how to make it")
    named = {field.name: getattr(sizes, field.name) for field in fields(sizes)}
    recipe = {"games": file_digest(where), "version": VERSION, **named}

    def build() -> Mapping[str, NDArray]:
        corpus = split_games(read_games(where), sizes)
        return {**corpus.games.parts(), "keys": corpus.keys}

    parts = (store or default_store()).fetch("tracking-corpus", recipe, build)
    return Corpus(TokenGames.of_parts(parts), np.array(parts["keys"]), sizes)


def games_file() -> Path:
    """Return where the project keeps the games of these chapters."""
    return find_project() / "data" / "tracking" / "games.tsv.zst"


def prefix_hashes(
    games: TokenGames, selected: Places, plies: int = PLIES[1]
) -> tuple[NDArray[np.uint64], Places]:
    """Return a hash of every beginning of some games, up to ``plies`` moves long.

    Two beginnings of the same moves have the same hash in whatever game; others differ but
    for one pair in about 10^19.

    Returns
    -------
    hashes, starts
        ``(moves,)``, the beginning that ends with each move; where each game begins, with the
        end, ``(k + 1,)``.
    """
    counts = np.minimum(games.plies[selected], plies)
    starts = np.concatenate([[0], np.cumsum(counts)])
    hashes = np.empty(int(starts[-1]), dtype=np.uint64)
    state = np.full(selected.size, 0x9E3779B97F4A7C15, dtype=np.uint64)
    codes = _move_codes(games)
    for ply in range(int(counts.max(initial=0))):
        on = np.flatnonzero(counts > ply)
        state[on] = _mix(state[on] ^ codes[games.game_moves[selected[on]] + ply])
        hashes[starts[on] + ply] = state[on]
    return hashes, starts


def share_new(corpus: Corpus, name: str, plies: int = 60) -> NDArray[np.float64]:
    """Return the share of games that have left every training game, by ply.

    Parameters
    ----------
    corpus
        Its set L is what a game is compared with.
    name
        The set whose games are looked up.
    plies
        How far; games that end earlier are left out from their end.

    Returns
    -------
    numpy.ndarray
        Shape ``(plies,)``: after 1, 2, … plies, the share of beginnings that begin no game
        of L.
    """
    trained, _ = prefix_hashes(corpus.games, corpus.of("L"), plies)
    hashes, starts = prefix_hashes(corpus.games, corpus.of(name), plies)
    ply = np.arange(hashes.size) - np.repeat(starts[:-1], np.diff(starts))
    new = np.bincount(ply, ~np.isin(hashes, trained), minlength=plies)
    return new / np.maximum(np.bincount(ply, minlength=plies), 1)


def _move_codes(games: TokenGames) -> NDArray[np.uint64]:
    """Return one number a move, other for other moves."""
    at, ids = games.move_starts, games.tokens.astype(np.uint64)
    long = np.append(at, games.tokens.size)[1:] - at == 3
    last = np.zeros(at.size, dtype=np.uint64)
    last[long] = ids[at[long] + 2]
    return (ids[at] << np.uint64(16)) | (ids[at + 1] << np.uint64(8)) | last


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread 64 bits over 64 bits, one to one (Steele et al. 2014, SplitMix64's last step)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor)
    return values ^ (values >> np.uint64(31))


def _too_few(kept: int, sizes: CorpusSizes) -> str:
    missing = sizes.games - kept
    return (
        f"there are {kept:,} different games of {PLIES[0]} to {PLIES[1]} plies, but the sets need "
        f"{sizes.games:,}; make at least {missing:,} more, or ask for smaller CorpusSizes"
    )
