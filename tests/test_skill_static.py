from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import chess
import numpy as np
import pandas as pd
import pytest

from chessgloss.positions import Position, read_fen
from chessgloss.skill.answers import Answer, Reasoned, read_answer
from chessgloss.skill.dashboard import export, make_page, page_frame, show_page, suite_frame
from chessgloss.skill.elo_players import COLUMNS, EloPlayer
from chessgloss.skill.engine_players import LevelsMissing
from chessgloss.skill.grading import GRADES, MoveTable, grade
from chessgloss.skill.motifs import kind_of, motifs
from chessgloss.skill.players import Asked
from chessgloss.skill.static_players import (
    MODEL_PLAYS,
    answer_states,
    check_reasons,
    reasoned_of,
    static_requests,
)
from chessgloss.skill.static_scores import (
    by_group,
    cliffs_delta,
    compare,
    equal_weights,
    grade_shares,
    grade_sheet,
    overall,
    plan_score,
    positions_to_tell,
    random_sheet,
    spread_at,
    weighted_mean,
)
from chessgloss.skill.suite import SuitePosition
from chessgloss.skill.validation import rank_agreement, ranking_by

START = Position(chess.STARTING_FEN)
#: What six moves of the first position are worth; of these a4 is a good move, f3 a blunder.
VALUES = {"e2e4": 40, "d2d4": 35, "a2a4": 15, "h2h3": -10, "h2h4": -50, "f2f3": -110}
TABLE = MoveTable(START, VALUES, ("e2e4", "d2d4", "a2a4", "h2h3", "h2h4"))


def answers(*texts: str) -> list[Answer]:
    return [read_answer(text, chess.Board()) for text in texts]


def sheet_of(*texts: str) -> pd.DataFrame:
    names = [f"p{number}" for number in range(len(texts))]
    return grade_sheet(names, [TABLE] * len(texts), answers(*texts))


# ---------------------------------------------------------------- marks and losses


def test_marks_follow_the_plan_and_failures_get_the_lowest():
    sheet = sheet_of("e4", "a4", "h3", "h4", "f3", "e5", "hello")
    assert sheet["mark"].tolist() == [5, 4, 3, 2, 1, 1, 1]
    assert sheet["loss"].dropna().tolist() == [0, 25, 50, 90, 150]
    assert sheet["charged"].tolist() == [0, 25, 50, 90, 150, 150, 150]
    assert sheet["legal"].tolist() == [1, 1, 1, 1, 1, 0, 0]
    assert grade_shares(sheet).sum() == pytest.approx(1)
    assert grade_shares(sheet)["Unreadable"] == pytest.approx(1 / 7)


def test_the_plans_code_drops_illegal_moves_and_counts_errors_as_legal():
    sheet = sheet_of("e4", "e5", "hello")
    ours = overall(sheet, ["g1", "g2", "g3"], seed=1)
    assert ours["score"].value == pytest.approx(7 / 3)
    assert ours["legal_rate"].value == pytest.approx(1 / 3)
    assert ours["acpl"].n == 1
    assert plan_score(sheet) == {"overall_score": 2.5, "legal_move_rate": pytest.approx(2 / 3)}
    nothing = sheet_of("e5", "Ke2")
    assert plan_score(nothing) == {"overall_score": 0, "legal_move_rate": 0}
    assert "acpl" not in overall(nothing, ["a", "b"], seed=1)


def test_a_random_move_is_the_exact_mean_over_all_moves():
    sheet = random_sheet(["p0"], [TABLE])
    every = sheet_of("e4", "d4", "a4", "h3", "h4", "f3")
    for column in ("mark", "loss", "uncut", "charged", "win_loss", "best", "top_five", *GRADES):
        assert sheet[column].iloc[0] == pytest.approx(every[column].mean()), column


def test_the_score_is_between_the_marks_whatever_is_answered():
    random = np.random.default_rng(3)
    said = random.choice(["e4", "a4", "f3", "e5", "?", "Nf3xx"], 40)
    score = overall(sheet_of(*said), np.arange(40) // 2, seed=1)["score"]
    assert 1 <= score.low <= score.value <= score.high <= 5


# ---------------------------------------------------------------- groups and comparisons


def test_groups_leave_out_what_has_no_value():
    sheet = sheet_of("e4", "f3", "e5", "d4")
    found = by_group(sheet, ["a", "a", "b", "c"], ["g1", "g1", "g2", "g3"], seed=1)
    assert list(found.index) == ["a", "c"]
    assert found["a"].value == 75


def test_equal_weights_give_every_cell_the_same_voice():
    weights = equal_weights(
        ["early", "early", "early", "late"], ["quiet", "quiet", "quiet", "quiet"]
    )
    assert weights.tolist() == pytest.approx([2 / 3] * 3 + [2])
    values = pd.Series([10.0, 10.0, 10.0, 50.0])
    assert weighted_mean(values, weights, [1, 2, 3, 4], seed=1).value == pytest.approx(30)
    holes = pd.Series([10.0, np.nan, np.nan, 50.0])
    assert weighted_mean(holes, weights, [1, 2, 3, 4], seed=1).value == pytest.approx(40)


def test_two_players_are_compared_on_the_same_positions_only():
    better, worse = sheet_of("e4", "d4", "e4", "e4"), sheet_of("h4", "f3", "h4", "h3")
    found = compare(better, worse, [1, 2, 3, 4], seed=1)
    assert found.difference.value == pytest.approx((5 - 90 - 150 - 90 - 50) / 4)
    assert compare(better, better, [1, 2, 3, 4], seed=1).p == 1
    with pytest.raises(ValueError, match="same positions"):
        compare(better, worse.iloc[:3], [1, 2, 3, 4], seed=1)


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [([3, 4], [1, 2], 1), ([1, 2], [3, 4], -1), ([1, 2], [1, 2], 0), ([2, 2], [1, 2], 0.5)],
)
def test_cliffs_delta_counts_who_is_larger(first: list, second: list, wanted: float):
    assert cliffs_delta(first, second) == wanted


def test_intervals_shrink_with_the_root_of_the_positions():
    values = np.random.default_rng(0).exponential(50, 300)
    found = spread_at(values, (10, 40, 160), seed=1)
    assert found[10] > found[40] > found[160]
    assert found[10] / found[160] == pytest.approx(4, rel=0.15)


def test_smaller_differences_need_more_positions():
    noise = np.random.default_rng(0).normal(0, 50, 400)
    noise -= noise.mean()
    few, many = positions_to_tell(noise + 20), positions_to_tell(noise + 10)
    assert many / few == pytest.approx(4)
    assert few == pytest.approx((1.96 + 0.8416) ** 2 * noise.std(ddof=1) ** 2 / 400, rel=1e-3)
    assert positions_to_tell(noise - noise.mean()) > 1e6


def test_rankings_are_compared_player_by_player():
    said = {"good": answers("e4"), "fair": answers("a4"), "bad": answers("f3")}
    ours = ranking_by(said, ["p0"], [TABLE])
    assert ours.to_dict() == {"good": 0, "fair": 25, "bad": 150}
    other = MoveTable(START, {**VALUES, "a2a4": -300}, TABLE.ranked)
    assert rank_agreement(ours, ranking_by(said, ["p0"], [other])) == pytest.approx(1 / 3)
    assert rank_agreement(ours, ours[::-1]) == pytest.approx(1)


# ---------------------------------------------------------------- positions and pages


@pytest.mark.parametrize(
    ("fen", "wanted", "kind"),
    [(chess.STARTING_FEN, set(), "quiet"),
     ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
      {"mate", "capture", "hanging"}, "tactical"),
     ("4k3/8/8/8/7b/8/8/4K3 w - - 0 1", {"check"}, "tactical"),
     ("4k3/4n3/8/8/8/8/8/4RK2 b - - 0 1", {"pin"}, "quiet"),
     ("2r1k3/8/8/3N4/8/8/8/4K3 w - - 0 1", set(), "quiet"),
     ("2r1k3/8/1N6/8/8/8/8/4K3 w - - 0 1", {"capture"}, "tactical")],
)  # fmt: skip
def test_motifs_say_what_is_at_stake(fen: str, wanted: set[str], kind: str):
    found = motifs(read_fen(fen).board())
    assert found >= wanted
    assert kind_of(found) == kind


def suite_rows() -> list[SuitePosition]:
    """Four positions of two games, of which two are late."""
    rows = []
    for number, band in enumerate(("early", "late", "middle", "late")):
        game = f"game{number // 2}"
        name = f"skill_05.{number // 2:03d}.{band}"
        made = (name, 5, "1200", game, number // 2, 6, band, "opening", chess.STARTING_FEN, "e2e4")
        rows.append(SuitePosition(*made))  # type: ignore[arg-type]
    rows[1] = SuitePosition("skill_05.000.late", 5, "1200", "game0", 0, 6, "late", "endgame",
                            "4k3/8/8/8/7b/8/8/4K3 w - - 0 1", "e1f1")  # fmt: skip
    return rows


def graded_page(player: str, *texts: str) -> tuple[list, pd.DataFrame]:
    suite = suite_frame(suite_rows())
    sheet = sheet_of(*texts).assign(name=suite["name"])
    return make_page(player, sheet, suite, seed=1), suite


def test_every_page_has_the_same_form():
    first, suite = graded_page("alpha", "e4", "d4", "f3", "e5")
    second, _ = graded_page("beta", "e4", "e4", "e4", "e4")

    def form(rows):
        return [(row.grouping, row.group, row.measure) for row in rows]

    assert form(first) == form(second)
    assert suite["kind"].tolist() == ["quiet", "tactical", "quiet", "quiet"]
    assert suite["motif check"].tolist() == [False, True, False, False]
    frame = page_frame(first).set_index(["grouping", "group", "measure"])["value"]
    assert frame["band", "late", "charged"] == pytest.approx((5 + 150) / 2)
    assert frame["motif", "check", "score"] == 5
    assert frame["all", "all", "weighted"] == pytest.approx((5 + (0 + 150 + 150) / 3) / 2)
    shown = show_page(first)
    assert "alpha" in shown.text
    assert "phase: endgame" in shown.html


def test_answers_of_other_positions_are_refused():
    suite = suite_frame(suite_rows())
    with pytest.raises(ValueError, match="alpha"):
        make_page("alpha", sheet_of("e4", "e4", "e4", "e4"), suite, seed=1)


def test_the_dashboard_is_written_as_csv_and_json(tmp_path: Path):
    rows = graded_page("alpha", "e4", "d4", "f3", "e5")[0]
    rows += graded_page("beta", "e4", "e4", "e4", "e4")[0]
    plain, structured = export(rows, tmp_path, about={"suite": 1})
    read, data = pd.read_csv(plain), json.loads(structured.read_text())
    assert len(read) == len(rows)
    assert list(data["players"]) == ["alpha", "beta"]
    assert data["suite"] == 1
    assert data["players"]["beta"][0]["value"] == 5
    first = plain.read_bytes(), structured.read_bytes()
    export(rows, tmp_path, about={"suite": 1})
    assert first == (plain.read_bytes(), structured.read_bytes())


# ---------------------------------------------------------------- players


def asked_positions(count: int) -> list[Asked]:
    line = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7")
    return [Asked(f"p{n}", Position.after(line[: n % 11])) for n in range(count)]


def test_a_model_is_asked_every_way_and_for_some_reasons():
    asked = asked_positions(10)
    asked = [Asked(f"skill_05.{n:03d}.late", one.position) for n, one in enumerate(asked)]
    told: Mapping[str, tuple[str, ...]] = {one.name: ("White has a fork",) for one in asked}
    requests = static_requests(asked, told)
    assert len(requests) == 10 * len(MODEL_PLAYS) + len(reasoned_of(asked)) == 54
    assert set(reasoned_of(asked[:3])) <= set(reasoned_of(asked))
    assert len({request.prompt for request in requests}) == 3
    assert any("White has a fork" in request.messages[-1].content for request in requests)


def test_states_are_counted_and_none_is_lost():
    found = answer_states({"a": answers("e4", "e5", "?"), "b": [Answer.failed("late")] * 3})
    assert found.loc["a"].to_dict() == {"legal": 1, "illegal": 1, "unreadable": 1, "error": 0}
    assert (found.sum(axis=1) == 3).all()


def test_reasons_of_legal_moves_are_held_against_the_board():
    asked = asked_positions(3)
    said = [Reasoned(read_answer("d4", asked[0].position.board()), "The queen on a5 is attacked."),
            Reasoned(read_answer("e5", asked[1].position.board()), ""),
            Reasoned(read_answer("Qh8", asked[2].position.board()), "It wins.")]  # fmt: skip
    found = check_reasons(asked, said, seed=1)
    assert (found.asked, found.legal, found.given) == (3, 2, 1)
    assert found.claims >= 1
    assert found.false is not None
    assert found.false.value > 0
    assert found.sound is not None
    assert found.sound.value == 0


def test_an_elo_plays_what_was_recorded_and_a_gap_is_named(tmp_path: Path):
    path = tmp_path / "answers.tsv"
    lines = ["\t".join(COLUMNS), "\t".join(("1350", "100", "p0", chess.STARTING_FEN, "e2e4"))]
    path.write_text("\n".join(lines) + "\n")
    player = EloPlayer(1350, path)
    assert player.name == "stockfish_elo_1350"
    assert player.choose(asked_positions(1))[0].san == "e4"
    with pytest.raises(LevelsMissing, match=r"1 of 2 positions, such as 'p1'.*artefacts answers"):
        player.choose(asked_positions(2))


def test_the_table_and_the_sheet_agree():
    assert sheet_of("h4")["win_loss"].iloc[0] == grade(TABLE, "h2h4").win_loss
