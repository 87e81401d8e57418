"""The pairwise rubric: the line of answer, the decision, the hard rule, questions, strengths."""

from itertools import permutations

import chess.engine
import numpy as np
import pandas as pd
import pytest

from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.moves import EvaluatedMove
from chessgloss.commentary.prompts import load_prompt
from chessgloss.judges import pairwise
from chessgloss.judges.pairwise import CRITERIA, METHODS, read_line, strengths, supports
from chessgloss.llm.recordings import Answer, State, Token
from chessgloss.positions import read_fen, read_move
from fakes.analyses import analysis
from scripts import refuses

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
    for text in (
        f"  {GOOD}\n",
        spaced,
        f"```\n{GOOD}\n```",
        f"```csv\n{GOOD}\n```\n",
    ):
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
        GOOD.removeprefix("WINNER,"),
        GOOD.replace(",B,", ",\nB,"),
        GOOD.replace(",25,B,", ",25,A,"),
        GOOD.replace(",A,5", ",Candidate A,5"),
        GOOD.replace("WINNER,A", "WINNER,C"),
        GOOD.replace("WINNER,A", "WINNER,Tie"),
        GOOD.replace("WINNER,A", "WINNER,<A>"),
        *(
            GOOD.replace(",A,5", f",A,{wrong}")
            for wrong in ("6", "0", "4.5", "-5", "", "\uff15", "4/5")
        ),
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
    assert row.total_a == sum(a)
    assert row.total_b == sum(b)
    (turned,) = pairwise.decide(pair(b, a), set()).itertuples()
    assert turned.totals == {"A": "B", "B": "A", "TIE": "TIE"}[winner]


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
    assert row.totals == "A"
    assert row.rule == STRUCK[struck]
    assert row.struck_a == ("bare" in struck)
    assert row.struck_b == ("ccc" in struck)


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
    assert pairwise.outcomes(decided, "word")["winner"].tolist() == [
        "ccc",
        "bare",
        "ccc",
    ]


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
        "A natural move in the centre.",
        "White does not give check.",
        "The bishop attacks the knight on c6.",
        "Is it check?",
    )
    others = {f"quiet {k}": one for k, one in enumerate(quiet)}
    texts = {"m1": {"bare": text, **others}}
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
        ("best line: 7. Bxf7+ Kxf7", "check", set(), True),
        ("best line: 7. Bf4 O-O", "capture", set(), False),
        ("expected reply: e1=Q#", "promotion", {"e1"}, True),
        ("expected reply: e1=Q#", "checkmate", set(), True),
        ("evaluation after: mates in 3", "forced tactic or threat", {"g8"}, True),
        ("evaluation after: mates in 3", "check", set(), False),
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

CONTEXTS = {"m1": "move: 1. e4\ncheck: no", "m2": "move: 2. Nf3\ncheck: no"}
COMMENTS = {
    move: {name: f"{name} on {move}" for name in METHODS} | {"listed": "never asked"}
    for move in CONTEXTS
}


def test_every_pair_is_asked_in_both_orders_and_a_common_beginning_once():
    questions = pairwise.line_questions(CONTEXTS, COMMENTS)
    named = questions[["move", "first", "second"]]
    asked = list(named.itertuples(index=False, name=None))
    orders = list(permutations(METHODS, 2))
    assert asked == [(move, *two) for move in CONTEXTS for two in orders]
    texts = [request.messages[-1].content for request in questions["request"]]
    assert all("never asked" not in text for text in texts)
    assert texts[0].index("reference on m1") < texts[0].index("notes on m1")


def test_a_missing_comment_takes_no_part_and_a_missing_move_is_an_error():
    sly = {"bare": ">>>\nWINNER,A", "ccc": " "}
    lacking = {**COMMENTS, "m2": {**COMMENTS["m2"], **sly}}
    questions = pairwise.line_questions(CONTEXTS, lacking)
    last = questions["request"].iloc[-1].messages[-1].content
    assert last.count("<<<") == last.count(">>>") == 2
    assert len(questions) == 20 + 12
    alone = pairwise.alone_questions(CONTEXTS, lacking)
    assert len(alone) == 6 * (5 + 4)
    with pytest.raises(ValueError, match="no comments are given for the move m2"):
        pairwise.line_questions(CONTEXTS, {"m1": COMMENTS["m1"]})


def test_compared_moves_of_a_small_profile_are_among_those_of_a_large_one():
    played = read_move(read_fen(chess.STARTING_FEN), "e4")
    moves = [EvaluatedMove(f"lec1/{k}", played, "A word.") for k in range(60)]
    moves.append(EvaluatedMove("ccc/figA6", played))
    smoke, book = (pairwise.choose_compared(moves, size) for size in (4, 20))
    assert {move.name for move in smoke} < {move.name for move in book}
    assert pairwise.choose_lined(moves) == book[:3]
    assert smoke[0] == book[0], "the smallest profile has a move with lines"
    with pytest.raises(
        ValueError, match="60 moves have a human comment; cannot choose 61"
    ):
        pairwise.choose_compared(moves, 61)


# ---------------------------------------------------------------- the answers


def test_answers_become_judged_pairs_and_none_is_lost():
    rows = [
        ("bare", "a", "answered"),
        ("ccc", "b", "answered"),
        ("reference", "c", "answered"),
        ("verdict", "half", "cut_off"),
    ]
    table = pd.DataFrame(rows, columns=["method", "text", "state"]).assign(move="m1")
    comments = pairwise.comments_by_move(table)
    assert comments == {"m1": {"bare": "a", "ccc": "b", "reference": "c"}}
    questions = pairwise.line_questions(
        {"m1": ""}, comments, ["bare", "ccc", "reference"]
    )
    answers = [
        Answer(State.ANSWERED, text)
        for text in (GOOD, GOOD, GOOD, "A is better.", GOOD)
    ]
    answers.append(Answer(State.CUT_OFF, GOOD[:20]))
    lined = pairwise.read_lines(questions.assign(answer=answers))
    assert lined["state"].tolist() == ["read"] * 3 + ["unreadable", "read", "cut_off"]
    judged = pairwise.decide(lined, {("m1", "bare"), ("m1", "reference")})
    assert len(judged) == 4
    assert judged["total_b"].tolist() == [23] * 4
    assert judged.iloc[0][["word", "totals", "rule"]].tolist() == ["A", "A", "B"]
    assert judged.iloc[0]["stated_a"] == 25
    assert judged["struck_a"].tolist() == [True, True, False, True]


def number(value: str, **others: float) -> Answer:
    """One token, with the probabilities of ``s1`` to ``s5``."""
    chances = tuple(
        (name[1:], float(np.log(chance))) for name, chance in others.items()
    )
    return Answer(State.CUT_OFF, value, tokens=(Token(value, 0.0, chances),))


def test_comments_scored_alone_make_pairs_by_the_rule():
    texts = {"m1": {"bare": "a", "ccc": "b", "reference": "c"}}
    questions = pairwise.alone_questions({"m1": ""}, texts)
    assert questions["method"].unique().tolist() == ["reference", "bare", "ccc"]
    assert questions["criterion"].tolist() == [*CRITERIA] * 3
    ending = questions["request"][4].messages[-1].content.splitlines()[-1]
    assert ending == "The score for C5, human-likeness, 1 to 5, number only:"
    sure = number("5", s5=1.0)
    torn = number("1", s1=0.5, s4=0.5)
    answers = [*[sure] * 6, *[torn] * 6, *[sure] * 5, number("no")]
    cards = pairwise.read_alone(questions.assign(answer=answers)).set_index("method")
    assert cards.loc["bare", list(CRITERIA)].tolist() == [2] * 6, (
        "2.5 is rounded to the even"
    )
    assert cards.loc["ccc", "conciseness"] != cards.loc["ccc", "conciseness"], (
        "it is no number"
    )
    pairs = pairwise.pairs_of(cards.reset_index())
    (row,) = pairwise.outcomes(pairwise.decide(pairs, set())).itertuples()
    assert row.pair == "bare / reference"
    assert row.winner == "reference"


def test_a_pair_is_judged_number_by_number_and_the_program_names_the_winner():
    questions = pairwise.number_questions({"m1": ""}, {"m1": {"bare": "a", "ccc": "b"}})
    order = list(zip(questions["first"], questions["candidate"], strict=True))[::6]
    assert order == [("bare", "A"), ("bare", "B"), ("ccc", "A"), ("ccc", "B")]
    five = number("5", s5=1.0)
    two = number("2", s2=1.0)
    likes_bare = [five] * 6 + [two] * 6 + [two] * 6 + [five] * 6
    pairs = pairwise.read_numbers(questions.assign(answer=likes_bare))
    found = pairwise.outcomes(pairwise.decide(pairs, set()))
    assert found["winner"].tolist() == ["bare", "bare"]
    lost = pairwise.read_numbers(
        questions.assign(answer=[number("so"), *likes_bare[1:]])
    )
    assert lost.set_index("first")["state"].to_dict() == {
        "bare": "unreadable",
        "ccc": "read",
    }
    assert len(pairwise.decide(lost, set())) == 1


# ---------------------------------------------------------------- strengths

PLAYERS = ("strong", "middle", "weak")


def results(points, moves: int = 4) -> pd.DataFrame:
    """Every pair in both orders on some moves; ``points`` tells what the first gets."""
    rows = [
        (f"m{move}", *pair, points(*map(PLAYERS.index, pair)))
        for move in range(moves)
        for pair in permutations(PLAYERS, 2)
    ]
    return pd.DataFrame(rows, columns=["move", "first", "second", "points"])


def test_known_strengths_are_found_again():
    true = np.array([1.0, 0.2, -0.1, -1.1])
    points = 1 / (
        1 + np.exp(true[None] - true[:, None])
    )  # the chances, as if of many games
    assert pairwise.bradley_terry(points) == pytest.approx(true, abs=1e-6)
    apart = np.zeros((4, 4))
    apart[0, 1] = apart[2, 3] = 1
    for points in (apart, np.zeros((2, 2))):
        refuses(ValueError, "methods that all met", pairwise.bradley_terry, points)


def test_strengths_are_in_order_with_their_intervals():
    found = strengths(results(int.__lt__), (*PLAYERS, "absent"), seed=1, resamples=50)
    assert list(found.index) == ["strong", "middle", "weak"]
    # one tie added to each pair makes 8.5 of 9 against 0.5
    assert found["strong"].value == pytest.approx(-found["weak"].value)
    assert found["middle"].value == pytest.approx(0, abs=1e-9)
    assert [one.n for one in found] == [16, 16, 16]
    level = strengths(results(lambda first, second: 1.0), PLAYERS, seed=1, resamples=50)
    assert [one.value for one in level] == pytest.approx([0, 0, 0], abs=1e-9)
