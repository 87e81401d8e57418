"""What tests read that is no part of the library: data, scripts beside them, imports of a text."""

import ast
import asyncio
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TypeVar
from venv import create

import pytest
from cloudpickle import register_pickle_by_value

from chessgloss.assets import AssetMissing
from chessgloss.corpora.games import read_games
from chessgloss.engine import EngineMissing
from chessgloss.positions import Game

T = TypeVar("T")
Errors = type[Exception] | tuple[type[Exception], ...]
PROJECT = Path(__file__).resolve().parents[1]
DATA = PROJECT / "data"
SELFPLAY = DATA / "games" / "selfplay.tsv.zst"
#: The CCC paper's Figure A6: a bishop takes a pawn with check.
FIGURE_A6 = "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21"
#: Its Figure A5: 18... Bxc3# is mate.
FIGURE_A5 = "N6r/1p1k1ppp/2np4/b3p3/4P1b1/N1Q5/P4PPP/R3KB1R b KQ - 0 18"


def or_skip(make: Callable[..., T], *given: object, **options: object) -> T:
    """Return what a call gives, or skip the test where an asset or an engine is missing."""
    try:
        return make(*given, **options)
    except (AssetMissing, EngineMissing) as missing:
        pytest.skip(str(missing))


def run_apart(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine in a thread of its own: a test of a browser leaves a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def refuses(
    error: Errors, words: str, call: Callable, *given: object, **options: object
) -> str:
    """Check that a call fails with an error that says these words; return what it says."""
    with pytest.raises(error, match=words) as caught:
        call(*given, **options)
    return str(caught.value)


def load_script(path: str) -> ModuleType:
    """Return the script ``data/<path>`` as a module."""
    name = "script_" + path.replace("/", "_").removesuffix(".py")
    if name not in sys.modules:
        spec = spec_from_file_location(name, DATA / path)
        assert spec is not None and spec.loader is not None
        sys.modules[name] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
        register_pickle_by_value(
            module
        )  # joblib's processes cannot import it by its name
    return sys.modules[name]


def selfplay(limit: int) -> list[Game]:
    """Return the first of the committed games of self-play."""
    return list(read_games(SELFPLAY, limit))


def clean_environment() -> dict[str, str]:
    """Return the environment without what leads to this checkout or to a model."""
    ours = ("PYTHONPATH", "CHESSGLOSS_", "OPENAI_")
    return {
        name: value for name, value in os.environ.items() if not name.startswith(ours)
    }


def install_elsewhere(folder: Path) -> Path:
    """Install the library by a wheel, beside this environment's packages; return its command."""
    source = folder / "source"
    home = folder / "venv"
    for name in ("lib", "data/priority"):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(PROJECT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(PROJECT / name, source)
    create(home, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    into = [
        "--python",
        str(home / "bin/python"),
        "install",
        "--find-links",
        str(folder),
    ]
    build = ["wheel", "--no-build-isolation", "-w", str(folder), str(source)]
    for words in (build, [*into, "chessgloss"]):
        command = [*pip, *words, "--no-deps", "--no-index"]
        subprocess.run(command, check=True, cwd=folder, env=clean_environment())
    (site,) = home.glob("lib/python*/site-packages")
    (site / "seen.pth").write_text(sysconfig.get_path("purelib"))
    return home / "bin/chessgloss"


def imported_names(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted names that a text imports, none of them relative.

    ``from a import b`` yields both ``a`` and ``a.b``, as ``b`` may be a module.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, ast.unparse(node)
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
