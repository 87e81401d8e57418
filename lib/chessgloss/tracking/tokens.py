"""Games as tokens: the vocabulary of 77, UCI, and piece types put before some of the moves.

The state-tracking paper's section 2 and Tables 1 and 2. A move is the square it leaves and
the square it reaches; a promotion adds the new piece; castling is the king's move of two
squares. There is no token between moves. Two notations add the type of the piece that moves,
before its move: with some probability (RAP, only in training) or always (AP).

Many games are held in one :class:`TokenGames`, flat arrays from which
:func:`annotate` writes the sequences of a batch without a Python loop over moves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import chess
import numpy as np
from numpy.typing import NDArray

Notation = Literal["uci", "rap", "ap"]
Tokens: TypeAlias = NDArray[np.uint8]
Places: TypeAlias = NDArray[np.int64]

PAD, BOS, EOS = 0, 1, 2
#: Id of square a1; the 64 squares follow in python-chess's order (a1, b1, …, h8).
SQUARES = 3
#: Id of the pawn; P N B R Q K follow in the order of python-chess's piece types.
PIECES = 67
#: Id of the queen that a pawn becomes; q r b n.
PROMOTIONS = 73

#: Text of every id (the paper's Table 1).
VOCABULARY: tuple[str, ...] = (
    *("PAD", "BOS", "EOS"),
    *chess.SQUARE_NAMES,
    *"PNBRQK",
    *"qrbn",
)
VOCABULARY_SIZE = len(VOCABULARY)

#: One letter for the kind of each id: special, square, type, promotion.
_KINDS = np.frombuffer(b"..." + b"s" * 64 + b"t" * 6 + b"q" * 4, dtype="S1")
_MOVE = re.compile(r"t?ssq?")
_UCI = re.compile(r"([a-h][1-8]){2}[qrbn]?")
_KING, _ROOK, _PAWN = PIECES + 5, PIECES + 3, PIECES


class TokenError(ValueError):
    """Moves or ids that do not make a game in this vocabulary."""


@dataclass(frozen=True, slots=True)
class TokenGames:
    """Many games in UCI notation, as flat arrays, with the type of each piece that moves.

    Parameters
    ----------
    tokens
        Ids of all moves of all games, ``(n,)`` uint8, without BOS and EOS.
    starts
        Where each game begins in ``tokens``, and the end: ``(games + 1,)`` int64.
    pieces
        Id of the type of the piece that each move moves, ``(moves,)`` uint8.
    move_starts
        Where each move begins in ``tokens``: ``(moves,)`` int64.
    game_moves
        Where each game begins in ``move_starts``, and the end: ``(games + 1,)`` int64.

    Raises
    ------
    TokenError
        If the arrays do not fit each other.
    """

    tokens: Tokens
    starts: Places
    pieces: Tokens
    move_starts: Places
    game_moves: Places

    def __post_init__(self) -> None:
        for name, kind in (("tokens", np.uint8), ("pieces", np.uint8)):
            if getattr(self, name).dtype != kind:
                raise TokenError(f"{name} must be {kind.__name__}")
        if (
            self.starts.shape != self.game_moves.shape
            or self.pieces.shape != self.move_starts.shape
        ):
            raise TokenError("need one start a game and one piece a move")
        ends = ((self.starts, self.tokens), (self.game_moves, self.pieces))
        if any(at[0] != 0 or at[-1] != held.size or (np.diff(at) < 0).any() for at, held in ends):
            raise TokenError("the starts must rise from 0 to the number of tokens, and of moves")

    def __len__(self) -> int:
        return self.starts.size - 1

    @property
    def plies(self) -> Places:
        """Moves of each game, ``(games,)``."""
        return np.diff(self.game_moves)

    def ucis(self, game: int) -> list[str]:
        """Return the moves of one game in UCI notation."""
        return decode(self.tokens[self.starts[game] : self.starts[game + 1]])

    def parts(self) -> dict[str, NDArray]:
        """Return the arrays by name, as :class:`chessgloss.store.Store` keeps them."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of_parts(cls, parts: Mapping[str, NDArray]) -> TokenGames:
        """Return the games held by named arrays (see :meth:`parts`), read into memory."""
        return cls(**{name: np.array(parts[name]) for name in cls.__slots__})


def encode(ucis: Iterable[str]) -> Tokens:
    """Return the ids of moves in UCI notation, ``(n,)`` uint8, without BOS and EOS.

    Raises
    ------
    TokenError
        At the first move that is not in UCI notation, named by its ply.
    """
    return _read_moves([list(ucis)])[0]


def decode(ids: Sequence[int] | NDArray) -> list[str]:
    """Return the moves that ids stand for, in UCI notation.

    A BOS at the front, and an EOS with any padding at the end, are left out, and so are the
    types before the moves.

    Raises
    ------
    TokenError
        If an id is not in the vocabulary, or does not belong where it stands.
    """
    given = np.asarray(ids, dtype=np.int64)
    if wrong := [int(one) for one in given if not 0 <= one < VOCABULARY_SIZE]:
        raise TokenError(f"{wrong[0]} is not the id of a token; ids go to {VOCABULARY_SIZE - 1}")
    first, last = _bare_span(given)
    kinds = _KINDS[given[first:last]].tobytes().decode()
    moves, place = [], 0
    while place < len(kinds):
        move = _MOVE.match(kinds, place)
        if not move:
            near = " ".join(VOCABULARY[one] for one in given[first + place :][:4])
            raise TokenError(f"no move begins at token {first + place}: {near!r}")
        words = [VOCABULARY[one] for one in given[first + place : first + move.end()]]
        moves.append("".join(words[kinds[place] == "t" :]))
        place = move.end()
    return moves


def tokenise(games: Iterable[Sequence[str]]) -> TokenGames:
    """Return games, each a sequence of UCI moves from the usual first position, as tokens.

    What piece moves is followed on boards that are stepped ply by ply for all games at once.
    The moves are taken on trust, but a move from an empty square is an error.

    Raises
    ------
    TokenError
        At a move that is not in UCI notation or leaves an empty square, named by game and ply.
    """
    listed = [list(game) for game in games]
    tokens, move_starts = _read_moves(listed)
    game_moves = _running_total([len(game) for game in listed])
    ends = np.append(move_starts, tokens.size)
    pieces = _moved_pieces(tokens, move_starts, game_moves)
    return TokenGames(tokens, ends[game_moves], pieces, move_starts, game_moves)


def annotate(
    games: TokenGames,
    selected: NDArray | Sequence[int],
    notation: Notation,
    probability: float = 0.0,
    generator: np.random.Generator | None = None,
) -> tuple[Tokens, Places]:
    """Write the sequences of some games in a notation: BOS, the moves, EOS.

    Parameters
    ----------
    games
        All games.
    selected
        Which of them, ``(k,)`` indices, in the order wanted.
    notation
        ``uci``; ``rap``, a type before each move with ``probability``; ``ap``, before all.
    probability
        Share, 0 to 1, of the moves that get a type; used by ``rap`` alone. The draws are
        independent and new with each call.
    generator
        Source of the draws of ``rap``.

    Returns
    -------
    ids, starts
        All sequences flat, ``(n,)`` uint8, and where each begins, with the end, ``(k + 1,)``.

    Raises
    ------
    ValueError
        If the notation is unknown, the probability is none, or ``rap`` has no generator.
    """
    chosen = np.asarray(selected, dtype=np.int64)
    moves, counts = _spread(games.game_moves[chosen], games.game_moves[chosen + 1])
    typed = _choose_typed(moves.size, notation, probability, generator)
    at = games.move_starts[moves]
    long = np.append(games.move_starts, games.tokens.size)[moves + 1] - at == 3
    ends = _running_total(2 + typed + long)
    bounds = _running_total(counts)
    starts = ends[bounds] + 2 * np.arange(bounds.size)
    place = ends[:-1] + np.repeat(2 * np.arange(chosen.size) + 1, counts)
    ids = np.empty(int(starts[-1]), dtype=np.uint8)
    ids[starts[:-1]], ids[starts[1:] - 1] = BOS, EOS
    ids[place[typed]] = games.pieces[moves[typed]]
    place = place + typed
    ids[place], ids[place + 1] = games.tokens[at], games.tokens[at + 1]
    ids[place[long] + 2] = games.tokens[at[long] + 2]
    return ids, starts


def is_piece_type(ids: NDArray) -> NDArray[np.bool_]:
    """Say which ids are piece types (P N B R Q K): the ones masked for perplexity."""
    return (ids >= PIECES) & (ids < PROMOTIONS)


def square_id(square: chess.Square) -> int:
    """Return the id of a square, given as python-chess numbers it."""
    return SQUARES + square


def piece_id(piece_type: chess.PieceType) -> int:
    """Return the id of a piece type, given as python-chess numbers it."""
    return PIECES + piece_type - chess.PAWN


def _bare_span(ids: Places) -> tuple[int, int]:
    """Return where the moves begin and end between BOS and EOS."""
    last = int(np.argmax(ids == EOS)) if (ids == EOS).any() else ids.size
    if (ids[last + 1 :] != PAD).any():
        raise TokenError(f"only padding may follow the EOS at token {last}")
    return int(ids.size > 0 and ids[0] == BOS), last


def _running_total(counts: Sequence[int] | NDArray) -> Places:
    total = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=total[1:])
    return total


def _spread(first: Places, last: Places) -> tuple[Places, Places]:
    """Return all integers from each ``first`` up to its ``last``, joined, and how many each."""
    counts = last - first
    shift = first - _running_total(counts)[:-1]
    return np.arange(int(counts.sum())) + np.repeat(shift, counts), counts


def _choose_typed(
    moves: int, notation: str, probability: float, generator: np.random.Generator | None
) -> NDArray[np.bool_]:
    if notation not in get_args(Notation):
        raise ValueError(f"no notation {notation!r}; choose one of {', '.join(get_args(Notation))}")
    if notation != "rap":
        return np.full(moves, notation == "ap")
    if not 0 <= probability <= 1:
        raise ValueError(f"a probability lies between 0 and 1, got {probability}; 25 % is 0.25")
    if generator is None:
        raise ValueError("rap draws at random: give a numpy Generator")
    return generator.random(moves, dtype=np.float32) < probability


def _read_moves(games: list[list[str]]) -> tuple[Tokens, Places]:
    """Return the ids of all moves, and where each move begins."""
    moves = [uci for game in games for uci in game]
    text = np.frombuffer("".join(uci + " " for uci in moves).encode("utf-8", "replace"), np.uint8)
    lengths = np.fromiter(map(len, moves), dtype=np.int64, count=len(moves))
    if not _look_like_moves(text, lengths):
        raise TokenError(_first_wrong(games))
    places = _running_total(lengths + 1)[:-1]
    move_starts = _running_total(np.where(lengths == 5, 3, 2))
    tokens = np.empty(int(move_starts[-1]), dtype=np.uint8)
    for offset, letter in ((0, 0), (1, 2)):
        files, ranks = text[places + letter] - ord("a"), text[places + letter + 1] - ord("1")
        tokens[move_starts[:-1] + offset] = SQUARES + 8 * ranks + files
    promoted = lengths == 5
    letters = text[places[promoted] + 4]
    tokens[move_starts[:-1][promoted] + 2] = _PROMOTION_OF_LETTER[letters]
    return tokens, move_starts[:-1]


_PROMOTION_OF_LETTER = np.zeros(256, dtype=np.uint8)
_PROMOTION_OF_LETTER[list(b"qrbn")] = range(PROMOTIONS, PROMOTIONS + 4)


def _look_like_moves(text: Tokens, lengths: Places) -> bool:
    if text.size != lengths.sum() + lengths.size or not np.isin(lengths, (4, 5)).all():
        return False
    places = _running_total(lengths + 1)[:-1]
    files, ranks = (text[places[:, None] + list(at)] for at in ((0, 2), (1, 3)))
    fit = (files >= ord("a")) & (files <= ord("h")) & (ranks >= ord("1")) & (ranks <= ord("8"))
    letters = text[places[lengths == 5] + 4]
    return bool(fit.all() and np.isin(letters, list(b"qrbn")).all())


def _first_wrong(games: list[list[str]]) -> str:
    for number, game in enumerate(games):
        for ply, uci in enumerate(game):
            if not _UCI.fullmatch(uci):
                return f"game {number}, ply {ply}: {uci!r} is not a move in UCI, such as e7e8q"
    raise AssertionError("every move looks like UCI")


def _moved_pieces(tokens: Tokens, move_starts: Places, game_moves: Places) -> Tokens:
    """Return the type that each move moves: all boards are stepped together, ply by ply."""
    first = np.array([_type_on(square) for square in chess.SQUARES], dtype=np.uint8)
    boards = np.tile(first, (game_moves.size - 1, 1))
    pieces = np.zeros(move_starts.size, dtype=np.uint8)
    plies = np.diff(game_moves)
    for ply in range(int(plies.max(initial=0))):
        games = np.flatnonzero(plies > ply)
        moves = game_moves[games] + ply
        pieces[moves] = _step(boards, games, tokens, move_starts[moves], ply)
        long = np.append(move_starts, tokens.size)[moves + 1] - move_starts[moves] == 3
        _promote(boards, games[long], tokens, move_starts[moves[long]])
    return pieces


def _type_on(square: chess.Square) -> int:
    piece = chess.Board().piece_type_at(square)
    return piece_id(piece) if piece else 0


def _step(boards: Tokens, games: Places, tokens: Tokens, at: Places, ply: int) -> Tokens:
    """Play one move on each board; return the type that moved."""
    left, reached = (tokens[at + k].astype(np.int64) - SQUARES for k in (0, 1))
    moved, taken = boards[games, left], boards[games, reached]
    if not moved.all():
        game = int(np.argmin(moved))
        name = chess.SQUARE_NAMES[left[game]]
        raise TokenError(f"game {games[game]}, ply {ply}: there is no piece on {name}")
    files = reached % 8 - left % 8
    passing = (moved == _PAWN) & (files != 0) & (taken == 0)
    boards[games[passing], left[passing] // 8 * 8 + reached[passing] % 8] = 0
    boards[games, left], boards[games, reached] = 0, moved
    castled = (moved == _KING) & (np.abs(files) == 2)
    corner = left // 8 * 8 + np.where(files > 0, 7, 0)
    boards[games[castled], corner[castled]] = 0
    boards[games[castled], ((left + reached) // 2)[castled]] = _ROOK
    return moved


def _promote(boards: Tokens, games: Places, tokens: Tokens, at: Places) -> None:
    kinds = np.array([piece_id(kind) for kind in (5, 4, 3, 2)], dtype=np.uint8)
    reached = tokens[at + 1].astype(np.int64) - SQUARES
    boards[games, reached] = kinds[tokens[at + 2] - PROMOTIONS]
