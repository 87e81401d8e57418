"""Notes on real boards: the decisive thing is said first, and nothing that its line denies."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import get_args

import chess
import pytest
from chess.engine import Cp, Mate, PovScore

import chessgloss
from chessgloss.claims import verify
from chessgloss.commentary.asking import lectured_file, read_briefings
from chessgloss.commentary.briefing import Briefing, after_pass, brief_move
from chessgloss.commentary.notes import compose
from chessgloss.engine import open_engine
from chessgloss.facts.replies import Refutation, Reply
from chessgloss.notes import NOTES, notes, play_out
from chessgloss.notes.choice import MOST_SENTENCES, MOST_WORDS, choose
from chessgloss.notes.played import Played
from chessgloss.notes.purposes import purposes, telling
from chessgloss.positions import MoveInContext, Position
from chessgloss.scores import Analysis
from fakes.analyses import analysis, by_material

#: Position, move, the note that comes first, and what the comment says.
DECISIVE = r"""
r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3 | Nf6
    allows_mate_1 | 4\. Qxf7#
rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6 | Bxf7+
    forces_mate_1 | 6\.\.\.Ke7 7\. Nd5#
6rk/6pp/7N/8/8/8/8/6K1 w - - 0 1 | Nf7#
    checkmate | smothered by its own pieces
6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1 | h3
    misses_mate | mate in 1.* Ra8#
7k/8/5KQ1/8/8/8/8/8 w - - 0 1 | Qf7
    stalemate | [Ss]talemate.*mate in 1.* Qg7#
8/5P1k/5K2/8/8/8/8/8 w - - 0 1 | f8=R
    underpromotion | a rook, for a queen on f8
6k1/5ppp/4n3/8/8/8/5PPP/3Q2K1 w - - 0 1 | Qd4
    loses_piece | 1\.\.\.Nxd4
r1bqkbnr/pppp1ppp/2n5/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 2 3 | Bc4
    threat_mate_1 | 4\. Qxf7#
r1b2rk1/pp4pp/2p3n1/3p2N1/2P2P2/3B1KP1/PP5q/R1BQ1RN1 b - - 0 20 | Bg4+
    poisoned | bishop on g4 .*21\. Kxg4 Ne5\+ 22\. fxe5 h5#
""".strip().splitlines()


@pytest.fixture(scope="module")
def briefed() -> Iterator[Callable[[str, str], Briefing]]:
    with open_engine() as engine:
        asked = partial(chessgloss.brief, nodes=60_000, engine=engine, concepts=())
        yield lambda fen, san: asked(chessgloss.read_move(fen, san))


@pytest.mark.parametrize(
    ("move", "note"), [*zip(DECISIVE[::2], DECISIVE[1::2], strict=True)]
)
def test_the_decisive_thing_comes_first(briefed, move: str, note: str):
    kind, words = note.strip().split(" | ")
    made = notes(briefed(*move.split(" | ")))
    assert (made[0].kind, made[0].decides) == (kind, True), [note.kind for note in made]
    assert re.search(words, compose(made).text), compose(made).text


@pytest.mark.parametrize(
    ("fen", "san", "missed"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/3RQ1K1 w - - 0 1", "Qe7", ["1. Qe8#", "1. Rd8#"]),
        ("7k/8/6K1/8/8/8/8/R7 w - - 0 1", "Ra7", ["1. Ra8#"]),
        ("8/8/8/8/8/6k1/q7/6K1 b - - 0 1", "Qb2", ["1...Qa1#", "1...Qg2#"]),
        ("3rq1k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", "Qe2", ["1...Qe1#", "1...Rd1#"]),
        ("6k1/5ppp/8/8/8/8/5PPP/3RQ1K1 w - - 0 1", "Qe8#", []),
    ],
)
def test_mate_in_one_that_is_missed_is_said_though_another_mate_is_kept(
    briefed, fen: str, san: str, missed: list[str]
):
    text = compose(notes(briefed(fen, san))).text
    said = any(words in text for words in ("mate at once", "mate on the move"))
    assert said == bool(missed), text
    assert all(move in text for move in missed), text


def test_a_fork_is_no_note_where_the_forking_piece_is_taken(briefed):
    fen = "r3k3/8/1b3p2/3N4/8/8/5PPP/4K3 w - - 0 1"
    for board, said in ((fen, False), (fen.replace("1b3p2", "5p2"), True)):
        made = notes(briefed(board, "Nc7+"))
        assert any("rook on a8" in note.sentence for note in made) == said


@pytest.mark.parametrize(
    ("fen", "line", "gain", "words", "fallen"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 1, "a pawn", "d5"),
        ("3rk3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5 d8d5", 0, "", None),
        (
            "4k3/8/4n3/8/2B5/8/8/r3K2R w K - 0 1",
            "e1e2 a1h1 c4e6",
            -2,
            "the exchange",
            None,
        ),
        ("r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", "d5c7 e8d7 c7a8", 5, "a rook", "a8"),
        ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 8, "a new queen", None),
    ],
)
def test_a_line_is_replayed_until_it_is_quiet(fen, line, gain, words, fallen):
    outcome = play_out(chess.Board(fen), line.split(), chess.WHITE)
    assert (outcome.gain, outcome.stuff) == (gain, words)
    assert outcome.fallen == (chess.parse_square(fallen) if fallen else None)


@pytest.fixture(scope="module")
def noted(briefings) -> list[tuple[Briefing, tuple]]:
    return [(each, notes(each)) for each in briefings.values()]


def test_notes_rest_on_facts_and_are_sentences(noted):
    for briefing, made in noted:
        known = set(briefing.facts().facts)
        for note in made:
            lacking = {fact.kind for fact in set(note.facts) - known}
            assert lacking <= {"zugzwang", "perpetual"}, "of lines and of a pass"
            assert re.fullmatch(r"[A-Z0-9][^{}]*\.", note.sentence)
            assert note.kind in NOTES["kinds"] | NOTES["purposes"] | NOTES["known"]


def test_the_claim_reader_finds_nothing_false_in_a_comment(noted):
    for briefing, made in noted:
        text = compose(made).text
        checked = verify(text, briefing.move, briefing.verdict)
        assert not [each.text for each in checked if each.verdict == "false"], text


def test_comments_are_short_and_offer_nothing_better_than_a_good_move(noted):
    for briefing, made in noted:
        text = compose(made).text
        assert 3 <= len(text.split()) <= MOST_WORDS, text
        assert len(choose(made)) <= MOST_SENTENCES
        assert "network" not in text and "engine agrees" not in text
        if briefing.verdict.judgement in ("best", "good"):
            assert not re.search("Better was|stronger|Stronger", text)


def test_the_move_that_forces_mate_misses_none() -> None:
    """A search after the move that no longer sees the mate does not make it missed."""
    briefing = read_briefings(lectured_file())["lec3/27"]
    assert briefing.verdict.best_line[0] == briefing.move.uci
    assert "misses_mate" not in {note.kind for note in notes(briefing)}


# ---------------------------------------------------------------- captures of every kind

#: Moves that are more than a piece that goes somewhere: positions and the moves, in SAN.
SPECIAL = r"""
rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3 | exf6
rnb1kbnr/ppp2ppp/4p3/3pP3/4q3/5N1P/PPPPBPP1/RNBQK2R w KQkq d6 0 6 | exd6
rnbqkbnr/pppp1ppp/8/8/3Pp3/P6P/1PP1PPP1/RNBQKBNR b KQkq d3 0 3 | exd3
4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1 | dxc6
8/8/8/8/k1pP4/8/8/4K2R b K d3 0 1 | cxd3
8/8/8/1k1pP2R/8/8/8/4K3 w - d6 0 1 | exd6+
4k3/8/3p4/1pP5/8/8/8/2R1K3 w - b6 0 1 | cxb6
r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1 | bxa8=Q+
rn2k3/P7/8/8/8/8/8/4K3 w q - 0 1 | axb8=R+
4k3/8/8/8/8/8/2p4P/1R4K1 b - - 0 1 | cxb1=N
r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5 | O-O
3k4/8/8/8/8/8/8/R3K3 w Q - 0 1 | O-O-O+
4k3/8/2p5/4N3/8/8/8/K3R3 w - - 0 1 | Nxc6+
3rk3/8/8/4B3/8/8/4R3/4K3 w - - 0 1 | Bf6+
3rk3/2p5/8/4B3/8/8/4R3/4K3 w - - 0 1 | Bxc7+
""".strip().splitlines()


@pytest.mark.parametrize("row", SPECIAL)
@pytest.mark.parametrize("loss", [0, 900])
def test_notes_stand_on_every_answer_to_a_special_move(row: str, loss: int):
    """Good and bad, whatever the other side plays: the notes are made."""
    fen, san = row.split(" | ")
    move = chessgloss.read_move(fen, san)
    others = [m.uci() for m in move.position.board().legal_moves if m != move.move]
    before = analysis(move.position, (loss, others[0]), (0, move.uci))
    for answer in [each.uci() for each in move.after().board().legal_moves]:
        briefing = Briefing("made", move, before, analysis(move.after(), (0, answer)))
        assert compose(notes(briefing)).text


@pytest.mark.parametrize("row", SPECIAL[:7])
def test_a_pawn_is_said_to_be_taken_en_passant(row: str):
    fen, san = row.split(" | ")
    move = chessgloss.read_move(fen, san)
    made = Played(move.position.board(), move.move)
    taken = chess.square_name(made.taken)
    clauses = {each.kind: each.clause for each in purposes(made)}
    assert clauses["takes_en_passant"] == f"takes the pawn on {taken} en passant"
    assert "takes_en_passant" in {each.kind for each in telling(made)}
    assert "passed_advanced" not in clauses


# ---------------------------------------------------------------- from lines laid down

#: Kinds of notes that read the engine's lines, by what they are about.
FAMILIES = {
    "sacrifice": "sacrifice sacrifice_for combination",
    "prevention": "stops stops_fails stops_push stops_push_fails",
    "ignores": "ignores",
    "leaves": "unguards unblocks",
    "second": "second reply_second",
    "later": "leads_to refutes_later",
    "plans": "travels marches opens_file",
    "pawns": "spoils_later isolates",
    "ties": "ties",
    "bishops": "bishop_pair bishop_pair_theirs",
    "capture": "better_capture declines",
    "better": "better",
    "loses": "loses loses_piece",
    "drawn": "drawn answered",
    "fortress": "fortress better_fortress",
    "fifty": "fifty_near fifty_moves fifty_anew",
}
TOLD = Path(__file__).with_name("told.tsv").read_text("utf-8").splitlines()[1:]


def laid_down(position: Position, text: str) -> Analysis:
    """Return the analysis that a cell of the table holds: scores and lines, by semicolons."""
    found = []
    for line in text.removesuffix("-").split("; "):
        score, _, moves = line.partition(" ")
        mate = score.startswith("#")
        found.append((Mate(int(score[1:])) if mate else int(score or 0), moves))
    return analysis(position, *(each for each in found if each[1]))


@pytest.mark.parametrize("row", TOLD)
def test_what_lines_show_is_said_where_they_show_it_and_only_there(row: str):
    kind, sentence, fen, uci, before, after, idle = row.split("\t")
    passes = {"idle": idle} if after_pass(Position(fen)) else {}
    made = told(fen, uci, before, after, **passes)
    if sentence:
        assert made[kind] == sentence
    else:
        assert not made.keys() & set(FAMILIES[kind].split()), made


# ---------------------------------------------------------------- what a reader would try


def told(fen, uci, before, after, tried=(), **passes) -> dict[str, str]:
    """Return the sentences on a move by their kinds, with everything laid down by hand."""
    move = MoveInContext(Position(fen), uci)
    first, last = laid_down(move.position, before), laid_down(move.after(), after)
    best = MoveInContext(move.position, first.best.moves[0])
    turned = {"passed": after_pass(move.after()), "idle": after_pass(move.position)}
    turned["better_passed"] = after_pass(best.after())
    given = {name: laid_down(turned[name], text) for name, text in passes.items()}
    briefing = Briefing("made", move, first, last, refutations=tuple(tried), **given)
    return {note.kind: note.sentence for note in notes(briefing)}


def refuted(fen, natural, score, line, loss=300) -> Refutation:
    """Return a refutation of a line's first move; the score is its side's."""
    board = chess.Board(fen)
    moves = line.split()
    text = board.variation_san(map(chess.Move.from_uci, moves))
    seen = PovScore(Mate(score) if abs(score) < 9 else Cp(score), board.turn)
    return Refutation(
        moves[0], natural, natural in get_args(Reply), tuple(moves), text, seen, loss
    )


BAIT = "1r2qk2/4nrn1/p4B1Q/1p1bPp2/2pP4/P1P2P1P/2B1RK2/4R3 w - - 0 33"
TAKEN = "1r2qk2/4nrn1/p4B1Q/1p1bPB2/2pP4/P1P2P1P/4RK2/4R3 b - - 0 33"


def test_why_a_bait_is_not_taken_is_told_to_the_mate_even_of_a_bad_move():
    lines = ("754 e1g1 e8c8; 216 c2f5 e7g8", "-216 e7g8 f6g7 f7g7")
    assert "poisoned" not in told(BAIT, "c2f5", *lines)
    tried = [refuted(TAKEN, "takes it", -1, "e7f5 h6h8")]
    sentence = told(BAIT, "c2f5", *lines, tried)["poisoned"]
    assert "bishop on f5" in sentence and sentence.endswith("33...Nxf5 34. Qh8#.")


def test_a_capture_that_still_wins_is_not_said_to_fail():
    """It may be worse than the best reply, but argues against itself."""
    lines = ("754 e1g1 e8c8; 216 c2f5 e7g8", "-216 e7g8 f6g7 f7g7")
    tried = [refuted(TAKEN, "takes it", 10, "e7f5 h6h5")]
    assert "poisoned" not in told(BAIT, "c2f5", *lines, tried)
    good = ("216 c2f5 e7g8; 100 e1g1", "-216 e7g8 f6g7 f7g7")
    assert "poisoned" not in told(BAIT, "c2f5", *good, tried)
    fails = [refuted(TAKEN, "takes it", -600, "e7f5 h6h5")]
    assert "White is winning" in told(BAIT, "c2f5", *good, fails)["poisoned"]


RECAPTURE = "rn1qk2r/pb2Bppp/3p4/1Pp1p3/R3P3/8/1PPN1PPP/Q3KB1R b Kkq - 0 14"


def test_the_other_way_to_take_is_told_where_it_fails_and_not_of_a_bad_move():
    tried = [refuted(RECAPTURE, "second", -295, "d8e7 a4a7 a8a7 a1a7")]
    lines = "-175 e8e7 f1c4; -270 d8e7 a4a7 a8a7 a1a7"
    made = told(RECAPTURE, "e8e7", lines, "156 f1c4 b8d7", tried)
    assert "14...Qxe7 15. Rxa7 Rxa7 16. Qxa7" in made["other_capture"]
    bad = told(RECAPTURE, "e8e7", "100 b8d7; -175 e8e7", "156 f1c4 b8d7", tried)
    assert "other_capture" not in bad


ENDING = "8/6pp/2k1p3/3pK3/3P4/6P1/7P/8 b - - 1 37"


@pytest.mark.parametrize(
    ("natural", "score", "said"),
    [("second", 100, True), ("next", 100, False), ("second", 420, False)],
)
def test_an_only_move_needs_a_second_search_that_agrees(natural, score, said):
    """The other move must lose by it what the move keeps."""
    tried = [refuted(ENDING, natural, score, "c6b5 g3g4 b5c4 h2h4", 130)]
    lines = ("456 c6d7 e5f4; 126 c6b5 g3g4", "-456 e5f4 d7d6 f4f3")
    assert ("only" in told(ENDING, "c6d7", *lines, tried)) == said
    assert "only" not in told(ENDING, "c6d7", *lines)


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        ("164 a1g1 g8f7 g1g5", "35...Rg1"),
        ("110 a1g1 g8f7 g1g5", ""),
        ("164 h6h5 g8f7 a1g1", ""),
    ],
)
def test_what_a_quiet_move_intends(passed, said):
    """It gains by a pass, and a line after the move has it, too."""
    fen = "6B1/8/3k1p1p/5P2/P7/1P3K2/r4P2/8 b - - 3 34"
    lines = ("90 a2a1 f3g2 d6e5", "-94 f3g2 d6e5; -153 g8f7 a1g1 f3f4")
    made = told(fen, "a2a1", *lines, passed=passed)
    assert said in made.get("intends", "") and ("intends" in made) == bool(said)


@pytest.mark.parametrize(
    ("fen", "uci", "kind", "does"),
    [
        ("8/8/3k4/8/8/5P2/r4K2/8 b - - 0 1", "a2a4", "cuts_off", False),
        ("8/5k2/8/8/2P5/8/4R3/1K6 w - - 0 1", "e2e1", "cuts_off", False),
        ("8/5k2/8/8/2P5/8/3R4/1K6 w - - 0 1", "d2e2", "cuts_off", True),
        ("3k4/8/8/3K4/8/8/5P2/8 w - - 0 1", "d5d6", "opposition", True),
        ("3k4/8/8/3K4/8/8/5P2/8 w - - 0 1", "d5e6", "opposition", False),
        ("3k4/8/8/3K4/8/8/5P2/7B w - - 0 1", "d5d6", "opposition", False),
        ("8/5ppk/8/p7/1P6/8/5PPK/8 w - - 0 1", "b4a5", "outside", True),
        ("8/5ppk/3p4/p7/1P6/8/5PPK/8 w - - 0 1", "b4a5", "outside", True),
        ("8/5pp1/8/p2k4/1P6/8/5PPK/8 w - - 0 1", "b4a5", "outside", True),
        ("8/5pp1/2k5/p7/1P6/8/5PPK/8 w - - 0 1", "b4a5", "outside", False),
    ],
)
def test_words_of_the_endgame_by_rule(fen, uci, kind, does):
    found = purposes(Played(chess.Board(fen), chess.Move.from_uci(uci)))
    assert (kind in {each.kind for each in found}) == does


@pytest.mark.parametrize(
    ("after", "passed", "better_passed", "said"),
    [
        ("800 d4e4 g4g5", "-800 g4g5 d4e4", "-800 f5g6 d4e4", True),
        (
            "800 d4e4 g4g5",
            "-800 g4g5 d4e4",
            "800 f5e6 d4e4",
            False,
        ),  # lost by a pass, too
        (
            "-100 d4e3 g4f5",
            "-800 g4g5 d4e4",
            "-800 f5g6 d4e4",
            False,
        ),  # so is the one played
        ("800 d4e4 g4g5", "-800 g4g5 d4e4", "-", False),  # nobody asked
    ],
)
def test_zugzwang_is_the_reason_of_the_better_move_if_a_pass_would_hold(
    after, passed, better_passed, said
):
    fen = "8/8/8/4p1K1/3kP3/8/8/8 w - - 0 1"
    lines = ("800 g5f5 d4d3 f5e5; -800 g5g4 d4e4", after)
    made = told(fen, "g5g4", *lines, passed=passed, better_passed=better_passed)
    assert ("1. Kf5" in made.get("better_zugzwang", "")) == said, made


def test_the_pass_after_the_better_move_is_searched_where_few_pieces_are_left():
    """Not where the best move was played, nor where the opponent has two pieces."""

    def analyse(positions, nodes, lines):
        return [by_material(each) for each in positions]

    for fen, uci, asked in (
        ("8/8/8/4p1K1/3kP3/8/8/8 w - - 0 1", "g5g4", True),
        ("8/8/8/4p1K1/3kP3/8/8/rr6 w - - 0 1", "g5g4", False),
    ):
        move = MoveInContext(Position(fen), uci)
        first = by_material(move.position).best.moves[0]
        for played in (uci, first):
            briefing = brief_move(MoveInContext(move.position, played), analyse, (9, 9))
            searched = briefing.better_passed is not None
            assert searched == (asked and played != first)


# ---------------------------------------------------------------- English


#: What no person would write.
STRANGE = re.compile(
    r"asks? the .* to move|\bfor\b[^.:]*\bfor\b|took on|A recapture|the stronger way"
    r"|After it comes|gains ground|puts the question|\bwith it\b|can no longer play"
    r"|(forced mate|mate in \d)[^#]*$|[a-z0-9+#]\. (This|It) "
)


def test_no_comment_says_what_no_person_would_write(noted):
    lectured = map(notes, read_briefings(lectured_file()).values())
    for made in [*(made for _, made in noted), *lectured]:
        text = compose(made).text
        said = re.split(r"(?<=[^.\d])\. ", text)
        assert not [each for each in said if STRANGE.search(each)]
