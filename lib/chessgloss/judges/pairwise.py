"""The pairwise rubric: two comments on one move, six criteria, a winner.

Source: *Chess Commentary Pairwise Evaluation Rubric (LLM-as-a-Judge)*. Its line of answer is
``WINNER,<A|B|TIE>,A,c1,c2,c3,c4,c5,c6,total,B,c1,c2,c3,c4,c5,c6,total``. Whoever writes it, the
program reads the scores, adds them up, breaks ties, and applies the hard rule: a comment that
claims a check, a checkmate, a capture, a promotion, a trade, the win of a hanging piece, or a
forced tactic or threat which the feature context does not support has a faithfulness of 1,
whatever the judge gave. Support is *in the context*, not on the board: a fork that stood before
the move may be real and yet stand nowhere in the context.

Questions are ordered so that a server which keeps the beginning of what it has read reads little
twice: the rubric is the same for all, then comes the context of the move, then candidate A.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import chess
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from chessgloss.claims import Checked, Claim, Disqualifier, disqualifier, verify
from chessgloss.claims.language import MoveSpec, Reference, SquarePattern
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.moves import EvaluatedMove
from chessgloss.commentary.prompts import load_prompt
from chessgloss.facts import Facts, side_name
from chessgloss.facts.records import AROUND
from chessgloss.judges.gcc import read_score
from chessgloss.judges.injection import without_injections
from chessgloss.llm.recordings import Sampling, State
from chessgloss.llm.text import quoted
from chessgloss.predicates.board import piece_on
from chessgloss.predicates.words import pawns_worth
from chessgloss.scores import MATES_FROM, ScoreWording, read_centipawns, score_text
from chessgloss.stats import RESAMPLES, Floats, cluster_weights, percentile_interval

if TYPE_CHECKING:
    from jinja2 import Template

#: The six criteria in the rubric's order; each is scored from 1 (unacceptable) to 5 (excellent).
CRITERIA = (
    *("faithfulness", "relevance", "informativeness"),
    *("clarity", "human_likeness", "conciseness"),
)
HIGHEST = 5

#: The criteria that break a tie of the totals, the first to differ decides.
TIE_BREAKS = CRITERIA[:3]

#: Fields of the rubric's line.
FIELDS = 18

#: The methods compared, unless a caller says otherwise.
METHODS = ("reference", "notes", "bare", "verdict", "ccc")

#: The step of the paper's argument that is the paper's own, compared as one more pair.
CONCEPTS_STEP = ("reasoning", "ccc")

#: Moves that the book compares, and on how many the judge is asked for the whole line.
COMPARED, LINES = 20, 3

#: A line of 18 fields is about 40 tokens. A blank line ends an answer, so that an explanation
#: below the line is not waited for.
LINE = Sampling(temperature=0.0, max_tokens=60, seed=1, stop=("\n\n",))

#: One number, with the probabilities of the others.
NUMBER = Sampling(temperature=0.0, max_tokens=1, seed=1, top_logprobs=20)

#: Comments by move and by method, and feature contexts by move.
Comments = Mapping[str, Mapping[str, str]]
Contexts = Mapping[str, str]

_CONTEXT_WORDING: Final = ScoreWording(
    number="{pawns:+.2f}", mate="{verb} in {moves}", mated="{verb} in 0", level=None
)

_SCORES = r"((?:[ \t]*[1-5][ \t]*,){6})[ \t]*([0-9]{1,3})"
_HEAD = r"WINNER[ \t]*,[ \t]*(A|B|TIE)[ \t]*,[ \t]*A[ \t]*,"
_RUBRIC_LINE = re.compile(rf"{_HEAD}{_SCORES}[ \t]*,[ \t]*B[ \t]*,{_SCORES}")
_FENCED = re.compile(r"\A```[a-z]*[ \t]*\n(.*)\n[ \t]*```\Z", re.DOTALL)


# ---------------------------------------------------------------- what the judge is given


def choose_compared(moves: Sequence[EvaluatedMove], count: int) -> list[EvaluatedMove]:
    """Return every n-th of the moves that have a human comment, ``count`` of them."""
    human = [move for move in moves if move.reference]
    if not 1 <= count <= len(human):
        raise ValueError(
            f"{len(human)} moves have a human comment; cannot choose {count}"
        )
    return human[:: len(human) // count][:count]


def choose_lined(moves: Sequence[EvaluatedMove]) -> list[EvaluatedMove]:
    """Return the moves on which the whole line is asked for, the same in every profile.

    They are the first :data:`LINES` of the twenty that the book compares.
    """
    return choose_compared(moves, COMPARED)[:LINES]


def comments_by_move(comments: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Return the comments that were answered by move and method."""
    answered = comments[comments["state"] == "answered"]
    texts = answered.set_index("method").groupby("move", sort=False)["text"]
    return {str(move): dict(own) for move, own in texts}


def linearise(facts: Facts) -> str:
    """Return the facts of a move as the pairwise rubric's feature context, a line a feature.

    The rubric's judge is shown "a structured/linearized summary of the move and extracted
    signals" and may hold against a comment whatever it lacks. So every line of the template
    ``context.txt.j2`` is always there. Material and exchanges are in pawns, evaluations in pawns
    with two decimals, chances in per cent, all seen by the side that moves.
    """
    move = facts.move
    piece = piece_on(chess.Board(move.position.fen), move.move.from_square)
    return _context().render(
        move=move,
        of=facts.of,
        piece=chess.PIECE_NAMES[piece],
        mates_from=MATES_FROM,
        around=AROUND,
        side_name=side_name,
        name=lambda fact: chess.piece_name(chess.PIECE_SYMBOLS.index(fact.value)),
    )


@cache
def _context() -> Template:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("chessgloss.judges", ""),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["pawns"] = pawns_worth
    environment.filters["signed"] = lambda pawns: f"{pawns:+g}" if pawns else "0"
    environment.filters["score"] = lambda value: score_text(
        read_centipawns(value, chess.WHITE), _CONTEXT_WORDING
    )
    return environment.get_template("context.txt.j2")


def contexts_of(briefings: Iterable[Briefing]) -> dict[str, str]:
    """Return the feature context of each move by its name."""
    return {briefing.name: linearise(briefing.facts()) for briefing in briefings}


def line_questions(
    contexts: Contexts, comments: Comments, methods: Sequence[str] = METHODS
) -> pd.DataFrame:
    """Return the questions on every pair of a move's comments in both orders.

    Parameters
    ----------
    contexts
        The feature context of each move, by its name; their order is that of the questions.
    comments
        For each of these moves its comments by method. A method without a comment on a move
        takes no part in it.
    methods
        The methods compared, in order.

    Returns
    -------
    pandas.DataFrame
        Columns ``move``, ``first``, ``second`` (the methods shown as A and B) and ``request``.

    Raises
    ------
    ValueError
        If a move has a context and no comments.
    """
    return _questions("pairwise", LINE, _pairs(contexts, comments, methods))


def number_questions(
    contexts: Contexts, comments: Comments, methods: Sequence[str] = METHODS
) -> pd.DataFrame:
    """Return the questions on every pair in both orders, one score at a time.

    For a model that cannot write the line of 18 fields. As :func:`line_questions`, with columns
    ``candidate`` and ``criterion``. What is asked for comes last, so that all before it is read
    once for the twelve scores of a pair.
    """
    cells = [
        (
            about | {"candidate": candidate} | named,
            values | {"candidate": candidate} | spoken,
        )
        for about, values in _pairs(contexts, comments, methods)
        for candidate in "AB"
        for named, spoken in _criteria()
    ]
    return _questions("pairwise_number", NUMBER, cells)


def alone_questions(
    contexts: Contexts, comments: Comments, methods: Sequence[str] = METHODS
) -> pd.DataFrame:
    """Return the questions on each comment by itself, one criterion at a time, no rival in sight.

    As :func:`line_questions`, with columns ``move``, ``method``, ``criterion`` and ``request``.
    """
    cells = [
        (
            {"of": move, "method": method} | named,
            {"context": context, "comment": text} | spoken,
        )
        for move, context in contexts.items()
        for method, text in _present(comments, move, methods).items()
        for named, spoken in _criteria()
    ]
    return _questions("pairwise_alone", NUMBER, cells)


#: What a question is about, and what fills its prompt.
_Cell: TypeAlias = tuple[dict[str, str], dict[str, str]]


def _pairs(
    contexts: Contexts, comments: Comments, methods: Sequence[str]
) -> Iterator[_Cell]:
    for move, context in contexts.items():
        texts = _present(comments, move, methods)
        for first, second in permutations(texts, 2):
            values = {"context": context, "a": texts[first], "b": texts[second]}
            yield {"of": move, "first": first, "second": second}, values


def _present(comments: Comments, move: str, methods: Sequence[str]) -> dict[str, str]:
    """Return the comments on a move that take part, screened and fenced."""
    if move not in comments:
        raise ValueError(f"no comments are given for the move {move}")
    texts = {name: comments[move].get(name, "") for name in methods}
    return {
        n: quoted(without_injections(text)) for n, text in texts.items() if text.strip()
    }


def _criteria() -> Iterator[_Cell]:
    """Yield each criterion and what it is called in a question: ``C5, human-likeness``."""
    for number, name in enumerate(CRITERIA, start=1):
        yield {"criterion": name}, {"criterion": f"C{number}, {name.replace('_', '-')}"}


def _questions(name: str, sampling: Sampling, cells: Iterable[_Cell]) -> pd.DataFrame:
    prompt = load_prompt(name)
    rows = [
        about | {"request": prompt.ask(sampling, about, **values)}
        for about, values in cells
    ]
    return pd.DataFrame(rows).rename(columns={"of": "move"})


# ---------------------------------------------------------------- what the judge answers


class Ballot(NamedTuple):
    """The rubric's line as a judge wrote it, whatever its scores add up to.

    Parameters
    ----------
    word
        The winner that the judge named: ``A``, ``B`` or ``TIE``.
    a, b
        The six scores of the candidates, in the order of :data:`CRITERIA`.
    totals
        The totals of A and B that the judge wrote.
    """

    word: str
    a: tuple[int, ...]
    b: tuple[int, ...]
    totals: tuple[int, int]


def read_line(text: str) -> Ballot | None:
    """Read the line of answer on a pair; ``None`` if the text is anything else.

    Tolerated: white space around the line and around a field, and one code fence of three
    backticks around the line. Nothing else: a line in lower case, a missing field, a word
    before or after it make the answer unreadable.
    """
    match = _RUBRIC_LINE.fullmatch(_FENCED.sub(r"\1", text.strip()).strip())
    if match is None:
        return None
    word, of_a, total_a, of_b, total_b = match.groups()
    totals = (int(total_a), int(total_b))
    return Ballot(word, _scores_in(of_a), _scores_in(of_b), totals)


def _scores_in(side: str) -> tuple[int, ...]:
    *scores, _ = side.split(",")
    return tuple(map(int, scores))


def read_lines(answered: pd.DataFrame) -> pd.DataFrame:
    """Read the answers to :func:`line_questions`.

    Returns
    -------
    pandas.DataFrame
        The same rows; nothing is left out. Columns more: ``state`` (``read``, ``unreadable``, or
        what became of the answer: ``cut_off``, ``refused`` ...), ``word`` (the winner that the
        judge named), ``stated_a`` and ``stated_b`` (the totals it wrote), and twelve scores:
        ``faithfulness_a`` ... ``conciseness_b``. All but ``state`` are missing unless read.
    """
    names = ["state", "word", "stated_a", "stated_b", *_columns("a"), *_columns("b")]
    rows = []
    for answer in answered["answer"]:
        ballot = read_line(answer.text) if answer.state == State.ANSWERED else None
        state = "unreadable" if answer.state == State.ANSWERED else str(answer.state)
        read = ballot and ("read", ballot.word, *ballot.totals, *ballot.a, *ballot.b)
        rows.append(dict(zip(names, read or (state,), strict=False)))
    return answered.join(pd.DataFrame(rows, answered.index, columns=names))


def read_numbers(answered: pd.DataFrame) -> pd.DataFrame:
    """Read the answers to :func:`number_questions`: a row a pair and order.

    A score is the mean of the numbers weighted by their probabilities
    (:func:`chessgloss.judges.gcc.read_score`), rounded to a whole number as the rubric wants it.

    Returns
    -------
    pandas.DataFrame
        Columns ``move``, ``first``, ``second``, ``state`` and the twelve scores, as
        :func:`read_lines`; ``unreadable`` if one of twelve numbers is.
    """
    side = answered["candidate"].str.lower()
    wide = _wide(
        answered, ["move", "first", "second"], answered["criterion"] + "_" + side
    )
    return wide.assign(state=np.where(wide.isna().any(axis=1), "unreadable", "read"))


def read_alone(answered: pd.DataFrame) -> pd.DataFrame:
    """Read the answers to :func:`alone_questions`: a row a comment, a column a criterion."""
    return _wide(answered, ["move", "method"], answered["criterion"])


def _wide(answered: pd.DataFrame, index: list[str], column: pd.Series) -> pd.DataFrame:
    scores = [read_score(answer).value for answer in answered["answer"]]
    cells = answered.assign(score=scores, column=column)
    wide = cells.pivot(index=index, columns="column", values="score").round()
    in_order = pd.MultiIndex.from_frame(answered[index].drop_duplicates())
    return wide.loc[in_order].rename_axis(columns=None).reset_index()


def pairs_of(cards: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs that the scores given alone make, each in one order.

    Columns as :func:`read_numbers` has them; comments without all six scores take no part.
    """
    cards = cards.dropna()
    pairs = cards.merge(cards, on="move", suffixes=("_a", "_b"))
    pairs = pairs[pairs["method_a"] < pairs["method_b"]].assign(state="read")
    return pairs.rename(
        columns={"method_a": "first", "method_b": "second"}, errors="raise"
    )


def _columns(side: str) -> list[str]:
    return [f"{name}_{side}" for name in CRITERIA]


# ---------------------------------------------------------------- the decision


def decide(
    pairs: pd.DataFrame, disqualified: Collection[tuple[str, str]]
) -> pd.DataFrame:
    """Return who wins each pair, by its scores and after the hard rule.

    The higher total wins; at equal totals the first of :data:`TIE_BREAKS` that differs decides.
    The rubric speaks of "weighted totals", and then writes a plain sum, 6 to 30.

    Parameters
    ----------
    pairs
        Columns ``move``, ``first``, ``second`` and the twelve scores.
    disqualified
        Move and method of the comments whose faithfulness the hard rule sets to 1.

    Returns
    -------
    pandas.DataFrame
        The pairs that were read, with columns more: ``total_a``, ``total_b``, ``totals`` (the
        winner by them: ``A``, ``B`` or ``TIE``), ``decided_by`` (``total``, a criterion, or
        ``nothing`` for a tie), ``struck_a``, ``struck_b``, and ``rule``: the winner after them.
    """
    read = pairs[pairs["state"] == "read"]
    a, b = (read[_columns(side)].to_numpy(dtype=float) for side in "ab")
    totals, decided_by = _winners(a, b)
    struck_a, struck_b = (
        pd.MultiIndex.from_frame(read[["move", side]]).isin(list(disqualified))
        for side in ("first", "second")
    )
    ruled_a = a.copy()
    ruled_b = b.copy()
    ruled_a[struck_a, 0] = ruled_b[struck_b, 0] = 1
    rule, _ = _winners(ruled_a, ruled_b)
    return read.assign(
        total_a=a.sum(axis=1).astype(int),
        total_b=b.sum(axis=1).astype(int),
        totals=totals,
        decided_by=decided_by,
        struck_a=struck_a,
        struck_b=struck_b,
        rule=rule,
    )


def _winners(a: Floats, b: Floats) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
    """Return winners and what decided, ``(n,)`` both, for scores ``(n, 6)``."""
    less = a - b
    total = less.sum(axis=1)
    breaks = less[:, : len(TIE_BREAKS)]
    nothing = np.zeros(len(less))
    gaps = np.column_stack([total, breaks, nothing])
    differs = gaps != 0
    differs[:, -1] = True
    place = differs.argmax(axis=1)
    gap = gaps[np.arange(len(gaps)), place]
    winner = np.select([gap > 0, gap < 0], ["A", "B"], "TIE")
    return winner, np.array(["total", *TIE_BREAKS, "nothing"])[place]


def outcomes(decided: pd.DataFrame, by: str = "rule") -> pd.DataFrame:
    """Return the outcome of each pair, whatever side a method stood on.

    Parameters
    ----------
    decided
        Of :func:`decide`.
    by
        Whose word counts: ``totals``, ``rule``, or ``word`` (the judge's own).

    Returns
    -------
    pandas.DataFrame
        Columns ``move``, ``first``, ``second``, ``pair`` (the methods in alphabetical order),
        ``winner`` (a method or ``TIE``) and ``points``: what the first gets, 1, 0 or one half.
    """
    won = decided[by] == "A"
    lost = decided[by] == "B"
    winner = np.select([won, lost], [decided["first"], decided["second"]], "TIE")
    columns = decided[["move", "first", "second"]]
    names = [" / ".join(sorted(pair[1:])) for pair in columns.itertuples(index=False)]
    return columns.assign(pair=names, winner=winner, points=(1.0 + won - lost) / 2)


# ---------------------------------------------------------------- the hard rule

#: What a line of the context says that has nothing of its kind, or of which nobody was asked.
_SILENT = frozenset({"no", "none", "NA", "0"})

#: Lines that hold written moves.
_MOVES = ("move", "best line", "expected reply")

_HANGING = [
    f"{who} hanging pieces {when}"
    for who in ("own", "opponent's")
    for when in ("before", "after")
]
_THREATS = ("threats after", "opponent's chances after")

#: The lines of the context that can carry each event.
CARRIERS: Mapping[Disqualifier, tuple[str, ...]] = {
    "check": ("check", "discovered check", "double check"),
    "checkmate": ("checkmate",),
    "capture": ("capture",),
    "promotion": ("promotion",),
    "trade": ("trade",),
    "hanging-piece win": (*_HANGING, *_THREATS, "material change", "exchange result"),
    "forced tactic or threat": (
        *(f"new {name}" for name in ("fork", "pin", "skewer", "discovered attack")),
        *_THREATS,
    ),
}
#: What a written move shows of an event.
_SIGNS: Mapping[str, str] = {
    "check": "+",
    "checkmate": "#",
    "capture": "x",
    "promotion": "=",
}
#: Events that a counted mate in an evaluation carries, too.
_MATING: tuple[Disqualifier, ...] = ("checkmate", "forced tactic or threat")

_SQUARE = re.compile(r"[a-h][1-8]")
_WRITTEN = re.compile(r"[KQRBN]?[a-h]?[1-8]?x?([a-h][1-8])(?:=[QRBN])?[+#]?")


def claimed_events(briefings: Iterable[Briefing], comments: Comments) -> pd.DataFrame:
    """Return the claims of events that the hard rule names.

    What a comment denies or merely supposes is no claim.

    Returns
    -------
    pandas.DataFrame
        A row a claim: ``move``, ``method``, ``event``, ``board`` (the checker's verdict),
        ``in_context`` (whether the feature context speaks of such an event) and ``supported``
        (it does, and the claim is not false).
    """
    rows = []
    for briefing in briefings:
        facts = briefing.facts()
        context = linearise(facts)
        for method, text in comments[briefing.name].items():
            for checked in verify(text, facts.move, briefing.verdict):
                event = disqualifier(checked.claim)
                if event is not None and _is_claimed(checked):
                    known = supports(context, event, squares_of(checked.claim))
                    rows.append((briefing.name, method, event, checked.verdict, known))
    names = ["move", "method", "event", "board", "in_context"]
    events = pd.DataFrame(rows, columns=names).astype({"in_context": bool})
    return events.assign(supported=events["in_context"] & (events["board"] != "false"))


def disqualified(events: pd.DataFrame) -> set[tuple[str, str]]:
    """Return move and method of the comments that claim an event without support."""
    unsupported = events.loc[~events["supported"], ["move", "method"]]
    return set(unsupported.itertuples(index=False, name=None))


def _is_claimed(checked: Checked) -> bool:
    claim = checked.claim
    denied = claim.denied or claim.quantity == "none"
    return not denied and claim.modality == "asserted"


def supports(
    context: str, event: Disqualifier, squares: frozenset[str] = frozenset()
) -> bool:
    """Tell whether a line of the context carries an event.

    Parameters
    ----------
    context
        Lines ``name: value``, as :func:`linearise` writes them.
    event
        Which event.
    squares
        Names of the squares that the comment ties the event to. A line that names squares
        counts only if it shares one; a bare ``yes`` or a number counts for any.
    """
    lines = dict(line.partition(": ")[::2] for line in context.splitlines())
    values = [lines.get(name, "no") for name in CARRIERS[event]]
    carried = [set(_SQUARE.findall(value)) for value in values if value not in _SILENT]
    sign = _SIGNS.get(event)
    for word in " ".join(lines.get(name, "") for name in _MOVES).split():
        move = _WRITTEN.fullmatch(word)
        if sign and move and sign in word:
            carried.append({move.group(1)})
    mates = any(
        "mate" in lines.get(f"evaluation {when}", "") for when in ("before", "after")
    )
    carried += [set()] if mates and event in _MATING else []
    return any(not squares or not named or named & squares for named in carried)


def squares_of(claim: Claim) -> frozenset[str]:
    """Return the names of the squares that a claim's men and moves stand on, begin or end on."""
    places = list[SquarePattern | str | None]()
    for _, value in claim.arguments:
        for each in value if isinstance(value, tuple) else ():
            if isinstance(each, Reference):
                places.append(each.place)
            if isinstance(each, MoveSpec):
                places += [each.origin, each.target]
    patterns = (each for each in places if isinstance(each, SquarePattern))
    squares = (each.square for each in patterns if each.square is not None)
    return frozenset(map(chess.square_name, squares))


# ---------------------------------------------------------------- strengths

#: Source of the strengths: Bradley and Terry, "Rank Analysis of Incomplete Block Designs"
#: (1952); a tie counts as half a win for each. Ties added to every
#: pair that met, so that one who never lost has a finite strength.
PRIOR_TIES = 1.0


def win_points(outcomes: pd.DataFrame, methods: Sequence[str]) -> Floats:
    """Return the points of each method against each other, move by move.

    Parameters
    ----------
    outcomes
        Columns ``move``, ``first``, ``second`` and ``points``, what the first gets
        (:func:`chessgloss.judges.pairwise.outcomes`).
    methods
        The methods, in the order of the answer.

    Returns
    -------
    numpy.ndarray
        Shape ``(moves, methods, methods)``, moves sorted by name: entry ``[m, i, j]`` is what
        ``i`` won against ``j``, ties half.
    """
    turned = outcomes.rename(columns={"first": "second", "second": "first"})
    turned["points"] = 1 - outcomes["points"]
    table = pd.concat([outcomes, turned]).pivot_table(
        index="move",
        columns=["first", "second"],
        values="points",
        aggfunc="sum",
        fill_value=0,
    )
    pairs = pd.MultiIndex.from_product([methods, methods])
    cells = table.reindex(columns=pairs, fill_value=0).to_numpy(dtype=float)
    return cells.reshape(-1, len(methods), len(methods))


def bradley_terry(points: ArrayLike) -> Floats:
    """Fit strengths: ``i`` beats ``j`` with chance ``1 / (1 + exp(s_j - s_i))``.

    A logistic regression (statsmodels) of wins and losses on which two methods met.

    Parameters
    ----------
    points
        Shape ``(n, n)``: what the row won against the column.

    Returns
    -------
    numpy.ndarray
        Shape ``(n,)``: log-odds with mean 0, of the largest likelihood.

    Raises
    ------
    ValueError
        If there are no points, or the methods fall into groups that never met.
    """
    import statsmodels.api as sm

    won = np.asarray(points, dtype=float)
    played = won + won.T
    pairs = combinations(range(len(won)), 2)
    met = [(i, j) for i, j in pairs if played[i, j] > 0]
    design = np.zeros((len(met), len(won)))
    for row, (i, j) in enumerate(met):
        design[row, [i, j]] = 1, -1
    joined = bool(met) and np.linalg.matrix_rank(design) == len(won) - 1
    if not joined:
        raise ValueError(
            "strengths need points, and methods that all met, if by way of others"
        )
    counts = [(won[i, j], won[j, i]) for i, j in met]
    fit = sm.GLM(counts, design[:, 1:], family=sm.families.Binomial()).fit()
    strength = np.concatenate([[0.0], fit.params])
    return strength - strength.mean()


def strengths(
    outcomes: pd.DataFrame,
    methods: Sequence[str],
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> pd.Series:
    """Return Bradley-Terry strengths with intervals that draw whole moves.

    :data:`PRIOR_TIES` are added for every pair that met.

    Returns
    -------
    pandas.Series
        An :class:`Interval` for each method that took part, strongest first; ``n`` is the number
        of its answers. Of two methods ``d`` apart the stronger wins with chance
        ``1 / (1 + exp(-d))``.
    """
    present = set(outcomes["first"]) | set(outcomes["second"])
    names = [name for name in methods if name in present]
    points = win_points(outcomes, names)
    met = points.sum(axis=0) + points.sum(axis=0).T
    ties = PRIOR_TIES / 2 * (met > 0)
    value = bradley_terry(points.sum(axis=0) + ties)
    weights = cluster_weights(len(points), seed=seed, resamples=resamples)
    drawn = np.tensordot(weights, points, axes=1)
    samples = np.array([bradley_terry(table + ties) for table in drawn])
    counts = met.sum(axis=1).astype(int)
    moves = len(points)
    intervals = {
        names[k]: percentile_interval(
            value[k], samples[:, k], int(counts[k]), clusters=moves
        )
        for k in np.argsort(-value, kind="stable")
    }
    return pd.Series(intervals, dtype=object)
