"""The command language of the FICS lectures, replayed.

The commands, one a line (from the guide that comes with the collection,
``toddmf_lecbot.txt``, and from how PyChess plays the files, ``perspectives/learn/
LecturesPanel.py``):

- ``k``, ``ki``, ``kib``, ``kibitz`` and a text: a comment;
- a bare number: a pause in seconds;
- a move, long (``g1f3``, ``f2f1=q``) or in SAN;
- ``back N`` takes ``N`` plies back, ``revert`` goes back to the last position set up;
- ``bsetup`` opens the set-up of a position (``fen PLACEMENT``, ``start``, ``clear``,
  ``P@e4`` and ``x@e4``, ``tomove``, ``wcastle`` and ``bcastle`` with ``kside``, ``qside``,
  ``both`` or ``none``, a variant's name), ``bsetup done`` closes it;
- ``tomove``, ``wname``, ``bname``: side to move, names of the players.

Commands are read in either case. Castling rights not spoken of in a set-up are those the
placement allows; a side to move not spoken of is White.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import chess

from chessgloss.positions import CommentedMove, Game, MoveInContext, Position, repair_fen

_COMMENT = re.compile(r"(?:k|ki|kib|kibitz)\s+(.+)", re.IGNORECASE)
_PLACE = re.compile(r"([PNBRQKpnbrqkxX])@([a-h][1-8])")
_PAWN_TAKES = re.compile(r"([a-h])x?([a-h])")
_LOWER_PIECE = re.compile(r"([nrqk])(x?[a-h][1-8])")
_VARIANTS = frozenset({"bughouse", "crazyhouse", "suicide", "losers", "atomic", "wild", "fr"})
_PLACEMENTS = {"fen": "", "start": chess.STARTING_BOARD_FEN, "clear": "8/8/8/8/8/8/8/8"}
_CASTLING = {"both": "kq", "kside": "k", "qside": "q", "none": ""}
_HEADING = re.compile(
    r"(?:example|chapter|part)\s+\W*(?:\d|[ivx]+\b)|[-*=_~#.]{3,}$", re.IGNORECASE
)


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


@dataclass(frozen=True, slots=True)
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
    set_ups
        Positions that were set up, the first one of the lecture included.
    plies
        Moves replayed, those of variations included.
    pauses
        Pauses, in seconds, summed.
    """

    on_moves: int = 0
    before_moves: int = 0
    headings: int = 0
    in_variants: int = 0
    variant_moves: int = 0
    set_ups: int = 0
    plies: int = 0
    pauses: int = 0

    @property
    def comment_lines(self) -> int:
        """All comment lines of the lecture."""
        return self.on_moves + self.before_moves + self.headings + self.in_variants


@dataclass
class _SetUp:
    """A position being set up; ``None`` for what has not been said."""

    board: chess.Board
    turn: chess.Color | None = None
    castling: dict[chess.Color, str] = field(default_factory=dict)

    def fen(self) -> str:
        """Return the FEN; castling rights not spoken of are those the placement allows."""
        rights = "".join(
            letters.upper() if color else letters
            for color in chess.COLORS
            for letters in [self.castling.get(color, "kq")]
        )
        turn = "b" if self.turn == chess.BLACK else "w"
        return f"{self.board.board_fen()} {turn} {rights or '-'} - 0 1"


class Replay:
    """The server's examined game, as a lecture's commands change it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.comments: list[CommentedMove] = []
        self.lines: list[Game] = []
        self.problems: list[Problem] = []
        self.counts = dict.fromkeys(Counts.__dataclass_fields__, 0) | {"set_ups": 1}
        self.board: chess.Board | None = chess.Board()
        self.set_up: _SetUp | None = None
        self.variant = False
        self.names = {chess.WHITE: "?", chess.BLACK: "?"}
        self.after_move = False  # the next comment belongs to the last move
        self.unsaved = False  # moves were played since the line was last kept
        self.pending: list[str] = []

    def read(self, number: int, line: str) -> None:
        """Carry out one line; record a problem if that cannot be done."""
        try:
            self._obey(line)
        except ValueError as error:
            self.problems.append(Problem(number, line, str(error)))

    def close(self) -> None:
        """Keep what is pending at the end of the lecture."""
        self._leave_move()
        self._keep_line()

    def _obey(self, line: str) -> None:
        comment = _COMMENT.fullmatch(line)
        command, *arguments = line.split() or [""]
        handler = _COMMANDS.get(command.lower())
        if not line:
            return
        if comment:
            self._comment(" ".join(comment[1].split()))
        elif line.isdecimal():
            self.counts["pauses"] += int(line)
        elif handler:
            handler(self, arguments)
        else:
            self._move(command, arguments)

    def _comment(self, text: str) -> None:
        if self.variant:
            self.counts["in_variants"] += 1
        elif _HEADING.match(text):
            self.counts["headings"] += 1
            self._leave_move()
        elif self.after_move:
            self.counts["on_moves"] += 1
            self.pending.append(text)
        else:
            self.counts["before_moves"] += 1

    def _move(self, text: str, rest: Sequence[str]) -> None:
        if any(word.strip("+#!?") for word in rest):
            raise ValueError("not a command of the lectures' language")
        if self.set_up and _PLACE.fullmatch(text):
            return self._place(text)
        if self.variant:
            self.counts["variant_moves"] += 1
            return None
        board = self._playable()
        move = _parse_move(board, text)
        self._leave_move()
        board.push(move)
        self.counts["plies"] += 1
        self.after_move = self.unsaved = True
        return None

    def _back(self, arguments: Sequence[str]) -> None:
        self._leave_move()
        if self.variant:
            return
        if arguments and not arguments[0].isdecimal():
            raise ValueError("back needs a number of plies")
        wanted = int(arguments[0]) if arguments else 1
        board = self._playable()
        self._keep_line()
        known = min(wanted, len(board.move_stack))
        for _ in range(known):
            board.pop()
        if known < wanted:
            raise ValueError(f"{wanted} plies back, but only {known} were played")

    def _revert(self, arguments: Sequence[str]) -> None:
        self._leave_move()
        if not self.variant:
            board = self._playable()
            self._keep_line()
            self.board = board.root()

    def _bsetup(self, arguments: Sequence[str]) -> None:
        word, *values = arguments or [""]
        self._leave_move()
        self._keep_line()
        if self.set_up is None:
            self.set_up = _SetUp((self.board or chess.Board()).copy(stack=False))
            self.names = {chess.WHITE: "?", chess.BLACK: "?"}
        if word:
            self._set(word.lower(), values)

    def _set(self, word: str, values: Sequence[str]) -> None:
        """Carry out a sub-command of ``bsetup``."""
        assert self.set_up is not None
        value = " ".join(values).lower()
        if word in _PLACEMENTS:
            self.set_up.board = _placement(_PLACEMENTS[word] or "".join(values[:1]))
        elif word in ("wcastle", "bcastle") and value in _CASTLING:
            self.set_up.castling[word == "wcastle"] = _CASTLING[value]
        elif word == "standard" or not _VARIANTS.isdisjoint((word, value)):
            self.variant = word != "standard"
        elif word in ("tomove", "wname", "bname"):
            _COMMANDS[word](self, values)
        elif _PLACE.fullmatch(word):
            self._place(word)
        elif word == "done":
            self._done()
        else:
            raise ValueError(f"unknown set-up command {word!r}")

    def _place(self, text: str) -> None:
        assert self.set_up is not None
        symbol, square = text.split("@")
        piece = None if symbol in "xX" else chess.Piece.from_symbol(symbol)
        self.set_up.board.set_piece_at(chess.parse_square(square), piece)

    def _done(self) -> None:
        assert self.set_up is not None
        fen, self.set_up, self.board = self.set_up.fen(), None, None
        self.counts["set_ups"] += 1
        if not self.variant:
            self.board = repair_fen(fen).position.board()

    def _tomove(self, arguments: Sequence[str]) -> None:
        word = arguments[0].lower() if arguments else ""
        if word not in ("white", "black", "w", "b"):
            raise ValueError("tomove needs white or black")
        turn = word.startswith("w")
        if self.set_up is not None:
            self.set_up.turn = turn
        elif self.board is not None and self.board.turn != turn:
            self._leave_move()
            self._keep_line()
            board = self.board.copy(stack=False)
            board.turn, board.ep_square = turn, None
            self.board = repair_fen(board.fen()).position.board()

    def _wname(self, arguments: Sequence[str]) -> None:
        self.names[chess.WHITE] = " ".join(arguments) or "?"

    def _bname(self, arguments: Sequence[str]) -> None:
        self.names[chess.BLACK] = " ".join(arguments) or "?"

    def _playable(self) -> chess.Board:
        if self.set_up is not None:
            raise ValueError("a position is being set up; 'bsetup done' is missing")
        if self.board is None:
            raise ValueError("the position that was set up last is not legal")
        return self.board

    def _leave_move(self) -> None:
        """Keep the comments on the last move, and let later ones belong to none."""
        if self.pending and self.board is not None:
            moves = [move.uci() for move in self.board.move_stack]
            position = Position.after(moves[:-1], self.board.root().fen())
            context = MoveInContext(position, moves[-1])
            text = " ".join(self.pending)
            self.comments.append(CommentedMove(context, text, self.name, len(moves) - 1))
        self.pending = []
        self.after_move = False

    def _keep_line(self) -> None:
        if self.unsaved and self.board is not None:
            self.lines.append(
                Game(
                    tuple(move.uci() for move in self.board.move_stack),
                    "*",
                    self.names[chess.WHITE],
                    self.names[chess.BLACK],
                    root=self.board.root().fen(),
                )
            )
        self.unsaved = False


_COMMANDS: dict[str, Callable[[Replay, Sequence[str]], None]] = {
    "back": Replay._back,
    "revert": Replay._revert,
    "bsetup": Replay._bsetup,
    "tomove": Replay._tomove,
    "wname": Replay._wname,
    "bname": Replay._bname,
}


def _placement(text: str) -> chess.Board:
    board = chess.Board(None)
    board.set_board_fen(text)
    return board


def _parse_move(board: chess.Board, text: str) -> chess.Move:
    """Read a move as the server did: SAN, long, pieces in lower case, ``exd``."""
    for spelling in _spellings(text.rstrip("+#!?")):
        for parse in (board.parse_san, board.parse_uci):
            try:
                return parse(spelling)
            except ValueError:
                continue
    takes = _PAWN_TAKES.fullmatch(text.rstrip("+#!?"))
    if takes:
        found = [move for move in board.legal_moves if _pawn_takes(board, move, *takes.groups())]
        if len(found) == 1:
            return found[0]
    raise ValueError(f"{text!r} is neither a command nor a legal move in {board.fen()!r}")


def _spellings(text: str) -> Iterator[str]:
    yield text
    yield text.replace("0", "O").replace("o", "O")
    yield text.lower().replace("=", "")
    piece = _LOWER_PIECE.fullmatch(text)
    if piece:
        yield piece[1].upper() + piece[2]


def _pawn_takes(board: chess.Board, move: chess.Move, start: str, end: str) -> bool:
    return (
        board.piece_type_at(move.from_square) == chess.PAWN
        and chess.FILE_NAMES[chess.square_file(move.from_square)] == start
        and chess.FILE_NAMES[chess.square_file(move.to_square)] == end
    )
