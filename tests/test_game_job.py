"""Games of a file annotated as a job: kept, stopped, gone on with, side by side."""

import json
import signal
import subprocess
import sys
import threading
from functools import partial

import chess.engine
import pytest

from chessgloss.commentary import game_job
from chessgloss.commentary.annotate import AnnotatedGame, Annotation, Annotator
from chessgloss.commentary.game_job import Job
from chessgloss.commentary.game_pgn import read_file, write_pgn
from fakes import heed_interrupts
from fakes.analyses import by_material

GAMES = [
    "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0",
    "1. d4 d5 2. c4 dxc4 3. e3 b5 *",
    "Dear all, here are two more.",
    '[Event "bad"]\n\n1. e4 Ke5 *',
    "1. f3 e5 2. g4 Qh4# 0-1",
    '[Event "?"]\n\n{ Black did not appear. } 1-0',
    "1. c4 c5 2. Nc3 Nc6 3. g3 g6 *",
]


class Engines:
    """Counts material; can be told to stop after so many positions."""

    processes = 3

    def __init__(self, most=10**6):
        self.asked: list[str] = []
        self.most = most
        self.closed = False
        self.lock = threading.Lock()

    def analyse(self, positions, nodes, lines, searched=lambda: None):
        with self.lock:
            self.asked += [each.fen for each in positions]
        for _ in positions:
            searched()
        return [*map(by_material, positions)]

    def close(self):
        self.closed = True


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text("\n\n".join(GAMES) + "\n")
    return read_file(path)


def job(games, engines, kept, together=1, **settings):
    said: list[str] = []
    made = Job(games, Annotator(), engines, settings, kept, together, said.append)
    return made, said


def annotate(games, engines, kept=None, together=1, **settings):
    made, said = job(games, engines, kept, together, **settings)
    found = dict(made.run())
    return [found[place] for place in sorted(found)], said


def test_every_game_is_annotated_or_copied_and_the_order_is_the_files(games):
    found, said = annotate(games, Engines())
    kinds = [isinstance(each, str) for each in found]
    assert kinds == [False, False, True, True, False, True, False]
    assert found[2] == GAMES[2]
    assert "line 5: text that is no game; copied as it is" in said
    together, _ = annotate(games, Engines(), together=4)
    assert write_pgn(found) == write_pgn(together)


def test_a_job_goes_on_where_it_was_stopped(games, tmp_path):
    kept = tmp_path / "out.unfinished"
    alone = Engines()
    whole, _ = annotate(games, alone)
    engines = Engines()
    made, _ = job(games, engines, kept)
    finished = 0
    running = made.run()
    for _, game in running:
        finished += isinstance(game, AnnotatedGame)
        if finished == 2:
            running.close()
    assert engines.closed
    assert len(kept.read_text().splitlines()) == 2
    rest = Engines()
    found, said = annotate(games, rest, kept)
    assert sum("annotated before" in each for each in said) == 2
    assert write_pgn(found) == write_pgn(whole)
    assert 0 < len(rest.asked) < len(alone.asked)
    assert not kept.exists(), "a job that is done leaves nothing"


def test_what_was_kept_with_other_settings_or_is_torn_does_not_count(games, tmp_path):
    kept = tmp_path / "out.unfinished"
    made, _ = job(games, Engines(), kept, nodes=5)
    running = made.run()
    while not isinstance(next(running)[1], AnnotatedGame):
        pass
    running.close()
    line = kept.read_text()
    kept.write_text(line + line[: len(line) // 2])
    _, said = annotate(games, Engines(), kept, nodes=6)
    assert not any("annotated before" in each for each in said)
    kept.write_text(line[: len(line) // 2] + "\n[1]\n5\n" + line)
    _, said = annotate(games, Engines(), kept, nodes=5)
    assert sum("annotated before" in each for each in said) == 1


def test_a_game_comes_back_from_its_line_as_it_was(games):
    mate = chess.engine.PovScore(chess.engine.Mate(-2), chess.BLACK)
    mated = chess.engine.PovScore(chess.engine.Mate(0), chess.BLACK)
    level = chess.engine.PovScore(chess.engine.Cp(-3), chess.WHITE)
    notes = (
        Annotation(level, 4, "é", ("e2e4", "e7e5"), mate),
        Annotation(mated),
        Annotation(None),
    )
    game = AnnotatedGame(games[0].game, notes, "notes; x")
    row = json.loads(json.dumps(game_job.game_row(game)))
    again = game_job.read_row(row, games[0])
    assert (again.notes, again.sources) == (game.notes, game.sources)


def test_a_game_that_fails_costs_no_other(games):
    class Failing(Engines):
        def analyse(self, positions, nodes, lines, searched=lambda: None):
            if any("PP1PPPPP" in each.fen for each in positions):
                raise AssertionError("no piece there")
            return super().analyse(positions, nodes, lines, searched)

    found, said = annotate(games, Failing(), together=3)
    assert isinstance(found[6], str) and isinstance(found[0], AnnotatedGame)
    words = "an error of the program, AssertionError: no piece there"
    assert any(words in each for each in said)


# ---------------------------------------------------------------- the command, stopped


@pytest.mark.engine
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_the_same_command_goes_on(how, stockfish, tmp_path):
    source = tmp_path / "games.pgn"
    target = tmp_path / "out.pgn"
    moves = "Nf3 Nf6 Ng1 Ng8 " * 10
    source.write_text("".join(f'[Round "{n}"]\n\n{moves}*\n\n' for n in range(5)))
    command = [sys.executable, "-m", "chessgloss", "annotate", str(source)]
    command += ["-o", str(target), "--nodes", "800", "--no-concepts"]
    again = partial(subprocess.run, command, capture_output=True, text=True, check=True)
    first = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    )
    assert first.stderr is not None
    for line in first.stderr:
        if "comments on" in line:
            break
    first.send_signal(how)
    told = first.stderr.read()
    first.wait(timeout=60)
    finished = target.read_text().count("ChessglossAnnotator")
    assert 1 <= finished < 5
    if how == signal.SIGINT:
        assert first.returncode == 130
        assert f"annotated so far: {finished}, in" in told
    assert "annotated before" in again().stderr
    written = target.read_text()
    assert written.count("ChessglossAnnotator") == 5
    assert "has come for the third time" in " ".join(written.split())
    assert sorted(path.name for path in tmp_path.glob("out*")) == ["out.pgn"]
    again()
    assert target.read_text() == written
