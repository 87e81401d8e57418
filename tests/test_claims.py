"""Sentences and what the checker says of them: a true and a false example for each relation."""

import tomllib
from typing import get_args

import chess.engine
import pytest

from chessgloss.claims import CAUSES, Disqualifier, disqualifier, extract, verify
from chessgloss.claims.checker import EXCUSES, decide_claim, look_at_all, scene_of
from chessgloss.claims.gold import read_gold
from chessgloss.claims.lexicon import Notation, Tag, letters, tags, tokenise
from chessgloss.claims.parser import chunk, sentences
from chessgloss.claims.relations import LOOKS, OF_WORDS, READERS, relations
from chessgloss.facts import gather
from chessgloss.facts.records import KNOWN_KINDS
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext, Position, read_fen, read_move
from scripts import PROJECT, refuses, selfplay

TABLE_FILE = PROJECT / "lib/chessgloss/claims/relations.toml"
TABLE = tomllib.loads(TABLE_FILE.read_text("utf-8"))
POSITIONS = {name: tuple(position) for name, position in TABLE["positions"].items()}
ITALIAN, FIGURE_A6 = POSITIONS["italian"], POSITIONS["figure_a6"]


def score(centipawns: int) -> chess.engine.PovScore:
    return chess.engine.PovScore(chess.engine.Cp(centipawns), chess.WHITE)


def verdict_of(
    before: int, after: int, loss: int, best="e1g1", reply="g8f6"
) -> Verdict:
    return Verdict(
        "Scripted 1",
        1_000,
        score(before),
        score(after),
        score(after),
        0.5,
        0.5,
        loss,
        1,
        3,
        best,
        "a2a3",
        before - 80,
        (best,),
        reply,
        (reply,),
    )


#: White is winning and castles, the best move by far; and a blunder in an equal position; and
#: one that throws away a won game.
POSITIONS["strong"] += (verdict_of(400, 400, 0),)
POSITIONS["thrown"] += (verdict_of(600, 0, 600),)
POSITIONS["blunder"] += (verdict_of(300, 0, 300),)


def checked(position: tuple, text: str, **more):
    fen, san, *verdict = position
    return verify(text, read_move(read_fen(fen), san), *verdict, **more)


def verdicts(position: tuple, text: str, **more) -> dict[str, str]:
    return {each.claim.text: each.verdict for each in checked(position, text, **more)}


EXAMPLES = [
    (relation, verdict, *row[verdict])
    for relation, row in TABLE["relations"].items()
    for verdict in ("true", "false")
    if verdict in row and (verdict == "true" or relation != "impossible")  # never false
]


def test_the_table_has_no_misspelt_entry():
    known = {
        "kind",
        "decide",
        "event",
        "true",
        "false",
        "presupposed",
        "state",
        "hints",
    }
    known |= {*READERS, "clause"}
    for name, row in TABLE["relations"].items():
        assert not set(row) - known, name
        assert row["kind"] in CAUSES, name
        assert row.get("event") in (None, *get_args(Disqualifier)), name


def test_tags_have_one_letter_each_and_no_part_of_a_pattern_has_a_tag_s_name():
    words = tomllib.loads((TABLE_FILE.parent / "words.toml").read_text("utf-8"))
    found = [tag["letter"] for tag in words["tags"].values()]
    found += words["letters"].values()
    assert len(found) == len(set(found)) == len(letters())
    assert {len(letter) for letter in found} == {1}
    assert letters().keys().isdisjoint(TABLE["parts"])
    for name in words["tag_sets"]:
        assert tags(name) <= {*found, ",", "."}, name
    named = {name.lower(): tag for name, tag in vars(Tag).items() if name.isupper()}
    assert named.items() <= letters().items()


def test_a_detail_holds_what_the_words_give_and_no_more():
    (claim,) = extract("The e-file is half-open.")
    assert {**claim.detail} == {"file": "e", "half": "half-open"}
    (claim,) = extract("White has no knight.")
    assert {**claim.detail} == {"count": 0, "noun": "knight"}


@pytest.mark.parametrize(("relation", "verdict", "name", "text"), EXAMPLES)
def test_the_examples_of_the_table_are_judged_as_it_says(relation, verdict, name, text):
    every = checked(
        POSITIONS[name], text, presupposed=relations()[relation].presupposed
    )
    claims = [each for each in every if each.claim.relation == relation]
    if verdict == "true":
        assert claims and all(each.holds for each in claims)
    else:
        assert {each.verdict for each in claims} == {verdict}
    for each in claims:
        assert each.verdict != "named" or each.claim.named
        assert each.evidence and each.claim.kind == relations()[relation].kind
        assert text[slice(*each.claim.span)] == each.claim.text


@pytest.mark.parametrize(
    "text",
    [
        "A useful waiting move that improves the coordination of the pieces.",
        "Check that your king is safe before you go on.",
        "The a1-h8 diagonal will matter.",
        "",
    ],
)
def test_a_text_without_claims_gives_none(text):
    assert extract(text) == ()


#: A white bishop on c4 that a knight on d5 shuts off from f7, a black rook on f8 that guards it.
SHUT_OFF = ("r1bq1rk1/pp3ppp/2p2n2/3n4/2B5/2N2N2/PPP2PPP/R1BQR1K1 w - - 0 10", "h3")
#: A white knight on f7 checks the king on h8; queen and rooks look elsewhere.
SMOTHERING = ("5r1k/p4Npp/1p6/8/8/8/PPP2PPP/R2QR1K1 b - - 0 20", "Kg8")
#: 6. Nxd5 in the Elephant Trap takes a pawn and loses a piece; e3 was best.
TRAP = ("r1bqkb1r/pppn1ppp/5n2/3p2B1/3P4/2N5/PP2PPPP/R2QKBNR w KQkq - 0 6", "Nxd5")
QUIET = (TRAP[0], "e3")
MATE = POSITIONS["scholar"]
#: A king on g8 that castled short, and one on c1 that castled long.
OPPOSITE = ("2kr3r/ppp2ppp/2n5/8/8/2N5/PPP2PPP/R4RK1 b - - 0 15", "Rd7")


@pytest.mark.parametrize(
    ("position", "text", "words", "verdict"),
    [
        # denied, possible, asked, supposed
        (ITALIAN, "The bishop on c4 does not attack the pawn on f7.", "", "false"),
        (ITALIAN, "The bishop on c4 does not attack the pawn on d7.", "", "true"),
        (
            ITALIAN,
            "If the bishop on c4 attacks the pawn on d7, White is fine.",
            "the bishop on c4 attacks the pawn on d7",
            "not checkable",
        ),
        (
            ITALIAN,
            "White would love a knight on f5.",
            "a knight on f5",
            "not checkable",
        ),
        # whose, where, how many
        (
            ITALIAN,
            "The bishop on d4 attacks the pawn on f7.",
            "The bishop on d4",
            "false",
        ),
        (
            ITALIAN,
            "The pawn on e5 is attacked twice.",
            "The pawn on e5 is attacked twice",
            "false",
        ),
        (
            ITALIAN,
            "The pawns on e4 and d3 hold the centre.",
            "The pawns on e4 and d3",
            "false",
        ),
        # before the move, after it, in a line
        (ITALIAN, "Ng5 comes next.", "Ng5", "named"),
        (ITALIAN, "After 4... Nf6 5. Ng5 O-O Black is safe.", "O-O", "named"),
        (ITALIAN, "Instead of Nxe5 White keeps the tension.", "Nxe5", "named"),
        (ITALIAN, "Earlier, 3... Bc5 was natural.", "Bc5", "not checkable"),
        # a subject that is named is the one that acts
        (MATE, "White mates with the bishop.", "mates with the bishop", "false"),
        (MATE, "White mates with the queen.", "mates with the queen", "true"),
        (
            SHUT_OFF,
            "The rooks are better, and the bishop on c4 is attacking f7.",
            "the bishop on c4 is attacking f7",
            "false",
        ),
        (SHUT_OFF, "The bishop on c4 and the rook on e1 attack d5.", "", "false"),
        (
            SHUT_OFF,
            "The knight on d5 is attacked by the bishop and the rook.",
            "",
            "false",
        ),
        (SHUT_OFF, "The queen attacks e2 and c7.", "", "false"),
        (SHUT_OFF, "The bishop on g4 pins the knight on f3.", "", "false"),
        (
            SMOTHERING,
            "White attacks, and the queen and rooks are attacking the king.",
            "the queen and rooks are attacking the king",
            "not checkable",
        ),
        (
            SMOTHERING,
            "White attacks, and the knight on f7 is attacking the king.",
            "the knight on f7 is attacking the king",
            "not checkable",  # it was, before the king went away
        ),
        # what was missed once
        (MATE, "The king escapes to e7.", "", "false"),
        (MATE, "White is in check.", "is in check", "false"),
        (ITALIAN, "White is mated next move.", "is mated", "false"),
        (ITALIAN, "It leaves one only legal reply.", "only legal reply", "false"),
        (ITALIAN, "Black meets it by 4…Kd7.", "Kd7", "false"),
        (ITALIAN, "If Bxg7 the game goes on.", "Bxg7", "false"),
        (ITALIAN, "After QxQ White is fine.", "QxQ", "false"),
        (ITALIAN, "The Bf4 is strong.", "Bf4", "false"),
        (
            ITALIAN,
            "If White takes the rook on a8, all is over.",
            "White takes the rook on a8",
            "false",
        ),
        (OPPOSITE, "Both sides have castled queenside.", "castled queenside", "false"),
        (POSITIONS["takes"], "It trades knights on d5.", "", "false"),
        # of a line that cannot be followed
        (
            ITALIAN,
            "After Nc4 Black plays Bxh7 with mate.",
            "Bxh7 with mate",
            "not checkable",
        ),
        # supposed, but no one move makes it possible
        (
            ITALIAN,
            "Taking the queen on d8 fails to something.",
            "Taking the queen on d8",
            "false",
        ),
        (
            ITALIAN,
            "White hopes to trade knights on a4.",
            "trade knights on a4",
            "false",
        ),
        # what small models write of captures and mates
        (
            QUIET,
            "White's e3 captures the black pawn on d5.",
            "e3 captures the black pawn on d5",
            "false",
        ),
        (
            QUIET,
            "6. e3 captures the black king.",
            "e3 captures the black king",
            "false",
        ),
        (
            TRAP,
            "White's Nxd5 captures the black pawn on d5.",
            "Nxd5 captures the black pawn on d5",
            "true",
        ),
        (QUIET, "This leaves the black king in checkmate.", "checkmate", "false"),
    ],
)
def test_words_around_a_claim_say_how_it_is_put(position, text, words, verdict):
    assert verdicts(position, text)[words or text.rstrip(".")] == verdict


@pytest.mark.parametrize(
    ("text", "loss", "words", "verdict"),
    [
        ("A blunder; the quiet e3 was called for.", 390, "A blunder", "true"),
        ("This is a blunder, because e3 was better.", 390, "a blunder", "true"),
        ("e3 is a blunder.", 390, "a blunder", "false"),  # another move, and the best
        (
            "A blunder.",
            140,
            "A blunder",
            "not checkable",
        ),  # a mistake, the class beside
        ("A blunder.", 105, "A blunder", "false"),  # an inaccuracy
        ("A mistake.", 105, "A mistake", "not checkable"),
        ("An inaccuracy.", 105, "An inaccuracy", "true"),
        ("An inaccuracy.", 20, "An inaccuracy", "not checkable"),
        ("A good move.", 20, "A good move", "true"),
        ("A good move.", 390, "A good move", "false"),
        ("Nxd5 is a blunder, and the best move was e3.", 390, "the best move", "true"),
        ("The best move was Nxd5.", 390, "The best move", "false"),
        ("The expected reply Bb4+ is better.", 390, "is better", "not checkable"),
    ],
)
def test_a_judgement_is_of_the_move_that_the_words_name(text, loss, words, verdict):
    judged = (*TRAP, verdict_of(40, 40 - loss, loss, "e2e3", "f6d5"))
    assert verdicts(judged, text)[words] == verdict


@pytest.mark.parametrize(
    ("position", "text"),
    [
        # lines with and without dots, of other games, and after moves that are not told
        (
            ITALIAN,
            "4... Nf6 5. d3 O-O 6. h3 d6 7. Nc3 a6 8. a3 Ba7 9. Re1 h6 10. Be3 Bxe3 11. Rxe3 "
            "Be6 12. Bxe6 fxe6 13. d4 exd4 14. Nxd4 Nxd4 15. Qxd4 is =.",
        ),
        (ITALIAN, "I expected 4 ... Nf6 5 Ng5 O-O 6 Nxf7 RxN 7 BxR+ and +-."),
        (ITALIAN, "I looked at 22. a5 Ra8 23. e4 Kg7 24. Kf2 later."),
        (ITALIAN, "Had Black played ...Qxd2 instead, that would be another matter."),
        # hoped, feared, prevented, intended, asked of the reader
        (ITALIAN, "White hopes to win a pawn by taking the knight on c6."),
        (ITALIAN, "He prepares to attack the queen on d8."),
        (ITALIAN, "It would be tempting to make the mistake of capturing the queen."),
        (ITALIAN, "Now we attack the queen."),
        (ITALIAN, "Attack the queen and check the king at the same time!"),
        (ITALIAN, "The e5 pawn cannot be captured without losing a piece."),
        # earlier, of the other side's next move, by the name of its first square, or another game's
        (OPPOSITE, "This shows how he brought his queen from d1 to h4."),
        (ITALIAN, "His f1 bishop has done well."),
        (ITALIAN, "In this variation White's knight on d5 is very loose."),
        (ITALIAN, "Black now attacks the pawn on h2 with the queen."),
        (ITALIAN, "A new queen would allow 6…Rc4+ at once."),
        (QUIET, "6. e3 takes aim at nothing, but 6. Nxd5 takes d5."),
        (TRAP, "After Nxd5 Black can capture the knight on d5."),
        (QUIET, "e3, planning to capture the pawn on d5."),
        (QUIET, "White hopes to put the black king in checkmate."),
        (QUIET, "This could leave the king in checkmate."),
    ],
)
def test_what_other_people_write_is_not_accused(position, text):
    assert [each for each in checked(position, text) if each.verdict == "false"] == []


def test_moves_of_the_game_before_are_known_and_others_may_be_of_another_line():
    position = Position.after(("e2e4", "e7e5", "g1f3", "b8c6"))
    said = verify(
        "After 2. Nf3 and 1...c5 the game is open.", MoveInContext(position, "f1c4")
    )
    found = {each.claim.text: each.verdict for each in said}
    clause = "After 2. Nf3 and 1...c5 the game is open"
    assert found == {"Nf3": "named", "c5": "not checkable", clause: "not checkable"}
    # what was so, or could be played, some moves before
    said = verify(
        "The pawn on e2 was weak, and d4 was possible.", MoveInContext(position, "f1c4")
    )
    assert "false" not in {each.verdict for each in said}
    (pawn, _) = verify("The pawn on e2 is weak.", MoveInContext(position, "f1c4"))
    assert pawn.verdict == "false"


#: A game of which the plies before the move are known.
OPENED = MoveInContext(Position.after(("e2e4", "e7e5", "g1f3", "b8c6")), "f1c4")


@pytest.mark.parametrize(
    ("excuse", "relation", "text"),
    [
        ("undecided", "wins", "White wins a pawn."),
        ("supposed", "ahead", "If White is a pawn up, all is well."),
        ("lost line", "gives_check", "After Nc4 the rook gives check."),
        ("earlier", "defends", "The queen was defending the pawn on e2."),
        ("next", "attacks", "Black now attacks the pawn on e4."),
        (
            "several",
            "attacks",
            "After Bc4 White castles, not attacking the pawn on f7.",
        ),
        ("no move", "wins", "Nxe4 wins a pawn."),
        ("not there", "attacks", "The queen on h5 does not attack f7."),
    ],
)
def test_an_excuse_leaves_open_what_would_be_false(excuse, relation, text):
    claims = extract(text)
    scene = scene_of(claims, OPENED)
    (claim,) = (each for each in claims if each.relation == relation)
    case = look_at_all(claim, scene)
    assert case.borne_out is None
    assert [each.name for each in EXCUSES if each.applies(case)] == [excuse]
    found = decide_claim(claim, scene)
    (why,) = (each.why for each in EXCUSES if each.name == excuse)
    assert found.verdict == "not checkable"
    assert why is None or found.evidence == why


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Better was 3. d4, which opens the way for the bishop on c1.", "true"),
        ("Black may reply 3...d6, which opens the way for the bishop on c8.", "true"),
        ("Black may reply 3...a6, which opens the way for the bishop on c8.", "false"),
    ],
)
def test_what_a_move_opens_is_looked_up_after_that_move(text, verdict):
    opens = [
        each for each in verify(text, OPENED) if "opens the way" in each.claim.text
    ]
    assert [each.verdict for each in opens] == [verdict]


def test_every_excuse_has_a_name_of_its_own():
    assert len({each.name for each in EXCUSES}) == len(EXCUSES)


def test_what_is_asked_is_never_looked_at():
    (asked,) = checked(ITALIAN, "Does the bishop on b4 attack e1?")[-1:]
    assert asked.verdict == "not checkable" and "asks" in asked.evidence


def test_what_is_presupposed_is_read_on_request_and_is_never_false():
    text = "Can Black hold the d5 square against the queens, and is it mate?"
    read = checked(ITALIAN, text, presupposed=True)
    assert {each.claim.relation for each in read} >= {"on_turn", "there_is", "theme"}
    assert {each.verdict for each in read} <= {"true", "not checkable"}
    assert not {each.claim.relation for each in checked(ITALIAN, text)} & {
        "on_turn",
        "there_is",
    }


def test_evaluations_need_an_engine():
    for row in (
        row for row in TABLE["relations"].values() if row["kind"] == "evaluation"
    ):
        claims = checked(ITALIAN, row["true"][1])
        assert "not checkable" in {
            c.verdict for c in claims if c.claim.kind == "evaluation"
        }


def test_a_reply_is_an_anchor_only_where_the_words_speak_of_one():
    text = "Black will answer, and the knight stands on f6."
    assert verdicts(ITALIAN, text)["the knight stands on f6"] == "false"
    assert verdicts(ITALIAN, text, reply="g8f6")["the knight stands on f6"] == "true"
    refuses(ValueError, "'e2e4' is not legal", checked, ITALIAN, text, reply="e2e4")


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("The bishop takes the pawn on e6 with check.", []),
        ("The bishop takes the knight on e6.", ["capture"]),
        ("This is checkmate.", ["checkmate"]),
        (
            "The bishop forks the queen on g8 and the rook on a8.",
            ["forced tactic or threat"],
        ),
        ("The rook on a8 is hanging.", ["hanging-piece win"]),
        ("The knight on d4 is strong.", []),  # wrong, but none of the rule's events
    ],
)
def test_the_hard_rule_disqualifies_unsupported_events(text, events):
    found = checked(FIGURE_A6, text)
    false = [each.claim for each in found if each.verdict == "false"]
    assert [event for claim in false if (event := disqualifier(claim))] == events
    causes = [CAUSES[claim.kind] for claim in false]
    assert [each.cause for each in found if each.cause] == causes


@pytest.mark.parametrize(
    ("text", "piece", "to", "takes"),
    [
        ("Nxe5", chess.KNIGHT, "e5", True),
        ("e2-e4", None, "e4", False),
        ("Ng1-f3", chess.KNIGHT, "f3", False),
        ("exd5", chess.PAWN, "d5", True),
        ("RxQd8", chess.ROOK, "d8", True),
        ("nf3", chess.KNIGHT, "f3", False),
    ],
)
def test_notation_is_read_in_many_forms(text, piece, to, takes):
    read = Notation.read(text)
    assert (read.piece, chess.square_name(read.to), read.takes) == (piece, to, takes)
    refuses(ValueError, "'knight' is not a written move", Notation.read, "knight")


def test_clauses_of_facts_are_true():
    #: told without a move on the board, so that longer mates stay open
    mates = tuple(
        f"{s} {v} mate" for s in ("White", "Black") for v in ("can", "threatens to")
    )
    for game in selfplay(12):
        for ply in range(14, len(game.moves), 29):
            move = MoveInContext(game.position(ply), game.moves[ply])
            for fact in gather(move).facts:
                text = f"{fact.text[0].upper()}{fact.text[1:]}."
                found = {each.verdict for each in verify(text, move)}
                known = fact.kind in KNOWN_KINDS
                # what was so before the move is told in the present
                open_too = fact.when == "before" or known
                open_too = open_too or " but may not " in text or text.startswith(mates)
                assert "false" not in found, text
                assert open_too or "not checkable" not in found, text
                assert found or known, text


# ---------------------------------------------------------------- kinds of faults

#: 3. Bb5 in the Ruy Lopez: only the knight on c6 defends e5.
RUY = ("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", "Bb5")
#: A bishop on f7 gives check, so that Black may not take on e4.
CHECKED = (
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "Bxf7+",
)
#: White could take f5 in passing, and advances a pawn instead.
ADVANCES = (POSITIONS["en_passant"][0], "d4")
#: A pawn takes a knight on the last rank and becomes a queen.
QUEENING = ("1n5k/P7/8/8/8/8/8/K7 w - - 0 1", "axb8=Q+")
#: Three pawns against none on the queen's wing, one against three on the king's.
WINGS = POSITIONS["wings"]
#: 22... gxh4 takes a knight and doubles the pawns; there are neither bishops nor queens.
NO_BISHOPS = ("r4rk1/pppn1p1p/3p1n2/4p1p1/4PP1N/2NP3P/PPP3P1/R4RK1 b - - 0 22", "gxh4")
#: The queen takes an unguarded rook on e8 and mates.
MATES_ON_E8 = ("4r1k1/5ppp/8/8/8/8/5PPP/3RQ1K1 w - - 0 1", "Qxe8#")


@pytest.mark.parametrize(
    ("position", "text", "verdict"),
    [
        # who is denied
        (RUY, "Nobody is defending the pawn on e5.", "false"),
        (RUY, "The pawn on e5 is defended by nobody.", "false"),
        (RUY, "The bishop on b5 is not defended by anything.", "true"),
        (RUY, "Neither the bishop on b5 nor the queen on d1 attacks e5.", "true"),
        (RUY, "Neither the bishop on b5 nor the knight on f3 attacks e5.", "false"),
        (RUY, "Hardly anything defends the pawn on e5.", "not checkable"),
        (RUY, "Neither side has castled.", "true"),
        (CHECKED, "Now neither king is in check.", "false"),
        (RUY, "Only the knight on c6 defends the pawn on e5.", "true"),
        (POSITIONS["connected"], "Now neither side has castled.", "false"),
        # how many are meant
        (RUY, "Two black pieces defend the pawn on e5.", "false"),
        (RUY, "The bishop on b5 attacks both knights.", "false"),
        (RUY, "Most of White's pieces defend the pawn on e4.", "not checkable"),
        # the moment: what a side can do holds when it is on turn
        (CHECKED, "Black can take the pawn on e4.", "false"),
        (CHECKED, "Black can take the bishop on f7.", "true"),
        (ADVANCES, "White takes en passant.", "false"),
        (ADVANCES, "White could take en passant.", "true"),
        (ADVANCES, "Black takes en passant.", "false"),
        (POSITIONS["en_passant"], "White takes en passant.", "true"),
        (QUEENING, "The pawn takes the knight on b8.", "true"),
        (QUEENING, "The pawn takes the rook on b8.", "false"),
        (POSITIONS["connected"], "The rook goes to f1.", "true"),
        (POSITIONS["connected"], "The rook goes to g1.", "false"),
        (POSITIONS["double"], "Only the rook gives check.", "not checkable"),
        (POSITIONS["double"], "The knight checks from d6.", "true"),
        (POSITIONS["double"], "The knight checks from e6.", "false"),
        # the passive and the past
        (RUY, "The bishop was attacked on f1.", "false"),
        (RUY, "The pawn on e5 was attacked by the knight on f3.", "true"),
        (RUY, "The knight on c6 was attacked.", "not checkable"),
        (CHECKED, "The pawn on f7 was attacked by the bishop.", "true"),
        # places and counts
        (WINGS, "White has three pawns on the queenside.", "true"),
        (WINGS, "White has three pawns on the kingside.", "false"),
        (WINGS, "On the kingside Black has three pawns against two.", "false"),
        (WINGS, "White has a kingside majority.", "false"),
        (WINGS, "Black has the majority on the kingside.", "true"),
        (NO_BISHOPS, "White is a queen and a knight down.", "false"),
        (NO_BISHOPS, "White is down a knight.", "true"),
        (NO_BISHOPS, "Black has a rook for a knight.", "false"),
        (NO_BISHOPS, "Black has doubled pawns on the queenside.", "false"),
        # what was not understood
        (NO_BISHOPS, "White has kept the bishop pair.", "false"),
        (NO_BISHOPS, "Thanks to the bishop pair White is better.", "false"),
        (RUY, "Both sides still have the bishop pair.", "true"),
        (NO_BISHOPS, "Neither side has the bishop pair.", "true"),
        (NO_BISHOPS, "Black keeps the queens on.", "false"),
        (NO_BISHOPS, "There are no bishops left on the board.", "true"),
        (POSITIONS["connected"], "White's rooks are connected.", "true"),
        (RUY, "White's rooks are connected.", "false"),
        (RUY, "White has no doubled pawns.", "true"),
        (MATES_ON_E8, "It's Rd8 mate.", "false"),
        (MATES_ON_E8, "It is mate with Rd8.", "false"),
        (MATES_ON_E8, "It is mate with Qxe8.", "true"),
        (MATES_ON_E8, "This wins the exchange.", "false"),
        (MATES_ON_E8, "White wins a rook.", "true"),
    ],
)
def test_a_sentence_is_judged_whole(position, text, verdict):
    said = {each.verdict for each in checked(position, text)} - {"named"}
    if verdict == "false":
        assert "false" in said
    else:
        assert verdict in said <= {verdict, "not checkable"}


#: A rook and a pawn can take the bishop that takes on f6; it has given up the pair of bishops.
TAKES_ON_F6 = (
    "r1bq1rk1/ppp2ppp/2np1n2/2b1p1B1/2B1P3/2NP1N2/PPP2PPP/R2Q1RK1 w - - 0 9",
    "Bxf6",
)
#: A knight takes a knight with check: the queen or the g-pawn may take back.
TAKES_WITH_CHECK = (
    "r1bqkbnr/pppp1ppp/8/8/3nP3/2N2N2/PPP2PPP/R1BQKB1R b KQkq - 0 5",
    "Nxf3+",
)
#: The b-pawns of both sides have a knight between them; White's is doubled and isolated.
DOUBLED = ("4k3/pp3ppp/8/8/8/1P6/1P3PPP/R3K2R w KQ - 0 20", "O-O")
#: A black pawn has just gone two squares; the pawn on f5 may take it in passing.
DOUBLE_STEP = ("4k3/3pp3/8/5P2/8/8/8/4K3 b - - 0 30", "e5")
#: Two rooks against rook and knight; a rook has come to the seventh rank.
SEVENTH = ("3r2k1/pp3ppp/2n5/8/8/8/PP3PPP/2RR2K1 w - - 0 25", "Rd7")
#: The king of Black has not castled, White's has; Black may still castle long.
LONG_ONLY = ("r3kb1r/ppp2ppp/2n2n2/8/8/2N2N2/PPP2PPP/R4RK1 b q - 0 12", "Be7")


@pytest.mark.parametrize(
    ("position", "text", "verdict"),
    [
        # what no claim holds leaves the sentence open
        (RUY, "The bishop on b5 attacks the knight on c6, but not d7.", "true"),
        (RUY, "The knight on f3 attacks the pawn on e5, but not d4.", "false"),
        (
            RUY,
            "The bishop on b5 attacks the knight on c6 along the fifth rank.",
            "open",
        ),
        (RUY, "The bishop on b5 attacks the knight on c6, three times.", "open"),
        # a place behind a state, and before a clause
        (RUY, "White's bishop is undefended on b5.", "true"),
        (RUY, "Black's pawn is undefended on e5.", "false"),
        (RUY, "On c6 the knight is hit by the bishop.", "true"),
        (RUY, "On c6 the knight is hit by the knight.", "false"),
        (RUY, "The bishop hits the knight from b5.", "true"),
        (RUY, "The bishop hits the knight from c4.", "false"),
        # a possessive behind a participle
        (RUY, "The bishop is attacking Black's knight on c6.", "true"),
        (RUY, "The bishop is attacking Black's queen on d8.", "false"),
        (RUY, "The knight is attacking Black's pawn on d7.", "false"),
        # which of several is meant
        (ITALIAN, "The rook is defended by the queen.", "true"),
        (CHECKED, "The bishop is defended by the queen.", "open"),
        (ITALIAN, "The pawn is protected.", "open"),
        (SHUT_OFF, "White pushes the pawn and hits the knight on d5.", "open"),
        # how many, and who alone
        (RUY, "The pawn on e5 is defended by a single knight.", "true"),
        (ITALIAN, "The pawn on e5 is attacked by a single pawn.", "false"),
        (SHUT_OFF, "The knight on d5 is attacked by a single piece.", "false"),
        (RUY, "Nothing except the knight on c6 defends the pawn on e5.", "true"),
        (RUY, "Apart from the knight on c6 no black piece defends e5.", "true"),
        (RUY, "Nothing except the queen on d8 defends the pawn on e5.", "false"),
        (RUY, "Nobody on White's side defends the bishop on b5.", "true"),
        (RUY, "Nobody on Black's side defends the pawn on e5.", "false"),
        (RUY, "The knight attacks the pawn on e5, which nobody defends.", "false"),
        # ways to take
        (
            TAKES_ON_F6,
            "Black can recapture in two ways, with the queen or the pawn.",
            "true",
        ),
        (
            TAKES_ON_F6,
            "Black can recapture in two ways, with the rook or the pawn.",
            "false",
        ),
        (TAKES_ON_F6, "Black has three ways to take back.", "false"),
        (TAKES_ON_F6, "Black can recapture with the queen or the g-pawn.", "true"),
        (TAKES_ON_F6, "Black can recapture with the queen or the rook.", "false"),
        (TAKES_ON_F6, "Black can only recapture with the pawn.", "false"),
        (
            TAKES_WITH_CHECK,
            "The knight can be taken by the queen or by the g-pawn.",
            "true",
        ),
        (
            TAKES_WITH_CHECK,
            "The knight can be taken by the queen or by the bishop.",
            "false",
        ),
        (TAKES_ON_F6, "White has traded his bishop for a knight.", "true"),
        (TAKES_ON_F6, "White has traded a knight for a bishop.", "false"),
        (TAKES_ON_F6, "White swaps his bishop for the knight on c6.", "false"),
        (TAKES_ON_F6, "White takes the knight, but it will be taken back.", "open"),
        (TAKES_WITH_CHECK, "Black has the bishop pair and White doesn't.", "false"),
        (TAKES_WITH_CHECK, "Black has the bishop pair and White does too.", "true"),
        (TAKES_WITH_CHECK, "Only Black has the bishop pair.", "false"),
        # moves and what is told of them
        (CHECKED, "The bishop retreats to f7.", "open"),
        (CHECKED, "The bishop moves from c4 to f7.", "true"),
        (CHECKED, "The bishop moves from b5 to f7.", "false"),
        (CHECKED, "Black has just retreated the knight to f6.", "open"),
        (DOUBLE_STEP, "The pawn advances two squares.", "true"),
        (DOUBLE_STEP, "The pawn advances one square.", "false"),
        (DOUBLE_STEP, "The d-pawn advances two squares.", "false"),
        (DOUBLE_STEP, "Black allows an en passant capture on e6.", "true"),
        (DOUBLE_STEP, "Black allows an en passant capture on d6.", "false"),
        (ADVANCES, "White allows an en passant capture.", "false"),
        (POSITIONS["on_the_seventh"], "White threatens to queen on d8.", "true"),
        (POSITIONS["on_the_seventh"], "White threatens to queen on e8.", "false"),
        # checks and mates
        (
            POSITIONS["discovers"],
            "The knight uncovers a check from the rook on e1.",
            "true",
        ),
        (FIGURE_A6, "The bishop uncovers a check from the queen.", "false"),
        (FIGURE_A6, "White gives a bishop check.", "true"),
        (FIGURE_A6, "White gives a knight check.", "false"),
        (MATE, "The queen mates.", "true"),
        (MATE, "Black's queen mates.", "false"),
        (POSITIONS["back_rank"], "White had mate in one with Ra8.", "true"),
        (POSITIONS["back_rank"], "White had mate in one with Ra6.", "false"),
        (POSITIONS["back_rank"], "White missed a mate in one.", "true"),
        (POSITIONS["mates"], "White missed a mate in one.", "false"),
        (ITALIAN, "White missed a mate in one.", "false"),
        (RUY, "White threatens mate, and the bishop went to b5 with check.", "false"),
        # castling
        (LONG_ONLY, "Castling kingside is no longer possible for Black.", "true"),
        (LONG_ONLY, "Queenside castling is gone for Black.", "false"),
        (LONG_ONLY, "Black can no longer castle queenside.", "false"),
        (LONG_ONLY, "Black can still castle on either side.", "false"),
        (ITALIAN, "Black can still castle on either side.", "true"),
        (LONG_ONLY, "White has castled, but Black hasn't.", "true"),
        (OPPOSITE, "White has castled, but Black hasn't.", "false"),
        (LONG_ONLY, "Black has yet to castle.", "true"),
        (OPPOSITE, "Black has yet to castle.", "false"),
        # material
        (SEVENTH, "White has two rooks, Black one.", "true"),
        (SEVENTH, "White has two rooks, Black two.", "false"),
        (SEVENTH, "Two rooks against a rook and a knight.", "true"),
        (
            SEVENTH,
            "Two rooks and five pawns against a rook, a knight and five pawns.",
            "true",
        ),
        (
            SEVENTH,
            "Two rooks and five pawns against a rook, a bishop and five pawns.",
            "false",
        ),
        (SEVENTH, "Black hasn't a single bishop.", "true"),
        (SEVENTH, "Black hasn't a single knight.", "false"),
        (SEVENTH, "Neither side has a queen.", "true"),
        (SEVENTH, "Neither side has a rook.", "false"),
        (SEVENTH, "White's rook is on the seventh.", "true"),
        (SEVENTH, "Black's rook is on the seventh.", "false"),
        (SEVENTH, "White has one rook on the d-file.", "true"),
        (SEVENTH, "White has two rooks on the d-file.", "false"),
        (POSITIONS["gives_pieces"], "White is a rook up.", "open"),
        (SEVENTH, "White has a rook for a knight.", "true"),
        (POSITIONS["for_a_rook"], "White has a rook for a knight.", "false"),
        (SEVENTH, "Material is equal once Black recaptures.", "open"),
        # pawns
        (DOUBLED, "White's b-pawns are doubled and isolated.", "true"),
        (DOUBLED, "This leaves White's b-pawns doubled and isolated.", "true"),
        (DOUBLED, "This leaves Black's b-pawn doubled.", "false"),
        (DOUBLED, "White's f-pawn, which is doubled, is isolated.", "false"),
        (DOUBLED, "The pawns on f2 and b2 are isolated.", "false"),
        (DOUBLED, "The pawns on f2 and g2 are connected.", "true"),
        (DOUBLED, "The pawns on b2 and g2 are connected.", "false"),
        (WINGS, "White has a queenside majority, three pawns against none.", "open"),
        (WINGS, "On the kingside it is White who has the majority.", "false"),
        (WINGS, "On the kingside it is Black who has the majority.", "true"),
        (POSITIONS["strong"], "It is White who is winning.", "true"),
    ],
)
def test_a_kind_of_sentence_is_judged_or_left_open(position, text, verdict):
    said = {each.verdict for each in checked(position, text)} - {"named"}
    judged = "false" if "false" in said else "true" if said == {"true"} else "open"
    assert judged == verdict, checked(position, text)


@pytest.mark.parametrize(
    ("text", "open_"),
    [
        (
            "White's rooks are hard to coordinate.",
            ["White's rooks are hard to coordinate"],
        ),
        ("Nf3 weakens the king.", ["Nf3 weakens the king"]),
        ("White castles, and Black sighs.", ["and Black sighs"]),
        ("The bishop on c4 attacks the pawn on f7.", []),
        ("White has played Bb5, of course.", []),
    ],
)
def test_a_clause_whose_verb_is_not_understood_is_open(text, open_):
    found = checked(ITALIAN, text)
    unread = [each for each in found if each.claim.kind == "unread"]
    assert [each.claim.text for each in unread] == open_
    assert {each.verdict for each in unread} <= {"not checkable"}
    assert {disqualifier(each.claim) for each in unread} <= {None}


def test_a_row_that_nothing_decides_is_named_with_its_remedy(monkeypatch):
    monkeypatch.delitem(LOOKS, "shelters")
    relations.cache_clear()
    try:
        refuses(
            ValueError,
            r"\[relations.shelters\] .* 'shelters', which is no look: .*LOOKS",
            relations,
        )
    finally:
        relations.cache_clear()


def test_a_move_of_a_piece_that_is_not_there_is_false_behind_another_such_move():
    found = verdicts(NO_BISHOPS, "White now threatens Qg4+ and Bh6.")
    assert (found["Qg4+"], found["Bh6"]) == ("false", "false")
    # there is a knight, and a queen may come to be
    found = verdicts(NO_BISHOPS, "White now threatens Bg4+ and Nh6.")
    assert found["Nh6"] == "not checkable"
    found = verdicts(NO_BISHOPS, "White now threatens Bg4+ and Qh6.")
    assert found["Qh6"] == "not checkable"


def test_what_is_only_named_is_no_true_claim_but_can_be_false():
    named = verdicts(ITALIAN, "After Ng5 the bishop on c4 looks on.")
    assert (named["Ng5"], named["the bishop on c4"]) == ("named", "named")
    named = verdicts(ITALIAN, "After Ng6 the bishop on d4 looks on.")
    assert (named["Ng6"], named["the bishop on d4"]) == ("false", "false")
    assert verdicts(ITALIAN, "There is a bishop on c4.")["a bishop on c4"] == "true"
    assert verdicts(ITALIAN, "Black can play Nf6.")["can play Nf6"] == "true"


@pytest.mark.parametrize(
    ("centipawns", "text", "verdict"),
    [
        (52, "The position is level.", "true"),
        (52, "White is clearly ahead.", "false"),
        (52, "White is slightly better.", "not checkable"),
        (100, "White is slightly better.", "true"),
        (100, "White is winning.", "false"),
        (250, "White is winning.", "not checkable"),
        (250, "White is clearly better.", "true"),
        (250, "The position is equal.", "false"),
        (0, "White is better.", "false"),
    ],
)
def test_words_for_who_is_better_are_on_the_verdict_s_scale(centipawns, text, verdict):
    judged = (*ITALIAN, verdict_of(centipawns, centipawns, 0))
    (found,) = checked(judged, text)
    assert found.verdict == verdict


def test_a_row_s_hints_are_in_every_sentence_that_it_matches():
    texts = [each.text for each in read_gold(PROJECT / "data/claims/dev.jsonl")]
    parsed = [
        each for text in texts for each in sentences(text, chunk(text, tokenise(text)))
    ]
    for name, row in relations().items():
        for sentence in parsed:
            if row.hints and not any(hint in sentence.words for hint in row.hints):
                over = [
                    each.pattern for each in row.readings if each.reader in OF_WORDS
                ]
                assert not any(each.search(sentence.words) for each in over), name
