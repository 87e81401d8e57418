"""Facts for questions that name no move and no piece: threats, the best move, who stands better."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import chess

from chessgloss.dialogue.records import Ground, Scene
from chessgloss.engine import score_text
from chessgloss.facts.threats import threats
from chessgloss.facts.wording import listed
from chessgloss.positions import MoveInContext, Position

#: Threats that are named.
_MOST_THREATS = 3


def topic_grounds(question: str, scene: Scene) -> Iterator[Ground]:
    """Yield the facts for each topic that a question touches; without any, the verdict."""
    told = [tell(scene) for words, tell in _TOPICS if words.search(question)]
    yield from told or [_verdict(scene)]


def touches_topic(question: str) -> bool:
    """Tell whether a question touches a topic at all."""
    return any(words.search(question) for words, _ in _TOPICS)


def _verdict(scene: Scene) -> Ground:
    verdict = scene.weigh(scene.move)
    name = scene.move.numbered_san
    if not verdict.loss:
        return Ground("the verdict", "board", (f"{name} loses nothing by the engine's count.",))
    best = MoveInContext(scene.move.position, verdict.best).numbered_san
    text = (
        f"By the engine's count {name} loses {verdict.loss / 100:.2f} against {best} "
        f"({verdict.mistake_class.lower()}): before it {score_text(verdict.before)}, "
        f"after it {score_text(verdict.played)}."
    )
    if abs(verdict.loss) >= 1000:
        text = f"Instead of {name} the engine plays {best}: {score_text(verdict.before)}."
    return Ground("the verdict", "board", (text,))


def _best(scene: Scene) -> Ground:
    verdict = scene.weigh(scene.move)
    board = chess.Board(scene.move.position.fen)
    line = board.variation_san([chess.Move.from_uci(uci) for uci in verdict.best_line[:6]])
    best = MoveInContext(scene.move.position, verdict.best).numbered_san
    sentences = [f"The engine's first choice was {best}: {score_text(verdict.before)} ({line})."]
    if verdict.best == scene.move.uci:
        sentences = [f"{best} was the engine's first choice: {score_text(verdict.before)}."]
    if verdict.second is not None:
        second = MoveInContext(scene.move.position, verdict.second).numbered_san
        sentences.append(f"Its second choice was {second}.")
    return Ground("the best move", "board", tuple(sentences))


def _reply(scene: Scene) -> Ground:
    board = chess.Board(scene.after.fen)
    lines = scene.analyse(scene.after).lines
    if not lines:
        result = "checkmate" if board.is_checkmate() else "a draw"
        return Ground("the reply", "board", (f"There is no reply: the game is over, {result}.",))
    best = MoveInContext(scene.after, lines[0].moves[0]).numbered_san
    line = board.variation_san([chess.Move.from_uci(uci) for uci in lines[0].moves[:6]])
    text = f"The engine expects {best}: {score_text(lines[0].score)} ({line})."
    return Ground("the reply", "board", (text,))


def _threats(scene: Scene) -> Ground:
    board = chess.Board(scene.after.fen)
    sentences = [_side_threats(board, side, scene) for side in (scene.move.mover, board.turn)]
    return Ground("the threats", "board", tuple(sentences))


def _side_threats(board: chess.Board, side: chess.Color, scene: Scene) -> str:
    name = "White" if side else "Black"
    position = scene.after if board.turn == side else scene.passed
    if position is None:
        return f"{name} gives check, which must be answered first.{_line(scene)}"
    turn = chess.Board(position.fen)
    moves = [one.move for one in threats(turn, side) if one.move in turn.legal_moves]
    sans = dict.fromkeys(_numbered(position, move) for move in moves)
    if not sans:
        return f"{name} threatens to win nothing at once."
    verb = "can win something at once" if board.turn == side else "threatens"
    return f"{name} {verb}: {listed(list(sans)[:_MOST_THREATS])}."


def _line(scene: Scene) -> str:
    lines = scene.analyse(scene.after).lines
    moves = [chess.Move.from_uci(uci) for uci in lines[0].moves[:4]] if lines else []
    said = chess.Board(scene.after.fen).variation_san(moves)
    return f" The engine goes on {said}." if said else ""


def _numbered(position: Position, move: chess.Move) -> str:
    return MoveInContext(position, move.uci()).numbered_san


def _standing(scene: Scene) -> Ground:
    verdict = scene.weigh(scene.move)
    share = "White" if scene.move.mover else "Black"
    text = (
        f"After {scene.move.numbered_san} the engine says that {score_text(verdict.after)}; "
        f"{share} can expect {verdict.expected_after:.2f} of a point."
    )
    return Ground("the standing", "board", (text,))


_TOPICS: tuple[tuple[re.Pattern[str], Callable[[Scene], Ground]], ...] = (
    (re.compile(r"\bthreat\w*|\bdanger\w*|\bidea\b|\bplan\w*", re.IGNORECASE), _threats),
    (
        re.compile(
            r"\bbest\b|\bbetter (?:move|was)|\binstead\b|\balternativ\w*|\bstronger\b"
            r"|\bshould (?:i|we|have|white have|black have)\b|\brecommend\w*|\bimprove\w*",
            re.IGNORECASE,
        ),
        _best,
    ),
    (
        re.compile(
            r"\brepl(?:y|ies)\b|\brespon\w*|\banswer\w*|\bnext\b|\bhappens\b|\bcontinu\w*"
            r"|\bplan\w*|\bwhat now\b",
            re.IGNORECASE,
        ),
        _reply,
    ),
    (
        re.compile(
            r"\bwinning\b|\blosing\b|\bahead\b|\bevaluat\w*|\badvantage\b|\bequal\b|\bscore\b"
            r"|\bwho(?:'s| is| stands)\b|\bstands?\b|\bbetter\?",
            re.IGNORECASE,
        ),
        _standing,
    ),
    (
        re.compile(
            r"\bmistake\b|\bblunder\w*|\bwrong\b|\bbad\b|\bgood\b|^why\b(?! not)", re.IGNORECASE
        ),
        _verdict,
    ),
)
