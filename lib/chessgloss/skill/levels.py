"""Games of engines at stated levels, and what each of their moves loses.

The static-position plan (step 1) asks for games by Stockfish's own ``Skill Level``. The option
weakens the engine by a choice that is seeded from the clock, so no game of it can be made
again: the games are stored, in the form of :mod:`chessgloss.corpora.games`. Nobody resigns and
no draw is agreed, so that late tactics and mates stay in. Game ``i`` starts from the same
opening at every level: six plies drawn from the Polyglot book, no line twice.

Every position of a game is valued by one search, uncut; losses are taken afterwards, with a
cap or without.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from tqdm import tqdm

from chessgloss.corpora.games import read_games, unpack
from chessgloss.engine import Engine, centipawn_loss, find_stockfish
from chessgloss.positions import Game
from chessgloss.scores import CAP, MATE, MATES_FROM

#: The plan's Skill Levels and the Elo it gives them ("approximate", without a source; it
#: writes 2000+ for the last). Static-position plan, 1.1.
ELO_NAMES = {5: "1200", 10: "1400", 15: "1600", 18: "1800", 20: "2000+"}

#: The levels in rising order.
LEVELS = tuple(ELO_NAMES)

#: Nodes a move in the stored games at every level, so that levels differ by the option alone.
GAME_NODES = 5_000

#: Nodes of the search that values each position of a stored game.
VALUE_NODES = 20_000

#: Games that one engine values before another is started, which takes about as long as a game.
_BATCH = 5

# ---------------------------------------------------------------- games


def level_of(game: Game) -> int:
    """Return the level that both players have: 5 for ``level 5`` and ``Skill Level 5``.

    Raises
    ------
    ValueError
        If their names differ or end in no number.
    """
    number = game.white.rpartition(" ")[2]
    equal = game.white == game.black
    if not (equal and number.isdigit()):
        raise ValueError(
            f"not a game between equal levels: {game.white!r} and {game.black!r}"
        )
    return int(number)


def read_level_games(path: Path) -> dict[int, list[Game]]:
    """Return the games of each level, in the order of their openings."""
    games: dict[int, list[Game]] = {level: [] for level in LEVELS}
    for game in read_games(path):
        games[level_of(game)].append(game)
    return games


# ---------------------------------------------------------------- what moves lose


def search_values(engine: Engine, game: Game, nodes: int) -> NDArray[np.int64]:
    """Search every position of a game once: ``(len(moves) + 1,)``, for White, uncut.

    Values are centipawns, mate in n is 10,000 - n; a finished game counts as 10,000 against
    the side that is mated, else as 0. The hash table is emptied before the game, not within.
    """
    engine.new_game()
    values = []
    for ply in range(len(game.moves) + 1):
        value = _value_for_mover(engine, game, ply, nodes)
        if not game.position_turn(ply):
            value = -value
        values.append(value)
    return np.array(values)


def _value_for_mover(engine: Engine, game: Game, ply: int, nodes: int) -> int:
    lines = engine.search(game.moves[:ply], nodes=nodes, root=game.root)
    if lines:
        return lines[0].centipawns
    board = game.position(ply).board()
    return -MATE if board.is_checkmate() else 0


def game_values(games: Sequence[Game], *, nodes: int) -> list[NDArray[np.int64]]:
    """Return the values of each game's positions (:func:`search_values`), two engines at work.

    Parameters
    ----------
    games
        Whole games; their histories count, so that repetitions are seen.
    nodes
        Nodes of the one search that each position gets.
    """
    starts = range(0, len(games), _BATCH)
    batches = [games[start : start + _BATCH] for start in starts]
    path = find_stockfish()
    value_batch = delayed(_batch_values)
    tasks = (value_batch(path, batch, nodes) for batch in batches)
    found = Parallel(n_jobs=2, return_as="generator")(tasks)
    bar = tqdm(found, total=len(batches), unit=f"{_BATCH} games", desc="grading")
    return [values for batch in bar for values in batch]


def _batch_values(
    path: Path, games: Sequence[Game], nodes: int
) -> list[NDArray[np.int64]]:
    with Engine(path, hash_mb=2) as engine:
        return [search_values(engine, game, nodes) for game in games]


def read_values(path: Path) -> dict[str, NDArray[np.int64]]:
    """Return the values of each game's positions for White, by the game's key."""
    found = {}
    for line in unpack(path):
        key, _, values = line.split("\t")
        found[key] = np.array(values.split(" "), dtype=np.int64)
    return found


def move_losses(
    games: Sequence[Game],
    values: Sequence[NDArray[np.int64]],
    *,
    cap: float | None = CAP,
) -> pd.DataFrame:
    """Return what every move after the opening lost, one row a move.

    Parameters
    ----------
    games
        Games between equal levels.
    values
        Of the positions of each, for White (:func:`search_values`).
    cap
        Values are cut here before a loss is taken; ``None`` leaves mates at about 10,000, as
        the plan does.

    Returns
    -------
    pandas.DataFrame
        ``level``, ``game`` (key), ``number`` (place in ``games``), ``ply``, ``side``, ``loss``
        (centipawns for the mover, never negative: where the value rises, the second search saw
        what the first did not), ``signed`` (the same, negative then) and ``mate`` (whether a
        distance to mate is on either side of the move).

    Raises
    ------
    ValueError
        If a game has other positions than values.
    """
    frames = []
    for number, (game, white) in enumerate(zip(games, values, strict=True)):
        frame = _losses_of(game, white, cap)
        frames.append(frame.assign(level=level_of(game), game=game.key, number=number))
    return pd.concat(frames, ignore_index=True)


def _losses_of(game: Game, white: NDArray[np.int64], cap: float | None) -> pd.DataFrame:
    valued = white.size - 1
    if valued != len(game.moves):
        raise ValueError(
            f"game {game.key} has {len(game.moves)} plies, {valued} valued"
        )
    plies = np.arange(game.opening_plies, len(game.moves))
    white_moves = np.array([game.position_turn(int(ply)) for ply in plies], dtype=bool)
    signs = np.where(white_moves, 1, -1)
    before = white[plies]
    after = white[plies + 1]
    signed = centipawn_loss(before * signs, after * signs, cap=cap, floor=-np.inf)
    loss = np.maximum(0, signed)
    frame = pd.DataFrame({"ply": plies, "signed": signed, "loss": loss})
    frame["side"] = np.where(white_moves, "White", "Black")
    mate_before = abs(before) >= MATES_FROM
    mate_after = abs(after) >= MATES_FROM
    frame["mate"] = mate_before | mate_after
    return frame
