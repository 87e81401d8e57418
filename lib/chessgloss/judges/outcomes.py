"""What came of the experiment with a model that can write, laid out by move and by arm.

::

    comments = voice.comments(client)
    first, second = check_twice(client, reader, pool.analyse)
    false = by_arm(comments, voice.accused(first, second))
    blindly = read_blind(judge, blind.voice_texts(client), blind.voice_seen())
    decisive = said(blindly, "decisive")

The two frames are what :func:`chessgloss.judges.steps.compare_all` compares. A number is 1 where a
comment has what is counted, 0 where it has not, and NaN where there is no comment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

import pandas as pd

from chessgloss.claims import Checked, Reading, agreed
from chessgloss.claims.gold import GoldText
from chessgloss.claims.read_model import sentence_spans
from chessgloss.commentary import readings, voice
from chessgloss.commentary.briefing import Comment
from chessgloss.facts import Analyse
from chessgloss.judges import blind
from chessgloss.judges.blind import Seen
from chessgloss.judges.steps import Ruler
from chessgloss.llm.client import Client
from chessgloss.positions import Position
from chessgloss.scores import Analysis

#: Claims of texts with the program's verdicts, by the texts' keys (:func:`voice.text_key`).
Verdicts = Mapping[str, Sequence[Checked]]

#: Comments by arm and by the name of the move.
Comments = Mapping[str, Mapping[str, Comment]]


# ---------------------------------------------------------------- claims


def check_twice(
    client: Client,
    reader: Client,
    analyse: Analyse | None = None,
    *,
    shared: bool = False,
    moves: Collection[str] | None = None,
) -> tuple[Verdicts, Verdicts]:
    """Return what each of two readings claims of every comment, with the program's verdicts.

    Parameters
    ----------
    client, reader
        Replay the writer's answers, and those of the reader of claims.
    analyse
        Searches what the engine's verdict on a move does not reach; each position once.
    shared
        Of the comments that both experiments have, instead of all arms and planted errors.
    moves
        On these moves only.

    Raises
    ------
    ValueError
        If a comment was not read twice; the message says what records it.
    """
    once = remembering(analyse) if analyse else None
    found = []
    for number in (1, 2):
        texts, read = _read(client, reader, number, shared=shared)
        if lacking := len(texts) - len(read):
            judge = reader.model.name
            raise ValueError(
                f"{lacking} of {len(texts)} comments by {client.model.name} lack reading "
                f"{number} by {judge}; record it with: make record PURPOSE=voice_readings "
                f"MODEL={client.model.name} JUDGE={judge}"
            )
        kept = (each for each in texts if moves is None or _move_of(each.key) in moves)
        found.append(voice.checks(kept, read, once))
    return found[0], found[1]


def is_read(client: Client, reader: Client, *, shared: bool = False) -> bool:
    """Return whether :func:`check_twice` has both readings of every comment."""
    pairs = (_read(client, reader, number, shared=shared) for number in (1, 2))
    return all(len(texts) == len(read) for texts, read in pairs)


def _read(
    client: Client, reader: Client, number: int, *, shared: bool
) -> tuple[Sequence[GoldText], Mapping[str, Reading]]:
    """Return the comments of one of two readings, and what was read in those that were."""
    texts_of = voice.texts_shared if shared else voice.texts_read
    texts = texts_of(client, number)
    asked = readings.blocks(f"{'shared' if shared else 'all'}_{number}", texts)
    return texts, readings.read_texts(asked, reader)


def remembering(analyse: Analyse) -> Analyse:
    """Return what analyses as another does, but no position twice with the same limits."""
    seen = dict[tuple[str, int, int], Analysis]()

    def remember(
        positions: Sequence[Position], nodes: int, lines: int
    ) -> list[Analysis]:
        asked = {(each.fen, nodes, lines): each for each in positions}
        new = {key: each for key, each in asked.items() if key not in seen}
        if new:
            found = analyse([*new.values()], nodes, lines)
            seen.update(zip(new, found, strict=True))
        return [seen[each.fen, nodes, lines] for each in positions]

    return remember


def by_arm(comments: Comments, values: Mapping[str, float]) -> pd.DataFrame:
    """Return a value of each comment, by the key of its text: a row a move, a column an arm."""
    return pd.DataFrame(
        {
            arm: {
                name: values.get(voice.text_key(name, each.text), float("nan"))
                for name, each in of_arm.items()
            }
            for arm, of_arm in comments.items()
        },
        dtype=float,
    )


def decided_claims(
    comments: Comments, first: Verdicts, second: Verdicts
) -> pd.DataFrame:
    """Return every claim of the comments that is decided, a row each.

    Returns
    -------
    pandas.DataFrame
        Columns ``arm``, ``move``, ``by`` (``board`` or ``evaluation``), ``false`` (1 or 0) and
        ``cause`` (CCC paper, Table 2; of false claims). What one reading alone accuses is not
        decided.
    """
    rows = [
        {
            "arm": arm,
            "move": name,
            "by": "evaluation" if claim.claim.row.engine else "board",
            "false": float(claim.verdict == "false"),
            "cause": claim.cause or "",
        }
        for arm, of_arm in comments.items()
        for name, each in of_arm.items()
        if (key := voice.text_key(name, each.text)) in first
        for claim in agreed(first[key], second[key])
        if claim.verdict in ("true", "false")
    ]
    columns = ["arm", "move", "by", "false", "cause"]
    return pd.DataFrame(rows, columns=columns)


def comments_with(claims: pd.DataFrame, read: pd.DataFrame) -> pd.DataFrame:
    """Return which comments have one of some claims: a row a move, a column an arm, 1 or 0.

    Parameters
    ----------
    claims
        Rows of :func:`decided_claims`.
    read
        What :func:`by_arm` returns; where it has nothing, neither has this.
    """
    counts = pd.crosstab(claims["move"], claims["arm"])
    found = counts.reindex(index=read.index, columns=read.columns).fillna(0) > 0
    return found.astype(float).where(read.notna())


def _move_of(key: str) -> str:
    return key.partition("#")[0]


# ---------------------------------------------------------------- blind readings


def read_blind(
    client: Client, written: Iterable[tuple[str, str, str]], seen: Mapping[str, Seen]
) -> pd.DataFrame:
    """Return what two blind readings say of comments, a row a comment and reading.

    Parameters
    ----------
    client
        Replays the reader's answers.
    written
        Comments, each with the name of its move and of who wrote it.
    seen
        The moves by name; comments on others are left out.

    Returns
    -------
    pandas.DataFrame
        Columns ``reading``, ``move``, ``writer``, ``text`` (its key) and one for each of
        :data:`chessgloss.judges.blind.ANSWERS`; empty where the answer is not in the form.

    Raises
    ------
    AnswerMissing
        If an answer is missing.
    """
    rows = [
        {
            "reading": reading,
            "move": move,
            "writer": writer,
            "text": voice.text_key(move, text),
            **blind.read_answer(client.ask(blind.ask(seen[move], text, reading)).text),
        }
        for move, writer, text in written
        if text and move in seen
        for reading in blind.READINGS
    ]
    columns = ["reading", "move", "writer", "text", *blind.ANSWERS]
    return pd.DataFrame(rows, columns=columns).fillna("")


def said(blindly: pd.DataFrame, asked: str, answer: str = "yes") -> pd.DataFrame:
    """Return how often two readings answer so, 0, 1/2 or 1: a row a move, a column a writer.

    Where one of the two is not in the form there is nothing.
    """
    known = blindly[blindly[asked] != ""]
    so = known.assign(so=(known[asked] == answer).astype(float))
    pairs = so.groupby(["move", "writer"])["so"].agg(["mean", "size"])
    return pairs.loc[pairs["size"] == len(blind.READINGS), "mean"].unstack("writer")


def pairs_of(blindly: pd.DataFrame, asked: str) -> pd.DataFrame:
    """Return the answers of both readings side by side, those in the form: a row a comment."""
    known = blindly[blindly[asked] != ""].drop_duplicates(["text", "reading"])
    return known.pivot(index="text", columns="reading", values=asked).dropna()


# ---------------------------------------------------------------- planted errors


def found_plants(
    plants: Iterable[Mapping[str, object]], first: Verdicts, second: Verdicts
) -> pd.DataFrame:
    """Return whether both readings accuse the sentence in which each error was planted.

    Returns
    -------
    pandas.DataFrame
        Columns ``arm``, ``error`` (what was exchanged) and ``found`` (1 or 0), a row an error
        of :func:`voice.read_plants` whose comment was read.
    """
    rows = []
    for each in plants:
        text = str(each["text"])
        key = voice.text_key(str(each["move"]), text)
        if key in first:
            place = sentence_spans(text)[int(str(each["sentence"]))]
            found = _accused_at(place, agreed(first[key], second[key]))
            rows.append((each["arm"], each["error"], float(found)))
    return pd.DataFrame(rows, columns=["arm", "error", "found"])


def _accused_at(place: tuple[int, int], claims: Iterable[Checked]) -> bool:
    start, stop = place
    return any(
        each.verdict == "false" and each.span[0] < stop and start < each.span[1]
        for each in claims
    )


def rulers(
    accused: pd.DataFrame, plants: pd.DataFrame, false_blind: pd.DataFrame
) -> dict[str, Ruler]:
    """Return how far accusations of each arm can be trusted, and of ``all`` arms together.

    Parameters
    ----------
    accused
        Whether each comment is accused (:func:`by_arm`).
    plants
        Which planted errors were found (:func:`found_plants`).
    false_blind
        How many blind readings see a false statement in each comment (:func:`said`); where none
        does, the comment counts as one without an error.
    """
    found = {arm: plants.loc[plants["arm"] == arm, "found"] for arm in accused}
    clean = {
        arm: accused[arm][false_blind[arm].reindex(accused.index) == 0].dropna()
        for arm in accused
        if arm in false_blind
    }
    of_arms = {arm: Ruler.of(found[arm] == 1, clean[arm] == 1) for arm in clean}
    together = Ruler.of(
        chain.from_iterable(found[arm] == 1 for arm in clean),
        chain.from_iterable(clean[arm] == 1 for arm in clean),
    )
    return of_arms | {"all": together}
