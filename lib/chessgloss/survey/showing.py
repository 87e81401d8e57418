"""How a chapter shows the study: the form itself, and human results beside the paper's."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from chessgloss.book import reference
from chessgloss.report import Html, Result
from chessgloss.stats import Interval
from chessgloss.survey.blinding import Key, read_key
from chessgloss.survey.page import write_form
from chessgloss.survey.reading import read_ratings
from chessgloss.survey.records import DIMENSIONS, Ratings, Settings
from chessgloss.survey.tables import read_scores, table1, table3, table4

#: Rows of the paper's Table 1 by the names that the methods have here.
PAPER_METHODS: Mapping[str, str] = MappingProxyType(
    {
        "reference": "Reference",
        "gac": "GAC",
        "llm": "GPT-4o",
        "llm_expert": "GPT-4o + expert",
        "ccc": "GPT-4o + expert + concept (CCC)",
    }
)
#: Rows of the paper's Table 4 by the names of columns in a file of scores.
PAPER_METRICS: Mapping[str, str] = MappingProxyType(
    {
        "bleu1": "BLEU-1",
        "rouge1": "ROUGE-1",
        "rouge2": "ROUGE-2",
        "rougel": "ROUGE-L",
        "gcc_eval": "GCC-Eval",
    }
)
#: What a row waits for while nobody has rated.
MISSING = "human ratings"

_KINDS = {"pearson": "rho", "kendall": "tau"}


@dataclass(frozen=True, slots=True)
class Received:
    """Ratings that people sent, the key they were read with, and scores laid beside them.

    Parameters
    ----------
    ratings
        The checked ratings.
    key
        Of the study.
    scores
        Automatic scores of its comments, if any.
    """

    ratings: Ratings
    key: Key
    scores: pd.DataFrame | None = None

    def __post_init__(self) -> None:
        if self.ratings.simulated:
            raise ValueError("these ratings are simulated: they are not what people sent")


def received(folder: Path) -> Received | None:
    """Return the ratings in a folder, or ``None`` if nobody has sent any.

    The folder holds ``ratings-*.json`` as the form names its downloads, the form's key as
    ``*.key.json``, and ``scores.csv`` if Table 4 is wanted.

    Raises
    ------
    ValueError
        If there are ratings and not exactly one key, if the ratings are simulated, or
        anything in the files is wrong.
    """
    files = sorted(folder.glob("ratings-*.json"))
    if not files:
        return None
    keys = sorted(folder.glob("*.key.json"))
    if len(keys) != 1:
        raise ValueError(f"{folder} needs the one key of its form, *.key.json; it has {len(keys)}")
    key = read_key(keys[0])
    ratings, scores = read_ratings(files, key), folder / "scores.csv"
    return Received(ratings, key, read_scores(scores, ratings) if scores.is_file() else None)


def frame(key: Key, settings: Settings, height: int = 720) -> Html:
    """Show the form in a frame of its own: it can be filled in there and keeps nothing."""
    page = html.escape(write_form(key, settings), quote=True)
    return Html(
        '<iframe title="The form of the study, to be tried" loading="lazy" '
        'sandbox="allow-scripts allow-forms allow-downloads allow-modals" '
        f'style="width:100%;height:{height}px;border:1px solid #8a9297;border-radius:8px" '
        f'srcdoc="{page}"></iframe>',
        f"(the form: {len(key.study.moves)} moves, {len(key.study.methods)} methods)",
    )


def results(found: Received | None, *, seed: int) -> dict[str, Result]:
    """Return the rows of Tables 1, 3 and 4, each beside the paper's value.

    Without ratings, or without scores for Table 4, a row has no value and names what is
    missing. Simulated ratings never enter.
    """
    measured = dict(_measured(found, seed)) if found else {}
    rows = {}
    for key, cell in _published():
        beside = {"reference": cell.value, "source": cell.key} if cell.value is not None else {}
        value = measured.get(key)
        if value is None:
            missing = "automatic scores" if found and key.startswith("table4.") else MISSING
            rows[key] = Result(None, absent=missing, **beside)  # type: ignore[arg-type]
        else:
            rows[key] = Result.of(value, "", **beside)  # type: ignore[arg-type]
    return rows


def _published() -> Iterator[tuple[str, reference.Reference]]:
    for name in DIMENSIONS:
        column = name.capitalize()
        for method, row in PAPER_METHODS.items():
            yield f"table1.{name}.{method}", reference.lookup("ccc", "table1", row, column)
        yield f"table3.{name}", reference.lookup("ccc", "table3", column, "kappa")
        for metric, row in PAPER_METRICS.items():
            for kind, sign in _KINDS.items():
                cell = reference.lookup("ccc", "table4", row, f"{column} {sign}")
                if cell.value is not None:
                    yield f"table4.{metric}.{name}.{kind}", cell


def _measured(found: Received, seed: int) -> Iterator[tuple[str, Interval]]:
    study = found.key.study
    for row in table1(found.ratings, study.words(), study.baseline, seed=seed).itertuples():
        yield f"table1.{row.dimension}.{row.method}", row.mean
    if len(found.ratings.raters) > 1:
        for name, kappa in table3(found.ratings, seed=seed)["kappa_ranks"].items():
            if isinstance(kappa, Interval):
                yield f"table3.{name}", kappa
    if found.scores is not None:
        cells = table4(found.ratings, found.scores, seed=seed).stack([0, 1], future_stack=True)
        for (metric, name, kind), value in cells.items():
            if isinstance(value, Interval):
                yield f"table4.{metric}.{name}.{kind}", value
