"""Baselines, intervals of perplexities, and the tables with their marks."""

import math

import chess
import numpy as np
import pandas as pd
import pytest

from chessgloss.positions import Position
from chessgloss.stats import Interval, Paired
from chessgloss.tracking import probes, results
from chessgloss.tracking.games import IDS, SQUARES, VOCABULARY, tokenise
from chessgloss.tracking.results import MARK, SECOND_MARK
from scripts import refuses

#: A knight goes from f3 to e5; twice a queen that came from d1 goes from f3 to f7.
TRAINING = (
    "e2e4 e7e5 g1f3 b8c6 f3e5",
    "e2e4 e7e5 d1f3 b8c6 f3f7",
    "e2e4 e7e5 d1f3 g8f6 f3f7",
)
#: Four plies that lead back to where they began.
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")
OPENING = "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6"


def moves_of(*games: str) -> pd.DataFrame:
    played = tokenise([game.split() for game in games])
    return results.list_moves(played, np.arange(len(games)))


def question(
    task: str, prefix: str, at: str, legal: str, band: str = "short"
) -> pd.DataFrame:
    """A question about the piece on a square (End), or about its type (Start)."""
    board = Position.after(prefix.split()).board()
    piece = board.piece_at(chess.parse_square(at)).symbol().upper()
    prompt = at if task in probes.END_TASKS else piece
    row = (task, band, "game", board.fen(), piece, prompt, "-", legal, prefix)
    return pd.DataFrame([row], columns=probes.COLUMNS)


def best_squares(
    moves: pd.DataFrame, asked: pd.DataFrame, given: str, count: int = 1
) -> list[str]:
    scores = results.answer_by_counts(moves, asked, given)[0]
    assert scores[:SQUARES].max() < scores[SQUARES : SQUARES + 64].min(), (
        "an answer is a square"
    )
    best = np.argsort(-scores, kind="stable")[:count]
    return [VOCABULARY[token] for token in best]


# ---------------------------------------------------------------- the even draw


def test_an_even_draw_costs_the_logarithm_of_the_number_of_legal_moves():
    games = tokenise([["e2e4", "e7e5", "g1f3"], ["e2e4", "e7e5"]])
    losses = results.even_draw(games, np.array([0, 1]))
    assert list(losses["plies"]) == [3, 2]
    assert [*np.exp(losses["nats"])] == pytest.approx([20 * 20 * 29, 20 * 20])
    assert results.perplexity_of(losses[1:], seed=1).value == pytest.approx(20)


# ---------------------------------------------------------------- the counts


def test_counts_worked_by_hand():
    moves = moves_of(*TRAINING)
    knight = question("end_other", OPENING, "f3", "d2 e5 g1 g5 h4")
    assert best_squares(moves, knight, "start", 2) == ["f7", "e5"]
    assert best_squares(moves, knight, "came_from", 2) == ["e5", "f7"]
    assert best_squares(moves, knight, "type", 2) == ["e5", "f7"]
    scored = results.score_baselines(moves, knight)
    right = {name: rows["lgm"].item() for name, rows in scored.items()}
    assert right == {
        "start": 0,
        "came_from": 1,
        "type": 1,
    }
    bishop = question("end_other", "e2e4 e7e5 f1e2 b8c6 e2f3 h7h6", "f3", "e2 g4 h5")
    assert best_squares(moves, bishop, "type", 2) == ["f7", "e5"], "as start"


def test_where_a_type_stands_by_counts_of_its_side_and_by_where_it_went_last():
    moves = moves_of("g1f3 b8c6 f3g1 c6b8 g1h3 b8a6 b1c3")
    prefix = "g1f3 g8f6 f3g1 f6g8 b1c3 b8c6"
    white = question("start_other", prefix, "c3", "g1 c3")
    assert best_squares(moves, white, "start_type") == ["g1"]
    assert best_squares(moves, white, "last", 3) == ["c3", "g1", "f3"]
    black = question("start_other", f"{prefix} g1f3", "c6", "g8 c6")
    assert best_squares(moves, black, "start_type") == ["b8"]
    assert best_squares(moves, black, "last", 2) == ["c6", "g8"]


# ---------------------------------------------------------------- perplexity


def drawn(games: int, nats: float) -> pd.DataFrame:
    """Games of 10 to 150 plies at about so many nats a move."""
    random = np.random.default_rng(1)
    plies = random.integers(10, 151, games)
    return pd.DataFrame(
        {"nats": plies * random.normal(nats, 0.3, games), "plies": plies}
    )


def test_a_perplexity_weighs_moves_and_a_change_is_measured_on_the_same_draws_of_games():
    losses = pd.DataFrame(
        {"nats": [10 * math.log(8), 30 * math.log(2)], "plies": [10, 30]}
    )
    assert results.perplexity_of(losses, seed=1).value == pytest.approx(
        8**0.25 * 2**0.75
    )
    plain = drawn(300, 3.0)
    dearer = plain.assign(nats=plain["nats"] + 0.1 * plain["plies"])
    change = results.change_of_perplexity(dearer, plain, seed=1)
    assert change.value == pytest.approx(100 * math.expm1(0.1))
    assert change.high - change.low < 1e-6
    apart = results.perplexity_of(plain, seed=1)
    assert apart.high - apart.low > 0.1
    refuses(
        ValueError, "same games", results.change_of_perplexity, plain, plain[1:], seed=1
    )


def test_runs_beat_the_even_draw_on_the_same_games_or_are_marked(monkeypatch):
    plies = np.full(40, 10)
    noise = np.random.default_rng(1).normal(0, 1, 40)
    nats = {
        "even": 30 + noise,
        "worse": 31 + noise,
        "better": 28 + noise,
        "unclear": 30 - noise,
    }
    losses = {name: pd.DataFrame({"nats": nats[name], "plies": plies}) for name in nats}
    known = {
        name: results.judge_perplexity(losses[name], losses["even"], seed=1)
        for name in nats
    }
    above = [name for name, one in known.items() if one.above]
    assert above == ["better"]
    monkeypatch.setattr(results, "read_losses", losses.get)
    change = results.judge_change("better", "worse", known, seed=1)
    assert str(change).endswith("] ¹")
    back = results.judge_change("worse", "better", known, seed=1)
    assert str(back).endswith("] ²")
    floor = results.judge_change("worse", "unclear", known, seed=1)
    assert not floor.above
    assert str(floor).endswith(MARK)


# ---------------------------------------------------------------- tables


@pytest.fixture
def questions():
    """Twenty questions with the knight's two squares as answers, in both End tasks."""
    prefix = " ".join(SHUFFLE * 14)
    row = question("end_other", prefix, "g1", "f3 h3", "long")
    other = pd.concat([row.assign(game=f"game {k}") for k in range(20)])
    return pd.concat(
        [other.assign(task="end_actual", exact="f3"), other], ignore_index=True
    )


def grounds_on(questions: pd.DataFrame, last: str) -> pd.DataFrame:
    """Counts of one training game, whose knight leaves g1 after 40 plies as ``last`` says."""
    ending = [last, "g8f6", f"{last[2:]}g1", "f6g8"]
    game = [*(SHUFFLE * 10), *(ending * 4)]
    moves = moves_of(" ".join(game))
    return results.score_baselines(moves, questions)["came_from"]


def answered(questions: pd.DataFrame, right: int, exact: int) -> pd.DataFrame:
    """Of twenty answers so many legal, and of these so many as played."""
    scores = np.zeros((20, 77))
    scores[:right, IDS["h3"]] = 1
    scores[:exact, IDS["f3"]] = 2
    scores[right:, 0] = 1
    return probes.score_answers(questions, np.concatenate([scores, scores]))


def runs_of(*rows: tuple) -> pd.DataFrame:
    """Runs, the last first: name, size, variant, model, usual, probability, seed."""
    columns = ["run", "size", "variant", "model", "usual", "probability", "seed"]
    return pd.DataFrame(rows[::-1], columns=columns).set_index("run")


def test_the_first_seed_of_each_size_and_model_stands_in_the_tables():
    trained = runs_of(
        ("L-ap-1", "L", "", "uci_ap", True, 0, 1),
        ("M-uci-1", "M", "", "uci", True, 0, 1),
        ("S-uci-1", "S", "", "uci", True, 0, 1),
        ("S-uci-2", "S", "", "uci", True, 0, 2),
        ("S-rap15-1", "S", "", "uci_rap", True, 0.15, 1),
        ("S-rap15-2", "S", "", "uci_rap", True, 0.15, 2),
        ("S-lstm-1", "S", "", "lstm", True, 0, 1),
        ("L-uci-1x1", "L", "", "uci", False, 0, 1),
        ("L-half_uci-1", "L", "half", "uci", False, 0, 1),
        ("36000-uci-1", "36000", "", "uci", True, 0, 1),
    )
    chosen = results.headline(trained, results.NOTATION_ROWS)
    assert chosen["run"].tolist() == ["S-uci-1", "S-rap15-1", "M-uci-1", "L-ap-1"]
    assert chosen["title"].tolist() == ["S UCI", "S UCI + RAP", "M UCI", "L UCI + AP"]
    assert results.other_seeds(trained, "S-uci-1") == ["S-uci-1", "S-uci-2"]
    assert results.other_seeds(trained, "S-rap15-2") == ["S-rap15-2", "S-rap15-1"]


def test_what_counting_does_as_well_is_marked_and_nothing_else(questions):
    unhelpful = grounds_on(questions, "g1e2")
    helpful = grounds_on(questions, "g1h3")
    good = answered(questions, 15, 12)
    perfect = answered(questions, 20, 19)
    # as played has to beat a draw among the right answers too
    for rows, ground, *above in (
        (good, unhelpful, True, False),
        (good, helpful, False, False),
        (perfect, unhelpful, True, True),
    ):
        summary = results.summarise(rows, ground, seed=1)
        row = summary.loc[("end_actual", "long")]
        assert [row["lgm"].above, row["exm"].above] == above


def test_who_beats_counting_by_square_may_not_beat_counting_by_type(questions):
    by_square = grounds_on(questions, "g1e2")
    by_type = grounds_on(questions, "g1h3")
    good = answered(questions, 15, 12)
    row = results.summarise(good, by_square, by_type, seed=1).loc[
        ("end_actual", "long")
    ]
    assert row["lgm"].above
    assert not row["lgm"].above_second
    assert str(row["lgm"]).endswith(SECOND_MARK)
    floor = results.summarise(good, by_type, by_type, seed=1)
    assert str(floor.loc[("end_actual", "long"), "lgm"]).endswith(MARK)


def test_the_second_bar_is_by_type_for_every_model(questions):
    grounds = {
        name: grounds_on(questions, "g1e2").assign(of=name)
        for name in ("came_from", "type", "last")
    }
    second = results.second_of(grounds)
    assert set(second["of"]) == {"type", "last"}
    first = results.ground_of("uci", grounds)
    assert set(first["of"]) == {"came_from"}


@pytest.mark.parametrize(
    ("low", "high", "by_seed", "noise", "clear"),
    [
        (1.0, 3.0, [2.0, 2.5], 1.5, True),
        (-3.0, -1.0, [-2.0], 1.5, True),
        (-0.1, 4.1, [2.0, 2.5], 1.5, False),  # the interval holds zero
        (1.0, 3.0, [4.5, -0.5], 1.5, False),  # a seed has the other sign
        (1.0, 3.0, [2.0, 2.5], 2.0, False),  # another seed alone makes as much
    ],
)
def test_a_clear_difference_passes_interval_seeds_and_noise(
    low, high, by_seed, noise, clear
):
    apart = Interval((low + high) / 2, low, high, 9)
    assert results.is_clear(apart, by_seed, noise) is clear
    assert results.is_clear(Paired(apart, 0.01), by_seed, noise) is clear


def test_scores_are_laid_out_as_the_paper_prints_them(questions):
    unhelpful = grounds_on(questions, "g1e2")
    model = answered(questions, 15, 5)
    baseline = results.BASELINES["came_from"]
    scores = {
        "S UCI": results.summarise(model, unhelpful, seed=1),
        baseline: results.summarise(unhelpful, seed=1),
    }
    part, *_ = results.PROBE_PARTS.values()
    printed = pd.DataFrame({column: [74.0, 19.6] for column in part})
    printed.index = ["S UCI", "Random Legal"]
    legal = results.probe_table(scores, "end", part, printed)
    assert list(legal) == ["Actual", "Actual, paper", "Other", "Other, paper"]
    assert list(legal.index) == ["S UCI", "Random Legal", baseline]
    assert legal.loc["S UCI", "Actual"].value.value == 75
    assert legal.loc["S UCI", "Actual, paper"] == 74.0


def test_a_model_that_falls_below_counting_is_a_finding_and_two_below_are_none(
    questions,
):
    """What was taken from the second may be what carried the first above its baseline."""
    actual = questions["task"] == "end_actual"
    helped, broken, worse = (
        answered(questions, right, right)[actual] for right in (20, 8, 2)
    )
    half = grounds_on(questions, "g1e2").assign(
        lgm=[1.0, 0.0] * 20, exm=[1.0, 0.0] * 20
    )
    grounds = [half, half]
    lost = results.compare_answers([broken, helped], grounds, seed=1)
    assert lost.beaten is results.Beaten.SECOND
    assert lost.value.difference.value == -60
    assert lost.value.p < 0.01
    floor = results.compare_answers([worse, broken], grounds, seed=1)
    assert not floor.above
    sentences = {"It lost.": [lost], "Nor that.": [floor]}
    said = results.only_if_above(sentences, "Nothing.")
    assert said == "It lost. (Of the two only the second beats its baseline.)"


def test_a_sentence_stands_only_if_all_its_numbers_beat_their_baseline():
    interval = Interval(1.0, 0.5, 1.5, 9)
    good = results.Judged(interval, True)
    bad = results.Judged(interval, False)
    assert str(good) == "1.0 [0.5, 1.5]"
    assert f"{bad:.0f}" == f"1 [0, 2] {MARK}"
    sentences = {"Both do.": [good, good], "One does not.": [good, bad]}
    assert results.only_if_above(sentences, "Nothing.") == "Both do."
    assert results.only_if_above({"One does not.": [bad]}, "Nothing.") == "Nothing."


def test_another_seed_makes_as_much_as_the_seeds_of_one_model_differ():
    assert results.seed_noise([[10.0, 13.0, 11.0], [20.0], [5.0, 6.0]]) == 3.0
