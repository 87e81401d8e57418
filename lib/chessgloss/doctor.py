"""What chessgloss needs on a machine, what is found, and what to run for the rest."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from chessgloss import assets, engine, oracle
from chessgloss.store import find_project

#: Packages of which chessgloss has more than one component; the rest come with them.
_PACKAGES = ("chess", "numpy", "scikit-learn", "torch", "openai", "jupyter-book", "papermill")


@dataclass(frozen=True, slots=True)
class Finding:
    """One component: whether it is there, its version or place, and the remedy if not.

    Parameters
    ----------
    component
        What it is.
    found
        Whether it can be used.
    version
        Its version, or where it lies.
    remedy
        What to run to have it; empty when it is found.
    essential
        Whether the committed chapters cannot be executed without it.
    """

    component: str
    found: bool
    version: str
    remedy: str = ""
    essential: bool = True


def examine() -> list[Finding]:
    """Look for every component, in the order in which a new machine gets them."""
    return [
        _python(),
        *_packages(),
        _stockfish(),
        _stockfish8(),
        _program("chromium", ("chromium", "google-chrome"), "sudo apt-get install chromium"),
        *_assets(),
        _endpoint(),
    ]


def render(findings: list[Finding]) -> str:
    """Return the findings as a plain table: component, found, version, what to run."""
    head = ("component", "found", "version", "what to run")
    rows = [head, *((f.component, _mark(f), f.version, f.remedy) for f in findings)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        "  ".join(
            [*(cell.ljust(w) for cell, w in zip(row[:3], widths, strict=True)), row[3]]
        ).rstrip()
        for row in rows
    )


def _mark(finding: Finding) -> str:
    return "yes" if finding.found else "no" if finding.essential else "no (optional)"


def _python() -> Finding:
    good = sys.version_info >= (3, 11)
    remedy = "" if good else "make sync PYTHON=/path/to/python3.11"
    return Finding("Python", good, platform.python_version(), remedy)


def _packages() -> Iterator[Finding]:
    for name in _PACKAGES:
        try:
            yield Finding(name, True, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield Finding(name, False, "", "make sync")


def _stockfish() -> Finding:
    version = _try(lambda: engine.version())
    return Finding(
        "Stockfish 15.1",
        version == "Stockfish 15.1",
        version or "",
        "" if version == "Stockfish 15.1" else "sudo apt-get install stockfish (Debian 12)",
    )


def _stockfish8() -> Finding:
    command = _try(lambda: " ".join(oracle.find_stockfish8()))
    remedy = "" if command else "sudo apt-get install nodejs npm && make sync"
    return Finding("Stockfish 8", bool(command), "npm 8.0.0" if command else "", remedy)


def _program(component: str, names: tuple[str, ...], remedy: str) -> Finding:
    path = next((found for name in names if (found := shutil.which(name))), None)
    return Finding(component, bool(path), _first_line(path), "" if path else remedy, False)


def _assets() -> Iterator[Finding]:
    for name, asset in assets.REGISTRY.items():
        try:
            path = assets.locate(name, fetch=False)
        except assets.AssetMissing:
            remedy = f'python -c "from chessgloss import assets; assets.locate({name!r})"'
            if name == "leela":
                remedy = f"export {asset.variable}=/path/to/network.pb.gz"
            yield Finding(f"asset {name}", False, "", remedy, essential=False)
        else:
            yield Finding(f"asset {name}", True, path.name, essential=False)


def _endpoint() -> Finding:
    url = os.environ.get("OPENAI_BASE_URL", "")
    remedy = "" if url else "export OPENAI_BASE_URL=... (only to record new answers)"
    return Finding("language model endpoint", bool(url), "set" if url else "", remedy, False)


def _first_line(path: str | None) -> str:
    if path is None:
        return ""
    said = _try(
        lambda: (
            subprocess.run(
                [path, "--version"], capture_output=True, text=True, timeout=20, check=False
            ).stdout
        )
    )
    return (said or "").strip().split("\n")[0]


def _try(ask: Callable[[], str]) -> str | None:
    try:
        return ask()
    except (engine.EngineMissing, OSError, subprocess.SubprocessError):
        return None


def project_line() -> str:
    """Return one line that says in which checkout the command runs."""
    try:
        return f"project: {find_project()}"
    except FileNotFoundError:
        return f"project: none (run inside a checkout); working folder {Path.cwd()}"
