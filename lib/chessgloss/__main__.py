"""The door to the command line: a Ctrl-C while the rest loads waits for it, and reaches no thread.

Threads that libraries start on import keep the interrupt blocked; one that took it in place of the
main thread would lose it to a handler of llama.cpp's.
"""

import os
import signal
import sys


def main() -> int:
    """Run :func:`chessgloss.cli.main` and return its exit status; Ctrl-C ends here with 130."""
    if sys.stderr is None:  # closed: ``print`` would write to standard output instead
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # threads inherit it
    try:
        from chessgloss import cli

        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        status = cli.main()
    except KeyboardInterrupt:
        print("chessgloss: stopped", file=sys.stderr)
        status = 130
    if status == 130:  # what Python forgets where it was stopped inside an ``exec``
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
