"""Which checker gave a verdict: one hash over the source of all that decides it."""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

from chessgloss.chapters import imported_names

_LIBRARY = Path(__file__).resolve().parents[2]
_START = "chessgloss.claims.verify"


def checker_files(library: Path = _LIBRARY) -> tuple[Path, ...]:
    """Return the modules that a verdict rests on, sorted: the checker's and what they import.

    Parameters
    ----------
    library
        Folder that holds the package ``chessgloss``.
    """
    found: set[Path] = set()
    waiting = [_START]
    while waiting:
        path = library.joinpath(*waiting.pop().split(".")).with_suffix(".py")
        if path not in found and path.is_file():
            found.add(path)
            package = ".".join(path.relative_to(library).parent.parts)
            waiting += imported_names(ast.parse(path.read_text("utf-8")), package)
    return tuple(sorted(found))


def checker_digest(library: Path = _LIBRARY) -> str:
    """Return the SHA-256 of the checker's source, 64 hexadecimal digits.

    Names and contents of :func:`checker_files`. Any edit changes it, of a comment too: it says
    that a checker is the same, and does not say that another one judges otherwise.

    Parameters
    ----------
    library
        As for :func:`checker_files`.
    """
    digest = hashlib.sha256()
    for path in checker_files(library):
        digest.update(f"{path.relative_to(library).as_posix()}\0".encode())
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()
