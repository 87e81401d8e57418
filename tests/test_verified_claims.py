"""What verified commentary asks of the claim checker: sentences as small models write them."""

from __future__ import annotations

import chess.engine
import pytest

from chessgloss.claims import verify
from chessgloss.engine import Analysis, Line
from chessgloss.facts.verdict import Verdict, weigh
from chessgloss.positions import MoveInContext, Position

#: 6. Nxd5 in the Elephant Trap takes a pawn and loses a piece; e3 was best.
MOVES = ["d2d4", "d7d5", "c2c4", "e7e6", "b1c3", "g8f6", "c1g5", "b8d7", "c4d5", "e6d5"]
TRAP = MoveInContext(Position.after(MOVES), "c3d5")
QUIET = MoveInContext(Position.after(MOVES), "e2e3")


def verdict_of(move: MoveInContext, loss: int) -> Verdict:
    def analysis(position: Position, *lines: tuple[int, str]) -> Analysis:
        found = (
            Line((uci,), chess.engine.PovScore(chess.engine.Cp(value), position.turn), 20)
            for value, uci in lines
        )
        return Analysis(position, tuple(found), 1000, "Scripted 1")

    before = analysis(move.position, (40, "e2e3"), (25, "a2a3"))
    return weigh(move, before, analysis(move.after(), (loss - 40, "f6d5")))


def verdicts(text: str, move: MoveInContext, loss: int = 390) -> list[tuple[str, str]]:
    found = verify(text, move, verdict_of(move, loss))
    return [(one.claim.text, one.verdict) for one in found]


@pytest.mark.parametrize(
    ("text", "loss", "expected"),
    [
        ("A blunder; the quiet e3 was called for.", 390, "true"),
        ("This is a blunder, because e3 was better.", 390, "true"),
        ("A blunder: the pawn on e3 would hold.", 390, "true"),
        ("e3 is a blunder.", 390, "false"),  # another move, and the best
        ("A blunder; the quiet e3 was called for.", 20, "false"),
        ("A blunder.", 105, "not checkable"),  # the plan's class begins above 100
        ("A blunder.", 90, "false"),
    ],
)
def test_a_judgement_is_of_the_move_before_the_break(text: str, loss: int, expected: str) -> None:
    (found,) = (v for words, v in verdicts(text, TRAP, loss) if "blunder" in words)
    assert found == expected


def test_the_best_move_is_the_one_told_so() -> None:
    told = dict(verdicts("Nxd5 is a blunder, and the best move was e3.", TRAP))
    assert told["the best move"] == "true"
    told = dict(verdicts("The best move was Nxd5.", TRAP))
    assert told["The best move"] == "false"


def test_an_expected_reply_is_no_alternative_that_could_be_illegal() -> None:
    text = "The expected reply Bb4+ is better."
    assert "false" not in dict(verdicts(text, TRAP)).values()


@pytest.mark.parametrize(
    ("text", "move", "accused"),
    [
        ("White's e3 captures the black pawn on d5.", QUIET, True),
        ("6. e3 captures the black king.", QUIET, True),
        ("6. e3 captures the black pawn on d5.", QUIET, True),
        ("6. e3 takes aim at nothing, but 6. Nxd5 takes the pawn on d5.", QUIET, False),
        ("White's Nxd5 captures the black pawn on d5.", TRAP, False),
        ("After Nxd5 Black can capture the knight on d5.", TRAP, False),
        ("e3, planning to capture the pawn on d5.", QUIET, False),
    ],
)
def test_a_quiet_move_captures_nothing(text: str, move: MoveInContext, accused: bool) -> None:
    found = [one for one in verify(text, move) if one.claim.kind == "capture"]
    assert any(one.verdict == "false" for one in found) == accused


@pytest.mark.parametrize(
    ("text", "accused"),
    [
        ("This leaves the black king in checkmate.", True),
        ("It puts the black king in checkmate, and the game ends.", True),
        ("White hopes to put the black king in checkmate.", False),
        ("This could leave the king in checkmate.", False),
        ("The black king is in no danger of mate.", False),
    ],
)
def test_a_king_in_checkmate_is_mated(text: str, accused: bool) -> None:
    found = [one for one in verify(text, QUIET) if one.claim.kind == "mate"]
    assert any(one.verdict == "false" for one in found) == accused
