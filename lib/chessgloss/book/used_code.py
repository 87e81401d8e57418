"""What of the library a text uses: the definitions that it reaches, from one to the next.

A chapter is out of date when code changed that it uses, not when something else in the same
file did. Importing a module of this library does nothing (a test holds it to that), so that a
function, class or constant counts where its name is mentioned, and only there. The classes
named by a function's signature are not needed to run it and do not count; those of a field do.
What cannot be told apart (a module handed on as a value, an unknown attribute, a statement
that runs on import) counts as a whole.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "chessgloss"

_OWN = re.compile(rf"{PACKAGE}[.:]")


@dataclass(frozen=True, slots=True)
class Definition:
    """A piece of a module: its text, and the ``module:name`` of the package that it mentions."""

    text: str
    mentions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Module:
    """What a module defines by name, what else it runs, and what its imports stand for."""

    definitions: Mapping[str, tuple[Definition, ...]]
    statements: tuple[Definition, ...]
    imports: Mapping[str, str]


def used_code(source: str, library: Path) -> dict[str, str]:
    """Return the definitions of the package that a notebook's text reaches, transitively.

    Parameters
    ----------
    source
        Python text of a notebook.
    library
        Folder that holds the package ``chessgloss``.

    Returns
    -------
    dict
        ``module:name`` to text. ``module:`` stands for the statements that importing runs.
    """
    notebook = _read(source, "")
    pieces_of = [notebook.statements, *notebook.definitions.values()]
    waiting = {
        mention
        for pieces in pieces_of
        for piece in pieces
        for mention in piece.mentions
    }
    reached: dict[str, str] = {}
    done: set[str] = set()
    while waiting:
        done.add(mention := waiting.pop())
        for name, pieces in _stands_for(mention, library):
            if name not in reached:
                reached[name] = "\n".join(piece.text for piece in pieces)
                waiting |= {each for piece in pieces for each in piece.mentions} - done
    return reached


def used_files(used: Iterable[str], library: Path) -> set[Path]:
    """Return the files beside modules (prompts, pages) of the packages that are used."""
    paths = {_path(name.split(":")[0], library) for name in used}
    folders = {path.parent for path in paths if path is not None}
    return {
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix not in {".py", ".pyc"}
        and _package(path) == folder
    }


def code_sha256(used: Mapping[str, str], library: Path) -> str:
    """Return the SHA-256 of used code and of the files beside it, by name and content.

    Parameters
    ----------
    used
        What :func:`used_code` returns.
    library
        Folder that holds the package ``chessgloss``.
    """
    digest = hashlib.sha256()
    for name, text in sorted(used.items()):
        digest.update(f"{name}\0{text}\0".encode())
    for path in sorted(used_files(used, library)):
        digest.update(f"{path.relative_to(library).as_posix()}\0".encode())
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def _stands_for(
    mention: str, library: Path
) -> Iterator[tuple[str, tuple[Definition, ...]]]:
    """Yield what a ``module:name.attribute`` stands for, under the names to keep it by."""
    name, _, attributes = mention.partition(":")
    path = _path(name, library)
    if path is None:
        return
    module = _read(path.read_text("utf-8"), name)
    first, _, rest = attributes.partition(".")
    own_module = _path(f"{name}.{first}", library) if first else None
    if first in module.imports and first not in module.definitions:
        origin = module.imports[first]
        if own_module is None or origin != f"{name}:{first}":
            yield from _stands_for(_joined(origin, rest), library)
            return
    if own_module is not None and first not in module.definitions:
        yield from _stands_for(f"{name}.{first}:{rest}", library)
        return
    yield f"{name}:", module.statements
    if first in module.definitions:
        yield f"{name}:{first}", module.definitions[first]
        return
    yield f"{name}:*", (Definition("", tuple(module.imports.values())),)
    yield from (
        (f"{name}:{each}", pieces) for each, pieces in module.definitions.items()
    )


@functools.cache
def _read(text: str, name: str) -> Module:
    """Take a module's text apart; the library has no relative imports."""
    tree = ast.parse(text)
    imports: dict[str, str] = {}
    named: dict[str, list[ast.stmt]] = {}
    other: list[ast.stmt] = []
    for node in tree.body:
        names = _names_bound(node)
        for bound in names:
            named.setdefault(bound, []).append(node)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        imports |= _imports(node)
        if not names and not _runs_nothing(node):
            other.append(node)
    lines = text.splitlines()

    def piece(node: ast.stmt) -> Definition:
        first = min(
            [node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]
        )
        here = imports | _imports(node)
        mentions = []
        for chain in _chains(node):
            head, _, rest = chain.partition(".")
            if head in here:
                mentions.append(_joined(here[head], rest))
            elif head in named and name:
                mentions.append(f"{name}:{head}")
        return Definition(
            "\n".join(lines[first - 1 : node.end_lineno]), tuple(mentions)
        )

    return Module(
        {bound: tuple(map(piece, nodes)) for bound, nodes in named.items()},
        tuple(map(piece, other)),
        imports,
    )


def _names_bound(node: ast.stmt) -> list[str]:
    """Return the names that a statement defines; none for what merely runs."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = [
            part for each in node.targets for part in getattr(each, "elts", [each])
        ]
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return names if len(names) == len(targets) else []


def _runs_nothing(node: ast.stmt) -> bool:
    """Tell imports, docstrings and what is meant for type checkers or the command line."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in {"TYPE_CHECKING", "__name__ == '__main__'"}
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return docstring or isinstance(node, ast.Import | ast.ImportFrom)


def _imports(node: ast.AST) -> dict[str, str]:
    """Return what the names imported anywhere in a piece of code stand for: ``module:name``."""
    targets: dict[str, str] = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Import):
            for alias in part.names:
                whole = alias.name if alias.asname else alias.name.split(".")[0]
                targets[alias.asname or whole] = f"{whole}:"
        elif isinstance(part, ast.ImportFrom):
            names = {alias.asname or alias.name: alias.name for alias in part.names}
            targets |= {
                name: f"{part.module}:{origin}" for name, origin in names.items()
            }
    return {name: target for name, target in targets.items() if _OWN.match(target)}


def _chains(node: ast.AST) -> Iterator[str]:
    """Yield the longest dotted names in a piece of code, without those of its signatures."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute) and (chain := _dotted(node)):
        yield chain
    elif not isinstance(node, ast.arg):
        for field, value in ast.iter_fields(node):
            parts = value if isinstance(value, list) else [value]
            for part in parts if field != "returns" else ():
                if isinstance(part, ast.AST):
                    yield from _chains(part)


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return node.id if isinstance(node, ast.Name) else ""


def _joined(target: str, rest: str) -> str:
    return f"{target}{'' if target.endswith(':') or not rest else '.'}{rest}"


def _path(name: str, library: Path) -> Path | None:
    """Return a module's file; None where the library has no such module."""
    stem = library.joinpath(*name.split("."))
    files = (
        path
        for path in (stem / "__init__.py", stem.with_suffix(".py"))
        if path.is_file()
    )
    return next(files, None)


def _package(path: Path) -> Path:
    """Return the innermost folder above a file that is a package."""
    return next(f for f in path.parents if (f / "__init__.py").is_file())
