"""The judge put to use: the best of several comments, and whether a comment teaches its reader.

Best of four asks whether choosing by GCC-Eval raises truth or only the score. Simulatability asks
whether a comment helps the model that reads it to choose the better of two moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import chess

from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.methods import Comment, read_comment, request_comment
from chessgloss.commentary.prompts import load_prompt, quoted
from chessgloss.engine import centipawns
from chessgloss.judges.gcc import ONE_TOKEN, Candidate
from chessgloss.judges.scale import Score, read_letter
from chessgloss.llm import Client, Request

#: How many comments are drawn on a move, of which method, and how freely.
SAMPLES, SAMPLED, WARMTH = 4, "ccc", 0.7

#: Two moves are put up for choice if they differ by so many centipawns at least.
GAP = 50


def sample_requests(briefing: Briefing, samples: int = SAMPLES) -> list[Request]:
    """Return the questions that draw several comments on a move."""
    request = request_comment(briefing, SAMPLED)
    sampling = replace(request.sampling, temperature=WARMTH)
    about = {**request.about, "drawn": "best of several"}
    return [
        replace(request, sampling=sampling, repeat=number, about=about) for number in range(samples)
    ]


def sampled_comments(
    briefings: Sequence[Briefing], client: Client, samples: int = SAMPLES
) -> list[list[Candidate]]:
    """Return the comments drawn on each move; those that hold no comment are left out."""
    requests = [each for one in briefings for each in sample_requests(one, samples)]
    answers = client.ask_many(requests, progress=False)
    read = [read_comment(answer, SAMPLED) for answer in answers]
    return [
        _drawn(one, read[place * samples : (place + 1) * samples])
        for place, one in enumerate(briefings)
    ]


def _drawn(briefing: Briefing, comments: Sequence[Comment]) -> list[Candidate]:
    return [
        Candidate(briefing, one.text, SAMPLED, f"drawn {number}")
        for number, one in enumerate(comments)
        if one.state == "answered"
    ]


def overall(scores: Sequence[Score]) -> float:
    """Return the mean of a text's scores as a share of the scale; 0 if none could be read."""
    shares = [one.share for one in scores if one.share is not None]
    return fmean(shares) if shares else 0.0


@dataclass(frozen=True, slots=True)
class Choice:
    """Two moves in one position, one clearly better.

    Parameters
    ----------
    briefing
        The move that was played, and what an engine says of it.
    better, worse
        The two moves in SAN; one of them is the move played.
    gap
        Centipawns between them, seen by the side that moves.
    """

    briefing: Briefing
    better: str
    worse: str
    gap: int

    def __post_init__(self) -> None:
        if self.better == self.worse or self.gap <= 0:
            raise ValueError(f"a choice needs two moves, one better, got {self}")


def choice_of(briefing: Briefing, gap: int = GAP) -> Choice | None:
    """Return the choice between the move played and another; ``None`` if none is clear.

    A move that loses at least ``gap`` centipawns stands against the best one, the best one
    against the last of the engine's lines, if that is so much worse.
    """
    verdict, board = briefing.verdict, chess.Board(briefing.move.position.fen)
    played = board.san(briefing.move.move)
    if verdict.rank == 1:
        last = briefing.before.lines[-1]
        lost = verdict.centipawns_before - centipawns(last.score, verdict.mover)
        worse = board.san(board.parse_uci(last.moves[0]))
        return Choice(briefing, played, worse, lost) if lost >= gap else None
    best = board.san(board.parse_uci(verdict.best))
    return Choice(briefing, best, played, verdict.loss) if verdict.loss >= gap else None


def choice_requests(choice: Choice, comment: str | None) -> tuple[Request, Request]:
    """Return the question which move is better, the better one first and second.

    Parameters
    ----------
    choice
        The two moves.
    comment
        A comment on the move played; ``None`` asks without one.
    """
    prompt, move = load_prompt("gcc_choice"), choice.briefing.move
    told = "There is none." if comment is None else f"On {move.san}:\n{quoted(comment)}"
    side = "White" if choice.briefing.verdict.mover else "Black"
    orders = ((choice.better, choice.worse), (choice.worse, choice.better))
    about = {"asked": "choice", **_about(choice.briefing, comment)}
    first, second = (
        Request(
            prompt.fill(fen=move.position.fen, side=side, first=one, second=other, comment=told),
            ONE_TOKEN,
            prompt=prompt.label,
            about={**about, "first": one},
        )
        for one, other in orders
    )
    return first, second


def chance_of_better(
    choices: Sequence[Choice], comments: Mapping[str, str] | None, client: Client
) -> list[float | None]:
    """Return the probability that the model chooses the better move, mean of both orders.

    Parameters
    ----------
    choices
        The pairs of moves.
    comments
        Comments on the moves played, by the move's name; ``None`` asks without any. A move
        that has none gives ``None``.
    client
        Of the model that reads.
    """
    told = [(one, comments.get(one.briefing.name) if comments else None) for one in choices]
    asked = [pair for pair in told if comments is None or pair[1] is not None]
    requests = [each for one, comment in asked for each in choice_requests(one, comment)]
    answers = client.ask_many(requests, progress=False)
    found = {}
    for (one, _), first, second in zip(asked, answers[::2], answers[1::2], strict=True):
        shares = read_letter(first), read_letter(second)
        if shares[0] is not None and shares[1] is not None:
            found[one.briefing.name] = (shares[0]["A"] + shares[1]["B"]) / 2
    return [found.get(one.briefing.name) for one in choices]


def _about(briefing: Briefing, comment: str | None) -> dict[str, str]:
    if comment is None:
        return {"of": briefing.name}
    return Candidate(briefing, comment, "").about()
