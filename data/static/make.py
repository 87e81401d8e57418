"""Make what ``data/static`` holds, and the mate-in-one problems of ``data/mates``.

    python data/static/make.py games       games of Skill Levels (from the clock)
    python data/static/make.py more        more games of levels 10 and 15, and their values
    python data/static/make.py values      a value for every position of every game
    python data/static/make.py tables      every legal move's value, both colours, 20,000 nodes
    python data/static/make.py depths      the same at other limits and from one colour, on a subset
    python data/static/make.py recorded    the same for the positions of recorded players
    python data/static/make.py suite       the test suite and its baseline
    python data/static/make.py answers     Skill Levels and Elos answer (from the clock)
    python data/static/make.py mates       the mate-in-one problems

Each goes on where it was stopped; to make one anew, remove its file first.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from chessgloss import assets
from chessgloss.corpora.games import read_games
from chessgloss.engine import version
from chessgloss.positions import Position
from chessgloss.skill import grading, levels, mates, players, suite
from chessgloss.skill.grading import MoveTable, Settings
from chessgloss.store import default_store, file_digest, find_project

#: Engine whose tables are committed; another's are never mixed with them.
ENGINE = "Stockfish 15.1"

#: The setting of the suite's grades; those of the recorded players' positions, the first is used.
SETTINGS, RECORDED = Settings(), (Settings(), Settings(5_000))

#: Levels whose mean losses forty games do not tell apart, and games of each of them in all.
CLOSE_LEVELS, CLOSE_GAMES = (10, 15), 50


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
    grading.write_tables(kept, path)
    return kept


def make_more(folder: Path, count: int) -> None:
    """Play more games of :data:`CLOSE_LEVELS`, from the next openings, and value them."""
    target, rules = folder / "more_games.tsv.zst", levels.Rules(games=count)
    book = assets.locate("opening_book")
    first = levels.Rules().games
    levels.play_levels(
        target, rules, book=book, store=default_store(), played=CLOSE_LEVELS, first=first
    )
    levels.write_values(list(read_games(target)), folder / "more_values.tsv.zst", default_store())


def make(what: str, folder: Path, count: int = CLOSE_GAMES) -> None:
    """Make one artefact of the static positions in a folder; the games come first."""
    games_file = folder / "games.tsv.zst"
    if what == "games":
        book = assets.locate("opening_book")
        levels.play_levels(games_file, levels.Rules(), book=book, store=default_store())
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
    drawn = suite.draw_suite(games)
    positions = suite.positions_of(drawn, games)
    if what == "values":
        levels.write_values(
            list(read_games(games_file)), folder / "level_values.tsv.zst", default_store()
        )
    elif what == "tables":
        known = suite.read_known_sets().positions()
        make_tables([*positions, *known], SETTINGS, grading.tables_path(folder, SETTINGS))
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
        graded = suite.with_baseline(drawn, tables)
        by = f"{ENGINE}, {SETTINGS.label}, mean of both colours"
        suite.write_suite(
            graded, folder / "suite.json", games=file_digest(games_file), graded_by=by
        )
    elif what == "answers":
        asked, nodes = suite.ask(drawn, positions), levels.Rules().nodes
        known = [
            players.Asked(known.name, known.position) for known in suite.read_known_sets().known
        ]
        players.keep_weakened(
            [*asked, *known], "level", levels.LEVELS, folder / "level_answers.tsv", nodes=nodes
        )
        players.keep_weakened(asked, "elo", players.ELOS, folder / "elo_answers.tsv", nodes=nodes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make one artefact from the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = ["games", "more", "values", "tables", "depths", "recorded", "suite", "answers", "mates"]
    parser.add_argument("what", choices=kinds)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent)
    parser.add_argument("--games", type=int, default=CLOSE_GAMES, help="for more: of each level")
    given = parser.parse_args(arguments)
    if given.what == "mates":
        games = read_games(find_project() / "data" / "games" / "selfplay.tsv.zst")
        mates.write_problems(mates.problems_file(), mates.choose_problems(games))
    else:
        make(given.what, given.folder, given.games)
    return 0


if __name__ == "__main__":
    sys.exit(main())
