import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest
from chess.engine import Mate

from chessgloss.claims import agreed, decide, disqualifier, read_rules, verify
from chessgloss.claims.language import PREDICATES, Claim, MoveSpec, parse_claims
from chessgloss.claims.moments import fits
from chessgloss.claims.read_model import reader
from chessgloss.positions import MoveInContext, Position, read_fen, read_move
from fakes.analyses import analysis, by_material, verdict_on
from scripts import selfplay

TESTS = Path(__file__).parent
RUY = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"


def analyse(positions, nodes, lines):
    return [by_material(position) for position in positions]


def verdict(fen: str, san: str, *claims: str, **engine) -> str | list[str]:
    move = read_move(read_fen(fen), san)
    found = [
        each.verdict
        for text in claims
        for each in decide(parse_claims(text), move, **engine)
    ]
    return found[0] if len(found) == 1 else found


def rows() -> list:
    groups = tomllib.loads((TESTS / "decided.toml").read_text("utf-8"))["move"]
    return [
        pytest.param(
            group["fen"], group["played"], sentence, claims, right, id=sentence
        )
        for group in groups
        for right in ("true", "false")
        for sentence, claims in group[right]
    ]


ROWS = rows()


@pytest.mark.parametrize(("fen", "played", "sentence", "claims", "right"), ROWS)
def test_each_predicate_is_right_on_sentences_that_are_true_and_false(
    fen, played, sentence, claims, right
):
    move = read_move(read_fen(fen), played)
    read = reader(lambda question: f"1. {claims}")
    for checked in (
        decide(parse_claims(claims), move, analyse=analyse),
        verify(sentence, move, read=read, analyse=analyse),
    ):
        verdicts = {each.verdict for each in checked}
        assert ("false" in verdicts) == (right == "false")
        assert right == "false" or verdicts == {"true"}
        assert all(each.evidence and "the no " not in each.evidence for each in checked)


def test_the_table_of_sentences_has_every_predicate_true_and_false():
    used = {"true": set(), "false": set()}
    for row in ROWS:
        *_, claims, right = row.values
        used[right] |= {claim.predicate for claim in parse_claims(claims)}
    for right, names in used.items():
        assert set(PREDICATES) - names <= {"unsaid", "perpetual"}, right


# ---------------------------------------------------------------- decided by the board

#: A position and a move; what is claimed of them, and the verdict; above it why.
DECIDED = """
r3k3/8/5n2/8/4P3/8/6B1/4K3 w - - 0 1 | e5
    # A pawn's step attacks a knight, and uncovers a bishop's line to a rook.
    fork piece=w? target=bN,bR when=after | not checkable
    fork piece=w? target=bN,bK when=after | false
r3k3/8/5n2/8/4P3/8/6B1/4K3 w - - 0 1 | Kd2
    attacks piece=wPe5 target=bR when=before line=e5 | not checkable
    attacks piece=wPe5 target=bK when=before line=e5 | false
rnb5/8/6k1/8/8/8/8/4K2R w - - 0 1 | Rh2
    undeveloped piece=bx quantity=all when=after | not checkable
r1b5/8/2n3k1/8/8/8/8/4K2R w - - 0 1 | Rh2
    undeveloped piece=bx quantity=all when=after | false
2k5/8/8/8/8/8/2K5/8 w - - 0 1 | Kc1
    not can side=black move={piece:K,direction:backward} when=after | true
8/2k5/8/8/8/8/2K5/8 w - - 0 1 | Kc1
    not can side=black move={piece:K,direction:backward} when=after | false
4k3/8/8/3n4/8/8/8/4K2R w - - 0 1 | Rh8+
    threat side=black move=Nc3 when=after | not checkable
4k3/8/8/3n4/8/8/8/4K2R w - - 0 1 | Rh7
    threat side=black move=Nh5 when=after | false
r4rk1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1 | Re7
    # Where a legal move does it, it can be done, and to deny it is false.
    not can move={captures:R,to:a1} when=after | false
    can move={captures:R,to:a1} when=after | true
    not can side=black move={check} when=after | false
    can side=black move={check} when=after | true
    not can side=black move={piece:R,check} when=after | false
    not attacked piece=wRa1 when=after line=* branches=some | false
    attacked piece=wRa1 when=after line=* branches=some | true
r1bqkb1r/pppp1ppp/2n2n2/4p1N1/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 5 4 | Nxe4
    # After a pass, if need be.
    attacked piece=bPf7 by=wN when=after line=--,* branches=some | true
    attacked piece=bPa7 by=wN when=after line=--,* branches=some | false
r1bqkb1r/pppp1ppp/2n2n2/4p1N1/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 5 4 | d5
    attacks piece=wPe4,wBc4 target=bPd5 quantity=only when=after | true
    attacks piece=wPe4 target=bPd5 quantity=only when=after | false
r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3 | Bb5
    can side=white move=O-O when=after | true
    # Of White's knights and bishops one attacks the knight on c6.
    attacks piece=wm target=bNc6 quantity=none when=after | false
    attacks piece=wm target=bNc6 quantity=some when=after | true
    attacks piece=wm target=bNc6 quantity=all when=after | false
    attacks piece=wm target=bNc6 quantity=1 when=after | true
    attacks piece=wm target=bNc6 quantity=2 when=after | false
    attacks piece=wm target=bNc6 quantity=>=1 when=after | true
    attacks piece=wm target=bNc6 quantity=<1 when=after | false
    not attacks piece=wm target=bNc6 quantity=none when=after | true
    not attacks piece=wm target=bNc6 quantity=1 when=after | false
    not attacks piece=wm target=bNc6 quantity=all when=after | true
    # Only: these and no other man of their side.
    defends piece=bNc6 target=bPe5 quantity=only when=after | true
    defends piece=bQ target=bPe5 quantity=only when=after | false
    passed piece=wP quantity=none when=after | true
    # A man that is not there is a fault; of two that can be meant one may be.
    undefended piece=bBd6 when=after | false
    not undefended piece=bBd6 when=after | false
    attacked piece=bN when=after | true
    not attacked piece=bN when=after | not checkable
    # A line is played on, and one that cannot be is a fault.
    attacked piece=wBb5 when=after line=a6 | true
    attacked piece=wBb5 when=after line=h6 | false
    attacked piece=wBb5 when=after line=Nxb5 | false
    attacked piece=wBb5 when=after line=Bb5,a6 | true
    attacked piece=wBb5 when=after line={piece:P} | not checkable
    attacked piece=wBb5 when=after line={piece:P} branches=all | false
    attacks piece=wBb5 target=bQ when=after | false
    attacks piece=wBb5 target=bQ when=after modality=hypothetical | not checkable
"""


def decided() -> Iterator:
    for block in re.split(r"\n(?! )", DECIDED.strip()):
        move, *lines = (line.strip() for line in block.splitlines())
        claims = [line.split(" | ") for line in lines if not line.startswith("#")]
        for claim, right in claims:
            yield pytest.param(*move.split(" | "), claim, right, id=claim)


@pytest.mark.parametrize(("fen", "san", "claim", "right"), [*decided()])
def test_a_claim_is_decided_by_the_board(fen, san, claim, right):
    assert verdict(fen, san, claim) == right


def test_a_man_that_is_not_there_is_named():
    claim = Claim.parse("undefended piece=bBd6 when=after")
    (checked,) = decide([claim], read_move(read_fen(RUY), "Bb5"))
    assert checked.evidence == "there is no black bishop on d6"


def test_a_mate_that_is_forced_may_come_a_move_later():
    fen = "6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1"
    claim = "can side=white move=Re8# when=after line=* branches=all"

    def mating(positions, nodes, lines):
        return [analysis(each, (Mate(3), "e1e8")) for each in positions]

    assert verdict(fen, "Kf1", claim, analyse=analyse) == "false"
    assert verdict(fen, "Kf1", claim, analyse=mating) == "not checkable"


# ---------------------------------------------------------------- moments and lines


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Bxc6", True),
        ("*xc6+", False),
        ("{captures:N}", True),
        ("{captures:no}", False),
        ("{from:b?,to:?6}", True),
        ("{steps:1,direction:forward}", True),
        ("{castles}", False),
        ("{promotes:no,mate:no}", True),
        ("--", False),
    ],
)
def test_moves_fit_what_is_said_of_them(text, yes):
    board = chess.Board(
        "r1bqkbnr/pp1p1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 1"
    )
    assert fits(board, board.parse_san("Bxc6"), MoveSpec.parse(text)) == yes


# ---------------------------------------------------------------- how a claim is put


def test_a_matter_of_opinion_is_never_called_false():
    lost = "evaluation side=white standing=losing when=after"
    move = read_move(read_fen(RUY), "Bb5")
    told = verdict_on(move, [(30, "f1b5 a7a6")], [(-30, "a7a6")])
    assert verdict(RUY, "Bb5", lost, verdict=told) == "false"
    assert (
        verdict(RUY, "Bb5", f"{lost} modality=opinion", verdict=told) == "not checkable"
    )


def test_without_an_engine_judgement_is_left_open_and_with_a_verdict_decided():
    claims = (
        "evaluation standing=equal when=after",
        "quality grade=best",
        "quality grade=blunder",
        "better move=Bc4",
        "wins side=white amount=piece",
    )
    assert set(verdict(RUY, "Bb5", *claims)) == {"not checkable"}
    move = read_move(read_fen(RUY), "Bb5")
    told = verdict_on(move, [(30, "f1b5 a7a6"), (28, "f1c4")], [(-30, "a7a6 b5a4")])
    found = verdict(RUY, "Bb5", *claims, verdict=told)
    assert found == ["true", "true", "false", "not checkable", "false"]


def test_mates_in_more_than_one_and_perpetual_checks_take_the_engines_line():
    fen = "5r1k/5p1p/8/6Q1/8/1q6/1r5P/6K1 w - - 0 1"
    move = read_move(read_fen(fen), "Qf6+")
    line = "h8g8 f6g5 g8h8 g5f6"
    told = verdict_on(move, [(0, f"g5f6 {line}")], [(0, line)])
    claim = "perpetual side=white when=after"
    assert verdict(fen, "Qf6+", claim) == "not checkable"
    assert verdict(fen, "Qf6+", claim, verdict=told) == "true"
    mated = verdict_on(move, [(Mate(3), "g5f6 h8g8")], [(Mate(-2), "h8g8 f6g5")])
    claims = ("mate_in side=white number=2 when=after", claim)
    assert verdict(fen, "Qf6+", *claims, verdict=mated) == ["true", "false"]


def test_where_two_readings_differ_an_accusation_does_not_stand():
    move = read_move(read_fen(RUY), "Bb5")
    text = "The bishop pins the knight. The queen attacks b5."

    def by(answer: str):
        return verify(text, move, read=reader(lambda question: answer))

    one = by(
        "1. pinned piece=bNc6 to=bK when=after\n2. attacks piece=bQ target=b5 when=after"
    )
    two = by("1. pinned piece=bNc6 to=bQ when=after\n2. -")
    assert [each.verdict for each in one] == ["false", "false"]
    assert [each.verdict for each in agreed(one, two)] == ["false", "not checkable"]
    assert [each.verdict for each in agreed(one, one)] == ["false", "false"]
    assert agreed(two, one)[0].verdict == "false"


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("check side=white", "check"),
        ("played move=Nf3,{captures}", "capture"),
        ("hanging piece=wN", "hanging-piece win"),
        ("attacks piece=wN target=e4", None),
        ("played move=Nf3", None),
    ],
)
def test_what_the_rubric_forbids_is_told_by_the_claim(text, event):
    assert disqualifier(Claim.parse(text)) == event


# ---------------------------------------------------------------- everything, anywhere


def test_no_claim_of_the_sample_fails_on_any_position():
    lines = (TESTS / "readings.txt").read_text().splitlines()
    rng = random.Random(5)
    fens = [fen for game in selfplay(3) for fen in game.fens()[4:-1:9]]
    for line in lines:
        position = Position(rng.choice(fens))
        moves = [move.uci() for move in position.board().legal_moves]
        move = MoveInContext(position, rng.choice(moves))
        for checked in decide(parse_claims(line.rsplit("|", 1)[1]), move):
            assert checked.verdict in ("true", "false", "not checkable")
            assert checked.evidence and "None" not in checked.evidence


@pytest.mark.parametrize("text", ["a {good move", "{N} attacks {NS}"])
def test_braces_in_a_text_are_words_that_are_not_read(text):
    (checked,) = verify(text, read_move(read_fen(chess.STARTING_FEN), "e4"))
    assert checked.verdict == "not checkable"


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "White takes a knight and attacks the bishop.",
            [
                "played move={captures:N} side=white",
                "attacks piece=moved target=?B when=after",
            ],
        ),
        ("Black can never castle.", ["not castling_right side=black when=after"]),
    ],
)
def test_rules_carry_over_what_was_moved_and_hear_never(text, claims):
    found = read_rules.read(text, chess.WHITE, "Nxd5").claims
    assert [str(each) for each in found] == claims


def test_a_clause_of_additions_alone_is_not_read():
    said = "White can get the two bishops with Nxe5."
    assert read_rules.read(said, chess.BLACK, "Qd6").unread


def test_rules_do_not_say_where_a_pawn_stood_that_a_pawn_takes():
    said = "The pawn captures a pawn on d6."
    assert read_rules.read(said, chess.WHITE, "exd6").unread
    assert not read_rules.read(said.replace("d6", "d5"), chess.WHITE, "exd5").unread
