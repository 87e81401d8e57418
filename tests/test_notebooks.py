"""Every notebook: listed, paired, fresh as committed, and running."""

import re
import shutil
import textwrap
from pathlib import Path

import jupytext
import nbformat
import pytest
import yaml
from pytest_notebook.nb_regression import NBRegressionFixture

import chapters
from scripts import PROJECT

CHAPTERS = chapters.read_chapters(PROJECT)
SOURCES = sorted((PROJECT / "notebooks").glob("[0-9]*.py"))
SKELETON = PROJECT / "notebooks/_skeleton.py"
FASTEST = min(CHAPTERS, key=lambda chapter: chapter.budget_seconds["smoke"])


each_source = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
each_chapter = pytest.mark.parametrize(
    "chapter", CHAPTERS, ids=lambda chapter: chapter.name
)


# ---------------------------------------------------------------- the lists


def test_the_list_of_chapters_is_the_folder_and_the_book_in_order():
    contents = yaml.safe_load((PROJECT / "_toc.yml").read_text("utf-8"))
    files = [entry["file"] for part in contents["parts"] for entry in part["chapters"]]
    listed = [
        file.rpartition("/")[2] for file in files if file.startswith("book/executed/")
    ]
    assert listed == [chapter.name for chapter in CHAPTERS]
    assert sorted(listed) == [path.stem for path in SOURCES]
    assert all({"smoke", "book"} <= set(chapter.budget_seconds) for chapter in CHAPTERS)


@each_chapter
def test_a_chapter_reads_the_results_of_earlier_chapters_only(chapter):
    text = (PROJECT / chapter.source).read_text("utf-8")
    names = [each.name for each in CHAPTERS]
    earlier = set(names[: names.index(chapter.name)])
    listed = {
        Path(path).stem for path in chapter.data if path.startswith("book/results/")
    }
    read = {name for name in names if re.search(rf'committed\("{name}"', text)}
    assert read == listed <= earlier


# ---------------------------------------------------------------- the text


@each_source
def test_a_pair_is_in_step_and_holds_no_output(source):
    pair = source.with_suffix(".ipynb")
    assert pair.is_file(), f"run `make pairs`: {pair.name} is missing"
    assert pair.read_text("utf-8") == chapters.pair_text(source), "run `make pairs`"
    notebook = nbformat.read(pair, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)


@each_source
def test_one_cell_holds_the_parameters(source):
    (tagged,) = chapters.tagged(jupytext.read(source), "parameters")
    assert 'profile = "book"' in tagged.source.splitlines()


@each_source
def test_every_figure_has_a_caption_a_name_and_words(source):
    drawn = [
        cell
        for cell in jupytext.read(source).cells
        if "plt.show()" in cell.source or "SVG(chess" in cell.source
    ]
    described = [cell.metadata.get("mystnb", {}) for cell in drawn]
    names = [each["figure"]["name"] for each in described]
    assert all(name.startswith(f"fig-{source.name[:2]}-") for name in names)
    assert len({*names}) == len(names)
    for each in described:
        assert (
            each["figure"]["caption"].endswith(".") and len(each["image"]["alt"]) > 30
        )


@each_source
def test_three_exercises_each_with_a_folded_solution_and_a_check_of_its_results(source):
    notebook = jupytext.read(source)
    solved = chapters.tagged(notebook, "solution")
    asked = [
        each
        for each in notebook.cells
        if re.match(r"(## Exercises\n+)?\*\*\d", each.source)
    ]
    assert len(solved) == len(asked) == 3
    assert all("hide-cell" in each.metadata["tags"] for each in solved)
    blank = chapters.without_solutions(notebook)
    left = [each.source for each in chapters.tagged(blank, "solution")]
    checks = chapters.tagged(notebook, "check")
    place = notebook.cells.index
    assert [*map(place, checks)] == [place(each) + 1 for each in solved]
    for text, solution in zip(left, solved, strict=True):
        first, *names = text.splitlines()
        assert first == solution.source.splitlines()[0]
        assert names
        assert all(re.fullmatch(r"\w+ = \.\.\.", name) for name in names)


# ---------------------------------------------------------------- the executed notebooks


@each_chapter
def test_the_committed_notebook_was_made_from_what_is_here(chapter):
    run = chapters.committed_run(PROJECT)
    assert run.notebook(chapter).is_file(), "never executed: run `make book`"
    assert not chapters.is_stale(run, chapter), "out of date: run `make book`"


@each_chapter
def test_the_committed_notebook_holds_no_error_and_nothing_of_one_run(chapter):
    path = chapters.committed_run(PROJECT).notebook(chapter)
    notebook = nbformat.read(path, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not any(output.output_type == "error" for output in outputs)
    assert (
        chapters.notebook_text(notebook, notebook.metadata["chessgloss"])
        == path.read_text()
    )
    assert str(PROJECT) not in path.read_text("utf-8")


# ---------------------------------------------------------------- running


@pytest.mark.release
def test_the_skeleton_is_a_chapter_as_it_stands(tmp_path):
    for name in ("_toc.yml", "lib", "data", "pyproject.toml", "requirements.lock"):
        (tmp_path / name).symlink_to(PROJECT / name)
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    shutil.copy(SKELETON, notebooks / "18_section.py")
    added = re.findall(
        r"```toml\n +# (notebooks/\w+\.toml)\n(.*?)```",
        (PROJECT / "CONTRIBUTING.md").read_text("utf-8"),
        re.S,
    )
    assert len(added) == 2
    for path, lines in added:
        (tmp_path / path).write_text(textwrap.dedent(lines), "utf-8")
    run = chapters.separate_run(tmp_path, "smoke", tmp_path / "run")
    (chapter,) = chapters.read_chapters(tmp_path)
    executed = nbformat.read(chapters.execute(run, chapter), as_version=4)
    assert "legal_moves.mean" in run.result(chapter).read_text("utf-8")
    blank = chapters.without_solutions(executed, chapters.right_results(executed))
    assert sum("expected=" in cell.source for cell in blank.cells) == 2
    assert "right" in str(chapters.tagged(executed, "check")[1].outputs)


@pytest.mark.release
def test_the_fastest_chapter_runs_at_smoke_sizes_and_shows_the_same_again(tmp_path):
    """pytest-notebook executes the notebook anew; what is kept of it must be the same."""
    run = chapters.separate_run(PROJECT, "smoke", tmp_path)
    chapters.execute(run, FASTEST)
    path = run.notebook(FASTEST)
    first = nbformat.read(path, as_version=4)
    counts = [cell.execution_count for cell in first.cells if cell.cell_type == "code"]
    assert None not in counts, "a cell was not executed"
    assert not chapters.is_stale(run, FASTEST)
    with chapters.kernel_environment(run):
        fixture = NBRegressionFixture(exec_cwd=str(PROJECT), exec_timeout=300)
        again = fixture.check(str(path), raise_errors=False).nb_final
    chapters.notebook_text(again, first.metadata["chessgloss"])
    pairs = zip(first.cells, again.cells, strict=True)
    assert [cell.id for cell, other in pairs if cell != other] == []
