"""How a chapter shows and keeps a result: tables, boards, figures, evidence, result files."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from io import StringIO
from itertools import pairwise
from numbers import Integral, Real
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import chess
import chess.svg
import numpy as np
import pandas as pd

from chessgloss.positions import MoveInContext, Position
from chessgloss.stats import Interval
from chessgloss.store import find_project, write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

#: Colours of the figures, told apart by readers with any colour vision.
#: Source: Okabe and Ito, "Color Universal Design" (2008).
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

#: Name of the style of a claim's verdict, the gravest first.
VERDICT_STYLES = {
    "false": "claim-false",
    "not checkable": "claim-open",
    "true": "claim-true",
}

#: Names for people of what keys and code call by an identifier: ``wrong_piece``.
NAMES: Mapping[str, str] = tomllib.loads(
    Path(__file__).with_name("names.toml").read_text("utf-8")
)

#: A cell of an HTML table, and what in it may be a name of :data:`NAMES`.
_CELL = re.compile(r"(?<=>)([^<>]+)(?=</t[hd]>)")
#: A head of a column, or of a row, that takes more than a line of a narrow column.
_LONG_HEAD = re.compile(r"<th>(?=[^<]{20})")
_IDENTIFIER = re.compile(r"^[a-z]+$|\b[a-z0-9]+(?:_[a-z0-9]+)+\b")

_KEY = re.compile(r"[a-z0-9_]+(\.[A-Za-z0-9_+]+)+")

#: Units of what is counted among rows, and therefore varies with the rows.
_SHARES = re.compile(r"share|accuracy|precision|recall|probability|area under|%")


@dataclass(frozen=True, slots=True)
class Result:
    """One number of a chapter, as other programs read it.

    Parameters
    ----------
    value
        The number; ``None`` only where what it needs is absent.
    low, high
        The 95 % interval, if there is one; never an empty one around a share of none or
        all. A share that is exact, of everything there is, has none.
    n
        Rows behind the number.
    unit
        Its unit, in words.
    reference
        The published value beside it, if any.
    source
        Where the published value stands: document, table, row.
    needs
        What the number takes and not every reader has, with its article: ``a Leela network``.
    """

    value: float | int | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    unit: str = ""
    reference: float | None = None
    source: str = ""
    needs: str = ""

    def __post_init__(self) -> None:
        numbers = (self.value, self.low, self.high, self.reference)
        if any(number is not None and not math.isfinite(number) for number in numbers):
            raise ValueError(f"a result must be finite, got {self}")
        if self.value is None and not self.needs:
            raise ValueError(f"a result without a value says what it needs, got {self}")
        if self.reference is not None and not self.source:
            raise ValueError(f"the published value {self.reference} needs its source")
        ends = (0, 100) if "%" in self.unit else (0, 1)
        empty = self.low is not None and self.low == self.high
        if empty and self.value in ends and _SHARES.search(self.unit):
            raise ValueError(f"a share of none or all has an interval too, got {self}")

    @classmethod
    def of(cls, interval: Interval, unit: str = "", **more: Any) -> Result:
        """Return the result of an estimate with its interval."""
        return cls(
            interval.value, interval.low, interval.high, interval.n, unit, **more
        )


@dataclass(frozen=True, slots=True)
class Html:
    """A piece of HTML that a notebook shows, with a plain text beside it."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def rows(
    values: Any,
    prefix: str,
    *,
    unit: str = "",
    reference: Any = None,
    needs: str = "",
    drop: bool = False,
) -> dict[str, Result]:
    """Return the results of a table of numbers, keyed by row and column.

    Parameters
    ----------
    values
        An :class:`Interval`, a number or a :class:`Result`; or a mapping, series or frame of
        such. Index and column names follow the prefix, joined by dots, spaces as underscores.
    prefix
        Beginning of every key (``table6.mean``).
    unit
        Of all of them; a Result keeps its own.
    reference
        Published values (cells of :mod:`chessgloss.book.reference`) under the same names; a
        name without one has none.
    needs
        What all of them need and not every reader has (:class:`Result`); where it is absent the
        values are ``None``.
    drop
        Leave missing values (``None``, NaN) out instead of refusing them.

    Examples
    --------
    >>> list(rows({"ccc": 0.5, "ccc others": 0.25}, "gcc.relevance"))
    ['gcc.relevance.ccc', 'gcc.relevance.ccc_others']
    """
    published = dict(_leaves(reference)) if reference is not None else {}
    kept = {}
    for names, value in _leaves(values):
        missing = isinstance(value, Real) and math.isnan(value)
        if missing or (value is None and (drop or not needs)):
            if drop:
                continue
            raise ValueError(f"{prefix} has no value at {names}")
        key = ".".join([prefix, *(str(name).replace(" ", "_") for name in names)])
        cell = published.get(names)
        more = {} if cell is None else {"reference": cell.value, "source": cell.key}
        if isinstance(value, Interval):
            value = Result.of(value, unit, **more)
        elif not isinstance(value, Result):
            value = Result(value, unit=unit, **more, needs=needs)
        kept[key] = replace(value, needs=value.needs or needs)
    return kept


def save(chapter: str, *tables: Mapping[str, Result]) -> None:
    """Write a chapter's results, ``NN_section.json``, keys sorted.

    The folder is ``CHESSGLOSS_RESULTS``, which ``make`` sets. A notebook that is run in any
    other way writes to ``_build/scratch`` of the project, and says so.

    Parameters
    ----------
    chapter
        Name of the chapter's notebook.
    tables
        Results by key, as :func:`rows` returns them.

    Raises
    ------
    ValueError
        If two tables have a key in common, or a key is not dotted words
        (``table6.mean.nnue``).
    """
    keys = [key for table in tables for key in table]
    if wrong := [key for key in keys if not _KEY.fullmatch(key)]:
        raise ValueError(
            f"result keys must be dotted words such as 'table6.mean': {wrong}"
        )
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise ValueError(f"result keys stand in two tables: {twice}")
    results = {key: result for table in tables for key, result in table.items()}
    given = os.environ.get("CHESSGLOSS_RESULTS")
    folder = Path(given) if given else find_project() / "_build" / "scratch"
    path = folder / f"{chapter}.json"
    entries = {key: _entry(result) for key, result in sorted(results.items())}
    write_file(path, json.dumps(entries, indent=1, ensure_ascii=False) + "\n")
    if not given:
        print(f"results kept in {path}; only `make` writes book/results")


def in_words(result: Result, committed: Result | None = None) -> str:
    """Return a result in words: its value and interval, or the asset that it needs.

    Parameters
    ----------
    result
        It.
    committed
        The same result as the book has it, which is told where this one has no value.
    """
    if result.value is None:
        if committed is None or committed.value is None:
            return f"needs {result.needs}"
        return f"needs {result.needs}; the committed value is {in_words(committed)}"
    if result.unit.startswith("share"):  # of a hundred, a difference in points
        unit = " points" if re.search("differ|less", result.unit) else " %"
        value, low, high = (
            None if each is None else f"{round(100 * each, 1):g}"
            for each in (result.value, result.low, result.high)
        )
    else:
        unit = ""
        show = f"{{:,.{'3g' if abs(result.value) < 1000 else '0f'}}}".format
        value, low, high = (
            None if each is None else show(each)
            for each in (result.value, result.low, result.high)
        )
    interval = "" if low is None or high is None else f" ({low} to {high})"
    return f"{value}{unit}{interval}"


def without(needs: str, chapter: str, keys: Mapping[str, str]) -> Html:
    """Show, in place of a section's measurements, the asset they need and the committed values.

    Parameters
    ----------
    needs
        As in :class:`Result`.
    chapter
        Name of the chapter's notebook.
    keys
        Keys of its results, by what to call each here.
    """
    path = find_project() / "book/results" / f"{chapter}.json"
    kept = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    known = {
        name: in_words(Result(**kept[key]))
        for name, key in keys.items()
        if key in kept and kept[key]["value"] is not None
    }
    committed = "; the committed values:" if known else ""
    return texts(known, f"Needs {needs}, not found on this machine{committed}")


def paste(**values: Any) -> None:
    """Give values to the chapter's prose, which shows them by ``{glue:text}`name:.2f```.

    A number of numpy's becomes Python's own, as its printed form would stand in the page.
    """
    from myst_nb import glue

    for name, value in values.items():
        glue(
            name,
            value.item() if isinstance(value, np.generic) else value,
            display=False,
        )


def table(frame: pd.DataFrame, caption: str = "", digits: int = 2) -> Html:
    """Show a table: numbers with ``digits`` decimals, counts with separators."""
    shown = frame.map(lambda cell: _cell(cell, digits))
    body = shown.to_html(classes="results", border=0, escape=True, na_rep="")
    body = _LONG_HEAD.sub('<th class="long">', body)
    return _captioned(caption, body, shown.to_string())


def listed(names: Sequence[str], nothing: str = "none") -> str:
    """Return names as a sentence has them: ``a, b and c``; ``nothing`` if there are none."""
    if not names:
        return nothing
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def texts(rows: Mapping[str, str], caption: str = "") -> Html:
    """Show texts under each other, each beside its name, with lines that wrap."""
    column = pd.Series(dict(rows), dtype=object).to_frame("")
    with pd.option_context("display.max_colwidth", None):
        body = column.to_html(classes="results texts", border=0, header=False)
    plain = "\n".join(f"{name}: {text}" for name, text in rows.items())
    return _captioned(caption, body, plain)


def claims(rows: Mapping[str, tuple[str, Sequence[Any]]], caption: str = "") -> Html:
    """Show texts under each other, each beside its name, with their checked claims coloured.

    The claims are those that :func:`chessgloss.claims.verify` returned of the text. A pointer
    held over a claim shows kind, verdict and evidence; where claims lie over each other the
    gravest verdict colours. Verdicts differ in their underline too.
    """
    cells = "".join(
        f"<tr><th>{escape(name)}</th><td>{_coloured(*row)}</td></tr>"
        for name, row in rows.items()
    )
    body = f'<table class="dataframe results texts"><tbody>{cells}</tbody></table>'
    evidence = (
        "\n".join([f"{name}: {text}", *(f"{c.text}: {c.evidence}" for c in checked)])
        for name, (text, checked) in rows.items()
    )
    return _captioned(caption, body, "\n".join(evidence))


def _captioned(caption: str, body: str, text: str) -> Html:
    head = f'<p class="table-caption">{escape(caption)}</p>' if caption else ""
    body = _CELL.sub(_for_people, body)
    return Html(f'<div class="results">{head}{body}</div>', text)


def _for_people(cell: re.Match[str]) -> str:
    """Return a cell with names for people in place of identifiers, which follow in small print."""
    said = _IDENTIFIER.sub(lambda key: NAMES.get(key[0], key[0]), cell[0])
    return said if said == cell[0] else f'{said} <code class="key">{cell[0]}</code>'


def _coloured(text: str, checked: Sequence[Any]) -> str:
    pieces = []
    for start, stop in pairwise(
        sorted({0, len(text)}.union(*(c.span for c in checked)))
    ):
        over = [c for c in checked if c.span[0] <= start and stop <= c.span[1]]
        words = escape(text[start:stop])
        verdicts = {c.verdict for c in over}
        if not verdicts.isdisjoint(VERDICT_STYLES):
            why = "\n".join(f"{c.kind}, {c.verdict}: {c.evidence}" for c in over)
            style = next(
                style
                for verdict, style in VERDICT_STYLES.items()
                if verdict in verdicts
            )
            words = f'<span class="{style}" title="{escape(why)}">{words}</span>'
        pieces.append(words)
    return f'<p class="claims">{"".join(pieces)}</p>'


def sheet(title: str, counts: Mapping[str, object]) -> Html:
    """Show named counts as one column: whole numbers as such, shares with two decimals."""
    return table(pd.DataFrame({title: pd.Series(dict(counts), dtype=object)}))


def check(
    hint: str,
    expected: Mapping[str, str] = MappingProxyType({}),
    *,
    within: float = 0.005,
    ordered: bool = False,
    **found: Any,
) -> Html:
    """Show whether an exercise's results are right, and a hint if not.

    The chapter itself calls it with the results of its own solutions: their hashes stand in the
    plain text of what is shown, and `make exercises` writes them into the notebooks in which the
    solutions are left out. An empty result is never right.

    Parameters
    ----------
    hint
        What to look at.
    expected
        Hashes of each right result (:func:`answer_digest`), by its name, as profile ``book``
        gives it.
    within
        How far a number may be from the right one and is right for certain; twice as far it is
        wrong for certain.
    ordered
        Whether the results have an order that the question asks for.
    found
        The results by name, ``...`` where there is none yet; with a function that says whether it
        is right (``by_lot=(by_lot, lambda found: ...)``) where there is more than one right result.
    """
    said = {}
    digests = {}
    exact = f"{hint} (Profile book; numbers within {within:g}.)"
    for name, answer in found.items():
        tested = isinstance(answer, tuple) and callable(answer[-1])
        value, test = answer if tested else (answer, None)
        if value is ...:
            said[name] = "still to be found"
        elif test is not None:
            said[name] = "right" if _holds(test, value) else f"not yet: {hint}"
        elif expected:
            known = expected.get(name, "")
            right = _is_known(value, known, within, ordered)
            said[name] = "right" if right else f"not yet: {exact}"
        else:
            digests[name] = answer_digest(value, within, ordered)
            said[name] = "the chapter's own answer stands in the fold above"
    shown = texts(said)
    return Html(
        shown.html, shown.text if expected or not digests else json.dumps(digests)
    )


def answer_digest(answer: Any, within: float = 0.005, ordered: bool = False) -> str:
    """Return hashes of the numbers and words of a result, however they are named.

    A number is hashed with the step of width ``within`` that it lies on, of an interval its
    value. Unless ``ordered``, numbers and words are sorted first.
    """
    return " ".join(_mark(value, within) for value in _answered(answer, ordered))


def _is_known(answer: Any, known: str, within: float, ordered: bool) -> bool:
    """Return whether each number or word of a result, and one at least, is that of a digest."""
    values = _answered(answer, ordered)
    marks = known.split()
    return (
        bool(values)
        and len(values) == len(marks)
        and all(
            mark in {_mark(value, within, step) for step in (-1, 0, 1)}
            for value, mark in zip(values, marks, strict=True)
        )
    )


def _answered(answer: Any, ordered: bool) -> list[Any]:
    """Return the numbers and words of a result, the numbers first unless they have an order."""
    if isinstance(answer, list | tuple | set | frozenset | np.ndarray):
        answer = dict(enumerate(answer))
    leaves = (value for _, value in _leaves(answer))
    values = [each.value if isinstance(each, Interval) else each for each in leaves]
    if ordered:
        return values
    numbers = [float(each) for each in values if isinstance(each, Real)]
    words = [str(each) for each in values if not isinstance(each, Real)]
    return [*sorted(numbers), *sorted(words)]


def _mark(value: Any, within: float, step: int = 0) -> str:
    """Return the hash of a number's step of a width, or of its neighbour; or of a word."""
    counted = isinstance(value, Real) and math.isfinite(value)
    text = str(math.floor(float(value) / within) + step) if counted else str(value)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _holds(test: Callable[[Any], Any], value: Any) -> bool:
    """Return whether a test holds; a result that it cannot even look at fails."""
    try:
        return bool(test(value))
    except (TypeError, ValueError, KeyError, AttributeError, IndexError):
        return False


def evidence(
    n: int,
    unit: str,
    seed: int,
    clusters: int | None = None,
    interval: str = "",
    versions: Mapping[str, str] = MappingProxyType({}),
) -> Html:
    """Show the evidence of the numbers above: the line under every result.

    Parameters
    ----------
    n, unit
        Number of units measured, and what is counted: ``positions``, ``moves``, ``comments``.
    seed
        Seed of every random choice.
    clusters
        Games whose rows the interval draws together, if any.
    interval
        How the interval was made.
    versions
        Engines, networks, models and the limits they worked under.
    """
    groups = f" in {clusters:,} games" if clusters is not None else ""
    parts = [f"n = {n:,} {unit}{groups}", f"seed {seed}"]
    parts += [f"interval: {interval}"] if interval else []
    parts += (
        ["; ".join(f"{name} {value}" for name, value in versions.items())]
        if versions
        else []
    )
    line = " · ".join(parts)
    return Html(f'<p class="evidence">{escape(line)}</p>', line)


def board(shown: Position | MoveInContext, size: int = 340) -> Html:
    """Show a position, or a move on it with a blue arrow; seen by the side to move.

    A link below it leads to the same position in the book's explorer.
    """
    move = shown.move if isinstance(shown, MoveInContext) else None
    position = shown.position if isinstance(shown, MoveInContext) else shown
    arrows = (
        [chess.svg.Arrow(move.from_square, move.to_square, color="#0072B2c0")]
        if move
        else []
    )
    svg = chess.svg.board(
        position.board(),
        orientation=position.turn,
        arrows=arrows,
        size=size,
        coordinates=True,
    )
    moved = {"move": move.uci()} if move else {}
    asked = urlencode({"fen": position.fen} | moved, quote_via=quote)
    link = f'<a class="explore" href="../explorer.html#{asked}">in the explorer</a>'
    return Html(f'<div class="board">{svg}{link}</div>', str(chess.Board(position.fen)))


def boards(*shown: Html) -> Html:
    """Show boards, tables or figures beside each other, below each other on a phone."""
    inner = "".join(f"<div>{part.html}</div>" for part in shown)
    return Html(
        f'<div class="boards">{inner}</div>', "\n\n".join(part.text for part in shown)
    )


#: What makes pictures answer, where the built book has it; they say the same without.
_EXPLORABLES = '<script src="../../_static/explorables.js"></script>'

#: What a square can hold, in the order of a reading's classes, and digits of probabilities.
_CONTENTS = ".PNBRQKpnbrqk"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def choosable(
    figure: Figure,
    words: Mapping[str, str],
    label: str,
    *,
    alt: str,
    start: str,
    slider: bool = False,
) -> Html:
    """Show a figure of which a reader chooses points: their words are said.

    Parameters
    ----------
    figure
        A point is what is drawn with ``gid="point-KEY"``; what is drawn with ``gid="with-KEY"``
        is seen only while the point is chosen. It is closed.
    words
        What is said of each point, by its key: ``"name: and what there is to say"``.
    label
        What a point is, for the control that chooses one.
    alt
        What the figure shows, for those who do not see it.
    start
        Key of the point that is chosen first, and alone where no script runs.
    slider
        Choose by a slider, along the figure's own order, in place of a list of names.

    Raises
    ------
    ValueError
        If a point has no words, or words no point.
    """
    import matplotlib.pyplot as plt

    drawn = StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    points = []

    def mark(group: re.Match[str]) -> str:
        role, key = group.groups()
        if role == "with":
            hidden = "" if key == start else ' style="visibility: hidden"'
            return f'<g data-with="{escape(key)}"{hidden}>'
        points.append(key)
        title = escape(words.get(key, ""))
        return f'<g data-point="{escape(key)}"><title>{title}</title>'

    svg = re.sub(r'<g id="(point|with)-([^"]+)">', mark, drawn.getvalue())
    if {*points} != {*words} or start not in words:
        raise ValueError(f"points {points} and words {[*words]}, starting at {start!r}")
    svg = svg[svg.index("<svg") :].replace(
        "<svg", f'<svg role="img" aria-label="{escape(alt)}"', 1
    )
    control = "range" if slider else "select"
    return Html(
        f'<div class="explorable" data-label="{escape(label)}" data-control="{control}" '
        f'data-start="{escape(start)}">{svg}</div>{_EXPLORABLES}',
        words[start],
    )


def board_readings(
    games: Mapping[str, tuple[Sequence[str], NDArray[np.floating]]],
    *,
    ply: int,
    square: int,
) -> Html:
    """Show the reading of a board, move by move, on squares that a reader chooses.

    Parameters
    ----------
    games
        By name: moves in UCI, and the probabilities, ``(n_plies, 64, 13)``, of what stands on
        each square after each move, by the codes of
        :func:`chessgloss.experts.boards.read_boards`.
    ply, square
        Of the first game, the plies played, from 1 up, and the square that are shown first;
        without a script nothing else is.
    """
    described = [_describe_readings(name, *game) for name, game in games.items()]
    moves, chances = next(iter(games.values()))
    actual = Position.after(moves[:ply]).board()
    read = chess.Board(None)
    wrong = {}
    for place, code in enumerate(chances[ply - 1].argmax(axis=1)):
        if code:
            read.set_piece_at(place, chess.Piece.from_symbol(_CONTENTS[code]))
        if read.piece_at(place) != actual.piece_at(place):
            wrong[place] = "#D55E00d0"
    pair = (
        chess.svg.board(actual, size=280, lastmove=actual.peek()),
        chess.svg.board(read, size=280, fill=wrong),
    )
    still = boards(*(Html(svg, "") for svg in pair))
    given = {"games": described, "ply": ply - 1, "square": square}
    data = json.dumps(given, separators=(",", ":")).replace("<", "\\u003c")
    shapes = "".join(chess.svg.PIECES.values())
    return Html(
        f'<div class="explorable"><div class="still">{still.html}</div>'
        f'<svg class="pieces" width="0" height="0" aria-hidden="true"><defs>{shapes}</defs></svg>'
        f'<script type="application/json">{data}</script></div>{_EXPLORABLES}',
        f"{len(wrong)} of 64 squares are read wrongly:\n{actual}\n\n{read}",
    )


def _describe_readings(
    name: str, ucis: Sequence[str], chances: NDArray[np.floating]
) -> dict[str, object]:
    """Return a game as the page reads it: a character a square, of what is wrong two."""
    board = chess.Board()
    described: dict[str, list[str]] = {
        key: [] for key in ("moves", "boards", "read", "sure", "missed")
    }
    for uci, squares in zip(ucis, chances, strict=True):
        number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
        described["moves"].append(f"{number} {board.san(chess.Move.from_uci(uci))}")
        board.push_uci(uci)
        read = squares.argmax(axis=1)
        pieces = [str(board.piece_at(place) or ".") for place in chess.SQUARES]
        there = np.array([_CONTENTS.index(letter) for letter in pieces])
        missed = squares[np.flatnonzero(read != there), there[read != there]]
        described["boards"].append(board.board_fen())
        described["read"].append("".join(_CONTENTS[code] for code in read))
        described["sure"].append(_digits(squares.max(axis=1)))
        described["missed"].append(_digits(missed))
    return {"name": name, **described}


def _digits(chances: NDArray[np.floating]) -> str:
    """Write probabilities as a digit each, of 35ths."""
    return "".join(_DIGITS[digit] for digit in np.rint(35 * chances).astype(int))


def use_house_style() -> None:
    """Set matplotlib to the book's style: quiet axes, one palette, reproducible SVG."""
    import matplotlib.pyplot as plt
    from cycler import cycler
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    plt.style.use(str(Path(__file__).with_name("report.mplstyle")))
    plt.rcParams["axes.prop_cycle"] = cycler(color=PALETTE)
    set_matplotlib_formats(
        "svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight"
    )


def _leaves(
    values: Any, names: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Walk a nested table and yield each value with the names that lead to it."""
    if isinstance(values, pd.DataFrame):
        values = dict(values.iterrows())
    if isinstance(values, pd.Series):
        values = dict(values.items())
    if not isinstance(values, Mapping):
        yield names, values
        return
    for name, inner in values.items():
        more = name if isinstance(name, tuple) else (name,)
        yield from _leaves(inner, (*names, *more))


def _entry(result: Result) -> dict[str, object]:
    row = {name: _rounded(value) for name, value in asdict(result).items()}
    if not result.needs:
        del row["needs"]
    return row


def _rounded(value: object) -> object:
    if isinstance(value, Integral):
        return int(value)
    return round(float(value), 6) if isinstance(value, Real) else value


def _cell(cell: object, digits: int) -> str:
    if isinstance(cell, Interval):
        return f"{cell:.{digits}f}"
    if isinstance(cell, Integral) and not isinstance(cell, bool):
        return f"{int(cell):,}"
    if isinstance(cell, Real):
        return "" if math.isnan(cell) else f"{float(cell):,.{digits}f}"
    return str(cell)
