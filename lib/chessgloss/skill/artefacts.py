"""What the chapters on static positions read, and the command that makes it again.

    python -m chessgloss.skill.artefacts tables     every legal move's value, 20,000 nodes
    python -m chessgloss.skill.artefacts depths     the same at other limits, on a subset
    python -m chessgloss.skill.artefacts answers    Skill Levels and Elos answer (from the clock)

Each goes on where it was stopped; to make one anew, remove its file first. The games come
first (:mod:`chessgloss.skill.levels`), the suite last (:mod:`chessgloss.skill.suite`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import numpy as np

from chessgloss import assets
from chessgloss.corpora.lectures import commented_moves
from chessgloss.llm import Request
from chessgloss.positions import Game, Position
from chessgloss.skill.analyses import make_tables, tables_path
from chessgloss.skill.elo_players import record_elos
from chessgloss.skill.engine_players import record_levels
from chessgloss.skill.grading import Settings, position_key
from chessgloss.skill.known import (
    Known,
    Pair,
    draw_book_positions,
    draw_human_moves,
    judged_moves,
    make_pairs,
    read_puzzles,
)
from chessgloss.skill.levels import LEVELS, Rules, read_level_games
from chessgloss.skill.players import Asked
from chessgloss.skill.static_players import MODEL_GAMES, static_requests, suite_concepts
from chessgloss.skill.suite import (
    SEED,
    Suite,
    SuitePosition,
    draw_suite,
    positions_of,
    read_suite,
)
from chessgloss.store import file_digest

if TYPE_CHECKING:
    from chessgloss.experts import Expert

#: The setting of every grade, and other limits that say how much the setting matters.
SETTINGS = Settings()
OTHER_NODES = (Settings(1_000), Settings(5_000), Settings(100_000))
#: The plan's implemented depth; its 2 seconds depend on the machine and are left out.
PLAN_DEPTH = Settings(nodes=None, depth=18)

#: Games of each level whose positions are searched at the other limits, and at depth 18.
OTHER_GAMES, DEPTH_GAMES = 10, 6

#: Mates of each length, openings and people's moves that are scored apart.
MATES, OPENINGS, HUMAN = 20, 60, 60

#: Nodes a move of the players that answer from a file.
PLAYER_NODES = Rules().nodes


@dataclass(frozen=True, slots=True)
class KnownSets:
    """The positions scored apart, and the moves that validate the grader."""

    known: tuple[Known, ...]
    judged: tuple[tuple[Known, bool], ...]
    pairs: tuple[Pair, ...]

    def positions(self) -> list[Position]:
        """Return every position in these sets, a repeated one once."""
        each = [one.position for one in self.known]
        each += [one.position for one, _ in self.judged] + [one.position for one in self.pairs]
        return list({position_key(one): one for one in each}.values())


def read_known_sets() -> KnownSets:
    """Read puzzles, openings and lectures from their assets, by the rules of the book."""
    comments = commented_moves(assets.locate("lectures"))
    known = read_puzzles(assets.locate("puzzles"), mates=MATES, seed=SEED)
    known += draw_book_positions(assets.locate("opening_book"), OPENINGS, seed=SEED)
    pairs = make_pairs(known, seed=SEED)
    known += draw_human_moves(comments, HUMAN, seed=SEED)
    return KnownSets(tuple(known), tuple(judged_moves(comments)), tuple(pairs))


def ask_suite(chosen: Sequence[SuitePosition], games: Mapping[int, Sequence[Game]]) -> list[Asked]:
    """Return the questions to players for positions of the suite, with the games' history."""
    found = zip(chosen, positions_of(chosen, games), strict=True)
    return [Asked(one.name, position) for one, position in found]


def ask_known(known: Sequence[Known]) -> list[Asked]:
    """Return the questions to players for positions that are scored apart."""
    return [Asked(one.name, one.position) for one in known]


def model_requests(folder: Path, expert: Expert) -> list[Request]:
    """Return every question of the static positions to a language model.

    Parameters
    ----------
    folder
        Folder of the games and the suite.
    expert
        Whose concepts are told where they are (the network ``nnue``).
    """
    chosen = read_suite(folder / "suite.json").first_games(MODEL_GAMES)
    asked = ask_suite(chosen, read_level_games(folder / "games.tsv.zst"))
    return static_requests(asked, suite_concepts(asked, expert))


def compared_moves(
    chosen: Sequence[SuitePosition], positions: Sequence[Position], *, seed: int = SEED
) -> dict[str, tuple[str, ...]]:
    """Return two moves for each position: the one played, and a legal one drawn by lot.

    These are graded at depth 18 too, so that good and bad moves are compared.
    """
    random = np.random.default_rng(seed)
    found: dict[str, tuple[str, ...]] = {}
    for one, position in zip(chosen, positions, strict=True):
        legal = sorted(move.uci() for move in chess.Board(position.fen).legal_moves)
        drawn = legal[int(random.integers(len(legal)))]
        found[position_key(position)] = (one.played, drawn)
    return found


def _make_tables(folder: Path, suite: Suite, games: Mapping[int, Sequence[Game]]) -> None:
    wanted = positions_of(suite.positions, games) + read_known_sets().positions()
    make_tables(wanted, SETTINGS, tables_path(folder, SETTINGS))


def _make_depths(folder: Path, suite: Suite, games: Mapping[int, Sequence[Game]]) -> None:
    some = positions_of(suite.first_games(OTHER_GAMES), games)
    for settings in OTHER_NODES:
        make_tables(some, settings, tables_path(folder, settings))
    chosen = suite.first_games(DEPTH_GAMES)
    few = positions_of(chosen, games)
    asked = compared_moves(chosen, few)
    make_tables(few, PLAN_DEPTH, tables_path(folder, PLAN_DEPTH), asked=asked)


def _make_answers(folder: Path, suite: Suite, games: Mapping[int, Sequence[Game]]) -> None:
    asked = ask_suite(suite.positions, games)
    known = ask_known(read_known_sets().known)
    path = folder / "level_answers.tsv"
    record_levels([*asked, *known], LEVELS, path, nodes=PLAYER_NODES)
    record_elos(asked, folder / "elo_answers.tsv", nodes=PLAYER_NODES)


_MAKERS = {"tables": _make_tables, "depths": _make_depths, "answers": _make_answers}


def main(arguments: Sequence[str] | None = None) -> int:
    """Make one artefact from the command line; return the exit status."""
    name = "python -m chessgloss.skill.artefacts"
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("what", choices=sorted(_MAKERS))
    parser.add_argument("--folder", type=Path, default=Path("data/static"))
    given = parser.parse_args(arguments)
    games_file = given.folder / "games.tsv.zst"
    games = read_level_games(games_file)
    suite = draw_suite(games, digest=file_digest(games_file))
    _MAKERS[given.what](given.folder, suite, games)
    return 0


if __name__ == "__main__":
    sys.exit(main())
