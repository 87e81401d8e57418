"""The book's chapters: which there are, what each is made from, and which are stale.

A chapter is one notebook in ``notebooks/``, listed in ``notebooks/chapters.toml``. Its
text (``NN_name.py``, jupytext percent) is the source. An executed notebook carries one
fingerprint of all that it was made from, and is stale when that of today differs: a
change in the library re-runs only the chapters that import it, and a fresh clone,
whatever its file times, runs nothing. Asking takes milliseconds.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "chessgloss"
LOCK_FILE = "requirements.lock"
CHAPTERS_FILE = "notebooks/chapters.toml"


class ChapterError(RuntimeError):
    """A chapter that is not listed, cannot be executed, or failed while it ran."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """One notebook of the book, as ``notebooks/chapters.toml`` describes it.

    Parameters
    ----------
    name
        Stem of the notebook's files, ``NN_section``.
    title
        Heading of the chapter.
    sections
        What of the four documents the chapter regenerates.
    data
        Files and folders that the chapter reads, relative to the project.
    budget_seconds
        Seconds on two cores that an execution may take, by profile.

    Raises
    ------
    ChapterError
        If the name is not ``NN_section`` or a path leads out of the project.
    """

    name: str
    title: str
    sections: str
    data: tuple[str, ...]
    budget_seconds: Mapping[str, int]

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\d\d_[a-z0-9_]+", self.name):
            raise ChapterError(f"{CHAPTERS_FILE}: {self.name!r} is not of the form NN_section")
        for path in self.data:
            if Path(path).is_absolute() or ".." in Path(path).parts:
                raise ChapterError(f"{CHAPTERS_FILE}: {self.name} reads {path!r}, out of the tree")

    @property
    def source(self) -> str:
        """Path of the notebook's text, relative to the project."""
        return f"notebooks/{self.name}.py"


@dataclass(frozen=True, slots=True)
class Run:
    """Where one execution of the book reads and writes, and at which sizes.

    Parameters
    ----------
    project
        Folder that holds ``_toc.yml``; the kernel's working folder.
    profile
        ``book``, ``smoke`` or ``paper``. The notebooks' own default is ``book``.
    executed, results, store
        Folders of executed notebooks, of result files, and of artefacts.
    """

    project: Path
    profile: str
    executed: Path
    results: Path
    store: Path

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters to inject: none for ``book``, which is what the source says."""
        return {} if self.profile == "book" else {"profile": self.profile}

    def notebook(self, chapter: Chapter) -> Path:
        """Path of the chapter's executed notebook."""
        return self.executed / f"{chapter.name}.ipynb"

    def result(self, chapter: Chapter) -> Path:
        """Path of the chapter's result file."""
        return self.results / f"{chapter.name}.json"


def committed_run(project: Path) -> Run:
    """Return the run whose notebooks and results are committed."""
    book = project / "book"
    return Run(project, "book", book / "executed", book / "results", project / ".cache/store")


def separate_run(project: Path, profile: str, folder: Path) -> Run:
    """Return a run that writes everything, its store included, under ``folder``."""
    return Run(project, profile, folder / "executed", folder / "results", folder / "store")


def read_chapters(project: Path) -> tuple[Chapter, ...]:
    """Read ``notebooks/chapters.toml``, in the book's order.

    Raises
    ------
    ChapterError
        If the file is missing or malformed, or a table lacks a field.
    """
    path = project / CHAPTERS_FILE
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ChapterError(f"{path}: {error}") from error
    return tuple(_chapter(name, table) for name, table in tables.items())


def _chapter(name: str, table: Mapping[str, Any]) -> Chapter:
    try:
        return Chapter(
            name=name,
            title=table["title"],
            sections=table["sections"],
            data=tuple(table["data"]),
            budget_seconds=dict(table["budget_seconds"]),
        )
    except KeyError as error:
        raise ChapterError(f"{CHAPTERS_FILE}: [{name}] has no {error}") from error


def find_chapter(chapters: Iterable[Chapter], wanted: str) -> Chapter:
    """Find a chapter by its number (``4`` or ``04``) or its name.

    Raises
    ------
    ChapterError
        If there is none; the message lists those there are.
    """
    by_name = {chapter.name: chapter for chapter in chapters}
    number = wanted.zfill(2) if wanted.isdigit() else None
    for name, chapter in by_name.items():
        if wanted == name or name.split("_")[0] == number:
            return chapter
    raise ChapterError(f"no chapter {wanted!r}; there are: {', '.join(by_name)}")


# ---------------------------------------------------------------- freshness


def library_files(source: str, library: Path) -> set[Path]:
    """Find the files of the package that a notebook's text imports, transitively.

    Imports are read from the syntax tree, those inside functions included. A package
    counts with all that lies in its folder beside modules (prompts, say), since its
    modules read it.

    Parameters
    ----------
    source
        Python text of a notebook.
    library
        Folder that holds the package ``chessgloss``.
    """
    found: set[Path] = set()
    waiting = list(imported_names(ast.parse(source), package=""))
    while waiting:
        for path in _files_of_module(waiting.pop(), library) - found:
            found.add(path)
            if path.suffix == ".py":
                package = _package_of(path, library)
                waiting += imported_names(ast.parse(path.read_text("utf-8")), package)
    return found


def imported_names(tree: ast.AST, package: str) -> Iterator[str]:
    """Yield the dotted names that a module of ``package`` imports, relative ones resolved.

    ``from a import b`` yields both ``a`` and ``a.b``, as ``b`` may be a module.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    parts = package.split(".")
    prefix = parts[: len(parts) - node.level + 1] if node.level else []
    return ".".join([*prefix, *([node.module] if node.module else [])])


def _package_of(path: Path, library: Path) -> str:
    return ".".join(path.relative_to(library).parent.parts)


def _files_of_module(name: str, library: Path) -> set[Path]:
    """Return the files that importing ``name`` runs or makes readable: it and its parents."""
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return set()
    paths = {library.joinpath(*parts).with_suffix(".py")}
    for depth in range(1, len(parts) + 1):
        folder = library.joinpath(*parts[:depth])
        paths.add(folder / "__init__.py")
        if (folder / "__init__.py").is_file():
            paths |= {path for path in folder.iterdir() if path.suffix not in {".py", ".pyc"}}
    return {path for path in paths if path.is_file()}


def fingerprint(project: Path, chapter: Chapter, parameters: Mapping[str, Any]) -> str:
    """Digest all that an executed chapter is made from, as 32 hexadecimal digits.

    That is the notebook's text, the package's files that it imports, the parameters
    injected, its data and the lock file: names and contents, never file times.

    Raises
    ------
    ChapterError
        If the notebook, its data or the lock file is missing.
    """
    digest = hashlib.blake2b(digest_size=16)
    digest.update(json.dumps(dict(parameters), sort_keys=True).encode())
    for path in ingredients(project, chapter):
        digest.update(f"\0{path.relative_to(project).as_posix()}\0".encode())
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "blake2b").digest())
    return digest.hexdigest()


def ingredients(project: Path, chapter: Chapter) -> list[Path]:
    """List the files that :func:`fingerprint` reads, sorted."""
    source = project / chapter.source
    required = [source, project / LOCK_FILE, *(project / path for path in chapter.data)]
    for path in required:
        if not path.exists():
            raise ChapterError(f"{chapter.name}: {path.relative_to(project)} is missing")
    files = {file for path in required for file in _files_under(path)}
    return sorted(files | library_files(source.read_text("utf-8"), project / "lib"))


def _files_under(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for file in path.rglob("*"):
        if file.is_file() and not file.name.startswith("."):
            yield file


def is_stale(run: Run, chapter: Chapter) -> bool:
    """Tell whether the chapter must be executed: nothing kept, or made from other things."""
    if not (run.notebook(chapter).is_file() and run.result(chapter).is_file()):
        return True
    kept = recorded_fingerprint(run.notebook(chapter))
    return kept != fingerprint(run.project, chapter, run.parameters)


def recorded_fingerprint(notebook: Path) -> str | None:
    """Read the fingerprint kept in an executed notebook; None if it holds none."""
    try:
        metadata = json.loads(notebook.read_text("utf-8"))["metadata"]
    except (ValueError, KeyError, TypeError):
        return None
    return metadata.get(PACKAGE, {}).get("fingerprint")
