"""Chapters: which are listed, which are stale, how one is executed, what of it is kept."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from chessgloss import chapters, execute
from chessgloss.chapters import Chapter, ChapterError, Run

HEADER = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

"""
TINY = (
    HEADER
    + """\
# %% [markdown]
# # A tiny chapter

# %% tags=["parameters"]
profile = "book"

# %%
import json
import os
import sys
from pathlib import Path

# %%
for word in ("one", "two"):
    print(word, profile, flush=True)
    print("progress", file=sys.stderr, flush=True)

# %%
{"folder": Path.cwd().name, "seed": os.environ["PYTHONHASHSEED"], "hash": hash("pawn")}

# %%
results = Path(os.environ["CHESSGLOSS_RESULTS"])
entry = {"value": 2, "n": 2, "unit": "words"}
_ = (results / "01_tiny.json").write_text(json.dumps({"words.count": entry}))
"""
)


def write_project(folder: Path, source: str = TINY) -> Path:
    """Lay out a project of one chapter, with a library of its own to be fingerprinted."""
    files = {
        "_toc.yml": "format: jb-book\nroot: book/index\n",
        "requirements.lock": "chess==1.11.2\n",
        "data/games.txt": "e2e4\n",
        "notebooks/01_tiny.py": source,
        "notebooks/chapters.toml": (
            '[01_tiny]\ntitle = "Tiny"\nsections = "none"\ndata = ["data"]\n'
            "budget_seconds = { smoke = 5, book = 10 }\n"
        ),
        "lib/chessgloss/__init__.py": "",
        "lib/chessgloss/board.py": "from . import squares\n",
        "lib/chessgloss/squares.py": "def late():\n    from chessgloss.deep.inner import x\n",
        "lib/chessgloss/deep/__init__.py": "",
        "lib/chessgloss/deep/inner.py": "from ..colours import WHITE as x\n",
        "lib/chessgloss/deep/beside.txt": "a prompt",
        "lib/chessgloss/colours.py": "import json\nWHITE = True\n",
        "lib/chessgloss/unused.py": "",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path)


@pytest.fixture
def importing_project(tmp_path: Path) -> Path:
    return write_project(tmp_path, TINY + "\n# %%\nfrom chessgloss import board\n")


def only_chapter(project: Path) -> Chapter:
    (chapter,) = chapters.read_chapters(project)
    return chapter


# ---------------------------------------------------------------- the list


def test_chapters_keep_their_order(project: Path) -> None:
    table = 'title = ""\nsections = ""\ndata = []\nbudget_seconds = {}\n'
    text = "".join(f"[{name}]\n{table}" for name in ("01_one", "12_twelve", "02_two"))
    (project / chapters.CHAPTERS_FILE).write_text(text)
    found = chapters.read_chapters(project)
    assert [chapter.name for chapter in found] == ["01_one", "12_twelve", "02_two"]
    for wanted in ("12", "12_twelve"):
        assert chapters.find_chapter(found, wanted).name == "12_twelve"
    assert chapters.find_chapter(found, "2").name == "02_two"


@pytest.mark.parametrize("wanted", ["3", "01", "1x", "", "twelve"])
def test_an_unknown_chapter_lists_those_there_are(wanted: str) -> None:
    known = [Chapter("12_twelve", "", "", (), {})]
    with pytest.raises(ChapterError, match="12_twelve"):
        chapters.find_chapter(known, wanted)


@pytest.mark.parametrize("name", ["1_one", "one", "01-one", "01_One", "../01_one"])
def test_a_chapter_name_has_one_form(name: str) -> None:
    with pytest.raises(ChapterError, match="NN_section"):
        Chapter(name, "", "", (), {})


@pytest.mark.parametrize("path", ["/etc/passwd", "../elsewhere", "data/../../x"])
def test_a_chapter_reads_only_the_project(path: str) -> None:
    with pytest.raises(ChapterError, match="out of the tree"):
        Chapter("01_one", "", "", (path,), {})


@pytest.mark.parametrize("text", ["[01_one", '[01_one]\ntitle = ""\n'])
def test_a_bad_list_is_refused(project: Path, text: str) -> None:
    (project / chapters.CHAPTERS_FILE).write_text(text)
    with pytest.raises(ChapterError, match=r"chapters\.toml"):
        chapters.read_chapters(project)


# ---------------------------------------------------------------- freshness


def test_imports_are_followed_through_the_library(importing_project: Path) -> None:
    library = importing_project / "lib"
    found = chapters.library_files("from chessgloss import board", library)
    names = {path.relative_to(library / "chessgloss").as_posix() for path in found}
    inner = {"deep/__init__.py", "deep/inner.py", "deep/beside.txt"}
    assert names == {"__init__.py", "board.py", "squares.py", "colours.py"} | inner


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import chessgloss.colours as c", {"__init__.py", "colours.py"}),
        ("from chessgloss.colours import WHITE", {"__init__.py", "colours.py"}),
        ("import chess, numpy.linalg", set()),
        ("import chessgloss", {"__init__.py"}),
    ],
)
def test_each_form_of_import_is_read(project: Path, source: str, expected: set[str]) -> None:
    found = chapters.library_files(source, project / "lib")
    assert {path.name for path in found} == expected


def append(name: str) -> Callable[[Path], None]:
    def edit(project: Path) -> None:
        with (project / name).open("a") as stream:
            stream.write("# changed\n")

    return edit


def rename_data(project: Path) -> None:
    (project / "data/games.txt").rename(project / "data/other.txt")


@pytest.mark.parametrize(
    "edit",
    [
        append("notebooks/01_tiny.py"),
        append("requirements.lock"),
        append("data/games.txt"),
        append("lib/chessgloss/board.py"),
        append("lib/chessgloss/colours.py"),
        append("lib/chessgloss/deep/beside.txt"),
        rename_data,
    ],
)
def test_a_change_in_what_a_chapter_is_made_from_changes_its_fingerprint(
    importing_project: Path, edit: Callable[[Path], None]
) -> None:
    chapter = only_chapter(importing_project)
    before = chapters.fingerprint(importing_project, chapter, {})
    edit(importing_project)
    assert chapters.fingerprint(importing_project, chapter, {}) != before


def touch_all(project: Path) -> None:
    for path in project.rglob("*"):
        os.utime(path, (1, 1))


def leave_hidden_file(project: Path) -> None:
    (project / "data/.DS_Store").write_text("x")


@pytest.mark.parametrize(
    "edit", [append("lib/chessgloss/unused.py"), append("_toc.yml"), touch_all, leave_hidden_file]
)
def test_nothing_else_changes_the_fingerprint(
    importing_project: Path, edit: Callable[[Path], None]
) -> None:
    chapter = only_chapter(importing_project)
    before = chapters.fingerprint(importing_project, chapter, {})
    edit(importing_project)
    assert chapters.fingerprint(importing_project, chapter, {}) == before


def test_the_parameters_are_part_of_the_fingerprint(project: Path) -> None:
    chapter = only_chapter(project)
    plain = chapters.fingerprint(project, chapter, {})
    assert chapters.fingerprint(project, chapter, {"profile": "smoke"}) != plain


def test_missing_data_is_named(project: Path) -> None:
    chapter = dataclasses.replace(only_chapter(project), data=("data/absent.zst",))
    with pytest.raises(ChapterError, match=r"01_tiny: data/absent\.zst is missing"):
        chapters.fingerprint(project, chapter, {})


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"metadata": {}}', "not json"])
def test_a_notebook_without_a_fingerprint_is_stale(project: Path, text: str) -> None:
    run, chapter = chapters.committed_run(project), only_chapter(project)
    execute.write_atomically(run.notebook(chapter), text)
    execute.write_atomically(run.result(chapter), "{}")
    assert chapters.is_stale(run, chapter)


# ---------------------------------------------------------------- execution, with a real kernel


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Chapter]:
    """A tiny chapter, executed once as the book and once at smoke sizes."""
    project = write_project(tmp_path_factory.mktemp("project"))
    run, chapter = chapters.committed_run(project), only_chapter(project)
    assert chapters.is_stale(run, chapter)
    execute.execute(run, chapter)
    execute.execute(chapters.separate_run(project, "smoke", project / "_build/smoke"), chapter)
    return run, chapter


def outputs_of(path: Path) -> list[nbformat.NotebookNode]:
    notebook = nbformat.read(path, as_version=4)
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def test_an_executed_chapter_is_fresh_until_something_changes(
    executed: tuple[Run, Chapter],
) -> None:
    run, chapter = executed
    assert not chapters.is_stale(run, chapter)
    kept = run.result(chapter).read_text()
    run.result(chapter).unlink()
    assert chapters.is_stale(run, chapter)
    run.result(chapter).write_text(kept)
    assert chapters.is_stale(dataclasses.replace(run, profile="smoke"), chapter)


def test_two_executions_give_the_same_bytes(executed: tuple[Run, Chapter]) -> None:
    run, chapter = executed
    again = chapters.separate_run(run.project, "book", run.project / "_build/again")
    execute.execute(again, chapter)
    assert again.notebook(chapter).read_bytes() == run.notebook(chapter).read_bytes()
    assert again.result(chapter).read_bytes() == run.result(chapter).read_bytes()


def test_stderr_and_run_marks_are_not_kept(executed: tuple[Run, Chapter]) -> None:
    run, chapter = executed
    text = run.notebook(chapter).read_text()
    assert "papermill" not in text
    assert "iopub" not in text
    assert '"stderr"' not in text
    printed = [output for output in outputs_of(run.notebook(chapter)) if "name" in output]
    assert [output.text for output in printed] == ["one book\ntwo book\n"]


def test_the_kernel_works_in_the_project_with_fixed_settings(
    executed: tuple[Run, Chapter],
) -> None:
    run, chapter = executed
    (shown,) = [o for o in outputs_of(run.notebook(chapter)) if o.output_type == "execute_result"]
    assert f"'folder': '{run.project.name}'" in shown.data["text/plain"]
    assert "'seed': '0'" in shown.data["text/plain"]


def test_another_profile_is_injected_and_hidden(executed: tuple[Run, Chapter]) -> None:
    run, chapter = executed
    smoke = chapters.separate_run(run.project, "smoke", run.project / "_build/smoke")
    notebook = nbformat.read(smoke.notebook(chapter), as_version=4)
    (cell,) = [c for c in notebook.cells if "injected-parameters" in c.metadata.get("tags", [])]
    assert 'profile = "smoke"' in cell.source
    assert "remove-input" in cell.metadata.tags
    assert "one smoke\n" in smoke.notebook(chapter).read_text().replace("\\n", "\n")
    assert json.loads(smoke.result(chapter).read_text())["words.count"]["value"] == 2
    assert "injected-parameters" not in run.notebook(chapter).read_text()


def test_a_failing_cell_is_named_and_the_old_notebook_stays(project: Path) -> None:
    (project / "notebooks/01_tiny.py").write_text(TINY + '\n# %%\nboard = "e4"\nboard.push()\n')
    run, chapter = chapters.committed_run(project), only_chapter(project)
    execute.write_atomically(run.notebook(chapter), "the one before")
    with pytest.raises(ChapterError, match=r"(?s)01_tiny failed in cell 6.*AttributeError.*push"):
        execute.execute(run, chapter)
    assert run.notebook(chapter).read_text() == "the one before"
    assert "AttributeError" in (project / "_build/failed/01_tiny.ipynb").read_text()


def test_a_kernel_that_dies_is_an_error_of_its_chapter(project: Path) -> None:
    (project / "notebooks/01_tiny.py").write_text(HEADER + "# %%\nimport os\nos._exit(3)\n")
    with pytest.raises(ChapterError, match="01_tiny could not be run"):
        execute.execute(chapters.committed_run(project), only_chapter(project))


def test_a_chapter_without_results_is_an_error(project: Path) -> None:
    (project / "notebooks/01_tiny.py").write_text(HEADER + "# %%\nx = 1\n")
    run = chapters.committed_run(project)
    with pytest.raises(ChapterError, match=r"wrote no .*01_tiny\.json"):
        execute.execute(run, only_chapter(project))
    assert not run.notebook(only_chapter(project)).exists()


def test_the_environment_is_put_back_after_a_failure(project: Path) -> None:
    before = dict(os.environ)
    run = chapters.committed_run(project)
    with pytest.raises(ZeroDivisionError), execute.kernel_environment(run):
        assert os.environ["CHESSGLOSS_STORE"] == str(run.store)
        raise ZeroDivisionError
    assert dict(os.environ) == before


# ---------------------------------------------------------------- what is kept


def test_pieces_of_text_are_joined_and_stderr_dropped() -> None:
    pieces = [
        new_output("stream", name="stdout", text="one\n"),
        new_output("stream", name="stderr", text="50 %"),
        new_output("stream", name="stdout", text="two\n"),
        new_output("display_data", {"text/plain": "board"}),
        new_output("stream", name="stdout", text="three\n"),
    ]
    kept = execute.strip_outputs(pieces)
    assert [output.get("text") for output in kept] == ["one\ntwo\n", None, "three\n"]


def test_random_names_and_times_are_replaced() -> None:
    def notebook() -> nbformat.NotebookNode:
        cell = new_code_cell("1 + 1", metadata={"execution": {"iopub.status.busy": "now"}})
        cell.metadata["tags"] = ["parameters"]
        return new_notebook(cells=[new_markdown_cell("# Title"), cell])

    first, second = notebook(), notebook()
    assert first.cells[0].id != second.cells[0].id
    text = execute.notebook_text(first, {})
    assert text == execute.notebook_text(second, {})
    assert "iopub" not in text
    assert '"parameters"' in text
    nbformat.validate(nbformat.reads(text, as_version=4))


# ---------------------------------------------------------------- pairs


def set_time(path: Path, seconds: float) -> None:
    os.utime(path, (seconds, seconds))


def test_a_pair_is_made_and_then_left_alone(project: Path) -> None:
    source = project / "notebooks/01_tiny.py"
    assert execute.sync_pair(source) == source.with_suffix(".ipynb")
    assert execute.sync_pair(source) is None
    assert execute.percent_text(source.with_suffix(".ipynb")) == TINY


def test_the_newer_of_a_pair_wins(project: Path) -> None:
    source = project / "notebooks/01_tiny.py"
    pair = source.with_suffix(".ipynb")
    execute.sync_pair(source)

    source.write_text(TINY.replace("A tiny", "A small"))
    set_time(pair, source.stat().st_mtime - 10)
    assert execute.sync_pair(source) == pair
    assert "A small chapter" in pair.read_text()

    pair.write_text(pair.read_text().replace("A small", "A little"))
    set_time(source, pair.stat().st_mtime - 10)
    assert execute.sync_pair(source) == source
    assert source.read_text() == TINY.replace("A tiny", "A little")


def test_outputs_saved_in_a_pair_are_dropped(project: Path) -> None:
    source = project / "notebooks/01_tiny.py"
    execute.sync_pair(source)
    pair = source.with_suffix(".ipynb")
    notebook = nbformat.read(pair, as_version=4)
    notebook.cells[1].outputs = [new_output("stream", name="stdout", text="left over")]
    nbformat.write(notebook, pair)
    assert execute.sync_pair(source) is not None
    assert "left over" not in pair.read_text()
    assert source.read_text() == TINY
