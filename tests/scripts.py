"""The scripts beside committed data, which make it: loaded by their path."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

DATA = Path(__file__).resolve().parents[1] / "data"


def load_script(path: str) -> ModuleType:
    """Return the script ``data/<path>`` as a module."""
    name = "script_" + path.replace("/", "_").removesuffix(".py")
    if name not in sys.modules:
        spec = spec_from_file_location(name, DATA / path)
        assert spec is not None and spec.loader is not None
        sys.modules[name] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]
