"""Players: whoever chooses a move in a position, and how an answer is read.

A player has a name and the method ``choose``, which takes positions and returns one
:class:`MoveAnswer` for each: an error is an answer too. A new player is a class with these two in
this file; chapter 11 lists those that are compared. There are engines (:class:`StockfishPlayer`,
:class:`NnuePlayer`), a weakened engine whose moves were kept (:class:`WeakenedPlayer`), anybody
whose moves stand in a file (:class:`RecordedPlayer`), functions that continue a game
(:class:`MovesPlayer`) and language models (:class:`LlmPlayer`).

A text counts as an answer (:func:`read_answer`) if it names exactly one move:

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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

import chess
import numpy as np
import pandas as pd

from chessgloss.commentary.prompts import load_prompt
from chessgloss.concepts.facts import concept_scores
from chessgloss.engine import Engine, EngineFailed
from chessgloss.experts import Expert
from chessgloss.llm.client import DEFAULT_MODEL, Client
from chessgloss.llm.recordings import Answer, Request, Sampling, State
from chessgloss.positions import Position
from chessgloss.predicates.board import after_move

AnswerState = Literal["legal", "illegal", "unreadable", "error", "refused"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A position in which a move is asked for.

    Parameters
    ----------
    name
        Name of the position, the same wherever it is asked.
    position
        The position; ``position.moves`` are the moves that led to it, where they are known.
    """

    name: str
    position: Position

    @property
    def has_history(self) -> bool:
        """Whether the game that led here is known from the initial position."""
        known = bool(self.position.moves) or self.position.fen == self.position.root
        return known and self.position.root == chess.STARTING_FEN


@dataclass(frozen=True, slots=True)
class MoveAnswer:
    """What a player answered, and the move read from it.

    Parameters
    ----------
    text
        The answer itself, or what went wrong.
    uci
        The move read, in UCI: always for a legal one; for an illegal one only if it was
        named by its squares.
    san
        The move in SAN: of a legal one with its signs; of an illegal one as it was named.
    state
        ``legal``; ``illegal``: one move is named, which cannot be played here;
        ``unreadable``: none or several; ``refused``; ``error``: no answer came at all.
    """

    text: str
    uci: str | None
    san: str | None
    state: AnswerState

    @property
    def legal(self) -> bool:
        """Whether the move can be played."""
        return self.state == "legal"

    @property
    def move(self) -> chess.Move | None:
        """The move, if it is legal."""
        return chess.Move.from_uci(self.uci) if self.legal and self.uci else None

    @classmethod
    def of(cls, move: chess.Move, board: chess.Board) -> MoveAnswer:
        """Return the answer of a player that names its move by itself, such as an engine."""
        if move not in board.legal_moves:
            return cls(move.uci(), move.uci(), None, "illegal")
        return cls(move.uci(), move.uci(), board.san(move), "legal")

    @classmethod
    def failed(cls, reason: str) -> MoveAnswer:
        """Return what stands for an answer that never came, with the reason."""
        return cls(" ".join(reason.split()), None, None, "error")


_OVER = MoveAnswer.failed("the game is over")
_NO_HISTORY = MoveAnswer.failed("the moves that led to the position are not known")

# ---------------------------------------------------------------- reading an answer

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


def read_answer(text: str, board: chess.Board) -> MoveAnswer:
    """Read a text as the answer to the question for a move on a board.

    The rules are those at the head of this module. Nothing raises: what cannot be read is
    ``unreadable``.
    """
    tokens = list(_named(text.replace("_", " ")))
    read = [_resolve(token, board) for token in tokens]
    different = {answer.uci or answer.san for answer in read}
    if len(different) == 1 and None not in different:
        return replace(read[-1], text=text)
    refused = not tokens and _REFUSAL.search(text.replace("’", "'"))
    return MoveAnswer(text, None, None, "refused" if refused else "unreadable")


def read_reasoned(text: str, board: chess.Board) -> tuple[MoveAnswer, str]:
    """Read ``Move: X`` and ``Reason: Y``: the answer, whose text is the whole, and the reason.

    What the reason names is not taken for the move. Without the word ``Reason`` the first line
    is the move and the rest the reason.
    """
    match = _REASON.search(text)
    head, _, rest = text.strip().partition("\n")
    if match:
        head = text[: match.start()]
        rest = match["reason"]
    return replace(read_answer(head, board), text=text), " ".join(rest.split())


def read_reply(reply: Answer, board: chess.Board) -> MoveAnswer:
    """Read a language model's reply; a refused one keeps that as its state."""
    if reply.state == State.REFUSED:
        return MoveAnswer(reply.text, None, None, "refused")
    return read_answer(reply.text, board)


def _named(text: str) -> Iterator[str]:
    """Yield the moves that are meant, as they are written; several if it stays open."""
    chosen = list(_LEAD.finditer(text))
    if chosen and not any(_OR.match(text, match.end("move")) for match in chosen):
        yield from (match["move"] for match in chosen)
        return
    named = list(_MOVE.finditer(text))
    full = [
        match["move"] for match in named if not re.fullmatch(_SQUARE, match["move"])
    ]
    bare = (
        match["move"] for match in named if not _NO_MOVE.search(text, 0, match.start())
    )
    yield from full or bare


def _resolve(token: str, board: chess.Board) -> MoveAnswer:
    squares = re.fullmatch(_FROM_TO, token) and not re.fullmatch(_PIECE, token)
    uci = re.sub("[-x=]", "", token).lower() if squares else None
    san = None if squares else token.replace("0", "O")
    try:
        return MoveAnswer.of(
            board.parse_uci(uci) if uci else board.parse_san(san or ""), board
        )
    except chess.AmbiguousMoveError:
        return MoveAnswer(token, None, None, "unreadable")
    except ValueError:
        return MoveAnswer(token, uci, san, "illegal")


# ---------------------------------------------------------------- engines


@dataclass(frozen=True, slots=True)
class StockfishPlayer:
    """Stockfish with a fixed number of nodes and an empty hash table for each position.

    Parameters
    ----------
    nodes
        Nodes to search; 1 is as little as the engine can be given.
    """

    nodes: int

    @property
    def name(self) -> str:
        """``stockfish_1_node``, ``stockfish_1000_nodes``."""
        return f"stockfish_{self.nodes}_node{'s' if self.nodes > 1 else ''}"

    def choose(self, asked: Sequence[Asked]) -> list[MoveAnswer]:
        """Return the first move of the best line in each position.

        A position on which the engine fails twice gets an ``error``, and so does one in
        which the game is over. A missing engine raises, as it can answer nothing.
        """
        with Engine() as engine:
            return [self._answer(engine, question.position) for question in asked]

    def _answer(self, engine: Engine, position: Position) -> MoveAnswer:
        try:
            lines = engine.analyse(position, nodes=self.nodes).lines
        except EngineFailed as error:
            return MoveAnswer.failed(str(error))
        if not lines:
            return _OVER
        return MoveAnswer.of(chess.Move.from_uci(lines[0].moves[0]), position.board())


@dataclass(frozen=True, slots=True)
class NnuePlayer:
    """Plays the move after which Stockfish's network likes its own side best.

    The network alone decides, at a depth of one ply: no search, and no knowledge of mate or
    stalemate, which the network was never shown. Of equal moves the first in UCI is taken.

    Parameters
    ----------
    expert
        A network with evaluations for White (see :func:`chessgloss.experts.load_expert`).
    name
        What to call it.
    """

    expert: Expert = field(repr=False)
    name: str = "nnue_one_ply"

    def choose(self, asked: Sequence[Asked]) -> list[MoveAnswer]:
        """Return the best move by the network in each position, all in one batch."""
        boards = [question.position.board() for question in asked]
        moves = [sorted(board.legal_moves, key=chess.Move.uci) for board in boards]
        pairs = zip(boards, moves, strict=True)
        fens = [
            after_move(board, move).fen() for board, legal in pairs for move in legal
        ]
        ends = np.cumsum([len(legal) for legal in moves])
        values = np.split(np.asarray(self.expert.evaluate(fens)), ends)
        return [
            MoveAnswer.of(legal[int(np.argmax(white if board.turn else -white))], board)
            if legal
            else _OVER
            for board, legal, white in zip(boards, moves, values, strict=False)
        ]


# ---------------------------------------------------------------- a weakened engine, kept

#: Columns of a file of kept answers; UCI moves. The first is the Skill Level.
COLUMNS: Final = ("level", "nodes", "name", "fen", "uci")


@dataclass(frozen=True, slots=True)
class WeakenedPlayer:
    """Stockfish at a Skill Level, as it answered once.

    A Skill Level draws its mistakes from the clock, so that what was played once is kept: a
    file of answers, made by ``data/static/make.py``.

    Parameters
    ----------
    level
        Skill Level, 0 to 20.
    path
        The file of answers.
    """

    level: int
    path: Path

    @property
    def name(self) -> str:
        """``stockfish_05``."""
        return f"stockfish_{self.level:02d}"

    def choose(self, asked: Sequence[Asked]) -> list[MoveAnswer]:
        """Return the kept move in each position.

        Raises
        ------
        LookupError
            If a position has none, which is no answer of the player's but a file to be made.
        """
        kept = read_weakened(self.path)
        keys = [
            (self.level, question.name, question.position.fen) for question in asked
        ]
        if missing := [key for key in keys if key not in kept]:
            raise LookupError(
                f"{len(missing)} of {len(keys)} positions, such as {missing[0][1]!r}, have no "
                f"answer at level {self.level} in {self.path.name}; run "
                "`python data/static/make.py answers`"
            )
        return _read_moves([kept[key] for key in keys], asked)


def read_weakened(path: Path) -> dict[tuple[int, str, str], str]:
    """Return the UCI moves of a file of answers by level, name and FEN of the position.

    Raises
    ------
    ValueError
        If the file is not in its form.
    """
    rows = read_table(path, COLUMNS)
    return {(int(level), name, fen): uci for level, _, name, fen, uci in rows}


# ---------------------------------------------------------------- moves of a file

#: Columns of a file of recorded moves: name of the position, whether the game that led to it was
#: shown too (1) or the position alone (0), and the move as it was answered, empty for none.
RECORDED_COLUMNS: Final = ("position", "history", "move")


class RecordedPlayer:
    """A player whose moves were given elsewhere and stand in a file; nothing is asked.

    Its attributes are ``path``, ``name`` (the file's) and ``rows``, a frame of ``history``
    (boolean) and ``move`` by the name of the position.

    Parameters
    ----------
    path
        A table with tabs between the columns (:data:`RECORDED_COLUMNS`), one row a position. The
        file's name is the player's: small letters, digits and underscores.

    Raises
    ------
    ValueError
        If the file is not in this form; the message names the line.
    """

    def __init__(self, path: Path) -> None:
        if not re.fullmatch(r"[a-z0-9_]+\.tsv", path.name):
            raise ValueError(
                f"{path.name}: name it in small letters, digits, _ and .tsv"
            )
        self.path = path
        self.name = path.stem
        rows: dict[str, tuple[bool, str]] = {}
        for number, (name, history, move) in enumerate(
            read_table(path, RECORDED_COLUMNS), 2
        ):
            if history not in ("0", "1") or name in rows:
                wrong = (
                    "comes twice" if name in rows else "needs 0 or 1 for its history"
                )
                raise ValueError(f"{path.name}, line {number}: {name!r} {wrong}")
            rows[name] = history == "1", move
        self.rows = pd.DataFrame.from_dict(
            rows, orient="index", columns=["history", "move"]
        )

    def choose(self, asked: Sequence[Asked]) -> list[MoveAnswer]:
        """Return the recorded move in each position, read as a text is.

        Raises
        ------
        LookupError
            If a position has no row; ask for those of ``rows`` alone.
        """
        names = [question.name for question in asked]
        if missing := [name for name in names if name not in self.rows.index]:
            raise LookupError(f"{self.path.name} has no row for {missing[0]!r}")
        return _read_moves(self.rows.loc[names, "move"], asked)


def read_table(path: Path, columns: Sequence[str]) -> list[list[str]]:
    """Return the rows of a table with tabs between its columns, which its first line names.

    Raises
    ------
    ValueError
        If the columns are others, or a row has more or fewer; the message names the line.
    """
    head, *rows = [
        line.split("\t") for line in path.read_text("utf-8").splitlines()
    ] or [[]]
    if tuple(head) != columns:
        raise ValueError(f"{path.name} must begin with {', '.join(columns)}")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(columns):
            raise ValueError(
                f"{path.name}, line {number}: {row[0]!r} needs {', '.join(columns)}"
            )
    return rows


def _read_moves(moves: Iterable[str], asked: Sequence[Asked]) -> list[MoveAnswer]:
    boards = (question.position.board() for question in asked)
    return [read_answer(move, board) for move, board in zip(moves, boards, strict=True)]


# ---------------------------------------------------------------- moves alone


@dataclass(frozen=True, slots=True)
class MovesPlayer:
    """A player that sees the moves of the game and nothing else.

    Parameters
    ----------
    name
        What to call it: ``tracking_uci``.
    continue_games
        Takes games as UCI moves from the initial position and returns for each what it says
        comes next, as a text in SAN or UCI.
    """

    name: str
    continue_games: Callable[[Sequence[tuple[str, ...]]], Sequence[str]] = field(
        repr=False
    )

    def choose(self, asked: Sequence[Asked]) -> list[MoveAnswer]:
        """Return one answer for each position; ``error`` where the game is not known."""
        known = [question for question in asked if question.has_history]
        given = self.continue_games([question.position.moves for question in known])
        answers = dict(zip(known, _read_moves(given, known), strict=True))
        return [answers.get(question, _NO_HISTORY) for question in asked]


# ---------------------------------------------------------------- language models

#: How a position is described to a model, and what is asked for, by the name of the way.
PLAYS: Final[Mapping[str, tuple[str, str]]] = {
    "fen": ("fen", "san"),
    "fen_uci": ("fen", "uci"),
    "history": ("history", "san"),
    "pgn": ("pgn", "san"),
    "concepts": ("concepts", "san"),
    "fen_reason": ("fen", "reason"),
}

#: Plies of the game that ``history`` gives.
HISTORY: Final = 12

#: A move takes up to six tokens, what is longer is no move alone; or a move and a sentence.
MOVE: Final = Sampling(temperature=0.0, max_tokens=12)
MOVE_AND_REASON: Final = Sampling(temperature=0.0, max_tokens=60)

#: What an expert sees in a position, by the position's name (:func:`concepts_in_words`).
Concepts = Mapping[str, Sequence[str]]

#: The concept of the CCC paper's Table 7, and how a concept is put to a model after the side.
_MATE: Final = "mate in one"
_WORDS: Final = {
    "fork": "has a fork",
    "pin": "pins a piece",
    "doubled pawns": "has doubled pawns",
    "open file": "has a rook or queen on an open file",
    _MATE: "can mate in one move",
}


@dataclass(frozen=True, slots=True)
class LlmPlayer:
    """A language model that is asked in one way: ``qwen_fen``, ``qwen_pgn`` and the like.

    Parameters
    ----------
    client
        Where its answers come from.
    play
        How it is asked (:data:`PLAYS`): with the FEN, the FEN and the last moves, the game and
        no FEN, or the FEN and what an expert network sees in it; for SAN, UCI, or a move and
        a reason.
    concepts
        What is described with ``concepts``, by name of the position.
    """

    client: Client
    play: str
    concepts: Concepts = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """``qwen_fen`` and the like."""
        return f"{nickname(self.client.model.name)}_{self.play}"

    def choose(self, asked: Sequence[Asked]) -> list[MoveAnswer]:
        """Return the answers, replayed or asked for; see :meth:`reasoned`."""
        return [answer for answer, _ in self.reasoned(asked)]

    def reasoned(self, asked: Sequence[Asked]) -> list[tuple[MoveAnswer, str]]:
        """Return each answer with its reason, empty where none was asked for or given.

        A position that cannot be described in this way gets an ``error``.

        Raises
        ------
        chessgloss.llm.client.AnswerMissing
            If a recorded answer is missing: names the command that records it.
        """
        requests = play_requests(asked, self.play, self.concepts)
        names = [request.about["of"] for request in requests]
        replies = dict(
            zip(names, self.client.ask_many(requests, progress=False), strict=True)
        )
        return [self._read(question, replies.get(question.name)) for question in asked]

    def _read(self, asked: Asked, reply: Answer | None) -> tuple[MoveAnswer, str]:
        if reply is None:
            return _NO_HISTORY, ""
        board = asked.position.board()
        if self.play != "fen_reason" or reply.state == State.REFUSED:
            return read_reply(reply, board), ""
        return read_reasoned(reply.text, board)


def play_requests(
    asked: Sequence[Asked], play: str, concepts: Concepts = MappingProxyType({})
) -> list[Request]:
    """Return the questions of one way of asking, where the position can be described in it.

    ``about`` of a request names the position and its FEN. A position without a known game
    cannot be described by ``history`` or ``pgn``.

    Parameters
    ----------
    asked
        The positions.
    play
        How they are described and what is asked (:data:`PLAYS`).
    concepts
        For ``concepts``: what is described, by name of the position.
    """
    description, asking = PLAYS[play]
    prompt = load_prompt(f"play_{asking}")
    sampling = MOVE_AND_REASON if asking == "reason" else MOVE
    requests = []
    for question in asked:
        if question.has_history or description not in ("history", "pgn"):
            side = "White" if question.position.turn else "Black"
            messages = prompt.fill(
                told=describe(question, description, concepts), side=side
            )
            about = {"of": question.name, "fen": question.position.fen}
            requests.append(
                Request(messages, sampling, prompt=prompt.label, about=about)
            )
    return requests


def describe(
    asked: Asked, description: str, concepts: Concepts = MappingProxyType({})
) -> str:
    """Return a position in words: ``fen``, ``history``, ``pgn`` or ``concepts``."""
    fen = f"position (FEN): {asked.position.fen}"
    if description == "concepts":
        return f"{fen}\nan expert sees: {'; '.join(concepts[asked.name]) or 'nothing special'}"
    if description == "fen":
        return fen
    board = asked.position.board()
    played = asked.position.moves
    shown = played if description == "pgn" else played[-HISTORY:]
    last = [board.pop() for _ in shown][::-1]
    moves = board.variation_san(last) or "none, the game begins"
    return (
        f"game (PGN): {moves}"
        if description == "pgn"
        else f"last moves: {moves}\n{fen}"
    )


def nickname(model: str) -> str:
    """Return what a model is called in names of players: ``qwen``, ``gpt_4o_mini``."""
    if model == DEFAULT_MODEL:
        return "qwen"
    return re.sub(r"[^a-z0-9]+", "_", model.lower()).strip("_")


# ---------------------------------------------------------------- what an expert sees


def mate_detected(fens: Sequence[str], expert: Expert) -> list[bool]:
    """Return in which positions the network shows a mate in one for the side to move."""
    scores = concept_scores(fens, expert)
    white = [bool(chess.Board(fen).turn) for fen in fens]
    own = np.where(white, scores[f"White {_MATE}"], scores[f"Black {_MATE}"])
    return (own > 0).tolist()


def concepts_in_words(asked: Sequence[Asked], expert: Expert) -> Concepts:
    """Return the concepts detected in each position in words, the clearest first, by its name.

    Mate in one is named of the side to move alone, for which it was fitted.
    """
    scores = concept_scores([question.position.fen for question in asked], expert)
    words = {}
    for question, (_, row) in zip(asked, scores.iterrows(), strict=True):
        mover = "White" if question.position.turn else "Black"
        clearest = row[row > 0].sort_values(ascending=False, kind="stable").index
        words[question.name] = tuple(
            f"{side} {_WORDS[concept]}"
            for side, concept in (name.split(" ", 1) for name in clearest)
            if concept != _MATE or side == mover
        )
    return words
