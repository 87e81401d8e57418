import re
from collections import Counter
from functools import cache
from typing import get_args

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chessgloss.facts import Fact, gather
from chessgloss.facts.records import ENGINE_KINDS, KNOWN_KINDS, FactKind
from chessgloss.judges.pairwise import linearise
from chessgloss.positions import MoveInContext, Position, read_fen, read_move
from scripts import FIGURE_A6, selfplay

#: A position and a move, then facts that must be among those gathered: kind and time, side,
#: squares, value, and the clause, which may stand below.
KNOWN = """
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | e4
    material before | nobody | - | 0 | material is level
r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21 | Bxe6+
    capture move | White | f5 e6 | 'p' | the white bishop on f5 takes the black pawn on e6
    check move | White | e6 f7 | None | the white bishop on e6 gives check to the black king on f7
    skewer move | White | e6 f7 g8 | 'absolute' |
        the white bishop on e6 skewers the black king on f7 and the black queen on g8
    material move | White | f5 e6 | 1 | the move brings White 1 pawn of material
    material after | Black | - | 2 | Black is 2 pawns ahead in material
    exchange move | White | e6 f5 | 1 | by exchanges on e6 White wins 1 pawn
4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1 | exd6
    en_passant move | White | e5 d6 d5 | 'p' |
        the white pawn on e5 takes the black pawn on d5 en passant
1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1 | axb8=N
    promotion move | White | a7 b8 | 'n' | the white pawn on a7 promotes to a knight on b8
r3k3/8/8/8/8/8/8/4K3 b q - 0 1 | O-O-O
    castling move | Black | e8 c8 a8 d8 | 'queenside' | Black castles queenside
4k3/8/8/8/4N3/8/8/4R1K1 w - - 0 1 | Nf6+
    double_check move | White | e1 f6 e8 | None |
        the white rook on e1 and the white knight on f6 give double check to the black king on e8
4k3/8/8/8/4N3/8/8/4R1K1 w - - 0 1 | Nc5+
    discovered_check move | White | e1 e8 | None |
        the white rook on e1 gives discovered check to the black king on e8
r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4 | Qxf7#
    mate move | White | f7 e8 | None | the black king on e8 is checkmated
7k/5K2/8/6Q1/8/8/8/8 w - - 0 1 | Qg6
    stalemate move | Black | h8 | None | Black is stalemated
r2qk3/8/8/3N4/8/8/8/4K3 w - - 0 1 | Nc7+
    fork move | White | c7 e8 a8 | 'loose' |
        the white knight on c7 forks the black king on e8 and the black rook on a8
3qk3/8/5n2/8/8/8/8/2B1K3 w - - 0 1 | Bg5
    pin move | White | g5 f6 d8 | 'relative' |
        the white bishop on g5 pins the black knight on f6 to the black queen on d8
6k1/4q3/8/8/8/4B3/8/4R1K1 w - - 0 1 | Bd4
    discovered_attack move | White | e1 e7 | 9 |
        the white rook on e1 attacks the black queen on e7 by discovery
6k1/5ppp/8/8/8/7P/8/3R2K1 b - - 0 1 | h5
    threat before | White | d1 d8 g8 | 'd1d8' | White threatens to mate with the rook from d1 to d8
4k3/8/8/8/3r4/8/8/3QK3 w - - 0 1 | Ke2
    threat before | White | d1 d4 d4 | 'd1d4' |
        White can win the black rook on d4 with the queen on d1
4k3/4n3/8/3p4/8/8/4R3/3RK3 w - - 0 1 | Kd2
    defence before | Black | e7 d5 | 'barred' |
        the black knight on e7 defends the black pawn on d5 but may not take back there
4k3/8/8/3P4/8/8/8/4K3 w - - 0 1 | d6
    passed_pawn after | White | d6 | 2 | the white pawn on d6 is passed
4k3/8/8/8/2P5/2P5/8/4K3 w - - 0 1 | Kd2
    doubled_pawns before | White | c3 c4 | 2 | the white pawns on c3 and c4 are doubled
4k3/8/8/8/8/8/p3P3/R3K3 w - - 0 1 | Kd2
    open_file after | White | a1 | 'a' | the a-file is half-open for White
4k3/8/8/8/8/8/5PPP/5RK1 w - - 0 1 | Rd1
    king_shelter after | White | g1 f2 g2 h2 | 3 |
        the pawns on f2, g2 and h2 shelter the white king on g1
4k3/8/8/8/8/8/4r3/4K3 w - - 0 1 | Kd1
    check before | Black | e2 e1 | None | the black rook on e2 gives check to the white king on e1
4k3/8/3n4/8/4P3/8/8/4K3 w - - 0 1 | Kf2
    attack before | Black | d6 e4 | None | the black knight on d6 attacks the white pawn on e4
    hanging after | White | e4 | 1 | the white pawn on e4 is hanging
    isolated_pawn after | White | e4 | None | the white pawn on e4 is isolated
"""


def row_of(fact: Fact) -> str:
    """The fact as it stands in the table."""
    side = {chess.WHITE: "White", chess.BLACK: "Black", None: "nobody"}[fact.side]
    where = " ".join(fact.squares) or "-"
    return f"{fact.kind} {fact.when} | {side} | {where} | {fact.value!r} | {fact.text}"


def known_move(block: str) -> tuple[MoveInContext, set[str]]:
    """A move, and the facts that must hold of it."""
    (fen, san), *facts = (line.strip().split(" | ", 1) for line in block.splitlines())
    return read_move(read_fen(fen), san), set(map(" | ".join, facts))


KNOWN_MOVES = [
    *map(known_move, re.split(r"\n(?! )", KNOWN.replace("\n        ", " ").strip()))
]

#: Kinds whose squares come in no order of who acts.
WITHOUT_ORDER = {
    "check",
    "double_check",
    "mate",
    "discovered_check",
    "doubled_pawns",
    "open_file",
}


@cache
def selfplay_moves() -> list[MoveInContext]:
    """Every 9th position of self-play games, each once, with the move played there: 300 of them."""
    lines = ([*zip(game.fens(), game.moves, strict=False)] for game in selfplay(45))
    found = {fen: uci for line in lines for fen, uci in line[4::9]}
    return [MoveInContext(Position(fen), uci) for fen, uci in [*found.items()][:300]]


def mirrored(names: str) -> str:
    """Squares, or a move in UCI, on the board turned upside down."""
    ranks = str.maketrans("12345678", "87654321")
    return names.translate(ranks)


def outline(fact: Fact, *, turn: bool = False) -> tuple[object, ...]:
    """The fact without its text, squares after the first in order, on the turned board."""
    squares = [mirrored(name) if turn else name for name in fact.squares]
    if fact.kind in WITHOUT_ORDER:
        squares.sort()
    side, value = fact.side, fact.value
    if turn:
        side = None if side is None else not side
        value = (
            mirrored(value) if fact.kind in ("threat", "stalemating_move") else value
        )
    return (fact.kind, fact.when, side, (*squares[:1], *sorted(squares[1:])), value)


@pytest.mark.parametrize(
    ("move", "facts"), KNOWN_MOVES, ids=lambda one: getattr(one, "san", "")
)
def test_facts_of_known_positions(move, facts):
    assert facts <= set(map(row_of, gather(move).facts))


def test_times_come_in_order_and_kinds_are_of_the_board():
    for move in selfplay_moves()[:150]:
        facts = gather(move)
        times = [fact.when for fact in facts.facts]
        assert times == sorted(times, key=["move", "before", "after"].index)
        assert not {fact.kind for fact in facts.facts} & ENGINE_KINDS
        assert len(set(facts.facts)) == len(facts.facts)
        assert {fact.provenance for fact in facts.facts} == {"board"}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 299) | st.sampled_from([move for move, _ in KNOWN_MOVES]))
def test_facts_mirror_with_the_board(chosen):
    """With colours changed and the board upside down, everything is true of the other side."""
    move = selfplay_moves()[chosen] if isinstance(chosen, int) else chosen
    turned = Position(chess.Board(move.position.fen).mirror().fen())
    theirs = gather(MoveInContext(turned, mirrored(move.uci))).facts
    ours = gather(move).facts  # openings have names only where White begins
    assert Counter(
        outline(fact, turn=True) for fact in ours if fact.kind != "opening"
    ) == (Counter(outline(fact) for fact in theirs if fact.kind != "opening"))


def test_known_positions_cover_every_kind_of_the_board():
    of_the_board = {*get_args(FactKind)} - ENGINE_KINDS - KNOWN_KINDS
    assert {
        fact.split()[0] for _, facts in KNOWN_MOVES for fact in facts
    } == of_the_board


# ---------------------------------------------------------------- the rubric's feature context


@pytest.mark.parametrize(
    ("fen", "san", "said"),
    [
        (
            FIGURE_A6,
            "Bxe6+",
            """
        move: 21. Bxe6+
        piece: bishop from f5 to e6
        capture: pawn on e6
        trade: no
        material balance after: -2
        own hanging pieces before: the white queen on d5 (worth 8); the white knight on h5 (worth 3)
        evaluation before: NA
        win chance swing: NA""",
        ),
        # Black to move: seen by the mover.
        (
            "4k3/8/2p5/8/8/8/8/R3K3 b - - 0 1",
            "c5",
            """
        side to move: Black
        material balance before: -4
        own passed pawns after: c5
        opponent's passed pawns after: none
        opponent's chances after: none""",
        ),
        # A trade is a capture that can be taken back.
        (
            "4k3/8/2p5/3n4/8/4N3/8/4K3 w - - 0 1",
            "Nxd5",
            """
        trade: knight for knight on d5 possible
        material change: +3
        exchange result: 0""",
        ),
    ],
)
def test_the_context_says_what_is_and_what_is_not(fen, san, said):
    lines = linearise(gather(read_move(read_fen(fen), san))).splitlines()
    assert {line.strip() for line in said.strip().splitlines()} <= {*lines}
