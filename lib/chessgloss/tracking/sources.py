"""Games that runs read in place of the project's self-play: random ones.

Every set of another source holds as many games as that of the corpus, so that runs on them
compare.
"""

from __future__ import annotations

from pathlib import Path

import chess
import numpy as np
from joblib import Parallel, delayed

from chessgloss.corpora.games import pack
from chessgloss.tracking import games as tokens

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
