"""The command line: one command a purpose; ``chessgloss --help`` lists them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status (0 good, 1 something missing, 2 bad input)."""
    given = _parser().parse_args(arguments)
    try:
        return int(given.run(given))
    except (ValueError, RuntimeError, OSError) as error:
        print(f"chessgloss {given.command}: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="chessgloss", description="A chess engine and a language model explain a move."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    doctor = commands.add_parser("doctor", help="what is installed, and what to run for the rest")
    doctor.set_defaults(run=_doctor)
    games = commands.add_parser("games", help="play and pack a series of self-play games")
    games.add_argument("target", type=Path, help="file to write, ending in .tsv.zst")
    games.add_argument("--games", type=int, required=True, help="how many")
    games.add_argument("--seed", type=int, default=1, help="of the series (default 1)")
    games.add_argument("--series", default="mixed", help="rules: mixed (default) or quick")
    games.add_argument(
        "--shards",
        type=Path,
        default=Path(".cache/selfplay"),
        help="keeps finished parts, so that a killed run goes on",
    )
    games.add_argument("--processes", type=int, default=2)
    games.set_defaults(run=_games)
    _add_more(commands)
    return parser


def _add_more(commands: Any) -> None:
    """Add the commands that have modules of their own."""
    from chessgloss.cli_claims import add_claims
    from chessgloss.cli_model import add_model_commands
    from chessgloss.cli_survey import add_survey
    from chessgloss.cli_words import add_words

    add_words(commands)
    add_claims(commands)
    add_model_commands(commands)
    add_survey(commands)


def _doctor(given: argparse.Namespace) -> int:
    from chessgloss import doctor

    findings = doctor.examine()
    print(doctor.project_line(), doctor.render(findings), sep="\n")
    return int(any(finding.essential and not finding.found for finding in findings))


def _games(given: argparse.Namespace) -> int:
    from chessgloss.corpora import games

    if not given.target.name.endswith(".tsv.zst") or given.games < 1 or given.processes < 1:
        raise ValueError("give a target that ends in .tsv.zst, and at least one game and process")
    path = games.generate(
        given.target,
        given.games,
        seed=given.seed,
        shards=given.shards,
        processes=given.processes,
        series=given.series,
    )
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
