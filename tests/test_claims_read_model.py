import json

import chess

from chessgloss.claims import verify
from chessgloss.claims.language import PREDICATES, Claim, parse_claims
from chessgloss.claims.read_model import (
    SENTENCES,
    Sentence,
    answer_schema,
    instructions,
    messages,
    parse_answer,
    read,
    reader,
    worked_readings,
)
from chessgloss.positions import read_fen, read_move

RUY = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
ONE = Sentence(chess.WHITE, "Bb5", "The bishop attacks the knight.")
TWO = Sentence(chess.WHITE, "Bb5", "It is\n pinned.", follows=True)


class Scripted:
    """A model that gives the answers it is told, and keeps what it was asked."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list = []

    def __call__(self, question):
        self.asked.append(list(question))
        return self.answers.pop(0)


def test_a_question_holds_the_table_the_worked_readings_and_the_words_alone():
    system, user = messages([ONE, TWO])
    assert user["content"].splitlines() == [
        "1. White Bb5 | The bishop attacks the knight.",
        "2. White Bb5 (continued) | It is pinned.",
    ]
    told = system["content"]
    for row in PREDICATES.values():
        assert f"- {row.name} {row.arguments}: {row.meaning}" in told
    for sentence, _ in worked_readings():
        assert sentence in told
    assert "{table}" not in told and "{worked}" not in told and "{words}" not in told
    assert instructions() is instructions()


def test_an_answer_is_read_line_by_line_and_loses_nothing_but_what_is_broken():
    answer = """Here you are:
1. attacks piece=moved target=bN when=after; attaks piece=x
2) -
4. stands piece=wN
"""
    first, second, third, fourth = parse_answer(answer, 4)
    assert first.claims == (Claim.parse("attacks piece=moved target=bN when=after"),)
    assert "attaks" in first.problem
    assert (second.claims, second.problem) == ((), "")
    assert "no line" in third.problem
    assert fourth.claims == (Claim.parse("stands piece=wN"),)


def test_an_answer_in_json_is_the_same():
    claims = parse_claims("not can side=black move=O-O when=after; stands piece=wN")
    readings = [{"sentence": 2, "claims": [each.to_json() for each in claims]}]
    first, second = parse_answer(json.dumps({"readings": readings}), 2)
    assert second.claims == claims and not second.problem
    assert first.problem
    wrong = [{"sentence": 1, "claims": [{"predicate": "stands", "piece": "zz"}]}]
    (reading,) = parse_answer(json.dumps({"readings": wrong}), 1)
    assert "piece" in reading.problem and not reading.claims


def test_the_schema_of_an_answer_keeps_shared_types_at_its_root():
    schema = answer_schema()
    claims = schema["properties"]["readings"]["items"]["properties"]["claims"]
    assert len(claims["items"]["anyOf"]) == len(PREDICATES)
    assert set(schema["$defs"]) == {"references", "moves", "number"}


def test_a_broken_line_is_asked_once_more_with_what_is_wrong():
    ask = Scripted("1. attacks piece=moved\n2. -", "1. attacks piece=moved target=bN")
    first, second = read([ONE, TWO], ask)
    assert first.claims == (Claim.parse("attacks piece=moved target=bN"),)
    assert not first.problem and not second.claims and not second.problem
    again = ask.asked[1][-1]["content"]
    assert "1. attacks piece=moved: target: is missing" in again
    assert "2." not in again


def test_many_sentences_are_asked_in_several_questions():
    count = SENTENCES + 3
    whole = "\n".join(f"{n}. -" for n in range(1, SENTENCES + 1))
    ask = Scripted(whole, "1. -\n2. -\n3. stands piece=wN")
    readings = read([ONE] * count, ask)
    assert len(ask.asked) == 2 and len(readings) == count
    assert [bool(each.claims) for each in readings] == [False] * (count - 1) + [True]


def test_of_a_text_without_words_no_model_is_asked():
    assert verify("  ", read_move(read_fen(RUY), "Bb5"), read=reader(Scripted())) == ()


def test_a_model_reads_a_text_for_verify_and_each_claim_has_its_sentence():
    move = read_move(read_fen(RUY), "Bb5")
    text = "The bishop attacks the knight. It is pinned to the king. Nice!"
    ask = Scripted(
        "1. attacks piece=moved target=bN when=after\n"
        "2. pinned piece=bNc6 to=bK when=after\n3. nonsense",
        "3. nonsense",
    )
    checked = verify(text, move, read=reader(ask))
    assert [(each.verdict, each.text) for each in checked] == [
        ("true", "The bishop attacks the knight."),
        ("false", "It is pinned to the king."),
        ("not checkable", "Nice!"),
    ]
    assert [each.kind for each in checked] == ["attack", "tactic", "unread"]
    assert "White Bb5 (continued) | Nice!" in ask.asked[0][1]["content"]
