"""A chess engine and a language model explain a move together.

The names below are the way in; each starts what it needs when it is called, and importing
this package starts nothing. What a study needs is in these packages, from the board upwards:

- ``positions``, ``notation``, ``stats``, ``assets``, ``store``: positions and moves, how people
  write them, intervals, files;
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
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

    import chess
    from chess.engine import SimpleEngine

    from chessgloss.claims import Checked
    from chessgloss.commentary.annotate import Annotator as Annotator
    from chessgloss.commentary.briefing import Briefing, Comment
    from chessgloss.engine import Engine
    from chessgloss.facts.change import ConceptChange
    from chessgloss.llm.client import Client
    from chessgloss.positions import MoveInContext, Position

    #: Where a move is played: a board, a FEN, a record; or the move in its position.
    At: TypeAlias = chess.Board | str | Position | MoveInContext
    #: A move, unless it is given with its position.
    Played: TypeAlias = chess.Move | str | None

__version__ = "0.1.0"
__all__ = [
    "Annotator",
    "brief",
    "check",
    "comment",
    "live_client",
    "rank_concepts",
    "read_move",
]


def __getattr__(name: str) -> object:
    if name == "Annotator":
        from chessgloss.commentary.annotate import Annotator

        return Annotator
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def read_move(
    position: At,
    move: Played = None,
    *,
    language: str = "en",
    say: Callable[[str], object] = warnings.warn,
) -> MoveInContext:
    """Return a move in its position.

    Parameters
    ----------
    position
        The position before it: a :class:`chess.Board`, whose history is kept, or a FEN, also from
        an address. One that breaks the rules in a way that can be mended (a move number of 0) is,
        and ``say`` is told how.
    move
        A :class:`chess.Move`, or a text in SAN, also with its number (``30... Bd2+``), or UCI. If
        SAN says what the move does not do (``Nxf3+`` for Nf3), ``say`` is told how it is read.
    language
        Whose letters the pieces have: a code (``de``) or a name of
        :data:`chessgloss.notation.LANGUAGES`.
    say
        Called with a line of text.

    Raises
    ------
    TypeError
        If it is given something else.
    chessgloss.positions.PositionError
        If the FEN cannot be mended.
    chessgloss.positions.MoveError
        If the move is not legal there.
    """
    from chessgloss.positions import move_in_context

    return move_in_context(position, move, say=say, language=language)


def rank_concepts(position: At, move: Played = None) -> tuple[ConceptChange, ...]:
    """Return the concepts that a move changes for the expert network, the most important first.

    The move is given as for :func:`read_move`.

    Raises
    ------
    chessgloss.assets.AssetMissing
        If the expert network or the trained weights cannot be had.
    """
    from chessgloss.concepts.priority import prioritise

    played = read_move(position, move)
    return prioritise(played.position, played.uci).changes


def brief(
    position: At,
    move: Played = None,
    *,
    nodes: int | None = None,
    engine: Engine | SimpleEngine | None = None,
    concepts: tuple[ConceptChange, ...] | None = None,
) -> Briefing:
    """Return the briefing of a move: engine's lines before and after, facts, concepts.

    For more than one move, :class:`Annotator` keeps the engine and the weights loaded.

    Parameters
    ----------
    position, move
        The move, as for :func:`read_move`.
    nodes
        Searched before and after the move; by default as many as it takes until the verdict is
        stable (:func:`chessgloss.facts.search`). After a pass by either side, which shows what
        the move threatens and what it had to reckon with, the fewest of these.
    engine
        A running engine, of :mod:`chessgloss.engine` or of python-chess; one is started and ended
        otherwise.
    concepts
        The changed concepts; ranked anew (:func:`rank_concepts`) unless given.

    Raises
    ------
    TypeError
        If the move or the engine is something else.
    """
    from chessgloss.commentary.annotate import Annotator

    given = None if concepts is None else (lambda move: concepts)
    limits = (nodes, nodes) if nodes else None
    with Annotator(engine, concepts=given, nodes=limits, processes=1) as annotator:
        return annotator.brief(position, move)


def comment(
    position: Briefing | At,
    move: Played = None,
    *,
    method: str = "notes",
    client: Client | None = None,
    say: Callable[[str], object] = warnings.warn,
) -> Comment:
    """Return a comment on a move.

    Parameters
    ----------
    position, move
        What is known of the move (:func:`brief`); or the move, as for :func:`read_move`.
    method
        ``notes`` says what is true of the move, without a model. ``explain`` gives a model the
        engine's lines and these facts, and checks each claim of its comment; ``ccc``,
        ``verdict`` and ``bare`` ask it as the paper's methods do, other arms of the experiment
        (:data:`chessgloss.commentary.arms.ARMS`) take the steps between them. All but the
        first need a client.
    client
        Asks the language model (:func:`live_client`).
    say
        Told when the model's answer could not be used.

    Raises
    ------
    TypeError
        If the move is something else.
    ValueError
        If there is no such method, or one that asks a model has no client.
    """
    from chessgloss.commentary.briefing import Briefing
    from chessgloss.commentary.notes import write_notes

    if method != "notes":
        from chessgloss.commentary.methods import ModelWriter, validate_method

        if validate_method(method) and client is None:
            raise ValueError(
                f"method {method!r} asks a model: pass client=chessgloss.live_client()"
            )
    if isinstance(position, Briefing):
        if move is not None:
            raise TypeError(
                f"a briefing has its move; leave {move!r} out, or write method={move!r}"
            )
        briefing = position
    else:
        briefing = brief(read_move(position, move))
    if client is None or method == "notes":
        return write_notes(briefing)
    return ModelWriter(client, method, say)(briefing)


def check(
    text: str,
    position: Briefing | At,
    move: Played = None,
    client: Client | None = None,
) -> tuple[Checked, ...]:
    """Return every claim that a text makes of a move, with its verdict and the evidence.

    Parameters
    ----------
    text
        The text, in English.
    position, move
        The move, as for :func:`read_move`; or what is known of it (:func:`brief`), which brings
        the engine's opinion, without which evaluations stay undecided.
    client
        Asks the language model that is to read the text (:func:`live_client`); small rules read
        it without one.

    Raises
    ------
    TypeError
        If it is given something else.
    """
    from chessgloss.claims import verify
    from chessgloss.commentary.briefing import Briefing

    if not isinstance(text, str):
        raise TypeError(f"the text comes first: check(text, move), not {type(text)!r}")
    if isinstance(position, Briefing):
        played, verdict = position.move, position.verdict
    else:
        played, verdict = read_move(position, move), None
    if client is None:
        return verify(text, played, verdict)
    from chessgloss.commentary.readings import reader

    return verify(text, played, verdict, read=reader(client.ask))


def live_client(timeout: float = 300.0, answers: Path | None = None) -> Client:
    """Return a client of ``OPENAI_BASE_URL`` that asks afresh and keeps nothing.

    It waits for an answer as many seconds as given, and asks once more if none comes. Where a file
    for answers is given, they are kept there and found again.
    """
    import os
    from dataclasses import replace
    from pathlib import Path

    from chessgloss.assets import needs
    from chessgloss.llm.client import Client, endpoint_from_environment
    from chessgloss.llm.recordings import Recordings

    needs("openai")
    endpoint = replace(endpoint_from_environment(), timeout=timeout, retries=1)
    if answers is not None:
        return Client(Recordings(answers, endpoint.model), endpoint)
    nowhere = Recordings.of(endpoint.model, "words", Path(os.devnull))
    return Client(nowhere, endpoint, keeps=False)
