"""The methods that ask a language model: what each is given, what is asked, how it is read.

The methods of the CCC paper, their ablations, and the comments of all of them side by side.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

import chess
import chess.pgn
import numpy as np
import pandas as pd

from chessgloss.commentary import read_table
from chessgloss.commentary.briefing import PHRASES, Briefing, Comment
from chessgloss.commentary.moves import EvaluatedMove
from chessgloss.commentary.notes import write_notes
from chessgloss.commentary.prompts import load_prompt
from chessgloss.commentary.proven import Form, request_constrained, write_proven
from chessgloss.facts import Verdict, side_name
from chessgloss.facts.board import attacks
from chessgloss.facts.change import Changes, ConceptChange
from chessgloss.llm.client import (
    Client,
    Misconfigured,
    Refused,
    Unanswered,
    recorded_models,
    replay,
)
from chessgloss.llm.recordings import Answer, Message, Request, Sampling, State
from chessgloss.llm.text import visible
from chessgloss.positions import MoveInContext, Position, text_digest
from chessgloss.scores import ScoreWording, score_text
from chessgloss.store import find_project

Notation = Literal["fen", "pgn"]

Choice = Literal["top", "random", "flipped", "none"]

#: The paper's temperature (4.1).
TEMPERATURE = 0.1

#: How many concepts are given: Figure 3 of the CCC paper lists three beside its example, its
#: text names no number. Five is our reading, and the chapter varies it.
CONCEPTS = 5

#: Most concepts fitted on facts that follow them.
NOTICED = 3

#: Numbers of concepts tried beside the five, and on how many of the moves.
OTHER_COUNTS = (3, 8)
VARIED_MOVES = 20

#: Changes smaller than this, in standard deviations, count as none: no direction is given.
NO_CHANGE = 0.1

_AHEAD = "{ahead} is ahead by {lead:.1f} pawns"
_WORDING = ScoreWording(
    number=_AHEAD, mated="{ahead} has mated", level="the game is level"
)

_COMMENT = re.compile(r"^\W*comment\W*?:\W*?(?=\w)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Method:
    """A way to have a language model comment on a move.

    Parameters
    ----------
    name
        As in tables and keys.
    prompt
        Name of the prompt.
    purpose
        Under which its answers are recorded.
    given
        What it is given beside position and move, in words.
    concepts
        Which concepts it is given (see :func:`choose_concepts`); ``None``: it has no such part.
    oracle
        Whether the concepts are Stockfish 8's own changes instead of the expert's.
    noticed
        Whether the concepts fitted on facts that the move brings about or ends follow them.
    attacks
        Whether every attack on an enemy piece is listed, where the prompt leaves it open.
    examples
        How many worked examples precede the question (:data:`EXAMPLES`).
    """

    name: str
    prompt: str
    purpose: Literal["commentary", "arms"]
    given: str
    concepts: Choice | None = None
    oracle: bool = False
    noticed: bool = False
    attacks: bool = True
    examples: int = 0


Writer = Literal[
    "human", "notes", "kept", "published", "first_answer", "proven", "constrained"
]


@dataclass(frozen=True, slots=True)
class OtherMethod:
    """A way to come by comments that is none of :data:`METHODS`.

    Parameters
    ----------
    name
        As in tables and keys.
    writer
        Who writes: a ``human``, the program from ``notes``, nobody any more (``kept`` or
        ``published`` in a file), or a model from notes: its ``first_answer``, what is
        ``proven`` of it, or what it writes ``constrained`` by a grammar.
    file
        Where they are kept, below ``data``; empty if they are made.
    prompt, purpose
        The prompt that a model is asked with, and under which purpose its answers are recorded;
        empty if none is asked.
    """

    name: str
    writer: Writer
    file: str = ""
    prompt: str = ""
    purpose: str = ""


_TABLE = read_table("methods.toml")
#: Every such method by name.
METHODS = {name: Method(name, **each) for name, each in _TABLE["methods"].items()}
#: All others by name.
OTHERS = {name: OtherMethod(name, **each) for name, each in _TABLE["others"].items()}
#: Those that ask no model and never did.
UNASKED = tuple(
    name for name, each in OTHERS.items() if each.writer in ("human", "notes", "kept")
)
#: Those that give a model notes to write (:mod:`chessgloss.commentary.proven`), and the
#: earlier one whose comments were checked, mended and published.
WRITTEN = tuple(name for name in OTHERS if name not in UNASKED)
#: The arms that are ranked, by the worked examples that they are shown.
ARMS: Mapping[str, tuple[str, ...]] = {
    key: tuple(names) for key, names in _TABLE["arms"].items()
}

#: Two worked examples, one a colour; an arm sees of them what it sees of its own move.
EXAMPLES: tuple[Mapping[str, Any], ...] = tuple(
    read_table("prompts/examples.toml")["example"]
)

#: Methods whose prompts begin alike for one move: asked move by move, the server reads the
#: common part once.
GUIDED = tuple(
    name for name, method in METHODS.items() if method.prompt == "comment_ccc"
)


# ---------------------------------------------------------------- which concepts


def concepts_of(briefing: Briefing, method: str, count: int = CONCEPTS) -> Changes:
    """Return the concepts that a method is given for a move."""
    chosen = METHODS[method]
    ranked = briefing.oracle if chosen.oracle else briefing.concepts
    concepts = choose_concepts(briefing.move, ranked, chosen.concepts or "none", count)
    noticed = briefing.noticed[:NOTICED] if chosen.noticed else ()
    return (*concepts, *noticed)


def choose_concepts(
    move: MoveInContext,
    ranked: Sequence[ConceptChange],
    choice: Choice,
    count: int = CONCEPTS,
) -> Changes:
    """Return the concepts that a method is given, most important first.

    Parameters
    ----------
    move
        The move; it decides the lot of ``random``.
    ranked
        All 21 concepts by rank.
    choice
        ``top`` takes the first ``count``; ``flipped`` takes the same with the sign of every
        change turned round; ``random`` draws ``count`` of the other concepts and gives each
        the size of the one whose place it takes and a sign by lot; ``none`` takes nothing.
    count
        How many.
    """
    top = tuple(ranked[:count])
    others = ranked[count:]
    if choice == "flipped":
        return tuple(_with_change(each, -each.change) for each in top)
    if choice != "random":
        return top if choice == "top" else ()
    lot = text_digest(f"1 {move.position.fen} {move.uci}")
    random = np.random.default_rng(int(lot, 16))
    drawn = random.permutation(len(others))[: len(top)]
    signs = random.choice([-1.0, 1.0], size=len(drawn))
    return tuple(
        replace(
            _with_change(others[k], float(sign) * abs(place.change)), rank=place.rank
        )
        for k, sign, place in zip(drawn, signs, top, strict=False)
    )


def _with_change(concept: ConceptChange, change: float) -> ConceptChange:
    """Return a concept with another change; the score after the move moves with its sign."""
    step = abs(concept.after - concept.before) * (1 if change >= 0 else -1)
    return replace(concept, change=change, after=concept.before + step)


# ---------------------------------------------------------------- what is given, in words


def describe_position(position: Position, notation: Notation = "fen") -> str:
    """Return the position as a FEN or as the moves of its game, in SAN with their numbers.

    Raises
    ------
    ValueError
        For ``pgn``, if the game does not start from the initial position.
    """
    if notation == "fen":
        return f"Position (FEN): {position.fen}"
    if not known_from_start(position):
        raise ValueError(
            f"the game that led to {position.fen!r} is not known from its start"
        )
    game = chess.pgn.Game.from_board(position.board())
    movetext = game.accept(chess.pgn.StringExporter(headers=False, columns=None))
    return f"Game so far (PGN): {movetext.removesuffix('*').strip()}"


def known_from_start(position: Position) -> bool:
    """Return whether the game that led to a position is known from the initial position."""
    return position.root == chess.STARTING_FEN and bool(position.moves)


def describe_attacks(position: Position) -> str:
    """Return every attack on an enemy piece, one line an attacking piece, White's first.

    The CCC paper (3.1.2) lists them so that no piece is made up. An attack that the rules
    bar (the attacker is pinned, or the king would step into check) is left out.
    """
    targets: dict[str, list[str]] = {}
    for colour in (chess.WHITE, chess.BLACK):
        for pair in attacks(position.board(), colour):
            if not pair.barred:
                piece = chess.piece_name(pair.piece)
                target = chess.piece_name(pair.target_piece)
                attacker = (
                    f"{side_name(colour)} {piece} {chess.square_name(pair.square)}"
                )
                attacked = f"{target} {chess.square_name(pair.target)}"
                targets.setdefault(attacker, []).append(attacked)
    lines = [
        f"- {attacker} attacks {', '.join(names)}"
        for attacker, names in targets.items()
    ]
    return "\n".join(lines) or "- none"


def describe_verdict(move: MoveInContext, verdict: Verdict) -> str:
    """Return the engine's verdict: who is ahead before and after, the loss, best and reply.

    Scores are given for the side that is ahead, in pawns. The paper's prompts give the same
    things: the score of the move, the expected reply, the best move.
    """
    board = move.position.board()
    quality = "this is the best move"
    if verdict.rank != 1 and verdict.loss:
        name = verdict.mistake_class.lower()
        name += "" if name in ("inaccuracy", "mistake", "blunder") else " move"
        name = f"an {name}" if name[0] in "aeiou" else f"a {name}"
        best = board.san(chess.Move.from_uci(verdict.best))
        quality = (
            f"this is {name} (loses {verdict.loss / 100:.1f} pawns), best was {best}"
        )
    before, after = (
        score_text(score, _WORDING) for score in (verdict.before, verdict.after)
    )
    parts = [f"before the move {before}, after it {after}", quality]
    if verdict.reply is not None:
        reply = move.after().board().san(chess.Move.from_uci(verdict.reply))
        parts.append(f"expected reply {reply}")
    return "; ".join(parts)


def _numbered(lines: Iterable[str]) -> str:
    return "\n".join(f"{rank}. {line}" for rank, line in enumerate(lines, start=1))


def describe_concept(change: ConceptChange) -> str:
    """Return a concept and its direction in words: ``White's king safety: gets worse``.

    Material, Imbalance and Pawns count White minus Black: their change is a shift to one
    side. A concept fitted on a fact comes or goes: ``White's fork: seems to appear``.

    Raises
    ------
    KeyError
        If ``commentary/phrases.toml`` has no words for the concept.
    """
    if change.concept not in PHRASES["concepts"]:
        raise KeyError(
            f"commentary/phrases.toml has no words for the concept {change.concept!r}: "
            f'add a table [concepts."{change.concept}"]'
        )
    words = PHRASES["concepts"][change.concept]
    up = change.change > 0
    if "plural" in words:
        verb = "seem" if words["plural"] else "seems"
        return f"{change.side}'s {change.concept}: {verb} to {'appear' if up else 'disappear'}"
    owner = f"{change.side}'s "
    direction = f"gets {'better' if up else 'worse'}"
    if change.side == "both":
        owner = ""
        direction = f"shifts in {side_name(up)}'s favour"
    if abs(change.change) < NO_CHANGE:
        direction = "hardly changes"
    return f"{owner}{words['name']}: {direction}"


# ---------------------------------------------------------------- questions and answers


def request_comment(
    briefing: Briefing,
    method: str,
    *,
    notation: Notation = "fen",
    count: int = CONCEPTS,
) -> Request:
    """Return what is asked of the language model for a comment.

    Parameters
    ----------
    briefing
        The move and what is known of it.
    method
        Name of a method in :data:`METHODS`.
    notation
        How the position is written (the paper's Appendix F compares the two).
    count
        How many concepts are given.
    """
    chosen = METHODS[method]
    move = briefing.move
    prompt = load_prompt(chosen.prompt)
    values = {"side": side_name(move.mover), "move": move.numbered_san}
    values["position"] = describe_position(move.position, notation)
    if "verdict" in prompt.placeholders:
        values["verdict"] = describe_verdict(move, briefing.verdict)
    if chosen.concepts is not None:
        values["attacks"] = _attacks(chosen, describe_attacks(move.after()))
        concepts = map(describe_concept, concepts_of(briefing, method, count))
        values["concepts"] = _numbered(concepts) or "(none given)"
    *before, question = prompt.fill(**values)
    shown = (
        turn for each in EXAMPLES[: chosen.examples] for turn in _show(chosen, each)
    )
    sampling = Sampling(TEMPERATURE, 200 if chosen.concepts else 90, seed=1)
    about: dict[str, str | int] = {
        "method": method,
        "of": briefing.name,
        "notation": notation,
    }
    about["concepts"] = count
    return Request((*before, *shown, question), sampling, 0, prompt.label, about)


def _attacks(method: Method, lines: str) -> str:
    """Return the list of attacks as a prompt has it: with its heading where it may be left out."""
    if method.prompt == "comment_ccc":
        return lines
    return f"\nAttacks after the move:\n{lines}" if method.attacks else ""


def _show(method: Method, example: Mapping[str, Any]) -> tuple[Message, Message]:
    """Return a worked example as a turn of the user and one of the assistant."""
    prompt = load_prompt(method.prompt)
    texts = {key: example[key] for key in ("side", "move")}
    texts["position"] = f"Position (FEN): {example['position']}"
    answer = example["comment"]
    if "verdict" in prompt.placeholders:
        texts["verdict"] = example["verdict"]
    if method.concepts is not None:
        texts["attacks"] = _attacks(
            method, "\n".join(f"- {each}" for each in example["attacks"])
        )
        texts["concepts"] = _numbered(example["concepts"])
        answer = f"Thoughts: {example['thoughts']}\nComment: {answer}"
    return prompt.fill(**texts)[-1], Message("assistant", answer)


def varied_moves(briefings: Sequence[Briefing]) -> Sequence[Briefing]:
    """Return the moves on which other numbers of concepts are tried, from all lectures."""
    return briefings[:: max(1, len(briefings) // VARIED_MOVES)][:VARIED_MOVES]


def after_mark(text: str) -> str:
    """Return what follows the last ``Comment:`` of a text, in one line; nothing without one."""
    marks = list(_COMMENT.finditer(text))
    return _in_one_line(text[marks[-1].end() :]) if marks else ""


def _in_one_line(text: str) -> str:
    return " ".join(text.split()).strip('"').strip()


def read_comment(answer: Answer, method: str) -> Comment:
    """Return the comment in an answer.

    A method that reasons first marks its comment with ``Comment:``; what follows the last such
    mark is taken, in one line. An answer that was cut off counts as such even if a part of
    the comment is there.
    """
    text = visible(answer.text)
    if answer.state != State.ANSWERED:
        return Comment("", method, answer.model, str(answer.state))
    reasons = METHODS[method].concepts is not None
    line = after_mark(text) if reasons else _in_one_line(text)
    return Comment(line, method, answer.model, "answered" if line else "unread")


# ---------------------------------------------------------------- comments


def validate_method(method: str) -> str:
    """Return the name of a method that can comment on any move.

    Raises
    ------
    ValueError
        For any other name; the message lists them.
    """
    known = [
        "notes",
        "ccc_proven",
        *(name for name, each in METHODS.items() if not each.oracle),
    ]
    if method not in known:
        raise ValueError(f"no method {method!r}; choose one of {', '.join(known)}")
    return method


@dataclass(slots=True)
class ModelWriter:
    """Writes comments by a method that asks a language model.

    Where the model gives no usable comment (an empty, cut-off or unreadable answer, a
    refusal) the facts speak instead, and the comment says so by its method. An endpoint that
    stops answering is not asked again.

    Parameters
    ----------
    client
        Asks the model.
    method
        Name of a method in :data:`METHODS`, or ``ccc_proven``.
    warn
        Called with one line whenever the facts speak instead.
    """

    client: Client
    method: str
    warn: Callable[[str], object]
    _gone: bool = field(default=False, init=False)

    def __call__(self, briefing: Briefing) -> Comment:
        """Return a comment on a move."""
        name = self.client.model.name
        if self._gone:
            return write_notes(briefing)
        try:
            if self.method == "ccc_proven":
                comment = write_proven(briefing, self.client).comment
            else:
                (comment,) = model_comments([briefing], self.method, self.client)
            if comment.state == "answered" and comment.method == self.method:
                return replace(comment, model=visible(comment.model or name))
            problem = f"{name} gave no usable comment on {briefing.name}"
        except (Unanswered, Misconfigured) as error:
            self._gone = not isinstance(error, Refused)
            problem = str(error)
        self.warn(f"{problem}; the facts speak instead")
        return write_notes(briefing)


def model_comments(
    briefings: Sequence[Briefing], method: str, client: Client, **how: Any
) -> list[Comment]:
    """Return the comments of a method that asks a language model, in the order of briefings.

    Parameters
    ----------
    briefings
        The moves and what is known of them.
    method
        Name of a method in :data:`METHODS`.
    client
        Replays, records or asks.
    how
        ``notation`` and ``count``, as in :func:`request_comment`.
    """
    requests = [request_comment(each, method, **how) for each in briefings]
    return [
        read_comment(answer, method)
        for answer in client.ask_many(requests, progress=False)
    ]


def kept_texts(method: str) -> dict[str, tuple[str, str, str]]:
    """Return text, method and model of the comments of an earlier method, by the name of the move.

    ``gac`` is what a recurrent network says (``data/gac``), ``template`` put sentences together
    from facts, ``ccc_verified`` was written, checked and mended. The judges were asked about these
    texts; so they are data.
    """
    other = OTHERS[method]
    stored = json.loads((find_project() / "data" / other.file).read_text("utf-8"))
    if other.writer == "kept":
        return {row["move"]: (row["text"], method, "") for row in stored[1:]}
    rows = [row for row in stored["comments"] if row["method"] == method]
    return {row["move"]: (row["text"], method, stored["model"]) for row in rows}


def written_comments(
    briefings: Sequence[Briefing], model: str, method: str
) -> Sequence[Comment | None]:
    """Return the recorded comments that a model wrote from notes: as it wrote them, or proven.

    There is none under a grammar where no such question has an answer: few services take one.
    """
    other = OTHERS[method]
    client = replay(other.purpose, model)
    if other.writer == "constrained":
        requests = [request_constrained(each, cast(Form, method)) for each in briefings]
        if not any(map(client.recordings.get, requests)):
            return [None] * len(requests)
        answers = client.ask_many(requests, progress=False)
        return [
            Comment(one.text.strip(), method, model, str(one.state)) for one in answers
        ]
    written = [write_proven(each, client) for each in briefings]
    if other.writer == "proven":
        return [replace(each.comment, method=method, model=model) for each in written]
    firsts = [each.attempts[0] for each in written]
    return [Comment(each.text, method, model, each.state) for each in firsts]


def _comments_of(
    method: str,
    moves: Sequence[EvaluatedMove],
    briefings: Sequence[Briefing],
    client: Client,
) -> Sequence[Comment | None]:
    """Return the comments of one method, move by move; ``None`` where it has none."""
    if method in METHODS:
        purpose = METHODS[method].purpose
        if purpose != "commentary":
            client = replay(purpose, client.model.name)
        return model_comments(briefings, method, client)
    other = OTHERS[method]
    if other.writer == "human":
        return [
            Comment(each.reference, method) if each.reference else None
            for each in moves
        ]
    if other.writer == "notes":
        return [write_notes(each) for each in briefings]
    if other.file:
        texts = kept_texts(method)
        found = (texts.get(each.name) for each in moves)
        # what one model wrote is nobody else's
        return [
            Comment(*each) if each and each[2] in ("", client.model.name) else None
            for each in found
        ]
    return written_comments(briefings, client.model.name, method)


def commentators(names: Sequence[str], briefings: Sequence[Briefing]) -> list[str]:
    """Return the models that were asked by some methods for comments on all of some moves.

    Parameters
    ----------
    names
        Of methods in :data:`METHODS`.
    briefings
        The moves and what is known of them.

    Returns
    -------
    list of str
        Names of models whose answers are recorded, the book's own first.
    """
    asked: dict[str, list[Request]] = {}
    for name in names:
        requests = (request_comment(each, name) for each in briefings)
        asked.setdefault(METHODS[name].purpose, []).extend(requests)
    found = [recorded_models(purpose, each) for purpose, each in asked.items()]
    return [model for model in found[0] if all(model in models for models in found)]


def gather_comments(
    methods: Sequence[str],
    moves: Sequence[EvaluatedMove],
    briefings: Mapping[str, Briefing],
    client: Client,
) -> pd.DataFrame:
    """Return the comments of some methods on some moves.

    Parameters
    ----------
    methods
        Names in :data:`METHODS`, :data:`UNASKED` and :data:`WRITTEN`; the rows come in their
        order.
    moves
        The evaluated moves.
    briefings
        What is known of them, by name.
    client
        Replays the answers of the methods that ask a model; those of the arms and of the notes
        are replayed from their own files.

    Returns
    -------
    pandas.DataFrame
        A row a comment: ``move``, ``group``, ``method``, ``model``, ``state``, ``text``,
        ``words``. A move that no human commented on has no row for ``reference``; a model that
        did not write ``ccc_verified``, or takes no grammar, has none for these.

    Raises
    ------
    ValueError
        For a method that is not known.
    """
    if unknown := [name for name in methods if name not in {**OTHERS, **METHODS}]:
        known = ", ".join(sorted({**OTHERS, **METHODS}))
        raise ValueError(f"no method {', '.join(unknown)}; there are {known}")
    given = [briefings[each.name] for each in moves]
    rows = [
        {
            "move": move.name,
            "group": move.group,
            "method": comment.method,
            "model": comment.model,
            "state": comment.state,
            "text": comment.text,
            "words": comment.words,
        }
        for method in methods
        for move, comment in zip(
            moves, _comments_of(method, moves, given, client), strict=True
        )
        if comment is not None
    ]
    names = ["move", "group", "method", "model", "state", "text", "words"]
    return pd.DataFrame(rows, columns=names)
