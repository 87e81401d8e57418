"""The book: its chapters and sizes, their execution, the comparison of results, the pages."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import chess
import nbformat
import pytest
from bs4 import BeautifulSoup

import chapters
import gates
import results
from chapters import (
    Chapter,
    ChapterError,
    committed_run,
    execute,
    read_chapters,
    separate_run,
)
from chessgloss.book.profiles import listed, load_sizes
from chessgloss.book.used_code import used_code
from chessgloss.store import write_file
from fakes.pages import DESK, PHONE
from scripts import PROJECT, load_script, refuses

dodo = load_script("../dodo.py")

SIZES = "notebooks/profiles.toml"

HEADER = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

"""
CELLS = """\
# %% [markdown]
# # A tiny chapter
#
# It counts words.

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
TINY = HEADER + CELLS
#: A library of which the tiny chapter imports a part.
LIBRARY = {
    "__init__.py": "def check():\n    from chessgloss import survey\n    return survey\n",
    "board.py": "from typing import TYPE_CHECKING\nfrom chessgloss.deep import late\n"
    "if TYPE_CHECKING:\n    from chessgloss.squares import Square\n"
    "def corners():\n    from chessgloss.colours import WHITE as w\n    return late, w\n",
    "squares.py": "class Square:\n    pass\n",
    "colours.py": "WHITE = True\n",
    "deep/__init__.py": "from chessgloss.deep import inner\nlate = inner.late\n",
    "deep/inner.py": "def late():\n    pass\n",
    "deep/unused.py": "other = 1\n",
    "deep/beside.txt": "a prompt",
    "survey.py": "def ask():\n    return 1\n",
}


def write_project(folder: Path, source: str = TINY) -> Path:
    """Lay out a project of one chapter, with a library of its own to be fingerprinted."""
    files = {
        "_toc.yml": "format: jb-book\nroot: book/index\n",
        "requirements.lock": "chess==1.11.2\n",
        "data/games.txt": "e2e4\n",
        "notebooks/01_tiny.py": source,
        "notebooks/chapters.toml": '[01_tiny]\ntitle = "Tiny"\nsections = "none"\n'
        'data = ["data"]\nbudget_seconds = { smoke = 5, book = 10 }\n',
        SIZES: "[01_tiny]\nn = { smoke = 1, book = 2, paper = 3 }\n"
        "[02_other]\nn = { smoke = 1, book = 2, paper = 3 }\n",
        **{f"lib/chessgloss/{name}": text for name, text in LIBRARY.items()},
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


@pytest.fixture
def project(tmp_path):
    return write_project(tmp_path)


def only_chapter(project: Path) -> Chapter:
    (chapter,) = read_chapters(project)
    return chapter


def print_of(project: Path) -> str:
    return chapters.fingerprint(committed_run(project), only_chapter(project))


# ---------------------------------------------------------------- the list


@pytest.mark.parametrize("wanted", ["3", "1x", ""])
def test_an_unknown_chapter_lists_those_there_are(wanted):
    with pytest.raises(ChapterError, match="12_twelve"):
        chapters.find_chapter([Chapter("12_twelve", "", "", (), {})], wanted)


@pytest.mark.parametrize(
    ("name", "path", "words"),
    [
        ("1_one", "x", "NN_section"),
        ("../01_one", "x", "NN_section"),
        ("01_one", "/etc/x", "out of the tree"),
        ("01_one", "data/../../x", "out of the tree"),
    ],
)
def test_a_chapter_has_one_form_of_name_and_reads_the_project_only(name, path, words):
    refuses(ChapterError, words, Chapter, name, "", "", (path,), {})


# ---------------------------------------------------------------- sizes


def test_wrong_sizes_are_named(project, monkeypatch):
    monkeypatch.chdir(project)
    assert load_sizes("01_tiny", "paper").n == 3
    refuses(ValueError, "choose one of smoke, book", load_sizes, "01_tiny", "large")
    refuses(ValueError, "no sizes of a chapter", load_sizes, "03_none", "book")
    (project / SIZES).write_text("[01_tiny]\nn = { smoke = 1, book = 2 }\n")
    words = r"\[01_tiny\] n needs smoke, book, paper"
    refuses(ValueError, words, load_sizes, "01_tiny", "book")


# ---------------------------------------------------------------- parameters


def test_parameters_of_ones_own_are_read_by_type_and_unknown_ones_are_named():
    chapter = chapters.find_chapter(read_chapters(PROJECT), "15")
    read = partial(chapters.read_parameters, PROJECT, chapter)
    words = r"'sann=2' names no parameter .* asked"
    refuses(ChapterError, words, read, """sann=2 'asked=Why not Qxe6+?'""")
    given = """'asked=["Why not Qxe6+?", What now]' profile=smoke"""
    asked = ["Why not Qxe6+?", "What now"]
    assert read(given) == {"asked": asked, "profile": "smoke"}
    words = r"asked: .* in quotes"
    refuses(ChapterError, words, read, "'asked=[Why not Qxe6+?, What]'")
    assert read("") == {}


def test_make_hands_parameters_on():
    """doit takes an argument `name=value` for one of its own, unless it begins with a dash."""
    asked = ["make", "-n", "chapter", "N=15", "P=sann=2 seed=3", f"PY={sys.executable}"]
    options = {"cwd": PROJECT, "capture_output": True, "text": True, "check": False}
    printed = subprocess.run(asked, **options).stdout
    [line] = [each for each in printed.splitlines() if " chapter -n" in each]
    said = subprocess.run(line, shell=True, **options)
    assert (
        "'sann=2' names no parameter of 15_your_own_game" in said.stderr + said.stdout
    )


@pytest.mark.parametrize("given", ["Why not Qxe6+?", ["Why not Qxe6+?"]])
def test_a_string_in_place_of_a_list_is_one_item(given):
    assert listed(given) == ("Why not Qxe6+?",)


# ---------------------------------------------------------------- freshness


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import chessgloss.colours as c", "__init__ colours"),
        ("import chessgloss.colours", "__init__ colours survey"),
        ("def f():\n    from chessgloss.survey import ask", "__init__ survey"),
        ("from chessgloss import check", "__init__ survey"),
        ("from chessgloss.deep import unused", "__init__ deep inner unused beside"),
        (
            "if x:\n    import chessgloss.board as b",
            "__init__ board deep inner beside colours",
        ),
        ("if TYPE_CHECKING:\n    import chessgloss.board", ""),
        ("import chess, numpy.linalg", ""),
    ],
)
def test_each_form_of_import_is_followed(project, source, expected):
    package = project / "lib/chessgloss"
    names = {
        "deep" if path.parent.name == "deep" and path.stem == "__init__" else path.stem
        for path in used_code(source, package.parent)
    }
    assert names == set(expected.split())


def replaced(name: str, old: str, new: str) -> Callable[[Path], None]:
    """Edit a file: put ``new`` in place of ``old``; at the end, if that is nothing."""

    def edit(project: Path) -> None:
        text = (project / name).read_text()
        assert old in text
        (project / name).write_text(text.replace(old, new) if old else text + new)

    return edit


appended = partial(replaced, old="", new="# changed\n")


@pytest.mark.parametrize(
    ("edit", "changes"),
    [
        (appended("notebooks/01_tiny.py"), True),
        (appended("requirements.lock"), True),
        (appended("lib/chessgloss/board.py"), True),
        (appended("lib/chessgloss/deep/beside.txt"), True),
        (replaced(SIZES, "2, paper = 3 }\n[02", "7, paper = 3 }\n[02"), True),
        (appended("data/games.txt"), True),
        (appended("lib/chessgloss/survey.py"), False),
        (replaced(SIZES, "paper = 3", "paper = 4"), False),
        (lambda project: (project / "data/.DS_Store").write_text("x"), False),
    ],
)
def test_what_a_chapter_is_made_from_alone_changes_its_fingerprint(
    tmp_path, edit, changes
):
    use = "\n# %%\nfrom chessgloss import board\nboard.corners()\n"
    project = write_project(tmp_path, TINY + use)
    before = print_of(project)
    edit(project)
    assert (print_of(project) != before) == changes


def test_prose_holds_the_values_that_the_chapter_gives_to_it(tmp_path):
    path = tmp_path / "executed.ipynb"
    write_glued_notebook(path, "0.81249")
    notebook = nbformat.read(path, as_version=4)
    words = "Right: {glue:text}`games:.1%`, {glue:text}`games`, {glue:text}`lost:.1f`."
    notebook.cells.append(nbformat.v4.new_markdown_cell(words))
    chapters.write_values(notebook, chapters.pasted_values(notebook))
    assert notebook.cells[-1].source == "Right: 81.2%, 0.81249, {glue:text}`lost:.1f`."
    notebook.cells[-1].source = "Its name is {glue:text}`name`."
    chapters.write_values(notebook, {"name": "'a_b*[c]'"})
    assert notebook.cells[-1].source == r"Its name is a\_b\*\[c\]."


def test_a_file_that_a_pattern_of_the_data_fits_is_noticed_and_missing_data_named(
    project,
):
    run = committed_run(project)
    chapter = dataclasses.replace(only_chapter(project), data=("data/*.txt*",))
    before = chapters.fingerprint(run, chapter)
    (project / "data/beside.tsv").write_text("x")
    assert chapters.fingerprint(run, chapter) == before
    (project / "data/more.txt.zst").write_text("x")
    assert chapters.fingerprint(run, chapter) != before
    lacking = dataclasses.replace(chapter, data=("data/absent.zst",))
    words = r"01_tiny: data/absent\.zst is missing"
    refuses(ChapterError, words, chapters.fingerprint, run, lacking)


#: An exercise of a notebook, solved, and what looks at its results.
SOLUTION = "# The larger number.\nlarger = max(2, 3)\nprint(larger)"
CHECK = """report.check(
    "Look again.",
    larger=larger,
    names=(names, lambda found: 1),
)"""


def exercise(answer: str) -> nbformat.NotebookNode:
    """Return a notebook of one exercise; ``answer`` is what its check says."""
    output = nbformat.v4.new_output("execute_result", {"text/plain": answer})
    solution = nbformat.v4.new_code_cell(SOLUTION)
    solution.metadata["tags"] = ["solution", "hide-cell"]
    check = nbformat.v4.new_code_cell(CHECK, outputs=[output])
    check.metadata["tags"] = ["check", "remove-cell"]
    return nbformat.v4.new_notebook(cells=[solution, check])


def test_an_unsolved_exercise_holds_the_hashes_of_what_is_right():
    notebook = exercise('{"larger": "a1b2"}')
    blank = chapters.without_solutions(notebook, chapters.right_results(notebook))
    solution, check = blank.cells
    assert solution.source == "# The larger number.\nlarger = ...\nnames = ..."
    assert check.source.endswith("    expected={'larger': 'a1b2'},\n)")
    assert notebook.cells[0].source == SOLUTION
    assert [cell.metadata["tags"] for cell in blank.cells] == [["solution"], ["check"]]


def test_an_exercise_whose_results_are_tested_otherwise_holds_no_hashes():
    notebook = exercise("names: right")
    assert chapters.right_results(notebook) == [{}]
    _, check = chapters.without_solutions(notebook, [{}]).cells
    assert check.source == CHECK


# ---------------------------------------------------------------- execution, with a real kernel


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A tiny chapter, executed once as the book and once at smoke sizes."""
    project = write_project(tmp_path_factory.mktemp("project"))
    run = committed_run(project)
    chapter = only_chapter(project)
    smoke = separate_run(project, "smoke", project / "_build/smoke")
    assert chapters.is_stale(run, chapter)
    execute(run, chapter)
    execute(smoke, chapter)
    return run, smoke, chapter


def test_an_executed_chapter_is_fresh_until_something_changes(executed):
    run, _, chapter = executed
    assert not chapters.is_stale(run, chapter)
    assert chapters.is_stale(dataclasses.replace(run, profile="smoke"), chapter)
    assert chapters.is_stale(
        dataclasses.replace(run, results=run.project / "none"), chapter
    )


def test_only_what_a_rerun_repeats_is_kept_of_a_kernel_in_the_project(executed):
    run, _, chapter = executed
    text = run.notebook(chapter).read_text()
    assert not [word for word in ("papermill", "iopub", '"stderr"') if word in text]
    assert '"one book\\n",' in text
    assert f"'folder': '{run.project.name}', 'seed': '0'" in text


@pytest.mark.parametrize(("given", "seen"), [("", "1"), ("4", "4")])
def test_a_kernel_has_one_thread_unless_the_reader_gives_it_more(
    project, monkeypatch, given, seen
):
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    with chapters.kernel_environment(committed_run(project)):
        assert [os.environ[name] for name in chapters.THREADS] == [seen] * 3


def test_another_profile_is_injected_and_hidden_and_smoke_says_what_it_is(executed):
    run, smoke, chapter = executed
    notebook = nbformat.read(smoke.notebook(chapter), as_version=4)
    cells = [c for c in notebook.cells if "remove-input" in c.metadata.get("tags", [])]
    assert any('profile = "smoke"' in cell.source for cell in cells)
    assert "one smoke\\n" in smoke.notebook(chapter).read_text()
    heading, _, rest = notebook.cells[0].source.partition("\n")
    assert heading == "# A tiny chapter"
    assert rest.strip().startswith("```{warning}")
    assert rest.endswith("It counts words.")
    kept = run.notebook(chapter).read_text()
    assert "injected-parameters" not in kept and "warning" not in kept


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (TINY + '\n# %%\n"e4".push()\n', r"(?s)failed in cell 6.*AttributeError.*push"),
        (HEADER + "# %%\nimport os\nos._exit(3)\n", "01_tiny could not be run"),
        (HEADER + "# %%\nx = 1\n", r"wrote no .*01_tiny\.json"),
    ],
)
def test_a_failure_is_named_and_the_old_notebook_and_results_stay(
    project, source, words
):
    (project / "notebooks/01_tiny.py").write_text(source)
    run = committed_run(project)
    chapter = only_chapter(project)
    kept = run.notebook(chapter), run.result(chapter)
    before = [write_file(path, "before") for path in kept]
    refuses(ChapterError, words, execute, run, chapter)
    assert {path.read_text() for path in before} == {"before"}
    failed = project / "_build/failed/01_tiny.ipynb"
    assert "AttributeError" not in words or "AttributeError" in failed.read_text()


# ---------------------------------------------------------------- what is kept


def test_the_newer_of_a_pair_wins_and_a_pair_in_step_is_left_alone(project):
    source = project / "notebooks/01_tiny.py"
    pair = source.with_suffix(".ipynb")
    assert chapters.sync_pair(source) == pair and chapters.sync_pair(source) is None
    assert chapters.percent_text(pair) == TINY

    source.write_text(TINY.replace("A tiny", "A small"))
    os.utime(pair, (1, 1))
    assert chapters.sync_pair(source) == pair and "A small chapter" in pair.read_text()
    pair.write_text(pair.read_text().replace("A small", "A little"))
    os.utime(source, (1, 1))
    assert chapters.sync_pair(source) == source
    assert source.read_text() == TINY.replace("A tiny", "A little")


# ---------------------------------------------------------------- comparing two runs

CHAPTER = "02_concept_vectors"
NOISE = results.Tolerance(f"{CHAPTER}/table6.*", 0.01, 0.0, reason="solver noise")
EXACT = results.Tolerance(f"{CHAPTER}/table6.mean", reason="exact")


def entry(value: float | None, **fields: Any) -> dict[str, Any]:
    plain = {"low": None, "high": None, "n": 100, "reference": None}
    return {"value": value, "unit": "", "source": "", **plain, **fields}


def compared(folder: Path, old: dict[str, Any], new: dict[str, Any], *tolerances):
    """Compare the results of one chapter, by key, as committed and as made anew."""
    folders = folder / "old", folder / "new"
    for path, entries in zip(folders, (old, new), strict=True):
        path.mkdir()
        (path / f"{CHAPTER}.json").write_text(json.dumps(entries), "utf-8")
    return results.compare(*folders, tolerances)


ABSENT = entry(None, needs="a Leela network")


@pytest.mark.parametrize(
    ("committed", "fresh", "tolerances", "expected"),
    [
        (entry(0.9), entry(0.9), (), "identical"),
        (entry(0.9), entry(0.905), (NOISE,), "within tolerance"),
        (entry(0.9), entry(0.92), (NOISE,), "different"),
        (entry(0.9), entry(0.905), (EXACT, NOISE), "different"),  # the first counts
        (entry(0.9, low=0.8), entry(0.9, low=0.7), (NOISE,), "different"),
        (entry(0.9), entry(0.9, n=101), (NOISE,), "different"),
        (entry(0.9), None, (), "missing"),
        (ABSENT, entry(0.9), (), "new"),
        (entry(0.9), ABSENT, (), "asset absent"),
    ],
)
def test_a_result_gets_its_outcome(tmp_path, committed, fresh, tolerances, expected):
    old, new = ({"table6.mean": each} if each else {} for each in (committed, fresh))
    rows = compared(tmp_path, old, new, *tolerances)
    assert rows["outcome"].tolist() == [expected]
    assert results.is_green(rows) == (expected not in {"different", "missing"})


def test_the_page_of_a_reproduction_names_what_moved_what_was_absent_and_what_took_long(
    tmp_path,
):
    lacking = entry(None, needs="recorded answers of gpt-4o")
    old = {"table6.worst": entry(2), "table6.mean": entry(1), "table7.gpt": lacking}
    old |= {"table7.leela": entry(0.75, low=0.7, high=0.8)}
    made = {"table6.worst": entry(9), "table7.leela": ABSENT}
    rows = compared(tmp_path, old, old | made)
    assert rows["table"].unique().tolist() == [f"{CHAPTER} table6", f"{CHAPTER} table7"]
    assert "table6.worst: different; value 2 -> 9" in results.failed_lines(rows)
    page = results.page(
        rows,
        notebooks="0 of 1 are alike",
        failures=["01_tiny failed in cell 3"],
        times=[("01_tiny", 7, 5), (CHAPTER, 4, 5)],
        declared=PROJECT / "book/tolerances.toml",
    )
    for words in (
        "RED: 4 results: 1 identical, 1 different, 2 asset absent, 1 chapters failed",
        f"| `{CHAPTER}/table6.worst` | different | value 2 -> 9 |",
        "| `make record MODEL=gpt-4o PURPOSE=mate_in_one` |",
        "01_tiny failed in cell 3",
        f"| `{CHAPTER}/table7.leela` | needs a Leela network; the committed value is 0.75",
    ):
        assert words in page
    timed = [line for line in page.splitlines() if " | 5 | " in line]
    assert ["over" in line for line in timed] == [True, False]


@pytest.mark.parametrize(
    ("name", "read", "texts"),
    [
        (chapters.CHAPTERS_FILE, read_chapters, ["[01_one", '[01_one]\ntitle = ""\n']),
        ("01_x.json", results.read_results, ["{", "[]", '{"games.count": {"n": 3}}']),
        (
            "tolerances.toml",
            lambda folder: results.read_tolerances(folder / "tolerances.toml"),
            [
                "[[tolerance",
                '[[tolerance]]\nabsolute = 1\nreason = "x"',
                '[[tolerance]]\npattern = "*"\nabsolute = -1\nreason = "x"',
                '[[tolerance]]\npattern = "*"\nabsolut = 1\nreason = "x"',
            ],
        ),
    ],
)
def test_a_bad_file_is_named(project, name, read, texts):
    named = rf"{Path(name).stem}\.|tolerance '\*'"
    for text in texts:
        (project / name).write_text(text)
        refuses((ChapterError, results.ResultsError), named, read, project)


# ---------------------------------------------------------------- the pages


@pytest.fixture(scope="session")
def built_book(tmp_path_factory):
    """Build the committed book in a folder of its own; return the folder of its pages."""
    run = committed_run(PROJECT)
    for chapter in read_chapters(PROJECT):
        if not run.notebook(chapter).is_file():
            pytest.skip(f"{chapter.name} has not been executed: run `make book`")
    folder = tmp_path_factory.mktemp("book")
    if (PROJECT / "node_modules").is_dir():
        (folder / "node_modules").symlink_to(PROJECT / "node_modules")
    failure = dodo.build_from(run, folder / "source", folder)
    assert failure is None, failure.get_msg()
    return folder / "_build/html"


@pytest.fixture(scope="session")
def soups(built_book):
    """Every page of the book by its path, parsed."""
    texts = {
        page: (built_book / page).read_text("utf-8")
        for page in gates.pages_of(built_book)
    }
    return {page: BeautifulSoup(text, "lxml") for page, text in texts.items()}


@pytest.mark.parametrize("named", ["settings", "workflow", ""])
def test_an_address_brings_repository_binder_and_colab(monkeypatch, named):
    monkeypatch.syspath_prepend(str(PROJECT / "book/_ext"))
    import self_contained

    address = "https://example.org/a/b"
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    if named == "workflow":
        monkeypatch.setenv("GITHUB_SERVER_URL", "https://example.org")
        monkeypatch.setenv("GITHUB_REPOSITORY", "a/b")
    given = {"repository_url": address if named == "settings" else ""}
    config = SimpleNamespace(html_theme_options=given)
    self_contained.link_repository(None, config)
    options = config.html_theme_options
    assert options["repository_url"] == (address if named else "")
    launched = {*options.get("launch_buttons", ())}
    assert launched == ({"binderhub_url", "colab_url"} if named else set())


def test_no_page_shows_an_object_in_place_of_its_text(soups):
    assert [
        page for page, soup in soups.items() if "<IPython.core" in soup.get_text()
    ] == []


def can_be_shown(asked: dict[str, list[str]]) -> bool:
    """The explorer shows any position with a move that is legal there."""
    board = chess.Board(asked["fen"][0])
    legal = {move.uci() for move in board.legal_moves}
    return board.is_valid() and {*asked.get("move", [])} <= legal


def test_every_internal_link_leads_to_a_page_and_a_place(built_book, soups):
    anchors = {
        page: {tag["id"] for tag in soup.find_all(id=True)}
        for page, soup in soups.items()
    }
    broken = []
    for page, soup in soups.items():
        for link in soup.select("a[href]:not([href='#'])"):
            address = urlsplit(link["href"])
            if address.scheme or address.netloc:
                continue
            target = (built_book / page).parent / unquote(address.path)
            name = target.resolve().relative_to(built_book).as_posix()
            name = name if address.path else page
            place = address.fragment
            if name == "book/explorer.html" and place.startswith("fen="):
                known = can_be_shown(parse_qs(place))
            else:
                known = not place or place in anchors.get(name, {place})
            if not known or not (built_book / name).exists():
                broken.append((page, link["href"]))
    assert broken == []


def test_a_pasted_value_follows_its_notebook_and_a_lost_link_or_foreign_script_fails(
    tmp_path,
):
    """A page that pastes a number is built again when only the notebook changed."""
    for name in ("book/_ext", "book/_static"):
        shutil.copytree(PROJECT / name, tmp_path / name)
    shutil.copy2(PROJECT / "book/references.bib", tmp_path / "book")
    shutil.copy2(PROJECT / "_config.yml", tmp_path)
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nchapters:\n  - file: book/executed/01_tiny\n"
    )
    page = tmp_path / "_build/html/book/index.html"
    (tmp_path / "book/index.md").write_text(
        "# Tiny\n\nCounted: {glue:text}`executed/01_tiny.ipynb::games:.1f` games.\n"
        "\n[nowhere](no_such_page.md)\n\n<script>window.hacked = 1</script>\n"
    )
    for value in ("41.00", "42.00"):
        write_glued_notebook(tmp_path / "book/executed/01_tiny.ipynb", value)
        said = dodo.build_html(tmp_path, tmp_path).get_msg()
        shown = BeautifulSoup(page.read_text("utf-8"), "lxml").get_text()
        assert f"Counted: {value[:-1]} games" in " ".join(shown.split())
        assert "no_such_page" in said
        assert "a script will not run" in said


def write_glued_notebook(path: Path, value: str) -> None:
    """Write an executed notebook whose one cell glued ``games``."""
    mime = "application/papermill.record/"
    metadata = {"scrapbook": {"mime_prefix": mime, "name": "games"}}
    data = {f"{mime}text/plain": value}
    output = nbformat.v4.new_output("display_data", data, metadata=metadata)
    cell = nbformat.v4.new_code_cell("glue()", outputs=[output], execution_count=1)
    heading = nbformat.v4.new_markdown_cell("# A tiny chapter")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    made = nbformat.v4.new_notebook(cells=[heading, cell], metadata=kernel)
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(made, path)


# ---------------------------------------------------------------- the browser


#: One page of each kind; `make gates` opens all of them, at more widths and in both themes.
KINDS = (
    "book/index.html",
    "book/findings.html",
    "book/executed/03_prioritisation.html",
    "book/executed/08_human_study.html",
    "book/executed/09_mate_in_one.html",
    "book/explorer.html",
    "book/library/facts.html",
    "book/reproduce.html",
)


@pytest.mark.browser
def test_pages_of_each_kind_pass_the_gates_on_a_phone_and_a_desk(
    browser, built_book, monkeypatch
):
    monkeypatch.setattr(gates, "WIDTHS", (PHONE["width"], DESK["width"]))
    monkeypatch.setattr(gates, "THEMES", ("light",))
    monkeypatch.setattr(gates, "SETTLES", 150)
    monkeypatch.setattr(gates, "AXE", built_book / "none")  # `make gates` runs it
    assert {*KINDS} <= {*gates.pages_of(built_book)}
    assert [
        each for page in KINDS for each in gates.check(browser, built_book, page)
    ] == []


@pytest.mark.browser
def test_boards_are_large_enough_to_be_read(browser, built_book):
    tab = browser.new_page(viewport=DESK)
    widths = []
    for page in KINDS:
        tab.goto((built_book / page).as_uri())
        widths += tab.eval_on_selector_all(
            "article :not([hidden]) > svg:has(.square)",
            "all => all.map(each => each.getBoundingClientRect().width).filter(width => width > 0)",
        )
    tab.close()
    assert len(widths) > 12 and min(widths) >= 100
