"""What a question speaks of, by its words alone: moves, pieces and squares.

A move may be written in any spelling of :mod:`chessgloss.notation`, or in words (``queen takes
h4``, ``castle kingside``). Pieces and squares are the chunks of the claims' reader by rules
(:mod:`chessgloss.claims.chunks`). A move that is supposed not to be made, as in ``what if Black
does not take the rook``, is *left out*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

import chess

from chessgloss.claims.chunks import Chunk, chunk
from chessgloss.claims.language import MoveSpec, Reference
from chessgloss.claims.moments import fits
from chessgloss.commentary.briefing import PHRASES
from chessgloss.notation import MOVE, Spelt, spell

#: How questions speak of moves (``phrases.toml``).
PATTERNS: Final = {
    name: re.compile(each) for name, each in PHRASES["question_patterns"].items()
}
_NUMBER: Final = re.compile(r"(\d+)\s?(\.\.\.|…|\.)\s*$")


@dataclass(frozen=True, slots=True)
class Mention:
    """What a phrase means.

    Parameters
    ----------
    text, span
        The phrase, and where it stands in the text (start, end).
    move
        What is said of a move; ``None`` for pieces and squares.
    references
        The pieces or squares; of a move that is left out, those that it would take.
    ply
        The ply that a move's number names, counted as python-chess does (0 is White's first move).
    left_out
        Whether the move is supposed not to be made.
    """

    text: str
    span: tuple[int, int]
    move: MoveSpec | None = None
    references: tuple[Reference, ...] = ()
    ply: int | None = None
    left_out: bool = False

    @property
    def role(self) -> Literal["move", "piece", "square"]:
        """What the phrase means."""
        if self.move is not None:
            return "move"
        bare = all(each.role == "square" for each in self.references)
        return "square" if bare else "piece"

    def moves(self, board: chess.Board) -> list[chess.Move]:
        """Return the legal moves of a board that can be meant."""
        if self.move is None:
            return []
        return [each for each in board.legal_moves if fits(board, each, self.move)]


def find_mentions(text: str) -> tuple[Mention, ...]:
    """Return the moves, pieces and squares that a text speaks of, in its order, each once."""
    found = list[Mention]()
    rest = text
    for each in (*_moves_in_words(text), *_written_moves(text)):
        (start, end) = each.span
        if rest[start:end] == text[start:end]:
            found.append(each)
            rest = f"{rest[:start]}{' ' * (end - start)}{rest[end:]}"
    for part in chunk(rest):
        if part.sort in ("N", "S") and "??" not in part.items:
            found.append(_men_or_square(part, text))
    kept = dict[Mention, Mention]()
    for each in sorted(found, key=lambda each: each.span):
        kept.setdefault(replace(each, text="", span=(0, 0)), each)
    return tuple(kept.values())


# ---------------------------------------------------------------- moves


def _moves_in_words(text: str) -> Iterator[Mention]:
    """Yield moves such as ``knight to f3``, ``queen takes h4``, ``castle kingside``, ``QxQ``."""
    for match in PATTERNS["in_words"].finditer(text):
        move = MoveSpec(castles=_wing(match))
        if match["piece"]:
            letter = _letter(match["piece"])
            takes = ",captures" if match["takes"] else ""
            square = match["square"].lower()
            move = MoveSpec.parse(f"{{piece:{letter},to:{square}{takes}}}")
        elif match["taker"]:
            move = MoveSpec.parse(
                f"{{piece:{match['taker']},captures:{match['taken']}}}"
            )
        yield _of_move(text, match.span(), move)
    for match in PATTERNS["taking"].finditer(text):
        if _is_left_out(text[: match.start()]):
            how = "recapture" if match["back"] else "{captures}"
            yield _of_move(text, match.span(), MoveSpec.parse(how))


def _wing(match: re.Match[str]) -> Literal["kingside", "queenside", "any"]:
    if match["long"]:
        return "queenside"
    return "kingside" if match["short"] else "any"


def _letter(piece: str) -> str:
    return chess.piece_symbol(chess.PIECE_NAMES.index(piece.lower())).upper()


def _written_moves(text: str) -> Iterator[Mention]:
    """Yield written moves; a bare square is one behind a number or after *about*, *play*."""
    capital = PATTERNS["small_letter"].sub(lambda found: found[0].upper(), text)
    for match in MOVE.finditer(capital):
        start = match.start()
        end = max(match.end(part) for part in match.groupdict() if part != "signs")
        before = text[:start]
        spelt = spell(match.group())
        if spelt is None or before[-1:].isalnum():
            continue
        number = _NUMBER.search(before)
        if end - start == 2 and not (number or PATTERNS["pushed"].search(before)):
            continue
        if len(spelt.target) == 1 and not spelt.takes:
            continue
        if (
            spelt.piece
            and spelt.san == capital[start:end]
            and PATTERNS["there"].search(before)
        ):
            man = Reference.parse(f"?{spelt.piece}{spelt.target}")
            yield Mention(text[start:end], (start, end), references=(man,))
            continue
        (word, *_) = text[start:end].split()
        mention = _of_move(text, (start, start + len(word)), _described(spelt))
        yield replace(mention, ply=_ply(number)) if number else mention


def _described(spelt: Spelt) -> MoveSpec:
    """Return what a written move says of piece, squares, taking and promotion."""
    if len(spelt.target) > 1 or spelt.castles:
        return MoveSpec.parse(spelt.san)
    return MoveSpec.parse(
        f"{{piece:P,from:{spelt.origin}?,to:{spelt.target}?,captures}}"
    )


def _ply(number: re.Match[str]) -> int:
    """Return the ply of a move number with its dots."""
    return 2 * int(number[1]) - (2 if number[2] == "." else 1)


def _of_move(text: str, span: tuple[int, int], move: MoveSpec) -> Mention:
    (start, end) = span
    return Mention(text[start:end], span, move, left_out=_is_left_out(text[:start]))


def _is_left_out(before: str) -> bool:
    """Whether the words before a move suppose that it is not made."""
    return PATTERNS["left_out"].search(before) is not None


# ---------------------------------------------------------------- pieces and squares


def _men_or_square(part: Chunk, text: str) -> Mention:
    """Return what a chunk means: pieces, a square, or a capture that is left out."""
    (start, end) = part.span
    # what stands on a square may be a pawn where a question calls it a piece
    items = (re.sub("x(?=[a-h][1-8])", "?", item) for item in part.items)
    references = tuple(map(Reference.parse, items))
    mention = Mention(text[start:end], part.span, references=references)
    taken = PATTERNS["taken"].search(text[:start])
    if taken is None or not _is_left_out(text[: taken.start()]):
        return mention
    (man, *_) = references
    kinds = man.kinds if man.role == "piece" else True
    move = MoveSpec(captures=kinds, target=man.place)
    span = (taken.start(), end)
    words = text[slice(*span)]
    return replace(mention, text=words, span=span, move=move, left_out=True)
