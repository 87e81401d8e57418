"""What the runs came to, beside what can be had without any model of the history.

Two baselines. An *even draw* among the legal moves knows the rules and the board, and nothing of
play: its perplexity is the exponential of the mean logarithm of the number of legal moves. *Counts*
over training games answer the questions of :mod:`chessgloss.tracking.probes`, and know at most
one fact of the game at hand:

- ``start``: where moves from this square went most often;
- ``came_from``: the same, of pieces that had come to it from the same square (or not moved yet);
- ``type``: the same as ``start``, of pieces of the type asked about;
- ``start_type``: from where pieces of this type and side moved most often (Start tasks);
- ``last``: where a piece of this type and side went last (Start tasks).

A model that is told the types of all moves (AP) is measured by ``type`` and ``last``, all others
by ``came_from`` and ``start_type``. A model below its baseline has shown nothing that these do
not have, and a difference between two such models is not a finding: such numbers bear a mark.
For all models ``type`` and ``last`` are the second bar (:func:`second_of`): who is above the first
and not above this one may know no more than what kind of piece stands where.
Where one of two beats its baseline and the other does not, the difference is a finding (what was
taken from a model may be what carried it over the baseline), and a sign says which of them does.

Answers are frames of questions with scores (:func:`chessgloss.tracking.probes.score_answers`),
whose index names the question, so that two of them are paired by it. Losses are frames with a
row a game: ``nats``, the sum of ``-ln p`` over its moves, and ``plies``, its moves. Intervals
draw whole games; two runs are compared on the same draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType

import chess
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chessgloss import stats
from chessgloss.tracking.games import (
    IDS,
    PIECES,
    SQUARES,
    TokenGames,
    follow,
    tokenise,
)
from chessgloss.tracking.probes import (
    SCORES,
    START_TASKS,
    count_right,
    score_answers,
    scores_of,
)
from chessgloss.tracking.runs import read_kept

#: Names of the models in keys, and in the paper's Tables 4 to 6; sizes of the training sets.
NOTATION_ROWS = {"uci": "UCI", "uci_rap": "UCI + RAP", "uci_ap": "UCI + AP"}
SIZES = ("S", "M", "L")

#: Rows of the baselines.
EVEN_DRAW = "Even draw among legal moves"
END_BASELINES = {
    "start": "Counts: start square",
    "came_from": "Counts: start, came from",
    "type": "Counts: start, type",
}
START_BASELINES = {"start_type": "Counts: type", "last": "Where the type went last"}
BASELINES = END_BASELINES | START_BASELINES

#: Ply from which moves are counted, by band: what is moved in an opening says little later on.
COUNTED_FROM = {"short": 0, "long": 40}

#: Columns of the paper's Tables 5 to 7, task and score, in three narrow tables.
PROBE_PARTS = {
    "legal answers (LgM accuracy)": {
        "LgM Actual Acc.": ("actual", "lgm"),
        "LgM Other Acc.": ("other", "lgm"),
    },
    "legal answers (R-precision)": {
        "LgM Actual R-Prec.": ("actual", "rprec"),
        "LgM Other R-Prec.": ("other", "rprec"),
    },
    "as played (ExM accuracy)": {"ExM Acc.": ("actual", "exm")},
}

#: What stands behind a number that does not beat its baseline, or does not beat the second bar.
MARK = "†"
SECOND_MARK = "‡"
MARKED = f"{MARK} does not beat its baseline: no finding"
MARKED_TWICE = (
    f"{MARK} does not beat counting by square: no finding; {SECOND_MARK} beats it, but not "
    "counting by type"
)

#: What *clear* means in every chapter (:func:`is_clear`).
CLEAR = (
    "the interval leaves zero out, all pairs of seeds agree, and the difference is larger than "
    "another seed alone makes, in either of the two models or in plain UCI"
)


class Beaten(Enum):
    """Which of two compared numbers beat their baselines; the value is the sign that says so."""

    BOTH = ""
    FIRST = "¹"
    SECOND = "²"
    NEITHER = MARK


#: What the signs behind differences say, for captions.
COMPARED = (
    f"{Beaten.FIRST.value} only the first, {Beaten.SECOND.value} only the second of the two "
    f"beats its baseline; {Beaten.NEITHER.value} neither: no finding"
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A number beside its baseline; as text it carries :data:`MARK` unless it is better.

    Parameters
    ----------
    value
        The number.
    above
        Whether it beats its baseline.
    above_second
        Whether it beats the second bar as well, where there is one.
    """

    value: stats.Interval
    above: bool
    above_second: bool = True

    #: Nothing has to be said of a number that beats its baseline.
    note = ""

    @property
    def mark(self) -> str:
        """The sign behind the number, if it has one."""
        if not self.above:
            return MARK
        return "" if self.above_second else SECOND_MARK

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec}} {self.mark}".rstrip()

    def __str__(self) -> str:
        return format(self, ".1f")


@dataclass(frozen=True, slots=True)
class Compared:
    """A difference of two numbers, and which of them beat their baselines.

    Parameters
    ----------
    value
        First less second.
    beaten
        Who beats a baseline; as text the difference carries its sign.
    """

    value: stats.Interval | stats.Paired
    beaten: Beaten

    @property
    def above(self) -> bool:
        """Whether the difference is a finding: at least one of the two beats its baseline."""
        return self.beaten is not Beaten.NEITHER

    @property
    def note(self) -> str:
        """What a sentence has to add: which of the two alone beats its baseline."""
        alone = {Beaten.FIRST: "the first", Beaten.SECOND: "the second"}
        if self.beaten not in alone:
            return ""
        return f" (Of the two only {alone[self.beaten]} beats its baseline.)"

    def __format__(self, spec: str) -> str:
        sign = self.beaten.value and f" {self.beaten.value}"
        return f"{self.value:{spec}}{sign}"

    def __str__(self) -> str:
        return format(self, ".1f")


def who_beats(first: bool, second: bool) -> Beaten:
    """Return the ones of two compared numbers that beat their baselines."""
    if first:
        return Beaten.BOTH if second else Beaten.FIRST
    return Beaten.SECOND if second else Beaten.NEITHER


def seed_noise(arms: Iterable[Sequence[float]]) -> float:
    """Return the largest difference that another seed alone makes within one of several models.

    Parameters
    ----------
    arms
        Of each model the values of its trainings; one training says nothing.
    """
    return max((max(arm) - min(arm) for arm in arms if len(arm) > 1), default=0.0)


def is_clear(
    apart: stats.Interval | stats.Paired, by_seed: Sequence[float], noise: float
) -> bool:
    """Return whether a difference exceeds chance, in the questions and in the training.

    Parameters
    ----------
    apart
        The difference, with its interval over games.
    by_seed
        The same of each pair of trainings that began alike.
    noise
        What another seed alone makes (:func:`seed_noise`).

    Returns
    -------
    bool
        Whether the interval leaves zero out, all pairs agree in sign, and the difference is the
        larger.
    """
    interval = apart.difference if isinstance(apart, stats.Paired) else apart
    one_sign = len(set(np.sign(by_seed))) <= 1
    apart_from_zero = interval.low > 0 or interval.high < 0
    return one_sign and apart_from_zero and abs(interval.value) > noise


def headline(runs: pd.DataFrame, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return the runs that stand in a table's rows: all sizes that are on file.

    Of runs that differ in the seed alone the first stands in the tables. Variants of the recipe,
    and runs of another number of passes, stand in none.

    Parameters
    ----------
    runs
        What came of all runs (:func:`chessgloss.tracking.runs.read_runs`).
    titles
        Names of the models that have a row, by their name in keys, in their order.

    Returns
    -------
    pandas.DataFrame
        By ``size`` and ``model``, in the order of sizes and titles. Columns are those of the runs,
        the ``run`` and its ``title``, which is the row of the paper beside it too.
    """
    wanted = runs["usual"] & runs["size"].isin(SIZES) & runs["model"].isin(titles)
    rows = runs[wanted].rename_axis("run").reset_index()
    rows = rows.sort_values(["seed", "run"]).drop_duplicates(["size", "model"])
    rows["title"] = rows["size"] + " " + rows["model"].map(titles)
    rows = rows.set_index(["size", "model"])
    places = [(size, model) for size in SIZES for model in titles]
    return rows.loc[[place for place in places if place in rows.index]]


def other_seeds(runs: pd.DataFrame, run: str) -> list[str]:
    """Return the runs that differ from one in the seed alone, itself first."""
    same = ["size", "variant", "model", "probability", "usual"]
    alike = (runs[same] == runs.loc[run, same]).all(axis=1)
    return [run, *(name for name in runs.index[alike] if name != run)]


def only_if_above(
    sentences: Mapping[str, Sequence[Judged | Compared]], otherwise: str
) -> str:
    """Return the sentences that the numbers allow, joined; ``otherwise`` if there is none.

    Parameters
    ----------
    sentences
        A sentence, and the numbers that it concludes from: all must beat their baselines, of a
        difference one of the two, and then the sentence says which.
    otherwise
        What is said when no sentence is left.
    """
    kept = [
        text + "".join(number.note for number in numbers)
        for text, numbers in sentences.items()
        if all(number.above for number in numbers)
    ]
    return " ".join(kept) or otherwise


def enumerate_names(names: Iterable[str], none: str = "none") -> str:
    """Return names as a sentence lists them: ``a, b and c``."""
    *first, last = list(names) or [none]
    return f"{', '.join(first)} and {last}" if first else last


# ---------------------------------------------------------------- perplexity


def read_losses(run: str) -> pd.DataFrame:
    """Return the losses of a run on the test games (:func:`chessgloss.tracking.runs.read_kept`)."""
    kept = read_kept("measures", run)
    return pd.DataFrame(
        {"nats": kept["test.nats"].astype(float), "plies": kept["test.plies"]}
    )


def even_draw(games: TokenGames, selected: NDArray) -> pd.DataFrame:
    """Return the losses of an even draw among the legal moves: of each game the sum of ``ln``.

    The pieces that a pawn may become count as moves of their own, as they do for a model.
    """
    nats = np.zeros(len(selected))
    for row, game in enumerate(selected):
        board = chess.Board()
        for uci in games.ucis(int(game)):
            nats[row] += math.log(board.legal_moves.count())
            board.push(chess.Move.from_uci(uci))
    return pd.DataFrame({"nats": nats, "plies": games.plies[selected]})


def perplexity_of(losses: pd.DataFrame, *, seed: int) -> stats.Interval:
    """Return the canonical perplexity of some games, with its interval over games."""
    value, *samples = np.exp(_nats_a_move(losses, seed))
    return stats.percentile_interval(
        float(value), samples, len(losses), clusters=len(losses)
    )


def change_of_perplexity(
    first: pd.DataFrame, second: pd.DataFrame, *, seed: int
) -> stats.Interval:
    """Return the change, in per cent, from the perplexity of ``second`` to that of ``first``.

    Raises
    ------
    ValueError
        If they are not of the same games.
    """
    if not np.array_equal(first["plies"], second["plies"]):
        raise ValueError(
            "perplexities of two runs can be compared on the same games only"
        )
    value, *samples = 100 * np.expm1(
        _nats_a_move(first, seed) - _nats_a_move(second, seed)
    )
    return stats.percentile_interval(
        float(value), samples, len(first), clusters=len(first)
    )


def judge_perplexity(losses: pd.DataFrame, even: pd.DataFrame, *, seed: int) -> Judged:
    """Return the perplexity of a run, and whether it is better than the even draw's.

    It is if the 95 % interval of the change lies below 0, on the games, the first ones, in which
    the legal moves were counted (:func:`even_draw`).
    """
    change = change_of_perplexity(losses[: len(even)], even, seed=seed)
    return Judged(perplexity_of(losses, seed=seed), change.high < 0)


def judge_change(
    first: str, second: str, known: Mapping[str, Judged], *, seed: int
) -> Compared:
    """Return the change, in per cent, from another run's perplexity on the test games.

    Parameters
    ----------
    first, second
        Names of the runs.
    known
        Their perplexities (:func:`judge_perplexity`).
    seed
        Of the draws of games.
    """
    change = change_of_perplexity(read_losses(first), read_losses(second), seed=seed)
    return Compared(change, who_beats(known[first].above, known[second].above))


def _nats_a_move(losses: pd.DataFrame, seed: int) -> NDArray[np.float64]:
    """Return nats a move: of all games, then of each draw of games."""
    nats = losses["nats"].to_numpy()
    plies = losses["plies"].to_numpy(dtype=np.int64)
    weights = _weights(len(losses), seed)
    return np.concatenate(
        [[nats.sum() / plies.sum()], (weights @ nats) / (weights @ plies)]
    )


@lru_cache(maxsize=2)
def _weights(games: int, seed: int) -> NDArray[np.float64]:
    """Return the draws of games: the same for all runs, made once, and ready for products."""
    return stats.cluster_weights(games, seed=seed).astype(float)


# ---------------------------------------------------------------- answers to the questions


def score_run(run: str, questions: pd.DataFrame) -> pd.DataFrame:
    """Return the questions that a run was asked, with the scores of its answers.

    Parameters
    ----------
    run
        Its name. A model without piece types was asked no Start tasks.
    questions
        The first ones of each task and band.
    """
    kept = read_kept("predictions", run)
    parts = [
        score_answers(rows, scores_of(kept[f"{task}.{band}"], count_right(rows)))
        for (task, band), rows in questions.groupby(["task", "band"], sort=False)
        if f"{task}.{band}" in kept
    ]
    return pd.concat(parts)


def score_baselines(
    moves: pd.DataFrame, questions: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Return the questions of each baseline's tasks with the scores of its answers.

    Parameters
    ----------
    moves
        The training games' (:func:`list_moves`).
    questions
        Those that are asked.
    """
    starts = questions["task"].isin(START_TASKS)
    return {
        given: pd.concat(
            score_answers(rows, answer_by_counts(moves, rows, given))
            for _, rows in questions[starts == (given in START_BASELINES)].groupby(
                "band"
            )
        )
        for given in BASELINES
        if (starts == (given in START_BASELINES)).any()
    }


def ground_of(model: str, baselines: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the answers that a model (its name in keys) has to beat: what it is told decides."""
    names = ("type", "last") if model == "uci_ap" else ("came_from", "start_type")
    return pd.concat([baselines[name] for name in names if name in baselines])


def second_of(baselines: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the answers of the second bar: by the type of the piece, and by its last square."""
    names = ("type", "last")
    return pd.concat([baselines[name] for name in names if name in baselines])


def beats(
    answered: pd.DataFrame, other: pd.Series, score: str = "lgm", *, seed: int
) -> bool:
    """Return whether a score is better than another's on the same questions.

    It is if the 95 % interval of the difference, over games, lies above 0.
    """
    scores = answered[score]
    games = answered["game"]
    return (
        stats.paired_difference(scores, other.loc[answered.index], games, seed=seed).low
        > 0
    )


def summarise(
    answered: pd.DataFrame,
    ground: pd.DataFrame | None = None,
    second: pd.DataFrame | None = None,
    *,
    seed: int,
) -> pd.DataFrame:
    """Return scores in per cent by ``task`` and ``band``, each an interval over games.

    Parameters
    ----------
    answered
        Questions with scores.
    ground
        The same of the baseline: each interval is then judged (:class:`Judged`) by whether it
        beats it. ExM has to beat an even draw among the right answers as well.
    second
        The same of the second bar (:func:`second_of`).
    seed
        Of the intervals.

    Returns
    -------
    pandas.DataFrame
        A column a score; NaN where a task does not have it (ExM of the Other tasks).
    """
    rows = {}
    for key, group in answered.groupby(["task", "band"], sort=False):
        row: dict[str, stats.Interval | Judged] = {}
        for score in SCORES:
            if group[score].isna().any():
                continue
            value = stats.mean_interval(
                group[score], group["game"], seed=seed
            ).in_percent()
            row[score] = value
            if ground is not None:
                above = all(
                    beats(group, other, score, seed=seed)
                    for other in rivals(group, ground, score)
                )
                higher = second is None or beats(group, second[score], score, seed=seed)
                row[score] = Judged(value, above, higher)
        rows[key] = row
    index = pd.MultiIndex.from_tuples(list(rows), names=["task", "band"])
    return pd.DataFrame(
        list(rows.values()), index=index, columns=list(SCORES), dtype=object
    )


def chance_of_exact(questions: pd.DataFrame) -> pd.Series:
    """Return the share of even draws among the right answers that hit the move played.

    It is computed, not drawn: one over the number of right answers (the *Random Legal* row of the
    paper's Tables 5 and 6).
    """
    return 1 / questions["legal"].str.split().str.len()


def compare_answers(
    pair: Sequence[pd.DataFrame],
    grounds: Sequence[pd.DataFrame],
    score: str = "lgm",
    *,
    seed: int,
) -> Compared:
    """Test whether one run is more often right than another on the same questions.

    Parameters
    ----------
    pair
        Scored answers of both runs to questions of one task and band.
    grounds
        Those of the baselines that they have to beat.
    score
        ``lgm`` for legal answers, ``exm`` for those as played.
    seed
        Of the exchanges.

    Returns
    -------
    Compared
        First less second, in per cent points. With ``exm`` each has to beat an even draw among the
        right answers as well.
    """
    above = [
        all(beats(run, other, score, seed=seed) for other in rivals(run, ground, score))
        for run, ground in zip(pair, grounds, strict=True)
    ]
    first, second = (100 * run[score] for run in pair)
    apart = stats.paired_permutation(first, second, pair[0]["game"], seed=seed)
    return Compared(apart, who_beats(*above))


def rivals(answered: pd.DataFrame, ground: pd.DataFrame, score: str) -> list[pd.Series]:
    """Return the scores that a score has to beat: its baseline; of ExM an even draw too."""
    others = [ground[score]]
    if score == "exm":
        others.append(chance_of_exact(answered))
    return others


def probe_table(
    scores: Mapping[str, pd.DataFrame],
    kind: str,
    part: Mapping[str, tuple[str, str]],
    printed: pd.DataFrame,
    beside: Mapping[str, str] = MappingProxyType({}),
) -> pd.DataFrame:
    """Lay scores out as the paper's Tables 5 to 7 are, each column followed by the paper's.

    Parameters
    ----------
    scores
        Those of :func:`summarise` by the title of their row.
    kind
        ``start`` or ``end``; the long band is shown.
    part
        Columns: one of :data:`PROBE_PARTS`.
    printed
        The paper's table. Its rows come first, empty where nobody has trained for them.
    beside
        The paper's row that stands beside a title, if it is not that of the same name.
    """
    columns = {}
    rows = list(dict.fromkeys([*printed.index, *scores]))
    of_paper = [beside.get(row, row) for row in rows]
    for column, (task, score) in part.items():
        key = (f"{kind}_{task}", "long")
        ours = {title: table.loc[key, score] for title, table in scores.items()}
        columns[task.title()] = pd.Series(ours, dtype=object).reindex(rows)
        columns[f"{task.title()}, paper"] = (
            printed[column].reindex(of_paper).set_axis(rows)
        )
    return pd.DataFrame(columns)


# ---------------------------------------------------------------- counts


def list_moves(games: TokenGames, selected: NDArray) -> pd.DataFrame:
    """Return the moves of some games, one a row.

    Returns
    -------
    pandas.DataFrame
        ``left`` and ``reached``, squares 0 to 63; ``came_from``, the square from which the piece
        had come to ``left``, 64 if it had not moved; ``type`` of the piece, 0 (pawn) to 5
        (king); ``ply``, the plies played before; ``side`` to move, 0 White.
    """
    at = np.concatenate(
        [np.arange(*games.starts[game : game + 2]) for game in selected]
    )
    plies = np.concatenate([np.arange(count) for count in games.plies[selected]])
    left, reached = games.moves[at, :2].astype(np.int64).T - SQUARES
    types, came_from = (
        part[at].astype(np.int64) for part in (games.pieces, games.origins)
    )
    columns = {
        "left": left,
        "reached": reached,
        "came_from": came_from,
        "type": types - PIECES,
    }
    return pd.DataFrame({**columns, "ply": plies, "side": plies % 2})


def answer_by_counts(
    moves: pd.DataFrame, questions: pd.DataFrame, given: str
) -> NDArray:
    """Return a baseline's scores of all tokens for questions of one band, ``(n, 77)``.

    Parameters
    ----------
    moves
        The training games' (:func:`list_moves`).
    questions
        End tasks or Start tasks.
    given
        A name of :data:`END_BASELINES` or :data:`START_BASELINES`. What was counted equally
        often, or never, is ordered by the simpler baseline, ``start`` or ``start_type``.
    """
    counted = moves[moves["ply"] >= COUNTED_FROM[questions["band"].iloc[0]]]
    games = tokenise(prefix.split() for prefix in questions["prefix"])
    types = questions["piece"].map(IDS).to_numpy() - PIECES
    asked = pd.DataFrame({"type": types, "side": games.plies % 2})
    keys = ["type", "side"]
    answer = "left"
    if given in END_BASELINES:
        asked["left"] = questions["prompt"].map(IDS).to_numpy() - SQUARES
        prefixes = [games.moves[first:last] for first, last in pairwise(games.starts)]
        standing = zip(map(follow, prefixes), asked["left"], strict=True)
        asked["came_from"] = [pieces[square][1] for (_, pieces), square in standing]
        keys = ["left"]
        answer = "reached"

    def count(keys: list[str]) -> NDArray[np.float64]:
        table = counted.groupby(keys)[answer].value_counts().unstack()
        counts = asked[keys].merge(table, how="left", left_on=keys, right_index=True)
        return counts.reindex(columns=range(64)).fillna(0).to_numpy(dtype=float)

    answers = plain = count(keys)
    if given in ("came_from", "type"):
        answers = count(["left", given])
    if given == "last":
        answers = np.zeros_like(plain)
        made = list_moves(games, np.arange(len(games)))
        made["row"] = np.repeat(np.arange(len(games)), games.plies)
        own = made.merge(
            asked.rename_axis("row").reset_index(), on=["row", "type", "side"]
        )
        np.maximum.at(answers, (own["row"], own["reached"]), own["ply"] + 1)
    if (
        answers is not plain
    ):  # a part of the plain counts orders equals among whole numbers
        answers = answers + plain / (plain.sum(axis=1, keepdims=True) + 1)
    scores = np.full((len(questions), len(IDS)), -1.0)
    scores[:, SQUARES:PIECES] = answers
    return scores
