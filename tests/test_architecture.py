"""The rooms of the library stay apart: who may import whom, and what importing may do."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest

import live_files
from scripts import imported_names

LIBRARY = Path(__file__).resolve().parents[1] / "lib"
PACKAGE = LIBRARY / "chessgloss"

#: Who may import whom, room by room, from the ground up: each from rooms that stand before it.
MAY_IMPORT: dict[str, set[str]] = {
    "notation": set(),
    "positions": {"notation"},
    "assets": set(),
    "stats": set(),
    "store": set(),
    "scores": {"positions"},
    "predicates": {"positions", "scores"},
    "facts": {"assets", "positions", "predicates", "scores"},
    "engine": {"positions", "scores"},
    "oracle": {"engine", "scores"},
    "llm": {"assets", "store"},
    "corpora": {"assets", "notation", "positions", "store"},
    "experts": {"assets", "positions"},
    "claims": {"corpora", "facts", "positions", "predicates", "scores"},
    "notes": {"facts", "positions", "predicates", "scores"},
    "concepts": {
        *("assets", "corpora", "experts", "facts", "oracle"),
        *("positions", "predicates", "scores", "stats", "store"),
    },
    "tracking": {"assets", "corpora", "positions", "stats", "store"},
    "commentary": {
        *("assets", "claims", "concepts", "corpora", "engine", "experts", "facts"),
        *("llm", "notation", "notes", "oracle", "positions", "predicates", "scores"),
        "store",
    },
    "judges": {
        *("assets", "claims", "commentary", "engine", "facts", "llm"),
        *("positions", "predicates", "scores", "stats", "store"),
    },
    "survey": {"assets", "commentary", "positions", "stats"},
    "skill": {
        *("assets", "commentary", "concepts", "corpora", "engine", "experts", "facts"),
        *("llm", "positions", "predicates", "scores", "store"),
    },
    "report": {"positions", "stats", "store"},
    "book": {"report", "store"},
    "__init__": {
        *("assets", "claims", "commentary", "concepts", "engine", "facts"),
        *("llm", "positions", "scores"),
    },
    "live": {
        *("claims", "commentary", "corpora", "facts", "notes", "positions", "scores"),
    },
    "cli": {
        *("assets", "claims", "commentary", "concepts", "corpora", "engine", "facts"),
        *(
            "llm",
            "notation",
            "notes",
            "oracle",
            "positions",
            "scores",
            "store",
            "survey",
        ),
    },
    "__main__": {"cli"},
}

#: Files that may import more than their room: those in which runs of models of games play.
ALSO: dict[str, set[str]] = {
    "tracking/player.py": {"skill"},
    "tracking/runs.py": {"skill"},
}

#: Rooms and files that need torch; importing any other must not load it.
TORCH = {"experts/leela.py", "concepts/train.py", "concepts/train_facts.py", "tracking"}
UNSAFE_MODULES = {"pickle", "cPickle", "dill", "marshal", "shelve"}

SOURCES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    """First part of the module's name below the package."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def dotted(path: Path) -> str:
    parts = path.relative_to(LIBRARY).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_room_imports_only_what_the_table_allows(path):
    room = room_of(path)
    assert room in MAY_IMPORT, f"{room} is new: say in MAY_IMPORT what it may import"
    allowed = {room} | MAY_IMPORT[room] | ALSO.get(name_of(path), set())
    names = imported_names(ast.parse(path.read_text("utf-8")))
    inner = {tuple(name.split(".")[:2]) for name in names if name.count(".")}
    assert {name for package, name in inner if package == "chessgloss"} <= allowed


def test_the_table_allows_no_arrow_upwards_and_no_circle():
    order = list(MAY_IMPORT)
    for room, allowed in MAY_IMPORT.items():
        assert allowed <= set(order[: order.index(room)]), room


def test_the_root_is_small():
    rooms = {room_of(path) for path in SOURCES}
    packages = {room for room in rooms if (PACKAGE / room).is_dir()}
    assert len(packages) <= 14
    assert len(rooms - packages - {"__init__", "__main__"}) <= 11


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_file_says_what_it_is_and_runs_no_code_from_data(path):
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree), "no module docstring"
    assert "utils" not in path.stem
    imported = {name.split(".")[0] for name in imported_names(tree)}
    assert not imported & UNSAFE_MODULES
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        keywords = {word.arg: ast.unparse(word.value) for word in call.keywords}
        called = ast.unparse(call.func)
        assert called not in {"eval", "exec", "compile", "joblib.load"}, (
            f"line {call.lineno}"
        )
        assert keywords.get("allow_pickle", "False") == "False", f"line {call.lineno}"
        if called == "torch.load":
            assert keywords.get("weights_only") == "True", f"line {call.lineno}"


def test_imports_show_all_that_a_chapter_uses():
    """What `used_code` reads is written out, and every table lies beside modules."""
    for path in SOURCES:
        words = {*re.findall(r"\w+", path.read_text("utf-8"))}
        assert not words & {"import_module", "__import__"}, name_of(path)
    folders = (path for path in PACKAGE.rglob("[!_.]*") if path.is_dir())
    assert [path for path in folders if not (path / "__init__.py").is_file()] == []


def test_scripts_beside_the_library_import_what_is_there():
    """No other test imports every one of them: a module may move away unseen."""
    for folder in ("benchmarks", "book", "data"):
        for path in (LIBRARY.parent / folder).rglob("*.py"):
            tree = ast.parse(path.read_text("utf-8"))
            # What is tried is of two versions of the library.
            tree.body = [each for each in tree.body if not isinstance(each, ast.Try)]
            for name in imported_names(tree):
                if name.startswith("chessgloss."):
                    resolve_name(name)


def test_all_that_is_installed_is_pinned_by_hash_but_torch():
    lock, hashes = (
        (LIBRARY.parent / f"requirements.{kind}").read_text("utf-8")
        for kind in ("lock", "hashes")
    )
    hashed = r"^(\w[^\s;]+)(?: ;.*)?(?: \\\n    --hash=sha256:[0-9a-f]{64})+$"
    pins = {
        pin.lower().replace("_", "-") for pin in re.findall(r"^\w[^\s;]+", lock, re.M)
    }
    assert pins - set(re.findall(hashed, hashes, re.M)) == set(
        re.findall("^torch==.*", lock, re.M)
    )
    node = json.loads((LIBRARY.parent / "package-lock.json").read_text("utf-8"))[
        "packages"
    ]
    assert all(node[name]["integrity"].startswith("sha512-") for name in node if name)
    for workflow in (LIBRARY.parent / ".github/workflows").iterdir():
        actions = re.findall(r"uses: (\S+)", workflow.read_text("utf-8"))
        assert [each for each in actions if not re.search("@[0-9a-f]{40}$", each)] == []


def test_the_walks_of_contributing_lead_where_they_say():
    text = (LIBRARY.parent / "CONTRIBUTING.md").read_text("utf-8")
    steps = re.findall(r"`([\w/]+\.(?:py|toml))`\s+\(`([^`]+)`\)", text)
    assert len(steps) >= 8
    for name, words in steps:
        assert words in (LIBRARY.parent / name).read_text("utf-8"), name


# ---------------------------------------------------------------- importing does nothing

#: Imports the modules named on the command line and prints, as JSON, what that started or
#: wrote. Third-party packages are imported first: what they do is not ours to forbid.
PROBE = """
import importlib, json, sys
names = json.loads(sys.argv[1])
for outside in ("matplotlib.pyplot", "numpy", "pandas", "sklearn", "scipy.stats", "openai"):
    importlib.import_module(outside)
before, seen = "torch" in sys.modules, []
def hook(event, arguments):
    if event in {"subprocess.Popen", "os.system", "os.mkdir", "os.rename", "os.remove",
                 "os.posix_spawn", "os.fork", "socket.connect", "shutil.copyfile"}:
        seen.append([event, repr(arguments)[:200]])
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        seen.append([event, repr(arguments)[:200]])
sys.addaudithook(hook)
for name in names:
    importlib.import_module(name)
noticed = list(seen)
print(json.dumps({"before": before, "torch": "torch" in sys.modules, "seen": noticed}))
"""


def probe(names: list[str], folder: Path) -> dict[str, object]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps(names)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_importing_a_module_starts_and_writes_nothing(tmp_path):
    light, heavy = (
        [
            dotted(path)
            for path in SOURCES
            if bool({room_of(path), name_of(path)} & TORCH) == torch
        ]
        for torch in (False, True)
    )
    probe(heavy, tmp_path)
    found = probe(light, tmp_path)
    assert found["seen"] == []
    assert list(tmp_path.iterdir()) == []
    assert found["before"] is False, "a package of the probe loads torch: take it out"
    assert found["torch"] is False, "a module outside TORCH loads torch"


def test_the_probe_notices(tmp_path):
    """The probe itself: a module that writes a file on import is found out."""
    (tmp_path / "untidy.py").write_text("open('left_behind.txt', 'w').close()\n")
    found = probe(["untidy"], tmp_path)
    assert any("left_behind" in arguments for _, arguments in found["seen"])


# ---------------------------------------------------------------- the light rooms

#: Rooms that need the standard library and python-chess alone, so that they run in a browser.
LIGHT = (
    "chessgloss.positions",
    "chessgloss.scores",
    "chessgloss.predicates",
    "chessgloss.facts",
    "chessgloss.facts.change",
    "chessgloss.llm.text",
    "chessgloss.claims",
    "chessgloss.claims.gold",
    "chessgloss.commentary.briefing",
    "chessgloss.commentary.notes",
    "chessgloss.notes.choice",
    "chessgloss.live",
)

#: Refuses every package but python-chess and ours, imports the rooms that are named on the
#: command line, and has them work on one move.
ALONE = (
    live_files.CHESS_ALONE
    + """
import importlib

for name in sys.argv[1:]:
    importlib.import_module(name)

from chess.engine import Cp, PovScore
import chessgloss
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.notes import notes, write_notes
from chessgloss.facts import gather
from chessgloss.notes.choice import choose
from chessgloss.scores import Analysis, Line

fen = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
move = chessgloss.read_move(fen, "Nf6")

def analysis(position, centipawns, *lines):
    scored = [Line(line, PovScore(Cp(centipawns), position.board().turn), 12) for line in lines]
    return Analysis(position, tuple(scored), 1000, "by hand")

briefing = Briefing(
    "by hand",
    move,
    analysis(move.position, -20, ("g7g6", "h5f3"), ("d8e7",)),
    analysis(move.after(), 900, ("h5f7",)),
)
assert gather(move, briefing.verdict).of("threat", "mistake")
verdicts = [each.verdict for each in chessgloss.check("The knight attacks the queen.", move)]
assert verdicts == ["true"], verdicts
assert choose(notes(briefing))
print(write_notes(briefing).text)
"""
)


def test_the_light_rooms_work_with_python_chess_alone(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", ALONE, *LIGHT],
        cwd=tmp_path,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Qxf7#" in done.stdout
