"""The walks of CONTRIBUTING lead to a working change: here they are walked, in a copy.

Every block of code there says in its first line which file it goes into, and where: behind or
before the line that holds some words, or at the end. The copy gets all of them, and the tests
that they add are run in it.
"""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

from chessgloss.commentary.briefing import PHRASES
from chessgloss.concepts.facts import PREDICATES
from scripts import PROJECT

BLOCK = re.compile(r"^ *```\w+\n(?P<code>.*?)^ *```\n", re.M | re.S)
PLACE = re.compile(
    r"# (?P<path>[\w/.]+), (?:(?P<how>behind|before): (?P<words>.+)|at the end)"
)

#: What the copy shares with the checkout; the rest that tests need is copied.
SHARED = ("_toc.yml", "book", "data", "node_modules", "pyproject.toml")

#: The tests that each walk adds, as the copy names them.
ADDED = {
    "concept": [
        "test_concepts.py::test_positions_with_a_known_answer[4k3/pp6",
        "test_walks.py::test_every_concept_has_words[isolated pawn]",
    ],
    "claim": [
        "true_and_false[The bishop controls the long diagonal.]",
        "true_and_false[Black's bishop controls the long diagonal.]",
    ],
    "player": ["test_the_greedy_player_takes_the_dearest_piece"],
}
FILES = (
    *("test_concepts.py", "test_claims_decide.py", "test_skill_players.py"),
    "test_walks.py",
)
CHOSEN = "known_answer or true_and_false or greedy or has_words"


class Edit(NamedTuple):
    """A block of code, the file that it goes into, and the line that it goes to."""

    path: str
    how: str | None
    words: str | None
    code: str


def read_edits(text: str) -> list[Edit]:
    """Read the blocks of a text that say where they go."""
    edits = []
    for block in BLOCK.finditer(text):
        place, _, code = textwrap.dedent(block["code"]).partition("\n")
        if found := PLACE.fullmatch(place):
            edits.append(Edit(found["path"], found["how"], found["words"], code))
    return edits


def places_of(edit: Edit, lines: list[str]) -> list[int]:
    """Find the lines that hold the words of an edit."""
    return [number for number, line in enumerate(lines) if edit.words in line]


def apply(edit: Edit, project: Path) -> None:
    """Put a block into its file; the words must stand in one line of it."""
    path = project / edit.path
    text = path.read_text("utf-8")
    if edit.how is None:
        path.write_text(f"{text}\n\n{edit.code}", "utf-8")
        return
    lines = text.splitlines(keepends=True)
    (place,) = places_of(edit, lines)
    lines.insert(place + (edit.how == "behind"), edit.code)
    path.write_text("".join(lines), "utf-8")


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """Make all changes in a copy; return what pytest says of the tests that they add."""
    project = tmp_path_factory.mktemp("walks")
    unwanted = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("lib", "tests"):
        shutil.copytree(PROJECT / name, project / name, ignore=unwanted)
    for name in SHARED:
        if (PROJECT / name).exists():
            (project / name).symlink_to(PROJECT / name)
    for edit in read_edits((PROJECT / "CONTRIBUTING.md").read_text("utf-8")):
        apply(edit, project)
    options = ["-q", "-rA", "--tb=short", "-W", "ignore", "-k", CHOSEN]
    options += ["-p", "no:xdist", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            *options,
            *(f"tests/{each}" for each in FILES),
        ],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project / "lib")},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.mark.release
@pytest.mark.parametrize("walk", ADDED)
def test_a_walk_leads_to_a_working_change(walked, walk):
    passed = [line for line in walked.splitlines() if line.startswith("PASSED")]
    for test in ADDED[walk]:
        assert any(test in line for line in passed), walked


@pytest.mark.release
def test_the_walks_break_nothing_beside_them(walked):
    assert "FAILED" not in walked and "ERROR" not in walked, walked


def test_the_walks_name_a_place_for_every_block():
    text = (PROJECT / "CONTRIBUTING.md").read_text("utf-8")
    walks = text.partition("## Three walks")[2].partition("## Tests")[0]
    edits = read_edits(walks)
    assert len(edits) == len(BLOCK.findall(walks)) >= 9
    for edit in edits:
        lines = (PROJECT / edit.path).read_text("utf-8").splitlines()
        assert edit.how is None or len(places_of(edit, lines)) == 1, edit


@pytest.mark.parametrize("concept", PREDICATES)
def test_every_concept_has_words(concept):
    named = PHRASES["concepts"].get(concept, {})
    missing = f"add [concepts.{concept!r}] with `plural` and `words` to phrases.toml"
    assert {"plural", "words"} <= named.keys(), missing
