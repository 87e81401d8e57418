"""The pairwise rubric: two comments on one move, six criteria, a winner.

Source: *Chess Commentary Pairwise Evaluation Rubric (LLM-as-a-Judge)*. Its line of answer is
``WINNER,<A|B|TIE>,A,c1,c2,c3,c4,c5,c6,total,B,c1,c2,c3,c4,c5,c6,total``. Whoever writes it, the
program reads the scores, adds them up, breaks ties, and applies the hard rule: a comment that
claims a check, a checkmate, a capture, a promotion, a trade, the win of a hanging piece, or a
forced tactic or threat which the feature context does not support has a faithfulness of 1,
whatever the judge gave. Support is *in the context*, not on the board: a fork that stood before
the move may be real and yet stand nowhere in the context.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import chess
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chessgloss.claims import Checked, Claim, Disqualifier, disqualifier, verify
from chessgloss.claims.language import MoveSpec, Reference, SquarePattern
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.prompts import load_prompt
from chessgloss.facts import Facts, side_name
from chessgloss.facts.records import AROUND
from chessgloss.llm.recordings import Request, Sampling, State
from chessgloss.llm.text import quoted
from chessgloss.predicates.board import piece_on
from chessgloss.predicates.words import pawns_worth
from chessgloss.scores import MATES_FROM, ScoreWording, read_centipawns, score_text
from chessgloss.stats import Floats

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

#: A line of 18 fields is about 40 tokens. A blank line ends an answer, so that an explanation
#: below the line is not waited for.
LINE = Sampling(temperature=0.0, max_tokens=60, seed=1, stop=("\n\n",))

#: Comments by move and by who wrote them.
Comments = Mapping[str, Mapping[str, str]]

_CONTEXT_WORDING: Final = ScoreWording(
    number="{pawns:+.2f}", mate="{verb} in {moves}", mated="{verb} in 0", level=None
)

_SCORES = r"((?:[ \t]*[1-5][ \t]*,){6})[ \t]*([0-9]{1,3})"
_HEAD = r"WINNER[ \t]*,[ \t]*(A|B|TIE)[ \t]*,[ \t]*A[ \t]*,"
_RUBRIC_LINE = re.compile(rf"{_HEAD}{_SCORES}[ \t]*,[ \t]*B[ \t]*,{_SCORES}")
_FENCED = re.compile(r"\A```[a-z]*[ \t]*\n(.*)\n[ \t]*```\Z", re.DOTALL)


# ---------------------------------------------------------------- what the judge is given


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


def ask_pair(
    context: str, texts: tuple[str, str], about: Mapping[str, str | int]
) -> Request:
    """Return the question that puts two comments on a move before the judge.

    Parameters
    ----------
    context
        The feature context of the move (:func:`linearise`).
    texts
        The comments that stand as A and B.
    about
        What the recording keeps: of which move, and who wrote the ``first`` and the ``second``.
    """
    a, b = map(quoted, texts)
    prompt = load_prompt("pairwise")
    return prompt.ask(LINE, dict(about), context=context, a=a, b=b)


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
    """Read the answers to questions on pairs (:func:`ask_pair`), a column ``answer``.

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
