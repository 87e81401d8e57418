"""Mate-in-one problems: chosen by rule, asked in four ways, answers told apart by outcome."""

from __future__ import annotations

import hashlib
from pathlib import Path

import chess
import pandas as pd
import pytest
import zstandard

from chessgloss.corpora.games import of_split, read_games
from chessgloss.corpora.lichess import PUZZLE_COLUMNS, Puzzle
from chessgloss.llm import Answer as Said
from chessgloss.llm import Client, Model, Recordings
from chessgloss.positions import Game, Position, read_fen, split_of
from chessgloss.skill import mates
from chessgloss.skill.answers import Answer, read_answer
from chessgloss.skill.mate_outcomes import (
    OUTCOMES,
    error_kinds,
    groups,
    mates_worth,
    move_group,
    outcome_of,
    outcomes,
    shares,
    table7,
)
from chessgloss.skill.mate_prompts import (
    ASKED,
    PAPERS_MODELS,
    answered,
    command,
    mate_answers,
    mate_in_one_requests,
    mate_request,
    mate_requests,
)
from chessgloss.skill.mates import (
    Problem,
    ProblemsFileError,
    choose_problems,
    lichess_problems,
    mates_with,
    problems_file,
    problems_of,
    puzzle_problem,
    read_problems,
    sheet,
    with_history,
    without_mate,
    write_problems,
)
from chessgloss.skill.players import expected_of_random
from chessgloss.stats import Interval, share_of
from chessgloss.store import find_project

GAMES = find_project() / "data/games/selfplay.tsv.zst"
#: The CCC paper's Figure A5.
FIGURE_A5 = "N6r/1p1k1ppp/2np4/b3p3/4P1b1/N1Q5/P4PPP/R3KB1R b KQ - 0 18"
#: Queen and rook can both mate.
TWO_MATES = "7k/8/5KQ1/8/8/8/8/RN6 w - - 0 1"
#: Both ways of mating are promotions.
PROMOTION = "3k2r1/1P1n2q1/2pQ4/2Pp2b1/P2Pp1R1/4Pp2/7p/3BB2K w - - 0 48"
FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
MODEL = Model("scripted-1")


def problem(fen: str, *moves: str) -> Problem:
    return Problem("game", 7, fen, moves)


def a5() -> Problem:
    return problem(FIGURE_A5, "a5c3")


@pytest.fixture(scope="module")
def kept() -> list[Problem]:
    return read_problems()


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return list(read_games(GAMES, 160))


# ---------------------------------------------------------------- problems


def test_a_problem_names_moves_that_mate():
    one = a5()
    assert (one.side, one.phase, one.piece, one.legal_moves) == (
        "Black",
        "full board",
        "bishop",
        39,
    )
    assert one.first.san == "Bxc3#"
    assert one.name == "game/7"
    for wrong in ((), ("a5b4",), ("a5a1",)):
        with pytest.raises(ValueError, match="is no mate in one"):
            problem(FIGURE_A5, *wrong)


def test_every_mating_move_of_a_committed_problem_is_listed(kept: list[Problem]):
    for one in kept[::40]:
        board = one.board
        found = sorted(move.uci() for move in board.legal_moves if mates_with(board, move))
        assert tuple(found) == one.mates
        assert len(found) <= 0.25 * one.legal_moves
        assert one.legal_moves >= 5


def test_the_committed_problems_are_held_out_spread_and_each_of_another_game(kept: list[Problem]):
    assert len(kept) == 1_000
    assert len({one.game for one in kept}) == 1_000
    assert len({" ".join(one.fen.split(" ")[:2]) for one in kept}) == 1_000
    splits = [split_of(one.game) for one in kept]
    assert splits == ["test"] * 844 + ["validation"] * 156
    for first in (60, 200, 1_000):
        counts = mates.spread(kept[:first], "piece")
        assert set(counts) == {"bishop", "knight", "pawn", "queen", "rook", "several"}
        assert 0.4 < mates.spread(kept[:first], "side")["White"] / first < 0.6
    assert max(mates.spread(kept[:200], "piece").values()) < 0.3 * 200


def test_the_data_sheet_says_what_the_file_holds(kept: list[Problem]):
    text = (problems_file().parent / "README.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    said = [float(value.replace(",", "")) for name, value in rows[2:-1]]
    assert said == pytest.approx(list(sheet(kept).values()))
    assert hashlib.sha256(problems_file().read_bytes()).hexdigest() in text


def test_missed_mates_count_and_trivial_positions_do_not(monkeypatch: pytest.MonkeyPatch):
    missed = Game((*FOOLS_MATE[:3], "a7a6", "a2a3", "d8h4"), "0-1")
    found = list(problems_of(missed))
    assert [(one.ply, one.mates) for one in found] == [(3, ("d8h4",)), (5, ("d8h4",))]
    assert {one.game for one in found} == {missed.key}
    queens = Game((), "*", root="kb4Q1/2K5/8/1Q6/8/8/8/4Q3 w - - 0 1")  # two of seven mate
    assert list(problems_of(queens)) == []
    back_rank = Game((), "*", root="7k/6pp/8/8/8/8/PPr5/K7 b - - 0 1")
    assert [one.mates for one in problems_of(back_rank)] == [("c2c1",)]
    monkeypatch.setattr(mates, "FEWEST_MOVES", chess.Board(back_rank.root).legal_moves.count() + 1)
    assert list(problems_of(back_rank)) == []


def test_problems_are_chosen_by_rule_from_held_out_games(games: list[Game]):
    chosen = choose_problems(games, 12)
    assert choose_problems(games[::-1], 12) == chosen
    assert choose_problems(games, 5) == chosen[:5]
    keys = {game.key: game for game in games}
    assert {keys[one.game].split for one in chosen} <= {"test", "validation"}
    tests = of_split(games, "test")
    possible = {one.game for game in tests for one in problems_of(game)}
    assert [one.game in possible for one in choose_problems(games)].count(True) == len(possible)
    asked = with_history(chosen, games)
    assert [one.position.fen for one in asked] == [one.fen for one in chosen]
    assert all(one.has_history for one in asked)
    with pytest.raises(KeyError, match="1 games, such as game"):
        with_history([a5()], games)


def test_positions_without_a_mate_come_from_test_games(games: list[Game]):
    fens = list(without_mate(games, 25))
    tests = {fen for game in of_split(games, "test") for fen in game.fens()}
    assert len(fens) > 20
    assert set(fens) <= tests
    for fen in fens[::5]:
        board = chess.Board(fen)
        assert not any(mates_with(board, move) for move in board.legal_moves)
    assert not set(fens) & {one.fen for game in games for one in problems_of(game)}


@pytest.mark.slow
def test_the_committed_file_is_made_again_byte_for_byte(tmp_path: Path):
    write_problems(tmp_path / "again.tsv", choose_problems(read_games(GAMES)))
    assert (tmp_path / "again.tsv").read_bytes() == problems_file().read_bytes()


def test_a_file_of_problems_says_what_is_wrong_with_it(tmp_path: Path):
    path = tmp_path / "problems.tsv"
    write_problems(path, [a5()])
    assert read_problems(path) == [a5()]
    with pytest.raises(ProblemsFileError, match="holds 1 problems; cannot read 2"):
        read_problems(path, 2)
    path.write_text(path.read_text().replace("a5c3", "a5b4"))
    with pytest.raises(ProblemsFileError, match=r"line 2 is not a problem: .* is no mate in one"):
        read_problems(path)
    path.write_text("fen\n")
    with pytest.raises(ProblemsFileError, match="must begin with the columns"):
        read_problems(path)


def test_a_puzzle_of_lichess_is_a_problem():
    puzzle = Puzzle("00abc", read_fen(FIGURE_A5))
    assert puzzle_problem(puzzle) == Problem("00abc", 35, FIGURE_A5, ("a5c3",))
    quiet = Puzzle("00abd", Position(chess.STARTING_FEN))
    with pytest.raises(ValueError, match="is no mate in one"):
        puzzle_problem(quiet)


def test_lichess_puzzles_of_the_theme_become_problems(tmp_path: Path):
    header = ",".join(PUZZLE_COLUMNS)
    before = "N6r/1p1k1ppp/2np4/b3p3/4P1b1/NQ6/P4PPP/R3KB1R w KQ - 0 18"
    mate = f"00abc,{before},b3c3 a5c3,900,80,90,5,mateIn1 short,https://lichess.org/x,"
    quiet = mate.replace("mateIn1", "endgame").replace("00abc", "00abd")
    text = "\n".join([header, quiet, mate, "damaged,mateIn1", mate.replace("00abc", "00abe"), ""])
    path = tmp_path / "puzzles.csv.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(text.encode()))
    found = lichess_problems(path, 5)
    assert [(one.game, one.mates) for one in found] == [("00abc", ("a5c3",)), ("00abe", ("a5c3",))]
    assert len(lichess_problems(path, 1)) == 1


# ---------------------------------------------------------------- prompts


def test_the_prompts_have_every_element_of_figure_a5():
    texts = {
        kind: "\n".join(turn.content for turn in mate_request(a5(), kind).messages)
        for kind in ASKED
    }
    for text in texts.values():
        assert f"position: {FIGURE_A5}\n" in text
        assert "Forsyth-Edwards" in text
        assert "standard algebraic notation (SAN)" in text
        assert text.endswith("Move (SAN only):")
    assert "engine evaluation: best move - Bxc3#\n" in texts["expert"]
    assert ["Bxc3" in text for text in texts.values()] == [False, True, False]
    assert ["checkmate with one move" in text for text in texts.values()] == [False, False, True]


def test_the_prompt_by_the_vector_asks_nothing_new():
    assert mate_request(a5(), "vector", True) == mate_request(a5(), "hint")
    assert mate_request(a5(), "vector", False) == mate_request(a5(), "bare")
    with pytest.raises(ValueError, match="say whether the mate is seen"):
        mate_request(a5(), "vector")


def test_what_is_recorded_is_known_beforehand(kept: list[Problem]):
    requests = mate_in_one_requests()
    assert len(requests) == 3 * 200
    assert requests[:200] == mate_requests(kept[:200], ["bare"])
    assert requests == mate_in_one_requests()
    assert {one.prompt for one in requests} == {"mate_bare@1", "mate_expert@1", "mate_hint@1"}
    assert len(mate_in_one_requests(None)) == 3_000


def test_answers_are_replayed_by_prompt(tmp_path: Path):
    problems = [a5(), problem(TWO_MATES, "a1a8", "g6g7")]
    recordings = Recordings.of(MODEL, "mate_in_one", tmp_path)
    client = Client(recordings)
    assert not answered(client, problems)
    texts = {"bare": ("Nd4", "Qg7#"), "expert": ("Bxc3#", "Ra8#"), "hint": ("Bxc3", "mate!")}
    for kind, said in texts.items():
        for one, text in zip(problems, said, strict=True):
            recordings.keep(mate_request(one, kind), Said("answered", text), date="2026-01-31")
    assert answered(client, problems)
    found = {
        kind: [answer.san for answer in mate_answers(problems, kind, client)] for kind in ASKED
    }
    assert found == {"bare": ["Nd4", "Qg7#"], "expert": ["Bxc3#", "Ra8#"], "hint": ["Bxc3#", None]}
    by_vector = mate_answers(problems, "vector", client, [True, False])
    assert [answer.san for answer in by_vector] == ["Bxc3#", "Qg7#"]


def test_each_of_the_papers_models_has_its_command():
    assert list(PAPERS_MODELS) == ["GPT-4o", "GPT-4o-mini", "GPT-3.5-turbo", "ChessGPT"]
    assert command("GPT-4o") == "make record MODEL=gpt-4o PURPOSE=mate_in_one"


# ---------------------------------------------------------------- outcomes


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("Bxc3#", "mate"),
        ("1... Bxc3+", "mate"),
        ("a5c3", "mate"),
        ("Bb4", "no check"),
        ("Nd4", "no check"),
        ("Qxc3#", "illegal"),
        ("Bishop takes c3", "unreadable"),
        ("Bxc3 or Nd4", "unreadable"),
        ("I cannot tell", "refused"),
    ],
)
def test_an_answer_counts_if_it_mates(said: str, outcome: str):
    one = a5()
    assert outcome_of(one, read_answer(said, one.board)) == outcome


def test_any_mate_counts_and_a_check_is_none():
    one = problem(TWO_MATES, "a1a8", "g6g7")
    found = [
        outcome_of(one, read_answer(said, one.board))
        for said in ("Qg7", "Ra8", "Qe8+", "Qh6", "Ra7")
    ]
    assert found == ["mate", "mate", "check", "check", "no check"]
    pawn = problem(PROMOTION, "b7b8q", "b7b8r")
    assert outcome_of(pawn, read_answer("b8=R", pawn.board)) == "mate"
    assert outcome_of(pawn, read_answer("b8=N", pawn.board)) == "no check"
    assert outcome_of(pawn, read_answer("b8", pawn.board)) == "illegal"
    assert outcome_of(one, Answer.failed("timed out")) == "error"


def test_a_random_legal_move_mates_as_often_as_there_are_mates():
    one = problem(TWO_MATES, "a1a8", "g6g7")
    count = one.board.legal_moves.count()
    assert expected_of_random([one.asked()], mates_worth) == [2 / count]


def test_outcomes_come_as_rows_and_every_kind_has_a_column():
    problems = [a5(), problem(TWO_MATES, "a1a8", "g6g7"), a5()]
    said = ("Bxc3", "Kf5", "?")
    answers = [read_answer(text, one.board) for text, one in zip(said, problems, strict=True)]
    frame = outcomes(problems, answers, "qwen", "bare")
    assert frame["outcome"].tolist() == ["mate", "no check", "unreadable"]
    assert frame["legal moves"].tolist() == ["31 to 40", "31 to 40", "31 to 40"]
    assert frame["piece"].tolist() == ["bishop", "several", "bishop"]
    counts = error_kinds(pd.concat([frame, frame.assign(player="another")]))
    assert list(counts.columns) == list(OUTCOMES)
    assert list(counts.index) == ["qwen, bare", "another, bare"]
    assert counts.loc["qwen, bare", ["mate", "error"]].tolist() == [1, 0]
    assert shares(frame, "piece")["bishop"].value == 0.5
    by_piece = groups(pd.concat([frame, frame[:1].assign(player="another")]), "piece")
    assert list(by_piece.columns) == ["qwen, bare", "another, bare"]
    assert by_piece.loc["several", "another, bare"] == ""


@pytest.mark.parametrize(
    ("moves", "group"),
    [(1, "up to 20"), (20, "up to 20"), (21, "21 to 30"), (40, "31 to 40"), (41, "over 40")],
)
def test_problems_are_grouped_by_their_legal_moves(moves: int, group: str):
    assert move_group(moves) == group


def test_groups_by_legal_moves_begin_with_the_fewest():
    few = problem("7k/6pp/8/8/8/8/PPr5/K7 b - - 0 1", "c2c1")
    crowded = problem("6k1/5ppp/8/8/1Q3B2/2N5/5PPP/3R2K1 w - - 0 1", "b4b8", "d1d8")
    problems = [crowded, a5(), few]
    answers = [read_answer(one.first.san, one.board) for one in problems]
    table = groups(outcomes(problems, answers, "qwen", "bare"), "legal moves")
    assert table.index.tolist() == ["up to 20", "31 to 40", "over 40"]


def test_table_7_has_the_papers_values_beside_ours():
    ours = {("Qwen", "bare"): Interval(0.05, 0.03, 0.09, 200), ("GPT-4o", "hint"): share_of([1.0])}
    frame, printed = table7(ours, lambda row: f"fill {row}")
    assert list(frame.index) == ["GPT-4o", "GPT-4o-mini", "GPT-3.5-turbo", "ChessGPT", "Qwen"]
    assert frame.loc["GPT-4o", "bare (paper)"] == 0.564
    assert frame.loc["ChessGPT", "hint (paper)"] == 0.175
    assert frame.loc["Qwen", "bare"].value == 0.05
    assert frame["to fill"].tolist() == ["", "fill GPT-4o-mini", "fill GPT-3.5-turbo", "fill ChessGPT", ""]  # fmt: skip  # noqa: E501
    assert printed["GPT-3.5-turbo", "expert"].value == 0.988
