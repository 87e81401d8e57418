"""What an asset is, and how its absence is told."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pooch


class AssetMissing(RuntimeError):
    """An asset cannot be had: names the asset, what was tried and the remedy."""

    def __init__(self, asset: Asset, tried: Iterable[str]) -> None:
        attempts = "".join(f"\n  - {attempt}" for attempt in tried)
        super().__init__(
            f"asset {asset.name!r} ({asset.description}) is not available; tried:{attempts}\n"
            f"Remedy: {asset.remedy or f'set {asset.variable} to a copy of it'}"
        )
        self.asset = asset


class FetchError(RuntimeError):
    """One provider could not deliver an asset; the next one is tried."""


class Provider(Protocol):
    """A place an asset can be had from; ``str()`` of it names the place."""

    def fetch(self, asset: Asset, target: Path, keep: Path) -> None:
        """Write the asset to ``target``; ``keep`` is a folder that outlives an interruption."""


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
        Pinned hash of the file; ``None`` where the source changes (or is the user's choice).
    size
        Bytes, for the reader's information; ``None`` if unknown or changing.
    providers
        Where it can be had, in the order they are tried.
    remedy
        What a user can do if no provider works.
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
    providers: tuple[Provider, ...] = ()
    remedy: str = ""
    members: str = ""
    count: int = 1

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name):
            raise ValueError(f"asset name must be lower-case letters and '_', got {self.name!r}")
        if self.sha256 is not None and not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise ValueError(f"sha256 of {self.name!r} must be 64 hex digits, got {self.sha256!r}")
        if self.members and self.sha256:
            raise ValueError(f"{self.name!r} is a folder: its files are checked one by one")

    @property
    def variable(self) -> str:
        """Environment variable that names a local copy: ``CHESSGLOSS_ASSET_<NAME>``."""
        return f"CHESSGLOSS_ASSET_{self.name.upper()}"


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and hashes of a folder's files."""
    if path.is_file():
        return str(pooch.file_hash(str(path)))
    files = sorted(file for file in path.iterdir() if file.is_file())
    listing = "".join(f"{digest(file)}  {file.name}\n" for file in files)
    return hashlib.sha256(listing.encode()).hexdigest()
