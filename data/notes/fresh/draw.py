"""Draw fresh moves of people's games, by a hash of the frozen library and the game.

    python data/notes/fresh/draw.py TREE GAMES.tsv.zst > drawn.json

``TREE`` is git's hash of ``lib/chessgloss`` as it was frozen. Only games whose moves have an odd
SHA-256 take part, with two minutes or more a side; the notes were made looking at the others. They
are gone through in the order of the SHA-256 of tree and game; of each, four plies are tried, and
the first that falls into a kind that still lacks moves is taken:

- *mistake*: gives away a tenth or more of the chance to win (Lichess's curve, cut at 2,000);
- *shot*: the engine's choice, a capture or a check from ply 16 on that takes nothing back, and the
  second best gives away 0.15 or more;
- *edge*: by somebody rated 2,200 or more, gives away at most 0.03, before ply 20 or with at most
  four pieces beside kings and pawns, and takes nothing back;
- *quiet*: the same in between, no capture and no check.

Searches have 60,000 nodes, one thread and a new hash table each. Every try is counted.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import chess
import chess.engine
import zstandard

from chessgloss.engine import find_stockfish
from chessgloss.scores import WIN_STEEPNESS

WANTED = {"mistake": 19, "quiet": 19, "shot": 19, "edge": 18}
NODES = 60_000
CUT = 2_000
MATE = 3_000
STRONG = 2_200


class Game(NamedTuple):
    """A game that takes part."""

    place: str
    name: str
    ratings: dict[bool, int]
    moves: list[str]


class Try(NamedTuple):
    """A move that is looked at."""

    ply: int
    board: chess.Board
    move: chess.Move
    takes_back: bool


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_games(path: str, tree: str) -> list[Game]:
    """Return the games that take part, in their order."""
    games = []
    with Path(path).open("rb") as packed:
        stream = zstandard.ZstdDecompressor().stream_reader(packed)
        lines = io.TextIOWrapper(stream, encoding="utf-8")
        next(lines)
        for line in lines:
            white, black, clock, _, _, text = line.rstrip("\n").split("\t")
            seconds = clock.split("+")[0]
            if not (white.isdigit() and black.isdigit() and seconds.isdigit()):
                continue
            name = digest(text)
            moves = text.split()
            if int(name, 16) % 2 and int(seconds) >= 120 and len(moves) >= 30:
                ratings = {chess.WHITE: int(white), chess.BLACK: int(black)}
                games.append(Game(digest(tree + name), name, ratings, moves))
    return sorted(games)


def tries(game: Game) -> Iterator[Try]:
    """Yield the four moves of a game that are tried, in the order of play."""
    last = len(game.moves) - 10
    plies = {8 + int(digest(f"{game.place}{n}"), 16) % last for n in range(4)}
    board = chess.Board()
    captured_on = None
    for ply, uci in enumerate(game.moves):
        move = chess.Move.from_uci(uci)
        captures = board.is_capture(move)
        if ply in plies:
            back = captures and move.to_square == captured_on
            yield Try(ply, board.copy(), move, back)
        captured_on = move.to_square if captures else None
        board.push(move)


def search(
    engine: chess.engine.SimpleEngine, board: chess.Board, lines: int
) -> list[tuple[float, chess.Move]]:
    """Return the best moves, each with its chance to win for the side to move."""
    limit = chess.engine.Limit(nodes=NODES)
    found = engine.analyse(board, limit, multipv=lines, game=object())
    return [
        (chance(each["score"].pov(board.turn).score(mate_score=MATE)), each["pv"][0])
        for each in found
        if "pv" in each
    ]


def chance(value: int) -> float:
    """Return the chance to win at a value in centipawns."""
    return 1 / (1 + math.exp(-WIN_STEEPNESS * max(-CUT, min(CUT, value))))


def kind_of(
    engine: chess.engine.SimpleEngine, tried: Try, rating: int
) -> tuple[str | None, float]:
    """Return the kind of a move, if it is of any, and what it gives away."""
    board = tried.board
    after = board.copy()
    after.push(tried.move)
    if board.legal_moves.count() < 3 or after.is_game_over():
        return None, 0.0
    (best, first), (second, _) = search(engine, board, 2)
    ((reply, _),) = search(engine, after, 1)
    loss = 0.0 if tried.move == first else best - min(best, 1 - reply)
    quiet = not board.is_capture(tried.move) and not board.gives_check(tried.move)
    pieces = chess.popcount(board.occupied & ~board.pawns & ~board.kings)
    if loss >= 0.10:
        return "mistake", loss
    if tried.takes_back:
        return None, loss
    if tried.move == first and best - second >= 0.15 and not quiet and tried.ply >= 16:
        return "shot", loss
    if loss > 0.03 or rating < STRONG:
        return None, loss
    if tried.ply < 20 or pieces <= 4:
        return "edge", loss
    return ("quiet" if quiet else None), loss


def main() -> int:
    """Draw, and write what was drawn and what every try fell into."""
    tree, path = sys.argv[1:]
    found = []
    fell: Counter[str] = Counter()
    lacking = dict(WANTED)
    with chess.engine.SimpleEngine.popen_uci(str(find_stockfish())) as engine:
        engine.configure({"Threads": 1, "Hash": 64})
        for game in read_games(path, tree):
            if not any(lacking.values()):
                break
            for tried in tries(game):
                rating = game.ratings[tried.board.turn]
                kind, loss = kind_of(engine, tried, rating)
                fell[str(kind)] += 1
                if kind is not None and lacking[kind]:
                    lacking[kind] -= 1
                    place = {"game": game.name, "ply": tried.ply, "kind": kind}
                    found.append(place | {"rating": rating, "loss": round(loss, 3)})
                    break
    json.dump({"tree": tree, "found": found, "fell_into": fell}, sys.stdout, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
