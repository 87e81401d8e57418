"""Points about material, exchanges, pawns, files and the king, and small things that fill up."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from chessgloss.facts.records import Fact, FactKind, Facts
from chessgloss.facts.wording import side_name
from chessgloss.realise.grammar import number_word
from chessgloss.realise.points import make, new_facts, square_of, worth
from chessgloss.realise.records import Point
from chessgloss.realise.scene import Scene, named, named_all, owned, seen_by

#: Targets that a point about plain attacks or defences lists at most.
MOST_TARGETS = 2

_MEN = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


def ends(scene: Scene, facts: Facts) -> Iterator[Point]:
    """Yield what is to be said when the move ends the game by mate or stalemate."""
    king = scene.after.king(not scene.us)
    assert king is not None
    slots = {**scene.words, "their_king": named(scene.after, king)}
    for fact in facts.of("mate", when="move"):
        yield make(_mate_kind(scene.after, king), 99, slots, [fact], ["end"])
    for fact in facts.of("stalemate", when="move"):
        yield make("stalemate", 98, slots, [fact], ["end"])


def _mate_kind(board: chess.Board, king: chess.Square) -> str:
    own = board.occupied_co[board.turn]
    checkers = board.checkers()
    if checkers & board.knights and not chess.BB_KING_ATTACKS[king] & ~own:
        return "smothered_mate"
    back = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
    second = chess.BB_RANK_2 if board.turn else chess.BB_RANK_7
    front = chess.BB_KING_ATTACKS[king] & second
    shut_in = chess.BB_SQUARES[king] & back and not front & ~(own & board.pawns)
    on_rank = checkers & (board.rooks | board.queens) & back
    return "back_rank_mate" if shut_in and on_rank else "mate"


def exchanges(scene: Scene, facts: Facts) -> Iterator[Point]:
    """Yield what the captures that the move begins come to."""
    if scene.victim_square is None or scene.after.is_checkmate():
        return
    for fact in facts.of("exchange", when="move"):
        gain = int(fact.value) if isinstance(fact.value, int) else 0
        key = _exchange_key(gain, takers=len(fact.squares) - 2)
        weight = {"exchange_free": 24.0, "exchange_even": 22.0}.get(key, 26.0) + 2 * abs(gain)
        yield make(key, weight, scene.words, [fact], ["exchange", fact.squares[0]])


def _exchange_key(gain: int, takers: int) -> str:
    if not takers:
        return "exchange_free"
    if gain == 0:
        return "exchange_even"
    return "exchange_win" if gain > 0 else "exchange_loss"


def material(scene: Scene, facts: Facts) -> Iterator[Point]:
    """Yield who has more material after the move; weightier after a capture."""
    changed = scene.victim_square is not None or scene.move.promotion is not None
    for fact in facts.of("material", when="after"):
        key, slots = _material_words(scene.after, fact)
        yield make(key, 14 if changed else 10, slots, [fact], ["material"])


def _material_words(board: chess.Board, fact: Fact) -> tuple[str, dict[str, str]]:
    if fact.side is None:
        return ("material_level" if _same_men(board) else "material_points"), {}
    slots = {"leader": side_name(fact.side)}
    if amount := _amount(board, fact.side):
        return "material_ahead", {**slots, "amount": amount}
    return "material_more", slots


def _surplus(board: chess.Board, side: chess.Color) -> dict[str, int]:
    """Return by how many pieces of each kind a side has more, knights and bishops as one."""
    more = {
        chess.piece_name(kind): len(board.pieces(kind, side)) - len(board.pieces(kind, not side))
        for kind in _MEN
    }
    more["minor piece"] = more.pop("knight") + more.pop("bishop")
    return {name: number for name, number in more.items() if number}


def _same_men(board: chess.Board) -> bool:
    return not _surplus(board, chess.WHITE)


def _amount(board: chess.Board, leader: chess.Color) -> str:
    """Return ``a pawn``, ``two rooks``, ``the exchange``; empty where no such word fits."""
    surplus = _surplus(board, leader)
    if surplus == {"rook": 1, "minor piece": -1}:
        return "the exchange"
    if len(surplus) != 1:
        return ""
    ((name, number),) = surplus.items()
    return f"a {name}" if number == 1 else f"{number_word(number)} {name}s"


def pawns(scene: Scene, facts: Facts) -> Iterator[Point]:
    """Yield passed, doubled and isolated pawns that the move makes or moves."""
    end = chess.square_name(scene.move.to_square)
    start = chess.square_name(scene.move.from_square)
    was_passed = start in {fact.squares[0] for fact in facts.of("passed_pawn", when="before")}
    for fact in new_facts(facts, "passed_pawn"):
        yield _passed(scene, fact, advanced=fact.squares[0] == end and was_passed)
    for fact in _on_new_files(facts, "doubled_pawns"):
        slots = {"owner": _owner(fact), "file": fact.squares[0][0]}
        yield make("doubled", 15, slots, [fact], fact.squares)
    for fact in _on_new_files(facts, "isolated_pawn"):
        target = owned(scene.after, square_of(fact))
        slots = {"owner": _owner(fact), "square": fact.squares[0], "target": target}
        yield make("isolated", 13, slots, [fact], fact.squares)


def _on_new_files(facts: Facts, kind: FactKind) -> Iterator[Fact]:
    """Yield facts of a side's pawns on files where it had no such pawns before."""
    old = {(fact.side, fact.squares[0][0]) for fact in facts.of(kind, when="before")}
    for fact in new_facts(facts, kind):
        if (fact.side, fact.squares[0][0]) not in old:
            yield fact


def _passed(scene: Scene, fact: Fact, *, advanced: bool) -> Point:
    steps = int(fact.value) if isinstance(fact.value, int) else 0
    slots = {
        "owner": _owner(fact),
        "square": fact.squares[0],
        "target": owned(scene.after, square_of(fact)),
        "steps": "one step" if steps == 1 else f"{number_word(steps)} steps",
    }
    key, weight = ("passed_advanced", 30) if advanced else ("passed_new", 34)
    return make(key, weight - 3 * steps, slots, [fact], fact.squares)


def files(scene: Scene, facts: Facts) -> Iterator[Point]:
    """Yield files that the move opens, and open ones on which it puts a rook."""
    old = {(fact.side, fact.value) for fact in facts.of("open_file", when="before")}
    for fact in facts.of("open_file", when="after"):
        new = (fact.side, fact.value) not in old
        slots = {**scene.words, "file": str(fact.value)}
        about = [f"{fact.value}-file"]
        if fact.side is None and new:
            yield make("open_file", 17, slots, [fact], about)
        elif fact.side is None and _rook_enters(scene, fact):
            yield make("on_open_file", 23, slots, [fact], about)
        elif fact.side == scene.us and new:
            yield make("half_open_file", 12, {**slots, "owner": _owner(fact)}, [fact], about)


def _rook_enters(scene: Scene, fact: Fact) -> bool:
    """Tell whether the move brings a rook from another file to the file of a fact."""
    start, end = scene.move.from_square, scene.move.to_square
    enters = chess.square_file(start) != chess.square_file(end)
    return scene.piece == chess.ROOK and enters and chess.square_name(end) in fact.squares


def castled(scene: Scene, facts: Facts) -> Iterator[Point]:
    """Yield the pawns that shelter a king that has just castled."""
    if not scene.before.is_castling(scene.move):
        return
    for fact in facts.of("king_shelter", when="after"):
        if fact.side == scene.us and len(fact.squares) > 2:
            count = f"{number_word(len(fact.squares) - 1)} pawns"
            yield make("castled", 21, {**scene.words, "count": count}, [fact], ["shelter"])


def contacts(scene: Scene, facts: Facts) -> Iterator[Point]:
    """Yield what the moved piece attacks and protects on its new square."""
    end = chess.square_name(scene.move.to_square)
    for kind, weight in (("attack", 8), ("defence", 6)):
        touched = [
            fact
            for fact in facts.of(kind, when="after")  # type: ignore[arg-type]
            if fact.squares[0] == end and fact.value is None and worth(scene.after, fact.squares[1])
        ]
        touched.sort(key=lambda fact: _by_worth(scene, fact))
        if told := touched[:MOST_TARGETS]:
            squares = [fact.squares[1] for fact in told]
            targets = named_all(scene.after, map(chess.parse_square, squares))
            slots = {**scene.words, "targets": targets}
            yield make(kind, weight + 0.4 * worth(scene.after, squares[0]), slots, told, squares)


def _by_worth(scene: Scene, fact: Fact) -> tuple[int, int]:
    """Sort the target of a fact: the worthiest first, then as the mover sees the board."""
    return -worth(scene.after, fact.squares[1]), seen_by(scene.us, square_of(fact, 1))


def fillers(scene: Scene, facts: Facts) -> Iterator[Point]:
    """Yield what can be said when nothing happens."""
    if not facts.of("hanging", when="after") and not scene.after.is_check():
        yield make("calm", 5, {}, about=["calm"])
    if scene.victim_square is None and not scene.after.is_check() and not scene.move.promotion:
        yield make("quiet", 3, scene.words, about=["quiet"])
    yield make("reply", 1, scene.words, about=["reply"])


def _owner(fact: Fact) -> str:
    assert fact.side is not None
    return side_name(fact.side)
