"""The networks, models and corpora that chessgloss reads but does not ship.

:func:`locate` returns a checked path to one of them, looking in this order: the path
named by the environment variable ``CHESSGLOSS_ASSET_<NAME>``; the cache folder
(``CHESSGLOSS_CACHE``, by default the user's cache); the asset's providers, one after the
other. Nothing enters the cache before it is verified, and what is in the cache is
verified again each time it is located: against a pinned SHA-256 or, where the source
changes over time, against sizes and hashes noted when it was fetched. Processes that want
the same asset at once wait for the one that fetches it.
"""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pooch
from filelock import FileLock

from chessgloss.assets.records import Asset, AssetMissing, FetchError, Provider, digest
from chessgloss.assets.registry import REGISTRY

__all__ = [
    "REGISTRY",
    "Asset",
    "AssetMissing",
    "FetchError",
    "Provider",
    "cache_folder",
    "digest",
    "locate",
    "locate_asset",
]

#: Above this many bytes the hash of a file that is not pinned is not taken, only its size.
HASH_LIMIT = 1 << 30

_Manifest = dict[str, tuple[int, str]]

_FAILURES = (FetchError, OSError, ValueError, tarfile.TarError, zipfile.BadZipFile)


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
    return locate_asset(REGISTRY[name], fetch=fetch)


def locate_asset(asset: Asset, *, fetch: bool = True) -> Path:
    """Do what :func:`locate` does for an asset that need not be in the registry."""
    given = os.environ.get(asset.variable)
    if given:
        return _given(asset, Path(given).expanduser())
    cached = cache_folder() / asset.filename
    problem = _cache_problem(asset, cached)
    if problem is None:
        return cached
    if not fetch:
        raise AssetMissing(asset, [f"{cached}: {problem}", "fetching was not allowed"])
    cached.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(cached.with_name(f".{cached.name}.lock")):
        return _obtain(asset, cached)


def cache_folder() -> Path:
    """Return the folder that holds fetched assets; it need not exist yet."""
    chosen = os.environ.get("CHESSGLOSS_CACHE") or pooch.os_cache("chessgloss")
    return Path(chosen).expanduser().absolute()


def _given(asset: Asset, path: Path) -> Path:
    problem = _content_problem(asset, path)
    if problem is not None:
        raise AssetMissing(asset, [f"{path} (from {asset.variable}): {problem}"])
    return path


def _obtain(asset: Asset, cached: Path) -> Path:
    """Ask one provider after the other; called by the holder of the asset's lock only."""
    if _cache_problem(asset, cached) is None:
        return cached  # another process fetched it while this one waited
    keep = cached.with_name(f".{cached.name}.parts")
    tried = [] if asset.providers else ["no provider is known"]
    for provider in asset.providers:
        try:
            _fetch(asset, provider, cached, keep)
        except _FAILURES as error:
            tried.append(f"{provider}: {error}")
        else:
            shutil.rmtree(keep, ignore_errors=True)
            return cached
    if keep.is_dir() and not any(keep.iterdir()):
        keep.rmdir()
    raise AssetMissing(asset, tried)


def _fetch(asset: Asset, provider: Provider, cached: Path, keep: Path) -> None:
    """Let one provider write to a scratch folder, verify the result, then publish it."""
    keep.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cached.parent, prefix=f".{asset.name}-") as scratch:
        fresh = Path(scratch) / asset.filename
        provider.fetch(asset, fresh, keep)
        problem = _content_problem(asset, fresh)
        if problem is not None:
            raise FetchError(problem)
        note = fresh.with_name("manifest.json")
        note.write_text(json.dumps(_measure(asset, fresh), indent=1), encoding="utf-8")
        note.replace(_manifest_path(cached))
        if cached.is_dir():
            shutil.rmtree(cached)
        fresh.replace(cached)


def _content_problem(asset: Asset, path: Path) -> str | None:
    """Say what is wrong with the copy at ``path`` by the registry, or return ``None``."""
    if asset.members:
        found = len(_files(asset, path))
        wanted = f"{asset.count} files {asset.members!r}"
        return None if found >= asset.count else f"holds {found} of at least {wanted}"
    if not path.is_file():
        return "no such file"
    if asset.sha256 is not None and digest(path) != asset.sha256:
        return f"SHA-256 is {digest(path)}, expected {asset.sha256}"
    return None


def _cache_problem(asset: Asset, cached: Path) -> str | None:
    problem = _content_problem(asset, cached)
    if problem or asset.sha256:
        return problem
    same = _read_manifest(cached) == _measure(asset, cached)
    return None if same else "is not as it was when it was fetched"


def _files(asset: Asset, path: Path) -> list[Path]:
    files = sorted(path.glob(asset.members)) if asset.members else [path]
    return [file for file in files if file.is_file()]


def _measure(asset: Asset, path: Path) -> _Manifest:
    """Return size and hash of each file, by name; the hash of a huge file is left out."""
    manifest = {}
    for file in _files(asset, path):
        size = file.stat().st_size
        name = file.name if asset.members else asset.filename
        manifest[name] = (size, digest(file) if size <= HASH_LIMIT else "")
    return manifest


def _manifest_path(cached: Path) -> Path:
    return cached.with_name(f".{cached.name}.manifest.json")


def _read_manifest(cached: Path) -> _Manifest | None:
    try:
        noted = json.loads(_manifest_path(cached).read_text(encoding="utf-8"))
        return {name: (int(size), str(sha256)) for name, (size, sha256) in noted.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return None
