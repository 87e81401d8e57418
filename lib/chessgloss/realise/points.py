"""What could be said of a move beyond its opening clause: facts turned into points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import chess

from chessgloss.facts.exchange import VALUES
from chessgloss.facts.records import Fact, FactKind, Facts
from chessgloss.realise.phrases import CLAUSES
from chessgloss.realise.records import Point
from chessgloss.realise.scene import Scene, named, named_all, owned

#: Weights from which a point is worth telling for its own sake; below, it only fills up.
WORTH_TELLING: Final = 20.0

#: What a point loses whose acting piece has just moved and can be won.
LOOSE: Final = 18.0

#: Points that speak against the move, and some that speak for it; a verdict shifts their weights.
AGAINST: Final = frozenset({"hangs_moved", "hangs_new", "hangs_still", "exchange_loss"})
FOR: Final = frozenset({"fork", "pin", "skewer", "discovered_attack", "exchange_win"})


def make(
    key: str,
    weight: float,
    slots: dict[str, str],
    facts: Sequence[Fact] = (),
    about: Sequence[str] = (),
) -> Point:
    """Return a point with all phrasings of an entry of ``CLAUSES``, its words filled in."""
    phrasings = tuple(clause.format(**slots) for clause in CLAUSES[key])
    return Point(key, weight, phrasings, tuple(facts), frozenset(about))


def new_facts(facts: Facts, *kinds: FactKind) -> tuple[Fact, ...]:
    """Return facts that hold after the move, or by it, and did not hold before it."""
    old = {(fact.kind, fact.side, fact.squares) for fact in facts.of(*kinds, when="before")}
    found: dict[tuple[object, ...], Fact] = {}
    for fact in (*facts.of(*kinds, when="move"), *facts.of(*kinds, when="after")):
        key = (fact.kind, fact.side, fact.squares)
        if key not in old:
            found.setdefault(key, fact)
    return tuple(found.values())


def worth(board: chess.Board, name: str) -> int:
    """Return the value in pawns of the piece on a named square; 0 for none and for kings."""
    kind = board.piece_type_at(chess.parse_square(name))
    return VALUES[kind] if kind else 0


def square_of(fact: Fact, index: int = 0) -> chess.Square:
    """Return one of a fact's squares as a number."""
    return chess.parse_square(fact.squares[index])


# ---------------------------------------------------------------- pieces on lines and forks


def tactics(scene: Scene, facts: Facts) -> Iterator[Point]:
    """Yield forks, pins, skewers and discovered attacks that the move brings about."""
    mine = [f for f in new_facts(facts, "fork", "pin", "skewer") if _acts(scene, f)]
    old_pins = {f.squares[1:] for f in facts.of("pin", when="before")}
    for fact in mine:
        if fact.kind == "fork":
            yield _fork(scene, fact)
        elif fact.kind == "skewer" or fact.squares[1:] not in old_pins:
            yield _line(scene, facts, fact)
    yield from _discovered(scene, facts)


def _acts(scene: Scene, fact: Fact) -> bool:
    """Tell whether the acting piece is the mover's (whatever side the fact is filed under)."""
    return scene.after.color_at(square_of(fact)) == scene.us


def _moved_and_loose(scene: Scene, facts: Facts, fact: Fact) -> bool:
    """Tell whether the acting piece is the moved one and the opponent can win it."""
    end = chess.square_name(scene.move.to_square)
    loose = {other.squares[0] for other in facts.of("hanging", when="after")}
    return fact.squares[0] == end and end in loose


def _fork(scene: Scene, fact: Fact) -> Point:
    targets = fact.squares[1:]
    slots = {
        **scene.words,
        "actor": named(scene.after, square_of(fact)),
        "targets": named_all(scene.after, map(chess.parse_square, targets)),
    }
    values = sorted(worth(scene.after, target) or 9 for target in targets)
    weight = (50 if fact.value == "safe" else 26) + values[-2]
    return make("fork", weight, slots, [fact], targets)


def _line(scene: Scene, facts: Facts, fact: Fact) -> Point:
    slots = {
        "actor": named(scene.after, square_of(fact)),
        "front": named(scene.after, square_of(fact, 1)),
        "behind": named(scene.after, square_of(fact, 2)),
    }
    front = worth(scene.after, fact.squares[1])
    weight = 18 + 2.5 * front if fact.kind == "pin" else 45 + front
    weight -= LOOSE if _moved_and_loose(scene, facts, fact) else 0
    return make(fact.kind, weight, slots, [fact], fact.squares[1:])


def _discovered(scene: Scene, facts: Facts) -> Iterator[Point]:
    for fact in facts.of("discovered_attack", when="move"):
        slots = {
            "actor": named(scene.after, square_of(fact)),
            "targets": named(scene.after, square_of(fact, 1)),
        }
        weight = 14 + 3 * worth(scene.after, fact.squares[1])
        yield make("discovered_attack", weight, slots, [fact], fact.squares[1:])


# ---------------------------------------------------------------- threats


def threats(scene: Scene, facts: Facts) -> Iterator[Point]:
    """Yield what the mover threatens to do next."""
    if scene.after.is_check():
        return
    board = scene.after.copy(stack=False)
    board.push(chess.Move.null())
    old = {fact.squares[2] for fact in facts.of("threat", when="before")}
    for fact in facts.of("threat", when="after"):
        move = chess.Move.from_uci(str(fact.value))
        new = fact.squares[2] not in old or scene.after.kings & chess.BB_SQUARES[square_of(fact, 2)]
        if fact.side == scene.us and new and board.is_legal(move):
            lighter = LOOSE if _moved_and_loose(scene, facts, fact) else 0
            yield _threat(scene, board, fact, move, lighter)


def _threat(
    scene: Scene, board: chess.Board, fact: Fact, move: chess.Move, lighter: float
) -> Point:
    san = board.san(move)
    slots = {**scene.words, "line": san}
    target = fact.squares[2]
    if san.endswith("#"):
        return make("threat_mate", 72, slots, [fact], [target])
    if not board.is_capture(move):
        return make("threat_promotion", 44 - lighter, slots, [fact], [target])
    if board.is_en_passant(move):
        return make("threat", 22 - lighter, slots, [fact], [target])
    slots["target"] = owned(board, move.to_square)
    weight = 21 + 3 * worth(board, target) - lighter
    return make("threat_piece", weight, slots, [fact], [target])


# ---------------------------------------------------------------- hanging pieces


def hanging(scene: Scene, facts: Facts) -> Iterator[Point]:
    """Yield pieces that the move leaves hanging, saves, or makes hang."""
    before = {fact.squares[0]: fact for fact in facts.of("hanging", when="before")}
    after = {fact.squares[0]: fact for fact in facts.of("hanging", when="after")}
    yield from _left_hanging(scene, before, after)
    if not scene.after.is_check():  # else the opponent has its hands bound for a move only
        yield from _saved(scene, before, after)


def _left_hanging(scene: Scene, before: dict[str, Fact], after: dict[str, Fact]) -> Iterator[Point]:
    end = chess.square_name(scene.move.to_square)
    for name, fact in after.items():
        square, value = square_of(fact), worth(scene.after, name)
        ours = scene.after.color_at(square) == scene.us
        slots = {**scene.words, "target": owned(scene.after, square)}
        if name == end:
            if scene.victim_square is None:  # else the exchange says it
                yield make("hangs_moved", 38 + 3 * value, slots, [fact], [name])
        elif name in before:
            key, weight = ("hangs_still", 16) if ours else ("theirs_hangs_still", 12)
            yield make(key, weight + 2 * value, slots, [before[name], fact], [name])
        else:
            key, weight = ("hangs_new", 32) if ours else ("theirs_hangs_new", 20)
            yield make(key, weight + 3 * value, slots, [fact], [name])


def _saved(scene: Scene, before: dict[str, Fact], after: dict[str, Fact]) -> Iterator[Point]:
    start, end = scene.move.from_square, scene.move.to_square
    for name, fact in before.items():
        square, value = square_of(fact), worth(scene.before, name)
        if scene.before.color_at(square) != scene.us:
            continue
        if square == start:
            if chess.square_name(end) not in after and scene.victim_square is None:
                yield make("saved_moved", 22 + 3 * value, scene.words, [fact], [name])
        elif name not in after:
            slots = {"target": owned(scene.after, square)}
            yield make("saved", 20 + 2 * value, slots, [fact], [name])
