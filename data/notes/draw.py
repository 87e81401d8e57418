"""Draw moves of famous games on which comments are read by hand.

    python data/notes/draw.py
    python data/notes/draw.py second --each 20 --nodes 50000

The first line writes ``drawn.tsv`` into this folder: thirty moves drawn among all, thirty among
those that decide something: the move gives away at least 0.15 of the chance to win (Lichess's
curve), or there is a mate before or after it, by a search of 200,000 nodes. The first six plies
of a game are left out, and no game gives more than three moves to either half. The draw was made
before anything was written that it is to judge.

The second line draws anew, into the folder ``second``, among moves that stand in no table of
this folder, nor beside one that does: what was read once is known to whoever changed the notes.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from pathlib import Path

import chess.pgn
import pandas as pd

from chessgloss.engine import analyse_many
from chessgloss.positions import MoveInContext, Position
from chessgloss.scores import centipawns, win_chance

HERE = Path(__file__).parent
NODES = 200_000
SKIPPED = 6
EACH = 30
PER_GAME = 3
DECISIVE = 0.15


def read_moves() -> list[tuple[str, int, MoveInContext]]:
    """Return each move of the games with the game's players and its ply, from 1."""
    moves = []
    with (HERE / "games.pgn").open(encoding="utf-8") as lines:
        while (game := chess.pgn.read_game(lines)) is not None:
            names = [game.headers[key] for key in ("White", "Black", "Site", "Date")]
            name = (
                " ".join(
                    part.removesuffix(".??.??") for part in names if part[0] != "?"
                )
                or game.headers["Event"]
            )
            played: list[str] = []
            for move in game.mainline_moves():
                moves.append(
                    (
                        name,
                        len(played) + 1,
                        MoveInContext(Position.after(played), move.uci()),
                    )
                )
                played.append(move.uci())
    return moves


def lot(row: pd.Series) -> str:
    """Return what the moves are drawn by: a hash of game and ply."""
    return hashlib.sha256(f"notes/{row.game}/{row.ply}".encode()).hexdigest()


def known_places() -> set[tuple[str, int]]:
    """Return game and ply of every move in this folder's tables, and of its neighbours."""
    tables = [pd.read_csv(path, sep="\t") for path in sorted(HERE.glob("*.tsv"))]
    drawn = [each for each in tables if {"game", "ply"} <= {*each.columns}]
    rows = pd.concat(drawn)[["game", "ply"]].itertuples(index=False)
    return {(game, ply + step) for game, ply in rows for step in (-1, 0, 1)}


def draw(rows: pd.DataFrame, each: int) -> pd.DataFrame:
    """Return the first ``each`` rows at random, at most :data:`PER_GAME` of a game."""
    chosen = []
    taken = Counter()
    for row in rows.assign(lot=rows.apply(lot, axis=1)).sort_values("lot").itertuples():
        if taken[row.game] < PER_GAME and len(chosen) < each:
            taken[row.game] += 1
            chosen.append(row.Index)
    return rows.loc[chosen]


def main() -> None:
    """Search the moves of the games that are not known and write the draw."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", nargs="?", default=".", help="beside this file")
    parser.add_argument("--each", type=int, default=EACH, help="moves a half")
    parser.add_argument(
        "--nodes", type=int, default=NODES, help="a search of a position"
    )
    given = parser.parse_args()
    folder = HERE / given.folder
    known = set() if folder == HERE else known_places()
    moves = [
        each for each in read_moves() if each[1] > SKIPPED and each[:2] not in known
    ]
    before = analyse_many([move.position for _, _, move in moves], nodes=given.nodes)
    after = analyse_many([move.after() for _, _, move in moves], nodes=given.nodes)
    rows = []
    for (game, ply, move), first, last in zip(moves, before, after, strict=True):
        scores = [
            line.score.pov(move.mover) for line in (first.lines[0], *last.lines[:1])
        ]
        values = [
            centipawns(line.score, move.mover)
            for line in (first.lines[0], *last.lines[:1])
        ]
        lost = float(win_chance(values[0]) - win_chance(values[-1]))
        decisive = lost >= DECISIVE or any(score.is_mate() for score in scores)
        rows.append(
            (
                game,
                ply,
                move.position.fen,
                move.uci,
                move.numbered_san,
                round(lost, 3),
                decisive,
            )
        )
    columns = ["game", "ply", "fen", "move", "san", "win_chance_lost", "decisive"]
    frame = pd.DataFrame(rows, columns=columns)
    plain = draw(frame, given.each)
    deciding = draw(
        frame[frame["decisive"]].drop(plain.index, errors="ignore"), given.each
    )
    drawn = pd.concat([plain.assign(half="any"), deciding.assign(half="decisive")])
    folder.mkdir(exist_ok=True)
    drawn.sort_values(["half", "game", "ply"]).to_csv(
        folder / "drawn.tsv", sep="\t", index=False
    )
    print(
        f"{len(drawn)} of {len(frame)} moves, {int(frame['decisive'].sum())} decisive"
    )


if __name__ == "__main__":
    main()
