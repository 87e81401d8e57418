from __future__ import annotations

from pathlib import Path

import chess
import chess.engine
import pytest

from chessgloss.claims import CAUSES, causes, extract, summarise, verify
from chessgloss.claims.lexicon import read_notation
from chessgloss.corpora.games import read_games
from chessgloss.facts import gather
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext, read_fen, read_move

GAMES = Path(__file__).resolve().parents[1] / "data" / "games" / "selfplay.tsv.zst"

#: White's bishops aim at f7 and h7; the move castles.
ITALIAN = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
#: The CCC paper's Figure A6: a bishop takes a pawn with check.
FIGURE_A6 = "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21"
#: A knight on e5 can fork king and rook, and a bishop pins a knight to its king.
PIN = "r1bqk2r/pppp1ppp/2n2n2/4p3/1b2P3/2NP4/PPP2PPP/R1BQKBNR w KQkq - 1 4"
PROMOTION = "8/3P2k1/8/8/8/8/2K5/8 w - - 0 70"
BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


def checked(fen: str, san: str, text: str, **more):
    return verify(text, read_move(read_fen(fen), san), **more)


def verdicts(fen: str, san: str, text: str, **more) -> dict[str, str]:
    return {one.claim.text: one.verdict for one in checked(fen, san, text, **more)}


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("Nf3 is natural.", "move", "Nf3"),
        ("He met it with knight to f3.", "move", "knight to f3"),
        ("White's e4 pawn is firm.", "piece", "White's e4 pawn"),
        ("The bishop at c4 bites.", "piece", "The bishop at c4"),
        ("It attacks the pawn on f7.", "attack", "It attacks the pawn on f7"),
        ("The undefended rook on a1 worries him.", "attack", "The undefended rook on a1"),
        ("Nf7+ gives check.", "check", "Nf7+ gives check"),
        ("White captures the knight.", "capture", "White captures the knight"),
        ("That is checkmate!", "mate", "is checkmate"),
        ("There is mate in three.", "mate", "is mate in three"),
        ("The knight forks king and rook.", "tactic", "The knight forks king and rook"),
        ("Black is a pawn up.", "material", "Black is a pawn up"),
        ("The pawn on d5 is isolated.", "structure", "The pawn on d5 is isolated"),
        ("The e-file is open.", "structure", "e-file is open"),
        ("White is slightly better.", "evaluation", "White is slightly better"),
        ("This is a blunder.", "evaluation", "a blunder"),
    ],
)
def test_a_claim_is_found_with_its_span(text: str, kind: str, words: str):
    found = [claim for claim in extract(text) if claim.kind == kind and claim.text == words]
    assert len(found) == 1
    assert text[slice(*found[0].span)] == words


@pytest.mark.parametrize(
    "text",
    [
        "A useful waiting move that improves the coordination of the pieces.",
        "Check that your king is safe before you go on.",
        "Both players keep their options open.",
        "The a1-h8 diagonal will matter.",
        "What a fight!",
        "",
    ],
)
def test_a_text_without_claims_gives_none(text: str):
    assert extract(text) == ()


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The bishop on c4 attacks the pawn on f7.", "true"),
        ("The bishop on c4 attacks the pawn on g7.", "false"),
        ("The bishop on d4 attacks the pawn on f7.", "false"),
        ("Black's bishop on c4 attacks the pawn on f7.", "false"),
        ("The bishop on c4 does not attack the pawn on f7.", "false"),
        ("The bishop on c4 does not attack the pawn on d7.", "true"),
        ("The bishop on c4 could attack the pawn on d7.", "not checkable"),
        ("Does the bishop on c4 attack the pawn on d7?", "not checkable"),
        ("If the bishop on c4 attacks the pawn on d7, White is fine.", "not checkable"),
        ("The knight on f3 attacks e5.", "true"),
        ("The pawn on e5 is attacked by the knight on f3.", "true"),
        ("The pawn on e5 is attacked twice.", "false"),
        ("The pawn on e5 is defended by the knight on c6.", "true"),
        ("The pawn on e5 is undefended.", "false"),
        ("The pawn on e4 has no defender.", "true"),
        ("Nothing defends the pawn on e4.", "true"),
    ],
)
def test_attacks_and_defences(text: str, verdict: str):
    found = [one for one in checked(ITALIAN, "O-O", text) if one.claim.kind == "attack"]
    assert [one.verdict for one in found] == [verdict]


#: A white bishop on c4 that a knight on d5 shuts off from f7, a black rook on f8 that guards it.
SHUT_OFF = "r1bq1rk1/pp3ppp/2p2n2/3n4/2B5/2N2N2/PPP2PPP/R1BQR1K1 w - - 0 10"
#: A white knight on f7 checks the king on h8; queen and rooks look elsewhere.
SMOTHERING = "5r1k/p4Npp/1p6/8/8/8/PPP2PPP/R2QR1K1 b - - 0 20"


@pytest.mark.parametrize(
    ("fen", "san", "text", "words", "verdict"),
    [
        (SHUT_OFF, "h3", "The rooks are getting better, and the bishop on c4 is attacking f7.",
         "the bishop on c4 is attacking f7", "false"),
        (SHUT_OFF, "h3", "The rooks are getting better, and the rook on f8 is guarding f7.",
         "the rook on f8 is guarding f7", "true"),
        (SHUT_OFF, "h3", "The knight takes the bishop and the queen attacks f7.",
         "the queen attacks f7", "false"),
        (SHUT_OFF, "h3", "The bishop on c4 and the knight on c3 attack d5.",
         "The bishop on c4 and the knight on c3 attack d5", "true"),
        (SHUT_OFF, "h3", "The bishop on c4 and the rook on e1 attack d5.",
         "The bishop on c4 and the rook on e1 attack d5", "false"),
        (SHUT_OFF, "h3", "The knights on f3 and c3 attack e5.",
         "The knights on f3 and c3 attack e5", "false"),
        (SHUT_OFF, "h3", "The knight on d5 is attacked by the bishop and the rook.",
         "The knight on d5 is attacked by the bishop and the rook", "false"),
        (SHUT_OFF, "h3", "The knight on d5 is attacked by the bishop and the queen.",
         "The knight on d5 is attacked by the bishop and the queen", "true"),
        (SHUT_OFF, "h3", "The knights attack e2 and h5.", "The knights attack e2 and h5", "false"),
        (SHUT_OFF, "h3", "The knights attack d5 and g5.", "The knights attack d5 and g5", "true"),
        (SHUT_OFF, "h3", "It stands behind the bishop's attack on e5.",
         "the bishop's attack on e5", "false"),
        (SHUT_OFF, "h3", "It adds its weight to the bishop's pressure on d5.",
         "the bishop's pressure on d5", "true"),
        (SHUT_OFF, "h3", "The queen attacks d5 and c7.", "The queen attacks d5 and c7", "true"),
        (SHUT_OFF, "h3", "The queen attacks e2 and c7.", "The queen attacks e2 and c7", "false"),
        (SHUT_OFF, "h3", "The bishop on b5 is attacking the king.",
         "The bishop on b5 is attacking the king", "false"),
        (SHUT_OFF, "h3", "The bishop on e6 defends the king.",
         "The bishop on e6 defends the king", "false"),
        (SHUT_OFF, "h3", "The bishop on g4 pins the knight on f3.",
         "The bishop on g4 pins the knight on f3", "false"),
        (SHUT_OFF, "h3", "The rook trades knights.", "The rook trades knights", "false"),
        (SHUT_OFF, "h3", "The knight trades knights.", "The knight trades knights", "true"),
        (SMOTHERING, "Kg8", "White attacks, and the queen and rooks are attacking the king.",
         "the queen and rooks are attacking the king", "not checkable"),
        (SMOTHERING, "Kg8", "White attacks, and the knight on f7 is attacking the king.",
         "the knight on f7 is attacking the king", "true"),
    ],
)  # fmt: skip
def test_a_subject_that_is_named_is_the_one_that_acts(
    fen: str, san: str, text: str, words: str, verdict: str
):
    assert verdicts(fen, san, text)[words] == verdict


@pytest.mark.parametrize(
    ("text", "claim", "verdict"),
    [
        ("White castles kingside.", "White castles kingside", "true"),
        ("White castles queenside.", "White castles queenside", "false"),
        ("Black castles.", "Black castles", "false"),
        ("4. d3 was also possible.", "d3", "true"),
        ("4. d6 was also possible.", "d6", "false"),
        ("Ng5 comes next.", "Ng5", "true"),
        ("White plays Ng5.", "Ng5", "false"),
        ("Black answers 4... Nf6.", "Nf6", "true"),
        ("Black answers 4... Nf5.", "Nf5", "false"),
        ("After 4... Nf6 5. Ng5 O-O Black is safe.", "O-O", "true"),
        ("Instead of Nxe5 White keeps the tension.", "Nxe5", "true"),
        ("Black's queen goes to h4.", "Black's queen goes to h4", "true"),
        ("The queen goes to h6.", "The queen goes to h6", "false"),
        ("Earlier, 3... Bc5 was natural.", "Bc5", "not checkable"),
    ],
)
def test_moves_are_held_against_the_ply_that_the_words_allow(text: str, claim: str, verdict: str):
    assert verdicts(ITALIAN, "O-O", text)[claim] == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("White's king on g1 is safe.", "true"),
        ("White's king on e1 is safe.", "true"),  # before the move
        ("Now the king stands on e1.", "false"),  # and no longer after it
        ("The rook on f1 joins in.", "true"),
        ("The rook on e1 joins in.", "false"),
        ("White would love a knight on f5.", "not checkable"),
        ("There is no knight on f5.", "true"),
        ("The pawns on e4 and d2 hold the centre.", "true"),
        ("The pawns on e4 and d3 hold the centre.", "false"),
    ],
)
def test_pieces_on_squares(text: str, verdict: str):
    found = [one for one in checked(ITALIAN, "O-O", text) if one.claim.kind == "piece"]
    assert [one.verdict for one in found] == [verdict]


def test_checks_mates_and_captures_are_those_of_the_move():
    good = checked(FIGURE_A6, "Bxe6+", "The bishop takes the pawn on e6 with check.")
    assert {one.verdict for one in good} == {"true"}
    bad = verdicts(FIGURE_A6, "Bxe6+", "The bishop takes the knight on e6. It is checkmate!")
    assert bad["The bishop takes the knight on e6"] == bad["is checkmate"] == "false"
    assert verdicts(BACK_RANK, "Ra8#", "The rook delivers mate.") == {"delivers mate": "true"}
    assert verdicts(BACK_RANK, "Ra7", "White threatens mate in one.") == {
        "threatens mate in one": "true"
    }


def test_forks_pins_material_structure_and_promotion():
    assert verdicts(PIN, "Nf3", "The knight on c3 is pinned to the king.")[
        "The knight on c3 is pinned to the king"
    ] == ("true")
    assert verdicts(PIN, "Nf3", "The bishop on b4 pins the knight on f3.")[
        "The bishop on b4 pins the knight on f3"
    ] == ("false")
    text = "White makes a queen. White is a rook up, and the pawn on d7 was passed."
    found = verdicts(PROMOTION, "d8=Q", text)
    assert found["makes a queen"] == found["the pawn on d7 was passed"] == "true"
    assert found["White is a rook up"] == "false"
    assert verdicts(PROMOTION, "d8=N", "The pawn promotes to a queen.") == {
        "promotes to a queen": "false"
    }


def score(centipawns: int, turn: chess.Color = chess.WHITE) -> chess.engine.PovScore:
    return chess.engine.PovScore(chess.engine.Cp(centipawns), turn)


def verdict_of(before: int, after: int, loss: int) -> Verdict:
    return Verdict(
        "Scripted 1", 1_000, score(before), score(after), score(after), 0.5, 0.5, 0.5, 0.5,
        loss, 1, 3, "e1g1", "d2d3", before - 20, ("e1g1",), "g8f6", ("g8f6",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "without", "strong", "weak"),
    [
        ("White is winning.", "not checkable", "true", "false"),
        ("White is better.", "not checkable", "true", "false"),
        ("Black is worse.", "not checkable", "true", "false"),
        ("The position is equal.", "not checkable", "false", "true"),
        ("A blunder.", "not checkable", "false", "true"),
        ("This is the best move.", "not checkable", "true", "false"),
    ],
)
def test_evaluations_need_an_engine(text: str, without: str, strong: str, weak: str):
    def only(verdict: Verdict | None) -> str:
        (one,) = checked(ITALIAN, "O-O", text, verdict=verdict)
        return one.verdict

    assert only(None) == without
    assert only(verdict_of(400, 400, 0)) == strong
    assert only(verdict_of(300, 0, 300)) == weak


def test_a_reply_is_an_anchor_only_where_the_words_speak_of_one():
    text = "Black will answer, and the knight stands on f6."
    assert verdicts(ITALIAN, "O-O", text)["the knight stands on f6"] == "false"
    assert verdicts(ITALIAN, "O-O", text, reply="g8f6")["the knight stands on f6"] == "true"
    with pytest.raises(ValueError, match="'e2e4' is not legal"):
        checked(ITALIAN, "O-O", text, reply="e2e4")


def test_every_claim_has_evidence_and_a_false_one_a_cause():
    text = "The bishop on d4 attacks g7, Nf7 is legal, and White is winning."
    found = checked(ITALIAN, "O-O", text, verdict=verdict_of(0, 0, 0))
    assert all(one.evidence for one in found)
    assert {one.claim.kind for one in found} == {"piece", "attack", "move", "evaluation"}
    assert causes(found) == {CAUSES[one.claim.kind] for one in found}
    assert summarise(found)["false"] == len(found) == 4
    assert sum(summarise(found)[cause] for cause in causes(found)) == 4


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
    read = read_notation(text)
    assert (read.piece, chess.square_name(read.to), read.takes) == (piece, to, takes)


def test_what_is_no_move_is_not_read():
    with pytest.raises(ValueError, match="'knight' is not a written move"):
        read_notation("knight")


@pytest.mark.parametrize(
    "text",
    [
        "♞ ходит на f3 — хорошо!",
        "R-f3-h3 and QxQ, 1-0 +- $3 {[%eval 0.3]}",
        "e4" * 400,
        "the the the knight on on f3 , , and and",
        "?!?!... ((((",
    ],
)
def test_odd_text_is_read_without_failing(text: str):
    checked(ITALIAN, "O-O", text)


def test_clauses_of_facts_are_true():
    for move in self_play_moves(games=12, step=29):
        for fact in gather(move).facts:
            sentence = f"{fact.text[0].upper()}{fact.text[1:]}."
            found = verify(sentence, move)
            assert {one.verdict for one in found} <= {"true", "not checkable"}, (sentence, found)
            if " but may not " not in sentence and not sentence.startswith(MATES):
                assert {one.verdict for one in found} == {"true"}, (sentence, found)


#: Side, verb and mate: told without a move on the board, so that longer mates stay open.
MATES = ("White can mate", "Black can mate", "White threatens to mate", "Black threatens to mate")


def self_play_moves(games: int, step: int):
    for game in read_games(GAMES, games):
        for ply in range(step // 2, len(game.moves), step):
            yield MoveInContext(game.position(ply), game.moves[ply])
