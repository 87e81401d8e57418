"""What is true of a position: material, files, attacks, tactics, pawns, kings, checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import chess

from chessgloss.facts.records import Fact, FactKind, When
from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.words import (
    listed,
    named,
    names,
    noun,
    noun_at,
    pawns_worth,
    side_name,
)


def states(board: chess.Board, when: When) -> Iterator[Fact]:
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
            yield _hanging(when, side, loss)
        for fork in tactics.forks(board, side, taken[side]):
            yield _fork(board, when, side, fork)
        pins, skewers = tactics.line_tactics(board, exchanges[side])
        for pin in pins:
            yield _pin(board, when, side, pin)
        for skewer in skewers:
            yield _skewer(board, when, side, skewer)
        for threat in tactics.threats(board, side, taken[side]):
            yield _threat(board, when, side, threat)
        yield from _structure(board, when, side)


def _material(board: chess.Board, when: When) -> Fact:
    """Return which side is ahead in material."""
    balance = tactics.balance(board)
    if not balance:
        return Fact(
            kind="material",
            when=when,
            side=None,
            squares=(),
            value=0,
            text="material is level",
        )
    ahead = balance > 0
    text = f"{side_name(ahead)} is {pawns_worth(abs(balance))} ahead in material"
    return Fact(
        kind="material",
        when=when,
        side=ahead,
        squares=(),
        value=abs(balance),
        text=text,
    )


def _hanging(when: When, side: chess.Color, loss: tactics.Capture) -> Fact:
    text = f"{noun(side, loss.victim, loss.square)} is hanging"
    return Fact(
        kind="hanging",
        when=when,
        side=side,
        squares=names((loss.square,)),
        value=loss.gain,
        text=text,
    )


def _fork(
    board: chess.Board, when: When, side: chess.Color, fork: tactics.Fork
) -> Fact:
    targets = listed([noun_at(board, square) for square in fork.targets])
    squares = names((fork.square, *fork.targets))
    text = f"{noun_at(board, fork.square)} forks {targets}"
    value = "safe" if fork.safe else "loose"
    return Fact(
        kind="fork",
        when=when,
        side=side,
        squares=squares,
        value=value,
        text=text,
    )


def _pin(board: chess.Board, when: When, side: chess.Color, line: tactics.Line) -> Fact:
    front = noun_at(board, line.front)
    behind = noun_at(board, line.behind)
    text = f"{noun_at(board, line.square)} pins {front} to {behind}"
    return Fact(
        kind="pin",
        when=when,
        side=side,
        squares=names(line[:3]),
        value=_degree(line),
        text=text,
    )


def _skewer(
    board: chess.Board, when: When, side: chess.Color, line: tactics.Line
) -> Fact:
    front = noun_at(board, line.front)
    behind = noun_at(board, line.behind)
    text = f"{noun_at(board, line.square)} skewers {front} and {behind}"
    return Fact(
        kind="skewer",
        when=when,
        side=side,
        squares=names(line[:3]),
        value=_degree(line),
        text=text,
    )


def _degree(line: tactics.Line) -> str:
    return "absolute" if line.absolute else "relative"


@lru_cache(1 << 16)  # the same pairs stand on the board move after move
def _pair(when: When, side: chess.Color, pair: boards.Pair, owner: chess.Color) -> Fact:
    """Return the fact of an attack or a defence, by who owns the target."""
    squares = names((pair.square, pair.target))
    piece = noun(side, pair.piece, pair.square)
    target = noun(owner, pair.target_piece, pair.target)
    if owner == side:
        kind: FactKind = "defence"
        text = f"{piece} defends {target}"
        barred = f"{text} but may not take back there"
    else:
        kind = "attack"
        text = f"{piece} attacks {target}"
        barred = f"{text} but may not take it"
    if pair.barred:
        return Fact(
            kind=kind,
            when=when,
            side=side,
            squares=squares,
            value="barred",
            text=barred,
        )
    return Fact(
        kind=kind,
        when=when,
        side=side,
        squares=squares,
        value=None,
        text=text,
    )


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
    return Fact(
        kind="threat",
        when=when,
        side=side,
        squares=(start, end, target),
        value=threat.move.uci(),
        text=text,
    )


def _structure(board: chess.Board, when: When, side: chess.Color) -> Iterator[Fact]:
    for pawn in boards.passed(board, side):
        steps = 7 - chess.square_rank(pawn) if side else chess.square_rank(pawn)
        text = f"{noun(side, chess.PAWN, pawn)} is passed"
        yield Fact(
            kind="passed_pawn",
            when=when,
            side=side,
            squares=names((pawn,)),
            value=steps,
            text=text,
        )
    doubled = boards.doubled(board, side)
    for group in filter(None, (doubled & file for file in chess.BB_FILES)):
        squares = listed(names(group))
        text = f"the {chess.COLOR_NAMES[side]} pawns on {squares} are doubled"
        yield Fact(
            kind="doubled_pawns",
            when=when,
            side=side,
            squares=names(group),
            value=len(group),
            text=text,
        )
    for pawn in boards.isolated(board, side):
        text = f"{noun(side, chess.PAWN, pawn)} is isolated"
        yield Fact(
            kind="isolated_pawn",
            when=when,
            side=side,
            squares=names((pawn,)),
            value=None,
            text=text,
        )
    for file in boards.half_open_files(board, side):
        yield _file(when, side, file, boards.heavy_pieces(board, side, file))
    king, pawns = boards.shelter(board, side)
    shelterers = (
        f"the pawns on {listed(names(pawns))} shelter" if pawns else "no pawn shelters"
    )
    if len(pawns) == 1:
        shelterers = f"the pawn on {chess.square_name(pawns[0])} shelters"
    text = f"{shelterers} {noun(side, chess.KING, king)}"
    yield Fact(
        kind="king_shelter",
        when=when,
        side=side,
        squares=names((king, *pawns)),
        value=len(pawns),
        text=text,
    )


def _file(
    when: When, side: chess.Color | None, file: int, heavy: Iterable[chess.Square]
) -> Fact:
    name = chess.FILE_NAMES[file]
    state = "open" if side is None else f"half-open for {side_name(side)}"
    return Fact(
        kind="open_file",
        when=when,
        side=side,
        squares=names(heavy),
        value=name,
        text=f"the {name}-file is {state}",
    )


def checks(
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
            yield Fact(
                kind=kind,
                when=when,
                side=side,
                squares=names((*pieces, king)),
                value=None,
                text=text,
            )
    if start is not None and board.is_checkmate():
        text = f"{target} is checkmated"
        yield Fact(
            kind="mate",
            when=when,
            side=side,
            squares=names((*checkers, king)),
            value=None,
            text=text,
        )
    elif start is not None and board.is_stalemate():
        text = f"{side_name(board.turn)} is stalemated"
        yield Fact(
            kind="stalemate",
            when=when,
            side=board.turn,
            squares=names((king,)),
            value=None,
            text=text,
        )
