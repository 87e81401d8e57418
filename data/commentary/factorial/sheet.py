"""Write the sheet on which readers judge the experiment's comments, blind.

    python data/commentary/factorial/sheet.py

writes ``sheet.jsonl`` beside this file, a line a move, and ``key.tsv``, which readers do not see.
Of the moves with all answers sixty are drawn at random. Each has the comments of the eight arms
that are asked on all moves and a ninth one: the notes on the move, written by program (``listed``);
on half of the moves, where the program finds such a word, with one word exchanged (``broken``), so
that it can be seen how many false comments a reader finds. Their order is random.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import chess
import pandas as pd

from chessgloss.claims import verify
from chessgloss.commentary import arms
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.notes import write_notes
from chessgloss.llm.client import DEFAULT_MODEL, replay
from chessgloss.positions import text_digest
from chessgloss.scores import Analysis, centipawns

HERE = Path(__file__).parent
MOVES = 60
LETTERS = "ABCDEFGHI"
PLIES = 10
EXCHANGED = {
    "knight": "bishop",
    "bishop": "knight",
    "rook": "queen",
    "queen": "rook",
    "White": "Black",
    "Black": "White",
}


def lot(*words: str) -> str:
    """Return the hash that decides about some words."""
    return text_digest("|".join(["reading", *words]))


def with_a_word_broken(text: str, briefing: Briefing) -> str | None:
    """Return a true text with one word exchanged so that the program finds a false claim in it."""
    tried = sorted(_exchanges(text), key=lot)
    false = (
        each
        for each in tried
        if any(
            claim.verdict == "false"
            for claim in verify(each, briefing.move, briefing.verdict)
        )
    )
    return next(false, None)


def _exchanges(text: str) -> Iterator[str]:
    for found in re.finditer("|".join(rf"\b{word}\b" for word in EXCHANGED), text):
        yield text[: found.start()] + EXCHANGED[found[0]] + text[found.end() :]


def lines_of(analysis: Analysis, most: int) -> list[str]:
    """Return lines of an analysis in words: centipawns for White, moves in SAN."""
    board = chess.Board(analysis.position.fen)
    said = []
    for line in analysis.lines[:most]:
        moves = [chess.Move.from_uci(uci) for uci in line.moves[:PLIES]]
        value = centipawns(line.score, True) / 100
        said.append(f"{value:+.2f}: {board.variation_san(moves)}")
    return said or ["the game is over"]


def comments_on(name: str, briefing: Briefing, texts: pd.Series) -> dict[str, str]:
    """Return a move's nine comments by who wrote them."""
    by_arm = {
        arm.name: texts[name, arm.name] for arm in arms.ARMS.values() if not arm.third
    }
    notes = write_notes(briefing).text
    halved = int(lot("broken", name), 16) % 2
    false = with_a_word_broken(notes, briefing) if halved else None
    return {**by_arm, **({"broken": false} if false else {"listed": notes})}


def main() -> None:
    """Write the sheet and its key."""
    answers = replay(arms.PURPOSE, DEFAULT_MODEL)
    requests = arms.questions()
    lacking = {each.about["of"] for each in answers.missing(requests)}
    there = [each for each in requests if each.about["of"] not in lacking]
    texts = pd.Series(
        {
            (each.about["of"], each.about["method"]): arms.read_comment(
                answers.ask(each), str(each.about["method"])
            ).text
            for each in there
        }
    )
    moves = arms.asked_moves()
    names = sorted(texts.index.get_level_values(0).unique(), key=lot)[:MOVES]
    sheet = []
    key = []
    for name in names:
        briefing = moves[name]
        comments = comments_on(name, briefing, texts)
        order = sorted(comments, key=lambda writer: lot(name, writer))
        lettered = dict(zip(LETTERS, order, strict=False))
        board = briefing.move.position.board()
        sheet.append(
            {
                "move": name,
                "fen": briefing.move.position.fen,
                "played": briefing.move.numbered_san,
                "board": str(board),
                "engine before the move": lines_of(briefing.before, 3),
                "engine after the move": lines_of(briefing.after, 2),
                "comments": {
                    letter: comments[writer] or "(no comment)"
                    for letter, writer in lettered.items()
                },
            }
        )
        key += [(name, letter, writer) for letter, writer in lettered.items()]
    lines = (json.dumps(each, ensure_ascii=False) for each in sheet)
    (HERE / "sheet.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    frame = pd.DataFrame(key, columns=["move", "letter", "writer"])
    frame.to_csv(HERE / "key.tsv", sep="\t", index=False)
    print(f"{len(sheet)} moves, {len(key)} comments")


if __name__ == "__main__":
    main()
