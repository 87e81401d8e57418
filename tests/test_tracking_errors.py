from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from chessgloss.tracking.errors import (
    PIECE_TRACKING,
    PUBLISHED,
    EndError,
    StartError,
    classify,
    count_errors,
)
from chessgloss.tracking.probes import Instance
from chessgloss.tracking.tokens import VOCABULARY, VOCABULARY_SIZE, piece_id, square_id

#: The state-tracking paper's Figure 1b, left board, White to move.
FIGURE_1 = "r1bqkbnr/pppp1pp1/2n4p/4p3/3PP3/5N2/PPP2PPP/RNBQKB1R w KQkq - 0 4"
#: A knight on e2 and a bishop on d2 stand between White's king and black pieces.
PINNED = "4r1k1/8/8/8/1b6/8/3BN3/R3K3 w - - 0 40"
#: White is in check from the rook on e8.
CHECKED = "4r1k1/8/8/8/8/2N5/8/4KB2 w - - 0 40"
PLIES = ("a2a3",) * 8


def square(name: str) -> int:
    return square_id(chess.parse_square(name))


def end_of(fen: str, prompt: str) -> Instance:
    board = chess.Board(fen)
    left = chess.parse_square(prompt)
    legal = {move.to_square for move in board.legal_moves if move.from_square == left}
    kind = board.piece_type_at(left)
    answers = frozenset(map(square_id, legal)) or frozenset({square("a1")})
    return Instance("end_other", "short", PLIES, fen, piece_id(kind), square(prompt), None, answers,
                    "a game")  # fmt: skip


def start_of(fen: str, letter: str) -> Instance:
    board = chess.Board(fen)
    kind = chess.PIECE_SYMBOLS.index(letter.lower())
    movable = {move.from_square for move in board.legal_moves}
    legal = {at for at in movable if board.piece_type_at(at) == kind}
    return Instance("start_other", "short", PLIES, fen, piece_id(kind), piece_id(kind), None,
                    frozenset(map(square_id, legal)), "a game")  # fmt: skip


@pytest.mark.parametrize(
    ("fen", "prompt", "predicted", "kind"),
    [
        (FIGURE_1, "f1", "b5", None),
        # The two examples of the paper's section 3, both from the bishop on f1.
        (FIGURE_1, "f1", "g1", EndError.WRONG_PIECE),
        (FIGURE_1, "f1", "g2", EndError.OWN_PIECE),
        (FIGURE_1, "f1", "h3", EndError.PATH_OBSTRUCTION),
        (FIGURE_1, "f1", "g3", EndError.WRONG_PIECE),
        (FIGURE_1, "f1", "f8", EndError.WRONG_PIECE),
        (FIGURE_1, "f1", "b6", EndError.UNREACHABLE),
        (FIGURE_1, "f1", "f1", EndError.UNREACHABLE),
        (FIGURE_1, "f1", "q", EndError.NOT_A_SQUARE),
        (FIGURE_1, "f1", "B", EndError.NOT_A_SQUARE),
        (FIGURE_1, "f1", "EOS", EndError.NOT_A_SQUARE),
        (FIGURE_1, "f3", "d2", None),
        (FIGURE_1, "f3", "e1", EndError.OWN_PIECE),
        (FIGURE_1, "f3", "f5", EndError.WRONG_PIECE),
        (FIGURE_1, "h1", "h7", EndError.PATH_OBSTRUCTION),
        (FIGURE_1, "e1", "g1", EndError.WRONG_PIECE),
        (PINNED, "e2", "d4", EndError.PSEUDO_LEGAL),
        (PINNED, "d2", "e3", EndError.PSEUDO_LEGAL),
        (PINNED, "d2", "c3", None),
        (CHECKED, "c3", "b5", EndError.PSEUDO_LEGAL),
        (CHECKED, "c3", "e4", None),
        (CHECKED, "e1", "e2", EndError.PSEUDO_LEGAL),
    ],
)
def test_the_kind_of_an_ending_square(fen, prompt, predicted, kind):
    assert classify(end_of(fen, prompt), VOCABULARY.index(predicted)) is kind


@pytest.mark.parametrize(
    ("fen", "letter", "predicted", "kind"),
    [
        (FIGURE_1, "B", "f1", None),
        (FIGURE_1, "B", "c1", None),
        (FIGURE_1, "B", "f8", StartError.OPPONENT),
        (FIGURE_1, "B", "b5", StartError.EMPTY),
        (FIGURE_1, "B", "g1", StartError.EMPTY),
        (FIGURE_1, "B", "d1", StartError.OTHER_TYPE),
        (FIGURE_1, "B", "N", StartError.NOT_A_SQUARE),
        # The paper's footnote 5: only the rook on h1 can move.
        (FIGURE_1, "R", "h1", None),
        (FIGURE_1, "R", "a1", StartError.IMMOVABLE),
        (FIGURE_1, "R", "a8", StartError.OPPONENT),
    ],
)
def test_the_kind_of_a_starting_square(fen, letter, predicted, kind):
    assert classify(start_of(fen, letter), VOCABULARY.index(predicted)) is kind


@pytest.mark.parametrize("fen", [FIGURE_1, PINNED, CHECKED])
def test_every_answer_is_right_or_of_one_kind_as_python_chess_sees_it(fen):
    board = chess.Board(fen)
    pseudo = {(move.from_square, move.to_square) for move in board.pseudo_legal_moves}
    for left in {move.from_square for move in board.legal_moves}:
        if board.piece_type_at(left) in (chess.PAWN, chess.KING):
            continue
        one = end_of(fen, chess.square_name(left))
        for token in range(VOCABULARY_SIZE):
            kind = classify(one, token)
            assert (kind is None) == (token in one.legal)
            moves_so = kind in (None, EndError.PSEUDO_LEGAL)
            assert moves_so == ((left, token - 3) in pseudo)


def test_counts_cover_all_wrong_answers():
    one = end_of(FIGURE_1, "f1")
    words = ["b5", "g1", "g2", "g2", "h3", "b6", "q"]
    counts = count_errors([VOCABULARY.index(word) for word in words], [one] * len(words))
    assert list(counts.index) == [str(kind) for kind in EndError]
    assert list(counts) == [1, 1, 1, 1, 2, 0]
    start = start_of(FIGURE_1, "R")
    assert count_errors([square("a1")], [start])["cannot move"] == 1


def test_ends_and_starts_are_counted_apart():
    both = [end_of(FIGURE_1, "f1"), start_of(FIGURE_1, "B")]
    with pytest.raises(ValueError, match="apart"):
        count_errors([1, 1], both)
    with pytest.raises(ValueError, match="longer than argument 1"):
        count_errors([1], both[:1] * 2)


def test_the_published_kinds_and_those_of_tracking_cover_ours():
    assert set(PUBLISHED) == set(EndError)
    assert set(PUBLISHED.values()) == {"syntax", "path obstruction", "pseudo-legal"}
    assert EndError.PSEUDO_LEGAL not in PIECE_TRACKING
    assert StartError.IMMOVABLE not in PIECE_TRACKING


def test_an_instance_whose_piece_is_not_there_is_named():
    wrong = replace(end_of(FIGURE_1, "f1"), fen=PINNED)
    with pytest.raises(ValueError, match="no piece stands on f1"):
        classify(wrong, square("h8"))
