"""How many comments a second the claim checker reads and checks on the board alone.

The comments are the labelled texts of the development set of claims, in their order, checked by
one process; start-up and reading of the positions are not counted. In turns with the library of
the last version, and with the last that read claims by a grammar of English, each in a process of
its own, in processor seconds. The grammar read more of the texts than the rules do that replaced
it. The values are medians of the rounds with their 95 % intervals (bootstrap).

    python benchmarks/claims_speed.py
"""

from __future__ import annotations

import argparse
from functools import partial

from bench import ROOT, ask, entry, in_turns, keep, last_library, machine, ratio

#: What was asked for: comments a second, board-only claims.
TARGET = 500

#: The last version whose claims were read by a grammar, not yet by templates.
GRAMMAR = "99cb5843e16b4622a0df815e0f61ddfec81e869d"


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--note", default="", help="what else the machine was doing")
    options = parser.parse_args()
    work = "claims_speed_worker.py"
    with last_library() as library, last_library(GRAMMAR) as grammar:
        works = {
            "ours": partial(ask, work, ROOT / "lib"),
            "last": partial(ask, work, library),
            "grammar": partial(ask, work, grammar),
        }
        speeds = in_turns(works, options.rounds)
    count = ask(work, ROOT / "lib", "--count")
    target = "target: board-only claims on one core"
    over_last = ratio(speeds["ours"], speeds["last"], n=count)
    over_grammar = ratio(speeds["ours"], speeds["grammar"], n=count)
    per_second = entry(
        speeds["ours"], n=count, unit="comments/s", reference=TARGET, source=target
    )
    results = {
        "claims.speed_over_last": over_last,
        "claims.speed_over_grammar": over_grammar,
        "claims.comments_per_second": per_second,
        "machine": machine(options.note),
    }
    keep("claims_speed", results)


if __name__ == "__main__":
    main()
