"""The book's tasks, for doit: pairs, chapters, pages, reproduction. `make help` lists the ways in.

A chapter runs only when its fingerprint changed (see `book/chapters.py`); nothing here
imports torch, so that finding nothing to do takes seconds.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from doit.exceptions import TaskFailed
from doit.tools import config_changed

from chessgloss.book.profiles import PROFILES
from chessgloss.commentary.asking import briefings_file
from chessgloss.llm.client import DEFAULT_MODEL

PROJECT = Path(__file__).parent.resolve()
sys.path.insert(0, str(PROJECT / "book"))

import compare as comparison  # noqa: E402
import findings  # noqa: E402
import live_files  # noqa: E402
import reproduce as overview  # noqa: E402
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
    write_atomically,
    write_values,
)
from ran_code import execute_recorded  # noqa: E402

BUILD = PROJECT / "_build"
BUILD.mkdir(exist_ok=True)

#: The page on which every commented move can be played through.
EXPLORER = PROJECT / "book/explorer.md"

#: The page of all claims.
FINDINGS = PROJECT / "book/findings.md"

#: What the page "Try it" runs in a reader's browser.
LIVE = BUILD / "live"

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
            "uptodate": [config_changed(_digest(source, source.with_suffix(".ipynb")))],
        }


def task_execute() -> Iterator[dict[str, Any]]:
    """Execute the stale chapters into book/executed."""
    run = committed_run(PROJECT)
    for chapter in read_chapters(PROJECT):
        yield _execution(run, chapter)


def task_overview() -> dict[str, Any]:
    """Write book/reproduce.md from the reference values and the committed results."""
    page = PROJECT / "book/reproduce.md"
    results = committed_run(PROJECT).results
    return {
        "actions": [(write_overview, [results, page])],
        "file_dep": [str(path) for path in overview_sources(PROJECT)],
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
    """Write what the page "Try it" runs in the browser into _build/live."""
    return {
        "actions": [write_live_files],
        "file_dep": [str(path) for path in live_sources(PROJECT)],
        "targets": [str(LIVE / "files.json")],
        "uptodate": [(LIVE / "files.json").is_file],
    }


def task_book() -> dict[str, Any]:
    """Build _build/html from the committed text and the executed chapters."""
    return {
        "actions": [(build_html, [PROJECT, PROJECT]), (_announce, [PROJECT])],
        "file_dep": [str(path) for path in page_sources(PROJECT)],
        "targets": [str(index_page(PROJECT))],
        "task_dep": ["pairs", "execute", "overview", "findings", "explorer", "live"],
    }


def task_smoke() -> Iterator[dict[str, Any]]:
    """Execute every chapter at its smallest sizes and build the pages from them.

    What runs of the library is recorded and held against the chapter's fingerprint.
    """
    folder = BUILD / "smoke"
    run = separate_run(PROJECT, "smoke", folder)
    names = []
    for chapter in read_chapters(PROJECT):
        names.append(f"smoke:{chapter.name}")
        yield _execution(run, chapter, execute_recorded)
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


def _execution(
    run: Run, chapter: Chapter, how: Callable[[Run, Chapter], Path] = execute
) -> dict[str, Any]:
    def fresh(task: object, values: object) -> bool:
        return not is_stale(run, chapter)

    return {
        "name": chapter.name,
        "actions": [(_run_quietly, [how, run, chapter])],
        "targets": [str(run.notebook(chapter)), str(run.result(chapter))],
        "uptodate": [fresh],
    }


# ---------------------------------------------------------------- actions


def _run_quietly(action: Callable[..., Any], *arguments: Any) -> TaskFailed | None:
    """Call an action; a chapter's failure is a message here, not a traceback."""
    try:
        action(*arguments)
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
    tolerances = comparison.read_tolerances(declared)
    print(
        f"{len(tolerances)} tolerances declared beforehand, {declared.name} {_digest(declared)}"
    )
    failures, times = execute_all(run)
    rows = comparison.compare(kept.results, run.results, tolerances)
    notebooks = compare_notebooks(kept, run)
    print("", comparison.render(rows), notebooks, *failures, "", sep="\n")
    restore_failed(kept, run)
    report = comparison.page(
        rows, notebooks=notebooks, failures=failures, times=times, declared=declared
    )
    pages = build_from(run, folder / "source", PROJECT, report)
    print(comparison.summarise(rows, failed_chapters=len(failures)))
    if pages is not None:
        return pages
    _announce(PROJECT)
    print(f"table by table: {index_page(PROJECT).parent / 'book/reproduced.html'}")
    if failures or not comparison.is_green(rows):
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
    """Say how many executed notebooks are byte for byte the committed ones."""
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
        write_atomically(source / "book/reproduced.md", report)
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


def write_overview(results: Path, page: Path) -> None:
    """Write the page that sets every printed number beside ours."""
    text = overview.render(
        results,
        PROJECT / "data/reference",
        PROJECT / "book/inventory.csv",
        PROJECT / CHAPTERS_FILE,
        committed_run(PROJECT).results,
    )
    write_atomically(page, text)


def _write_findings(results: Path, folder: Path) -> TaskFailed | None:
    from chessgloss.assets import AssetMissing

    try:
        for name, text in findings.pages(PROJECT, results).items():
            write_atomically(folder / name, text)
    except (findings.FindingsError, AssetMissing) as error:
        return TaskFailed(f"the page of all claims cannot be written: {error}")
    return None


def _write_committed_findings() -> TaskFailed | None:
    failure = _write_findings(committed_run(PROJECT).results, PROJECT / "book")
    if failure is None:
        text = FINDINGS.read_text("utf-8")
        write_atomically(FINDINGS, f"{text}\n{_mark(findings_sources(PROJECT))}\n")
    return failure


def findings_are_fresh() -> bool:
    return _is_marked(FINDINGS, findings_sources(PROJECT))


def _write_explorer() -> TaskFailed | None:
    import explorer
    from chessgloss.assets import AssetMissing

    try:
        page = explorer.write_page(PROJECT)
    except AssetMissing as error:
        return TaskFailed(f"{EXPLORER.name} is of older code or data: {error}")
    write_atomically(EXPLORER, f"{page}\n{_mark(explorer_sources(PROJECT))}\n")
    return None


def explorer_is_fresh() -> bool:
    return _is_marked(EXPLORER, explorer_sources(PROJECT))


def _is_marked(page: Path, sources: Iterable[Path]) -> bool:
    """Tell whether a page is there and was made from what the sources hold today."""
    return page.is_file() and page.read_text("utf-8").endswith(f"\n{_mark(sources)}\n")


def _mark(sources: Iterable[Path]) -> str:
    """Return a comment, which no page shows, that names what a page is made from."""
    return f"% made from {_digest(*sources)}"


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


def page_sources(project: Path) -> list[Path]:
    """List what the pages are made from: text, settings, executed chapters, docstrings."""
    run = committed_run(project)
    text = [path for path in (project / "book").rglob("*") if path.is_file()]
    own = [
        path
        for path in text
        if not {"executed", "results", "__pycache__"} & {*path.parts}
    ]
    notebooks = [run.notebook(chapter) for chapter in read_chapters(project)]
    settings = [
        project / "_config.yml",
        project / "_toc.yml",
        project / "package-lock.json",
    ]
    measured = (project / "benchmarks/results").glob("*.*")
    documented = (project / "lib").rglob("*.py")  # docstrings are the library's pages
    return sorted([*own, *notebooks, *settings, *measured, *documented])


def overview_sources(project: Path) -> list[Path]:
    """List what the overview of all tables and figures is made from."""
    results = (
        committed_run(project).result(chapter) for chapter in read_chapters(project)
    )
    makers = [project / name for name in ("book/reproduce.py", "book/reproduce.md.j2")]
    library = project / "lib/chessgloss/book/reference.py"
    return [
        *results,
        *makers,
        library,
        *(project / "data/reference").glob("*"),
        project / CHAPTERS_FILE,
    ]


def findings_sources(project: Path) -> list[Path]:
    """List what the first page and the page of all claims are made from."""
    book = project / "book"
    own = (
        "findings.py",
        "findings.toml",
        "drawings.py",
        "questions.py",
        "questions.toml",
        *(f"{n}.j2" for n in findings.PAGES),
    )
    chapters = read_chapters(project)
    return [
        *(book / name for name in own),
        *overview_sources(project),
        *(project / chapter.source for chapter in chapters),
        *sorted((project / "lib/chessgloss/claims").glob("*.py")),
        briefings_file(),
    ]


def live_sources(project: Path) -> list[Path]:
    """List what the files of the page "Try it" are made from."""
    makers = [path for path in (project / "book").glob("live_*") if path.is_file()]
    library = (project / "lib/chessgloss").rglob("*")
    kinds = {".py", *live_files.READ}
    packed = [path for path in library if path.suffix in kinds]
    return sorted([*makers, *packed, project / "package-lock.json"])


def explorer_sources(project: Path) -> list[Path]:
    """List what the explorer is made from: player, rules, comments, and the chapters' boards."""
    library = project / "lib/chessgloss"
    rules = [
        path
        for room in ("claims", "facts", "predicates")
        for path in (library / room).rglob("*.py")
    ]
    written = [
        path for path in (library / "commentary").rglob("*") if path.suffix != ".pyc"
    ]
    kept = [
        project / "data" / name
        for name in ("commentary", "famous", "notes/second", "static/recorded")
    ]
    kept.append(project / "data/recordings" / DEFAULT_MODEL)
    data = [path for folder in kept for path in folder.rglob("*")]
    own = [project / f"book/explorer{ending}" for ending in (".py", ".md.j2")]
    run = committed_run(project)
    shown = [run.notebook(chapter) for chapter in read_chapters(project)]
    return sorted(
        path
        for path in {*own, *rules, *written, *data, *shown}
        if path.is_file() and path.suffix != ".pyc" and not path.name.startswith(".")
    )


def _announce(output: Path) -> None:
    print(f"the book: {index_page(output)}")


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _digest(*paths: Path) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for path in paths:
        digest.update(_read(path) or b"")
    return digest.hexdigest()
