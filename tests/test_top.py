"""The names at the top of the package: what they take, what they refuse, in several threads."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import chess
import chess.engine
import pytest

import chessgloss
from chessgloss.facts.change import ConceptChange
from chessgloss.positions import MoveError, MoveInContext, Position, PositionError
from fakes.analyses import by_material
from scripts import FIGURE_A6, PROJECT, refuses

START = chess.STARTING_FEN
E4 = Position.after(["e2e4"])


def material(positions, nodes, lines):
    return [*map(by_material, positions)]


@pytest.fixture
def annotator():
    return chessgloss.Annotator(material)


# ---------------------------------------------------------------- a move


def test_a_board_keeps_its_history():
    board = chess.Board()
    for san in ("Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1"):
        board.push_san(san)
    move = chessgloss.read_move(board, "Ng8")
    assert len(move.position.moves) == 7
    assert move.after().board().is_repetition(3)
    assert board.move_stack[-1].uci() == "f3g1", "the board is left as it was"


def test_a_history_begins_behind_the_last_pass():
    board = chess.Board()
    for move in ("e2e4", "0000", "d2d4", "d7d5"):
        board.push_uci(move)
    read = chessgloss.read_move(board, "exd5")
    assert read.position.moves == ("d2d4", "d7d5")
    assert read.position.board().fen() == board.fen()


@pytest.mark.parametrize(
    "given",
    [
        (chess.Board(), "e4"),
        (chess.Board(), chess.Move.from_uci("e2e4")),
        (START, "e2e4"),
        (Position(START), "1. e4!"),
        (MoveInContext(Position(START), "e2e4"),),
    ],
)
def test_a_move_is_given_in_any_form(given, annotator):
    expected = MoveInContext(Position(START), "e2e4")
    assert chessgloss.read_move(*given) == expected
    assert annotator.brief(*given).move == expected
    assert annotator.comment(*given).method == "notes"
    (checked,) = chessgloss.check("White captures a pawn.", *given)
    assert checked.verdict == "false"


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ((5, "e4"), TypeError, "position must be a chess.Board, a FEN, .*, not int"),
        ((START, 5), TypeError, "move must be .*, not int"),
        ((MoveInContext(E4, "e7e5"), "e5"), TypeError, "has its move already"),
        ((chess.Board(chess960=True), "e4"), PositionError, "rules of Chess960"),
        ((chess.Board(None), "e4"), PositionError, "no white king"),
        ((START, chess.Move.null()), MoveError, "not a legal move"),
        ((START, chess.Move.from_uci("e2e5")), MoveError, "'e2e5' is not a legal"),
        ((START, "Sf3"), MoveError, "Sf3.*in the letters of another.*de .German"),
    ],
)
def test_what_is_no_move_is_refused_in_words(given, error, words, annotator):
    for call in (
        chessgloss.read_move,
        chessgloss.comment,
        chessgloss.rank_concepts,
        lambda *given: chessgloss.check("A move.", *given),
    ):
        refuses(error, words, call, *given)


def test_other_arguments_are_refused_in_words(annotator):
    move = chessgloss.read_move(START, "e4")
    briefing = annotator.brief(move)
    refuses(TypeError, "text comes first", chessgloss.check, move, "A move.")
    refuses(TypeError, "method='ccc'", chessgloss.comment, briefing, "ccc")
    refuses(TypeError, "engine must be one of", chessgloss.brief, move, engine=object())
    refuses(ValueError, "no engine: write `with", chessgloss.Annotator().brief, move)
    refuses(ValueError, "de German", chessgloss.read_move, START, "e4", language="xx")


def test_a_move_is_read_in_another_language():
    for language, text in (("de", "Sf3"), ("German", "Sg1–f3"), ("ru", "Кf3")):
        assert chessgloss.read_move(START, text, language=language).uci == "g1f3"
    with pytest.warns(UserWarning, match="Sxf3 is read as Nf3"):
        chessgloss.read_move(START, "Sxf3", language="de")


# ---------------------------------------------------------------- what is known, as JSON


def test_a_briefing_is_given_as_json(annotator):
    board = chess.Board()
    board.push_san("e4")
    briefing = annotator.brief(board, "e5")
    known = json.loads(briefing.to_json())
    assert (known["history"], known["move"]) == (["e2e4"], {"uci": "e7e5", "san": "e5"})
    assert known["verdict"]["engine"] == "Scripted 1"


def test_a_briefing_brings_the_engines_opinion(annotator):
    briefing = annotator.brief(FIGURE_A6, "Bxe6+")
    text = "It is a blunder."
    alone = chessgloss.check(text, FIGURE_A6, "Bxe6+")
    known = chessgloss.check(text, briefing)
    assert alone[0].verdict != known[0].verdict


# ---------------------------------------------------------------- kept at hand


@pytest.mark.engine
@pytest.mark.usefixtures("no_process_left")
def test_an_annotator_starts_what_is_not_given_and_ends_it(stockfish):
    said: list[str] = []
    ranked = (ConceptChange("Threats", "White", 0.0, 1.0, 1.5, 1),)
    with chessgloss.Annotator(
        concepts=lambda move: ranked, nodes=(10, 10), say=said.append
    ) as annotator:
        briefing = annotator.brief(E4.board(), "e5")
        assert annotator.brief(E4, "e5") == briefing
    assert briefing.concepts == ranked and not said
    with pytest.raises(RuntimeError):
        annotator.brief(E4, "e5")


@pytest.mark.engine
@pytest.mark.usefixtures("no_process_left")
def test_an_engine_that_is_lent_is_left_running(stockfish):
    with chess.engine.SimpleEngine.popen_uci(str(stockfish)) as simple:
        with ThreadPoolExecutor(2) as pool:

            def brief(move):
                return chessgloss.brief(E4, move, nodes=300, engine=simple, concepts=())

            found = list(pool.map(brief, ["e5", "c5", "e6"], timeout=60))
        assert {each.before.engine for each in found} == {simple.id["name"]}
        assert simple.ping() is None


#: What anybody would write first.
FIVE_LINES = """
import chess, chessgloss
from concurrent.futures import ThreadPoolExecutor
with chessgloss.Annotator(nodes=(2_000, 2_000)) as a, ThreadPoolExecutor(2) as pool:
    board = chess.Board()
    print(*pool.map(lambda move: a.comment(board, move).text, list(board.legal_moves)[:6]), sep="|")
"""


@pytest.mark.engine
def test_five_lines_with_a_board_run_in_two_threads(stockfish):
    assert len(light(code=FIVE_LINES).stdout.split("|")) == 6


# ---------------------------------------------------------------- the package


def test_the_names_at_the_top_are_those_that_are_meant():
    space: dict[str, object] = {}
    exec("from chessgloss import *", space)
    assert {*space} - {"__builtins__"} == {*chessgloss.__all__}
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = chessgloss.nothing


#: Packages that only studies need, and a language model's.
HEAVY = (
    "torch pandas pyarrow sklearn scipy joblib matplotlib openai statsmodels zstandard"
)
HEAVY += " krippendorff pooch requests jinja2 sacrebleu rouge_score"
#: Runs a command where they cannot be imported.
LIGHT = f"""
import sys
sys.modules.update(dict.fromkeys({HEAVY.split()}))
from chessgloss import cli
sys.exit(cli.main(sys.argv[1:]))
"""
MOVE = ("--fen", FIGURE_A6, "--move", "Bxe6+")


def light(*words: str, stdin: str = "", code: str = LIGHT):
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, cwd=PROJECT, timeout=300
    )


@pytest.mark.engine
@pytest.mark.parametrize("command", ["comment", "annotate", "ask", "claims"])
def test_the_commands_need_no_package_of_the_studies(stockfish, command, tmp_path):
    game = tmp_path / "game.pgn"
    game.write_text("1. f3 e5 2. g4 Qh4# 0-1\n")
    nodes = ("--nodes", "2000")
    words = {
        "comment": (*MOVE, *nodes, "--json"),
        "annotate": (str(game), *nodes, "--html", str(tmp_path / "page.html")),
        "ask": (*MOVE, *nodes),
        "claims": (*MOVE, "--text", "White takes with check."),
    }
    done = light(command, *words[command], stdin="Why not Qxe5?\n")
    assert done.returncode == 0, done.stderr
    assert command != "comment" or json.loads(done.stdout)["concepts"], done.stderr


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("survey", "read", "x", "--key", "y"), "pip install 'chessgloss[research]'"),
        (("comment", *MOVE, "--method", "bare"), "pip install 'chessgloss[model]'"),
    ],
)
def test_what_an_extra_brings_is_named_in_one_line(words, remedy, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    done = light(*words)
    (line,) = done.stderr.strip().splitlines()
    assert (done.returncode, line.endswith(remedy)) == (2, True), line


def test_a_study_names_the_extra_that_it_needs():
    code = LIGHT.replace("from chessgloss import cli", "import chessgloss.skill")
    done = light(code=code)
    assert done.stderr.strip().endswith("run: pip install 'chessgloss[research]'")
