"""Trained models as players: what they say next, and that they never need a board."""

from __future__ import annotations

from collections.abc import Sequence

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from chessgloss.positions import Position
from chessgloss.skill.players import Asked
from chessgloss.tracking import players
from chessgloss.tracking.models import LanguageModel, make_model
from chessgloss.tracking.players import (
    TOO_LONG,
    continue_games,
    tracking_player,
    tracking_players,
)
from chessgloss.tracking.runs import HEADLINE, checkpoint_path, trained_checkpoints
from chessgloss.tracking.settings import Settings
from chessgloss.tracking.tokens import VOCABULARY, VOCABULARY_SIZE

TO_PROMOTE = ["h2h4", "g7g5", "h4g5", "h7h6", "g5h6", "g8f6", "h6h7", "f6g4"]


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return make_model(Settings(layers=1, width=32, heads=2, context=64), seed=0)


def scripted(monkeypatch: pytest.MonkeyPatch, words: str) -> list[list[str]]:
    """Let a model say the words, one after each other; return what it read."""
    left, read = words.split(), list[list[str]]()

    def predict_next(_: LanguageModel, given: Sequence[NDArray]) -> NDArray:
        read.extend([VOCABULARY[one] for one in row] for row in given)
        answers = np.full((len(given), VOCABULARY_SIZE), -9.0, dtype=np.float32)
        answers[:, VOCABULARY.index(left.pop(0))] = -0.1
        answers[:, VOCABULARY.index("N")] += 8.8
        return answers

    monkeypatch.setattr(players, "predict_next", predict_next)
    return read


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("h7 h8 q", "h7h8q"),
        ("h7 h8 n", "h7h8n"),
        ("h7 g8 e5", "h7g8"),
        ("h7 EOS EOS", "h7EOS"),
        ("EOS e2 e4", "EOSe2"),
    ],
)
def test_two_squares_are_a_move_and_a_new_piece_belongs_to_it(
    model: LanguageModel, monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    read = scripted(monkeypatch, words)
    assert continue_games(model, "uci", [TO_PROMOTE]) == [said]
    assert read[0][:4] == ["BOS", "h2", "h4", "g7"]
    assert [one[len(read[0]) :] for one in read] == [[], *_beginnings(words.split())]


def _beginnings(words: list[str]) -> list[list[str]]:
    return [words[: count + 1] for count in range(len(words) - 1)]


def test_a_model_of_types_says_the_type_first(
    model: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = scripted(monkeypatch, "P h7 h8 q")
    assert continue_games(model, "ap", [TO_PROMOTE]) == ["h7h8q"]
    assert read[0][:4] == ["BOS", "P", "h2", "h4"]
    assert read[-1][-3:] == ["P", "h7", "h8"]


def test_a_real_model_is_asked_for_many_games_at_once(model: LanguageModel) -> None:
    games = [TO_PROMOTE[:count] for count in range(len(TO_PROMOTE))]
    for reading in ("uci", "ap"):
        together = continue_games(model, reading, games)
        assert together == [continue_games(model, reading, [one])[0] for one in games]
        assert all(len(one) >= 4 for one in together)


def test_a_game_without_room_for_a_move_gets_none(model: LanguageModel) -> None:
    there_and_back = ["g1f3", "g8f6", "f3g1", "f6g8"] * 8
    said = continue_games(model, "uci", [there_and_back, there_and_back[:-4]])
    assert said[0] == TOO_LONG
    assert said[1] != TOO_LONG


def test_a_player_answers_where_the_game_is_known_and_says_so_where_not() -> None:
    kept = trained_checkpoints()
    assert kept, "no checkpoint is committed"
    player = tracking_player(kept[0])
    after = Position.after(["e2e4", "e7e5"])
    answers = player.choose([Asked("a", after), Asked("b", Position(after.fen))])
    assert player.name == "tracking_s_uci"
    assert answers[0].legal
    assert answers[1].state == "error"


def test_a_trained_model_is_mostly_legal_where_games_begin() -> None:
    random = np.random.default_rng(0)
    asked = []
    for number in range(40):
        board = chess.Board()
        for _ in range(int(random.integers(2, 12))):
            legal = sorted(board.legal_moves, key=chess.Move.uci)
            board.push(legal[int(random.integers(len(legal)))])
        asked.append(Asked(str(number), Position.after([one.uci() for one in board.move_stack])))
    for player in tracking_players():
        legal = [one.legal for one in player.choose(asked)]
        assert np.mean(legal) > 0.4, player.name


def test_the_players_are_those_trained_on_the_most_games() -> None:
    names = [player.name for player in tracking_players()]
    largest = {run[0].lower() for run in trained_checkpoints()}
    assert names
    assert {name.split("_")[1] for name in names} <= largest
    assert len(names) <= sum(run.startswith(("L", "M")) for run in HEADLINE)


def test_a_run_without_a_checkpoint_says_how_to_train_it(tmp_path) -> None:
    assert tracking_players(tmp_path) == []
    assert checkpoint_path("S-uci-1", tmp_path).parent.name == "checkpoints"
    with pytest.raises(FileNotFoundError, match="retrain S-uci-1"):
        tracking_player("S-uci-1", tmp_path)
