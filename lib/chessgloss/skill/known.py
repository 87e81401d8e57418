"""Positions with a move that somebody vouches for: puzzles, openings, people's games.

They are scored apart from the suite. All are read from where their authors published them
(PyChess's puzzles and Polyglot book, the FICS lectures), chosen by a rule with a seed; only
names, hashes and numbers of them are kept.

The grader is validated on pairs of a good and a bad move chosen without it: the plan's own,
the book's favourite against a move that loses a piece by static exchange, and the first move
of a mate against another legal move drawn by lot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

import chess
import chess.polyglot
import numpy as np

from chessgloss.facts.tactics import exchange
from chessgloss.positions import (
    CommentedMove,
    MoveInContext,
    PgnError,
    Position,
    read_move,
    read_pgn,
    to_game,
)

KnownKind = Literal["mate", "study", "opening", "human"]

#: Static exchange in pawns from which a move counts as giving away a piece.
_PIECE_LOST = -3

#: The plan's validation case (2.2), with the en passant square as a normal FEN has it.
_PLAN_FEN = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"

_STUDY: Final = re.compile(r"lichess-practice-(?P<theme>.+?)_by_")

#: How a comment calls its move good or bad: at its beginning, of the move itself.
_SIGN: Final = re.compile(r"^\s*(?P<sign>\?\?|!!|\?!|!\?|\?|!)(?![\w?!])")
_OF_THE_MOVE = r"(?:[!.,:]| moves?\b| sacrifice\b)"
_THIS = r"^\W*(?:(?:this|it|here) )?(?:(?:is|was) )?(?:an? |another |the |one of the )?"
_GOOD: Final = re.compile(
    _THIS + r"(?:(?:very|extremely|really|simple but) )*"
    r"(?:strong|excellent|brilliant|best|good|nice|great|correct)" + _OF_THE_MOVE, re.I
)  # fmt: skip
_BAD: Final = re.compile(
    _THIS + r"(?:(?:very|decisive|fatal|serious|losing|bad) )*"
    r"(?:blunder|mistake|error|weak|bad)" + _OF_THE_MOVE, re.I
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Known:
    """A position with the move that is vouched for, or was played there.

    Parameters
    ----------
    name
        ``mate_in_2.017``, ``study.the-fork.003``, ``opening.012``, ``lec9.031``.
    kind
        Which set it belongs to.
    position
        The position, with its history where there is one.
    move
        First move of the solution, the book's favourite, or what the person played; UCI.
    """

    name: str
    kind: KnownKind
    position: Position
    move: str

    def __post_init__(self) -> None:
        MoveInContext(self.position, self.move)
        if self.kind not in get_args(KnownKind):
            raise ValueError(f"{self.name}: no such kind of position: {self.kind!r}")


@dataclass(frozen=True, slots=True)
class Pair:
    """A good and a bad move of one position, chosen without the grader.

    Parameters
    ----------
    name, source
        The position and the rule: ``plan``, ``book`` or ``mate``.
    position
        The position.
    good, bad
        The moves, UCI.
    """

    name: str
    source: Literal["plan", "book", "mate"]
    position: Position
    good: str
    bad: str

    def __post_init__(self) -> None:
        for uci in (self.good, self.bad):
            MoveInContext(self.position, uci)
        if self.good == self.bad:
            raise ValueError(f"{self.name}: a pair needs two moves, got {self.good} twice")


def read_puzzles(folder: Path, *, mates: int, seed: int) -> list[Known]:
    """Read puzzles that come with their solution.

    Parameters
    ----------
    folder
        PyChess's puzzles (asset ``puzzles``).
    mates
        Mates to draw from each of ``mate_in_2``, ``mate_in_3`` and ``mate_in_4``.
    seed
        Seed of the draw. Of the studies all that have a solution are taken.
    """
    found: list[Known] = []
    for number in (2, 3, 4):
        found += _drawn_mates(folder / f"mate_in_{number}.pgn", mates, [seed, number])
    for path in sorted(folder.glob("*practice*.pgn")):
        theme = _STUDY.search(path.name)
        found += _solved(path, f"study.{theme['theme'] if theme else path.stem}", "study")
    return found


def draw_book_positions(book: Path, count: int, *, seed: int, plies: int = 10) -> list[Known]:
    """Draw positions inside a Polyglot book, 2 to ``plies`` plies deep, none twice.

    The move vouched for is the one with the most weight.
    """
    random = np.random.default_rng(seed)
    found: dict[str, Known] = {}
    with chess.polyglot.open_reader(book) as reader:
        while len(found) < count:
            position = _book_position(reader, int(random.integers(2, plies + 1)), random)
            entries = list(reader.find_all(position.board()))
            if entries:
                favourite = max(entries, key=lambda e: (e.weight, e.move.uci())).move.uci()
                name = f"opening.{len(found):03d}"
                found.setdefault(position.fen, Known(name, "opening", position, favourite))
    return list(found.values())


def book_share(book: Path, position: Position, uci: str) -> float:
    """Return a move's share, 0 to 1, of the weight that a book gives the moves of a position."""
    with chess.polyglot.open_reader(book) as reader:
        weights = {e.move.uci(): e.weight for e in reader.find_all(position.board())}
    return weights.get(uci, 0) / sum(weights.values()) if sum(weights.values()) else 0.0


def draw_human_moves(comments: Sequence[CommentedMove], count: int, *, seed: int) -> list[Known]:
    """Draw moves of the lectures' games, no position twice."""
    fresh = {one.context.position.fen: named for named, one in _named(comments)}
    moves = sorted(fresh.items(), key=lambda item: item[1].name)
    chosen = np.random.default_rng(seed).permutation(len(moves))[:count]
    return [moves[row][1] for row in sorted(chosen)]


def judged_moves(comments: Sequence[CommentedMove]) -> list[tuple[Known, bool]]:
    """Return the moves that a lecturer calls good (``True``) or bad, by the words of the comment.

    A comment counts if it begins with ``!``, ``!!``, ``?``, ``??`` or ``?!``, or with a clause
    such as "very strong" or "the decisive mistake"; no later word is looked at.
    """
    said = ((known, verdict_of(one.comment)) for known, one in _named(comments))
    return [(known, verdict) for known, verdict in said if verdict is not None]


def verdict_of(comment: str) -> bool | None:
    """Return whether a comment begins by calling its move good or bad; ``None`` for neither."""
    sign = _SIGN.match(comment)
    if sign:
        return {"!": True, "!!": True, "?": False, "??": False, "?!": False}.get(sign["sign"])
    if _BAD.match(comment):
        return False
    return True if _GOOD.match(comment) else None


def make_pairs(known: Iterable[Known], *, seed: int) -> list[Pair]:
    """Make pairs of a good and a bad move: the plan's, then one of each opening and mate."""
    plan = Position(_PLAN_FEN)
    good, bad = (read_move(plan, san).uci for san in ("e5", "a6"))
    pairs = [Pair("plan", "plan", plan, good, bad)]
    random = np.random.default_rng(seed)
    for one in known:
        if one.kind not in ("opening", "mate"):
            continue
        bad_moves = _giving_a_piece(one) if one.kind == "opening" else _others(one)
        if bad_moves:
            chosen = bad_moves[int(random.integers(len(bad_moves)))]
            source: Literal["book", "mate"] = "book" if one.kind == "opening" else "mate"
            pairs.append(Pair(one.name, source, one.position, one.move, chosen))
    return pairs


def _named(comments: Sequence[CommentedMove]) -> Iterator[tuple[Known, CommentedMove]]:
    numbers: dict[str, int] = {}
    for one in comments:
        number = numbers.setdefault(one.source, 0)
        numbers[one.source] += 1
        name = f"{one.source}.{number:03d}"
        yield Known(name, "human", one.context.position, one.context.uci), one


def _drawn_mates(path: Path, count: int, seed: list[int]) -> Iterator[Known]:
    """Yield some puzzles of a file in its order, and parse no others."""
    texts = re.split(r"(?m)^(?=\[Event )", path.read_text("latin-1"))[1:]
    for row in sorted(np.random.default_rng(seed).permutation(len(texts))[:count]):
        read = next(read_pgn(texts[row].encode("latin-1")))
        if read.problem:
            raise PgnError(f"{path}: game {row + 1}: {read.problem}")
        game = to_game(read.game)
        yield Known(f"{path.stem}.{row + 1:03d}", "mate", Position(game.root), game.moves[0])


def _solved(path: Path, stem: str, kind: KnownKind) -> Iterator[Known]:
    for read in read_pgn(path):
        if not read.problem:
            game = to_game(read.game)
            yield Known(f"{stem}.{read.number:03d}", kind, Position(game.root), game.moves[0])


def _book_position(
    reader: chess.polyglot.MemoryMappedReader, plies: int, random: np.random.Generator
) -> Position:
    board = chess.Board()
    for _ in range(plies):
        entries = [entry for entry in reader.find_all(board) if entry.weight]
        if not entries:
            break
        weights = np.array([entry.weight for entry in entries], dtype=float)
        board.push(entries[int(random.choice(len(entries), p=weights / weights.sum()))].move)
    return Position.after(move.uci() for move in board.move_stack)


def _others(known: Known) -> list[str]:
    """Return the legal moves other than the known one, sorted."""
    legal = chess.Board(known.position.fen).legal_moves
    return sorted(move.uci() for move in legal if move.uci() != known.move)


def _giving_a_piece(known: Known) -> list[str]:
    board = chess.Board(known.position.fen)
    worth = {uci: exchange(board, chess.Move.from_uci(uci)) for uci in _others(known)}
    return [uci for uci, pawns in worth.items() if pawns <= _PIECE_LOST]
