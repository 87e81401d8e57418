"""Language models as players: how a position is told, how an answer is asked for.

A player is a model and a :class:`Play`. The first name is the model's: ``qwen_fen`` is told
the FEN, ``qwen_history`` the FEN and the last moves, ``qwen_pgn`` the game and no FEN,
``qwen_concepts`` the FEN and what an expert network sees in it. With ``_uci`` at the end the
answer is wanted in UCI, with ``_reason`` a reason is wanted too. Any model behind the OpenAI
protocol plays through the same :class:`chessgloss.llm.Client`, and its answers are recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

import chess

from chessgloss.commentary.prompts import load_prompt
from chessgloss.llm import DEFAULT_MODEL, Client, Request, Sampling, State, Unanswered
from chessgloss.llm import Answer as Said
from chessgloss.skill.answers import Answer, Reasoned, read_answer, read_reasoned
from chessgloss.skill.players import NO_HISTORY, Asked

Telling = Literal["fen", "history", "pgn", "concepts"]
Asking = Literal["san", "uci", "reason"]

#: Plies of the game that are told with ``history``.
HISTORY: Final = 12

#: A move takes up to six tokens; what is longer is no move alone.
MOVE: Final = Sampling(temperature=0.0, max_tokens=12)
#: A move and a sentence.
MOVE_AND_REASON: Final = Sampling(temperature=0.0, max_tokens=60)

#: An endpoint that gives no answer so often running is asked no more.
PATIENCE: Final = 3

#: Concepts told of a position, by its name (see :func:`chessgloss.skill.seen.told_concepts`).
Concepts = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Play:
    """How a model is asked for moves.

    Parameters
    ----------
    telling
        How the position is told.
    asking
        In which notation the move is wanted; ``reason``: in SAN, with a reason.
    """

    telling: Telling
    asking: Asking = "san"

    @property
    def name(self) -> str:
        """``fen``, ``pgn_uci``, ``fen_reason``: what follows the model in a player's name."""
        return self.telling + ("" if self.asking == "san" else f"_{self.asking}")


#: Every way in which a model is asked, by name.
PLAYS: Mapping[str, Play] = MappingProxyType(
    {
        play.name: play
        for play in (
            *(Play(telling) for telling in ("fen", "history", "pgn", "concepts")),
            *(Play(telling, "uci") for telling in ("fen", "history", "pgn", "concepts")),
            Play("fen", "reason"),
        )
    }
)


@dataclass(frozen=True, slots=True)
class LlmPlayer:
    """A language model that is asked in one way.

    Parameters
    ----------
    client
        Where its answers come from.
    play
        How it is asked.
    concepts
        What is told with ``concepts``, by name of the position.
    """

    client: Client
    play: Play
    concepts: Concepts = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """``qwen_fen`` and the like."""
        return f"{nickname(self.client.model.name)}_{self.play.name}"

    def choose(self, asked: Sequence[Asked]) -> list[Answer]:
        """Return the answers, replayed or asked for.

        A position that cannot be told in this way gets an ``error``, and so does one to which
        the endpoint gives no answer.

        Raises
        ------
        chessgloss.llm.AnswerMissing
            If a recorded answer is missing: names the command that records it.
        """
        return [one.answer for one in self.reasoned(asked)]

    def reasoned(self, asked: Sequence[Asked]) -> list[Reasoned]:
        """Return the answers with their reasons, which are empty unless they were asked for."""
        told = [one for one in asked if can_tell(one, self.play)]
        requests = [play_request(one, self.play, self.concepts) for one in told]
        said = dict(zip(told, ask_patiently(self.client, requests), strict=True))
        nothing = Reasoned(NO_HISTORY, "")
        return [self._read(one, said[one]) if one in said else nothing for one in asked]

    def _read(self, asked: Asked, said: Said | str) -> Reasoned:
        if self.play.asking != "reason" or unread(said):
            return Reasoned(read_said(said, asked.position.board()), "")
        assert not isinstance(said, str)
        return read_reasoned(said.text, asked.position.board())


def play_requests(
    asked: Sequence[Asked], play: Play, concepts: Concepts = MappingProxyType({})
) -> list[Request]:
    """Return the questions of one way of asking, where the position can be told in it.

    Parameters
    ----------
    asked
        The positions.
    play
        How they are told and what is asked.
    concepts
        For ``concepts``: what is told, by name of the position.
    """
    return [play_request(one, play, concepts) for one in asked if can_tell(one, play)]


def play_request(asked: Asked, play: Play, concepts: Concepts = MappingProxyType({})) -> Request:
    """Return the question for a move; ``about`` names the position and its FEN.

    Raises
    ------
    ValueError
        If the position cannot be told in this way, or its concepts are not given.
    """
    prompt = load_prompt(f"play_{play.asking}")
    side = "White" if asked.position.turn else "Black"
    messages = prompt.fill(told=tell(asked, play.telling, concepts), side=side)
    sampling = MOVE_AND_REASON if play.asking == "reason" else MOVE
    about = {"of": asked.name, "fen": asked.position.fen}
    return Request(messages, sampling, prompt=prompt.label, about=about)


def can_tell(asked: Asked, play: Play) -> bool:
    """Return whether the position has what is told: its game, for ``history`` and ``pgn``."""
    return play.telling not in ("history", "pgn") or asked.has_history


def tell(asked: Asked, telling: Telling, concepts: Concepts = MappingProxyType({})) -> str:
    """Return a position in words for a model.

    Raises
    ------
    ValueError
        As for :func:`play_request`.
    """
    if not can_tell(asked, Play(telling)):
        raise ValueError(f"{asked.name}: the game that led here is not known; tell the FEN")
    fen = f"position (FEN): {asked.position.fen}"
    if telling == "history":
        return f"last moves: {_movetext(asked, HISTORY)}\n{fen}"
    if telling == "pgn":
        return f"game (PGN): {_movetext(asked, len(asked.position.moves))}"
    if telling == "concepts":
        if asked.name not in concepts:
            raise ValueError(f"{asked.name}: no concepts are given for this position")
        return f"{fen}\nan expert sees: {'; '.join(concepts[asked.name]) or 'nothing special'}"
    return fen


def nickname(model: str) -> str:
    """Return what a model is called in names of players: ``qwen``, ``gpt_4o_mini``."""
    if model == DEFAULT_MODEL:
        return "qwen"
    return re.sub(r"[^a-z0-9]+", "_", model.lower()).strip("_")


def ask_patiently(client: Client, requests: Sequence[Request]) -> list[Said | str]:
    """Return the answers; where the endpoint gives none, the reason in words.

    An endpoint that fails on :data:`PATIENCE` questions running is not asked the rest.
    """
    try:
        return list(client.ask_many(requests, progress=False))
    except Unanswered:
        return _one_by_one(client.ask, requests)


def unread(said: Said | str) -> bool:
    """Return whether there is no text to read a move from."""
    return isinstance(said, str) or said.state in (State.FAILED, State.REFUSED)


def read_said(said: Said | str, board: chess.Board) -> Answer:
    """Return the move of a model's answer; a failed or refused one keeps that as its state."""
    if isinstance(said, str):
        return Answer.failed(said)
    if said.state == State.FAILED:
        return Answer.failed(said.finish_reason or "the endpoint gave no answer")
    if said.state == State.REFUSED:
        return Answer(said.text, None, None, "refused")
    return read_answer(said.text, board)


def _one_by_one(ask: Callable[[Request], Said], requests: Sequence[Request]) -> list[Said | str]:
    found: list[Said | str] = []
    for request in requests:
        if len(found) >= PATIENCE and all(isinstance(one, str) for one in found[-PATIENCE:]):
            found.append("not asked: the endpoint had stopped answering")
            continue
        try:
            found.append(ask(request))
        except Unanswered as error:
            found.append(str(error))
    return found


def _movetext(asked: Asked, plies: int) -> str:
    """Return the last plies of the game in SAN with their numbers: ``3. Bb5 a6``."""
    board = asked.position.board()
    plies = min(plies, len(board.move_stack))
    moves = [board.pop() for _ in range(plies)][::-1]
    return board.variation_san(moves) or "none, the game begins"
