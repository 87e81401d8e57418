"""The door to the command line, light enough that Ctrl-C finds it open while the rest loads."""

import os
import sys


def main() -> int:
    """Run :func:`chessgloss.cli.main` and return its exit status; Ctrl-C ends here with 130."""
    if sys.stderr is None:  # closed: ``print`` would write to standard output instead
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    try:
        from chessgloss import cli

        status = cli.main()
    except KeyboardInterrupt:
        print("chessgloss: stopped", file=sys.stderr)
        status = 130
    if status == 130:  # what Python forgets where it was stopped inside an ``exec``
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
