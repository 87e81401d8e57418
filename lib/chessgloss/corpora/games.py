"""A file of self-play games: written once, shard by shard, read as :class:`Game` records.

A file holds one game a line, tab-separated (series number, White, Black, result,
termination, opening plies, UCI moves), under zstd. It is made from shards of
:data:`SHARD` games, each written atomically, so that a run that is killed anywhere goes on
where it stopped and gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import cast

import zstandard
from joblib import Parallel, delayed
from tqdm import tqdm

from chessgloss.corpora import selfplay
from chessgloss.engine import find_stockfish
from chessgloss.positions import Game, Result

#: Games in a shard: the most that a kill can cost each process.
SHARD = 200

#: Compression level; 19 is zstd's strongest that a default reader's memory allows.
ZSTD_LEVEL = 19


class GamesFileError(ValueError):
    """A games file that is cut off or not in its form."""


def generate(
    target: Path,
    games: int,
    *,
    seed: int,
    shards: Path,
    processes: int = 2,
    series: str = "mixed",
) -> Path:
    """Play ``games`` games of a series and pack them into ``target``.

    Parameters
    ----------
    target
        The file to write (``.tsv.zst``), replaced atomically.
    games
        How many; rounded up to whole shards while playing, cut exactly when packing.
    seed
        Names the series; the same seed gives the same bytes.
    shards
        Folder that keeps finished shards between runs.
    processes
        Engine processes, one shard each at a time.
    series
        By which rules (:data:`chessgloss.corpora.selfplay.SERIES`).
    """
    if series not in selfplay.SERIES:
        raise ValueError(f"no series {series!r}; there are {', '.join(selfplay.SERIES)}")
    shards.mkdir(parents=True, exist_ok=True)
    starts = range(0, games, SHARD)
    missing = [start for start in starts if not _shard(shards, series, seed, start).exists()]
    engine = find_stockfish()
    jobs = (delayed(play_shard)(engine, shards, seed, start, series) for start in missing)
    with tqdm(total=games, initial=games - len(missing) * SHARD, unit="game") as bar:
        for _ in Parallel(n_jobs=processes, return_as="generator_unordered")(jobs):
            bar.update(SHARD)
    lines = (line for start in starts for line in _lines_of(_shard(shards, series, seed, start)))
    return pack((line for line, _ in zip(lines, range(games), strict=False)), target)


def play_shard(engine: Path, shards: Path, seed: int, start: int, series: str = "mixed") -> Path:
    """Play the games ``start`` to ``start + SHARD`` and write them as one shard."""
    path = _shard(shards, series, seed, start)
    numbers = range(start, start + SHARD)
    rules = selfplay.SERIES[series]
    played = zip(numbers, selfplay.play_many(engine, seed, numbers, rules), strict=True)
    text = "".join(_write_line(number, game) for number, game in played)
    aside = path.with_suffix(".part")
    aside.write_text(text, encoding="ascii")
    aside.rename(path)
    return path


def pack(lines: Iterable[str], target: Path) -> Path:
    """Compress lines into ``target``, atomically."""
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_suffix(".part")
    text = "".join(lines).encode("ascii")
    aside.write_bytes(zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(text))
    aside.rename(target)
    return target


def read_games(path: Path, limit: int | None = None) -> Iterator[Game]:
    """Yield the games of a file in its order, at most ``limit`` of them.

    Raises
    ------
    GamesFileError
        At the first line that is not a game, named by its number, or when the file is
        cut off.
    """
    try:
        text = zstandard.ZstdDecompressor().decompress(path.read_bytes()).decode("ascii")
    except zstandard.ZstdError as error:
        raise GamesFileError(f"{path.name} is damaged or cut off: {error}") from None
    for number, line in enumerate(text.splitlines()[:limit], start=1):
        yield _read_line(line, f"{path.name}, line {number}")


def of_split(games: Iterable[Game], split: str) -> list[Game]:
    """Return the games that the one split by game puts into ``split``, in order."""
    return [game for game in games if game.split == split]


def _shard(folder: Path, series: str, seed: int, start: int) -> Path:
    return folder / f"{series}-{seed}-{start:07d}.tsv"


def _lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").splitlines(keepends=True)


def _write_line(number: int, game: Game) -> str:
    cells: Sequence[object] = (
        number,
        game.white,
        game.black,
        game.result,
        game.termination,
        game.opening_plies,
        " ".join(game.moves),
    )
    return "\t".join(map(str, cells)) + "\n"


def _read_line(line: str, where: str) -> Game:
    try:
        _, white, black, result, termination, opening, moves = line.split("\t")
        played = tuple(moves.split(" "))
        return Game(played, cast(Result, result), white, black, termination, int(opening))
    except ValueError as error:
        raise GamesFileError(f"{where} is not a game: {error}") from None
