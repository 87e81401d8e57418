"""Games that runs read: self-play, random ones, people's, or those of a file.

Random games stand beside the corpus: sets of the same names hold as many games, nearly as long.
People's games are an optional asset, a corpus of its own with its own held-out sets; any file of
games is treated alike.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import chess
import numpy as np
from filelock import FileLock
from joblib import Parallel, delayed

from chessgloss.assets import locate
from chessgloss.corpora.games import line_of, pack, read_anybody
from chessgloss.positions import Game
from chessgloss.store import file_digest
from chessgloss.tracking import games as tokens
from chessgloss.tracking.runs import GamesName

#: Games held out of a file that is a corpus of its own: enough for 1,000 questions in each band.
HELD_OUT = {"dev": 1_000, "test": 3_500, "probe": 4_000}

#: Sets of people's games.
PEOPLE_SIZES = {"XS": 3_750, "S": 12_500, "M": 25_000, "L": 36_000, **HELD_OUT}

#: Games that are read beyond those needed: some are alike.
SPARE = 500


def read_source(name: GamesName, beside: tokens.Corpus, folder: Path) -> tokens.Corpus:
    """Return the corpus that a run reads.

    Parameters
    ----------
    name
        ``selfplay`` and ``file`` are ``beside`` itself.
    beside
        The corpus that runs are measured on; random games are as long as its games.
    folder
        Where games are kept that were played or converted.

    Raises
    ------
    chessgloss.assets.AssetMissing
        If people's games are asked for and there is no file of them.
    """
    if name == "random":
        return read_random_corpus(folder / "random.tsv.zst", beside)
    if name == "people":
        return read_people_corpus(folder)
    return beside


# ---------------------------------------------------------------- people's games, or anybody's


def read_people_corpus(folder: Path) -> tokens.Corpus:
    """Return people's games as a corpus with the sets of :data:`PEOPLE_SIZES`.

    The games are put into the project's form once, in ``folder``, which takes a minute.

    Raises
    ------
    chessgloss.assets.AssetMissing
        If there is no file of them.
    ValueError
        If it is damaged or holds too few.
    """
    source = locate("games", fetch=False)
    path = folder / f"people-{file_digest(source)[:12]}.tsv.zst"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_suffix(".lock")):
        if not path.is_file():
            print(f"reading people's games from {source}", flush=True)
            most = sum(PEOPLE_SIZES[name] for name in ("L", *tokens.HELD_OUT)) + SPARE
            taken = (
                game
                for game in read_anybody(source)
                if isinstance(game, Game)
                and tokens.PLIES[0] <= len(game.moves) <= tokens.PLIES[1]
            )
            lines = (line_of(k, game) for k, game in enumerate(islice(taken, most)))
            pack(lines, path)
    return tokens.read_corpus(path, PEOPLE_SIZES)


def read_file_corpus(path: Path, training: int) -> tokens.Corpus:
    """Return the games of a file as a corpus: :data:`HELD_OUT`, and so many to train on.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is damaged or holds too few games; the message says how many more are needed.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no file of games {path}")
    sizes = dict.fromkeys(("XS", "S", "M", "L"), training)
    return tokens.read_corpus(path, {**sizes, **HELD_OUT})


# ---------------------------------------------------------------- random games

#: Of the series of random games that runs read.
RANDOM_SEED = 3


def play_random_game(plies: int, seed: int, number: int) -> list[str]:
    """Return a game's moves in UCI: each drawn evenly among the legal ones.

    Parameters
    ----------
    plies
        Most moves; a mate or a stalemate ends the game before.
    seed, number
        Name the series and the game in it; the same two give the same moves.
    """
    generator = np.random.default_rng([seed, number])
    board = chess.Board()
    moves: list[str] = []
    while len(moves) < plies and (legal := list(board.legal_moves)):
        move = legal[int(generator.integers(len(legal)))]
        moves.append(move.uci())
        board.push(move)
    return moves


def read_random_corpus(path: Path, beside: tokens.Corpus) -> tokens.Corpus:
    """Return games of random legal moves, as long as the games of another corpus.

    Do they teach the rules better than games that somebody wants to win? Every game of the
    corpus has a random one beside it, of as many plies (fewer where random moves end the game),
    so that sets of the same names hold as many games and nearly as many tokens. If ``path``
    holds none yet they are played, the same bytes each time, which takes minutes.
    """
    if not path.is_file():
        plies = beside.games.plies
        print(
            f"playing {plies.size:,} random games, and some to spare, for {path}",
            flush=True,
        )
        wanted = [*plies, *plies[:500]]
        jobs = (
            delayed(play_random_game)(int(n), RANDOM_SEED, k)
            for k, n in enumerate(wanted)
        )
        played = Parallel(n_jobs=2, batch_size=256, return_as="generator")(jobs)
        head = "{}\trandom\trandom\t*\tunfinished\t{}\t{}\n"
        pack((head.format(k, len(m), " ".join(m)) for k, m in enumerate(played)), path)
    return tokens.read_corpus(path, beside.sizes)
