"""The lectures of the Free Internet Chess Server: expert commentary, move by move.

A lecture is a script of server commands, one a line; :mod:`chessgloss.corpora.fics`
carries them out.

A comment belongs to a move if nothing but pauses, names and other comments stands between
the two; such comments are joined. All other comments (before the first move of a position,
after a take-back, headings, in a variant game) belong to no move and are counted. Whatever is not
understood becomes a :class:`Problem` with its line number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from chessgloss.corpora.fics import Counts, Problem, Replay
from chessgloss.positions import CommentedMove, Game

#: Title and author's handle on the server by number, after PyChess's list of the lectures.
CATALOGUE: dict[int, tuple[str, str]] = {
    1: ("2...Qh4+ against the King's Gambit", "toddmf"),
    2: ("Tactics Training 1: Back rank weakness", "knackie"),
    3: ("Denker's Favorite Game", "toddmf"),
    4: ("Introduction to the 2.Nc3 Caro-Kann", "KayhiKing"),
    5: ("Tactics Training 2: Discovered Attack", "knackie"),
    6: ("King's Indian Attack vs. the French", "cissmjg"),
    7: ("Rook vs Pawn endgames", "toddmf"),
    8: ("The Stonewall Attack", "MBDil"),
    9: ("Tactics Training 3: Enclosed Kings", "knackie"),
    10: ("The Steinitz Variation of the French Defense", "Seipman"),
    11: ("A draw against a Grandmaster", "talpa"),
    12: ("Tactics Training 4: King in the centre", "knackie"),
    13: ("The Modern Defense", "GMDavies"),
    14: ("Tactics Training 5: Pulling the king to the open", "knackie"),
    15: ("King's Indian Attack vs. the Caro-Kann", "cissmjg"),
    16: ("Introduction to Bughouse", "Tecumseh"),
    17: ("Refuting the Milner-Barry Gambit in the French Defense", "Kabal"),
    18: ("Tactics Training 6: Mating Attack", "knackie"),
    19: ("Closed Sicilian Survey, part 1", "Oren"),
    20: ("Hypermodern Magic: A study of the central blockade", "Bahamut"),
    21: ("Tactics Training 7: Opening / Closing Files", "knackie"),
    22: ("Thoughts on the Refutation of the Milner-Barry", "knackie"),
    23: ("Tactics Training 8: Opening / Closing Diagonals", "knackie"),
    24: ("King's Indian Attack vs. Other Defenses", "cissmjg"),
    25: ("Basic Pawn Endings I", "DAV"),
    26: ("Giuoco Piano", "afw"),
    27: ("Tactics Training 9: Long Diagonals", "knackie"),
    28: ("Secrets of the Flank Attack", "Shidinov"),
    29: ("Mating Combinations", "Kabal"),
    30: ("Basic Pawn Endings II", "DAV"),
    31: ("Grandmaster Knezevic's first FICS lecture", "toddmf"),
}


class LectureError(ValueError):
    """A folder or file that is no lecture at all."""


@dataclass(frozen=True, slots=True)
class Lecture:
    """A lecture, replayed.

    Parameters
    ----------
    name
        Name of its file without the ending: ``lec7``.
    title, author
        As PyChess lists them; empty for a file that is not in the list.
    comments
        Commented moves in the order of the lecture; their source is ``name``.
    lines
        Every line of play from a set-up position to where it was left, variations included,
        each as a game with result ``*``.
    counts
        What became of the lines of the file.
    problems
        Lines that were not understood or could not be carried out.
    """

    name: str
    title: str
    author: str
    comments: tuple[CommentedMove, ...]
    lines: tuple[Game, ...]
    counts: Counts
    problems: tuple[Problem, ...]

    @property
    def games(self) -> tuple[Game, ...]:
        """The longest line from each position set up, in the order they first occur."""
        longest: dict[str, Game] = {}
        for line in self.lines:
            if len(line.moves) > len(longest.get(line.root, _NO_GAME).moves):
                longest[line.root] = line
        return tuple(longest.values())


_NO_GAME = Game((), "*")


def read_lecture(path: Path) -> Lecture:
    """Read and replay one lecture.

    Raises
    ------
    LectureError
        If the file is empty.
    """
    name = path.stem
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise LectureError(f"{path} is empty; a lecture holds one server command a line")
    replay = Replay(name)
    for number, line in enumerate(text.splitlines(), start=1):
        replay.read(number, line.strip())
    replay.close()
    digits = re.fullmatch(r"lec(\d+)", name)
    title, author = CATALOGUE.get(int(digits[1]) if digits else 0, ("", ""))
    return Lecture(
        name,
        title,
        author,
        tuple(replay.comments),
        tuple(replay.lines),
        Counts(**replay.counts),
        tuple(replay.problems),
    )


def read_lectures(folder: Path) -> list[Lecture]:
    """Read every ``lec<number>.txt`` of a folder, in the order of their numbers.

    Raises
    ------
    LectureError
        If there is none.
    """
    paths = [path for path in folder.glob("lec*.txt") if re.fullmatch(r"lec\d+", path.stem)]
    if not paths:
        raise LectureError(f"{folder} holds no lec<number>.txt; see the asset 'lectures'")
    return [read_lecture(path) for path in sorted(paths, key=lambda path: int(path.stem[3:]))]


def commented_moves(folder: Path) -> list[CommentedMove]:
    """Return the commented moves of all lectures of a folder, in order."""
    return [comment for lecture in read_lectures(folder) for comment in lecture.comments]
