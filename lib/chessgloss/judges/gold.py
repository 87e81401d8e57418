"""Sentences with labelled claims, as texts under judgement.

    python -m chessgloss.judges.gold

asks the engine about their moves and writes ``data/claims/briefings.json``, from which the
judge's hints are made. Labels are those of ``data/claims``: the half ``dev`` serves to fit, the
half ``test`` to report.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from chessgloss.claims.gold import GoldText, read_gold
from chessgloss.commentary.briefing import Briefing, read_briefings, write_briefings
from chessgloss.engine import analyse_many
from chessgloss.judges.gcc import Candidate
from chessgloss.store import find_project

Half = Literal["dev", "test"]

#: What is searched for each position, and how many lines before the move: as for the
#: evaluated moves.
NODES, LINES = 200_000, 5

#: Seconds to wait for one position: much more than it takes, for a machine that has other work.
PATIENCE = 600.0

#: Moves of each half whose sentences are judged: about half of them.
MOVES = 36


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text under judgement and its label.

    Parameters
    ----------
    candidate
        The text; its briefing is named by the first sentence on the move.
    true
        Whether all its claims are true; ``False`` if one is false.
    """

    candidate: Candidate
    true: bool


def labelled(
    half: Half,
    briefings: Mapping[str, Briefing],
    moves: int = MOVES,
    folder: Path | None = None,
) -> list[Labelled]:
    """Return the sentences of some moves of a half with their labels.

    Left out: sentences without a claim, and those whose claims are true or cannot be checked.

    Parameters
    ----------
    half
        ``dev`` or ``test``.
    briefings
        As :func:`read_briefings` gives them from :func:`gold_briefings_file`.
    moves
        How many moves, every n-th of the half.
    folder
        Where the gold set lies; ``data/claims`` unless given.

    Raises
    ------
    ValueError
        If a move has no briefing; the message names the command that makes it.
    """
    found: list[Labelled] = []
    for name, texts in chosen_moves(half, moves, folder).items():
        if name not in briefings:
            raise ValueError(f"no briefing of {name}; run: python -m chessgloss.judges.gold")
        found += _labelled(texts, briefings[name])
    return found


def chosen_moves(
    half: Half, moves: int = MOVES, folder: Path | None = None
) -> dict[str, list[GoldText]]:
    """Return the sentences on every n-th move of a half, by the name of the first of them."""
    by_move: dict[tuple[str, str], list[GoldText]] = {}
    for one in read_gold(_file(half, folder)):
        by_move.setdefault((one.move.position.fen, one.move.uci), []).append(one)
    texts = list(by_move.values())
    step = max(1, len(texts) // moves)
    return {some[0].key: some for some in texts[::step][:moves]}


def gold_briefings_file() -> Path:
    """Return where the briefings of the gold set's moves are kept."""
    return find_project() / "data" / "claims" / "briefings.json"


def gold_briefings() -> dict[str, Briefing]:
    """Return the committed briefings of the gold set's moves, by name."""
    return read_briefings(gold_briefings_file())


def brief_gold(halves: Sequence[Half] = get_args(Half), *, nodes: int = NODES) -> list[Briefing]:
    """Ask the engine about the moves of the gold set that are judged."""
    moves = {name: texts[0].move for half in halves for name, texts in chosen_moves(half).items()}
    played = list(moves.values())
    patient: dict[str, Any] = {"nodes": nodes, "timeout": PATIENCE}
    before = analyse_many([one.position for one in played], multipv=LINES, **patient)
    after = analyse_many([one.after() for one in played], **patient)
    return [Briefing(*row) for row in zip(moves, played, before, after, strict=True)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Brief the gold set's moves from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m chessgloss.judges.gold")
    parser.add_argument("--target", type=Path, default=None, help="file to write")
    parser.add_argument("--nodes", type=int, default=NODES)
    given = parser.parse_args(arguments)
    found = brief_gold(nodes=given.nodes)
    engine = f"{found[0].before.engine}, {given.nodes:,} nodes, {LINES} lines before the move"
    target = given.target or gold_briefings_file()
    write_briefings(target, found, {"engine": engine})
    print(f"{len(found)} briefings in {target}")
    return 0


def _file(half: Half, folder: Path | None) -> Path:
    if half not in get_args(Half):
        raise ValueError(f"the gold set has the halves dev and test, not {half!r}")
    return (folder or find_project() / "data" / "claims") / f"{half}.jsonl"


def _labelled(texts: Sequence[GoldText], briefing: Briefing) -> Iterator[Labelled]:
    for one in texts:
        verdicts = {claim.verdict for claim in one.claims}
        if verdicts == {"true"} or "false" in verdicts:
            yield Labelled(Candidate(briefing, one.text, "gold", one.key), "false" not in verdicts)


if __name__ == "__main__":
    sys.exit(main())
