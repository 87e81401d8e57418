import json
import random
import re
from types import SimpleNamespace

import pytest

from chessgloss.claims import gold, verify
from chessgloss.claims.gold import GoldError, Score
from chessgloss.corpora.lectures import evaluated_lectures
from chessgloss.positions import MoveInContext, read_fen, read_move
from scripts import DATA, FIGURE_A6, PROJECT, refuses, selfplay

LIBRARY = PROJECT / "lib"
DEV = DATA / "claims" / "dev.jsonl"


def line(text: str, *claims: tuple[str, str, str]) -> str:
    labelled = []
    for words, kind, verdict in claims:
        start = text.index(words)
        labelled.append(
            {"span": [start, start + len(words)], "kind": kind, "verdict": verdict}
        )
    about = {"id": "one", "fen": FIGURE_A6, "move": "Bxe6+"}
    return json.dumps(about | {"text": text, "claims": labelled})


def test_accusations_on_the_development_half_are_right_and_few_are_missing():
    scores = gold.score_gold(DEV)
    assert scores["all"].right >= 0.99 * scores["all"].accused
    least = {"move": 0.95, "piece": 0.95, "attack": 0.9, "check": 0.9, "capture": 0.8}
    assert all(
        scores[kind].found >= bound * scores[kind].wrong
        for kind, bound in least.items()
    )


def test_scores_count_accusations_and_what_they_find(tmp_path):
    (tmp_path / "gold.jsonl").write_text(
        "\n".join(
            [
                line(
                    "The bishop takes the knight.",
                    ("takes the knight", "capture", "false"),
                ),
                line(
                    "The rook on a8 is there.", ("The rook on a8", "piece", "false")
                ),  # a wrong label
                line(
                    "The queen on d4 is there.", ("The queen on d4", "piece", "true")
                ),  # and another
                line(
                    "It plays Bxg7.", ("Bxg7", "capture", "false")
                ),  # read as a move, an equivalent kind
            ]
        )
    )
    scores = gold.score_gold(tmp_path / "gold.jsonl")
    assert scores["capture"] == Score(accused=1, right=1, wrong=2, found=2)
    assert scores["piece"] == Score(accused=1, right=0, wrong=1, found=0)
    assert scores["move"] == Score(accused=1, right=1, wrong=0, found=0)
    assert scores["mate"] == Score(0, 0, 0, 0)


@pytest.mark.parametrize(
    "text", ["{", '{"id": "x"}', line("e4").replace("Bxe6+", "Bxe9")]
)
def test_a_bad_line_is_named(tmp_path, text):
    (tmp_path / "gold.jsonl").write_text(line("Fine.") + "\n" + text)
    refuses(
        GoldError, r"gold\.jsonl, line 2", list, gold.read_gold(tmp_path / "gold.jsonl")
    )


# ---------------------------------------------------------------- human sentences

HUMAN = {half: DATA / "claims" / f"human_{half}.jsonl" for half in ("dev", "test")}
MATCHING = DATA / "claims" / "matching.tsv"


@pytest.fixture(scope="module")
def human(real_lectures):
    """The labelled comments of both halves; the reader refuses another text and a wrong edit."""
    return {
        half: list(gold.read_human(path, real_lectures)) for half, path in HUMAN.items()
    }


@pytest.mark.parametrize("half", HUMAN)
def test_labels_of_human_sentences_fit_the_lectures(half, human, real_lectures):
    texts = {each.key: each for each in human[half]}
    kept = evaluated_lectures(real_lectures)
    for row in map(json.loads, HUMAN[half].read_text().splitlines()):
        key = f"{row['lecture']}/{row['number']}"
        assert (row["lecture"] in kept) == (half == "test")
        for label in row["claims"]:
            quoted = label["quote"].split()
            words = texts[key].text[slice(*label["span"])].split()
            assert (quoted[0], quoted[-1]) in ((words[0], words[-1]), (words[0], "…"))
        assert (
            sum(len(label["quote"].replace("…", "").split()) for label in row["claims"])
            <= 15
        )
        for number, edit in enumerate(row["edits"]):
            twin = texts[f"{key}+{number}"]
            assert row["claims"][edit["claim"]]["verdict"] == "true"
            assert twin.text != texts[key].text
            assert "false" in {claim.verdict for claim in twin.claims}
    claims = [claim for text in texts.values() for claim in text.claims]
    assert {claim.verdict for claim in claims} <= {"true", "false", "not_checkable"}


def test_the_halves_share_no_position(human):
    dev, test = (
        {(g.move.position.fen, g.move.uci) for g in texts} for texts in human.values()
    )
    assert dev.isdisjoint(test)


def test_another_text_of_a_lecture_is_noticed(tmp_path, real_lectures):
    row = json.loads(HUMAN["dev"].read_text().splitlines()[0])
    row["sha256"] = "0" * 64
    (tmp_path / "human.jsonl").write_text(json.dumps(row))
    with pytest.raises(GoldError, match=r"human\.jsonl, line 1: .*another one"):
        list(gold.read_human(tmp_path / "human.jsonl", real_lectures))


def test_the_matching_task_holds_four_moves_and_the_right_one(real_lectures):
    rows = [row.split("\t") for row in MATCHING.read_text().splitlines()[1:]]
    for lecture, number, candidates, right, _ in rows:
        assert candidates.split()[int(right)] == f"{lecture}/{number}"
    for split in ("dev", "test"):
        tasks = list(gold.read_matching(MATCHING, real_lectures, split))
        assert len(tasks) == sum(row[4] == split for row in rows)
        for _, moves, _ in tasks:
            assert len({(move.position.fen, move.uci) for move in moves}) == 4


def test_a_match_is_where_most_fits_that_fits_few_others():
    moves = [read_move(read_fen(FIGURE_A6), san) for san in ("Bxe6+", "Qxa8", "Ba3")]
    said = dict(
        zip(
            moves,
            (
                ["true", "not checkable", "true"],
                ["true", "true", "true"],
                ["true", "true", "false"],
            ),
            strict=True,
        )
    )

    def check(_, move):
        return [SimpleNamespace(verdict=each, anchor="none") for each in said[move]]

    assert gold.match("", moves, check) == (1,)
    assert gold.match("", moves, lambda _, move: ()) == (0, 1, 2)
    # a place that the words name, without any claim
    assert gold.match("Look at a3.", moves, lambda _, move: ()) == (2,)
    assert gold.match("On the kingside.", moves, lambda _, move: ()) == (0,)


def test_minimal_pairs_differ_in_one_word_and_are_told_apart():
    plies = ((game, ply) for game in selfplay(300) for ply in range(7, 300, 53))
    known = ((game, ply) for game, ply in plies if ply < len(game.moves))
    moves = [MoveInContext(game.position(ply), game.moves[ply]) for game, ply in known]
    pairs = gold.minimal_pairs(moves, 300, seed=3)
    assert pairs == gold.minimal_pairs(moves, 300, seed=3)
    refuses(ValueError, r"only \d+ of 9 pairs", gold.minimal_pairs, moves[:1], 9)
    assert {pair.error for pair in pairs} == {
        "wrong_square",
        "wrong_piece",
        "wrong_side",
    }
    for pair in pairs:
        assert "false" not in {one.verdict for one in verify(pair.true, pair.move)}, (
            pair
        )
        assert "false" in {one.verdict for one in verify(pair.false, pair.move)}, pair
        words = zip(pair.true.split(), pair.false.split(), strict=True)
        assert sum(one != other for one, other in words) == 1, pair


def test_a_square_in_error_is_a_neighbour_and_no_pawn_comes_to_the_last_ranks():
    clause = "the white pawn on e2 is passed"
    rng = random.Random(0)
    squares = {text.split()[4] for text in gold.corrupted(clause, "wrong_square", rng)}
    assert squares == {"d2", "f2", "d3", "e3", "f3"}


def test_no_module_of_the_checker_takes_a_name_from_a_package_alone():
    """Chapter 5's walk over the modules that decide a verdict would miss what is passed on."""
    for path in (
        *LIBRARY.glob("chessgloss/claims/**/*.py"),
        *LIBRARY.glob("chessgloss/facts/*.py"),
    ):
        imports = re.findall(
            r"(?m)^from (chessgloss\S*) import (\w+)", path.read_text()
        )
        for module, taken in imports:
            folder = LIBRARY.joinpath(*module.split("."))
            assert (
                folder.with_suffix(".py").is_file()
                or (folder / f"{taken}.py").is_file()
            ), path
