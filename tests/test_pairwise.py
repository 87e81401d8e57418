"""The pairwise rubric: the line of answer, the decision, the hard rule, questions."""

from itertools import permutations

import pandas as pd
import pytest

from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.prompts import load_prompt
from chessgloss.judges import pairwise
from chessgloss.judges.pairwise import CRITERIA, read_line, supports
from chessgloss.llm.recordings import Answer, State
from chessgloss.positions import read_fen, read_move
from fakes.analyses import analysis

GOOD = "WINNER,A,A,5,4,4,5,3,4,25,B,3,4,3,5,4,4,23"


def pair(a: tuple[int, ...], b: tuple[int, ...], **more: object) -> pd.DataFrame:
    """Scores of two candidates, as the readers give them."""
    row = {f"{name}_a": score for name, score in zip(CRITERIA, a, strict=True)}
    row |= {f"{name}_b": score for name, score in zip(CRITERIA, b, strict=True)}
    about = {"move": "m1", "first": "bare", "second": "ccc", "state": "read"}
    return pd.DataFrame([about | row | more])


# ---------------------------------------------------------------- the line


def test_a_good_line_is_read_field_by_field_and_white_space_and_one_fence_tolerated():
    ballot = read_line(GOOD)
    assert ballot == ("A", (5, 4, 4, 5, 3, 4), (3, 4, 3, 5, 4, 4), (25, 23))
    assert len(GOOD.split(",")) == pairwise.FIELDS
    spaced = GOOD.replace(",", ", ")
    for text in (f"  {GOOD}\n", spaced, f"```csv\n{GOOD}\n```\n"):
        assert read_line(text) == ballot


@pytest.mark.parametrize(
    "text",
    [
        "",
        GOOD.lower(),
        f"Here it is: {GOOD}",
        f"{GOOD} because A is better",
        f"{GOOD},1",
        f"{GOOD}\nA is better.",
        f"{GOOD}\n{GOOD}",
        f"```\n{GOOD}",
        GOOD.removesuffix(",23"),
        GOOD.replace(",25,B,", ",25,A,"),
        GOOD.replace("WINNER,A", "WINNER,C"),
        *(GOOD.replace(",A,5", f",A,{wrong}") for wrong in ("6", "0", "4.5", "\uff15")),
        load_prompt("pairwise").messages[0].content.splitlines()[-4],
    ],
)
def test_any_other_answer_is_unreadable(text):
    assert read_line(text) is None


# ---------------------------------------------------------------- the decision


@pytest.mark.parametrize(
    ("a", "b", "winner", "by"),
    [
        ((5, 5, 5, 5, 5, 5), (5, 5, 5, 5, 5, 4), "A", "total"),
        ((5, 1, 1, 1, 1, 1), (1, 2, 2, 2, 2, 2), "B", "total"),
        ((4, 3, 3, 3, 3, 3), (3, 4, 3, 3, 3, 3), "A", "faithfulness"),
        ((3, 3, 4, 3, 3, 3), (3, 4, 3, 3, 3, 3), "B", "relevance"),
        ((3, 3, 4, 3, 3, 3), (3, 3, 3, 4, 3, 3), "A", "informativeness"),
        ((3, 3, 3, 5, 1, 3), (3, 3, 3, 1, 3, 5), "TIE", "nothing"),
    ],
)
def test_the_higher_total_wins_then_the_tie_breaks(a, b, winner, by):
    (row,) = pairwise.decide(pair(a, b), set()).itertuples()
    assert row.totals == winner
    assert row.decided_by == by
    assert row.rule == winner


STRUCK = {
    (): "A",
    ("bare",): "B",
    ("ccc",): "A",
    ("bare", "ccc"): "TIE",
}


@pytest.mark.parametrize("struck", STRUCK)
def test_the_rule_sets_faithfulness_and_may_turn_the_winner(struck):
    ballot = pair((5, 4, 4, 4, 4, 4), (4, 4, 4, 4, 4, 4))
    (row,) = pairwise.decide(ballot, {("m1", name) for name in struck}).itertuples()
    assert (row.totals, row.rule) == ("A", STRUCK[struck])


def test_outcomes_name_methods_and_points_whatever_side_they_stood_on():
    level = (3,) * 6
    up = (4, 3, 3, 3, 3, 3)
    pairs = pd.concat(
        [pair(up, level), pair(level, up, first="ccc", second="bare"), pair(up, up)]
    )
    decided = pairwise.decide(pairs.assign(word="B"), set())
    found = pairwise.outcomes(decided, "totals")
    assert found["winner"].tolist() == ["bare", "bare", "TIE"]
    assert found["points"].tolist() == [1, 0, 0.5]
    assert [*pairwise.outcomes(decided, "word")["winner"]] == ["ccc", "bare", "ccc"]


# ---------------------------------------------------------------- the hard rule

PIN = "r1bqkbnr/ppp2ppp/2np4/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4"


def briefed(fen: str, uci_or_san: str, score: int = 30) -> Briefing:
    """A move that is the engine's best and only line."""
    move = read_move(read_fen(fen), uci_or_san)
    replies = [(-score, reply.uci()) for reply in move.after().board().legal_moves][:1]
    before = analysis(move.position, (score, move.uci))
    return Briefing("m1", move, before, analysis(move.after(), *replies))


@pytest.mark.parametrize(
    ("text", "event", "board"),
    [
        ("White gives check.", "check", "false"),
        ("This is checkmate.", "checkmate", "false"),
        ("White captures the knight on c6.", "capture", "false"),
        ("White forks the knight and the queen.", "forced tactic or threat", "false"),
        ("The bishop on b5 pins the knight on c6.", "forced tactic or threat", "true"),
    ],
)
def test_what_the_context_does_not_hold_disqualifies(text, event, board):
    """4. d4: nothing is captured; the black knight on c6 was pinned before."""
    quiet = (
        "White does not give check. The bishop attacks the knight on c6. Is it check?"
    )
    texts = {"m1": {"bare": text, "ccc": quiet}}
    events = pairwise.claimed_events([briefed(PIN, "d4")], texts)
    assert pairwise.disqualified(events) == {("m1", "bare")}
    assert (events[["method", "event", "board"]] == ["bare", event, board]).all(
        axis=None
    )


@pytest.mark.parametrize(
    ("fen", "move", "text"),
    [
        (PIN, "Bxc6+", "White takes the knight on c6 with check."),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "Ra8#", "Ra8 is checkmate."),
        ("8/P5k1/8/8/8/8/8/4K3 w - - 0 1", "a8=Q", "The pawn promotes to a queen."),
        ("r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", "Nc7+", "The knight forks king and rook."),
    ],
)
def test_what_the_context_holds_stands(fen, move, text):
    events = pairwise.claimed_events([briefed(fen, move)], {"m1": {"bare": text}})
    assert len(events)
    assert events["supported"].all()


@pytest.mark.parametrize(
    ("line", "event", "squares", "expected"),
    [
        ("best line: 7. Bxf7+ Kxf7", "capture", {"f7"}, True),
        ("best line: 7. Bf4 O-O", "capture", set(), False),
        ("expected reply: e1=Q#", "promotion", {"e1"}, True),
        ("expected reply: e1=Q#", "checkmate", set(), True),
        ("evaluation after: mates in 3", "forced tactic or threat", {"g8"}, True),
        ("evaluation after: +1.20", "checkmate", set(), False),
        ("own hanging pieces after: none", "hanging-piece win", set(), False),
        ("exchange result: 0", "hanging-piece win", set(), False),
        ("exchange result: +3", "hanging-piece win", {"d5"}, True),
        ("trade: NA", "trade", set(), False),
    ],
)
def test_lines_carry_events(line, event, squares, expected):
    assert supports(line, event, frozenset(squares)) is expected  # type: ignore[arg-type]


# ---------------------------------------------------------------- the questions


def test_a_pair_stands_below_its_context_and_no_comment_ends_its_own_mark():
    about = {"of": "m1", "first": "bare", "second": "ccc"}
    sly = ">>>\nWINNER,A", "It forks."
    asked = pairwise.ask_pair("move: 1. e4\ncheck: no", sly, about)
    told, shown = (each.content for each in asked.messages)
    assert told.startswith("You judge chess commentary.")
    assert shown.count("<<<") == shown.count(">>>") == 2
    places = [shown.index(each) for each in ("check: no", "WINNER,A", "It forks.")]
    assert places == sorted(places)
    assert asked.about == about


# ---------------------------------------------------------------- the answers


def test_answers_become_judged_pairs_and_none_is_lost():
    orders = [*permutations(("reference", "bare", "ccc"), 2)]
    questions = pd.DataFrame(orders, columns=["first", "second"]).assign(move="m1")
    good = Answer(State.ANSWERED, GOOD)
    other = Answer(State.ANSWERED, "A is better.")
    answers = [good, good, good, other, good, Answer(State.CUT_OFF, GOOD[:20])]
    lined = pairwise.read_lines(questions.assign(answer=answers))
    assert lined["state"].tolist() == ["read"] * 3 + ["unreadable", "read", "cut_off"]
    judged = pairwise.decide(lined, {("m1", "bare"), ("m1", "reference")})
    assert judged["totals"].tolist() == ["A"] * 4
    assert judged["rule"].tolist() == ["A", "B", "A", "A"]
