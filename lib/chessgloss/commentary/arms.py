"""The arms of the experiment: one prompt, and which of its parts each arm has.

The prompt has all that the CCC paper's (3.1.2) has: the engine's verdict, every attack on an enemy
piece, concepts by priority, worked examples, reasoning before the comment. An arm differs from
its neighbour in one of them. What is the same for every move stands first, so that a server with
a slot an arm reads it once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from string import Template
from typing import Any, Literal

import chess
import chess.pgn
import numpy as np

from chessgloss.claims.read_model import sentence_spans
from chessgloss.commentary import read_table
from chessgloss.commentary.asking import briefings_file, lectured_file, read_briefings
from chessgloss.commentary.briefing import PHRASES, Briefing, Comment
from chessgloss.commentary.notes import compose
from chessgloss.facts import Verdict, side_name
from chessgloss.facts.change import Changes, ConceptChange, concept_and_side
from chessgloss.facts.replies import Refutation
from chessgloss.llm.recordings import Answer, Message, Request, Sampling, State
from chessgloss.llm.text import visible
from chessgloss.notes import notes
from chessgloss.positions import MoveInContext, Position, text_digest
from chessgloss.predicates.board import attacks
from chessgloss.scores import CAP, Analysis, ScoreWording, score_text
from chessgloss.store import data_file

Part = Literal["verdict", "attacks", "lines", "facts", "concepts", "reasoning"]

#: How the position is given (the paper's Appendix F compares the two).
Notation = Literal["fen", "pgn"]

#: Whose concepts: the five first of the published ranking, five drawn from its sixteen others,
#: Stockfish 8's own, those of the model that was trained on changes.
Chosen = Literal["published", "others", "oracle", "learned"]

#: Under which purpose the answers are recorded.
PURPOSE = "factorial"

#: Longest answer, in tokens: with reasoning they take some 150.
MAX_TOKENS = 350

#: The paper's temperature (4.1).
TEMPERATURE = 0.1

#: How many concepts are given: Figure 3 of the CCC paper lists three beside its example, its
#: text names no number. Five is our reading.
CONCEPTS = 5

#: Lines before the move and after it, for the arms that are given lines; plies of one that does
#: not end in mate.
LINES_BEFORE, LINES_AFTER = 3, 2
PLIES = 10

#: Words and sentences of what the program has to tell of a move, at most: twice its own comment.
FACTS_WORDS, FACTS_SENTENCES = 120, 8

#: Changes smaller than this, in standard deviations, count as none: no direction is given.
NO_CHANGE = 0.1

_WORDING = ScoreWording(
    number="{ahead} is ahead by {lead:.1f} pawns",
    mated="{ahead} has mated",
    level="the game is level",
)

_TABLE: Mapping[str, Any] = read_table("arms.toml")
_TAGGED = re.compile(r"\[([a-z,]+)\] ")
_THOUGHTS = re.compile(r"\W*thoughts\b", re.IGNORECASE)
_COMMENT = re.compile(r"^\W*comment\W*?:\W*?(?=\w)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Arm:
    """A way to ask for a comment.

    Parameters
    ----------
    name
        As in keys.
    title
        As in tables and figures.
    parts
        What it is given beside position and move, and whether it is asked to reason.
    concepts
        Whose concepts, where it has that part.
    examples
        How many worked examples precede the question.
    third
        Whether it is asked on a third of the moves only (:func:`in_third`).
    """

    name: str
    title: str
    parts: tuple[Part, ...]
    concepts: Chosen | None = None
    examples: int = 2
    third: bool = False

    def __post_init__(self) -> None:
        if ("concepts" in self.parts) != (self.concepts is not None):
            raise ValueError(f"arm {self.name} says whose concepts if it has any")


def _read_arm(name: str, row: Mapping[str, Any]) -> Arm:
    return Arm(name=name, **{**row, "parts": tuple(row["parts"])})


#: The arms of the experiment on 303 moves by name, in the order of the paper's argument.
ARMS = {name: _read_arm(name, row) for name, row in _TABLE["arms"].items()}

#: These, and the arms that came later: a row more changes nothing that was asked.
EVERY_ARM = ARMS | {name: _read_arm(name, row) for name, row in _TABLE["later"].items()}

#: The arms with the steps of the paper's argument between them, by the names of the steps.
CONTRASTS: Mapping[str, Sequence[tuple[str, str]]] = {
    name: tuple(map(tuple, pairs)) for name, pairs in _TABLE["contrasts"].items()
}

#: What a writer is told of what is false in its comment.
SENT_BACK = Template(_TABLE["sent_back"].strip())

#: Two worked examples, one a colour; an arm sees of them what it sees of its own move.
EXAMPLES: Sequence[Mapping[str, Any]] = _TABLE["example"]


# ---------------------------------------------------------------- which moves, which concepts


def asked_moves() -> dict[str, Briefing]:
    """Return the moves that are commented on, by name: 63 evaluated and 240 lectured ones.

    What engine, expert and oracle say of them rests on searches whose last exact line is read.
    """
    return {**read_briefings(briefings_file()), **read_briefings(lectured_file())}


def in_third(name: str) -> bool:
    """Return whether a move belongs to the third, drawn by a hash, that every arm is asked on."""
    return int(text_digest(f"third {name}"), 16) % 3 == 0


def read_published() -> dict[str, Changes]:
    """Return the concepts of each move by the published ranking (CCC paper, 3.1.2), by its name.

    Raises
    ------
    ValueError
        If a file of them is missing; the message says what makes it.
    """
    stored = dict[str, Any]()
    for experiment in ("factorial", "voice"):
        path = data_file(f"commentary/{experiment}/published.json")
        if not path.is_file():
            remedy = "make it with: python data/commentary/factorial/make.py"
            raise ValueError(f"{path} is missing; {remedy}")
        stored |= json.loads(path.read_text("utf-8"))
    return {name: tuple(_changes(rows)) for name, rows in stored.items()}


def published_changes(briefing: Briefing) -> Changes:
    """Return the 21 concepts of a move by the published ranking, asking the expert network."""
    from chessgloss.concepts.priority import prioritise

    move = briefing.move
    return prioritise(move.position, move.uci, method="paper").changes


def _changes(rows: Sequence[Sequence[Any]]) -> Iterator[ConceptChange]:
    for rank, (term, before, after, change) in enumerate(rows, start=1):
        yield ConceptChange(*concept_and_side(term), before, after, change, rank)


def concepts_given(
    briefing: Briefing, published: Changes, chosen: Chosen, count: int = CONCEPTS
) -> Changes:
    """Return the concepts that an arm is given for a move, the most important first.

    ``others`` are drawn by a hash of the move among those that the published ranking does not
    put among its first ``count``. They keep their order and their own changes: the arm is given
    nothing that the network does not say, only what the ranking says matters less.
    """
    if chosen == "oracle":
        return briefing.oracle[:count]
    if chosen == "learned":
        return briefing.concepts[:count]
    if chosen == "published":
        return published[:count]
    others = published[count:]
    lot = text_digest(f"others {briefing.move.position.fen} {briefing.move.uci}")
    drawn = np.random.default_rng(int(lot, 16)).permutation(len(others))[:count]
    return tuple(others[k] for k in sorted(drawn))


# ---------------------------------------------------------------- what is given, in words


def _of_position(position: Position, notation: Notation) -> str:
    """Return the FEN of a position, or the moves of its game in SAN with their numbers."""
    if notation == "fen":
        return position.fen
    if not known_from_start(position):
        raise ValueError(
            f"the game that led to {position.fen!r} is not known from its start"
        )
    game = chess.pgn.Game.from_board(position.board())
    movetext = game.accept(chess.pgn.StringExporter(headers=False, columns=None))
    return movetext.removesuffix("*").strip()


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


def describe_lines(analysis: Analysis, most: int) -> str:
    """Return the first lines of an analysis with their scores, the best first.

    A line that ends in mate is given to its end, any other for :data:`PLIES` plies.
    """
    board = chess.Board(analysis.position.fen)
    told = list[str]()
    for line in analysis.lines[:most]:
        length = None if line.score.is_mate() else PLIES
        moves = map(chess.Move.from_uci, line.moves[:length])
        told.append(
            f"- {score_text(line.score, _WORDING)}: {board.variation_san(moves)}"
        )
    return "\n".join(told) or "- none, the game is over"


def describe_failing(refutations: Iterable[Refutation]) -> str:
    """Return what a reader would try after a move and in its place, and how each fails."""
    told = list[str]()
    for each in refutations:
        when = "after the move" if each.is_reply else "in its place"
        cost = f"costs {each.loss / 100:.1f} pawns" if each.loss < CAP else "loses"
        how = "is mated" if each.mate else cost
        told.append(f"- {when} {each.text} ({how})")
    return "\n".join(told) or "- none was found"


def describe_facts(briefing: Briefing) -> str:
    """Return what the program itself has to tell of a move, a sentence a line."""
    comment = compose(notes(briefing), words=FACTS_WORDS, sentences=FACTS_SENTENCES)
    text = comment.text
    told = [f"- {text[slice(*span)]}" for span in sentence_spans(text) if text]
    return "\n".join(told) or "- none"


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


# ---------------------------------------------------------------- what is asked


def ask_arm(
    briefing: Briefing,
    arm: str,
    published: Changes = (),
    *,
    notation: Notation = "fen",
) -> Request:
    """Return what an arm asks of a model for a comment on a move.

    Parameters
    ----------
    briefing
        The move and what is known of it.
    arm
        Name of an arm in :data:`EVERY_ARM`.
    published
        The move's concepts by the published ranking, for the arms that are given them.
    notation
        How the position is given; the worked examples keep their FEN.

    Raises
    ------
    ValueError
        For ``pgn``, if the game does not start from the initial position.
    """
    return ask_arms(briefing, [arm], published, notation=notation)[0]


def ask_arms(
    briefing: Briefing,
    arms: Iterable[str],
    published: Changes = (),
    *,
    notation: Notation = "fen",
) -> list[Request]:
    """Return what several arms ask on a move: as :func:`ask_arm`, the move looked at once."""
    move = briefing.move
    of_move = {
        "position": _of_position(move.position, notation),
        "side": side_name(move.mover),
        "move": move.numbered_san,
        "verdict": describe_verdict(move, briefing.verdict),
        "attacks": describe_attacks(move.after()),
    }
    named = [EVERY_ARM[arm] for arm in arms]
    parts = {part for arm in named for part in arm.parts}
    if "lines" in parts:
        of_move |= {
            "lines_before": describe_lines(briefing.before, LINES_BEFORE),
            "lines_after": describe_lines(briefing.after, LINES_AFTER),
            "failing": describe_failing(briefing.refutations),
        }
    if "facts" in parts:
        of_move["facts"] = describe_facts(briefing)
    return [_ask(briefing, arm, of_move, published, notation) for arm in named]


def _ask(
    briefing: Briefing,
    arm: Arm,
    of_move: Mapping[str, str],
    published: Changes,
    notation: Notation,
) -> Request:
    values = dict(of_move)
    if arm.concepts is not None:
        concepts = concepts_given(briefing, published, arm.concepts)
        values["concepts"] = _numbered([describe_concept(each) for each in concepts])
    examples = (_example(arm, each) for each in EXAMPLES[: arm.examples])
    messages = (
        Message("system", _fill("system", arm, {})),
        *chain.from_iterable(examples),
        Message("user", _fill("question", arm, values, notation)),
    )
    sampling = Sampling(TEMPERATURE, MAX_TOKENS, seed=1)
    label = f"{PURPOSE}@{_TABLE['version']}"
    about = {"method": arm.name, "of": briefing.name}
    if notation != "fen":
        about["notation"] = notation
    return Request(messages, sampling, prompt=label, about=about)


def _example(arm: Arm, example: Mapping[str, Any]) -> tuple[Message, Message]:
    listed = ("attacks", "lines_before", "lines_after", "failing", "facts")
    values = {
        **example,
        **{name: "\n".join(f"- {line}" for line in example[name]) for name in listed},
        "concepts": _numbered(example["concepts"]),
    }
    return (
        Message("user", _fill("question", arm, values)),
        Message("assistant", _fill("answer", arm, values)),
    )


def _fill(
    text: str, arm: Arm, values: Mapping[str, Any], notation: Notation = "fen"
) -> str:
    """Return a text of the prompt with the lines that an arm has, filled."""
    lines = []
    for line in _TABLE[text].strip().splitlines():
        tag = _TAGGED.match(line)
        if tag is None:
            lines.append(line)
        elif set(tag[1].split(",")) <= {*arm.parts, notation}:
            lines.append(line[tag.end() :])
    return Template("\n".join(lines)).substitute(values)


def send_back(
    request: Request, answer: str, wrong: Iterable[tuple[str, str]]
) -> Request:
    """Return the question that sends a comment back to its writer.

    Parameters
    ----------
    request, answer
        What was asked, and the answer as it came.
    wrong
        The words that are false, and what decides it.
    """
    told = "\n".join(f'- "{said}": {evidence}' for said, evidence in wrong)
    messages = (
        *request.messages,
        Message("assistant", answer),
        Message("user", SENT_BACK.substitute(wrong=told)),
    )
    return replace(request, messages=messages)


def _numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{rank}. {line}" for rank, line in enumerate(lines, start=1))


def questions() -> list[Request]:
    """Return every question of the experiment, move by move in random order.

    A recording that was stopped then has all arms of the moves that it has.
    """
    published = read_published()
    moves = asked_moves()
    ordered = sorted(moves, key=lambda name: text_digest(f"order {name}"))
    asked = (ask_arms(moves[name], arms_on(name), published[name]) for name in ordered)
    return [*chain.from_iterable(asked)]


def arms_on(move: str) -> list[str]:
    """Return the arms that are asked on a move."""
    return [arm.name for arm in ARMS.values() if not arm.third or in_third(move)]


def comment_in(text: str) -> str:
    """Return the comment in an answer, in one line: what follows its last ``Comment:``.

    An answer of one paragraph without that word is the comment as a whole, unless it begins
    with the thoughts that some arms ask for. Any other has none.
    """
    marks = list(_COMMENT.finditer(text))
    rest = text[marks[-1].end() :] if marks else text.strip()
    if not marks and ("\n\n" in rest or _THOUGHTS.match(rest)):
        return ""
    return " ".join(rest.split()).strip('"').strip()


def read_comment(answer: Answer, arm: str) -> Comment:
    """Return the comment in an answer (:func:`comment_in`), or why there is none."""
    if answer.state != State.ANSWERED:
        return Comment("", arm, answer.model, str(answer.state))
    line = comment_in(visible(answer.text))
    return Comment(line, arm, answer.model, "answered" if line else "unread")
