"""Players: whatever chooses moves, one answer a position, and nothing raises for one of them."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from chessgloss import assets
from chessgloss.experts import load_expert
from chessgloss.llm import AnswerMissing, Client, Endpoint, Model, Recordings
from chessgloss.positions import Position
from chessgloss.skill.engine_players import (
    LevelPlayer,
    LevelsMissing,
    NnuePlayer,
    StockfishPlayer,
    read_levels,
    record_levels,
)
from chessgloss.skill.llm_players import (
    HISTORY,
    PLAYS,
    LlmPlayer,
    Play,
    nickname,
    play_request,
    play_requests,
    tell,
)
from chessgloss.skill.players import (
    Asked,
    MovesPlayer,
    Player,
    RandomPlayer,
    expected_of_random,
)
from chessgloss.skill.seen import mate_seen, see, told_concepts, vectors_file
from fakes import engine_program
from fakes.scripted_llm import scripted_llm

MODEL = Model("scripted-1")
RUY_LOPEZ = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6")
FOOLS_MATE = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
#: White can mate on the back rank.
BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"

OPENING = Asked("ruy lopez", Position.after(RUY_LOPEZ))
ALONE = Asked("back rank", Position(BACK_RANK))
OVER = Asked("fool's mate", Position(FOOLS_MATE))
START = Asked("start", Position(chess.STARTING_FEN))


def one_answer_each(player: Player, asked: list[Asked]) -> list[str]:
    answers = player.choose(asked)
    assert len(answers) == len(asked)
    for answer, one in zip(answers, asked, strict=True):
        assert answer.move is None or answer.move in one.position.board().legal_moves
    return [answer.state for answer in answers]


# ---------------------------------------------------------------- random, moves alone


def test_a_random_move_depends_on_seed_and_name_alone():
    asked = [OPENING, ALONE, OVER]
    player = RandomPlayer(3)
    assert one_answer_each(player, asked) == ["legal", "legal", "error"]
    assert player.choose(asked[::-1]) == player.choose(asked)[::-1]
    moves = {
        RandomPlayer(seed).choose([Asked(name, START.position)])[0].uci
        for seed in range(8)
        for name in "abcdefgh"
    }
    assert len(moves) > 15  # of 20


def test_what_a_random_move_is_worth_is_exact():
    def knight(board: chess.Board, move: chess.Move) -> float:
        return float(board.piece_type_at(move.from_square) == chess.KNIGHT)

    assert expected_of_random([START, START], knight) == [4 / 20, 4 / 20]
    with pytest.raises(ValueError, match="fool's mate: the game is over"):
        expected_of_random([OVER], knight)


def test_a_player_of_moves_sees_nothing_but_the_game():
    seen: list[tuple[str, ...]] = []

    def continue_games(games):
        seen.extend(games)
        return ["Ba4" if game else "e2e5" for game in games]

    player = MovesPlayer("tracking_uci", continue_games)
    answers = player.choose([ALONE, OPENING, START])
    assert [answer.state for answer in answers] == ["error", "legal", "illegal"]
    assert answers[1].uci == "b5a4"
    assert seen == [RUY_LOPEZ, ()]
    assert player.choose([ALONE])[0].text == "the moves that led to the position are not known"


def test_a_position_has_a_name_and_knows_whether_it_has_a_history():
    assert [one.has_history for one in (OPENING, START, ALONE)] == [True, True, False]
    shuffled = Position.after(("d1d8",), BACK_RANK)
    assert not Asked("not from the start", shuffled).has_history
    with pytest.raises(ValueError, match="needs a name"):
        Asked(" ", START.position)


# ---------------------------------------------------------------- engines


def test_an_engine_that_fails_on_one_position_answers_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    program = engine_program(
        tmp_path, "--fault", "crash", "--on", "6k1/5ppp", "--moves", "e1g1,e2e4"
    )
    monkeypatch.setenv("CHESSGLOSS_STOCKFISH", str(program))
    answers = StockfishPlayer(1).choose([OPENING, ALONE, OVER, OPENING])
    assert [answer.state for answer in answers] == ["legal", "error", "error", "legal"]
    assert "failed twice" in answers[1].text
    assert answers[2].text == "the game is over"
    assert answers[0].san == "O-O"


@pytest.mark.parametrize(
    ("nodes", "name"), [(1, "stockfish_1_node"), (20_000, "stockfish_20000_nodes")]
)
def test_an_engine_player_is_named_by_its_nodes(nodes: int, name: str):
    assert StockfishPlayer(nodes).name == name
    with pytest.raises(ValueError, match="positive"):
        StockfishPlayer(0)


@pytest.mark.engine
def test_stockfish_plays_and_mates(stockfish: Path):
    asked = [ALONE, OPENING, OVER]
    found = StockfishPlayer(2_000).choose(asked)
    assert found[0].san == "Rd8#"
    assert [answer.state for answer in found] == ["legal", "legal", "error"]
    assert StockfishPlayer(2_000).choose(asked) == found
    assert one_answer_each(StockfishPlayer(1), asked) == ["legal", "legal", "error"]


@pytest.mark.engine
def test_answers_of_a_level_are_recorded_once_and_read_again(stockfish: Path, tmp_path: Path):
    path, asked = tmp_path / "levels" / "answers.tsv", [OPENING, ALONE]
    player = LevelPlayer(5, path)
    with pytest.raises(LevelsMissing, match="record_levels"):
        player.choose(asked)
    assert record_levels(asked[:1], [5, 20], path, nodes=50, progress=False) == 2
    with pytest.raises(LevelsMissing, match="1 of 2 positions, such as 'back rank'"):
        player.choose(asked)
    before = path.read_text()
    path.write_text(before + "5\t50\tback ra")  # killed while it wrote
    assert record_levels(asked, [5, 20], path, nodes=50, progress=False) == 2
    assert path.read_text().startswith(before)
    assert record_levels(asked, [5, 20], path, nodes=50, progress=False) == 0
    assert one_answer_each(player, asked) == ["legal", "legal"]
    assert player.name == "stockfish_05"
    assert len(read_levels(path)) == 4


def test_a_file_of_levels_says_what_is_wrong_with_it(tmp_path: Path):
    path = tmp_path / "answers.tsv"
    path.write_text("level\tmove\n")
    with pytest.raises(ValueError, match="must begin with the columns level, nodes"):
        read_levels(path)
    path.write_text("level\tnodes\tname\tfen\tuci\nfive\t1\ta\tb\tc\n")
    with pytest.raises(ValueError, match="line 2: no answer of a level"):
        read_levels(path)
    with pytest.raises(ValueError, match="levels are 0 to 20"):
        record_levels([START], [21], path, nodes=1)


class CountingExpert:
    """Likes the side that has more squares to go to, whoever is to move; for White."""

    def evaluate(self, fens):
        import numpy as np

        boards = [chess.Board(fen) for fen in fens]
        return np.array([len(board.attacks(board.king(chess.WHITE))) for board in boards])


def test_one_ply_takes_the_best_move_of_the_side_to_move():
    asked = [
        Asked(f"kings, {side}", Position(f"8/8/8/7k/8/8/8/K7 {side} - - 0 1")) for side in "wb"
    ]
    answers = NnuePlayer(CountingExpert()).choose([*asked, OVER])
    assert answers[0].uci == "a1b2"  # eight squares
    assert answers[1].uci == "h5g4"  # all the same: the first in UCI
    assert answers[2].state == "error"


@pytest.fixture
def nnue():
    try:
        return load_expert("nnue")
    except assets.AssetMissing as error:
        pytest.skip(str(error))


@pytest.mark.engine
def test_the_network_at_one_ply_takes_what_hangs(nnue):
    for fen, best in (
        ("rnb1kbnr/pppp1ppp/8/4p1q1/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 1 3", "c1g5"),
        ("rnbqkbnr/ppp2ppp/3p4/4p1Q1/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 3", "d8g5"),
    ):
        assert NnuePlayer(nnue).choose([Asked("hangs", Position(fen))])[0].uci == best


# ---------------------------------------------------------------- what an expert sees


@pytest.mark.engine
def test_concepts_seen_are_told_for_the_side_to_move(nnue):
    if not vectors_file().is_file():
        pytest.skip("no vectors of facts")
    mated = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1"
    doubled = "4k3/p7/p7/8/8/8/PPP5/4K3 b - - 0 1"
    scores = see([mated, doubled], nnue)
    assert scores.shape == (2, 10)
    assert mate_seen([mated, doubled], scores)[1] is False
    told = told_concepts(doubled, scores[1])
    assert "Black has doubled pawns" in told
    assert not any("White can mate" in words for words in told)


# ---------------------------------------------------------------- language models


FEN_OF_OPENING = f"position (FEN): {OPENING.position.fen}"
MOVES_OF_OPENING = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"


@pytest.mark.parametrize(
    ("telling", "words"),
    [
        ("fen", FEN_OF_OPENING),
        ("history", f"last moves: {MOVES_OF_OPENING}\n{FEN_OF_OPENING}"),
        ("pgn", f"game (PGN): {MOVES_OF_OPENING}"),
        ("concepts", f"{FEN_OF_OPENING}\nan expert sees: White pins a piece; Black has a fork"),
    ],
)
def test_a_position_is_told_in_four_ways(telling, words: str):
    concepts = {OPENING.name: ("White pins a piece", "Black has a fork")}
    assert tell(OPENING, telling, concepts) == words


def test_a_long_game_is_told_by_its_last_moves():
    moves = ["g1f3", "g8f6", "f3g1", "f6g8"] * 5
    told = tell(Asked("shuffle", Position.after(moves[:19])), "history").splitlines()[0]
    assert told.startswith("last moves: 4...Ng8 5. Nf3 ")
    assert told.count("N") == HISTORY


def test_what_cannot_be_told_is_an_error_of_that_position_only(tmp_path: Path):
    assert len(play_requests([ALONE, OPENING], PLAYS["pgn"])) == 1
    with pytest.raises(ValueError, match="back rank: the game that led here is not known"):
        play_request(ALONE, PLAYS["history"])
    with pytest.raises(ValueError, match="no concepts are given"):
        play_request(ALONE, PLAYS["concepts"])
    with scripted_llm("text:O-O") as llm:
        client = Client(Recordings.of(MODEL, "x", tmp_path), Endpoint(llm.url, MODEL), "live")
        answers = LlmPlayer(client, PLAYS["pgn"]).choose([ALONE, OPENING])
    assert [answer.state for answer in answers] == ["error", "legal"]


def test_questions_begin_alike_and_name_their_position():
    requests = play_requests([OPENING, ALONE], PLAYS["fen_uci"])
    first, second = (request.messages for request in requests)
    assert first[0] == second[0]
    assert first[-1].content.endswith("White to move.\n\nMove (UCI only):")
    assert requests[0].prompt == "play_uci@1"
    assert requests[0].about == {"of": "ruy lopez", "fen": OPENING.position.fen}
    assert play_request(ALONE, PLAYS["fen_reason"]).sampling.max_tokens == 60


def test_the_answers_of_a_model_are_recorded_and_read(tmp_path: Path):
    script = ("text:Rd8#", "text:I cannot help", "refused:no", "cut_off:Best move: Rd8", "400")
    asked = [Asked(f"back rank {n}", Position(f"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - {n} 9"))
             for n in range(len(script))]  # fmt: skip
    recordings = Recordings.of(MODEL, "x", tmp_path)
    with scripted_llm(*script) as llm:
        client = Client(recordings, Endpoint(llm.url, MODEL), "record")
        answers = LlmPlayer(client, PLAYS["fen"]).choose(asked)
    states = ["legal", "refused", "refused", "legal", "error"]
    assert [answer.state for answer in answers] == states
    replayed = LlmPlayer(Client(recordings), PLAYS["fen"])
    assert replayed.choose(asked) == answers
    assert replayed.name == "scripted_1_fen"
    with pytest.raises(AnswerMissing):
        LlmPlayer(Client(recordings), Play("fen", "uci")).choose(asked)


def test_a_reason_comes_with_its_move(tmp_path: Path):
    text = "Move: Rd8#\nReason: The rook mates, h8 is no help."
    with scripted_llm(f"text:{text}") as llm:
        client = Client(Recordings.of(MODEL, "x", tmp_path), Endpoint(llm.url, MODEL), "live")
        (found,) = LlmPlayer(client, PLAYS["fen_reason"]).reasoned([ALONE])
    assert (found.answer.san, found.reason) == ("Rd8#", "The rook mates, h8 is no help.")


def test_an_endpoint_that_stops_answering_is_a_result(tmp_path: Path):
    asked = [Asked(f"{n}", Position(f"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - {n} 9")) for n in range(6)]
    with scripted_llm("text:Rd8#", *["500"] * 40) as llm:
        client = Client(
            Recordings.of(MODEL, "x", tmp_path), Endpoint(llm.url, MODEL, retries=0), "record"
        )
        answers = LlmPlayer(client, PLAYS["fen"]).choose(asked)
        asked_for = len(llm.asked)
    assert [answer.state for answer in answers] == ["legal"] + ["error"] * 5
    assert "had stopped answering" in answers[-1].text
    assert asked_for < 8


def test_models_have_short_names():
    names = ("qwen2.5-coder-1.5b-q4_k_m", "gpt-4o-mini", "org/Chess-GPT:7B")
    assert [nickname(name) for name in names] == ["qwen", "gpt_4o_mini", "org_chess_gpt_7b"]
    assert set(PLAYS) >= {"fen", "history", "pgn", "concepts", "concepts_uci", "fen_reason"}
