"""The command line: one command a purpose; ``chessgloss --help`` lists them.

Exit status: 0 all done; 1 something is missing (``doctor``); 2 bad input: what could be done is
done, the rest is named (games of ``annotate``, lines of ``claims --jsonl``), or what was done
cannot be written; 130 stopped by Ctrl-C; 141 whoever read the output left.

Each command imports what it needs when it runs: ``--help`` loads no library of numbers.
"""

from __future__ import annotations

import argparse
import errno
import io
import json
import logging
import os
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, get_args

import chessgloss

if TYPE_CHECKING:
    import pandas as pd

    from chessgloss.claims import Checked
    from chessgloss.commentary.annotate import AnnotatedGame, Annotator, Commentator
    from chessgloss.commentary.briefing import Briefing, Comment
    from chessgloss.corpora.pgn import PgnGame
    from chessgloss.engine import EnginePool
    from chessgloss.llm.client import Client
    from chessgloss.positions import MoveInContext, Position
    from chessgloss.scores import Analysis
    from chessgloss.survey.reading import Ratings

#: The method where none is named: from facts alone, or a model's words, checked, where an endpoint
#: is set.
DEFAULT_METHOD, MODEL_METHOD = "notes", "explain"

#: The paper's five methods (CCC 4.1), under the names that they have here.
SURVEY_METHODS = "reference,gac,bare,verdict,ccc"
#: Characters of a text whose claims are looked for; the time grows with their square.
LONGEST_TEXT = 10_000

#: The paper's number of moves (CCC 4.2).
SURVEY_MOVES = 50

#: Packages of which chessgloss has more than one component; the rest come with them.
_PACKAGES = ("chess", "numpy", "pydantic")
_EXTRAS = {"openai": "model", "scikit-learn": "research", "torch": "research"}
_BOOK_PACKAGES = ("jupyter-book", "papermill")

#: The system's errors of a write, which name no file.
_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = parser().parse_args(arguments)
    for name in (
        "asyncio",
        "chess.engine",
    ):  # what fails there is raised, and told in one line
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed")
        status = int(given.run(given))
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"chessgloss {given.command}: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _drop_unwritten()
        return 141
    except (ValueError, RuntimeError, OSError, ImportError) as error:
        print(
            f"chessgloss {given.command}: {visible(_in_words(error))}", file=sys.stderr
        )
        _drop_unwritten()
        return 2
    return status


def _in_words(error: Exception) -> str:
    """Return an error in words; of the system's errors, with the file's name."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        from chessgloss.assets import missing

        return missing(error.name.partition(".")[0])
    if isinstance(error, OSError) and error.strerror:
        why = error.strerror.lower()
        unwritten = error.errno in _UNWRITTEN
        if error.filename or unwritten:
            name = error.filename or "standard output"
            return f"cannot {'write' if unwritten else 'open'} {name}: {why}"
    return str(error)


def _drop_unwritten() -> None:
    """Let go what standard output does not take, so that leaving does not fail on it again."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def visible(text: str) -> str:
    """Return a text without the characters that a terminal may obey."""
    from chessgloss.llm import text as texts

    return texts.visible(text)


class _Parser(argparse.ArgumentParser):
    """A parser that says in one line what it cannot read."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {visible(message)}; see {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """Return the parser of :data:`COMMANDS`; each sets ``run``, which takes what was parsed."""
    top = _Parser(
        "chessgloss", description="A chess engine and a language model explain a move."
    )
    groups = {"": top.add_subparsers(dest="command", required=True, metavar="COMMAND")}
    for words, (run, about, options) in COMMANDS.items():
        group, _, name = words.rpartition(" ")
        if group not in groups:
            above = groups[""].add_parser(group, help=_GROUPS[group])
            groups[group] = above.add_subparsers(
                dest="action", required=True, metavar="ACTION"
            )
        command = groups[group].add_parser(name, help=about)
        command.set_defaults(run=run)
        for flags, how in options:
            command.add_argument(*flags, **how)
    return top


def _say(text: str) -> None:
    print(f"chessgloss: {' '.join(visible(text).split())}", file=sys.stderr)


def _dumps(value: Any, **options: Any) -> str:
    """Return a value as JSON; characters that a terminal may obey are escaped."""
    text = json.dumps(value, ensure_ascii=False, **options)
    shown = (c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
    return "".join(shown)


# ---------------------------------------------------------------- doctor


class Finding(NamedTuple):
    """One component: its version or place if it is there, and the remedy if not.

    Parameters
    ----------
    component
        What it is.
    version
        Its version, or where it lies; nothing if it cannot be used.
    remedy
        What to run to have it.
    essential
        Whether the main job cannot be done without it: in a checkout to execute the
        committed chapters, elsewhere to comment on moves.
    """

    component: str
    version: str | None
    remedy: str = ""
    essential: bool = True


def _doctor(given: argparse.Namespace) -> int:
    from chessgloss.store import find_project

    project = _try(find_project)
    findings = examine(project)
    missing = [
        each.component for each in findings if each.essential and not each.version
    ]
    job = "execute the book" if project else "comment on moves"
    where = project or f"none (run inside a checkout); working folder {Path.cwd()}"
    print(f"project: {where}", render(findings), sep="\n")
    print(f"cannot {job}: no {', '.join(missing)}" if missing else f"ready to {job}")
    return int(bool(missing))


def examine(project: Path | None) -> list[Finding]:
    """Look for every component, in the order in which a new machine gets them.

    ``project`` is the checkout in which the command runs; ``None`` where only the package is
    installed.
    """
    import importlib.metadata
    import platform

    from chessgloss import assets, engine, oracle
    from chessgloss.store import data_file

    book = project is not None  # what the job is, and so what it needs
    findings = [Finding("Python", platform.python_version())]
    for name in (*_PACKAGES, *_EXTRAS, *(_BOOK_PACKAGES if book else ())):
        version = _try(importlib.metadata.version, name)
        extra = f"[{_EXTRAS[name]}]" if name in _EXTRAS else ""
        remedy = "make sync" if book else f"pip install 'chessgloss{extra}'"
        findings.append(Finding(name, version, remedy, book or not extra))
    apt = "sudo apt-get install"
    version = _try(engine.version)
    usable = version if version == "Stockfish 15.1" or not book else None
    findings.append(Finding("Stockfish 15.1", usable, f"{apt} stockfish (Debian 12)"))
    stockfish8 = _try(oracle.find_stockfish8) and "npm 8.0.0"
    findings.append(
        Finding("Stockfish 8", stockfish8, f"{apt} nodejs npm && make sync", book)
    )
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    findings.append(Finding("chromium", chromium, f"{apt} chromium", False))
    checkout = "export CHESSGLOSS_PROJECT=/path/to/checkout"
    for name, path in (
        ("concept weights", "priority/nnue.safetensors"),
        ("book", "recordings"),
    ):
        place = _try(data_file, path)
        there = path if place and place.exists() else None
        findings.append(Finding(f"data: {name}", there, checkout, book))
    for name, asset in assets.REGISTRY.items():
        remedy = f'python -c "from chessgloss import assets; assets.locate({name!r})"'
        if name == "leela":
            remedy = f"export {asset.variable}=/path/to/network.pb.gz"
        place = _try(assets.locate, name, fetch=False)
        findings.append(Finding(f"asset {name}", place and place.name, remedy, False))
    if project:
        findings += _figures(project)
    remedy = "export OPENAI_BASE_URL=... (only to record new answers)"
    url = os.environ.get("OPENAI_BASE_URL") and "set"
    return [*findings, Finding("language model endpoint", url, remedy, False)]


def _figures(project: Path) -> Iterator[Finding]:
    """Yield each benchmark, found if its figures are of the code of this checkout."""
    command = [sys.executable, str(project / "benchmarks/bench.py"), "--list"]
    how = {"capture_output": True, "text": True, "timeout": 60}
    said = _try(subprocess.run, command, **how)
    for line in said.stdout.splitlines() if said else ():
        name, _, age = line.partition(": ")
        age, _, remedy = age.partition("; run ")
        current = None if remedy else age
        yield Finding(f"figures: {name}", current, f"{remedy} ({age})", essential=False)


def _try(ask: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return an answer; ``None`` where what is asked for is missing."""
    try:
        return ask(*arguments, **options)
    except (ImportError, RuntimeError, OSError, subprocess.SubprocessError):
        return None


def render(findings: list[Finding]) -> str:
    """Return the findings as a plain table: component, found, version, remedy."""
    rows = [("component", "found", "version", "what to run")]
    for each in findings:
        found = "yes" if each.version else "no" if each.essential else "no (optional)"
        remedy = "" if each.version else each.remedy
        rows.append((each.component, found, each.version or "", remedy))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        "  ".join((*map(str.ljust, row, widths), row[3])).rstrip() for row in rows
    )


# ---------------------------------------------------------------- models


def _fetch(given: argparse.Namespace) -> int:
    from chessgloss.llm.server import fetch_model

    print(fetch_model(*filter(None, [given.name])))
    return 0


def _serve(given: argparse.Namespace) -> int:
    from chessgloss.llm.client import DEFAULT_MODEL
    from chessgloss.llm.server import fetch_model, local_server

    name = given.name or DEFAULT_MODEL
    settings = {"context": given.context, "threads": given.threads, "port": given.port}
    path = fetch_model(name)
    with local_server(path, name, **settings) as url:
        print(f"{name} answers at {url} (Ctrl-C ends it). In another shell:")
        keys = {
            "OPENAI_BASE_URL": url,
            "OPENAI_API_KEY": "none",
            "CHESSGLOSS_MODEL": name,
        }
        print(
            *(f"export {key}={value}" for key, value in keys.items()),
            sep="\n",
            flush=True,
        )
        threading.Event().wait()
    return 0


# ---------------------------------------------------------------- a move and its words


def _comment(given: argparse.Namespace) -> int:
    move = _read_move(given)
    with _annotator(given, _writer(given)[0]) as annotator:
        briefing = annotator.brief(move)
    comment = annotator.write(briefing)
    _say_spent(annotator.write)
    print(
        _comment_json(briefing, comment)
        if given.json
        else _comment_text(briefing, comment)
    )
    return 0


def _read_move(given: argparse.Namespace) -> MoveInContext:
    return chessgloss.read_move(
        given.fen, given.move, language=given.language, say=_say
    )


def _comment_text(briefing: Briefing, comment: Comment) -> str:
    method = f"{comment.method}, {comment.model or 'no model'}"
    verdict = briefing.verdict
    used = f"{method}; {verdict.engine}, {verdict.nodes:,} nodes, depth {verdict.depth}"
    return visible(
        f"{briefing.move.numbered_san}{verdict.glyph}: {comment.text}\n({used})"
    )


def _comment_json(briefing: Briefing, comment: Comment) -> str:
    """Return the object that other programs read; the design names its keys."""
    known = briefing.summary()
    checked = chessgloss.check(comment.text, briefing)
    content: dict[str, Any] = {"comment": comment.text, "method": comment.method}
    content |= {"model": comment.model or None}
    content |= {name: known[name] for name in ("verdict", "concepts", "facts")}
    content |= {"claims": list(map(_claim_object, checked))}
    return _dumps(content, indent=2)


def _annotator(
    given: argparse.Namespace, write: Commentator, engines: EnginePool | None = None
) -> Annotator:
    """Return an annotator by the options; ``with`` starts the engines if none are given."""
    from chessgloss.commentary.annotate import Annotator

    return Annotator(
        engines.analyse if engines else None,
        write,
        (lambda move: ()) if given.no_concepts else None,
        (given.nodes, given.nodes) if given.nodes else None,
        say=_say,
        keep_last=True,
    )


def _writer(
    given: argparse.Namespace, answers: Path | None = None
) -> tuple[Commentator, Client | None]:
    """Return the writer of comments, and the live client that it asks.

    It keeps answers in the file, if one is given, and asks no question twice.
    """
    from chessgloss.commentary.notes import write_notes

    has_model = bool(os.environ.get("OPENAI_BASE_URL"))
    named = given.method or (MODEL_METHOD if has_model else DEFAULT_METHOD)
    if named == DEFAULT_METHOD:
        return write_notes, None
    from chessgloss.commentary.methods import ModelWriter, validate_method

    method = validate_method(named)
    client = chessgloss.live_client(given.timeout, answers)
    _say(
        f"asking {client.model.name}; each answer may take {given.timeout:g} s (--timeout)"
    )
    return ModelWriter(client, method, _say), client


def _say_spent(write: Commentator) -> None:
    """Print the cost of a model's comments, and the number of claims checked in them."""
    spent = getattr(write, "spent", None)
    if spent is not None and spent.comments:
        _say(str(spent))


# ---------------------------------------------------------------- a game, questions


def _annotate(given: argparse.Namespace) -> int:
    from chessgloss.commentary.game_job import Job
    from chessgloss.commentary.game_pgn import read_file
    from chessgloss.engine import EnginePool
    from chessgloss.notation import find_language

    targets = [*filter(None, (given.output, given.html))]
    _check_targets(*targets, source=given.pgn)
    language = find_language(given.language) if given.language else None
    games = read_file(given.pgn, language)
    _say_readings(games)
    kept = next((each for each in targets if _is_file(each)), None)
    answers = kept and kept.with_name(f"{kept.name}.answers")
    write, client = _writer(given, answers)
    finished: dict[int, AnnotatedGame | str] = {}
    with (
        EnginePool(given.processes, keep_last=True) as engines,
        _annotator(given, write, engines) as annotator,
    ):
        job = Job(
            games,
            replace(annotator, within=given.minutes * 60),
            engines,
            _settings(given, client),
            kept and kept.with_name(f"{kept.name}.unfinished"),
            1
            if client
            else engines.processes,  # a model answers one question at a time
            _say,
        )
        try:
            for place, game in job.run():
                finished[place] = game
                if not isinstance(game, str):
                    _write_games(given, finished, len(games))
        except KeyboardInterrupt:
            _say_stopped(given, finished, len(games))
            raise
    if not _annotated(finished) and job.faults:
        _say("nothing is written: no game could be annotated")
        return 2
    if job.faults:
        _say("what could not be annotated is copied as it is")
    _write_games(given, finished, len(games), page=True)
    _say_spent(write)
    if client and answers:
        client.recordings.drop()
    return 2 if job.faults else 0


def _settings(given: argparse.Namespace, client: Client | None) -> dict[str, object]:
    """Return all options that change what is written of a game."""
    names = ("method", "nodes", "minutes", "no_concepts", "language")
    options = {name: getattr(given, name) for name in names}
    model = client.model.name if client else None
    engine = os.environ.get("CHESSGLOSS_STOCKFISH")
    version = chessgloss.__version__
    return {**options, "model": model, "engine": engine, "version": version}


def _annotated(finished: dict[int, AnnotatedGame | str]) -> list[AnnotatedGame]:
    games = (finished[place] for place in sorted(finished))
    return [game for game in games if not isinstance(game, str)]


def _write_games(
    given: argparse.Namespace,
    finished: dict[int, AnnotatedGame | str],
    total: int,
    page: bool = False,
) -> None:
    """Write the games that are finished, in their order; to standard output when all are."""
    from chessgloss.commentary.game_page import write_page
    from chessgloss.commentary.game_pgn import write_pgn
    from chessgloss.store import write_file

    if given.output is not None:
        write_file(
            given.output, write_pgn(finished[place] for place in sorted(finished))
        )
    elif page and len(finished) == total:
        print(write_pgn(finished[place] for place in range(total)), end="")
    if not page or given.html is None:
        return
    if annotated := _annotated(finished):
        write_file(given.html, write_page(annotated))
    else:
        _say(f"{given.html} is not written: no game has moves")


def _say_stopped(
    given: argparse.Namespace, finished: dict[int, AnnotatedGame | str], total: int
) -> None:
    """Write the finished games of a stopped job, and say how to go on."""
    annotated = _annotated(finished)
    if not annotated:
        _say("no game is annotated yet")
        return
    names = [str(each) for each in (given.output, given.html) if each]
    if not names:
        _say("nothing is kept; -o FILE keeps the games that are annotated")
        return
    _write_games(given, finished, total, page=True)
    games = f"annotated so far: {len(annotated)}, in {' and '.join(names)}"
    _say(f"{games}; the same command goes on")


def _say_readings(games: Sequence[PgnGame]) -> None:
    """Print what was read by rule: a line for each rule, with the games."""
    readings: dict[str, list[str]] = {}
    for read in games:
        for reading in read.repairs if read.number else ():
            readings.setdefault(reading, []).append(str(read.number))
        if "null" in read.unplayed:
            reading = f"{read.unplayed}; annotated up to there"
            readings.setdefault(reading, []).append(str(read.number))
    for reading, numbers in readings.items():
        more = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
        _say(f"game {', '.join(numbers[:5])}{more}: {reading}")


def _check_targets(*targets: Path, source: Path | None = None) -> None:
    """Refuse targets that cannot be written before anything is worked out."""
    files = [path.resolve() for path in (source, *targets) if path and _is_file(path)]
    if twice := {str(path) for path in files if files.count(path) > 1}:
        raise ValueError(
            f"{twice.pop()}: what is read and what is written need different names"
        )
    for path in targets:
        folder = path.resolve().parent
        if not folder.is_dir():
            raise ValueError(
                f"there is no folder {path.parent} to write {path.name} into"
            )
        writable = not path.exists() or (
            path.stat().st_mode & 0o222 and os.access(path, os.W_OK)
        )
        if path.is_dir() or not writable:
            raise ValueError(f"{path} is a folder, or must not be written")
        if _is_file(path) and not os.access(folder, os.W_OK | os.X_OK):
            raise ValueError(f"{path}: its folder must not be written; name another")


def _is_file(path: Path) -> bool:
    """Return whether a path is, or would be, a file: no folder, device or pipe."""
    return path.is_file() or not path.exists()


def _ask(given: argparse.Namespace) -> int:
    from chessgloss.commentary.dialogue import Dialogue
    from chessgloss.facts.verdict import LEAST_NODES, RANKED_LINES

    move = _read_move(given)
    (write, client) = _writer(given)
    nodes = given.nodes or LEAST_NODES
    with _annotator(given, write) as annotator:
        briefing = annotator.brief(move)
        known = {each.position: each for each in (briefing.before, briefing.after)}

        def analyse(at: Position) -> Analysis:
            return known.get(at) or annotator.search([at], nodes, RANKED_LINES)[0]

        comment = write(briefing)
        print(_comment_text(briefing, comment), flush=True)
        dialogue = Dialogue(move, comment.text, analyse, client, _say)
        for reply in map(dialogue.ask, _questions()):
            found = reply.grounds if reply.model else ()
            lines = [
                "",
                reply.text,
                *(f"  looked up: {ground.text}" for ground in found),
            ]
            lines += [f"  not legal here: {move}" for move in reply.unsupported]
            lines.append(f"({reply.method}, {reply.model or 'no model'})")
            print(visible("\n".join(lines)), flush=True)
    return 0


def _questions() -> Iterator[str]:
    """Yield questions from the terminal or a pipe until it ends or somebody says ``quit``."""
    if sys.stdin is None:
        return
    prompt = "? " if sys.stdin.isatty() else ""
    if prompt:
        print(
            "Ask about moves, pieces, squares, threats, the best move; quit ends.",
            flush=True,
        )
    with suppress(EOFError):
        while (question := input(prompt).strip()).lower() not in (
            "q",
            "quit",
            "exit",
            "bye",
        ):
            if question:
                yield question


# ---------------------------------------------------------------- claims


def _claims(given: argparse.Namespace) -> int:
    from chessgloss.claims import Truth

    single = (given.fen, given.move, given.text)
    if given.jsonl is not None:
        if any(part is not None for part in single):
            raise ValueError("give either --jsonl, or --fen, --move and --text")
        return _check_stream(given.jsonl, _reader(given))
    if None in single:
        raise ValueError("give --fen, --move and --text, or --jsonl FILE")
    checked = _check(*single, client=_reader(given), language=given.language)
    rows = [f"{c.verdict:13} {c.kind:10} {c.text!r}: {c.evidence}" for c in checked]
    if given.json:
        content = {
            "claims": [_claim_object(each, "anchor", "cause") for each in checked]
        }
        causes = Counter(sorted(each.cause for each in checked if each.cause))
        verdicts = {
            v: sum(each.verdict == v for each in checked) for v in get_args(Truth)
        }
        rows = [_dumps(content | {"summary": verdicts | dict(causes)}, indent=2)]
    print(*(rows or ["no checkable claim"]), sep="\n")
    return 0


def _reader(given: argparse.Namespace) -> Client | None:
    """Return the client that is asked for a text's claims; none where rules read it."""
    return chessgloss.live_client() if given.reader == "model" else None


def _check_stream(path: Path, client: Client | None) -> int:
    """Print an object for each line of a file; return 2 if one of them could not be read."""
    from chessgloss.commentary.annotate import fault

    status = 0
    if str(path) == "-" and sys.stdin is None:
        raise ValueError("standard input is closed")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="replace")
    with (
        sys.stdin
        if str(path) == "-"
        else path.open(encoding="utf-8-sig", errors="replace") as lines
    ):
        for number, line in (
            (n, each) for n, each in enumerate(lines, start=1) if each.strip()
        ):
            try:
                content = _check_line(line, f"line {number}: ", client)
            except Exception as error:  # whatever it is, it costs this line alone
                content = {"line": number, "error": fault(error)}
                status = 2
            print(_dumps(content), flush=True)
    return status


def _check_line(line: str, where: str, client: Client | None) -> dict[str, Any]:
    if "\N{REPLACEMENT CHARACTER}" in line:
        raise ValueError("not UTF-8: save the file in that encoding")
    try:
        entry = json.loads(line)
        single = [str(entry[key]) for key in ("fen", "move", "text")]
    except (json.JSONDecodeError, KeyError, TypeError, RecursionError):
        raise ValueError('expected an object with "fen", "move" and "text"') from None
    checked = _check(*single, where=where, client=client)
    claims = [_claim_object(each, "anchor", "cause") for each in checked]
    return {key: entry[key] for key in ("id",) if key in entry} | {"claims": claims}


def _check(
    fen: str,
    move: str,
    text: str,
    *,
    where: str = "",
    client: Client | None = None,
    language: str = "en",
) -> tuple[Checked, ...]:
    if len(text) > LONGEST_TEXT:
        given = f"{len(text):,} characters"
        raise ValueError(
            f"the text has {given}; up to {LONGEST_TEXT:,} are read: cut it"
        )
    read = chessgloss.read_move(
        fen, move, language=language, say=lambda line: _say(f"{where}{line}")
    )
    return chessgloss.check(text, read, client=client)


def _claim_object(checked: Checked, *more: str) -> dict[str, Any]:
    """Return a checked claim as other programs read it, with more of its fields if named."""
    names = ("text", "span", "kind", "verdict", "evidence", *more)
    claim = {name: getattr(checked, name) for name in names}
    return claim | {"read": str(checked.claim)}


# ---------------------------------------------------------------- the human study


def _survey_collect(given: argparse.Namespace) -> int:
    from chessgloss.commentary.arms import PURPOSE
    from chessgloss.commentary.asking import briefings_file, read_briefings
    from chessgloss.commentary.methods import gather_comments
    from chessgloss.commentary.moves import evaluated_moves
    from chessgloss.llm.client import DEFAULT_MODEL, replay
    from chessgloss.store import write_file
    from chessgloss.survey.study import complete_moves, study_of

    _check_targets(given.output)
    methods = [name.strip() for name in given.methods.split(",") if name.strip()]
    moves = evaluated_moves()
    client = replay(PURPOSE, given.model or DEFAULT_MODEL)
    comments = gather_comments(methods, moves, read_briefings(briefings_file()), client)
    by_name = {evaluated.name: evaluated.move for evaluated in moves}
    complete = complete_moves(comments, methods)
    if len(complete) < given.moves:
        _say(f"only {len(complete)} moves have a comment of every method")
    chosen = {name: by_name[name] for name in complete[: given.moves]}
    study = study_of(comments, chosen, methods, baseline=given.baseline)
    write_file(given.output, study.model_dump_json(indent=1) + "\n")
    _say(f"{len(chosen)} moves x {len(methods)} methods in {given.output}")
    return 0


def _survey_build(given: argparse.Namespace) -> int:
    from chessgloss.store import write_file
    from chessgloss.survey.study import (
        Key,
        Settings,
        read_key,
        read_study,
        write_form,
        write_key,
    )

    settings = Settings(
        given.organiser, given.block, given.break_minutes, given.pilot_moves
    )
    path = given.key or given.output.with_suffix(".key.json")
    if given.output.suffix != ".html":
        raise ValueError(f"{given.output}: the page needs a name that ends in .html")
    _check_targets(given.output, path, source=given.study)
    study = read_study(given.study)
    key = read_key(path) if path.exists() else Key.new(study)
    if key.study != study:
        remedy = "remove it or name another with --key"
        raise ValueError(f"{path} is the key of another study; {remedy}")
    write_file(path, write_key(key), mode=0o600)
    write_file(given.output, write_form(key, settings))
    for move in study.moves:
        if len(set(move.comments.values())) < len(move.comments):
            _say(f"{move.name}: two methods wrote the same comment")
    count = len(study.moves) * len(study.methods)
    _say(
        f"{given.output}: {len(study.moves)} moves, {count} comments; give it to raters"
    )
    _say(f"{path}: tells which method wrote what; keep it from raters")
    return 0


def _survey_read(given: argparse.Namespace) -> int:
    from chessgloss.survey.reading import RatingsError, as_printed, read_ratings
    from chessgloss.survey.study import read_key

    key = read_key(given.key)
    try:
        ratings = read_ratings(given.ratings, key)
    except RatingsError as error:
        for line in (
            *error.problems,
            f"{len(error.problems)} faults; nothing was computed",
        ):
            _say(str(line))
        return 2
    tables = _survey_tables(ratings, key.study.words(), key.study.baseline, given)
    for name, frame in tables.items():
        shown = as_printed(frame) if "star" in frame else frame.map("{:.2f}".format)
        print(f"{name} ({ratings.label})", visible(shown.to_string()), "", sep="\n")
    print(*map(visible, ratings.notes), "", sep="\n")
    about = f"raters: {len(ratings.raters)}, moves: {len(ratings.moves)}; * p < 0.001 against "
    test = "signs of the moves' mean differences flipped, uncorrected"
    print(f"{about}{key.study.baseline}, {test}")
    return 0


def _survey_tables(
    ratings: Ratings, words: pd.DataFrame, baseline: str, given: argparse.Namespace
) -> dict[str, pd.DataFrame]:
    from chessgloss.survey import reading

    seed = given.seed
    frames = {"Table 1": reading.table1(ratings, words, baseline, seed=seed)}
    frames["Table 2, of all comments"] = reading.table2(ratings, seed=seed)
    if (ratings.frame["correctness"] < 3).any():
        incorrect = reading.table2(ratings, of="incorrect", seed=seed)
        frames["Table 2, of those not fully correct"] = incorrect
    if len(ratings.raters) > 1:
        frames["Table 3"] = reading.table3(ratings, seed=seed)
    else:
        _say("Table 3 needs two raters")
    if given.scores:
        scores = reading.read_scores(given.scores, ratings)
        frames["Table 4"] = reading.table4(ratings, scores, seed=seed)
    return frames


# ---------------------------------------------------------------- the commands


def _option(*flags: str, **how: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the flags of an option, or the name of a file, and the keywords of argparse."""
    return flags, how


def _from(least: float) -> Callable[[str], float]:
    """Return a parser of numbers that are at least so large, of the same type."""

    def read(text: str) -> float:
        with suppress(ValueError):
            if least <= (number := type(least)(text)) < inf:
                return number
        kind = "whole number" if isinstance(least, int) else "number"
        raise argparse.ArgumentTypeError(f"no {kind} from {least:g} up: {text!r}")

    return read


_LANGUAGE = _option(
    "--language",
    default="en",
    metavar="CODE",
    help="whose letters the pieces have: de, fr, es, ru ... (default en)",
)
_MOVE = (
    _option("--fen", required=True, help="the position before the move"),
    _option("--move", required=True, help="SAN (30... Bd2+ or Bd2+) or UCI"),
    _LANGUAGE,
)
_WRITING = (
    _option(
        "--method",
        help=f"{DEFAULT_METHOD} (the default without a model) asks none; {MODEL_METHOD} has "
        "a model explain and checks it (the default where OPENAI_BASE_URL names a model); ccc asks "
        "as the CCC paper does; or another arm of the experiment: bare, verdict ...",
    ),
    _option(
        "--nodes",
        type=_from(1),
        help="of each position (default: until the verdict is stable)",
    ),
    _option(
        "--timeout",
        type=_from(0.1),
        default=300,
        metavar="SECONDS",
        help="to wait for a model's answer, twice at most (default 300)",
    ),
    _option(
        "--no-concepts", action="store_true", help="leave the network's concepts out"
    ),
)
_MODEL = _option("name", nargs="?", help="default: the model of the book")

_GROUPS = {
    "model": "the language model of the book",
    "survey": "the human study: form, ratings",
}

#: Each command by its words: what runs it, what it is for, its options.
COMMANDS: dict[str, tuple[Callable[[argparse.Namespace], int], str, tuple]] = {
    "doctor": (_doctor, "what is installed, and what to run for the rest", ()),
    "comment": (
        _comment,
        "comment on one move",
        (
            *_MOVE,
            *_WRITING,
            _option(
                "--json", action="store_true", help="print all that stands behind it"
            ),
        ),
    ),
    "annotate": (
        _annotate,
        "comment on the moments of a game that matter",
        (
            _option("pgn", type=Path, help="file with one or more games"),
            _option(
                "-o", "--output", type=Path, help="annotated PGN (default: print it)"
            ),
            _option("--html", type=Path, help="page that plays the game"),
            _option(
                "--minutes",
                type=_from(0.0),
                default=10,
                help="minutes for a game's comments, the "
                "weightiest first; notes after them (default 10)",
            ),
            _option(
                "--processes",
                type=_from(1),
                help="engines at once, and games (default: one a core)",
            ),
            _option(
                "--language",
                metavar="CODE",
                help="whose letters the pieces have: de, fr, es, ru ... (default: recognised)",
            ),
            *_WRITING,
        ),
    ),
    "ask": (_ask, "ask about a move, question by question", (*_MOVE, *_WRITING)),
    "claims": (
        _claims,
        "check what a text says of a move",
        (
            _option("--fen", help="the position before the move"),
            _option("--move", help="the move, in SAN (also with its number) or UCI"),
            _LANGUAGE,
            _option("--text", help="the text to check"),
            _option(
                "--reader",
                choices=("rules", "model"),
                default="rules",
                help="who reads the text: rules (the default), or the model that OPENAI_BASE_URL "
                "names",
            ),
            _option(
                "--jsonl",
                type=Path,
                metavar="FILE",
                help=(
                    'check many: {"fen", "move", "text"} a line, "-" for standard input; prints one '  # noqa: E501
                    'object a line, {"line", "error"} for one that cannot be read (exit status 2)'
                ),
            ),
            _option("--json", action="store_true", help="print JSON"),
        ),
    ),
    "model fetch": (_fetch, "get a model's file, check it, print its path", (_MODEL,)),
    "model serve": (
        _serve,
        "serve a model on 127.0.0.1 until Ctrl-C",
        (
            _MODEL,
            _option(
                "--port", type=_from(0), default=0, help="default: any that is free"
            ),
            _option(
                "--threads",
                type=_from(1),
                default=2,
                help="idle cores to use (default 2)",
            ),
            _option(
                "--context", type=_from(1), default=4096, help="tokens (default 4096)"
            ),
        ),
    ),
    "survey collect": (
        _survey_collect,
        "gather the book's comments into a study file",
        (
            _option(
                "-o", "--output", type=Path, required=True, help="study file, .json"
            ),
            _option(
                "--methods",
                default=SURVEY_METHODS,
                help=f"by commas ({SURVEY_METHODS})",
            ),
            _option(
                "--moves",
                type=_from(1),
                default=SURVEY_MOVES,
                help=f"how many ({SURVEY_MOVES})",
            ),
            _option("--baseline", default="ccc", help="compared with the others (ccc)"),
            _option("--model", help="whose recorded answers (default: the book's)"),
        ),
    ),
    "survey build": (
        _survey_build,
        "write the form, one HTML page, and its key",
        (
            _option("study", type=Path, help="moves and comments, .json"),
            _option("-o", "--output", type=Path, required=True, help="the page, .html"),
            _option(
                "--key",
                type=Path,
                help="key file (default: beside the page, .key.json)",
            ),
            _option(
                "--organiser", default="", help="who runs it, and how to reach them"
            ),
            _option(
                "--block",
                type=_from(1),
                default=50,
                help="comments between breaks (50)",
            ),
            _option(
                "--break-minutes", type=_from(0.0), default=10, help="least rest (10)"
            ),
            _option(
                "--pilot-moves",
                type=_from(1),
                default=4,
                help="moves of a pilot run (4)",
            ),
        ),
    ),
    "survey read": (
        _survey_read,
        "check files of ratings and make Tables 1 to 4",
        (
            _option(
                "ratings", type=Path, nargs="+", help="files that raters sent back"
            ),
            _option("--key", type=Path, required=True, help="key file of the form"),
            _option("--scores", type=Path, help="automatic scores, .csv, for Table 4"),
            _option(
                "--seed", type=_from(0), default=1, help="of intervals and tests (1)"
            ),
        ),
    ),
}
