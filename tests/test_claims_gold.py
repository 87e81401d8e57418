from __future__ import annotations

import json
from pathlib import Path

import pytest

from chessgloss.claims import verify
from chessgloss.claims.corrupt import ErrorType, corrupted, minimal_pairs, sentence
from chessgloss.claims.gold import GoldError, check_text, read_gold, score_gold
from chessgloss.claims.hardrule import breaches, most_faithfulness
from chessgloss.corpora.games import read_games
from chessgloss.facts import gather
from chessgloss.positions import MoveInContext, read_fen, read_move

ROOT = Path(__file__).resolve().parents[1]
DEV = ROOT / "data" / "claims" / "dev.jsonl"
GAMES = ROOT / "data" / "games" / "selfplay.tsv.zst"

FIGURE_A6 = "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21"


def line(text: str, *claims: tuple[str, str, str]) -> str:
    labelled = [
        {"span": [text.index(words), text.index(words) + len(words)], "kind": kind,
         "verdict": verdict}
        for words, kind, verdict in claims
    ]  # fmt: skip
    return json.dumps(
        {"id": "one", "fen": FIGURE_A6, "move": "Bxe6+", "text": text, "claims": labelled}
    )


@pytest.fixture(scope="module")
def pairs():
    moves = (
        MoveInContext(game.position(ply), game.moves[ply])
        for game in read_games(GAMES, 300)
        for ply in range(7, len(game.moves), 53)
    )
    return minimal_pairs(moves, 300, seed=3)


def test_accusations_on_the_development_half_are_right_and_few_are_missing():
    scores = score_gold(DEV)
    assert scores["all"].precision >= 0.99
    least = {"move": 0.95, "piece": 0.95, "attack": 0.9, "check": 0.9, "capture": 0.8}
    assert all(scores[kind].recall >= bound for kind, bound in least.items()), scores


def test_no_true_label_is_called_false_on_the_development_half():
    wrong = [
        (gold.key, one.claim.text)
        for gold in read_gold(DEV)
        for one in check_text(gold)
        if one.verdict == "false"
        and any(
            label.verdict == "true"
            and label.span == one.claim.span
            and label.kind == one.claim.kind
            for label in gold.claims
        )
    ]
    assert wrong == []


def test_scores_count_accusations_and_what_they_find(tmp_path: Path):
    path = tmp_path / "gold.jsonl"
    path.write_text(
        line("The bishop takes the knight.", ("takes the knight", "capture", "false"))
        + "\n"
        + line("The rook on a8 is there.", ("The rook on a8", "piece", "false"))  # a wrong label
        + "\n"
        + line("The queen on d4 is there.", ("The queen on d4", "piece", "true"))  # and another
    )
    scores = score_gold(path)
    assert (scores["capture"].precision, scores["capture"].recall) == (1, 1)
    assert (scores["piece"].precision, scores["piece"].recall) == (0, 0)
    assert (scores["mate"].precision, scores["mate"].recall) == (None, None)


def test_equivalent_kinds_count_unless_strict(tmp_path: Path):
    path = tmp_path / "gold.jsonl"
    path.write_text(line("It plays Bxg7.", ("Bxg7", "capture", "false")))
    assert score_gold(path)["move"].precision == 1
    assert score_gold(path, strict=True)["move"].precision == 0


@pytest.mark.parametrize("text", ["{", '{"id": "x"}', line("e4").replace("Bxe6+", "Bxe9")])
def test_a_bad_line_is_named(tmp_path: Path, text: str):
    (tmp_path / "gold.jsonl").write_text(line("Fine.") + "\n" + text)
    with pytest.raises(GoldError, match=r"gold\.jsonl, line 2"):
        list(read_gold(tmp_path / "gold.jsonl"))


def test_minimal_pairs_are_told_apart(pairs):
    for pair in pairs:
        assert {one.verdict for one in verify(pair.true, pair.move)} == {"true"}, pair
        assert "false" in {one.verdict for one in verify(pair.false, pair.move)}, pair


def test_minimal_pairs_differ_in_one_word_and_cover_every_error(pairs):
    assert len(pairs) == 300
    assert {pair.error for pair in pairs} == {"wrong_square", "wrong_piece", "wrong_side"}
    for pair in pairs:
        words = zip(pair.true.split(), pair.false.split(), strict=True)
        assert sum(one != other for one, other in words) == 1, pair


def test_minimal_pairs_are_seeded_and_ask_for_enough_moves():
    move = read_move(read_fen(FIGURE_A6), "Bxe6+")
    assert minimal_pairs([move], 3, seed=1) == minimal_pairs([move], 3, seed=1)
    with pytest.raises(ValueError, match="only 3 of 9 pairs"):
        minimal_pairs([move], 9)


@pytest.mark.parametrize(
    ("error", "expected"),
    [("wrong_side", {"the black pawn on e2 is passed"}), ("wrong_square", None)],
)
def test_corruption_exchanges_one_thing_and_keeps_pawns_off_the_last_ranks(
    error: ErrorType, expected
):
    import random

    found = set(corrupted("the white pawn on e2 is passed", error, random.Random(0)))
    if expected is not None:
        assert found == expected
    assert all("on e1" not in one and "on d1" not in one for one in found)
    assert sentence("the move is good") == "The move is good."


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("The bishop takes the pawn on e6 with check.", []),
        ("The bishop takes the knight on e6.", ["capture"]),
        ("This is checkmate.", ["checkmate"]),
        ("The bishop forks the queen on g8 and the rook on a8.", ["forced tactic or threat"]),
        ("The rook on a8 is hanging.", ["hanging-piece win"]),
        ("A fine move that gains space on the kingside.", []),
        ("The knight on d4 is strong.", []),  # wrong, but none of the rule's events
    ],
)
def test_the_hard_rule_disqualifies_unsupported_events(text: str, events: list[str]):
    facts = gather(read_move(read_fen(FIGURE_A6), "Bxe6+"))
    found = breaches(text, facts)
    assert [one.disqualifier for one in found] == events
    assert most_faithfulness(text, facts) == (1 if events else 5)
