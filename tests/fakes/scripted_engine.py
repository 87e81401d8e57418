"""A scripted UCI engine: it answers by rule and fails on command. Standard library only.

``go`` answers with the first move of ``--moves`` and a score of 100 centipawns plus one
for each move of the position's history, seen by the side to move. ``eval`` prints a table
in Stockfish 8's format whose Material is the position's number in hundredths of a pawn.
With ``--no-line`` a search says a score and no line; with ``--bound`` it says last of all that
another move is worth more, and no line of it.
With ``--fault KIND --on TEXT`` it fails when a position contains TEXT (``--once FILE``:
only as long as the file does not exist, which it then makes). An endless search has lines, and no
move until it is told to stop.
"""

import argparse
import os
import sys
import time

ROWS = (
    "Knights",
    "Bishop",
    "Rooks",
    "Queens",
    "Mobility",
    "King safety",
    "Threats",
    "Passed pawns",
    "Space",
)


def main() -> None:
    options = parse()
    position = ""
    count = 0
    say(options.banner)
    for line in sys.stdin:
        command = line.strip()
        if command == "uci":
            say(
                "id name Scripted 1\noption name Hash type spin default 16 min 1 max 64\n"
                "option name MultiPV type spin default 1 min 1 max 9"
            )
            say("uciok")
        elif command == "isready":
            say("readyok")
        elif command.startswith("position"):
            position = command
            count = count + 1
        elif command.startswith("go"):
            answer(position, search(position, options), options)
        elif command == "eval":
            answer(position, table(count), options)
        elif command == "stop":
            say(f"bestmove {options.moves.split(',')[0]}")
        elif command == "quit":
            return


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--banner", default="Stockfish.js 8 scripted")
    parser.add_argument("--moves", default="e2e4,e7e5")
    parser.add_argument(
        "--bound", default="", help="a move, said last of all with a bound"
    )
    parser.add_argument("--no-line", action="store_true", help="scores without moves")
    parser.add_argument(
        "--fault", choices=["crash", "hang", "garbage", "babble", "endless"]
    )
    parser.add_argument("--on", default="")
    parser.add_argument("--once", default="")
    return parser.parse_args()


def answer(position: str, text: str, options: argparse.Namespace) -> None:
    if not (options.fault and options.on in position and due(options)):
        say(text)
    elif options.fault == "crash":
        os._exit(1)
    elif options.fault == "endless":
        say(text.rpartition("\n")[0])
    elif options.fault == "hang":
        time.sleep(600)
    elif options.fault == "garbage":
        say("info string 3.14\nTotal Evaluation: wat\nbestmove z9z9")
    else:
        while True:
            say("nothing to the point " * 100)


def due(options: argparse.Namespace) -> bool:
    if not options.once:
        return True
    if os.path.exists(options.once):  # noqa: PTH110 - start-up time counts
        return False
    open(options.once, "w").close()  # noqa: PTH123
    return True


def search(position: str, options: argparse.Namespace) -> str:
    history = position.partition(" moves ")[2].split()
    score = 100 + len(history)
    moves = options.moves.split(",")
    line = " ".join(moves) if options.bound else moves[0]
    pv = "" if options.no_line else f" pv {line}"
    said = [f"info depth 1 nodes 7 multipv 1 score cp {score}{pv}"]
    if options.bound:
        said += [
            f"info depth 2 nodes 9 multipv 1 score cp 900 lowerbound pv {options.bound}"
        ]
    return "\n".join([*said, f"bestmove {options.bound or moves[0]}"])


def table(count: int) -> str:
    blank, some = "  ---   ---", "  0.25 -0.50"
    rows = [("Material", blank, blank, f"{count / 100:6.2f}  0.00")]
    rows += [(name, blank, blank, "  0.00  0.00") for name in ("Imbalance", "Pawns")]
    rows += [(name, some, some, "  0.00  0.00") for name in ROWS]
    rows += [("Total", blank, blank, "  0.00  0.00")]
    lines = [
        f"{name:>15} | {white} | {black} | {both}" for name, white, black, both in rows
    ]
    return "\n".join(
        [*lines, "", f"Total Evaluation: {count / 100:.2f} (white side)", ""]
    )


def say(text: str) -> None:
    sys.stdout.buffer.write((text + "\n").encode())
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
