"""What a reader would try, and why it fails: natural replies and alternatives."""

import chess
import pytest
from chess.engine import Mate

from chessgloss.engine import open_engine
from chessgloss.facts import search
from chessgloss.facts.replies import (
    MOST_ALTERNATIVES,
    MOST_REPLIES,
    natural_alternatives,
    natural_replies,
    refutations,
)
from chessgloss.positions import MoveInContext, Position
from chessgloss.scores import centipawns
from fakes.analyses import analysis

#: The bishop takes f5 and cannot be taken.
BAIT = MoveInContext(
    Position("1r2qk2/4nrn1/p4B1Q/1p1bPp2/2pP4/P1P2P1P/2B1RK2/4R3 w - - 0 33"), "c2f5"
)
#: The king takes on e7; taking with the queen loses the rook.
WITH_THE_KING = MoveInContext(
    Position("rn1qk2r/pb2Bppp/3p4/1Pp1p3/R3P3/8/1PPN1PPP/Q3KB1R b Kkq - 0 14"), "e8e7"
)
#: The queen no longer guards the pawn on d5.
OFFER = MoveInContext(
    Position("3r2k1/1b4pp/p2q4/3PR1P1/1p1B3P/5Q2/PPP5/2K5 w - - 1 29"), "f3f4"
)


@pytest.fixture(scope="module")
def engine(stockfish):
    with open_engine(stockfish) as running:
        yield lambda positions, nodes, lines: [
            running.analyse(each, nodes=nodes, multipv=lines) for each in positions
        ]


def found(move, analyse):
    ((before, after),) = search([move], analyse, (30_000, 30_000))
    return {each.tried: each for each in refutations(move, before, after, analyse)}


def test_a_capture_that_allows_mate_is_told_to_the_mate(engine):
    failed = found(BAIT, engine)["e7f5"]
    assert (failed.text, failed.mate) == ("33...Nxf5 34. Qh8#", 1)
    assert (failed.natural, failed.is_reply) == ("takes it", True)
    assert failed.score.turn == chess.BLACK


def test_the_other_way_to_take_is_told_to_what_it_loses(engine):
    failed = found(WITH_THE_KING, engine)["d8e7"]
    assert failed.text.startswith("14...Qxe7 15. Rxa7")
    assert not failed.is_reply
    assert centipawns(failed.score, chess.BLACK) < -200


def laid_down(move, best, after, tried):
    """Ask for refutations with scores laid down, the mover's and the trier's; count searches."""
    asked = []

    def analyse(positions, nodes, lines):
        asked.extend(positions)
        answers = []
        for each in positions:
            reply = next(iter(chess.Board(each.fen).legal_moves)).uci()
            answers.append(analysis(each, (tried, reply)))
        return answers

    before = analysis(move.position, (best, move.uci))
    reply = sorted(each.uci() for each in chess.Board(move.after().fen).legal_moves)[0]
    return refutations(
        move, before, analysis(move.after(), (after, reply)), analyse
    ), asked


def test_what_costs_little_is_no_refutation():
    assert laid_down(OFFER, 20, -20, 149)[0] == ()
    failed, _ = laid_down(OFFER, 20, -20, 150)
    assert [(each.tried, each.loss) for each in failed] == [("b7d5", 130)]
    failed, _ = laid_down(WITH_THE_KING, 20, -20, Mate(9))
    assert failed and not any(each.mate for each in failed), "no line shows the mate"


def test_a_reply_after_which_its_side_still_stands_better_does_not_fail():
    replies, _ = laid_down(BAIT, 20, 400, -200)
    assert not any(each.is_reply for each in replies)


def test_so_many_searches_and_no_more():
    _, asked = laid_down(BAIT, 20, -20, 0)
    assert 0 < len(asked) <= MOST_REPLIES + MOST_ALTERNATIVES
    assert len({each.fen for each in asked}) == len(asked)


@pytest.mark.parametrize(
    ("fen", "uci", "tried", "natural"),
    [
        (OFFER.position.fen, OFFER.uci, "b7d5", "takes what it left"),
        (
            "r3k1r1/pp3p1Q/1qN1bn2/1B4p1/3P4/8/PPP3PP/2K1R1NR w q - 1 17",
            "e1e6",
            "f7e6",
            "takes it",
        ),
        ("4k3/8/8/8/8/2n5/4P3/4K3 w - - 0 1", "e2e4", "c3e2", None),
        ("4k3/8/8/8/8/2n5/8/3RK3 w - - 0 1", "d1d4", "c3d1", None),
    ],
)
def test_replies_that_a_reader_would_think_of(fen, uci, tried, natural):
    thought_of = dict(reversed([*natural_replies(MoveInContext(Position(fen), uci))]))
    assert thought_of.get(tried) == natural


def test_a_capture_that_throws_a_queen_away_is_not_thought_of():
    assert "d6e5" not in dict(natural_replies(OFFER))


def test_the_next_move_of_the_line_is_tried_at_once_unless_something_hangs_then():
    fen = "6B1/8/3k1p1p/5P2/P7/1P3K2/r4P2/8 b - - 3 34"
    move = MoveInContext(Position(fen), "a2a1")
    before = analysis(move.position, (90, "a2a1 f3g2 d6e5"))
    assert ("d6e5", "next") in list(natural_alternatives(move, before))
    hanging = MoveInContext(Position("3qk3/8/8/8/6B1/8/8/4K2R b - - 0 1"), "d8d1")
    line = analysis(hanging.position, (500, "d8d1 g4d1 e8e7"))
    assert [*natural_alternatives(hanging, line)] == [("e8e7", "next")]
