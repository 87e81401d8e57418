"""The browser's door without a browser: its answers, and a real engine spoken to by messages."""

import asyncio
import json
from contextlib import asynccontextmanager

import chess
import chess.engine
import chess.pgn
import pytest

import chessgloss
from chessgloss.claims.wording import plainly
from chessgloss.commentary import annotate, game_pgn
from chessgloss.commentary.notes import write_notes
from chessgloss.corpora.pgn import read_pgn
from chessgloss.engine import find_stockfish, open_engine
from chessgloss.live import (
    LiveBook,
    MessageEngine,
    Search,
    describe_move,
    describe_term,
)
from chessgloss.oracle import evaluate_terms, find_stockfish8, stockfish8
from chessgloss.positions import read_fen
from chessgloss.scores import TERMS
from scripts import DATA, FIGURE_A5, FIGURE_A6, or_skip, run_apart

NODES = 20_000
GAME = "1. e4 e5 2. Qh5 Nf6 3. Qxe5+ Be7 4. Bc4 O-O 5. Qxe7 *"
START = chess.STARTING_FEN


class Process:
    """A program whose lines come and go as messages do: Stockfish unless another is named."""

    def __init__(self, *command: str) -> None:
        self.command = command or (str(or_skip(find_stockfish)),)
        self.started = 0
        self.process = None

    async def connect(self, receive, lose):
        self.started += 1
        process = await asyncio.create_subprocess_exec(
            *self.command, stdin=-1, stdout=-1
        )
        self.process = process

        async def listen() -> None:
            while line := await process.stdout.readline():
                receive(line.decode().rstrip())
            lose("the process has ended")

        self.listening = asyncio.ensure_future(listen())
        return lambda line: process.stdin.write(f"{line}\n".encode())

    async def end(self) -> None:
        if self.process and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()
            await self.listening


async def ask(book: LiveBook, task: str, **given):
    return json.loads(await book.answer(json.dumps({"task": task, **given})))


@asynccontextmanager
async def running(report=lambda done, total: None):
    process = Process()
    try:
        yield LiveBook(process.connect, report), process
    finally:
        await process.end()


async def no_engine(receive, lose):
    raise RuntimeError("no engine is to be started")


def without_engine(task: str, **given):
    async def once():
        return await ask(LiveBook(no_engine), task, **given)

    return run_apart(once())


def test_a_position_brings_its_moves_and_says_what_was_mended():
    placement = START.split()[0]
    answer = without_engine("position", fen=placement)
    assert answer["fen"] == f"{placement} w - - 0 1"
    assert "side to move missing, set to 'w'" in answer["said"]
    assert len(answer["legal"]) == 20
    assert answer["legal"]["g1f3"] == "Nf3"


@pytest.mark.parametrize(
    ("task", "given", "words"),
    [
        ("position", {"fen": "8/8"}, "FEN"),
        ("position", {"fen": "8/8/8/8/8/8/8/K7 w - - 0 1"}, "no black king"),
        ("move", {"fen": START, "move": "Nf6"}, "Nf6"),
        ("check", {"move": {"fen": START, "uci": "e2e5"}, "text": "x"}, "e2e5"),
        ("annotate", {"pgn": "*"}, "no moves"),
    ],
)
def test_bad_input_is_an_error_that_names_it(task, given, words):
    assert words in without_engine(task, **given)["error"]


def test_claims_are_those_of_the_library_on_texts_of_the_gold_set():
    rows = (DATA / "claims/dev.jsonl").read_text("utf-8").splitlines()
    for row in map(json.loads, rows[:20]):
        move = chessgloss.read_move(row["fen"], row["move"])
        answer = without_engine("check", move=describe_move(move), text=row["text"])
        found = [(*c["span"], c["verdict"], c["evidence"]) for c in answer["claims"]]
        expected = chessgloss.check(row["text"], move)
        assert found == [(*c.span, c.verdict, plainly(c.evidence)) for c in expected]


def test_a_game_keeps_its_history_and_what_is_wrong_with_it():
    shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *"
    (game,) = without_engine("games", pgn=shuffle)["games"]
    last = game["moves"][-1]
    assert last["moves"] == ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"]
    stood = "The same position has now stood on the board 3 times."
    assert stood in str(without_engine("look", move=last)["sentences"])
    alone = {"fen": last["fen"], "uci": last["uci"]}
    assert stood not in str(without_engine("look", move=alone)["sentences"])
    (bad,) = without_engine("games", pgn="1. e4 Ke4 *")["games"]
    assert "Ke4" in bad["problem"]


def test_the_board_alone_says_what_a_move_does_with_its_facts():
    move = without_engine("move", fen=FIGURE_A6, move="21. Bxe6")
    assert (move["uci"], move["name"]) == ("f5e6", "21. Bxe6+")
    first, *_ = without_engine("look", move=move)["sentences"]
    assert first["text"] == "Bxe6+ takes the pawn on e6."
    assert "gives check" in str(first["facts"])


@pytest.mark.parametrize(
    ("fen", "san"),
    [(FIGURE_A6, "Bxe6+"), (FIGURE_A5, "Bxc3#")],
)
def test_a_comment_by_messages_is_the_one_of_the_native_engine(fen, san):
    move = chessgloss.read_move(fen, san)
    with or_skip(open_engine) as engine:
        native = chessgloss.brief(move, engine=engine, nodes=NODES, concepts=())

    async def once():
        async with running() as (book, process):
            given = await ask(book, "move", fen=fen, move=san)
            said = await ask(book, "comment", move=given, nodes=NODES)
            checked = await ask(book, "check", move=given, text="It is a blunder.")
            return said, checked, process.started

    said, checked, started = run_apart(once())
    assert started == 1
    said_text = " ".join(each["text"] for each in said["sentences"])
    assert said_text == write_notes(native).text
    assert said["judgement"] == native.verdict.judgement
    (expected,) = chessgloss.check("It is a blunder.", native)
    assert [each["verdict"] for each in checked["claims"]] == [expected.verdict]


def test_a_game_is_annotated_as_natively_and_saved_whole():
    with or_skip(open_engine) as engine:

        def analyse(positions, nodes, lines):
            return [engine.analyse(p, nodes=nodes, multipv=lines) for p in positions]

        annotator = annotate.Annotator(analyse, write_notes, nodes=(NODES, NODES))
        game = next(iter(read_pgn(GAME.encode()))).game
        native = game_pgn.write_pgn([annotator.annotate(game)])

    async def once():
        reported = []
        async with running(lambda *each: reported.append(each)) as (book, _):
            return await ask(book, "annotate", pgn=GAME, nodes=NODES), reported

    said, reported = run_apart(once())
    assert said["pgn"] == native
    assert all(each["text"] for each in said["comments"])
    assert "Qxe5+" in said["page"]
    assert reported[0][0] == 0 and reported[-1][0] == reported[-1][1]


def test_a_stop_keeps_what_was_searched_and_the_next_time_goes_on():
    async def once():
        def report(done: int, total: int) -> None:
            reported.append((done, total))
            if done == 3 and not stopped:
                stopped.append(True)
                book.stop()

        reported, stopped = [], []
        async with running(report) as (book, _):
            first = await ask(book, "annotate", pgn=GAME, nodes=NODES)
            total = reported[0][1]
            reported.clear()
            second = await ask(book, "annotate", pgn=GAME, nodes=NODES)
            return first, total, reported[0][1], second

    first, total, left, second = run_apart(once())
    assert first == {"error": "Stopped; what was searched is kept."}
    assert left < total
    assert second["comments"]


def test_a_lost_engine_is_an_error_and_is_started_again():
    async def once():
        async with running() as (book, process):
            move = await ask(book, "move", fen=START, move="e4")
            asked = asyncio.ensure_future(
                ask(book, "comment", move=move, nodes=100_000_000)
            )
            while process.process is None or book._engine is None:
                await asyncio.sleep(0.05)
            process.process.kill()
            lost = await asyncio.wait_for(asked, 30)
            await process.process.wait()
            again = await ask(book, "comment", move=move, nodes=NODES)
            return lost, again, process.started

    lost, again, started = run_apart(once())
    assert "ended" in lost["error"]
    assert again["sentences"]
    assert started == 2


def test_an_engine_that_ends_before_its_search_begins_is_lost_all_the_same():
    async def once():
        engine = MessageEngine()

        async def connect(receive, lose):
            def send(line: str) -> None:
                if line == "uci":
                    receive("uciok")
                if line == "isready":
                    asyncio.get_running_loop().call_soon(lose, "it ended")

            return send

        await engine.start(connect)
        search = Search(read_fen(START), 100, 1)
        await asyncio.wait_for(engine.analyse(search), 20)

    with pytest.raises(chess.engine.EngineTerminatedError, match="it ended"):
        run_apart(once())


def test_an_engine_that_cannot_be_had_is_said_and_costs_nothing_else():
    async def once():
        book = LiveBook(no_engine)
        move = await ask(book, "move", fen=START, move="e4")
        refused = await ask(book, "comment", move=move, nodes=NODES)
        return refused, await ask(book, "check", move=move, text="A pawn moves.")

    refused, checked = run_apart(once())
    assert refused == {"error": "no engine is to be started"}
    assert "error" not in checked


# ---------------------------------------------------------------- the terms of Stockfish 8

#: Moves of both sides: a capture with check, mate, castling, promotion, en passant, an ending.
CONCEPT_MOVES = (
    (FIGURE_A6, "Bxe6+"),
    (FIGURE_A5, "Bxc3#"),
    ("r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", "O-O"),
    ("r3k2r/1P3ppp/8/3pP3/8/8/PPP2PPP/R3K2R w KQkq d6 0 12", "exd6"),
    ("r3k2r/1P3ppp/8/3pP3/8/8/PPP2PPP/R3K2R w KQkq d6 0 12", "bxa8=Q+"),
    ("8/5pk1/6p1/3R4/8/6P1/r4P1P/6K1 b - - 3 40", "Ra1+"),
)


def native_terms(moves):
    """Return the oracle's terms before and after moves by term, as White sees them."""
    around = [[move.position.fen, move.after().fen] for move in moves]
    fens = [fen for pair in around for fen in pair]
    values = evaluate_terms(fens, or_skip(stockfish8), progress=False).middlegame
    signs = [-1 if term.startswith("Black") else 1 for term in TERMS]
    rows = [dict(zip(TERMS, row.tolist(), strict=True)) for row in values * signs]
    return list(zip(rows[::2], rows[1::2], strict=True))


def with_oracle(*moves, kill=False):
    """Ask for the terms of moves; an oracle may be killed after each."""

    async def once():
        process = Process(*or_skip(find_stockfish8))
        book = LiveBook(no_engine, connect_oracle=process.connect)
        asked = []
        for each in moves:
            asked.append(await ask(book, "concepts", move=each))
            if kill:
                await process.end()
        await process.end()
        return asked, process.started

    return run_apart(once())


def test_the_terms_of_a_move_are_the_native_oracles_the_most_changed_first():
    moves = [chessgloss.read_move(*each) for each in CONCEPT_MOVES]
    asked, started = with_oracle(*map(describe_move, moves))
    assert started == 1
    for answer, (before, after) in zip(asked, native_terms(moves), strict=True):
        terms = answer["terms"]
        assert {each["key"]: each["before"] for each in terms} == pytest.approx(before)
        assert {each["key"]: each["after"] for each in terms} == pytest.approx(after)
        changes = [abs(each["after"] - each["before"]) for each in terms]
        assert changes == sorted(changes, reverse=True)


def test_a_term_has_a_name_for_people_and_is_seen_by_white():
    assert describe_term("Black Kingsafety", 0.5, -0.25) == {
        "key": "Black Kingsafety",
        "name": "Black's king safety",
        "before": -0.5,
        "after": 0.25,
    }
    assert describe_term("Pawns", 0.1, 0.2)["name"] == "Pawn structure"


def test_an_ending_without_terms_and_a_lost_oracle_are_said():
    ending = {"fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "uci": "e2e4"}
    (asked, again), started = with_oracle(ending, {"fen": START, "uci": "e2e4"})
    assert "a rule of its own" in asked["error"]
    assert (len(again["terms"]), started) == (21, 1)
    (_, again), started = with_oracle(*[{"fen": START, "uci": "e2e4"}] * 2, kill=True)
    assert (len(again["terms"]), started) == (21, 2)
