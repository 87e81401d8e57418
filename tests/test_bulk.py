"""Bulk stages: the same numbers as in one go, whatever is killed, cut off or altered."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import chess
import joblib
import numpy as np
import pytest
import zstandard

from chessgloss.concepts.bulk import activate, label, sample_evaluated, stream_fens
from chessgloss.corpora import games
from chessgloss.engine import EngineFailed
from chessgloss.experts import joined_activations, load_expert
from chessgloss.oracle import TermTable, evaluate_terms
from chessgloss.store import Store
from fakes.oracles import materials, random_fens, scripted
from scripts import PROJECT, refuses

PAGE = PROJECT / "book" / "scale.md"


def kept(store: Store) -> dict[str, int]:
    """Return the artefacts of a store and when each was made."""
    return {path.name: path.stat().st_mtime_ns for path in store.root.glob("[!.]*")}


def table_of(fens, *given, **options) -> TermTable:
    """Return the terms of all positions as one table."""
    return TermTable.concatenate(part.table for part in label(fens, *given, **options))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize("jobs", [1, 2])
def test_chunks_come_in_order_are_asked_once_and_kept_when_an_engine_fails(store, jobs):
    fens = random_fens(25)
    failing = scripted("--fault", "crash", "--on", fens[22])
    ask = partial(table_of, fens, store=store, chunk=10)
    refuses(EngineFailed, "failed twice", ask, failing, jobs=jobs)
    before = kept(store)
    # With two engines the second chunk may still be under way when the third one fails.
    assert len(before) == 2 or (jobs == 2 and before)
    table = ask(scripted(), jobs=jobs)
    assert materials(table) == [*range(1, 11), *range(1, 11), *range(1, 6)]
    assert before.items() < kept(store).items()
    assert materials(ask(failing)) == materials(table)


def test_bad_input_is_named_and_a_store_that_is_not_shared_refused(store, monkeypatch):
    (part,) = label([chess.STARTING_FEN, "e4"], scripted(), store, jobs=1)
    ((line, problem),) = part.damaged
    assert (len(part.table), line) == (1, 2)
    assert "'e4'" in problem
    ask = partial(label, oracle=scripted(), store=store, jobs=1)
    refuses(ValueError, "chunk must be at least 1", list, ask([], chunk=0))
    assert len(table_of([], scripted(), store)) == 0
    monkeypatch.setattr(
        "chessgloss.concepts.bulk._keep", lambda store, name, chunk, *_: chunk
    )
    refuses(FileNotFoundError, "file system", list, ask(random_fens(2)))


# ---------------------------------------------------------------- files of evaluations


def evaluations(fens: list[str]) -> list[str]:
    """Lines as Lichess writes them: one JSON object each, its FEN of four fields."""
    return [json.dumps({"fen": " ".join(fen.split()[:4]), "evals": []}) for fen in fens]


def write_evaluations(path: Path, fens: list[str]) -> None:
    text = "\n".join(evaluations(fens)) + "\n"
    path.write_bytes(zstandard.ZstdCompressor().compress(text.encode()))


def test_a_file_is_labelled_line_by_line_and_damaged_lines_are_named(store, tmp_path):
    fens = random_fens(7)
    rows = evaluations(fens)
    rows[1:1] = [
        '{"fen": 4k',
        json.dumps({"fen": "8/8/8/8/8/8/8/4K2R w K -"}),
        '{"evals": []}',
    ]
    path = tmp_path / "damaged.jsonl"
    path.write_text("\n".join(rows) + "\n")
    first, second = label(stream_fens(path), scripted(), store, chunk=6, jobs=1)
    assert (first.lines.tolist(), second.lines.tolist()) == ([1, 5, 6], [7, 8, 9, 10])
    assert [line for line, _ in first.damaged + second.damaged] == [2, 3, 4]
    assert '{"fen": 4k' in first.damaged[0][1]
    mended = [*first.fens, *second.fens]
    assert mended == [" ".join([*fen.split()[:4], "0 1"]) for fen in fens]
    assert materials(second.table) == [1, 2, 3, 4]


def test_positions_of_a_file_stand_for_games_and_a_board_is_in_one_part(tmp_path):
    fens = random_fens(200)
    twin = "r3k2r/8/8/8/8/8/8/R3K2R w {} - 0 1"
    twins = [twin.format(rights) for rights in ("KQkq", "-")]
    path = tmp_path / "lichess_db_eval.jsonl.zst"
    write_evaluations(path, [*twins, "no position", *fens])
    sample, parts = sample_evaluated(path, 100)
    assert sample.fens[:2] == tuple(twins) and len(sample) == len(parts) == 99
    assert sample.games.tolist() == list(range(99))
    assert parts[0] == parts[1] and set(parts) == {"train", "validation", "test"}
    write_evaluations(path, ["no position"])
    refuses(ValueError, "no position on its first 9 lines", sample_evaluated, path, 9)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_is_cut_off_is_labelled_as_far_as_it_goes(store, tmp_path, jobs):
    path = tmp_path / "cut.jsonl.zst"
    write_evaluations(path, random_fens(2_500))
    path.write_bytes(path.read_bytes()[:-2_000])
    parts = label(stream_fens(path), scripted(), store, chunk=500, jobs=jobs)
    rows = []
    with pytest.raises(games.TruncatedFileError, match="cut off"):
        for part in parts:
            rows.append(len(part.fens))
    assert rows and rows[:-1] == [500] * (len(rows) - 1)


def test_a_file_is_read_as_it_is_needed_and_no_further_than_asked(
    store, tmp_path, monkeypatch
):
    read: list[int] = []

    def endless(_):
        for number in itertools.count(1):
            read.append(number)
            yield b'{"fen": "4k3/8/8/8/8/8/8/4K2R w K -"}\n'

    monkeypatch.setattr(games, "stream_lines", endless)
    stream = label(stream_fens(tmp_path), scripted(), store, chunk=10, jobs=1)
    assert [len(next(stream).fens) for _ in range(3)] == [10] * 3
    assert len(read) <= 60


# ---------------------------------------------------------------- the book's page


def scripts_of(page: Path) -> dict[str, str]:
    """Return the Python scripts of a page by their names."""
    block = r"```{code-block} python\n:name: (\S+)\n(.*?)\n```"
    return dict(re.findall(block, page.read_text("utf-8"), re.DOTALL))


@pytest.mark.slow
@pytest.mark.engine
def test_the_scripts_of_the_page_run(tmp_path, oracle8):
    write_evaluations(tmp_path / "lichess_db_eval.jsonl.zst", random_fens(300))
    printed = []
    for name in ("label-everything", "cut-everything"):
        script = tmp_path / f"{name}.py"
        script.write_text(scripts_of(PAGE)[name], encoding="utf-8")
        command = [sys.executable, script.name]
        options = {"capture_output": True, "text": True}
        run = subprocess.run(command, cwd=tmp_path, check=False, **options)
        assert run.returncode == 0, run.stderr
        printed.append(run.stdout)
    assert (
        "300 positions labelled, 0 lines" in printed[0]
        and len(printed[1].splitlines()) == 21
    )
    assert len(list((tmp_path / "labels").iterdir())) == 1


# ---------------------------------------------------------------- activations


def test_activations_do_not_depend_on_the_chunks_but_on_the_view(store):
    fens = random_fens(30)
    expected = joined_activations(load_expert("onehot", view="mover"), fens, "board")
    for chunk, jobs, sizes in ((30, 1, [30]), (7, 2, [7, 7, 7, 7, 2])):
        rows = [
            *activate(
                fens, "onehot", "board", store, view="mover", chunk=chunk, jobs=jobs
            )
        ]
        assert [len(part) for part in rows] == sizes
        assert all(
            isinstance(part, np.memmap) and part.dtype == np.float16 for part in rows
        )
        np.testing.assert_array_equal(np.concatenate(rows), expected)
    [other] = activate(fens, "onehot", "board", store, view="white", jobs=1)
    assert not np.array_equal(other, expected)


def test_a_worker_with_another_network_file_refuses(tmp_path, store):
    path = tmp_path / "network.nnue"
    path.write_bytes(b"one network")
    rows = activate(random_fens(2), "nnue", "pairwise", store, path=path, jobs=1)
    path.write_bytes(b"another network")
    refuses(ValueError, "give every worker the same file", list, rows)


# ---------------------------------------------------------------- on a cluster


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Two worker processes, each watched by a nanny that replaces it when it dies."""
    distributed = pytest.importorskip(
        "distributed", reason="the extra 'cluster' is missing"
    )
    folder = str(tmp_path_factory.mktemp("dask"))
    options = {
        "threads_per_worker": 1,
        "dashboard_address": None,
        "local_directory": folder,
    }
    with (
        distributed.LocalCluster(2, **options) as two,
        distributed.Client(two) as client,
        joblib.parallel_config(backend="dask"),
    ):
        yield client


def worker_pids(client) -> set[int]:
    return set(client.run(os.getpid).values())


@pytest.mark.release
@pytest.mark.engine
def test_a_lost_worker_costs_nothing(client, store, oracle8):
    """Stockfish 8 starts once a chunk, so that the work lasts long enough to be disturbed."""
    fens = random_fens(240)
    expected = evaluate_terms(fens, oracle8, processes=1, progress=False)
    before = worker_pids(client)
    at_the_kill = []

    def kill_a_worker() -> None:
        while not kept(store):
            time.sleep(0.01)
        at_the_kill.append(len(kept(store)))
        os.kill(min(before), signal.SIGKILL)

    killer = threading.Thread(target=kill_a_worker)
    killer.start()
    table = table_of(fens, oracle8, store, chunk=40)
    killer.join()
    assert 1 <= at_the_kill[0] < 6 and min(before) not in worker_pids(client)
    for name, values in expected.arrays().items():
        np.testing.assert_array_equal(table.arrays()[name], values)
    assert len(kept(store)) == 6
