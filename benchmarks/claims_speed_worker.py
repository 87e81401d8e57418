"""Print the comments that the library on the path checks in a processor second, as JSON.

``--count`` prints how many comments there are. ``claims_speed.py`` runs this.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from chessgloss.claims import verify
from chessgloss.claims.gold import read_gold

TEXTS = Path(__file__).resolve().parents[1] / "data" / "claims" / "dev.jsonl"


def main() -> None:
    """Check all comments once to warm up, and once for the clock."""
    texts = list(read_gold(TEXTS))
    if "--count" in sys.argv:
        print(len(texts))
        return
    for _ in range(2):
        begin = time.process_time()
        for text in texts:
            verify(text.text, text.move)
        seconds = time.process_time() - begin
    print(json.dumps(len(texts) / seconds))


if __name__ == "__main__":
    main()
