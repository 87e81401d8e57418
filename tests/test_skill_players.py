"""Players: whatever chooses moves, one answer a position, and how an answer is read."""

from contextlib import ExitStack
from pathlib import Path

import chess
import numpy as np
import pytest

from chessgloss.concepts.facts import concept_scores
from chessgloss.llm.client import AnswerMissing, Client, Endpoint
from chessgloss.llm.recordings import Model, Recordings
from chessgloss.positions import Position
from chessgloss.skill import players
from chessgloss.skill.players import Asked, MoveAnswer
from fakes import engine_program
from fakes.scripted_llm import scripted_llm
from scripts import FIGURE_A5, load_script, refuses

MODEL = Model("scripted-1")
RUY_LOPEZ = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6")
FOOLS_MATE = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
#: White can mate on the back rank.
BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
#: The queen on f3 mates on f7: which the bishop on c4 covers.
SCHOLARS_MATE = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1"
#: White may castle to both sides; a pawn may promote on e8 and by taking on d8.
CASTLE_OR_PROMOTE = "3r3k/4P3/8/8/8/8/3P3P/R3K2R w KQ - 0 1"
#: Two rooks may go to d1, and only from the right one is it another move.
TWO_ROOKS = "7k/8/8/8/8/8/6PP/R4R1K w - - 0 1"

OPENING = Asked("ruy lopez", Position.after(RUY_LOPEZ))
ALONE = Asked("back rank", Position(BACK_RANK))
OVER = Asked("fool's mate", Position(FOOLS_MATE))
START = Asked("start", Position(chess.STARTING_FEN))


# ---------------------------------------------------------------- reading an answer

#: One mate in every notation, and what may stand around it.
NOTATIONS = ("Qxf7#", "Qxf7", "Qxf7++", "Qf7", "Qf3xf7#", "f3f7", "f3-f7", "F3F7")
AROUND = (
    "%s",
    "1. %s",
    "1... %s",
    '"%s"',
    "**%s**",
    "```\n%s\n```",
    "```san\n%s\n```",
    '{"move": "%s"}',
    "<move>%s</move>",
    "The best move is %s.",
    "Best move: **%s**",
    "best move - %s",
    "My final answer: 1. %s",
    "Move(SAN formatted move only): %s",
    "White mates with %s, as the bishop on c4 covers f7.",
    "Best move: %s, not Qg3.",
    "The move Qg3 is weak; I play %s",
    "I cannot be sure, but %s looks like mate",
    "%s (f3f7)",
    "Answer: %s and the king cannot go to e7.",
    '{"best_move": "%s", "reason": "the king on e8 has no square, e7 is covered"}',
)
#: No move, or several.
NO_MOVE = (
    "   \n",
    "qxf7",
    "o-o",
    "Queen takes f7",
    "the queen on f7",
    "0000",
    "--",
    "1-0",
    "Qxf7=Q",
    "Qxf7# or Qg3",
    "Best move: Qxf7# or Qg3",
    "The best move is Qxf7#. The best move is Qg3.",
    "Qg3, then Qxf7#",
    "1. Qxf7# Kd8",
    "f3 f7",
    '{"from": "f3", "to": "f7"}',
    f"position: {SCHOLARS_MATE}",
)


@pytest.mark.parametrize("around", AROUND)
def test_one_move_is_read_with_whatever_stands_around_it(around):
    for notation in NOTATIONS:
        text = around % notation
        answer = players.read_answer(text, chess.Board(SCHOLARS_MATE))
        assert answer == MoveAnswer(text, "f3f7", "Qxf7#", "legal")


#: Texts by position and state, with the move read: in UCI, and in SAN.
NOTHING = (None, None)


@pytest.mark.parametrize(
    ("fen", "state", "texts"),
    [
        (SCHOLARS_MATE, "unreadable", dict.fromkeys(NO_MOVE, NOTHING)),
        (TWO_ROOKS, "unreadable", {"Rd1": NOTHING}),
        (
            SCHOLARS_MATE,
            "refused",
            {
                "I cannot help with that.": NOTHING,
                "I’m unable to see.": NOTHING,
                "As an AI, I do not play.": NOTHING,
            },
        ),
        (
            SCHOLARS_MATE,
            "legal",
            {
                "d2-d4": ("d2d4", "d4"),
                "pawn to a3": ("a2a3", "a3"),
                "Nxe2": ("g1e2", "Ne2"),
                "The best move is d4, it takes e5": ("d2d4", "d4"),
            },
        ),
        (
            CASTLE_OR_PROMOTE,
            "legal",
            {
                "0-0-0+": ("e1c1", "O-O-O"),
                "e1h1": ("e1g1", "O-O"),
                "e8Q": ("e7e8q", "e8=Q+"),
                "e7e8N": ("e7e8n", "e8=N"),
                "exd8Q#": ("e7d8q", "exd8=Q+"),
            },
        ),
        (
            SCHOLARS_MATE,
            "illegal",
            {
                "O-O": (None, "O-O"),
                "e1g1": ("e1g1", None),
                "Nf3": (None, "Nf3"),
                "a3a4": ("a3a4", None),
                "Qxf8#": (None, "Qxf8"),
            },
        ),
        (
            FIGURE_A5,
            "illegal",
            {"bxc3": (None, "bxc3")},
        ),  # a pawn's move: the bishop's has a capital
        (CASTLE_OR_PROMOTE, "illegal", {"e8": (None, "e8"), "e8=K": (None, "e8=K")}),
        ("7k/8/8/8/8/8/8/K7 b - - 0 1", "illegal", {"h8h6": ("h8h6", None)}),
    ],
)
def test_an_answer_names_one_move_as_it_was_written_or_none(fen, state, texts):
    for text, (uci, san) in texts.items():
        answer = players.read_answer(text, chess.Board(fen))
        assert answer == MoveAnswer(text, uci, san, state)


@pytest.mark.parametrize(
    ("text", "uci", "reason"),
    [
        ("Move: Qxf7#\nReason: Kd8 is not possible.", "f3f7", "Kd8 is not possible."),
        ("Qxf7#\nIt mates; Qg3 does not.", "f3f7", "It mates; Qg3 does not."),
        ('{"move": "f3f7", "reason": "It mates."}', "f3f7", '"It mates."}'),
        ("Move: Qg3", "f3g3", ""),
        ("Reason: it mates.", None, "it mates."),
    ],
)
def test_a_reason_is_not_taken_for_the_move(text, uci, reason):
    answer, given = players.read_reasoned(text, chess.Board(SCHOLARS_MATE))
    assert (answer.uci, answer.text, given) == (uci, text, reason)


# ---------------------------------------------------------------- moves alone


def test_a_player_of_moves_sees_nothing_but_the_game():
    games_asked: list[tuple[str, ...]] = []

    def continue_games(games):
        games_asked.extend(games)
        return ["Ba4" if game else "e2e5" for game in games]

    player = players.MovesPlayer("tracking_uci", continue_games)
    shuffled = Asked("not from the start", Position.after(("d1d8",), BACK_RANK))
    answers = player.choose([ALONE, OPENING, START, shuffled])
    states = [answer.state for answer in answers]
    assert states == ["error", "legal", "illegal", "error"]
    assert (answers[1].uci, games_asked) == ("b5a4", [RUY_LOPEZ, ()])


# ---------------------------------------------------------------- engines


def test_an_engine_that_fails_on_one_position_answers_the_others(tmp_path, monkeypatch):
    faults = ("--fault", "crash", "--on", "6k1/5ppp", "--moves", "e1g1,e2e4")
    monkeypatch.setenv("CHESSGLOSS_STOCKFISH", str(engine_program(tmp_path, *faults)))
    answers = players.StockfishPlayer(1).choose([OPENING, ALONE, OVER, OPENING])
    assert [answer.state for answer in answers] == ["legal", "error", "error", "legal"]
    assert "failed twice" in answers[1].text and answers[2].text == "the game is over"


@pytest.mark.engine
def test_answers_of_a_weakened_engine_are_kept_once_and_read_again(tmp_path, stockfish):
    path = tmp_path / "levels" / "answers.tsv"
    asked = [OPENING, ALONE]
    player = players.WeakenedPlayer(5, path)
    keep = load_script("static/make.py").keep_weakened
    assert keep(asked[:1], [5, 20], path, nodes=50) == 2
    refuses(LookupError, "1 of 2 positions, such as 'back rank'", player.choose, asked)
    before = path.read_text()
    path.write_text(before + "5\t50\tback ra")  # killed while it wrote
    assert keep(asked, [5, 20], path, nodes=50) == 2
    assert keep(asked, [5, 20], path, nodes=50) == 0
    assert [answer.state for answer in player.choose(asked)] == ["legal", "legal"]
    assert len(players.read_weakened(path)) == 4
    assert player.name == "stockfish_05"
    path.write_text(before + "5\t50\tback ra\n")
    refuses(ValueError, r"answers\.tsv, line 4", player.choose, asked)


def recorded(
    folder: Path, text: str, name: str = "someone.tsv"
) -> players.RecordedPlayer:
    (folder / name).write_text(text)
    return players.RecordedPlayer(folder / name)


def test_recorded_moves_are_read_as_texts_are(tmp_path):
    rows = "castles\t1\te1h1\nback rank\t0\tRd8\nruy lopez\t1\tb5b8\nnone\t0\t\n"
    player = recorded(tmp_path, f"position\thistory\tmove\n{rows}")
    castles = Asked("castles", Position(CASTLE_OR_PROMOTE))
    answers = player.choose([OPENING, castles, ALONE, Asked("none", START.position)])
    assert [answer.uci for answer in answers] == ["b5b8", "e1g1", "d1d8", None]
    assert player.rows["history"].to_dict()["castles"] and player.name == "someone"
    refuses(LookupError, r"someone\.tsv has no row for 'start'", player.choose, [START])


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", "a.tsv", "must begin with position, history, move"),
        ("position\tmove\n", "a.tsv", "must begin with"),
        (
            "position\thistory\tmove\na\tyes\te2e4\n",
            "a.tsv",
            "line 2: 'a' needs 0 or 1",
        ),
        (
            "position\thistory\tmove\na\t0\te2e4\na\t1\td2d4\n",
            "a.tsv",
            "line 3: 'a' comes twice",
        ),
        ("position\thistory\tmove\n", "GPT 4.tsv", "small letters"),
    ],
)
def test_a_file_of_moves_in_another_form_names_its_line(tmp_path, text, name, message):
    refuses(ValueError, message, recorded, tmp_path, text, name)


class CountingExpert:
    """Likes the side that has more squares to go to, whoever is to move; for White."""

    def evaluate(self, fens):
        boards = [chess.Board(fen) for fen in fens]
        return np.array(
            [len(board.attacks(board.king(chess.WHITE))) for board in boards]
        )


def test_one_ply_takes_the_best_move_of_the_side_to_move():
    kings = (Position(f"8/8/8/7k/8/8/8/K7 {side} - - 0 1") for side in "wb")
    asked = [OVER, *(Asked("kings", position) for position in kings)]
    answers = players.NnuePlayer(CountingExpert()).choose(asked)
    # White's best has eight squares; to Black all are the same: the first in UCI
    assert [answer.uci for answer in answers] == [None, "a1b2", "h5g4"]
    assert players.NnuePlayer(CountingExpert()).choose([]) == []


# ---------------------------------------------------------------- what an expert sees


@pytest.mark.engine
def test_concepts_are_put_into_words_for_the_side_to_move(stockfish_network):
    doubled = "4k3/p7/p7/8/8/8/PPP5/4K3 b - - 0 1"
    nnue = stockfish_network
    asked = [
        Asked("mate", Position(SCHOLARS_MATE)),
        Asked("doubled", Position(doubled)),
    ]
    assert concept_scores([SCHOLARS_MATE, doubled], nnue).shape == (2, 10)
    assert players.mate_detected([SCHOLARS_MATE, doubled], nnue)[1] is False
    words = players.concepts_in_words(asked, nnue)["doubled"]
    assert "Black has doubled pawns" in words
    assert not any("White can mate" in each for each in words)


# ---------------------------------------------------------------- language models


FEN_OF_OPENING = f"position (FEN): {OPENING.position.fen}"
MOVES_OF_OPENING = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"


def test_a_position_is_described_in_four_ways():
    concepts = {OPENING.name: ("White pins a piece", "Black has a fork")}
    ways = ("fen", "history", "pgn", "concepts")
    assert [players.describe(OPENING, way, concepts) for way in ways] == [
        FEN_OF_OPENING,
        f"last moves: {MOVES_OF_OPENING}\n{FEN_OF_OPENING}",
        f"game (PGN): {MOVES_OF_OPENING}",
        f"{FEN_OF_OPENING}\nan expert sees: White pins a piece; Black has a fork",
    ]
    moves = ["g1f3", "g8f6", "f3g1", "f6g8"] * 5
    text = players.describe(Asked("shuffle", Position.after(moves)), "history")
    assert text.splitlines()[0].count("N") == players.HISTORY


@pytest.fixture
def client_of(tmp_path):
    """A client of a scripted model that answers with the texts given, and records them."""
    with ExitStack() as stack:

        def client(*script: str) -> Client:
            llm = stack.enter_context(scripted_llm(*script))
            return Client(Recordings.of(MODEL, "x", tmp_path), Endpoint(llm.url, MODEL))

        yield client


def test_what_cannot_be_described_is_an_error_of_that_position_only(client_of):
    assert len(players.play_requests([ALONE, OPENING], "pgn")) == 1
    refuses(KeyError, "back rank", players.play_requests, [ALONE], "concepts")
    answers = players.LlmPlayer(client_of("text:O-O"), "pgn").choose([ALONE, OPENING])
    assert [answer.state for answer in answers] == ["error", "legal"]


def test_the_answers_of_a_model_are_recorded_and_read(client_of):
    script = (
        "text:Rd8#",
        "text:I cannot help",
        "refused:no",
        "cut_off:Best move: Rd8",
    )
    asked = [
        Asked(f"back rank {n}", Position(f"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - {n} 9"))
        for n in range(len(script))
    ]
    client = client_of(*script)
    answers = players.LlmPlayer(client, "fen").choose(asked)
    states = ["legal", "refused", "refused", "legal"]
    assert [answer.state for answer in answers] == states
    replayed = players.LlmPlayer(Client(client.recordings), "fen")
    assert (replayed.choose(asked), replayed.name) == (answers, "scripted_1_fen")
    assert players.nickname("org/Chess-GPT:7B") == "org_chess_gpt_7b"
    with pytest.raises(AnswerMissing):
        players.LlmPlayer(Client(client.recordings), "fen_uci").choose(asked)
