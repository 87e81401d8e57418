"""The commands that speak of moves: ``chessgloss comment``, ``annotate`` and ``ask``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chessgloss.commentary.annotate import AnnotatedGame, Commentator
    from chessgloss.commentary.briefing import Briefing, Comment
    from chessgloss.commentary.dialogue import Reply
    from chessgloss.engine import Engine
    from chessgloss.llm import Client
    from chessgloss.positions import MoveInContext
    from chessgloss.priorities import ConceptChange

#: Nodes searched in each position, and lines compared before a move.
NODES, LINES = 100_000, 5

#: Written from facts alone; the method where no model is set.
TEMPLATE = "template"
#: The method where ``OPENAI_BASE_URL`` names a model's address.
WITH_MODEL = "ccc"

_ENDS = frozenset({"q", "quit", "exit", "bye"})


def add_comment(commands: Any) -> None:
    """Add ``comment`` to an :mod:`argparse` object of subcommands."""
    parser = commands.add_parser("comment", help="comment on one move")
    _add_move(parser)
    parser.add_argument("--json", action="store_true", help="print all that stands behind it")
    parser.set_defaults(run=_comment)


def add_annotate(commands: Any) -> None:
    """Add ``annotate`` to an :mod:`argparse` object of subcommands."""
    parser = commands.add_parser("annotate", help="comment on the moments of a game that matter")
    parser.add_argument("pgn", type=Path, help="file with one or more games")
    parser.add_argument("-o", "--output", type=Path, help="annotated PGN (default: print it)")
    parser.add_argument("--html", type=Path, help="page that plays the game")
    parser.add_argument("--processes", type=int, default=2, help="engines at once (default 2)")
    _add_method(parser)
    parser.set_defaults(run=_annotate)


def add_ask(commands: Any) -> None:
    """Add ``ask`` to an :mod:`argparse` object of subcommands."""
    parser = commands.add_parser("ask", help="ask about a move, question by question")
    _add_move(parser)
    parser.set_defaults(run=_ask)


def add_words(commands: Any) -> None:
    """Add all three commands."""
    add_comment(commands)
    add_annotate(commands)
    add_ask(commands)


def _add_move(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fen", required=True, help="the position before the move")
    parser.add_argument("--move", required=True, help="SAN (30... Bd2+ or Bd2+) or UCI")
    _add_method(parser)


def _add_method(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--method",
        help=f"{TEMPLATE}, llm, llm_expert or ccc (default: {WITH_MODEL} where OPENAI_BASE_URL "
        f"names a model, else {TEMPLATE})",
    )
    parser.add_argument("--nodes", type=int, default=NODES, help=f"a position (default {NODES:,})")
    parser.add_argument(
        "--no-concepts", action="store_true", help="leave the expert network's concepts out"
    )


# ---------------------------------------------------------------- comment


def _comment(given: argparse.Namespace) -> int:
    from chessgloss.engine import open_engine

    move, write = _move(given), _commentator(given)
    with open_engine() as engine:
        briefing = _briefing(move, engine, given)
    comment = write(briefing)
    print(_as_json(briefing, comment) if given.json else _as_text(briefing, comment))
    return 0


def _as_text(briefing: Briefing, comment: Comment) -> str:
    return f"{briefing.move.numbered_san}: {comment.text}\n({_used(comment, briefing)})"


def _used(comment: Comment, briefing: Briefing) -> str:
    said = f"{comment.method}, {comment.model or 'no model'}"
    return f"{said}; {briefing.before.engine}, {briefing.before.nodes:,} nodes"


def _as_json(briefing: Briefing, comment: Comment) -> str:
    """Return the object that other programs read; the design names its keys."""
    from chessgloss.claims.verify import verify

    verdict = briefing.verdict
    facts = briefing.facts().facts
    checked = verify(comment.text, briefing.move, verdict)
    told = {
        "comment": comment.text,
        "method": comment.method,
        "model": comment.model or None,
        "verdict": verdict.summary(),
        "concepts": [
            {"name": one.term, "change": round(one.change, 3)} for one in briefing.concepts
        ],
        "facts": [
            {
                "kind": fact.kind,
                "squares": list(fact.squares),
                "side": None if fact.side is None else "White" if fact.side else "Black",
                "text": fact.text,
                "when": fact.when,
                "value": fact.value,
            }
            for fact in facts
        ],
        "claims": [
            {
                "text": one.claim.text,
                "span": list(one.claim.span),
                "kind": one.claim.kind,
                "verdict": one.verdict,
                "evidence": one.evidence,
            }
            for one in checked
        ],
    }
    return json.dumps(told, ensure_ascii=False, indent=2)


# ---------------------------------------------------------------- annotate


def _annotate(given: argparse.Namespace) -> int:
    from chessgloss.commentary.annotate import Annotator, read_games, write_page, write_pgn
    from chessgloss.engine import analyse_many

    _check_targets(given)
    if given.nodes < 1 or given.processes < 1:
        raise ValueError("--nodes and --processes must be positive")
    games = read_games(given.pgn)
    annotator = Annotator(
        lambda positions: analyse_many(
            positions, nodes=given.nodes, multipv=3, processes=given.processes
        ),
        _commentator(given),
        _concepts(given),
    )
    done: list[AnnotatedGame] = [annotator.annotate(game) for game in games]
    _write(given.output, write_pgn(done))
    if given.html:
        _write(given.html, write_page(done))
    for number, game in enumerate(done, start=1):
        comments = sum(bool(note.text) for note in game.notes)
        _say(f"game {number}: {comments} comments on {len(game.notes)} plies ({game.sources})")
    return 0


def _check_targets(given: argparse.Namespace) -> None:
    """Refuse targets that cannot be written before anything is worked out."""
    source = given.pgn.resolve()
    targets = [path for path in (given.output, given.html) if path is not None]
    for path in targets:
        if not path.resolve().parent.is_dir():
            raise ValueError(f"there is no folder {path.parent} to write {path.name} into")
        if path.resolve() == source:
            raise ValueError(f"{path} is the game itself; give the annotated one another name")
    if len({path.resolve() for path in targets}) < len(targets):
        raise ValueError("the PGN and the page need different names")


def _write(path: Path | None, text: str) -> None:
    if path is None:
        print(text, end="")
        return
    aside = path.with_name(path.name + ".part")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


# ---------------------------------------------------------------- ask


def _ask(given: argparse.Namespace) -> int:
    from chessgloss.commentary.dialogue import Dialogue, model_writer
    from chessgloss.engine import open_engine

    move, write = _move(given), _commentator(given)
    client = _client(given)
    with open_engine() as engine:
        briefing = _briefing(move, engine, given)
        comment = write(briefing)
        print(_as_text(briefing, comment), flush=True)
        dialogue = Dialogue(
            move,
            comment.text,
            lambda position: engine.analyse(position, nodes=given.nodes, multipv=LINES),
            model_writer(client, _say) if client else None,
            client.model.name if client else None,
        )
        for question in _questions():
            print(_answer(dialogue.ask(question)), flush=True)
    return 0


def _questions() -> Iterator[str]:
    """Yield questions from the terminal or a pipe until it ends or somebody says ``quit``."""
    prompt = ""
    if sys.stdin.isatty():
        prompt = "? "
        print("Ask about moves, pieces, squares, threats, the best move; quit ends.", flush=True)
    while True:
        try:
            question = input(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            return
        if question.lower() in _ENDS:
            return
        if question:
            yield question


def _answer(reply: Reply) -> str:
    lines = ["", reply.text]
    if reply.model:
        lines += [f"  looked up: {ground.text}" for ground in reply.grounds]
        lines += [f"  not legal here: {move}" for move in reply.unsupported]
    return "\n".join([*lines, f"({reply.method}, {reply.model or 'no model'})"])


# ---------------------------------------------------------------- parts


def _move(given: argparse.Namespace) -> MoveInContext:
    from chessgloss.positions import read_fen, read_move

    if given.nodes < 1:
        raise ValueError(f"--nodes must be positive, got {given.nodes}")
    return read_move(read_fen(given.fen), given.move)


def _briefing(move: MoveInContext, engine: Engine, given: argparse.Namespace) -> Briefing:
    from chessgloss.commentary.briefing import Briefing

    before = engine.analyse(move.position, nodes=given.nodes, multipv=LINES)
    after = engine.analyse(move.after(), nodes=given.nodes, multipv=LINES)
    concepts = _concepts(given)
    return Briefing(move.numbered_san, move, before, after, concepts(move) if concepts else ())


def _concepts(
    given: argparse.Namespace,
) -> Callable[[MoveInContext], tuple[ConceptChange, ...]] | None:
    """Return what ranks a move's concepts; ``None``, said aloud, where the network is missing."""
    if given.no_concepts:
        return None
    from chessgloss.assets import AssetMissing
    from chessgloss.prioritise import load_method, prioritise

    try:
        load_method()
    except (AssetMissing, ValueError) as error:
        _say(f"no concepts: {error}")
        return None
    return lambda move: prioritise(move.position, move.uci).changes


def _commentator(given: argparse.Namespace) -> Commentator:
    from chessgloss.commentary.methods import ModelWriter, write_from_facts

    client = _client(given)
    if client is None:
        return write_from_facts
    return ModelWriter(client, _method(given), _say)


def _method(given: argparse.Namespace) -> str:
    from chessgloss.commentary.methods import METHODS

    chosen = given.method or (WITH_MODEL if os.environ.get("OPENAI_BASE_URL") else TEMPLATE)
    known = [TEMPLATE, *(name for name, one in METHODS.items() if not one.oracle)]
    if chosen not in known:
        raise ValueError(f"no method {chosen!r}; choose one of {', '.join(known)}")
    return chosen


def _client(given: argparse.Namespace) -> Client | None:
    """Return a client that asks live and keeps nothing; ``None`` for the template."""
    if _method(given) == TEMPLATE:
        return None
    from chessgloss.llm import Client, Mode, Recordings, endpoint_from_environment

    endpoint = endpoint_from_environment()
    return Client(Recordings.of(endpoint.model, "words"), endpoint, Mode.LIVE)


def _say(text: str) -> None:
    print(f"chessgloss: {' '.join(text.split())}", file=sys.stderr)
