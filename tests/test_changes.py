from __future__ import annotations

import chess
import numpy as np
import pytest

from chessgloss.changes import (
    MoveSample,
    TermChanges,
    give_back,
    kind_of,
    measure_changes,
    sample_moves,
)
from chessgloss.engine import EngineMissing
from chessgloss.oracle import TERMS, evaluate_terms, stockfish8
from chessgloss.positions import Game

ITALIAN = ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1", "g8f6", "c4f7", "e8f7")
RUY = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5c6", "d7c6")


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return [Game(ITALIAN, "*", opening_plies=2), Game(RUY, "*", opening_plies=2)]


@pytest.fixture(scope="module")
def all_moves(games: list[Game]) -> MoveSample:
    return sample_moves(games, None, seed=0, jobs=1)


@pytest.mark.parametrize(
    ("fen", "uci", "kind"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "capture"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", "capture"),
        ("4k3/4r3/8/8/8/8/8/4RK2 w - - 0 1", "e1e7", "capture"),  # and a check
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "check"),  # and castling
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "castling"),
        ("4k3/8/3P4/8/8/8/8/4K3 w - - 0 1", "d6d7", "check"),
        ("4k3/8/8/8/3P4/8/8/4K3 w - - 0 1", "d4d5", "pawn"),
        ("4k3/8/8/8/3P4/8/8/4K3 w - - 0 1", "e1e2", "quiet"),
    ],
)
def test_a_move_is_of_the_first_kind_that_fits(fen: str, uci: str, kind: str):
    assert kind_of(chess.Board(fen), chess.Move.from_uci(uci)) == kind


def test_all_moves_after_the_opening_are_drawn_with_their_positions(all_moves: MoveSample):
    assert len(all_moves) == len(ITALIAN) + len(RUY) - 4
    assert all_moves.after[:7] == all_moves.before[1:8]
    assert all_moves.replied[:6] == all_moves.after[1:7]
    assert all_moves.replied[7] == all_moves.after[7]  # the last move of a game has no reply
    assert all_moves.kinds[:8].tolist() == [
        *("quiet",) * 4, "castling", "quiet", "capture", "capture",
    ]  # fmt: skip


def test_the_moves_of_a_game_depend_on_it_and_the_seed_alone(games: list[Game]):
    alone = sample_moves(games[1:], 3, seed=5, jobs=1)
    together = sample_moves(games, 3, seed=5, jobs=1)
    assert len(together) == 6
    assert together.before[3:] == alone.before
    assert together.games.tolist() == [0, 0, 0, 1, 1, 1]
    assert sample_moves(games, 3, seed=6, jobs=1).digest() != together.digest()


def test_the_move_is_given_back_without_en_passant(all_moves: MoveSample):
    fen = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"
    assert give_back(fen) == "4k3/8/8/3pP3/8/8/8/4K3 b - - 0 2"
    assert all_moves.white_to_move().tolist()[:3] == [True, False, True]


def test_each_position_is_asked_for_once_and_blank_tables_drop_their_moves(all_moves: MoveSample):
    asked: list[str] = []

    def terms_of(fens):
        asked.extend(fens)
        values = np.arange(len(fens) * 21, dtype=np.float32).reshape(-1, 21)
        values[fens.index(all_moves.after[0])] = np.nan
        return values

    found = measure_changes(all_moves, terms_of)
    assert len(asked) == len(set(asked)) == len(set(all_moves.before) | set(all_moves.after))
    assert found.moves.before == tuple(
        fen
        for fen, after in zip(all_moves.before, all_moves.after, strict=True)
        if all_moves.after[0] not in (fen, after)
    )


def test_terms_must_be_known_and_must_change(all_moves: MoveSample):
    two = all_moves.take(np.array([0, 1]))
    same = np.zeros((2, 21), np.float32)
    with pytest.raises(ValueError, match=r"Material.*never changes in 2 moves"):
        TermChanges(two, same, same).spread()
    with pytest.raises(ValueError, match="finite"):
        TermChanges(two, same, same + np.nan)
    with pytest.raises(ValueError, match=r"\(2, 21\)"):
        TermChanges(two, same, same[:1])
    with pytest.raises(ValueError, match="one entry a move"):
        MoveSample(two.before, two.after[:1], two.replied, two.kinds, two.games, two.splits)


def test_stockfish_8_sees_what_a_capture_changes(all_moves: MoveSample):
    try:
        oracle = stockfish8()
    except EngineMissing as error:
        pytest.skip(str(error))

    def terms_of(fens):
        return evaluate_terms(fens, oracle, processes=1, progress=False).middlegame

    found = measure_changes(all_moves, terms_of)
    material = found.changes[:, TERMS.index("Material")]
    # Stockfish 8 counts piece-square tables as Material: every move changes it a little.
    assert ((np.abs(material) > 0.6) == (found.moves.kinds == "capture")).all()
    assert (material != 0).all()
