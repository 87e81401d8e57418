"""The lectures of the Free Internet Chess Server: expert commentary, move by move.

A lecture is a script of server commands, one a line (from the guide that comes with the
collection, ``toddmf_lecbot.txt``, and from how PyChess plays the files, ``perspectives/learn/
LecturesPanel.py``), read in either case:

- ``k``, ``ki``, ``kib``, ``kibitz`` and a text: a comment;
- a bare number: a pause in seconds;
- a move, long (``g1f3``, ``f2f1=q``) or in SAN;
- ``back N`` takes ``N`` plies back, ``revert`` goes back to the last position set up;
- ``bsetup`` opens the set-up of a position (``fen PLACEMENT``, ``start``, ``clear``,
  ``P@e4`` and ``x@e4``, ``tomove``, ``wcastle`` and ``bcastle`` with ``kside``, ``qside``,
  ``both`` or ``none``, a variant's name), ``bsetup done`` closes it;
- ``tomove``, ``wname``, ``bname``: side to move, names of the players.

Castling rights not spoken of in a set-up are those the placement allows; a side to move not
spoken of is White.

A comment belongs to a move if nothing but pauses, names and other comments stands between
the two; such comments are joined. All other comments (before the first move of a position,
after a take-back, headings, in a variant game) belong to no move and are counted. Whatever is
not understood becomes a :class:`Problem` with its line number.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import chess

from chessgloss.positions import CommentedMove, Game, MoveInContext, Position, repair_fen, split_of

#: Fewest and most words of a comment that may be evaluated.
WORDS = (3, 40)

_COMMENT = re.compile(r"(?:k|ki|kib|kibitz)\s+(.+)", re.IGNORECASE)
_HEADING = re.compile(r"(?i)(?:example|chapter|part)\s+\W*(?:\d|[ivx]+\b)|[-*=_~#.]{3,}$")
_PLACE = re.compile(r"([PNBRQKpnbrqkxX])@([a-h][1-8])")
_PAWN_TAKES = re.compile(r"([a-h])x?([a-h])")
_LOWER_PIECE = re.compile(r"([nrqk])(x?[a-h][1-8])")
_VARIANTS = frozenset({"bughouse", "crazyhouse", "suicide", "losers", "atomic", "wild", "fr"})
_PLACEMENTS = {"fen": "", "start": chess.STARTING_BOARD_FEN, "clear": "8/8/8/8/8/8/8/8"}
_CASTLING = {"both": "kq", "kside": "k", "qside": "q", "none": ""}


class LectureError(ValueError):
    """A folder or file that is no lecture at all."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that was not understood, or could not be carried out.

    Parameters
    ----------
    line
        Its number in the file, from 1.
    text
        The line.
    reason
        What is wrong with it.
    """

    line: int
    text: str
    reason: str


@dataclass(slots=True)
class Counts:
    """What became of a lecture's lines.

    Parameters
    ----------
    on_moves
        Comment lines that belong to a move.
    before_moves
        Comment lines that belong to none: before a position's first move, after a take-back.
    headings
        Comment lines such as ``Example 3: ...`` or a row of asterisks: they belong to what
        follows, and end the comment on the move before.
    in_variants
        Comment lines in games of other rules (bughouse), which are not replayed.
    variant_moves
        Moves of such games.
    plies
        Moves replayed, those of variations included.
    """

    on_moves: int = 0
    before_moves: int = 0
    headings: int = 0
    in_variants: int = 0
    variant_moves: int = 0
    plies: int = 0

    @property
    def comment_lines(self) -> int:
        """All comment lines of the lecture."""
        return self.on_moves + self.before_moves + self.headings + self.in_variants


@dataclass(frozen=True, slots=True)
class Lecture:
    """A lecture, replayed.

    Parameters
    ----------
    name
        Name of its file without the ending: ``lec7``.
    title, author
        As PyChess lists them (``lectures.tsv``), the author by his handle on the server;
        empty for a file that is not in the list.
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


def read_lecture(path: Path) -> Lecture:
    """Read and replay one lecture.

    Raises
    ------
    LectureError
        If the file is empty.
    """
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise LectureError(f"{path} is empty; a lecture holds one server command a line")
    replay = _Replay(path.stem)
    for number, line in enumerate(text.splitlines(), start=1):
        replay.read(number, line.strip())
    replay.leave_move()
    replay.keep_line()
    title, author = catalogue().get(path.stem, ("", ""))
    comments, lines = tuple(replay.comments), tuple(replay.lines)
    problems = tuple(replay.problems)
    return Lecture(path.stem, title, author, comments, lines, replay.counts, problems)


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


@cache
def catalogue() -> dict[str, tuple[str, str]]:
    """Return title and author of each lecture by its name, after PyChess's list of them."""
    with Path(__file__).with_suffix(".tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {row["lecture"]: (row["title"], row["author"]) for row in rows}


# ---------------------------------------------------------------- which are held out


def eligible(comment: CommentedMove) -> bool:
    """Return whether a comment is neither a mere remark nor an essay (see :data:`WORDS`)."""
    return WORDS[0] <= comment.words <= WORDS[1]


def evaluated_lectures(lectures: Iterable[Lecture]) -> frozenset[str]:
    """Return the names of the lectures kept for evaluation, never trained on nor shown.

    The rule looks at names only, so that it can be stated before any method runs: a lecture
    is evaluated if the one split by name (:func:`~chessgloss.positions.split_of`) does not put
    it into the training part.
    """
    return frozenset(each.name for each in lectures if split_of(each.name) != "train")


# ---------------------------------------------------------------- the server's commands


@dataclass
class _SetUp:
    """A position being set up; ``None`` for what has not been said."""

    board: chess.Board
    turn: chess.Color | None = None
    castling: dict[chess.Color, str] = field(default_factory=dict)

    def fen(self) -> str:
        """Return the FEN; castling rights not spoken of are those the placement allows."""
        white, black = (self.castling.get(color, "kq") for color in chess.COLORS)
        turn = "b" if self.turn == chess.BLACK else "w"
        return f"{self.board.board_fen()} {turn} {white.upper() + black or '-'} - 0 1"


class _Replay:
    """The server's examined game, as a lecture's commands change it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.comments: list[CommentedMove] = []
        self.lines: list[Game] = []
        self.problems: list[Problem] = []
        self.counts = Counts()
        self.board: chess.Board | None = chess.Board()
        self.set_up: _SetUp | None = None
        self.variant = False
        self.names = {chess.WHITE: "?", chess.BLACK: "?"}
        self.after_move = False  # the next comment belongs to the last move
        self.unsaved = False  # moves were played since the line was last kept
        self.pending: list[str] = []

    def read(self, number: int, line: str) -> None:
        """Carry out one line; record a problem if that cannot be done."""
        command, *arguments = line.split() or [""]
        handler = _COMMANDS.get(command.lower())
        try:
            if comment := _COMMENT.fullmatch(line):
                self._comment(" ".join(comment[1].split()))
            elif handler:
                handler(self, arguments)
            elif line and not line.isdecimal():  # a bare number is a pause
                self._move(command, arguments)
        except ValueError as error:
            self.problems.append(Problem(number, line, str(error)))

    def leave_move(self) -> None:
        """Keep the comments on the last move, and let later ones belong to none."""
        if self.pending and self.board is not None:
            moves = [move.uci() for move in self.board.move_stack]
            position = Position.after(moves[:-1], self.board.root().fen())
            context = MoveInContext(position, moves[-1])
            text = " ".join(self.pending)
            self.comments.append(CommentedMove(context, text, self.name, len(moves) - 1))
        self.pending, self.after_move = [], False

    def keep_line(self) -> None:
        """Keep the line of play that ends here."""
        if self.unsaved and self.board is not None:
            moves = tuple(move.uci() for move in self.board.move_stack)
            white, black = self.names[chess.WHITE], self.names[chess.BLACK]
            self.lines.append(Game(moves, "*", white, black, root=self.board.root().fen()))
        self.unsaved = False

    def _comment(self, text: str) -> None:
        if self.variant:
            self.counts.in_variants += 1
        elif _HEADING.match(text):
            self.counts.headings += 1
            self.leave_move()
        elif self.after_move:
            self.counts.on_moves += 1
            self.pending.append(text)
        else:
            self.counts.before_moves += 1

    def _move(self, text: str, rest: Sequence[str]) -> None:
        if any(word.strip("+#!?") for word in rest):
            raise ValueError("not a command of the lectures' language")
        if self.set_up and _PLACE.fullmatch(text):
            self._place(self.set_up, text)
        elif self.variant:
            self.counts.variant_moves += 1
        else:
            board = self._playable()
            move = _parse_move(board, text)
            self.leave_move()
            board.push(move)
            self.counts.plies += 1
            self.after_move = self.unsaved = True

    def _back(self, arguments: Sequence[str]) -> None:
        self.leave_move()
        if self.variant:
            return
        if arguments and not arguments[0].isdecimal():
            raise ValueError("back needs a number of plies")
        wanted = int(arguments[0]) if arguments else 1
        board = self._playable()
        self.keep_line()
        known = len(board.move_stack)
        for _ in range(min(wanted, known)):
            board.pop()
        if known < wanted:
            raise ValueError(f"{wanted} plies back, but only {known} were played")

    def _revert(self, arguments: Sequence[str]) -> None:
        self.leave_move()
        if not self.variant:
            board = self._playable()
            self.keep_line()
            self.board = board.root()

    def _bsetup(self, arguments: Sequence[str]) -> None:
        self.leave_move()
        self.keep_line()
        if self.set_up is None:
            self.set_up = _SetUp((self.board or chess.Board()).copy(stack=False))
            self.names = {chess.WHITE: "?", chess.BLACK: "?"}
        if arguments:
            self._set(self.set_up, arguments[0].lower(), arguments[1:])

    def _set(self, set_up: _SetUp, word: str, values: Sequence[str]) -> None:
        """Carry out a sub-command of ``bsetup``."""
        value = " ".join(values).lower()
        if word in _PLACEMENTS:
            set_up.board = chess.Board(None)
            set_up.board.set_board_fen(_PLACEMENTS[word] or "".join(values[:1]))
        elif word in ("wcastle", "bcastle") and value in _CASTLING:
            set_up.castling[word == "wcastle"] = _CASTLING[value]
        elif word == "standard" or not _VARIANTS.isdisjoint((word, value)):
            self.variant = word != "standard"
        elif word in ("tomove", "wname", "bname"):
            _COMMANDS[word](self, values)
        elif _PLACE.fullmatch(word):
            self._place(set_up, word)
        elif word == "done":
            self.set_up, self.board = None, None
            if not self.variant:
                self.board = repair_fen(set_up.fen()).position.board()
        else:
            raise ValueError(f"unknown set-up command {word!r}")

    def _place(self, set_up: _SetUp, text: str) -> None:
        symbol, square = text.split("@")
        piece = None if symbol in "xX" else chess.Piece.from_symbol(symbol)
        set_up.board.set_piece_at(chess.parse_square(square), piece)

    def _tomove(self, arguments: Sequence[str]) -> None:
        word = arguments[0].lower() if arguments else ""
        if word not in ("white", "black", "w", "b"):
            raise ValueError("tomove needs white or black")
        turn = word.startswith("w")
        if self.set_up is not None:
            self.set_up.turn = turn
        elif self.board is not None and self.board.turn != turn:
            self.leave_move()
            self.keep_line()
            board = self.board.copy(stack=False)
            board.turn, board.ep_square = turn, None
            self.board = repair_fen(board.fen()).position.board()

    def _name(self, color: chess.Color, arguments: Sequence[str]) -> None:
        self.names[color] = " ".join(arguments) or "?"

    def _playable(self) -> chess.Board:
        if self.set_up is not None:
            raise ValueError("a position is being set up; 'bsetup done' is missing")
        if self.board is None:
            raise ValueError("the position that was set up last is not legal")
        return self.board


_COMMANDS: dict[str, Callable[[_Replay, Sequence[str]], None]] = {
    "back": _Replay._back,
    "revert": _Replay._revert,
    "bsetup": _Replay._bsetup,
    "tomove": _Replay._tomove,
    "wname": lambda replay, arguments: replay._name(chess.WHITE, arguments),
    "bname": lambda replay, arguments: replay._name(chess.BLACK, arguments),
}


def _parse_move(board: chess.Board, text: str) -> chess.Move:
    """Read a move as the server did: SAN, long, pieces in lower case, ``exd``."""
    bare = text.rstrip("+#!?")
    for spelling in _spellings(bare):
        for parse in (board.parse_san, board.parse_uci):
            try:
                return parse(spelling)
            except ValueError:
                continue
    if files := _PAWN_TAKES.fullmatch(bare):
        start, end = (chess.BB_FILES[chess.FILE_NAMES.index(name)] for name in files.groups())
        captures = list(board.generate_legal_moves(board.pawns & start, end))
        if len(captures) == 1:
            return captures[0]
    raise ValueError(f"{text!r} is neither a command nor a legal move in {board.fen()!r}")


def _spellings(text: str) -> Iterator[str]:
    yield text
    yield text.replace("0", "O").replace("o", "O")
    yield text.lower().replace("=", "")
    if piece := _LOWER_PIECE.fullmatch(text):
        yield piece[1].upper() + piece[2]
