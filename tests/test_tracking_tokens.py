from __future__ import annotations

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chessgloss.book import reference
from chessgloss.corpora.games import read_games
from chessgloss.store import find_project
from chessgloss.tracking.tokens import (
    BOS,
    EOS,
    PAD,
    VOCABULARY,
    VOCABULARY_SIZE,
    TokenError,
    TokenGames,
    annotate,
    decode,
    encode,
    is_piece_type,
    piece_id,
    square_id,
    tokenise,
)

TABLE_2_MOVES = ["e2e4", "e7e5", "g1f3"]
#: Castling on both sides, en passant, and a promotion that takes.
CASTLING = ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5", "e1g1", "e8g8", "f1e1", "f8e8"]
PASSING = ["e2e4", "a7a6", "e4e5", "d7d5", "e5d6", "a6a5", "d6c7", "a5a4", "c7b8n", "a8b8"]
LONG_CASTLING = [
    *("d2d4", "d7d5", "b1c3", "b8c6", "c1f4", "c8f5", "d1d2", "d8d7"),
    *("e1c1", "e8c8", "d1e1", "d8e8"),
]


class ScriptedGenerator:
    """Draws what it is told to."""

    def __init__(self, *draws: float) -> None:
        self.draws = np.array(draws, dtype=np.float32)

    def random(self, size: int, dtype: type) -> np.ndarray:
        assert size == self.draws.size
        return self.draws


@pytest.fixture(scope="module")
def selfplay_moves() -> list[tuple[str, ...]]:
    path = find_project() / "data" / "games" / "selfplay.tsv.zst"
    return [game.moves for game in read_games(path, 800)]


@pytest.fixture(scope="module")
def selfplay_tokens(selfplay_moves: list[tuple[str, ...]]) -> TokenGames:
    return tokenise(selfplay_moves)


def words(ids: np.ndarray) -> str:
    return ", ".join(VOCABULARY[one] for one in ids if one not in (BOS, EOS))


def test_the_vocabulary_is_the_papers_table_1():
    counts = {row: reference.lookup("state_tracking", "table1", row, "Count").value
              for row in ("Square names", "Piece type", "Promoted Pawn Piece type",
                          "Special symbols", "Total")}  # fmt: skip
    assert list(counts.values()) == [64, 6, 4, 3, VOCABULARY_SIZE]
    assert len(set(VOCABULARY)) == VOCABULARY_SIZE == 77
    assert VOCABULARY[3:67] == tuple(chess.SQUARE_NAMES)
    assert "".join(VOCABULARY[67:]) == "PNBRQKqrbn"
    assert (VOCABULARY[square_id(chess.E4)], VOCABULARY[piece_id(chess.KNIGHT)]) == ("e4", "N")
    assert is_piece_type(np.arange(77)).sum() == 6


@pytest.mark.parametrize(
    ("row", "column", "notation", "draws"),
    [
        ("UCI", "Training", "uci", None),
        ("UCI", "Inference", "uci", None),
        ("UCI + RAP 15", "Training", "rap", (0.9, 0.1, 0.9)),
        ("UCI + RAP 100", "Training", "rap", (0.1, 0.1, 0.1)),
        ("UCI + AP", "Training", "ap", None),
        ("UCI + AP", "Inference", "ap", None),
    ],
)
def test_the_rows_of_table_2(row, column, notation, draws):
    printed = reference.lookup("state_tracking", "table2", row, column).printed
    generator = ScriptedGenerator(*draws) if draws else None
    ids, starts = annotate(tokenise([TABLE_2_MOVES]), [0], notation, 0.15, generator)
    assert words(ids) == printed
    assert (ids[0], ids[-1], list(starts)) == (BOS, EOS, [0, ids.size])


def test_games_come_back_from_their_tokens(selfplay_moves, selfplay_tokens):
    assert [tuple(selfplay_tokens.ucis(k)) for k in range(len(selfplay_moves))] == selfplay_moves
    assert list(selfplay_tokens.plies) == [len(moves) for moves in selfplay_moves]


def test_the_moved_pieces_are_those_on_the_board(selfplay_moves, selfplay_tokens):
    for game, moves in enumerate(selfplay_moves[:150]):
        board, seen = chess.Board(), []
        for uci in moves:
            move = board.parse_uci(uci)
            seen.append(piece_id(board.piece_type_at(move.from_square)))
            board.push(move)
        first, last = selfplay_tokens.game_moves[game : game + 2]
        assert list(selfplay_tokens.pieces[first:last]) == seen


@pytest.mark.parametrize(
    ("moves", "pieces"),
    [
        (CASTLING, "PPNNBBKKRR"),
        (LONG_CASTLING, "PPNNBBQQKKRR"),
        (PASSING, "PPPPPPPPPR"),
        ([*PASSING, "b1c3", "b8b2", "c3b5"], "PPPPPPPPPRNRN"),
        (["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "c8b7", "a6b7", "d7d6", "b7a8q", "d6d5", "a8b8"],
         "PPPPPBPPPPQ"),
    ],
)  # fmt: skip
def test_castling_en_passant_and_promotion(moves, pieces):
    games = tokenise([moves, TABLE_2_MOVES])
    assert "".join(VOCABULARY[one] for one in games.pieces[: len(moves)]) == pieces
    assert games.ucis(0) == moves


def test_en_passant_empties_the_square_of_the_pawn_taken():
    with pytest.raises(TokenError, match=r"game 0, ply 6: there is no piece on d5"):
        tokenise([["e2e4", "a7a6", "e4e5", "d7d5", "e5d6", "a6a5", "d5d4"]])


def test_a_promotion_is_three_tokens():
    assert words(encode(["e7e8q", "a2a1n"])) == "e7, e8, q, a2, a1, n"
    assert decode(encode(["e7e8q", "a2a1n"])) == ["e7e8q", "a2a1n"]


squares = st.sampled_from(chess.SQUARE_NAMES)
any_moves = st.builds("".join, st.tuples(squares, squares, st.sampled_from(["", *"qrbn"])))


@given(st.lists(any_moves, max_size=12))
@settings(max_examples=60, deadline=None)
def test_any_moves_come_back(moves: list[str]):
    assert decode(encode(moves)) == moves
    assert decode([BOS, *encode(moves), EOS, PAD, PAD]) == moves


@given(probability=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_types_are_put_before_their_moves_and_nothing_else_changes(
    selfplay_tokens: TokenGames, probability: float, seed: int
):
    random = np.random.default_rng(seed)
    selected = random.integers(0, len(selfplay_tokens), size=12)
    plain, bounds = annotate(selfplay_tokens, selected, "uci")
    ids, starts = annotate(selfplay_tokens, selected, "rap", probability, random)
    assert np.array_equal(ids[~is_piece_type(ids)], plain)
    for k, game in enumerate(selected):
        assert decode(ids[starts[k] : starts[k + 1]]) == selfplay_tokens.ucis(game)
        assert (ids[starts[k]], ids[starts[k + 1] - 1], plain[bounds[k]]) == (BOS, EOS, BOS)


def test_the_ends_of_rap_are_the_other_notations(selfplay_tokens):
    selected = np.arange(len(selfplay_tokens))[::-3]
    for probability, other in ((0.0, "uci"), (1.0, "ap")):
        random = np.random.default_rng(5)
        ids, starts = annotate(selfplay_tokens, selected, "rap", probability, random)
        same, bounds = annotate(selfplay_tokens, selected, other)
        assert np.array_equal(ids, same)
        assert np.array_equal(starts, bounds)


@pytest.mark.parametrize("probability", [0.05, 0.25, 0.75])
def test_the_share_of_types_is_what_was_asked_for(selfplay_tokens, probability):
    random = np.random.default_rng(11)
    ids, _ = annotate(selfplay_tokens, range(len(selfplay_tokens)), "rap", probability, random)
    moves = selfplay_tokens.pieces.size
    spread = np.sqrt(moves * probability * (1 - probability))
    assert abs(is_piece_type(ids).sum() - moves * probability) < 4.5 * spread


def test_each_call_draws_anew_and_a_seed_repeats(selfplay_tokens):
    random = np.random.default_rng(2)
    first, second = (annotate(selfplay_tokens, [0, 1], "rap", 0.5, random)[0] for _ in range(2))
    again, _ = annotate(selfplay_tokens, [0, 1], "rap", 0.5, np.random.default_rng(2))
    assert not np.array_equal(first, second)
    assert np.array_equal(first, again)


def test_a_type_is_that_of_the_move_behind_it(selfplay_tokens):
    ids, _ = annotate(selfplay_tokens, [7], "ap")
    board = chess.Board()
    for place, uci in zip(np.flatnonzero(is_piece_type(ids)), selfplay_tokens.ucis(7), strict=True):
        move = board.parse_uci(uci)
        assert ids[place] == piece_id(board.piece_type_at(move.from_square))
        assert ids[place + 1] == square_id(move.from_square)
        board.push(move)


@pytest.mark.parametrize("wrong", ["e9e4", "e2", "e7e8k", "e2e4 ", "Ng1f3", "e2é4", "", "0000"])
def test_a_move_that_is_not_uci_is_named(wrong):
    with pytest.raises(TokenError, match=r"game 1, ply 2: .* is not a move in UCI"):
        tokenise([["e2e4"], ["e2e4", "e7e5", wrong]])


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([77], "77 is not the id of a token"),
        ([-1], "-1 is not the id"),
        (encode(["e2e4"])[:1], "no move begins at token 0: 'e2'"),
        ([BOS, 15, 31, 73, 73], "no move begins at token 4: 'q'"),
        ([68, 67, 15, 31], "no move begins at token 0: 'N P"),
        ([15, 31, EOS, 15], "only padding may follow the EOS at token 2"),
        ([15, 31, BOS], "no move begins at token 2: 'BOS'"),
    ],
)
def test_ids_that_are_no_game_are_refused(ids, message):
    with pytest.raises(TokenError, match=message):
        decode(ids)


def test_bad_notations_are_refused(selfplay_tokens):
    for notation, probability, message in (
        ("san", 0.0, "no notation 'san'; choose one of uci, rap, ap"),
        ("rap", 25, "25 % is 0.25"),
        ("rap", 0.25, "give a numpy Generator"),
    ):
        with pytest.raises(ValueError, match=message):
            annotate(selfplay_tokens, [0], notation, probability)


def test_no_games_make_no_tokens():
    empty = tokenise([])
    assert (len(empty), empty.tokens.size) == (0, 0)
    assert annotate(tokenise([TABLE_2_MOVES]), [], "uci")[0].size == 0


def test_arrays_that_do_not_fit_are_refused(selfplay_tokens):
    parts = selfplay_tokens.parts()
    assert np.array_equal(TokenGames.of_parts(parts).tokens, selfplay_tokens.tokens)
    for name, changed in (
        ("tokens", parts["tokens"][:-1]),
        ("pieces", parts["pieces"][:-1]),
        ("starts", parts["starts"][::-1]),
        ("tokens", parts["tokens"].astype(np.int64)),
    ):
        with pytest.raises(TokenError):
            TokenGames(**{**parts, name: changed})
