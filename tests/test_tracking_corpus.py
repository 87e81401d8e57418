from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chessgloss.corpora.games import pack, read_games
from chessgloss.positions import Game
from chessgloss.store import Store, find_project
from chessgloss.tracking.corpus import (
    BOOK,
    PAPER,
    Corpus,
    CorpusError,
    CorpusSizes,
    prefix_hashes,
    read_corpus,
    share_new,
    split_games,
)
from chessgloss.tracking.tokens import tokenise

SMALL = CorpusSizes(small=5, medium=12, large=40, dev=6, test=7, probe=30)


@pytest.fixture(scope="module")
def selfplay_games() -> list[Game]:
    path = find_project() / "data" / "games" / "selfplay.tsv.zst"
    return list(read_games(path, 130))


@pytest.fixture(scope="module")
def small_corpus(selfplay_games: list[Game]) -> Corpus:
    return split_games(selfplay_games, SMALL)


def test_the_training_sets_lie_within_each_other_and_apart_from_the_rest(small_corpus):
    small, medium, large = (set(small_corpus.of(name)) for name in "SML")
    held = [set(small_corpus.of(name)) for name in ("dev", "test", "probe")]
    assert small < medium < large
    assert [len(one) for one in (small, medium, large, *held)] == [5, 12, 40, 6, 7, 30]
    assert len(set.union(large, *held)) == SMALL.games == 83


def test_no_game_is_in_two_sets(small_corpus):
    texts = {tuple(small_corpus.games.ucis(k)) for k in range(len(small_corpus.games))}
    assert len(texts) == len(small_corpus.games)


def test_games_come_once_in_order_and_of_the_right_length(selfplay_games, small_corpus):
    short = Game(("e2e4",) * 3, "*")
    long = Game(("g1f3", "g8f6", "f3g1", "f6g8") * 38, "*")
    fen = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"
    elsewhere = Game(("a1a2", "e8e7") * 6, "*", root=fen)
    twice = [game for game in selfplay_games for _ in range(2)]
    assert np.array_equal(
        split_games([short, long, elsewhere, *twice], SMALL).keys, small_corpus.keys
    )
    assert small_corpus.games.plies.min() >= 10
    assert small_corpus.games.plies.max() <= 150
    names = [game.key for game in selfplay_games if len(game.moves) <= 150]
    assert list(small_corpus.keys) == names[:83]


def test_a_longer_file_and_larger_training_sets_leave_the_other_sets_as_they_are(
    selfplay_games, small_corpus
):
    grown = split_games(selfplay_games, replace(SMALL, medium=20, large=45))
    for name in ("dev", "test", "probe", "S"):
        assert np.array_equal(grown.keys[grown.of(name)], small_corpus.keys[small_corpus.of(name)])


def test_too_few_games_are_refused_with_the_remedy(selfplay_games):
    with pytest.raises(CorpusError, match=r"need 83; make at least 63 more, or ask for smaller"):
        split_games([game for game in selfplay_games if len(game.moves) <= 150][:20], SMALL)


def test_wrong_sizes_and_sets_are_refused(small_corpus):
    with pytest.raises(CorpusError, match="S lies in M and M in L"):
        CorpusSizes(small=10, medium=5)
    with pytest.raises(CorpusError, match="every set needs a game"):
        CorpusSizes(dev=0)
    with pytest.raises(CorpusError, match="no set 'XL'; choose one of dev, test, probe, S, M, L"):
        small_corpus.of("XL")
    with pytest.raises(CorpusError, match="occurs twice"):
        Corpus(small_corpus.games, np.full(83, "a"), SMALL)
    with pytest.raises(CorpusError, match="need 83 games, got 1"):
        Corpus(tokenise([["e2e4"]]), np.array(["a"]), SMALL)


def test_ours_are_a_quarter_of_the_papers_sizes():
    assert 4 * BOOK.large == PAPER.large == 200_000
    assert 4 * BOOK.games == PAPER.games


def test_a_file_is_read_once_and_then_kept(tmp_path: Path, selfplay_games, small_corpus):
    lines = (
        f"{k}\t{g.white}\t{g.black}\t{g.result}\t{g.termination}\t0\t{' '.join(g.moves)}\n"
        for k, g in enumerate(selfplay_games)
    )
    path = pack(lines, tmp_path / "games.tsv.zst")
    store = Store(tmp_path / "store")
    first, second = (read_corpus(path, SMALL, store) for _ in range(2))
    assert len(list((tmp_path / "store").iterdir())) == 1
    for one in (first, second):
        assert np.array_equal(one.keys, small_corpus.keys)
        assert np.array_equal(one.games.tokens, small_corpus.games.tokens)
    with pytest.raises(FileNotFoundError, match="data/tracking/README"):
        read_corpus(tmp_path / "none.tsv.zst", SMALL, store)


def test_equal_beginnings_have_equal_hashes_and_no_others():
    games = tokenise(
        [
            ["e2e4", "e7e5", "g1f3", "b8c6"],
            ["e2e4", "e7e5", "f1c4", "b8c6"],
            ["e7e5", "e2e4", "g1f3", "b8c6"],
            ["g1f3", "b8c6", "e2e4", "e7e5"],
        ]
    )
    hashes, starts = prefix_hashes(games, np.arange(4))
    assert list(starts) == [0, 4, 8, 12, 16]
    one, other, swapped, turned = hashes.reshape(4, 4)
    assert list(one == other) == [True, True, False, False]
    assert not (one == swapped).any()
    assert np.unique(np.concatenate([one, swapped, turned])).size == 12


def test_a_promotion_to_another_piece_is_another_beginning():
    moves = ["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "c8b7", "a6b7", "d7d6"]
    games = tokenise([[*moves, f"b7a8{piece}"] for piece in "qrbn"])
    hashes, starts = prefix_hashes(games, np.arange(4))
    assert np.unique(hashes[starts[1:] - 1]).size == 4
    assert np.unique(hashes[starts[1:] - 2]).size == 1


def test_hashes_find_every_shared_beginning(small_corpus):
    chosen = small_corpus.of("L")
    hashes, starts = prefix_hashes(small_corpus.games, chosen)
    written = [
        tuple(moves[: ply + 1])
        for moves in map(small_corpus.games.ucis, chosen)
        for ply in range(len(moves))
    ]
    assert hashes.size == len(written) == starts[-1]
    assert (
        np.unique(hashes).size == len(set(written)) == len(set(zip(hashes, written, strict=True)))
    )


def test_the_share_of_new_beginnings_rises_to_all(small_corpus):
    new = share_new(small_corpus, "test", plies=30)
    trained = [small_corpus.games.ucis(k) for k in small_corpus.of("L")]
    first = {moves[0] for moves in trained}
    tested = [small_corpus.games.ucis(k)[0] for k in small_corpus.of("test")]
    assert new[0] == pytest.approx(sum(move not in first for move in tested) / 7)
    assert (np.diff(new) >= 0).all()
    assert new[-1] == 1
    assert (share_new(small_corpus, "S", plies=30) == 0).all()
