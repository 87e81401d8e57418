from __future__ import annotations

import json

import chess
import pytest
from chess.engine import Cp, Mate, PovScore

from chessgloss.engine import Analysis, EngineMissing, Line, open_engine, win_probability
from chessgloss.facts import Verdict, gather, linearise, weigh
from chessgloss.facts.fact import ENGINE_KINDS
from chessgloss.facts.verdict import mistake_class
from chessgloss.positions import MoveInContext, read_fen, read_move

START = chess.STARTING_FEN
BACK_RANK = "6k1/5ppp/8/8/8/8/q4PPP/3R2K1 w - - 0 1"
MATE_IN_ONE = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"


def analysis(position, *lines, nodes=1_000, engine="Scripted 1") -> Analysis:
    """An analysis from (score, moves) pairs; numbers are centipawns for the side to move."""
    turn = position.turn
    records = tuple(
        Line(tuple(moves.split()), PovScore(Cp(one) if isinstance(one, int) else one, turn), 10)
        for one, moves in lines
    )
    return Analysis(position, records, nodes, engine)


def verdict_on(move: MoveInContext, before, after) -> Verdict:
    return weigh(move, analysis(move.position, *before), analysis(move.after(), *after))


@pytest.fixture
def d4() -> MoveInContext:
    return read_move(read_fen(START), "d4")


def test_a_move_among_the_lines_is_compared_there(d4: MoveInContext):
    found = verdict_on(d4, [(40, "e2e4 e7e5"), (25, "d2d4 d7d5")], [(-90, "g8f6 c2c4")])
    assert (found.loss, found.rank, found.ranked) == (15, 2, 2)
    assert (found.centipawns_before, found.centipawns_after) == (40, 90)
    assert found.played == PovScore(Cp(25), chess.WHITE)
    assert (found.best, found.second, found.second_centipawns) == ("e2e4", "d2d4", 25)
    assert found.lead_of_best == 15
    assert (found.best_line, found.reply) == (("e2e4", "e7e5"), "g8f6")
    assert found.mistake_class == "Good"
    assert (found.engine, found.nodes) == ("Scripted 1", 2_000)


def test_a_move_outside_the_lines_is_compared_by_what_follows(d4: MoveInContext):
    found = verdict_on(d4, [(40, "e2e4"), (35, "g1f3")], [(60, "g8f6")])
    assert (found.loss, found.rank, found.mistake_class) == (100, None, "Mistake")
    assert found.played == found.after == PovScore(Cp(-60), chess.WHITE)


def test_black_sees_the_scores_from_its_own_side():
    move = read_move(read_fen("4k3/8/8/8/8/8/8/R3K3 b - - 0 30"), "Kd7")
    found = verdict_on(move, [(-500, "e8e7 a1a7"), (-520, "e8d7")], [(530, "a1a7")])
    assert found.mover == chess.BLACK
    assert (found.centipawns_before, found.centipawns_after, found.loss) == (-500, -530, 20)
    assert found.before.white() == Cp(500)
    ply = chess.Board(move.position.fen).ply()
    assert found.win_before == win_probability(found.before, ply, chess.BLACK)
    assert found.win_before < 0.01


@pytest.mark.parametrize(
    ("before", "after", "loss"),
    [
        # Mate in three, and the best move keeps it (mate in two after the move).
        ([(Mate(3), "d1d2")], [(Mate(-2), "a2a3")], 0),
        # A slower mate costs a centipawn a move.
        ([(Mate(3), "d1d2")], [(Mate(-5), "a2a3")], 3),
        # A mate given away.
        ([(Mate(1), "d1d2")], [(360, "a2a3")], 9_999 + 360),
        # Walking into mate in two from an even game.
        ([(0, "d1d2")], [(Mate(2), "a2a1")], 9_998),
        # Mated anyway, one move sooner.
        ([(Mate(-3), "d1d2")], [(Mate(2), "a2a1")], 1),
        ([(Mate(-3), "d1d2")], [(Mate(3), "a2a1")], 0),
    ],
)
def test_mates_count_by_their_distance(before, after, loss: int):
    assert verdict_on(read_move(read_fen(BACK_RANK), "h3"), before, after).loss == loss


def test_a_move_that_mates_loses_nothing():
    move = read_move(read_fen(MATE_IN_ONE), "Qxf7#")
    found = verdict_on(move, [(Mate(1), "h5f7"), (300, "c4f7")], [])
    assert (found.loss, found.rank, found.reply, found.win_after) == (0, 1, None, 1.0)
    unranked = verdict_on(move, [(Mate(1), "c4f7")], [])
    assert (unranked.loss, unranked.rank) == (0, None)


def test_classes_are_the_plans():
    losses = (0, 10, 11, 30, 31, 60, 61, 100, 101, 10_359)
    names = ("Excellent", "Good", "Inaccuracy", "Mistake", "Blunder")
    assert [mistake_class(loss) for loss in losses] == [name for name in names for _ in "12"]


def test_analyses_must_belong_to_the_move(d4: MoveInContext):
    before = analysis(d4.position, (40, "e2e4"))
    after = analysis(d4.after(), (0, "g8f6"))
    with pytest.raises(ValueError, match="an analysis of"):
        weigh(d4, after, after)
    with pytest.raises(ValueError, match="an analysis of"):
        weigh(d4, before, before)
    with pytest.raises(ValueError, match="one engine"):
        weigh(d4, before, analysis(d4.after(), (0, "g8f6"), engine="Scripted 2"))
    with pytest.raises(ValueError, match="no line"):
        weigh(d4, analysis(d4.position), after)
    with pytest.raises(ValueError, match="at least 0"):
        mistake_class(-1)


def test_facts_of_a_verdict(d4: MoveInContext):
    before = [(40, "e2e4 e7e5 g1f3"), (25, "d2d4 d7d5")]
    facts = gather(d4, verdict_on(d4, before, [(-20, "g8f6")]))
    told = {(f.kind, f.when): f for f in facts.of(*ENGINE_KINDS)}
    assert {kind for kind, _ in told} == ENGINE_KINDS
    assert {fact.provenance for fact in told.values()} == {"Scripted 1"}
    assert told["best_line", "before"].value == ("e2e4", "e7e5", "g1f3")
    assert {key: fact.text for key, fact in told.items()} == {
        ("centipawn_loss", "move"): "d4 loses 15 centipawns against the engine's best line",
        ("move_rank", "move"): "d4 is the engine's second choice",
        ("mistake", "move"): "by its centipawn loss d4 is a good move",
        ("evaluation", "before"): "the engine puts White at +40 centipawns",
        ("win_probability", "before"): told["win_probability", "before"].text,
        ("best_line", "before"): "the engine's best line is 1. e4 e5 2. Nf3",
        ("evaluation", "after"): "the engine puts White at +20 centipawns",
        ("win_probability", "after"): told["win_probability", "after"].text,
        ("expected_reply", "after"): "the engine expects the reply Nf6",
    }
    chance = told["win_probability", "before"]
    assert isinstance(chance.value, float)
    assert chance.text == f"White has a {100 * chance.value:.0f} % chance to win"


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ([(Mate(1), "d1d8")], [(360, "a2a3")], "h3 lets a forced mate slip"),
        ([(0, "d1d2")], [(Mate(2), "a2a1")], "h3 allows a forced mate"),
        ([(Mate(3), "d1d2")], [(Mate(-5), "a2a3")], "h3 changes the length of the forced mate"),
        ([(1, "d1d2")], [(0, "a2a3")], "h3 loses 1 centipawn against the engine's best line"),
    ],
)
def test_losses_in_words(before, after, text: str):
    move = read_move(read_fen(BACK_RANK), "h3")
    (fact,) = gather(move, verdict_on(move, before, after)).of("centipawn_loss")
    assert fact.text == text


def test_a_verdict_of_the_other_side_is_refused(d4: MoveInContext):
    found = verdict_on(d4, [(40, "e2e4")], [(0, "g8f6")])
    reply = read_move(d4.after(), "Nf6")
    with pytest.raises(ValueError, match="not seen by the side"):
        gather(reply, found)


def test_the_context_carries_the_verdict(d4: MoveInContext):
    found = verdict_on(d4, [(40, "e2e4 e7e5"), (25, "d2d4 d7d5")], [(-20, "g8f6")])
    lines = dict(line.split(": ", 1) for line in linearise(gather(d4, found)).splitlines())
    assert lines["engine"] == "Scripted 1"
    assert (lines["evaluation before"], lines["evaluation after"]) == ("+0.40", "+0.20")
    assert lines["evaluation swing"] == "-0.20"
    assert lines["win chance swing"].startswith("-")
    assert (lines["centipawn loss"], lines["move class"], lines["engine rank"]) == (
        "15",
        "Good",
        "2",
    )
    assert (lines["best line"], lines["expected reply"]) == ("1. e4 e5", "Nf6")


def test_the_context_names_mates():
    move = read_move(read_fen(BACK_RANK), "h3")
    found = verdict_on(move, [(Mate(1), "d1d8")], [(Mate(4), "a2a1")])
    lines = dict(line.split(": ", 1) for line in linearise(gather(move, found)).splitlines())
    assert lines["evaluation before"] == "mates in 1"
    assert lines["evaluation after"] == "is mated in 4"
    assert lines["evaluation swing"] == "NA"
    assert lines["engine rank"] == "not the engine's first choice"


def test_a_summary_is_plain(d4: MoveInContext):
    found = verdict_on(d4, [(40, "e2e4")], [(-20, "g8f6")])
    summary = json.loads(json.dumps(found.summary()))
    assert summary["class"] == "Good"
    assert summary["point_of_view"] == "White"
    assert summary["centipawns_after"] == 20


@pytest.mark.engine
def test_a_real_engine_is_weighed():
    move = read_move(read_fen(BACK_RANK), "h3")
    try:
        engine = open_engine()
    except EngineMissing as error:
        pytest.skip(str(error))
    with engine:
        before = engine.analyse(move.position, nodes=20_000, multipv=5)
        found = weigh(move, before, engine.analyse(move.after(), nodes=20_000))
    assert found.best == "d1d8"
    assert (found.before.relative, found.mistake_class) == (Mate(1), "Blunder")
    assert found.engine.startswith("Stockfish")
    assert found.win_before > 0.99
