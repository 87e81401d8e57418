import threading
import time

import chess
import numpy as np
import pytest

from chessgloss import oracle as oracles
from chessgloss.engine import EngineFailed, EngineMissing
from chessgloss.oracle import STOCKFISH_8, TERMS, Oracle, Status, TermTable, read_tables
from fakes import children
from fakes.oracles import materials, random_fens, scripted, term
from scripts import or_skip, refuses

pytestmark = pytest.mark.usefixtures("no_process_left")

NO_CHECKS = np.zeros(3, bool)
IN_CHECK = "4k3/8/8/8/7b/8/8/3QK3 w - - 0 1"
KING_AND_QUEEN = "4k3/8/8/8/8/8/8/3QK3 b - - 0 1"
# White lacks a knight, Black a knight and a bishop.
BISHOP_UP = "r2qkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1"
TWO_QUEENS_UP = "4k3/pppp4/8/8/8/8/PPPPPPPP/QNBQKBNR w K - 0 1"
WHITE, BLACK = (
    [TERMS.index(name) for name in TERMS if name.startswith(side)]
    for side in ("White", "Black")
)

# Printed by Stockfish 8 (npm 8.0.0) for the starting position.
START_TRACE_8 = b"""\
      Eval term |    White    |    Black    |    Total    \n\
                |   MG    EG  |   MG    EG  |   MG    EG  \n\
----------------+-------------+-------------+-------------\n\
       Material |   ---   --- |   ---   --- |  0.00  0.00 \n\
      Imbalance |   ---   --- |   ---   --- |  0.00  0.00 \n\
          Pawns |   ---   --- |   ---   --- |  0.00  0.00 \n\
        Knights |  0.13  0.00 |  0.13  0.00 |  0.00  0.00 \n\
         Bishop | -0.13 -0.39 | -0.13 -0.39 |  0.00  0.00 \n\
          Rooks | -0.28  0.00 | -0.28  0.00 |  0.00  0.00 \n\
         Queens |  0.00  0.00 |  0.00  0.00 |  0.00  0.00 \n\
       Mobility | -0.76 -0.87 | -0.76 -0.87 |  0.00  0.00 \n\
    King safety |  0.97 -0.06 |  0.97 -0.06 |  0.00  0.00 \n\
        Threats |  0.00  0.10 |  0.00  0.10 |  0.00  0.00 \n\
   Passed pawns |  0.00  0.00 |  0.00  0.00 |  0.00  0.00 \n\
          Space |  0.46  0.00 |  0.46  0.00 |  0.00  0.00 \n\
----------------+-------------+-------------+-------------\n\
          Total |   ---   --- |   ---   --- |  0.00  0.00 \n\
\n\
Total Evaluation: 0.08 (white side)\n\
\n"""


def numbered_fens(count: int) -> list[str]:
    return [f"4k3/8/8/8/8/8/8/4K2R w - - 0 {number + 1}" for number in range(count)]


def evaluate(fens: list[str], oracle: Oracle, processes: int = 1) -> TermTable:
    return oracles.evaluate_terms(fens, oracle, processes=processes, progress=False)


def same(one: TermTable, two: TermTable) -> bool:
    pairs = zip(one.arrays().values(), two.arrays().values(), strict=True)
    return all(np.array_equal(left, right, equal_nan=True) for left, right in pairs)


@pytest.fixture(scope="session", params=[oracles.stockfish8, oracles.stockfish15])
def real_oracle(request):
    return or_skip(request.param)


# Reading tables


def test_a_table_read_by_hand():
    table = read_tables(START_TRACE_8, NO_CHECKS[:1], STOCKFISH_8)
    sides = [0.13, -0.13, -0.28, 0, -0.76, 0.97, 0, 0.46, 0]  # each White's and Black's
    assert table.middlegame[0].tolist() == pytest.approx(
        [0, 0, 0, *np.repeat(sides, 2)]
    )
    assert table.endgame[0, TERMS.index("Black Threats")] == pytest.approx(0.10)
    assert table.total.tolist() == [pytest.approx(0.08)]


@pytest.mark.parametrize("value", ["-123.45", "100.00", "-0.50"])
def test_wide_numbers_keep_sign_and_digits(value):
    widened = START_TRACE_8.replace(b"  0.46  0.00", f"{value:>6} {value}".encode(), 1)
    table = read_tables(widened, NO_CHECKS[:1], STOCKFISH_8)
    assert table.endgame[0, TERMS.index("White Space")] == np.float32(value)


def test_a_table_that_lacks_a_number_is_refused():
    raw = START_TRACE_8 + START_TRACE_8.replace(b" 0.46", b"", 1)
    words = "125 numbers in the tables of 2 positions"
    given = (raw, NO_CHECKS[:2], STOCKFISH_8)
    refuses(oracles.TraceError, words, read_tables, *given)


@pytest.mark.parametrize("width", [1, 7, 500, 10_000])
def test_tables_survive_any_cut_between_two_reads(monkeypatch, width):
    raw = START_TRACE_8 * 3
    pieces = iter([raw[start : start + width] for start in range(0, len(raw), width)])
    with oracles.run_oracle(scripted()) as process:
        monkeypatch.setattr(
            process, "_read", lambda: process._buffer.extend(next(pieces))
        )
        answers = [process._answer(STOCKFISH_8.closing, count) for count in (2, 1)]
    for answer, count in zip(answers, (2, 1), strict=True):
        whole = read_tables(START_TRACE_8 * count, NO_CHECKS[:count], STOCKFISH_8)
        assert same(read_tables(answer, NO_CHECKS[:count], STOCKFISH_8), whole)


def test_check_is_seen_as_python_chess_sees_it():
    fens = random_fens(3_000, seed=5)
    seen = [oracles.in_check(fen) for fen in fens]
    assert (
        seen == [chess.Board(fen).is_check() for fen in fens] and 50 < sum(seen) < 2_000
    )


# The contract, against a scripted engine


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_order_is_kept_and_a_position_given_twice_is_evaluated_once(processes):
    fens = numbered_fens(600)
    table = evaluate([*fens, fens[5], fens[0]], scripted(), processes)
    per_lane = 600 // processes
    assert materials(table) == [*(row % per_lane + 1 for row in range(600)), 6, 1]


@pytest.mark.parametrize("fault", ["crash", "hang", "garbage", "babble"])
def test_a_failure_that_does_not_come_back_costs_nothing(tmp_path, fault):
    once = str(tmp_path / "failed-before")
    oracle = scripted("--fault", fault, "--on", " 0 300", "--once", once, timeout=3.0)
    table = evaluate(numbered_fens(400), oracle)
    assert (tmp_path / "failed-before").exists()
    assert term(table, "White Knights").tolist() == [0.25] * 400


@pytest.mark.parametrize("fault", ["crash", "hang", "garbage"])
def test_the_position_that_breaks_the_engine_is_named(fault):
    fens = numbered_fens(400)
    oracle = scripted("--fault", fault, "--on", fens[299], timeout=2.0)
    refuses(EngineFailed, f"failed twice on '{fens[299]}'", evaluate, fens, oracle, 2)


@pytest.mark.parametrize(
    ("oracle", "error", "named"),
    [
        (
            scripted("--banner", "Stockfish 17"),
            EngineMissing,
            r"Stockfish 17.*not Stockfish\.js 8",
        ),
        (
            Oracle("absent", ("/nowhere/engine",), "", STOCKFISH_8),
            EngineMissing,
            "/nowhere/engine",
        ),
        (
            Oracle("dying", ("false",), "", STOCKFISH_8),
            EngineFailed,
            "dying does not start",
        ),
    ],
)
def test_an_engine_that_is_none_or_another_is_named(oracle, error, named):
    refuses(error, named, evaluate, numbered_fens(1), oracle)


@pytest.mark.parametrize(
    "fen",
    ["no position", "4k3/8/8/8/8/8/8/4K3 w - -", f"{chess.STARTING_FEN}\nquit"],
)
def test_a_text_that_is_no_fen_never_reaches_the_engine(fen):
    given = ([chess.STARTING_FEN, fen], Oracle("none", (), "", STOCKFISH_8))
    words = "position 1 is no six-field FEN"
    refuses(ValueError, words, oracles.evaluate_terms, *given)


def test_an_interrupt_ends_the_engines(monkeypatch):
    def interrupted_wait(*_, **__):
        while not children() - before:
            time.sleep(0.01)
        raise KeyboardInterrupt

    before = children()
    monkeypatch.setattr(oracles, "wait", interrupted_wait)
    oracle = scripted("--fault", "hang", "--on", "position")
    with pytest.raises(KeyboardInterrupt):
        oracles.evaluate_terms(numbered_fens(9), oracle, progress=False)
    assert not [each for each in threading.enumerate() if "ThreadPool" in each.name]


def test_stockfish_8_is_found_above_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.delenv("CHESSGLOSS_STOCKFISH8", raising=False)
    package = tmp_path / "node_modules" / "stockfish"
    (package / "src").mkdir(parents=True)
    (package / "package.json").write_text('{"version": "8.0.0"}')
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    assert or_skip(oracles.find_stockfish8)[1] == str(package / "src" / "stockfish.js")


# The real engines


@pytest.mark.engine
def test_known_positions(real_oracle):
    fens = [chess.STARTING_FEN, IN_CHECK, KING_AND_QUEEN, BISHOP_UP, TWO_QUEENS_UP]
    start, check, ending, bishop, decided = range(len(fens))
    table = evaluate(fens, real_oracle)
    stockfish_15 = real_oracle.trace is oracles.STOCKFISH_15

    assert table.status[[start, bishop]].tolist() == [Status.OK] * 2
    if not stockfish_15:
        assert same(
            table.take([start]), read_tables(START_TRACE_8, NO_CHECKS[:1], STOCKFISH_8)
        )

    # A bishop is worth between two and five pawns (Stockfish 8 3.2, Stockfish 15.1 2.3).
    assert 2 < term(table, "Material")[bishop] < 5 and 1 < table.total[bishop] < 6

    assert table.status[check] == Status.IN_CHECK
    assert np.isnan(table.middlegame[check]).all() == stockfish_15

    assert table.status[ending] == Status.SPECIALISED_ENDING
    assert np.isnan(table.middlegame[ending]).all() and table.total[ending] > 10

    assert table.status[decided] == (Status.LAZY if stockfish_15 else Status.OK)
    assert np.isnan(table.middlegame[decided, 3:]).all() == stockfish_15
    assert term(table, "Material")[decided] > 15


@pytest.mark.engine
def test_swapping_the_colours_swaps_the_terms(real_oracle):
    fens = [fen for fen in random_fens(200, seed=3) if not oracles.in_check(fen)]
    flipped = [chess.Board(fen).mirror().fen() for fen in fens]
    both = evaluate(fens + flipped, real_oracle)
    rows = np.arange(len(fens))
    table = both.take(rows)
    mirror = both.take(rows + len(fens))
    assert table.status.tolist() == mirror.status.tolist()
    for name in ("middlegame", "endgame"):
        own, other = getattr(table, name), getattr(mirror, name)
        np.testing.assert_array_equal(own[:, WHITE], other[:, BLACK])
        np.testing.assert_array_equal(own[:, BLACK], other[:, WHITE])
        np.testing.assert_allclose(own[:, :3], -other[:, :3], atol=0.011)


@pytest.mark.engine
def test_the_networks_evaluation_is_whites_and_printed_out_of_check_only(stockfish):
    white, black = oracles.network_evaluations(
        [BISHOP_UP, chess.Board(BISHOP_UP).mirror().fen()]
    )
    assert white > 1 and black == -white
    fens = [BISHOP_UP, IN_CHECK]
    refuses(ValueError, "1 evaluations of 2", oracles.network_evaluations, fens)
