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
        roles = {each.role for each in self.references}
        return "square" if roles == {"square"} else "piece"

    def moves(self, board: chess.Board) -> list[chess.Move]:
        """Return the legal moves of a board that can be meant."""
        spec = self.move
        if spec is None:
            return []
        return [each for each in board.legal_moves if fits(board, each, spec)]


def find_mentions(text: str) -> tuple[Mention, ...]:
    """Return the moves, pieces and squares that a text speaks of, in its order, each once."""
    found = list[Mention]()
    rest = text
    for each in (*_moves_in_words(text), *_written_moves(text)):
        (start, end) = each.span
        if rest[start:end] == text[start:end]:
            found.append(each)
            blank = " " * (end - start)
            rest = rest[:start] + blank + rest[end:]
    for part in chunk(rest):
        named = part.sort in ("N", "S") and "??" not in part.items
        if named:
            found.append(_men_or_square(part, text))
    kept = dict[Mention, Mention]()
    found.sort(key=lambda each: each.span)
    for each in found:
        meant = replace(each, text="", span=(0, 0))
        kept.setdefault(meant, each)
    return tuple(kept.values())


# ---------------------------------------------------------------- moves


def _moves_in_words(text: str) -> Iterator[Mention]:
    """Yield moves such as ``knight to f3``, ``queen takes h4``, ``castle kingside``, ``QxQ``."""
    for match in PATTERNS["in_words"].finditer(text):
        move = MoveSpec(castles=_wing(match))
        if match["piece"]:
            letter = _letter(match["piece"])
            square = match["square"].lower()
            fields = f"piece:{letter},to:{square}"
            if match["takes"]:
                fields += ",captures"
            move = MoveSpec.parse(f"{{{fields}}}")
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
    kind = chess.PIECE_NAMES.index(piece.lower())
    return chess.piece_symbol(kind).upper()


def _written_moves(text: str) -> Iterator[Mention]:
    """Yield written moves, and the pieces that are named like one: ``the Nh4``."""
    capital = PATTERNS["small_letter"].sub(_upper, text)
    for match in MOVE.finditer(capital):
        (start, end) = match.span()
        before = text[:start]
        number = _NUMBER.search(before)
        spelt = spell(match.group())
        if spelt is None or before[-1:].isalnum():
            continue
        pushed = number or PATTERNS["pushed"].search(before)
        if not (pushed or _is_more_than_squares(spelt)):
            continue
        parts = match.groupdict().keys() - {"signs"}
        end = max(map(match.end, parts))
        (word, *_) = text[start:end].split()
        span = (start, start + len(word))
        man_there = f"{spelt.piece}{spelt.target}"
        there = spelt.san == man_there and not spelt.check
        if there and PATTERNS["there"].search(before):
            man = Reference.parse(f"?{man_there}")
            yield Mention(word, span, references=(man,))
            continue
        mention = _of_move(text, span, _described(spelt))
        if number:
            mention = replace(mention, ply=_ply(number))
        yield mention


def _upper(found: re.Match[str]) -> str:
    return found.group().upper()


def _is_more_than_squares(spelt: Spelt) -> bool:
    """Whether a text is a move for sure: no bare square (``e5``), no two files (``ed``)."""
    if spelt.promoted in ("K", "P"):
        return False
    if len(spelt.target) == 1:
        return spelt.text[1] in "x:×"
    return spelt.san != spelt.target or bool(spelt.check)


def _described(spelt: Spelt) -> MoveSpec:
    """Return what a written move says of piece, squares, taking and promotion."""
    if len(spelt.target) > 1 or spelt.castles:
        return MoveSpec.parse(spelt.san)
    fields = f"piece:P,from:{spelt.origin}?,to:{spelt.target}?,captures"
    return MoveSpec.parse(f"{{{fields}}}")


def _ply(number: re.Match[str]) -> int:
    """Return the ply of a move number with its dots."""
    last = 2 * int(number[1]) - 1
    return last - 1 if number[2] == "." else last


def _of_move(text: str, span: tuple[int, int], move: MoveSpec) -> Mention:
    (start, end) = span
    left_out = _is_left_out(text[:start])
    return Mention(text[start:end], span, move, left_out=left_out)


def _is_left_out(before: str) -> bool:
    """Whether the words before a move suppose that it is not made."""
    return PATTERNS["left_out"].search(before) is not None


# ---------------------------------------------------------------- pieces and squares


def _men_or_square(part: Chunk, text: str) -> Mention:
    """Return what a chunk means: pieces, a square, or a capture that is left out."""
    (start, end) = part.span
    # what stands on a square may be a pawn where a question calls it a piece
    items = ",".join(part.items)
    items = re.sub("x(?=[a-h][1-8])", "?", items)
    references = tuple(map(Reference.parse, items.split(",")))
    words = text[start:end]
    mention = Mention(words, part.span, references=references)
    taken = PATTERNS["taken"].search(text[:start])
    if taken is None:
        return mention
    begin = taken.start()
    if not _is_left_out(text[:begin]):
        return mention
    (man, *_) = references
    move = MoveSpec(captures=True, target=man.place)
    if man.role == "piece":
        move = replace(move, captures=man.kinds)
    words = text[begin:end]
    return replace(mention, text=words, span=(begin, end), move=move, left_out=True)
