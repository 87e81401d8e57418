"""The opening clause: what the move is and does by itself, read from the board."""

from __future__ import annotations

import chess

from chessgloss.facts.records import Facts
from chessgloss.realise.grammar import inflect
from chessgloss.realise.phrases import FRAMES, SUFFIXES, VERBS
from chessgloss.realise.records import Point
from chessgloss.realise.scene import Scene, named

#: Facts that an opening clause puts into words.
LEAD_KINDS = (
    "capture",
    "en_passant",
    "promotion",
    "castling",
    "check",
    "discovered_check",
    "double_check",
    "mate",
)


def lead(scene: Scene, facts: Facts) -> Point:
    """Return the opening clause of a comment in all its phrasings."""
    slots = {**scene.words, **_more_slots(scene)}
    verbs = VERBS[kind_of(scene)]
    suffixes = SUFFIXES.get(check_of(scene), ("",))
    acts = [
        (verb + suffix).format(**slots)
        for verb in verbs
        for suffix in suffixes
        if not (" and " in verb and suffix.startswith(" and "))
    ]
    clauses = tuple(clause for act in acts for clause in _framed(act, slots))
    told = facts.of(*LEAD_KINDS, when="move")  # type: ignore[arg-type]
    return Point(kind_of(scene), 100, clauses, told, frozenset({"move"}))


def kind_of(scene: Scene) -> str:
    """Return the entry of ``VERBS`` that fits the move, the most telling first."""
    board, move = scene.before, scene.move
    if board.is_castling(move):
        return "castling"
    if board.is_en_passant(move):
        return "en_passant"
    if move.promotion:
        return "capture_promotion" if board.is_capture(move) else "promotion"
    if board.is_capture(move):
        return _capture_kind(scene)
    if board.is_check():
        return "escape" if scene.piece == chess.KING else "block"
    return _quiet_kind(scene)


def check_of(scene: Scene) -> str:
    """Return ``mate``, ``double_check``, ``discovered_check``, ``check`` or the empty string."""
    if not scene.after.is_check():
        return ""
    if scene.after.is_checkmate():
        return "mate"
    checkers = scene.after.checkers()
    if len(checkers) > 1:
        return "double_check"
    return "check" if _arrives(scene, checkers) else "discovered_check"


def _framed(act: str, slots: dict[str, str]) -> list[str]:
    forms = {"finite": inflect(act, "finite"), "participle": inflect(act, "participle")}
    return [frame.format(**slots, **forms) for frame in FRAMES]


def _more_slots(scene: Scene) -> dict[str, str]:
    king = scene.after.king(not scene.us)
    assert king is not None
    slots = {"their_king": named(scene.after, king)}
    if scene.move.promotion:
        slots["promoted"] = chess.piece_name(scene.move.promotion)
    if scene.before.is_castling(scene.move):
        slots |= _castling_slots(scene)
    if checkers := scene.after.checkers():
        slots["checker"] = named(scene.after, min(checkers))
    return slots


def _castling_slots(scene: Scene) -> dict[str, str]:
    short = scene.before.is_kingside_castling(scene.move)
    rank = chess.square_rank(scene.move.from_square)
    rook = chess.square(5 if short else 3, rank)
    return {"wing": "kingside" if short else "queenside", "rook_to": chess.square_name(rook)}


def _arrives(scene: Scene, checkers: chess.SquareSet) -> bool:
    """Tell whether the check comes from what the move itself has brought there."""
    return scene.move.to_square in checkers or scene.before.is_castling(scene.move)


def _capture_kind(scene: Scene) -> str:
    board, target = scene.before, scene.move.to_square
    if board.is_check() and scene.piece != chess.KING and target in board.checkers():
        return "capture_checker"
    return "recapture" if _takes_back(scene) else "capture"


def _takes_back(scene: Scene) -> bool:
    """Tell whether the opponent's last move, if it is known, captured on the same square."""
    moves, target = scene.context.position.moves, scene.move.to_square
    if not moves or chess.Move.from_uci(moves[-1]).to_square != target:
        return False
    earlier = scene.context.position.board()
    return earlier.is_capture(earlier.pop())


def _quiet_kind(scene: Scene) -> str:
    start, end = scene.move.from_square, scene.move.to_square
    forward = chess.square_rank(end) - chess.square_rank(start)
    forward = forward if scene.us else -forward
    if scene.piece == chess.PAWN:
        return "double_push" if forward == 2 else "push"
    if scene.piece == chess.KING:
        return "king"
    if forward > 0 and _leaves_home(scene):
        return "develop"
    return "retreat" if forward < 0 else "move"


def _leaves_home(scene: Scene) -> bool:
    """Tell whether a knight or bishop leaves the square that a game starts it on."""
    piece = scene.before.piece_at(scene.move.from_square)
    minor = scene.piece in (chess.KNIGHT, chess.BISHOP)
    return minor and chess.Board().piece_at(scene.move.from_square) == piece
