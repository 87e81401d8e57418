"""Bulk stages: the same numbers as in one go, whatever is killed, cut off or altered."""

from __future__ import annotations

import ast
import functools
import importlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import chess
import joblib
import numpy as np
import psutil
import pytest
import zstandard
from joblib.externals.loky.process_executor import TerminatedWorkerError
from tqdm import tqdm

from chessgloss import assets, bulk
from chessgloss.bulk import (
    ExpertSource,
    StoreNotShared,
    Task,
    activate,
    activation_stream,
    computed,
    label_positions,
    label_stream,
)
from chessgloss.corpora import streams
from chessgloss.engine import EngineFailed, EngineMissing
from chessgloss.experts import joined_activations, load_expert
from chessgloss.oracle import STOCKFISH_8, Oracle, TermTable, evaluate_terms, stockfish8
from chessgloss.store import Store
from fakes import engine_command


def scripted(*options: str) -> Oracle:
    """An engine that numbers its positions from 1: Material tells the place in the chunk."""
    command = engine_command(*options)
    return Oracle("scripted oracle", command, "Stockfish.js 8 ", STOCKFISH_8, timeout=30)


def random_fens(count: int, seed: int = 7) -> list[str]:
    rng, fens, board = random.Random(seed), [], chess.Board()
    while len(fens) < count:
        if board.is_game_over() or board.ply() > 150:
            board = chess.Board()
        board.push(rng.choice(list(board.legal_moves)))
        fens.append(board.fen())
    return fens


def materials(table: TermTable) -> list[int]:
    return np.rint(table.term("Material") * 100).astype(int).tolist()


def same(one: TermTable, two: TermTable) -> bool:
    pairs = zip(one.arrays().values(), two.arrays().values(), strict=True)
    return all(np.array_equal(left, right, equal_nan=True) for left, right in pairs)


def kept(store: Store) -> dict[str, int]:
    """Return the artefacts of a store and when each was made."""
    return {path.name: path.stat().st_mtime_ns for path in store.root.glob("[!.]*")}


def wait_for(condition, what: str, seconds: float = 60) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, f"waited {seconds} s for {what}"
        time.sleep(0.01)


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(scope="session")
def oracle8() -> Oracle:
    try:
        return stockfish8()
    except EngineMissing as error:
        pytest.skip(str(error))


# Tasks: in order, each kept once, whatever dies or fails on the way

QUIET = tqdm(disable=True)


def build_rows(first: int, log: Path, seconds: float = 0) -> dict:
    """Make ten numbers from ``first`` on, and leave a line in the log."""
    time.sleep(seconds)
    with log.open("a") as lines:
        lines.write(f"{first}\n")
    return {"numbers": np.arange(first, first + 10)}


def row_tasks(log: Path, count: int, seconds: float = 0) -> Iterator[Task]:
    for first in range(0, 10 * count, 10):
        build = functools.partial(build_rows, first, log, seconds)
        yield Task("rows", {"first": first, "rows": 10}, build)


def numbers(found) -> list[int]:
    return [number for parts in found for number in parts["numbers"].tolist()]


@pytest.fixture
def log(tmp_path) -> Path:
    path = tmp_path / "log"
    path.touch()
    return path


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order_are_computed_once_and_counted(store, log, jobs, capsys):
    for _ in range(2):
        with tqdm(total=50, mininterval=0) as bar:
            assert numbers(computed(row_tasks(log, 5), store, jobs, bar)) == list(range(50))
        assert "50/50" in capsys.readouterr().err
    assert sorted(map(int, log.read_text().split())) == [0, 10, 20, 30, 40]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_source_comes_after_all_before_it(store, log, jobs):
    def broken() -> Iterator[Task]:
        yield from row_tasks(log, 3)
        raise EOFError("the source is cut off")

    found = []
    with pytest.raises(EOFError, match="cut off"):
        for parts in computed(broken(), store, jobs, QUIET):
            found.append(parts)
    assert numbers(found) == list(range(30))


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_a_task_is_raised_as_it_is(store, log, jobs):
    failing = Task("nothing", {"rows": 1}, functools.partial(build_rows, "seven", log))
    with pytest.raises(TypeError, match="str"):
        list(computed([failing], store, jobs, QUIET))


def test_a_result_that_the_caller_cannot_see_is_an_error(store, log, monkeypatch):
    monkeypatch.setattr(bulk, "_keep", lambda _, task: (task.name, task.recipe))
    with pytest.raises(StoreNotShared, match="file system"):
        list(computed(row_tasks(log, 1), store, 1, QUIET))


def test_a_process_that_dies_ends_the_run_and_the_next_run_goes_on(store, log):
    def kill_one() -> None:
        wait_for(log.read_text, "the first result")
        children = psutil.Process().children()
        next(one for one in children if "popen_loky" in " ".join(one.cmdline())).kill()

    killer = threading.Thread(target=kill_one)
    killer.start()
    with pytest.raises(TerminatedWorkerError):
        list(computed(row_tasks(log, 8, seconds=0.5), store, 2, QUIET))
    killer.join()
    finished = kept(store)
    assert len(finished) < 8
    log.write_text("")
    assert numbers(computed(row_tasks(log, 8), store, 2, QUIET)) == list(range(80))
    assert len(log.read_text().split()) <= 8 - len(finished)
    assert finished.items() < kept(store).items()


def test_a_task_takes_no_weak_references(log):
    """joblib scatters what takes them, and dask cannot bring scattered data back."""
    with pytest.raises(TypeError, match="weak reference"):
        weakref.ref(next(row_tasks(log, 1)))


# Labels


def test_chunks_come_back_in_the_order_of_the_positions(store):
    table = label_positions(random_fens(25), scripted(), store, chunk=10, progress=False)
    assert materials(table) == [*range(1, 11), *range(1, 11), *range(1, 6)]
    assert len(kept(store)) == 3


def test_nothing_is_asked_twice(store):
    fens = random_fens(20)
    first = label_positions(fens, scripted(), store, chunk=5, jobs=1, progress=False)
    broken = scripted("--fault", "crash", "--on", "position")
    again = label_positions(fens, broken, store, chunk=5, jobs=1, progress=False)
    assert same(first, again)


def test_other_positions_another_oracle_and_another_chunk_have_other_keys(store):
    fens = random_fens(10)
    asked = scripted()
    other = Oracle("another", asked.command, asked.banner, asked.trace)
    for some, which, chunk in ((fens, asked, 10), (fens[:9], asked, 10), (fens, other, 10)):
        label_positions(some, which, store, chunk=chunk, jobs=1, progress=False)
    assert len(kept(store)) == 3
    label_positions(fens, asked, store, chunk=5, jobs=1, progress=False)
    assert len(kept(store)) == 5


def test_what_was_done_before_an_engine_failed_is_kept(store):
    fens = random_fens(30)
    failing = scripted("--fault", "crash", "--on", fens[22])
    with pytest.raises(EngineFailed, match="failed twice"):
        label_positions(fens, failing, store, chunk=10, jobs=1, progress=False)
    before = kept(store)
    assert len(before) == 2
    table = label_positions(fens, scripted(), store, chunk=10, jobs=1, progress=False)
    assert materials(table) == 3 * [*range(1, 11)]
    assert before.items() < kept(store).items()


def test_an_altered_chunk_is_computed_anew(store):
    fens = random_fens(12)
    first = label_positions(fens, scripted(), store, chunk=6, jobs=1, progress=False)
    expected = first.take(range(len(first)))
    victim = next(store.root.glob("labels-*/middlegame.npy"))
    victim.write_bytes(victim.read_bytes()[:-40])
    again = label_positions(fens, scripted(), store, chunk=6, jobs=1, progress=False)
    assert same(expected, again)


def test_what_is_no_fen_is_refused_by_name(store):
    with pytest.raises(ValueError, match="'e4'"):
        label_positions([chess.STARTING_FEN, "e4"], scripted(), store, jobs=1, progress=False)
    with pytest.raises(ValueError, match="chunk must be at least 1"):
        label_positions([chess.STARTING_FEN], scripted(), store, chunk=0, progress=False)


def test_no_positions_give_an_empty_table(store):
    assert len(label_positions([], scripted(), store, progress=False)) == 0


RUN = """
import json, sys
from pathlib import Path
from chessgloss.bulk import label_positions
from chessgloss.oracle import STOCKFISH_8, Oracle
from chessgloss.store import Store
command, fens, root = json.loads(sys.argv[1])
oracle = Oracle("scripted oracle", tuple(command), "Stockfish.js 8 ", STOCKFISH_8, timeout=30)
label_positions(fens, oracle, Store(Path(root)), chunk=10, jobs=1, progress=False)
"""


def test_a_run_that_was_killed_goes_on_where_it_stopped(store):
    fens = random_fens(60)
    slow = engine_command("--drip", "64")
    run = subprocess.Popen([sys.executable, "-c", RUN, json.dumps([slow, fens, str(store.root)])])
    wait_for(lambda: len(kept(store)) >= 2, "two chunks")
    run.kill()
    run.wait()
    before = kept(store)
    assert 2 <= len(before) < 6
    table = label_positions(fens, scripted(), store, chunk=10, jobs=1, progress=False)
    assert materials(table) == 6 * [*range(1, 11)]
    assert before.items() < kept(store).items()


# Files of evaluations


def write_evaluations(path: Path, fens: list[str]) -> Path:
    """Write a file as Lichess does: FENs of four fields, one JSON object a line."""
    rows = [{"fen": " ".join(fen.split()[:4]), "evals": []} for fen in fens]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(zstandard.ZstdCompressor().compress(text.encode()))
    return path


def test_a_file_is_labelled_line_by_line(store, tmp_path):
    fens = random_fens(23)
    path = write_evaluations(tmp_path / "some.jsonl.zst", fens)
    found = list(label_stream(path, scripted(), store, chunk=10, progress=False))
    assert [len(one.fens) for one in found] == [10, 10, 3]
    assert np.concatenate([one.lines for one in found]).tolist() == list(range(1, 24))
    read = [fen.split()[:2] for one in found for fen in one.fens]
    assert read == [fen.split()[:2] for fen in fens]
    assert all(fen.endswith(" 0 1") for one in found for fen in one.fens)
    assert materials(found[2].table) == [1, 2, 3]


def test_damaged_lines_are_named_and_the_rest_is_labelled(store, tmp_path):
    good = json.dumps({"fen": "4k3/8/8/8/8/8/8/4K2R w K -"})
    no_king = json.dumps({"fen": "8/8/8/8/8/8/8/4K2R w K -"})
    path = tmp_path / "damaged.jsonl"
    path.write_text("\n".join([good, '{"fen": 4k', good, no_king, '{"evals": []}', good]) + "\n")
    first, second = label_stream(path, scripted(), store, chunk=3, jobs=1, progress=False)
    assert (first.lines.tolist(), second.lines.tolist()) == ([1, 3], [6])
    assert [bad.line for bad in (*first.damaged, *second.damaged)] == [2, 4, 5]
    assert '{"fen": 4k' in first.damaged[0].reason
    assert materials(second.table) == [1]


def test_a_file_that_is_cut_off_is_labelled_as_far_as_it_goes(store, tmp_path):
    whole = write_evaluations(tmp_path / "whole.jsonl.zst", random_fens(4_000))
    path = tmp_path / "cut.jsonl.zst"
    path.write_bytes(whole.read_bytes()[:-2_000])
    found = []
    with pytest.raises(streams.TruncatedFileError, match="cut off"):
        for one in label_stream(path, scripted(), store, chunk=1_000, progress=False):
            found.append(len(one.fens))
    assert found
    assert found[:-1] == [1_000] * (len(found) - 1)


def test_a_file_is_read_as_it_is_needed_and_no_further_than_asked(store, tmp_path, monkeypatch):
    read = 0

    def endless(_: Path) -> Iterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield b'{"fen": "4k3/8/8/8/8/8/8/4K2R w K -"}\n'

    monkeypatch.setattr(streams, "lines", endless)
    stream = label_stream(tmp_path, scripted(), store, chunk=10, jobs=1, progress=False)
    for _ in range(3):
        assert len(next(stream).fens) == 10
    assert read <= 60
    stream.close()
    found = label_stream(tmp_path, scripted(), store, chunk=10, limit=15, progress=False)
    assert [len(one.fens) for one in found] == [10, 5]


# The book's page


def scripts_of(page: Path) -> dict[str, str]:
    """Return the Python scripts of a page by their names."""
    block = r"```{code-block} python\n:name: (\S+)\n(.*?)\n```"
    return dict(re.findall(block, page.read_text("utf-8"), re.DOTALL))


PAGE = Path(__file__).parents[1] / "book" / "scale.md"


def test_every_script_of_the_page_can_be_read():
    scripts = scripts_of(PAGE)
    assert len(scripts) == PAGE.read_text("utf-8").count("{code-block} python")
    for name, script in scripts.items():
        imported = [line for line in ast.parse(script).body if isinstance(line, ast.ImportFrom)]
        for line in imported:
            module = importlib.import_module(line.module)
            assert not [one.name for one in line.names if not hasattr(module, one.name)], name


@pytest.mark.slow
@pytest.mark.engine
def test_the_scripts_of_the_page_run(tmp_path, oracle8):
    write_evaluations(tmp_path / "lichess_db_eval.jsonl.zst", random_fens(300))
    said = {}
    for name in ("label-everything", "cut-everything"):
        script = tmp_path / f"{name}.py"
        script.write_text(scripts_of(PAGE)[name], encoding="utf-8")
        run = subprocess.run(
            [sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        said[name] = run.stdout
    assert "300 positions labelled, 0 lines" in said["label-everything"]
    assert len(said["cut-everything"].splitlines()) == 21
    assert len(list((tmp_path / "labels").iterdir())) == 1


# Activations


def test_activations_do_not_depend_on_the_chunks(store):
    fens = random_fens(30)
    expected = joined_activations(load_expert("onehot", view="mover"), fens, "board")
    source = ExpertSource.of("onehot", view="mover")
    for chunk, jobs in ((30, 1), (7, 2)):
        found = activate(fens, source, "board", store, chunk=chunk, jobs=jobs, progress=False)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == np.float16
    chunks = list(activation_stream(fens, source, "board", store, chunk=7, progress=False))
    assert [len(rows) for rows in chunks] == [7, 7, 7, 7, 2]
    assert all(isinstance(rows, np.memmap) for rows in chunks)


def test_another_view_or_expert_has_another_key(store):
    fens = random_fens(4)
    for source in (
        ExpertSource.of("onehot", view="white"),
        ExpertSource.of("onehot", view="mover"),
    ):
        activate(fens, source, "board", store, jobs=1, progress=False)
    assert len(kept(store)) == 2


def test_no_positions_have_no_activations(store):
    with pytest.raises(ValueError, match="at least one FEN"):
        activate([], ExpertSource.of("onehot"), "board", store, jobs=1, progress=False)


def test_a_worker_with_another_network_file_refuses(tmp_path):
    path = tmp_path / "network.nnue"
    path.write_bytes(b"one network")
    source = ExpertSource.of("nnue", path)
    path.write_bytes(b"another network")
    with pytest.raises(ValueError, match="give every worker the same file"):
        source.load()


# On a cluster


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Two worker processes, each watched by a nanny that replaces it when it dies."""
    distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is missing")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=str(tmp_path_factory.mktemp("dask")),
        ) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        yield client


def worker_pids(client) -> set[int]:
    return set(client.run(os.getpid).values())


@pytest.mark.slow
@pytest.mark.engine
def test_a_lost_worker_costs_nothing(client, store, oracle8):
    """Stockfish 8 starts once a chunk, so that the work lasts long enough to be disturbed."""
    fens = random_fens(240)
    expected = evaluate_terms(fens, oracle8, processes=1, progress=False)
    before, seen = worker_pids(client), []

    def kill_one() -> None:
        wait_for(lambda: kept(store), "the first chunk")
        seen.append(len(kept(store)))
        victim = min(before)
        orphans = psutil.Process(victim).children(recursive=True)
        os.kill(victim, signal.SIGKILL)
        _, alive = psutil.wait_procs(orphans, timeout=30)
        seen.append(len(alive))

    killer = threading.Thread(target=kill_one)
    killer.start()
    table = label_positions(fens, oracle8, store, chunk=40, progress=False)
    killer.join()
    kept_at_the_kill, engines_left = seen
    assert 1 <= kept_at_the_kill < 6
    assert engines_left == 0
    assert min(before) not in worker_pids(client)
    assert same(table, expected)
    assert len(kept(store)) == 6


@pytest.mark.slow
def test_a_cluster_activates_the_same_rows(client, store):
    try:
        source = ExpertSource.of("nnue")
    except (assets.AssetMissing, EngineMissing) as error:
        pytest.skip(str(error))
    fens = random_fens(200)
    found = activate(fens, source, "pairwise", store, chunk=50, progress=False)
    expected = joined_activations(load_expert("nnue"), fens, "pairwise")
    np.testing.assert_array_equal(found, expected)
    assert len(kept(store)) == 4


@pytest.mark.slow
def test_a_clusters_error_is_the_tasks_own(client, store):
    fens = random_fens(20)
    failing = scripted("--fault", "crash", "--on", fens[12])
    with pytest.raises(EngineFailed, match="failed twice"):
        label_positions(fens, failing, store, chunk=10, progress=False)
