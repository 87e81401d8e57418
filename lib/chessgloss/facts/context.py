"""The feature context of the pairwise rubric: the facts of a move, one ``name: value`` a line.

The rubric's judge is shown "a structured/linearized summary of the move and extracted signals"
and may hold against a comment whatever it lacks. So every line is always there: ``no`` and
``none`` say that the board has nothing of the kind, ``NA`` that nobody was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import chess

from chessgloss.engine import MATES_FROM, ScoreWording, read_centipawns, score_text
from chessgloss.facts.records import Fact, FactKind, Facts, When
from chessgloss.facts.wording import side_name

#: Stands for what is unknown.
UNKNOWN: Final = "NA"

_AROUND: Final[tuple[When, When]] = ("before", "after")
_TACTICS: Final[tuple[FactKind, ...]] = ("fork", "pin", "skewer", "discovered_attack")

_WORDING: Final = ScoreWording(
    number="{pawns:+.2f}", mate="{verb} in {moves}", mated="{verb} in 0", level=None
)


def linearise(facts: Facts) -> str:
    """Return the feature context of a move.

    Material and exchanges are in pawns, evaluations in pawns with two decimals, chances in
    per cent, all seen by the side that moves.
    """
    lines = (*_move_lines(facts), *_board_lines(facts), *_engine_lines(facts))
    return "\n".join(f"{name}: {value}" for name, value in lines)


def _move_lines(facts: Facts) -> Iterator[tuple[str, str]]:
    move = facts.move
    board = chess.Board(move.position.fen)
    piece = chess.PIECE_NAMES[board.piece_type_at(move.move.from_square) or chess.PAWN]
    yield "move", move.numbered_san
    yield "side to move", side_name(move.mover)
    yield "piece", f"{piece} from {move.uci[:2]} to {move.uci[2:4]}"
    yield "capture", _first(facts, "capture", _captured)
    yield "en passant", _flag(facts, "en_passant")
    yield "trade", _trade(facts)
    yield "check", _flag(facts, "check")
    yield "discovered check", _flag(facts, "discovered_check")
    yield "double check", _flag(facts, "double_check")
    yield "checkmate", _flag(facts, "mate")
    yield "stalemate", _flag(facts, "stalemate")
    yield "promotion", _first(facts, "promotion", _piece_name)
    yield "castling", _first(facts, "castling", lambda fact: str(fact.value))


def _board_lines(facts: Facts) -> Iterator[tuple[str, str]]:
    mover = facts.move.mover
    yield "material change", _first(facts, "material", _signed, "0")
    yield "exchange result", _first(facts, "exchange", _signed, "0")
    for when in _AROUND:
        yield f"material balance {when}", _balance(facts, when)
    for when in _AROUND:
        for whose, side in (("own", mover), ("opponent's", not mover)):
            hanging = _on_side(facts, "hanging", when, side)
            yield f"{whose} hanging pieces {when}", _list(hanging, _hanging_piece)
    for name in _TACTICS:
        yield f"new {name.replace('_', ' ')}", _list(facts.of(name, when="move"), _text)
    yield "threats after", _list(_on_side(facts, "threat", "after", mover), _text)
    yield "opponent's chances after", _list(_on_side(facts, "threat", "after", not mover), _text)
    for whose, side in (("own", mover), ("opponent's", not mover)):
        passed = _on_side(facts, "passed_pawn", "after", side)
        yield f"{whose} passed pawns after", _list(passed, lambda fact: fact.squares[0])
        for when in _AROUND:
            cover = _on_side(facts, "king_shelter", when, side)
            yield f"{whose} king's shelter {when}", _list(cover, _shelter)


def _engine_lines(facts: Facts) -> Iterator[tuple[str, str]]:
    told = facts.of("move_rank", when="move")
    yield "engine", told[0].provenance if told else UNKNOWN
    for when in _AROUND:
        yield f"evaluation {when}", _known(facts, "evaluation", when, _evaluation)
    yield "evaluation swing", _swing(facts, "evaluation", 100, "+.2f", "")
    for when in _AROUND:
        yield f"win chance {when}", _known(facts, "win_probability", when, _percent)
    yield "win chance swing", _swing(facts, "win_probability", 0.01, "+.1f", " %")
    yield "centipawn loss", _known(facts, "centipawn_loss", "move", _value)
    yield "move class", _known(facts, "mistake", "move", _value)
    yield "engine rank", _known(facts, "move_rank", "move", _rank)
    yield "best line", _known(facts, "best_line", "before", _moves)
    yield "expected reply", _known(facts, "expected_reply", "after", _reply)


def _first(facts: Facts, kind: FactKind, say: Callable[[Fact], str], otherwise: str = "no") -> str:
    found = facts.of(kind, when="move")
    return say(found[0]) if found else otherwise


def _flag(facts: Facts, kind: FactKind) -> str:
    return "yes" if facts.of(kind, when="move") else "no"


def _known(facts: Facts, kind: FactKind, when: When, say: Callable[[Fact], str]) -> str:
    found = facts.of(kind, when=when)
    return say(found[0]) if found else UNKNOWN


def _list(facts: tuple[Fact, ...], say: Callable[[Fact], str]) -> str:
    return "; ".join(say(fact) for fact in facts) or "none"


def _on_side(facts: Facts, kind: FactKind, when: When, side: chess.Color) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts.of(kind, when=when) if fact.side == side)


def _captured(fact: Fact) -> str:
    return f"{_piece_name(fact)} on {fact.squares[-1]}"


def _piece_name(fact: Fact) -> str:
    return chess.piece_name(chess.PIECE_SYMBOLS.index(str(fact.value)))


def _trade(facts: Facts) -> str:
    """Say whether what takes can be taken back, and for what."""
    capture, exchange = facts.of("capture", when="move"), facts.of("exchange", when="move")
    if not capture or len(exchange[0].squares) < 3:
        return "no"
    board = chess.Board(facts.move.position.fen)
    piece = board.piece_type_at(facts.move.move.from_square) or chess.PAWN
    given, taken = chess.piece_name(piece), _piece_name(capture[0])
    return f"{given} for {taken} on {exchange[0].squares[0]} possible"


def _balance(facts: Facts, when: When) -> str:
    (fact,) = facts.of("material", when=when)
    lead = _number(fact) if fact.side == facts.move.mover else -_number(fact)
    return f"{lead:+g}" if lead else "0"


def _hanging_piece(fact: Fact) -> str:
    return f"{fact.text.removesuffix(' is hanging')} (worth {fact.value})"


def _shelter(fact: Fact) -> str:
    return f"{fact.value} {'pawn' if fact.value == 1 else 'pawns'}"


def _signed(fact: Fact) -> str:
    return f"{_number(fact):+g}" if fact.value else "0"


def _evaluation(fact: Fact) -> str:
    return score_text(read_centipawns(_number(fact), chess.WHITE), _WORDING)


def _percent(fact: Fact) -> str:
    return f"{100 * _number(fact):.1f} %"


def _swing(facts: Facts, kind: FactKind, unit: float, form: str, sign: str) -> str:
    """Return the change from before to after; ``NA`` where a mate has no number."""
    pair = (*facts.of(kind, when="before"), *facts.of(kind, when="after"))
    if len(pair) != 2 or any(abs(_number(fact)) >= MATES_FROM for fact in pair):
        return UNKNOWN
    return f"{(_number(pair[1]) - _number(pair[0])) / unit:{form}}{sign}"


def _rank(fact: Fact) -> str:
    return fact.text[fact.text.index("not ") :] if fact.value is None else str(fact.value)


def _moves(fact: Fact) -> str:
    return fact.text.removeprefix("the engine's best line is ")


def _reply(fact: Fact) -> str:
    return fact.text.removeprefix("the engine expects the reply ")


def _value(fact: Fact) -> str:
    return str(fact.value)


def _text(fact: Fact) -> str:
    return fact.text


def _number(fact: Fact) -> float:
    assert isinstance(fact.value, int | float)
    return float(fact.value)
