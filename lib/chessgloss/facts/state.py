"""What is true of a position: material, files, attacks, tactics, pawns, kings, checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import chess
from chess import Board, Color, Square, square_name, square_rank

from chessgloss.facts.records import Fact, FactKind, When
from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.finding import men, told
from chessgloss.predicates.words import (
    ends_of,
    listed,
    named,
    names,
    noun,
    noun_at,
    pawns_worth,
    side_name,
)


def states(board: Board, when: When) -> Iterator[Fact]:
    """Yield the facts of a position, White's before Black's within each kind."""
    yield _material(board, when)
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
            squares = names((loss.square,))
            yield Fact("hanging", when, side, squares, loss.gain, text)
        for fork in tactics.forks(board, side, taken[side]):
            yield _fork(board, when, side, fork)
        pins, skewers = tactics.line_tactics(board, exchanges[side])
        for pin in pins:
            yield _line(board, when, "pin", "{} pins {} to {}", pin)
        for skewer in skewers:
            yield _line(board, when, "skewer", "{} skewers {} and {}", skewer)
        for threat in tactics.threats(board, side, taken[side]):
            yield _threat(board, when, side, threat)
        yield from _structure(board, when, side)


def _material(board: Board, when: When) -> Fact:
    """Return which side is ahead in material."""
    balance = tactics.balance(board)
    if not balance:
        return Fact("material", when, None, (), 0, "material is level")
    side = balance > 0
    amount = abs(balance)
    text = f"{side_name(side)} is {pawns_worth(amount)} ahead in material"
    return Fact("material", when, side, (), amount, text)


def _fork(board: Board, when: When, side: Color, fork: tactics.Fork) -> Fact:
    text = told(board, f"{{}} forks {men(board, fork.targets)}", fork.square)
    squares = names((fork.square, *fork.targets))
    if fork.safe:
        return Fact("fork", when, side, squares, "safe", text)
    return Fact("fork", when, side, squares, "loose", text)


def _line(
    board: Board, when: When, kind: FactKind, text: str, line: tactics.Line
) -> Fact:
    degree = "absolute" if line.absolute else "relative"
    squares = line[:3]
    side = bool(board.color_at(line.square))
    clause = told(board, text, *squares)
    return Fact(kind, when, side, names(squares), degree, clause)


@lru_cache(1 << 16)  # the same pairs stand on the board move after move
def _pair(when: When, side: Color, pair: boards.Pair, owner: Color) -> Fact:
    """Return the fact of an attack or a defence, by who owns the target."""
    squares = names((pair.square, pair.target))
    piece = noun(side, pair.piece, pair.square)
    target = noun(owner, pair.target_piece, pair.target)
    kind: FactKind = "attack"
    text = f"{piece} attacks {target}"
    barred = "but may not take it"
    if owner == side:
        kind = "defence"
        text = f"{piece} defends {target}"
        barred = "but may not take back there"
    if pair.barred:
        return Fact(kind, when, side, squares, "barred", f"{text} {barred}")
    return Fact(kind, when, side, squares, None, text)


def _threat(board: Board, when: When, side: Color, threat: tactics.Threat) -> Fact:
    move = threat.move
    start, end = ends_of(move)
    target = square_name(threat.target)
    mover = named(board, move.from_square)
    aim = {
        "mate": lambda: f"mate with {mover.replace(' on ', ' from ')} to {end}",
        "capture": lambda: f"win {noun_at(board, threat.target)} with {mover}",
        "promotion": lambda: f"promote {mover} on {end}",
    }[threat.kind]()
    verb = "threatens to"
    if board.turn == side:
        verb = "can"
    text = f"{side_name(side)} {verb} {aim}"
    squares = (start, end, target)
    return Fact("threat", when, side, squares, move.uci(), text)


def _structure(board: Board, when: When, side: Color) -> Iterator[Fact]:
    for pawn in boards.passed(board, side):
        rank = square_rank(pawn)
        steps = rank
        if side:
            steps = 7 - rank
        squares = names((pawn,))
        text = f"{noun(side, chess.PAWN, pawn)} is passed"
        yield Fact("passed_pawn", when, side, squares, steps, text)
    doubled = boards.doubled(board, side)
    groups = (doubled & file for file in chess.BB_FILES)
    for group in filter(None, groups):
        squares = names(group)
        colour = chess.COLOR_NAMES[side]
        text = f"the {colour} pawns on {listed(squares)} are doubled"
        yield Fact("doubled_pawns", when, side, squares, len(group), text)
    for pawn in boards.isolated(board, side):
        squares = names((pawn,))
        text = f"{noun(side, chess.PAWN, pawn)} is isolated"
        yield Fact("isolated_pawn", when, side, squares, None, text)
    for file in boards.half_open_files(board, side):
        yield _file(when, side, file, boards.heavy_pieces(board, side, file))
    king, pawns = boards.shelter(board, side)
    shelterers = "no pawn shelters"
    if len(pawns) == 1:
        shelterers = f"the pawn on {square_name(pawns[0])} shelters"
    elif pawns:
        shelterers = f"the pawns on {listed(names(pawns))} shelter"
    text = f"{shelterers} {noun(side, chess.KING, king)}"
    squares = names((king, *pawns))
    yield Fact("king_shelter", when, side, squares, len(pawns), text)


def _file(when: When, side: Color | None, file: int, heavy: Iterable[Square]) -> Fact:
    name = chess.FILE_NAMES[file]
    state = "open"
    if side is not None:
        state = f"half-open for {side_name(side)}"
    return Fact(
        "open_file", when, side, names(heavy), name, f"the {name}-file is {state}"
    )


def checks(board: Board, when: When, start: Board | None = None) -> Iterator[Fact]:
    """Yield the facts of a check that stands, or that the move from ``start`` has given."""
    king = boards.king_of(board, board.turn)
    checkers = [*board.checkers()]
    side = not board.turn
    target = noun_at(board, king)
    loser = side_name(board.turn)
    given: dict[FactKind, list[Square]] = {"check": checkers}
    if start is not None:
        given["discovered_check"] = [s for s in checkers if start.color_at(s) == side]
        given["double_check"] = checkers if len(checkers) > 1 else []
    for kind, pieces in given.items():
        if pieces:
            verb = "give"
            if len(pieces) == 1:
                verb = "gives"
            word = kind.replace("_", " ")
            text = f"{men(board, pieces)} {verb} {word} to {target}"
            squares = names((*pieces, king))
            yield Fact(kind, when, side, squares, None, text)
    if start is not None and board.is_checkmate():
        text = f"{target} is checkmated"
        squares = names((*checkers, king))
        yield Fact("mate", when, side, squares, None, text)
    elif start is not None and board.is_stalemate():
        text = f"{loser} is stalemated"
        squares = names((king,))
        yield Fact("stalemate", when, board.turn, squares, None, text)
