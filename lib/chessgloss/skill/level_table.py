"""The plan's table again: what White, Black and both lose in whole games of each level.

The plan analysed one game a level and found level 20 worse than 15 and 18, and one side of
the game of level 10 losing 204 centipawns a move. Here every position of every stored game is
valued by one search, uncut, and losses are taken afterwards: with a cap or without, of all
moves or of those before the game was decided. The values are an artefact:

    python -m chessgloss.skill.level_table data/static/level_values.tsv.zst

makes it from ``data/static/games.tsv.zst``; killed anywhere, it goes on with the next game.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import zstandard
from numpy.typing import NDArray
from scipy.stats import spearmanr
from tqdm import tqdm

from chessgloss.corpora.games import pack, read_games
from chessgloss.engine import CAP, MATES_FROM, find_stockfish
from chessgloss.positions import Game
from chessgloss.skill.levels import level_of
from chessgloss.skill.losses import losses, search_values
from chessgloss.stats import Interval, cluster_weights, mean_interval, percentile_interval

#: Nodes of the search of each position.
NODES = 20_000


def make_values(games: Iterable[Game], target: Path, *, shards: Path, nodes: int = NODES) -> Path:
    """Value every position of the games, one shard a game, and pack them into ``target``."""
    shards.mkdir(parents=True, exist_ok=True)
    todo, engine = list(games), find_stockfish()
    for game in tqdm(todo, unit="game"):
        path = _shard(shards, game, nodes)
        if not path.exists():
            values = " ".join(map(str, search_values(engine, game, nodes)))
            aside = path.with_suffix(".part")
            aside.write_text(f"{game.key}\t{nodes}\t{values}\n", encoding="ascii")
            aside.rename(path)
    return pack((_shard(shards, game, nodes).read_text("ascii") for game in todo), target)


def read_values(path: Path) -> dict[str, NDArray[np.int64]]:
    """Return the values of each game's positions for White, by the game's key."""
    text = zstandard.ZstdDecompressor().decompress(path.read_bytes()).decode("ascii")
    rows = (line.split("\t") for line in text.splitlines())
    return {key: np.array(values.split(" "), dtype=np.int64) for key, _, values in rows}


def move_losses(
    games: Iterable[Game], values: Mapping[str, NDArray[np.int64]], *, cap: float | None = CAP
) -> pd.DataFrame:
    """Return what every move after the opening lost, one row a move.

    Parameters
    ----------
    games
        Games between equal levels.
    values
        By game key, for White (:func:`read_values`).
    cap
        Values are cut here before a loss is taken; ``None`` leaves mates at about 10,000, as
        the plan does.

    Returns
    -------
    DataFrame
        ``level``, ``game`` (key), ``number`` (opening), ``ply``, ``side``, ``loss``
        (centipawns for the mover, never negative), ``signed`` (the same, negative where the
        second search raised the value), ``before`` (value for the mover, uncut) and ``mate``
        (whether a distance to mate is on either side of the move).
    """
    frames = [
        _game_losses(number, game, values[game.key], cap) for number, game in _numbered(games)
    ]
    return pd.concat(frames, ignore_index=True)


def level_means(moves: pd.DataFrame, *, seed: int, value: str = "loss") -> pd.DataFrame:
    """Return the mean loss by level for White, Black and both, with intervals over games.

    ``value`` is the column that is averaged: ``loss``, or ``signed``.
    """
    columns = {"White": moves["side"] == "White", "Black": moves["side"] == "Black"}
    columns["both"] = columns["White"] | columns["Black"]
    return pd.DataFrame(
        {
            name: {
                level: mean_interval(rows[value], rows["game"], seed=seed)
                for level, rows in moves[chosen].groupby("level")
            }
            for name, chosen in columns.items()
        }
    )


def order(levels: Sequence[int], means: Sequence[float]) -> float:
    """Return Spearman's rank correlation of level and mean loss, -1 if the order is right."""
    return float(spearmanr(levels, means).statistic)


def order_interval(moves: pd.DataFrame, *, seed: int, resamples: int = 1_000) -> Interval:
    """Return the rank correlation of level and mean loss, resampling the games of each level."""
    by_game = moves.groupby(["level", "game"])["loss"].agg(["sum", "size"])
    levels = sorted(moves["level"].unique())
    drawn = np.column_stack(
        [_resampled(by_game.loc[level], seed + level, resamples) for level in levels]
    )
    samples = [order(levels, row) for row in drawn]
    value = order(levels, [float(moves["loss"][moves["level"] == one].mean()) for one in levels])
    fewest = int(by_game.groupby("level").size().min())
    return percentile_interval(value, samples, len(by_game), clusters=fewest)


def one_game_each(moves: pd.DataFrame, *, seed: int, draws: int = 10_000) -> pd.DataFrame:
    """Draw one game a level, as the plan had, many times over.

    Returns
    -------
    DataFrame
        One row a draw, one column a level: the mean loss of the game drawn.
    """
    random = np.random.default_rng(seed)
    means = moves.groupby(["level", "game"])["loss"].mean()
    levels = sorted(moves["level"].unique())
    return pd.DataFrame({one: random.choice(means.loc[one].to_numpy(), draws) for one in levels})


def _resampled(games: pd.DataFrame, seed: int, resamples: int) -> NDArray[np.float64]:
    weights = cluster_weights(len(games), seed=seed, resamples=resamples)
    return (weights @ games["sum"].to_numpy()) / (weights @ games["size"].to_numpy())


def _numbered(games: Iterable[Game]) -> Iterable[tuple[int, Game]]:
    """Yield each game with its number within its level."""
    seen: dict[int, int] = {}
    for game in games:
        level = level_of(game)
        yield seen.setdefault(level, 0), game
        seen[level] += 1


def _game_losses(
    number: int, game: Game, values: NDArray[np.int64], cap: float | None
) -> pd.DataFrame:
    if values.size != len(game.moves) + 1:
        raise ValueError(f"game {game.key} has {len(game.moves)} plies, {values.size - 1} valued")
    plies = np.arange(game.opening_plies, len(game.moves))
    signs = np.where([game.position_turn(int(ply)) for ply in plies], 1, -1)
    signed = losses(values, game.position_turn(0), cap=cap, floor=-np.inf)[plies]
    far = np.abs(values) >= MATES_FROM
    return pd.DataFrame(
        {
            "level": level_of(game),
            "game": game.key,
            "number": number,
            "ply": plies,
            "side": np.where(signs > 0, "White", "Black"),
            "loss": np.maximum(0, signed),
            "signed": signed,
            "before": values[plies] * signs,
            "mate": (far[:-1] | far[1:])[plies],
        }
    )


def _shard(folder: Path, game: Game, nodes: int) -> Path:
    return folder / f"values-{nodes}-{game.key}.tsv"


def main(arguments: Sequence[str] | None = None) -> int:
    """Value the games from the command line; return the exit status."""
    name = "python -m chessgloss.skill.level_table"
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("target", type=Path, help="file to write")
    parser.add_argument("--games", type=Path, default=Path("data/static/games.tsv.zst"))
    parser.add_argument("--nodes", type=int, default=NODES, help="nodes a position")
    parser.add_argument("--shards", type=Path, default=Path(".cache/static-values"))
    given = parser.parse_args(arguments)
    make_values(read_games(given.games), given.target, shards=given.shards, nodes=given.nodes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
