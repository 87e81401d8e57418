"""Evidence for readers: what the checker says, in the words of a person."""

import json
import re

import pytest

import chessgloss
from chessgloss.claims.wording import plainly
from scripts import DATA

#: What no person would say.
STRANGE = re.compile(
    r"no legal|neither king$|is there$|by nothing|: nothing|[2-9] (?:pawn|rook) (?:more|less)"
    r"|\b1 \w+s\b|^it was not read|predicate|, is (?:no|move|capture)"
)


@pytest.mark.parametrize(
    ("evidence", "plain"),
    [
        ("it was not read", "the program does not understand these words"),
        ("nothing gives check to neither king", "neither king is in check"),
        (
            "nothing gives check to White's king",
            "White's king is not in check",
        ),
        ("Black has no legal Qg3+", "Black cannot play Qg3+"),
        ("White has no legal castling", "White cannot castle"),
        ("Black has no legal king move to e7", "Black's king cannot go to e7"),
        (
            "Black has no legal knight capture",
            "no knight of Black's can take anything",
        ),
        (
            "White has no legal pawn capture of a queen to d5 with check",
            "no pawn of White's can take a queen on d5 with check",
        ),
        ("White has no legal move", "White has no legal move"),
        ("the move played, Ka8, is move to a8", "the move played is Ka8"),
        (
            "the move played, Rxc5, is no capture of a queen to c5",
            "the move played is Rxc5, no capture of a queen on c5",
        ),
        (
            "the white bishop on c3 is defended by nothing",
            "nothing defends the white bishop on c3",
        ),
        ("on the d-file: nothing", "no pawn stands on the d-file"),
        (
            "White is ahead by 5: 1 rook more, 3 pawn less",
            "White is ahead by 5: 1 rook more, 3 pawns fewer",
        ),
        (
            "with best play Black comes out -1 pawns",
            "with best play Black comes out 1 pawn behind",
        ),
        ("the exchanges bring White 2 pawns", "White comes out 2 pawns ahead"),
        ("the black pawn on d5 is there", "there is a black pawn on d5"),
        ("Nxb8 is all that is legal", "Nxb8 is the only legal move"),
        ("Ke7 and Kf8 is all that is legal", "Ke7 and Kf8 are the only legal moves"),
        (
            "the white queen on f7 mates the black king on e8",
            "the white queen on f7 mates the black king on e8",
        ),
    ],
)
def test_evidence_is_put_as_a_person_would(evidence, plain):
    assert plainly(evidence) == plain


def test_no_evidence_on_the_gold_set_is_strange_once_it_is_put_plainly():
    rows = (DATA / "claims/dev.jsonl").read_text("utf-8").splitlines()
    before, after = set(), set()
    for row in map(json.loads, rows):
        for checked in chessgloss.check(row["text"], row["fen"], row["move"]):
            before.add(checked.evidence)
            after.add(plainly(checked.evidence))
    assert len([each for each in before if STRANGE.search(each)]) > 20
    assert not [each for each in after if STRANGE.search(each)]
