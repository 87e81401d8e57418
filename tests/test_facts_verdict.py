import json
from typing import get_args

import chess
import pandas as pd
import pytest
from chess.engine import Cp, Mate, MateGiven, PovScore

from chessgloss.engine import open_engine
from chessgloss.facts import gather, search, weigh
from chessgloss.facts.records import ENGINE_KINDS
from chessgloss.facts.verdict import Standing, judgement_of, mistake_class, standing
from chessgloss.judges.pairwise import linearise
from chessgloss.positions import MoveInContext, read_fen, read_move
from chessgloss.scores import centipawns, win_probability
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
    found = verdict_on(d4, [(40, "e2e4 e7e5"), (25, "d2d4 d7d5")], [(-90, "g8f6 c2c4")])
    assert (found.loss, found.rank, found.ranked) == (15, 2, 2)
    assert (found.centipawns_before, found.centipawns_after) == (40, 90)
    assert found.played == PovScore(Cp(25), chess.WHITE)
    assert (found.second, found.second_centipawns) == ("d2d4", 25)
    assert (found.best, found.best_line, found.reply) == (
        "e2e4",
        ("e2e4", "e7e5"),
        "g8f6",
    )
    assert (found.mistake_class, found.engine, found.nodes) == (
        "Good",
        "Scripted 1",
        2_000,
    )


def test_a_move_outside_the_lines_is_compared_by_what_follows(d4):
    found = verdict_on(d4, [(40, "e2e4"), (35, "g1f3")], [(60, "g8f6")])
    assert (found.loss, found.rank, found.mistake_class) == (100, None, "Mistake")
    assert found.played == found.after == PovScore(Cp(-60), chess.WHITE)


def test_black_sees_the_scores_from_its_own_side():
    move = read_move(read_fen("4k3/8/8/8/8/8/8/R3K3 b - - 0 30"), "Kd7")
    found = verdict_on(move, [(-500, "e8e7 a1a7"), (-520, "e8d7")], [(530, "a1a7")])
    assert found.mover == chess.BLACK
    assert (found.centipawns_before, found.centipawns_after, found.loss) == (
        -500,
        -530,
        20,
    )
    assert found.before.white() == Cp(500)
    assert found.win_before == win_probability(found.before, 59, chess.BLACK) < 0.01


@pytest.mark.parametrize(
    ("before", "after", "loss", "text"),
    [
        # Mate in three, and the best move keeps it (mate in two after the move); a slower one.
        (
            [(Mate(3), "d1d2")],
            [(Mate(-2), "a2a3")],
            0,
            "loses nothing against the engine's best line",
        ),
        (
            [(Mate(3), "d1d2")],
            [(Mate(-5), "a2a3")],
            3,
            "changes the length of the forced mate",
        ),
        # Mate given away, and allowed from an even game; mated anyway, one move sooner or not.
        ([(Mate(1), "d1d2")], [(360, "a2a3")], 9_999 + 360, "lets a forced mate slip"),
        ([(0, "d1d2")], [(Mate(2), "a2a1")], 9_998, "allows a forced mate"),
        (
            [(Mate(-3), "d1d2")],
            [(Mate(2), "a2a1")],
            1,
            "changes the length of the forced mate",
        ),
        (
            [(Mate(-3), "d1d2")],
            [(Mate(3), "a2a1")],
            0,
            "loses nothing against the engine's best line",
        ),
        (
            [(1, "d1d2")],
            [(0, "a2a3")],
            1,
            "loses 1 centipawn against the engine's best line",
        ),
    ],
)
def test_losses_in_centipawns_and_words(before, after, loss, text):
    move = read_move(read_fen(BACK_RANK), "h3")
    (fact,) = gather(move, verdict_on(move, before, after)).of("centipawn_loss")
    assert (fact.value, fact.text) == (loss, f"h3 {text}")


@pytest.mark.parametrize(
    ("best", "played", "judgement"),
    [
        (Cp(30), Cp(30), "best"),
        (Cp(30), Cp(80), "best"),
        (Cp(30), Cp(-24), "good"),
        (Cp(30), Cp(-25), "inaccuracy"),
        (Cp(30), Cp(-80), "mistake"),
        (Cp(30), Cp(-150), "blunder"),
        # The same centipawns weigh less where more is won or lost.
        (Cp(600), Cp(450), "good"),
        (Cp(-450), Cp(-600), "good"),
        # Inaccuracies by the curve, but one side wins with either move.
        (Cp(550), Cp(390), "good"),
        (Cp(-390), Cp(-550), "good"),
        (Cp(390), Cp(300), "inaccuracy"),
        (Cp(900), Cp(500), "mistake"),
        # Mates let slip and allowed, by what is kept or was lost before.
        (Mate(2), Cp(1_000), "good"),
        (Mate(2), Cp(999), "mistake"),
        (Mate(2), Cp(700), "blunder"),
        (Mate(2), Cp(0), "blunder"),
        (Mate(2), Mate(-3), "blunder"),
        (Cp(0), Mate(-3), "blunder"),
        (Cp(-700), Mate(-3), "blunder"),
        (Cp(-999), Mate(-3), "mistake"),
        (Cp(-1_000), Mate(-3), "good"),
        # A mate that takes longer, or comes sooner, is the same mate.
        (Mate(2), Mate(9), "good"),
        (Mate(-9), Mate(-2), "good"),
        (Mate(-3), Mate(-3), "best"),
        (Cp(300), Mate(2), "best"),
        (Mate(1), MateGiven, "best"),
    ],
)
@pytest.mark.parametrize("mover", [chess.WHITE, chess.BLACK])
def test_a_move_is_judged_as_by_lichess(best, played, judgement, mover):
    scores = PovScore(best, mover), PovScore(played, mover)
    assert judgement_of(*scores) == judgement
    assert (
        judgement_of(scores[0], PovScore(scores[1].pov(not mover), not mover))
        == judgement
    )


def test_standings_are_mirror_images():
    names = get_args(Standing)
    edges = [
        -2_000,
        -377,
        -376,
        -169,
        -168,
        -55,
        -54,
        54,
        55,
        168,
        169,
        376,
        377,
        2_000,
    ]
    words = [standing(PovScore(Cp(value), chess.WHITE), chess.WHITE) for value in edges]
    assert words == [name for name in reversed(names) for _ in "12"]
    turned = [
        standing(PovScore(Cp(-value), chess.BLACK), chess.WHITE) for value in edges
    ]
    assert (turned, standing(PovScore(Mate(-4), chess.BLACK), chess.WHITE)) == (
        words,
        "winning",
    )


@pytest.mark.parametrize(
    ("best", "second", "glyph"),
    [
        (30, -80, "!"),
        (30, -50, ""),
        (500, 450, ""),
        (-200, -900, "!"),
        (-400, Mate(-1), ""),
    ],
)
def test_praise_is_for_the_only_good_move(d4, best, second, glyph):
    found = verdict_on(d4, [(best, "d2d4"), (second, "e2e4")], [(-best, "g8f6")])
    assert (found.judgement, found.glyph) == ("best", glyph)
    assert verdict_on(d4, [(best, "d2d4")], [(-best, "g8f6")]).glyph == ""


@pytest.mark.parametrize(
    ("fen", "san"),
    [
        ("4k3/8/8/8/8/8/4r3/R3K3 w - - 0 1", "Kxe2"),  # a rook for nothing
        ("4k3/8/8/8/8/4r3/8/R3K3 w - - 0 1", "Kf2"),  # out of check
    ],
)
def test_what_finds_itself_earns_no_praise(fen, san):
    move = read_move(read_fen(fen), san)
    other = next(
        m.uci() for m in move.position.board().legal_moves if m.uci() != move.uci
    )
    found = verdict_on(move, [(500, move.uci), (-500, other)], [(-500, "e8e7")])
    assert (found.obvious, found.judgement, found.glyph) == (True, "best", "")


@pytest.mark.parametrize(
    ("fen", "san", "before", "after", "expected"),
    [
        # Mate on the board: the best move, whatever its rank.
        (MATE_IN_ONE, "Qxf7#", [(Mate(1), "c4f7")], [], ("best", "winning", 0.0)),
        (
            MATE_IN_ONE,
            "Nf3",
            [(Mate(1), "h5f7")],
            [(-40, "g7g6")],
            ("blunder", "equal", 0.4387),
        ),
        # Stalemate instead of a win.
        (STALEMATE, "Qb6", [(900, "b1b2")], [], ("blunder", "equal", 0.4649)),
        # Lost with any move, whether mated or not.
        (
            "7k/8/6q1/8/8/8/r7/5K2 w - - 0 1",
            "Ke1",
            [(Mate(-2), "f1e1")],
            [(Mate(2), "g6g1")],
            ("best", "losing", 0.0),
        ),
    ],
)
def test_verdicts_beside_the_end_of_a_game(fen, san, before, after, expected):
    found = verdict_on(read_move(read_fen(fen), san), before, after)
    assert (
        found.judgement,
        found.standing,
        round(found.win_chance_lost, 4),
    ) == expected


def test_analyses_must_belong_to_the_move(d4):
    before = analysis(d4.position, (40, "e2e4"))
    after = analysis(d4.after(), (0, "g8f6"))
    stranger = analysis(d4.after(), (0, "g8f6"), engine="Scripted 2")
    ended = analysis(d4.position)
    wrong = [
        (after, after, "an analysis of"),
        (before, before, "an analysis of"),
        (before, stranger, "one engine"),
        (ended, after, "no line"),
    ]
    for *pair, problem in wrong:
        refuses(ValueError, problem, weigh, d4, *pair)
    refuses(ValueError, "at least 0", mistake_class, -1)
    with pytest.raises(ValueError, match="not seen by the side"):
        gather(read_move(d4.after(), "Nf6"), weigh(d4, before, after))


def test_facts_of_a_verdict(d4):
    before = [(40, "e2e4 e7e5 g1f3"), (25, "d2d4 d7d5")]
    facts = gather(d4, verdict_on(d4, before, [(-20, "g8f6")]))
    told = facts.of(*ENGINE_KINDS)
    assert {fact.kind for fact in told} == ENGINE_KINDS
    assert {fact.provenance for fact in told} == {"Scripted 1"}
    (line,) = facts.of("best_line")
    assert line.value == ("e2e4", "e7e5", "g1f3")
    assert {
        "d4 loses 15 centipawns against the engine's best line",
        "d4 is the engine's second choice",
        "by its centipawn loss d4 is a good move",
        "the engine's best line is 1. e4 e5 2. Nf3",
        "the engine puts White at +40 centipawns",
        "the engine puts White at +20 centipawns",
        "White has a 6 % chance to win",
        "the engine expects the reply Nf6",
    } <= {fact.text for fact in told}


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            [(40, "d1c1 g7g6"), (25, "h2h3")],
            [(-20, "a2a1")],
            {
                "engine: Scripted 1",
                "evaluation before: +0.40",
                "evaluation after: +0.20",
                "evaluation swing: -0.20",
                "centipawn loss: 15",
                "move class: Good",
                "engine rank: 2",
                "best line: 1. Rc1 g6",
                "expected reply: Qa1",
            },
        ),
        (
            [(Mate(1), "d1d8")],
            [(Mate(4), "a2a1")],
            {
                "evaluation before: mates in 1",
                "evaluation after: is mated in 4",
                "evaluation swing: NA",
                "best line: 1. Rd8#",
                "engine rank: not the engine's first choice",
            },
        ),
    ],
)
def test_the_context_carries_the_verdict(before, after, said):
    move = read_move(read_fen(BACK_RANK), "h3")
    assert said <= {
        *linearise(gather(move, verdict_on(move, before, after))).splitlines()
    }


def test_a_summary_is_plain(d4):
    summary = json.loads(
        json.dumps(verdict_on(d4, [(20, "e2e4")], [(-20, "g8f6")]).summary())
    )
    known = {
        "judgement": "best",
        "glyph": "",
        "standing": "equal",
        "depth": 10,
        "mate_after": None,
    }
    known |= {"point_of_view": "White", "centipawns_after": 20, "win_chance_lost": 0.0}
    assert known.items() <= summary.items()


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
    doubled = [(100, 3, 1), (200, 3, 1), (400, 2, 1), (800, 2, 1)]
    assert scripted.asked == [*doubled, (1_600, 3, 5)]
    assert [(before.nodes, after.nodes) for before, after in found] == [
        (200 + 1_600,) * 2,
        (800 + 1_600,) * 2,
    ]
    assert [weigh(d4, *found[0]).judgement, weigh(e4, *found[1]).judgement] == [
        "good",
        "good",
    ]


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
    assert [nodes for nodes, _, lines in scripted.asked if lines == 1] == [
        100,
        200,
        400,
    ]

    def answered_late(position, nodes, lines):
        after = (200 if nodes < 800 else -30, "d7d5")
        return analysis(
            position, (30, "d2d4") if position == d4.position else after, nodes=nodes
        )

    scripted.analyse = answered_late
    scripted.asked.clear()
    search([d4], scripted, (100, 6_400))  # d4 stays best, then it is answered
    assert scripted.asked[-2][0] == 800


def test_lines_of_the_last_search_rank_below_what_is_settled(d4):
    def analyse(positions, nodes, lines):
        before = [(20, "e2e4"), (90, "g1f3"), (-40, "d2d4"), (-60, "a2a3")]
        after = [(-15, "d7d5 c2c4"), (-99, "a7a6")]
        if lines == 1:
            before = [(50, "c2c4 e7e5")]
            after = [(-40, "g8f6 c2c4")]
        given = {d4.position: before, d4.after(): after}
        return [
            analysis(position, *given[position], nodes=nodes) for position in positions
        ]

    ((before, after),) = search([d4], analyse, (100, 400))
    assert [
        (line.moves[0], centipawns(line.score, chess.WHITE)) for line in before.lines
    ] == [("c2c4", 50), ("g1f3", 50), ("d2d4", 40), ("e2e4", 20), ("a2a3", -60)]
    assert [
        (line.moves, centipawns(line.score, chess.BLACK)) for line in after.lines
    ] == [(("g8f6", "c2c4"), -40), (("d7d5", "c2c4"), -40), (("a7a6",), -99)]
    verdict = weigh(d4, before, after)
    assert (verdict.loss, verdict.rank, verdict.reply) == (10, 3, "g8f6")


def test_a_game_that_ends_with_the_move_is_stable():
    mate = read_move(read_fen(MATE_IN_ONE), "Qxf7#")

    def analyse(positions, nodes, lines):
        mates = {mate.position.fen: [(Mate(1), "h5f7")]}
        return [
            analysis(each, *mates.get(each.fen, []), nodes=nodes) for each in positions
        ]

    ((before, after),) = search([mate], analyse, (100, 6_400))
    assert (before.nodes, after.lines) == (200 + 1_600, ())


@pytest.mark.engine
def test_a_few_of_them_are_found_again():
    script = load_script("notes/verdicts.py")
    table = DATA / "notes" / "verdicts.tsv"
    quick = pd.read_csv(table, sep="\t").query("nodes < 410_000")[:4]
    moves = script.rest()
    assert len(quick) == 4
    with or_skip(open_engine) as engine:
        for row in quick.itertuples():
            again = script.stable(engine, moves[row.game, row.ply])
            assert again[0] == row.judgement
            assert again[1:] == pytest.approx(
                [row.lost, row.score, row.nodes, row.depth]
            )
