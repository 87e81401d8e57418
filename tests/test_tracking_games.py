"""Games as tokens, the sets of a corpus, batches, games of random moves."""

from types import SimpleNamespace

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chessgloss.book import reference
from chessgloss.corpora.games import line_of, pack
from chessgloss.positions import Game
from chessgloss.tracking import games as tokens
from chessgloss.tracking.games import (
    BOS,
    EOS,
    PIECES,
    VOCABULARY,
    annotate,
    split_games,
    tokenise,
)
from chessgloss.tracking.sources import play_random_game, read_random_corpus
from scripts import refuses, selfplay

TABLE_2_MOVES = ["e2e4", "e7e5", "g1f3"]
SMALL = {"S": 5, "M": 12, "L": 40, "dev": 6, "test": 7, "probe": 30}


@pytest.fixture(scope="module")
def selfplay_games():
    return selfplay(400)


@pytest.fixture(scope="module")
def selfplay_tokens(selfplay_games):
    return tokenise(game.moves for game in selfplay_games)


@pytest.fixture(scope="module")
def small_corpus(selfplay_games):
    return split_games(selfplay_games, SMALL)


def words(ids: np.ndarray) -> str:
    return ", ".join(VOCABULARY[token] for token in ids if token not in (BOS, EOS))


def is_type(ids: np.ndarray) -> np.ndarray:
    return np.isin(ids, PIECES + np.arange(6))


# ---------------------------------------------------------------- tokens


def test_the_vocabulary_is_the_papers_table_1():
    assert reference.table("state_tracking", "table1").loc["Total", "Count"] == len(
        VOCABULARY
    )
    assert (len(set(VOCABULARY)), VOCABULARY[3:67]) == (77, tuple(chess.SQUARE_NAMES))
    assert "".join(VOCABULARY[67:]) == "PNBRQKqrbn"


@pytest.mark.parametrize(
    ("row", "column", "notation", "draws"),
    [
        ("UCI", "Training", "uci", ()),
        ("UCI + RAP 15", "Training", "rap", (0.9, 0.1, 0.9)),
        ("UCI + RAP 100", "Training", "rap", (0.1, 0.1, 0.1)),
        ("UCI + AP", "Training", "ap", ()),
    ],
)
def test_the_rows_of_table_2(row, column, notation, draws):
    printed = reference.lookup("state_tracking", "table2", row, column).printed
    generator = SimpleNamespace(random=lambda size, dtype: np.array(draws))
    ids, starts = annotate(
        tokenise([TABLE_2_MOVES]),
        [0],
        notation,
        0.15,
        generator,
    )
    assert (words(ids), list(starts)) == (printed, [0, ids.size])


def test_a_type_is_that_of_the_piece_on_the_board(selfplay_games, selfplay_tokens):
    special: set[str] = set()
    for game, played in enumerate(selfplay_games):
        ids, _ = annotate(selfplay_tokens, [game], "ap")
        board = chess.Board()
        types = []
        for move in map(chess.Move.from_uci, played.moves):
            types.append(board.piece_at(move.from_square).symbol().upper())
            special |= {"passing"} if board.is_en_passant(move) else {move.uci()[4:]}
            special |= {"castling"} if board.is_castling(move) else set()
            board.push(move)
        assert [VOCABULARY[token] for token in ids[is_type(ids)]] == types
    assert special >= {"passing", "castling", "q"}


@given(probability=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_types_come_before_moves_and_nothing_else_changes(
    selfplay_tokens, probability, seed
):
    random = np.random.default_rng(seed)
    selected = random.integers(0, len(selfplay_tokens), size=12)
    plain, bounds = annotate(selfplay_tokens, selected, "uci")
    ids, starts = annotate(selfplay_tokens, selected, "rap", probability, random)
    assert np.array_equal(ids[~is_type(ids)], plain)
    for k, game in enumerate(selected):
        written = plain[bounds[k] : bounds[k + 1]]
        assert words(written).replace(", ", "") == "".join(selfplay_tokens.ucis(game))
        assert (ids[starts[k]], ids[starts[k + 1] - 1]) == (BOS, EOS)


@pytest.mark.parametrize(
    "wrong", ["e9e4", "e2", "e7e8k", "e2e4 ", "Ng1f3", "e2é4", "", "0000"]
)
def test_a_move_that_is_not_uci_is_named(wrong):
    with pytest.raises(ValueError, match=f"{wrong!r} is not a move in UCI"):
        tokenise([["e2e4"], ["e2e4", "e7e5", wrong]])


def test_no_games_make_no_tokens_and_a_game_without_moves_its_ends():
    assert annotate(tokenise([TABLE_2_MOVES]), [], "uci")[0].size == 0
    ids, starts = annotate(
        tokenise([[], ["e2e4"]]),
        [0, 1],
        "uci",
    )
    assert ids.tolist() == [BOS, EOS, BOS, 15, 31, EOS]
    assert starts.tolist() == [0, 2, 6]


# ---------------------------------------------------------------- sets


def test_the_training_sets_lie_within_each_other_and_apart_from_the_rest(small_corpus):
    sets = {name: set(small_corpus.of(name)) for name in SMALL}
    assert {name: len(games) for name, games in sets.items()} == SMALL
    assert sets["S"] < sets["M"] < sets["L"]
    assert len(set.union(*sets.values())) == len(small_corpus.games) == 83
    assert np.array_equal(small_corpus.of("15"), small_corpus.of("L")[:15])
    texts = {tuple(small_corpus.games.ucis(k)) for k in range(83)}
    assert len(texts) == 83, "no game is in two sets"


def test_games_come_once_in_order_and_of_the_right_length(selfplay_games, small_corpus):
    short = Game(("e2e4",) * 3, "*")
    long = Game(("g1f3", "g8f6", "f3g1", "f6g8") * 38, "*")
    elsewhere = Game(("a1a2", "e8e7") * 6, "*", root="4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    twice = [game for game in selfplay_games for _ in range(2)]
    again = split_games([short, long, elsewhere, *twice], SMALL)
    assert np.array_equal(again.keys, small_corpus.keys)
    names = [game.key for game in selfplay_games if len(game.moves) <= 150]
    assert list(small_corpus.keys) == names[:83]
    grown = split_games(selfplay_games, {**SMALL, "M": 20, "L": 45})
    for name in ("test", "S"):  # larger training sets leave the others
        ours, theirs = (each.keys[each.of(name)] for each in (small_corpus, grown))
        assert np.array_equal(ours, theirs)


def test_too_few_games_and_wrong_sets_are_refused(selfplay_games, small_corpus):
    few = [game for game in selfplay_games if len(game.moves) <= 150][:20]
    refuses(
        ValueError, r"need 83 different games .* least 63 more", split_games, few, SMALL
    )
    for name in ("XL", "41", "0"):
        refuses(
            ValueError,
            f"no set '{name}'; choose one of",
            small_corpus.of,
            name,
        )


def test_a_file_is_read_once_and_then_kept(
    tmp_path, selfplay_games, small_corpus, monkeypatch
):
    monkeypatch.setenv("CHESSGLOSS_STORE", str(tmp_path / "store"))
    lines = (line_of(k, game) for k, game in enumerate(selfplay_games))
    path = pack(lines, tmp_path / "games.tsv.zst")
    for _ in range(2):
        corpus = tokens.read_corpus(path, SMALL)
        assert len(list((tmp_path / "store").iterdir())) == 1
        assert np.array_equal(corpus.keys, small_corpus.keys)
        assert np.array_equal(corpus.games.moves, small_corpus.games.moves)
    with pytest.raises(FileNotFoundError, match="data/tracking/README"):
        tokens.read_corpus(tmp_path / "none.tsv.zst", SMALL)


# ---------------------------------------------------------------- batches


def test_batches_keep_to_their_tokens_with_little_padding_and_few_shapes(
    selfplay_tokens,
):
    ids, starts = annotate(selfplay_tokens, np.arange(300), "uci")
    lengths = np.diff(starts)
    batches = list(
        tokens.cut_batches(
            ids,
            starts,
            np.argsort(lengths),
            1024,
        )
    )
    shapes = [tuple(rows[:, 1:].shape) for _, rows in batches]
    assert sorted(np.concatenate([group for group, _ in batches])) == list(range(300))
    assert all(count * length <= 1024 for count, length in shapes)
    places = sum(rows[:, 1:].numel() for _, rows in batches)
    assert (lengths - 1).sum() / places > 0.93
    for group, rows in batches:
        for game, row in zip(group, rows, strict=True):
            written = ids[starts[game] : starts[game + 1]].tolist()
            assert row[row != tokens.PAD].tolist() == written


# ---------------------------------------------------------------- games of random moves


def test_random_games_are_legal_end_in_time_and_are_repeated_by_their_number():
    games = [play_random_game(120, 3, number) for number in range(8)]
    for moves in games:
        board = chess.Board()
        for uci in moves:
            board.push(board.parse_uci(uci))
        assert len(moves) == 120 or not any(board.legal_moves)
    assert games[5] == play_random_game(120, 3, 5) != play_random_game(120, 4, 5)
    assert play_random_game(40, 3, 5) == games[5][:40]


def test_every_game_has_a_random_one_beside_it(small_corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("CHESSGLOSS_STORE", str(tmp_path / "store"))
    path = tmp_path / "random.tsv.zst"
    random = read_random_corpus(path, small_corpus)
    assert random.sizes == small_corpus.sizes
    assert (random.games.plies <= small_corpus.games.plies).mean() > 0.8
    written = path.read_bytes()
    path.unlink()
    again = read_random_corpus(path, small_corpus)
    assert path.read_bytes() == written
    assert np.array_equal(again.games.moves, random.games.moves)
