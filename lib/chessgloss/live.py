"""The browser's door: checks, comments and annotated games, asked for and answered as JSON.

Nothing else in the library knows of a browser. The engine may run anywhere that lines of UCI can
be sent to: python-chess parses them as ever (:class:`MessageEngine`). The library's code does not
wait for messages, so a search that is not there yet ends the work (:class:`Unanswered`); it is
made, and the work begins again (:meth:`LiveBook.answer`). All but the searches is quick.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

import chess
import chess.engine

import chessgloss
from chessgloss.claims import Checked
from chessgloss.commentary import annotate
from chessgloss.commentary.briefing import Briefing, brief_move
from chessgloss.commentary.notes import write_notes
from chessgloss.corpora.pgn import PgnGame, read_pgn
from chessgloss.facts import Analyse, Fact, gather
from chessgloss.facts.verdict import LEAST_NODES, MOST_NODES
from chessgloss.notes import Note, notes
from chessgloss.notes.choice import choose
from chessgloss.notes.played import Played
from chessgloss.notes.purposes import purposes
from chessgloss.notes.situation import Situation
from chessgloss.positions import MoveInContext, Position, repair_fen
from chessgloss.scores import Analysis, Line, read_lines

#: Sends a line to an engine.
Send: TypeAlias = Callable[[str], object]
#: Starts an engine. It is given what takes the engine's lines and what is told that it is gone.
Connect: TypeAlias = Callable[[Send, Send], Awaitable[Send]]
#: An object of JSON.
Values: TypeAlias = dict[str, Any]

#: Seconds in which an engine has to greet back.
START_SECONDS = 30

#: Engine's lines that are shown, and plies of each.
SHOWN_LINES, SHOWN_PLIES = 3, 6

_INFO: Final = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE | chess.engine.INFO_PV
_OPTIONS: Final = {"Threads": 1, "Hash": 16}
_Done = TypeVar("_Done")


class Stopped(RuntimeError):
    """The reader wants no more of it; what was searched is kept."""


# ---------------------------------------------------------------- searches


@dataclass(frozen=True, slots=True)
class Search:
    """A position that an engine is to search.

    Parameters
    ----------
    position
        The position, with its history.
    nodes
        Nodes to search.
    lines
        Lines wanted (MultiPV).
    """

    position: Position
    nodes: int
    lines: int


class Unanswered(Exception):
    """Searches that are to be made before the work can go on."""

    def __init__(self, searches: Sequence[Search]) -> None:
        super().__init__(f"{len(searches)} searches are not made yet")
        self.searches = searches


class MessageEngine:
    """A UCI engine that is spoken to by lines, wherever it runs.

    Made within a running event loop.
    """

    def __init__(self) -> None:
        self._protocol = chess.engine.UciProtocol()
        self._wire: _Wire | None = None
        self._gone = ""

    @property
    def name(self) -> str:
        """Name and version that the engine gives itself."""
        return self._protocol.id.get("name", "an engine without a name")

    def receive(self, line: str) -> None:
        """Take a line of the engine's."""
        self._protocol.pipe_data_received(1, f"{line}\n".encode())

    def lose(self, reason: str) -> None:
        """Be told that the engine is gone: what waits for it fails."""
        if self._wire is not None and self._wire.returncode is None:
            self._gone = reason
            self._wire.returncode = 1
            self._protocol.connection_lost(None)

    async def start(self, send: Send) -> None:
        """Greet the engine, to which ``send`` sends a line: one thread, a small hash table."""
        self._wire = _Wire(send)
        self._protocol.connection_made(self._wire)
        try:
            await asyncio.wait_for(self._protocol.initialize(), START_SECONDS)
        except (TimeoutError, chess.engine.EngineTerminatedError) as error:
            reason = self._gone or f"the engine is silent for {START_SECONDS} seconds"
            raise chess.engine.EngineError(reason) from error
        known = self._protocol.options
        await self._protocol.configure(
            {name: value for name, value in _OPTIONS.items() if name in known}
        )

    async def analyse(self, search: Search) -> Analysis:
        """Search from an empty hash table; a finished game has no lines.

        Raises
        ------
        chess.engine.EngineError
            If the engine is lost, or answers nonsense.
        """
        board = search.position.board()
        if not any(board.legal_moves):
            return Analysis(search.position, (), 0, self.name)
        begun = asyncio.ensure_future(
            self._protocol.analysis(
                board,
                chess.engine.Limit(nodes=search.nodes),
                multipv=search.lines,
                game=object(),
                info=_INFO,
            )
        )
        # an engine that ends before the search has begun leaves python-chess waiting for ever
        first = asyncio.FIRST_COMPLETED
        waited: set[asyncio.Future[Any]] = {begun, self._protocol.returncode}
        await asyncio.wait(waited, return_when=first)
        if not begun.done():
            begun.cancel()
            raise chess.engine.EngineTerminatedError(self._gone)
        try:
            infos = [info async for info in begun.result()]
        except chess.engine.EngineTerminatedError as error:
            raise chess.engine.EngineTerminatedError(self._gone) from error
        searched = max((info.get("nodes", 0) for info in infos), default=0)
        return Analysis(search.position, read_lines(infos), searched, self.name)


class _Wire(asyncio.SubprocessTransport, asyncio.WriteTransport):
    """What python-chess takes for the standard input of a process."""

    def __init__(self, send: Send) -> None:
        super().__init__()
        self._send = send
        self.returncode: int | None = None

    def get_pipe_transport(self, fd: int) -> _Wire:
        return self

    def write(self, data: bytes | bytearray | memoryview) -> None:
        for line in bytes(data).decode().splitlines():
            self._send(line)

    def get_returncode(self) -> int | None:
        return self.returncode

    def get_pid(self) -> int:
        return 0

    def close(self) -> None:
        self._send("quit")


# ---------------------------------------------------------------- what a page may ask for


class LiveBook:
    """Answers a page: what is true of a text, what is to be said of a move or of a game.

    Parameters
    ----------
    connect
        Starts an engine where it is first needed, and again where it was lost.
    report
        Told, before each search, how many of those that are wanted now are made, and how many
        they are.
    """

    def __init__(
        self, connect: Connect, report: Callable[[int, int], object] = lambda *_: None
    ) -> None:
        self._connect = connect
        self._report = report
        self._engine: MessageEngine | None = None
        self._searching = asyncio.Lock()
        self._stopped = False
        self._known: dict[Search, Analysis] = {}
        self._briefings: dict[MoveInContext, Briefing] = {}

    async def answer(self, asked: str) -> str:
        """Return the answer to a question, ``{"task": name, ...}``; or ``{"error": why not}``."""
        given = json.loads(asked)
        task = given.pop("task")
        try:
            if task in _WAITING:
                done = await _WAITING[task](self, **given)
            else:
                done = _AT_ONCE[task](self, **given)
        except Exception as error:  # whatever it is, the page says it and goes on
            done = {"error": annotate.fault(error)}
        return json.dumps(done)

    def read_position(self, fen: str) -> Values:
        """Return a position and its legal moves; ``said`` tells how the FEN was mended."""
        repaired = repair_fen(fen)
        return describe_position(repaired.position) | {"said": list(repaired.repairs)}

    def read_move(self, fen: str, move: str) -> Values:
        """Return a move given in SAN or UCI; ``said`` tells how it was read."""
        said = list[str]()
        return describe_move(chessgloss.read_move(fen, move, say=said.append)) | {
            "said": said
        }

    def read_games(self, pgn: str) -> Values:
        """Return the games of a PGN text, each with its moves and what is wrong with it."""
        return {"games": [_describe_game(read) for read in read_pgn(pgn.encode())]}

    def check(self, move: Values, text: str) -> Values:
        """Return every claim of a text on a move, with the engine's verdict where it was asked."""
        context = _context(move)
        briefing = self._briefings.get(context)
        checked = chessgloss.check(text, context, briefing)
        return {
            "claims": [describe_claim(each) for each in checked],
            "engine": briefing.verdict.engine if briefing else "",
        }

    def look(self, move: Values) -> Values:
        """Return what the board alone says of a move, sentence by sentence with its facts."""
        return {"sentences": list(_board_sentences(_context(move)))}

    async def comment(self, move: Values, nodes: int | None = None) -> Values:
        """Return the notes' comment on a move, and the engine's verdict and lines.

        ``nodes`` are those of each search; without, as many as it takes until what is said of the
        move is stable.
        """
        context = _context(move)
        limits = (nodes, nodes) if nodes else (LEAST_NODES, MOST_NODES)
        briefing = await self._searched(
            lambda analyse: brief_move(context, analyse, limits)
        )
        self._briefings[context] = briefing
        return describe_comment(briefing)

    async def annotate(self, pgn: str, number: int = 1, nodes: int = 100_000) -> Values:
        """Return a game of a PGN text annotated, as PGN, as a page, and its comments."""
        read = list(read_pgn(pgn.encode()))[number - 1]
        if problem := read.problem or read.unplayed:
            raise ValueError(f"{annotate.name_game(read)}: {problem}")
        annotated = await self._searched(
            lambda analyse: annotate.Annotator(
                analyse, write_notes, nodes=(nodes, nodes)
            ).annotate(read.game)
        )
        moves = annotate.moves_of(read.game)
        comments = [
            {"move": move.numbered_san + annotate.SIGNS.get(note.nag or 0, "")}
            | {"ply": ply, "text": note.text}
            for ply, (move, note) in enumerate(
                zip(moves, annotated.notes, strict=False)
            )
            if note.text
        ]
        return {
            "comments": comments,
            "sources": annotated.sources,
            "pgn": annotate.write_pgn([annotated]),
            "page": annotate.write_page([annotated]),
        }

    def stop(self) -> Values:
        """End after the search that runs; what was searched is kept for the next time."""
        self._stopped = True
        return {}

    async def _searched(self, work: Callable[[Analyse], _Done]) -> _Done:
        """Return what some work comes to, begun again with each search that it lacked."""
        self._stopped = False
        while True:
            try:
                return work(self._analyse)
            except Unanswered as lacking:
                async with self._searching:
                    await self._search(lacking.searches)

    def _analyse(
        self, positions: Sequence[Position], nodes: int, lines: int
    ) -> list[Analysis]:
        asked = [Search(each, nodes, lines) for each in positions]
        lacking = [each for each in dict.fromkeys(asked) if each not in self._known]
        if lacking:
            raise Unanswered(lacking)
        return [self._known[each] for each in asked]

    async def _search(self, searches: Sequence[Search]) -> None:
        for done, each in enumerate(searches):
            if self._stopped:
                raise Stopped("Stopped; what was searched is kept.")
            self._report(done, len(searches))
            try:
                engine = self._engine or await self._start()
                self._known[each] = await engine.analyse(each)
            except chess.engine.EngineError:
                self._engine = None
                raise
        self._report(len(searches), len(searches))

    async def _start(self) -> MessageEngine:
        engine = MessageEngine()

        def lose(reason: str) -> None:
            engine.lose(reason)
            if self._engine is engine:
                self._engine = None

        await engine.start(await self._connect(engine.receive, lose))
        self._engine = engine
        return engine


_AT_ONCE: Final[dict[str, Callable[..., Values]]] = {
    "position": LiveBook.read_position,
    "move": LiveBook.read_move,
    "games": LiveBook.read_games,
    "check": LiveBook.check,
    "look": LiveBook.look,
    "stop": LiveBook.stop,
}
_WAITING: Final[dict[str, Callable[..., Awaitable[Values]]]] = {
    "comment": LiveBook.comment,
    "annotate": LiveBook.annotate,
}


# ---------------------------------------------------------------- plain values


def describe_position(position: Position) -> Values:
    """Return a position and its legal moves, each in SAN by its UCI."""
    board = position.board()
    moves = {move.uci(): board.san(move) for move in board.legal_moves}
    return {"fen": position.fen, "legal": moves}


def describe_move(move: MoveInContext) -> Values:
    """Return a move with its position, as :meth:`LiveBook.check` takes it, and its names."""
    position = move.position
    known = {"moves": position.moves, "root": position.root} if position.moves else {}
    return {
        "fen": position.fen,
        "uci": move.uci,
        "san": move.san,
        "name": move.numbered_san,
        "after": move.after().fen,
    } | known


def describe_claim(checked: Checked) -> Values:
    """Return a claim with its place in the text, its verdict, and the evidence."""
    claim = checked.claim
    return {
        "text": claim.text,
        "span": claim.span,
        "kind": claim.kind,
        "verdict": checked.verdict,
        "evidence": checked.evidence,
    }


def describe_comment(briefing: Briefing) -> Values:
    """Return a comment sentence by sentence, the engine's verdict, and its lines."""
    verdict = briefing.verdict
    board = briefing.move.position.board()
    after = briefing.move.after().board()
    chosen = choose(notes(briefing))
    return {
        "text": write_notes(briefing).text,
        "sentences": [_sentence(each) for each in chosen],
        "engine": verdict.engine,
        "nodes": verdict.nodes,
        "glyph": verdict.glyph,
        "judgement": verdict.judgement,
        "standing": verdict.standing,
        "stands": Situation(briefing).stands(),
        "before": [
            _describe_line(board, each) for each in briefing.before.lines[:SHOWN_LINES]
        ],
        "after": [_describe_line(after, each) for each in briefing.after.lines[:1]],
        "value": annotate.value_of(verdict.after, after),
    }


def _describe_line(board: chess.Board, line: Line) -> Values:
    moves = line.moves[:SHOWN_PLIES]
    return {
        "san": board.variation_san(map(chess.Move.from_uci, moves)),
        "uci": moves,
        "depth": line.depth,
    } | annotate.value_of(line.score, board)


def _describe_game(read: PgnGame) -> Values:
    moves = [describe_move(move) for move in annotate.moves_of(read.game)]
    return {
        "name": annotate.name_game(read),
        "problem": read.problem or read.unplayed,
        "said": list(read.repairs),
        "moves": moves,
    }


def _sentence(note: Note) -> Values:
    return {
        "text": note.sentence,
        "facts": [_fact_in_words(fact) for fact in note.facts],
    }


def _fact_in_words(fact: Fact) -> str:
    where = {"before": "before the move: ", "after": "after the move: "}
    source = "" if fact.provenance == "board" else f" ({fact.provenance})"
    return f"{where.get(fact.when, '')}{fact.text}{source}"


def _board_sentences(move: MoveInContext) -> Iterator[Values]:
    """Yield what a move does on the board, then the facts of the move itself."""
    facts = gather(move)
    of_move = facts.of(when="move")
    played = Played(move.position.board(), move.move)
    for purpose in purposes(played):
        there = [
            fact
            for fact in facts.facts
            if fact.when != "before" and purpose.about & {*fact.squares}
        ]
        near = [fact for fact in there if fact.when == "move"] or there
        yield {
            "text": f"{move.san} {purpose.clause}.",
            "facts": [_fact_in_words(fact) for fact in near],
        }
    if not purposes(played):
        for fact in of_move:
            yield {"text": f"{fact.text[:1].upper()}{fact.text[1:]}.", "facts": []}


def _context(move: Values) -> MoveInContext:
    """Read a move as :func:`describe_move` gives it."""
    history = {key: move[key] for key in ("moves", "root") if key in move}
    if "moves" in history:
        history["moves"] = tuple(history["moves"])
    return MoveInContext(Position(move["fen"], **history), move["uci"])
