"""How people write moves and positions: spellings of SAN, letters of languages, forms of FEN.

Text alone: whether a move is legal is asked in :mod:`chessgloss.positions`. What is read here is
the PGN standard's notation and what books, score sheets and other programs make of it: figurines,
any dash, ``e8(Q)``, ``exd``, ``Qh4++``, ``O–O``, signs behind the move.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

#: Pieces in English, in the order of ``languages.toml``.
_ENGLISH: Final = "KQRBNP"
#: Pieces as books print them, in place of letters; a pawn has none.
_FIGURINES: Final = str.maketrans("♔♕♖♗♘♙♚♛♜♝♞♟×", "KQRBNPKQRBNPx")
#: Every character that is meant as a hyphen.
DASH: Final = "[-‐‑‒–—−]"

#: Signs behind a move as numeric glyphs, for White's move and for Black's. Source: PGN standard,
#: section 10; from 140 on as chess programs have extended it.
SIGNS: Final[Mapping[str, tuple[int, int]]] = {
    **{
        "!": (1, 1),
        "?": (2, 2),
        "!!": (3, 3),
        "??": (4, 4),
        "!?": (5, 5),
        "?!": (6, 6),
    },
    **{"□": (7, 7), "=": (10, 10), "∞": (13, 13)},
    **dict.fromkeys(("⩲", "+=", "+/="), (14, 14)),
    **dict.fromkeys(("⩱", "=+", "=/+"), (15, 15)),
    **dict.fromkeys(("±", "+/-"), (16, 16)),
    **dict.fromkeys(("∓", "-/+"), (17, 17)),
    **{"+-": (18, 18), "-+": (19, 19)},
    **dict.fromkeys(("⨀", "⊙"), (22, 23)),
    **dict.fromkeys(("⟳", "↻"), (32, 33)),
    **{"↑": (36, 37), "→": (40, 41)},
    **dict.fromkeys(("=∞", "∞=", "⯹"), (44, 45)),
    **dict.fromkeys(("⇆", "⇄"), (132, 133)),
    **dict.fromkeys(("⊕", "⨁"), (138, 139)),
    **dict.fromkeys(("∆", "Δ", "△"), (140, 140)),
    **{"⌓": (142, 142), "N": (146, 146), "D": (220, 220)},
}


def _any_of(texts: Iterable[str]) -> str:
    """Return a pattern for some texts, the longest first, in which a hyphen is any dash."""
    longest = sorted(texts, key=lambda text: (-len(text), text))
    return "|".join(re.escape(text).replace(r"\-", DASH) for text in longest)


#: A sign without letters.
SIGN: Final = _any_of(sign for sign in SIGNS if not sign.isalpha())
#: A capital letter of any alphabet; the Russian king has two.
_LETTER = r"(?:[^\W\d_a-zа-я]р?|[♔-♟])"
_NEXT_FILES = (
    "(?="
    + "|".join(f"{a}[x:×]?{b}|{b}[x:×]?{a}" for a, b in pairwise("abcdefgh"))
    + ")"
)
#: A move as anybody may write it; what stands behind it on its line is not looked at.
MOVE: Final = re.compile(
    rf"""
    (?:(?P<castles>[O0o]{DASH}?[O0o](?:{DASH}?[O0o])?)(?![\w/])
    |(?P<piece>{_LETTER})?(?P<file>[a-h])?(?P<rank>[1-8])?
        (?:(?P<takes>[x:×])|{DASH}(?=[a-h][1-8]))?
        (?P<to>[a-h](?:[2-7]|[18](?:\s?=?[(/\[]?(?![Oo]{DASH}[Oo])(?P<promoted>{_LETTER}|[qrbn])[)\]]?)?))
        (?P<takes_behind>[x:×](?![a-h\w]))?
    |{_NEXT_FILES}(?P<pawn>[a-h])[x:×]?(?P<target>[a-h])
    )
    (?P<check>\+\+(?![-–/=])|\+(?![-–/=])|\#+|[†‡≠]|\s?(?:mate|matt?|ch\.)(?!\w))?
    (?:\s?\(?e\.?\s?p\b\.?\)?)?
    (?P<signs>(?:{SIGN})*(?:[ND]\b)?)
    (?!\w)
    """,
    re.VERBOSE,
)
_SIGNS = re.compile(rf"{SIGN}|[ND]")
_NUMBER = re.compile(r"^\s*(?:\d+(?=[\s.…)]))?[\s.…)]*")
_DASHES = re.compile(DASH)


@dataclass(frozen=True)
class Language:
    """The letters that a language has for the pieces.

    Parameters
    ----------
    code
        ISO 639-1.
    name
        In English.
    pieces
        King, queen, rook, bishop, knight, pawn.
    """

    code: str
    name: str
    pieces: tuple[str, ...]

    @cached_property
    def english(self) -> Mapping[str, str]:
        """The English letter of each piece."""
        return dict(zip(self.pieces, _ENGLISH, strict=True))

    def __str__(self) -> str:
        return f"{self.name} ({' '.join(self.pieces[:5])})"


_TABLE = tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8"))
#: Every language by its code.
LANGUAGES: Final = {
    code: Language(code, each["name"], tuple(each["pieces"].split()))
    for code, each in _TABLE.items()
}
ENGLISH: Final = LANGUAGES["en"]


def find_language(name: str) -> Language:
    """Return a language by its code (``de``) or its English name.

    Raises
    ------
    ValueError
        If it is not known; the message lists those that are.
    """
    for language in LANGUAGES.values():
        if name.casefold() in (language.code, language.name.casefold()):
            return language
    known = ", ".join(f"{each.code} {each.name}" for each in LANGUAGES.values())
    raise ValueError(f"no piece letters of {name!r} are known; there are {known}")


def languages_with(letters: Iterable[str]) -> list[Language]:
    """Return the languages other than English that have all these letters for pieces."""
    wanted = {*letters}
    others = (each for each in LANGUAGES.values() if each is not ENGLISH)
    return [each for each in others if wanted <= {*each.pieces}]


class Spelt(NamedTuple):
    """A move as it is written, without a board to look at.

    Parameters
    ----------
    text
        As it is written.
    castles
        ``O-O`` or ``O-O-O``; empty for other moves.
    piece
        English letter of the piece that moves; empty for a pawn.
    origin
        File, rank or square that it is said to come from.
    target
        Square that it goes to, or for ``exd`` the file alone.
    promoted
        English letter of the piece that a pawn becomes; empty otherwise.
    takes
        Whether it is said to take.
    check
        ``+``, ``++`` or ``#`` as far as it is said to give check or mate.
    signs
        Signs behind it (:data:`SIGNS`).
    """

    text: str
    castles: str
    piece: str
    origin: str
    target: str
    promoted: str
    takes: bool
    check: str
    signs: tuple[str, ...]

    @property
    def san(self) -> str:
        """The move in SAN, as far as it can be said without a board."""
        if self.castles:
            return self.castles
        promoted = f"={self.promoted}" if self.promoted else ""
        takes = "x" if self.takes else ""
        return f"{self.piece}{self.origin}{takes}{self.target}{promoted}"


def piece_letters(text: str) -> set[str]:
    """Return the letters of pieces in a move, figurines apart; none where it is no move."""
    found = MOVE.fullmatch(text)
    letters = (found["piece"], found["promoted"]) if found else ()
    return {
        letter for letter in letters if (letter and letter.isupper()) or letter == "Кр"
    }


def spell(text: str, language: Language = ENGLISH) -> Spelt | None:
    """Read a move without its number; ``None`` where it is none in the letters of a language."""
    printed = text.translate(_FIGURINES)
    found = MOVE.fullmatch(printed)
    if found is None:
        return None
    language = language if printed == text else ENGLISH
    letters = {"": "", **_UCI, **language.english}
    part = found.groupdict("")
    piece = letters.get(part["piece"])
    promoted = letters.get(part["promoted"])
    if piece is None or promoted is None:
        return None
    check = part["check"].strip()
    return Spelt(
        text,
        _castling(part["castles"]),
        piece.replace("P", ""),
        part["pawn"] or part["file"] + part["rank"],
        part["target"] or part["to"][:2],
        promoted,
        bool(part["takes"] or part["takes_behind"] or part["target"]),
        _CHECKS.get(check, check),
        tuple(_DASHES.sub("-", sign) for sign in _SIGNS.findall(part["signs"])),
    )


#: Letters of promotions in UCI, the same in every language.
_UCI: Final = {"q": "Q", "r": "R", "b": "B", "n": "N"}
_CHECKS: Final = {
    **{"†": "+", "ch.": "+", "‡": "++"},
    **dict.fromkeys(("≠", "##", "mate", "matt", "mat"), "#"),
}


def _castling(written: str) -> str:
    return "-".join("O" * sum(each in "O0o" for each in written))


def bare(text: str) -> str:
    """Return a move without its number or the dots before it, and without a full stop behind."""
    return _NUMBER.sub("", text).strip().rstrip(".,;")


# ---------------------------------------------------------------- FEN

_PLACEMENT = re.compile(r"(?<!\w)(?:[1-8bknpqr]+/){7}[1-8bknpqr]+", re.I)
_BEFORE_FEN = re.compile(
    r"""https?://.*/|\[?\s*(?:position\s+)?(?:FEN)?\s*[:=]?\s*["']?""", re.I | re.DOTALL
)
_BEHIND_FEN = re.compile(r"""["']?\s*\]?\s*$|(?<=\S)[?#]\S*$""")


def fen_fields(text: str) -> list[str]:
    """Return the fields of a FEN: as it stands, from an address, a header or between quotes.

    Letters for castling come in FEN's order. Nothing else is changed.
    """
    text = text.strip()
    if re.match("https?://", text, re.I):
        query = parse_qs(urlsplit(text).query)
        text = query["fen"][0] if "fen" in query else unquote(text).replace("_", " ")
    text = re.sub("_|%20", " ", text)
    if placement := _PLACEMENT.search(text):
        if _BEFORE_FEN.fullmatch(text[: placement.start()]):
            text = text[placement.start() :]
        text = _BEHIND_FEN.sub("", text)
    fields = text.split()
    if len(fields) > 2 and {*fields[2]} <= {*"KQkq"}:
        fields[2] = "".join(sorted(fields[2], key="KQkq".index))
    return fields
