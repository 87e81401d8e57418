"""Where a chapter computes each of its results: the cell and the line, read from its text.

What :func:`chessgloss.report.rows` is given is followed back, name by name, to the last assignment
before the cell that saves.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

#: Numbers of the cell and of the line.
Place: TypeAlias = tuple[int, int]

#: Lines and values of each name that the cells set, in order.
_Assigned: TypeAlias = Mapping[str, list[tuple[int, ast.expr]]]

#: How many names are followed from one to the next.
_STEPS = 8


def read_places(notebook: Path) -> dict[str, Place]:
    """Return the place at which a chapter computes the results of each prefix.

    Each key of a dictionary that is written out has its place by itself. Where no name leads out of
    the cell that saves, it is the place in it. Where a prefix is put together, it is the place of
    its beginning.
    """
    text = notebook.read_text("utf-8")
    heads = [n for n, line in enumerate(text.splitlines(), 1) if line[:4] == "# %%"]
    module = ast.parse(text)
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
    calls.sort(key=lambda call: call.lineno)
    lines = {}
    first = 1
    for call in calls:
        if ast.unparse(call.func) == "report.save":
            lines[""] = call.lineno
            first = max((head for head in heads if head <= call.lineno), default=1)
    assigned = _assignments(module)
    for call in calls:
        if ast.unparse(call.func) not in ("report.rows", "rows"):
            continue
        given, prefix = call.args[:2]
        name = _first_text(prefix).rstrip(".")
        lines.setdefault(name, _origin(given, call.lineno, first, assigned))
        for key, value in _written_out(given, call.lineno, assigned):
            line = _origin(value, call.lineno, first, assigned)
            lines.setdefault(f"{name}.{key}", line)
    for node in ast.walk(module):
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
            begin, dot, _ = str(node.values[0].value).rpartition(".")
            if dot and " " not in begin:
                lines.setdefault(begin, node.lineno)
    places = {}
    for name, line in lines.items():
        cell = sum(head <= line for head in heads) - 1
        places[name] = (cell, line)
    return places


def place_of(key: str, places: Mapping[str, Place]) -> Place | None:
    """Return cell and line of the longest prefix of a key; else where the chapter saves."""
    prefixes = [prefix for prefix in places if f"{key}.".startswith(f"{prefix}.")]
    return places.get(max(prefixes, key=len, default=""))


def _first_text(prefix: ast.expr) -> str:
    for part in ast.walk(prefix):
        if isinstance(part, ast.Constant):
            return str(part.value)
    return ""


def _assignments(module: ast.Module) -> _Assigned:
    """Return, for each name that the cells set, the lines of its assignments with their values."""
    found: dict[str, list[tuple[int, ast.expr]]] = defaultdict(list)
    waiting: list[ast.AST] = list(module.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AugAssign):
            targets, value = [node.target], node.value
        elif isinstance(node, ast.For):
            targets, value = [node.target], node.iter
        else:
            continue
        for target in targets:
            for name in _names(target):
                found[name.id].append((node.lineno, value))
    for lines in found.values():
        lines.sort(key=lambda each: each[0])
    return found


def _names(node: ast.AST) -> list[ast.Name]:
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return sorted(names, key=lambda name: (name.lineno, name.col_offset))


def _last(name: str, before: int, assigned: _Assigned) -> tuple[int, ast.expr] | None:
    past = [each for each in assigned.get(name, ()) if each[0] < before]
    return past[-1] if past else None


def _origin(
    given: ast.expr, before: int, first: int, assigned: _Assigned, steps: int = _STEPS
) -> int:
    """Return the line where an expression's first name was computed, else its own.

    ``first`` is the first line of the cell that saves.
    """
    called = set()
    inner = set()
    for node in ast.walk(given):  # what it calls and what it loops over leads nowhere
        if isinstance(node, ast.Call):
            called.add(node.func)
        elif isinstance(node, ast.comprehension):
            inner |= {name.id for name in _names(node.target)}
    lines = []
    for name in _names(given):
        last = _last(name.id, before, assigned)
        if last is None or name.id in inner or name in called:
            continue
        line, value = last
        if line >= first and steps:
            line = _origin(value, line, first, assigned, steps - 1)
        lines.append(line)
    outside = (line for line in lines if line < first)
    return next(outside, lines[0] if lines else given.lineno)


def _written_out(
    given: ast.expr, before: int, assigned: _Assigned
) -> Iterator[tuple[str, ast.expr]]:
    """Yield each key, as results name it, and value of a dictionary that is written out."""
    if isinstance(given, ast.Name) and (last := _last(given.id, before, assigned)):
        given = last[1]
    for part in ast.walk(given):
        if not isinstance(part, ast.Dict):
            continue
        for key, value in zip(part.keys, part.values, strict=True):
            names = key.elts if isinstance(key, ast.Tuple) else [key]
            words = [
                str(each.value) for each in names if isinstance(each, ast.Constant)
            ]
            if len(words) == len(names):
                yield ".".join(words), value
