"""Sentences that differ from true ones in one word."""

import random

import pytest

from chessgloss.claims.minimal_pairs import corrupted

CLAUSE = "the white pawn on e2 is attacked by Black's rook on e7"


def broken(error: str, clause: str = CLAUSE, seed: int = 0) -> list[str]:
    return [*corrupted(clause, error, random.Random(seed))]  # type: ignore[arg-type]


@pytest.mark.parametrize("error", ["wrong_square", "wrong_piece", "wrong_side"])
def test_one_word_is_exchanged_as_the_seed_draws(error):
    texts = broken(error)
    assert texts == broken(error) and len(texts) > 1
    for text in texts:
        words = zip(CLAUSE.split(), text.split(), strict=True)
        assert sum(one != other for one, other in words) == 1, text


def test_a_square_in_error_is_a_neighbour_and_no_pawn_comes_to_the_last_ranks():
    texts = broken("wrong_square", "the white pawn on e2 is passed")
    assert {text.split()[4] for text in texts} == {"d2", "f2", "d3", "e3", "f3"}
