"""The experiment with a model that can write: what is asked is what was decided beforehand."""

import json
from itertools import chain

import pytest

from chessgloss.claims import read_model
from chessgloss.commentary import arms, voice
from chessgloss.commentary.moves import released_moves
from chessgloss.judges import contrasts
from chessgloss.llm.recordings import Request
from chessgloss.store import data_file
from scripts import load_script

FREEZE = load_script("commentary/freeze.py")


@pytest.fixture(scope="module")
def frozen() -> dict:
    return json.loads(data_file("commentary/voice/frozen.json").read_text())


@pytest.fixture(scope="module")
def asked() -> dict[str, list[Request]]:
    return {arm: voice.questions([arm]) for arm in voice.ARMS}


def test_what_is_asked_is_what_was_decided_before_the_first_answer(asked, frozen):
    digests = {arm: FREEZE.prompts_sha256(each) for arm, each in asked.items()}
    assert digests == frozen["sha256"]["prompts"]
    instructions = FREEZE.text_sha256(read_model.instructions())
    assert instructions == frozen["sha256"]["reader"]
    told = FREEZE.text_sha256(voice.SENT_BACK.template)
    assert told == frozen["sha256"]["sent_back"]
    assert (voice.PLANTS, voice.SEED) == (frozen["planted_errors"], frozen["seed"])
    moves = FREEZE.text_sha256(json.dumps(voice.read_blocks()))
    assert moves == frozen["sha256"]["moves"]
    assert frozen["contrasts"] == {k: [*v] for k, v in voice.CONTRASTS.items()}
    assert frozen["outcomes"] == voice.OUTCOMES
    assert frozen["smallest_difference"] == contrasts.MATTERS == 0.05


def test_the_blocks_share_out_the_released_and_the_drawn_moves_alike():
    blocks = voice.read_blocks()
    names = [*chain.from_iterable(blocks)]
    released = {each.name for each in released_moves()}
    assert len(names) == len(set(names)) == 150
    assert [len(released & {*each}) for each in blocks] == [10] * 6
    assert set(names) - released <= arms.asked_moves().keys()
    boards = (each.move.position.board() for each in voice.voice_moves().values())
    assert min(len(board.piece_map()) for board in boards) > 2


def test_a_released_move_is_asked_about_under_its_own_number(asked):
    last = next(each for each in asked["bare"] if each.about["of"] == "released/02")
    assert last.messages[-1].content.splitlines() == [
        "Position (FEN): r1b1k2r/ppppb1qp/2n2n2/6p1/2PP1p2/P1NB1N1P/1P2R1P1/R1BQ2K1 b - - 0 17",
        "Move played by Black: 17... h5",
    ]


def test_no_released_move_castles_so_that_no_right_is_put_in():
    boards = [(each.move.position.board(), each.move.move) for each in released_moves()]
    assert len(boards) == 60
    assert not any(board.castling_rights for board, _ in boards)
    assert not any(board.is_castling(move) for board, move in boards)


def test_every_arm_is_asked_once_on_every_move_in_the_same_words_as_the_first_experiment(
    asked,
):
    shared = {
        (one.about["of"], one.about["method"]): one.messages for one in arms.questions()
    }
    for arm, requests in asked.items():
        of = {each.about["of"]: each.messages for each in requests}
        assert len(of) == len(requests) == 150
        assert all(shared.get((name, arm), told) == told for name, told in of.items())
