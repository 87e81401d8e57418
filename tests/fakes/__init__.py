"""Scripted programs that stand in for an engine, and how to run them."""

import signal
import sys
from pathlib import Path

import psutil

SCRIPT = Path(__file__).parent / "scripted_engine.py"


def engine_command(*options: str) -> tuple[str, ...]:
    """Return the command that runs the scripted engine with these options."""
    return (sys.executable, "-S", str(SCRIPT), *options)


def heed_interrupts() -> None:
    """Make a process heed an interrupt: a shell's background job, and so its child, ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def children() -> set[int]:
    """Return the processes that this one has started."""
    return {child.pid for child in psutil.Process().children(recursive=True)}


def engine_program(folder: Path, *options: str) -> Path:
    """Write an executable file into the folder that runs the scripted engine."""
    program = folder / "engine"
    words = " ".join(f"'{word}'" for word in engine_command(*options))
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    program.chmod(0o755)
    return program
