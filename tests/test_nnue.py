from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np
import pytest
import torch

from chessgloss.assets import AssetMissing
from chessgloss.engine import EngineMissing, find_stockfish
from chessgloss.experts import load_expert
from chessgloss.experts.boards import PIECES, read_boards
from chessgloss.experts.nnue import NnueExpert
from chessgloss.experts.nnue_format import NnueFormatError, read_network
from chessgloss.positions import Position, PositionError
from fakes.nnue_files import slow_evaluation, write_nnue


def random_games(games: int, seed: int) -> Iterator[str]:
    """Yield FENs of random games, captures preferred so that few-piece boards come up."""
    rng = random.Random(seed)
    for _ in range(games):
        board = chess.Board()
        for _ in range(rng.randint(4, 160)):
            moves = list(board.legal_moves)
            if not moves:
                break
            captures = [move for move in moves if board.is_capture(move)]
            board.push(rng.choice(captures if captures and rng.random() < 0.3 else moves))
            if rng.random() < 0.2:
                yield board.fen()


@pytest.fixture(scope="module")
def fens() -> list[str]:
    return list(random_games(30, seed=1))


@pytest.fixture(scope="module")
def made_up_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_nnue(tmp_path_factory.mktemp("nnue") / "made-up.nnue")


@pytest.fixture(scope="module")
def made_up(made_up_file: Path) -> NnueExpert:
    return NnueExpert.from_file(made_up_file)


@pytest.fixture(scope="module")
def made_up_mover(made_up_file: Path) -> NnueExpert:
    return NnueExpert.from_file(made_up_file, view="mover")


@pytest.fixture(scope="module")
def real() -> NnueExpert:
    try:
        expert = load_expert("nnue")
    except AssetMissing as error:
        pytest.skip(f"the NNUE network is not to be had: {error}")
    assert isinstance(expert, NnueExpert)
    return expert


# --- boards -------------------------------------------------------------------------------


def test_boards_agree_with_python_chess(fens: list[str]) -> None:
    boards = read_boards(fens)
    assert set(boards.white_to_move.tolist()) == {True, False}
    for fen, codes, white in zip(fens, boards.squares, boards.white_to_move, strict=True):
        board = chess.Board(fen)
        expected = [
            0 if piece is None else PIECES.index(piece.symbol()) + 1
            for piece in map(board.piece_at, chess.SQUARES)
        ]
        assert codes.tolist() == expected
        assert white == board.turn


def test_the_movers_board_is_that_of_the_mirrored_position(fens: list[str]) -> None:
    black = [fen for fen in fens if " b " in fen]
    mirrored = [chess.Board(fen).mirror().fen() for fen in black]
    assert (read_boards(black).from_mover() == read_boards(mirrored).squares).all()


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1", "eight ranks"),
        ("8/8/8/8/8/8/4k3/8 w - - 0 1", "0 kings for White"),
        ("k7/8/8/8/8/8/8/KK6 w - - 0 1", "2 kings for White"),
        ("k7/8/8/8/8/8/8/K6x w - - 0 1", "eight squares"),
        ("k7/8/8/8/8/8/8/K7 x - - 0 1", "side to move"),
        ("k7/8/8/8/8/8/8/K7", "side to move"),
        ("", "side to move"),
    ],
)
def test_a_bad_fen_is_named_with_its_index(fen: str, reason: str) -> None:
    with pytest.raises(PositionError, match=reason) as error:
        read_boards([chess.STARTING_FEN, fen])
    assert "index 1" in str(error.value)
    assert repr(fen) in str(error.value)


# --- the network's arithmetic --------------------------------------------------------------


def test_evaluation_equals_a_slow_reading_of_the_rules(
    made_up: NnueExpert, made_up_file: Path, fens: list[str]
) -> None:
    network = read_network(made_up_file)
    few = fens[::9]
    expected = [slow_evaluation(network, fen) for fen in few]
    assert made_up.internal_units(few).tolist() == expected
    assert len(set(expected)) > len(few) // 2


def test_evaluation_is_whites_view_in_pawns(made_up: NnueExpert, fens: list[str]) -> None:
    units = made_up.internal_units(fens)
    signs = np.array([1 if " w " in fen else -1 for fen in fens])
    assert np.allclose(made_up.evaluate(fens) * 361, units * signs, atol=1e-3)


def test_mirrored_positions_have_opposite_evaluations(made_up: NnueExpert, fens: list[str]) -> None:
    mirrored = [chess.Board(fen).mirror().fen() for fen in fens]
    assert (made_up.evaluate(mirrored) == -made_up.evaluate(fens)).all()


def test_widths_and_relations_of_the_layers(made_up: NnueExpert, fens: list[str]) -> None:
    layers = {layer: made_up.activations(fens, layer) for layer in made_up.layers}
    for layer, values in layers.items():
        assert values.shape == (len(fens), made_up.width(layer))
        assert values.dtype == np.float32
    clipped = np.clip(layers["accumulators"], 0, 127)
    assert (layers["clipped"] == clipped).all()
    halves = clipped.reshape(-1, 2, 2, 512)
    products = np.floor(halves[:, :, 0] * halves[:, :, 1] / 128)
    assert (layers["pairwise"] == products.reshape(len(fens), -1)).all()


def test_views_differ_in_the_order_of_the_blocks_alone(
    made_up_mover: NnueExpert, made_up: NnueExpert, fens: list[str]
) -> None:
    mover = made_up_mover
    for layer in ("accumulators", "clipped", "pairwise"):
        white_first = made_up.activations(fens, layer).reshape(len(fens), 2, -1)
        own_first = mover.activations(fens, layer).reshape(len(fens), 2, -1)
        for fen, by_colour, by_mover in zip(fens, white_first, own_first, strict=True):
            expected = by_colour if " w " in fen else by_colour[::-1]
            assert (by_mover == expected).all()
        assert (made_up.orientation(layer), mover.orientation(layer)) == ("white", "mover")
    assert made_up.orientation("hidden2") == "mover"


def test_the_mover_sees_a_mirrored_position_as_the_same(
    made_up_mover: NnueExpert, fens: list[str]
) -> None:
    mirrored = [chess.Board(fen).mirror().fen() for fen in fens]
    for layer in made_up_mover.layers:
        own = made_up_mover.activations(fens, layer)
        assert (own == made_up_mover.activations(mirrored, layer)).all()


@pytest.mark.parametrize("layer", ["accumulators", "clipped", "pairwise", "hidden1", "hidden2"])
def test_evaluation_continues_from_every_layer(
    made_up: NnueExpert, made_up_mover: NnueExpert, fens: list[str], layer: str
) -> None:
    for expert in (made_up, made_up_mover):
        given = expert.activations(fens, layer)
        assert (expert.evaluate_from(layer, given, fens) == expert.evaluate(fens)).all()


def test_batches_change_nothing(made_up: NnueExpert, fens: list[str]) -> None:
    whole = made_up.activations(fens, "pairwise")
    parts = list(made_up.stream(iter(fens), "pairwise", batch=7))
    assert {len(part) for part in parts[:-1]} == {7}
    assert (np.concatenate(parts) == whole).all()
    assert (made_up.evaluate(fens, batch=5) == made_up.evaluate(fens)).all()


def test_records_and_fens_are_read_alike(made_up: NnueExpert) -> None:
    position = Position.after(["e2e4", "e7e5", "g1f3"])
    pair = made_up.activations([position, position.fen], "clipped")
    assert (pair[0] == pair[1]).all()


def test_no_positions_give_no_rows(made_up: NnueExpert) -> None:
    assert made_up.activations([], "pairwise").shape == (0, 1024)
    assert made_up.evaluate([]).shape == (0,)
    assert made_up.internal_units([]).shape == (0,)


def test_the_callers_thread_number_is_given_back(made_up: NnueExpert) -> None:
    before = torch.get_num_threads()
    made_up.evaluate([chess.STARTING_FEN])
    assert torch.get_num_threads() == before


def test_progress_goes_to_stderr(
    made_up: NnueExpert, fens: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    made_up.activations(fens, "pairwise", progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert f"{len(fens)}/{len(fens)}" in err


def test_wrong_requests_say_what_is_right(made_up: NnueExpert, fens: list[str]) -> None:
    with pytest.raises(ValueError, match="its layers are accumulators, clipped"):
        made_up.activations(fens, "block0")
    with pytest.raises(ValueError, match=r"pairwise needs shape \(1, 1024\), got \(1, 7\)"):
        made_up.evaluate_from("pairwise", np.zeros((1, 7)), [chess.STARTING_FEN])
    with pytest.raises(ValueError, match="at least 1, got 0"):
        made_up.activations(fens, "pairwise", batch=0)


def test_random_weights_keep_the_scale_and_lose_the_rest(
    made_up_file: Path, made_up: NnueExpert, fens: list[str]
) -> None:
    first, again, other = (
        NnueExpert.from_file(made_up_file, random_weights=seed) for seed in (0, 0, 1)
    )
    assert first.name == "nnue-random-0"
    assert (first.evaluate(fens) == again.evaluate(fens)).all()
    assert (first.evaluate(fens) != other.evaluate(fens)).any()
    assert (first.evaluate(fens) != made_up.evaluate(fens)).any()
    spread = [expert.activations(fens, "accumulators").std() for expert in (first, made_up)]
    assert spread[0] == pytest.approx(spread[1], rel=0.2)


# --- files --------------------------------------------------------------------------------


def test_damaged_or_foreign_files_are_refused(made_up_file: Path, tmp_path: Path) -> None:
    data = made_up_file.read_bytes()
    at = 12 + len("made up for a test")
    cases = {
        "cut.nnue": (data[:-1], "it ends after"),
        "long.nnue": (data + b"\0", "1 bytes are left over"),
        "text.nnue": (b"not a network at all", "its version is"),
        "empty.nnue": (b"", "it ends after 0 bytes"),
        "other.nnue": (data[:at] + b"\1\2\3\4" + data[at + 4 :], "its feature transformer is"),
    }
    for name, (content, reason) in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(NnueFormatError, match=reason) as error:
            read_network(path)
        assert name in str(error.value)
        assert "export_net" in str(error.value)


def test_load_expert_says_what_there_is() -> None:
    with pytest.raises(ValueError, match="choose nnue, leela, onehot or piece_counts"):
        load_expert("maia")  # type: ignore[call-overload]
    with pytest.raises(FileNotFoundError, match="no-such-file"):
        load_expert("nnue", "no-such-file.nnue")
    with pytest.raises(ValueError, match="has no weights"):
        load_expert("onehot", random_weights=1)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="view must be"):
        load_expert("onehot", view="black")  # type: ignore[call-overload]


# --- controls without a network -----------------------------------------------------------


def test_the_one_hot_board_can_be_read_back(fens: list[str]) -> None:
    rows = load_expert("onehot").activations(fens, "board")
    assert rows.shape == (len(fens), 769)
    for fen, row in zip(fens, rows, strict=True):
        board = chess.Board(fen)
        planes = row[:768].reshape(12, 64)
        ones = {(int(plane), int(square)) for plane, square in np.argwhere(planes)}
        pieces = board.piece_map().items()
        assert ones == {(PIECES.index(piece.symbol()), square) for square, piece in pieces}
        assert row[768] == board.turn


def test_controls_in_the_movers_view_are_those_of_the_mirrored_board(fens: list[str]) -> None:
    black = [fen for fen in fens if " b " in fen]
    mirrored = [chess.Board(fen).mirror().fen() for fen in black]
    for name in ("onehot", "piece_counts"):
        mover, white = (load_expert(name, view=view) for view in ("mover", "white"))  # type: ignore[call-overload]
        own = mover.activations(black, "board")[:, :-1]
        assert (own == white.activations(mirrored, "board")[:, :-1]).all()


def test_piece_counts_of_the_first_position() -> None:
    counts = load_expert("piece_counts").activations([chess.STARTING_FEN], "board")
    assert counts.tolist() == [[8, 2, 2, 2, 1, 8, 2, 2, 2, 1, 1]]


# --- the real network against the real engine -----------------------------------------------


@pytest.mark.engine
def test_evaluation_is_what_stockfish_prints(real: NnueExpert, fens: list[str]) -> None:
    try:
        program = find_stockfish()
    except EngineMissing as error:
        pytest.skip(f"no Stockfish to compare with: {error}")
    asked = [fen for fen in fens if not chess.Board(fen).is_check()]
    commands = "".join(f"position fen {fen}\neval\n" for fen in asked) + "quit\n"
    done = subprocess.run([program], input=commands, capture_output=True, text=True, check=True)
    printed = re.findall(r"^NNUE evaluation +(\S+) \(white side\)", done.stdout, re.MULTILINE)
    assert len(printed) == len(asked) > 300
    ours = np.round(real.evaluate(asked).astype(float), 2)
    assert np.abs(ours - np.array(printed, dtype=float)).max() < 1e-9


@pytest.mark.engine
def test_the_real_network_knows_what_a_queen_is_worth(real: NnueExpert) -> None:
    without = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    level, ahead = real.evaluate([chess.STARTING_FEN, without])
    assert abs(level) < 1
    assert ahead > 4


@pytest.mark.engine
def test_steering_along_the_gradient_raises_the_evaluation(
    real: NnueExpert, fens: list[str]
) -> None:
    start = torch.from_numpy(real.activations(fens, "pairwise")).requires_grad_()
    (slope,) = torch.autograd.grad(real.continue_from("pairwise", start, fens).sum(), start)
    steered = (start + 20 * slope / slope.norm(dim=1, keepdim=True)).detach().numpy()
    risen = real.evaluate_from("pairwise", steered, fens) - real.evaluate(fens)
    assert np.mean(risen > 0) > 0.95
