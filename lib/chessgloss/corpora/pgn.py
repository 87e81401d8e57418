"""PGN files as people have them: the one reader of games, which loses nothing of a file.

Every character is kept, read by a rule that is said (:attr:`PgnGame.repairs`), or named as what
makes a game unusable (:attr:`PgnGame.problem`). Moves in any spelling and in the letters of any
language are read as :mod:`chessgloss.notation` says, results in any spelling, each game in its own
encoding. Signs become numeric glyphs; what is no move, sign or number becomes a comment. A bad game
costs no other.

A game begins with its headers, or with move 1 behind a result or an empty line. Text that belongs
to no game is kept apart.

Comments keep their places. Several in a row are one string of python-chess's, with
:data:`NEXT` between them. One that follows a variation is the next move's ``starting_comment``,
also in the main line; if the next move begins another variation, :data:`OUTSIDE` divides what
stands before its bracket from what stands in it, and if no move follows, :data:`BEHIND` divides
the last move's own comment from it. All of these count as white space.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from pathlib import Path
from typing import Final, NamedTuple

import chess
import chess.pgn

from chessgloss.corpora.encodings import Decoded, decode
from chessgloss.notation import (
    DASH,
    ENGLISH,
    MOVE,
    SIGN,
    SIGNS,
    Language,
    languages_with,
    piece_letters,
    spell,
)
from chessgloss.positions import (
    PositionError,
    find_move,
    natural_end,
    overstated,
    repair_fen,
)

#: Between two comments in a row; behind one before a bracket; before one behind all variations.
NEXT, OUTSIDE, BEHIND = "\x1e", "\x1d", "\x1c"

#: Most characters of one game, comments included.
MOST_IN_GAME = 1 << 20
#: Bytes of a file that are read at once, and share what their words show of their encoding.
WINDOW = 1 << 23
#: How packed files end.
PACKED = (".gz", ".bz2", ".zst")

#: The results of the standard by how people write them, hyphens as hyphens and ½ as 1/2.
RESULTS: Final = {
    **{result: result for result in ("1-0", "0-1", "1/2-1/2", "*")},
    **{"1:0": "1-0", "0:1": "0-1", "+/-": "1-0", "-/+": "0-1", "+:-": "1-0"},
    **{"-:+": "0-1", "1/2": "1/2-1/2", "1/2:1/2": "1/2-1/2", "0.5-0.5": "1/2-1/2"},
}
_SCORE = r"(?:1/2|½|0[.,]5|[01])"
_SPELT = rf"{_SCORE}\s?(?:{DASH}|:)\s?{_SCORE}|1/2|½"
_RESULT_SAID = re.compile(rf"\s*({_SPELT})(?![\d/])")
_DASHES = re.compile(rf"\s?{DASH}\s?")

_HEADER = re.compile(r'\[\s*(\w[\w+#=:-]*)\s+"((?:[^"\\\n]|\\.|"(?!\s*\]))*)"\s*\]')
#: What stands at the beginning of a game's first line.
_TAG = re.compile(r'\[\s*\w+\s+"')
_TAG_BYTES = re.compile(rb'\[\w+\s+"')
_BETWEEN_GAMES = re.compile(r'\n[ \t]*\n(?=[ \t]*\[\s*\w+\s+")')
_PARTS = re.compile(rb"(?<=\n\n)(?=\[)|(?<=[^\]\s]\n)(?=\[\w)")
_TOKEN = re.compile(
    rf"""
    (?P<escape>(?<![^\n])%[^\n]*)
    |;(?P<line>[^\n]*)
    |(?P<command>\[%[^\]\n]*\])
    |\$(?P<nag>\d+)
    |(?P<offer>\(=\))
    |(?P<open>\()
    |(?P<close>\))
    |(?P<result>(?:{_SPELT}|\*)(?=[\s.{{;()]|\Z))
    |(?P<null>(?:{DASH}{DASH}|Z0|0000|@@@@|null)(?![\w>]))
    |(?P<value>[+-]?\d+[.,]\d\d?(?:/\d+)?(?=[\s}})]|\Z))
    |(?P<number>\d+(?=[\s.…)]|\Z|[KQRBNa-hO♔-♟])\s?[.…)]*(?:\s[.…]+)?)
    |(?P<dots>[.…]+)
    """,
    re.VERBOSE,
)
_KINDS = {"line": "comment", "command": "comment", "offer": "comment", "value": "words"}
_SIGN_TOKEN = re.compile(SIGN)
_WORD = re.compile(r"[^\s{}();]+|.")
_BLANK = re.compile(r"\s*")
_OTHERS = {"move": MOVE, "sign": _SIGN_TOKEN, "words": _WORD}
_BEHIND_MOVE = re.compile(r"[\s(){}\[;$.,…]|\Z")


class PgnError(ValueError):
    """A PGN file that cannot be used; the message names the file and the game."""


class PgnGame(NamedTuple):
    """One game of a PGN file, or the reason why it cannot be used.

    Parameters
    ----------
    number
        Place of the game in the file, from 1; bad games count. 0 for text that is no game.
    line
        Number of its first line, from 1.
    game
        The game with its comments, variations and NAGs, as far as it could be read.
    problem
        What is wrong with it; empty if it is good. One without moves is good.
    repairs
        What was read by rule: an older encoding, a FEN header (:func:`repair_fen`), a spelling.
    text
        The game as it is written, decoded.
    ended
        Whether a result stands behind the moves.
    """

    number: int
    line: int
    game: chess.pgn.Game
    problem: str = ""
    repairs: tuple[str, ...] = ()
    text: str = ""
    ended: bool = False

    @property
    def is_played(self) -> bool:
        """Whether it has a move or at least a result: headers alone are no game."""
        return self.ended or self.game.next() is not None

    @property
    def unplayed(self) -> str:
        """Why the main line is not played: it has no moves, or a null move; else empty."""
        moves = [*self.game.mainline_moves()]
        if not any(moves[:1]):
            return "no moves"
        return "" if all(moves) else "a null move in the main line"


def read_pgn(
    source: Path | bytes | Iterable[bytes], language: Language | None = None
) -> Iterator[PgnGame]:
    """Yield the games of a PGN file one by one; see :func:`read_parts`."""
    return (part for part in read_parts(source, language) if part.number)


def read_parts(
    source: Path | bytes | Iterable[bytes], language: Language | None = None
) -> Iterator[PgnGame]:
    """Yield the games of a PGN file, and the text between them with number 0, in their order.

    Each game is decoded by itself (:mod:`chessgloss.corpora.encodings`), and read up to its
    first error.

    Parameters
    ----------
    source
        A file, plain or packed (:data:`PACKED`) and as large as it may be; or its bytes, or its
        lines.
    language
        Whose letters the pieces have. A game that does not follow it is tried in English, then in
        the languages that have its letters; if one alone makes every move legal, it is read in
        that.
    """
    number = 0
    line = 1
    for data in _windows(source):
        parts = _decoded(data)
        lengths = (part.text.count("\n") for part in parts)
        starts = [*accumulate(lengths, initial=line)][:-1]
        text = "".join(part.text for part in parts)
        at = 0
        while at < len(text):
            written = _scan(text, at)
            shown = text[at : written.end]
            first = line + shown.count("\n", 0, len(shown) - len(shown.lstrip()))
            line += shown.count("\n")
            at = written.end
            if not shown.strip():
                continue
            last = first + shown.strip().count("\n")
            within = slice(bisect(starts, first) - 1, bisect(starts, last))
            said = (part.remark for part in parts[within] if part.remark)
            number += written.is_game
            yield _read(
                written,
                PgnGame(
                    number if written.is_game else 0,
                    first,
                    chess.pgn.Game(),
                    repairs=tuple(dict.fromkeys(said)),
                    text=shown.strip(),
                ),
                language,
            )


def _windows(source: Path | bytes | Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a file, in parts that end between two games."""
    if isinstance(source, bytes):
        yield source
        return
    if isinstance(source, Path):
        if source.suffix not in PACKED and source.stat().st_size <= WINDOW:
            yield source.read_bytes()
            return
        from chessgloss.corpora.games import lines_of

        source = lines_of(source)
    window: list[bytes] = []
    size = 0
    fault = None
    try:
        for line in source:
            if size >= WINDOW and _TAG_BYTES.match(line) and not window[-1].strip():
                yield b"".join(window)
                window = []
                size = 0
            window.append(line)
            size += len(line)
    except (ValueError, EOFError, OSError) as error:
        fault = error  # what came before it is read
    if window:
        yield b"".join(window)
    if fault:
        raise fault


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
    parts = decode(_PARTS.split(data))
    return [part._replace(text=re.sub(r"(?m)^\ufeff", "", part.text)) for part in parts]


# ---------------------------------------------------------------- one game, as it is written


class Token(NamedTuple):
    """A piece of the moves as they are written: what it is, and its text."""

    kind: str
    text: str


@dataclass(slots=True)
class Written:
    """One game as it is written, taken apart; nothing of it is played yet.

    Parameters
    ----------
    headers
        Names and values, in their order.
    tokens
        The moves and what stands among them.
    problem
        Why it cannot be read.
    end
        Where it ends in the text.
    """

    headers: list[tuple[str, str]] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    problem: str = ""
    end: int = 0

    def add(self, token: Token) -> None:
        """Add the next token."""
        self.tokens.append(token)
        self.kinds.add(token.kind)

    @property
    def is_game(self) -> bool:
        """Whether there is a header, a move or a result, and not other text alone."""
        if self.headers or self.kinds & {"null", "result"}:
            return True
        return any(
            each.kind == "move" and not each.text.isalpha() for each in self.tokens
        )

    @property
    def letters(self) -> set[str]:
        """Letters of pieces among the moves."""
        moves = {token.text for token in self.tokens if token.kind == "move"}
        return set().union(*map(piece_letters, moves)) if moves else set()


def _scan(text: str, at: int) -> Written:
    """Take a game apart, from a place in a text to where the next game begins."""
    written = Written()
    while True:
        before = at
        at = _BLANK.match(text, at).end()  # type: ignore[union-attr]
        if at >= len(text):
            break
        breaks = text.count("\n", before, at)
        if text[at] == "[" and not written.kinds & _MOVETEXT:
            # headers may share a line
            found = _HEADER.match(text, at)
            again = found and found[1] in dict(written.headers)
            if written.tokens and _TAG.match(text, at):
                break  # comments before the headers belong to no game
            if found and again and breaks > 1:
                break
            if found:
                written.headers.append((found[1], found[2]))
                at = found.end()
                continue
            if re.match(r"\[\s*[A-Za-z]", text[at : at + 99]):
                end = text.find("\n", at)
                end = end if end >= 0 else len(text)
                shown = text[at:end].strip()
                written.problem = written.problem or f"damaged header {shown!r}"
                at = end
                continue
        elif text[at] == "[" and breaks and _TAG.match(text, at):
            break
        token, end = _token(text, at)
        if _begins_another(written, token, breaks):
            break
        at = end
        if token.kind == "open comment":
            written.problem = written.problem or "cut off: a comment is not closed"
            break
        written.add(token)
    kinds = [token.kind for token in written.tokens]
    if not written.problem and kinds.count("open") > kinds.count("close"):
        written.problem = "cut off: a variation is not closed"
    written.end = at
    return written


#: Tokens that end the headers.
_MOVETEXT = {
    "move",
    "null",
    "result",
    "number",
    "words",
    "open",
    "close",
    "sign",
    "nag",
}


def _begins_another(written: Written, token: Token, breaks: int) -> bool:
    """Return whether a token, so many line ends behind the last one, belongs to the next game."""
    ended = "result" in written.kinds
    if ended and breaks > 1:
        return token.kind != "result"
    if not ended and (breaks < 2 or "move" not in written.kinds):
        return False
    if token.kind == "number":
        return int(re.sub(r"\D", "", token.text)) == 1 and token.text.count(".") < 2
    return ended and breaks > 0 and token.kind == "move"


def _token(text: str, at: int) -> tuple[Token, int]:
    """Return the token that begins at a place, and its end."""
    if text[at] == "{":
        return _comment(text, at)
    found = _TOKEN.match(text, at)
    if found and not (found["result"] and not _result(found[0])):
        kind = str(found.lastgroup)
        return Token(_KINDS.get(kind, kind), found[kind].strip()), found.end()
    for kind, pattern in _OTHERS.items():
        found = pattern.match(text, at)
        if found and (kind != "move" or _BEHIND_MOVE.match(text, found.end())):
            break
    assert found is not None
    if found[0] in SIGNS and not _BLANK.fullmatch(text, found.end()):  # N or D
        kind = "sign"
    return Token(kind, found[0]), found.end()


def _comment(text: str, at: int) -> tuple[Token, int]:
    """Return the comment in braces that begins at a place; it may not be closed.

    If a game seems to begin in it and then another comment, it was not closed before that game.
    """
    close = text.find("}", at)
    end = close if close >= 0 else len(text)
    game = _BETWEEN_GAMES.search(text, at, end)
    if game and (close < 0 or text.find("{", game.end(), end) >= 0):
        return Token("open comment", ""), game.end()
    if close < 0:
        return Token("open comment", ""), end
    return Token("comment", text[at + 1 : close].strip()), close + 1


# ---------------------------------------------------------------- one game, as it is played


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


def _read(written: Written, part: PgnGame, language: Language | None) -> PgnGame:
    """Play the written moves, in the first language that makes sense of them."""
    if not written.is_game:
        return part
    if written.end and len(part.text) > MOST_IN_GAME:
        problem = f"over {MOST_IN_GAME:,} bytes in one game"
        return part._replace(problem=problem)
    first = _Play(written, language or ENGLISH)
    best = first
    note: list[str] = []
    if first.foreign:
        best, note, hint = _in_other_letters(written, first, language)
        first.problem += hint
    game = best.builder.result()
    result = [] if best.problem else _settle_result(game, written)
    repairs = (*part.repairs, *best.repairs, *note, *result)
    ended = "result" in written.kinds
    return part._replace(game=game, problem=best.problem, repairs=repairs, ended=ended)


def _in_other_letters(
    written: Written, first: _Play, language: Language | None
) -> tuple[_Play, list[str], str]:
    """Return a game as other languages read it; how it was read, or else a hint."""
    others = languages_with(written.letters)
    if language is not None and language is not ENGLISH:
        others.insert(0, ENGLISH)
    elif not written.letters - {*ENGLISH.pieces}:
        others = []
    others.sort(key=lambda each: each.pieces[:5])
    good = []
    for _, group in groupby(others, key=lambda each: each.pieces[:5]):
        same = list(group)
        if not (play := _Play(written, same[0])).problem:
            good.append((play, same))
    names = [" or ".join(each.name for each in same) for _, same in good]
    if len(good) == 1:
        letters = " ".join(good[0][1][0].pieces[:5])
        return good[0][0], [f"read in the letters of {names[0]} ({letters})"], ""
    if good:
        return (
            first,
            [],
            f"; its letters are those of {', or of '.join(names)}: say which",
        )
    if others:
        known = ", ".join(each.name for each in others)
        return (
            first,
            [],
            f"; its letters are those of {known}, but not all moves are legal",
        )
    return first, [], ""


class _Play:
    """The moves of a game, played in the letters of a language up to the first problem."""

    def __init__(self, written: Written, language: Language) -> None:
        self.builder = Builder()
        self.problem = written.problem
        self.foreign = False
        self.repairs: list[str] = []
        self._language = language
        self._misnoted: list[str] = []
        self._words: list[str] = []
        self._omitted = False
        self._numbered = False
        self.builder.begin_game()
        try:
            self._set_headers(written.headers)
            self._boards = [self.builder.game.board()]
            for kind, tokens in groupby(written.tokens, lambda token: token.kind):
                if kind == "words":
                    words = " ".join(token.text for token in tokens)
                    self._take(Token(kind, words))
                    continue
                for token in tokens:
                    self._take(token)
            self._end(written)
        except ValueError as error:
            self.problem = self.problem or str(error)
        self._say()

    def _set_headers(self, given: list[tuple[str, str]]) -> None:
        headers = self.builder.game.headers
        seen: dict[str, str] = {}
        for name, value in given:
            if seen.get(name, value) != value:
                self.repairs.append(
                    f"the header {name} stands twice: {value!r} is kept, not {seen[name]!r}"
                )
            headers[name] = seen[name] = value
        variant = headers.get("Variant", "")
        if headers.is_chess960() or headers.variant() is not chess.Board:
            raise ValueError(f"variant {variant!r}, not standard chess")
        if "FEN" in headers:
            try:
                repaired = repair_fen(headers["FEN"])
            except PositionError as error:
                raise ValueError(f"bad FEN header: {error}") from None
            headers["FEN"] = repaired.position.fen
            self.repairs += repaired.repairs
        result = headers.get("Result", "*")
        if (plain := _result(result)) and plain != result:
            headers["Result"] = plain
            self.repairs.append(f"the header's result {result!r} is read as {plain}")

    def _take(self, token: Token) -> None:
        kind, text = token
        builder = self.builder
        numbered = self._numbered
        self._numbered = kind in ("number", "dots") or (numbered and kind == "comment")
        if kind == "move":
            self._move(text, numbered)
        elif kind == "null":
            self._push(chess.Move.null())
        elif kind == "comment":
            builder.visit_comment(text) if text else None
        elif kind == "nag":
            builder.visit_nag(int(text))
        elif kind == "sign" and self._boards[-1].move_stack and not numbered:
            self._sign(text)
        elif kind == "open":
            if builder.variation_stack[-1].parent is None:
                raise ValueError("a variation stands before any move")
            builder.begin_variation()
            self._boards.append(self._boards[-1].copy())
            self._boards[-1].pop()
        elif kind == "close":
            if len(self._boards) == 1:
                raise ValueError("a variation is closed that was not opened")
            builder.end_variation()
            self._boards.pop()
        elif kind == "escape":
            self.repairs.append("lines that begin with % are left out")
        elif kind == "result" and len(self._boards) == 1:
            return
        elif kind not in ("number", "dots"):
            self._keep(text, numbered)

    def _move(self, text: str, numbered: bool) -> None:
        board = self._boards[-1]
        spelt = spell(text, self._language)
        if spelt is None:
            self.foreign = True
            raise ValueError(f"unreadable text {text!r} among the moves")
        try:
            move = find_move(board, spelt)
        except ValueError as error:
            if text.isalpha() and not numbered:  # "de", and not a pawn that takes
                self._keep(text, numbered)
                return
            self.foreign = True
            name = (
                "ambiguous"
                if isinstance(error, chess.AmbiguousMoveError)
                else "illegal"
            )
            raise ValueError(f"{name} move {_number(board)} {text}") from None
        if overstated(board, move, spelt):
            self._misnoted.append(
                f"{_number(board)} {spelt.text} is read as {board.san(move)}"
            )
        elif not spelt.takes and len(spelt.origin) < 2 and board.is_capture(move):
            self._omitted = True
        self._push(move)
        for sign in spelt.signs:
            self._sign(sign)

    def _push(self, move: chess.Move) -> None:
        board = self._boards[-1]
        self.builder.visit_move(board, move)
        board.push(move)

    def _sign(self, sign: str) -> None:
        white, black = SIGNS[_DASHES.sub("-", sign)]
        self.builder.visit_nag(black if self._boards[-1].turn else white)

    def _keep(self, text: str, numbered: bool) -> None:
        """Keep words that are no move as a comment; but not where there should be a move."""
        if numbered and any(map(str.isalpha, text)):
            raise ValueError(f"unreadable text {text!r} among the moves")
        self._words.append(text)
        self.builder.visit_comment(text)

    def _end(self, written: Written) -> None:
        if self._numbered and "result" not in written.kinds:
            raise ValueError("cut off: behind the last move number there is no move")
        self.builder.end_game()

    def _say(self) -> None:
        self.repairs = list(dict.fromkeys(self.repairs))
        if self._omitted:
            self.repairs.append("captures are written without x")
        if self._misnoted:
            self.repairs.append(_some(self._misnoted))
        if self._words:
            words = _some([repr(each) for each in self._words])
            self.repairs.append(f"text among the moves is kept as comments: {words}")


def _number(board: chess.Board) -> str:
    return f"{board.fullmove_number}{'.' if board.turn else '...'}"


def _some(texts: list[str], most: int = 3) -> str:
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


# ---------------------------------------------------------------- results


def _settle_result(game: chess.pgn.Game, written: Written) -> list[str]:
    """Set a game's result where the header has none; return how, where it is not as usual."""
    header = game.headers.get("Result", "*")
    tokens = [token for token in written.tokens if token.kind != "escape"]
    at = next((n for n, each in enumerate(tokens) if each.kind == "result"), -1)
    if at >= 0:
        given = tokens[at].text.strip(" .")
        result = _result(given)
        said = [] if given == result else [f"result {given!r} is read as {result}"]
        if any(token.kind == "move" for token in tokens[at:]):
            said.append(f"moves stand behind the result {given}; they are kept")
        if header == "*":
            game.headers["Result"] = result
        elif result not in (header, "*"):
            said = [f"the header says {header}, kept; behind the moves is {result}"]
        return said
    spoken = None
    if tokens and tokens[-1].kind == "comment":
        spoken = _RESULT_SAID.match(tokens[-1].text)
    end = natural_end(game.end().board())
    if header != "*":
        if spoken and _result(spoken[1]) == header:
            return [f"the result {header} stands in a comment"]
        doubt = "" if end else " (if moves are missing, the file was cut off)"
        return [f"no result behind the moves; the header has {header}{doubt}"]
    if spoken:
        game.headers["Result"] = _result(spoken[1])
        return [f"the result {_result(spoken[1])} is read from a comment"]
    if end and end[1] in ("checkmate", "stalemate"):
        game.headers["Result"] = end[0]
        return [f"no result behind the moves; {end[1]} on the board: {end[0]}"]
    return []


def _result(written: str) -> str:
    """Return the result that a text means, in the standard's spelling; empty if none."""
    plain = _DASHES.sub("-", written.strip(" .\n\t")).replace("½", "1/2")
    return RESULTS.get(re.sub(r"\s?:\s?", ":", plain).replace(",", "."), "")
