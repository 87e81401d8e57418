"""Comments as words: cutting, joining, mirroring, and the vocabulary.

What a comment says of its own move becomes a placeholder (the move's SAN, its squares), so
that the network need not learn each of them, and is filled in again when it speaks.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess

from chessgloss.positions import MoveInContext, Position

PAD, START, END, UNKNOWN = "<pad>", "<start>", "<end>", "<unk>"
MOVE, TO, FROM = "<move>", "<to>", "<from>"

#: Words that are no words; the first four may never be spoken.
SPECIAL = (PAD, START, UNKNOWN, END)

_SAN = r"(?:O-O-O|O-O|[KQRBN][a-h]?[1-8]?x?[a-h][1-8]|[a-h](?:x[a-h])?[1-8](?:=[QRBN])?)"
_TOKEN = re.compile(rf"{_SAN}(?![A-Za-z0-9])|[A-Za-z]+(?:['-][A-Za-z]+)*|\d+|[.,!?;:]", re.ASCII)
_NUMBERED = re.compile(r"\b\d+\s?\.+(?=\s?[KQRBNOa-h])")
_IS_SAN = re.compile(_SAN)
_STOPS = frozenset(".!?")
_MARKS = frozenset(".,!?;:")
_OTHER = {"white": "black", "black": "white"}


def cut_words(text: str) -> list[str]:
    """Cut a text into words, moves and marks; move numbers and other signs are left out."""
    plain = _NUMBERED.sub(" ", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    return _TOKEN.findall(re.sub(r"([.!?])\1+", r"\1", plain))


def join_words(words: Iterable[str]) -> str:
    """Join words and marks to a text whose sentences begin with a capital letter."""
    text, begins = "", True
    for word in words:
        known = begins and word not in _MARKS and not _IS_SAN.fullmatch(word)
        shown = word[:1].upper() + word[1:] if known else word
        text += shown if word in _MARKS or not text else f" {shown}"
        begins = word in _STOPS or (begins and word in _MARKS)
    return text


def leading_sentences(words: Sequence[str], most: int) -> tuple[list[str], bool]:
    """Return the leading sentences that fit into ``most`` words, and whether they are whole.

    A first sentence that is longer is cut off, and is then not whole.
    """
    if len(words) <= most:
        return list(words), True
    ends = [place + 1 for place, word in enumerate(words[:most]) if word in _STOPS]
    return (list(words[: ends[-1]]), True) if ends else (list(words[:most]), False)


def lower_beginnings(words: Sequence[str]) -> list[str]:
    """Write the first word of each sentence small, unless it is a move."""
    begins, found = True, []
    for word in words:
        kept = not begins or _IS_SAN.fullmatch(word) or word == "I"
        plain = word if kept else word.lower()
        found.append(plain)
        begins = word in _STOPS
    return found


def hide_move(words: Sequence[str], move: MoveInContext) -> list[str]:
    """Put placeholders for the move's SAN and squares."""
    san = move.san.rstrip("+#")
    to, start = chess.square_name(move.move.to_square), chess.square_name(move.move.from_square)
    hidden = {start: FROM, to: TO, san: MOVE}
    return [hidden.get(word, word) for word in words]


def show_move(words: Iterable[str], move: MoveInContext) -> list[str]:
    """Fill the placeholders with the move's SAN and squares."""
    shown = {
        MOVE: move.san,
        TO: chess.square_name(move.move.to_square),
        FROM: chess.square_name(move.move.from_square),
    }
    return [shown.get(word, word) for word in words]


def mirror_words(words: Iterable[str]) -> list[str]:
    """Exchange White and Black: the colours' names, and the ranks in moves and squares."""
    return [_mirror_word(word) for word in words]


def mirror_move(move: MoveInContext) -> MoveInContext:
    """Return the same move with colours exchanged and the board turned upside down."""
    board = chess.Board(move.position.fen).mirror()
    played = move.move
    turned = chess.Move(
        chess.square_mirror(played.from_square),
        chess.square_mirror(played.to_square),
        played.promotion,
    )
    return MoveInContext(Position(board.fen()), turned.uci())


def _mirror_word(word: str) -> str:
    if _IS_SAN.fullmatch(word):
        return re.sub("[1-8]", lambda rank: str(9 - int(rank[0])), word)
    other = _OTHER.get(word.lower().removesuffix("'s"))
    if other is None:
        return word
    cased = other.capitalize() if word[0].isupper() else other
    return cased + ("'s" if word.endswith("'s") else "")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words with their numbers: special ones first, then by frequency.

    Parameters
    ----------
    words
        All words, without repetition; number ``k`` is ``words[k]``.
    """

    words: tuple[str, ...]
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {word: place for place, word in enumerate(self.words)}
        if len(places) != len(self.words) or self.words[: len(SPECIAL)] != SPECIAL:
            raise ValueError(f"a vocabulary begins with {SPECIAL} and repeats no word")
        object.__setattr__(self, "_places", places)

    @classmethod
    def of(
        cls,
        texts: Iterable[tuple[str, Iterable[str]]],
        *,
        least: int,
        spread: int = 1,
    ) -> Vocabulary:
        """Gather the words of ``(source, words)`` pairs.

        Parameters
        ----------
        least
            Fewest occurrences of a word.
        spread
            Fewest sources it occurs in: 2 leaves out the names that one author uses.
        """
        counts: Counter[str] = Counter()
        found: dict[str, set[str]] = {}
        for source, words in texts:
            for word in words:
                counts[word] += 1
                found.setdefault(word, set()).add(source)
        kept = [word for word in counts if counts[word] >= least and len(found[word]) >= spread]
        known = [(-counts[word], word) for word in kept if word not in SPECIAL]
        return cls((*SPECIAL, *(word for _, word in sorted(known))))

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._places

    def number(self, word: str) -> int:
        """Return a word's number, that of ``<unk>`` if there is no such word."""
        return self._places.get(word, self._places[UNKNOWN])

    def numbers(self, words: Iterable[str]) -> list[int]:
        """Return the numbers of words."""
        return [self.number(word) for word in words]


def save_vocabularies(path: Path, comments: Vocabulary, features: Vocabulary) -> None:
    """Write both vocabularies as JSON, one word a line."""
    lists = {"comments": comments.words, "features": features.words}
    path.write_text(json.dumps(lists, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


def load_vocabularies(path: Path) -> tuple[Vocabulary, Vocabulary]:
    """Read what :func:`save_vocabularies` wrote.

    Raises
    ------
    ValueError
        If the file holds no two vocabularies.
    """
    try:
        lists = json.loads(path.read_text(encoding="utf-8"))
        return Vocabulary(tuple(lists["comments"])), Vocabulary(tuple(lists["features"]))
    except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} holds no vocabularies: {error}") from None
