"""What is known of a move, told to a language model in words.

Each function tells one thing: the position, the attacks, the engine's verdict, the concepts.
What a method is given is a choice of these (see :mod:`chessgloss.commentary.methods`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import chess
import chess.pgn

from chessgloss.commentary.concepts import tell_concept
from chessgloss.engine import ScoreWording, score_text
from chessgloss.facts.attacks import attacks
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext, Position
from chessgloss.priorities import ConceptChange

Notation = Literal["fen", "pgn"]

_WORDING = ScoreWording(
    number="{ahead} is ahead by {lead:.1f} pawns",
    mated="{ahead} has mated",
    level="the game is level",
)


def tell_position(position: Position, notation: Notation = "fen") -> str:
    """Return the position as a FEN or as the moves of its game.

    Raises
    ------
    ValueError
        For ``pgn``, if the game does not start from the initial position.
    """
    if notation == "fen":
        return f"Position (FEN): {position.fen}"
    if position.root != chess.STARTING_FEN or not position.moves:
        raise ValueError(f"the game that led to {position.fen!r} is not known from its start")
    return f"Game so far (PGN): {movetext(position)}"


def movetext(position: Position) -> str:
    """Return the moves that led to a position in SAN with their numbers, on one line."""
    game = chess.pgn.Game.from_board(position.board())
    writer = chess.pgn.StringExporter(headers=False, columns=None)
    return game.accept(writer).removesuffix("*").strip()


def tell_attacks(position: Position) -> str:
    """Return every attack on an enemy piece, one line an attacking piece, White's first.

    The CCC paper (3.1.2) lists them so that no piece is made up. An attack that the rules
    bar (the attacker is pinned, or the king would step into check) is left out.
    """
    board = position.board()
    lines = []
    for colour in (chess.WHITE, chess.BLACK):
        targets: dict[str, list[str]] = {}
        for pair in attacks(board, colour):
            if not pair.barred:
                who = f"{_side(colour)} {chess.piece_name(pair.piece)} {_square(pair.square)}"
                whom = f"{chess.piece_name(pair.target_piece)} {_square(pair.target)}"
                targets.setdefault(who, []).append(whom)
        lines += [f"- {who} attacks {', '.join(whom)}" for who, whom in targets.items()]
    return "\n".join(lines) or "- none"


def tell_verdict(move: MoveInContext, verdict: Verdict) -> str:
    """Return the engine's verdict: who is ahead before and after, the loss, best and reply.

    Scores are told by the side that is ahead, in pawns. The paper's prompts give the same
    things: the score of the move, the expected reply, the best move.
    """
    board = move.position.board()
    said = [
        f"before the move {score_text(verdict.before, _WORDING)}, "
        f"after it {score_text(verdict.after, _WORDING)}",
        _judgement(board, verdict),
    ]
    if verdict.reply is not None:
        after = move.after().board()
        said.append(f"expected reply {after.san(chess.Move.from_uci(verdict.reply))}")
    return "; ".join(said)


def tell_concepts(concepts: Sequence[ConceptChange]) -> str:
    """Return the concepts, one numbered line each, most important first."""
    lines = (f"{rank}. {tell_concept(one)}" for rank, one in enumerate(concepts, start=1))
    return "\n".join(lines) or "(none given)"


def _judgement(board: chess.Board, verdict: Verdict) -> str:
    if verdict.rank == 1 or verdict.loss == 0:
        return "this is the best move"
    best = board.san(chess.Move.from_uci(verdict.best))
    name = verdict.mistake_class.lower()
    article = "an" if name[0] in "aeiou" else "a"
    kind = (
        f"{article} {name}"
        if name in {"inaccuracy", "mistake", "blunder"}
        else f"{article} {name} move"
    )
    return f"this is {kind} (loses {verdict.loss / 100:.1f} pawns), best was {best}"


def _side(colour: chess.Color) -> str:
    return "White" if colour else "Black"


def _square(square: chess.Square) -> str:
    return chess.square_name(square)
