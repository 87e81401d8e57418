"""What counts as an answer to the question for a move, and what it is read as."""

from __future__ import annotations

import chess
import pytest

from chessgloss.skill.answers import Answer, read_answer, read_reasoned

#: The queen on f3 mates on f7: which the bishop on c4 covers.
SCHOLARS_MATE = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1"
#: Black mates by taking on c3 (the CCC paper's Figure A5).
FIGURE_A5 = "N6r/1p1k1ppp/2np4/b3p3/4P1b1/N1Q5/P4PPP/R3KB1R b KQ - 0 18"
#: White may castle to both sides; a pawn may promote on e8 and by taking on d8.
CASTLE_OR_PROMOTE = "3r3k/4P3/8/8/8/8/3P3P/R3K2R w KQ - 0 1"
#: Two rooks may go to d1, and only from the right one is it another move.
TWO_ROOKS = "7k/8/8/8/8/8/6PP/R4R1K w - - 0 1"

MATE = ("f3f7", "Qxf7#", "legal")
UNREADABLE = (None, None, "unreadable")


@pytest.mark.parametrize(
    "text",
    [
        "Qxf7#",
        "Qxf7",
        "Qxf7+",
        "Qxf7++",
        "Qxf7#!!",
        "Qf7",
        "Qf3xf7#",
        "1. Qxf7#",
        "1.Qxf7",
        "1... Qxf7#",
        "...Qxf7",
        "18… Qxf7",
        "f3f7",
        "f3-f7",
        "F3F7",
        " Qxf7# \n",
        "Qxf7#.",
        '"Qxf7#"',
        "'f3f7'",
        "**Qxf7#**",
        "_Qxf7#_",
        "`Qxf7#`",
        "```\nQxf7#\n```",
        "```san\nQxf7\n```",
        '{"move": "Qxf7#"}',
        '{"best_move": "f3f7", "reason": "the king on e8 has no square, e7 is covered"}',
        '{"san": "Qxf7#", "uci": "f3f7"}',
        "<move>Qxf7#</move>",
        "The best move is Qxf7#.",
        "The best move for White is Qxf7#",
        "Best move: **Qxf7#**",
        "best move - Qxf7#",
        "My final answer: 1. Qxf7#",
        "Move(SAN formatted move only): Qxf7#",
        "White: Qxf7#",
        "White mates with Qxf7#, as the bishop on c4 covers f7.",
        "Qxf7# (f3f7)",
        "Best move: Qxf7#, not Qg3.",
        "The move Qg3 is weak; I play Qxf7#",
        "I cannot be sure, but Qxf7# looks like mate",
        "Answer: Qxf7# and the king cannot go to e7.",
    ],
)
def test_a_move_is_read_with_whatever_stands_around_it(text: str):
    answer = read_answer(text, chess.Board(SCHOLARS_MATE))
    assert (answer.uci, answer.san, answer.state) == MATE
    assert answer.text == text
    assert answer.move == chess.Move.from_uci("f3f7")


@pytest.mark.parametrize(
    ("text", "uci", "san"),
    [
        ("a3", "a2a3", "a3"),
        ("d2-d4", "d2d4", "d4"),
        ("pawn to a3", "a2a3", "a3"),
        ("The best move is d4, it takes e5", "d2d4", "d4"),
        ("Nxe2", "g1e2", "Ne2"),
        ("Kf1", "e1f1", "Kf1"),
    ],
)
def test_other_legal_moves(text: str, uci: str, san: str):
    answer = read_answer(text, chess.Board(SCHOLARS_MATE))
    assert (answer.uci, answer.san, answer.legal) == (uci, san, True)


@pytest.mark.parametrize(
    ("text", "uci"),
    [
        ("O-O", "e1g1"),
        ("0-0", "e1g1"),
        ("O-O-O", "e1c1"),
        ("0-0-0+", "e1c1"),
        ("e1g1", "e1g1"),
        ("e1h1", "e1g1"),
        ("e8=Q", "e7e8q"),
        ("e8Q", "e7e8q"),
        ("e7e8q", "e7e8q"),
        ("e7e8N", "e7e8n"),
        ("exd8=N", "e7d8n"),
        ("exd8Q#", "e7d8q"),
    ],
)
def test_castling_and_promotion(text: str, uci: str):
    answer = read_answer(text, chess.Board(CASTLE_OR_PROMOTE))
    assert (answer.uci, answer.state) == (uci, "legal")


@pytest.mark.parametrize(
    ("fen", "text", "uci", "san"),
    [
        (SCHOLARS_MATE, "O-O", None, "O-O"),  # the knight on g1 is in the way
        (SCHOLARS_MATE, "e1g1", "e1g1", None),
        (SCHOLARS_MATE, "Nf3", None, "Nf3"),  # the queen stands there
        (SCHOLARS_MATE, "Rxa8", None, "Rxa8"),
        (SCHOLARS_MATE, "a3a4", "a3a4", None),  # nothing stands on a3
        (SCHOLARS_MATE, "e4", None, "e4"),
        (SCHOLARS_MATE, "Qxf8#", None, "Qxf8"),
        (FIGURE_A5, "bxc3", None, "bxc3"),  # a pawn's move: the bishop's has a capital
        (CASTLE_OR_PROMOTE, "e8", None, "e8"),
        (CASTLE_OR_PROMOTE, "e7e8", "e7e8", None),
        (CASTLE_OR_PROMOTE, "e8=K", None, "e8=K"),
        ("7k/8/8/8/8/8/8/K7 b - - 0 1", "h8h6", "h8h6", None),
    ],
)
def test_an_illegal_move_is_kept_as_it_was_named(fen: str, text: str, uci, san):
    answer = read_answer(text, chess.Board(fen))
    assert (answer.uci, answer.san, answer.state, answer.move) == (uci, san, "illegal", None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "qxf7",  # SAN has capitals
        "QXF7#",
        "o-o",
        "Queen takes f7",
        "the queen on f7",
        "Checkmate!",
        "0000",
        "--",
        "1-0",
        "Qxf7=Q",
        "Qxf7# or Qg3",
        "Best move: Qxf7# or Qg3",
        "The best move is Qxf7#. The best move is Qg3.",
        "Qg3, then Qxf7#",
        "1. Qxf7# Kd8",
        "a3 a4",
        "f3 f7",
        '{"from": "f3", "to": "f7"}',
        "position: " + SCHOLARS_MATE,
    ],
)
def test_no_move_or_several_are_unreadable(text: str):
    answer = read_answer(text, chess.Board(SCHOLARS_MATE))
    assert (answer.uci, answer.san, answer.state) == UNREADABLE


@pytest.mark.parametrize(
    "text",
    ["I cannot help with that.", "I'm sorry.", "I’m unable to see.", "As an AI, I do not play."],
)
def test_a_refusal_is_one_only_without_a_move(text: str):
    board = chess.Board(SCHOLARS_MATE)
    assert read_answer(text, board).state == "refused"
    assert read_answer(text + " Qxf7#", board).state == "legal"


def test_san_that_fits_two_moves_names_none():
    board = chess.Board(TWO_ROOKS)
    assert read_answer("Rd1", board).state == "unreadable"
    assert read_answer("Rad1", board).uci == "a1d1"
    assert read_answer("a1d1", board).san == "Rad1"
    assert read_answer("Rd1, that is f1d1", board).state == "unreadable"


def test_every_legal_move_is_read_in_each_notation():
    for fen in (SCHOLARS_MATE, FIGURE_A5, CASTLE_OR_PROMOTE, TWO_ROOKS):
        board = chess.Board(fen)
        for move in board.legal_moves:
            for text in (board.san(move), move.uci(), board.lan(move), f"3. {board.san(move)}!?"):
                assert read_answer(text, board).move == move, text


@pytest.mark.parametrize(
    ("text", "uci", "reason"),
    [
        ("Move: Qxf7#\nReason: Kd8 is not possible.", "f3f7", "Kd8 is not possible."),
        ("Qxf7#\nIt mates; Qg3 does not.", "f3f7", "It mates; Qg3 does not."),
        ('{"move": "f3f7", "reason": "It mates."}', "f3f7", '"It mates."}'),
        ("Move: Qg3", "f3g3", ""),
        ("Reason: it mates.", None, "it mates."),
    ],
)
def test_a_reason_is_not_taken_for_the_move(text: str, uci, reason: str):
    found = read_reasoned(text, chess.Board(SCHOLARS_MATE))
    assert (found.answer.uci, found.reason, found.answer.text) == (uci, reason, text)


def test_an_answer_cannot_contradict_itself():
    for wrong in (("Qf7", None, None, "legal"), ("", "e2e4", None, "error"), ("", None, None, "x")):
        with pytest.raises(ValueError, match="an answer"):
            Answer(*wrong)  # type: ignore[arg-type]


def test_a_move_of_an_engine_is_an_answer():
    board = chess.Board(FIGURE_A5)
    assert Answer.of(chess.Move.from_uci("a5c3"), board).san == "Bxc3#"
    assert Answer.of(chess.Move.from_uci("a5a1"), board).state == "illegal"
    assert Answer.failed("timed\n out") == Answer("timed out", None, None, "error")
