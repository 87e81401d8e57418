"""The experiment with a model that can write: its moves, its arms, and what they are asked.

The arms are those of :mod:`~chessgloss.commentary.arms`, with the same prompts and worked examples.
They are asked on 150 moves, sixty of which were released with the CCC paper, in six blocks that are
the same in every arm. What was decided before the first answer stands in ``voice.toml``, and with
its hashes in ``data/commentary/voice/frozen.json``.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from chessgloss.claims import Checked, Reading, agreed, verify
from chessgloss.claims.gold import GoldText
from chessgloss.commentary import read_table
from chessgloss.commentary.arms import ARMS as FIRST_ARMS
from chessgloss.commentary.arms import (
    EVERY_ARM,
    ask_arms,
    asked_moves,
    read_comment,
    read_published,
    send_back,
)
from chessgloss.commentary.asking import (
    read_analysis,
    read_briefings,
    read_refutation,
    released_file,
)
from chessgloss.commentary.briefing import Briefing, Comment
from chessgloss.commentary.plants import draw_plants
from chessgloss.facts import Analyse
from chessgloss.llm.client import Client
from chessgloss.llm.recordings import Model, Request
from chessgloss.positions import text_digest
from chessgloss.store import data_file

#: Under which purpose the answers are recorded.
PURPOSE: Final = "voice"

_TABLE: Mapping[str, Any] = read_table("voice.toml")

#: The arms whose questions are known beforehand, in the order of the argument.
ARMS: Sequence[str] = tuple(_TABLE["arms"])

#: The arm with false claims sent back, and all arms.
CHECKED: str = _TABLE["checked"]
REGISTERED: Sequence[str] = (*ARMS, CHECKED)

#: What makes a file of ``data/commentary/voice`` that is missing.
MADE_BY: Mapping[str, str] = MappingProxyType(
    {
        "lines.json": "data/commentary/voice/lines.py",
        "sent_back.json": "data/commentary/voice/check.py sent_back",
        "plants.jsonl": "data/commentary/voice/check.py plants",
    }
)

#: Planted errors of each arm, and the seed that draws them and orders what is read.
PLANTS, SEED = 50, 58

#: The steps between arms, by name: the arm that takes it, and the one that does not.
CONTRASTS: Mapping[str, tuple[str, str]] = {
    name: (taken, left) for name, (taken, left) in _TABLE["contrasts"].items()
}

#: What is compared, in words, by name.
OUTCOMES: Mapping[str, str] = _TABLE["outcomes"]


def read_blocks() -> list[list[str]]:
    """Return the names of the moves in the six blocks in which every arm is asked."""
    path = data_file("commentary/voice/blocks.json")
    return json.loads(path.read_text("utf-8"))["of"]


@cache
def voice_moves() -> Mapping[str, Briefing]:
    """Return the 150 moves by name, block by block: ninety of the 303, and the sixty released."""
    known = asked_moves() | read_briefings(released_file())
    return {name: known[name] for name in chain.from_iterable(read_blocks())}


@cache
def lined_moves() -> Mapping[str, Briefing]:
    """Return the same moves with two lines after each, and what a reader would try and fails.

    Raises
    ------
    ValueError
        If the file of them is missing; the message says what makes it.
    """
    rows = json.loads(_file("lines.json").read_text("utf-8"))
    return {name: _lined(each, rows[name]) for name, each in voice_moves().items()}


def _lined(briefing: Briefing, row: Mapping[str, Any]) -> Briefing:
    move = briefing.move
    failing = tuple(read_refutation(move, each) for each in row["failing"])
    after = read_analysis(move.after(), row["after"])
    return replace(briefing, after=after, refutations=failing)


def questions(arms: Iterable[str] = ARMS) -> list[Request]:
    """Return what some arms are asked on all moves, arm by arm, each in the order of the moves."""
    asked = dict[str, list[Request]]()
    published = read_published()
    named = list(arms)
    for moves, of_kind in (
        (voice_moves(), [arm for arm in named if not has_lines(arm)]),
        (lined_moves(), [arm for arm in named if has_lines(arm)]),
    ):
        for name, each in moves.items() if of_kind else ():
            for request in ask_arms(each, of_kind, published[name]):
                asked.setdefault(str(request.about["method"]), []).append(request)
    return [request for arm in named for request in asked[arm]]


def has_lines(arm: str) -> bool:
    """Return whether an arm is given lines."""
    return "lines" in EVERY_ARM[arm].parts


# ---------------------------------------------------------------- comments


def comments(client: Client) -> dict[str, dict[str, Comment]]:
    """Return the recorded comments of every arm, by arm and by the name of the move.

    Raises
    ------
    AnswerMissing
        If an answer is missing; of a comment that was sent back the second counts.
    """
    found: dict[str, dict[str, Comment]] = {arm: {} for arm in ARMS}
    for each in questions():
        arm, name = str(each.about["method"]), str(each.about["of"])
        found[arm][name] = read_comment(client.ask(each), arm)
    again = {
        str(each.about["of"]): read_comment(client.ask(each), CHECKED)
        for each in sent_back(client)
    }
    unchanged = {
        name: replace(each, method=CHECKED) for name, each in found["lines"].items()
    }
    return found | {CHECKED: unchanged | again}


def sent_back(client: Client) -> list[Request]:
    """Return what is asked of the comments with lines in which a claim was found false.

    ``sent_back.json`` in the model's folder holds the words of each claim and what decides it.
    """
    path = _file(f"{client.model.folder}/sent_back.json")
    stored = json.loads(path.read_text("utf-8"))
    asked = (each for each in questions(["lines"]) if each.about["of"] in stored)
    return [
        replace(
            send_back(each, client.ask(each).text, stored[str(each.about["of"])]),
            about={**each.about, "method": CHECKED},
        )
        for each in asked
    ]


def is_made(name: str, model: Model) -> bool:
    """Return whether a file of a model is there: ``sent_back.json`` or ``plants.jsonl``."""
    return data_file(f"commentary/voice/{model.folder}/{name}").is_file()


def _file(name: str) -> Path:
    """Return a file of the experiment.

    Raises
    ------
    ValueError
        If it is missing; the message says what makes it.
    """
    path = data_file(f"commentary/voice/{name}")
    if not path.is_file():
        made_by = MADE_BY[path.name]
        raise ValueError(f"{path} is missing; make it with: python {made_by}")
    return path


# ---------------------------------------------------------------- what is read


def texts_in_loop(client: Client) -> list[GoldText]:
    """Return the comments with lines, in the order in which they are read once, to be checked."""
    of = {
        str(each.about["of"]): read_comment(client.ask(each), "lines")
        for each in questions(["lines"])
    }
    return _shuffled((name, each.text) for name, each in of.items())


def texts_read(client: Client, reading: int) -> list[GoldText]:
    """Return the comments of all arms and the planted errors, in the order of one of two readings.

    What two arms say alike of a move is read once.
    """
    written = (
        (name, each.text)
        for of_arm in comments(client).values()
        for name, each in of_arm.items()
    )
    planted = ((each["move"], each["text"]) for each in read_plants(client.model))
    return _shuffled((*written, *planted), reading)


def texts_shared(client: Client, reading: int) -> list[GoldText]:
    """Return the recorded comments of the first experiment on moves and arms that both have."""
    return _shuffled(
        (
            (name, each.text)
            for of_arm in shared_comments(client).values()
            for name, each in of_arm.items()
        ),
        reading,
    )


def shared_comments(client: Client) -> dict[str, dict[str, Comment]]:
    """Return the recorded comments of the first experiment on moves and arms that both have."""
    requests = questions([arm for arm in ARMS if arm in FIRST_ARMS])
    found = dict[str, dict[str, Comment]]()
    for each in requests:
        if (answer := client.recordings.get(each)) is not None:
            arm, name = str(each.about["method"]), str(each.about["of"])
            found.setdefault(arm, {})[name] = read_comment(answer, arm)
    return found


def text_key(move: str, text: str) -> str:
    """Return what a comment on a move is called where it is read; it tells nothing of the arm."""
    return f"{move}#{text_digest(text)}"


def _shuffled(texts: Iterable[tuple[str, str]], reading: int = 0) -> list[GoldText]:
    moves = voice_moves()
    unique = {text_key(*each): each for each in texts if each[1]}
    keys = sorted(unique)
    random.Random(f"{SEED} {reading}").shuffle(keys)
    return [GoldText(key, moves[unique[key][0]].move, unique[key][1]) for key in keys]


def read_plants(model: Model) -> list[dict[str, Any]]:
    """Return the planted errors: arm, move, text, what was exchanged, in which sentence."""
    path = _file(f"{model.folder}/plants.jsonl")
    lines = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def make_plants(client: Client) -> Iterator[dict[str, Any]]:
    """Yield the planted errors of every arm, as :func:`read_plants` returns them."""
    moves = voice_moves()
    for arm, of_arm in comments(client).items():
        texts = {name: each.text for name, each in of_arm.items() if each.text}
        for name, made in draw_plants(texts, moves, PLANTS, f"{SEED} {arm}"):
            yield {"arm": arm, "move": name, **asdict(made)}


def checks(
    texts: Iterable[GoldText],
    read: Mapping[str, Reading],
    analyse: Analyse | None = None,
) -> dict[str, tuple[Checked, ...]]:
    """Return the claims that were read in texts with the program's verdicts, by the texts' keys.

    Parameters
    ----------
    texts, read
        The texts, and what was read in them, by their keys; a text that nobody read is left out.
    analyse
        Searches positions that the engine's verdict on the move does not reach.
    """
    moves = {each.move: each.verdict for each in voice_moves().values()}
    return {
        each.key: verify(
            each.text,
            each.move,
            moves[each.move],
            read=lambda *_, found=read[each.key]: found,
            analyse=analyse,
        )
        for each in texts
        if each.key in read
    }


def accused(
    first: Mapping[str, Sequence[Checked]], second: Mapping[str, Sequence[Checked]]
) -> dict[str, bool]:
    """Return of each text that was read twice whether both readings accuse it alike."""
    return {
        key: any(each.verdict == "false" for each in agreed(claims, second[key]))
        for key, claims in first.items()
        if key in second
    }
