"""Writes the files that the live page runs in a reader's browser: Python, the library, an engine.

    python book/live_files.py TARGET

Everything comes from packages that are installed anyway (``node_modules`` and the environment),
so that no binary file is kept in the repository. The page fetches the files when a reader first
asks it for something. What is large is compressed here, since not every server does that.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[1]

#: The packages of npm, and what of them is taken.
RUNTIME = "node_modules/pyodide"
ENGINE = "node_modules/stockfish-lite"
ENGINE_FILE = "bin/stockfish-19-lite-single"
ORACLE = "node_modules/stockfish"

#: What brings the packages.
REMEDY = "sudo apt-get install nodejs npm, then npm ci && make book"

#: Code that refuses every package but python-chess and the library itself.
CHESS_ALONE = """
import sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        room = name.partition(".")[0]
        if room in sys.stdlib_module_names or room in {"chess", "chessgloss"}:
            return None
        raise ModuleNotFoundError(f"{name} is refused", name=name)

sys.meta_path.insert(0, Refused())
"""

#: Prints, as JSON, the files of all modules that answering takes. A module that needs another
#: package is noticed here and not by a reader.
_LIST = (
    CHESS_ALONE
    + """
import json
import chessgloss.live

ours = [name for name in sys.modules if name.partition(".")[0] in {"chess", "chessgloss"}]
print(json.dumps({name: sys.modules[name].__file__ for name in sorted(ours)}))
"""
)

#: What stands in a browser in the place of modules that need what is not there: tables of
#: endings on a disk. Endings of three pieces then have no name, as where they are not installed.
STAND_INS = {
    "chess/gaviota.py": """
class PythonTablebase:
    def add_directory(self, folder: str) -> None:
        raise NotImplementedError
""",
    "chessgloss/assets.py": """
class AssetMissing(RuntimeError):
    pass


def locate(name: str) -> str:
    raise AssetMissing(f"{name} is a file, and a browser has none")
""",
}

#: Files beside the modules of a package that it reads.
READ = {".toml", ".tsv", ".css", ".js", ".html"}

#: What is read beside the modules of the library's root; its other tables serve assets and pages.
ROOT_READ = ("languages.toml",)


class PackagesMissing(RuntimeError):
    """What npm brings is not installed; the message says what to run."""


def write_files(project: Path, target: Path) -> dict[str, int]:
    """Write the files into a folder, and ``files.json``, which names them with their bytes.

    Raises
    ------
    PackagesMissing
        If a package is not in ``node_modules``.
    """
    packages = [project / name for name in (RUNTIME, ENGINE, ORACLE)]
    runtime, engine, oracle = packages
    for package in packages:
        if not (package / "package.json").is_file():
            raise PackagesMissing(f"{package.name} is not in node_modules: {REMEDY}")
    if shutil.which("node") is None:
        raise PackagesMissing(f"node is not installed: {REMEDY}")
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source.zip"
        source.write_bytes(zipped(dict(members())))
        pack = Path(__file__).with_name("live_pack.mjs")
        command = ["node", str(pack), str(runtime), str(source), str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the live page's files: {done.stdout}{done.stderr}")
    plain = {"stockfish.js": engine / f"{ENGINE_FILE}.js"}
    large = {
        "app.zip.gz": target / "app.zip",
        "stdlib.zip.gz": target / "stdlib.zip",
        "pyodide.js.gz": runtime / "pyodide.js",
        "pyodide.asm.js.gz": runtime / "pyodide.asm.js",
        "pyodide.asm.wasm.gz": runtime / "pyodide.asm.wasm",
        "stockfish.wasm.gz": engine / f"{ENGINE_FILE}.wasm",
        "stockfish8.js.gz": oracle / "src/stockfish.js",
    }
    for name, path in plain.items():
        (target / name).write_bytes(path.read_bytes())
    for name, path in large.items():
        (target / name).write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    for packed in ("app.zip", "stdlib.zip"):
        (target / packed).unlink()
    names = sorted([*plain, *large])
    sizes = {name: (target / name).stat().st_size for name in names}
    versions = {
        package.name: json.loads((package / "package.json").read_text("utf-8"))
        for package in packages
    }
    lock = json.loads((runtime / "pyodide-lock.json").read_text("utf-8"))
    said = {
        "bytes": sizes,
        "lock": {"info": lock["info"], "packages": {}},  # no package is to be fetched
        "versions": {name: each["version"] for name, each in versions.items()},
    }
    (target / "files.json").write_text(json.dumps(said, indent=1) + "\n", "utf-8")
    return sizes


def members() -> Iterator[tuple[str, bytes]]:
    """Yield the modules that answering takes, and the tables and pages beside them."""
    done = subprocess.run(
        [sys.executable, "-c", _LIST], capture_output=True, text=True, check=True
    )
    paths = {name: Path(path) for name, path in json.loads(done.stdout).items()}
    yield from ((name, text.encode()) for name, text in STAND_INS.items())
    for name, path in paths.items():
        package = path.name == "__init__.py"
        folder = name.replace(".", "/")
        yield (
            (f"{folder}/__init__.py" if package else f"{folder}.py"),
            path.read_bytes(),
        )
        if name == "chessgloss":
            for beside in ROOT_READ:
                yield f"{name}/{beside}", path.with_name(beside).read_bytes()
        if package and "." in name:
            for beside in sorted(path.parent.iterdir()):
                if beside.suffix in READ:
                    yield f"{folder}/{beside.name}", beside.read_bytes()


def zipped(members: dict[str, bytes]) -> bytes:
    """Return an archive."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return written.getvalue()


if __name__ == "__main__":
    for name, size in write_files(PROJECT, Path(sys.argv[1])).items():
        print(f"{size:>10,} {name}")
