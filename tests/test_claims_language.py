import json
from pathlib import Path

import chess
import pytest
from jsonschema import Draft202012Validator

from chessgloss.claims.language import (
    PREDICATES,
    Claim,
    ClaimError,
    Count,
    MoveSpec,
    Reference,
    parse_claims,
    print_claims,
    schema,
)
from chessgloss.claims.read_model import worked_readings
from scripts import refuses

TESTS = Path(__file__).parent
#: Readings by four writers: mover, sentence and claims.
READINGS = [
    line.rsplit("|", 1)[1] for line in (TESTS / "readings.txt").read_text().splitlines()
]


# ---------------------------------------------------------------- the short form and JSON


@pytest.mark.parametrize("text", READINGS)
def test_claims_are_printed_as_they_are_read(text):
    claims = parse_claims(text)
    assert claims
    assert print_claims(claims) == text
    again = [Claim.from_json(json.loads(json.dumps(each.to_json()))) for each in claims]
    assert tuple(again) == claims


def test_the_sample_and_the_worked_readings_use_every_predicate():
    worked = [claim for _, claims in worked_readings() for claim in claims]
    sample = [claim for text in READINGS for claim in parse_claims(text)]
    used = {claim.predicate for claim in (*worked, *sample)}
    rare = {"more", "perpetual", "opening", "prevents", "develops"}
    assert used | rare == set(PREDICATES)
    assert len(worked_readings()) in range(25, 31)


#: What is no claim, and the field that is wrong in it.
WRONG = """
attaks piece=wN target=e4 | predicate
attacks piece=wN | target
attacks piece=wNz3 target=e4 | piece
attacks piece=wN target=e4 on=f6 | on
attacks piece=wN piece=wB target=e4 | piece
attacks piece=wN target | target
can move=Nz5 | move
can move={piece:Z} | move
can side=green move=e4 | side
stands piece=wN quantity=many | quantity
stands piece=wN when=later | when
check side=white line=Nf9 | line
material side=white number=few | number
wins side=white amount=much | amount
evaluation standing=nice | standing
castled side=white wing=left | wing
"""


@pytest.mark.parametrize("row", WRONG.strip().splitlines())
def test_an_error_names_the_field(row):
    text, field = row.split(" | ")
    with pytest.raises(ClaimError) as caught:
        Claim.parse(text)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")


def test_json_that_is_no_claim_is_refused_by_the_field():
    for given, field in (
        ({}, "predicate"),
        ({"predicate": "check", "denied": "yes"}, "denied"),
        ({"predicate": "stands", "piece": 3}, "piece"),
        ({"predicate": "stands", "piece": "wN", "colour": "light"}, "colour"),
    ):
        with pytest.raises(ClaimError) as caught:
            Claim.from_json(given)
        assert caught.value.field == field


def test_claims_are_validated_however_they_are_made():
    claim = Claim.parse("attacks piece=wNf3 target=bPe5 when=after")
    refuses(ClaimError, "target: is missing", Claim, "attacks", claim.arguments[:1])
    refuses(ClaimError, "takes side", Claim, "stalemate", claim.arguments)
    assert claim.at(3, 9).span == (3, 9)
    assert claim.at(3, 9) == claim


def test_references_moves_and_numbers_mean_what_they_say():
    knight = Reference.parse("wNf3")
    assert (knight.side, knight.kinds) == (chess.WHITE, {chess.KNIGHT})
    assert knight.place and knight.place.square == chess.F3
    kingside = Reference.parse("bP[f-h]?")
    assert kingside.place and len(kingside.place.squares) == 24
    assert Reference.parse("wBl").shade == "light"
    assert Reference.parse("?m").kinds == {chess.KNIGHT, chess.BISHOP}
    takes = MoveSpec.parse("exd5+")
    assert takes.kinds == {chess.PAWN} and takes.captures and takes.check
    assert MoveSpec.parse("*xd5").kinds is None
    assert MoveSpec.parse("{captures:no}").captures is False
    assert MoveSpec.parse("0-0") == MoveSpec.parse("{castles:kingside}")
    assert [n in Count.parse(">=2") for n in (1, 2)] == [False, True]


# ---------------------------------------------------------------- the schema


def test_every_reading_follows_the_schema_and_a_broken_one_does_not():
    made = schema()
    known = [each["properties"]["predicate"]["const"] for each in made["anyOf"]]
    assert sorted(known) == sorted(PREDICATES)
    check = Draft202012Validator(made)
    for text in READINGS:
        for claim in parse_claims(text):
            check.validate(claim.to_json())
    broken = {"predicate": "attacks", "piece": "wN", "target": "z9"}
    assert not check.is_valid(broken)
    assert check.is_valid(broken | {"target": "e4"})
