"""Play games of Stockfish against itself at stated levels, and pack them into a file.

    python data/games/play.py data/games/selfplay.tsv.zst --games 20000

Stockfish's own ``Skill Level`` draws its noise from the clock, so that no game of it can
be made again. Here a level is a node limit and a seeded choice among the lines of a
MultiPV search, by the idea of Stockfish's own rule (``Skill::pick_best`` in its
``search.cpp``): the weaker the level, the more a worse line may win. One thread, fixed
nodes, a fresh engine state for each game and a generator seeded by (seed, game number)
make every game independent of the others and of how many processes share the work.

A file is made from shards of :data:`SHARD` games, each written atomically, so that a run that
is killed anywhere goes on where it stopped and gives the same bytes.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import chess
import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from chessgloss.corpora import games
from chessgloss.engine import Engine, find_stockfish
from chessgloss.positions import Game, Result, natural_end
from chessgloss.scores import ScoredMove
from chessgloss.store import find_project, write_file

#: Levels that are played: those of the static-position plan (1.1) and two below.
LEVELS = (1, 3, 5, 10, 15, 18, 20)


#: How often each of them is drawn, in seventeenths.
LEVEL_WEIGHTS = (1, 1, 2, 2, 3, 4, 4)


#: Games in a shard: the most that a kill can cost each process.
SHARD = 200


@dataclass(frozen=True, slots=True)
class Rules:
    """How self-play games are opened, played and ended; every number is part of the recipe.

    Parameters
    ----------
    opening_plies
        Fewest and most plies of the random opening.
    opening_window
        An opening ply is drawn evenly among the lines at most so many centipawns below
        the best of ``opening_lines`` lines searched with ``opening_nodes`` nodes.
    opening_edge
        An opening is drawn anew when it leaves either side so many centipawns ahead.
    lines
        MultiPV lines among which a level below 20 chooses.
    draw_from_ply, draw_plies, draw_centipawns
        Adjudicated a draw when, from that ply on, so many plies running stay so close to 0.
    resign_plies, resign_centipawns
        Resigned when so many plies running (both sides' searches) agree on such a score.
    played_out
        Share of the games in which nobody resigns, so that late tactics and mates remain.
    most_plies
        A game of this length is adjudicated a draw.
    levels, weights
        Levels that are played, weakest first, and how often each is drawn.
    nodes
        Nodes a level searches per move; ``None`` for :func:`level_nodes`.
    """

    opening_plies: tuple[int, int] = (6, 10)
    opening_lines: int = 12
    opening_nodes: int = 400
    opening_window: int = 40
    opening_edge: int = 50
    lines: int = 4
    draw_from_ply: int = 60
    draw_plies: int = 8
    draw_centipawns: int = 30
    resign_plies: int = 6
    resign_centipawns: int = 700
    played_out: float = 0.3
    most_plies: int = 240
    levels: tuple[int, ...] = LEVELS
    weights: tuple[int, ...] = LEVEL_WEIGHTS
    nodes: int | None = None


_QUICK = Rules(
    opening_lines=6,
    opening_nodes=60,
    lines=3,
    most_plies=151,
    levels=(5, 10, 15),
    weights=(1, 1, 1),
    nodes=60,
)


#: The series by name. ``mixed`` serves the chapters on concepts; ``quick`` makes many games of
#: at most 150 plies for the models that learn to track the board: shallow searches, and the
#: noise of the middle levels alone.
SERIES: Mapping[str, Rules] = MappingProxyType({"mixed": Rules(), "quick": _QUICK})


# ---------------------------------------------------------------- one game


def level_nodes(level: int) -> int:
    """Return the nodes a level searches per move: 120 at level 0, doubled every 4.5 levels."""
    return round(120 * 2 ** (level / 4.5))


def choose(
    lines: list[ScoredMove], level: int, random: np.random.Generator
) -> ScoredMove:
    """Choose a line as a player of ``level`` would, best lines first in ``lines``.

    Every line's value gains a bonus drawn evenly between 0 and 4 centipawns per level
    below 20, and the highest sum is played: the idea of ``Skill::pick_best`` (Stockfish
    15.1), with less noise, so that level 15 gives away tenths of a pawn and not pieces.
    Level 20 always takes the first line.
    """
    if level >= 20 or len(lines) == 1:
        return lines[0]
    bonus = random.integers(4 * (20 - level) + 1, size=len(lines))
    return lines[int(np.argmax(bonus + [line.centipawns for line in lines]))]


def pairing(
    random: np.random.Generator, rules: Rules = SERIES["mixed"]
) -> tuple[int, int]:
    """Draw the levels of White and Black: equal in 6 games of 10, else neighbours."""
    levels = rules.levels
    weights = np.array(rules.weights) / sum(rules.weights)
    index = int(random.choice(len(levels), p=weights))
    if random.random() < 0.6:
        return levels[index], levels[index]
    low = min(index, len(levels) - 2)
    pair = (levels[low], levels[low + 1])
    return pair if random.random() < 0.5 else pair[::-1]


def play_many(
    path: Path, seed: int, numbers: Iterable[int], rules: Rules = SERIES["mixed"]
) -> Iterator[Game]:
    """Play the games ``numbers`` of the series ``seed`` with one engine process."""
    with Engine(path, hash_mb=2) as engine:
        for number in numbers:
            yield play(engine, seed, number, rules)


def play(
    engine: Engine, seed: int, number: int, rules: Rules = SERIES["mixed"]
) -> Game:
    """Play game ``number`` of the series ``seed``."""
    random = np.random.default_rng([seed, number])
    white, black = pairing(random, rules)
    resigns = bool(random.random() >= rules.played_out)
    engine.new_game()
    board = chess.Board()
    opening = _open(engine, board, rules, random)
    scores: list[int] = []
    end = natural_end(board)
    while end is None:
        level = white if board.turn else black
        nodes = rules.nodes or level_nodes(level)
        multipv = rules.lines if level < 20 else 1
        lines = engine.search(_ucis(board), nodes=nodes, lines=multipv)
        scores.append(lines[0].centipawns if board.turn else -lines[0].centipawns)
        board.push(choose(lines, level, random).move)
        end = natural_end(board) or _adjudicated(scores, board.ply(), resigns, rules)
    result, termination = end
    moves = tuple(_ucis(board))
    return Game(moves, result, f"level {white}", f"level {black}", termination, opening)


def _open(
    engine: Engine, board: chess.Board, rules: Rules, random: np.random.Generator
) -> int:
    """Play a random opening on ``board``; return its plies."""
    while True:
        board.reset()
        for _ in range(
            int(random.integers(rules.opening_plies[0], rules.opening_plies[1] + 1))
        ):
            near = _near_lines(engine, board, rules)
            board.push(near[int(random.integers(len(near)))].move)
        if abs(_near_lines(engine, board, rules)[0].centipawns) <= rules.opening_edge:
            return board.ply()


def _near_lines(engine: Engine, board: chess.Board, rules: Rules) -> list[ScoredMove]:
    lines = engine.search(
        _ucis(board), nodes=rules.opening_nodes, lines=rules.opening_lines
    )
    floor = lines[0].centipawns - rules.opening_window
    return [line for line in lines if line.centipawns >= floor]


def _adjudicated(
    scores: list[int], ply: int, resigns: bool, rules: Rules
) -> tuple[Result, str] | None:
    """Judge a game by White's scores of its searched plies."""
    if ply >= rules.most_plies:
        return "1/2-1/2", "adjudicated: length"
    calm = all(
        abs(score) <= rules.draw_centipawns for score in scores[-rules.draw_plies :]
    )
    if calm and ply >= rules.draw_from_ply and len(scores) >= rules.draw_plies:
        return "1/2-1/2", "adjudicated: even"
    last = scores[-rules.resign_plies :]
    if not resigns or len(last) < rules.resign_plies:
        return None
    if min(last) >= rules.resign_centipawns:
        return "1-0", "resigned"
    return ("0-1", "resigned") if max(last) <= -rules.resign_centipawns else None


def _ucis(board: chess.Board) -> list[str]:
    return [move.uci() for move in board.move_stack]


# ---------------------------------------------------------------- the file


def generate(
    target: Path,
    count: int,
    *,
    seed: int,
    shards: Path,
    processes: int = 2,
    series: str = "mixed",
) -> Path:
    """Play ``count`` games of a series and pack them into ``target``.

    Parameters
    ----------
    target
        The file to write (``.tsv.zst``), replaced atomically.
    count
        How many; rounded up to whole shards while playing, cut exactly when packing.
    seed
        Names the series; the same seed gives the same bytes.
    shards
        Folder that keeps finished shards between runs.
    processes
        Engine processes, one shard each at a time.
    series
        By which rules (:data:`SERIES`).
    """
    if series not in SERIES:
        raise ValueError(f"no series {series!r}; there are {', '.join(SERIES)}")
    shards.mkdir(parents=True, exist_ok=True)
    starts = range(0, count, SHARD)
    missing = [
        start for start in starts if not _shard(shards, series, seed, start).exists()
    ]
    engine = find_stockfish()
    jobs = (
        delayed(play_shard)(engine, shards, seed, start, series) for start in missing
    )
    how = {"initializer": _follow, "initargs": (os.getpid(),)}
    whole = len(starts) * SHARD
    with tqdm(total=whole, initial=whole - len(missing) * SHARD, unit="game") as bar:
        for _ in Parallel(n_jobs=processes, return_as="generator_unordered", **how)(
            jobs
        ):
            bar.update(SHARD)
    texts = (_shard(shards, series, seed, start).read_text("ascii") for start in starts)
    lines = (line for text in texts for line in text.splitlines(keepends=True))
    return games.pack(
        (line for line, _ in zip(lines, range(count), strict=False)), target
    )


def _follow(parent: int) -> None:
    """Make a process that plays leave Ctrl-C to its parent, and end when that is gone."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=watch, daemon=True).start()


def play_shard(
    engine: Path, shards: Path, seed: int, start: int, series: str = "mixed"
) -> Path:
    """Play the games ``start`` to ``start + SHARD`` and write them as one shard."""
    path = _shard(shards, series, seed, start)
    numbers = range(start, start + SHARD)
    played = zip(numbers, play_many(engine, seed, numbers, SERIES[series]), strict=True)
    lines = (games.line_of(number, game) for number, game in played)
    return write_file(path, "".join(lines))


def _shard(folder: Path, series: str, seed: int, start: int) -> Path:
    return folder / f"{series}-{seed}-{start:07d}.tsv"


def main(arguments: Sequence[str] | None = None) -> int:
    """Play from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="data/games/play.py")
    parser.add_argument("target", type=Path, help="file to write, ending in .tsv.zst")
    parser.add_argument("--games", type=int, required=True, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the series (default 1)")
    parser.add_argument(
        "--series", default="mixed", help="rules: mixed (default) or quick"
    )
    shards_help = (
        "keeps finished parts, so that a killed run goes on (default: .cache/selfplay)"
    )
    parser.add_argument("--shards", type=Path, help=shards_help)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args(arguments)
    try:
        if (
            not given.target.name.endswith(".tsv.zst")
            or given.games < 1
            or given.processes < 1
        ):
            raise ValueError(
                "give a target ending in .tsv.zst, and at least one game and process"
            )
        if not given.target.parent.is_dir():
            raise ValueError(
                f"there is no folder {given.target.parent} to write into; make it"
            )
        options = {
            name: getattr(given, name) for name in ("seed", "processes", "series")
        }
        options["shards"] = given.shards or find_project() / ".cache" / "selfplay"
        print(generate(given.target, given.games, **options))
    except KeyboardInterrupt:
        print(
            "stopped; the same command goes on from the finished parts", file=sys.stderr
        )
        return 130
    except (ValueError, RuntimeError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
