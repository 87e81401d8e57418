"""The command that makes again what the chapters on skill read from ``data``.

    python -m chessgloss.skill.artefacts games      games of Skill Levels (from the clock)
    python -m chessgloss.skill.artefacts values     a value for every position of every game
    python -m chessgloss.skill.artefacts tables     every legal move's value, 20,000 nodes
    python -m chessgloss.skill.artefacts depths     the same at other limits, on a subset
    python -m chessgloss.skill.artefacts suite      the test suite and its baseline
    python -m chessgloss.skill.artefacts answers    Skill Levels and Elos answer (from the clock)
    python -m chessgloss.skill.artefacts mates      the mate-in-one problems

Each goes on where it was stopped; to make one anew, remove its file first.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import chess
import numpy as np
import pandas as pd

from chessgloss import assets
from chessgloss.corpora.games import read_games
from chessgloss.engine import version
from chessgloss.positions import Position
from chessgloss.skill import grading, levels, mates, players, suite
from chessgloss.skill.grading import MoveTable, Settings
from chessgloss.store import default_store, file_digest, find_project

#: The setting of every grade, and other limits that say how much the setting matters.
SETTINGS = Settings()
OTHER_NODES = (Settings(1_000), Settings(5_000), Settings(100_000))
#: The plan's implemented depth; its 2 seconds depend on the machine and are left out.
PLAN_DEPTH = Settings(nodes=None, depth=18)

#: Games of each level whose positions are searched at the other limits, and at depth 18.
OTHER_GAMES, DEPTH_GAMES = 10, 6

#: Engine whose tables are committed; another's are never mixed with them.
ENGINE = "Stockfish 15.1"


def compared_moves(drawn: pd.DataFrame) -> list[tuple[str, str]]:
    """Return two moves for each position: the one played, and a legal one drawn by lot.

    These are graded at depth 18 too, so that good and bad moves are compared.
    """
    random = np.random.default_rng(suite.SEED)
    moves = []
    for row in drawn.itertuples():
        legal = sorted(move.uci() for move in chess.Board(row.fen).legal_moves)
        moves.append((row.played, legal[int(random.integers(len(legal)))]))
    return moves


def make_tables(
    positions: Sequence[Position],
    settings: Settings,
    folder: Path,
    asked: Sequence[Sequence[str]] | None = None,
) -> dict[str, MoveTable]:
    """Search what a file of tables lacks, write the file again, and return all of it.

    Parameters
    ----------
    positions
        Positions wanted.
    settings, folder
        How to search, and where the file lies.
    asked
        For each position the moves wanted beside the five best; by default every legal one.
    """
    if version() != ENGINE:
        raise RuntimeError(f"the tables are made by {ENGINE}, not by {version()}")
    path = grading.tables_path(folder, settings)
    kept = grading.read_tables(path)
    keys = [grading.position_key(position) for position in positions]
    moves = dict(zip(keys, asked, strict=True)) if asked else None
    tables = grading.find_tables(positions, settings, kept, default_store(), asked=moves)
    kept |= dict(zip(keys, tables, strict=True))
    grading.write_tables(kept, path)
    return kept


def make(what: str, folder: Path) -> None:
    """Make one artefact of the static positions in a folder; the games come first."""
    games_file = folder / "games.tsv.zst"
    if what == "games":
        book = assets.locate("opening_book")
        levels.play_levels(games_file, levels.Rules(), book=book, store=default_store())
        return
    games = levels.read_level_games(games_file)
    drawn = suite.draw_suite(games)
    positions = suite.positions_of(drawn, games)
    if what == "values":
        levels.write_values(
            list(read_games(games_file)), folder / "level_values.tsv.zst", default_store()
        )
    elif what == "tables":
        make_tables([*positions, *suite.read_known_sets().positions()], SETTINGS, folder)
    elif what == "depths":
        some = drawn[drawn["number"] < OTHER_GAMES]
        for settings in OTHER_NODES:
            make_tables(suite.positions_of(some, games), settings, folder)
        few = drawn[drawn["number"] < DEPTH_GAMES]
        make_tables(suite.positions_of(few, games), PLAN_DEPTH, folder, compared_moves(few))
    elif what == "suite":
        tables = grading.read_tables(grading.tables_path(folder, SETTINGS))
        graded = suite.with_baseline(drawn, positions, tables)
        by = f"{ENGINE}, {SETTINGS.label}"
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
    name = "python -m chessgloss.skill.artefacts"
    parser = argparse.ArgumentParser(
        prog=name, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = ("games", "values", "tables", "depths", "suite", "answers", "mates")
    parser.add_argument("what", choices=kinds)
    parser.add_argument("--folder", type=Path, default=Path("data/static"))
    given = parser.parse_args(arguments)
    if given.what == "mates":
        games = read_games(find_project() / "data" / "games" / "selfplay.tsv.zst")
        mates.write_problems(mates.problems_file(), mates.choose_problems(games))
    else:
        make(given.what, given.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
