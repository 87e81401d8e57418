"""Games of levels, and what their moves lose."""

from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
import pytest

from chessgloss.engine import Engine
from chessgloss.positions import Game
from chessgloss.skill import levels
from chessgloss.store import Store
from fakes.books import write_book
from scripts import load_script, refuses

script = load_script("static/make.py")

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


class Script:
    """Stands for the engine: plays given moves one after the other, again and again."""

    asked: list[tuple[int, int, int]]

    def __init__(self, moves: Sequence[str]) -> None:
        self.moves = moves
        self.asked = []

    def play(self, moves: Sequence[str], *, nodes: int, level: int) -> str:
        self.asked.append((len(moves), nodes, level))
        return self.moves[(len(moves)) % len(self.moves)]


def level_game(level: int, moves: Sequence[str] = FOOLS_MATE, opening: int = 0) -> Game:
    name = f"Skill Level {level}"
    return Game(
        tuple(moves),
        "0-1",
        name,
        name,
        "checkmate",
        opening,
    )


# ---------------------------------------------------------------- games


@pytest.mark.parametrize(
    ("moves", "most", "end"),
    [
        (FOOLS_MATE, 300, ("0-1", "checkmate", 4)),
        (SHUFFLE, 300, ("1/2-1/2", "threefold repetition", 8)),
        (SHUFFLE, 5, ("1/2-1/2", "length", 5)),
    ],
)
def test_a_game_ends_by_the_rules_or_by_its_length(moves, most, end):
    engine = Script(moves)
    rules = script.Rules(nodes=77, opening_plies=2, most_plies=most)
    game = script.play_game(engine, 10, moves[:2], rules)  # type: ignore[arg-type]
    assert (
        game.result,
        game.termination,
        len(game.moves),
    ) == end
    assert (game.opening_plies, engine.asked[0]) == (2, (2, 77, 10))


def test_openings_are_different_lines_of_the_book(tmp_path):
    lines = (("e2e4", "e7e5"), ("e2e4", "c7c5"), ("d2d4", "d7d5"))
    weighed = [[(uci, 1) for uci in line] for line in lines]
    book = write_book(tmp_path / "small.bin", *weighed)
    drawn = script.draw_openings(book, script.Rules(games=3, opening_plies=2))
    assert sorted(drawn) == sorted(lines)
    more = script.Rules(games=4, opening_plies=2)
    refuses(ValueError, "3 of 4 different", script.draw_openings, book, more)


def test_a_killed_generation_goes_on_with_the_next_game(tmp_path, monkeypatch):
    played: list[int] = []

    class Mortal(Script):
        def play(self, moves: Sequence[str], *, nodes: int, level: int) -> str:
            if not self.asked:
                played.append(level)
                if len(played) == 4:
                    raise KeyboardInterrupt
            return super().play(moves, nodes=nodes, level=level)

    monkeypatch.setattr(
        script,
        "Engine",
        lambda **_: nullcontext(Mortal(SHUFFLE)),
    )
    monkeypatch.setattr(
        script,
        "draw_openings",
        lambda *_: [SHUFFLE[:1], SHUFFLE[:2]],
    )
    target = tmp_path / "games.tsv.zst"
    rules = script.Rules(games=2, nodes=1, most_plies=6)
    options = {"book": tmp_path / "none.bin", "store": Store(tmp_path / "store")}
    with pytest.raises(KeyboardInterrupt):
        script.play_levels(target, rules, **options)
    assert not target.exists()
    script.play_levels(target, rules, **options)
    assert played == [5, 5, 10, 10, 10, 15, 15, 18, 18, 20, 20]
    games = levels.read_level_games(target)
    assert [len(games[level]) for level in levels.LEVELS] == [2] * len(levels.LEVELS)
    first = target.read_bytes()
    assert script.play_levels(target, rules, **options).read_bytes() == first
    assert len(played) == 11


def test_other_games_are_refused():
    assert levels.level_of(Game(FOOLS_MATE, "0-1", "level 3", "level 3")) == 3
    for names in (("Skill Level 5", "Skill Level 10"), ("Anand", "Anand")):
        game = Game(FOOLS_MATE, "0-1", *names)
        refuses(ValueError, "equal levels", levels.level_of, game)


# ---------------------------------------------------------------- what moves lose

#: White loses 80, then nothing; Black loses 20, then mates.
VALUES = np.array([20, -60, -40, -9_999, -10_000])


def test_losses_belong_to_the_mover_and_the_cap_cuts_mates_alone():
    cut = levels.move_losses([level_game(5)], [VALUES])
    assert cut["loss"].tolist() == [80, 20, 960, 0]
    assert cut["side"].tolist() == ["White", "Black", "White", "Black"]
    assert cut["mate"].tolist() == [False, False, True, True]
    uncut = levels.move_losses(
        [level_game(5)],
        [VALUES],
        cap=None,
    )
    assert uncut["loss"].tolist() == [80, 20, 9_959, 0]
    gains = levels.move_losses([level_game(5)], [np.array([0, 50, 10, 10, 30])])
    assert gains["loss"].tolist() == [0, 0, 0, 20]
    assert gains["signed"].tolist() == [-50, -40, 0, 20]


def test_the_side_to_move_follows_the_root_and_the_opening_is_not_graded():
    root = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"
    black_first = Game(("e7e5", "e2e4"), "*", "level 1", "level 1", root=root)
    losses = levels.move_losses([black_first], [np.array([20, 60, 30])])
    assert losses[["side", "loss"]].to_numpy().tolist() == [
        ["Black", 40],
        ["White", 30],
    ]
    opened = levels.move_losses([level_game(5, opening=2)], [VALUES])
    assert opened["ply"].tolist() == [2, 3]
    given = ([level_game(5)], [VALUES[:3]])
    refuses(ValueError, "4 plies, 2 valued", levels.move_losses, *given)


def test_values_are_made_once_a_game_and_read_back(tmp_path, monkeypatch):
    asked: list[str] = []

    def search(engine: object, game: Game, nodes: int) -> np.ndarray:
        asked.append(game.key)
        return VALUES

    monkeypatch.setattr(levels, "search_values", search)
    monkeypatch.setattr(script, "Engine", lambda **_: nullcontext())
    games = [level_game(5), level_game(10, SHUFFLE)]
    target = tmp_path / "values.tsv.zst"
    store = Store(tmp_path / "store")
    script.write_values(games[:1], target, store)
    script.write_values(games, target, store)
    read = levels.read_values(target)
    assert asked == list(read) == [game.key for game in games]
    assert read[games[0].key].tolist() == VALUES.tolist()


# ---------------------------------------------------------------- real engine


@pytest.mark.engine
def test_stockfish_values_every_position_for_white_until_mate(stockfish):
    games = [level_game(5, SHUFFLE), level_game(5)]
    with Engine(stockfish, hash_mb=2) as engine:
        alone = levels.search_values(engine, games[1], nodes=500)
    values = levels.game_values(games, nodes=500)[1]
    assert (
        values.tolist() == alone.tolist()
    )  # nothing is remembered from the game before
    assert values[3:].tolist() == [-9_999, -10_000]
    assert levels.move_losses(games[1:], [values])["loss"].idxmax() == 2
