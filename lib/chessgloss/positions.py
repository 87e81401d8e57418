"""Frozen records for positions, moves and games, the readers that make them, and the split.

Every record is checked when it is made: a bad FEN or an illegal move raises here, with
the input named, and never reaches an engine or a network. Squares, pieces and moves
follow python-chess, which also parses FEN, SAN and UCI; what is mended on the way is said in
:func:`repair_fen`. Files of games are read by :mod:`chessgloss.corpora.pgn`.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import chess

from chessgloss import notation
from chessgloss.notation import Language, Spelt

Split = Literal["train", "validation", "test"]
Result = Literal["1-0", "0-1", "1/2-1/2", "*"]

#: What a missing field of a FEN is taken for, by its name in a repair.
_FEN_DEFAULTS = {"side to move": "w", "castling rights": "-", "en passant square": "-"}
_FEN_DEFAULTS |= {"halfmove clock": "0", "move number": "1"}
_SIDES = {"W": "w", "B": "b", "white": "w", "black": "b", "White": "w", "Black": "b"}
_CASTLING = re.compile(r"[KQkqA-Ha-h]+")
_OPERATIONS = re.compile(r"[A-Za-z]\w*( [^;]*)?;.*")


class PositionError(ValueError):
    """A FEN that describes no position that standard chess can reach by its rules."""


class MoveError(ValueError):
    """A text that names no legal move of the position it is read in."""


@dataclass(frozen=True, slots=True)
class Position:
    """A legal chess position, with the moves that led to it where they are known.

    Parameters
    ----------
    fen
        Six-field FEN of the position, as python-chess writes it.
    moves
        UCI moves that lead from ``root`` to ``fen``; empty when the history is unknown.
    root
        FEN from which ``moves`` starts.

    Raises
    ------
    PositionError
        If the FEN is malformed, illegal, or not what ``moves`` leads to.
    """

    fen: str
    moves: tuple[str, ...] = ()
    root: str = chess.STARTING_FEN

    def __post_init__(self) -> None:
        board = _parse_fen(self.fen)
        if board.fen() != self.fen:
            raise PositionError(
                f"FEN {self.fen!r} is not in its normal form {board.fen()!r}; read it with read_fen"
            )
        if self.moves and self.board().fen() != self.fen:
            raise PositionError(
                f"the moves {' '.join(self.moves)!r} from {self.root!r} do not lead to {self.fen!r}"
            )

    @classmethod
    def after(cls, moves: Iterable[str], root: str = chess.STARTING_FEN) -> Position:
        """Return the position that UCI ``moves`` lead to from ``root``, history kept."""
        played = tuple(moves)
        board = _replay(root, played)
        return cls(board.fen(), played, root)

    @property
    def turn(self) -> chess.Color:
        """Side to move: ``chess.WHITE`` or ``chess.BLACK``."""
        return self.fen.split(" ", 2)[1] == "w"

    def board(self) -> chess.Board:
        """Return a new board with the history, as far as it is known, on its move stack."""
        return _replay(self.root, self.moves) if self.moves else chess.Board(self.fen)


@dataclass(frozen=True, slots=True)
class MoveInContext:
    """A legal move in the position it is played in.

    Parameters
    ----------
    position
        The position before the move.
    uci
        The move in UCI notation (``e7e8q`` for a promotion, ``e1g1`` for castling).

    Raises
    ------
    MoveError
        If the move is not legal in the position.
    """

    position: Position
    uci: str

    def __post_init__(self) -> None:
        board = chess.Board(self.position.fen)
        if chess.Move.from_uci(self.uci) not in board.legal_moves:
            raise MoveError(_illegal(self.uci, board))

    @property
    def move(self) -> chess.Move:
        """The move as python-chess holds it."""
        return chess.Move.from_uci(self.uci)

    @property
    def san(self) -> str:
        """The move in SAN, with its check or mate sign."""
        return chess.Board(self.position.fen).san(self.move)

    @property
    def numbered_san(self) -> str:
        """The move in SAN behind its move number: ``30... Bd2+``."""
        number = self.position.fen.rsplit(" ", 1)[1]
        return f"{number}{'.' if self.mover else '...'} {self.san}"

    @property
    def mover(self) -> chess.Color:
        """Side that plays the move."""
        return self.position.turn

    def after(self) -> Position:
        """Return the position after the move, with the history one move longer."""
        known = self.position.moves or self.position.fen == self.position.root
        root = self.position.root if known else self.position.fen
        return Position.after((*self.position.moves, self.uci), root)


@dataclass(frozen=True, slots=True)
class CommentedMove:
    """A move and a person's comment on it.

    Parameters
    ----------
    context
        The move in the position it was played in.
    comment
        The person's text, not empty, white space folded.
    source
        Where the text comes from: a lecture's or a file's name.
    ply
        Plies played before the move, counted from the start of the source's line.
    """

    context: MoveInContext
    comment: str
    source: str
    ply: int

    @property
    def words(self) -> int:
        """Number of words in the comment, split at white space."""
        return len(self.comment.split())


@dataclass(frozen=True, slots=True)
class Game:
    """A game: its moves, its result and its players.

    Parameters
    ----------
    moves
        UCI moves from ``root``; all legal (checked when positions are made of them).
    result
        ``1-0``, ``0-1``, ``1/2-1/2`` or ``*``.
    white, black
        Names of the players.
    termination
        How the game ended, in the words of its source.
    opening_plies
        Leading plies that no player chose (random openings); 0 if none.
    root
        FEN of the first position.
    """

    moves: tuple[str, ...]
    result: Result
    white: str = "?"
    black: str = "?"
    termination: str = ""
    opening_plies: int = 0
    root: str = chess.STARTING_FEN

    def __post_init__(self) -> None:
        if self.result not in get_args(Result):
            raise ValueError(
                f"result must be one of {get_args(Result)}, got {self.result!r}"
            )

    @property
    def key(self) -> str:
        """Hash of root and moves, 16 hex digits: the game's name in every split."""
        return text_digest(self.root + " " + " ".join(self.moves))

    @property
    def split(self) -> Split:
        """The part of the one split by game to which this game belongs."""
        return split_of(self.key)

    def position(self, ply: int) -> Position:
        """Return the position before ply ``ply`` (0 is the first), with its history."""
        if not 0 <= ply <= len(self.moves):
            raise IndexError(
                f"ply {ply} is outside this game of {len(self.moves)} plies"
            )
        return Position.after(self.moves[:ply], self.root)

    def position_turn(self, ply: int) -> chess.Color:
        """Return the side to move before ply ``ply``."""
        return (self.root.split(" ", 2)[1] == "w") == (ply % 2 == 0)

    def fens(self) -> list[str]:
        """Return the FEN before each ply and after the last: ``len(moves) + 1`` strings."""
        return list(self.fens_at(range(len(self.moves) + 1)).values())

    def fens_at(self, plies: Collection[int]) -> dict[int, str]:
        """Return the FENs of the positions after so many plies, those that there are."""
        board = chess.Board(self.root)
        fens = {}
        for ply in range(min(max(plies, default=-1), len(self.moves)) + 1):
            if ply in plies:
                fens[ply] = board.fen()
            if ply < len(self.moves):
                board.push(chess.Move.from_uci(self.moves[ply]))
        return fens


class RepairedFen(NamedTuple):
    """A position read from a FEN that was not in order, and the repairs."""

    position: Position
    repairs: tuple[str, ...]


def split_of(key: str) -> Split:
    """Return the split of a game (or of a position without a game) from its key.

    The key is hashed, so that the same game falls into the same part in every chapter:
    80 % train, 10 % validation, 10 % test.
    """
    tenth = int(text_digest(key), 16) % 10
    return "train" if tenth < 8 else "validation" if tenth == 8 else "test"


def read_fen(text: str) -> Position:
    """Read a complete, legal FEN, also from an address, a header or between quotes.

    An en passant square that no pawn can capture on is dropped, as python-chess writes
    FENs; nothing else changes.

    Raises
    ------
    PositionError
        If a field is missing or wrong; the message says whether :func:`repair_fen` would help.
    """
    text = " ".join(notation.fen_fields(text))
    if len(text.split(" ")) != 6:
        raise PositionError(
            f"FEN {text!r} has {len(text.split(' '))} of 6 fields; "
            "repair_fen fills missing ones by stated rules"
        )
    if text.endswith(" 0"):
        raise PositionError(
            f"FEN {text!r} counts moves from 0, not 1; repair_fen mends it"
        )
    return Position(_parse_fen(text).fen())


def repair_fen(text: str) -> RepairedFen:
    """Read a FEN, mending what can be mended by rule, and say what was mended.

    The rules, in this order: other dashes are ``-``, and ``W`` and ``B`` are ``w`` and ``b``;
    operations of EPD (``bm Rxf4;``) are left out; a missing side to move is White; missing
    castling rights and en passant square are ``-``; missing counters are ``0`` and ``1``, and a
    move number 0 is 1 (the documents' own FENs have it); castling rights without king and rook
    on their squares are removed; an en passant square is removed that no double push explains,
    or that a check forbids. Nothing else is touched.

    Raises
    ------
    PositionError
        If the position is still illegal afterwards.
    """
    repairs: list[str] = []
    fields = []
    for field in notation.fen_fields(text):
        plain = _SIDES.get(field, re.sub(f"^{notation.DASH}$", "-", field))
        if plain != field:
            repairs.append(f"{field} is read as {plain}")
        fields.append(plain)
    if not fields:
        raise PositionError("the FEN is empty; give at least the piece placement")
    if len(fields) == 5 and fields[3].isdecimal() and fields[4].isdecimal():
        # one of the two in the middle is missing: what is there says which
        at = 3 if _CASTLING.fullmatch(fields[2]) else 2
        fields.insert(at, "-")
        repairs.append(f"{list(_FEN_DEFAULTS)[at - 1]} missing, set to '-'")
    counters = sum(each.isdecimal() for each in fields[4:6])
    operations = " ".join(fields[4 + counters :])
    if _OPERATIONS.fullmatch(operations):
        fields = fields[: 4 + counters]
        repairs.append(f"operations of EPD left out: {operations.rstrip(';')}")
    for name, default in list(_FEN_DEFAULTS.items())[len(fields) - 1 :]:
        fields.append(default)
        repairs.append(f"{name} missing, set to {default!r}")
    if fields[5] == "0":
        fields[5] = "1"
        repairs.append("move number 0 set to 1")
    board = _read_board(" ".join(fields), text)
    if board.status() & chess.STATUS_BAD_CASTLING_RIGHTS:
        board.castling_rights = board.clean_castling_rights()
        repairs.append(f"castling rights {fields[2]} set to {board.castling_xfen()}")
    unexplained = chess.STATUS_INVALID_EP_SQUARE | chess.STATUS_IMPOSSIBLE_CHECK
    if board.ep_square is not None and board.status() & unexplained:
        repairs.append(
            f"en passant square {chess.square_name(board.ep_square)} removed"
        )
        board.ep_square = None
    return RepairedFen(Position(_parse_fen(board.fen()).fen()), tuple(repairs))


def position_of(board: chess.Board) -> Position:
    """Return a board's position with its history, as far back as no side passed.

    Raises
    ------
    PositionError
        If the board follows other rules than those of standard chess, or is not legal.
    """
    if type(board).uci_variant != "chess" or board.chess960:
        rules = "Chess960" if board.chess960 else type(board).uci_variant
        raise PositionError(f"the board follows the rules of {rules}, not of chess")
    played = list(board.move_stack)
    passes = [ply for ply, move in enumerate(played, 1) if not move]
    root = board.root()
    for move in played[: passes[-1] if passes else 0]:
        root.push(move)
    moves = played[passes[-1] :] if passes else played
    return Position.after((move.uci() for move in moves), root.fen())


def read_move(
    position: Position, text: str, language: Language = notation.ENGLISH
) -> MoveInContext:
    """Read a move in SAN (with or without a number such as ``30...``) or in UCI.

    What SAN says beside piece and squares is not held against the board: :func:`misnoted`.

    Parameters
    ----------
    position
        The position before it.
    text
        The move, in any of the spellings of :mod:`chessgloss.notation`.
    language
        Whose letters the pieces have.

    Raises
    ------
    MoveError
        If the text is no move, an ambiguous one, or illegal in the position.
    """
    board = chess.Board(position.fen)
    spelt = notation.spell(notation.bare(text), language)
    spelt = spelt or notation.spell(notation.bare(text).lower())  # UCI in capitals
    if spelt:
        try:
            return MoveInContext(position, find_move(board, spelt).uci())
        except chess.AmbiguousMoveError:
            raise MoveError(
                f"{text!r} is ambiguous in {position.fen!r}; name the square"
            ) from None
        except ValueError:
            pass
    raise MoveError(_illegal(text, board) + _foreign(text, board))


def move_in_context(
    position: chess.Board | Position | str | MoveInContext,
    move: chess.Move | str | None = None,
    *,
    say: Callable[[str], object] = warnings.warn,
    language: str = "en",
) -> MoveInContext:
    """Return a move in its position, from what people have of both.

    Parameters
    ----------
    position
        A board of python-chess, whose history is kept; a FEN, mended where it can be; a record;
        or a move in its position, which is returned.
    move
        A move of python-chess, or a text: in SAN, also with its number, or UCI.
    say
        Told how a FEN is mended, and how a move is read that says what it does not do.
    language
        Code or name of the language whose letters the pieces have (``de``).

    Raises
    ------
    TypeError
        If it is given something else.
    PositionError
        If the position cannot be read.
    MoveError
        If the move is not legal there.
    """
    if isinstance(position, MoveInContext):
        if move is not None:
            raise TypeError(f"the position has its move already; leave {move!r} out")
        return position
    if isinstance(position, chess.Board):
        position = position_of(position)
    elif isinstance(position, str):
        position = _read_said(position, say)
    elif not isinstance(position, Position):
        wanted = "a chess.Board, a FEN, or a move from read_move"
        raise TypeError(f"the position must be {wanted}, not {type(position).__name__}")
    if isinstance(move, chess.Move):
        return read_move(position, move.uci())
    if not isinstance(move, str):
        wanted = "a chess.Move or a text such as 'Nf3' or 'g1f3'"
        raise TypeError(f"the move must be {wanted}, not {type(move).__name__}")
    letters = notation.find_language(language)
    read = read_move(position, move, letters)
    if misnoted(read, move, letters):
        say(f"{move} is read as {read.san}")
    return read


def _read_said(fen: str, say: Callable[[str], object]) -> Position:
    try:
        return read_fen(fen)
    except PositionError:
        repaired = repair_fen(fen)
        say(f"FEN repaired: {'; '.join(repaired.repairs)}")
        return repaired.position


def find_move(board: chess.Board, spelt: Spelt) -> chess.Move:
    """Return the legal move that is meant.

    Raises
    ------
    chess.AmbiguousMoveError
        If there are several.
    chess.IllegalMoveError
        If there is none.
    """
    if len(spelt.target) == 1:  # two files
        found = [
            move
            for move in board.generate_legal_captures(board.pawns)
            if chess.square_name(move.from_square)[0] == spelt.origin
            and chess.square_name(move.to_square)[0] == spelt.target
            and chess.piece_symbol(move.promotion or 1).upper()
            == (spelt.promoted or "P")
        ]
        if len(found) > 1:
            raise chess.AmbiguousMoveError(spelt.text)
        if not found:
            raise chess.IllegalMoveError(spelt.text)
        return found[0]
    if len(spelt.origin) < 2:
        return board.parse_san(spelt.san)
    move = board.parse_uci(f"{spelt.origin}{spelt.target}{spelt.promoted.lower()}")
    mover = board.piece_at(move.from_square)
    if not mover or spelt.piece not in ("", mover.symbol().upper()):
        raise chess.IllegalMoveError(spelt.text)
    return move


def misnoted(
    move: MoveInContext, text: str, language: Language = notation.ENGLISH
) -> bool:
    """Return whether SAN says of a move what it does not do, or leaves out that it takes.

    That it gives check may be left out. A move in UCI, or one spelt from square to square, says
    none of it. Of ``++``, which stands for mate or for a double check, it is always told.
    """
    spelt = notation.spell(notation.bare(text), language) or notation.spell(move.uci)
    assert spelt is not None
    board = chess.Board(move.position.fen)
    omitted = board.is_capture(move.move) and not spelt.takes and len(spelt.origin) < 2
    return omitted or overstated(board, move.move, spelt)


def overstated(board: chess.Board, move: chess.Move, spelt: Spelt) -> bool:
    """Return whether a legal move is said to take, check or mate and does not."""
    if spelt.takes and not board.is_capture(move):
        return True
    if spelt.check in ("", "+"):
        return bool(spelt.check) and not board.gives_check(move)
    return spelt.check == "++" or "#" not in board.san(move)


def text_digest(text: str, size: int = 8) -> str:
    """Return the BLAKE2b hash of a text, ``size`` bytes as hex digits: its name, or its lot."""
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()


def _read_board(fen: str, given: str) -> chess.Board:
    try:
        return chess.Board(fen)
    except ValueError as error:
        raise PositionError(f"FEN {given!r} cannot be read: {error}") from None


def _parse_fen(fen: str) -> chess.Board:
    board = _read_board(fen, fen)
    status = board.status()
    if status != chess.STATUS_VALID:
        flags = (flag for flag in chess.Status if flag & status)
        reasons = ", ".join(str(flag.name).lower().replace("_", " ") for flag in flags)
        raise PositionError(f"FEN {fen!r} is not a legal position: {reasons}")
    return board


def _replay(root: str, moves: Iterable[str]) -> chess.Board:
    board = _parse_fen(root)
    for ply, uci in enumerate(moves):
        try:
            move = board.parse_uci(uci)
        except ValueError:
            move = chess.Move.null()
        if not move:
            raise MoveError(f"ply {ply}: {_illegal(uci, board)}")
        board.push(move)
    return board


def _illegal(text: str, board: chess.Board) -> str:
    side = "White" if board.turn else "Black"
    shown = text if len(text) < 40 else f"{text[:40]}..."
    promotes = any(
        move.promotion for move in board.legal_moves if move.uci()[2:4] in text
    )
    hint = "; a promotion names its piece, as e8=Q" if promotes else ""
    hint = hint if any(board.legal_moves) else "; the game is over there"
    return f"{shown!r} is not a legal move for {side} in {board.fen()!r}{hint}"


def _foreign(text: str, board: chess.Board) -> str:
    """Return a hint where a move is legal in the letters of other languages."""
    bare = notation.bare(text)
    legal = []
    for language in notation.languages_with(notation.piece_letters(bare)):
        spelt = notation.spell(bare, language)
        with suppress(ValueError):
            if spelt and board.san(find_move(board, spelt)) != bare:
                legal.append(language)
    if not legal:
        return ""
    meant = {language.code: language.name for language in legal}
    codes = ", ".join(f"{code} ({name})" for code, name in meant.items())
    return f"; in the letters of another language it is one: give it as {codes}"


def natural_end(board: chess.Board) -> tuple[Result, str] | None:
    """Return the end of a game by the rules, draws claimed at once; ``None`` if it goes on."""
    if not any(board.generate_legal_moves()):
        if not board.is_check():
            return "1/2-1/2", "stalemate"
        return ("0-1" if board.turn else "1-0"), "checkmate"
    if board.halfmove_clock >= 100:
        return "1/2-1/2", "fifty moves"
    if board.halfmove_clock >= 8 and board.is_repetition(3):
        return "1/2-1/2", "threefold repetition"
    return (
        ("1/2-1/2", "insufficient material")
        if board.is_insufficient_material()
        else None
    )


# The phase of a game

Phase = Literal["opening", "middlegame", "endgame"]

#: Bounds on the knights, bishops, rooks and queens of both sides together.
#: Source: lichess.org's ``Divider`` (``scalachess``), its rule by piece count.
_MIDDLEGAME_PIECES = 10
_ENDGAME_PIECES = 6

#: No position counts as an opening after this ply (ours).
_OPENING_PLIES = 24


def phase_of(fen: str) -> Phase:
    """Return the phase of a position, by its pieces other than kings and pawns and its ply."""
    placement, turn, *_, number = fen.split(" ")
    pieces = sum(symbol in "nbrqNBRQ" for symbol in placement)
    ply = 2 * int(number) - (2 if turn == "w" else 1)
    if pieces <= _ENDGAME_PIECES:
        return "endgame"
    if pieces > _MIDDLEGAME_PIECES and ply < _OPENING_PLIES:
        return "opening"
    return "middlegame"
