import json
from typing import get_args

import chess
import pandas as pd
import pytest
from chess.engine import Cp, Mate, PovScore, Score

from chessgloss.engine import open_engine
from chessgloss.facts import gather, search, weigh
from chessgloss.facts.records import ENGINE_KINDS
from chessgloss.facts.verdict import Standing, judgement_of, mistake_class, standing
from chessgloss.judges.pairwise import linearise
from chessgloss.positions import MoveInContext, read_fen, read_move
from chessgloss.scores import win_probability
from fakes.analyses import analysis, verdict_on
from scripts import DATA, load_script, or_skip, refuses

START = chess.STARTING_FEN
BACK_RANK = "6k1/5ppp/8/8/8/8/q4PPP/3R2K1 w - - 0 1"
STALEMATE = "k7/8/2K5/8/8/8/8/1Q6 w - - 0 1"
MATE_IN_ONE = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"


@pytest.fixture
def d4() -> MoveInContext:
    return read_move(read_fen(START), "d4")


def test_a_move_among_the_lines_is_compared_there(d4):
    before = [(40, "e2e4 e7e5"), (25, "d2d4 d7d5")]
    found = verdict_on(d4, before, [(-90, "g8f6 c2c4")])
    assert found.loss == 15
    assert found.rank == 2
    assert found.mistake_class == "Good"
    assert found.centipawns_before == 40
    assert found.centipawns_after == 90
    assert found.played == PovScore(Cp(25), chess.WHITE)
    assert found.second == "d2d4"
    assert found.second_centipawns == 25
    assert found.best_line == ("e2e4", "e7e5")
    assert found.reply == "g8f6"


def test_a_move_outside_the_lines_is_compared_by_what_follows(d4):
    found = verdict_on(d4, [(40, "e2e4"), (35, "g1f3")], [(60, "g8f6")])
    assert found.loss == 100
    assert found.rank is None
    assert found.mistake_class == "Mistake"
    assert found.played == found.after == PovScore(Cp(-60), chess.WHITE)


def test_black_sees_the_scores_from_its_own_side():
    move = read_move(read_fen("4k3/8/8/8/8/8/8/R3K3 b - - 0 30"), "Kd7")
    before = [(-500, "e8e7 a1a7"), (-520, "e8d7")]
    found = verdict_on(move, before, [(530, "a1a7")])
    assert found.centipawns_before == -500
    assert found.centipawns_after == -530
    assert found.loss == 20
    assert found.before.white() == Cp(500)
    assert found.win_before == win_probability(found.before, 59, chess.BLACK) < 0.01


def score_of(text: str) -> Score:
    """Read centipawns, or the number of moves to mate behind a #."""
    if text.startswith("#"):
        return Mate(int(text[1:]))
    return Cp(int(text))


#: The best score before a move, the score after it for the other side, the loss, and its words.
LOSSES = """
#3 | #-2 | 0 | loses nothing against
#3 | #-5 | 3 | changes the length of the forced mate
#1 | 360 | 10359 | lets a forced mate slip
0 | #2 | 9998 | allows a forced mate
#-3 | #2 | 1 | changes the length of the forced mate
1 | 0 | 1 | loses 1 centipawn against
"""


@pytest.mark.parametrize("row", LOSSES.strip().splitlines())
def test_losses_in_centipawns_and_words(row):
    before, after, loss, text = row.split(" | ")
    move = read_move(read_fen(BACK_RANK), "h3")
    best = (score_of(before), "d1d2")
    told = verdict_on(move, [best], [(score_of(after), "a2a1")])
    (fact,) = gather(move, told).of("centipawn_loss")
    assert fact.value == int(loss)
    assert fact.text.startswith(f"h3 {text}")


#: The best score, the played one, and the judgement.
JUDGED = """
30 80 best
30 -24 good
30 -25 inaccuracy
30 -80 mistake
30 -150 blunder
600 450 good, for the same centipawns weigh less where more is won or lost
-450 -600 good
550 390 good, though an inaccuracy by the curve: one side wins with either move
-390 -550 good
390 300 inaccuracy
#2 1000 good, for a mate is let slip, but much is kept
#2 999 mistake
#2 700 blunder
#2 #-3 blunder
-700 #-3 blunder
-999 #-3 mistake
-1000 #-3 good, for all was lost before the mate
#2 #9 good, for a mate that takes longer, or comes sooner, is the same mate
#-9 #-2 good
"""


@pytest.mark.parametrize("row", JUDGED.strip().splitlines())
@pytest.mark.parametrize("mover", chess.COLORS)
def test_a_move_is_judged_as_by_lichess(row, mover):
    numbers, _, _ = row.partition(",")
    best, played, judgement = numbers.split()
    seen = PovScore(score_of(played), mover)
    other = PovScore(seen.pov(not mover), not mover)
    assert judgement_of(PovScore(score_of(best), mover), seen) == judgement
    assert judgement_of(PovScore(score_of(best), mover), other) == judgement


def test_standings_are_mirror_images():
    names = [name for name in reversed(get_args(Standing)) for _ in "12"]
    edges = [-2_000, -377, -376, -169, -168, -55, -54]
    edges += [-edge for edge in reversed(edges)]
    for edge, name in zip(edges, names, strict=True):
        score = Cp(edge)
        assert standing(PovScore(score, chess.WHITE), chess.WHITE) == name
        assert standing(PovScore(-score, chess.BLACK), chess.WHITE) == name
    mated = PovScore(Mate(-4), chess.BLACK)
    assert standing(mated, chess.WHITE) == "winning"


@pytest.mark.parametrize("row", ["30 -80 !", "30 -50 ", "-200 -900 !", "-400 #-1 "])
def test_praise_is_for_the_only_good_move(d4, row):
    best, second, glyph = row.split(" ")
    lines = [(score_of(best), "d2d4"), (score_of(second), "e2e4")]
    after = [(-score_of(best), "g8f6")]
    found = verdict_on(d4, lines, after)
    assert found.judgement == "best"
    assert found.glyph == glyph
    assert verdict_on(d4, lines[:1], after).glyph == ""


@pytest.mark.parametrize(
    ("fen", "san"),
    [
        ("4k3/8/8/8/8/8/4r3/R3K3 w - - 0 1", "Kxe2"),  # a rook for nothing
        ("4k3/8/8/8/8/4r3/8/R3K3 w - - 0 1", "Kf2"),  # out of check
    ],
)
def test_what_finds_itself_earns_no_praise(fen, san):
    move = read_move(read_fen(fen), san)
    before = [(500, move.uci), (-500, "a1a2")]
    found = verdict_on(move, before, [(-500, "e8e7")])
    assert found.obvious
    assert found.judgement == "best"
    assert found.glyph == ""


@pytest.mark.parametrize(
    ("fen", "san", "best", "after", "expected"),
    [
        # Mate on the board: the best move, whatever its rank.
        (MATE_IN_ONE, "Qxf7#", (Mate(1), "c4f7"), [], "best winning 0.0"),
        # Stalemate instead of a win.
        (STALEMATE, "Qb6", (900, "b1b2"), [], "blunder equal 0.4649"),
    ],
)
def test_verdicts_beside_the_end_of_a_game(fen, san, best, after, expected):
    found = verdict_on(read_move(read_fen(fen), san), [best], after)
    lost = round(found.win_chance_lost, 4)
    assert f"{found.judgement} {found.standing} {lost}" == expected


def test_analyses_must_belong_to_the_move(d4):
    before = analysis(d4.position, (40, "e2e4"))
    after = analysis(d4.after(), (0, "g8f6"))
    stranger = analysis(d4.after(), (0, "g8f6"), engine="Scripted 2")
    refuses(ValueError, "an analysis of", weigh, d4, after, after)
    refuses(ValueError, "an analysis of", weigh, d4, before, before)
    refuses(ValueError, "one engine", weigh, d4, before, stranger)
    refuses(ValueError, "no line", weigh, d4, analysis(d4.position), after)
    refuses(ValueError, "at least 0", mistake_class, -1)
    reply = read_move(d4.after(), "Nf6")
    refuses(ValueError, "not seen by", gather, reply, weigh(d4, before, after))


def test_facts_of_a_verdict(d4):
    before = [(40, "e2e4 e7e5 g1f3"), (25, "d2d4 d7d5")]
    told = gather(d4, verdict_on(d4, before, [(-20, "g8f6")])).of(*ENGINE_KINDS)
    assert {fact.kind for fact in told} == ENGINE_KINDS
    assert {fact.provenance for fact in told} == {"Scripted 1"}
    assert {
        "d4 is the engine's second choice",
        "the engine's best line is 1. e4 e5 2. Nf3",
        "the engine puts White at +40 centipawns",
        "White has a 6 % chance to win",
        "the engine expects the reply Nf6",
    } <= {fact.text for fact in told}


def test_the_context_carries_the_verdict():
    move = read_move(read_fen(BACK_RANK), "h3")
    told = verdict_on(move, [(Mate(1), "d1d8")], [(Mate(4), "a2a1")])
    assert {
        "evaluation after: is mated in 4",
        "evaluation swing: NA",
        "best line: 1. Rd8#",
        "engine rank: not the engine's first choice",
    } <= {*linearise(gather(move, told)).splitlines()}


def test_a_summary_is_plain(d4):
    told = verdict_on(d4, [(20, "e2e4")], [(-20, "g8f6")]).summary()
    summary = json.loads(json.dumps(told))
    assert summary["judgement"] == "best"
    assert summary["mate_after"] is None
    assert summary["point_of_view"] == "White"
    assert summary["centipawns_after"] == 20


class ScriptedSearch:
    """Analyses by position: centipawns for the side to move by search; others are even."""

    def __init__(self, *moves: MoveInContext, **centipawns: list[int]):
        self.asked: list[tuple[int, int, int]] = []
        self.centipawns = {move.after().fen: centipawns[move.san] for move in moves}

    def __call__(self, positions, nodes, lines):
        self.asked.append((nodes, len(positions), lines))
        return [self.analyse(position, nodes, lines) for position in positions]

    def analyse(self, position, nodes, lines):
        value = self.centipawns.get(position.fen, [0] * 9)[len(self.asked) - 1]
        moves = sorted(map(chess.Move.uci, position.board().legal_moves))[:lines]
        return analysis(position, *((value, move) for move in moves), nodes=nodes)


def test_a_move_is_searched_until_searches_running_agree(d4):
    e4 = read_move(d4.position, "e4")
    scripted = ScriptedSearch(d4, e4, d4=[10] * 9, e4=[10, 200, 10, 10, 0])
    found = search([d4, e4], scripted, (100, 6_400))
    # The position before both is searched once; from the third search on, d4 is done. Five lines
    # of all come last.
    assert scripted.asked == [
        (100, 3, 1),
        (200, 3, 1),
        (400, 2, 1),
        (800, 2, 1),
        (1_600, 3, 5),
    ]
    nodes = [(before.nodes, after.nodes) for before, after in found]
    assert nodes == [(200 + 1_600,) * 2, (800 + 1_600,) * 2]
    assert weigh(e4, *found[1]).judgement == "good"


def test_the_longest_search_ends_it(d4):
    for limits, nodes in (((100, 500), 400), ((300, 300), 300), ((100, 800), 800)):
        scripted = ScriptedSearch(d4, d4=[10, 200, 10, 200, 0])
        search([d4], scripted, limits)
        assert max(asked[0] for asked in scripted.asked) == nodes
    assert search([], scripted) == []


@pytest.mark.parametrize(("lost", "settled"), [(30, 200), (60, 800)])
def test_what_lies_near_a_bound_is_searched_on(d4, lost, settled):
    scripted = ScriptedSearch(
        d4, d4=[lost] * 9
    )  # 60 centipawns are 5.5 points of the chance
    search([d4], scripted, (100, 800))
    assert scripted.asked[-2][0] == settled


def test_the_standing_and_the_searches_before_and_after_must_be_stable_too(d4):
    scripted = ScriptedSearch(d4, d4=[0] * 9)
    scripted.centipawns[d4.position.fen] = [0, 60, 60, 60]
    scripted.centipawns[d4.after().fen] = [0, -60, -60, 0]
    search([d4], scripted, (100, 6_400))
    assert scripted.asked[-2][0] == 400

    def answered_late(position, nodes, lines):
        answer = (200 if nodes < 800 else -30, "d7d5")
        line = (30, "d2d4") if position == d4.position else answer
        return analysis(position, line, nodes=nodes)

    scripted.analyse = answered_late
    search([d4], scripted, (100, 6_400))  # d4 stays best, then it is answered
    assert scripted.asked[-2][0] == 800


def test_lines_of_the_last_search_rank_below_what_is_settled(d4):
    def analyse(positions, nodes, lines):
        before = [
            (20, "e2e4"),
            (90, "g1f3"),
            (-40, "d2d4"),
            (-60, "a2a3"),
        ]
        after = [(-15, "d7d5 c2c4"), (-99, "a7a6")]
        if lines == 1:
            before = [(50, "c2c4 e7e5")]
            after = [(-40, "g8f6 c2c4")]
        given = {d4.position: before, d4.after(): after}
        return [analysis(each, *given[each], nodes=nodes) for each in positions]

    def told(searched):
        pairs = ((line.moves[0], line.score.relative) for line in searched.lines)
        return [f"{move} {score.score()}" for move, score in pairs]

    ((before, after),) = search([d4], analyse, (100, 400))
    assert told(before) == ["c2c4 50", "g1f3 50", "d2d4 40", "e2e4 20", "a2a3 -60"]
    assert told(after) == ["g8f6 -40", "d7d5 -40", "a7a6 -99"]
    verdict = weigh(d4, before, after)
    assert verdict.loss == 10
    assert verdict.rank == 3
    assert verdict.reply == "g8f6"


def test_a_game_that_ends_with_the_move_is_stable():
    mate = read_move(read_fen(MATE_IN_ONE), "Qxf7#")

    def analyse(positions, nodes, lines):
        line = (Mate(1), "h5f7")
        made = {mate.position: analysis(mate.position, line, nodes=nodes)}
        return [made.get(each, analysis(each)) for each in positions]

    ((before, after),) = search([mate], analyse, (100, 6_400))
    assert before.nodes == 200 + 1_600
    assert after.lines == ()


@pytest.mark.engine
def test_a_few_of_them_are_found_again():
    script = load_script("notes/verdicts.py")
    table = DATA / "notes" / "verdicts.tsv"
    quick = pd.read_csv(table, sep="\t").query("nodes < 410_000")[:2]
    moves = script.rest()
    assert len(quick) == 2
    with or_skip(open_engine) as engine:
        for row in quick.itertuples():
            again = script.stable(engine, moves[row.game, row.ply])
            assert again[0] == row.judgement
            assert again[1:] == pytest.approx(
                [row.lost, row.score, row.nodes, row.depth]
            )
