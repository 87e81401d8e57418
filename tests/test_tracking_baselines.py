from __future__ import annotations

import math
import re
from pathlib import Path

import chess
import nbformat
import numpy as np
import pytest
import torch
from bs4 import BeautifulSoup

from chessgloss.stats import Interval
from chessgloss.store import find_project
from chessgloss.tracking import baselines, probes
from chessgloss.tracking.baselines import (
    END_BASELINES,
    EVEN_DRAW,
    MARK,
    START_BASELINES,
    Judged,
    answer_by_counts,
    even_draw,
    list_moves,
)
from chessgloss.tracking.checkpoints import write_tensors
from chessgloss.tracking.corpus import read_corpus
from chessgloss.tracking.perplexities import Losses, measures_path, perplexity_of
from chessgloss.tracking.probe_scores import score_probes
from chessgloss.tracking.probes import Instance
from chessgloss.tracking.tokens import SQUARES, VOCABULARY, piece_id, square_id, tokenise

EXECUTED = find_project() / "book" / "executed"
CHAPTERS = ("12_state_tracking", "13_board_probes", "14_history")

#: A knight goes from f3 to e5; twice a queen that came from d1 goes from f3 to f7.
TRAINING = (
    "e2e4 e7e5 g1f3 b8c6 f3e5",
    "e2e4 e7e5 d1f3 b8c6 f3f7",
    "e2e4 e7e5 d1f3 g8f6 f3f7",
)
#: Four plies that lead back to where they began.
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def moves_of(*games: str) -> baselines.Moves:
    played = tokenise([game.split() for game in games])
    return list_moves(played, np.arange(len(games)))


def question(task: str, prefix: str, at: str, legal: str, band: str = "short") -> Instance:
    """A question about the piece on a square (End), or about its type (Start)."""
    board = chess.Board()
    for uci in prefix.split():
        board.push_uci(uci)
    square = chess.parse_square(at)
    piece = piece_id(board.piece_type_at(square) or 0)
    answers = frozenset(square_id(chess.parse_square(name)) for name in legal.split())
    prompt = square_id(square) if task in probes.END_TASKS else piece
    game = tuple(prefix.split())
    return Instance(task, band, game, board.fen(), piece, prompt, None, answers, "game")


def best_squares(moves: baselines.Moves, one: Instance, given: str, count: int = 1) -> list[str]:
    scores = answer_by_counts(moves, [one], given)[0]
    return [VOCABULARY[token] for token in np.argsort(-scores, kind="stable")[:count]]


# ---------------------------------------------------------------- the even draw


def test_an_even_draw_costs_the_logarithm_of_the_number_of_legal_moves() -> None:
    games = tokenise([["e2e4", "e7e5", "g1f3"], ["e2e4", "e7e5"]])
    losses = even_draw(games, np.array([0, 1]))
    assert list(losses.plies) == [3, 2]
    assert list(losses.nats) == pytest.approx([math.log(20 * 20 * 29), math.log(20 * 20)])
    even = even_draw(games, np.array([1]))
    assert perplexity_of(even, seed=1).value == pytest.approx(20)


def test_each_piece_that_a_pawn_may_become_is_a_move() -> None:
    capture = "a2a4 b7b5 a4b5 a7a6 b5a6 h7h6 a6a7 h6h5 a7b8q"
    games = tokenise([capture.split()])
    board = chess.Board()
    for uci in capture.split()[:-1]:
        board.push_uci(uci)
    promotions = [move for move in board.legal_moves if move.promotion]
    assert len(promotions) == 4
    whole, short = (
        even_draw(tokenise([capture.split()[:plies]]), np.array([0])).nats[0] for plies in (9, 8)
    )
    assert whole - short == pytest.approx(math.log(board.legal_moves.count()))
    assert even_draw(games, np.array([0])).nats[0] == whole


# ---------------------------------------------------------------- the counts


def test_moves_know_where_their_piece_had_come_from() -> None:
    game = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 f1e1 c6d4"
    moves = moves_of(game)
    origins = [chess.SQUARE_NAMES[at] if at < 64 else "-" for at in moves.came_from]
    assert origins == ["-"] * 8 + ["h1", "b8"]
    assert list(moves.types[[0, 2, 6, 8]]) == [0, 1, 5, 3]
    assert list(moves.plies) == list(range(10))


def test_counts_worked_by_hand() -> None:
    moves = moves_of(*TRAINING)
    knight = question("end_other", "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6", "f3", "d2 e5 g1 g5 h4")
    assert best_squares(moves, knight, "start", 2) == ["f7", "e5"]
    assert best_squares(moves, knight, "came_from", 2) == ["e5", "f7"]
    assert best_squares(moves, knight, "type", 2) == ["e5", "f7"]
    scores = {
        given: score_probes(answer_by_counts(moves, [knight], given), [knight], seed=1).lgm.value
        for given in END_BASELINES
    }
    assert scores == {"start": 0, "came_from": 100, "type": 100}


def test_what_was_never_counted_is_ordered_by_the_start_square() -> None:
    bishop = question("end_other", "e2e4 e7e5 f1e2 b8c6 e2f3 h7h6", "f3", "e2 g4 h5")
    moves = moves_of(*TRAINING)
    for given in ("came_from", "type"):
        assert best_squares(moves, bishop, given, 2) == ["f7", "e5"]


def test_long_prefixes_are_answered_by_late_moves_alone() -> None:
    moves = moves_of(" ".join([*SHUFFLE * 10, "g1h3"]))
    early = question("end_other", " ".join(SHUFFLE * 2), "g1", "f3 h3")
    late = question("end_other", " ".join(SHUFFLE * 13), "g1", "f3 h3", "long")
    assert best_squares(moves, early, "start") == ["f3"]
    assert best_squares(moves, late, "start") == ["h3"]


def test_where_a_type_stands_by_counts_of_its_side_and_by_where_it_went_last() -> None:
    moves = moves_of("g1f3 b8c6 f3g1 c6b8 g1h3 b8a6 b1c3")
    prefix = "g1f3 g8f6 f3g1 f6g8 b1c3 b8c6"
    white = question("start_other", prefix, "c3", "g1 c3")
    assert best_squares(moves, white, "start_type") == ["g1"]
    assert best_squares(moves, white, "last", 3) == ["c3", "g1", "f3"]
    black = question("start_other", f"{prefix} g1f3", "c6", "g8 c6")
    assert best_squares(moves, black, "start_type") == ["b8"]
    assert best_squares(moves, black, "last", 2) == ["c6", "g8"]


def test_an_answer_is_a_square() -> None:
    one = question("end_other", "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6", "f3", "d2 e5 g1 g5 h4")
    for given in END_BASELINES:
        scores = answer_by_counts(moves_of(*TRAINING), [one], given)[0]
        assert scores[:SQUARES].max() < scores[SQUARES : SQUARES + 64].min()


def test_questions_are_counted_for_one_task_at_a_time_by_its_own_baselines() -> None:
    moves = moves_of(*TRAINING)
    end = question("end_other", "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6", "f3", "e5")
    start = question("start_other", "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6", "f3", "f3")
    with pytest.raises(ValueError, match="one task and band"):
        answer_by_counts(moves, [end, start], "start")
    with pytest.raises(ValueError, match="no baseline 'last' of end_other"):
        answer_by_counts(moves, [end], "last")


def test_squares_left_by_side_give_own_pieces_their_share() -> None:
    moves = moves_of("e2e4 e7e5 g1f3 b8c6 f3g1 c6b8")
    one = question("end_other", "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6", "f3", "e5")
    assert baselines.share_on_own_pieces(moves, [one])[0] == pytest.approx(1 / 3)


# ---------------------------------------------------------------- what they are for


def test_a_model_is_measured_by_what_it_is_told() -> None:
    found = {
        (task, model): baselines.baseline_of(task, model)
        for task in ("end_actual", "start_other")
        for model in ("uci", "uci_ap", "lstm")
    }
    assert found == {
        ("end_actual", "uci"): "came_from",
        ("end_actual", "uci_ap"): "type",
        ("end_actual", "lstm"): "came_from",
        ("start_other", "uci"): "start_type",
        ("start_other", "uci_ap"): "last",
        ("start_other", "lstm"): "start_type",
    }


def test_a_sentence_stands_only_if_all_its_numbers_beat_their_baseline() -> None:
    good, bad = (Judged(Interval(1.0, 0.5, 1.5, 9), above) for above in (True, False))
    assert str(good) == "1.0 [0.5, 1.5]"
    assert f"{bad:.0f}" == f"1 [0, 2] {MARK}"
    said = {"Both do.": [good, good], "One does not.": [good, bad], "One is missing.": [None]}
    assert baselines.only_if_above(said, "Nothing.") == "Both do."
    assert baselines.only_if_above({"One does not.": [bad]}, "Nothing.") == "Nothing."


def test_runs_beat_the_even_draw_on_the_same_games_or_are_marked(tmp_path: Path) -> None:
    plies = np.full(40, 10)
    noise = np.random.default_rng(1).normal(0, 1, 40)
    even = Losses(30 + noise, plies)
    for name, nats in (("S-uci-1", 31 + noise), ("S-ap-1", 28 + noise), ("S-rap5-1", 30 - noise)):
        tensors = {"test.nats": torch.tensor(nats), "test.plies": torch.tensor(plies)}
        write_tensors(tensors, {"run": name}, measures_path(name, tmp_path))
    names = ["S-uci-1", "S-ap-1", "S-rap5-1"]
    known = baselines.judge_perplexities(names, even, seed=1, folder=tmp_path)
    assert [one.above for one in known.values()] == [False, True, False]
    change = baselines.judge_change("S-ap-1", "S-uci-1", known, seed=1, folder=tmp_path)
    assert change.value.value == pytest.approx(100 * math.expm1(-0.3))
    assert not change.above
    first = Losses(even.nats[:10], plies[:10])
    assert baselines.judge_perplexities(["S-ap-1"], first, seed=1, folder=tmp_path)["S-ap-1"].above


def test_names_are_listed_as_a_sentence_does() -> None:
    assert [baselines.enumerate_names(some) for some in ([], ["a"], ["a", "b", "c"])] == [
        "none",
        "a",
        "a, b and c",
    ]


# ---------------------------------------------------------------- the project's games


@pytest.mark.slow
def test_counting_beats_plain_models_of_the_project_and_the_draw_all_but_one() -> None:
    corpus = read_corpus()
    asked = probes.select(probes.read_probes(probes.probes_file()), "end_actual", "long")
    moves = list_moves(corpus.games, corpus.of("S"))
    legal = {
        given: score_probes(answer_by_counts(moves, asked, given), asked, seed=1).lgm.value
        for given in END_BASELINES
    }
    assert legal == pytest.approx({"start": 55.1, "came_from": 78.8, "type": 83.9}, abs=0.2)
    even = perplexity_of(even_draw(corpus.games, corpus.of("test")[:400]), seed=1)
    assert 22 < even.low < even.value < even.high < 24.5


# ---------------------------------------------------------------- the chapters


def tables_of(chapter: str) -> list[tuple[str, list[str]]]:
    """Caption and heads of the rows of every table that a chapter shows."""
    notebook = nbformat.read(EXECUTED / f"{chapter}.ipynb", as_version=4)
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            soup = BeautifulSoup(output.get("data", {}).get("text/html", ""), "lxml")
            for caption in soup.select("p.table-caption"):
                body = caption.find_next("tbody")
                heads = [row.find("th").get_text() for row in body.find_all("tr")]
                found.append((caption.get_text(), heads))
    return found


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_table_of_perplexities_and_legal_answers_has_its_baseline(chapter: str) -> None:
    differences = re.compile(r"\bless\b|\bagainst\b", re.IGNORECASE)
    legality = re.compile(r"\blegal answers|End-Actual|(ending|starting) squares", re.IGNORECASE)
    titles = {*END_BASELINES.values(), *START_BASELINES.values()}
    seen = 0
    for caption, heads in tables_of(chapter):
        if re.search("perplexity", caption, re.IGNORECASE) or legality.search(caption):
            if caption.startswith(("Live against", "Legal answers after 51 to 100 plies, counts")):
                continue
            seen += 1
            if differences.search(caption):
                assert MARK in caption, caption
            elif legality.search(caption):
                assert titles & set(heads), caption
            else:
                assert EVEN_DRAW in heads, caption
    assert seen >= 4
