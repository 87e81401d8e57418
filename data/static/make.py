"""Make what ``data/static`` holds: games of engines, their values and tables, suite and answers.

    python data/static/make.py games       games of Skill Levels (from the clock)
    python data/static/make.py more        more games of levels 10 and 15, and their values
    python data/static/make.py values      a value for every position of every game
    python data/static/make.py tables      every legal move's value, both colours, 20,000 nodes
    python data/static/make.py depths      the same at other limits and from one colour, on a subset
    python data/static/make.py recorded    the same for the positions of recorded players
    python data/static/make.py suite       the test suite and its baseline
    python data/static/make.py answers     Skill Levels answer (from the clock)

Each goes on where it was stopped; to make one anew, remove its file first.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.polyglot
import numpy as np
import pandas as pd
from tqdm import tqdm

from chessgloss import assets
from chessgloss.corpora.games import line_of, pack, read_games
from chessgloss.engine import Engine, version
from chessgloss.positions import Game, Position, natural_end, phase_of
from chessgloss.skill import grading, levels, players, suite
from chessgloss.skill.grading import MoveTable, Settings, graded_moves
from chessgloss.skill.levels import ELO_NAMES, GAME_NODES, LEVELS, VALUE_NODES
from chessgloss.skill.players import Asked, read_weakened
from chessgloss.skill.suite import COLUMNS, SEED, VERSION
from chessgloss.store import Store, default_store, file_digest

#: Engine whose tables are committed; another's are never mixed with them.
ENGINE = "Stockfish 15.1"

#: The setting of the suite's grades; those of the recorded players' positions, the first is used.
SETTINGS = Settings()
RECORDED = (Settings(), Settings(5_000))

#: Levels whose mean losses forty games do not tell apart, and games of each of them in all.
CLOSE_LEVELS = (10, 15)
CLOSE_GAMES = 1000


#: Full moves of the early band (the plan's 1.2) and of the middle band (ours).
_EARLY_MOVES = (4, 6)
_MIDDLE_MOVES = (13, 24)
#: Full moves before the end of the late band: the plan's 5 to 8. A position with n plies to
#: come is ``ceil(n / 2)`` moves before the end.
_LATE_MOVES = (5, 8)


# ---------------------------------------------------------------- games


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
    nodes: int = GAME_NODES
    opening_plies: int = 6
    most_plies: int = 300
    seed: int = 8


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
            board = chess.Board()
            try:
                for _ in range(rules.opening_plies):
                    board.push(reader.weighted_choice(board, random=chance).move)
            except IndexError:  # the book ends before: drawn anew
                continue
            drawn.setdefault(tuple(move.uci() for move in board.move_stack))
            if len(drawn) == rules.games:
                return list(drawn)
    raise ValueError(
        f"{book.name} gave {len(drawn)} of {rules.games} different openings"
    )


def play_game(engine: Engine, level: int, opening: Sequence[str], rules: Rules) -> Game:
    """Play one game of a level against itself from the end of ``opening``."""
    board = chess.Board()
    name = f"Skill Level {level}"
    moves = list(opening)
    for uci in moves:
        board.push_uci(uci)
    while (end := natural_end(board)) is None and len(moves) < rules.most_plies:
        moves.append(engine.play(moves, nodes=rules.nodes, level=level))
        board.push_uci(moves[-1])
    result, termination = end or ("1/2-1/2", "length")
    return Game(tuple(moves), result, name, name, termination, len(opening))


def play_levels(
    target: Path,
    rules: Rules,
    *,
    book: Path,
    store: Store,
    played: Sequence[int] = LEVELS,
    first: int = 0,
) -> Path:
    """Play the games that neither ``target`` nor the store holds yet, and pack all into ``target``.

    They are those of the levels ``played``, from the opening number ``first`` on. A game that is
    kept stays, as it cannot be played again.
    """
    lines = []
    kept = {
        (game.white, game.moves[: game.opening_plies]): game
        for game in (read_games(target) if target.is_file() else ())
    }
    openings = list(enumerate(draw_openings(book, rules)))[first:]
    wanted = [(level, row) for level in played for row in openings]
    for level, (number, opening) in tqdm(wanted, unit="game"):

        def build(level: int = level, opening: Sequence[str] = opening) -> dict:
            with Engine() as engine:
                game = play_game(engine, level, opening, rules)
            return {"moves": list(game.moves), "end": [game.result, game.termination]}

        name = f"Skill Level {level}"
        if (game := kept.get((name, opening))) is None:
            recipe = {"level": level, "nodes": rules.nodes, "opening": list(opening)}
            parts = store.fetch("level_game", recipe, build)
            result, termination = parts["end"]
            game = Game(
                tuple(parts["moves"]), result, name, name, termination, len(opening)
            )
        lines.append(line_of(number, game))
    return pack(lines, target)


def write_values(games: Sequence[Game], target: Path, store: Store) -> Path:
    """Value every position of the games that the store lacks, and pack all into ``target``."""
    lines = []
    for game in tqdm(games, unit="game"):

        def build(game: Game = game) -> dict:
            with Engine(hash_mb=2) as engine:
                return {"values": levels.search_values(engine, game, VALUE_NODES)}

        recipe = {"game": game.key, "nodes": VALUE_NODES}
        values = store.fetch("game_values", recipe, build)["values"]
        lines.append(f"{game.key}\t{VALUE_NODES}\t{' '.join(map(str, values))}\n")
    return pack(lines, target)


# ---------------------------------------------------------------- the suite


def band_plies(band: str, plies: int) -> range:
    """Return the plies of a band in a game of ``plies`` plies; empty if it is too short."""
    first = 2 * (_EARLY_MOVES[0] - 1)
    last = 2 * _EARLY_MOVES[1]
    end = plies - 2 * _LATE_MOVES[1]
    if band == "early":
        return range(first, min(last, end))
    if band == "middle":
        return range(2 * (_MIDDLE_MOVES[0] - 1), min(2 * _MIDDLE_MOVES[1], end))
    return range(max(end, last), max(plies - 2 * _LATE_MOVES[0] + 2, last))


def draw_suite(games: Mapping[int, Sequence[Game]], seed: int = SEED) -> pd.DataFrame:
    """Draw two positions of each game, the games of each level in their order.

    Returns
    -------
    pandas.DataFrame
        One row a position, columns :data:`COLUMNS` without loss and grade.
    """
    used: set[str] = set()
    rows = []
    for level in sorted(games):
        for number, game in enumerate(games[level]):
            random = np.random.default_rng([seed, level, number])
            fens = game.fens()
            for band in ("middle" if number % 2 else "early", "late"):
                plies = np.array(band_plies(band, len(game.moves)), dtype=int)
                for ply in map(int, random.permutation(plies)):
                    board = fens[ply].rsplit(" ", 2)[0]
                    if board in used or chess.Board(fens[ply]).legal_moves.count() < 2:
                        continue
                    used.add(board)
                    name = f"skill_{level:02d}.{number:03d}.{band}"
                    fen = fens[ply]
                    source = (
                        name,
                        level,
                        ELO_NAMES[level],
                        game.key,
                        number,
                        ply,
                        band,
                    )
                    rows.append((*source, phase_of(fen), fen, game.moves[ply]))
                    break
    return pd.DataFrame(rows, columns=COLUMNS[:-2])


def with_baseline(suite: pd.DataFrame, tables: Sequence[MoveTable]) -> pd.DataFrame:
    """Return a suite with the loss and the grade of each move really played.

    ``tables`` are those of the suite's positions, in its order.
    """
    moves = graded_moves(dict(zip(suite["name"], tables, strict=True)))
    played = moves.loc[list(zip(suite["name"], suite["played"], strict=True))]
    return suite.assign(
        loss=played["loss"].to_numpy(), grade=played["grade"].to_numpy()
    )


def write_suite(
    suite: pd.DataFrame, target: Path, *, games: str, graded_by: str
) -> Path:
    """Write a suite as JSON; the same suite gives the same bytes.

    Parameters
    ----------
    suite
        With its baseline.
    target
        The file.
    games
        SHA-256 of the file of games.
    graded_by
        Engine and search of the baseline.
    """
    head = {
        "name": "chessgloss static positions",
        "version": VERSION,
        "seed": SEED,
        "games_sha256": games,
        "graded_by": graded_by,
        "point_of_view": "the side to move; losses in centipawns, values cut at 1,000",
    }
    lines = [json.dumps(row, ensure_ascii=False) for row in suite.to_dict("records")]
    text = (
        json.dumps(head, indent=1)[:-2] + ',\n "positions": [\n  ' + ",\n  ".join(lines)
    )
    target.write_text(text + "\n ]\n}\n", encoding="utf-8")
    return target


# ---------------------------------------------------------------- answers and tables


def keep_weakened(
    asked: Sequence[Asked],
    levels: Sequence[int],
    path: Path,
    *,
    nodes: int,
) -> int:
    """Let Stockfish answer at several Skill Levels, keep what is new; return how many.

    Each answer is appended as it comes, so that a run that is stopped goes on.

    Parameters
    ----------
    asked
        The positions.
    levels
        The Skill Levels.
    path
        The file (``.tsv``) to make or to go on with.
    nodes
        Nodes of each search, one thread.
    """
    text = (
        path.read_text("utf-8") if path.exists() else "\t".join(players.COLUMNS) + "\n"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        text[: text.rfind("\n") + 1], "utf-8"
    )  # what a stopped run left half written
    kept = read_weakened(path)
    todo = [
        (level, question)
        for level in levels
        for question in asked
        if (level, question.name, question.position.fen) not in kept
    ]
    if not todo:
        return 0
    with Engine() as engine, path.open("a", encoding="utf-8") as file:
        for level, question in tqdm(todo, desc="level", unit="move"):
            position = question.position
            engine.new_game()
            root = position.root if position.moves else position.fen
            uci = engine.play(position.moves, root=root, nodes=nodes, level=level)
            uci = uci.replace("(none)", "0000")
            cells = (level, nodes, question.name, position.fen, uci)
            file.write("\t".join(map(str, cells)) + "\n")
            file.flush()
    return len(todo)


def write_tables(tables: Mapping[str, MoveTable], target: Path) -> Path:
    """Write a file of tables, sorted by the keys of their positions."""
    lines = []
    for key, table in sorted(tables.items()):
        values = " ".join(
            f"{uci}:{value}" for uci, value in sorted(table.values.items())
        )
        lines.append(f"{key}\t{' '.join(table.ranked)}\t{values}\n")
    return pack(lines, target)


def make_tables(
    positions: Sequence[Position],
    settings: Settings,
    path: Path,
    asked: Sequence[Sequence[str]] | None = None,
    *,
    both: bool = True,
) -> dict[str, MoveTable]:
    """Search what a file of tables lacks, write the file again, and return all of it.

    Parameters
    ----------
    positions
        Positions wanted.
    settings, path
        How to search, and the file.
    asked
        For each position the moves wanted beside the five best; by default every legal one.
    both
        Whether the positions with colours exchanged are searched too.
    """
    if version() != ENGINE:
        raise RuntimeError(f"the tables are made by {ENGINE}, not by {version()}")
    kept = grading.read_tables(path)
    wanted = [*positions, *map(grading.mirrored, positions if both else ())]
    keys = [grading.position_key(position) for position in wanted]
    moves = dict(zip(keys, asked, strict=True)) if asked else None
    tables = grading.search_tables(wanted, settings, kept, default_store(), asked=moves)
    kept |= dict(zip(keys, tables, strict=True))
    write_tables(kept, path)
    return kept


def make_more(folder: Path, count: int) -> None:
    """Play more games of :data:`CLOSE_LEVELS`, from the next openings, and value them."""
    target = folder / "more_games.tsv.zst"
    rules = Rules(games=count)
    book = assets.locate("opening_book")
    first = Rules().games
    play_levels(
        target,
        rules,
        book=book,
        store=default_store(),
        played=CLOSE_LEVELS,
        first=first,
    )
    write_values(
        list(read_games(target)), folder / "more_values.tsv.zst", default_store()
    )


def make(what: str, folder: Path, count: int = CLOSE_GAMES) -> None:
    """Make one artefact of the static positions in a folder; the games come first."""
    games_file = folder / "games.tsv.zst"
    if what == "games":
        book = assets.locate("opening_book")
        play_levels(games_file, Rules(), book=book, store=default_store())
        return
    if what == "more":
        make_more(folder, count)
        return
    if what == "recorded":
        for settings in RECORDED:
            path = grading.tables_path(folder / "recorded", settings)
            fens = pd.read_csv(folder / "recorded" / "positions.tsv", sep="\t")["fen"]
            make_tables([Position(fen) for fen in fens], settings, path)
        return
    games = levels.read_level_games(games_file)
    drawn = draw_suite(games)
    positions = suite.positions_of(drawn, games)
    if what == "values":
        write_values(
            list(read_games(games_file)),
            folder / "level_values.tsv.zst",
            default_store(),
        )
    elif what == "tables":
        known = suite.read_known_sets().positions()
        make_tables(
            [*positions, *known], SETTINGS, grading.tables_path(folder, SETTINGS)
        )
    elif what == "depths":
        some = drawn[drawn["number"] < suite.OTHER_GAMES]
        for settings in grading.OTHER_NODES:
            path = grading.tables_path(folder, settings)
            make_tables(suite.positions_of(some, games), settings, path, both=False)
        few = drawn[drawn["number"] < suite.DEPTH_GAMES]
        path = grading.tables_path(folder, grading.PLAN_DEPTH)
        wanted = suite.compared_moves(few)
        few_positions = suite.positions_of(few, games)
        make_tables(few_positions, grading.PLAN_DEPTH, path, wanted, both=False)
    elif what == "suite":
        kept = grading.read_tables(grading.tables_path(folder, SETTINGS))
        tables = grading.find_tables(positions, SETTINGS, kept, default_store())
        graded = with_baseline(drawn, tables)
        by = f"{ENGINE}, {SETTINGS.label}, mean of both colours"
        write_suite(
            graded, folder / "suite.json", games=file_digest(games_file), graded_by=by
        )
    elif what == "answers":
        asked = suite.ask(drawn, positions)
        nodes = GAME_NODES
        known = [
            Asked(known.name, known.position) for known in suite.read_known_sets().known
        ]
        keep_weakened(
            [*asked, *known], LEVELS, folder / "level_answers.tsv", nodes=nodes
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Make one artefact from the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = [
        "games",
        "more",
        "values",
        "tables",
        "depths",
        "recorded",
        "suite",
        "answers",
    ]
    parser.add_argument("what", choices=kinds)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent)
    parser.add_argument(
        "--games", type=int, default=CLOSE_GAMES, help="for more: of each level"
    )
    given = parser.parse_args(arguments)
    make(given.what, given.folder, given.games)
    return 0


if __name__ == "__main__":
    sys.exit(main())
