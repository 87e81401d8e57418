"""Pairs of sentences that differ in one word."""

import random

from chessgloss.claims.minimal_pairs import corrupted, minimal_pairs
from chessgloss.positions import MoveInContext
from scripts import refuses, selfplay


def test_minimal_pairs_differ_in_one_word():
    moves = [
        MoveInContext(game.position(ply), game.moves[ply])
        for game in selfplay(300)
        for ply in range(7, min(300, len(game.moves)), 53)
    ]
    pairs = minimal_pairs(moves, 300, seed=3)
    assert pairs == minimal_pairs(moves, 300, seed=3)
    refuses(ValueError, r"only \d+ of 9 pairs", minimal_pairs, moves[:1], 9)
    assert {pair.error for pair in pairs} == {
        "wrong_square",
        "wrong_piece",
        "wrong_side",
    }
    for pair in pairs:
        words = zip(pair.true.split(), pair.false.split(), strict=True)
        assert sum(one != other for one, other in words) == 1, pair


def test_a_square_in_error_is_a_neighbour_and_no_pawn_comes_to_the_last_ranks():
    clause = "the white pawn on e2 is passed"
    rng = random.Random(0)
    squares = {text.split()[4] for text in corrupted(clause, "wrong_square", rng)}
    assert squares == {"d2", "f2", "d3", "e3", "f3"}
