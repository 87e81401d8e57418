"""The labelled sets, and how a reader is scored on them."""

import json

import pytest

from chessgloss.claims import Checked, Claim, gold, verify
from chessgloss.claims.gold import GoldClaim, GoldError, GoldText
from chessgloss.positions import read_fen, read_move
from scripts import DATA, FIGURE_A6, refuses

DEV = DATA / "claims" / "dev.jsonl"
MATCHING = DATA / "claims" / "matching.tsv"
WRITTEN = DATA / "claims" / "written.jsonl"
MOVE = read_move(read_fen(FIGURE_A6), "Bxe6+")


def by_rules(text: GoldText) -> tuple[Checked, ...]:
    return verify(text.text, text.move)


def line(text: str) -> str:
    about = {"id": "one", "fen": FIGURE_A6, "move": "Bxe6+"}
    return json.dumps(about | {"text": text, "claims": []})


def labelled(*verdicts: str) -> GoldText:
    claims = tuple(GoldClaim("attack", (0, 1), each) for each in verdicts)
    return GoldText(" ".join(verdicts), MOVE, "A text.", claims)


def checked(*verdicts: str) -> list[Checked]:
    claim = Claim.parse("check side=black when=after")
    return [Checked(claim, each, "") for each in verdicts]  # type: ignore[arg-type]


def test_accusations_on_the_development_half_are_right():
    score = gold.score(gold.read_gold(DEV), by_rules)
    right, accused = score.precision
    assert right >= 0.95 * accused > 0


def test_scores_count_texts_that_are_accused_and_called_rightly():
    said = {
        labelled("false"): "false",
        labelled("false", "true"): "true",
        labelled("true"): "true",
        labelled("true", "not_checkable"): "false",
        labelled("not_checkable"): "false",
        labelled(): "not checkable",
    }
    score = gold.score(said, lambda text: checked(said[text]))
    assert score.precision == (1, 3)
    assert score.recall == (1, 2)
    assert score.called == (2, 4)


@pytest.mark.parametrize(
    "text", ["{", '{"id": "x"}', line("").replace("Bxe6+", "Bxe9")]
)
def test_a_bad_line_is_named(tmp_path, text):
    (tmp_path / "gold.jsonl").write_text(line("Fine.") + "\n" + text)
    refuses(
        GoldError, r"gold\.jsonl, line 2", list, gold.read_gold(tmp_path / "gold.jsonl")
    )


# ---------------------------------------------------------------- other writers, lectures


@pytest.mark.parametrize(
    ("half", "count"), [("fresh", 200), ("last", 200), ("new", 150)]
)
def test_half_of_each_writers_sentences_are_false(half, count):
    texts = list(gold.read_gold(WRITTEN, half))
    keys = {each.key for each in texts}
    assert len(keys) == len(texts) == count
    labels = [each.label for each in texts]
    assert labels.count("false") == count / 2
    assert labels.count("true") == count / 2


def test_the_matching_task_holds_four_moves_and_the_right_one(real_lectures):
    rows = [row.split("\t") for row in MATCHING.read_text().splitlines()[1:]]
    for lecture, number, candidates, right, _ in rows:
        assert candidates.split()[int(right)] == f"{lecture}/{number}"
    tasks = list(gold.read_matching(MATCHING, real_lectures, "test"))
    assert len(tasks) == [row[4] for row in rows].count("test")
    for task in tasks:
        assert len({text.move for text in task.texts}) == 4
        assert len({text.text for text in task.texts}) == 1


def test_a_match_is_where_most_fits_that_fits_few_others():
    position = read_fen(FIGURE_A6)
    said = {
        "Bxe6+": ["true", "not checkable"],
        "Qxa8": ["true", "true"],
        "Ba3": ["true", "false"],
    }
    claims = [Claim.parse(f"stands piece=wN{square}") for square in ("a1", "b1")]

    def check(text):
        verdicts = zip(claims, said[text.move.san], strict=True)
        return [Checked(claim, verdict, "") for claim, verdict in verdicts]

    moves = [read_move(position, san) for san in said]
    texts = [GoldText("one", move, "A comment.") for move in moves]
    assert gold.match(texts, check) == (1,)
    assert gold.match(texts, lambda text: ()) == (0, 1, 2)
