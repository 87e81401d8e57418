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
after a take-back, headings, in a game of other rules such as bughouse) belong to no move.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import chess

from chessgloss.notation import spell
from chessgloss.positions import (
    CommentedMove,
    MoveInContext,
    Position,
    find_move,
    repair_fen,
    split_of,
)

#: Fewest and most words of a comment that may be evaluated.
WORDS = (3, 40)

_COMMENT = re.compile(r"(?:k|ki|kib|kibitz)\s+(.+)", re.IGNORECASE)
_HEADING = re.compile(
    r"(?i)(?:example|chapter|part)\s+\W*(?:\d|[ivx]+\b)|[-*=_~#.]{3,}$"
)
_PLACE = re.compile(r"([PNBRQKpnbrqkxX])@([a-h][1-8])")
_VARIANTS = frozenset(
    {"bughouse", "crazyhouse", "suicide", "losers", "atomic", "wild", "fr"}
)
_PLACEMENTS = {"fen": "", "start": chess.STARTING_BOARD_FEN, "clear": "8/8/8/8/8/8/8/8"}
_CASTLING = {"both": "kq", "kside": "k", "qside": "q", "none": ""}


class LectureError(ValueError):
    """A folder or file that is no lecture at all."""


@dataclass(slots=True)
class Lecture:
    """A lecture, replayed.

    Parameters
    ----------
    name
        Name of its file without the ending: ``lec7``.
    comments
        Commented moves in the order of the lecture; their source is ``name``.
    comment_lines
        How many lines are comments, on a move or on none.
    lines
        Moves in UCI of every line of play, from a set-up position to where it was left,
        variations included.
    problems
        Lines that were not understood or could not be carried out: their number in the file,
        their text and what is wrong with them.
    """

    name: str
    comments: list[CommentedMove] = field(default_factory=list)
    comment_lines: int = 0
    lines: list[tuple[str, ...]] = field(default_factory=list)
    problems: list[tuple[int, str, str]] = field(default_factory=list)


def read_lecture(path: Path) -> Lecture:
    """Read and replay one lecture.

    Raises
    ------
    LectureError
        If the file is empty.
    """
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise LectureError(
            f"{path} is empty; a lecture holds one server command a line"
        )
    replay = _Replay(path.stem)
    for number, line in enumerate(text.splitlines(), start=1):
        replay.read(number, line.strip())
    replay.leave_line()
    return replay.lecture


def read_lectures(folder: Path) -> list[Lecture]:
    """Read every ``lec<number>.txt`` of a folder, in the order of their numbers.

    Raises
    ------
    LectureError
        If there is none.
    """
    paths = [
        path for path in folder.glob("lec*.txt") if re.fullmatch(r"lec\d+", path.stem)
    ]
    if not paths:
        raise LectureError(
            f"{folder} holds no lec<number>.txt; see the asset 'lectures'"
        )
    return [
        read_lecture(path)
        for path in sorted(paths, key=lambda path: int(path.stem[3:]))
    ]


def commented_moves(folder: Path) -> list[CommentedMove]:
    """Return the commented moves of all lectures of a folder, in order."""
    return [
        comment for lecture in read_lectures(folder) for comment in lecture.comments
    ]


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


class _Replay:
    """The server's examined game, as a lecture's commands change it."""

    def __init__(self, name: str) -> None:
        self.lecture = Lecture(name)
        self.board: chess.Board | None = chess.Board()
        #: A position being set up, with the side to move and the castling rights spoken of.
        self.set_up: chess.Board | None = None
        self.turn = "w"
        self.castling = {"w": "kq", "b": "kq"}
        self.variant = False
        self.after_move = False  # the next comment belongs to the last move
        self.unsaved = False  # moves were played since the line was last kept
        self.pending: list[str] = []

    def read(self, number: int, line: str) -> None:
        """Carry out one line; record a problem if that cannot be done."""
        command, *arguments = line.split() or [""]
        handler = getattr(self, f"do_{command.lower()}", None)
        try:
            if comment := _COMMENT.fullmatch(line):
                self.comment(" ".join(comment[1].split()))
            elif handler:
                handler(arguments)
            elif line and not line.isdecimal():  # a bare number is a pause
                self.move(command, arguments)
        except ValueError as error:
            self.lecture.problems.append((number, line, str(error)))

    def comment(self, text: str) -> None:
        """Keep a comment if it belongs to a move."""
        self.lecture.comment_lines += 1
        if not self.variant and _HEADING.match(text):
            self.leave_move()
        elif not self.variant and self.after_move:
            self.pending.append(text)

    def move(self, text: str, rest: Sequence[str]) -> None:
        """Play a move, or put a piece on a square."""
        if any(word.strip("+#!?") for word in rest):
            raise ValueError("not a command of the lectures' language")
        if self.set_up and _PLACE.fullmatch(text):
            self.set(text, [])
        elif not self.variant:
            move = _parse_move(board := self.playable(), text)
            self.leave_move()
            board.push(move)
            self.after_move = self.unsaved = True

    def leave_move(self) -> None:
        """Keep the comments on the last move, and let later ones belong to none."""
        if self.pending and self.board is not None:
            moves = [move.uci() for move in self.board.move_stack]
            position = Position.after(moves[:-1], self.board.root().fen())
            context = MoveInContext(position, moves[-1])
            text = " ".join(self.pending)
            comment = CommentedMove(context, text, self.lecture.name, len(moves) - 1)
            self.lecture.comments.append(comment)
        self.pending = []
        self.after_move = False

    def leave_line(self) -> None:
        """Leave the last move, and keep the line of play that ends with it."""
        self.leave_move()
        if self.unsaved and self.board is not None:
            self.lecture.lines.append(
                tuple(move.uci() for move in self.board.move_stack)
            )
        self.unsaved = False

    def playable(self) -> chess.Board:
        """Return the board, if moves can be played on it."""
        if self.set_up is not None:
            raise ValueError("a position is being set up; 'bsetup done' is missing")
        if self.board is None:
            raise ValueError("the position that was set up last is not legal")
        return self.board

    def do_back(self, arguments: Sequence[str]) -> None:
        """Take plies back."""
        self.leave_move()
        if self.variant:
            return
        if arguments and not arguments[0].isdecimal():
            raise ValueError("back needs a number of plies")
        wanted = int(arguments[0]) if arguments else 1
        board = self.playable()
        self.leave_line()
        known = len(board.move_stack)
        for _ in range(min(wanted, known)):
            board.pop()
        if known < wanted:
            raise ValueError(f"{wanted} plies back, but only {known} were played")

    def do_revert(self, arguments: Sequence[str]) -> None:
        """Go back to the last position set up."""
        self.leave_move()
        if not self.variant:
            board = self.playable()
            self.leave_line()
            self.board = board.root()

    def do_bsetup(self, arguments: Sequence[str]) -> None:
        """Open the set-up of a position, or carry out one of its commands."""
        self.leave_line()
        if self.set_up is None:
            self.set_up = (self.board or chess.Board()).copy(stack=False)
            self.turn = "w"
            self.castling = {"w": "kq", "b": "kq"}
        if arguments:
            self.set(arguments[0].lower(), arguments[1:])

    def set(self, word: str, values: Sequence[str]) -> None:
        """Carry out a command of a position's set-up."""
        value = " ".join(values).lower()
        if word in _PLACEMENTS:
            self.set_up = chess.Board(None)
            self.set_up.set_board_fen(_PLACEMENTS[word] or "".join(values[:1]))
        elif word in ("wcastle", "bcastle") and value in _CASTLING:
            self.castling[word[0]] = _CASTLING[value]
        elif word == "standard" or not _VARIANTS.isdisjoint((word, value)):
            self.variant = word != "standard"
        elif word == "tomove":
            self.do_tomove(values)
        elif self.set_up and (placed := _PLACE.fullmatch(word)):
            piece = None if placed[1] in "xX" else chess.Piece.from_symbol(placed[1])
            self.set_up.set_piece_at(chess.parse_square(placed[2]), piece)
        elif self.set_up and word == "done":
            rights = self.castling["w"].upper() + self.castling["b"] or "-"
            fen = f"{self.set_up.board_fen()} {self.turn} {rights} - 0 1"
            self.set_up, self.board = None, None
            if not self.variant:
                self.board = repair_fen(fen).position.board()
        elif word not in ("wname", "bname"):
            raise ValueError(f"unknown set-up command {word!r}")

    def do_tomove(self, arguments: Sequence[str]) -> None:
        """Set the side to move."""
        word = arguments[0].lower() if arguments else ""
        if word not in ("white", "black", "w", "b"):
            raise ValueError("tomove needs white or black")
        turn = word.startswith("w")
        if self.set_up is not None:
            self.turn = word[0]
        elif self.board is not None and self.board.turn != turn:
            self.leave_line()
            board = self.board.copy(stack=False)
            board.turn = turn
            board.ep_square = None
            self.board = repair_fen(board.fen()).position.board()

    def do_wname(self, arguments: Sequence[str]) -> None:
        """Pass over a player's name."""

    do_bname = do_wname


def _parse_move(board: chess.Board, text: str) -> chess.Move:
    """Read a move as the server did: SAN, long, pieces in lower case, ``exd``."""
    bare = text.rstrip("+#!?")
    capital = bare if bare.startswith("b") else bare.capitalize()  # b is a file
    for spelling in (bare, bare.lower(), capital):
        with suppress(ValueError):
            if spelt := spell(spelling):
                return find_move(board, spelt)
    raise ValueError(
        f"{text!r} is neither a command nor a legal move in {board.fen()!r}"
    )
