"""Analyses and verdicts laid down by hand, and an engine that counts material."""

import chess
from chess.engine import Cp, PovScore

from chessgloss.commentary.briefing import Briefing
from chessgloss.facts import Verdict, weigh
from chessgloss.positions import MoveInContext, Position
from chessgloss.predicates.tactics import balance
from chessgloss.scores import Analysis, Line

#: The moves that lead to the Elephant Trap.
TRAP = ["d2d4", "d7d5", "c2c4", "e7e6", "b1c3", "g8f6", "c1g5", "b8d7", "c4d5", "e6d5"]


def analysis(
    position: Position, *lines, nodes=1_000, depth=10, engine="Scripted 1"
) -> Analysis:
    """Return an analysis from (score, moves) pairs; numbers are centipawns for the side to move."""
    found = []
    for given, moves in lines:
        score = Cp(given) if isinstance(given, int) else given
        relative = PovScore(score, position.turn)
        found.append(Line(tuple(moves.split()), relative, depth))
    return Analysis(position, tuple(found), nodes, engine)


def verdict_on(move: MoveInContext, before, after) -> Verdict:
    """Return the verdict from the lines before a move and after it."""
    first = analysis(move.position, *before)
    second = analysis(move.after(), *after)
    return weigh(move, first, second)


def by_material(position: Position) -> Analysis:
    """Count material one ply deep and list five moves, the best first."""
    board = chess.Board(position.fen)
    sign = 1 if position.turn else -1
    found = []
    for move in sorted(board.legal_moves, key=chess.Move.uci):
        board.push(move)
        score = 100 * balance(board) * sign
        found.append((score, move.uci()))
        board.pop()
    found.sort(key=lambda pair: -pair[0])
    return analysis(position, *found[:5], nodes=100, depth=1)


def grabbed_pawn(*concepts) -> Briefing:
    """The Elephant Trap: 6. Nxd5 takes a pawn and loses a piece."""
    move = MoveInContext(Position.after(TRAP), "c3d5")
    before = analysis(move.position, (40, "e2e3 c7c6"), (25, "a2a3"))
    after = analysis(move.after(), (350, "f6d5 g5d8 f8b4"))
    return Briefing("made/trap", move, before, after, *concepts)
