"""Where the engines are, and what is said when one is missing or fails.

Stockfish is a binary of the operating system; Stockfish 8, the concept oracle of the CCC
paper, is the npm package ``stockfish`` 8.0.0, a JavaScript program that node runs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

#: Where Debian and a build from source put the binary when the PATH does not say.
_USUAL_FOLDERS = (Path("/usr/games"), Path("/usr/local/bin"))

_REMEDY = "install it with `sudo apt-get install stockfish` or set CHESSGLOSS_STOCKFISH"

#: The last npm release of ``stockfish`` that is compiled from Stockfish 8.
_STOCKFISH8_PACKAGE = "8.0.0"
_REMEDY8 = "install it with `npm install stockfish@8.0.0` or set CHESSGLOSS_STOCKFISH8"


class EngineMissing(RuntimeError):
    """An engine that is not installed, or not in the version that is needed."""


class EngineFailed(RuntimeError):
    """An engine that crashed, hung or answered nonsense twice.

    Parameters
    ----------
    message
        What happened, with the position and the remedy.
    fen
        The position it failed on; empty if it did not even start.
    """

    def __init__(self, message: str, fen: str = "") -> None:
        super().__init__(message)
        self.fen = fen


def find_stockfish() -> Path:
    """Return the path of the Stockfish binary.

    The environment variable ``CHESSGLOSS_STOCKFISH`` wins; then the PATH; then
    ``/usr/games`` and ``/usr/local/bin``.

    Raises
    ------
    EngineMissing
        If there is none, or the variable names no executable file.
    """
    named = os.environ.get("CHESSGLOSS_STOCKFISH")
    if named:
        return executable(Path(named), "CHESSGLOSS_STOCKFISH")
    folders = os.pathsep.join([os.environ.get("PATH", ""), *map(str, _USUAL_FOLDERS)])
    found = shutil.which("stockfish", path=folders)
    if found is None:
        raise EngineMissing(f"no Stockfish on the PATH or in its usual folders; {_REMEDY}")
    return Path(found)


def find_stockfish8() -> tuple[str, str]:
    """Return the command that runs Stockfish 8: node and the script of the npm package.

    The environment variable ``CHESSGLOSS_STOCKFISH8`` (the path of ``stockfish.js``) wins;
    then ``node_modules`` of the working directory, of the folders above it, and of those
    above this library (so that a notebook finds the repository's copy).

    Raises
    ------
    EngineMissing
        If node or the package is missing, or the package is not version 8.
    """
    node = shutil.which("node")
    if node is None:
        raise EngineMissing("no node on the PATH; install it with `sudo apt-get install nodejs`")
    return node, str(_stockfish8_script())


def version(path: Path | None = None) -> str:
    """Return the name an engine gives itself over UCI, such as ``Stockfish 15.1``.

    Raises
    ------
    EngineMissing
        If there is no engine at ``path``, or it does not speak UCI within 10 seconds.
    """
    binary = executable(path, "path") if path else find_stockfish()
    try:
        said = subprocess.run(
            [binary], input="uci\nquit\n", capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineMissing(f"{binary} does not answer `uci` ({error}); {_REMEDY}") from None
    names = [line.removeprefix("id name ") for line in said.splitlines() if "id name " in line]
    if not names:
        raise EngineMissing(f"{binary} is no UCI engine: it gives no name; {_REMEDY}")
    return names[0].strip()


def executable(path: Path, source: str) -> Path:
    """Return ``path`` if it is an executable file; ``source`` says who named it.

    Raises
    ------
    EngineMissing
        If it is not.
    """
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise EngineMissing(f"{source} names {str(path)!r}, no executable file; {_REMEDY}")
    return path


def _stockfish8_script() -> Path:
    named = os.environ.get("CHESSGLOSS_STOCKFISH8")
    if named:
        if not Path(named).is_file():
            raise EngineMissing(f"CHESSGLOSS_STOCKFISH8 names {named!r}, no file; {_REMEDY8}")
        return Path(named)
    here = Path.cwd().resolve()
    for folder in (here, *here.parents, *Path(__file__).resolve().parents):
        package = folder / "node_modules" / "stockfish"
        if _package_version(package) == _STOCKFISH8_PACKAGE:
            return package / "src" / "stockfish.js"
    raise EngineMissing(f"no npm package stockfish {_STOCKFISH8_PACKAGE} in {here}; {_REMEDY8}")


def _package_version(package: Path) -> str | None:
    try:
        description = json.loads((package / "package.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return description.get("version")
