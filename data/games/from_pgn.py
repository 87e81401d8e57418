"""Put anybody's games into the project's games form.

    python data/games/from_pgn.py IN.pgn[.zst|.gz|.bz2] OUT.tsv.zst [--limit N]

Games of standard chess from the usual first position are taken, in the order of the file; each
other game is named in a line on stderr. Names and dates are left out; ratings take their place.
A table of games, such as the optional asset of people's games, is read too. OUT is written at the
end, as a whole: a run that is killed leaves no half of it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from chessgloss.corpora.games import Converted, convert


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="data/games/from_pgn.py")
    parser.add_argument("source", type=Path, metavar="IN", help="PGN, plain or packed")
    parser.add_argument("target", type=Path, metavar="OUT", help="such as my.tsv.zst")
    parser.add_argument("--limit", type=int, help="most games to write")
    given = parser.parse_args(arguments)
    try:
        for step in convert(given.source, given.target, given.limit):
            if isinstance(step, Converted):
                print(
                    f"{given.target}: {step.written:,} games, {step.skipped:,} skipped"
                )
            else:
                print(
                    f"game {step.number}, line {step.line}: {step.reason}",
                    file=sys.stderr,
                )
    except (EOFError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
