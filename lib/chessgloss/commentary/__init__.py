"""Commentary on a move: what is given to a writer, the methods that write, their prompts.

The experiment's one prompt and its arms are in ``arms.toml``, all other prompts in ``prompts/``.
What is known of a move is its briefing (``briefing``); the program's own comments are made of notes
(``notes``). ``annotate`` comments on whole games, ``dialogue`` answers questions about a move.
"""

import tomllib
from importlib.resources import files
from typing import Any


def read_table(name: str) -> dict[str, Any]:
    """Return what a TOML file of this package holds, such as ``notes.toml``."""
    return tomllib.loads(files(__name__).joinpath(name).read_text("utf-8"))
