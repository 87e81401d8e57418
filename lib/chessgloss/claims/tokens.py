"""A text cut into words, written moves, squares and stops, each under its tag."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from chessgloss.claims.lexicon import IDIOMS, TAG_OF, UNKNOWN
from chessgloss.claims.notation import MOVE_PATTERN

#: After ``a1-h8``, words that make it a row of squares and no move.
_ROWS = (
    r"(?=[\s-]+(?:diagonals?|complex|chain|squares?|line|pawns|duo|battery|structure|pair"
    r"|diag)\b|-[a-h][1-8])"
)

_STOPS = {".": ".", "!": ".", "?": "?", ";": ";", ":": ";", ",": ",", "(": "(", ")": ")"}


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
        One letter: see :mod:`chessgloss.claims.lexicon`; besides, ``M`` a written move, ``S``
        a square, ``L`` a file's letter, ``#`` a move number, ``9`` a number, and the stops.
    """

    text: str
    word: str
    span: tuple[int, int]
    tag: str


def tokenise(text: str) -> tuple[Token, ...]:
    """Cut a text into tokens; white space and signs that mean nothing here are left out."""
    return tuple(_token(found) for found in _scanner().finditer(text))


def _token(found: re.Match[str]) -> Token:
    group = str(found.lastgroup)
    text = found.group()
    word = text.lower().replace("’", "'")
    tag = group if len(group) == 1 else _SPECIAL.get(group) or _tag(group, word)
    return Token(text, word, found.span(), tag)


_SPECIAL = {
    "number": "#",
    "row": UNKNOWN,
    "route": UNKNOWN,
    "bare": "#",
    "digits": "9",
    "number2": "#",
    "glyph": "~",
    "dash": ";",
    "score": "9",
}


def _tag(group: str, word: str) -> str:
    if group == "stop":
        return _STOPS[word[0]]
    return TAG_OF.get(word, "n" if word.endswith("n't") else UNKNOWN)


@lru_cache(maxsize=1)
def _scanner() -> re.Pattern[str]:
    idioms = "|".join(re.escape(idiom).replace(r"\ ", r"\s+") for idiom in IDIOMS)
    return re.compile(
        rf"(?P<number>(?<![\w.])\d{{1,3}}\s?(?:\.{{1,3}}|…)\s*(?={MOVE_PATTERN}|[a-h][1-8]\b))"
        rf"|(?P<number2>\.\.\.\s?(?={MOVE_PATTERN}|[a-h][1-8]\b)|…\s?(?={MOVE_PATTERN}))"
        r"|(?P<route>(?<!\w)[KQRBN]?[a-h][1-8](?:[-–/][a-h][1-8]){2,})"
        r"|(?P<bare>(?<![\w.])\d{1,3}\s+(?=[KQRBN][a-h]?x?[a-h][1-8]))"
        rf"|(?P<row>(?<!\w)[a-h][1-8][-–/][a-h][1-8](?:-[a-h][1-8])*{_ROWS}"
        r"|(?<=diagonal )[a-h][1-8][-–/][a-h][1-8])"
        rf"|(?P<M>(?<![\w'’]){MOVE_PATTERN})"
        r"|(?P<S>(?<![A-Za-z0-9_])[a-hA-H][1-8](?!\w))"
        r"|(?P<L>(?<![\w'’])(?:[b-h][-\s]|a-|(?<=the )a )(?=(?:pawn|file)s?\b))"
        r"|(?P<glyph>(?<=[a-h1-8+#O0])[!?]{1,2}(?=\s+[a-z]|[,;)]))"
        r"|(?P<score>[+−-]\s?\d+(?:\.\d+)?)"
        rf"|(?P<idiom>(?<!\w)(?i:{idioms})(?!\w))"
        r"|(?P<word>[A-Za-zÀ-ž]+(?:[-'’][A-Za-z]+)*)"
        r"|(?P<digits>\d+(?:\.\d+)?)"
        r"|(?P<dash>\s[-–—]\s|—|–)"
        r"|(?P<stop>\.{1,3}|[!?]+|[;:,()])"
    )
