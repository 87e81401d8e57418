"""The test suite of static positions, drawn from the games of :mod:`chessgloss.skill.levels`.

Each game gives two positions (the plan's 1.2): one early, from moves 4 to 6 or, in every
second game, from a middle band, and one late, 5 to 8 full moves before the end. Which ply of
a band is taken is drawn with a seed; a position that is in the suite already (early ones
recur, since every level starts from the same openings), or with a single legal move, is
passed over. Each keeps the move really played and its grade: the baseline.

    python -m chessgloss.skill.suite data/static/suite.json

builds the committed file again, byte for byte, from the stored games and analyses.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Literal, get_args

import chess
import numpy as np

from chessgloss.corpora.samples import Phase, phase_of
from chessgloss.positions import Game, MoveInContext, Position
from chessgloss.skill.analyses import ENGINE, Kept, read_tables, tables_path
from chessgloss.skill.grading import MOVE_GRADES, Settings, grade, position_key
from chessgloss.skill.levels import ELO_NAMES, read_level_games
from chessgloss.store import file_digest

Band = Literal["early", "middle", "late"]

#: Version of the suite: it changes with every change of a position.
VERSION = 1

#: Seed of the plies drawn.
SEED = 8

#: Full moves of the early band (the plan's 1.2) and of the middle band (ours).
_EARLY_MOVES, _MIDDLE_MOVES = (4, 6), (13, 24)

#: Full moves before the end of the late band: the plan's 5 to 8. A position with n plies to
#: come is ``ceil(n / 2)`` moves before the end.
_LATE_MOVES = (5, 8)


class SuiteError(ValueError):
    """A suite file that is damaged, of another version, or not of these games."""


@dataclass(frozen=True, slots=True)
class SuitePosition:
    """A position of the suite.

    Parameters
    ----------
    name
        Level, number of the game within it and band: ``skill_05.003.early``.
    level
        Skill Level that played the game.
    elo
        The plan's name for the level's strength.
    game
        Key of the game.
    number
        Number of the game within its level.
    ply
        Plies played before the position.
    band
        Where in the game it was drawn.
    phase
        Phase by its pieces (:func:`chessgloss.corpora.samples.phase_of`).
    fen
        The position.
    played
        The move really played, in UCI.
    loss
        Centipawns that it lost, values cut at 1,000; ``None`` before it is graded.
    grade
        Its grade; empty before.
    """

    name: str
    level: int
    elo: str
    game: str
    number: int
    ply: int
    band: Band
    phase: Phase
    fen: str
    played: str
    loss: float | None = None
    grade: str = ""

    def __post_init__(self) -> None:
        MoveInContext(Position(self.fen), self.played)
        if self.band not in get_args(Band) or self.level not in ELO_NAMES:
            raise ValueError(f"{self.name}: no such band or level: {self.band}, {self.level}")
        if (self.loss is None) != (self.grade == "") or (self.loss or 0) < 0:
            raise ValueError(f"{self.name}: a loss from 0 up goes with a grade: {self.loss}")
        if self.grade and self.grade not in MOVE_GRADES:
            raise ValueError(f"{self.name}: no such grade: {self.grade!r}")

    @property
    def white(self) -> bool:
        """Whether White is to move."""
        return self.fen.split(" ", 2)[1] == "w"


@dataclass(frozen=True, slots=True)
class Suite:
    """The suite: its positions, and what they were made from.

    Parameters
    ----------
    positions
        In the order of levels, games and plies.
    games
        SHA-256 of the file of games.
    graded_by
        Engine and search of the baseline grades; empty if there are none.
    seed, version
        As in the file.
    """

    positions: tuple[SuitePosition, ...]
    games: str
    graded_by: str = ""
    seed: int = SEED
    version: int = VERSION

    def __post_init__(self) -> None:
        if len({one.name for one in self.positions}) != len(self.positions):
            raise SuiteError("two positions of the suite have the same name")

    def __len__(self) -> int:
        return len(self.positions)

    def first_games(self, games: int) -> tuple[SuitePosition, ...]:
        """Return the positions of the first games of each level: a smaller suite."""
        return tuple(one for one in self.positions if one.number < games)


def band_plies(band: Band, plies: int) -> range:
    """Return the plies of a band in a game of ``plies`` plies; empty if it is too short."""
    first, last = (2 * (_EARLY_MOVES[0] - 1), 2 * _EARLY_MOVES[1])
    end = plies - 2 * _LATE_MOVES[1]
    if band == "early":
        return range(first, min(last, end))
    if band == "middle":
        return range(2 * (_MIDDLE_MOVES[0] - 1), min(2 * _MIDDLE_MOVES[1], end))
    return range(max(end, last), max(plies - 2 * _LATE_MOVES[0] + 2, last))


def draw_suite(
    games: Mapping[int, Sequence[Game]], *, digest: str, seed: int = SEED, bands: int = 2
) -> Suite:
    """Draw the positions of a suite, not yet graded.

    Parameters
    ----------
    games
        Games of each level, in their order.
    digest
        SHA-256 of the file of games.
    seed
        Seed of the plies.
    bands
        Positions a game: 2, early or middle in turn and late; 3, one of each band.
    """
    used: set[str] = set()
    drawn = [
        one
        for level in sorted(games)
        for number, game in enumerate(games[level])
        for one in _of_game(game, level, number, _bands(number, bands), seed, used)
    ]
    return Suite(tuple(drawn), digest, seed=seed)


def positions_of(
    chosen: Sequence[SuitePosition], games: Mapping[int, Sequence[Game]]
) -> list[Position]:
    """Return the positions with their histories.

    Raises
    ------
    SuiteError
        If a position is not in its game.
    """
    found = []
    for one in chosen:
        game = games[one.level][one.number] if one.number < len(games[one.level]) else None
        if game is None or game.key != one.game:
            raise SuiteError(f"{one.name} is not of these games; build the suite again")
        found.append(game.position(one.ply))
        if found[-1].fen != one.fen:
            raise SuiteError(f"{one.name}: ply {one.ply} of its game is {found[-1].fen!r}")
    return found


def with_baseline(
    suite: Suite, games: Mapping[int, Sequence[Game]], kept: Mapping[str, Kept], settings: Settings
) -> Suite:
    """Return the suite with the loss and grade of each move really played.

    Raises
    ------
    SuiteError
        If the table of a position is missing.
    """
    graded = []
    for one, position in zip(suite.positions, positions_of(suite.positions, games), strict=True):
        table = kept.get(position_key(position))
        if table is None:
            raise SuiteError(
                f"no analysis of {one.name}; run `python -m chessgloss.skill.artefacts tables`"
            )
        found = grade(table.of(position), one.played)
        graded.append(replace(one, loss=found.loss, grade=found.grade))
    return replace(suite, positions=tuple(graded), graded_by=f"{ENGINE}, {settings.label}")


def write_suite(suite: Suite, target: Path) -> Path:
    """Write the suite as JSON, atomically; the same suite gives the same bytes."""
    head = {
        "name": "chessgloss static positions",
        "version": suite.version,
        "seed": suite.seed,
        "games_sha256": suite.games,
        "graded_by": suite.graded_by,
        "point_of_view": "the side to move; losses in centipawns, values cut at 1,000",
    }
    lines = [json.dumps(asdict(one), ensure_ascii=False) for one in suite.positions]
    text = json.dumps(head, indent=1)[:-2] + ',\n "positions": [\n  ' + ",\n  ".join(lines)
    aside = target.with_suffix(".part")
    aside.write_text(text + "\n ]\n}\n", encoding="utf-8")
    aside.rename(target)
    return target


def read_suite(path: Path) -> Suite:
    """Read a suite.

    Raises
    ------
    SuiteError
        If the file is not in its form or of another version.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
        rows = tuple(SuitePosition(**row) for row in data["positions"])
        suite = Suite(rows, data["games_sha256"], data["graded_by"], data["seed"], data["version"])
    except (ValueError, KeyError, TypeError) as error:
        raise SuiteError(f"{path.name} is no suite: {error}") from None
    if suite.version != VERSION:
        raise SuiteError(f"{path.name} is version {suite.version}; this library reads {VERSION}")
    return suite


def _bands(number: int, bands: int) -> tuple[Band, ...]:
    if bands not in (2, 3):
        raise ValueError(f"a game gives 2 or 3 positions, not {bands}")
    if bands == 3:
        return ("early", "middle", "late")
    return ("middle", "late") if number % 2 else ("early", "late")


def _of_game(
    game: Game, level: int, number: int, bands: Sequence[Band], seed: int, used: set[str]
) -> Iterator[SuitePosition]:
    """Yield one position of each band, and note its board among the ``used`` ones."""
    random = np.random.default_rng([seed, level, number])
    fens = game.fens()
    for band in bands:
        plies = np.array(band_plies(band, len(game.moves)), dtype=int)
        for ply in map(int, random.permutation(plies)):
            board = fens[ply].rsplit(" ", 2)[0]
            if board in used or _forced(fens[ply]):
                continue
            used.add(board)
            name = f"skill_{level:02d}.{number:03d}.{band}"
            made = (name, level, ELO_NAMES[level], game.key, number, ply, band)
            yield SuitePosition(*made, phase_of(fens[ply]), fens[ply], game.moves[ply])
            break


def _forced(fen: str) -> bool:
    return chess.Board(fen).legal_moves.count() < 2


_DATA: Final = Path("data/static")


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the suite from the command line; return the exit status."""
    name = "python -m chessgloss.skill.suite"
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("target", type=Path, nargs="?", default=_DATA / "suite.json")
    parser.add_argument("--games", type=Path, default=_DATA / "games.tsv.zst")
    given = parser.parse_args(arguments)
    settings, games = Settings(), read_level_games(given.games)
    suite = draw_suite(games, digest=file_digest(given.games))
    kept = read_tables(tables_path(given.games.parent, settings))
    write_suite(with_baseline(suite, games, kept, settings), given.target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
