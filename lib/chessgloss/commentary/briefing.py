"""Briefings and comments: what a writer is given of a move, and what it returns.

These are records. Which moves are commented on is decided in
:mod:`~chessgloss.commentary.moves`; who is asked about them, and where the answers are kept, is
in :mod:`~chessgloss.commentary.asking`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import chess

from chessgloss.commentary import read_table
from chessgloss.facts import Analyse, Facts, Verdict, gather, search, weigh
from chessgloss.facts.change import ConceptChange
from chessgloss.facts.replies import TRIED_NODES, Refutation, refutations
from chessgloss.facts.verdict import RANKED_LINES
from chessgloss.positions import MoveInContext, Position
from chessgloss.scores import Analysis

#: Words as data: the names of the concepts, and patterns of what a text asks or says.
PHRASES = read_table("phrases.toml")


@dataclass(frozen=True, slots=True)
class Briefing:
    """A move and what is known of it.

    Parameters
    ----------
    name
        What the move is called (see :class:`EvaluatedMove`).
    move
        The move.
    before, after
        The engine's analyses of the positions around it.
    concepts
        The 21 concepts by rank, as the expert shows them.
    oracle
        The same as Stockfish 8 says: its own changes, ranked by size.
    noticed
        Concepts fitted on facts (fork, pin, ...) that the move seems to bring about or to
        end, as the expert shows them; changes in margins.
    passed
        The engine's analysis of the position in which the opponent passes after the move: what
        the move threatens. ``None`` where it was not asked, or a check forbids to pass.
    idle
        The engine's analysis of the position before the move if its side passed instead: what
        the opponent threatened. ``None`` as for ``passed``.
    refutations
        What a reader would try after the move or in its place, and fails; empty where nobody asked.
    better_passed
        The engine's analysis of the position in which the opponent passes after the best move.
        Asked where another move was played and the opponent has at most one piece beside king and
        pawns, so that having to move may be what loses; ``None`` elsewhere.
    """

    name: str
    move: MoveInContext
    before: Analysis
    after: Analysis
    concepts: tuple[ConceptChange, ...] = ()
    oracle: tuple[ConceptChange, ...] = ()
    noticed: tuple[ConceptChange, ...] = ()
    passed: Analysis | None = None
    idle: Analysis | None = None
    refutations: tuple[Refutation, ...] = ()
    better_passed: Analysis | None = None

    @property
    def verdict(self) -> Verdict:
        """The engine's verdict on the move, seen by the side that moves."""
        return weigh(self.move, self.before, self.after)

    def facts(self) -> Facts:
        """Return the facts of the move, those of the engine among them."""
        return gather(self.move, self.verdict)

    def summary(self) -> dict[str, Any]:
        """Return what is known as plain values, ready for JSON; scores as the mover sees them."""
        names = ("kind", "squares", "side", "text", "when", "value")
        sides = {None: None, True: "White", False: "Black"}
        facts = [
            {name: getattr(fact, name) for name in names} for fact in self.facts().facts
        ]
        return {
            "name": self.name,
            "fen": self.move.position.fen,
            "history": list(self.move.position.moves),
            "move": {"uci": self.move.uci, "san": self.move.san},
            "verdict": self.verdict.summary(),
            "concepts": [
                {"name": each.term, "change": round(each.change, 3)}
                for each in self.concepts
            ],
            "facts": [fact | {"side": sides[fact["side"]]} for fact in facts],
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return :meth:`summary` as JSON."""
        return json.dumps(self.summary(), ensure_ascii=False, indent=indent)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a move, and who wrote it.

    Parameters
    ----------
    text
        The comment; empty if there is none to be used.
    method
        Name of the method.
    model
        Name of the language model; empty for a method without one.
    state
        ``answered``, or what became of the answer instead (``empty``, ``cut_off``,
        ``refused``, ``unread`` for an answer in which no comment was found).
    """

    text: str
    method: str
    model: str = ""
    state: str = "answered"

    @property
    def words(self) -> int:
        """Number of words, split at white space."""
        return len(self.text.split())

    @property
    def shown(self) -> str:
        """What a chapter shows: the text, the first words of a human one, or why there is none."""
        if self.state != "answered":
            return f"(no comment: {self.state})"
        return first_words(self.text) if self.method == "reference" else self.text


def first_words(text: str, most: int = 15) -> str:
    """Return the first words of a text, which may belong to its author, with an ellipsis."""
    words = text.split()
    return " ".join(words[:most]) + (" …" if len(words) > most else "")


def names_concept(text: str, concept: str) -> bool:
    """Return whether a text uses a word that stands for a concept, named without a side.

    A crude sign: it finds ``threats`` in "no threats", too.
    """
    return any(word in text.lower() for word in PHRASES["concepts"][concept]["words"])


def speaks_of(text: str, change: ConceptChange) -> bool:
    """Return whether a comment names the concept of a change, of either side."""
    return names_concept(text, change.concept)


def after_pass(position: Position) -> Position | None:
    """Return a position after a pass; ``None`` where one cannot pass: in check, or at the end."""
    board = chess.Board(position.fen)
    if board.is_check() or board.is_game_over():
        return None
    board.push(chess.Move.null())
    return Position(board.fen()) if board.is_valid() else None


def brief_move(
    move: MoveInContext,
    analyse: Analyse,
    nodes: tuple[int, int],
    tried: int = TRIED_NODES,
) -> Briefing:
    """Return what an engine knows of a move: around it, after a pass, and of what would be tried.

    Parameters
    ----------
    move
        The move.
    analyse
        Analyses positions with a number of nodes each, for so many lines, in their order.
    nodes
        Of the first search and of the longest (:func:`chessgloss.facts.search`); the positions
        after a pass get the fewest.
    tried
        Nodes of each move that a reader would try (:func:`chessgloss.facts.replies.refutations`).
    """
    ((before, after),) = search([move], analyse, nodes)
    turned = after_pass(move.after())
    passed = analyse([turned], nodes[0], RANKED_LINES)[0] if turned else None
    waited = after_pass(move.position)
    idle = analyse([waited], nodes[0], 1)[0] if waited else None
    best = MoveInContext(move.position, before.best.moves[0]).after()
    pressed = best if before.best.moves[0] != move.uci and _few_pieces(best) else None
    turned_best = after_pass(pressed) if pressed else None
    better_passed = analyse([turned_best], nodes[0], 1)[0] if turned_best else None
    return Briefing(
        move.numbered_san,
        move,
        before,
        after,
        passed=passed,
        idle=idle,
        refutations=refutations(move, before, after, analyse, tried, idle),
        better_passed=better_passed,
    )


def _few_pieces(position: Position) -> bool:
    """Return whether the side to move has at most one piece beside king and pawns."""
    board = chess.Board(position.fen)
    pieces = board.occupied_co[board.turn] & ~(board.pawns | board.kings)
    return pieces.bit_count() <= 1
