"""What came of comments, by move and by arm: accusations, blind answers, planted errors."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from chessgloss.claims import Checked, Claim
from chessgloss.commentary import voice
from chessgloss.commentary.briefing import Comment
from chessgloss.judges import outcomes
from chessgloss.judges.steps import Ruler
from chessgloss.positions import Position
from scripts import refuses

MOVES = ("a/1", "a/2", "a/3")
TEXTS = {
    "bare": {"a/1": "It forks. It is good.", "a/2": "It pins.", "a/3": ""},
    "ccc": {"a/1": "It forks. It is good.", "a/2": "It holds.", "a/3": "It is level."},
}
COMMENTS = {
    arm: {name: Comment(text, arm) for name, text in of_arm.items()}
    for arm, of_arm in TEXTS.items()
}


def claim(words: str, verdict: str, span: tuple[int, int] = (0, 9)) -> Checked:
    return Checked(Claim.parse(words).at(*span), verdict, "so it is")


FORKS = "fork piece=moved when=after"
GOOD = "quality grade=good"
FIRST = {
    voice.text_key("a/1", "It forks. It is good."): (
        claim(FORKS, "false"),
        claim(GOOD, "true", (10, 21)),
    ),
    voice.text_key("a/2", "It pins."): (claim(FORKS, "false", (0, 8)),),
    voice.text_key("a/2", "It holds."): (claim(GOOD, "false"),),
    voice.text_key("a/3", "It is level."): (),
}
#: The second reading bears out what is said of a/1 and of "It holds.", and nothing else.
SECOND = {
    **FIRST,
    voice.text_key("a/2", "It pins."): (claim(FORKS, "true", (0, 8)),),
}


def test_an_accusation_counts_where_both_readings_make_it_and_no_comment_is_no_zero():
    false = outcomes.by_arm(COMMENTS, voice.accused(FIRST, SECOND))
    assert false["bare"].tolist()[:2] == [1, 0] and np.isnan(false.at["a/3", "bare"])
    assert false["ccc"].tolist() == [1, 1, 0]


def test_board_and_evaluation_are_counted_apart_and_a_lone_accusation_is_not_decided():
    claims = outcomes.decided_claims(COMMENTS, FIRST, SECOND)
    counted = claims.groupby(["arm", "by"])["false"].agg(["sum", "size"])
    assert counted.to_dict("index") == {
        ("bare", "board"): {"sum": 1, "size": 1},
        ("bare", "evaluation"): {"sum": 0, "size": 1},
        ("ccc", "board"): {"sum": 1, "size": 1},
        ("ccc", "evaluation"): {"sum": 1, "size": 2},
    }


def test_comments_with_some_claims_are_those_that_were_read():
    false = outcomes.by_arm(COMMENTS, voice.accused(FIRST, SECOND))
    claims = outcomes.decided_claims(COMMENTS, FIRST, SECOND)
    wrong = claims[(claims["by"] == "board") & (claims["false"] == 1)]
    found = outcomes.comments_with(wrong, false)
    assert found["ccc"].tolist() == [1, 0, 0] and np.isnan(found.at["a/3", "bare"])


def blindly(**answers: tuple[str, str]) -> pd.DataFrame:
    """Return both readings' answers to one thing, by writer, on one move."""
    return pd.DataFrame(
        [
            {"reading": reading, "move": "a/1", "writer": writer, "text": writer, "x": said}
            for writer, pair in answers.items()
            for reading, said in zip(("first", "second"), pair, strict=True)
        ]
    )  # fmt: skip


def test_a_blind_answer_is_the_mean_of_two_readings_and_partly_is_not_yes():
    found = outcomes.said(
        blindly(a=("yes", "yes"), b=("yes", "partly"), c=("no", "no"), d=("yes", "")),
        "x",
    )
    assert found.loc["a/1"].to_dict() == {"a": 1, "b": 0.5, "c": 0}
    pairs = outcomes.pairs_of(blindly(b=("yes", "partly"), d=("yes", "")), "x")
    assert pairs.to_numpy().tolist() == [["yes", "partly"]]


def test_a_plant_is_found_in_its_own_sentence_only():
    plants = [
        {"arm": "ccc", "move": "a/1", "text": TEXTS["ccc"]["a/1"], "error": "side"}
        | {"sentence": place}
        for place in (0, 1)
    ]
    found = outcomes.found_plants(
        [*plants, {**plants[0], "text": "Unread."}], FIRST, SECOND
    )
    assert found["found"].tolist() == [1, 0]


def test_a_ruler_counts_alarms_where_neither_blind_reading_sees_an_error():
    accused = pd.DataFrame({"ccc": [1.0, 0.0, 1.0]}, MOVES)
    plants = pd.DataFrame({"arm": ["ccc"] * 4, "found": [1.0, 1.0, 1.0, 0.0]})
    false_blind = pd.DataFrame({"ccc": [0.5, 0.0, 0.0]}, MOVES)
    expected = Ruler(found=3, planted=4, alarms=1, clean=2)
    assert outcomes.rulers(accused, plants, false_blind) == {
        "ccc": expected,
        "all": expected,
    }


def test_no_position_is_searched_twice():
    asked = []

    def analyse(positions, nodes, lines):
        asked.extend((each.fen, nodes) for each in positions)
        return [f"{each.fen} {nodes}" for each in positions]

    once = outcomes.remembering(analyse)
    start = Position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert once([start, start], 10, 1) == once([start], 10, 1) * 2
    once([start], 20, 1)
    assert asked == [(start.fen, 10), (start.fen, 20)]


def test_a_comment_that_lacks_a_reading_is_named_and_how_to_record_it(monkeypatch):
    silent = SimpleNamespace(
        model=SimpleNamespace(name="scripted-1"),
        recordings=SimpleNamespace(get=lambda _: None),
    )
    monkeypatch.setattr(
        voice, "texts_read", lambda *_: voice._shuffled([("lec12/2", "It forks.")])
    )
    assert not outcomes.is_read(silent, silent)
    refuses(
        ValueError,
        "lack reading 1 by scripted-1; record it with: make record",
        outcomes.check_twice,
        silent,
        silent,
    )
