"""Games to annotate, read whole: a file with a bad game is refused before work begins.

python-chess drops comments that run from a semicolon to the end of the line. Here they
are turned into comments in braces first, so that they are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import chess.pgn

from chessgloss.positions import PgnError, PgnGame, read_pgn

_RESULT = re.compile(rb"(?:^|[\s)}.])(?:1-0|0-1|1/2-1/2|\*)\s*$")
_COMMENT_STARTS = re.compile(rb"[{;]")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_games(path: Path) -> list[chess.pgn.Game]:
    """Read every game of a PGN file, with its variations, comments, glyphs and headers.

    Raises
    ------
    PgnError
        If the file holds no game, a bad one or one that is not standard chess; the message
        names the game and its line.
    """
    with path.open("rb") as file:
        games = list(read_pgn(b"".join(brace_comments(file))))
    if not games:
        raise PgnError(f"{path} holds no game; give a PGN file with at least one")
    return [_accepted(game, path) for game in games]


def brace_comments(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Turn comments from a semicolon to the end of a line into comments in braces.

    Only among the moves of a game: elsewhere such a line belongs to no game. Braces in such
    a comment become round ones.
    """
    among_moves = in_comment = False
    for line in lines:
        line = line.removeprefix(_BYTE_ORDER_MARK)
        start = line.strip()[:1]
        if not in_comment and (start in b"[%" or (start == b";" and not among_moves)):
            among_moves = among_moves and start != b"["
            yield line
        else:
            outside, line, in_comment = _rewrite(line, in_comment)
            among_moves = in_comment or not _RESULT.search(outside)
            yield line


def _rewrite(line: bytes, in_comment: bool) -> tuple[bytes, bytes, bool]:
    """Return what stands outside comments, the line rewritten, and whether one is open."""
    outside, kept, rest = b"", b"", line.rstrip(b"\r\n")
    while rest:
        if in_comment:
            inside, end, rest = rest.partition(b"}")
            kept, in_comment = kept + inside + end, not end
            continue
        found = _COMMENT_STARTS.search(rest)
        moves = rest[: found.start()] if found else rest
        comment = rest[len(moves) :]
        outside, kept = outside + moves + b" ", kept + moves
        in_comment = comment[:1] == b"{"
        kept, rest = (kept + b"{", comment[1:]) if in_comment else (kept + _braced(comment), b"")
    return outside, kept + b"\n", in_comment


def _braced(comment: bytes) -> bytes:
    words = comment[1:].strip().replace(b"}", b")").replace(b"{", b"(")
    return b"{" + words + b"}" if words else b""


def _accepted(read: PgnGame, path: Path) -> chess.pgn.Game:
    problem = read.problem or _castling_problem(read)
    if not problem:
        return read.game
    remedy = "; only standard chess can be annotated" if "variant" in problem else ""
    raise PgnError(f"{path}: game {read.number} (line {read.line}): {problem}{remedy}")


def _castling_problem(read: PgnGame) -> str:
    """Say when the FEN has castling rights that a standard game cannot have."""
    if not any(repair.startswith("castling rights") for repair in read.repairs):
        return ""
    return "its FEN has castling rights without king and rook on their squares (a Chess960 game?)"
