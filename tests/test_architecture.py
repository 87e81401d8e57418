"""The rooms of the library stay apart: who may import whom, and what importing may do."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chessgloss.book.used_code import imported_names

LIBRARY = Path(__file__).resolve().parents[1] / "lib"
PACKAGE = LIBRARY / "chessgloss"

#: What each module or subpackage may import of chessgloss, beside itself.
MAY_IMPORT: dict[str, set[str]] = {
    # boards, files and numbers
    "positions": set(),
    "store": set(),
    "assets": set(),
    "measures": set(),
    "proportions": {"measures"},
    "report": {"measures", "positions", "store"},
    "corpora": {"engine", "positions"},
    # engines
    "engine": {"positions"},
    "oracle": {"engine"},
    "skill": {
        "agreement",
        "assets",
        "book",
        "claims",
        "commentary",
        "concepts",
        "corpora",
        "engine",
        "experts",
        "fact_concepts",
        "facts",
        "llm",
        "measures",
        "positions",
        "priorities",
        "proportions",
        "report",
        "store",
    },
    # experts and concepts
    "experts": {"assets", "positions"},
    "concepts": set(),
    "probing": {"concepts"},
    "heldout": {"concepts", "measures", "probing"},
    "audits": {"concepts", "probing"},
    "steering": {"experts"},
    "bulk": {"assets", "corpora", "experts", "oracle", "positions", "store"},
    "ranking": set(),
    "changes": {"oracle", "positions"},
    "change_features": {"experts"},
    "change_model": {"change_features", "oracle"},
    "change_probes": {"changes", "concepts", "experts", "probing", "ranking"},
    "change_training": {
        "change_features",
        "change_model",
        "change_probes",
        "changes",
        "corpora",
        "experts",
        "oracle",
        "positions",
        "prioritise",
        "probing",
        "ranking",
        "store",
    },
    "change_curve": {
        "change_features",
        "change_model",
        "change_probes",
        "change_training",
        "changes",
        "concepts",
        "corpora",
        "experts",
        "oracle",
        "positions",
        "prioritise",
        "probing",
        "book",
        "ranking",
        "store",
    },
    "priorities": {"positions"},
    "prioritise": {
        "change_features",
        "change_model",
        "concepts",
        "experts",
        "oracle",
        "positions",
        "priorities",
        "store",
    },
    "fact_concepts": {"concepts", "facts", "positions", "priorities", "probing"},
    "fact_training": {
        "concepts",
        "corpora",
        "experts",
        "fact_concepts",
        "heldout",
        "measures",
        "positions",
        "probing",
        "store",
    },
    # words
    "facts": {"engine", "positions"},
    "claims": {"book", "engine", "facts", "positions"},
    "llm": {"assets", "store"},
    "commentary": {
        "assets",
        "changes",
        "claims",
        "corpora",
        "engine",
        "facts",
        "llm",
        "positions",
        "priorities",
        "single_page",
        "store",
    },
    "brief_moves": {
        "assets",
        "change_model",
        "commentary",
        "concepts",
        "corpora",
        "engine",
        "experts",
        "fact_concepts",
        "oracle",
        "positions",
        "priorities",
        "prioritise",
        "store",
    },
    "verified": {
        "claims",
        "commentary",
        "llm",
        "measures",
        "proportions",
        "report",
        "store",
    },
    "record": {
        "brief_moves",
        "commentary",
        "experts",
        "judges",
        "llm",
        "pairwise",
        "panel",
        "skill",
        "store",
        "verified",
    },
    "panel": {"commentary", "llm"},
    "single_page": set(),
    "judges": {"claims", "commentary", "engine", "llm", "measures", "store"},
    "classical": {"measures"},
    "pairwise": {"claims", "commentary", "facts", "judges", "llm", "measures"},
    "agreement": {"measures"},
    "survey": {
        "agreement",
        "book",
        "measures",
        "positions",
        "proportions",
        "report",
        "single_page",
    },
    # language models that track the board
    "tracking": {"book", "corpora", "measures", "positions", "skill", "store"},
    # the book
    "book": {"report", "store"},
}
#: The command line and the package itself may import anything.
MAY_IMPORT_ALL = {"cli", "__init__"}
#: Rooms that need torch; importing any other must not load it.
TORCH_ROOMS = {
    "experts",
    "change_curve",
    "change_features",
    "change_model",
    "change_training",
    "prioritise",
    "tracking",
    "brief_moves",
    "commentary",
    "record",
    "fact_training",
}
UNSAFE_MODULES = {"pickle", "cPickle", "dill", "marshal", "shelve"}

SOURCES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(LIBRARY).as_posix()


def room_of(path: Path) -> str:
    """First part of the module's name below the package."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def dotted(path: Path) -> str:
    parts = path.relative_to(LIBRARY).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imported_rooms(path: Path) -> Iterator[str]:
    package = ".".join(path.relative_to(LIBRARY).parent.parts)
    tree = ast.parse(path.read_text("utf-8"))
    rooms = {room_of(source) for source in SOURCES}
    for name in imported_names(tree, package):
        parts = name.split(".")
        if parts[0] == "chessgloss" and len(parts) > 1 and parts[1] in rooms:
            yield parts[1]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_module_imports_only_what_its_room_may(path: Path) -> None:
    room = room_of(path)
    if room in MAY_IMPORT_ALL:
        return
    assert room in MAY_IMPORT, f"{room} is new: say in MAY_IMPORT what it may import"
    assert set(imported_rooms(path)) - {room} <= MAY_IMPORT[room]


def test_the_import_rules_have_no_cycle() -> None:
    done: set[str] = set()
    waiting = dict(MAY_IMPORT)
    while ready := [room for room, needs in waiting.items() if needs <= done]:
        done.update(ready)
        for room in ready:
            del waiting[room]
    assert waiting == {}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_file_says_what_it_is(path: Path) -> None:
    text = path.read_text("utf-8")
    assert ast.get_docstring(ast.parse(text)), "no module docstring"
    assert "utils" not in path.stem


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_nothing_runs_code_from_data(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    imported = {name.split(".")[0] for name in imported_names(tree, "")}
    assert not imported & UNSAFE_MODULES
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        keywords = {word.arg: ast.unparse(word.value) for word in call.keywords}
        called = ast.unparse(call.func)
        assert called not in {"eval", "exec", "compile", "joblib.load"}, f"line {call.lineno}"
        assert keywords.get("allow_pickle", "False") == "False", f"line {call.lineno}"
        if called == "torch.load":
            assert keywords.get("weights_only") == "True", f"line {call.lineno}"


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


def test_importing_a_module_starts_and_writes_nothing(tmp_path: Path) -> None:
    light = [dotted(path) for path in SOURCES if room_of(path) not in TORCH_ROOMS]
    found = probe(light, tmp_path)
    assert found["seen"] == []
    assert list(tmp_path.iterdir()) == []
    assert found["before"] is False, "a package of the probe loads torch: take it out"
    assert found["torch"] is False, "a module outside TORCH_ROOMS loads torch"


def test_importing_a_room_with_torch_writes_nothing_into_its_folder(tmp_path: Path) -> None:
    heavy = [dotted(path) for path in SOURCES if room_of(path) in TORCH_ROOMS]
    if not heavy:
        pytest.skip("no module needs torch yet")
    probe(heavy, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_probe_notices(tmp_path: Path) -> None:
    """The probe itself: a module that writes a file on import is found out."""
    (tmp_path / "untidy.py").write_text("open('left_behind.txt', 'w').close()\n")
    found = probe(["untidy"], tmp_path)
    assert any("left_behind" in arguments for _, arguments in found["seen"])
