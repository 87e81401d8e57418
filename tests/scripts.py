"""What tests read that is no part of the library: scripts beside data, and what a text imports."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from cloudpickle import register_pickle_by_value

DATA = Path(__file__).resolve().parents[1] / "data"


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
