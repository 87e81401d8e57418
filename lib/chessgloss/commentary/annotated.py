"""Moves for which all that writers know is kept, and what arms of a model say of them, checked.

``ANNOTATED`` are sixty moves that people annotated, for one blind reading; ``FAMOUS`` the moves of
six games on which a page comments. How each was made, and in which order all is asked, says the
README of ``data/annotated``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import chess

from chessgloss.claims import Checked, Reading, verify
from chessgloss.claims.gold import GoldText
from chessgloss.commentary import explain, readings
from chessgloss.commentary.arms import ask_arm, read_comment, send_back
from chessgloss.commentary.asking import read_analysis, read_refutation
from chessgloss.commentary.briefing import Briefing, after_pass
from chessgloss.facts.change import Changes, ConceptChange, concept_and_side
from chessgloss.llm.client import Client, replay
from chessgloss.llm.recordings import Request
from chessgloss.positions import MoveInContext, Position, text_digest
from chessgloss.scores import Analysis
from chessgloss.store import data_file


@dataclass(frozen=True, slots=True)
class Kept:
    """Moves with what is known of them, in a folder of ``data``.

    Parameters
    ----------
    name
        Of the folder; also the purpose under which answers are recorded.
    arms
        The arms that ask a model (:data:`chessgloss.commentary.arms.EVERY_ARM`).
    """

    name: str
    arms: Sequence[str]

    def moves(self) -> dict[str, MoveInContext]:
        """Return the moves by name, in their order, each with the moves before it."""
        text = data_file(f"{self.name}/moves.jsonl").read_text("utf-8")
        rows = map(json.loads, text.splitlines())
        return {row["id"]: _move(row) for row in rows}

    def briefings(self) -> dict[str, Briefing]:
        """Return what writers know of the moves, by name (``writers.json``)."""
        rows = self._read("writers.json")
        moves = self.moves()
        return {name: _briefing(name, move, rows[name]) for name, move in moves.items()}

    def comments(self) -> dict[str, dict[str, str]]:
        """Return what was written, by who wrote it and the name of the move (``comments.json``).

        ``explain`` is what was left when it was checked, ``notes`` the program's as it was then.
        """
        return self._read("comments.json")["comments"]

    def _read(self, name: str) -> Any:
        return json.loads(data_file(f"{self.name}/{name}").read_text("utf-8"))

    # ------------------------------------------------------------ what is asked

    def questions(self, arms: Iterable[str] | None = None) -> list[Request]:
        """Return what all or some arms are asked, arm by arm, each in the order of the moves."""
        rows = self._read("writers.json")
        moves = self.briefings()
        return [
            ask_arm(each, arm, _changes(rows[name]["published"]))
            for arm in (self.arms if arms is None else arms)
            for name, each in moves.items()
        ]

    def is_checked(self) -> bool:
        """Return whether the first comments of ``explain`` were checked (``sent_back.json``)."""
        return data_file(f"{self.name}/sent_back.json").is_file()

    def sent_back(self, client: Client) -> list[Request]:
        """Return what is asked of the comments in which a claim was found false.

        ``sent_back.json`` holds the words of each claim and what decides it, by the move's name.
        """
        stored = self._read("sent_back.json")
        return [
            send_back(each, client.ask(each).text, stored[str(each.about["of"])])
            for each in self.questions([explain.METHOD])
            if each.about["of"] in stored
        ]

    # ------------------------------------------------------------ what is read and checked

    def texts_first(self, client: Client) -> list[GoldText]:
        """Return the first comments of all arms, as reader 1 is given them."""
        return self._texts(client, self.questions())

    def texts_again(self, client: Client) -> list[GoldText]:
        """Return the comments that were written again, as reader 1 is given them."""
        return self._texts(client, self.sent_back(client))

    def read_by_one(self, model: str) -> dict[str, Reading]:
        """Return what reader 1 found in the comments of a model, by their texts.

        Raises
        ------
        AnswerMissing
            If a comment is not recorded; one that was not read is left out.
        """
        client = replay(self.name, model)
        reader = replay(f"{self.name}_readings", model)
        sets = {"first": self.texts_first(client)}
        if self.is_checked():
            sets["again"] = self.texts_again(client)
        found = dict[str, Reading]()
        for of, texts in sets.items():
            read = readings.read_texts(readings.blocks(of, texts), reader)
            for each in texts:
                if each.key in read:
                    found.setdefault(each.text, read[each.key])
        return found

    def explained(self, model: str) -> dict[str, tuple[str, tuple[Checked, ...]]]:
        """Return the comments of ``explain`` with their claims, by the name of the move.

        Where a sentence was cut or is marked the claims are left out.
        """
        read = self.read_by_one(model)
        moves = self.briefings()

        def checked(name: str, text: str) -> tuple[Checked, ...]:
            if text not in read:
                return ()
            briefing = moves[name]
            return verify(
                text,
                briefing.move,
                briefing.verdict,
                read=lambda *_: read[text],
            )

        texts = self.comments()[explain.METHOD]
        return {
            name: (text, checked(name, text)) for name, text in texts.items() if text
        }

    def _texts(self, client: Client, asked: Iterable[Request]) -> list[GoldText]:
        """Return the comments that were answered, in an order that tells nothing of the arm."""
        moves = self.moves()
        found = list[GoldText]()
        for each in asked:
            name = str(each.about["of"])
            arm = str(each.about["method"])
            text = read_comment(client.ask(each), arm).text
            if text:
                key = f"{name}#{text_digest(text)}"
                found.append(GoldText(key, moves[name], text))
        return sorted(found, key=lambda text: text_digest(text.key))


ANNOTATED: Final = Kept("annotated", ("ccc", explain.METHOD))
FAMOUS: Final = Kept("famous", (explain.METHOD,))

#: All of these by name.
KEPT: Mapping[str, Kept] = {each.name: each for each in (ANNOTATED, FAMOUS)}


def _move(row: Mapping[str, str]) -> MoveInContext:
    moves = tuple(row["moves"].split())
    root = row.get("root", chess.STARTING_FEN)
    return MoveInContext(Position(row["fen"], moves, root), row["uci"])


def _briefing(name: str, move: MoveInContext, row: Mapping[str, Any]) -> Briefing:
    best = MoveInContext(move.position, row["before"]["lines"][0][2].split()[0])

    def passing(which: str, position: Position) -> Analysis | None:
        turned = after_pass(position) if which in row else None
        return read_analysis(turned, row[which]) if turned else None

    return Briefing(
        name,
        move,
        read_analysis(move.position, row["before"]),
        read_analysis(move.after(), row["after"]),
        concepts=_changes(row["concepts"]),
        passed=passing("passed", move.after()),
        idle=passing("idle", move.position),
        better_passed=passing("better_passed", best.after()),
        refutations=tuple(read_refutation(move, each) for each in row["failing"]),
    )


def _changes(rows: Sequence[Sequence[Any]]) -> Changes:
    return tuple(
        ConceptChange(*concept_and_side(term), before, after, change, rank)
        for rank, (term, before, after, change) in enumerate(rows, start=1)
    )
