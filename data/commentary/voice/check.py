"""Check the comments with lines once, and plant errors in those of all arms.

    python data/commentary/voice/check.py sent_back --model claude
    python data/commentary/voice/check.py plants --model claude

The first writes ``sent_back.json`` into the model's folder: of each comment with lines the claims
that reader 1 found (the set ``loop`` of the purpose ``voice_readings``) and the program calls
false, as words and evidence. The second writes ``plants.jsonl``, when all arms have their comments.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from chessgloss.commentary import readings, voice
from chessgloss.engine import EnginePool
from chessgloss.llm.client import Client, replay

HERE = Path(__file__).parent


def wrong_claims(client: Client, reader: Client) -> dict[str, list[tuple[str, str]]]:
    """Return the words and the evidence of false claims in comments with lines, by move."""
    texts = voice.texts_in_loop(client)
    read = readings.read_texts(readings.blocks("loop", texts), reader)
    if unread := [each.key for each in texts if each.key not in read]:
        raise SystemExit(f"{len(unread)} comments have no reading yet: {unread[:3]} …")
    with EnginePool() as pool:
        checked = voice.checks(texts, read, pool.analyse)
    wrong = {
        key.partition("#")[0]: [
            (each.text, each.evidence) for each in claims if each.verdict == "false"
        ]
        for key, claims in sorted(checked.items())
    }
    return {name: claims for name, claims in wrong.items() if claims}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write one of the files."""
    parser = argparse.ArgumentParser(prog="python data/commentary/voice/check.py")
    parser.add_argument("what", choices=["sent_back", "plants"])
    parser.add_argument("--model", required=True, help="whose comments")
    parser.add_argument("--reader", default="", help="who read them (the same)")
    given = parser.parse_args(arguments)
    client = replay(voice.PURPOSE, given.model)
    folder = HERE / client.model.folder
    if given.what == "plants":
        path = folder / "plants.jsonl"
        rows = [
            json.dumps(row, ensure_ascii=False) for row in voice.make_plants(client)
        ]
        text = "".join(f"{row}\n" for row in rows)
    else:
        path = folder / "sent_back.json"
        reader = replay("voice_readings", given.reader or given.model)
        wrong = wrong_claims(client, reader)
        rows = [
            f"{json.dumps(name)}: {json.dumps(each)}" for name, each in wrong.items()
        ]
        text = "{\n" + ",\n".join(rows) + "\n}\n"
    folder.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    print(f"{len(rows)} in {path}")


if __name__ == "__main__":
    main()
