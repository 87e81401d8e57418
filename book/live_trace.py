"""Run within Pyodide by live_pack.mjs: asks the live page's every question, packs what that took.

Both archives hold compiled modules in the place of sources, for a start in half the time.
"""

import json
import py_compile
import sys
import traceback
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

APP, PACKED = Path("/app"), Path("/packed")
#: The day of every packed file, so that the same sources make the same archive.
DAY = (2000, 1, 1, 0, 0, 0)
PGN = '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Qh5 Nf6 3. Qxe5+ Be7 *\n'

sys.path.insert(0, str(APP))


class ScriptedEngine:
    """Answers UCI at once: the first legal move, level."""

    def __init__(self, receive) -> None:
        self.receive = receive
        self.position = ""

    def send(self, line: str) -> None:
        """Take a line, and answer it."""
        import chess

        word = line.split()[0]
        if word == "uci":
            self.say(
                "id name Scripted",
                "option name MultiPV type spin default 1 min 1 max 9",
                "uciok",
            )
        elif word == "isready":
            self.say("readyok")
        elif word == "position":
            self.position = line
        elif word == "go":
            fen, _, moves = self.position.removeprefix("position fen ").partition(
                " moves "
            )
            if fen.startswith("position startpos"):
                fen = chess.STARTING_FEN
            board = chess.Board(fen)
            for uci in moves.split():
                board.push_uci(uci)
            best = next(iter(board.legal_moves))
            self.say(
                f"info depth 9 multipv 1 score cp 10 nodes 9 pv {best}",
                f"bestmove {best}",
            )

    def say(self, *lines: str) -> None:
        """Answer from the loop, as a worker's messages come."""
        import asyncio

        for line in lines:
            asyncio.get_running_loop().call_soon(self.receive, line)


class ScriptedOracle(ScriptedEngine):
    """Answers ``eval`` with a table in which all terms are the same."""

    def send(self, line: str) -> None:
        """Take a line, and answer it."""
        if line == "eval":
            self.say("0.10 " * 62, "Total Evaluation: 0.10 (white side)")


async def ask_everything() -> None:
    """Ask each question once, and one that fails."""
    from chessgloss.live import LiveBook

    async def connect(receive, lose):
        return ScriptedEngine(receive).send

    async def connect_oracle(receive, lose):
        return ScriptedOracle(receive).send

    book = LiveBook(connect, connect_oracle=connect_oracle)

    async def ask(task: str, **given):
        return json.loads(await book.answer(json.dumps({"task": task, **given})))

    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    move = await ask("move", fen=start, move="e4")
    text = "White opens lines for the queen and the bishop, and 1... e5 2. Nf3 follows."
    played = {key: move[key] for key in ("fen", "uci")}
    ending = {"fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "uci": "e2e4"}
    answers = [
        await ask("position", fen=start),
        await ask("games", pgn=PGN),
        await ask("check", move=played, text=text),
        await ask("look", move=played),
        await ask("check", move=ending, text="A drawn ending."),
        await ask("comment", move=played, nodes=1000),
        await ask("annotate", pgn=PGN, nodes=1000),
        await ask("concepts", move=played),
    ]
    failed = [each["error"] for each in answers if "error" in each]
    assert not failed, failed
    assert "error" in await ask("position", fen="nonsense")
    try:
        raise ValueError("a traceback imports what shows it")
    except ValueError:
        traceback.format_exc()


def compiled(source: bytes, name: str) -> bytes:
    """Return a module compiled, without docstrings, never to be compared with its source."""
    path = Path("/compiling.py")
    path.write_bytes(source)
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    made = py_compile.compile(
        str(path), dfile=name, doraise=True, optimize=2, invalidation_mode=unchecked
    )
    return Path(made).read_bytes()


def pack(target: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write an archive that is not compressed: as a whole it comes out smaller."""
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in sorted(members):
            archive.writestr(zipfile.ZipInfo(name, DAY), content)


def members_of_app() -> Iterator[tuple[str, bytes]]:
    """Yield the modules of the application, compiled, and its other files."""
    for path in APP.rglob("*"):
        name = path.relative_to(APP).as_posix()
        if "__pycache__" in path.parts or not path.is_file():
            continue
        if path.suffix == ".py":
            yield f"{name}c", compiled(path.read_bytes(), name)
        else:
            yield name, path.read_bytes()


def members_of_library(imported: set[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the modules of the standard library that were imported, compiled."""
    with zipfile.ZipFile("/stdlib.zip") as archive:
        for name in archive.namelist():
            module = (
                name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            )
            if module in imported and name.endswith(".py"):
                yield f"{name}c", compiled(archive.read(name), name)


async def pack_all() -> None:
    """Ask everything, and pack what was imported by then."""
    await ask_everything()
    used = {
        name
        for name, module in sys.modules.items()
        if getattr(module.__spec__, "origin", "")
        != "frozen"  # those are in the runtime itself
    }
    PACKED.mkdir(exist_ok=True)
    pack(PACKED / "app.zip", members_of_app())
    pack(PACKED / "stdlib.zip", members_of_library(used))
