"""The door to the command line: a Ctrl-C while the rest loads waits for it, and reaches no thread.

Threads that libraries start on import keep the interrupt blocked; one that took it in place of the
main thread would lose it to a handler of llama.cpp's.
"""

import os
import signal
import sys
from types import FrameType

_STOPPED = "chessgloss: stopped"


def main() -> int:
    """Run :func:`chessgloss.cli.main` and return its exit status; Ctrl-C ends here with 130."""
    if sys.stderr is None:  # closed: ``print`` would write to standard output instead
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    before = signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGINT}
    )  # threads inherit it
    try:
        from chessgloss import cli

        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        status = cli.main()
    except KeyboardInterrupt:
        print(_STOPPED, file=sys.stderr)
        status = 130
    if status == 130:  # what Python forgets where it was stopped inside an ``exec``
        os._exit(status)
    return status


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise what Ctrl-C means; while a module loads, end: a compiled one would abort."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            print(_STOPPED, file=sys.stderr, flush=True)
            os._exit(130)
        frame = frame.f_back
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
