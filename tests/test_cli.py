"""The command line: every command as it is typed, with scripted parts and with real ones."""

import io
import json
import os
import re
import subprocess
import sys
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import Mock

import chess
import chess.pgn
import pytest

import chessgloss
from chessgloss import cli, engine
from chessgloss.commentary.annotate import OURS
from chessgloss.commentary.briefing import Briefing, Comment
from chessgloss.commentary.game_pgn import read_games
from chessgloss.commentary.methods import ModelWriter
from chessgloss.concepts import priority as prioritise
from chessgloss.concepts.priority import Priorities
from chessgloss.corpora.pgn import read_pgn
from chessgloss.facts.change import ConceptChange
from chessgloss.positions import MoveInContext
from fakes import heed_interrupts
from fakes.analyses import by_material
from fakes.scripted_llm import scripted_llm
from scripts import DATA, FIGURE_A6, PROJECT, clean_environment, install_elsewhere

START = chess.STARTING_FEN
ITALIAN = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
#: As the paper prints some: its move number is 0.
NUMBER_0 = FIGURE_A6.replace("0 21", "0 0")


MOVE = ("--fen", FIGURE_A6, "--move", "Bxe6+")
VARIATIONS = str(DATA / "pgn/variations.pgn")


def run(*arguments: str) -> int:
    given = cli.parser().parse_args(arguments)
    return given.run(given)


def command(*arguments: str, **how: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    how = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "encoding": "utf-8",
    } | how
    return subprocess.run([sys.executable, "-m", "chessgloss", *arguments], **how)


# ---------------------------------------------------------------- doctor, bad input


def test_the_doctor_says_what_to_run_for_what_is_missing(monkeypatch, capsys):
    monkeypatch.setenv("CHESSGLOSS_STOCKFISH", "/nowhere/stockfish")
    monkeypatch.setenv("PATH", "")
    assert cli.main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert re.search(r"(?m)^Stockfish 15.1 +no  .*apt-get install stockfish", shown)
    assert re.search(r"(?m)^Stockfish 8 .*node", shown)
    assert shown.splitlines()[-1].startswith(
        "cannot execute the book: no Stockfish 15.1"
    )
    optional = cli.Finding("asset leela", None, "export X=...", essential=False)
    monkeypatch.setattr(cli, "examine", lambda project: [optional])
    assert cli.main(["doctor"]) == 0
    assert re.search(
        r"no \(optional\)(?s:.*)ready to execute the book$", capsys.readouterr().out
    )


def test_ctrl_c_is_no_traceback(scripted, monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", Mock(side_effect=KeyboardInterrupt))
    assert cli.main(["ask", *MOVE]) == 130
    assert capsys.readouterr().err == "chessgloss ask: stopped\n"


#: A compiled module that is interrupted while it loads.
ABORTS = """
import os, signal, time
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
except BaseException:
    os.abort()
"""


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("numpy", "raise KeyboardInterrupt"),
        ("filelock", ABORTS),
    ],
)
def test_ctrl_c_while_modules_load_is_no_traceback_either(tmp_path, module, text):
    (tmp_path / f"{module}.py").write_text(text)
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}:{PROJECT / 'lib'}"}
    done = command("doctor", env=env, preexec_fn=heed_interrupts)
    assert done.returncode == 130
    assert re.fullmatch(r"chessgloss( doctor)?: stopped\n", done.stderr)


UNUSED = {
    "--help": {"pandas", "torch", "numpy", "scipy", "sklearn", "chess", "facts"},
    "claims --fen FEN --move e4 --text Nothing.": {"pandas", "torch", "sklearn"},
    "doctor": {"pandas", "torch", "scipy", "sklearn"},
}


@pytest.mark.parametrize("words", UNUSED)
def test_a_command_loads_only_what_it_uses(words):
    arguments = [START if word == "FEN" else word for word in words.split()]
    code = (
        "import contextlib, sys; from chessgloss import cli\n"
        "with contextlib.suppress(SystemExit): cli.main(sys.argv[1:])\n"
        "names = (name.removeprefix('chessgloss.') for name in sys.modules)\n"
        "print(*{name.partition('.')[0] for name in names}, file=sys.stderr)"
    )
    typed = [sys.executable, "-c", code, *arguments]
    loaded = subprocess.run(typed, capture_output=True, text=True).stderr.split()
    assert "argparse" in loaded
    assert not UNUSED[words] & {*loaded}


def test_an_error_never_goes_to_standard_output():
    done = command("claims", stderr=None, preexec_fn=lambda: os.close(2))
    assert (done.returncode, done.stdout) == (2, "")


def test_an_output_that_takes_nothing_is_a_failure(monkeypatch, capsys):
    monkeypatch.setattr(os, "dup2", dropped := Mock())
    for number, status, words in (
        (28, 2, "cannot write standard output: full\n"),
        (32, 141, ""),
    ):
        taken = Mock(side_effect=OSError(number, "Full"))
        monkeypatch.setattr(sys, "stdout", Mock(flush=taken, fileno=lambda: 1))
        assert (
            cli.main(["claims", "--fen", START, "--move", "e4", "--text", "Nothing."])
            == status
        )
        assert capsys.readouterr().err.removeprefix("chessgloss claims: ") == words
    assert [call.args[1] for call in dropped.call_args_list] == [1, 1]
    monkeypatch.setattr(sys, "stdout", None)
    assert cli.main(["doctor"]) == 2
    assert "standard output is closed" in capsys.readouterr().err


def test_what_a_model_or_a_file_says_does_not_reach_the_terminal_as_control(
    monkeypatch, capsys
):
    monkeypatch.setattr(
        cli, "_check_stream", Mock(side_effect=ValueError("a\x1b[2Jb\nc\x07é♘"))
    )
    assert cli.main(["claims", "--jsonl", "x"]) == 2
    assert capsys.readouterr().err == "chessgloss claims: a[2Jb\ncé♘\n"
    assert cli._dumps("\x9bé\u202e♘") == '"\\u009bé\\u202e♘"'


@pytest.mark.parametrize(
    "words", ["annotate nope", "annotate .", "survey read x --key nope"]
)
def test_a_file_that_cannot_be_read_is_named_in_words(
    words, monkeypatch, tmp_path, capsys
):
    monkeypatch.chdir(tmp_path)
    assert cli.main(words.split()) == 2
    told = r"chessgloss \w+: cannot open (nope: no such file|\.: is a directory).*\n"
    assert re.fullmatch(told, capsys.readouterr().err)


@pytest.mark.parametrize(
    "words",
    [
        "annotate x --nodes 0",
        "annotate x --timeout nan",
        "annotate x --minutes -1",
        "claims --reader zz",
    ],
)
def test_an_option_that_makes_no_sense_is_refused_in_one_line(words, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(words.split())
    (line,) = capsys.readouterr().err.splitlines()
    flag, value = words.split()[-2:]
    assert f"argument {flag}: " in line and repr(value) in line


# ---------------------------------------------------------------- claims


def test_the_object_follows_the_contract(capsys):
    text = "The bishop on c4 attacks f7 and the knight on f6."
    castling = ("claims", "--fen", ITALIAN, "--move", "4. O-O", "--text")
    assert run(*castling, text, "--json") == 0
    content = json.loads(capsys.readouterr().out)
    for claim in content["claims"]:
        assert set(claim) >= {"text", "span", "kind", "verdict", "evidence", "read"}
        assert text[slice(*claim["span"])] == claim["text"]
    assert content["summary"]["false"] == 1
    run(*castling, "The rook on e1 attacks e5. It is active.")
    (line, unread) = capsys.readouterr().out.splitlines()
    assert line.split()[:2] == ["false", "attack"]
    assert unread.split()[:3] == ["not", "checkable", "unread"]
    run(*castling, "...")
    assert capsys.readouterr().out == "no checkable claim\n"


def test_a_stream_gives_one_object_a_line_and_an_error_for_a_bad_one(tmp_path, capsys):
    path = tmp_path / "many.jsonl"
    castles = {"fen": ITALIAN, "text": "White castles."}
    first = json.dumps({"id": 1, "move": "O-O", **castles}).encode()
    last = json.dumps({"move": "d3", **castles}).encode()
    bad = {
        b"[]": "expected an object",
        b"[" * 100_000: "expected an object",
        b'{"fen": "8/8", "move": "a", "text": ""}': "cannot be read",
        first.replace(b"White", b"Nf3 " * 25_000): "characters; up to 10,000 are read",
        b'{"text": "\xff"}': "not UTF-8",
    }
    path.write_bytes(b"\n".join([first, *bad, b"", last]))
    assert run("claims", "--jsonl", str(path)) == 2
    told, *errors, end = map(json.loads, capsys.readouterr().out.splitlines())
    assert (told["id"], told["claims"][0]["verdict"]) == (1, "true")
    assert end["claims"][0]["verdict"] == "false"
    assert [error["line"] for error in errors] == [*range(2, 7)]
    for error, words in zip(errors, bad.values(), strict=True):
        assert words in error["error"]
    path.write_bytes(first)
    assert run("claims", "--jsonl", str(path)) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--fen", ITALIAN, "--move", "O-O"],
            "give --fen, --move and --text, or --jsonl FILE",
        ),
        (["--jsonl", "x", "--text", "y"], "give either --jsonl, or"),
        (
            ["--fen", ITALIAN, "--move", "O-O", "--text", "x", "--reader", "model"],
            "OPENAI_BASE_URL",
        ),
    ],
)
def test_bad_claims_raise_one_clear_line(arguments, message):
    with pytest.raises((ValueError, OSError, RuntimeError), match=message) as caught:
        run("claims", *arguments)
    assert "\n" not in str(caught.value)


def test_a_fen_as_the_paper_prints_it_is_repaired_and_said_so(capsys, tmp_path):
    given = {"fen": NUMBER_0, "move": "Bxe6+", "text": "It gives check."}
    words = [word for name, value in given.items() for word in (f"--{name}", value)]
    assert run("claims", *words) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("true")
    assert shown.err.rstrip("\n") == "chessgloss: FEN repaired: move number 0 set to 1"
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(given))
    assert run("claims", "--jsonl", str(path)) == 0
    assert capsys.readouterr().err.startswith("chessgloss: line 1: FEN repaired: ")


# ---------------------------------------------------------------- scripted parts


class CountingPool(AbstractContextManager):
    """Stands in for :class:`chessgloss.engine.EnginePool`: it counts material."""

    asked = 0

    def __init__(self, processes=None, *, keep_last):
        assert keep_last, "who waits for a command gets what is there in time"
        self.processes = processes or 2

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.closed = True

    def analyse(self, positions, nodes, lines, searched=lambda: None):
        CountingPool.asked += len(positions)
        for _ in positions:
            searched()
        return [*map(by_material, positions)]


@pytest.fixture
def scripted(monkeypatch):
    """An engine that counts material, a scripted ranking of concepts, and no model."""
    monkeypatch.setattr(engine, "EnginePool", CountingPool)
    monkeypatch.setattr(prioritise, "load_method", lambda: None)
    threats = (ConceptChange("Threats", "White", 0.0, 1.0, 1.5, 1),)

    def ranked(at, uci, method="default"):
        return Priorities(MoveInContext(at, uci), method, threats)

    monkeypatch.setattr(prioritise, "prioritise", ranked)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "CHESSGLOSS_MODEL"):
        monkeypatch.delenv(name, raising=False)


# ---------------------------------------------------------------- comment


def test_a_comment_says_what_wrote_it_and_other_programs_read_it_as_json(
    scripted, capsys
):
    assert run("comment", "--fen", FIGURE_A6, "--move", "21. Bxe6+") == 0
    text, used = capsys.readouterr().out.splitlines()
    assert text.startswith("21. Bxe6+??: ")
    assert used == "(notes, no model; Scripted 1, 400 nodes, depth 1)"
    assert run("comment", "--fen", FIGURE_A6, "--move", "f5e6", "--json") == 0
    content = json.loads(capsys.readouterr().out)
    assert (content["method"], content["model"]) == ("notes", None)
    assert content["concepts"] == [{"name": "White Threats", "change": 1.5}]
    assert content["verdict"]["engine"] == "Scripted 1"
    capture = next(fact for fact in content["facts"] if fact["kind"] == "capture")
    assert (capture["squares"], capture["side"]) == (["f5", "e6"], "White")
    assert all(claim["verdict"] != "false" for claim in content["claims"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--move", "e5"], "'e5' is not a legal move for White"),
        (["--fen", "8/8/8 w"], "cannot be read"),
        (["--method", "magic"], "no method 'magic'; choose one of notes, "),
        (["--method", "bare"], r"OPENAI_BASE_URL.*model serve"),
    ],
)
def test_bad_input_is_refused_before_an_engine_starts(
    scripted, monkeypatch, options, words
):
    monkeypatch.setattr(
        engine, "EnginePool", lambda *_: pytest.fail("an engine was started")
    )
    for command in ("comment", "ask"):
        with pytest.raises(ValueError, match=words) as caught:
            run(command, "--fen", START, "--move", "e4", *options)
        assert "\n" not in str(caught.value)


def test_a_missing_network_leaves_the_concepts_out_and_says_so(
    scripted, capsys, monkeypatch
):
    missing = Mock(side_effect=ValueError("weights are missing; make them"))
    monkeypatch.setattr(prioritise, "load_method", missing)
    assert run("comment", "--fen", START, "--move", "e4", "--json") == 0
    seen = capsys.readouterr()
    assert json.loads(seen.out)["concepts"] == []
    assert "no concepts: weights are missing; make them" in seen.err


# ---------------------------------------------------------------- with a model


@pytest.fixture
def llm(scripted, monkeypatch):
    with scripted_llm() as llm:
        monkeypatch.setenv("OPENAI_BASE_URL", llm.url)
        monkeypatch.setenv("CHESSGLOSS_MODEL", "scripted-1")
        yield llm


def test_a_models_comment_is_read_and_checked_where_an_endpoint_is_set(llm, capsys):
    llm.script += [
        "text:Comment: The bishop takes the rook on e6. It gives check.",
        "text:1. played move={captures:R}\n2. check side=black when=after",
        "text:Comment: The bishop takes the pawn on e6. It gives check.",
        "text:1. played move={captures:P}\n2. check side=black when=after",
    ]
    assert run("comment", *MOVE) == 0
    seen = capsys.readouterr()
    assert "The bishop takes the pawn on e6. It gives check." in seen.out
    assert "(explain, scripted-1" in seen.out
    assert "1 comment, 4 questions:" in seen.err
    assert "2 claims checked, 2 decided; 1 comment sent back" in seen.err
    first, _, again, _ = (each["messages"] for each in llm.asked)
    assert "Lines after the move, the best first:" in first[-1]["content"]
    assert '- "The bishop takes the rook on e6.": ' in again[-1]["content"]


def test_the_model_is_asked_as_the_paper_asks_where_that_is_named(llm, capsys):
    llm.script.append("text:Comment: The bishop takes the pawn on e6.")
    assert run("comment", *MOVE, "--json", "--method", "ccc") == 0
    content = json.loads(capsys.readouterr().out)
    assert content["comment"] == "The bishop takes the pawn on e6."
    assert (content["method"], content["model"]) == ("ccc", "scripted-1")
    asked = llm.asked[0]["messages"][-1]["content"]
    assert "Bxe6+" in asked and "1. White's threats: gets better" in asked
    assert run("comment", *MOVE, "--method", "notes") == 0
    assert len(llm.asked) == 1


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (["refused:I cannot"], ["the facts speak instead"]),
        (["401"], ["OPENAI_API_KEY and CHESSGLOSS_MODEL; the facts speak instead"]),
        (["slow:2", "slow:2"], ["may take 0.5 s", "nothing came within 0.5 s"]),
    ],
)
def test_without_a_usable_comment_the_facts_speak_and_say_so(
    llm, capsys, script, words
):
    llm.script += script
    how = ("--method", "verdict", "--timeout", "0.5")
    assert run("comment", *MOVE, *how) == 0
    seen = capsys.readouterr()
    assert "(notes, no model" in seen.out
    assert all(each in seen.err for each in words)


def test_a_model_reads_the_claims_where_it_is_asked_to(llm, capsys):
    llm.script.append("text:1. attacks piece=moved target=bQa8 when=after\n2. -")
    text = "Dear me, the lady on a8 is eyed. Fine."
    how = ("--text", text, "--json", "--reader", "model")
    assert run("claims", *MOVE, *how) == 0
    (claim,) = json.loads(capsys.readouterr().out)["claims"]
    assert claim["read"] == "attacks piece=moved target=bQa8 when=after"
    assert (claim["verdict"], claim["text"]) == ("false", text[:32])
    assert "White Bxe6+ (continued) | Fine." in llm.asked[0]["messages"][-1]["content"]


# ---------------------------------------------------------------- annotate


def test_a_game_is_annotated_into_a_pgn_and_a_page(scripted, capsys, tmp_path):
    target = tmp_path / "out.pgn"
    page = tmp_path / "game.html"
    assert run("annotate", VARIATIONS, "-o", str(target), "--html", str(page)) == 0
    assert "comments on 25 plies" in capsys.readouterr().err
    (game,) = read_games(target)
    assert game.headers["ChessglossAnnotator"].startswith("notes, no model; Scripted 1")
    assert game.next().eval() is not None
    title = "<title>Иванова, Анна – Grünfeld-Sommer, Jörg</title>"
    assert title in page.read_text("utf-8")
    assert {*tmp_path.iterdir()} == {page, target}
    assert run("annotate", VARIATIONS) == 0
    assert capsys.readouterr().out == target.read_text("utf-8")


def test_a_game_that_was_stopped_goes_on_and_asks_the_model_nothing_twice(
    llm, capsys, tmp_path, monkeypatch
):
    target = tmp_path / "out.pgn"
    how = ("annotate", VARIATIONS, "-o", str(target), "--method", "verdict")
    written = []
    write = ModelWriter.__call__

    def stopped(self: ModelWriter, briefing: Briefing) -> Comment:
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(briefing.name)
        return write(self, briefing)

    with monkeypatch.context() as patch:
        patch.setattr(ModelWriter, "__call__", stopped)
        with pytest.raises(KeyboardInterrupt):
            run(*how)
    assert len(llm.asked) == 2
    assert (tmp_path / "out.pgn.answers").is_file()
    assert run(*how) == 0
    seen = capsys.readouterr().err
    asked = [each["messages"][-1]["content"] for each in llm.asked]
    assert len(asked) == len(set(asked)) > 2
    assert f"{len(asked)} comments, {len(asked)} questions:" in seen
    assert [path.name for path in tmp_path.iterdir()] == ["out.pgn"]


#: Games of all kinds, and the number of plies that is annotated; none where it is no good.
MIXED = (
    ('[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0', 5),
    ('[White "C"]\n[Black "D"]\n\n1. e4 e5 2. Ke3 {lost?} *', None),
    ('[White "E"]\n[Black "F"]\n[Result "1-0"]\n\n{ Black did not appear. } 1-0', 0),
    ('[White "G"]\n[Variant "Atomic"]\n\n1. e4 *', None),
    ("1. e4 -- 2. d4 *", 1),
    ("1. f3 e5 2. g4 Qh4#", 4),
    ("1. d4 (1. e4 e5 d5 *", None),
)


def test_no_game_costs_another_and_all_are_kept(scripted, capsys, tmp_path):
    source = tmp_path / "many.pgn"
    target = tmp_path / "out.pgn"
    source.write_text("\n\n".join(text for text, _ in MIXED) + "\n")
    assert run("annotate", str(source), "-o", str(target)) == 2
    told = capsys.readouterr().err
    for words in (
        "game 2 (line 7, C – D): illegal move 2. Ke3",
        "only standard chess can be annotated",
        "game 3 (line 12, E – F): no moves; copied as it is",
        "game 5: a null move in the main line; annotated up to there",
        "variation is not closed; correct it and annotate again",
    ):
        assert words in told
    written = target.read_text("utf-8")
    assert "1. e4 e5 2. Ke3 {lost?} *" in written
    assert "{ Black did not appear. } 1-0" in written
    for read, (_, plies) in zip(read_pgn(target), MIXED, strict=True):
        assert bool(read.problem) == (plies is None)
        assert (OURS in read.game.headers) == bool(plies)


def test_a_file_without_a_good_game_leaves_no_output(scripted, capsys, tmp_path):
    source = tmp_path / "bad.pgn"
    target = tmp_path / "out.pgn"
    source.write_text("1. e4 e5 2. Ke3 *\n\n1. d4 d5 2. Kd4 *\n")
    assert run("annotate", str(source), "-o", str(target)) == 2
    told = capsys.readouterr().err
    assert "2. Ke3" in told and "2. Kd4" in told and "nothing is written" in told
    assert not target.exists()


def test_what_was_read_by_rule_is_said_once_for_all_games(scripted, capsys, tmp_path):
    source = tmp_path / "old.pgn"
    target = tmp_path / "new.pgn"
    game = '[White "Grünfeld"]\n\n1. e4 {Weiß} e5 0:1\n\n'
    source.write_bytes(game.encode("cp1252") * 7)
    assert run("annotate", str(source), "-o", str(target)) == 0
    told = capsys.readouterr().err
    assert told.count("Windows-1252") == told.count("'0:1' is read as 0-1") == 1
    assert "game 1, 2, 3, 4, 5 and 2 more: not UTF-8" in told
    assert target.read_text("utf-8").count("Grünfeld") == 7


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("-o none/x.pgn", "there is no folder"),
        ("-o game.pgn", "different names"),
        ("-o x --html x", "different names"),
        ("-o .", "a folder, or must not be written"),
        ("-o kept.pgn", "a folder, or must not be written"),
    ],
)
def test_targets_are_checked_before_the_work(options, words, monkeypatch, tmp_path):
    monkeypatch.setattr(engine, "EnginePool", lambda *_: pytest.fail("work was begun"))
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "game.pgn"
    source.write_text("1. e4 e5 *\n")
    (tmp_path / "kept.pgn").touch(0o440)

    with pytest.raises(ValueError, match=words):
        run("annotate", "game.pgn", *options.split())
    monkeypatch.setattr(os, "access", lambda path, _: path != tmp_path)
    with pytest.raises(ValueError, match="its folder must not be written"):
        run("annotate", "game.pgn", "-o", "new.pgn")
    assert source.read_text() == "1. e4 e5 *\n"


def test_no_output_holds_what_a_terminal_obeys(llm, capsys, tmp_path):
    hostile = "A\x1b[2J \x9bfine\u202e move.\x07"
    source = tmp_path / "in.pgn"
    target = tmp_path / "out.pgn"
    page = tmp_path / "out.html"
    moves = f"1. f3 e5 2. g4 Qh4# {{ {hostile} }} 0-1"
    source.write_text(f'[Event "{hostile}"]\n\n{moves}\n')
    llm.script += [f"text:Comment: {hostile}"] * 4
    bare = ("--method", "bare")
    run("annotate", str(source), "-o", str(target), "--html", str(page), *bare)
    run("comment", *MOVE, "--json", *bare)
    printed = capsys.readouterr().out
    for text in (target.read_text("utf-8"), page.read_text("utf-8"), printed):
        assert "A[2J fine move." in text
        assert not re.search(r"[\x1b\x07\x9b\u202e]|\\u(001b|0007|009b|202e)", text)


# ---------------------------------------------------------------- ask


def test_a_closed_input_asks_nothing(scripted, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert run("ask", *MOVE) == 0
    with pytest.raises(ValueError, match="input is closed"):
        run("claims", "--jsonl", "-")
    capsys.readouterr()


def test_a_session_is_answered_line_by_line(scripted, monkeypatch, capsys):
    asked = io.StringIO("\nIs the queen on g8 safe?\nWhy not Qxe5?\nquit\nnever read\n")
    monkeypatch.setattr(sys, "stdin", asked)
    assert run("ask", *MOVE) == 0
    out = capsys.readouterr().out
    assert "Black's queen on g8 is attacked by nothing" in out
    assert "21. Qxe5 was possible instead." in out
    assert out.count("(notes, no model)") == 2
    assert "never read" not in out


def test_a_session_with_a_model_shows_what_was_looked_up(llm, monkeypatch, capsys):
    answers = (
        "Comment: A check.",
        "1. check side=black when=after",
        "Black plays 21... Ke7 now.",
        "The king goes: 21... Ke7.",
    )
    llm.script += [f"text:{answer}" for answer in answers]
    monkeypatch.setattr(sys, "stdin", io.StringIO("Is the queen on g8 safe?"))
    assert run("ask", *MOVE) == 0
    out = capsys.readouterr().out
    for words in (answers[-1], "looked up: 21... Ke7", "(llm, scripted-1)"):
        assert words in out


# ---------------------------------------------------------------- outside a checkout


def test_without_a_checkout_less_is_needed_and_it_is_named(
    scripted, monkeypatch, capsys, tmp_path
):
    monkeypatch.setenv("CHESSGLOSS_PROJECT", "/nowhere")
    monkeypatch.setattr("chessgloss.engine.version", lambda: "Stockfish 17")
    assert cli.main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("project: none") and "papermill" not in shown
    assert shown.endswith("ready to comment on moves\n")
    assert cli.main(["survey", "collect", "-o", str(tmp_path / "study.json")]) == 2
    assert (
        "run `export CHESSGLOSS_PROJECT=/path/to/checkout`" in capsys.readouterr().err
    )
    assert cli.main(["claims", *MOVE, "--text", "A check."]) == 0
    assert cli.main(["comment", *MOVE, "--json"]) == 0


@pytest.mark.release
@pytest.mark.engine
def test_the_installed_command_brings_what_it_needs(stockfish, tmp_path):
    move = ("--fen", NUMBER_0, "--move", "Bxe6+")
    command = [
        install_elsewhere(tmp_path),
        "comment",
        *move,
        "--nodes",
        "500",
        "--json",
    ]
    where = {"cwd": tmp_path, "env": clean_environment()}
    done = subprocess.run(command, **where, capture_output=True, text=True, check=True)
    content = json.loads(done.stdout)
    assert content["comment"] and content["facts"] and content["claims"]
    assert content["concepts"], done.stderr
    assert "FEN repaired" in done.stderr


# ---------------------------------------------------------------- the package's own names


@pytest.mark.engine
def test_the_lines_of_the_readme_do_what_they_say(tmp_path):
    text = (PROJECT / "README.md").read_text("utf-8")
    lines = text.split("```python\n")[1].split("```")[0]
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", lines],
        capture_output=True,
        text=True,
        cwd=PROJECT,
        check=True,
    )
    printed = run.stdout.splitlines()
    assert printed[0].startswith("best ['Black Bishop', ")
    assert "true: The bishop gives check" in run.stdout
    assert printed[-1] == "(1, 1024)"


def test_a_method_that_cannot_be_followed_is_not_replaced_by_notes():
    for method, remedy in {"ccc": "live_client", "best": "choose one of notes"}.items():
        with pytest.raises(ValueError, match=remedy):
            chessgloss.comment(None, method=method)
