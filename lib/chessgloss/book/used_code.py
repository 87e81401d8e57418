"""What of the library a text uses: the files that it imports, from one to the next.

A chapter is out of date when one of these changed. Beside the modules they are the tables, prompts
and pages that lie in the same folders. An import counts wherever it stands, also in a function, but
not where it is for type checkers alone. Where a package is only passed on the way to one of its
modules (``chessgloss`` in ``from chessgloss.engine import Engine``), none of its own functions is
called, and what they import does not count.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path

PACKAGE = "chessgloss"


def used_code(source: str, library: Path) -> list[Path]:
    """Return the files of the package that a text uses, in order.

    Parameters
    ----------
    source
        Python text, such as that of a notebook.
    library
        Folder that holds the package ``chessgloss``.
    """
    found: dict[Path, bool] = {}  # and whether all that it imports was followed
    waiting = [(source, True)]
    while waiting:
        text, whole = waiting.pop()
        for path, named in _imported(text, whole, library):
            if path not in found or named > found[path]:
                found[path] = named
                waiting.append((path.read_text("utf-8"), named))
    folders = {path.parent for path in found}
    beside = {
        path
        for folder in folders
        for path in folder.iterdir()
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    }
    return sorted(beside.union(found))


def code_sha256(used: Iterable[Path], folder: Path) -> str:
    """Return the SHA-256 of files, by content and by name below a folder that holds them all."""
    digest = hashlib.sha256()
    for path in sorted(used):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


@functools.cache
def _imported(text: str, whole: bool, library: Path) -> frozenset[tuple[Path, bool]]:
    """Return the files that a text imports, and whether each is named or only passed.

    If not whole, those alone that it imports when it is loaded.
    """
    files = set()
    for node in _statements(ast.parse(text), whole):
        for name in _names(node, library):
            for each in _parents(name):
                path = _path(each, library)
                if path is not None:
                    files.add((path, each == name))
    return frozenset(files)


def _statements(tree: ast.AST, whole: bool) -> Iterator[ast.AST]:
    """Yield the parts of a tree, without those for type checkers; if not whole, no function's."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if whole or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
            yield from _statements(node, whole)


def _names(node: ast.AST, library: Path) -> Iterator[str]:
    """Yield the modules that an import names, and through which others can be reached."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name
            if not alias.asname:
                yield from _parents(alias.name)
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        for alias in node.names:
            name = f"{module}.{alias.name}"
            yield name if _path(name, library) else module


def _parents(name: str) -> list[str]:
    """Return the packages of a module, from the outermost on, and the module."""
    return list(accumulate(name.split("."), "{}.{}".format))


def _path(name: str, library: Path) -> Path | None:
    """Return a module's file; None where the package has no such module."""
    if name.split(".")[0] != PACKAGE:
        return None
    stem = library.joinpath(*name.split("."))
    files = (stem / "__init__.py", stem.with_suffix(".py"))
    return next((path for path in files if path.is_file()), None)
