"""Facts for the moves that a question or an answer speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import chess

from chessgloss.dialogue.mentions import Mention
from chessgloss.dialogue.records import Ground, Place, Scene
from chessgloss.engine import score_text
from chessgloss.facts import Verdict, gather
from chessgloss.facts.exchange import exchange
from chessgloss.facts.records import FactKind
from chessgloss.positions import MoveInContext, Position

#: Words that point to what comes after the move under discussion.
_LATER = re.compile(
    r"\b(?:after (?:the|this|that) move|then|next|now|repl\w*|respon\w*|answer\w*|recaptur\w*|"
    r"react\w*|follow\w*|threat\w*)\b",
    re.IGNORECASE,
)
#: Kinds of fact that tell what a move does, the most telling first.
_DEEDS: tuple[FactKind, ...] = (
    "mate",
    "stalemate",
    "check",
    "promotion",
    "castling",
    "capture",
    "fork",
    "skewer",
    "pin",
    "discovered_attack",
)
_MOST_DEEDS = 3


def move_grounds(mentions: Sequence[Mention], text: str, scene: Scene) -> Iterator[Ground]:
    """Yield the facts for each move mentioned, in the order of the text.

    A move is sought in the position before the move under discussion, then after it, then
    at the end of the line that the text has begun, then after a pass; words such as *then*
    and *reply* turn to the later positions first, a move number to the one it fits.
    """
    line: Position | None = None
    for mention in mentions:
        if mention.notation is None:
            continue
        found = _placed(mention, text, scene, line)
        if not found:
            yield _illegal(mention, scene)
        for place, move in found[:2]:
            yield ground_move(place, move, scene)
        if found and found[0][0] != "threat":
            line = found[0][1].after()


def ground_move(place: Place, move: MoveInContext, scene: Scene) -> Ground:
    """Return the facts for one legal move, those of the engine included."""
    verdict = scene.weigh(move)
    sentences = [
        _opening(place, move),
        _deeds(move, verdict),
        *_judged(place, move, verdict, scene),
    ]
    return Ground(move.numbered_san, place, tuple(one for one in sentences if one), move)


def _placed(
    mention: Mention, text: str, scene: Scene, line: Position | None
) -> list[tuple[Place, MoveInContext]]:
    places: list[tuple[Place, Position | None]] = [
        ("instead", scene.move.position),
        ("reply", scene.after),
        ("later", line),
        ("threat", scene.passed),
    ]
    if _LATER.search(text[: mention.start]):
        places = [places[2], places[1], places[3], places[0]]
    found = [
        (place, move)
        for place, position in places
        if position is not None
        for move in _legal(mention, position)
        if mention.number is None or move.mover == mention.number[1]
    ]
    fitting = [one for one in found if _fits_number(mention, one[1])] or found
    first = [one for one in fitting if one[0] == fitting[0][0]]
    return [("played" if move == scene.move else place, move) for place, move in first]


def _legal(mention: Mention, position: Position) -> list[MoveInContext]:
    assert mention.notation is not None
    moves = mention.notation.moves(chess.Board(position.fen))
    return [MoveInContext(position, move.uci()) for move in moves]


def _fits_number(mention: Mention, move: MoveInContext) -> bool:
    number = int(move.position.fen.rsplit(" ", 1)[1])
    return mention.number in (None, (number, move.mover))


def _illegal(mention: Mention, scene: Scene) -> Ground:
    assert mention.notation is not None
    words = mention.text.strip()
    told = f"There is no castling here ({words})." if mention.notation.castles else ""
    none = "neither side has such a move here"
    if mention.number is not None:
        none = f"{_name(mention.number[1])} has no such move here"
    reason = _bound_to_king(mention, scene) or none
    return Ground(words, "illegal", (told or f"{words} is not a legal move: {reason}.",))


def _bound_to_king(mention: Mention, scene: Scene) -> str | None:
    """Say how a move fails that only the king's safety forbids."""
    assert mention.notation is not None
    for position in (scene.move.position, scene.after):
        board = chess.Board(position.fen)
        if mention.number is not None and mention.number[1] != board.turn:
            continue
        if any(mention.notation.fits(board, move) for move in board.pseudo_legal_moves):
            if board.is_check():
                return f"{_name(board.turn)} would still be in check"
            return f"it would leave {_name(board.turn)}'s own king in check"
    return None


def _name(side: chess.Color) -> str:
    return "White" if side else "Black"


def _opening(place: Place, move: MoveInContext) -> str:
    opponent = _name(not move.mover)
    return {
        "instead": f"{move.numbered_san} was possible instead.",
        "threat": f"If {opponent} did nothing, {move.numbered_san} would follow.",
    }.get(place, "")


def _deeds(move: MoveInContext, verdict: Verdict) -> str:
    facts = gather(move, verdict)
    clauses = [fact.text for kind in _DEEDS for fact in facts.of(kind, when="move")][:_MOST_DEEDS]
    swap = exchange(chess.Board(move.position.fen), move.move)
    square = chess.square_name(move.move.to_square)
    if swap < 0:
        clauses.append(f"it loses material worth {-swap} by exchanges on {square}")
    elif swap > 0:
        clauses.append(f"it wins material worth {swap} by exchanges on {square}")
    said = "; ".join(clauses)
    return f"{move.numbered_san}: {said}." if said else ""


def _judged(place: Place, move: MoveInContext, verdict: Verdict, scene: Scene) -> Iterator[str]:
    if place == "threat":
        yield f"The engine's verdict would be that {score_text(verdict.played)}."
        return
    board = chess.Board(move.after().fen)
    if not board.is_game_over():
        answer = board.variation_san([chess.Move.from_uci(u) for u in verdict.reply_line[:3]])
        expected = f", expecting {answer}" if answer else ""
        told = f"After {move.numbered_san} the engine says that {score_text(verdict.played)}"
        yield f"{told}{expected}."
    if place == "instead":
        yield _against_played(move, verdict, scene.weigh(scene.move), scene)
    elif verdict.best != move.uci:
        best = MoveInContext(move.position, verdict.best)
        yield f"The engine prefers {best.numbered_san}: {score_text(verdict.before)}."
    else:
        yield f"{move.numbered_san} is the engine's first choice."


def _against_played(move: MoveInContext, verdict: Verdict, played: Verdict, scene: Scene) -> str:
    gap = played.loss - verdict.loss
    than = f"the played {scene.move.numbered_san} ({score_text(played.played)})"
    if abs(gap) <= 10:
        return f"That is as good as {than}."
    return f"That is {'better' if gap > 0 else 'worse'} than {than}."
