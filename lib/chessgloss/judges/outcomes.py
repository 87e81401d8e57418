"""What a judge's scores amount to: tables that lay them beside each other and beside the verifier.

Scores are shares of the scale, 0 to 1, as :func:`chessgloss.judges.gcc.score_table` gives them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from chessgloss.judges.gcc import DIMENSIONS, Candidate, judge, score_table
from chessgloss.judges.hint import share_of_false
from chessgloss.judges.shaken import JudgedPair, swapped, won
from chessgloss.judges.use import overall
from chessgloss.llm import Client
from chessgloss.stats import Paired, paired_permutation

#: From this share of the scale a comment counts as rated relevant: 3.4 of 5.
RELEVANT = 0.6


def paired_differences(scores: pd.DataFrame, against: str = "ccc", *, seed: int) -> pd.DataFrame:
    """Return how far each method's scores lie from those of one, on the moves that both have.

    Parameters
    ----------
    scores
        A table of scores.
    against
        The method that the others are held against.
    seed
        Seed of the permutation test and of the intervals.

    Returns
    -------
    pandas.DataFrame
        A row a method, a column for what was asked; cells are :class:`Paired`: the method less
        ``against``, signs exchanged move by move.
    """
    cells: dict[str, dict[str, Paired]] = {}
    for asked, rows in scores.groupby("asked", sort=False):
        wide = rows.pivot(index="move", columns="method", values="score")
        cells[str(asked)] = {
            method: _paired(wide[[method, against]].dropna(), seed)
            for method in dict.fromkeys(rows["method"])
            if method != against
        }
    return pd.DataFrame(cells, dtype=object)


def _paired(both: pd.DataFrame, seed: int) -> Paired:
    return paired_permutation(both.iloc[:, 0], both.iloc[:, 1], seed=seed)


def verified_table(candidates: Sequence[Candidate]) -> pd.DataFrame:
    """Return what the verifier says of texts.

    Columns ``move``, ``method``, ``variant``, ``true``, ``false`` (claims held for either) and
    ``share_false``, their share among those decided, ``nan`` where none was.
    """
    rows = []
    for one in candidates:
        checked = one.verified()
        counts = [sum(each.verdict == told for each in checked) for told in ("true", "false")]
        rows.append((one.briefing.name, one.method, one.variant, *counts, share_of_false(checked)))
    names = ["move", "method", "variant", "true", "false", "share_false"]
    return pd.DataFrame(rows, columns=names).astype({"share_false": float})


def relevant_though_false(scores: pd.DataFrame, verified: pd.DataFrame) -> pd.DataFrame:
    """Return the comments that are mostly false, and which of them are rated relevant.

    Parameters
    ----------
    scores
        A table of scores; rows that ask for relevance are read.
    verified
        As :func:`verified_table` gives it, of the same texts.

    Returns
    -------
    pandas.DataFrame
        Columns ``move``, ``method``, ``score`` and ``relevant`` (0 or 1), a row for each comment
        of whose decided claims more than half are false.
    """
    asked = scores[scores["asked"].str.startswith("relevance")].dropna(subset="score")
    both = asked.merge(verified, on=["move", "method", "variant"])
    mostly = both[both["share_false"] > 0.5]
    return mostly.assign(relevant=(mostly["score"] >= RELEVANT).astype(float))[
        ["move", "method", "score", "relevant"]
    ]


def pair_outcomes(pairs: Sequence[JudgedPair], client: Client, asked: str) -> pd.DataFrame:
    """Return who wins each minimal pair.

    Columns ``move``, ``error``, ``true``, ``false`` (the two scores) and ``won``: 1 if the true
    twin is scored higher, 1/2 for equal scores, 0 if lower, ``nan`` if one is unscored.
    """
    true = judge([one.true for one in pairs], asked, client)
    false = judge([one.false for one in pairs], asked, client)
    rows = [
        (
            one.true.briefing.name,
            one.pair.error,
            for_.share,
            against.share,
            won(for_.share, against.share),
        )
        for one, for_, against in zip(pairs, true, false, strict=True)
    ]
    names = ["move", "error", "true", "false", "won"]
    return pd.DataFrame(rows, columns=names).astype(dict.fromkeys(names[2:], float))


def swap_losses(
    candidates: Sequence[Candidate], client: Client, moves: Collection[str]
) -> pd.DataFrame:
    """Return how much relevance texts lose under the move of another.

    Parameters
    ----------
    candidates
        Texts; which move each is put under depends on all of them.
    client
        Of the judge.
    moves
        Only texts written on these are judged.

    Returns
    -------
    pandas.DataFrame
        Columns ``move``, ``method``, ``own`` and ``foreign`` (the two scores), ``loss``, and
        ``noticed``: 1 if the text is scored higher on its own move, 1/2 for equal scores, else 0.
        Texts that are unscored on one of the two are left out.
    """
    pairs = zip(candidates, swapped(candidates), strict=True)
    kept = [pair for pair in pairs if pair[0].briefing.name in moves]
    own, foreign = (
        [one.share for one in judge([pair[side] for pair in kept], "relevance", client)]
        for side in (0, 1)
    )
    rows = [
        (pair[0].briefing.name, pair[0].method, one, other, one - other, won(one, other))
        for pair, one, other in zip(kept, own, foreign, strict=True)
        if one is not None and other is not None
    ]
    return pd.DataFrame(rows, columns=["move", "method", "own", "foreign", "loss", "noticed"])


def changes(scores: pd.DataFrame, changed: pd.DataFrame) -> pd.DataFrame:
    """Return how far scores move when a text is changed.

    Parameters
    ----------
    scores
        Of the texts as they were written.
    changed
        Of the same texts, changed; their ``variant`` says how.

    Returns
    -------
    pandas.DataFrame
        ``changed`` with a column ``change``: its score less that of the text as written.
    """
    keys = ["move", "method", "asked"]
    plain = scores[scores["variant"] == ""][[*keys, "score"]]
    both = changed.merge(plain, on=keys, suffixes=("", "_plain"))
    return both.assign(change=both["score"] - both["score_plain"])


def wordings_table(
    candidates: Sequence[Candidate], client: Client, asked: Sequence[str]
) -> pd.DataFrame:
    """Return the score of each text in each wording of the question, a column a wording."""
    table = score_table(candidates, client, asked)
    return table.pivot(index=["method", "move"], columns="asked", values="score")[list(asked)]


def best_of(drawn: Sequence[Sequence[Candidate]], client: Client) -> pd.DataFrame:
    """Return what choosing among several comments on a move does to score and truth.

    Parameters
    ----------
    drawn
        The comments on each move; moves with fewer than two are left out.
    client
        Of the judge.

    Returns
    -------
    pandas.DataFrame
        Three rows a move, told apart by ``choice``: ``any`` (the mean of all), ``highest score``,
        ``fewest false`` claims by the verifier. Columns ``score`` (mean of the four dimensions),
        ``false`` (claims) and ``has_false`` (0 or 1; for ``any`` a share).
    """
    kept = [list(some) for some in drawn if len(some) > 1]
    texts = [one for some in kept for one in some]
    asked = [judge(texts, name, client) for name in DIMENSIONS]
    scores = iter([overall(each) for each in zip(*asked, strict=True)])
    rows = []
    for some in kept:
        false = verified_table(some)["false"].to_numpy()
        own = np.array([next(scores) for _ in some])
        rows += _choices(some[0].briefing.name, own, false)
    return pd.DataFrame(rows, columns=["move", "choice", "score", "false", "has_false"])


def _choices(move: str, scores: np.ndarray, false: np.ndarray) -> list[tuple]:
    picks: Mapping[str, slice | int] = {
        "any": slice(None),
        "highest score": int(np.argmax(scores)),
        "fewest false": int(np.lexsort((-scores, false))[0]),
    }
    return [
        (move, name, *(float(np.mean(each[pick])) for each in (scores, false, false > 0)))
        for name, pick in picks.items()
    ]
