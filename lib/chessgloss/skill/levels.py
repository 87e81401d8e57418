"""Games by Stockfish's own ``Skill Level``, as the static-position plan asks for (step 1).

The option weakens the engine by a choice that is seeded from the clock, so no game of it can
be made again: the games are stored, in the form of :mod:`chessgloss.corpora.games`. Nobody
resigns and no draw is agreed, so that late tactics and mates stay in. Game ``i`` starts from
the same opening at every level: six plies drawn from the Polyglot book, no line twice.

    python -m chessgloss.skill.levels data/static/games.tsv.zst

plays what is missing and packs the file; killed, it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.polyglot
from joblib import Parallel, delayed
from tqdm import tqdm

from chessgloss import assets
from chessgloss.corpora.games import pack, read_games
from chessgloss.engine import Engine
from chessgloss.positions import Game, Result

#: The plan's Skill Levels and the Elo it gives them ("approximate", without a source; it
#: writes 2000+ for the last). Static-position plan, 1.1.
ELO_NAMES = {5: "1200", 10: "1400", 15: "1600", 18: "1800", 20: "2000+"}

#: The levels in rising order.
LEVELS = tuple(ELO_NAMES)


@dataclass(frozen=True, slots=True)
class Rules:
    """How the games are played; every number is part of the data sheet.

    Parameters
    ----------
    games
        Games a level.
    nodes
        Nodes a move at every level, so that levels differ by the option alone.
    opening_plies
        Plies drawn from the book, by its weights.
    most_plies
        A game of this length is stopped and counts as drawn.
    seed
        Seed of the openings.
    """

    games: int = 40
    nodes: int = 5_000
    opening_plies: int = 6
    most_plies: int = 300
    seed: int = 8

    def __post_init__(self) -> None:
        if min(self.games, self.nodes) < 1 or not 0 <= self.opening_plies < self.most_plies:
            raise ValueError(f"counts must be positive, the opening shorter than a game: {self}")


def draw_openings(book: Path, rules: Rules) -> list[tuple[str, ...]]:
    """Draw one opening for each game of a level from a Polyglot book.

    Returns
    -------
    list of tuple of str
        ``rules.games`` different lines of ``rules.opening_plies`` UCI moves.

    Raises
    ------
    ValueError
        If the book has not so many lines.
    """
    chance = random.Random(rules.seed)
    drawn: dict[tuple[str, ...], None] = {}
    with chess.polyglot.open_reader(book) as reader:
        for _ in range(100 * rules.games):
            drawn.setdefault(_book_line(reader, rules.opening_plies, chance))
            if len(drawn) == rules.games:
                return list(drawn)
    raise ValueError(f"{book.name} gave {len(drawn)} of {rules.games} different openings")


def play_game(engine: Engine, level: int, opening: Sequence[str], rules: Rules) -> Game:
    """Play one game of a level against itself from the end of ``opening``."""
    board, name = chess.Board(), f"Skill Level {level}"
    moves = list(opening)
    for uci in moves:
        board.push_uci(uci)
    while (end := _end(board, rules)) is None:
        moves.append(engine.play(moves, nodes=rules.nodes, level=level))
        board.push_uci(moves[-1])
    result, termination = end
    return Game(tuple(moves), result, name, name, termination, len(opening))


def generate(target: Path, rules: Rules, *, book: Path, shards: Path, processes: int = 1) -> Path:
    """Play the games that ``shards`` does not hold yet, and pack all of them into ``target``.

    Parameters
    ----------
    target
        The file to write (``.tsv.zst``), games in the order of levels, then openings.
    book
        Polyglot book from which the openings are drawn.
    shards
        Folder that keeps one finished game a file between runs.
    processes
        Engine processes.
    """
    shards.mkdir(parents=True, exist_ok=True)
    openings = draw_openings(book, rules)
    wanted = [(level, number) for level in LEVELS for number in range(rules.games)]
    missing = [one for one in wanted if not _shard(shards, rules, *one).exists()]
    jobs = (delayed(_play_shard)(shards, rules, *one, openings[one[1]]) for one in missing)
    with tqdm(total=len(wanted), initial=len(wanted) - len(missing), unit="game") as bar:
        for _ in Parallel(n_jobs=processes, return_as="generator_unordered")(jobs):
            bar.update()
    return pack((_shard(shards, rules, *one).read_text("ascii") for one in wanted), target)


def level_of(game: Game) -> int:
    """Return the Skill Level that played a game of this file.

    Raises
    ------
    ValueError
        If its players are not named ``Skill Level n``.
    """
    words = game.white.rsplit(" ", 1)
    if words[0] != "Skill Level" or game.white != game.black:
        raise ValueError(f"not a game between equal levels: {game.white!r} and {game.black!r}")
    return int(words[1])


def read_level_games(path: Path) -> dict[int, list[Game]]:
    """Return the games of each level, in the order of their openings."""
    games: dict[int, list[Game]] = {level: [] for level in LEVELS}
    for game in read_games(path):
        games[level_of(game)].append(game)
    return games


def _book_line(
    reader: chess.polyglot.MemoryMappedReader, plies: int, chance: random.Random
) -> tuple[str, ...]:
    board = chess.Board()
    for _ in range(plies):
        board.push(reader.weighted_choice(board, random=chance).move)
    return tuple(move.uci() for move in board.move_stack)


def _end(board: chess.Board, rules: Rules) -> tuple[Result, str] | None:
    """Return how a game ended: by the rules, draws claimed at once, or by its length."""
    if board.halfmove_clock >= 8 and board.is_repetition(3):
        return "1/2-1/2", "threefold repetition"
    if board.is_fifty_moves():
        return "1/2-1/2", "fifty moves"
    outcome = board.outcome()
    if outcome is None:
        return ("1/2-1/2", "length") if board.ply() >= rules.most_plies else None
    results: dict[bool | None, Result] = {True: "1-0", False: "0-1", None: "1/2-1/2"}
    return results[outcome.winner], outcome.termination.name.lower().replace("_", " ")


def _shard(folder: Path, rules: Rules, level: int, number: int) -> Path:
    return folder / f"skill-{level:02d}-{rules.nodes}-{rules.seed}-{number:04d}.tsv"


def _play_shard(
    folder: Path, rules: Rules, level: int, number: int, opening: Sequence[str]
) -> None:
    path = _shard(folder, rules, level, number)
    with Engine() as engine:
        game = play_game(engine, level, opening, rules)
    aside = path.with_suffix(".part")
    aside.write_text("\t".join(_cells(number, game)) + "\n", encoding="ascii")
    aside.rename(path)


def _cells(number: int, game: Game) -> Iterator[str]:
    """Yield the columns of a games file."""
    yield from (str(number), game.white, game.black, game.result, game.termination)
    yield from (str(game.opening_plies), " ".join(game.moves))


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the games from the command line; return the exit status."""
    usual = Rules()
    parser = argparse.ArgumentParser(prog="python -m chessgloss.skill.levels", description=__doc__)
    parser.add_argument(
        "target", type=Path, help="file to write, such as data/static/games.tsv.zst"
    )
    parser.add_argument("--games", type=int, default=usual.games, help="games a level")
    parser.add_argument("--nodes", type=int, default=usual.nodes, help="nodes a move")
    parser.add_argument("--seed", type=int, default=usual.seed, help="seed of the openings")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--shards", type=Path, default=Path(".cache/static-games"))
    given = parser.parse_args(arguments)
    rules = Rules(games=given.games, nodes=given.nodes, seed=given.seed)
    book = assets.locate("opening_book")
    generate(given.target, rules, book=book, shards=given.shards, processes=given.processes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
