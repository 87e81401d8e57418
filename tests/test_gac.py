"""The recurrent baseline: its features, what it says, and the script that trains it."""

import json
import sys
from itertools import product

import chess
import pytest
import torch

from chessgloss import assets
from chessgloss.corpora.lectures import evaluated_lectures, read_lectures
from chessgloss.positions import CommentedMove, MoveInContext, read_fen, read_move
from fakes.analyses import analysis
from scripts import DATA, FIGURE_A6, load_script, or_skip, refuses, selfplay

sys.path.insert(0, str(DATA / "gac"))
import gac_network as gac
from gac_network import Gac, ScoreFeatures, feature_words

START = read_fen(chess.STARTING_FEN)
E4 = read_move(START, "e4")

training = load_script("gac/train.py")

SMALL = training.Settings(
    embedding=16,
    hidden=32,
    dropout=0.0,
    least=1,
    epochs=12,
    patience=12,
    batch=16,
    rate=2e-2,
)


@pytest.fixture(scope="module")
def selfplay_moves():
    games = selfplay(6)
    at = [
        (one, ply)
        for one in games
        for ply in range(one.opening_plies, len(one.moves), 11)
    ]
    return [MoveInContext(one.position(ply), one.moves[ply]) for one, ply in at]


@pytest.mark.parametrize(
    ("fen", "move", "expected"),
    [
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", "piece=king castles=short"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "exd6", "takes=passing from=e5"),
        (
            "3rk3/2P5/8/8/8/8/8/4K3 w - - 0 50",
            "cxd8=Q+",
            "takes=rook promotes=queen phase=ending",
        ),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 40", "Ra8#", "mate piece=rook"),
    ],
)
def test_the_first_group_says_what_is_played(fen, move, expected):
    words, _, _ = feature_words(read_move(read_fen(fen), move))
    assert set(expected.split()) <= set(words)
    assert ("mate" in words, "check" in words) == (
        move.endswith("#"),
        move.endswith("+"),
    )


def test_the_second_group_says_who_attacks_whom():
    _, threats, _ = feature_words(read_move(read_fen(FIGURE_A6), "Bxe6+"))
    assert {"attacked_by=king", "defended_by=queen", "attacks=king"} <= set(threats)
    assert "attacked_by=queen" not in threats
    lonely = read_move(read_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), "Kd1")
    assert feature_words(lonely)[1] == ("quiet",)


def test_scores_are_classed_as_the_mover_sees_them_and_sentences_begin_with_capitals():
    for scores, expected in (((-20, 9_999), (5, 10, 7)), ((59, 60), (6, 7, 4))):
        names = zip(("before", "after", "change"), expected, strict=True)
        words = tuple(f"{name}={level}" for name, level in names)
        assert feature_words(E4, ScoreFeatures(*scores))[2] == words
    assert feature_words(E4)[2] == gac.NO_SCORE
    before = analysis(START, (30, "e2e4"))
    after = analysis(E4.after(), (45, "e7e5"))
    assert ScoreFeatures.of(before, after) == ScoreFeatures(30, -45)
    said = ["black", "is", "lost", "!", "e4", "wins", ",", "see", ".", "why", "?"]
    assert gac.join_words(said) == "Black is lost! e4 wins, see. Why?"


def test_unknown_words_are_never_said_and_nothing_is_said_thrice(selfplay_moves):
    """Even by a network that has learned nothing and says whatever comes."""
    torch.manual_seed(3)
    words = gac.Vocabulary((*gac.SPECIAL, "a", "b", "."))
    features = gac.Vocabulary(gac.SPECIAL)
    network = gac.GacNetwork(len(words), len(features), embedding=4, hidden=6)
    model = Gac(network.eval(), words, features)
    for move in selfplay_moves[:10]:
        said = model.say(feature_words(move))
        assert said and not set(said) & set(gac.SPECIAL)
        runs = list(zip(said, said[1:], said[2:], strict=False))
        assert len(set(runs)) == len(runs)


def test_the_committed_model_comments_on_any_move(selfplay_moves):
    model = Gac.load()
    texts = [
        model.comment(move, ScoreFeatures(10, -250)) for move in selfplay_moves[:12]
    ]
    assert all(1 <= len(text.split()) <= 41 and "<" not in text for text in texts)
    assert len(set(texts)) > 3, "the comment must depend on the move"


# ---------------------------------------------------------------- training


def test_mirroring_undoes_itself(selfplay_moves):
    words = ["White's", "Nf3", "beats", "black", "on", "exd8=Q", "O-O", "8", "Kings"]
    mirrored = ["Black's", "Nf6", "beats", "white", "on", "exd1=Q", "O-O", "8", "Kings"]
    assert (training.mirror_words(words), training.mirror_words(mirrored)) == (
        mirrored,
        words,
    )
    for move in selfplay_moves:
        there = training.mirror_move(move)
        assert feature_words(move)[1] == feature_words(there)[1]
        assert training.mirror_move(there).uci == move.uci


def commented(source: str, move: MoveInContext, text: str = "A word.") -> CommentedMove:
    return CommentedMove(move, text, source, 0)


def test_examples_come_with_their_mirror_image():
    comment = commented("lec1", E4, "White plays e4. Black answers e5.")
    first, second = training.make_examples(
        [comment], [ScoreFeatures(20, 30)], mirrored=True
    )
    assert first.words == (
        "white",
        "plays",
        "<move>",
        ".",
        "black",
        "answers",
        "e5",
        ".",
    )
    assert second.words == (
        "black",
        "plays",
        "<move>",
        ".",
        "white",
        "answers",
        "e4",
        ".",
    )
    assert (first.features[0][0], second.features[0][0]) == (
        "mover=white",
        "mover=black",
    )
    assert first.features[2] == second.features[2]
    assert (
        training.make_examples([commented("lec1", E4, "!?")], [ScoreFeatures(0, 0)])
        == []
    )


def test_evaluated_lectures_and_their_moves_are_never_learned():
    others = [read_move(START, san) for san in ("d4", "c4", "Nf3")]
    comments = [commented(f"lec{k}", move) for k, move in enumerate(others, start=1)]
    comments += [commented("lec1", E4), commented("lec9", E4)]
    learned, stopping = training.part(comments, frozenset({"lec9"}))
    assert sorted(each.source for each in (*learned, *stopping)) == [
        "lec1",
        "lec2",
        "lec3",
    ]
    assert E4 not in {each.context for each in (*learned, *stopping)}
    refuses(ValueError, "too few", training.part, [commented("lec1", E4)], frozenset())


def planted():
    """Comments that name piece and phase of the move, as its features do."""
    kinds = [*product(("pawn", "knight", "bishop", "rook"), ("opening", "ending"))] * 16
    made = []
    for k, (piece, phase) in enumerate(kinds):
        features = (
            (f"piece={piece}", f"phase={phase}"),
            ("quiet",),
            (f"change={k % 3}",),
        )
        words = ("the", piece, "moves", "in", "the", phase, ".")
        made.append(training.Example(features, words, True))
    return made


def test_a_model_learns_what_the_features_tell_and_comes_back_from_its_files(tmp_path):
    material = planted()
    model, _ = training.train(material[:96], material[96:], SMALL, progress=False)
    training.save(model, SMALL, tmp_path)
    again = Gac.load(tmp_path)
    for example in material[:6]:
        assert tuple(model.say(example.features)) == example.words
        assert tuple(again.say(example.features)) == example.words
    assert training.measure(model, material[96:])["perplexity"] < 1.2
    others = training.with_features_of_others(material[96:], seed=1)
    assert training.measure(model, others)["perplexity"] > 2
    refuses(ValueError, "holds no model", Gac.load, tmp_path / "elsewhere")


def test_the_committed_model_used_no_evaluated_lecture():
    log = json.loads((DATA / "gac/training.json").read_text())
    lectures = read_lectures(or_skip(assets.locate, "lectures", fetch=False))
    held = evaluated_lectures(lectures)
    assert set(log["held_out"]) == held and not held & set(log["stopping"]["sources"])
    learned, _ = training.part(
        [each for lecture in lectures for each in lecture.comments], held
    )
    assert log["comments"]["training"] == len(learned)
    words = {word for each in learned for word in training.cut_words(each.comment)}
    words |= {word.lower() for word in words}
    placeholders = {*gac.SPECIAL, "<move>", "<to>", "<from>"}
    known = set(Gac.load().words.words) - placeholders
    assert known <= words | set(training.mirror_words(words))
