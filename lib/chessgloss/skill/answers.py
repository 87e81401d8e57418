"""What a player answered to the question for a move, read strictly.

An answer counts if it names exactly one move:

- in SAN, with its capitals (``qxf7`` is nothing, ``bxc3`` a pawn's move), or as the square it
  leaves and the one it goes to (``f3f7``, ``f3-f7``, ``F3F7``, ``e7e8q``, also castling);
- alone, or with words, quotes, a code fence or JSON around it. Move numbers, the signs of
  check and mate, ``!`` and ``?`` say nothing, right or wrong; so does the ``x`` of a piece's
  capture. A pawn that promotes must say to what.

Where several moves are named, ``best move: X``, ``the answer is X`` or ``I play X`` says which
one is meant, if they all say the same; else the answer is unreadable. A bare square (``e4``)
is a move unless the text names a fuller one, or speaks of what stands *on* it. SAN that fits
two moves names none. A refusal is one only if no move is named beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

import chess

AnswerState = Literal["legal", "illegal", "unreadable", "error", "refused"]

#: ``Move: X`` and ``Reason: Y``, as the task with a reason wants them.
_REASON: Final = re.compile(r"\breason\b[\"'*]*\s*[:=]\s*(?P<reason>.+)", re.I | re.S)

_PROMOTION = "(?:=?[QRBNKqrbnk])?"
_FROM_TO = rf"(?:[a-h][1-8][-x]?[a-h][1-8]|[A-H][1-8][A-H][1-8]){_PROMOTION}"
_PIECE = "[KQRBN][a-h]?[1-8]?[x-]?[a-h][1-8]"
_PAWN = "[a-h]x[a-h][1-8](?:=?[QRBNK])?|[a-h][18]=?[QRBNK]"
_SQUARE = "[a-h][1-8]"
_CASTLING = "O-O-O|O-O|0-0-0|0-0"
_WORD = rf"(?:{_CASTLING}|{_PIECE}|{_FROM_TO}|{_PAWN}|{_SQUARE})"
_NUMBER = r"(?:\d{1,3}\s?(?:\.{1,3}|…)\s?)?"
_END = r"(?=(?:\+\+|[+#])?[!?]*(?![\w/=+#-]))"
_MOVE: Final = re.compile(rf"(?<![\w/=-])(?P<move>{_WORD}){_END}")

_GAP = r"[^\w]{0,6}"
_WHEN = rf"(?:{_GAP}(?:here|now|in this position|for (?:white|black)|in (?:san|uci)))*"
_IS = rf"(?:{_GAP}(?:is|would be))"
_CHOSEN = r"(?:best|final|correct|winning|mating|chosen|my|next) (?:move|answer|choice)"
_LEAD: Final = re.compile(
    rf"(?i:\b(?:{_CHOSEN}{_WHEN}{_IS}?|i (?:would |will )?(?:play|choose|pick)"
    rf"|(?:move|answer){_WHEN}(?:{_IS}|[\"'*)\]]*\s*[:=])))"
    rf"{_GAP}{_NUMBER}(?<![\w/=-])(?P<move>{_WORD}){_END}"
)
_OR: Final = re.compile(rf"[+#!?\"'*]*\s+or\s+{_NUMBER}{_WORD}{_END}")

#: Before a bare square: the text speaks of the square, or of a piece in words.
_NO_MOVE: Final = re.compile(
    r"(?i:\b(?:on|at|from|of|squares?|controls?|attacks?)"
    r"|\b(?:king|queen|rook|bishop|knight)s?(?: (?:to|takes|on|at))?)\s+$"
    r"|\b[KQRBN]\s+$"
)
_REFUSAL: Final = re.compile(
    r"\bi (?:can ?not|can't|won't|don't know|do not know|am (?:sorry|unable|not able))"
    r"|\bi'm (?:sorry|unable|not able)|\bas an ai\b|\bunable to\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a player said, and the move read from it.

    Parameters
    ----------
    text
        What was said, or what went wrong.
    uci
        The move read, in UCI: always for a legal one; for an illegal one only if it was
        named by its squares.
    san
        The move in SAN: of a legal one with its signs; of an illegal one as it was named.
    state
        ``legal``; ``illegal``: one move is named, which cannot be played here;
        ``unreadable``: none or several; ``refused``; ``error``: no answer came at all.

    Raises
    ------
    ValueError
        If state and move contradict each other.
    """

    text: str
    uci: str | None
    san: str | None
    state: AnswerState

    def __post_init__(self) -> None:
        if self.state not in get_args(AnswerState):
            raise ValueError(f"an answer is one of {get_args(AnswerState)}, got {self.state!r}")
        named = (self.uci is not None, self.san is not None)
        fits = {"legal": all(named), "illegal": any(named)}.get(self.state, not any(named))
        if not fits:
            raise ValueError(f"an answer that is {self.state} cannot name {self.uci}, {self.san}")

    @property
    def legal(self) -> bool:
        """Whether the move can be played."""
        return self.state == "legal"

    @property
    def move(self) -> chess.Move | None:
        """The move, if it is legal."""
        return chess.Move.from_uci(self.uci) if self.legal and self.uci else None

    @classmethod
    def of(cls, move: chess.Move, board: chess.Board) -> Answer:
        """Return the answer of a player that names its move by itself, such as an engine.

        A move that is not legal on the board is kept as an illegal answer.
        """
        if move not in board.legal_moves:
            return cls(move.uci(), move.uci(), None, "illegal")
        return cls(move.uci(), move.uci(), board.san(move), "legal")

    @classmethod
    def failed(cls, reason: str) -> Answer:
        """Return what stands for an answer that never came, with the reason."""
        return cls(" ".join(reason.split()), None, None, "error")


def read_answer(text: str, board: chess.Board) -> Answer:
    """Read a text as the answer to the question for a move on a board.

    The rules are those at the head of this module. Nothing raises: what cannot be read is
    ``unreadable``.
    """
    tokens = list(_named(text.replace("_", " ")))
    read = {_key(answer): answer for answer in (_resolve(token, board) for token in tokens)}
    if len(read) == 1 and None not in read:
        only = next(iter(read.values()))
        return Answer(text, only.uci, only.san, only.state)
    refused = not tokens and _REFUSAL.search(text.replace("’", "'"))
    return Answer(text, None, None, "refused" if refused else "unreadable")


@dataclass(frozen=True, slots=True)
class Reasoned:
    """A move with the reason given for it.

    Parameters
    ----------
    answer
        The move; its text is the whole answer.
    reason
        The reason, white space folded; empty if none was given.
    """

    answer: Answer
    reason: str


def read_reasoned(text: str, board: chess.Board) -> Reasoned:
    """Read ``Move: X`` and ``Reason: Y``; what the reason names is not taken for the move.

    Without the word ``Reason`` the first line is the move and the rest the reason.
    """
    found = _REASON.search(text)
    head, _, rest = text.strip().partition("\n")
    if found:
        head, rest = text[: found.start()], found["reason"]
    read = read_answer(head, board)
    return Reasoned(Answer(text, read.uci, read.san, read.state), " ".join(rest.split()))


def _named(text: str) -> Iterable[str]:
    """Return the moves that are meant, as they are written; several if it stays open."""
    leads = list(_LEAD.finditer(text))
    if leads and not any(_OR.match(text, one.end("move")) for one in leads):
        return [one["move"] for one in leads]
    found = list(_MOVE.finditer(text))
    full = [one["move"] for one in found if not re.fullmatch(_SQUARE, one["move"])]
    return full or _bare(text, found)


def _bare(text: str, found: Iterable[re.Match[str]]) -> Iterator[str]:
    for one in found:
        if not _NO_MOVE.search(text, 0, one.start()):
            yield one["move"]


def _resolve(token: str, board: chess.Board) -> Answer:
    if re.fullmatch(_FROM_TO, token) and not re.fullmatch(_PIECE, token):
        return _from_to(re.sub("[-x=]", "", token).lower(), board)
    san = token.replace("0", "O")
    try:
        return Answer.of(board.parse_san(san), board)
    except chess.AmbiguousMoveError:
        return Answer(token, None, None, "unreadable")
    except ValueError:
        return Answer(token, None, san, "illegal")


def _from_to(uci: str, board: chess.Board) -> Answer:
    try:
        return Answer.of(board.parse_uci(uci), board)
    except ValueError:
        return Answer(uci, uci, None, "illegal")


def _key(answer: Answer) -> str | None:
    """Return what tells moves apart; ``None`` for what names no single move."""
    return answer.uci or answer.san
