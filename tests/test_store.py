import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
import safetensors.torch
import torch
import zstandard
from joblib import Parallel, delayed

from chessgloss.corpora.games import GamesFileError, unpack
from chessgloss.llm.recordings import Model, RecordingDamaged, Recordings
from chessgloss.skill.grading import read_tables
from chessgloss.store import (
    ArtefactDamaged,
    Store,
    data_file,
    find_project,
    write_file,
    write_tensors,
)
from scripts import PROJECT, refuses

RECIPE = {"games": "ab12", "nodes": 500}


def parts() -> dict:
    return {
        "scores": np.arange(12, dtype=np.float32).reshape(3, 4),
        "moves": pd.DataFrame({"san": ["e4", "Nf3"], "loss": [0, 12]}),
        "note": {"depth": [1, 2], "side": "white"},
    }


def test_an_artefact_is_built_once_and_read_back_as_it_was(tmp_path):
    store = Store(tmp_path)
    built = []
    for _ in range(2):
        found = store.fetch("grades", RECIPE, lambda: built.append(1) or parts())
    assert built == [1]
    np.testing.assert_array_equal(found["scores"], parts()["scores"])
    assert isinstance(found["scores"], np.memmap)
    pd.testing.assert_frame_equal(found["moves"], parts()["moves"])
    assert found["note"] == parts()["note"]


@pytest.mark.parametrize(
    ("file", "harm"),
    [
        ("scores.npy", lambda path: path.write_bytes(path.read_bytes()[:-1] + b"!")),
        ("scores.npy", Path.unlink),
        ("manifest.json", lambda path: path.write_text("{")),
    ],
)
def test_a_damaged_artefact_is_detected_and_built_anew(tmp_path, file, harm):
    store = Store(tmp_path)
    harm(store.keep("grades", RECIPE, parts()) / file)
    with pytest.raises(ArtefactDamaged):
        store.read("grades", RECIPE)
    again = store.fetch("grades", RECIPE, parts)
    np.testing.assert_array_equal(again["scores"], parts()["scores"])


def test_a_manifest_leads_to_no_file_outside_or_unchecked(tmp_path):
    folder = Store(tmp_path / "store").keep("grades", RECIPE, parts())
    (tmp_path / "secret.json").write_text("1")
    for harm in (
        {"files": {"x": "../../secret.json"}},
        {"files": {"x": "manifest.json"}},
    ):
        manifest = json.loads((folder / "manifest.json").read_text())
        (folder / "manifest.json").write_text(json.dumps(manifest | harm))
        with pytest.raises(ArtefactDamaged):
            Store(tmp_path / "store").read("grades", RECIPE)


def test_two_writers_leave_one_whole_artefact(tmp_path):
    keep = delayed(Store(tmp_path).keep)
    Parallel(n_jobs=4)(
        keep("grades", RECIPE, {"x": np.full(200_000, k)}) for k in range(12)
    )
    kept = Store(tmp_path).read("grades", RECIPE)["x"]
    assert len(set(kept.tolist())) == 1
    assert list(tmp_path.iterdir()) == [Store(tmp_path).path("grades", RECIPE)]


@pytest.mark.parametrize(
    ("build", "error"),
    [
        (lambda: {"x": 1 // 0}, "division"),
        (lambda: {"x": np.array([object()])}, "allow_pickle"),
    ],
)
def test_a_build_that_fails_leaves_nothing_and_objects_are_never_pickled(
    tmp_path, build, error
):
    refuses(
        (ZeroDivisionError, ValueError),
        error,
        Store(tmp_path).fetch,
        "grades",
        RECIPE,
        build,
    )
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_written_whole_and_stays_what_it_is(tmp_path, monkeypatch):
    kept = tmp_path / "kept"
    kept.write_text("old")
    kept.chmod(0o640)
    owner = os.geteuid() or 1234  # root's files may be another's
    os.chown(kept, owner, -1)
    link = tmp_path / "link"
    link.symlink_to(kept)
    assert write_file(link, "né") == link and link.is_symlink()
    assert kept.read_bytes() == "né".encode()
    assert (kept.stat().st_mode & 0o777, kept.stat().st_uid) == (0o640, owner)
    secret = write_file(tmp_path / "new/secret", b"x", mode=0o600)
    assert secret.stat().st_mode & 0o077 == 0
    write_file(Path(os.devnull), "x")

    def full(path: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match=re.escape(str(kept))):
        write_file(kept, "new")
    assert kept.read_bytes() == "né".encode()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "link", "new"]


@pytest.mark.parametrize("library", [safetensors.numpy, safetensors.torch])
def test_the_same_tensors_and_texts_give_the_same_bytes(tmp_path, library):
    about = {f"text {k}": "\N{WHITE CHESS KNIGHT}\n" * k for k in range(9)}
    tensors = {"b": np.ones(3), "a": np.zeros((2, 2), np.float16)}
    if library is safetensors.torch:
        tensors = {name: torch.from_numpy(each) for name, each in tensors.items()}
    paths = [tmp_path / "deep" / f"{k}.safetensors" for k in range(8)]
    for path in paths:
        assert write_tensors(library.save(tensors, about), path) == path
    assert len({path.read_bytes() for path in paths}) == 1
    with safetensors.safe_open(paths[0], framework="np") as file:
        assert file.metadata() == about


def test_a_command_finds_its_data_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_project() == PROJECT, "the checkout that the library is part of"
    assert data_file("priority/nnue.safetensors").is_file()
    (tmp_path / "_toc.yml").touch()
    assert find_project() == tmp_path.resolve()
    monkeypatch.setenv("CHESSGLOSS_PROJECT", str(PROJECT))
    assert find_project() == PROJECT
    monkeypatch.setenv("CHESSGLOSS_PROJECT", str(tmp_path / "nowhere"))
    refuses(FileNotFoundError, r"_toc\.yml.*export CHESSGLOSS_PROJECT=", find_project)
    brought = tmp_path / "share/chessgloss/priority/x.bin"
    listed = importlib.metadata.PackagePath("../share/chessgloss/priority/x.bin")
    listed.dist = SimpleNamespace(locate_file=lambda path: brought)
    monkeypatch.setattr(importlib.metadata, "files", lambda name: [listed])
    assert data_file("priority/x.bin") == brought
    refuses(FileNotFoundError, "export CHESSGLOSS_PROJECT=", data_file, "recordings")


def test_what_a_killed_writer_left_is_swept_and_a_living_ones_stays(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    dead, living = (
        tmp_path / f".writing-{pid}-x" for pid in (process.pid, os.getpid())
    )
    for folder in (dead, living):
        folder.mkdir()
    Store(tmp_path).keep("small", {"k": 1}, {"value": 1})
    assert (dead.exists(), living.exists()) == (False, True)


#: Packed files that say nothing of their size, hold lines alone, and boast of 32 terabytes.
BOMBS = {
    "silent": lambda: zstandard.ZstdCompressor(write_content_size=False).compress(
        bytes(2**28 + 1)
    ),
    "lined": lambda: zstandard.compress(b"\r" * (1 << 23)),
    "boastful": lambda: (
        bytes.fromhex("28b52ffde0") + (1 << 45).to_bytes(8, "little") + b"\1\0\0"
    ),
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
@pytest.mark.parametrize(
    ("read", "refusal"),
    [
        (unpack, GamesFileError),
        (read_tables, GamesFileError),
        (
            lambda path: len(Recordings(path.with_suffix(""), Model("m"))),
            RecordingDamaged,
        ),
    ],
)
def test_a_packed_file_that_holds_too_much_is_refused_by_name(
    bomb, read, refusal, tmp_path
):
    (tmp_path / "x.zst").write_bytes(bomb())
    refuses(
        refusal, r"x\.zst is .* more than 268,435,456 bytes", read, tmp_path / "x.zst"
    )
