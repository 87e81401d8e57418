"""The template's comments: grammatical, varied, within bounds, and never false.

Its sentences are also held against the checker of claims, which was written apart from it: a
claim found false is a fault of one or the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

import chess
import chess.engine
import pytest

from chessgloss.claims import verify
from chessgloss.commentary import template
from chessgloss.commentary.briefing import PHRASES
from chessgloss.commentary.template import PlayedMove, Realised, inflect, realise
from chessgloss.concepts.changes import ConceptChange
from chessgloss.corpora.games import read_games
from chessgloss.engine import Analysis, Line
from chessgloss.facts import Fact, Facts, Verdict, gather, weigh
from chessgloss.positions import MoveInContext, Position, read_fen, read_move
from chessgloss.store import find_project

GAMES = find_project() / "data/games/selfplay.tsv.zst"

FEWEST = 15

PLACED = re.compile(
    r"(?:(White|Black)'s|the) (?:passed )?(king|queen|rook|bishop|knight|pawn) on ([a-h][1-8])"
)

SQUARE = re.compile(r"[a-h][1-8]")


@cache
def selfplay_facts(count: int, every: int) -> tuple[Facts, ...]:
    """Facts of every ``every``-th move of the self-play games, ``count`` in all."""
    found: list[Facts] = []
    for game in read_games(GAMES, 500):
        fens = game.fens()
        for ply in range(len(found) % every, len(game.moves), every):
            known = game.position(ply) if ply < 12 else Position(fens[ply])
            found.append(gather(MoveInContext(known, game.moves[ply])))
            if len(found) == count:
                return tuple(found)
    raise AssertionError("too few games")


def facts_of(fen: str, move: str) -> Facts:
    return gather(read_move(read_fen(fen), move))


def line(turn: chess.Color, value: int | chess.engine.Mate, *moves: str) -> Line:
    score = value if isinstance(value, chess.engine.Mate) else chess.engine.Cp(value)
    return Line(moves, chess.engine.PovScore(score, turn), 10)


def weighed(fen: str, played: str, best: Line, after: Line) -> tuple[Facts, Verdict]:
    """Facts and verdict of a move where a scripted engine has one line before and after."""
    move = read_move(read_fen(fen), played)
    before = Analysis(move.position, (best,), 1000, "Scripted 1")
    verdict = weigh(move, before, Analysis(move.after(), (after,), 1000, "Scripted 1"))
    return gather(move, verdict), verdict


def every_sentence(facts: Facts) -> dict[str, tuple[Fact, ...]]:
    """Every sentence about a move that needs no engine, with the facts it states."""
    played = PlayedMove(facts)
    statements = [template._opening(played), *template._statements(played, None)]
    return {
        template._sentence(clause): statement.facts
        for statement in statements
        for clause in statement.phrasings
        if template._may_open(clause)
    }


def allowed_squares(facts: Facts, used: tuple[Fact, ...]) -> set[str]:
    """Squares of the used facts, of the move, and of moves that the facts give in UCI."""
    played = PlayedMove(facts)
    squares = {name for fact in used for name in fact.squares}
    squares |= {facts.move.uci[:2], facts.move.uci[2:4]}
    if played.captured is not None:
        squares.add(played.captured)
    for fact in used:
        moves = (fact.value,) if isinstance(fact.value, str) else fact.value
        if isinstance(moves, tuple):
            squares |= {name for move in moves for name in SQUARE.findall(str(move))}
    return squares


def pieces_placed(facts: Facts, text: str) -> Iterator[tuple[str, bool]]:
    """Each piece that the text puts on a square, and whether it stands there."""
    played = PlayedMove(facts)
    for owner, piece, name in PLACED.findall(text):
        here = [board.piece_at(chess.parse_square(name)) for board in (played.before, played.after)]
        fits = (
            one
            and chess.piece_name(one.piece_type) == piece
            and (not owner or one.color == (owner == "White"))
            for one in here
        )
        yield f"{owner} {piece} on {name}", any(fits)


def changes(*rows: tuple[str, str, float]) -> tuple[ConceptChange, ...]:
    return tuple(
        ConceptChange(name, side, 0.5, 0.5 + change, change, 1)  # type: ignore[arg-type]
        for name, side, change in rows
    )


def check_form(told: Realised, most: int = 45) -> None:
    words = told.text.split()
    assert FEWEST <= len(words) <= most, told.text
    assert 1 <= len(told.sentences) <= 3
    assert "  " not in told.text
    assert not set(told.text) & set("{}[]|")
    for one in told.sentences:
        assert one[0].isupper() and one.endswith(".") and not one.endswith("..")
    runs = [" ".join(words[n : n + 7]) for n in range(len(words) - 6)]
    assert len(set(runs)) == len(runs), told.text


def test_two_thousand_comments_keep_their_form_and_their_facts():
    for facts in selfplay_facts(2000, 7):
        told = realise(facts)
        check_form(told)
        assert set(told.facts) <= set(facts.facts)
        assert set(SQUARE.findall(told.text)) <= allowed_squares(facts, told.facts), told.text
        wrong = [what for what, right in pieces_placed(facts, told.text) if not right]
        assert wrong == [], (facts.move, told.text)


def test_every_phrasing_of_every_fact_names_what_stands_there():
    for facts in selfplay_facts(2000, 7)[::25]:
        for one, told in every_sentence(facts).items():
            assert one[0].isupper() and one.endswith(".") and "{" not in one
            assert set(SQUARE.findall(one)) <= allowed_squares(facts, told), one
            assert [what for what, right in pieces_placed(facts, one) if not right] == [], one


def test_the_same_seed_repeats_and_others_vary():
    varied = 0
    for facts in selfplay_facts(2000, 7)[::100]:
        texts = [realise(facts, seed=seed).text for seed in range(6)]
        assert texts == [realise(facts, seed=seed).text for seed in range(6)]
        varied += len(set(texts)) >= 3
    assert varied == 20


def mirrored(facts: Facts) -> Facts:
    fen = chess.Board(facts.move.position.fen).mirror().fen()
    move = facts.move.move
    ends = (chess.square_mirror(move.from_square), chess.square_mirror(move.to_square))
    return gather(MoveInContext(Position(fen), chess.Move(*ends, move.promotion).uci()))


def mirrored_words(text: str) -> tuple[str, ...]:
    """Words of a sentence on the board with colours swapped; the order in lists is left open."""
    swapped = SQUARE.sub(lambda found: f"{found[0][0]}{9 - int(found[0][1])}", text)
    colours = {"White": "Black", "Black": "White"}
    swapped = re.sub("White|Black", lambda found: colours[found[0]], swapped)
    return words_of(swapped)


def words_of(text: str) -> tuple[str, ...]:
    return tuple(sorted(re.split(r"[ ,.]+", text.lower())))


def test_mirrored_colours_give_the_mirrored_sense():
    for facts in selfplay_facts(2000, 7)[::40]:
        facts = facts_of(facts.move.position.fen, facts.move.uci)
        here = {mirrored_words(one) for one in every_sentence(facts)}
        there = {words_of(one) for one in every_sentence(mirrored(facts))}
        # A move such as R1e2 names its rank, which the mirror turns as well.
        assert here == there or re.search(r"[nbrqk][1-8]x?[a-h][1-8]", str(here ^ there)), (
            facts.move
        )


MATE_ON_F7 = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
HAND_PICKED = [
    ("6rk/6pp/7N/8/8/8/8/6K1 w - - 0 1", "Nf7#", "smothered|hem"),
    ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "Ra8#", "back.rank"),
    (MATE_ON_F7, "Qxf7#", r"pawn on f7.*checkmate"),
    ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "Qf7", "stalemate"),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "exd6", r"pawn on d5.*en passant|en passant"),
    ("8/4P2k/8/8/8/8/8/4K3 w - - 0 1", "e8=Q", "promot.* queen"),
    ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e8=N+", "knight.*check"),
    ("3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1", "exd8=R+", "rook on d8"),
    ("4k3/8/8/8/8/8/5PPP/4K2R w K - 0 1", "O-O", "castl.* kingside"),
    ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "O-O-O", "Black castles? queenside|castl"),
    ("r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", "Nc7+", "king on e8.*rook on a8"),
    ("4k3/1p6/2n5/8/8/8/4B3/4K3 w - - 0 1", "Bb5", "knight on c6.*king on e8"),
    ("q7/8/2k5/8/8/8/4B3/6K1 w - - 0 1", "Bf3+", "king on c6.*queen on a8"),
    ("4k3/8/8/8/4N3/8/8/4R1K1 w - - 0 1", "Nc5+", "check.*rook on e1"),
    ("4k3/8/8/8/4N3/8/8/4R1K1 w - - 0 1", "Nf6+", "double check"),
    ("3rk3/8/8/8/8/8/8/3K4 w - - 0 1", "Kc2", "check"),
    ("6k1/5ppp/8/8/8/8/R7/6K1 w - - 0 1", "Ra7", r"mate.*Ra8#|Ra8#.*mate"),
    ("3r2k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1", "Qd4", "Black can win|not safe|hanging|be taken"),
    ("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", "Rxd5", "recapture"),
    ("4k3/3q4/8/8/8/8/3Q4/3K4 w - - 0 1", "Qxd7+", "even"),
]


@pytest.mark.parametrize(("fen", "move", "words"), HAND_PICKED)
def test_what_matters_is_said(fen: str, move: str, words: str):
    for seed in range(4):
        told = realise(facts_of(fen, move), seed=seed)
        check_form(told)
        assert re.search(words, told.text), told.text


def test_a_recapture_is_told_only_when_the_history_shows_it():
    known = Position.after(["e2e4", "d7d5", "e4d5"])
    said = {realise(gather(MoveInContext(known, "d8d5")), seed=n).text for n in range(8)}
    blind = {realise(facts_of(known.fen, "Qxd5"), seed=n).text for n in range(8)}
    assert all(re.search("recaptur|takes back|taking back", one) for one in said)
    assert not any(re.search("recaptures|recapturing|taking back|takes back", one) for one in blind)


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("4k3/8/2n5/8/8/8/8/R3K3 w - - 0 1", "White is the exchange up."),
        ("4k3/pp6/8/8/8/8/8/4K3 w - - 0 1", "Black is two pawns ahead."),
        ("4k3/8/2n5/8/8/8/8/4K3 w - - 0 1", "Black is a minor piece up."),
        ("4k3/2b5/8/8/8/8/2N5/4K3 w - - 0 1", "Material is level."),
        ("4k3/8/2n5/8/8/8/PPP5/4K3 w - - 0 1", "By the count of points neither side is ahead."),
        ("4k3/8/2n5/8/8/8/P7/R3K3 w - - 0 1", "White has more material."),
    ],
)
def test_material_is_told_in_chess_words(fen: str, words: str):
    told = every_sentence(facts_of(fen, "Kf1"))
    assert words in told
    assert len([one for one in told if "aterial" in one or " up." in one]) <= 3


def test_nothing_is_saved_while_the_opponent_answers_a_check():
    fen = "8/6kp/4r3/p1B5/PP6/8/6PK/8 b - - 2 49"
    assert not any("a5" in one for one in every_sentence(facts_of(fen, "Rh6+")))


OPEN_GAME = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"


@pytest.mark.parametrize(
    ("loss", "word", "best"),
    [
        (0, "first choice|the same|agrees", "b1c3"),
        (5, "excellent|next to nothing", "g1f3"),
        (25, "good", "g1f3"),
        (45, "inaccuracy", "g1f3"),
        (90, "mistake", "g1f3"),
        (180, "blunder", "g1f3"),
    ],
)
def test_the_class_of_the_move_is_told_and_the_better_one_if_it_is_bad(loss, word, best):
    after = line(False, loss - 30, "b8c6")
    facts, verdict = weighed(OPEN_GAME, "Nc3", line(True, 30, best), after)
    assert verdict.loss == loss
    for seed in range(5):
        text = realise(facts, verdict, seed=seed).text
        assert re.search(word, text), text
        assert ("Nf3" in text) == (loss >= 45)


def test_a_mate_that_slips_away_is_told():
    fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
    best = line(True, chess.engine.Mate(1), "a1a8")
    facts, verdict = weighed(fen, "h3", best, line(False, -500, "h7h6"))
    text = realise(facts, verdict).text
    assert "forced mate" in text and "Ra8#" in text


def test_the_verdict_must_be_the_movers():
    _, verdict = weighed(OPEN_GAME, "Nf3", line(True, 30, "g1f3"), line(False, -30, "b8c6"))
    black = facts_of("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2", "Nc6")
    with pytest.raises(ValueError, match="seen by White"):
        realise(black, verdict)


def test_the_networks_view_is_told_as_its_view():
    facts = facts_of(OPEN_GAME, "Nf3")
    concepts = changes(
        ("Mobility", "White", 1.5), ("Threats", "White", 1.2), ("Space", "Black", 0.9)
    )
    for seed in range(8):
        text = realise(facts, None, concepts, seed=seed).text
        assert "network" in text
        assert "White's mobility (for the better)" in text
        assert "White's threats (for the better)" in text
        assert "Black's space" not in text


def test_concepts_that_speak_against_a_good_move_are_left_out_and_for_a_bad_one_told():
    concepts = changes(("Kingsafety", "White", -2.0), ("Mobility", "White", 1.0))
    good = realise(facts_of(OPEN_GAME, "Nf3"), None, concepts).text
    assert "White's mobility, for the better" in good and "king safety" not in good
    assert not re.search("above all|most", good)
    facts, verdict = weighed(OPEN_GAME, "Ke2", line(True, 30, "g1f3"), line(False, 90, "g8f6"))
    bad = realise(facts, verdict, concepts).text
    assert "White's king safety, for the worse" in bad and "mobility" not in bad
    assert re.search("above all|most", bad)


@pytest.mark.parametrize(
    ("fen", "move", "change"),
    [
        (OPEN_GAME, "Nf3", ("Material", "both", 2.0)),
        (OPEN_GAME, "Nf3", ("Imbalance", "both", 2.0)),
        (OPEN_GAME, "Nf3", ("Pawns", "both", 2.0)),
        (OPEN_GAME, "Nf3", ("Passedpawns", "White", 2.0)),
        (OPEN_GAME, "Nf3", ("Mobility", "White", 0.1)),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e4", ("Queens", "Black", -1.0)),
    ],
)
def test_what_the_board_rules_out_is_left_unsaid(fen: str, move: str, change: tuple):
    assert "network" not in realise(facts_of(fen, move), None, changes(change)).text


def test_a_concept_without_a_name_is_refused():
    with pytest.raises(ValueError, match=r"'White Mobility'.*without its side"):
        realise(facts_of(OPEN_GAME, "Nf3"), None, changes(("White Mobility", "White", 1.0)))


def test_with_everything_given_the_bounds_still_hold():
    concepts = changes(("Mobility", "White", 1.5), ("Kingsafety", "Black", -1.5))
    for facts in selfplay_facts(2000, 7)[:400:4]:
        side, best = facts.move.mover, facts.move.uci
        reply = [move.uci() for move in PlayedMove(facts).after.legal_moves][:1]
        if reply:
            after = line(not side, 250, *reply)
            facts, verdict = weighed(facts.move.position.fen, best, line(side, 20, best), after)
            told = realise(facts, verdict, concepts)
            check_form(told)
            assert "engine" in told.text


def test_every_phrase_table_offers_a_choice_and_no_phrase_twice():
    verb = "[takes|taking] the pawn and [gives|giving] check"
    assert inflect(verb, "finite") == "takes the pawn and gives check"
    assert inflect(verb, "participle") == "taking the pawn and giving check"
    tables = [*PHRASES["verbs"].values(), *PHRASES["clauses"].values(), PHRASES["frames"]]
    assert all(len(phrases) >= 2 for phrases in tables)
    clauses = [clause for phrases in PHRASES["clauses"].values() for clause in phrases]
    assert not any(clause.endswith(".") or "  " in clause for clause in clauses)
    assert len(clauses) - len(set(clauses)) <= 4  # hanging is worded alike for both sides
    assert len([words for words in PHRASES["concepts"].values() if "phrase" in words]) == 12


# ---------------------------------------------------------------- and the checker of claims


def judged(texts: Iterable[tuple[str, Facts]]) -> Counter[str]:
    """Count the verdicts on the claims of texts."""
    return Counter(each.verdict for text, facts in texts for each in verify(text, facts.move))


def test_the_claims_of_comments_are_true():
    facts = selfplay_facts(2000, 7)[::7]
    counts = judged((realise(each, seed=seed).text, each) for each in facts for seed in range(2))
    assert counts["true"] > 2_000
    assert counts["false"] <= counts["true"] / 500
    assert counts["not checkable"] < counts["true"] / 20
