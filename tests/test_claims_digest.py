from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from chessgloss.claims.checker import checker_digest, checker_files

LIBRARY = Path(__file__).resolve().parents[1] / "lib"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    for folder in ("claims", "facts"):
        shutil.copytree(LIBRARY / "chessgloss" / folder, tmp_path / "chessgloss" / folder)
    for path in checker_files(LIBRARY):
        shutil.copy(path, tmp_path / path.relative_to(LIBRARY))
    return tmp_path


def test_what_decides_a_verdict_is_hashed_and_what_does_not_is_not():
    names = {path.relative_to(LIBRARY / "chessgloss").as_posix() for path in checker_files()}
    modules = {"checker.py", "relations.py", "board.py", "parser.py", "lexicon.py"}
    assert {f"claims/{name}" for name in (*modules, "relations.toml", "words.toml")} <= names
    assert "claims/gold.py" not in names
    assert any(name.startswith("facts/") for name in names)


def test_no_module_of_the_checker_takes_a_name_from_a_package_alone():
    """What a package only passes on would be missed by the walk over modules."""
    for path in (path for path in checker_files() if path.suffix == ".py"):
        for package in ("claims", "facts"):
            line = f"from chessgloss.{package} import "
            for found in (row for row in path.read_text().splitlines() if row.startswith(line)):
                names = found.removeprefix(line).strip("( ").split(",")
                folder = LIBRARY / "chessgloss" / package
                assert all((folder / f"{name.strip()}.py").is_file() for name in names if name)


def test_the_hash_is_that_of_the_contents(library: Path):
    assert checker_digest(library) == checker_digest(LIBRARY)
    other = library / "chessgloss" / "claims" / "gold.py"
    other.write_text(other.read_text() + "\n")
    assert checker_digest(library) == checker_digest(LIBRARY)
    rule = library / "chessgloss" / "facts" / "board.py"
    rule.write_text(rule.read_text() + "\n")
    assert checker_digest(library) != checker_digest(LIBRARY)
