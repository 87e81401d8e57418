"""The experiment: its arms differ in what they are named for, and are those that were decided."""

import difflib
import json

import numpy as np
import pandas as pd
import pytest

from chessgloss.claims import verify
from chessgloss.commentary.experiment import arms
from chessgloss.commentary.methods import describe_attacks
from chessgloss.judges import contrasts
from chessgloss.llm.client import replay
from chessgloss.llm.recordings import Answer, Request, State
from chessgloss.positions import read_fen, read_move
from chessgloss.store import data_file
from scripts import load_script


@pytest.fixture(scope="module")
def asked() -> list[Request]:
    return arms.questions()


@pytest.fixture(scope="module")
def one_move(asked: list[Request]) -> dict[str, list[str]]:
    """Return the lines of every arm's prompt for one move that all are asked on."""
    of = next(
        each.about["of"] for each in asked if each.about["method"] == "ccc_learned"
    )
    return {
        str(each.about["method"]): [
            line
            for turn in each.messages
            for line in (f"--- {turn.role}", *turn.content.splitlines())
        ]
        for each in asked
        if each.about["of"] == of
    }


def added(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines that only the first, and only the second of two prompts has."""
    lines = list(difflib.ndiff(before, after))
    return (
        [line[2:] for line in lines if line.startswith("- ")],
        [line[2:] for line in lines if line.startswith("+ ")],
    )


@pytest.mark.parametrize(
    ("without", "with_part", "beginnings"),
    [
        ("bare", "verdict", ("You are given what a chess engine", "Engine: ")),
        (
            "verdict",
            "verdict_attacks",
            (
                "You are given every attack",
                "Attacks after the move:",
                "- White ",
                "- Black ",
            ),
        ),
        (
            "verdict_attacks",
            "reasoning",
            ('Before the comment write "Thoughts:"', "Thoughts:", "- E", "- Attacks: "),
        ),
        (
            "reasoning",
            "ccc",
            (
                "You are given the concepts",
                "Concepts changed most:",
                *(f"{rank}. " for rank in range(1, 6)),
                "- Concepts: ",
            ),
        ),
        (
            "ccc_no_attacks",
            "ccc",
            (
                "You are given every attack",
                "Attacks after the move:",
                "- White ",
                "- Black ",
                "- Attacks: ",
            ),
        ),
    ],
)
def test_neighbouring_arms_differ_in_the_part_that_they_are_named_for(
    one_move, without, with_part, beginnings
):
    lost, gained = added(one_move[without], one_move[with_part])
    assert not lost
    for beginning in beginnings:
        assert any(line.startswith(beginning) for line in gained), beginning
    assert all(line.startswith(beginnings) for line in gained)


@pytest.mark.parametrize("other", ["ccc_others", "ccc_oracle", "ccc_learned"])
def test_arms_with_other_concepts_differ_in_the_five_of_the_move_alone(one_move, other):
    ours, theirs = one_move["ccc"], one_move[other]
    assert ours[:-5] == theirs[:-5]
    assert ours[-6] == "Concepts changed most:"
    if other == "ccc_others":
        assert not {line[3:] for line in ours[-5:]} & {line[3:] for line in theirs[-5:]}


@pytest.mark.parametrize("arm", ["verdict", "ccc"])
def test_without_examples_nothing_but_the_examples_is_left_out(one_move, arm):
    shown, bare = one_move[arm], one_move[f"{arm}_zero"]
    first = shown.index("--- user")
    last = len(shown) - shown[::-1].index("--- user") - 1
    assert shown[:first] + shown[last:] == bare
    assert shown[first:last].count("--- assistant") == 2


def test_what_the_examples_say_is_true_and_as_the_program_would_tell_it():
    assert [each["side"] for each in arms.EXAMPLES] == ["White", "Black"]
    for each in arms.EXAMPLES:
        move = read_move(read_fen(each["position"]), each["move"].split()[-1])
        told = [f"- {line}" for line in each["attacks"]]
        assert describe_attacks(move.after()).splitlines() == told
        assert not [c for c in verify(each["comment"], move) if c.verdict == "false"]


def test_the_questions_are_those_that_were_decided_before_an_answer_was_there(asked):
    freeze = load_script("commentary/factorial/freeze.py")
    frozen = json.loads(data_file("commentary/factorial/frozen.json").read_text())
    assert frozen["sha256"]["prompts"] == freeze.prompts_sha256(asked)
    assert frozen["moves"] == len({each.about["of"] for each in asked}) == 303
    assert len({(each.about["of"], each.about["method"]) for each in asked}) == len(
        asked
    )


@pytest.mark.parametrize(
    ("answer", "comment", "state"),
    [
        ("Comment: A fine\nmove.", "A fine move.", "answered"),
        ("Thoughts:\n- Engine: x.\nComment: A move.", "A move.", "answered"),
        ("**Comment:** A move.", "A move.", "answered"),
        ("Thoughts without an end.", "", "unread"),
        (Answer(State.CUT_OFF, "Comment: half a"), "", "cut_off"),
    ],
)
def test_a_comment_is_what_follows_its_mark(answer, comment, state):
    given = (
        answer if isinstance(answer, Answer) else Answer(State.ANSWERED, str(answer))
    )
    read = arms.read_comment(given, "ccc")
    assert (read.text, read.state) == (comment, state)


def test_p_values_are_adjusted_step_by_step():
    # R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
    adjusted = contrasts.holm([0.01, 0.04, 0.03, 0.005])
    assert adjusted == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_a_step_that_helps_differs_and_one_that_changes_nothing_is_alike():
    random = np.random.default_rng(1)
    names = [f"lec{k % 6}/{k}" for k in range(600)]
    without = (random.random(600) < 0.6).astype(float)
    frame = pd.DataFrame(
        {
            "without": without,
            "helped": without * (random.random(600) < 0.7),
            "same": without,
        },
        index=names,
    )
    steps = {"helps": [("helped", "without")], "idle": [("same", "without")]}
    helps, idle = contrasts.compare(frame, steps, seed=1)
    assert helps.verdict == "differs"
    assert helps.by_moves.high < 0
    assert idle.verdict == "alike"


def test_every_comment_on_the_sheet_has_its_writer_and_both_readers_labels() -> None:
    place = data_file("commentary/factorial")
    lines = (place / "sheet.jsonl").read_text("utf-8").splitlines()
    shown = {
        (move["move"], letter)
        for move in map(json.loads, lines)
        for letter in move["comments"]
    }
    tables = [place / "key.tsv", *sorted(place.glob("reading_?.tsv"))]
    assert len(tables) == 3
    for path in tables:
        rows = pd.read_csv(path, sep="\t")
        assert sorted(zip(rows["move"], rows["letter"], strict=True)) == sorted(shown)


def test_every_recorded_answer_is_to_a_question_of_today(asked: list[Request]) -> None:
    client = replay(arms.PURPOSE)
    missing = client.missing(asked)
    whole = {each.about["of"] for each in asked} - {
        each.about["of"] for each in missing
    }
    # two arms ask the same where the ranking and Stockfish 8 choose the same five
    keys = {client.recordings.key_of(each) for each in asked}
    assert len(client.recordings) == len(keys) - len(missing)
    assert len(whole) >= 60
