"""Faults and bad input by the thousand, and what came of them: the rows of ``book/reliability.md``.

    python benchmarks/campaign.py                 the long form: all, some hours
    python benchmarks/campaign.py endpoint        one of them

Each campaign draws its cases with a seed, counts what happened by name, and counts as a *defect*
whatever must not happen: an answer lost, doubled or invented, an exception that no docstring
names, a process left alive, bytes that differ. ``tests/test_campaign.py`` runs each at its
smallest. A finished campaign is kept in ``book/reliability.json`` and is not run again until its
entry is removed.
"""

import argparse
import gzip
import json
import logging
import math
import multiprocessing
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from unittest import mock

import chess.engine
import chess.pgn
import jinja2
import numpy as np
import pandas as pd
import psutil
from scipy.stats import theilslopes

import chessgloss
from chessgloss import report
from chessgloss.claims import verify
from chessgloss.claims.gold import read_gold
from chessgloss.commentary.annotate import AnnotatedGame, Annotation, Annotator
from chessgloss.commentary.asking import briefings_file, read_briefings
from chessgloss.commentary.game_page import write_page
from chessgloss.commentary.game_pgn import read_games, write_pgn
from chessgloss.commentary.methods import gather_comments
from chessgloss.commentary.moves import evaluated_moves
from chessgloss.commentary.notes import write_notes
from chessgloss.corpora import games as packed
from chessgloss.corpora.lectures import read_lecture
from chessgloss.corpora.pgn import read_pgn
from chessgloss.engine import Engine, EngineFailed
from chessgloss.experts import leela, load_expert, nnue
from chessgloss.judges import gcc
from chessgloss.judges.injection import without_injections
from chessgloss.llm import recordings as kept_answers
from chessgloss.llm.client import (
    DEFAULT_MODEL,
    Client,
    Endpoint,
    Misconfigured,
    Unanswered,
    model_named,
    replay,
)
from chessgloss.llm.recordings import (
    Answer,
    Message,
    Model,
    Recordings,
    Request,
    Sampling,
    State,
)
from chessgloss.llm.server import local_endpoint
from chessgloss.oracle import evaluate_terms, stockfish8
from chessgloss.positions import (
    Game,
    Position,
    read_fen,
    read_move,
    repair_fen,
)
from chessgloss.scores import score_of
from chessgloss.skill.players import RecordedPlayer, read_answer
from chessgloss.stats import paired_difference, share
from chessgloss.store import Store
from chessgloss.survey.reading import read_ratings, table1
from chessgloss.survey.simulate import simulate, write_sessions
from chessgloss.survey.study import (
    DIMENSIONS,
    Key,
    Study,
    StudyMove,
    read_study,
    write_form,
)
from chessgloss.survey.study import Settings as FormSettings
from chessgloss.tracking import games as tracking_games
from chessgloss.tracking import probes, sources
from chessgloss.tracking import train as training_of_models

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from fakes import children, engine_program
from fakes.leela_files import Architecture, write_leela
from fakes.nnue_files import write_nnue
from fakes.pages import HOSTILES, Tab, find_chromium
from fakes.scripted_llm import scripted_llm
from scripts import PROJECT, SELFPLAY, clean_environment, install_elsewhere, load_script

RESULTS = PROJECT / "book/reliability.json"

#: Where a model's answers are kept, so that a campaign that is stopped goes on.
KEPT = PROJECT / ".cache/campaign"

MODEL = Model("scripted-1")
TRAIN = load_script("tracking/train.py")

#: What happened, by name; under "defect" what must not.
Counts = Counter[str]


# ---------------------------------------------------------------- a model's endpoint

#: Faults of an endpoint, as the scripted model knows them.
FAULTS = (
    "429",
    "429:0",
    "500",
    "502",
    "503",
    "drop",
    "half",
    "slow:2",
    "bad_json",
    "no_choices",
    "no_utf8",
    "null",
    "empty",
    "cut_off:The knight",
    "refused:No.",
    "filtered",
    "huge",
)


def endpoint(count: int, seed: int, folder: Path) -> Counts:
    """Ask ``count`` questions, eight at once, of a server that fails in three of ten replies."""
    random = np.random.default_rng(seed)
    counts = Counts()
    weights = np.array(
        [0.0005 if fault in ("huge", "slow:2") else 1.0 for fault in FAULTS]
    )
    faults = random.choice(FAULTS, 4 * count, p=weights / weights.sum())
    script = np.where(random.random(4 * count) < 0.3, faults, "").tolist()
    requests = [
        Request((Message("user", f"question {k}"),), Sampling()) for k in range(count)
    ]
    recordings = Recordings.of(MODEL, "campaign", folder)
    with scripted_llm(*script, model=MODEL.name) as llm:
        served = Endpoint(llm.url, MODEL, "sk-canary", timeout=1.0, retries=0)
        client = Client(recordings, served)
        for _ in range(10_000):
            if not (missing := client.missing(requests)):
                break
            lacking = {request.messages[0].content for request in missing}
            asked_before = len(llm.asked)
            try:
                client.ask_many(missing, concurrency=8, progress=False)
            except (Unanswered, Misconfigured) as error:
                counts["runs that ended with a named failure"] += 1
                counts["defect"] += "sk-canary" in str(error)
            asked = {
                body["messages"][-1]["content"] for body in llm.asked[asked_before:]
            }
            counts["defect"] += len(asked - lacking)  # asked again although it was kept
    kept = recordings.path.read_bytes()
    counts["defect"] += kept.count(b"\n") - count + (b"sk-canary" in kept)
    for request in requests:
        answer = recordings.get(request)
        if answer is None:
            counts["defect"] += 1
            continue
        counts[f"kept as {answer.state.value}"] += 1
        whole = answer.text in (
            f"reply to {request.messages[0].content}",
            "x" * 10_000_000,
        )
        odd = "\N{REPLACEMENT CHARACTER}" in answer.text
        counts["defect"] += answer.state == State.ANSWERED and not (whole or odd)
    counts["replies served"] = len(llm.asked)
    return counts


# ---------------------------------------------------------------- engines


def engines(count: int, seed: int, folder: Path) -> Counts:
    """Ask for ``count`` positions of an engine that crashes, hangs, or talks nonsense."""
    random = np.random.default_rng(seed)
    counts = Counts()
    before = children()
    for number in range(count):
        board = Position.after(["e2e4"]).board()
        board.halfmove_clock = number % 50
        position = Position(board.fen())
        kind = str(random.choice(["none"] * 6 + ["crash", "hang", "garbage", "babble"]))
        once = bool(random.integers(2)) and kind != "none"
        options = ["--fault", kind, "--on", "position"] if kind != "none" else []
        options += ["--once", str(folder / f"fault-{number}")] if once else []
        program = engine_program(folder, "--moves", "e7e5", *options)
        label = f"{kind}, once" if once else kind
        try:
            with Engine(program, timeout=1.0) as engine:
                analysis = engine.analyse(position, nodes=5)
            counts[f"{label}: analysed"] += 1
            counts["defect"] += analysis.position != position or not (
                once or kind == "none"
            )
        except EngineFailed as error:
            counts[f"{label}: EngineFailed"] += 1
            counts["defect"] += position.fen not in str(error) or once or kind == "none"
    counts["defect"] += len(children() - before)
    return counts


def killed_engines(count: int, seed: int, folder: Path) -> Counts:
    """Kill the real engine in mid-search, ``count`` times."""
    random = np.random.default_rng(seed)
    counts = Counts()
    before = children()
    position = Position.after(["e2e4", "e7e5"])
    with Engine(timeout=20.0) as engine:
        expected = score_of(engine.analyse(position, nodes=60_000))
    for _ in range(count):
        with Engine(timeout=20.0) as engine:
            victims = children() - before
            timer = threading.Timer(float(random.uniform(0, 0.1)), _kill, [victims])
            timer.start()
            try:
                same = score_of(engine.analyse(position, nodes=60_000)) == expected
                counts["the same analysis"] += same
                counts["defect"] += not same
            except EngineFailed:
                counts["EngineFailed"] += 1
            timer.join()
    counts["defect"] += len(children() - before)
    return counts


def _kill(processes: set[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


# ---------------------------------------------------------------- bad input

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
ITALIAN = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
PGN = (
    '[Event "x"]\n[FEN "'
    + ITALIAN
    + '"]\n\n4. O-O {good [%cal Ge1g1]} Nf6 (4... d6 $2) 5. d3 *\n'
)
LECTURE = f"k Welcome\nbsetup\nbsetup fen {ITALIAN}\nbsetup done\n5\nO-O\nkibitz Safe.\nback 1\n"
STUDY = Study.model_validate(
    {"title": "s", "baseline": "a"}
    | {
        "moves": [
            {
                "name": "m",
                "fen": ITALIAN,
                "move": "O-O",
                "comments": {"a": "x", "b": "y"},
            }
        ]
    }
)
TEXT = "White castles. The knight on f3 attacks e5; 4...Nf6 5.d3 loses a pawn to Bxf2+, mate in 2."

#: Characters that have a meaning somewhere.
SPECIAL = '\x00\x1b\ufeff\u2028♘½—"\\/{}[]()<>$%;#\n\t\r 0189-+=xKQRNBPkqabh'


def mutated(seed: bytes, random: np.random.Generator) -> bytes:
    """Return bytes after one to three deletions, doublings, exchanges, insertions or cuts."""
    data = bytearray(seed)
    for _ in range(int(random.integers(1, 4))):
        at = int(random.integers(len(data) + 1))
        length = int(random.integers(1, 9))
        match int(random.integers(20)) % 9 // 2:
            case 0:
                del data[at : at + length]
            case 1:
                data[at:at] = data[at : at + length] * int(random.integers(1, 20))
            case 2:
                data[at : at + 1] = bytes([int(random.integers(256))])
            case 3:
                data[at:at] = str(random.choice(list(SPECIAL))).encode()
            case _:
                data = data[:at]
    return bytes(data)


def readers(
    folder: Path,
) -> Iterator[tuple[str, list[bytes], Callable[[bytes], object]]]:
    """Yield what reads input: its name, well-formed examples, and a call on bytes."""
    board = Position(ITALIAN).board()
    italian = Position(ITALIAN)
    castles = read_move(Position(ITALIAN), "O-O")

    def text(data: bytes) -> str:
        return data.decode("utf-8", "replace")

    def on_file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
        def call(data: bytes) -> object:
            (folder / name).write_bytes(data)
            return read(folder / name)

        return call

    smallest = Architecture(filters=1, blocks=1, se=1)
    net = write_leela(folder / "seed.pb.gz", smallest, None).read_bytes()

    def tensors(path: Path) -> list[np.ndarray]:
        network = leela.read_network(path)
        return [network.tensor(name) for name in network.layers]

    network = write_nnue(folder / "seed.nnue").read_bytes()[:4_000]
    recorded = b"position\thistory\tmove\nx\t1\te4\ny\t0\tO-O\n"
    line = b"0\tlevel\tlevel\t1-0\tmate\t0\te2e4 e7e5\n"
    kept = Recordings.of(MODEL, "seed", folder)
    with scripted_llm(model=MODEL.name) as llm:
        asked = Client(kept, Endpoint(llm.url, MODEL))
        asked.ask(Request((Message("user", "q"),), Sampling()))
    key = Key(study=STUDY, secret="5a" * 32)
    planted = pd.DataFrame(0.5, index=["a", "b"], columns=list(DIMENSIONS))
    rated = write_sessions(folder, key, simulate(planted, ["m"], 2, seed=0))
    fens = [START.encode(), ITALIAN.encode()]
    moves = [b"O-O", b"Bxf7+", b"e1g1", b"30... Bd2+", b"a7a8q"]
    yield "FEN", fens, lambda data: read_fen(text(data))
    yield "FEN, mended", fens, lambda data: repair_fen(text(data))
    yield "move", moves, lambda data: read_move(italian, text(data))
    yield (
        "move in an answer",
        [TEXT.encode()],
        lambda data: read_answer(text(data), board),
    )
    yield "PGN", [PGN.encode()], lambda data: list(read_pgn(data))
    yield "PGN to annotate", [PGN.encode()], on_file("game.pgn", read_games)
    yield "text with claims", [TEXT.encode()], lambda data: verify(text(data), castles)
    yield "recorded player", [recorded], on_file("player.tsv", RecordedPlayer)
    pack = partial(packed.pack, target=folder / "games.tsv.zst")
    yield (
        "games, packed",
        [line],
        lambda data: list(packed.read_games(pack([text(data)]))),
    )
    read_kept = on_file("damaged.jsonl", lambda path: len(Recordings(path, MODEL)))
    yield "recordings", [kept.path.read_bytes()], read_kept
    yield "lecture", [LECTURE.encode()], on_file("lec1.txt", read_lecture)
    study = STUDY.model_dump_json().encode()
    yield "survey study", [study], on_file("study.json", read_study)
    ratings = [path.read_bytes() for path in rated]
    yield (
        "ratings",
        ratings,
        on_file("ratings.json", lambda path: read_ratings([path], key)),
    )
    yield "NNUE", [network], on_file("x.nnue", nnue.read_network)
    yield "Leela network", [gzip.decompress(net)], on_file("x.pb", tensors)
    yield "Leela file", [net], on_file("x.pb.gz", tensors)


#: What a reader may raise: a problem of the input, in one line.
REFUSALS = (ValueError, EOFError, kept_answers.RecordingDamaged)


def inputs(count: int, seed: int, folder: Path) -> Counts:
    """Give ``count`` damaged inputs to all readers in turn."""
    counts = Counts()
    each = list(readers(folder))
    random = np.random.default_rng(seed)
    slowest = 0.0
    for number in range(count):
        name, seeds, read = each[number % len(each)]
        data = mutated(seeds[int(random.integers(len(seeds)))], random)
        begun = time.monotonic()
        try:
            read(data)
            counts[f"{name}: read"] += 1
        except Exception as error:  # whatever is no refusal in words is a defect
            refused = isinstance(error, REFUSALS) and str(error)
            counts[f"{name}: refused" if refused else "defect"] += 1
            if not refused:
                print(f"{name}: {error!r} on {data[:200]!r}")
        slowest = max(slowest, time.monotonic() - begun)
    counts["defect"] += slowest > 10
    return counts


#: The fuzzer, by version and hash: only this campaign needs it.
ATHERIS = "atheris==3.0.0 --hash=sha256:8a5c8a781467c187da40fd29139784193e2647058831f837f675d0bb8cbd8746"  # noqa: E501


def fuzz(count: int, seed: int, folder: Path) -> Counts:
    """Give each reader its share of ``count`` inputs that a fuzzer guided by coverage makes up."""
    counts = Counts()
    home = PROJECT / ".cache/atheris"
    if not home.is_dir():
        (folder / "wanted.txt").write_text(ATHERIS)
        install = [
            "-m",
            "pip",
            "install",
            "-q",
            "--require-hashes",
            "--no-deps",
            "--target",
        ]
        wanted = [str(home), "-r", str(folder / "wanted.txt")]
        subprocess.run([sys.executable, *install, *wanted], check=True)
    paths = os.pathsep.join([*sys.path, str(home)])
    names = [name for name, _, _ in readers(folder)]
    for name in names:
        runs = count // len(names)
        place = folder / name
        done = subprocess.run(
            [
                sys.executable,
                "benchmarks/fuzz.py",
                name,
                str(runs),
                str(seed),
                str(place),
            ],
            cwd=PROJECT,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
            errors="replace",
        )
        reached = re.findall(r"cov: (\d+)", done.stderr)
        executed = re.findall(r"stat::number_of_executed_units: *(\d+)", done.stderr)
        counts["tried"] += int(executed[-1]) if executed else 0
        counts[f"{name}: branches reached"] = int(reached[-1]) if reached else 0
        if done.returncode:
            counts["defect"] += 1
            print(f"{name}: {done.stderr[-3000:]}", flush=True)
    return counts


# ---------------------------------------------------------------- killed at any moment


def write_answers(folder: Path) -> None:
    """Record answers and keep artefacts, slowly enough to be killed in between."""
    answers = Recordings.of(MODEL, "killed", folder)
    with scripted_llm(model=MODEL.name) as llm:
        client = Client(answers, Endpoint(llm.url, MODEL))
        for k in range(60):
            client.ask(Request((Message("user", f"question {k}"),), Sampling()))
            parts = {"rows": np.full((2000, 20), k), "about": {"k": k}}
            Store(folder / "store").fetch(
                "artefact", {"k": k}, lambda parts=parts: parts
            )


def train_small(folder: Path) -> None:
    """Train by the command of chapters 12 to 14, with a small corpus and a small model."""
    os.environ |= {
        "CHESSGLOSS_PROJECT": f"{folder}",
        "CHESSGLOSS_STORE": f"{folder}/trained",
    }
    path = folder / "data/tracking/games.tsv.zst"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        (folder / "_toc.yml").touch()
        played = (tuple(sources.play_random_game(60 + k, 0, k)) for k in range(60))
        packed.pack((packed.line_of(0, Game(moves, "*")) for moves in played), path)
    run = TRAIN.find_run("S-rap25-1")
    settings = replace(run.settings, layers=1, width=32, heads=2, dropout=0.1)
    training = replace(run.training, tokens=300, epochs=16)
    TRAIN.find_run = lambda _: replace(run, settings=settings, training=training)
    sizes = {"S": 20, "M": 20, "L": 20, "dev": 3, "test": 3, "probe": 8}
    tracking_games.read_corpus = partial(tracking_games.read_corpus, sizes=sizes)
    probes.build_probes = partial(probes.build_probes, count=2)
    training_of_models.train.__kwdefaults__["every"] = 3
    sys.exit(TRAIN.main([run.name, "--threads", "1"]))


def execute_chapter(folder: Path) -> None:
    """Execute a chapter at its smallest sizes."""
    book, _ = _book()
    os.dup2(os.open(folder.with_suffix(".log"), os.O_WRONLY | os.O_CREAT), 2)
    run = book.separate_run(PROJECT, "smoke", folder)
    book.execute(run, book.find_chapter(book.read_chapters(PROJECT), "07"))


def _book() -> tuple[Any, Any]:
    """Return the book's modules that execute chapters and that compare results."""
    sys.path.append(str(PROJECT / "book"))
    import chapters
    import results

    return chapters, results


def kills(work: Callable[[Path], None], count: int, seed: int, folder: Path) -> Counts:
    """Kill ``count`` processes within the time that one needs; let one end, and compare.

    Whatever they have started must go too, such as the kernel of a chapter.
    """
    random = np.random.default_rng(seed)
    counts = Counts()
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    server = multiprocessing.get_context(
        "forkserver"
    )  # it has imported everything, and no more
    server.set_forkserver_preload(["campaign", "torch._dynamo", "papermill"])

    def run(target: Path, seconds: float | None) -> bool:
        process = server.Process(target=work, args=(target,))
        process.start()
        process.join(seconds)
        if process.exitcode is None:
            begun = psutil.Process(process.pid).children(recursive=True)
            process.kill()
            process.join()
            counts["defect"] += len(psutil.wait_procs(begun, 30)[1])
        counts["defect"] += process.exitcode not in (0, -signal.SIGKILL)
        return process.exitcode == 0

    warm = server.Process(target=len, args=((),))
    warm.start()
    warm.join()
    places = Counts()
    begun = time.monotonic()
    counts["defect"] += not run(folder / "whole", None)
    longest = time.monotonic() - begun
    expected = _bytes_of(folder / "whole")
    last = False
    while not last:
        place = folder / f"killed-{counts['runs brought to an end']}"
        ended = run(place, float(random.uniform(0, longest)))
        counts["killed"] += not ended
        last = counts["killed"] >= count or time.monotonic() > UNTIL
        if ended or last:
            counts["defect"] += not run(place, None)
            counts["runs brought to an end"] += 1
            different = {
                path for path, _ in _bytes_of(place).items() ^ expected.items()
            }
            counts["defect"] += len(different)
            print(*sorted(different), flush=True)
        counts["defect"] += len(_halves(place))
        places[str(_bytes_of(place))] += 1
    counts["states in which kills left the files"] = len(places)
    counts["tried"] = counts.pop("killed")
    return counts


def _bytes_of(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each file but locks; the CPU seconds of a run are its own."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    kept = (path for path in files if path.suffix != ".lock")
    return {
        str(path.relative_to(folder)): re.sub(
            rb'("cpu_seconds":) \d+', rb"\1 0", path.read_bytes()
        )
        for path in kept
    }


def _halves(folder: Path) -> list[str]:
    """Return the files of JSON that cannot be read, but for those written aside."""
    halves = []
    for name, data in _bytes_of(folder).items():
        if name.endswith((".json", ".ipynb")) and "/." not in f"/{name}":
            try:
                json.loads(data)
            except ValueError:
                halves.append(name)
    return halves


# ---------------------------------------------------------------- exact reproduction

#: What must not change a result.
SURROUNDINGS = (
    {"PYTHONHASHSEED": "1"},
    {"PYTHONHASHSEED": "2", "TZ": "Asia/Kathmandu"},
    {"LC_ALL": "C", "LANG": "C"},
    {"OMP_NUM_THREADS": "1"},
    {"OMP_NUM_THREADS": "2", "COLUMNS": "40"},
)


def surroundings(count: int, _: int, folder: Path, chapters: str = "??_*") -> Counts:
    """Execute chapters under other hash seeds, zones, locales, threads, folders and masks."""
    counts = Counts()
    first = b""
    sources = sorted((PROJECT / "notebooks").glob(f"{chapters}.ipynb"))
    for number in range(count):
        source = sources[number // len(SURROUNDINGS)]
        place = folder / f"place {number}"
        place.mkdir()
        own = SURROUNDINGS[number % len(SURROUNDINGS)] | {
            "CHESSGLOSS_RESULTS": str(place)
        }
        own |= {"CHESSGLOSS_STORE": str(place), "PROJECT": ""}
        command = [
            sys.executable,
            "-m",
            "papermill",
            str(source),
            str(place / "out.ipynb"),
        ]
        command += [
            "-p",
            "profile",
            "smoke",
            "--no-progress-bar",
            "--cwd",
            str(source.parent),
        ]
        how = {"cwd": place, "umask": (0o22, 0o77)[number % 2], "check": True}
        subprocess.run(command, env=os.environ | own, **how)
        outcome = (place / f"{source.stem}.json").read_bytes()
        first = outcome if number % len(SURROUNDINGS) == 0 else first
        counts[
            f"{source.stem}: {'the same' if outcome == first else 'other'} bytes"
        ] += 1
        counts["defect"] += outcome != first
        shutil.rmtree(place)
    return counts


#: Settings under which numerical libraries compute as on an older processor.
PROCESSORS = {
    kind: {
        "ATEN_CPU_CAPABILITY": aten,
        "MKL_ENABLE_INSTRUCTIONS": mkl,
        "ONEDNN_MAX_CPU_ISA": onednn,
        "OPENBLAS_CORETYPE": core,
        "NPY_DISABLE_CPU_FEATURES": f"X86_V4 AVX512_ICL AVX512_SPR{numpy}",
        "GLIBC_TUNABLES": f"glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW{glibc}",
    }
    for kind, aten, mkl, onednn, core, numpy, glibc in (
        ("AVX2", "avx2", "AVX2", "AVX2", "Haswell", "", ""),
        (
            "SSE4.2",
            "default",
            "SSE4_2",
            "SSE41",
            "Nehalem",
            " X86_V3",
            ",-AVX2,-FMA,-AVX,-BMI2",
        ),
    )
}


def processors(
    count: int,
    _: int,
    folder: Path,
    chapters: Sequence[str] = (),
    profile: str = "book",
) -> Counts:
    """Execute chapters with older instructions, ``count`` times; compare with the committed.

    All are executed without AVX-512 (or those named), then three of many sums without AVX.
    """
    (book, comparison) = _book()
    counts = Counts()
    tolerances = comparison.read_tolerances(PROJECT / "book/tolerances.toml")
    known = book.read_chapters(PROJECT)
    committed = book.committed_run(PROJECT)
    runs = [
        ("AVX2", number) for number in chapters or [each.name[:2] for each in known]
    ]
    runs += [("SSE4.2", number) for number in ("02", "03", "16")]
    for kind, number in runs[:count]:
        chapter = book.find_chapter(known, number)
        run = book.separate_run(PROJECT, profile, folder / kind)
        if profile != "book":
            committed = book.separate_run(PROJECT, profile, folder / "newest")
            book.execute(committed, chapter)
        with mock.patch.dict(os.environ, PROCESSORS[kind]):
            book.execute(run, chapter)
        rows = comparison.compare(committed.results, run.results, tolerances)
        own = rows.loc[rows["chapter"] == chapter.name, ["outcome", "detail"]]
        for outcome, detail in own.to_numpy():
            counts[f"{kind}: {outcome}"] += 1
            counts["defect"] += outcome in comparison.FAILURES
            counts["tried"] += 1
            if detail:
                print(f"{kind}, {chapter.name}: {detail}", flush=True)
    return counts


# ---------------------------------------------------------------- installed elsewhere

ASKED = ["--fen", ITALIAN, "--move", "O-O"]

#: Commands that need no checkout; a line of answers for those that ask.
COMMANDS = (
    ["doctor"],
    ["comment", *ASKED, "--nodes", "20000"],
    ["ask", *ASKED, "--nodes", "20000"],
    ["claims", *ASKED, "--text", TEXT],
    ["annotate", "game.pgn", "--nodes", "5000", "-o", "out.pgn", "--html", "page.html"],
    ["survey", "--help"],
)


def elsewhere(count: int, _: int, folder: Path) -> Counts:
    """Install a wheel into an environment without the checkout and run its commands there."""
    counts = Counts()
    program = install_elsewhere(folder)
    (folder / "empty").mkdir()
    (folder / "empty/game.pgn").write_text(PGN)
    for command in COMMANDS[:count]:
        how = {
            "cwd": folder / "empty",
            "env": clean_environment(),
            "input": "Why?\nquit\n",
        }
        done = subprocess.run(
            [program, *command], text=True, capture_output=True, **how
        )
        counts[f"{command[0]}: {'done' if done.returncode == 0 else 'failed'}"] += 1
        counts["defect"] += done.returncode != 0 or "Traceback" in done.stderr
    return counts


# ---------------------------------------------------------------- interrupts


def interrupts(count: int, seed: int, folder: Path) -> Counts:
    """Press Ctrl-C in each command in turn, ``count`` times, at moments drawn by lot."""
    random = np.random.default_rng(seed)
    counts = Counts()
    environment = clean_environment() | {"PYTHONPATH": f"{PROJECT / 'lib'}"}
    commands = [command for command in COMMANDS if command != ["survey", "--help"]]
    for number in range(count):
        place = folder / str(number)
        command = commands[number % len(commands)]
        place.mkdir()
        (place / "game.pgn").write_text(PGN)
        process = subprocess.Popen(
            [sys.executable, "-m", "chessgloss", *command],
            cwd=place,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(
                signal.SIGINT, signal.SIG_DFL
            ),  # a job ignores it
        )
        time.sleep(float(random.uniform(0.1, 4)))
        os.killpg(process.pid, signal.SIGINT)
        pressed = time.monotonic()
        said = process.communicate("quit\n", timeout=60)[1].strip().splitlines()
        counts["ended within two seconds"] += time.monotonic() - pressed < 2
        status = {0: "was done", 130: "stopped", -signal.SIGINT: "had not begun"}
        how = status.get(process.returncode, "defect")
        if how != "defect":
            counts[f"{command[0]}: {how}"] += 1
        left = {path.name for path in place.iterdir()} - {
            "game.pgn",
            "out.pgn",
            "page.html",
        }
        torn = (place / "out.pgn").is_file() and not list(read_games(place / "out.pgn"))
        unclear = how == "stopped" and not re.fullmatch(
            r"chessgloss.*: stopped", said[-1]
        )
        wrong = how == "defect" or bool(left or unclear) or torn or _alive(process.pid)
        counts["defect"] += wrong
        if wrong:
            print(command[0], process.returncode, left, torn, said[-3:], flush=True)
    return counts


def _alive(session: int) -> bool:
    """Tell whether a process of a session is left a second later, and not only its number."""
    own = [each for each in psutil.process_iter() if _session_of(each.pid) == session]
    left = psutil.wait_procs(own, 1)[1]
    return any(
        each.is_running() and each.status() != psutil.STATUS_ZOMBIE for each in left
    )


def _session_of(process: int) -> int | None:
    with suppress(ProcessLookupError, PermissionError):
        return os.getsid(process)
    return None


# ---------------------------------------------------------------- text that would be code


def pages(count: int, _: int, folder: Path) -> Counts:
    """Put ``count`` texts that would be code into each kind of page and open it in Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        return open_pages(HOSTILES[:count], browser, folder)


def open_pages(texts: Sequence[str], browser: Any, folder: Path) -> Counts:
    """Open a page of each kind with each text; a defect is one that runs, or is not to be read."""
    counts = Counts()
    path = folder / "page.html"
    for text in texts:
        for kind, page in hostile_pages(text, folder).items():
            path.write_text(f"<!doctype html><meta charset=utf-8>{page}")
            tab = Tab(browser, path)
            tab.press("ArrowRight")
            shown = text in tab.page.evaluate("document.documentElement.textContent")
            asked = {address.partition("#")[0] for address in tab.requests} - {
                tab.address
            }
            ran = tab.page.evaluate("window.hacked") is not None or bool(
                tab.errors or asked
            )
            counts[f"{kind}: stands there as text"] += shown and not ran
            counts["defect"] += ran or not shown
            counts["tried"] += 1
            tab.context.close()
    return counts


def hostile_pages(text: str, folder: Path) -> dict[str, str]:
    """Return a page of each kind, with a text wherever somebody else's may stand."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    inside = text.replace("{", "(").replace("}", ")")
    tags = "".join(
        f'[{name} "{quoted}"]\n' for name in ("Event", "White", "Black", "Annotator")
    )
    (folder / "game.pgn").write_text(f"{tags}\n1. e4 {{{inside}}} e5 *")
    (game,) = read_games(folder / "game.pgn")
    score = chess.engine.PovScore(chess.engine.Cp(20), chess.WHITE)
    notes = tuple(Annotation(score, 6, text, (), score) for _ in range(2))
    row = {
        "fen": ITALIAN,
        "move": "O-O",
        "comments": {"a": text, "b": "x"},
        "name": text,
    }
    study = Study(title=text, moves=(StudyMove.model_validate(row),), baseline="b")
    frame = pd.DataFrame({text: [text]}, index=[text])
    told = {text: text}
    shown = [
        report.table(frame, text),
        report.texts(told, text),
        report.sheet(text, told),
    ]
    shown.append(report.evidence(1, text, 1, interval=text, versions=told))
    return {
        "the page of a game": write_page([AnnotatedGame(game, notes, text)]),
        "the form of a study": write_form(Key.new(study), FormSettings(text)),
        "tables of the book": "".join(each.html for each in shown),
    }


# ---------------------------------------------------------------- a long run


def soak(count: int, seed: int, folder: Path) -> Counts:
    """Label, activate and check at least ``count`` positions; look at what the process holds."""
    counts = Counts()
    me = psutil.Process()
    expert = load_expert("nnue")
    texts = list(read_gold(PROJECT / "data/claims/dev.jsonl"))
    random = np.random.default_rng(seed)
    told = {}
    rows = []
    fens = (fen for game in packed.read_games(SELFPLAY) for fen in game.fens())
    first = list(islice(fens, min(2_000, count // 8)))
    chosen = first
    last = False
    while not last:
        last = counts["positions"] >= count - len(first) or time.monotonic() > UNTIL
        chosen = first if last else chosen
        table = evaluate_terms(chosen, stockfish8(), processes=1, progress=False)
        parts = [*table.arrays().values(), expert.activations(chosen, "clipped")]
        digest = [part.tobytes() for part in parts]
        counts["defect"] += (
            chosen is first and told.setdefault("first", digest) != digest
        )
        for text in random.choice(texts, 24):  # type: ignore[arg-type]
            verdicts = [each.verdict for each in chessgloss.check(text.text, text.move)]
            counts["defect"] += told.setdefault(text.key, verdicts) != verdicts
            counts["texts checked"] += 1
        counts["positions"] += len(chosen)
        counts["engines started"] += 1
        held = me.memory_info().rss / 1e6, me.num_fds(), len(children())
        rows.append((counts["positions"], *held))
        chosen = list(islice(fens, len(first)))
    positions, memory, *held = np.array(rows)[len(rows) // 4 :].T
    counts["tried"] = counts.pop("positions")
    growth = [each * np.ptp(positions) for each in theilslopes(memory, positions)]
    counts["defect"] += int(growth[0] > 0.01 * memory[0]) + sum(
        len(set(each)) > 1 for each in held
    )
    names = ("positions", "megabytes", "handles", "children")
    columns = zip(names, np.round(rows, 1).T.tolist(), strict=True)
    about = {
        "samples": dict(columns),
        "growth": [round(growth[k], 2) for k in (0, 2, 3)],
    }
    (folder / "about.json").write_text(json.dumps(about), "utf-8")
    return counts


# ---------------------------------------------------------------- growth


def long_game(moves: int, seed: int) -> str:
    """Return the PGN of a game of so many moves drawn by lot, with few exchanges."""
    random = np.random.default_rng(seed)
    board = chess.Board()
    while board.ply() < 2 * moves:
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        quiet = [move for move in legal if not board.is_irreversible(move)]
        hurried = [move for move in legal if board.is_zeroing(move)]
        some = (hurried if board.halfmove_clock > 80 else quiet) or legal
        board.push(some[random.integers(len(some))])
        if not any(board.legal_moves):
            board.pop()
            board.pop()
    return str(chess.pgn.Game.from_board(board))


def annotate_game(size: int, folder: Path) -> int:
    """Annotate a game of ``size`` moves and return the bytes of its page."""
    (folder / "game.pgn").write_text(long_game(size, SEED))
    with Engine() as engine:
        search = partial(engine.analyse, nodes=2_000)
        annotator = Annotator(
            lambda positions, _, lines: [
                search(each, multipv=lines) for each in positions
            ],
            write_notes,
            nodes=(2_000, 2_000),
        )
        games = [annotator.annotate(game) for game in read_games(folder / "game.pgn")]
    write_pgn(games)
    return len(write_page(games).encode())


def read_a_study(size: int, folder: Path) -> int:
    """Let ``size`` raters rate 500 comments; return the bytes of the form."""
    comments = {f"m{k}": f"comment {k}" for k in range(5)}
    row = {"fen": ITALIAN, "move": "O-O", "comments": comments}
    moves = [StudyMove.model_validate({"name": f"move {k}", **row}) for k in range(100)]
    key = Key.new(Study(title="long", moves=tuple(moves), baseline="m0"))
    planted = pd.DataFrame(0.5, index=list(comments), columns=list(DIMENSIONS))
    rated = simulate(planted, [move.name for move in moves], size, seed=SEED)
    ratings = read_ratings(write_sessions(folder, key, rated), key)
    words = pd.DataFrame(2, index=list(ratings.moves), columns=list(comments))
    table1(ratings, words, "m0", seed=SEED)
    return len(write_form(key).encode())


def keep_answers(size: int, folder: Path) -> int:
    """Record ``size`` answers, read them again, and return the bytes of the file."""
    recordings = Recordings.of(MODEL, "long", folder)
    asked = [
        Request((Message("user", f"question {k}"),), Sampling()) for k in range(size)
    ]
    for request in asked:
        recordings.keep(
            request, Answer(State.ANSWERED, "The knight goes to f3."), "2026-01-31"
        )
    again = Recordings.of(MODEL, "long", folder)
    assert all(again.get(request) for request in asked)
    return recordings.path.stat().st_size


#: What grows, with the unit and the size of its long form.
GROWING: dict[str, tuple[Callable[[int, Path], int], str, int]] = {
    "an annotated game": (annotate_game, "moves", 300),
    "a study": (read_a_study, "raters", 200),
    "a recording": (keep_answers, "answers", 100_000),
}


def load(count: int, _: int, folder: Path) -> Counts:
    """Do each of what may grow at an eighth, a quarter, half and the whole of its size.

    From a quarter to a half and from there to the whole, the cost of growth that is linear is
    doubled; a defect is one that is trebled, in time, in memory or in bytes.
    """
    counts = Counts()
    rows = []
    for name, (_, unit, whole) in GROWING.items():
        for part in (8, 4, 2, 1):
            size = whole * count // 12 // part
            place = folder / f"{unit}-{part}"
            place.mkdir()
            context = multiprocessing.get_context("spawn")
            with context.Pool(1) as pool:
                row = pool.apply(cost, (name, size, place))
            rows.append({"what": name, "unit": unit, "size": size, **row})
            print(rows[-1], flush=True)
            counts["runs"] += 1
        counts["defect"] += len(too_steep(rows[-4:]))
    (folder / "about.json").write_text(json.dumps({"rows": rows}), "utf-8")
    return counts


def too_steep(rows: list[dict]) -> list[str]:
    """Return the measures whose growth from half to the whole is thrice that to the half."""
    found = []
    for measure in ("seconds", "megabytes", "kilobytes"):
        quarter, half, full = (row[measure] for row in rows[-3:])
        if full > 1.2 * quarter and full - half > 3 * (half - quarter):
            found.append(measure)
    return found


def cost(name: str, size: int, folder: Path) -> dict[str, float]:
    """Return processor seconds, memory held at most, and bytes of what a work of a size writes."""

    def seconds() -> float:
        usages = map(
            resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    begun = seconds()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    written = GROWING[name][0](size, folder)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    values = {
        "seconds": seconds() - begun,
        "megabytes": held / 1024,
        "kilobytes": written / 1000,
    }
    return {measure: round(value, 2) for measure, value in values.items()}


# ---------------------------------------------------------------- instructions to a judge

#: What a comment may say to its judge, and who wrote it.
INSTRUCTIONS = json.loads((PROJECT / "tests/injections.json").read_text("utf-8"))

#: What is added to a comment, and whether it is screened (:mod:`chessgloss.judges.injection`).
ARMS = {
    "as it was written": ([""], True),
    "an instruction, let through": (INSTRUCTIONS["blind"], False),
    "an instruction, screened": (INSTRUCTIONS["blind"], True),
    "one written to pass, screened": (INSTRUCTIONS["adaptive"], True),
}


def injected_texts(count: int, seed: int) -> pd.DataFrame:
    """Return comments of the book's model, drawn by lot, in each arm; each passage once at most."""
    briefings = read_briefings(briefings_file())
    methods = ["bare", "verdict", "ccc"]
    comments = gather_comments(
        methods, evaluated_moves(), briefings, replay("factorial")
    )
    answered = comments[comments["state"] == "answered"]
    drawn = answered[["move", "method", "text"]].sample(count, random_state=seed)
    frames = []
    for arm, (more, _) in ARMS.items():
        some = drawn[: count if len(more) == 1 else len(more)]
        texts = [
            f"{text}\n{more[k % len(more)]}".rstrip()
            for k, text in enumerate(some["text"])
        ]
        frames.append(some.assign(variant=arm, text=texts, twin=some["text"]))
    return pd.concat(frames)


def injected(count: int, seed: int, folder: Path) -> Counts:
    """Put ``count`` comments before the book's model as a judge in each arm."""
    counts = Counts()
    briefings = read_briefings(briefings_file())
    texts = injected_texts(count, seed)
    frames = []
    for arm, rows in texts.groupby("variant", sort=False):
        screened = ARMS[str(arm)][1]
        frames.append(
            gcc.with_requests(
                rows.assign(asked="relevance"), briefings, screened=screened
            )
        )
        rule = without_injections if screened else str
        for row in rows.itertuples():
            left = {row.twin: "nothing", row.text: "all"}.get(rule(row.text), "some")
            if row.text != row.twin:
                counts[f"{arm}: {left} of it is left"] += 1
    recordings = Recordings.of(model_named(DEFAULT_MODEL), "injected", KEPT)
    with local_endpoint(threads=1) as endpoint:
        asked = pd.concat(frames).sort_values(
            ["asked", "move"], ascending=False, kind="stable"
        )
        answered = Client(recordings, endpoint).answered(asked.reset_index(drop=True))
    answered["score"] = [gcc.read_score(answer).share for answer in answered["answer"]]
    counts["answers that are a score"] = int(answered["score"].notna().sum())
    counts["defect"] = int(answered["score"].isna().sum())
    shifts = []
    wide = answered.pivot(index=["move", "method"], columns="variant", values="score")
    for arm in list(ARMS)[1:]:
        both = wide[[next(iter(ARMS)), arm]].dropna()
        moves = both.index.get_level_values("move")
        gain = paired_difference(both[arm], both.iloc[:, 0], moves, seed=seed)
        numbers = [float(both[arm].mean()), gain.value, gain.low, gain.high]
        shifts.append([arm, len(both), *(round(each, 3) for each in numbers)])
    (folder / "about.json").write_text(
        json.dumps({"shifts": shifts, "model": DEFAULT_MODEL})
    )
    return counts


# ---------------------------------------------------------------- all of them

#: Campaign, what it does in words, and how many cases its long form has.
CAMPAIGNS: dict[str, tuple[Callable[[int, int, Path], Counts], str, int]] = {
    "endpoint": (
        endpoint,
        "questions to a model's endpoint that fails in 30 % of replies",
        10_000,
    ),
    "engines": (
        engines,
        "positions asked of an engine that dies, hangs or talks nonsense",
        1_000,
    ),
    "killed_engines": (
        killed_engines,
        "searches in which the real engine is killed",
        200,
    ),
    "inputs": (inputs, "damaged inputs, to sixteen readers in turn", 1_000_000),
    "fuzz": (
        fuzz,
        "inputs that a fuzzer made up, guided by the code they reach",
        1_000_000,
    ),
    "kills": (
        partial(kills, write_answers),
        "kills of a process that records answers and keeps artefacts",
        200,
    ),
    "trainings": (partial(kills, train_small), "kills of a training", 50),
    "chapters": (
        partial(kills, execute_chapter),
        "kills of a chapter in mid-execution",
        10,
    ),
    "soak": (
        soak,
        "positions labelled, activated and checked in one process",
        1_000_000,
    ),
    "load": (load, "works at an eighth, a quarter, half and all of a large size", 12),
    "injected": (
        injected,
        "comments that tell a judge what to answer (a defect: no score comes back)",
        100,
    ),
    "interrupts": (interrupts, "presses of Ctrl-C at any moment of a command", 200),
    "pages": (
        pages,
        "pages with text that would be code, opened in Chromium",
        len(HOSTILES),
    ),
    "elsewhere": (
        elsewhere,
        "commands of a wheel installed without the checkout",
        len(COMMANDS),
    ),
    "processors": (
        processors,
        "numbers of chapters, with the instructions of older processors",
        19,
    ),
    "surroundings": (surroundings, "executions of a chapter in other surroundings", 80),
}

SEED = 27

#: When kills and long runs end, however few they are: seconds of the monotonic clock.
UNTIL = math.inf


def page() -> str:
    """Return ``book/reliability.md`` of the results that are there."""

    def bound(entry: dict) -> str:
        return (
            f"{share(min(entry['defects'], entry['tried']), entry['tried']).high:.2g}"
        )

    done = json.loads(RESULTS.read_text("utf-8"))
    text = RESULTS.with_suffix(".md.j2")
    pages = jinja2.Environment(trim_blocks=True, autoescape=False)
    template = pages.from_string(text.read_text("utf-8"))
    ordered = {name: done[name] for name in CAMPAIGNS if name in done}
    return template.render(done=ordered, bound=bound).rstrip() + "\n"


def main() -> int:
    """Run the campaigns that have no entry yet; write each result when it is there."""
    for logger in ("asyncio", "chess.engine"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CAMPAIGNS))
    parser.add_argument("--count", type=int, help="cases (default: the long form)")
    parser.add_argument(
        "--minutes", type=float, help="end each after so long, with fewer cases"
    )
    given = parser.parse_args()
    done = json.loads(RESULTS.read_text("utf-8"))
    for name in given.names or [each for each in CAMPAIGNS if each not in done]:
        run, words, long = CAMPAIGNS[name]
        count = given.count or long
        begun = time.monotonic()
        globals()["UNTIL"] = begun + 60 * (given.minutes or math.inf)
        with tempfile.TemporaryDirectory() as folder:
            counts = run(count, SEED, Path(folder))
            print(
                f"{name}: {dict(counts)}, {time.monotonic() - begun:.0f} s", flush=True
            )
            about = Path(folder) / "about.json"
            more = json.loads(about.read_text("utf-8")) if about.is_file() else {}
        defects = counts.pop("defect", 0)
        count = counts.pop("tried", count)
        outcomes = dict(sorted(counts.items()))
        done = json.loads(RESULTS.read_text("utf-8"))
        kept = {"tried": count, "outcomes": outcomes, "defects": defects}
        done[name] = {"what": words, **kept, **more}
        RESULTS.write_text(json.dumps(done, indent=1, sort_keys=True) + "\n", "utf-8")
    RESULTS.with_suffix(".md").write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
