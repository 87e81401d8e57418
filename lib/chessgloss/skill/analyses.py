"""Tables of every legal move's value, kept in a file by the content of their position.

The positions of the suite are asked of every player; the value of each legal move is searched
once and committed. A line of the file names its position by a hash alone, so that positions
from sources under other terms can be in it. What a file does not hold is searched and kept in
the store.

    python -m chessgloss.skill.analyses --help

says how the files are made again; killed anywhere, it goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import zstandard
from tqdm import tqdm

from chessgloss.corpora.games import pack
from chessgloss.engine import Engine, open_engine
from chessgloss.positions import Position
from chessgloss.skill.grading import MoveTable, Settings, analyse_moves, position_key
from chessgloss.store import Store

#: Engine whose tables are committed; another's are never mixed with them.
ENGINE = "Stockfish 15.1"


class AnalysesError(ValueError):
    """A file of analyses that is cut off or not in its form."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A table without its position: values by UCI move, and the best moves in order."""

    values: Mapping[str, int]
    ranked: tuple[str, ...]

    def of(self, position: Position) -> MoveTable:
        """Return the table of the position it was made for."""
        return MoveTable(position, self.values, self.ranked)


def tables_path(folder: Path, settings: Settings) -> Path:
    """Return where the tables of these settings lie in a folder."""
    return folder / f"tables-{settings.label}.tsv.zst"


def read_tables(path: Path) -> dict[str, Kept]:
    """Return the tables of a file by the keys of their positions; none if there is no file.

    Raises
    ------
    AnalysesError
        At the first line that is no table, or when the file is cut off.
    """
    return dict(map(_read_line, _lines(path)))


def find_tables(
    positions: Sequence[Position],
    settings: Settings,
    *,
    kept: Mapping[str, Kept],
    store: Store,
    progress: bool = True,
) -> list[MoveTable]:
    """Return the table of each position: the kept one, the store's, or a new search's.

    Parameters
    ----------
    positions
        Positions with a legal move.
    settings
        How the tables were, and are, searched.
    kept
        Tables by key (:func:`read_tables`); empty to search all of them again.
    store
        Keeps what is searched.
    """
    with ExitStack() as stack:
        engines: list[Engine] = []

        def search(position: Position) -> MoveTable:
            if not engines:
                engines.append(stack.enter_context(open_engine()))
            return _stored(engines[0], position, settings, store)

        bar = tqdm(positions, desc="tables", unit="position", disable=not progress or bool(kept))
        keyed = ((position_key(one), one) for one in bar)
        return [kept[key].of(one) if key in kept else search(one) for key, one in keyed]


def make_tables(
    positions: Iterable[Position],
    settings: Settings,
    target: Path,
    *,
    asked: Mapping[str, tuple[str, ...]] | None = None,
    progress: bool = True,
) -> Path:
    """Search what a file of tables lacks, and write the file again, sorted by key.

    Each table is appended to a file beside the target at once, and packed at the end; tables
    that the target holds already are kept.

    Parameters
    ----------
    positions
        Positions wanted.
    settings
        How to search.
    target
        The file (:func:`tables_path`).
    asked
        By position key, the moves wanted beside the five best; by default every legal one.
    """
    beside = target.with_suffix(".part.tsv")
    done = read_tables(target) | _read_part(beside)
    wanted = {position_key(one): one for one in positions}
    missing = [key for key in sorted(wanted) if key not in done]
    target.parent.mkdir(parents=True, exist_ok=True)
    with beside.open("a", encoding="ascii") as part, ExitStack() as stack:
        engine = stack.enter_context(open_engine(timeout=600)) if missing else None
        for key in tqdm(missing, desc=settings.label, unit="position", disable=not progress):
            assert engine is not None
            table = analyse_moves(engine, wanted[key], settings, asked=(asked or {}).get(key))
            done[key] = Kept(table.values, table.ranked)
            part.write(_line(key, done[key]))
            part.flush()
    pack((_line(key, done[key]) for key in sorted(done)), target)
    beside.unlink()
    return target


def _stored(engine: Engine, position: Position, settings: Settings, store: Store) -> MoveTable:
    """Return a table from the store, searched if it is not there."""

    def build() -> dict:
        table = analyse_moves(engine, position, settings)
        return {"values": dict(table.values), "ranked": list(table.ranked)}

    recipe = {
        "position": position_key(position),
        "settings": settings.label,
        "lines": settings.lines,
        "engine": engine.name,
    }
    found = store.fetch("move_table", recipe, build)
    return MoveTable(position, found["values"], tuple(found["ranked"]))


def _line(key: str, kept: Kept) -> str:
    values = " ".join(f"{uci}:{value}" for uci, value in sorted(kept.values.items()))
    return f"{key}\t{' '.join(kept.ranked)}\t{values}\n"


def _lines(path: Path) -> Iterator[str]:
    if not path.exists():
        return
    try:
        text = zstandard.ZstdDecompressor().decompress(path.read_bytes()).decode("ascii")
    except zstandard.ZstdError as error:
        raise AnalysesError(f"{path.name} is damaged or cut off: {error}") from None
    yield from text.splitlines()


def _read_part(path: Path) -> dict[str, Kept]:
    """Read what a killed run left; its last line may be cut off."""
    lines = path.read_text("ascii").split("\n")[:-1] if path.exists() else []
    return dict(map(_read_line, lines))


def _read_line(line: str) -> tuple[str, Kept]:
    try:
        key, ranked, values = line.split("\t")
        pairs = (word.split(":") for word in values.split(" "))
        return key, Kept({uci: int(value) for uci, value in pairs}, tuple(ranked.split(" ")))
    except ValueError as error:
        raise AnalysesError(f"not a line of analyses: {line[:60]!r} ({error})") from None
