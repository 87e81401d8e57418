"""Notes on real boards: the decisive thing is said first, and nothing that its line denies."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import chess
import pytest
from chess.engine import Mate

import chessgloss
from chessgloss.claims import verify
from chessgloss.commentary.asking import lectured_file, read_briefings
from chessgloss.commentary.briefing import Briefing, after_pass
from chessgloss.commentary.notes import compose
from chessgloss.engine import open_engine
from chessgloss.notes import NOTES, notes, play_out
from chessgloss.notes.choice import MOST_SENTENCES, MOST_WORDS, choose
from chessgloss.notes.played import Played
from chessgloss.notes.purposes import purposes, telling
from chessgloss.positions import MoveInContext, Position
from chessgloss.scores import Analysis
from fakes.analyses import analysis

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


def test_notes_rest_on_facts_and_are_sentences(briefings):
    for briefing in briefings.values():
        known = set(briefing.facts().facts)
        for note in notes(briefing):
            # these come of lines and of a pass
            proven = {
                fact for fact in note.facts if fact.kind in ("zugzwang", "perpetual")
            }
            assert set(note.facts) - proven <= known
            assert note.sentence[0].isupper() or note.sentence[0].isdigit()
            assert note.sentence.endswith(".") and "{" not in note.sentence
            assert note.kind in NOTES["kinds"] | NOTES["purposes"] | NOTES["known"]


def test_the_claim_reader_finds_nothing_false_in_a_comment(briefings):
    for briefing in briefings.values():
        text = compose(notes(briefing)).text
        checked = verify(text, briefing.move, briefing.verdict)
        assert not [each.text for each in checked if each.verdict == "false"], text


def test_comments_are_short_and_do_not_begin_alike(briefings):
    texts = [compose(notes(briefing)).text for briefing in briefings.values()]
    for briefing, text in zip(briefings.values(), texts, strict=True):
        assert 3 <= len(text.split()) <= MOST_WORDS, text
        assert len(choose(notes(briefing))) <= MOST_SENTENCES
        assert "network" not in text and "engine agrees" not in text
        if briefing.verdict.judgement in ("best", "good"):
            assert not re.search("Better was|stronger|Stronger", text)
    openings = Counter(" ".join(text.split()[:3]) for text in texts)
    assert openings.most_common(1)[0][1] <= 5, openings.most_common(3)


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
@pytest.mark.parametrize("loss", [0, 60, 900])
def test_notes_stand_on_every_answer_to_a_special_move(row: str, loss: int):
    """Good, level and bad, whatever the other side plays: the notes are made, and are true."""
    fen, san = row.split(" | ")
    move = chessgloss.read_move(fen, san)
    passing = move.position.board().is_en_passant(move.move)
    others = [m.uci() for m in move.position.board().legal_moves if m != move.move]
    before = analysis(move.position, (loss, others[0]), (0, move.uci))
    for answer in [each.uci() for each in move.after().board().legal_moves]:
        briefing = Briefing("made", move, before, analysis(move.after(), (0, answer)))
        made = notes(briefing)
        assert made and compose(made).text
        said = [note.sentence for note in made if "takes the pawn" in note.sentence]
        of_move = [words for words in said if words.startswith(("With", "This", "The"))]
        assert all(("en passant" in words) == passing for words in of_move), of_move


@pytest.mark.parametrize("row", SPECIAL[:7])
def test_a_pawn_is_said_to_be_taken_en_passant(row: str):
    fen, san = row.split(" | ")
    move = chessgloss.read_move(fen, san)
    made = Played(move.position.board(), move.move)
    taken = chess.square_name(made.taken)
    assert taken != chess.square_name(made.end)
    clauses = {each.kind: each.clause for each in purposes(made)}
    assert clauses["takes_en_passant"] == f"takes the pawn on {taken} en passant"
    assert "takes_en_passant" in {each.kind for each in telling(made)}
    assert "passed_advanced" not in clauses


@pytest.mark.parametrize("row", SPECIAL[:3])
def test_a_comment_names_the_capture_in_passing(briefed, row: str):
    text = compose(notes(briefed(*row.split(" | ")))).text
    assert re.search(r"takes the pawn on [fd][45] en passant", text), text


def test_a_passed_pawn_that_takes_is_not_pushed():
    board = chess.Board("4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1")
    for uci, kinds in {"d5c6": set(), "d5d6": {"passed_advanced"}}.items():
        found = {
            each.kind for each in purposes(Played(board, chess.Move.from_uci(uci)))
        }
        assert found & {"passed_advanced"} == kinds


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
    move = MoveInContext(Position(fen), uci)
    waited = after_pass(move.position)
    briefing = Briefing(
        "laid down",
        move,
        laid_down(move.position, before),
        laid_down(move.after(), after),
        idle=laid_down(waited, idle) if waited else None,
    )
    made = {note.kind: note.sentence for note in notes(briefing)}
    if sentence:
        assert made[kind] == sentence
    else:
        assert not made.keys() & set(FAMILIES[kind].split()), made
