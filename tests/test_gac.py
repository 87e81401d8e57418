from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import chess
import chess.engine
import pytest
import torch

from chessgloss import assets
from chessgloss.corpora.games import read_games
from chessgloss.corpora.lectures import evaluated_lectures, read_lectures
from chessgloss.engine import Analysis, Line
from chessgloss.gac import Gac, ScoreFeatures, examples, feature_words
from chessgloss.gac.examples import Example, Parts, make_examples, part, scores_of
from chessgloss.gac.features import NO_SCORE
from chessgloss.gac.network import GacNetwork, Sizes
from chessgloss.gac.training import (
    Settings,
    frequency_perplexity,
    measure,
    train,
    with_features_of_others,
)
from chessgloss.gac.words import (
    SPECIAL,
    UNKNOWN,
    Vocabulary,
    cut_words,
    hide_move,
    join_words,
    leading_sentences,
    lower_beginnings,
    mirror_move,
    mirror_words,
    show_move,
)
from chessgloss.positions import CommentedMove, MoveInContext, read_fen, read_move
from chessgloss.store import Store, find_project

DATA = find_project() / "data"
START = read_fen(chess.STARTING_FEN)
#: The CCC paper's Figure A6: a bishop takes a pawn with check.
FIGURE_A6 = read_move(
    read_fen("r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21"), "Bxe6+"
)
SMALL = Settings(
    embedding=16,
    hidden=32,
    dropout=0.0,
    least=1,
    spread=1,
    epochs=12,
    patience=12,
    batch=16,
    rate=2e-2,
)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Small steps: threads would wait for each other on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def opening_move() -> MoveInContext:
    return read_move(START, "e4")


@pytest.fixture(scope="module")
def committed() -> Gac:
    return Gac.load()


@pytest.fixture(scope="module")
def selfplay_moves() -> list[MoveInContext]:
    games = list(read_games(DATA / "games/selfplay.tsv.zst", limit=6))
    return [
        MoveInContext(game.position(ply), game.moves[ply])
        for game in games
        for ply in range(game.opening_plies, len(game.moves), 11)
    ]


# ---------------------------------------------------------------------------- features


@pytest.mark.parametrize(
    ("fen", "move", "expected"),
    [
        pytest.param(chess.STARTING_FEN, "e4", {"mover=white", "piece=pawn", "to=e4"}, id="pawn"),
        pytest.param(
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", {"piece=king", "castles=short"}, id="castling"
        ),
        pytest.param(
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "exd6", {"takes=passing", "from=e5"}, id="passing"
        ),
        pytest.param(
            "3rk3/2P5/8/8/8/8/8/4K3 w - - 0 50",
            "cxd8=Q+",
            {"takes=rook", "promotes=queen", "check", "phase=ending"},
            id="promotion",
        ),
        pytest.param(
            "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 40", "Ra8#", {"mate", "piece=rook"}, id="mate"
        ),
    ],
)
def test_the_first_group_says_what_is_played(fen: str, move: str, expected: set[str]):
    words, _, _ = feature_words(read_move(read_fen(fen), move))
    assert expected <= set(words)
    assert ("mate" in words) == move.endswith("#")


def test_the_second_group_says_who_attacks_whom():
    _, threats, _ = feature_words(FIGURE_A6)
    assert {"attacked_by=king", "defended_by=queen", "attacks=king"} <= set(threats)
    assert "attacked_by=queen" not in threats
    lonely = read_move(read_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), "Kd1")
    assert feature_words(lonely)[1] == ("quiet",)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (0, 0, ("before=5", "after=5", "change=4")),
        (0, -700, ("before=5", "after=0", "change=0")),
        (-20, 9_999, ("before=5", "after=10", "change=7")),
        (59, 60, ("before=6", "after=7", "change=4")),
    ],
)
def test_the_third_group_classes_the_scores(before: int, after: int, expected: tuple[str, ...]):
    assert ScoreFeatures(before, after).words() == expected


def test_without_an_engine_the_third_group_says_so(opening_move: MoveInContext):
    assert feature_words(opening_move)[2] == NO_SCORE
    assert feature_words(opening_move, ScoreFeatures(0, 0))[2] != NO_SCORE


def test_scores_are_seen_by_the_mover(opening_move: MoveInContext):
    def analysed(position, value: int) -> Analysis:
        score = chess.engine.PovScore(chess.engine.Cp(value), position.turn)
        return Analysis(position, (Line((), score, 1),), 1, "scripted")

    before, after = analysed(START, 30), analysed(opening_move.after(), 45)
    assert ScoreFeatures.of(before, after) == ScoreFeatures(30, -45)
    with pytest.raises(ValueError, match="one move apart"):
        ScoreFeatures.of(before, before)


def test_a_score_beyond_mate_is_refused():
    with pytest.raises(ValueError, match="10,000"):
        ScoreFeatures(0, 10_001)


def test_mirrored_moves_have_mirrored_features(selfplay_moves: list[MoveInContext]):
    for move in selfplay_moves:
        here, there = feature_words(move), feature_words(mirror_move(move))
        assert here[1] == there[1]
        kept = {word for word in here[0] if not word.startswith(("mover", "from", "to"))}
        assert kept <= set(there[0])
        assert mirror_move(mirror_move(move)).uci == move.uci


# ------------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("12...Nf6! is best.", ["Nf6", "!", "is", "best", "."]),
        ("White's 3. exd5, O-O-O!!", ["White's", "exd5", ",", "O-O-O", "!"]),
        ("a8=Q+ wins: (see e4)", ["a8=Q", "wins", ":", "see", "e4"]),
        ("Be3 or be3ful", ["Be3", "or", "be", "3", "ful"]),
        ("***", []),
    ],
)
def test_cutting_words(text: str, words: list[str]):
    assert cut_words(text) == words


def test_joining_begins_sentences_with_capitals_but_not_moves():
    said = ["black", "is", "lost", "!", "e4", "wins", ",", "see", ".", "why", "?"]
    assert join_words(said) == "Black is lost! e4 wins, see. Why?"
    assert join_words([]) == ""


def test_sentences_are_kept_whole_as_long_as_they_fit():
    words = cut_words("One two. Three four five.")
    assert leading_sentences(words, 8) == (words, True)
    assert leading_sentences(words, 6) == (words[:3], True)
    assert leading_sentences(words, 2) == (words[:2], False)


def test_only_first_words_are_written_small():
    words = cut_words("The rook. I see Black. Nf3 comes. Black wins")
    assert lower_beginnings(words) == cut_words("the rook. I see Black. Nf3 comes. black wins")


def test_the_move_hides_behind_placeholders_and_comes_back():
    words = ["Bxe6", "on", "e6", "from", "f5", "not", "Bxe7"]
    hidden = hide_move(words, FIGURE_A6)
    assert hidden == ["<move>", "on", "<to>", "from", "<from>", "not", "Bxe7"]
    assert show_move(hidden, FIGURE_A6) == ["Bxe6+", "on", "e6", "from", "f5", "not", "Bxe7"]


def test_mirroring_words_undoes_itself():
    words = ["White's", "Nf3", "beats", "black", "on", "exd8=Q", "O-O", "8", "Kings"]
    mirrored = ["Black's", "Nf6", "beats", "white", "on", "exd1=Q", "O-O", "8", "Kings"]
    assert mirror_words(words) == mirrored
    assert mirror_words(mirrored) == words


def test_a_vocabulary_counts_orders_and_knows_the_unknown():
    texts = [("lec1", ["b", "a", "b", "d", "d"]), ("lec2", ["a", "c", "b"])]
    words = Vocabulary.of(texts, least=2, spread=2)
    assert words.words == (*SPECIAL, "b", "a")
    assert Vocabulary.of(texts, least=2).words == (*SPECIAL, "b", "a", "d")
    assert words.number("c") == words.number(UNKNOWN) != words.number("a")
    with pytest.raises(ValueError, match="repeats no word"):
        Vocabulary((*SPECIAL, "a", "a"))


# ---------------------------------------------------------------------------- material


def commented(source: str, move: MoveInContext, text: str = "A word.") -> CommentedMove:
    return CommentedMove(move, text, source, 0)


def test_evaluated_lectures_and_their_moves_are_never_learned(opening_move: MoveInContext):
    others = [read_move(START, san) for san in ("d4", "c4", "Nf3")]
    comments = [commented(f"lec{k}", move) for k, move in enumerate(others, start=1)]
    comments += [commented("lec1", opening_move), commented("lec9", opening_move)]
    parts = part(comments, frozenset({"lec9"}))
    used = [*parts.training, *parts.stopping]
    assert {one.source for one in used} == {"lec1", "lec2", "lec3"}
    assert opening_move not in {one.context for one in used}
    assert {one.source for one in parts.training}.isdisjoint(one.source for one in parts.stopping)


def test_one_source_is_too_few(opening_move: MoveInContext):
    with pytest.raises(ValueError, match="too few"):
        part([commented("lec1", opening_move)], frozenset())
    with pytest.raises(ValueError, match="lec1 lies in two parts"):
        Parts((commented("lec1", opening_move),), (commented("lec1", opening_move),))


def test_examples_come_with_their_mirror_image(opening_move: MoveInContext):
    text = "White plays e4. Black answers e5."
    found = make_examples(
        [commented("lec1", opening_move, text)], [ScoreFeatures(20, 30)], mirrored=True
    )
    first, second = found
    assert first.words == ("white", "plays", "<move>", ".", "black", "answers", "e5", ".")
    assert second.words == ("black", "plays", "<move>", ".", "white", "answers", "e4", ".")
    assert (first.features[0][0], second.features[0][0]) == ("mover=white", "mover=black")
    assert first.features[2] == second.features[2]
    assert make_examples([commented("lec1", opening_move, "!?")], [ScoreFeatures(0, 0)]) == []


def test_scores_are_asked_once_and_turned_to_the_mover(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opening_move: MoveInContext
):
    asked = []

    def scripted(positions, *, nodes: int, progress: bool) -> list[Analysis]:
        asked.append(list(positions))
        score = chess.engine.Cp(30)
        return [
            Analysis(one, (Line((), chess.engine.PovScore(score, one.turn), 1),), nodes, "scripted")
            for one in asked[-1]
        ]

    monkeypatch.setattr(examples, "analyse_many", scripted)
    reply = read_move(opening_move.after(), "e5")
    comments = [commented("lec1", opening_move), commented("lec1", reply)]
    found = [scores_of(comments, Store(tmp_path), nodes=10, progress=False) for _ in range(2)]
    assert found[0] == found[1] == [ScoreFeatures(30, -30)] * 2
    assert len(asked) == 1


# ------------------------------------------------------------------- network and model


@pytest.fixture(scope="module")
def learned() -> tuple[Gac, list[Example]]:
    """A model trained on what it can know: the comment names piece and phase of the move."""
    material = planted()
    model, _ = train(material[:96], material[96:], SMALL, progress=False)
    return model, material


def planted() -> list[Example]:
    pieces, phases = ["pawn", "knight", "bishop", "rook"], ["opening", "ending"]
    kinds = [(piece, phase) for piece in pieces for phase in phases]
    return [
        Example(
            ((f"piece={piece}", f"phase={phase}"), ("quiet",), (f"change={k % 3}",)),
            ("the", piece, "moves", "in", "the", phase, "."),
            True,
        )
        for k, (piece, phase) in enumerate(kinds * 16)
    ]


def test_a_model_learns_to_say_what_the_features_tell(learned: tuple[Gac, list[Example]]):
    model, material = learned
    for one in material[:8]:
        assert tuple(model.say(one.features)) == one.words
    assert measure(model, material[96:])["perplexity"] < 1.2
    others = with_features_of_others(material[96:], seed=1)
    assert measure(model, others)["perplexity"] > 2


def test_the_same_seed_gives_the_same_model():
    material, short = planted()[:32], replace(SMALL, epochs=2, dropout=0.2)
    first, again, other = (
        train(material[:24], material[24:], replace(short, seed=seed), progress=False)
        for seed in (1, 1, 2)
    )
    assert first[1] == again[1] != other[1]
    for name, weights in first[0].network.state_dict().items():
        assert torch.equal(weights, again[0].network.state_dict()[name]), name


def test_training_stops_when_the_other_lectures_no_longer_gain():
    material = planted()[:32]
    nonsense = [replace(one, words=tuple(reversed(one.words))) for one in material]
    settings = replace(SMALL, epochs=30, patience=2)
    model, log = train(material, nonsense, settings, progress=False)
    best = min(row["perplexity"] for row in log)
    assert len(log) < 30
    assert measure(model, nonsense)["perplexity"] == pytest.approx(best, abs=0.02)


def test_a_model_comes_back_from_its_files(learned: tuple[Gac, list[Example]], tmp_path: Path):
    model, material = learned
    model.save(tmp_path)
    again = Gac.load(tmp_path)
    assert again.words == model.words
    assert again.say(material[3].features) == model.say(material[3].features)
    (tmp_path / "vocabulary.json").write_text("{}")
    with pytest.raises(ValueError, match="no vocabularies"):
        Gac.load(tmp_path)
    with pytest.raises(ValueError, match="gac train"):
        Gac.load(tmp_path / "elsewhere")


def test_unknown_words_are_never_said_and_nothing_is_said_thrice(selfplay_moves):
    """Even by a network that has learned nothing and says whatever comes."""
    torch.manual_seed(3)
    words = Vocabulary((*SPECIAL, "a", "b", "."))
    features = Vocabulary(SPECIAL)
    model = Gac(GacNetwork(Sizes(len(words), len(features), 4, 6)).eval(), words, features, {})
    for move in selfplay_moves[:10]:
        said = model.say(feature_words(move))
        assert said
        assert not set(said) & set(SPECIAL)
        runs = list(zip(said, said[1:], said[2:], strict=False))
        assert len(set(runs)) == len(runs)


def test_perplexity_does_not_count_unknown_words():
    torch.manual_seed(0)
    model, _ = train(planted()[:16], planted()[:16], replace(SMALL, epochs=1), progress=False)
    known = planted()[0]
    strange = replace(known, words=(*known.words[:-1], "zebra", "."))
    assert measure(model, [known])["unknown"] == 0
    assert measure(model, [strange])["unknown"] == pytest.approx(1 / 9, abs=1e-4)


def test_guessing_by_frequency_by_hand():
    one = Example((("x",), ("y",), ("z",)), ("a", "a", "b"), True)
    words = Vocabulary.of([("", one.words)], least=1)
    # Counts and one: a 3, b 2, end 2, padding and start 1 each; nine in all.
    expected = ((9 / 3) ** 2 * (9 / 2) * (9 / 2)) ** (1 / 4)
    assert frequency_perplexity([one], [one], words) == pytest.approx(expected, abs=0.01)


def test_vocabularies_must_fit_the_network(learned: tuple[Gac, list[Example]]):
    model, _ = learned
    with pytest.raises(ValueError, match="do not fit"):
        Gac(model.network, Vocabulary(SPECIAL), model.features, {})


# ------------------------------------------------------------------- what is committed


def test_the_committed_model_comments_on_any_move(committed: Gac, selfplay_moves):
    for move in selfplay_moves[:12]:
        text = committed.comment(move, ScoreFeatures(10, -250))
        assert 1 <= len(text.split()) <= 41
        assert "<" not in text
        assert committed.comment(move, ScoreFeatures(10, -250)) == text
    said = {committed.comment(move) for move in selfplay_moves[:12]}
    assert len(said) > 3, "the comment must depend on the move"


def test_the_committed_model_is_small_and_used_no_evaluated_lecture(committed: Gac):
    assert sum(path.stat().st_size for path in (DATA / "gac").iterdir()) < 3_000_000
    told = json.loads((DATA / "gac/training.json").read_text())
    try:
        lectures = read_lectures(assets.locate("lectures", fetch=False))
    except assets.AssetMissing as error:
        pytest.skip(str(error))
    held = evaluated_lectures(lectures)
    assert set(told["held_out"]) == held
    assert not held & set(told["stopping"]["sources"])
    parts = part([one for lecture in lectures for one in lecture.comments], held)
    assert told["comments"]["training"] == len(parts.training)
    learned_words = {
        word for one in parts.training for word in cut_words(one.comment) for word in _forms(word)
    }
    mirrored = set(mirror_words(learned_words))
    placeholders = {*SPECIAL, "<move>", "<to>", "<from>"}
    assert set(committed.words.words) - placeholders <= learned_words | mirrored


def _forms(word: str) -> tuple[str, str]:
    return word, word.lower()


def test_the_committed_measures_say_whether_the_features_help():
    told = json.loads((DATA / "gac/training.json").read_text())["stopping"]
    assert told["perplexity"] < told["perplexity_by_frequency"]
    assert told["perplexity"] < told["perplexity_features_of_others"]
