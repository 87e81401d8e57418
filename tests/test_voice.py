"""The experiment with a model that can write: what is asked is what was decided beforehand."""

import json
import os
import re
from collections import Counter
from itertools import chain

import chess
import pytest

from chessgloss.claims import gold, read_model
from chessgloss.commentary import arms, readings, voice
from chessgloss.judges import blind, contrasts, outcomes
from chessgloss.judges.steps import Ruler
from chessgloss.llm.client import Client, model_named, replay
from chessgloss.llm.recordings import Answer, Recordings, Request, State
from chessgloss.store import data_file
from scripts import load_script, refuses

FREEZE = load_script("commentary/freeze.py")
CHECK = load_script("commentary/voice/check.py")
RECORD = load_script("recordings/record.py")
MODEL = "scripted-1"
#: How many of the experiment's moves the scripted model is asked about.
MOVES = 50
BLIND = "decisive=yes helpful=no misleading=no false=no author=model"


@pytest.fixture(scope="module")
def frozen() -> dict:
    return json.loads(data_file("commentary/voice/frozen.json").read_text())


@pytest.fixture(scope="module")
def asked() -> dict[str, list[Request]]:
    return {arm: voice.questions([arm]) for arm in voice.ARMS}


def test_what_is_asked_is_what_was_decided_before_the_first_answer(asked, frozen):
    digest = FREEZE.text_sha256
    kept = {
        "prompts": {arm: FREEZE.prompts_sha256(each) for arm, each in asked.items()},
        "reader": digest(read_model.instructions()),
        "sent_back": digest(arms.SENT_BACK.template),
        "moves": digest(json.dumps(voice.read_blocks())),
        "blind": {name: digest(blind.told(name)) for name in blind.TOLD},
    }
    assert kept.items() <= frozen["sha256"].items()
    decided = {
        "planted_errors": voice.PLANTS,
        "seed": voice.SEED,
        "contrasts": {name: [*pair] for name, pair in voice.CONTRASTS.items()},
        "outcomes": voice.OUTCOMES,
        "smallest_difference": contrasts.MATTERS,
    }
    assert decided.items() <= frozen.items()


# ---------------------------------------------------------------- from the first answer to the last


def read_line(line: str) -> str:
    """Read of a numbered sentence where a man is said to stand, and no more."""
    number, _, text = line.partition(".")
    said = re.search(r"the (\w+) on ([a-h][1-8])", text)
    if said is None:
        return f"{number}. -"
    kind = chess.PIECE_NAMES.index(said[1])
    letter = chess.PIECE_SYMBOLS[kind].upper()
    return f"{number}. stands piece=?{letter}{said[2]} when=after"


@pytest.fixture
def scripted(tmp_path, monkeypatch):
    """Return what answers the experiment's questions, with recordings and the model's files aside.

    Comments say where the moved man stands, and those with lines of twenty moves say it wrongly;
    the reader reads just that.
    """
    monkeypatch.setattr(os, "fsync", lambda _: None)
    place = Recordings.of
    monkeypatch.setattr(
        Recordings,
        "of",
        lambda *about: place(*about, tmp_path),
    )
    monkeypatch.setattr(
        voice,
        "data_file",
        lambda name: tmp_path / name if MODEL in name else data_file(name),
    )
    model = model_named(MODEL)
    moves = dict([*voice.voice_moves().items()][:MOVES])
    lined = {name: voice.lined_moves()[name] for name in moves}
    monkeypatch.setattr(voice, "voice_moves", lambda: moves)
    monkeypatch.setattr(voice, "lined_moves", lambda: lined)
    monkeypatch.setattr(voice, "PLANTS", 10)
    wrongly = {*sorted(moves)[:20]}

    def comment(request: Request) -> str:
        played = moves[str(request.about["of"])].move
        board = played.after().board()
        square = played.move.to_square
        name = chess.piece_name(board.piece_type_at(square))
        if request.about["method"] == "lines" and request.about["of"] in wrongly:
            name = "rook" if name == "queen" else "queen"
        where = chess.square_name(square)
        words = str(request.about["method"]).replace("_", " ")
        return f"Comment: There is the {name} on {where}. It was said of {words}."

    def reading(request: Request) -> str:
        asked = request.messages[1].content
        return "\n".join(map(read_line, asked.splitlines()))

    def answer(purpose: str, say) -> int:
        client = Client(place(model, purpose, tmp_path))
        asked, _ = RECORD.known_questions(purpose, client, MODEL)
        lacking = client.missing(asked)
        for each in lacking:
            said = Answer(State.ANSWERED, say(each))
            client.recordings.keep(each, said, "2026-01-31")
        return len(lacking)

    folder = tmp_path / "commentary/voice" / model.folder
    folder.mkdir(parents=True)
    return answer, comment, reading, folder, wrongly


def test_the_whole_way_from_comments_to_accusations(scripted):
    answer, comment, reading, folder, wrongly = scripted
    client = replay(voice.PURPOSE, MODEL)
    assert answer("voice", comment) == 8 * MOVES
    answer("voice_readings", reading)
    wrong = CHECK.wrong_claims(client, replay("voice_readings", MODEL))
    assert wrong.keys() == wrongly
    (folder / "sent_back.json").write_text(json.dumps(wrong))
    assert answer("voice", comment) == len(wrongly)
    last = voice.sent_back(client)[0].messages
    assert [each.role for each in last[-3:]] == ["user", "assistant", "user"]
    given = [f'"{said}": {why}' for said, why in chain.from_iterable(wrong.values())]
    assert any(line in last[-1].content for line in given)
    rows = [*voice.make_plants(client)]
    assert {*Counter(each["arm"] for each in rows).values()} == {voice.PLANTS}
    (folder / "plants.jsonl").write_text("\n".join(map(json.dumps, rows)))
    answer("voice_readings", reading)
    checked = outcomes.check_twice(client, replay("voice_readings", MODEL))
    of = voice.comments(client)
    false = outcomes.by_arm(of, voice.accused(*checked))
    assert false.shape == (MOVES, 9)
    for arm in of:
        accused = {*false.index[false[arm] == 1]}
        assert accused == (wrongly if arm == "lines" else set())
    found = outcomes.found_plants(rows, *checked)
    assert len(found) == 9 * voice.PLANTS
    assert found["found"].all()
    blind_answers = replay(blind.PURPOSE, MODEL)
    blindly, _ = RECORD.known_questions("voice_blind", blind_answers, MODEL)
    shown = Counter(each.about["method"] for each in blindly)
    assert shown["notes"] == 2 * MOVES
    assert shown.keys() - {"notes", "broken", "reference"} <= {*voice.REGISTERED}
    title = arms.EVERY_ARM["ccc"].title
    assert not [each for each in blindly if title in str(each.messages)]
    answer("voice_blind", lambda _: BLIND)
    texts = blind.voice_texts(client)
    said = outcomes.read_blind(blind_answers, texts, blind.voice_seen())
    decisive = outcomes.said(said, "decisive")[[*voice.REGISTERED]]
    assert (decisive == 1).all(axis=None)
    false_blind = outcomes.said(said, "false")
    ruler = outcomes.rulers(false, found, false_blind)
    assert ruler["all"] == Ruler(90, 90, 20, 9 * MOVES)


def test_a_file_that_is_missing_says_what_makes_it(scripted):
    refuses(
        ValueError,
        "check.py plants",
        voice.read_plants,
        model_named(MODEL),
    )


def test_the_recorded_readings_are_decided_as_by_the_checker_that_decided_them_first():
    client = replay(voice.PURPOSE, "claude")
    reader = replay("voice_readings", "claude")
    kept = json.loads(data_file("commentary/voice/claude/verdicts.json").read_text())
    for number, sha256 in enumerate(kept["sha256"], start=1):
        texts = voice.texts_read(client, number)
        blocks = readings.blocks(f"all_{number}", texts)
        checked = voice.checks(texts, readings.read_texts(blocks, reader))
        claims = sum(map(len, checked.values()))
        assert claims == kept["claims"][number - 1]
        assert gold.verdicts_sha256(checked) == sha256
