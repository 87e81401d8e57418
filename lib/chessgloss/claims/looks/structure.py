"""Looks at pawns and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import chess

from chessgloss.claims.looks.finding import (
    Finding,
    absent,
    fails,
    holds,
    truth,
    unknown,
)
from chessgloss.claims.looks.material import WINGS, agreed
from chessgloss.claims.parser import Claim, Term
from chessgloss.claims.scene import Moment, Scene, sides_or_both
from chessgloss.predicates import board as boards

#: Finds the pawns of a side that are in a state.
Find: TypeAlias = Callable[[chess.Board, chess.Color], chess.SquareSet]


def _unsupported(board: chess.Board, side: chess.Color) -> chess.SquareSet:
    """Return pawns that no pawn of their side, beside them or behind, can come to defend."""
    pawns = board.pieces(chess.PAWN, side)
    found = chess.SquareSet()
    for pawn in pawns:
        (file, rank) = (chess.square_file(pawn), chess.square_rank(pawn))
        beside = [each for each in pawns if abs(chess.square_file(each) - file) == 1]
        ahead = [(chess.square_rank(each) > rank) == side for each in beside]
        level = any(chess.square_rank(each) == rank for each in beside)
        if all(ahead) and not level:
            found.add(pawn)
    return found


def _backward(board: chess.Board, side: chess.Color) -> chess.SquareSet:
    """Return unsupported pawns with neighbours whose way an enemy pawn bars by its attack."""
    pawns = _unsupported(board, side) - boards.isolated(board, side)
    step = 8 if side else -8
    enemies = board.pieces(chess.PAWN, not side)
    barred = [
        pawn for pawn in pawns if board.attackers(not side, pawn + step) & enemies
    ]
    return chess.SquareSet(barred)


def _pawns(board: chess.Board, side: chess.Color) -> chess.SquareSet:
    return board.pieces(chess.PAWN, side)


def _protected(board: chess.Board, side: chess.Color) -> chess.SquareSet:
    """Return the pawns that a pawn of their side protects."""
    pawns = board.pieces(chess.PAWN, side)
    protected = [pawn for pawn in pawns if board.attackers(side, pawn) & pawns]
    return chess.SquareSet(protected)


#: What finds the pawns of a side that are in a state, or may be.
_FIND: Mapping[str, Find] = {
    "doubled": boards.doubled,
    "isolated": boards.isolated,
    "passed": boards.passed,
    "connected": _pawns,
    "backward": _backward,
    "protected": _protected,
}


def pawn_state(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether pawns are passed, doubled or isolated, on a wing if one is named."""
    files = WINGS[claim.detail.wing]
    for term in claim.objects:
        found = agreed(
            [_pawn_state(claim, moment, scene, term, each) for each in files]
        )
        if found.outcome != "holds":
            return found
    return found


def _pawn_state(
    claim: Claim, moment: Moment, scene: Scene, term: Term, files: chess.Bitboard
) -> Finding:
    board = moment.board
    state = claim.detail.state
    pawns = [pawn for pawn in term.squares(board) if chess.BB_SQUARES[pawn] & files]
    if not pawns:
        return absent(f"there is no {term.text}")
    find = _FIND[state]
    if state == "connected" and "passed" in claim.text.lower():
        find = boards.passed
    fitting = [
        pawn for pawn in pawns if pawn in find(board, bool(board.color_at(pawn)))
    ]
    if state == "connected":
        fitting = [pawn for pawn in fitting if _has_neighbour(board, pawn, find)]
    if claim.detail.made:
        return _made_so(claim, scene, fitting, find)
    if term.least > 1 and term.square is None:
        evidence = f"{len(fitting)} of them are {state}"
        certain = len(fitting) < term.least
        return truth(len(fitting) == term.least, evidence, certain=certain)
    if state == "backward" and not fitting:
        alone = any(
            pawn in _unsupported(board, bool(board.color_at(pawn))) for pawn in pawns
        )
        return truth(False, "a pawn beside it can support it", certain=not alone)
    if fitting:
        return holds(f"the pawn on {chess.square_name(fitting[0])} is {state}")
    return fails(f"no such pawn is {state}")


def _has_neighbour(board: chess.Board, pawn: chess.Square, find: Find) -> bool:
    """Tell whether a pawn of its side, in the same state, stands on a file beside it."""
    file = chess.square_file(pawn)
    others = find(board, bool(board.color_at(pawn)))
    return any(abs(chess.square_file(other) - file) == 1 for other in others)


def _made_so(
    claim: Claim,
    scene: Scene,
    fitting: list[chess.Square],
    find: Find,
) -> Finding:
    """Look whether one of the pawns has come to be so by the move."""
    before = scene.before.board
    move = scene.move.move
    had = {pawn for side in chess.COLORS for pawn in find(before, side)}
    came = {move.to_square: move.from_square}
    new = [pawn for pawn in fitting if came.get(pawn, pawn) not in had]
    state = claim.detail.state
    if new:
        return holds(f"the pawn on {chess.square_name(new[0])} is {state} now")
    return fails(f"no pawn has become {state}")


def connected(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether two rooks of a side see each other; of both sides, if none is named, both do."""
    board = moment.board
    (term,) = claim.subjects
    sides = chess.COLORS if term.side is None else [term.side]
    places = [each.square for each in claim.objects if each.square is not None]
    see = []
    for side in sides:
        rooks = board.pieces(chess.ROOK, side)
        if places:
            rooks &= chess.SquareSet(places)
        see.append(any(board.attacks(rook) & rooks for rook in rooks))
    evidence = (
        "rooks of a side see each other" if any(see) else "no two rooks see each other"
    )
    if len({*see}) > 1:
        return unknown("whose rooks is not said")
    return truth(see[0], evidence)


def doubled_rooks(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether two rooks of a side stand on a file."""
    file = chess.BB_FILES[chess.FILE_NAMES.index(claim.detail.file)]
    rooks = [
        len(moment.board.pieces(chess.ROOK, side) & file)
        for side in sides_or_both(claim)
    ]
    return truth(max(rooks) >= 2, f"{max(rooks)} rooks of a side stand there")


def on_the_seventh(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a rook stands on the seventh rank as its side counts, or on White's."""
    written = claim.detail.square in ("7th", "seventh")
    found = False
    for side in sides_or_both(claim):
        ranks = {chess.BB_RANK_7, chess.BB_RANK_7 if side else chess.BB_RANK_2}
        if not written:
            ranks = {chess.BB_RANK_2}
        rooks = moment.board.pieces_mask(chess.ROOK, side)
        found = found or any(rooks & rank for rank in ranks)
    return truth(found, "whether a rook stands there")


def no_open_file(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether every file has a pawn."""
    files = boards.open_files(moment.board)
    return truth(not files, f"{len(files)} files are open")


def only_open_file(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether one file alone has no pawn, the one that is named."""
    names = [chess.FILE_NAMES[file] for file in boards.open_files(moment.board)]
    return truth(names == [claim.detail.file], f"open files: {', '.join(names)}")


def open_file(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a file is open, half-open or closed."""
    board = moment.board
    letter = claim.detail.file
    file = chess.FILE_NAMES.index(letter)
    pawns = bool(board.pawns & chess.BB_FILES[file])
    sides = [bool(term.side) for term in claim.subjects] or chess.COLORS
    half = any(file in boards.half_open_files(board, side) for side in sides)
    state = "half-open" if half else "closed" if pawns else "open"
    wording = claim.detail.half or "open"
    evidence = f"the {letter}-file is {state}"
    if wording.startswith(("half", "semi", "closed")):
        return truth(
            state == "closed" if wording.startswith("closed") else half, evidence
        )
    if half and claim.relation == "opens_file" and not claim.detail.fully:
        return unknown(evidence)
    return truth(not pawns, evidence, certain=claim.tense != "later")
