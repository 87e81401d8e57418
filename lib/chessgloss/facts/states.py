"""Facts of a position: what stands, attacks, hangs and threatens before or after a move.

Facts are immutable and the same ones recur from move to move, so those of pieces and squares
are kept and shared instead of made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import chess

from chessgloss.facts.attacks import Pair, pairs
from chessgloss.facts.exchange import Capture, Exchanges, Hanging, balance, hanging
from chessgloss.facts.files import half_open_files, heavy_pieces, open_files
from chessgloss.facts.kings import shelter
from chessgloss.facts.pawns import doubled_groups, isolated, passed
from chessgloss.facts.records import Fact, When
from chessgloss.facts.tactics import Fork, Line, forks, line_tactics
from chessgloss.facts.threats import Threat, threats
from chessgloss.facts.wording import listed, names, noun, noun_at, pawns_worth, side_name

_KEPT = 1 << 16


@dataclass(frozen=True, slots=True)
class Survey:
    """What the detectors find in a position, White's at index 1 and Black's at 0.

    Parameters
    ----------
    board
        The position; it must not change.
    taken
        The captures of each side.
    forks, pins, skewers
        Its tactics.
    """

    board: chess.Board
    taken: tuple[tuple[Capture, ...], tuple[Capture, ...]]
    forks: tuple[tuple[Fork, ...], tuple[Fork, ...]]
    pins: tuple[tuple[Line, ...], tuple[Line, ...]]
    skewers: tuple[tuple[Line, ...], tuple[Line, ...]]


def survey(board: chess.Board) -> Survey:
    """Look at a position once, for all who ask what is in it."""
    black, white = Exchanges(board, chess.BLACK), Exchanges(board, chess.WHITE)
    taken = (tuple(black.captures()), tuple(white.captures()))
    found = (line_tactics(board, black), line_tactics(board, white))
    return Survey(
        board,
        taken,
        (forks(board, chess.BLACK, *taken), forks(board, chess.WHITE, *reversed(taken))),
        (found[0][0], found[1][0]),
        (found[0][1], found[1][1]),
    )


def state_facts(seen: Survey, when: When) -> Iterator[Fact]:
    """Yield the facts of a position, White's before Black's within each kind.

    Parameters
    ----------
    seen
        The position and what is in it.
    when
        ``before`` or ``after`` the move that is explained.
    """
    board = seen.board
    yield material_fact(when, balance(board))
    sight = {colour: pairs(board, colour) for colour in chess.COLORS}
    for colour in chess.COLORS:
        for pair in sight[colour][0]:
            yield attack_fact(when, colour, pair)
    for colour in chess.COLORS:
        for pair in sight[colour][1]:
            yield defence_fact(when, colour, pair)
    for colour in chess.COLORS:
        for one in hanging(board, colour, seen.taken[not colour]):
            yield hanging_fact(when, colour, one)
    yield from _tactic_facts(seen, when)
    yield from _structure_facts(board, when)


def fork_fact(board: chess.Board, when: When, colour: chess.Color, fork: Fork) -> Fact:
    """Return the fact of a fork; its value tells ``safe`` or ``loose`` of the forking piece."""
    targets = listed([noun_at(board, square) for square in fork.targets])
    text = f"{noun(colour, fork.piece, fork.square)} forks {targets}"
    squares = names((fork.square, *fork.targets))
    return Fact("fork", when, colour, squares, "safe" if fork.safe else "loose", "board", text)


def pin_fact(board: chess.Board, when: When, colour: chess.Color, pin: Line) -> Fact:
    """Return the fact of a pin; its value is ``absolute`` or ``relative``."""
    front, behind = noun_at(board, pin.front), noun_at(board, pin.behind)
    text = f"{noun_at(board, pin.square)} pins {front} to {behind}"
    squares = names((pin.square, pin.front, pin.behind))
    return Fact("pin", when, colour, squares, _degree(pin), "board", text)


def skewer_fact(board: chess.Board, when: When, colour: chess.Color, skewer: Line) -> Fact:
    """Return the fact of a skewer; its value is ``absolute`` (of a king) or ``relative``."""
    front, behind = noun_at(board, skewer.front), noun_at(board, skewer.behind)
    text = f"{noun_at(board, skewer.square)} skewers {front} and {behind}"
    squares = names((skewer.square, skewer.front, skewer.behind))
    return Fact("skewer", when, colour, squares, _degree(skewer), "board", text)


@lru_cache(_KEPT)
def material_fact(when: When, lead: int) -> Fact:
    """Return the fact of the material balance; ``lead`` is White's, in pawns."""
    if not lead:
        return Fact("material", when, None, (), 0, "board", "material is level")
    side, amount = lead > 0, abs(lead)
    text = f"{side_name(side)} is {pawns_worth(amount)} ahead in material"
    return Fact("material", when, side, (), amount, "board", text)


@lru_cache(_KEPT)
def attack_fact(when: When, colour: chess.Color, pair: Pair) -> Fact:
    """Return the fact of an attack; its value is ``barred`` if the capture is forbidden."""
    target = noun(not colour, pair.target_piece, pair.target)
    text = f"{noun(colour, pair.piece, pair.square)} attacks {target}"
    value = "barred" if pair.barred else None
    end = " but may not take it" if pair.barred else ""
    squares = names((pair.square, pair.target))
    return Fact("attack", when, colour, squares, value, "board", text + end)


@lru_cache(_KEPT)
def defence_fact(when: When, colour: chess.Color, pair: Pair) -> Fact:
    """Return the fact of a defence; its value is ``barred`` if taking back is forbidden."""
    target = noun(colour, pair.target_piece, pair.target)
    text = f"{noun(colour, pair.piece, pair.square)} defends {target}"
    value = "barred" if pair.barred else None
    end = " but may not take back there" if pair.barred else ""
    squares = names((pair.square, pair.target))
    return Fact("defence", when, colour, squares, value, "board", text + end)


@lru_cache(_KEPT)
def hanging_fact(when: When, colour: chess.Color, one: Hanging) -> Fact:
    """Return the fact of a hanging piece; its value is what the opponent wins, in pawns."""
    text = f"{noun(colour, one.piece, one.square)} is hanging"
    return Fact("hanging", when, colour, names((one.square,)), one.gain, "board", text)


def _tactic_facts(seen: Survey, when: When) -> Iterator[Fact]:
    board = seen.board
    for colour in chess.COLORS:
        for fork in seen.forks[colour]:
            yield fork_fact(board, when, colour, fork)
    for colour in chess.COLORS:
        for pin in seen.pins[colour]:
            yield pin_fact(board, when, colour, pin)
    for colour in chess.COLORS:
        for skewer in seen.skewers[colour]:
            yield skewer_fact(board, when, colour, skewer)
    for colour in chess.COLORS:
        for threat in threats(board, colour, seen.taken[colour]):
            yield _threat_fact(board, when, colour, threat)


def _threat_fact(board: chess.Board, when: When, colour: chess.Color, threat: Threat) -> Fact:
    verb = "can" if board.turn == colour else "threatens to"
    move = threat.move
    start, end = names((move.from_square, move.to_square))
    piece = chess.PIECE_NAMES[board.piece_type_at(move.from_square) or chess.PAWN]
    if threat.kind == "mate":
        deed = f"mate with the {piece} from {start} to {end}"
    elif threat.kind == "capture":
        deed = f"win {noun_at(board, threat.target)} with the {piece} on {start}"
    else:
        deed = f"promote the pawn on {start} on {end}"
    text = f"{side_name(colour)} {verb} {deed}"
    squares = names((move.from_square, move.to_square, threat.target))
    return Fact("threat", when, colour, squares, move.uci(), "board", text)


def _structure_facts(board: chess.Board, when: When) -> Iterator[Fact]:
    own = board.occupied_co
    yield from _pawn_facts(when, board.pawns & own[chess.WHITE], board.pawns & own[chess.BLACK])
    for file in open_files(board):
        heavy = (*heavy_pieces(board, chess.WHITE, file), *heavy_pieces(board, chess.BLACK, file))
        yield _file_fact(when, None, file, heavy)
    for colour in chess.COLORS:
        for file in half_open_files(board, colour):
            yield _file_fact(when, colour, file, tuple(heavy_pieces(board, colour, file)))
    for colour in chess.COLORS:
        cover = shelter(board, colour)
        yield _shelter_fact(when, colour, cover.king, cover.pawns)


@lru_cache(_KEPT)
def _pawn_facts(when: When, white: chess.Bitboard, black: chess.Bitboard) -> tuple[Fact, ...]:
    """Return the facts of a pawn structure, which most moves leave as it is."""
    board = chess.Board(None)
    board.pawns = board.occupied = white | black
    board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK] = white, black
    facts = []
    for colour in chess.COLORS:
        facts += [_passed_fact(when, colour, square) for square in passed(board, colour)]
    for colour in chess.COLORS:
        facts += [_doubled_fact(when, colour, group) for group in doubled_groups(board, colour)]
    for colour in chess.COLORS:
        facts += [_isolated_fact(when, colour, square) for square in isolated(board, colour)]
    return tuple(facts)


def _passed_fact(when: When, colour: chess.Color, square: chess.Square) -> Fact:
    """Return the fact of a passed pawn; its value is the ranks it has still to go."""
    rank = chess.square_rank(square)
    text = f"{noun(colour, chess.PAWN, square)} is passed"
    steps = 7 - rank if colour else rank
    return Fact("passed_pawn", when, colour, names((square,)), steps, "board", text)


def _isolated_fact(when: When, colour: chess.Color, square: chess.Square) -> Fact:
    text = f"{noun(colour, chess.PAWN, square)} is isolated"
    return Fact("isolated_pawn", when, colour, names((square,)), None, "board", text)


def _doubled_fact(when: When, colour: chess.Color, pawns: tuple[chess.Square, ...]) -> Fact:
    squares = names(pawns)
    text = f"the {chess.COLOR_NAMES[colour]} pawns on {listed(squares)} are doubled"
    return Fact("doubled_pawns", when, colour, squares, len(squares), "board", text)


@lru_cache(_KEPT)
def _file_fact(
    when: When, colour: chess.Color | None, file: int, heavy: tuple[chess.Square, ...]
) -> Fact:
    name = chess.FILE_NAMES[file]
    state = "open" if colour is None else f"half-open for {side_name(colour)}"
    text = f"the {name}-file is {state}"
    return Fact("open_file", when, colour, names(heavy), name, "board", text)


@lru_cache(_KEPT)
def _shelter_fact(
    when: When, colour: chess.Color, king: chess.Square, pawns: tuple[chess.Square, ...]
) -> Fact:
    squares = names((king, *pawns))
    what = "no pawn shelters" if not pawns else f"{_pawns_on(squares[1:])}"
    text = f"{what} {noun(colour, chess.KING, king)}"
    return Fact("king_shelter", when, colour, squares, len(pawns), "board", text)


def _pawns_on(squares: tuple[str, ...]) -> str:
    if len(squares) == 1:
        return f"the pawn on {squares[0]} shelters"
    return f"the pawns on {listed(squares)} shelter"


def _degree(line: Line) -> str:
    return "absolute" if line.absolute else "relative"
