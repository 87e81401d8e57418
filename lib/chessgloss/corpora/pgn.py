"""PGN files as people have them: in any encoding, results in any spelling, each game by itself.

python-chess parses the games; what it would pass over in silence is said here game by game: what
was read by rule (:attr:`PgnGame.repairs`), and what cannot be used (:attr:`PgnGame.problem`).

Comments keep their places. Several in a row are one string of python-chess's, with
:data:`NEXT` between them. One that follows a variation is the next move's ``starting_comment``,
also in the main line; if the next move begins another variation, :data:`OUTSIDE` divides what
stands before its bracket from what stands in it, and if no move follows, :data:`BEHIND` divides
the last move's own comment from it. All of these count as white space.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Final, NamedTuple, TextIO

import chess
import chess.pgn

from chessgloss.corpora.encodings import Decoded, decode
from chessgloss.positions import (
    FIGURINES,
    PASSING,
    PositionError,
    natural_end,
    repair_fen,
)

#: Between two comments in a row; behind one before a bracket; before one behind all variations.
NEXT, OUTSIDE, BEHIND = "\x1e", "\x1d", "\x1c"

#: Most characters in a line of PGN (its standard allows 255): time grows with their square.
MOST_IN_LINE = 1 << 17

#: The results of the standard by how people write them, hyphens as hyphens and ½ as 1/2.
RESULTS: Final = {
    **{result: result for result in ("1-0", "0-1", "1/2-1/2", "*")},
    **{"1:0": "1-0", "0:1": "0-1", "+/-": "1-0", "-/+": "0-1", "+:-": "1-0"},
    **{"-:+": "0-1", "1/2": "1/2-1/2", "1/2:1/2": "1/2-1/2", "0.5-0.5": "1/2-1/2"},
}
_SCORE = r"(?:1/2|½|0[.,]5|[01])"
#: A result in any spelling, at the end of the moves and at the beginning of a comment.
_SPELT = rf"(?:{_SCORE}\s?[-–—‑−:]\s?{_SCORE}|1/2|½)(?![\d/])"
_RESULT_BEHIND = re.compile(rf"(?:^|(?<=[\s)}}.#+]))(?:{_SPELT}|\*)[.\s]*$")
_RESULT_SAID = re.compile(rf"\{{\s*({_SPELT})[^{{}}]*\}}\s*$")
_DASHES = re.compile(r"\s?[–—‑−]\s?|\s?-\s?")

#: Signs that value a position, as numeric glyphs (PGN standard, section 10).
_VALUES = {"⩲": " $14 ", "⩱": " $15 ", "±": " $16 ", "∓": " $17 ", "∞": " $13 "}
_SIGNS = FIGURINES | str.maketrans(_VALUES)
_SIGN = re.compile(r"\{[^}]*(?:\}|\Z)|;.*|(?m:^\[.*)|([♔-♟⩲⩱±∓∞])")
_PGN_COMMENT = re.compile(r"(\{)[^}]*\Z|\{[^}]*\}|;.*|(?m:^%.*)")
#: What a PGN file is made of: headers and escaped lines, comments in braces and behind
#: semicolons (those with a line of their own apart), and all else.
_TOKEN = re.compile(
    r"(?m)^[ \t]*[\[%][^\n]*|\{[^}]*\}?|(?P<alone>^[ \t]*;[^\n]*)|(?P<behind>;[^\n]*)|[^\s{;]+"
)
_MARKS = ("1-0", "0-1", "1/2-1/2", "*")
#: A header with something behind it on its line: moves, or the next header.
_HEADER_FIRST = re.compile(r'\[\w+\s+"[^"\n]*"\][ \t]*(?=\S)')
#: Where a game may begin: a header behind an empty line.
_BETWEEN_GAMES = re.compile(rb"(?<=\n\n)(?=\[)")
_INK = re.compile(r"\S")
_LETTER = re.compile(r"[^\W\d_]")
_NUMBER_LAST = re.compile(r"(?:^|\s)\d+\s?\.*$")


class PgnError(ValueError):
    """A PGN file that cannot be used; the message names the file and the game."""


class PgnGame(NamedTuple):
    """One game of a PGN file, or the reason why it cannot be used.

    Parameters
    ----------
    number
        Place of the game in the file, from 1; bad games count.
    line
        Number of its first line, from 1.
    game
        The game with its comments, variations and NAGs, as far as it could be read.
    problem
        What is wrong with it; empty if it is good. One without moves is good.
    repairs
        What was read by rule: an older encoding, a FEN header (:func:`repair_fen`), a result.
    text
        The game as it is written, decoded.
    """

    number: int
    line: int
    game: chess.pgn.Game
    problem: str = ""
    repairs: tuple[str, ...] = ()
    text: str = ""

    @property
    def unplayed(self) -> str:
        """Why the main line is not played: it has no moves, or a null move; else empty."""
        moves = [*self.game.mainline_moves()]
        if not any(moves[:1]):
            return "no moves"
        return "" if all(moves) else "a null move in the main line"


def read_pgn(source: Path | bytes) -> Iterator[PgnGame]:
    """Yield the games of a PGN file, or of its bytes, one by one.

    Each game is decoded by itself (:mod:`chessgloss.corpora.encodings`). Figurines are read as
    letters, ± and its like as glyphs, comments behind semicolons as those in braces, results in
    any spelling. python-chess parses the games, up to the first error of each. It passes over what
    it does not understand; here that is a problem of its game: damaged headers, unreadable words,
    comments and variations that are not closed, a move number without a move, other rules than
    those of chess. A comment that is not closed swallows the games after it.

    Raises
    ------
    PgnError
        If a line has more than :data:`MOST_IN_LINE` characters.
    """
    data = source if isinstance(source, bytes) else source.read_bytes()
    parts = _decoded(data)
    starts = accumulate((part.text.count("\n") for part in parts), initial=1)
    remarks = {line: part.remark for line, part in zip(starts, parts, strict=False)}
    text = "".join(part.text for part in parts)
    if max(map(len, text.split("\n"))) > MOST_IN_LINE:
        raise PgnError(
            f"a line of the PGN file has over {MOST_IN_LINE:,} characters; break it up"
        )
    text = _SIGN.sub(
        lambda part: part[0].translate(_SIGNS) if part[1] else part[0],
        brace_comments(text),
    )
    stream = _Lines(text)
    number = end = newlines = 0
    while _INK.search(text, end):
        builder, error = _parse_game(stream)
        if not builder:
            return  # nothing but comments is left
        start = end
        end = stream.tell()
        number = number + 1
        written = text[start:end]
        line = newlines + written.count("\n", 0, -len(written.lstrip())) + 1
        length = written.count("\n")
        lines = range(newlines + 1, newlines + max(length, 1) + 1)
        decoded = [remarks[each] for each in lines if remarks.get(each)]
        newlines += length
        problem, result = _examine(written, builder.game)
        repairs = (*dict.fromkeys(decoded), *builder.repairs, *result)
        problem = problem or error
        yield PgnGame(number, line, builder.game, problem, repairs, written.strip())


def _decoded(data: bytes) -> list[Decoded]:
    """Return the parts of a file, about one a game, with line ends as in Unix."""
    zeros = [bytes([0]) in data[place:4:2] for place in (0, 1)]
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or zeros in (
        [True, False],
        [False, True],
    ):
        encoding = "utf-16-be" if zeros[0] or data[:2] == b"\xfe\xff" else "utf-16-le"
        text = data.decode(encoding, "replace").removeprefix("\ufeff")
        return [Decoded(re.sub(r"\r\n?", "\n", text), "read as UTF-16")]
    data = re.sub(rb"\r\n?", b"\n", data.removeprefix(b"\xef\xbb\xbf"))
    return decode(_BETWEEN_GAMES.split(data))


def brace_comments(text: str) -> str:
    """Turn comments from a semicolon to the end of a line into comments in braces.

    python-chess would drop them. Only among the moves of a game: elsewhere such a line belongs
    to no game. Braces in such a comment become round ones.
    """
    among_moves = False

    def rewrite(token: re.Match[str]) -> str:
        nonlocal among_moves
        words = token.group().strip()
        if words[:1] == ";" and (among_moves or token["behind"]):
            inside = words[1:].strip().replace("}", ")").replace("{", "(")
            return "{" + inside + "}" if inside else ""
        if words[:1] not in ("%", "{", ";"):
            among_moves = not words.startswith("[") and not words.endswith(_MARKS)
        return token.group()

    return _TOKEN.sub(rewrite, re.sub(r"(?m)^\ufeff", "", text))


# ---------------------------------------------------------------- one game


class _Lines(io.StringIO):
    """A PGN file line by line, in which each header is a line of its own."""

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        """Return the next line, or the header that stands before more on its line."""
        line = super().readline(size)
        first = _HEADER_FIRST.match(line)
        if first is None:
            return line
        self.seek(self.tell() - len(line) + first.end())
        return first[0] + "\n"


class Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """python-chess's builder, by which comments keep their places."""

    def begin_variation(self) -> None:
        """Keep apart what was said before the bracket."""
        super().begin_variation()
        if self.starting_comment:
            self.starting_comment += OUTSIDE

    def end_variation(self) -> None:
        """Go back to the line; what is said now belongs to its next move."""
        *_, line, inner = self.variation_stack
        if inner is line.parent:  # a variation without moves
            self.starting_comment = self.starting_comment.replace(OUTSIDE, NEXT)
        else:
            self._say_behind()
        super().end_variation()
        self.in_variation = False

    def end_game(self) -> None:
        """Leave no comment that waits for a move."""
        self._say_behind()

    def visit_comment(self, comment: str) -> None:
        """Keep a comment: behind the last move or, behind a variation, before the next."""
        node = self.variation_stack[-1]
        if self.in_variation or (node.parent is None and node.is_end()):
            node.comment = NEXT.join(filter(None, (node.comment, comment)))
        elif self.starting_comment.endswith(OUTSIDE):
            self.starting_comment += comment
        else:
            waiting = filter(None, (self.starting_comment, comment))
            self.starting_comment = NEXT.join(waiting)

    def _say_behind(self) -> None:
        if self.starting_comment:
            said = self.starting_comment.replace(OUTSIDE, NEXT)
            self.variation_stack[-1].comment += BEHIND + said
        self.starting_comment = ""


class _Reader(Builder):
    """A builder to which an error ends the game; what its headers say is mended by rule."""

    repairs: tuple[str, ...] = ()

    def handle_error(self, error: Exception) -> None:
        raise error

    def end_headers(self) -> None:
        headers = self.game.headers
        variant = headers.get("Variant", "")
        if headers.is_chess960() or headers.variant() is not chess.Board:
            raise ValueError(f"variant {variant!r}, not standard chess")
        if "FEN" in headers:
            try:
                repaired = repair_fen(headers["FEN"])
            except PositionError as error:
                raise ValueError(f"bad FEN header: {error}") from None
            headers["FEN"] = repaired.position.fen
            self.repairs = repaired.repairs
        given = headers.get("Result", "*")
        if (result := _result(given)) and result != given:
            headers["Result"] = result
            self.repairs += (f"the header's result {given!r} is read as {result}",)


def _parse_game(stream: TextIO) -> tuple[_Reader | None, str]:
    """Parse one game up to its first error, and leave the stream at the next one."""
    builder = _Reader()
    try:
        found = chess.pgn.read_game(stream, Visitor=lambda: builder)
        return builder if found else None, ""
    except ValueError as error:
        while stream.readline().strip():
            pass
        return builder, str(error)


def _examine(written: str, game: chess.pgn.Game) -> tuple[str, list[str]]:
    """Return what python-chess passes over in a game: a problem, and how its result was read."""
    moves: list[str] = []
    for line in _Lines(written.strip()):
        line = line.rstrip("\n")
        if moves or not line.startswith("["):
            moves.append(line)
        elif not chess.pgn.TAG_REGEX.match(line):
            return f"damaged header {line.strip()!r}", []
    written = "\n".join(moves)
    text = _PGN_COMMENT.sub(r"\1 ", written).strip()
    if "{" in text:
        return "cut off: a comment is not closed", []
    marks = re.findall(r"[()]", text)
    depths = [0, *accumulate(1 if mark == "(" else -1 for mark in marks)]
    if min(depths) < 0:
        return "a variation is closed that was not opened", []
    if depths[-1]:
        return "cut off: a variation is not closed", []
    behind = _RESULT_BEHIND.search(text)
    given = ""
    if behind and _result(behind[0]):
        given = behind[0].strip(" .\n\t")
        text = text[: behind.start()]
    plain = chess.pgn.MOVETEXT_REGEX.sub(" ", PASSING.sub("", text))
    if word := next(filter(_LETTER.search, plain.split()), ""):
        return f"unreadable text {word!r} among the moves", []
    if not given and _NUMBER_LAST.search(text):
        return "cut off: behind the last move number there is no move", []
    return "", _settle_result(game, given, _RESULT_SAID.search(written))


def _settle_result(
    game: chess.pgn.Game, given: str, said: re.Match[str] | None
) -> list[str]:
    """Set a game's result where the header has none; return how, where it is not as usual.

    Parameters
    ----------
    game
        The game.
    given
        The result behind its moves as it is written; empty without one.
    said
        A result in a comment at the end; its first group.
    """
    header = game.headers.get("Result", "*")
    if given:
        result = _result(given)
        if header == "*":
            game.headers["Result"] = result
        elif result not in (header, "*"):
            return [f"the header says {header}, kept; behind the moves is {result}"]
        return [] if given == result else [f"result {given!r} is read as {result}"]
    if header != "*":
        if said and _result(said[1]) == header:
            return [f"the result {header} stands in a comment"]
        if natural_end(game.end().board()):
            return [f"no result behind the moves; the header has {header}"]
        doubt = "if moves are missing, the file was cut off"
        return [f"no result behind the moves; the header has {header} ({doubt})"]
    end = natural_end(game.end().board())
    if said:
        game.headers["Result"] = _result(said[1])
        return [f"the result {_result(said[1])} is read from a comment"]
    if end and end[1] in ("checkmate", "stalemate"):
        game.headers["Result"] = end[0]
        return [f"no result behind the moves; {end[1]} on the board: {end[0]}"]
    return []


def _result(written: str) -> str:
    """Return the result that a text means, in the standard's spelling; empty if none."""
    plain = _DASHES.sub("-", written.strip(" .\n\t")).replace("½", "1/2")
    return RESULTS.get(re.sub(r"\s?:\s?", ":", plain).replace(",", "."), "")
