"""The words and written moves that the claim reader knows, and a text cut into them.

The words stand in ``words.toml``, each under a tag. A text's tags are put together as a string,
one letter each, and phrases and claims are found by regular expressions over it
(:func:`over_tags`), so that a synonym is one more word there and nothing else. Stops are tags of
their own.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import chess


class Tag:
    """The letters of the tags that the code asks for one by one (``words.toml`` has all)."""

    PIECE: Final = "N"
    SQUARE: Final = "S"
    MOVE: Final = "M"
    PLAYER: Final = "C"
    PRONOUN: Final = "T"
    NOUN: Final = "P"
    ADJECTIVE: Final = "J"
    LETTER: Final = "L"
    THE: Final = "z"
    DIGITS: Final = "9"
    DISCOVER: Final = "D"
    PROMOTE: Final = "Y"
    MOVE_NUMBER: Final = "#"
    UNKNOWN: Final = "_"
    ADVERB: Final = "~"
    NOT: Final = "n"
    NOBODY: Final = "q"
    ANYBODY: Final = "Q"
    NEARLY: Final = "u"
    MAYBE: Final = "h"
    IF: Final = "H"
    BE: Final = "b"
    ON: Final = "o"
    OF: Final = "f"
    HAVE: Final = "v"
    ATTACK: Final = "a"
    ATTACKED: Final = "A"
    CAPTURE: Final = "x"
    CAPTURED: Final = "X"
    EXCHANGE: Final = "r"
    GO: Final = "g"
    PUT: Final = "p"
    INTO: Final = "t"
    FROM: Final = "y"
    WITH: Final = "w"
    AND: Final = "&"
    BREAK: Final = ";"
    THREATEN: Final = "!"
    COMPARE: Final = "B"


@cache
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


@cache
def words(name: str) -> frozenset[str]:
    """Return the words (and idioms of several words) under a tag or in a set of ``words.toml``."""
    tag = _table()["tags"].get(name)
    text = tag["words"] if tag else _table()["sets"][name]
    return frozenset(" ".join(word.split()) for word in text.split(","))


@cache
def cue(name: str) -> re.Pattern[str]:
    """Return the words around a claim that say how it is put, as a regular expression."""
    return re.compile(expand(_table()["cues"][name], {}))


@lru_cache(maxsize=256)
def is_said(name: str, words: str) -> bool:
    """Tell whether a sentence holds a cue; each is asked so once for every claim in it."""
    return cue(name).search(words) is not None


@cache
def letters() -> Mapping[str, str]:
    """Return the letter of each tag by its name, as it stands in a regular expression."""
    tags = {name: tag["letter"] for name, tag in _table()["tags"].items()}
    return tags | _table()["letters"]


@cache
def tags(name: str) -> frozenset[str]:
    """Return the letters of a set of tags of ``words.toml``; stops stand for themselves."""
    names = _table()["tag_sets"][name].split()
    return frozenset(letters().get(each, each)[-1] for each in names)


@cache
def over_tags(pattern: str) -> re.Pattern[str]:
    """Return a regular expression over tags that names them in braces: ``{be}[{not},]*$``."""
    return re.compile(expand(pattern, letters()))


def expand(pattern: str, parts: Mapping[str, str]) -> str:
    """Return a regular expression that may stand on several lines and name parts in braces."""
    whole = "".join(line.strip() for line in pattern.splitlines())
    return re.sub(r"\{([a-z_]+)\}", lambda part: expand(parts[part[1]], parts), whole)


@cache
def _tag_of_word() -> dict[str, str]:
    """Return word: tag; that of adjectives only where a word has no other."""
    found = dict.fromkeys(words("adjective"), Tag.ADJECTIVE)
    for name, tag in _table()["tags"].items():
        if name != "adjective":
            found |= dict.fromkeys(words(name), tag["letter"])
    return found


def noun_pieces(noun: str) -> frozenset[chess.PieceType]:
    """Return the types of piece that a noun can mean; any but the king for ``piece``."""
    letters = _table()["nouns"].get(noun.removesuffix("'s").removesuffix("s"), "pnbrq")
    return frozenset(chess.PIECE_SYMBOLS.index(letter) for letter in letters)


def number(word: str) -> int:
    """Return the number that a word or digits name: ``two``, ``twice``, ``2``; 0 for ``no``."""
    return int(_table()["numbers"].get(word, word))


_CASTLING = re.compile(r"[O0o]-[O0o](-[O0o])?([+#]?)")
_PARTS = re.compile(
    r"(?P<piece>[KQRBNkqrn])?(?P<file>[a-h])?(?P<rank>[1-8])?(?P<takes>[x:×])?[–-]?[KQRBN]?"
    r"(?P<to>[a-h][1-8])=?(?P<promotion>[QRBNqrbn])?(?P<mark>[+#]*)"
)
_EXCHANGE = re.compile(
    r"(?P<piece>[KQRBNP])(?P<takes>[x×])(?P<victim>[QRBNP])(?P<mark>[+#]*)"
)


@dataclass(frozen=True, slots=True)
class Notation:
    """A written move, its parts as far as they are given.

    Parameters
    ----------
    piece
        Type of the piece that moves; ``None`` if the notation does not say (``g1f3``).
    to
        Square it goes to; ``None`` for castling or where only the piece is told.
    file, rank
        File and rank it comes from, if given.
    takes
        A capture is written.
    victim
        Type of the piece taken, where it stands for the square: ``QxQ``.
    promotion
        Piece that a pawn becomes.
    castles
        ``K`` or ``Q`` for castling to that wing, ``either`` where the wing is not told.
    check, mate
        ``+`` or ``#`` is written.
    """

    piece: chess.PieceType | None = None
    to: chess.Square | None = None
    file: int | None = None
    rank: int | None = None
    takes: bool = False
    promotion: chess.PieceType | None = None
    castles: str | None = None
    check: bool = False
    mate: bool = False
    victim: chess.PieceType | None = None

    @classmethod
    def read(cls, text: str) -> Notation:
        """Read one written move, or a bare square.

        Raises
        ------
        ValueError
            If the text is no written move.
        """
        if castling := _CASTLING.fullmatch(text):
            wing = "Q" if castling[1] else "K"
            mark = castling[2]
            return cls(castles=wing, check=mark == "+", mate=mark == "#")
        found = _EXCHANGE.fullmatch(text) or _PARTS.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is not a written move")
        parts = defaultdict(
            str, ((name, part) for name, part in found.groupdict().items() if part)
        )
        long = parts["file"] and parts["rank"] and not parts["piece"]
        return cls(
            piece=_piece(parts["piece"]) or (None if long else chess.PAWN),
            to=chess.parse_square(parts["to"]) if parts["to"] else None,
            file=chess.FILE_NAMES.index(parts["file"]) if parts["file"] else None,
            rank=int(parts["rank"]) - 1 if parts["rank"] else None,
            takes=bool(parts["takes"]),
            promotion=_piece(parts["promotion"]),
            check="+" in parts["mark"],
            mate="#" in parts["mark"],
            victim=_piece(parts["victim"]),
        )

    def fits(self, board: chess.Board, move: chess.Move) -> bool:
        """Tell whether a legal move of a board is one that the writing can mean.

        A written capture must be a capture; one left unwritten may be. Check signs are a
        claim of their own and not looked at.
        """
        if self.castles:
            wing = "K" if chess.square_file(move.to_square) == 6 else "Q"
            return board.is_castling(move) and self.castles in ("either", wing)
        return (
            self.to in (None, move.to_square)
            and self.piece in (None, board.piece_type_at(move.from_square))
            and self.file in (None, chess.square_file(move.from_square))
            and self.rank in (None, chess.square_rank(move.from_square))
            and self.promotion in (None, move.promotion)
            and (not self.takes or board.is_capture(move))
            and self.victim in (None, board.piece_type_at(move.to_square))
        )

    def moves(self, board: chess.Board) -> Iterator[chess.Move]:
        """Yield the legal moves of a board that the writing can mean."""
        to_mask = chess.BB_ALL if self.to is None else chess.BB_SQUARES[self.to]
        yield from (
            m
            for m in board.generate_legal_moves(to_mask=to_mask)
            if self.fits(board, m)
        )


def _piece(letter: str) -> chess.PieceType | None:
    return chess.PIECE_SYMBOLS.index(letter.lower()) if letter else None


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a written move, a square or a stop.

    Parameters
    ----------
    text
        As written.
    word
        In lower case, typographic apostrophes made plain.
    span
        Start and end in the text.
    tag
        Its letter (see the module's text).
    """

    text: str
    word: str
    span: tuple[int, int]
    tag: str


def tokenise(text: str) -> tuple[Token, ...]:
    """Cut a text into tokens; white space and signs that mean nothing here are left out."""
    return tuple([_token(match) for match in _scanner().finditer(text)])


def _token(match: re.Match[str]) -> Token:
    group = str(match.lastgroup)
    text = match.group()
    word = text.lower().replace("’", "'")
    if group == "stop":
        tag = word[0].replace(":", ";").replace("!", ".")
    elif group in ("word", "idiom"):
        other = Tag.NOT if word.endswith("n't") else Tag.UNKNOWN
        tag = _tag_of_word().get(word, other)
    else:
        tag = _table()["forms"][group][0]
    return Token(text, word, match.span(), tag)


def _idioms() -> str:
    """Return a regular expression of all idioms, the longest first, by their first letters."""
    spaced = sorted(
        (word for word in _tag_of_word() if " " in word), key=lambda w: (-len(w), w)
    )
    by_letter: dict[str, list[str]] = {}
    for idiom in spaced:
        rest = re.escape(idiom[1:]).replace(r"\ ", r"\s+")
        by_letter.setdefault(idiom[0], []).append(rest)
    return "|".join(
        f"{re.escape(first)}(?:{'|'.join(rests)})" for first, rests in by_letter.items()
    )


@cache
def _scanner() -> re.Pattern[str]:
    parts = {**_table()["parts"], "idioms": _idioms()}
    forms = _table()["forms"].items()
    return re.compile(
        "|".join(f"(?P<{name}>{expand(form, parts)})" for name, (_, form) in forms)
    )
