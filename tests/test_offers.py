"""Sentences that are offered for what was not read: each is read, in its place, and decided."""

import json

import chess
import pytest

import chessgloss
from chessgloss import live
from chessgloss.claims import read_rules
from chessgloss.claims.offers import MOST, TABLE, offers
from chessgloss.commentary.asking import read_briefings
from chessgloss.commentary.notes import write_notes
from scripts import DATA, FIGURE_A6

SLOTS = {
    "side": "White",
    "other": "Black",
    "victim": "Black",
    "piece": "the bishop on e6",
    "second": "the rook on g8",
    "pawn": "the pawn on d6",
    "moved": "the bishop",
    "square": "g8",
    "file": "the e-file",
    "move": "Qxa8",
}
BXE6 = chessgloss.read_move(FIGURE_A6, "Bxe6+")


def unread(text, move=BXE6):
    return [each for each in chessgloss.check(text, move) if each.kind == "unread"]


def offered(text, move=BXE6):
    (clause, *_) = unread(text, move)
    return offers(text, clause.span, move)


@pytest.mark.parametrize("say", TABLE)
def test_every_sentence_of_the_table_is_read(say):
    words = say.format(**SLOTS)
    reading = read_rules.read(f"{words[:1].upper()}{words[1:]}.", chess.WHITE, "Bxe6+")
    assert reading.claims
    assert not reading.unread


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("A terrible blunder.", "A blunder"),
        ("White gains space.", "White is better"),
        ("The attack is decisive.", "White is winning"),
        ("Black is completely helpless.", "Black is lost"),
        (
            "The bishop on e6 exerts pressure on the rook on g8.",
            "The bishop on e6 attacks the rook on g8",
        ),
        ("A bishop sacrifice to open the king.", "White sacrifices a bishop"),
        (
            "White takes the pawn, and the rook on g8 is locked in.",
            "the rook on g8 is trapped",
        ),
    ],
)
def test_a_clause_is_offered_what_fits_its_words_pieces_and_place(text, first):
    found = offered(text)
    assert found[0] == first
    assert len(found) <= MOST


def test_nothing_is_offered_for_words_that_call_for_nothing_or_in_a_question():
    assert offered("Once upon a time.") == ()
    assert offered("Is this a terrible blunder?") == ()


def test_what_is_offered_is_decided_in_the_place_of_the_clause():
    rows = (DATA / "claims/dev.jsonl").read_text("utf-8").splitlines()
    count = 0
    for row in map(json.loads, rows):
        move = chessgloss.read_move(row["fen"], row["move"])
        for clause in unread(row["text"], move):
            start, stop = clause.span
            for words in offers(row["text"], clause.span, move):
                text = f"{row['text'][:start]}{words}{row['text'][stop:]}"
                (*_, claim) = [
                    each
                    for each in chessgloss.check(text, move)
                    if start <= each.span[0] < start + len(words)
                ]
                count += 1
                assert claim.kind != "unread", text
    assert count > 100


def test_the_programs_own_sentences_hold_with_their_facts():
    briefing = read_briefings(DATA / "commentary/briefings.json")["ccc/figA6"]
    text = f"{write_notes(briefing).text} White gains space."
    (*own, other) = live.check(text, briefing)
    assert [each.verdict for each in own] == ["true"] * len(own)
    assert any("bishop on f5 takes the black pawn on e6" in c.evidence for c in own)
    assert other.verdict == "not checkable"
    without = live.check(text, briefing.move)
    assert "not checkable" in [each.verdict for each in without[:-1]]
