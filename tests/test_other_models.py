"""Chapters with another model than the book's run, and show it beside that under its own name."""

import os
import re
from pathlib import Path

import nbformat
import pytest

import chapters
from chessgloss.commentary import arms, asking, methods
from chessgloss.llm.client import (
    DEFAULT_MODEL,
    TITLES,
    model_named,
    model_title,
)
from chessgloss.llm.recordings import (
    Recordings,
)
from scripted_model import (
    REPLAYING,
    model_of,
    project_copy,
    record_chapters,
    reply,
)
from scripts import PROJECT

#: The mood that is executed here; ``python benchmarks/moods.py`` executes all.
MOOD = os.environ.get("CHESSGLOSS_MOOD", "markdown")
MODEL = model_of(MOOD)
#: What a chapter says where it cannot show a model.
INSTEAD = "cannot be shown here"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    copy = project_copy(tmp_path_factory.mktemp("models"))
    record_chapters(copy, MOOD)
    return copy


@pytest.fixture(scope="module", params=REPLAYING)
def executed(request, project, tmp_path_factory):
    """Execute a chapter as of either model; return its notebooks and results."""
    chapter = chapters.find_chapter(chapters.read_chapters(project), request.param)
    runs = {}
    for model in (DEFAULT_MODEL, MODEL):
        folder = tmp_path_factory.mktemp("run")
        run = chapters.separate_run(project, "smoke", folder)
        chapters.execute(run, chapter, {"model": model})
        runs[model] = run.notebook(chapter)
    return runs


def outputs_of(path: Path, kind: str) -> str:
    """Return all outputs of one kind of an executed notebook."""
    cells = nbformat.read(path, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return "\n".join(output.get("data", {}).get(kind, "") for output in outputs)


@pytest.mark.release
def test_the_chapter_speaks_of_the_model_that_it_is_given_or_says_why_not(executed):
    for model, path in executed.items():
        notebook = nbformat.read(path, as_version=4)
        prose = " ".join(
            cell.source for cell in notebook.cells if cell.cell_type == "markdown"
        )
        if INSTEAD in (said := outputs_of(path, "text/markdown")):
            assert model == MODEL
            assert re.search(rf"{MODEL}.* {INSTEAD}.*\d+ of \d+", said)
            continue
        assert model_title(model) in prose
        lines = [
            output["data"]["text/plain"]
            for cell in notebook.cells
            for output in cell.get("outputs", ())
            if "evidence" in output.get("data", {}).get("text/html", "")
        ]
        assert any(model in line for line in lines)


@pytest.mark.parametrize("name", TITLES.values())
def test_no_prose_names_a_model_of_its_own(name):
    for path in sorted((PROJECT / "notebooks").glob("[0-9]*.py")):
        assert name not in path.read_text("utf-8"), path.name


def test_commentators_are_those_whose_comments_are_all_there():
    briefings = list(asking.read_briefings(asking.briefings_file()).values())
    assert methods.commentators(["bare", "ccc"], briefings) == [DEFAULT_MODEL]


# ---------------------------------------------------------------- what cannot be shown


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("Thoughts: none.\n\nComment: It forks.", "It forks."),
        ("**Comment:** It\nforks.", "It forks."),
        ("It forks the\nrooks.", "It forks the rooks."),
        ("Thoughts:\n- It forks.", ""),
        ("The board is open.\n\nIt forks.", ""),
    ],
)
def test_an_answer_without_the_mark_is_a_comment_if_it_is_nothing_else(text, comment):
    assert arms.comment_in(text) == comment


@pytest.mark.parametrize(
    ("mood", "why"),
    [
        ("fair", ""),
        ("markdown", ""),
        (
            "unmarked",
            r"can be compared on 0 of 12 moves: .* without a comment in the form asked for",
        ),
    ],
)
def test_a_models_comments_suffice_or_it_is_said_why_not(
    mood, why, briefings, recordings_aside
):
    some = list(briefings.values())[:12]
    model = model_named(model_of(mood))
    kept = Recordings.of(model, arms.PURPOSE)
    asked = ("bare", "reasoning", "ccc")
    assert methods.why_unreadable(model.name, asked, some) == "", "nothing is recorded"
    for arm in asked:
        for request in methods.arm_requests(some, arm):
            kept.keep(request, reply(mood, request), "2026-01-01")
    assert re.search(why, methods.why_unreadable(model.name, asked, some))
    assert bool(methods.why_unreadable(model.name, asked, some)) == bool(why)
