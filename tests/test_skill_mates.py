"""Mate-in-one problems: chosen by rule, asked in three ways, answers told apart by outcome."""

import pytest
import zstandard

from chessgloss.corpora.games import read_games
from chessgloss.skill import mates
from chessgloss.skill.players import MoveAnswer, read_answer
from scripts import FIGURE_A5, SELFPLAY, load_script, refuses

script = load_script("mates/choose.py")


def problem(fen: str, *moves: str) -> mates.Problem:
    return mates.Problem("game", 7, fen, moves)


A5 = problem(FIGURE_A5, "a5c3")
#: Queen and rook can both mate.
TWO = problem("7k/8/5KQ1/8/8/8/8/RN6 w - - 0 1", "a1a8", "g6g7")
#: Both ways of mating are promotions.
PROMOTING = problem(
    "3k2r1/1P1n2q1/2pQ4/2Pp2b1/P2Pp1R1/4Pp2/7p/3BB2K w - - 0 48", "b7b8q", "b7b8r"
)


# ---------------------------------------------------------------- problems


def test_a_problem_names_moves_that_mate():
    assert (A5.side, A5.phase, A5.piece) == ("Black", "full board", "bishop")
    assert (A5.legal_moves, A5.first.san, A5.name) == (39, "Bxc3#", "game/7")
    for wrong in ((), ("a5b4",), ("a5a1",), ("a5b4", "a5c3")):
        refuses(ValueError, "is no mate in one", problem, FIGURE_A5, *wrong)


def test_problems_are_chosen_by_rule_from_held_out_games():
    games = list(read_games(SELFPLAY, 160))
    chosen = script.choose_problems(games, 12)
    assert script.choose_problems(games[::-1], 12) == chosen
    assert script.choose_problems(games, 5) == chosen[:5]
    keys = {game.key: game for game in games}
    assert {keys[each.game].split for each in chosen} <= {"test", "validation"}
    assert all(keys[each.game].position(each.ply).fen == each.fen for each in chosen)


def test_the_committed_problems_are_of_held_out_games():
    played = {game.key: game for game in read_games(SELFPLAY)}
    for chosen in mates.read_problems()[::10]:
        assert played[chosen.game].split in script.SPLITS
        assert chosen in script.problems_of(played[chosen.game])


def test_a_file_of_problems_says_what_is_wrong_with_it(tmp_path):
    path = tmp_path / "problems.tsv"
    script.write_problems(path, [A5])
    assert mates.read_problems(path) == [A5]
    refuses(ValueError, "holds 1 problems; cannot read 2", mates.read_problems, path, 2)
    path.write_text(path.read_text().replace("a5c3", "a5b4"))
    refuses(
        ValueError,
        r"line 2 is not a problem: .* is no mate in one",
        mates.read_problems,
        path,
    )
    path.write_text("fen\n")
    refuses(
        ValueError, "must begin with game, ply, fen, mates", mates.read_problems, path
    )


def test_lichess_puzzles_of_the_theme_become_problems(tmp_path):
    before = "N6r/1p1k1ppp/2np4/b3p3/4P1b1/NQ6/P4PPP/R3KB1R w KQ - 0 18"
    mate = f"00abc,{before},b3c3 a5c3,900,mateIn1 short"
    changes = (("b3c3 a5c3", ""), ("b3c3", "b3c9"), ("N6r", "9"), ("mateIn1", "fork"))
    lines = [mate, "damaged,mateIn1", *(mate.replace(*change) for change in changes)]
    lines += [mate.replace("00abc", "00abe"), ""]
    text = "\n".join(["PuzzleId,FEN,Moves,Rating,Themes", *lines])
    path = tmp_path / "puzzles.csv.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(text.encode()))
    found = mates.lichess_problems(path, 5)
    assert [each.game for each in found] == ["00abc", "00abe"]
    assert found[0].mates == ("a5c3",)
    assert mates.lichess_problems(path, 1) == found[:1]


# ---------------------------------------------------------------- prompts


def test_the_prompts_have_every_element_of_figure_a5():
    questions = mates.mate_questions([A5]).set_index("prompt")["request"]
    texts = [str(questions[name].messages) for name in mates.TABLE7]
    assert all(f"position: {FIGURE_A5}" in text for text in texts)
    assert ["best move - Bxc3#" in text for text in texts] == [False, True, False]
    assert ["checkmate with one move" in text for text in texts] == [False, False, True]


# ---------------------------------------------------------------- outcomes


@pytest.mark.parametrize(
    ("asked", "ends"),
    [
        (
            A5,
            {
                "Bxc3#": "mate",
                "1... Bxc3+": "mate",
                "a5c3": "mate",
                "Bb4": "no check",
                "Qxc3#": "illegal",
                "Bishop takes c3": "unreadable",
                "Bxc3 or Nd4": "unreadable",
                "I cannot tell": "refused",
            },
        ),
        (
            TWO,
            {
                "Qg7": "mate",
                "Ra8": "mate",
                "Qe8+": "check",
                "Qh6": "check",
                "Ra7": "no check",
            },
        ),
        (PROMOTING, {"b8=R": "mate", "b8=N": "no check", "b8": "illegal"}),
    ],
)
def test_any_mate_counts_and_nothing_else(asked, ends):
    assert {
        text: mates.outcome_of(asked, read_answer(text, asked.board)) for text in ends
    } == ends
    assert mates.outcome_of(asked, MoveAnswer.failed("timed out")) == "error"


def test_outcomes_come_as_rows_with_their_groups():
    few = problem("7k/6pp/8/8/8/8/PPr5/K7 b - - 0 1", "c2c1")
    crowded = problem("6k1/5ppp/8/8/1Q3B2/2N5/5PPP/3R2K1 w - - 0 1", "b4b8", "d1d8")
    problems = [A5, TWO, crowded, few]
    texts = ("Bxc3", "Kf5", "?", "Rc1")
    answers = [
        read_answer(text, each.board)
        for text, each in zip(texts, problems, strict=True)
    ]
    frame = mates.outcomes(problems, answers, "qwen", "bare")
    assert frame["outcome"].tolist() == ["mate", "no check", "unreadable", "mate"]
    assert frame["mates"].tolist() == [1, 0, 0, 1]
    assert [*frame["legal moves"][1:]] == ["31 to 40", "over 40", "up to 20"]
    assert frame["piece"].tolist() == ["bishop", "several", "several", "rook"]
