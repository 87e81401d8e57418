"""What tests read that is no part of the library: data, scripts beside them, imports of a text."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import pytest
from cloudpickle import register_pickle_by_value

from chessgloss.assets import AssetMissing
from chessgloss.engine import EngineMissing

T = TypeVar("T")
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


def load_script(path: str) -> ModuleType:
    """Return the script ``data/<path>`` as a module."""
    name = "script_" + path.replace("/", "_").removesuffix(".py")
    if name not in sys.modules:
        spec = spec_from_file_location(name, DATA / path)
        assert spec is not None and spec.loader is not None
        sys.modules[name] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
        register_pickle_by_value(module)  # joblib's processes cannot import it by its name
    return sys.modules[name]


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
