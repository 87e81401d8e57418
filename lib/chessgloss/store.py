"""Artefacts kept on disk under the content they were made from.

An artefact is a set of named parts: arrays (``.npy``, memory-mapped on reading), tables
(``.parquet``) and plain values (``.json``). It lives in a folder named by the hash of its
recipe. The folder is written aside and renamed, so that a reader sees all of it or none,
and two writers of one recipe cannot harm each other. Every part is checked against its
SHA-256 on reading; an artefact that was cut off or altered is set aside and built anew.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from safetensors import SafetensorError, safe_open

if TYPE_CHECKING:
    import pandas as pd

Part: TypeAlias = (
    "np.ndarray | pd.DataFrame | dict | list | str | int | float | bool | None"
)
Parts: TypeAlias = Mapping[str, Part]

_MANIFEST = "manifest.json"

#: Most bytes and lines in a ``.zst``; the largest read whole has 42 million in 82,000.
MOST_UNPACKED = 1 << 28
MOST_LINES = 1 << 22


class ArtefactDamaged(RuntimeError):
    """A stored artefact is cut off, altered or not an artefact at all."""


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of artefacts.

    Parameters
    ----------
    root
        The folder; made when the first artefact is kept.
    """

    root: Path

    def fetch(
        self, name: str, recipe: Mapping[str, Any], build: Callable[[], Parts]
    ) -> dict:
        """Return the parts of an artefact, building and keeping it if there is none.

        Parameters
        ----------
        name
            What the artefact is, for people; part of its folder's name.
        recipe
            All that changes the content, as JSON values: inputs' hashes, sizes, seeds,
            versions. Two recipes that differ make two artefacts.
        build
            Called without arguments when nothing valid is stored.

        Returns
        -------
        dict
            Part name to array (memory-mapped, read-only), table or value.
        """
        try:
            return self.read(name, recipe)
        except FileNotFoundError:
            pass
        except ArtefactDamaged:
            shutil.rmtree(self.path(name, recipe), ignore_errors=True)
        self.keep(name, recipe, build())
        return self.read(name, recipe)

    def path(self, name: str, recipe: Mapping[str, Any]) -> Path:
        """Return the folder that holds, or would hold, the artefact of this recipe."""
        return self.root / f"{name}-{recipe_key(recipe)}"

    def read(self, name: str, recipe: Mapping[str, Any]) -> dict:
        """Return the parts of a stored artefact after checking each against its hash.

        Raises
        ------
        FileNotFoundError
            If nothing is stored for the recipe.
        ArtefactDamaged
            If a part is missing, cut off or altered.
        """
        folder = self.path(name, recipe)
        if not folder.is_dir():
            raise FileNotFoundError(
                f"no artefact {name!r} of this recipe in {self.root}"
            )
        try:
            manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
            files, digests = manifest["files"], manifest["sha256"]
            if (
                not {*files.values()}
                == {*digests}
                <= {path.name for path in folder.iterdir()}
            ):
                raise ValueError(
                    "its manifest names other files than those in its folder"
                )
            wrong = [
                file for file in digests if file_digest(folder / file) != digests[file]
            ]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ArtefactDamaged(f"{folder} is no whole artefact: {error}") from None
        if wrong:
            raise ArtefactDamaged(f"{folder}: altered or cut off: {', '.join(wrong)}")
        return {part: _load(folder / file) for part, file in files.items()}

    def keep(self, name: str, recipe: Mapping[str, Any], parts: Parts) -> Path:
        """Write an artefact; if another writer was faster, theirs stays."""
        self.root.mkdir(parents=True, exist_ok=True)
        self._sweep()
        target = self.path(name, recipe)
        aside = Path(tempfile.mkdtemp(prefix=f".writing-{os.getpid()}-", dir=self.root))
        try:
            files = {part: _save(aside, part, value) for part, value in parts.items()}
            digests = {file: file_digest(aside / file) for file in files.values()}
            manifest = {"recipe": recipe, "files": files, "sha256": digests}
            text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False)
            (aside / _MANIFEST).write_text(text, encoding="utf-8")
            aside.rename(target)
        except OSError:
            if not target.is_dir():
                raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        return target

    def _sweep(self) -> None:
        """Remove the half-written folders of killed writers."""
        for left in self.root.glob(".writing-*-*"):
            try:
                os.kill(int(left.name.split("-")[1]), 0)
            except ProcessLookupError:
                shutil.rmtree(left, ignore_errors=True)
            except (OSError, ValueError):
                continue


def write_file(path: Path, content: str | bytes, mode: int = 0o666) -> Path:
    """Write a file whole or not at all; links, pipes, devices, modes and owners stay.

    A kill leaves the old file or the new one.

    Parameters
    ----------
    path
        The file; its folder is made.
    content
        Text is written as UTF-8.
    mode
        Of a new file.

    Raises
    ------
    OSError
        If it cannot be written; the error names ``path``.
    """
    data = content.encode() if isinstance(content, str) else content
    target = path.resolve()
    aside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return path
        target.parent.mkdir(parents=True, exist_ok=True)
        aside.touch(mode)
        aside.write_bytes(data)
        if target.exists():
            with suppress(PermissionError):  # root alone gives a file away
                shutil.chown(aside, target.stat().st_uid, target.stat().st_gid)
            shutil.copymode(target, aside)
        aside.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        aside.unlink(missing_ok=True)
    return path


def write_tensors(serialised: bytes, path: Path) -> Path:
    """Write a safetensors file, as :func:`write_file` does.

    The same tensors and texts give the same bytes: safetensors itself writes the texts of its
    header in an order of chance, and here they are sorted.

    Parameters
    ----------
    serialised
        What ``save`` of :mod:`safetensors.numpy` or :mod:`safetensors.torch` returns.
    path
        The file.
    """
    end = 8 + int.from_bytes(serialised[:8], "little")
    header = json.loads(serialised[8:end])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    return write_file(path, serialised[:8] + text.ljust(end - 8) + serialised[end:])


def read_tensors(
    path: Path, kind: str = "", framework: str = "np"
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the tensors of a safetensors file, and the texts of its header.

    Parameters
    ----------
    path
        The file.
    kind
        A text that the header must have; any file will do without.
    framework
        What the tensors are: ``np`` for numpy's, ``pt`` for torch's.

    Raises
    ------
    ValueError
        If the file is none, or its header has no text named ``kind``.
    """
    try:
        with safe_open(path, framework=framework) as file:
            about = dict(file.metadata() or {})
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path} is damaged or no safetensors file: {error}") from None
    if kind and kind not in about:
        raise ValueError(f"{path} holds no {kind}")
    return tensors, about


def read_zstd(path: Path, refusal: type[Exception] = ValueError) -> bytes:
    """Return the content of a ``.zst`` file, in bounded memory.

    Raises
    ------
    refusal
        If it is damaged, cut off or holds more than :data:`MOST_UNPACKED` bytes or
        :data:`MOST_LINES` lines.
    """
    import zstandard

    packed = path.read_bytes()
    try:
        if (size := zstandard.frame_content_size(packed)) > MOST_UNPACKED:
            raise zstandard.ZstdError(f"its header says {size:,}")
        text = zstandard.ZstdDecompressor().decompress(
            packed, max_output_size=MOST_UNPACKED
        )
        if (lines := sum(map(text.count, b"\n\r\v\f\x1c\x1d\x1e"))) > MOST_LINES:
            raise zstandard.ZstdError(f"it has {lines:,} lines")
    except zstandard.ZstdError as error:
        limits = f"more than {MOST_UNPACKED:,} bytes or {MOST_LINES:,} lines"
        raise refusal(
            f"{path} is damaged or cut off, or holds {limits}: {error}"
        ) from None
    return text


def recipe_key(recipe: Mapping[str, Any]) -> str:
    """Return the hash, 24 hex digits, of a recipe of JSON values; its order does not matter."""
    text = json.dumps(recipe, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file as hex digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def find_project() -> Path:
    """Return the checkout of the book: a folder that holds ``_toc.yml``.

    It is the one that ``CHESSGLOSS_PROJECT`` names; if it names none, the nearest one upward
    from the working folder, or the one that this library is part of.

    Raises
    ------
    FileNotFoundError
        If there is none.
    """
    here = Path.cwd().resolve()
    library = Path(__file__).resolve().parents[2]
    named = os.environ.get("CHESSGLOSS_PROJECT")
    for folder in [Path(named)] if named else [here, *here.parents, library]:
        if (folder / "_toc.yml").is_file():
            return folder
    raise FileNotFoundError(
        f"no _toc.yml in {named or f'{here} or above'}: this needs a "
        "checkout of the book; run `export CHESSGLOSS_PROJECT=/path/to/checkout`"
    )


def data_file(name: str) -> Path:
    """Return a file of the book's ``data``: a checkout's, or the copy that was installed.

    Raises
    ------
    FileNotFoundError
        If there is no checkout, and the installed package brought no such file.
    """
    try:
        return find_project() / "data" / name
    except FileNotFoundError:
        for path in importlib.metadata.files("chessgloss") or ():
            if path.as_posix().endswith(f"share/chessgloss/{name}"):
                return Path(str(path.locate()))
        raise


def default_store() -> Store:
    """Return the store at ``CHESSGLOSS_STORE``, or ``.cache/store`` in the project."""
    given = os.environ.get("CHESSGLOSS_STORE")
    return Store(Path(given) if given else find_project() / ".cache" / "store")


def _save(folder: Path, name: str, part: Part) -> str:
    if isinstance(part, np.ndarray):
        np.save(folder / f"{name}.npy", part, allow_pickle=False)
        return f"{name}.npy"
    if part is not None and hasattr(part, "to_parquet"):
        part.to_parquet(folder / f"{name}.parquet")
        return f"{name}.parquet"
    text = json.dumps(part, ensure_ascii=False, allow_nan=False)
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return f"{name}.json"


def _load(path: Path) -> Part:
    if path.suffix == ".npy":
        return np.load(path, mmap_mode="r", allow_pickle=False)
    if path.suffix == ".parquet":
        import pandas as pd

        return pd.read_parquet(path)
    return json.loads(path.read_text(encoding="utf-8"))
