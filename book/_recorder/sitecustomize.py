"""Note which definitions of the library run in a process, and in those that it starts.

Python imports a module of this name at start-up wherever it stands on ``PYTHONPATH``; see
:mod:`ran_code`, which puts it there for the kernel of a chapter. Every function and every
lambda of ``chessgloss`` gets a first statement that notes, once, the definition at the top of
the module that it stands in. What runs while a module is imported is not noted: importing
does nothing but make constants, and a constant counts where it is named.
"""

import ast
import builtins
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder, SourceFileLoader

PACKAGE = "chessgloss"

#: What a marked function calls, under a name that nothing else has.
MARK = "_note_that_chessgloss_ran"

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Record:
    """The definitions that ran, each appended to a file when it first does."""

    def __init__(self, path):
        self.path = path
        self.importing = 0
        self.seen = set()

    def note(self, name):
        """Note that a definition runs, unless it is known or a module is imported."""
        if name in self.seen or self.importing:
            return
        self.seen.add(name)
        with open(self.path, "a", encoding="utf-8") as stream:  # noqa: PTH123
            stream.write(f"{name}\n")


class Marking(ast.NodeTransformer):
    """Puts the note into the functions of one definition."""

    def __init__(self, name):
        self.name = name

    def call(self):
        """Return the call that notes the definition."""
        return ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant(self.name)], [])

    def mark(self, node):
        """Put the note into a function, behind its docstring."""
        self.generic_visit(node)
        after_docstring = int(ast.get_docstring(node, clean=False) is not None)
        node.body.insert(after_docstring, ast.Expr(self.call()))
        return node

    visit_FunctionDef = mark  # noqa: N815
    visit_AsyncFunctionDef = mark  # noqa: N815

    def visit_Lambda(self, node):
        """Put the note before the value of a lambda."""
        self.generic_visit(node)
        both = ast.Tuple([self.call(), node.body], ast.Load())
        node.body = ast.Subscript(both, ast.Constant(1), ast.Load())
        return node


def name_of(node):
    """Return the name that a statement of a module defines; nothing for what merely runs."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    target = node.target if isinstance(node, ast.AnnAssign) else target
    return target.id if isinstance(target, ast.Name) else ""


def marked(text, module):
    """Return the tree of a module's text whose functions note that they run."""
    tree = ast.parse(text)
    tree.body = [Marking(f"{module}:{name_of(node)}").visit(node) for node in tree.body]
    return ast.fix_missing_locations(tree)


class MarkingLoader(SourceFileLoader):
    """Loads a module with its functions marked, past the cache of compiled files."""

    def __init__(self, loader, record):
        super().__init__(loader.name, loader.path)
        self.record = record

    def get_code(self, fullname):
        """Return the compiled module, its functions marked."""
        tree = marked(self.get_data(self.path), fullname)
        return compile(tree, self.path, "exec", dont_inherit=True)

    def exec_module(self, module):
        """Import the module; what runs meanwhile is not noted."""
        self.record.importing += 1
        try:
            super().exec_module(module)
        finally:
            self.record.importing -= 1


class MarkingFinder(MetaPathFinder):
    """Finds the package's modules where they are, and has them marked."""

    def __init__(self, record):
        self.record = record

    def find_spec(self, fullname, path=None, target=None):
        """Return where a module of the package is, with a loader that marks it."""
        if fullname.partition(".")[0] != PACKAGE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = MarkingLoader(spec.loader, self.record)
        return spec


if path := os.environ.get("CHESSGLOSS_RAN"):
    record = Record(path)
    setattr(builtins, MARK, record.note)
    sys.meta_path.insert(0, MarkingFinder(record))
