"""Looks at the board: material, counts of pieces, pawn structure, open files."""

from __future__ import annotations

import chess

from chessgloss.claims.lexicon import noun_pieces
from chessgloss.claims.outcomes import Finding, absent, fails, holds, truth, unknown
from chessgloss.claims.records import Claim
from chessgloss.claims.scene import Moment, Scene
from chessgloss.facts.board import doubled, half_open_files, isolated, passed
from chessgloss.facts.tactics import VALUES, balance

_NUMBERS = {
    "no": 0, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8,
}  # fmt: skip
_MINORS = (chess.KNIGHT, chess.BISHOP)


def detail(claim: Claim) -> dict[str, str]:
    """Return a claim's details by name."""
    return dict(one.split("=", 1) for one in claim.detail if "=" in one)


def _number(word: str) -> int:
    return _NUMBERS[word] if word in _NUMBERS else int(word)


def ahead(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is ahead in material, by what is said if anything is."""
    return _of_sides(claim, moment.board, turned=False)


def behind(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is behind in material, by what is said if anything is."""
    return _of_sides(claim, moment.board, turned=True)


def _of_sides(claim: Claim, board: chess.Board, *, turned: bool) -> Finding:
    """Look at the side that is named; where none is, at either."""
    sides = [bool(term.side) != turned for term in claim.subjects] or list(chess.COLORS)
    findings = [_ahead(claim, board, side) for side in sides]
    return next((one for one in findings if one.outcome == "holds"), findings[0])


def _ahead(claim: Claim, board: chess.Board, side: chess.Color) -> Finding:
    told = detail(claim)
    lead = balance(board) if side else -balance(board)
    more = _differences(board, side)
    evidence = f"{'White' if side else 'Black'} is {lead:+d} in pawns"
    if "unit" not in told:
        return truth(lead > 0, evidence)
    count = _number(told.get("count", "one"))
    unit = told["unit"].split()[-1].removesuffix("s")
    if unit == "exchange":
        minors = more[chess.KNIGHT] + more[chess.BISHOP]
        return truth(more[chess.ROOK] == count and minors == -count, evidence)
    if unit == "point":
        return truth(lead == count, evidence)
    if unit == "piece" or unit == "minor":
        pieces = sum(more[kind] for kind in (*_MINORS, chess.ROOK, chess.QUEEN))
        return truth((pieces == count and lead > 0) or lead == 3 * count, evidence)
    (kind,) = noun_pieces(unit)
    if kind == chess.PAWN:
        return truth(lead == count or (more[kind] == count and lead >= count), evidence)
    return truth((more[kind] == count and lead > 0) or lead == VALUES[kind] * count, evidence)


def _differences(board: chess.Board, side: chess.Color) -> dict[chess.PieceType, int]:
    return {
        kind: len(board.pieces(kind, side)) - len(board.pieces(kind, not side))
        for kind in chess.PIECE_TYPES
    }


def level(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether material is equal."""
    return truth(balance(moment.board) == 0, f"White is {balance(moment.board):+d} in pawns")


def pair(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has bishops on both colours of squares."""
    bishops = moment.board.pieces(chess.BISHOP, bool(claim.subjects[0].side))
    both = bool(bishops & chess.BB_LIGHT_SQUARES) and bool(bishops & chess.BB_DARK_SQUARES)
    return truth(both, f"it has {len(bishops)} bishops")


def counts(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has as many pieces of a kind as is said."""
    side = bool(claim.subjects[0].side)
    told = detail(claim)
    noun = told["noun"].split()[-1]
    if noun.startswith("piece"):
        return unknown("what counts as a piece is not said")
    have = _count(moment.board, noun, side)
    want = _number(told["count"])
    if "more" in told:
        return truth(have - _count(moment.board, noun, not side) == want, f"it has {have} {noun}")
    if have > want and "whole" not in told:
        return unknown(f"it has {have} {noun}, more than the text speaks of")
    return truth(have == want, f"it has {have} {noun}")


def _count(board: chess.Board, noun: str, side: chess.Color) -> int:
    return sum(len(board.pieces(kind, side)) for kind in noun_pieces(noun))


def counts_both(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether both sides have as many pieces of a kind as is said."""
    told = detail(claim)
    have = [_count(moment.board, told["noun"], side) for side in chess.COLORS]
    return truth(have == [_number(told["count"])] * 2, f"they have {have[0]} and {have[1]}")


def no_more(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether all pieces of a kind are off the board."""
    (kind,) = noun_pieces(detail(claim)["noun"])
    left = moment.board.pieces_mask(kind, True) | moment.board.pieces_mask(kind, False)
    return truth(not left, f"{left.bit_count()} are left")


def pawn_state(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether pawns are passed, doubled or isolated."""
    board, word = moment.board, claim.detail[0]
    find = {"passed": passed, "doubled": doubled, "isolated": isolated, "connected": passed}[word]
    states = {side: find(board, side) for side in chess.COLORS}
    (term,) = claim.objects[:1]
    found = term.found(board)
    if not found:
        return absent(f"there is no {term.text}")
    fitting = [square for square in found if square in states[bool(board.color_at(square))]]
    if word == "connected":
        fitting = [one for one in fitting if _has_neighbour(board, one, fitting)]
    if fitting:
        return holds(f"the pawn on {chess.square_name(fitting[0])} is {word}")
    return fails(f"no such pawn is {word}")


def _has_neighbour(board: chess.Board, square: chess.Square, pawns: list[chess.Square]) -> bool:
    file, side = chess.square_file(square), board.color_at(square)
    return any(
        abs(chess.square_file(other) - file) == 1 and board.color_at(other) == side
        for other in pawns
    )


def open_file(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a file is open, half-open or closed."""
    told = detail(claim)
    file = ord(told["file"]) - ord("a")
    board = moment.board
    pawns = bool(board.pawns & chess.BB_FILES[file])
    sides = [bool(term.side) for term in claim.subjects] or list(chess.COLORS)
    half = any(file in half_open_files(board, side) for side in sides)
    said = told.get("half", "open")
    evidence = (
        f"the {told['file']}-file is {'half-open' if half else 'closed' if pawns else 'open'}"
    )
    if said.startswith(("half", "semi")):
        return truth(half, evidence)
    if said.startswith("closed"):
        return truth(pawns and not half, evidence)
    if half and claim.relation == "opens_file" and "fully" not in told:
        return unknown(evidence)
    return truth(not pawns, evidence)
