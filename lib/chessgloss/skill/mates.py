"""Mate-in-one problems: positions of held-out games in which a move mates at once.

    python -m chessgloss.skill.mates

makes ``data/mates/problems.tsv`` again, byte for byte, from the self-play games. The rule is
that of :func:`choose_problems`.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import chess
import pandas as pd

from chessgloss.corpora.games import of_split, read_games
from chessgloss.corpora.lichess import Puzzle, read_puzzles
from chessgloss.facts.tactics import mates as quick_mates
from chessgloss.positions import Game, MoveInContext, Position, split_of
from chessgloss.skill.players import Asked
from chessgloss.store import find_project

#: Problems in the committed file, and those whose answers the book replays: its first ones.
PROBLEMS, RECORDED = 1_000, 200

#: Splits in the order in which problems are taken; both are held out from every fit.
SPLITS: Final = ("test", "validation")

#: A position with fewer legal moves, or in which more than this share mates, is trivial.
FEWEST_MOVES, LARGEST_SHARE = 5, 0.25

#: Phases by the number of men on the board, from the fullest.
PHASES: Final = (("full board", 20), ("middle", 12), ("few men", 0))

COLUMNS: Final = ("game", "ply", "fen", "mates")


class ProblemsFileError(ValueError):
    """A file of problems that is not in its form; names the line."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A position with at least one mate in one.

    Parameters
    ----------
    game
        Key of the game it comes from, or the id of a puzzle.
    ply
        Plies played before it.
    fen
        The position.
    mates
        All mating moves in UCI, sorted.

    Raises
    ------
    ValueError
        If there is none, one of them does not mate, or the position is not legal.
    """

    game: str
    ply: int
    fen: str
    mates: tuple[str, ...]

    def __post_init__(self) -> None:
        board = Position(self.fen).board()
        wrong = [uci for uci in self.mates if not mates_with(board, chess.Move.from_uci(uci))]
        if wrong or not self.mates:
            raise ValueError(f"{self.fen!r} is no mate in one with {wrong or 'no moves'}")

    @property
    def name(self) -> str:
        """Game and ply: the name under which it is asked."""
        return f"{self.game}/{self.ply}"

    @property
    def board(self) -> chess.Board:
        """The position as a new board, without its history."""
        return chess.Board(self.fen)

    @property
    def side(self) -> str:
        """Side that mates: ``White`` or ``Black``."""
        return "White" if self.board.turn else "Black"

    @property
    def phase(self) -> str:
        """Phase of the game, by the men on the board (see :data:`PHASES`)."""
        men = chess.popcount(self.board.occupied)
        return next(name for name, least in PHASES if men >= least)

    @property
    def piece(self) -> str:
        """Piece that moves to mate, ``several`` if different ones can."""
        board = self.board
        kinds = {board.piece_type_at(chess.Move.from_uci(uci).from_square) for uci in self.mates}
        return chess.piece_name(kinds.pop() or 0) if len(kinds) == 1 else "several"

    @property
    def legal_moves(self) -> int:
        """Number of legal moves."""
        return self.board.legal_moves.count()

    @property
    def first(self) -> MoveInContext:
        """First of the mating moves."""
        return MoveInContext(Position(self.fen), self.mates[0])

    def asked(self, game: Game | None = None) -> Asked:
        """Return the position as players are asked it; with its history, if given the game."""
        if game is None:
            return Asked(self.name, Position(self.fen))
        position = game.position(self.ply)
        if position.fen != self.fen:
            raise ValueError(f"{self.name}: the game {game.key} does not have this position")
        return Asked(self.name, position)


def mates_with(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a move is legal and mates."""
    if move not in board.legal_moves:
        return False
    board.push(move)
    try:
        return board.is_checkmate()
    finally:
        board.pop()


def problems_of(game: Game) -> Iterator[Problem]:
    """Yield every position of a game that has a mate in one and is not trivial.

    Positions in which the mate was missed count as those in which it was played.
    """
    key, board = game.key, chess.Board(game.root)
    for ply, uci in enumerate((*game.moves, "")):
        if quick_mates(board, board.turn):
            legal = sorted(board.legal_moves, key=chess.Move.uci)
            found = tuple(move.uci() for move in legal if mates_with(board, move))
            if len(legal) >= FEWEST_MOVES and len(found) <= LARGEST_SHARE * len(legal):
                yield Problem(key, ply, board.fen(), found)
        if uci:
            board.push(chess.Move.from_uci(uci))


def without_mate(games: Iterable[Game], step: int) -> Iterator[str]:
    """Yield the FEN of every ``step``-th position of test games, if it has no mate in one.

    Finished games' last positions, which ask for no move, are passed over.
    """
    for game in of_split(games, "test"):
        for fen in game.fens()[step:-1:step]:
            board = chess.Board(fen)
            if not quick_mates(board, board.turn):
                yield fen


def choose_problems(games: Iterable[Game], count: int = PROBLEMS) -> list[Problem]:
    """Choose problems of held-out games, spread over phase, side and mating piece.

    The positions of the test games are put on heaps by phase, side and piece, each in an
    order by lot (a hash of game and ply). In turn each heap, the smallest first, gives one
    problem; a game gives one at most, a position (men and side to move) comes once. When the
    test games give no more, the validation games follow in the same way. So the first ``n``
    problems are spread too, whatever ``n``.

    Parameters
    ----------
    games
        All games; those of the training split are passed over.
    count
        Most problems to choose.
    """
    held = list(games)
    chosen: list[Problem] = []
    used: set[str] = set()
    for split in SPLITS:
        found = [one for game in of_split(held, split) for one in problems_of(game)]
        for one in _in_turn(_heaps(found)):
            names = {one.game, _placement(one.fen)}
            if len(chosen) < count and not names & used:
                chosen.append(one)
                used |= names
    return chosen


def problems_file() -> Path:
    """Return where the problems are kept."""
    return find_project() / "data" / "mates" / "problems.tsv"


def write_problems(path: Path, problems: Sequence[Problem]) -> None:
    """Write problems, one a line, tab-separated: game, ply, FEN, mating moves."""
    rows = [(one.game, str(one.ply), one.fen, " ".join(one.mates)) for one in problems]
    text = "".join("\t".join(cells) + "\n" for cells in (COLUMNS, *rows))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="ascii")


def read_problems(path: Path | None = None, count: int | None = None) -> list[Problem]:
    """Read problems, all or the first ``count``.

    Raises
    ------
    ProblemsFileError
        If a line is not a problem, or there are fewer than ``count``.
    """
    path = path or problems_file()
    head, *lines = path.read_text(encoding="ascii").splitlines() or [""]
    if tuple(head.split("\t")) != COLUMNS:
        raise ProblemsFileError(f"{path.name} must begin with the columns {', '.join(COLUMNS)}")
    if count is not None and not 0 < count <= len(lines):
        raise ProblemsFileError(f"{path.name} holds {len(lines)} problems; cannot read {count}")
    return [_read(line, f"{path.name}, line {k}") for k, line in enumerate(lines[:count], start=2)]


def with_history(problems: Sequence[Problem], games: Iterable[Game]) -> list[Asked]:
    """Return the positions with the moves that led to them, for players that see moves.

    Raises
    ------
    KeyError
        If a problem's game is not among ``games``.
    """
    wanted = {one.game for one in problems}
    found = {game.key: game for game in games if game.key in wanted}
    if missing := wanted - set(found):
        raise KeyError(f"{len(missing)} games, such as {min(missing)}, are not among those given")
    return [one.asked(found[one.game]) for one in problems]


def puzzle_problem(puzzle: Puzzle) -> Problem:
    """Return a Lichess puzzle of the theme ``mateIn1`` as a problem; its game is the puzzle.

    Raises
    ------
    ValueError
        If the position has no mate in one.
    """
    board = puzzle.position.board()
    moves = sorted(board.legal_moves, key=chess.Move.uci)
    mating = tuple(move.uci() for move in moves if mates_with(board, move))
    return Problem(puzzle.name, board.ply(), puzzle.position.fen, mating)


def lichess_problems(path: Path, count: int) -> list[Problem]:
    """Return the first ``count`` puzzles ``mateIn1`` of Lichess's file, damaged lines left out.

    The file is the asset ``lichess_puzzles``; see :func:`~chessgloss.corpora.lichess.read_puzzles`.
    """
    puzzles = (one for one in read_puzzles(path, ["mateIn1"]) if isinstance(one, Puzzle))
    return [puzzle_problem(one) for one in islice(puzzles, count)]


def spread(problems: Sequence[Problem], by: str) -> Mapping[str, int]:
    """Return how many problems there are by ``phase``, ``side``, ``piece`` or ``split``."""
    values = [split_of(one.game) if by == "split" else getattr(one, by) for one in problems]
    names = [name for name, _ in PHASES] if by == "phase" else sorted(set(values))
    counts = Counter(values)
    return {name: counts[name] for name in names}


def sheet(problems: Sequence[Problem]) -> dict[str, object]:
    """Return what a data sheet says of problems: counts and shares, in the order shown."""
    counts: dict[str, object] = {"problems": len(problems)}
    counts |= {f"of {name} games": n for name, n in spread(problems, "split").items()}
    for by in ("phase", "side", "piece"):
        counts |= {f"{by}: {name}": n for name, n in spread(problems, by).items()}
    several = sum(len(one.mates) > 1 for one in problems) / len(problems)
    moves = pd.Series([one.legal_moves for one in problems])
    return counts | {"share with several mates": several, "median legal moves": moves.median()}


def main() -> int:
    """Make the file of problems; return the exit status."""
    games = read_games(find_project() / "data" / "games" / "selfplay.tsv.zst")
    problems = choose_problems(games)
    write_problems(problems_file(), problems)
    for name, value in sheet(problems).items():
        print(f"{name}: {value}")
    return 0


def _placement(fen: str) -> str:
    return " ".join(fen.split(" ")[:2])


def _lot(problem: Problem) -> bytes:
    return hashlib.blake2b(problem.name.encode(), digest_size=8).digest()


def _heaps(problems: Iterable[Problem]) -> list[list[Problem]]:
    heaps: dict[tuple[str, str, str], list[Problem]] = defaultdict(list)
    for one in problems:
        heaps[one.phase, one.side, one.piece].append(one)
    ordered = sorted(heaps, key=lambda name: (len(heaps[name]), name))
    return [sorted(heaps[name], key=_lot) for name in ordered]


def _in_turn(heaps: Sequence[Sequence[Problem]]) -> Iterator[Problem]:
    """Yield the first of each heap, then the second of each, and so on."""
    for row in range(max(map(len, heaps), default=0)):
        yield from (heap[row] for heap in heaps if row < len(heap))


def _read(line: str, where: str) -> Problem:
    try:
        game, ply, fen, mates = line.split("\t")
        return Problem(game, int(ply), fen, tuple(mates.split(" ")))
    except ValueError as error:
        raise ProblemsFileError(f"{where} is not a problem: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
