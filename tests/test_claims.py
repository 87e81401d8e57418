"""Sentences and what the checker says of them: a true and a false example for each relation."""

from __future__ import annotations

from pathlib import Path

import chess
import chess.engine
import pytest

from chessgloss.claims import CAUSES, causes, disqualifier, extract, summarise, verify
from chessgloss.claims.lexicon import read_notation
from chessgloss.claims.relations import relations
from chessgloss.corpora.games import read_games
from chessgloss.facts import gather
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext, read_fen, read_move

GAMES = Path(__file__).resolve().parents[1] / "data" / "games" / "selfplay.tsv.zst"

#: White's bishops aim at f7 and h7; the move castles.
ITALIAN = ("r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", "O-O")
TAKES = (ITALIAN[0], "Nxe5")
#: The CCC paper's Figure A6: a bishop takes a pawn with check.
FIGURE_A6 = ("r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21", "Bxe6+")
#: A bishop pins a knight to its king.
PIN = ("r1bqk2r/pppp1ppp/2n2n2/4p3/1b2P3/2NP4/PPP2PPP/R1BQKBNR w KQkq - 1 4", "Nf3")
PROMOTES = ("8/3P2k1/8/8/8/8/2K5/8 w - - 0 70", "d8=Q")
ON_THE_SEVENTH = (PROMOTES[0], "Kc3")
BACK_RANK = ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra7")
MATES = (BACK_RANK[0], "Ra8#")
EN_PASSANT = ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", "exf6")
#: The knight on e4 moves with discovered check.
DISCOVERS = ("4k3/8/8/8/4N3/8/8/4R1K1 w - - 0 1", "Nc5+")
DOUBLE = (DISCOVERS[0], "Nd6+")
SKEWER = ("8/8/8/q1k5/8/8/7K/6R1 w - - 0 1", "Rg5+")
FORK = ("r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", "Nc7+")
STALEMATE = ("7k/5Q2/8/8/8/8/8/K7 w - - 0 1", "Kb2")
IN_CHECK = ("4k3/8/8/8/8/8/4r3/R3K3 w Q - 0 1", "Kxe2")


def score(centipawns: int) -> chess.engine.PovScore:
    return chess.engine.PovScore(chess.engine.Cp(centipawns), chess.WHITE)


def verdict_of(before: int, after: int, loss: int) -> Verdict:
    return Verdict(
        "Scripted 1", 1_000, score(before), score(after), score(after), 0.5, 0.5, 0.5, 0.5,
        loss, 1, 3, "e1g1", "d2d3", before - 80, ("e1g1",), "g8f6", ("g8f6",),
    )  # fmt: skip


#: White is winning and castles, the best move by far; and a blunder in an equal position.
STRONG, BLUNDER = (*ITALIAN, verdict_of(400, 400, 0)), (*TAKES, verdict_of(300, 0, 300))


def checked(position: tuple, text: str, **more):
    fen, san, *verdict = position
    return verify(text, read_move(read_fen(fen), san), *verdict, **more)


def verdicts(position: tuple, text: str, **more) -> dict[str, str]:
    return {each.claim.text: each.verdict for each in checked(position, text, **more)}


#: Relation: the position, a true sentence, a false one (and its position where it is another).
EXAMPLES = {
    "legal": (ITALIAN, "4. d3 was also possible.", "4. d6 was also possible."),
    "played": (ITALIAN, "White castles kingside.", "White plays Ng5."),
    "impossible": (ITALIAN, "The knight on f3 cannot go to f6.", None),
    "move_checks": (FIGURE_A6, "Bxe6+ is good.", "Nxe5+ is good.", TAKES),
    "move_mates": (MATES, "Ra8# is the end.", "Nc5# is the end.", DISCOVERS),
    "cannot_castle": (ITALIAN, "White cannot castle.", "Black cannot castle.", PIN),
    "may_castle": (ITALIAN, "Black can castle.", "Black can castle.", FIGURE_A6),
    "has_right": (
        ITALIAN, "Black has the right to castle.", "Black has the right to castle.", FIGURE_A6,
    ),
    "loses_right": (
        ITALIAN, "White loses the right to castle.", "Black loses the right to castle.",
    ),
    "castled": (ITALIAN, "White has castled.", "Black has castled."),
    "promotes": (PROMOTES, "White makes a queen.", "The pawn promotes to a knight."),
    "can_promote": (
        ON_THE_SEVENTH, "White threatens to promote the pawn on d7.",
        "White threatens to promote the pawn on d6.",
    ),
    "legal_count": (
        ON_THE_SEVENTH, "There are only 8 legal moves.", "There are only 13 legal moves.",
    ),
    "stands": (ITALIAN, "White's king on g1 is safe.", "Now the king stands on e1."),
    "attacks": (
        ITALIAN, "The bishop on c4 attacks the pawn on f7.",
        "The bishop on c4 attacks the pawn on g7.",
    ),
    "defends": (
        ITALIAN, "The pawn on e5 is defended by the knight on c6.",
        "The pawn on e5 is defended by the bishop on c5.",
    ),
    "controls": (FIGURE_A6, "The bishop controls d7.", "The bishop controls f7 and g8."),
    "loose": (ITALIAN, "The pawn on e4 has no defender.", "The pawn on e5 is undefended."),
    "shelters": (
        ITALIAN, "The pawns on f2 and g2 shelter the king on g1.",
        "The pawn on a2 shelters the king on g1.",
    ),
    "captures": (
        FIGURE_A6, "The bishop takes the pawn on e6.", "The bishop takes the knight on e6.",
    ),
    "exchanges": (TAKES, "It trades knights.", "It trades queens."),
    "can_win": (
        TAKES, "Black threatens to win the knight on e5.", "Black threatens to win the rook on h1.",
    ),
    "en_passant": (EN_PASSANT, "He takes en passant.", "He takes en passant.", ITALIAN),
    "forks": (
        FORK, "The knight forks the king and the rook.",
        "The bishop forks the queen on g8 and the rook on a8.", FIGURE_A6,
    ),
    "pins": (
        PIN, "The knight on c3 is pinned to the king.", "The bishop on b4 pins the knight on f3.",
    ),
    "skewers": (
        SKEWER, "The rook skewers the king and the queen.",
        "The rook skewers the king and the queen.", BACK_RANK,
    ),
    "discovers": (DISCOVERS, "It comes with a discovered attack.",
                  "It comes with a discovered attack.", ITALIAN),
    "gives_check": (FIGURE_A6, "The bishop gives check.", "The knight gives check."),
    "in_check": (FIGURE_A6, "Black is in check.", "White is in check.", ITALIAN),
    "discovered_check": (
        DISCOVERS, "It gives discovered check.", "It gives discovered check.", FIGURE_A6,
    ),
    "double_check": (DOUBLE, "It is double check.", "It is double check.", DISCOVERS),
    "was_in_check": (IN_CHECK, "White steps out of check.", "White steps out of check.", ITALIAN),
    "is_mate": (MATES, "The rook delivers mate.", "It is checkmate!", FIGURE_A6),
    "threatens_mate": (
        BACK_RANK, "White threatens mate in one.", "White threatens mate in one.", ITALIAN,
    ),
    "mate_in": (BACK_RANK, "There is mate in one.", "There is mate in one.", ITALIAN),
    "can_mate": (
        BACK_RANK, "White threatens to mate with the rook from a7 to a8.",
        "White threatens to mate with the rook from a7 to b7.",
    ),
    "is_stalemate": (STALEMATE, "It is stalemate.", "It is stalemate.", ITALIAN),
    "ahead": (IN_CHECK, "White is a rook up.", "White is a pawn up."),
    "behind": (IN_CHECK, "Black is a rook down.", "White is a rook down."),
    "level": (ITALIAN, "Material is even.", "Material is even.", BACK_RANK),
    "counts": (ITALIAN, "White has only two rooks.", "Black has exactly seven pawns."),
    "pair": (ITALIAN, "White has the bishop pair.", "White has the bishop pair.", BACK_RANK),
    "counts_both": (ITALIAN, "Both sides have two rooks.", "Both sides have three rooks."),
    "no_more": (BACK_RANK, "The queens are off.", "The rooks are off."),
    "wins": (FIGURE_A6, "Bxe6+ wins a pawn.", "Nxe5 wins a pawn.", TAKES),
    "exchange_result": (
        TAKES, "By exchanges on e5 White loses 2 pawns.", "By exchanges on e5 White wins 1 pawn.",
    ),
    "brings": (
        TAKES, "The move brings White 1 pawn of material.",
        "The move brings White 3 pawns of material.",
    ),
    "pawn_state": (
        ON_THE_SEVENTH, "The pawn on d7 is passed.", "The pawn on e4 is passed.", ITALIAN,
    ),
    "open_file": (BACK_RANK, "The a-file is open.", "The b-file is closed."),
    "opens_file": (
        BACK_RANK, "The rook opens the a-file.", "White opens the e-file.", ITALIAN,
    ),
    "better": (STRONG, "White is winning.", "White is winning.", BLUNDER),
    "equal": (BLUNDER, "The position is equal.", "The position is equal.", STRONG),
    "better_move": (BLUNDER, "O-O was better.", "d3 was better.", STRONG),
    "only_move": (STRONG, "It is the only move.", "It is the only move.", BLUNDER),
    "best_move": (STRONG, "This is the best move.", "This is the best move.", BLUNDER),
    "bad_move": (BLUNDER, "A blunder.", "A blunder.", STRONG),
    "good_move": (STRONG, "A good move.", "A good move.", BLUNDER),
}  # fmt: skip


def test_every_relation_has_an_example():
    assert set(EXAMPLES) == set(relations())


@pytest.mark.parametrize("relation", EXAMPLES)
def test_what_is_true_is_told_from_what_is_false(relation: str):
    position, true, false, *other = EXAMPLES[relation]
    elsewhere = other[0] if other else position
    for place, text, verdict in ((position, true, "true"), (elsewhere, false, "false")):
        claims = [each for each in checked(place, text or "") if each.claim.relation == relation]
        assert {each.verdict for each in claims} == ({verdict} if text else set()), (text, claims)
        for each in claims:
            assert each.evidence
            assert each.claim.kind == relations()[relation].kind
            assert text[slice(*each.claim.span)] == each.claim.text


@pytest.mark.parametrize(
    "text",
    [
        "A useful waiting move that improves the coordination of the pieces.",
        "Check that your king is safe before you go on.",
        "Both players keep their options open.",
        "The a1-h8 diagonal will matter.",
        "",
    ],
)
def test_a_text_without_claims_gives_none(text: str):
    assert extract(text) == ()


@pytest.mark.parametrize(
    ("text", "words", "verdict"),
    [
        # denied, possible, asked, supposed
        ("The bishop on c4 does not attack the pawn on f7.", "", "false"),
        ("The bishop on c4 does not attack the pawn on d7.", "", "true"),
        ("The bishop on c4 could attack the pawn on d7.", "", "not checkable"),
        ("Does the bishop on c4 attack the pawn on d7?", "", "not checkable"),
        ("If the bishop on c4 attacks the pawn on d7, White is fine.", "", "not checkable"),
        ("White would love a knight on f5.", "a knight on f5", "not checkable"),
        ("There is no knight on f5.", "no knight on f5", "true"),
        # whose, where, how many
        ("The bishop on d4 attacks the pawn on f7.", "The bishop on d4", "false"),
        ("Black's bishop on c4 attacks the pawn on f7.", "Black's bishop on c4", "false"),
        ("The pawn on e5 is attacked twice.", "The pawn on e5 is attacked twice", "false"),
        ("Nothing defends the pawn on e4.", "defends the pawn on e4", "true"),
        ("The pawns on e4 and d3 hold the centre.", "The pawns on e4 and d3", "false"),
        # before the move, after it, in a line
        ("White's king on e1 is safe.", "White's king on e1", "true"),
        ("The rook on f1 joins in.", "The rook on f1", "true"),
        ("White castles queenside.", "White castles queenside", "false"),
        ("Ng5 comes next.", "Ng5", "true"),
        ("Black answers 4... Nf5.", "Nf5", "false"),
        ("After 4... Nf6 5. Ng5 O-O Black is safe.", "O-O", "true"),
        ("Instead of Nxe5 White keeps the tension.", "Nxe5", "true"),
        ("The queen goes to h6.", "The queen goes to h6", "false"),
        ("Earlier, 3... Bc5 was natural.", "Bc5", "not checkable"),
    ],
)
def test_words_around_a_claim_say_how_it_is_put(text: str, words: str, verdict: str):
    if words:
        assert verdicts(ITALIAN, text)[words] == verdict
    else:
        attacks = [each for each in checked(ITALIAN, text) if each.claim.kind == "attack"]
        assert [each.verdict for each in attacks] == [verdict]


#: A white bishop on c4 that a knight on d5 shuts off from f7, a black rook on f8 that guards it.
SHUT_OFF = ("r1bq1rk1/pp3ppp/2p2n2/3n4/2B5/2N2N2/PPP2PPP/R1BQR1K1 w - - 0 10", "h3")
#: A white knight on f7 checks the king on h8; queen and rooks look elsewhere.
SMOTHERING = ("5r1k/p4Npp/1p6/8/8/8/PPP2PPP/R2QR1K1 b - - 0 20", "Kg8")


@pytest.mark.parametrize(
    ("position", "text", "words", "verdict"),
    [
        (SHUT_OFF, "The rooks are better, and ", "the bishop on c4 is attacking f7", "false"),
        (SHUT_OFF, "The rooks are better, and ", "the rook on f8 is guarding f7", "true"),
        (SHUT_OFF, "", "The bishop on c4 and the knight on c3 attack d5", "true"),
        (SHUT_OFF, "", "The bishop on c4 and the rook on e1 attack d5", "false"),
        (SHUT_OFF, "", "The knights on f3 and c3 attack e5", "false"),
        (SHUT_OFF, "", "The knight on d5 is attacked by the bishop and the rook", "false"),
        (SHUT_OFF, "", "The knight on d5 is attacked by the bishop and the queen", "true"),
        (SHUT_OFF, "It stands behind ", "the bishop's attack on e5", "false"),
        (SHUT_OFF, "", "The queen attacks e2 and c7", "false"),
        (SHUT_OFF, "", "The bishop on g4 pins the knight on f3", "false"),
        (SMOTHERING, "White attacks, and ", "the queen and rooks are attacking the king",
         "not checkable"),
        (SMOTHERING, "White attacks, and ", "the knight on f7 is attacking the king", "true"),
    ],
)  # fmt: skip
def test_a_subject_that_is_named_is_the_one_that_acts(position, text, words, verdict):
    assert verdicts(position, f"{text}{words}.")[words] == verdict


def test_evaluations_need_an_engine():
    judged = [each for each in EXAMPLES if relations()[each].kind == "evaluation"]
    for text in (EXAMPLES[each][1] for each in judged):
        (claim,) = (c for c in checked(ITALIAN, text) if c.claim.kind == "evaluation")
        assert claim.verdict == "not checkable", text


def test_a_reply_is_an_anchor_only_where_the_words_speak_of_one():
    text = "Black will answer, and the knight stands on f6."
    assert verdicts(ITALIAN, text)["the knight stands on f6"] == "false"
    assert verdicts(ITALIAN, text, reply="g8f6")["the knight stands on f6"] == "true"
    with pytest.raises(ValueError, match="'e2e4' is not legal"):
        checked(ITALIAN, text, reply="e2e4")


def test_every_false_claim_has_a_cause():
    found = checked((*ITALIAN, verdict_of(0, 0, 0)), "The bishop on d4 attacks g7, and White wins.")
    false = [each for each in found if each.verdict == "false"]
    assert causes(found) == {CAUSES[each.claim.kind] for each in false} != set()
    assert summarise(found)["false"] == len(false)
    assert sum(summarise(found)[cause] for cause in causes(found)) == len(false)


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("The bishop takes the pawn on e6 with check.", []),
        ("The bishop takes the knight on e6.", ["capture"]),
        ("This is checkmate.", ["checkmate"]),
        ("The bishop forks the queen on g8 and the rook on a8.", ["forced tactic or threat"]),
        ("The rook on a8 is hanging.", ["hanging-piece win"]),
        ("The knight on d4 is strong.", []),  # wrong, but none of the rule's events
    ],
)
def test_the_hard_rule_disqualifies_unsupported_events(text: str, events: list[str]):
    false = [each.claim for each in checked(FIGURE_A6, text) if each.verdict == "false"]
    assert [event for claim in false if (event := disqualifier(claim))] == events


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
    checked(ITALIAN, text)


def test_clauses_of_facts_are_true():
    #: told without a move on the board, so that longer mates stay open
    mates = tuple(f"{s} {v} mate" for s in ("White", "Black") for v in ("can", "threatens to"))
    for game in read_games(GAMES, 12):
        for ply in range(14, len(game.moves), 29):
            move = MoveInContext(game.position(ply), game.moves[ply])
            for fact in gather(move).facts:
                text = f"{fact.text[0].upper()}{fact.text[1:]}."
                found = {each.verdict for each in verify(text, move)}
                open_too = " but may not " in text or text.startswith(mates)
                assert found <= ({"true", "not checkable"} if open_too else {"true"}), text
                assert found, text
