"""A file of games annotated: side by side, each kept when it is done, under one bar.

A job that is stopped leaves a file beside its output with a line of JSON for each finished game;
the same job goes on from there. What is written of a game depends on the game and the settings
alone, not on what is annotated beside it.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import chess.engine
from tqdm import tqdm

from chessgloss.commentary.annotate import (
    GAME_NODES,
    AnnotatedGame,
    Annotation,
    Annotator,
    fault,
)
from chessgloss.commentary.game_pgn import name_game
from chessgloss.corpora.pgn import PgnGame
from chessgloss.engine import EngineMissing, EnginePool
from chessgloss.llm.text import counted
from chessgloss.positions import text_digest

#: Nodes searched for each ply of a game, in units of those of a first search: measured, and soon
#: replaced by what the job itself takes. The second is for searches that all have the same size.
_SEARCHED = 20.0, 1.4
#: Seconds between two pictures of the bar, on a terminal and elsewhere.
_INTERVALS = 0.2, 10.0


@dataclass(slots=True)
class Job:
    """Games of a file that are annotated.

    Parameters
    ----------
    games
        The games, and the text between them.
    annotator
        Comments on a game; its engine and what it tells are replaced.
    engines
        Search for all games; closed where the job is stopped.
    settings
        All that changes what is written, as JSON values.
    kept
        Where finished games are kept until the job is done; nowhere if ``None``.
    together
        Games at once.
    say
        Told how each game went.
    faults
        What was wrong, a line a game.
    """

    games: Sequence[PgnGame]
    annotator: Annotator
    engines: EnginePool
    settings: Mapping[str, object]
    kept: Path | None = None
    together: int = 1
    say: Callable[[str], object] = print
    faults: list[str] = field(default_factory=list)

    def run(self) -> Iterator[tuple[int, AnnotatedGame | str]]:
        """Yield each game's place among the games and what is to be written of it, when it is done.

        A game that cannot be annotated is given as it is written.

        Raises
        ------
        EngineMissing
            If there is no engine.
        """
        known = self._read_kept()
        todo = []
        for place, read in enumerate(self.games):
            if not read.number or read.problem or read.unplayed == "no moves":
                self._excuse(read)
                yield place, read.text
            elif row := known.get(self._key(read)):
                self.say(f"game {read.number}: annotated before")
                yield place, read_row(row, read)
            else:
                todo.append(place)
        plies = [_plies(self.games[place]) for place in todo]
        with (
            _Bar(plies, self.annotator.nodes or GAME_NODES) as bar,
            ThreadPoolExecutor(self.together) as pool,
        ):
            futures = {
                pool.submit(self._annotate, self.games[place], bar, number): place
                for number, place in enumerate(todo)
            }
            try:
                for future in as_completed(futures):
                    place = futures[future]
                    read = self.games[place]
                    game = self._finish(read, future.result, bar)
                    yield place, game
                    if not isinstance(game, str):  # said when it is written
                        bar.write(self.say, _told(read, game))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.engines.close()
                raise
        if self.kept:
            self.kept.unlink(missing_ok=True)

    def _annotate(self, read: PgnGame, bar: _Bar, number: int) -> AnnotatedGame:
        def search(positions: Any, nodes: int, lines: int) -> Any:
            return self.engines.analyse(
                positions, nodes, lines, lambda: bar.searched(number, nodes)
            )

        annotator = replace(
            self.annotator,
            analyse=search,
            progress=lambda done, total: bar.tell(
                f"game {read.number}: comment {done} of {total}"
            ),
            say=lambda problem: self._fault(read, problem, bar),
        )
        annotated = annotator.annotate(read.game)
        bar.finished(number)
        return annotated

    def _finish(
        self, read: PgnGame, result: Callable[[], AnnotatedGame], bar: _Bar
    ) -> AnnotatedGame | str:
        """Return a game annotated or, where that cannot be, as it is written; say how it went."""
        try:
            game = result()
        except EngineMissing:
            raise
        except Exception as error:  # whatever it is, it costs this game alone
            self._fault(read, fault(error), bar)
            return read.text
        if self.kept:
            row = json.dumps({"key": self._key(read), **game_row(game)})
            with self.kept.open("a", encoding="utf-8") as file:
                file.write(f"{row}\n")
        return game

    def _excuse(self, read: PgnGame) -> None:
        if not read.number:
            self.say(f"line {read.line}: text that is no game; copied as it is")
        elif read.problem:
            self._fault(read, read.problem)
        else:
            self.say(f"{name_game(read)}: no moves; copied as it is")

    def _fault(self, read: PgnGame, problem: str, bar: _Bar | None = None) -> None:
        line = f"{name_game(read)}: {problem}"
        self.faults.append(line)
        if bar:
            bar.write(self.say, line)
        else:
            self.say(line)

    def _key(self, read: PgnGame) -> str:
        settings = json.dumps(self.settings, sort_keys=True)
        return text_digest(f"{settings}\n{read.text}", 16)

    def _read_kept(self) -> dict[str, dict[str, Any]]:
        """Return the finished games by their keys; a line that was cut off is none."""
        rows: dict[str, dict[str, Any]] = {}
        if self.kept and self.kept.is_file():
            for line in self.kept.read_text("utf-8").splitlines():
                with suppress(ValueError, KeyError, TypeError):
                    row = json.loads(line)
                    rows[row["key"]] = row
        return rows


def _told(read: PgnGame, game: AnnotatedGame) -> str:
    comments = sum(bool(note.text) for note in game.notes)
    plies = f"{counted(comments, 'comment')} on {len(game.notes)} plies"
    return f"game {read.number}: {plies} ({game.sources})"


def _plies(read: PgnGame) -> int:
    return read.game.end().ply() - read.game.ply()


# ---------------------------------------------------------------- a finished game, kept


def game_row(game: AnnotatedGame) -> dict[str, Any]:
    """Return what is written beside the moves of a game as plain values, ready for JSON."""
    return {
        "sources": game.sources,
        "notes": [
            [
                _score_row(note.score),
                note.nag,
                note.text,
                list(note.better),
                _score_row(note.better_score),
            ]
            for note in game.notes
        ],
    }


def read_row(row: Mapping[str, Any], read: PgnGame) -> AnnotatedGame:
    """Return the game whose notes :func:`game_row` wrote."""
    notes = tuple(
        Annotation(
            _read_score(score),
            nag,
            text,
            tuple(better),
            _read_score(better_score),
        )
        for score, nag, text, better, better_score in row["notes"]
    )
    return AnnotatedGame(read.game, notes, row["sources"])


def _score_row(score: chess.engine.PovScore | None) -> list[Any] | None:
    if score is None:
        return None
    mate = score.relative.mate()
    value = score.relative.score() if mate is None else mate
    return ["cp" if mate is None else "mate", value, score.turn]


def _read_score(row: Sequence[Any] | None) -> chess.engine.PovScore | None:
    if row is None:
        return None
    kind, value, turn = row
    score = chess.engine.Cp(value) if kind == "cp" else chess.engine.Mate(value)
    return chess.engine.PovScore(score, turn)


# ---------------------------------------------------------------- progress


class _Bar:
    """One bar over the plies of all games; what is left is told from what was searched so far."""

    def __init__(self, plies: Sequence[int], nodes: tuple[int, int]) -> None:
        changing, fixed = _SEARCHED
        self._each = nodes[0] * (fixed if nodes[0] == nodes[1] else changing)
        self._plies = plies
        self._nodes = [0] * len(plies)
        self._done: set[int] = set()
        self._lock = threading.Lock()
        terminal = sys.stderr is not None and sys.stderr.isatty()
        self._bar = tqdm(
            total=sum(plies),
            desc="annotate",
            unit="ply",
            smoothing=0,
            disable=not plies or sys.stderr is None,
            mininterval=_INTERVALS[0] if terminal else _INTERVALS[1],
            bar_format="{desc}: {percentage:3.0f}%|{bar}| {n:.0f} of {total} plies, "
            "{elapsed} gone, {remaining} left{postfix}",
        )

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def searched(self, number: int, nodes: int) -> None:
        """Be told that a position of a game was searched."""
        with self._lock:
            self._nodes[number] += nodes
            self._show()

    def finished(self, number: int) -> None:
        """Be told that a game is annotated."""
        with self._lock:
            self._done.add(number)
            plies = sum(self._plies[each] for each in self._done)
            self._each = max(1.0, sum(self._nodes[n] for n in self._done) / plies)
            left = len(self._plies) - len(self._done)
            self._bar.set_postfix_str(f"games left: {left}", refresh=False)
            self._show()

    def tell(self, text: str) -> None:
        """Show a word beside the bar."""
        with self._lock:
            self._bar.set_postfix_str(text, refresh=False)

    def write(self, say: Callable[[str], object], line: str) -> None:
        """Say a line above the bar."""
        with self._lock, tqdm.external_write_mode(file=sys.stderr):
            say(line)

    def _show(self) -> None:
        shares = (
            plies if number in self._done else min(0.98 * plies, nodes / self._each)
            for number, (plies, nodes) in enumerate(
                zip(self._plies, self._nodes, strict=True)
            )
        )
        self._bar.update(sum(shares) - self._bar.n)
