"""Commentary on a move: what is given to a writer, the methods that write, their prompts."""

import tomllib
from importlib.resources import files
from typing import Any


def read_table(name: str) -> dict[str, Any]:
    """Return what a TOML file of this package holds, such as ``notes.toml``."""
    return tomllib.loads(files(__name__).joinpath(name).read_text("utf-8"))
