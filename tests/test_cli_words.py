from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest

from chessgloss import cli_words, engine, prioritise
from chessgloss.commentary.annotate import read_games
from chessgloss.engine import Analysis, Line
from chessgloss.facts.exchange import balance
from chessgloss.positions import Position
from chessgloss.priorities import ConceptChange, Priorities
from fakes.scripted_llm import scripted_llm

PGN = Path(__file__).resolve().parents[1] / "data" / "pgn"
START = chess.STARTING_FEN
#: The CCC paper's Figure A6: a bishop takes a pawn with check.
FIGURE_A6 = "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21"

#: Runs the commands as the command line does.
RUNNER = """
import argparse, sys
from chessgloss import cli_words
parser = argparse.ArgumentParser()
cli_words.add_words(parser.add_subparsers(dest="command", required=True))
given = parser.parse_args()
sys.exit(given.run(given))
"""


def by_material(position: Position, lines: int) -> Analysis:
    board, found = chess.Board(position.fen), []
    for move in sorted(board.legal_moves, key=chess.Move.uci):
        board.push(move)
        value = 100 * balance(board)
        board.pop()
        score = chess.engine.PovScore(chess.engine.Cp(value), chess.WHITE)
        seen = chess.engine.PovScore(score.pov(board.turn), board.turn)
        found.append(Line((move.uci(),), seen, 1))
    found.sort(key=lambda line: line.score.relative, reverse=True)
    return Analysis(position, tuple(found[:lines]), 100, "Scripted 1")


class ScriptedEngine:
    """Counts material one ply deep."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def analyse(self, position, *, nodes, multipv):
        return by_material(position, multipv)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scripted engine, a scripted ranking of concepts, and no model."""
    monkeypatch.setattr(engine, "open_engine", ScriptedEngine)
    monkeypatch.setattr(
        engine,
        "analyse_many",
        lambda positions, *, nodes, multipv, processes: [
            by_material(position, multipv) for position in positions
        ],
    )
    monkeypatch.setattr(prioritise, "load_method", lambda: None)
    monkeypatch.setattr(
        prioritise,
        "prioritise",
        lambda position, uci: Priorities(
            cli_words_move(position, uci),
            "default",
            (ConceptChange("Threats", "White", 0.0, 1.0, 1.5, 1),),
        ),
    )
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "CHESSGLOSS_MODEL"):
        monkeypatch.delenv(name, raising=False)


def cli_words_move(position, uci):
    from chessgloss.positions import MoveInContext

    return MoveInContext(position, uci)


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    cli_words.add_words(parser.add_subparsers(dest="command", required=True))
    given = parser.parse_args(arguments)
    return given.run(given)


# ---------------------------------------------------------------- comment


def test_a_comment_says_what_wrote_it(scripted, capsys):
    assert run("comment", "--fen", FIGURE_A6, "--move", "21. Bxe6+") == 0
    text, used = capsys.readouterr().out.splitlines()
    assert text.startswith("21. Bxe6+: ")
    assert "e6" in text
    assert used == "(template, no model; Scripted 1, 100 nodes)"


@pytest.mark.parametrize("move", ["Bxe6+", "21. Bxe6+", "f5e6"])
def test_the_json_has_what_other_programs_read(scripted, capsys, move: str):
    assert run("comment", "--fen", FIGURE_A6, "--move", move, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told) == ["comment", "method", "model", "verdict", "concepts", "facts", "claims"]
    assert (told["method"], told["model"]) == ("template", None)
    assert told["concepts"] == [{"name": "White Threats", "change": 1.5}]
    assert told["verdict"]["engine"] == "Scripted 1"
    capture = next(fact for fact in told["facts"] if fact["kind"] == "capture")
    assert capture["squares"] == ["f5", "e6"]
    assert capture["side"] == "White"
    assert capture["text"] == "the white bishop on f5 takes the black pawn on e6"
    for claim in told["claims"]:
        start, end = claim["span"]
        assert told["comment"][start:end] == claim["text"]
        assert claim["verdict"] != "false"


@pytest.mark.parametrize(
    ("fen", "move", "words"),
    [
        (START, "e5", "'e5' is not a legal move for White"),
        (START, "Qh5", "not a legal move"),
        (START, "", "not a legal move"),
        ("8/8/8 w", "e4", "3|2 of 6 fields"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1", "e4", "no white king"),
        (FIGURE_A6.replace(" w ", " b "), "Bxe6+", "not a legal"),
    ],
)
def test_bad_input_is_refused_before_an_engine_starts(monkeypatch, fen, move, words):
    monkeypatch.setattr(engine, "open_engine", lambda: pytest.fail("an engine was started"))
    for command in ("comment", "ask"):
        with pytest.raises(ValueError, match=words) as caught:
            run(command, "--fen", fen, "--move", move)
        assert "\n" not in str(caught.value)


def test_bad_options_are_named(scripted):
    move = ("comment", "--fen", START, "--move", "e4")
    with pytest.raises(ValueError, match="no method 'magic'; choose one of template, llm"):
        run(*move, "--method", "magic")
    with pytest.raises(ValueError, match="--nodes must be positive, got 0"):
        run(*move, "--nodes", "0")
    with pytest.raises(ValueError, match=r"OPENAI_BASE_URL.*model serve"):
        run(*move, "--method", "llm")


def test_a_missing_network_leaves_the_concepts_out_and_says_so(scripted, capsys, monkeypatch):
    def missing():
        raise ValueError("weights are missing; make them")

    monkeypatch.setattr(prioritise, "load_method", missing)
    assert run("comment", "--fen", START, "--move", "e4", "--json") == 0
    seen = capsys.readouterr()
    assert json.loads(seen.out)["concepts"] == []
    assert "no concepts: weights are missing; make them" in seen.err


# ---------------------------------------------------------------- with a model


@pytest.fixture
def with_model(scripted, monkeypatch: pytest.MonkeyPatch):
    def serve(*script: str):
        serving = scripted_llm(*script)
        llm = serving.__enter__()
        opened.append(serving)
        monkeypatch.setenv("OPENAI_BASE_URL", llm.url)
        monkeypatch.setenv("CHESSGLOSS_MODEL", "scripted-1")
        return llm

    opened: list = []
    yield serve
    for serving in opened:
        serving.__exit__(None, None, None)


def test_a_model_is_used_where_one_is_set_and_named(with_model, capsys):
    llm = with_model("text:Thoughts: none.\nComment: The bishop takes on e6 with check.")
    assert run("comment", "--fen", FIGURE_A6, "--move", "Bxe6+", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["comment"] == "The bishop takes on e6 with check."
    assert (told["method"], told["model"]) == ("ccc", "scripted-1")
    assert "Bxe6+" in llm.asked[0]["messages"][-1]["content"]
    assert any(claim["verdict"] == "true" for claim in told["claims"])


@pytest.mark.parametrize("script", ["refused:I cannot", "empty", "text:no mark here"])
def test_without_a_usable_comment_the_facts_speak_and_say_so(with_model, capsys, script: str):
    with_model(script)
    assert run("comment", "--fen", FIGURE_A6, "--move", "Bxe6+") == 0
    seen = capsys.readouterr()
    assert "(template, no model" in seen.out
    assert "the facts speak instead" in seen.err


def test_an_explicit_template_asks_no_model(with_model, capsys):
    llm = with_model()
    assert run("comment", "--fen", START, "--move", "e4", "--method", "template") == 0
    assert llm.asked == []


# ---------------------------------------------------------------- annotate


def test_a_game_is_annotated_into_a_pgn_and_a_page(scripted, capsys, tmp_path: Path):
    target, page = tmp_path / "out.pgn", tmp_path / "game.html"
    source = str(PGN / "variations.pgn")
    assert run("annotate", source, "-o", str(target), "--html", str(page)) == 0
    (game,) = read_games(target)
    assert game.headers["White"] == "Иванова, Анна"
    assert game.headers["ChessglossAnnotator"].startswith("template, no model; Scripted 1")
    assert game.next().eval() is not None
    assert "<title>Иванова, Анна – Grünfeld-Sommer, Jörg</title>" in page.read_text("utf-8")
    assert "comments on 25 plies" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.html", "out.pgn"]


def test_without_a_target_the_pgn_is_printed(scripted, capsys):
    assert run("annotate", str(PGN / "variations.pgn")) == 0
    printed = chess.pgn.read_game(io.StringIO(capsys.readouterr().out))
    assert printed is not None and not printed.errors
    assert printed.headers["Round"] == "3"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("chess960.pgn", None, "variant 'Chess960'"),
        ("empty.pgn", "", "holds no game"),
        ("blank.pgn", '[Event "x"]\n\n*\n', "no moves"),
        ("missing.pgn", None, "No such file"),
    ],
)
def test_games_that_cannot_be_annotated_are_refused(scripted, tmp_path, name, text, words):
    path = PGN / name if (PGN / name).exists() else tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises((ValueError, OSError), match=words):
        run("annotate", str(path), "-o", str(tmp_path / "out.pgn"))
    assert not (tmp_path / "out.pgn").exists()


def test_targets_are_checked_before_the_work(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(engine, "analyse_many", lambda *_, **__: pytest.fail("work was begun"))
    source = tmp_path / "game.pgn"
    source.write_text("1. e4 e5 *\n")
    for options, words in (
        (["-o", str(tmp_path / "none" / "x.pgn")], "there is no folder"),
        (["-o", str(source)], "is the game itself"),
        (["-o", str(tmp_path / "x"), "--html", str(tmp_path / "x")], "different names"),
        (["--nodes", "0"], "must be positive"),
    ):
        with pytest.raises(ValueError, match=words):
            run("annotate", str(source), *options)
    assert source.read_text() == "1. e4 e5 *\n"


# ---------------------------------------------------------------- ask


def session(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_session_is_answered_line_by_line(scripted, monkeypatch, capsys):
    session(monkeypatch, "", "Is the queen on g8 safe?", "Why not Qxe5?", "quit", "never read")
    assert run("ask", "--fen", FIGURE_A6, "--move", "Bxe6+") == 0
    out = capsys.readouterr().out
    assert "Black's queen on g8 is attacked by nothing" in out
    assert "21. Qxe5 was possible instead." in out
    assert out.count("(template, no model)") == 2
    assert "never read" not in out


def test_a_session_with_a_model_shows_what_was_looked_up(with_model, monkeypatch, capsys):
    llm = with_model(
        "text:Comment: A check.",
        "text:Black plays 21... Ke7 now.",
        "text:The king goes: 21... Ke7.",
    )
    session(monkeypatch, "Is the queen on g8 safe?")
    assert run("ask", "--fen", FIGURE_A6, "--move", "Bxe6+") == 0
    out = capsys.readouterr().out
    assert "The king goes: 21... Ke7." in out
    assert "looked up: Black's queen on g8" in out
    assert "looked up: 21... Ke7" in out
    assert "(llm, scripted-1)" in out
    assert "21... Ke7" in llm.asked[2]["messages"][-1]["content"]


# ---------------------------------------------------------------- the real engine


@pytest.fixture(scope="module")
def real_engine() -> None:
    try:
        engine.find_stockfish()
    except engine.EngineMissing as error:
        pytest.skip(str(error))


def real(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", RUNNER, *arguments, "--nodes", "3000", "--no-concepts"],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.engine
def test_a_real_session_through_a_pipe(real_engine):
    done = real(
        "ask", "--fen", FIGURE_A6, "--move", "21. Bxe6+", "--method", "template",
        stdin="Can the g8 queen survive?\nШто?\n",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "In the engine's main line it is taken" in done.stdout
    assert done.stdout.count("(template, no model)") == 2


@pytest.mark.engine
def test_a_real_game_is_annotated_the_same_way_twice(real_engine, tmp_path: Path):
    source = tmp_path / "game.pgn"
    source.write_text("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n")
    texts = []
    for name in ("one.pgn", "two.pgn"):
        target = tmp_path / name
        done = real("annotate", str(source), "-o", str(target), "--method", "template")
        assert done.returncode == 0, done.stderr
        texts.append(target.read_bytes())
    assert texts[0] == texts[1]
    (game,) = read_games(tmp_path / "one.pgn")
    mate = game.end()
    assert mate.parent.nags == {chess.pgn.NAG_BLUNDER}
    assert "mate" in mate.comment.lower()
