"""What training came to, as the rows of the state-tracking paper's tables.

A row is a model at a size of training set. Of the runs that differ in the seed alone the
first stands in the tables; of those that differ in the probability of piece types (RAP), the
one of lowest dev perplexity, as the paper chose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
from numpy.typing import NDArray

from chessgloss.book.reference import load
from chessgloss.book.reference import table as published
from chessgloss.stats import Interval, paired_permutation
from chessgloss.tracking.baselines import (
    END_BASELINES,
    EVEN_DRAW,
    START_BASELINES,
    Baselines,
    Judged,
    baselines_of,
    mark_plain,
)
from chessgloss.tracking.evaluate import scores_of
from chessgloss.tracking.probe_scores import ProbeScores, answer_table, beats, score_probes
from chessgloss.tracking.probes import END_TASKS, select
from chessgloss.tracking.runs import RunRecord, read_predictions, trained_runs

#: Names of the models in keys, and in the paper's Tables 4 to 6 and 7.
NOTATION_ROWS = {"uci": "UCI", "uci_rap": "UCI + RAP", "uci_ap": "UCI + AP"}
HISTORY_ROWS = {
    "uci": "GPT2",
    "window50": "GPT2 (w = 50)",
    "reformer": "Reformer",
    "performer": "Performer",
    "lstm": "LSTM",
    "lstm_rap": "LSTM + RAP",
}
SIZES = ("S", "M", "L")

#: Columns of the paper's Tables 5 to 7.
PROBE_COLUMNS = (
    "LgM Actual Acc.",
    "LgM Actual R-Prec.",
    "LgM Other Acc.",
    "LgM Other R-Prec.",
    "ExM Acc.",
)

#: The same in three narrow tables, by short names.
PROBE_PARTS: dict[str, dict[str, str]] = {
    "legal answers (LgM accuracy)": {"LgM Actual Acc.": "Actual", "LgM Other Acc.": "Other"},
    "legal answers (R-precision)": {"LgM Actual R-Prec.": "Actual", "LgM Other R-Prec.": "Other"},
    "as played (ExM accuracy)": {"ExM Acc.": "Actual"},
}

#: What stands in the place of a number that nobody has trained for.
NOT_TRAINED = "not trained"

_TRAINING_COLUMNS = ("dev", "test", "epochs", "tokens read", "early stop", "RAP, %", "run")

#: Log-probabilities of a run on the instances of a task and band, ``(n, 77)``; None without.
Predictor = Callable[[str, str, str], NDArray | None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run came to.

    Parameters
    ----------
    name
        The run.
    size, model
        Training set, and name of the model in keys.
    probability
        Share of moves with a piece type in training, 0 to 1, of the RAP models.
    seed
        Seed of the run.
    parameters
        Numbers learned.
    epochs, tokens
        Passes over the games, and tokens read in them, until training ended.
    stopped_early
        Whether it ended because the dev perplexity rose.
    dev, test
        Canonical perplexity of the best epoch.
    dropout
        Share that was dropped in training.
    """

    name: str
    size: str
    model: str
    probability: float
    seed: int
    parameters: int
    epochs: int
    tokens: int
    stopped_early: bool
    dev: float
    test: float
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.size not in SIZES or self.model not in {**NOTATION_ROWS, **HISTORY_ROWS}:
            raise ValueError(f"run {self.name}: no size {self.size!r} or model {self.model!r}")
        if min(self.dev, self.test) < 1:
            raise ValueError(f"run {self.name}: a perplexity is at least 1")

    @property
    def title(self) -> str:
        """The row of the papers, with what is not the same for all: ``UCI + RAP 5%, 14 passes``."""
        share = f" {self.probability:.0%}" if self.probability else ""
        dropout = f", dropout {self.dropout:.0%}" if self.dropout else ""
        row = {**HISTORY_ROWS, **NOTATION_ROWS}[self.model]
        return f"{row}{share}{dropout}, {self.epochs} passes"


def read_outcomes(folder: Path | None = None) -> list[Outcome]:
    """Return what every run of the paper's tables came to that was trained.

    Parameters
    ----------
    folder
        The folder of the runs' records; by default the project's ``data/tracking``.
    """
    return [_outcome(record) for record in trained_runs(folder) if record.run.usual]


def read_longer(folder: Path | None = None) -> list[Outcome]:
    """Return what the runs came to with other passes than the tables', or with dropout."""
    return [
        _outcome(record)
        for record in trained_runs(folder)
        if not (record.run.usual or record.run.base)
    ]


def recorded(folder: Path | None = None) -> Predictor:
    """Return scores ``(n, 77)`` of what was kept when the runs ended, by run, task and band."""
    read = cache(lambda name: read_predictions(name, folder))

    def predict(name: str, task: str, band: str) -> NDArray | None:
        kept = read(name).get(f"{task}.{band}")
        return None if kept is None else scores_of(kept)

    return predict


def told(value: float | Interval | Judged | None, form: str) -> str:
    """Return a number as text by a format such as ``+.1f``; :data:`NOT_TRAINED` for none.

    Parameters
    ----------
    value
        The number, with its interval or without; None or nan where no run gives one.
    form
        A format specification of Python's.
    """
    return NOT_TRAINED if value is None or value != value else format(value, form)


def headline(outcomes: Iterable[Outcome]) -> dict[tuple[str, str], Outcome]:
    """Return the run that stands for each size and model, in the order of the tables."""
    best: dict[tuple[str, str], Outcome] = {}
    for one in sorted(outcomes, key=lambda one: (one.seed, one.dev, one.name)):
        best.setdefault((one.size, one.model), one)
    models = dict.fromkeys([*NOTATION_ROWS, *HISTORY_ROWS])
    order = [(size, model) for size in SIZES for model in models]
    return {key: best[key] for key in order if key in best}


def perplexity_table(
    outcomes: Iterable[Outcome],
    models: Mapping[str, str],
    tests: Mapping[str, Judged],
    even: Interval,
) -> pd.DataFrame:
    """Return a row for each size and model: perplexities, and how training went.

    A row without a run says so. The last row is the baseline's.

    Parameters
    ----------
    outcomes
        The runs.
    models
        Names in keys to names of rows.
    tests
        Test perplexity of each run by its name, judged beside the baseline.
    even
        Perplexity of an even draw among the legal moves on the test games.
    """
    chosen = headline(outcomes)
    rows = {}
    for size in SIZES:
        for model, title in models.items():
            rows[f"{size} {title}"] = _training_row(chosen.get((size, model)), tests, even)
    rows[EVEN_DRAW] = {**dict.fromkeys(_TRAINING_COLUMNS, "-"), "test": even, "run": ""}
    return pd.DataFrame(rows).T


def score_rows(
    outcomes: Iterable[Outcome],
    predict: Predictor,
    baselines: Baselines,
    task: str,
    band: str = "long",
    *,
    seed: int,
) -> dict[tuple[str, str], ProbeScores]:
    """Return the scores of each headline run on one task and band, beside its baseline's.

    Parameters
    ----------
    outcomes
        The runs.
    predict
        Gives a run's scores of all tokens, in the order of the instances of the task and band;
        None for a run that was not asked (a model without piece types has no Start tasks).
    baselines
        All instances, and what the baselines answer.
    task, band
        Which of them.
    seed
        Of the intervals.
    """
    asked = select(baselines.instances, task, band)
    scores = {}
    for key, one in headline(outcomes).items():
        answers = predict(one.name, task, band)
        if answers is not None:
            ground = baselines.against(one.model, task, band)
            scores[key] = score_probes(answers[: len(asked)], asked, seed=seed, against=ground)
    return scores


def score_baselines(
    baselines: Baselines, task: str, band: str = "long", *, seed: int
) -> dict[str, ProbeScores]:
    """Return the scores of the baselines of a task, by their names in keys."""
    asked = select(baselines.instances, task, band)
    given = {name: baselines.answers(name, task, band) for name in baselines_of(task)}
    return {name: score_probes(answers, asked, seed=seed) for name, answers in given.items()}


def probe_table(
    actual: Mapping[tuple[str, str], ProbeScores],
    other: Mapping[tuple[str, str], ProbeScores],
    models: Mapping[str, str],
    grounds: Sequence[Mapping[str, ProbeScores]],
) -> pd.DataFrame:
    """Lay scores out as the paper's Tables 5 to 7 are: sizes and models down, five columns.

    Scores that do not beat their baseline are marked; the rows of the baselines come last.

    Parameters
    ----------
    actual, other
        Scores of the Actual and the Other task by size and model.
    models
        Names in keys to names of rows.
    grounds
        Scores of the baselines in the Actual and in the Other task (:func:`score_baselines`).
    """
    rows: dict[str, dict[str, object]] = {}
    for size in SIZES:
        for model, title in models.items():
            cells = probe_cells(actual.get((size, model)), other.get((size, model)))
            rows[f"{size} {title}"] = {name: cell or NOT_TRAINED for name, cell in cells.items()}
    titles = {**END_BASELINES, **START_BASELINES}
    for name, scores in grounds[0].items():
        rows[titles[name]] = dict(probe_cells(scores, grounds[1][name]))
    return pd.DataFrame(rows).T


def beside_paper(ours: pd.DataFrame, table: str, columns: Mapping[str, str]) -> pd.DataFrame:
    """Return some columns of a table of ours, each followed by the paper's.

    Parameters
    ----------
    ours
        A table of :func:`probe_table`, with any rows besides that the paper has.
    table
        The paper's: ``table5``, ``table6`` or ``table7``.
    columns
        Names of the columns to their short names: a part of :data:`PROBE_PARTS`.
    """
    printed = published("state_tracking", table).reindex(ours.index)
    pairs = {
        name: values
        for column, short in columns.items()
        for name, values in ((short, ours[column]), (f"{short}, paper", printed[column]))
    }
    return pd.DataFrame(pairs)


def probe_cells(
    actual: ProbeScores | None, other: ProbeScores | None
) -> dict[str, Judged | Interval | None]:
    """Return the cells of one row by the names of their columns; None where nothing is known."""
    asked = ((actual, "lgm"), (actual, "rprec"), (other, "lgm"), (other, "rprec"), (actual, "exm"))
    values = (scores.judged(name) if scores else None for scores, name in asked)
    return dict(zip(PROBE_COLUMNS, values, strict=True))


def reference_cells(
    task: str, band: str, size: str, model: str, table: str = ""
) -> dict[str, dict[str, float | str]]:
    """Return the paper's values of a row, as a result cites them, by ``lgm``, ``rprec``, ``exm``.

    Parameters
    ----------
    task, band
        Only the long band has published values, and ``exm`` only the Actual tasks.
    size, model
        The row.
    table
        The table; by default 5 for Start and 6 for End tasks.
    """
    table = table or ("table6" if task in END_TASKS else "table5")
    title = (HISTORY_ROWS if table == "table7" else NOTATION_ROWS)[model]
    kind = "Actual" if task.endswith("actual") else "Other"
    columns = {"lgm": f"LgM {kind} Acc.", "rprec": f"LgM {kind} R-Prec.", "exm": "ExM Acc."}
    row = f"{size} {title}"
    printed = {cell.column: cell for cell in load("state_tracking") if cell.table == table
               and cell.row == row and "contradiction" not in cell.flags}  # fmt: skip
    found = {name: printed.get(column) for name, column in columns.items() if band == "long"}
    return {
        name: {"reference": cell.value, "source": cell.key}
        for name, cell in found.items()
        if cell and cell.value is not None
    }


def compare_runs(
    first: Outcome,
    second: Outcome,
    predict: Predictor,
    baselines: Baselines,
    task: str,
    band: str = "long",
    *,
    seed: int,
) -> Judged | None:
    """Test whether one run is more often legal than another on the same questions.

    Returns
    -------
    Judged or None
        First less second in LgM accuracy, in per cent points, and whether both beat their
        baselines: a difference of two that do not is no finding. None if one was not asked.
    """
    asked = select(baselines.instances, task, band)
    rows, above = [], []
    for one in (first, second):
        answers = predict(one.name, task, band)
        if answers is None:
            return None
        ground = answer_table(baselines.against(one.model, task, band), asked)
        rows.append(answer_table(answers[: len(asked)], asked))
        above.append(beats(rows[-1], ground, seed=seed))
    shares = [100 * table["lgm"] for table in rows]
    return Judged(paired_permutation(shares[0], shares[1], rows[0]["game"], seed=seed), all(above))


def _outcome(record: RunRecord) -> Outcome:
    label, training = record.run.label, record.run.training
    label = re.sub(r"rap\d+$", "rap", label)
    return Outcome(
        name=record.run.name,
        size=record.run.size,
        model={"rap": "uci_rap", "ap": "uci_ap"}.get(label, label),
        probability=training.probability,
        seed=training.seed,
        parameters=record.parameters,
        epochs=len(record.log),
        tokens=record.tokens,
        stopped_early=record.stopped_early,
        dev=record.dev_perplexity,
        test=record.test_perplexity,
        dropout=record.run.settings.dropout,
    )


def _training_row(
    one: Outcome | None, tests: Mapping[str, Judged], even: Interval
) -> dict[str, object]:
    if one is None:
        return {name: NOT_TRAINED if name in ("dev", "test") else "" for name in _TRAINING_COLUMNS}
    percent = round(100 * one.probability) or ""
    stop = "yes" if one.stopped_early else "no"
    dev, test = mark_plain(one.dev, even), tests.get(one.name, NOT_TRAINED)
    values = (dev, test, one.epochs, one.tokens, stop, percent, one.name)
    return dict(zip(_TRAINING_COLUMNS, values, strict=True))
