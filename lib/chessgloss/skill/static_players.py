"""The players of the static positions, what they are asked, and what they answered.

A language model answers slowly, so it is asked in the positions of the first games of each
level only; every comparison with it is made on those. What it is asked is a list of requests
that ``chessgloss record`` sends once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pandas as pd

from chessgloss.claims import verify
from chessgloss.llm import Request
from chessgloss.positions import MoveInContext
from chessgloss.skill.answers import Answer, Reasoned
from chessgloss.skill.llm_players import PLAYS, Concepts, Play, play_requests
from chessgloss.skill.players import Asked, Player
from chessgloss.stats import Interval, mean_interval

if TYPE_CHECKING:
    from chessgloss.experts import Expert

#: Games of each level in whose positions a language model is asked: 150 positions.
MODEL_GAMES: Final = 15

#: It is asked for a reason too in those of two games in five: 60 positions.
REASON_GAMES: Final = (0, 1)

#: Ways in which it is asked in all of them.
MODEL_PLAYS: Final = ("fen", "fen_uci", "history", "pgn", "concepts")

#: The task with a reason.
REASONED_PLAY: Final = PLAYS["fen_reason"]


@dataclass(frozen=True, slots=True)
class Reasons:
    """What became of the reasons a model gave for its moves.

    Parameters
    ----------
    asked, legal, given
        Answers, those with a legal move, and of these those with a reason.
    claims
        Claims in the reasons of legal moves that the board can settle.
    false
        Share of these that are false, clusters being answers; ``None`` without a claim.
    sound
        Share of given reasons in which no claim is false.
    """

    asked: int
    legal: int
    given: int
    claims: int
    false: Interval | None
    sound: Interval | None


def suite_concepts(asked: Sequence[Asked], expert: Expert) -> Concepts:
    """Return what the expert sees in each position, in words, by the position's name."""
    from chessgloss.skill.seen import see, told_concepts

    fens = [one.position.fen for one in asked]
    scores = see(fens, expert)
    return {
        one.name: told_concepts(one.position.fen, row)
        for one, row in zip(asked, scores, strict=True)
    }


def reasoned_of(asked: Sequence[Asked]) -> list[Asked]:
    """Return the positions of the suite in which a reason is asked for too.

    They are those of two games in five of each level, by the number in the position's name, so
    that a smaller choice of positions asks for no other reasons.
    """
    return [one for one in asked if int(one.name.split(".")[1]) % 5 in REASON_GAMES]


def static_requests(asked: Sequence[Asked], concepts: Concepts) -> list[Request]:
    """Return every question to a language model, those of one prompt together.

    Parameters
    ----------
    asked
        The positions for a model: those of the first :data:`MODEL_GAMES` games of each level.
    concepts
        What is told with ``concepts`` (:func:`suite_concepts`).
    """
    requests: list[Request] = []
    for name in MODEL_PLAYS:
        requests += play_requests(asked, PLAYS[name], concepts)
    return requests + play_requests(reasoned_of(asked), REASONED_PLAY)


def model_plays() -> list[Play]:
    """Return the ways in which a model is asked for a move alone."""
    return [PLAYS[name] for name in MODEL_PLAYS]


def answers_of(players: Sequence[Player], asked: Sequence[Asked]) -> dict[str, list[Answer]]:
    """Let every player answer; return the answers by the player's name."""
    return {player.name: player.choose(asked) for player in players}


def answer_states(answers: Mapping[str, Sequence[Answer]]) -> pd.DataFrame:
    """Count the answers of each player by state: legal, illegal, unreadable, refused, error."""
    counts = {
        name: pd.Series([one.state for one in given]).value_counts()
        for name, given in answers.items()
    }
    return pd.DataFrame(counts).T.fillna(0).astype(int)


def check_reasons(asked: Sequence[Asked], given: Sequence[Reasoned], *, seed: int) -> Reasons:
    """Hold the claims of every reason for a legal move against the board.

    Claims about the evaluation are left out, since no engine is asked here.
    """
    verdicts: list[list[str]] = []
    legal = 0
    for one, said in zip(asked, given, strict=True):
        if said.answer.uci is None or not said.answer.legal:
            continue
        legal += 1
        if said.reason:
            checked = verify(said.reason, MoveInContext(one.position, said.answer.uci))
            verdicts.append([each.verdict for each in checked if each.verdict != "not checkable"])
    flags = [(float(v == "false"), n) for n, each in enumerate(verdicts) for v in each]
    false = mean_interval(*zip(*flags, strict=True), seed=seed) if flags else None
    clean = [float("false" not in each) for each in verdicts]
    sound = mean_interval(clean, seed=seed) if clean else None
    return Reasons(len(given), legal, len(verdicts), len(flags), false, sound)
