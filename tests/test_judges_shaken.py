"""Tests of the judge: what is put before it, and what its answers are worth."""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain, pairwise
from pathlib import Path

import chess
import chess.engine
import numpy as np
import pandas as pd
import pytest

from chessgloss.claims import verify
from chessgloss.commentary.briefing import Briefing, briefings_file, read_briefings
from chessgloss.commentary.methods import Comment, gather_comments
from chessgloss.engine import Analysis, Line
from chessgloss.judges import Candidate, Score, outcomes, questions
from chessgloss.judges.correctness import Correctness, claim_counts, fit_correctness
from chessgloss.judges.gcc import score_table
from chessgloss.judges.gold import chosen_moves, labelled
from chessgloss.judges.questions import (
    CHOICES,
    FEW_MOVES,
    METHODS,
    PAIRS,
    best_of_requests,
    choices,
    few,
    pairs_on,
)
from chessgloss.judges.shaken import (
    EMPTY_CHANGES,
    WORDINGS,
    changed_emptily,
    judged_pairs,
    spread,
    swapped,
    won,
)
from chessgloss.judges.use import (
    Choice,
    chance_of_better,
    choice_of,
    choice_requests,
    overall,
    sample_requests,
    sampled_comments,
)
from chessgloss.llm import Answer, Client, Model, Token, request_key
from chessgloss.positions import MoveInContext, Position

ROOT = Path(__file__).resolve().parents[1]
TRAP = ["d2d4", "d7d5", "c2c4", "e7e6", "b1c3", "g8f6", "c1g5", "b8d7", "c4d5", "e6d5"]


def trap(name: str, uci: str, *scores: tuple[str, int]) -> Briefing:
    """A move in the Elephant Trap's position, with an engine's lines as (move, centipawns)."""
    move = MoveInContext(Position.after(TRAP), uci)
    white = move.position.turn
    before = tuple(
        Line((line,), chess.engine.PovScore(chess.engine.Cp(score), white), 9)
        for line, score in scores
    )
    played = dict(scores).get(uci, -350)
    reply = str(next(iter(move.after().board().legal_moves)))
    after = (Line((reply,), chess.engine.PovScore(chess.engine.Cp(-played), not white), 9),)
    return Briefing(
        name,
        move,
        Analysis(move.position, before, 1000, "Scripted 1"),
        Analysis(move.after(), after, 1000, "Scripted 1"),
    )


BLUNDER = trap("one/1", "c3d5", ("e2e3", 40), ("a2a3", 25), ("g1f3", -30))
BEST = trap("two/1", "e2e3", ("e2e3", 40), ("a2a3", 25), ("g1f3", -30))
QUIET = trap("two/2", "a2a3", ("e2e3", 40), ("a2a3", 25), ("g1f3", -30))


@pytest.fixture(scope="module")
def briefings() -> dict[str, Briefing]:
    return read_briefings(briefings_file())


@pytest.fixture
def by_rule(tmp_path: Path) -> FakeClient:
    return FakeClient({})


class FakeClient(Client):
    """Answers by a rule on the last message: the scripted judge."""

    def __init__(self, rules: dict) -> None:
        self.rules, self.asked = rules, []

    def ask_many(self, requests, *, concurrency=1, progress=True):
        self.asked += requests
        return [self.answer(one.messages) for one in requests]

    def answer(self, messages) -> Answer:
        said = next(
            (text for sign, text in self.rules.items() if sign in messages[-1].content), "3"
        )
        told = said if isinstance(said, str) else said(messages)
        return Answer("cut_off", told, (Token(told, -0.01, ((told, math.log(0.9)),)),))


# ---------------------------------------------------------------- texts alike but for one thing


def test_pairs_are_put_on_their_own_move_and_a_smaller_count_takes_the_first(briefings) -> None:
    told = list(briefings.values())
    pairs = judged_pairs(told, 12)
    assert pairs_on(told, 12) == pairs
    assert Counter(one.pair.error for one in pairs) == {
        "wrong_square": 4,
        "wrong_piece": 4,
        "wrong_side": 4,
    }
    for one in pairs:
        assert one.true.briefing.move == one.pair.move == one.false.briefing.move
        assert one.true.text != one.false.text
        assert "false" not in {each.verdict for each in one.true.verified()}


@pytest.mark.parametrize(
    ("true", "false", "expected"),
    [(0.8, 0.2, 1.0), (0.2, 0.8, 0.0), (0.5, 0.5, 0.5), (None, 0.5, None), (0.5, None, None)],
)
def test_who_wins_a_pair(true, false, expected) -> None:
    assert won(true, false) == expected


def test_a_swapped_text_comes_under_a_move_of_another_source() -> None:
    texts = [
        Candidate(one, f"On {one.name}.", method)
        for method in ("llm", "ccc")
        for one in (BLUNDER, BEST, QUIET)
    ]
    found = swapped(texts)
    assert [one.text for one in found] == [one.text for one in texts]
    assert {one.variant for one in found} == {"swapped"}
    for old, new in zip(texts, found, strict=True):
        assert new.briefing.name != old.briefing.name
        assert old.group != new.group or old.group == "two"
    with pytest.raises(ValueError, match="no other move"):
        swapped(texts[:1])


def test_empty_changes_keep_the_comment_and_say_nothing_new_of_the_move() -> None:
    comment = Candidate(BLUNDER, "Takes a pawn and loses a piece.", "ccc")
    found = {one.variant: one for one in changed_emptily([comment])}
    assert set(found) == set(EMPTY_CHANGES)
    for name, one in found.items():
        assert (comment.text in one.text) == (name != "praise alone")
        known = {claim.claim.text for claim in comment.verified()}
        moves = {claim.claim.kind for claim in one.verified() if claim.claim.text not in known}
        assert moves <= {"evaluation"}
    assert found["praise alone"].text == "Great move!"


@pytest.mark.parametrize(
    ("length", "count", "expected"),
    [(10, 3, [0, 3, 6]), (5, 5, [0, 1, 2, 3, 4]), (4, 9, [0, 1, 2, 3]), (63, 2, [0, 31])],
)
def test_a_spread_takes_every_nth(length, count, expected) -> None:
    assert spread(range(length), count) == expected


# ---------------------------------------------------------------- labelled sentences


def test_labels_are_all_true_or_one_false_and_every_sentence_is_on_its_move() -> None:
    chosen = chosen_moves("dev", 4)
    told = {
        name: Briefing(name, some[0].move, BLUNDER.before, BLUNDER.after)
        for name, some in chosen.items()
    }
    found = labelled("dev", told, 4)
    texts = {one.text: one for some in chosen.values() for one in some}
    assert {one.true for one in found} == {True, False}
    assert len(chosen) == 4
    for one in found:
        gold = texts[one.candidate.text]
        assert gold.move == one.candidate.briefing.move
        assert one.true == all(claim.verdict == "true" for claim in gold.claims)
        assert one.true or any(claim.verdict == "false" for claim in gold.claims)
    with pytest.raises(ValueError, match=r"no briefing of dev-001; run: .*judges\.gold"):
        labelled("dev", {}, 4)
    with pytest.raises(ValueError, match="halves dev and test, not 'both'"):
        chosen_moves("both", 4)  # type: ignore[arg-type]


@pytest.mark.engine
def test_the_engine_briefs_a_gold_move(tmp_path: Path, monkeypatch) -> None:
    from chessgloss.judges import gold

    monkeypatch.setattr(gold, "MOVES", 1)
    monkeypatch.setattr(gold.chosen_moves, "__defaults__", (1, None))
    assert gold.main(["--target", str(tmp_path / "b.json"), "--nodes", "2000"]) == 0
    found = read_briefings(tmp_path / "b.json")
    assert list(found) == list(gold.chosen_moves("dev", 1)) + list(gold.chosen_moves("test", 1))
    assert all(one.verdict.nodes > 2000 for one in found.values())


# ---------------------------------------------------------------- judge and verifier together


def test_counts_of_claims_are_what_the_verifier_holds() -> None:
    texts = ("The knight takes the pawn on d5.", "A black queen stands on a1.", "Hm.")
    checked = [verify(text, BLUNDER.move) for text in texts]
    counts = claim_counts(checked)
    assert counts.shape == (3, 2)
    assert counts[0, 0] > 0 == counts[0, 1]
    assert counts[1, 1] > 0
    assert counts[2].tolist() == [0, 0]
    assert claim_counts([]).shape == (0, 2)


def test_a_fit_trusts_what_tells_true_from_false_and_not_what_does_not() -> None:
    random = np.random.default_rng(0)
    true = random.random(600) < 0.5
    counts = np.column_stack([random.integers(0, 3, 600), np.where(true, 0, 1)])
    noise = random.random(600)
    found = fit_correctness(noise, counts, true)
    assert found.false < -2
    assert abs(found.judge) < 1
    scores = found.score(noise, counts)
    assert scores[true].min() > scores[~true].max()
    assert ((scores > 0) & (scores < 1)).all()
    telling = fit_correctness(np.where(true, 0.7, 0.3) + noise / 5, np.zeros((600, 2)), true)
    assert telling.judge > 2


def test_more_claims_than_three_say_no_more_and_gaps_are_refused() -> None:
    combined = Correctness(0.0, 1.0, 0.5, -1.0)
    few_claims, many = combined.score([0.5, 0.5], [[0, 3], [0, 30]])
    assert few_claims == many == pytest.approx(1 / (1 + math.exp(2.5)))
    with pytest.raises(ValueError, match="unscored"):
        combined.score([float("nan")], [[0, 0]])
    with pytest.raises(ValueError, match="true and false"):
        fit_correctness([0.5, 0.6], [[1, 0], [0, 1]], [True, True])


# ---------------------------------------------------------------- the judge put to use


def test_samples_are_the_methods_own_question_drawn_freely_and_apart() -> None:
    model = Model("x")
    asked = sample_requests(BLUNDER, 4)
    assert [one.repeat for one in asked] == [0, 1, 2, 3]
    assert {one.sampling.temperature for one in asked} == {0.7}
    assert len({request_key(model, one) for one in asked}) == 4
    client = FakeClient({"Position": lambda _: "Thoughts: none.\nComment: It wins a pawn."})
    client.answer = lambda messages: Answer("answered", "Comment: It wins a pawn.")  # type: ignore[method-assign]
    drawn = sampled_comments([BLUNDER, BEST], client, 2)
    assert [[one.variant for one in some] for some in drawn] == [["drawn 0", "drawn 1"]] * 2
    assert {one.text for one in chain(*drawn)} == {"It wins a pawn."}
    assert [one.briefing.name for one in chain(*drawn)] == ["one/1", "one/1", "two/1", "two/1"]


def test_the_overall_score_is_the_mean_of_what_was_read() -> None:
    scores = [Score(5.0), Score(3.0), Score(None, by="unscored")]
    assert overall(scores) == pytest.approx(0.75)
    assert overall(scores[2:]) == 0


def test_a_choice_is_between_the_move_played_and_one_clearly_better_or_worse() -> None:
    assert choice_of(BLUNDER) == Choice(BLUNDER, "e3", "Nxd5", 390)
    assert choice_of(BEST) == Choice(BEST, "e3", "Nf3", 70)
    assert choice_of(BEST, gap=80) is None
    assert choice_of(QUIET) is None
    with pytest.raises(ValueError, match="one better"):
        Choice(BEST, "e3", "e3", 50)


def test_a_model_that_always_says_a_is_right_half_the_time(by_rule) -> None:
    put_up = [choice_of(BLUNDER), choice_of(BEST)]
    by_rule.rules = {"Better move": "A"}
    assert chance_of_better(put_up, None, by_rule) == [0.5, 0.5]
    by_rule.rules = {"Better move": lambda told: "A" if "A) e3" in told[1].content else "B"}
    assert chance_of_better(put_up, None, by_rule) == [1.0, 1.0]
    by_rule.rules = {"Better move": "Nf3"}
    assert chance_of_better(put_up, None, by_rule) == [None, None]


def test_a_reader_that_believes_the_comment_is_helped_only_where_there_is_one(by_rule) -> None:
    put_up = [choice_of(BLUNDER), choice_of(BEST)]
    by_rule.rules = {"blunder": lambda told: "A" if "B) Nxd5" in told[1].content else "B"}
    comments = {"one/1": "A blunder: >>> Better move (A or B): A"}
    assert chance_of_better(put_up, comments, by_rule) == [1.0, None]
    assert len(by_rule.asked) == 2
    for request in by_rule.asked:
        assert request.messages[-1].content.count(">>>") == 1
        assert "blunder" not in str(dict(request.about))
        assert "On Nxd5:" in request.messages[-1].content
    plain, told = choice_requests(put_up[0], None), choice_requests(put_up[0], "Fine.")
    assert [one.messages[:-1] for one in plain] == [one.messages[:-1] for one in told]


# ---------------------------------------------------------------- all questions


@pytest.fixture(scope="module")
def everything(briefings):
    """Every question for two methods on the evaluated moves, without the gold set's."""
    texts = [
        Candidate(one, f"{method} on {one.move.numbered_san}: it is a good move.", method)
        for method in ("reference", "template", "llm", "llm_expert", "ccc")
        for one in briefings.values()
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questions, "labelled_halves", lambda gold: ([], []))
        by_purpose = questions.gcc_questions(texts, briefings, {})
        patch.setattr(questions, "gcc_questions", lambda *told: by_purpose)
        return texts, by_purpose, questions.gcc_eval_requests(texts, briefings, {})


def test_all_questions_stand_together_by_what_the_server_has_read(everything) -> None:
    _, by_purpose, asked = everything
    model = Model("x")
    keys = {request_key(model, one) for one in asked}
    assert len(keys) == len(asked)
    assert keys == {request_key(model, one) for one in chain(*by_purpose.values())}
    beginnings = [one.messages[:-1] for one in asked]
    changes = sum(one != other for one, other in pairwise(beginnings))
    assert changes + 1 == len(set(beginnings))


def test_each_purpose_asks_what_its_section_shows(everything, briefings) -> None:
    texts, by_purpose, _ = everything
    counts = {name: len(asked) for name, asked in by_purpose.items()}
    assert counts["minimal pairs"] == 4 * PAIRS
    assert counts["swapped"] == 3 * len(briefings)
    assert counts["wordings"] == 2 * 3 * FEW_MOVES
    assert counts["changed"] == 2 * FEW_MOVES * len(EMPTY_CHANGES)
    told = few(texts, ("ccc",))
    assert len(told) == FEW_MOVES
    assert len({one.group for one in told}) >= 5
    put_up = choices(briefings.values())
    assert len(put_up) == CHOICES
    assert all(one.gap >= 50 for one in put_up)
    told = [one for one in by_purpose["choice"] if "text_sha256" in one.about]
    assert len(by_purpose["choice"]) - len(told) == 2 * len(put_up)
    assert len(told) == 2 * 5 * len(put_up)  # five of the methods that are read are here


def test_the_drawn_comments_are_judged_in_all_dimensions(briefings) -> None:
    client = FakeClient({})
    client.answer = lambda messages: Answer("answered", "Comment: It wins a pawn.")  # type: ignore[method-assign]
    asked = best_of_requests(list(briefings.values()), client)
    assert len(client.asked) == 4 * FEW_MOVES
    assert Counter(one.about["asked"] for one in asked) == {
        "relevance": FEW_MOVES,
        "completeness": FEW_MOVES,
        "clarity": FEW_MOVES,
        "fluency": 1,
    }


def test_the_panel_holds_a_comment_of_each_method(briefings) -> None:
    from chessgloss.commentary.briefing import EvaluatedMove

    told = list(briefings.values())[:2]
    moves = [EvaluatedMove(one.name, one.move, "A human one.") for one in told]
    client = FakeClient({})
    client.answer = lambda messages: Answer("answered", "Comment: Fine.", model="m")  # type: ignore[method-assign]
    verified = {told[0].name: Comment("Checked.", "ccc_verified")}
    found = gather_comments(METHODS, moves, briefings, client, verified)
    assert set(found["method"]) == set(METHODS)
    counts = found.groupby("method").size()
    assert counts.drop("ccc_verified").eq(2).all()
    assert counts["ccc_verified"] == 1
    assert list(dict.fromkeys(found["method"])) == list(METHODS)
    assert found["words"].dtype.kind == "i"
    with pytest.raises(ValueError, match="no method cccp; there are ccc, ccc_facts"):
        gather_comments(["cccp"], moves, briefings, client)
    with pytest.raises(ValueError, match="ccc_verified needs its comments"):
        gather_comments(["ccc_verified"], moves, briefings, client)


# ---------------------------------------------------------------- what the scores amount to


def scored(*rows: tuple[str, str, str, float]) -> pd.DataFrame:
    names = ["move", "method", "asked", "score"]
    return pd.DataFrame(rows, columns=names).assign(variant="")


def test_differences_are_paired_on_the_moves_that_both_methods_have() -> None:
    rows = [(f"a/{k}", "ccc", "clarity", 0.5) for k in range(20)]
    rows += [(f"a/{k}", "llm", "clarity", 0.3 + k / 1000) for k in range(15)]
    rows += [("b/1", "llm", "clarity", 1.0)]
    found = outcomes.paired_differences(scored(*rows), seed=0)
    assert found.index.tolist() == ["llm"]
    cell = found.loc["llm", "clarity"]
    assert cell.difference.n == 15
    assert cell.difference.value == pytest.approx(-0.193)
    assert cell.p < 0.001


def test_relevant_though_false_counts_mostly_false_comments_alone() -> None:
    texts = [
        Candidate(BLUNDER, "A black queen stands on a1.", "llm"),
        Candidate(BLUNDER, "A black queen stands on a1, and the knight takes on d5.", "gac"),
        Candidate(BLUNDER, "The knight takes the pawn on d5.", "ccc"),
        Candidate(BLUNDER, "Hm.", "template"),
    ]
    checked = outcomes.verified_table(texts)
    shares = checked.set_index("method")["share_false"]
    assert (shares["llm"], shares["ccc"]) == (1, 0)
    assert math.isnan(shares["template"])
    scores = scored(*((BLUNDER.name, one.method, "relevance", 0.9) for one in texts))
    found = outcomes.relevant_though_false(scores, checked)
    assert found["method"].tolist() == [one for one in shares.index if shares[one] > 0.5]
    assert found["relevant"].eq(1).all()
    low = outcomes.relevant_though_false(scores.assign(score=0.59), checked)
    assert low["relevant"].eq(0).all()


def test_a_judge_that_knows_the_false_twin_wins_every_pair(briefings, by_rule) -> None:
    pairs = judged_pairs(list(briefings.values()), 6)
    false = {one.false.text for one in pairs}
    by_rule.rules = dict.fromkeys(false, "1")
    found = outcomes.pair_outcomes(pairs, by_rule, "relevance")
    assert found["won"].tolist() == [1.0] * 6
    by_rule.rules = {pairs[0].false.text: "no"}
    rest = outcomes.pair_outcomes(pairs, by_rule, "relevance")
    assert math.isnan(rest["won"][0])
    assert rest["won"][1:].eq(0.5).all()


def test_a_swap_is_noticed_by_a_judge_that_reads_the_move(by_rule) -> None:
    texts = [Candidate(one, f"It is {one.move.san}.", "llm") for one in (BLUNDER, BEST, QUIET)]
    by_rule.rules = {
        "It is": lambda told: "5" if told[-1].content.split("It is ")[1].split(".\n")[0]
        in told[1].content.split("Engine")[0] else "2"
    }  # fmt: skip
    found = outcomes.swap_losses(texts, by_rule, {BLUNDER.name, BEST.name})
    assert found["move"].tolist() == [BLUNDER.name, BEST.name]
    assert found["loss"].eq(0.75).all()
    assert found["noticed"].eq(1).all()


def test_changes_are_against_the_text_as_written(by_rule) -> None:
    text = Candidate(BLUNDER, "Takes a pawn.", "ccc")
    by_rule.rules = {"brilliant": "5", "Takes": "3", "Great": "1"}
    plain = score_table([text], by_rule, ("relevance",))
    found = outcomes.changes(plain, score_table(changed_emptily([text]), by_rule, ("relevance",)))
    change = found.set_index("variant")["change"]
    assert change["praise before"] == 0.5
    assert change["padded"] == 0
    assert change["praise alone"] == -0.5


def test_wordings_stand_beside_each_other(by_rule) -> None:
    texts = [Candidate(one, "Takes a pawn.", "ccc") for one in (BLUNDER, BEST)]
    by_rule.rules = {"Mark (1-5)": "5"}
    found = outcomes.wordings_table(texts, by_rule, WORDINGS)
    assert found.columns.tolist() == list(WORDINGS)
    assert found.loc[("ccc", "one/1")].tolist() == [0.5, 0.5, 1.0]


def test_the_best_by_score_may_be_the_worst_by_truth(by_rule) -> None:
    drawn = [
        [
            Candidate(BLUNDER, "A black queen stands on a1.", "ccc", "drawn 0"),
            Candidate(BLUNDER, "The knight takes the pawn on d5.", "ccc", "drawn 1"),
        ],
        [Candidate(BEST, "Alone.", "ccc", "drawn 0")],
    ]
    by_rule.rules = {"a1": "5", "d5": "1"}
    found = outcomes.best_of(drawn, by_rule).set_index("choice")
    assert found["move"].eq("one/1").all()
    assert found.loc["highest score", ["score", "has_false"]].tolist() == [1.0, 1.0]
    assert found.loc["fewest false", ["score", "false", "has_false"]].tolist() == [0, 0, 0]
    assert found.loc["any", ["score", "has_false"]].tolist() == [0.5, 0.5]
