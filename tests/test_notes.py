"""Notes on real boards: the decisive thing is said first, and nothing that its line denies."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

import chess
import pytest

import chessgloss
from chessgloss.commentary.asking import lectured_file, read_briefings
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.notes import compose
from chessgloss.engine import open_engine
from chessgloss.notes import NOTES, notes, play_out
from chessgloss.notes.choice import MOST_WORDS, choose

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
    poisoned | bishop on g4 .*21\. Kxg4 Ne5\+ 22\. fxe5 leads to mate
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
        ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 8, "a queen for a pawn", None),
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


def test_comments_are_short_and_do_not_begin_alike(briefings):
    texts = [compose(notes(briefing)).text for briefing in briefings.values()]
    for briefing, text in zip(briefings.values(), texts, strict=True):
        assert 3 <= len(text.split()) <= MOST_WORDS, text
        assert len(choose(notes(briefing))) <= 3
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
