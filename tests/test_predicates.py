"""Predicates decide and find: what is found holds, and nothing else does."""

from functools import cache

import chess
import pytest

from chessgloss.predicates import attacks, board, captures, kings, lines, pawns, tactics
from chessgloss.predicates.finding import Finding, strongest
from scripts import selfplay


@cache
def positions() -> tuple[chess.Board, ...]:
    fens = (fen for game in selfplay(40) for fen in game.fens()[5::11])
    return tuple(map(chess.Board, fens))


def where(there: chess.Board, holds) -> set[chess.Square]:
    return {
        square
        for square in chess.SquareSet(there.occupied)
        if holds(there, square).holds
    }


@pytest.mark.parametrize(
    ("find", "holds"),
    [
        (board.passed, pawns.passed),
        (board.isolated, pawns.isolated),
        (board.doubled, pawns.doubled),
        (pawns.connected_pawns, pawns.connected),
        (
            lambda there, side: {each.square for each in tactics.hanging(there, side)},
            attacks.hanging,
        ),
    ],
)
def test_men_that_are_found_are_those_of_which_it_holds(find, holds):
    for there in positions():
        found = {square for side in chess.COLORS for square in find(there, side)}
        assert where(there, holds) == found, there.fen()


@pytest.mark.parametrize(
    ("find", "holds"),
    [(board.attacks, attacks.attacks), (board.defences, attacks.defends)],
)
def test_pairs_that_are_found_are_those_of_which_it_holds(find, holds):
    for there in positions()[::4]:
        for side in chess.COLORS:
            found = {(pair.square, pair.target) for pair in find(there, side)}
            ends = {target for _, target in found}
            for piece in chess.SquareSet(there.occupied_co[side]):
                for target in ends:
                    assert holds(there, piece, target).holds == (
                        (piece, target) in found
                    )


def test_pins_and_skewers_that_are_found_hold():
    seen = set()
    for there in positions():
        for side in chess.COLORS:
            pins, skewers = tactics.line_tactics(there, tactics.Exchanges(there, side))
            for line in pins:
                manner = "absolute" if line.absolute else "relative"
                assert lines.pinned(
                    there, line.front, line.behind, line.square, manner
                ).holds
            for line in skewers:
                assert lines.skewer(there, line.square, line.front, line.behind).holds
            seen |= {"pins"} if pins else set()
            seen |= {"skewers"} if skewers else set()
    assert seen == {"pins", "skewers"}


def test_threats_and_open_files_that_are_found_hold_and_others_do_not():
    for there in positions()[::3]:
        found = {chess.FILE_NAMES[file] for file in board.open_files(there)}
        for file in chess.FILE_NAMES:
            assert pawns.open_file(there, file).holds == (file in found)
        for side in chess.COLORS:
            found = tactics.threats(there, side)
            assert captures.threat(there, side).holds == bool(found)
            if there.turn == side:
                for each in found:
                    assert captures.threat(there, side, [each.move]).holds


def test_checks_hold_of_the_side_that_stands_in_them():
    for there in positions():
        assert kings.check(there, there.turn).holds == there.is_check()
        assert not kings.check(there, not there.turn).holds
        for square in there.checkers():
            assert kings.check(there, there.turn, by=square).holds


def test_what_is_arguable_is_neither_false_nor_denied():
    through = chess.Board("4k3/4r3/8/8/4n3/8/4R3/4K3 w - - 0 1")
    found = attacks.attacks(through, chess.E2, chess.E7)
    assert (found.holds, found.arguable, found.verdict) == (False, True, None)
    assert found.denied().verdict is True
    bound = chess.Board("4k3/8/8/8/4n3/8/4R3/4K3 w - - 0 1")
    pinned = attacks.attacks(bound, chess.E4, chess.D2)
    assert (pinned.holds, pinned.denied().verdict) == (True, None)
    own = chess.Board("4k3/4r3/8/8/4N3/8/4R3/4K3 w - - 0 1")
    assert attacks.attacks(own, chess.E2, chess.E7).verdict is False


def test_the_strongest_finding_is_one_that_holds_else_one_that_is_open():
    no, may, yes = (
        Finding(False, "no"),
        Finding(False, "may", arguable=True),
        Finding(True, "yes"),
    )
    assert strongest([no, may, yes]) == yes
    assert strongest([no, may]) == may
    assert strongest([no]) == no
    assert strongest([]) is None


def test_a_piece_behind_another_counts_as_an_attacker_or_not():
    there = chess.Board("4k3/8/8/3p4/8/3R4/3Q4/4K3 w - - 0 1")
    for number, verdict in ((1, True), (2, None), (3, False)):
        assert attacks.attacked(there, chess.D5, number={number}).verdict is verdict
    assert attacks.undefended(there, chess.D5).holds
