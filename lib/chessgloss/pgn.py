"""PGN files, read as a stream: good games are kept, bad ones are named and passed over.

python-chess parses the moves. What this module adds is the cutting of a file into games in
such a way that one broken game cannot swallow its neighbours, and a verdict on each game:
python-chess itself skips over text that it cannot read.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO, cast, get_args

import chess
import chess.pgn

from chessgloss.positions import (
    CommentedMove,
    Game,
    MoveError,
    MoveInContext,
    Position,
    PositionError,
    Result,
    repair_fen,
)

#: Encoding of lines that are not UTF-8; it reads any byte (PGN standard, section 3.1).
FALLBACK_ENCODING = "latin-1"

_TAG = re.compile(r"\s*\[\s*\w[\w+#=:-]*\s+\".*\"\s*\]\s*")
_FEN = re.compile(r"\s*\[\s*FEN\s")
_EVENT = re.compile(r"\[Event\s+\"")
_COMMENT = re.compile(r"\{[^}]*\}|;.*")
_RESULT = re.compile(r"(?:^|[\s)}.])(?:1-0|0-1|1/2-1/2|\*)\s*$")
_EN_PASSANT = re.compile(r"\be\.?p\.?(?=\s|$)")
_COMMAND = re.compile(r"\[%[^\]]*\]")


class PgnError(ValueError):
    """A PGN source that holds no game, or, when read strictly, a bad one."""


@dataclass(frozen=True, slots=True)
class PgnEntry:
    """One game of a PGN source, or the reason why it could not be read.

    Parameters
    ----------
    number
        Place of the game in the source, from 1; bad games count.
    line
        Number of its first line, from 1.
    offset
        Byte at which it starts; for a text stream, the character.
    game
        The game with its comments, variations and NAGs; ``None`` if it is bad.
    problem
        Why it is bad; ``None`` if it is good.
    encoding
        ``utf-8``, or the fallback if a line of the game is not UTF-8.
    repairs
        What was mended in the FEN header, by the rules of :func:`repair_fen`.
    """

    number: int
    line: int
    offset: int
    game: chess.pgn.Game | None
    problem: str | None
    encoding: str = "utf-8"
    repairs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.game is None) == (self.problem is None):
            raise ValueError(f"game {self.number} must have either a game or a problem")

    def __str__(self) -> str:
        verdict = self.problem or "good"
        return f"game {self.number} (line {self.line}, offset {self.offset}): {verdict}"


def read_pgn(source: Path | TextIO, *, strict: bool = False) -> Iterator[PgnEntry]:
    """Read the games of a PGN file or text stream one by one.

    With ``strict``, the first bad game and an empty source raise.

    Raises
    ------
    PgnError
        If the file is UTF-16, or (strictly) holds no game or a bad one.
    """
    if isinstance(source, Path):
        with source.open("rb") as file:
            yield from read_pgn_lines(file, name=str(source), strict=strict)
    else:
        name = getattr(source, "name", "text stream")
        yield from read_pgn_lines(source, name=str(name), strict=strict)


def read_pgn_lines(
    lines: Iterable[bytes | str], *, name: str = "PGN", strict: bool = False
) -> Iterator[PgnEntry]:
    """Do what :func:`read_pgn` does for any source of lines, say an unpacking stream."""
    entry = None
    for number, chunk in enumerate(_cut(lines, name), start=1):
        entry = _entry(number, chunk)
        if strict and entry.problem:
            raise PgnError(f"{name}: {entry}")
        yield entry
    if strict and entry is None:
        raise PgnError(f"{name} holds no game")


def to_game(game: chess.pgn.Game) -> Game:
    """Return the main line of a game.

    Raises
    ------
    MoveError
        If a move is illegal (a null move, for instance).
    PositionError
        If the game starts from an illegal position.
    """
    if not all(game.mainline_moves()):
        raise MoveError("a null move stands in the main line; only variations may hold one")
    headers = game.headers
    result = headers.get("Result", "*")
    return Game(
        tuple(move.uci() for move in game.mainline_moves()),
        cast(Result, result) if result in get_args(Result) else "*",
        headers.get("White", "?"),
        headers.get("Black", "?"),
        headers.get("Termination", ""),
        root=game.board().fen(),
    ).check()


def commented_moves(game: chess.pgn.Game, source: str) -> Iterator[CommentedMove]:
    """Yield the commented moves, the main line's first, then those of each variation.

    Commands such as ``[%clk 0:01:00]`` are no comment. A comment that stands before the
    first move of the game or of a variation is on no move and is left out.
    """
    root = game.board().fen()
    starts: list[chess.pgn.ChildNode] = list(reversed(game.variations))
    while starts:
        node: chess.pgn.ChildNode | None = starts.pop()
        while node is not None:
            comment = " ".join(_COMMAND.sub(" ", node.comment).split())
            if comment and node.move:
                yield _commented_move(node, comment, source, root)
            starts.extend(reversed(node.variations[1:]))
            node = node.next()


def _commented_move(
    node: chess.pgn.ChildNode, comment: str, source: str, root: str
) -> CommentedMove:
    moves = [move.uci() for move in node.board().move_stack]
    context = MoveInContext(_position(moves[:-1], root, node), moves[-1])
    return CommentedMove(context, comment, source, len(moves) - 1)


def _position(moves: list[str], root: str, node: chess.pgn.ChildNode) -> Position:
    """Return the position before a move, without history if that holds a null move."""
    if chess.Move.null().uci() in moves:
        return Position(node.parent.board().fen())
    return Position.after(moves, root)


@dataclass
class _Chunk:
    """The lines of one game, and what its end looks like so far."""

    line: int
    offset: int
    headers: list[str] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    encoding: str = "utf-8"
    in_comment: bool = False
    depth: int = 0
    unopened: bool = False
    finished: bool = False
    gap: bool = False

    def add(self, line: str) -> None:
        self.gap = not line.strip()
        if self.in_comment:
            self._add_moves(line)
        elif not self.gap and line[0] not in "%;":
            if not self.moves and line.startswith("["):
                self.headers.append(line)
            else:
                self._add_moves(line)

    def _add_moves(self, line: str) -> None:
        self.moves.append(line)
        outside = _outside(line, self.in_comment)
        self.in_comment = "{" in outside
        outside = outside.split("{")[0]
        self.depth += outside.count("(") - outside.count(")")
        if self.depth < 0:
            self.depth, self.unopened = 0, True
        if outside.strip():
            closed = not self.in_comment and self.depth == 0
            self.finished = closed and bool(_RESULT.search(outside))

    def text(self) -> str:
        return "".join([*self.headers, "\n", *self.moves])


def _outside(line: str, in_comment: bool) -> str:
    """Return a line without its comments; a ``{`` that stays is an open one."""
    if in_comment:
        line = line.partition("}")[2] if "}" in line else "{"
    return _COMMENT.sub(" ", line)


def _cut(lines: Iterable[bytes | str], name: str) -> Iterator[_Chunk]:
    chunk: _Chunk | None = None
    offset = 0
    for number, raw in enumerate(lines, start=1):
        if number == 1 and raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise PgnError(f"{name} is UTF-16; save it as UTF-8")
        line, encoding = _decode(raw)
        if chunk is not None and _starts_game(line, chunk):
            yield chunk
            chunk = None
        if chunk is not None:
            chunk.add(line)
        elif line.strip() and line[0] not in "%;":
            chunk = _Chunk(number, offset)
            chunk.add(line)
        if chunk is not None and encoding != "utf-8":
            chunk.encoding = encoding
        offset += len(raw)
    if chunk is not None:
        yield chunk


def _starts_game(line: str, chunk: _Chunk) -> bool:
    """Say whether a line belongs to the next game; an unclosed comment cannot hide that."""
    if chunk.in_comment:
        return chunk.gap and bool(_EVENT.match(line))
    if line.startswith("["):
        return bool(chunk.moves) or chunk.gap
    return chunk.finished and bool(line.strip())


def _decode(raw: bytes | str) -> tuple[str, str]:
    """Return a line without byte order mark and with a plain line end, and its encoding."""
    text, encoding = (raw, "utf-8") if isinstance(raw, str) else _decode_bytes(raw)
    return text.removeprefix("\ufeff").rstrip("\r\n") + "\n", encoding


def _decode_bytes(raw: bytes) -> tuple[str, str]:
    try:
        return raw.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return raw.decode(FALLBACK_ENCODING), FALLBACK_ENCODING


def _entry(number: int, chunk: _Chunk) -> PgnEntry:
    game: chess.pgn.Game | None = None
    repairs: tuple[str, ...] = ()
    problem = _header_problem(chunk) or _text_problem(chunk)
    if problem is None:
        try:
            repairs = _repair_fen_header(chunk)
            game, problem = _parse(chunk)
        except PositionError as error:
            problem = f"bad FEN header: {error}"
    return PgnEntry(number, chunk.line, chunk.offset, game, problem, chunk.encoding, repairs)


def _repair_fen_header(chunk: _Chunk) -> tuple[str, ...]:
    headers = _headers(chunk)
    if "FEN" not in headers:
        return ()
    repaired = repair_fen(headers["FEN"])
    chunk.headers = [line for line in chunk.headers if not _FEN.match(line)]
    chunk.headers.append(f'[FEN "{repaired.position.fen}"]\n')
    return repaired.repairs


def _parse(chunk: _Chunk) -> tuple[chess.pgn.Game | None, str | None]:
    """Return the game, or what python-chess or a closer look has against it."""
    builder = _Builder()
    try:
        game = chess.pgn.read_game(io.StringIO(chunk.text()), Visitor=lambda: builder)
    except (IndexError, ValueError) as error:  # python-chess, on a variation of an illegal move
        return None, str([*builder.game.errors, error][0])
    problem = _game_problem(game)
    return (game, None) if problem is None else (None, problem)


class _Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """python-chess's builder, with errors kept on the game and not logged."""

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def _headers(chunk: _Chunk) -> chess.pgn.Headers:
    headers = chess.pgn.read_headers(io.StringIO("".join([*chunk.headers, "\n*\n"])))
    return headers if headers is not None else chess.pgn.Headers({})


def _header_problem(chunk: _Chunk) -> str | None:
    damaged = [line.strip() for line in chunk.headers if not _TAG.fullmatch(line)]
    if damaged:
        return f"damaged header {damaged[0]!r}"
    headers = _headers(chunk)
    try:
        standard = headers.variant() is chess.Board and not headers.is_chess960()
    except ValueError:
        standard = False
    if not standard:
        return f"variant {headers.get('Variant', '')!r}, not standard chess"
    return None


def _text_problem(chunk: _Chunk) -> str | None:
    if chunk.in_comment:
        return "cut off: a comment is not closed"
    if chunk.unopened:
        return "a variation is closed that was not opened"
    if chunk.depth:
        return "cut off: a variation is not closed"
    plain = _EN_PASSANT.sub("", _COMMENT.sub(" ", "".join(chunk.moves)))
    words = re.findall(r"\S*[^\W\d_]\S*", chess.pgn.MOVETEXT_REGEX.sub(" ", plain))
    if words:
        return f"unreadable text {words[0]!r} among the moves"
    if not chunk.finished and _headers(chunk).get("Result", "*") != "*":
        return "cut off: the moves do not end with the result that the header announces"
    return None


def _game_problem(game: chess.pgn.Game | None) -> str | None:
    if game is not None and game.errors:
        return str(game.errors[0])
    if game is None or game.next() is None:
        return "no moves"
    if any(not move for move in game.mainline_moves()):
        return "a null move in the main line"
    return None
