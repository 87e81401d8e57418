"""A chess engine and a language model explain a move together.

The names below are the way in; each starts what it needs when it is called, and importing
this package starts nothing. What a study needs is in these packages, from the board upwards:

- ``positions``, ``stats``, ``assets``, ``store``: positions and moves, intervals, files;
- ``engine``, ``oracle``, ``experts``, ``llm``, ``corpora``: searches, Stockfish 8's terms,
  networks' hidden layers, language models and their recorded answers, games and lectures;
- ``concepts``, ``facts``: what a network represents, and what is true of a move;
- ``claims``: what a text says of a move, checked on the board;
- ``commentary``, ``judges``, ``survey``, ``skill``, ``tracking``: comments, who judges them,
  people asked, players graded, models of games probed;
- ``report``, ``book``, ``cli``: how chapters show results, how they are made, the commands.

>>> import chessgloss
>>> move = chessgloss.read_move("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e4")
>>> [checked.verdict for checked in chessgloss.check("White captures a pawn.", move)]
['false']
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chessgloss.claims import Checked
    from chessgloss.commentary.briefing import Briefing, Comment
    from chessgloss.engine import Engine
    from chessgloss.facts.change import ConceptChange
    from chessgloss.llm.client import Client
    from chessgloss.positions import MoveInContext, Position
    from chessgloss.scores import Analysis

__version__ = "0.1.0"


def read_move(
    fen: str, move: str, *, say: Callable[[str], object] = warnings.warn
) -> MoveInContext:
    """Return a move in its position.

    Parameters
    ----------
    fen
        The position before it. One that breaks the rules in a way that can be mended (a move
        number of 0) is, and ``say`` is told how.
    move
        In SAN, also with its number (``30... Bd2+``), or UCI. If SAN says what the move does not
        do (``Nxf3+`` for Nf3), ``say`` is told how it is read.
    say
        Called with a line of text.

    Raises
    ------
    chessgloss.positions.PositionError
        If the FEN cannot be mended, or the move is not legal there.
    """
    from chessgloss import positions

    try:
        position = positions.read_fen(fen)
    except positions.PositionError:
        repaired = positions.repair_fen(fen)
        position = repaired.position
        say(f"FEN repaired: {'; '.join(repaired.repairs)}")
    read = positions.read_move(position, move)
    if positions.misnoted(read, move):
        say(f"{move} is read as {read.san}")
    return read


def rank_concepts(move: MoveInContext) -> tuple[ConceptChange, ...]:
    """Return the concepts that a move changes for the expert network, the most important first.

    Raises
    ------
    chessgloss.assets.AssetMissing
        If the expert network or the trained weights cannot be had.
    """
    from chessgloss.concepts.priority import prioritise

    return prioritise(move.position, move.uci).changes


def brief(
    move: MoveInContext,
    *,
    nodes: int | None = None,
    engine: Engine | None = None,
    concepts: tuple[ConceptChange, ...] | None = None,
) -> Briefing:
    """Return what is known of a move: engine's lines before and after, facts, concepts.

    Parameters
    ----------
    move
        The move in its position.
    nodes
        Searched before and after the move; by default as many as it takes until the verdict is
        stable (:func:`chessgloss.facts.search`). After a pass by either side, which shows what
        the move threatens and what it had to reckon with, the fewest of these.
    engine
        A running engine; one is started and ended otherwise.
    concepts
        The changed concepts; ranked anew (:func:`rank_concepts`) unless given.
    """
    from contextlib import nullcontext
    from dataclasses import replace

    from chessgloss.commentary.briefing import brief_move
    from chessgloss.engine import open_engine
    from chessgloss.facts.verdict import LEAST_NODES, MOST_NODES

    with nullcontext(engine) if engine else open_engine() as running:

        def analyse(
            positions: Sequence[Position], nodes: int, lines: int
        ) -> list[Analysis]:
            return [
                running.analyse(each, nodes=nodes, multipv=lines) for each in positions
            ]

        limits = (nodes, nodes) if nodes else (LEAST_NODES, MOST_NODES)
        briefing = brief_move(move, analyse, limits)
    ranked = rank_concepts(move) if concepts is None else concepts
    return replace(briefing, concepts=ranked)


def comment(
    briefing: Briefing,
    method: str = "notes",
    client: Client | None = None,
    *,
    say: Callable[[str], object] = warnings.warn,
) -> Comment:
    """Return a comment on a briefed move.

    Parameters
    ----------
    briefing
        What is known of the move (:func:`brief`).
    method
        ``notes`` says what is true of the move, without a model; ``ccc``, ``verdict`` and
        ``bare`` ask a model as the paper's methods do, other arms of the experiment
        (:data:`chessgloss.commentary.arms.ARMS`) take the steps between them. All but the
        first need a client.
    client
        Asks the language model (:func:`live_client`).
    say
        Told when the model's answer could not be used.

    Raises
    ------
    ValueError
        If there is no such method, or one that asks a model has no client.
    """
    from chessgloss.commentary.methods import ModelWriter, validate_method, write_notes

    if validate_method(method) == "notes":
        return write_notes(briefing)
    if client is None:
        raise ValueError(
            f"method {method!r} asks a model: pass client=chessgloss.live_client()"
        )
    return ModelWriter(client, method, say)(briefing)


def check(
    text: str,
    move: MoveInContext,
    briefing: Briefing | None = None,
    client: Client | None = None,
) -> tuple[Checked, ...]:
    """Return every claim that a text makes of a move, with its verdict and the evidence.

    Parameters
    ----------
    text
        The text, in English.
    move
        The move that it is about.
    briefing
        Brings the engine's opinion, without which evaluations stay undecided.
    client
        Asks the language model that is to read the text (:func:`live_client`); small rules read
        it without one.
    """
    from chessgloss.claims import verify

    verdict = briefing.verdict if briefing else None
    if client is None:
        return verify(text, move, verdict)
    from chessgloss.commentary.readings import reader

    return verify(text, move, verdict, read=reader(client))


def live_client(timeout: float = 300.0) -> Client:
    """Return a client of ``OPENAI_BASE_URL`` that asks afresh and keeps nothing.

    It waits for an answer as many seconds as given, and asks once more if none comes.
    """
    import os
    from dataclasses import replace
    from pathlib import Path

    from chessgloss.llm.client import Client, endpoint_from_environment
    from chessgloss.llm.recordings import Recordings

    endpoint = replace(endpoint_from_environment(), timeout=timeout, retries=1)
    nowhere = Recordings.of(endpoint.model, "words", Path(os.devnull))
    return Client(nowhere, endpoint, keeps=False)
