"""Hold the class of moves of famous games against a search thirty times longer.

    python data/notes/verdicts.py

writes ``verdicts.tsv`` into this folder, a line a move. Drawn are 40 moves that no other table
holds: 20 that give away less than an inaccuracy's chance to win by a search of 20,000 nodes, 20
that give away as much or more. Each is searched as the library does it until its verdict is
stable, and then again: one line, thirty times the nodes of the last search of one line, a large
hash table. A killed run goes on where it stopped; the whole takes an hour or two on one core.
``search`` is the beginning of the SHA-256 of ``facts/verdict.py``, which searched.

    python data/notes/verdicts.py fresh

writes ``verdicts_fresh.tsv``: the next 40 moves of the same order, by the same rule.

    python data/notes/verdicts.py nodes

writes ``verdicts_by_nodes.tsv``: sixteen moves, searched with more and more nodes for five lines.

    python data/notes/verdicts.py single

writes ``verdicts_single.tsv``: the 58 moves of ``verdicts_first.tsv``, one line in each position,
with more and more nodes. By these the search was chosen; that table holds how a former search,
of five lines at up to 800,000 nodes, agreed with one thirty times longer.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).parent))
from draw import SKIPPED, read_moves

from chessgloss.engine import Engine, open_engine
from chessgloss.facts import Verdict, search, weigh
from chessgloss.facts import verdict as searching
from chessgloss.facts.verdict import JUDGEMENT_BOUNDS, MOST_NODES
from chessgloss.positions import MoveInContext, Position
from chessgloss.scores import Analysis, centipawns
from chessgloss.store import file_digest

HERE = Path(__file__).parent
QUICK = 20_000
LINES = 5
LONGER = 30
#: Of each half: moves that are in other tables, and how many are drawn after them.
KNOWN = 10 + 29
EACH = 20
#: Of the moves drawn first, so many quiet ones and others; the nodes they are searched with.
SHOWN = {"quiet": 7, "losing": 9}
BY_NODES = [25_000 << doubling for doubling in range(5)]
SINGLE = [100_000 << doubling for doubling in range(6)]
KEYS = [
    "half",
    "game",
    "ply",
    "fen",
    "move",
    "search",
]
FOUND = [
    "judgement",
    "lost",
    "score",
    "nodes",
    "depth",
]
COLUMNS = [*KEYS, *FOUND, *(f"long_{name}" for name in FOUND)]


def rest() -> dict[tuple[str, int], MoveInContext]:
    """Return the moves of the games that are not drawn for reading, by game and ply, at random."""
    drawn = pd.read_csv(HERE / "drawn.tsv", sep="\t")
    taken = set(zip(drawn["fen"], drawn["move"], strict=True))
    moves = {}
    for game, ply, move in read_moves():
        if ply > SKIPPED and (move.position.fen, move.uci) not in taken:
            taken.add((move.position.fen, move.uci))
            moves[game, ply] = move
    lot = {
        key: hashlib.sha256(f"verdicts/{key[0]}/{key[1]}".encode()).digest()
        for key in moves
    }
    return {key: moves[key] for key in sorted(moves, key=lot.__getitem__)}


def draw(engine: Engine, skipped: int = KNOWN) -> tuple[list[tuple], list[tuple]]:
    """Return the rows of the moves by which a search was chosen first, and of those drawn now.

    Of each half so many are ``skipped``, which other tables hold.
    """
    halves: dict[str, list[tuple]] = {"quiet": [], "losing": []}
    for (game, ply), move in rest().items():
        around = [
            engine.analyse(each, nodes=QUICK) for each in (move.position, move.after())
        ]
        lost = weigh(move, *around).win_chance_lost
        half = "losing" if lost >= JUDGEMENT_BOUNDS["inaccuracy"] else "quiet"
        halves[half].append((half, game, ply, move.position.fen, move.uci))
        if min(map(len, halves.values())) >= skipped + EACH:
            break
    first = [row for half, rows in halves.items() for row in rows[: SHOWN[half]]]
    pairs = zip(
        *(rows[skipped : skipped + EACH] for rows in halves.values()), strict=True
    )
    return first, [*chain(*pairs)]


def summary(verdict: Verdict, nodes: int) -> list:
    """Return class, chance to win given away, value before the move, nodes and depth."""
    lost = round(verdict.win_chance_lost, 4)
    return [verdict.judgement, lost, verdict.centipawns_before, nodes, verdict.depth]


def stable(engine: Engine, move: MoveInContext) -> list:
    """Return what the library's search finds, with the nodes of a position and the depth."""

    def analyse(
        positions: Sequence[Position],
        nodes: int,
        lines: int,
    ) -> list[Analysis]:
        return [engine.analyse(each, nodes=nodes, multipv=lines) for each in positions]

    ((before, after),) = search([move], analyse)
    verdict = weigh(move, before, after)
    return summary(verdict, before.nodes - MOST_NODES // 4)


def long(
    engine: Engine,
    move: MoveInContext,
    nodes: int,
) -> list:
    """Return what a search of one line finds; after the move only if another one is better."""
    before = engine.analyse(move.position, nodes=nodes)
    if before.best.moves[0] == move.uci:
        score = centipawns(before.best.score, move.mover)
        return ["best", 0.0, score, before.nodes, before.best.depth]
    after = engine.analyse(move.after(), nodes=nodes)
    return summary(weigh(move, before, after), max(before.nodes, after.nodes))


def compare(target: Path, skipped: int = KNOWN) -> Iterator[pd.DataFrame]:
    """Yield the table after each move that was searched."""
    moves = rest()
    with (
        open_engine(timeout=7_200) as engine,
        open_engine(hash_mb=256, timeout=7_200) as deep,
    ):
        if not target.exists():
            drawn = pd.DataFrame(draw(engine, skipped)[1], columns=KEYS[:-1])
            drawn["search"] = file_digest(Path(searching.__file__))[:12]
            yield drawn.reindex(columns=COLUMNS)
        table = pd.read_csv(target, sep="\t").astype(
            {"judgement": object, "long_judgement": object}
        )
        for row in table[table["long_judgement"].isna()].itertuples():
            began = time.monotonic()
            move = moves[row.game, row.ply]
            found = stable(engine, move)
            seconds = time.monotonic() - began
            table.loc[row.Index, COLUMNS[len(KEYS) :]] = [
                *found,
                *long(deep, move, LONGER * found[3]),
            ]
            print(
                f"{row.Index + 1}/{len(table)}: {seconds:.1f} s, {found[3]:,} nodes",
                flush=True,
            )
            yield table


def by_nodes() -> pd.DataFrame:
    """Return what is found of the moves drawn first, with more and more nodes."""
    moves = rest()
    rows = []
    with open_engine(hash_mb=64, timeout=600) as engine:
        for row in draw(engine)[0]:
            move = moves[row[1:3]]
            for nodes in BY_NODES:
                around = [
                    engine.analyse(each, nodes=nodes, multipv=LINES)
                    for each in (move.position, move.after())
                ]
                found = summary(weigh(move, *around), nodes)
                rows.append((*row, move.numbered_san, *found))
    return pd.DataFrame(rows, columns=[*KEYS[:-1], "san", *FOUND])


def single() -> pd.DataFrame:
    """Return what a search of one line finds of the 58 moves, with more and more nodes."""
    moves = rest()
    rows = []
    with open_engine(hash_mb=64, timeout=600) as engine:
        for row in pd.read_csv(HERE / "verdicts_first.tsv", sep="\t").itertuples():
            for nodes in SINGLE:
                found = long(engine, moves[row.game, row.ply], nodes)
                rows.append((row.half, row.game, row.ply, *found[:3], nodes, found[4]))
            print(f"{len(rows) // len(SINGLE)}: {row.game}, ply {row.ply}", flush=True)
    return pd.DataFrame(rows, columns=[*KEYS[:3], *FOUND])


def write(table: pd.DataFrame, target: Path) -> None:
    """Write a table of whole numbers, words and chances."""
    whole = {name: "Int64" for name in table if name.removeprefix("long_") in FOUND[2:]}
    table.astype(whole).to_csv(target, sep="\t", index=False)


if __name__ == "__main__":
    if sys.argv[1:] == ["nodes"]:
        write(by_nodes(), HERE / "verdicts_by_nodes.tsv")
    elif sys.argv[1:] == ["single"]:
        write(single(), HERE / "verdicts_single.tsv")
    else:
        fresh = sys.argv[1:] == ["fresh"]
        target = HERE / ("verdicts_fresh.tsv" if fresh else "verdicts.tsv")
        for table in compare(target, KNOWN + EACH if fresh else KNOWN):
            write(table, target)
