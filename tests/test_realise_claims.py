"""Sentences of the realiser held against the checker of claims, which was written apart from it.

The realiser tells facts only, so that a claim found false is a fault of one or the other. At most
one claim in five hundred may be in dispute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from chessgloss.claims import verify
from chessgloss.commentary.template import every_sentence, realise
from chessgloss.corpora.games import read_games
from chessgloss.facts import Facts, gather
from chessgloss.positions import MoveInContext

GAMES = Path(__file__).resolve().parents[1] / "data/games/selfplay.tsv.zst"


def sampled_facts(count: int) -> Iterator[Facts]:
    """Facts of one move of each of ``count`` self-play games, at all stages."""
    for number, game in enumerate(read_games(GAMES, count)):
        ply = number * 37 % len(game.moves)
        yield gather(MoveInContext(game.position(ply), game.moves[ply]))


def judged(texts: Iterator[tuple[str, Facts]]) -> Counter[str]:
    """Count the verdicts on the claims of texts."""
    return Counter(one.verdict for text, facts in texts for one in verify(text, facts.move))


def test_the_claims_of_comments_are_true():
    facts = list(sampled_facts(300))
    found = judged((realise(one, seed=seed).text, one) for one in facts for seed in range(2))
    assert found["true"] > 2_000
    assert found["false"] <= found["true"] / 500
    assert found["not checkable"] < found["true"] / 20


@pytest.mark.slow
def test_the_claims_of_every_phrasing_are_true():
    facts = list(sampled_facts(60))
    found = judged((text, one) for one in facts for text in every_sentence(one))
    assert found["true"] > 2_000
    assert found["false"] <= found["true"] / 500


def test_a_comment_on_another_move_is_found_out():
    facts = list(sampled_facts(120))
    found = judged((realise(one).text, two) for one, two in pairwise(facts))
    assert found["false"] > found["true"] / 3
