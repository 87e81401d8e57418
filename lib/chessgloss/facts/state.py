"""What is true of a position: material, files, attacks, tactics, pawns, kings, checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import chess

from chessgloss.facts import board as boards
from chessgloss.facts import tactics
from chessgloss.facts.records import Fact, FactKind, When
from chessgloss.facts.words import (
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
    balance = tactics.balance(board)
    text = f"{side_name(balance > 0)} is {pawns_worth(abs(balance))} ahead in material"
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
            yield Fact(kind, when, side, names((*pieces, king)), None, text)
    if start is not None and board.is_checkmate():
        text = f"{target} is checkmated"
        yield Fact("mate", when, side, names((*checkers, king)), None, text)
    elif start is not None and board.is_stalemate():
        text = f"{side_name(board.turn)} is stalemated"
        yield Fact("stalemate", when, board.turn, names((king,)), None, text)
