"""Readings of claims: sentences, blocks, and what a recorded model made of them."""

import pytest

from chessgloss.claims.gold import GoldText
from chessgloss.claims.language import Claim
from chessgloss.claims.read_model import sentence_spans
from chessgloss.commentary.readings import (
    blocks,
    first_questions,
    further_questions,
    gold_sets,
    read_set,
    read_texts,
    sentences_of,
)
from chessgloss.llm.client import Client
from chessgloss.llm.recordings import Answer, Model, Recordings, State
from chessgloss.positions import read_fen, read_move

START = read_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
ATTACKS = "attacks piece=moved target=e5 when=after"


def text_of(key: str, text: str) -> GoldText:
    return GoldText(key, read_move(START, "Nf3"), text, ())


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two!", ["One.", "Two!"]),
        ('He said "no." Then 12. Nf3 came.', ['He said "no."', "Then 12. Nf3 came."]),
        ("After 1... e5 2. Nf3 it is level", ["After 1... e5 2. Nf3 it is level"]),
        ("Mate (e.g. Qh7 or Qg7).  White wins", ["Mate (e.g. Qh7 or Qg7).", "White wins"]),
        ("A knight... Really? ... Nd7 next.", ["A knight...", "Really? ... Nd7 next."]),
        ("no end", ["no end"]),
    ],
)  # fmt: skip
def test_a_text_is_cut_at_the_ends_of_its_sentences(text, parts):
    assert [text[slice(*span)] for span in sentence_spans(text)] == parts


def test_further_sentences_of_a_text_go_on_with_its_first():
    told = sentences_of(text_of("a", "It hits e5. It is good."))
    assert [str(each) for each in told] == [
        "White Nf3 | It hits e5.",
        "White Nf3 (continued) | It is good.",
    ]


def test_no_text_is_cut_between_two_questions():
    texts = [text_of(str(number), "One. Two.") for number in range(20)]
    texts.append(text_of("long", " ".join(["Word."] * 30)))
    made = list(blocks("made", texts))
    assert [len(each.sentences()) for each in made] == [14, 14, 12, 30]
    assert [text for each in made for text in each.texts] == texts
    assert [each.number for each in made] == [1, 2, 3, 4]


@pytest.fixture
def read(tmp_path):
    """Return what keeps answers and then reads three texts by them."""
    texts = [
        text_of("a", "It hits e5. It is good."),
        text_of("b", "Fine."),
        text_of("c", "No."),
    ]
    made = list(blocks("made", texts))
    recordings = Recordings.of(Model("scripted-1"), "readings", tmp_path)

    def read(*answers: str):
        for answer in answers:
            (lacking,) = [
                each
                for each in (
                    *first_questions(made),
                    *further_questions(made, recordings),
                )
                if recordings.get(each) is None
            ]
            given = Answer(State.ANSWERED, answer, (), "stop")
            recordings.keep(lacking, given, date="2026-01-01")
        left = further_questions(made, recordings)
        return read_texts(made, Client(recordings)), left

    return read


def test_a_reading_has_the_claims_of_each_text_at_its_sentences(read):
    found, left = read(f"1. {ATTACKS}\n2. quality grade=good\n3. -\n4. -")
    assert found["a"].claims == (
        Claim.parse(ATTACKS),
        Claim.parse("quality grade=good"),
    )
    assert [claim.span for claim in found["a"].claims] == [(0, 11), (12, 23)]
    assert (found["b"].claims, found["b"].problem, left) == ((), "", [])


def test_a_line_that_breaks_the_language_is_asked_once_more(read):
    broken = f"1. {ATTACKS}\n2. quality grade=super\n3. -\n4. -"
    found, left = read(broken)
    assert found["a"].claims == (Claim.parse(ATTACKS),)
    assert "grade" in found["a"].problem
    assert left[0].about["round"] == 2 and "grade" in left[0].messages[-1].content
    found, left = read("2. quality grade=good")
    assert found["a"].claims[1] == Claim.parse("quality grade=good")
    assert (found["a"].problem, left) == ("", left)


def test_a_question_names_texts_and_holds_none_of_them(real_lectures):
    sets = gold_sets()
    for name, texts in sets.items():
        for each in first_questions(blocks(name, texts)):
            assert not any(" " in key for key in str(each.about["of"]).split(" "))
            assert len(str(each.about)) < 600
    assert len(sets["last"]) == 200 and len(sets["lectures"]) == 304


def test_the_reader_by_rules_reads_a_set_at_once_and_a_model_what_is_recorded(tmp_path):
    texts = [text_of("a", "The knight attacks the pawn on e5."), text_of("b", "Fine.")]
    found = read_set("rules", "made", texts)
    assert found.keys() == {"a", "b"}
    assert found["a"].claims and not found["b"].claims
    assert read_set("scripted-1", "made", texts) == {}
