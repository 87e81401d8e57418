"""Hidden states, board probes and attacks of models of games, on tiny models."""

from dataclasses import replace

import chess
import numpy as np
import pandas as pd
import pytest
import torch

from chessgloss.positions import Position
from chessgloss.tracking import world_model
from chessgloss.tracking.games import read_moves, tokenise
from chessgloss.tracking.models import (
    LanguageModel,
    Settings,
    continue_games,
    make_model,
)
from chessgloss.tracking.sources import play_random_game

SMALL = Settings(layers=2, width=32, heads=2, context=320, dropout=0.0)
PLAYED = [play_random_game(plies, 5, plies) for plies in (12, 31, 24)]
PROMOTED = ["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "c8b7", "a6b7", "g8f6", "b7a8q"]


@pytest.fixture(params=[SMALL, replace(SMALL, mixing=True)])
def model(request: pytest.FixtureRequest) -> LanguageModel:
    return make_model(request.param, seed=2).eval()


def random_moves(boards: list[chess.Board]) -> list[chess.Move]:
    random = np.random.default_rng(len(boards[0].move_stack))
    chosen = []
    for board in boards:
        legal = list(board.legal_moves)
        chosen.append(legal[random.integers(len(legal))])
    return chosen


# ---------------------------------------------------------------- hidden states


@pytest.mark.parametrize("reading", ["uci", "ap"])
def test_states_are_those_after_the_move_s_last_token(model, reading):
    games = [*PLAYED, PROMOTED]
    rows = [
        (0, 5),
        (0, 12),
        (3, 9),
        (1, 30),
    ]
    positions = pd.DataFrame(rows, columns=["game", "ply"])
    states = world_model.hidden_states(model, reading, tokenise(games), positions)
    layers_read = SMALL.layers + 1
    assert states.shape == (layers_read, len(rows), SMALL.width)
    for row, (game, ply) in enumerate(rows):
        (read,) = read_moves([games[game][:ply]], reading)
        ids = torch.from_numpy(read.astype(np.int64))
        with torch.no_grad():
            alone = model.states(ids[None])[0, -1]
            assert torch.allclose(
                model.norm(states[-1, row]),
                alone,
                atol=1e-4,
            )
    assert not any(block._forward_hooks for block in model.body.blocks)


def test_a_probe_finds_what_is_linear_and_no_more():
    generator = torch.Generator().manual_seed(0)
    states = 3 + 5 * torch.randn(1200, 20, generator=generator)
    squares = np.zeros((1200, 64), dtype=np.uint8)
    squares[:, 10] = np.where(states[:, 3] > 3, 4, 12)
    squares[:, 11] = np.random.default_rng(0).integers(2, size=1200)
    training = (states[:900], squares[:900])
    probe = world_model.fit_board_probe(*training, seed=1, epochs=40)
    read = probe(states[900:]).view(-1, 64, 13).argmax(dim=2).numpy()
    right = (read == squares[900:]).mean(axis=0)
    assert right[11] < 0.65 < 0.95 < right[10]
    assert (np.delete(right, [10, 11]) == 1).all()


# ---------------------------------------------------------------- attacks


def test_an_attack_ends_at_the_first_illegal_answer(model):
    openings = [game[:10] for game in PLAYED]
    table = world_model.attack(model, "uci", openings, random_moves)
    for row in table.itertuples():
        moves = row.moves.split()
        board = Position.after(moves).board()
        legal = [move.uci() for move in board.legal_moves]
        assert row.illegal not in legal
        assert continue_games(model, "uci", [moves]) == [row.illegal]
        assert len(moves) == 10 + 2 * row.answers - 1


def scripted(_: object, reading: str, games: list[list[str]]) -> list[str]:
    """Play the first legal move, in place of ``continue_games``; illegal ones before it raise."""
    boards = [Position.after(moves).board() for moves in games]
    return [next(iter(board.legal_moves)).uci() for board in boards]


def test_a_model_that_answers_legally_is_not_beaten(model, monkeypatch):
    monkeypatch.setattr(world_model, "continue_games", scripted)
    table = world_model.attack(
        model,
        "uci",
        [["e2e4", "e7e5"], []],
        random_moves,
    )
    assert set(table["illegal"]) == {""}
    assert (table["answers"] <= world_model.ANSWERS).all()
