"""Beside the loop: claims listed by a model, Table 2 by program, gold scores, what is shown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from chessgloss.book.profiles import load_sizes
from chessgloss.claims import verify
from chessgloss.claims.gold import MinimalPair, Score, read_gold, score_gold
from chessgloss.commentary.briefing import BriefingError, read_briefings
from chessgloss.llm import Answer, State
from chessgloss.positions import read_fen, read_move
from chessgloss.stats import wilson
from chessgloss.store import find_project
from chessgloss.verified import extraction
from chessgloss.verified.errors import CAUSES, check_comments, ratio_by
from chessgloss.verified.extraction import Span, read_claims
from chessgloss.verified.gold_scores import (
    count_sentences,
    mistakes,
    precision,
    recall,
    score_table,
    told_apart,
)
from chessgloss.verified.showing import STYLES, checked_texts, coloured, legend

DEV = find_project() / "data/claims/dev.jsonl"
FIGURE_A6 = "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21"
MOVE = read_move(read_fen(FIGURE_A6), "Bxe6+")

TEXT = "The rook on e1 takes on e5, and the rook on e1 gives check."

# ---------------------------------------------------------------- claims listed by a model


@pytest.mark.parametrize(
    ("line", "words", "reading"),
    [
        ("piece | The rook on e1", "The rook on e1", "claim"),
        ('- Capture | "takes on e5"', "takes on e5", "claim"),
        ("check|gives check", "gives check", "claim"),
        ("piece | the queen on e1", None, "not in the comment"),
        ("opinion | The rook on e1", None, "unread"),
        ("The rook on e1 takes on e5", None, "unread"),
        ("piece |", None, "unread"),
        ('piece | ""', None, "not in the comment"),
    ],
)
def test_a_line_counts_if_kind_and_words_are_known(line, words, reading) -> None:
    listed = read_claims(Answer(State.ANSWERED, line), TEXT)
    assert listed.lines == (reading,)
    assert [TEXT[one.start : one.stop] for one in listed.spans] == ([words] if words else [])


def test_words_that_stand_twice_are_taken_one_after_the_other() -> None:
    answer = Answer(State.ANSWERED, "piece | rook on e1\npiece | rook on e1\npiece | rook on e1")
    listed = read_claims(answer, TEXT)
    assert [one.start for one in listed.spans] == [4, 36]
    assert listed.lines == ("claim", "claim", "not in the comment")


@pytest.mark.parametrize(
    ("state", "text", "count"),
    [
        (State.ANSWERED, "none", 0),
        (State.ANSWERED, "\n check | gives check \n\n", 1),
        (State.CUT_OFF, "check | gives check\npiece | The rook", 1),
        (State.CUT_OFF, "check | gives check", 0),
        (State.REFUSED, "check | gives check", 0),
    ],
)
def test_an_answer_is_read_as_far_as_it_is_whole(state: State, text: str, count: int) -> None:
    assert len(read_claims(Answer(state, text), TEXT).spans) == count


def test_the_comment_is_fenced_and_the_test_half_never_asked_about() -> None:
    requests = extraction.extraction_requests()
    assert len(requests) == extraction.COMMENTS
    assert all(str(one.about["of"]).startswith("dev-") for one in requests)
    assert all("<<<\n" in one.messages[-1].content for one in requests)
    assert len({one.messages[-1].content for one in requests}) == len(requests)


def test_spans_agree_if_words_and_kinds_do() -> None:
    assert Span("piece", 0, 5).same(Span("capture", 4, 9))
    assert not Span("piece", 0, 5).same(Span("capture", 5, 9))
    assert not Span("mate", 0, 5).same(Span("material", 0, 5))
    with pytest.raises(ValueError, match="known kind"):
        Span("mate", 3, 3)


def test_listed_claims_are_scored_against_the_labels() -> None:
    gold = extraction.asked_texts(count=40)
    labels = [extraction.spans_of_gold(one) for one in gold]
    perfect = extraction.score_spans(labels, gold)
    assert perfect.accused == perfect.right == perfect.wrong == perfect.found > 40
    half = [spans[: len(spans) // 2] for spans in labels]
    poor = extraction.score_spans(half, gold)
    assert poor.right == poor.accused < poor.wrong
    assert poor.found < poor.wrong
    rules = extraction.score_spans([extraction.spans_of_rules(one.text) for one in gold], gold)
    assert rules.found / rules.wrong > 0.8
    assert rules.right / rules.accused > 0.8


def test_what_the_rules_miss_is_given_to_them_word_by_word() -> None:
    text = "Somehow the bishop on f5 eats the e6 man."
    (gold,) = (one for one in read_gold(DEV) if one.key == "dev-001")
    gold = type(gold)("made", MOVE, text, ())
    known = Span("piece", text.index("the bishop"), text.index(" eats"))
    vague = Span("evaluation", 0, len("Somehow"))
    rules = extraction.spans_of_rules(text)
    assert extraction.missed([known, vague], rules) == (vague,)
    assert extraction.readable(gold, [known, vague]) == (known,)


# ---------------------------------------------------------------- Table 2 by program


@pytest.fixture(scope="module")
def comments() -> pd.DataFrame:
    columns = ["move", "group", "method", "model", "state", "text", "words"]
    rows = [
        ("ccc/figA6", "The bishop takes the pawn on e6 with check.", "answered"),
        ("ccc/figA6", "The bishop takes the queen on e6.", "answered"),
        ("ccc/figA6", "The rook on d8 is strong and White is lost.", "answered"),
        ("ccc/figA1", "A move.", "answered"),
        ("ccc/figA1", "", "cut_off"),
    ]
    table = [
        (move, "ccc", f"m{k}", "", state, text, len(text.split()))
        for k, (move, text, state) in enumerate(rows)
    ]
    return pd.DataFrame(table, columns=columns)


@pytest.fixture(scope="module")
def counted(comments: pd.DataFrame) -> pd.DataFrame:
    try:
        briefings = read_briefings(find_project() / "data/commentary/briefings.json")
    except BriefingError as error:
        pytest.skip(str(error))
    return check_comments(comments, briefings).set_index("method")


def test_comments_are_counted_by_cause(counted: pd.DataFrame) -> None:
    illegal, tactical, _, evaluation = CAUSES
    assert list(counted.index) == ["m0", "m1", "m2", "m3"]  # what was cut off is left out
    assert (counted.loc["m0", ["any", "breach", *CAUSES]] == 0).all()
    assert counted.loc["m0", "true"] == counted.loc["m0", "claims"] >= 2
    assert counted.loc["m1", ["any", "breach", tactical]].tolist() == [1, 1, 1]
    assert counted.loc["m2", ["any", "breach", illegal, evaluation]].tolist() == [1, 0, 1, 1]
    assert counted.loc["m3", ["claims", "any"]].tolist() == [0, 0]
    assert (counted[["true", "false", "open"]].sum(axis=1) == counted["claims"]).all()


def test_a_ratio_draws_whole_moves() -> None:
    frame = pd.DataFrame(
        {"method": "m", "move": list("aabbcc"), "false": [1, 0, 2, 0, 0, 0], "words": [10] * 6}
    )
    (found,) = ratio_by(frame, "method", "false", "words", cluster="move", seed=1)
    assert found.value == pytest.approx(3 / 60)
    assert found.low == 0
    assert found.high == pytest.approx(2 / 20)
    assert found.n == 6
    again = ratio_by(frame, "method", "false", "words", cluster="move", seed=1)
    assert again["m"] == found
    (none,) = ratio_by(frame.assign(false=0), "method", "false", "words", cluster="move", seed=1)
    assert none.value == none.low == 0
    assert none.high == pytest.approx(wilson(0, 3)[1] * 3 / 60), "none in three moves is no proof"


# ---------------------------------------------------------------- gold scores


def test_scores_become_shares_and_nothing_where_nothing_is() -> None:
    score = Score(4, 3, 10, 5)
    assert (precision(score).value, recall(score).value) == (0.75, 0.5)
    none = Score(0, 0, 0, 0)
    assert precision(none) is recall(none) is None
    table = score_table({"move": score, "mate": none})
    assert table.loc["mate", "precision"] == ""
    assert table.loc["move", "false claims"] == 10


def test_mistakes_are_what_the_score_lacks() -> None:
    table, score = mistakes(DEV), score_gold(DEV)["all"]
    assert (table["mistake"] == "false accusation").sum() == score.accused - score.right
    assert (table["mistake"] == "missed").sum() == score.wrong - score.found


def test_mistakes_name_words_and_reason(tmp_path: Path) -> None:
    text = "The rook on a8 is there. The knight dreams of d9."
    label = {"span": [25, 49], "kind": "piece", "verdict": "false"}
    wrong = {"span": [0, 14], "kind": "mate", "verdict": "false"}
    line = {"id": "x", "fen": FIGURE_A6, "move": "Bxe6+", "text": text, "claims": [label, wrong]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(line))
    table = mistakes(tmp_path / "gold.jsonl")
    assert list(table["mistake"]) == ["missed", "missed"]
    assert set(table["words"]) == {"The rook on a8", "The knight dreams of d9."}
    assert count_sentences(tmp_path / "gold.jsonl") == 2


def test_a_pair_is_told_apart_only_if_both_halves_are_right() -> None:
    true, false = "The bishop takes the pawn on e6.", "The bishop takes the knight on e6."
    assert told_apart(MinimalPair(MOVE, "capture", "wrong_piece", true, false))
    assert not told_apart(MinimalPair(MOVE, "capture", "wrong_piece", false, false))
    assert not told_apart(MinimalPair(MOVE, "capture", "wrong_piece", true, true))


# ---------------------------------------------------------------- what is shown


def test_claims_are_coloured_and_the_words_stay_as_they_are() -> None:
    text = 'The bishop takes the knight on e6 & the rook on a8 attacks "a7" <b>.'
    shown = coloured(text, verify(text, MOVE)).html
    assert "claim-false" in shown
    assert "<b>" not in shown
    plain = re.sub(r"<[^>]*>", "", shown)
    assert plain == text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace(
        '"', "&quot;"
    )
    titles = re.findall(r'title="([^"]*)"', shown)
    assert any("capture, false" in title for title in titles)


def test_of_claims_over_the_same_words_the_gravest_colours() -> None:
    text = "The rook on h8 attacks a7."
    checked = verify(text, MOVE)
    assert {one.verdict for one in checked} == {"true", "false"}
    shown = coloured(text, checked).html
    inner = next(one for one in checked if one.claim.kind == "piece")
    first = shown[shown.index("<span") : shown.index("</span>")]
    assert 'class="claim-false"' in first
    assert first.endswith(inner.claim.text)
    assert "piece, true" in first
    assert "attack, false" in first


def test_a_text_without_claims_and_the_legend() -> None:
    assert coloured("Nice.", ()).html == '<p class="claims">Nice.</p>'
    assert all(style in legend().html for style in STYLES.values())
    table = checked_texts({"<m>": ("Nice.", ())}, "A & B")
    assert "&lt;m&gt;" in table.html
    assert "A &amp; B" in table.html


def test_styles_are_in_the_books_stylesheet() -> None:
    sheet = (find_project() / "book/_static/chessgloss.css").read_text("utf-8")
    assert all(f".{style}" in sheet for style in STYLES.values())


def test_sizes_grow_with_the_profile() -> None:
    smoke, book = (load_sizes("05_claims", profile) for profile in ("smoke", "book"))
    assert smoke.moves < book.moves
    assert book.pairs >= 300
    assert book.nodes >= 100_000
