"""The facts of a move, as typed records: gathered from the board and from an engine's verdict.

What the kinds hold, ``side`` being the mover's or the piece's owner's unless said:

===================  ==================================  ======================================
kind                 squares                             value
===================  ==================================  ======================================
capture, en_passant  from, to (and the taken pawn's)     the taken piece's letter
promotion            from, to                            the new piece's letter
castling             king from, to, rook from, to        ``kingside`` or ``queenside``
check, mate          the checking pieces, the king       none; a check that stands before the
                                                         move is a fact of ``before``
discovered_check     the checking pieces that did not
                     move, the king                      none
double_check         the checking pieces, the king       none
stalemate            the king; its side                  none
material             of the move: from, to               pawns that the move brings
material             before, after: none; the side       pawns by which it is ahead, 0 if level
                     ahead, or nobody
exchange             to, from, who can take back         pawns the mover wins by exchange
attack, defence      the acting piece, the other         ``barred`` if the rules forbid taking
hanging              the piece                           pawns that its loss costs
fork                 the piece, what it forks            ``safe``, or ``loose`` if it hangs
pin, skewer          the piece, in front, behind         ``absolute`` (a king) or ``relative``
discovered_attack    the piece, what it attacks          pawns that its capture wins
threat               from, to, what is won               the move in UCI
passed_pawn          the pawn                            ranks that it has still to go
doubled_pawns        the pawns of one file               their number
isolated_pawn        the pawn                            none
open_file            rooks and queens on it (half-open:  the file's letter; half-open if it has
                     the side's own)                     a side, the one without a pawn
king_shelter         the king, its pawns                 their number
opening              of move: from, to; before: none     its ECO code and its name
ending               none; nobody                        its name, by the pieces: ``rook ending``
theory               none; the winner, or nobody         ``win`` or ``draw``, and what is known
opposition           the holder's king, the other; the   ``direct`` or ``distant``; only where
                     holder                              it decides
key_square           the king on it, its pawn            none
outside_square       the pawn, the other king, the       none; the king cannot catch the pawn
                     promotion square
stalemating_move     from, to                            UCI move
repetition           from, to                            how often the position has stood
fifty_moves          none; nobody                        plies without a capture or pawn's move
perpetual            the first check's, the king         UCI moves; see :func:`perpetual`
underpromotion       from, to                            why no queen: ``mate``, ``stalemate``,
                                                         ``mated``, ``fork`` or ``check``
zugzwang             the king                            expected points lost by having to move
centipawn_loss       from, to                            centipawns, at least 0
move_rank            from, to                            1 to 5, or none
mistake              from, to                            ``Excellent`` to ``Blunder``
evaluation           none                                centipawns for the mover (mate in n:
                                                         10,000 - n)
win_probability      none                                chance of the mover, 0 to 1
best_line            the best move's from, to            UCI moves
expected_reply       its from, to; the opponent          UCI move
===================  ==================================  ======================================

What players know by name, openings, endings, draws and devices, is decided by a table, a rule that
holds without exception, or a count of positions; what is not sure is left out. ``None``, or nothing
yielded, means *not known*, never *false*. Functions that give a :class:`Fact` are told when it
holds.

**Openings** are 3,404 named positions: the rows of PyChess 1.0.3's ``eco.db`` (GPL-3.0-or-later,
after niklasf/eco) that are in English and end a line.
**Three pieces** are looked up in the Gaviota tablebases (Debian's package ``gaviotatb``; the
asset ``gaviota``); where they cannot be had, what rests on them is not known.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

import chess
import chess.gaviota
import jinja2
from chess.engine import PovScore

from chessgloss import assets
from chessgloss.facts import board as boards
from chessgloss.facts import tactics
from chessgloss.facts.verdict import MistakeClass, Verdict
from chessgloss.positions import MoveInContext, Position
from chessgloss.scores import (
    MATES_FROM,
    ScoreWording,
    centipawns,
    read_centipawns,
    score_text,
    win_chance,
)

_Board = Literal[
    "capture",
    "en_passant",
    "promotion",
    "castling",
    "check",
    "discovered_check",
    "double_check",
    "mate",
    "stalemate",
    "material",
    "exchange",
    "attack",
    "defence",
    "hanging",
    "fork",
    "pin",
    "skewer",
    "discovered_attack",
    "threat",
    "passed_pawn",
    "doubled_pawns",
    "isolated_pawn",
    "open_file",
    "king_shelter",
]
_Known = Literal[
    "opening",
    "ending",
    "theory",
    "opposition",
    "key_square",
    "outside_square",
    "stalemating_move",
    "repetition",
    "fifty_moves",
    "perpetual",
    "underpromotion",
    "zugzwang",
]
_Engine = Literal[
    "centipawn_loss",
    "move_rank",
    "mistake",
    "evaluation",
    "win_probability",
    "best_line",
    "expected_reply",
]

#: The kinds, in the order in which they are listed.
FactKind = Literal[_Board, _Known, _Engine]

#: When a fact holds: of the move itself, in the position before it, or in the one after it.
When = Literal["move", "before", "after"]

_AROUND: Final[tuple[When, When]] = ("before", "after")

#: Kinds that only an engine's analysis can give.
ENGINE_KINDS: Final[frozenset[FactKind]] = frozenset(get_args(_Engine))

#: Kinds of what is known by name. Perpetual check and zugzwang are asked for, not gathered: they
#: take an engine's line or scores.
KNOWN_KINDS: Final[frozenset[FactKind]] = frozenset(get_args(_Known))

_PLACE = {
    name: place for place, name in enumerate((*get_args(When), *get_args(FactKind)))
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is true of a move.

    Parameters
    ----------
    kind
        What it is.
    when
        Before the move, of the move, or after it.
    side
        Whose piece, pawn, king or advantage it is; ``None`` for what belongs to nobody (an
        open file).
    squares
        Squares concerned, the acting piece first, then those acted on: ``("f7", "d8", "h8")``
        for a knight on f7 that forks d8 and h8.
    value
        The amount (pawns of material, centipawns, a probability), a move or a line in UCI, or
        a piece's letter; ``None`` where the squares say all.
    text
        The fact as a plain English clause without a full stop: ``the knight on f7 forks the
        rook on h8 and the queen on d8``.
    provenance
        ``board``, or the name and version of the engine that was asked.
    """

    kind: FactKind
    when: When
    side: chess.Color | None
    squares: tuple[str, ...]
    value: int | float | str | tuple[str, ...] | None
    text: str
    provenance: str = "board"


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts of a move, in a fixed order.

    Parameters
    ----------
    move
        The move.
    facts
        Facts of the move, then of the position before it, then after it.
    """

    move: MoveInContext
    facts: tuple[Fact, ...]

    def of(
        self,
        *kinds: FactKind,
        when: When | None = None,
        side: chess.Color | None = None,
    ) -> tuple[Fact, ...]:
        """Return the facts of these kinds (all if none is given), of one time and side if given."""
        of_kind = (fact for fact in self.facts if not kinds or fact.kind in kinds)
        return tuple(
            f for f in of_kind if when in (None, f.when) and side in (None, f.side)
        )


def gather(move: MoveInContext, verdict: Verdict | None = None) -> Facts:
    """Gather what is true of a move.

    Facts of state (attacks, hanging pieces, pins, passed pawns and so on) are listed for the
    position before the move and for the one after it; what the move itself does is listed
    as of the move: captures, checks, castling, the material it brings, the exchange that it
    begins, and the forks, pins, skewers and discovered attacks that it makes. In threats the
    side to move *can* do at once what the other *threatens* to do after a pass. What goes by
    name, openings, endings and draws, is among them (:func:`known_facts`); the history of the
    position counts there, as far as it is known.

    Parameters
    ----------
    move
        The move.
    verdict
        What an engine says of it (see :func:`chessgloss.facts.weigh`); without one there are
        no facts of the kinds in :data:`ENGINE_KINDS`.

    Returns
    -------
    Facts
        Of the move, then before, then after it; within each by kind, White's before Black's.

    Raises
    ------
    ValueError
        If the verdict is seen by the side that does not move.
    """
    board = chess.Board(move.position.fen)
    after = boards.after_move(board, move.move)
    facts = [
        *_checks(board, "before"),
        *_states(board, "before"),
        *_states(after, "after"),
    ]
    facts += [*_special_moves(board, move.move), *_checks(after, "move", board)]
    facts += [*_gains(board, move.move, after), *_tactics_made(board, move.move, facts)]
    facts += known_facts(move, board, after)
    facts += _engine_facts(move, verdict) if verdict else []
    return Facts(
        move, tuple(sorted(facts, key=lambda f: (_PLACE[f.when], _PLACE[f.kind])))
    )


# ---------------------------------------------------------------- names in clauses


@cache
def noun(colour: chess.Color, piece: chess.PieceType, square: chess.Square) -> str:
    """Return a piece's name with its side and square: ``the white knight on f7``."""
    kind = chess.PIECE_NAMES[piece]
    return f"the {chess.COLOR_NAMES[colour]} {kind} on {chess.SQUARE_NAMES[square]}"


def noun_at(board: chess.Board, square: chess.Square) -> str:
    """Return the name of the piece that stands on a square."""
    colour = bool(board.occupied_co[chess.WHITE] & chess.BB_SQUARES[square])
    return noun(colour, boards.piece_on(board, square), square)


def named(board: chess.Board, square: chess.Square) -> str:
    """Return a piece with its square: ``the knight on f7``."""
    return f"the {chess.piece_name(boards.piece_on(board, square))} on {chess.square_name(square)}"


def owned(board: chess.Board, square: chess.Square) -> str:
    """Return a piece with its owner and square: ``Black's knight on f7``."""
    owner = side_name(bool(board.color_at(square)))
    return f"{owner}'s{named(board, square).removeprefix('the')}"


def side_name(colour: chess.Color) -> str:
    """Return ``White`` or ``Black``."""
    return "White" if colour else "Black"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _pawns_worth(amount: int) -> str:
    return f"{amount} pawn" if amount == 1 else f"{amount} pawns"


def names(squares: Iterable[chess.Square]) -> tuple[str, ...]:
    """Return squares by their names."""
    return tuple(chess.SQUARE_NAMES[square] for square in squares)


# ---------------------------------------------------------------- of a position


def _states(board: chess.Board, when: When) -> Iterator[Fact]:
    """Yield the facts of a position, White's before Black's within each kind."""
    balance = tactics.balance(board)
    text = f"{side_name(balance > 0)} is {_pawns_worth(abs(balance))} ahead in material"
    ahead, text = (balance > 0, text) if balance else (None, "material is level")
    yield Fact("material", when, ahead, (), abs(balance), text)
    for file in boards.open_files(board):
        heavy = [
            s for side in chess.COLORS for s in boards.heavy_pieces(board, side, file)
        ]
        yield _file(when, None, file, heavy)
    exchanges = {side: tactics.Exchanges(board, side) for side in chess.COLORS}
    taken = {side: tuple(each.captures()) for side, each in exchanges.items()}
    for side in chess.COLORS:
        yield from (
            _pair(when, side, pair, not side) for pair in boards.attacks(board, side)
        )
        yield from (
            _pair(when, side, pair, side) for pair in boards.defences(board, side)
        )
        for loss in tactics.hanging(board, side, taken[not side]):
            text = f"{noun(side, loss.victim, loss.square)} is hanging"
            yield Fact("hanging", when, side, names((loss.square,)), loss.gain, text)
        for fork in tactics.forks(board, side, taken[side]):
            targets = listed([noun_at(board, square) for square in fork.targets])
            text = f"{noun_at(board, fork.square)} forks {targets}"
            value = "safe" if fork.safe else "loose"
            yield Fact(
                "fork", when, side, names((fork.square, *fork.targets)), value, text
            )
        pins, skewers = tactics.line_tactics(board, exchanges[side])
        for line in (*pins, *skewers):
            front = noun_at(board, line.front)
            behind = noun_at(board, line.behind)
            kind: FactKind = "pin" if line in pins else "skewer"
            verb = (
                f"pins {front} to {behind}"
                if kind == "pin"
                else f"skewers {front} and {behind}"
            )
            text = f"{noun_at(board, line.square)} {verb}"
            degree = "absolute" if line.absolute else "relative"
            yield Fact(kind, when, side, names(line[:3]), degree, text)
        for threat in tactics.threats(board, side, taken[side]):
            yield _threat(board, when, side, threat)
        yield from _structure(board, when, side)


@lru_cache(1 << 16)  # the same pairs stand on the board move after move
def _pair(when: When, side: chess.Color, pair: boards.Pair, owner: chess.Color) -> Fact:
    """Return the fact of an attack or a defence, by who owns the target."""
    kind: FactKind = "defence" if owner == side else "attack"
    verb, end = ("defends", "back there") if owner == side else ("attacks", "it")
    target = noun(owner, pair.target_piece, pair.target)
    text = f"{noun(side, pair.piece, pair.square)} {verb} {target}"
    value, text = (
        ("barred", f"{text} but may not take {end}") if pair.barred else (None, text)
    )
    return Fact(kind, when, side, names((pair.square, pair.target)), value, text)


def _threat(
    board: chess.Board, when: When, side: chess.Color, threat: tactics.Threat
) -> Fact:
    start, end, target = names(
        (threat.move.from_square, threat.move.to_square, threat.target)
    )
    mover = named(board, threat.move.from_square)
    aim = {
        "mate": lambda: f"mate with {mover.replace(' on ', ' from ')} to {end}",
        "capture": lambda: f"win {noun_at(board, threat.target)} with {mover}",
        "promotion": lambda: f"promote {mover} on {end}",
    }[threat.kind]()
    text = f"{side_name(side)} {'can' if board.turn == side else 'threatens to'} {aim}"
    return Fact("threat", when, side, (start, end, target), threat.move.uci(), text)


def _structure(board: chess.Board, when: When, side: chess.Color) -> Iterator[Fact]:
    for pawn in boards.passed(board, side):
        steps = 7 - chess.square_rank(pawn) if side else chess.square_rank(pawn)
        text = f"{noun(side, chess.PAWN, pawn)} is passed"
        yield Fact("passed_pawn", when, side, names((pawn,)), steps, text)
    doubled = boards.doubled(board, side)
    for group in filter(None, (doubled & file for file in chess.BB_FILES)):
        squares = listed(names(group))
        text = f"the {chess.COLOR_NAMES[side]} pawns on {squares} are doubled"
        yield Fact("doubled_pawns", when, side, names(group), len(group), text)
    for pawn in boards.isolated(board, side):
        text = f"{noun(side, chess.PAWN, pawn)} is isolated"
        yield Fact("isolated_pawn", when, side, names((pawn,)), None, text)
    for file in boards.half_open_files(board, side):
        yield _file(when, side, file, boards.heavy_pieces(board, side, file))
    king, pawns = boards.shelter(board, side)
    shelterers = (
        f"the pawns on {listed(names(pawns))} shelter" if pawns else "no pawn shelters"
    )
    if len(pawns) == 1:
        shelterers = f"the pawn on {chess.square_name(pawns[0])} shelters"
    text = f"{shelterers} {noun(side, chess.KING, king)}"
    yield Fact("king_shelter", when, side, names((king, *pawns)), len(pawns), text)


def _file(
    when: When, side: chess.Color | None, file: int, heavy: Iterable[chess.Square]
) -> Fact:
    name = chess.FILE_NAMES[file]
    state = "open" if side is None else f"half-open for {side_name(side)}"
    return Fact(
        "open_file", when, side, names(heavy), name, f"the {name}-file is {state}"
    )


def _checks(
    board: chess.Board, when: When, start: chess.Board | None = None
) -> Iterator[Fact]:
    """Yield the facts of a check that stands, or that the move from ``start`` has given."""
    king = boards.king_of(board, board.turn)
    checkers = [*board.checkers()]
    side = not board.turn
    target = noun_at(board, king)
    given: dict[FactKind, list[chess.Square]] = {"check": checkers}
    if start is not None:
        given["discovered_check"] = [s for s in checkers if start.color_at(s) == side]
        given["double_check"] = checkers if len(checkers) > 1 else []
    for kind, pieces in given.items():
        if pieces:
            verb = "gives" if len(pieces) == 1 else "give"
            givers = listed([noun_at(board, square) for square in pieces])
            text = f"{givers} {verb} {kind.replace('_', ' ')} to {target}"
            yield Fact(kind, when, side, names((*pieces, king)), None, text)
    if start is not None and board.is_checkmate():
        text = f"{target} is checkmated"
        yield Fact("mate", when, side, names((*checkers, king)), None, text)
    elif start is not None and board.is_stalemate():
        text = f"{side_name(board.turn)} is stalemated"
        yield Fact("stalemate", when, board.turn, names((king,)), None, text)


# ---------------------------------------------------------------- of the move


def _special_moves(board: chess.Board, move: chess.Move) -> Iterator[Fact]:
    side = board.turn
    ends = (move.from_square, move.to_square)
    mover = noun_at(board, move.from_square)
    if (square := boards.taken_on(board, move)) is not None:
        passing = board.is_en_passant(move)
        squares = (*ends, square) if passing else ends
        letter = chess.piece_symbol(boards.piece_on(board, square))
        text = f"{mover} takes {noun_at(board, square)}"
        yield Fact("capture", "move", side, names(squares), letter, text)
        if passing:
            yield Fact(
                "en_passant", "move", side, names(squares), letter, f"{text} en passant"
            )
    if move.promotion:
        kind = chess.PIECE_NAMES[move.promotion]
        text = f"{mover} promotes to a {kind} on {chess.square_name(move.to_square)}"
        yield Fact(
            "promotion",
            "move",
            side,
            names(ends),
            chess.piece_symbol(move.promotion),
            text,
        )
    if board.is_castling(move):
        wing = "kingside" if board.is_kingside_castling(move) else "queenside"
        king_and_rook = (*ends, *boards.rook_squares(board, move))
        text = f"{side_name(side)} castles {wing}"
        yield Fact("castling", "move", side, names(king_and_rook), wing, text)


def _gains(board: chess.Board, move: chess.Move, after: chess.Board) -> Iterator[Fact]:
    """Yield what the move brings at once, and by the exchange that it begins."""
    side = board.turn
    end = move.to_square
    taken = boards.taken_on(board, move)
    gain = 0 if taken is None else tactics.VALUES[boards.piece_on(board, taken)]
    gain += tactics.VALUES[move.promotion] - 1 if move.promotion else 0
    if gain:
        text = f"the move brings {side_name(side)} {_pawns_worth(gain)} of material"
        yield Fact("material", "move", side, names((move.from_square, end)), gain, text)
    answers = after.generate_legal_captures(to_mask=chess.BB_SQUARES[end])
    takers = sorted({each.from_square for each in answers if each.to_square == end})
    worth = tactics.exchange(board, move)
    square = chess.square_name(end)
    if taken is None and not (worth and takers):
        return
    text = f"exchanges on {square} come out even"
    if worth:
        verb = "wins" if worth > 0 else "loses"
        text = f"by exchanges on {square} {side_name(side)} {verb} {_pawns_worth(abs(worth))}"
    squares = names((end, move.from_square, *takers))
    yield Fact("exchange", "move", side, squares, worth, text)


def _tactics_made(
    board: chess.Board, move: chess.Move, states: Iterable[Fact]
) -> Iterator[Fact]:
    """Yield the tactics of the moved piece that stand after the move, and what it discovers."""
    side = board.turn
    first_squares = {(square,) for square in names(boards.moved_squares(board, move))}
    for fact in states:
        of_mover = (fact.when, fact.side) == ("after", side) and fact.squares[
            :1
        ] in first_squares
        if of_mover and fact.kind in ("fork", "pin", "skewer"):
            yield replace(fact, when="move")
    for square, target, gain in tactics.discovered_attacks(board, move):
        if gain is not None and gain > 0:
            text = f"{noun_at(board, square)} attacks {noun_at(board, target)} by discovery"
            yield Fact(
                "discovered_attack", "move", side, names((square, target)), gain, text
            )


# ---------------------------------------------------------------- by name: openings

#: Moves after which a game is no longer in its opening; all named lines but one end before.
OPENING_MOVES: Final = 15


class Opening(NamedTuple):
    """An opening's code in the Encyclopaedia of Chess Openings, and its English name."""

    eco: str
    name: str


@lru_cache(512)  # the facts of a move are gathered more than once
def opening(position: Position) -> Opening | None:
    """Return the last named opening that the game has come through, this position included.

    By position, so that a line reached in another order has its name too. Without a history
    the position itself must be named; after :data:`OPENING_MOVES` moves there is none.
    """
    if int(position.fen.split()[5]) > OPENING_MOVES:
        return None
    board = chess.Board(position.root if position.moves else position.fen)
    table = openings()
    known = table.get(_placement(board))
    for move in position.moves:
        board.push(chess.Move.from_uci(move))
        known = table.get(_placement(board), known)
    return known


@cache
def openings() -> Mapping[tuple[int, ...], Opening]:
    """Return the named openings by placement, side to move and castling rights."""
    with (
        Path(__file__)
        .with_name("openings.tsv")
        .open(encoding="utf-8", newline="") as file
    ):
        _, *rows = csv.reader(file, delimiter="\t")
        return {
            _placement(chess.Board(fen)): Opening(eco, name) for eco, name, fen in rows
        }


def _placement(board: chess.Board) -> tuple[int, ...]:
    pieces = (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
    )
    return (*pieces, board.occupied_co[chess.WHITE], board.turn, board.castling_rights)


# ---------------------------------------------------------------- by name: endings


def ending(board: chess.Board) -> str | None:
    """Return the name of an ending by its pieces: ``rook ending``; ``None`` for all others."""
    bishops = board.bishops
    key = "-".join(sorted(_pieces(board, side) for side in chess.COLORS))
    key += " pawns" if board.pawns else ""
    if bishops.bit_count() == 2 and (bishops & chess.BB_LIGHT_SQUARES).bit_count() == 1:
        key += " both"
    return _known_words()["endings"].get(key)


def _pieces(board: chess.Board, colour: chess.Color) -> str:
    masks = (board.queens, board.rooks, board.bishops, board.knights)
    counts = ((mask & board.occupied_co[colour]).bit_count() for mask in masks)
    return "".join(letter * count for letter, count in zip("QRBN", counts, strict=True))


@cache
def _known_words() -> dict[str, dict[str, str]]:
    return tomllib.loads(
        Path(__file__).with_name("known.toml").read_text(encoding="utf-8")
    )


class Theory(NamedTuple):
    """What is known of the outcome of an ending.

    Parameters
    ----------
    winner
        The side that wins with best play; ``None`` for a draw.
    name
        ``KPK``, ``KQK`` or ``KRK`` (by the tablebases), ``Lucena position``, ``Philidor
        position``, ``wrong bishop`` or ``insufficient material``.
    plies
        Plies to mate, where the tablebase says; else 0.
    """

    winner: chess.Color | None
    name: str
    plies: int = 0


def theory(board: chess.Board) -> Theory | None:
    """Return the known outcome of an ending of at most five pieces; ``None`` if unsure.

    Three pieces exactly; of more, the cases of three rules. *Lucena*: rook and pawn (not a
    rook's pawn) on the seventh against rook, the attacking king before its pawn, its rook
    cutting the other king off, the other rook on the file beyond the pawn. *Philidor*: the
    pawn and its king have not passed the fifth rank, the defending king stands before the pawn
    on its last rank, its rook on its third. In both the attacker is to move, not in check, and
    no rook is attacked. *Wrong bishop*: pawns of one rook's file with bishops that do not
    control its corner, on or beside which the bare king stands.
    """
    if board.occupied.bit_count() > 5:
        return None
    if board.is_insufficient_material():
        return Theory(None, "insufficient material")
    if board.occupied.bit_count() == 3:
        return _looked_up(board)
    for side in chess.COLORS:
        view = board if side else board.mirror()
        pieces = (_pieces(view, chess.WHITE), _pieces(view, chess.BLACK))
        if not view.pawns or view.pawns & view.occupied_co[chess.BLACK]:
            continue
        if pieces == ("R", "R") and (known := _rook_theory(view)):
            return known._replace(winner=known.winner and side)
        if pieces in (("B", ""), ("BB", "")) and _is_wrong_bishop(view):
            return Theory(None, "wrong bishop")
    return None


@cache
def _tablebase() -> chess.gaviota.PythonTablebase | None:
    tables = chess.gaviota.PythonTablebase()
    try:
        tables.add_directory(str(assets.locate("gaviota")))
    except assets.AssetMissing:
        return None
    return tables


def _looked_up(board: chess.Board) -> Theory | None:
    tables = None if board.castling_rights else _tablebase()
    if tables is None or board.is_game_over():
        return None
    plies = tables.probe_dtm(board)
    winner = (board.turn if plies > 0 else not board.turn) if plies else None
    pieces = _pieces(board, chess.WHITE) + _pieces(board, chess.BLACK)
    return Theory(winner, f"K{pieces or 'P'}K", abs(plies))


def _rook_theory(view: chess.Board) -> Theory | None:
    """Return what is known of White, to move, with rook and pawn against a rook."""
    own, other = (_only(view.rooks & view.occupied_co[side]) for side in (True, False))
    (rank, file) = divmod(_only(view.pawns), 8)
    (other_rank, other_file) = divmod(other, 8)
    king = boards.king_of(view, chess.WHITE)
    other_king = boards.king_of(view, chess.BLACK)
    away = 1 if other_king % 8 > file else -1
    cut = 0 < (own % 8 - file) * away < (other_king % 8 - file) * away
    if not view.turn or view.is_check() or view.is_attacked_by(chess.BLACK, own):
        return None
    if (
        (rank, king, other_file) == (6, 56 + file, file - away)
        and cut
        and other_rank < 6
    ):
        return Theory(chess.WHITE, "Lucena position")
    held = (other_king, other_rank) == (56 + file, 5) and not view.is_attacked_by(
        True, other
    )
    return (
        Theory(None, "Philidor position") if held and rank <= 4 >= king // 8 else None
    )


def _is_wrong_bishop(view: chess.Board) -> bool:
    """Whether Black's bare king holds against White's bishops and rook's pawns."""
    file = _only(view.pawns) % 8
    colour = chess.BB_DARK_SQUARES if file else chess.BB_LIGHT_SQUARES  # of h8, of a8
    return (
        file in (0, 7)
        and not view.pawns & ~chess.BB_FILES[file]
        and not view.bishops & colour
        and chess.square_distance(boards.king_of(view, chess.BLACK), 56 + file) <= 1
    )


def _only(mask: chess.Bitboard) -> chess.Square:
    return mask.bit_length() - 1


def king_and_pawn(board: chess.Board, when: When) -> Iterator[Fact]:
    """Yield what decides king and pawn against king: the opposition, a key square.

    The side that does not move has the opposition if the kings stand on one file or rank with
    an odd number of squares between, and the outcome would change if it had to move. A king
    is on a key square if it stands on one of :func:`key_squares` and wins whoever moves.
    """
    turned = boards.after_pass(board)
    if board.occupied.bit_count() != 3 or not board.pawns or turned is None:
        return
    now = theory(board)
    then = theory(turned)
    holder = not board.turn
    if now is None or then is None:
        return
    side = bool(board.pawns & board.occupied_co[chess.WHITE])
    pawn = _only(board.pawns)
    kings = (boards.king_of(board, holder), boards.king_of(board, not holder))
    apart = sorted(
        abs(a - b) for a, b in zip(*(divmod(king, 8) for king in kings), strict=True)
    )
    if now.winner != then.winner and apart in ([0, 2], [0, 4], [0, 6]):
        sort = "direct" if apart[1] == 2 else "distant"
        text = f"{side_name(holder)} has the opposition, as {side_name(not holder)} is to move"
        yield Fact("opposition", when, holder, names(kings), sort, text)
    king = boards.king_of(board, side)
    if now.winner == then.winner == side and king in key_squares(pawn, side):
        text = f"{noun(side, chess.KING, king)} is on a key square of its pawn"
        yield Fact("key_square", when, side, names((king, pawn)), None, text)


def key_squares(pawn: chess.Square, colour: chess.Color) -> chess.SquareSet:
    """Return the squares from which the king of a pawn of ``colour`` leads it home.

    Before the fifth rank the three squares two ranks ahead; on the fifth and sixth those one
    and two ranks ahead; for a rook's pawn the two on the neighbouring file beside its last
    squares; none on the seventh.
    """
    rank, file = divmod(pawn if colour else chess.square_mirror(pawn), 8)
    files = {file - 1, file, file + 1}
    ranks = {4: {5, 6}, 5: {6, 7}, 6: set()}
    ahead = ranks.get(rank, {rank + 2})
    if file in (0, 7):
        files = {abs(file - 1)}
        ahead = {6, 7}
    squares = chess.SquareSet(chess.square(f, r) for r in ahead for f in files)
    return squares if colour else squares.mirror()


def outside_square(board: chess.Board, when: When) -> Iterator[Fact]:
    """Yield each passed pawn, its way free, whose square the other king cannot step into.

    In pawn endings only; whose turn it is counts.
    """
    if board.occupied & ~(board.kings | board.pawns):
        return
    for side in chess.COLORS:
        king = boards.king_of(board, not side)
        for pawn in boards.passed(board, side):
            goal = chess.square(chess.square_file(pawn), 7 if side else 0)
            way = chess.between(pawn, goal) | chess.BB_SQUARES[goal]
            steps = min(chess.square_distance(pawn, goal), 5) + (board.turn != side)
            if not board.occupied & way and chess.square_distance(king, goal) > steps:
                outside = noun(not side, chess.KING, king)
                text = (
                    f"{outside} is outside the square of {noun(side, chess.PAWN, pawn)}"
                )
                yield Fact(
                    "outside_square", when, side, names((pawn, king, goal)), None, text
                )


# ---------------------------------------------------------------- by name: draws and devices


def stalemating_moves(board: chess.Board, when: When) -> Iterator[Fact]:
    """Yield the legal moves that stalemate a side which has only its king and pawns."""
    other = board.occupied_co[not board.turn] & ~board.kings
    free = (other >> 8 if board.turn else other << 8) & ~board.occupied
    # One move can take one pawn and stop another, not three.
    if other & ~board.pawns or free.bit_count() > 2:
        return
    for move in board.legal_moves:
        if boards.after_move(board, move).is_stalemate():
            text = f"{board.san(move)} would stalemate {side_name(not board.turn)}"
            yield Fact(
                "stalemating_move", when, board.turn, _ends(move), move.uci(), text
            )


def _ends(move: chess.Move) -> tuple[str, ...]:
    return names((move.from_square, move.to_square))


def repetitions(move: MoveInContext) -> int:
    """Return how often the position after a move has stood on the board, as far as is known."""
    moves = move.position.moves
    clock = int(move.position.fen.split()[4])
    # If it stood there before, something has left the squares where the last moves have ended.
    left = {each[:2] for each in moves[-clock:]}
    if clock < 3 or not {each[2:4] for each in (*moves[-1:], move.uci)} <= left:
        return 1
    board = move.position.board()
    board.push(move.move)
    return next(
        count for count in range(1, clock + 2) if not board.is_repetition(count + 1)
    )


def perpetual(board: chess.Board, line: Sequence[str], when: When) -> Fact | None:
    """Return the perpetual check in a line: a position comes again, with check at each move.

    It proves that one side can go on for ever against these replies; that no other reply
    escapes, the line's score must say: hand over an engine's line that it calls level.

    Parameters
    ----------
    board
        The position in which the line begins.
    line
        Moves in UCI.
    when
        When ``board`` stands: before or after the move.

    Raises
    ------
    ValueError
        If a move is illegal.
    """
    copy = board.copy(stack=False)
    positions = [board.epd()]
    checks = [False]
    for uci in line:
        copy.push_uci(uci)
        moves = copy.move_stack
        checks.append(copy.is_check())
        positions.append(copy.epd())
        start = positions.index(positions[-1])
        for first in (start + 1, start + 2) if start < len(moves) else ():
            if all(checks[first::2]):
                side = board.turn == bool(first % 2)
                squares = names(
                    (moves[first - 1].to_square, boards.king_of(copy, not side))
                )
                text = f"{side_name(side)} has perpetual check: {board.variation_san(moves)}"
                return Fact(
                    "perpetual", when, side, squares, tuple(line[: len(moves)]), text
                )
    return None


#: Chance to win, 0 to 1, that every move must lose and a pass would keep.
ZUGZWANG_POINTS: Final = 0.3


def zugzwang(
    board: chess.Board, score: PovScore, passing: PovScore, when: When
) -> Fact | None:
    """Return the zugzwang of the side to move, by an engine's scores with and without a pass.

    Parameters
    ----------
    board
        The position; in check there is no zugzwang.
    score, passing
        Scores of the position, and of :func:`~chessgloss.facts.board.after_pass` of it.
    when
        When ``board`` stands: before or after the move.
    """
    side = board.turn
    loss = win_chance(centipawns(passing, side)) - win_chance(centipawns(score, side))
    if board.is_check() or loss < ZUGZWANG_POINTS:
        return None
    text = f"{side_name(side)} is in zugzwang: every move loses what a pass would keep"
    return Fact(
        "zugzwang",
        when,
        side,
        names([boards.king_of(board, side)]),
        round(loss, 4),
        text,
    )


def underpromotion(board: chess.Board, move: chess.Move) -> Fact | None:
    """Return why a pawn does not become a queen, if the board shows it.

    The value says what the piece does and the queen would not: ``mate``, ``fork`` or ``check``;
    or what the queen would bring: ``stalemate``, or ``mated``, mate on the next move.
    """
    if move.promotion in (None, chess.QUEEN):
        return None
    side = board.turn
    end = move.to_square
    piece = boards.after_move(board, move)
    queen = boards.after_move(board, replace(move, promotion=chess.QUEEN))
    forks = [fork.safe for fork in tactics.forks(piece, side) if fork.square == end]
    queen_forks = any(fork.square == end for fork in tactics.forks(queen, side))
    mated = tactics.mates(queen, not side) and not tactics.mates(piece, not side)
    stalemate = queen.is_stalemate() and not piece.is_stalemate()
    reasons = {
        "mate": (piece.is_checkmate(), "would not mate"),
        "stalemate": (stalemate, "would stalemate"),
        "mated": (mated, "would allow mate on the next move"),
        "fork": (any(forks) and not queen_forks, "would not fork"),
        "check": (piece.is_check() and not queen.is_check(), "would not give check"),
    }
    for reason, (holds, clause) in reasons.items():
        if holds and not queen.is_checkmate():
            text = f"a queen on {chess.square_name(end)} {clause}"
            return Fact("underpromotion", "move", side, _ends(move), reason, text)
    return None


# ---------------------------------------------------------------- what goes by name, of a move


def known_facts(
    move: MoveInContext, board: chess.Board, after: chess.Board
) -> Iterator[Fact]:
    """Yield all of these that the board decides, for a move between its two boards."""
    side = board.turn
    ends = _ends(move.move)
    before = opening(move.position)
    if before:
        yield Fact(
            "opening",
            "before",
            None,
            (),
            before,
            f"the opening is called {before.name}",
        )
    reached = (
        openings().get(_placement(after))
        if after.fullmove_number <= OPENING_MOVES
        else None
    )
    if reached and reached != before:
        text = f"the opening is now called {reached.name}"
        yield Fact("opening", "move", side, ends, reached, text)
    if move.move.promotion and (reason := underpromotion(board, move.move)):
        yield reason
    if (count := repetitions(move)) > 1:
        text = f"the same position has now stood on the board {count} times"
        yield Fact("repetition", "move", side, ends, count, text)
    if (clock := after.halfmove_clock) >= 100:
        text = "a draw by the fifty-move rule can be claimed"
        yield Fact("fifty_moves", "move", None, (), clock, text)
    yield from _known_of(board, "before")
    yield from _known_of(after, "after")


def _known_of(board: chess.Board, when: When) -> Iterator[Fact]:
    yield from stalemating_moves(board, when)
    if (board.occupied & ~board.pawns).bit_count() > 6:
        return
    if name := ending(board):
        text = f"it is {'an' if name.startswith('e') else 'a'} {name}"
        yield Fact("ending", when, None, (), name, text)
    if known := theory(board):
        winner = known.winner
        why = _known_words()["theory"].get(known.name, "with best play")
        text = (
            f"it is a draw {why}"
            if winner is None
            else f"{side_name(winner)} wins {why}"
        )
        if known.plies:
            text += f", by mate in {(known.plies + 1) // 2}"
        value = ("draw" if winner is None else "win", known.name)
        yield Fact("theory", when, winner, (), value, text)
    yield from king_and_pawn(board, when)
    yield from outside_square(board, when)


# ---------------------------------------------------------------- of an engine's verdict

_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")

_CLASS_WORDS: Final[dict[MistakeClass, str]] = {
    "Excellent": "an excellent move",
    "Good": "a good move",
    "Inaccuracy": "an inaccuracy",
    "Mistake": "a mistake",
    "Blunder": "a blunder",
}

_ENGINE_WORDING: Final = ScoreWording(
    number="the engine puts White at {cp:+d} centipawns",
    mate="the engine sees {ahead} mate in {moves} move{s}",
    level=None,
)

#: Plies of the best line that its clause spells out; the fact's value holds them all.
SPELT_PLIES = 6


def _engine_facts(move: MoveInContext, verdict: Verdict) -> Iterator[Fact]:
    if verdict.mover != move.mover:
        raise ValueError(
            f"the verdict is not seen by the side that plays {move.numbered_san}"
        )
    mover, source, san = move.mover, verdict.engine, move.san
    ends = (move.uci[:2], move.uci[2:4])
    best = (verdict.best[:2], verdict.best[2:4])
    grade = verdict.mistake_class
    text = _loss_text(san, verdict)
    yield Fact("centipawn_loss", "move", mover, ends, verdict.loss, text, source)
    text = f"{san} is not among the engine's first {verdict.ranked} choices"
    if verdict.rank is not None:
        text = f"{san} is the engine's {_ORDINALS[verdict.rank - 1]} choice"
    elif verdict.ranked == 1:
        text = f"{san} is not the engine's first choice"
    yield Fact("move_rank", "move", mover, ends, verdict.rank, text, source)
    text = f"by its centipawn loss {san} is {_CLASS_WORDS[grade]}"
    yield Fact("mistake", "move", mover, ends, grade, text, source)
    scores = (verdict.before, verdict.after)
    chances = (verdict.win_before, verdict.win_after)
    for when, score, chance in zip(_AROUND, scores, chances, strict=True):
        text = score_text(score, _ENGINE_WORDING)
        yield Fact(
            "evaluation", when, mover, (), centipawns(score, mover), text, source
        )
        share = f"a {100 * chance:.0f} %"
        if not 0.005 <= chance <= 0.995:
            share = "less than a 1 %" if chance < 0.5 else "more than a 99 %"
        text = f"{side_name(mover)} has {share} chance to win"
        yield Fact("win_probability", when, mover, (), chance, text, source)
    board = chess.Board(move.position.fen)
    line = [chess.Move.from_uci(uci) for uci in verdict.best_line[:SPELT_PLIES]]
    text = f"the engine's best line is {board.variation_san(line)}"
    yield Fact("best_line", "before", mover, best, verdict.best_line, text, source)
    if (reply := verdict.reply) is not None:
        board.push(move.move)
        text = f"the engine expects the reply {board.san(chess.Move.from_uci(reply))}"
        squares = (reply[:2], reply[2:4])
        yield Fact("expected_reply", "after", not mover, squares, reply, text, source)


def _loss_text(san: str, verdict: Verdict) -> str:
    """Say what the move loses; between a mate and a score, centipawns would mean nothing."""
    if not verdict.loss:
        return f"{san} loses nothing against the engine's best line"
    best = verdict.before.relative.mate() or 0
    played = verdict.played.relative.mate() or 0
    if best > 0 >= played:
        return f"{san} lets a forced mate slip"
    if played < 0 <= best:
        return f"{san} allows a forced mate"
    if best or played:
        return f"{san} changes the length of the forced mate"
    unit = "centipawn" if verdict.loss == 1 else "centipawns"
    return f"{san} loses {verdict.loss} {unit} against the engine's best line"


# ---------------------------------------------------------------- the rubric's feature context

_CONTEXT_WORDING: Final = ScoreWording(
    number="{pawns:+.2f}", mate="{verb} in {moves}", mated="{verb} in 0", level=None
)


def linearise(facts: Facts) -> str:
    """Return the facts of a move as the pairwise rubric's feature context, a line a feature.

    The rubric's judge is shown "a structured/linearized summary of the move and extracted
    signals" and may hold against a comment whatever it lacks. So every line of the template
    ``context.txt.j2`` is always there. Material and exchanges are in pawns, evaluations in pawns
    with two decimals, chances in per cent, all seen by the side that moves.
    """
    move = facts.move
    piece = boards.piece_on(chess.Board(move.position.fen), move.move.from_square)
    return _context().render(
        move=move,
        of=facts.of,
        piece=chess.PIECE_NAMES[piece],
        mates_from=MATES_FROM,
        around=_AROUND,
        side_name=side_name,
        name=lambda fact: chess.piece_name(chess.PIECE_SYMBOLS.index(fact.value)),
    )


@cache
def _context() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("chessgloss.facts", ""),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["pawns"] = _pawns_worth
    environment.filters["signed"] = lambda pawns: f"{pawns:+g}" if pawns else "0"
    environment.filters["score"] = lambda value: score_text(
        read_centipawns(value, chess.WHITE), _CONTEXT_WORDING
    )
    return environment.get_template("context.txt.j2")
