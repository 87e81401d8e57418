"""The positions in which players are asked: the test suite, and those that somebody vouches for.

The suite is drawn from the games of :mod:`chessgloss.skill.levels`. Each game gives two positions
(the static-position plan's 1.2): one early, from moves 4 to 6 or, in every second game, from a
middle band, and one late, 5 to 8 full moves before the end. Which ply of a band is taken is
drawn with a seed; a position that is in the suite already (early ones recur, since every level
starts from the same openings), or with a single legal move, is passed over. Each keeps the
move really played and its grade: the baseline.

Scored apart are puzzles, openings and people's games (:func:`read_known_sets`), read from where
their authors published them (PyChess's puzzles and Polyglot book, the FICS lectures); only
names, hashes and numbers of them are kept. They also give pairs of a good and a bad move,
chosen without the grader, by which it is validated.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import chess
import chess.pgn
import chess.polyglot
import numpy as np
import pandas as pd

from chessgloss import assets
from chessgloss.concepts.facts import PREDICATES
from chessgloss.corpora.lectures import commented_moves
from chessgloss.corpora.pgn import read_pgn
from chessgloss.positions import CommentedMove, Game, Position, read_move
from chessgloss.predicates.tactics import (
    Exchanges,
    exchange,
    forks,
    hanging,
    line_tactics,
    mates,
)
from chessgloss.skill.grading import position_key
from chessgloss.skill.players import PLAYS, Asked
from chessgloss.store import find_project

#: Version of the suite: it changes with every change of a position.
VERSION = 1

#: Seed of everything that is drawn here.
SEED = 8

#: Columns of the suite: name (``skill_05.003.early``), the Skill Level that played the game and
#: the plan's Elo of it, key of the game and its number within its level, plies played before,
#: band and phase (:func:`chessgloss.positions.phase_of`), the position, the move really
#: played (UCI), centipawns that it lost and its grade.
COLUMNS: Final = (
    "name",
    "level",
    "elo",
    "game",
    "number",
    "ply",
    "band",
    "phase",
    "fen",
    "played",
    "loss",
    "grade",
)

#: Of every five games of a level, those in whose positions a reason is asked for too.
_REASON_GAMES: Final = (0, 1)

#: Games of each level whose positions are searched at other limits too, and at depth 18.
OTHER_GAMES: Final = 10
DEPTH_GAMES: Final = 6

#: Ways in which it is asked for a move alone.
MODEL_PLAYS: Final = tuple(play for play in PLAYS if play != "fen_reason")


def data_folder() -> Path:
    """Return the folder of the games, the suite, the tables and the kept answers."""
    return find_project() / "data" / "static"


# ---------------------------------------------------------------- the suite


def positions_of(
    suite: pd.DataFrame, games: Mapping[int, Sequence[Game]]
) -> list[Position]:
    """Return the positions of a suite with their histories.

    Raises
    ------
    ValueError
        If a position is not in its game.
    """
    positions = []
    for row in suite.itertuples():
        game = next(iter(games[row.level][row.number :]), None)
        position = game.position(row.ply) if game and game.key == row.game else None
        if position is None or position.fen != row.fen:
            raise ValueError(f"{row.name} is not of these games; build the suite again")
        positions.append(position)
    return positions


def compared_moves(suite: pd.DataFrame) -> list[tuple[str, str]]:
    """Return two moves (UCI) a position: the one played, and a legal one drawn at random.

    They are graded at the plan's depth too, so that good and bad moves are compared.
    """
    random = np.random.default_rng(SEED)
    moves = []
    for row in suite.itertuples():
        legal = sorted(move.uci() for move in chess.Board(row.fen).legal_moves)
        moves.append((row.played, legal[int(random.integers(len(legal)))]))
    return moves


def read_suite(path: Path) -> pd.DataFrame:
    """Read a suite: one row a position, columns :data:`COLUMNS`.

    Raises
    ------
    ValueError
        If the file is not in its form or of another version.
    """
    data = json.loads(path.read_text("utf-8"))
    if data.get("version") != VERSION:
        raise ValueError(
            f"{path.name} is version {data.get('version')}; this reads {VERSION}"
        )
    suite = pd.DataFrame(data["positions"])
    if tuple(suite) != COLUMNS:
        raise ValueError(f"{path.name} has not the columns {', '.join(COLUMNS)}")
    return suite


def ask(suite: pd.DataFrame, positions: Sequence[Position]) -> list[Asked]:
    """Return the questions to players for positions of the suite."""
    return [Asked(*pair) for pair in zip(suite["name"], positions, strict=True)]


def reason_asked(asked: Sequence[Asked]) -> list[Asked]:
    """Return the positions of the suite in which a reason is asked for too.

    They are those of two games in five of each level, by the number in the position's name, so
    that a smaller choice of positions asks for no other reasons.
    """
    numbers = [int(question.name.split(".")[1]) for question in asked]
    return [
        each for each, n in zip(asked, numbers, strict=True) if n % 5 in _REASON_GAMES
    ]


# ---------------------------------------------------------------- kinds of position


def motifs(board: chess.Board) -> dict[str, bool]:
    """Return what is at stake at once for the side to move, by the rules of the facts.

    ``mate``: it can mate; ``check``: it is in check; ``capture``: it can win material by
    exchange; ``hanging``: the opponent could, after a pass; ``fork``: a piece of either side
    forks and cannot be won; ``pin``, ``skewer``: of either.
    """
    own = Exchanges(board, board.turn)
    other = Exchanges(board, not board.turn)
    taken = tuple(own.captures())
    lost = tuple(other.captures())
    lines = [line_tactics(board, side) for side in (own, other)]
    forking = forks(board, board.turn, taken) + forks(board, not board.turn, lost)
    return {
        "mate": bool(mates(board, board.turn)),
        "check": board.is_check(),
        "capture": any(capture.gain > 0 for capture in taken),
        "hanging": bool(hanging(board, board.turn, lost)),
        "fork": any(fork.safe for fork in forking),
        "pin": any(pins for pins, _ in lines),
        "skewer": any(skewers for _, skewers in lines),
    }


def describe_positions(fens: Sequence[str]) -> pd.DataFrame:
    """Return what kind of position each is; the board alone decides.

    Returns
    -------
    pandas.DataFrame
        One row a position: ``side`` to move, ``kind`` (``tactical`` if material or a king is
        at stake at once, else ``quiet``; a pin or skewer alone stands on most boards), and a
        boolean for each of the :func:`motifs` (``motif fork``) and each concept of
        :mod:`chessgloss.concepts.facts` that holds for the side to move (``concept pin``).
    """
    rows = []
    for fen in fens:
        board = chess.Board(fen)
        held = motifs(board)
        tactical = any(held[name] for name in held.keys() - {"pin", "skewer"})
        row: dict[str, str | bool] = {"side": "White" if board.turn else "Black"}
        row["kind"] = "tactical" if tactical else "quiet"
        row |= {f"motif {name}": holds for name, holds in held.items()}
        row |= {
            f"concept {key}": bool(hold(board, board.turn))
            for key, hold in PREDICATES.items()
        }
        rows.append(row)
    return pd.DataFrame(rows)


# ---------------------------------------------------------------- positions scored apart

#: Static exchange in pawns from which a move counts as giving away a piece.
_PIECE_LOST = -3

#: The plan's validation case (2.2), with the en passant square as a normal FEN has it.
_PLAN_FEN = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"

#: How a comment calls its move good or bad: at its beginning, of the move itself.
_SIGN: Final = re.compile(r"^\s*(?P<sign>\?\?|!!|\?!|!\?|\?|!)(?![\w?!])")
_OF_THE_MOVE = r"(?:[!.,:]| moves?\b| sacrifice\b)"
_THIS = r"^\W*(?:(?:this|it|here) )?(?:(?:is|was) )?(?:an? |another |the |one of the )?"
_GOOD: Final = re.compile(
    _THIS + r"(?:(?:very|extremely|really|simple but) )*"
    r"(?:strong|excellent|brilliant|best|good|nice|great|correct)" + _OF_THE_MOVE,
    re.I,
)
_BAD: Final = re.compile(
    _THIS + r"(?:(?:very|decisive|fatal|serious|losing|bad) )*"
    r"(?:blunder|mistake|error|weak|bad)" + _OF_THE_MOVE,
    re.I,
)

#: People's moves that are scored apart.
_HUMAN = 60


class Known(NamedTuple):
    """A position with the move that is vouched for, or was played there.

    Parameters
    ----------
    name
        ``mate_in_2.017``, ``study.the-fork.003``, ``opening.012``, ``lec9.031``.
    kind
        Which set it belongs to: ``mate``, ``study``, ``opening`` or ``human``.
    position
        The position, with its history where there is one.
    move
        First move of the solution, the book's favourite, or what the person played; UCI.
    """

    name: str
    kind: str
    position: Position
    move: str


class Pair(NamedTuple):
    """A good and a bad move (UCI) of one position, chosen without the grader.

    ``source`` is the rule: the ``plan``'s own, the ``book``'s favourite against a move that
    loses a piece by static exchange, or the first move of a ``mate`` against another legal
    move drawn at random.
    """

    name: str
    source: str
    position: Position
    good: str
    bad: str


class KnownSets(NamedTuple):
    """Positions scored apart, moves that a lecturer calls good (or bad), pairs of moves."""

    known: list[Known]
    judged: list[tuple[Known, bool]]
    pairs: list[Pair]

    def positions(self) -> list[Position]:
        """Return every position in these sets, a repeated one once."""
        each: list[Known | Pair] = [
            *self.known,
            *(known for known, _ in self.judged),
            *self.pairs,
        ]
        return list({position_key(one.position): one.position for one in each}.values())


def read_known_sets() -> KnownSets:
    """Read puzzles, openings and lectures from their assets, by the rules of the book."""
    comments = commented_moves(assets.locate("lectures"))
    known = read_puzzles(assets.locate("puzzles"))
    known += draw_book_positions(assets.locate("opening_book"))
    pairs = make_pairs(known)
    people = name_moves(comments)
    fresh = {move.position.fen: move for move in people}
    moves = sorted(fresh.values(), key=lambda move: move.name)
    chosen = np.random.default_rng(SEED).permutation(len(moves))[:_HUMAN]
    known += [moves[row] for row in sorted(chosen)]
    verdicts = [praised(comment.comment) for comment in comments]
    judged = [
        (move, good)
        for move, good in zip(people, verdicts, strict=True)
        if good is not None
    ]
    return KnownSets(known, judged, pairs)


def read_puzzles(folder: Path, count: int = 20) -> list[Known]:
    """Read puzzles that come with their solution.

    Parameters
    ----------
    folder
        PyChess's puzzles (asset ``puzzles``).
    count
        Mates to draw from each of ``mate_in_2``, ``mate_in_3`` and ``mate_in_4``. Of the
        studies all that have a solution are taken.
    """
    games: list[tuple[str, str, chess.pgn.Game]] = []
    for number in (2, 3, 4):
        text = (folder / f"mate_in_{number}.pgn").read_text("latin-1")
        texts = re.split(r"(?m)^(?=\[Event )", text)[1:]
        for row in sorted(
            np.random.default_rng([SEED, number]).permutation(len(texts))[:count]
        ):
            game = next(read_pgn(texts[row].encode("latin-1"))).game
            games.append((f"mate_in_{number}.{row + 1:03d}", "mate", game))
    for path in sorted(folder.glob("*practice*.pgn")):
        stem = f"study.{path.stem.split('practice-')[-1].split('_by_')[0]}"
        good = (each for each in read_pgn(path) if not (each.problem or each.unplayed))
        games += [(f"{stem}.{read.number:03d}", "study", read.game) for read in good]
    return [
        Known(
            name,
            kind,
            Position(game.board().fen()),
            next(iter(game.mainline_moves())).uci(),
        )
        for name, kind, game in games
    ]


def draw_book_positions(book: Path, count: int = 60, plies: int = 10) -> list[Known]:
    """Draw positions inside a Polyglot book, 2 to ``plies`` plies deep, none twice.

    The move vouched for is the one with the most weight.
    """
    random = np.random.default_rng(SEED)
    drawn: dict[str, Known] = {}
    with chess.polyglot.open_reader(book) as reader:
        while len(drawn) < count:
            board = chess.Board()
            for _ in range(int(random.integers(2, plies + 1))):
                entries = [entry for entry in reader.find_all(board) if entry.weight]
                if not entries:
                    break
                weights = np.array([entry.weight for entry in entries], dtype=float)
                chosen = int(random.choice(len(entries), p=weights / weights.sum()))
                board.push(entries[chosen].move)
            entries = list(reader.find_all(board))
            if entries:
                favourite = max(
                    entries, key=lambda entry: (entry.weight, entry.move.uci())
                )
                position = Position.after(move.uci() for move in board.move_stack)
                name = f"opening.{len(drawn):03d}"
                known = Known(name, "opening", position, favourite.move.uci())
                drawn.setdefault(position.fen, known)
    return list(drawn.values())


def name_moves(comments: Sequence[CommentedMove]) -> list[Known]:
    """Return the lectures' moves, named by lecture and number of the comment in it."""
    counts: Counter[str] = Counter()
    moves = []
    for comment in comments:
        name = f"{comment.source}.{counts[comment.source]:03d}"
        counts[comment.source] += 1
        moves.append(
            Known(name, "human", comment.context.position, comment.context.uci)
        )
    return moves


def praised(comment: str) -> bool | None:
    """Return whether a comment begins by calling its move good or bad; ``None`` for neither.

    A comment counts if it begins with ``!``, ``!!``, ``?``, ``??`` or ``?!``, or with a clause
    such as "very strong" or "the decisive mistake"; no later word is looked at.
    """
    sign = _SIGN.match(comment)
    if sign:
        return {"!": True, "!!": True, "?": False, "??": False, "?!": False}.get(
            sign["sign"]
        )
    if _BAD.match(comment):
        return False
    return True if _GOOD.match(comment) else None


def make_pairs(known: Sequence[Known]) -> list[Pair]:
    """Make pairs of a good and a bad move: the plan's, then one of each opening and mate."""
    plan = Position(_PLAN_FEN)
    good, bad = (read_move(plan, san).uci for san in ("e5", "a6"))
    pairs = [Pair("plan", "plan", plan, good, bad)]
    random = np.random.default_rng(SEED)
    for move in known:
        if move.kind not in ("opening", "mate"):
            continue
        board = chess.Board(move.position.fen)
        bad_moves = sorted(
            each.uci() for each in board.legal_moves if each.uci() != move.move
        )
        if move.kind == "opening":
            worth = {
                uci: exchange(board, chess.Move.from_uci(uci)) for uci in bad_moves
            }
            bad_moves = [uci for uci, pawns in worth.items() if pawns <= _PIECE_LOST]
        if bad_moves:
            chosen = bad_moves[int(random.integers(len(bad_moves)))]
            source = "book" if move.kind == "opening" else "mate"
            pairs.append(Pair(move.name, source, move.position, move.move, chosen))
    return pairs
