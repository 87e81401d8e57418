"""The browser's door: checks, comments and annotated games, asked for and answered as JSON.

Nothing else in the library knows of a browser. An engine may run anywhere that lines can be sent
to: python-chess parses those of UCI as ever (:class:`MessageEngine`), :mod:`chessgloss.scores` the
terms of Stockfish 8 (:class:`MessageOracle`). The library's code does not
wait for messages, so a search that is not there yet ends the work (:class:`Unanswered`); it is
made, and the work begins again (:meth:`LiveBook.answer`). All but the searches is quick.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import chess
import chess.engine

import chessgloss
from chessgloss.claims import Checked
from chessgloss.claims.offers import offers
from chessgloss.claims.wording import plainly
from chessgloss.commentary import annotate, game_page, game_pgn
from chessgloss.commentary.briefing import PHRASES, Briefing, brief_move
from chessgloss.commentary.notes import write_notes
from chessgloss.corpora.pgn import PgnGame, read_pgn
from chessgloss.facts import Analyse, Fact, gather
from chessgloss.facts.change import concept_and_side
from chessgloss.facts.verdict import LEAST_NODES, MOST_NODES
from chessgloss.notes import notes
from chessgloss.notes.choice import choose
from chessgloss.notes.played import Played
from chessgloss.notes.purposes import purposes
from chessgloss.notes.situation import Situation
from chessgloss.positions import MoveInContext, Position, repair_fen
from chessgloss.scores import (
    STOCKFISH_8,
    TERMS,
    Analysis,
    Line,
    read_lines,
    read_terms,
)

#: Sends a line to an engine.
Send: TypeAlias = Callable[[str], object]
#: Starts an engine. It is given what takes the engine's lines and what is told that it is gone.
Connect: TypeAlias = Callable[[Send, Send], Awaitable[Send]]
#: An object of JSON.
Values: TypeAlias = dict[str, Any]

#: Seconds in which an engine has to greet back.
START_SECONDS = 30

#: Facts that are shown of one of the program's own sentences.
SHOWN_FACTS = 3

#: Engine's lines that are shown, and plies of each.
SHOWN_LINES, SHOWN_PLIES = 3, 6

_INFO: Final = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE | chess.engine.INFO_PV
_OPTIONS: Final = {"Threads": 1, "Hash": 16}
_Done = TypeVar("_Done")


# ---------------------------------------------------------------- programs spoken to by lines


class Search(NamedTuple):
    """A position, with its history, that an engine is to search: with so many nodes and lines."""

    position: Position
    nodes: int
    lines: int


class Unanswered(Exception):
    """Searches that are to be made before the work can go on."""

    def __init__(self, searches: Sequence[Search]) -> None:
        super().__init__(f"{len(searches)} searches are not made yet")
        self.searches = searches


class _Program:
    """A program that is spoken to by lines, wherever it runs. Made within a running event loop."""

    def __init__(self) -> None:
        self._lost = asyncio.get_running_loop().create_future()
        self._send: Send = lambda line: None

    @property
    def lost(self) -> bool:
        """Whether the program is gone."""
        return self._lost.done()

    def lose(self, reason: str) -> None:
        """Be told that the program is gone: what waits for it fails."""
        if not self.lost:
            self._lost.set_result(reason)

    def receive(self, line: str) -> None:
        """Take a line of the program's."""
        raise NotImplementedError

    async def start(self, connect: Connect) -> None:
        """Have the program started."""
        self._send = await connect(self.receive, self.lose)

    async def _unless_lost(
        self, work: Coroutine[Any, Any, _Done], seconds: float | None = None
    ) -> _Done:
        """Return what work with the program comes to; one that is silent too long is lost.

        python-chess alone would wait for ever where an engine ends before a search has begun.

        Raises
        ------
        chess.engine.EngineTerminatedError
            If the program is lost.
        """
        working = asyncio.ensure_future(work)
        waited: set[asyncio.Future[Any]] = {working, self._lost}
        first = asyncio.FIRST_COMPLETED
        await asyncio.wait(waited, timeout=seconds, return_when=first)
        if working.done():
            return working.result()
        working.cancel()
        self.lose(f"the engine is silent for {seconds} seconds")
        raise chess.engine.EngineTerminatedError(self._lost.result())


class MessageEngine(_Program):
    """A UCI engine, whose lines python-chess reads as ever."""

    def __init__(self) -> None:
        super().__init__()
        self._protocol = chess.engine.UciProtocol()

    @property
    def name(self) -> str:
        """Name and version that the engine gives itself."""
        return self._protocol.id.get("name", "an engine without a name")

    def receive(self, line: str) -> None:
        """Take a line of the engine's."""
        self._protocol.pipe_data_received(1, f"{line}\n".encode())

    async def start(self, connect: Connect) -> None:
        """Have the engine started, and greet it: one thread, a small hash table."""
        await super().start(connect)
        self._protocol.connection_made(_Wire(self._send))
        await self._unless_lost(self._protocol.initialize(), START_SECONDS)
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
        infos = await self._unless_lost(self._infos(board, search))
        searched = max((info.get("nodes", 0) for info in infos), default=0)
        return Analysis(search.position, read_lines(infos), searched, self.name)

    async def _infos(
        self, board: chess.Board, search: Search
    ) -> list[chess.engine.InfoDict]:
        begun = await self._protocol.analysis(
            board,
            chess.engine.Limit(nodes=search.nodes),
            multipv=search.lines,
            game=object(),
            info=_INFO,
        )
        return [info async for info in begun]


class _Wire(asyncio.SubprocessTransport, asyncio.WriteTransport):
    """What python-chess takes for the standard input of a process."""

    def __init__(self, send: Send) -> None:
        super().__init__()
        self._send = send

    def get_pipe_transport(self, fd: int) -> _Wire:
        return self

    def write(self, data: bytes | bytearray | memoryview) -> None:
        for line in bytes(data).decode().splitlines():
            self._send(line)

    def get_pid(self) -> int:
        return 0


class MessageOracle(_Program):
    """Stockfish 8, of which the terms of positions are asked (:mod:`chessgloss.oracle`)."""

    def __init__(self) -> None:
        super().__init__()
        self._lines = asyncio.Queue[str]()

    def receive(self, line: str) -> None:
        """Take a line of the oracle's."""
        self._lines.put_nowait(line)

    async def terms(self, position: Position) -> dict[str, float]:
        """Return the terms of a position as printed; none if it is judged by a rule of its own.

        Raises
        ------
        chess.engine.EngineError
            If the oracle is lost.
        """
        self._send(f"position fen {position.fen}")
        self._send("eval")
        table = await self._unless_lost(self._table(), START_SECONDS)
        return read_terms(table, STOCKFISH_8)

    async def _table(self) -> str:
        closing = STOCKFISH_8.closing.decode()
        table = ""
        while closing not in table:
            table += await self._lines.get() + "\n"
        return table


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
    connect_oracle
        Starts Stockfish 8 likewise.
    """

    def __init__(
        self,
        connect: Connect,
        report: Callable[[int, int], object] = lambda *_: None,
        connect_oracle: Connect | None = None,
    ) -> None:
        self._connect = connect
        self._report = report
        self._connect_oracle = connect_oracle or connect
        self._engine: MessageEngine | None = None
        self._oracle: MessageOracle | None = None
        self._searching = asyncio.Lock()
        self._reading = asyncio.Lock()
        self._stopped = False
        self._known: dict[Search, Analysis] = {}
        self._briefings: dict[MoveInContext, Briefing] = {}

    async def answer(self, asked: str) -> str:
        """Return the answer to a question, ``{"task": name, ...}``; or ``{"error": why not}``."""
        given = json.loads(asked)
        task = given.pop("task")
        try:
            done = _TASKS[task](self, **given)
            if not isinstance(done, dict):
                done = await done
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
        """Return the games of a PGN text, each with its moves and its problem."""
        return {"games": [_describe_game(read) for read in read_pgn(pgn.encode())]}

    def check(self, move: Values, text: str) -> Values:
        """Return every claim of a text on a move, with the engine's verdict where it was asked.

        A clause that was not read has ``offers``: sentences that can be decided in its place.
        """
        context = _context(move)
        claims = []
        for each in check(text, self._briefings.get(context) or context):
            said = offers(text, each.span, context) if each.kind == "unread" else ()
            claims.append(describe_claim(each) | {"offers": said})
        return {"claims": claims}

    def look(self, move: Values) -> Values:
        """Return the facts of a move from the board alone, sentence by sentence."""
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

    async def concepts(self, move: Values) -> Values:
        """Return Stockfish 8's terms before and after a move, the most changed first."""
        context = _context(move)
        async with self._reading:
            if self._oracle is None or self._oracle.lost:
                oracle = MessageOracle()
                await oracle.start(self._connect_oracle)
                self._oracle = oracle
            before = await self._oracle.terms(context.position)
            after = await self._oracle.terms(context.after())
        if not (before and after):
            raise ValueError(
                "Stockfish 8 judges this ending by a rule of its own, without its terms"
            )
        terms = [describe_term(term, before[term], after[term]) for term in TERMS]
        terms.sort(key=lambda each: -abs(each["after"] - each["before"]))
        return {"terms": terms}

    async def annotate(self, pgn: str, number: int = 1, nodes: int = 100_000) -> Values:
        """Return a game of a PGN text annotated, as PGN, as a page, and its comments."""
        read = list(read_pgn(pgn.encode()))[number - 1]
        if problem := read.problem or read.unplayed:
            raise ValueError(f"{game_pgn.name_game(read)}: {problem}")
        annotated = await self._searched(
            lambda analyse: annotate.Annotator(
                analyse, write_notes, nodes=(nodes, nodes)
            ).annotate(read.game)
        )
        noted = zip(annotate.moves_of(read.game), annotated.notes, strict=False)
        comments = [
            {
                "move": move.numbered_san + annotate.SIGNS.get(note.nag or 0, ""),
                "ply": ply,
                "text": note.text,
            }
            for ply, (move, note) in enumerate(noted)
            if note.text
        ]
        return {
            "comments": comments,
            "sources": annotated.sources,
            "pgn": game_pgn.write_pgn([annotated]),
            "page": game_page.write_page([annotated]),
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
        """Make searches, by an engine that is started where none runs."""
        for done, each in enumerate(searches):
            if self._stopped:
                raise RuntimeError("Stopped; what was searched is kept.")
            self._report(done, len(searches))
            if self._engine is None or self._engine.lost:
                engine = MessageEngine()
                await engine.start(self._connect)
                self._engine = engine
            try:
                self._known[each] = await self._engine.analyse(each)
            except chess.engine.EngineError:
                self._engine = None
                raise
        self._report(len(searches), len(searches))


_TASKS: Final[dict[str, Callable[..., Values | Awaitable[Values]]]] = {
    "position": LiveBook.read_position,
    "move": LiveBook.read_move,
    "games": LiveBook.read_games,
    "check": LiveBook.check,
    "look": LiveBook.look,
    "comment": LiveBook.comment,
    "concepts": LiveBook.concepts,
    "annotate": LiveBook.annotate,
    "stop": LiveBook.stop,
}


# ---------------------------------------------------------------- checking


def check(text: str, about: MoveInContext | Briefing) -> list[Checked]:
    """Return every claim of a text on a move with its verdict.

    A sentence that the program itself would write of the move is made from facts and holds with
    them, whether its own reader of texts reads it or not. That takes a briefing.
    """
    checked = list(chessgloss.check(text, about))
    if isinstance(about, Briefing) and any(each.kind == "unread" for each in checked):
        own = [(note.sentence, note.facts) for note in notes(about)]
        return [_held_with_facts(each, text, own) for each in checked]
    return checked


def _held_with_facts(
    checked: Checked, text: str, own: Sequence[tuple[str, Sequence[Fact]]]
) -> Checked:
    """Return a claim; if it is unread and within one of the program's own sentences, as true."""
    start, stop = checked.span
    for sentence, facts in own:
        place = text.find(sentence)
        within = place <= start and stop <= place + len(sentence)
        if checked.kind == "unread" and place >= 0 and within:
            known = "; ".join(map(_fact_in_words, facts[:SHOWN_FACTS]))
            said = f"the program's own sentence: {known}"
            return replace(checked, verdict="true", evidence=said)
    return checked


# ---------------------------------------------------------------- plain values


def describe_position(position: Position) -> Values:
    """Return a position and its legal moves, each in SAN by its UCI."""
    board = position.board()
    moves = {move.uci(): board.san(move) for move in board.legal_moves}
    return {"fen": position.fen, "legal": moves}


def describe_move(move: MoveInContext) -> Values:
    """Return a move with its position, as :meth:`LiveBook.check` takes it, and its names."""
    position = move.position
    return {
        "fen": position.fen,
        "moves": position.moves,
        "root": position.root,
        "uci": move.uci,
        "san": move.san,
        "name": move.numbered_san,
        "after": move.after().fen,
    }


def describe_term(term: str, before: float, after: float) -> Values:
    """Return a concept with its name for people, in pawns as White sees them."""
    concept, side = concept_and_side(term)
    name = PHRASES["concepts"][concept]["name"]
    sign = -1 if side == "Black" else 1
    return {
        "key": term,
        "name": name.capitalize() if side == "both" else f"{side}'s {name}",
        "before": round(sign * before, 2) + 0.0,  # no -0
        "after": round(sign * after, 2) + 0.0,
    }


def describe_claim(checked: Checked) -> Values:
    """Return a claim with its place in the text, its verdict, and the evidence in plain words."""
    return {
        "text": checked.text,
        "span": checked.span,
        "kind": checked.kind,
        "verdict": checked.verdict,
        "evidence": plainly(checked.evidence),
    }


def describe_comment(briefing: Briefing) -> Values:
    """Return a comment sentence by sentence, the engine's verdict, and its lines."""
    verdict = briefing.verdict
    board = briefing.move.position.board()
    after = briefing.move.after().board()
    return {
        "sentences": [
            {
                "text": note.sentence,
                "facts": [_fact_in_words(each) for each in note.facts],
            }
            for note in choose(notes(briefing))
        ],
        "engine": verdict.engine,
        "nodes": verdict.nodes,
        "glyph": verdict.glyph,
        "judgement": verdict.judgement,
        "stands": Situation(briefing).stands(),
        "before": [
            _describe_line(board, each) for each in briefing.before.lines[:SHOWN_LINES]
        ],
        "after": [_describe_line(after, each) for each in briefing.after.lines[:1]],
        "value": game_page.value_of(verdict.after, after),
    }


def _describe_line(board: chess.Board, line: Line) -> Values:
    moves = line.moves[:SHOWN_PLIES]
    return {
        "san": board.variation_san(map(chess.Move.from_uci, moves)),
        "uci": moves,
    } | game_page.value_of(line.score, board)


def _describe_game(read: PgnGame) -> Values:
    moves = [describe_move(move) for move in annotate.moves_of(read.game)]
    return {
        "name": game_pgn.name_game(read),
        "problem": read.problem or read.unplayed,
        "said": list(read.repairs),
        "moves": moves,
    }


def _fact_in_words(fact: Fact) -> str:
    where = {"before": "before the move: ", "after": "after the move: "}
    source = "" if fact.provenance == "board" else f" ({fact.provenance})"
    return f"{where.get(fact.when, '')}{fact.text}{source}"


def _board_sentences(move: MoveInContext) -> Iterator[Values]:
    """Yield the effects of a move on the board, then the facts of the move itself."""
    facts = gather(move)
    found = purposes(Played(move.position.board(), move.move))
    for purpose in found:
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
    if not found:
        for fact in facts.of(when="move"):
            yield {"text": f"{fact.text[:1].upper()}{fact.text[1:]}.", "facts": []}


def _context(move: Values) -> MoveInContext:
    """Read a move as :func:`describe_move` gives it."""
    moves = tuple(move.get("moves", ()))
    root = move.get("root", chess.STARTING_FEN)
    return MoveInContext(Position(move["fen"], moves, root), move["uci"])
