from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import chess
import chess.polyglot
import numpy as np
import pytest

from chessgloss.corpora.games import GamesFileError, read_games
from chessgloss.engine import Engine
from chessgloss.positions import Game
from chessgloss.skill import level_table, levels
from chessgloss.skill.level_table import (
    level_means,
    make_values,
    move_losses,
    one_game_each,
    order,
    order_interval,
    read_values,
    search_values,
)
from chessgloss.skill.levels import (
    LEVELS,
    Rules,
    draw_openings,
    generate,
    level_of,
    play_game,
    read_level_games,
)

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


class Script:
    """Stands for the engine: plays given moves one after the other, again and again."""

    asked: list[tuple[int, int, int]]

    def __init__(self, moves: Sequence[str]) -> None:
        self.moves, self.asked = moves, []

    def play(self, moves: Sequence[str], *, nodes: int, level: int) -> str:
        self.asked.append((len(moves), nodes, level))
        return self.moves[(len(moves)) % len(self.moves)]


def level_game(level: int, moves: Sequence[str] = FOOLS_MATE, opening: int = 0) -> Game:
    name = f"Skill Level {level}"
    return Game(tuple(moves), "0-1", name, name, "checkmate", opening)


# ---------------------------------------------------------------- games


@pytest.mark.parametrize(
    ("script", "most", "end"),
    [(FOOLS_MATE, 300, ("0-1", "checkmate", 4)),
     (SHUFFLE, 300, ("1/2-1/2", "threefold repetition", 8)),
     (SHUFFLE, 5, ("1/2-1/2", "length", 5))],
)  # fmt: skip
def test_a_game_ends_by_the_rules_or_by_its_length(
    script: Sequence[str], most: int, end: tuple[str, str, int]
):
    engine = Script(script)
    rules = Rules(nodes=77, opening_plies=2, most_plies=most)
    game = play_game(engine, 10, script[:2], rules)  # type: ignore[arg-type]
    assert (game.result, game.termination, len(game.moves)) == end
    assert (level_of(game), game.opening_plies) == (10, 2)
    assert engine.asked[0] == (2, 77, 10)


def write_book(path: Path, lines: Sequence[Sequence[str]]) -> Path:
    """Write a Polyglot book in which every move of the lines has weight 1."""
    entries = set()
    for line in lines:
        board = chess.Board()
        for uci in line:
            move = chess.Move.from_uci(uci)
            raw = move.to_square | move.from_square << 6
            entries.add((chess.polyglot.zobrist_hash(board), raw))
            board.push(move)
    packed = (struct.pack(">QHHI", key, raw, 1, 0) for key, raw in sorted(entries))
    path.write_bytes(b"".join(packed))
    return path


@pytest.fixture
def book_of_three_lines(tmp_path: Path) -> Path:
    lines = [("e2e4", "e7e5"), ("e2e4", "c7c5"), ("d2d4", "d7d5")]
    return write_book(tmp_path / "small.bin", lines)


def test_openings_are_different_lines_of_the_book(book_of_three_lines: Path):
    rules = Rules(games=3, opening_plies=2)
    drawn = draw_openings(book_of_three_lines, rules)
    assert sorted(drawn) == [("d2d4", "d7d5"), ("e2e4", "c7c5"), ("e2e4", "e7e5")]
    assert drawn == draw_openings(book_of_three_lines, rules)
    with pytest.raises(ValueError, match="3 of 4 different"):
        draw_openings(book_of_three_lines, Rules(games=4, opening_plies=2))


def test_a_killed_generation_goes_on_with_the_next_game(
    tmp_path: Path, book_of_three_lines: Path, monkeypatch: pytest.MonkeyPatch
):
    rules = Rules(games=2, nodes=1, opening_plies=2, most_plies=6)
    played: list[int] = []

    class Opened(Script):
        def __init__(self) -> None:
            super().__init__(SHUFFLE)

        def play(self, moves: Sequence[str], *, nodes: int, level: int) -> str:
            if not self.asked:
                played.append(level)
                if len(played) == 4:
                    raise KeyboardInterrupt
            return super().play(moves, nodes=nodes, level=level)

        def __enter__(self) -> Opened:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(levels, "Engine", Opened)
    target, shards = tmp_path / "games.tsv.zst", tmp_path / "shards"
    monkeypatch.setattr(levels, "draw_openings", lambda *_: [SHUFFLE[:1], SHUFFLE[:2]])
    with pytest.raises(KeyboardInterrupt):
        generate(target, rules, book=book_of_three_lines, shards=shards)
    assert not target.exists()
    generate(target, rules, book=book_of_three_lines, shards=shards)
    assert played == [5, 5, 10, 10, 10, 15, 15, 18, 18, 20, 20]
    games = read_level_games(target)
    assert {level: len(some) for level, some in games.items()} == dict.fromkeys(LEVELS, 2)
    assert [game.opening_plies for game in games[5]] == [1, 2]
    first = target.read_bytes()
    generate(target, rules, book=book_of_three_lines, shards=shards)
    assert target.read_bytes() == first
    assert len(played) == 11


def test_other_games_are_refused(tmp_path: Path):
    with pytest.raises(ValueError, match="equal levels"):
        level_of(Game(FOOLS_MATE, "0-1", "Skill Level 5", "Skill Level 10"))
    (tmp_path / "games.tsv.zst").write_bytes(b"cut")
    with pytest.raises(GamesFileError):
        read_level_games(tmp_path / "games.tsv.zst")
    with pytest.raises(ValueError, match="positive"):
        Rules(games=0)


# ---------------------------------------------------------------- the table of levels

#: White loses 80, then nothing; Black loses 20, then mates.
VALUES = np.array([20, -60, -40, -9_999, -10_000])


def test_losses_belong_to_the_mover_and_the_cap_cuts_mates_alone():
    game = level_game(5)
    cut = move_losses([game], {game.key: VALUES})
    assert cut["loss"].tolist() == [80, 20, 960, 0]
    assert cut["side"].tolist() == ["White", "Black", "White", "Black"]
    assert cut["mate"].tolist() == [False, False, True, True]
    whole = move_losses([game], {game.key: VALUES}, cap=None)
    assert whole["loss"].tolist() == [80, 20, 9_959, 0]
    assert whole["before"].tolist() == [20, 60, -40, 9_999]


def test_moves_of_the_opening_are_not_graded():
    game = level_game(5, opening=2)
    assert move_losses([game], {game.key: VALUES})["ply"].tolist() == [2, 3]
    with pytest.raises(ValueError, match="4 plies, 2 valued"):
        move_losses([game], {game.key: VALUES[:3]})


@pytest.fixture
def falling_losses() -> list[tuple[Game, np.ndarray]]:
    """Two games a level; level 5 loses 50 a move, level 20 next to nothing."""
    found = []
    for level, loss in ((5, 50), (10, 40), (15, 30), (18, 20), (20, 5)):
        for number, first in enumerate(("a2a3", "h2h3")):
            game = level_game(level, (first, "a7a6", f"b2b{3 + number}", "h7h6"))
            found.append((game, np.array([0, -loss, 0, -loss - number, 0])))
    return found


def test_the_order_of_levels_is_found_with_its_interval(falling_losses):
    games, values = zip(*falling_losses, strict=True)
    with_levels = [Game(g.moves, g.result, g.white, g.black, g.termination) for g in games]
    frames = [move_losses([game], {game.key: each})
              for game, each in zip(with_levels, values, strict=True)]  # fmt: skip
    moves = frames[0].__class__(
        {name: np.concatenate([frame[name] for frame in frames]) for name in frames[0]}
    )
    moves["game"] = moves["game"] + moves["level"].astype(str)
    means = level_means(moves, seed=1)
    assert means.loc[5, "both"].value == pytest.approx(50.25)
    assert means.loc[5, "White"].value > means.loc[20, "White"].value
    assert order_interval(moves, seed=1, resamples=50).value == pytest.approx(-1)
    drawn = one_game_each(moves, seed=1, draws=30)
    assert (drawn[5] > drawn[20]).all()
    assert drawn[5].nunique() == 2
    assert order([5, 10, 15], [1.0, 2.0, 3.0]) == 1


def test_values_are_made_once_a_game_and_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    def search(engine: Path, game: Game, nodes: int) -> np.ndarray:
        asked.append(game.key)
        return VALUES

    monkeypatch.setattr(level_table, "search_values", search)
    monkeypatch.setattr(level_table, "find_stockfish", lambda: Path("none"))
    games = [level_game(5), level_game(10, SHUFFLE)]
    target, shards = tmp_path / "values.tsv.zst", tmp_path / "shards"
    make_values(games[:1], target, shards=shards)
    make_values(games, target, shards=shards)
    assert asked == [game.key for game in games]
    read = read_values(target)
    assert list(read) == [game.key for game in games]
    assert read[games[0].key].tolist() == VALUES.tolist()


# ---------------------------------------------------------------- real engine


@pytest.mark.engine
def test_stockfish_plays_at_a_level(stockfish: Path):
    rules = Rules(nodes=50, opening_plies=2, most_plies=12)
    with Engine(stockfish) as engine:
        game = play_game(engine, 5, ("e2e4", "e7e5"), rules)
    assert len(game.check().moves) == 12
    assert game.moves[:2] == ("e2e4", "e7e5")


@pytest.mark.engine
def test_stockfish_values_every_position_for_white_until_mate(stockfish: Path):
    values = search_values(stockfish, level_game(5), nodes=500)
    assert values.shape == (5,)
    assert values[-1] == -10_000
    assert values[3] == -9_999
    assert (search_values(stockfish, level_game(5), nodes=500) == values).all()


def test_the_stored_games_are_what_their_data_sheet_says():
    path = Path(__file__).resolve().parents[1] / "data" / "static" / "games.tsv.zst"
    if not path.is_file():
        pytest.skip("data/static/games.tsv.zst is not made yet")
    games = list(read_games(path))
    assert len({game.key for game in games}) == len(games) == 40 * len(LEVELS)
    by_level = read_level_games(path)
    openings = [[game.moves[:6] for game in by_level[level]] for level in LEVELS]
    assert all(each == openings[0] for each in openings)
    assert len(set(openings[0])) == 40
    assert all(game.check().opening_plies == 6 for game in games[::20])
    assert not any(game.termination == "resigned" for game in games)
