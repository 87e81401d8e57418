"""The book's tasks, for doit: pairs, chapters, pages, reproduction. `make help` lists the ways in.

A chapter runs only when its fingerprint changed (see `book/chapters.py`); nothing here
imports torch, so that finding nothing to do takes seconds.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from doit.exceptions import TaskFailed
from doit.tools import config_changed

from chessgloss.book.profiles import PROFILES
from chessgloss.book.used_code import code_sha256
from chessgloss.llm.client import DEFAULT_MODEL
from chessgloss.store import write_file

PROJECT = Path(__file__).parent.resolve()
sys.path.insert(0, str(PROJECT / "book"))

import findings  # noqa: E402
import live_files  # noqa: E402
import results  # noqa: E402
from chapters import (  # noqa: E402
    CHAPTERS_FILE,
    Chapter,
    ChapterError,
    Run,
    committed_run,
    execute,
    find_chapter,
    is_stale,
    pasted_values,
    read_chapters,
    read_parameters,
    right_results,
    separate_run,
    sync_pair,
    without_solutions,
    write_values,
)

BUILD = PROJECT / "_build"
BUILD.mkdir(exist_ok=True)

#: The page on which every commented move can be played through.
EXPLORER = PROJECT / "book/explorer.md"

#: The page of all claims.
FINDINGS = PROJECT / "book/findings.md"

#: What the page "Try it" runs in a reader's browser.
LIVE = BUILD / "live"

#: What the generated pages and files are made from, as patterns.
MADE_FROM: Mapping[str, tuple[str, ...]] = {
    "overview": (
        "book/inventory.csv",
        "book/places.py",
        "book/reproduce.md.j2",
        "book/results.py",
        "book/results/*.json",
        "data/reference/*",
        "lib/chessgloss/book/reference.py",
        CHAPTERS_FILE,
        "notebooks/[0-9]*.py",
    ),
    "findings": (
        "book/drawings.py",
        "book/findings.py",
        "book/findings.toml",
        "book/findings.md.j2",
        "book/front.py",
        "book/index.md.j2",
        "book/inventory.csv",
        "book/part_*.md.j2",
        "book/questions.*",
        "data/commentary/briefings.json",
        "data/commentary/voice/*.json",
        "data/recordings/claude/voice*",
        "data/reference/*",
        "lib/chessgloss/book/pictures.py",
        "lib/chessgloss/claims/*.py",
    ),
    "explorer": (
        "book/executed/*.ipynb",
        "book/explorer.md.j2",
        "book/explorer.py",
        "data/commentary/**/*",
        "data/famous/**/*",
        "data/notes/second/**/*",
        "data/recordings/claude/famous*",
        f"data/recordings/{DEFAULT_MODEL}/**/*",
        "data/static/recorded/**/*",
        "lib/chessgloss/claims/**/*.py",
        "lib/chessgloss/commentary/**/*",
        "lib/chessgloss/facts/**/*.py",
        "lib/chessgloss/live.py",
        "lib/chessgloss/predicates/**/*.py",
        CHAPTERS_FILE,
    ),
    "live": (
        "book/live_*",
        "lib/chessgloss/**/*.py",
        *(f"lib/chessgloss/**/*{ending}" for ending in live_files.READ),
        "package-lock.json",
    ),
    "book": (
        "_config.yml",
        "_toc.yml",
        "benchmarks/results/*.*",
        "book/*.*",
        "book/_*/**/*",
        "book/executed/*.ipynb",
        "book/library/*",
        "lib/**/*.py",  # docstrings are the library's pages
        "package-lock.json",
    ),
}

DOIT_CONFIG = {
    "default_tasks": ["book"],
    "dep_file": str(BUILD / ".doit.db"),
    "verbosity": 2,
}


# ---------------------------------------------------------------- tasks


def task_pairs() -> Iterator[dict[str, Any]]:
    """Keep each notebook's text and its .ipynb in step."""
    for source in sorted((PROJECT / "notebooks").glob("[0-9]*.py")):
        yield {
            "name": source.stem,
            "actions": [(sync, [source])],
            "uptodate": [
                config_changed(_digest([source, source.with_suffix(".ipynb")]))
            ],
        }


def task_execute() -> Iterator[dict[str, Any]]:
    """Execute the stale chapters into book/executed."""
    run = committed_run(PROJECT)
    for chapter in read_chapters(PROJECT):
        yield _execution(run, chapter)


def task_overview() -> dict[str, Any]:
    """Write book/reproduce.md from the reference values and the committed results."""
    page = PROJECT / "book/reproduce.md"
    return {
        "actions": [(write_overview, [committed_run(PROJECT).results, page])],
        "file_dep": sources("overview"),
        "targets": [str(page)],
        "task_dep": ["execute"],
    }


def task_findings() -> dict[str, Any]:
    """Write the first page, the page of all claims and that of questions from the results.

    As with the explorer, the last line of the second says what both were made from: the first
    page's example takes the lectures.
    """
    return {
        "actions": [_write_committed_findings],
        "targets": [str(PROJECT / "book" / name) for name in findings.PAGES],
        "uptodate": [findings_are_fresh],
        "task_dep": ["execute"],
    }


def task_explorer() -> dict[str, Any]:
    """Write the page on which every commented move can be played through.

    Its last line says what it was made from, so that the committed page is left as it is in a
    fresh clone: making it takes the lectures, which come from elsewhere.
    """
    return {
        "actions": [_write_explorer],
        "targets": [str(EXPLORER)],
        "uptodate": [explorer_is_fresh],
        "task_dep": ["execute"],
    }


def task_live() -> dict[str, Any]:
    """Write the files that the page "Try it" runs in the browser into _build/live."""
    return {
        "actions": [write_live_files],
        "file_dep": sources("live"),
        "targets": [str(LIVE / "files.json")],
        "uptodate": [(LIVE / "files.json").is_file],
    }


def task_book() -> dict[str, Any]:
    """Build _build/html from the committed text and the executed chapters."""
    return {
        "actions": [(build_html, [PROJECT, PROJECT]), (_announce, [PROJECT])],
        "file_dep": sources("book"),
        "targets": [str(index_page(PROJECT))],
        "task_dep": ["pairs", "execute", "overview", "findings", "explorer", "live"],
    }


def task_smoke() -> Iterator[dict[str, Any]]:
    """Execute every chapter at its smallest sizes and build the pages from them."""
    folder = BUILD / "smoke"
    run = separate_run(PROJECT, "smoke", folder)
    names = []
    for chapter in read_chapters(PROJECT):
        names.append(f"smoke:{chapter.name}")
        yield _execution(run, chapter)
    yield {
        "name": "pages",
        "actions": [
            (build_from, [run, folder / "source", folder]),
            (_announce, [folder]),
        ],
        "task_dep": [*names, "live"],
    }


def task_chapter() -> dict[str, Any]:
    """Execute one chapter alone: doit chapter -n 04 -p smoke."""
    return {
        "actions": [run_chapter],
        "params": [
            {"name": "number", "short": "n", "default": "", "help": "number or name"},
            {
                "name": "profile",
                "short": "p",
                "default": "book",
                "help": "smoke, book or paper",
            },
            {
                "name": "given",
                "short": "g",
                "default": "",
                "help": "parameters, such as 'seed=2 shown=[lec3/13]'",
            },
        ],
    }


def task_exercises() -> dict[str, Any]:
    """Write each chapter with its exercises unsolved into _build/exercises."""
    return {"actions": [write_exercises]}


def task_reproduce() -> dict[str, Any]:
    """Execute everything anew, compare it with the committed results, build the pages."""
    return {"actions": [reproduce], "task_dep": ["live"]}


def _execution(run: Run, chapter: Chapter) -> dict[str, Any]:
    def fresh(task: object, values: object) -> bool:
        return not is_stale(run, chapter)

    return {
        "name": chapter.name,
        "actions": [(execute_quietly, [run, chapter])],
        "targets": [str(run.notebook(chapter)), str(run.result(chapter))],
        "uptodate": [fresh],
    }


# ---------------------------------------------------------------- actions


def execute_quietly(run: Run, chapter: Chapter) -> TaskFailed | None:
    """Execute a chapter; its failure is a message here, not a traceback."""
    try:
        execute(run, chapter)
    except ChapterError as error:
        return TaskFailed(str(error))
    return None


def sync(source: Path) -> None:
    """Bring a pair together and say which file changed."""
    if (changed := sync_pair(source)) is not None:
        print(f"brought up to date: {changed.relative_to(PROJECT)}")


def run_chapter(number: str, profile: str, given: str) -> TaskFailed | None:
    """Execute one chapter, stale or not, and build its page; `book` into book/executed.

    With parameters of one's own the committed chapter stays as it is.
    """
    if profile not in PROFILES:
        return TaskFailed(f"PROFILE is {', '.join(PROFILES)}, not {profile!r}")
    folder = BUILD / (f"{profile}-own" if given else profile)
    run = (
        committed_run(PROJECT)
        if profile == "book" and not given
        else separate_run(PROJECT, profile, folder)
    )
    try:
        chapter = find_chapter(read_chapters(PROJECT), number)
        own = read_parameters(PROJECT, chapter, given)
        done = execute(run, chapter, own)
    except ChapterError as error:
        return TaskFailed(str(error))
    print(f"executed: {done}\nresults:  {run.result(chapter)}")
    return build_page(run, chapter, folder / "page")


def write_exercises() -> None:
    """Write the chapters as notebooks whose solutions are left out."""
    import jupytext
    import nbformat

    folder = BUILD / "exercises"
    folder.mkdir(exist_ok=True)
    for chapter in read_chapters(PROJECT):
        notebook = jupytext.read(
            PROJECT / f"notebooks/{chapter.name}.py", fmt="py:percent"
        )
        path = committed_run(PROJECT).notebook(chapter)
        right = []
        if path.is_file():
            executed = nbformat.read(path, as_version=4)
            write_values(notebook, pasted_values(executed))
            right = right_results(executed)
        blank = without_solutions(notebook, right)
        jupytext.write(blank, folder / f"{chapter.name}.ipynb")
    print(f"exercises: {folder}")


def build_page(run: Run, chapter: Chapter, folder: Path) -> TaskFailed | None:
    """Build the page of one chapter alone; links to other chapters lead nowhere there."""
    name = f"book/executed/{chapter.name}"
    failure = build_alone(
        run.project, name, {f"{name}.ipynb": run.notebook(chapter)}, folder
    )
    if failure is None:
        print(f"the page: {folder / '_build/html' / name}.html")
    return failure


def build_live_page(folder: Path) -> TaskFailed | None:
    """Build the page "Try it" alone, and without its files where ``_build/live`` has none."""
    names = (f"book/try_it{ending}" for ending in (".md", ".toml"))
    files = {name: PROJECT / name for name in names}
    return build_alone(PROJECT, "book/try_it", files, folder)


def build_alone(
    project: Path, page: str, files: Mapping[str, Path], folder: Path
) -> TaskFailed | None:
    """Build one page of the book, of files by their places, and the references."""
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    for kept in ("_static", "_ext"):
        shutil.copytree(project / "book" / kept, source / "book" / kept)
    kept_files = ("_config.yml", "book/references.bib", "book/references.md")
    for name, path in {
        **{name: project / name for name in kept_files},
        **files,
    }.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, source / name)
    (source / "_toc.yml").write_text(
        f"format: jb-book\nroot: {page}\nchapters:\n  - file: book/references\n"
    )
    return build_html(source, folder, strict=False)


def reproduce() -> TaskFailed | None:
    """Re-execute the book from an empty store, compare, build, say whether it reproduces."""
    folder = BUILD / "reproduce"
    shutil.rmtree(folder, ignore_errors=True)
    run = separate_run(PROJECT, "book", folder)
    kept = committed_run(PROJECT)
    declared = PROJECT / "book/tolerances.toml"
    tolerances = results.read_tolerances(declared)
    named = f"{declared.name} {_digest([declared])}"
    print(f"{len(tolerances)} tolerances declared beforehand, {named}")
    failures, times = execute_all(run)
    rows = results.compare(kept.results, run.results, tolerances)
    notebooks = compare_notebooks(kept, run)
    print("", results.failed_lines(rows), notebooks, *failures, "", sep="\n")
    restore_failed(kept, run)
    report = results.page(
        rows, notebooks=notebooks, failures=failures, times=times, declared=declared
    )
    pages = build_from(run, folder / "source", PROJECT, report)
    print(results.summarise(rows, failed_chapters=len(failures)))
    if pages is not None:
        return pages
    _announce(PROJECT)
    print(f"table by table: {index_page(PROJECT).parent / 'book/reproduced.html'}")
    if failures or not results.is_green(rows):
        return TaskFailed("the book does not reproduce here; the page above says where")
    return None


def execute_all(run: Run) -> tuple[list[str], list[tuple[str, int, int | None]]]:
    """Execute every chapter; return messages of those that failed, and seconds beside budgets."""
    failures = []
    times = []
    for chapter in read_chapters(run.project):
        started = time.monotonic()
        try:
            execute(run, chapter)
        except ChapterError as error:
            failures.append(str(error))
            print(error, file=sys.stderr)
        taken = round(time.monotonic() - started)
        times.append((chapter.name, taken, chapter.budget_seconds.get(run.profile)))
    return failures, times


def restore_failed(kept: Run, run: Run) -> None:
    """Let the pages show the committed notebook of a chapter that failed."""
    run.executed.mkdir(parents=True, exist_ok=True)
    for chapter in read_chapters(run.project):
        if not run.notebook(chapter).is_file() and kept.notebook(chapter).is_file():
            shutil.copy2(kept.notebook(chapter), run.notebook(chapter))


def compare_notebooks(kept: Run, run: Run) -> str:
    """Return a sentence on how many executed notebooks are byte for byte the committed ones."""
    chapters = read_chapters(run.project)
    other = [
        c.name for c in chapters if _read(kept.notebook(c)) != _read(run.notebook(c))
    ]
    same = len(chapters) - len(other)
    line = f"{same} of {len(chapters)} executed notebooks are byte-identical"
    return f"{line}; not: {', '.join(other)}" if other else line


def build_from(
    run: Run, source: Path, output: Path, report: str = ""
) -> TaskFailed | None:
    """Build pages from the project's text and a run's notebooks, in a tree of their own.

    A report, if given, is one page more, after that of all tables and figures. Where the findings
    cannot be written, the pages are built with the committed ones, and the reason is returned.
    """
    shutil.rmtree(source, ignore_errors=True)
    own = shutil.ignore_patterns("executed", "results", "__pycache__")
    shutil.copytree(run.project / "book", source / "book", ignore=own)
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy2(run.project / name, source / name)
    shutil.copytree(run.executed, source / "book/executed")
    if (run.project / "benchmarks/results").is_dir():
        shutil.copytree(
            run.project / "benchmarks/results", source / "benchmarks/results"
        )
    write_overview(run.results, source / "book/reproduce.md")
    if report:
        write_file(source / "book/reproduced.md", report)
        after = "      - file: book/reproduce\n"
        toc = (source / "_toc.yml").read_text()
        (source / "_toc.yml").write_text(
            toc.replace(after, f"{after}      - file: book/reproduced\n")
        )
    failure = None
    whole = all(run.result(chapter).is_file() for chapter in read_chapters(run.project))
    if run.profile == "book" and whole:  # else the committed findings stay
        failure = _write_findings(run.results, source / "book")
    return build_html(source, output) or failure


def write_overview(folder: Path, page: Path) -> None:
    """Write the page that sets every printed number beside ours, of a folder of results."""
    write_file(page, results.overview(PROJECT, folder))


def _write_findings(folder: Path, target: Path) -> TaskFailed | None:
    from chessgloss.assets import AssetMissing

    try:
        for name, text in findings.pages(PROJECT, folder).items():
            write_file(target / name, text)
    except (results.ResultsError, AssetMissing) as error:
        return TaskFailed(f"the page of all claims cannot be written: {error}")
    return None


def _write_committed_findings() -> TaskFailed | None:
    failure = _write_findings(committed_run(PROJECT).results, PROJECT / "book")
    if failure is None:
        text = FINDINGS.read_text("utf-8")
        write_file(FINDINGS, f"{text}\n{_mark('overview', 'findings')}\n")
    return failure


def findings_are_fresh() -> bool:
    return _is_marked(FINDINGS, "overview", "findings")


def _write_explorer() -> TaskFailed | None:
    import explorer
    from chessgloss.assets import AssetMissing

    try:
        page = explorer.write_page(PROJECT)
    except AssetMissing as error:
        return TaskFailed(f"{EXPLORER.name} is of older code or data: {error}")
    write_file(EXPLORER, f"{page}\n{_mark('explorer')}\n")
    return None


def explorer_is_fresh() -> bool:
    return _is_marked(EXPLORER, "explorer")


def _is_marked(page: Path, *names: str) -> bool:
    """Return whether a page is there and was made from today's sources."""
    return page.is_file() and page.read_text("utf-8").endswith(f"\n{_mark(*names)}\n")


def _mark(*names: str) -> str:
    """Return a comment, which no page shows, with a hash of a page's sources."""
    paths = [Path(path) for name in names for path in sources(name)]
    return f"% made from {_digest(paths)}"


def write_live_files() -> None:
    """Write the files of the page "Try it"; without npm's packages the page shows its examples."""
    try:
        sizes = live_files.write_files(PROJECT, LIVE)
    except live_files.PackagesMissing as error:
        print(f'the page "Try it" shows its examples alone: {error}')
    else:
        print(f'the page "Try it" loads {sum(sizes.values()):,} bytes when it is used')


def build_html(source: Path, output: Path, *, strict: bool = True) -> TaskFailed | None:
    """Run Jupyter Book, if strict with warnings as errors; pages go to ``output/_build/html``."""
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [
        str(jupyter_book),
        "build",
        str(source),
        "-q",
        "--path-output",
        str(output),
    ]
    command += ["-W", "-n", "--keep-going"] if strict else []
    done = subprocess.run(
        command, cwd=source, capture_output=True, text=True, check=False
    )
    if done.returncode:
        return TaskFailed(f"the pages do not build:\n{done.stdout}{done.stderr}")
    if LIVE.is_dir():
        target = output / "_build/html/_static/live"
        shutil.copytree(LIVE, target, dirs_exist_ok=True)
    return None


# ---------------------------------------------------------------- files


def index_page(output: Path) -> Path:
    """Return the address of the built book below ``output``."""
    return output / "_build/html/index.html"


def sources(name: str) -> list[str]:
    """List the files of a pattern of :data:`MADE_FROM`, without what a program leaves behind."""
    found = {path for pattern in MADE_FROM[name] for path in PROJECT.glob(pattern)}
    return sorted(
        str(path)
        for path in found
        if path.is_file() and path.suffix != ".pyc" and not path.name.startswith(".")
    )


def _announce(output: Path) -> None:
    print(f"the book: {index_page(output)}")


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _digest(paths: Iterable[Path]) -> str:
    """Return a short hash of those of the files that are there."""
    return code_sha256(filter(Path.is_file, paths), PROJECT)[:16]
